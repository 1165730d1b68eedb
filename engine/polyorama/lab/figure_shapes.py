"""How graphs and trees are drawn on the axes of a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.lab.figure_page import font, words
from polyorama.lab.look import colored, rgb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.look import Look
    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Graph, Tree

__all__ = ["draw_graph", "draw_tree", "icicle"]


def draw_graph(axes: Any, view: Graph, snapshot: Snapshot, look: Look) -> None:
    """Draw nodes, edges as wide as their weights, and labels; what does not fit is left out."""
    arrays = snapshot.arrays
    nodes, edges = arrays.get(view.nodes), arrays.get(view.edges)
    axes.set_axis_off()
    if nodes is None or edges is None or nodes.ndim != 2 or nodes.shape[1] != 2:
        return
    ends = edges.reshape(-1, 2).astype(np.intp)
    ends = ends[((ends >= 0) & (ends < len(nodes))).all(axis=1)]
    weight = arrays.get(view.weight)
    wide = np.ones(len(ends))
    if weight is not None and len(weight) == len(ends) and np.abs(weight).max(initial=0.0) > 0:
        wide = np.abs(weight) / np.abs(weight).max()
    _draw_edges(axes, nodes, ends, wide, view.directed, look)
    value = arrays.get(view.value)
    shades: Any = look.color(0)
    if value is not None and len(value) == len(nodes):
        shades = np.nan_to_num(colored(value, view.colormap, look.name), nan=0.5)
    axes.scatter(
        nodes[:, 0], nodes[:, 1], s=42.0, color=shades, edgecolors=look.panel,
        linewidths=1.0, zorder=3,
    )  # fmt: skip
    for label, (x, y) in zip(view.labels, nodes, strict=False):
        axes.annotate(
            words(label), (x, y), (0, 6), textcoords="offset points", ha="center",
            color=look.text, **font(10),
        )  # fmt: skip
    axes.set_aspect("equal", adjustable="datalim")


def _draw_edges(
    axes: Any, nodes: NDArray[Any], ends: NDArray[np.intp], wide: NDArray[Any],
    directed: bool, look: Look,
) -> None:  # fmt: skip
    from matplotlib.collections import LineCollection

    start, end = nodes[ends[:, 0]], nodes[ends[:, 1]]
    lines = np.stack([start, end], axis=1)
    axes.add_collection(
        LineCollection(list(lines), colors=look.quiet, linewidths=0.4 + 2.2 * wide, alpha=0.55)
    )
    if directed and len(ends):
        along = end - start
        at = start + 0.55 * along
        axes.quiver(
            at[:, 0], at[:, 1], 0.04 * along[:, 0], 0.04 * along[:, 1], angles="xy",
            scale_units="xy", scale=1.0, color=look.quiet, width=0.004, headwidth=5.0,
            headlength=6.0, headaxislength=5.0, minlength=0.0, pivot="mid",
        )  # fmt: skip


def draw_tree(axes: Any, view: Tree, snapshot: Snapshot, look: Look) -> None:
    """Draw a tree as an icicle, the root at the top, by its nodes' values or states."""
    from matplotlib.collections import PolyCollection

    arrays = snapshot.arrays
    axes.set_axis_off()
    parents, shares = arrays.get(view.parents), arrays.get(view.shares)
    if parents is None or shares is None or len(parents) != len(shares) or not len(parents):
        return
    left, width, depth = icicle(parents, shares)
    corners = np.stack(
        [
            np.stack([left, -depth], axis=1), np.stack([left + width, -depth], axis=1),
            np.stack([left + width, -depth - 1.0], axis=1),
            np.stack([left, -depth - 1.0], axis=1),
        ],
        axis=1,
    )  # fmt: skip
    state, value = arrays.get(view.state), arrays.get(view.value)
    if value is not None and len(value) == len(parents):
        shades = colored(value, view.colormap, look.name)
    elif state is not None and len(state) == len(parents):
        colors = np.array([rgb(c) for c in (look.raised, look.accent, look.good, look.line)])
        shades = colors[np.clip(state.astype(np.intp), 0, 3)]
    else:
        shades = np.tile(rgb(look.color(0)), (len(parents), 1))
    faces = np.nan_to_num(shades, nan=0.5)
    axes.add_collection(
        PolyCollection(list(corners), facecolors=faces, edgecolors=look.panel, linewidths=0.6)
    )
    axes.set_xlim(min(0.0, left.min()), max(1.0, float((left + width).max())))
    axes.set_ylim(-float(depth.max()) - 1.0, 0.0)


def icicle(
    parents: NDArray[Any], shares: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Left edges, widths and depths, (N,) float64 each, of the nodes of a `Tree`."""
    count = len(parents)
    left, width, depth = np.zeros(count), np.zeros(count), np.zeros(count)
    used = np.zeros(count + 1)  # what the children before it take; the last entry is of roots
    for i in range(count):
        parent = int(parents[i])
        inside = 0 <= parent < i
        room = width[parent] if inside else 1.0
        base = left[parent] if inside else 0.0
        place = parent if inside else count
        share = float(shares[i])
        left[i], width[i] = base + used[place] * room, share * room
        depth[i] = depth[parent] + 1.0 if inside else 0.0
        used[place] += share
    return left, width, depth
