"""Operations one by one: what each does, and what it refuses, in words."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from polyorama.core.frozen import FrozenMap
from polyorama.edit.arguments import known_kind
from polyorama.edit.editor import Editor, python_line
from polyorama.edit.ops import find_op, op, op_names
from polyorama.errors import UsageError
from polyorama.scene.document import Document, Node
from polyorama.scene.properties_of import get_property
from polyorama.scene.selection import BitSet
from polyorama.scene.timeline import Key, Track
from tests.engine.documents import cloud_of, digest, rich


def plain() -> Editor:
    """A stage with two pots of 10 splats, and a lamp beside it."""
    return Editor(
        Document(
            (
                Node("stage", id="stage"),
                Node("pot", cloud_of(10, 1), id="pot", parent="stage"),
                Node("leaf", cloud_of(10, 2), id="leaf", parent="stage"),
                Node("lamp", id="lamp"),
            )
        )
    )


def ids(doc: Editor) -> list[str]:
    return [node.id for node in doc.document.nodes]


def of(*numbers: int, count: int = 10) -> BitSet:
    return BitSet.of_indices(numbers, count)


# Nodes


def test_names() -> None:
    doc = plain()
    doc.rename("pot", "  vase ")
    assert doc.document.node("pot").name == "vase"
    assert doc.document.node("vase").id == "pot"
    with pytest.raises(UsageError, match="cannot be empty"):
        doc.rename("pot", "  ")


def test_steps_are_told_without_the_document_s_own_paths() -> None:
    doc = plain()
    doc.set("document/background", (0.1, 0.2, 0.3))
    assert doc.history.commands[-1].title == "Set background"
    doc.set("pot/visible", False)
    assert doc.history.commands[-1].title == "Set pot/visible"


def test_choosing_showing_and_fixing() -> None:
    doc = plain()
    doc.choose(["leaf", "pot", "leaf"])
    assert doc.document.chosen == ("leaf", "pot")
    doc.show(visible=False)
    doc.fix()
    assert [n.id for n in doc.document.nodes if not n.visible and n.fixed] == ["pot", "leaf"]
    doc.choose()
    assert doc.document.chosen == ()
    with pytest.raises(UsageError, match="No node is chosen"):
        doc.show()


def test_moving_keeps_the_place_in_the_world() -> None:
    doc = plain()
    doc.run("set", path="stage/translation", value=(1, 2, 3))
    doc.run("set", path="lamp/rotation", value=(0, 90, 0))
    before = doc.document.world("pot")
    doc.move("pot", parent="lamp")
    assert doc.document.node("pot").parent == "lamp"
    assert np.allclose(doc.document.world("pot"), before)
    doc.move("leaf", parent="lamp", before="pot")
    assert [n.id for n in doc.document.nodes if n.parent == "lamp"] == ["leaf", "pot"]
    with pytest.raises(UsageError, match="below itself"):
        doc.move("lamp", parent="pot")
    with pytest.raises(UsageError, match="does not lie there"):
        doc.move("leaf", before="pot")


def test_removing_takes_all_that_belongs_to_it() -> None:
    doc = Editor(rich())
    doc.choose(["pot", "camera"])
    doc.remove(["stage", "camera"])
    document = doc.document
    assert {"stage", "pot", "leaf", "camera"}.isdisjoint(ids(doc))
    assert dict(document.timeline.tracks) == {}
    assert dict(document.selection) == {}
    assert document.chosen == ()
    assert document.view_camera == ""
    doc.undo()
    doc.undo()
    assert digest(doc.document) == digest(rich())


def test_grouping_and_ungrouping() -> None:
    doc = plain()
    doc.group(["leaf", "pot"], name="pair")
    group = doc.document.node("pair")
    assert group.parent == "stage"
    assert [n.name for n in doc.document.below(group.id)] == ["pair", "pot", "leaf"]
    assert doc.document.chosen == (group.id,)
    doc.run("set", path=f"{group.id}/translation", value=(0, 1, 0))
    before = doc.document.world("leaf")
    doc.ungroup(group.id)
    assert doc.document.node("leaf").parent == "stage"
    assert np.allclose(doc.document.world("leaf"), before)
    with pytest.raises(UsageError, match="no group"):
        doc.ungroup("pot")


def test_copies_share_arrays_and_keep_keys() -> None:
    doc = plain()
    doc.key("leaf/translation", 0.0, (1, 2, 3))
    doc.duplicate("stage")
    copies = [n for n in doc.document.nodes if n.id not in {"stage", "pot", "leaf", "lamp"}]
    assert [n.name for n in copies] == ["stage copy", "pot", "leaf"]
    assert copies[1].parent == copies[0].id
    assert copies[1].content is doc.document.node("pot").content
    assert f"{copies[2].id}/translation" in doc.document.timeline.tracks
    assert doc.document.chosen == (copies[0].id,)


def test_places_must_be_places() -> None:
    doc = plain()
    doc.place("pot", np.eye(4)[:3] * 2.0)
    assert get_property(doc.document, "pot/scale") == (2.0, 2.0, 2.0)
    for bad in (np.zeros((4, 4)), np.full((4, 4), np.nan), np.ones((2, 2))):
        with pytest.raises(UsageError):
            doc.place("pot", bad)


def test_properties_are_held_to_their_bounds() -> None:
    doc = plain()
    doc.run("set", path="document/background", value=(0.1, 0.2, 0.3))
    assert doc.document.background == (0.1, 0.2, 0.3)
    bad: list[tuple[str, Any]] = [
        ("document/background", (0, 0, 2)), ("document/background", (0, 0)), ("pot/visible", 1),
        ("pot/translation", (0, 0, float("nan"))), ("pot/colour", 1), ("pot", 1), ("nobody/x", 1),
        ("view/fov", 500.0), ("view/fov", "wide"),
    ]  # fmt: skip
    for path, value in bad:
        with pytest.raises(UsageError):
            doc.run("set", path=path, value=value)


# Selections


def test_selections_combine() -> None:
    doc = plain()
    doc.select_bits({"pot": of(1, 2, 3)})
    doc.select_bits({"pot": of(3, 4), "leaf": of(0)}, mode="add")
    assert doc.document.selection["pot"] == of(1, 2, 3, 4)
    doc.select_bits({"pot": of(1)}, mode="remove")
    assert doc.document.selection["pot"] == of(2, 3, 4)
    doc.select_bits({"pot": of(2, 9)}, mode="intersect")
    assert dict(doc.document.selection) == {"pot": of(2)}
    doc.select_bits({"leaf": of(5)})
    assert dict(doc.document.selection) == {"leaf": of(5)}
    with pytest.raises(UsageError, match="not 'xor'"):
        doc.select_bits({"pot": of(1)}, mode="xor")
    with pytest.raises(UsageError, match="does not fit"):
        doc.select_bits({"pot": of(1, count=11)})


def test_all_none_and_the_rest() -> None:
    doc = plain()
    doc.select_all()
    assert {i: len(b) for i, b in doc.document.selection.items()} == {"pot": 10, "leaf": 10}
    doc.select_none()
    assert not doc.document.selection
    doc.select_bits({"pot": of(0, 1)})
    doc.invert("pot")
    assert dict(doc.document.selection) == {"pot": ~of(0, 1)}
    with pytest.raises(UsageError, match="holds no splats"):
        doc.select_all("lamp")


def test_what_is_deleted_hidden_or_locked_is_not_picked() -> None:
    doc = plain()
    for number, name in enumerate(("delete", "hide", "lock")):
        doc.select_bits({"pot": of(number)})
        doc.run(name)
        assert not doc.document.selection
    pot = doc.document.node("pot")
    assert (pot.deleted, pot.hidden, pot.locked) == (of(0), of(1), of(2))
    doc.select_all("pot")
    assert doc.document.selection["pot"] == ~of(0, 1, 2)
    doc.select_bits({"pot": of(0, 1, 2, 3)})
    assert doc.document.selection["pot"] == of(3)
    doc.restore()
    doc.unhide("pot")
    doc.unlock()
    pot = doc.document.node("pot")
    assert (pot.deleted, pot.hidden, pot.locked) == (None, None, None)
    doc.select_none()
    for name in ("delete", "hide", "lock", "isolate"):
        with pytest.raises(UsageError, match="No splats are selected"):
            doc.run(name)


def test_isolating_hides_the_rest() -> None:
    doc = plain()
    doc.select_bits({"pot": of(1, 2)})
    doc.isolate()
    assert doc.document.node("pot").hidden == ~of(1, 2)
    assert doc.document.node("leaf").hidden == BitSet.all(10)


def test_fixed_and_hidden_nodes_are_not_picked() -> None:
    doc = plain()
    doc.fix("pot")
    doc.show("leaf", visible=False)
    doc.select_all()
    assert not doc.document.selection


def test_kept_selections() -> None:
    doc = plain()
    doc.select_bits({"pot": of(1)})
    doc.keep_selection("one")
    doc.keep_selection("faint", query="opacity < 0.5")
    doc.keep_selection("one", query="x > 0")
    assert [(s.name, s.query) for s in doc.document.selections] == [
        ("faint", "opacity < 0.5"), ("one", "x > 0"),
    ]  # fmt: skip
    doc.forget_selection("faint")
    assert [s.name for s in doc.document.selections] == ["one"]
    with pytest.raises(UsageError, match="name"):
        doc.keep_selection("a/b")
    doc.select_none()
    with pytest.raises(UsageError, match="No splats are selected"):
        doc.keep_selection("none")


# Edit stacks


def test_stacks() -> None:
    doc = plain()
    doc.add_modifier("pot", "grade", values={"hue": 20.0})
    doc.select_bits({"pot": of(1)})
    doc.add_modifier("pot", "fill", index=0, selected=True)
    stack = doc.document.node("pot").modifiers
    assert [m.kind for m in stack] == ["fill", "grade"]
    assert stack[0].mask == of(1)
    assert len({m.id for m in stack}) == 2
    doc.key("pot/grade/hue", 1.0, 30.0)
    doc.move_modifier("pot", "grade", 0)
    doc.change_modifier("pot", "grade", {"hue": 5.0, "name": "warm", "enabled": False})
    changed = doc.document.node("pot").modifier("warm")
    assert (changed.hue, changed.enabled) == (5.0, False)
    doc.remove_modifier("pot", "warm")
    assert [m.kind for m in doc.document.node("pot").modifiers] == ["fill"]
    assert not doc.document.timeline.tracks


@pytest.mark.parametrize(
    "arguments",
    [
        {"node": "lamp", "kind": "grade"}, {"node": "pot", "kind": "shine"},
        {"node": "pot", "kind": "grade", "values": {"hues": 1.0}},
        {"node": "pot", "kind": "grade", "values": {"hue": 1000.0}},
        {"node": "pot", "kind": "grade", "mask": of(1, count=3)},
        {"node": "pot", "kind": "grade", "mask": "opacity <"},
        {"node": "pot", "kind": "grade", "selected": True},
        {"node": "pot", "kind": "decimate", "mask": "x > 0"},
    ],
)  # fmt: skip
def test_stacks_refuse(arguments: dict[str, Any]) -> None:
    doc = plain()
    before = doc.document
    with pytest.raises(UsageError):
        doc.run("add_modifier", **arguments)
    assert doc.document is before
    assert not doc.calls


# Time


def test_keys() -> None:
    doc = plain()
    doc.key("pot/translation", 0.0, (0, 0, 0), interpolation="linear")
    doc.key("pot/translation", 1.0, (1, 0, 0))
    doc.key("pot/translation", 0.5)
    keys = doc.document.timeline.tracks["pot/translation"].keys
    assert [k.value[0] for k in keys] == [0.0, 0.5, 1.0]
    doc.key("pot/translation", 0.0, (9, 0, 0))
    assert doc.document.timeline.tracks["pot/translation"].keys[0].interpolation == "linear"
    doc.key("pot/visible", 0.0, False)
    assert doc.document.timeline.tracks["pot/visible"].keys[0].interpolation == "constant"
    doc.shift_keys([("pot/translation", 0.0)], 0.5)
    assert [k.value[0] for k in doc.document.timeline.tracks["pot/translation"].keys] == [9.0, 1.0]
    doc.shift_keys([("pot/translation", 0.5)], 2.0, copy=True)
    times = [k.time for k in doc.document.timeline.tracks["pot/translation"].keys]
    assert times == [0.5, 1.0, 2.5]
    doc.remove_keys([("pot/translation", 1.0), ("pot/visible", 0.0)])
    assert list(doc.document.timeline.tracks) == ["pot/translation"]
    doc.set_track("pot/translation", None)
    assert not doc.document.timeline.tracks


def test_keys_refuse() -> None:
    doc = Editor(rich())
    before = doc.document
    with pytest.raises(UsageError, match="cannot be keyed"):
        doc.key("camera/near", 0.0, 1.0)
    with pytest.raises(UsageError, match="3 components"):
        doc.set_track("pot/translation", Track((Key(0.0, (1.0,)),)))
    with pytest.raises(UsageError, match="no property"):
        doc.key("pot/shine", 0.0, 1.0)
    with pytest.raises(UsageError, match="finite"):
        doc.key("pot/translation", float("inf"), (0, 0, 0))
    assert doc.document is before


def test_cues_and_duration() -> None:
    doc = plain()
    doc.add_cue(2.0, "end")
    doc.add_cue(1.0, "begin", "hello")
    doc.add_cue(3.0, "end")
    assert [(c.name, c.time) for c in doc.document.timeline.cues] == [("begin", 1.0), ("end", 3.0)]
    doc.remove_cue("begin")
    assert [c.name for c in doc.document.timeline.cues] == ["end"]
    doc.set_timeline(duration=9, loop="hold")
    assert (doc.document.timeline.duration, doc.document.timeline.fps) == (9.0, 30.0)
    for bad in ({"duration": 0.0}, {"fps": -1.0}, {"loop": "twice"}):
        with pytest.raises(UsageError):
            doc.set_timeline(**bad)


# The editor


def test_calls_hold_what_cannot_be_changed_afterwards() -> None:
    doc = plain()
    values = {"hue": 20.0}
    keys = [("pot/translation", 0.0)]
    matrix = np.diag([2.0, 2.0, 2.0, 1.0])
    doc.add_modifier("pot", "grade", values=values)
    doc.remove_keys(keys)
    doc.place("pot", matrix)
    values["hue"], keys[0], matrix[0, 0] = 99.0, ("leaf/translation", 1.0), 7.0
    kept = [call.arguments for call in doc.calls]
    assert kept[0]["values"] == FrozenMap({"hue": 20.0})
    assert kept[1]["keys"] == (("pot/translation", 0.0),)
    assert kept[2]["matrix"][0, 0] == 2.0


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("rename", {"node": "pot", "name": 3}, "name of rename is a text, not 3"),
        ("choose", {"nodes": [1]}, "nodes of choose is a text or a list of texts"),
        ("show", {"nodes": "pot", "visible": "no"}, "visible of show is on or off"),
        ("key", {"path": "pot/visible", "time": "now"}, "time of key is a finite number"),
        ("move_modifier", {"node": "pot", "modifier": "a", "index": 0.5}, "is a whole number"),
        ("select_bits", {"bits": {"pot": 3}}, "bits of select_bits is sets of splats"),
        (
            "remove_keys",
            {"keys": [("pot/visible",)]},
            "keys of remove_keys is a list of which",
        ),
        ("add_node", {"node": "pot"}, "node of add_node is a Node, not 'pot'"),
        ("set_track", {"path": "pot/visible", "track": 1}, "track of set_track is a Track"),
        ("rename", {"node": "pot"}, "rename needs name"),
        ("rename", {"node": "pot", "name": "a", "title": "b"}, "takes no 'title'"),
    ],
)
def test_arguments_of_other_kinds_are_told(
    name: str, arguments: dict[str, Any], words: str
) -> None:
    doc = plain()
    with pytest.raises(UsageError, match=words):
        doc.run(name, **arguments)
    assert not doc.calls


@pytest.mark.parametrize("name", op_names())
def test_what_operations_take_is_checked(name: str) -> None:
    """An annotation that is not known here is to be added to `polyorama.edit.arguments`."""
    parameters = list(inspect.signature(find_op(name).function).parameters.values())[1:]
    assert [p.name for p in parameters if not known_kind(p.annotation)] == []


def test_operations_as_methods() -> None:
    doc = plain()
    assert set(op_names()) <= set(dir(doc))
    assert doc.rename("pot", name="vase") is doc.document
    assert python_line(doc.calls[-1]) == "doc.rename(node='pot', name='vase')"
    assert doc.rename.__doc__
    for wrong in (("pot", "a", "b"), ("pot",)):
        with pytest.raises(UsageError):
            doc.rename(*wrong)
    with pytest.raises(UsageError, match="twice"):
        doc.rename("pot", node="pot", name="a")
    with pytest.raises(AttributeError, match="no 'paint'"):
        _ = doc.paint
    with pytest.raises(UsageError, match="no operation 'paint'"):
        find_op("paint")


def test_a_job_and_an_edit_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyorama.edit.ops._ops", {**_registered()})

    @op("Slow {name}")
    def slow(document: Document, name: str) -> Any:
        yield 1
        return document.replaced(Node(name, document.node("pot").content, id="pot", parent="stage"))

    doc = plain()
    job = doc.job("slow", name="vase")
    next(job)
    doc.rename("leaf", "petal")
    for _ in job:
        pass
    assert [n.name for n in doc.document.nodes] == ["stage", "vase", "petal", "lamp"]
    job = doc.job("slow", name="urn")
    next(job)
    doc.rename("pot", "mug")
    with pytest.raises(UsageError, match="changed in the same place"):
        for _ in job:
            pass
    assert doc.document.node("pot").name == "mug"
    while doc.undo():
        pass
    assert digest(doc.document) == digest(plain().document)


def _registered() -> dict[str, Any]:
    op_names()
    from polyorama.edit import ops

    return ops._ops


def test_listeners_hear_of_each_change() -> None:
    doc = plain()
    heard: list[str] = []
    stop = doc.subscribe(lambda editor, command: heard.append(command.title))
    doc.rename("pot", "vase")
    doc.rename("pot", "vase")  # changes nothing
    doc.undo()
    doc.redo()
    stop()
    doc.undo()
    assert heard == ["Rename to vase"] * 3


def test_going_to_a_place_of_the_history() -> None:
    doc = plain()
    for name in "abc":
        doc.rename("pot", name)
    doc.go_to(1)
    assert doc.document.node("pot").name == "a"
    doc.go_to(3)
    assert doc.document.node("pot").name == "c"
    doc.go_to(1)
    doc.rename("pot", "d")  # what could be redone is gone
    assert [c.title for c in doc.history.commands] == ["Rename to a", "Rename to d"]
    assert len(doc.done) == 2
    assert not doc.redo()
