"""How kernels are compiled, and how they share the cores.

Kernels are numba functions that release the GIL and take a half-open range of work; `parallel_for`
hands ranges to a few Python threads. This needs no OpenMP or TBB, is the same on every system, and
lets two renders run at once, which numba's own thread layers do not all allow.
"""

from __future__ import annotations

import itertools
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["core_count", "kernel", "parallel_for", "ranges"]

F = TypeVar("F", bound="Callable[..., Any]")

_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def kernel(function: F) -> F:
    """Compile with numba: cached on disk, GIL released, division unchecked, `a * b + c` fused."""
    options = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
    return njit(**options)(function)  # type: ignore[no-any-return]


def core_count() -> int:
    """Cores this process may use; the variable POLYORAMA_CORES lowers it."""
    wanted = os.environ.get("POLYORAMA_CORES", "")
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    return max(1, min(available, int(wanted))) if wanted.isdigit() else available


def ranges(total: int, parts: int) -> list[tuple[int, int]]:
    """Split ``range(total)`` into at most `parts` runs of nearly equal length."""
    parts = max(1, min(parts, total))
    edges = [total * i // parts for i in range(parts + 1)]
    return list(itertools.pairwise(edges))


def parallel_for(task: Callable[[int, int, int], Any], total: int, parts: int) -> list[Any]:
    """Call ``task(part, start, stop)`` for each part of ``range(total)``, on all cores.

    The parts and their order in the result depend only on `total` and `parts`, never on timing.
    An exception in a part is raised here once all parts have ended.
    """
    work = [(part, start, stop) for part, (start, stop) in enumerate(ranges(total, parts))]
    if len(work) == 1 or core_count() == 1:
        return [task(*item) for item in work]
    futures = [_threads().submit(task, *item) for item in work[1:]]
    first_error: BaseException | None = None
    results: list[Any] = []
    try:
        results.append(task(*work[0]))
    except BaseException as error:  # noqa: BLE001 - re-raised below, after the others ended
        first_error = error
    for future in futures:
        failure = future.exception()
        if failure is None:
            results.append(future.result())
        else:
            first_error = first_error or failure
    if first_error is not None:
        raise first_error
    return results


def _threads() -> ThreadPoolExecutor:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(core_count(), thread_name_prefix="polyorama")
        return _pool
