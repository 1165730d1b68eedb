"""Flips of coordinate axes: positions, quaternions and spherical harmonics change sign together.

In memory, splats have the axes of 3DGS PLY files: x right, y down, z forward (RDF). Other formats
name other directions, but each is an RDF with some axes reversed, so nothing is rounded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.rotations import turn_between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = [
    "LUF",
    "RUB",
    "UP",
    "Flip",
    "flip_axes",
    "position_signs",
    "quaternion_signs",
    "sh_signs",
    "upright",
]

Flip = tuple[bool, bool, bool]
"""Which of x, y, z point the other way than in memory."""

RUB: Flip = (False, True, True)
"""OpenGL's axes, used by .spz: x right, y up, z backward."""

LUF: Flip = (True, True, False)
"""glTF's axes: x left, y up, z forward."""

UP = (0.0, -1.0, 0.0)
"""In memory, the direction that is up in a file whose axes have y up."""

# Whether each of the 16 basis functions is odd in x, y and z.
_ODD = np.array(
    [
        (0, 0, 0),
        (0, 1, 0), (0, 0, 1), (1, 0, 0),
        (1, 1, 0), (0, 1, 1), (0, 0, 0), (1, 0, 1), (0, 0, 0),
        (0, 1, 0), (1, 1, 1), (0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 0, 1), (1, 0, 0),
    ],
    np.int64,
)  # fmt: skip


def upright(cloud: SplatCloud) -> SplatCloud:
    """The cloud turned about the origin so that its `up` is `UP`, for formats in which y is up.

    Where a cloud does not say what is up, it stays as it is.
    """
    if cloud.up is None:
        return cloud
    turn = np.eye(4)
    turn[:3, :3] = turn_between(cloud.up, UP)
    return replace(cloud.transformed(turn), up=UP)


def position_signs(flip: Flip) -> NDArray[np.float32]:
    """(3,) float32, -1 where an axis is reversed."""
    return np.where(flip, np.float32(-1), np.float32(1))


def quaternion_signs(flip: Flip) -> NDArray[np.float32]:
    """(4,) float32 signs of w, x, y, z.

    Conjugating a rotation by diag(s) multiplies its axis by s and, where s is a reflection, its
    angle by -1.
    """
    signs = position_signs(flip)
    return np.concatenate([[np.float32(1)], signs * signs.prod()]).astype(np.float32)


def sh_signs(flip: Flip, coefficients: int) -> NDArray[np.float32]:
    """(coefficients,) float32 signs of the first spherical-harmonic coefficients, DC first."""
    odd = _ODD[:coefficients] @ np.asarray(flip, np.int64)
    return np.where(odd % 2 == 1, np.float32(-1), np.float32(1))


def flip_axes(cloud: SplatCloud, flip: Flip) -> SplatCloud:
    """The same Gaussians seen in axes of which some are reversed; its own inverse, and exact."""
    signs = position_signs(flip)
    up = cloud.up
    if up is not None:
        up = (up[0] * float(signs[0]), up[1] * float(signs[1]), up[2] * float(signs[2]))
    with np.errstate(invalid="ignore"):  # NaN may come from damaged files
        return replace(
            cloud,
            means=cloud.means * signs,
            quats=cloud.quats * quaternion_signs(flip),
            sh=cloud.sh * sh_signs(flip, cloud.sh.shape[1])[:, None],
            up=up,
        )
