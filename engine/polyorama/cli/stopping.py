"""Ctrl-C: at once while the compiler works, between two steps where work is to be kept whole."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from polyorama.core.jobs import Job, Progress

T = TypeVar("T")

__all__ = ["ending_at_once", "stoppable"]

_REQUESTS = (signal.SIGINT, signal.SIGTERM)
_PATIENCE_S = 2.0
"""After which somebody who waits wants to know what for."""


@contextlib.contextmanager
def ending_at_once() -> Iterator[None]:
    """Within it, Ctrl-C and a request to end take effect at once: the process ends with 130 or 143.

    Python hears signals between two of its own instructions, and one call of the compiler takes ten
    seconds; heard inside one, an exception is lost, or damages what is being compiled. So the
    system's handler wakes a thread, which says so and ends the process. Only for work that leaves
    nothing behind.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    before = {
        number: signal.getsignal(number)
        for number in _REQUESTS
        # What runs in the background may have been told to ignore Ctrl-C.
        if signal.getsignal(number) not in (signal.SIG_IGN, None)
    }
    here, there = socket.socketpair()
    there.setblocking(False)
    thread = threading.Thread(target=_listen, args=(here,), name="polyorama-stop", daemon=True)
    thread.start()
    waking = signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
    for number in before:
        signal.signal(number, lambda number, _frame: asked.append(number))
    try:
        yield
    finally:
        signal.set_wakeup_fd(waking)
        for number, handler in before.items():
            signal.signal(number, handler)
        there.close()
        thread.join()
        here.close()
    if asked:
        signal.raise_signal(asked[0])


def _listen(here: socket.socket) -> None:
    while number := here.recv(1):
        if number[0] in _REQUESTS:
            # The line of a bar is wiped, as where it ends by itself.
            start = "\r\x1b[2K" if sys.stderr.isatty() else ""
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write(f"{start}polyorama: stopped.\n")
                sys.stderr.flush()
            os._exit(128 + number[0])


def _say_waiting() -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write("polyorama: stopping after this step; Ctrl-C once more stops at once.\n")
        sys.stderr.flush()


def stoppable(job: Job[T]) -> Generator[Progress, None, T]:
    """Let Ctrl-C and SIGTERM wait for the end of a step, so that what was reached is kept whole.

    Where that takes long, it is said that a second one does not wait.
    """
    asked: list[int] = []
    before: dict[int, Any] = {}
    waiting = threading.Timer(_PATIENCE_S, _say_waiting)
    waiting.daemon = True

    def ask(number: int, _frame: object) -> None:
        asked.append(number)
        if len(asked) == 1:
            waiting.start()
        # Who asks again means it.
        signal.signal(number, before[number])

    try:
        for known in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(known)
            # What runs in the background may have been told to ignore Ctrl-C.
            if handler not in (signal.SIG_IGN, None):
                before[known] = handler
                signal.signal(known, ask)
    except ValueError:
        # Not the main thread: signals are its own.
        return (yield from job)
    try:
        while not asked:
            try:
                progress = next(job)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            yield progress
    finally:
        waiting.cancel()
        job.close()
        for number, handler in before.items():
            signal.signal(number, handler)
    # Whoever listened before hears it now, and knows Ctrl-C from a request to end.
    signal.raise_signal(asked[-1])
    raise KeyboardInterrupt
