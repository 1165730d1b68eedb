"""How each kind of view is drawn on the axes of a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.lab import views as kinds
from polyorama.lab.figure_axes import (
    axis_words,
    columns_of,
    dressed,
    extent_of,
    labelled,
    legend_of,
    name_ends,
    positive,
    room_for,
    scaled,
    slope_rules,
    thinned,
    tick_font,
)  # fmt: skip
from polyorama.lab.figure_layers import dash, draw_contours, draw_layers, mapped
from polyorama.lab.figure_page import font, words
from polyorama.lab.figure_shapes import draw_graph, draw_tree
from polyorama.lab.look import rgb
from polyorama.lab.rows import STEP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.lab.experiment import Experiment
    from polyorama.lab.look import Look
    from polyorama.lab.recording import Recording
    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.space import Orbit, Scene
    from polyorama.lab.views import Axis, Series, View

__all__ = ["Painter"]

_TRAIL = 12


class Painter:
    """Draws the views of an experiment at one snapshot of a recording."""

    def __init__(
        self,
        experiment: Experiment,
        recording: Recording,
        row: int,
        snapshot: Snapshot,
        look: Look,
        orbits: Mapping[str, Orbit],
    ) -> None:
        self._experiment = experiment
        self._recording = recording
        self._row = row
        self._snapshot = snapshot
        self._look = look
        self._orbits = orbits
        self._rivals = {rival.id: i for i, rival in enumerate(experiment.rivals)}

    def paint(self, view: View, axes: Any) -> None:
        """Draw a view; values that are missing are left out."""
        dressed(axes, self._look, view.title)
        for kind in type(view).__mro__:
            painter = getattr(self, f"_paint_{kind.__name__.lower()}", None)
            if painter is not None:
                painter(view, axes)
                break

    def _number(self, series: Series, place: int) -> int:
        return self._rivals.get(series.rival, place)

    def _color(self, series: Series, beside: Sequence[Series], number: int) -> str:
        """A rival's colour; grey for a line of no rival among those of rivals."""
        if not series.rival and any(other.rival for other in beside):
            return self._look.quiet
        return self._look.color(number)

    def _paint_curve(self, view: kinds.Curve, axes: Any) -> None:
        scaled(axes, view.x, view.y)
        drawn: list[tuple[NDArray[Any], NDArray[Any]]] = []
        ends: list[tuple[str, float, str]] = []
        for place, series in enumerate(view.series):
            line = self._line(view, series, series.key)
            if line is None:
                continue
            number = self._number(series, place)
            color = self._color(series, view.series, number)
            x, y = positive(view, *line)
            if not len(x):
                continue
            drawn.append((x, y))
            x, y = thinned(x, y)
            label = words(series.title) or None
            if label is not None:
                ends.append((series.title, float(y[-1]), color))
            if series.style == "dots" or len(x) == 1:
                axes.plot(x, y, "o", ms=3.0, color=color, label=label)
            else:
                steps = "steps-post" if series.style == "steps" else "default"
                axes.plot(
                    x, y, color=color, lw=1.3, label=label, drawstyle=steps,
                    linestyle=dash(series.style, number),
                )  # fmt: skip
            low, high = self._line(view, series, series.low), self._line(view, series, series.high)
            if low is not None and high is not None and len(low[0]) == len(high[0]):
                axes.fill_between(low[0], low[1], high[1], color=color, alpha=0.18, lw=0.0)
        if view.x.log and view.y.log and drawn:
            slope_rules(axes, view.slope, *drawn[0], self._look)
        labelled(axes, self._look, view.x, view.y)
        if not name_ends(axes, ends):
            legend_of(axes, self._look)

    def _line(
        self, view: kinds.Curve, series: Series, key: str
    ) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Abscissae and ordinates, finite, of one key of a series."""
        if not key:
            return None
        over = series.x or view.over
        if view.history:
            columns = self._recording.columns
            y, x = columns.get(key), columns.get(over or STEP)
            if y is None or x is None:
                return None
            y, x = y[: self._row + 1], x[: self._row + 1]
        else:
            arrays = self._snapshot.arrays
            found = arrays.get(key)
            if found is None:
                return None
            y = found.reshape(-1).astype(np.float64)
            at = arrays.get(over)
            x = np.arange(len(y), dtype=np.float64) if at is None else at.reshape(-1)
            if len(x) != len(y):
                return None
        known = np.isfinite(x) & np.isfinite(y)
        return (x[known], y[known]) if known.any() else None

    def _paint_field(self, view: kinds.Field, axes: Any) -> None:
        values = self._snapshot.arrays.get(view.key)
        labelled(axes, self._look, view.x, view.y)
        if values is None or values.ndim != 2 or not values.size:
            return
        rows, columns = values.shape
        extent = extent_of(view.x, view.y, columns, rows)
        image = mapped(axes, values, view.colormap, view.value, self._look, extent)
        if image is not None:
            self._bar(axes, image, view.value)
        if view.contours:
            draw_contours(axes, self._snapshot.arrays.get(view.contours), extent, self._look)
        self._layers(axes, view.layers, view.colormap)
        axes.set_xlim(extent[0], extent[1])
        axes.set_ylim(extent[2], extent[3])

    def _bar(self, axes: Any, image: Any, axis: Axis) -> None:
        beside = axes.inset_axes((1.02, 0.0, 0.03, 1.0))
        bar = axes.figure.colorbar(image, cax=beside)
        bar.outline.set_visible(False)
        bar.ax.minorticks_off()
        bar.ax.tick_params(colors=self._look.quiet, length=0, **tick_font())
        bar.set_label(axis_words(axis), color=self._look.quiet, **font(11))

    def _paint_points(self, view: kinds.Points, axes: Any) -> None:
        if view.z is not None:
            self._paint_space(view, axes)
            return
        scaled(axes, view.x, view.y)
        if view.contours and None not in (view.x.low, view.x.high, view.y.low, view.y.high):
            extent = extent_of(view.x, view.y, 1, 1)
            draw_contours(axes, self._snapshot.arrays.get(view.contours), extent, self._look)
        self._layers(axes, view.layers, view.colormap)
        labelled(axes, self._look, view.x, view.y)
        if view.equal:
            fixed = None not in (view.x.low, view.x.high, view.y.low, view.y.high)
            axes.set_aspect("equal", adjustable="box" if fixed else "datalim")
        legend_of(axes, self._look)

    def _layers(self, axes: Any, layers: Sequence[kinds.Layer], colormap: kinds.Colormap) -> None:
        draw_layers(
            axes, layers, self._snapshot, self._earlier(layers), self._rivals, colormap, self._look
        )

    def _earlier(self, layers: Sequence[kinds.Layer]) -> list[Snapshot]:
        if not any(isinstance(layer, kinds.Dots) and layer.trail for layer in layers):
            return []
        first = max(0, self._row - _TRAIL)
        return [self._recording.snapshot(row) for row in range(first, self._row)]

    def _paint_splats(self, view: kinds.Splats, axes: Any) -> None:
        self._paint_space(view, axes)

    def _paint_space(self, view: kinds.Points | kinds.Splats, axes: Any) -> None:
        from polyorama.lab.space import Orbit, scene_of  # the renderer, only where it draws

        layers = view.layers if isinstance(view, kinds.Points) else ()
        trail = self._earlier(layers)
        scene = scene_of(
            view, self._snapshot, look=self._look, rivals=self._rivals, trail=trail
        )  # fmt: skip
        home = Orbit() if isinstance(view, kinds.Points) else Orbit(0.0, 0.0)
        orbit = self._orbits.get(view.id, home)
        # More pixels than the axes have, so that edges are smooth.
        box = axes.get_position()
        width, height = axes.figure.get_size_inches() * axes.figure.dpi
        size = (max(64, round(1.5 * width * box.width)), max(64, round(1.5 * height * box.height)))
        frame = scene.draw(orbit, size, background=rgb(self._look.panel))
        assert frame.rgba8 is not None
        axes.imshow(frame.rgba8[..., :3], interpolation="antialiased")
        axes.set_axis_off()
        if isinstance(view, kinds.Points) and view.z is not None:
            self._name_edges(axes, (view.x, view.y, view.z), scene, orbit, size)

    def _name_edges(
        self, axes: Any, titles: Sequence[Axis], scene: Scene, orbit: Orbit, size: tuple[int, int]
    ) -> None:
        """Write each axis' title and ends beside an edge of the box, away from its middle."""
        low, high = scene.low, scene.high
        middle = 0.5 * (low + high)
        places = np.array(
            [
                (middle[0], low[1], low[2]),
                (high[0], middle[1], low[2]),
                (low[0], low[1], middle[2]),
            ]
        )
        center = scene.project(middle[None], orbit, size)[0, :2]
        for number, axis in enumerate(titles):
            at = scene.project(places[number : number + 1], orbit, size)[0, :2]
            away = (at - center) / max(float(np.linalg.norm(at - center)), 1e-9)
            x, y = at + 0.06 * min(size) * away
            text = f"{axis_words(axis)}  {low[number]:.3g} to {high[number]:.3g}".strip()
            side = "center" if abs(away[0]) < 0.5 else ("left" if away[0] > 0.0 else "right")
            axes.text(x, y, text, color=self._look.quiet, ha=side, va="center", **font(10))

    def _paint_graph(self, view: kinds.Graph, axes: Any) -> None:
        draw_graph(axes, view, self._snapshot, self._look)
        self._layers(axes, view.layers, view.colormap)

    def _paint_tree(self, view: kinds.Tree, axes: Any) -> None:
        draw_tree(axes, view, self._snapshot, self._look)

    def _paint_bars(self, view: kinds.Bars, axes: Any) -> None:
        values = self._snapshot.values
        names: list[str] = []
        sizes: list[float] = []
        shades: list[str] = []
        for place, series in enumerate(view.series):
            found = values.get(series.key)
            if found is None:
                continue
            entries = np.atleast_1d(np.asarray(found, np.float64)).reshape(-1)
            several = len(entries) > 1
            for i, entry in enumerate(entries):
                label = view.labels[i] if i < len(view.labels) else str(i + 1)
                names.append(label if several else series.title)
                sizes.append(float(entry))
                shades.append(self._look.color(self._number(series, place)))
        places = np.arange(len(names))[::-1]
        known = np.isfinite(sizes)
        axes.barh(places[known], np.array(sizes)[known], 0.7, color=np.array(shades)[known])
        room_for(axes, names)
        axes.set_yticks(places, [words(name) for name in names])
        limit = values.get(view.limit)
        if isinstance(limit, float) and np.isfinite(limit):
            name = words(view.limit_title)
            axes.axvline(limit, color=self._look.accent, lw=1.2, label=name)
        scaled(axes, view.value, kinds.Axis())
        labelled(axes, self._look, view.value, kinds.Axis())
        legend_of(axes, self._look)

    def _paint_distribution(self, view: kinds.Distribution, axes: Any) -> None:
        arrays = self._snapshot.arrays
        scaled(axes, view.x, kinds.Axis())
        samples = [arrays[s.key] for s in view.series if not s.x and s.key in arrays]
        found = np.concatenate([a.reshape(-1) for a in samples]) if samples else np.zeros(0)
        found = found[np.isfinite(found)]
        edges = np.histogram_bin_edges(found, view.bins) if len(found) else None
        for place, series in enumerate(view.series):
            data = arrays.get(series.key)
            if data is None:
                continue
            number = self._number(series, place)
            color, label = self._look.color(number), words(series.title) or None
            flat = data.reshape(-1).astype(np.float64)
            at = arrays.get(series.x) if series.x else None
            if at is not None and len(at) == len(flat):
                axes.plot(at, flat, color=color, lw=1.3, label=label,
                          linestyle=dash(series.style, number))  # fmt: skip
            elif edges is not None and not series.x:
                known = flat[np.isfinite(flat)]
                density, _ = np.histogram(known, edges)
                share = density / max(len(known), 1) / np.diff(edges)
                axes.stairs(share, edges, color=color, fill=True, alpha=0.35, label=label)
                axes.stairs(share, edges, color=color, lw=1.0)
        labelled(axes, self._look, view.x, kinds.Axis("Density"))
        legend_of(axes, self._look)

    def _paint_image(self, view: kinds.Image, axes: Any) -> None:
        data = self._snapshot.arrays.get(view.key)
        axes.set_axis_off()
        if data is None or data.ndim != 3 or not data.size:
            return
        if data.shape[2] == 3 and data.dtype == np.uint8:
            axes.imshow(data, interpolation="nearest")
            return
        count, rows, columns = data.shape
        gap = max(1, columns // 10)
        over = max(1, rows // 5) if view.labels else gap
        box = axes.get_window_extent()
        across = columns_of(count, (columns + gap) / (rows + over), box.width / box.height)
        down = -(-count // across)
        sheet = np.full((down * (rows + over), across * (columns + gap) - gap), np.nan)
        for i in range(count):
            y, x = divmod(i, across)
            top, left = y * (rows + over) + over, x * (columns + gap)
            sheet[top : top + rows, left : left + columns] = data[i]
            if i < len(view.labels):
                axes.text(left - 0.5, top - 0.7, words(view.labels[i]), va="bottom",
                          color=self._look.quiet, **font(10))  # fmt: skip
        image = mapped(axes, sheet, view.colormap, view.value, self._look, None)
        if image is not None:
            self._bar(axes, image, view.value)
