"""Histograms of a document's splats, by anything that a rule can ask for and by what is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.color import luma
from polyorama.core.compile import core_count, parallel_for
from polyorama.edit.ops import op
from polyorama.edit.selection_ops import picked, splat_nodes
from polyorama.errors import UsageError
from polyorama.scene.histogram import Axis, Column, Histogram, Scatter, histogram_of, scatter_of
from polyorama.scene.modify.step import IDENTITY, NO_INDEX
from polyorama.scene.properties import PROPERTIES, hue_saturation_value
from polyorama.scene.rules import parse_rule
from polyorama.scene.selection import BitSet
from polyorama.scene.surroundings import NodeSurroundings
from polyorama.verbs.selecting import stacked_source, view_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.scene.document import Document, Node

__all__ = [
    "Measure", "column_of", "histogram", "is_seen", "measures", "range_query", "scatter",
    "select_seen",
]  # fmt: skip

_SEEN = "view."
_CHUNK = 1 << 16
_COMPONENTS = ("position", "scale", "quat", "color")


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that splats can be counted by.

    Parameters
    ----------
    text
        A number as rules write it, or one of the names of what is seen.
    help
        What it is, with its unit or range.
    natural
        The ends of its values, where it has natural ones.
    """

    text: str
    help: str
    natural: tuple[float, float] | None = None


_NATURAL = {
    "opacity": (0.0, 1.0), "hue": (0.0, 360.0), "saturation": (0.0, 1.0), "value": (0.0, 1.0),
}  # fmt: skip
_SEEN_MEASURES = (
    Measure("view.depth", "distance along the present view, world units"),
    Measure("view.r", "red as it is seen now, 0 to 1"),
    Measure("view.g", "green as it is seen now, 0 to 1"),
    Measure("view.b", "blue as it is seen now, 0 to 1"),
    Measure("view.hue", "hue as it is seen now, degrees", (0.0, 360.0)),
    Measure("view.saturation", "as it is seen now, 0 to 1", (0.0, 1.0)),
    Measure("view.value", "brightest channel as it is seen now, 0 to 1", (0.0, 1.0)),
    Measure("view.luminance", "as it is seen now, 0 to 1"),
)


def measures(document: Document) -> list[Measure]:
    """What a list offers to count by: every property, what is seen, and files' extra columns."""
    found = []
    for entry in PROPERTIES.values():
        if entry.components:
            continue
        found.append(Measure(entry.name, entry.help, _NATURAL.get(entry.name)))
        if entry.name == "z":
            found.append(Measure("length(position)", "distance from the node's origin"))
        if entry.name == "opacity":
            found += [
                Measure("max(scale)", "largest standard deviation, world units"),
                Measure("min(scale)", "smallest standard deviation, world units"),
                Measure("mean(scale)", "mean standard deviation, world units"),
            ]
    found += _SEEN_MEASURES
    found.append(Measure("index", "number of the splat in its cloud"))
    extras = {name for node, _ in document.drawn() if node.splats for name in node.splats.extras}
    found += [Measure(name, "extra column of the file") for name in sorted(extras)]
    return found


def is_seen(text: str) -> bool:
    """Whether a measure depends on where one looks from, so that no rule can ask for it."""
    return text.startswith(_SEEN)


def column_of(document: Document, node: Node, text: str, camera: Camera | None = None) -> Column:
    """One number for each splat of a node, as it is after its stack.

    Parameters
    ----------
    document
        At its time.
    node
        A splat node of it.
    text
        A number as rules write it, such as ``max(scale)``, or what is seen, such as
        ``view.depth``.
    camera
        For what is seen.

    Raises
    ------
    UsageError
        If the text cannot be read, is a condition, or asks for what is not there.
    """
    shown = stacked_source(document, node)
    if is_seen(text):
        return Column(_seen(document, node, text, camera), shown.state)
    cloud = shown.cloud if shown.palette is None else replace(shown, state=None).baked()
    around = NodeSurroundings(document, node, view_counts)
    return Column(parse_rule(text).numbers(cloud, around=around), shown.state)


def histogram(
    document: Document,
    text: str,
    *,
    camera: Camera | None = None,
    nodes: Sequence[str] | str | None = None,
    log: bool = False,
    trim: float = 0.0,
    axis: Axis | None = None,
) -> Histogram:
    """Count splats by one number in 256 bins.

    Parameters
    ----------
    document
        At its time.
    text, camera
        As of `column_of`.
    nodes
        Which nodes' splats; None for all that are drawn and not fixed.
    log, trim
        As of `Axis.round`.
    axis
        The bins, instead of those that fit the values.

    Raises
    ------
    UsageError
        As `column_of`.
    """
    columns = [column_of(document, n, text, camera) for n in splat_nodes(document, nodes)]
    return histogram_of(columns, axis or _axis(columns, text, log, trim))


def scatter(
    document: Document,
    across: str,
    up: str,
    *,
    camera: Camera | None = None,
    nodes: Sequence[str] | str | None = None,
    log: tuple[bool, bool] = (False, False),
    trim: float = 0.0,
    axes: tuple[Axis, Axis] | None = None,
) -> Scatter:
    """Count splats by two numbers against each other in 256 x 256 squares.

    Parameters
    ----------
    document, camera, nodes, trim
        As of `histogram`.
    across, up
        As `text` there.
    log
        Of either axis.
    axes
        The bins, instead of those that fit the values.

    Raises
    ------
    UsageError
        As `column_of`.
    """
    pairs = [
        (column_of(document, node, across, camera), column_of(document, node, up, camera))
        for node in splat_nodes(document, nodes)
    ]
    if axes is None:
        axes = (
            _axis([first for first, _ in pairs], across, log[0], trim),
            _axis([second for _, second in pairs], up, log[1], trim),
        )
    return scatter_of(pairs, *axes)


def _axis(columns: Sequence[Column], text: str, log: bool, trim: float) -> Axis:
    known = (*_SEEN_MEASURES, *(Measure(name, "", ends) for name, ends in _NATURAL.items()))
    natural = next((m.natural for m in known if m.text == text.strip().lower()), None)
    if natural is not None and not log:
        return Axis(*natural)
    return Axis.round(columns, log=log, trim=trim)


def range_query(text: str, low: float, high: float) -> str:
    """The rule that holds from one value to another, both inside, in as few digits as may be."""
    return f"{text} in {_digits(low, high, math.floor)}..{_digits(high, low, math.ceil)}"


def _digits(value: float, other: float, outward: Callable[[float], int]) -> str:
    """A number to a ten-thousandth of the range or of itself, rounded outward."""
    spread = abs(value - other)
    if spread <= 0.0 or not math.isfinite(spread):
        return f"{value:.9g}"
    fine = max(min(spread, abs(value)), 1e-5 * spread)
    places = 4 - math.floor(math.log10(fine))
    rounded = outward(value * 10.0**places) * 10.0**-places
    text = f"{rounded:.{min(max(places, 0), 16)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@op("Select what is seen")
def select_seen(
    document: Document,
    ranges: Sequence[tuple[str, float, float]],
    camera: Camera,
    mode: str = "set",
    nodes: Sequence[str] | str | None = None,
) -> Document:
    """Select splats by how they are seen from a camera, which no rule can ask for.

    Parameters
    ----------
    document
        At its time.
    ranges
        What must all hold: for each a text as of `column_of`, and the least and greatest value.
    camera
        From where.
    mode, nodes
        As of `polyorama.verbs.selecting.select`.

    Raises
    ------
    UsageError
        As `column_of`, or if there is no range.
    """
    if not ranges:
        raise UsageError("No range of values was given to select by.")
    found = {}
    for node in splat_nodes(document, nodes):
        inside = np.ones(len(node.splats or ()), np.bool_)
        for text, low, high in ranges:
            values = column_of(document, node, text, camera).values
            inside &= (values >= low) & (values <= high)
        found[node.id] = BitSet.of_mask(inside)
    return picked(document, found, mode)


def _seen(document: Document, node: Node, text: str, camera: Camera | None) -> NDArray[np.float32]:
    """(N,) float32: depth, or a number of the colour that a camera sees."""
    from polyorama.scene.histogram_kernels import seen_colors, seen_depth

    name = text.removeprefix(_SEEN)
    if all(measure.text != text for measure in _SEEN_MEASURES):
        known = ", ".join(measure.text for measure in _SEEN_MEASURES)
        raise UsageError(f"There is no {text!r} to be seen; there are {known}.")
    if camera is None:
        raise UsageError(f"{text} depends on where one looks from; a camera is needed.")
    shown = stacked_source(document, node)
    cloud = shown.cloud
    index = NO_INDEX if shown.palette_index is None else shown.palette_index
    world = document.world(node.id)
    maps = IDENTITY if shown.palette is None else shown.palette
    placed = maps.copy()
    placed[:, :, :3] = world[:3, :3] @ maps[:, :, :3]
    placed[:, :, 3] = maps[:, :, 3] @ world[:3, :3].T + world[:3, 3]
    count = len(cloud)
    if name == "depth":
        rows = np.einsum("j,pjk->pk", camera.viewmat[2, :3], placed)
        rows[:, 3] += camera.viewmat[2, 3]
        depth = np.empty(count, np.float32)

        def measure(_: int, start: int, stop: int) -> None:
            seen_depth(start, stop, cloud.means, rows, index, depth)

        parallel_for(measure, count, 4 * core_count())
        return depth
    # A splat's harmonics turn with the rotation that is in its map.
    left, _, right = np.linalg.svd(placed[:, :, :3])
    turns = np.ascontiguousarray(np.swapaxes(left @ right, 1, 2))
    parallel = camera.kind == "orthographic"
    eye = np.ascontiguousarray(camera.forward if parallel else camera.position, np.float64)
    out = np.empty(count, np.float32)

    def look(_: int, start: int, stop: int) -> None:
        colors = np.empty((stop - start, 3), np.float32)
        part = index[start:stop] if len(index) else index
        seen_colors(
            0, stop - start, cloud.means[start:stop], cloud.sh[start:stop], placed, turns, part,
            eye, parallel, colors,
        )  # fmt: skip
        out[start:stop] = _of_colors(colors, name)

    parallel_for(look, count, max(1, -(-count // _CHUNK)))
    return out


def _of_colors(colors: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    if name in ("r", "g", "b"):
        return colors[:, "rgb".index(name)]
    if name == "luminance":
        return luma(colors)
    return hue_saturation_value(colors)[:, ("hue", "saturation", "value").index(name)]
