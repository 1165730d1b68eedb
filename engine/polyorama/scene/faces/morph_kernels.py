"""Shapes added and parts turned, compiled."""

from __future__ import annotations

import numpy as np

from polyorama.core.compile import kernel

__all__ = ["add_shapes", "turn_part"]


@kernel
def add_shapes(starts, indices, deltas, chosen, weights, vertices):
    """Add `weights[k]` times shape `chosen[k]` to (V, 3) vertices."""
    for k in range(len(chosen)):
        weight = weights[k]
        for entry in range(starts[chosen[k]], starts[chosen[k] + 1]):
            vertex = indices[entry]
            for axis in range(3):
                vertices[vertex, axis] += weight * deltas[entry, axis]


@kernel
def turn_part(indices, amounts, pivot, vector, vertices):
    """Turn vertices about a pivot by a rotation vector (rad) times each vertex's amount.

    Rodrigues' formula: v' = v cos a + (k x v) sin a + k (k . v) (1 - cos a).
    """
    angle = np.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
    if angle == 0.0:
        return
    k0, k1, k2 = vector[0] / angle, vector[1] / angle, vector[2] / angle
    for entry in range(len(indices)):
        turn = angle * amounts[entry]
        cosine, sine = np.cos(turn), np.sin(turn)
        i = indices[entry]
        x, y, z = vertices[i, 0] - pivot[0], vertices[i, 1] - pivot[1], vertices[i, 2] - pivot[2]
        along = (k0 * x + k1 * y + k2 * z) * (1.0 - cosine)
        vertices[i, 0] = pivot[0] + x * cosine + (k1 * z - k2 * y) * sine + k0 * along
        vertices[i, 1] = pivot[1] + y * cosine + (k2 * x - k0 * z) * sine + k1 * along
        vertices[i, 2] = pivot[2] + z * cosine + (k0 * y - k1 * x) * sine + k2 * along
