"""Operations that pick splats: by a query, by a region, by what is near or alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.edit.ops import op
from polyorama.edit.selection_ops import picked, splat_nodes
from polyorama.errors import UsageError
from polyorama.render.picking import centers_inside, footprints_inside
from polyorama.scene.contents import CameraRig
from polyorama.scene.properties_of import at_time
from polyorama.scene.regions import SCREEN_KINDS, Region
from polyorama.scene.rigs import rig_camera
from polyorama.scene.selection import BitSet
from polyorama.scene.stack import DELETED, stacked
from polyorama.scene.surroundings import NodeSurroundings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.document import Document, Node
    from polyorama.scene.splats import SplatCloud
    from polyorama.scene.stack import StackedSplats

__all__ = [
    "component", "flood", "grow", "placed_splats", "region_bits", "select", "select_region",
    "shrink", "view_counts",
]  # fmt: skip

_SEEN = 0.05
"""Weight (alpha times transmittance, summed over pixels) from which a splat counts as seen."""
_SIDE = 256
"""Pictures that splats are looked for in have this height in pixels."""
_NEIGHBORS = 12
_ROUNDS = 2
"""So often the colours of neighbours are averaged for that of the surface."""
_MOST_STEPS = 1000
_VIEWS = 24
"""Where a scene has no camera nodes, it is looked at from so many sides."""


@op("Select {query}")
def select(
    document: Document,
    query: str,
    mode: str = "set",
    nodes: Sequence[str] | str | None = None,
    time: float = 0.0,
) -> Document:
    """Select the splats that a rule holds for; see `polyorama.scene.rules` for what it may say.

    Parameters
    ----------
    document
        What is asked.
    query
        A rule, such as ``opacity < 0.1 and max(scale) > 0.2``.
    mode
        ``"set"``, ``"add"``, ``"remove"`` or ``"intersect"``.
    nodes
        Which nodes to look in; None for all that are drawn and not fixed.
    time
        Where on the timeline, s: things are asked as they are then.

    Raises
    ------
    UsageError
        If the rule cannot be read, or asks for what is not there.
    """
    there = at_time(document, time)
    found = {
        node.id: BitSet.of_mask(NodeSurroundings(there, node, view_counts, time).mask(query))
        for node in splat_nodes(there, nodes)
    }
    return picked(document, found, mode)


def view_counts(document: Document, node: Node, time: float = 0.0) -> NDArray[np.int32]:
    """(N,) int32: from how many of the document's cameras each splat of a node is seen.

    A splat is seen where its weight in the picture, alpha times transmittance summed over pixels,
    is at least 0.05. The cameras are the document's camera nodes, or 24 round its subject where it
    has none.
    """
    from polyorama.verbs.visibility import weights

    counts: NDArray[np.int32] | None = None
    for camera in _scene_cameras(document):
        weight = weights(document, camera, time).get(node.id)
        if weight is None:
            raise UsageError(f"{node.name!r} is hidden, so nothing of it is seen from anywhere.")
        seen = (weight >= _SEEN).astype(np.int32)
        counts = seen if counts is None else counts + seen
    assert counts is not None
    return counts


def _scene_cameras(document: Document) -> list[Camera]:
    rigs = [n for n in document.nodes if isinstance(n.content, CameraRig)]
    size = (_SIDE * 4 // 3, _SIDE)
    if rigs:
        return [rig_camera(document, n.id, size) for n in rigs]
    from polyorama.verbs.visibility import cameras_round

    return cameras_round(document, _VIEWS, size)


def placed_splats(document: Document, node: Node, time: float = 0.0) -> SplatCloud:
    """A node's splats where its stack puts them, in the node's own space; deleted ones are nowhere.

    Splat i is splat i of the node's own; the centres of deleted ones are NaN.

    Raises
    ------
    UsageError
        As `stacked_source`.
    """
    shown = stacked_source(document, node, time)
    cloud = shown.cloud if shown.palette is None else replace(shown, state=None).baked()
    if shown.state is None or not (shown.state & DELETED).any():
        return cloud
    gone = (shown.state & DELETED) != 0
    return replace(cloud, means=np.where(gone[:, None], np.float32(np.nan), cloud.means))


def _neighborhood(cloud: SplatCloud) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """(N, k) rows of each splat's nearest others and their distances."""
    from polyorama.scene.neighbors import KdTree

    means = cloud.means
    rows, distances = KdTree.of(means).nearest(means, min(_NEIGHBORS + 1, max(1, len(means))))
    return rows[:, 1:], distances[:, 1:]


def _chosen(document: Document) -> list[tuple[Node, NDArray[np.bool_]]]:
    if not document.selection:
        raise UsageError("No splats are selected.")
    return [(document.node(i), bits.mask()) for i, bits in document.selection.items()]


@op("Grow selection")
def grow(
    document: Document, steps: int = 1, distance: float | None = None, time: float = 0.0
) -> Document:
    """Add the neighbours of selected splats.

    Parameters
    ----------
    document
        What is edited.
    steps
        How many rings of nearest neighbours, up to 1000.
    distance
        In the node's own units: instead of rings, all splats so near a selected one.
    time
        Where on the timeline, s.

    Raises
    ------
    UsageError
        If nothing is selected, or there are too many steps.
    """
    return _spread(document, steps, distance, time, outward=True)


@op("Shrink selection")
def shrink(
    document: Document, steps: int = 1, distance: float | None = None, time: float = 0.0
) -> Document:
    """Take the splats at the edge of the selection out of it; parameters as of `grow`."""
    return _spread(document, steps, distance, time, outward=False)


def _spread(
    document: Document, steps: int, distance: float | None, time: float, *, outward: bool
) -> Document:
    if not 1 <= steps <= _MOST_STEPS:
        raise UsageError(f"A selection grows by 1 to {_MOST_STEPS} rings, not {steps}.")
    found = {}
    for node, chosen in _chosen(at_time(document, time)):
        cloud = placed_splats(at_time(document, time), node, time)
        there = np.isfinite(cloud.means).all(axis=1)
        inside = chosen if outward else ~chosen & there
        if distance is not None:
            inside = inside | _near(cloud, inside, distance)
        else:
            rows, _ = _neighborhood(cloud)
            for _step in range(steps):
                before, inside = inside, _ring(inside, rows)
                if np.array_equal(before, inside):
                    break
        found[node.id] = BitSet.of_mask(inside if outward else ~inside)
    return picked(document, found, "set")


def _ring(inside: NDArray[np.bool_], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """`inside`, and the splats that have one of it among their nearest few or lie among its."""
    few = rows[:, : _NEIGHBORS // 2]
    safe = np.maximum(few, 0)
    grown: NDArray[np.bool_] = inside | ((few >= 0) & inside[safe]).any(axis=1)
    reached = few[inside]
    grown[reached[reached >= 0]] = True
    return grown


def _near(cloud: SplatCloud, inside: NDArray[np.bool_], distance: float) -> NDArray[np.bool_]:
    from polyorama.scene.neighbors import KdTree

    means = cloud.means
    if not inside.any():
        return inside
    near: NDArray[np.bool_] = KdTree.of(means[inside]).nearest(means)[1][:, 0] <= np.float64(
        distance
    )
    return near


@op("Select connected splats")
def component(document: Document, distance: float | None = None, time: float = 0.0) -> Document:
    """Select everything that is connected with what is selected.

    Parameters
    ----------
    document
        What is edited.
    distance
        Two splats nearer than this are connected, in the node's own units; None takes three times
        the median distance between neighbours, widened by the splats' own sizes.
    time
        Where on the timeline, s.

    Raises
    ------
    UsageError
        If nothing is selected.
    """
    found = {}
    there = at_time(document, time)
    for node, chosen in _chosen(there):
        cloud = placed_splats(there, node, time)
        rows, distances = _neighborhood(cloud)
        if distance is None:
            # A lone splat has no neighbour.
            nearest = distances[:, :1]
            finite = nearest[np.isfinite(nearest)]
            limit = 3.0 * float(np.median(finite)) if finite.size else 0.0
            own = np.sort(cloud.scales, axis=1)[:, 1]
            reach = np.maximum(limit, own[:, None] + own[np.maximum(rows, 0)])
        else:
            reach = np.full(distances.shape, distance, np.float64)
        linked = (rows >= 0) & (distances <= reach)
        found[node.id] = BitSet.of_mask(_connected(chosen, rows, linked))
    return picked(document, found, "set")


def _connected(
    seeds: NDArray[np.bool_], rows: NDArray[np.int64], linked: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The splats whose component holds a seed; links count both ways."""
    from polyorama.scene.neighbors import components

    labels = components(rows, linked)
    wanted = np.zeros(len(seeds), np.bool_)
    wanted[labels[seeds]] = True
    result: NDArray[np.bool_] = wanted[labels]
    return result


@op("Select similar colours")
def flood(
    document: Document,
    tolerance: float = 0.1,
    connected: bool = True,
    mode: str = "add",
    color: Sequence[float] | None = None,
    time: float = 0.0,
) -> Document:
    """Select splats whose base colour is like that of the selected ones.

    Parameters
    ----------
    document
        What is edited.
    tolerance
        Largest distance of two display RGB colours, 0..1 each channel.
    connected
        Only those that are reached from the selection over neighbours of such colours; what is
        compared then is the colour of the surface, which several splats have together.
    mode
        As of `select`.
    color
        Display RGB to compare with, instead of the selection's median; with it and without
        `connected` nothing need be selected.
    time
        Where on the timeline, s.

    Raises
    ------
    UsageError
        If nothing is selected where something must be, or a number is out of range.
    """
    if color is not None and (len(color) != 3 or not np.isfinite(color).all()):
        raise UsageError("A colour to compare with is three numbers, red, green and blue.")
    there = at_time(document, time)
    if color is not None and not connected:
        found = {
            node.id: BitSet.of_mask(
                _alike(stacked_source(there, node, time).cloud.colors, np.asarray(color), tolerance)
            )
            for node in splat_nodes(there)
        }
        return picked(document, found, mode)
    found = {}
    for node, chosen in _chosen(there):
        cloud = placed_splats(there, node, time)
        rows = _neighborhood(cloud)[0] if connected else None
        colors = cloud.colors if rows is None else _seen_colors(cloud, rows)
        middle = np.median(colors[chosen], axis=0) if color is None else np.asarray(color)
        alike = _alike(colors, middle, tolerance)
        if rows is not None:
            linked = (rows >= 0) & alike[:, None] & alike[np.maximum(rows, 0)]
            alike = _connected(chosen & alike, rows, linked)
        found[node.id] = BitSet.of_mask(alike)
    return picked(document, found, mode)


def _seen_colors(cloud: SplatCloud, rows: NDArray[np.int64]) -> NDArray[np.floating]:
    """(N, 3) the display RGB of the surface round each splat.

    A surface is made of splats of very different colours that cover each other, so that its own
    colour is found in no single one.
    """
    weights = np.where(rows >= 0, cloud.opacities[np.maximum(rows, 0)], 0.0)[..., None]
    own = cloud.opacities[:, None]
    whole = np.maximum(own + weights.sum(axis=1), 1e-6)
    colors = np.clip(cloud.colors, 0.0, 1.0)
    for _ in range(_ROUNDS):
        around = (weights * colors[np.maximum(rows, 0)]).sum(axis=1)
        colors = (own * colors + around) / whole
    return colors


def _alike(
    colors: NDArray[np.floating], color: NDArray[np.floating], tolerance: float
) -> NDArray[np.bool_]:
    if not 0.0 <= tolerance < np.inf:
        raise UsageError(f"Colours cannot differ by {tolerance:g}; give a number from 0 up.")
    colors = np.clip(colors, 0.0, 1.0)
    near: NDArray[np.bool_] = ((colors - color) ** 2).sum(axis=1) <= tolerance * tolerance
    return near


@op("Select by {region.kind}")
def select_region(
    document: Document,
    region: Region,
    mode: str = "set",
    surface: bool = False,
    footprint: bool = False,
    nodes: Sequence[str] | str | None = None,
    time: float = 0.0,
) -> Document:
    """Select the splats that lie in a region.

    Parameters
    ----------
    document
        What is edited.
    region
        Where.
    mode
        ``"set"``, ``"add"``, ``"remove"`` or ``"intersect"``.
    surface
        Only what is visible from the region's camera, instead of all that lies behind too.
    footprint
        Any part of a splat's ellipse counts, instead of its centre.
    nodes
        Which nodes to look in; None for all that are drawn and not fixed.
    time
        Where on the timeline, s: things are picked where they are then.

    Raises
    ------
    UsageError
        If a volume is asked for what only a region on the screen has, or a node has a modifier
        that gives its splats other numbers.
    """
    found = region_bits(document, region, surface, footprint, nodes, time)
    return picked(document, found, mode)


def region_bits(
    document: Document,
    region: Region,
    surface: bool = False,
    footprint: bool = False,
    nodes: Sequence[str] | str | None = None,
    time: float = 0.0,
) -> dict[str, BitSet]:
    """The splats in a region by node id; parameters as of `select_region`.

    Raises
    ------
    UsageError
        As `select_region`.
    """
    if region.kind not in SCREEN_KINDS and (surface or footprint):
        raise UsageError("Depth and footprint belong to regions on the screen, not to volumes.")
    there = at_time(document, time)
    depth = None
    if surface:
        assert region.camera is not None
        depth = visible_depth(document, region.camera, time)
    found = {}
    for node in splat_nodes(there, nodes):
        shown = stacked_source(there, node, time)
        world = there.world(node.id)
        if footprint:
            whole = replace(shown, state=None).baked().transformed(world)
            bits = footprints_inside(region, whole, depth)
        else:
            bits = centers_inside(
                region, shown.cloud, world, shown.palette, shown.palette_index, depth
            )
        found[node.id] = bits
    return found


def stacked_source(document: Document, node: Node, time: float = 0.0) -> StackedSplats:
    """A node's splats after its stack, which are splat for splat its own.

    The document is at `time`, s, already.

    Raises
    ------
    UsageError
        If a modifier merged splats.
    """
    shown = stacked(document, node, time)
    if not shown.in_source:
        raise UsageError(
            f"The splats of {node.name!r} are decimated; apply or switch off that step first."
        )
    return shown


def visible_depth(document: Document, camera: Camera, time: float = 0.0) -> NDArray[np.float32]:
    """(H, W) float32 depth of what is seen, 0 where nothing is; always drawn by the processor.

    Recorded operations then pick the same splats on every machine.
    """
    from polyorama.render.rasterizers import get_rasterizer
    from polyorama.render.resolve import resolve

    frame = get_rasterizer("cpu").render(resolve(document, camera, time=time), ("depth",))
    assert frame.median_depth is not None
    return frame.median_depth
