"""Fields and matrices as pixels of a colour map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama_studio.workspaces.lab.views.scales import Following

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.views import Axis, Colormap
    from polyorama_studio.workspaces.lab.views.look import Look

__all__ = ["ColorRange", "pixels_of", "thinned_field"]


class ColorRange:
    """The values at the ends of a colour map, which follow the data and mostly stand still.

    Parameters
    ----------
    axis
        Fixed ends, and whether colours go by the logarithm.
    colormap
        A diverging one has nought in its middle unless its ends are fixed.
    """

    def __init__(self, axis: Axis, colormap: Colormap) -> None:
        self.axis = axis
        self.colormap = colormap
        self._span = Following(axis, air=False)

    def fit(self, values: NDArray) -> None:
        """Let it hold what is finite, and on a logarithm positive, of some values."""
        with np.errstate(invalid="ignore"):
            finite = values[np.isfinite(values) & ((values > 0.0) | (not self.axis.log))]
        if not len(finite):
            return
        low, high = float(finite.min()), float(finite.max())
        if self.colormap == "diverging" and self.axis.low is None and self.axis.high is None:
            high = max(abs(low), abs(high))
            low = -high
        self._span.fit(low, high)

    @property
    def ends(self) -> tuple[float, float]:
        """Values of the first and the last colour."""
        low, high = self._span.ends
        return (10.0**low, 10.0**high) if self.axis.log else (low, high)

    def shares(self, values: NDArray) -> NDArray[np.float32]:
        """Places of values in the map, 0..1; NaN where they have none."""
        low, high = self._span.ends
        array = np.asarray(values, np.float32)
        if self.axis.log:
            with np.errstate(invalid="ignore", divide="ignore"):
                array = np.where(array > 0.0, np.log10(array), np.nan).astype(np.float32)
        return (array - np.float32(low)) / np.float32(high - low)


def pixels_of(values: NDArray, colors: ColorRange, look: Look) -> NDArray[np.uint8]:
    """Values in colours, (..., 4) uint8 RGBA of their shape; NaN is transparent."""
    share = colors.shares(values)
    hole = np.isnan(share)
    with np.errstate(invalid="ignore"):
        index = np.where(hole, 0.0, np.clip(share, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)
    packed = look.table(colors.colormap).view(np.uint32).ravel()[index]
    packed[hole] = 0
    return packed[..., None].view(np.uint8)


def thinned_field(values: NDArray, most: int) -> NDArray:
    """A field with at most so many samples along each side: every k-th row and column."""
    rows, columns = values.shape[:2]
    down, across = max(1, -(-rows // most)), max(1, -(-columns // most))
    return values[down // 2 :: down, across // 2 :: across]
