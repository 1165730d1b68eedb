"""The axis of values that curves are drawn over."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, Signal

__all__ = ["ValueAxis"]

_AIR = 0.12
_STEPS = (1.0, 2.0, 5.0, 10.0)
_GAP = 30.0


class ValueAxis(QObject):
    """Values to logical pixels, upwards, and back; zoom and pan."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.height = 100.0
        self.low = -0.5
        """Value at the lower edge."""
        self.high = 1.5

    @property
    def scale(self) -> float:
        """Pixels of one unit."""
        return self.height / (self.high - self.low)

    def y(self, value: float) -> float:
        """Where a value lies, logical pixels from the top."""
        return (self.high - value) * self.scale

    def value(self, y: float) -> float:
        """The value at a height."""
        return self.high - y / self.scale

    def set_height(self, height: float) -> None:
        """Room for the axis; the values at its edges stay."""
        self.height = max(height, 1.0)

    def show(self, low: float, high: float) -> None:
        """Show a stretch of values, with some air; of one value, its surroundings."""
        if not high - low > 1e-9 * max(abs(low), abs(high), 1e-6):
            around = 0.5 * max(abs(low), 1.0)
            low, high = low - around, high + around
        air = _AIR * (high - low)
        self._set(low - air, high + air)

    def zoom(self, factor: float, y: float) -> None:
        """Nearer (above 1) or farther; the value at `y` stays where it is."""
        here = self.value(y)
        self._set(here + (self.low - here) / factor, here + (self.high - here) / factor)

    def pan(self, pixels: float) -> None:
        """Drag the axis; positive pixels show greater values."""
        moved = pixels / self.scale
        self._set(self.low + moved, self.high + moved)

    def _set(self, low: float, high: float) -> None:
        if 1e-7 < high - low < 1e12 and max(abs(low), abs(high)) < 1e12:
            self.low, self.high = low, high
            self.changed.emit()

    @property
    def step(self) -> float:
        """Between two labelled values."""
        least = _GAP / self.scale
        power = 10.0 ** math.floor(math.log10(least))
        return next(power * step for step in _STEPS if power * step >= least)

    def ticks(self) -> list[tuple[float, str]]:
        """Labelled values with their texts, from below."""
        step = self.step
        places = max(0, -math.floor(math.log10(step) + 1e-9))
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        found = []
        for number in range(first, last + 1):
            text = f"{number * step:.{places}f}"
            found.append((number * step, text.replace("-", "\N{MINUS SIGN}") if number else "0"))
        return found
