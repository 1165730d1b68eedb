"""The shade of lids on eyeballs: it stays where the lids are while the eyes turn under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.faces.channels import CHANNEL_INDEX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.render.surfels import Surfels
    from polyorama.scene.faces.morphs import MorphRig, Rotor

__all__ = ["EyeShade", "eye_shades"]

_CELLS = 48
"""Cells of a map of the front of an eyeball, each way."""
_EYES = ("leftEye", "rightEye")


@dataclass(frozen=True, slots=True, eq=False)
class EyeShade:
    """What an eyeball's surfels see of the sky, by where they are turned to.

    Parameters
    ----------
    rows
        (n,) its surfels.
    toward
        (n, 3) float64 unit vectors from its centre at rest.
    map
        (48, 48) float32 openness over the front half, by height and by side.
    rotor
        How it turns.
    """

    rows: NDArray[np.int64]
    toward: NDArray[np.float64]
    map: NDArray[np.float32]
    rotor: Rotor

    def seen(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n,) openness under (55,) weights as `CHANNELS`."""
        vector = np.zeros(3)
        for channel, turn in self.rotor.channels.items():
            if channel in CHANNEL_INDEX:
                vector += float(weights[CHANNEL_INDEX[channel]]) * np.asarray(turn)
        angle = float(np.linalg.norm(vector))
        turned = self.toward
        if angle > 0.0:  # Rodrigues
            axis = vector / angle
            turned = (
                turned * np.cos(angle)
                + np.cross(axis, turned) * np.sin(angle)
                + axis * (turned @ axis)[:, None] * (1.0 - np.cos(angle))
            )
        found: NDArray[np.float32] = self.map[cells(turned)]
        return found


def eye_shades(
    rig: MorphRig, surfels: Surfels, openness: NDArray[np.float32]
) -> Iterator[EyeShade]:
    """The eyeballs of a rig whose parts turn, with what their surfels see at rest."""
    corners = rig.mesh.triangles[surfels.triangle_ids]
    for rotor in rig.rotors:
        if rotor.name not in _EYES:
            continue
        inside = np.zeros(len(rig.mesh.vertices), bool)
        inside[rotor.indices] = True
        rows = np.flatnonzero(inside[corners].all(axis=1))
        if not len(rows):
            continue
        away = surfels.cloud.means[rows].astype(np.float64) - rotor.pivot
        toward = away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-12)
        front = toward[:, 2] > 0.0
        if not front.any():
            continue
        yield EyeShade(rows, toward, _map(toward[front], openness[rows][front]), rotor)


def cells(toward: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of unit vectors in a map; what is turned away is at its edge."""
    places = np.clip((toward[:, 1::-1] + 1.0) * (_CELLS / 2.0), 0, _CELLS - 1).astype(np.int64)
    return places[:, 0], places[:, 1]


def _map(toward: NDArray[np.float64], openness: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each cell as the three surfels that are nearest to its middle."""
    middles = (np.arange(_CELLS) + 0.5) * (2.0 / _CELLS) - 1.0
    made = np.empty((_CELLS, _CELLS), np.float32)
    count = min(3, len(toward))
    for row, height in enumerate(middles):
        away = (toward[None, :, 0] - middles[:, None]) ** 2 + (toward[None, :, 1] - height) ** 2
        nearest = np.argpartition(away, count - 1, axis=1)[:, :count]
        made[row] = openness[nearest].mean(axis=1)
    return made
