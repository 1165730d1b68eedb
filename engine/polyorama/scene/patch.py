"""Patches: what differs between two documents, from what to what.

Arrays are shared, never copied; a patch holds all that it needs, so that neither undoing nor a
journal ever depends on anything else.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from polyorama.core.frozen import FrozenMap
from polyorama.errors import UsageError
from polyorama.scene.contents import Audio
from polyorama.scene.document import Document, Node
from polyorama.scene.faces.morphs import MorphRig
from polyorama.scene.faces.performance import Performance
from polyorama.scene.mesh import Mesh
from polyorama.scene.splats import SplatCloud

__all__ = ["Change", "Patch"]

_NODE_FIELDS = tuple(f.name for f in dataclasses.fields(Node) if f.name != "id")
_DOCUMENT_FIELDS = tuple(f.name for f in dataclasses.fields(Document) if f.name != "nodes")
_HEAVY = (SplatCloud, Mesh, Audio, MorphRig, Performance)


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One field from an old value to a new one."""

    old: Any
    new: Any


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """The difference of two documents, field by field.

    Parameters
    ----------
    fields
        Changed fields of the document itself.
    nodes
        Changed fields of nodes that both have, by node id.
    removed, added
        Nodes that only the old, only the new document has.
    order
        Ids of all nodes, where the order or the set of them changed; else None.
    """

    fields: Mapping[str, Change] = field(default_factory=FrozenMap)
    nodes: Mapping[str, Mapping[str, Change]] = field(default_factory=FrozenMap)
    removed: tuple[Node, ...] = ()
    added: tuple[Node, ...] = ()
    order: Change | None = None

    @classmethod
    def between(cls, old: Document, new: Document) -> Patch:
        """What makes `new` of `old`. Values that are one object count as equal."""
        before = {node.id: node for node in old.nodes}
        after = {node.id: node for node in new.nodes}
        nodes = {}
        for node_id, node in after.items():
            if node_id in before and before[node_id] is not node:
                changed = _changes(before[node_id], node, _NODE_FIELDS)
                if changed:
                    nodes[node_id] = changed
        order = Change(tuple(before), tuple(after)) if tuple(before) != tuple(after) else None
        return cls(
            fields=_changes(old, new, _DOCUMENT_FIELDS),
            nodes=FrozenMap(nodes),
            removed=tuple(n for i, n in before.items() if i not in after),
            added=tuple(n for i, n in after.items() if i not in before),
            order=order,
        )

    def __bool__(self) -> bool:
        return bool(self.fields or self.nodes or self.order)

    def inverse(self) -> Patch:
        """What takes it back."""
        return Patch(
            FrozenMap({k: Change(c.new, c.old) for k, c in self.fields.items()}),
            FrozenMap(
                {
                    i: FrozenMap({k: Change(c.new, c.old) for k, c in changes.items()})
                    for i, changes in self.nodes.items()
                }
            ),
            self.added,
            self.removed,
            None if self.order is None else Change(self.order.new, self.order.old),
        )

    def apply(self, document: Document) -> Document:
        """The document with the new values in it.

        Raises
        ------
        UsageError
            If the document does not hold the nodes that the patch changes.
        """
        nodes = {node.id: node for node in document.nodes}
        for node in self.removed:
            nodes.pop(node.id, None)
        for node in self.added:
            nodes[node.id] = node
        for node_id, changes in self.nodes.items():
            if node_id not in nodes:
                raise UsageError("This edit belongs to a node that is not there any more.")
            fresh = {name: change.new for name, change in changes.items()}
            nodes[node_id] = replace(nodes[node_id], **fresh)
        order = tuple(nodes) if self.order is None else self.order.new
        if set(order) != set(nodes):
            raise UsageError("This edit belongs to a document with other nodes.")
        values = {name: change.new for name, change in self.fields.items()}
        return replace(document, nodes=tuple(nodes[i] for i in order), **values)

    def touches(self, other: Patch) -> bool:
        """Whether both change one field, or one changes a node that the other removes."""
        if self.order is not None and other.order is not None:
            return True
        if set(self.fields) & set(other.fields):
            return True
        gone = {n.id for n in (*self.removed, *other.removed)}
        if gone & (set(self.nodes) | set(other.nodes)):
            return True
        shared = set(self.nodes) & set(other.nodes)
        return any(set(self.nodes[i]) & set(other.nodes[i]) for i in shared)


def _changes(old: Any, new: Any, names: tuple[str, ...]) -> FrozenMap[str, Change]:
    found = {}
    for name in names:
        before, after = getattr(old, name), getattr(new, name)
        if before is not after and not _equal(before, after):
            found[name] = Change(before, after)
    return FrozenMap(found)


def _equal(a: Any, b: Any) -> bool:
    """Whether two values are the same to the last bit; large contents are so when they are one."""
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, _HEAVY):
        return False
    if isinstance(a, np.ndarray):
        same: bool = a.shape == b.shape and a.tobytes() == b.tobytes()
        return same
    if isinstance(a, float):  # 0.0 == -0.0, but they are not the same
        return a == b and math.copysign(1.0, a) == math.copysign(1.0, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, Mapping):
        return tuple(a) == tuple(b) and all(_equal(a[key], b[key]) for key in a)
    if dataclasses.is_dataclass(a):
        return all(_equal(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    return bool(a == b)
