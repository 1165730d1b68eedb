"""3DGS PLY files: log scales and logit opacities, which exist in this module alone.

Columns are found by name. The standard little-endian float32 layout, in any column order, is read
block by block through one compiled loop on all cores; big-endian, ascii and other number types are
turned into the same float32 blocks first.
"""

from __future__ import annotations

import itertools
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for
from polyorama.errors import FileFormatError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import file_size, read_into, reading, write_all
from polyorama.io.limits import positive_scales, warn_of_negative_scales
from polyorama.io.pieces import PIECE, Tags, piece_ranges
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
from polyorama.scene.splats import SplatCloud, SplatModel

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["FLAT_SCALE", "Sink", "Source", "read", "write"]

_log = logging.getLogger(__name__)

FLAT_SCALE = 1e-6
"""Third scale, world units, of clouds of flat Gaussians, whose files have only two."""

OPACITY_MARGIN = 1e-6
"""Opacities are written within [margin, 1 - margin], since many readers fail on infinite logits."""

_BLOCK_BYTES = 1 << 20
"""Rows are read and written in blocks that stay in the second-level cache."""

_TEXT_ROWS = 1 << 14
_LINE_LIMIT = 1 << 17

_TYPE_NAMES = {
    "i1": "char", "u1": "uchar", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint",
    "f4": "float", "f8": "double",
}  # fmt: skip

_POSITION = ("x", "y", "z")
_SCALE = ("scale_0", "scale_1", "scale_2")
_ROTATION = ("rot_0", "rot_1", "rot_2", "rot_3")
_DC = ("f_dc_0", "f_dc_1", "f_dc_2")
_NORMAL = ("nx", "ny", "nz")
_REQUIRED = (*_POSITION, *_SCALE[:2], *_ROTATION, "opacity", *_DC)


def read(path: str | os.PathLike[str]) -> SplatCloud:
    """Read a 3DGS PLY file.

    Rows with NaN or infinities are kept as they are: a log scale of -inf is the scale 0, a logit
    of +inf the opacity 1. Quaternions are normalised; zero ones stay zero. Normals are left out
    (they follow from rotation and scale); other unknown columns become `extras`. A file without
    ``scale_2`` is a cloud of flat Gaussians (model "2dgs").

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, too short for its header, or no splats are in it.
    """
    with reading(path):
        return Source(path).read()


def write(cloud: SplatCloud, path: str | os.PathLike[str]) -> None:
    """Write a 3DGS PLY file: little-endian float32, no normals, 236 bytes a splat of degree 3.

    Opacities are clamped to [1e-6, 1 - 1e-6] before the logit. A scale of 0 becomes -inf, which
    readers of PLY know as its limit; a negative one loses its sign, with a warning. The model, up
    direction and comments go into the header, extra columns behind the standard ones. Clouds of
    flat Gaussians get no ``scale_2``, as is the custom for them.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    with atomic_write(path) as temporary:
        sink = Sink(temporary, count=len(cloud))
        sink.write(cloud)
        sink.finish()


@dataclass(frozen=True, slots=True)
class _Arrays:
    """The natural-form arrays that blocks are decoded into."""

    means: NDArray[np.float32]
    quats: NDArray[np.float32]
    scales: NDArray[np.float32]
    opacities: NDArray[np.float32]
    sh: NDArray[np.float32]
    extras: dict[str, NDArray[Any]]


class Source:
    """A 3DGS PLY file whose header has been read.

    Raises
    ------
    FileFormatError
        If the header is damaged, names no splats, or promises more than the file holds.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        size = file_size(path)
        with reading(path), self._path.open("rb") as file:
            self._header = parse_header(file.read(HEADER_LIMIT), path)
        self._vertex = _splat_element(self._header, path)
        self.count = self._vertex.count
        self._ascii = self._header.encoding == "ascii"
        if self._ascii:
            # Each number takes a digit and a separator at least.
            if self.count * len(self._vertex.names) * 2 > size - self._header.size + 1:
                raise FileFormatError(
                    f"The PLY promises {self.count:,} rows, more than its {size:,} bytes can "
                    f"hold; export or download it again: {path}"
                )
            self._offset = 0
        else:
            self._offset = self._header.data_offset("vertex", path, size)
        names = self._vertex.names
        degree, rest = rest_columns(names, path)
        if degree > 3:
            _log.warning("SH degree %d is cut to 3, the highest that is drawn: %s", degree, path)
        self.sh_degree = min(degree, 3)
        # f_rest is channel-major in the file: red of all coefficients, then green, then blue.
        wanted = [*_DC, *itertools.chain.from_iterable(rest[: (self.sh_degree + 1) ** 2 - 1])]
        self._missing_sh = [i for i, name in enumerate(wanted) if name is None]
        self._flat = "scale_2" not in names
        scales = (*_SCALE[:2], "scale_1" if self._flat else "scale_2")
        # A missing column reads some other one and is set right afterwards.
        self._columns = (*_POSITION, *scales, *_ROTATION, "opacity", *(n or "x" for n in wanted))
        known = {*_REQUIRED, "scale_2", *_NORMAL, *itertools.chain.from_iterable(rest)}
        self.extra_names = tuple(name for name in names if name not in known)
        self.comments = self._header.comments
        tagged = model_in_comments(self.comments)
        self.model: SplatModel = "2dgs" if self._flat else (tagged or "default")
        self.up = up_in_comments(self.comments)

    def read(self) -> SplatCloud:
        """The whole file as one cloud.

        Raises
        ------
        FileFormatError
            If the file turns out to be damaged or cannot be read.
        """
        return next(self.chunks(self.count))

    def chunks(self, size: int = PIECE) -> Iterator[SplatCloud]:
        """Clouds of `size` splats in file order; see `io.stream.SplatSource`."""
        lines = self._text_lines() if self._ascii else None
        for start, count in piece_ranges(self.count, size):
            with reading(self._path):
                out = self._allocate(count)
                if lines is None:
                    self._fill_from_binary(out, start, count)
                else:
                    self._fill_from_text(out, lines, start, count)
            yield self._cloud(out)

    def _allocate(self, count: int) -> _Arrays:
        bands = (self.sh_degree + 1) ** 2
        types = dict(zip(self._vertex.names, self._vertex.types, strict=True))
        return _Arrays(
            np.empty((count, 3), np.float32),
            np.empty((count, 4), np.float32),
            np.empty((count, 3), np.float32),
            np.empty(count, np.float32),
            np.empty((count, 3 * bands), np.float32),
            {
                name: np.empty(count, np.dtype(types[name]).newbyteorder("="))
                for name in self.extra_names
            },
        )

    def _cloud(self, out: _Arrays) -> SplatCloud:
        if self._flat:
            out.scales[:, 2] = FLAT_SCALE
        for column in self._missing_sh:
            out.sh[:, column] = 0.0
        return SplatCloud(
            means=out.means,
            quats=out.quats,
            scales=out.scales,
            opacities=out.opacities,
            sh=out.sh.reshape(len(out.sh), -1, 3),
            model=self.model,
            up=self.up,
            extras=out.extras,
            comments=self.comments,
        )

    def _fill_from_binary(self, out: _Arrays, first: int, count: int) -> None:
        """Decode rows `first` to `first + count` on all cores."""
        row_bytes = self._vertex.row_bytes
        block = max(1, _BLOCK_BYTES // row_bytes)
        wanted = set(self._columns)
        is_matrix = all(
            kind.endswith("f4" if name in wanted else "4")
            for name, kind in zip(self._vertex.names, self._vertex.types, strict=True)
        )
        swapped = self._header.encoding == "binary_big_endian"
        index = np.array([self._vertex.names.index(name) for name in self._columns], np.int64)

        def task(_part: int, start: int, stop: int) -> None:
            buffer = np.empty(block * row_bytes, np.uint8)
            with self._path.open("rb", buffering=0) as file:
                file.seek(self._offset + (first + start) * row_bytes)
                for at in range(start, stop, block):
                    rows = min(block, stop - at)
                    data = buffer[: rows * row_bytes]
                    read_into(file, data, self._path)
                    if is_matrix:
                        words = data.view(np.uint32)
                        if swapped:
                            words.byteswap(inplace=True)
                        matrix = words.view(np.float32).reshape(rows, -1)
                        extras = {n: self._word_column(matrix, n) for n in self.extra_names}
                        self._fill(out, at, matrix, index, extras)
                    else:
                        self._fill(out, at, *self._selected(data.view(self._vertex.dtype)))

        parallel_for(task, count, 1 if count <= block else 4 * core_count())

    def _fill_from_text(self, out: _Arrays, lines: Iterator[bytes], first: int, count: int) -> None:
        """Decode the next `count` lines, which are rows `first` and following."""
        dtype = np.dtype([(name, "<f8") for name in self._vertex.names])
        for at in range(0, count, _TEXT_ROWS):
            rows = list(itertools.islice(lines, min(_TEXT_ROWS, count - at)))
            values = self._numbers(rows, first + at)
            self._fill(out, at, *self._selected(values.view(dtype).reshape(-1)))

    def _word_column(self, matrix: NDArray[np.float32], name: str) -> NDArray[Any]:
        """One column of 4-byte words, already in native order, in its own type."""
        at = self._vertex.names.index(name)
        kind = np.dtype(self._vertex.types[at]).newbyteorder("=")
        return matrix[:, at].view(kind)

    def _selected(
        self, records: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64], dict[str, NDArray[Any]]]:
        """The wanted columns of a structured array as float32, and the extra ones."""
        unique = list(dict.fromkeys(self._columns))
        matrix = np.empty((len(records), len(unique)), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for column, name in enumerate(unique):
                matrix[:, column] = records[name]
        index = np.array([unique.index(name) for name in self._columns], np.int64)
        return matrix, index, {name: records[name] for name in self.extra_names}

    def _fill(
        self,
        out: _Arrays,
        at: int,
        matrix: NDArray[np.float32],
        index: NDArray[np.int64],
        extras: dict[str, NDArray[Any]],
    ) -> None:
        """Decode a block of rows into `out` from row `at` on."""
        rows = slice(at, at + len(matrix))
        _decode(
            matrix, index, out.means[rows], out.quats[rows], out.scales[rows], out.opacities[rows],
            out.sh[rows],
        )  # fmt: skip
        with np.errstate(over="ignore", invalid="ignore"):
            for name, column in extras.items():
                out.extras[name][rows] = column

    def _text_lines(self) -> Iterator[bytes]:
        """Lines of the vertex element; raises where the file ends before the last one."""
        before = itertools.takewhile(lambda e: e.name != "vertex", self._header.elements)
        skipped = sum(element.count for element in before)
        with self._path.open("rb") as file:
            file.seek(self._header.size)
            for row in range(skipped + self.count):
                line = file.readline(_LINE_LIMIT)
                if not line.strip() or len(line) == _LINE_LIMIT:
                    raise FileFormatError(
                        f"The PLY's text is damaged at row {row:,} of {skipped + self.count:,} "
                        f"(it ends, is blank or too long): {self._path}"
                    )
                if row >= skipped:
                    yield line

    def _numbers(self, lines: list[bytes], first: int) -> NDArray[np.float64]:
        """Numbers of ascii rows, (rows, columns) float64."""
        try:
            text = [line.decode("ascii") for line in lines]
            values = np.loadtxt(text, np.float64, comments=None, ndmin=2)
        except ValueError as error:
            raise FileFormatError(
                f"The PLY's text has something else than numbers, or rows of unequal length, in "
                f"rows {first:,} to {first + len(lines):,}: {self._path}"
            ) from error
        if values.shape != (len(lines), len(self._vertex.names)):
            raise FileFormatError(
                f"The PLY's text has {values.shape[1]} numbers a row, its header names "
                f"{len(self._vertex.names)}: {self._path}"
            )
        return values


class Sink:
    """A PLY file being written in pieces; the first piece decides what is not given.

    Where the count is not known, `finish` puts it into the header. A comment line of blanks keeps
    the room for it, since some readers stumble over padded numbers.
    """

    def __init__(self, path: Path, tags: Tags | None = None, *, count: int | None = None) -> None:
        self.count = 0
        self._path = path
        self._expected = count
        self._tags = tags or Tags()
        self._layout: _Layout | None = None
        self._start = 0
        self._negative = 0

    def write(self, cloud: SplatCloud) -> None:
        """Append a cloud; see `io.stream.SplatSink`."""
        if self._layout is None:
            self._layout = _Layout.of(cloud, self._tags)
            self._start = self._path.write_bytes(self._layout.header(self._expected))
        layout = self._layout
        lost = [name for name in layout.extras if name not in cloud.extras]
        if lost:
            _log.warning("A piece has no column %s; zeros are written there.", ", ".join(lost))
        cloud, negative = positive_scales(cloud)
        self._negative += negative
        if len(cloud):
            self._write_rows(cloud.with_sh_degree(layout.sh_degree), layout)
        self.count += len(cloud)

    def finish(self) -> None:
        """Put the true count into the header, and say what was changed."""
        warn_of_negative_scales(self._negative)
        if self._layout is not None and self._expected is None:
            with self._path.open("rb+") as file:
                file.write(self._layout.header(None, self.count))

    def _write_rows(self, cloud: SplatCloud, layout: _Layout) -> None:
        row_bytes = layout.dtype.itemsize
        offset = self._start + self.count * row_bytes
        block = max(1, _BLOCK_BYTES // row_bytes)
        sh = cloud.sh.reshape(len(cloud), -1)

        def task(_part: int, start: int, stop: int) -> None:
            matrix = np.empty((block, layout.width), np.float32)
            with self._path.open("rb+", buffering=0) as file:
                file.seek(offset + start * row_bytes)
                for at in range(start, stop, block):
                    rows = slice(at, min(at + block, stop))
                    values = matrix[: rows.stop - at]
                    _encode(
                        cloud.means[rows], cloud.quats[rows], cloud.scales[rows],
                        cloud.opacities[rows], sh[rows], 2 if layout.flat else 3, values,
                    )  # fmt: skip
                    write_all(file, layout.records(values, cloud, rows))

        parallel_for(task, len(cloud), 1 if len(cloud) <= block else 2 * core_count())


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns and header of a file that is being written."""

    sh_degree: int
    flat: bool
    comments: tuple[str, ...]
    extras: dict[str, np.dtype[Any]]

    @classmethod
    def of(cls, cloud: SplatCloud, tags: Tags) -> _Layout:
        """What `cloud` needs, unless it is given."""
        degree, model, up, comments = tags.completed(cloud)
        text = comment_lines(model, up, comments)
        extras: dict[str, np.dtype[Any]] = {}
        for name, column in cloud.extras.items():
            kind = column.dtype
            known = {*_REQUIRED, "scale_2", *_NORMAL}
            plain = name.isascii() and name.isprintable() and len(name.split()) == 1
            if kind.kind not in "biuf" or not plain or name in known:
                _log.warning("PLY cannot hold the column %r; it is left out.", name)
            elif kind.str[1:] in _TYPE_NAMES:
                extras[name] = kind.newbyteorder("<")
            else:
                extras[name] = np.dtype("u1" if kind.kind == "b" else "<f8")
        return cls(degree, model == "2dgs", tuple(text), extras)

    @property
    def width(self) -> int:
        """Float32 columns of a row."""
        return len(self._names())

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Structured type of a row: the standard columns as one field, then the extra ones."""
        extras = [(f"extra {name}", kind) for name, kind in self.extras.items()]
        return np.dtype([("splat", "<f4", (self.width,)), *extras])

    def header(self, count: int | None, final: int = 0) -> bytes:
        """The header for `count` rows, or with room to put in the `final` count later."""
        number = str(final if count is None else count)
        room = [] if count is not None else ["comment " + " " * (15 - len(number))]
        lines = [
            "ply",
            "format binary_little_endian 1.0",
            *self.comments,
            *room,
            f"element vertex {number}",
            *(f"property float {name}" for name in self._names()),
            *(f"property {_TYPE_NAMES[k.str[1:]]} {name}" for name, k in self.extras.items()),
            "end_header",
        ]
        return ("\n".join(lines) + "\n").encode()

    def records(self, values: NDArray[np.float32], cloud: SplatCloud, rows: slice) -> NDArray[Any]:
        """Rows as they are in the file."""
        if not self.extras:
            return values
        records = np.zeros(len(values), self.dtype)
        records["splat"] = values
        for name in self.extras:
            if name in cloud.extras:
                records[f"extra {name}"] = cloud.extras[name][rows]
        return records

    def _names(self) -> list[str]:
        rest = [f"f_rest_{i}" for i in range(3 * ((self.sh_degree + 1) ** 2 - 1))]
        scales = _SCALE[: 2 if self.flat else 3]
        return [*_POSITION, *_DC, *rest, "opacity", *scales, *_ROTATION]


def _splat_element(header: PlyHeader, path: str | os.PathLike[str]) -> PlyElement:
    """The vertex element, once it is sure that its rows are splats."""
    vertex = header.element("vertex")
    if vertex is None:
        raise FileFormatError(f"The PLY has no vertices, so no splats: {path}")
    names = set(vertex.names)
    if "packed_position" in names:
        raise FileFormatError(
            f"This is a compressed PLY; open it as such (name it .compressed.ply): {path}"
        )
    missing = [name for name in _REQUIRED if name not in names]
    if missing:
        is_plain = not names & {*_SCALE, *_ROTATION, *_DC, "opacity"}
        faces = header.element("face")
        if is_plain and faces is not None and faces.count:
            raise FileFormatError(f"This PLY is a triangle mesh, not splats; import it so: {path}")
        if "scale_0" not in names:
            raise FileFormatError(
                f"This PLY is a point cloud, not splats (it has no scale_0 column): {path}"
            )
        raise FileFormatError(
            f"The PLY lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}, without "
            f"which splats cannot be drawn; export it again: {path}"
        )
    if vertex.lists:
        raise FileFormatError(f"The PLY's splats have list properties; export it again: {path}")
    if vertex.count == 0:
        raise FileFormatError(f"The file holds no splats: {path}")
    return vertex


@kernel
def _decode(
    rows: NDArray[np.float32],
    columns: NDArray[np.int64],
    means: NDArray[np.float32],
    quats: NDArray[np.float32],
    scales: NDArray[np.float32],
    opacities: NDArray[np.float32],
    sh: NDArray[np.float32],
) -> None:
    """Rows of a file in natural form; `columns` lists position, scale, rotation, opacity, SH."""
    one = np.float32(1.0)
    for i in range(rows.shape[0]):
        row = rows[i]
        for j in range(3):
            means[i, j] = row[columns[j]]
            scales[i, j] = np.exp(row[columns[3 + j]])
        # float64, so that no square overflows or vanishes.
        square = 0.0
        for j in range(4):
            value = np.float64(row[columns[6 + j]])
            square += value * value
        inverse = 1.0 / np.sqrt(square) if square != 0.0 else 1.0
        for j in range(4):
            quats[i, j] = np.float32(row[columns[6 + j]] * inverse)
        opacities[i] = one / (one + np.exp(-row[columns[10]]))
        for j in range(sh.shape[1]):
            sh[i, j] = row[columns[11 + j]]


@kernel
def _encode(
    means: NDArray[np.float32],
    quats: NDArray[np.float32],
    scales: NDArray[np.float32],
    opacities: NDArray[np.float32],
    sh: NDArray[np.float32],
    scale_count: int,
    rows: NDArray[np.float32],
) -> None:
    """Natural form to rows: position, DC, channel-major rest, logit, log scales, rotation."""
    bands = sh.shape[1] // 3
    after = 3 + 3 * bands
    for i in range(rows.shape[0]):
        for c in range(3):
            rows[i, c] = means[i, c]
            rows[i, 3 + c] = sh[i, c]
            for k in range(1, bands):
                rows[i, 5 + c * (bands - 1) + k] = sh[i, 3 * k + c]
        opacity = float(opacities[i])
        if opacity == opacity:  # NaN stays NaN
            opacity = min(max(opacity, OPACITY_MARGIN), 1.0 - OPACITY_MARGIN)
        rows[i, after] = np.float32(np.log(opacity / (1.0 - opacity)))
        for j in range(scale_count):
            rows[i, after + 1 + j] = np.log(scales[i, j])
        for j in range(4):
            rows[i, after + 1 + scale_count + j] = quats[i, j]
