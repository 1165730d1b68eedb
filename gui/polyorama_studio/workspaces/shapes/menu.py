"""What can be done with chosen shapes: the menu of the grid and of the map."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from polyorama_studio.icons import icon
from polyorama_studio.words import menu_text
from polyorama_studio.workspaces.shapes.lists import reveal
from polyorama_studio.workspaces.shapes.question import Like
from polyorama_studio.workspaces.shapes.shelf import title_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.workspaces.shapes.workspace import ShapesWorkspace

__all__ = ["ShapesMenu"]


class ShapesMenu(QObject):
    """Opens the menu and does what it offers.

    Parameters
    ----------
    workspace
        Whose chosen shapes are meant.
    """

    def __init__(self, workspace: ShapesWorkspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._shelf = workspace.shelf

    @Slot(QPoint)
    def popup(self, place: QPoint) -> None:
        """Open it at a place of the screen."""
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def menu(self) -> QMenu:
        """The menu for what is chosen now."""
        workspace, side = self._workspace, self._workspace.side
        menu = QMenu(workspace)
        self._add(menu, self.tr("Place in the scene"), workspace.place, "add")
        self._add(menu, self.tr("Place linked"), workspace.place_linked, "chain")
        menu.addSeparator()
        self._add(menu, self.tr("Find similar"), self.find_similar, "alike")
        self._add(menu, self.tr("Like this but..."), self.find_like_but)
        menu.addSeparator()
        collections = menu.addMenu(self.tr("Add to collection"))
        for entry in self._shelf.overview.collections:
            collections.addAction(menu_text(entry.name), partial(self._collect, entry.name))
        if self._shelf.overview.collections:
            collections.addSeparator()
        collections.addAction(self.tr("New collection..."), side.collections.ask_new_of_chosen)
        if self._shelf.question.collection:
            self._add(menu, self.tr("Take out of the collection"), self._uncollect)
        self._add(menu, self.tr("Edit tags"), workspace.edit_tags)
        menu.addSeparator()
        self._add(menu, self.tr("Show in the file manager"), self._reveal, "folder")
        self._add(menu, self.tr("Copy path"), self._copy, "copy")
        return menu

    def _add(self, menu: QMenu, title: str, run: Callable[[], object], name: str = "") -> None:
        if name:
            tokens = self._workspace.session.theme.tokens
            menu.addAction(icon(name, tokens.color("quiet")), title, run)
        else:
            menu.addAction(title, run)

    def find_similar(self) -> None:
        """Look for what resembles all that is chosen."""
        self._shelf.find_similar(self._shelf.assets)

    def find_like_but(self) -> None:
        """Look for what resembles it, and let words be added."""
        asset = self._shelf.asset(self._shelf.current)
        if asset is not None:
            self._shelf.question.like(Like(asset.id, title_of(asset)))
            self._workspace.focus_search()

    def _collect(self, name: str) -> None:
        self._shelf.collect(name, self._shelf.chosen)

    def _uncollect(self) -> None:
        self._shelf.uncollect(self._shelf.question.collection, self._shelf.chosen)

    def _reveal(self) -> None:
        asset = self._shelf.asset(self._shelf.current)
        if asset is not None:
            reveal(asset.path)

    def _copy(self) -> None:
        if self._shelf.can_take():
            self._shelf.fetch(self._shelf.chosen, self._on_copied)

    def _on_copied(self, assets: list[Asset]) -> None:
        paths = [str(asset.path) for asset in assets]
        QGuiApplication.clipboard().setText("\n".join(paths))
        session = self._workspace.session
        session.tell("info", self.tr("Path copied") if len(paths) == 1 else self.tr("Paths copied"))
