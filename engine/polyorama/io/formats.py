"""The table of splat formats: which module reads and writes which file."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama.errors import FileFormatError, OutputError

if TYPE_CHECKING:
    import os

    from polyorama.scene.splats import SplatCloud

__all__ = ["FORMATS", "SplatFormat", "find_format", "read_splats", "write_splats"]


@dataclass(frozen=True, slots=True)
class SplatFormat:
    """One format: its name, file endings (longest first), module, and whether it can be written.

    The module has ``read(path) -> SplatCloud`` and, if `writes`, ``write(cloud, path)``.
    """

    name: str
    endings: tuple[str, ...]
    module: str
    writes: bool = True


FORMATS: tuple[SplatFormat, ...] = (
    SplatFormat("compressed-ply", (".compressed.ply",), "polyorama.io.compressed_ply"),
    SplatFormat("ply", (".ply",), "polyorama.io.ply"),
    SplatFormat("splat", (".splat",), "polyorama.io.splat"),
    SplatFormat("ksplat", (".ksplat",), "polyorama.io.ksplat", writes=False),
    SplatFormat("spz", (".spz",), "polyorama.io.spz"),
    SplatFormat("sog", (".sog", "meta.json"), "polyorama.io.sog"),
    SplatFormat("gltf", (".glb", ".gltf"), "polyorama.io.gltf"),
    SplatFormat("csv", (".csv",), "polyorama.io.csv"),
)
"""Every format, in the order in which endings are tried. CSV can only be written."""


def find_format(path: str | os.PathLike[str]) -> SplatFormat | None:
    """The format that a file's name belongs to, or None."""
    name = Path(path).name.lower()
    for entry in FORMATS:
        if name.endswith(entry.endings):
            return entry
    return None


def read_splats(path: str | os.PathLike[str], **options: Any) -> SplatCloud:
    """Read any splat file; its kind is told by its content first, then by its name.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, or of no known kind.
    """
    source = Path(path)
    if not source.exists():
        raise FileFormatError(f"There is no such file: {source}")
    entry = find_format(source)
    if entry is None:
        known = ", ".join(sorted({e for f in FORMATS if f.name != "csv" for e in f.endings}))
        raise FileFormatError(f"Unknown kind of file (known: {known}): {source}")
    return importlib.import_module(entry.module).read(source, **options)  # type: ignore[no-any-return]


def write_splats(cloud: SplatCloud, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a cloud in the format that the path's ending names.

    Raises
    ------
    OutputError
        If the ending is unknown or cannot be written, or the system refuses.
    """
    entry = find_format(path)
    if entry is None or not entry.writes:
        known = ", ".join(sorted({f.endings[0] for f in FORMATS if f.writes}))
        raise OutputError(f"Cannot write this kind of file (can: {known}): {path}")
    importlib.import_module(entry.module).write(cloud, Path(path), **options)
