"""How to move around, and every shortcut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from polyorama_studio.actions import ACTIONS, MENUS, translated
from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["KeysDialog"]


class KeysDialog(Dialog):
    """How to move around, and every shortcut of the action table."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_heading(self.tr("Mouse and keys"))
        moves = [
            (self.tr("Orbit"), self.tr("Left drag, Alt with any tool, arrow keys")),
            (self.tr("Pan"), self.tr("Middle drag, or Shift with the above")),
            (self.tr("Zoom"), self.tr("Wheel, pinch, plus and minus")),
            (self.tr("Fly"), self.tr("Right button and W, A, S, D, Q, E; Shift, wheel")),
            (self.tr("Turn about a point"), self.tr("Double-click it")),
            (self.tr("Add, remove, intersect"), self.tr("Shift, Ctrl, both with any selection")),
            (self.tr("Size of the brush"), self.tr("[ and ], Alt and the wheel")),
            (self.tr("While something is dragged"), self.tr("X, Y, Z, a number, Ctrl snaps")),
        ]
        columns = QHBoxLayout()
        columns.setSpacing(2 * Metrics.space[4])
        left, right = QVBoxLayout(), QVBoxLayout()
        self._section(left, self.tr("Mouse"), moves)
        for menu, title in MENUS:
            rows = [
                (translated(a.title).rstrip("."), _keys(a.shortcut))
                for a in ACTIONS
                if a.menu == menu and a.shortcut
            ]
            if rows:
                self._section(
                    right if menu in ("view", "window", "help") else left, translated(title), rows
                )
        for column in (left, right):
            column.setSpacing(Metrics.space[3])
            column.addStretch(1)
            columns.addLayout(column)
        self.body.addLayout(columns)
        self.add_button(self.tr("Close"), self.accept, primary=True)

    def _section(self, column: QVBoxLayout, title: str, rows: list[tuple[str, str]]) -> None:
        heading = QLabel(title, self)
        heading.setProperty("heading", True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(Metrics.space[4])
        grid.setVerticalSpacing(Metrics.space[0] + Metrics.hair)
        grid.addWidget(heading, 0, 0, 1, 2)
        for number, (what, how) in enumerate(rows, start=1):
            label = QLabel(how, self)
            label.setProperty("quiet", True)
            grid.addWidget(QLabel(what, self), number, 0)
            grid.addWidget(label, number, 1, Qt.AlignmentFlag.AlignRight)
        column.addLayout(grid)


def _keys(shortcut: str) -> str:
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
