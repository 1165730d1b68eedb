"""The scene round a node's splats, as rules ask about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.modify.masks import fields_read
from polyorama.scene.rules import parse_rule
from polyorama.scene.stack import DELETED, stacked

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.scene.document import Document, Node

__all__ = ["NodeSurroundings"]

_DEEPEST = 8
"""So many named selections may ask for one another."""


@dataclass(frozen=True, slots=True)
class NodeSurroundings:
    """What rules over one node's splats know of the document.

    Parameters
    ----------
    document
        At its time.
    node
        Whose splats are asked.
    count_views
        Gives (N,) how many of the scene's cameras see each splat of a node, or None where nothing
        can draw.
    time
        At which the document is, s.
    depth
        How many named selections asked for this one.
    """

    document: Document
    node: Node
    count_views: Callable[[Document, Node, float], NDArray[Any]] | None = None
    time: float = 0.0
    depth: int = 0

    def distance_to(self, name: str) -> NDArray[np.float32]:
        """(N,) float32 distances in world units from the nearest splat or vertex of a node.

        Raises
        ------
        UsageError
            If there is no such node, or nothing below it has splats or vertices.
        """
        from polyorama.scene.neighbors import KdTree

        wanted = self.document.node(name)
        inside = self.document.below(wanted.id)
        points = [_world_points(self.document, node, self.time) for node in inside]
        there = np.concatenate([np.empty((0, 3), np.float32), *points])
        if not np.isfinite(there).all(axis=1).any():
            raise UsageError(f"There is nothing in {name!r} to measure a distance from.")
        here = _world_points(self.document, self.node, self.time)
        if self.node.id in {n.id for n in inside}:
            return np.zeros(len(here), np.float32)
        return KdTree.of(there).nearest(here)[1][:, 0]

    def selected(self, name: str) -> NDArray[np.bool_]:
        """(N,) bool: the selection, or with a name, a named one; a query is asked anew.

        Raises
        ------
        UsageError
            If there is no selection of that name, or named selections go round in a circle.
        """
        assert self.node.splats is not None
        nothing = np.zeros(len(self.node.splats), np.bool_)
        if not name:
            bits = self.document.selection.get(self.node.id)
            return nothing if bits is None else bits.mask()
        found = next((s for s in self.document.selections if s.name == name), None)
        if found is None:
            known = ", ".join(s.name for s in self.document.selections) or "none"
            raise UsageError(f"There is no selection called {name!r}; there are {known}.")
        if found.query:
            if found.nodes and self.node.id not in found.nodes:
                return nothing
            if self.depth >= _DEEPEST:
                raise UsageError(f"The selection {name!r} asks for itself.")
            return self.deeper().mask(found.query)
        bits = found.bits.get(self.node.id)
        return nothing if bits is None else bits.mask()

    def visible_from(self) -> NDArray[Any]:
        """(N,) numbers of the scene's cameras from which a splat is seen.

        Raises
        ------
        UsageError
            If this is asked where nothing can be drawn, as in a modifier's mask.
        """
        if self.count_views is None:
            raise UsageError(
                "visible_from needs pictures of the scene; select by it first, and use what is "
                "selected."
            )
        return self.count_views(self.document, self.node, self.time)

    def mask(self, query: str) -> NDArray[np.bool_]:
        """(N,) bool: the splats of the node that a rule holds for, as they are after its stack.

        Raises
        ------
        UsageError
            If the rule cannot be read or asked here.
        """
        rule = parse_rule(query)
        shown = stacked(self.document, self.node, self.time)
        if not shown.in_source:
            raise UsageError(
                f"The splats of {self.node.name!r} are decimated; apply or switch off that step "
                "first."
            )
        cloud = shown.cloud
        if shown.palette is not None:
            whole = "scales" in fields_read(rule)
            cloud = (
                replace(shown, state=None).baked() if whole else replace(cloud, means=shown.means())
            )
        return rule.mask(cloud, around=self)

    def deeper(self) -> NodeSurroundings:
        """The same, asked by a named selection."""
        return replace(self, depth=self.depth + 1)


def _world_points(document: Document, node: Node, time: float) -> NDArray[np.float32]:
    """(n, 3) float32 positions of a node's splats or vertices in the world; NaN where deleted."""
    if node.splats is not None:
        shown = stacked(document, node, time)
        local = shown.means()
        if shown.state is not None:
            gone = (shown.state & DELETED) != 0
            local = np.where(gone[:, None], np.float32(np.nan), local)
    elif node.mesh is not None:
        local = node.mesh.vertices
    else:
        return np.empty((0, 3), np.float32)
    world = document.world(node.id)
    return (local @ world[:3, :3].T + world[:3, 3]).astype(np.float32)
