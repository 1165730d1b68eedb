"""Cameras of a document: what a rig sees, and the view that a document is seen through.

A document must be at its time already (`polyorama.scene.properties_of.at_time`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.scene.contents import CameraRig
from polyorama.scene.framing import horizon
from polyorama.scene.rotations import rotation_about
from polyorama.scene.saved_view import upward_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.document import Document, Node

__all__ = ["active_rig", "rig_camera", "rig_eye", "rig_of_camera", "rig_target", "view_camera"]


def active_rig(document: Document) -> Node | None:
    """The camera node that a document is seen through, or None."""
    return document.node(document.view_camera) if document.view_camera else None


def view_camera(document: Document, size: tuple[int, int]) -> Camera | None:
    """The camera that a document is seen through, in a size of (width, height) pixels.

    That of its `view_camera` node, else its saved view; None where it has neither.
    """
    node = active_rig(document)
    if node is not None:
        return rig_camera(document, node.id, size)
    saved = document.camera
    if saved is None or (saved.width, saved.height) == tuple(size):
        return saved
    return saved.resized(*size)


def rig_camera(document: Document, node: str, size: tuple[int, int]) -> Camera:
    """What a camera node sees.

    Parameters
    ----------
    document
        At its time.
    node
        Name or id of a node that holds a `CameraRig`.
    size
        (width, height) in pixels.

    Raises
    ------
    UsageError
        If the node holds no camera, follows a node that is not there, or stands where it looks.
    """
    holder = document.node(node)
    rig = holder.content
    if not isinstance(rig, CameraRig):
        raise UsageError(f"Node {holder.name!r} is no camera.")
    eye, target = _eye_and_target(document, holder, rig)
    forward = target - eye
    if not np.any(np.abs(forward) > 0.0):
        raise UsageError(f"The camera {holder.name!r} stands where it looks; move one of the two.")
    up = upward_of(forward, document.up)
    if rig.roll:
        up = rotation_about(forward / np.linalg.norm(forward), np.radians(rig.roll)) @ up
    fov = _fov(rig)
    return Camera.look_at(eye, target, up, fov=fov, size=size, near=rig.near)


def rig_target(document: Document, node: str) -> NDArray[np.float64]:
    """(3,) float64 world point that a camera node looks at.

    Raises
    ------
    UsageError
        As `rig_camera`.
    """
    holder = document.node(node)
    if not isinstance(holder.content, CameraRig):
        raise UsageError(f"Node {holder.name!r} is no camera.")
    return _eye_and_target(document, holder, holder.content)[1]


def rig_eye(document: Document, node: str) -> NDArray[np.float64]:
    """(3,) float64 world point where a camera node stands.

    Raises
    ------
    UsageError
        As `rig_camera`.
    """
    holder = document.node(node)
    if not isinstance(holder.content, CameraRig):
        raise UsageError(f"Node {holder.name!r} is no camera.")
    return _eye_and_target(document, holder, holder.content)[0]


def _eye_and_target(
    document: Document, node: Node, rig: CameraRig
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where a rig stands and looks, world units."""
    if rig.kind == "follow":
        if not rig.follows:
            raise UsageError(f"The camera {node.name!r} follows nothing; choose a node for it.")
        anchor = document.world(document.node(rig.follows).id)[:3, 3]
        return anchor + np.asarray(rig.eye), anchor + np.asarray(rig.target)
    world = document.world(node.id)
    target = _moved(world, rig.target)
    if rig.kind == "orbit":
        # The circle lies level in the rig's own space: its node may tilt it.
        upward = _unit(document.up)
        front, side = horizon(upward)
        azimuth, elevation = np.radians(rig.azimuth), np.radians(rig.elevation)
        level = np.cos(azimuth) * front + np.sin(azimuth) * side
        outward = np.cos(elevation) * level + np.sin(elevation) * upward
        return _moved(world, np.asarray(rig.target) + rig.distance * outward), target
    eye = _moved(world, rig.eye)
    if rig.kind == "dolly":
        eye = eye + rig.travel * (target - eye)
    return eye, target


def _fov(rig: CameraRig) -> float:
    """Vertical field of view in degrees; a dolly that holds its target's size opens it."""
    if rig.kind != "dolly" or not rig.hold_size:
        return rig.fov
    half = np.tan(np.radians(rig.fov) / 2.0) / (1.0 - rig.travel)
    return float(min(np.degrees(2.0 * np.arctan(half)), 170.0))


def _unit(direction: tuple[float, float, float]) -> NDArray[np.float64]:
    vector = np.asarray(direction, np.float64)
    return vector / np.linalg.norm(vector)


def _moved(world: NDArray[np.float64], point: object) -> NDArray[np.float64]:
    return np.asarray(world[:3, :3] @ np.asarray(point, np.float64) + world[:3, 3])


def rig_of_camera(camera: Camera, target: NDArray[np.float64], near: float = 0.01) -> CameraRig:
    """A free rig at the root that sees what a level pinhole camera sees.

    Parameters
    ----------
    camera
        A pinhole camera.
    target
        (3,) point near its axis, world units: how far it looks.
    near
        The rig's near plane, world units.
    """
    eye = camera.position
    depth = max(float((np.asarray(target) - eye) @ camera.forward), 1e-6)
    there = eye + depth * camera.forward
    return CameraRig(
        kind="free",
        eye=tuple(float(v) for v in eye),
        target=tuple(float(v) for v in there),
        fov=camera.fov,
        near=near,
        focus=depth,
    )
