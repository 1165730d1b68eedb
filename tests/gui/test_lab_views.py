"""Pictures of experiments: what is drawn follows the data."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from polyorama.lab.snapshot import Snapshot
from polyorama.lab.views import Axis, Bars, Boxes, Curve, Image, Points, Segments, Series
from polyorama_studio.theme import Theme
from polyorama_studio.workspaces.lab.history import History
from polyorama_studio.workspaces.lab.views import make_view
from polyorama_studio.workspaces.lab.views.curve import spread_out
from polyorama_studio.workspaces.lab.views.primitives import straightened
from polyorama_studio.workspaces.lab.views.scales import Following, axis_ticks, said
from polyorama_studio.workspaces.lab.views.slope_rule import exponent_words, fitted_slope
from polyorama_studio.workspaces.lab.views.surround import _fitting
from polyorama_studio.workspaces.lab.views.thinning import Extremes, thinned_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

MINUS = "\N{MINUS SIGN}"
RIVALS = ("first", "second")


@pytest.fixture
def theme(qtbot: QtBot) -> Iterator[Theme]:
    theme = Theme(name="dark")
    yield theme
    theme.close()
    theme.deleteLater()


def history_of(**columns: np.ndarray) -> History:
    history = History()
    count = len(next(iter(columns.values())))
    rows = {"step": np.arange(count, dtype=np.float64)} | {
        key.replace("__", "/"): np.asarray(values, np.float64) for key, values in columns.items()
    }
    history.append(0, rows)
    history.show(count - 1)
    return history


EMPTY = Snapshot(0, {})


# Thinning


@pytest.mark.parametrize("seed", range(4))
def test_extremes_of_stretches_are_those_of_a_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(70_000)
    values[rng.random(len(values)) < 0.2] = np.nan
    values[40_000:41_000] = np.nan
    extremes = Extremes()
    for end in [*sorted(rng.integers(0, len(values), 12).tolist()), len(values)]:
        extremes.follow(values[:end])
    starts = np.sort(rng.integers(0, len(values) + 1, 301))
    lows, highs = extremes.between(values, starts)
    for number, (first, last) in enumerate(itertools.pairwise(starts)):
        # Stretches of fewer than two blocks of blocks are exact.
        if last - first >= 256:
            continue
        part = values[first:last]
        part = part[~np.isnan(part)]
        assert lows[number] == (part.min() if len(part) else pytest.approx(np.nan, nan_ok=True))
        assert highs[number] == (part.max() if len(part) else pytest.approx(np.nan, nan_ok=True))


@pytest.mark.parametrize("count", [256, 5_000, 66_000, 300_000])
def test_long_stretches_end_at_blocks_near_their_ends(count: int) -> None:
    values = np.arange(3.0 * count)
    extremes = Extremes()
    extremes.follow(values)
    starts = np.array([0, count - 7, 2 * count + 5, 3 * count])
    lows, highs = extremes.between(values, starts)
    assert np.all(np.abs(lows - starts[:-1]) <= count / 15)
    assert np.all(np.abs(highs + 1 - starts[1:]) <= count / 15)
    assert extremes.range(values, 0, len(values)) == (0.0, values[-1])


def test_a_thinned_line_keeps_every_peak() -> None:
    x = np.arange(100_000.0)
    y = np.sin(x / 5_000.0)
    y[61_234] = 9.0
    y[20_000:30_000] = np.nan
    edges = np.linspace(0.0, 99_999.0, 401)
    thin_x, thin_y = thinned_line(x, y, edges)
    assert len(thin_x) <= 2 * 400 + 2
    assert np.nanmax(thin_y) == 9.0
    assert np.all(np.diff(thin_x) >= 0.0)
    assert np.isnan(thin_y[(thin_x > 20_500) & (thin_x < 29_500)]).all()
    few = thinned_line(x[:50], y[:50], edges)
    assert np.array_equal(few[1], y[:50])


# Axes


@pytest.mark.parametrize("seed", range(4))
def test_a_straightened_line_runs_where_it_ran(seed: int) -> None:
    """Every point that was taken out lies on what is left; corners, ends and gaps stay."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0.0, 600.0, 900))
    y = np.interp(x, [0.0, 200.0, 400.0, 600.0], rng.uniform(0.0, 300.0, 4))
    y[(x > 300.0) & (x < 330.0)] = np.nan
    kept_x, kept_y = straightened(x, y)
    assert len(kept_x) < 300
    assert (kept_x[0], kept_x[-1]) == (x[0], x[-1])
    assert np.array_equal(kept_y, y[np.searchsorted(x, kept_x)], equal_nan=True)
    there = ~np.isnan(y)
    left = ~np.isnan(kept_y)
    assert np.abs(np.interp(x[there], kept_x[left], kept_y[left]) - y[there]).max() < 0.5
    assert np.isnan(kept_y).any(), "a gap stays a gap"


@pytest.mark.parametrize("turns", [np.arange(201) % 2 * 100.0, np.abs(np.arange(201.0) - 99.0)])
def test_a_line_that_turns_back_reaches_its_ends(turns: np.ndarray) -> None:
    _, kept = straightened(np.zeros(201), turns)
    assert (kept.min(), kept.max()) == (turns.min(), turns.max())


def test_a_rough_line_is_left_as_it_is() -> None:
    y = np.random.default_rng(0).uniform(0.0, 100.0, 500)
    x = np.arange(500.0)
    assert np.array_equal(straightened(x, y), (x, y))


def test_axes_say_their_numbers_shortly() -> None:
    ticks, factor = axis_ticks(0.0, 2.0e6, False, 5)
    assert [tick.text for tick in ticks] == ["0", "0.5M", "1.0M", "1.5M", "2.0M"]
    assert factor == 1.0
    ticks, factor = axis_ticks(-4.0e-5, 4.0e-5, False, 4)
    assert factor == 1e-6
    assert [tick.text for tick in ticks] == [f"{MINUS}40", f"{MINUS}20", "0", "20", "40"]
    ticks, _ = axis_ticks(-6.0, 2.0, True, 9)
    assert [tick.text for tick in ticks] == [
        "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1", "10", "100",
    ]  # fmt: skip
    ticks, _ = axis_ticks(math.log10(3.1), math.log10(4.4), True, 5)
    assert len(ticks) >= 2
    assert (said(0.0), said(-1234.5), said(2.5e-7)) == ("0", f"{MINUS}1,234", "2.5·10⁻⁷")
    assert (said(math.nan), said(math.inf)) == ("no value", "∞")


def test_axes_stand_still_while_data_grow_a_little() -> None:
    span = Following(Axis("Step"), tight=True)
    seen = set()
    for step in range(1, 2_000):
        span.fit(0.0, float(step))
        low, high = span.ends
        assert low == 0.0
        assert step <= high
        seen.add((low, high))
    assert len(seen) < 50
    span.fit(0.0, 10.0)
    assert span.ends[1] == 10.0


@pytest.mark.parametrize("log", [False, True])
def test_axes_take_any_data(log: bool) -> None:
    for low, high in (
        (math.nan, math.nan), (0.0, 0.0), (-1.0, 0.0), (5.0, 5.0), (1e-300, 1e300), (-3.0, 7.0),
        (0.0, math.inf),
    ):  # fmt: skip
        span = Following(Axis("Value", log=log))
        span.fit(low, high)
        first, last = span.ends
        assert math.isfinite(first)
        assert math.isfinite(last)
        assert first < last
    fixed = Following(Axis("Value", log=log, low=2.0, high=1.0))
    assert fixed.ends[0] < fixed.ends[1]


# Curves


def curve(**changes: object) -> Curve:
    base = {
        "id": "curve", "title": "Loss", "x": Axis("Step"), "y": Axis("Loss", "nats"),
        "series": (Series("a", "First", rival="first"), Series("b", "Second", rival="second")),
    }  # fmt: skip
    return Curve(**(base | changes))  # type: ignore[arg-type]


def shown(qtbot: QtBot, theme: Theme, view: Curve, size: tuple[int, int] = (420, 300)) -> object:
    widget = make_view(view, theme, RIVALS)
    qtbot.addWidget(widget)
    widget.resize(*size)
    widget.show()
    return widget


def test_lines_go_where_the_data_are(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, curve())
    history = history_of(a=np.linspace(0.0, 4.0, 101), b=np.full(101, 2.0))
    widget.show_update(EMPTY, history)
    image = widget.grab().toImage()
    mapping, box = widget.plane.mapping(), widget.plane.geometry()
    corner = QPointF(box.topLeft()) + widget.plane.box.topLeft()
    for line, step, value in ((0, 75, 3.0), (1, 20, 2.0)):
        at = corner + QPointF(mapping.across([step])[0], mapping.down([value])[0])
        color = image.pixelColor(round(at.x()), round(at.y()))
        wanted = widget.look.color(RIVALS[line], line)
        # Dashes may leave a gap exactly here: look along the line.
        near = [
            image.pixelColor(round(at.x()) + dx, round(at.y()) + dy)
            for dx in range(-6, 7)
            for dy in (-1, 0, 1)
        ]
        assert any(abs(c.hue() - wanted.hue()) <= 6 and c.saturation() > 60 for c in (color, *near))


def test_a_line_that_is_missing_is_left_out(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, curve())
    widget.show_update(EMPTY, history_of(a=np.arange(5.0)))
    assert [line.there for line in widget.lines] == [True, False]
    assert not widget.grab().isNull()


@pytest.mark.parametrize("size", [(420, 300), (60, 40), (1, 1)])
@pytest.mark.parametrize(
    "values", [np.empty(0), np.array([math.nan] * 3), np.array([0.0, -1.0, 5.0]), np.zeros(1)]
)
def test_curves_take_any_data(
    qtbot: QtBot, theme: Theme, values: np.ndarray, size: tuple[int, int]
) -> None:
    log = Axis("Value", log=True)
    for view in (curve(), curve(x=log, y=log, slope=(0.5,))):
        widget = shown(qtbot, theme, view, size)
        widget.show_update(EMPTY, history_of(a=values))
        assert not widget.grab().isNull()


def test_logarithms_leave_out_what_is_not_positive(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, curve(y=Axis("Loss", log=True)))
    widget.show_update(EMPTY, history_of(a=np.array([1.0, 0.0, -2.0, 100.0])))
    assert np.array_equal(widget.lines[0].y, [1.0, math.nan, math.nan, 100.0], equal_nan=True)
    low, high = widget.plane.y_span.ends
    assert low <= 0.0
    assert high >= 2.0


def test_a_million_steps_are_as_many_points_as_pixels(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, curve())
    values = np.sin(np.arange(1_000_000) / 40_000.0)
    values[777_777] = 3.0
    widget.show_update(EMPTY, history_of(a=values))
    edges = widget.plane.mapping().columns()
    x, y = widget.lines[0].points(edges, 0, len(values))
    assert len(x) <= 3 * len(edges)
    assert y.max() == 3.0


def test_whole_lines_come_with_each_snapshot(qtbot: QtBot, theme: Theme) -> None:
    view = curve(history=False, over="u", series=(Series("a", "First"),))
    widget = shown(qtbot, theme, view)
    u = np.linspace(-1.0, 1.0, 50)
    for power in (1, 2):
        widget.show_update(Snapshot(power, {"u": u, "a": u**power}), History())
        x, y = widget.lines[0].points(widget.plane.mapping().columns(), 0, 50)
        assert np.array_equal(x, u)
        assert np.array_equal(y, u**power)
    widget.show_update(EMPTY, History())
    assert not widget.lines[0].there


def test_what_comes_after_the_shown_moment_stays_on_the_axis(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, curve())
    history = history_of(a=np.arange(100.0))
    history.show(49)
    widget.show_update(EMPTY, history)
    assert widget.lines[0].end() == (49.0, 49.0)
    assert widget.plane.x_span.ends[1] >= 99.0


def test_another_run_is_drawn_anew(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, curve())
    history = history_of(a=np.full(10_000, 5.0))
    widget.show_update(EMPTY, history)
    history.clear()
    history.append(0, {"step": np.arange(10_000.0), "a": np.full(10_000, 1.0)})
    history.show(9_999)
    widget.show_update(EMPTY, history)
    assert widget.lines[0].y_range() == (1.0, 1.0)


def test_curves_share_a_crosshair(qtbot: QtBot, theme: Theme) -> None:
    one, other = (
        shown(qtbot, theme, curve()),
        shown(qtbot, theme, curve(over="cost", x=Axis("Cost", "s"))),
    )
    one.crosshair.connect(other.set_crosshair)
    history = history_of(a=np.arange(101.0), cost=3.0 * np.arange(101.0))
    for widget in (one, other):
        widget.show_update(EMPTY, history)
    mapping = one.plane.mapping()
    with qtbot.waitSignal(one.crosshair) as told:
        one.plane.pointed.emit(QPointF(mapping.across([40.0])[0], 20.0))
    assert told.args[0] == pytest.approx(40.0, abs=1e-6)
    assert other.crossed == pytest.approx(120.0, abs=3.0)
    one.plane.pointed.emit(None)
    assert math.isnan(other.crossed)


def test_slopes_are_fitted_and_written() -> None:
    x = np.geomspace(1.0, 1e4, 50)
    assert fitted_slope(x, 7.0 * x**-0.75) == pytest.approx(-0.75, abs=1e-12)
    assert math.isnan(fitted_slope(np.array([1.0]), np.array([2.0])))
    assert math.isnan(fitted_slope(-x, x))
    assert [exponent_words(e) for e in (0.5, -2 / 3, 2.0, 1.5, 0.62)] == [
        "½", f"{MINUS}⅔", "2", "1½", "0.62",
    ]  # fmt: skip


def test_a_slope_rule_is_dragged_and_turned(qtbot: QtBot, theme: Theme) -> None:
    log = Axis("Steps", log=True)
    widget = shown(qtbot, theme, curve(x=log, y=log, slope=(0.5,)))
    steps = np.arange(1.0, 2_001.0)
    history = History()
    history.append(0, {"step": steps, "a": steps**0.7})
    history.show(1_999)
    widget.show_update(EMPTY, history)
    rule, mapping = widget.rules[0], widget.plane.mapping()
    line, slope = rule.beside(mapping, widget.lines[:1])
    assert line is widget.lines[0]
    assert slope == pytest.approx(0.7, abs=0.02)
    a, b = rule.ends(mapping)
    middle = 0.5 * (a + b)
    assert rule.take_hold(mapping, middle)
    assert rule.drag(mapping, middle + QPointF(0.0, 30.0))
    assert rule.let_go()
    moved = rule.ends(mapping)[0]
    assert moved.y() == pytest.approx(a.y() + 30.0)
    assert rule.exponent == 0.5
    end = rule.ends(mapping)[1]
    assert rule.take_hold(mapping, end)
    assert rule.drag(mapping, end - QPointF(0.0, 25.0))
    assert rule.exponent > 0.5
    assert not rule.take_hold(mapping, QPointF(1.0, 1.0))


def test_names_move_apart_and_stay_inside() -> None:
    spots = spread_out([10.0, 11.0, 12.0, 90.0, 99.0], 10.0, 100.0)
    assert all(b - a >= 10.0 - 1e-9 for a, b in itertools.pairwise(spots))
    assert spots[0] >= 5.0 - 1e-9
    assert spots[-1] <= 95.0 + 1e-9
    assert spread_out([20.0, 60.0], 10.0, 100.0) == [20.0, 60.0]


def test_what_looks_the_same_is_not_drawn_again(qtbot: QtBot, theme: Theme) -> None:
    still = Image(id="still", title="Still", key="matrix", value=Axis("Entry"))
    run = Curve(id="run", title="Run", x=Axis(), y=Axis(), series=(Series("loss", "Loss"),))
    matrix = np.arange(12.0).reshape(1, 3, 4)
    matrix.setflags(write=False)
    first, again = Snapshot(1, {"matrix": matrix}), Snapshot(2, {"matrix": matrix})
    other = Snapshot(3, {"matrix": np.ones((1, 3, 4))})
    history = history_of(loss=np.arange(3.0))
    told = {}
    for view in (still, run):
        widget = make_view(view, theme, RIVALS)
        widget.resize(300, 200)
        widget.show()
        qtbot.waitExposed(widget)
        told[view.id] = [widget.show_update(moment, history) for moment in (first, again, other)]
        widget.hide()
        assert not widget.show_update(first, history), "it waits until it is seen"
        widget.show()
        assert not widget.show_update(first, history) or view is run
        widget.hide()
        widget.deleteLater()
    assert told == {"still": [True, False, True], "run": [True, True, True]}


def test_hidden_views_draw_when_they_are_seen(qtbot: QtBot, theme: Theme) -> None:
    widget = make_view(curve(), theme, RIVALS)
    qtbot.addWidget(widget)
    widget.show_update(EMPTY, history_of(a=np.arange(5.0)))
    assert not widget.lines[0].there
    widget.show()
    assert widget.lines[0].there


def test_stage_and_theme_change_every_size_and_colour(qtbot: QtBot, theme: Theme) -> None:
    widget = shown(qtbot, theme, curve(), (960, 600))
    widget.show_update(EMPTY, history_of(a=np.arange(5.0)))
    before = widget.plane.box
    widget.set_stage(True)
    assert widget.plane.box != before
    assert widget.look.label.pixelSize() == 28
    dark = widget.grab().toImage().pixelColor(300, 4)
    theme.set_name("light")
    light = widget.grab().toImage().pixelColor(300, 4)
    assert light.lightness() > dark.lightness() + 100


def test_theory_among_rivals_is_quiet(qtbot: QtBot, theme: Theme) -> None:
    series = (Series("a", "First", rival="first"), Series("t", "Theory", style="dashed"))
    widget = shown(qtbot, theme, curve(series=series))
    widget.show_update(EMPTY, history_of(a=np.arange(5.0), t=np.arange(5.0)))
    look = widget.look
    measured, theory = (widget._pen(line).color() for line in widget.lines)
    assert theory == look.tokens.color("quiet")
    assert measured == look.tokens.color("series1")
    alone = shown(qtbot, theme, curve(series=series[1:]))
    assert alone._pen(alone.lines[0]).color() == look.tokens.color("series1")


def test_legends_have_the_colours_that_are_given_and_hold_still(qtbot: QtBot, theme: Theme) -> None:
    view = Points(
        id="p", title="Boxes", x=Axis("x"), y=Axis("y"),
        layers=(Boxes("a", "Red", value="a_color"), Boxes("b", "Many", value="b_color")),
    )  # fmt: skip
    widget = shown(qtbot, theme, view)
    boxes, red = np.array([[0.0, 0.0, 1.0, 1.0]] * 2), np.array([[1.0, 0.0, 0.0]] * 2)
    values = {"a": boxes, "a_color": red, "b": boxes, "b_color": np.eye(3)[:2]}
    widget.show_update(Snapshot(0, values), history_of(a=np.arange(1.0)))
    colors = [entry.pen.color().name() for entry in widget.legend()]
    assert colors == ["#ff0000", widget.look.color("", 1).name()]
    widget.show_update(Snapshot(1, {"b": boxes}), history_of(a=np.arange(2.0)))
    assert [entry.title for entry in widget.legend()] == ["Red", "Many"]
    assert widget.legend()[0].pen.color().name() == "#ff0000"


def test_before_a_hall_a_narrow_legend_names_every_line(qtbot: QtBot, theme: Theme) -> None:
    names = ("Repelling", "Random", "Orthogonal", "Sobol")
    view = Points(
        id="p", title="Nearest neighbours", x=Axis("x"), y=Axis("y"),
        layers=tuple(Boxes(name, name) for name in names),
    )  # fmt: skip
    widget = shown(qtbot, theme, view, (520, 400))
    boxes = np.array([[0.0, 0.0, 1.0, 1.0]])
    widget.show_update(Snapshot(0, dict.fromkeys(names, boxes)), history_of(a=np.arange(1.0)))
    widget.set_stage(True)
    type_, lines = widget._lines()
    assert [entry.title for line in lines for entry, _ in line] == list(names)
    assert type_.pixelSize() < widget.look.label.pixelSize()
    widget.resize(1600, 400)
    type_, lines = widget._lines()
    assert len(lines) == 1
    assert type_ == widget.look.label


def test_theory_keeps_its_dashes_in_a_colour_that_is_given(qtbot: QtBot, theme: Theme) -> None:
    layers = (
        Segments("theory", "Theory", value="color", style="dashed"),
        Segments("found", "Found", value="color"),
    )
    view = Points(id="p", title="Edges", x=Axis("x"), y=Axis("y"), layers=layers)
    widget = shown(qtbot, theme, view)
    line = np.array([[[0.0, 0.0], [1.0, 1.0]]])
    values = {"theory": line, "found": line, "color": np.array([[1.0, 1.0, 0.0]])}
    widget.show_update(Snapshot(0, values), history_of(a=np.arange(1.0)))
    (dashed, _), (solid, _) = (
        layer._pens(widget.look, "cividis", 2.0)[0] for layer in widget.layers
    )
    assert dashed.style() == Qt.PenStyle.CustomDashLine
    assert solid.style() == Qt.PenStyle.SolidLine
    assert dashed.color() == solid.color()


def test_the_name_of_a_limit_stands_above_the_bars(qtbot: QtBot, theme: Theme) -> None:
    series = (Series("a", "First"), Series("b", "Second"))
    plain = Bars(id="b", title="Bars", value=Axis("Ratio"), series=series)
    limited = Bars(
        id="b", title="Bars", value=Axis("Ratio"), series=series, limit="one", limit_title="theory"
    )
    room = QRectF(0.0, 0.0, 400.0, 300.0)
    values = Snapshot(0, {"a": 1.0, "b": 1.2, "one": 1.0})
    tops = []
    for view in (plain, limited):
        widget = shown(qtbot, theme, view)
        widget.show_update(values, history_of(a=np.arange(1.0)))
        widget.grab()
        tops.append(widget.level_box(room).top())
    assert tops[1] >= tops[0] + QFontMetricsF(widget.look.numbers).height()


def test_titles_that_do_not_fit_lose_what_explains_them(qtbot: QtBot, theme: Theme) -> None:
    metrics = QFontMetricsF(shown(qtbot, theme, curve()).look.label)
    title = "log10 γ, the feature learning strength"
    assert _fitting(title, metrics, 1000.0) == title
    assert _fitting(title, metrics, 80.0) == "log10 γ"


@pytest.mark.parametrize("size", [(400.0, 300.0), (320.0, 300.0), (900.0, 200.0)])
@pytest.mark.parametrize("title", ["H", "Entry of the Hessian"])
def test_a_picture_makes_room_for_the_title_of_its_colours(
    qtbot: QtBot, theme: Theme, size: tuple[float, float], title: str
) -> None:
    room = QRectF(0.0, 0.0, *size)
    widget = shown(qtbot, theme, Image(id="i", title="Hessian", key="h", value=Axis(title)))
    widget.show_update(Snapshot(0, {"h": np.eye(8)}), history_of(a=np.arange(1.0)))
    metrics = QFontMetricsF(widget.look.label)
    wide = metrics.horizontalAdvance(title)
    words = QRectF(room.right() - wide, 0.0, wide, metrics.height())
    (place,) = widget.places(widget._room(room))
    assert not place.intersects(words)
    assert place.width() > 0.6 * min(size[0] - wide, size[1] - metrics.height())


def test_bars_that_are_not_there_yet_say_so(qtbot: QtBot, theme: Theme) -> None:
    view = Bars(id="b", title="", value=Axis("Ratio"), series=(Series("a", "First"),))
    widget = shown(qtbot, theme, view)

    def inked() -> bool:
        image = widget.body.grab().toImage()
        across, middle = range(image.width()), image.height() // 2
        return len({image.pixelColor(x, middle).rgb() for x in across}) > 1

    widget.show_update(Snapshot(0, {}), history_of(a=np.arange(1.0)))
    assert inked()
