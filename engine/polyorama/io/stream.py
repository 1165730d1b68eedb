"""Splat files in pieces, so that a file larger than memory can be converted.

    with open_sink("small.ply") as sink:
        for cloud in open_source("huge.ply").chunks():
            sink.write(cloud.subset(cloud.opacities > 0.05))

3DGS PLY and .splat are truly read and written in pieces. Every other format goes through the same
calls, but is held in memory as a whole; `streams` tells which.
"""

from __future__ import annotations

import contextlib
import importlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from polyorama.errors import OutputError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.io.formats import detect_to_read, find_format, read_splats, write_splats
from polyorama.io.pieces import PIECE, Tags, piece_ranges
from polyorama.scene.splats import concatenate

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from polyorama.scene.splats import SplatCloud, SplatModel

__all__ = ["CHUNK", "SplatSink", "SplatSource", "open_sink", "open_source", "streams"]

CHUNK = PIECE
"""Splats a piece, where nothing else is asked for."""


class SplatSource(Protocol):
    """A splat file that is open for reading in pieces."""

    @property
    def count(self) -> int:
        """Splats in the file."""

    @property
    def sh_degree(self) -> int:
        """Degree of the clouds that `chunks` gives, 0 to 3."""

    @property
    def model(self) -> SplatModel:
        """How the cloud must be drawn."""

    @property
    def up(self) -> tuple[float, float, float] | None:
        """World direction that is up, where the file says it."""

    @property
    def comments(self) -> tuple[str, ...]:
        """Lines of text in the file."""

    def chunks(self, size: int = CHUNK) -> Iterator[SplatCloud]:
        """Clouds of `size` splats in file order (the last one may be shorter); may be repeated.

        Raises
        ------
        FileFormatError
            If the file turns out to be damaged or cannot be read.
        """


class SplatSink(Protocol):
    """A splat file that is being written in pieces."""

    @property
    def count(self) -> int:
        """Splats written so far."""

    def write(self, cloud: SplatCloud) -> None:
        """Append a cloud; an empty one is allowed.

        Raises
        ------
        OutputError
            If the system refuses, for instance because the disk is full.
        """


def streams(path: str | os.PathLike[str]) -> bool:
    """Whether the format that this name belongs to is read and written in bounded memory."""
    entry = find_format(path)
    return entry is not None and entry.streams


def open_source(path: str | os.PathLike[str]) -> SplatSource:
    """Open any splat file for reading in pieces; its kind is told as by `read_splats`.

    Only the header is read now. A format that cannot be read in pieces is read as a whole.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of no known kind, or holds no splats.
    """
    entry = detect_to_read(path)
    if entry.streams:
        module = importlib.import_module(entry.module)
        return module.Source(Path(path))  # type: ignore[no-any-return]
    return _WholeSource(read_splats(path))


@contextlib.contextmanager
def open_sink(
    path: str | os.PathLike[str],
    *,
    sh_degree: int | None = None,
    model: SplatModel | None = None,
    up: tuple[float, float, float] | None = None,
    comments: tuple[str, ...] | None = None,
    **options: Any,
) -> Iterator[SplatSink]:
    """Write a splat file in pieces; it appears under its name only when the block ends well.

    Parameters
    ----------
    path
        The target; its ending names the format.
    sh_degree, model, up, comments
        What the file says about all pieces; where None, the first piece decides. Pieces of
        another degree are padded or cut.
    **options
        Passed on to the writer of a format that is written as a whole.

    Raises
    ------
    OutputError
        If the ending is unknown or cannot be written, nothing was written, or the system refuses.
    UsageError
        If the degree is not 0 to 3.
    """
    entry = find_format(path)
    tags = Tags(sh_degree, model, up, comments)
    if sh_degree not in (None, 0, 1, 2, 3):
        raise UsageError(f"An SH degree of {sh_degree} is not 0 to 3.")
    if entry is None or not entry.streams:
        pieces = _WholeSink()
        yield pieces
        write_splats(pieces.joined(path, tags), path, **options)
        return
    if options:
        raise UsageError(f"{entry.name} takes no option {', '.join(options)} when streamed.")
    module = importlib.import_module(entry.module)
    with atomic_write(path) as temporary:
        sink = module.Sink(temporary, tags)
        yield sink
        if sink.count == 0:
            raise OutputError(f"There are no splats to write: {path}")
        sink.finish()


class _WholeSource:
    """A cloud in memory, handed out in slices."""

    def __init__(self, cloud: SplatCloud) -> None:
        self._cloud = cloud
        self.count = len(cloud)
        self.sh_degree = cloud.sh_degree
        self.model = cloud.model
        self.up = cloud.up
        self.comments = cloud.comments

    def chunks(self, size: int = CHUNK) -> Iterator[SplatCloud]:
        """Slices of `size` splats in order."""
        for start, count in piece_ranges(self.count, size):
            yield self._cloud.subset(slice(start, start + count))


class _WholeSink:
    """Collects pieces until the block ends."""

    def __init__(self) -> None:
        self._pieces: list[SplatCloud] = []

    @property
    def count(self) -> int:
        """Splats collected so far."""
        return sum(map(len, self._pieces))

    def write(self, cloud: SplatCloud) -> None:
        """Keep a piece for later."""
        if len(cloud):
            self._pieces.append(cloud)

    def joined(self, path: str | os.PathLike[str], tags: Tags) -> SplatCloud:
        """All pieces as one cloud with the file's tags."""
        if not self._pieces:
            raise OutputError(f"There are no splats to write: {path}")
        degree, model, up, comments = tags.completed(self._pieces[0])
        cloud = concatenate(self._pieces).with_sh_degree(degree)
        return replace(cloud, model=model, up=up, comments=comments)
