"""The felt of the face in one piece: the skin, lips, pouch of the mouth and rims of the eyes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.head.eyes import HOLE_COLUMNS, hole_loop
from polyorama.face.rigs.head.identity import HeadIdentity
from polyorama.face.rigs.head.mouth import COLUMNS, LIP_ROWS, border_loop, make_mouth
from polyorama.face.rigs.head.plan import Plan
from polyorama.face.rigs.head.sculpt import Sculpt
from polyorama.face.rigs.head.template import Template, make_template

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Skin", "make_skin"]

NECK_COLUMNS = 36
_NECK_TOP = 0.1180
_NECK_ROWS = (0.128, 0.140, 0.153)
_FLIP = np.array([-1.0, 1.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """The felt.

    Parameters
    ----------
    vertices, triangles
        (n, 3) metres; (m, 3).
    kinds
        (m,) of each triangle: 0 skin, 1 lips, 2 pouch.
    column, row
        (n,) int: where a vertex of the mouth lies in its rows, -1 elsewhere.
    along
        (COLUMNS,) as of `Mouth`.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    kinds: NDArray[np.int32]
    column: NDArray[np.int64]
    row: NDArray[np.int64]
    along: NDArray[np.float64]


def _neck_ring(y: float) -> NDArray[np.float64]:
    turn = 2.0 * np.pi * np.arange(NECK_COLUMNS) / NECK_COLUMNS
    ring = np.column_stack([np.sin(turn), np.full(NECK_COLUMNS, y), np.cos(turn)])
    ring[:, [0, 2]] *= 0.0365
    ring[:, 2] -= 0.022
    ring[np.abs(ring[:, 0]) < 1e-12, 0] = 0.0
    other = (-np.arange(NECK_COLUMNS)) % NECK_COLUMNS
    return np.asarray(0.5 * (ring + ring[other] * _FLIP))


def _unit(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


def _holds(loop: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether directions lie in a loop: even and odd crossings in the tangent plane."""
    axis = _unit(loop.mean(axis=0)[None])[0]
    u = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
    u /= np.linalg.norm(u)
    v = np.cross(axis, u)
    near = np.flatnonzero(directions @ axis > 0.4)
    d = directions[near]
    px, py = (d @ u) / (d @ axis), (d @ v) / (d @ axis)
    lx, ly = (loop @ u) / (loop @ axis), (loop @ v) / (loop @ axis)
    odd = np.zeros(len(near), bool)
    for x1, y1, x2, y2 in zip(lx, ly, np.roll(lx, -1), np.roll(ly, -1), strict=True):
        if y1 != y2:
            cut = x1 + (py - y1) * (x2 - x1) / (y2 - y1)
            odd ^= ((y1 > py) != (y2 > py)) & (px < cut)
    found = np.zeros(len(directions), bool)
    found[near] = odd
    return found


def _eye_border(plan: Plan, sculpt: Sculpt) -> NDArray[np.float64]:
    """(HOLE_COLUMNS, 3) the border about the left eye, out on the sculpt where that is farther."""
    loop = hole_loop(plan)
    front = sculpt.front(loop[:, 0], loop[:, 1])
    loop[:, 2] += np.clip(front - loop[:, 2], 0.0, 0.010)
    return loop


@lru_cache(maxsize=1)
def _template() -> Template:
    """The one topology of all identities, spread for the usual one."""
    plan = Plan.of(HeadIdentity())
    sculpt = Sculpt(plan)
    mouth = _unit(border_loop(plan, sculpt, bow=0.0))
    left = _unit(_eye_border(plan, sculpt))
    neck = _unit(_neck_ring(_NECK_TOP))
    holes = [mouth, left, left * _FLIP, neck]
    rings = [border_loop(plan, sculpt, bow=0.0, out=out)[:: 1 if out < 0.006 else 2]
             for out in (0.0034, 0.0078, 0.0130)]  # fmt: skip
    for grow in (1.10, 1.22):
        ring = hole_loop(plan, grow)
        rings += [ring, ring * _FLIP]
    ring_points = _unit(np.concatenate(rings))
    ring_points[np.abs(ring_points[:, 0]) < 1e-9, 0] = 0.0
    nose = _unit(np.array([[0.0, 0.022, 0.105]]))[0]
    for loop in holes:
        loop[np.abs(loop[:, 0]) < 1e-9, 0] = 0.0

    def spacing(d: NDArray[np.float64]) -> NDArray[np.float64]:
        least = np.where(d[:, 2] > 0.0, 0.052, 0.052 + 0.080 * np.clip(-d[:, 2], 0.0, 1.0))
        least += 0.035 * np.clip((-d[:, 1] - 0.45) / 0.4, 0.0, 1.0)
        for places, fine, reach in (
            (mouth, 0.029, 0.05), (left, 0.033, 0.03), (left * _FLIP, 0.033, 0.03),
            (nose[None], 0.0225, 0.20), (neck, 0.060, 0.0),
        ):  # fmt: skip
            gap = np.sqrt(np.maximum(2.0 - 2.0 * (d @ places.T).max(axis=1), 0.0))
            least = np.minimum(least, fine + 0.22 * np.clip(gap - reach, 0.0, None))
        return np.asarray(least)

    def inside(d: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray(np.any([_holds(loop, d) for loop in holes], axis=0))

    pole = _unit(neck.mean(axis=0)[None])[0]
    return make_template(holes, ring_points, spacing, pole, inside)


def _grid(rows: NDArray[np.int64]) -> NDArray[np.int32]:
    """Triangles between rows of vertices, (R, C) indices, closed around."""
    a, b = rows[:-1], rows[1:]
    c, d = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    one, two = np.stack([a, d, b], axis=2), np.stack([a, c, d], axis=2)
    return np.concatenate([one.reshape(-1, 3), two.reshape(-1, 3)]).astype(np.int32)


def _relaxed(
    template: Template, sculpt: Sculpt, fixed: NDArray[np.float64], rounds: int = 18
) -> NDArray[np.float64]:
    """The template laid onto the sculpt and smoothed along it; the loops stay where they are."""
    count, pinned = len(template.directions), len(fixed)
    edges = np.concatenate([template.triangles[:, [0, 1]], template.triangles[:, [1, 2]],
                            template.triangles[:, [2, 0]]])  # fmt: skip
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    starts = np.concatenate([edges[:, 0], edges[:, 1]])
    ends = np.concatenate([edges[:, 1], edges[:, 0]])
    degree = np.bincount(starts, minlength=count)[:, None]
    # From the middle outwards to the surface; the sculpt is a star seen from there.
    own = np.flatnonzero(template.directions[:, 0] <= 0.0)
    other = template.mirror[own]
    way = template.directions[own]
    reach = np.full(len(own), 0.08)
    for _ in range(16):
        reach -= 0.9 * np.clip(sculpt.distance(way * reach[:, None]), -0.03, 0.01)
    points = np.empty_like(template.directions)
    points[other] = way * reach[:, None] * _FLIP
    points[own] = way * reach[:, None]
    points[:pinned] = fixed
    free = own[own >= pinned]
    for turn in range(rounds):
        mean = np.empty_like(points)
        for axis in range(3):
            mean[:, axis] = np.bincount(starts, points[ends, axis], count)
        step = 0.5 * (mean / degree - points)
        laid = sculpt.lay(points[free] + step[free], 1 if turn < rounds - 1 else 3)
        laid[template.mirror[free] == free, 0] = 0.0
        points[template.mirror[free]] = laid * _FLIP
        points[free] = laid
    return points


def make_skin(plan: Plan, sculpt: Sculpt) -> Skin:
    """The felt of an identity."""
    template = _template()
    mouth = make_mouth(plan, sculpt)
    left = _eye_border(plan, sculpt)
    fixed = np.concatenate([mouth.rows[0], left, left * _FLIP, _neck_ring(_NECK_TOP)])
    skin = _relaxed(template, sculpt, fixed)
    parts, triangles, kinds = [skin], [template.triangles], [np.zeros(len(template.triangles), int)]
    count = len(skin)

    def more(points: NDArray[np.float64]) -> NDArray[np.int64]:
        nonlocal count
        parts.append(points.reshape(-1, 3))
        ids = np.arange(count, count + points.size // 3).reshape(points.shape[:-1])
        count += ids.size
        return ids

    def join(made: NDArray[np.int32], kind: int) -> None:
        triangles.append(made)
        kinds.append(np.full(len(made), kind))

    # The mouth: the border is a loop of the template already.
    ids = np.concatenate([np.arange(COLUMNS)[None], more(mouth.rows[1:])])
    # Seen from the front, columns run from the face's left over the top: clockwise.
    join(_grid(ids[: LIP_ROWS - 1]), 1)
    join(_grid(ids[LIP_ROWS - 2 :]), 2)
    end = int(more(mouth.end[None])[0])
    last = ids[-1]
    join(np.column_stack([last, np.roll(last, -1), np.full(COLUMNS, end)]).astype(np.int32), 2)
    column, row = np.full(count, -1), np.full(count, -1)
    column[ids], row[ids] = np.arange(COLUMNS)[None, :], np.arange(len(ids))[:, None]
    column[end], row[end] = 0, len(ids)
    for number, flip in ((0, np.ones(3)), (1, _FLIP)):
        first = COLUMNS + number * HOLE_COLUMNS + np.arange(HOLE_COLUMNS)
        tucked = np.stack([hole_loop(plan, 0.955, 1.125), hole_loop(plan, 0.940, 1.070)]) * flip
        rows = np.concatenate([first[None], more(tucked)])
        made = _grid(rows)
        join(made if number == 0 else made[:, ::-1], 0)
    neck = COLUMNS + 2 * HOLE_COLUMNS + np.arange(NECK_COLUMNS)
    below = more(np.stack([_neck_ring(y) for y in _NECK_ROWS]))
    join(_grid(np.concatenate([neck[None], below])), 0)
    grown = np.full((2, count - len(column)), -1)
    return Skin(
        np.concatenate(parts), np.concatenate(triangles), np.concatenate(kinds).astype(np.int32),
        np.concatenate([column, grown[0]]), np.concatenate([row, grown[1]]), mouth.along,
    )  # fmt: skip
