"""Plays a run that was recorded: nothing is computed, so every machine is fast enough."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING, Any

from polyorama.errors import PolyoramaError
from polyorama.lab.pace import Pace
from polyorama.lab.runner import Update

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.lab.record import Record

__all__ = ["Replay"]

_TICK_S = 1.0 / 30.0


class Replay:
    """A player of a record, on a thread that reads it.

    Parameters
    ----------
    record
        What was recorded.
    rate
        Elementary steps a second at normal speed.
    on_update, on_error
        As of `polyorama.lab.remote.RemoteRunner`.
    """

    def __init__(
        self, record: Record, rate: float, on_update: Callable[[Update], None],
        on_error: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._record = record
        self._on_update, self._on_error = on_update, on_error
        self._pace = Pace(rate)
        self._index = self._sent = 0
        self._playing = self._closed = False
        self._stale = True
        self._woken = threading.Condition()
        self._thread = threading.Thread(target=self._go, name="job replay", daemon=True)
        self._thread.start()

    def play(self) -> None:
        """Go on to the end of the record."""
        self._do(self._play)

    def pause(self) -> None:
        """Stand still."""
        self._do(self._pause)

    def step(self, count: int = 1) -> None:
        """Go on by so many snapshots, and pause."""
        self._do(self._pause, lambda: self._move(self._index + count))

    def seek(self, index: int) -> None:
        """Show a snapshot."""
        self._do(lambda: self._move(index))

    def set_speed(self, speed: float) -> None:
        """Play at a factor of the experiment's rate."""
        self._do(lambda: setattr(self._pace, "speed", speed))

    def set(self, name: str, value: Any) -> None:
        """Refuse: what happened is not changed any more."""
        self._refuse()

    def paint(self, name: str, array: NDArray[Any]) -> None:
        """Refuse, as `set`."""
        self._refuse()

    def _refuse(self) -> None:
        self._on_error("What was recorded cannot be changed; start the run again.")

    def flush(self) -> None:
        """All of it is written already."""

    def close(self) -> None:
        """End it, and call nobody any more."""
        with self._woken:
            self._closed = True
            self._woken.notify()
        if self._thread is not threading.current_thread():
            self._thread.join()

    # With the lock held

    def _do(self, *calls: Callable[[], None]) -> None:
        with self._woken:
            for call in calls:
                call()
            self._stale = True
            self._woken.notify()

    def _play(self) -> None:
        self._playing = self._index < self._record.length - 1
        self._pace.rest()

    def _pause(self) -> None:
        self._playing = False

    def _move(self, index: int) -> None:
        self._index = min(max(index, 0), self._record.length - 1)
        self._playing = self._playing and self._index < self._record.length - 1
        self._pace.rest()

    def _pass_time(self, seconds: float) -> None:
        """Go over the record at the speed at which the run went."""
        steps, index = self._record.steps, self._index
        wanted = self._pace.wanted(seconds)
        if math.isinf(wanted):
            index += 1
        else:
            index = max(index, self._record.index_at(steps[index] + wanted))
            here = index == self._index and index + 1 < len(steps)
            if here and steps[index + 1] == steps[index]:
                index += 1  # looked at twice at one step, since something was changed there
            self._pace.owe(wanted - (steps[index] - steps[self._index]))
        if index > self._index:
            self._index = min(index, self._record.length - 1)
            self._playing = self._index < self._record.length - 1
            self._stale = True

    # On its thread

    def _go(self) -> None:
        before = time.perf_counter()
        while True:
            with self._woken:
                if not (self._stale or self._closed):
                    self._woken.wait(_TICK_S if self._playing else None)
                if self._closed:
                    return
                now = time.perf_counter()
                if self._playing:
                    self._pass_time(now - before)
                before = now
                due, self._stale = self._stale, False
                index, first, playing = self._index, self._sent, self._playing
                self._sent = self._record.length
            if due:
                try:
                    self._on_update(self._update(index, first, playing))
                except PolyoramaError as error:
                    self._on_error(str(error))
                    return
                # What is asked for meanwhile is heard; pictures come no faster than they are seen.
                time.sleep(max(0.0, now + _TICK_S - time.perf_counter()))

    def _update(self, index: int, first: int, playing: bool) -> Update:
        record = self._record
        rows = {name: values[first:] for name, values in record.columns.items()}
        at_end = index == record.length - 1
        return Update(
            record.snapshot(index), index, record.length, first, rows, playing, at_end, True, 0.0,
            "Recording", "", record.changes,
        )  # fmt: skip
