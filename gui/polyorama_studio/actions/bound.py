"""The table of actions bound to a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QKeySequence

from polyorama_studio.actions.action import MENUS
from polyorama_studio.icons import icon
from polyorama_studio.words import menu_text, translated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama_studio.actions.action import Action
    from polyorama_studio.window import Window

__all__ = ["ActionSet", "translated"]


class _Bound(QObject):
    """Connects one QAction with its entry in the table."""

    def __init__(self, action: Action, window: Window, parent: QObject) -> None:
        super().__init__(parent)
        self.action = action
        self._window = window
        self.qt = QAction(translated(action.title), self)
        self.qt.setObjectName(action.id)
        if action.shortcut:
            self.qt.setShortcut(QKeySequence(action.shortcut))
        self.qt.setCheckable(action.checked is not None)
        # A menu shows an icon in the place of the mark that says that it is on.
        self.qt.setIconVisibleInMenu(action.checked is None or action.rail)
        self.qt.setToolTip(self._tooltip())
        self.qt.setStatusTip(translated(action.tooltip))
        self.qt.triggered.connect(self._run)
        self._tinted: tuple[str, bool] | None = None

    def _tooltip(self) -> str:
        keys = self.qt.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        lines = [translated(self.action.tooltip or self.action.title)]
        if keys:
            lines[0] += f"  ({keys})"
        if self.action.python:
            lines.append(self.action.python)
        return "\n".join(lines)

    @Slot()
    def _run(self) -> None:
        self.action.run(self._window)
        self.refresh()

    def refresh(self) -> None:
        """Whether it can be done, and whether it is on."""
        here = self.action.workspace in ("", self._window.workspace)
        self.qt.setEnabled(here and self.action.when(self._window.session))
        if self.action.checked is not None:
            self.qt.setChecked(self.action.checked(self._window))
        if self.action.what is not None:
            title, what = translated(self.action.title), self.action.what(self._window.session)
            self.qt.setText(menu_text(f"{title} {what}".strip()))

    def tint(self) -> None:
        """The icon in the theme's colours."""
        if self.action.icon:
            tokens = self._window.session.theme.tokens
            on = self.action.checked is not None and self.qt.isChecked()
            if self._tinted == (tokens.name, on):
                return
            self._tinted = (tokens.name, on)
            token = "accent" if on and self.action.rail else "text"
            disabled = tokens.color("quiet")
            disabled.setAlphaF(0.45)
            self.qt.setIcon(icon(self.action.icon, tokens.color(token), disabled))


def _group(bound: _Bound) -> int:
    return bound.action.group


class ActionSet(QObject):
    """The table, bound to a window."""

    def __init__(self, window: Window, actions: tuple[Action, ...]) -> None:
        super().__init__(window)
        self._bound = {action.id: _Bound(action, window, self) for action in actions}
        self.refresh()

    def __iter__(self) -> Iterator[tuple[Action, QAction]]:
        return ((bound.action, bound.qt) for bound in self._bound.values())

    def __getitem__(self, action_id: str) -> QAction:
        return self._bound[action_id].qt

    def shortcut_tables(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """By the titles of menus: what has a shortcut, and that as this system writes it."""
        native = QKeySequence.SequenceFormat.NativeText
        return [
            (
                translated(title),
                [
                    (translated(a.title).rstrip("."), QKeySequence(a.shortcut).toString(native))
                    for a, _ in self.in_menu(menu)
                    if a.shortcut
                ],
            )
            for menu, title in MENUS
        ]

    def in_menu(self, menu: str) -> list[tuple[Action, QAction]]:
        """The actions of a menu: by group, and in each as the table has them."""
        there = [b for b in self._bound.values() if b.action.menu == menu]
        return [(b.action, b.qt) for b in sorted(there, key=_group)]

    def in_rail(self) -> list[tuple[Action, QAction]]:
        """The actions of the rail, in order."""
        return [(b.action, b.qt) for b in self._bound.values() if b.action.rail]

    @Slot()
    def refresh(self) -> None:
        """Bring all actions up to date."""
        for bound in self._bound.values():
            bound.refresh()
            bound.tint()
