"""How views share the stage: the most telling one has the most room, none is a strip."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Rect", "arrange", "arrange_fitting"]

Rect = tuple[float, float, float, float]
"""Left, top, width and height as shares of the stage."""

_ASPECT = 1.5
"""Width of a view by its height at best."""
_FIRST = 1.25
"""So much room more than the others the first view may well have."""
_SIDES = (0.5, 0.56, 0.62)
"""Widths that a large first view may have."""


def arrange(spans: Sequence[int], width: float, height: float) -> list[Rect]:
    """Where each of some views stands, in their order.

    Of all ways to put them in rows, and of those with the first one large at the left, this is the
    one in which views are nearest to their best proportions and to the room that they want.

    Parameters
    ----------
    spans
        How much room each wants, 1 or 2.
    width, height
        Of the stage, in any unit.
    """
    if not spans:
        return []
    candidates = list(_candidates(spans))
    costs = [_cost(rects, spans, width, height) for rects in candidates]
    return candidates[costs.index(min(costs))]


def arrange_fitting(
    spans: Sequence[int], width: float, height: float, least: tuple[float, float]
) -> list[Rect]:
    """As `arrange`, of as many of the first views as are large enough; one in any case.

    Parameters
    ----------
    least
        Width and height below which nobody could read a view.
    """
    for count in range(len(spans), 1, -1):
        rects = arrange(spans[:count], width, height)
        if all(w * width >= least[0] and h * height >= least[1] for _, _, w, h in rects):
            return rects
    return arrange(spans[:1], width, height)


def _candidates(spans: Sequence[int]) -> Iterator[list[Rect]]:
    count = len(spans)
    for columns in range(1, sum(spans) + 1):
        yield _rows(spans, columns, (0.0, 0.0, 1.0, 1.0))
    if count >= 3:
        for side in _SIDES:
            for columns in (1, 2):
                rest = _rows(spans[1:], columns, (side, 0.0, 1.0 - side, 1.0))
                yield [(0.0, 0.0, side, 1.0), *rest]
            below = _rows(spans[1:], count - 1, (0.0, side, 1.0, 1.0 - side))
            yield [(0.0, 0.0, 1.0, side), *below]


def _rows(spans: Sequence[int], columns: int, area: Rect) -> list[Rect]:
    """Fill rows of so many columns one after the other; each row fills the width."""
    rows: list[list[int]] = [[]]
    for span in spans:
        wide = min(span, columns)
        if rows[-1] and sum(rows[-1]) + wide > columns:
            rows.append([])
        rows[-1].append(wide)
    left, top, width, height = area
    rects: list[Rect] = []
    high = height / len(rows)
    for number, row in enumerate(rows):
        x = 0
        for wide in row:
            share = width / sum(row)
            rects.append((left + x * share, top + number * high, wide * share, high))
            x += wide
    return rects


def _cost(rects: Sequence[Rect], spans: Sequence[int], width: float, height: float) -> float:
    """How far views are from the proportions and from the room that they want."""
    wanted = [span * (_FIRST if number == 0 else 1.0) for number, span in enumerate(spans)]
    total = sum(wanted)
    cost = 0.0
    for (_, _, w, h), want in zip(rects, wanted, strict=True):
        aspect = math.log(w * width / (h * height) / _ASPECT)
        room = math.log(w * h * total / want)
        cost += aspect * aspect + 0.7 * room * room
    return cost / len(rects)
