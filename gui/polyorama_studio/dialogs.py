"""The few dialogs: picture size, mouse and keys, about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListView,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

import polyorama
from polyorama.core.types import MAX_SIDE
from polyorama_studio.actions import ACTIONS, MENUS, translated
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["AboutDialog", "KeysDialog", "PictureDialog"]


class _Dialog(QDialog):
    """Heading, body, buttons at the right foot."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._title = QLabel(self)
        self._title.setProperty("heading", True)
        self.body = QVBoxLayout()
        self.body.setSpacing(Metrics.space[2])
        self._foot = QHBoxLayout()
        self._foot.setSpacing(Metrics.space[1])
        self._foot.addStretch(1)
        layout = QVBoxLayout(self)
        gap = Metrics.space[4]
        layout.setContentsMargins(gap, gap - Metrics.space[0], gap, gap - Metrics.space[0])
        layout.setSpacing(Metrics.space[3])
        layout.addWidget(self._title)
        layout.addLayout(self.body)
        layout.addStretch(1)
        layout.addLayout(self._foot)

    def set_heading(self, text: str) -> None:
        """What the dialog is about."""
        self.setWindowTitle(text)
        self._title.setText(text)

    def add_button(self, text: str, slot, *, primary: bool = False) -> QPushButton:
        """A button at the foot."""
        button = QPushButton(text, self)
        button.setProperty("primary", primary)
        button.setDefault(primary)
        button.setAutoDefault(primary)
        button.clicked.connect(slot)
        self._foot.addWidget(button)
        return button


class PictureDialog(_Dialog):
    """Size and background of a picture that is to be saved."""

    chosen = Signal(object, bool)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_heading(self.tr("Save picture"))
        shown = session.stage.size
        self._sizes: list[tuple[str, tuple[int, int]]] = [
            (self.tr("As in the window"), shown),
            (self.tr("HD"), (1280, 720)),
            (self.tr("Full HD"), (1920, 1080)),
            (self.tr("4K"), (3840, 2160)),
            (self.tr("Square"), (2048, 2048)),
            (self.tr("Portrait"), (1080, 1920)),
        ]
        self.preset = QComboBox(self)
        self.preset.setView(QListView(self.preset))  # only a view of our own obeys the style sheet
        for name, (width, height) in self._sizes:
            self.preset.addItem(f"{name}   {width} x {height}")
        self.preset.addItem(self.tr("Another size"))
        self.width_box = self._box(shown[0])
        self.height_box = self._box(shown[1])
        self.transparent = QCheckBox(self.tr("Transparent background"), self)
        grid = QGridLayout()
        grid.setHorizontalSpacing(Metrics.space[2])
        grid.setVerticalSpacing(Metrics.space[1])
        sides = QHBoxLayout()
        sides.setSpacing(Metrics.space[1])
        times = QLabel("x", self)
        times.setProperty("quiet", True)
        for widget in (self.width_box, times, self.height_box):
            sides.addWidget(widget, 0 if widget is times else 1)
        for row, text in enumerate((self.tr("Size"), self.tr("Width and height"))):
            label = QLabel(text, self)
            label.setProperty("quiet", True)
            grid.addWidget(label, row, 0)
        grid.addWidget(self.preset, 0, 1)
        grid.addLayout(sides, 1, 1)
        grid.addWidget(self.transparent, 2, 1)
        self.body.addLayout(grid)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(self.tr("Save..."), self._choose, primary=True)
        self.setMinimumWidth(Metrics.toast_width)
        self.preset.currentIndexChanged.connect(self._on_preset)
        self.width_box.valueChanged.connect(self._on_side)
        self.height_box.valueChanged.connect(self._on_side)

    @Slot()
    def _choose(self) -> None:
        self.accept()
        self.chosen.emit(self.size_chosen, self.transparent.isChecked())

    def _box(self, value: int) -> QSpinBox:
        box = QSpinBox(self)
        box.setRange(1, MAX_SIDE)
        box.lineEdit().setTextMargins(Metrics.space[0], 0, 0, 0)
        box.setValue(value)
        box.setSuffix(self.tr(" px"))
        return box

    @property
    def size_chosen(self) -> tuple[int, int]:
        """(width, height), pixels."""
        return self.width_box.value(), self.height_box.value()

    @Slot(int)
    def _on_preset(self, index: int) -> None:
        if index < len(self._sizes):
            width, height = self._sizes[index][1]
            for box, value in ((self.width_box, width), (self.height_box, height)):
                box.blockSignals(True)
                box.setValue(value)
                box.blockSignals(False)

    @Slot(int)
    def _on_side(self, value: int) -> None:
        sizes = [size for _, size in self._sizes]
        index = sizes.index(self.size_chosen) if self.size_chosen in sizes else len(sizes)
        self.preset.blockSignals(True)
        self.preset.setCurrentIndex(index)
        self.preset.blockSignals(False)


class KeysDialog(_Dialog):
    """How to move around, and every shortcut of the action table."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_heading(self.tr("Mouse and keys"))
        moves = [
            (self.tr("Orbit"), self.tr("Left drag, arrow keys")),
            (self.tr("Pan"), self.tr("Middle drag, or Shift with the above")),
            (self.tr("Zoom"), self.tr("Wheel, pinch, plus and minus")),
            (self.tr("Turn about a point"), self.tr("Double-click it")),
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


class AboutDialog(_Dialog):
    """Version and licence."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_heading(self.tr("Polyorama"))
        words = QLabel(
            self.tr(
                "Edit splat scenes, find shapes, make faces talk, and watch learning happen.\n\n"
                "Version {0}, Apache License 2.0"
            ).format(polyorama.__version__),
            self,
        )
        words.setWordWrap(True)
        words.setMinimumWidth(Metrics.toast_width - 2 * Metrics.space[4])
        words.setProperty("quiet", True)
        self.body.addWidget(words)
        self.add_button(self.tr("Close"), self.accept, primary=True)
