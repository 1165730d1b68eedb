"""The keyed view as a view of the stage, and back; where an orbiting camera stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.framing import horizon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.document import Document
    from polyorama_studio.orbit import OrbitView

__all__ = ["orbit_values", "view_at", "view_values"]


def view_at(document: Document, seconds: float, present: OrbitView) -> OrbitView | None:
    """The view that is keyed at a time, s, or None where none is.

    Parameters
    ----------
    document
        With keys on ``view/eye``, ``view/target`` or ``view/fov``.
    seconds
        s.
    present
        Gives what is not keyed.
    """
    tracks = document.timeline.tracks
    keyed = {
        name: tracks[path].at(seconds)
        for name in ("eye", "target", "fov")
        if (path := f"view/{name}") in tracks
    }
    if not keyed:
        return None
    eye = np.array(keyed.get("eye", tuple(present.eye)), np.float64)
    target = np.array(keyed.get("target", present.target), np.float64)
    away = eye - target
    distance = float(np.linalg.norm(away))
    if not distance > 0.0:
        return None
    view = replace(present, up=document.up).looking_along(-away)
    fov = float(keyed["fov"][0]) if "fov" in keyed else present.fov
    return replace(
        view,
        target=(float(target[0]), float(target[1]), float(target[2])),
        distance=distance,
        fov=min(max(fov, 1.0), 170.0),
        orthographic=False,
    )


def view_values(view: OrbitView) -> dict[str, object]:
    """What keys of the view hold to show this one, by the paths of the properties."""
    eye = view.eye
    return {
        "view/eye": (float(eye[0]), float(eye[1]), float(eye[2])),
        "view/target": view.target,
        "view/fov": view.fov,
    }


def orbit_values(
    up: tuple[float, ...],
    eye: NDArray[np.float64],
    target: NDArray[np.float64],
    azimuth: float = 0.0,
) -> dict[str, object]:
    """Fields of an orbit rig, by name, with which it stands at `eye` and looks at `target`.

    Parameters
    ----------
    up
        The scene's up direction.
    eye, target
        (3,) points in the rig's own space.
    azimuth
        Degrees; of all full turns the nearest to it is taken, so that keys go the short way.
    """
    offset = np.asarray(eye, np.float64) - target
    distance = float(np.linalg.norm(offset))
    upward = np.asarray(up, np.float64) / np.linalg.norm(up)
    front, side = horizon(upward)
    out = offset / max(distance, 1e-12)
    elevation = float(np.degrees(np.arcsin(np.clip(out @ upward, -1.0, 1.0))))
    turned = float(np.degrees(np.arctan2(out @ side, out @ front)))
    turned += 360.0 * round((azimuth - turned) / 360.0)
    return {
        "target": tuple(float(v) for v in target),
        "azimuth": turned,
        "elevation": min(max(elevation, -89.9), 89.9),
        "distance": max(distance, 1e-9),
    }
