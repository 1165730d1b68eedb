"""Where everything of the puppet's head lies: the measures that all pieces and shapes share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.rigs.head.identity import HeadIdentity

__all__ = ["Plan", "bump", "smoothstep"]


def smoothstep(x: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """0 below 0, 1 above 1, 3x^2 - 2x^3 between."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def bump(
    points: NDArray[np.float64],
    centre: NDArray[np.float64] | tuple[float, float, float],
    radii: float | tuple[float, float, float],
) -> NDArray[np.float64]:
    """(n,) 1 at a centre, falling smoothly to 0 at an ellipsoid about it: (1 - q^2)^2."""
    q = (((points - np.asarray(centre)) / np.asarray(radii)) ** 2).sum(axis=1)
    return np.asarray(np.clip(1.0 - q, 0.0, None) ** 2)


@dataclass(frozen=True, slots=True)
class Plan:
    """Measures in metres; the face's own left is -x, up is -y, front is +z.

    Parameters
    ----------
    width, jaw, age, nose, nose_length, lips, ears, brows
        Factors of the identity, 1 (or 0 for `age`, `nose_length` and `jaw`) being usual.
    eye
        Centre of the left eyeball; the right one is its mirror image.
    ball
        Radius of the eyeball.
    mouth
        Middle of the closed mouth, as (0, y, 0); its depth comes from the sculpt.
    half_mouth
        From the middle to a corner.
    jaw_pivot, neck_pivot
        What the jaw and the head turn about.
    """

    width: float
    jaw: float
    age: float
    nose: float
    nose_length: float
    lips: float
    ears: float
    brows: float
    eye: tuple[float, float, float]
    ball: float
    mouth: tuple[float, float, float]
    half_mouth: float
    jaw_pivot: tuple[float, float, float] = (0.0, 0.042, -0.006)
    neck_pivot: tuple[float, float, float] = (0.0, 0.095, -0.018)

    @classmethod
    def of(cls, who: HeadIdentity) -> Plan:
        """The measures of an identity."""
        age = who.age - 0.35
        ball = 0.0315 * (1.0 + 0.10 * who.eye_size) * (1.0 - 0.07 * age)
        return cls(
            width=1.0 + 0.09 * who.width,
            jaw=who.jaw,
            age=age,
            nose=(1.0 + 0.28 * who.nose_size) * (1.0 + 0.22 * age),
            nose_length=who.nose_length,
            lips=(1.0 + 0.35 * who.lip_fullness) * (1.0 - 0.25 * age),
            ears=(1.0 + 0.25 * who.ear_size) * (1.0 + 0.2 * age),
            brows=(1.0 + 0.4 * who.brow_weight) * (1.0 + 0.2 * age),
            eye=(
                -0.0436 * (1.0 + 0.05 * who.width + 0.06 * max(who.eye_size, 0.0)),
                -0.012,
                0.0540,
            ),
            ball=ball,
            mouth=(0.0, 0.0610, 0.0),
            half_mouth=0.0395 * (1.0 + 0.16 * who.mouth_width) * (1.0 + 0.05 * who.width),
        )

    @property
    def lid(self) -> float:
        """Outer radius of the upper lid's shell."""
        return 1.085 * self.ball

    @property
    def socket(self) -> float:
        """Radius on which the skin's border about the eye lies."""
        return 1.155 * self.ball
