"""Display colours: the sRGB curve between them and linear light, and their brightness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LUMA", "display_from_linear", "linear_from_display", "luma"]

LUMA = np.array([0.2126, 0.7152, 0.0722])
"""Weights of red, green and blue in brightness (BT.709)."""


def luma(colors: NDArray[Any]) -> NDArray[Any]:
    """Brightness of display colours, (..., 3) floats, in their own precision."""
    brightness: NDArray[Any] = colors @ LUMA.astype(colors.dtype)
    return brightness


@overload
def linear_from_display(colors: NDArray[np.float64]) -> NDArray[np.float64]: ...
@overload
def linear_from_display(colors: ArrayLike) -> NDArray[np.float32]: ...
def linear_from_display(colors: ArrayLike) -> NDArray[Any]:
    """Linear light of display (sRGB) colours.

    Parameters
    ----------
    colors
        Any shape, display values; below 0 counts as 0, above 1 the curve goes on.

    Returns
    -------
    The same shape; float64 for arrays of float64, else float32.
    """
    c = _positive(colors)
    return np.asarray(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4), c.dtype)


@overload
def display_from_linear(light: NDArray[np.float64]) -> NDArray[np.float64]: ...
@overload
def display_from_linear(light: ArrayLike) -> NDArray[np.float32]: ...
def display_from_linear(light: ArrayLike) -> NDArray[Any]:
    """Display (sRGB) colours of linear light; the inverse of `linear_from_display`.

    Parameters
    ----------
    light
        Any shape, linear values; below 0 counts as 0, above 1 the curve goes on.

    Returns
    -------
    The same shape; float64 for arrays of float64, else float32.
    """
    c = _positive(light)
    curve = np.where(c <= 0.0031308, c * 12.92, 1.055 * c ** (1 / 2.4) - 0.055)
    return np.asarray(curve, c.dtype)


def _positive(values: ArrayLike) -> NDArray[Any]:
    exact = isinstance(values, np.ndarray) and values.dtype == np.float64
    return np.asarray(np.maximum(np.asarray(values, np.float64 if exact else np.float32), 0))
