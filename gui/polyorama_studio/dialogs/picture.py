"""Size and background of a picture that is to be saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListView,
    QSpinBox,
    QWidget,
)

from polyorama.core.types import MAX_SIDE
from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.fields.simple import ChoiceField
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["PictureDialog"]


class PictureDialog(Dialog):
    """Size and background of a picture that is to be saved."""

    chosen = Signal(object, str)

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
            self.preset.addItem(f"{name}   {width} x {height} px")
        self.preset.addItem(self.tr("Another size"))
        self.width_box = self._box(shown[0])
        self.height_box = self._box(shown[1])
        choices = (
            ("document", self.tr("The scene's own")), ("stage", self.tr("As in the viewport")),
            ("transparent", self.tr("Transparent")),
        )  # fmt: skip
        self.background = ChoiceField(choices, self.tr("Background"), self)
        self.background.set_value("document")
        grid = QGridLayout()
        grid.setHorizontalSpacing(Metrics.space[2])
        grid.setVerticalSpacing(Metrics.space[1])
        sides = QHBoxLayout()
        sides.setSpacing(Metrics.space[1])
        times = QLabel("x", self)
        times.setProperty("quiet", True)
        for widget in (self.width_box, times, self.height_box):
            sides.addWidget(widget, 0 if widget is times else 1)
        titles = (self.tr("Size"), self.tr("Width and height"), self.tr("Background"))
        for row, text in enumerate(titles):
            label = QLabel(text, self)
            label.setProperty("quiet", True)
            grid.addWidget(label, row, 0)
        grid.addWidget(self.preset, 0, 1)
        grid.addLayout(sides, 1, 1)
        grid.addWidget(self.background, 2, 1)
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
        self.chosen.emit(self.size_chosen, self.background.value)

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
