"""Pieces beside the skin: brows, ears, teeth, gums, tongue and the collar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.rigs.head.plan import smoothstep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.rigs.head.plan import Plan
    from polyorama.face.rigs.head.sculpt import Sculpt

__all__ = [
    "TEETH",
    "Grid",
    "grid_triangles",
    "make_brow",
    "make_bust",
    "make_ear",
    "make_teeth",
    "make_tongue",
    "mirrored_piece",
    "tooth_front",
]  # fmt: skip

TEETH = 10
"""Teeth of a row."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A piece: rows of vertices, and a shade for each.

    Parameters
    ----------
    points
        (n, 3) metres.
    triangles
        (m, 3), counter-clockwise from outside.
    shade
        (n, 3) factors of the material's colour, or colours.
    """

    points: NDArray[np.float64]
    triangles: NDArray[np.int32]
    shade: NDArray[np.float64]


def grid_triangles(rows: int, columns: int, *, closed: bool = False, turned: bool = False
                   ) -> NDArray[np.int32]:  # fmt: skip
    """Triangles of a grid of vertices in row order; `closed` joins the last column to the first."""
    ids = np.arange(rows * columns).reshape(rows, columns)
    if closed:
        ids = np.concatenate([ids, ids[:, :1]], axis=1)
    a, b, c, d = ids[:-1, :-1], ids[1:, :-1], ids[:-1, 1:], ids[1:, 1:]
    one, two = np.stack([a, b, d], axis=2), np.stack([a, d, c], axis=2)
    made = np.concatenate([one.reshape(-1, 3), two.reshape(-1, 3)]).astype(np.int32)
    return np.asarray(made[:, ::-1] if turned else made)


def mirrored_piece(piece: Grid) -> Grid:
    """The same piece of the other side."""
    return Grid(
        piece.points * np.array([-1.0, 1.0, 1.0]), piece.triangles[:, ::-1].copy(), piece.shade
    )


def _outward(points: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    """Triangles turned so that a closed piece encloses a positive volume."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    volume = np.einsum("nc,nc->n", np.cross(a, b), c).sum()
    return np.asarray(triangles if volume > 0 else triangles[:, ::-1].copy())


def tube(
    line: NDArray[np.float64], wide: NDArray[np.float64], flat: NDArray[np.float64],
    up: NDArray[np.float64], around: int,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:  # fmt: skip
    """A rod along a line with an elliptic section, closed at both ends.

    Parameters
    ----------
    line
        (n, 3) its middle.
    wide, flat
        (n,) half axes across and along `up`.
    up
        (n, 3) directions of the flat half axis, made perpendicular to the line here.
    around
        Vertices of a section.
    """
    way = np.gradient(line, axis=0)
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    up = up - (up * way).sum(axis=1, keepdims=True) * way
    up /= np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-9)
    across = np.cross(way, up)
    turn = 2.0 * np.pi * np.arange(around) / around
    points = (
        line[:, None]
        + (wide[:, None] * np.cos(turn))[:, :, None] * across[:, None]
        + (flat[:, None] * np.sin(turn))[:, :, None] * up[:, None]
    )
    triangles = grid_triangles(len(line), around, closed=True)
    ends = np.concatenate([points.reshape(-1, 3), line[[0, -1]]])
    count = len(line) * around
    ring = np.arange(around)
    last = ring + count - around
    caps = [
        np.column_stack([np.full(around, count), ring, np.roll(ring, -1)]),
        np.column_stack([np.full(around, count + 1), np.roll(last, -1), last]),
    ]
    triangles = np.concatenate([triangles, *caps]).astype(np.int32)
    return ends, _outward(ends, triangles)


def make_brow(plan: Plan, sculpt: Sculpt) -> Grid:
    """The left brow: a thick strip of yarn, tilted a little: friendly, not quite happy."""
    s = np.linspace(0.0, 1.0, 22)
    ex, ey, _ = plan.eye
    x = (ex + 0.030) + (-0.061) * s
    y = ey - 0.0445 - 0.0068 * np.sin(np.pi * np.clip(s * 0.9 + 0.02, 0, 1)) ** 1.2
    y += 0.0105 * s**2.4 + 0.0012 * (1.0 - s) - 0.06 * (plan.ball - 0.030)
    line = np.column_stack([x, y, sculpt.front(x, y)])
    normal = sculpt.normal(line)
    body = np.clip(s / 0.10, 0.0, 1.0) ** 0.6 * np.clip((1.0 - s) / 0.55, 0.0, 1.0) ** 0.55
    strands = 1.0 + 0.08 * np.cos(np.arange(22) * 2.4)
    half = (0.0010 + 0.0064 * body * strands) * plan.brows
    deep = (0.0010 + 0.0033 * body) * plan.brows**0.5
    points, triangles = tube(line + 0.0012 * normal, half, deep, normal, 12)
    tone = 1.0 + 0.16 * np.cos(np.arange(22) * 2.1)[:, None] * np.ones(12)
    tone *= 1.0 + 0.10 * np.cos(np.arange(12) * 2.0)[None, :]
    shade = np.concatenate([tone.ravel(), [1.0, 1.0]])
    return Grid(points, triangles, np.repeat(shade[:, None], 3, axis=1))


def make_ear(plan: Plan, sculpt: Sculpt) -> Grid:
    """The left ear: a felt bowl with a rolled rim, sunk into the head."""
    columns = 28
    turn = 2.0 * np.pi * np.arange(columns) / columns
    s = plan.ears
    # Outline in the ear's own plane, u towards the back of the head and v down.
    u = 0.0165 * s * np.cos(turn) * (1.0 - 0.18 * np.sin(turn)) + 0.0012 * s
    v = 0.0255 * s * np.sin(turn) * (1.0 - 0.05 * np.cos(turn))
    # Rows: share of the outline, and how far out of the plane.
    rows = ((0.06, -0.0035), (0.25, -0.0034), (0.45, -0.0022), (0.62, 0.0012), (0.76, 0.0042),
            (0.88, 0.0054), (0.97, 0.0046), (1.0, 0.0024), (0.95, -0.0004), (0.80, -0.0030),
            (0.62, -0.0070), (0.50, -0.0130))  # fmt: skip
    points = np.stack([
        np.column_stack([u * r, v * r, np.full(columns, w * s)]) for r, w in rows
    ])  # fmt: skip
    # The lower third hangs as a lobe: no rim there.
    lobe = smoothstep((np.sin(turn) - 0.45) / 0.5)
    points[3:7, :, 2] -= 0.0022 * s * lobe
    points[:3, :, 2] += 0.0022 * s * lobe
    # A fold before the hollow, at the cheek's side.
    fold = smoothstep((-np.cos(turn) - 0.55) / 0.4)
    points[4:7, :, 2] -= 0.0026 * s * fold
    angle = 0.62
    out = np.array([-np.cos(angle), 0.0, np.sin(angle)])
    back = np.array([-np.sin(angle), 0.0, -np.cos(angle)])
    down = np.array([0.14, 0.99, 0.05])
    base = np.array([[-0.2, 0.006, -0.012]])
    for _ in range(60):
        base[:, 0] += 0.8 * np.clip(sculpt.distance(base), -0.004, 0.02)
    middle = base[0] + np.array([-0.0060, 0.0, -0.004]) * s
    flat = points.reshape(-1, 3)
    placed = middle + flat[:, :1] * back + flat[:, 1:2] * down + flat[:, 2:] * out
    placed = np.concatenate([placed, [placed[:columns].mean(axis=0)]])
    ring, hub = np.arange(columns), len(placed) - 1
    triangles = grid_triangles(len(rows), columns, closed=True)
    fan = np.column_stack([np.full(columns, hub), ring, np.roll(ring, -1)])
    triangles = np.concatenate([triangles, fan]).astype(np.int32)
    a, b, c = (placed[triangles[:columns, k]] for k in range(3))
    if (np.cross(b - a, c - a) @ out).mean() < 0.0:
        triangles = triangles[:, ::-1].copy()
    depth = np.repeat([0.72, 0.78, 0.86, 0.95, 1.0, 1.0, 1.0, 1.0, 1.0, 0.97, 0.92, 0.88], columns)
    blush = np.column_stack([depth**0.5, depth, depth])
    return Grid(placed, triangles, np.concatenate([blush, blush[:1]]))


def tooth_front(plan: Plan, front: float, x: NDArray[np.float64], *, upper: bool
                ) -> NDArray[np.float64]:  # fmt: skip
    """Depth (z) of the smooth arch before which no tooth stands; `front` is the seal's depth."""
    start = front - (0.0066 if upper else 0.0092)
    bend = 13.5 if upper else 15.0
    return np.asarray(start - bend * (0.0395 / plan.half_mouth) * x**2)


def make_teeth(plan: Plan, front: float, *, upper: bool) -> tuple[Grid, NDArray[np.int32]]:
    """A row of rounded teeth in its gum, and the vertices of the cutting edge.

    `front` is the depth of the lips' seal in the middle.
    """
    per = 6
    columns = TEETH * per + 1
    s = np.linspace(-1.0, 1.0, columns)
    reach = plan.half_mouth * (0.79 if upper else 0.70)
    x = reach * (0.80 * np.sin(0.5 * np.pi * s) + 0.20 * s)
    z = tooth_front(plan, front, x, upper=upper)
    phase = (s + 1.0) * 0.5 * TEETH
    within = np.abs((phase % 1.0) - 0.5) * 2.0  # 0 in a tooth's middle, 1 between two
    within[[0, -1]] = 1.0
    groove = smoothstep((within - 0.62) / 0.38)
    big = 1.0 - 0.22 * np.abs(s) + (0.08 * (np.abs(s) < 0.2) if upper else 0.0)
    way = 1.0 if upper else -1.0  # towards the cutting edge
    edge = plan.mouth[1] + (0.0052 if upper else 0.0074)
    tall = (0.0098 if upper else 0.0080) * big
    slope = np.gradient(z, x)
    inward = np.column_stack([slope, np.zeros(columns), -np.ones(columns)])
    inward /= np.linalg.norm(inward, axis=1, keepdims=True)
    # Rows: up from the edge over the tooth's height, how deep, colour (0 tooth, 1 gum).
    rows = ((2.05, 0.0040, 1.0), (1.65, 0.0004, 1.0), (1.25, -0.0003, 1.0), (1.06, 0.0004, 1.0),
            (0.98, 0.0012, 0.0), (0.75, 0.0003, 0.0), (0.45, 0.0000, 0.0), (0.16, 0.0005, 0.0),
            (0.03, 0.0013, 0.0), (0.00, 0.0024, 0.0), (0.10, 0.0040, 0.0), (0.80, 0.0054, 0.0),
            (1.10, 0.0060, 1.0), (1.60, 0.0090, 1.0))  # fmt: skip
    points, shade = [], []
    ivory, gum = np.array([0.93, 0.89, 0.78]), np.array([0.70, 0.31, 0.30])
    for high, deep, pink in rows:
        y = edge - way * tall * high
        if pink == 0.0 and high < 0.3:
            y = y - way * 0.0011 * groove
        if pink == 1.0 and high < 1.1:
            y = y + way * 0.0010 * groove
        back = deep + (0.0011 * groove if pink == 0.0 else 0.0)
        points.append(np.column_stack([x, y, z]) + np.multiply.outer(
            np.broadcast_to(back, columns), np.ones(3)) * inward)  # fmt: skip
        tone = ivory * (1.0 - 0.30 * groove[:, None]) if pink == 0.0 else np.tile(gum, (columns, 1))
        shade.append(tone * (1.0 - 0.28 * np.abs(s)[:, None] ** 2))
    placed = np.concatenate(points)
    triangles = grid_triangles(len(rows), columns, turned=not upper)
    a, b, c = (placed[triangles[:, k]] for k in range(3))
    if np.cross(b - a, c - a)[:, 2].sum() < 0.0:
        triangles = triangles[:, ::-1].copy()
    ids = 8 * columns + np.arange(columns)
    return Grid(placed, triangles, np.concatenate(shade)), ids.astype(np.int32)


def make_tongue(plan: Plan, front: float) -> Grid:
    """A soft tongue that lies behind the lower teeth, its tip forward."""
    s = np.linspace(0.0, 1.0, 16)
    y = plan.mouth[1] + 0.0065 - 0.0030 * np.sin(np.pi * s) + 0.002 * (1.0 - s) ** 2
    z = front - 0.0595 + 0.0395 * s
    line = np.column_stack([np.zeros(16), y, z])
    body = np.sqrt(np.clip(1.0 - np.clip((s - 0.55) / 0.47, 0.0, None) ** 2, 0.0, None))
    wide = (0.0165 - 0.002 * s) * np.maximum(body, 0.10) * (plan.half_mouth / 0.0395)
    flat = 0.0050 * np.maximum(body, 0.25) ** 0.8
    points, triangles = tube(line, wide, flat, np.tile([0.0, -1.0, 0.0], (16, 1)), 18)
    # A furrow along the middle.
    furrow = np.exp(-((points[:, 0] / 0.0035) ** 2)) * (
        points[:, 1] < np.interp(points[:, 2], z, y)
    )
    points[:, 1] += 0.0012 * furrow
    red = np.array([0.80, 0.36, 0.36])
    shade = red * (1.0 - 0.22 * furrow[:, None]) * np.ones((len(points), 1))
    return Grid(points, triangles, shade)


def make_bust(plan: Plan) -> Grid:
    """A knitted roll collar on a small bust, closed below."""
    columns = 48
    turn = 2.0 * np.pi * np.arange(columns) / columns
    # Rows: height, half width, half depth, middle's depth.
    rows = ((0.136, 0.0340, 0.0340, -0.022), (0.1275, 0.0375, 0.0375, -0.021),
            (0.1250, 0.0430, 0.0430, -0.021), (0.1275, 0.0482, 0.0480, -0.020),
            (0.1340, 0.0508, 0.0504, -0.020), (0.1410, 0.0512, 0.0506, -0.020),
            (0.1475, 0.0490, 0.0486, -0.020), (0.1515, 0.0455, 0.0450, -0.020),
            (0.1540, 0.0500, 0.0470, -0.020), (0.1585, 0.0620, 0.0515, -0.021),
            (0.1645, 0.0750, 0.0550, -0.022), (0.1730, 0.0860, 0.0580, -0.023),
            (0.1820, 0.0910, 0.0600, -0.024), (0.1900, 0.0920, 0.0600, -0.024),
            (0.1940, 0.0885, 0.0565, -0.024), (0.1946, 0.0500, 0.0300, -0.024))  # fmt: skip
    points, shade = [], []
    for number, (y, wide, deep, middle) in enumerate(rows):
        rib = 1.0 + (0.016 * np.cos(turn * 24) if 1 <= number <= 7 else 0.0)
        points.append(np.column_stack([
            wide * np.sin(turn) * rib, y + 0.006 * np.cos(turn) * (number < 8),
            middle + deep * np.cos(turn) * rib,
        ]))  # fmt: skip
        dark = np.full(columns, 0.80 if number in (0, 1) else 1.0)
        if 1 <= number <= 7:
            dark = dark * (1.0 - 0.10 * (np.cos(turn * 24) < 0))
        shade.append(np.repeat(dark[:, None], 3, axis=1) * (0.85 if number == 7 else 1.0))
    bottom = np.array([[0.0, 0.1946, -0.024]])
    placed = np.concatenate([*points, bottom])
    triangles = grid_triangles(len(rows), columns, closed=True, turned=True)
    last = (len(rows) - 1) * columns + np.arange(columns)
    fan = np.column_stack([np.full(columns, len(placed) - 1), last, np.roll(last, -1)])
    triangles = np.concatenate([triangles, fan]).astype(np.int32)
    tops = placed[triangles[:, 0]]
    if (np.cross(placed[triangles[:, 1]] - tops, placed[triangles[:, 2]] - tops)
            * (tops - [0.0, 0.15, -0.022])).sum() < 0.0:  # fmt: skip
        triangles = triangles[:, ::-1].copy()
    return Grid(placed, triangles, np.concatenate([*shade, np.ones((1, 3))]))
