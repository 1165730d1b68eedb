"""The process in which other people's parsers run: ``python -m polyorama.shapes.loaders.worker``.

One line of JSON comes in for each file, one parcel goes out. The parsers are written in C++ and
read files from anywhere: they may end this process, hang, or eat memory. So it has limits, nothing
in it matters, and `polyorama.shapes.loaders.remote` starts another one.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

from polyorama.core.text import reason_of
from polyorama.errors import PolyoramaError
from polyorama.shapes.loaders.parcel import refuse, send

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama.shapes.loaders.parcel import Found

__all__ = ["READERS", "main", "serve"]

READERS = {
    ".fbx": "polyorama.shapes.loaders.assimp",
    ".dae": "polyorama.shapes.loaders.assimp",
    ".3ds": "polyorama.shapes.loaders.assimp",
    ".3mf": "polyorama.shapes.loaders.assimp",
    ".usd": "polyorama.shapes.loaders.usd",
    ".usda": "polyorama.shapes.loaders.usd",
    ".usdc": "polyorama.shapes.loaders.usd",
    ".usdz": "polyorama.shapes.loaders.usd",
}
"""Module with ``read(path) -> Found`` for each ending."""

_MOST_MEMORY = 8 << 30
_LEAST_MEMORY = 2 << 30
_MEMORY_PER_BYTE = 64
"""Bytes of address space that the process may take, and how they grow with the file: what a small
file makes of itself is refused before it has filled the machine."""
_GRACE_S = 10
"""Seconds after which it ends itself where the one that started it is no longer there to do so."""


def main() -> None:
    """Serve until nobody asks any more."""
    _forbid_core_files()
    # Parsers print; what they print must not come between the parcels.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    serve(sys.stdin.buffer, answers)


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer each request, a line of JSON with ``path`` and ``seconds``, until they end."""
    for line in requests:
        request = json.loads(line)
        with _alarm(int(request["seconds"]) + _GRACE_S):
            try:
                path = Path(request["path"])
                _limit_memory(path.stat().st_size)
                found = _read(path)
            except MemoryError:
                refuse(answers, "There is not enough memory to read the file")
            except ImportError as error:
                need = f"Such files need a package that is not here ({error})"
                refuse(answers, f"{need}; pip install 'polyorama[shapes]' brings it")
            except PolyoramaError as error:
                refuse(answers, str(error))
            except Exception as error:  # noqa: BLE001 - said in the other process
                refuse(answers, f"The file cannot be read ({reason_of(error)})")
            else:
                send(answers, found)


def _read(path: Path) -> Found:
    found: Found = importlib.import_module(READERS[path.suffix.lower()]).read(path)
    return found


def _limit_memory(size: int) -> None:
    """Limit what a file of so many bytes may take; Windows has no such limits."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        limit = min(_LEAST_MEMORY + _MEMORY_PER_BYTE * size, _MOST_MEMORY)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _forbid_core_files() -> None:
    """A parser that crashes shall not leave its memory on the disk."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextlib.contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    """Within it, the process ends after so many seconds, where the system can do that."""
    if not hasattr(signal, "alarm"):
        yield
        return
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    main()
