"""`document.json` of a project: written plainly, read field by field."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.json_fields import (
    FieldError,
    Vector,
    camera_entry,
    direction_of,
    numbers_of,
    object_of,
    parse_camera,
    text_of,
    vector_of,
)
from polyorama.io.project_members import is_member_name
from polyorama.scene.splats import SplatCloud, SplatModel

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.document import Document

__all__ = ["FORMAT", "DocumentEntry", "NodeEntry", "document_entries", "parse_document"]

FORMAT = 1
"""The format that is written. Older ones, once there are any, are brought up to it step by step."""


@dataclass(frozen=True, slots=True)
class NodeEntry:
    """One node as the file tells it; `data` names the member with its splats."""

    id: str
    name: str
    parent: str | None
    transform: NDArray[np.float64]
    visible: bool
    data: str | None
    model: SplatModel | None
    up: Vector | None
    comments: tuple[str, ...]

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


def document_entries(document: Document, members: Mapping[str, str]) -> dict[str, Any]:
    """What `document.json` says about a document; `members` maps node ids to data members."""
    nodes = []
    for node in document.nodes:
        entry: dict[str, Any] = {
            "id": node.id,
            "name": node.name,
            "parent": node.parent,
            "transform": node.transform.tolist(),
            "visible": node.visible,
            "data": members.get(node.id),
        }
        if node.splats is not None:
            entry["model"] = node.splats.model
            entry["up"] = None if node.splats.up is None else list(node.splats.up)
            entry["comments"] = list(node.splats.comments)
        nodes.append(entry)
    return {
        "up": list(document.up),
        "background": list(document.background),
        "camera": None if document.camera is None else camera_entry(document.camera),
        "nodes": nodes,
    }


def parse_document(data: bytes, source: Path) -> DocumentEntry:
    """Check and read the bytes of `document.json`; `source` is what messages name.

    Raises
    ------
    FileFormatError
        If it is no JSON, a field is missing or wrong, or a newer version wrote it.
    """
    try:
        root = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"The project's document.json is damaged: {source}") from error
    try:
        return _document(root)
    except FieldError as error:
        raise FileFormatError(f"The project's {error}: {source}") from error


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def _document(root: Any) -> DocumentEntry:
    fields = object_of(root, "document.json")
    version = fields.get("format")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise FieldError("document.json has no format number")
    if version > FORMAT:
        raise FieldError(
            f"format {version} is newer than this Polyorama reads ({FORMAT}); update Polyorama"
        )
    camera = fields.get("camera")
    entries = fields.get("nodes")
    if not isinstance(entries, list):
        raise FieldError("nodes are missing")
    nodes = tuple(_node(entry, i) for i, entry in enumerate(entries))
    seen: set[str] = set()
    for node in nodes:
        if node.id in seen:
            raise FieldError(f"node id {node.id!r} is there twice")
        if node.parent is not None and node.parent not in seen:
            raise FieldError(f"node {node.name!r} has no parent {node.parent!r} before it")
        seen.add(node.id)
    return DocumentEntry(
        nodes,
        None if camera is None else parse_camera(camera),
        vector_of(fields.get("background"), "background"),
        direction_of(fields.get("up"), "up"),
    )


def _node(entry: Any, index: int) -> NodeEntry:
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
    visible = fields.get("visible")
    if not isinstance(visible, bool):
        raise FieldError(f"{where} visible is neither true nor false")
    transform = np.array(numbers_of(fields.get("transform"), (4, 4), f"{where} transform"))
    if not np.array_equal(transform[3], [0.0, 0.0, 0.0, 1.0]):
        raise FieldError(f"{where} transform is not affine")
    model = fields.get("model")
    if model is not None and model not in get_args(SplatModel):
        raise FieldError(f"{where} model is unknown")
    up = fields.get("up")
    comments = fields.get("comments", [])
    if not isinstance(comments, list):
        raise FieldError(f"{where} comments are no list")
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
    )
