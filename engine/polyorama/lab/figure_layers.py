"""Layers over a plane, fields as colours and contours, on the axes of a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.lab.figure_page import words
from polyorama.lab.look import DASHES, colors_of, table
from polyorama.lab.views import Arrows, Boxes, Dots, Ellipses, Segments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.lab.look import Look
    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Axis, Colormap, Layer

__all__ = ["dash", "draw_contours", "draw_layers", "mapped"]

_STYLES = {"dashed": (0, (5.0, 3.0)), "dotted": (0, (1.0, 2.2))}
_POINT = 0.75
"""Typographic points a pixel of a 96 dpi screen."""
_ARC = 64


def dash(style: str, number: int) -> Any:
    """Matplotlib's line style: theory by its style, what is measured by its rival's pattern."""
    if style in _STYLES:
        return _STYLES[style]
    pattern = DASHES[number % len(DASHES)]
    return (0, pattern) if pattern else "solid"


def mapped(
    axes: Any,
    values: NDArray[Any],
    colormap: Colormap,
    axis: Axis,
    look: Look,
    extent: tuple[float, float, float, float] | None,
) -> Any:
    """A field as colours; None where no value is finite.

    Parameters
    ----------
    extent
        Left, right, bottom, top, with the first row at the bottom; None for pixels, the first row
        on top.
    """
    from matplotlib.colors import ListedColormap, LogNorm, Normalize

    numbers = np.asarray(values, np.float64)
    known = numbers[np.isfinite(numbers) & ((numbers > 0.0) | (not axis.log))]
    if not len(known):
        return None
    low = float(known.min()) if axis.low is None else axis.low
    high = float(known.max()) if axis.high is None else axis.high
    if colormap == "diverging" and axis.low is None and axis.high is None:
        high = max(abs(low), abs(high))
        low = -high
    norm: Any
    if axis.log:
        low = low if low > 0.0 else float(known.min())
        norm = LogNorm(low, max(high, low * (1.0 + 1e-9)), clip=True)
        numbers = np.where(numbers > 0.0, numbers, np.nan)
    else:
        norm = Normalize(low, high if high > low else low + 1.0, clip=True)
    image = axes.imshow(
        np.ma.masked_invalid(numbers), cmap=ListedColormap(table(colormap, look.name)), norm=norm,
        origin="upper" if extent is None else "lower", extent=extent, aspect="auto"
        if extent is not None else "equal", interpolation="nearest",
    )  # fmt: skip
    axes.grid(False)
    return image


def draw_contours(
    axes: Any,
    values: NDArray[Any] | None,
    extent: tuple[float, float, float, float],
    look: Look,
) -> None:
    """Lines of equal value of a field over a rectangle."""
    if values is None or values.ndim != 2 or min(values.shape) < 2:
        return
    numbers = np.ma.masked_invalid(np.asarray(values, np.float64))
    if numbers.count() == 0 or numbers.max() <= numbers.min():
        return
    rows, columns = values.shape
    left, right, bottom, top = extent
    x = left + (right - left) * (np.arange(columns) + 0.5) / columns
    y = bottom + (top - bottom) * (np.arange(rows) + 0.5) / rows
    axes.contour(x, y, numbers, levels=9, colors=look.quiet, linewidths=0.7, alpha=0.8)


def draw_layers(
    axes: Any,
    layers: Sequence[Layer],
    snapshot: Snapshot,
    earlier: Sequence[Snapshot],
    rivals: Mapping[str, int],
    colormap: Colormap,
    look: Look,
) -> None:
    """Layers over a plane in order; what has no data or is in space is left out.

    Parameters
    ----------
    earlier
        Snapshots before, oldest first, for layers that leave a trail.
    rivals
        Place of each rival, which is its colour.
    """
    for place, layer in enumerate(layers):
        number = rivals.get(layer.rival, place)
        data = snapshot.arrays.get(layer.key)
        if data is None or not len(data) or not _flat(layer, data):
            continue
        color = look.color(number)
        if isinstance(layer, Dots) and layer.trail:
            for age, before in enumerate(reversed(earlier), start=1):
                points = before.arrays.get(layer.key)
                if points is not None and points.ndim == 2 and points.shape[1] == 2:
                    fade = 0.5 * (1.0 - age / (len(earlier) + 1.0))
                    axes.scatter(points[:, 0], points[:, 1], s=_area(0.7 * layer.size),
                                 color=color, alpha=fade, linewidths=0.0)  # fmt: skip
        value = snapshot.arrays.get(getattr(layer, "value", ""))
        shades = np.nan_to_num(colors_of(value, len(data), color, colormap, look.name), nan=0.5)
        pattern = rivals.get(layer.rival, 0)
        _draw(axes, layer, data, snapshot, shades, number, pattern, look)


def _flat(layer: Layer, data: NDArray[Any]) -> bool:
    shape = {Segments: (2, 2), Boxes: (4,)}.get(type(layer), (2,))
    return data.shape[1:] == shape


def _area(pixels: float) -> float:
    return (pixels * _POINT) ** 2


def _draw(
    axes: Any, layer: Layer, data: NDArray[Any], snapshot: Snapshot, shades: NDArray[Any],
    number: int, pattern: int, look: Look,
) -> None:  # fmt: skip
    from matplotlib.collections import LineCollection, PolyCollection

    label = words(layer.title) or None
    if isinstance(layer, Dots):
        axes.scatter(data[:, 0], data[:, 1], s=_area(layer.size), color=shades, linewidths=0.0,
                     label=label)  # fmt: skip
    elif isinstance(layer, Segments):
        axes.add_collection(
            LineCollection(list(data), colors=shades, linewidths=1.1, label=label,
                           linestyles=[dash(layer.style, pattern)])
        )  # fmt: skip
        axes.update_datalim(data.reshape(-1, 2))
    elif isinstance(layer, Arrows):
        vector = snapshot.arrays.get(layer.vector)
        if vector is not None and vector.shape == data.shape:
            axes.quiver(data[:, 0], data[:, 1], vector[:, 0], vector[:, 1], angles="xy",
                        scale_units="xy", scale=1.0, color=shades, width=0.004,
                        label=label)  # fmt: skip
            axes.update_datalim(data + vector)
    elif isinstance(layer, Ellipses):
        covariance = snapshot.arrays.get(layer.covariance)
        if covariance is not None and covariance.shape == (len(data), 2, 2):
            rings = outlines(data, covariance, layer.deviations)
            axes.add_collection(
                LineCollection(list(rings), colors=look.color(number), linewidths=1.1,
                               linestyles=[dash(layer.style, pattern)], label=label)
            )  # fmt: skip
            axes.update_datalim(rings.reshape(-1, 2))
    elif isinstance(layer, Boxes):
        left, bottom, right, top = data.T
        corners = np.stack([left, bottom, right, bottom, right, top, left, top], axis=1)
        boxes = corners.reshape(-1, 4, 2)
        faces = shades if layer.filled else "none"
        edges = look.panel if layer.filled else shades
        axes.add_collection(
            PolyCollection(
                list(boxes), facecolors=faces, edgecolors=edges, linewidths=0.9, label=label
            )
        )
        axes.update_datalim(boxes.reshape(-1, 2))
    axes.autoscale_view()


def outlines(
    means: NDArray[Any], covariances: NDArray[Any], deviations: Sequence[float]
) -> NDArray[np.float64]:
    """(N x deviations, points, 2): where the Mahalanobis distance is each deviation."""
    turn = np.linspace(0.0, 2.0 * np.pi, _ARC + 1)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    variances, axes = np.linalg.eigh(np.asarray(covariances, np.float64))
    roots = axes * np.sqrt(np.maximum(variances, 0.0))[:, None, :]
    rings = np.einsum("nij,pj->npi", roots, circle)
    sizes = np.asarray(deviations, np.float64)
    scaled = np.asarray(means)[:, None, None, :] + sizes[None, :, None, None] * rings[:, None]
    return np.asarray(scaled.reshape(-1, _ARC + 1, 2))
