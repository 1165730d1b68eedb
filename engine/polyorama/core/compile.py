"""How kernels are compiled, and how they share the cores.

Kernels are numba functions that release the GIL and take a half-open range of work; `parallel_for`
hands ranges to a few Python threads. This needs no OpenMP or TBB, is the same on every system, and
lets two renders run at once, which numba's own thread layers do not all allow.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
from numba import config, njit

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["core_count", "kernel", "parallel_for", "ranges"]

_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile with numba: cached on disk, GIL released, division unchecked, `a * b + c` fused."""
    options = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
    kept, config.CACHE_DIR = config.CACHE_DIR, _cache_folder(function.__code__.co_filename)
    try:
        return njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:
        # No folder can be written, not even the user's cache: every process compiles for itself,
        # and `polyorama doctor` says so.
        return njit(**options)(function)  # type: ignore[no-any-return]
    finally:
        config.CACHE_DIR = kept


def _cache_folder(source: str) -> str:
    """Where the compiled kernels of one source file are kept.

    numba alone tells stale code by the file of the kernel; but constants and kernels that it
    imports from its neighbours are compiled in too. So the folder is named by all of them.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    base = Path(chosen) if chosen else platformdirs.user_cache_path("polyorama") / "kernels"
    return str(base / _fingerprint(str(Path(source).parent)))


@functools.cache
def _fingerprint(folder: str) -> str:
    """A hash of the sources beside a kernel and of the vector type."""
    here = Path(__file__)
    digest = hashlib.sha256()
    for source in sorted({*Path(folder).glob("*.py"), here, here.with_name("simd.py")}):
        state = source.stat()
        digest.update(f"{source}|{state.st_mtime_ns}|{state.st_size}\n".encode())
    return digest.hexdigest()[:16]


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
    The calling thread works too. The first exception is raised here once every thread has stopped.
    """
    work = ranges(total, parts)
    results: list[Any] = [None] * len(work)
    numbers = iter(range(len(work)))  # next() on it is atomic: each part is taken once

    def take() -> None:
        for part in numbers:
            results[part] = task(part, *work[part])

    helpers = min(core_count(), len(work)) - 1
    futures = [_threads().submit(take) for _ in range(helpers)]
    try:
        take()
    finally:
        wait(futures)
    for future in futures:
        future.result()
    return results


def _threads() -> ThreadPoolExecutor:
    global _pool  # one pool a process, made at first use
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(core_count(), thread_name_prefix="polyorama")
        return _pool
