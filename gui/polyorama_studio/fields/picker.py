"""The colour picker: a square of saturation and brightness, a bar of hues, numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from polyorama.core.params import Parameter
from polyorama_studio.fields.number import NumberField
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from polyorama_studio.theme import Theme

__all__ = ["ColorPicker"]

Color = tuple[float, float, float]
_STEP = 0.01
_BIG_STEP = 0.1
_PART = Parameter("part", "number", 0.0, 0.0, 1.0, soft=(0.0, 1.0))
_HUE = Parameter("hue", "number", 0.0, 0.0, 360.0, unit="°", soft=(0.0, 360.0))


@guards
class _Plane(QWidget):
    """What is dragged on: tells a place within it, 0..1 from the left and from the top."""

    begun = Signal()
    moved = Signal(float, float)
    ended = Signal()

    def __init__(self, theme: Theme, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.hue, self.at = 0.0, QPointF(0.0, 0.0)
        self._held = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(name)

    def _tell(self, position: QPointF) -> None:
        x = min(max(position.x() / self.width(), 0.0), 1.0)
        y = min(max(position.y() / self.height(), 0.0), 1.0)
        self.moved.emit(x, y)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the place under the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = True
            self.begun.emit()
            self._tell(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if self._held:
            self._tell(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Done."""
        if self._held:
            self._held = False
            self.ended.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the place; Shift moves it faster."""
        step = _BIG_STEP if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else _STEP
        moves = {
            Qt.Key.Key_Left: (-step, 0.0), Qt.Key.Key_Right: (step, 0.0),
            Qt.Key.Key_Up: (0.0, -step), Qt.Key.Key_Down: (0.0, step),
        }  # fmt: skip
        if event.key() not in moves:
            super().keyPressEvent(event)
            return
        x, y = moves[event.key()]
        self.begun.emit()
        self._tell(QPointF((self.at.x() + x) * self.width(), (self.at.y() + y) * self.height()))
        self.ended.emit()

    def _frame(self, painter: QPainter, box: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._theme.tokens.color("accent" if self.hasFocus() else "line"))
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)

    def _ring(self, painter: QPainter, middle: QPointF) -> None:
        tokens = self._theme.tokens
        for color, width in ((tokens.color("halo"), 4.0), (tokens.color("overlay"), 2.0)):
            painter.setPen(QPen(color, width))
            painter.drawEllipse(middle, Metrics.picker_ring, Metrics.picker_ring)


@guards
class _Square(_Plane):
    """Saturation to the right, brightness upwards."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """White to the pure hue, then to black."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        across = QLinearGradient(box.topLeft(), box.topRight())
        across.setColorAt(0.0, Qt.GlobalColor.white)
        across.setColorAt(1.0, QColor.fromHsvF(self.hue, 1.0, 1.0))
        down = QLinearGradient(box.topLeft(), box.bottomLeft())
        down.setColorAt(0.0, Qt.GlobalColor.transparent)
        down.setColorAt(1.0, Qt.GlobalColor.black)
        painter.setPen(Qt.PenStyle.NoPen)
        for brush in (across, down):
            painter.setBrush(brush)
            painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        self._frame(painter, box)
        self._ring(painter, QPointF(self.at.x() * self.width(), self.at.y() * self.height()))
        painter.end()


@guards
class _Hues(_Plane):
    """All hues from the left to the right."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """A rainbow."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        across = QLinearGradient(box.topLeft(), box.topRight())
        for i in range(7):
            across.setColorAt(i / 6.0, QColor.fromHsvF(min(i / 6.0, 0.9999), 0.85, 0.95))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(across)
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        self._frame(painter, box)
        reach = Metrics.picker_ring + 1.0
        x = reach + self.at.x() * (self.width() - 2.0 * reach)
        self._ring(painter, QPointF(x, self.height() / 2.0))
        painter.end()


@guards
class ColorPicker(QFrame):
    """A popup over the field that opened it.

    Parameters
    ----------
    theme
        Colours of the popup itself.
    color, default
        Display RGB now, and what "Reset" brings back.
    """

    begun = Signal()
    changed = Signal(object)
    ended = Signal()
    cancelled = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, color: Color, default: Color, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("picker")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._default, self._first = default, color
        self._hsv = (0.0, 0.0, 0.0)
        self._own = False
        self.square = _Square(theme, self.tr("Saturation and brightness"), self)
        self.hues = _Hues(theme, self.tr("Hue"), self)
        self.square.setFixedHeight(Metrics.picker_square)
        self.hues.setFixedHeight(Metrics.space[3])
        column = QVBoxLayout(self)
        side = Metrics.space[1]
        column.setContentsMargins(side, side, side, side)
        column.setSpacing(Metrics.space[1])
        column.addWidget(self.square)
        column.addWidget(self.hues)
        self.square.moved.connect(self._on_square)
        self.hues.moved.connect(self._on_hue)
        self.numbers: list[NumberField] = []
        for names in ("rgb", "hsv"):
            row = QHBoxLayout()
            row.setSpacing(Metrics.hair)
            for name in names:
                part = _HUE if name == "h" else replace(_PART, name=name)
                field = NumberField(part, theme, self, label=name)
                field.setMinimumWidth(Metrics.control)
                field.changed.connect(partial(self._on_number, len(self.numbers)))
                row.addWidget(field, 1)
                self.numbers.append(field)
            column.addLayout(row)
        buttons = QHBoxLayout()
        for title, slot in ((self.tr("Undo"), self._undo), (self.tr("Reset"), self._reset)):
            button = QPushButton(title, self)
            button.clicked.connect(slot)
            buttons.addWidget(button, 1)
        column.addLayout(buttons)
        for source in (self.square, self.hues, *self.numbers):
            source.begun.connect(self.begun)
            source.ended.connect(self.ended)
        for field in self.numbers:
            field.cancelled.connect(self.cancelled)
        self.setFixedWidth(Metrics.picker_width)
        self.set_color(color)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A card."""
        tokens = self.square._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(tokens.color("panel"))
        painter.setPen(tokens.color("line"))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, Metrics.card_corner, Metrics.card_corner)
        painter.end()

    def show_below(self, place: QPoint) -> None:
        """Open there, or as near as the screen lets it."""
        self.adjustSize()
        room = self.screen().availableGeometry()
        x = min(place.x(), room.right() - self.width())
        y = min(place.y() + Metrics.hair, room.bottom() - self.height())
        self.move(max(x, room.left()), max(y, room.top()))
        self.show()
        self.square.setFocus()

    def set_color(self, color: Color) -> None:
        """Show another colour; greys keep the hue that was there."""
        if self._own:
            return
        hue, saturation, value, _ = QColor.fromRgbF(*color).getHsvF()
        self._hsv = (self._hsv[0] if hue < 0.0 or saturation < 1e-3 else hue, saturation, value)
        self._show(color)

    def _show(self, color: Color) -> None:
        hue, saturation, value = self._hsv
        self.square.hue = hue
        self.square.at = QPointF(saturation, 1.0 - value)
        self.hues.at = QPointF(hue, 0.0)
        shown = (*color, 360.0 * hue, saturation, value)
        for field, number in zip(self.numbers, shown, strict=True):
            field.set_value(number)
        self.square.update()
        self.hues.update()

    def _take(self, hsv: Color) -> None:
        self._hsv = hsv
        red, green, blue, _ = QColor.fromHsvF(*hsv).getRgbF()
        self._tell((red, green, blue))

    def _tell(self, color: Color) -> None:
        # What comes back by way of the document has lost its hue where it is grey.
        self._own = True
        self._show(color)
        self.changed.emit(color)
        self._own = False

    @Slot(float, float)
    def _on_square(self, x: float, y: float) -> None:
        self._take((self._hsv[0], x, 1.0 - y))

    @Slot(float, float)
    def _on_hue(self, x: float, y: float) -> None:
        self._take((min(x, 0.9999), self._hsv[1], self._hsv[2]))

    def _on_number(self, index: int, number: float) -> None:
        shown = [field.value for field in self.numbers]
        if index < 3:
            color = (shown[0], shown[1], shown[2])
            hue, saturation, value, _ = QColor.fromRgbF(*color).getHsvF()
            self._hsv = (self._hsv[0] if hue < 0.0 else hue, saturation, value)
            self._tell(color)
        else:
            self._take((min(shown[3] / 360.0, 0.9999), shown[4], shown[5]))

    def _commit(self, color: Color) -> None:
        self.begun.emit()
        self.changed.emit(color)
        self.ended.emit()
        self.set_color(color)

    @Slot()
    def _undo(self) -> None:
        self._commit(self._first)

    @Slot()
    def _reset(self) -> None:
        self._commit(self._default)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape and Enter close it."""
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Tell the field; a drag that still goes on is over."""
        self.ended.emit()
        self.closed.emit()
        super().closeEvent(event)
