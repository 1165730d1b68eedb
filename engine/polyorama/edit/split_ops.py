"""Operations that make nodes of selected splats, and one node of several."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.edit.ops import op
from polyorama.edit.splat_rows import bits_of_rows, joined_bits, node_of_rows, with_node
from polyorama.errors import UsageError
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node, id_for
from polyorama.scene.properties_of import at_time
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.splats import concatenate
from polyorama.scene.stack import stacking
from polyorama.scene.transform import affine_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.modifiers import Modifier
    from polyorama.scene.splats import SplatCloud

__all__ = ["duplicate_selected", "merge", "separate"]


@op("Separate selected splats")
def separate(document: Document, name: str = "") -> Document:
    """Take the selected splats out of their nodes and make nodes of them, one for each.

    A new node has the old one's place, edit stack and keys.

    Parameters
    ----------
    document
        What is edited.
    name
        Of the new node; "" names it after the old one. Several get numbers.

    Raises
    ------
    UsageError
        If no splats are selected, or all of a node are.
    """
    for node_id, bits in document.selection.items():
        if len(bits) == bits.count:
            raise UsageError(
                f"All splats of {document.node(node_id).name!r} are selected; there is nothing to "
                "separate them from."
            )
    before = document
    document = _with_parts(document, name, "part")
    for node_id, bits in before.selection.items():
        node, rest = before.node(node_id), (~bits).indices()
        assert node.splats is not None
        document = with_node(document, node_of_rows(node, node.splats.subset(rest), rest), rest)
    return replace(document, selection={})


@op("Duplicate selected splats")
def duplicate_selected(document: Document, name: str = "") -> Document:
    """Make nodes of the selected splats, one for each node; the old ones stay as they are.

    Parameters
    ----------
    document
        What is edited.
    name
        As in `separate`.

    Raises
    ------
    UsageError
        If no splats are selected.
    """
    return replace(_with_parts(document, name, "copy"), selection={})


def _with_parts(document: Document, name: str, noun: str) -> Document:
    """The document with a node of the selected splats behind each node that has some; chosen."""
    if not document.selection:
        raise UsageError("No splats are selected.")
    nodes = list(document.nodes)
    tracks = dict(document.timeline.tracks)
    chosen = []
    titles = _titles(document, name, noun)
    for (node_id, bits), title in zip(document.selection.items(), titles, strict=True):
        node = document.node(node_id)
        made = id_for(f"{node_id} {noun}", (n.id for n in nodes))
        part, renamed = _part(node, bits, {m.id for n in nodes for m in n.modifiers})
        at = next(k for k, n in enumerate(nodes) if n.id == node_id)
        nodes.insert(at + 1, replace(part, id=made, name=title, fixed=False))
        chosen.append(made)
        for path, track in document.timeline.tracks.items():
            owner, _, rest = path.partition("/")
            modifier, slash, last = rest.partition("/")
            if owner == node_id and not slash:
                tracks[f"{made}/{rest}"] = track
            elif owner == node_id and modifier in renamed:
                tracks[f"{made}/{renamed[modifier]}/{last}"] = track
    return replace(
        document,
        nodes=tuple(nodes),
        chosen=tuple(chosen),
        timeline=replace(document.timeline, tracks=tracks),
    )


def _titles(document: Document, name: str, noun: str) -> list[str]:
    owners = [document.node(i).name for i in document.selection]
    if not name.strip():
        return [f"{owner} {noun}" for owner in owners]
    if len(owners) == 1:
        return [name.strip()]
    return [f"{name.strip()} {number}" for number in range(1, len(owners) + 1)]


def _part(node: Node, bits: BitSet, taken: set[str]) -> tuple[Node, dict[str, str]]:
    """A node of some splats, and new ids of its modifiers by old ones.

    Modifiers that are for other splats alone are left out.
    """
    assert node.splats is not None
    rows = bits.indices()
    part = node_of_rows(node, node.splats.subset(rows), rows)
    stack: list[Modifier] = []
    renamed: dict[str, str] = {}
    for modifier in part.modifiers:
        if not isinstance(modifier.mask, BitSet) or modifier.mask:
            fresh = id_for(modifier.kind, taken | set(renamed.values()))
            renamed[modifier.id] = fresh
            stack.append(modifier.replaced(id=fresh))
    return replace(part, modifiers=tuple(stack)), renamed


@op("Merge nodes")
def merge(
    document: Document, nodes: Sequence[str] | str | None = None, name: str = ""
) -> Job[Document]:
    """Join splat nodes into one, as a job; nothing moves in the world.

    The node that comes first in the outliner takes the splats of the others and keeps its place
    and the keys of that. Edit stacks are applied as they are at time 0. What lies below the others
    goes below the first; cameras that follow them follow it.

    Parameters
    ----------
    document
        What is edited.
    nodes
        Names or ids; None for those that are chosen.
    name
        Of the joined node; "" keeps the first one's.

    Raises
    ------
    UsageError
        If there are fewer than two, or one holds no splats.
    """
    named = document.chosen if nodes is None else (nodes,) if isinstance(nodes, str) else nodes
    ids = {document.node(n).id for n in named}
    joined = [n for n in document.nodes if n.id in ids]
    for node in joined:
        if node.splats is None:
            raise UsageError(f"Node {node.name!r} holds no splats; it cannot be merged.")
    if len(joined) < 2:
        raise UsageError("Merging takes two nodes or more; choose them in the outliner.")
    still = at_time(document, 0.0)
    first = joined[0]
    into = np.linalg.inv(affine_matrix(still.world(first.id)))
    clouds: list[SplatCloud] = []
    rows: dict[str, NDArray[np.int64]] = {}
    for node in joined:
        cloud, rows[node.id] = yield from _settled(still, still.node(node.id))
        clouds.append(cloud.transformed(into @ still.world(node.id)) if node != first else cloud)

    def joined_sets(sets: Sequence[BitSet | None]) -> BitSet:
        parts = [bits_of_rows(b, rows[n.id]) for b, n in zip(sets, joined, strict=True)]
        return joined_bits([(b, len(rows[n.id])) for b, n in zip(parts, joined, strict=True)])

    made = replace(
        first,
        name=name.strip() or first.name,
        content=concatenate(clouds),
        modifiers=(),
        deleted=joined_sets([n.deleted for n in joined]),
        hidden=joined_sets([n.hidden for n in joined]),
        locked=joined_sets([n.locked for n in joined]),
        source=None,
    )
    gone = ids - {first.id}
    fresh = []
    for node in document.nodes:
        if node.id == first.id:
            node = made
        elif node.parent in gone:
            place = into @ still.world(node.id)
            node = replace(node, parent=first.id, transform=place)
        if isinstance(node.content, CameraRig) and node.content.follows in gone:
            node = replace(node, content=replace(node.content, follows=first.id))
        if node.id not in gone:
            fresh.append(node)
    selection = dict(document.selection)
    if ids & selection.keys():
        selection[first.id] = joined_sets([document.selection.get(n.id) for n in joined])
    stacks = tuple(f"{first.id}/{m.id}/" for m in first.modifiers)
    tracks = {
        path: track
        for path, track in document.timeline.tracks.items()
        if path.partition("/")[0] not in gone and not path.startswith(stacks)
    }
    return replace(
        document,
        nodes=tuple(fresh),
        selection={i: bits for i, bits in selection.items() if i not in gone},
        chosen=(first.id,),
        selections=tuple(_renewed(s, joined, gone, joined_sets) for s in document.selections),
        timeline=replace(document.timeline, tracks=tracks),
    )


def _settled(still: Document, node: Node) -> Job[tuple[SplatCloud, NDArray[np.int64]]]:
    """A node's splats with its stack applied, and which of its own each stands for.

    Without a stack, deleted splats stay, so that they can be restored.
    """
    assert node.splats is not None
    if not any(m.enabled for m in node.modifiers):
        return node.splats, np.arange(len(node.splats))
    shown = yield from stacking(still, node)
    rows = np.arange(len(shown.cloud)) if shown.rows is None else shown.rows
    return shown.baked(), rows[~shown.deleted()]


def _renewed(
    entry: NamedSelection, joined: Sequence[Node], gone: set[str], join: Any
) -> NamedSelection:
    """A named selection with the joined node in the place of the others."""
    first = joined[0].id
    owners = tuple(dict.fromkeys(first if i in gone else i for i in entry.nodes))
    bits = {i: b for i, b in entry.bits.items() if i not in gone}
    if any(n.id in entry.bits for n in joined):
        bits[first] = join([entry.bits.get(n.id) for n in joined])
    return NamedSelection(entry.name, entry.query, owners, bits)
