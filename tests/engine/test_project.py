"""Projects: what is written comes back, and damaged ones end in one sentence."""

from __future__ import annotations

import json
import warnings
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyorama.core.types import Camera
from polyorama.errors import FileFormatError, OutputError, PolyoramaError
from polyorama.io.project import FORMAT, read_project, read_thumbnail, write_project
from polyorama.scene.document import Document, Node
from polyorama.scene.splats import SplatCloud

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ARRAYS = ("means", "quats", "scales", "opacities", "sh")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def cloud_of(count: int, seed: int, degree: int = 0, **more: Any) -> SplatCloud:
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4)).astype(np.float32)
    return SplatCloud(
        means=rng.normal(size=(count, 3)).astype(np.float32),
        quats=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=rng.uniform(1e-7, 2.0, (count, 3)).astype(np.float32),
        opacities=rng.uniform(0.0, 1.0, count).astype(np.float32),
        sh=rng.normal(size=(count, (degree + 1) ** 2, 3)).astype(np.float32),
        **more,
    )


def sample() -> Document:
    turned = np.eye(4)
    turned[:3] = np.random.default_rng(0).normal(size=(3, 4))
    shared = cloud_of(7, 1, 2, model="antialiased", up=(0.0, 0.0, 1.0), comments=("first", "2nd"))
    extras = {"label": np.arange(5, dtype=np.int16), "weight / 2": np.linspace(0, 1, 5)}
    return Document(
        nodes=(
            Node("group", id="group"),
            Node("café ☕", shared, turned, parent="group", id="cup-1"),
            Node("its twin", shared, visible=False, parent="group", id="cup_2"),
            Node("plain", cloud_of(5, 2, extras=extras), id="plain"),
            Node("empty", cloud_of(0, 3), id="empty"),
        ),
        camera=Camera.look_at((0.1, -0.7, 3), (0, 1 / 3, 0), fov=33, size=(641, 359)),
        background=(0.1, 0.2, 1 / 3),
        up=(0.0, 1.0, 0.0),
    )


def assert_same(left: Document, right: Document) -> None:
    assert (left.background, left.up) == (right.background, right.up)
    assert (left.camera is None) == (right.camera is None)
    if left.camera is not None and right.camera is not None:
        assert np.array_equal(left.camera.viewmat, right.camera.viewmat)
        for name in ("fx", "fy", "cx", "cy", "width", "height", "kind", "near", "far"):
            assert getattr(left.camera, name) == getattr(right.camera, name)
    assert len(left.nodes) == len(right.nodes)
    for a, b in zip(left.nodes, right.nodes, strict=True):
        assert (a.id, a.name, a.parent, a.visible) == (b.id, b.name, b.parent, b.visible)
        assert np.array_equal(a.transform, b.transform)
        assert (a.content is None) == (b.content is None)
        if a.content is None or b.content is None:
            continue
        for name in ARRAYS:
            assert getattr(a.content, name).tobytes() == getattr(b.content, name).tobytes()
        assert (a.content.model, a.content.up) == (b.content.model, b.content.up)
        assert a.content.comments == b.content.comments
        assert list(a.content.extras) == list(b.content.extras)
        for name, column in a.content.extras.items():
            assert column.dtype == b.content.extras[name].dtype
            assert column.tobytes() == b.content.extras[name].tobytes()


def test_a_project_comes_back_bit_for_bit(tmp_path: Path) -> None:
    path = tmp_path / "a.poly"
    write_project(sample(), path)
    back = read_project(path)
    assert_same(sample(), back)
    assert back.node("cup-1").content is back.node("cup_2").content


def test_special_floats_survive(tmp_path: Path) -> None:
    cloud = cloud_of(3, 4)
    means = cloud.means.copy()
    means[0] = (np.nan, np.inf, -0.0)
    document = Document.of([replace(cloud, means=means)], ["odd"])
    write_project(document, tmp_path / "a.poly")
    assert_same(document, read_project(tmp_path / "a.poly"))


@given(
    count=st.integers(0, 40),
    degree=st.integers(0, 3),
    name=st.text(max_size=20),
    numbers=st.lists(st.floats(-1e20, 1e20), min_size=12, max_size=12),
    background=st.tuples(*[st.floats(0, 1)] * 3),
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_document_comes_back(
    tmp_path: Path, count: int, degree: int, name: str, numbers: list[float],
    background: tuple[float, float, float],
) -> None:  # fmt: skip
    transform = np.vstack([np.reshape(numbers, (3, 4)), [0, 0, 0, 1]])
    node = Node(name, cloud_of(count, count, degree), transform)
    document = Document((node,), background=background)
    path = tmp_path / "any.poly"
    write_project(document, path)
    assert_same(document, read_project(path))


def test_the_same_document_gives_the_same_bytes(tmp_path: Path) -> None:
    write_project(sample(), tmp_path / "a.poly", thumbnail=PNG)
    write_project(sample(), tmp_path / "b.poly", thumbnail=PNG)
    assert (tmp_path / "a.poly").read_bytes() == (tmp_path / "b.poly").read_bytes()


def test_a_folder_with_the_same_members_is_a_project(tmp_path: Path) -> None:
    write_project(sample(), tmp_path / "a.poly", thumbnail=PNG)
    with zipfile.ZipFile(tmp_path / "a.poly") as archive:
        archive.extractall(tmp_path / "folder.poly")
    assert_same(sample(), read_project(tmp_path / "folder.poly"))
    assert read_thumbnail(tmp_path / "folder.poly") == PNG
    (tmp_path / "folder.poly" / "data" / "plain.npz").unlink()
    with pytest.raises(FileFormatError, match=r"no data/plain\.npz"):
        read_project(tmp_path / "folder.poly")


def test_a_folder_cannot_lead_out(tmp_path: Path) -> None:
    write_project(sample(), tmp_path / "a.poly")
    folder = tmp_path / "folder.poly"
    with zipfile.ZipFile(tmp_path / "a.poly") as archive:
        archive.extractall(folder)
    (folder / "data" / "plain.npz").rename(tmp_path / "outside.npz")
    (folder / "data" / "plain.npz").symlink_to(tmp_path / "outside.npz")
    with pytest.raises(FileFormatError, match="bad name"):
        read_project(folder)


def test_deflated_members_are_read_too(tmp_path: Path) -> None:
    write_project(sample(), tmp_path / "a.poly")
    with (
        zipfile.ZipFile(tmp_path / "a.poly") as archive,
        zipfile.ZipFile(tmp_path / "b.poly", "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for name in archive.namelist():
            out.writestr(name, archive.read(name))
    assert_same(sample(), read_project(tmp_path / "b.poly"))


@pytest.mark.parametrize("data_format", ["ply", "spz", "sog", "glb"])
def test_data_in_any_format_stays_where_it_was(tmp_path: Path, data_format: str) -> None:
    document = Document.of([cloud_of(50, 1, up=(0.0, 0.0, 1.0))], ["a"])
    write_project(document, tmp_path / "a.poly", data_format=data_format)
    back = read_project(tmp_path / "a.poly").nodes[0].content
    assert back is not None
    assert back.up == (0.0, 0.0, 1.0)
    means = document.nodes[0].content.means  # type: ignore[union-attr]
    distance = np.linalg.norm(means[:, None] - back.means, axis=2)
    assert distance.min(axis=1).max() < 1e-3


def test_thumbnail(tmp_path: Path) -> None:
    path = tmp_path / "a.poly"
    write_project(sample(), path)
    assert read_thumbnail(path) is None
    write_project(sample(), path, thumbnail=PNG)
    assert read_thumbnail(path) == PNG
    with pytest.raises(OutputError, match="PNG"):
        write_project(sample(), path, thumbnail=b"GIF89a")
    assert read_thumbnail(path) == PNG


def test_unknown_data_format_leaves_nothing(tmp_path: Path) -> None:
    for name in ("tiff", "ksplat"):
        with pytest.raises(OutputError, match=name):
            write_project(sample(), tmp_path / "a.poly", data_format=name)
    assert list(tmp_path.iterdir()) == []


def rewritten(path: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
    """The project again, its document.json changed by `edit`."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    root = json.loads(members["document.json"])
    changed = edit(root)
    members["document.json"] = json.dumps(root if changed is None else changed).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def put(*keys: Any, value: Any) -> Callable[[dict[str, Any]], Any]:
    def edit(root: dict[str, Any]) -> None:
        place: Any = root
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value

    return edit


WRONG_FIELDS = {
    "newer": (put("format", value=FORMAT + 1), "newer"),
    "no format": (put("format", value=True), "format number"),
    "root": (lambda _: [1], "object"),
    "nodes": (put("nodes", value={}), "nodes"),
    "node": (put("nodes", 0, value=3), "node 1"),
    "id": (put("nodes", 0, "id", value="../x"), "letters"),
    "same id": (put("nodes", 1, "id", value="group"), "twice"),
    "parent": (put("nodes", 0, "parent", value="plain"), "parent"),
    "name": (put("nodes", 0, "name", value=None), "name"),
    "visible": (put("nodes", 0, "visible", value=1), "visible"),
    "transform": (put("nodes", 0, "transform", value=[[1, 0], [0, 1]]), "4x4"),
    "projective": (put("nodes", 0, "transform", 3, value=[1, 0, 0, 1]), "affine"),
    "bool": (put("nodes", 0, "transform", 0, value=[True, 0, 0, 0]), "no number"),
    "no up": (put("up", value=[0, 0, 0]), "up is no direction"),
    "no up of a node": (put("nodes", 1, "up", value=[0.0, 0, 0]), "node 2 up is no direction"),
    "huge": (put("up", value=[10**400, 0, 0]), "out of range"),
    "NaN": (put("up", value=[float("nan"), 0, 0]), "damaged"),
    "background": (put("background", value=[0.1, 0.2]), "background"),
    "data": (put("nodes", 1, "data", value="data/../../x.npz"), "no member"),
    "data kind": (put("nodes", 1, "data", value="thumb.png"), "no member"),
    "data missing": (put("nodes", 1, "data", value="data/none.npz"), "none.npz"),
    "model": (put("nodes", 1, "model", value="3dgs"), "model"),
    "camera": (put("camera", "kind", value="fisheye"), "kind"),
    "camera size": (put("camera", "size", value=[10**6, 2]), "unusable"),
    "camera pixels": (put("camera", "size", value=[64.5, 64]), "whole"),
    "focal": (put("camera", "focal", value=[0, 1]), "unusable"),
}


@pytest.mark.parametrize("case", WRONG_FIELDS)
def test_wrong_fields_are_named(tmp_path: Path, case: str) -> None:
    edit, words = WRONG_FIELDS[case]
    path = tmp_path / "a.poly"
    write_project(sample(), path)
    rewritten(path, edit)
    with pytest.raises(FileFormatError, match=words) as caught:
        read_project(path)
    assert str(caught.value).endswith(str(path))


def test_deep_json_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.poly", "w") as archive:
        archive.writestr("document.json", "[" * 200_000)
    with pytest.raises(FileFormatError, match="damaged"):
        read_project(tmp_path / "a.poly")


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/x", "data/../../x.npz", "data\\x.npz", "C:x", "data/a..b.npz", "x"]
)
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    write_project(sample(), tmp_path / "a.poly")
    with zipfile.ZipFile(tmp_path / "a.poly", "a") as archive:
        archive.writestr(name, b"x")
    with pytest.raises(FileFormatError, match="bad name"):
        read_project(tmp_path / "a.poly")


def test_duplicates_are_refused(tmp_path: Path) -> None:
    write_project(sample(), tmp_path / "a.poly")
    with zipfile.ZipFile(tmp_path / "a.poly", "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("document.json", b"{}")
    with pytest.raises(FileFormatError, match="two members"):
        read_project(tmp_path / "a.poly")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.poly", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("document.json", b" " * (80 << 20))
    with pytest.raises(FileFormatError, match="more bytes than it can hold"):
        read_project(tmp_path / "a.poly")


def test_other_packings_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.poly", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("document.json", b"{}")
    with pytest.raises(FileFormatError, match="plain zip"):
        read_project(tmp_path / "a.poly")


def npz_of(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """A one-node project whose data member holds just these arrays."""
    document = Document((Node("one", cloud_of(4, 0), id="one"),))
    write_project(document, path)
    inner = path.with_suffix(".npz")
    np.savez(inner, **arrays)
    with zipfile.ZipFile(path) as archive:
        text = archive.read("document.json")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("document.json", text)
        archive.writestr("data/one.npz", inner.read_bytes())


def test_wrong_arrays_are_named(tmp_path: Path) -> None:
    good = {name: getattr(cloud_of(4, 0), name) for name in ARRAYS}
    path = tmp_path / "a.poly"
    npz_of(path, good)
    assert len(read_project(path).nodes[0].content) == 4
    wrong = {
        "sh": [np.zeros((4, 2, 3), np.float32), np.zeros((4, 3), np.float32)],
        "means": [np.zeros((4, 2), np.float32), np.zeros((4, 3)), np.float32(1)],
        "opacities": [np.zeros((5,), np.float32), np.array(["a", "b", "c", "d"])],
        "quats": [np.zeros((3, 4), np.float32).T.copy(order="F")],
        "more": [np.zeros(4, np.float32)],
        "extra.label": [np.zeros((4, 2)), np.zeros(3)],
    }
    for name, arrays in wrong.items():
        for array in arrays:
            npz_of(path, good | {name: array})
            with pytest.raises(FileFormatError, match=name.replace(".", r"\.")):
                read_project(path)
    for name in ARRAYS:
        npz_of(path, {n: a for n, a in good.items() if n != name})
        with pytest.raises(FileFormatError, match=f"{name} are missing"):
            read_project(path)


def test_pickled_objects_are_refused(tmp_path: Path) -> None:
    good = {name: getattr(cloud_of(4, 0), name) for name in ARRAYS}
    npz_of(tmp_path / "a.poly", good | {"extra.evil": np.array([{}, 1, 2, 3], dtype=object)})
    with pytest.raises(FileFormatError, match="damaged"):
        read_project(tmp_path / "a.poly")


def test_an_array_header_that_lies_takes_no_memory(tmp_path: Path) -> None:
    good = {name: getattr(cloud_of(4, 0), name) for name in ARRAYS}
    path = tmp_path / "a.poly"
    npz_of(path, good)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    huge = b"'shape': (4000000000, 3)"
    data = members["data/one.npz"]
    at = data.index(b"'shape': (4, 3)")
    stored = data[:at] + huge + data[at + len(huge) :]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("document.json", members["document.json"])
        archive.writestr("data/one.npz", stored)
    with pytest.raises(FileFormatError, match="damaged"):
        read_project(path)


def test_missing_empty_and_foreign_files(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no such file"):
        read_project(tmp_path / "none.poly")
    for data in (b"", b"PK", b"ply\nformat ascii 1.0\n", bytes(1000)):
        (tmp_path / "a.poly").write_bytes(data)
        with pytest.raises(FileFormatError, match="damaged"):
            read_project(tmp_path / "a.poly")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileFormatError, match=r"no document\.json"):
        read_project(tmp_path / "folder")


def test_a_damaged_project_ends_in_a_document_or_a_sentence(tmp_path: Path) -> None:
    """Mutated and cut files raise nothing but our own errors."""
    path = tmp_path / "a.poly"
    write_project(sample(), path, thumbnail=PNG)
    good = path.read_bytes()
    rng = np.random.default_rng(5)
    messages = []
    for trial in range(400):
        data = bytearray(good)
        if trial % 3 == 0:
            del data[rng.integers(len(data)) :]
        else:
            for at in rng.integers(0, len(data), rng.integers(1, 8)):
                data[at] = rng.integers(256)
        path.write_bytes(bytes(data))
        try:
            read_project(path)
        except PolyoramaError as error:
            messages.append(str(error))
    assert len(messages) > 300
    assert all(message.endswith(str(path)) for message in messages)


def test_writing_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        write_project(sample(), tmp_path / "none" / "a.poly")
    with pytest.raises(OutputError):
        write_project(sample(), tmp_path)
