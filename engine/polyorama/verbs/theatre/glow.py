"""Light one can see: haloes round lamps, windows and the moon, a moonbeam, a little dust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.scene.splats import SplatCloud, sh_from_colors
from polyorama.verbs.theatre import props, scenery, stage
from polyorama.verbs.theatre.paint import hex_color
from polyorama.verbs.theatre.sheets import shifted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["lights"]

Array = Any


def lights() -> dict[str, SplatCloud]:
    """Clouds of soft round Gaussians by name, in the axes of splat clouds."""
    return {
        "foot glow": _joined([_halo(shifted(stage.foot_places(), 0, 0.03, 0), _FOOT)]),
        "lamp glow": _joined([_halo(shifted(stage.lamp_places(), 0, 0, 0.02), _LAMP)]),
        "moonlight": _joined([_halo(_moon_place(), _MOON)]),
        "steam": _steam(),
        "ground": _ground(),
        "dust": _dust(),
    }


_FOOT = (
    (0.013, 0.985, "#fff4d2"),
    (0.035, 0.3, "#ffe6ae"),
    (0.08, 0.14, "#ffbe66"),
    (0.2, 0.05, "#ff9a3c"),
)
_LAMP = (
    (0.0125, 0.985, "#fff4d2"),
    (0.034, 0.3, "#ffe9b0"),
    (0.07, 0.16, "#ffc26a"),
    (0.14, 0.06, "#ff9f45"),
)
_MOON = ((0.3, 0.06, "#fff0d0"), (0.5, 0.06, "#ffd9ae"), (0.85, 0.035, "#d9a8c0"))


def _moon_place() -> Array:
    return np.array([[scenery.MOON[0], scenery.MOON[1], -2.2]])


def _halo(
    places: Array, rings: tuple[tuple[float, float, str], ...]
) -> tuple[Array, Array, Array, Array]:
    means, sizes, opacities, colors = [], [], [], []
    for size, opacity, color in rings:
        means.append(places)
        sizes.append(np.full((len(places), 3), size))
        opacities.append(np.full(len(places), opacity))
        colors.append(np.tile(hex_color(color), (len(places), 1)))
    return tuple(np.concatenate(part) for part in (means, sizes, opacities, colors))  # type: ignore[return-value]


def _ground() -> SplatCloud:
    """A pool of dim light on the table that the theatre stands on; it fades into the dusk."""
    rng = np.random.default_rng(3)
    ring = np.sqrt(rng.random(700))
    angle = rng.uniform(0, 2 * np.pi, 700)
    x, z = 4.6 * ring * np.cos(angle), -0.6 + 3.4 * ring * np.sin(angle)
    means = np.column_stack([x, np.full_like(x, stage.BASE - 0.005), z])
    fade = np.clip(1.15 - ring, 0, 1) ** 1.5
    warm = np.exp(-((x / 2.6) ** 2) - ((z - 1.3) / 0.9) ** 2)[:, None]
    under = ((np.abs(x) < 2.5) & (z < 0.95))[:, None]
    color = hex_color("#1d1a2c") + warm * (hex_color("#5a3a34") - hex_color("#1d1a2c"))
    color = np.where(under, hex_color("#0c0a14"), color)
    sizes = np.column_stack([np.full_like(x, 0.26), np.full_like(x, 0.004), np.full_like(x, 0.26)])
    return _cloud(means, sizes, 0.6 * fade + 0.01, color)


def _steam() -> SplatCloud:
    """A wisp that rises from the teapot's spout."""
    t = np.linspace(0, 1, 46)
    start = props.spout_tip()
    means = start + np.stack(
        [0.05 * np.sin(4.5 * t + 0.4) * t, 0.02 + 0.34 * t, 0.03 * np.cos(5 * t) * t], axis=1
    )
    size = 0.007 + 0.026 * t
    opacity = 0.085 * np.sin(np.pi * np.clip(t + 0.04, 0, 1)) ** 0.7 + 0.004
    return _cloud(means, np.tile(size[:, None], 3), opacity, np.tile(hex_color("#f6ead8"), (46, 1)))


def _dust() -> SplatCloud:
    rng = np.random.default_rng(12)
    count = 170
    means = np.column_stack(
        [
            rng.uniform(-1.2, 1.3, count),
            rng.uniform(0.25, 1.6, count),
            rng.uniform(-0.8, 0.5, count),
        ]
    )
    size = rng.uniform(0.0022, 0.0042, count)
    warm = rng.random(count)[:, None]
    color = hex_color("#ffdf9e") * warm + hex_color("#c9d4ff") * (1 - warm)
    return _cloud(means, np.tile(size[:, None], 3), rng.uniform(0.15, 0.5, count), color)


def _joined(parts: list[tuple[Array, Array, Array, Array]]) -> SplatCloud:
    return _cloud(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _cloud(means: Array, sizes: Array, opacities: Array, colors: ArrayLike) -> SplatCloud:
    quats = np.zeros((len(means), 4), np.float32)
    quats[:, 0] = 1.0
    return SplatCloud(
        means=(means * (1, -1, -1)).astype(np.float32),
        quats=quats,
        scales=sizes.astype(np.float32),
        opacities=opacities.astype(np.float32),
        sh=sh_from_colors(colors)[:, None, :],
        up=(0.0, -1.0, 0.0),
    )
