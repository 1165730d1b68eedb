"""Nodes that others name by their ids go, are copied or merged: nothing is left that cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.edit import node_ops
from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.scene.contents import CameraRig, CropVolume
from polyorama.scene.document import Document, Node
from polyorama.scene.modifiers import make_modifier
from polyorama.scene.placement import matrix_of
from polyorama.scene.rigs import rig_camera
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.stack import stacked
from polyorama.scene.timeline import Key, Timeline, Track
from tests.engine.documents import cloud_of, digest

COUNT = 300
PLACED = matrix_of((0.4, -0.2, 0.3), (20.0, 30.0, -10.0), (1.5, 1.5, 1.5))
VOLUME = matrix_of((0.5, 0.1, 0.2), (40.0, 0.0, 15.0), (2.0, 1.0, 1.5))


def scene(shape: str = "box", **more: object) -> Document:
    crop = make_modifier("crop", id="c", soft=0.3, volume="v")
    nodes = (
        Node("set", id="set"),
        Node("pot", cloud_of(COUNT, 1), PLACED, id="pot", modifiers=(crop,), parent="set"),
        Node("volume", CropVolume(shape=shape), VOLUME, id="v", parent="set"),
        Node("cam", CameraRig(kind="follow", follows="pot", eye=(0.0, -1.0, -3.0)),
             matrix_of((1, 2, 3), (0, 70, 0), (2, 2, 2)), id="cam", parent="set"),
    )  # fmt: skip
    return Document(nodes, **more)


def seen(document: Document, name: str) -> np.ndarray:
    shown = stacked(document, document.node(name))
    return np.where(shown.deleted(), 0.0, shown.cloud.opacities)


@pytest.mark.parametrize("shape", ["box", "sphere", "ellipsoid", "plane"])
def test_a_crop_keeps_the_place_of_a_volume_that_goes(shape: str) -> None:
    editor = Editor(scene(shape))
    before = seen(editor.document, "pot")
    assert 0 < np.count_nonzero(before) < COUNT
    first = digest(editor.document)
    editor.run("remove", nodes=["v"])
    assert np.allclose(seen(editor.document, "pot"), before, atol=1e-5)
    editor.undo()
    assert digest(editor.document) == first


def test_a_camera_stands_where_it_followed_what_goes() -> None:
    editor = Editor(scene(view_camera="cam"))
    before = rig_camera(editor.document, "cam", (64, 48))
    editor.run("remove", nodes=["pot"])
    after = rig_camera(editor.document, "cam", (64, 48))
    assert np.allclose(after.viewmat, before.viewmat, atol=1e-6)
    orbit = Document((Node("a", id="a"), Node("b", CameraRig(kind="orbit", follows="a"), id="b")))
    editor = Editor(orbit)
    editor.run("ungroup", nodes=["a"])
    assert editor.document.node("b").content == CameraRig(kind="orbit")


def test_selections_forget_what_goes() -> None:
    bits = BitSet.all(COUNT)
    kept = (
        NamedSelection("hand", bits={"pot": bits}),
        NamedSelection("both", "x > 0", ("pot", "cam")),
        NamedSelection("one", "x > 0", ("pot",)),
    )
    editor = Editor(scene(selections=kept))
    editor.run("remove", nodes=["pot"])
    hand, both, one = editor.document.selections
    assert not hand.bits
    assert both.nodes == ("cam",)
    assert one.nodes == ("pot",), "without nodes it would be asked of all"
    # Another node of that id may have other splats.
    editor.run("add_node", node=Node("pot", cloud_of(7, 0), id="pot"))


def test_what_is_copied_together_belongs_together() -> None:
    kept = (
        NamedSelection("hand", bits={"pot": BitSet.all(COUNT)}),
        NamedSelection("one", "x > 0", ("pot",)),
    )
    editor = Editor(scene(selections=kept))
    editor.run("duplicate", nodes=["set"])
    copies = {n.name: n for n in editor.document.nodes[4:]}
    assert list(copies) == ["set copy", "pot", "volume", "cam"]
    assert copies["cam"].content.follows == copies["pot"].id
    assert copies["pot"].modifiers[0].volume == copies["volume"].id
    assert editor.document.selections[0].bits[copies["pot"].id] == BitSet.all(COUNT)
    assert editor.document.selections[1].nodes == ("pot", copies["pot"].id)
    # Alone, a copy goes on with what the first one had.
    editor.run("duplicate", nodes=["cam"])
    assert editor.document.nodes[-1].content.follows == "pot"
    assert editor.document.nodes[-1].parent == "set"


def test_copies_of_copies_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_ops, "_MOST_NODES", 100)
    editor = Editor(Document((Node("a", id="a"),)))
    for _ in range(6):
        editor.run("duplicate", nodes=[n.id for n in editor.document.nodes])
    assert len(editor.document.nodes) == 64
    with pytest.raises(UsageError, match="at most 100 nodes"):
        editor.run("duplicate", nodes=[n.id for n in editor.document.nodes])


def test_merging_what_is_keyed_moves_nothing_at_the_start() -> None:
    nodes = (
        Node("a", cloud_of(5, 1), id="a"),
        Node("b", cloud_of(6, 2), id="b"),
        Node("child", id="child", parent="b", transform=matrix_of((1, 0, 0), (0, 0, 0), (1, 1, 1))),
    )
    tracks = {"b/translation": Track((Key(0.0, (0.0, 5.0, 0.0)),))}
    editor = Editor(Document(nodes, timeline=Timeline(tracks=tracks)))
    editor.run("merge", nodes=["a", "b"])
    assert np.allclose(editor.document.world("child")[:3, 3], (1.0, 5.0, 0.0))
