"""Takes to and from files, by their endings."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama.core.arguments import check_kind
from polyorama.core.jobs import Progress
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.face.take import Take
from polyorama.io.atomic import check_target
from polyorama.io.files import file_size, named
from polyorama.scene.faces.morphs import MorphRig

if TYPE_CHECKING:
    import os

    from polyorama.core.jobs import Job

__all__ = ["FORMATS", "TakeFormat", "read_take", "take_format", "write_take"]

_HERE = "polyorama.face.exports"


@dataclass(frozen=True, slots=True)
class TakeFormat:
    """One kind of file.

    Parameters
    ----------
    name
        For people.
    endings
        In small letters.
    writer, reader
        ``"module:function"``; no reader where such files hold no take.
    rigged
        Whether a rig is written too.
    holds
        What of a take it keeps, for people.
    """

    name: str
    endings: tuple[str, ...]
    writer: str
    reader: str = ""
    rigged: bool = False
    holds: str = "curves"


FORMATS: tuple[TakeFormat, ...] = (
    TakeFormat("Film", (".mp4", ".m4v", ".mkv", ".mov", ".webm"), f"{_HERE}.film:film_take",
               rigged=True, holds="pictures and sound"),
    TakeFormat("glTF", (".glb", ".gltf"), f"{_HERE}.gltf:write_take_gltf",
               f"{_HERE}.gltf_reading:read_take_gltf", rigged=True,
               holds="the face, curves and phones"),
    TakeFormat("USD", (".usd", ".usda", ".usdc"), f"{_HERE}.usd:write_take_usd",
               f"{_HERE}.usd_reading:read_take_usd", rigged=True,
               holds="the face, curves, phones and sound"),
    TakeFormat("Live Link Face CSV", (".csv",), f"{_HERE}.live_link_csv:write_live_link_csv",
               f"{_HERE}.live_link_csv:read_live_link_csv"),
    TakeFormat("Audio2Face JSON", (".json",), f"{_HERE}.a2f_json:write_a2f_json",
               f"{_HERE}.a2f_json:read_a2f_json", holds="curves, phones and emotion"),
    TakeFormat("TextGrid", (".textgrid",), f"{_HERE}.phone_tiers:write_take_textgrid",
               f"{_HERE}.phone_tiers:read_take_textgrid", holds="phones and words"),
    TakeFormat("Rhubarb mouth cues", (".tsv",), f"{_HERE}.rhubarb:write_rhubarb",
               holds="drawn mouths"),
    TakeFormat("NPZ", (".npz",), f"{_HERE}.npz:write_take_npz", f"{_HERE}.npz:read_take_npz",
               holds="everything"),
)  # fmt: skip
"""Every kind of file that takes become."""


def take_format(path: str | os.PathLike[str]) -> TakeFormat | None:
    """The kind of file that an ending stands for, or None."""
    ending = Path(path).suffix.lower()
    return next((kind for kind in FORMATS if ending in kind.endings), None)


def write_take(
    take: Take, path: str | os.PathLike[str], rig: MorphRig | None = None, **settings: Any
) -> Job[None]:
    """Write a take as what its ending stands for.

    Parameters
    ----------
    take
        What is performed.
    path
        Where to; see `FORMATS`.
    rig
        Who performs it, where the format shows a face.
    settings
        Of films: those of `polyorama.face.exports.film.film_take`.

    Raises
    ------
    OutputError
        If the ending is unknown, the take does not fit in such a file, or the system refuses.
    UsageError
        If a rig is needed and not given, or settings are given to something else than a film.
    UnavailableError
        If a package is missing that writes such files.
    """
    check_kind(take, Take, "take", "a Take")
    check_kind(rig, MorphRig | None, "rig", "a MorphRig")
    kind = take_format(path)
    if kind is None:
        known = ", ".join(ending for each in FORMATS for ending in each.endings)
        raise OutputError(f"Takes cannot be written as such a file (can: {known}): {path}")
    check_target(path)
    if kind.rigged and rig is None:
        raise UsageError(f"{kind.name} shows a face; say which rig: {path}")
    if settings and kind.name != "Film":
        raise UsageError(f"{kind.name} has no setting {next(iter(settings))!r}: {path}")
    write = _function(kind.writer)
    if kind.name == "Film":
        yield from write(take, rig, path, **settings)
        return
    yield Progress(0, 1, f"Writing {kind.name}")
    if kind.rigged:
        write(take, rig, path)
    else:
        write(take, path)
    yield Progress(1, 1, f"Writing {kind.name}")


def read_take(path: str | os.PathLike[str], notes: list[str] | None = None) -> Take:
    """Read a take from a file of any program, by its ending.

    Parameters
    ----------
    path
        The file.
    notes
        Gets a sentence on each thing that was guessed or left out.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or such files hold no take.
    UnavailableError
        If a package is missing that reads such files.
    """
    source = named(path)
    file_size(source)
    kind = take_format(source)
    if kind is None or not kind.reader:
        known = ", ".join(ending for each in FORMATS if each.reader for ending in each.endings)
        held = "" if kind is None else f"; it holds {kind.holds}"
        raise FileFormatError(f"No take can be read from such a file (can: {known}){held}: {path}")
    take: Take
    if kind.name == "NPZ":
        take = _function(kind.reader)(source)
    else:
        take = _function(kind.reader)(source, notes=notes)
    return take


def _function(reference: str) -> Any:
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)
