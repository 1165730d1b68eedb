"""Several views, comparisons, layers over the picture, and looking through cameras."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from polyorama.scene.contents import CameraRig, CropVolume
from polyorama.scene.document import Node
from polyorama.scene.modifiers import Crop
from polyorama_studio.viewport.fly import FLY_KEYS
from polyorama_studio.viewport.layers.cameras import CamerasLayer
from polyorama_studio.viewport.layers.table import LAYERS
from polyorama_studio.viewport.layers.volumes import VolumesLayer, _soft_edge
from polyorama_studio.viewport.volume import Volume
from tests.gui.pointing import CTRL, LEFT, NONE, RIGHT, SHIFT, click, drag, hover, press, release

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from polyorama.scene.document import Document
    from polyorama_studio.viewport.grid import ViewGrid
    from tests.gui.fakes import FakeRasterizer

RIG = "camera11"


def document(views: ViewGrid) -> Document:
    found = views.main.session.editing.document
    assert found is not None
    return found


def still(qtbot: QtBot, views: ViewGrid) -> None:
    for pane in views.panes:
        stage = pane.stage
        qtbot.waitUntil(
            lambda stage=stage: stage.picture is not None and stage.idle, timeout=30_000
        )
        qtbot.waitUntil(lambda stage=stage: stage.is_of_now(stage.picture), timeout=30_000)
        qtbot.waitUntil(lambda stage=stage: stage.picture.request.marks is stage.marks)


def add_camera(views: ViewGrid, **values) -> None:
    rig = CameraRig(**{"kind": "free", "eye": (0.0, -0.5, -4.0), **values})
    views.main.session.editing.run("add_node", node=Node("Camera", rig, id=RIG))


# Views


def test_four_views_see_one_scene_from_four_sides(qtbot: QtBot, views: ViewGrid) -> None:
    views.arrange("four")
    still(qtbot, views)
    assert len(views.panes) == 4
    looks = {tuple(np.round(pane.stage.picture.request.camera.forward, 6)) for pane in views.panes}
    assert len(looks) == 4
    assert [pane.stage.view.orthographic for pane in views.panes] == [False, True, True, True]
    views.main.session.editing.run("select_all")
    still(qtbot, views)
    assert all(pane.stage.document is document(views) for pane in views.panes)


def test_views_move_apart_and_close(qtbot: QtBot, views: ViewGrid) -> None:
    views.arrange("two")
    still(qtbot, views)
    side = views.panes[1]
    before = views.main.stage.view
    middle = QPointF(side.width() / 2.0, side.height() / 2.0)
    drag(side, [middle, middle + QPointF(40.0, 0.0)])
    assert side.stage.view.yaw != 0.0
    assert views.main.stage.view == before
    views.arrange("one")
    assert views.panes == (views.main,)
    still(qtbot, views)


def test_tools_work_in_every_view(qtbot: QtBot, views: ViewGrid) -> None:
    views.arrange("two")
    still(qtbot, views)
    side = views.panes[1]
    views.main.toolbox.choose("rect")
    high = QPointF(side.width() / 2.0, side.height())
    drag(side, [QPointF(0.0, 0.0), high])
    xy, _ = side.space().project(document(views).nodes[0].splats.means)
    (bits,) = document(views).selection.values()
    assert set(bits.indices().tolist()) == set(np.flatnonzero(xy[:, 0] < high.x()).tolist())


def test_the_wipe_shows_the_scene_before_its_edits(
    qtbot: QtBot, views: ViewGrid, rasterizer: FakeRasterizer
) -> None:
    node = document(views).nodes[0].id
    editing = views.main.session.editing
    editing.run("add_modifier", node=node, kind="opacity", values={"factor": 0.1})
    views.compare("wipe")
    still(qtbot, views)
    before = views._before
    qtbot.waitUntil(lambda: before.picture is not None and before.idle)
    opacity = [
        stage.picture.gaussians.cloud.opacities.max() for stage in (before, views.main.stage)
    ]
    assert opacity == pytest.approx([0.9, 0.09])
    views.main.stage.set_view(views.main.stage.view.orbited(30.0, 0.0), moving=False)
    qtbot.waitUntil(lambda: before.idle and before.picture.request.view == before.view)
    assert before.view == views.main.stage.view
    at = QPointF(views.main.width() / 2.0, 300.0)
    drag(views.main, [at, QPointF(200.0, 300.0)])
    assert views.main.wipe.x == pytest.approx(200.0)
    views.compare("wipe")
    assert views._before is None
    assert views.comparison == ""
    still(qtbot, views)


def test_side_by_side_ends_with_the_document(qtbot: QtBot, views: ViewGrid) -> None:
    views.compare("beside")
    still(qtbot, views)
    assert [pane.title for pane in views.panes] == ["After", "Before"]
    views.main.session.opening.close()
    assert len(views.panes) == 1
    assert views.comparison == ""


def test_focus_brings_the_selection_into_the_picture(qtbot: QtBot, views: ViewGrid) -> None:
    stage = views.main.stage
    cloud = document(views).nodes[0].splats
    chosen = cloud.means[:, 0] > 0.9
    node = document(views).nodes[0].id
    from polyorama.scene.selection import BitSet

    views.main.session.editing.run("select_bits", bits={node: BitSet.of_mask(chosen)})
    before = stage.view
    views.focus()
    qtbot.waitUntil(lambda: stage.view != before)
    assert stage.view.target[0] > 0.8
    assert stage.view.distance < before.distance
    still(qtbot, views)
    xy, _ = views.main.space().project(cloud.means[chosen])
    assert (xy > 0.0).all()
    assert (xy < (views.main.width(), views.main.height())).all()


# Cameras


def test_one_looks_through_a_camera_and_leaves_it(qtbot: QtBot, views: ViewGrid) -> None:
    add_camera(views)
    lock, stage = views.main.toolbox.camera_lock, views.main.stage
    lock.toggle(stage)
    still(qtbot, views)
    camera = stage.picture.request.camera
    assert camera.position == pytest.approx((0.0, -0.5, -4.0))
    middle = QPointF(views.main.width() / 2.0, views.main.height() / 2.0)
    drag(views.main, [middle, middle + QPointF(30.0, 0.0)])
    assert stage.through == ""
    assert document(views).node(RIG).content.eye == (0.0, -0.5, -4.0)
    assert np.linalg.norm(stage.view.eye) == pytest.approx(np.hypot(4.0, 0.5), abs=0.01)
    still(qtbot, views)


@pytest.mark.parametrize("kind", ["free", "orbit", "dolly"])
def test_a_locked_camera_goes_with_the_view(qtbot: QtBot, views: ViewGrid, kind: str) -> None:
    add_camera(views, kind=kind, distance=4.0, travel=0.25)
    lock, stage = views.main.toolbox.camera_lock, views.main.stage
    lock.toggle(stage)
    lock.toggle_lock()
    steps = len(views.main.session.editing.editor.history.commands)
    middle = QPointF(views.main.width() / 2.0, views.main.height() / 2.0)
    drag(views.main, [middle, middle + QPointF(40.0, 10.0), middle + QPointF(80.0, 20.0)])
    assert stage.through == RIG
    still(qtbot, views)
    assert stage.picture.request.camera.position == pytest.approx(tuple(stage.view.eye), abs=1e-6)
    lock.flush()
    assert len(views.main.session.editing.editor.history.commands) == steps + 1


def test_a_removed_camera_is_not_looked_through(qtbot: QtBot, views: ViewGrid) -> None:
    add_camera(views)
    views.main.toolbox.camera_lock.toggle(views.main.stage)
    views.main.session.editing.run("remove", nodes=(RIG,))
    assert views.main.stage.through == ""
    still(qtbot, views)


@pytest.mark.parametrize("by_button", [False, True])
def test_a_camera_that_cannot_be_placed_is_left(
    qtbot: QtBot, views: ViewGrid, by_button: bool
) -> None:
    add_camera(views, kind="follow")
    stage, session = views.main.stage, views.main.session
    before = stage.view
    with qtbot.captureExceptions() as errors:
        if by_button:
            stage.look_through(RIG)  # as the inspector does
        else:
            views.main.toolbox.camera_lock.toggle(stage)
        middle = QPointF(views.main.width() / 2.0, views.main.height() / 2.0)
        drag(views.main, [middle, middle + QPointF(30.0, 0.0)])
    assert errors == []
    assert stage.through == ""
    assert stage.view != before, "one is not held fast"
    assert "follows nothing" in session.told[-1].notice.text
    still(qtbot, views)


def test_flying_goes_where_one_looks(qtbot: QtBot, views: ViewGrid) -> None:
    pane, stage = views.main, views.main.stage
    before = stage.view
    at = QPointF(300.0, 300.0)
    press(pane, at, NONE, RIGHT)
    hover(pane, at + QPointF(50.0, 0.0), NONE, RIGHT)
    assert pane.flight.flying
    assert stage.view.eye == pytest.approx(before.eye), "it looks round from where it is"
    assert stage.view.yaw < before.yaw
    qtbot.keyPress(pane, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: np.linalg.norm(stage.view.eye - before.eye) > 0.05)
    ahead = -stage.view.axes()[2]
    assert (stage.view.eye - before.eye) @ ahead > 0.0
    qtbot.keyRelease(pane, Qt.Key.Key_W)
    release(pane, at, NONE, RIGHT)
    assert not pane.flight.flying
    assert Qt.Key.Key_Q in FLY_KEYS
    still(qtbot, views)


def test_a_right_click_that_goes_nowhere_asks_for_the_menu(qtbot: QtBot, views: ViewGrid) -> None:
    with qtbot.waitSignal(views.menu_asked):
        press(views.main, QPointF(200.0, 200.0), NONE, RIGHT)
        release(views.main, QPointF(200.0, 200.0), NONE, RIGHT)


# Layers


def test_every_layer_paints(qtbot: QtBot, views: ViewGrid) -> None:
    editing = views.main.session.editing
    add_camera(views)
    node = document(views).nodes[0].id
    editing.run("add_node", node=Node("Ball", CropVolume(shape="ellipsoid"), id="volume11"))
    for shape in ("box", "sphere", "plane"):
        editing.run("add_modifier", node=node, kind="crop", values={"shape": shape})
    for time, x in ((0.0, -2.0), (1.0, 0.0), (2.0, 2.0)):
        editing.run("key", path=f"{RIG}/eye", time=time, value=(x, -0.5, -4.0))
        editing.run("key", path="view/eye", time=time, value=(x, -1.0, -3.0))
    editing.run("choose", nodes=(node, RIG))
    layers = views.main.toolbox.layers
    layers.shown = {entry.id for entry in LAYERS}
    layers.changed.emit()
    still(qtbot, views)
    assert not _told_faults(views)
    with_all = views.main.grab().toImage()
    for entry in LAYERS:
        layers.toggle(entry.id)
    assert layers.shown == set()
    still(qtbot, views)
    assert with_all != views.main.grab().toImage()


def _told_faults(views: ViewGrid) -> list[str]:
    """What the viewport's guards caught."""
    views.main.grab()
    from polyorama_studio import guard

    return sorted(guard._told)


def test_the_floor_lies_below_the_subject(qtbot: QtBot, views: ViewGrid) -> None:
    ground = views.main.toolbox.layers.ground
    up = ground.frame[2]
    assert up == pytest.approx(np.asarray(document(views).up))
    heights = document(views).nodes[0].splats.means @ up
    assert ground.height == pytest.approx(heights.min(), abs=0.1)
    assert np.linalg.det(ground.frame) == pytest.approx(1.0) or ground.names != (0, 1)


def test_the_floor_stays_when_things_go(qtbot: QtBot, views: ViewGrid) -> None:
    editing, layers = views.main.session.editing, views.main.toolbox.layers
    ground = layers.ground
    node = document(views).nodes[0]
    height = float(np.median(node.splats.means @ ground.frame[2]))
    axis = int(np.abs(ground.frame[2]).argmax())
    sign = "<" if ground.frame[2][axis] > 0.0 else ">"
    query = f"{'xyz'[axis]} {sign} {height * ground.frame[2][axis]}"
    assert editing.run("select", query=query, mode="set")
    assert editing.run("delete")
    assert document(views).nodes[0].deleted
    lifted = np.eye(4)
    lifted[:3, 3] = ground.frame[2]
    editing.run("place", node=node.id, matrix=tuple(map(tuple, lifted[:3].tolist())))
    layers._find_ground()
    assert layers._looking is not document(views)
    again = []
    layers.ground_changed.connect(partial(again.append, True))
    turned = lifted.copy()
    turned[:3, :3] = np.diag([2.0, 2.0, 2.0])
    editing.run("place", node=node.id, matrix=tuple(map(tuple, turned[:3].tolist())))
    layers._find_ground()
    qtbot.waitUntil(lambda: bool(again), timeout=30_000)
    assert layers.ground.radius == pytest.approx(2.0 * ground.radius, rel=1e-3)
    still(qtbot, views)


def test_the_grid_is_seen_and_can_be_hidden(qtbot: QtBot, views: ViewGrid) -> None:
    stage = views.main.stage
    stage.set_view(stage.view.looking("top"), moving=False)
    still(qtbot, views)
    with_grid = stage.picture.image
    assert len({with_grid.pixel(x, 200) for x in range(with_grid.width())}) > 5
    views.main.toolbox.layers.toggle("grid")
    still(qtbot, views)
    plain = stage.picture.image
    stage_color = QColor(views.main.session.theme.tokens.stage).rgb()
    assert {plain.pixel(x, 200) for x in range(plain.width())} == {stage_color}


def test_the_view_cube_looks_from_what_is_clicked(qtbot: QtBot, views: ViewGrid) -> None:
    cube, stage = views.main.cube, views.main.stage
    for _, name, cell in cube._cells():
        middle = cell.boundingRect().center()
        if cube.hit(middle) == name:
            wanted = cube.direction(name)
            qtbot.mouseClick(cube, LEFT, NONE, middle.toPoint())
            break
    forward = stage.view.camera(4, 4).forward
    assert forward == pytest.approx(-wanted / np.linalg.norm(wanted), abs=1e-6)
    still(qtbot, views)


def test_up_is_up_on_the_view_cube(views: ViewGrid) -> None:
    cube = views.main.cube
    turned = cube._turned()
    top = next(face for face in cube.faces() if face.text == "Top")
    assert top.normal == pytest.approx(np.asarray(document(views).up))
    assert turned[1] @ top.normal > 0.0


@pytest.mark.parametrize("chosen", [True, False])
def test_a_grip_of_the_active_crop_resizes_it(qtbot: QtBot, views: ViewGrid, chosen: bool) -> None:
    editing = views.main.session.editing
    node = document(views).nodes[0].id
    editing.run("add_modifier", node=node, kind="crop", values={"size": (1.0, 1.0, 1.0)})
    editing.run("choose", nodes=(node,) if chosen else ())
    still(qtbot, views)
    space = views.main.space()
    grips = dict(Volume("box", np.eye(4)).grips())
    at, middle = (space.point(p) for p in (grips[1, 1], (0.0, 0.0, 0.0)))
    hover(views.main, at)
    drag(views.main, [at, at + (at - middle)])
    (crop,) = document(views).node(node).modifiers
    assert crop.size[1] > 1.2
    assert crop.center[1] == pytest.approx((crop.size[1] - 1.0) / 2.0)
    assert crop.size[0] == pytest.approx(1.0)
    assert editing.editor.history.commands[-1].title == "Resize the volume"
    still(qtbot, views)


@pytest.mark.parametrize(("inverted", "size"), [(False, 0.6), (True, 1.4)])
def test_the_soft_edge_of_a_crop_is_a_second_line(
    qtbot: QtBot, views: ViewGrid, inverted: bool, size: float
) -> None:
    values = {"size": (1.0, 1.0, 1.0), "soft": 0.2, "inverted": inverted}
    crop = Crop(**values)
    assert np.diag(_soft_edge(crop))[:3] == pytest.approx((size, size, size))
    assert _soft_edge(replace(crop, soft=0.0)) is None
    editing = views.main.session.editing
    node = document(views).nodes[0].id
    assert editing.run("add_modifier", node=node, kind="crop", values=values)
    editing.run("choose", nodes=(node,))
    still(qtbot, views)
    drawn = []
    for soft in (0.2, 0.0):
        (modifier,) = document(views).node(node).modifiers
        editing.run("change_modifier", node=node, modifier=modifier.id, values={"soft": soft})
        still(qtbot, views)
        (layer,) = [x for x in views.main.toolbox.layers.painted() if isinstance(x, VolumesLayer)]
        blank = QImage(views.main.size(), QImage.Format.Format_ARGB32_Premultiplied)
        blank.fill(0)
        painter = QPainter(blank)
        layer.paint(views.main, painter)
        painter.end()
        drawn.append(blank)
    assert drawn[0] != drawn[1]
    assert not _told_faults(views)


def test_a_key_of_the_path_is_dragged_and_gone_to(qtbot: QtBot, views: ViewGrid) -> None:
    editing = views.main.session.editing
    add_camera(views)
    views.main.stage.set_view(views.main.stage.view.zoomed(3.0), moving=False)
    for time, x in ((0.0, -1.0), (1.5, 1.0)):
        editing.run("key", path=f"{RIG}/eye", time=time, value=(x, -0.5, -2.0))
    still(qtbot, views)
    at = views.main.space().point((1.0, -0.5, -2.0))
    click(views.main, at)
    assert views.main.session.playback.time == 1.5
    still(qtbot, views)
    drag(views.main, [at, at + QPointF(0.0, -40.0)])
    track = document(views).timeline.tracks[f"{RIG}/eye"]
    assert track.keys[0].value == (-1.0, -0.5, -2.0)
    moved = views.main.space().point(track.keys[1].value)
    assert (moved.x(), moved.y()) == pytest.approx((at.x(), at.y() - 40.0), abs=0.5)
    still(qtbot, views)


# Strips


def test_the_strip_offers_what_the_tool_heeds(views: ViewGrid) -> None:
    toolbox, strip = views.main.toolbox, views.tools
    toolbox.choose("brush")
    shown = {name for name, part in strip._parts.items() if part.isVisible()}
    assert shown == {"mode", "surface", "footprint", "brush"}
    strip._parts["surface"].buttons[1].click()
    assert toolbox.options.surface
    toolbox.choose("rotate")
    shown = {name for name, part in strip._parts.items() if part.isVisible()}
    assert shown == {"axes", "pivot", "snap"}
    strip._parts["snap"].buttons[0].click()
    assert toolbox.options.snap
    strip._parts["snap"].buttons[0].click()
    assert not toolbox.options.snap


def test_layers_are_remembered(views: ViewGrid) -> None:
    layers, preferences = views.main.toolbox.layers, views.main.session.preferences
    layers.toggle("grid")
    layers.toggle("figures")
    assert preferences.layers == {"grid", "figures"}
    layers.toggle("grid")
    assert preferences.layers == {"figures"}


@pytest.mark.parametrize(("keys", "what"), [(NONE, "yaw"), (SHIFT, "target"), (CTRL, "distance")])
def test_the_middle_button_can_do_everything(
    qtbot: QtBot, views: ViewGrid, keys: Qt.KeyboardModifier, what: str
) -> None:
    views.main.session.preferences.navigation = "blender"
    before = views.main.stage.view
    at = QPointF(300.0, 300.0)
    drag(views.main, [at, at + QPointF(30.0, 40.0)], keys, Qt.MouseButton.MiddleButton)
    after = views.main.stage.view
    changed = {
        name for name in ("yaw", "target", "distance")
        if getattr(after, name) != getattr(before, name)
    }  # fmt: skip
    assert changed == {what}
    still(qtbot, views)


def test_a_camera_is_lines_and_nothing_where_one_stands_in_it(
    qtbot: QtBot, views: ViewGrid
) -> None:
    add_camera(views)
    views.main.session.editing.run("choose", nodes=(RIG,))
    still(qtbot, views)
    layers = views.main.toolbox.layers
    (layer,) = [each for each in layers.painted() if isinstance(each, CamerasLayer)]
    ((_, points),) = layer._frusta(views.main)
    seen = views.main.space()
    a, b, c, d = points[1:]
    shares = [(x, y) for x in np.linspace(0.1, 0.9, 9) for y in np.linspace(0.1, 0.9, 9)]
    inside = [seen.point((a * (1 - x) + b * x) * (1 - y) + (d * (1 - x) + c * x) * y)
              for x, y in shares]  # fmt: skip
    blank = QImage(views.main.size(), QImage.Format.Format_ARGB32_Premultiplied)
    blank.fill(0)
    painter = QPainter(blank)
    layer.paint(views.main, painter)
    painter.end()
    corner = seen.point(points[1])
    assert blank.pixelColor(corner.toPoint()).alpha() > 0
    covered = sum(blank.pixelColor(at.toPoint()).alpha() > 0 for at in inside)
    assert covered < len(inside) / 2, "the picture shows between the lines"
    stage = views.main.stage
    views.main.toolbox.camera_lock.toggle(stage)
    views.main.toolbox.camera_lock.leave(stage)
    still(qtbot, views)
    assert not stage.through
    assert not list(layer._frusta(views.main))
