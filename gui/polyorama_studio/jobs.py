"""Work beside the GUI thread, and the list of it that the jobs panel shows."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from polyorama.errors import PolyoramaError
from polyorama_studio.bridge import is_gone

if TYPE_CHECKING:
    from polyorama.core.jobs import Progress
    from polyorama_studio.bridge import Bridge

__all__ = ["Handlers", "Job", "JobRunner", "Jobs", "Running", "explain"]

log = logging.getLogger(__name__)

_KEPT = 30
_WORTH_KEEPING_S = 0.5
"""A job that ended well sooner than this leaves no trace in the list."""


def explain(error: BaseException) -> str:
    """One sentence about a failure for the person who works with the studio."""
    if isinstance(error, PolyoramaError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this; close other programs or open a smaller file."
    return f"Something unexpected went wrong ({type(error).__name__}: {error})."


@dataclass(frozen=True, slots=True)
class Handlers:
    """What to call on the GUI thread when a job reports; bound methods.

    Those of a panel that was deleted while the job ran are not called any more.
    """

    done: Callable[[Any], None]
    failed: Callable[[BaseException], None]
    progress: Callable[[Progress], None]
    cancelled: Callable[[], None] | None = None


class Running:
    """A job that was started: asks it to stop."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self.stops = False
        """Whether it can be stopped: it is a generator, which ends between two of its steps."""

    def cancel(self) -> None:
        """Ask it to stop at its next step."""
        self._asked.set()

    @property
    def cancelled(self) -> bool:
        """Whether it was asked to."""
        return self._asked.is_set()


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
    ) -> Running:
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
        running = Running()
        if self._closed.is_set():
            return running  # a late timer may still ask for something
        thread = threading.Thread(
            target=self._run, args=(number, work, handlers, running), name=f"job {name}",
            daemon=True,
        )  # fmt: skip
        self._threads = {t for t in self._threads if t.is_alive()}
        self._kept &= self._threads
        self._threads.add(thread)
        if keep:
            self._kept.add(thread)
        thread.start()
        return running

    def close(self, timeout: float = 5.0) -> None:
        """Ask all jobs to stop and wait a moment for them, for those to be kept until they end.

        Parameters
        ----------
        timeout
            Longest wait for all the others together, s.
        """
        self._closed.set()
        end = time.monotonic() + timeout
        for thread in self._kept:
            thread.join()
        for thread in self._threads - self._kept:
            thread.join(max(0.0, end - time.monotonic()))

    def _run(
        self, number: int, work: Callable[[], Any], handlers: Handlers, running: Running
    ) -> None:
        try:
            result = work()
            if isinstance(result, Generator):
                result = self._drive(number, result, handlers, running)
        except Exception as error:
            if not isinstance(error, PolyoramaError):
                log.exception("A job failed.")
            elif self._closed.is_set():
                # Nobody is left to tell it to but the terminal.
                log.warning("%s", explain(error))
            self._bridge.post(("job", number), handlers.failed, error)
        else:
            if running.stops and running.cancelled:
                self._bridge.post(("job", number), _tell_cancelled, handlers)
            else:
                self._bridge.post(("job", number), handlers.done, result)

    def _drive(
        self, number: int, job: Generator[Progress, None, Any], handlers: Handlers,
        running: Running,
    ) -> Any:  # fmt: skip
        running.stops = True
        kept = threading.current_thread() in self._kept
        while True:
            if running.cancelled or (self._closed.is_set() and not kept):
                job.close()
                running.cancel()
                return None
            try:
                progress = next(job)
            except StopIteration as stop:
                # It came to its end: too late to be cancelled.
                running.stops = False
                return stop.value
            self._bridge.post(("progress", number), handlers.progress, progress)


def _tell_cancelled(handlers: Handlers) -> None:
    if handlers.cancelled is not None and not is_gone(handlers.cancelled):
        handlers.cancelled()


@dataclass(slots=True, eq=False)
class Job:
    """One line of the list of jobs.

    Parameters
    ----------
    title
        What is done, sentence case; housekeeping has a title in small letters and is not listed.
    state
        ``"running"``, ``"done"``, ``"failed"`` or ``"cancelled"``.
    note, share
        How far it has come: a few words, and 0..1 or None where that is not known.
    started, ended
        By `time.perf_counter`, s; `ended` is 0 while it runs.
    error
        What went wrong, one sentence.
    """

    title: str
    state: str = "running"
    note: str = ""
    share: float | None = None
    started: float = field(default_factory=time.perf_counter)
    ended: float = 0.0
    error: str = ""
    running: Running | None = None

    @property
    def listed(self) -> bool:
        """Whether a person is to see it."""
        return self.title[:1].isupper()

    @property
    def seconds(self) -> float:
        """How long it has run, or ran, s."""
        return (self.ended or time.perf_counter()) - self.started

    @property
    def seconds_left(self) -> float | None:
        """About how long it will still run, s; None where nothing tells."""
        if self.state != "running" or not self.share or self.seconds < 1.0:
            return None
        return self.seconds * (1.0 - self.share) / self.share

    @property
    def can_cancel(self) -> bool:
        """Whether it can be asked to stop, and was not yet."""
        running = self.running
        return (
            self.state == "running" and running is not None
            and running.stops and not running.cancelled
        )  # fmt: skip

    def cancel(self) -> None:
        """Ask it to stop at its next step."""
        if self.running is not None:
            self.running.cancel()


class Jobs(QObject):
    """All work beside the GUI thread: what runs, and for a while what ran.

    Parameters
    ----------
    bridge
        Brings reports to this thread.
    """

    changed = Signal()
    """A job began, came on or ended."""
    ended = Signal(object)
    """A `Job` ended, whichever way."""

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runner = JobRunner(bridge)
        self.entries: list[Job] = []
        """Oldest first."""

    @property
    def active(self) -> list[Job]:
        """Those that run now, oldest first."""
        return [job for job in self.entries if job.state == "running"]

    def start(
        self, work: Callable[[], Any], handlers: Handlers, title: str, *, keep: bool = False
    ) -> Job:
        """Start a job; see `JobRunner.submit`."""
        job = Job(title)
        self.entries.append(job)
        ours = Handlers(
            partial(self._on_done, job, handlers),
            partial(self._on_failed, job, handlers),
            partial(self._on_progress, job, handlers),
            partial(self._on_cancelled, job, handlers),
        )
        job.running = self.runner.submit(work, ours, title, keep=keep)
        self.changed.emit()
        return job

    def forget_ended(self) -> None:
        """Leave nothing in the list but what runs."""
        self.entries = self.active
        self.changed.emit()

    def close(self, timeout: float = 5.0) -> None:
        """See `JobRunner.close`."""
        self.runner.close(timeout)

    def _on_done(self, job: Job, handlers: Handlers, result: Any) -> None:
        self._end(job, "done")
        if not is_gone(handlers.done):
            handlers.done(result)

    def _on_failed(self, job: Job, handlers: Handlers, error: BaseException) -> None:
        job.error = explain(error)
        self._end(job, "failed")
        if not is_gone(handlers.failed):
            handlers.failed(error)

    def _on_cancelled(self, job: Job, handlers: Handlers) -> None:
        self._end(job, "cancelled")
        _tell_cancelled(handlers)

    def _on_progress(self, job: Job, handlers: Handlers, progress: Progress) -> None:
        if job.state != "running":
            return
        job.note = progress.note or job.note
        job.share = progress.done / progress.total if progress.total else None
        if not is_gone(handlers.progress):
            handlers.progress(progress)
        self.changed.emit()

    def _end(self, job: Job, state: str) -> None:
        job.state = state
        job.ended = time.perf_counter()
        job.running = None
        if not job.listed or (state == "done" and job.seconds < _WORTH_KEEPING_S):
            self.entries.remove(job)
        ended = [entry for entry in self.entries if entry.state != "running"]
        for entry in ended[:-_KEPT]:
            self.entries.remove(entry)
        self.ended.emit(job)
        self.changed.emit()
