"""Work beside the GUI thread: opening files, saving pictures."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polyorama.errors import PolyoramaError

if TYPE_CHECKING:
    from polyorama.core.jobs import Progress
    from polyorama_studio.bridge import Bridge

__all__ = ["Handlers", "JobRunner", "explain"]

log = logging.getLogger(__name__)


def explain(error: BaseException) -> str:
    """One sentence about a failure for the person who works with the studio."""
    if isinstance(error, PolyoramaError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this; close other programs or open a smaller file."
    return f"Something unexpected went wrong ({type(error).__name__}: {error})."


@dataclass(frozen=True, slots=True)
class Handlers:
    """What to call on the GUI thread when a job reports; bound methods."""

    done: Callable[[Any], None]
    failed: Callable[[BaseException], None]
    progress: Callable[[Progress], None]


class JobRunner:
    """Runs each job on a thread of its own and reports through the bridge.

    A job is a callable that returns its result, or a generator function in the engine's habit
    (yields `Progress`, returns the result); closing the runner closes generators at their next
    step.
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._numbers = itertools.count()
        self._closed = threading.Event()
        self._threads: set[threading.Thread] = set()
        self._kept: set[threading.Thread] = set()

    def submit(
        self, work: Callable[[], Any], handlers: Handlers, name: str, *, keep: bool = False
    ) -> None:
        """Start a job.

        Parameters
        ----------
        work, handlers
            What to do, and whom to tell.
        name
            What its thread is called.
        keep
            Whether it is brought to its end when the runner is closed, however long that takes:
            for what a person would miss, such as a file that is being written.
        """
        number = next(self._numbers)
        thread = threading.Thread(
            target=self._run, args=(number, work, handlers), name=f"job {name}", daemon=True
        )
        self._threads = {t for t in self._threads if t.is_alive()}
        self._kept &= self._threads
        self._threads.add(thread)
        if keep:
            self._kept.add(thread)
        thread.start()

    def close(self, timeout: float = 5.0) -> None:
        """Ask all jobs to stop and wait a moment for them, for those to be kept until they end."""
        self._closed.set()
        for thread in self._threads:
            thread.join(None if thread in self._kept else timeout)

    def _run(self, number: int, work: Callable[[], Any], handlers: Handlers) -> None:
        try:
            result = work()
            if isinstance(result, Generator):
                result = self._drive(number, result, handlers)
        except Exception as error:
            if not isinstance(error, PolyoramaError):
                log.exception("A job failed.")
            elif self._closed.is_set():
                # Nobody is left to tell it to but the terminal.
                log.warning("%s", explain(error))
            self._bridge.post(("job", number), handlers.failed, error)
        else:
            self._bridge.post(("job", number), handlers.done, result)

    def _drive(self, number: int, job: Generator[Progress, None, Any], handlers: Handlers) -> Any:
        while True:
            if self._closed.is_set():
                job.close()
                return None
            try:
                progress = next(job)
            except StopIteration as stop:
                return stop.value
            self._bridge.post(("progress", number), handlers.progress, progress)
