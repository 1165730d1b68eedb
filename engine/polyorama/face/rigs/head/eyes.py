"""Eyeballs, the lids that turn about them, and lashes.

A place about an eyeball is given by two angles: `side`, from -90 degrees at the nose to 90 away
from it, and `lift`, the turn about the horizontal axis through the ball's middle, upwards. A lid
moves in `lift` alone and so never comes nearer to the ball.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.rigs.head.plan import Plan

__all__ = [
    "HOLE_COLUMNS", "IRIS", "LOWER_TURN", "PUPIL", "UPPER_TURN", "Lid", "ball_rings", "close_lift",
    "eye_point", "hole_loop", "lid_columns", "lower_edge", "make_ball", "make_glint", "make_lash",
    "make_lid", "upper_edge",
]  # fmt: skip

HOLE_COLUMNS = 44
_RAD = np.pi / 180.0
_CORNER = 58.0
"""Where the lids meet, degrees to either side."""
_NOSE_SIDE = 0.84
"""Angles at the nose's side are so much smaller: there, the ball lies deeper in the face."""
_REACH = 74.0
"""How far a lid's shell goes to either side."""
IRIS, PUPIL = 29.5, 13.0
"""Angular radii, degrees."""
UPPER_TURN, LOWER_TURN = 38.0, 17.0
"""How far the middle of each lid turns when the eye closes, degrees."""
_LID_COLUMNS = 33


def eye_point(
    plan: Plan,
    side: NDArray[np.float64],
    lift: NDArray[np.float64],
    radius: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    """(n, 3) of the left eye, from angles in degrees and a radius in metres."""
    s, f = side * np.where(side < 0.0, _NOSE_SIDE, 1.0) * _RAD, lift * _RAD
    way = np.stack([-np.sin(s), -np.cos(s) * np.sin(f), np.cos(s) * np.cos(f)], axis=-1)
    return np.asarray(np.array(plan.eye) + np.asarray(radius)[..., None] * way)


def hole_loop(plan: Plan, grow: float = 1.0, radius: float = 1.155) -> NDArray[np.float64]:
    """(HOLE_COLUMNS, 3) the border of the skin about the left eye; `radius` in eyeballs.

    Below, it lies closer to the lid: a lower lid deep in the face would be a bag.
    """
    turn = 2.0 * np.pi * np.arange(HOLE_COLUMNS) / HOLE_COLUMNS
    side = np.where(np.cos(turn) > 0, 67.0, 60.0) * np.cos(turn)
    up = np.sin(turn)
    lift = np.where(up > 0, 55.0, 42.0) * up - 2.0
    middle = np.array([0.0, 3.0])
    return eye_point(
        plan, middle[0] + (side - middle[0]) * grow, middle[1] + (lift - middle[1]) * grow,
        (radius - 0.035 * np.clip(-up, 0.0, 1.0)) * plan.ball,
    )  # fmt: skip


def _corner_lift(side: NDArray[np.float64]) -> NDArray[np.float64]:
    """The outer corner hangs a little: a melancholic eye."""
    return np.asarray(-1.0 - 4.5 * side / _CORNER)


def _open(side: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    return np.asarray(np.clip(1.0 - np.abs(side / _CORNER) ** power, 0.0, None))


def upper_edge(side: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lift of the upper lid's edge at rest, degrees."""
    return np.asarray(_corner_lift(side) + 28.5 * _open(side - 3.0 * _open(side, 2.0), 2.3) ** 0.70)


def lower_edge(side: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lift of the lower lid's edge at rest, degrees."""
    return np.asarray(_corner_lift(side) - 25.5 * _open(side, 2.2) ** 0.75)


def close_lift(side: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lift of the line in which both lids meet, degrees."""
    return np.asarray(_corner_lift(side) - 9.0 * _open(side, 2.0))


def lid_columns() -> NDArray[np.float64]:
    """(33,) sides of a lid's columns, degrees; the corners are among them."""
    inner = _CORNER * np.sin(0.5 * np.pi * np.linspace(-1.0, 1.0, _LID_COLUMNS - 4))
    return np.concatenate([[-_REACH, -65.0], inner, [65.0, _REACH]])


@dataclass(frozen=True, slots=True, eq=False)
class Lid:
    """A lid of the left eye.

    Parameters
    ----------
    vertices, triangles
        (n, 3), (m, 3).
    amounts
        (n,) share of the lid's turn that each vertex takes.
    slant
        (n,) the same for the tilt of its inner half.
    edge
        Vertices of its edge, from the nose outwards, corners included.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    amounts: NDArray[np.float64]
    slant: NDArray[np.float64]
    edge: NDArray[np.int32]


def make_lid(plan: Plan, *, upper: bool) -> Lid:
    """The shell of a lid, with a rounded edge."""
    side = lid_columns()
    edge = upper_edge(side) if upper else lower_edge(side)
    far = (
        np.maximum(72.0 + 0 * side, edge + 8.0)
        if upper
        else np.minimum(-64.0 + 0 * side, edge - 8.0)
    )
    way = 1.0 if upper else -1.0
    outer = plan.lid if upper else 1.075 * plan.ball
    # Behind the edge, around it, and out over the shell: radius in metres, degrees from the edge.
    rows = [(1.022 * plan.ball, 5.0), (1.032 * plan.ball, 1.0), (1.052 * plan.ball, 0.0),
            (outer - 0.008 * plan.ball, 0.9), (outer, 3.2)]  # fmt: skip
    shares = np.linspace(0.0, 1.0, 8)[1:]
    lifts = [edge + way * more for _, more in rows]
    radii = [radius for radius, _ in rows]
    moved = [np.ones_like(side)] * len(rows)
    start = lifts[-1]
    for share in shares:
        lifts.append(start + (far - start) * share)
        # Deeper and deeper under the skin, so that nothing of it shows through.
        radii.append(outer - (outer - 1.03 * plan.ball) * share**1.5)
        moved.append(np.full_like(side, 1.0 - share))
    points = np.stack([eye_point(plan, side, lift, np.full_like(side, radius))
                       for lift, radius in zip(lifts, radii, strict=True)])  # fmt: skip
    turn = (edge - close_lift(side)) / (UPPER_TURN if upper else -LOWER_TURN)
    amounts = np.stack(moved) * turn
    inner = np.clip(0.5 - 0.75 * side / _CORNER, -0.6, 1.0) * _open(side, 2.0) ** 0.5
    slant = np.stack(moved) * inner
    rows_count, columns = points.shape[:2]
    ids = np.arange(rows_count * columns).reshape(rows_count, columns)
    a, b, c, d = ids[:-1, :-1], ids[1:, :-1], ids[:-1, 1:], ids[1:, 1:]
    triangles = np.concatenate(
        [np.stack([a, b, d], 2).reshape(-1, 3), np.stack([a, d, c], 2).reshape(-1, 3)]
    )
    if upper:
        triangles = triangles[:, ::-1]
    return Lid(
        points.reshape(-1, 3), triangles.astype(np.int32), amounts.ravel(), slant.ravel(),
        ids[2, 2:-2].astype(np.int32),
    )  # fmt: skip


def make_lash(plan: Plan) -> Lid:
    """A line of lashes along the left upper lid's edge, which turns as that does."""
    lid = make_lid(plan, upper=True)
    columns = len(lid_columns())
    root = np.arange(3 * columns + 2, 4 * columns - 2)
    side = lid_columns()[2:-2]
    edge = upper_edge(side)
    # Longest beyond the middle, gone at the nose: what makes an eye look out.
    long = np.clip(1.0 + 0.55 * side / _CORNER, 0.0, None) * _open(side, 4.0) ** 0.5
    long *= 0.108 * plan.ball
    start = eye_point(plan, side, edge + 0.3, np.full_like(side, 1.068 * plan.ball))
    top = eye_point(plan, side, edge + 1.9, np.full_like(side, 1.088 * plan.ball))
    aim = eye_point(plan, side * 1.06, edge + 8.0, np.full_like(side, 1.4 * plan.ball)) - start
    aim /= np.linalg.norm(aim, axis=1, keepdims=True)
    tip = start + long[:, None] * aim - np.array([0.0, 0.0008, 0.0])
    n = len(side)
    ids = np.arange(3 * n).reshape(3, n)
    a, b, c, d = ids[:-1, :-1], ids[1:, :-1], ids[:-1, 1:], ids[1:, 1:]
    one, two = np.stack([a, d, b], axis=2), np.stack([a, c, d], axis=2)
    triangles = np.concatenate([one.reshape(-1, 3), two.reshape(-1, 3)]).astype(np.int32)
    return Lid(
        np.concatenate([start, tip, top]), triangles, np.tile(lid.amounts[root], 3),
        np.tile(lid.slant[root], 3), ids[1].astype(np.int32),
    )  # fmt: skip


def ball_rings() -> NDArray[np.float64]:
    """Angles from the gaze at which the eyeball's rings lie, degrees."""
    return np.array([
        0.0, 5.0, 9.5, PUPIL - 0.7, PUPIL + 0.7, 17.0, 21.0, 25.0, IRIS - 2.2, IRIS - 0.5,
        IRIS + 1.2, 34.0, 41.0, 50.0, 61.0, 74.0, 86.0,
    ])  # fmt: skip


def make_ball(
    plan: Plan, segments: int = 36
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    """The left eyeball: vertices, triangles, and each vertex's angle from the gaze, degrees."""
    rings = ball_rings()[1:]
    turn = 2.0 * np.pi * np.arange(segments) / segments
    angle = np.repeat(rings, segments) * _RAD
    around = np.tile(turn, len(rings))
    way = np.column_stack(
        [np.sin(angle) * np.cos(around), np.sin(angle) * np.sin(around), np.cos(angle)]
    )
    way = np.concatenate([[[0.0, 0.0, 1.0]], way])
    ids = 1 + np.arange(len(rings) * segments).reshape(len(rings), segments)
    a, b = ids[:-1], ids[1:]
    c, d = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    triangles = np.concatenate(
        [np.stack([a, b, d], 2).reshape(-1, 3), np.stack([a, d, c], 2).reshape(-1, 3)]
    )
    fan = np.column_stack([np.zeros(segments, int), ids[0], np.roll(ids[0], -1)])
    return (
        np.array(plan.eye) + plan.ball * way,
        np.concatenate([fan, triangles]).astype(np.int32),
        np.concatenate([[0.0], np.repeat(rings, segments)]),
    )  # fmt: skip


def make_glint(
    plan: Plan, across: float, lift: float, size: float
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """A painted light, `across` degrees towards +x: it stays while the eye turns."""
    turn = 2.0 * np.pi * np.arange(14) / 14
    rings = [(0.0, np.zeros(1)), (0.55, turn), (1.0, turn)]
    side = np.concatenate([-across + size * r * np.cos(t) for r, t in rings])
    high = np.concatenate([lift + size * r * np.sin(t) for r, t in rings])
    points = eye_point(plan, side, high, np.full(len(side), 1.016 * plan.ball))
    one, two = np.arange(1, 15), np.arange(15, 29)
    fan = np.column_stack([np.zeros(14, int), np.roll(one, -1), one])
    a, b = np.roll(one, -1), np.roll(two, -1)
    ring = np.concatenate([np.column_stack([one, a, two]), np.column_stack([two, a, b])])
    return points, np.concatenate([fan, ring]).astype(np.int32)
