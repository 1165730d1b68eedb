"""Shapes: a library is made, searched, looked through, mapped; a shape is dropped on the scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
)
from PySide6.QtWidgets import QApplication, QLineEdit

from polyorama.scene.mesh import Mesh
from polyorama_studio.workspaces.shapes import shelf as shelf_module
from polyorama_studio.workspaces.shapes.mime import mime_of
from polyorama_studio.workspaces.shapes.workspace import ShapesWorkspace
from tests.conftest import shared_folder
from tests.gui.walks.steps import Step

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtCore import QMimeData

    from polyorama_studio.workspaces.shapes.stock import Store
    from tests.gui.walks.walk import Walk

__all__ = ["STEPS"]

_LONG = 240.0
"""Indexing compiles what it draws with, and loads the model that compares, s."""
_COLORS = {
    "red": (0.9, 0.15, 0.1), "green": (0.2, 0.8, 0.3), "blue": (0.15, 0.3, 0.9),
    "yellow": (0.9, 0.8, 0.2),
}  # fmt: skip


def _box(path: Path, color: tuple[float, float, float], high: float) -> None:
    tint = " ".join(map(str, color))
    corners = [(x, y, z) for x in (0, 1) for y in (0, high) for z in (0, 1)]
    faces = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
    lines = [f"v {x} {y} {z} {tint}" for x, y, z in corners] + [f"f {face}" for face in faces]
    path.write_text("\n".join(lines), "utf-8")


def _models(walk: Walk) -> Path:
    """A pack of CC0 models where they lie at hand, else boxes; with one file that is none."""
    pack = shared_folder() / "shapes" / "kaykit-furniture"
    if pack.is_dir():
        return pack
    folder = walk.home / "models"
    if not folder.is_dir():
        folder.mkdir()
        for name, color in _COLORS.items():
            for high in (1, 2, 3):
                _box(folder / f"{name}_box_{high}.obj", color, high)
        (folder / "broken.obj").write_text("f 1 2 3", "utf-8")
    return folder


def _own_library(walk: Walk) -> None:
    """A library of this walk, in the place of the person's own."""

    def make() -> Store:
        from polyorama.shapes.library.library import Library
        from polyorama_studio.workspaces.shapes.store import EngineStore

        return EngineStore(Library(walk.home / "library"))

    shelf_module.make_store = make


def _shapes(walk: Walk) -> ShapesWorkspace:
    if not walk.window.workspaces.is_made("shapes"):
        _own_library(walk)
    walk.click(walk.button("Shapes"))
    shapes = walk.window.workspaces.make("shapes")
    assert isinstance(shapes, ShapesWorkspace)
    walk.until(lambda: shapes.shelf.ready, "The library does not open.", _LONG)
    return shapes


def _calm(walk: Walk, shapes: ShapesWorkspace) -> None:
    def calm() -> bool:
        jobs = walk.session.jobs.active
        return not shapes.shelf.searching and shapes.shelf.indexing is None and not jobs

    walk.until(calm, "Shapes does not come to rest.", _LONG)
    walk.rest(200)


def _shot(walk: Walk, shapes: ShapesWorkspace, part: str) -> None:
    _calm(walk, shapes)
    walk.shot(part, settle=False)


def _filled(walk: Walk) -> ShapesWorkspace:
    shapes = _shapes(walk)
    if not shapes.shelf.overview.count:
        shapes.shelf.add_folder(_models(walk))
        walk.until(lambda: shapes.shelf.indexing is not None, "Indexing does not begin.", _LONG)
    _calm(walk, shapes)
    walk.check(len(shapes.shelf.found) > 0, "Nothing was indexed.")
    shapes.shelf.question.clear()
    shapes.show_view("grid")
    _calm(walk, shapes)
    return shapes


def _at(shapes: ShapesWorkspace, index: int) -> QPointF:
    return shapes.grid.tiles.box(index, shapes.grid.scroll).center()


def library(walk: Walk) -> None:
    """The empty library invites; a folder is added and indexed."""
    try:
        shapes = _shapes(walk)
        if not shapes.shelf.overview.count:
            _shot(walk, shapes, "empty")
            shapes.shelf.add_folder(_models(walk))
            walk.until(lambda: shapes.shelf.indexing is not None, "Indexing does not begin.", _LONG)
            walk.until(shapes.side.folders.bar.isVisible, "No progress is shown.")
            walk.until(lambda: len(shapes.shelf.found) > 0, "No shape is found.", _LONG)
            walk.shot("indexing", settle=False)
        _shot(walk, shapes, "indexed")
        walk.check(shapes.side.folders.rows, "The folder is not listed.")
    finally:
        walk.window.workspaces.show_workspace("scene")


def search(walk: Walk) -> None:
    """Words, a filter with a mistake, without it; a picture; what is similar."""
    try:
        shapes = _filled(walk)
        every = len(shapes.shelf.found)
        walk.click(shapes.side.search)
        walk.write("chair")
        walk.until(lambda: shapes.shelf.found.ranked, "Words do not search.", _LONG)
        _shot(walk, shapes, "words")
        field = walk.find(QLineEdit, "Filter", shapes.side)
        walk.click(field)
        walk.write("polis < 9")
        walk.until(shapes.side.filters.wrong.isVisible, "A wrong filter is not told.")
        _shot(walk, shapes, "wrong-filter")
        field.selectAll()
        walk.write("polys < 400")
        walk.until(
            lambda: len(shapes.shelf.found) < every and not shapes.side.filters.wrong.isVisible(),
            "The filter leaves everything.",
        )
        walk.click(walk.button("Show all", shapes))
        walk.until(lambda: len(shapes.shelf.found) == every, "Not everything comes back.")
        image = QImage(160, 160, QImage.Format.Format_RGB32)
        image.fill(QColor.fromRgbF(0.2, 0.35, 0.8))
        QGuiApplication.clipboard().setImage(image)
        walk.keys("Ctrl+V")
        walk.until(lambda: shapes.side.chips.chips, "A picture cannot be pasted.")
        _shot(walk, shapes, "picture")
        walk.click(shapes.grid.viewport(), _at(shapes, 1))
        chosen = shapes.shelf.current
        walk.click(walk.button("Find similar", shapes.facts))
        walk.until(lambda: shapes.shelf.question.likes, "Nothing similar is sought.")
        _calm(walk, shapes)
        first = int(shapes.shelf.found.ids[0])
        walk.check(first == chosen, "A shape is not most like itself.")
        _shot(walk, shapes, "similar")
    finally:
        walk.window.workspaces.show_workspace("scene")


def look(walk: Walk) -> None:
    """Hover turns, keys go through the grid, the large one turns under the hand, the map."""
    try:
        shapes = _filled(walk)
        grid, preview = shapes.grid, shapes.facts.preview
        walk.move(grid.viewport(), _at(shapes, 2))
        asset = shapes.shelf.asset(int(shapes.shelf.found.ids[2]))
        walk.until(lambda: grid.spins.of(asset), "Nothing turns under the pointer.", _LONG)
        _shot(walk, shapes, "turned")
        walk.click(grid.viewport(), _at(shapes, 0))
        walk.keys("Right", "Down", "Shift+Right")
        walk.check(len(shapes.shelf.chosen) == 2, "Keys do not choose.")
        walk.until(lambda: preview.orbit.pixmap, "The large shape stays flat.", _LONG)
        middle = QPointF(preview.rect().center())
        walk.move(preview, middle)
        walk.until(lambda: preview.asset.id == shapes.shelf.current, "The chosen one is not shown.")
        walk.until(lambda: preview.orbit.pixmap, "The chosen one stays flat.", _LONG)
        walk.drag(preview, [middle, middle + QPointF(90.0, -40.0)])
        walk.check(preview.orbit.azimuth > 30.0, "A drag does not turn the shape.")
        walk.check(preview.orbit.elevation < -10.0, "A drag does not tilt the shape.")
        _shot(walk, shapes, "preview")
        walk.drag(shapes.bar.view, [QPointF(shapes.bar.view.width() - 12.0, 12.0)])
        walk.until(shapes.atlas.isVisible, "The map is not shown.")
        walk.until(lambda: shapes.shelf.plan is not None, "No map is made.", _LONG)
        _calm(walk, shapes)
        walk.wheel(shapes.atlas, QPointF(shapes.atlas.rect().center()), 3)
        places = shapes.atlas.places()
        inside = (places > 40) & (places < (shapes.atlas.width() - 40, shapes.atlas.height() - 40))
        row = int(np.flatnonzero(inside.all(axis=1))[0])
        walk.click(shapes.atlas, QPointF(*map(float, places[row])))
        walk.check(shapes.shelf.current >= 0, "A click on the map chooses nothing.")
        _shot(walk, shapes, "map")
        shapes.show_view("grid")
    finally:
        walk.window.workspaces.show_workspace("scene")


def _send(walk: Walk, data: QMimeData, at: QPointF, *kinds: type) -> None:
    keys, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    for kind in kinds:
        event = kind(at, Qt.DropAction.CopyAction, data, left, keys)
        QApplication.sendEvent(walk.viewport, event)
        walk.rest(80)


def similar(walk: Walk) -> None:
    """What stands in the scene is sought in the library, by a command of the palette."""
    try:
        shapes = _filled(walk)
        walk.window.workspaces.show_workspace("scene")
        walk.settle()
        node = next(node for node in walk.document.nodes if node.splats is not None)
        walk.session.editing.run("choose", nodes=[node.id])
        walk.shot("node")
        walk.window.actions_by_id["nodes.similar"].trigger()
        walk.until(lambda: shapes.shelf.question.vector_name, "No node is compared.", _LONG)
        walk.until(lambda: shapes.shelf.found.ranked, "Nothing is found.", _LONG)
        _shot(walk, shapes, "found")
    finally:
        walk.window.workspaces.show_workspace("scene")


def place(walk: Walk) -> None:
    """A shape is dropped on the floor of the scene, and taken back by one step."""
    try:
        shapes = _filled(walk)
        walk.click(shapes.grid.viewport(), _at(shapes, 0))
        walk.until(lambda: shapes.shelf.assets, "Nothing is chosen.")
        data = mime_of(shapes.shelf.assets)
        walk.check([QUrl(u).isLocalFile() for u in data.urls()] == [True], "No file is dragged.")
        walk.window.workspaces.show_workspace("scene")
        walk.settle()
        view = walk.viewport
        at = QPointF(0.5 * view.width(), 0.62 * view.height())
        before = len(walk.document.nodes)
        _send(walk, data, at, QDragEnterEvent, QDragMoveEvent)
        walk.shot("landing", settle=False)
        _send(walk, data, at, QDropEvent)
        walk.until(lambda: len(walk.document.nodes) > before, "Nothing was placed.", _LONG)
        walk.settle()
        walk.check(isinstance(walk.document.nodes[-1].content, Mesh), "No mesh was placed.")
        walk.shot("placed")
        walk.keys("Ctrl+Z")
        walk.until(lambda: len(walk.document.nodes) == before, "One step does not take it back.")
    finally:
        walk.window.workspaces.show_workspace("scene")


STEPS = (
    Step("shapes-library", library),
    Step("shapes-search", search),
    Step("shapes-look", look),
    Step("shapes-similar", similar),
    Step("shapes-place", place),
)
