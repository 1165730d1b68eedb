"""Opacity, size and removal, splat by splat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel
from polyorama.scene.modify.step import DELETED, flags_of, in_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Delete, Opacity, Size
    from polyorama.scene.modify.step import Place, Step

__all__ = ["delete", "opacity", "size"]


def opacity(step: Step, modifier: Opacity, place: Place) -> Step:
    """Multiply opacities; what goes beyond 1 is 1. Strength blends old and new."""
    return _dimmed(step, modifier.factor, modifier.strength, place.chosen)


def size(step: Step, modifier: Size, place: Place) -> Step:
    """Multiply scales. Strength blends old and new."""
    factor = 1.0 + modifier.strength * (modifier.factor - 1.0)
    scales, flags = np.empty_like(step.scales), flags_of(place.chosen)
    in_parts(len(step), lambda start, stop: _scale(step.scales, flags, factor, scales, start, stop))
    return replace(step, scales=scales)


def delete(step: Step, modifier: Delete, place: Place) -> Step:
    """Remove the chosen splats, or with a strength below 1 let them fade."""
    if modifier.strength < 1.0:
        return _dimmed(step, 0.0, modifier.strength, place.chosen)
    if place.chosen is None:
        bits = np.full(len(step), DELETED, np.uint8)
    else:
        bits = place.chosen.view(np.uint8) * np.uint8(DELETED)
    return replace(step, gone=bits if step.gone is None else bits | step.gone)


def _dimmed(step: Step, factor: float, strength: float, chosen: NDArray[np.bool_] | None) -> Step:
    fresh, flags = np.empty_like(step.opacities), flags_of(chosen)
    in_parts(
        len(step),
        lambda start, stop: _dim(step.opacities, flags, factor, strength, fresh, start, stop),
    )
    return replace(step, opacities=fresh)


@kernel
def _dim(
    opacities: Any, flags: Any, factor: float, strength: float, out: Any, start: int, stop: int
) -> None:
    for i in range(start, stop):
        old = np.float64(opacities[i])
        change = 0.0
        if len(flags) == 0 or flags[i]:
            new = old * factor
            # Not min(), which would lose NaN.
            change = strength * ((1.0 if new > 1.0 else new) - old)
        out[i] = old + change


@kernel
def _scale(scales: Any, flags: Any, factor: float, out: Any, start: int, stop: int) -> None:
    for i in range(start, stop):
        times = 1.0
        if len(flags) == 0 or flags[i]:
            times = factor
        for axis in range(3):
            out[i, axis] = np.float64(scales[i, axis]) * times
