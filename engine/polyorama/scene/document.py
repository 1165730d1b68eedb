"""The document: nodes in a tree, a view, a background. Plain frozen data."""

from __future__ import annotations

import hashlib
import itertools
import secrets
import weakref
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.frozen import FrozenMap
from polyorama.core.text import quoted
from polyorama.core.types import Bounds, Camera, frozen_array
from polyorama.errors import UsageError
from polyorama.scene.contents import Audio, CameraRig, CropVolume, LightRig
from polyorama.scene.faces.actor import Actor
from polyorama.scene.mesh import Mesh
from polyorama.scene.selection import BitSet, NamedSelection, frozen_bits
from polyorama.scene.splats import SplatCloud
from polyorama.scene.timeline import Cue, Timeline, Track

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Modifier

__all__ = [
    "Content", "Document", "Node", "Source", "id_for", "new_id", "node_with_ids", "with_ids",
]  # fmt: skip

Content = SplatCloud | Mesh | CameraRig | LightRig | CropVolume | Audio | Actor
"""What a node may hold."""

_LONGEST_NAME = 4096
"""Letters that a project holds."""
_ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"


def new_id() -> str:
    """A short random node id."""
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(8))


def id_for(text: str, taken: Iterable[str] = ()) -> str:
    """An id that follows from a text alone: the same edits of the same files give the same ids."""
    used = set(taken)
    for number in itertools.count():
        digest = hashlib.blake2b(f"{text} {number}".encode("utf-8", "replace"), digest_size=8)
        whole = int.from_bytes(digest.digest(), "big")
        made = ""
        for _ in range(8):
            whole, at = divmod(whole, len(_ID_ALPHABET))
            made += _ID_ALPHABET[at]
        if made not in used:
            return made
    raise AssertionError


@dataclass(frozen=True, slots=True)
class Source:
    """The file that a node's content came from.

    Parameters
    ----------
    path
        As it was opened.
    sha256
        Of the file's bytes, in hexadecimal, by which it is known again when it moved; "" where it
        was not taken.
    size
        Bytes of the file; 0 where it was not taken.
    linked
        A project keeps the path alone, not the content.
    """

    path: str
    sha256: str = ""
    size: int = 0
    linked: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One named thing in a document; with no content it is a group.

    Parameters
    ----------
    name
        What the outliner shows and what words can ask for.
    content
        A `Content`, or None for a group (or for a linked file that is missing: `source` tells).
    transform
        (4, 4) float64, node to parent.
    visible
        Whether it, and what is below it, is drawn.
    parent
        Id of the parent node, or None at the root.
    id
        Short random string, unique in the document.
    modifiers
        The edit stack of a splat node, carried out in this order.
    deleted, hidden, locked
        Splats of the node's own cloud that are left out until they are asked back, not drawn, or
        drawn but never picked; None for no such splat. They outlast a linked file that is missing.
    fixed
        Whether the node as a whole can neither be picked nor moved in the viewport.
    source
        Where the content came from, or None.

    Raises
    ------
    UsageError
        If sets or masks do not fit the cloud, modifier ids repeat, the id is one that paths of
        properties cannot begin with, or something else than splats has modifiers or sets.
    """

    name: str
    content: Content | None = None
    transform: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    visible: bool = True
    parent: str | None = None
    id: str = field(default_factory=new_id)
    modifiers: tuple[Modifier, ...] = ()
    deleted: BitSet | None = None
    hidden: BitSet | None = None
    locked: BitSet | None = None
    fixed: bool = False
    source: Source | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "transform", frozen_array(self.transform, np.float64, (4, 4)))
        count = len(self.content) if isinstance(self.content, SplatCloud) else None
        for what in ("deleted", "hidden", "locked"):
            bits: BitSet | None = getattr(self, what)
            if bits is not None and bits.count != count and not self.missing:
                raise UsageError(
                    f"Node {self.name!r} has {count or 0} splats; its {what} set is over "
                    f"{bits.count}."
                )
            if bits is not None and not bits:
                object.__setattr__(self, what, None)
        self._check_names()
        for modifier in self.modifiers:
            mask = modifier.mask
            if count is not None and isinstance(mask, BitSet) and mask.count != count:
                raise UsageError(
                    f"Node {self.name!r} has {count} splats; the mask of "
                    f"{modifier.name or modifier.title} is over {mask.count}."
                )
        ids = [modifier.id for modifier in self.modifiers]
        if len(set(ids)) < len(ids) or "" in ids:
            raise UsageError(f"The modifiers of node {self.name!r} need ids of their own.")
        if self.modifiers and self.content is not None and count is None:
            raise UsageError(f"Node {self.name!r} is no splat cloud; it cannot be modified.")

    def _check_names(self) -> None:
        if not isinstance(self.name, str) or not isinstance(self.id, str):
            raise UsageError("A node's name and id are texts.")
        if len(self.name) > _LONGEST_NAME:
            raise UsageError(f"A node's name has at most {_LONGEST_NAME:,} letters.")
        # Paths of properties begin with the id.
        if not self.id or "/" in self.id or self.id in ("view", "document"):
            raise UsageError(f"Node {quoted(self.name)} cannot have the id {quoted(self.id)}.")

    @property
    def missing(self) -> bool:
        """Whether the content is that of a linked file which was not found."""
        return self.content is None and self.source is not None and self.source.linked

    @property
    def splats(self) -> SplatCloud | None:
        """The content where it is a splat cloud."""
        return self.content if isinstance(self.content, SplatCloud) else None

    @property
    def mesh(self) -> Mesh | None:
        """The surface where the content is one: a mesh, or a face at rest."""
        if isinstance(self.content, Actor):
            return self.content.rig.mesh
        return self.content if isinstance(self.content, Mesh) else None

    def modifier(self, name_or_id: str) -> Modifier:
        """The modifier with that id, else the first with that name or of that kind.

        Raises
        ------
        UsageError
            If there is none.
        """
        for known in ("id", "name", "kind"):
            for modifier in self.modifiers:
                if getattr(modifier, known) == name_or_id:
                    return modifier
        raise UsageError(f"Node {self.name!r} has no modifier {quoted(name_or_id)}.")


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
    timeline
        Keys on properties, cues, duration.
    selection
        Selected splats by node id; nodes without any are left out.
    chosen
        Ids of the nodes that are chosen in the outliner, the last one being the active one.
    selections
        Named selections.
    view_camera
        Id of the camera node that the document is seen through, or "" for `camera`.

    Raises
    ------
    UsageError
        If ids repeat, a parent is missing or comes after its child, `up` is no direction, or
        selections name what is not there.
    """

    nodes: tuple[Node, ...] = ()
    camera: Camera | None = None
    background: tuple[float, float, float] = (0.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, -1.0, 0.0)
    timeline: Timeline = field(default_factory=Timeline)
    selection: Mapping[str, BitSet] = field(default_factory=FrozenMap)
    chosen: tuple[str, ...] = ()
    selections: tuple[NamedSelection, ...] = ()
    view_camera: str = ""

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
        object.__setattr__(self, "selection", frozen_bits(self.selection))
        clouds = {node.id: node.splats for node in self.nodes}
        for node_id, bits in self.selection.items():
            cloud = clouds.get(node_id)
            if cloud is None or bits.count != len(cloud):
                raise UsageError(f"The selection does not fit the node {node_id!r}.")
        if not seen.issuperset(self.chosen):
            raise UsageError("A node is chosen that is not there.")
        names = [entry.name for entry in self.selections]
        if len(set(names)) < len(names):
            raise UsageError("Two selections have one name.")
        for entry in self.selections:
            for node_id, bits in entry.bits.items():
                cloud = clouds.get(node_id)
                if cloud is not None and bits.count != len(cloud):
                    raise UsageError(
                        f"The selection {entry.name!r} does not fit the node {node_id!r}."
                    )
        if self.view_camera and self.view_camera not in seen:
            raise UsageError("The document is seen through a camera that is not there.")

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

        The first document's view, background, up direction and what is chosen win; the timeline is
        as long as the longest, and keys, cues and selections of all are kept. Ids that an earlier
        document has become new ones; names that an earlier root node or selection has get a number.

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
        moved: list[Document] = []
        for document, name in zip(documents, names, strict=True):
            renamed = {n.id: id_for(n.id, ids) if n.id in ids else n.id for n in document.nodes}
            ids.update(renamed.values())
            document = with_ids(document, renamed)
            moved.append(document)
            group = None
            if name is not None and len(document.nodes) != 1:
                group = Node(_unused(name, taken), id=id_for(name, ids))
                ids.add(group.id)
                nodes.append(group)
            above = None if group is None else group.id
            here = set() if group is None else {group.name}
            for node in document.nodes:
                parent = above if node.parent is None else node.parent
                title = node.name
                if parent is None:
                    # Names that one document repeats are its own affair.
                    title = _unused(title if name is None else name, taken)
                    here.add(title)
                nodes.append(replace(node, name=title, parent=parent))
            taken |= here
        return replace(
            documents[0],
            nodes=tuple(nodes),
            timeline=_joined_timeline([document.timeline for document in moved]),
            selection={i: bits for document in moved for i, bits in document.selection.items()},
            selections=_joined_selections([document.selections for document in moved]),
        )

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
        raise UsageError(f"The document has no node called {quoted(name_or_id)}.")

    def replaced(self, *nodes: Node) -> Document:
        """The same document with some nodes in the place of those that have their ids."""
        fresh = {node.id: node for node in nodes}
        return replace(self, nodes=tuple(fresh.get(node.id, node) for node in self.nodes))

    def below(self, node_id: str) -> tuple[Node, ...]:
        """A node and everything below it, in document order."""
        inside = {node_id}
        found = []
        for node in self.nodes:
            if node.id in inside or node.parent in inside:
                inside.add(node.id)
                found.append(node)
        return tuple(found)

    def world(self, node_id: str) -> NDArray[np.float64]:
        """(4, 4) float64, node to world.

        Raises
        ------
        UsageError
            If there is no such node.
        """
        matrix, at = np.eye(4), node_id
        known = {node.id: node for node in self.nodes}
        while at:
            if at not in known:
                raise UsageError(f"The document has no node {at!r}.")
            matrix, at = known[at].transform @ matrix, known[at].parent or ""
        return matrix

    def drawn(self) -> Iterator[tuple[Node, NDArray[np.float64]]]:
        """Visible nodes that are drawn, each with its (4, 4) node-to-world matrix."""
        worlds: dict[str, NDArray[np.float64] | None] = {}
        for node in self.nodes:
            above = np.eye(4) if node.parent is None else worlds[node.parent]
            world = above @ node.transform if above is not None and node.visible else None
            worlds[node.id] = world
            if world is not None and isinstance(node.content, SplatCloud | Mesh | Actor):
                yield node, world

    def bounds(self) -> Bounds | None:
        """Box around what is drawn, without outliers; None when nothing is."""
        box: Bounds | None = None
        for node, world in self.drawn():
            local = _box_of(node)
            if local is None:
                continue
            ends = np.stack([local.low, local.high])
            corners = np.stack(np.meshgrid(*ends.T, indexing="ij"), axis=-1).reshape(8, 3)
            moved = corners @ world[:3, :3].T + world[:3, 3]
            here = Bounds(moved.min(axis=0), moved.max(axis=0))
            box = here if box is None else box.union(here)
        return box

    def with_camera(self, camera: Camera | None) -> Document:
        """The same document with another saved view."""
        return replace(self, camera=camera)


_boxes: weakref.WeakKeyDictionary[SplatCloud | Mesh, Bounds | None] = weakref.WeakKeyDictionary()


def _box_of(node: Node) -> Bounds | None:
    content = node.splats if node.splats is not None else node.mesh
    if content is None:
        return None
    if content not in _boxes:  # quantiles of millions of splats are not taken twice
        if isinstance(content, Mesh):
            corners = content.vertices
            empty = len(corners) == 0
            box = None if empty else Bounds(corners.min(axis=0), corners.max(axis=0))
        else:
            box = content.bounds() if len(content) else None
        _boxes[content] = box
    return _boxes[content]


def with_ids(document: Document, ids: Mapping[str, str]) -> Document:
    """The document with other node ids, wherever a node is named by its id."""
    if all(old == new for old, new in ids.items()):
        return document

    def of_sets(sets: Mapping[str, BitSet]) -> dict[str, BitSet]:
        return {ids.get(i, i): bits for i, bits in sets.items()}

    tracks = {}
    for path, track in document.timeline.tracks.items():
        owner, _, rest = path.partition("/")
        tracks[f"{ids.get(owner, owner)}/{rest}"] = track
    selections = tuple(
        replace(s, nodes=tuple(ids.get(i, i) for i in s.nodes), bits=of_sets(s.bits))
        for s in document.selections
    )
    return replace(
        document,
        nodes=tuple(node_with_ids(node, ids) for node in document.nodes),
        timeline=replace(document.timeline, tracks=tracks),
        selection=of_sets(document.selection),
        chosen=tuple(ids[i] for i in document.chosen),
        selections=selections,
        view_camera=ids.get(document.view_camera, ""),
    )


def node_with_ids(node: Node, ids: Mapping[str, str]) -> Node:
    """The node with other ids for itself and whatever it names; those not in `ids` stay."""
    content = node.content
    if isinstance(content, CameraRig) and content.follows in ids:
        content = replace(content, follows=ids[content.follows])
    stack = tuple(
        m.replaced(volume=ids[m.volume]) if getattr(m, "volume", None) in ids else m  # type: ignore[attr-defined]
        for m in node.modifiers
    )
    parent = None if node.parent is None else ids.get(node.parent, node.parent)
    return replace(
        node, id=ids.get(node.id, node.id), parent=parent, content=content, modifiers=stack
    )


def _joined_timeline(timelines: Sequence[Timeline]) -> Timeline:
    first = timelines[0]
    tracks: dict[str, Track] = {}
    cues: list[Cue] = []
    for timeline in timelines:
        shared = {"view", "document"} if timeline is not first else set()
        own = timeline.tracks.items()
        tracks |= {path: track for path, track in own if path.partition("/")[0] not in shared}
        cues += timeline.cues
    longest = max(timeline.duration for timeline in timelines)
    return replace(first, duration=longest, tracks=tracks, cues=tuple(cues))


def _joined_selections(kept: Sequence[tuple[NamedSelection, ...]]) -> tuple[NamedSelection, ...]:
    taken: set[str] = set()
    joined = []
    for entry in (entry for entries in kept for entry in entries):
        # A name has at most 64 letters, a number included.
        name = entry.name if entry.name not in taken else _unused(entry.name[:56], taken)
        joined.append(replace(entry, name=name))
        taken.add(joined[-1].name)
    return tuple(joined)


def _unused(name: str, taken: set[str]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free
