"""Damaged files: whatever the bytes, reading ends in a cloud or in a `PolyoramaError`."""

from __future__ import annotations

import base64
import json
import os
import struct
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from polyorama.core.compile import core_count
from polyorama.core.types import Camera
from polyorama.errors import PolyoramaError
from polyorama.io.cameras import write_cameras
from polyorama.io.formats import read_splats, write_splats
from polyorama.io.project import read_project, write_project
from polyorama.scene.document import Document, Node
from polyorama.scene.rules import parse_rule
from polyorama.verbs.demo import sample_path
from tests.conftest import shared_folder
from tests.engine.splat_samples import (
    ksplat_bytes,
    sample_cloud,
    spz_content,
    spz_gzip,
    spz_zstd,
)
from tests.engine.test_io_mesh import OBJ, Gltf, data_uri, ply, png

if TYPE_CHECKING:
    from polyorama.scene.splats import SplatCloud

MUTATIONS = {"splats": 5000, "meshes": 1500, "projects": 800, "cameras": 1200, "rules": 3000}
PEAK = 256 << 20
"""Bytes that reading a file of a few hundred bytes may take."""


def make_splats(folder: Path) -> None:
    """Small valid files of every format and version, and an excerpt of the sample stage."""
    for degree, count in ((0, 40), (1, 25), (3, 12)):
        cloud = sample_cloud(count, degree, seed=degree, spread=1.1)
        for ending in ("ply", "compressed.ply", "splat", "spz", "sog", "glb"):
            write_splats(cloud, folder / f"{degree}.{ending}")
        for mode in (0, 1, 2):
            data = ksplat_bytes([cloud, cloud], mode, spare=1)
            (folder / f"{degree}-{mode}.ksplat").write_bytes(data)
        for version in (1, 2, 3):
            (folder / f"{degree}-v{version}.spz").write_bytes(spz_gzip(spz_content(cloud, version)))
    extension = struct.pack("<IIBBff", 0xADBE0001, 10, 5, 4, -2.0, 2.0)
    parts = spz_content(cloud, 4, extensions=extension)
    (folder / "extended.spz").write_bytes(spz_zstd(parts))
    header, _, blocks = spz_content(cloud, 2)
    (folder / "bare.spz").write_bytes(header + b"".join(blocks))
    (folder / "text.ply").write_bytes(ascii_ply(cloud))
    # A .gltf file with its buffer inside.
    write_splats(cloud, folder / "beside.gltf")
    (folder / "inside.gltf").write_bytes(with_buffer_inside(folder / "beside.gltf"))
    for ending in ("ply", "sog"):
        write_splats(sample_excerpt(), folder / f"sample.{ending}")


def with_buffer_inside(path: Path) -> bytes:
    """A .gltf file as one piece; the files that it was made of are removed."""
    document = json.loads(path.read_text())
    buffer = path.parent / document["buffers"][0]["uri"]
    encoded = base64.b64encode(buffer.read_bytes()).decode()
    document["buffers"][0]["uri"] = f"data:;base64,{encoded}"
    path.unlink()
    buffer.unlink()
    return json.dumps(document).encode()


def sample_excerpt() -> SplatCloud:
    """A few hundred real splats: every so-manieth one of a prop of the sample stage."""
    cloud = read_project(sample_path()).node("teapot").content
    return cloud.subset(slice(0, None, len(cloud) // 200))


def make_meshes(folder: Path) -> None:
    """Every kind of mesh file, with textures, colours and polygons."""
    gltf = Gltf()
    gltf.doc["images"] = [{"uri": data_uri(png())}]
    gltf.doc["textures"] = [{"source": 0}]
    gltf.doc["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    scene = gltf.show({"mesh": gltf.mesh(material=0)})
    scene.write(folder / "a.glb")
    (folder / "a.gltf").write_bytes(with_buffer_inside(scene.write(folder / "b.gltf")))
    (folder / "a.obj").write_text(OBJ)
    for encoding in ("ascii", "binary_little_endian", "binary_big_endian"):
        (folder / f"{encoding}.ply").write_bytes(ply(encoding, sizes=(3, 4, 3, 3), extra=True))
    triangle = struct.pack("<12fH", *[0] * 3, *range(8), 9, 0)
    (folder / "a.stl").write_bytes(b" " * 80 + struct.pack("<I", 2) + 2 * triangle)
    corners = "\n".join(f"vertex {i} {i * i} {1 - i}" for i in range(3))
    (folder / "text.stl").write_text(f"solid a\nfacet\nouter loop\n{corners}\nendloop\nendsolid\n")
    (folder / "a.off").write_text("OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n")


def make_projects(folder: Path) -> None:
    """Projects with a camera, groups and shared clouds, in each kind of data."""
    cloud, group = sample_cloud(15, 2, extras={"label": np.arange(15)}), Node("group")
    nodes = (group, Node("a", cloud, parent=group.id), Node("b", cloud, visible=False))
    camera = Camera.look_at((0, 0, -4), (0, 0, 0), size=(64, 48))
    stage = Document.of([sample_excerpt()], ["teapot"])
    for data_format in ("npz", "spz", "sog", "ply"):
        document = Document(nodes, camera, (0.1, 0.2, 0.3), (0.0, 0.0, 1.0))
        write_project(document, folder / f"{data_format}.poly", data_format=data_format)
    write_project(stage, folder / "sample.poly", data_format="sog")


def make_cameras(folder: Path) -> None:
    """Our own JSON and INRIA's."""
    cameras = [Camera.look_at((i, 0, -4), (0, 0, 0), size=(64, 48)) for i in range(3)]
    write_cameras(folder / "own.json", cameras)
    turn = cameras[0].viewmat[:3, :3].T.tolist()
    entry = {"id": 0, "img_name": "a", "width": 64, "height": 48, "position": [0, 1, 2],
             "rotation": turn, "fx": 50.0, "fy": 51.0}  # fmt: skip
    (folder / "inria.json").write_text(json.dumps([entry, entry | {"id": 1}]))


def make_rules(folder: Path) -> None:
    """Rules that use all of the language."""
    rules = [
        "opacity < 0.05",
        "max(scale) > 0.1 and not (hue in 80..140 or label == 3)",
        "dist(0, 0, 1) ** 2 <= 4 - 3 * abs(x) / (1 + y * y)",
        "scale.x / scale.y != 1 or color.r >= sqrt(exp(log(0.5))) and finite(quat)",
        "index in 2..7 and mean(color) - min(color) > -0.5",
    ]
    for number, rule in enumerate(rules):
        parse_rule(rule)
        (folder / f"{number}.txt").write_text(rule)


SEEDS = {
    "splats": make_splats,
    "meshes": make_meshes,
    "projects": make_projects,
    "cameras": make_cameras,
    "rules": make_rules,
}


def ascii_ply(cloud) -> bytes:
    names = ["x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity"]
    names += [f"scale_{i}" for i in range(3)] + [f"rot_{i}" for i in range(4)]
    lines = ["ply", "format ascii 1.0", "comment a text", f"element vertex {len(cloud)}"]
    lines += [f"property float {name}" for name in names] + ["end_header"]
    for i in range(len(cloud)):
        row = [*cloud.means[i], *cloud.sh[i, 0], 0.5, -3, -4, -5, *cloud.quats[i]]
        lines.append(" ".join(f"{value:.6g}" for value in row))
    return "\n".join(lines).encode() + b"\n"


def add_real_files(folder: Path, data: Path) -> None:
    """The fixtures, and the first splats of a real capture."""
    for path in (data / "splats" / "fixtures").iterdir():
        (folder / f"real-{path.name}").write_bytes(path.read_bytes())
    with (data / "splats" / "plant.splat").open("rb") as file:
        (folder / "real-plant.splat").write_bytes(file.read(32 * 500))


def run_worker(kind: str, folder: Path, first: int, last: int) -> dict:
    words = [kind, str(folder), str(first), str(last)]
    command = [sys.executable, "-m", "tests.engine.fuzz_worker", *words]
    root = Path(__file__).resolve().parents[2]
    environment = os.environ | {"POLYORAMA_CORES": "1"}
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("kind", SEEDS)
def test_mutated_files(kind, tmp_path):
    SEEDS[kind](tmp_path)
    if kind == "splats" and shared_folder().is_dir():
        add_real_files(tmp_path, shared_folder())
    total = MUTATIONS[kind]
    parts = core_count()
    edges = [total * i // parts for i in range(parts + 1)]
    with ThreadPoolExecutor(parts) as pool:
        reports = list(
            pool.map(lambda i: run_worker(kind, tmp_path, edges[i], edges[i + 1]), range(parts))
        )
    failures = [failure for report in reports for failure in report["failures"]]
    assert not failures, f"{len(failures)} failures, among them\n" + "\n\n".join(failures[:10])
    good = sum(report["good"] for report in reports)
    errors = sum(report["errors"] for report in reports)
    assert good + errors == total
    # Damage that always or never shows would test nothing.
    assert good > total / 25
    assert errors > total / 5


# --- headers, field by field -----------------------------------------------------------------

U32 = st.one_of(
    st.integers(0, 40),
    st.sampled_from([2**16, 2**24, 10**7, 10**8, 2**31 - 1, 2**31, 2**32 - 1]),
    st.integers(0, 2**32 - 1),
)
U8 = st.one_of(st.integers(0, 5), st.integers(0, 255))
F32 = st.floats(width=32)
PAYLOAD = st.binary(max_size=600)
QUICK = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def ends_well(tmp_path: Path, name: str, data: bytes) -> None:
    """Read a file; only a cloud or a deliberate error may come of it, in bounded memory."""
    path = tmp_path / name
    path.write_bytes(data)
    sentence = None
    tracemalloc.start()
    try:
        cloud = read_splats(path)
    except PolyoramaError as error:
        sentence = str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < PEAK
    if sentence is None:
        assert len(cloud) > 0
    else:
        assert str(path) in sentence
        assert "memory" not in sentence


@QUICK
@given(version=U32, count=U32, degree=U8, bits=U8, flags=U8, rest=PAYLOAD)
@example(version=3, count=1, degree=0, bits=12, flags=0, rest=bytes(20))
def test_spz_headers_before_four(tmp_path, version, count, degree, bits, flags, rest):
    header = struct.pack("<4sIIBBBB", b"NGSP", version, count, degree, bits, flags, 0)
    ends_well(tmp_path, "a.spz", spz_gzip((header, b"", [rest])))


@QUICK
@given(
    count=U32, degree=U8, flags=U8, streams=U8, table=U32,
    sizes=st.lists(st.tuples(U32, U32), max_size=7), rest=PAYLOAD,
)  # fmt: skip
def test_spz_four_headers(tmp_path, count, degree, flags, streams, table, sizes, rest):
    header = struct.pack("<4sIIBBBBI12x", b"NGSP", 4, count, degree, 12, flags, streams, table)
    contents = b"".join(struct.pack("<QQ", *pair) for pair in sizes)
    ends_well(tmp_path, "a.spz", header + contents + rest)


@QUICK
@given(
    most=U32, sections=U32, most_splats=U32, splats=U32, mode=U8, sh=st.tuples(F32, F32),
    fields=st.tuples(U32, U32, U32, U32, F32, U8, U32, U32, U32, U32, U8), rest=PAYLOAD,
)  # fmt: skip
def test_ksplat_headers(tmp_path, most, sections, most_splats, splats, mode, sh, fields, rest):
    main = bytes([0, 1, 0, 0]) + struct.pack("<IIIIH2x", most, sections, most_splats, splats, mode)
    main = main.ljust(36, b"\0") + struct.pack("<ff", *sh)
    section = struct.pack("<IIIIfH2xIIIIH", *fields)
    ends_well(tmp_path, "a.ksplat", main.ljust(4096, b"\0") + section.ljust(1024, b"\0") + rest)


@QUICK
@given(length=U32, json_length=U32, kind=st.sampled_from([b"JSON", b"BIN\0", b"abcd"]),
       text=st.one_of(st.binary(max_size=60), st.just(b'{"asset":{"version":"2.0"}}')),
       rest=PAYLOAD)  # fmt: skip
def test_glb_headers(tmp_path, length, json_length, kind, text, rest):
    head = struct.pack("<4sIII4s", b"glTF", 2, length, json_length, kind)
    ends_well(tmp_path, "a.glb", head + text + rest)


PLY_NAMES = st.sampled_from(
    [
        "x",
        "y",
        "z",
        "f_dc_0",
        "f_dc_1",
        "f_dc_2",
        "f_rest_0",
        "opacity",
        "scale_0",
        "scale_1",
        "scale_2",
        "rot_0",
        "rot_1",
        "rot_2",
        "rot_3",
        "red",
        "packed_position",
        "nx",
    ]
)
PLY_LINES = st.one_of(
    st.builds("element {} {}".format, st.sampled_from(["vertex", "chunk", "sh", "face"]), U32),
    st.builds("property {} {}".format, st.sampled_from(["float", "uchar", "double", "uint", "x"]),
              PLY_NAMES),
    st.sampled_from(["property list uchar int vertex_indices", "comment SplatRenderMode: mip"]),
    st.text("abc 019.\t", max_size=12),
)  # fmt: skip


@QUICK
@given(
    kind=st.sampled_from(["binary_little_endian", "binary_big_endian", "ascii", "morse"]),
    lines=st.lists(PLY_LINES, max_size=24), rest=PAYLOAD,
)  # fmt: skip
def test_ply_headers(tmp_path, kind, lines, rest):
    text = "\n".join(["ply", f"format {kind} 1.0", *lines, "end_header", ""])
    ends_well(tmp_path, "a.ply", text.encode() + rest)


@QUICK
@given(name=st.sampled_from(["a.splat", "a.ply", "a.spz", "a.sog", "a.glb", "a.ksplat", "a.gltf",
                             "meta.json", "a.bin"]),
       data=st.binary(min_size=0, max_size=6000))  # fmt: skip
def test_noise_under_any_name(tmp_path, name, data):
    ends_well(tmp_path, name, data)
