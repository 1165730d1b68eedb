"""Where the rims of the lids are, found from how they close."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.packages import sparse_tools

if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["lid_pairs"]

_PAIRS = 5


def lid_pairs(rig: MorphRig, side: Literal["Left", "Right"]) -> NDArray[np.int32]:
    """(n, 2) vertices of the upper and the lower rim that meet in a blink, from right to left.

    In each of a few columns across the lid, the upper rim is what the blink lowers most; the lower
    rim is the vertex that hardly moves and on which the closed upper rim comes to lie. None where
    there is no such shape.
    """
    name = f"eyeBlink{side}"
    if name not in rig.shapes.names:
        return np.zeros((0, 2), np.int32)
    indices, deltas = rig.shapes.entries(name)
    lowered = deltas[:, 1]
    most = float(lowered.max(initial=0.0))
    if most <= 0.0:
        return np.zeros((0, 2), np.int32)
    rest = rig.mesh.vertices
    shut = rig.posed({name: 1.0}, head=False)
    rim = indices[lowered > 0.5 * most]
    drop = np.zeros(len(rest), np.float32)
    drop[indices] = lowered
    eyes = np.concatenate([np.zeros(0, np.int32), *(
        rig.regions[n] for n in ("leftEye", "rightEye") if n in rig.regions
    )])  # fmt: skip
    still = np.setdiff1d(np.flatnonzero(drop < 0.15 * most), eyes)
    still = still[np.abs(rest[still] - rest[rim].mean(axis=0)).max(axis=1) < 8.0 * most]
    if len(still) == 0:
        return np.zeros((0, 2), np.int32)
    tree = sparse_tools("spatial").cKDTree(shut[still])
    low, high = float(rest[rim, 0].min()), float(rest[rim, 0].max())
    pairs = []
    for x in np.linspace(high, low, _PAIRS + 2)[1:-1]:  # own right is +x
        near = rim[np.abs(rest[rim, 0] - x) <= (high - low) / (2 * _PAIRS)]
        if not len(near):
            continue
        upper = near[np.argmax(drop[near])]
        # The rim is skin over the eyeball's front, not the lining behind it.
        candidates = still[tree.query(shut[upper], k=min(8, len(still)))[1].reshape(-1)]
        lower = candidates[np.argmin(np.linalg.norm(shut[candidates] - shut[upper], axis=1))]
        pairs.append((upper, lower))
    return np.array(pairs, np.int32).reshape(-1, 2)
