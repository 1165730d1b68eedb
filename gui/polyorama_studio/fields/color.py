"""A colour: a swatch and its hexadecimal text; the swatch opens a picker of our own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QWidget

from polyorama_studio.fields.picker import ColorPicker
from polyorama_studio.fields.simple import TextField
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QEnterEvent, QPaintEvent

    from polyorama.core.params import Parameter
    from polyorama_studio.theme import Theme

__all__ = ["ColorField", "color_text", "read_color"]

Color = tuple[float, float, float]


def color_text(color: Sequence[float]) -> str:
    """Display RGB 0..1 as six hexadecimal figures."""
    return "".join(f"{round(255 * min(max(c, 0.0), 1.0)):02x}" for c in color)


def read_color(text: str) -> Color | None:
    """Display RGB of ``ffb454``, ``#fb5`` or ``1, 0.7, 0.33``; None where it is no colour."""
    text = text.strip().removeprefix("#")
    if re.fullmatch(r"[0-9a-fA-F]{3}", text):
        text = "".join(2 * c for c in text)
    if re.fullmatch(r"[0-9a-fA-F]{6}", text):
        return tuple(int(text[i : i + 2], 16) / 255.0 for i in (0, 2, 4))  # type: ignore[return-value]
    parts = re.split(r"[,;\s]+", text.strip("()"))
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return None
    if len(numbers) != 3 or not all(0.0 <= number <= 1.0 for number in numbers):
        return None
    return (numbers[0], numbers[1], numbers[2])


@guards
class _Swatch(QAbstractButton):
    """The colour itself; opens the picker."""

    def __init__(self, theme: Theme, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.color: Color | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedHeight(Metrics.control)
        self.setMinimumWidth(Metrics.control)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Twice as wide as high."""
        return QSize(2 * Metrics.control, Metrics.control)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be clicked."""
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Back to quiet."""
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A filled box, or dots where there are several colours."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = "accent" if self.hasFocus() else "quiet" if self.underMouse() else "line"
        painter.setPen(tokens.color(edge))
        painter.setBrush(
            tokens.color("raised") if self.color is None else QColor.fromRgbF(*self.color)
        )
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        if self.color is None:
            painter.setPen(tokens.color("text"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "…")
        painter.end()


class ColorField(QWidget):
    """Shows display RGB; the swatch opens a picker, the text is typed.

    Parameters
    ----------
    parameter
        Of kind ``"color"``.
    theme
        Colours of the field itself.
    """

    begun = Signal()
    changed = Signal(object)
    ended = Signal()
    cancelled = Signal()

    def __init__(self, parameter: Parameter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._default: Color = parameter.default
        self._color: Color = parameter.default
        self._picker: ColorPicker | None = None
        self.swatch = _Swatch(theme, parameter.name, self)
        self.text = TextField(self.tr("{0}, hexadecimal").format(parameter.name), self)
        self.text.setFont(font(Metrics.label, tabular=True))
        self.text.setMaximumWidth(Metrics.hex_width)
        self.setFocusProxy(self.swatch)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Metrics.space[0])
        row.addWidget(self.swatch, 1)
        row.addWidget(self.text)
        self.swatch.clicked.connect(self._open)
        self.text.committed.connect(self._on_typed)

    @property
    def value(self) -> Color:
        """The colour shown."""
        return self._color

    def set_value(self, color: Sequence[float], *, mixed: bool = False) -> None:
        """Show another colour; `mixed` says that what is chosen has several."""
        self._color = (float(color[0]), float(color[1]), float(color[2]))
        shown = None if mixed else self._color
        if shown != self.swatch.color:
            self.swatch.color = shown
            self.swatch.update()
        self.text.set_value(color_text(color), mixed=mixed)
        if self._picker is not None:
            self._picker.set_color(self._color)

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        color = read_color(text)
        if color is not None and color_text(color) != color_text(self._color):
            self._commit(color)
        self.set_value(self._color)

    def _commit(self, color: Color) -> None:
        self._color = color
        self.begun.emit()
        self.changed.emit(color)
        self.ended.emit()

    @Slot()
    def _open(self) -> None:
        picker = ColorPicker(self._theme, self._color, self._default, self)
        picker.begun.connect(self.begun)
        picker.changed.connect(self._on_picked)
        picker.ended.connect(self.ended)
        picker.cancelled.connect(self.cancelled)
        picker.closed.connect(self._on_closed)
        self._picker = picker
        picker.show_below(self.swatch.mapToGlobal(QPoint(0, self.swatch.height())))

    @Slot(object)
    def _on_picked(self, color: Color) -> None:
        self._color = color
        self.changed.emit(color)
        self.set_value(self._color)

    @Slot()
    def _on_closed(self) -> None:
        self._picker = None
        self.swatch.setFocus()

    @property
    def picker(self) -> ColorPicker | None:
        """The picker while it is open."""
        return self._picker
