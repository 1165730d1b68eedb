"""What a picture of a cloud is about: its solid, central splats, as weighted points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.faces.actor import Actor
from polyorama.scene.mesh import Mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.document import Document, Node
    from polyorama.scene.splats import SplatCloud

__all__ = [
    "FARTHEST",
    "OUTLIERS",
    "can_be_drawn",
    "document_points",
    "splat_count",
    "subject_points",
    "subject_rows",
    "weighted_quantile",
]

OUTLIERS = 0.004
"""Share of a subject's weight, at either end of an axis, that pictures need not show."""

FARTHEST = 1e25
"""Largest coordinate of a subject; a camera that steps back from it is still within its limits."""

_SAMPLE = 60_000
_FAINT = 0.03
_CORE = 3.5
"""Points farther than this many median distances from the middle do not belong to the subject."""


def subject_rows(cloud: SplatCloud) -> NDArray[np.int64]:
    """Indices of the splats that make up the subject, at most 60,000 of them, evenly spread.

    Left out are rows with NaN, infinity or positions beyond `FARTHEST`, faint splats, giant ones
    (a sky, a fog) and those far from the dense middle. Where that leaves nothing, all finite rows
    are returned.
    """
    rows = np.arange(len(cloud), dtype=np.int64)
    if len(rows) > 4 * _SAMPLE:
        rows = rows[:: len(rows) // (4 * _SAMPLE)]
    means, scales, opacities = cloud.means[rows], cloud.scales[rows], cloud.opacities[rows]
    finite = (np.abs(means) <= FARTHEST).all(axis=1) & np.isfinite(scales).all(axis=1)
    finite &= np.isfinite(opacities)
    rows = rows[finite]
    if len(rows) == 0:
        return rows
    solid = rows[cloud.opacities[rows] > min(_FAINT, float(cloud.opacities[rows].max()) / 4.0)]
    rows = solid if len(solid) else rows
    points = cloud.means[rows].astype(np.float64)
    weights = cloud.opacities[rows].astype(np.float64) + 1e-6
    for _ in range(4):
        middle = np.array([weighted_quantile(points[:, a], weights, [0.5])[0] for a in range(3)])
        distance = np.linalg.norm(points - middle, axis=1)
        reach = _CORE * weighted_quantile(distance, weights, [0.5])[0]
        near = distance <= reach
        if reach <= 0.0 or near.all():
            break
        rows, points, weights = rows[near], points[near], weights[near]
    if reach > 0.0:
        largest = cloud.scales[rows].max(axis=1)
        modest = rows[largest <= 0.25 * reach]
        rows = modest if len(modest) >= 0.2 * len(rows) else rows
    return rows[:: -(-len(rows) // _SAMPLE)]


@np.errstate(invalid="ignore")  # NaN may be such that looking at it is reported
def can_be_drawn(cloud: SplatCloud) -> bool:
    """Whether a picture can show any splat: all numbers finite, turned, not too faint."""
    for start in range(0, len(cloud), _SAMPLE):
        part = slice(start, start + _SAMPLE)
        shown = np.isfinite(cloud.means[part]).all(axis=1)
        shown &= np.isfinite(cloud.scales[part]).all(axis=1)
        shown &= np.isfinite(cloud.quats[part]).all(axis=1) & cloud.quats[part].any(axis=1)
        shown &= cloud.opacities[part] > 1.0 / 255.0
        if shown.any():
            return True
    return False


def subject_points(cloud: SplatCloud) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Positions (n, 3) of the rows of `subject_rows`, and their positive weights (n,)."""
    rows = subject_rows(cloud)
    return cloud.means[rows].astype(np.float64), cloud.opacities[rows].astype(np.float64) + 1e-6


def splat_count(nodes: Document | Iterable[Node]) -> int:
    """How many splats nodes hold before their edit stacks; of a document, its visible ones.

    A mesh counts for the surfels that it is drawn with.
    """
    each = nodes if isinstance(nodes, Iterable) else (node for node, _ in nodes.drawn())
    count = 0
    for node in each:
        if isinstance(node.content, Mesh | Actor):
            count += node.content.surfels
        elif node.splats is not None:
            count += len(node.splats)
    return count


def _node_points(document: Document, node: Node) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if node.splats is not None:
        return subject_points(_shown_splats(document, node))
    assert node.mesh is not None
    vertices = node.mesh.vertices.astype(np.float64)
    return vertices, np.ones(len(vertices))


def _shown_splats(document: Document, node: Node) -> SplatCloud:
    """A node's splats after its edit stack, without those that are not drawn."""
    assert node.splats is not None
    if not (node.modifiers or node.deleted or node.hidden):
        return node.splats
    from polyorama.scene.stack import DELETED, HIDDEN, stacked  # brings in the compiler

    found = stacked(document, node)
    cloud = found.cloud if found.palette is None else replace(found.cloud, means=found.means())
    if found.state is None:
        return cloud
    shown = (found.state & (DELETED | HIDDEN)) == 0
    return cloud.subset(shown) if shown.any() else cloud


def document_points(document: Document) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """As `subject_points`, for all that a document draws, in world units."""
    points, weights = [np.zeros((0, 3))], [np.zeros(0)]
    for node, world in document.drawn():
        if node.splats is not None or node.mesh is not None:
            local, heavy = _node_points(document, node)
            with np.errstate(over="ignore", invalid="ignore"):
                there = local @ world[:3, :3].T + world[:3, 3]
            near = (np.abs(there) <= FARTHEST).all(axis=1)
            points.append(there[near])
            weights.append(heavy[near])
    return np.concatenate(points), np.concatenate(weights)


def weighted_quantile(
    values: NDArray[np.floating], weights: NDArray[np.floating], at: list[float]
) -> NDArray[np.float64]:
    """Quantiles `at` of (N,) `values` with positive `weights`; N >= 1.

    Each value stands in the middle of its weight; between values it is linear.
    """
    order = np.argsort(values, kind="stable")
    sorted_weights = np.asarray(weights, np.float64)[order]
    position = (np.cumsum(sorted_weights) - 0.5 * sorted_weights) / sorted_weights.sum()
    return np.interp(at, position, np.asarray(values, np.float64)[order])
