"""Typed pictures: what is drawn from the values of snapshots, and how it is labelled.

A view holds no data. It names keys of `Snapshot.values`; whoever draws (the studio, the exporters)
looks them up and leaves out what is missing. Positions are in the units of the axes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "Arrows", "Axis", "Bars", "Boxes", "Curve", "Distribution", "Dots", "Ellipses", "Field",
    "Graph", "Image", "Layer", "Points", "Segments", "Series", "Splats", "Tree", "View",
]  # fmt: skip

Style = Literal["line", "dashed", "dotted", "dots", "steps"]
Colormap = Literal["cividis", "magma", "diverging"]


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction of a picture.

    Parameters
    ----------
    title
        Sentence case, as "Regret".
    unit
        "" for none.
    log
        Whether it is logarithmic; values that are not positive are then left out.
    low, high
        Fixed ends; None to follow the data.
    """

    title: str = ""
    unit: str = ""
    log: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a curve or one member of a group.

    Parameters
    ----------
    key
        Of the value that is drawn.
    title
        For the legend; "" for none.
    x
        Key of the abscissae; "" for the curve's own.
    low, high
        Keys of the ends of a band around it; "" for none.
    style
        Lines that are no measurement (theory, bounds) are dashed or dotted.
    rival
        Id of the rival it belongs to, which gives its colour; "" for none.
    """

    key: str
    title: str = ""
    x: str = ""
    low: str = ""
    high: str = ""
    style: Style = "line"
    rival: str = ""


@dataclass(frozen=True, slots=True)
class Dots:
    """Points, (N, 2) or (N, 3).

    Parameters
    ----------
    key
        Of the positions.
    title
        For the legend; "" for none.
    value
        Key of N numbers that are drawn in the view's colour map, or of (N, 3) display RGB 0..1;
        "" for one colour.
    size
        In pixels of a 96 dpi screen.
    rival
        Gives the colour where `value` is "".
    trail
        Whether the points of earlier snapshots fade behind.
    """

    key: str
    title: str = ""
    value: str = ""
    size: float = 5.0
    rival: str = ""
    trail: bool = False


@dataclass(frozen=True, slots=True)
class Segments:
    """Lines from a to b, (N, 2, 2) or (N, 2, 3); `value` and `rival` as for dots."""

    key: str
    title: str = ""
    value: str = ""
    rival: str = ""
    style: Style = "line"


@dataclass(frozen=True, slots=True)
class Arrows:
    """Arrows from (N, 2|3) `key` along (N, 2|3) `vector`, in the units of the axes."""

    key: str
    vector: str
    title: str = ""
    value: str = ""
    rival: str = ""


@dataclass(frozen=True, slots=True)
class Ellipses:
    """Gaussians as outlines at `deviations` standard deviations.

    Parameters
    ----------
    key
        Of the means, (N, 2) or (N, 3).
    covariance
        Key of the covariances, (N, 2, 2) or (N, 3, 3).
    """

    key: str
    covariance: str
    title: str = ""
    rival: str = ""
    style: Style = "line"
    deviations: tuple[float, ...] = (1.0, 2.0)


@dataclass(frozen=True, slots=True)
class Boxes:
    """Axis-parallel rectangles, (N, 4) as left, bottom, right, top; `value` as for dots."""

    key: str
    title: str = ""
    value: str = ""
    rival: str = ""
    filled: bool = False


Layer = Dots | Segments | Arrows | Ellipses | Boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What every picture has.

    Parameters
    ----------
    id
        Unique in the experiment, as "regret".
    title
        Sentence case.
    help
        One sentence: what to look for.
    span
        How much room it wants beside the others, 1 or 2.
    """

    id: str
    title: str
    help: str = ""
    span: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve(View):
    """Lines over a common abscissa.

    Parameters
    ----------
    series
        What is drawn.
    history
        Whether each snapshot gives one point (its value is a scalar, kept over the run) rather than
        the whole line.
    over
        Key of the abscissae; with `history`, "" is the step.
    slope
        With both axes logarithmic: exponents of reference slopes that can be laid beside a line.
    """

    x: Axis
    y: Axis
    series: tuple[Series, ...]
    history: bool = True
    over: str = ""
    slope: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(View):
    """A function over a rectangle as colours, (rows, columns), the first row at the bottom.

    Parameters
    ----------
    key
        Of the values; NaN is drawn as a hole.
    x, y
        Their ends are those of the rectangle.
    value
        What the colours mean; its ends are those of the colour map.
    contours
        Key of a second field of the same rectangle drawn as contour lines; "" for none.
    layers
        Drawn over it.
    canvas
        Name of the canvas that painting on it changes; "" for none.
    pick
        Names of two live parameters that a click sets to its place; () for none.
    """

    key: str
    x: Axis
    y: Axis
    value: Axis = field(default_factory=Axis)
    colormap: Colormap = "cividis"
    contours: str = ""
    layers: tuple[Layer, ...] = ()
    canvas: str = ""
    pick: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Points(View):
    """Layers over a plane, or in space where `z` is given.

    Parameters
    ----------
    equal
        Whether the axes have the same scale.
    contours
        Key of a field over the rectangle of the axes, drawn as contour lines; "" for none.
    sphere
        In space, the radius of a translucent sphere about the origin; 0 for none.
    """

    x: Axis
    y: Axis
    layers: tuple[Layer, ...]
    z: Axis | None = None
    equal: bool = True
    colormap: Colormap = "cividis"
    contours: str = ""
    sphere: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph(View):
    """Nodes and edges.

    Parameters
    ----------
    nodes
        Key of the places, (N, 2).
    edges
        Key of the ends, (M, 2) whole numbers.
    value, weight
        Keys of N numbers for the nodes' colours and M numbers for the edges' widths; "" for none.
    directed
        Whether edges have heads.
    labels
        Of the nodes, in order; () for none.
    layers
        Drawn over it.
    """

    nodes: str
    edges: str
    value: str = ""
    weight: str = ""
    directed: bool = False
    labels: tuple[str, ...] = ()
    colormap: Colormap = "cividis"
    layers: tuple[Layer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree(View):
    """A tree as an icicle: depth downwards, each node as wide as its share.

    Parameters
    ----------
    parents
        Key of N whole numbers; -1 for roots, and parents stand before their children.
    shares
        Key of N numbers: the width of each within its parent, 0..1.
    value
        Key of N numbers for the colours; "" for none.
    state
        Key of N whole numbers: 0 waiting, 1 at work, 2 kept, 3 pruned; "" for none.
    """

    parents: str
    shares: str
    value: str = ""
    state: str = ""
    colormap: Colormap = "cividis"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars(View):
    """A bar a series (its value is a scalar), or a bar an entry of one array with `labels`.

    Parameters
    ----------
    value
        The axis along the bars.
    limit
        Key of a number drawn as a line across all; "" for none.
    limit_title
        What that number is.
    """

    value: Axis
    series: tuple[Series, ...]
    labels: tuple[str, ...] = ()
    limit: str = ""
    limit_title: str = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution(View):
    """Samples (N,) of each series as a histogram, or, where `x` is given, densities over it."""

    x: Axis
    series: tuple[Series, ...]
    bins: int = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(View):
    """Pixels, (rows, columns, 3) uint8 with the first row on top, or several, (N, rows, columns).

    Parameters
    ----------
    key
        Of the pixels; N matrices of floats are drawn side by side in the colour map.
    labels
        Of the N matrices; () for none.
    """

    key: str
    value: Axis = field(default_factory=Axis)
    labels: tuple[str, ...] = ()
    colormap: Colormap = "cividis"


@dataclass(frozen=True, slots=True, kw_only=True)
class Splats(View):
    """Gaussians in space, drawn by the engine's renderer.

    Parameters
    ----------
    means, colors
        Keys of (N, 3) positions and display RGB 0..1.
    scales, quats, opacities
        Keys of (N, 3), (N, 4) wxyz and (N,); "" for round ones of `radius`, upright, and opaque.
    radius
        Standard deviation where `scales` is "".
    eye, target, up
        The camera.
    """

    means: str
    colors: str
    scales: str = ""
    quats: str = ""
    opacities: str = ""
    radius: float = 0.01
    eye: tuple[float, float, float] = (0.0, 0.5, 3.0)
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, 1.0, 0.0)
