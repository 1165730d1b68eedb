"""What is drawn into the picture itself: the floor's grid behind the splats, selection outlines.

Both need the picture's own pixels (what covers the floor, whose splat a pixel shows), so they are
made on the render thread, by `polyorama_studio.marking`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.document import Document

__all__ = ["NO_MARKS", "Color", "Floor", "Ground", "Marks", "ground_of"]

Color = tuple[float, float, float]
_LARGE_PIXELS = 190.0
"""The larger squares are at most about so wide where the view's target is."""
_EDGE_ON = 0.02
_BOTTOM = 0.004
"""Share of the subject's points that may lie below its floor."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The plane that a scene's subject stands on.

    Parameters
    ----------
    frame
        (3, 3) float64: two unit axes in the plane and its unit normal, which is up, as rows.
    height
        Of the plane along its normal, world units.
    center
        (2,) float64: the subject's middle along the two axes.
    radius
        How far the subject reaches from there, world units.
    names
        Which of the world's axes, 0 to 2, the first two rows of `frame` follow.
    """

    frame: NDArray[np.float64]
    height: float
    center: NDArray[np.float64]
    radius: float
    names: tuple[int, int]


def ground_of(document: Document) -> Ground:
    """Find the floor of a document's subject; takes a moment."""
    from polyorama.core.types import unit_vector
    from polyorama.scene.subject import document_points, weighted_quantile

    up = unit_vector(document.up)
    across = [int(a) for a in np.argsort(np.abs(up), kind="stable")[:2]]
    first = np.eye(3)[min(across)]
    first = first - (first @ up) * up
    first /= np.linalg.norm(first)
    second = np.cross(up, first)
    named = max(across)
    second *= 1.0 if second[named] >= 0.0 else -1.0
    frame = np.stack([first, second, up])
    points, weights = document_points(document)
    if len(points) == 0:
        return Ground(frame, 0.0, np.zeros(2), 1.0, (min(across), named))
    placed = points @ frame.T
    height = float(weighted_quantile(placed[:, 2], weights, [_BOTTOM])[0])
    ends = [weighted_quantile(placed[:, a], weights, [0.02, 0.98]) for a in (0, 1)]
    center = np.array([end.mean() for end in ends])
    reach = max(float(np.ptp(end)) for end in ends) / 2.0
    return Ground(frame, height, center, max(reach, 1e-6), (min(across), named))


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """A grid on the ground.

    Parameters
    ----------
    ground
        Where.
    line, axes
        Colours of the lines, and of those along the world's axes through its origin, RGB 0..1.
    strength
        Opacity of the larger squares' lines.
    """

    ground: Ground
    line: Color
    axes: tuple[Color, Color, Color]
    strength: float

    def seen_from(self, forward: NDArray[np.float64], parallel: bool) -> tuple[Ground, bool]:
        """The grid's plane for a direction of view, and whether it is the ground.

        Without perspective a plane seen from its edge is nothing but a line; then the grid stands
        upright behind the scene.
        """
        ground = self.ground
        first, second, up = ground.frame
        if not parallel or abs(float(forward @ up)) > _EDGE_ON:
            return ground, True
        across = 0 if abs(float(forward @ second)) > abs(float(forward @ first)) else 1
        side = ground.frame[across]
        frame = np.stack([side, up, np.cross(side, up)])
        third = 3 - sum(ground.names)
        center = np.array([ground.center[across], ground.height])
        return Ground(frame, 0.0, center, ground.radius, (ground.names[across], third)), False

    def spacing(self, unit: float) -> float:
        """Side of the smaller squares, a power of ten, for so many world units a pixel."""
        return float(10.0 ** np.floor(np.log10(max(unit * _LARGE_PIXELS, 1e-30)) - 1.0))

    def reach(self, distance: float) -> float:
        """How far from the subject lines go before they have faded, seen from a distance."""
        return max(3.0 * self.ground.radius, 1.6 * distance)


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What to draw into a picture.

    Parameters
    ----------
    floor
        The grid, or None.
    outline
        Display RGB 0..1 of the line round what is selected and seen, or None.
    """

    floor: Floor | None = None
    outline: Color | None = None


NO_MARKS = Marks()
