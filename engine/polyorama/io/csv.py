"""CSV tables of splats in natural form, for spreadsheets and data tools; written, never read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for
from polyorama.io.atomic import atomic_write
from polyorama.io.files import write_all

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["column_names", "write"]

_BLOCK_ROWS = 1 << 12
_TEXT_BYTES = 24
"""Room for the longest number (sign, 9 digits, point, zeros or exponent) and its comma."""

_POWER_OFFSET = 64
_POWERS = 10.0 ** np.arange(-_POWER_OFFSET, _POWER_OFFSET + 1, dtype=np.float64)


def column_names(cloud: SplatCloud) -> list[str]:
    """Names of the columns: geometry, base colour, SH coefficients above degree 0, extra columns.

    ``red``, ``green`` and ``blue`` are the base colour in display RGB, nominally 0..1.
    """
    bands = range(1, cloud.sh.shape[1])
    return [
        *("x", "y", "z", "scale_x", "scale_y", "scale_z"),
        *("rotation_w", "rotation_x", "rotation_y", "rotation_z", "opacity"),
        *("red", "green", "blue"),
        *(f"sh_{band}_{color}" for band in bands for color in ("red", "green", "blue")),
        *cloud.extras,
    ]


def write(cloud: SplatCloud, path: str | os.PathLike[str]) -> None:
    """Write a CSV file: a header line, then a line a splat, numbers in natural form.

    Each number has the fewest digits, at most 9, that give the same float32 again. Whole numbers
    are written in full, other float64 columns are rounded to 9 digits. NaN and infinities are
    written as ``nan``, ``inf`` and ``-inf``.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    count = len(cloud)
    colors = cloud.colors
    rest = cloud.sh[:, 1:].reshape(count, -1)
    # A name with a comma, a quote or a line break is quoted, as RFC 4180 has it.
    names = [_quoted(name) for name in column_names(cloud)]

    def text_of(first: int, _part: int, start: int, stop: int) -> NDArray[np.uint8]:
        rows = slice(first + start, first + stop)
        columns = [
            cloud.means[rows], cloud.scales[rows], cloud.quats[rows], cloud.opacities[rows, None],
            colors[rows], rest[rows],
            *(column[rows, None] for column in cloud.extras.values()),
        ]  # fmt: skip
        values = np.concatenate(columns, axis=1, dtype=np.float64, casting="unsafe")
        text = np.empty((values.size + 1) * _TEXT_BYTES, np.uint8)
        return text[: _format(values, _POWERS, text)]

    wave = _BLOCK_ROWS * core_count()
    with atomic_write(path) as temporary, temporary.open("wb", buffering=0) as file:
        file.write((",".join(names) + "\n").encode())
        for first in range(0, count, wave):
            total = min(wave, count - first)
            for piece in parallel_for(partial(text_of, first), total, core_count()):
                write_all(file, piece)


def _quoted(name: str) -> str:
    if any(c in name for c in ',"\r\n'):
        return '"' + name.replace('"', '""') + '"'
    return name


@kernel
def _digits(number: float, decimals: int, text: NDArray[np.uint8], start: int) -> int:
    """Write a whole number with a decimal point `decimals` places from its end."""
    rest = np.uint64(number)
    ten = np.uint64(10)
    length = 0
    # Backwards into the last bytes of the room, then moved to the front.
    at = start + _TEXT_BYTES - 3
    while rest > np.uint64(0) or length <= decimals:
        if length == decimals and decimals > 0:
            text[at] = 46
            at -= 1
        quotient = rest // ten
        text[at] = np.uint8(48) + np.uint8(rest - quotient * ten)
        rest = quotient
        at -= 1
        length += 1
    stop = start + _TEXT_BYTES - 3
    for k in range(stop - at):
        text[start + k] = text[at + 1 + k]
    return start + stop - at


@kernel
def _number(value: float, powers: NDArray[np.float64], text: NDArray[np.uint8], start: int) -> int:
    """Write one number at `start`; returns where the next byte goes."""
    at = start
    if value != value:
        text[at], text[at + 1], text[at + 2] = 110, 97, 110
        return at + 3
    if value < 0.0:
        text[at] = 45
        at += 1
    size = abs(value)
    if size == np.inf:
        text[at], text[at + 1], text[at + 2] = 105, 110, 102
        return at + 3
    if size < 1e15 and size == np.floor(size):
        return int(_digits(size, 0, text, at))
    exponent = int(np.floor(np.log10(size)))
    exponent = min(max(exponent, -50), 50)
    mantissa = 0.0
    shift = 0
    wanted = np.float32(size)
    for digits in range(7, 10):
        shift = digits - 1 - exponent
        mantissa = np.rint(size * powers[_POWER_OFFSET + shift])
        if np.float32(mantissa * powers[_POWER_OFFSET - shift]) == wanted:
            break
    # The number is mantissa / 10^shift; trailing zeros go. Products of whole numbers below 2^53
    # are exact, and multiplying is quicker than integer division.
    while shift > -_POWER_OFFSET:
        shorter = np.rint(mantissa * 0.1)
        if shorter * 10.0 != mantissa:
            break
        mantissa = shorter
        shift -= 1
    if exponent >= -9 and shift > 0 and shift <= 14:
        return int(_digits(mantissa, shift, text, at))
    if shift <= 0 and exponent < 15:
        return int(_digits(mantissa * powers[_POWER_OFFSET - shift], 0, text, at))
    places = 0
    rest = mantissa
    while rest >= 10.0:
        rest *= 0.1
        places += 1
    at = _digits(mantissa, places, text, at)
    text[at] = 101  # e
    at += 1
    power = places - shift
    if power < 0:
        text[at] = 45
        at += 1
    return int(_digits(float(abs(power)), 0, text, at))


@kernel
def _format(
    values: NDArray[np.float64], powers: NDArray[np.float64], text: NDArray[np.uint8]
) -> int:
    """Write the rows as text with commas and line ends; returns the bytes used."""
    at = 0
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            at = _number(values[i, j], powers, text, at)
            text[at] = 44  # ,
            at += 1
        text[at - 1] = 10  # \n
    return at
