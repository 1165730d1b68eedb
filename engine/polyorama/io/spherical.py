"""What players need to know of a film that surrounds: its projection, and how two eyes lie in it.

MP4 and MOV say it in the boxes of Spherical Video V2 (``st3d`` and ``sv3d``, in the description of
the samples) and, for players that know no more, in the older XML of V1; Matroska and WebM in the
elements StereoMode and Projection of the track. FFmpeg's writers are not told these through PyAV,
so they are added to a finished file, in place.
"""

from __future__ import annotations

import logging
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal

from polyorama.errors import OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["Presentation", "present"]

log = logging.getLogger(__name__)

_ST3D = {None: 0, "top-bottom": 1, "side-by-side": 2}
_V1_STEREO = {"top-bottom": "top-bottom", "side-by-side": "left-right"}
_MATROSKA_STEREO = {"side-by-side": 1, "top-bottom": 3}
"""The left eye comes first in all of them."""
_V1_ID = bytes.fromhex("ffcc8263f8554a938814587a02521fdd")
_BLOCK = 1 << 22

_ENTRY = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"")
"""The way to the description of the samples, whose kind differs with the codec."""
_BOX_HEADS = {b"stsd": 16, b"": 8 + 78}
_HEAD_BYTES = 1 << 20

_SEGMENT, _SEEK_HEAD, _TRACKS = b"\x18\x53\x80\x67", b"\x11\x4d\x9b\x74", b"\x16\x54\xae\x6b"
_SEEK, _SEEK_POSITION = b"\x4d\xbb", b"\x53\xac"
_TRACK, _VIDEO, _VOID, _CHECKSUM = b"\xae", b"\xe0", b"\xec", b"\xbf"
_STEREO_MODE, _PROJECTION = b"\x53\xb8", b"\x76\x70"
_PROJECTION_TYPE, _PROJECTION_PRIVATE = b"\x76\x71", b"\x76\x72"


@dataclass(frozen=True, slots=True)
class Presentation:
    """How a film is to be looked at.

    Parameters
    ----------
    panorama
        Whether it shows all directions, equirectangular.
    stereo
        How two eyes lie in it, left first, or None for one.

    Raises
    ------
    UsageError
        If there is no such layout.
    """

    panorama: bool = False
    stereo: Literal["side-by-side", "top-bottom"] | None = None

    def __post_init__(self) -> None:
        if self.stereo not in _ST3D:
            raise UsageError(
                f"There is no stereo {self.stereo!r}; choose side-by-side or top-bottom."
            )


def present(path: Path, presentation: Presentation) -> None:
    """Say in a film's file, which is changed in place, how it is to be looked at.

    GIF and WebP cannot say it; that is logged.

    Parameters
    ----------
    path
        A film as FFmpeg writes it; the ending tells its kind.
    presentation
        What to say; nothing is done where it is plain.

    Raises
    ------
    OutputError
        If the file is laid out in another way.
    """
    if not (presentation.panorama or presentation.stereo):
        return
    ending = path.suffix.lower()
    if ending in (".gif", ".webp"):
        log.warning(
            "Players will show this film flat, since %s cannot say that it is %s; choose .mp4 or "
            ".webm.", ending, "a panorama" if presentation.panorama else "stereo",
        )  # fmt: skip
        return
    with path.open("r+b") as file:
        try:
            if ending in (".mkv", ".webm"):
                _present_matroska(file, presentation)
            else:
                _present_boxes(file, presentation)
        except (ValueError, struct.error) as error:
            raise OutputError(
                f"The film cannot be marked as 360 degrees or stereo ({error}); choose another "
                f"kind of film: {path}"
            ) from error


# ---- MP4 and MOV -------------------------------------------------------------------------------


def _box(kind: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return struct.pack(">I4s", 8 + len(content), kind) + content


def _full_box(kind: bytes, *parts: bytes) -> bytes:
    """A box of version 0 without flags."""
    return _box(kind, bytes(4), *parts)


def _sample_boxes(presentation: Presentation) -> bytes:
    stereo = _full_box(b"st3d", bytes([_ST3D[presentation.stereo]]))
    if not presentation.panorama:
        return stereo
    source = _full_box(b"svhd", b"Polyorama\0")
    upright = _full_box(b"prhd", struct.pack(">3i", 0, 0, 0))
    whole = _full_box(b"equi", struct.pack(">4I", 0, 0, 0, 0))
    return stereo + _box(b"sv3d", source, _box(b"proj", upright, whole))


def _track_boxes(presentation: Presentation) -> bytes:
    """The same by V1, which knows panoramas alone."""
    if not presentation.panorama:
        return b""
    values = {
        "Spherical": "true",
        "Stitched": "true",
        "StitchingSoftware": "Polyorama",
        "ProjectionType": "equirectangular",
    }
    if presentation.stereo is not None:
        values["StereoMode"] = _V1_STEREO[presentation.stereo]
    fields = "".join(f"<GSpherical:{k}>{v}</GSpherical:{k}>" for k, v in values.items())
    xml = (
        '<?xml version="1.0"?><rdf:SphericalVideo '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:GSpherical="http://ns.google.com/videos/1.0/spherical/">'
        f"{fields}</rdf:SphericalVideo>"
    )
    return _box(b"uuid", _V1_ID, xml.encode())


def _present_boxes(file: BinaryIO, presentation: Presentation) -> None:
    start, size = _top_box(file, b"moov")
    file.seek(start)
    index = bytearray(file.read(size))
    _append(index, _ENTRY, _sample_boxes(presentation))
    _append(index, _ENTRY[:2], _track_boxes(presentation))
    end, grown = start + size, len(index) - size
    if file.seek(0, 2) > end:
        _move_offsets(index, end, grown)
        _make_room(file, end, grown)
    file.seek(start)
    file.write(index)


def _top_box(file: BinaryIO, kind: bytes) -> tuple[int, int]:
    """Where a box begins, and its size."""
    end, at = file.seek(0, 2), 0
    while at + 8 <= end:
        file.seek(at)
        size, found = struct.unpack(">I4s", file.read(8))
        if size == 1:
            (size,) = struct.unpack(">Q", file.read(8))
        if size < 8 or at + size > end:
            break
        if found == kind:
            return at, size
        at += size
    raise ValueError(f"no {kind.decode()} box")


def _trail(index: bytes | bytearray, kinds: Sequence[bytes]) -> list[int]:
    """Where each box begins, of which each holds the next; an empty kind is the first box."""
    starts: list[int] = []
    start, end = 0, len(index)
    for kind in kinds:
        at = start
        while True:
            if at + 8 > end:
                raise ValueError(f"no {kind.decode() or 'sample'} box")
            size, found = struct.unpack_from(">I4s", index, at)
            if size < 8 or at + size > end:
                raise ValueError("a box of a wrong size")
            if not kind or found == kind:
                break
            at += size
        starts.append(at)
        start, end = at + _BOX_HEADS.get(kind, 8), at + size
    return starts


def _append(index: bytearray, kinds: Sequence[bytes], added: bytes) -> None:
    """Put bytes at the end of a box; all around it grow."""
    starts = _trail(index, kinds)
    sizes = [struct.unpack_from(">I", index, start)[0] for start in starts]
    for start, size in zip(starts, sizes, strict=True):
        struct.pack_into(">I", index, start, size + len(added))
    end = starts[-1] + sizes[-1]
    index[end:end] = added


def _move_offsets(index: bytearray, after: int, distance: int) -> None:
    """Add to where pictures and sound lie in the file, of what lies behind `after`."""
    moved = 0
    for start, end in _boxes(index, 8, len(index), b"trak"):
        table, layout = _chunk_table(index, start, end)
        width = struct.calcsize(layout)
        (count,) = struct.unpack_from(">I", index, table + 12)
        for at in range(table + 16, table + 16 + count * width, width):
            (offset,) = struct.unpack_from(layout, index, at)
            if offset >= after:
                struct.pack_into(layout, index, at, offset + distance)
        moved += 1
    if not moved:
        raise ValueError("no track")


def _chunk_table(index: bytearray, start: int, end: int) -> tuple[int, str]:
    """Where a track's table of chunks begins, and the form of a place in it."""
    for kind in (b"mdia", b"minf", b"stbl"):
        start, end = next(_boxes(index, start + 8, end, kind), (0, 0))
    for kind, layout in ((b"stco", ">I"), (b"co64", ">Q")):
        for table, _ in _boxes(index, start + 8, end, kind):
            return table, layout
    raise ValueError("no table of chunks")


def _boxes(index: bytearray, start: int, end: int, kind: bytes) -> Iterator[tuple[int, int]]:
    """Beginning and end of each box of a kind in a stretch of boxes."""
    while start + 8 <= end:
        size, found = struct.unpack_from(">I4s", index, start)
        if size < 8 or start + size > end:
            raise ValueError("a box of a wrong size")
        if found == kind:
            yield start, start + size
        start += size


def _make_room(file: BinaryIO, start: int, distance: int) -> None:
    """Move all from `start` on towards the end, the last part first."""
    end = file.seek(0, 2)
    while end > start:
        begin = max(start, end - _BLOCK)
        file.seek(begin)
        block = file.read(end - begin)
        file.seek(begin + distance)
        file.write(block)
        end = begin


# ---- Matroska and WebM -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Element:
    """An element of EBML: its id, and where it, its content and what follows begin."""

    id: bytes
    start: int
    content: int
    end: int


def _elements(data: bytes, start: int, end: int) -> Iterator[_Element]:
    at = start
    while at < end:
        size_at = at + _width(data, at)
        size_width = _width(data, size_at)
        size = int.from_bytes(data[size_at : size_at + size_width]) & ((1 << 7 * size_width) - 1)
        content = size_at + size_width
        yield _Element(data[at:size_at], at, content, content + size)
        at = content + size


def _width(data: bytes, at: int) -> int:
    """Bytes of a number, told by the zeros that it begins with."""
    if at >= len(data) or not data[at]:
        raise ValueError("an element that is none")
    return 9 - data[at].bit_length()


def _child(data: bytes, parent: _Element, kind: bytes) -> _Element:
    """The first of its kind; of a parent that goes on beyond the data too."""
    for element in _elements(data, parent.content, min(parent.end, len(data))):
        if element.id == kind and (element.end <= len(data) or kind == _SEGMENT):
            return element
    raise ValueError(f"no element {kind.hex()}")


def _element(kind: bytes, content: bytes) -> bytes:
    size, width = len(content), 1
    while size >= (1 << 7 * width) - 1:  # all ones would mean an unknown size
        width += 1
    return kind + (size | 1 << 7 * width).to_bytes(width) + content


def _video_elements(presentation: Presentation) -> bytes:
    added = b""
    if presentation.stereo is not None:
        added += _element(_STEREO_MODE, bytes([_MATROSKA_STEREO[presentation.stereo]]))
    if presentation.panorama:
        # What MP4's box "equi" holds: version, flags, and how much is cut off at each side.
        added += _element(
            _PROJECTION,
            _element(_PROJECTION_TYPE, b"\1") + _element(_PROJECTION_PRIVATE, bytes(20)),
        )
    return added


def _present_matroska(file: BinaryIO, presentation: Presentation) -> None:
    """The track grows into the empty space that FFmpeg leaves before it; pictures stay in place."""
    data = file.read(_HEAD_BYTES)
    segment = _child(data, _Element(b"", 0, 0, len(data)), _SEGMENT)
    seek_head, void, tracks = (_child(data, segment, k) for k in (_SEEK_HEAD, _VOID, _TRACKS))
    track = _child(data, tracks, _TRACK)
    video = _child(data, track, _VIDEO)
    bigger = _element(_VIDEO, data[video.content : video.end] + _video_elements(presentation))
    bigger = _element(
        _TRACK, data[track.content : video.start] + bigger + data[video.end : track.end]
    )
    content = data[tracks.content : track.start] + bigger + data[track.end : tracks.end]
    bigger = _element(_TRACKS, _checked(content))
    grown = len(bigger) - (tracks.end - tracks.start)
    room = void.end - void.start - grown
    if not seek_head.end <= void.start < tracks.start or room < 9:
        raise ValueError("no room for it")
    empty = _VOID + (room - 9 | 1 << 56).to_bytes(8) + bytes(room - 9)
    moved = range(void.end - segment.content, tracks.end - segment.content)
    file.seek(seek_head.content)
    file.write(
        _moved_places(data, seek_head, moved, grown)
        + data[seek_head.end : void.start]
        + empty
        + data[void.end : tracks.start]
        + bigger
    )


def _moved_places(data: bytes, seek_head: _Element, moved: range, distance: int) -> bytes:
    """The content of the list of elements, after some of them moved towards the front."""
    content = bytearray(data[seek_head.content : seek_head.end])
    for seek in _elements(data, seek_head.content, seek_head.end):
        if seek.id != _SEEK:
            continue
        place = _child(data, seek, _SEEK_POSITION)
        value = int.from_bytes(data[place.content : place.end])
        if value in moved:
            at = place.content - seek_head.content
            width = place.end - place.content
            content[at : at + width] = (value - distance).to_bytes(width)
    return _checked(bytes(content))


def _checked(content: bytes) -> bytes:
    """Content with its checksum made anew, where it begins with one."""
    if content[:2] != _CHECKSUM + b"\x84":
        return content
    return content[:2] + zlib.crc32(content[6:]).to_bytes(4, "little") + content[6:]
