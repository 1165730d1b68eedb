"""Display values and linear light: where each is used, and the way between them.

The colours of splats are display-referred: captures were trained against photographs as they are
shown, so blending inside a rasterizer mixes display values (sRGB), and must. Everything that stands
for light adding up afterwards works on linear values instead: the samples of depth of field and
motion blur, supersampling, resampling into panoramas, exposure, bloom, vignette and tone mapping.
Pixels are premultiplied by alpha on both sides; the curve is applied to the colour divided by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["add_averaged", "add_decoded", "decode", "encode", "to_bytes", "to_display", "to_linear"]

_PARTS_PER_CORE = 4


@kernel
def decode(value: Any) -> Any:
    """Linear light of one display value (IEC 61966-2-1), continued beyond 1 and mirrored at 0."""
    size = abs(value)
    if size <= np.float32(0.04045):
        return value / np.float32(12.92)
    light = ((size + np.float32(0.055)) / np.float32(1.055)) ** np.float32(2.4)
    return light if value > 0 else -light


@kernel
def encode(value: Any) -> Any:
    """Display value of one linear value; the inverse of `decode`."""
    size = abs(value)
    if size <= np.float32(0.04045 / 12.92):
        return value * np.float32(12.92)
    shown = np.float32(1.055) * size ** np.float32(1.0 / 2.4) - np.float32(0.055)
    return shown if value > 0 else -shown


def to_linear(color: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W, 4) float32 linear light of premultiplied display pixels; clear pixels become 0."""
    total = np.zeros(color.shape, np.float32)
    add_decoded(color, total)
    return total


def to_display(linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W, 4) float32 premultiplied display pixels of linear ones; clear pixels become 0."""
    out = np.empty(linear.shape, np.float32)
    source = np.ascontiguousarray(linear, np.float32)
    _over_rows(lambda _, start, stop: _encode_rows(start, stop, source, out), len(out))
    return out


def add_decoded(
    color: NDArray[np.float32], total: NDArray[np.float32], weight: float = 1.0
) -> None:
    """Average blocks of premultiplied display pixels as light, and add them to `total`.

    Parameters
    ----------
    color
        (n H, n W, 4) float32, display RGB premultiplied by alpha; n is a whole number.
    total
        (H, W, 4) float32, linear, changed in place.
    weight
        What the picture counts.
    """
    _add(color, total, weight, True)


def add_averaged(
    linear: NDArray[np.float32], total: NDArray[np.float32], weight: float = 1.0
) -> None:
    """As `add_decoded`, of pixels that are linear already."""
    _add(linear, total, weight, False)


def _add(
    pixels: NDArray[np.float32], total: NDArray[np.float32], weight: float, curved: bool
) -> None:
    block = pixels.shape[0] // total.shape[0]
    assert pixels.shape == (total.shape[0] * block, total.shape[1] * block, 4)
    source = np.ascontiguousarray(pixels, np.float32)
    share = np.float32(weight / (block * block))
    _over_rows(
        lambda _, start, stop: _add_rows(start, stop, source, total, block, share, curved),
        len(total),
    )


def to_bytes(display: NDArray[np.float32]) -> NDArray[np.uint8]:
    """(H, W, 4) uint8 of float pixels, 0..1, cut off and rounded to nearest."""
    out = np.empty(display.shape, np.uint8)
    source = np.ascontiguousarray(display, np.float32)
    _over_rows(lambda _, start, stop: _byte_rows(start, stop, source, out), len(out))
    return out


def _over_rows(task: object, rows: int) -> None:
    parallel_for(task, rows, _PARTS_PER_CORE * core_count())  # type: ignore[arg-type]


@kernel
def _add_rows(
    start: int,
    stop: int,
    pixels: NDArray[np.float32],
    total: NDArray[np.float32],
    block: int,
    share: np.float32,
    curved: bool,
) -> None:
    nothing = np.float32(0.0)
    for y in range(start, stop):
        for x in range(total.shape[1]):
            red, green, blue, cover = nothing, nothing, nothing, nothing
            for i in range(y * block, (y + 1) * block):
                for j in range(x * block, (x + 1) * block):
                    alpha = pixels[i, j, 3]
                    if not curved:
                        red += pixels[i, j, 0]
                        green += pixels[i, j, 1]
                        blue += pixels[i, j, 2]
                    elif alpha > nothing:
                        red += alpha * decode(pixels[i, j, 0] / alpha)
                        green += alpha * decode(pixels[i, j, 1] / alpha)
                        blue += alpha * decode(pixels[i, j, 2] / alpha)
                    cover += alpha
            total[y, x, 0] += share * red
            total[y, x, 1] += share * green
            total[y, x, 2] += share * blue
            total[y, x, 3] += share * cover


@kernel
def _encode_rows(
    start: int, stop: int, linear: NDArray[np.float32], out: NDArray[np.float32]
) -> None:
    for y in range(start, stop):
        for x in range(linear.shape[1]):
            alpha = linear[y, x, 3]
            for c in range(3):
                out[y, x, c] = (
                    alpha * encode(linear[y, x, c] / alpha) if alpha > 0 else np.float32(0.0)
                )
            out[y, x, 3] = alpha


@kernel
def _byte_rows(start: int, stop: int, source: NDArray[np.float32], out: NDArray[np.uint8]) -> None:
    for y in range(start, stop):
        for x in range(source.shape[1]):
            for c in range(4):
                value = min(max(source[y, x, c], np.float32(0.0)), np.float32(1.0))
                out[y, x, c] = np.uint8(value * np.float32(255.0) + np.float32(0.5))
