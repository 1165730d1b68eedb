"""Pictures of a moment of the timeline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import run
from polyorama.render.accumulate import Shot
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.timeline import Key, Timeline, Track
from polyorama.verbs.film import render, turntable, view_of
from polyorama.verbs.sequences import numbered_job
from polyorama.verbs.workers import Look
from tests.engine.exr_reader import read_exr
from tests.engine.fakes import ball

if TYPE_CHECKING:
    from pathlib import Path

SIZE = (48, 32)


def moving() -> Document:
    tracks = {
        "ball/translation": Track((Key(0.0, (0.0, 0.0, 0.0)), Key(2.0, (1.0, 0.0, 0.0)))),
        "camera/distance": Track((Key(0.0, (4.0,)), Key(2.0, (8.0,)))),
        "document/background": Track((Key(0.0, (0.0, 0.0, 0.0)), Key(2.0, (0.0, 0.0, 1.0)))),
    }
    rig = CameraRig(kind="orbit", distance=4.0)
    nodes = (Node("ball", ball(), id="ball"), Node("camera", rig, id="camera"))
    return Document(nodes, timeline=Timeline(tracks=tracks), view_camera="camera")


def still(document: Document) -> Document:
    """The document as it is after two seconds."""
    ball_node, camera = document.nodes
    matrix = np.eye(4)
    matrix[0, 3] = 1.0
    far = replace(camera, content=replace(camera.content, distance=8.0))
    return replace(
        document, nodes=(replace(ball_node, transform=matrix), far), timeline=Timeline(),
        background=(0.0, 0.0, 1.0),
    )  # fmt: skip


def test_a_picture_is_of_a_moment_and_through_the_camera_of_that_moment() -> None:
    document = moving()
    late = render(document, size=SIZE, backend="cpu", time=2.0)
    assert np.array_equal(late.rgba8, render(still(document), size=SIZE, backend="cpu").rgba8)
    assert not np.array_equal(late.rgba8, render(document, size=SIZE, backend="cpu").rgba8)
    near, far = (view_of(document, size=SIZE, time=t).position for t in (0.0, 2.0))
    assert np.linalg.norm(far) / np.linalg.norm(near) == 2.0
    assert view_of(document, time=1.0).height == 720


def test_a_turntable_is_of_a_moment() -> None:
    document = replace(moving(), view_camera="")
    late = [f.rgba8 for f in turntable(document, 0.2, 10, SIZE, backend="cpu", time=2.0)]
    same = [f.rgba8 for f in turntable(still(document), 0.2, 10, SIZE, backend="cpu")]
    assert len(late) == 2
    assert all(np.array_equal(a, b) for a, b in zip(late, same, strict=True))


def test_layers_name_the_nodes_of_their_moment(tmp_path: Path) -> None:
    tracks = {"one/visible": Track((Key(0.0, (1.0,)), Key(1.0, (0.0,))))}
    nodes = (Node("one", ball(), id="one"), Node("two", ball(seed=1), id="two"))
    document = Document(nodes, timeline=Timeline(tracks=tracks))
    camera = view_of(document, size=SIZE)
    film = [Shot(camera, time=0.0), Shot(camera, time=1.0)]
    run(numbered_job(None, document, film, exr=tmp_path / "#.exr", look=Look("cpu")))
    words = [read_exr(tmp_path / f"{number}.exr")[1] for number in (0, 1)]
    assert [entry["nodes"] for entry in words] == ["one\ntwo", "two"]
