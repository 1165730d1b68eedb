"""Why a shape matched: its views as a strip, with a bar each for how near they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.stock import Reason

__all__ = ["ViewStrip"]

_COLUMNS = 6
_FAINTEST = 0.45


@guards
class ViewStrip(QWidget):
    """Small pictures in lines; the one that matched best has an edge."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.session = session
        self.reason: Reason | None = None
        self.setAccessibleName(self.tr("Views that matched"))
        session.theme.changed.connect(self.update)
        self.hide()

    def show_reason(self, reason: Reason | None) -> None:
        """Show the views of a match, or nothing."""
        self.reason = reason
        count = 0 if reason is None else len(reason.scores)
        self.setVisible(count > 0)
        self.updateGeometry()
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    @property
    def best(self) -> int:
        """Index of the view that matched best, -1 without any."""
        if self.reason is None or not len(self.reason.scores):
            return -1
        return int(np.argmax(self.reason.scores))

    @property
    def _side(self) -> float:
        gap = Metrics.space[0]
        wide = self.width() or Metrics.shapes_preview
        return float((wide - (_COLUMNS - 1) * gap) // _COLUMNS)

    def box(self, index: int) -> QRectF:
        """Where a view lies."""
        row, column = divmod(index, _COLUMNS)
        side, gap = self._side, Metrics.space[0]
        high = side + Metrics.space[0] + Metrics.hair + gap
        return QRectF(column * (side + gap), row * high, side, side)

    def sizeHint(self) -> QSize:
        """As many lines as there are views for."""
        count = 0 if self.reason is None else len(self.reason.scores)
        if not count:
            return QSize(0, 0)
        return QSize(0, round(self.box(count - 1).bottom()) + Metrics.space[1])

    def resizeEvent(self, event: QEvent) -> None:
        """Views fill the width."""
        self.setFixedHeight(self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Say how near a view is."""
        if isinstance(event, QHelpEvent) and self.reason is not None:
            for index, score in enumerate(self.reason.scores):
                if self.box(index).contains(event.pos().toPointF()):
                    words = self.tr("View {0}\nSimilarity {1}").format(index + 1, f"{score:.2f}")
                    QToolTip.showText(event.globalPos(), tip(words), self)
                    return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The views and their bars."""
        if self.reason is None:
            return
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        scores = self.reason.scores
        # Views of one shape are much alike: bars show what is between them.
        high, spread = float(scores.max()), float(np.ptp(scores))
        low = high - 1.25 * max(spread, 1e-3)
        for index, score in enumerate(scores):
            box = self.box(index).adjusted(0.5, 0.5, -0.5, -0.5)
            best = index == self.best
            share = (float(score) - low) / (high - low)
            path = QPainterPath()
            path.addRoundedRect(box, Metrics.corner, Metrics.corner)
            painter.fillPath(path, tokens.color("stage"))
            if index < len(self.reason.pictures):
                painter.setOpacity(1.0 if best else _FAINTEST + (1.0 - _FAINTEST) * share)
                edge = Metrics.hair
                inner = box.adjusted(edge, edge, -edge, -edge)
                painter.drawImage(inner, self.reason.pictures[index])
                painter.setOpacity(1.0)
            if best:
                painter.setPen(QPen(tokens.color("accent"), 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawPath(path)
            line = QRectF(box.left(), box.bottom() + Metrics.line_gap, box.width(), Metrics.hair)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("raised"))
            painter.drawRect(line)
            line.setWidth(share * line.width())
            painter.setBrush(tokens.color("accent" if best else "quiet"))
            painter.drawRect(line)
        painter.end()
