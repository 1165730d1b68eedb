"""Rules that are laid beside lines on two logarithmic axes and say which power they follow."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.lab.views.scales import said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama_studio.workspaces.lab.views.lines import Line
    from polyorama_studio.workspaces.lab.views.look import Look
    from polyorama_studio.workspaces.lab.views.plot import Mapping

__all__ = ["SlopeRule", "exponent_words", "fitted_slope"]

_FRACTIONS = {
    Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 4): "¼",
    Fraction(3, 4): "¾", Fraction(1, 5): "⅕", Fraction(2, 5): "⅖", Fraction(3, 5): "⅗",
    Fraction(4, 5): "⅘", Fraction(1, 6): "⅙", Fraction(5, 6): "⅚",
}  # fmt: skip
_SNAP = 0.03
"""So near a reference exponent a turned rule takes it."""
_BESIDE = 0.12
"""How far from a line a rule is laid, as a share of the height."""
_REACH = 0.16
"""Half the rule's length as a share of the box's width."""


def exponent_words(exponent: float) -> str:
    """An exponent as it is written: ½, 1⅔, 0.62."""
    size = abs(exponent)
    sign = "\N{MINUS SIGN}" if exponent < 0.0 else ""
    whole, part = divmod(size, 1.0)
    for fraction, glyph in _FRACTIONS.items():
        if abs(part - float(fraction)) < 1e-6:
            return f"{sign}{int(whole) or ''}{glyph}"
    return sign + said(round(size, 2), 3)


def fitted_slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The exponent of the power of `x` that fits `y` best: least squares of the logarithms.

    Parameters
    ----------
    x, y
        (N,) float64; points that are not positive are left out.

    Returns
    -------
    float
        NaN with fewer than two different abscissae.
    """
    with np.errstate(invalid="ignore"):
        there = (x > 0.0) & (y > 0.0) & np.isfinite(x) & np.isfinite(y)
    u, v = np.log(x[there]), np.log(y[there])
    u = u - u.mean() if len(u) else u
    spread = float(u @ u)
    return float(u @ v) / spread if spread > 1e-12 else math.nan


class SlopeRule:
    """A straight line of one exponent; dragged, or turned by its end.

    Parameters
    ----------
    exponent
        At first.
    references
        Exponents that it takes when it is turned near them.
    """

    def __init__(self, exponent: float, references: Sequence[float]) -> None:
        self.exponent = exponent
        self.references = tuple(references)
        self.center: tuple[float, float] | None = None
        """Decimal logarithms; None before it was laid down."""
        self.moved = False
        """Whether a person laid it where it is."""
        self.hot = False
        self.above = False
        """Whether it lies above its line; its words are on the side that is away from it."""
        self.line: Line | None = None
        """The line that it was laid beside; it belongs to the nearest one when it was moved."""
        self._held: str = ""
        self._offset = (0.0, 0.0)

    # Where it is

    def lay(
        self, mapping: Mapping, line: Line | None, others: Sequence[Line], share: float
    ) -> None:
        """Lay it beside a line at a share of the width, unless a person has laid it somewhere."""
        if self.moved:
            return
        self.line = line
        u = mapping.x[0] + share * (mapping.x[1] - mapping.x[0])
        height = mapping.y[1] - mapping.y[0]
        v = 0.5 * (mapping.y[0] + mapping.y[1])
        if line is not None:
            heights = [line.at(10.0**u)[1] for line in (line, *others)]
            there = np.log10([y for y in heights if y > 0.0])
            if len(there):
                # On the side that has more room.
                sides = there[0] + _BESIDE * height * np.array([-1.0, 1.0])
                free = [min(np.abs(there - side)) for side in sides]
                self.above = bool(np.argmax(free))
                v = float(sides[int(self.above)])
        self.center = (u, min(max(v, mapping.y[0] + 0.12 * height), mapping.y[1] - 0.12 * height))

    def reach(self, mapping: Mapping) -> float:
        """Half its length along the x axis, in decades."""
        return _REACH * (mapping.x[1] - mapping.x[0])

    def ends(self, mapping: Mapping) -> tuple[QPointF, QPointF]:
        """Its ends in pixels."""
        assert self.center is not None
        u, v = self.center
        half = self.reach(mapping)
        us, vs = np.array([u - half, u + half]), np.array([v - half, v + half])
        vs = v + self.exponent * (us - u)
        x, y = mapping.across(10.0**us), mapping.down(10.0**vs)
        return QPointF(float(x[0]), float(y[0])), QPointF(float(x[1]), float(y[1]))

    def part_at(self, mapping: Mapping, place: QPointF) -> str:
        """``"end"``, ``"middle"`` or "" for what of it is at a position."""
        if self.center is None:
            return ""
        a, b = self.ends(mapping)
        if math.hypot(place.x() - b.x(), place.y() - b.y()) <= 2.0 * Metrics.plot_grip:
            return "end"
        along = b - a
        length = max(along.x() ** 2 + along.y() ** 2, 1e-9)
        toward = place - a
        share = (toward.x() * along.x() + toward.y() * along.y()) / length
        nearest = a + along * min(max(share, 0.0), 1.0)
        gap = math.hypot(place.x() - nearest.x(), place.y() - nearest.y())
        return "middle" if gap <= 2.0 * Metrics.plot_grip else ""

    # The pointer

    def take_hold(self, mapping: Mapping, place: QPointF) -> bool:
        """Begin a drag if it is there."""
        self._held = self.part_at(mapping, place)
        if self._held and self.center is not None:
            x, y = mapping.value_at(place)
            self._offset = (self.center[0] - math.log10(x), self.center[1] - math.log10(y))
        return bool(self._held)

    def drag(self, mapping: Mapping, place: QPointF) -> bool:
        """Follow the pointer; whether it is held."""
        if not self._held or self.center is None:
            return False
        self.moved = True
        x, y = mapping.value_at(place)
        u, v = math.log10(x), math.log10(y)
        if self._held == "middle":
            self.center = (u + self._offset[0], v + self._offset[1])
            return True
        run = max(u - self.center[0], 0.05 * self.reach(mapping))
        turned = (v - self.center[1]) / run
        near = [r for r in self.references if abs(r - turned) < _SNAP * max(1.0, abs(r))]
        self.exponent = near[0] if near else round(turned, 2)
        return True

    def let_go(self) -> bool:
        """End the drag; whether there was one."""
        held, self._held = bool(self._held), ""
        return held

    # Painting

    def beside(self, mapping: Mapping, lines: Sequence[Line]) -> tuple[Line, float] | None:
        """The line nearest to its middle and the exponent that this follows along it."""
        if self.center is None:
            return None
        u, v = self.center
        half = self.reach(mapping)
        best: tuple[float, Line] | None = None
        for line in lines if self.moved or self.line is None else [self.line]:
            if line.series.style in ("dashed", "dotted"):
                continue
            _, y = line.at(10.0**u)
            if y > 0.0:
                gap = abs(math.log10(y) - v)
                if best is None or gap < best[0]:
                    best = (gap, line)
        if best is None:
            return None
        edges = 10.0 ** np.linspace(u - half, u + half, 65)
        x, y = best[1].points(edges, 0, best[1].shown)
        inside = (x >= edges[0]) & (x <= edges[-1])
        slope = fitted_slope(x[inside], y[inside])
        return None if math.isnan(slope) else (best[1], slope)

    def paint(self, painter: QPainter, look: Look, mapping: Mapping, lines: Sequence[Line]) -> None:
        """The rule, its exponent, and that of the line beside it."""
        if self.center is None:
            return
        a, b = self.ends(mapping)
        color = look.tokens.color("accent" if self.hot or self._held else "text")
        pen = QPen(color, 0.75 * look.stroke)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawLine(a, b)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        size = 0.5 * Metrics.plot_grip * (1.6 if look.stage else 1.0)
        painter.drawEllipse(b, size, size)
        metrics = QFontMetricsF(look.label)
        words = f"slope {exponent_words(self.exponent)}"
        found = self.beside(mapping, lines)
        extra = "" if found is None else f"  measured {said(round(found[1], 2), 3)}"
        wide, room = metrics.horizontalAdvance(words + extra), mapping.box.width() - 8.0
        if found is not None and wide > room:
            extra = f"  {said(round(found[1], 2), 3)}"
            wide = metrics.horizontalAdvance(words + extra)
        middle = 0.5 * (a + b)
        leftward = self.above == (self.exponent >= 0.0)
        x = middle.x() - wide - look.gap if leftward else middle.x() + look.gap
        x = min(max(x, 4.0), mapping.box.width() - wide - 4.0)
        y = middle.y() + (-0.5 * look.gap if self.above else metrics.ascent() + 0.5 * look.gap)
        y = min(max(y, metrics.ascent()), mapping.box.height() - 4.0)
        plate = QRectF(x - 3.0, y - metrics.ascent(), wide + 6.0, metrics.height())
        ground = look.ground
        ground.setAlphaF(0.8)
        painter.setBrush(ground)
        painter.drawRoundedRect(plate, Metrics.corner, Metrics.corner)
        painter.setFont(look.label)
        painter.setPen(color)
        painter.drawText(QPointF(x, y), words)
        if found is not None:
            line = found[0]
            painter.setPen(look.color(line.series.rival, line.number))
            painter.drawText(QPointF(x + metrics.horizontalAdvance(words), y), extra)
