"""Drags: what is left of many calls is what they made; what was done is kept small and whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.core.frozen import FrozenMap
from polyorama.core.jobs import run
from polyorama.edit.calls import python_line
from polyorama.edit.command import Call
from polyorama.edit.editor import Editor
from polyorama.edit.record import Record
from polyorama.scene.codec import CodecError
from polyorama.scene.document import Document, Node
from polyorama.scene.modifiers import make_modifier
from polyorama.scene.selection import BitSet
from polyorama.scene.timeline import Key, Track
from polyorama.verbs.editing import play_calls, read_calls, save_calls
from tests.engine.documents import cloud_of, digest

if TYPE_CHECKING:
    from pathlib import Path


def graded(**values: float) -> Editor:
    stack = (make_modifier("grade", id="m", **values),)
    return Editor(Document((Node("pot", cloud_of(9, 0), id="pot", modifiers=stack),)))


def change(editor: Editor, **values: float) -> None:
    editor.run("change_modifier", node="pot", modifier="m", values=values)


def test_fields_of_one_modifier_do_not_take_each_other_s_place() -> None:
    editor = graded()
    with editor.gesture("Grade"):
        for step in range(4):
            change(editor, exposure=0.1 * step)
        for step in range(4):
            change(editor, saturation=1.0 + 0.1 * step)
    made = editor.document.node("pot").modifier("m")
    assert (made.exposure, made.saturation) == (0.1 * 3, 1.0 + 0.1 * 3)
    assert len(editor.done[0]) == 2


def test_a_key_keeps_the_way_it_was_given_before_its_value() -> None:
    editor = graded()
    with editor.gesture("Key"):
        editor.run("key", path="pot/m/exposure", time=1.0, interpolation="linear")
        for step in range(4):
            editor.run("key", path="pot/m/exposure", time=1.0, value=0.5 * step)
    (kept,) = editor.keys.of("pot/m/exposure")
    assert (kept.interpolation, kept.value) == ("linear", (1.5,))


def test_a_key_at_what_is_there_is_taken_when_it_was_set() -> None:
    editor = graded()
    with editor.gesture("Key"):
        editor.run("key", path="pot/m/exposure", time=0.0, value=5.0)
        editor.run("key", path="pot/m/exposure", time=1.0)
        editor.run("key", path="pot/m/exposure", time=0.0, value=7.0)
    assert [k.value for k in editor.keys.of("pot/m/exposure")] == [(7.0,), (5.0,)]


def test_values_that_fit_in_their_own_order_alone_are_kept() -> None:
    editor = graded(black=0.5, white=1.0)
    with editor.gesture("Grade"):
        change(editor, black=0.0)
        change(editor, white=0.3)
        change(editor, black=0.1)
    made = editor.document.node("pot").modifier("m")
    assert (made.black, made.white) == (0.1, 0.3)
    assert not editor.in_gesture


def test_a_job_in_a_gesture_is_done_once() -> None:
    editor = graded(exposure=1.0)
    first = digest(editor.document)
    with editor.gesture("Bake and turn"):
        for angle in range(3):
            editor.run("set", path="pot/rotation", value=(angle, 0.0, 0.0))
        editor.run("apply_modifiers", node="pot")
        baked = editor.document.node("pot").content
        for angle in range(5):
            editor.run("set", path="pot/rotation", value=(angle, 1.0, 0.0))
    assert editor.document.node("pot").content is baked
    assert not editor.document.node("pot").modifiers
    assert [call.name for call in editor.done[0]] == ["set"] * 2 + ["apply_modifiers", "set"]
    assert editor.undo()
    assert digest(editor.document) == first


def test_the_latest_calls_tell_a_gesture_with_steps_that_changed_nothing() -> None:
    editor = graded()
    editor.run("rename", node="pot", name="vase")
    with editor.gesture("Move"):
        for x in (1.0, 2.0, 2.0):
            editor.run("set", path="pot/translation", value=(x, 0.0, 0.0))
    assert [call.name for call in editor.calls] == ["rename", "set"]


def test_a_long_session_keeps_few_arguments(tmp_path: Path) -> None:
    count = 80_000
    document = Document((Node("pot", cloud_of(count, 0), id="pot"),))
    editor = Editor(document)
    editor.done = Record(limit=200_000)
    rng = np.random.default_rng(0)
    for step in range(100):
        bits = BitSet.of_mask(rng.random(count) < 0.5)
        editor.run("select_bits", bits={"pot": bits})
        editor.run("rename", node="pot", name=f"pot {step}")
    assert editor.done.nbytes <= 200_000
    assert len(editor.calls) < 100
    assert len(editor.done) == 200
    save_calls(editor, tmp_path / "ops.json")
    again = Editor(document)
    run(play_calls(again, read_calls(tmp_path / "ops.json")))
    assert digest(again.document) == digest(editor.document)
    assert editor.done[0][0].arguments["bits"]["pot"].count == count
    editor.go_to(0)
    assert len(editor.done) == 0
    editor.go_to(3)
    assert [calls[0].name for calls in editor.done] == ["select_bits", "rename", "select_bits"]


def test_lines_can_be_run() -> None:
    values = {"exposure": 1 / 3, "multiply": (0.1, 0.2, 1e-17), "mask": "x > 0 and " * 40 + "y < 1"}
    editor = graded()
    editor.run("change_modifier", node="pot", modifier="m", values=values)
    editor.run("set", path="pot/translation", value=np.float64([0.1, 1 / 3, 2.0]))
    editor.run("rename", node="pot", name="'quoted' \\ name " * 20)
    again = graded()
    for call in editor.calls:
        exec(python_line(call), {"doc": again})
    assert digest(again.document) == digest(editor.document)
    nested = Call("add_modifier", FrozenMap({"values": FrozenMap({"size": np.float32(0.5)})}))
    assert python_line(nested) == "doc.add_modifier(values={'size': 0.5})"


def test_what_no_file_can_hold_is_told_however_long_ago(tmp_path: Path) -> None:
    record = Record(limit=0)
    node = Node("new", cloud_of(500, 0), id="new")
    record.push((Call("add_node", FrozenMap({"node": node})),))
    track = Track(tuple(Key(float(t), (0.0,)) for t in range(100)))
    record.push((Call("set_track", FrozenMap({"path": "new/x", "track": track})),))
    record.push((Call("rename", FrozenMap({"node": "new", "name": "old"})),))
    assert record.nbytes < 1000
    assert record[1][0].arguments["track"] == track
    assert record[0][0].name == "add_node"
    with pytest.raises(CodecError, match="'add_node': a SplatCloud"):
        list(record.entries())
