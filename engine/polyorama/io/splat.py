"""The .splat format: 32 bytes a splat, no header, no spherical harmonics.

A record is position and linear scale (three float32 each), red, green, blue and opacity (a byte
each), and the quaternion w, x, y, z as bytes q * 128 + 128.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for
from polyorama.errors import FileFormatError, OutputError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, read_into, reading, write_all
from polyorama.io.limits import positive_scales, warn_of_negative_scales
from polyorama.io.pieces import PIECE, Tags, piece_ranges
from polyorama.io.precision import Precision
from polyorama.scene.splats import SH_C0, SplatCloud, SplatModel, sh_from_colors

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["RECORD_BYTES", "Sink", "Source", "precision", "read", "write"]

_log = logging.getLogger(__name__)

RECORD_BYTES = 32
_BLOCK = 1 << 15
"""Records that are read or written at a time: 1 MiB."""

_DC_OF_BYTE = sh_from_colors(np.arange(256) / 255.0)


def read(path: str | os.PathLike[str]) -> SplatCloud:
    """Read a .splat file. Quaternions are normalised; all-zero ones stay zero.

    Negative scales lose their sign, which is logged as a warning.

    Raises
    ------
    FileFormatError
        If the file is missing, empty, cannot be read, or is no whole number of records.
    """
    source = Source(path)
    return next(source.chunks(source.count))


def precision(_path: str | os.PathLike[str]) -> Precision:
    """How finely a .splat file holds its numbers; that of rotations was measured."""
    return Precision(0.0, 1e-6, 0.87, 0.5 / 255, 0.5 / 255)


def write(cloud: SplatCloud, path: str | os.PathLike[str]) -> None:
    """Write a .splat file, most important splats first, so that viewers can show any beginning.

    Colours and opacities are rounded to 8 bits and clamped to 0..1. Splats with NaN or infinite
    values are left out, and what the format cannot hold is lost; both are logged as warnings.

    Raises
    ------
    OutputError
        If no splat has finite values, or the system refuses.
    """
    order = cloud.importance_order()
    with atomic_write(path) as temporary:
        sink = Sink(temporary)
        for start in range(0, len(cloud), _BLOCK):
            sink.write(cloud.subset(order[start : start + _BLOCK]))
        if sink.count == 0:
            raise OutputError(f"There is no splat with finite values to write: {path}")
        sink.finish()


class Source:
    """A .splat file that is open for reading in pieces; see `io.stream.SplatSource`.

    Raises
    ------
    FileFormatError
        If the file's size is no multiple of 32 bytes, or it cannot be read.
    """

    sh_degree = 0
    model: SplatModel = "default"
    up: tuple[float, float, float] | None = None
    comments: tuple[str, ...] = ()

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        size = file_size(path)
        self.count, remainder = divmod(size, RECORD_BYTES)
        if remainder:
            raise FileFormatError(
                f"The file has {size:,} bytes, which is no multiple of a .splat record's "
                f"{RECORD_BYTES}; export or download it again: {path}"
            )

    def chunks(self, size: int = PIECE) -> Iterator[SplatCloud]:
        """Clouds of `size` splats in file order."""
        negative = 0
        for start, count in piece_ranges(self.count, size):
            with reading(self._path):
                cloud, found = positive_scales(self._cloud(start, count))
            negative += found
            if start + count == self.count:
                warn_of_negative_scales(negative, self._path)
            yield cloud

    def _cloud(self, first: int, count: int) -> SplatCloud:
        means, scales, dc = (np.empty((count, 3), np.float32) for _ in range(3))
        quats = np.empty((count, 4), np.float32)
        opacities = np.empty(count, np.float32)

        def task(_part: int, start: int, stop: int) -> None:
            buffer = np.empty((min(_BLOCK, stop - start), RECORD_BYTES), np.uint8)
            with self._path.open("rb", buffering=0) as file:
                file.seek((first + start) * RECORD_BYTES)
                for at in range(start, stop, _BLOCK):
                    rows = slice(at, min(at + _BLOCK, stop))
                    data = buffer[: rows.stop - at]
                    read_into(file, data, self._path)
                    _decode(
                        data, data.view(np.float32), _DC_OF_BYTE,
                        means[rows], quats[rows], scales[rows], opacities[rows], dc[rows],
                    )  # fmt: skip

        parallel_for(task, count, 1 if count <= _BLOCK else 2 * core_count())
        return SplatCloud(means, quats, scales, opacities, dc[:, None, :])


class Sink:
    """A .splat file being written in pieces, in the order given; see `io.stream.SplatSink`."""

    def __init__(self, path: Path, tags: Tags | None = None) -> None:
        self.count = 0
        self._path = path
        self._model = tags.model if tags else None
        self._dropped = 0
        self._negative = 0
        self._lost: set[str] = set()

    def write(self, cloud: SplatCloud) -> None:
        """Append a cloud; splats with NaN or infinite values are left out."""
        if cloud.sh_degree > 0:
            self._lost.add("view-dependent colour (SH)")
        if (self._model or cloud.model) != "default":
            self._lost.add(f"the model tag {self._model or cloud.model!r}")
        self._lost.update(f"the column {name!r}" for name in cloud.extras)
        cloud, negative = positive_scales(cloud)
        self._negative += negative
        dc = np.ascontiguousarray(cloud.sh[:, 0])
        with self._path.open("ab", buffering=0) as file:
            for at in range(0, len(cloud), _BLOCK):
                rows = slice(at, at + _BLOCK)
                records = np.empty((len(dc[rows]), RECORD_BYTES), np.uint8)
                kept = _encode(
                    cloud.means[rows], cloud.quats[rows], cloud.scales[rows],
                    cloud.opacities[rows], dc[rows], records, records.view(np.float32),
                )  # fmt: skip
                write_all(file, records[:kept])
                self.count += kept
                self._dropped += len(records) - kept

    def finish(self) -> None:
        """Say what the format could not hold."""
        if self._dropped:
            _log.warning(
                "%s splats with NaN or infinite values were left out.", f"{self._dropped:,}"
            )
        warn_of_negative_scales(self._negative)
        if self._lost:
            _log.warning(".splat files cannot hold %s.", ", ".join(sorted(self._lost)))


@kernel
def _decode(
    records: NDArray[np.uint8],
    floats: NDArray[np.float32],
    dc_of_byte: NDArray[np.float32],
    means: NDArray[np.float32],
    quats: NDArray[np.float32],
    scales: NDArray[np.float32],
    opacities: NDArray[np.float32],
    dc: NDArray[np.float32],
) -> None:
    """Records, seen as bytes (N, 32) and as numbers (N, 8), in natural form."""
    for i in range(records.shape[0]):
        for j in range(3):
            means[i, j] = floats[i, j]
            scales[i, j] = floats[i, 3 + j]
            dc[i, j] = dc_of_byte[records[i, 24 + j]]
        opacities[i] = np.float32(records[i, 27] / 255.0)
        square = 0.0
        for j in range(4):
            value = records[i, 28 + j] - 128.0
            square += value * value
        inverse = 1.0 / np.sqrt(max(square, 1.0))
        for j in range(4):
            quats[i, j] = np.float32((records[i, 28 + j] - 128.0) * inverse)


@kernel
def _encode(
    means: NDArray[np.float32],
    quats: NDArray[np.float32],
    scales: NDArray[np.float32],
    opacities: NDArray[np.float32],
    dc: NDArray[np.float32],
    records: NDArray[np.uint8],
    floats: NDArray[np.float32],
) -> int:
    """Records of the finite rows, packed at the front; returns how many there are."""
    kept = 0
    for i in range(means.shape[0]):
        total = np.float64(opacities[i]) * 0.0
        for j in range(3):
            # Zero times anything infinite is NaN, and NaN spreads through a sum.
            total += means[i, j] * 0.0 + scales[i, j] * 0.0 + dc[i, j] * 0.0
        for j in range(4):
            total += quats[i, j] * 0.0
        if total != 0.0:
            continue
        for j in range(3):
            floats[kept, j] = means[i, j]
            floats[kept, 3 + j] = scales[i, j]
            color = 0.5 + SH_C0 * dc[i, j]
            records[kept, 24 + j] = np.uint8(min(max(color * 255.0 + 0.5, 0.0), 255.0))
        records[kept, 27] = np.uint8(min(max(opacities[i] * 255.0 + 0.5, 0.0), 255.0))
        for j in range(4):
            step = np.floor(quats[i, j] * 128.0 + 128.5)
            records[kept, 28 + j] = np.uint8(min(max(step, 0.0), 255.0))
        kept += 1
    return kept
