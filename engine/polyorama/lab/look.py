"""The colours in which experiments are drawn, dark and light: those of the studio."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polyorama.lab.views import Colormap

__all__ = ["DARK", "DASHES", "LIGHT", "Look", "colored", "colors_of", "look_of", "rgb", "table"]

DASHES: tuple[tuple[float, ...], ...] = ((), (6.0, 3.0), (1.5, 2.5), (8.0, 3.0, 1.5, 3.0))
"""Patterns of curves in widths of the pen, in their order; () is solid."""

_STOPS = {
    "cividis": (
        "#00224E #002E6A #1A386F #32436D #434E6C #535A6D #61656F #6F7073 #7D7C78 #8C8878 #9B9476 "
        "#ABA072 #BCAE6C #CDBB63 #DEC958 #F0D846 #FEE838"
    ),
    "magma": (
        "#000004 #0A0822 #1D1147 #36106B #51127C #6A1C81 #832681 #9C2E7F #B73779 #D0416F #E75263 "
        "#F56B5C #FC8961 #FEA772 #FEC488 #FDE2A3 #FCFDBF"
    ),
    "diverging dark": (
        "#9CCBFF #5FA8FF #3A6FB5 #304463 #333741 #65442F #B06A2C #FFA24D #FFD3A1"
    ),
    "diverging light": (
        "#0F3F86 #2B6DC4 #7FAAE0 #BFD2EA #E6E7EA #EFCFB0 #E09A52 #B86A00 #703F00"
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of one theme, as hexadecimal text."""

    name: str
    ground: str
    panel: str
    raised: str
    line: str
    text: str
    quiet: str
    accent: str
    good: str
    bad: str
    series: tuple[str, ...]

    def color(self, number: int) -> str:
        """Of a curve or rival by its place."""
        return self.series[number % len(self.series)]


DARK = Look(
    "dark", "#17191E", "#1E2127", "#272B33", "#323742", "#E6E8EC", "#9AA1AD", "#FFB454", "#6CC08B",
    "#E8705F", ("#5FA8FF", "#FF8F6B", "#6CD0B4", "#C79BFF", "#F2D06B", "#FF7FB0"),
)  # fmt: skip
LIGHT = Look(
    "light", "#F4F5F7", "#FFFFFF", "#F0F1F4", "#D5D9E0", "#1B1E24", "#5C6470", "#B86A00",
    "#2F8F57", "#C23B2A", ("#1F6FD6", "#C4481D", "#16806A", "#7E4BCB", "#8A6A00", "#C2306F"),
)  # fmt: skip


def look_of(name: str) -> Look:
    """A theme by name.

    Raises
    ------
    UsageError
        If it is neither "dark" nor "light".
    """
    for look in (DARK, LIGHT):
        if look.name == name:
            return look
    raise UsageError(f"A figure is dark or light, not {name!r}.")


def rgb(color: str) -> tuple[float, float, float]:
    """Display RGB, 0..1, of hexadecimal text."""
    red, green, blue = (int(color[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
    return red, green, blue


@lru_cache(maxsize=8)
def table(colormap: Colormap, theme: str = "dark") -> NDArray[np.float64]:
    """The colours of a map, (256, 3) float64 display RGB 0..1, read-only."""
    name = f"{colormap} {theme}" if colormap == "diverging" else colormap
    stops = np.array([rgb(stop) for stop in _STOPS[name].split()])
    places, at = np.linspace(0.0, 1.0, len(stops)), np.linspace(0.0, 1.0, 256)
    colors = np.stack([np.interp(at, places, stops[:, c]) for c in range(3)], axis=1)
    colors.setflags(write=False)
    return colors


def colored(
    values: ArrayLike,
    colormap: Colormap,
    theme: str = "dark",
    low: float | None = None,
    high: float | None = None,
) -> NDArray[np.float64]:
    """(..., 3) float64 display RGB of numbers in a colour map, NaN where they are not finite.

    Parameters
    ----------
    low, high
        Ends of the map; None for those of the values. A diverging map is even about 0 then.
    """
    array = np.asarray(values, np.float64)
    finite = array[np.isfinite(array)]
    if not len(finite):
        return np.full((*array.shape, 3), np.nan)
    if colormap == "diverging" and low is None and high is None:
        high = float(np.abs(finite).max())
        low = -high
    bottom = float(finite.min()) if low is None else low
    top = float(finite.max()) if high is None else high
    span = top - bottom
    # Where all are equal, they have the middle colour.
    share = (array - bottom) / span if span > 0.0 else np.where(np.isfinite(array), 0.5, np.nan)
    known = np.isfinite(share)
    place = np.round(255.0 * np.clip(np.where(known, share, 0.0), 0.0, 1.0)).astype(np.intp)
    result = table(colormap, theme)[place]
    result[~known] = np.nan
    return result


def colors_of(
    value: NDArray[np.generic] | None, count: int, color: str, colormap: Colormap, theme: str
) -> NDArray[np.float64]:
    """(count, 3) display RGB of the members of a layer.

    Parameters
    ----------
    value
        (count,) numbers for the colour map, (count, 3) display RGB, or None for `color`.
    """
    if value is None or len(value) != count:
        return np.tile(rgb(color), (count, 1))
    if value.ndim == 2 and value.shape[1] == 3:
        return np.clip(np.asarray(value, np.float64), 0.0, 1.0)
    return colored(value.reshape(count, -1)[:, 0], colormap, theme)
