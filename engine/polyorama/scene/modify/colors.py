"""Colour: grade, fill, and how much of it depends on the view."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.sh import SH_C0

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.modifiers import Fill, Grade, SHLevel
    from polyorama.scene.modify.step import Step

__all__ = ["LUMA", "TOE", "fill", "grade", "grade_matrix", "sh_level"]

LUMA = np.array([0.2126, 0.7152, 0.0722])
"""Weights of red, green and blue in brightness (Rec. 709), as `luminance` of rules has them."""
TOE = 0.02
"""Below this value gamma is a straight line, so that its slope stays finite at black."""


def grade_matrix(modifier: Grade) -> NDArray[np.float64]:
    """(3, 4) float64: the linear part of a grade and its offset, on display RGB.

    In this order: the black point is subtracted; what is left is multiplied by 1 / (white - black),
    by 2^exposure (stops of display values, which are not light), by the colour gains; then hue and
    saturation turn and stretch what differs from grey, while brightness stays.
    """
    warm, magenta = modifier.temperature, modifier.tint
    gains = np.exp2([0.5 * warm + 0.25 * magenta, -0.5 * magenta, -0.5 * warm + 0.25 * magenta])
    gains *= np.asarray(modifier.multiply) / (LUMA @ gains)
    gains *= 2.0**modifier.exposure / (modifier.white - modifier.black)
    grey = np.tile(LUMA, (3, 1))
    chroma = np.eye(3) - grey
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


def grade(step: Step, modifier: Grade, chosen: NDArray[np.bool_] | None) -> Step:
    """Grade colours; see `grade_matrix`, after which comes gamma.

    Gamma is no linear map: it is taken of the base colour, and the higher bands are multiplied by
    its slope there, channel by channel.
    """
    matrix = grade_matrix(modifier)
    old = step.cloud.sh.astype(np.float64)
    new = old @ matrix[:, :3].T
    base = (0.5 + SH_C0 * old[:, 0]) @ matrix[:, :3].T + matrix[:, 3]
    power = 1.0 / modifier.gamma
    held = np.maximum(base, TOE)
    slope = np.where(base > TOE, power * held ** (power - 1.0), TOE ** (power - 1.0))
    value = np.where(base > TOE, held**power, base * TOE ** (power - 1.0))
    new *= slope[:, None]
    new[:, 0] = (value - 0.5) / SH_C0
    mixed = (old + modifier.strength * (new - old)).astype(np.float32)
    return _with_sh(step, mixed, chosen)


def fill(step: Step, modifier: Fill, chosen: NDArray[np.bool_] | None) -> Step:
    """Give splats a colour.

    With shading, brightness stays, the bands' too. A fill that cannot be as bright as the splat is
    goes towards white, as far as it must.
    """
    old = step.cloud.sh.astype(np.float64)
    new = np.zeros_like(old)
    color = np.asarray(modifier.color)
    if modifier.shading:
        luma = (0.5 + SH_C0 * old[:, 0]) @ LUMA
        brightness = LUMA @ color
        pure = color / brightness if brightness > 0.0 else np.ones(3)
        excess = pure.max() - 1.0
        room = np.clip(1.0 - luma, 0.0, None) / np.maximum(luma * excess, 1e-12)
        share = np.where(luma > 0.0, np.minimum(room, 1.0), 1.0)
        hue = 1.0 + share[:, None] * (pure - 1.0)
        new[:] = (old @ LUMA)[:, :, None] * hue[:, None]
        base = luma[:, None] * hue
    else:
        base = color[None]
    new[:, 0] = (base - 0.5) / SH_C0
    mixed = (old + modifier.strength * (new - old)).astype(np.float32)
    return _with_sh(step, mixed, chosen)


def sh_level(step: Step, modifier: SHLevel, chosen: NDArray[np.bool_] | None) -> Step:
    """Fade bands beyond a level; those that no splat keeps are dropped."""
    degree = step.cloud.sh_degree
    weights = np.clip(modifier.level - np.arange(4.0) + 1.0, 0.0, 1.0)
    weights[0] = 1.0
    weights = 1.0 + modifier.strength * (weights - 1.0)
    kept = degree if chosen is not None else int(np.flatnonzero(weights[: degree + 1])[-1])
    if kept == degree and (weights[: degree + 1] == 1.0).all():
        return step
    cloud = step.cloud.with_sh_degree(kept)
    if (weights[: kept + 1] == 1.0).all():
        return replace(step, cloud=cloud)
    bands = np.repeat(weights[: kept + 1], 2 * np.arange(kept + 1) + 1).astype(np.float32)
    return _with_sh(replace(step, cloud=cloud), cloud.sh * bands[:, None], chosen)


def _with_sh(step: Step, sh: NDArray[np.float32], chosen: NDArray[np.bool_] | None) -> Step:
    if chosen is not None:
        sh = np.where(chosen[:, None, None], sh, step.cloud.sh)
    return replace(step, cloud=replace(step.cloud, sh=sh))
