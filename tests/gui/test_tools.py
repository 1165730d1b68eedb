"""The viewport's tools, used as a person would: what they select, what they move."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from polyorama.scene.modifiers import Transform
from polyorama_studio.viewport.gizmo import MOVE, Gizmo, Handle
from tests.gui.pointing import CTRL, LEFT, RIGHT, SHIFT, click, drag, hover, press, release

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from polyorama.scene.document import Document
    from polyorama_studio.viewport.grid import ViewGrid
    from polyorama_studio.viewport.toolbox import Toolbox
    from polyorama_studio.viewport.viewport import Viewport

MIDDLE = Qt.MouseButton.MiddleButton


@pytest.fixture
def viewport(views: ViewGrid) -> Viewport:
    return views.main


@pytest.fixture
def toolbox(viewport: Viewport) -> Toolbox:
    return viewport.toolbox


def document(viewport: Viewport) -> Document:
    found = viewport.session.editing.document
    assert found is not None
    return found


def selected(viewport: Viewport) -> set[int]:
    bits = document(viewport).selection
    return set(next(iter(bits.values())).indices().tolist()) if bits else set()


def inside(viewport: Viewport, low: QPointF, high: QPointF) -> set[int]:
    """Splats whose centre is seen between two corners."""
    xy, _ = viewport.space().project(document(viewport).nodes[0].splats.means)
    within = (xy > (low.x(), low.y())) & (xy < (high.x(), high.y()))
    return set(np.flatnonzero(within.all(axis=1)).tolist())


def corners(viewport: Viewport) -> tuple[QPointF, QPointF]:
    return QPointF(0.0, 0.0), QPointF(viewport.width() / 2.0, viewport.height() / 2.0)


def test_a_rectangle_selects_what_it_holds(viewport: Viewport, toolbox: Toolbox) -> None:
    toolbox.choose("rect")
    low, high = corners(viewport)
    drag(viewport, [low, high])
    assert selected(viewport) == inside(viewport, low, high) != set()


def test_keys_add_remove_and_intersect(viewport: Viewport, toolbox: Toolbox) -> None:
    toolbox.choose("rect")
    low, high = corners(viewport)
    end = QPointF(viewport.width(), viewport.height())
    drag(viewport, [low, high])
    first = selected(viewport)
    drag(viewport, [high, end], SHIFT)
    second = inside(viewport, high, end)
    assert selected(viewport) == first | second
    drag(viewport, [high, end], CTRL)
    assert selected(viewport) == first
    part = QPointF(high.x() * 0.8, high.y())
    drag(viewport, [low, part], SHIFT | CTRL)
    assert selected(viewport) == first & inside(viewport, low, part)


def test_a_click_selects_nothing(viewport: Viewport, toolbox: Toolbox) -> None:
    toolbox.choose("rect")
    drag(viewport, list(corners(viewport)))
    assert selected(viewport)
    click(viewport, QPointF(30.0, 30.0))
    assert not selected(viewport)


def test_escape_gives_a_rectangle_up(qtbot: QtBot, viewport: Viewport, toolbox: Toolbox) -> None:
    toolbox.choose("rect")
    low, high = corners(viewport)
    drag(viewport, [low, high], let_go=False)
    assert toolbox.active.busy
    qtbot.keyClick(viewport, Qt.Key.Key_Escape)
    release(viewport, high)
    assert not selected(viewport)


def test_the_count_is_told_while_drawing(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("rect")
    low, high = corners(viewport)
    drag(viewport, [low, high], let_go=False)
    expected = len(inside(viewport, low, high))
    qtbot.waitUntil(lambda: toolbox.tally.count == expected)
    release(viewport, high)
    assert toolbox.tally.count is None


def test_a_lasso_selects_what_it_goes_round(viewport: Viewport, toolbox: Toolbox) -> None:
    toolbox.choose("lasso")
    low, high = corners(viewport)
    drag(viewport, [low, QPointF(high.x(), 0.0), high, QPointF(0.0, high.y())])
    assert selected(viewport) == inside(viewport, low, high)


def test_a_polygon_is_made_corner_by_corner(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("polygon")
    low, high = corners(viewport)
    wrong = QPointF(viewport.width() - 20.0, 20.0)
    for corner in (low, QPointF(high.x(), 0.0), wrong):
        click(viewport, corner)
    qtbot.keyClick(viewport, Qt.Key.Key_Backspace)
    for corner in (high, QPointF(0.0, high.y())):
        click(viewport, corner)
    assert not selected(viewport)
    qtbot.keyClick(viewport, Qt.Key.Key_Return)
    assert selected(viewport) == inside(viewport, low, high)
    assert not toolbox.active.busy


def test_a_brush_selects_within_its_radius(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("brush")
    toolbox.set_options(brush=100.0)
    qtbot.keyClick(viewport, Qt.Key.Key_BracketLeft)
    radius = toolbox.options.brush
    assert radius < 100.0
    middle = QPointF(viewport.width() / 2.0, viewport.height() / 2.0)
    hover(viewport, middle)
    click(viewport, middle)
    xy, _ = viewport.space().project(document(viewport).nodes[0].splats.means)
    away = np.hypot(xy[:, 0] - middle.x(), xy[:, 1] - middle.y())
    found = selected(viewport)
    assert set(np.flatnonzero(away < radius - 1.0).tolist()) <= found
    assert found <= set(np.flatnonzero(away < radius + 1.0).tolist())


def arm(viewport: Viewport, axis: int, share: float = 1.0) -> QPointF:
    held = viewport.toolbox.subject.held()
    assert held is not None
    gizmo = Gizmo(viewport.space(), held, MOVE)
    at = viewport.space().point(gizmo.end(axis, share))
    assert at is not None
    return at


def gizmo_stands(qtbot: QtBot, viewport: Viewport) -> None:
    qtbot.waitUntil(lambda: viewport.toolbox.subject.held() is not None)
    qtbot.waitUntil(lambda: not viewport.toolbox.subject._counting)


def test_the_move_gizmo_moves_a_node_in_one_step(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("move")
    gizmo_stands(qtbot, viewport)
    tip, far = arm(viewport, 0), arm(viewport, 0, 1.5)
    between = (tip + far) / 2.0
    drag(viewport, [tip, between, far])
    moved = document(viewport).nodes[0].transform
    assert moved[0, 3] > 0.0
    assert np.abs(moved[1:3, 3]).max() < 1e-9
    history = viewport.session.editing.editor.history
    assert [c.title for c in history.commands] == ["Move"]
    assert [len(c.calls) for c in history.commands] == [1]
    assert sum(line.startswith("doc.place(") for line in viewport.session.python) == 1
    viewport.session.editing.undo()
    assert np.array_equal(document(viewport).nodes[0].transform, np.eye(4))


def test_a_typed_number_is_the_distance(qtbot: QtBot, viewport: Viewport, toolbox: Toolbox) -> None:
    toolbox.choose("move")
    gizmo_stands(qtbot, viewport)
    tip = arm(viewport, 0)
    drag(viewport, [tip, tip + QPointF(5.0, 0.0)], let_go=False)
    for key in (Qt.Key.Key_1, Qt.Key.Key_Period, Qt.Key.Key_5):
        qtbot.keyClick(viewport, key)
    qtbot.keyClick(viewport, Qt.Key.Key_Y)
    release(viewport, tip)
    assert document(viewport).nodes[0].transform[:3, 3] == pytest.approx((0.0, 1.5, 0.0))


def test_the_reading_of_a_move_has_the_unit_of_the_scene(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        "polyorama_studio.viewport.tools.movers.paint_readout",
        lambda pane, painter, at, *lines: told.append(lines[0]),
    )
    viewport.session.preferences.unit = "cm"
    toolbox.choose("move")
    gizmo_stands(qtbot, viewport)
    tip = arm(viewport, 0)
    drag(viewport, [tip, tip + QPointF(20.0, 0.0)], let_go=False)
    viewport.grab()
    release(viewport, tip)
    assert told
    assert told[-1].endswith(" cm")


def test_selected_splats_get_one_transform(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("rect")
    drag(viewport, list(corners(viewport)))
    toolbox.choose("move")
    gizmo_stands(qtbot, viewport)
    for _ in range(2):
        tip = arm(viewport, 1)
        drag(viewport, [tip, arm(viewport, 1, 1.3), arm(viewport, 1, 1.6)])
        gizmo_stands(qtbot, viewport)
    node = document(viewport).nodes[0]
    (transform,) = node.modifiers
    assert isinstance(transform, Transform)
    assert transform.mask == document(viewport).selection[node.id]
    assert transform.translation[1] > 0.0
    assert len(viewport.session.editing.editor.history.commands) == 3
    assert np.array_equal(node.transform, np.eye(4))


def test_escape_puts_back_what_was_dragged(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("move")
    gizmo_stands(qtbot, viewport)
    tip = arm(viewport, 0)
    drag(viewport, [tip, arm(viewport, 0, 2.0)], let_go=False)
    assert document(viewport).nodes[0].transform[0, 3] > 0.0
    qtbot.keyClick(viewport, Qt.Key.Key_Escape)
    release(viewport, tip)
    assert np.array_equal(document(viewport).nodes[0].transform, np.eye(4))


def test_turning_and_scaling_keep_the_pivot(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    for tool, axis in (("rotate", 0), ("scale", 1)):
        toolbox.choose(tool)
        gizmo_stands(qtbot, viewport)
        held = toolbox.subject.held()
        assert held is not None
        active = toolbox.active
        gizmo = Gizmo(viewport.space(), held, active.handles)
        handle = Handle("ring" if tool == "rotate" else "axis", axis)
        assert handle in gizmo.handles
        points, near = gizmo.ring(axis)
        grip = points[np.flatnonzero(near)[3]] if tool == "rotate" else gizmo.end(axis)
        at = viewport.space().point(grip)
        assert at is not None
        press(viewport, at)
        assert active.grabbed is not None
        active.grabbed = handle
        for digit in ("3", "0") if tool == "rotate" else ("2",):
            qtbot.keyClick(viewport, digit)
        release(viewport, at)
        world = document(viewport).nodes[0].transform
        pivot = world[:3, :3] @ held.origin + world[:3, 3]
        if tool == "rotate":
            assert pivot == pytest.approx(tuple(held.origin), abs=1e-9)
            assert world[1, 1] == pytest.approx(np.cos(np.radians(30.0)))
    assert np.linalg.det(world[:3, :3]) == pytest.approx(2.0)


def still(qtbot: QtBot, viewport: Viewport) -> None:
    stage = viewport.stage
    qtbot.waitUntil(lambda: stage.idle and stage.is_of_now(stage.picture))


def seen(viewport: Viewport, index: int) -> QPointF:
    """Where a splat is seen."""
    at = viewport.space().point(document(viewport).nodes[0].splats.means[index])
    assert at is not None
    return at


def test_a_sphere_selects_what_lies_in_it(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("sphere")
    still(qtbot, viewport)
    middle = QPointF(viewport.width() / 2.0, viewport.height() / 2.0)
    drag(viewport, [middle, middle + QPointF(90.0, 0.0)])
    volume = toolbox.active.volume
    assert volume is not None
    radius = np.linalg.norm(volume.matrix[:3, 0]) / 2.0
    away = np.linalg.norm(document(viewport).nodes[0].splats.means - volume.center, axis=1)
    assert viewport.space().unit_at(volume.center) * 90.0 == pytest.approx(radius)
    qtbot.keyClick(viewport, Qt.Key.Key_Return)
    assert selected(viewport) == set(np.flatnonzero(away <= radius).tolist()) != set()
    qtbot.keyClick(viewport, Qt.Key.Key_Escape)
    assert not toolbox.active.busy


def test_a_box_can_be_resized_and_turned(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("box")
    still(qtbot, viewport)
    middle = QPointF(viewport.width() / 2.0, viewport.height() / 2.0)
    drag(viewport, [middle, middle + QPointF(60.0, 0.0)])
    before = toolbox.active.volume
    grip, place = max(before.grips(), key=lambda entry: abs(viewport.space().point(entry[1]).x()))
    at = viewport.space().point(place)
    outward = at - viewport.space().point(before.center)
    hover(viewport, at)
    drag(viewport, [at, at + outward * 0.5])
    after = toolbox.active.volume
    lengths = [np.linalg.norm(v.matrix[:3, :3], axis=0) for v in (before, after)]
    assert lengths[1][grip[0]] > lengths[0][grip[0]]
    assert np.delete(lengths[1], grip[0]) == pytest.approx(np.delete(lengths[0], grip[0]))
    opposite = (grip[0], -grip[1])
    places = [dict(v.grips())[opposite] for v in (before, after)]
    assert places[0] == pytest.approx(places[1]), "the other face stays"


def show_ids(viewport: Viewport, index: int) -> None:
    """As if every pixel of the picture showed one splat."""
    picture = viewport.stage.picture
    size = (picture.request.camera.height, picture.request.camera.width)
    fresh = replace(picture, ids=np.full(size, index, np.int32))
    viewport.stage.picture = fresh


def test_the_eyedropper_selects_like_colours(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("eyedropper")
    toolbox.set_options(tolerance=0.3)
    still(qtbot, viewport)
    show_ids(viewport, 7)
    click(viewport, QPointF(200.0, 300.0))
    colors = np.clip(document(viewport).nodes[0].splats.colors, 0.0, 1.0)
    alike = np.linalg.norm(colors - colors[7], axis=1) <= 0.3
    assert selected(viewport) == set(np.flatnonzero(alike).tolist())
    assert 1 < len(selected(viewport)) < len(colors)


def test_a_click_chooses_the_node_that_is_seen(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    still(qtbot, viewport)
    show_ids(viewport, 3)
    click(viewport, QPointF(200.0, 300.0))
    node = document(viewport).nodes[0].id
    assert document(viewport).chosen == (node,)
    still(qtbot, viewport)
    show_ids(viewport, -1)
    click(viewport, QPointF(200.0, 300.0))
    assert document(viewport).chosen == ()


def test_a_length_scales_the_scene_and_keeps_the_picture(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("measure")
    still(qtbot, viewport)
    for x in (300.0, 600.0):
        click(viewport, QPointF(x, 300.0))
    length = toolbox.active.length
    assert length == pytest.approx(300.0 * viewport.space().unit_at(toolbox.active.points[0]))
    before = seen(viewport, 5)
    for key in (Qt.Key.Key_1, Qt.Key.Key_0):
        qtbot.keyClick(viewport, key)
    qtbot.keyClick(viewport, Qt.Key.Key_Return)
    assert toolbox.active.length == pytest.approx(10.0)
    world = document(viewport).nodes[0].transform
    assert np.linalg.det(world[:3, :3]) == pytest.approx((10.0 / length) ** 3)
    still(qtbot, viewport)
    means = document(viewport).nodes[0].splats.means
    after = viewport.space().point(world[:3, :3] @ means[5] + world[:3, 3])
    assert (after.x(), after.y()) == pytest.approx((before.x(), before.y()), abs=0.01)
    assert len(viewport.session.editing.editor.history.commands) == 1


def test_three_points_lay_the_scene_on_its_floor(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    toolbox.choose("floor")
    still(qtbot, viewport)
    viewport.stage.set_view(viewport.stage.view.orbited(20.0, 35.0), moving=False)
    still(qtbot, viewport)
    for x, y in ((300.0, 200.0), (600.0, 250.0)):
        click(viewport, QPointF(x, y))
    points = list(toolbox.active.points)
    last = viewport.navigator.surface_point(QPointF(400.0, 500.0))
    click(viewport, QPointF(400.0, 500.0))
    world = document(viewport).nodes[0].transform
    up = np.asarray(document(viewport).up)
    heights = [(world[:3, :3] @ p + world[:3, 3]) @ up for p in (*points, last)]
    assert heights == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    assert world[:3, :3] @ world[:3, :3].T == pytest.approx(np.eye(3))
    assert not toolbox.active.busy


def test_keyed_places_are_keyed_where_they_are_dragged_to(
    qtbot: QtBot, viewport: Viewport, toolbox: Toolbox
) -> None:
    session = viewport.session
    node = document(viewport).nodes[0].id
    session.editing.run("key", path=f"{node}/translation", time=0.0, value=(0.0, 0.0, 0.0))
    session.editing.run("key", path=f"{node}/translation", time=2.0, value=(0.0, 0.0, 0.0))
    session.playback.seek(1.0)
    toolbox.choose("move")
    still(qtbot, viewport)
    gizmo_stands(qtbot, viewport)
    tip = arm(viewport, 0)
    drag(viewport, [tip, arm(viewport, 0, 1.5)])
    track = document(viewport).timeline.tracks[f"{node}/translation"]
    assert [key.time for key in track.keys] == [0.0, 1.0, 2.0]
    assert track.keys[1].value[0] > 0.0
    assert viewport.stage.shown.world(node)[0, 3] == pytest.approx(track.keys[1].value[0])


def test_another_button_leaves_a_drag_alone(viewport: Viewport, toolbox: Toolbox) -> None:
    toolbox.choose("rect")
    low, high = corners(viewport)
    drag(viewport, [low, high], let_go=False)
    view = viewport.stage.view
    for button in (MIDDLE, RIGHT):
        press(viewport, high, button=button, held=LEFT)
        hover(viewport, high + QPointF(20.0, 20.0), button=LEFT | button)
        release(viewport, high, button=button, held=LEFT)
    assert not selected(viewport), "the drag goes on"
    hover(viewport, high, button=LEFT)
    release(viewport, high)
    assert selected(viewport) == inside(viewport, low, high) != set()
    hover(viewport, low)
    assert viewport.stage.view == view
    assert not viewport.flight.begun
