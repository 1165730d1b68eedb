"""SSIM and its gradient on the CPU, as two passes over the picture.

A row of the picture is a row of interleaved channels, so that blurring along it and across rows are
both sums of shifted rows, which the compiler turns into vector instructions. Each part of the
picture keeps the last eleven blurred rows in a ring and never stores a whole blurred picture. The
formula is that of `losses`, whose torch version is the reference in the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["C1", "C2", "RADIUS", "similarity", "similarity_gradient", "window"]

C1, C2 = 0.01**2, 0.03**2
"""What keeps the ratios finite, for colours in 0..1."""

RADIUS = 5
"""Pixels that the window reaches."""

_TAPS = 2 * RADIUS + 1
_SIGMA = 1.5
_PARTS_PER_CORE = 2
_LEAST_ROWS = 32


def window() -> NDArray[np.float64]:
    """(11,) float64, the weights of the window; they add up to 1."""
    offsets = np.arange(-RADIUS, RADIUS + 1)
    weights = np.exp(-(offsets**2) / (2.0 * _SIGMA**2))
    return np.asarray(weights / weights.sum())


def similarity(
    drawn: NDArray[Any], photograph: NDArray[Any], mean: NDArray[Any], square: NDArray[Any]
) -> tuple[float, NDArray[Any]]:
    """Mean SSIM, and the (H, W, 9) maps that its gradient is blurred from.

    Parameters
    ----------
    drawn, photograph
        (H, W, 3), of one precision.
    mean, square
        (H, W, 3), the photograph and its square under the window.
    """
    height, width, _ = drawn.shape
    maps = np.empty((height, width, 9), drawn.dtype)
    weights = window().astype(drawn.dtype)

    def task(_: int, start: int, stop: int) -> float:
        total: float = _forward(start, stop, drawn, photograph, mean, square, weights, maps)
        return total

    sums = parallel_for(task, height, _parts(height))
    return float(np.sum(sums)) / drawn.size, maps


def similarity_gradient(
    drawn: NDArray[Any], photograph: NDArray[Any], maps: NDArray[Any], scale: float
) -> NDArray[Any]:
    """(H, W, 3): the gradient of `scale` times the sum of SSIM with respect to `drawn`."""
    height = len(drawn)
    grads = np.empty_like(drawn)
    weights = window().astype(drawn.dtype)
    factor = drawn.dtype.type(scale)

    def task(_: int, start: int, stop: int) -> None:
        _backward(start, stop, drawn, photograph, maps, weights, factor, grads)

    parallel_for(task, height, _parts(height))
    return grads


def _parts(height: int) -> int:
    return max(1, min(_PARTS_PER_CORE * core_count(), height // _LEAST_ROWS))


@kernel
def _blur_row(padded: Any, weights: Any, out: Any) -> None:
    """Blur a row of pixels with nine channels; `padded` has five black pixels on either side."""
    w0, w1, w2, w3, w4, w5 = weights[0], weights[1], weights[2], weights[3], weights[4], weights[5]
    for i in range(len(out)):
        out[i] = (
            w0 * (padded[i] + padded[i + 90])
            + w1 * (padded[i + 9] + padded[i + 81])
            + w2 * (padded[i + 18] + padded[i + 72])
            + w3 * (padded[i + 27] + padded[i + 63])
            + w4 * (padded[i + 36] + padded[i + 54])
            + w5 * padded[i + 45]
        )


@kernel
def _blur_column(ring: Any, row: int, weights: Any, out: Any) -> None:
    """Blur across the eleven rows around `row`; row r lies at r % 11 of the ring."""
    w0, w1, w2, w3, w4, w5 = weights[0], weights[1], weights[2], weights[3], weights[4], weights[5]
    a0, a1, a2 = ring[(row - 5) % 11], ring[(row - 4) % 11], ring[(row - 3) % 11]
    a3, a4, a5 = ring[(row - 2) % 11], ring[(row - 1) % 11], ring[row % 11]
    b4, b3, b2 = ring[(row + 1) % 11], ring[(row + 2) % 11], ring[(row + 3) % 11]
    b1, b0 = ring[(row + 4) % 11], ring[(row + 5) % 11]
    for i in range(len(out)):
        out[i] = (
            w0 * (a0[i] + b0[i])
            + w1 * (a1[i] + b1[i])
            + w2 * (a2[i] + b2[i])
            + w3 * (a3[i] + b3[i])
            + w4 * (a4[i] + b4[i])
            + w5 * a5[i]
        )


@kernel
def _forward(
    start: int, stop: int, drawn: Any, photograph: Any, mean: Any, square: Any, weights: Any,
    maps: Any,
) -> float:  # fmt: skip
    """Rows `start` to `stop` of the maps; returns the sum of SSIM over them."""
    height, width, _ = drawn.shape
    real = drawn.dtype.type
    one, two, c1, c2 = real(1.0), real(2.0), real(C1), real(C2)
    padded = np.zeros((width + 10) * 9, drawn.dtype)
    ring = np.zeros((11, width * 9), drawn.dtype)
    blurred = np.empty(width * 9, drawn.dtype)
    total = 0.0
    for ahead in range(start - 5, stop + 5):
        here = ring[ahead % 11]
        if 0 <= ahead < height:
            for column in range(width):
                at = (column + 5) * 9
                for channel in range(3):
                    x, y = drawn[ahead, column, channel], photograph[ahead, column, channel]
                    padded[at + channel] = x
                    padded[at + channel + 3] = x * x
                    padded[at + channel + 6] = x * y
            _blur_row(padded, weights, here)
        else:
            here[:] = real(0.0)
        row = ahead - 5
        if row < start:
            continue
        _blur_column(ring, row, weights, blurred)
        of_row = real(0.0)
        for column in range(width):
            at = column * 9
            for channel in range(3):
                mx, my = blurred[at + channel], mean[row, column, channel]
                squares = mx * mx + my * my + c1
                variances = (
                    blurred[at + channel + 3] - mx * mx + square[row, column, channel] - my * my
                ) + c2
                a = two * mx * my + c1
                b = two * (blurred[at + channel + 6] - mx * my) + c2
                below = one / (squares * variances)
                value = a * b * below
                by_square = -value * squares * below
                maps[row, column, channel] = (
                    two * my * (b - a) * below
                    - two * mx * value * variances * below
                    - two * mx * by_square
                )
                maps[row, column, channel + 3] = by_square
                maps[row, column, channel + 6] = two * a * below
                of_row += value
        total += of_row
    return total


@kernel
def _backward(
    start: int, stop: int, drawn: Any, photograph: Any, maps: Any, weights: Any, scale: Any,
    grads: Any,
) -> None:  # fmt: skip
    """Rows `start` to `stop` of the gradient."""
    height, width, _ = drawn.shape
    real = drawn.dtype.type
    two = real(2.0)
    padded = np.zeros((width + 10) * 9, drawn.dtype)
    ring = np.zeros((11, width * 9), drawn.dtype)
    blurred = np.empty(width * 9, drawn.dtype)
    for ahead in range(start - 5, stop + 5):
        here = ring[ahead % 11]
        if 0 <= ahead < height:
            for column in range(width):
                at = (column + 5) * 9
                for channel in range(9):
                    padded[at + channel] = maps[ahead, column, channel]
            _blur_row(padded, weights, here)
        else:
            here[:] = real(0.0)
        row = ahead - 5
        if row < start:
            continue
        _blur_column(ring, row, weights, blurred)
        for column in range(width):
            at = column * 9
            for channel in range(3):
                grads[row, column, channel] = scale * (
                    blurred[at + channel]
                    + two * drawn[row, column, channel] * blurred[at + channel + 3]
                    + photograph[row, column, channel] * blurred[at + channel + 6]
                )
