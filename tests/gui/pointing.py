"""Mouse events with buttons and keys, which QTest's moves do not carry."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

__all__ = ["CTRL", "LEFT", "NONE", "RIGHT", "SHIFT", "click", "drag", "hover", "press", "release"]

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE = Qt.KeyboardModifier.NoModifier
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
_NO_BUTTON = Qt.MouseButton.NoButton


def _send(widget: QWidget, kind: QEvent.Type, at: QPointF, button, buttons, modifiers) -> None:
    event = QMouseEvent(kind, at, widget.mapToGlobal(at), button, buttons, modifiers)
    QApplication.sendEvent(widget, event)


def press(widget: QWidget, at: QPointF, modifiers=NONE, button=LEFT, *, held=_NO_BUTTON) -> None:
    """Press a button, while another one may be held."""
    _send(widget, QEvent.Type.MouseButtonPress, at, button, button | held, modifiers)


def release(widget: QWidget, at: QPointF, modifiers=NONE, button=LEFT, *, held=_NO_BUTTON) -> None:
    """Release a button, while another one may be held on."""
    _send(widget, QEvent.Type.MouseButtonRelease, at, button, held, modifiers)


def hover(widget: QWidget, at: QPointF, modifiers=NONE, button=_NO_BUTTON) -> None:
    _send(widget, QEvent.Type.MouseMove, at, _NO_BUTTON, button, modifiers)


def click(widget: QWidget, at: QPointF, modifiers=NONE) -> None:
    press(widget, at, modifiers)
    release(widget, at, modifiers)


def drag(
    widget: QWidget, points: list[QPointF], modifiers=NONE, button=LEFT, *, let_go: bool = True
) -> None:
    press(widget, points[0], modifiers, button)
    for point in points[1:]:
        hover(widget, point, modifiers, button)
    if let_go:
        release(widget, points[-1], modifiers, button)
