"""Where the particles of a flow begin and where they go: pictures, painted or known, and objects.

A shape is a cloud of coloured points. Pictures lie in the plane z = 0, objects of the sample stage
are sampled from their Gaussians; each fits into the cube from -1 to 1.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["OBJECTS", "PAINTED_SIDE", "PICTURES", "SHAPES", "Cloud", "of_painting", "shape"]

PAINTED_SIDE = 64
PICTURES = ("butterfly", "galaxy", "heart", "moon", "theatre")
OBJECTS = ("teapot", "chair", "potted tree", "paper boat")
SHAPES = (*PICTURES, *OBJECTS)
_SIDE = 256
_PIGMENT = ((0.16, 0.27, 0.62), (0.36, 0.62, 0.95), (0.98, 0.83, 0.52))
"""Colours of painted values 0, 1/2 and 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Coloured points.

    Parameters
    ----------
    places
        (N, 3) float64, y up, within the cube from -1 to 1.
    colors
        (N, 3) float64 display RGB, 0..1.
    """

    places: NDArray[np.float64]
    colors: NDArray[np.float64]


def shape(name: str, count: int, random: np.random.Generator) -> Cloud:
    """Points of a shape in random order.

    Parameters
    ----------
    name
        One of `SHAPES`.
    count
        N.
    random
        The luck.

    Raises
    ------
    UsageError
        If there is none of that name.
    """
    if name not in SHAPES:
        raise UsageError(f"Shapes are {', '.join(SHAPES)}, not {name!r}.")
    if name in OBJECTS:
        return _of_object(name, count, random)
    weights, colors = _picture(name)
    return _of_picture(weights, colors, count, random)


def of_painting(values: NDArray[np.float64], count: int, random: np.random.Generator) -> Cloud:
    """Points of a painting of densities 0..1, the first row at the bottom; the denser, the warmer.

    Raises
    ------
    UsageError
        If nothing is painted.
    """
    if not values.max() > 0.0:
        raise UsageError("Nothing is painted for the particles to go to; paint something.")
    return _of_picture(values, _mixed(values, *_PIGMENT), count, random)


def _of_picture(
    weights: NDArray[np.float64],
    colors: NDArray[np.float64],
    count: int,
    random: np.random.Generator,
) -> Cloud:
    """Points by the weights of pixels, evenly: one in each of N equal shares of the whole."""
    rows, columns = weights.shape
    edges = np.cumsum(weights.ravel())
    marks = (np.arange(count) + random.random(count)) * (edges[-1] / count)
    pixel = np.minimum(np.searchsorted(edges, marks, side="right"), edges.size - 1)
    pixel = random.permutation(pixel)
    side = max(rows, columns)
    jitter = random.random((2, count))
    x = (2.0 * (pixel % columns + jitter[0]) - columns) / side
    y = (2.0 * (pixel // columns + jitter[1]) - rows) / side
    places = np.stack([x, y, np.zeros(count)], axis=1)
    return Cloud(places, colors.reshape(-1, 3)[pixel])


@functools.cache
def _picture(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights (rows, columns) and colours (rows, columns, 3), the first row at the bottom."""
    if name == "theatre":
        return _photograph("theatre.jpg")
    makers: dict[str, Callable[..., tuple[NDArray[np.float64], NDArray[np.float64]]]] = {
        "butterfly": _butterfly, "galaxy": _galaxy, "heart": _heart, "moon": _moon,
    }  # fmt: skip
    y, x = 2.0 * (np.mgrid[0:_SIDE, 0:_SIDE] + 0.5) / _SIDE - 1.0
    return makers[name](x, y)


def _mixed(share: NDArray[np.float64], *colors: tuple[float, float, float]) -> NDArray[np.float64]:
    """Colours (..., 3) along a ramp at shares 0..1."""
    stops, places = np.array(colors), np.linspace(0.0, 1.0, len(colors))
    return np.stack([np.interp(share, places, stops[:, c]) for c in range(3)], axis=-1)


def _butterfly(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fay's curve, filled: r = exp(sin t) - 2 cos 4t + sin^5((2t - pi) / 24)."""
    t = np.linspace(0.0, 2.0 * np.pi, 4001)
    radius = np.exp(np.sin(t)) - 2.0 * np.cos(4.0 * t) + np.sin((2.0 * t - np.pi) / 24.0) ** 5
    up = y + 0.12  # which brings it to the middle of the picture

    def direction(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
        """In half degrees, 0 to 719."""
        turns = (np.arctan2(y, x) + np.pi) / (2.0 * np.pi)
        return np.floor(720 * turns).astype(np.intp) % 720

    # How far inside a point lies is told by the curve's farthest reach in its own direction.
    reach = np.zeros(720)
    ends = 0.245 * radius * np.stack([np.cos(t), np.sin(t)])
    np.maximum.at(reach, direction(*ends), np.hypot(*ends))
    reach = np.maximum(reach, np.maximum(np.roll(reach, 1), np.roll(reach, -1)))
    inside = np.hypot(x, up) / np.maximum(reach[direction(x, up)], 1e-9)
    rings = 0.5 + 0.5 * np.cos(16.0 * inside)
    weights = np.where(inside < 1.0, 0.35 + 0.65 * inside**2 + 0.4 * rings, 0.0)
    colors = _mixed(
        np.clip(inside, 0.0, 1.0),
        (0.98, 0.86, 0.50), (0.95, 0.52, 0.30), (0.72, 0.25, 0.55), (0.30, 0.30, 0.75),
    )  # fmt: skip
    return weights, colors


def _galaxy(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two logarithmic arms about a bright middle."""
    radius, angle = np.hypot(x, y) + 1e-9, np.arctan2(y, x)
    arms = np.exp(6.0 * (np.cos(2.0 * (angle - 3.2 * np.log(radius + 0.08))) - 1.0))
    weights = (0.06 + arms) * np.exp(-2.2 * radius) + 1.4 * np.exp(-((radius / 0.14) ** 2))
    weights = np.where(radius < 0.98, weights, 0.0)
    share = np.clip(1.15 * radius, 0.0, 1.0)
    colors = _mixed(share, (1.0, 0.93, 0.76), (0.97, 0.66, 0.50), (0.53, 0.48, 0.95),
                    (0.36, 0.75, 1.0))  # fmt: skip
    return weights, colors


def _heart(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(x^2 + y^2 - 1)^3 < x^2 y^3, lit from the upper left."""
    u, v = 1.25 * x, 1.2 * y + 0.12
    depth = (u * u + v * v - 1.0) ** 3 - u * u * v**3
    light = np.clip(0.55 + 0.35 * (y - x), 0.0, 1.0)
    return np.where(depth < 0.0, 0.6 + 0.4 * light, 0.0), _mixed(
        light, (0.45, 0.07, 0.20), (0.90, 0.27, 0.33), (1.0, 0.72, 0.62)
    )


def _moon(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A crescent with five stars."""
    crescent = (np.hypot(x + 0.1, y) < 0.82) & (np.hypot(x - 0.28, y - 0.12) > 0.66)
    weights = crescent.astype(np.float64)
    stars = ((0.22, 0.3, 0.16), (0.55, -0.05, 0.1), (0.05, -0.2, 0.08), (0.72, 0.5, 0.09),
             (0.4, 0.72, 0.07))  # fmt: skip
    for left, bottom, size in stars:
        # |u|^(2/3) + |v|^(2/3) < 1 has four points, as a star that glints.
        u, v = np.abs(x - left) / size, np.abs(y - bottom) / size
        weights = np.maximum(weights, 1.6 * (np.cbrt(u) ** 2 + np.cbrt(v) ** 2 < 1.0))
    share = np.where(crescent, np.clip(0.5 - 0.5 * x, 0.0, 1.0), 0.2)
    return weights, _mixed(share, (0.75, 0.88, 1.0), (1.0, 0.95, 0.75), (0.98, 0.72, 0.36))


def _photograph(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A picture of the assets; light pixels weigh more."""
    from PIL import Image

    with (
        resources.files("polyorama_assets").joinpath("pictures", name).open("rb") as file,
        Image.open(file) as opened,
    ):
        picture = opened.convert("RGB")
        picture.thumbnail((_SIDE, _SIDE))
        colors = np.asarray(picture, np.float64)[::-1] / 255.0
    return colors @ np.array([0.3, 0.6, 0.1]), colors


@functools.cache
def _stage() -> dict[str, SplatCloud]:
    """The objects of the sample stage."""
    from polyorama.io.project import read_project
    from polyorama.scene.splats import SplatCloud

    with resources.as_file(resources.files("polyorama_assets").joinpath("sample.poly")) as file:
        document = read_project(file)
    contents = {name: document.node(name).content for name in OBJECTS}
    return {name: cloud for name, cloud in contents.items() if isinstance(cloud, SplatCloud)}


def _of_object(name: str, count: int, random: np.random.Generator) -> Cloud:
    """Points of Gaussians, each as often as it is opaque and large."""
    from polyorama.scene.rotations import rotation_matrices
    from polyorama.scene.splats import colors_from_sh

    cloud = _stage()[name]
    scales = cloud.scales.astype(np.float64)
    wide = np.sort(scales, axis=1)[:, 1:].prod(axis=1)
    edges = np.cumsum(cloud.opacities * wide)
    chosen = np.searchsorted(edges, random.random(count) * edges[-1], side="right")
    chosen = np.minimum(chosen, len(edges) - 1)
    turns = rotation_matrices(cloud.quats[chosen])
    spread = scales[chosen] * random.standard_normal((count, 3))
    places = cloud.means[chosen] + np.einsum("nij,nj->ni", turns, spread)
    places *= (1.0, -1.0, -1.0)  # files of captures have y down
    low, high = cloud.means.min(axis=0), cloud.means.max(axis=0)
    middle = 0.5 * (low + high) * (1.0, -1.0, -1.0)
    places = (places - middle) / (0.5 * float((high - low).max()))
    colors = np.clip(colors_from_sh(cloud.sh[chosen, 0]), 0.0, 1.0).astype(np.float64)
    return Cloud(0.9 * places, colors)
