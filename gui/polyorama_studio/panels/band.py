"""A range that is dragged over a plot: begun anywhere, moved by its inside, shaped by its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent

__all__ = ["Band", "BandWidget", "mode_of"]

Band = tuple[float, float, float, float]
"""What is dragged over: left, right, bottom, top, as shares of the plot."""

_DRAG = 3.0
"""Pixels that a press may wander before it becomes a drag."""
_STEP = 1.0 / 64.0


def mode_of(keys: Qt.KeyboardModifier) -> str:
    """What becomes of the selection, as the keys held say: as with the viewport's tools."""
    shift = bool(keys & Qt.KeyboardModifier.ShiftModifier)
    ctrl = bool(keys & Qt.KeyboardModifier.ControlModifier)
    if shift and ctrl:
        return "intersect"
    return "add" if shift else "remove" if ctrl else "set"


@guards
class BandWidget(QWidget):
    """Holds a range and lets a person drag it; what inherits it says where and paints."""

    picked = Signal(str)
    """A range was dragged: with what mode it selects. `band` tells where."""
    band_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.band: Band | None = None
        self._press: QPointF | None = None
        self._held = ""
        self._start: Band | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)

    @property
    def box(self) -> QRectF:
        """The plot, without its numbers."""
        raise NotImplementedError

    @property
    def flat(self) -> bool:
        """Whether ranges go across alone, not up."""
        raise NotImplementedError

    @property
    def active(self) -> bool:
        """Whether there is something to drag over."""
        raise NotImplementedError

    def set_band(self, band: Band | None) -> None:
        """Mark another range, or none."""
        if band != self.band:
            self.band = band
            self.band_changed.emit()
            self.update()

    def share(self, position: QPointF) -> tuple[float, float]:
        """A place in pixels as shares of the plot, across and up."""
        box = self.box
        x = (position.x() - box.left()) / max(box.width(), 1.0)
        y = (box.bottom() - position.y()) / max(box.height(), 1.0)
        return min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)

    def marked(self) -> QRectF:
        """The range in pixels."""
        assert self.band is not None
        left, right, bottom, top = self.band
        box = self.box
        return QRectF(
            QPointF(box.left() + left * box.width(), box.bottom() - top * box.height()),
            QPointF(box.left() + right * box.width(), box.bottom() - bottom * box.height()),
        )

    def _grip_at(self, position: QPointF) -> str:
        """Which edges can be taken hold of there: some of "lrbt", or "all" for the inside."""
        if self.band is None:
            return ""
        marked, reach = self.marked(), Metrics.plot_grip
        edges = ""
        if marked.top() - reach <= position.y() <= marked.bottom() + reach:
            edges += "l" if abs(position.x() - marked.left()) <= reach else ""
            edges += "r" if not edges and abs(position.x() - marked.right()) <= reach else ""
        flat = self.flat
        if not flat and marked.left() - reach <= position.x() <= marked.right() + reach:
            edges += "b" if abs(position.y() - marked.bottom()) <= reach else ""
            edges += "t" if "b" not in edges and abs(position.y() - marked.top()) <= reach else ""
        return edges or ("all" if marked.contains(position) else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a range, or take hold of the one there."""
        if event.button() != Qt.MouseButton.LeftButton or not self.active:
            return
        self._press = event.position()
        # With a key held one adds another range, also where one is.
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        self._held = self._grip_at(event.position()) if plain else ""
        self._start = self.band

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or show what could be taken hold of."""
        if self._press is None:
            self._show_grip(self._grip_at(event.position()))
            return
        moved = event.position() - self._press
        if self._held or max(abs(moved.x()), abs(moved.y())) >= _DRAG:
            self.set_band(self._dragged(self._press, event.position()))

    def _dragged(self, start: QPointF, end: QPointF) -> Band:
        (x0, y0), (x1, y1) = self.share(start), self.share(end)
        flat = self.flat
        if not self._held or self._start is None:
            low, high = (0.0, 1.0) if flat else sorted((y0, y1))
            return (min(x0, x1), max(x0, x1), low, high)
        left, right, bottom, top = self._start
        if self._held == "all":
            dx = min(max(x1 - x0, -left), 1.0 - right)
            dy = 0.0 if flat else min(max(y1 - y0, -bottom), 1.0 - top)
            return (left + dx, right + dx, bottom + dy, top + dy)
        left, right = (x1 if "l" in self._held else left), (x1 if "r" in self._held else right)
        bottom, top = (y1 if "b" in self._held else bottom), (y1 if "t" in self._held else top)
        return (min(left, right), max(left, right), min(bottom, top), max(bottom, top))

    def _show_grip(self, grip: str) -> None:
        shapes = Qt.CursorShape
        shape = shapes.CrossCursor
        if grip in ("l", "r"):
            shape = shapes.SizeHorCursor
        elif grip in ("b", "t"):
            shape = shapes.SizeVerCursor
        elif grip == "all":
            shape = shapes.SizeAllCursor
        elif grip:
            shape = shapes.SizeBDiagCursor if grip in ("lb", "rt") else shapes.SizeFDiagCursor
        if shape != self.cursor().shape():
            self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select what was dragged over; a click alone forgets the range."""
        if self._press is None:
            return
        changed = self.band is not None and self.band != self._start
        self._press = None
        if changed:
            self.picked.emit(mode_of(event.modifiers()))
        elif not self._held:
            self.set_band(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The ring goes."""
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the range, with Alt its end; Enter selects it; Escape forgets it."""
        keys = Qt.Key
        if not self.active:
            super().keyPressEvent(event)
            return
        steps = {keys.Key_Left: (-1, 0), keys.Key_Right: (1, 0)}
        if not self.flat:
            steps |= {keys.Key_Down: (0, -1), keys.Key_Up: (0, 1)}
        key = keys(event.key())
        if key in steps:
            dx, dy = (_STEP * step for step in steps[key])
            flat = self.flat
            near = (0.375, 0.625, 0.0 if flat else 0.375, 1.0 if flat else 0.625)
            left, right, bottom, top = self.band or near
            if event.modifiers() & Qt.KeyboardModifier.AltModifier:
                right, top = min(max(right + dx, left), 1.0), min(max(top + dy, bottom), 1.0)
            else:
                dx = min(max(dx, -left), 1.0 - right)
                dy = min(max(dy, -bottom), 1.0 - top)
                left, right, bottom, top = left + dx, right + dx, bottom + dy, top + dy
            self.set_band((left, right, bottom, top))
        elif key in (keys.Key_Return, keys.Key_Enter) and self.band is not None:
            self.picked.emit(mode_of(event.modifiers()))
        elif key == keys.Key_Escape and self.band is not None:
            self.set_band(None)
        else:
            super().keyPressEvent(event)
