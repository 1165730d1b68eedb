"""Two eyes: stereo pairs of pictures, and stereo 360.

A pair is two parallel cameras whose pictures are shifted (not turned) so that what lies at the
convergence distance stands still between them and appears on the screen.

Stereo 360 is omni-directional stereo. In each direction of the horizon the two eyes stand to its
left and right, on a circle around the head; so each column of the panorama has an eye of its own.
It is drawn in narrow slices that fade into each other, each from the eye of its middle. Within a
slice and across its edge the eye only moves along the view, which shifts what is seen by less than
a pixel. Above 60 degrees of latitude, where left and right lose their meaning, the circle shrinks
in steps to a point at 80 degrees, and the pole is seen by both eyes alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyorama.errors import UsageError
from polyorama.render.frame import Frame
from polyorama.render.panorama import Face, Region, face_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.accumulate import Shot
__all__ = ["LAYOUTS", "Stereo", "eye_shot", "packed", "slice_faces"]

LAYOUTS = ("side-by-side", "top-bottom")
"""The left eye comes first: at the left, or on top."""

_SLICE_FADE, _BAND_FADE, _RAMP_FADE = math.radians(2.0), math.radians(6.0), math.radians(2.5)
"""Half the fade between slices, between bands that share the eye, and between those that do not."""
_SLICES = 72
_RAMP_SLICES = 36
_BANDS = 6
_RAMP = (math.radians(60.0), math.radians(80.0), 4)
"""Where the circle begins to shrink and has vanished, and in how many steps."""


@dataclass(frozen=True, slots=True)
class Stereo:
    """Two eyes in one picture.

    Parameters
    ----------
    layout
        "side-by-side" or "top-bottom"; each eye has the camera's full size.
    interaxial
        Distance between the eyes, world units.
    convergence
        Depth at which the two pictures agree, world units; None is infinity (parallel eyes).

    Raises
    ------
    UsageError
        If the layout is unknown or a distance is not positive and finite.
    """

    layout: Literal["side-by-side", "top-bottom"]
    interaxial: float
    convergence: float | None = None

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise UsageError(f"There is no stereo {self.layout!r}; choose {', '.join(LAYOUTS)}.")
        if not 0.0 < self.interaxial < math.inf:
            raise UsageError(f"Eyes cannot be {self.interaxial:g} apart.")
        if self.convergence is not None and not 0.0 < self.convergence < math.inf:
            raise UsageError(f"Eyes cannot converge at a distance of {self.convergence:g}.")


def eye_shot(shot: Shot, stereo: Stereo, side: int) -> Shot:
    """The shot as the left (-1) or right (+1) eye sees it.

    Raises
    ------
    UsageError
        If the camera is orthographic.
    """
    return replace(
        shot,
        camera=_eye(shot.camera, stereo, side),
        before=None if shot.before is None else _eye(shot.before, stereo, side),
        after=None if shot.after is None else _eye(shot.after, stereo, side),
    )


def _eye(camera: Camera, stereo: Stereo, side: int) -> Camera:
    if camera.kind != "pinhole":
        raise UsageError("A parallel view looks the same to both eyes; leave out --ortho.")
    offset = side * stereo.interaxial / 2.0
    viewmat = camera.viewmat.copy()
    viewmat[0, 3] -= offset
    shift = 0.0 if stereo.convergence is None else camera.fx * offset / stereo.convergence
    return replace(camera, viewmat=viewmat, cx=camera.cx + shift)


def packed(eyes: Sequence[Frame], stereo: Stereo) -> Frame:
    """Both eyes' frames as one."""
    axis = 1 if stereo.layout == "side-by-side" else 0
    names = (
        "rgba8",
        "color",
        "alpha",
        "expected_depth",
        "median_depth",
        "ids",
        "linear",
        "normals",
    )
    left, right = eyes
    planes: dict[str, NDArray[np.generic]] = {}
    for name in names:
        pair = (getattr(left, name), getattr(right, name))
        if pair[0] is not None:
            planes[name] = np.concatenate(pair, axis=axis)
    return Frame(**planes, backend=left.backend)  # type: ignore[arg-type]


def slice_faces(stereo: Stereo, side: int) -> list[Face]:
    """The faces of stereo 360 for the left (-1) or right (+1) eye."""
    begin, end, steps = _RAMP
    wide = begin / _BANDS
    bands = [(wide * (2 * i + 1) - begin, wide, 1.0, _SLICES) for i in range(_BANDS)]
    half = (end - begin) / steps / 2.0
    for step in range(steps):
        share = 1.0 - (step + 0.5) / steps
        latitude = begin + (2 * step + 1) * half
        bands += [(s * latitude, half, share, _RAMP_SLICES) for s in (1, -1)]
    faces = []
    for latitude, half, share, count in bands:
        beside = side * share * stereo.interaxial / 2.0
        fade = _BAND_FADE if share == 1.0 else _RAMP_FADE
        for i in range(count):
            turn = 2.0 * math.pi * i / count - math.pi
            region = Region(turn, latitude, math.pi / count, half, _SLICE_FADE, fade)
            faces.append(face_of(region, beside))
    pole = math.pi / 2.0
    faces += [
        face_of(Region(0.0, cap, 2.0 * math.pi, pole - end, _SLICE_FADE, _RAMP_FADE))
        for cap in (pole, -pole)
    ]
    return faces
