"""The outliner: what is in the scene, as a tree, and the selections that have names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.panels.named import NamedSelections
from polyorama_studio.panels.node_commands import COMMANDS, NodeCommand
from polyorama_studio.panels.parts import IconButton, column_of
from polyorama_studio.panels.tree_view import NodeView
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QShowEvent

    from polyorama_studio.session import Session

__all__ = ["OutlinerPanel"]

_PAUSE_MS = 120


@guards
class OutlinerPanel(QWidget):
    """Search, tree, named selections."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._session = session
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search nodes by name or kind"))
        self.search.setClearButtonEnabled(True)
        self.search.setFixedHeight(Metrics.control)
        self._glass = self.search.addAction(
            icon("search", session.theme.tokens.color("quiet")),
            QLineEdit.ActionPosition.LeadingPosition,
        )
        self.add = IconButton(session.theme, "add", self.tr("Add a node"), self)
        self.add.clicked.connect(self._show_add)
        self.view = NodeView(session, self)
        self.named = NamedSelections(session, self)
        top = QHBoxLayout()
        top.setSpacing(Metrics.space[0])
        top.addWidget(self.search, 1)
        top.addWidget(self.add)
        column = column_of(self)
        side = Metrics.space[0]
        column.setContentsMargins(side, side, side, side)
        column.addLayout(top)
        column.addWidget(self.view, 1)
        column.addWidget(self.named)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._on_searched)
        self.search.textChanged.connect(self._on_typed)
        self.view.menu_asked.connect(self.show_menu)
        self.view.delete_asked.connect(self._delete)
        session.editing.edited.connect(self._on_edited)
        session.editing.replaced.connect(self._on_replaced)
        session.theme.changed.connect(self._on_theme)
        self.refresh()

    # Following

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        self.refresh()

    @Slot()
    def _on_replaced(self) -> None:
        self.search.clear()
        self.view.forget()
        self.refresh()

    @Slot()
    def _on_theme(self) -> None:
        self._glass.setIcon(icon("search", self._session.theme.tokens.color("quiet")))

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile is shown now."""
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Show the document as it is now."""
        self.view.refresh()
        self.named.refresh()
        self.add.setEnabled(self._session.editing.document is not None)

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        self._pause.start()

    @Slot()
    def _on_searched(self) -> None:
        self.view.set_filter(self.search.text())

    # Menus

    @Slot()
    def _show_add(self) -> None:
        menu = self._menu(command for command in COMMANDS if command.group == 0)
        menu.popup(self.add.mapToGlobal(QPoint(0, self.add.height())))

    @Slot(QPoint)
    def show_menu(self, place: QPoint) -> None:
        """What can be done with the chosen nodes."""
        self.node_menu().popup(place)

    def node_menu(self) -> QMenu:
        """The menu of the chosen nodes, or of the scene where none is."""
        document = self._session.editing.document
        chosen = document is not None and bool(document.chosen)
        menu = self._menu(c for c in COMMANDS if (c.group > 0) == chosen)
        if chosen:
            rename = menu.addAction(self.tr("Rename"))
            rename.setShortcut(QKeySequence(Qt.Key.Key_F2))
            rename.triggered.connect(self._rename)
            menu.insertAction(menu.actions()[0], rename)
            first = menu.actions()[1]
            adding = self._menu(command for command in COMMANDS if command.group == 0)
            adding.setTitle(self.tr("Add"))
            adding.setParent(menu, adding.windowFlags())
            menu.insertMenu(first, adding)
            menu.insertSeparator(first)
        return menu

    def _menu(self, commands) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        group = None
        for command in commands:
            if group not in (None, command.group):
                menu.addSeparator()
            group = command.group
            self._entry(menu, command)
        return menu

    def _entry(self, menu: QMenu, command: NodeCommand) -> QAction:
        action = menu.addAction(self.tr(command.title))
        if command.icon:
            action.setIcon(icon(command.icon, self._session.theme.tokens.color("quiet")))
        if command.shortcut:
            action.setShortcut(QKeySequence(command.shortcut))
        action.setData(command)
        action.setEnabled(command.when(self._session))
        action.triggered.connect(self._run)
        return action

    @Slot()
    def _run(self) -> None:
        command = self.sender().data()
        command.run(self._session)

    @Slot()
    def _rename(self) -> None:
        self.view.edit(self.view.currentIndex().siblingAtColumn(0))

    @Slot()
    def _delete(self) -> None:
        self._session.editing.run("remove")
