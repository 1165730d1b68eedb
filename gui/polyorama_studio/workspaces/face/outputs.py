"""Where the values of a live face go: other programs, by Live Link and OSC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from polyorama_studio.fields.row import Label
from polyorama_studio.fields.simple import SwitchField
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from polyorama_studio.theme import Theme

__all__ = ["Outputs"]

_LIVE_LINK, _OSC = "127.0.0.1:11111", "127.0.0.1:9000"


class Outputs(QWidget):
    """A switch and an address for each way out."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(Metrics.space[0])
        self.live_link, self.live_link_to = self._way(0, self.tr("Live Link"), _LIVE_LINK)
        self.osc, self.osc_to = self._way(1, self.tr("OSC"), _OSC)

    @property
    def live_link_address(self) -> str:
        """Where Live Link goes, or "" while it is off."""
        return self.live_link_to.text().strip() if self.live_link.isChecked() else ""

    @property
    def osc_address(self) -> str:
        """Where OSC goes, or "" while it is off."""
        return self.osc_to.text().strip() if self.osc.isChecked() else ""

    def _way(self, column: int, title: str, where: str) -> tuple[SwitchField, QLineEdit]:
        switch = SwitchField(self._theme, title, self)
        switch.setToolTip(tip(self.tr("Send all values to another program as {0}").format(title)))
        field = QLineEdit(where, self)
        field.setAccessibleName(self.tr("Where {0} goes").format(title))
        field.setToolTip(tip(self.tr("Host and port of the program that listens")))
        field.setFixedHeight(Metrics.control)
        field.setFont(font(Metrics.label, tabular=True))
        field.setTextMargins(-Metrics.space[0], 0, -Metrics.space[0], 0)
        label = Label(title, self)
        label.setFixedWidth(label.fontMetrics().horizontalAdvance(title) + Metrics.space[0])
        for at, widget in enumerate((switch, label, field)):
            self._grid.addWidget(widget, 0, 3 * column + at)
        self._grid.setColumnStretch(3 * column + 2, 1)
        switch.changed.connect(self._on_changed)
        field.editingFinished.connect(self._on_changed)
        return switch, field

    @Slot()
    def _on_changed(self) -> None:
        self.changed.emit()
