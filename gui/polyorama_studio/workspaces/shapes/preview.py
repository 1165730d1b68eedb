"""The shape that is pointed at, else the chosen one, large: a drag turns it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.jobs import explain
from polyorama_studio.theme import Metrics, font
from polyorama_studio.viewport.overlays import paint_halo_text
from polyorama_studio.words import legible_lines, tip
from polyorama_studio.workspaces.shapes.cell import badge_of
from polyorama_studio.workspaces.shapes.orbit import FRONT, Orbit
from polyorama_studio.workspaces.shapes.shelf import title_of

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QPixmap, QWheelEvent

    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf
    from polyorama_studio.workspaces.shapes.spins import Spins

__all__ = ["Preview"]

_FOLLOW_MS = 90
"""So long the pointer rests on a shape, or on none, before it is followed."""
_DEGREES_A_WIDTH = 300.0
"""A drag across the view turns the shape so far."""
_KEY_STEP = 15.0
_MOST_PIXELS = 1024
_KEYS = {
    Qt.Key.Key_Left: (-_KEY_STEP, 0.0), Qt.Key.Key_Right: (_KEY_STEP, 0.0),
    Qt.Key.Key_Up: (0.0, -_KEY_STEP), Qt.Key.Key_Down: (0.0, _KEY_STEP),
}  # fmt: skip


@guards
class Preview(QWidget):
    """A shape under the hand; until it is drawn, the small picture.

    Parameters
    ----------
    session, shelf
        See there.
    small
        The grid's turntables, one of which may already be there.
    """

    def __init__(self, session: Session, shelf: Shelf, small: Spins, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shapesPreview")
        self.setAccessibleName(self.tr("Shape that is looked at"))
        self.setFixedSize(Metrics.shapes_preview, Metrics.shapes_preview)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        words = self.tr("Drag or press the arrow keys to turn it\nA double click turns it back")
        self.setToolTip(tip(words))
        self.session, self._shelf, self._small = session, shelf, small
        self.orbit = Orbit(session, shelf)
        self._press: QPointF | None = None
        self._follow = QTimer(self)
        self._follow.setSingleShot(True)
        self._follow.setInterval(_FOLLOW_MS)
        self._follow.timeout.connect(self.refresh)
        self.orbit.came.connect(self.update)
        small.came.connect(self.update)
        shelf.hovered_changed.connect(self._follow.start)
        shelf.chosen_changed.connect(self.refresh)
        shelf.thumbs.came.connect(self.refresh)
        session.theme.changed.connect(self.update)
        self.refresh()

    @property
    def asset(self) -> Asset | None:
        """The shape that is looked at."""
        return self.orbit.asset

    @Slot()
    def refresh(self) -> None:
        """Look at what is pointed at, else at what is chosen."""
        if self._press is not None:
            return
        shelf = self._shelf
        asset = None if shelf.hovered < 0 else shelf.asset(shelf.hovered)
        self.orbit.show(asset or shelf.asset(shelf.current))
        self.setCursor(
            Qt.CursorShape.ArrowCursor if self.asset is None else Qt.CursorShape.OpenHandCursor
        )
        self.update()

    def picture(self) -> QPixmap | None:
        """What is shown now."""
        if self.asset is None:
            return None
        if self.orbit.pixmap is not None:
            return self.orbit.pixmap
        turns = self._small.of(self.asset)
        return turns[0] if turns else self._shelf.thumbs.pixmap(self.asset.id)

    # Turning

    def turn_by(self, azimuth: float, elevation: float) -> None:
        """Turn it, degrees."""
        self.orbit.turn(self.orbit.azimuth + azimuth, self.orbit.elevation + elevation)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of it."""
        if self._follow.isActive():
            self._follow.stop()
            self.refresh()
        if self.asset is not None and event.button() == Qt.MouseButton.LeftButton:
            self._press = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Turn it."""
        if self._press is not None:
            away = (event.position() - self._press) * (_DEGREES_A_WIDTH / max(self.width(), 1))
            self._press = event.position()
            self.turn_by(away.x(), away.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of it."""
        if self._press is not None:
            self._press = None
            self.refresh()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Turn it back."""
        self.orbit.turn(*FRONT)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn it round, too."""
        delta = event.angleDelta()
        self.turn_by(_KEY_STEP * (delta.y() or delta.x()) / 120.0, 0.0)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows turn it, Home turns it back."""
        key = Qt.Key(event.key())
        if key in _KEYS:
            self.turn_by(*_KEYS[key])
        elif key == Qt.Key.Key_Home:
            self.orbit.turn(*FRONT)
        else:
            super().keyPressEvent(event)

    # Painting

    @property
    def _stage(self) -> QRectF:
        edge = Metrics.space[3]
        return QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The stage and the shape upon it."""
        # Here it is known on which screen it is.
        pixels = round(self._stage.width() * self.devicePixelRatioF())
        self.orbit.resize(min(pixels, _MOST_PIXELS))
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), tokens.color("stage"))
        picture = self.picture()
        if picture is not None:
            painter.drawPixmap(self._stage.toRect(), picture)
        else:
            self._paint_empty(painter, QRectF(self.rect()))
        self._paint_words(painter)
        if self.hasFocus():
            painter.setPen(tokens.color("accent"))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def _paint_words(self, painter: QPainter) -> None:
        """What it is, where that is not what the panel below tells of; or what is wrong with it."""
        asset, tokens = self.asset, self.session.theme.tokens
        if asset is None:
            return
        band = QRectF(self.rect()).adjusted(Metrics.space[2], 0.0, -Metrics.space[2], 0.0)
        band.setTop(band.bottom() - Metrics.row - Metrics.space[0])
        color = "text"
        if self.orbit.error is not None:
            color, words = "bad", legible_lines(explain(self.orbit.error))
        elif asset.id != self._shelf.current:
            words = f"{title_of(asset)}, {badge_of(asset)}"
        else:
            return
        painter.setFont(font(Metrics.body))
        mode = Qt.TextElideMode.ElideMiddle
        words = painter.fontMetrics().elidedText(words, mode, int(band.width()))
        paint_halo_text(
            painter, band, words, Metrics.body, tokens.color(color), tokens.color("stage")
        )

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
                words, Qt.AlignmentFlag.AlignHCenter, self.tr("Point at a shape to look at it")
            )
