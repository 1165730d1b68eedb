"""How kernels are compiled, and how they share the cores.

Kernels are numba functions that release the GIL and take a half-open range of work; `parallel_for`
hands ranges to a few Python threads. This needs no OpenMP or TBB, is the same on every system, and
lets two renders run at once, which numba's own thread layers do not all allow.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
from numba import config, njit

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["core_count", "kernel", "parallel_for", "ranges"]

_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()
_cache_lock = threading.Lock()
_inside = threading.local()
"""Its `task` is set in threads that carry out a task of `parallel_for`."""
_KEPT_S = 30 * 24 * 3600.0
_IMPORT = re.compile(r"^\s*from (polyorama[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile with numba: cached on disk, GIL released, division unchecked, `a * b + c` fused."""
    options = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
    with _cache_lock:  # the folder is a global of numba's; modules may be imported in threads
        kept, config.CACHE_DIR = config.CACHE_DIR, str(_cache_folder(function.__code__.co_filename))
        try:
            return njit(cache=True, **options)(function)  # type: ignore[no-any-return]
        except RuntimeError:
            # No folder can be written, not even the user's cache: every process compiles for
            # itself, and `polyorama doctor` says so.
            return njit(**options)(function)  # type: ignore[no-any-return]
        finally:
            config.CACHE_DIR = kept


@functools.cache
def _cache_folder(source: str) -> Path:
    """Where the compiled kernels of one source file are kept.

    numba alone tells stale code by the file of the kernel; but constants and kernels that it
    imports from elsewhere are compiled in too. So the folder is named by the state of every engine
    module that the file imports, directly or not. Folders that were not used for a month go.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    base = Path(chosen) if chosen else platformdirs.user_cache_path("polyorama") / "kernels"
    digest = hashlib.sha256()
    for path in sorted(_imported_sources(Path(source))):
        state = path.stat()
        digest.update(f"{path}|{state.st_mtime_ns}|{state.st_size}\n".encode())
    folder = base.absolute() / digest.hexdigest()[:16]
    _drop_old_folders(folder)
    return folder


def _imported_sources(source: Path) -> set[Path]:
    """A file and all files of this package that it imports, as its text says."""
    package = Path(__file__).parents[1]
    found: set[Path] = set()
    waiting = [source, Path(__file__), Path(__file__).with_name("simd.py")]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
            place = package.joinpath(*module.split(".")[1:])
            waiting += [place.with_suffix(".py"), place / "__init__.py"]
            waiting += [place / f"{name}.py" for name in re.findall(r"\w+", names)]
    return found


def _drop_old_folders(folder: Path) -> None:
    """Remove kernels of other versions; mark these as used. Nothing depends on its success."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in folder.parent.iterdir():
            if other != folder and time.time() - other.stat().st_mtime > _KEPT_S:
                shutil.rmtree(other, ignore_errors=True)


def core_count() -> int:
    """Cores this process may use; the variable POLYORAMA_CORES lowers it.

    Raises
    ------
    UsageError
        If that variable is no whole number above zero.
    """
    wanted = os.environ.get("POLYORAMA_CORES", "")
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    if not wanted:
        return available
    if not wanted.isdecimal() or int(wanted) < 1:
        raise UsageError(f"POLYORAMA_CORES must be a whole number above zero, not {wanted!r}.")
    return min(available, int(wanted))


def ranges(total: int, parts: int) -> list[tuple[int, int]]:
    """Split ``range(total)`` into at most `parts` runs of nearly equal length."""
    parts = max(1, min(parts, total))
    edges = [total * i // parts for i in range(parts + 1)]
    return list(itertools.pairwise(edges))


def parallel_for(task: Callable[[int, int, int], Any], total: int, parts: int) -> list[Any]:
    """Call ``task(part, start, stop)`` for each part of ``range(total)``, on all cores.

    The parts and their order in the result depend only on `total` and `parts`, never on timing.
    The calling thread works too. The first exception is raised here once every thread has stopped.
    A task that calls this again does all of that alone: the threads have their work, and waiting
    for one another they would never end.
    """
    work = ranges(total, parts)
    results: list[Any] = [None] * len(work)
    numbers = iter(range(len(work)))  # next() on it is atomic: each part is taken once

    def take() -> None:
        outer, _inside.task = getattr(_inside, "task", False), True
        try:
            for part in numbers:
                results[part] = task(part, *work[part])
        finally:
            _inside.task = outer

    nested = getattr(_inside, "task", False)
    helpers = 0 if nested else min(core_count(), len(work)) - 1
    futures = [_threads().submit(take) for _ in range(helpers)]
    try:
        take()
    finally:
        # Helpers that have not begun find nothing left to do; they may queue behind others who
        # wait for what this thread holds.
        begun = [future for future in futures if not future.cancel()]
        wait(begun)
    for future in begun:
        future.result()
    return results


def _forget_threads() -> None:
    """Start afresh in a forked child: threads and held locks stay behind in the parent."""
    global _pool, _pool_lock, _cache_lock
    _pool, _pool_lock, _cache_lock = None, threading.Lock(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def _threads() -> ThreadPoolExecutor:
    global _pool  # one pool a process, made at first use
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(core_count(), thread_name_prefix="polyorama")
        return _pool
