"""The menus: made from the table of actions, with recent files and layouts in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from polyorama_studio.actions import MENUS
from polyorama_studio.actions.action import WORKSPACE_MENUS, has_selection
from polyorama_studio.theme import Metrics
from polyorama_studio.words import menu_text, shortened, tip, translated

if TYPE_CHECKING:
    from polyorama_studio.window import Window

__all__ = ["Menus"]

_CONTEXT_MENU = (
    "view.frame", "view.front", "view.right", "view.top", "", "view.orthographic",
    "view.turntable", "", "file.save-picture", "edit.copy-picture", "edit.copy-command",
    "edit.copy-python",
)  # fmt: skip

_OF_SELECTION = (
    "tools.hide", "tools.isolate", "tools.delete", "select.invert", "select.separate",
    "select.grade", "nodes.similar", "",
)  # fmt: skip
"""What comes first where splats are selected."""
_ALSO = {"select": ("tools.hide", "tools.isolate", "tools.lock", "tools.delete")}
"""Actions of other menus that stand at the foot of a menu, too."""


class Menus(QObject):
    """Fills the window's menu bar, and binds the shortcuts of what is in it."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        preferences = window.session.preferences
        self.recent = QMenu(self.tr("Open recent"), window)
        self.layouts = QMenu(self.tr("Layouts"), window)
        self._by_id: dict[str, QMenu] = {}
        self._fill()
        self._bind_shortcuts()
        preferences.recent_changed.connect(self._fill_recent)
        preferences.changed.connect(self._fill_layouts)
        window.viewport.menu_asked.connect(self.show_context_menu)
        self._fill_recent()
        self._fill_layouts()
        self.show_workspace(window.workspace)

    def _fill(self) -> None:
        window = self._window
        for menu_id, title in MENUS:
            entries = window.actions_by_id.in_menu(menu_id)
            if not entries:
                continue
            menu = QMenu(translated(title), window)
            window.menuBar().addMenu(menu)
            self._by_id[menu_id] = menu
            group = 0
            for action, qt_action in entries:
                if action.group != group:
                    menu.addSeparator()
                    group = action.group
                menu.addAction(qt_action)
                if action.id == "file.open":
                    menu.addMenu(self.recent)
                elif action.id == "window.save-layout":
                    menu.addMenu(self.layouts)
            if menu_id in _ALSO:
                menu.addSeparator()
                for action_id in _ALSO[menu_id]:
                    menu.addAction(window.actions_by_id[action_id])

    def show_workspace(self, workspace_id: str) -> None:
        """Leave the menus of a workspace in the bar, and those of all."""
        for menu_id, menu in self._by_id.items():
            here = WORKSPACE_MENUS.get(menu_id, workspace_id) == workspace_id
            menu.menuAction().setVisible(here)

    def _bind_shortcuts(self) -> None:
        # On the window, so that they work while the menu bar is hidden.
        for action, qt_action in self._window.actions_by_id:
            if action.shortcut == "Tab":
                # Elsewhere Tab moves the focus, as everybody expects.
                qt_action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
                self._window.viewport.addAction(qt_action)
            else:
                self._window.addAction(qt_action)

    @Slot()
    def _fill_recent(self) -> None:
        self.recent.clear()
        preferences = self._window.session.preferences
        recent = preferences.recent
        metrics = self.recent.fontMetrics()
        for path in recent:
            name = shortened(path.name, metrics, Metrics.recent_words)
            action = self.recent.addAction(menu_text(name))
            action.setData(path)
            action.setToolTip(tip(str(path)))
            action.triggered.connect(self._open_recent)
        if recent:
            self.recent.addSeparator()
            self.recent.addAction(self.tr("Forget these")).triggered.connect(
                preferences.forget_recent
            )
        self.recent.setEnabled(bool(recent))

    @Slot()
    def _open_recent(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._window.session.open_files([action.data()])

    @Slot()
    def _fill_layouts(self) -> None:
        names = self._window.session.preferences.layouts
        self.layouts.clear()
        for name in names:
            action = self.layouts.addAction(menu_text(name))
            action.setData(name)
            action.triggered.connect(self._choose_layout)
        self.layouts.setEnabled(bool(names))

    @Slot()
    def _choose_layout(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._window.choose_layout(action.data())

    @Slot(QPoint)
    def show_context_menu(self, position: QPoint) -> None:
        """The menu of the viewport."""
        menu = QMenu(self._window)
        first = _OF_SELECTION if has_selection(self._window.session) else ()
        for action_id in (*first, *_CONTEXT_MENU):
            if action_id:
                menu.addAction(self._window.actions_by_id[action_id])
            else:
                menu.addSeparator()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)
