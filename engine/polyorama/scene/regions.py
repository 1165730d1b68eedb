"""Regions that splats are picked by: drawn on the screen, or placed in the world."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from polyorama.core.types import MAX_SIDE, Camera
from polyorama.errors import UsageError

__all__ = ["REGION_KINDS", "SCREEN_KINDS", "Region"]

SCREEN_KINDS = ("rect", "polygon", "brush")
REGION_KINDS = (*SCREEN_KINDS, "sphere", "box")
_MOST_POINTS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Region:
    """Where splats are picked.

    Parameters
    ----------
    kind
        ``"rect"`` between two corners, ``"polygon"`` inside a closed outline (a lasso too; where it
        crosses itself, by the even-odd rule), ``"brush"`` within `radius` of a stroke; these are on
        the screen of `camera`. ``"sphere"`` and ``"box"`` are in the world.
    camera
        Whose pixels the points are, for regions on the screen.
    points
        Pixel positions (x, y), flat: x0, y0, x1, y1, ...
    radius
        Of the brush in pixels, of the sphere in world units.
    center, rotation, size
        Of sphere and box: world units, degrees about x, then y, then z, side lengths.

    Raises
    ------
    UsageError
        If something that the kind needs is missing or no number.
    """

    kind: str
    camera: Camera | None = None
    points: tuple[float, ...] = ()
    radius: float = 0.0
    center: tuple[float, ...] = (0.0, 0.0, 0.0)
    rotation: tuple[float, ...] = (0.0, 0.0, 0.0)
    size: tuple[float, ...] = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        if self.kind not in REGION_KINDS:
            raise UsageError(f"A region is {', '.join(REGION_KINDS)}, not {self.kind!r}.")
        numbers = (*self.points, self.radius, *self.center, *self.rotation, *self.size)
        if not all(math.isfinite(v) for v in numbers):
            raise UsageError("A region is made of finite numbers.")
        if not (len(self.center) == len(self.rotation) == len(self.size) == 3):
            raise UsageError("A region's centre, rotation and size are three numbers each.")
        if self.kind in SCREEN_KINDS:
            self._check_screen()
        elif self.kind == "sphere" and not self.radius > 0.0:
            raise UsageError("A sphere needs a radius above 0.")
        elif self.kind == "box" and not min(self.size) > 0.0:
            raise UsageError("A box needs sides above 0.")

    def _check_screen(self) -> None:
        if self.camera is None:
            raise UsageError("A region on the screen needs the camera whose screen it is.")
        count, odd = divmod(len(self.points), 2)
        least = {"rect": 2, "polygon": 3, "brush": 1}[self.kind]
        if odd or count < least or count > _MOST_POINTS:
            raise UsageError(f"A {self.kind} has at least {least} points of x and y.")
        if max(map(abs, self.points)) > 4 * MAX_SIDE:
            raise UsageError("A region lies far outside the picture.")
        if self.kind == "brush" and not self.radius > 0.0:
            raise UsageError("A brush needs a radius above 0 pixels.")
        if self.kind == "brush" and self.radius > MAX_SIDE:
            raise UsageError(f"A brush's radius is at most {MAX_SIDE} pixels.")

    @classmethod
    def rect(cls, camera: Camera, x0: float, y0: float, x1: float, y1: float) -> Region:
        """The rectangle between two corners in pixels."""
        return cls(kind="rect", camera=camera, points=(x0, y0, x1, y1))

    @property
    def outline(self) -> np.ndarray:
        """(n, 2) float64, the points as rows."""
        return np.asarray(self.points, np.float64).reshape(-1, 2)
