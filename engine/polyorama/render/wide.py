"""Splats that look wide from the eye, drawn alike in all the faces of a panorama.

Rasterizers make a splat's footprint from the first derivative of the projection at its middle. For
a glow that fills a quarter of the view that is far off at its rim, differently in every face, and a
face that the middle lies behind leaves it out: where faces meet, steps of a few levels show. What a
ray of direction d sees of a Gaussian with mean m and inverse covariance P is, at most,

    alpha = opacity exp(-E),   E(d) = (m P m - max(d P m, 0)^2 / d P d) / 2,

whatever the face. So for each face such splats are replaced by discs parallel to it, whose pictures
are exact, and whose exponents come closest to E on that face by weighted least squares.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.rotations import quaternions, rotation_matrices
from polyorama.scene.sh import SH_C0, basis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.splats import SplatCloud

__all__ = ["faced", "ray_exponents"]

_WIDE = 0.1
"""Standard deviation of the second longest axis over the distance from which a splat is wide."""
_NEAREST = 1.0
"""Distance in longest standard deviations within which the eye is inside: those stay as they are,
since a rasterizer draws them only where their middle is in front."""
_THINNEST = 1e-3
_STEPS = 13
_POWERS = (1.0, 2.0, 6.0)
"""Powers of alpha that weigh the exponents, tried in turn."""
_CURVES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Least curvatures of a disc's exponent, per squared tangent, tried in turn: where the true one is
concave, far from the middle, a broad disc with its middle outside stands for it. The broadest would
have to be more than solid there."""
_VISIBLE = 1.0 / 255.0
_SOLID = 0.99


def faced(cloud: SplatCloud, camera: Camera, reach: float) -> SplatCloud:
    """The cloud as it is drawn through one face's camera.

    Parameters
    ----------
    cloud
        In world space.
    camera
        A pinhole camera with its principal point in the middle.
    reach
        Tangent of the angle up to which rasterizers let footprints follow the projection.

    Returns
    -------
    As many splats in the same order; the cloud itself where none is wide.
    """
    chosen = _wide(cloud, camera)
    if not len(chosen):
        return cloud
    view = camera.viewmat
    turn = view[:3, :3]
    means = cloud.means[chosen].astype(np.float64) @ turn.T + view[:3, 3]
    precision = _precision(cloud, chosen, turn)
    edges = 0.5 * np.array([camera.width / camera.fx, camera.height / camera.fy])
    at = np.stack(np.meshgrid(*(np.linspace(-e, e, _STEPS) for e in edges)), axis=-1).reshape(-1, 2)
    rays = np.concatenate([at, np.ones((len(at), 1))], axis=1)
    exponent, depth = ray_exponents(means, precision, rays)
    best = exponent.min(axis=1)
    nowhere = cloud.opacities[chosen] * np.exp(-best) < 0.5 * _VISIBLE
    within = (np.abs(means[:, :2]) <= edges * means[:, 2:]).all(axis=1) & (means[:, 2] > 0.0)
    nowhere &= ~within
    gone, chosen = chosen[nowhere], chosen[~nowhere]
    exponent, depth, best = exponent[~nowhere], depth[~nowhere], best[~nowhere, None]
    own = _own_exponents(means[~nowhere], precision[~nowhere], at, reach)
    better, curve, middle, opacity = _fitted(exponent, at, cloud.opacities[chosen], own)
    chosen, depth, best = chosen[better], depth[better], best[better]
    exponent = exponent[better]
    weight = np.exp(best - exponent)
    far = (weight * depth).sum(axis=1) / weight.sum(axis=1)
    far = np.maximum(far, 2.0 * camera.near)

    arrays = {
        name: getattr(cloud, name).copy() for name in ("means", "quats", "scales", "opacities")
    }
    arrays["opacities"][gone] = 0.0
    spread, axes = np.linalg.eigh(curve)
    turned = np.zeros((len(chosen), 3, 3))
    turned[:, :2, :2] = axes
    turned[:, 2, 2] = np.linalg.det(axes)
    local = np.concatenate([middle, np.ones((len(chosen), 1))], axis=1) * far[:, None]
    arrays["means"][chosen] = (local - view[:3, 3]) @ turn
    arrays["quats"][chosen] = quaternions(turn.T @ turned)
    arrays["scales"][chosen, :2] = far[:, None] / np.sqrt(spread)
    arrays["scales"][chosen, 2] = 1e-6 * far
    arrays["opacities"][chosen] = np.minimum(opacity, 1.0)
    if cloud.sh.shape[1] > 1:
        arrays["sh"] = _seen_from(cloud, chosen, camera)
    return replace(cloud, **arrays)


def ray_exponents(
    means: NDArray[np.float64], precision: NDArray[np.float64], rays: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E of K splats along R rays, and how far along it is least: both (K, R).

    Parameters
    ----------
    means
        (K, 3) in the axes of the rays.
    precision
        (K, 3, 3) inverse covariances.
    rays
        (R, 3) directions, of any length.
    """
    toward = np.einsum("kij,kj->ki", precision, means)
    along = np.maximum(toward @ rays.T, 0.0)
    squared = np.einsum("ri,kij,rj->kr", rays, precision, rays, optimize=True)
    whole = np.einsum("ki,ki->k", means, toward)
    exponent = 0.5 * np.maximum(whole[:, None] - along**2 / squared, 0.0)
    return exponent, along / squared


def _wide(cloud: SplatCloud, camera: Camera) -> NDArray[np.intp]:
    # Column by column: numpy is slow along short rows.
    a, b, c = cloud.scales.T
    longest = np.maximum(np.maximum(a, b), c)
    second = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    eye = camera.position.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is not chosen
        distance = np.sqrt(sum((cloud.means[:, axis] - eye[axis]) ** 2 for axis in range(3)))
        chosen = (second > _WIDE * distance) & (distance > _NEAREST * longest)
    return np.flatnonzero(chosen & (cloud.opacities > _VISIBLE) & np.isfinite(distance))


def _precision(
    cloud: SplatCloud, chosen: NDArray[np.intp], turn: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(K, 3, 3) inverse covariances in camera axes."""
    scales = cloud.scales[chosen].astype(np.float64)
    scales = np.maximum(scales, _THINNEST * scales.max(axis=1, keepdims=True))
    factor = (turn @ rotation_matrices(cloud.quats[chosen])) / scales[:, None, :]
    return np.asarray(factor @ factor.transpose(0, 2, 1))


def _own_exponents(
    means: NDArray[np.float64],
    precision: NDArray[np.float64],
    at: NDArray[np.float64],
    reach: float,
) -> NDArray[np.float64]:
    """What rasterizers make of the splats as they are: (K, R) exponents, infinite behind."""
    front = means[:, 2] > 0.0
    depth = np.where(front, means[:, 2], 1.0)
    place = means[:, :2] / depth[:, None]
    jacobian = np.zeros((len(means), 2, 3))
    jacobian[:, 0, 0] = jacobian[:, 1, 1] = 1.0
    jacobian[:, :, 2] = -np.clip(place, -reach, reach)
    spread = jacobian @ np.linalg.solve(precision, jacobian.transpose(0, 2, 1))
    offset = at[None] - place[:, None]
    away = np.linalg.solve(spread, offset.transpose(0, 2, 1))
    form = 0.5 * np.einsum("kri,kir->kr", offset, away) * depth[:, None] ** 2
    return np.asarray(np.where(front[:, None], form, np.inf))


def _fitted(
    exponent: NDArray[np.float64],
    at: NDArray[np.float64],
    opacities: NDArray[np.float32],
    own: NDArray[np.float64],
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The discs whose alpha comes closest among several least squares of the exponent.

    Parameters
    ----------
    exponent
        (K, R) values at the places `at` (R, 2), tangents.
    opacities
        (K,) of the splats.
    own
        (K, R) what rasterizers make of them.

    Returns
    -------
    (K,) where a disc, or nothing, comes closer than the splat as it is; of these second derivatives
    (N, 2, 2) of the exponent, middles (N, 2), and opacities (N,) there, 0 for nothing.
    """
    u, v = at.T
    columns = np.stack([0.5 * u * u, u * v, 0.5 * v * v, u, v, np.ones_like(u)], axis=1)
    count = len(exponent)
    alpha = opacities[:, None] * np.exp(-exponent)
    limit = np.maximum(_SOLID, opacities * 1.001)
    curve, middle, opacity = (
        np.tile(np.eye(2), (count, 1, 1)),
        np.zeros((count, 2)),
        np.zeros(count),
    )
    error = np.square(alpha).sum(axis=1)
    for power in _POWERS:
        weight = np.exp(power * (exponent.min(axis=1, keepdims=True) - exponent)) + 1e-4
        found = _solved(columns, weight, exponent)
        bend, axes = np.linalg.eigh(found[:, [0, 1, 1, 2]].reshape(-1, 2, 2))
        for least in _CURVES:
            bent = (axes * np.maximum(bend, least)[:, None, :]) @ axes.transpose(0, 2, 1)
            form = 0.5 * np.einsum("ri,kij,rj->kr", at, bent, at, optimize=True)
            slope = _solved(columns[:, 3:], weight, exponent - form)
            place = -np.linalg.solve(bent, slope[:, :2, None])[..., 0]
            lowest = slope[:, 2] + 0.5 * np.einsum("ki,ki->k", slope[:, :2], place)
            peak = opacities * np.exp(np.minimum(-lowest, 80.0))
            shown = opacities[:, None] * np.exp(np.minimum(-form - slope @ columns[:, 3:].T, 5.0))
            off = np.square(np.minimum(shown, 1.0) - alpha).sum(axis=1)
            better = (off < error) & (peak < limit)
            error[better], opacity[better] = off[better], peak[better]
            curve[better], middle[better] = bent[better], place[better]
    closer = error < np.square(opacities[:, None] * np.exp(-own) - alpha).sum(axis=1)
    return closer, curve[closer], middle[closer], opacity[closer]


def _solved(
    columns: NDArray[np.float64], weight: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(K, C) weighted least squares of (K, R) values by (R, C) columns."""
    normal = np.einsum("ra,kr,rb->kab", columns, weight, columns, optimize=True)
    right = np.einsum("ra,kr->ka", columns, weight * values, optimize=True)
    return np.asarray(np.linalg.solve(normal, right[..., None])[..., 0])


def _seen_from(cloud: SplatCloud, rows: NDArray[np.intp], camera: Camera) -> NDArray[np.float32]:
    """The harmonics, those of `rows` being the one colour that the camera's place sees."""
    away = cloud.means[rows] - camera.position
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-30)
    degree = round(np.sqrt(cloud.sh.shape[1])) - 1
    color = np.einsum("kb,kbc->kc", basis(away, degree), cloud.sh[rows])
    sh = cloud.sh.copy()
    sh[rows] = 0.0
    sh[rows, 0] = color / SH_C0
    return sh
