"""Placing shapes in the scene: on surfaces, at a size that fits, in one step, linked or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from polyorama.io.formats import write_splats
from polyorama.scene.mesh import Mesh
from polyorama.scene.patch import Patch
from polyorama_studio.session import Session
from polyorama_studio.window import Window
from polyorama_studio.workspaces.shapes.mime import mime_of
from polyorama_studio.workspaces.shapes.placing import place_at, place_shapes
from polyorama_studio.workspaces.shapes.workspace import ShapesWorkspace
from tests.gui.fakes import FakeRasterizer, a_cloud
from tests.gui.shapes_fakes import FakeStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama.scene.document import Document
    from polyorama_studio.preferences import Preferences

LEFT, COPY = Qt.MouseButton.LeftButton, Qt.DropAction.CopyAction
NONE, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CUBE = """v 0 0 0\nv 2 0 0\nv 2 4 0\nv 0 4 0\nv 0 0 1\nv 2 0 1\nv 2 4 1\nv 0 4 1
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"""
"""Two wide, four high, one deep; it stands beside its origin."""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A mesh and a capture."""
    (tmp_path / "box.obj").write_text(CUBE, "utf-8")
    write_splats(a_cloud(), tmp_path / "ball.splat")
    return {"box": tmp_path / "box.obj", "ball": tmp_path / "ball.splat"}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, files: dict[str, Path]) -> FakeStore:
    """A library of those two."""
    store = FakeStore(2)
    store.paths = {0: files["box"], 1: files["ball"]}
    monkeypatch.setattr("polyorama_studio.workspaces.shapes.shelf.make_store", lambda: store)
    return store


@pytest.fixture
def studio(
    qtbot: QtBot, preferences: Preferences, rasterizer: FakeRasterizer, store: FakeStore
) -> Iterator[Window]:
    """A window that reads real files, with Shapes shown."""
    session = Session(preferences=preferences, make_rasterizer=rasterizer.make)
    session.theme.apply()
    window = Window(session)
    window.resize(1440, 900)
    window.show()
    qtbot.waitExposed(window)
    window.workspaces.show_workspace("shapes")
    shapes = _shapes(window)
    qtbot.waitUntil(lambda: len(shapes.shelf.found) == 2 and len(shapes.shelf.thumbs) == 2)
    yield window
    # What draws surfels may still be compiled.
    qtbot.waitUntil(lambda: not session.stage.drawing, timeout=120_000)
    session.saving.give_up()
    window.close()
    session.close()
    window.deleteLater()


@pytest.fixture
def scene(qtbot: QtBot, studio: Window, files: dict[str, Path]) -> Window:
    """That window with a ball open, and a full picture of it with depths."""
    studio.workspaces.show_workspace("scene")
    studio.session.open_files([files["ball"]])
    stage = studio.session.stage
    qtbot.waitUntil(lambda: stage.picture is not None and stage.idle, timeout=30_000)
    return studio


def _shapes(window: Window) -> ShapesWorkspace:
    shapes = window.workspaces.make("shapes")
    assert isinstance(shapes, ShapesWorkspace)
    return shapes


def _document(window: Window) -> Document:
    document = window.session.editing.document
    assert document is not None
    return document


def _steps(window: Window) -> int:
    editor = window.session.editing.editor
    assert editor is not None
    return editor.history.position


def _node(window: Window, kind: type):
    return next(n for n in reversed(_document(window).nodes) if isinstance(n.content, kind))


def _corners(window: Window, node) -> np.ndarray:
    """(N, 3) world points of a mesh."""
    world = _document(window).world(node.id)
    return np.asarray(node.content.vertices @ world[:3, :3].T + world[:3, 3])


def _placed(qtbot: QtBot, window: Window, count: int) -> None:
    qtbot.waitUntil(lambda: len(_document(window).nodes) == count, timeout=30_000)


def _drop(window: Window, at: QPointF, data: QMimeData, keys: Qt.KeyboardModifier = NONE) -> None:
    view = window.viewport
    for event in (
        QDragEnterEvent(at, COPY, data, LEFT, keys),
        QDragMoveEvent(at, COPY, data, LEFT, keys),
        QDropEvent(at, COPY, data, LEFT, keys),
    ):  # fmt: skip
        QApplication.sendEvent(view, event)


def test_a_drop_stands_on_the_surface_sized_to_fit_in_one_step(qtbot: QtBot, scene: Window) -> None:
    shapes, view = _shapes(scene), scene.viewport
    at = QPointF(0.6 * view.width(), 0.55 * view.height())
    surface = view.navigator.surface_point(at)
    assert surface is not None, "the fake draws a surface everywhere"
    before, steps = _document(scene), _steps(scene)
    place = place_at(view, at)
    data = mime_of([shapes.shelf.asset(0)])
    _drop(scene, at, data)
    _placed(qtbot, scene, 2)
    assert _steps(scene) == steps + 1
    corners, up = _corners(scene, _node(scene, Mesh)), np.asarray(_document(scene).up)
    heights = (corners - surface) @ up
    assert heights.min() == pytest.approx(0.0, abs=1e-5), "it rests on what is under the pointer"
    assert heights.max() == pytest.approx(place.extent, rel=1e-5), "its height is its largest"
    middle = (corners.max(axis=0) + corners.min(axis=0)) / 2.0
    sideways = middle - surface - up * ((middle - surface) @ up)
    assert np.allclose(sideways, 0.0, atol=1e-5)
    high = 2.0 * np.tan(np.radians(scene.session.stage.view.fov) / 2.0) * 2.0
    assert place.extent == pytest.approx(0.25 * high, rel=0.02), "a quarter of what is seen there"
    assert _document(scene).chosen == (_node(scene, Mesh).id,)
    assert not view.drop_zones.isVisible()
    scene.session.editing.undo()
    assert not Patch.between(before, _document(scene))
    assert _steps(scene) == steps
    scene.session.editing.redo()
    assert np.allclose(_corners(scene, _node(scene, Mesh)), corners)


def test_alt_keeps_the_size_and_shift_links(qtbot: QtBot, scene: Window, files) -> None:
    shapes, view = _shapes(scene), scene.viewport
    at = QPointF(view.rect().center())
    _drop(scene, at, mime_of([shapes.shelf.asset(0)]), ALT | SHIFT)
    _placed(qtbot, scene, 2)
    node = _node(scene, Mesh)
    corners = _corners(scene, node)
    assert np.allclose(np.sort(np.ptp(corners, axis=0)), (1.0, 2.0, 4.0))
    assert node.source.linked
    assert node.source.path == str(files["box"])


def test_splats_become_a_node_of_splats(qtbot: QtBot, scene: Window) -> None:
    shapes = _shapes(scene)
    _drop(scene, QPointF(scene.viewport.rect().center()), mime_of([shapes.shelf.asset(1)]))
    _placed(qtbot, scene, 2)
    placed = _document(scene).nodes[-1]
    assert placed.splats is not None
    assert placed.source is not None
    assert not placed.source.linked


def test_several_stand_beside_each_other(qtbot: QtBot, scene: Window, files) -> None:
    place = place_at(scene.viewport, QPointF(scene.viewport.rect().center()))
    steps = _steps(scene)
    place_shapes(scene.session, [files["box"], files["box"]], place)
    _placed(qtbot, scene, 3)
    first, second = (_corners(scene, node) for node in _document(scene).nodes[-2:])
    apart = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert apart == pytest.approx(1.2 * place.extent, rel=1e-5)
    assert _steps(scene) == steps + 1


def test_in_an_empty_scene_a_shape_keeps_its_size_and_is_seen(qtbot: QtBot, studio: Window) -> None:
    shapes = _shapes(studio)
    shapes.shelf.choose([0])
    shapes.place()
    assert studio.workspaces.shown == "scene"
    qtbot.waitUntil(lambda: studio.session.editing.document is not None)
    _placed(qtbot, studio, 1)
    corners = _corners(studio, _node(studio, Mesh))
    assert np.allclose(np.sort(np.ptp(corners, axis=0)), (1.0, 2.0, 4.0))
    assert _steps(studio) == 1
    view = studio.session.stage.view
    away = np.linalg.norm(np.asarray(view.target) - corners.mean(axis=0))
    assert away < 2.0
    assert 2.0 < view.distance < 40.0


def test_enter_places_where_the_view_looks(qtbot: QtBot, scene: Window) -> None:
    scene.workspaces.show_workspace("shapes")
    shapes = _shapes(scene)
    assert scene.focusWidget() is shapes.grid, "the grid has the keys"
    shapes.shelf.choose([0])
    shapes.grid.placed.emit()
    _placed(qtbot, scene, 2)
    target = np.asarray(scene.session.stage.view.target)
    heights = (_corners(scene, _node(scene, Mesh)) - target) @ np.asarray(_document(scene).up)
    assert heights.min() == pytest.approx(0.0, abs=1e-5)


def test_a_file_that_went_away_is_told_and_changes_nothing(
    qtbot: QtBot, scene: Window, files
) -> None:
    before = _document(scene)
    files["box"].unlink()
    shapes = _shapes(scene)
    _drop(scene, QPointF(scene.viewport.rect().center()), mime_of([shapes.shelf.asset(0)]))
    qtbot.waitUntil(
        lambda: any("box.obj" in told.notice.text for told in scene.session.told), timeout=30_000
    )
    assert _document(scene) is before
    assert scene.session.busy is None


def test_resting_on_the_tab_opens_the_scene(qtbot: QtBot, scene: Window) -> None:
    scene.workspaces.show_workspace("shapes")
    tab, data = scene.workspaces.tabs[0], mime_of([_shapes(scene).shelf.asset(0)])
    at = QPointF(tab.rect().center())
    enter = QDragEnterEvent(at, COPY, data, LEFT, NONE)
    QApplication.sendEvent(tab, enter)
    assert enter.isAccepted()
    assert scene.workspaces.shown == "shapes"
    qtbot.waitUntil(lambda: scene.workspaces.shown == "scene")


def test_other_files_are_still_opened_or_added(scene: Window, files) -> None:
    data = QMimeData()
    data.setData("text/uri-list", files["box"].as_uri().encode() + b"\r\n")
    event = QDragEnterEvent(QPointF(30.0, 30.0), COPY, data, LEFT, NONE)
    QApplication.sendEvent(scene.viewport, event)
    assert scene.viewport.drop_zones.isVisible()


def test_a_node_of_the_scene_is_sought_in_the_library(
    qtbot: QtBot, scene: Window, store: FakeStore
) -> None:
    _shapes(scene)
    scene.workspaces.show_workspace("scene")
    action = scene.actions_by_id["nodes.similar"]
    document = _document(scene)
    node = next(node for node in document.nodes if node.content is not None)
    scene.session.editing.run("choose", nodes=[])
    qtbot.waitUntil(lambda: not action.isEnabled())
    scene.session.editing.run("choose", nodes=[node.id])
    qtbot.waitUntil(action.isEnabled)
    action.trigger()
    assert scene.workspace == "shapes"
    qtbot.waitUntil(lambda: store.compared == [(node.name,)])
    shapes = _shapes(scene)
    qtbot.waitUntil(lambda: shapes.shelf.question.vector_name == node.name)
