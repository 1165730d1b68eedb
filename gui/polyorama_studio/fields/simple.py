"""Fields for what is no number: switches, choices and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLineEdit,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QEnterEvent, QKeyEvent, QPaintEvent, QWheelEvent

    from polyorama_studio.theme import Theme

__all__ = ["ChoiceField", "SwitchField", "TextField"]


@guards
class SwitchField(QAbstractButton):
    """On or off; a click or Space turns it over."""

    changed = Signal(bool)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.mixed = False
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(self.sizeHint())
        self.clicked.connect(self._on_clicked)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """A pill in the height of a field."""
        return QSize(Metrics.switch_width + Metrics.space[0], Metrics.control)

    def set_value(self, value: bool, *, mixed: bool = False) -> None:
        """Show a state without telling anybody."""
        if value != self.isChecked() or mixed != self.mixed:
            self.mixed = mixed
            self.setChecked(value)
            self.update()

    @Slot()
    def _on_clicked(self) -> None:
        self.mixed = False
        self.changed.emit(self.isChecked())

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be clicked."""
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Back to quiet."""
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A pill with a knob: at the right and in the accent where it is on."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        high, wide = float(Metrics.switch_height), float(Metrics.switch_width)
        pill = QRectF(1.0, (self.height() - high) / 2.0, wide, high)
        on = self.isChecked() and not self.mixed
        painter.setBrush(tokens.color("accent" if on else "raised"))
        edge = "accent" if on else "quiet"
        if self.hasFocus():
            edge = "text" if on else "accent"
        painter.setPen(tokens.color(edge))
        painter.drawRoundedRect(pill.adjusted(0.5, 0.5, -0.5, -0.5), high / 2.0, high / 2.0)
        knob = high - 2.0 * Metrics.line_gap
        left = pill.left() + Metrics.line_gap
        if self.mixed:
            left = pill.center().x() - knob / 2.0
        elif on:
            left = pill.right() - Metrics.line_gap - knob
        painter.setPen(Qt.PenStyle.NoPen)
        hovered = self.underMouse() and not on
        painter.setBrush(tokens.color("on_accent" if on else "text" if hovered else "quiet"))
        painter.drawEllipse(QRectF(left, pill.top() + Metrics.line_gap, knob, knob))
        painter.end()


@guards
class ChoiceField(QComboBox):
    """One of a few; the wheel turns it only where it has the focus.

    Parameters
    ----------
    choices
        Values and titles, in the order of the menu.
    name
        For screen readers.
    """

    chosen = Signal(str)

    def __init__(
        self, choices: Sequence[tuple[str, str]], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(1)
        self.setFixedHeight(Metrics.control)
        self.view().setTextElideMode(Qt.TextElideMode.ElideRight)
        self._choices: list[tuple[str, str]] = []
        self.set_choices(choices)
        self.activated.connect(self._on_activated)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer others; what is chosen stays where it is among them."""
        if list(choices) == self._choices:
            return
        present = self.currentData()
        self._choices = list(choices)
        self.clear()
        for value, title in choices:
            self.addItem(title, value)
        self.setCurrentIndex(self.findData(present))

    @property
    def value(self) -> str:
        """What is chosen, "" for nothing."""
        data = self.currentData()
        return "" if data is None else str(data)

    def set_value(self, value: str, *, mixed: bool = False) -> None:
        """Show a value without telling anybody."""
        self.setPlaceholderText("…" if mixed else "")
        index = -1 if mixed else self.findData(value)
        if index != self.currentIndex():
            self.setCurrentIndex(index)

    @Slot(int)
    def _on_activated(self, index: int) -> None:
        self.chosen.emit(self.value)

    def paintEvent(self, event: QPaintEvent) -> None:
        """As any, but a title too long for its room ends in dots instead of half a letter."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        if self.currentIndex() < 0:
            option.currentText = self.placeholderText()
        option.currentText = self.fontMetrics().elidedText(
            option.currentText, Qt.TextElideMode.ElideRight, room.width() - Metrics.hair
        )
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Panels scroll past it."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


@guards
class TextField(QLineEdit):
    """Words; told of when they are finished. Escape gives them up."""

    committed = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFixedHeight(Metrics.control)
        self._shown = ""
        self.editingFinished.connect(self._on_finished)

    def set_value(self, value: str, *, mixed: bool = False) -> None:
        """Show other words, unless some are being typed."""
        self._shown = "" if mixed else value
        self.setPlaceholderText("…" if mixed else "")
        if not self.hasFocus() or not self.isModified():
            self.setText(self._shown)
            self.setCursorPosition(0)

    def keep(self, text: str, before: str) -> None:
        """Go on with words that cannot be taken yet; Escape brings back what was before them."""
        self._shown = before
        self.setText(text)
        self.setModified(True)

    @Slot()
    def _on_finished(self) -> None:
        text = self.text().strip()
        if text and text != self._shown:
            self._shown = text
            self.setModified(False)
            self.committed.emit(text)
        else:
            self.setText(self._shown)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape brings back what was there."""
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._shown)
            self.setModified(False)
            self.selectAll()
        else:
            super().keyPressEvent(event)
