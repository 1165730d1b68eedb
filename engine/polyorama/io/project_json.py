"""`document.json` of a project: written plainly, read field by field.

Numbers that people may want to read and mend by hand (places, the view) stand plainly; edit stacks,
tracks and selections are written by `polyorama.scene.codec`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.json_fields import (
    FieldError,
    Vector,
    camera_entry,
    direction_of,
    no_constant,
    numbers_of,
    object_of,
    parse_camera,
    text_of,
    vector_of,
)
from polyorama.io.project_members import is_member_name
from polyorama.scene.codec import CodecError, decode, encode
from polyorama.scene.contents import CameraRig, CropVolume, LightRig
from polyorama.scene.document import Source
from polyorama.scene.faces.actor import Actor
from polyorama.scene.modifiers import Modifier
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.splats import SplatCloud, SplatModel
from polyorama.scene.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.codec import Blobs
    from polyorama.scene.document import Document, Node

__all__ = [
    "FORMAT", "LIGHT", "DocumentEntry", "NodeEntry", "document_entries", "parse_document",
]  # fmt: skip

T = TypeVar("T")
Light = CameraRig | LightRig | CropVolume | Actor
LIGHT = (CameraRig, LightRig, CropVolume, Actor)
"""Contents that are written into `document.json` itself; what is large in them is a part."""


@dataclass(frozen=True, slots=True)
class NodeEntry:
    """One node as the file tells it; `data` names the member with its large content."""

    id: str
    name: str
    parent: str | None
    transform: NDArray[np.float64]
    visible: bool
    data: str | None
    model: SplatModel | None
    up: Vector | None
    comments: tuple[str, ...]
    content: Light | None
    modifiers: tuple[Modifier, ...]
    deleted: BitSet | None
    hidden: BitSet | None
    locked: BitSet | None
    fixed: bool
    source: Source | None

    def dressed(self, cloud: SplatCloud) -> SplatCloud:
        """The cloud with what its own format could not carry."""
        model = cloud.model if self.model is None else self.model
        return replace(cloud, model=model, up=self.up, comments=self.comments)


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """The whole of `document.json`."""

    nodes: tuple[NodeEntry, ...]
    camera: Camera | None
    background: Vector
    up: Vector
    timeline: Timeline
    selection: Mapping[str, BitSet]
    chosen: tuple[str, ...]
    selections: tuple[NamedSelection, ...]
    view_camera: str


def _to_format_2(root: dict[str, Any]) -> dict[str, Any]:
    """Format 1 knew neither time, nor edit stacks, nor selections: all of them are empty."""
    return root


def _to_format_3(root: dict[str, Any]) -> dict[str, Any]:
    """Format 2 knew no faces: there are none."""
    return root


MIGRATIONS: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = (_to_format_2, _to_format_3)
"""The i-th makes `document.json` of format i + 2 of that of format i + 1."""

FORMAT = len(MIGRATIONS) + 1
"""The format that is written."""


def document_entries(
    document: Document,
    members: Mapping[str, str],
    sources: Mapping[str, Source],
    blobs: Blobs,
) -> dict[str, Any]:
    """What `document.json` says about a document.

    Parameters
    ----------
    document
        What is saved.
    members
        Member with a node's large content, by node id; linked ones have none.
    sources
        By node id, as they are to be written.
    blobs
        Takes what is large.

    Raises
    ------
    CodecError
        If a value cannot be written.
    """
    return {
        "up": list(document.up),
        "background": list(document.background),
        "camera": None if document.camera is None else camera_entry(document.camera),
        "view_camera": document.view_camera,
        "timeline": encode(document.timeline),
        "selection": {i: encode(bits, blobs) for i, bits in document.selection.items()},
        "chosen": list(document.chosen),
        "selections": [encode(entry, blobs) for entry in document.selections],
        "nodes": [_entry(n, members.get(n.id), sources.get(n.id), blobs) for n in document.nodes],
    }


def _entry(node: Node, member: str | None, source: Source | None, blobs: Blobs) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": node.id,
        "name": node.name,
        "parent": node.parent,
        "transform": node.transform.tolist(),
        "visible": node.visible,
        "data": member,
    }
    if node.splats is not None and member is not None:
        entry["model"] = node.splats.model
        entry["up"] = None if node.splats.up is None else list(node.splats.up)
        entry["comments"] = list(node.splats.comments)
    if isinstance(node.content, LIGHT):
        entry["content"] = encode(node.content, blobs)
    if node.modifiers:
        entry["modifiers"] = [encode(modifier, blobs) for modifier in node.modifiers]
    for what in ("deleted", "hidden", "locked"):
        bits: BitSet | None = getattr(node, what)
        if bits is not None:
            entry[what] = encode(bits, blobs)
    if node.fixed:
        entry["fixed"] = True
    if source is not None:
        entry["source"] = encode(source)
    return entry


def parse_document(data: bytes, source: Path, blobs: Blobs) -> DocumentEntry:
    """Check and read the bytes of `document.json`.

    Parameters
    ----------
    data
        The bytes.
    source
        What messages name.
    blobs
        Gives what is large.

    Raises
    ------
    FileFormatError
        If it is no JSON, a field is missing or wrong, or a newer version wrote it.
    """
    try:
        root = json.loads(data.decode("utf-8"), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"The project's document.json is damaged: {source}") from error
    try:
        return _document(root, blobs)
    except FieldError as error:
        raise FileFormatError(f"The project's {error}: {source}") from error


def _document(root: Any, blobs: Blobs) -> DocumentEntry:
    fields = object_of(root, "document.json")
    version = fields.get("format")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise FieldError("document.json has no format number")
    if version > FORMAT:
        raise FieldError(
            f"format {version} is newer than this Polyorama reads ({FORMAT}); update Polyorama"
        )
    for migrate in MIGRATIONS[version - 1 :]:
        fields = migrate(fields)
    camera = fields.get("camera")
    entries = fields.get("nodes")
    if not isinstance(entries, list):
        raise FieldError("nodes are missing")
    nodes = tuple(_node(entry, i, blobs) for i, entry in enumerate(entries))
    seen: set[str] = set()
    for node in nodes:
        if node.id in seen:
            raise FieldError(f"node id {node.id!r} is there twice")
        if node.parent is not None and node.parent not in seen:
            raise FieldError(f"node {node.name!r} has no parent {node.parent!r} before it")
        seen.add(node.id)
    picked = object_of(fields.get("selection", {}), "selection")
    kept = _list(fields.get("selections", []), "selections")
    timeline = fields.get("timeline")
    return DocumentEntry(
        nodes,
        None if camera is None else parse_camera(camera),
        vector_of(fields.get("background"), "background"),
        direction_of(fields.get("up"), "up"),
        Timeline() if timeline is None else _decoded(timeline, Timeline, "timeline", blobs),
        {i: _decoded(bits, BitSet, "selection", blobs) for i, bits in picked.items()},
        tuple(text_of(i, "chosen node") for i in _list(fields.get("chosen", []), "chosen nodes")),
        tuple(_decoded(entry, NamedSelection, "selections", blobs) for entry in kept),
        text_of(fields.get("view_camera", ""), "view_camera"),
    )


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise FieldError(f"{where} is no list")
    return value


def _decoded(data: Any, kind: type[T], where: str, blobs: Blobs) -> T:
    try:
        value = decode(data, blobs)
    except CodecError as error:
        raise FieldError(f"{where} cannot be read: {error}") from error
    if not isinstance(value, kind):
        raise FieldError(f"{where} is of a wrong kind")
    return value


def _light(data: Any, where: str, blobs: Blobs) -> Light:
    value = _decoded(data, object, where, blobs)
    if not isinstance(value, LIGHT):
        raise FieldError(f"{where} is of a wrong kind")
    return value


def _node(entry: Any, index: int, blobs: Blobs) -> NodeEntry:
    where = f"node {index + 1}"
    fields = object_of(entry, where)
    node_id = text_of(fields.get("id"), f"{where} id")
    if not node_id.isascii() or not node_id.replace("-", "").replace("_", "").isalnum():
        raise FieldError(f"{where} id {node_id[:40]!r} is not made of letters and digits")
    parent = fields.get("parent")
    data = fields.get("data")
    if data is not None and not (
        isinstance(data, str) and data.startswith("data/") and is_member_name(data)
    ):
        raise FieldError(f"{where} data is no member of the project")
    visible, fixed = fields.get("visible"), fields.get("fixed", False)
    if not isinstance(visible, bool) or not isinstance(fixed, bool):
        raise FieldError(f"{where} visible or fixed is neither true nor false")
    transform = np.array(numbers_of(fields.get("transform"), (4, 4), f"{where} transform"))
    if not np.array_equal(transform[3], [0.0, 0.0, 0.0, 1.0]):
        raise FieldError(f"{where} transform is not affine")
    model = fields.get("model")
    if model is not None and model not in get_args(SplatModel):
        raise FieldError(f"{where} model is unknown")
    up = fields.get("up")
    comments = _list(fields.get("comments", []), f"{where} comments")
    content, source = fields.get("content"), fields.get("source")
    if content is not None and data is not None:
        raise FieldError(f"{where} has two contents")
    stack = _list(fields.get("modifiers", []), f"{where} modifiers")
    sets = {
        what: None
        if fields.get(what) is None
        else _decoded(fields[what], BitSet, f"{where} {what}", blobs)
        for what in ("deleted", "hidden", "locked")
    }
    return NodeEntry(
        id=node_id,
        name=text_of(fields.get("name"), f"{where} name"),
        parent=None if parent is None else text_of(parent, f"{where} parent"),
        transform=transform,
        visible=visible,
        data=data,
        model=cast("SplatModel | None", model),
        up=None if up is None else direction_of(up, f"{where} up"),
        comments=tuple(text_of(line, f"{where} comments") for line in comments),
        content=None if content is None else _light(content, f"{where} content", blobs),
        modifiers=tuple(_decoded(m, Modifier, f"{where} modifiers", blobs) for m in stack),
        **sets,
        fixed=fixed,
        source=None if source is None else _decoded(source, Source, f"{where} source", blobs),
    )
