"""How numbers look: to as many figures as there is room for, in a box with a bar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from polyorama.core.params import Parameter
    from polyorama_studio.theme import Tokens

__all__ = ["NumberLook", "number_text"]

_FIGURES = 4
_MIXED = "…"
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


def number_text(parameter: Parameter, value: float, figures: int = _FIGURES) -> str:
    """A number to so many figures, without its unit; those before the point always stay."""
    if parameter.kind == "whole":
        return str(round(value))
    size = abs(value)
    if size < _nothing(parameter):
        return "0"
    if size >= 1e6 or size < 1e-4:
        return f"{value:.{max(figures - 1, 1)}g}"
    # Below one they may take more places.
    places = max(0, figures - 1 - math.floor(math.log10(size)))
    shown = f"{value:.{min(places, figures - 1 if size >= 1.0 else figures + 1)}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _nothing(parameter: Parameter) -> float:
    """Below this a number is what roundings leave of nought."""
    if parameter.low > 0.0:
        return 0.0
    return 1e-9 if parameter.soft is None else 1e-7 * (parameter.soft[1] - parameter.soft[0])


@dataclass(frozen=True, slots=True)
class NumberLook:
    """What a number field shows.

    Parameters
    ----------
    parameter, value
        The number and what is known about it.
    label, color
        Letter at the left, and the token that it is painted in.
    edge
        Token of the box's line.
    """

    parameter: Parameter
    value: float
    label: str
    color: str
    edge: str

    def paint(
        self, painter: QPainter, area: QRectF, tokens: Tokens, enabled: bool, mixed: bool
    ) -> None:
        """Box, bar of the soft range, label, number, unit."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = area.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setBrush(tokens.color("raised"))
        painter.setPen(tokens.color(self.edge))
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        if not mixed and not self.label:
            self._paint_bar(painter, box, tokens)
        painter.setFont(font(Metrics.label, tabular=True))
        inner = box.adjusted(Metrics.space[1] - 1, 0, 1 - Metrics.space[1], 0)
        metrics = painter.fontMetrics()
        room = inner.width()
        if self.label:
            painter.setPen(tokens.color(self.color if enabled else "quiet"))
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, self.label)
            room -= metrics.horizontalAdvance(self.label) + Metrics.hair
        unit = self.parameter.unit
        if unit:
            painter.setPen(tokens.color("quiet"))
            painter.drawText(inner, _RIGHT, unit)
            taken = metrics.horizontalAdvance(unit) + Metrics.line_gap
            inner = inner.adjusted(0, 0, -taken, 0)
            room -= taken
        text = _MIXED
        if not mixed:
            texts = [number_text(self.parameter, self.value, n) for n in range(_FIGURES, 0, -1)]
            text = next((t for t in texts if metrics.horizontalAdvance(t) <= room), texts[-1])
        painter.setPen(tokens.color("text" if enabled else "quiet"))
        painter.drawText(inner, _RIGHT, text)

    def _paint_bar(self, painter: QPainter, box: QRectF, tokens: Tokens) -> None:
        if self.parameter.soft is None:
            return
        low, high = self.parameter.soft
        zero = min(max((0.0 - low) / (high - low), 0.0), 1.0)
        here = min(max((self.value - low) / (high - low), 0.0), 1.0)
        left, right = sorted((zero, here))
        color = tokens.color("accent")
        color.setAlphaF(0.16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        bar = QRectF(
            box.left() + left * box.width(), box.top() + 1.0,
            (right - left) * box.width(), box.height() - 2.0,
        )  # fmt: skip
        painter.drawRect(bar)
