"""The document's own view as eye, target and field of view, one of which can be changed alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.types import Camera, look_at_matrix
from polyorama.scene.framing import horizon
from polyorama.scene.rotations import rotation_about

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polyorama.scene.document import Document

__all__ = ["upward_of", "view_values", "with_view"]

_DEFAULTS: dict[str, Any] = {"eye": (0.0, 0.0, -3.0), "target": (0.0, 0.0, 0.0), "fov": 45.0}
_SIZE = (1280, 720)


def view_values(document: Document) -> dict[str, Any]:
    """Eye, target and field of view of the saved view; the target lies at the scene's depth."""
    camera = document.camera
    if camera is None:
        return dict(_DEFAULTS)
    eye = camera.position
    box = document.bounds()
    depth = 1.0 if box is None else max(float((box.center - eye) @ camera.forward), 1e-6)
    target = eye + depth * camera.forward
    return {
        "eye": tuple(float(v) for v in eye),
        "target": tuple(float(v) for v in target),
        "fov": camera.fov,
    }


def with_view(document: Document, values: Mapping[str, Any]) -> Document:
    """The document with another eye, target or field of view; what is not named stays.

    Roll, size, principal point, near and far plane are kept, and parallel lines stay parallel: a
    parallel view has no field of view, so giving it one changes nothing.

    An eye on its target goes on looking as before.
    """
    old = document.camera
    if old is None:
        view = _DEFAULTS | dict(values)
        up = upward_of(np.subtract(view["target"], view["eye"]), document.up)
        camera = Camera.look_at(view["eye"], view["target"], up, fov=view["fov"], size=_SIZE)
        return replace(document, camera=camera)
    camera = old
    if "eye" in values or "target" in values:
        view = view_values(document) | dict(values)
        forward = np.subtract(view["target"], view["eye"])
        up = upward_of(forward, document.up)
        length = float(np.linalg.norm(forward))
        if length == 0.0:
            # A keyed eye may pass through its target: it goes on looking as before.
            forward, length = np.asarray(old.forward), 1.0
            view["target"] = tuple(np.add(view["eye"], forward))
            up = upward_of(forward, document.up)
        roll = _roll(old, document.up)
        if roll:
            up = rotation_about(forward / length, roll) @ up
        camera = replace(camera, viewmat=look_at_matrix(view["eye"], view["target"], up))
    if "fov" in values and camera.kind == "pinhole":
        focal = 0.5 * camera.height / np.tan(np.radians(values["fov"]) / 2.0)
        share = float(focal / camera.fy)
        camera = replace(camera, fx=camera.fx * share, fy=camera.fy * share)
    return replace(document, camera=camera)


def upward_of(forward: NDArray[Any], up: tuple[float, float, float]) -> NDArray[np.float64]:
    """(3,) direction for the top of a picture that looks along `forward`.

    It is `up`, or for looking straight up or down the front of things.
    """
    vertical = np.asarray(up, np.float64) / np.linalg.norm(up)
    if np.linalg.norm(np.cross(forward, vertical)) > 1e-6 * np.linalg.norm(forward):
        return vertical
    return horizon(vertical)[0]


def _roll(camera: Camera, up: tuple[float, float, float]) -> float:
    """Radians by which a camera is tilted about its view, 0 where its horizon is level."""
    level = upward_of(camera.forward, up)
    level = level - (level @ camera.forward) * camera.forward
    level = level / np.linalg.norm(level)
    top = -camera.viewmat[1, :3]
    roll = float(np.arctan2(np.cross(level, top) @ camera.forward, level @ top))
    return roll if abs(roll) > 1e-9 else 0.0
