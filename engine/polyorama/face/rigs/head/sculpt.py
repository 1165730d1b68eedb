"""The head as a smooth signed-distance sculpt, onto which the template is laid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.rigs.head.plan import Plan

__all__ = ["Sculpt"]


def _length(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) lengths; an order faster than a sum over three columns."""
    return np.asarray(np.sqrt(np.einsum("nc,nc->n", p, p)))


def _ellipsoid(p: NDArray[np.float64], centre: tuple[float, float, float],
               radii: tuple[float, float, float]) -> NDArray[np.float64]:  # fmt: skip
    """Close to the distance from an ellipsoid: |p/r| (|p/r| - 1) / |p/r^2|."""
    q = (p - np.array(centre)) / np.array(radii)
    near = _length(q)
    q /= np.array(radii)
    return np.asarray(near * (near - 1.0) / np.maximum(_length(q), 1e-9))


def _capsule(p: NDArray[np.float64], a: tuple[float, float, float], b: tuple[float, float, float],
             start: float, end: float) -> NDArray[np.float64]:  # fmt: skip
    """Close to the distance from a rod that grows from radius `start` at a to `end` at b."""
    way = np.array(b) - np.array(a)
    along = np.clip((p - np.array(a)) @ way / (way @ way), 0.0, 1.0)
    gap = p - np.array(a) - along[:, None] * way
    return np.asarray(_length(gap) - (start + (end - start) * along))


def _join(a: NDArray[np.float64], b: NDArray[np.float64], soft: float) -> NDArray[np.float64]:
    """Smooth union: the lesser of both, rounded over `soft` metres."""
    mix = np.clip(0.5 + 0.5 * (b - a) / soft, 0.0, 1.0)
    return np.asarray(b + (a - b) * mix - soft * mix * (1.0 - mix))


def _carve(a: NDArray[np.float64], b: NDArray[np.float64], soft: float) -> NDArray[np.float64]:
    """Smooth difference: a without b."""
    return -_join(-a, b, soft)


class Sculpt:
    """The signed distance of the head's surface; symmetric, so only x <= 0 is modelled.

    Parameters
    ----------
    plan
        Its measures.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def distance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) metres from the surface, negative inside."""
        plan = self.plan
        w, age, jaw = plan.width, plan.age, plan.jaw
        p = points.copy()
        p[:, 0] = -np.abs(p[:, 0])
        ex, ey, ez = plan.eye
        mouth = plan.mouth[1]
        skull = _ellipsoid(p, (0.0, -0.028, -0.012), (0.091 * w, 0.090, 0.096))
        face = _ellipsoid(
            p, (0.0, 0.033 + 0.003 * jaw, 0.012), (0.076 * w * (1 + 0.06 * jaw), 0.066, 0.066)
        )
        d = _join(skull, face, 0.040)
        cheek = _ellipsoid(
            p, (-0.046 * w, 0.036 + 0.006 * age, 0.042), (0.034 * w, 0.032, 0.034 - 0.005 * age)
        )
        d = _join(d, cheek, 0.030)
        jowl = _ellipsoid(
            p, (-0.038 * w, 0.066, 0.024), (0.028 * w * (1 + 0.25 * jaw), 0.026, 0.036)
        )
        d = _join(d, jowl, 0.030)
        muzzle = _ellipsoid(p, (0.0, mouth - 0.003, 0.055), (0.048 * w, 0.030, 0.0355))
        d = _join(d, muzzle, 0.020)
        chin = _ellipsoid(
            p, (0.0, 0.0930 + 0.004 * jaw, 0.062 + 0.003 * jaw),
            (0.029 * (1 + 0.22 * jaw), 0.0180, 0.0200),
        )  # fmt: skip
        d = _join(d, chin, 0.032)
        neck = _capsule(p, (0.0, 0.050, -0.020), (0.0, 0.200, -0.024), 0.036, 0.036)
        d = _join(d, neck, 0.026)
        d = _join(d, _ellipsoid(p, (ex * 0.9, -0.056, 0.060), (0.034, 0.013, 0.0150)), 0.030)
        orbit = p - np.array([ex, ey, ez])
        d = _carve(
            d, _ellipsoid(p, (0.62 * ex, ey + 0.004, ez + 0.048), (0.021, 0.030, 0.029)), 0.014
        )
        d = _join(d, _length(orbit) - plan.socket, 0.0085)
        return self._with_nose(d, p)

    def _with_nose(self, d: NDArray[np.float64], p: NDArray[np.float64]) -> NDArray[np.float64]:
        plan = self.plan
        s, long = plan.nose, plan.nose_length
        tip_y, tip_z = 0.022 + 0.006 * long, 0.1025 + 0.006 * (s - 1.0) + 0.003 * long
        bridge = _capsule(
            p, (0.0, -0.020, 0.0755), (0.0, tip_y - 0.004, tip_z - 0.004), 0.0068, 0.0110 * s
        )
        d = _join(d, bridge, 0.014)
        wing = _ellipsoid(
            p, (-0.0135 * s, tip_y + 0.0040, tip_z - 0.0115), (0.0088 * s, 0.0082 * s, 0.0100)
        )
        ball = _ellipsoid(p, (0.0, tip_y, tip_z), (0.0165 * s, 0.0145 * s, 0.0145 * s))
        d = _join(d, _join(ball, wing, 0.007), 0.012)
        hole = _ellipsoid(
            p, (-0.0066 * s, tip_y + 0.0155 * s, tip_z - 0.0055), (0.0036 * s, 0.0030, 0.0050)
        )
        return _carve(d, hole, 0.004)

    def normal(self, points: NDArray[np.float64], step: float = 4e-4) -> NDArray[np.float64]:
        """(n, 3) unit gradients, by central differences over `step` metres."""
        slope = np.empty_like(points)
        for axis in range(3):
            move = np.zeros(3)
            move[axis] = step
            slope[:, axis] = self.distance(points + move) - self.distance(points - move)
        return np.asarray(slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-12))

    def lay(self, points: NDArray[np.float64], rounds: int = 3) -> NDArray[np.float64]:
        """(n, 3) points moved onto the surface along its gradient."""
        for _ in range(rounds):
            points = points - self.distance(points)[:, None] * self.normal(points)
        return points

    def front(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) depth at which a look from the front meets the surface: sphere tracing."""
        p = np.column_stack([x, y, np.full(len(x), 0.2)])
        for _ in range(60):
            p[:, 2] -= 0.8 * np.clip(self.distance(p), -0.004, 0.02)
        return p[:, 2]
