"""Axes of pictures: what they span while data come in, where ticks are and what they say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyorama_studio.plots import Scale, ticks

if TYPE_CHECKING:
    from polyorama.lab.views import Axis

__all__ = ["Following", "Tick", "axis_ticks", "axis_words", "said", "superscript"]

_MINUS = "\N{MINUS SIGN}"
_DIGITS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGE = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_SPARE = 0.45
"""With less of an axis in use it closes in on its data."""
_MOST_DECADES = 16.0
"""Of a logarithmic axis that follows its data: zeros of rounding would press all else flat."""


def superscript(power: int) -> str:
    """A whole number as raised digits."""
    return str(power).translate(_DIGITS)


def said(value: float, digits: int = 3) -> str:
    """A number as it is read beside the pointer, in so many digits."""
    if not math.isfinite(value):
        return "no value" if math.isnan(value) else ("∞" if value > 0.0 else f"{_MINUS}∞")
    if value == 0.0:
        return "0"
    size = abs(value)
    if 1e-3 <= size < 10.0 ** max(digits, 6):
        places = max(0, digits - 1 - math.floor(math.log10(size)))
        text = f"{value:,.{places}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        power = math.floor(math.log10(size))
        mantissa = f"{value / 10.0**power:.{digits - 1}f}".rstrip("0").rstrip(".")
        text = f"{mantissa}·10{superscript(power)}"
    return text.replace("-", _MINUS)


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis: where it is as a share of the axis, 0..1, and what is written there."""

    place: float
    text: str


def axis_ticks(low: float, high: float, log: bool, most: int) -> tuple[list[Tick], float]:
    """At most so many marks, and what their texts have to be multiplied with.

    Parameters
    ----------
    low, high
        Ends, of a logarithmic axis their decimal logarithms.
    log
        Whether it is logarithmic.
    most
        How many texts there is room for.
    """
    if log:
        return _log_ticks(low, high, most), 1.0
    scale = Scale(low, high)
    values = ticks(scale, most)
    largest = max((abs(v) for v in values), default=0.0)
    step = values[1] - values[0] if len(values) > 1 else largest or 1.0
    factor, suffix = 1.0, ""
    if largest >= 1e4:
        factor, suffix = next(pair for pair in _LARGE if largest >= pair[0])
    elif 0.0 < largest < 1e-2:
        factor = 10.0 ** (3 * math.floor(math.log10(largest) / 3.0))
    places = max(0, -math.floor(math.log10(step / factor) + 1e-9))
    found = []
    for value in values:
        if abs(value) < 1e-9 * step:
            value = 0.0
        text = f"{value / factor:,.{places}f}".replace("-", _MINUS) if value else "0"
        found.append(Tick(scale.place(value), text + (suffix if value else "")))
    return found, 1.0 if suffix else factor


def _log_ticks(low: float, high: float, most: int) -> list[Tick]:
    width = high - low
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    if last - first >= 1:
        step = max(1, math.ceil((last - first + 1) / max(most, 1)))
        decades = [d for d in range(first, last + 1) if d % step == 0]
        return [Tick((d - low) / width, _decade(d)) for d in decades]
    values = [m * 10.0**d for d in range(math.floor(low), math.ceil(high)) for m in (1, 2, 3, 5, 7)]
    found = [Tick((math.log10(v) - low) / width, said(v)) for v in values]
    inside = [tick for tick in found if -1e-9 <= tick.place <= 1.0 + 1e-9]
    if len(inside) < 2:
        scale = Scale(10.0**low, 10.0**high)
        inside = [Tick((math.log10(v) - low) / width, said(v, 4)) for v in ticks(scale, most) if v]
    return inside[:: max(1, math.ceil(len(inside) / max(most, 1)))]


def _decade(power: int) -> str:
    if -2 <= power <= 3:
        return f"{10.0**power:,.{max(0, -power)}f}"
    return f"10{superscript(power)}"


def axis_words(axis: Axis, factor: float = 1.0) -> tuple[str, str]:
    """An axis's title, and in quiet text its unit with what the numbers are multiplied with."""
    power = "" if factor == 1.0 else f"10{superscript(round(math.log10(factor)))}"
    return axis.title, " ".join(part for part in (power, axis.unit) if part)


class Following:
    """The stretch of an axis that holds data which grow.

    It grows by round steps ahead of the data and closes in when they have become much smaller, so
    that it stands still most of the time.

    Parameters
    ----------
    axis
        Its fixed ends, and whether it is logarithmic.
    tight
        Whether it begins with the data and has room for more, as the steps of a run do.
    air
        Whether it goes a little beyond the data, as lines need it and colours do not.
    """

    def __init__(self, axis: Axis, *, tight: bool = False, air: bool = True) -> None:
        self.axis = axis
        self._tight, self._air = tight, air
        self._ends: tuple[float, float] | None = None
        self._data: tuple[float, float] | None = None

    def reset(self) -> None:
        """Forget what was there."""
        self._ends = self._data = None

    def fit(self, low: float, high: float) -> None:
        """Let it hold the values from `low` to `high`; NaN for none."""
        if self.axis.log:
            high = math.log10(high) if high > 0.0 else math.nan
            low = math.log10(low) if low > 0.0 else high - 1.0
            low = max(low, high - _MOST_DECADES)
        if not (math.isfinite(low) and math.isfinite(high)):
            return
        self._data = (low, high)
        if self._ends is not None:
            known = self._ends
            used = (high - low) / (known[1] - known[0])
            if known[0] <= low and high <= known[1] and used >= _SPARE:
                return
        self._ends = self._around(low, high)

    def _around(self, low: float, high: float) -> tuple[float, float]:
        width = high - low
        if not width > 1e-9 * max(abs(low), abs(high), 1e-300):
            around = 0.5 if self.axis.log else 0.5 * (abs(low) or 1.0)
            return (low, low + 2.0 * around) if self._tight else (low - around, high + around)
        if self.axis.log:
            air = 0.03 * width if self._air else 0.0
            first = low if self._tight else math.floor(4.0 * (low - air)) / 4.0
            return first, math.ceil(4.0 * (high + air)) / 4.0
        if self._tight:
            power = 10.0 ** math.floor(math.log10(width))
            grown = next(m * power for m in _ROUND if m * power >= width * (1.0 - 1e-9))
            return low, low + grown
        step = 10.0 ** math.floor(math.log10(width)) / (4.0 if self._air else 2.0)
        below, above = (0.04 * width, 0.06 * width) if self._air else (0.0, 0.0)
        first = math.floor((low - below) / step + 1e-9) * step
        last = math.ceil((high + above) / step - 1e-9) * step
        # Nought is a better end than a little below it.
        if low >= 0.0 and (first < 0.0 or low < 0.25 * high):
            first = 0.0
        if high <= 0.0 and (last > 0.0 or high > 0.25 * low):
            last = 0.0
        return first, last

    @property
    def ends(self) -> tuple[float, float]:
        """What it spans; of a logarithmic axis the decimal logarithms."""
        low, high = self._ends or (0.0, 1.0)
        fixed = [self.axis.low, self.axis.high]
        if self.axis.log:
            fixed = [math.log10(v) if v is not None and v > 0.0 else None for v in fixed]
        if fixed[0] is not None:
            low = fixed[0]
        if fixed[1] is not None:
            high = fixed[1]
        if not high > low:
            high = low + max(1.0, abs(low))
        return low, high
