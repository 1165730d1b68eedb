"""One progress bar for every subcommand: a line on stderr with the time left.

A program that runs the command line asks for lines of JSON instead, with the variable
POLYORAMA_PROGRESS: ``{"done": 3, "total": 90, "note": "Rendering"}``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, TextIO, TypeVar

if TYPE_CHECKING:
    from polyorama.core.jobs import Job, Progress

__all__ = ["VARIABLE", "show"]

T = TypeVar("T")

VARIABLE = "POLYORAMA_PROGRESS"
"""Set to ``lines``, it asks for lines of JSON."""

_SILENT_S = 0.4
"""Jobs that end sooner than this draw no bar at all."""
_REDRAW_S = 0.1
_SMOOTHING = 0.15


def show(job: Job[T], *, stream: TextIO | None = None) -> T:
    """Run a job to its end and return its result, drawing a bar while it works.

    Nothing is drawn where the stream (stderr by default) is no terminal, unless lines are asked
    for. The line is wiped at the end, so that results stand alone. Ctrl-C closes the job, which
    cancels it.
    """
    out = sys.stderr if stream is None else stream
    bar: _Lines | _Bar | None = None
    if os.environ.get(VARIABLE) == "lines":
        bar = _Lines(out)
    elif out.isatty():
        bar = _Bar(out)
    try:
        while True:
            try:
                progress = next(job)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if bar is not None:
                bar.update(progress)
    finally:
        job.close()
        if bar is not None:
            bar.wipe()


class _Lines:
    """Says how far it is, a line each time, but not more often than anybody could look."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._said_at = 0.0
        self._note = ""

    def update(self, progress: Progress) -> None:
        now = time.monotonic()
        ended = progress.total > 0 and progress.done >= progress.total
        if now - self._said_at < _REDRAW_S and not ended and progress.note == self._note:
            return
        self._said_at, self._note = now, progress.note
        line = {"done": progress.done, "total": progress.total, "note": progress.note}
        self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()

    def wipe(self) -> None:
        """Lines stay."""


class _Bar:
    """Draws and redraws one line; estimates the time left from a smoothed speed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._started = self._drawn_at = self._measured_at = time.monotonic()
        self._done = 0
        self._note = ""
        self._speed = 0.0
        self._visible = False
        encoding = (getattr(stream, "encoding", None) or "ascii").lower()
        self._full, self._empty = ("━", "─") if encoding.startswith("utf") else ("#", ".")

    def update(self, progress: Progress) -> None:
        now = time.monotonic()
        self._measure(progress, now)
        ended = progress.total > 0 and progress.done >= progress.total
        due = now - self._drawn_at >= _REDRAW_S or (ended and self._visible)
        if due and now - self._started >= _SILENT_S:
            self._drawn_at = now
            self._draw(progress, now)

    def wipe(self) -> None:
        if self._visible:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()

    def _measure(self, progress: Progress, now: float) -> None:
        """Follow the speed; a new stage (another note, or a count that fell) starts afresh.

        What follows a note's first comma is news of the same stage.
        """
        stage, before = (note.partition(",")[0] for note in (progress.note, self._note))
        if stage != before or progress.done < self._done:
            self._note, self._done, self._speed = progress.note, progress.done, 0.0
            self._measured_at = now
            return
        elapsed = now - self._measured_at
        if progress.done > self._done and elapsed > 0.05:
            speed = (progress.done - self._done) / elapsed
            weight = _SMOOTHING if self._speed else 1.0
            self._speed += weight * (speed - self._speed)
            self._done, self._measured_at = progress.done, now

    def _draw(self, progress: Progress, now: float) -> None:
        columns = max(20, shutil.get_terminal_size().columns - 1)
        note = progress.note or "Working"
        if progress.total > 0:
            share = min(1.0, max(0.0, progress.done / progress.total))
            tail = f" {share:4.0%}"
            if self._speed > 0.0:
                left = (progress.total - progress.done) / self._speed
                tail += f"  {_clock(left)} left"
        else:
            share = -1.0
            tail = f"  {_clock(now - self._started)}"
        room = columns - len(tail)
        note = note if len(note) <= room - 1 else note[: max(0, room - 2)] + "…"
        width = min(30, room - len(note) - 2)
        bar = ""
        if share >= 0.0 and width >= 6:
            filled = round(share * width)
            bar = "  " + self._full * filled + self._empty * (width - filled)
        line = f"{note}{bar}{tail}"
        encoding = getattr(self._stream, "encoding", None) or "ascii"
        line = line.encode(encoding, "replace").decode(encoding)
        self._stream.write("\r\x1b[2K" + line[:columns])
        self._stream.flush()
        self._visible = True


def _clock(seconds: float) -> str:
    """A duration as people say it: 8 s, 1:05 min, 2:10 h."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
