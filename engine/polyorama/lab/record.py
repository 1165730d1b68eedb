"""A run as a folder, written while it goes on, and read, scrubbed and resumed afterwards.

::

    run.json         the experiment, its parameters and seed, versions
    rows.run         scalars, notes, changes: everything but arrays
    arrays-00.run    the arrays of snapshots 1, 3, 5, ...
    arrays-01.run    those of 2, 6, 10, ...; arrays-02.run of 4, 12, 20, ...; and so on

When the arrays become too large, the lowest of their files goes: then every second snapshot has
arrays of its own, later every fourth, evenly over the whole run.
"""

from __future__ import annotations

import contextlib
import json
import platform
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import polyorama
from polyorama.core import memory
from polyorama.core.text import one_line
from polyorama.errors import FileFormatError, OutputError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, named, reading
from polyorama.io.json_fields import FieldError, json_trouble, no_constant, object_of, text_of
from polyorama.io.lock import only_one
from polyorama.lab.record_chunks import (
    decoded_arrays,
    decoded_change,
    decoded_places,
    decoded_rows,
    encoded_arrays,
    encoded_change,
    encoded_rows,
)
from polyorama.lab.record_file import JSON_BYTES, FrameWriter, read_block, read_frames
from polyorama.lab.recording import Recording, params_of
from polyorama.lab.rows import Change, Rows

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from polyorama.lab.experiment import Experiment
    from polyorama.lab.record_file import Frame
    from polyorama.lab.snapshot import Snapshot

__all__ = ["RECORD_BYTES", "Record", "Recorder", "holds_run"]

RECORD_BYTES = 1 << 30
"""Packed arrays that a run keeps on disk."""

_FORMAT = 1
_ABOUT = "run.json"
_ROWS = "rows.run"
_LOCK = "recording.lock"
_HIGHEST = 20
_FLUSH_S = 2.0
_FLUSH_BYTES = 4 << 20
_FLUSH_ROWS = 4096
_MOST_ABOUT = 64 << 20
_CACHED = 4


def _level(row: int) -> int:
    """How often a row's number can be halved: the file in which its arrays lie."""
    return _HIGHEST if row == 0 else min(_HIGHEST, (row & -row).bit_length() - 1)


def _arrays_file(folder: Path, level: int) -> Path:
    return folder / f"arrays-{level:02d}.run"


def holds_run(folder: str | os.PathLike[str]) -> bool:
    """Whether a run lies in a folder; one that ended before its first snapshot leaves none."""
    return (Path(folder) / _ABOUT).exists()


def _check_free(folder: Path) -> None:
    try:
        # A process that was killed at once leaves its lock, which nobody holds.
        free = all(there.name == _LOCK for there in folder.iterdir())
    except OSError as error:
        raise OutputError(f"Cannot record here ({error.strerror}): {folder}") from error
    if not free:
        raise OutputError(
            f"There is something in this folder already; choose a new one, or resume the run that "
            f"it holds: {folder}"
        )


def _about(experiment: Experiment, seed: int, folder: Path) -> str:
    """The text of `run.json`."""
    about = {
        "polyorama": "run",
        "format": _FORMAT,
        "experiment": experiment.id,
        "title": one_line(experiment.title),
        "seed": seed,
        "params": params_of(experiment),
        "rivals": experiment.active,
        "paintings": {k: v.tolist() for k, v in experiment.paintings.items()},
        "versions": _versions(),
    }
    text = json.dumps(about, indent=1, ensure_ascii=False, allow_nan=False)
    if len(text) > _MOST_ABOUT:
        raise OutputError(f"The paintings of this run are too large to be recorded: {folder}")
    return text


def _versions() -> dict[str, str]:
    """What a run's numbers may depend on, by name."""
    found = {"polyorama": polyorama.__version__, "python": platform.python_version()}
    for name in ("numpy", "numba", "torch"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return {**found, "machine": f"{platform.system()} {platform.machine()}"}


class Recorder:
    """Writes a run to a folder; made by `create` or `continuing`.

    What is appended is packed and written on a thread of its own, and reaches the system at the
    latest some two seconds and one snapshot later, changes at once.

    Raises
    ------
    OutputError
        Of all methods, where the system refuses or refused what was appended before; what was
        written before that can still be read.
    """

    def __init__(self, folder: Path, *, budget: int = RECORD_BYTES) -> None:
        self.folder = folder
        self._budget = budget
        self._lock = contextlib.ExitStack()
        self._lock.enter_context(
            only_one(folder / _LOCK, f"Another process is recording here; wait for it: {folder}")
        )
        self._rows: FrameWriter | None = None
        self._new = self._made = False  # the run, and its folder
        self._broken = False
        self._levels: dict[int, FrameWriter] = {}
        self._lowest = 0
        self._writer = ThreadPoolExecutor(1, "record")
        self._writing: Future[None] | None = None
        self._saved = 0  # rows that the system has
        self._first = 0  # of the rows that wait
        self._waiting = Rows()
        self._arrays: dict[int, Mapping[str, NDArray[Any]]] = {}
        self._newest: Mapping[str, NDArray[Any]] = {}
        self._bytes = 0
        self._flushed_at = time.monotonic()

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        experiment: Experiment,
        seed: int,
        *,
        budget: int = RECORD_BYTES,
    ) -> Recorder:
        """Begin a run.

        Parameters
        ----------
        folder
            A new one, or an empty one.
        experiment
            As the run begins.
        seed
            Of the run.
        budget
            Bytes of packed arrays to keep.

        Raises
        ------
        OutputError
            If something lies there already, or the system refuses.
        """
        path = named(folder)
        made = not path.exists()
        if not made and not path.is_dir():
            raise OutputError(f"Cannot record here, because this is a file: {path}")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"Cannot record here ({error.strerror}): {path}") from error
        _check_free(path)  # before a lock is put there
        recorder = cls(path, budget=budget)
        try:
            _check_free(path)  # nobody was quicker
            recorder._new, recorder._made = True, made
            with atomic_write(path / _ABOUT) as temporary:
                temporary.write_text(_about(experiment, seed, path), encoding="utf-8")
            recorder._rows = FrameWriter(path / _ROWS)
        except BaseException:
            recorder._let_go()
            raise
        return recorder

    def append(self, snapshot: Snapshot) -> None:
        """Record a snapshot."""
        row = self._first + len(self._waiting)
        self._waiting.append(snapshot)
        if row % (1 << self._lowest) == 0:
            arrays = snapshot.arrays
            self._arrays[row] = arrays
            known, self._newest = self._newest, arrays
            self._bytes += sum(a.nbytes for key, a in arrays.items() if a is not known.get(key))
        old = time.monotonic() - self._flushed_at > _FLUSH_S or self._first == 0
        if old or self._bytes > _FLUSH_BYTES or len(self._waiting) >= _FLUSH_ROWS:
            self._begin_flush()

    def change(self, change: Change) -> None:
        """Record a change."""
        self.flush()
        assert self._rows is not None
        self._rows.write("CHNG", *encoded_change(change))

    def flush(self) -> None:
        """Hand to the system what waits."""
        self._begin_flush()
        self._settle()

    def _begin_flush(self) -> None:
        """Let the thread write what waits, after what it writes now."""
        self._settle()
        rows, first, arrays = self._waiting, self._first, self._arrays
        self._first += len(rows)
        self._waiting, self._arrays, self._bytes = Rows(), {}, 0
        self._flushed_at = time.monotonic()
        self._writing = self._writer.submit(self._write, rows, first, arrays)

    def _settle(self) -> None:
        """Wait until the thread has written what it was given."""
        if self._writing is None:
            return
        try:
            self._writing.result()
        finally:
            # Nothing may follow rows that are missing. Whoever is interrupted here asks again.
            done = self._writing.done()
            self._broken = done and self._writing.exception() is not None
        self._writing = None

    def _write(
        self, rows: Rows, first: int, arrays: Mapping[int, Mapping[str, NDArray[Any]]]
    ) -> None:
        # On the thread.
        assert self._rows is not None
        if len(rows):
            self._rows.write("ROWS", *encoded_rows(rows, first))
            self._saved = first + len(rows)
        levels: dict[int, dict[int, Mapping[str, NDArray[Any]]]] = {}
        for row, shown in arrays.items():
            if shown and _level(row) >= self._lowest:
                levels.setdefault(_level(row), {})[row] = shown
        for level, rows_shown in levels.items():
            if level not in self._levels:
                self._levels[level] = FrameWriter(_arrays_file(self.folder, level))
            self._levels[level].write("ARRS", *encoded_arrays(rows_shown))
        while (
            sum(file.size for file in self._levels.values()) > self._budget
            and self._lowest < _HIGHEST
        ):
            self._lowest += 1
            self._rows.write("THIN", {"lowest": self._lowest})
            gone = self._levels.pop(self._lowest - 1, None)
            if gone is not None:
                gone.remove()

    def close(self) -> None:
        """Write what waits and let go of the folder; a run without a snapshot leaves nothing."""
        if self._rows is None:
            return
        with contextlib.ExitStack() as ending:
            ending.callback(self._let_go)
            if not self._broken:
                self.flush()

    def _let_go(self) -> None:
        self._writer.shutdown()
        with contextlib.ExitStack() as ending:
            if self._new and self._saved == 0:
                ending.callback(self._discard)
            ending.enter_context(self._lock)
            for file in (self._rows, *self._levels.values()):
                if file is not None:
                    ending.callback(file.close)
            self._rows = None

    def _discard(self) -> None:
        with contextlib.suppress(OSError):
            for name in (_ROWS, _ABOUT):
                (self.folder / name).unlink(missing_ok=True)
            if self._made:
                self.folder.rmdir()

    @classmethod
    def continuing(
        cls, folder: str | os.PathLike[str], *, budget: int = RECORD_BYTES
    ) -> tuple[Record, Self]:
        """Read a run and go on where it ends; a half-written frame there is cut off.

        Returns
        -------
        record, recorder
            As it was, and what writes on; nobody else can meanwhile.

        Raises
        ------
        FileFormatError, UsageError, OutputError
            As `Record.open`, or if another process records there.
        """
        Record.open(folder)  # before anything is put there
        recorder = cls(Path(folder), budget=budget)
        try:
            # Once more, since nobody can have written to it from now on.
            record = Record.open(folder)
            recorder._saved = recorder._first = record.length
            recorder._lowest = record._lowest
            recorder._rows = FrameWriter(recorder.folder / _ROWS, keep=record._rows_end)
            for level, end in record._levels.items():
                path = _arrays_file(recorder.folder, level)
                recorder._levels[level] = FrameWriter(path, keep=end)
        except BaseException:
            recorder._let_go()
            raise
        return record, recorder


class Record(Recording):
    """A run that lies in a folder; `Record.open` reads it.

    Arrays are read when they are asked for; a run of any length opens as fast as its scalars.
    """

    folder: Path
    title: str
    versions: Mapping[str, str]

    @classmethod
    def open(cls, folder: str | os.PathLike[str], kind: type[Experiment] | None = None) -> Record:
        """Read what a folder holds.

        A run that was killed ends with the last snapshot that was written whole.

        Parameters
        ----------
        folder
            Of the run.
        kind
            The experiment's class; None to look it up by its id where it is needed.

        Raises
        ------
        FileFormatError
            If it is no run, or damaged.
        UsageError
            If it does not fit into memory.
        """
        record = cls()
        record.folder, record.kind = named(folder), kind
        if not record.folder.is_dir():
            raise FileFormatError(f"There is no folder of a run: {folder}")
        if not holds_run(record.folder):
            raise FileFormatError(f"This folder holds no run: {folder}")
        record._read_about(record.folder / _ABOUT)
        rows = record.folder / _ROWS
        if rows.exists():
            record._read_rows(rows)
        if not rows.exists() or not record.length:
            raise FileFormatError(
                f"The run ended before its first snapshot was written; remove the folder and run "
                f"it again: {folder}"
            )
        record._read_levels()
        return record

    def _read_about(self, path: Path) -> None:
        size = file_size(path)
        if size > _MOST_ABOUT:
            raise FileFormatError(f"This is no description of a run, being too large: {path}")
        memory.require(JSON_BYTES * size, f"the description of the run {path.parent}")
        with reading(path):
            text = path.read_bytes()
        try:
            about = json.loads(text, parse_constant=no_constant)
        except (ValueError, RecursionError) as error:
            raise FileFormatError(
                f"The description of the run is damaged ({json_trouble(error)}): {path}"
            ) from error
        with _naming_fields(path):
            fields = object_of(about, "the description")
            if fields.get("polyorama") != "run":
                raise FieldError("it is no run")
            if fields.get("format") != _FORMAT:
                raise FieldError("it was written by another version; update Polyorama")
            self.experiment_id = text_of(fields.get("experiment"), "experiment")
            self.title = text_of(fields.get("title"), "title")
            seed = fields.get("seed")
            if not isinstance(seed, int) or isinstance(seed, bool):
                raise FieldError("seed is no whole number")
            self.seed = seed
            self.params = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in object_of(fields.get("params"), "params").items()
            }
            rivals = fields.get("rivals")
            if not isinstance(rivals, list):
                raise FieldError("rivals is no list")
            self.rivals = tuple(text_of(name, "rivals") for name in rivals)
            paintings = object_of(fields.get("paintings"), "paintings")
            self.paintings = {name: _painting(value) for name, value in paintings.items()}
            known = object_of(fields.get("versions"), "versions")
            self.versions = {name: text_of(value, "versions") for name, value in known.items()}

    def _read_rows(self, path: Path) -> None:
        self.rows, self._changes, self._lowest = Rows(), [], 0
        frames, self._rows_end = read_frames(path)
        needed = sum(frame.nbytes for frame in frames)
        memory.require(2 * needed, f"the scalars of the run {path.parent}")
        for number, frame in enumerate(frames):
            with _naming_fields(path):
                try:
                    block = read_block(path, frame)
                except FileFormatError:
                    if number + 1 < len(frames):
                        raise
                    # The system lost the last part, as when power fails; the run ends before it.
                    self._rows_end = frames[number - 1].end if number else self._rows_end
                    return
                if frame.kind == "ROWS":
                    decoded_rows(frame.described, block, self.rows)
                elif frame.kind == "CHNG":
                    self._changes.append(decoded_change(frame.described, block))
                elif frame.kind == "THIN":
                    lowest = frame.described.get("lowest")
                    if not isinstance(lowest, int) or not 0 <= lowest <= _HIGHEST:
                        raise FieldError("it is thinned out strangely")
                    self._lowest = lowest

    def _read_levels(self) -> None:
        self._levels: dict[int, int] = {}
        self._where: dict[int, tuple[int, Frame]] = {}
        self._blocks: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        for level in range(self._lowest, _HIGHEST + 1):
            path = _arrays_file(self.folder, level)
            if not path.exists():
                continue
            frames, end = read_frames(path)
            last = 0
            for frame in frames:
                with _naming_fields(path):
                    rows = decoded_places(frame.described)
                if max(rows) >= self.length:
                    # Their scalars were lost; another run may have these rows now.
                    end = last
                    break
                self._where |= dict.fromkeys(rows, (level, frame))
                last = frame.end
            self._levels[level] = end
        self._with_arrays = sorted(self._where)

    def kept(self) -> list[int]:
        """As `Recording.kept`."""
        return self._with_arrays

    def _arrays(self, row: int) -> Mapping[str, NDArray[Any]]:
        if row not in self._where:
            return {}
        level, frame = self._where[row]
        path = _arrays_file(self.folder, level)
        place = (level, frame.start)
        if place not in self._blocks:
            self._blocks[place] = read_block(path, frame)
            while len(self._blocks) > _CACHED:
                self._blocks.popitem(last=False)
        self._blocks.move_to_end(place)
        with _naming_fields(path):
            return decoded_arrays(frame.described, self._blocks[place], row)


def _painting(value: Any) -> NDArray[np.float64]:
    try:
        array = np.array(value, np.float64)
    except (TypeError, ValueError) as error:
        raise FieldError("paintings holds something that is no number") from error
    if array.ndim != 2 or not np.isfinite(array).all():
        raise FieldError("paintings holds something that is no table of numbers")
    array.setflags(write=False)
    return array


@contextlib.contextmanager
def _naming_fields(path: Path) -> Iterator[None]:
    try:
        yield
    except FieldError as error:
        raise FileFormatError(f"The recorded run is damaged ({error}): {path}") from error
