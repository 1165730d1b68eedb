"""PLY headers: parsed within limits before memory is taken, and the tags in their comments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyorama.errors import FileFormatError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from polyorama.scene.splats import SplatModel

__all__ = [
    "HEADER_LIMIT",
    "PlyElement",
    "PlyHeader",
    "comment_lines",
    "model_in_comments",
    "parse_header",
    "rest_columns",
    "up_in_comments",
]

HEADER_LIMIT = 1 << 18
"""Longest header in bytes that is accepted."""

_PROPERTY_LIMIT = 1024
_ELEMENT_LIMIT = 64
_COMMENT_BYTES = 1 << 16

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip

_ENCODINGS = ("ascii", "binary_little_endian", "binary_big_endian")

_PROVENANCE = "Written by Polyorama"
_MODEL_TAGS: dict[SplatModel, str] = {"antialiased": "mip", "2dgs": "2dgs"}


@dataclass(frozen=True, slots=True)
class PlyElement:
    """One element: its name, row count, and the columns in file order.

    Parameters
    ----------
    name, count
        As the header says them.
    names
        Property names; unique.
    types
        NumPy type of each property, or of a list's items, such as ``"<f4"``.
    lengths
        NumPy type of each list's length; None for a plain property.
    """

    name: str
    count: int
    names: tuple[str, ...]
    types: tuple[str, ...]
    lengths: tuple[str | None, ...]

    @property
    def lists(self) -> bool:
        """Whether some property is a list, so that rows differ in length."""
        return any(length is not None for length in self.lengths)

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Structured type of a row; only where no property is a list."""
        return np.dtype(list(zip(self.names, self.types, strict=True)))

    @property
    def row_bytes(self) -> int:
        """Bytes of a binary row; only where no property is a list."""
        return sum(int(kind[-1]) for kind in self.types)


@dataclass(frozen=True, slots=True)
class PlyHeader:
    """A parsed header.

    Parameters
    ----------
    encoding
        How the data is stored.
    elements
        In file order.
    comments
        The text of ``comment`` and ``obj_info`` lines; blank ones are left out.
    size
        Bytes of the header; the data begins there.
    """

    encoding: Literal["ascii", "binary_little_endian", "binary_big_endian"]
    elements: tuple[PlyElement, ...]
    comments: tuple[str, ...]
    size: int

    def element(self, name: str) -> PlyElement | None:
        """The element of that name, or None."""
        return next((e for e in self.elements if e.name == name), None)

    def data_offset(self, name: str, path: str | os.PathLike[str], file_bytes: int) -> int:
        """Where the rows of a binary element begin, in bytes; its end is checked to be there.

        Raises
        ------
        FileFormatError
            If lists come before the element, or the file is too short to hold its rows.
        """
        offset = self.size
        for element in self.elements:
            if element.lists:
                raise FileFormatError(
                    f"The PLY's {element.name!r} lists come before or among its splats; save it "
                    f"with the vertices first: {path}"
                )
            end = offset + element.count * element.row_bytes
            if element.name == name:
                if end > file_bytes:
                    raise FileFormatError(
                        f"The PLY promises {element.count:,} rows of {name!r} ({end:,} bytes in "
                        f"all), but has {file_bytes:,} bytes; export or download it again: {path}"
                    )
                return offset
            offset = end
        raise FileFormatError(f"The PLY has no element {name!r}: {path}")


def parse_header(head: bytes, path: str | os.PathLike[str]) -> PlyHeader:
    """Parse the first bytes of a file, at least `HEADER_LIMIT` of them where it has so many.

    Raises
    ------
    FileFormatError
        If this is no PLY header, it is damaged, or it is longer than the limits allow.
    """
    encoding: str | None = None
    elements: list[PlyElement] = []
    comments: list[str] = []
    lines = _lines(head, path)
    _, first = next(lines, (0, b""))
    if first.strip() != b"ply":
        raise FileFormatError(f"This is not a PLY file (its first line is not 'ply'): {path}")
    for end, line in lines:
        words = line.split(None, 1)
        if not words:
            continue
        if words[0] in (b"comment", b"obj_info"):
            text = words[1].decode("utf-8", "replace").strip() if len(words) > 1 else ""
            if text:
                comments.append(text)
            continue
        try:
            tokens = line.decode("ascii").split()
        except UnicodeDecodeError:
            raise FileFormatError(f"The PLY header is damaged (not plain text): {path}") from None
        match tokens:
            case ["end_header"]:
                if encoding is None:
                    raise FileFormatError(f"The PLY header names no format: {path}")
                return PlyHeader(encoding, tuple(elements), tuple(comments), end)  # type: ignore[arg-type]
            case ["format", kind, _] if kind in _ENCODINGS and encoding is None:
                encoding = kind
            case ["element", name, count] if encoding is not None:
                elements.append(_element(name, count, elements, path))
            case ["property", *rest] if elements:
                elements[-1] = _with_property(elements[-1], rest, encoding, path)
            case _:
                shown = line[:60].decode("ascii", "replace").strip()
                raise FileFormatError(f"The PLY header has a line {shown!r} it may not: {path}")
    raise FileFormatError(
        f"The PLY header does not end within {HEADER_LIMIT:,} bytes or the file: {path}"
    )


def rest_columns(
    names: Iterable[str], path: str | os.PathLike[str]
) -> tuple[int, list[list[str | None]]]:
    """The file's SH degree (0 to 4) and the names of the ``f_rest_*`` columns by coefficient.

    PLY keeps them channel-major: all of red, then green, then blue.

    Returns
    -------
    degree, columns
        ``columns[k][c]`` names coefficient k + 1 of channel c, or is None where that one column is
        missing.

    Raises
    ------
    FileFormatError
        If no SH degree has so many coefficients.
    """
    numbers = {
        int(name[7:]): name
        for name in names
        if name.startswith("f_rest_") and name[7:].isdigit() and len(name) <= 10
    }
    total = max(numbers) + 1 if numbers else 0
    degree = {0: 0, 9: 1, 24: 2, 45: 3, 72: 4}.get(total)
    if degree is None:
        raise FileFormatError(
            f"The PLY has {total} f_rest columns, which is no SH degree (9, 24, 45 or 72): {path}"
        )
    bands = total // 3
    return degree, [[numbers.get(c * bands + k) for c in range(3)] for k in range(bands)]


def model_in_comments(comments: Iterable[str]) -> SplatModel | None:
    """The render mode that a comment names, or None; the last one counts."""
    model: SplatModel | None = None
    for comment in comments:
        words = comment.lower().replace("=", " ").split()
        match words:
            case ["splatrendermode:", "mip"] | ["antialiased" | "antialiased:", "1"]:
                model = "antialiased"
            case ["splatrendermode:", "2dgs"]:
                model = "2dgs"
            case ["splatrendermode:", "default"] | ["antialiased" | "antialiased:", "0"]:
                model = "default"
    return model


def up_in_comments(comments: Iterable[str]) -> tuple[float, float, float] | None:
    """The direction of a comment ``Up: x y z`` (our own tag), or None."""
    for comment in comments:
        words = comment.split()
        if len(words) == 4 and words[0] == "Up:":
            try:
                x, y, z = (float(word) for word in words[1:])
            except ValueError:
                continue
            if all(map(math.isfinite, (x, y, z))) and (x, y, z) != (0.0, 0.0, 0.0):
                return x, y, z
    return None


def comment_lines(
    model: SplatModel, up: tuple[float, float, float] | None, comments: Iterable[str]
) -> list[str]:
    """Header lines for a cloud's tags and comments, without line ends.

    Old tags are replaced, control characters removed; text beyond 64 KiB is left out, since no
    reader would accept such a header.
    """
    lines = [_PROVENANCE]
    if model in _MODEL_TAGS:
        lines.append(f"SplatRenderMode: {_MODEL_TAGS[model]}")
    if up is not None:
        lines.append("Up: " + " ".join(f"{value:.9g}" for value in up))
    room = _COMMENT_BYTES
    for comment in comments:
        for line in comment.splitlines():
            text = "".join(c for c in line if c.isprintable()).strip()
            is_tag = model_in_comments([text]) is not None or up_in_comments([text]) is not None
            if not text or is_tag or text == _PROVENANCE:
                continue
            size = len(text.encode()) + 9
            if size <= room:
                room -= size
                lines.append(text)
    return [f"comment {line}" for line in lines]


def _lines(head: bytes, path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Lines of the header, each with the offset just behind it; CR, LF or both end a line."""
    position = 0
    limit = min(len(head), HEADER_LIMIT)
    # Old Mac files end lines with \r alone; the first line tells which kind this is.
    first = head.find(b"\n", 0, 16)
    ending = b"\r" if first < 0 and head.find(b"\r", 0, 16) > 0 else b"\n"
    while position < limit:
        end = head.find(ending, position, limit)
        if end < 0:
            return
        yield end + 1, head[position:end]
        position = end + 1


def _element(
    name: str, count: str, others: list[PlyElement], path: str | os.PathLike[str]
) -> PlyElement:
    if len(others) >= _ELEMENT_LIMIT:
        raise FileFormatError(f"The PLY has more than {_ELEMENT_LIMIT} elements: {path}")
    if any(other.name == name for other in others):
        raise FileFormatError(f"The PLY has two elements {name[:60]!r}: {path}")
    if not count.isdigit() or len(count) > 15:
        raise FileFormatError(f"The PLY has an impossible count of {count[:20]!r} rows: {path}")
    return PlyElement(name, int(count), (), (), ())


def _with_property(
    element: PlyElement, words: list[str], encoding: str | None, path: str | os.PathLike[str]
) -> PlyElement:
    order = ">" if encoding == "binary_big_endian" else "<"
    length_kind: str | None
    match words:
        case ["list", length, item, name] if {length, item} <= _TYPES.keys():
            kind, length_kind = order + _TYPES[item], order + _TYPES[length]
        case [item, name] if item in _TYPES:
            kind, length_kind = order + _TYPES[item], None
        case _:
            shown = " ".join(words)[:60]
            raise FileFormatError(f"The PLY has a property {shown!r} of unknown type: {path}")
    if name in element.names:
        raise FileFormatError(f"The PLY has two properties {name[:60]!r}: {path}")
    if len(element.names) >= _PROPERTY_LIMIT:
        raise FileFormatError(f"The PLY has more than {_PROPERTY_LIMIT} properties: {path}")
    return PlyElement(
        element.name,
        element.count,
        (*element.names, name),
        (*element.types, kind),
        (*element.lengths, length_kind),
    )
