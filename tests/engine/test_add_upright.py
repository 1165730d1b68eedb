"""Files that are added stand upright in a document of another up direction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import polyorama as po
from polyorama.io.project import write_project
from polyorama.scene.document import Document, Node
from polyorama.scene.splats import SplatCloud

if TYPE_CHECKING:
    from pathlib import Path


def a_cloud() -> SplatCloud:
    return SplatCloud(
        means=np.eye(3, dtype=np.float32),
        quats=np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1)),
        scales=np.full((3, 3), 0.1, np.float32),
        opacities=np.full(3, 0.9, np.float32),
        sh=np.zeros((3, 1, 3), np.float32),
    )


@pytest.mark.parametrize("up", [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, -0.8, 0.0)])
def test_what_is_added_is_turned(tmp_path: Path, up: tuple[float, float, float]) -> None:
    project = tmp_path / "b.poly"
    group = Node("group", id="group")
    nodes = (group, Node("b", a_cloud(), parent="group", id="b"))
    write_project(Document(nodes, up=up), project)
    doc = po.edit(Document.of([a_cloud()], ["a"]))
    first = doc.document.nodes[0]
    doc.add_files([str(project)], upright=True)
    assert np.array_equal(doc.document.nodes[0].transform, first.transform)
    turn = doc.document.node("group").transform
    assert turn[:3, :3] @ np.array(up) == pytest.approx(doc.document.up, abs=1e-9)
    assert turn[:3, :3] @ turn[:3, :3].T == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(turn) == pytest.approx(1.0)
    assert np.array_equal(doc.document.node("b").transform, np.eye(4)), "below it, all stays"
    plain = po.edit(replace(doc.document, nodes=(first,), chosen=()))
    plain.add_files([str(project)])
    assert np.array_equal(plain.document.node("group").transform, np.eye(4))


def test_into_an_empty_document_the_first_file_brings_its_own(tmp_path: Path) -> None:
    project = tmp_path / "a.poly"
    write_project(Document((Node("a", a_cloud(), id="a"),), up=(0.0, 0.0, 1.0)), project)
    doc = po.edit()
    doc.add_files([str(project)], upright=True)
    assert doc.document.up == (0.0, 0.0, 1.0)
    assert np.array_equal(doc.document.nodes[0].transform, np.eye(4))
