"""What a puppet was built from goes with it: through projects, edits and the history."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.face.rigs.head import HeadIdentity
from polyorama.io.project import read_project, write_project
from polyorama.scene.codec import CodecError, NoBlobs, decode
from polyorama.scene.document import Document, Node
from polyorama.scene.faces.actor import Actor
from polyorama.scene.faces.morphs import MorphRig, Shapes
from polyorama.scene.mesh import Mesh


def _rig():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    shapes = Shapes.of_dense({"jawOpen": np.full((3, 3), 0.1, np.float32)})
    return MorphRig(Mesh(points, np.array([[0, 1, 2]], np.int32)), shapes)


def _traits(**values):
    return dataclasses.asdict(HeadIdentity(**values))


def test_a_project_keeps_what_a_puppet_was_built_from(tmp_path):
    known = _traits(width=0.4, hair="bun", skin_color=(0.3, 0.2, 0.1))
    actor = Actor(rig=_rig(), identity=known)
    plain = Actor(rig=actor.rig)
    path = tmp_path / "face.poly"
    write_project(Document((Node("a", actor, id="a"), Node("b", plain, id="b"))), path)
    again = read_project(path)
    assert again.node("b").content.identity is None
    found = again.node("a").content.identity
    assert dict(found) == known
    assert HeadIdentity(**found) == HeadIdentity(**known)


def test_another_head_brings_its_own_identity_and_undo_the_one_before():
    first, other = _traits(), _traits(age=0.9)
    editor = Editor(Document((Node("a", Actor(rig=_rig(), identity=first), id="a"),)))
    editor.run("set_face_rig", node="a", rig=_rig(), identity=other)
    assert dict(editor.document.node("a").content.identity) == other
    editor.run("set_face_rig", node="a", rig=_rig())
    assert editor.document.node("a").content.identity is None
    editor.undo()
    editor.undo()
    assert dict(editor.document.node("a").content.identity) == first


@pytest.mark.parametrize("trait", [True, None, float("nan"), (1.0, "x"), (0.0,) * 99, {"a": 1.0}])
def test_what_is_no_trait_is_refused(trait):
    with pytest.raises(UsageError, match="width"):
        Actor(rig=_rig(), identity={"width": trait})


def test_an_identity_of_a_file_is_small_and_of_plain_values():
    class Kept(NoBlobs):
        def get(self, key):
            return _rig()

    def read(identity):
        rig = {"type": "blob", "key": "k"}
        return decode({"type": "Actor", "rig": rig, "identity": identity}, Kept())

    assert read({"type": "map", "items": {"hair": "bob"}}).identity["hair"] == "bob"
    for bad in ("bob", {"type": "map", "items": {"hair": None}},
                {"type": "map", "items": {f"t{k}": 0.0 for k in range(1000)}}):  # fmt: skip
        with pytest.raises(CodecError):
            read(bad)
