"""Kernels: where they are kept, and how the cores are shared."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from polyorama.core import compile as compiling
from polyorama.errors import UsageError


def test_a_kernels_folder_depends_on_all_that_it_imports():
    import polyorama.render.cpu.draw as draw

    sources = {path.name for path in compiling._imported_sources(Path(draw.__file__))}
    assert {"draw.py", "bin.py", "project.py", "compile.py", "simd.py", "errors.py"} <= sources
    assert "gltf.py" not in sources


def test_kernels_keep_their_folder_when_modules_are_imported_in_threads(tmp_path):
    code = """
        import importlib, threading, numba
        names = ("render.cpu.draw", "render.cpu.sort", "io.ply", "io.kmeans", "scene.covariance")
        threads = [
            threading.Thread(target=importlib.import_module, args=(f"polyorama.{name}",))
            for name in names
        ]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        from polyorama.render.cpu.sort import scatter
        from polyorama.core.compile import _cache_folder
        print(numba.config.CACHE_DIR)
        print(scatter.stats.cache_path.startswith(str(_cache_folder(scatter.__code__.co_filename))))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")},
    )  # fmt: skip
    assert done.stdout.splitlines() == [str(tmp_path / "kept"), "True"]


@pytest.mark.parametrize("wanted", ["abc", "0", "-1", "1.5"])
def test_cores_must_be_a_number(monkeypatch, wanted):
    monkeypatch.setenv("POLYORAMA_CORES", wanted)
    with pytest.raises(UsageError, match="POLYORAMA_CORES"):
        compiling.core_count()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_threads_of_its_own():
    code = """
        import os
        from polyorama.core.compile import parallel_for
        parallel_for(lambda part, start, stop: part, 8, 8)
        child = os.fork()
        if child == 0:
            os._exit(parallel_for(lambda part, start, stop: part, 8, 8) != list(range(8)))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )  # fmt: skip
    assert done.stdout == "0\n"


def test_tasks_that_call_again_and_wait_for_one_another_come_to_an_end():
    """More threads than cores hold a lock and share work meanwhile, as edits and pictures do."""
    import threading

    lock = threading.Lock()
    done: list[int] = []

    def inner(part: int, start: int, stop: int) -> int:
        return stop - start

    def outer(part: int, start: int, stop: int) -> None:
        with lock:
            done.append(sum(compiling.parallel_for(inner, 1000, 16)))

    threads = [
        threading.Thread(target=compiling.parallel_for, args=(outer, 8, 8), daemon=True)
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
        assert not thread.is_alive()
    assert done == [1000] * 32
