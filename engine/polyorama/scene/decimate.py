"""Decimation by local error: near and similar splats are merged, the least visible loss first.

Each round finds, for every splat, the neighbour with which it would merge at the smallest error,
and carries out the cheapest of these merges, until few enough splats are left. A merge keeps the
mass-weighted mean and covariance (moment matching); mass is opacity times area, so that the light
that the two held back is kept, too. The error is the integrated squared difference between the
two footprints and the merged one, seen along the three axes of the first splat, colours and their
change with direction included. All of it is in closed form, since products of Gaussians are
Gaussians::

    E = sum over views of  integral (o_i g_i c_i + o_j g_j c_j - o_m g_m c_m)^2
    integral g_a g_b = 2 pi sqrt(|A| |B| / |A + B|) exp(-d^T (A + B)^-1 d / 2)

Where a splat is so faint or small that leaving it out costs less than any merge, it is dropped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel, parallel_for, ranges
from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.scene.covariance import covariances, decompose, rotation_of
from polyorama.scene.neighbors import KdTree
from polyorama.scene.sh import SH_C0

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.splats import SplatCloud

__all__ = ["decimate"]

_NEIGHBORS = 12
_SHARE = 0.3
"""Largest share of the splats that goes in one round, so that errors are measured afresh."""
_COVER = 0.5
"""Weight of covering the background, beside colour, in the error."""
_OPAQUE = 0.999
_STAYS = -1
_GONE = -2
"""Fate of a splat that was dropped or merged into another."""


def decimate(cloud: SplatCloud, count: int) -> Job[SplatCloud]:
    """Reduce a cloud to `count` splats, as a job.

    Rows with NaN or infinity are dropped first. Extra columns keep the value of the heavier splat
    of a merge. The result is in an order of near neighbours. It does not depend on the number of
    cores.

    Parameters
    ----------
    cloud
        The splats.
    count
        How many shall be left, at least 1. A cloud that has no more is returned as it is.

    Raises
    ------
    UsageError
        If `count` is less than 1.
    """
    if count < 1:
        raise UsageError(f"A cloud cannot be decimated to {count} splats; at least 1 must stay.")
    total = len(cloud)
    if total <= count:
        return cloud
    yield Progress(0, total - count, "Decimating")
    work = _Work(cloud)
    while work.count > count:
        work.round(count)
        done = min(total - work.count, total - count)
        yield Progress(done, total - count, "Decimating")
    return work.cloud()


class _Work:
    """The shrinking arrays of one decimation."""

    def __init__(self, cloud: SplatCloud) -> None:
        finite = np.isfinite(cloud.means).all(axis=1) & np.isfinite(cloud.scales).all(axis=1)
        finite &= np.isfinite(cloud.quats).all(axis=1) & np.isfinite(cloud.opacities)
        finite &= np.isfinite(cloud.sh).all(axis=(1, 2)) & cloud.quats.any(axis=1)
        self._rows = np.flatnonzero(finite)
        self._source = cloud
        self._means = cloud.means[self._rows]
        self._quats = cloud.quats[self._rows]
        self._scales = cloud.scales[self._rows]
        self._opacities = cloud.opacities[self._rows]
        self._sh = cloud.sh[self._rows]

    @property
    def count(self) -> int:
        return len(self._rows)

    def cloud(self) -> SplatCloud:
        extras = {name: column[self._rows] for name, column in self._source.extras.items()}
        return replace(
            self._source, means=self._means, quats=self._quats, scales=self._scales,
            opacities=self._opacities, sh=self._sh, extras=extras,
        )  # fmt: skip

    def _pick(self, index: NDArray[Any]) -> None:
        for name in ("_rows", "_means", "_quats", "_scales", "_opacities", "_sh"):
            setattr(self, name, getattr(self, name)[index])

    def round(self, wanted: int) -> None:
        """Merge or drop the cheapest splats, at most `_SHARE` of them, towards `wanted`."""
        tree = KdTree.of(self._means)
        self._pick(tree.rows)
        near, _ = tree.neighbors(min(_NEIGHBORS, max(1, self.count - 1)))
        upper = covariances(self._quats, self._scales)
        partners = np.empty(self.count, np.int64)
        costs = np.empty(self.count, np.float64)

        def judge(_part: int, start: int, stop: int) -> None:
            _judge(
                self._means, self._quats, self._scales, self._opacities, self._sh, upper,
                near, partners, costs, start, stop,
            )  # fmt: skip

        parallel_for(judge, self.count, len(ranges(self.count, 64)))
        goal = min(self.count - wanted, max(1, int(self.count * _SHARE)))
        order = np.argsort(costs, kind="stable")
        fate = np.full(self.count, _STAYS, np.int64)
        _choose(order, partners, goal, fate)
        pairs = np.flatnonzero(fate >= 0)
        _merge(
            pairs, fate, self._means, self._opacities, self._sh, upper, self._rows,
        )  # fmt: skip
        self._quats[pairs], self._scales[pairs] = decompose(upper[pairs])
        alive = fate != _GONE
        self._pick(np.flatnonzero(alive))


@kernel
def _area(xx: float, xy: float, xz: float, yy: float, yz: float, zz: float) -> float:
    """Root of a covariance's second invariant: the area s1 s2 of a flat splat."""
    minors = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz
    return float(np.sqrt(max(minors, 1e-60)))


@kernel
def _overlap(
    a: float, b: float, c: float, d: float, e: float, f: float, x: float, y: float
) -> float:
    """Integral over 2 pi of two footprints ((a, b), (b, c)) and ((d, e), (e, f)), (x, y) apart."""
    det_1 = max(a * c - b * b, 1e-60)
    det_2 = max(d * f - e * e, 1e-60)
    p, q, r = a + d, b + e, c + f
    det = max(p * r - q * q, 1e-60)
    exponent = (r * x * x - 2.0 * q * x * y + p * y * y) / det
    if exponent > 60.0:
        return 0.0
    return float(np.sqrt(det_1 / det * det_2) * np.exp(-0.5 * exponent))


@kernel
def _judge(
    means: Any, quats: Any, scales: Any, opacities: Any, sh: Any, upper: Any,
    near: Any, partners: Any, costs: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Cheapest fate of each splat: a partner to merge with, or -1 to be dropped."""
    r = np.empty((3, 3), np.float64)
    t = np.empty((3, 3), np.float64)
    bands = sh.shape[1]
    for i in range(start, stop):
        rotation_of(
            np.float64(quats[i, 0]), np.float64(quats[i, 1]),
            np.float64(quats[i, 2]), np.float64(quats[i, 3]), r,
        )  # fmt: skip
        o_i = np.float64(opacities[i])
        # A floor keeps flat splats (and 2DGS) from vanishing when seen edge-on.
        largest = max(scales[i, 0], scales[i, 1], scales[i, 2])
        floor = (0.05 * np.float64(largest)) ** 2 + 1e-30
        i_x = np.float64(scales[i, 0]) ** 2 + floor
        i_y = np.float64(scales[i, 1]) ** 2 + floor
        i_z = np.float64(scales[i, 2]) ** 2 + floor
        area_i = _area(i_x, 0.0, 0.0, i_y, 0.0, i_z)
        c_ii = _likeness(sh, i, i, bands)
        own = np.sqrt(i_x * i_y) + np.sqrt(i_x * i_z) + np.sqrt(i_y * i_z)
        best = -1
        lowest = 0.5 * o_i * o_i * c_ii * own
        for k in range(near.shape[1]):
            j = near[i, k]
            if j < 0:
                continue
            # The neighbour in the axes of i.
            o_j = np.float64(opacities[j])
            dx = np.float64(means[j, 0]) - np.float64(means[i, 0])
            dy = np.float64(means[j, 1]) - np.float64(means[i, 1])
            dz = np.float64(means[j, 2]) - np.float64(means[i, 2])
            x = r[0, 0] * dx + r[1, 0] * dy + r[2, 0] * dz
            y = r[0, 1] * dx + r[1, 1] * dy + r[2, 1] * dz
            z = r[0, 2] * dx + r[1, 2] * dy + r[2, 2] * dz
            s0, s1, s2, s3, s4, s5 = (
                upper[j, 0], upper[j, 1], upper[j, 2], upper[j, 3], upper[j, 4], upper[j, 5],
            )  # fmt: skip
            for axis in range(3):
                a, b, c = r[0, axis], r[1, axis], r[2, axis]
                t[0, axis] = s0 * a + s1 * b + s2 * c
                t[1, axis] = s1 * a + s3 * b + s4 * c
                t[2, axis] = s2 * a + s4 * b + s5 * c
            j_xx = r[0, 0] * t[0, 0] + r[1, 0] * t[1, 0] + r[2, 0] * t[2, 0] + floor
            j_xy = r[0, 0] * t[0, 1] + r[1, 0] * t[1, 1] + r[2, 0] * t[2, 1]
            j_xz = r[0, 0] * t[0, 2] + r[1, 0] * t[1, 2] + r[2, 0] * t[2, 2]
            j_yy = r[0, 1] * t[0, 1] + r[1, 1] * t[1, 1] + r[2, 1] * t[2, 1] + floor
            j_yz = r[0, 1] * t[0, 2] + r[1, 1] * t[1, 2] + r[2, 1] * t[2, 2]
            j_zz = r[0, 2] * t[0, 2] + r[1, 2] * t[1, 2] + r[2, 2] * t[2, 2] + floor
            mass_i = o_i * area_i
            mass_j = o_j * _area(j_xx, j_xy, j_xz, j_yy, j_yz, j_zz)
            total = mass_i + mass_j
            if total <= 0.0:
                best, lowest = -1, 0.0
                break
            a = mass_i / total
            b = 1.0 - a
            ab = a * b
            m_xx = a * i_x + b * j_xx + ab * x * x
            m_xy = b * j_xy + ab * x * y
            m_xz = b * j_xz + ab * x * z
            m_yy = a * i_y + b * j_yy + ab * y * y
            m_yz = b * j_yz + ab * y * z
            m_zz = a * i_z + b * j_zz + ab * z * z
            o_m = _opacity(total, _area(m_xx, m_xy, m_xz, m_yy, m_yz, m_zz), o_i, o_j)
            c_ij = _likeness(sh, i, j, bands)
            c_jj = _likeness(sh, j, j, bands)
            c_im = a * c_ii + b * c_ij
            c_jm = a * c_ij + b * c_jj
            c_mm = a * c_im + b * c_jm
            cost = _view_error(
                i_x, 0.0, i_y, j_xx, j_xy, j_yy, m_xx, m_xy, m_yy, x, y, a, b,
                o_i, o_j, o_m, c_ii, c_ij, c_jj, c_im, c_jm, c_mm,
            ) + _view_error(
                i_x, 0.0, i_z, j_xx, j_xz, j_zz, m_xx, m_xz, m_zz, x, z, a, b,
                o_i, o_j, o_m, c_ii, c_ij, c_jj, c_im, c_jm, c_mm,
            ) + _view_error(
                i_y, 0.0, i_z, j_yy, j_yz, j_zz, m_yy, m_yz, m_zz, y, z, a, b,
                o_i, o_j, o_m, c_ii, c_ij, c_jj, c_im, c_jm, c_mm,
            )  # fmt: skip
            if cost < lowest:
                lowest = cost
                best = j
        partners[i] = best
        costs[i] = lowest


@kernel
def _likeness(sh: Any, i: int, j: int, bands: int) -> float:
    """Mean over all directions of the product of two splats' colours, plus cover."""
    total = _COVER
    for channel in range(3):
        a = 0.5 + SH_C0 * np.float64(sh[i, 0, channel])
        b = 0.5 + SH_C0 * np.float64(sh[j, 0, channel])
        total += a * b
    rest = np.float32(0.0)
    for band in range(1, bands):
        for channel in range(3):
            rest += sh[i, band, channel] * sh[j, band, channel]
    return float(total + 0.07957747154594767 * rest)  # 1 / (4 pi)


@kernel
def _opacity(mass: float, area: float, o_i: float, o_j: float) -> float:
    """Opacity that keeps the mass, but not more than one splat behind the other would have."""
    return min(mass / area, 1.0 - (1.0 - o_i) * (1.0 - o_j), _OPAQUE)


@kernel
def _view_error(
    ia: float, ib: float, ic: float, ja: float, jb: float, jc: float,
    ma: float, mb: float, mc: float, x: float, y: float, a: float, b: float,
    o_i: float, o_j: float, o_m: float,
    c_ii: float, c_ij: float, c_jj: float, c_im: float, c_jm: float, c_mm: float,
) -> float:  # fmt: skip
    """E of one view over 2 pi; the merged splat lies at b of the way from i to j."""
    alone_i = 0.5 * np.sqrt(max(ia * ic - ib * ib, 1e-60))
    alone_j = 0.5 * np.sqrt(max(ja * jc - jb * jb, 1e-60))
    alone_m = 0.5 * np.sqrt(max(ma * mc - mb * mb, 1e-60))
    both = _overlap(ia, ib, ic, ja, jb, jc, x, y)
    first = _overlap(ia, ib, ic, ma, mb, mc, b * x, b * y)
    second = _overlap(ja, jb, jc, ma, mb, mc, a * x, a * y)
    error = (
        o_i * o_i * c_ii * alone_i
        + o_j * o_j * c_jj * alone_j
        + o_m * o_m * c_mm * alone_m
        + 2.0 * o_i * o_j * c_ij * both
        - 2.0 * o_m * (o_i * c_im * first + o_j * c_jm * second)
    )
    return float(error)


@kernel
def _choose(order: Any, partners: Any, goal: int, fate: Any) -> None:
    """Go through the splats, cheapest first, and settle the fate of those still free.

    fate[i] = j >= 0: j merges into i; else `_STAYS` or `_GONE`.
    """
    taken = np.zeros(len(order), np.bool_)
    settled = 0
    for k in range(len(order)):
        if settled >= goal:
            return
        i = order[k]
        if taken[i]:
            continue
        j = partners[i]
        if j < 0:
            taken[i] = True
            fate[i] = _GONE
            settled += 1
        elif not taken[j]:
            taken[i] = True
            taken[j] = True
            fate[i] = j
            fate[j] = _GONE
            settled += 1


@kernel
def _merge(
    pairs: Any, fate: Any, means: Any, opacities: Any, sh: Any, upper: Any,
    rows: Any,
) -> None:  # fmt: skip
    """Moment matching of each chosen pair, in place of its first splat."""
    for at in range(len(pairs)):
        i = pairs[at]
        j = fate[i]
        o_i, o_j = np.float64(opacities[i]), np.float64(opacities[j])
        mass_i = o_i * _area(
            upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3], upper[i, 4], upper[i, 5]
        )
        mass_j = o_j * _area(
            upper[j, 0], upper[j, 1], upper[j, 2], upper[j, 3], upper[j, 4], upper[j, 5]
        )
        total = mass_i + mass_j
        a = mass_i / total
        b = 1.0 - a
        dx = np.float64(means[j, 0]) - np.float64(means[i, 0])
        dy = np.float64(means[j, 1]) - np.float64(means[i, 1])
        dz = np.float64(means[j, 2]) - np.float64(means[i, 2])
        for entry in range(6):
            upper[i, entry] = a * upper[i, entry] + b * upper[j, entry]
        upper[i, 0] += a * b * dx * dx
        upper[i, 1] += a * b * dx * dy
        upper[i, 2] += a * b * dx * dz
        upper[i, 3] += a * b * dy * dy
        upper[i, 4] += a * b * dy * dz
        upper[i, 5] += a * b * dz * dz
        means[i, 0] += b * dx
        means[i, 1] += b * dy
        means[i, 2] += b * dz
        area = _area(upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3], upper[i, 4], upper[i, 5])
        opacities[i] = _opacity(total, area, o_i, o_j)
        for band in range(sh.shape[1]):
            for channel in range(3):
                sh[i, band, channel] = a * sh[i, band, channel] + b * sh[j, band, channel]
        if b > a:
            rows[i] = rows[j]
