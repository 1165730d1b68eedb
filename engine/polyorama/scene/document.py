"""The document: nodes in a tree, a view, a background. Plain frozen data."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Bounds, Camera, frozen_array
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["Document", "Node", "new_id"]

_ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"


def new_id() -> str:
    """A short random node id."""
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(8))


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One named thing in a document; with no content it is a group.

    Parameters
    ----------
    name
        What the outliner shows and what words can ask for.
    content
        The splat cloud, or None for a group.
    transform
        (4, 4) float64, node to parent.
    visible
        Whether it, and what is below it, is drawn.
    parent
        Id of the parent node, or None at the root.
    id
        Short random string, unique in the document.
    """

    name: str
    content: SplatCloud | None = None
    transform: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    visible: bool = True
    parent: str | None = None
    id: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        object.__setattr__(self, "transform", frozen_array(self.transform, np.float64, (4, 4)))


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """Everything that a project holds.

    Parameters
    ----------
    nodes
        In drawing-independent, outliner order; parents before children.
    camera
        The saved view, or None: then the subject is framed.
    background
        Display RGB, 0..1, behind everything.
    up
        World direction that is up in this document.

    Raises
    ------
    UsageError
        If ids repeat, a parent is missing or comes after its child, or `up` is no direction.
    """

    nodes: tuple[Node, ...] = ()
    camera: Camera | None = None
    background: tuple[float, float, float] = (0.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, -1.0, 0.0)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.up).all() and np.any(self.up)):
            raise UsageError("A document's up direction is finite and not 0, 0, 0.")
        seen: set[str] = set()
        for node in self.nodes:
            if node.id in seen:
                raise UsageError(f"Two nodes have the id {node.id!r}.")
            if node.parent is not None and node.parent not in seen:
                raise UsageError(f"Node {node.name!r} has no parent {node.parent!r} before it.")
            seen.add(node.id)

    @classmethod
    def of(cls, clouds: Sequence[SplatCloud], names: Sequence[str]) -> Document:
        """A document with one root node a cloud."""
        pairs = zip(clouds, names, strict=True)
        up = next((cloud.up for cloud in clouds if cloud.up is not None), (0.0, -1.0, 0.0))
        return cls(nodes=tuple(Node(name, cloud) for cloud, name in pairs), up=up)

    @classmethod
    def joined(
        cls, documents: Sequence[Document], names: Sequence[str | None] | None = None
    ) -> Document:
        """One document with the nodes of several, none of which moves.

        The first document's view, background and up direction win. Ids that an earlier document
        has become new ones; names that an earlier root node has get a number.

        Parameters
        ----------
        documents
            What to join, in outliner order; the same one may come twice.
        names
            One name a document: its only node takes the name, several go below a group of that
            name. Where it is None the document's root nodes stay at the root.

        Raises
        ------
        UsageError
            If there is nothing to join.
        ValueError
            If there are not as many names as documents.
        """
        if not documents:
            raise UsageError("There is nothing to join: no document was given.")
        if names is None:
            names = [None] * len(documents)
        nodes: list[Node] = []
        ids: set[str] = set()
        taken: set[str] = set()
        for document, name in zip(documents, names, strict=True):
            renamed = {n.id: new_id() if n.id in ids else n.id for n in document.nodes}
            ids.update(renamed.values())
            group = None
            if name is not None and len(document.nodes) != 1:
                group = Node(_unused(name, taken))
                nodes.append(group)
            above = None if group is None else group.id
            here = set() if group is None else {group.name}
            for node in document.nodes:
                parent = above if node.parent is None else renamed[node.parent]
                title = node.name
                if parent is None:
                    # Names that one document repeats are its own affair.
                    title = _unused(title if name is None else name, taken)
                    here.add(title)
                nodes.append(replace(node, name=title, id=renamed[node.id], parent=parent))
            taken |= here
        first = documents[0]
        return cls(tuple(nodes), first.camera, first.background, first.up)

    def node(self, name_or_id: str) -> Node:
        """The node with that id, else the first with that name.

        Raises
        ------
        UsageError
            If there is none.
        """
        for node in self.nodes:
            if node.id == name_or_id:
                return node
        for node in self.nodes:
            if node.name == name_or_id:
                return node
        raise UsageError(f"The document has no node called {name_or_id!r}.")

    def drawn(self) -> Iterator[tuple[Node, NDArray[np.float64]]]:
        """Visible nodes that have content, each with its (4, 4) node-to-world matrix."""
        worlds: dict[str, NDArray[np.float64] | None] = {}
        for node in self.nodes:
            above = np.eye(4) if node.parent is None else worlds[node.parent]
            world = above @ node.transform if above is not None and node.visible else None
            worlds[node.id] = world
            if world is not None and node.content is not None:
                yield node, world

    def bounds(self) -> Bounds | None:
        """Box around what is drawn, without outliers; None when nothing is."""
        box: Bounds | None = None
        for node, world in self.drawn():
            if node.content is None or len(node.content) == 0:
                continue
            local = node.content.bounds()
            ends = np.stack([local.low, local.high])
            corners = np.stack(np.meshgrid(*ends.T, indexing="ij"), axis=-1).reshape(8, 3)
            moved = corners @ world[:3, :3].T + world[:3, 3]
            here = Bounds(moved.min(axis=0), moved.max(axis=0))
            box = here if box is None else box.union(here)
        return box

    def with_camera(self, camera: Camera | None) -> Document:
        """The same document with another saved view."""
        return replace(self, camera=camera)


def _unused(name: str, taken: set[str]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free
