"""The keyed view as a view of the stage, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polyorama.scene.document import Document
    from polyorama_studio.orbit import OrbitView

__all__ = ["view_at", "view_values"]


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
