"""The timeline: keys, curves between them, ends, and properties by path."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.modifiers import Grade
from polyorama.scene.placement import euler_degrees, euler_matrix, matrix_of, placement_of
from polyorama.scene.properties_of import (
    animated_paths,
    at_time,
    get_property,
    parameter_at,
    set_property,
)
from polyorama.scene.rigs import rig_camera, rig_of_camera, view_camera
from polyorama.scene.timeline import Key, Timeline, Track
from tests.engine.splat_samples import sample_cloud


def curve(interpolation: str, **more: float) -> Track:
    values = (0.0, 2.0, 1.0, 5.0)
    times = (0.0, 1.0, 3.0, 4.0)
    return Track(
        tuple(Key(t, (v,), interpolation, **more) for t, v in zip(times, values, strict=True))
    )


@pytest.mark.parametrize("interpolation", ["constant", "linear", "bezier", "smooth"])
def test_a_track_passes_its_keys(interpolation: str) -> None:
    track = curve(interpolation)
    for key in track.keys:
        assert track.at(key.time) == pytest.approx(key.value, abs=1e-12)


def test_smooth_is_the_cubic_hermite_of_the_reference() -> None:
    track = curve("smooth", smoothness=0.7)
    # Tangents by hand: smoothness (p[i+1] - p[i-1]) / (t[i+1] - t[i-1]).
    m1, m2 = 0.7 * (1.0 - 0.0) / 3.0, 0.7 * (5.0 - 2.0) / 3.0
    u, span = 0.25, 2.0
    basis = (2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, 3 * u**2 - 2 * u**3, u**3 - u**2)
    by_hand = basis[0] * 2.0 + basis[1] * m1 * span + basis[2] * 1.0 + basis[3] * m2 * span
    assert track.at(1.5)[0] == pytest.approx(by_hand, abs=1e-14)


def test_smoothness_zero_rests_at_every_key() -> None:
    track = curve("smooth", smoothness=0.0)
    for key in track.keys[1:-1]:
        before, after = track.at(key.time - 1e-5)[0], track.at(key.time + 1e-5)[0]
        assert abs(after - before) / 2e-5 < 1e-3


def test_bezier_runs_along_its_handles() -> None:
    # Both handles on the straight line between the keys: the curve is that line.
    straight = Track(
        (
            Key(0.0, (1.0,), "bezier", after=(0.5, 1.0)),
            Key(2.0, (5.0,), "bezier", before=(-0.5, -1.0)),
        )
    )
    for time in np.linspace(0.0, 2.0, 17):
        assert straight.at(float(time))[0] == pytest.approx(1.0 + 2.0 * time, abs=1e-9)
    eased = Track((Key(0.0, (0.0,), "bezier"), Key(3.0, (1.0,), "bezier")))
    assert eased.at(1.5)[0] == pytest.approx(0.5, abs=1e-9)
    assert eased.at(0.3)[0] < 0.1


def test_ends_hold_loop_and_go_back() -> None:
    keys = (Key(1.0, (0.0,), "linear"), Key(3.0, (1.0,), "linear"))
    assert Track(keys).at(9.0) == (1.0,)
    assert Track(keys).at(0.0) == (0.0,)
    assert Track(keys, "loop").at(3.5)[0] == pytest.approx(0.25)
    assert Track(keys, "ping-pong").at(3.5)[0] == pytest.approx(0.75)
    assert Track(keys, "ping-pong").at(0.5)[0] == pytest.approx(0.25)


def test_a_closed_loop_has_no_kink_at_its_seam() -> None:
    keys = tuple(Key(float(t), (math.sin(t * math.pi / 2),), "smooth") for t in range(4))
    track = Track((*keys, Key(4.0, keys[0].value, "smooth")), "loop")
    slope_in = (track.at(4.0)[0] - track.at(4.0 - 1e-6)[0]) / 1e-6
    slope_out = (track.at(4.0 + 1e-6)[0] - track.at(4.0)[0]) / 1e-6
    assert slope_in == pytest.approx(slope_out, rel=1e-3)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ((), "at least one"),
        ((Key(0.0, (1.0,)), Key(0.0, (2.0,))), "same time"),
        ((Key(0.0, (1.0,)), Key(1.0, (2.0, 3.0))), "as many components"),
    ],
)
def test_keys_that_make_no_track(keys: tuple[Key, ...], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Track(keys)


def test_placements_go_there_and_back() -> None:
    random = np.random.default_rng(3)
    for _ in range(200):
        degrees = random.uniform((-180, -89, -180), (180, 89, 180))
        assert euler_degrees(euler_matrix(degrees)) == pytest.approx(tuple(degrees), abs=1e-8)
        matrix = matrix_of(random.normal(size=3), degrees, random.uniform(0.1, 3.0, 3))
        assert np.allclose(matrix_of(*placement_of(matrix)), matrix, atol=1e-9)
    steep = euler_matrix((20.0, 90.0, 50.0))
    assert np.allclose(euler_matrix(euler_degrees(steep)), steep, atol=1e-9)
    mirrored = np.diag([1.0, -2.0, 1.0, 1.0])
    assert np.allclose(matrix_of(*placement_of(mirrored)), mirrored, atol=1e-9)


def a_scene() -> Document:
    plant = Node("plant", sample_cloud(50), id="plant", modifiers=(Grade(id="look"),))
    camera = Node("camera", CameraRig(kind="orbit"), id="camera")
    return Document((plant, camera))


def test_every_property_can_be_read_set_and_keyed() -> None:
    camera = Camera.look_at((0, 0, -4), (0, 0, 0))
    document = Document(a_scene().nodes, camera)
    for path in animated_paths(document):
        parameter = parameter_at(document, path)
        value = get_property(document, path)
        again = get_property(set_property(document, path, value), path)
        assert again == pytest.approx(value, abs=1e-9)
        assert parameter.animated


def test_at_time_puts_every_track_in_place() -> None:
    document = a_scene()
    tracks = {
        "plant/translation": Track((Key(0.0, (0, 0, 0), "linear"), Key(2.0, (4, 0, 2), "linear"))),
        "plant/look/exposure": Track((Key(0.0, (0.0,), "linear"), Key(2.0, (2.0,), "linear"))),
        "plant/visible": Track((Key(0.0, (1.0,), "constant"), Key(1.5, (0.0,), "constant"))),
        "camera/azimuth": Track((Key(0.0, (0.0,), "linear"), Key(2.0, (90.0,), "linear"))),
        "document/background": Track((Key(0.0, (0.2, 0.4, 0.6)),)),
        "gone/visible": Track((Key(0.0, (1.0,)),)),
    }
    document = Document(document.nodes, timeline=Timeline(tracks=tracks))
    there = at_time(document, 1.0)
    assert get_property(there, "plant/translation") == pytest.approx((2.0, 0.0, 1.0))
    assert get_property(there, "plant/look/exposure") == pytest.approx(1.0)
    assert get_property(there, "plant/visible") is True
    assert get_property(at_time(document, 1.6), "plant/visible") is False
    assert get_property(there, "camera/azimuth") == pytest.approx(45.0)
    assert there.background == pytest.approx((0.2, 0.4, 0.6))
    assert at_time(document, 1.0).node("plant").content is document.node("plant").content


def test_overshooting_curves_stay_within_bounds() -> None:
    track = Track((Key(0.0, (0.9,)), Key(1.0, (1.0,)), Key(1.1, (0.0,))))
    document = Document(a_scene().nodes, timeline=Timeline(tracks={"plant/look/strength": track}))
    for time in np.linspace(0.0, 1.1, 60):
        assert 0.0 <= at_time(document, float(time)).node("plant").modifiers[0].strength <= 1.0


def test_an_orbit_is_an_exact_circle() -> None:
    document = a_scene()
    rig = CameraRig(kind="orbit", target=(1.0, 0.5, 2.0), distance=4.0, elevation=30.0)
    eyes = []
    for azimuth in range(0, 360, 15):
        node = Node("c", CameraRig(**{**_fields(rig), "azimuth": float(azimuth)}), id="c")
        camera = rig_camera(Document((*document.nodes, node)), "c", (64, 48))
        eyes.append(camera.position)
        assert np.linalg.norm(camera.position - (1.0, 0.5, 2.0)) == pytest.approx(4.0, abs=1e-9)
        toward = camera.viewmat[:3, :3] @ (np.array((1.0, 0.5, 2.0)) - camera.position)
        assert toward == pytest.approx((0.0, 0.0, 4.0), abs=1e-9)
    heights = np.array(eyes)[:, 1]
    assert np.ptp(heights) < 1e-9


def _fields(rig: CameraRig) -> dict[str, object]:
    import dataclasses

    return {field.name: getattr(rig, field.name) for field in dataclasses.fields(rig)}


def test_a_dolly_that_holds_its_target_keeps_its_size() -> None:
    sizes = []
    for travel in (0.0, 0.2, 0.5, 0.7):
        rig = CameraRig(kind="dolly", eye=(0, 0, -4), target=(0, 0, 0), fov=20.0,
                        travel=travel, hold_size=True)  # fmt: skip
        camera = rig_camera(Document((Node("c", rig, id="c"),)), "c", (640, 480))
        distance = np.linalg.norm(camera.position)
        assert distance == pytest.approx(4.0 * (1.0 - travel))
        sizes.append(camera.fy / distance)
    assert np.ptp(sizes) < 1e-9 * sizes[0]


def test_a_follower_keeps_its_offset_and_a_node_carries_its_camera() -> None:
    cart = Node("cart", transform=matrix_of((1, 2, 3), (0, 90, 0), (1, 1, 1)), id="cart")
    riding = Node("rider", CameraRig(eye=(0, 0, -2)), parent="cart", id="rider")
    chase = Node("chase", CameraRig(kind="follow", follows="cart", eye=(0, -1, -5)), id="chase")
    document = Document((cart, riding, chase))
    assert rig_camera(document, "rider", (8, 8)).position == pytest.approx((-1.0, 2.0, 3.0))
    assert rig_camera(document, "chase", (8, 8)).position == pytest.approx((1.0, 1.0, -2.0))


def test_straight_down_and_rolled_cameras_make_pictures() -> None:
    down = CameraRig(eye=(0, -3, 0), target=(0, 0, 0))
    camera = rig_camera(Document((Node("c", down, id="c"),)), "c", (8, 8))
    assert camera.forward == pytest.approx((0.0, 1.0, 0.0))
    level, rolled = (
        rig_camera(Document((Node("c", CameraRig(roll=roll), id="c"),)), "c", (8, 8))
        for roll in (0.0, 90.0)
    )
    assert np.dot(level.viewmat[1, :3], rolled.viewmat[1, :3]) == pytest.approx(0.0, abs=1e-12)


def test_bad_rigs_say_so() -> None:
    still = Node("c", CameraRig(eye=(0, 0, 0)), id="c")
    with pytest.raises(UsageError, match="stands where it looks"):
        rig_camera(Document((still,)), "c", (8, 8))
    lost = Node("c", CameraRig(kind="follow"), id="c")
    with pytest.raises(UsageError, match="follows nothing"):
        rig_camera(Document((lost,)), "c", (8, 8))
    with pytest.raises(UsageError, match="no camera"):
        rig_camera(Document((Node("g", id="g"),)), "g", (8, 8))


def test_a_view_is_a_camera_node_or_the_saved_one() -> None:
    camera = Camera.look_at((1, -1, -3), (0, 0, 0), fov=40, size=(640, 480))
    rig = rig_of_camera(camera, np.zeros(3))
    node = Node("c", rig, id="c")
    through = view_camera(Document((node,), view_camera="c"), (640, 480))
    assert through is not None
    assert np.allclose(through.viewmat, camera.viewmat, atol=1e-9)
    assert through.fy == pytest.approx(camera.fy)
    saved = view_camera(Document(camera=camera), (320, 240))
    assert saved is not None
    assert (saved.width, saved.fov) == (320, pytest.approx(40.0))
    assert view_camera(Document(), (320, 240)) is None


def test_a_view_keeps_what_is_not_named() -> None:
    camera = Camera.look_at((1, -1, -3), (0, 0, 0), (0.3, -1, 0), fov=40, size=(640, 480), near=0.5)
    document = Document(a_scene().nodes, camera)
    same = set_property(document, "view/fov", get_property(document, "view/fov")).camera
    assert same is not None
    assert np.allclose(same.viewmat, camera.viewmat, atol=1e-12)
    assert (same.near, same.fx) == pytest.approx((camera.near, camera.fx))
    again = set_property(document, "view/eye", get_property(document, "view/eye")).camera
    assert again is not None
    assert np.allclose(again.viewmat, camera.viewmat, atol=1e-9)  # the roll too
    flat = Camera.orthographic((0, 0, -4), (0, 0, 0), height_in_world=3.0, size=(640, 480))
    moved = set_property(Document(a_scene().nodes, flat), "view/eye", (1.0, 0.0, -4.0)).camera
    assert moved is not None
    assert (moved.kind, moved.fy) == ("orthographic", flat.fy)
    down = set_property(document, "view/eye", (0.0, -9.0, 0.0))
    down = set_property(down, "view/target", (0.0, 0.0, 0.0))
    assert down.camera is not None


def test_mirrors_and_shears_survive_a_change_of_one_part() -> None:
    for scale in ((1.0, -1.0, 1.0), (-2.0, 1.0, 1.0), (-1.0, -1.0, -1.0), (2.0, 1.0, -3.0)):
        node = Node("n", transform=matrix_of((1, 2, 3), (20, 10, -30), (1, 1, 1)), id="n")
        document = set_property(Document((node,)), "n/scale", scale)
        first = document.node("n").transform
        assert get_property(document, "n/scale") == pytest.approx(scale)
        assert np.allclose(set_property(document, "n/scale", scale).node("n").transform, first)
    sheared = np.eye(4)
    sheared[0, 1] = 0.5
    document = Document((Node("n", transform=sheared, id="n"),))
    rotation = get_property(document, "n/rotation")
    kept = set_property(document, "n/rotation", rotation).node("n").transform
    assert np.allclose(kept, sheared, atol=1e-12)
    scale = get_property(document, "n/scale")
    assert np.allclose(set_property(document, "n/scale", scale).node("n").transform, sheared)
