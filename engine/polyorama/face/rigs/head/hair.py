"""Hair of thick yarn: locks that run over the skull, on a cap that closes the gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.head.parts import Grid, grid_triangles, tube
from polyorama.face.rigs.head.plan import smoothstep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.rigs.head.sculpt import Sculpt

__all__ = ["make_hair", "under_hair"]

_CROWN = np.array([0.0, -0.94, -0.34]) / np.hypot(0.94, 0.34)
"""Where the locks start from."""
_FRONT = np.array([0.0, -0.34, 0.94]) / np.hypot(0.94, 0.34)
_SIDE = np.array([-1.0, 0.0, 0.0])
_RAD = np.pi / 180.0


def _ways(turn: NDArray[np.float64], fall: NDArray[np.float64]) -> NDArray[np.float64]:
    """Directions at `fall` degrees from the crown; turn 0 to the front, 90 to the own left."""
    t, f = turn[..., None] * _RAD, fall[..., None] * _RAD
    return np.asarray(np.cos(f) * _CROWN + np.sin(f) * (np.cos(t) * _FRONT + np.sin(t) * _SIDE))


def _hairline(turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Degrees from the crown at which the hair ends: high in front, over the ears, low behind."""
    away = np.abs((turn + 180.0) % 360.0 - 180.0)
    return np.asarray(np.interp(away, [0, 25, 48, 66, 84, 100, 125, 180],
                                [56, 57, 64, 82, 82, 84, 104, 112]))  # fmt: skip


def _on_skull(sculpt: Sculpt, ways: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of the skull in directions from the head's middle, seen from outside."""
    flat = ways.reshape(-1, 3)
    reach = np.full(len(flat), 0.14)
    for _ in range(16):
        reach -= 0.9 * np.clip(sculpt.distance(flat * reach[:, None]), -0.003, 0.03)
    return np.asarray((flat * reach[:, None]).reshape(ways.shape))


def _cap(sculpt: Sculpt, lift: float, past: float = 0.0, ridges: int = 0) -> Grid:
    columns, rows = 96, 15
    turn = 360.0 * np.arange(columns) / columns
    share = np.linspace(0.0, 1.0, rows)[:, None]
    fall = (_hairline(turn) + past) * np.maximum(share, 0.02)
    ways = _ways(np.broadcast_to(turn, fall.shape), fall)
    wave = 1.0 + (
        0.30 * np.cos(ridges * turn * _RAD) * np.sin(np.pi * share) ** 0.5 if ridges else 0.0
    )
    high = lift * np.sqrt(np.clip(1.0 - share**3, 0.0, 1.0)) * wave - 0.0015 * share**6
    points = _on_skull(sculpt, ways) + high[:, :, None] * ways
    triangles = grid_triangles(rows, columns, closed=True)
    a, b, c = (points.reshape(-1, 3)[triangles[:, k]] for k in range(3))
    if (np.cross(b - a, c - a) * a).sum() < 0.0:
        triangles = triangles[:, ::-1].copy()
    tone = (
        0.80 + 0.16 * np.cos(ridges * turn * _RAD) * np.ones((rows, 1))
        if ridges
        else np.full((rows, columns), 0.72)
    )
    return Grid(points.reshape(-1, 3), triangles, np.repeat(tone.reshape(-1, 1), 3, axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class _Lock:
    """A lock along a way over the skull, `high` metres above it, ending in a soft point.

    Its way is `turn` and `fall` in degrees, `tip` the share of its length that tapers.
    """

    turn: NDArray[np.float64]
    fall: NDArray[np.float64]
    high: NDArray[np.float64]
    thick: float
    tone: float
    tip: float = 0.5


def _locks(sculpt: Sculpt, locks: list[_Lock], around: int = 8) -> list[Grid]:
    """Rods along the ways of locks; the skull is asked once for all of them."""
    ways = [_ways(lock.turn, lock.fall) for lock in locks]
    ends = np.cumsum([len(way) for way in ways])[:-1]
    feet = np.split(_on_skull(sculpt, np.concatenate(ways)), ends)
    made = []
    for lock, way, foot in zip(locks, ways, feet, strict=True):
        s = np.linspace(0.0, 1.0, len(way))
        body = np.clip(s / 0.22, 0.05, 1.0) ** 0.6 * np.clip((1.0 - s) / lock.tip, 0.0, 1.0) ** 0.62
        wide = lock.thick * np.maximum(body, 0.06)
        points, triangles = tube(foot + lock.high[:, None] * way, wide, 0.72 * wide, way, around)
        triangles = triangles[_seen(triangles, len(way), around)]
        shine = 1.0 + 0.12 * np.cos(np.arange(around) * 4.0 * np.pi / around + 0.6)
        shade = lock.tone * np.concatenate([np.tile(shine, len(way)), [1.0, 1.0]])
        made.append(Grid(points, triangles, np.repeat(shade[:, None], 3, axis=1)))
    return made


def _seen(triangles: NDArray[np.int32], rows: int, around: int) -> NDArray[np.bool_]:
    """Whether triangles of a lock can be seen: near its tip, or not on its side to the skull."""
    turn = 2.0 * np.pi * (np.arange(rows * around + 2) % around) / around
    low = np.sin(turn) < -0.35
    low[-2:] = True
    row = np.append(np.repeat(np.arange(rows), around), [0, rows])
    return np.asarray(~low[triangles].all(axis=1) | (row[triangles].max(axis=1) > 0.62 * rows))


def _joined(pieces: list[Grid]) -> Grid:
    starts = np.cumsum([0] + [len(piece.points) for piece in pieces[:-1]])
    return Grid(
        np.concatenate([piece.points for piece in pieces]),
        np.concatenate(
            [p.triangles + np.int32(at) for p, at in zip(pieces, starts, strict=True)]
        ),
        np.concatenate([piece.shade for piece in pieces]),
    )  # fmt: skip


def _mop(sculpt: Sculpt) -> list[Grid]:
    """Tousled, swept to the own left, a tuft standing up."""
    rng = np.random.default_rng(21)
    locks = []
    s = np.linspace(0.0, 1.0, 10)
    layers = ((26, 46.0, 1.13, 0.0096, 0.0076), (20, 26.0, 0.88, 0.0108, 0.0088),
              (12, 8.0, 0.62, 0.0118, 0.0098))  # fmt: skip
    for number, (count, start, reach, thick, high) in enumerate(layers):
        for k in range(count):
            turn0 = 360.0 * (k + 0.5 * (number % 2)) / count + rng.uniform(-5.0, 5.0)
            end = float(_hairline(np.array([turn0]))[0]) * reach * rng.uniform(0.94, 1.06)
            away = abs((turn0 + 12.0 + 180.0) % 360.0 - 180.0)
            if number == 0:  # over the ears and in the neck, locks stay short
                end *= float(
                    np.interp(away, [40, 60, 75, 115, 130, 180], [1.0, 0.86, 0.78, 0.78, 0.9, 0.95])
                )
            fall = start + (end - start) * s
            sweep = rng.uniform(8.0, 30.0) * (1.0 if abs((turn0 + 180) % 360 - 180) < 120 else 0.4)
            turn = turn0 + sweep * s**1.3 + 3.0 * np.sin(5.0 * s + rng.uniform(0, 6.0))
            lift = high * (0.25 + 0.75 * np.sin(np.pi * np.clip(0.15 + 0.85 * s, 0, 1)) ** 0.7)
            lift += rng.uniform(0.0, 0.004) * s + 0.004 * smoothstep((s - 0.7) / 0.3) * rng.uniform(
                0, 1
            )
            locks.append(_Lock(turn, fall, lift, thick * rng.uniform(0.85, 1.15),
                                rng.uniform(0.84, 1.14)))  # fmt: skip
    for k in range(7):
        turn = 360.0 * k / 7 + 40.0 * s
        fall = 3.0 + (16.0 + 7.0 * (k % 3)) * s
        lift = 0.010 + (0.016 + 0.005 * (k % 2)) * s * (1.3 - 0.5 * s)
        locks.append(_Lock(turn, fall, lift, 0.0072, rng.uniform(0.95, 1.15)))
    return [_cap(sculpt, 0.0085), *_locks(sculpt, locks)]


def _bob(sculpt: Sculpt) -> list[Grid]:
    """Straight to the jaw, with a fringe."""
    rng = np.random.default_rng(5)
    locks = []
    s = np.linspace(0.0, 1.0, 14)
    for k in range(46):
        turn0 = 360.0 * k / 46 + rng.uniform(-2.0, 2.0)
        away = abs((turn0 + 180.0) % 360.0 - 180.0)
        end = float(np.interp(away, [0, 30, 44, 58, 75, 180], [64, 66, 90, 122, 126, 128]))
        fall = 6.0 + (end * rng.uniform(0.98, 1.02) - 6.0) * s
        turn = turn0 + np.sign(np.sin(turn0 * _RAD)) * 3.0 * np.sin(np.pi * s)
        lift = np.interp(
            fall, [0, 20, 60, 85, 105, 128], [0.009, 0.011, 0.012, 0.020, 0.021, 0.013]
        )
        if away < 40:
            lift = np.interp(fall, [0, 20, 50, 66], [0.009, 0.011, 0.011, 0.007])
        locks.append(_Lock(turn, fall, lift, 0.0098, rng.uniform(0.88, 1.12), 0.16))
    return [_cap(sculpt, 0.0085), *_locks(sculpt, locks)]


def _bun(sculpt: Sculpt) -> list[Grid]:
    """Combed back into a knot, two strands before the ears."""
    rng = np.random.default_rng(9)
    pieces = [_cap(sculpt, 0.0080, 1.0, 24)]
    top = _on_skull(sculpt, _CROWN[None])[0] + 0.022 * _CROWN
    for k in range(9):
        a = np.linspace(0.0, 2.0 * np.pi, 22)
        tilt = 40.0 * k
        axis = _CROWN + 0.55 * (np.cos(tilt) * _FRONT + np.sin(tilt) * _SIDE)
        axis /= np.linalg.norm(axis)
        u = np.cross(axis, [0.3, 0.2, 0.9])
        u /= np.linalg.norm(u)
        v = np.cross(axis, u)
        ring = np.cos(a)[:, None] * u + np.sin(a)[:, None] * v
        line = top + 0.0165 * (ring + 0.55 * axis)
        wide = np.full(22, 0.0092)
        points, triangles = tube(line, wide, wide, ring, 8)
        shade = np.repeat(np.full((len(points), 1), rng.uniform(0.88, 1.12)), 3, axis=1)
        pieces.append(Grid(points, triangles, shade))
    locks = []
    s = np.linspace(0.0, 1.0, 12)
    for side in (-1.0, 1.0):
        for k in range(2):
            turn = side * (50.0 + 9.0 * k + 12.0 * s - 4.0 * np.sin(7.0 * s))
            fall = 58.0 + (52.0 - 12.0 * k) * s
            locks.append(_Lock(turn, fall, 0.004 + 0.009 * s, 0.0050, 1.05, 0.7))
    return [*pieces, *_locks(sculpt, locks)]


_STYLES = {"mop": _mop, "bob": _bob, "bun": _bun}


def under_hair(points: NDArray[np.float64], style: str) -> NDArray[np.bool_]:
    """(n,) whether points of the scalp lie well under the cap, where they are never seen."""
    if style == "none":
        return np.zeros(len(points), bool)
    way = points / np.linalg.norm(points, axis=1, keepdims=True)
    fall = np.arccos(np.clip(way @ _CROWN, -1.0, 1.0)) / _RAD
    turn = np.arctan2(way @ _SIDE, way @ _FRONT) / _RAD
    return np.asarray(fall < _hairline(turn) - 12.0)


def make_hair(sculpt: Sculpt, style: str) -> Grid | None:
    """Hair of a style; None for "none"."""
    make = _STYLES.get(style)
    return _joined(make(sculpt)) if make is not None else None
