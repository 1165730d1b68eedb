"""Repair: what the linter advises it for is put right, and what cannot be is dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.lint import (
    colors_look_unconverted,
    opacities_look_converted,
    scales_look_linear,
)
from polyorama.scene.splats import sh_from_colors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["RepairPlan", "plan_repair", "repair"]

_SMALLEST = np.float32(1e-9)


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """What was decided for a cloud as a whole, so that it can be carried out in pieces.

    Parameters
    ----------
    linear_scales, converted_opacities, unconverted_colors
        Which columns a file held in another form than its format says.
    """

    linear_scales: bool
    converted_opacities: bool
    unconverted_colors: bool

    def apply(self, cloud: SplatCloud) -> SplatCloud:
        """Repair a cloud, or a piece of one."""
        scales = cloud.scales
        if self.linear_scales:
            with np.errstate(divide="ignore", invalid="ignore"):
                scales = np.log(scales)
            # -inf comes from scales of zero.
            scales = np.maximum(np.abs(np.where(np.isneginf(scales), 0.0, scales)), _SMALLEST)
        scales = np.abs(scales)
        opacities = cloud.opacities
        if self.converted_opacities:
            with np.errstate(divide="ignore", invalid="ignore"):
                opacities = np.log(opacities / (np.float32(1.0) - opacities))
        sh = cloud.sh
        if self.unconverted_colors:
            sh = sh.copy()
            sh[:, 0] = sh_from_colors(sh[:, 0])
        bad = ~np.isfinite(cloud.means).all(axis=1) | ~np.isfinite(scales).all(axis=1)
        bad |= ~np.isfinite(cloud.quats).all(axis=1) | np.isnan(opacities)
        bad |= ~np.isfinite(sh).all(axis=(1, 2))
        fixed = replace(
            cloud,
            quats=_unit_quaternions(cloud.quats),
            scales=scales,
            opacities=np.clip(opacities, np.float32(0.0), np.float32(1.0)),
            sh=sh,
        )
        return fixed.subset(~bad) if bad.any() else fixed


def plan_repair(cloud: SplatCloud) -> RepairPlan:
    """Decide what a cloud needs, from all of it or from a fair sample."""
    return RepairPlan(
        linear_scales=scales_look_linear(cloud),
        converted_opacities=opacities_look_converted(cloud),
        unconverted_colors=colors_look_unconverted(cloud),
    )


def repair(cloud: SplatCloud) -> SplatCloud:
    """Repair a cloud.

    All is put right for which the linter advises it, and nothing else. Scales that were linear in
    the file, opacities that were 0 to 1 and colours that were RGB are taken for what they are. Rows
    with NaN or infinity are dropped, rotations of length zero become none and all others unit,
    scales lose their sign, and opacities are cut to 0..1. What may be meant (giants such as a sky,
    needles, splats far away, axes) stays as it is; the linter names the step for each.
    """
    return plan_repair(cloud).apply(cloud)


def _unit_quaternions(quats: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(quats.astype(np.float64), axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = quats / length
    unit[length[:, 0] == 0.0] = (1.0, 0.0, 0.0, 0.0)
    return np.asarray(unit, np.float32)
