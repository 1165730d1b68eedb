"""Shapes: what is asked at the left, what was found in the middle, one of it at the right."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.viewport.toasts import ToastStack
from polyorama_studio.workspaces.shapes.atlas import Atlas
from polyorama_studio.workspaces.shapes.bar import Bar
from polyorama_studio.workspaces.shapes.facts import Facts
from polyorama_studio.workspaces.shapes.grid import Grid
from polyorama_studio.workspaces.shapes.landing import Landing
from polyorama_studio.workspaces.shapes.menu import ShapesMenu
from polyorama_studio.workspaces.shapes.placing import place_in_view, place_shapes
from polyorama_studio.workspaces.shapes.shelf import Shelf
from polyorama_studio.workspaces.shapes.side import Side

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent

    from polyorama.scene.document import Document
    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.session import Notice, Session
    from polyorama_studio.window import Window

__all__ = ["ShapesWorkspace"]


class _Toasts(ToastStack):
    """Toasts, while Shapes is what is seen."""

    @Slot(object)
    def add(self, notice: Notice) -> None:
        """Show a notice."""
        if self.parentWidget().isVisible():
            super().add(notice)


@guards
class ShapesWorkspace(QWidget):
    """Everything of Shapes.

    Parameters
    ----------
    session
        Runs jobs, has the scene.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shapes")
        self.session = session
        self.shelf = Shelf(session, self)
        self.side = Side(session, self.shelf, self)
        self.bar = Bar(session, self.shelf, self)
        self.grid = Grid(session, self.shelf, self)
        self.atlas = Atlas(session, self.shelf, self)
        self.facts = Facts(session, self.shelf, self.grid, self)
        self.menu = ShapesMenu(self)
        self.views = QStackedWidget(self)
        self.views.addWidget(self.grid)
        self.views.addWidget(self.atlas)
        self._landing: Landing | None = None
        self._lay_out()
        self.toasts = _Toasts(session, self)
        for source in (self.grid, self.atlas, self.facts):
            source.placed.connect(self.place)
        self.grid.folder_asked.connect(self.side.folders.ask_folder)
        self.grid.folders_dropped.connect(self._add_folders)
        self.side.left.connect(self._enter_view)
        for view in (self.grid, self.atlas):
            view.menu_asked.connect(self.menu.popup)
        self.bar.view_chosen.connect(self.show_view)
        self.bar.side_chosen.connect(self.grid.set_side)
        self.grid.side_changed.connect(self.bar.show_side)
        self._shortcut(QKeySequence(QKeySequence.StandardKey.Paste), self.side.drop.paste)
        self.setFocusProxy(self.grid)
        session.shapes = self.shelf

    def _shortcut(self, keys: QKeySequence, run) -> None:
        shortcut = QShortcut(keys, self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(run)

    def _lay_out(self) -> None:
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.bar)
        middle.addWidget(self.views, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.side)
        row.addLayout(middle, 1)
        row.addWidget(self.facts)

    # What a person does

    @Slot(str)
    def show_view(self, view: str) -> None:
        """Show the "grid" or the "map"."""
        self.bar.show_view(view)
        chosen = self.grid if view == "grid" else self.atlas
        self.views.setCurrentWidget(chosen)
        self.setFocusProxy(chosen)
        chosen.setFocus()
        self.shelf.set_mapped(chosen is self.atlas)

    @Slot()
    def focus_search(self) -> None:
        """Let words be typed."""
        self.side.search.setFocus()
        self.side.search.selectAll()

    @Slot(list)
    def _add_folders(self, paths: list[Path]) -> None:
        for path in paths:
            self.shelf.add_folder(path)

    @Slot()
    def _enter_view(self) -> None:
        """From the search to what was found."""
        view = self.views.currentWidget()
        view.setFocus()
        if view is self.grid and self.shelf.current < 0 and len(self.shelf.found):
            self.shelf.choose(self.shelf.found.ids[:1].tolist())

    def edit_tags(self) -> None:
        """Let tags be typed."""
        self.facts.tags.setFocus()
        self.facts.tags.selectAll()

    @Slot()
    def place(self) -> None:
        """Put what is chosen where the view of the scene looks, and show the scene."""
        self._place(linked=False)

    def place_linked(self) -> None:
        """As `place`, while the project keeps the files' paths alone."""
        self._place(linked=True)

    def _place(self, *, linked: bool) -> None:
        chosen = self.shelf.chosen
        if chosen and self.shelf.can_take():
            self.shelf.fetch(chosen, partial(self._place_all, linked))

    def _place_all(self, linked: bool, assets: list[Asset]) -> None:
        window: Window = self.window()  # type: ignore[assignment]
        there = self.session.editing.document is not None
        place = place_in_view(window.viewport) if there else None
        window.workspaces.show_workspace("scene")
        place_shapes(self.session, [asset.path for asset in assets], place, linked=linked)

    def find_like(self, document: Document, nodes: Sequence[str]) -> None:
        """Look for what resembles nodes of a scene, or what is selected of them."""
        self.shelf.find_like(document, nodes)

    # Events

    def showEvent(self, event: QShowEvent) -> None:
        """Open the library when it is first seen; from then on shapes can be dropped."""
        super().showEvent(event)
        self.shelf.open()
        self.shelf.set_watching(True)
        if self._landing is None and hasattr(self.window(), "workspaces"):
            self._landing = Landing(self.window(), self)  # type: ignore[arg-type]

    def hideEvent(self, event: QHideEvent) -> None:
        """Folders are looked at while somebody looks."""
        super().hideEvent(event)
        self.shelf.set_watching(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Toasts keep their corner."""
        super().resizeEvent(event)
        self.toasts.place()
