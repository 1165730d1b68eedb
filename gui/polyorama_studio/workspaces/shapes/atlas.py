"""The library as a map: alike shapes lie near each other; wheel, drag and keys wander in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.shapes.atlas_view import AtlasView

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Atlas"]

_NOTCH = 1.2
_KEY_ZOOM = 1.5
_CONE = 2.0
"""What lies aside of an arrow key's way counts so many times."""
_WAYS = {
    Qt.Key.Key_Left: (-1.0, 0.0), Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0), Qt.Key.Key_Down: (0.0, 1.0),
}  # fmt: skip


@guards
class Atlas(AtlasView):
    """Wanders, chooses and places.

    Parameters
    ----------
    session, shelf
        See there.
    """

    placed = Signal()
    """The chosen shapes are to be placed in the scene."""
    menu_asked = Signal(QPoint)

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(session, shelf, parent)
        self._press: tuple[QPointF, QPointF] | None = None
        self._moved = False

    # The pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the map, or choose what lies there."""
        self._press, self._moved = (event.position(), QPointF(self.center)), False
        if event.button() == Qt.MouseButton.RightButton:
            self._choose(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Wander, or show what is pointed at."""
        if self._press is not None and event.buttons() & (
            Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton
        ):
            start, center = self._press
            away = event.position() - start
            if self._moved or away.manhattanLength() > Metrics.space[0]:
                self._moved = True
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.center = center - away / self._unit
                self._ask()
                self.update()
            return
        self._hover(self.nearest(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A press that went nowhere chooses."""
        left = event.button() == Qt.MouseButton.LeftButton
        if self._press is not None and not self._moved and left:
            self._choose(event)
        self._press = None
        self.unsetCursor()

    def _choose(self, event: QMouseEvent) -> None:
        row = self.nearest(event.position())
        if row < 0 or self.plan is None:
            self.shelf.choose(())
            return
        asset_id = int(self.plan.ids[row])
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            chosen = [i for i in self.shelf.chosen if i != asset_id]
            self.shelf.choose(
                chosen if len(chosen) < len(self.shelf.chosen) else [*chosen, asset_id]
            )
        elif event.button() == Qt.MouseButton.LeftButton or asset_id not in self.shelf.chosen:
            self.shelf.choose([asset_id])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Place it."""
        if self.nearest(event.position()) >= 0:
            self.placed.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with what is chosen."""
        if self.shelf.chosen:
            self.menu_asked.emit(event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Nearer or farther."""
        self.zoom(_NOTCH ** (event.angleDelta().y() / 120.0), event.position())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self._hover(-1)

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go to neighbours, plus and minus nearer and farther, Home shows the whole map."""
        keys = Qt.Key
        key = keys(event.key())
        middle = QPointF(self.width() / 2.0, self.height() / 2.0)
        if key in _WAYS:
            self._step(np.array(_WAYS[key], np.float32))
        elif key in (keys.Key_Plus, keys.Key_Equal):
            self.zoom(_KEY_ZOOM, middle)
        elif key == keys.Key_Minus:
            self.zoom(1.0 / _KEY_ZOOM, middle)
        elif key == keys.Key_Home:
            self.scale, self.center = 1.0, QPointF(0.5, 0.5)
            self.zoom(1.0, middle)
        elif key in (keys.Key_Return, keys.Key_Enter) and self.shelf.chosen:
            self.placed.emit()
        elif key == keys.Key_Escape and self.shelf.chosen:
            self.shelf.choose(())
        else:
            super().keyPressEvent(event)

    def _step(self, way: NDArray[np.float32]) -> None:
        """Choose the next shape that way, and bring it into the middle where it is not seen."""
        if self.plan is None or not len(self.plan.ids):
            return
        places = self.places()
        now = np.flatnonzero(self.plan.ids == self.shelf.current)
        middle = np.array([self.width() / 2.0, self.height() / 2.0], np.float32)
        away = places - (places[now[0]] if len(now) else middle)
        along = away @ way
        aside = np.abs(away @ way[::-1])
        cost = np.where(along > aside / _CONE, along + _CONE * aside, np.inf)
        if not len(now):
            cost = np.einsum("ij,ij->i", away, away)
        row = int(np.argmin(cost))
        if not np.isfinite(cost[row]):
            return
        self._hover(-1)
        self.shelf.choose([int(self.plan.ids[row])])
        if not self.rect().contains(QPointF(*map(float, places[row])).toPoint()):
            self.center = QPointF(*map(float, self.plan.points[row]))
        self._ask()
        self.update()
