"""The splats between two modifiers, and where a modifier stands: what every family works on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["DELETED", "HIDDEN", "LOCKED", "SELECTED", "Place", "Step"]

SELECTED, HIDDEN, DELETED, LOCKED = 1, 2, 4, 8
"""Bits of a splat's state."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Splats as they are after some modifiers.

    Parameters
    ----------
    cloud
        Their arrays, before the palette moves them.
    palette
        (P, 3, 4) float64 affine maps, the first of them the identity; None where nothing moved.
    palette_index
        (N,) uint16, which of them moves a splat; None with no palette.
    gone
        (N,) uint8, `DELETED` for splats that were removed, else 0; None where none was.
    rows
        (N,) int64, the splat of the node's own cloud that each comes from; None where they are the
        same ones in the same order.
    """

    cloud: SplatCloud
    palette: NDArray[np.float64] | None = None
    palette_index: NDArray[np.uint16] | None = None
    gone: NDArray[np.uint8] | None = None
    rows: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """What a modifier knows besides the splats.

    Parameters
    ----------
    time
        Seconds on the timeline.
    shape
        Form of the volume node that a crop takes its place from, else "".
    volume
        (4, 4) float64, that volume to the splat node's own space.
    """

    time: float = 0.0
    shape: str = ""
    volume: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
