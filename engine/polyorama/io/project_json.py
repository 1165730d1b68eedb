"""`document.json` of a project: written plainly, read field by field."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from polyorama.core.types import Camera
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.project_members import is_member_name
from polyorama.scene.splats import SplatCloud, SplatModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.scene.document import Document

__all__ = ["FORMAT", "DocumentEntry", "NodeEntry", "document_entries", "parse_document"]

FORMAT = 1
"""The format that is written. Older ones, once there are any, are brought up to it step by step."""

Vector = tuple[float, float, float]


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
        if node.content is not None:
            entry["model"] = node.content.model
            entry["up"] = None if node.content.up is None else list(node.content.up)
            entry["comments"] = list(node.content.comments)
        nodes.append(entry)
    return {
        "up": list(document.up),
        "background": list(document.background),
        "camera": None if document.camera is None else _camera_entry(document.camera),
        "nodes": nodes,
    }


def _camera_entry(camera: Camera) -> dict[str, Any]:
    return {
        "kind": camera.kind,
        "viewmat": camera.viewmat.tolist(),
        "focal": [float(camera.fx), float(camera.fy)],
        "center": [float(camera.cx), float(camera.cy)],
        "size": [camera.width, camera.height],
        "range": [float(camera.near), float(camera.far)],
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
    except _FieldError as error:
        raise FileFormatError(f"The project's {error}: {source}") from error


class _FieldError(Exception):
    """A field is wrong; the text says where and how."""


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def _document(root: Any) -> DocumentEntry:
    fields = _object(root, "document.json")
    version = fields.get("format")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise _FieldError("document.json has no format number")
    if version > FORMAT:
        raise _FieldError(
            f"format {version} is newer than this Polyorama reads ({FORMAT}); update Polyorama"
        )
    camera = fields.get("camera")
    entries = fields.get("nodes")
    if not isinstance(entries, list):
        raise _FieldError("nodes are missing")
    nodes = tuple(_node(entry, i) for i, entry in enumerate(entries))
    seen: set[str] = set()
    for node in nodes:
        if node.id in seen:
            raise _FieldError(f"node id {node.id!r} is there twice")
        if node.parent is not None and node.parent not in seen:
            raise _FieldError(f"node {node.name!r} has no parent {node.parent!r} before it")
        seen.add(node.id)
    return DocumentEntry(
        nodes,
        None if camera is None else _camera(camera),
        _vector(fields.get("background"), "background"),
        _direction(fields.get("up"), "up"),
    )


def _node(entry: Any, index: int) -> NodeEntry:
    where = f"node {index + 1}"
    fields = _object(entry, where)
    node_id = _text(fields.get("id"), f"{where} id")
    if not node_id.isascii() or not node_id.replace("-", "").replace("_", "").isalnum():
        raise _FieldError(f"{where} id {node_id[:40]!r} is not made of letters and digits")
    parent = fields.get("parent")
    data = fields.get("data")
    if data is not None and not (
        isinstance(data, str) and data.startswith("data/") and is_member_name(data)
    ):
        raise _FieldError(f"{where} data is no member of the project")
    visible = fields.get("visible")
    if not isinstance(visible, bool):
        raise _FieldError(f"{where} visible is neither true nor false")
    transform = np.array(_numbers(fields.get("transform"), (4, 4), f"{where} transform"))
    if not np.array_equal(transform[3], [0.0, 0.0, 0.0, 1.0]):
        raise _FieldError(f"{where} transform is not affine")
    model = fields.get("model")
    if model is not None and model not in get_args(SplatModel):
        raise _FieldError(f"{where} model is unknown")
    up = fields.get("up")
    comments = fields.get("comments", [])
    if not isinstance(comments, list):
        raise _FieldError(f"{where} comments are no list")
    return NodeEntry(
        id=node_id,
        name=_text(fields.get("name"), f"{where} name"),
        parent=None if parent is None else _text(parent, f"{where} parent"),
        transform=transform,
        visible=visible,
        data=data,
        model=cast("SplatModel | None", model),
        up=None if up is None else _direction(up, f"{where} up"),
        comments=tuple(_text(line, f"{where} comments") for line in comments),
    )


def _camera(entry: Any) -> Camera:
    fields = _object(entry, "camera")
    kind = fields.get("kind")
    if kind not in ("pinhole", "orthographic"):
        raise _FieldError("camera kind is unknown")
    size = _numbers(fields.get("size"), (2,), "camera size")
    if not all(isinstance(side, int) for side in size):
        raise _FieldError("camera size is not whole pixels")
    fx, fy = _numbers(fields.get("focal"), (2,), "camera focal")
    cx, cy = _numbers(fields.get("center"), (2,), "camera center")
    near, far = _numbers(fields.get("range"), (2,), "camera range")
    viewmat = np.array(_numbers(fields.get("viewmat"), (4, 4), "camera viewmat"), np.float64)
    try:
        return Camera(
            viewmat, fx, fy, cx, cy, size[0], size[1],
            kind=cast("Literal['pinhole', 'orthographic']", kind), near=near, far=far,
        )  # fmt: skip
    except UsageError as error:
        raise _FieldError(f"camera is unusable ({error})") from error


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _FieldError(f"{where} is no object")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or len(value) > 4096:
        raise _FieldError(f"{where} is no text")
    return value


def _vector(value: Any, where: str) -> Vector:
    x, y, z = _numbers(value, (3,), where)
    return (float(x), float(y), float(z))


def _direction(value: Any, where: str) -> Vector:
    vector = _vector(value, where)
    if not any(vector):
        raise _FieldError(f"{where} is no direction, since all its numbers are 0")
    return vector


def _numbers(value: Any, shape: Sequence[int], where: str) -> list[Any]:
    """A list, nested as `shape` says, of finite numbers."""
    if not isinstance(value, list) or len(value) != shape[0]:
        raise _FieldError(f"{where} is not {'x'.join(map(str, shape))} numbers")
    if len(shape) > 1:
        return [_numbers(row, shape[1:], where) for row in value]
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise _FieldError(f"{where} holds something that is no number")
        if not abs(number) <= 1e30:
            raise _FieldError(f"{where} holds a number out of range")
    return value
