"""Camera paths: exact circles, splines through their keys, frame ranges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.render.paths import (
    dolly,
    dolly_zoom,
    ease,
    handheld,
    orbit,
    select_frames,
    spline,
    turntable,
)
from tests.engine.chance import assert_normal, scores_of_mean

TARGET = np.array([0.3, -0.2, 0.5])
UP = np.array([0.0, -1.0, 0.0])


def start() -> Camera:
    return Camera.look_at((2.0, -1.0, 0.5), TARGET, UP, size=(64, 48))


def keys(count: int = 5, seed: int = 0) -> list[Camera]:
    rng = np.random.default_rng(seed)
    return [
        Camera.look_at(rng.normal(size=3) * 3 + 5, rng.normal(size=3) * 0.3, UP,
                       fov=float(rng.uniform(20, 70)), size=(64, 48))
        for _ in range(count)
    ]  # fmt: skip


def apart(a: Camera, b: Camera) -> float:
    return float(np.abs(a.viewmat - b.viewmat).max())


def test_an_orbit_is_an_exact_circle() -> None:
    first = start()
    cameras = orbit(first, TARGET, UP, np.linspace(0, 360, 25))
    assert apart(cameras[0], first) == 0.0
    assert apart(cameras[-1], first) < 1e-12
    to_target = [TARGET - camera.position for camera in cameras]
    assert np.ptp([np.linalg.norm(v) for v in to_target]) < 1e-12
    assert np.ptp([camera.position @ UP for camera in cameras]) < 1e-12
    for camera, way in zip(cameras, to_target, strict=True):
        assert np.abs(camera.forward - way / np.linalg.norm(way)).max() < 1e-12
        assert np.abs(camera.viewmat[:3, :3] @ camera.viewmat[:3, :3].T - np.eye(3)).max() < 1e-12


def test_the_camera_turns_counter_clockwise_seen_from_the_tip_of_up() -> None:
    first = Camera.look_at((1.0, 0.0, 0.0), (0, 0, 0), (0, 0, 1))
    (turned,) = orbit(first, (0, 0, 0), (0, 0, 1), [90.0])
    assert np.abs(turned.position - (0.0, 1.0, 0.0)).max() < 1e-12


def test_an_off_axis_view_keeps_its_relation_to_the_target() -> None:
    first = Camera.look_at((2.0, -1.0, 0.5), TARGET + 0.4, UP)
    in_view = first.viewmat[:3, :3] @ TARGET + first.viewmat[:3, 3]
    for camera in orbit(first, TARGET, UP, [10.0, 123.0, -77.0]):
        here = camera.viewmat[:3, :3] @ TARGET + camera.viewmat[:3, 3]
        assert np.abs(here - in_view).max() < 1e-12


def test_a_turntable_loops_without_a_double_frame() -> None:
    cameras = turntable(start(), TARGET, UP, 12)
    assert len(cameras) == 12
    (next_one,) = orbit(cameras[-1], TARGET, UP, [30.0])
    assert apart(next_one, cameras[0]) < 1e-12
    half = turntable(start(), TARGET, UP, 4, degrees=180)
    assert apart(half[2], orbit(start(), TARGET, UP, [90.0])[0]) < 1e-12


@pytest.mark.parametrize(
    "arguments",
    [
        (TARGET, (0, 0, 0), 3),
        ((np.nan, 0, 0), UP, 3),
        (TARGET, (np.inf, 0, 0), 3),
        (TARGET, UP, 0),
        ((0, 0), UP, 2),
    ],
)
def test_impossible_turntables_are_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(UsageError):
        turntable(start(), *arguments)


def test_a_spline_goes_through_its_keys() -> None:
    cameras, times = keys(), [0.0, 1.0, 1.5, 4.0, 5.0]
    for made, key in zip(spline(cameras, times, times), cameras, strict=True):
        assert apart(made, key) < 1e-9
        assert made.fx == pytest.approx(key.fx)
    for made in spline(cameras, times, np.linspace(-1, 6, 50)):
        rotation = made.viewmat[:3, :3]
        assert np.abs(rotation @ rotation.T - np.eye(3)).max() < 1e-9
        assert np.linalg.det(rotation) > 0


def test_before_and_after_the_keys_a_path_rests() -> None:
    cameras = keys(3)
    before, after = spline(cameras, [0, 1, 2], [-5, 9])
    assert apart(before, cameras[0]) < 1e-9
    assert apart(after, cameras[2]) < 1e-9
    (alone,) = spline(cameras[:1], [3.0], [7.0])
    assert apart(alone, cameras[0]) < 1e-9


def test_zoom_is_geometric_and_the_middle_of_a_turn_is_half_of_it() -> None:
    a = Camera.look_at((0, 0, 0), (0, 0, 1), UP, fov=20.0)
    b = Camera.look_at((0, 0, 0), (1, 0, 0), UP, fov=60.0)
    (middle,) = spline([a, b], [0, 3], [1.5])
    assert np.degrees(np.arccos(middle.forward @ a.forward)) == pytest.approx(45.0)
    assert middle.fy == pytest.approx(np.sqrt(a.fy * b.fy))


def test_a_spline_has_no_corners_and_smoothness_0_stops_at_keys() -> None:
    cameras, times = keys(5, 3), np.array([0.0, 1.0, 2.5, 3.0, 4.0])
    step = 1e-4
    for smoothness in (1.0, 0.5, 0.0):
        around = np.concatenate([times[1:-1] - step, times[1:-1], times[1:-1] + step])
        made = spline(cameras, times, around, smoothness=smoothness)
        positions = np.array([camera.position for camera in made]).reshape(3, 3, 3)
        turns = np.array([camera.viewmat[:3, :3] for camera in made]).reshape(3, 3, 9)
        for values in (positions, turns):
            left, right = (values[1] - values[0]) / step, (values[2] - values[1]) / step
            assert np.abs(left - right).max() < 0.02
            if smoothness == 0.0:
                assert np.abs(left).max() < 0.02
    slope = (cameras[2].position - cameras[0].position) / 2.5
    here, there = spline(cameras, times, [1.0, 1.0 + step])
    assert np.abs((there.position - here.position) / step - slope).max() < 0.02


def test_a_closed_path_has_no_seam() -> None:
    cameras = turntable(start(), TARGET, UP, 5)
    times, step = np.arange(5.0), 1e-4
    end, begin, after = spline(cameras, times, [5.0 - step, 0.0, step], loop=5.0)
    for part in (np.s_[:3, :3], np.s_[:3, 3]):
        left = (begin.viewmat[part] - end.viewmat[part]) / step
        right = (after.viewmat[part] - begin.viewmat[part]) / step
        assert np.abs(left - right).max() < 0.02
        assert np.abs(right).max() > 0.1
    # Around a circle the curve stays close to the circle.
    away = [np.linalg.norm(c.position - TARGET)
            for c in spline(cameras, times, np.linspace(0, 5, 60), loop=5.0)]  # fmt: skip
    assert np.ptp(away) < 0.1


@pytest.mark.parametrize(
    ("cameras", "times"),
    [
        ([], []),
        (keys(2), [0.0]),
        (keys(2), [1.0, 1.0]),
        (keys(2), [0.0, np.nan]),
        ([start(), start().resized(32, 32)], [0.0, 1.0]),
    ],
)
def test_impossible_keys_are_refused(cameras: list[Camera], times: list[float]) -> None:
    with pytest.raises(UsageError):
        spline(cameras, times, [0.5])


@given(
    st.one_of(st.none(), st.integers(-12, 12)),
    st.one_of(st.none(), st.integers(-12, 12)),
    st.one_of(st.none(), st.integers(-3, 3).filter(bool)),
)
def test_frame_ranges_are_pythons(a: int | None, b: int | None, step: int | None) -> None:
    text = ":".join("" if part is None else str(part) for part in (a, b, step))
    expected = list(range(10))[a:b:step]
    if expected:
        assert list(select_frames(text, 10)) == expected
    else:
        with pytest.raises(UsageError, match="pick nothing of 10 frames"):
            select_frames(text, 10)


def test_single_frames_and_bad_ranges() -> None:
    assert list(select_frames("7", 10)) == [7]
    assert list(select_frames("-1", 10)) == [9]
    for bad in ("", "a", "1:2:3:4", "1:2:0", "10", "-11", "1.5"):
        with pytest.raises(UsageError):
            select_frames(bad, 10)


def test_a_dolly_keeps_its_direction_and_ends_at_its_share() -> None:
    camera = Camera.look_at((0, -1, -4), (0.5, 0, 0), fov=40)
    target = np.array([0.2, 0.1, 0.3])
    moved = dolly(camera, target, 0.25, [0.0, 0.5, 1.0])
    assert np.allclose(moved[0].viewmat, camera.viewmat)
    distance = [np.linalg.norm(target - c.position) for c in moved]
    assert distance[2] == pytest.approx(0.25 * distance[0])
    assert distance[1] == pytest.approx((distance[0] + distance[2]) / 2)
    for c in moved:
        assert np.array_equal(c.viewmat[:3, :3], camera.viewmat[:3, :3])
        assert c.fx == camera.fx
    for bad in (0.0, -1.0, float("nan")):
        with pytest.raises(UsageError, match="dolly"):
            dolly(camera, target, bad, [0.0])


def test_a_dolly_zoom_keeps_the_target_where_it_is() -> None:
    camera = Camera.look_at((0, -1, -4), (0.5, 0, 0), fov=60, size=(320, 200))
    target = np.array([0.4, -0.2, 0.1])
    # All in the target's plane stays, what is behind grows as the lens gets longer.
    plane = [target, target + 0.7 * camera.viewmat[0, :3], target - 0.4 * camera.viewmat[1, :3]]
    far = target + 5 * camera.forward

    def at(c: Camera, point: np.ndarray) -> np.ndarray:
        x, y, z = c.viewmat[:3, :3] @ point + c.viewmat[:3, 3]
        return np.array([c.fx * x / z + c.cx, c.fy * y / z + c.cy])

    moved = dolly_zoom(camera, target, 20.0, np.linspace(0, 1, 5))
    assert moved[-1].fov == pytest.approx(20.0)
    for c in moved:
        for point in plane:
            assert at(c, point) == pytest.approx(at(camera, point), abs=1e-6)
    spread = [np.linalg.norm(at(c, far) - at(c, far + camera.viewmat[0, :3])) for c in moved]
    assert (np.diff(spread) > 0).all()
    behind = Camera.look_at((0, 0, 4), (0, 0, 8))
    with pytest.raises(UsageError, match="in front"):
        dolly_zoom(behind, (0, 0, 0), 20.0, [1.0])
    with pytest.raises(UsageError, match="200"):
        dolly_zoom(camera, target, 200.0, [1.0])
    flat = Camera.orthographic((0, 0, -1), (0, 0, 0), height_in_world=1)
    with pytest.raises(UsageError, match="--ortho"):
        dolly_zoom(flat, target, 20.0, [1.0])


def test_easing_starts_and_stops_softly() -> None:
    u = np.linspace(-0.2, 1.2, 141)
    eased = ease(u)
    assert eased[0] == 0.0
    assert eased[-1] == 1.0
    assert eased[70] == pytest.approx(0.5)
    assert (np.diff(eased) >= 0).all()
    assert np.diff(eased)[[20, 119]].max() < 1e-4


def test_a_hand_sways_by_its_root_mean_square_around_where_it_is_held() -> None:
    steady = Camera.look_at((0, 0, -4), (0, 0, 0))
    times = np.arange(0.0, 100.0, 0.25)
    squares, means = [], []
    for seed in range(30):
        moved = handheld([steady] * len(times), times, seed=seed, degrees=0.5)
        angles = np.degrees(np.arcsin([c.forward[:2] for c in moved]))
        squares.append((angles**2).mean(axis=0))
        means.append(angles.mean(axis=0))
    assert_normal([scores_of_mean(squares, 0.25), scores_of_mean(means, 0.0)])


def test_a_hand_sways_smoothly_and_from_its_seed() -> None:
    steady = Camera.look_at((0, 0, -4), (0, 0, 0))
    times = np.arange(6000) / 24.0
    moved = handheld([steady] * len(times), times, seed=3, degrees=0.5, distance=4.0)
    forward = np.array([c.forward for c in moved])
    angles = np.degrees(np.arcsin(forward[:, :2]))
    # No jumps: a 24th of a second later it is nearly there still.
    assert np.abs(np.diff(angles, axis=0)).max() < 0.5
    shift = np.array([c.position for c in moved]) - steady.position
    assert 0.003 < np.sqrt((shift[:, :2] ** 2).mean()) < 0.03
    for c in moved[:50]:
        assert np.allclose(c.viewmat[:3, :3] @ c.viewmat[:3, :3].T, np.eye(3), atol=1e-12)
    same = handheld([steady] * 9, times[100:109], seed=3, degrees=0.5, distance=4.0)
    for a, b in zip(same, moved[100:109], strict=True):
        assert np.array_equal(a.viewmat, b.viewmat), "a moment's sway depends on time alone"
    other = handheld([steady] * 9, times[100:109], seed=4, degrees=0.5, distance=4.0)
    assert not np.allclose(other[0].viewmat, moved[100].viewmat)
    still = handheld([steady], [1.0], seed=3, degrees=0.0)[0]
    assert np.allclose(still.viewmat, steady.viewmat)
    for fields in ({"degrees": -1}, {"degrees": 90}, {"seed": -1}, {"distance": np.inf}):
        with pytest.raises(UsageError):
            handheld([steady], [0.0], **fields)
    with pytest.raises(UsageError, match="one time"):
        handheld([steady], [0.0, 1.0])
