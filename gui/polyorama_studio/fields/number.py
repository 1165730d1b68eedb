"""A number that can be dragged, typed, stepped and reset."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QCursor, QPainter
from PySide6.QtWidgets import QLineEdit, QToolTip, QWidget

from polyorama_studio.fields.expression import evaluate
from polyorama_studio.fields.figures import NumberLook, number_text
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QEnterEvent,
        QFocusEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QWheelEvent,
    )

    from polyorama.core.params import Parameter
    from polyorama_studio.theme import Theme

__all__ = ["NumberField"]

_START = 4.0
"""Pixels that a press may wander before it becomes a drag."""
_FINE, _COARSE = 0.1, 10.0
_TRAVEL = 240.0
"""Pixels of a drag over the whole soft range."""
_TYPED = "0123456789.+-*/("
"""What begins to type."""
_KEYS = frozenset(
    (
        Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Return,
        Qt.Key.Key_Enter, Qt.Key.Key_F2, Qt.Key.Key_Backspace, Qt.Key.Key_Delete,
    )
)  # fmt: skip
"""Other keys that are the field's own while it has the focus."""


@guards
class NumberField(QWidget):
    """Shows a number; dragging sideways scrubs it, a click types it.

    A double click types over the whole number; Backspace or a double click with Ctrl resets it.
    Shift drags finely, Ctrl coarsely, Escape gives the drag up. Signals tell what a person does:
    `begun`, any number of `changed`, then `ended` or `cancelled`; setting `value` from code tells
    nothing.

    Parameters
    ----------
    parameter
        Bounds, unit, default; the field shows one number of it.
    theme
        Colours.
    label
        Letter shown inside at the left, such as "x"; "" for none.
    color
        Name of the token that the label is painted in.
    """

    begun = Signal()
    changed = Signal(float)
    ended = Signal()
    cancelled = Signal()

    def __init__(
        self,
        parameter: Parameter,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        label: str = "",
        color: str = "quiet",
        default: float | None = None,
    ) -> None:
        super().__init__(parent)
        self.parameter = parameter
        self._theme = theme
        self._label, self._color = label, color
        self._value = self._default = float(parameter.default if default is None else default)
        self.mixed = False
        self._press: QPointF | None = None
        self._exact = 0.0
        """Where a drag has come to, before rounding: slow drags of whole numbers move, too."""
        self._dragging = False
        self._clicked_open = False
        self._hovered = False
        self._edit: QLineEdit | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedHeight(Metrics.control)
        self.setMinimumWidth(2 * Metrics.control)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setAccessibleName(f"{parameter.name} {label}".strip())
        theme.changed.connect(self.update)

    @property
    def value(self) -> float:
        """The number shown."""
        return self._value

    def set_value(self, value: float, *, mixed: bool = False) -> None:
        """Show another number; `mixed` says that what is chosen has several."""
        if value != self._value or mixed != self.mixed:
            self._value, self.mixed = value, mixed
            self.update()

    @property
    def text(self) -> str:
        """The number as it is shown where there is room for it, without its unit."""
        return number_text(self.parameter, self._value)

    @property
    def step(self) -> float:
        """What an arrow key adds, and a pixel of a drag in a plain one."""
        if self.parameter.kind == "whole":
            return 1.0
        if self.parameter.soft is not None:
            low, high = self.parameter.soft
            return (high - low) / _TRAVEL
        size = max(abs(self._value), 1.0)
        return float(10.0 ** (math.floor(math.log10(size)) - 2))

    def _held(self, value: float) -> float:
        value = min(max(value, self.parameter.low), self.parameter.high)
        return float(round(value)) if self.parameter.kind == "whole" else value

    def commit(self, value: float) -> None:
        """Take a number as if it had been typed: one begun, changed, ended."""
        held = self._held(value)
        self.begun.emit()
        self._value, self.mixed = held, False
        self.changed.emit(held)
        self.ended.emit()
        self.update()

    # Showing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Box, bar of the soft range, label, number, unit."""
        edge = "accent" if self.hasFocus() else "quiet" if self._hovered else "line"
        look = NumberLook(self.parameter, self._value, self._label, self._color, edge)
        painter = QPainter(self)
        look.paint(painter, QRectF(self.rect()), self._theme.tokens, self.isEnabled(), self.mixed)
        painter.end()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be dragged."""
        self._hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Back to quiet."""
        self._hovered = False
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tab into it begins typing, as in any field."""
        self.update()
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._type()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The ring goes."""
        self.update()

    # Dragging

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Maybe a drag, maybe a click."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._press, self._exact = event.globalPosition(), self._value

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scrub."""
        if self._press is None:
            return
        moved = event.globalPosition() - self._press
        if not self._dragging:
            if abs(moved.x()) < _START:
                return
            self._dragging = True
            self._press = event.globalPosition()
            self.begun.emit()
            return
        keys = event.modifiers()
        speed = 1.0
        if keys & Qt.KeyboardModifier.ShiftModifier:
            speed = _FINE
        elif keys & Qt.KeyboardModifier.ControlModifier:
            speed = _COARSE
        exact = self._exact + moved.x() * self.step * speed
        self._exact = min(max(exact, self.parameter.low), self.parameter.high)
        value = self._held(self._exact)
        self._press = event.globalPosition()
        if value != self._value or self.mixed:
            self._value, self.mixed = value, False
            self.changed.emit(value)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag, or begin to type."""
        if self._press is None:
            return
        self._press = None
        if self._dragging:
            self._dragging = False
            self.ended.emit()
        elif self.rect().contains(event.position().toPoint()):
            self._type()
            self._clicked_open = self._edit is not None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Type over the whole number; with Ctrl, back to the default."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._reset()
        else:
            self._type()

    def _reset(self) -> None:
        self._end_typing()
        self.commit(self._default)

    def event(self, event: QEvent) -> bool:
        """Keys of the field are no shortcuts of the window while it has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and self._takes(event):
            event.accept()
            return True
        return super().event(event)

    def _takes(self, event: QKeyEvent) -> bool:
        held = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
        if event.modifiers() & ~held:
            return False
        return event.key() in _KEYS or (len(event.text()) == 1 and event.text() in _TYPED)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step, but only where the field was asked for: panels scroll past others."""
        if not self.hasFocus() or event.angleDelta().y() == 0:
            event.ignore()
            return
        self.commit(self._value + math.copysign(self.step, event.angleDelta().y()))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows step; digits and Enter begin to type; Backspace resets."""
        key = event.key()
        if key == Qt.Key.Key_Escape and self._dragging:
            self._press, self._dragging = None, False
            self.cancelled.emit()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left):
            sign = 1.0 if key in (Qt.Key.Key_Up, Qt.Key.Key_Right) else -1.0
            coarse = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.commit(self._value + sign * self.step * (_COARSE if coarse else 1.0))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self._type()
        elif key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
            self.commit(self._default)
        elif self._takes(event):
            self._type(event.text())
        else:
            super().keyPressEvent(event)

    # Typing

    def _type(self, text: str | None = None) -> None:
        if self._edit is not None or not self.isEnabled():
            return
        self._clicked_open = False
        edit = QLineEdit(self)
        edit.setAccessibleName(self.accessibleName())
        edit.setFont(font(Metrics.label, tabular=True))
        edit.setAlignment(Qt.AlignmentFlag.AlignRight)
        edit.setCursor(QCursor(Qt.CursorShape.IBeamCursor))
        edit.setGeometry(self.rect())
        shown = "" if self.mixed else f"{self._value:.9g}"
        edit.setText(shown if text is None else text)
        if text is None:
            edit.selectAll()
        edit.editingFinished.connect(self._typed)
        edit.installEventFilter(self)
        self._edit = edit
        edit.show()
        edit.setFocus()

    @Slot()
    def _typed(self, *, mend: bool = False) -> None:
        if self._edit is None:
            return
        text = self._edit.text()
        value = evaluate(text, self._value, self.parameter.unit)
        if mend and value is None and text.strip():  # it stays; Escape gives it up
            _say_below(self, self.tr("This is no number"))
            return
        self._end_typing()
        if value is not None and (value != self._value or self.mixed):
            self.commit(value)

    def _end_typing(self) -> None:
        edit, self._edit = self._edit, None
        if edit is None:
            return
        edit.removeEventFilter(self)
        if edit.hasFocus():
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        edit.hide()
        edit.deleteLater()
        self.update()

    def eventFilter(self, watched: QWidget, event: QEvent) -> bool:
        """Enter takes what is a number, Escape gives up, Tab goes on; a double click takes all."""
        if watched is not self._edit:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.MouseButtonDblClick and self._clicked_open:
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self._reset()
            else:
                watched.selectAll()
            return True
        if event.type() == QEvent.Type.MouseButtonPress:
            self._clicked_open = False
        if event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key == Qt.Key.Key_Escape:
                self._end_typing()
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._typed(mend=True)
                return True
            if key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                self._typed()
                self.focusNextPrevChild(key == Qt.Key.Key_Tab)
                return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The line that is typed in fills the field."""
        if self._edit is not None:
            self._edit.setGeometry(self.rect())


def _say_below(field: QWidget, words: str) -> None:
    QToolTip.showText(field.mapToGlobal(field.rect().bottomLeft()), words, field)
