"""Where the rows and keys of the sheet lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Signal

from polyorama_studio.theme import Metrics
from polyorama_studio.timeline import keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama_studio.timeline.rows import Row
    from polyorama_studio.timeline.state import TimelineState

__all__ = ["Places", "thinned"]

_REACH = 6.0
"""Pixels from a key's middle at which it is still hit."""
_CLOSE = 3.0
"""Keys nearer than this are drawn as one."""


class Places(QObject):
    """Rows from the top, scrolled by `offset` logical pixels."""

    scrolled = Signal()

    def __init__(self, state: TimelineState) -> None:
        super().__init__(state)
        self._state = state
        self.offset = 0
        self.height = 0

    def rows(self) -> list[tuple[Row, float, float]]:
        """Every row with its top and its height, logical pixels."""
        found, top = [], -float(self.offset)
        for row in self._state.rows:
            tall = Metrics.timeline_audio_row if row.kind == "audio" else Metrics.timeline_row
            found.append((row, top, float(tall)))
            top += tall
        return found

    @property
    def content(self) -> int:
        """Pixels that all rows take."""
        audio = sum(row.kind == "audio" for row in self._state.rows)
        plain = len(self._state.rows) - audio
        return audio * Metrics.timeline_audio_row + plain * Metrics.timeline_row + Metrics.space[0]

    def scroll_to(self, offset: int) -> None:
        """Scroll, as far as there are rows."""
        self.offset = min(max(offset, 0), max(self.content - self.height, 0))
        self.scrolled.emit()

    def row_at(self, y: float) -> Row | None:
        """The row at a height."""
        for row, top, height in self.rows():
            if top <= y < top + height:
                return row
        return None

    def key_at(self, at: QPointF) -> tuple[Row, float] | None:
        """The row and the time of the key at a place."""
        row, axis = self.row_at(at.y()), self._state.axis
        if row is None or not len(row.times) or at.x() < axis.left:
            return None
        best = nearest(row.times, axis.seconds(at.x()))
        return (row, best) if abs(axis.x(best) - at.x()) <= _REACH else None

    def keys_of(self, row: Row, seconds: float) -> keys.Choice:
        """The keys that a row shows at a time."""
        timeline = self._state.timeline
        if timeline is None:
            return {}
        found = {}
        for path in row.paths:
            times = keys.arrays_of(timeline.tracks[path]).times
            place = int(np.searchsorted(times, seconds))
            if place < len(times) and times[place] == seconds:
                found[path] = frozenset((seconds,))
        return found

    def keys_in(self, box: QRectF) -> keys.Choice:
        """The keys in a rectangle; rows count whose middle is inside, or that hold all of it."""
        timeline, axis = self._state.timeline, self._state.axis
        if timeline is None:
            return {}
        first, last = axis.seconds(box.left()), axis.seconds(box.right())
        found: keys.Choice = {}
        for row, top, height in self.rows():
            over = box.top() <= top + height / 2.0 <= box.bottom()
            within = box.top() >= top and box.bottom() <= top + height
            if not over and not within:
                continue
            for path in row.paths:
                times = keys.arrays_of(timeline.tracks[path]).times
                low, high = np.searchsorted(times, (first, last))
                if high > low:
                    found[path] = frozenset(times[low:high].tolist())
        return found


def nearest(times: NDArray[np.float64], seconds: float) -> float:
    """Of rising times, (n,) float64 and at least one, that which is nearest."""
    place = int(np.searchsorted(times, seconds))
    near = times[max(place - 1, 0) : place + 1]
    return float(near[np.argmin(np.abs(near - seconds))])


def thinned(xs: NDArray[np.float64], marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Places of the keys to draw, (m,): one of those that lie on each other; chosen ones win.

    Parameters
    ----------
    xs
        (n,) float64, rising, logical pixels.
    marked
        (n,) bool, whether a key is chosen.
    """
    if len(xs) < 2:
        return np.arange(len(xs))
    cells = np.floor(xs / _CLOSE).astype(np.int64)
    order = np.lexsort((~marked, cells))
    first = np.r_[True, np.diff(cells[order]) != 0]
    return np.sort(order[first])
