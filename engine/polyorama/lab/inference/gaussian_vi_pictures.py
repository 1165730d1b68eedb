"""Arrays that the views of Gaussian VI draw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from polyorama.lab.inference.bures import symmetric
from polyorama.lab.inference.gaussian_vi import gradients
from polyorama.lab.inference.gaussian_vi_race import room_target
from polyorama.lab.inference.gaussian_vi_stage import RIVALS, half_width
from polyorama.lab.inference.vi_targets import GaussianTarget
from polyorama.lab.look import DARK, colored, rgb
from polyorama.lab.streams import stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polyorama.lab.inference.bures import Normal
    from polyorama.lab.inference.gaussian_vi_race import Racer, VIParams
    from polyorama.lab.inference.vi_targets import Target

    Arrays = dict[str, NDArray[np.float64]]

__all__ = ["FAN", "Scenery", "fan", "gaussians", "scenery", "splats"]

FAN = 50
_SIDE, _HILLS, _DEEP = 96, 60, 41
_PARTICLES = 300
_RING = 40
_RELIEF, _LIFT, _STOREY = 0.55, 0.62, 0.085
"""World heights: of the landscape's top, of the first Gaussian over it, and between Gaussians."""
_FLAT = 0.004
_COLORS = {rival.id: rgb(DARK.color(place)) for place, rival in enumerate(RIVALS)}


@dataclass(frozen=True, slots=True, eq=False)
class Scenery:
    """What does not move.

    Parameters
    ----------
    flat
        Arrays of the plane's and the space's views.
    hills
        The landscape as splats: means (N, 3), quats (N, 4), scales (N, 3), colours (N, 3);
        () in more than two dimensions.
    """

    flat: Arrays
    hills: tuple[NDArray[np.float64], ...]


@lru_cache(maxsize=8)
def scenery(params: VIParams) -> Scenery:
    """Of a target."""
    target = room_target(params.target, params.dimension, params.condition)
    half = half_width(params)
    flat = {"density": _density(target, half, _SIDE)}
    if params.dimension == 2:
        return Scenery(_read_only(flat), _hills(target, half))
    points = target.sample(_PARTICLES, stream(0, "particles"))[:, :3]
    inside = points[(np.abs(points) < half).all(axis=1)]
    near = np.exp(-0.5 * ((inside - points.mean(axis=0)) ** 2).sum(axis=1) / points.var())
    flat |= {"particles": inside, "particle_color": colored(near, "cividis", low=-0.4, high=1.2)}
    return Scenery(_read_only(flat), ())


def _read_only(arrays: Arrays) -> Arrays:
    """Shared by all snapshots."""
    for array in arrays.values():
        array.setflags(write=False)
    return arrays


def _density(target: Target, half: float, side: int) -> NDArray[np.float64]:
    """(side, side) density of the first two axes over its greatest, the first row at the bottom."""
    middles = half * (2.0 * (np.arange(side) + 0.5) / side - 1.0)
    plane = np.stack(np.meshgrid(middles, middles), axis=-1)
    if target.dimension > 2 and isinstance(target, GaussianTarget):
        target = GaussianTarget(target.mean[:2], target.covariance[:2, :2])
    if target.dimension == 2:
        log = -target.potential(plane)
        return np.asarray(np.exp(log - log.max()))
    density = np.zeros(plane.shape[:2])
    top = -float(target.potential(target.starts().mean).min())
    for depth in np.linspace(-half, half, _DEEP):
        third = np.full((*plane.shape[:2], 1), depth)
        density += np.exp(-target.potential(np.concatenate([plane, third], axis=-1)) - top)
    return np.asarray(density / density.max())


def _hills(target: Target, half: float) -> tuple[NDArray[np.float64], ...]:
    from polyorama.lab.space import surface_cloud  # the renderer's side, only where it is shown

    heights = _density(target, half, _HILLS)
    middles = 2.0 * (np.arange(_HILLS) + 0.5) / _HILLS - 1.0
    colors = colored(heights**0.7, "cividis", low=0.0, high=1.0)
    cloud = surface_cloud(middles, middles, _RELIEF * heights, colors)
    return (
        np.asarray(cloud.means, np.float32), np.asarray(cloud.quats, np.float32),
        np.asarray(cloud.scales, np.float32), np.asarray(colors.reshape(-1, 3), np.float32),
    )  # fmt: skip


def gaussians(shown: Mapping[str, Normal], best: Normal) -> Arrays:
    """Means and covariances for the plane, and for space where there is one."""
    found: Arrays = {"best": best.mean[:, :2], "best_cov": best.covariance[:, :2, :2]}
    for name, q in shown.items():
        found[f"mean/{name}"] = q.mean[:, :2]
        found[f"cov/{name}"] = q.covariance[:, :2, :2]
        if q.dimension > 2:
            found[f"mean3/{name}"] = q.mean[:, :3]
            found[f"cov3/{name}"] = q.covariance[:, :3, :3]
            found[f"rings3/{name}"] = _rings(q.mean[0, :3], q.covariance[0, :3, :3])
    return found


def _rings(mean: NDArray[np.float64], covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3 x _RING, 2, 3) segments of the principal ellipses at two standard deviations."""
    values, axes = np.linalg.eigh(covariance)
    roots = 2.0 * axes * np.sqrt(np.maximum(values, 0.0))
    turn = np.linspace(0.0, 2.0 * np.pi, _RING + 1)
    rings = [
        mean + np.outer(np.cos(turn), roots[:, i]) + np.outer(np.sin(turn), roots[:, j])
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    return np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1) for ring in rings])


def fan(q: Normal, z: NDArray[np.float64], target: Target, c: float) -> Arrays:
    """Gradients of the draws z (n, d) at one Gaussian, plain and with the control variate."""
    return {
        "fan_from": np.zeros((len(z), 2)),
        "fan_plain": gradients(q, z, target, 0.0)[0, :, :2],
        "fan_control": gradients(q, z, target, c)[0, :, :2],
    }


def splats(
    hills: tuple[NDArray[np.float64], ...], racers: Mapping[str, Racer],
    shown: Mapping[str, Normal], params: VIParams,
) -> Arrays:  # fmt: skip
    """The landscape, and over it every Gaussian as one flat splat with its last iterates."""
    half = half_width(params)
    means, quats, scales, colors = ([part] for part in hills)
    opacities = [np.full(len(hills[0]), 0.97)]
    for storey, (name, racer) in enumerate(racers.items()):
        height = _LIFT + storey * _STOREY
        group = [*racer.trail, shown[name]]
        mean = np.concatenate([q.mean for q in group]) / half
        covariance = symmetric(np.concatenate([q.covariance for q in group])) / half**2
        values, axes = np.linalg.eigh(covariance)
        turn = np.arctan2(axes[:, 1, 0], axes[:, 0, 0])
        count, upright = len(group), np.zeros(len(group))
        means.append(np.column_stack([mean, np.full(count, height)]))
        quats.append(
            np.stack([np.cos(0.5 * turn), upright, upright, np.sin(0.5 * turn)], axis=1)
        )  # fmt: skip
        wide = np.sqrt(np.maximum(values, 0.0))
        scales.append(np.column_stack([wide, np.full(count, _FLAT)]))
        colors.append(np.tile(_COLORS[name], (count, 1)))
        opacities.append(np.append(np.linspace(0.02, 0.16, count - 1), 0.85))
        # A mast, so that one sees where over the landscape it floats.
        means.append(np.array([[*mean[-1], 0.5 * height]]))
        quats.append(np.array([[1.0, 0.0, 0.0, 0.0]]))
        scales.append(np.array([[0.006, 0.006, height / math.sqrt(12.0)]]))
        colors.append(np.array([_COLORS[name]]))
        opacities.append(np.array([0.7]))
    parts = {
        "splat_means": means, "splat_quats": quats, "splat_scales": scales,
        "splat_colors": colors, "splat_opacities": opacities,
    }  # fmt: skip
    return {key: np.concatenate(part).astype(np.float32) for key, part in parts.items()}
