"""Lens and shutter: how far things blur, and that light is what is averaged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.render import accumulate as accumulate_module
from polyorama.render.accumulate import (
    DepthOfField,
    Sampling,
    Shot,
    Softening,
    accumulate,
    lens_points,
    sample_cameras,
    shots,
    shutter_times,
)
from polyorama.render.frame import Frame
from polyorama.render.light import (
    add_averaged,
    add_decoded,
    decode,
    encode,
    to_bytes,
    to_display,
    to_linear,
)
from polyorama.render.paths import orbit
from polyorama.render.post import Grade
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.shoot import Filming, drawing, shoot
from polyorama.scene.document import Document
from polyorama.scene.splats import SplatCloud, sh_from_colors


def dots_at(points: list[tuple[float, float, float]], size: float = 0.004) -> Document:
    """White opaque little splats."""
    count = len(points)
    cloud = SplatCloud(
        np.array(points), np.tile([1.0, 0, 0, 0], (count, 1)), np.full((count, 3), size),
        np.full(count, 0.99), sh_from_colors(np.ones((count, 3)))[:, None, :],
    )  # fmt: skip
    return Document.of([cloud], ["dots"])


def forward(size: tuple[int, int] = (160, 120), fov: float = 40.0) -> Camera:
    return Camera.look_at((0, 0, 0), (0, 0, 1), size=size, fov=fov)


def srgb_to_linear(value: np.ndarray) -> np.ndarray:
    value = np.asarray(value, float)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def test_the_curve_is_srgb_and_comes_back() -> None:
    values = np.array([-0.5, -0.01, 0.0, 0.003, 0.04, 0.05, 0.2, 0.5, 1.0, 1.7], np.float32)
    light = np.array([decode(v) for v in values])
    assert np.abs(light[2:] - srgb_to_linear(values[2:])).max() < 1e-6
    assert np.abs([encode(v) for v in light] - values).max() < 1e-5
    random = np.random.default_rng(0)
    alpha = random.random((9, 7, 1)).astype(np.float32)
    alpha[0] = 0.0
    color = np.concatenate([random.random((9, 7, 3)) * alpha, alpha], axis=2).astype(np.float32)
    linear = to_linear(color)
    safe = np.maximum(alpha, 1e-9)
    expected = srgb_to_linear(color[..., :3] / safe) * alpha
    assert np.abs(linear[..., :3] - expected).max() < 1e-5
    assert np.array_equal(linear[..., 3:], alpha)
    assert np.abs(to_display(linear) - color).max() < 1e-5
    assert to_bytes(np.array([[[-1, 0.5, 2.0, 1.0]]], "f4")).tolist() == [[[0, 128, 255, 255]]]


def test_blocks_average_as_light() -> None:
    color = np.zeros((4, 6, 4), np.float32)
    color[..., 3] = 1.0
    color[:2, :2, :3] = [[[0.0], [1.0]], [[1.0], [0.0]]]
    total = np.zeros((2, 3, 4), np.float32)
    add_decoded(color, total, 0.5)
    assert total[0, 0].tolist() == [0.25, 0.25, 0.25, 0.5]
    add_averaged(color, total, 0.5)
    assert total[0, 0].tolist() == pytest.approx([0.5, 0.5, 0.5, 1.0])
    # Half black, half white is 188 of 255 on a screen, not 128.
    assert to_bytes(to_display(total))[0, 0].tolist() == [188, 188, 188, 255]


def test_where_colour_is_linear_and_where_it_is_not() -> None:
    """Splats blend as display values; samples, blocks and exposure add as light."""
    # A half transparent white splat that fills the picture: display 0.5, whatever comes after.
    cloud = SplatCloud(
        np.array([[0.0, 0.0, 2.0]]), np.array([[1.0, 0, 0, 0]]), np.full((1, 3), 300.0),
        np.array([0.5]), sh_from_colors(np.ones((1, 3)))[:, None, :],
    )  # fmt: skip
    draw = drawing(get_rasterizer("cpu"), Document.of([cloud], ["veil"]))
    shot = Shot(forward((16, 12)))
    assert draw(shot.camera, ("color",)).color[6, 8, 0] == pytest.approx(0.5, abs=1e-3)
    for filming in (Filming(), Filming(sampling=Sampling(supersample=2))):
        frame = run(shoot(draw, shot, filming, ("color", "linear")))
        assert frame.color[6, 8, 0] == pytest.approx(0.5, abs=1e-3)
        assert frame.linear[6, 8, 0] == pytest.approx(0.2140, abs=1e-3)
    brighter = run(shoot(draw, shot, Filming(grade=Grade(exposure=1.0)), ("color", "linear")))
    assert brighter.linear[6, 8, 0] == pytest.approx(0.4281, abs=2e-3)
    assert brighter.color[6, 8, 0] == pytest.approx(0.6857, abs=2e-3)


def half_and_half(camera: Camera, outputs: tuple[str, ...], time: float | None) -> object:
    """White for cameras moved to the right, black for the others."""
    white = float(camera.position[0] > 0)
    color = np.full((camera.height, camera.width, 4), white, np.float32)
    color[..., 3] = 1.0
    yield
    return Frame(color=color)


def test_samples_average_as_light() -> None:
    sampling = Sampling(samples=16, dof=DepthOfField(2.8, 3.0, sensor_height=1.0))
    light = run(accumulate(half_and_half, Shot(forward((4, 3))), sampling))
    share = sum(c.position[0] > 0 for c in sample_cameras(Shot(forward((4, 3))), sampling)) / 16
    assert 0.3 < share < 0.7
    assert np.allclose(light[..., :3], share)
    assert encode(np.float32(light[0, 0, 0])) > 0.65


def spread(picture: np.ndarray, around: tuple[float, float], reach: float) -> np.ndarray:
    """Variance of light in x and y around a pixel."""
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]] + 0.5
    near = np.hypot(x - around[0], y - around[1]) < reach
    weight = np.where(near, picture, 0.0)
    mean = [(v * weight).sum() / weight.sum() for v in (x, y)]
    return np.array(
        [(weight * (v - m) ** 2).sum() / weight.sum() for v, m in zip((x, y), mean, strict=True)]
    )


def test_the_circle_of_confusion_is_that_of_a_thin_lens() -> None:
    """Focused at 3, points at 3, 2 and 6: the disc is opening x f x |1/3 - 1/z| across."""
    camera = forward((240, 160))
    dof = DepthOfField(2.0, 3.0, sensor_height=0.5)
    depths = np.array([3.0, 2.0, 6.0])
    at = np.array([[60.0, 80.0], [120.0, 80.0], [190.0, 80.0]])
    points = [
        ((x - camera.cx) / camera.fx * z, (y - camera.cy) / camera.fy * z, z)
        for (x, y), z in zip(at, depths, strict=True)
    ]
    draw = drawing(get_rasterizer("cpu"), dots_at(points, 0.012))
    shot = Shot(camera)

    def light(sampling: Sampling) -> np.ndarray:
        return run(shoot(draw, shot, Filming(sampling=sampling), ("linear",))).linear[..., 0]

    sharp = light(Sampling())
    blurred = light(Sampling(samples=200, dof=dof))
    opening = camera.fy / camera.height * 0.5 / 2.0
    assert dof.opening(camera) == pytest.approx(opening)
    for (x, y), z in zip(at, depths, strict=True):
        grown = spread(blurred, (x, y), 28) - spread(sharp, (x, y), 28)
        diameter = opening * camera.fx * abs(1 / 3.0 - 1 / z)
        # A uniform disc has variance d^2 / 16 along each axis.
        assert np.abs(grown - diameter**2 / 16).max() < 0.04 * diameter**2 / 16 + 0.05, z
    # Hardly any light is lost by blurring.
    assert 0.93 < blurred.sum() / sharp.sum() < 1.07


def test_few_samples_blur_as_smoothly_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    points = random.uniform((-1, -0.7, 4.5), (1, 0.7, 6), (400, 3))
    draw = drawing(get_rasterizer("cpu"), dots_at(points, 0.02))
    lens = DepthOfField(2.0, 2.5, sensor_height=0.3)

    def light(samples: int) -> np.ndarray:
        filming = Filming(sampling=Sampling(samples=samples, dof=lens))
        return run(shoot(draw, Shot(forward()), filming, ("linear",))).linear[..., 0]

    def grain(picture: np.ndarray) -> float:
        """How rough it is from pixel to pixel."""
        return float(np.abs(4 * picture[1:-1, 1:-1] - picture[2:, 1:-1] - picture[:-2, 1:-1]
                            - picture[1:-1, 2:] - picture[1:-1, :-2]).mean())  # fmt: skip

    few, many = light(16), light(600)
    monkeypatch.setattr(accumulate_module, "_FEWEST_SOFT", 10_000)
    grainy = light(16)
    assert grain(grainy) > 2.0 * grain(many)
    assert grain(few) < 1.5 * grain(many)
    # And about as bright; lone dots on black are the worst case.
    assert 0.8 < few.mean() / many.mean() < 1.2


def test_softening_widens_and_thins_what_is_out_of_focus() -> None:
    camera = forward()
    lens = DepthOfField(2.0, 3.0, sensor_height=0.5)
    cloud = dots_at([(0, 0, 3.0), (0, 0, 6.0), (0, 0, -1.0)], 0.01).nodes[0].content
    faint = replace(cloud, opacities=np.full(3, 0.02, np.float32))
    for given in (cloud, faint):
        soft = Softening(camera, lens, 16).applied(given)
        assert soft.scales[0] == pytest.approx(given.scales[0])
        assert soft.opacities[0] == pytest.approx(given.opacities[0])
        sigma = 0.35 * lens.opening(camera) * abs(6.0 / 3.0 - 1.0) / 4.0
        assert soft.scales[1] == pytest.approx(np.hypot(0.01, sigma), rel=1e-5)
        wider = (soft.scales[1, 0] / 0.01) ** 2
        kept = soft.opacities[1] * wider / given.opacities[1]
        assert kept == pytest.approx(1.0, abs=0.02) if given is faint else 1.2 < kept < 1.8
        assert np.isfinite(soft.scales).all()
    # A surface of four layers, each as many times denser as it is wider, still hides.
    soft = Softening(camera, lens, 16).applied(cloud)
    layers = 4 * (soft.scales[1, 0] / 0.01) ** 2
    assert (1 - soft.opacities[1]) ** layers < 0.01


def test_focus_on_a_point_follows_the_camera() -> None:
    dof = DepthOfField(2.8, (1.0, 2.0, 5.0))
    assert dof.focus_depth(forward()) == pytest.approx(5.0)
    nearer = Camera.look_at((0, 0, 3), (0, 0, 4))
    assert dof.focus_depth(nearer) == pytest.approx(2.0)
    with pytest.raises(UsageError, match="behind"):
        dof.focus_depth(Camera.look_at((0, 0, 6), (0, 0, 7)))


@pytest.mark.parametrize("unit", [0.01, 1.0, 300.0])
def test_without_a_sensor_the_scale_of_a_scene_does_not_matter(unit: float) -> None:
    """What is twice as far as the focus blurs to the same disc, which can be seen."""
    camera = Camera.look_at((0, 0, -3 * unit), (0, 0, 0), fov=40, size=(400, 300))
    lens = DepthOfField(2.8, (0.0, 0.0, 0.0))
    disc = lens.opening(camera) * camera.fy * (1 / (3 * unit) - 1 / (6 * unit))
    assert disc == pytest.approx(0.04 / 2.8 * (camera.fy / 300) * camera.fy / 2)
    assert disc > 0.01 * camera.height
    # 24 mm behind the lens and 0.6 m before it are the same share.
    near = Camera.look_at((0, 0, -0.6), (0, 0, 0), fov=40, size=(400, 300))
    free, full_frame = DepthOfField(2.8, 0.6), DepthOfField(2.8, 0.6, sensor_height=0.024)
    assert free.opening(near) == pytest.approx(full_frame.opening(near))


def test_motion_blur_is_as_long_as_the_shutter_is_open() -> None:
    """Sliding by 20 pixels a frame, half a frame long: 10 pixels, centred on the moment."""
    camera = forward((200, 100))
    z, step = 4.0, 20.0
    draw = drawing(get_rasterizer("cpu"), dots_at([(0.0, 0.0, z)], 0.006))
    cameras = [
        Camera.look_at((x, 0, 0), (x, 0, 1), size=(200, 100), fov=40)
        for x in np.arange(3) * step * z / camera.fx
    ]
    for index, shot in enumerate(shots(cameras)):
        sampling = Sampling(samples=150, shutter=0.5, seed=index)
        filming = Filming(sampling=sampling)
        sharp = run(shoot(draw, shot, Filming(), ("linear",))).linear[..., 0]
        light = run(shoot(draw, shot, filming, ("linear",))).linear[..., 0]
        center = 100.0 - step * index
        grown = spread(light, (center, 50), 25) - spread(sharp, (center, 50), 25)
        # A uniform line of length L has variance L^2 / 12.
        assert grown[0] == pytest.approx(10.0**2 / 12, rel=0.03), index
        assert abs(grown[1]) < 0.05
        x = np.arange(200) + 0.5
        assert (light.sum(axis=0) * x).sum() / light.sum() == pytest.approx(center, abs=0.1)


def test_a_turning_camera_blurs_along_its_circle() -> None:
    first = Camera.look_at((0, 0, -4), (0, 0, 0))
    cameras = orbit(first, (0, 0, 0), (0, -1, 0), np.arange(12) * 30.0)
    for loop in (True, False):
        for i, shot in enumerate(shots(cameras, loop=loop)):
            between = shot.at([-0.5, 0.0, 0.5])
            assert np.allclose(between[1].viewmat, cameras[i].viewmat)
            for camera in between:
                assert np.linalg.norm(camera.position) == pytest.approx(4.0, rel=0.03)
            turn = np.degrees(np.arccos(np.clip(between[0].forward @ between[2].forward, -1, 1)))
            assert turn == pytest.approx(30.0, abs=1.0)
    assert [s.camera for s in shots(cameras[:1])] == cameras[:1]
    resting = shots(cameras[:1])[0].at([-0.5, 0.5])
    assert resting[0] is resting[1] is cameras[0]


def test_samples_are_spread_evenly_and_come_from_the_seed() -> None:
    points = lens_points(500, 3)
    radius = np.linalg.norm(points, axis=1)
    assert radius.max() <= 1.01
    # Even over the disc: the square of the radius is uniform.
    assert np.abs(np.quantile(radius**2, [0.25, 0.5, 0.75]) - [0.25, 0.5, 0.75]).max() < 0.02
    assert np.abs(points.mean(axis=0)).max() < 1e-12
    nearest = np.sort(np.linalg.norm(points[:, None] - points[None], axis=2), axis=1)[:, 1]
    assert nearest.min() > 0.5 / np.sqrt(500)
    times = shutter_times(64, 3)
    assert np.array_equal(np.sort(np.floor((times + 0.5) * 64)), np.arange(64))
    assert np.array_equal(points, lens_points(500, 3))
    assert np.array_equal(times, shutter_times(64, 3))
    assert not np.array_equal(points, lens_points(500, 4))
    assert not np.array_equal(times, shutter_times(64, 4))
    # A lens point says nothing about its moment.
    both = np.corrcoef(shutter_times(200, 0), np.hypot(*lens_points(200, 0).T))[0, 1]
    assert abs(both) < 0.2


def test_the_same_settings_give_the_same_picture() -> None:
    random = np.random.default_rng(1)
    points = random.normal(size=(300, 3)) * 0.5 + (0, 0, 3)
    draw = drawing(get_rasterizer("cpu"), dots_at(points, 0.05))
    shot = shots([forward((64, 48)), Camera.look_at((0.2, 0, 0), (0.2, 0, 1), size=(64, 48))])[0]

    def picture(seed: int) -> np.ndarray:
        lens = DepthOfField(1.4, 3.0, sensor_height=0.2)
        sampling = Sampling(supersample=2, samples=6, dof=lens, shutter=0.5, seed=seed)
        return run(shoot(draw, shot, Filming(sampling=sampling), ("color",))).color

    assert np.array_equal(picture(0), picture(0))
    assert not np.array_equal(picture(0), picture(1))


def test_supersampling_averages_a_finer_picture() -> None:
    random = np.random.default_rng(2)
    points = random.normal(size=(200, 3)) * 0.5 + (0, 0, 3)
    draw = drawing(get_rasterizer("cpu"), dots_at(points, 0.03), background=None)
    camera = forward((40, 30))
    for times in (2, 3, 4):
        sampling = Sampling(supersample=times)
        light = run(
            shoot(draw, Shot(camera), Filming(sampling=sampling), ("linear",), opaque=False)
        ).linear
        fine = to_linear(draw(camera.resized(40 * times, 30 * times), ("color",)).color)
        blocks = fine.reshape(30, times, 40, times, 4).mean(axis=(1, 3))
        assert np.abs(light - blocks).max() < 1e-5
        assert light[..., 3].min() < 0.01


def test_depth_is_that_of_the_middle_of_the_lens() -> None:
    draw = drawing(get_rasterizer("cpu"), dots_at([(0, 0, 3.0)], 0.3))
    lens = Sampling(samples=4, dof=DepthOfField(1.0, 1.0, sensor_height=1.0))
    outputs = ("color", "depth", "normals")
    frame = run(shoot(draw, Shot(forward((32, 24))), Filming(sampling=lens), outputs))
    sharp = draw(forward((32, 24)), ("depth",))
    assert np.array_equal(frame.expected_depth, sharp.expected_depth)
    assert np.array_equal(frame.ids, sharp.ids)
    length = np.linalg.norm(frame.normals, axis=-1)
    assert np.abs(length[frame.ids >= 0] - 1.0).max() < 1e-5
    assert (frame.normals[frame.ids >= 0] @ [0, 0, 1.0] <= 0).all()


def test_a_shot_without_effects_is_the_rasterizers_own() -> None:
    draw = drawing(get_rasterizer("cpu"), dots_at([(0, 0, 3.0)], 0.3))
    frame = run(shoot(draw, Shot(forward((32, 24))), Filming(), ("rgba8", "color")))
    plain = draw(forward((32, 24)), ("rgba8", "color"))
    assert np.array_equal(frame.rgba8, plain.rgba8)
    assert np.array_equal(frame.color, plain.color)
    assert run(shoot(draw, Shot(forward((32, 24))), Filming(), ("linear",))).rgba8 is None


def test_impossible_settings_are_told() -> None:
    cases = [
        (lambda: DepthOfField(0.0, 1.0), "f/0"),
        (lambda: DepthOfField(float("nan"), 1.0), "f/nan"),
        (lambda: DepthOfField(2.8, 0.0), "focus distance of 0"),
        (lambda: DepthOfField(2.8, 1e31), "focus distance of 1e\\+31"),
        (lambda: DepthOfField(2.8, (1e300, 0.0, 0.0)), "point in focus must be three numbers"),
        (lambda: DepthOfField(2.8, (0.0, 1.0, float("inf"))), "three numbers"),
        (lambda: DepthOfField(2.8, 1.0, sensor_height=-1), "sensor"),
        (lambda: Sampling(supersample=5), "1, 2, 3 or 4"),
        (lambda: Sampling(samples=0), "0 samples"),
        (lambda: Sampling(shutter=-0.5), "-0.5"),
        (lambda: Sampling(shutter=float("nan")), "nan"),
        (lambda: Sampling(seed=-1), "seed"),
    ]
    for make, words in cases:
        with pytest.raises(UsageError, match=words):
            make()
    flat = Camera.orthographic((0, 0, -1), (0, 0, 0), height_in_world=1, size=(8, 8))
    with pytest.raises(UsageError, match="parallel"):
        sample_cameras(Shot(flat), Sampling(dof=DepthOfField(2.8, 1.0)))
    large = forward((8192, 4096))
    with pytest.raises(UsageError, match="too large"):
        run(accumulate(half_and_half, Shot(large), Sampling(supersample=4)))
