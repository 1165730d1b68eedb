"""How to move around, and every shortcut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.fuzzy import fit
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["KeysDialog"]

_COLUMNS = 3

Row = tuple[str, str]
"""What is done, and how."""


class _Section(QFrame):
    """A heading and its rows; those that a search does not mean are hidden."""

    def __init__(self, title: str, rows: list[Row], parent: QWidget) -> None:
        super().__init__(parent)
        heading = QLabel(title, self)
        heading.setProperty("heading", True)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, Metrics.space[2])
        grid.setHorizontalSpacing(Metrics.space[3])
        grid.setVerticalSpacing(Metrics.space[0] + Metrics.hair)
        grid.setColumnStretch(0, 1)
        grid.addWidget(heading, 0, 0, 1, 2)
        self.rows: list[tuple[str, QLabel, QLabel]] = []
        for number, (what, how) in enumerate(rows, start=1):
            words, keys = QLabel(what, self), QLabel(how, self)
            keys.setProperty("quiet", True)
            grid.addWidget(words, number, 0)
            grid.addWidget(keys, number, 1, Qt.AlignmentFlag.AlignRight)
            self.rows.append((f"{what} {how} {title}", words, keys))

    def search(self, query: str) -> None:
        """Leave what a query may mean."""
        some = False
        for text, words, keys in self.rows:
            meant = fit(query, text) is not None
            some = some or meant
            words.setVisible(meant)
            keys.setVisible(meant)
        self.setVisible(some)


class KeysDialog(Dialog):
    """How to move around, and every shortcut; with a search over them.

    Parameters
    ----------
    tables
        Titles and rows of what has a shortcut.
    """

    def __init__(
        self, tables: Sequence[tuple[str, list[Row]]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.set_heading(self.tr("Mouse and keys"))
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search"))
        self.search.setClearButtonEnabled(True)
        inside = QWidget(self)
        inside.setObjectName("panelBody")
        self.sections = [
            _Section(title, rows, inside) for title, rows in (self._moves(), *tables) if rows
        ]
        row = QHBoxLayout(inside)
        row.setContentsMargins(0, 0, Metrics.space[2], 0)
        row.setSpacing(2 * Metrics.space[4])
        for sections in _balanced(self.sections):
            column = QVBoxLayout()
            column.setSpacing(0)
            for section in sections:
                column.addWidget(section)
            column.addStretch(1)
            row.addLayout(column, 1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        area.setMinimumSize(inside.sizeHint().width() + Metrics.space[2], Metrics.keys_height)
        self.body.addWidget(self.search)
        self.body.addWidget(area, 1)
        self.add_button(self.tr("Close"), self.accept, primary=True)
        self.search.textChanged.connect(self._on_search)
        self.search.setFocus()

    def _moves(self) -> tuple[str, list[Row]]:
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
        return self.tr("Mouse"), moves

    @Slot(str)
    def _on_search(self, query: str) -> None:
        for section in self.sections:
            section.search(query)


def _balanced(sections: list[_Section]) -> list[list[_Section]]:
    """The sections in columns of about the same height, in their order."""
    total = sum(len(section.rows) + 2 for section in sections)
    columns: list[list[_Section]] = [[]]
    filled = 0
    for section in sections:
        size = len(section.rows) + 2
        full = len(columns) < _COLUMNS and filled + size / 2 > total * len(columns) / _COLUMNS
        if columns[-1] and full:
            columns.append([])
        columns[-1].append(section)
        filled += size
    return columns
