"""What figures draw of each kind of view, beside numbers that can be found by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LogNorm

import polyorama as po
from polyorama.lab.experiment import Experiment, ExperimentParams
from polyorama.lab.figure_axes import extent_of, thinned
from polyorama.lab.figure_layers import outlines
from polyorama.lab.figure_page import drawn_pixels
from polyorama.lab.figure_shapes import icicle
from polyorama.lab.figures import figure_of
from polyorama.lab.history import History
from polyorama.lab.look import DARK, LIGHT, colored, rgb, table
from polyorama.lab.snapshot import Snapshot
from polyorama.lab.views import (
    Axis,
    Bars,
    Curve,
    Distribution,
    Field,
    Graph,
    Image,
    Series,
    Tree,
    View,
)
from tests.gui.lab_every import Every, EveryOther


@dataclass(frozen=True)
class Nothing(ExperimentParams):
    pass


class Shown(Experiment):
    """Shows one view of one set of values."""

    id, title, summary = "samples/shown", "Shown", "Shows what it is told."
    Params = Nothing
    view: View

    def begin(self, seed: int) -> None:
        pass

    def advance(self, count: int) -> int:
        return count

    def observe(self) -> Snapshot:
        return Snapshot(self.steps, {})

    def views(self) -> tuple[View, ...]:
        return (self.view,)


def axes_of(view: View, *snapshots: dict[str, object]):
    """The axes of a view of these values, the last of which are shown."""
    subject = Shown()
    subject.view = view
    history = History(subject, 0)
    for step, values in enumerate(snapshots):
        history.append(Snapshot(step, values))
    return figure_of(subject, history, size=(640, 480)).axes


@pytest.mark.parametrize("kind", [Every, EveryOther])
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda look: look.name)
def test_every_kind_of_view_is_drawn(kind, theme) -> None:
    recording = po.run_experiment(kind(), seed=1, steps=20, every=10)
    subject = kind()
    figure = figure_of(subject, recording, size=(1280, 720), theme=theme.name)
    pictures = [axes for axes in figure.axes if axes.get_title(loc="left")]
    assert [axes.get_title(loc="left") for axes in pictures] == [v.title for v in subject.views()]
    pixels = drawn_pixels(figure)
    assert pixels.shape == (720, 1280, 3)
    vivid = np.ptp(pixels.astype(int), axis=2) > 40  # the page and its lines are nearly grey
    for view, axes in zip(subject.views(), pictures, strict=True):
        box = axes.get_window_extent()
        part = vivid[720 - int(box.y1) : 720 - int(box.y0), int(box.x0) : int(box.x1)]
        assert part.any() == (view.id != "paths"), view.id  # of which there are none


def test_bars_are_as_long_as_their_numbers() -> None:
    series = tuple(Series(key, key.upper()) for key in ("a", "b", "c", "gone"))
    view = Bars(id="bars", title="Bars", value=Axis("Size", "m"), series=series, limit="most",
                limit_title="All there is")  # fmt: skip
    (axes,) = axes_of(view, {"a": 1.0, "b": np.nan, "c": 3.0, "most": 2.0})
    assert [bar.get_width() for bar in axes.patches] == [1.0, 3.0]
    labels = [text.get_text() for text in axes.get_yticklabels()]
    names = dict(zip(axes.get_yticks(), labels, strict=True))
    assert [names[round(bar.get_y() + 0.35)] for bar in axes.patches] == ["A", "C"]
    assert sorted(names.values()) == ["A", "B", "C"]
    (line,) = axes.lines
    assert list(line.get_xdata()) == [2.0, 2.0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["All there is"]
    view = Bars(id="bars", title="Bars", value=Axis(), series=(Series("all"),), labels=("x", "y"))
    (axes,) = axes_of(view, {"all": np.array([2.0, 5.0, 7.0])})
    assert [text.get_text() for text in axes.get_yticklabels()] == ["x", "y", "3"]
    assert [bar.get_width() for bar in axes.patches] == [2.0, 5.0, 7.0]


def test_samples_are_drawn_as_densities() -> None:
    view = Distribution(id="d", title="D", x=Axis("x"), bins=2, series=(Series("a"), Series("b")))
    (axes,) = axes_of(view, {"a": np.array([0.0, 0.0, 0.0, 2.0, np.nan]), "b": np.array([1.5])})
    stairs = [patch.get_data() for patch in axes.patches]
    assert all(data.edges.tolist() == [0.0, 1.0, 2.0] for data in stairs)
    assert [data.values.tolist() for data in stairs[::2]] == [[0.75, 0.25], [0.0, 1.0]]


def test_a_tree_is_an_icicle() -> None:
    parents, shares = np.array([-1, 0, 0, 1, -1]), np.array([0.5, 0.25, 0.75, 0.5, 0.5])
    left, width, depth = icicle(parents, shares)
    assert left.tolist() == [0.0, 0.0, 0.125, 0.0, 0.5]
    assert width.tolist() == [0.5, 0.125, 0.375, 0.0625, 0.5]
    assert depth.tolist() == [0.0, 1.0, 1.0, 2.0, 0.0]
    view = Tree(id="t", title="T", parents="p", shares="s", state="state")
    state = np.array([0, 1, 2, 3, 0])
    (axes,) = axes_of(view, {"p": parents, "s": shares, "state": state})
    (boxes,) = [c for c in axes.collections if isinstance(c, PolyCollection)]
    corners = boxes.get_paths()[2].vertices
    assert (corners.min(axis=0).tolist(), corners.max(axis=0).tolist()) == ([0.125, -2], [0.5, -1])
    wanted = [DARK.raised, DARK.accent, DARK.good, DARK.line, DARK.raised]
    assert boxes.get_facecolor()[:, :3] == pytest.approx(np.array([rgb(c) for c in wanted]))


def test_edges_go_from_node_to_node() -> None:
    nodes = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    edges = np.array([[0, 1], [1, 2], [2, 3], [-1, 0]])  # two of them have no end
    view = Graph(id="g", title="G", nodes="n", edges="e")
    (axes,) = axes_of(view, {"n": nodes, "e": edges})
    (lines,) = [c for c in axes.collections if isinstance(c, LineCollection)]
    assert [s.tolist() for s in lines.get_segments()] == [[[0, 0], [1, 0]], [[1, 0], [0, 2]]]


def test_matrices_stand_side_by_side_in_order() -> None:
    view = Image(id="i", title="I", key="m", labels=("One", "Two", "Three"))
    matrices = np.arange(3.0 * 6 * 4).reshape(3, 6, 4)
    axes = axes_of(view, {"m": matrices})[0]
    sheet = axes.images[0].get_array()
    assert sorted(sheet.compressed().tolist()) == list(range(72))
    for label, matrix in zip(axes.texts, matrices, strict=True):
        x, y = label.get_position()
        left, top = round(x + 0.5), round(y + 0.7)
        assert np.array_equal(sheet[top : top + 6, left : left + 4], matrix)
    assert [label.get_text() for label in axes.texts] == ["One", "Two", "Three"]


def test_colours_of_a_field_end_where_its_axis_says() -> None:
    def limits(values, **options):
        view = Field(id="f", title="F", key="f", x=Axis(), y=Axis(), **options)
        image = axes_of(view, {"f": np.array(values)})[0].images[0]
        return image, (image.norm.vmin, image.norm.vmax)

    values = [[-1.0, 4.0], [np.nan, 2.0]]
    image, ends = limits(values)
    assert ends == (-1.0, 4.0)
    assert image.get_array().mask.tolist() == [[False, False], [True, False]]
    assert image.get_extent() == [0.0, 2.0, 0.0, 2.0]
    assert image.origin == "lower"
    assert limits(values, colormap="diverging")[1] == (-4.0, 4.0)
    assert limits(values, value=Axis(low=0.0))[1] == (0.0, 4.0)
    image, ends = limits(values, value=Axis(log=True))
    assert isinstance(image.norm, LogNorm)
    assert ends == (2.0, 4.0)
    assert image.get_array().mask.tolist() == [[True, False], [True, False]]


def test_an_axis_without_ends_is_that_of_the_cells() -> None:
    assert extent_of(Axis(), Axis(low=-1.0, high=1.0), 4, 3) == (0.0, 4.0, -1.0, 1.0)
    assert extent_of(Axis(low=2.0, high=2.0), Axis(), 4, 3) == (2.0, 3.0, 0.0, 3.0)


def test_a_curve_shows_no_more_than_has_happened() -> None:
    series = (Series("a", "A"), Series("b", "B", low="low", high="high"))
    view = Curve(id="c", title="C", x=Axis("Step"), y=Axis(), series=series)
    seen = [{"a": 1.0, "b": 1.0, "low": 0.0, "high": 2.0} for _ in range(5)]
    seen[3]["a"] = np.inf
    subject = Shown()
    subject.view = view
    history = History(subject, 0)
    for step, values in enumerate(seen):
        history.append(Snapshot(step, values))
    (axes,) = figure_of(subject, history, 3, size=(640, 480)).axes
    assert [line.get_xdata().tolist() for line in axes.lines] == [[0, 1, 2], [0, 1, 2, 3]]
    assert len(axes.collections) == 1
    # They end at one place; their names lie apart, by the 11 pixels of a letter or more.
    first, second = (text.xy[1] for text in axes.texts if text.get_text() in "AB")
    assert abs(first - second) * axes.get_window_extent().height > 11.0


def test_a_long_line_keeps_its_highs_and_lows_and_its_ends() -> None:
    x = np.arange(123_457.0)
    y = np.random.default_rng(0).uniform(-1.0, 1.0, len(x))
    y[[40_000, 90_001]] = 9.0, -9.0
    kept_x, kept_y = thinned(x, y)
    assert len(kept_x) == len(kept_y) <= 4000
    assert (kept_x[0], kept_x[-1]) == (x[0], x[-1])
    assert (np.diff(kept_x) > 0.0).all()
    assert (kept_y.max(), kept_y.min()) == (9.0, -9.0)
    assert np.array_equal(kept_y, y[kept_x.astype(int)])
    assert np.array_equal(thinned(x[:4000], y[:4000])[1], y[:4000])


def test_ellipses_are_where_the_distance_of_mahalanobis_is_their_deviations() -> None:
    means = np.array([[1.0, -2.0], [0.0, 3.0]])
    covariances = np.array([[[2.0, 0.6], [0.6, 1.0]], [[0.5, -0.2], [-0.2, 0.3]]])
    rings = outlines(means, covariances, (1.0, 2.5))
    for number, ring in enumerate(rings):
        which, deviations = number // 2, (1.0, 2.5)[number % 2]
        away = ring - means[which]
        squares = np.einsum("pi,ij,pj->p", away, np.linalg.inv(covariances[which]), away)
        np.testing.assert_allclose(squares, deviations**2)
    assert len(rings) == 4


def test_colours_of_numbers() -> None:
    ends = table("magma")[[0, -1]]
    np.testing.assert_array_equal(colored([2.0, 5.0], "magma"), ends)
    np.testing.assert_array_equal(colored([9.0, 0.0], "magma", low=2.0, high=5.0), ends[::-1])
    assert np.isnan(colored([1.0, np.nan, np.inf], "magma")[1:]).all()
    assert np.isnan(colored([np.nan], "magma")).all()
    even = colored([-1.0, 3.0], "diverging", "light")
    np.testing.assert_array_equal(even[1], table("diverging", "light")[-1])
    # -1 of -3 to 3 lies a third up the table of 256 colours.
    np.testing.assert_array_equal(even[0], table("diverging", "light")[85])
