"""Solids that shapes are put together from: boxes, turned and swept bodies, blobs.

All is modelled with y up and the front towards +z, in metres or so; `assemble` turns the whole into
the axes of splat clouds once. Boxes and turned bodies stand on y = 0, round ones are centred.
Every solid is closed, with its triangles counter-clockwise seen from outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from polyorama.io.mesh import TURNS
from polyorama.scene.mesh import Mesh
from polyorama.shapes.procedural.ears import ears

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Paint", "Part", "Tint", "arc", "assemble", "bar", "blob", "box", "capsule", "circle", "cone",
    "cylinder", "group", "lathe", "loft", "pillow", "prism", "ribbon", "rounded", "sphere", "star",
    "sweep", "torus", "tube",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Paint:
    """A colour and what people call it; the name is "" where captions shall not mention it."""

    rgb: tuple[float, float, float]
    name: str = ""


Tint = Paint | tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A closed piece of surface; its methods give moved copies.

    Parameters
    ----------
    vertices
        (V, 3) float32, y up.
    triangles
        (T, 3) int32, counter-clockwise seen from outside.
    colors
        (V, 3) float32 display RGB.
    """

    vertices: NDArray[np.float32]
    triangles: NDArray[np.int32]
    colors: NDArray[np.float32]

    def _at(self, vertices: NDArray[np.float32]) -> Part:
        return Part(vertices, self.triangles, self.colors)

    def move(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Part:
        """Shift."""
        return self._at(self.vertices + np.array([x, y, z], np.float32))

    def turn(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Part:
        """Turn about the origin by degrees: about x first, then y, then z."""
        turned = self.vertices
        for axis, angle in enumerate((x, y, z)):
            if angle:
                turned = turned @ _rotation(axis, angle).T
        return self._at(turned)

    def scale(self, x: float, y: float | None = None, z: float | None = None) -> Part:
        """Stretch from the origin; one number for all axes. Negative ones mirror."""
        factors = np.array([x, x if y is None else y, x if z is None else z], np.float32)
        triangles = self.triangles if factors.prod() > 0 else self.triangles[:, ::-1]
        return Part(self.vertices * factors, triangles, self.colors)

    def mirror(self) -> Part:
        """Swap left and right."""
        return self.scale(-1.0, 1.0, 1.0)

    def bend(self, degrees: float) -> Part:
        """Bend along y towards +z: what stood straight becomes an arc of so many degrees."""
        low, high = self.vertices[:, 1].min(), self.vertices[:, 1].max()
        whole = np.radians(degrees)
        if abs(whole) < 1e-6:
            return self
        radius = (high - low) / whole
        angles = (self.vertices[:, 1] - low) / radius
        reach = radius - self.vertices[:, 2]
        bent = np.stack(
            [self.vertices[:, 0], low + reach * np.sin(angles), radius - reach * np.cos(angles)], 1
        )
        return self._at(bent.astype(np.float32))

    def taper(self, top: float, axis: int = 1) -> Part:
        """Widen or narrow along an axis, from 1 at its low end to `top` at its high end."""
        along = self.vertices[:, axis]
        low, high = along.min(), along.max()
        factor = 1.0 + (top - 1.0) * (along - low) / max(float(high - low), 1e-9)
        factors = np.repeat(factor[:, None], 3, axis=1)
        factors[:, axis] = 1.0
        return self._at((self.vertices * factors).astype(np.float32))

    def rough(self, rng: np.random.Generator, amount: float) -> Part:
        """Shift every corner by up to `amount` a side; corners that touch stay together."""
        places, back = np.unique(np.round(self.vertices, 5), axis=0, return_inverse=True)
        shifts = rng.uniform(-amount, amount, places.shape).astype(np.float32)
        return self._at(self.vertices + shifts[back.reshape(-1)])

    def paint(self, color: Tint) -> Part:
        """The same in another colour."""
        shown = np.broadcast_to(_rgb(color), self.vertices.shape)
        return Part(self.vertices, self.triangles, shown)

    def fade(self, low: Tint, high: Tint, axis: int = 1) -> Part:
        """Coloured from `low` at the low end of an axis to `high` at its high end."""
        along = self.vertices[:, axis]
        share = (along - along.min()) / max(float(np.ptp(along)), 1e-9)
        mixed = _rgb(low) + share[:, None] * (_rgb(high) - _rgb(low))
        return Part(self.vertices, self.triangles, mixed.astype(np.float32))


def _rgb(color: Tint) -> NDArray[np.float32]:
    return np.array(color.rgb if isinstance(color, Paint) else color, np.float32)


def _rotation(axis: int, degrees: float) -> NDArray[np.float32]:
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    first, second = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3, dtype=np.float32)
    matrix[first, first] = matrix[second, second] = cos
    matrix[first, second], matrix[second, first] = -sin, sin
    return matrix


def _part(vertices: ArrayLike, triangles: ArrayLike, color: Tint, at: ArrayLike) -> Part:
    """A part with its triangles turned outwards, whichever way they ran."""
    points = np.asarray(vertices, np.float32)
    faces = np.asarray(triangles, np.int32)
    # Six times the enclosed volume: the sum of a . (b x c) over triangles.
    if np.linalg.det(points[faces]).sum() < 0:
        faces = faces[:, ::-1]
    points = points + np.asarray(at, np.float32)
    return Part(points, faces, np.broadcast_to(_rgb(color), points.shape))


Place = tuple[float, float, float]
_ORIGIN: Place = (0.0, 0.0, 0.0)


@cache
def _loft_faces(rings: int, around: int, closed: bool, caps: bool) -> NDArray[np.int32]:
    """Triangles between rings of points, and fans over the two ends."""
    steps = rings if closed else rings - 1
    i, j = np.meshgrid(np.arange(steps), np.arange(around), indexing="ij")
    a = i * around + j
    b = i * around + (j + 1) % around
    c, d = ((i + 1) % rings) * around + j, ((i + 1) % rings) * around + (j + 1) % around
    sides = [np.stack([a, b, d], -1).reshape(-1, 3), np.stack([a, d, c], -1).reshape(-1, 3)]
    if caps and not closed:
        k = np.arange(1, around - 1)
        last = (rings - 1) * around
        sides.append(np.stack([0 * k, k + 1, k], 1))
        sides.append(np.stack([last + 0 * k, last + k, last + k + 1], 1))
    return np.concatenate(sides).astype(np.int32)


def loft(rings: ArrayLike, color: Tint, *, at: Place = _ORIGIN, closed: bool = False) -> Part:
    """A skin over rings of points, its ends closed by fans (they must be star-shaped).

    Parameters
    ----------
    rings
        (R, S, 3) points: R rings of S points each; a ring may be a single point S times.
    color
        Of the part.
    at
        Where its origin goes.
    closed
        Whether the last ring meets the first, as in a torus.
    """
    points = np.asarray(rings, np.float32)
    faces = _loft_faces(points.shape[0], points.shape[1], closed, True)
    return _part(points.reshape(-1, 3), faces, color, at)


def box(
    size: Place, color: Tint, at: Place = _ORIGIN, *, bevel: float = 0.0, taper: float = 1.0
) -> Part:
    """A box of (width, height, depth) that stands on `at`.

    Parameters
    ----------
    bevel
        How far its edges are cut off, as a length; at most a third of the thinnest side.
    taper
        Size of the top over that of the bottom.
    """
    width, height, depth = size
    cut = min(bevel, 0.33 * min(width, height, depth))
    x, z = width / 2, depth / 2
    if cut <= 0:
        t = taper
        low = [(x, 0.0, z), (x, 0.0, -z), (-x, 0.0, -z), (-x, 0.0, z)]
        high = [(x * t, height, z * t), (x * t, height, -z * t), (-x * t, height, -z * t),
                (-x * t, height, z * t)]  # fmt: skip
        return loft([low, high], color, at=at)
    u, v = x - cut, z - cut
    inner = [(u, v), (u, v), (u, -v), (u, -v), (-u, -v), (-u, -v), (-u, v), (-u, v)]
    outer = [(u, z), (x, v), (x, -v), (u, -z), (-u, -z), (-x, -v), (-x, v), (-u, z)]
    share = cut / height
    points = np.empty((4, 8, 3))
    for row, (ring, y, factor) in enumerate((
        (inner, 0.0, 1.0), (outer, cut, 1 + (taper - 1) * share),
        (outer, height - cut, 1 + (taper - 1) * (1 - share)), (inner, height, taper),
    )):  # fmt: skip
        points[row, :, ::2] = np.array(ring) * factor
        points[row, :, 1] = y
    return loft(points, color, at=at)


@cache
def _round(segments: int) -> NDArray[np.float64]:
    """(S, 3) unit circle in the plane y = 0; polygons with four corners lie square."""
    angles = (np.arange(segments) + 0.5) * 2 * np.pi / segments
    return np.stack([np.cos(angles), np.zeros(segments), -np.sin(angles)], axis=1)


def lathe(
    profile: Sequence[tuple[float, float]], color: Tint, at: Place = _ORIGIN, *, segments: int = 12,
    closed: bool = False,
) -> Part:  # fmt: skip
    """A body of revolution about y.

    Parameters
    ----------
    profile
        (radius, height) from one end of the outside to the other; a bowl goes up its outside and
        down its inside again.
    closed
        Whether the profile's end meets its start, as in a tube.
    """
    around = _round(segments)
    turned = np.asarray(profile, np.float64)
    rings = turned[:, :1, None] * around[None]
    rings[:, :, 1] = turned[:, 1:]
    return loft(rings, color, at=at, closed=closed)


def cylinder(
    radius: float, height: float, color: Tint, at: Place = _ORIGIN, *, top: float | None = None,
    segments: int = 12, bevel: float = 0.0,
) -> Part:  # fmt: skip
    """A cylinder that stands on `at`; with a `top` radius of its own, a frustum."""
    high = radius if top is None else top
    if bevel <= 0:
        return lathe([(radius, 0.0), (high, height)], color, at, segments=segments)
    cut = min(bevel, 0.4 * height, 0.6 * max(radius, high))
    profile = [(max(radius - cut, 0.0), 0.0), (radius, cut), (high, height - cut),
               (max(high - cut, 0.0), height)]  # fmt: skip
    return lathe(profile, color, at, segments=segments)


def cone(
    radius: float, height: float, color: Tint, at: Place = _ORIGIN, *, segments: int = 12
) -> Part:
    """A cone that stands on `at`."""
    return lathe([(radius, 0.0), (0.0, height)], color, at, segments=segments)


def tube(
    outer: float, inner: float, height: float, color: Tint, at: Place = _ORIGIN, *,
    segments: int = 12,
) -> Part:  # fmt: skip
    """A pipe that stands on `at`, open above and below."""
    profile = [(outer, 0.0), (outer, height), (inner, height), (inner, 0.0)]
    return lathe(profile, color, at, segments=segments, closed=True)


def sphere(
    radius: float | Place, color: Tint, at: Place = _ORIGIN, *, segments: int = 10,
    low: float = 0.0, high: float = 1.0,
) -> Part:  # fmt: skip
    """A ball or ellipsoid about `at`, or the slice of it between two shares of its height.

    Parameters
    ----------
    radius
        One, or one for each axis.
    low, high
        0 is the south pole and 1 the north pole: (0.5, 1) is a dome with a flat bottom.
    """
    steps = max(3, segments // 2)
    first, last = np.arcsin(2 * low - 1), np.arcsin(2 * high - 1)
    count = max(2, round(steps * (last - first) / np.pi))
    angles = np.linspace(first, last, count + 1)
    profile = [(float(np.cos(a)), float(np.sin(a))) for a in angles]
    unit = lathe(profile, color, segments=segments)
    factors = (radius, radius, radius) if isinstance(radius, float | int) else radius
    return unit.scale(*factors).move(*at)


def capsule(
    radius: float, length: float, color: Tint, at: Place = _ORIGIN, *, segments: int = 8
) -> Part:
    """A rod with round ends that stands on `at`; `length` is its whole height."""
    steps = max(2, segments // 4)
    angles = np.linspace(0, np.pi / 2, steps + 1)
    bottom = [(radius * float(np.sin(a)), radius * float(1 - np.cos(a))) for a in angles]
    top = [(r, length - y) for r, y in reversed(bottom)]
    return lathe(bottom + top, color, at, segments=segments)


def torus(
    radius: float, thick: float, color: Tint, at: Place = _ORIGIN, *, segments: int = 12,
    around: int = 6, degrees: float = 360.0,
) -> Part:  # fmt: skip
    """A ring about y, centred; with fewer `degrees` an open arc that starts at +x, towards -z.

    Parameters
    ----------
    radius, thick
        Of the circle it follows, and of its section.
    """
    if degrees >= 360.0:
        section = _round(around)
        profile = [(radius + thick * p[0], -thick * p[2]) for p in section.tolist()]
        return lathe(profile, color, at, segments=segments, closed=True)
    angles = np.radians(np.linspace(0, degrees, segments + 1))
    path = np.stack([radius * np.cos(angles), 0 * angles, -radius * np.sin(angles)], 1)
    return sweep(path, thick, color, at, segments=around)


def sweep(
    path: ArrayLike, radius: float | Sequence[float], color: Tint, at: Place = _ORIGIN, *,
    segments: int = 6,
) -> Part:  # fmt: skip
    """A rope along a line.

    Parameters
    ----------
    path
        (N, 3) points, N at least 2.
    radius
        One, or one for each point.
    """
    points = np.asarray(path, np.float64)
    steps = np.gradient(points, axis=0)
    forward = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-12)
    widths = np.broadcast_to(np.asarray(radius, np.float64), len(points))
    # Carried from point to point, so that the section does not twist.
    side = np.cross(forward[0], [0.0, 0.0, 1.0] if abs(forward[0][2]) < 0.9 else [1.0, 0.0, 0.0])
    section = _round(segments)
    rings = np.empty((len(points), segments, 3))
    for row, (point, ahead) in enumerate(zip(points, forward, strict=True)):
        side = side - ahead * (side @ ahead)
        side = side / max(float(np.linalg.norm(side)), 1e-12)
        other = np.cross(ahead, side)
        flat = section[:, :1] * side - section[:, 2:] * other
        rings[row] = point + widths[row] * flat
    return loft(rings, color, at=at)


def bar(
    start: Place, end: Place, radius: float, color: Tint, *, top: float | None = None,
    segments: int = 6,
) -> Part:  # fmt: skip
    """A round (four segments: square) bar between two points; `top` is its radius at the end."""
    return sweep([start, end], [radius, radius if top is None else top], color, segments=segments)


def circle(radius: float, segments: int = 12) -> NDArray[np.float64]:
    """(S, 2) outline of a disc."""
    angles = np.arange(segments) * 2 * np.pi / segments
    return np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=1)


def arc(
    radius: float, start: float, end: float, steps: int = 6, at: tuple[float, float] = (0.0, 0.0)
) -> list[tuple[float, float]]:
    """Points on a circle from one angle to another in degrees, both ends included."""
    angles = np.radians(np.linspace(start, end, steps + 1))
    return [(at[0] + radius * float(np.cos(a)), at[1] + radius * float(np.sin(a))) for a in angles]


def rounded(
    width: float, height: float, radius: float, steps: int = 2
) -> list[tuple[float, float]]:
    """Outline of a rectangle about the origin with round corners."""
    x, y = width / 2 - radius, height / 2 - radius
    corners = [((x, y), 0), ((-x, y), 90), ((-x, -y), 180), ((x, -y), 270)]
    return [p for at, a in corners for p in arc(radius, a, a + 90, steps, at)]


def star(points: int, outer: float, inner: float) -> NDArray[np.float64]:
    """(2 * points, 2) outline of a star or of a cog, its first tip up."""
    angles = np.pi / 2 + np.arange(2 * points) * np.pi / points
    radii = np.where(np.arange(2 * points) % 2 == 0, outer, inner)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def prism(
    outline: ArrayLike, depth: float, color: Tint, at: Place = _ORIGIN, *, bevel: float = 0.0
) -> Part:
    """An outline in the plane of x and y, made `depth` thick along z, centred on z.

    Parameters
    ----------
    outline
        (N, 2) points of a simple polygon, either way round; it may be concave.
    bevel
        How far its front and back are drawn in towards its middle, as a length.
    """
    flat = np.asarray(outline, np.float64)
    shifted = np.roll(flat, -1, axis=0)
    if float(np.sum(flat[:, 0] * shifted[:, 1] - shifted[:, 0] * flat[:, 1])) < 0:
        flat = flat[::-1]
    count = len(flat)
    face = flat
    if bevel > 0:
        middle = flat.mean(axis=0)
        reach = max(float(np.abs(flat - middle).max()), 1e-9)
        face = middle + (flat - middle) * max(0.2, 1 - bevel / reach)
    layers = (
        [
            (face, -depth / 2),
            (flat, -depth / 2 + bevel),
            (flat, depth / 2 - bevel),
            (face, depth / 2),
        ]
        if bevel > 0
        else [(flat, -depth / 2), (flat, depth / 2)]
    )
    points = np.concatenate([np.insert(layer, 2, z, axis=1) for layer, z in layers])
    sides = _loft_faces(len(layers), count, False, False)
    ends = ears(flat)
    last = (len(layers) - 1) * count
    return _part(points, np.concatenate([sides, ends[:, ::-1], ends + last]), color, at)


def ribbon(line: ArrayLike, thick: float, width: float, color: Tint, at: Place = _ORIGIN) -> Part:
    """A band over a line in the plane of x and y, `width` wide along z, centred on z.

    Parameters
    ----------
    line
        (N, 2) points, their x rising.
    thick
        Along y.
    """
    middle = np.insert(np.asarray(line, np.float64), 2, 0.0, axis=1)
    y, z = thick / 2, width / 2
    corners = np.array([[0, y, z], [0, y, -z], [0, -y, -z], [0, -y, z]])
    return loft(middle[:, None] + corners, color, at=at)


@cache
def _icosphere(detail: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Unit sphere: an icosahedron whose faces are cut in four `detail` times."""
    g = (1 + 5**0.5) / 2
    points = np.array(
        [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g],
         [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]]
    )  # fmt: skip
    faces = np.array(
        [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4],
         [11, 10, 2], [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
         [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]]
    )  # fmt: skip
    points /= np.linalg.norm(points[0])
    for _ in range(detail):
        edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        pairs, back = np.unique(edges, axis=0, return_inverse=True)
        middle = points[pairs].mean(axis=1)
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        ab, bc, ca = (back.reshape(-1, 3) + len(points)).T
        a, b, c = faces.T
        points = np.concatenate([points, middle])
        faces = np.concatenate(
            [np.stack(f, 1) for f in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))]
        )
    return points, faces.astype(np.int32)


def blob(
    radius: float | Place, color: Tint, rng: np.random.Generator, at: Place = _ORIGIN, *,
    rough: float = 0.15, detail: int = 1,
) -> Part:  # fmt: skip
    """A lump about `at`: rocks, foliage, bushes.

    Parameters
    ----------
    radius
        One, or one for each axis.
    rough
        How far corners lie in or out, as a share of the radius.
    detail
        0 for 20 faces, 1 for 80, 2 for 320.
    """
    points, faces = _icosphere(detail)
    factors = 1 + rng.uniform(-rough, rough, (len(points), 1))
    return _part(points * factors * np.asarray(radius), faces, color, at)


def pillow(
    size: Place, color: Tint, at: Place = _ORIGIN, *, segments: int = 12, square: float = 0.5
) -> Part:
    """A puffed body of (width, height, depth) that stands on `at`: cushions, loaves, bags.

    Parameters
    ----------
    square
        1 is an ellipsoid, towards 0 it fills its box.
    """
    steps = max(4, segments // 2)
    up = np.linspace(-np.pi / 2, np.pi / 2, steps + 1)[:, None]
    around = (np.arange(segments)[None] + 0.5) * 2 * np.pi / segments

    def power(value: NDArray[np.float64]) -> NDArray[np.float64]:
        bent: NDArray[np.float64] = np.sign(value) * np.abs(value) ** square
        return bent

    flat, x, z = power(np.cos(up)), power(np.cos(around)), power(-np.sin(around))
    points = np.stack([flat * x, power(np.sin(up)) + 0 * x, flat * z], axis=-1)
    return loft(points * np.array(size) / 2, color).move(at[0], at[1] + size[1] / 2, at[2])


def group(parts: Iterable[Part]) -> Part:
    """Several parts as one, so that they move together."""
    pieces = list(parts)
    starts = np.cumsum([0, *(len(p.vertices) for p in pieces)])
    return Part(
        np.concatenate([p.vertices for p in pieces]),
        np.concatenate(
            [p.triangles + np.int32(start) for p, start in zip(pieces, starts, strict=False)]
        ),
        np.concatenate([p.colors for p in pieces]),
    )


def assemble(
    parts: Iterable[Part], name: str = "", *, gradient: float = 0.0,
    stretch: Place = (1.0, 1.0, 1.0),
) -> Mesh:  # fmt: skip
    """A mesh of all parts, in the axes of splat clouds, with the colours at its vertices.

    Parameters
    ----------
    name
        Of the mesh.
    gradient
        How much darker the foot of each part is than its head, 0..1, as packs paint them.
    stretch
        Factors along x, y and z, all positive.
    """
    shaded = [_shaded(part, gradient) for part in parts] if gradient else parts
    whole = group(shaded).scale(*stretch)
    corners = whole.vertices[whole.triangles]
    area = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    extent = float(np.ptp(whole.vertices, axis=0).max())
    keep = area > 1e-9 * extent * extent
    return Mesh(
        whole.vertices @ TURNS["y"].T, whole.triangles[keep],
        colors=np.clip(whole.colors, 0.0, 1.0), name=name,
    )  # fmt: skip


def _shaded(part: Part, gradient: float) -> Part:
    height = part.vertices[:, 1]
    share = (height - height.min()) / max(float(np.ptp(height)), 1e-9)
    darker = part.colors * (1 + gradient * (share[:, None] - 0.6))
    return Part(part.vertices, part.triangles, darker)
