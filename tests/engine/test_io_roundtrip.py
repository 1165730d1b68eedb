"""Every pair of formats: read from one, written to another, within the target's own quantisation.

The bounds are those of the formats' written layouts (bits, ranges, measured rotation errors), not
of this project's code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from polyorama.io.formats import FORMATS, read_splats, write_splats
from polyorama.scene.rotations import turn_between
from polyorama.scene.splats import SplatCloud, concatenate
from tests.engine.reference import seen_colors
from tests.engine.splat_samples import ksplat_bytes, rotation_error, sample_cloud

SOURCES = ["a.ply", "a.compressed.ply", "a.splat", "a.spz", "v3.spz", "a.sog", "a.glb", "a.gltf"]
TARGETS = SOURCES
COUNT = 256


@dataclass(frozen=True)
class Bounds:
    """The largest errors that a format may add: units, logarithms, degrees, fractions."""

    position: np.ndarray | float
    log_scale: np.ndarray | float
    rotation: float
    opacity: float
    color: float
    degree_one: float
    higher: float


def bounds(target, cloud):
    extent = np.ptp(cloud.means, axis=0)
    # Zero scales are stored as e^-20 at the least, far below those of these clouds.
    log_range = np.ptp(np.log(cloud.scales))
    color_range = np.ptp(cloud.colors, axis=0).max()
    sh_range = np.ptp(cloud.sh[:, 1:]) if cloud.sh_degree else 0
    byte = 0.5 / 255 + 1e-5
    if target.endswith(".compressed.ply"):
        steps = np.array([2047, 1023, 2047])
        return Bounds(
            extent / steps / 2, log_range / steps / 2, 0.25, byte, color_range / 255 / 2,
            1 / 64, 1 / 64,
        )  # fmt: skip
    if target.endswith(".ply") or target.endswith((".glb", ".gltf")):
        return Bounds(0, 1e-6, 1e-3, 1e-6, 1e-6, 0, 0)
    if target.endswith(".splat"):
        return Bounds(0, 1e-6, 0.88, byte, byte, 0, 0)
    if target.endswith(".spz"):
        return Bounds(1.23e-4, 1 / 32, 0.25, byte, 1.88 / 255 / 2, 1 / 32, 1 / 16)
    assert target.endswith(".sog")
    # 16 bits on the logarithmic scale; the widest gap of a codebook is about a 64th of its range.
    slope = 1 + np.abs(cloud.means).max(axis=0)
    log_extent = 2 * np.log(slope)
    return Bounds(
        log_extent / 65535 / 2 * slope, log_range / 64, 1.0, byte, color_range / 64,
        sh_range / 64, sh_range / 64,
    )  # fmt: skip


def matched(cloud, back):
    """`back` in the order of `cloud`: some writers sort, so splats are found by their places."""
    squares = ((cloud.means[:, None].astype(np.float64) - back.means) ** 2).sum(axis=2)
    index = squares.argmin(axis=1)
    assert len(np.unique(index)) == len(cloud) == len(back)
    return back.subset(index)


def check(target, cloud, back):
    if target.endswith(".splat"):
        cloud = cloud.with_sh_degree(0)
    limit = bounds(target, cloud)
    back = matched(cloud, back)
    assert back.sh_degree == cloud.sh_degree
    assert (np.abs(back.means - cloud.means) <= limit.position + 1e-5).all()
    assert (np.abs(np.log(back.scales / cloud.scales)) <= limit.log_scale + 1e-4).all()
    assert rotation_error(cloud, back).max() <= limit.rotation
    assert np.abs(back.opacities - cloud.opacities).max() <= limit.opacity
    assert np.abs(back.colors - cloud.colors).max() <= limit.color + 1e-5
    error = np.abs(back.sh - cloud.sh)
    assert error[:, 1:4].max(initial=0) <= limit.degree_one + 1e-5
    assert error[:, 4:].max(initial=0) <= limit.higher + 1e-5


def sample(degree):
    """Half of the splats are a turned copy of the other half, so that turns of harmonics count."""
    half = sample_cloud(COUNT // 2, degree, seed=degree, spread=1.1, sh_limit=0.55)
    angle = 0.7
    turn = np.eye(4)
    turn[:3, :3] = [
        [np.cos(angle), 0, np.sin(angle)],
        [0, 1, 0],
        [-np.sin(angle), 0, np.cos(angle)],
    ]
    turn[:3, 3] = (0.01, 0.02, -0.03)
    return concatenate([half, half.transformed(turn)])


def written(cloud, tmp_path, name):
    path = tmp_path / name
    options = {"version": 3} if name == "v3.spz" else {}
    write_splats(cloud, path, **options)
    return read_splats(path)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """(format, degree) -> what the format gives back of the sample cloud."""
    folder = tmp_path_factory.mktemp("sources")
    clouds = {}
    for degree in range(4):
        for name in SOURCES:
            clouds[name, degree] = written(sample(degree), folder, name)
        for mode in (0, 1, 2):
            path = folder / f"{mode}.ksplat"
            path.write_bytes(ksplat_bytes([sample(degree)], mode))
            clouds[f"{mode}.ksplat", degree] = read_splats(path)
    return clouds


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("target", TARGETS)
def test_each_format_keeps_a_cloud(sources, target, degree):
    check(target, sample(degree), sources[target, degree])


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", [*SOURCES, "0.ksplat", "1.ksplat", "2.ksplat"])
def test_every_pair(sources, tmp_path, source, target, degree):
    cloud = sources[source, degree]
    check(target, cloud, written(cloud, tmp_path, target))


@pytest.mark.parametrize("target", TARGETS)
def test_a_turned_copy_stays_a_turned_copy(sources, target):
    # The lobes of each splat, seen along fixed directions in its own frame, agree in both halves.
    cloud = matched(sample(3), sources[target, 3])
    first, second = cloud.subset(slice(0, COUNT // 2)), cloud.subset(slice(COUNT // 2, COUNT))
    angle = 0.7
    turn = np.array(
        [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    )
    for direction in np.eye(3):
        seen = seen_colors(first.sh, np.broadcast_to(direction, (COUNT // 2, 3)))
        turned = seen_colors(second.sh, np.broadcast_to(turn @ direction, (COUNT // 2, 3)))
        assert np.sqrt(((seen - turned) ** 2).mean()) < 0.09


MODELS_KEPT = {
    "a.ply": {"default", "antialiased", "2dgs"},
    "a.compressed.ply": {"default", "antialiased", "2dgs"},
    "a.splat": {"default"},
    "a.spz": {"default", "antialiased"},
    "v3.spz": {"default", "antialiased"},
    "a.sog": {"default", "antialiased", "2dgs"},
    "a.glb": {"default", "antialiased", "2dgs"},
    "a.gltf": {"default", "antialiased", "2dgs"},
}


@pytest.mark.parametrize("target", ["a.glb", "a.gltf", "a.spz", "v3.spz"])
@pytest.mark.parametrize("up", [(0, 0, 1), (0, 1, 0), (3, 0.5, -1)])
def test_what_is_up_is_up_in_formats_that_say_so(tmp_path, target, up):
    cloud = sample(1)
    back = written(replace(cloud, up=up), tmp_path, target)
    assert back.up == (0, -1, 0)
    heights = cloud.means @ np.asarray(up, np.float32) / np.linalg.norm(up)
    assert np.abs(-back.means[:, 1] - heights).max() < 1e-3
    # Turned, not mirrored: turning the original by hand gives the same splats.
    turn = np.eye(4)
    turn[:3, :3] = turn_between(up, (0, -1, 0))
    check(target, cloud.transformed(turn), back)


@pytest.mark.parametrize("target", ["a.glb", "a.spz"])
def test_a_cloud_that_says_nothing_of_up_stays_as_it_is(tmp_path, target):
    check(target, sample(1), written(sample(1), tmp_path, target))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("model", ["default", "antialiased", "2dgs"])
def test_the_model_is_kept_or_its_loss_reported(tmp_path, caplog, target, model):
    cloud = sample_cloud(64, 0, model=model)
    back = written(cloud, tmp_path, target)
    if model in MODELS_KEPT[target]:
        assert back.model == model
        assert not [r for r in caplog.records if "model" in r.getMessage()]
    else:
        assert back.model == "default"
        assert model in caplog.text
        assert target.rpartition(".")[2] in caplog.text


@pytest.mark.parametrize("target", TARGETS)
def test_limits_of_scale_and_opacity(tmp_path, target):
    cloud = sample_cloud(64, 1)
    scales, opacities = cloud.scales.copy(), cloud.opacities.copy()
    scales[::3, 2] = 0
    opacities[:20], opacities[20:40] = 0, 1
    edge = SplatCloud(cloud.means, cloud.quats, scales, opacities, cloud.sh)
    back = matched(edge, written(edge, tmp_path, target))
    for name in ("means", "quats", "scales", "opacities", "sh"):
        assert np.isfinite(getattr(back, name)).all()
    assert np.abs(back.opacities - opacities).max() <= 0.5 / 255
    assert back.scales[::3, 2].max() < 1e-4


@pytest.mark.parametrize("target", TARGETS)
def test_negative_scales_lose_their_sign_in_every_format(tmp_path, target, caplog):
    cloud = sample_cloud(64, 0)
    signs = np.ones((64, 3), np.float32)
    signs[7, 1] = signs[9] = -1
    odd = replace(cloud, scales=cloud.scales * signs)
    back = matched(cloud, written(odd, tmp_path, target))
    limit = bounds(target, cloud).log_scale
    assert (np.abs(np.log(back.scales / cloud.scales)) <= limit + 1e-4).all()
    assert [r.getMessage() for r in caplog.records if "2 splats had a neg" in r.getMessage()]


def test_every_format_is_in_this_test():
    tested = {name.removeprefix("a") for name in SOURCES} | {".ksplat"}
    known = {e for f in FORMATS if f.reads for e in f.endings} - {"meta.json"}
    assert known <= tested
