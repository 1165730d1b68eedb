"""Painting on a canvas: a brush, its strokes, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.experiment import Canvas

    Floats = NDArray[np.float64]

__all__ = ["Brush", "from_picture"]

_KEPT_BYTES = 32 * 2**20
"""Of arrays to go back to."""
SIZES = (0.03, 0.07, 0.15)
"""Radii of the brush, as a share of the canvas's longer side."""


class Brush:
    """Paints on an array within a canvas's bounds; a stroke is one step of undo.

    Parameters
    ----------
    canvas
        Whose array.
    """

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.values: Floats = np.full(canvas.shape, canvas.low)
        self.radius = SIZES[1] * max(canvas.shape)
        """In cells."""
        self.value = canvas.high
        self._before: list[Floats] = []
        self._base: Floats | None = None
        self._weight: Floats | None = None
        self._last: tuple[float, float] | None = None

    @property
    def painting(self) -> bool:
        """Whether a stroke has begun."""
        return self._base is not None

    @property
    def can_undo(self) -> bool:
        """Whether there is a stroke to take back."""
        return bool(self._before)

    def take(self, values: NDArray) -> None:
        """Start from another array of the canvas's shape, brought within its bounds."""
        array = np.nan_to_num(np.asarray(values, np.float64), nan=self.canvas.low)
        if array.shape == self.canvas.shape:
            self.values = self._fitted(array)

    def _fitted(self, array: Floats) -> Floats:
        fitted = np.clip(array, self.canvas.low, self.canvas.high)
        return np.round(fitted) if self.canvas.whole else fitted

    def grow(self, steps: float) -> None:
        """A larger brush, or with negative steps a smaller one."""
        side = max(self.canvas.shape)
        self.radius = float(np.clip(self.radius * 1.25**steps, 0.5, 0.5 * side))

    def begin(self, row: float, column: float, value: float | None = None) -> None:
        """Put the brush down; `value` is painted, by default the brush's own."""
        self._remember()
        self._base = self.values
        self._stroke_value = self.value if value is None else value
        self._weight = np.zeros(self.canvas.shape)
        self._last = None
        self.draw_to(row, column)

    def draw_to(self, row: float, column: float) -> None:
        """Draw the brush to a place, in cells from the middle of the first one."""
        if self._base is None or self._weight is None:
            return
        start = self._last or (row, column)
        length = float(np.hypot(row - start[0], column - start[1]))
        count = max(1, int(np.ceil(length / max(0.35 * self.radius, 0.35))))
        for share in np.linspace(1.0 / count, 1.0, count):
            self._dab(start[0] + share * (row - start[0]), start[1] + share * (column - start[1]))
        self._last = (row, column)
        mixed = self._base + self._weight * (self._stroke_value - self._base)
        self.values = self._fitted(mixed)

    def _dab(self, row: float, column: float) -> None:
        """Strengthen the stroke about a place: whole inside, softer towards the edge."""
        assert self._weight is not None
        rows, columns = self.canvas.shape
        reach = self.radius + 1.0
        top, left = max(int(row - reach), 0), max(int(column - reach), 0)
        bottom, right = min(int(row + reach) + 2, rows), min(int(column + reach) + 2, columns)
        if top >= bottom or left >= right:
            return
        down = np.arange(top, bottom)[:, None] - row
        across = np.arange(left, right)[None, :] - column
        far = np.hypot(down, across) / self.radius
        if self.canvas.whole:
            weight = (far <= 1.0).astype(np.float64)
            nearest = (round(row), round(column))
            if top <= nearest[0] < bottom and left <= nearest[1] < right:
                weight[nearest[0] - top, nearest[1] - left] = 1.0
        else:
            weight = np.clip(2.0 - 2.0 * far, 0.0, 1.0)
        patch = self._weight[top:bottom, left:right]
        np.maximum(patch, weight, out=patch)

    def end(self) -> Floats | None:
        """Lift the brush; what is on the canvas now, or None where no stroke had begun."""
        if self._base is None:
            return None
        self._base = self._weight = None
        return self.values

    def replace(self, values: Floats) -> Floats:
        """Put a whole picture on the canvas, as one step."""
        self._remember()
        self.values = self._fitted(np.nan_to_num(values, nan=self.canvas.low))
        return self.values

    def undo(self) -> Floats | None:
        """Take the last stroke back; what is on the canvas then, or None if there was none."""
        if not self._before:
            return None
        self.values = self._before.pop()
        return self.values

    def _remember(self) -> None:
        most = max(2, _KEPT_BYTES // max(self.values.nbytes, 1))
        self._before.append(self.values)
        del self._before[:-most]


def from_picture(pixels: NDArray[np.uint8], canvas: Canvas) -> Floats:
    """Lightness of a picture as values of a canvas.

    Parameters
    ----------
    pixels
        (rows, columns) uint8, of the canvas's shape, the first row on top.
    canvas
        White is its greatest value and black its least.
    """
    share = pixels[::-1].astype(np.float64) / 255.0
    return canvas.low + share * (canvas.high - canvas.low)
