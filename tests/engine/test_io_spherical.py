"""Films that surround say so, to FFmpeg and to a parser of the formats; their pictures stay."""

from __future__ import annotations

import logging
import struct
import zlib
from typing import TYPE_CHECKING

import av
import numpy as np
import pytest

from polyorama.errors import OutputError, UsageError
from polyorama.io import spherical
from polyorama.io.spherical import Presentation, present
from polyorama.io.video import join_films, write_video

if TYPE_CHECKING:
    from pathlib import Path

LAYOUTS = [None, "top-bottom", "side-by-side"]
FFMPEG_STEREO = {None: 0, "side-by-side": 1, "top-bottom": 2}
KINDS = [("mp4", None), ("mp4", "h265"), ("mov", None), ("webm", None), ("mkv", None)]


def frames(count: int = 12) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, 256, (96, 192, 3), dtype=np.uint8) for _ in range(count)]


def packets(path: Path) -> list[tuple[bytes, int]]:
    with av.open(str(path)) as container:
        return [(bytes(p), p.pts) for p in container.demux(video=0) if p.size]


def told(path: Path) -> dict[str, tuple[int, ...]]:
    """The whole numbers of FFmpeg's AVSphericalMapping and the kind of its AVStereo3D."""
    with av.open(str(path)) as container:
        frame = next(container.decode(video=0))
        data = {side.type.name: bytes(side) for side in frame.side_data}
    found = {}
    if "SPHERICAL" in data:
        found["SPHERICAL"] = struct.unpack_from("=9i", data["SPHERICAL"])
    if "STEREO3D" in data:
        found["STEREO3D"] = struct.unpack_from("=i", data["STEREO3D"])
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("ending", "codec"), KINDS)
def test_ffmpeg_reads_it_and_the_same_pictures(tmp_path: Path, ending, codec, layout) -> None:
    plain, whole = tmp_path / f"plain.{ending}", tmp_path / f"whole.{ending}"
    write_video(plain, frames(), 12, codec=codec)
    write_video(whole, frames(), 12, codec=codec, presentation=Presentation(True, layout))
    assert told(plain) == {}
    found = told(whole)
    assert found["SPHERICAL"] == (0,) * 9  # equirectangular, upright, nothing cut off
    assert found.get("STEREO3D", (0,)) == (FFMPEG_STEREO[layout],)
    assert packets(whole) == packets(plain)
    with av.open(str(whole)) as container:
        container.seek(10 * av.time_base // 12, backward=True)
        assert next(container.decode(video=0)).width == 192


@pytest.mark.parametrize("ending", ["mp4", "mov", "webm"])
def test_two_flat_eyes_are_no_panorama(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    write_video(path, frames(3), presentation=Presentation(stereo="side-by-side"))
    assert told(path) == {"STEREO3D": (1,)}


@pytest.mark.parametrize(
    ("ending", "part"), [("mp4", "mp4"), ("mov", "mov"), ("webm", "webm"), ("mkv", "mp4")]
)
def test_joined_films_say_it(tmp_path: Path, ending: str, part: str) -> None:
    parts = [tmp_path / f"{number}.{part}" for number in range(2)]
    for piece in parts:
        write_video(piece, frames(4), 12)
    path = tmp_path / f"a.{ending}"
    join_films(path, parts, 12, presentation=Presentation(True, "top-bottom"))
    assert set(told(path)) == {"SPHERICAL", "STEREO3D"}
    assert [data for data, _ in packets(path)] == [d for piece in parts for d, _ in packets(piece)]


# ---- The formats, read by their specifications ------------------------------------------------


def boxes(data: bytes) -> dict[str, bytes]:
    """Contents of boxes by kind, of one level; the first of each kind."""
    found: dict[str, bytes] = {}
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        assert size >= 8
        assert at + size <= len(data)
        found.setdefault(data[at + 4 : at + 8].decode("latin-1"), data[at + 8 : at + size])
        at += size
    return found


def inner(data: bytes, *kinds: str) -> bytes:
    for kind in kinds:
        data = boxes(data)[kind]
    return data


@pytest.mark.parametrize(("layout", "mode"), [(None, 0), ("top-bottom", 1), ("side-by-side", 2)])
@pytest.mark.parametrize(("ending", "entry"), [("mp4", "avc1"), ("mov", "ap4h")])
def test_boxes_are_those_of_the_specification(tmp_path, ending, entry, layout, mode) -> None:
    path = tmp_path / f"a.{ending}"
    write_video(path, frames(3), presentation=Presentation(True, layout))
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    track = boxes(inner(data, "moov", "trak"))
    table = boxes(inner(track["mdia"], "minf", "stbl"))
    described = boxes(boxes(table["stsd"][8:])[entry][78:])
    assert described["st3d"] == bytes(4) + bytes([mode])
    surround = boxes(described["sv3d"])
    assert list(surround) == ["svhd", "proj"]
    assert surround["svhd"][:4] == bytes(4)
    assert surround["svhd"][4:].index(0) == len(surround["svhd"]) - 5
    projection = boxes(surround["proj"])
    assert projection == {"prhd": bytes(16), "equi": bytes(20)}
    assert track["uuid"][:16].hex() == "ffcc8263f8554a938814587a02521fdd"
    assert b"<GSpherical:ProjectionType>equirectangular<" in track["uuid"]
    assert (b"StereoMode" in track["uuid"]) == (layout is not None)
    # Where the table of chunks says, the first picture lies.
    offset = int.from_bytes(table["stco"][8:12], "big")
    assert data[offset:].startswith(packets(path)[0][0])


def elements(data: bytes) -> list[tuple[str, bytes, int]]:
    """Ids, contents and places of EBML's elements, of one level."""
    found, at = [], 0
    while at < len(data):
        start = at
        width = next(n for n in range(1, 5) if data[at] & 0x80 >> n - 1)
        name = data[at : at + width].hex()
        at += width
        width = next(n for n in range(1, 9) if data[at] & 0x80 >> n - 1)
        size = int.from_bytes(data[at : at + width], "big") - (0x80 << 8 * (width - 1) >> width - 1)
        at += width
        assert at + size <= len(data)
        found.append((name, data[at : at + size], start))
        at += size
    return found


def element(data: bytes, *names: str) -> bytes:
    for name in names:
        data = next(content for found, content, _ in elements(data) if found == name)
    return data


SEGMENT, SEEK_HEAD, TRACKS, INFO = "18538067", "114d9b74", "1654ae6b", "1549a966"


@pytest.mark.parametrize(("layout", "mode"), [(None, None), ("top-bottom", 3), ("side-by-side", 1)])
@pytest.mark.parametrize("ending", ["webm", "mkv"])
def test_elements_are_those_of_the_specification(tmp_path, ending, layout, mode) -> None:
    plain, path = tmp_path / f"plain.{ending}", tmp_path / f"a.{ending}"
    write_video(plain, frames(3))
    write_video(path, frames(3), presentation=Presentation(True, layout))
    assert path.stat().st_size == plain.stat().st_size
    segment = element(path.read_bytes(), SEGMENT)
    video = element(segment, TRACKS, "ae", "e0")
    found = {name: content for name, content, _ in elements(video)}
    assert found.get("53b8", b"") == (b"" if mode is None else bytes([mode]))
    assert [e[:2] for e in elements(found["7670"])] == [("7671", b"\1"), ("7672", bytes(20))]
    # Every place in the list of elements is that element's, and checksums fit.
    places = {start: name for name, _, start in elements(segment)}
    listed = [content for name, content, _ in elements(element(segment, SEEK_HEAD)) if name != "bf"]
    assert {element(seek, "53ab").hex() for seek in listed} > {TRACKS, INFO}
    for seek in listed:
        position = int.from_bytes(element(seek, "53ac"), "big")
        assert places[position] == element(seek, "53ab").hex()
    checked = 0
    for name in (SEEK_HEAD, TRACKS):
        content = element(segment, name)
        if content[:2] == b"\xbf\x84":
            assert content[2:6] == zlib.crc32(content[6:]).to_bytes(4, "little")
            checked += 1
    assert checked == (2 if ending == "mkv" else 0)


def test_an_index_at_the_end_grows_there(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=12)
        stream.width, stream.height, stream.pix_fmt = 192, 96, "yuv420p"
        for values in frames(5):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(values, "rgb24")))
        container.mux(stream.encode(None))
    before = packets(path)
    data = path.read_bytes()
    assert data.index(b"mdat") < data.index(b"moov")
    present(path, Presentation(True))
    assert packets(path) == before
    assert "SPHERICAL" in told(path)


def test_long_films_are_moved_in_blocks(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "a.mp4"
    write_video(path, frames(5))
    before = packets(path)
    monkeypatch.setattr(spherical, "_BLOCK", 100)
    present(path, Presentation(True))
    assert packets(path) == before


def test_tables_of_long_films_are_moved(tmp_path: Path) -> None:
    """With 64-bit offsets, as FFmpeg writes them beyond 4 GiB."""
    path = tmp_path / "a.mp4"
    write_video(path, frames(5))
    before, data = packets(path), path.read_bytes()
    table = inner(data, "moov", "trak", "mdia", "minf", "stbl", "stco")
    offsets = struct.unpack(f">{len(table) // 4 - 2}I", table[8:])
    grown = 4 * len(offsets)
    wide = table[:8] + struct.pack(f">{len(offsets)}Q", *(o + grown for o in offsets))
    data = data.replace(b"stco" + table, b"co64" + wide)
    for kind in ("moov", "trak", "mdia", "minf", "stbl", "co64"):
        at = data.index(kind.encode()) - 4
        size = int.from_bytes(data[at : at + 4], "big") + grown
        data = data[:at] + size.to_bytes(4, "big") + data[at + 4 :]
    path.write_bytes(data)
    assert packets(path) == before
    present(path, Presentation(True))
    assert packets(path) == before


@pytest.mark.parametrize("ending", ["gif", "webp"])
def test_moving_pictures_cannot_say_it(tmp_path: Path, ending: str, caplog) -> None:
    path = tmp_path / f"a.{ending}"
    with caplog.at_level(logging.WARNING):
        write_video(path, frames(2), 10, presentation=Presentation(True))
    assert "will show this film flat" in caplog.text


@pytest.mark.parametrize("ending", ["mp4", "webm"])
@pytest.mark.parametrize("keep", [0, 7, 40, 200, 290])
def test_another_layout_is_one_sentence(tmp_path: Path, ending: str, keep: int) -> None:
    path = tmp_path / f"a.{ending}"
    write_video(path, frames(2))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(OutputError, match="cannot be marked"):
        present(path, Presentation(True))


def test_an_unknown_layout_is_refused() -> None:
    with pytest.raises(UsageError, match="no stereo"):
        Presentation(True, "crossed")  # type: ignore[arg-type]
