"""Models that are turned: nothing is cut off, nothing pulses; nodes of a scene as shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.errors import FileFormatError, UsageError
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.mesh import Mesh
from polyorama.scene.selection import BitSet
from polyorama.scene.splats import SplatCloud
from polyorama.shapes.nodes import content_of, vector_of_node
from polyorama.shapes.raster import fitting_distance
from polyorama.shapes.turning import Turnable, _outline, ring
from polyorama.shapes.views import directions, mesh_views, rotation

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE = 64


def box(sides: tuple[float, float, float]) -> Mesh:
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Mesh(corners * np.float32(sides) + 7, np.array(triangles, np.int32))


def cloud_of(points: NDArray[np.float64], up: tuple[float, float, float] | None) -> SplatCloud:
    count = len(points)
    return SplatCloud(
        means=points.astype(np.float32),
        quats=np.tile(np.float32([1, 0, 0, 0]), (count, 1)),
        scales=np.full((count, 3), 0.03, np.float32),
        opacities=np.full(count, 0.95, np.float32),
        sh=np.zeros((count, 1, 3), np.float32),
        up=up,
    )


def pole(seed: int = 3) -> NDArray[np.float64]:
    """A pole along y, three long and a half wide."""
    return np.random.default_rng(seed).uniform((-0.25, -1.5, -0.25), (0.25, 1.5, 0.25), (900, 3))


def extent(view: NDArray[np.uint8]) -> tuple[int, int]:
    """Width and height of what is covered, px."""
    rows, columns = (view[..., 3] > 40).nonzero()
    return int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1


@pytest.mark.parametrize("kind", ["mesh", "splats"])
def test_a_pole_is_whole_from_every_height_and_all_round(kind: str) -> None:
    content = box((0.5, 3.0, 0.5)) if kind == "mesh" else cloud_of(pole(), (0.0, -1.0, 0.0))
    turnable = Turnable(content)
    for height in (-85.0, -30.0, 18.0, 60.0, 85.0):
        for view in turnable.views(np.array([(a, height) for a in (0.0, 50.0, 200.0)]), SIZE):
            cover = view[..., 3] > 40  # splats fade out softly
            assert cover.any()
            assert not cover[[0, -1]].any(), height
            assert not cover[:, [0, -1]].any(), height
    wide, high = extent(turnable.views(np.array([(32.0, 18.0)]), SIZE)[0])
    assert high > 3 * wide, "a pole stands upright"


def test_turning_alone_keeps_the_distance() -> None:
    turnable = Turnable(box((1.0, 2.0, 4.0)))
    alone = [turnable.views(np.array([seen]), SIZE)[0] for seen in ring(8)]
    assert np.array_equal(np.stack(alone), turnable.views(ring(8), SIZE))


def test_a_turn_begins_where_the_thumbnail_is_taken() -> None:
    mesh = box((1.0, 2.0, 1.0))
    assert np.allclose(ring(5)[0], directions(1)[0])
    first = Turnable(mesh).views(ring(5), SIZE)[0][..., 3] > 128
    thumbnail = mesh_views(mesh, 1, SIZE)[0][..., 3] > 128
    assert (first & thumbnail).sum() / (first | thumbnail).sum() > 0.8


def test_the_outline_bounds_as_all_points_do() -> None:
    points = np.random.default_rng(5).normal(size=(20_000, 3))
    points /= np.linalg.norm(points, axis=1).max()
    few = _outline(points)
    assert len(few) <= 512
    for azimuth, elevation in directions(12):
        turn = rotation(azimuth, elevation)
        assert fitting_distance(few, turn, 0.33) == pytest.approx(
            fitting_distance(points, turn, 0.33), rel=0.01
        )


def test_what_cannot_be_seen_cannot_be_turned() -> None:
    nothing = cloud_of(pole()[:0], None)
    with pytest.raises(FileFormatError, match="Nothing of this can be seen"):
        Turnable(nothing)


# Nodes


def scene(**changes: object) -> Document:
    """A pole that lies on its side in its file and stands in a scene whose up is z."""
    matrix = np.eye(4)
    matrix[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    node = Node("pole", cloud_of(pole(), None), matrix, id="pole", **changes)  # type: ignore[arg-type]
    return Document((node,), up=(0.0, 0.0, 1.0))


def test_splats_come_as_they_stand_in_the_scene() -> None:
    cloud = content_of(scene(), "pole")
    assert isinstance(cloud, SplatCloud)
    assert cloud.up == (0.0, 0.0, 1.0)
    assert np.ptp(cloud.means, axis=0).argmax() == 2
    assert len(cloud) == 900


def test_what_was_deleted_is_not_meant_and_a_selection_alone_is() -> None:
    deleted = BitSet.of_indices(range(100), 900)
    document = scene(deleted=deleted)
    assert len(content_of(document, "pole")) == 800
    chosen = BitSet.of_indices(range(50, 150), 900)
    some = Document(document.nodes, up=document.up, selection={"pole": chosen})
    assert len(content_of(some, "pole")) == 50


def test_a_mesh_comes_as_its_file_has_it_and_a_camera_is_no_shape() -> None:
    mesh, turned = box((1.0, 2.0, 1.0)), np.diag([1.0, -1.0, -1.0, 1.0])
    document = Document(
        (Node("chair", mesh, turned, id="chair"), Node("eye", CameraRig(), id="eye"))
    )
    assert content_of(document, "chair") is mesh
    with pytest.raises(UsageError, match="'eye' holds neither"):
        content_of(document, "eye")


def test_a_node_is_embedded_from_twelve_views_of_the_size_asked() -> None:
    shapes: list[tuple[int, ...]] = []

    class Sizes:
        id, dimensions, picture_size, origin = "sizes", 2, 48, ""

        def embed_shape(self, views: NDArray[np.uint8]) -> object:
            shapes.append(views.shape)
            return type("Answer", (), {"vector": np.float32([0.6, 0.8])})

    vector = vector_of_node(scene(), "pole", Sizes())  # type: ignore[arg-type]
    assert vector.tolist() == pytest.approx([0.6, 0.8])
    assert shapes == [(12, 48, 48, 3)]
