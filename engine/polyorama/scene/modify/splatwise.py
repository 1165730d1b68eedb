"""Opacity, size and removal, splat by splat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.modify.step import DELETED, Step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Opacity, Size

__all__ = ["faded", "opacity", "removed", "size"]


def opacity(step: Step, modifier: Opacity, chosen: NDArray[np.bool_] | None) -> Step:
    """Multiply opacities; what goes beyond 1 is 1."""
    factor = np.float32(modifier.factor)
    old = step.cloud.opacities
    with np.errstate(all="ignore"):  # files hold NaN and infinity
        new = np.clip(old * factor, 0.0, 1.0)
        mixed = old + np.float32(modifier.strength) * (new - old)
    fresh = mixed if chosen is None else np.where(chosen, mixed, old)
    return replace(step, cloud=replace(step.cloud, opacities=fresh))


def size(step: Step, modifier: Size, chosen: NDArray[np.bool_] | None) -> Step:
    """Multiply scales."""
    factor = np.float32(1.0 + modifier.strength * (modifier.factor - 1.0))
    with np.errstate(all="ignore"):
        scales = step.cloud.scales * factor
    if chosen is not None:
        scales = np.where(chosen[:, None], scales, step.cloud.scales)
    return replace(step, cloud=replace(step.cloud, scales=scales))


def removed(step: Step, which: NDArray[np.bool_], strength: float) -> Step:
    """Remove splats, or with a strength below 1 let them fade."""
    if strength < 1.0:
        return faded(step, np.where(which, np.float32(1.0 - strength), np.float32(1.0)))
    bits = which.view(np.uint8) * np.uint8(DELETED)
    gone = bits if step.gone is None else bits | step.gone
    gone.flags.writeable = False
    return replace(step, gone=gone)


def faded(step: Step, factors: NDArray[np.float32]) -> Step:
    """Multiply opacities by (N,) factors of 0..1."""
    with np.errstate(all="ignore"):
        opacities = step.cloud.opacities * factors
    return replace(step, cloud=replace(step.cloud, opacities=opacities))
