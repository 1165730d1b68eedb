"""The cpu rasterizer against an independent float64 renderer, and its promises."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from polyorama.core import memory
from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.io.formats import read_splats
from polyorama.render.cpu import CpuRasterizer, pipeline
from polyorama.render.rasterizers import available_backends, get_rasterizer
from polyorama.render.resolve import draw as draw_document
from polyorama.render.resolve import resolve
from polyorama.render.state import PRESETS, Constants, Gaussians, RenderState
from polyorama.scene.document import Document, Node
from polyorama.scene.splats import SplatCloud
from tests.engine.reference import render_reference

SIZE = (83, 61)  # no multiple of a tile, so that every edge case of the last tile is met


def random_cloud(seed: int, count: int = 400, degree: int = 3, spread: float = 1.0) -> SplatCloud:
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4))
    return SplatCloud(
        means=rng.normal(size=(count, 3)) * spread,
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=np.exp(rng.normal(-2.5, 0.8, (count, 3))),
        opacities=rng.uniform(0, 1, count) ** 0.5,
        sh=rng.normal(size=(count, (degree + 1) ** 2, 3)) * 0.4,
    )


def orbit_camera(size=SIZE, **options) -> Camera:
    return Camera.look_at((1.0, -1.5, -3.5), (0.1, 0.0, 0.0), fov=50, size=size, **options)


def draw(cloud, camera, constants=PRESETS["gsplat-1.5.3"], features=None, limit=None):
    gaussians = Gaussians(cloud, features=features)
    state = RenderState(gaussians, camera, None, constants, limit)
    outputs = {"rgba8", "color", "depth"} | ({"features"} if features is not None else set())
    return CpuRasterizer(count_needed=True).render(state, outputs)


def assert_agrees(frame, reference, strict: float = 2e-5):
    """Equal but for rounding; the 1/255 and 1e-4 thresholds may flip at a few pixels."""
    difference = np.abs(frame.color[..., :3] - reference.color).max(axis=-1)
    assert difference.mean() < strict
    assert np.quantile(difference, 0.99) < 10 * strict
    assert (difference > 2e-3).mean() < 2e-3
    assert np.abs(frame.alpha - reference.alpha).mean() < strict
    same = frame.ids == reference.ids
    assert same.mean() > 0.995
    assert np.allclose(frame.median_depth[same], reference.median_depth[same], rtol=1e-5)
    solid = reference.alpha > 0.01
    error = np.abs(frame.expected_depth - reference.expected_depth)[solid]
    assert error.mean() < 10 * strict * 5.0
    assert abs(frame.counts["needed"] - reference.needed) <= 2e-3 * reference.needed


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_random_scenes_agree_with_the_reference(degree):
    cloud = random_cloud(degree, degree=degree)
    camera = orbit_camera()
    assert_agrees(draw(cloud, camera), render_reference(cloud, camera, Constants()))


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("antialiased", [False, True])
def test_every_preset_agrees_with_the_reference(preset, antialiased):
    constants = replace(PRESETS[preset], antialiased=antialiased)
    cloud = random_cloud(7, count=600)
    camera = orbit_camera()
    assert_agrees(draw(cloud, camera, constants), render_reference(cloud, camera, constants))


def test_principal_point_and_unequal_focal_lengths():
    camera = Camera(orbit_camera().viewmat, 60.0, 85.0, 20.0, 45.0, *SIZE)
    cloud = random_cloud(3)
    assert_agrees(draw(cloud, camera), render_reference(cloud, camera, Constants()))


def test_orthographic_camera():
    camera = Camera.orthographic((2, -1, -3), (0, 0, 0), height_in_world=4.0, size=SIZE)
    cloud = random_cloud(4)
    assert_agrees(draw(cloud, camera), render_reference(cloud, camera, Constants()))


def test_camera_inside_the_cloud_clamps_the_jacobian():
    camera = Camera.look_at((0, 0, 0), (0, 0, 1), fov=70, size=SIZE)
    cloud = random_cloud(5, count=800, spread=0.7)
    assert_agrees(draw(cloud, camera), render_reference(cloud, camera, Constants()), strict=5e-5)


def test_needles_and_giants_keep_their_shape():
    """Elongations of 1:5000 and splats that cover the picture, where float32 could cancel."""
    rng = np.random.default_rng(6)
    cloud = random_cloud(6, count=120)
    scales = np.array(cloud.scales)
    scales[:60] = (2.0, 4e-4, 4e-4)
    scales[60:70] = (3.0, 3.0, 1e-3)
    opacities = rng.uniform(0.1, 0.6, 120).astype(np.float32)
    cloud = SplatCloud(cloud.means, cloud.quats, scales, opacities, cloud.sh)
    camera = orbit_camera()
    assert_agrees(draw(cloud, camera), render_reference(cloud, camera, Constants()), strict=1e-4)


def test_early_stop_excludes_the_splat_that_would_saturate():
    count = 40
    means = np.zeros((count, 3))
    means[:, 2] = np.linspace(0, 1, count)
    sh = np.random.default_rng(0).normal(size=(count, 1, 3)) * 0.5
    cloud = SplatCloud(
        means,
        np.tile([1.0, 0, 0, 0], (count, 1)),
        np.full((count, 3), 0.5),
        np.full(count, 0.9),
        sh,
    )
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), fov=40, size=SIZE)
    frame = draw(cloud, camera)
    reference = render_reference(cloud, camera, Constants())
    assert_agrees(frame, reference)
    assert 1 - frame.alpha.max() > 1e-4  # the rule leaves more than the threshold


def test_feature_channels_blend_like_colours():
    cloud = random_cloud(8)
    features = np.random.default_rng(8).normal(size=(len(cloud), 32)).astype(np.float32)
    camera = orbit_camera()
    frame = draw(cloud, camera, features=features)
    reference = render_reference(cloud, camera, Constants(), features)
    assert frame.features.shape == (*SIZE[::-1], 32)
    assert np.abs(frame.features - reference.features).mean() < 2e-5


def test_plant_agrees_with_the_reference(shared_data):
    cloud = read_splats(shared_data / "splats" / "plant.splat")
    camera = Camera.look_at((0, -0.25, 1.5), (0, 0, 0), (0, -1, 0), fov=45, size=(800, 800))
    frame = draw(cloud, camera)
    reference = render_reference(cloud, camera, Constants())
    assert np.abs(frame.color[..., :3] - reference.color).mean() < 1e-5
    assert_agrees(frame, reference)


def test_background_is_laid_under_and_makes_the_picture_opaque():
    cloud, camera = random_cloud(9), orbit_camera()
    clear = draw(cloud, camera)
    state = RenderState(Gaussians(cloud), camera, (0.2, 0.4, 0.6))
    over = CpuRasterizer().render(state, {"color", "rgba8", "depth"})
    expected = clear.color[..., :3] + (1 - clear.alpha[..., None]) * np.float32([0.2, 0.4, 0.6])
    assert np.allclose(over.color[..., :3], expected, atol=1e-6)
    assert (over.color[..., 3] == 1).all()
    assert (over.rgba8[..., 3] == 255).all()
    assert np.array_equal(over.alpha, clear.alpha)


def test_eight_bit_pixels_are_the_rounded_float_pixels():
    frame = draw(random_cloud(10), orbit_camera())
    expected = np.floor(np.clip(frame.color, 0, 1) * np.float32(255) + np.float32(0.5))
    assert np.abs(frame.rgba8.astype(int) - expected).max() <= 0


def test_equal_depths_blend_in_file_order():
    means = np.zeros((3, 3))
    sh = np.zeros((3, 1, 3))
    sh[0, 0, 0], sh[1, 0, 1], sh[2, 0, 2] = 1.5, 1.5, 1.5
    cloud = SplatCloud(
        means, np.tile([1.0, 0, 0, 0], (3, 1)), np.full((3, 3), 0.3), np.full(3, 0.8), sh
    )
    camera = Camera.look_at((0, 0, -2), (0, 0, 0), size=SIZE)
    frame = draw(cloud, camera)
    assert_agrees(frame, render_reference(cloud, camera, Constants()))
    assert frame.ids[30, 41] == 0


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 17])
def test_few_splats(count):
    cloud, camera = random_cloud(11, count=max(count, 1)).subset(slice(0, count)), orbit_camera()
    frame = draw(cloud, camera)
    if count == 0:
        assert not frame.color.any()
        assert (frame.ids == -1).all()
    else:
        assert_agrees(frame, render_reference(cloud, camera, Constants()))


def test_broken_splats_are_not_drawn():
    cloud, camera = random_cloud(12, count=64), orbit_camera()
    names = ("means", "quats", "scales", "opacities", "sh")
    broken = {name: np.array(getattr(cloud, name)) for name in names}
    broken["means"][0] = np.nan
    broken["means"][1, 2] = np.inf
    broken["quats"][2] = 0
    broken["quats"][3] = np.nan
    broken["scales"][4] = np.nan
    broken["scales"][5] = np.inf
    broken["opacities"][6] = np.nan
    broken["opacities"][7] = np.inf
    broken["sh"][8] = np.nan
    broken["sh"][9] = np.inf
    frame = draw(SplatCloud(**broken), camera)
    kept = cloud.subset(np.arange(10, 64))
    assert np.array_equal(frame.color, draw(kept, camera).color)
    assert np.isfinite(frame.color).all()


def test_threads_do_not_change_the_bytes(monkeypatch):
    cloud, camera = random_cloud(13, count=20000), orbit_camera((200, 150))
    two = draw(cloud, camera)
    monkeypatch.setenv("POLYORAMA_CORES", "1")
    one = draw(cloud, camera)
    assert np.array_equal(one.color, two.color)
    assert np.array_equal(one.ids, two.ids)


@pytest.mark.parametrize("limit", [300, 3000])
def test_slabs_of_depth_do_not_change_the_bytes(monkeypatch, limit):
    """Bounded memory: many pairs are drawn in runs, with and without the full outputs."""
    cloud, camera = random_cloud(20, count=3000, spread=0.7), orbit_camera((200, 150))
    features = np.random.default_rng(20).normal(size=(3000, 5)).astype(np.float32)
    whole = draw(cloud, camera, features=features)
    whole_plain = CpuRasterizer().render(RenderState(Gaussians(cloud), camera))
    monkeypatch.setattr(pipeline, "MAX_PAIRS", limit)
    projected = pipeline.project_splats(
        cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh,
        pipeline.view_array(camera.viewmat), pipeline.optics_array(camera.lens, Constants()),
    ).sorted()  # fmt: skip
    runs = pipeline.slabs(projected, 200, 150)
    assert len(runs) > 5
    assert np.array_equal(np.concatenate([run.order for run in runs]), projected.order)
    cut = draw(cloud, camera, features=features)
    plain = CpuRasterizer().render(RenderState(Gaussians(cloud), camera))
    for name in ("color", "alpha", "expected_depth", "median_depth", "ids", "features"):
        assert np.array_equal(getattr(cut, name), getattr(whole, name)), name
    assert np.array_equal(plain.rgba8, whole_plain.rgba8)
    assert cut.counts["needed"] == whole.counts["needed"]
    assert cut.counts["pairs"] <= whole.counts["pairs"]


def test_a_picture_larger_than_memory_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(UsageError, match="not enough memory"):
        draw(random_cloud(21), orbit_camera())


def test_two_renders_at_once():
    cloud, camera = random_cloud(14, count=5000), orbit_camera()
    expected = draw(cloud, camera).color
    results = [None] * 4

    def work(i):
        results[i] = draw(cloud, camera).color

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(result, expected) for result in results)


def test_a_limit_draws_the_most_important_splats_and_names_them_rightly():
    cloud, camera = random_cloud(15), orbit_camera()
    order = cloud.importance_order()
    frame = draw(cloud, camera, limit=100)
    expected = draw(cloud.subset(np.sort(order[:100])), camera)
    assert np.array_equal(frame.color, expected.color)
    assert set(np.unique(frame.ids)) - {-1} <= set(order[:100])


def test_resolve_shares_the_arrays_of_a_single_cloud_and_joins_several():
    a, b = random_cloud(16, degree=0), random_cloud(17, degree=2)
    lone = resolve(Document.of([a], ["a"]), orbit_camera())
    assert lone.gaussians.cloud is a
    moved = np.eye(4)
    moved[0, 3] = 5.0
    document = Document(
        nodes=(Node("a", a), Node("b", b, transform=moved), Node("c", a, visible=False))
    )
    both = resolve(document, orbit_camera()).gaussians
    assert len(both.cloud) == len(a) + len(b)
    assert both.cloud.sh_degree == 2
    assert np.allclose(both.baked().cloud.means[len(a) :, 0], b.means[:, 0] + 5)
    assert both.node_ids == (document.nodes[0].id, document.nodes[1].id)
    assert resolve(document, orbit_camera()).gaussians is both


def test_documents_trained_antialiased_are_drawn_so():
    cloud = replace(random_cloud(18), model="antialiased")
    assert resolve(Document.of([cloud], ["x"]), orbit_camera()).constants.antialiased


def test_wrong_wishes_are_told():
    document = Document.of([random_cloud(19)], ["x"])
    with pytest.raises(UsageError, match="no backend 'quantum'"):
        draw_document(document, orbit_camera(), backend="quantum")
    with pytest.raises(UsageError, match="preset"):
        draw_document(document, orbit_camera(), constants="unreal")
    with pytest.raises(UsageError, match="outputs"):
        draw_document(document, orbit_camera(), outputs={"smell"})
    with pytest.raises(UsageError, match="feature"):
        draw_document(document, orbit_camera(), outputs={"features"})


def test_cpu_is_always_there():
    assert available_backends()["cpu"].ok
    assert get_rasterizer("cpu").name == "cpu"
