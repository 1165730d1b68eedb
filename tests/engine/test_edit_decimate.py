"""Decimation: exact counts, kept light, and far better pictures than leaving splats out."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.jobs import Progress, run
from polyorama.errors import UsageError
from polyorama.scene import decimate as module
from polyorama.scene.decimate import decimate
from polyorama.scene.rotations import rotation_matrices
from polyorama.scene.splats import SplatCloud, concatenate, sh_from_colors


def sheet(n=40, seed=0, degree=1):
    """A wavy, two-coloured sheet of flat splats, n x n."""
    rng = np.random.default_rng(seed)
    u, v = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    points = np.stack([u, v, 0.1 * np.sin(3 * u)], axis=-1).reshape(-1, 3)
    colors = np.where(points[:, :1] > 0, [0.9, 0.2, 0.1], [0.1, 0.3, 0.9])
    sh = np.zeros((n * n, (degree + 1) ** 2, 3), np.float32)
    sh[:, 0] = sh_from_colors(colors)
    sh[:, 1:] = 0.05 * rng.normal(size=sh[:, 1:].shape)
    return SplatCloud(
        points.astype(np.float32),
        np.tile(np.float32([1, 0, 0, 0]), (n * n, 1)),
        np.tile(np.float32([1.2, 1.2, 0.1]) / n, (n * n, 1)),
        np.full(n * n, 0.8, np.float32),
        sh,
        extras={"label": np.arange(n * n)},
    )


def covariance(cloud):
    factor = rotation_matrices(cloud.quats) * cloud.scales[:, None, :].astype(np.float64)
    return factor @ factor.transpose(0, 2, 1)


@pytest.mark.parametrize("count", [1, 7, 160, 1599, 1600, 5000])
def test_the_count_is_exact(count):
    result = run(decimate(sheet(), count))
    assert len(result) == min(count, 1600)
    for name in ("means", "quats", "scales", "opacities", "sh"):
        assert np.isfinite(getattr(result, name)).all()
    np.testing.assert_allclose(np.linalg.norm(result.quats, axis=1), 1, atol=1e-5)
    assert result.opacities.max() <= 1.0


def test_two_alike_splats_become_their_moments():
    """Mass-weighted mean, covariance and colour, against the formulas in float64."""
    pair = sheet(20).subset([0, 1])
    pair = SplatCloud(
        0.4 * pair.means,
        pair.quats,
        pair.scales,
        np.float32([0.3, 0.1]),
        pair.sh,
        extras=pair.extras,
    )
    one = run(decimate(pair, 1))
    weights = np.array([0.75, 0.25])
    mean = weights @ pair.means.astype(np.float64)
    offsets = pair.means - mean
    wanted = np.einsum("i,iab->ab", weights, covariance(pair)) + np.einsum(
        "i,ia,ib->ab", weights, offsets, offsets
    )
    np.testing.assert_allclose(one.means[0], mean, atol=1e-6)
    np.testing.assert_allclose(covariance(one)[0], wanted, atol=1e-6)
    np.testing.assert_allclose(one.sh[0], np.einsum("i,ikc->kc", weights, pair.sh), atol=1e-5)
    assert one.extras["label"].tolist() == [pair.extras["label"][0]]


def test_light_is_kept_where_opacity_allows():
    cloud = sheet()
    faint = SplatCloud(cloud.means, cloud.quats, cloud.scales, 0.1 * cloud.opacities, cloud.sh)

    def mass(c):
        s = np.sort(c.scales.astype(np.float64), axis=1)
        return (c.opacities * s[:, 1] * s[:, 2]).sum()

    result = run(decimate(faint, 400))
    assert mass(result) == pytest.approx(mass(faint), rel=0.1)


def test_colours_are_not_mixed_across_an_edge():
    result = run(decimate(sheet(), 200))
    far = np.abs(result.means[:, 0]) > 0.15
    red = result.colors[far, 0]
    assert ((red > 0.8) | (red < 0.2)).all()


def test_flat_regions_lose_more_than_busy_ones():
    calm = sheet(30)
    rng = np.random.default_rng(4)
    sh = calm.sh.copy()
    sh[:, 0] = sh_from_colors(rng.uniform(0, 1, (900, 3)))
    busy = SplatCloud(calm.means + np.float32([5, 0, 0]), calm.quats, calm.scales,
                      calm.opacities, sh, extras=calm.extras)  # fmt: skip
    result = run(decimate(concatenate([calm, busy]), 1350))
    assert (result.means[:, 0] > 2.5).sum() > 1.2 * (result.means[:, 0] < 2.5).sum()


def test_faint_specks_are_dropped_first():
    cloud = sheet()
    rng = np.random.default_rng(0)
    specks = SplatCloud(
        rng.uniform(3, 9, (50, 3)).astype(np.float32),
        np.tile(np.float32([1, 0, 0, 0]), (50, 1)),
        np.full((50, 3), 1e-4, np.float32),
        np.full(50, 0.01, np.float32),
        np.zeros((50, 4, 3), np.float32),
    )
    result = run(decimate(concatenate([cloud, specks]), 1600))
    assert np.abs(result.means).max() < 1.5


def test_broken_rows_are_dropped():
    cloud = sheet()
    means = cloud.means.copy()
    means[:30] = np.nan
    quats = cloud.quats.copy()
    quats[30:40] = 0
    broken = SplatCloud(means, quats, cloud.scales, cloud.opacities, cloud.sh)
    result = run(decimate(broken, 1580))
    assert len(result) == 1560
    assert np.isfinite(result.means).all()


def test_the_result_does_not_depend_on_the_cores(monkeypatch):
    first = run(decimate(sheet(), 300))
    monkeypatch.setenv("POLYORAMA_CORES", "1")
    second = run(decimate(sheet(), 300))
    np.testing.assert_array_equal(first.means, second.means)
    np.testing.assert_array_equal(first.scales, second.scales)


def test_progress_grows_and_the_count_is_checked():
    steps = []
    job = decimate(sheet(), 100)
    steps = list(job)
    assert all(isinstance(step, Progress) for step in steps)
    done = [step.done for step in steps]
    assert done == sorted(done)
    assert done[-1] == steps[-1].total == 1500
    with pytest.raises(UsageError):
        run(decimate(sheet(), 0))


def test_the_error_of_a_view_agrees_with_integration():
    """The closed form against a sum over a fine grid, float64."""
    a, b = 0.4, 0.6
    i, j = np.array([[0.04, 0.01], [0.01, 0.02]]), np.array([[0.03, -0.01], [-0.01, 0.05]])
    d = np.array([0.15, -0.1])
    m = a * i + b * j + a * b * np.outer(d, d)
    colors = np.array([0.8, 0.5])
    o_i, o_j, o_m = 0.7, 0.4, 0.6
    c = np.outer(colors, colors)
    mix = a * colors[0] + b * colors[1]

    step = 0.01
    xy = np.stack(np.meshgrid(*[np.arange(-2, 2, step)] * 2, indexing="ij"), axis=-1)

    def footprint(matrix, at):
        o = xy - at
        return np.exp(-0.5 * np.einsum("...a,ab,...b->...", o, np.linalg.inv(matrix), o))

    field = o_i * colors[0] * footprint(i, np.zeros(2)) + o_j * colors[1] * footprint(j, d)
    wanted = ((field - o_m * mix * footprint(m, b * d)) ** 2).sum() * step**2 / (2 * np.pi)
    got = module._view_error(
        i[0, 0], i[0, 1], i[1, 1], j[0, 0], j[0, 1], j[1, 1], m[0, 0], m[0, 1], m[1, 1],
        d[0], d[1], a, b, o_i, o_j, o_m,
        c[0, 0], c[0, 1], c[1, 1], colors[0] * mix, colors[1] * mix, mix * mix,
    )  # fmt: skip
    assert got == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("name", ["plant", "koala_10k"])
def test_pictures_are_far_better_than_with_splats_left_out(shared_data, name):
    """At a tenth of the splats, at least 5 dB above the most important tenth of them."""
    from polyorama.io.formats import read_splats
    from polyorama.render.resolve import draw
    from polyorama.scene.document import Document
    from polyorama.scene.framing import frame_subject

    cloud = read_splats(shared_data / "splats" / f"{name}.splat")
    camera = frame_subject(cloud, size=(240, 240))

    def picture(c):
        document = Document.of([c], ["c"])
        color = draw(document, camera, outputs=("color",), background=(0.5, 0.5, 0.5)).color
        return np.clip(color[..., :3], 0, 1)

    def psnr(c):
        return -10 * np.log10(np.mean((picture(c) - picture(cloud)) ** 2))

    tenth = len(cloud) // 10
    merged = run(decimate(cloud, tenth))
    picked = cloud.subset(np.sort(cloud.importance_order()[:tenth]))
    assert psnr(merged) > psnr(picked) + 5
