"""A runner in a process of its own, which never holds up who controls and watches it."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.arguments import check_number, check_whole
from polyorama.core.compile import core_count
from polyorama.core.processes import spawned
from polyorama.errors import UsageError
from polyorama.lab.worker import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import ArrayLike

    from polyorama.lab.runner import Change, Update
    from polyorama.lab.snapshot import Value

__all__ = ["RemoteRunner"]

_PATIENCE_S = 0.6
"""Between asking a process to end and ending it."""
_MOST_THREADS = 2
_LATEST_WINS = frozenset({"set", "paint", "seek", "speed"})


class RemoteRunner:
    """An experiment that is played in a spawned process.

    All methods return at once but `close`. Updates come at most 30 times a second, each after the
    one before was taken; they hold what is newest, and rows of scalars without a gap.

    Parameters
    ----------
    id
        The experiment's, or ``path.py:Class``.
    params
        Parameters that are not at their default, by name.
    rivals
        Ids of those that take part; None for the experiment's own choice.
    seed
        Of the run.
    paintings
        Arrays for canvases, by name.
    folder
        Where the run is recorded; None for in memory alone.
    resume
        Go on with the run that `folder` holds; its own parameters and seed count then.
    on_update
        Called with each update, on a thread of the runner's.
    on_error
        Called with one sentence when something was refused or the process failed, on that thread.
    """

    def __init__(
        self,
        id: str,
        *,
        params: Mapping[str, Any] | None = None,
        rivals: tuple[str, ...] | None = None,
        seed: int = 0,
        paintings: Mapping[str, ArrayLike] | None = None,
        folder: Path | None = None,
        resume: bool = False,
        on_update: Callable[[Update], None],
        on_error: Callable[[str], None],
    ) -> None:
        spec = {
            "id": id, "params": dict(params or {}), "rivals": rivals, "seed": seed,
            "paintings": {name: np.asarray(array) for name, array in (paintings or {}).items()},
            "folder": folder, "resume": resume,
        }  # fmt: skip
        self._on_update, self._on_error = on_update, on_error
        self._changes: tuple[Change, ...] = ()
        self._values: Mapping[str, Value] = {}
        self._closed = False
        self._failed = False
        self._waiting: list[tuple[Any, ...]] = []
        self._woken = threading.Condition()
        threads = max(1, min(_MOST_THREADS, core_count() - 1))
        self._process, self._connection = spawned(serve, spec, threads=threads)
        self._reader = threading.Thread(target=self._read, name="polyorama-lab-in", daemon=True)
        self._writer = threading.Thread(target=self._write, name="polyorama-lab-out", daemon=True)
        self._reader.start()
        self._writer.start()

    @property
    def alive(self) -> bool:
        """Whether it still runs: not closed, not failed."""
        return not self._closed and not self._failed

    def play(self) -> None:
        """As `Runner.play`."""
        self._ask("play")

    def pause(self) -> None:
        """As `Runner.pause`."""
        self._ask("pause")

    def step(self, count: int = 1) -> None:
        """As `Runner.step`."""
        check_whole(count, "count")
        self._ask("step", int(count))

    def seek(self, index: int) -> None:
        """As `Runner.seek`."""
        check_whole(index, "index")
        self._ask("seek", int(index))

    def set(self, name: str, value: Any) -> None:
        """As `Runner.set`; what is wrong with it comes by `on_error`."""
        self._ask("set", name, value)

    def paint(self, name: str, array: ArrayLike) -> None:
        """As `Runner.paint`; what is wrong with it comes by `on_error`."""
        self._ask("paint", name, np.array(array))

    def flush(self) -> None:
        """Have what is recorded written, so that others can read it; soon after this."""
        self._ask("flush")

    def set_speed(self, speed: float) -> None:
        """Set the factor of the experiment's rate; infinite for as fast as possible.

        Raises
        ------
        UsageError
            If it is no number above zero.
        """
        check_number(speed, "speed")
        if not speed > 0.0:
            raise UsageError(f"A speed is a number above zero, not {speed:g}.")
        self._ask("speed", float(speed))

    def close(self) -> None:
        """End the process, within about a second, and its record; nothing is called afterwards."""
        if self._closed:
            return
        self._ask("close")
        with self._woken:
            self._closed = True
            self._woken.notify()
        self._process.join(_PATIENCE_S)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(_PATIENCE_S / 2)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        for thread in (self._writer, self._reader):
            if thread is not threading.current_thread():
                thread.join()
        self._connection.close()

    def _ask(self, *message: Any) -> None:
        """Queue a command; of those in which only the latest counts, the latest."""
        with self._woken:
            if self._closed or self._failed:
                return
            if message[0] in _LATEST_WINS:
                key = message[:2] if message[0] in ("set", "paint") else message[:1]
                self._waiting = [m for m in self._waiting if m[: len(key)] != key]
            self._waiting.append(message)
            self._woken.notify()

    def _write(self) -> None:
        while True:
            with self._woken:
                while not self._waiting:
                    if self._closed or self._failed:
                        return
                    self._woken.wait()
                message = self._waiting.pop(0)
            try:
                self._connection.send(message)
            except (OSError, ValueError):
                return  # the reader finds out and says so

    def _read(self) -> None:
        try:
            while True:
                kind, *rest = self._connection.recv()
                if kind == "update":
                    self._take(*rest)
                elif not self._closed:
                    self._on_error(rest[0])
                    if kind == "failed":
                        self._fail()
                        return
        except (EOFError, OSError):
            if self._closed:
                return
        self._fail()
        self._process.join(_PATIENCE_S)
        self._on_error(
            f"The experiment's process ended by itself (exit code {self._process.exitcode}), "
            f"perhaps for lack of memory; reset the run."
        )

    def _fail(self) -> None:
        with self._woken:
            self._failed = True
            self._woken.notify()

    def _take(self, update: Update, names: tuple[str, ...]) -> None:
        """Put together what an update says anew and what the one before said."""
        self._changes += update.changes
        for array in update.snapshot.arrays.values():
            array.setflags(write=False)
        new = update.snapshot.values
        self._values = {name: new[name] if name in new else self._values[name] for name in names}
        snapshot = replace(update.snapshot, values=self._values)
        if not self._closed:
            self._on_update(replace(update, snapshot=snapshot, changes=self._changes))
        self._ask("taken")
