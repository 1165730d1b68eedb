"""Colour: grade, fill, and how much of it depends on the view."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.color import LUMA
from polyorama.core.compile import kernel
from polyorama.scene.modify.step import flags_of, in_parts
from polyorama.scene.sh import SH_C0

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Fill, Grade, SHLevel
    from polyorama.scene.modify.step import Place, Step

__all__ = ["TOE", "fill", "grade", "grade_matrix", "sh_level"]

TOE = 0.02
"""Below this value gamma is a straight line, so that its slope stays finite at black."""

_RED, _GREEN, _BLUE = (float(weight) for weight in LUMA)


def grade_matrix(modifier: Grade) -> NDArray[np.float64]:
    """(3, 4) float64: the linear part of a grade and its offset, on display RGB.

    In this order: the black point is subtracted; what is left is multiplied by 1 / (white - black),
    by 2^exposure (stops of display values, which are not light), by the gains of temperature and
    tint, which leave the brightness of grey, and by the colour; then hue and saturation turn and
    stretch what differs from grey, while brightness stays.
    """
    warm, magenta = modifier.temperature, modifier.tint
    gains = np.exp2([0.5 * warm + 0.25 * magenta, -0.5 * magenta, 0.25 * magenta - 0.5 * warm])
    gains *= np.asarray(modifier.multiply) / (LUMA @ gains)
    gains *= 2.0**modifier.exposure / (modifier.white - modifier.black)
    grey = np.tile(LUMA, (3, 1))
    chroma = np.eye(3) - grey
    # About the grey axis, then back to equal brightness along that axis: turns add up.
    turned = chroma @ _turn_about_grey(modifier.hue) @ chroma
    linear = (grey + modifier.saturation * turned) * gains
    return np.concatenate([linear, linear @ np.full((3, 1), -modifier.black)], axis=1)


def _turn_about_grey(degrees: float) -> NDArray[np.float64]:
    """(3, 3) rotation about the axis 1, 1, 1 (Rodrigues' formula)."""
    angle = np.radians(degrees)
    axis = np.full((3, 3), 1.0 / 3.0)
    cross = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]) / np.sqrt(3.0)
    turn: NDArray[np.float64] = axis + np.cos(angle) * (np.eye(3) - axis) + np.sin(angle) * cross
    return turn


def grade(step: Step, modifier: Grade, place: Place) -> Step:
    """Grade colours; see `grade_matrix`, after which comes gamma.

    The linear map is taken of all bands, the offset of the DC band alone. Gamma is no linear map:
    it is taken of the base colour, and the higher bands are multiplied by its slope there, channel
    by channel. Strength blends old and new.
    """
    matrix, flags, out = grade_matrix(modifier), flags_of(place.chosen), np.empty_like(step.sh)
    power = 1.0 / modifier.gamma

    def work(start: int, stop: int) -> None:
        _grade(step.sh, flags, matrix, power, modifier.strength, out, start, stop)

    in_parts(len(step), work)
    return replace(step, sh=out)


def fill(step: Step, modifier: Fill, place: Place) -> Step:
    """Give splats a colour; without shading it is the same from everywhere.

    With shading, brightness stays, the higher bands' too. A fill that cannot be as bright as the
    splat goes towards white, as far as it must. Strength blends old and new.
    """
    color, flags = np.asarray(modifier.color), flags_of(place.chosen)
    out = np.empty_like(step.sh)
    brightness = float(LUMA @ color)
    pure = color / brightness if brightness > 0.0 else np.ones(3)

    def work(start: int, stop: int) -> None:
        if modifier.shading:
            _tone(step.sh, flags, pure, modifier.strength, out, start, stop)
        else:
            _paint(step.sh, flags, color, modifier.strength, out, start, stop)

    in_parts(len(step), work)
    return replace(step, sh=out)


def sh_level(step: Step, modifier: SHLevel, place: Place) -> Step:
    """Fade bands beyond a level; those that no splat keeps are dropped."""
    degree = round(np.sqrt(step.sh.shape[1])) - 1
    weights = np.clip(modifier.level - np.arange(degree + 1) + 1.0, 0.0, 1.0)
    weights[0] = 1.0
    weights = 1.0 + modifier.strength * (weights - 1.0)
    if (weights == 1.0).all():
        return step
    if place.chosen is None:
        weights = weights[: int(np.flatnonzero(weights)[-1]) + 1]
    bands = np.repeat(weights, 2 * np.arange(len(weights)) + 1).astype(np.float32)
    flags, out = flags_of(place.chosen), np.empty((len(step), len(bands), 3), np.float32)
    in_parts(len(step), lambda start, stop: _level(step.sh, flags, bands, out, start, stop))
    return replace(step, sh=out)


@kernel
def _keep(sh: Any, out: Any, i: int) -> None:
    for band in range(sh.shape[1]):
        for channel in range(3):
            out[i, band, channel] = sh[i, band, channel]


@kernel
def _grade(
    sh: Any, flags: Any, matrix: Any, power: float, share: float, out: Any, start: int, stop: int
) -> None:
    base = np.empty(3, np.float64)
    a = np.empty((3, 3), np.float32)
    for i in range(start, stop):
        if len(flags) and not flags[i]:
            _keep(sh, out, i)
            continue
        for channel in range(3):
            base[channel] = 0.5 + SH_C0 * np.float64(sh[i, 0, channel])
        for row in range(3):
            value = (
                matrix[row, 0] * base[0]
                + matrix[row, 1] * base[1]
                + matrix[row, 2] * base[2]
                + matrix[row, 3]
            )
            slope = 1.0
            if power != 1.0:
                if value > TOE:
                    curved = value**power
                    slope = power * curved / value
                    value = curved
                else:
                    slope = TOE ** (power - 1.0)
                    value *= slope
            old = np.float64(sh[i, 0, row])
            out[i, 0, row] = old + share * ((value - 0.5) / SH_C0 - old)
            for column in range(3):
                a[row, column] = share * slope * matrix[row, column]
            a[row, row] += np.float32(1.0 - share)
        a00, a01, a02 = a[0, 0], a[0, 1], a[0, 2]
        a10, a11, a12 = a[1, 0], a[1, 1], a[1, 2]
        a20, a21, a22 = a[2, 0], a[2, 1], a[2, 2]
        for band in range(1, sh.shape[1]):
            r, g, b = sh[i, band, 0], sh[i, band, 1], sh[i, band, 2]
            out[i, band, 0] = a00 * r + a01 * g + a02 * b
            out[i, band, 1] = a10 * r + a11 * g + a12 * b
            out[i, band, 2] = a20 * r + a21 * g + a22 * b


@kernel
def _tone(sh: Any, flags: Any, pure: Any, share: float, out: Any, start: int, stop: int) -> None:
    """Fill with shading; `pure` is the colour at brightness 1."""
    excess = max(pure[0], pure[1], pure[2]) - 1.0
    hue = np.empty(3, np.float32)
    stay = np.float32(1.0 - share)
    for i in range(start, stop):
        if len(flags) and not flags[i]:
            _keep(sh, out, i)
            continue
        r, g, b = np.float64(sh[i, 0, 0]), np.float64(sh[i, 0, 1]), np.float64(sh[i, 0, 2])
        luma = 0.5 + SH_C0 * (_RED * r + _GREEN * g + _BLUE * b)
        deep = 1.0
        if excess > 0.0 and luma * (1.0 + excess) > 1.0:
            deep = max(1.0 - luma, 0.0) / (luma * excess)
        for channel in range(3):
            tone = 1.0 + deep * (pure[channel] - 1.0)
            old = np.float64(sh[i, 0, channel])
            out[i, 0, channel] = old + share * ((luma * tone - 0.5) / SH_C0 - old)
            hue[channel] = share * tone
        for band in range(1, sh.shape[1]):
            u, v, w = sh[i, band, 0], sh[i, band, 1], sh[i, band, 2]
            grey = np.float32(_RED) * u + np.float32(_GREEN) * v + np.float32(_BLUE) * w
            out[i, band, 0] = stay * u + hue[0] * grey
            out[i, band, 1] = stay * v + hue[1] * grey
            out[i, band, 2] = stay * w + hue[2] * grey


@kernel
def _paint(sh: Any, flags: Any, color: Any, share: float, out: Any, start: int, stop: int) -> None:
    """Fill without shading."""
    stay = np.float32(1.0 - share)
    for i in range(start, stop):
        if len(flags) and not flags[i]:
            _keep(sh, out, i)
            continue
        for channel in range(3):
            old = np.float64(sh[i, 0, channel])
            out[i, 0, channel] = old + share * ((color[channel] - 0.5) / SH_C0 - old)
        for band in range(1, sh.shape[1]):
            for channel in range(3):
                out[i, band, channel] = stay * sh[i, band, channel]


@kernel
def _level(sh: Any, flags: Any, weights: Any, out: Any, start: int, stop: int) -> None:
    for i in range(start, stop):
        if len(flags) and not flags[i]:
            _keep(sh, out, i)
            continue
        for band in range(len(weights)):
            for channel in range(3):
                out[i, band, channel] = sh[i, band, channel] * weights[band]
