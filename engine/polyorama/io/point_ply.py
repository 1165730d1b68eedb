"""Coloured points from PLY files, as reconstructions write them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.files import file_size, reading
from polyorama.io.limits import FARTHEST
from polyorama.io.ply_header import HEADER_LIMIT, parse_header

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

__all__ = ["read_points"]


def read_points(path: str | os.PathLike[str]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The vertices of a PLY: (P, 3) float32 positions, (P, 3) float32 display RGB 0..1.

    Grey where the file has no colours; rows that are not finite are left out.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, or has no plain vertices with x, y and z.
    """
    source = Path(path)
    size = file_size(source)
    with reading(source), source.open("rb") as file:
        head = file.read(HEADER_LIMIT)
        header = parse_header(head, source)
        vertices = header.element("vertex")
        if vertices is None or not {"x", "y", "z"} <= set(vertices.names):
            raise FileFormatError(f"This PLY has no points with x, y and z: {source}")
        if header.encoding == "ascii":
            file.seek(header.size)
            rows = _ascii(file.read(), header.elements[0].name, vertices.count, source)
            columns = dict(zip(vertices.names, rows.T, strict=False))
        else:
            file.seek(header.data_offset("vertex", source, size))
            table = np.frombuffer(
                file.read(vertices.count * vertices.row_bytes), vertices.dtype, vertices.count
            )
            columns = {name: table[name] for name in vertices.names}
    if not {"x", "y", "z"} <= set(columns):
        raise FileFormatError(f"The PLY's points lack numbers; export it again: {source}")
    points = np.stack([columns[axis].astype(np.float64) for axis in "xyz"], axis=1)
    if {"red", "green", "blue"} <= set(columns):
        shades = np.stack([columns[name] for name in ("red", "green", "blue")], axis=1)
        whole = np.issubdtype(shades.dtype, np.integer) or shades.max(initial=0.0) > 1.0
        colors = shades.astype(np.float64) / (255.0 if whole else 1.0)
    else:
        colors = np.full(points.shape, 0.5)
    # NaN compares as false; what lies beyond all bounds is no point either.
    finite = (np.abs(points) < FARTHEST).all(axis=1) & np.isfinite(colors).all(axis=1)
    return (
        points[finite].astype(np.float32),
        np.clip(colors[finite], 0.0, 1.0).astype(np.float32),
    )


def _ascii(data: bytes, first: str, count: int, source: Path) -> NDArray[np.float64]:
    if first != "vertex":
        raise FileFormatError(f"The PLY does not begin with its points; export it again: {source}")
    if count > len(data):
        raise FileFormatError(f"The PLY's points are damaged; export it again: {source}")
    lines = data.split(b"\n", count)[:count]
    try:
        rows = np.array([line.split() for line in lines], np.float64)
    except ValueError as error:
        raise FileFormatError(f"The PLY's points are damaged; export it again: {source}") from error
    if rows.ndim != 2 or len(rows) != count:
        raise FileFormatError(f"The PLY's points are damaged; export it again: {source}")
    return rows
