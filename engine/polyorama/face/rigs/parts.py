"""Parts of a head that turn: eyeballs, jaw and the head itself; connected pieces of a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.packages import sparse_tools
from polyorama.scene.faces.morphs import Rotor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = [
    "TURN", "components", "eye_rotor", "fixed_point", "head_rotor", "rigid_motion",
    "rotation_vector", "sphere_of", "welded",
]  # fmt: skip

TURN = np.array([-1.0, -1.0, 1.0])
"""From y up, own left +x, to our axes: half a turn about the line of sight."""

_YAW, _PITCH = np.radians(32.0), np.radians(26.0)
_LOOK = {
    "eyeLookUp": (_PITCH, 0.0, 0.0),
    "eyeLookDown": (-_PITCH, 0.0, 0.0),
}
_LEAST_TURN = np.radians(4.0)


def components(triangles: NDArray[np.integer], count: int) -> NDArray[np.int32]:
    """(V,) which connected piece each vertex belongs to; vertices of no triangle are pieces too."""
    sparse, graph = sparse_tools("sparse"), sparse_tools("sparse.csgraph")
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]])
    matrix = sparse.coo_matrix((np.ones(len(ends), np.int8), ends.T), (count, count))
    _, labels = graph.connected_components(matrix, directed=False)
    return np.asarray(labels, np.int32)


def welded(vertices: NDArray[np.floating]) -> NDArray[np.int64]:
    """(V,) for each vertex the first that lies where it lies: files split them at seams."""
    low, span = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    cells = np.round((vertices - low) * (2e5 / span)).astype(np.int64)
    _, first, inverse = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[inverse.reshape(-1)], np.int64)


def sphere_of(points: NDArray[np.floating]) -> tuple[NDArray[np.float64], float]:
    """Centre and radius of the sphere nearest to (n, 3) points.

    |p|^2 = 2 p.c + (r^2 - |c|^2) is linear in c and the bracket (Coope 1993).
    """
    points = np.asarray(points, np.float64)
    middle = points.mean(axis=0)
    near = points - middle
    system = np.column_stack([2.0 * near, np.ones(len(near))])
    solution = np.linalg.lstsq(system, (near**2).sum(axis=1), rcond=None)[0]
    radius = np.sqrt(max(solution[3] + solution[:3] @ solution[:3], 0.0))
    return middle + solution[:3], float(radius)


def rigid_motion(
    source: NDArray[np.floating], target: NDArray[np.floating]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation and shift that best take (n, 3) points to others: target ~ R source + t (Kabsch)."""
    a, b = source.mean(axis=0, dtype=np.float64), target.mean(axis=0, dtype=np.float64)
    u, _, vt = np.linalg.svd((source - a).T @ (target - b))
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T))])
    rotation = vt.T @ flip @ u.T
    return rotation, b - rotation @ a


def rotation_vector(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3,) rad, of a rotation by less than half a turn."""
    skew = np.array([
        rotation[2, 1] - rotation[1, 2],
        rotation[0, 2] - rotation[2, 0],
        rotation[1, 0] - rotation[0, 1],
    ])  # fmt: skip
    sine, cosine = 0.5 * np.linalg.norm(skew), 0.5 * (np.trace(rotation) - 1.0)
    if sine < 1e-9:
        return np.zeros(3)
    return np.asarray(skew / (2.0 * sine) * np.arctan2(sine, cosine), np.float64)


def fixed_point(
    rotation: NDArray[np.float64], shift: NDArray[np.float64], near: NDArray[np.floating]
) -> NDArray[np.float64]:
    """The point of a motion's axis that is nearest to a given one: (1 - R) p = t, least squares."""
    system = np.eye(3) - rotation
    step = np.linalg.lstsq(system, shift - system @ near, rcond=1e-6)[0]
    return np.asarray(near + step, np.float64)


def eye_rotor(
    left: bool,
    rest: NDArray[np.floating],
    ids: NDArray[np.integer],
    shapes: dict[str, NDArray[np.float32]],
) -> Rotor:
    """An eyeball as a part that turns, about the centre of the sphere it is.

    Where the rig's own shapes for gaze turn it, the turn is measured and taken out of them; where
    they leave it still, it turns by 32 degrees to the sides, 26 up and down.

    Parameters
    ----------
    rest
        (V, 3) at rest, in our axes.
    ids
        The eyeball's vertices.
    shapes
        (V, 3) offsets by name; those of gaze are changed in place.
    """
    side = "Left" if left else "Right"
    centre, _ = sphere_of(rest[ids])
    out = -_YAW if left else _YAW
    turns = {**_LOOK, "eyeLookOut": (0.0, out, 0.0), "eyeLookIn": (0.0, -out, 0.0)}
    channels: dict[str, tuple[float, float, float]] = {}
    for stem, usual in turns.items():
        name = stem + side
        vector = np.array(usual)
        if name in shapes and np.any(shapes[name][ids]):
            rotation, _ = rigid_motion(rest[ids], rest[ids] + shapes[name][ids])
            own = rotation_vector(rotation)
            vector = own if np.linalg.norm(own) > _LEAST_TURN else vector
            changed = shapes[name].copy()
            changed[ids] = 0.0
            shapes[name] = changed
        channels[name] = (float(vector[0]), float(vector[1]), float(vector[2]))
    amounts = np.ones(len(ids), np.float32)
    name = "leftEye" if left else "rightEye"
    return Rotor(name, ids.astype(np.int32), amounts, centre, channels)


def head_rotor(rest: NDArray[np.floating], chin: float, neck: float) -> Rotor:
    """The head on its neck: all above the chin turns whole, less and less down to the neck's end.

    Parameters
    ----------
    rest
        (V, 3) at rest, in our axes.
    chin, neck
        Heights (y, which grows downwards) from which on less, and nothing, turns.
    """
    heights = rest[:, 1].astype(np.float64)
    share = np.clip((neck - heights) / max(neck - chin, 1e-9), 0.0, 1.0)
    amounts = share * share * (3.0 - 2.0 * share)
    ids = np.flatnonzero(amounts > 0.0).astype(np.int32)
    around = np.abs(heights - chin) < 0.25 * abs(neck - chin) + 1e-9
    column = rest[around] if around.any() else rest
    # The skull sits on the spine, behind the middle of the neck.
    low, high = float(column[:, 2].min()), float(column[:, 2].max())
    pivot = np.array([0.5 * (rest[:, 0].min() + rest[:, 0].max()), chin, low + 0.35 * (high - low)])
    channels: Mapping[str, tuple[float, float, float]] = {
        "headYaw": (0.0, -1.0, 0.0),
        "headPitch": (1.0, 0.0, 0.0),
        "headRoll": (0.0, 0.0, -1.0),
    }
    return Rotor("head", ids, amounts[ids].astype(np.float32), pivot, channels)
