"""Displacement: noise and wind move the centres of splats, each on its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel
from polyorama.scene.modify.noise import flow
from polyorama.scene.modify.step import flags_of, in_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Noise, Wind
    from polyorama.scene.modify.step import Place, Step

__all__ = ["LEAN", "noise", "wind"]

LEAN = 0.4
"""Share of a gust that is steady: wind pushes more than it lets swing back."""


def noise(step: Step, modifier: Noise, place: Place) -> Step:
    """Displace by a smooth flow (see `polyorama.scene.modify.noise`).

    It is asked at 2 * frequency * x and speed * time: two steps of its lattice are one wave.
    """
    reach = modifier.strength * modifier.amplitude
    palette, index = step.maps()
    back = np.linalg.inv(palette[:, :, :3])
    means, flags = np.empty_like(step.means), flags_of(place.chosen)
    time = modifier.speed * place.time

    def work(start: int, stop: int) -> None:
        _noise(
            step.means, palette, back, index, flags, reach, 2.0 * modifier.frequency, time,
            modifier.seed, means, start, stop,
        )  # fmt: skip

    in_parts(len(step), work)
    return replace(step, means=means)


def wind(step: Step, modifier: Wind, place: Place) -> Step:
    """Sway, with the square of the height above the root (as a beam bends), up to `reach`.

    Gusts are waves that travel along `direction`, one of them every `wavelength`, at `frequency`;
    a share `turbulence` of the sway is a smooth flow instead, with waves twice as long that are
    carried along. A direction of 0, 0, 0 blows nowhere: what is left is turbulence.
    """
    reach = modifier.strength * modifier.amplitude
    palette, index = step.maps()
    back = np.linalg.inv(palette[:, :, :3])
    means, flags = np.empty_like(step.means), flags_of(place.chosen)
    up = _unit(modifier.up) / modifier.reach
    ahead = _unit(modifier.direction)
    root = np.asarray(modifier.root)
    time = modifier.frequency * place.time

    def work(start: int, stop: int) -> None:
        _wind(
            step.means, palette, back, index, flags, reach, root, up, ahead,
            1.0 / modifier.wavelength, time, modifier.turbulence, modifier.seed, means,
            start, stop,
        )  # fmt: skip

    in_parts(len(step), work)
    return replace(step, means=means)


def _unit(direction: tuple[float, ...]) -> NDArray[np.float64]:
    vector = np.asarray(direction, np.float64)
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else vector


@kernel
def _placed(means: Any, palette: Any, index: Any, i: int, out: Any) -> int:
    """Where a splat is after its map, into `out` (3,); returns which map."""
    entry = np.int64(0)
    if len(index):
        entry = np.int64(index[i])
    m = palette[entry]
    x, y, z = np.float64(means[i, 0]), np.float64(means[i, 1]), np.float64(means[i, 2])
    for row in range(3):
        out[row] = m[row, 0] * x + m[row, 1] * y + m[row, 2] * z + m[row, 3]
    return int(entry)


@kernel
def _shifted(means: Any, back: Any, i: int, offset: Any, reach: float, out: Any) -> None:
    """The centre that lies `reach * offset` further once its map has moved it."""
    for row in range(3):
        out[i, row] = np.float64(means[i, row]) + reach * (
            back[row, 0] * offset[0] + back[row, 1] * offset[1] + back[row, 2] * offset[2]
        )


@kernel
def _still(means: Any, i: int, out: Any) -> None:
    for row in range(3):
        out[i, row] = means[i, row]


@kernel
def _noise(
    means: Any, palette: Any, back: Any, index: Any, flags: Any, reach: float, fine: float,
    time: float, seed: int, out: Any, start: int, stop: int,
) -> None:  # fmt: skip
    at = np.empty(3, np.float64)
    offset = np.empty(3, np.float64)
    for i in range(start, stop):
        if len(flags) and not flags[i]:
            _still(means, i, out)
            continue
        entry = _placed(means, palette, index, i, at)
        flow(fine * at[0], fine * at[1], fine * at[2], time, seed, offset)
        _shifted(means, back[entry], i, offset, reach, out)


@kernel
def _wind(
    means: Any, palette: Any, back: Any, index: Any, flags: Any, reach: float, root: Any, up: Any,
    ahead: Any, waves: float, time: float, turbulence: float, seed: int, out: Any,
    start: int, stop: int,
) -> None:  # fmt: skip
    at = np.empty(3, np.float64)
    offset = np.empty(3, np.float64)
    for i in range(start, stop):
        if len(flags) and not flags[i]:
            _still(means, i, out)
            continue
        entry = _placed(means, palette, index, i, at)
        height = 0.0
        for axis in range(3):
            height += up[axis] * (at[axis] - root[axis])
        if not height > 0.0:
            _still(means, i, out)
            continue
        bend = reach * min(height, 1.0) ** 2
        along = waves * (at[0] * ahead[0] + at[1] * ahead[1] + at[2] * ahead[2])
        gust = LEAN + (1.0 - LEAN) * np.sin(2.0 * np.pi * (time - along))
        offset[0] = offset[1] = offset[2] = 0.0
        if turbulence > 0.0:
            # Carried along by the wind, and slowly changing on the way.
            flow(
                waves * at[0] - time * ahead[0],
                waves * at[1] - time * ahead[1],
                waves * at[2] - time * ahead[2],
                time, seed, offset,
            )  # fmt: skip
        for axis in range(3):
            offset[axis] = (1.0 - turbulence) * gust * ahead[axis] + turbulence * offset[axis]
        _shifted(means, back[entry], i, offset, bend, out)
