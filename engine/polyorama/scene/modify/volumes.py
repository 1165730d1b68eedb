"""Crop: what is inside a volume stays, and fades towards its surface."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel
from polyorama.errors import UsageError
from polyorama.scene.modify.step import DELETED, flags_of, in_parts
from polyorama.scene.placement import matrix_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Crop
    from polyorama.scene.modify.step import Place, Step

__all__ = ["crop", "volume_of"]

_BOX, _ROUND, _PLANE = 0, 1, 2
_FORMS = {"box": _BOX, "sphere": _ROUND, "ellipsoid": _ROUND, "plane": _PLANE}


def volume_of(modifier: Crop, place: Place) -> tuple[str, NDArray[np.float64]]:
    """Shape of a crop's volume, and (4, 4) float64 from its unit form to the node's space."""
    if place.shape:
        return place.shape, place.volume
    size = modifier.size if modifier.shape in ("box", "ellipsoid") else (modifier.size[0],) * 3
    return modifier.shape, matrix_of(modifier.center, modifier.rotation, size)


def crop(step: Step, modifier: Crop, place: Place) -> Step:
    """Remove what is outside the volume, or with `inverted` what is inside.

    Over the width `soft`, inside the surface of what stays, splats fade by a smoothstep. The
    distance from the surface is exact for planes, spheres and inside boxes; for ellipsoids it is
    f / |grad f| of f = 1/2 - |q|, with q the point in the volume's unit form. Strength below 1
    leaves that share of what would go.

    Raises
    ------
    UsageError
        If the volume is flat.
    """
    shape, volume = volume_of(modifier, place)
    linear = volume[:3, :3]
    if not np.isfinite(volume).all() or np.linalg.matrix_rank(linear) < 3:
        raise UsageError("A crop volume without width, height or depth cuts nothing; scale it.")
    inverse = np.linalg.inv(linear)
    palette, index = step.maps()
    units = inverse @ palette
    units[:, :, 3] -= inverse @ volume[:3, 3]
    count = len(step)
    gone = np.zeros(count, np.uint8) if step.gone is None else step.gone.copy()
    opacities = step.opacities.copy()
    flags = flags_of(place.chosen)
    touched = np.zeros(2, np.bool_)

    def work(start: int, stop: int) -> None:
        _crop(
            step.means, units, index, flags, _FORMS[shape], inverse, modifier.inverted,
            modifier.soft, modifier.strength, gone, opacities, touched, start, stop,
        )  # fmt: skip

    in_parts(count, work)
    if touched[0]:
        step = replace(step, gone=gone)
    return replace(step, opacities=opacities) if touched[1] else step


@kernel
def _depth(form: int, x: float, y: float, z: float, inverse: Any, steep: Any) -> float:
    """Distance from the surface, negative outside, of a point in the volume's unit form."""
    if form == _PLANE:
        return float(-y / steep[1])
    if form == _BOX:
        a = (0.5 - abs(x)) / steep[0]
        b = (0.5 - abs(y)) / steep[1]
        c = (0.5 - abs(z)) / steep[2]
        return float(min(a, b, c))
    radius = np.sqrt(x * x + y * y + z * z)
    if radius <= 1e-9:
        return float(0.5 / steep[3])
    u = x * inverse[0, 0] + y * inverse[1, 0] + z * inverse[2, 0]
    v = x * inverse[0, 1] + y * inverse[1, 1] + z * inverse[2, 1]
    w = x * inverse[0, 2] + y * inverse[1, 2] + z * inverse[2, 2]
    return float((0.5 - radius) * radius / np.sqrt(u * u + v * v + w * w))


@kernel
def _crop(
    means: Any, units: Any, index: Any, flags: Any, form: int, inverse: Any, inverted: bool,
    soft: float, strength: float, gone: Any, opacities: Any, touched: Any, start: int, stop: int,
) -> None:  # fmt: skip
    steep = np.empty(4, np.float64)
    for row in range(3):
        steep[row] = np.sqrt(inverse[row, 0] ** 2 + inverse[row, 1] ** 2 + inverse[row, 2] ** 2)
    steep[3] = max(steep[0], steep[1], steep[2])
    for i in range(start, stop):
        if len(flags) and not flags[i]:
            continue
        m = units[0]
        if len(index):
            m = units[index[i]]
        p, q, r = np.float64(means[i, 0]), np.float64(means[i, 1]), np.float64(means[i, 2])
        x = m[0, 0] * p + m[0, 1] * q + m[0, 2] * r + m[0, 3]
        y = m[1, 0] * p + m[1, 1] * q + m[1, 2] * r + m[1, 3]
        z = m[2, 0] * p + m[2, 1] * q + m[2, 2] * r + m[2, 3]
        depth = _depth(form, x, y, z, inverse, steep)
        if (depth >= 0.0) == inverted:
            if strength >= 1.0:
                gone[i] |= DELETED
                touched[0] = True
            else:
                opacities[i] *= 1.0 - strength
                touched[1] = True
        elif abs(depth) < soft:
            t = abs(depth) / soft
            opacities[i] *= 1.0 - strength * (1.0 - t * t * (3.0 - 2.0 * t))
            touched[1] = True
