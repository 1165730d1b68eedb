"""The viewport's tools, used as a person would: what they select, what they move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from polyorama.scene.modifiers import Transform
from polyorama_studio.viewport.gizmo import MOVE, Gizmo, Handle
from tests.gui.pointing import CTRL, SHIFT, click, drag, hover, press, release

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from polyorama.scene.document import Document
    from polyorama_studio.viewport.toolbox import Toolbox
    from polyorama_studio.viewport.viewport import Viewport
    from polyorama_studio.window import Window


@pytest.fixture
def viewport(opened: Window) -> Viewport:
    return opened.viewport


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
