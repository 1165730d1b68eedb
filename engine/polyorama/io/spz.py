"""Niantic's .spz: read in versions 1 to 4, written in versions 3 and 4.

Versions 1 to 3 are one gzip stream, version 4 is a clear header and a zstd stream per attribute.
Files hold OpenGL's axes (RUB) unless an extension says otherwise; clouds in memory never do.
"""

from __future__ import annotations

import logging
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

from polyorama.core.compile import core_count, parallel_for
from polyorama.core.text import bytes_of, count_of
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.io.axes import RUB, UP, Flip, position_signs, quaternion_signs, sh_signs, upright
from polyorama.io.limits import check_expansion, read_bytes, storable
from polyorama.io.precision import Precision
from polyorama.io.smallest_three import SQRT_HALF, from_smallest_three, smallest_three
from polyorama.scene.splats import SH_C0, SplatCloud

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

__all__ = ["precision", "read", "write"]

log = logging.getLogger(__name__)

_MAGIC = b"NGSP"
_GZIP_MAGIC = b"\x1f\x8b"
_ANTIALIASED = 1
_EXTENDED = 2
_COEFFICIENTS = (1, 4, 9, 16, 25)
_COLOR_SCALE = 0.15
_MAX_EXTENSION_BYTES = 1 << 20
_ADOBE_SH_QUANTIZATION = 0xADBE0001
_ADOBE_COORDINATES = 0xADBE0003
_ROWS = 1 << 16
_BLOCK = 1 << 20
_ZSTD_LEVEL = 7
_GZIP_LEVEL = 4

# Adobe's numbers for axes; those above 8 exchange y and z, which no known writer does.
_AXES: dict[int, Flip] = {
    0: RUB,
    1: (True, False, True),
    2: (False, False, True),
    3: (True, True, True),
    4: RUB,
    5: (True, False, False),
    6: (False, False, False),
    7: (True, True, False),
    8: (False, True, False),
}


@dataclass(frozen=True, slots=True)
class _Header:
    version: int
    count: int
    degree: int
    fractional_bits: int
    flags: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of positions, alphas, colours, scales, rotations and harmonics."""
        position = 6 if self.version == 1 else 9
        rotation = 4 if self.version >= 3 else 3
        harmonics = 3 * (_COEFFICIENTS[self.degree] - 1)
        return tuple(self.count * size for size in (position, 1, 3, 3, rotation, harmonics))


@dataclass(frozen=True, slots=True)
class _Extensions:
    flip: Flip = RUB
    sh_range: tuple[float, float] = (-1.0, 1.0)


def read(path: str | os.PathLike[str]) -> SplatCloud:
    """Read an .spz file; harmonics of degree 4 are cut to degree 3 with a logged warning.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of an unknown version, or promises more splats than its
        bytes can hold.
    """
    return _decode(*_unpack(path), path)


def precision(path: str | os.PathLike[str]) -> Precision:
    """How finely an .spz file holds its numbers; that of rotations was measured.

    Writers keep 5 bits of the harmonics of degree 1 and 4 of the others, unless an extension says
    otherwise.

    Raises
    ------
    FileFormatError
        As `read`.
    """
    header, extensions, _ = _unpack(path)
    low, high = extensions.sh_range
    rest = {1: 8.0, 2: 16.0, 3: 16.0}
    return Precision(
        position=0.5 * 2.0**-header.fractional_bits if header.version > 1 else None,
        log_scale=1 / 32,
        rotation=0.245 if header.version >= 3 else None,
        opacity=0.5 / 255,
        color=0.5 / 255 * SH_C0 / _COLOR_SCALE,
        # And up to half a step of a byte, since the steps are not symmetric about 0.
        harmonics={n: (step + 1.0) / 512 * (high - low) for n, step in rest.items()},
    )


def _unpack(path: str | os.PathLike[str]) -> tuple[_Header, _Extensions, list[memoryview]]:
    data = read_bytes(path)
    try:
        if data[:2] == _GZIP_MAGIC:
            return _unpack_gzip(data, path)
        if data[:4] == _MAGIC and len(data) >= 8 and data[4] >= 4:
            return _unpack_zstd(data, path)
        if data[:4] == _MAGIC:
            # The content of versions 1 to 3 without its gzip wrapping.
            header = _parse_header(data, path)
            return (header, *_split(header, memoryview(data), path))
        raise FileFormatError(f"This is not an .spz file (it begins with other bytes): {path}")
    except (struct.error, zlib.error, zstandard.ZstdError) as error:
        raise FileFormatError(
            f"The .spz data is damaged; export or download it again: {path}"
        ) from error


def write(
    cloud: SplatCloud,
    path: str | os.PathLike[str],
    *,
    version: int = 4,
    fractional_bits: int | None = None,
) -> None:
    """Write an .spz file.

    In .spz y is up: a cloud that says that something else is, is turned about the origin.

    Parameters
    ----------
    version
        4 (zstd streams) or 3 (gzip, for older viewers).
    fractional_bits
        Bits after the binary point of positions, 0 to 20. By default 12 (steps of 1/4096 unit),
        more for scenes smaller than four units, fewer for those that reach beyond 2048.

    Raises
    ------
    UsageError
        If `version` or `fractional_bits` is out of range.
    OutputError
        If no finite splat is there, there are more than version 3 can hold, or the system refuses.
    """
    if version not in (3, 4):
        raise UsageError(f"An .spz file can be written in version 3 or 4, not {version}.")
    if fractional_bits is not None and not 0 <= fractional_bits <= 20:
        raise UsageError(f"Positions can have 0 to 20 fractional bits, not {fractional_bits}.")
    cloud = upright(storable(cloud, path, models=("default", "antialiased")))
    if version == 3 and len(cloud) > 10_000_000:
        raise OutputError(
            f"Version 3 of .spz holds at most 10,000,000 splats, not {len(cloud):,}; "
            f"use version 4: {path}"
        )
    bits = _fractional_bits(cloud) if fractional_bits is None else fractional_bits
    header = _Header(
        version, len(cloud), cloud.sh_degree, bits, int(cloud.model == "antialiased") * _ANTIALIASED
    )
    streams = _encode(cloud, header, path)
    pieces = _pack_gzip(header, streams) if version == 3 else _pack_zstd(header, streams)
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        for piece in pieces:
            file.write(piece)


# --- containers ------------------------------------------------------------------------------


def _parse_header(data: bytes | memoryview, path: str | os.PathLike[str]) -> _Header:
    if len(data) < 16:
        raise FileFormatError(f"The .spz file is truncated in its header: {path}")
    magic, version, count, degree, bits, flags, _ = struct.unpack_from("<4sIIBBBB", data)
    if magic != _MAGIC:
        raise FileFormatError(f"This is not an .spz file (it begins with other bytes): {path}")
    if not 1 <= version <= 4:
        raise FileFormatError(f"Version {version} of .spz is not known (1 to 4 are): {path}")
    if degree > 4 or (degree == 4 and version < 3):
        raise FileFormatError(f"An SH degree of {degree} is impossible in .spz {version}: {path}")
    if bits > 23:
        raise FileFormatError(f"Positions with {bits} fractional bits are impossible: {path}")
    if count == 0:
        raise FileFormatError(f"There are no splats in this file: {path}")
    return _Header(version, count, degree, bits, flags)


def _unpack_gzip(
    data: bytes, path: str | os.PathLike[str]
) -> tuple[_Header, _Extensions, list[memoryview]]:
    inflate = zlib.decompressobj(wbits=31)
    start = inflate.decompress(data, 16)
    header = _parse_header(start, path)
    expected = sum(header.sizes)
    check_expansion(expected, len(data), path)
    room = expected + (_MAX_EXTENSION_BYTES if header.flags & _EXTENDED else 0)
    content = bytearray(start)
    while not inflate.eof and len(content) < 16 + room + 1:
        piece = inflate.decompress(
            inflate.unconsumed_tail, min(_BLOCK * 16, 16 + room + 1 - len(content))
        )
        if not piece and not inflate.eof:
            raise FileFormatError(f"The .spz file is truncated: {path}")
        content += piece
    if not inflate.eof:
        raise FileFormatError(f"The .spz file holds more than its header says: {path}")
    _warn_of_rest(len(inflate.unused_data), path)
    extensions, blocks = _split(header, memoryview(content), path)
    return header, extensions, blocks


def _warn_of_rest(size: int, path: str | os.PathLike[str]) -> None:
    if size:
        log.warning(
            "%s follow the splats and were left out; the file may be damaged, or two in one: %s",
            bytes_of(size), path,
        )  # fmt: skip


def _split(
    header: _Header, content: memoryview, path: str | os.PathLike[str]
) -> tuple[_Extensions, list[memoryview]]:
    """Extensions and attribute blocks of the unwrapped versions 1 to 3."""
    start = len(content) - sum(header.sizes)
    if start < 16 or (start > 16 and not header.flags & _EXTENDED):
        raise FileFormatError(
            f"{count_of(header.count, 'splat')} of degree {header.degree} need "
            f"{sum(header.sizes) + 16:,} bytes, but the .spz file holds {len(content):,}: {path}"
        )
    extensions = _parse_extensions(bytes(content[16:start]), path)
    blocks: list[memoryview] = []
    for size in header.sizes:
        blocks.append(content[start : start + size])
        start += size
    return extensions, blocks


def _unpack_zstd(
    data: bytes, path: str | os.PathLike[str]
) -> tuple[_Header, _Extensions, list[memoryview]]:
    header = _parse_header(data, path)
    if len(data) < 32:
        raise FileFormatError(f"The .spz file is truncated in its header: {path}")
    streams = data[15]
    (table,) = struct.unpack_from("<I", data, 16)
    expected = [size for size in header.sizes if size]
    if streams < len(expected) or streams > 6:
        raise FileFormatError(f"{streams} streams cannot hold these splats: {path}")
    if table < 32 or table + 16 * streams > len(data):
        raise FileFormatError(f"The .spz file is truncated in its table of contents: {path}")
    check_expansion(sum(expected), len(data), path)
    extensions = _Extensions()
    if header.flags & _EXTENDED:
        extensions = _parse_extensions(data[32:table], path)
    offset = table + 16 * streams
    blocks: list[memoryview] = []
    for index, size in enumerate(header.sizes[:streams]):
        packed, unpacked = struct.unpack_from("<QQ", data, table + 16 * index)
        if unpacked != size:
            raise FileFormatError(
                f"Stream {index + 1} promises {unpacked:,} bytes where {size:,} are due: {path}"
            )
        if packed > len(data) - offset:
            raise FileFormatError(f"The .spz file is truncated in stream {index + 1}: {path}")
        blocks.append(_inflate_zstd(memoryview(data)[offset : offset + packed], size, path))
        offset += packed
    _warn_of_rest(len(data) - offset, path)
    blocks += [memoryview(b"")] * (6 - len(blocks))
    return header, extensions, blocks


def _inflate_zstd(packed: memoryview, size: int, path: str | os.PathLike[str]) -> memoryview:
    if size == 0:
        return memoryview(b"")
    # A frame may state its own size, and the library would believe it.
    stated = zstandard.get_frame_parameters(packed).content_size
    if stated not in (size, zstandard.CONTENTSIZE_UNKNOWN):
        raise FileFormatError(f"A stream of the .spz file has the wrong size: {path}")
    content = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
    if len(content) != size:
        raise FileFormatError(f"A stream of the .spz file has the wrong size: {path}")
    return memoryview(content)


def _parse_extensions(data: bytes, path: str | os.PathLike[str]) -> _Extensions:
    flip, sh_range = RUB, (-1.0, 1.0)
    offset = 0
    while offset + 4 <= len(data):
        (kind,) = struct.unpack_from("<I", data, offset)
        length = struct.unpack_from("<I", data, offset + 4)[0] if offset + 8 <= len(data) else 0
        # Early writers put the ten bytes of this record without their length.
        if kind == _ADOBE_SH_QUANTIZATION and length != 10:
            payload, offset = data[offset + 4 : offset + 14], offset + 14
        else:
            payload, offset = data[offset + 8 : offset + 8 + length], offset + 8 + length
        if offset > len(data):
            raise FileFormatError(f"An extension of the .spz file is truncated: {path}")
        if kind == _ADOBE_SH_QUANTIZATION:
            _, _, low, high = struct.unpack("<BBff", payload)
            if not (np.isfinite(low) and np.isfinite(high) and low < high):
                raise FileFormatError(f"The SH range {low} to {high} is impossible: {path}")
            sh_range = (low, high)
        elif kind == _ADOBE_COORDINATES and length == 4:
            (number,) = struct.unpack("<I", payload)
            if number not in _AXES:
                raise FileFormatError(f"Axes number {number} of .spz are not supported: {path}")
            flip = _AXES[number]
        else:
            log.info("Extension 0x%08X skipped in %s", kind, path)
    return _Extensions(flip, sh_range)


def _pack_gzip(header: _Header, streams: list[NDArray[np.uint8]]) -> list[bytes]:
    start = struct.pack(
        "<4sIIBBBB",
        _MAGIC, 3, header.count, header.degree, header.fractional_bits, header.flags, 0,
    )  # fmt: skip
    content = b"".join([start, *(stream.tobytes() for stream in streams)])
    parts = -(-len(content) // _BLOCK)
    pieces: list[bytes] = [b""] * parts

    def deflate(_: int, first: int, last: int) -> None:
        # Blocks are deflated on all cores; each begins with the 32 KiB before it as dictionary,
        # so that the stream is as small as one made in a single pass.
        for index in range(first, last):
            at = index * _BLOCK
            history = content[max(0, at - (1 << 15)) : at]
            packer = (
                zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, -15, zdict=history)
                if history
                else zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, -15)
            )
            mode = zlib.Z_FINISH if index == parts - 1 else zlib.Z_SYNC_FLUSH
            pieces[index] = packer.compress(content[at : at + _BLOCK]) + packer.flush(mode)

    parallel_for(deflate, parts, parts)
    top = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    tail = struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)
    return [top, *pieces, tail]


def _pack_zstd(header: _Header, streams: list[NDArray[np.uint8]]) -> list[bytes]:
    streams = [stream for stream in streams if stream.size]
    packer = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, threads=core_count())
    packed = [packer.compress(stream.tobytes()) for stream in streams]
    start = struct.pack(
        "<4sIIBBBBI12x",
        _MAGIC, 4, header.count, header.degree, header.fractional_bits, header.flags,
        len(streams), 32,
    )  # fmt: skip
    table = b"".join(
        struct.pack("<QQ", len(piece), stream.size)
        for piece, stream in zip(packed, streams, strict=True)
    )
    return [start, table, *packed]


# --- attributes ------------------------------------------------------------------------------


def _decode(
    header: _Header,
    extensions: _Extensions,
    blocks: list[memoryview],
    path: str | os.PathLike[str],
) -> SplatCloud:
    count = header.count
    columns = [np.frombuffer(block, np.uint8).reshape(count, -1) for block in blocks[:5]]
    positions, alphas, colors, scales, rotations = columns
    flip = extensions.flip
    if header.degree == 4:
        log.warning("Spherical harmonics of degree 4 cut to degree 3 in %s", path)
    degree = min(header.degree, 3)
    sh = np.empty((count, _COEFFICIENTS[degree], 3), np.float32)
    sh[:, 0] = _table(lambda b: (b / 255 - 0.5) / _COLOR_SCALE)[colors]
    if degree:
        low, high = extensions.sh_range
        if (low, high) == (-1.0, 1.0):
            values = _table(lambda b: (b - 128) / 128)
        else:
            values = _table(lambda b: low + b / 255 * (high - low))
        coded = np.frombuffer(blocks[5], np.uint8).reshape(count, -1, 3)
        signs = sh_signs(flip, sh.shape[1])[1:, None]

        def fill(_: int, start: int, stop: int) -> None:
            rows = slice(start, stop)
            np.multiply(values[coded[rows, : sh.shape[1] - 1]], signs, out=sh[rows, 1:])

        parallel_for(fill, count, max(1, count // _ROWS))
    with np.errstate(invalid="ignore"):  # NaN may come from damaged files
        means = _decode_positions(positions, header) * position_signs(flip)
    return SplatCloud(
        means=means,
        quats=_decode_rotations(rotations, header.version) * quaternion_signs(flip),
        scales=_table(lambda b: np.exp(b / 16 - 10))[scales],
        opacities=_table(lambda b: b / 255)[alphas[:, 0]],
        sh=sh,
        model="antialiased" if header.flags & _ANTIALIASED else "default",
        # In memory y points down, so the y of a file that has y up is up there too.
        up=UP if flip[1] else None,
    )


def _table(value: Any) -> NDArray[np.float32]:
    """What each of the 256 byte values stands for, (256,) float32."""
    return np.asarray(value(np.arange(256, dtype=np.float64)), np.float32)


def _decode_positions(data: NDArray[np.uint8], header: _Header) -> NDArray[np.float32]:
    if header.version == 1:
        return data.view("<f2").astype(np.float32)
    wide = np.zeros((header.count, 3, 4), np.uint8)
    wide[..., 1:] = data.reshape(-1, 3, 3)
    # The three bytes sit at the top of an int32, so that the shift extends the sign.
    whole = wide.view("<i4")[..., 0] >> 8
    return np.asarray(whole * 2.0**-header.fractional_bits, np.float32)


def _decode_rotations(data: NDArray[np.uint8], version: int) -> NDArray[np.float32]:
    """(N, 4) float32 unit quaternions w, x, y, z."""
    if version < 3:
        xyz = _table(lambda b: b / 127.5 - 1)[data]
        square = np.einsum("ij,ij->i", xyz, xyz)
        w = np.sqrt(np.maximum(0, 1 - square))
        quats = np.concatenate([w[:, None], xyz], axis=1)
        return np.asarray(quats / np.sqrt(np.maximum(1, square))[:, None], np.float32)
    word = data.view("<u4")[:, 0]
    field = (word[:, None] >> np.array([20, 10, 0], np.uint32)) & np.uint32(1023)
    value = (field & np.uint32(511)).astype(np.float32) * np.float32(SQRT_HALF / 511)
    np.negative(value, out=value, where=field >= 512)
    xyzw = from_smallest_three(word >> np.uint32(30), value)
    return np.asarray(xyzw[:, [3, 0, 1, 2]])


def _fractional_bits(cloud: SplatCloud) -> int:
    """Bits after the point: steps below 1/16384 of the scene, but room for 99.9 % of the splats."""
    diagonal = cloud.bounds().diagonal
    fine = int(np.ceil(np.log2(16384 / diagonal))) if diagonal > 0 else 12
    reach = float(np.quantile(np.abs(cloud.means).max(axis=1), 0.999))
    room = int(np.floor(np.log2((2**23 - 1) / reach))) if reach > 0 else 20
    return int(np.clip(min(max(fine, 12), room), 0, 20))


def _encode(
    cloud: SplatCloud, header: _Header, path: str | os.PathLike[str]
) -> list[NDArray[np.uint8]]:
    """The attribute blocks; what does not fit is clamped, counted and reported."""
    count = header.count
    step = 2.0**-header.fractional_bits
    reach = (2**23 - 1) * step
    positions = np.empty((count, 3, 3), np.uint8)
    alphas = np.empty((count, 1), np.uint8)
    colors = np.empty((count, 3), np.uint8)
    scales = np.empty((count, 3), np.uint8)
    rotations = np.empty((count, 1), "<u4")
    harmonics = np.empty((count, cloud.sh.shape[1] - 1, 3), np.uint8)
    signs = sh_signs(RUB, cloud.sh.shape[1])[1:]
    # Writers keep 5 bits of degree 1 and 4 of the rest: steps of 8 and 16 of 128.
    bucket = np.array([8] * 3 + [16] * 12, np.float32)[: len(signs)]
    factor = (signs * 128 / bucket)[:, None]

    def encode(_: int, start: int, stop: int) -> dict[str, int]:
        rows = slice(start, stop)
        means = cloud.means[rows] * position_signs(RUB)
        whole = np.rint(np.clip(means, -reach, reach).astype(np.float64) / step).astype("<i4")
        positions[rows] = whole.view(np.uint8).reshape(-1, 3, 4)[..., :3]
        alphas[rows, 0] = _to_byte(cloud.opacities[rows] * 255)
        colors[rows] = _to_byte((cloud.sh[rows, 0] * _COLOR_SCALE + 0.5) * 255)
        logs = np.log(np.maximum(cloud.scales[rows], np.float32(1e-30)))
        scales[rows] = _to_byte((logs + 10) * 16)
        rotations[rows, 0] = _encode_rotations(cloud.quats[rows])
        rest = cloud.sh[rows, 1:]
        steps = np.rint(rest * factor) * bucket[:, None] + 128
        harmonics[rows] = np.clip(steps, 0, 255).astype(np.uint8)
        return {
            f"positions beyond {reach:g} units": int((np.abs(means) > reach).any(axis=1).sum()),
            "scales outside 4.5e-5 to 382": int(
                ((logs < -10 - 1 / 32) | (logs > 5.9375 + 1 / 32)).any(axis=1).sum()
            ),
            "colours outside -0.44 to 1.44": int(
                (np.abs(cloud.sh[rows, 0]) > 3.35).any(axis=1).sum()
            ),
            "harmonics outside -1 to 1": int(
                (np.abs(rest) > 1.0).reshape(len(rest), -1).any(axis=1).sum()
            ),
        }

    clamped: dict[str, int] = {}
    for part in parallel_for(encode, count, max(1, count // _ROWS)):
        for what, number in part.items():
            clamped[what] = clamped.get(what, 0) + number
    for what, number in clamped.items():
        if number:
            log.warning("%s with %s clamped in %s", count_of(number, "splat"), what, path)
    blocks = (positions, alphas, colors, scales, rotations.view(np.uint8), harmonics)
    return [block.reshape(-1) for block in blocks]


def _to_byte(values: NDArray[np.floating[Any]]) -> NDArray[np.uint8]:
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)


def _encode_rotations(quats: NDArray[np.float32]) -> NDArray[np.uint32]:
    """(N,) uint32 packed rotations in the file's axes, of quaternions w, x, y, z."""
    turned = quats * quaternion_signs(RUB)
    turned[~turned.any(axis=1), 0] = 1
    largest, three = smallest_three(turned[:, [1, 2, 3, 0]])
    size = np.rint(np.abs(three) * np.float32(511 / SQRT_HALF))
    field = np.minimum(size, 511).astype(np.uint32) | np.where(three < 0, np.uint32(512), 0)
    packed = largest.astype(np.uint32) << np.uint32(30)
    for column, shift in enumerate((20, 10, 0)):
        packed |= field[:, column].astype(np.uint32) << np.uint32(shift)
    return packed
