"""PlayCanvas' SOG: a cloud as a handful of lossless WebP images beside a meta.json.

Read in versions 1 and 2, from a zip file (.sog) or a folder; `io.sog_encode` writes version 2.
"""

from __future__ import annotations

import io
import json
import logging
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import numpy as np
from PIL import Image, UnidentifiedImageError

from polyorama.core.compile import parallel_for
from polyorama.errors import FileFormatError
from polyorama.io.files import file_size, reading
from polyorama.io.limits import check_expansion, read_bytes
from polyorama.io.precision import Precision
from polyorama.io.smallest_three import SQRT_HALF, from_smallest_three
from polyorama.io.sog_encode import META, PALETTE_COLUMNS, write
from polyorama.scene.splats import SH_C0, SplatCloud, SplatModel

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["precision", "read", "write"]

log = logging.getLogger(__name__)

_MAX_META = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
_MAX_PALETTE = 1 << 16
_MAX_COUNT = 1 << 28
_ROWS = 1 << 16


@dataclass(frozen=True, slots=True)
class _Parts:
    """A SOG scene on disk.

    Parameters
    ----------
    path
        What the user named.
    stored
        Bytes of all its parts together.
    fetch
        ``fetch(name, limit)`` gives the bytes of a part and refuses more than `limit`.
    """

    path: Path
    stored: int
    fetch: Callable[[str, int], bytes]

    def error(self, text: str) -> FileFormatError:
        """An error whose text ends with the path."""
        return FileFormatError(f"{text}: {self.path}")


def read(path: str | os.PathLike[str]) -> SplatCloud:
    """Read a .sog file, a folder with a meta.json, or that meta.json.

    Raises
    ------
    FileFormatError
        If a part is missing, damaged, too large, or of an unknown version.
    """
    return _opened(path, _decode)


def precision(path: str | os.PathLike[str]) -> Precision:
    """How finely a SOG scene holds its numbers: by the widest gaps of its codebooks.

    That of rotations was measured. Harmonics are known only where the palette has an entry for
    every splat: how far a splat is from the entry that it shares with others, no file says.

    Raises
    ------
    FileFormatError
        As `read`.
    """
    return _opened(path, _precision)


_Result = TypeVar("_Result")


def _opened(path: str | os.PathLike[str], use: Callable[[_Parts], _Result]) -> _Result:
    """What `use` makes of the scene's parts, with every error of the library in our words."""
    source = Path(path)
    folder = source if source.is_dir() else source.parent
    with reading(source):
        if source.is_dir() or source.name.lower().endswith(".json"):
            meta = source / META if source.is_dir() else source
            return use(_folder_parts(source, folder, meta))
        file_size(source)
        try:
            with zipfile.ZipFile(source) as archive:
                return use(_zip_parts(source, archive))
        except (zipfile.BadZipFile, NotImplementedError, zlib.error, EOFError) as error:
            raise FileFormatError(
                f"The .sog archive is damaged; export or download it again: {source}"
            ) from error
        except RuntimeError as error:  # how zipfile asks for a password
            raise FileFormatError(f"The .sog archive is encrypted: {source}") from error


def _folder_parts(source: Path, folder: Path, meta: Path) -> _Parts:
    stored = sum(part.stat().st_size for part in folder.glob("*.webp") if part.is_file())

    def fetch(name: str, limit: int) -> bytes:
        return read_bytes(meta if name == META else folder / name, limit)

    return _Parts(source, stored, fetch)


def _zip_parts(source: Path, archive: zipfile.ZipFile) -> _Parts:
    # The parts may lie in a folder of the archive; they are found by their own names.
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        members.setdefault(info.filename.rsplit("/", 1)[-1], info)

    def fetch(name: str, limit: int) -> bytes:
        if name not in members:
            raise FileFormatError(f"The .sog archive has no {name}: {source}")
        info = members[name]
        if info.file_size > limit:
            raise FileFormatError(f"{name} is too large ({info.file_size:,} bytes): {source}")
        with archive.open(info) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise FileFormatError(f"{name} is larger than the archive says: {source}")
        return data

    return _Parts(source, source.stat().st_size, fetch)


# --- meta.json -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Section:
    """One attribute of meta.json, asked for its entries with a check of each."""

    parts: _Parts
    name: str
    entries: dict[str, Any]

    def files(self, count: int) -> list[str]:
        """The names of its images: plain names, so that none leads out of the scene."""
        names = self.entries.get("files")
        if not isinstance(names, list) or len(names) != count:
            raise self.parts.error(f"The meta.json does not name {count} files of {self.name}")
        for name in names:
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise self.parts.error(f"The meta.json names an impossible file {name!r:.40}")
        return names

    def numbers(self, key: str, count: int) -> NDArray[np.float64]:
        """`count` finite numbers, given as a list (or alone, where `count` is 1)."""
        values = self.entries.get(key)
        values = [values] if count == 1 and not isinstance(values, list) else values
        if (
            isinstance(values, list)
            and len(values) == count
            and all(type(v) in (int, float) and abs(v) < 1e30 for v in values)
        ):
            return np.array([float(v) for v in values])
        raise self.parts.error(f"The {key} of {self.name} in meta.json are not {count} numbers")

    def whole(self, key: str, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        value = self.entries.get(key)
        if type(value) is int and low <= value <= high:
            return value
        raise self.parts.error(f"The {key} of {self.name} in meta.json is not {low} to {high}")

    def table(self, channels: int) -> NDArray[np.float32]:
        """(256, channels) float32, what each byte stands for: the codebook, or in v1 a ramp."""
        if "codebook" in self.entries:
            codes = self.numbers("codebook", 256)
            return np.repeat(codes[:, None], channels, axis=1).astype(np.float32)
        low, high = self.numbers("mins", channels), self.numbers("maxs", channels)
        ramp = np.arange(256)[:, None] / 255
        return (low + ramp * (high - low)).astype(np.float32)


def _parse_meta(parts: _Parts) -> tuple[dict[str, Any], int]:
    """The meta.json and the number of splats."""
    try:
        meta = json.loads(parts.fetch(META, _MAX_META))
    except (ValueError, RecursionError) as error:
        raise parts.error("The meta.json is damaged") from error
    if not isinstance(meta, dict):
        raise parts.error("The meta.json is no object")
    version = meta.get("version", 1)
    if version == 2:
        count = meta.get("count")
    elif version == 1 and "version" not in meta:
        means = meta.get("means")
        shape = means.get("shape") if isinstance(means, dict) else None
        count = shape[0] if isinstance(shape, list) and shape else None
    else:
        raise parts.error(f"Version {version!r:.20} of SOG is not known (1 and 2 are)")
    if type(count) is not int or not 0 <= count <= _MAX_COUNT:
        raise parts.error("The meta.json does not say how many splats there are")
    if count == 0:
        raise parts.error("There are no splats in this scene")
    return meta, count


def _section(parts: _Parts, meta: dict[str, Any], name: str) -> _Section:
    entries = meta.get(name)
    if not isinstance(entries, dict):
        raise parts.error(f"The meta.json has no {name}")
    return _Section(parts, name, entries)


# --- images ----------------------------------------------------------------------------------


def _webp_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in the header of a WebP image, before anything is decoded."""
    if len(data) < 30 or data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return None
    kind = data[12:16]
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return (
            int.from_bytes(data[24:27], "little") + 1,
            int.from_bytes(data[27:30], "little") + 1,
        )
    if kind == b"VP8 ":
        return (
            int.from_bytes(data[26:28], "little") & 0x3FFF,
            int.from_bytes(data[28:30], "little") & 0x3FFF,
        )
    return None


def _image(parts: _Parts, name: str, least: int, most: int) -> NDArray[np.uint8]:
    """Pixels of an image, (H, W, 4) uint8, that has `least` to `most` of them."""
    data = parts.fetch(name, 8 * most + 65536)
    size = _webp_size(data)
    if size is None:
        raise parts.error(f"{name} is no WebP image")
    pixels = size[0] * size[1]
    if not least <= pixels <= most:
        raise parts.error(f"{name} has {size[0]}x{size[1]} pixels where {least:,} are due")
    try:
        with Image.open(io.BytesIO(data), formats=["WEBP"]) as image:
            array = np.asarray(image.convert("RGBA"))
    except (
        UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError,
    ) as error:  # fmt: skip
        raise parts.error(f"{name} is damaged") from error
    if array.shape[0] * array.shape[1] != pixels:
        raise parts.error(f"{name} is damaged")
    return array


def _texture(parts: _Parts, name: str, count: int) -> NDArray[np.uint8]:
    """The first `count` pixels of an image, (count, 4) uint8."""
    return _image(parts, name, count, 4 * count + 65536).reshape(-1, 4)[:count]


# --- attributes ------------------------------------------------------------------------------


def _decode(parts: _Parts) -> SplatCloud:
    meta, count = _parse_meta(parts)
    first = "version" not in meta
    bands = _bands(parts, meta, first)
    check_expansion(count * 4 * (11 + 3 * (bands + 1) ** 2), parts.stored, parts.path)
    scales = _section(parts, meta, "scales")
    sh0 = _section(parts, meta, "sh0")
    color = _texture(parts, sh0.files(1)[0], count)
    table = sh0.table(4) if first else sh0.table(3)
    sh = np.empty((count, (bands + 1) ** 2, 3), np.float32)
    for channel in range(3):
        sh[:, 0, channel] = table[color[:, channel], channel]
    with np.errstate(all="ignore"):
        if first:
            opacities = 1 / (1 + np.exp(-table[color[:, 3], 3]))
        else:
            opacities = color[:, 3] / np.float32(255)
        if bands:
            _fill_harmonics(parts, meta, bands, sh, first=first)
        size = _texture(parts, scales.files(1)[0], count)
        log_table = scales.table(3)
        logs = np.stack([log_table[size[:, c], c] for c in range(3)], axis=1)
        return SplatCloud(
            means=_means(_section(parts, meta, "means"), count),
            quats=_rotations(_section(parts, meta, "quats"), count),
            scales=np.exp(logs),
            opacities=np.asarray(opacities, np.float32),
            sh=sh,
            model=_model(parts, meta),
        )


def _precision(parts: _Parts) -> Precision:
    meta, count = _parse_meta(parts)
    first = "version" not in meta
    means, scales, sh0 = (_section(parts, meta, name) for name in ("means", "scales", "sh0"))
    low, high = means.numbers("mins", 3), means.numbers("maxs", 3)
    # On the logarithmic scale of positions, a step is the longer the farther it is from the origin.
    farthest = np.exp(np.maximum(np.abs(low), np.abs(high)))
    color = sh0.table(4)[:, :3] if first else sh0.table(3)
    opacity = 0.5 / 255
    if first:
        opacity = _half_gap(sh0.table(4)[:, 3:]) / 4  # a logit's slope is at most 1/4
    rest: dict[int, float] = {}
    if (bands := _bands(parts, meta, first)) and not first:
        harmonics = _section(parts, meta, "shN")
        if harmonics.whole("count", 1, _MAX_PALETTE) >= count:
            rest = dict.fromkeys(range(1, bands + 1), _half_gap(harmonics.table(1)))
    return Precision(
        position=float(((high - low) / 65535 / 2 * farthest).max()),
        log_scale=_half_gap(scales.table(3)),
        rotation=1.0,
        opacity=opacity,
        color=SH_C0 * _half_gap(color),
        harmonics=rest,
    )


def _half_gap(table: NDArray[np.float32]) -> float:
    """Half of the widest gap between neighbours of a codebook, (256, channels)."""
    return float(np.diff(np.sort(table.astype(np.float64), axis=0), axis=0).max()) / 2


def _model(parts: _Parts, meta: dict[str, Any]) -> SplatModel:
    model = meta.get("model", "default")
    if model in get_args(SplatModel):
        return cast(SplatModel, model)
    log.warning("Unknown model %.40r read as 'default' in %s", model, parts.path)
    return "default"


def _means(section: _Section, count: int) -> NDArray[np.float32]:
    low_name, high_name = section.files(2)
    low, high = section.numbers("mins", 3), section.numbers("maxs", 3)
    fine = _texture(section.parts, low_name, count)
    coarse = _texture(section.parts, high_name, count)
    means = np.empty((count, 3), np.float32)

    def task(_: int, start: int, stop: int) -> None:
        # numpy keeps the state of warnings per thread.
        with np.errstate(all="ignore"):
            rows = slice(start, stop)
            whole = fine[rows, :3] + 256.0 * coarse[rows, :3]
            value = low + whole / 65535 * (high - low)
            means[rows] = np.sign(value) * np.expm1(np.abs(value))

    parallel_for(task, count, max(1, count // _ROWS))
    return means


def _rotations(section: _Section, count: int) -> NDArray[np.float32]:
    pixels = _texture(section.parts, section.files(1)[0], count)
    three = (pixels[:, :3] * np.float32(2 / 255) - np.float32(1)) * np.float32(SQRT_HALF)
    valid = pixels[:, 3] >= 252
    quats = from_smallest_three(np.where(valid, pixels[:, 3] - np.uint8(252), 0) & 3, three)
    quats[~valid] = (1, 0, 0, 0)
    return quats


def _bands(parts: _Parts, meta: dict[str, Any], first: bool) -> int:
    """SH degree of the scene; version 1 tells it by the width of the image of centroids."""
    if meta.get("shN") is None:
        return 0
    section = _section(parts, meta, "shN")
    if not first:
        return section.whole("bands", 1, 3)
    size = _webp_size(parts.fetch(section.files(2)[0], 64 << 20))
    width = size[0] if size else 0
    degrees = {PALETTE_COLUMNS * ((d + 1) ** 2 - 1): d for d in (1, 2, 3)}
    if width not in degrees:
        raise parts.error(f"An image of centroids {width} pixels wide fits no SH degree")
    return degrees[width]


def _fill_harmonics(
    parts: _Parts, meta: dict[str, Any], bands: int, sh: NDArray[np.float32], *, first: bool
) -> None:
    section = _section(parts, meta, "shN")
    centroids, labels = section.files(2)
    coefficients = (bands + 1) ** 2 - 1
    width = PALETTE_COLUMNS * coefficients
    entries = 1 if first else section.whole("count", 1, _MAX_PALETTE)
    rows = -(-entries // PALETTE_COLUMNS)
    pixels = _image(parts, centroids, rows * width, _MAX_PALETTE * coefficients)
    if pixels.shape[1] != width:
        raise parts.error(f"{centroids} is {pixels.shape[1]} pixels wide, not {width}")
    values = section.table(1)[:, 0]
    palette = values[pixels[..., :3].reshape(-1, coefficients, 3)]
    if not first:
        palette = palette[:entries]
    # A label beyond the palette means no harmonics: it points at a row of zeros.
    palette = np.concatenate([palette, np.zeros((1, coefficients, 3), np.float32)])
    pair = _texture(parts, labels, len(sh))
    label = np.minimum(pair[:, 0] + 256 * pair[:, 1].astype(np.int64), len(palette) - 1)

    def task(_: int, start: int, stop: int) -> None:
        sh[start:stop, 1:] = palette[label[start:stop]]

    parallel_for(task, len(sh), max(1, len(sh) // _ROWS))
