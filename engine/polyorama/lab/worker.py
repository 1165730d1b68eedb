"""The process in which a run of the studio lives.

Commands come in, updates go out: no more than two that were not taken yet, so that nothing piles up
before a slow receiver, and none waits for its answer. Rows of scalars go out without a gap; arrays
that the receiver has from the update before do not go out again.
"""

from __future__ import annotations

import contextlib
import math
import signal
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from polyorama.core.jobs import run
from polyorama.core.text import reason_of
from polyorama.errors import PolyoramaError
from polyorama.lab.catalog import experiment_class
from polyorama.lab.making import made
from polyorama.lab.record import Recorder
from polyorama.lab.replaying import resumed
from polyorama.lab.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from multiprocessing.connection import Connection

    from polyorama.lab.snapshot import Value

__all__ = ["serve", "until_ended"]

_UPDATE_S = 1.0 / 40.0
_TICK_S = 1.0 / 60.0
_PIECE_S = 0.025
_MOST_UNTAKEN = 2


def serve(connection: Connection, spec: dict[str, Any]) -> None:
    """Run an experiment until the pipe is closed.

    Parameters
    ----------
    connection
        To `polyorama.lab.remote.RemoteRunner`.
    spec
        What to run: ``id``, ``params``, ``rivals``, ``paintings``, ``seed``, ``folder``, and
        whether to ``resume`` the run that lies there.
    """
    with until_ended():
        try:
            runner = _begun(spec)
            try:
                _Session(connection, runner).go()
            finally:
                runner.close()
        except (EOFError, ConnectionError):
            pass  # nobody listens any more
        except (PolyoramaError, MemoryError) as error:
            text = str(error) or "There is not enough memory for this experiment; make it smaller."
            _send_last(connection, text)
        except Exception as error:  # noqa: BLE001 - said in the other process
            text = f"The experiment's process failed ({reason_of(error)}); reset the run."
            _send_last(connection, text)


def _send_last(connection: Connection, text: str) -> None:
    try:
        connection.send(("failed", text))
    except OSError:
        return


@contextlib.contextmanager
def until_ended() -> Iterator[None]:
    """Within it, a request to end (SIGTERM) leaves the block as an exception does, once.

    So what is recorded is written. Ctrl-C is left to the process that started this one.
    """
    # Where ignoring is not inherited.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    except _Ended:
        pass
    finally:
        # From here on it ends by itself.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


class _Ended(BaseException):
    """The process was asked to end: no error of whatever it was computing."""


def _leave(number: int, _frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    raise _Ended


def _begun(spec: dict[str, Any]) -> Runner:
    if spec["resume"]:
        return run(resumed(spec["folder"], experiment_class(spec["id"])))
    experiment = made(spec["id"], spec["params"], spec["rivals"], spec["paintings"])
    folder, seed = spec["folder"], spec["seed"]
    record = None if folder is None else Recorder.create(folder, experiment, seed)
    return Runner(experiment, seed, record)


class _Session:
    """Between two commands the run goes on."""

    def __init__(self, connection: Connection, runner: Runner) -> None:
        self._connection = connection
        self._runner = runner
        self._untaken = 0  # updates that are on their way
        self._sent_at = 0.0
        self._rows = 0
        self._values: Mapping[str, Value] = {}  # of the last update
        self._changes = 0
        self._asked = 0  # steps of a person that are still to be done
        self._piece = 1
        self._plays_after = False

    def go(self) -> None:
        """Until the pipe is closed or told to end."""
        runner, connection = self._runner, self._connection
        before = time.perf_counter()
        new = True
        while True:
            played = runner.playing
            if connection.poll(self._rest(new, before)):
                while connection.poll():
                    message = connection.recv()
                    if message[0] == "close":
                        return
                    self._obey(message)
            now = time.perf_counter()
            if not played:
                before = now  # nothing is owed for the time that it stood still
            if self._asked:
                self._step()
            # Whatever wakes it up between two ticks, they come at their time.
            elapsed = now - before if now - before >= self._tick else 0.0
            new = runner.elapse(elapsed)
            before += elapsed
            took = time.perf_counter() - now
            # A little early, rather than late by all that the next steps take.
            wait = _UPDATE_S - min(0.5 * took, 0.5 * _UPDATE_S)
            if new and self._free and time.perf_counter() - self._sent_at >= wait:
                self._send()
                new = False

    @property
    def _free(self) -> bool:
        return self._untaken < _MOST_UNTAKEN

    @property
    def _tick(self) -> float:
        """Seconds between two goes at the steps that are due."""
        runner = self._runner
        if runner.speed == math.inf and runner.live:
            return 0.0
        # One that comes too early for its step would be a picture less.
        return max(_TICK_S, 1.0 / (runner.experiment.rate * runner.speed))

    def _rest(self, new: bool, before: float) -> float | None:
        """Seconds until there is something to do; None until a command comes."""
        now = time.perf_counter()
        if self._asked:
            return 0.0
        ends = []
        if self._runner.playing:
            ends.append(before + self._tick)
        if new and self._free:
            ends.append(self._sent_at + _UPDATE_S)
        return max(0.0, min(ends) - now) if ends else None

    def _send(self) -> None:
        update = self._runner.update(self._rows)
        self._rows = update.length
        values, before = update.snapshot.values, self._values
        self._values = values
        new = {name: value for name, value in values.items() if value is not before.get(name)}
        sent = replace(
            update, snapshot=replace(update.snapshot, values=new),
            changes=update.changes[self._changes :],
        )  # fmt: skip
        self._changes = len(update.changes)
        self._connection.send(("update", sent, tuple(values)))
        self._untaken, self._sent_at = self._untaken + 1, time.perf_counter()

    def _step(self) -> None:
        """Do a part of the steps that were asked for, so that what is asked next is heard."""
        started = time.perf_counter()
        count = min(self._asked, self._piece)
        self._runner.step(count)
        self._asked -= count
        took = time.perf_counter() - started
        self._piece = max(1, 2 * count if took < _PIECE_S / 2.0 else int(count * _PIECE_S / took))
        if self._runner.done or self._runner.error:
            self._asked = 0
        if not self._asked and self._plays_after:
            self._plays_after = False
            self._runner.play()

    def _obey(self, message: tuple[Any, ...]) -> None:
        kind, *arguments = message
        if kind == "taken":
            self._untaken -= 1
            return
        try:
            if kind == "speed":
                self._runner.speed = arguments[0]
            elif kind == "step" and self._runner.live:
                self._runner.pause()
                self._asked, self._plays_after = self._asked + arguments[0], False
            elif kind == "play" and self._asked:
                self._plays_after = True
            else:
                if kind in ("pause", "seek"):
                    self._asked, self._plays_after = 0, False
                getattr(self._runner, kind)(*arguments)
        except PolyoramaError as error:
            self._connection.send(("refused", str(error)))
