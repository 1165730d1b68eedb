"""Numbers that each splat has, by name: what rules, histograms and statistics ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.color import luma

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = ["PROPERTIES", "Property", "find_property", "hue_saturation_value"]


@dataclass(frozen=True, slots=True)
class Property:
    """One named number or vector of a splat.

    Parameters
    ----------
    name
        What it is asked for by.
    help
        What it is, with its unit or range.
    compute
        Cloud to (N,) or, with `components`, (N, len(components)).
    components
        Names of a vector's components, or "" for a single number.
    """

    name: str
    help: str
    compute: Callable[[SplatCloud], NDArray[Any]]
    components: str = ""


_lenient = np.errstate(all="ignore")
"""Files hold NaN, infinity and numbers whose products overflow; so may their properties."""


def hue_saturation_value(colors: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, 3) hue in degrees 0..360, saturation and value 0..1, of (N, 3) RGB, clamped to 0..1."""
    from polyorama.scene.hsv import fill_hsv  # brings in the compiler, which few properties need

    out = np.empty((len(colors), 3), np.float32)
    fill_hsv(np.ascontiguousarray(colors, np.float32), out)
    return out


def _sorted_scales(cloud: SplatCloud) -> list[NDArray[np.float32]]:
    """Least, middle and largest scale; by columns, which is ten times as fast as sorting rows."""
    a, b, c = (cloud.scales[:, axis] for axis in range(3))
    low, high = np.minimum(a, b), np.maximum(a, b)
    return [np.minimum(low, c), np.maximum(low, np.minimum(high, c)), np.maximum(high, c)]


@_lenient
def _volume(cloud: SplatCloud) -> NDArray[Any]:
    return np.asarray(np.float32(4.0 / 3.0 * np.pi) * cloud.scales.prod(axis=1))


@_lenient
def _area(cloud: SplatCloud) -> NDArray[Any]:
    ordered = _sorted_scales(cloud)
    return np.float32(np.pi) * ordered[1] * ordered[2]


@_lenient
def _ratio(cloud: SplatCloud, low: int) -> NDArray[Any]:
    ordered = _sorted_scales(cloud)
    return np.divide(ordered[2], ordered[low])


@_lenient
def _luminance(cloud: SplatCloud) -> NDArray[Any]:
    return luma(cloud.colors)


@_lenient
def _shine(cloud: SplatCloud) -> NDArray[Any]:
    return np.asarray(np.linalg.norm(cloud.sh[:, 1:], axis=(1, 2)))


_ALL = (
    Property("x", "position, world units", lambda c: c.means[:, 0]),
    Property("y", "position, world units", lambda c: c.means[:, 1]),
    Property("z", "position, world units", lambda c: c.means[:, 2]),
    Property("position", "position as a vector, world units", lambda c: c.means, "xyz"),
    Property("scale", "standard deviations as a vector, world units", lambda c: c.scales, "xyz"),
    Property("quat", "rotation quaternion", lambda c: c.quats, "wxyz"),
    Property("opacity", "0 to 1", lambda c: c.opacities),
    Property("color", "base colour as a vector, 0 to 1", lambda c: c.colors, "rgb"),
    Property("r", "red of the base colour, 0 to 1", lambda c: c.colors[:, 0]),
    Property("g", "green of the base colour, 0 to 1", lambda c: c.colors[:, 1]),
    Property("b", "blue of the base colour, 0 to 1", lambda c: c.colors[:, 2]),
    Property(
        "hue", "hue of the base colour, degrees", lambda c: hue_saturation_value(c.colors)[:, 0]
    ),
    Property(
        "saturation", "of the base colour, 0 to 1", lambda c: hue_saturation_value(c.colors)[:, 1]
    ),
    Property("value", "brightest channel, 0 to 1", lambda c: hue_saturation_value(c.colors)[:, 2]),
    Property("luminance", "of the base colour, 0 to 1", _luminance),
    Property("volume", "of the one-sigma ellipsoid, cubic world units", _volume),
    Property("area", "largest one-sigma cross-section, square world units", _area),
    Property("ratio", "largest scale over smallest", lambda c: _ratio(c, 0)),
    Property("needle", "largest scale over the middle one", lambda c: _ratio(c, 1)),
    Property("shine", "length of the view-dependent SH coefficients", _shine),
)

PROPERTIES: Mapping[str, Property] = MappingProxyType({entry.name: entry for entry in _ALL})
"""Every property that all clouds have, in the order in which they are listed to people."""

_ALIASES = MappingProxyType(
    {
        "alpha": "opacity",
        "blue": "b",
        "brightness": "value",
        "colour": "color",
        "green": "g",
        "mean": "position",
        "means": "position",
        "pos": "position",
        "red": "r",
        "rotation": "quat",
        "scales": "scale",
    }
)


def find_property(name: str, cloud: SplatCloud) -> Property | None:
    """The property called `name` (or an alias, or in PLY's words), else an extra column, or None.

    The table's names come before the file's own columns.
    """
    lowered = name.lower()
    known = PROPERTIES.get(_ALIASES.get(lowered, lowered))
    if known is not None:
        return known
    if name in cloud.extras:
        return Property(name, "extra column", lambda c: c.extras[name])
    return _ply_column(lowered, cloud)


def _ply_column(name: str, cloud: SplatCloud) -> Property | None:
    match = re.fullmatch(r"f_(dc|rest)_(\d{1,2})", name)
    if match is None:
        return None
    number, bands = int(match[2]), cloud.sh.shape[1]
    if match[1] == "dc":
        if number > 2:
            return None
        return Property(name, "DC coefficient", lambda c: c.sh[:, 0, number])
    if number >= 3 * (bands - 1):
        return None
    # PLY stores all of red's coefficients, then green's, then blue's.
    channel, band = divmod(number, bands - 1)
    return Property(name, "SH coefficient", lambda c: c.sh[:, 1 + band, channel])
