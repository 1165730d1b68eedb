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

__all__ = ["NO_MARKS", "Floor", "Marks", "grid_spacing"]

Color = tuple[float, float, float]

_LINE_PIXELS = 110.0
"""Large squares are about so wide where the view's target is."""


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """A grid on a plane.

    Parameters
    ----------
    frame
        (3, 3) float64: two unit axes in the plane and its unit normal, as rows.
    offset
        (3,) float64: where the axes cross, and the plane's height, along those rows, world units.
    center
        (2,) float64: middle of what stands on it, along the axes.
    radius
        How far from there lines reach before they have faded, world units.
    spacing
        Width of the small squares, world units.
    line, first, second
        Colours of the lines, and of those along the axes, display RGB 0..1.
    strength
        Opacity of the large squares' lines.
    """

    frame: NDArray[np.float64]
    offset: NDArray[np.float64]
    center: NDArray[np.float64]
    radius: float
    spacing: float
    line: Color
    first: Color
    second: Color
    strength: float = 0.34


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


def grid_spacing(unit: float) -> float:
    """A power of ten for the small squares, given the world units a pixel at the view's target."""
    return float(10.0 ** np.floor(np.log10(max(unit * _LINE_PIXELS, 1e-30)) - 0.5))
