"""Channels from vertices: which weights of a rig's shapes come nearest to a face that moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.faces.channels import ARKIT, CHANNELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["weights_of_offsets"]

_RIDGE = 1e-3
"""Pull towards rest, as a share of the mean shape's square: what a face hardly shows stays at 0."""


def weights_of_offsets(
    offsets: NDArray[np.floating], rig: MorphRig, turns: int = 60
) -> NDArray[np.float32]:
    """(T, 55) weights of ARKit's shapes, 0..1, nearest to offsets in the sense of least squares.

    Minimises |A w - d|^2 + r |w|^2 with 0 <= w <= 1 by coordinate descent, all rows at once. The
    head's own rotation is not found: offsets are those of a head held still.

    Parameters
    ----------
    offsets
        (T, V, 3) vertices less the face at rest, in the rig's units and axes.
    rig
        A rig of the same V vertices in the same order, such as one fitted to the set's template.
    turns
        Rounds over all shapes.

    Raises
    ------
    UsageError
        If the rig has another number of vertices.
    """
    count = len(rig.mesh.vertices)
    if offsets.ndim != 3 or offsets.shape[1:] != (count, 3):
        raise UsageError(
            f"The rig {rig.name!r} has {count:,} vertices, these faces {offsets.shape[1]:,}; give "
            "a rig that was fitted to the template of the data set."
        )
    names = [name for name in ARKIT if name in rig.shapes.names]
    shapes = np.stack([rig.shapes.dense(name, count).ravel() for name in names], axis=1)
    gram = (shapes.T @ shapes).astype(np.float64)
    ridge = _RIDGE * float(np.trace(gram)) / len(names)
    gram[np.diag_indices(len(names))] += ridge
    flat = np.asarray(offsets, np.float32).reshape(len(offsets), -1)
    wanted = (flat @ shapes).astype(np.float64)
    weights = np.zeros_like(wanted)
    for _ in range(turns):
        for k in range(len(names)):
            slope = wanted[:, k] - weights @ gram[:, k]
            weights[:, k] = np.clip(weights[:, k] + slope / gram[k, k], 0.0, 1.0)
    motion = np.zeros((len(offsets), len(CHANNELS)), np.float32)
    motion[:, [CHANNELS.index(name) for name in names]] = weights
    return motion
