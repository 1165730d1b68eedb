"""The axis of time that ruler, dope sheet, curves and waveforms share."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

__all__ = ["Tick", "TimeAxis", "frame_text", "seconds_text", "ticks"]

_MOST_PER_FRAME = 240.0
"""Pixels of a frame at the nearest zoom."""
_MARGIN = 0.02
"""Empty share on each side after `fit`."""
_FRAME_STEPS = (1, 2, 5, 10)
_SECOND_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600)
_LABEL_GAP = 64.0
_TICK_GAP = 6.0


class TimeAxis(QObject):
    """Seconds to logical pixels and back; zoom and pan.

    Parameters
    ----------
    left
        Pixels left of the axis, where labels stand.
    """

    changed = Signal()

    def __init__(self, left: float = 0.0, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.left = left
        self.width = 600.0
        self.start = 0.0
        """Time at the left edge, s."""
        self.scale = 100.0
        """Pixels a second."""
        self.duration = 6.0
        self.fps = 30.0
        self._fitted = True
        self._fit()

    @property
    def end(self) -> float:
        """Time at the right edge, s."""
        return self.start + self.width / self.scale

    def x(self, seconds: float) -> float:
        """Where a time lies, logical pixels."""
        return self.left + (seconds - self.start) * self.scale

    def seconds(self, x: float) -> float:
        """The time at a place."""
        return self.start + (x - self.left) / self.scale

    def frame(self, seconds: float) -> float:
        """The nearest frame's time, s."""
        return round(seconds * self.fps) / self.fps

    def set_width(self, width: float) -> None:
        """Room for the axis; what is fitted stays fitted."""
        width = max(width, 1.0)
        if width != self.width:
            self.width = width
            if self._fitted:
                self._fit()
            self._settle()

    def set_timeline(self, duration: float, fps: float) -> None:
        """How long the document's timeline is, s, and its frames a second."""
        if (duration, fps) != (self.duration, self.fps):
            self.duration, self.fps = duration, fps
            if self._fitted:
                self._fit()
            self._settle()

    def fit(self) -> None:
        """Show the whole timeline."""
        self._fitted = True
        self._fit()
        self._settle()

    def show(self, first: float, last: float) -> None:
        """Show a stretch of time, with some air."""
        span = max(last - first, 4.0 / self.fps)
        self._fitted = False
        self.scale = self.width / (span * 1.2)
        self.start = first - 0.1 * span
        self._settle()

    def zoom(self, factor: float, x: float) -> None:
        """Nearer (above 1) or farther; the time at `x` stays where it is."""
        self._fitted = False
        here = self.seconds(x)
        self.scale = self._held(self.scale * factor)
        self.start = here - (x - self.left) / self.scale
        self._settle()

    def pan(self, pixels: float) -> None:
        """Drag the axis; positive pixels go back in time."""
        self._fitted = False
        self.start -= pixels / self.scale
        self._settle()

    def follow(self, seconds: float) -> None:
        """Turn the page when a time that plays leaves on the right or the left."""
        if not self._fitted and not self.start <= seconds <= self.end:
            self.start = seconds - 0.05 * self.width / self.scale
            self._settle()

    def _held(self, scale: float) -> float:
        widest = 8.0 * max(self.duration, 1.0)
        return min(max(scale, self.width / widest), _MOST_PER_FRAME * self.fps)

    def _fit(self) -> None:
        span = self.duration * (1.0 + 2.0 * _MARGIN)
        self.scale = self.width / span
        self.start = -self.duration * _MARGIN

    def _settle(self) -> None:
        self.scale = self._held(self.scale)
        span = self.width / self.scale
        # Some of the timeline stays in sight always.
        self.start = min(max(self.start, -0.9 * span), self.duration + 7.0 * self.duration)
        self.changed.emit()


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of the ruler.

    Parameters
    ----------
    time
        s.
    text
        Its label, or "" for a mark alone.
    whole
        Whether it stands on a whole second.
    """

    time: float
    text: str
    whole: bool


def ticks(axis: TimeAxis) -> list[Tick]:
    """Marks of what the axis shows, labelled where there is room, on whole frames or seconds."""
    steps = [count / axis.fps for count in _FRAME_STEPS if count < axis.fps]
    steps += [float(step) for step in _SECOND_STEPS]
    labelled = next((s for s in steps if s * axis.scale >= _LABEL_GAP), steps[-1])
    marked = next((s for s in steps if s * axis.scale >= _TICK_GAP), labelled)
    found = {}
    for step, named in ((marked, False), (labelled, True)):
        first = max(math.floor(axis.start / step), 0)
        last = math.ceil(axis.end / step)
        for number in range(first, min(last, first + 4000) + 1):
            seconds = number * step
            frame = round(seconds * axis.fps)
            whole = abs(seconds - round(seconds)) < 0.25 / axis.fps
            text = ""
            if named:
                text = seconds_text(round(seconds)) if whole else frame_text(frame)
            found[frame] = Tick(seconds, text, whole)
    return [found[frame] for frame in sorted(found)]


def seconds_text(seconds: float) -> str:
    """A time as labels show it: "4 s", "1:05" from a minute on."""
    if seconds < 60.0:
        return f"{seconds:g} s"
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def frame_text(frame: int) -> str:
    """A frame's number as labels show it."""
    return f"{frame} f"
