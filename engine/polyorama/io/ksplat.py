"""The .ksplat files of GaussianSplats3D, read in all three compression modes."""

from __future__ import annotations

import logging
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.limits import (
    positive_scales,
    read_bytes,
    unit_quaternions,
    warn_of_negative_scales,
)
from polyorama.io.precision import Precision
from polyorama.scene.splats import SplatCloud, concatenate, sh_from_colors

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["precision", "read"]

log = logging.getLogger(__name__)

_HEADER_BYTES = 4096
_SECTION_HEADER_BYTES = 1024
_DEFAULT_SH_RANGE = 1.5
_DEFAULT_QUANTISATION = 32767
_COEFFICIENTS = (1, 4, 9, 16)


@dataclass(frozen=True, slots=True)
class _Section:
    """A section's header; sizes in bytes, `start` its place in the file."""

    start: int
    count: int
    capacity: int
    bucket_capacity: int
    buckets: int
    block_size: float
    bucket_bytes: int
    quantisation: int
    full_buckets: int
    partial_buckets: int
    degree: int
    mode: int

    @property
    def splat_type(self) -> np.dtype[np.void]:
        """One stored splat; the names are those of `_decode`."""
        real = "<f4" if self.mode == 0 else "<f2"
        harmonic = ("<f4", "<f2", "u1")[self.mode]
        return np.dtype(
            [
                ("mean", "<f4" if self.mode == 0 else "<u2", 3),
                ("scale", real, 3),
                ("quat", real, 4),
                ("color", "u1", 4),
                ("sh", harmonic, 3 * (_COEFFICIENTS[self.degree] - 1)),
            ]
        )

    @property
    def splats_start(self) -> int:
        """Where the splats begin in the file."""
        return self.start + 4 * self.partial_buckets + self.bucket_bytes * self.buckets

    @property
    def end(self) -> int:
        """Where the section ends: room is kept for `capacity` splats."""
        return self.splats_start + self.splat_type.itemsize * self.capacity


def read(path: str | os.PathLike[str]) -> SplatCloud:
    """Read a .ksplat file, all its sections in order.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of an unknown version, or holds no splats.
    """
    data = read_bytes(path)
    total, sh_range, sections = _parse_header(data, path)
    clouds = [_decode(section, data, sh_range, path) for section in sections]
    if not clouds:
        raise FileFormatError(f"There are no splats in this file: {path}")
    cloud, negative = positive_scales(concatenate(clouds))
    warn_of_negative_scales(negative, path)
    if len(cloud) != total:
        log.warning(
            "The header promises %d splats, the sections hold %d in %s", total, len(cloud), path
        )
    return cloud


def precision(path: str | os.PathLike[str]) -> Precision:
    """How finely a .ksplat file holds its numbers: by its mode, float32, float16 or bytes.

    Raises
    ------
    FileFormatError
        As `read`.
    """
    _, (low, high), sections = _parse_header(read_bytes(path), path)
    parts = list(sections)
    byte = 0.5 / 255
    if all(section.mode == 0 for section in parts):
        return Precision(0.0, 1e-6, 1e-4, byte, byte, {1: 0.0, 2: 0.0, 3: 0.0})
    position = max(section.block_size / 4 / section.quantisation for section in parts)
    # Half a unit in the last of float16's 11 binary places; that of rotations was measured.
    half = 2.0**-11
    rest = (high - low) * byte if parts[0].mode == 2 else half * max(abs(low), abs(high))
    return Precision(position, half, 0.05, byte, byte, dict.fromkeys((1, 2, 3), rest))


def _parse_header(
    data: bytes, path: str | os.PathLike[str]
) -> tuple[int, tuple[float, float], Iterator[_Section]]:
    """The number of splats, the range of harmonics, and the sections that hold splats."""
    if len(data) < _HEADER_BYTES:
        raise FileFormatError(f"The .ksplat file is truncated in its header: {path}")
    major, minor = data[0], data[1]
    if major != 0 or minor < 1:
        raise FileFormatError(f"Version {major}.{minor} of .ksplat is not known (0.1 is): {path}")
    headers, sections, _, total, mode = struct.unpack_from("<IIIIH", data, 4)
    low, high = struct.unpack_from("<ff", data, 36)
    if mode > 2:
        raise FileFormatError(f"Compression mode {mode} of .ksplat is not known: {path}")
    if not (np.isfinite(low) and np.isfinite(high)):
        raise FileFormatError(f"The range of spherical harmonics is not finite: {path}")
    if sections > headers or _HEADER_BYTES + _SECTION_HEADER_BYTES * headers > len(data):
        raise FileFormatError(f"The .ksplat file is too short for its {headers} sections: {path}")
    sh_range = (low or -_DEFAULT_SH_RANGE, high or _DEFAULT_SH_RANGE)
    # Some writers leave the number of sections in use at 0.
    return total, sh_range, _sections(data, headers, sections or headers, mode, path)


def _sections(
    data: bytes, headers: int, sections: int, mode: int, path: str | os.PathLike[str]
) -> Iterator[_Section]:
    """The sections that hold splats, each checked against the file's size."""
    start = _HEADER_BYTES + _SECTION_HEADER_BYTES * headers
    for index in range(sections):
        fields = struct.unpack_from(
            "<IIIIfH2xIIIIH", data, _HEADER_BYTES + _SECTION_HEADER_BYTES * index
        )
        count, capacity, bucket_capacity, buckets, block_size = fields[:5]
        bucket_bytes, quantisation, _, full, partial, degree = fields[5:]
        name = f"Section {index + 1} of the .ksplat file"
        if degree > 3:
            raise FileFormatError(f"{name} has an impossible SH degree of {degree}: {path}")
        if not np.isfinite(block_size):
            raise FileFormatError(f"{name} has a block size that is not finite: {path}")
        section = _Section(
            start, count, max(count, capacity), bucket_capacity, buckets, block_size,
            bucket_bytes, quantisation or _DEFAULT_QUANTISATION, full, partial, degree, mode,
        )  # fmt: skip
        start = section.end
        if count == 0:
            continue
        # A file may end after its last splat, without the room kept for more.
        if section.splats_start + section.splat_type.itemsize * count > len(data):
            raise FileFormatError(f"{name} is truncated: {path}")
        if mode > 0 and (bucket_bytes < 12 or full + partial > buckets):
            raise FileFormatError(f"{name} has an impossible table of buckets: {path}")
        yield section


def _decode(
    section: _Section,
    data: bytes,
    sh_range: tuple[float, float],
    path: str | os.PathLike[str],
) -> SplatCloud:
    count = section.count
    records = np.frombuffer(data, section.splat_type, count, section.splats_start)
    with np.errstate(all="ignore"):
        means = records["mean"].astype(np.float32)
        if section.mode > 0:
            step = section.block_size / 2 / section.quantisation
            means = (means - section.quantisation) * np.float32(step)
            means += _bucket_centres(section, data, path)
        sh = np.empty((count, _COEFFICIENTS[section.degree], 3), np.float32)
        sh[:, 0] = sh_from_colors(records["color"][:, :3] / np.float32(255))
        coded = records["sh"].astype(np.float32)
        if section.mode == 2:
            low, high = sh_range
            coded = low + coded * np.float32(1 / 255) * (high - low)
        for band in range(1, section.degree + 1):
            # A band is stored as all its reds, then its greens, then its blues.
            block = slice(band * band, (band + 1) ** 2)
            at = 3 * (band * band - 1)
            stored = coded[:, at : at + 3 * (2 * band + 1)].reshape(count, 3, 2 * band + 1)
            sh[:, block] = stored.transpose(0, 2, 1)
        return SplatCloud(
            means=means,
            quats=unit_quaternions(records["quat"].astype(np.float32)),
            scales=records["scale"].astype(np.float32),
            opacities=np.asarray(records["color"][:, 3] / np.float32(255), np.float32),
            sh=sh,
        )


def _bucket_centres(
    section: _Section, data: bytes, path: str | os.PathLike[str]
) -> NDArray[np.float32]:
    """(N, 3) float32, the centre of each splat's bucket.

    Full buckets come first; the sizes of the others are listed before the centres.
    """
    sizes = np.frombuffer(data, "<u4", section.partial_buckets, section.start).astype(np.int64)
    in_full = min(section.full_buckets * section.bucket_capacity, section.count)
    # Sizes are clamped first, so that hostile ones cannot ask for more rows than there are splats.
    listed = np.minimum(sizes, section.count)
    if in_full + int(listed.sum()) < section.count:
        raise FileFormatError(f"The buckets of the .ksplat file miss some of its splats: {path}")
    edges = np.minimum(np.cumsum(listed), section.count - in_full)
    places = np.arange(section.count - in_full)
    bucket = np.empty(section.count, np.int64)
    bucket[:in_full] = np.arange(in_full) // max(section.bucket_capacity, 1)
    bucket[in_full:] = section.full_buckets + np.searchsorted(edges, places, side="right")
    table = np.frombuffer(
        data, np.uint8, section.bucket_bytes * section.buckets, section.start + 4 * len(sizes)
    ).reshape(section.buckets, section.bucket_bytes)
    centres = np.ascontiguousarray(table[:, :12]).view("<f4")
    return np.asarray(centres[bucket], np.float32)
