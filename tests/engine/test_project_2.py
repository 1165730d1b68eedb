"""Format 2 of projects: everything that a document holds, linked files, older and newer formats."""

from __future__ import annotations

import json
import logging
import random
import shutil
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.formats import read_splats, write_splats
from polyorama.io.links import relink, source_of
from polyorama.io.origins import whole_origin
from polyorama.io.project import FORMAT, read_project, write_project
from polyorama.io.project_json import MIGRATIONS
from polyorama.scene.document import Document, Node
from polyorama.scene.mesh import Material
from polyorama.scene.selection import BitSet
from tests.engine.documents import bits_of, cloud_of, digest, mesh_of, mutated, rich

if TYPE_CHECKING:
    from pathlib import Path


def json_of(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("document.json"))


def with_json(path: Path, root: dict[str, Any]) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["document.json"] = json.dumps(root).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_everything_comes_back_bit_for_bit(tmp_path: Path) -> None:
    document = rich()
    write_project(document, tmp_path / "a.poly")
    back = read_project(tmp_path / "a.poly")
    assert digest(back) == digest(document)
    assert back.node("pot").content is back.node("twin").content
    assert json_of(tmp_path / "a.poly")["format"] == FORMAT


def test_sets_of_many_splats_are_members(tmp_path: Path) -> None:
    count = 400_000
    full = BitSet.all(count)
    node = Node("big", cloud_of(count, 0), id="big", deleted=bits_of(count, 1), hidden=full)
    document = Document((node,), selection={"big": full})
    write_project(document, tmp_path / "a.poly")
    with zipfile.ZipFile(tmp_path / "a.poly") as archive:
        sets = [info for info in archive.infolist() if info.filename.endswith(".bits")]
        assert archive.getinfo("document.json").file_size < 10_000
    assert [info.file_size for info in sets] == [50_008] * 2
    assert digest(read_project(tmp_path / "a.poly")) == digest(document)


def test_the_digest_knows_what_equality_does_not() -> None:
    first = Document(background=(0.0, 0.0, 0.0))
    assert digest(first) != digest(replace(first, background=(0.0, -0.0, 0.0)))
    assert digest(first) != digest(replace(first, background=(0, 0, 0)))
    assert digest(rich()) == digest(rich())


def test_format_1_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.poly"
    node = Node("one", cloud_of(4, 0), id="one")
    write_project(Document((node,)), path)
    root = json_of(path)
    old = {key: root[key] for key in ("up", "background", "camera", "nodes")} | {"format": 1}
    with_json(path, old)
    assert digest(read_project(path)) == digest(Document((node,)))


def test_migrations_lead_to_the_format_that_is_written() -> None:
    assert len(MIGRATIONS) == FORMAT - 1


def test_a_newer_format_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.poly"
    write_project(rich(), path)
    with_json(path, json_of(path) | {"format": FORMAT + 1, "nodes": "made of light"})
    with pytest.raises(FileFormatError, match="newer than this Polyorama") as caught:
        read_project(path)
    assert str(caught.value).endswith(f"update Polyorama: {path}")


WRONG = {
    "timeline": ({"timeline": {"type": "Cue", "time": 1.0, "name": "x"}}, "timeline is of a wrong"),
    "track": ({"timeline": {"type": "Timeline", "duration": -1.0}}, "timeline cannot be read"),
    "selection": ({"selection": {"pot": {"type": "bits", "count": 4, "data": ""}}}, "selection"),
    "chosen": ({"chosen": ["nobody"]}, "chosen"),
    "view": ({"view_camera": "nobody"}, "camera"),
    "kept": ({"selections": [{"type": "NamedSelection", "name": "-"}]}, "selections"),
    "no list": ({"chosen": "pot"}, "chosen nodes is no list"),
}
WRONG_NODES = {
    "stack": (
        {"modifiers": [{"type": "Key", "time": 0.0, "value": []}]},
        "modifiers is of a wrong",
    ),
    "twice": ({"modifiers": [{"type": "Size", "id": "a"}, {"type": "Size", "id": "a"}]}, "ids of"),
    "set": ({"deleted": {"type": "bits", "count": 8, "data": "eJz7DwABAQEA"}}, "deleted"),
    "member": ({"hidden": {"type": "blob", "key": "document.json"}}, "no part"),
    "content": ({"content": {"type": "CropVolume"}}, "two contents"),
    "source": ({"source": {"type": "Source", "path": 3}}, "source"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_fields_are_told(tmp_path: Path, case: str) -> None:
    change, words = WRONG[case]
    path = tmp_path / "a.poly"
    write_project(rich(), path)
    with_json(path, json_of(path) | change)
    with pytest.raises(FileFormatError, match=words) as caught:
        read_project(path)
    assert str(caught.value).endswith(str(path))


@pytest.mark.parametrize("case", WRONG_NODES)
def test_wrong_fields_of_nodes_are_told(tmp_path: Path, case: str) -> None:
    change, words = WRONG_NODES[case]
    path = tmp_path / "a.poly"
    write_project(rich(), path)
    root = json_of(path)
    root["nodes"][1] |= change
    with_json(path, root)
    with pytest.raises(FileFormatError, match=words) as caught:
        read_project(path)
    assert str(caught.value).endswith(str(path))


def test_mutated_projects_end_in_a_document_or_a_sentence(tmp_path: Path) -> None:
    draw = random.Random(3)
    path = tmp_path / "a.poly"
    write_project(rich(), path)
    root = json_of(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    folder = tmp_path / "b.poly"  # a project may be a folder: quicker than a zip each time
    (folder / "data").mkdir(parents=True)
    for name, data in members.items():
        (folder / name).write_bytes(data)
    good, told = 0, []
    for _ in range(500):
        (folder / "document.json").write_text(json.dumps(mutated(root, draw)))
        try:
            document = read_project(folder)
        except FileFormatError as error:
            told.append(str(error))
            continue
        good += 1
        write_project(document, path)
        assert digest(read_project(path)) == digest(document)
    assert good > 10
    assert len(told) > 100
    assert all(text.endswith(str(folder)) for text in told)


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.poly"
    write_project(rich(), path)
    before = path.read_bytes()
    far = np.eye(4)
    far[0, 3] = 1e200
    with pytest.raises(OutputError, match="cannot be saved"):
        write_project(Document((Node("far", transform=far),)), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        replace(mesh_of(), materials=(Material((np.nan, 0.0, 0.0, 1.0)),) * 2),
        replace(mesh_of(), name="x" * 5000),
        cloud_of(2, 0, extras={"word": np.array(["a", "b"])}),
    ],
    ids=["colour", "name", "column"],
)
def test_contents_that_could_not_be_read_are_not_written(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "a.poly"
    write_project(rich(), path)
    before = path.read_bytes()
    with pytest.raises(OutputError, match="cannot be saved"):
        write_project(Document((Node("x", content, id="x"),)), path)
    assert path.read_bytes() == before


# Linked files


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A project in a folder whose node is linked to captures/pot.splat."""
    folder = tmp_path / "work"
    (folder / "captures").mkdir(parents=True)
    capture = folder / "captures" / "pot.splat"
    write_splats(cloud_of(50, 1), capture)
    node = Node(
        "pot", read_splats(capture), id="pot", source=source_of(capture, linked=True),
        deleted=BitSet.of_indices([3, 5], 50),
    )  # fmt: skip
    write_project(Document((node,), selection={"pot": bits_of(50, 2)}), folder / "show.poly")
    return folder


def test_a_linked_node_keeps_its_path_alone(linked: Path) -> None:
    with zipfile.ZipFile(linked / "show.poly") as archive:
        assert archive.namelist() == ["document.json"]
    source = json_of(linked / "show.poly")["nodes"][0]["source"]
    assert source["path"] == "captures/pot.splat"
    assert source["size"] == 1600
    assert len(source["sha256"]) == 64
    back = read_project(linked / "show.poly").node("pot")
    assert digest(back.content) == digest(read_splats(linked / "captures" / "pot.splat"))
    assert len(back.deleted) == 2


def test_project_and_files_move_together(linked: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    linked.rename(moved)
    assert read_project(moved / "show.poly").node("pot").content is not None


def test_a_linked_file_that_moved_is_found_by_its_hash(linked: Path) -> None:
    deep = linked / "old" / "2024"
    deep.mkdir(parents=True)
    (deep / "decoy.splat").write_bytes(bytes(1600))
    (linked / "captures" / "pot.splat").rename(deep / "renamed.splat")
    node = read_project(linked / "show.poly").node("pot")
    assert node.content is not None
    assert node.source.path == str(deep / "renamed.splat")


def test_a_missing_linked_file_loses_no_edit(
    linked: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    away = tmp_path / "usb.splat"
    shutil.move(linked / "captures" / "pot.splat", away)
    with caplog.at_level(logging.WARNING):
        document = read_project(linked / "show.poly")
    assert "missing; relink it" in caplog.text
    node = document.node("pot")
    assert node.content is None
    assert node.missing
    assert len(node.deleted) == 2
    write_project(document, linked / "again.poly")
    again = read_project(linked / "again.poly")
    assert len(again.node("pot").deleted) == 2
    mended = relink(again, "pot", away).node("pot")
    assert len(mended.content) == 50
    assert mended.source == source_of(away, linked=True)


def test_relinking_to_what_does_not_fit_is_told(linked: Path, tmp_path: Path) -> None:
    document = read_project(linked / "show.poly")
    write_splats(cloud_of(7, 1), tmp_path / "other.splat")
    with pytest.raises(UsageError, match="7 splats"):
        relink(document, "pot", tmp_path / "other.splat")
    with pytest.raises(FileFormatError, match="no such file"):
        relink(document, "pot", tmp_path / "none.splat")
    with pytest.raises(UsageError, match="did not come from a file"):
        relink(Document((Node("group"),)), "group", tmp_path / "other.splat")


def test_a_linked_file_that_changed_is_taken_where_edits_fit(
    linked: Path, caplog: pytest.LogCaptureFixture
) -> None:
    capture = linked / "captures" / "pot.splat"
    write_splats(cloud_of(50, 9), capture)
    with caplog.at_level(logging.WARNING):
        node = read_project(linked / "show.poly").node("pot")
    assert "changed; it is taken" in caplog.text
    assert digest(node.content) == digest(read_splats(capture))
    assert node.source == source_of(capture, linked=True)
    write_splats(cloud_of(60, 9), capture)
    with caplog.at_level(logging.WARNING):
        node = read_project(linked / "show.poly").node("pot")
    assert "do not fit" in caplog.text
    assert node.content is None
    assert len(node.deleted) == 2


def test_a_changed_content_is_saved_not_linked(
    linked: Path, caplog: pytest.LogCaptureFixture
) -> None:
    document = read_project(linked / "show.poly")
    node = document.node("pot")
    assert whole_origin(node.content) is not None
    faint = replace(node.content, opacities=node.content.opacities * np.float32(0.5))
    changed = document.replaced(replace(node, content=faint))
    with caplog.at_level(logging.WARNING):
        write_project(changed, linked / "show.poly")
    assert "saved with the project" in caplog.text
    (linked / "captures" / "pot.splat").unlink()
    back = read_project(linked / "show.poly").node("pot")
    assert digest(back.content) == digest(faint)
    assert not back.source.linked


def test_a_file_that_is_overwritten_meanwhile_is_saved_not_linked(linked: Path) -> None:
    document = read_project(linked / "show.poly")
    kept = digest(document.node("pot").content)
    write_splats(cloud_of(50, 77), linked / "captures" / "pot.splat")
    write_project(document, linked / "show.poly")
    assert digest(read_project(linked / "show.poly").node("pot").content) == kept


def test_damaged_members_of_a_folder_are_one_sentence(tmp_path: Path) -> None:
    write_project(rich(), tmp_path / "a.poly")
    folder = tmp_path / "b.poly"
    with zipfile.ZipFile(tmp_path / "a.poly") as archive:
        archive.extractall(folder)
    member = next((folder / "data").glob("*.npz"))
    data = member.read_bytes()
    for damaged in (data[: len(data) // 2], b"no zip", bytes(len(data))):
        member.write_bytes(damaged)
        with pytest.raises(FileFormatError, match=r"damaged|cannot be read"):
            read_project(folder)
