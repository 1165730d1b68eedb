"""Any sequence of operations, undone, is the first document to the last bit; redone, the last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.edit.editor import Editor
from polyorama.edit.history import History, held_bytes
from polyorama.edit.ops import op_names
from polyorama.io.project import read_project, write_project
from polyorama.scene.document import Document, Node
from polyorama.scene.selection import BitSet
from polyorama.verbs.editing import play_calls, read_calls, save_calls
from tests.engine.documents import cloud_of, digest
from tests.engine.random_ops import Chooser, make_files, start

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(8)
STEPS = 70
_done: set[str] = set()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_files(tmp_path_factory.mktemp("undo") / "files")


@pytest.mark.parametrize("seed", SEEDS)
def test_undone_and_redone_to_the_last_bit(seed: int, files: Path) -> None:
    document = start(seed)
    editor = Editor(document)
    first = digest(document)
    # What the document was at each place of the history.
    passed = {0: first}
    chooser = Chooser(seed, files)
    for _ in range(STEPS):
        held = editor.document
        before = digest(held)
        chooser.step(editor)
        assert digest(held) == before, "an operation wrote into the document it was given"
        position = editor.history.position
        now = digest(editor.document)
        if len(editor.history.commands) == position:
            passed = {at: known for at, known in passed.items() if at < position}
        assert passed.setdefault(position, now) == now
        assert len(editor.done) == position
    last, end = digest(editor.document), editor.history.position
    editor.go_to(10**9)
    top = len(editor.history.commands)
    for at in range(top - 1, -1, -1):
        assert editor.undo()
        assert at not in passed or digest(editor.document) == passed[at]
    assert not editor.undo()
    assert digest(editor.document) == digest(document) == first
    editor.go_to(end)
    assert digest(editor.document) == last
    assert top > 15
    _done.update(chooser.done)


def test_nearly_every_operation_was_among_them() -> None:
    if not _done:
        pytest.skip("the sequences were not run")
    never = set(op_names()) - _done
    assert len(never) < len(op_names()) / 6, never


@pytest.mark.parametrize("seed", range(4))
def test_what_was_done_is_done_again_from_a_file(seed: int, files: Path, tmp_path: Path) -> None:
    chooser = Chooser(100 + seed, files, heavy=False)
    editor = Editor(start(seed))
    for _ in range(STEPS):
        chooser.step(editor)
    save_calls(editor, tmp_path / "ops.json")
    again = Editor(start(seed))
    run(play_calls(again, read_calls(tmp_path / "ops.json")))
    assert digest(again.document) == digest(editor.document)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_was_done_can_be_saved(seed: int, files: Path, tmp_path: Path) -> None:
    chooser = Chooser(200 + seed, files)
    editor = Editor(start(seed))
    for _ in range(3):
        for _ in range(STEPS // 3):
            chooser.step(editor)
        write_project(editor.document, tmp_path / "a.poly")
        assert digest(read_project(tmp_path / "a.poly")) == digest(editor.document)


def test_a_gesture_is_one_step_and_one_call() -> None:
    editor = Editor(start(0))
    first = digest(editor.document)
    with editor.gesture("Turn"):
        for angle in range(60):
            editor.run("set", path="pot/rotation", value=(angle, 0.5 * angle, -0.0))
    assert len(editor.history.commands) == len(editor.done) == len(editor.calls) == 1
    once = Editor(start(0))
    once.run("set", path="pot/rotation", value=(59, 29.5, -0.0))
    assert digest(once.document) == digest(editor.document)
    assert editor.undo()
    assert digest(editor.document) == first


def test_a_drag_that_comes_back_can_be_undone() -> None:
    editor = Editor(start(0))
    first = digest(editor.document)
    before = editor.document.node("stage").transform
    with editor.gesture("Move"):
        for x in (1.0, 2.0, 0.0):
            editor.run("set", path="stage/translation", value=(x, 0.0, 0.0))
    assert np.array_equal(editor.document.node("stage").transform, before)
    editor.undo()
    assert digest(editor.document) == first


def test_the_history_is_bounded_by_bytes() -> None:
    count = 80_000
    document = Document((Node("pot", cloud_of(count, 0), id="pot"),))
    editor = Editor(document, history=History(limit=40 * count // 8))
    rng = np.random.default_rng(0)
    for _ in range(80):
        bits = BitSet.of_mask(rng.random(count) < 0.5)
        editor.run("select_bits", bits={"pot": bits})
    history = editor.history
    assert history.nbytes <= history.limit + 2 * count // 8
    assert 20 < len(history.commands) < 80
    assert history.forgotten + len(history.commands) == 80
    while editor.undo():
        pass
    assert editor.document.selection
    editor.go_to(10**9)
    assert held_bytes(tuple(history.commands)) == history.nbytes


def test_what_the_document_holds_is_not_the_history_s() -> None:
    editor = Editor(Document(), history=History(limit=100_000))
    for name in ("a", "b", "c"):
        node = Node(name, cloud_of(5_000, 0), id=name)
        editor.run("add_node", node=node)
        editor.run("rename", node=name, name=f"{name} renamed")
    assert len(editor.history.commands) == 6
    editor.run("remove", nodes=["a"])  # now nothing else holds it
    assert len(editor.history.commands) < 6


def test_a_hundred_selections_of_half_a_scene_take_less_than_100_mb() -> None:
    count = 5_000_000
    flat = np.zeros((count, 3), np.float32)
    cloud = cloud_of(1, 0)
    zeros = {name: np.broadcast_to(getattr(cloud, name), (count, *getattr(cloud, name).shape[1:]))
             for name in ("quats", "opacities", "sh")}  # fmt: skip
    node = Node("big", type(cloud)(means=flat, scales=flat, **zeros), id="big")
    editor = Editor(Document((node,)))
    rng = np.random.default_rng(0)
    packed = np.frombuffer(rng.bytes(count // 8), np.uint8)
    for shift in range(100):
        bits = BitSet(np.roll(packed, shift), count)
        editor.run("select_bits", bits={"big": bits})
        del bits
    assert len(editor.history.commands) == 100
    assert held_bytes(tuple(editor.history.commands), tuple(editor.calls)) < 100e6
    while editor.undo():
        pass
    assert not editor.document.selection
