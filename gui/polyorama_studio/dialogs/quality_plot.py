"""Size against likeness: one mark a way to write a capture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.plots import Scale, paint_axis, paint_frame
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import memory_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from polyorama.verbs.quality import Measurement
    from polyorama_studio.theme import Theme, Tokens

__all__ = ["QualityPlot", "likeness_text"]

_REACH = 12.0
_TOP_DB = 100.0
"""Equal pictures stand here, and whatever is nearly equal."""
_SERIES = (".sog", ".spz", ".compressed.ply", ".ply", ".splat", ".glb")
_SIDES = (0, 4, 3, 6, 5, 4)
"""Corners of each format's mark; 0 is a circle: shapes tell them apart where colours do not."""


def likeness_text(measured: Measurement) -> str:
    """PSNR as people read it."""
    return "equal" if math.isinf(measured.psnr) else f"{measured.psnr:.1f} dB"


@guards
class QualityPlot(QWidget):
    """Marks that fill in as they are measured; a click chooses one.

    Parameters
    ----------
    theme
        Colours.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._found: tuple[Measurement, ...] = ()
        self._best: Measurement | None = None
        self._marked: Measurement | None = None
        self._hovered: Measurement | None = None
        self.words = ""
        """Said in the middle while nothing is measured."""
        self.setMouseTracking(True)
        self.setMinimumSize(*Metrics.quality_plot)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Size against likeness"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As wide as it may be small."""
        return QSize(*Metrics.quality_plot)

    def show_measured(
        self,
        found: Sequence[Measurement],
        best: Measurement | None,
        marked: Measurement | None,
        words: str = "",
    ) -> None:
        """Show measurements, with the recommended one and the one that is chosen."""
        self._found, self._best, self._marked = tuple(found), best, marked
        self.words = words
        self.update()

    @property
    def _box(self) -> QRectF:
        foot = 2 * Metrics.plot_foot + Metrics.space[0]
        top = Metrics.space[3]
        return QRectF(self.rect()).adjusted(Metrics.value_axis, top, -Metrics.space[0], -foot)

    def _scales(self) -> tuple[Scale, Scale]:
        sizes = [measured.nbytes for measured in self._found] or [1e5, 1e7]
        low, high = min(sizes) / 1.6, max(sizes) * 1.6
        levels = [min(m.psnr, _TOP_DB) for m in self._found] or [30.0, 60.0]
        bottom = 10.0 * math.floor((min(levels) - 3.0) / 10.0)
        top = 10.0 * math.ceil((max(levels) + 3.0) / 10.0)
        return Scale(low, high, log=True), Scale(bottom, max(top, bottom + 20.0))

    def place(self, measured: Measurement) -> QPointF:
        """Where a mark stands."""
        across, up = self._scales()
        box = self._box
        x = box.left() + across.place(float(measured.nbytes)) * box.width()
        y = box.bottom() - up.place(min(measured.psnr, _TOP_DB)) * box.height()
        return QPointF(x, y)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Axes, marks, names of formats."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self._box
        paint_frame(painter, tokens, box)
        across, up = self._scales()
        paint_axis(painter, tokens, box, across, texts=_byte_ticks(across))
        paint_axis(painter, tokens, box, up, upright=True)
        painter.setFont(font(Metrics.small))
        painter.setPen(tokens.color("quiet"))
        unit = QRectF(0.0, 0.0, box.left() - Metrics.space[0], Metrics.space[3])
        painter.drawText(unit, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "dB")
        if not self._found:
            painter.setFont(font(Metrics.label))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.words)
        for measured in self._found:
            self._paint_mark(painter, tokens, measured)
        self._paint_legend(painter, tokens, box)
        if self._best is not None:
            self._paint_words(painter, tokens, self._best, self.tr("recommended"), "accent")
        if self._hovered is not None:
            self._paint_card(painter, tokens, box, self._hovered)
        painter.end()

    def _paint_mark(self, painter: QPainter, tokens: Tokens, measured: Measurement) -> None:
        middle = self.place(measured)
        number = _SERIES.index(measured.level.ending) if measured.level.ending in _SERIES else 5
        color = tokens.color(f"series{number + 1}")
        # The more is left out, the fainter.
        whole = measured.level.share == 100.0
        fill = tokens.color(f"series{number + 1}")
        fill.setAlphaF(0.9 if whole else 0.15)
        painter.setPen(QPen(color, Metrics.stroke))
        painter.setBrush(fill)
        radius = 5.5 if measured is self._hovered else 4.5
        _paint_shape(painter, middle, radius, _SIDES[number])
        ring = "accent" if measured is self._best else "text" if measured is self._marked else ""
        if ring or measured is self._marked:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(tokens.color(ring), 1.5))
            painter.drawEllipse(middle, radius + 4.0, radius + 4.0)
        if measured is self._marked and measured is self._best:
            painter.setPen(QPen(tokens.color("text"), 1.0))
            painter.drawEllipse(middle, radius + 6.5, radius + 6.5)

    def _paint_words(
        self, painter: QPainter, tokens: Tokens, measured: Measurement, words: str, token: str
    ) -> None:
        painter.setFont(font(Metrics.small))
        painter.setPen(tokens.color(token))
        metrics = painter.fontMetrics()
        middle = self.place(measured)
        wide = metrics.horizontalAdvance(words)
        left = middle.x() - wide / 2.0
        left = min(max(left, self._box.left() + 2.0), self._box.right() - wide - 2.0)
        above = middle.y() - Metrics.space[2]
        base = above if above - metrics.ascent() > self._box.top() else middle.y() + 22.0
        painter.drawText(QPointF(left, base), words)

    def _paint_legend(self, painter: QPainter, tokens: Tokens, box: QRectF) -> None:
        painter.setFont(font(Metrics.small))
        metrics = painter.fontMetrics()
        x = box.left()
        y = box.bottom() + Metrics.plot_foot + Metrics.space[2]
        there = {measured.level.ending for measured in self._found}
        for number, ending in enumerate(_SERIES):
            if ending not in there:
                continue
            color = tokens.color(f"series{number + 1}")
            painter.setPen(QPen(color, Metrics.stroke))
            painter.setBrush(color)
            _paint_shape(painter, QPointF(x + 4.0, y), 3.5, _SIDES[number])
            painter.setPen(tokens.color("quiet"))
            painter.drawText(QPointF(x + 12.0, y + metrics.ascent() / 2.0 - 1.0), ending)
            x += 12.0 + metrics.horizontalAdvance(ending) + Metrics.space[2]

    def _paint_card(
        self, painter: QPainter, tokens: Tokens, box: QRectF, measured: Measurement
    ) -> None:
        lines = [
            str(measured.level),
            f"{memory_text(measured.nbytes)}, {likeness_text(measured)}, SSIM {measured.ssim:.4f}",
        ]
        painter.setFont(font(Metrics.label, tabular=True))
        metrics = painter.fontMetrics()
        gap = float(Metrics.space[1])
        wide = max(metrics.horizontalAdvance(line) for line in lines) + 2.0 * gap
        high = 2 * metrics.height() + gap
        middle = self.place(measured)
        left = (
            middle.x() + gap if middle.x() + gap + wide < box.right() else middle.x() - gap - wide
        )
        card = QRectF(max(left, box.left()), middle.y() + gap, wide, high)
        if card.bottom() > box.bottom():
            card.moveBottom(middle.y() - gap)
        painter.setPen(tokens.color("line"))
        painter.setBrush(tokens.color("raised"))
        painter.drawRoundedRect(card, Metrics.corner, Metrics.corner)
        for number, line in enumerate(lines):
            painter.setPen(tokens.color("text" if number == 0 else "quiet"))
            base = card.top() + gap / 2.0 + number * metrics.height() + metrics.ascent()
            painter.drawText(QPointF(card.left() + gap, base), line)

    def _near(self, position: QPointF) -> Measurement | None:
        def distance(measured: Measurement) -> float:
            offset = self.place(measured) - position
            return math.hypot(offset.x(), offset.y())

        nearest = min(self._found, key=distance, default=None)
        return nearest if nearest is not None and distance(nearest) <= _REACH else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is here."""
        hovered = self._near(event.position())
        if hovered is not self._hovered:
            self._hovered = hovered
            shape = Qt.CursorShape.ArrowCursor
            self.setCursor(shape if hovered is None else Qt.CursorShape.PointingHandCursor)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what is here."""
        measured = self._near(event.position())
        if measured is not None:
            self.chosen.emit(measured)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self._hovered = None
        self.update()


def _paint_shape(painter: QPainter, middle: QPointF, radius: float, sides: int) -> None:
    if sides == 0:
        painter.drawEllipse(middle, radius, radius)
        return
    turn = -math.pi / 2.0 if sides != 4 else -math.pi / 4.0
    wide = radius * (1.15 if sides == 3 else 1.08)
    corners = [
        middle + QPointF(
            wide * math.cos(turn + 2.0 * math.pi * k / sides),
            wide * math.sin(turn + 2.0 * math.pi * k / sides),
        )
        for k in range(sides)
    ]  # fmt: skip
    painter.drawPolygon(QPolygonF(corners))


def _byte_ticks(scale: Scale) -> list[tuple[float, str]]:
    """Round sizes with their units."""
    steps = [m * 10.0**d for d in range(2, 12) for m in (1, 2, 5)]
    found = [step for step in steps if scale.low <= step <= scale.high]
    if len(found) > 7:
        found = [step for step in found if str(step)[0] == "1"]
    return [(step, memory_text(step).replace(".0 ", " ")) for step in found]
