"""Convert: read, merge, edit and write splat files, in pieces where that is possible."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from polyorama.core.arguments import check_path, said
from polyorama.core.jobs import Progress, run
from polyorama.edit.actions import LocalAction, apply
from polyorama.errors import OutputError, UsageError
from polyorama.io.atomic import check_target
from polyorama.io.formats import PROJECT_ENDING, detect_format, format_to_write, write_splats
from polyorama.io.project import write_project
from polyorama.io.stream import CHUNK, open_sink, open_source, streams
from polyorama.scene.document import Document
from polyorama.scene.splats import concatenate
from polyorama.scene.subject import splat_count
from polyorama.verbs.open import kind_of, open_document, read_cloud, title_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polyorama.core.jobs import Job
    from polyorama.edit.actions import Action
    from polyorama.io.stream import SplatSource
    from polyorama.scene.splats import SplatCloud

__all__ = ["Conversion", "convert", "convert_job", "stored_bytes"]

_SAMPLE = 200_000


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion did.

    Parameters
    ----------
    output
        The file written.
    read, written
        Splats in and out.
    bytes_read, bytes_written
        Sizes of the files.
    streamed
        Whether it went piece by piece in bounded memory.
    """

    output: Path
    read: int
    written: int
    bytes_read: int
    bytes_written: int
    streamed: bool


def convert(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    actions: Sequence[Action] = (),
    *,
    overwrite: bool = True,
    spz_version: int | None = None,
    surfels: int = 100_000,
) -> Conversion:
    """Convert files and wait for it; see `convert_job`. `inputs` may be a single path."""
    if not isinstance(inputs, str | Path | Iterable):
        raise UsageError(f"The argument 'inputs' must be a path or several, not {said(inputs)}.")
    paths = [inputs] if isinstance(inputs, str | Path) else list(cast("Any", inputs))
    return run(
        convert_job(
            paths, output, actions, overwrite=overwrite, spz_version=spz_version, surfels=surfels
        )
    )


def convert_job(
    inputs: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    actions: Sequence[Action] = (),
    *,
    overwrite: bool = True,
    spz_version: int | None = None,
    surfels: int = 100_000,
) -> Job[Conversion]:
    """Read files, join them, carry out actions in order, and write one file; as a job.

    Where all actions are local and the formats allow it (PLY and .splat), the files go through in
    pieces, so that they may be larger than memory. The output appears, whole, only at the end; it
    may be one of the inputs.

    Parameters
    ----------
    inputs
        Files to read; several are joined in order, with the highest SH degree among them. Of a
        project all that is visible counts, in world space; a mesh becomes surfels.
    output
        File to write; its ending names the format. A project (.poly) keeps the nodes of its inputs
        where there are no actions, else it has one node, which is the result.
    actions
        What to do; see `polyorama.edit.actions`.
    overwrite
        Whether an output that exists is replaced.
    spz_version
        3 or 4, for an output that ends in .spz.
    surfels
        How many Gaussians each mesh becomes.

    Raises
    ------
    FileFormatError
        If an input cannot be read.
    OutputError
        If the output exists and must not be replaced, cannot be written, or nothing is left.
    UsageError
        If there is no input, or the options contradict the output.
    """
    check_path(output, "output")
    for action in actions:
        if not callable(getattr(action, "run", None)):
            raise UsageError(
                f"The argument 'actions' must hold edits of polyorama.edit.actions, not "
                f"{said(action)}."
            )
    if not inputs:
        raise UsageError("There is nothing to convert; name at least one input file.")
    if os.fspath(output).endswith(("/", os.sep)):
        raise OutputError(
            f"This names a folder; leave the slash out, or end in meta.json for a folder of SOG's "
            f"files: {output}"
        )
    if not os.fspath(output):
        check_target(output)  # says that it has no name
    target = Path(output)
    options = _options(target, spz_version)
    if target.name.lower() != "meta.json":  # its folder is made
        check_target(target)
    if not overwrite and target.exists():
        raise OutputError(f"The file exists already and was not replaced: {target}")
    bytes_read = sum(stored_bytes(path) for path in inputs)
    if _is_project(target) and not actions:
        count = yield from _project(inputs, target, surfels)
        return Conversion(target, count, count, bytes_read, stored_bytes(target), False)
    local = [action for action in actions if isinstance(action, LocalAction)]
    streamed = len(local) == len(actions) and streams(target)
    # Projects and meshes are not read in pieces.
    streamed = streamed and all(kind_of(path) == "splats" for path in inputs)
    streamed = streamed and any(detect_format(path).streams for path in inputs)
    if streamed:
        read, written = yield from _in_pieces(inputs, target, local)
    else:
        read, written = yield from _whole(inputs, target, actions, options, surfels)
    return Conversion(target, read, written, bytes_read, stored_bytes(target), streamed)


def _is_project(target: Path) -> bool:
    return target.suffix.lower() == PROJECT_ENDING


def _options(target: Path, spz_version: int | None) -> dict[str, Any]:
    entry = None if _is_project(target) else format_to_write(target)
    if spz_version is None:
        return {}
    if entry is None or entry.name != "spz":
        raise UsageError(f"An spz version was given, but the output is no .spz file: {target}")
    if spz_version not in (3, 4):
        raise UsageError(f"spz files are written as version 3 or 4, not {spz_version}.")
    return {"version": spz_version}


def stored_bytes(path: str | os.PathLike[str]) -> int:
    """Bytes of a file with those that it names, or of a SOG or project folder; 0 for none."""
    where = Path(path)
    if where.is_dir():
        return sum(entry.stat().st_size for entry in where.rglob("*") if entry.is_file())
    if where.name.lower() == "meta.json":
        return sum(entry.stat().st_size for entry in where.parent.iterdir() if entry.is_file())
    beside = [where.with_suffix(".bin")] if where.suffix.lower() == ".gltf" else []
    return sum(entry.stat().st_size for entry in (where, *beside) if entry.exists())


def _whole(
    inputs: Sequence[str | os.PathLike[str]],
    target: Path,
    actions: Sequence[Action],
    options: dict[str, Any],
    surfels: int,
) -> Job[tuple[int, int]]:
    clouds: list[SplatCloud] = []
    for number, path in enumerate(inputs):
        yield Progress(number, len(inputs), f"Reading {Path(path).name}")
        clouds.append(read_cloud(path, surfels=surfels))
    cloud = concatenate(clouds)
    read = len(cloud)
    clouds.clear()  # the joined cloud must be the only one left in memory
    cloud = yield from apply(cloud, tuple(actions))
    if len(cloud) == 0:
        raise OutputError(f"Nothing is left to write after these steps: {target}")
    yield Progress(0, 0, f"Writing {target.name}")
    if _is_project(target):
        write_project(Document.of([cloud], [title_of(target)]), target)
    else:
        write_splats(cloud, target, **options)
    return read, len(cloud)


def _project(inputs: Sequence[str | os.PathLike[str]], target: Path, surfels: int) -> Job[int]:
    """Write a project with a node for each input, or the nodes of a project; returns its splats."""
    yield Progress(0, 0, "Reading")
    document = open_document(*inputs, surfels=surfels)
    yield Progress(0, 0, f"Writing {target.name}")
    write_project(document, target)
    return splat_count(document.nodes)


def _in_pieces(
    inputs: Sequence[str | os.PathLike[str]], target: Path, actions: Sequence[LocalAction]
) -> Job[tuple[int, int]]:
    merged = _Merged([open_source(path) for path in inputs])
    note = f"Writing {target.name}"
    if any(action.needs_sample for action in actions):
        actions = yield from _bound(merged, actions)
    seen = [0] * len(actions)
    read = written = 0
    yield Progress(0, merged.count, note)
    with open_sink(target) as sink:
        for piece in merged.pieces():
            cloud = piece
            read += len(cloud)
            for at, action in enumerate(actions):
                first, seen[at] = seen[at], seen[at] + len(cloud)
                if len(cloud):
                    cloud = action.piece(cloud, first)
            if len(cloud):
                sink.write(cloud)
                written += len(cloud)
            yield Progress(read, merged.count, note)
        if written == 0:
            raise OutputError(f"Nothing is left to write after these steps: {target}")
    return read, written


def _bound(merged: _Merged, actions: Sequence[LocalAction]) -> Job[list[LocalAction]]:
    """Let each action learn from an even sample of what will reach it."""
    step = max(1, merged.count // _SAMPLE)
    picked: list[SplatCloud] = []
    read = offset = 0
    for piece in merged.pieces():
        picked.append(piece.subset(slice(offset, None, step)))
        offset = (offset - len(piece)) % step
        read += len(piece)
        yield Progress(read, merged.count, "Looking through the file")
    sample = concatenate(picked)
    bound: list[LocalAction] = []
    for action in actions:
        action = action.bind(sample)
        bound.append(action)
        sample = action.piece(sample, 0)
    return bound


class _Merged:
    """Several open files as one, with the tags and columns that they share."""

    def __init__(self, sources: Sequence[SplatSource]) -> None:
        self._sources = sources
        self.count = sum(source.count for source in sources)
        self._degree = max(source.sh_degree for source in sources)
        models = {source.model for source in sources}
        ups = {source.up for source in sources}
        self._model = models.pop() if len(models) == 1 else "default"
        self._up = ups.pop() if len(ups) == 1 else None
        self._shared: set[str] | None = None
        if len(sources) > 1:
            columns = [set(next(iter(source.chunks(1))).extras) for source in sources]
            self._shared = set.intersection(*columns)

    def pieces(self) -> Iterator[SplatCloud]:
        """All splats in order, in pieces."""
        for source in self._sources:
            for piece in source.chunks(CHUNK):
                if self._shared is None:
                    yield piece
                    continue
                extras = {n: c for n, c in piece.extras.items() if n in self._shared}
                tagged = replace(piece, model=self._model, up=self._up, extras=extras, comments=())
                yield tagged.with_sh_degree(self._degree)
