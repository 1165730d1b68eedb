"""Checked reading of JSON that we wrote, field by field; and the one form of a camera in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from polyorama.core.types import Camera
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "FieldError",
    "Vector",
    "camera_entry",
    "direction_of",
    "json_trouble",
    "numbers_of",
    "object_of",
    "parse_camera",
    "text_of",
    "vector_of",
]

Vector = tuple[float, float, float]


class FieldError(Exception):
    """A field is wrong; the text says where and how."""


def camera_entry(camera: Camera) -> dict[str, Any]:
    """A camera as plain data, from which `parse_camera` makes an equal one."""
    return {
        "kind": camera.kind,
        "viewmat": camera.viewmat.tolist(),
        "focal": [float(camera.fx), float(camera.fy)],
        "center": [float(camera.cx), float(camera.cy)],
        "size": [int(camera.width), int(camera.height)],
        "range": [float(camera.near), float(camera.far)],
    }


def parse_camera(entry: Any) -> Camera:
    """The camera of a `camera_entry`.

    Raises
    ------
    FieldError
        If a field is missing or wrong.
    """
    fields = object_of(entry, "camera")
    kind = fields.get("kind")
    if kind not in ("pinhole", "orthographic"):
        raise FieldError("camera kind is unknown")
    size = numbers_of(fields.get("size"), (2,), "camera size")
    if not all(isinstance(side, int) for side in size):
        raise FieldError("camera size is not whole pixels")
    fx, fy = numbers_of(fields.get("focal"), (2,), "camera focal")
    cx, cy = numbers_of(fields.get("center"), (2,), "camera center")
    near, far = numbers_of(fields.get("range"), (2,), "camera range")
    viewmat = np.array(numbers_of(fields.get("viewmat"), (4, 4), "camera viewmat"), np.float64)
    try:
        return Camera(
            viewmat, fx, fy, cx, cy, size[0], size[1],
            kind=cast("Literal['pinhole', 'orthographic']", kind), near=near, far=far,
        )  # fmt: skip
    except UsageError as error:
        raise FieldError(f"camera is unusable ({error})") from error


def json_trouble(error: ValueError | RecursionError) -> str:
    """Why a text is no JSON that can be read, for a sentence's brackets."""
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "its text is not UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "it holds a number of too many digits"


def no_constant(text: str) -> float:
    """Refuse NaN and infinities, which the module `json` reads: its ``parse_constant``.

    Raises
    ------
    ValueError
        Always.
    """
    raise ValueError(f"{text} is no JSON")


def object_of(value: Any, where: str) -> dict[str, Any]:
    """The value, once it is sure that it is an object; `where` is what a `FieldError` names."""
    if not isinstance(value, dict):
        raise FieldError(f"{where} is no object")
    return value


def text_of(value: Any, where: str) -> str:
    """The value, once it is sure that it is a text of at most 4,096 letters."""
    if not isinstance(value, str) or len(value) > 4096:
        raise FieldError(f"{where} is no text")
    return value


def vector_of(value: Any, where: str) -> Vector:
    """Three finite numbers."""
    x, y, z = numbers_of(value, (3,), where)
    return (float(x), float(y), float(z))


def direction_of(value: Any, where: str) -> Vector:
    """Three finite numbers that are not all zero."""
    vector = vector_of(value, where)
    if not any(vector):
        raise FieldError(f"{where} is no direction, since all its numbers are 0")
    return vector


def numbers_of(value: Any, shape: Sequence[int], where: str) -> list[Any]:
    """A list, nested as `shape` says, of finite numbers."""
    if not isinstance(value, list) or len(value) != shape[0]:
        raise FieldError(f"{where} is not {'x'.join(map(str, shape))} numbers")
    if len(shape) > 1:
        return [numbers_of(row, shape[1:], where) for row in value]
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise FieldError(f"{where} holds something that is no number")
        if not abs(number) <= 1e30:
            raise FieldError(f"{where} holds a number out of range")
    return value
