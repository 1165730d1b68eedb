"""From painted sheets to Gaussians: small where there is much to see, large where there is little.

At every cell of a sheet the structure tensor of paint, outline and shape says how far one may go,
along the feature and across it, before the picture changes. Ellipses of those sizes are thrown at
random so that no centre lies in another's ellipse and nothing stays uncovered (an anisotropic
Poisson-disk set), and each ellipse becomes one flat Gaussian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel
from polyorama.verbs.theatre.paint import blurred
from polyorama.verbs.theatre.sheets import tangents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.verbs.theatre.sheets import Sheet

__all__ = ["Dabs", "joined", "stipple"]

Array = Any

SIGMA = 0.7
"""Standard deviation of a Gaussian over the radius of its ellipse: closed cover, crisp enough."""

_TOLERANCE = 0.055
"""How much display colour may change over one radius, before scaling."""

_LONGEST = 4.0
_SLOPE = 0.45
"""How fast sizes may grow with the distance from a detail, so that none is painted over."""

_KEPT_FROM_EDGE = 0.5
_NORMAL_WEIGHT = 0.3
_OUTLINE_WEIGHT = 1.2


@dataclass(frozen=True, slots=True)
class Dabs:
    """N flat dabs of paint before they are lit; stage axes.

    Parameters
    ----------
    means
        (N, 3) world units.
    frames
        (N, 3, 3) columns: long axis, short axis, normal.
    sigmas
        (N, 2) along and across.
    color
        (N, 3) display RGB of the paint.
    glow
        (N, 3) linear light sent out.
    gloss, metal, velvet, lit
        (N,) as those of `Sheet`.
    """

    means: NDArray[np.float64]
    frames: NDArray[np.float64]
    sigmas: NDArray[np.float64]
    color: NDArray[np.float64]
    glow: NDArray[np.float64]
    gloss: NDArray[np.float64]
    metal: NDArray[np.float64]
    velvet: NDArray[np.float64]
    lit: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.means)


def joined(parts: Sequence[Dabs]) -> Dabs:
    """All dabs in one."""
    return Dabs(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in Dabs.__dataclass_fields__)
    )


def stipple(
    sheets: Sequence[Sheet],
    count: int,
    *,
    seed: int,
    finest: float = 0.0042,
    widest: float = 0.05,
) -> Dabs:
    """Cover sheets with about `count` dabs.

    Parameters
    ----------
    sheets
        What is covered; `Sheet.coarse` gives a share of attention to each.
    count
        How many dabs; reached within a few percent by scaling the tolerances.
    seed
        Same seed, same dabs.
    finest, widest
        Radii in world units between which sizes stay, before scaling.
    """
    fields = [_Field(sheet) for sheet in sheets]
    scale = 1.0

    def sized(k: float) -> tuple[list[tuple[Array, Array]], float]:
        sizes = [
            field.sizes(finest * np.sqrt(k), widest * np.sqrt(k), _TOLERANCE * k)
            for field in fields
        ]
        # A maximal Poisson-disk set has about 0.58 / radius^2 centres per area.
        wanted = sum(
            float(0.58 * (field.area * field.inside / (along * across)).sum())
            for field, (along, across) in zip(fields, sizes, strict=True)
        )
        return sizes, wanted

    low, high = 0.02, 50.0
    sizes, wanted = sized(scale)
    for _ in range(14):
        if abs(wanted / count - 1.0) < 0.02:
            break
        low, high = (scale, high) if wanted > count else (low, scale)
        scale = float(np.sqrt(low * high))
        sizes, wanted = sized(scale)
    rng = np.random.default_rng(seed)
    return joined(
        [
            field.dabs(along, across, rng)
            for field, (along, across) in zip(fields, sizes, strict=True)
        ]
    )


class _Field:
    """A sheet with what decides the sizes of its dabs."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        pu, pv = tangents(sheet.points, sheet.closed)
        length_u = np.maximum(np.linalg.norm(pu, axis=2), 1e-7)
        # An orthonormal frame on the surface: e1 along the columns, e2 = normal x e1.
        self.e1 = pu / length_u[..., None]
        self.e1 -= sheet.normals * np.sum(self.e1 * sheet.normals, axis=2, keepdims=True)
        size = np.linalg.norm(self.e1, axis=2, keepdims=True)
        # At a pole the columns meet and any direction will do.
        spare = np.cross(sheet.normals, np.eye(3)[np.argmin(np.abs(sheet.normals), axis=2)])
        self.e1 = np.where(size < 0.5, spare, self.e1)
        self.e1 /= np.maximum(np.linalg.norm(self.e1, axis=2, keepdims=True), 1e-12)
        self.e2 = np.cross(sheet.normals, self.e1)
        # Cell coordinates to surface coordinates: [[a, b], [0, d]].
        self.a = length_u
        self.b = np.sum(self.e1 * pv, axis=2)
        d = np.sum(self.e2 * pv, axis=2)
        self.d = np.where(np.abs(d) < 1e-7, np.where(d < 0, -1e-7, 1e-7), d)
        self.area = np.abs(self.a * self.d)
        shape = self.area.shape
        self.inside = np.ones(shape) if sheet.mask is None else (sheet.mask > _KEPT_FROM_EDGE) * 1.0
        self.strong, self.weak, self.angle = self._tensor()

    def _tensor(self) -> tuple[Array, Array, Array]:
        """Eigenvalues of the structure tensor and the angle, from e1, of the weaker direction."""
        sheet = self.sheet
        layers = [sheet.color, _NORMAL_WEIGHT * sheet.lit * sheet.normals]
        if sheet.glow is not None:
            layers.append(np.sqrt(np.clip(sheet.glow, 0.0, 1.0)))
        slopes = [tangents(layer, sheet.closed) for layer in layers]
        slopes.append(self._outline())
        xx = np.zeros(self.area.shape)
        xy, yy = xx.copy(), xx.copy()
        for du, dv in slopes:
            gx = du / self.a[..., None]
            gy = (dv - self.b[..., None] * gx) / self.d[..., None]
            xx += (gx * gx).sum(axis=2)
            xy += (gx * gy).sum(axis=2)
            yy += (gy * gy).sum(axis=2)
        if min(self.area.shape) > 8:
            xx, xy, yy = (blurred(t, 1.0) for t in (xx, xy, yy))
        mean, half = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
        angle = 0.5 * np.arctan2(2 * xy, xx - yy) + np.pi / 2
        return mean + half, np.maximum(mean - half, 0.0), angle

    def _outline(self) -> tuple[Array, Array]:
        """Slopes of the outline: the sheet's mask, and its ends where it is not joined."""
        mask = np.ones(self.area.shape) if self.sheet.mask is None else self.sheet.mask
        sides = (0, 0) if self.sheet.closed else (1, 1)
        wide = _OUTLINE_WEIGHT * np.pad(mask, ((1, 1), sides))
        if self.sheet.closed:
            wide = np.pad(wide, ((0, 0), (1, 1)), mode="wrap")
        du = (wide[1:-1, 2:] - wide[1:-1, :-2]) / 2
        dv = (wide[2:, 1:-1] - wide[:-2, 1:-1]) / 2
        return du[..., None], dv[..., None]

    def sizes(self, finest: float, widest: float, tolerance: float) -> tuple[Array, Array]:
        """Radii along and across the feature, (H, W) each, world units."""
        coarse = self.sheet.coarse
        low, high = finest * coarse, widest * coarse
        error = tolerance * coarse
        cell_u, cell_v = self.a, np.hypot(self.b, self.d)
        # Dabs smaller than the cells they are chosen from would leave gaps.
        low = np.maximum(low, 0.7 * np.maximum(cell_u, cell_v))
        high = np.maximum(low, high)
        wanted = np.clip(error / np.sqrt(self.strong + 1e-12), low, high)
        across = wanted.copy()
        _limit_growth(across, cell_u, cell_v, _SLOPE, self.sheet.closed)
        along = np.clip(error / np.sqrt(self.weak + 1e-12), low, high)
        # Where a neighbour keeps a dab small, nothing here says which way it may be long.
        longest = np.clip(_LONGEST * (across / wanted) ** 2, 1.0, _LONGEST)
        along = np.clip(along, across, longest * across)
        _limit_growth(along, cell_u, cell_v, 2 * _SLOPE, self.sheet.closed)
        return np.maximum(along, across), across

    def dabs(self, along: Array, across: Array, rng: np.random.Generator) -> Dabs:
        """Throw the ellipses and pick up what lies under them."""
        sheet = self.sheet
        height, width = along.shape
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        # The ellipse as a quadratic form on cells: rows of the map surface -> unit disc, times J.
        lu, lv = cos * self.a / along, (cos * self.b + sin * self.d) / along
        su, sv = -sin * self.a / across, (-sin * self.b + cos * self.d) / across
        form = np.stack([lu * lu + su * su, lu * lv + su * sv, lv * lv + sv * sv], axis=2)
        candidates = np.flatnonzero(self.inside.ravel() > 0)
        rng.shuffle(candidates)
        chosen = _throw(candidates, np.ascontiguousarray(form), height, width, sheet.closed)
        i, j = np.divmod(candidates[chosen], width)
        y = np.clip(i + rng.uniform(-0.5, 0.5, len(i)), 0, height - 1)
        x = j + rng.uniform(-0.5, 0.5, len(j))
        x = x % width if sheet.closed else np.clip(x, 0, width - 1)

        def pick(layer: Array) -> Array:
            return _bilinear(layer, y, x, sheet.closed)

        normal = pick(sheet.normals)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
        long = cos[i, j][:, None] * self.e1[i, j] + sin[i, j][:, None] * self.e2[i, j]
        long -= normal * np.sum(long * normal, axis=1, keepdims=True)
        long /= np.maximum(np.linalg.norm(long, axis=1, keepdims=True), 1e-12)
        frames = np.stack([long, np.cross(normal, long), normal], axis=2)
        count = len(i)

        def constant(value: float) -> Array:
            return np.full(count, float(value))

        return Dabs(
            means=pick(sheet.points),
            frames=frames,
            sigmas=SIGMA * np.stack([along[i, j], across[i, j]], axis=1),
            color=pick(sheet.color)
            if sheet.grain is None
            else pick(np.clip(sheet.color * (1 + sheet.grain[..., None]), 0, 1)),
            glow=np.zeros((count, 3)) if sheet.glow is None else pick(sheet.glow),
            gloss=constant(sheet.gloss),
            metal=constant(sheet.metal),
            velvet=constant(sheet.velvet),
            lit=constant(sheet.lit),
        )


def _bilinear(layer: Array, y: Array, x: Array, closed: bool) -> Array:
    height, width = layer.shape[:2]
    i, j = np.floor(y).astype(int), np.floor(x).astype(int)
    fy, fx = (y - i)[:, None], (x - j)[:, None]
    below = np.minimum(i + 1, height - 1)
    right = (j + 1) % width if closed else np.minimum(j + 1, width - 1)
    top = layer[i, j] * (1 - fx) + layer[i, right] * fx
    return top * (1 - fy) + (layer[below, j] * (1 - fx) + layer[below, right] * fx) * fy


@kernel
def _limit_growth(
    size: NDArray[np.float64],
    cell_u: NDArray[np.float64],
    cell_v: NDArray[np.float64],
    slope: float,
    closed: bool,
) -> None:
    """Make `size` grow by at most `slope` per unit of distance: two chamfer sweeps, in place."""
    height, width = size.shape
    for _ in range(2 if closed else 1):
        for sweep in range(2):
            for ii in range(height):
                i = ii if sweep == 0 else height - 1 - ii
                near = i - 1 if sweep == 0 else i + 1
                for jj in range(width):
                    j = jj if sweep == 0 else width - 1 - jj
                    side = j - 1 if sweep == 0 else j + 1
                    if closed:
                        side %= width
                    du = cell_u[i, j] * slope
                    dv = cell_v[i, j] * slope
                    best = size[i, j]
                    if 0 <= side < width:
                        best = min(best, size[i, side] + du)
                    if 0 <= near < height:
                        best = min(best, size[near, j] + dv)
                        diagonal = np.sqrt(du * du + dv * dv)
                        if j > 0:
                            best = min(best, size[near, j - 1] + diagonal)
                        if j < width - 1:
                            best = min(best, size[near, j + 1] + diagonal)
                    size[i, j] = best


@kernel
def _throw(
    candidates: NDArray[np.int64],
    form: NDArray[np.float64],
    height: int,
    width: int,
    closed: bool,
) -> NDArray[np.int64]:
    """Indices of the candidates that lie in no ellipse of an earlier one."""
    covered = np.zeros((height, width), np.uint8)
    chosen = np.empty(len(candidates), np.int64)
    count = 0
    for n in range(len(candidates)):
        i = candidates[n] // width
        j = candidates[n] - i * width
        if covered[i, j]:
            continue
        chosen[count] = n
        count += 1
        a, b, c = form[i, j, 0], form[i, j, 1], form[i, j, 2]
        det = max(a * c - b * b, 1e-12)
        reach_u = min(int(np.sqrt(c / det)), width)
        reach_v = min(int(np.sqrt(a / det)), height)
        if closed:
            reach_u = min(reach_u, width // 2)
        covered[i, j] = 1
        for di in range(-reach_v, reach_v + 1):
            row = i + di
            if row < 0 or row >= height:
                continue
            for dj in range(-reach_u, reach_u + 1):
                column = j + dj
                if closed:
                    column %= width
                elif column < 0 or column >= width:
                    continue
                if a * dj * dj + 2.0 * b * di * dj + c * di * di < 1.0:
                    covered[row, column] = 1
    return chosen[:count]
