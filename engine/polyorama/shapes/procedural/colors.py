"""Colours with the names that people give them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from polyorama.shapes.procedural.solids import Paint

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["NAMED", "TOYS", "closeness", "color_words", "tinted"]

_SHADES = {
    "red": ("c8322e", "d94a3d", "b3261e", "e0483e"),
    "dark red": ("7e1f22", "8b1a1a", "6d1b1b"),
    "orange": ("e8842c", "f0932b", "de7420"),
    "yellow": ("f2c530", "f6d44c", "e8b923"),
    "green": ("4f9d45", "5cae4a", "3f8f4f", "6fb552"),
    "dark green": ("2c5e3a", "24523a", "35613a"),
    "light green": ("a5d67c", "b3dd8f", "9ccf86"),
    "teal": ("2f9c95", "2a8c8c", "3fb0a5"),
    "blue": ("3a74c4", "2f66b5", "4784d6", "2b59a8"),
    "dark blue": ("24386b", "1f3060", "2b3f78"),
    "light blue": ("86c2ea", "9acdf0", "7ab6e3"),
    "purple": ("7d4ba3", "8a55b5", "6b3f96"),
    "pink": ("ec8fb0", "f0a2bd", "e67aa3"),
    "brown": ("8a5a36", "7a4d2c", "96653e", "6b4326"),
    "dark brown": ("4e3222", "583a28", "452b1e"),
    "light brown": ("b98a5a", "c4976a", "ad7f50"),
    "beige": ("e3d0ac", "dcc8a4", "ead9ba"),
    "white": ("f2f0ec", "ebe9e4", "f7f6f3"),
    "light grey": ("c9cbcd", "bfc3c7", "d2d3d4"),
    "grey": ("8d9196", "84888c", "989b9f"),
    "dark grey": ("4b4f56", "54585e", "44484e"),
    "black": ("25262a", "1e1f22", "2d2e33"),
    "gold": ("d9a93a", "cf9c2f", "e0b548"),
    "silver": ("b6bcc4", "aab1ba", "c1c6cc"),
    "bronze": ("a8713a", "9c6633", "b07a42"),
}
NAMED = {
    name: tuple(tuple(int(code[i : i + 2], 16) / 255.0 for i in (0, 2, 4)) for code in codes)
    for name, codes in _SHADES.items()
}
"""Display RGB of a few shades under each name."""

TOYS = ("red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "white", "dark blue",
        "light blue", "dark green")  # fmt: skip
"""What things may be painted that come in any colour."""


def tinted(rng: np.random.Generator, names: tuple[str, ...]) -> Paint:
    """One of the named colours, in one of its shades, a little off."""
    name = names[int(rng.integers(len(names)))]
    shades = NAMED[name]
    shade = np.array(shades[int(rng.integers(len(shades)))])
    r, g, b = np.clip(shade * rng.uniform(0.95, 1.05) + rng.uniform(-0.012, 0.012, 3), 0, 1)
    return Paint((float(r), float(g), float(b)), name)


_WORDS = frozenset(name.split()[-1] for name in NAMED) | {"colourful", "golden"}


def color_words(text: str) -> set[str]:
    """Which words of a text are colours, without "dark" and "light"."""
    return {word for word in re.findall("[a-z]+", text) if word in _WORDS}


def _lab(rgb: ArrayLike) -> NDArray[np.float64]:
    """OKLab of display RGB (B. Ottosson, 2020)."""
    display = np.asarray(rgb, np.float64)
    linear = np.where(display <= 0.04045, display / 12.92, ((display + 0.055) / 1.055) ** 2.4)
    cone = linear @ np.array(
        [[0.4122214708, 0.2119034982, 0.0883024619], [0.5363325363, 0.6806995451, 0.2817188376],
         [0.0514459929, 0.1073969566, 0.6299787005]]
    )  # fmt: skip
    result: NDArray[np.float64] = np.cbrt(cone) @ np.array(
        [[0.2104542553, 1.9779984951, 0.0259040371], [0.7936177850, -2.4285922050, 0.7827717662],
         [-0.0040720468, 0.4505937099, -0.8086757660]]
    )  # fmt: skip
    return result


def closeness(rgb: ArrayLike, name: str) -> NDArray[np.float64]:
    """(N,) distance in OKLab of N display colours (N, 3) to the nearest shade under a name."""
    apart = _lab(rgb)[:, None] - _lab(NAMED[name])[None]
    result: NDArray[np.float64] = np.linalg.norm(apart, axis=2).min(axis=1)
    return result
