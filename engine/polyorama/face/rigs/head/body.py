"""The assembled head: all vertices, and for each what the shapes ask about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.head.plan import Plan, bump, smoothstep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.rigs.head.sculpt import Sculpt

__all__ = ["FLIP", "Body"]

FLIP = np.array([-1.0, 1.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """What a shape may ask of every vertex.

    Parameters
    ----------
    plan, sculpt
        Measures and surface.
    points
        (V, 3) at rest.
    felt
        (V,) 1 for what follows the skin: skin, lips, brows.
    depth
        (V,) for the mouth's rows: 0 at the lips' border, 1 at the seal, up to 2 at the lips' backs
        and 3 at the end of the pouch; 0 elsewhere.
    from_lips
        (V,) metres to the lips' border; 0 in the mouth.
    along
        (V,) place along the mouth, -1 at the face's left corner, 1 at the right; beyond outside.
    seal
        (V, 3) the place of the seal that is next to each vertex.
    out
        (V, 3) unit direction out of the face there.
    upper
        (V,) 1 above the mouth, 0 below, between at its corners.
    """

    plan: Plan
    sculpt: Sculpt
    points: NDArray[np.float64]
    felt: NDArray[np.float64]
    depth: NDArray[np.float64]
    from_lips: NDArray[np.float64]
    along: NDArray[np.float64]
    seal: NDArray[np.float64]
    out: NDArray[np.float64]
    upper: NDArray[np.float64]

    def mirrored(self) -> Body:
        """The head seen in a mirror: what is made for its left becomes that of the right."""
        return replace(
            self, points=self.points * FLIP, along=-self.along, seal=self.seal * FLIP,
            out=self.out * FLIP,
        )  # fmt: skip

    def near_mouth(self, reach: float) -> NDArray[np.float64]:
        """(V,) 1 on the lips, falling to 0 at `reach` metres, and towards the end of the pouch."""
        falling = (1.0 - smoothstep(self.from_lips / reach)) * self.felt
        return np.asarray(falling * (1.0 - smoothstep((self.depth - 1.6) / 1.3)))

    def corner(self) -> NDArray[np.float64]:
        """(V,) 1 at the left corner of the mouth and beyond, 0 from its middle on."""
        return smoothstep((-self.along - 0.12) / 0.88)

    def left(self) -> NDArray[np.float64]:
        """(V,) 1 on the left, 0 on the right; with its mirror image it sums to 1."""
        return smoothstep(0.5 - self.points[:, 0] / 0.036)

    def within(self) -> NDArray[np.float64]:
        """(V,) 1 in the middle of the mouth, 0 at its corners and beyond."""
        return np.asarray(np.clip(1.0 - np.abs(self.along) ** 2.6, 0.0, None) ** 0.8)

    def spot(self, centre: tuple[float, float, float], radii: tuple[float, float, float]
             ) -> NDArray[np.float64]:  # fmt: skip
        """(V,) a soft brush on the felt."""
        return bump(self.points, centre, radii) * self.felt

    def jaw(self) -> NDArray[np.float64]:
        """(V,) share of the felt in the jaw's turn: 1 on chin and lower lip, 0 on the upper one."""
        x, y, z = np.abs(self.points[:, 0]), self.points[:, 1], self.points[:, 2]
        behind = smoothstep((z + 0.034) / 0.062)
        axis = np.hypot(x, z + 0.021)
        throat = 1.0 - (1.0 - smoothstep((axis - 0.040) / 0.034)) * smoothstep((y - 0.070) / 0.026)
        return np.asarray((1.0 - self.upper) * behind * throat * self.felt)

    def slide(self, moved: NDArray[np.float64]) -> NDArray[np.float64]:
        """Offsets bent so that what moves stays as far from the sculpt as it was."""
        found = moved.copy()
        at = np.flatnonzero(np.abs(moved).max(axis=1) > 1e-7)
        start = self.points[at]
        rest = self.sculpt.distance(start)
        ends = start + moved[at]
        for _ in range(2):
            ends = ends - (self.sculpt.distance(ends) - rest)[:, None] * self.sculpt.normal(ends)
        found[at] = ends - start
        return found
