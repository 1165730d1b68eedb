"""Processes that compute beside this one: spawned afresh, with a pipe each."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

__all__ = ["deaf_to_interrupts", "spawned"]

_lock = threading.Lock()
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLYORAMA_CORES")


def spawned(target: Callable[..., None], *arguments: Any, threads: int) -> tuple[Any, Connection]:
    """Start ``target(connection, *arguments)`` in a process of its own.

    Parameters
    ----------
    threads
        That it may compute with, whatever it computes with.

    Returns
    -------
    process, connection
        The process, which ends with this one, and this end of its pipe.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(there, *arguments), daemon=True)
    with _lock, _without_main(), _with_threads(threads), deaf_to_interrupts():
        process.start()
    there.close()
    return process, here


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module from the process that starts.

    It would be imported there again: the studio's brings Qt, and a script without a guard would
    start processes without end.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextlib.contextmanager
def _with_threads(count: int) -> Iterator[None]:
    """Let a process that starts now compute in so many threads: libraries ask when they load."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, str(count)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Let processes that start now ignore Ctrl-C from their first moment: this one decides."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
