"""Operations on nodes: names, places, parents, copies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.edit.ops import op
from polyorama.edit.references import detached, selections_with_copies
from polyorama.errors import UsageError
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node, id_for, node_with_ids
from polyorama.scene.properties_of import set_property
from polyorama.scene.transform import affine_matrix

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "add_node", "choose", "duplicate", "fix", "follow", "group", "move", "place", "remove",
    "rename", "see_through", "set_value", "show", "ungroup",
]  # fmt: skip

_MOST_NODES = 20_000


def _ids(document: Document, nodes: Sequence[str] | str | None) -> tuple[str, ...]:
    """Ids of nodes given by name or id; None stands for those that are chosen."""
    if nodes is None:
        if not document.chosen:
            raise UsageError("No node is chosen; name one, or choose one in the outliner.")
        return document.chosen
    named = (nodes,) if isinstance(nodes, str) else tuple(nodes)
    # Not one by one: choosing ten thousand nodes takes no time.
    known = {node.name: node.id for node in reversed(document.nodes)}
    known |= {node.id: node.id for node in document.nodes}
    return tuple(dict.fromkeys(known.get(n) or document.node(n).id for n in named))


def _nodes(document: Document, nodes: Sequence[str] | str | None) -> list[Node]:
    """As `_ids`, the nodes themselves."""
    known = {node.id: node for node in document.nodes}
    return [known[i] for i in _ids(document, nodes)]


def _branches(document: Document, ids: Iterable[str]) -> set[str]:
    """Ids of nodes and of everything below them."""
    inside = set(ids)
    for node in document.nodes:  # parents come before children
        if node.parent in inside:
            inside.add(node.id)
    return inside


def _roots(document: Document, ids: Sequence[str]) -> tuple[str, ...]:
    """Those of the ids that no other of them lies above, in document order."""
    wanted, below = set(ids), set[str]()
    for node in document.nodes:
        if node.parent is not None and (node.parent in wanted or node.parent in below):
            below.add(node.id)
    return tuple(n.id for n in document.nodes if n.id in wanted and n.id not in below)


@op("Set {path}", "set")
def set_value(document: Document, path: str, value: Any) -> Document:
    """Give a property another value; see `polyorama.scene.properties_of` for paths."""
    return set_property(document, path, value)


@op("Rename to {name}")
def rename(document: Document, node: str, name: str) -> Document:
    """Call a node something else.

    Raises
    ------
    UsageError
        If there is no such node or the name is empty.
    """
    if not name.strip():
        raise UsageError("A node's name cannot be empty.")
    return document.replaced(replace(document.node(node), name=name.strip()))


@op("Choose nodes")
def choose(document: Document, nodes: Sequence[str] | str = ()) -> Document:
    """Choose nodes, as a click in the outliner does; none with an empty list."""
    return replace(document, chosen=_ids(document, nodes) if nodes else ())


@op("Show or hide nodes")
def show(
    document: Document, nodes: Sequence[str] | str | None = None, visible: bool = True
) -> Document:
    """Show or hide nodes and what is below them."""
    return document.replaced(*(replace(n, visible=visible) for n in _nodes(document, nodes)))


@op("Lock or unlock nodes")
def fix(
    document: Document, nodes: Sequence[str] | str | None = None, fixed: bool = True
) -> Document:
    """Keep nodes from being picked and moved in the viewport, or let them."""
    return document.replaced(*(replace(n, fixed=fixed) for n in _nodes(document, nodes)))


@op("Film through {node}")
def see_through(document: Document, node: str = "") -> Document:
    """See the document, its films and its pictures through a camera node; "" for its own view.

    Raises
    ------
    UsageError
        If there is no such node, or it holds no camera.
    """
    return replace(document, view_camera=_camera(document, node).id if node else "")


@op("Follow {target}")
def follow(document: Document, node: str, target: str = "") -> Document:
    """Have a camera of kind ``follow`` go after another node; "" for none.

    Raises
    ------
    UsageError
        If there is no such node, the first holds no camera, or a camera would follow itself.
    """
    camera = _camera(document, node)
    followed = document.node(target).id if target else ""
    if followed == camera.id:
        raise UsageError("A camera cannot follow itself.")
    assert isinstance(camera.content, CameraRig)
    rig = replace(camera.content, follows=followed)
    return document.replaced(replace(camera, content=rig))


def _camera(document: Document, name: str) -> Node:
    node = document.node(name)
    if not isinstance(node.content, CameraRig):
        raise UsageError(f"Node {node.name!r} is no camera.")
    return node


@op("Place {node}")
def place(document: Document, node: str, matrix: Any) -> Document:
    """Give a node another matrix, node to parent, (4, 4) or (3, 4).

    Raises
    ------
    UsageError
        If there is no such node, or the matrix is not affine and invertible.
    """
    return document.replaced(replace(document.node(node), transform=affine_matrix(matrix)))


def _worlds(document: Document) -> dict[str, NDArray[np.float64]]:
    """(4, 4) node-to-world matrices of all nodes."""
    worlds: dict[str, NDArray[np.float64]] = {}
    for node in document.nodes:
        above = None if node.parent is None else worlds[node.parent]
        worlds[node.id] = node.transform if above is None else above @ node.transform
    return worlds


def _moved(node: Node, parent: str | None, matrix: NDArray[Any]) -> Node:
    return replace(node, parent=parent, transform=matrix)


@op("Move in the outliner")
def move(
    document: Document,
    nodes: Sequence[str] | str | None = None,
    parent: str | None = None,
    before: str | None = None,
) -> Document:
    """Put nodes below another one (None: at the root), before a sibling or at the end.

    They stay where they are in the world.

    Raises
    ------
    UsageError
        If a node would lie below itself, or the sibling has another parent.
    """
    ids = _roots(document, _ids(document, nodes))
    above = None if parent is None else document.node(parent).id
    moved = _branches(document, ids)
    if above in moved:
        raise UsageError("A node cannot lie below itself.")
    base = np.eye(4) if above is None else document.world(above)
    worlds = _worlds(document)
    fresh = [
        node
        if node.parent == above
        else _moved(node, above, np.linalg.solve(base, worlds[node.id]))
        for node in _nodes(document, ids)
    ]
    changed = {n.id: n for n in fresh}  # not a document yet: a parent may still come after them
    taken = [changed.get(n.id, n) for n in document.nodes if n.id in moved]
    rest = [n for n in document.nodes if n.id not in moved]
    if before is None:
        at = len(rest)
    else:
        sibling = document.node(before)
        if sibling.parent != above or sibling.id in moved:
            raise UsageError(f"{sibling.name!r} does not lie there; choose another place.")
        at = next(k for k, n in enumerate(rest) if n.id == sibling.id)
    return replace(document, nodes=(*rest[:at], *taken, *rest[at:]))


@op("Remove nodes")
def remove(document: Document, nodes: Sequence[str] | str | None = None) -> Document:
    """Take nodes and everything below them out of the document, with their keys.

    Crops by a volume that goes keep its place; cameras that follow what goes stand where they are.
    """
    gone = _branches(document, _ids(document, nodes))
    return _without(document, gone)


def _without(document: Document, gone: set[str] | frozenset[str]) -> Document:
    document = detached(document, gone)
    tracks = {
        path: track
        for path, track in document.timeline.tracks.items()
        if path.partition("/")[0] not in gone
    }
    return replace(
        document,
        nodes=tuple(n for n in document.nodes if n.id not in gone),
        selection={i: bits for i, bits in document.selection.items() if i not in gone},
        chosen=tuple(i for i in document.chosen if i not in gone),
        view_camera="" if document.view_camera in gone else document.view_camera,
        timeline=replace(document.timeline, tracks=tracks),
    )


@op("Add {node.name}")
def add_node(
    document: Document, node: Node, parent: str | None = None, chosen: bool = True
) -> Document:
    """Add a node at the end of its parent's children, and choose it."""
    above = None if parent is None else document.node(parent).id
    added = replace(node, parent=above)
    nodes = (*document.nodes, added)
    return replace(document, nodes=nodes, chosen=(added.id,) if chosen else document.chosen)


@op("Group nodes")
def group(
    document: Document, nodes: Sequence[str] | str | None = None, name: str = "Group"
) -> Document:
    """Put nodes below a new group in the place of the first of them."""
    ids = _roots(document, _ids(document, nodes))
    if not ids:
        raise UsageError("There is nothing to group; name some nodes.")
    parent = document.node(ids[0]).parent
    made = Node(name, parent=parent, id=id_for(name, (n.id for n in document.nodes)))
    at = next(k for k, n in enumerate(document.nodes) if n.id == ids[0])
    with_group = replace(document, nodes=(*document.nodes[:at], made, *document.nodes[at:]))
    return replace(move(with_group, ids, made.id), chosen=(made.id,))


@op("Ungroup")
def ungroup(document: Document, nodes: Sequence[str] | str | None = None) -> Document:
    """Put what lies below groups one level up, and remove the groups."""
    for node_id in _ids(document, nodes):
        node = document.node(node_id)
        if node.content is not None:
            raise UsageError(f"{node.name!r} is no group.")
        children = [n.id for n in document.nodes if n.parent == node_id]
        if children:
            document = move(document, children, node.parent)
        document = _without(document, {node_id})
    return document


@op("Duplicate nodes")
def duplicate(document: Document, nodes: Sequence[str] | str | None = None) -> Document:
    """Copy nodes and everything below them, with their keys; arrays are shared.

    What is copied together belongs together: a camera that follows a node follows its copy.

    Raises
    ------
    UsageError
        If the document would have more than 20,000 nodes.
    """
    roots = _roots(document, _ids(document, nodes))
    branches = {node_id: document.below(node_id) for node_id in roots}
    if len(document.nodes) + sum(map(len, branches.values())) > _MOST_NODES:
        raise UsageError(f"A document of copies has at most {_MOST_NODES:,} nodes.")
    taken = {n.id for n in document.nodes}
    copies: dict[str, str] = {}
    for node in (node for branch in branches.values() for node in branch):
        copies[node.id] = id_for(f"{node.id} copy", taken)
        taken.add(copies[node.id])
    made: list[Node] = []
    for node_id, branch in branches.items():
        for node in branch:
            fresh = node_with_ids(node, copies)
            made.append(replace(fresh, name=f"{node.name} copy") if node.id == node_id else fresh)
    tracks = dict(document.timeline.tracks)
    for path, track in document.timeline.tracks.items():
        owner, _, rest = path.partition("/")
        if owner in copies:
            tracks[f"{copies[owner]}/{rest}"] = track
    return replace(
        document,
        nodes=(*document.nodes, *made),
        chosen=tuple(copies[i] for i in roots),
        timeline=replace(document.timeline, tracks=tracks),
        selections=selections_with_copies(document.selections, copies),
    )
