"""Fields and matrices as pixels of a colour map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QImage

from polyorama_studio.workspaces.lab.views.scales import Following

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.views import Axis, Colormap
    from polyorama_studio.workspaces.lab.views.look import Look

__all__ = ["ColorRange", "image_over", "pixels_of", "thinned_field"]


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
        array = _quick(values)
        low, high = float(array.min(initial=np.inf)), float(array.max(initial=-np.inf))
        if not (math.isfinite(low) and math.isfinite(high) and (low > 0.0 or not self.axis.log)):
            with np.errstate(invalid="ignore"):
                array = array[np.isfinite(array) & ((array > 0.0) | (not self.axis.log))]
            if not len(array):
                return
            low, high = float(array.min()), float(array.max())
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
                array = np.where(array > 0.0, np.log10(array), np.float32(np.nan))
        share = array - np.float32(low)
        share /= np.float32(high - low)
        return share


def pixels_of(values: NDArray, colors: ColorRange, look: Look) -> NDArray[np.uint8]:
    """Values in colours, (..., 4) uint8 RGBA of their shape; NaN is transparent."""
    share = colors.shares(values)
    share *= 255.0
    share += 0.5
    np.clip(share, 0.5, 255.5, out=share)
    hole = np.isnan(share)
    share[hole] = 0.0
    packed = look.table(colors.colormap).view(np.uint32).ravel().take(share.astype(np.uint8))
    packed[hole] = 0
    return packed[..., None].view(np.uint8)


def _quick(values: NDArray) -> NDArray:
    """The same values; processors have no way with half precision."""
    return values.astype(np.float32) if values.dtype == np.float16 else values


def image_over(rgba: NDArray[np.uint8]) -> QImage:
    """Qt's picture of (rows, columns, 4) contiguous pixels, as long as they are kept."""
    rows, columns = rgba.shape[:2]
    return QImage(rgba.data, columns, rows, rgba.strides[0], QImage.Format.Format_RGBA8888)


def thinned_field(values: NDArray, most: int) -> NDArray:
    """A field with at most so many samples along each side: every k-th row and column."""
    rows, columns = values.shape[:2]
    down, across = max(1, -(-rows // most)), max(1, -(-columns // most))
    return values[down // 2 :: down, across // 2 :: across]
