"""Vertices and faces of OBJ files in the order in which they stand, which shapes rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.face.rigs.building import MAX_VERTICES
from polyorama.io.limits import read_bytes
from polyorama.io.mesh_parts import fan

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["obj_faces", "obj_groups", "obj_vertices"]

_MAX_FILE = 64 << 20


def obj_vertices(path: Path) -> NDArray[np.float32]:
    """(V, 3) float32 positions, every `v` line of the file.

    Raises
    ------
    FileFormatError
        If it cannot be read, is too large, or has none.
    """
    lines = [line for line in read_bytes(path, _MAX_FILE).splitlines() if line[:2] == b"v "]
    if len(lines) > MAX_VERTICES:
        raise FileFormatError(f"The OBJ file has {len(lines):,} vertices, too many: {path}")
    try:
        rows = np.array([line.split()[1:4] for line in lines], np.float64)
    except ValueError as error:
        raise FileFormatError(f"A vertex of the OBJ file cannot be understood: {path}") from error
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.isfinite(rows).all():
        raise FileFormatError(f"The OBJ file has no vertices of three finite numbers: {path}")
    return rows.astype(np.float32)


def obj_faces(path: Path, count: int, groups: Collection[str] | None = None) -> NDArray[np.int64]:
    """(T, 3) triangles of a file's faces, all or those of some groups.

    Raises
    ------
    FileFormatError
        If a face names a vertex beyond `count`, or there is none.
    """
    faces = obj_groups(path, count)
    chosen = [part for name, part in faces.items() if groups is None or name in groups]
    if not chosen:
        raise FileFormatError(f"The OBJ file has no faces that are looked for: {path}")
    return np.concatenate(chosen)


def obj_groups(path: Path, count: int) -> dict[str, NDArray[np.int64]]:
    """(T, 3) triangles by the name of their group; faces before any group are of "".

    Raises
    ------
    FileFormatError
        If a face names a vertex that is not there.
    """
    corners: dict[str, list[int]] = {}
    sizes: dict[str, list[int]] = {}
    group = ""
    for line in read_bytes(path, _MAX_FILE).splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == b"g":
            group = b" ".join(words[1:]).decode("utf-8", "replace")
        elif words[0] == b"f":
            try:
                face = [int(word.partition(b"/")[0]) for word in words[1:]]
            except ValueError as error:
                raise FileFormatError(f"A face of the OBJ file is damaged: {path}") from error
            corners.setdefault(group, []).extend(n - 1 if n > 0 else count + n for n in face)
            sizes.setdefault(group, []).append(len(face))
    found = {}
    for name, ids in corners.items():
        flat = np.array(ids, np.int64)
        if len(flat) and not (flat.min() >= 0 and flat.max() < count):
            raise FileFormatError(f"A face of the OBJ file names a missing vertex: {path}")
        picks, _ = fan(np.array(sizes[name], np.int64))
        found[name] = flat[picks]
    return found
