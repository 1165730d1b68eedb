"""EXR: what is written comes back, by its own library and by FFmpeg's independent decoder."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import av
import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.exr import NOTHING, read_exr_text, write_exr
from tests.engine.exr_reader import read_exr

if TYPE_CHECKING:
    from pathlib import Path


def layers(height: int = 24, width: int = 32) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    alpha = random.random((height, width, 1)).astype(np.float32)
    light = np.concatenate([random.random((height, width, 3)) * 3 * alpha, alpha], axis=2)
    depth = random.uniform(1, 9, (height, width)).astype(np.float32)
    ids = random.integers(0, 100_000, (height, width)).astype(np.int32)
    ids[3:5] = -1
    depth[3:5] = 0.0
    normals = random.normal(size=(height, width, 3))
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return {
        "linear": light.astype(np.float32),
        "depth": depth,
        "ids": ids,
        "normals": normals.astype(np.float32),
    }


def written(path: Path, **changes: object) -> dict[str, np.ndarray]:
    meant = layers()
    light = meant["linear"]
    owner = (np.arange(100_000) // 40_000).astype(np.int32)
    write_exr(
        path, light, depth=meant["depth"], ids=meant["ids"], normals=meant["normals"],
        node_index=owner, nodes=["chair", "table", "lamp"], world_to_camera=np.eye(4),
        text={"Comment": "polyorama render a.ply", "Fingerprint": "12ab"}, **changes,
    )  # fmt: skip
    meant["owner"] = np.where(meant["ids"] >= 0, owner[meant["ids"]], -1)
    return meant


def test_all_layers_come_back(tmp_path: Path) -> None:
    meant = written(tmp_path / "a.exr")
    channels, words = read_exr(tmp_path / "a.exr")
    assert sorted(channels) == sorted(
        ["R", "G", "B", "A", "Z", "normal.X", "normal.Y", "normal.Z", "id.splat", "id.node"]
    )
    for i, name in enumerate("RGBA"):
        assert channels[name].dtype == np.float16
        assert np.array_equal(channels[name], meant["linear"][..., i].astype(np.float16))
    assert channels["Z"].dtype == np.float32
    nothing = meant["depth"] == 0
    assert (channels["Z"][nothing] == NOTHING).all()
    assert np.array_equal(channels["Z"][~nothing], meant["depth"][~nothing])
    assert channels["id.splat"].dtype == channels["id.node"].dtype == np.uint32
    assert np.array_equal(channels["id.splat"].astype(int) - 1, meant["ids"])
    assert np.array_equal(channels["id.node"].astype(int) - 1, meant["owner"])
    for i, axis in enumerate("XYZ"):
        assert np.abs(channels[f"normal.{axis}"] - meant["normals"][..., i]).max() < 1e-3
    assert words["nodes"] == "chair\ntable\nlamp"
    assert words["software"].startswith("Polyorama ")
    found = read_exr_text(tmp_path / "a.exr")
    assert found["Comment"] == "polyorama render a.ply"
    assert found["Fingerprint"] == "12ab"


def decoded(path: Path, layer: str) -> np.ndarray:
    """A layer as FFmpeg's decoder, which shares no code with OpenEXR, sees it."""
    with av.open(str(path)) as container:
        container.streams.video[0].codec_context.options = {"layer": layer}
        frame = next(container.decode(video=0))
        depth = np.float16 if "16" in frame.format.name else np.float32
        planes = [
            np.frombuffer(bytes(plane), depth).reshape(frame.height, -1)[:, : frame.width]
            for plane in frame.planes
        ]
    order = [2, 0, 1, 3][: len(planes)]  # planes lie as G, B, R, A
    return np.stack([planes[i] for i in order], axis=-1).astype(np.float32)


def test_another_decoder_reads_the_layers_by_name(tmp_path: Path) -> None:
    meant = written(tmp_path / "a.exr")
    light = decoded(tmp_path / "a.exr", "")
    assert light.shape == (24, 32, 4)
    assert np.array_equal(light, meant["linear"].astype(np.float16).astype(np.float32))
    normals = decoded(tmp_path / "a.exr", "normal")
    assert np.abs(normals[..., :3] - meant["normals"]).max() < 1e-3


def attributes(data: bytes) -> dict[str, tuple[str, bytes]]:
    """The header of an EXR file, parsed by hand: names to types and bytes."""
    assert data[:4] == bytes([0x76, 0x2F, 0x31, 0x01])
    at, found = 8, {}
    while data[at]:
        name, rest = data[at:].split(b"\x00", 1)
        kind, _ = rest.split(b"\x00", 1)
        at += len(name) + len(kind) + 2
        size = struct.unpack_from("<i", data, at)[0]
        found[name.decode()] = (kind.decode(), data[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def test_the_header_is_what_the_format_says(tmp_path: Path) -> None:
    written(tmp_path / "a.exr")
    found = attributes((tmp_path / "a.exr").read_bytes())
    kind, listed = found["channels"]
    assert kind == "chlist"
    types, at = {}, 0
    while listed[at]:
        name = listed[at:].split(b"\x00", 1)[0]
        at += len(name) + 1
        types[name.decode()] = struct.unpack_from("<i", listed, at)[0]
        at += 16
    uint, half, full = 0, 1, 2
    assert types == {
        "A": half, "B": half, "G": half, "R": half, "Z": full, "id.node": uint, "id.splat": uint,
        "normal.X": half, "normal.Y": half, "normal.Z": half,
    }  # fmt: skip
    assert list(types) == sorted(types)
    zip_of_16_rows = 3
    assert found["compression"] == ("compression", bytes([zip_of_16_rows]))
    assert struct.unpack("<4i", found["dataWindow"][1]) == (0, 0, 31, 23)
    assert found["chromaticities"][0] == "chromaticities"
    assert found["worldToCamera"][0] == "m44f"
    assert found["comments"] == ("string", b"polyorama render a.ply")


def test_the_same_layers_give_the_same_bytes(tmp_path: Path) -> None:
    written(tmp_path / "a.exr")
    written(tmp_path / "b.exr")
    assert (tmp_path / "a.exr").read_bytes() == (tmp_path / "b.exr").read_bytes()


def test_a_layer_alone_and_light_too_bright_for_half(tmp_path: Path) -> None:
    write_exr(tmp_path / "z.exr", depth=layers()["depth"])
    assert list(read_exr(tmp_path / "z.exr")[0]) == ["Z"]
    hot = np.full((2, 3, 4), 1e6, np.float32)
    write_exr(tmp_path / "hot.exr", hot)
    assert np.isfinite(read_exr(tmp_path / "hot.exr")[0]["R"]).all()
    empty = np.full((2, 3), -1, np.int32)
    write_exr(tmp_path / "none.exr", ids=empty, node_index=np.zeros(0, np.int32))
    assert not read_exr(tmp_path / "none.exr")[0]["id.node"].any()


def test_errors_are_told_and_leave_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    light = layers()["linear"]
    with pytest.raises(OutputError, match=r"\.exr.*a\.png"):
        write_exr(tmp_path / "a.png", light)
    with pytest.raises(UsageError, match="one size"):
        write_exr(tmp_path / "a.exr", light, depth=np.ones((2, 2), np.float32))
    with pytest.raises(UsageError, match="one size"):
        write_exr(tmp_path / "a.exr")
    with pytest.raises(OutputError, match="missing"):
        write_exr(tmp_path / "missing" / "a.exr", light)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "bad.exr").write_bytes(b"v/1\x01 and so on" * 9)
    with pytest.raises(FileFormatError, match=r"bad\.exr"):
        read_exr_text(tmp_path / "bad.exr")
    with pytest.raises(FileFormatError, match=r"no such file.*none\.exr"):
        read_exr_text(tmp_path / "none.exr")
    assert capfd.readouterr().out == ""
