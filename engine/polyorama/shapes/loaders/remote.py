"""The other end of the loading process: it asks for one file at a time, and outlives every answer.

A process serves many files, because the parsers take long to import. One that crashes, hangs or
answers nonsense costs one file; the next file is read by a fresh one.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import polyorama
from polyorama.core.text import one_line, reason_of
from polyorama.errors import FileFormatError, UnavailableError
from polyorama.shapes.loaders.parcel import receive

if TYPE_CHECKING:
    from polyorama.shapes.loaders.parcel import Found

__all__ = ["COMMAND", "SECONDS", "Remote", "shared"]

COMMAND = (sys.executable, "-m", "polyorama.shapes.loaders.worker")
SECONDS = 60.0
"""Time that one file may take."""
_FRUGAL = {"PXR_WORK_THREAD_LIMIT": "1", "MALLOC_ARENA_MAX": "2"}
"""What keeps parsers from reserving memory for every core; whoever indexes uses the cores."""
_MOST_FILES = 1000
"""Files after which a process is replaced: what the parsers leak does not pile up."""


class Remote:
    """A loading process, started when the first file is asked for; threads take turns.

    Parameters
    ----------
    command
        That starts it.
    seconds
        That one file may take.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND, seconds: float = SECONDS) -> None:
        self._command = command
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._served = 0
        self._lock = threading.Lock()

    def read(self, path: Path) -> Found:
        """Read a file in the process.

        Raises
        ------
        FileFormatError
            If it cannot be read, takes too long, or brings the process down.
        UnavailableError
            If the process cannot be started.
        """
        with self._lock:
            fresh = self._process is None
            try:
                return self._ask(path)
            except _CrashedError as error:
                if not fresh:
                    # Whatever an earlier file left behind is not this one's fault.
                    with contextlib.suppress(_CrashedError):
                        return self._ask(path)
                raise FileFormatError(
                    f"The file brings its reader down ({error}); it is damaged or unusual, so "
                    f"export it again, as GLB if you can: {path}"
                ) from None

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        self._served = 0
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _ask(self, path: Path) -> Found:
        if self._served >= _MOST_FILES:
            self.close()
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._seconds, stop)
        timer.daemon = True
        timer.start()
        whole = False
        try:
            # An absolute path, and what a name may hold beyond letters, survive JSON.
            request = {"path": os.path.abspath(path), "seconds": self._seconds}
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            found = receive(process.stdout)
            whole = True
        except FileFormatError as error:
            whole = True
            raise FileFormatError(f"{one_line(str(error))}: {path}") from None
        except MemoryError:
            raise FileFormatError(f"There is not enough memory to read the file: {path}") from None
        except (EOFError, OSError, ValueError) as error:
            if late.is_set():
                raise FileFormatError(
                    f"The file took longer than {self._seconds:g} s to read, so it is left out; "
                    f"export it again, as GLB if you can: {path}"
                ) from None
            raise _CrashedError(_end_of(process, error)) from None
        finally:
            timer.cancel()
            if not whole or late.is_set():
                self.close()
        self._served += 1
        return found

    def _start(self) -> subprocess.Popen[bytes]:
        root = str(Path(polyorama.__file__).parents[1])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                env={**os.environ, **_FRUGAL, "PYTHONPATH": os.pathsep.join(paths)},
            )
        except OSError as error:
            raise UnavailableError(
                f"The process that reads FBX, USD and the like cannot be started "
                f"({reason_of(error)}); see whether there is memory left."
            ) from error
        return self._process


class _CrashedError(Exception):
    """The process ended while it was reading; its text says how."""


def _end_of(process: subprocess.Popen[bytes], error: Exception) -> str:
    """How a process ended that no longer answers."""
    if isinstance(error, ValueError):
        return f"its answer makes no sense: {error}"
    with contextlib.suppress(subprocess.TimeoutExpired):
        code = process.wait(5.0)
        if code < 0:
            with contextlib.suppress(ValueError):
                return signal.Signals(-code).name
        return f"it ended with status {code}"
    return "it stopped answering"


_shared = Remote()
atexit.register(_shared.close)


def shared() -> Remote:
    """The loading process that all of this program shares."""
    return _shared
