"""Small things over the picture: the axes, the target dot, the busy note, the drop zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import shortened

if TYPE_CHECKING:
    from polyorama_studio.session import Busy, Session

__all__ = ["BusyNote", "DropZones", "paint_halo_text", "paint_target"]


def paint_halo_text(
    painter: QPainter, rect: QRectF, text: str, size: int, color: QColor, halo: QColor
) -> None:
    """Centred text with an edge in another colour, so that it reads on any picture."""
    chosen = font(size, medium=True)
    metrics = QFontMetrics(chosen)
    path = QPainterPath()
    x = rect.center().x() - metrics.horizontalAdvance(text) / 2.0
    y = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2.0
    path.addText(QPointF(x, y), chosen, text)
    painter.strokePath(path, QPen(halo, size / 5.0, j=Qt.PenJoinStyle.RoundJoin))
    painter.fillPath(path, color)


def paint_target(painter: QPainter, at: QPointF, session: Session) -> None:
    """The point that the camera turns about."""
    tokens = session.theme.tokens
    radius = float(Metrics.focus_dot)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(tokens.color("halo"), 3.5))
    painter.drawEllipse(at, radius, radius)
    painter.setPen(QPen(tokens.color("overlay"), 1.25))
    painter.drawEllipse(at, radius, radius)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.color("accent"))
    painter.drawEllipse(at, 1.75, 1.75)


@guards
class BusyNote(QWidget):
    """A small card with a turning arc, shown when something takes longer than a moment."""

    _DELAY_MS = 250
    _TURN_MS = 33

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._over = parent
        self._busy: Busy | None = None
        self._angle = 0
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(self._DELAY_MS)
        self._delay.timeout.connect(self._appear)
        self._turn = QTimer(self)
        self._turn.setInterval(self._TURN_MS)
        self._turn.timeout.connect(self._advance)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_busy(self, busy: Busy | None) -> None:
        """Show that work goes on, or with None that it is over."""
        self._busy = busy
        self.setAccessibleName(busy.note if busy else "")
        if busy is None:
            self._delay.stop()
            self._turn.stop()
            self.hide()
        elif self.isVisible():
            self.place()
            self.update()
        elif not self._delay.isActive():
            self._delay.start()

    @Slot()
    def _appear(self) -> None:
        if self._busy is not None:
            self.place()
            self.show()
            self.raise_()
            self._turn.start()

    @Slot()
    def _advance(self) -> None:
        self._angle = (self._angle - 12) % 360
        self.update()

    def _words(self) -> str:
        """The note, elided to what the viewport has room for."""
        edges = Metrics.busy_ring + 3 * Metrics.space[2] + 2 * Metrics.space[3]
        room = min(Metrics.busy_words, self._over.width() - edges)
        note = self._busy.note if self._busy else ""
        return shortened(note, QFontMetrics(font(Metrics.body)), room)

    def sizeHint(self) -> QSize:
        """As wide as the words need."""
        words = QFontMetrics(font(Metrics.body)).horizontalAdvance(self._words())
        return QSize(words + Metrics.busy_ring + 3 * Metrics.space[2], Metrics.stage_control)

    def place(self) -> None:
        """At the bottom middle of the viewport."""
        parent = self._over
        size = self.sizeHint()
        self.setGeometry(
            (parent.width() - size.width()) // 2,
            parent.height() - size.height() - Metrics.space[4],
            size.width(),
            size.height(),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """The card, the ring, the words."""
        if self._busy is None:
            return
        tokens = self._session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tokens.color("line"), 1.0))
        painter.setBrush(tokens.color("panel"))
        card = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(card, Metrics.card_corner, Metrics.card_corner)
        ring = QRectF(
            Metrics.space[2],
            (self.height() - Metrics.busy_ring) / 2.0,
            Metrics.busy_ring,
            Metrics.busy_ring,
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(tokens.color("line"), 2.0))
        painter.drawEllipse(ring)
        share = self._busy.share
        start, span = (90, -360.0 * share) if share is not None else (self._angle, -100.0)
        pen = QPen(tokens.color("accent"), 2.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawArc(ring, start * 16, round(span * 16))
        painter.setPen(tokens.color("text"))
        painter.setFont(font(Metrics.body))
        words = QRectF(self.rect()).adjusted(ring.right() + Metrics.space[1], 0, 0, 0)
        painter.drawText(
            words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._words()
        )
        painter.end()


@guards
class DropZones(QWidget):
    """Shown while files are dragged over: open them, or add them to what is there."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._adding = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    @property
    def adding(self) -> bool:
        """Whether a drop here would add to the scene."""
        return self._adding and self._session.stage.document is not None

    def point(self, position: QPointF) -> None:
        """The drag is at `position`."""
        self._adding = position.x() > self.width() / 2.0
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """One zone on the empty stage, two over a scene."""
        tokens = self._session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = tokens.color("stage")
        veil.setAlphaF(0.72)
        painter.fillRect(self.rect(), veil)
        edge = float(Metrics.space[4])
        area = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        if self._session.stage.document is None:
            self._paint_zone(painter, area, "open", self.tr("Open"), True)
        else:
            half = (area.width() - edge) / 2.0
            left = QRectF(area.left(), area.top(), half, area.height())
            right = QRectF(area.right() - half, area.top(), half, area.height())
            self._paint_zone(painter, left, "open", self.tr("Open instead"), not self._adding)
            self._paint_zone(painter, right, "add", self.tr("Add to the scene"), self._adding)
        painter.end()

    def _paint_zone(
        self, painter: QPainter, rect: QRectF, icon_name: str, text: str, hot: bool
    ) -> None:
        tokens = self._session.theme.tokens
        edge = tokens.color("accent" if hot else "quiet")
        fill = tokens.color("accent")
        fill.setAlphaF(0.10 if hot else 0.0)
        painter.setPen(QPen(edge, 1.5, Qt.PenStyle.SolidLine if hot else Qt.PenStyle.DashLine))
        painter.setBrush(fill)
        painter.drawRoundedRect(rect, Metrics.card_corner, Metrics.card_corner)
        size = float(Metrics.stage_control)
        middle = rect.center()
        paint_icon(
            painter, icon_name, edge,
            QRectF(middle.x() - size / 2.0, middle.y() - size - 4.0, size, size),
        )  # fmt: skip
        painter.setPen(tokens.color("text"))
        painter.setFont(font(Metrics.start))
        words = QRectF(rect.left(), middle.y() + 8.0, rect.width(), 2.0 * Metrics.start)
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, text)
