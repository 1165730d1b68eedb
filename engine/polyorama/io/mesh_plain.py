"""Meshes without materials: STL (binary and ascii) and OFF."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.mesh_parts import Part, fan

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_parts"]


def read_parts(source: Path, notes: list[str] | None = None) -> list[Part]:
    """The triangles of an STL file or the faces of an OFF file.

    `notes` is for formats with materials; here is nothing that could be left out.

    Raises
    ------
    FileFormatError
        If the file is damaged.
    """
    data = source.read_bytes()
    return [_stl(data, source) if source.suffix.lower() == ".stl" else _off(data, source)]


def _stl(data: bytes, source: Path) -> Part:
    if len(data) >= 84:
        count = int(np.frombuffer(data, "<u4", 1, 80)[0])
        # Some binary files begin with "solid" too; their length tells.
        if len(data) == 84 + 50 * count or data[:5].lower() != b"solid":
            if len(data) < 84 + 50 * count:
                raise FileFormatError(
                    f"The STL file promises {count:,} triangles, but ends after "
                    f"{(len(data) - 84) // 50:,}; export or download it again: {source}"
                )
            row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
            corners = np.frombuffer(data, row, count, 84)["corners"].reshape(-1, 3)
            return _welded(corners.astype(np.float32))
    words = re.findall(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", data)
    if not data[:5].lower() == b"solid" or not words or len(words) % 3:
        raise FileFormatError(f"This is not an STL file, or it is damaged: {source}")
    try:
        return _welded(np.array(words, np.float64).astype(np.float32))
    except ValueError as error:
        raise FileFormatError(f"The STL file has a corner that is no number: {source}") from error


def _welded(corners: NDArray[np.float32]) -> Part:
    """Triangles whose equal corners are one vertex."""
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return Part(vertices, index.reshape(-1, 3))


def _off(data: bytes, source: Path) -> Part:
    damaged = FileFormatError(
        f"The OFF file is damaged (it holds less than its header promises): {source}"
    )
    text = re.sub(rb"#[^\n]*", b"", data)
    head = re.match(rb"\s*(ST)?(C)?(N)?(4)?OFF(?![A-Za-z])", text)
    if head is None or head.group(4) or re.match(rb"\s*BINARY", text[head.end() :]):
        raise FileFormatError(f"This is not an OFF file in text form: {source}")
    lines = [line for line in text[head.end() :].splitlines() if line.strip()]
    try:
        vertex_count, face_count = (int(word) for word in lines[0].split()[:2])
        if vertex_count < 0 or face_count < 0 or vertex_count + face_count >= len(lines):
            raise damaged
        rows = [line.split() for line in lines[1 : 1 + vertex_count]]
        vertices = np.array([row[:3] for row in rows], np.float64).reshape(-1, 3)
        colors = None
        if head.group(2) and rows and len(rows[0]) >= 6:
            # Texture coordinates come last, normals and colours before them.
            first = 6 if head.group(3) else 3
            colors = np.array([row[first : first + 3] for row in rows], np.float64)
            if colors.max() > 1.0 or not any(b"." in word for word in rows[0][first : first + 3]):
                colors = colors / 255.0
        sizes = np.zeros(face_count, np.int64)
        corners: list[int] = []
        for face in range(face_count):
            words = lines[1 + vertex_count + face].split()
            sizes[face] = int(words[0])
            listed = words[1 : 1 + sizes[face]]
            if len(listed) != sizes[face]:
                raise damaged
            corners.extend(map(int, listed))
    except (ValueError, IndexError, OverflowError) as error:
        raise damaged from error
    picks, _ = fan(sizes)
    return Part(
        vertices.astype(np.float32),
        np.array(corners, np.int64)[picks] if len(picks) else np.zeros((0, 3), np.int64),
        None if colors is None else colors.astype(np.float32),
    )
