"""The process in which a run of the studio lives. Nothing is imported here before threads are set.

Commands come in, updates go out, one at a time: the next is sent when the last was taken, so that
nothing piles up before a slow receiver. Rows of scalars go out without a gap.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from polyorama.lab.runner import Runner

__all__ = ["limit_threads", "serve"]

_UPDATE_S = 1.0 / 30.0
_TICK_S = 1.0 / 60.0


def limit_threads(count: int) -> None:
    """Let what is imported from now on compute in so many threads."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLYORAMA_CORES"):
        os.environ[name] = str(count)


def serve(connection: Connection, spec: dict[str, Any], threads: int) -> None:
    """Run an experiment until the pipe is closed.

    Parameters
    ----------
    connection
        To `polyorama.lab.remote.RemoteRunner`.
    spec
        What to run: ``id``, ``params``, ``rivals``, ``paintings``, ``seed``, ``folder``, and
        whether to ``resume`` the run that lies there.
    threads
        To compute with.
    """
    # Where ignoring is not inherited.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Being ended must let what is recorded be written.
    signal.signal(signal.SIGTERM, _leave)
    limit_threads(threads)
    from polyorama.errors import PolyoramaError

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
        text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        _send_last(connection, f"The experiment's process failed ({text}); reset the run.")


def _send_last(connection: Connection, text: str) -> None:
    try:
        connection.send(("failed", text))
    except OSError:
        return


def _leave(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _begun(spec: dict[str, Any]) -> Runner:
    from polyorama.core.jobs import run
    from polyorama.lab.making import made
    from polyorama.lab.record import Recorder
    from polyorama.lab.replaying import resumed
    from polyorama.lab.runner import Runner

    if spec["resume"]:
        return run(resumed(spec["folder"]))
    experiment = made(spec["id"], spec["params"], spec["rivals"], spec["paintings"])
    folder, seed = spec["folder"], spec["seed"]
    record = None if folder is None else Recorder.create(folder, experiment, seed)
    return Runner(experiment, seed, record)


class _Session:
    """Between two commands the run goes on."""

    def __init__(self, connection: Connection, runner: Runner) -> None:
        self._connection = connection
        self._runner = runner
        self._free = True  # the last update was taken
        self._sent_at = 0.0
        self._rows = 0
        self._changes = 0

    def go(self) -> None:
        """Until the pipe is closed or told to end."""
        runner, connection = self._runner, self._connection
        before = time.perf_counter()
        new = True
        while True:
            if connection.poll(self._rest(new, before)):
                while connection.poll():
                    message = connection.recv()
                    if message[0] == "close":
                        return
                    self._obey(message)
            now = time.perf_counter()
            new = runner.elapse(now - before)
            before = now
            if new and self._free and time.perf_counter() - self._sent_at >= _UPDATE_S:
                self._send()
                new = False

    def _rest(self, new: bool, before: float) -> float | None:
        """Seconds until there is something to do; None until a command comes."""
        now = time.perf_counter()
        if self._runner.playing:
            if self._runner.speed == float("inf") and self._runner.live:
                return 0.0
            return max(0.0, before + _TICK_S - now)
        if new and self._free:
            return max(0.0, self._sent_at + _UPDATE_S - now)
        return None

    def _send(self) -> None:
        update = self._runner.update(self._rows)
        self._rows = update.length
        changes = update.changes[self._changes :]
        self._changes = len(update.changes)
        self._connection.send(("update", update, changes))
        self._free, self._sent_at = False, time.perf_counter()

    def _obey(self, message: tuple[Any, ...]) -> None:
        from polyorama.errors import PolyoramaError

        kind, *arguments = message
        if kind == "taken":
            self._free = True
            return
        try:
            if kind == "speed":
                self._runner.speed = arguments[0]
            else:
                getattr(self._runner, kind)(*arguments)
        except PolyoramaError as error:
            self._connection.send(("refused", str(error)))
