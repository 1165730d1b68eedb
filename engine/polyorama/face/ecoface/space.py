"""The joint space of sound and motion as a map, on which a path can be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.face.ecoface.config import GROUPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EmotionMap"]

_POWER = 4.0
"""Of distances in Shepard's weights: the nearest prototypes decide."""


@dataclass(frozen=True, slots=True, eq=False)
class EmotionMap:
    """The 15 prototypes of `GROUPS` in the plane, and the ways there and back.

    Neutral is the origin. Their places keep distances of the space as well as a plane can
    (SMACOF, De Leeuw 1977); between them both ways interpolate with Shepard's weights
    sum_i f_i d_i^-4 / sum_i d_i^-4, so that prototypes themselves go there and back exactly.

    Parameters
    ----------
    prototypes
        (15, D) float32 features.
    places
        (15, 2) float32, the farthest at distance 1 of neutral.
    """

    prototypes: NDArray[np.float32]
    places: NDArray[np.float32]

    @classmethod
    def of(cls, prototypes: NDArray[np.float32]) -> EmotionMap:
        """The map of prototypes; the same prototypes have the same map."""
        features = np.asarray(prototypes, np.float64)
        wanted = np.linalg.norm(features[:, None] - features[None], axis=2)
        places = _smacof(wanted, _classical_scaling(wanted))
        places -= places[0]
        # Of all turns and reflections of a map: happy to the right, sad below or at least not up.
        happy = places[GROUPS.index((2, 2))]
        angle = -np.arctan2(happy[1], happy[0])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        places = places @ turn.T
        if places[GROUPS.index((3, 2))][1] > 0.0:
            places[:, 1] *= -1.0
        size = np.linalg.norm(places, axis=1).max()
        return cls(
            np.asarray(prototypes, np.float32), (places / max(size, 1e-12)).astype(np.float32)
        )

    def project(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """(N, 2) places of (N, D) features."""
        return _shepard(features, self.prototypes, self.places)

    def lift(self, path: NDArray[np.floating]) -> NDArray[np.float32]:
        """(N, D) features of (N, 2) places."""
        return _shepard(path, self.places, self.prototypes)


def _shepard(
    points: NDArray[np.floating], places: NDArray[np.float32], values: NDArray[np.float32]
) -> NDArray[np.float32]:
    asked = np.asarray(points, np.float64)
    if asked.ndim != 2 or asked.shape[1] != places.shape[1] or not np.isfinite(asked).all():
        raise UsageError(f"The map takes finite rows of {places.shape[1]} values.")
    square = ((asked[:, None] - places[None].astype(np.float64)) ** 2).sum(2)
    # At a prototype all else vanishes beside it.
    weights = np.maximum(square, 1e-18) ** (-_POWER / 2.0)
    weights /= weights.sum(1, keepdims=True)
    return np.asarray(weights @ values, np.float32)


def _classical_scaling(wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Classical scaling, from which SMACOF begins: first axes of the centred squares."""
    count = len(wanted)
    centre = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * centre @ wanted**2 @ centre)
    axes = vectors[:, [-1, -2]]
    # Eigenvectors have no sign of their own.
    axes = axes * np.sign(axes[np.abs(axes).argmax(0), [0, 1]])
    return np.asarray(axes * np.sqrt(np.maximum(values[[-1, -2]], 1e-12)))


def _smacof(
    wanted: NDArray[np.float64], places: NDArray[np.float64], turns: int = 300
) -> NDArray[np.float64]:
    """Guttman transforms (SMACOF), none of which raises the stress."""
    count = len(places)
    for _ in range(turns):
        distance = np.linalg.norm(places[:, None] - places[None], axis=2)
        ratio = np.divide(wanted, distance, out=np.zeros_like(wanted), where=distance > 1e-12)
        matrix = -ratio
        matrix[np.diag_indices(count)] = ratio.sum(1) - np.diag(ratio)
        places = matrix @ places / count
    return places
