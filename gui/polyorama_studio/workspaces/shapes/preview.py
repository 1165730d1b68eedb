"""The shape that is looked at, large: a drag turns it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.workspaces.shapes.spins import Spins

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QPixmap, QWheelEvent

    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Preview"]

_TURN = (36, 448)
"""Pictures of a turn, and their side in pixels."""
_KEPT = 4
_PAUSE_MS = 120
_TURNS_A_WIDTH = 1.0
"""A drag across the view turns the shape so many times round."""
_KEY_STEP = 1.0 / 24.0


@guards
class Preview(QWidget):
    """A turntable under the hand; until it is drawn, the small picture.

    Parameters
    ----------
    session, shelf
        See there.
    small
        The grid's turntables, which may already be there.
    """

    def __init__(self, session: Session, shelf: Shelf, small: Spins, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shapesPreview")
        self.setAccessibleName(self.tr("Shape that is looked at"))
        self.setFixedSize(Metrics.shapes_preview, Metrics.shapes_preview)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.session, self._shelf, self._small = session, shelf, small
        self.spins = Spins(
            session, shelf, frames=_TURN[0], size=_TURN[1], kept=_KEPT, pause=_PAUSE_MS
        )
        self.asset: Asset | None = None
        self.turn = 0.0
        """How far it is turned, 0..1."""
        self._press: tuple[QPointF, float] | None = None
        for spins in (self.spins, small):
            spins.came.connect(self.update)
        shelf.thumbs.came.connect(self.update)
        session.theme.changed.connect(self.update)

    def show_asset(self, asset: Asset | None) -> None:
        """Look at another shape, from its front."""
        if asset is None or self.asset is None or asset.id != self.asset.id:
            self.turn = 0.0
        self.asset = asset
        self.spins.ask(asset)
        self.setCursor(
            Qt.CursorShape.ArrowCursor if asset is None else Qt.CursorShape.OpenHandCursor
        )
        self.update()

    def picture(self) -> QPixmap | None:
        """What is shown now."""
        if self.asset is None:
            return None
        turns = self.spins.of(self.asset) or self._small.of(self.asset)
        if turns:
            return turns[int(self.turn * len(turns)) % len(turns)]
        return self._shelf.thumbs.pixmap(self.asset.id)

    def set_turn(self, turn: float) -> None:
        """Turn it, so many times round; whole turns make no difference."""
        self.turn = turn % 1.0
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of it."""
        if self.asset is not None and event.button() == Qt.MouseButton.LeftButton:
            self._press = (event.position(), self.turn)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Turn it."""
        if self._press is not None:
            start, turn = self._press
            away = (event.position().x() - start.x()) / max(self.width(), 1)
            self.set_turn(turn + _TURNS_A_WIDTH * away)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of it."""
        if self._press is not None:
            self._press = None
            self.setCursor(Qt.CursorShape.OpenHandCursor)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn it, too."""
        delta = event.angleDelta()
        self.set_turn(self.turn + _KEY_STEP * (delta.y() or delta.x()) / 120.0)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows turn it."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.set_turn(self.turn + step * _KEY_STEP)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The stage and the shape upon it."""
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), tokens.color("stage"))
        picture, room = self.picture(), QRectF(self.rect())
        if picture is not None:
            edge = Metrics.space[3]
            painter.drawPixmap(room.adjusted(edge, edge, -edge, -edge).toRect(), picture)
        else:
            self._paint_empty(painter, room)
        if self.hasFocus():
            painter.setPen(tokens.color("accent"))
            painter.drawRect(room.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def _paint_empty(self, painter: QPainter, room: QRectF) -> None:
        tokens = self.session.theme.tokens
        side = float(Metrics.mark)
        place = QRectF(0.0, 0.0, side, side)
        place.moveCenter(room.center())
        paint_icon(painter, "turntable", tokens.color("line"), place)
        if self.asset is None:
            painter.setPen(tokens.color("quiet"))
            painter.setFont(font(Metrics.body))
            words = room.adjusted(0.0, room.height() / 2.0 + side / 2.0, 0.0, 0.0)
            words.setHeight(2.0 * Metrics.row)
            painter.drawText(
                words, Qt.AlignmentFlag.AlignHCenter, self.tr("Click a shape to look at it")
            )
