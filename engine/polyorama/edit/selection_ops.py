"""Operations on selected splats: pick, combine, delete, hide, lock, name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from polyorama.edit.ops import op
from polyorama.errors import UsageError
from polyorama.scene.rules import parse_rule
from polyorama.scene.selection import BitSet, NamedSelection, combine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from polyorama.scene.document import Document, Node

__all__ = [
    "delete", "forget_selection", "hide", "invert", "isolate", "keep_selection", "lock",
    "rename_selection", "restore", "select_all", "select_bits", "select_none", "unhide", "unlock",
]  # fmt: skip


def splat_nodes(document: Document, nodes: Sequence[str] | str | None = None) -> list[Node]:
    """The splat nodes asked for; None stands for all that are drawn and not fixed.

    Raises
    ------
    UsageError
        If one that is named holds no splats.
    """
    if nodes is None:
        return [n for n, _ in document.drawn() if n.splats is not None and not n.fixed]
    named = (nodes,) if isinstance(nodes, str) else tuple(nodes)
    found = [document.node(name) for name in named]
    for node in found:
        if node.splats is None:
            raise UsageError(f"Node {node.name!r} holds no splats.")
    return found


def pickable(node: Node) -> BitSet:
    """The splats of a node that can be picked: neither deleted, hidden nor locked."""
    assert node.splats is not None
    free = BitSet.all(len(node.splats))
    for bits in (node.deleted, node.hidden, node.locked):
        if bits is not None:
            free = free - bits
    return free


def picked(document: Document, bits: Mapping[str, BitSet], mode: str) -> Document:
    """The document with `bits` set, added, removed or intersected; others than `bits` are empty."""
    selection = dict(document.selection)
    for node in document.nodes:
        if node.splats is None or (node.id not in bits and mode in ("add", "remove")):
            continue
        fresh = bits.get(node.id)
        if fresh is None:
            fresh = BitSet.none(len(node.splats))
        elif node.deleted or node.hidden or node.locked or fresh.count != len(node.splats):
            fresh = fresh & pickable(node)
        selection[node.id] = combine(selection.get(node.id), fresh, mode)
    return replace(document, selection=selection)


@op("Select")
def select_bits(document: Document, bits: Mapping[str, BitSet], mode: str = "set") -> Document:
    """Select splats by node id; `mode` is set, add, remove or intersect."""
    return picked(document, {document.node(i).id: b for i, b in bits.items()}, mode)


@op("Select all")
def select_all(document: Document, nodes: Sequence[str] | str | None = None) -> Document:
    """Select every splat of nodes that can be picked."""
    return picked(document, {n.id: pickable(n) for n in splat_nodes(document, nodes)}, "set")


@op("Select none")
def select_none(document: Document) -> Document:
    """Select nothing."""
    return replace(document, selection={})


@op("Invert selection")
def invert(document: Document, nodes: Sequence[str] | str | None = None) -> Document:
    """Select what is not selected and can be picked."""
    bits = {}
    for node in splat_nodes(document, nodes):
        chosen = document.selection.get(node.id)
        bits[node.id] = pickable(node) if chosen is None else pickable(node) - chosen
    return picked(document, bits, "set")


def _chosen(document: Document) -> Iterable[tuple[Node, BitSet]]:
    if not document.selection:
        raise UsageError("No splats are selected.")
    for node_id, bits in document.selection.items():
        yield document.node(node_id), bits


def _with(node: Node, what: str, bits: BitSet | None) -> Node:
    changed: dict[str, Any] = {what: bits}
    return replace(node, **changed)


def _marked(document: Document, what: str) -> Document:
    """The document with the selected splats deleted, hidden or locked, and none selected."""
    fresh = []
    for node, bits in _chosen(document):
        old: BitSet | None = getattr(node, what)
        fresh.append(_with(node, what, bits if old is None else old | bits))
    return replace(document.replaced(*fresh), selection={})


def _unmarked(document: Document, nodes: Sequence[str] | str | None, what: str) -> Document:
    found = splat_nodes(document, nodes) if nodes else [n for n in document.nodes if n.splats]
    return document.replaced(*(_with(n, what, None) for n in found if getattr(n, what)))


@op("Delete selected splats")
def delete(document: Document) -> Document:
    """Leave the selected splats out; they can be restored until the stack is applied."""
    return _marked(document, "deleted")


@op("Restore deleted splats")
def restore(document: Document, nodes: Sequence[str] | str | None = None) -> Document:
    """Bring deleted splats back."""
    return _unmarked(document, nodes, "deleted")


@op("Hide selected splats")
def hide(document: Document) -> Document:
    """Do not draw the selected splats."""
    return _marked(document, "hidden")


@op("Isolate selected splats")
def isolate(document: Document) -> Document:
    """Hide everything but the selected splats."""
    fresh = []
    for node in splat_nodes(document):
        chosen = document.selection.get(node.id)
        assert node.splats is not None
        rest = pickable(node) if chosen is None else pickable(node) - chosen
        fresh.append(replace(node, hidden=rest if node.hidden is None else node.hidden | rest))
    _ = tuple(_chosen(document))  # says so when nothing is selected
    return document.replaced(*fresh)


@op("Show hidden splats")
def unhide(document: Document, nodes: Sequence[str] | str | None = None) -> Document:
    """Draw hidden splats again."""
    return _unmarked(document, nodes, "hidden")


@op("Lock selected splats")
def lock(document: Document) -> Document:
    """Keep the selected splats from being picked."""
    return _marked(document, "locked")


@op("Unlock splats")
def unlock(document: Document, nodes: Sequence[str] | str | None = None) -> Document:
    """Let locked splats be picked again."""
    return _unmarked(document, nodes, "locked")


@op("Keep selection {name}")
def keep_selection(document: Document, name: str, query: str = "") -> Document:
    """Keep what is selected, or a query, under a name; one of that name is replaced.

    Raises
    ------
    UsageError
        If the query cannot be read, the name is none, or nothing is selected.
    """
    if query:
        parse_rule(query)
    bits = {} if query else dict(document.selection)
    if not query and not bits:
        raise UsageError("No splats are selected.")
    entry = NamedSelection(name, query, bits=bits)
    others = tuple(s for s in document.selections if s.name != name)
    return replace(document, selections=(*others, entry))


@op("Rename selection {name}")
def rename_selection(document: Document, name: str, to: str) -> Document:
    """Call a named selection something else; rules that ask for it by its old name do not follow.

    Raises
    ------
    UsageError
        If there is none of that name, or another one has the new name.
    """
    known = [entry.name for entry in document.selections]
    if name not in known:
        raise UsageError(f"There is no selection called {name!r}.")
    if to != name and to in known:
        raise UsageError(f"There is a selection called {to!r} already.")
    entries = (replace(s, name=to) if s.name == name else s for s in document.selections)
    return replace(document, selections=tuple(entries))


@op("Forget selection {name}")
def forget_selection(document: Document, name: str) -> Document:
    """Forget a named selection."""
    return replace(document, selections=tuple(s for s in document.selections if s.name != name))
