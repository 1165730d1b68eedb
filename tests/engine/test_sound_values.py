"""Values that a document may hold: what could not be saved, drawn or found again is refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.modifiers import make_modifier
from polyorama.scene.properties_of import animated_paths, at_time, get_property
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.timeline import Cue, Key, Timeline, Track
from tests.engine.documents import cloud_of, rich

if TYPE_CHECKING:
    from collections.abc import Callable


def pot(**more: Any) -> Node:
    return Node("pot", cloud_of(9, 0), id="pot", **more)


def stack(**values: Any) -> tuple[Any, ...]:
    return (make_modifier("grade", id="m", **values), make_modifier("size", id="s"))


OTHERS = BitSet.none(1000)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pot(modifiers=stack(mask=OTHERS)), "mask of Grade is over 1000"),
        (lambda: Document((pot(),), selections=(NamedSelection("s", bits={"pot": ~OTHERS}),)),
         "does not fit"),
        (lambda: Node("a", id="a/b"), "cannot have the id 'a/b'"),
        (lambda: Node("a", id="view"), "cannot have the id"),
        (lambda: Node("a", id="document"), "cannot have the id"),
        (lambda: Node("a", id=""), "cannot have the id"),
        (lambda: Node("x" * 5000), "letters"),
        (lambda: Node(5, id="a"), "texts"),  # type: ignore[arg-type]
        (lambda: make_modifier("grade", id="a/b"), "slash"),
        (lambda: make_modifier("grade", name=5), "name is a text"),
        (lambda: make_modifier("delete", rule=5), "rule is a text"),
        (lambda: make_modifier("crop", volume=5), "volume is the id"),
        (lambda: Cue(math.nan, "a"), "finite"),
        (lambda: Cue(0.0, 5), "texts"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_could_not_be_kept_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make()


@pytest.mark.parametrize(
    ("op", "arguments", "words"),
    [
        ("change_modifier", {"modifier": "m", "values": {"id": "s"}}, "id is not among"),
        ("change_modifier", {"modifier": "m", "values": {"kind": "size"}}, "kind is not among"),
        ("add_modifier", {"kind": "size", "values": {"mask": None}}, "mask is not among"),
        ("add_modifier", {"kind": "size", "values": {"id": "m"}}, "id is not among"),
        ("add_modifier", {"kind": "size", "values": {"kind": "grade"}}, "kind is not among"),
    ],
)
def test_values_of_modifiers_are_its_own(op: str, arguments: dict[str, Any], words: str) -> None:
    editor = Editor(Document((pot(modifiers=stack()),)))
    with pytest.raises(UsageError, match=words):
        editor.run(op, node="pot", **arguments)
    assert [m.id for m in editor.document.node("pot").modifiers] == ["m", "s"]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_of_operations_are_finite(bad: float) -> None:
    editor = Editor(Document((pot(),)))
    for op, arguments in (
        ("add_cue", {"time": bad, "name": "a"}),
        ("shift_keys", {"keys": [("pot/scale", 0.0)], "seconds": bad}),
        ("shift_keys", {"keys": [("pot/scale", bad)], "seconds": 1.0}),
        ("key", {"path": "pot/scale", "time": 0.0, "before": [bad]}),
    ):
        with pytest.raises(UsageError):
            editor.run(op, **arguments)


def test_hostile_tracks_are_passed_over() -> None:
    nodes = (pot(modifiers=stack()), Node("cam", CameraRig(), id="cam"))
    one, two = Track((Key(0.0, (1.0,)),)), Track((Key(0.0, (1.0, 2.0)),))
    steep = Track(
        (Key(0.0, (-1.7e308,) * 3), Key(5e-324, (1.7e308,) * 3), Key(1.0, (0.0, 0.0, -3.0)))
    )
    tracks = {
        "view/foo": one, "view/fov": two, "view/eye": steep, "document/foo": one,
        "document/background": two, "pot/translation": two, "pot/foo": one, "pot/m/foo": one,
        "pot/m/exposure": two, "pot/visible": two, "cam/kind": one, "cam/near": one,
        "pot/m/name": one, "gone/x": one,
    }  # fmt: skip
    document = Document(nodes, timeline=Timeline(tracks=tracks))
    for time in (0.0, 1e-324, 0.3, 1.0):
        at_time(document, time)
    first = at_time(document, 0.5)
    assert first.node("cam").content == CameraRig()
    assert np.array_equal(first.node("pot").transform, np.eye(4))


def test_black_and_white_points_that_cross_are_held_apart() -> None:
    tracks = {
        "pot/m/black": Track((Key(0.0, (0.0,), "linear"), Key(1.0, (0.9,), "linear"))),
        "pot/m/white": Track((Key(0.0, (1.0,), "linear"), Key(1.0, (0.05,), "linear"))),
    }
    document = Document((pot(modifiers=stack()),), timeline=Timeline(tracks=tracks))
    for time in np.linspace(0.0, 1.0, 21):
        made = at_time(document, float(time)).node("pot").modifier("m")
        assert made.black < made.white
        if time <= 0.4:
            assert made.black == pytest.approx(0.9 * time)
    assert made.white == pytest.approx(0.05)


def test_tracks_of_what_cannot_be_keyed_are_refused() -> None:
    editor = Editor(rich())
    one = Track((Key(0.0, (1.0,)),))
    for path in ("camera/kind", "camera/near", "volume/shape", "song/gain"):
        with pytest.raises(UsageError, match="cannot be keyed"):
            editor.run("set_track", path=path, track=one)
        editor.run("set_track", path=path, track=None)
    for path in animated_paths(editor.document):
        value = get_property(editor.document, path)
        count = len(value) if isinstance(value, tuple) else 1
        editor.run("set_track", path=path, track=Track((Key(0.0, (0.5,) * count),)))
        with pytest.raises(UsageError, match="components"):
            editor.run("set_track", path=path, track=Track((Key(0.0, (0.5,) * (count + 1)),)))


def test_times_that_roundings_part_are_one() -> None:
    editor = Editor(Document((pot(),)))
    for time in (0.1, 0.3):
        editor.run("key", path="pot/translation", time=time, value=(time, 0.0, 0.0))
    editor.run("shift_keys", keys=[("pot/translation", 0.1)], seconds=0.2)
    (kept,) = editor.keys.of("pot/translation")
    assert kept.value == (0.1, 0.0, 0.0)
    editor.run("key", path="pot/translation", time=0.3, value=(5.0, 0.0, 0.0))
    assert len(editor.keys.of("pot/translation")) == 1
    editor.run("remove_keys", keys=[("pot/translation", 0.1 + 0.2)])
    assert len(editor.keys) == 0


def test_a_query_that_cannot_be_read_is_not_kept() -> None:
    editor = Editor(Document((pot(),)))
    with pytest.raises(UsageError, match="opacity <"):
        editor.run("keep_selection", name="faint", query="opacity <")
    editor.run("keep_selection", name="faint", query="opacity < 0.5")
    assert editor.document.selections[0].query == "opacity < 0.5"
