"""Who draws the chunks of a long render: this process, or several.

Further processes are spawned afresh, which works alike on every system; large arrays reach them
through files that all of them map, so that they lie in memory once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import tempfile
import time
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from polyorama.core.compile import core_count
from polyorama.core.processes import deaf_to_interrupts
from polyorama.errors import OutputError, PolyoramaError, UnavailableError
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.resolve import flatten, is_animated
from polyorama.render.shoot import Filming, drawing, finished, shoot
from polyorama.render.state import Gaussians

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from numpy.typing import NDArray

    from polyorama.render.accumulate import Shot
    from polyorama.render.frame import Frame
    from polyorama.render.state import Constants
    from polyorama.scene.document import Document

__all__ = ["Chunk", "Finisher", "Look", "work_here", "work_in_processes"]

_SCENE = "scene"
_SMALL = 1 << 16
"""Bytes up to which an array is handed over with the rest."""
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Look:
    """How frames are drawn: what `polyorama.render` takes by the same names."""

    backend: str = "auto"
    background: tuple[float, float, float] | None = (0.0, 0.0, 0.0)
    constants: Constants | str | None = None
    filming: Filming = field(default_factory=Filming)


class Draw(Protocol):
    """Draws one frame."""

    def __call__(self, shot: Shot, outputs: tuple[str, ...]) -> Frame:
        """The frame of `shot`, with the given outputs."""
        ...


class Chunk(Protocol):
    """A piece of work that a process can take; it must survive pickling."""

    def produce(self, draw: Draw, finisher: Finisher) -> Generator[None]:
        """Draw and write; yields after each frame drawn."""
        ...


class Finisher:
    """Runs the end of one chunk (encoding its last frames) while the next is being drawn."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="polyorama-finish")
        self._last: Future[None] | None = None

    def __enter__(self) -> Finisher:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            if exception[0] is None:
                self._settle()
        finally:
            self._threads.shutdown(wait=True)

    def add(self, task: Callable[[], None]) -> None:
        """Run `task` on the other thread; an error of the task before it is raised here."""
        self._settle()
        self._last = self._threads.submit(task)

    def _settle(self) -> None:
        if self._last is not None:
            self._last.result()


def work_here(chunks: Sequence[Chunk], document: Document, look: Look) -> Generator[None]:
    """Produce chunks in this process; yields after each frame drawn."""
    draw = _drawing(document, look)
    with Finisher() as finisher:
        for chunk in chunks:
            yield from chunk.produce(draw, finisher)


def _drawing(document: Document | Gaussians, look: Look) -> Draw:
    sharp = drawing(
        get_rasterizer(look.backend), document, background=look.background,
        constants=look.constants,
    )  # fmt: skip

    def draw(shot: Shot, outputs: tuple[str, ...]) -> Frame:
        opaque = look.background is not None
        return finished(shoot(sharp, shot, look.filming, outputs, opaque=opaque))

    return draw


def work_in_processes(
    chunks: Sequence[Chunk], document: Document, look: Look, jobs: int
) -> Generator[None]:
    """Produce chunks in `jobs` processes; yields after each frame drawn, in any order.

    Closing the generator, or an error in one process, ends them all; chunks that are whole stay.

    Raises
    ------
    UnavailableError
        If a process died.
    """
    with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
        # What moves is put together by each process for itself.
        scene = document if is_animated(document) else flatten(document)
        _share(scene, Path(folder))
        context = multiprocessing.get_context("spawn")
        cores = max(1, core_count() // jobs)
        waiting = list(reversed(chunks))
        team: dict[Connection, Any] = {}
        try:
            for _ in range(jobs):
                here, there = context.Pipe()
                process = context.Process(
                    target=_serve, args=(there, folder, look, cores), daemon=True
                )
                with deaf_to_interrupts():
                    process.start()
                there.close()
                team[here] = process
            busy = set(team)
            for connection, process in team.items():
                _give(connection, process, waiting, busy)
            while busy:
                for connection in [ready for ready in wait(busy) if ready in busy]:
                    message = _receive(connection, team[connection])
                    if message == "frame":
                        yield
                    else:
                        _give(connection, team[connection], waiting, busy)
            for connection, process in team.items():
                connection.send(None)
                _receive(connection, process)
        finally:
            _dismiss(team)


def _give(
    connection: Connection, process: Any, waiting: list[Chunk], busy: set[Connection]
) -> None:
    if not waiting:
        busy.discard(connection)
        return
    try:
        connection.send(waiting.pop())
    except OSError as error:
        raise _death(process) from error


def _receive(connection: Connection, process: Any) -> str:
    try:
        message = connection.recv()
    except (EOFError, OSError) as error:
        raise _death(process) from error
    if isinstance(message, BaseException):
        raise message
    return str(message)


def _death(process: Any) -> UnavailableError:
    process.join(_PATIENCE_S)
    return UnavailableError(
        f"A rendering process ended by itself (exit code {process.exitcode}), perhaps for lack of "
        "memory; use fewer processes."
    )


def _dismiss(team: dict[Connection, Any]) -> None:
    """End all processes: they notice after the frame in hand, and tidy up what is half-written."""
    for connection in team:
        connection.close()
    end = time.monotonic() + _PATIENCE_S
    for process in team.values():
        process.join(max(0.0, end - time.monotonic()))
        if process.is_alive():
            process.terminate()
            process.join()


def _leave(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


class _Sharer(pickle.Pickler):
    """Pickles what is drawn, its large arrays to files of their own."""

    def __init__(self, stream: IO[bytes], folder: Path) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._folder = folder
        self._names: dict[int, tuple[NDArray[Any], str]] = {}

    def persistent_id(self, value: object) -> str | None:
        if not isinstance(value, np.ndarray) or value.nbytes < _SMALL:
            return None
        if id(value) not in self._names:
            name = f"{len(self._names)}.npy"
            np.save(self._folder / name, value, allow_pickle=False)
            self._names[id(value)] = (value, name)
        return self._names[id(value)][1]


class _Mapper(pickle.Unpickler):
    """Reads what `_Sharer` wrote, in a process that the writer started."""

    def __init__(self, stream: IO[bytes], folder: Path) -> None:
        super().__init__(stream)
        self._folder = folder

    def persistent_load(self, name: str) -> NDArray[Any]:
        return np.load(self._folder / name, mmap_mode="r").view(np.ndarray)  # type: ignore[no-any-return]


def _share(scene: Document | Gaussians, folder: Path) -> None:
    if isinstance(scene, Gaussians):
        scene = replace(scene, cache={})  # what rasterizers keep is theirs
    try:
        with (folder / _SCENE).open("wb") as stream:
            _Sharer(stream, folder).dump(scene)
    except OSError as error:
        raise OutputError(
            f"Cannot hand the splats to the processes ({error.strerror}): {folder}"
        ) from error


def _shared(folder: Path) -> Document | Gaussians:
    with (folder / _SCENE).open("rb") as stream:
        return _Mapper(stream, folder).load()  # type: ignore[no-any-return]


def _serve(connection: Connection, folder: str, look: Look, cores: int) -> None:
    """The life of one process: chunks come in, "frame" and "done" go out, None ends it."""
    # Where ignoring is not inherited.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Being ended must let what is half-written be removed.
    signal.signal(signal.SIGTERM, _leave)
    os.environ["POLYORAMA_CORES"] = str(cores)
    with contextlib.suppress(ConnectionError, EOFError):
        try:
            draw = _drawing(_shared(Path(folder)), look)
            with Finisher() as finisher:
                while (chunk := connection.recv()) is not None:
                    with contextlib.closing(chunk.produce(draw, finisher)) as steps:
                        for _ in steps:
                            connection.send("frame")
                    connection.send("done")
            connection.send("bye")
        except PolyoramaError as error:
            connection.send(error)
        except (EOFError, ConnectionError):
            raise
        except Exception as error:  # noqa: BLE001 - it is raised again in the parent
            note = "".join(traceback.format_exception(error))
            connection.send(RuntimeError(f"A rendering process failed:\n{note}"))
