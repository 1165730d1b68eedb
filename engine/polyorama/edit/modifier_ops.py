"""Operations on edit stacks: add, change, order, remove."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.edit.ops import op
from polyorama.edit.splat_rows import node_of_rows, with_node
from polyorama.errors import UsageError
from polyorama.scene.document import Document, Node, id_for
from polyorama.scene.modifiers import Modifier, make_modifier
from polyorama.scene.properties_of import at_time
from polyorama.scene.selection import BitSet
from polyorama.scene.stack import stacking

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from polyorama.core.jobs import Job
    from polyorama.scene.modifiers import Mask

__all__ = [
    "add_modifier", "apply_modifiers", "change_modifier", "move_modifier", "remove_modifier",
]  # fmt: skip


def _splat_node(document: Document, name: str) -> Node:
    node = document.node(name)
    if node.splats is None:
        raise UsageError(f"Node {node.name!r} holds no splats; it cannot be modified.")
    return node


@op("Add {kind}")
def add_modifier(
    document: Document,
    node: str,
    kind: str,
    index: int | None = None,
    mask: Mask | None = None,
    selected: bool = False,
    id: str = "",
    values: dict[str, Any] | None = None,
) -> Document:
    """Add a modifier to a node's stack, at the end or before the one at `index`.

    Parameters
    ----------
    document
        What is edited.
    node
        Name or id.
    kind
        One of `polyorama.scene.modifiers.MODIFIERS`.
    index
        Place in the stack; None is the end.
    mask
        See `polyorama.scene.modifiers.Mask`.
    selected
        Take the splats that are selected as the mask.
    id
        The modifier's id; "" makes one.
    values
        The modifier's own fields.

    Raises
    ------
    UsageError
        If there is no such node or kind, or a value does not fit.
    """
    target = _splat_node(document, node)
    if selected:
        mask = document.selection.get(target.id)
        if mask is None:
            raise UsageError(f"No splats of {target.name!r} are selected.")
    _fitting(target, mask)
    _refuse(values or {}, "id", "mask", "kind")
    taken = {m.id for n in document.nodes for m in n.modifiers}
    made = make_modifier(kind, id=id or id_for(kind, taken), mask=mask, **dict(values or {}))
    at = len(target.modifiers) if index is None else index
    stack = (*target.modifiers[:at], made, *target.modifiers[at:])
    return document.replaced(replace(target, modifiers=stack))


def _refuse(values: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if name in values:
            raise UsageError(f"{name} is not among the values of a modifier that can be given.")


def _fitting(node: Node, mask: Mask) -> None:
    assert node.splats is not None
    if isinstance(mask, BitSet) and mask.count != len(node.splats):
        raise UsageError(f"The mask is over {mask.count} splats; {node.name!r} has others.")


@op("Change {modifier}")
def change_modifier(
    document: Document, node: str, modifier: str, values: dict[str, Any]
) -> Document:
    """Change fields of a modifier, its mask, rule and name included, but not its id.

    Raises
    ------
    UsageError
        If there is no such node, modifier or field, or a value does not fit.
    """
    target = _splat_node(document, node)
    old = target.modifier(modifier)
    _refuse(values, "id", "kind")
    if "mask" in values:
        _fitting(target, values["mask"])
    return document.replaced(_with(target, old.replaced(**dict(values))))


def _with(node: Node, modifier: Modifier) -> Node:
    stack = tuple(modifier if m.id == modifier.id else m for m in node.modifiers)
    return replace(node, modifiers=stack)


@op("Remove {modifier}")
def remove_modifier(document: Document, node: str, modifier: str) -> Document:
    """Take a modifier out of its stack, with its keys."""
    target = _splat_node(document, node)
    gone = target.modifier(modifier)
    stack = tuple(m for m in target.modifiers if m.id != gone.id)
    return _without_keys(document.replaced(replace(target, modifiers=stack)), target, [gone])


def _without_keys(document: Document, node: Node, gone: Iterable[Modifier]) -> Document:
    starts = tuple(f"{node.id}/{modifier.id}/" for modifier in gone)
    tracks = document.timeline.tracks
    kept = {path: track for path, track in tracks.items() if not path.startswith(starts)}
    return replace(document, timeline=replace(document.timeline, tracks=kept))


@op("Move {modifier}")
def move_modifier(document: Document, node: str, modifier: str, index: int) -> Document:
    """Put a modifier at another place of its stack, 0 being the first."""
    target = _splat_node(document, node)
    moved = target.modifier(modifier)
    rest = [m for m in target.modifiers if m.id != moved.id]
    at = min(max(index, 0), len(rest))
    return document.replaced(replace(target, modifiers=(*rest[:at], moved, *rest[at:])))


@op("Apply modifiers of {node}")
def apply_modifiers(document: Document, node: str) -> Job[Document]:
    """Carry out a node's stack for good, as it is at time 0, as a job.

    Deleted splats are dropped; modifiers that were carried out go, with their keys. Those that are
    switched off stay.

    Raises
    ------
    UsageError
        If there is nothing to apply, or a modifier cannot be carried out.
    """
    target = _splat_node(document, node)
    still = at_time(document, 0.0)
    applied = [m for m in still.node(target.id).modifiers if m.enabled]
    if not applied and target.deleted is None:
        raise UsageError(f"Node {target.name!r} has no modifiers that are on, nothing to apply.")
    shown = yield from stacking(still, still.node(target.id))
    rows = np.arange(len(shown.cloud)) if shown.rows is None else shown.rows
    rows = rows[~shown.deleted()]
    gone = {m.id for m in applied}
    rest = tuple(m for m in target.modifiers if m.id not in gone)
    fresh = node_of_rows(replace(target, modifiers=rest, deleted=None), shown.baked(), rows)
    return _without_keys(with_node(document, fresh, rows), target, applied)
