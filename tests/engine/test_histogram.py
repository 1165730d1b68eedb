"""Histograms against numpy in float64."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import polyorama as po
from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.scene import modifiers
from polyorama.scene.document import Document, Node
from polyorama.scene.histogram import BINS, Axis, Column, histogram_of, scatter_of
from polyorama.scene.rules import parse_rule
from polyorama.scene.selection import BitSet
from polyorama.scene.sh import basis
from polyorama.scene.splats import SplatCloud
from polyorama.scene.stack import DELETED, HIDDEN, LOCKED, SELECTED
from polyorama.verbs.histograms import column_of, histogram, measures, range_query, scatter

STATES = np.array([0, SELECTED, HIDDEN, DELETED | SELECTED, LOCKED, LOCKED | SELECTED], np.uint8)


def a_cloud(count: int = 3000, seed: int = 3, degree: int = 3) -> SplatCloud:
    random = np.random.default_rng(seed)
    quats = random.normal(size=(count, 4))
    return SplatCloud(
        means=random.normal(size=(count, 3)).astype(np.float32),
        quats=(quats / np.linalg.norm(quats, axis=1, keepdims=True)).astype(np.float32),
        scales=np.exp(random.normal(-4.0, 1.0, (count, 3))).astype(np.float32),
        opacities=random.random(count, np.float32),
        sh=(0.3 * random.normal(size=(count, (degree + 1) ** 2, 3))).astype(np.float32),
    )


def a_column(kind: str) -> Column:
    random = np.random.default_rng(7)
    values = random.lognormal(0.0, 2.0, 20_000).astype(np.float32)
    if kind != "plain":
        values[::97], values[1::89], values[2::83] = np.nan, np.inf, -values[2::83]
    state = None if kind == "stateless" else STATES[random.integers(0, len(STATES), len(values))]
    return Column(values, state)


def counted_slowly(column: Column, axis: Axis, bits: int) -> np.ndarray:
    values = column.values.astype(np.float64)
    state = np.zeros(len(values), np.uint8) if column.state is None else column.state
    kept = (state & (HIDDEN | DELETED)) == 0
    if bits:
        kept &= (state & bits) != 0
    values = values[kept & np.isfinite(values)]
    if axis.log:
        values = np.log10(values[values > 0.0])
        return np.histogram(values, BINS, (np.log10(axis.low), np.log10(axis.high)))[0]
    return np.histogram(values, BINS, (axis.low, axis.high))[0]


@pytest.mark.parametrize("kind", ["plain", "stateless", "damaged"])
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("trim", [0.0, 0.01])
def test_counts_are_those_of_numpy(kind: str, log: bool, trim: float) -> None:
    column = a_column(kind)
    axis = Axis.round([column], log=log, trim=trim)
    found = histogram_of([column], axis)
    for counts, bits in ((found.counts, 0), (found.selected, SELECTED)):
        slow = counted_slowly(column, axis, bits)
        assert counts.sum() == slow.sum()
        # Values on an edge may fall to either side of it.
        assert np.abs(np.cumsum(counts) - np.cumsum(slow)).max() <= 1
    state = np.zeros(len(column.values), np.uint8) if column.state is None else column.state
    assert found.total == ((state & (HIDDEN | DELETED)) == 0).sum()
    assert (found.below + found.above > 0) == (trim > 0.0)


@pytest.mark.parametrize("log", [(False, False), (True, False), (True, True)])
def test_pairs_are_those_of_numpy(log: tuple[bool, bool]) -> None:
    first, second = a_column("damaged"), a_column("plain")
    axes = Axis.round([first], log=log[0]), Axis.round([second], log=log[1])
    found = scatter_of([(first, second)], *axes)
    x, y = (column.values.astype(np.float64) for column in (first, second))
    kept = ((first.bits & (HIDDEN | DELETED)) == 0) & np.isfinite(x) & ((x > 0.0) | (not log[0]))
    edges = [axis.edges() for axis in axes]
    for axis, ends in zip(axes, edges, strict=True):
        ends[0], ends[-1] = min(ends[0], axis.low), max(ends[-1], axis.high)
    slow = np.histogram2d(y[kept], x[kept], bins=(edges[1], edges[0]))[0]
    assert found.counts.sum() == slow.sum() == kept.sum()
    assert np.abs(found.counts.sum(axis=0).cumsum() - slow.sum(axis=0).cumsum()).max() <= 2
    assert np.abs(found.counts.sum(axis=1).cumsum() - slow.sum(axis=1).cumsum()).max() <= 2
    assert np.abs(found.counts - slow).sum() <= 8
    chosen = (first.bits & SELECTED) != 0
    assert found.selected.sum() == (kept & chosen).sum()


def test_axes_hold_what_is_there() -> None:
    nothing = Column(np.array([np.nan, np.inf], np.float32))
    assert Axis.round([nothing]) == Axis(0.0, 1.0)
    assert Axis.round([], log=True).log
    alone = Axis.round([Column(np.array([2.0], np.float32))])
    assert alone.low < 2.0 < alone.high
    assert histogram_of([Column(np.array([2.0], np.float32))], alone).counts.sum() == 1
    axis = Axis(0.01, 100.0, True)
    assert axis.value_at(0.5) == pytest.approx(1.0)
    assert axis.share_of(axis.value_at(0.3)) == pytest.approx(0.3)
    assert axis.share_of(0.0) == -np.inf
    assert axis.edges()[128] == pytest.approx(1.0)
    with pytest.raises(UsageError, match="no axis"):
        Axis(1.0, 1.0)
    with pytest.raises(UsageError, match="no axis"):
        Axis(0.0, 1.0, True)
    with pytest.raises(UsageError, match="cut off"):
        Axis.round([], trim=0.5)


def test_far_values_are_trimmed_and_near_ones_are_not() -> None:
    values = np.linspace(0.0, 1.0, 10_001, dtype=np.float32)
    assert Axis.round([Column(values)], trim=0.001) == Axis(0.0, 1.0)
    values[-1] = 1e6
    assert Axis.round([Column(values)], trim=0.001).high == pytest.approx(0.999, abs=1e-3)


def test_rules_come_to_numbers() -> None:
    cloud = a_cloud(200_000, degree=0)
    assert np.array_equal(parse_rule("max(scale)").numbers(cloud), cloud.scales.max(axis=1))
    assert np.array_equal(parse_rule("index").numbers(cloud), np.arange(len(cloud)))
    assert np.array_equal(parse_rule("2").numbers(cloud), np.full(len(cloud), 2.0))
    with pytest.raises(UsageError, match="condition"):
        parse_rule("opacity < 1").numbers(cloud)


@pytest.mark.parametrize("text", ["x", "opacity", "hue", "max(scale)", "ratio", "x + 2 * y"])
def test_a_range_selects_what_its_bins_count(text: str) -> None:
    document = Document.of([a_cloud(), a_cloud(seed=4)], ["a", "b"])
    document = document.replaced(
        replace(document.nodes[0], hidden=BitSet.of_indices(range(100), 3000))
    )
    found = histogram(document, text)
    edges = found.axis.edges()
    query = range_query(text, float(edges[40]), float(edges[90]))
    doc = po.edit(document)
    doc.select(query)
    picked = sum(map(len, doc.document.selection.values()))
    inside = int(found.counts[40:90].sum())
    assert abs(picked - inside) <= max(3, 0.01 * inside)
    assert histogram(doc.document, text).selected.sum() == picked


def test_ranges_are_written_outward_with_few_digits() -> None:
    assert range_query("opacity", 0.123456789, 0.5) == "opacity in 0.12345..0.5"
    assert range_query("hue", 80.0, 140.0) == "hue in 80..140"
    assert range_query("max(scale)", 1.23456e-7, 10.0).startswith("max(scale) in 0.000")
    assert range_query("x", -1e-17, 1.0).split("..")[0] in ("x in -0.000000001", "x in 0")
    assert range_query("x", 123456.0, 9876543.0) == "x in 123450..9876600"


def cameras() -> list[Camera]:
    eye, target, up = (1.0, -2.0, -6.0), (0.2, 0.1, 0.0), (0.0, -1.0, 0.0)
    return [
        Camera.look_at(eye, target, up, fov=45.0, size=(64, 48)),
        Camera.orthographic(eye, target, up, height_in_world=3.0, size=(64, 48)),
    ]


def a_moved_document() -> Document:
    angle = 0.7
    turn = np.eye(4)
    turn[:2, :2] = 1.7 * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turn[2, 2], turn[:3, 3] = 1.7, (0.3, -0.2, 1.0)
    cloud = a_cloud()
    move = modifiers.Transform(
        id="move", mask=BitSet.of_indices(range(0, 3000, 2), 3000),
        rotation=(20.0, 50.0, -10.0), translation=(0.5, 0.0, 0.0),
    )  # fmt: skip
    return Document((Node("a", cloud, turn, id="a", modifiers=(move,)),))


@pytest.mark.parametrize("camera", cameras(), ids=lambda camera: camera.kind)
@pytest.mark.parametrize("moved", [False, True])
def test_what_is_seen_is_as_the_harmonics_say(camera: Camera, moved: bool) -> None:
    document = a_moved_document() if moved else Document.of([a_cloud()], ["a"])
    (node,) = document.nodes
    from polyorama.scene.stack import stacked

    baked = replace(stacked(document, node), state=None).baked()
    cloud = baked.transformed(document.world(node.id))
    means = cloud.means.astype(np.float64)
    depth = means @ camera.viewmat[2, :3] + camera.viewmat[2, 3]
    found = column_of(document, node, "view.depth", camera).values
    assert found == pytest.approx(depth, abs=1e-4)
    if camera.kind == "orthographic":
        directions = np.tile(camera.forward, (len(means), 1))
    else:
        directions = means - camera.position
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    values = basis(directions, 3)
    colors = np.maximum(np.einsum("nk,nkc->nc", values, cloud.sh.astype(np.float64)) + 0.5, 0.0)
    for channel, name in enumerate("rgb"):
        red = column_of(document, node, f"view.{name}", camera).values
        assert red == pytest.approx(colors[:, channel], abs=2e-4)
    light = column_of(document, node, "view.luminance", camera).values
    assert light == pytest.approx(colors @ [0.2126, 0.7152, 0.0722], abs=2e-4)


def test_what_is_seen_can_be_selected_and_replayed() -> None:
    document, camera = a_moved_document(), cameras()[0]
    doc = po.edit(document)
    found = histogram(document, "view.depth", camera=camera)
    edges = found.axis.edges()
    near = ("view.depth", float(edges[0]), float(edges[128]))
    doc.select_seen((near,), camera)
    count = len(doc.document.selection["a"])
    assert count == pytest.approx(found.counts[:128].sum(), abs=2)
    doc.select_seen((near, ("opacity", 0.0, 0.5)), camera)
    assert 0 < len(doc.document.selection["a"]) < count
    again = po.edit(document)
    again.run(doc.calls[-1].name, **doc.calls[-1].arguments)
    assert again.document.selection["a"] == doc.document.selection["a"]
    with pytest.raises(UsageError, match="No range"):
        doc.select_seen((), camera)
    with pytest.raises(UsageError, match="camera is needed"):
        histogram(document, "view.depth")
    with pytest.raises(UsageError, match=r"no 'view\.smell'"):
        histogram(document, "view.smell", camera=camera)


def test_every_measure_on_the_list_can_be_counted() -> None:
    cloud = a_cloud(200)
    cloud = replace(cloud, extras={"segment": np.arange(200, dtype=np.uint8)})
    document = Document.of([cloud], ["a"])
    names = [measure.text for measure in measures(document)]
    assert "segment" in names
    assert len(names) == len(set(names))
    for name in names:
        found = histogram(document, name, camera=cameras()[0])
        assert found.total == 200, name
    both = scatter(document, "hue", "value", camera=cameras()[0])
    assert both.counts.sum() == 200
    assert (both.across.low, both.across.high) == (0.0, 360.0)
