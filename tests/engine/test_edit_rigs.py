"""Operations on camera nodes and named selections, and what a drag leaves in the history."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.selection import BitSet
from tests.engine.test_edit_splat_ops import make_cloud


def scene() -> Document:
    nodes = (
        Node("ball", make_cloud(40), id="ball0001"),
        Node("camera", CameraRig(kind="follow"), id="camera01"),
        Node("other", CameraRig(), id="camera02"),
    )
    return Document(nodes=nodes)


def test_a_document_is_seen_through_a_camera():
    doc = Editor(scene())
    doc.see_through("camera")
    assert doc.document.view_camera == "camera01"
    doc.see_through()
    assert doc.document.view_camera == ""
    with pytest.raises(UsageError, match="'ball' is no camera"):
        doc.see_through("ball")


def test_a_camera_follows_a_node():
    doc = Editor(scene())
    doc.follow("camera", "ball")
    assert doc.document.node("camera").content.follows == "ball0001"
    with pytest.raises(UsageError, match="cannot follow itself"):
        doc.follow("camera", "camera01")
    doc.follow("camera")
    assert doc.document.node("camera").content.follows == ""
    with pytest.raises(UsageError, match="'ball' is no camera"):
        doc.follow("ball", "camera")


def test_named_selections_are_renamed():
    doc = Editor(scene())
    doc.keep_selection("few", query="index < 3")
    doc.select_bits({"ball0001": BitSet.of_indices([1], 40)})
    doc.keep_selection("one")
    doc.rename_selection("few", "three")
    assert [s.name for s in doc.document.selections] == ["three", "one"]
    doc.rename_selection("one", "one")
    with pytest.raises(UsageError, match="already"):
        doc.rename_selection("one", "three")
    with pytest.raises(UsageError, match="no selection called 'few'"):
        doc.rename_selection("few", "many")


def test_many_nodes_are_chosen_at_once():
    nodes = tuple(Node(f"n{i}", id=f"id{i:06}") for i in range(300))
    doc = Editor(Document(nodes=nodes))
    ids = [n.id for n in nodes]
    doc.choose([*ids, "n5"])
    assert doc.document.chosen == tuple(ids), "names that come again are passed over"


def test_a_drag_of_several_properties_leaves_the_last_value_of_each():
    doc = Editor(scene())
    with doc.gesture("Change position"):
        for step in range(1, 6):
            for name in ("ball0001", "camera01"):
                doc.set(f"{name}/translation", (float(step), 0.0, 0.0))
    assert len(doc.history.commands[-1].calls) == 2
    for name in ("ball0001", "camera01"):
        np.testing.assert_array_equal(doc.document.node(name).transform[:3, 3], [5.0, 0.0, 0.0])
    doc.undo()
    np.testing.assert_array_equal(doc.document.node("ball").transform, np.eye(4))


def test_a_drag_of_a_keyed_property_leaves_one_key():
    doc = Editor(scene())
    with doc.gesture("Change position"):
        for step in range(1, 6):
            doc.key("ball0001/translation", 1.0, (float(step), 0.0, 0.0))
    assert [call.name for call in doc.history.commands[-1].calls] == ["key"]
    (key,) = doc.document.timeline.tracks["ball0001/translation"].keys
    assert key.value == (5.0, 0.0, 0.0)
