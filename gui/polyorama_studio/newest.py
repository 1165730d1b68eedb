"""Work of which only the newest result is wanted: one job runs, one waits, others are dropped."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Slot

from polyorama_studio.jobs import Handlers

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.core.jobs import Progress
    from polyorama_studio.jobs import Job
    from polyorama_studio.session import Session

__all__ = ["Newest"]


class Newest(QObject):
    """Runs jobs of a panel on worker threads.

    Parameters
    ----------
    session
        Runs them.
    title
        As of `Session.start_job`; in small letters, since this is housekeeping.
    pause
        Milliseconds without a further question, after which one is answered.
    """

    def __init__(self, session: Session, title: str, parent: QObject, *, pause: int = 0) -> None:
        super().__init__(parent)
        self._session = session
        self._title = title
        self._number = 0
        self._running = False
        self._job: Job | None = None
        self.told: Callable[[Progress], None] | None = None
        """Told how far the newest one has come."""
        self._next: tuple[Callable[[], Any], Callable[[Any], None], Any] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(pause)
        self._timer.timeout.connect(self._start)

    @property
    def busy(self) -> bool:
        """Whether something runs or waits."""
        return self._running or self._next is not None

    def ask(
        self,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """Ask for something; what was asked before and is not answered yet, is forgotten."""
        self._number += 1
        self._next = (work, done, failed)
        self._stop()
        if self._timer.interval():
            self._timer.start()
        else:
            self._start()

    def forget(self) -> None:
        """Nothing that was asked is wanted any more."""
        self._number += 1
        self._next = None
        self._stop()

    def _stop(self) -> None:
        """Let what runs end early, where it takes steps."""
        if self._job is not None:
            self._job.cancel()

    @Slot()
    def _start(self) -> None:
        if self._running or self._next is None:
            return
        (work, done, failed), self._next, self._running = self._next, None, True
        number = self._number
        handlers = Handlers(
            partial(self._on_answer, number, done),
            partial(self._on_answer, number, failed),
            partial(self._on_progress, number),
            self._on_cancelled,
        )
        self._job = self._session.start_job(work, handlers, self._title)

    def _on_answer(self, number: int, tell: Callable[[Any], None], answer: Any) -> None:
        self._end()
        if number == self._number:
            tell(answer)
        self._go_on()

    def _on_cancelled(self) -> None:
        self._end()
        self._go_on()

    def _go_on(self) -> None:
        # The answer may come after the one who asked was closed, and the timer with it.
        if self._next is not None and not self._timer.isActive():
            self._start()

    def _end(self) -> None:
        self._running, self._job = False, None

    def _on_progress(self, number: int, progress: Progress) -> None:
        if self.told is not None and number == self._number:
            self.told(progress)
