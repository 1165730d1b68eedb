"""The painted part of the histogram panel: bars or a scatter, and the range dragged over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from polyorama.scene.histogram import BINS, Histogram, Scatter
from polyorama_studio.guard import guards
from polyorama_studio.panels.band import BandWidget
from polyorama_studio.plots import Scale, number_text, paint_axis, paint_frame
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent

    from polyorama.scene.histogram import Axis
    from polyorama_studio.panels.band import Band
    from polyorama_studio.theme import Theme, Tokens

__all__ = ["HistogramPlot"]


def _strip_of(name: str) -> list[QColor]:
    """What the values of a colour's number look like, from the least to the greatest."""
    if name == "hue":
        return [QColor.fromHsvF(k / 12.0 % 1.0, 0.75, 0.95) for k in range(13)]
    if name == "saturation":
        return [QColor.fromHsvF(0.05, share, 0.9) for share in (0.0, 1.0)]
    if name in ("value", "luminance"):
        return [QColor.fromRgbF(share, share, share) for share in (0.0, 1.0)]
    if name in ("r", "g", "b"):
        full = [1.0 if name == channel else 0.15 for channel in "rgb"]
        return [QColor.fromRgbF(0.0, 0.0, 0.0), QColor.fromRgbF(*full)]
    return []


@guards
class HistogramPlot(BandWidget):
    """Counts as bars, or of two numbers as a cloud; a range can be dragged over either.

    Parameters
    ----------
    theme
        Colours.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.counted: Histogram | Scatter | None = None
        self.words = ""
        """Said in the middle while there is nothing to show."""
        self.names: tuple[str, str] = ("", "")
        self.log_counts = False
        self._cloud: tuple[object, QImage] | None = None
        self._pointer: QPointF | None = None
        self.setMinimumHeight(Metrics.plot)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Histogram"))
        theme.changed.connect(self._on_theme)

    def sizeHint(self) -> QSize:
        """A little wider than high."""
        return QSize(Metrics.toast_words, Metrics.plot + 2 * Metrics.plot_foot)

    def show_counts(
        self, counted: Histogram | Scatter | None, names: tuple[str, str], words: str = ""
    ) -> None:
        """Show other counts; `words` are said instead where there are none."""
        if type(counted) is not type(self.counted):
            self.band = None
        self.counted, self.names, self.words = counted, names, words
        self._cloud = None
        self.update()

    def set_log_counts(self, log: bool) -> None:
        """Let heights go by the logarithm of counts, or evenly."""
        self.log_counts = log
        self.update()

    def set_band(self, band: Band | None) -> None:
        """Mark a range of whole bins, so that what was counted is what is selected."""
        if band is not None:
            left, right, bottom, top = (round(share * BINS) for share in band)
            right, top = min(max(right, left + 1), BINS), min(max(top, bottom + 1), BINS)
            left, bottom = min(left, right - 1), min(bottom, top - 1)
            band = (left / BINS, right / BINS, bottom / BINS, top / BINS)
        super().set_band(band)

    def _on_theme(self) -> None:
        self._cloud = None
        self.update()

    # Where things are

    @property
    def flat(self) -> bool:
        """Whether there are bars, not a cloud."""
        return isinstance(self.counted, Histogram)

    @property
    def active(self) -> bool:
        """Whether something was counted."""
        return self.counted is not None

    @property
    def box(self) -> QRectF:
        """The plot itself, without its numbers."""
        left = 0.0
        if isinstance(self.counted, Scatter):
            left = float(Metrics.value_axis - Metrics.space[1])
        foot = Metrics.plot_foot + (Metrics.space[0] if self._strip(0) else 0)
        return QRectF(self.rect()).adjusted(left, 0.0, 0.0, -foot)

    @property
    def _group(self) -> int:
        """How many bins a bar stands for: bars are two pixels wide, or they flicker."""
        group = 1
        while group < BINS // 16 and self.box.width() * group / BINS < 2.0:
            group *= 2
        return group

    def _strip(self, which: int) -> list[QColor]:
        return _strip_of(self.names[which].removeprefix("view."))

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ground, axes, counts, range, what the pointer is at."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self.box
        paint_frame(painter, tokens, box)
        if self.counted is None:
            painter.setPen(tokens.color("quiet"))
            painter.setFont(font(Metrics.label))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            room = box.adjusted(Metrics.space[2], 0, -Metrics.space[2], 0)
            painter.drawText(room, flags, self.words)
        elif isinstance(self.counted, Histogram):
            paint_axis(painter, tokens, self._above_strip(box), _scale(self.counted.axis))
            self._paint_bars(painter, tokens, box, self.counted)
        else:
            paint_axis(painter, tokens, self._above_strip(box), _scale(self.counted.across))
            paint_axis(painter, tokens, box, _scale(self.counted.up), upright=True)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(box, self._cloud_image(tokens, self.counted))
        if self.counted is not None:
            self._paint_strip(painter, box)
            if self.band is not None:
                self._paint_band(painter, tokens)
            if self._pointer is not None and box.contains(self._pointer):
                self._paint_pointer(painter, tokens, box)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(tokens.color("accent"))
            edge = box.adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(edge, Metrics.corner, Metrics.corner)
        painter.end()

    def _above_strip(self, box: QRectF) -> QRectF:
        """The plot with the strip of colours, below which the numbers stand."""
        return box.adjusted(0, 0, 0, Metrics.space[0]) if self._strip(0) else box

    def _paint_strip(self, painter: QPainter, box: QRectF) -> None:
        colors = self._strip(0)
        if not colors:
            return
        gradient = QLinearGradient(box.bottomLeft(), box.bottomRight())
        for number, color in enumerate(colors):
            gradient.setColorAt(number / (len(colors) - 1), color)
        painter.fillRect(
            QRectF(box.left(), box.bottom() + 1.0, box.width(), Metrics.line_gap), gradient
        )

    def _heights(self, counts: NDArray[np.int64], most: int) -> NDArray[np.float64]:
        if self.log_counts:
            return np.log1p(counts) / np.log1p(max(most, 1))
        return counts / max(most, 1)

    def _paint_bars(
        self, painter: QPainter, tokens: Tokens, box: QRectF, counted: Histogram
    ) -> None:
        # A bin far above all others, such as all black splats, would press the rest flat.
        counts, selected = (
            _joined(bins, self._group) for bins in (counted.counts, counted.selected)
        )
        most = int(counts.max(initial=0))
        if not self.log_counts and most:
            usual = int(np.partition(counts, -4)[-4])
            most = min(most, max(2 * usual, 1))
        for bins, token, alpha in ((counts, "quiet", 0.55), (selected, "accent", 1.0)):
            if not bins.any():
                continue
            color = tokens.color(token)
            color.setAlphaF(alpha)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPath(_skyline(box, np.minimum(self._heights(bins, most), 1.0)))

    def _cloud_image(self, tokens: Tokens, counted: Scatter) -> QImage:
        if self._cloud is None or self._cloud[0] is not counted:
            self._cloud = (counted, _cloud_of(counted, tokens))
        return self._cloud[1]

    def _paint_band(self, painter: QPainter, tokens: Tokens) -> None:
        marked = self.marked()
        fill = tokens.color("accent")
        fill.setAlphaF(0.14)
        painter.fillRect(marked, fill)
        painter.setPen(QPen(tokens.color("accent"), Metrics.stroke))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if isinstance(self.counted, Scatter):
            painter.drawRect(marked)
            return
        for x in (marked.left(), marked.right()):
            painter.drawLine(QPointF(x, marked.top()), QPointF(x, marked.bottom()))

    def _paint_pointer(self, painter: QPainter, tokens: Tokens, box: QRectF) -> None:
        assert self._pointer is not None
        text = self.words_at(self._pointer)
        line = tokens.color("text")
        line.setAlphaF(0.35)
        painter.setPen(QPen(line, 1.0))
        x = self._pointer.x()
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        if isinstance(self.counted, Scatter):
            y = self._pointer.y()
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        painter.setFont(font(Metrics.label, tabular=True))
        metrics = painter.fontMetrics()
        lines = text.split("\n")
        gap = float(Metrics.space[0])
        wide = max(metrics.horizontalAdvance(part) for part in lines) + 2 * gap
        high = len(lines) * metrics.height() + gap
        left = x + gap if x + gap + wide < box.right() else x - gap - wide
        card = QRectF(max(left, box.left()), box.top() + gap, wide, high)
        ground = tokens.color("panel")
        ground.setAlphaF(0.92)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(card, Metrics.corner, Metrics.corner)
        for number, part in enumerate(lines):
            painter.setPen(tokens.color("text" if number == 0 else "quiet"))
            base = card.top() + gap / 2.0 + number * metrics.height() + metrics.ascent()
            painter.drawText(QPointF(card.left() + gap, base), part)

    def words_at(self, position: QPointF) -> str:
        """What is at a place: values, splats, selected ones."""
        x, y = self.share(position)
        column, row = min(int(x * BINS), BINS - 1), min(int(y * BINS), BINS - 1)
        if isinstance(self.counted, Histogram):
            axis, group = self.counted.axis, self._group
            start = column // group * group
            low, high = axis.value_at(start / BINS), axis.value_at((start + group) / BINS)
            first = self.tr("{0} to {1}").format(number_text(low), number_text(high))
            bar = slice(start, start + group)
            counts = self.counted.counts[bar].sum(), self.counted.selected[bar].sum()
        elif isinstance(self.counted, Scatter):
            first = ", ".join(
                number_text(axis.value_at((at + 0.5) / BINS))
                for axis, at in ((self.counted.across, column), (self.counted.up, row))
            )
            near = slice(max(row - 1, 0), row + 2), slice(max(column - 1, 0), column + 2)
            counts = self.counted.counts[near].sum(), self.counted.selected[near].sum()
        else:
            return ""
        second = self.tr("{0:,} splats").format(int(counts[0]))
        if counts[1]:
            second += self.tr(", {0:,} selected").format(int(counts[1]))
        return f"{first}\n{second}"

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self._pointer = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What was pointed at is elsewhere."""
        self._pointer = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or tell what is here."""
        self._pointer = event.position()
        super().mouseMoveEvent(event)
        self.update()


def _scale(axis: Axis) -> Scale:
    return Scale(axis.low, axis.high, axis.log)


def _joined(bins: NDArray[np.int64], group: int) -> NDArray[np.int64]:
    return bins.reshape(-1, group).sum(axis=1)


def _skyline(box: QRectF, heights: NDArray[np.float64]) -> QPainterPath:
    """Bars side by side as one outline; each that is not empty is at least a pixel high."""
    tall = np.where(heights > 0.0, np.maximum(heights * (box.height() - 2.0), 1.0), 0.0)
    tops = box.bottom() - tall
    edges = box.left() + np.arange(len(tall) + 1) * (box.width() / len(tall))
    path = QPainterPath(box.bottomLeft())
    for number, top in enumerate(tops.tolist()):
        path.lineTo(edges[number], top)
        path.lineTo(edges[number + 1], top)
    path.lineTo(box.bottomRight())
    path.closeSubpath()
    return path


def _cloud_of(counted: Scatter, tokens: Tokens) -> QImage:
    """The squares as a picture: the more splats the brighter, in the accent what is selected."""
    counts = counted.counts[::-1].astype(np.float64)
    share = counted.selected[::-1] / np.maximum(counts, 1.0)
    most = np.log1p(max(counts.max(initial=0.0), 1.0))
    level = np.log1p(counts) / most
    alpha = np.where(counts > 0.0, 0.30 + 0.70 * level, 0.0)
    plain, bright, chosen = (
        np.array(tokens.color(name).getRgbF()[:3]) for name in ("quiet", "text", "accent")
    )
    color = plain + (bright - plain) * level[..., None]
    color = color + (chosen - color) * np.sqrt(share)[..., None]
    pixels = np.empty((*counts.shape, 4), np.uint8)
    pixels[..., :3] = np.round(255.0 * color * alpha[..., None])
    pixels[..., 3] = np.round(255.0 * alpha)
    wrapped = QImage(pixels.data, BINS, BINS, 4 * BINS, QImage.Format.Format_RGBA8888_Premultiplied)
    return wrapped.copy()
