"""Editing from scripts: `po.edit`, `polyorama edit`, recorded operations, files and cameras."""

from __future__ import annotations

import json
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polyorama as po
from polyorama.cli import main
from polyorama.core.jobs import run
from polyorama.core.types import Camera
from polyorama.edit.editor import Editor
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.cameras import write_cameras
from polyorama.io.formats import read_splats, write_splats
from polyorama.io.links import sha256_of
from polyorama.io.project import read_project, write_project
from polyorama.scene.contents import Audio, CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.properties_of import at_time
from polyorama.scene.rigs import rig_camera
from polyorama.scene.timeline import Timeline
from polyorama.verbs.editing import play_calls, read_calls, run_script, save_calls
from tests.engine.documents import cloud_of, digest, rich
from tests.engine.fakes import DotRasterizer, ball, dots

__all__ = ["dots"]


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "ball.splat"
    write_splats(ball(), path)
    return path


def write_wave(path: Path, rate: int = 8000) -> np.ndarray:
    """A second of stereo, 16 bits, as it is read: -1..1."""
    samples = (np.random.default_rng(0).uniform(-1, 1, (rate, 2)) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return samples / np.float32(32768)


def test_an_editor_of_a_file_a_document_or_nothing(capture: Path) -> None:
    doc = po.edit(capture)
    node = doc.document.nodes[0]
    assert (node.name, len(node.splats)) == ("ball", 200)
    assert node.source.sha256 == sha256_of(capture)
    assert (node.source.path, node.source.size) == (str(capture), capture.stat().st_size)
    assert po.edit(doc.document).document is doc.document
    assert po.edit().document.nodes == ()
    assert [n.name for n in po.edit(capture, capture).document.nodes] == ["ball", "ball 2"]


def test_the_same_files_give_the_same_document(capture: Path) -> None:
    first, second = (po.edit(capture, capture) for _ in range(2))
    assert digest(first.document) == digest(second.document)


def test_files_of_all_kinds_are_added(capture: Path, tmp_path: Path) -> None:
    heard = write_wave(tmp_path / "song.wav")
    (tmp_path / "box.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    show = rich()
    write_project(show, tmp_path / "show.poly")
    doc = po.edit()
    paths = [capture, tmp_path / "show.poly", tmp_path / "song.wav", tmp_path / "box.obj"]
    titles = [progress.note for progress in doc.job("add_files", paths=paths)]
    assert titles == [f"Opening {path.name}" for path in paths]
    document = doc.document
    roots = [n.name for n in document.nodes if n.parent is None]
    assert roots == ["ball", "show", "song", "box"]
    assert [document.node(i).name for i in document.chosen] == roots
    song = document.node(document.chosen[2]).content
    assert isinstance(song, Audio)
    assert song.rate == 8000
    assert np.allclose(song.samples, heard, atol=1e-4)
    # What moves in a project that is added goes on moving.
    assert set(document.timeline.tracks) == set(show.timeline.tracks)
    assert [s.name for s in document.selections] == ["green", "by hand"]
    assert document.timeline.duration == max(Timeline().duration, show.timeline.duration)
    doc.undo()
    assert doc.document.nodes == ()


def test_a_project_that_is_added_twice_keeps_both_its_animations(tmp_path: Path) -> None:
    write_project(rich(), tmp_path / "show.poly")
    doc = po.edit(tmp_path / "show.poly", tmp_path / "show.poly")
    document = doc.document
    assert len(document.timeline.tracks) == 2 * len(rich().timeline.tracks)
    assert [s.name for s in document.selections] == ["green", "by hand", "green 2", "by hand 2"]
    crops = [m for n in document.nodes for m in n.modifiers if m.kind == "crop"]
    volumes = [n.id for n in document.nodes if n.name == "volume"]
    assert [crop.volume for crop in crops] == volumes
    pots = [n.id for n in document.nodes if n.name == "pot"]
    assert set(document.selection) >= set(pots)
    assert [document.timeline.tracks[f"{i}/m1/exposure"].ends for i in pots] == ["ping-pong"] * 2


def test_a_file_that_is_not_there_changes_nothing(capture: Path) -> None:
    doc = po.edit(capture)
    before = doc.document
    with pytest.raises(FileFormatError, match="no such file"):
        doc.add_files([str(capture), str(capture.with_name("none.ply"))])
    assert doc.document is before
    assert not doc.history.commands


def test_linked_files_and_relinking(capture: Path, tmp_path: Path) -> None:
    doc = po.edit(capture, linked=True)
    doc.select("x > 0")
    doc.delete()
    po.save(doc, tmp_path / "show.poly")
    assert (tmp_path / "show.poly").stat().st_size < capture.stat().st_size
    moved = tmp_path / "moved" / "ball.splat"
    moved.parent.mkdir()
    capture.rename(moved)
    moved.write_bytes(read_and_halve(moved))  # another file: not the one that is searched
    again = po.edit(tmp_path / "show.poly")
    assert again.document.node("ball").missing
    with pytest.raises(UsageError, match="100 splats"):
        again.relink("ball", moved)
    write_splats(ball(), moved)
    again.relink("ball", moved)
    node = again.document.node("ball")
    assert len(node.splats) == 200
    assert len(node.deleted) == len(doc.document.node("ball").deleted)
    with pytest.raises(UsageError, match="cannot be linked"):
        po.edit(tmp_path / "show.poly", linked=True)


def read_and_halve(path: Path) -> bytes:
    data = path.read_bytes()
    return data[: len(data) // 2]


def test_modifiers_read_and_written_as_a_list(capture: Path) -> None:
    doc = po.edit(capture)
    stack = doc.modifiers("ball")
    assert len(stack) == 0
    grade = stack.add("grade", saturation=1.4)
    crop = stack.add("crop", index=0, shape="sphere")
    assert [m.kind for m in stack] == ["crop", "grade"]
    assert stack["grade"] == stack[1] == grade
    assert stack[:1] == (crop,)
    assert "grade" in stack
    assert grade in stack
    assert "wind" not in stack
    assert stack.change("grade", exposure=1.0).exposure == 1.0
    stack.move("grade", 0)
    assert stack[0].kind == "grade"
    stack.remove(1)
    assert [m.kind for m in stack] == ["grade"]
    assert "Grade" in repr(stack)
    for _ in range(5):
        doc.undo()
    assert len(stack) == 0
    with pytest.raises(UsageError):
        doc.modifiers("nobody")


def test_keys_read_and_written_by_path(capture: Path) -> None:
    doc = po.edit(capture)
    doc.modifiers("ball").add("grade")
    doc.keys.set("ball/grade/exposure", 0.0, 0.0, interpolation="linear")
    doc.keys.set("ball/grade/exposure", 2.0, 1.0)
    assert [(k.time, k.value) for k in doc.keys.of("ball/grade/exposure")] == [(0, (0,)), (2, (1,))]
    assert "ball/grade/exposure" in doc.keys
    assert "ball/translation" not in doc.keys
    assert "nobody/x" not in doc.keys
    assert len(doc.keys) == 1
    (path,) = doc.keys
    assert at_time(doc.document, 1.0).node("ball").modifiers[0].exposure == pytest.approx(0.5)
    doc.keys.remove(path, 0.0)
    assert len(doc.keys.of(path)) == 1
    doc.keys.remove(path)
    assert len(doc.keys) == 0
    with pytest.raises(UsageError):
        doc.keys.of("nobody/x")


def job(doc: Editor) -> None:
    """What an artist does in five minutes."""
    doc.select("y > 0.2")
    doc.keep_selection("low")
    doc.delete()
    doc.modifiers("ball").add("grade", saturation=1.4, mask='selected("low")')
    doc.select("x > 0")
    doc.undo()
    with doc.gesture("Turn"):
        for angle in range(20):
            doc.run("set", path="ball/rotation", value=(0.0, float(angle), 0.0))
    doc.keys.set("ball/translation", 0.0, (0.0, 0.0, 0.0))
    doc.keys.set("ball/translation", 2.0, (0.5, 0.0, 0.0))
    doc.redo()
    doc.undo()


def test_recorded_operations_give_the_same_pixels(
    capture: Path, tmp_path: Path, dots: DotRasterizer
) -> None:
    doc = po.edit(capture)
    job(doc)
    save_calls(doc, tmp_path / "ops.json")
    out = tmp_path / "out.poly"
    assert main(["edit", str(capture), "--script", str(tmp_path / "ops.json"), "-o", str(out)]) == 0
    again = read_project(out)
    assert digest(again.nodes[0].content) == digest(doc.document.nodes[0].content)
    camera = Camera.look_at((0, 0, -4), (0, 0, 0), size=(96, 64))
    for time in (0.0, 1.0):
        pictures = [
            po.render(at_time(document, time), camera).rgba8
            for document in (doc.document, again, played(capture, tmp_path / "ops.json"))
        ]
        assert pictures[0].any()
        assert np.array_equal(pictures[0], pictures[1])
        assert np.array_equal(pictures[0], pictures[2])
    assert digest(played(capture, tmp_path / "ops.json")) == digest(doc.document)


def played(capture: Path, ops: Path) -> Document:
    editor = po.edit(capture)
    return run(play_calls(editor, read_calls(ops)))


def test_operations_written_by_hand(capture: Path, tmp_path: Path) -> None:
    ops = [
        {"op": "select", "args": {"query": "opacity > 0.5"}},
        {"op": "add_modifier", "args": {"node": "ball", "kind": "grade", "values": {"hue": 40}}},
        {"op": "select_none"},
    ]
    (tmp_path / "ops.json").write_text(json.dumps(ops))
    editor = po.edit(capture)
    run(run_script(editor, tmp_path / "ops.json"))
    assert editor.document.node("ball").modifier("grade").hue == 40.0
    assert len(editor.done) == 3


BAD_OPS: dict[str, tuple[Any, str]] = {
    "no json": ("{", "no JSON file"),
    "nan": ("[NaN]", "no JSON file"),
    "deep": ("[" * 100_000, "no JSON file"),
    "other": ('{"polyorama": "cameras"}', "no file of operations"),
    "newer": ('{"polyorama": "ops", "format": 2}', "newer version"),
    "no list": ('{"polyorama": "ops", "format": 1}', "no list"),
    "no name": ('[{"args": {}}]', "Operation 1 has no name"),
    "unknown": ('[{"op": "system", "args": {"command": "rm"}}]', "no operation 'system'"),
    "dunder": ('[{"op": "__init__"}]', "no operation '__init__'"),
    "undo": ('[{"op": "undo"}]', "no operation 'undo'"),
    "argument": ('[{"op": "rename", "args": {"node": "a", "nam": "b"}}]', "takes no 'nam'"),
    "missing": ('[{"op": "rename", "args": {"node": "a"}}]', "needs name"),
    "kind": ('[{"op": "rename", "args": {"node": "a", "name": 3}}]', "name of rename is a text"),
    "digits": (f'[{{"op": "set_timeline", "args": {{"duration": {10**400}}}}}]', "18 digits"),
    "nested digits": (
        f'[{{"op": "place", "args": {{"node": "a", "matrix": [{10**400}]}}}}]',
        "18 di",
    ),
    "class": ('[{"op": "delete", "args": {"x": {"type": "Popen"}}}]', "there is no kind 'Popen'"),
}


@pytest.mark.parametrize("case", BAD_OPS)
def test_files_that_hold_something_else_are_told(tmp_path: Path, case: str) -> None:
    text, words = BAD_OPS[case]
    path = tmp_path / "ops.json"
    path.write_text(text)
    with pytest.raises((FileFormatError, UsageError), match=words) as caught:
        read_calls(path)
    assert str(caught.value).endswith(str(path))


def test_names_that_are_far_too_long_are_told_in_short(capture: Path) -> None:
    doc = po.edit(capture)
    with pytest.raises(FileFormatError, match=r"File name too long.*'n{80}\.\.\.'$"):
        doc.add_files(["n" * 3000])
    with pytest.raises(UsageError, match=r"no node called 'n{80}\.\.\.'\.$"):
        doc.rename("n" * 3000, "a")


def test_an_operation_that_fails_is_numbered(capture: Path, tmp_path: Path) -> None:
    ops = [{"op": "select_none"}, {"op": "rename", "args": {"node": "nobody", "name": "x"}}]
    (tmp_path / "ops.json").write_text(json.dumps(ops))
    with pytest.raises(UsageError, match=r"Operation 2 \(rename\) failed\. .*nobody"):
        run(run_script(po.edit(capture), tmp_path / "ops.json"))


def test_splats_have_no_place_in_a_file_of_operations(tmp_path: Path) -> None:
    doc = po.edit()
    doc.add_node(Node("new", cloud_of(3, 0), id="new"))
    with pytest.raises(OutputError, match="add_files"):
        save_calls(doc, tmp_path / "ops.json")
    assert not (tmp_path / "ops.json").exists()


def test_a_script_of_python(capture: Path, tmp_path: Path) -> None:
    script = tmp_path / "ops.py"
    script.write_text(
        "for old, new in (('ball', 'a'), ('a', 'b')):\n    doc.rename(old, new)\n"
        "assert po.Document and __name__ == '__main__'\n"
    )
    out = tmp_path / "out.ply"
    assert main(["edit", str(capture), "--script", str(script), "-o", str(out), "--quiet"]) == 0
    assert len(read_splats(out)) == 200
    editor = po.edit(capture)
    run(run_script(editor, script))
    assert editor.document.nodes[0].name == "b"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = (\n", "is no Python"),
        ("pass\n\nnothing.at.all\n", "Line 3 failed .NameError"),
        ("\ndoc.rename('nobody', 'x')\n", "Line 2 failed .The document has no node"),
        ("def f():\n    1 / 0\nf()\n", "Line 2 failed .ZeroDivisionError"),
    ],
)
def test_a_script_that_fails_says_where(
    capture: Path, tmp_path: Path, text: str, words: str
) -> None:
    script = tmp_path / "ops.py"
    script.write_text(text)
    with pytest.raises(UsageError, match=words) as caught:
        run(run_script(po.edit(capture), script))
    assert str(caught.value).endswith(str(script))


def test_what_the_command_line_refuses(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out.poly")
    cases = {
        "a .py or a .json": ["edit", str(capture), "--script", str(capture), "-o", out],
        "kind of file": ["edit", str(capture), "-o", str(tmp_path / "out.docx")],
        "no such file": ["edit", str(tmp_path / "none.ply"), "-o", out],
        "leave --time out": ["edit", str(capture), "--time", "2", "-o", out],
        "leave --linked out": ["edit", str(capture), "--linked", "-o", str(tmp_path / "o.ply")],
        "folder does not exist": ["edit", str(capture), "-o", str(tmp_path / "x" / "o.poly")],
    }
    for words, arguments in cases.items():
        assert main(arguments) == 2
        assert words in capsys.readouterr().err
    assert not Path(out).exists()


def test_a_project_can_be_edited_in_its_place(capture: Path, tmp_path: Path) -> None:
    path = tmp_path / "show.poly"
    assert main(["edit", str(capture), "-o", str(path)]) == 0
    (tmp_path / "ops.json").write_text('[{"op": "rename", "args": {"node": "ball", "name": "b"}}]')
    ops = str(tmp_path / "ops.json")
    assert main(["edit", str(path), "--script", ops, "-o", str(path)]) == 0
    assert read_project(path).nodes[0].name == "b"


@pytest.mark.parametrize("up", [(0.0, -1.0, 0.0), (0.0, 0.0, 1.0)])
def test_imported_cameras_see_what_the_file_s_do(tmp_path: Path, up: tuple[float, ...]) -> None:
    rng = np.random.default_rng(3)
    cameras = [
        Camera.look_at(
            rng.normal(size=3) * 4, rng.normal(size=3) * 0.3, rng.normal(size=3),
            fov=float(rng.uniform(20, 100)), size=(80, 60),
        )
        for _ in range(7)
    ]  # fmt: skip
    cameras.append(Camera.look_at((0, 3, 0), (0, 0, 0), (1, 0, 0.3), size=(80, 60)))
    write_cameras(tmp_path / "views.json", cameras)
    doc = Editor(Document((Node("ball", ball(), id="ball"),), up=up))
    doc.import_cameras(tmp_path / "views.json", seconds=9.0)
    document = doc.document
    node = document.node("views")
    assert isinstance(node.content, CameraRig)
    assert document.chosen == (node.id,)
    assert document.timeline.duration == 9.0
    for i, camera in enumerate(cameras):
        seen = rig_camera(at_time(document, 9.0 * i / 7), node.id, (80, 60))
        assert np.allclose(seen.viewmat, camera.viewmat, atol=1e-6)
        assert seen.fov == pytest.approx(camera.fov)
    doc.undo()
    assert len(doc.document.nodes) == 1


def test_cameras_that_cannot_be_animated_are_told(tmp_path: Path) -> None:
    flat = Camera.orthographic((0, 0, -4), (0, 0, 0), size=(80, 60), height_in_world=2.0)
    write_cameras(tmp_path / "flat.json", [flat])
    doc = po.edit()
    with pytest.raises(UsageError, match="Only perspective cameras"):
        doc.import_cameras(tmp_path / "flat.json")


def test_sounds_that_are_none_are_told(tmp_path: Path) -> None:
    for name, data in (("a.wav", b"RIFF"), ("b.mp3", bytes(2000)), ("c.flac", b"fLaC" + bytes(99))):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FileFormatError, match=r"sound is damaged|holds no sound"):
            po.edit(tmp_path / name)


def test_a_real_capture_edited_again_gives_the_same_pixels(
    shared_data: Path, tmp_path: Path
) -> None:
    capture = shared_data / "splats" / "plant.splat"
    doc = po.edit(capture)
    doc.select("hue in 80..140 and opacity > 0.3")
    doc.modifiers("plant").add("fill", mask=doc.document.selection[doc.document.nodes[0].id])
    doc.select("opacity < 0.3")
    doc.delete()
    doc.modifiers("plant").add("crop", shape="sphere", size=(4.0, 4.0, 4.0), soft=0.5)
    doc.keys.set("plant/crop/soft", 0.0, 0.1)
    doc.keys.set("plant/crop/soft", 2.0, 1.0)
    save_calls(doc, tmp_path / "ops.json")
    write_project(doc.document, tmp_path / "plant.poly")
    again = (played(capture, tmp_path / "ops.json"), read_project(tmp_path / "plant.poly"))
    for time in (0.0, 1.5):
        pictures = [
            po.render(at_time(document, time), size=(160, 120), backend="cpu").rgba8
            for document in (doc.document, *again)
        ]
        assert np.ptp(pictures[0]) > 100
        assert np.array_equal(pictures[0], pictures[1])
        assert np.array_equal(pictures[0], pictures[2])
