"""Bringing into the picture what is selected or chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.document import Document
    from polyorama_studio.orbit import OrbitView

__all__ = ["focused", "points_of"]

_ROOM = 1.25
"""How much wider than the thing the picture is."""
_UNIT_CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def points_of(document: Document) -> NDArray[np.float64]:
    """(n, 3) world points of the selected splats, else of the chosen nodes; takes a moment."""
    from polyorama.scene.contents import CameraRig, CropVolume
    from polyorama.scene.rigs import rig_eye
    from polyorama.scene.stack import stacked
    from polyorama.scene.subject import subject_points

    found = [np.zeros((0, 3))]
    if document.selection:
        for node_id, bits in document.selection.items():
            local = stacked(document, document.node(node_id)).means()
            found.append(_placed(document, node_id, local[bits.mask()]))
    else:
        for chosen in document.chosen:
            for node in document.below(chosen):
                if node.splats is not None:
                    found.append(_placed(document, node.id, subject_points(node.splats)[0]))
                elif node.mesh is not None:
                    found.append(_placed(document, node.id, node.mesh.vertices))
                elif isinstance(node.content, CameraRig):
                    found.append(rig_eye(document, node.id)[None])
                elif isinstance(node.content, CropVolume):
                    found.append(_placed(document, node.id, _UNIT_CUBE))
                elif node.content is not None:
                    found.append(document.world(node.id)[None, :3, 3])
    every = np.concatenate(found)
    return every[np.isfinite(every).all(axis=1)]


def _placed(document: Document, node_id: str, local: NDArray[np.floating]) -> NDArray[np.float64]:
    world = document.world(node_id)
    return np.asarray(local.astype(np.float64) @ world[:3, :3].T + world[:3, 3])


def focused(document: Document, view: OrbitView, size: tuple[int, int]) -> OrbitView | None:
    """The view from the same direction with those points in the picture; None without any."""
    points = points_of(document)
    if len(points) == 0:
        return None
    low, high = np.quantile(points, [0.005, 0.995], axis=0)
    center = (low + high) / 2.0
    radius = float(np.linalg.norm(high - low)) / 2.0
    seen = (float(center[0]), float(center[1]), float(center[2]))
    if radius < 1e-4 * view.distance:
        return replace(view, target=seen)  # a point has no size to be framed
    half = np.radians(view.fov) / 2.0
    narrow = min(1.0, size[0] / max(1, size[1]))
    distance = _ROOM * radius / float(np.sin(np.arctan(np.tan(half) * narrow)))
    return replace(view, target=seen, distance=distance)
