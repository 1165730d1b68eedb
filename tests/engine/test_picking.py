"""Picking splats: regions against slow float64 twins, queries about a scene, neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.types import Camera
from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.render.picking import centers_inside, coverage, footprints_inside
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.resolve import resolve
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.modifiers import Transform
from polyorama.scene.neighbors import components
from polyorama.scene.placement import matrix_of
from polyorama.scene.regions import Region
from polyorama.scene.selection import BitSet
from polyorama.scene.splats import SplatCloud, sh_from_colors
from polyorama.verbs.selecting import region_bits
from polyorama.verbs.visibility import weights
from tests.engine.splat_samples import sample_cloud

CAMERA = Camera.look_at((0.5, -0.5, -6), (0, 0, 0), size=(160, 120))
RANDOM = np.random.default_rng(5)
LASSO = tuple(float(v) for v in (20, 15, 140, 30, 60, 60, 130, 110, 30, 100))
STROKE = tuple(float(v) for v in (30, 30, 80, 40, 120, 100))


def in_polygon(points: np.ndarray, outline: np.ndarray) -> np.ndarray:
    """Even-odd rule, one point and one edge at a time."""
    inside = np.zeros(len(points), bool)
    for n, (x, y) in enumerate(points):
        odd = False
        for (ax, ay), (bx, by) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
            if (ay <= y) != (by <= y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
                odd = not odd
        inside[n] = odd
    return inside


def near_stroke(points: np.ndarray, stroke: np.ndarray, radius: float) -> np.ndarray:
    inside = np.zeros(len(points), bool)
    for a, b in zip(stroke, [*stroke[1:], stroke[-1]], strict=True):
        along = np.clip((points - a) @ (b - a) / max((b - a) @ (b - a), 1e-30), 0, 1)
        inside |= np.linalg.norm(points - a - along[:, None] * (b - a), axis=1) <= radius
    return inside


@pytest.mark.parametrize("kind", ["rect", "polygon", "brush"])
def test_coverage_is_what_every_pixel_centre_says(kind: str) -> None:
    regions = {
        "rect": Region.rect(CAMERA, 100.2, 90.7, 31.4, 20.1),
        "polygon": Region(kind="polygon", camera=CAMERA, points=LASSO),
        "brush": Region(kind="brush", camera=CAMERA, points=STROKE, radius=7.5),
    }
    region = regions[kind]
    rows, columns = np.mgrid[0:120, 0:160]
    centers = np.stack([columns.ravel() + 0.5, rows.ravel() + 0.5], axis=1)
    if kind == "rect":
        slow = ((centers >= (31.4, 20.1)) & (centers < (100.2, 90.7))).all(axis=1)
    elif kind == "polygon":
        slow = in_polygon(centers, region.outline)
    else:
        slow = near_stroke(centers, region.outline, 7.5)
    assert np.array_equal(coverage(region).ravel() > 0, slow)


def pixels(means: np.ndarray, world: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, 2) pixel positions and (N,) depths in float64."""
    placed = means.astype(np.float64) @ world[:3, :3].T + world[:3, 3]
    seen = placed @ CAMERA.viewmat[:3, :3].T + CAMERA.viewmat[:3, 3]
    flat = seen[:, :2] / seen[:, 2:] * (CAMERA.fx, CAMERA.fy) + (CAMERA.cx, CAMERA.cy)
    return flat, seen[:, 2]


@pytest.mark.parametrize("count", [1, 7, 8, 2001])
def test_centres_in_a_rectangle(count: int) -> None:
    cloud = sample_cloud(count, 0)
    world = matrix_of((0.2, 0.1, 0.3), (10, 20, 30), (1.1, 0.9, 1.2))
    region = Region.rect(CAMERA, 50, 30, 110, 100)
    flat, depth = pixels(cloud.means, world)
    slow = ((flat >= (50, 30)) & (flat < (110, 100))).all(axis=1) & (depth > CAMERA.near)
    picked = centers_inside(region, cloud, world).mask()
    # A centre within float32 of the edge may fall on either side.
    sure = (np.abs(flat[:, :, None] - [[50, 110], [30, 100]]) > 1e-3).all(axis=(1, 2))
    assert np.array_equal(picked[sure], slow[sure])


def test_centres_in_a_lasso_after_a_palette() -> None:
    cloud = sample_cloud(1500, 0, seed=2)
    palette = np.stack([np.eye(4)[:3], matrix_of((1, 0, 0.5), (0, 40, 0), (1, 1, 1))[:3]])
    index = RANDOM.integers(0, 2, len(cloud)).astype(np.uint16)
    moved = cloud.means.astype(np.float64).copy()
    there = index == 1
    moved[there] = moved[there] @ palette[1, :, :3].T + palette[1, :, 3]
    region = Region(kind="polygon", camera=CAMERA, points=LASSO)
    flat, depth = pixels(moved, np.eye(4))
    mask = coverage(region)
    slow = np.zeros(len(cloud), bool)
    for n, ((x, y), z) in enumerate(zip(flat, depth, strict=True)):
        if z > CAMERA.near and 0 <= x < 160 and 0 <= y < 120:
            slow[n] = mask[int(y), int(x)] > 0
    picked = centers_inside(region, cloud, np.eye(4), palette, index).mask()
    sure = (np.abs(flat - np.round(flat)) > 1e-3).all(axis=1)
    assert np.array_equal(picked[sure], slow[sure])
    assert 0 < picked.sum() < len(cloud)


@pytest.mark.parametrize("kind", ["sphere", "box"])
def test_centres_in_a_volume(kind: str) -> None:
    cloud = sample_cloud(2000, 0, seed=3)
    region = Region(kind=kind, center=(0.3, -0.2, 0.4), rotation=(20, 30, 40), radius=1.2,
                    size=(1.0, 2.0, 1.5))  # fmt: skip
    offset = cloud.means.astype(np.float64) - (0.3, -0.2, 0.4)
    if kind == "sphere":
        slow = np.linalg.norm(offset, axis=1) <= 1.2
    else:
        turn = matrix_of((0, 0, 0), (20, 30, 40), (1, 1, 1))[:3, :3]
        slow = (np.abs(offset @ turn) <= np.array((1.0, 2.0, 1.5)) / 2).all(axis=1)
    picked = centers_inside(region, cloud, np.eye(4)).mask()
    assert (picked != slow).sum() <= 1  # one may lie on the surface
    assert picked.any()


def test_footprints_reach_where_the_renderer_draws() -> None:
    cloud = sample_cloud(60, 1, seed=4)
    region = Region.rect(CAMERA, 60, 40, 100, 80)
    picked = footprints_inside(region, cloud).mask()
    rasterizer = get_rasterizer("cpu")
    drawn = np.zeros(len(cloud), bool)
    for n in range(len(cloud)):
        alone = Document.of([cloud.subset([n])], ["one"])
        alpha = rasterizer.render(resolve(alone, CAMERA, background=None), ("color",)).color
        assert alpha is not None
        drawn[n] = (alpha[40:80, 60:100, 3] > 0).any()
    assert np.array_equal(picked, drawn)
    assert picked.sum() > centers_inside(region, cloud, np.eye(4)).mask().sum()


def two_walls() -> Document:
    """A wall of splats before another one."""
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-1, 1, 21)), -1).reshape(-1, 2)
    means = np.concatenate([np.c_[grid, np.zeros(441)], np.c_[grid, np.full(441, 3.0)]])
    cloud = sample_cloud(882, 0)
    from dataclasses import replace

    cloud = replace(
        cloud,
        means=means.astype(np.float32),
        scales=np.full((882, 3), 0.08, np.float32),
        opacities=np.full(882, 0.95, np.float32),
    )
    return Document((Node("walls", cloud, id="walls"),))


def test_surface_mode_leaves_out_what_is_behind() -> None:
    document = two_walls()
    camera = Camera.look_at((0, 0, -5), (0, 0, 0), size=(160, 120))
    region = Region.rect(camera, 60, 40, 100, 80)
    through = region_bits(document, region)["walls"].mask()
    surface = region_bits(document, region, surface=True)["walls"].mask()
    assert through[441:].any()
    assert not surface[441:].any()
    assert np.array_equal(surface[:441], through[:441])


def test_weights_are_what_a_splat_adds_to_the_picture() -> None:
    document = two_walls()
    camera = Camera.look_at((0, 0, -5), (0, 0, 0), size=(80, 60))
    found = weights(document, camera)["walls"]
    alpha = get_rasterizer("cpu").render(resolve(document, camera), ("depth",)).alpha
    assert alpha is not None
    assert found.sum() == pytest.approx(float(alpha.sum()), rel=1e-4)
    assert found[:441].sum() > 20 * found[441:].sum()


def editor() -> Editor:
    left = sample_cloud(300, 0, seed=6)
    right = sample_cloud(200, 0, seed=7)
    nodes = (
        Node("left", left, id="left"),
        Node("right", right, matrix_of((3, 0, 0), (0, 0, 0), (1, 1, 1)), id="right"),
    )
    return Editor(Document(nodes))


def test_queries_ask_about_the_scene() -> None:
    doc = editor()
    doc.select('dist(node "right") < 0.5', nodes="left")
    left, right = (doc.document.node(n).splats for n in ("left", "right"))
    assert left is not None
    assert right is not None
    apart = left.means[:, None].astype(np.float64) - (right.means[None] + np.array((3, 0, 0)))
    slow = np.linalg.norm(apart, axis=2).min(axis=1) < 0.5
    assert np.array_equal(doc.document.selection["left"].mask(), slow)
    doc.keep_selection("near")
    doc.keep_selection("bright", query="value > 0.5")
    doc.select('selected("near") and selected("bright")')
    both = slow & doc_mask(doc, "value > 0.5", "left")
    assert np.array_equal(doc.document.selection["left"].mask(), both)
    with pytest.raises(UsageError, match="no selection called 'far'"):
        doc.select('selected("far")')
    doc.keep_selection("loop", query='selected("loop")')
    with pytest.raises(UsageError, match="asks for itself"):
        doc.select('selected("loop")')


def doc_mask(doc: Editor, query: str, node: str) -> np.ndarray:
    other = Editor(doc.document)
    other.select(query, nodes=node)
    return other.document.selection[node].mask()


def test_queries_know_what_cameras_see() -> None:
    document = two_walls()
    rig = Node("front", CameraRig(eye=(0, 0, -5), target=(0, 0, 0), fov=60), id="front")
    doc = Editor(Document((*document.nodes, rig)))
    doc.select("visible_from < 1 views")
    hidden = doc.document.selection["walls"].mask()
    assert hidden[441:].mean() > 0.8
    assert not hidden[:441].any()


def test_queries_see_splats_after_the_stack() -> None:
    doc = editor()
    doc.add_modifier(node="left", kind="transform", values={"translation": (0.0, 100.0, 0.0)})
    doc.select("y > 50")
    assert len(doc.document.selection["left"]) == 300
    assert "right" not in doc.document.selection
    assert isinstance(doc.document.node("left").modifiers[0], Transform)
    doc.add_modifier(node="left", kind="transform", values={"scale": (50.0, 50.0, 50.0)})
    largest = max(float(c.scales.max()) for c in clouds_of(doc))
    doc.select(f"max(scale) > {largest}")
    assert set(doc.document.selection) == {"left"}


def clouds_of(doc: Editor) -> list:
    return [node.splats for node in doc.document.nodes if node.splats is not None]


def test_growing_and_shrinking() -> None:
    doc = Editor(two_walls())
    middle = BitSet.of_indices([220], 882)
    doc.select_bits({"walls": middle})
    doc.grow(distance=0.15)
    grown = doc.document.selection["walls"]
    assert len(grown) == 9  # the eight round it lie within 0.15 of a grid of 0.1
    doc.shrink(distance=0.15)
    assert doc.document.selection["walls"] == middle
    doc.grow(steps=2)
    assert len(doc.document.selection["walls"]) > 9
    with pytest.raises(UsageError, match="No splats are selected"):
        Editor(two_walls()).grow()


def test_a_component_is_one_wall() -> None:
    doc = Editor(two_walls())
    doc.select_bits({"walls": BitSet.of_indices([0], 882)})
    doc.component()
    assert np.array_equal(doc.document.selection["walls"].indices(), np.arange(441))


def test_a_lone_splat_is_its_own_component() -> None:
    doc = Editor(Document((Node("dot", sample_cloud(1, seed=1), id="dot"),)))
    doc.select_all()
    doc.component()
    assert doc.document.selection["dot"].indices().tolist() == [0]


def test_distances_may_be_larger_than_any_splat_is_far() -> None:
    # A component is held together by few neighbours, which stand on one wall here.
    for act, count in (("grow", 882), ("component", 441)):
        doc = Editor(two_walls())
        doc.select_bits({"walls": BitSet.of_indices([0], 882)})
        getattr(doc, act)(distance=1e300)
        assert len(doc.document.selection["walls"]) == count


def test_colours_that_are_none_are_told() -> None:
    doc = editor()
    for color in ([], [0.5], [0.5] * 4, [0.5, 0.5, float("nan")]):
        with pytest.raises(UsageError, match=r"three numbers, red, green and blue|finite numbers"):
            doc.flood(connected=False, color=color)
    for tolerance in (-0.1, float("nan"), float("inf")):
        with pytest.raises(UsageError, match=r"number from 0 up|finite number"):
            doc.flood(tolerance=tolerance, connected=False, color=[0.5] * 3)


def test_components_agree_with_a_flood_by_hand() -> None:
    rows = RANDOM.integers(0, 60, (60, 2))
    linked = RANDOM.random((60, 2)) < 0.4
    found = components(rows.astype(np.int64), linked)
    labels = np.arange(60)
    for _ in range(60):
        for i in range(60):
            for k in range(2):
                if linked[i, k]:
                    labels[i] = labels[rows[i, k]] = min(labels[i], labels[rows[i, k]])
    assert np.array_equal(found, labels)


def test_similar_colours() -> None:
    doc = editor()
    left = doc.document.node("left").splats
    assert left is not None
    doc.select_bits({"left": BitSet.of_indices([5], 300)})
    doc.flood(tolerance=0.2, connected=False)
    near = np.linalg.norm(np.clip(left.colors, 0, 1) - left.colors[5], axis=1)
    assert set(np.flatnonzero(near <= 0.15)) <= set(doc.document.selection["left"].indices())


def test_hidden_deleted_and_locked_splats_are_not_picked() -> None:
    doc = editor()
    for number, act in enumerate(("hide", "delete", "lock")):
        doc.select_bits({"left": BitSet.of_indices([number], 300)})
        getattr(doc, act)()
    doc.select_all()
    assert set(range(300)) - set(doc.document.selection["left"].indices()) == {0, 1, 2}
    doc.invert()
    assert not doc.document.selection


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "ring"}, "A region is"),
        ({"kind": "rect", "points": (0.0, 0.0, 1.0, 1.0)}, "needs the camera"),
        ({"kind": "polygon", "camera": CAMERA, "points": (0.0, 0.0, 1.0, 1.0)}, "at least 3"),
        ({"kind": "brush", "camera": CAMERA, "points": (0.0, 0.0)}, "radius above 0"),
        ({"kind": "sphere"}, "radius above 0"),
        ({"kind": "box", "size": (0.0, 1.0, 1.0)}, "sides above 0"),
        ({"kind": "box", "center": (float("nan"), 0.0, 0.0)}, "finite"),
    ],
)
def test_regions_that_are_none(values: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Region(**values)


def test_things_are_picked_where_the_timeline_has_them() -> None:
    doc = Editor(two_walls())
    doc.key("walls/translation", 0.0, (0.0, 0.0, 0.0), "linear")
    doc.key("walls/translation", 2.0, (50.0, 0.0, 0.0), "linear")
    there = Camera.look_at((50, 0, -5), (50, 0, 0), size=(160, 120))
    region = Region.rect(there, 0, 0, 160, 120)
    doc.select_region(region)
    assert not doc.document.selection
    doc.select_region(region, time=2.0)
    assert len(doc.document.selection["walls"]) > 800
    doc.select_region(region, surface=True, time=2.0)
    assert 0 < len(doc.document.selection["walls"]) < 600


def test_deleted_splats_are_no_neighbours() -> None:
    doc = Editor(two_walls())
    middle = BitSet.of_indices([220], 882)
    around = BitSet.of_indices([219, 221, 199, 241], 882)
    doc.select_bits({"walls": around})
    doc.delete()
    doc.select_bits({"walls": middle})
    doc.grow(distance=0.12)
    assert doc.document.selection["walls"] == middle  # the four beside it are gone
    doc.select('dist(node "walls") < 1')
    doc.select_all()
    doc.delete()
    other = Node("other", sample_cloud(10, 0), id="other")
    doc.add_node(other)
    with pytest.raises(UsageError, match="nothing in 'walls' to measure"):
        doc.select('dist(node "walls") < 100', nodes="other")


def test_named_queries_of_large_clouds_come_to_an_end() -> None:
    nodes = (
        Node("many", sample_cloud(200_000, 0, seed=8), id="many"),
        Node("few", sample_cloud(50, 0, seed=9), id="few"),
    )
    doc = Editor(Document(nodes))
    doc.keep_selection("near", query='dist(node "few") < 0.5')
    doc.select('selected("near") or x > 5', nodes="many")
    assert 0 < len(doc.document.selection["many"]) < 200_000


def test_a_flood_goes_by_the_colour_of_the_surface() -> None:
    """Splats of one patch differ more from each other than the two patches do."""
    random = np.random.default_rng(3)
    across = np.linspace(0.0, 1.0, 40)
    x, y = (side.ravel() for side in np.meshgrid(across, across))
    left = x < 0.5
    colors = np.where(left[:, None], (0.3, 0.6, 0.2), (0.6, 0.3, 0.2))
    colors = np.clip(colors + random.uniform(-0.25, 0.25, colors.shape), 0.0, 1.0)
    cloud = SplatCloud(
        means=np.stack([x, y, 0.0 * x], axis=1).astype(np.float32),
        quats=np.tile(np.array([1, 0, 0, 0], np.float32), (len(x), 1)),
        scales=np.full((len(x), 3), 0.02, np.float32),
        opacities=np.full(len(x), 0.8, np.float32),
        sh=sh_from_colors(colors[:, None].astype(np.float32)),
    )
    doc = Editor(Document((Node("leaf", cloud, id="leaf"),)))
    seed = int(np.argmin(np.hypot(x - 0.2, y - 0.5)))
    doc.run("select_alike", node="leaf", splat=seed, tolerance=0.25, connected=True)
    found = doc.document.selection["leaf"].mask()
    inside, outside = left & (x < 0.42), x > 0.58
    assert found[inside].mean() > 0.95
    assert not found[outside].any()
