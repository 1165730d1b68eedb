"""`polyorama.open`: kinds told by content, names, several files as one document."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyorama.errors import FileFormatError, UsageError
from polyorama.io.formats import write_splats
from polyorama.io.project import write_project
from polyorama.render.resolve import flatten
from polyorama.scene.document import Document, Node
from polyorama.scene.mesh import Mesh
from polyorama.scene.subject import splat_count
from polyorama.verbs.open import kind_of, open_document, read_cloud, title_of
from tests.engine.fakes import ball

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def test_a_capture_becomes_a_node_named_after_its_file(tmp_path: Path) -> None:
    write_splats(ball(), tmp_path / "red ball.ply")
    document = open_document(tmp_path / "red ball.ply")
    assert [node.name for node in document.nodes] == ["red ball"]
    assert len(document.nodes[0].content) == 200
    assert np.linalg.norm(document.up) == pytest.approx(1)


def test_a_mesh_stays_one_and_says_how_many_surfels_it_is_drawn_with(tmp_path: Path) -> None:
    (tmp_path / "leaf.obj").write_text(TRIANGLE)
    document = open_document(tmp_path / "leaf.obj", surfels=321)
    mesh = document.node("leaf").content
    assert isinstance(mesh, Mesh)
    assert mesh.surfels == splat_count(document) == len(flatten(document).cloud) == 321
    assert np.array_equal(
        flatten(document).cloud.sh, read_cloud(tmp_path / "leaf.obj", surfels=321).sh
    )
    with pytest.raises(UsageError, match="0 surfels"):
        open_document(tmp_path / "leaf.obj", surfels=0)


def test_ply_and_gltf_are_told_apart_by_their_content(tmp_path: Path) -> None:
    mesh = tmp_path / "mesh.ply"
    mesh.write_text(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    )
    assert kind_of(mesh) == "mesh"
    for name in ("a.ply", "b.compressed.ply", "c.glb", "d.splat"):
        write_splats(ball(), tmp_path / name)
        assert kind_of(tmp_path / name) == "splats"
    plain = {"asset": {"version": "2.0"}}
    (tmp_path / "mesh.gltf").write_text(json.dumps(plain))
    assert kind_of(tmp_path / "mesh.gltf") == "mesh"
    text = json.dumps(plain | {"extensionsUsed": ["KHR_gaussian_splatting"]}).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A)
    (tmp_path / "x.glb").write_bytes(head + text)
    assert kind_of(tmp_path / "x.glb") == "splats"


def test_content_decides_what_a_file_is_whatever_its_name(tmp_path: Path) -> None:
    """As info and convert have it: a name may lie, or be missing."""
    write_splats(ball(), tmp_path / "a.ply")
    write_splats(ball(), tmp_path / "a.spz")
    write_project(Document.of([ball()], ["inside"]), tmp_path / "a.poly")
    mesh = (
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    )
    (tmp_path / "mesh.ply").write_text(mesh)
    for name in ("plain", "b.glb", "b.obj", "b.sog"):
        for source, kind in (
            ("a.ply", "splats"), ("a.spz", "splats"), ("a.poly", "project"), ("mesh.ply", "mesh"),
        ):  # fmt: skip
            (tmp_path / name).write_bytes((tmp_path / source).read_bytes())
            assert kind_of(tmp_path / name) == kind
            document = open_document(tmp_path / name, surfels=20)
            assert splat_count(document) == (20 if kind == "mesh" else 200)


def test_a_glb_of_the_earliest_draft_holds_splats(tmp_path: Path) -> None:
    cloud = ball()
    columns = {
        "POSITION": cloud.means, "_ROTATION": cloud.quats[:, [1, 2, 3, 0]],
        "_SCALE": np.log(cloud.scales), "COLOR_0": np.ones((200, 4)),
    }  # fmt: skip
    binary, views, accessors = b"", [], []
    for values in columns.values():
        data = np.ascontiguousarray(values, "<f4").tobytes()
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        kind = f"VEC{values.shape[1]}"
        accessors.append(
            {"bufferView": len(accessors), "componentType": 5126, "count": 200, "type": kind}
        )
        binary += data
    primitive = {"mode": 0, "attributes": {name: at for at, name in enumerate(columns)}}
    root = {
        "asset": {"version": "2.0"}, "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0, "accessors": accessors,
        "bufferViews": views, "buffers": [{"byteLength": len(binary)}],
    }  # fmt: skip
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    total = 28 + len(text) + len(binary)
    head = struct.pack("<4sIIII", b"glTF", 2, total, len(text), 0x4E4F534A)
    path = tmp_path / "old.glb"
    path.write_bytes(head + text + struct.pack("<II", len(binary), 0x004E4942) + binary)
    assert kind_of(path) == "splats"
    assert len(open_document(path).nodes[0].content) == 200


def test_several_files_become_one_document(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_splats(ball(), tmp_path / folder / "ball.ply")
    (tmp_path / "leaf.obj").write_text(TRIANGLE)
    document = open_document(
        tmp_path / "one" / "ball.ply", tmp_path / "two" / "ball.ply", tmp_path / "leaf.obj",
        surfels=10, up=(0, 0, 1),
    )  # fmt: skip
    assert [node.name for node in document.nodes] == ["ball", "ball 2", "leaf"]
    assert document.up == (0, 0, 1)


def test_projects_open_as_they_are_and_together_as_groups(tmp_path: Path) -> None:
    group = Node("stage")
    parts = [Node("a", ball(), parent=group.id), Node("b", ball(), parent=group.id)]
    project = Document((group, *parts), background=(0.1, 0.2, 0.3), up=(0.0, 1.0, 0.0))
    write_project(project, tmp_path / "show.poly")
    alone = open_document(tmp_path / "show.poly")
    assert [node.id for node in alone.nodes] == [node.id for node in project.nodes]
    write_splats(ball(), tmp_path / "c.ply")
    twice = open_document(tmp_path / "show.poly", tmp_path / "show.poly", tmp_path / "c.ply")
    names = [node.name for node in twice.nodes]
    assert names == ["show", "stage", "a", "b", "show 2", "stage", "a", "b", "c"]
    assert twice.background == (0.1, 0.2, 0.3)
    assert twice.up == (0.0, 1.0, 0.0)
    assert len(list(twice.drawn())) == 5
    hidden = Document((replace(group, visible=False), *parts))
    write_project(hidden, tmp_path / "hidden.poly")
    assert len(list(open_document(tmp_path / "hidden.poly", tmp_path / "c.ply").drawn())) == 1


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("x/plant.splat", "plant"),
        ("plant.compressed.ply", "plant"),
        ("my.garden.ply", "my.garden"),
        ("house/meta.json", "house"),
        ("show.poly", "show"),
        ("chair.obj", "chair"),
    ],
)
def test_titles(path: str, title: str) -> None:
    assert title_of(Path(path)) == title


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"no such file.*gone\.ply"):
        open_document(tmp_path / "gone.ply")
    with pytest.raises(FileFormatError, match="neither a project nor"):
        open_document(tmp_path)
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(FileFormatError, match=r"known: .*\.ply.*a\.txt"):
        open_document(tmp_path / "a.txt")
    (tmp_path / "empty.splat").write_bytes(b"")
    with pytest.raises(FileFormatError, match="empty"):
        open_document(tmp_path / "empty.splat")
    for name in ("a.ply", "a.glb", "a.gltf", "a.obj", "a.poly", "a.spz"):
        (tmp_path / name).write_bytes(b"\xff" * 64)
        with pytest.raises(FileFormatError, match=name.replace(".", r"\.")):
            open_document(tmp_path / name)
