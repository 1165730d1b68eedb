"""Compressed PLY files: 16 bytes a splat in chunks of 256, plus a byte per SH coefficient.

Positions, log scales and colours are stored as steps between the least and greatest value of their
chunk, so splats are written in Morton order, which keeps chunks small.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for
from polyorama.errors import FileFormatError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, read_into, reading, write_all
from polyorama.io.limits import storable
from polyorama.io.ply_header import (
    HEADER_LIMIT,
    PlyElement,
    PlyHeader,
    comment_lines,
    model_in_comments,
    parse_header,
    rest_columns,
    up_in_comments,
)
from polyorama.io.precision import Precision
from polyorama.scene.morton import morton_order
from polyorama.scene.splats import SH_C0, SplatCloud

if TYPE_CHECKING:
    import io
    import os

    from numpy.typing import NDArray

__all__ = ["CHUNK_ROWS", "precision", "read", "write"]

_log = logging.getLogger(__name__)

CHUNK_ROWS = 256
"""Splats that share the least and greatest values of a chunk."""

LOG_SCALE_LIMIT = 20.0
"""Log scales are written within -20..20."""

SH_LIMIT = 4.0
"""SH coefficients above degree 0 are written within -4..4."""

_BOUNDS = tuple(
    f"{end}_{axis}"
    for group in (("x", "y", "z"), ("scale_x", "scale_y", "scale_z"), ("r", "g", "b"))
    for end in ("min", "max")
    for axis in group
)
"""Columns of a chunk: 6 of position, 6 of log scale, 6 of colour (missing in old files)."""

_PACKED = ("packed_position", "packed_rotation", "packed_scale", "packed_color")


def _sh_of_byte() -> NDArray[np.float32]:
    """(256,) float32: what a byte of SH stands for; the ends are exactly -4 and 4."""
    share = (np.arange(256) + 0.5) / 256.0
    share[0], share[255] = 0.0, 1.0
    return ((share - 0.5) * 2.0 * SH_LIMIT).astype(np.float32)


_SH_OF_BYTE = _sh_of_byte()


def read(path: str | os.PathLike[str]) -> SplatCloud:
    """Read a compressed PLY file, with or without colours in its chunks.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, or its elements do not fit together.
    """
    source = Path(path)
    size = file_size(path)
    with reading(path), source.open("rb", buffering=0) as file:
        header = parse_header(file.read(HEADER_LIMIT), path)
        chunk, vertex, sh = _elements(header, path)
        offsets = [
            header.data_offset(element.name, path, size)
            for element in (chunk, vertex, *([sh] if sh is not None else []))
        ]
        degree, rest = rest_columns(sh.names if sh is not None else (), path)
        if degree > 3:
            _log.warning("SH degree %d is cut to 3, the highest that is drawn: %s", degree, path)
        wanted = [name for row in rest[:15] for name in row]
        bounds = _bounds(_table(file, chunk, offsets[0], path))
        table = _table(file, vertex, offsets[1], path)
        packed = np.stack([table[name].view("<u4") for name in _PACKED], axis=1)
        if sh is not None:
            codes = _table(file, sh, offsets[2], path).view(np.uint8).reshape(vertex.count, -1)
            columns = np.array([sh.names.index(n) if n else 0 for n in wanted], np.int64)
        else:
            codes, columns = np.empty((vertex.count, 0), np.uint8), np.empty(0, np.int64)
        cloud = _unpacked(bounds, packed, codes, columns, [name is None for name in wanted])
    return replace(
        cloud,
        model=model_in_comments(header.comments) or "default",
        up=up_in_comments(header.comments),
        comments=header.comments,
    )


def precision(path: str | os.PathLike[str]) -> Precision:
    """How finely a compressed PLY holds its numbers: by the widest ranges of its chunks.

    That of rotations was measured.

    Raises
    ------
    FileFormatError
        As `read`.
    """
    source = Path(path)
    size = file_size(path)
    with reading(path), source.open("rb", buffering=0) as file:
        header = parse_header(file.read(HEADER_LIMIT), path)
        chunk, _, _ = _elements(header, path)
        bounds = _bounds(_table(file, chunk, header.data_offset(chunk.name, path, size), path))
    # Axis by axis: positions, log scales and colours, each as its lows, then its highs.
    ends = bounds.astype(np.float64).reshape(-1, 3, 2, 3)
    widest = (ends[:, :, 1] - ends[:, :, 0]).max(axis=0)
    half_steps = (widest / [[2047, 1023, 2047], [2047, 1023, 2047], [255, 255, 255]] / 2).max(
        axis=1
    )
    position, log_scale, color = (float(value) for value in half_steps)
    rest = SH_LIMIT / 256.0
    return Precision(
        position, log_scale, 0.24, 0.5 / 255, color, dict.fromkeys((1, 2, 3), rest)
    )  # fmt: skip


def write(cloud: SplatCloud, path: str | os.PathLike[str]) -> None:
    """Write a compressed PLY file, in Morton order.

    Log scales are clamped to -20..20, SH coefficients to -4..4, opacities rounded to 8 bits.
    Splats with NaN or infinite values and extra columns are left out, with a warning.

    Raises
    ------
    OutputError
        If no splat has finite values, or the system refuses.
    """
    cloud = storable(cloud, path)
    count = len(cloud)
    chunks = -(-count // CHUNK_ROWS)
    order = morton_order(cloud.means, run=CHUNK_ROWS)
    bounds = np.empty((chunks, len(_BOUNDS)), np.float32)
    packed = np.empty((count, 4), np.uint32)
    flat = cloud.sh.reshape(count, -1)
    codes = np.empty((count, flat.shape[1] - 3), np.uint8)

    def task(_part: int, start: int, stop: int) -> None:
        _pack(
            start, stop, order, cloud.means, cloud.quats, cloud.scales, cloud.opacities, flat,
            bounds, packed, codes,
        )  # fmt: skip

    parallel_for(task, chunks, 4 * core_count())
    with atomic_write(path) as temporary, temporary.open("wb", buffering=0) as file:
        file.write(_header(cloud, chunks, codes.shape[1]))
        for array in (bounds, packed, codes):
            write_all(file, array)


def _header(cloud: SplatCloud, chunks: int, rest: int) -> bytes:
    lines = [
        "ply",
        "format binary_little_endian 1.0",
        *comment_lines(cloud.model, cloud.up, cloud.comments),
        f"element chunk {chunks}",
        *(f"property float {name}" for name in _BOUNDS),
        f"element vertex {len(cloud)}",
        *(f"property uint {name}" for name in _PACKED),
    ]
    if rest:
        lines.append(f"element sh {len(cloud)}")
        lines.extend(f"property uchar f_rest_{i}" for i in range(rest))
    return "\n".join([*lines, "end_header", ""]).encode()


def _elements(
    header: PlyHeader, path: str | os.PathLike[str]
) -> tuple[PlyElement, PlyElement, PlyElement | None]:
    """The chunk, vertex and sh elements, once it is sure that they fit together."""
    chunk, vertex, sh = (header.element(name) for name in ("chunk", "vertex", "sh"))
    if header.encoding != "binary_little_endian":
        raise FileFormatError(f"A compressed PLY must be binary_little_endian: {path}")
    if chunk is None or vertex is None or chunk.lists or vertex.lists:
        raise FileFormatError(f"The compressed PLY lacks its chunk or vertex element: {path}")
    kinds = dict(zip(chunk.names, chunk.types, strict=True))
    if any(kinds.get(name) != "<f4" for name in _BOUNDS[:12]):
        raise FileFormatError(f"The compressed PLY's chunks lack a bound such as min_x: {path}")
    kinds = dict(zip(vertex.names, vertex.types, strict=True))
    if any(kinds.get(name) not in ("<u4", "<i4") for name in _PACKED):
        raise FileFormatError(f"The compressed PLY's vertices lack a packed column: {path}")
    if sh is not None and not sh.names:
        sh = None
    if vertex.count == 0:
        raise FileFormatError(f"The file holds no splats: {path}")
    if chunk.count != -(-vertex.count // CHUNK_ROWS):
        raise FileFormatError(
            f"The compressed PLY has {chunk.count:,} chunks for {vertex.count:,} splats; export "
            f"it again: {path}"
        )
    if sh is not None and (
        sh.lists or sh.count != vertex.count or any(kind != "<u1" for kind in sh.types)
    ):
        raise FileFormatError(
            f"The compressed PLY's SH rows are not bytes, one row a splat; export it again: {path}"
        )
    return chunk, vertex, sh


def _table(
    file: io.FileIO, element: PlyElement, offset: int, path: str | os.PathLike[str]
) -> NDArray[np.void]:
    rows = np.empty(element.count, element.dtype)
    file.seek(offset)
    read_into(file, rows, path)
    return rows


def _bounds(table: NDArray[np.void]) -> NDArray[np.float32]:
    """(chunks, 18) float32; colours run from 0 to 1 where the file has no bounds for them."""
    bounds = np.empty((len(table), len(_BOUNDS)), np.float32)
    bounds[:, 12:15], bounds[:, 15:18] = 0.0, 1.0
    present = table.dtype.names or ()
    kept = _BOUNDS if all(name in present for name in _BOUNDS) else _BOUNDS[:12]
    for column, name in enumerate(kept):
        bounds[:, column] = table[name]
    return bounds


def _unpacked(
    bounds: NDArray[np.float32],
    packed: NDArray[np.uint32],
    codes: NDArray[np.uint8],
    columns: NDArray[np.int64],
    missing: list[bool],
) -> SplatCloud:
    """The cloud, decoded on all cores; SH columns that the file lacks are zero."""
    count = len(packed)
    means, scales = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
    quats, opacities = np.empty((count, 4), np.float32), np.empty(count, np.float32)
    sh = np.empty((count, 3 + len(columns)), np.float32)

    def task(_part: int, start: int, stop: int) -> None:
        _unpack(
            start, stop, bounds, packed, codes, columns, _SH_OF_BYTE,
            means, quats, scales, opacities, sh,
        )  # fmt: skip

    parallel_for(task, count, 4 * core_count())
    sh[:, 3:][:, missing] = 0.0
    return SplatCloud(means, quats, scales, opacities, sh.reshape(count, -1, 3))


@kernel
def _unpack(
    start: int,
    stop: int,
    bounds: NDArray[np.float32],
    packed: NDArray[np.uint32],
    codes: NDArray[np.uint8],
    columns: NDArray[np.int64],
    sh_of_byte: NDArray[np.float32],
    means: NDArray[np.float32],
    quats: NDArray[np.float32],
    scales: NDArray[np.float32],
    opacities: NDArray[np.float32],
    sh: NDArray[np.float32],
) -> None:
    """Rows `start` to `stop` of a file in natural form."""
    shifts = (21, 11, 0)
    limits = (2047, 1023, 2047)
    for i in range(start, stop):
        bound = bounds[i // CHUNK_ROWS]
        position, rotation = np.int64(packed[i, 0]), np.int64(packed[i, 1])
        scale, color = np.int64(packed[i, 2]), np.int64(packed[i, 3])
        for j in range(3):
            share = ((position >> shifts[j]) & limits[j]) / limits[j]
            means[i, j] = bound[j] * (1.0 - share) + bound[3 + j] * share
            share = ((scale >> shifts[j]) & limits[j]) / limits[j]
            scales[i, j] = np.exp(bound[6 + j] * (1.0 - share) + bound[9 + j] * share)
            share = ((color >> (24 - 8 * j)) & 255) / 255.0
            value = bound[12 + j] * (1.0 - share) + bound[15 + j] * share
            sh[i, j] = (value - 0.5) / SH_C0
        opacities[i] = (color & 255) / 255.0
        largest = rotation >> 30
        square = 0.0
        shift = 20
        for j in range(4):
            if j != largest:
                value = (((rotation >> shift) & 1023) / 1023.0 - 0.5) * np.sqrt(2.0)
                quats[i, j] = value
                square += value * value
                shift -= 10
        quats[i, largest] = np.sqrt(max(0.0, 1.0 - square))
        if square > 1.0:  # more than a unit quaternion allows: keep its direction
            for j in range(4):
                quats[i, j] /= np.sqrt(square)
        for k in range(columns.shape[0]):
            sh[i, 3 + k] = sh_of_byte[codes[i, columns[k]]]


@kernel
def _pack(
    start: int,
    stop: int,
    order: NDArray[np.int32],
    means: NDArray[np.float32],
    quats: NDArray[np.float32],
    scales: NDArray[np.float32],
    opacities: NDArray[np.float32],
    sh: NDArray[np.float32],
    bounds: NDArray[np.float32],
    packed: NDArray[np.uint32],
    codes: NDArray[np.uint8],
) -> None:
    """Chunks `start` to `stop`: their bounds, then their splats."""
    shifts = (21, 11, 0)
    limits = (2047, 1023, 2047)
    bands = sh.shape[1] // 3
    values = np.empty((CHUNK_ROWS, 9), np.float32)
    steps = np.empty(9, np.int64)
    for chunk in range(start, stop):
        first = chunk * CHUNK_ROWS
        rows = min(CHUNK_ROWS, len(order) - first)
        bound = bounds[chunk]
        for n in range(rows):
            i = order[first + n]
            for j in range(3):
                values[n, j] = means[i, j]
                size = np.log(max(np.float64(scales[i, j]), 0.0))
                values[n, 3 + j] = min(max(size, -LOG_SCALE_LIMIT), LOG_SCALE_LIMIT)
                values[n, 6 + j] = 0.5 + SH_C0 * sh[i, j]
        for j in range(9):
            at = 6 * (j // 3) + j % 3
            low = high = values[0, j]
            for n in range(1, rows):
                low = min(low, values[n, j])
                high = max(high, values[n, j])
            bound[at] = low
            bound[at + 3] = high
        for n in range(rows):
            i = order[first + n]
            for j in range(9):
                at = 6 * (j // 3) + j % 3
                low = np.float64(bound[at])
                extent = bound[at + 3] - low
                share = (values[n, j] - low) / extent if extent > 0.0 else 0.0
                limit = 255 if j >= 6 else limits[j % 3]
                steps[j] = np.int64(share * limit + 0.5)
            row = packed[first + n]
            row[0] = (steps[0] << shifts[0]) | (steps[1] << shifts[1]) | steps[2]
            row[1] = _rotation(quats[i])
            row[2] = (steps[3] << shifts[0]) | (steps[4] << shifts[1]) | steps[5]
            alpha = np.int64(min(max(opacities[i] * 255.0 + 0.5, 0.0), 255.0))
            row[3] = (steps[6] << 24) | (steps[7] << 16) | (steps[8] << 8) | alpha
            for k in range(bands - 1):
                for c in range(3):
                    code = (sh[i, 3 * (k + 1) + c] / (2.0 * SH_LIMIT) + 0.5) * 256.0
                    codes[first + n, c * (bands - 1) + k] = np.uint8(min(max(code, 0.0), 255.0))


@kernel
def _rotation(quat: NDArray[np.float32]) -> int:
    """Index of the largest component and the other three; a zero quaternion is the identity."""
    largest = 0
    square = 0.0
    for j in range(4):
        square += np.float64(quat[j]) * quat[j]
        if abs(quat[j]) > abs(quat[largest]):
            largest = j
    if square == 0.0:
        square = 1.0
    # The largest component is stored by its sign alone: make it positive.
    inverse = np.sqrt(0.5 / square) * (-1.0 if quat[largest] < 0.0 else 1.0)
    code = largest
    for j in range(4):
        if j != largest:
            step = (quat[j] * inverse + 0.5) * 1023.0 + 0.5
            code = (code << 10) | int(min(max(step, 0.0), 1023.0))
    return code
