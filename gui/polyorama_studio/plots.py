"""What painted plots share: ticks, numbers, a frame, heat colours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from polyorama_studio.theme import HEAT, Metrics, font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama_studio.theme import Tokens

__all__ = ["Scale", "heat_ramp", "number_text", "paint_axis", "paint_frame", "ticks"]


def number_text(value: float) -> str:
    """A number of a plot in about three digits."""
    if value == 0.0:
        return "0"
    size = abs(value)
    if 1e-3 <= size < 1e5:
        places = max(0, 2 - math.floor(math.log10(size)))
        text = f"{value:,.{places}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.2g}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places between 0 and 1.

    Parameters
    ----------
    low, high
        Ends.
    log
        Whether places are even in the logarithm; then both ends are above 0.
    """

    low: float
    high: float
    log: bool = False

    def place(self, value: float) -> float:
        """Where a value is; it may be outside."""
        if self.log:
            if value <= 0.0:
                return -math.inf
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, place: float) -> float:
        """What is there."""
        if self.log:
            return self.low * (self.high / self.low) ** place
        return self.low + (self.high - self.low) * place


def ticks(scale: Scale, most: int) -> list[float]:
    """At most so many round values inside a scale."""
    if scale.log:
        first, last = math.log10(scale.low), math.log10(scale.high)
        decades = range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)
        if len(decades) >= 2:
            step = math.ceil(len(decades) / max(most, 1))
            return [10.0**d for d in decades if d % step == 0]
        inside = [m * 10.0**d for d in range(math.floor(first), math.ceil(last)) for m in (1, 2, 5)]
        found = [v for v in inside if scale.low <= v <= scale.high]
        return found[:: math.ceil(len(found) / max(most, 1))] if found else []
    rough = (scale.high - scale.low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= rough * (1.0 - 1e-9))
    first_step = math.ceil(scale.low / step - 1e-9)
    count = math.floor(scale.high / step + 1e-9) - first_step + 1
    return [(first_step + k) * step for k in range(max(0, count))]


def paint_frame(painter: QPainter, tokens: Tokens, box: QRectF) -> None:
    """The ground that a plot stands on."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.color("ground"))
    painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)


def paint_axis(
    painter: QPainter, tokens: Tokens, box: QRectF, scale: Scale, *, upright: bool = False,
    texts: Sequence[tuple[float, str]] | None = None,
) -> None:  # fmt: skip
    """Hairlines across a plot and numbers beside it: below, or `upright` at the left.

    Parameters
    ----------
    painter, tokens
        With what.
    box
        The plot; numbers stand outside.
    scale
        What it spans.
    upright
        Whether the scale goes upwards.
    texts
        Values and what is written there; None writes round numbers.
    """
    painter.setFont(font(Metrics.small, tabular=True))
    metrics = painter.fontMetrics()
    room = box.height() / (2.2 * metrics.height()) if upright else box.width() / 52.0
    if texts is None:
        texts = [(value, number_text(value)) for value in ticks(scale, max(1, int(room)))]
    line = tokens.color("line")
    end = -math.inf
    for value, text in texts:
        place = scale.place(value)
        if not -1e-6 <= place <= 1.0 + 1e-6:
            continue
        painter.setPen(QPen(line, 1.0))
        wide = metrics.horizontalAdvance(text)
        if upright:
            y = box.bottom() - place * box.height()
            if 0.01 < place < 0.99:
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(tokens.color("quiet"))
            left = box.left() - wide - Metrics.space[0]
            middle = min(max(y, box.top() + metrics.height() / 2.0), box.bottom())
            painter.drawText(QPointF(left, middle + metrics.ascent() / 2.0 - 1.0), text)
            continue
        x = box.left() + place * box.width()
        if 0.01 < place < 0.99:
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        left = min(max(x - wide / 2.0, box.left()), box.right() - wide)
        if left < end + Metrics.space[0]:
            continue
        end = left + wide
        painter.setPen(tokens.color("quiet"))
        painter.drawText(QPointF(left, box.bottom() + metrics.ascent() + Metrics.line_gap), text)


def heat_ramp() -> NDArray[np.float32]:
    """(256, 3) float32 display RGB of the heat map, from cold to hot."""
    stops = np.array([QColor(color).getRgbF()[:3] for color in HEAT])
    places = np.linspace(0.0, 1.0, len(stops))
    at = np.linspace(0.0, 1.0, 256)
    ramp = [np.interp(at, places, stops[:, channel]) for channel in range(3)]
    return np.stack(ramp, axis=1).astype(np.float32)
