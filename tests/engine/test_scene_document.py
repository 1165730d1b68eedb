"""Documents: joining several into one."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.scene.document import Document, Node
from tests.engine.fakes import ball


def stage() -> Document:
    group = Node("stage")
    below = [Node("a", ball(), parent=group.id), Node("a", ball(), parent=group.id)]
    return Document((group, *below, Node("b", ball())), background=(0.1, 0.2, 0.3), up=(0, 0, 1))


def test_the_same_document_joins_itself() -> None:
    once = stage()
    twice = Document.joined([once, once])
    names = [node.name for node in twice.nodes]
    assert names == ["stage", "a", "a", "b", "stage 2", "a", "a", "b 2"]
    assert [node.id for node in twice.nodes[:4]] == [node.id for node in once.nodes]
    assert len({node.id for node in twice.nodes}) == 8
    assert [node.parent for node in twice.nodes[5:7]] == [twice.nodes[4].id] * 2
    assert len(list(twice.drawn())) == 6


def test_names_make_groups_of_several_nodes_and_rename_one() -> None:
    lone = Document.of([ball()], ["whatever"])
    joined = Document.joined([stage(), lone, lone], ["show", "ball", "ball"])
    roots = [node.name for node in joined.nodes if node.parent is None]
    assert roots == ["show", "ball", "ball 2"]
    assert {joined.node("stage").parent, joined.node("b").parent} == {joined.node("show").id}


def test_the_first_document_keeps_its_view_and_its_names() -> None:
    camera = Camera.look_at((0, 0, -3), (0, 0, 0))
    first = Document((Node("a"), Node("a")), camera, (0.5, 0.5, 0.5), (1, 0, 0))
    joined = Document.joined([first, stage()])
    assert [node.name for node in joined.nodes[:2]] == ["a", "a"]
    assert joined.camera is camera
    assert (joined.background, joined.up) == ((0.5, 0.5, 0.5), (1, 0, 0))
    moved = Document((Node("m", ball(), np.diag([2.0, 2.0, 2.0, 1.0])),), up=(0, 1, 0))
    kept = Document.joined([first, moved]).node("m")
    assert np.array_equal(kept.transform, moved.nodes[0].transform)


@pytest.mark.parametrize("up", [(0, 0, 0), (0, float("nan"), 1)])
def test_a_document_has_an_up_direction(up) -> None:
    with pytest.raises(UsageError, match="up direction"):
        Document(up=up)


def test_what_cannot_be_joined() -> None:
    with pytest.raises(UsageError, match="nothing to join"):
        Document.joined([])
    with pytest.raises(ValueError, match="zip"):
        Document.joined([stage()], ["a", "b"])
