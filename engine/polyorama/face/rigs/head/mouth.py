"""The mouth: two lips that share one curve where they meet, and the dark pouch behind them.

Columns run around the mouth: from the face's left corner over the upper lip to its right corner
and back along the lower lip. Column k of the upper lip and column `COLUMNS - k` of the lower one
meet in one place, so that a closed mouth is closed exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.head.plan import smoothstep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.rigs.head.plan import Plan
    from polyorama.face.rigs.head.sculpt import Sculpt

__all__ = ["COLUMNS", "LIP_ROWS", "SEAL", "Mouth", "border_loop", "make_mouth"]

HALF = 32
COLUMNS = 2 * HALF
"""Columns around the mouth."""

_TOWARDS = np.array([0.0, 0.16, 0.34, 0.54, 0.72, 0.86, 0.95, 1.0])
"""How far each row of a lip is from its border (0) to the seal (1)."""
_UPPER_FULL = np.array([0.0, 1.2, 2.7, 4.1, 4.9, 4.6, 3.8, 2.6]) * 1e-3
_LOWER_FULL = np.array([0.0, 1.2, 3.0, 4.9, 5.9, 5.6, 4.5, 2.6]) * 1e-3
"""How far each row stands out of the face, metres."""
SEAL = len(_TOWARDS) - 1
"""The row in which the lips meet."""
_INNER = ((0.0022, 0.0008), (0.0042, 0.0034), (0.0050, 0.0080))
"""Rows behind the seal: how far back, and how far up or down, metres."""
LIP_ROWS = SEAL + 1 + len(_INNER)
"""Rows that belong to the lips, from the border to the lips' backs."""
_POUCH = (
    (0.014, 0.98, 0.0180),
    (0.032, 0.92, 0.0205),
    (0.050, 0.74, 0.0180),
    (0.064, 0.40, 0.0110),
)
"""Rings of the pouch: how far back, half width over the mouth's, half height in metres."""


@dataclass(frozen=True, slots=True, eq=False)
class Mouth:
    """Rows of the mouth.

    Parameters
    ----------
    rows
        (R, COLUMNS, 3); the first is the border with the skin.
    along
        (COLUMNS,) from -1, the face's left corner, to 1, its right one.
    end
        (3,) where the pouch closes.
    """

    rows: NDArray[np.float64]
    along: NDArray[np.float64]
    end: NDArray[np.float64]


def _curve() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(COLUMNS,) place along the mouth, -1 to 1, and side: 1 upper, -1 lower, 0 at the corners."""
    s = np.linspace(-1.0, 1.0, HALF + 1)
    t = 0.62 * np.sin(0.5 * np.pi * s) + 0.38 * s
    t = 0.5 * (t - t[::-1])  # odd to the last bit
    side = np.concatenate([[0.0], np.ones(HALF - 1), [0.0], -np.ones(HALF - 1)])
    return np.concatenate([t, t[-2:0:-1]]), side


def _heights(plan: Plan, t: NDArray[np.float64], side: NDArray[np.float64], bow: float
             ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
    """Height (y) of the seal and of the lips' border."""
    u = np.abs(t)
    seal = plan.mouth[1] + 0.0054 * (1.0 - u**2) - 0.0010 * np.exp(-((t / 0.16) ** 2))
    seal += 0.0012 * plan.age * u**4
    upper = 0.0094 * plan.lips * (1.0 - u**2.1) ** 0.85
    upper *= 1.0 - bow * np.exp(-((t / 0.13) ** 2)) + 0.06 * np.exp(-(((u - 0.3) / 0.16) ** 2))
    lower = 0.0125 * plan.lips * (1.0 - u**2.3) ** 0.85
    return seal, seal - np.where(side > 0, upper, 0.0) + np.where(side < 0, lower, 0.0)


def border_loop(plan: Plan, sculpt: Sculpt, *, bow: float = 0.16, out: float = 0.0
                ) -> NDArray[np.float64]:  # fmt: skip
    """(COLUMNS, 3) where the lips meet the skin; `out` metres further out."""
    t, side = _curve()
    _, y = _heights(plan, t, side, bow)
    x = t * (plan.half_mouth + 0.0028)
    if out:
        middle = plan.mouth[1] + 0.001
        away = np.column_stack([x / plan.half_mouth**2, (y - middle) / (0.012 * plan.lips) ** 2])
        away /= np.linalg.norm(away, axis=1, keepdims=True)
        x, y = x + out * away[:, 0], y + out * away[:, 1]
    return np.column_stack([x, y, sculpt.front(x, y)])


def make_mouth(plan: Plan, sculpt: Sculpt) -> Mouth:
    """Lips at rest, closed, and the pouch."""
    t, side = _curve()
    u = np.abs(t)
    border = border_loop(plan, sculpt)
    seal_y, _ = _heights(plan, t, side, 0.0)
    seal = np.column_stack([t * plan.half_mouth, seal_y, np.zeros(COLUMNS)])
    seal[:, 2] = sculpt.front(seal[:, 0], seal[:, 1])
    seal[HALF + 1 :] = seal[HALF - 1 : 0 : -1]
    out = sculpt.normal(seal)
    out[:, 1] = 0.0
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    out[HALF + 1 :] = out[HALF - 1 : 0 : -1]
    thick = (0.06 + 0.94 * (1.0 - u**2.6) ** 0.75) * (0.55 + 0.45 * plan.lips)
    full = np.where(side >= 0, _UPPER_FULL[:, None], _LOWER_FULL[:, None])
    # The upper lip has a small bead in the middle, the lower one a dent.
    bead = 1.0 + 0.10 * side * np.exp(-((t / 0.22) ** 2))
    share = _TOWARDS[:, None, None]
    rows = border * (1.0 - share) + seal * share + (full * thick * bead)[:, :, None] * out
    rows[-1] = seal + (_UPPER_FULL[-1] * thick)[:, None] * out
    inner = []
    vertical = -side * (1.0 - u**4) * (0.35 + 0.65 * smoothstep((1.0 - u) / 0.3))
    for back, high in _INNER:
        row = rows[-1] - back * out
        row[:, 1] += high * vertical
        inner.append(row)
    front = float(seal[HALF // 2, 2])
    turn = np.arccos(np.clip(t, -1.0, 1.0))
    for back, wide, high in _POUCH:
        x = t * plan.half_mouth * wide
        y = plan.mouth[1] - side * high * np.sin(turn) ** 0.8
        z = np.minimum(front - back - 3.0 * x**2, inner[-1][:, 2] - 0.003)
        inner.append(np.column_stack([x, y, z]))
    end = np.array([0.0, plan.mouth[1] + 0.002, front - 0.070])
    return Mouth(np.concatenate([rows, inner]), t, end)
