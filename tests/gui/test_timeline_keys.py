"""The timeline's pure parts: axis, rows, edits of many keys, peaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyorama.core.jobs import run
from polyorama.edit.editor import Editor
from polyorama.scene.contents import Audio
from polyorama.scene.document import Document, Node
from polyorama.scene.timeline import Key, Timeline, Track
from polyorama_studio.timeline import keys, shaping
from polyorama_studio.timeline.axis import TimeAxis, seconds_text, ticks
from polyorama_studio.timeline.peaks import peaks_of
from polyorama_studio.timeline.places import thinned
from polyorama_studio.timeline.rows import rows_of
from tests.gui.fakes import a_cloud

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = {"summary": "All keys", "view": "View", "document": "Scene"}


def times_of(document: Document) -> Callable[[str], np.ndarray]:
    return lambda path: keys.arrays_of(document.timeline.tracks[path]).times


def a_track(*times: float, kind: str = "smooth") -> Track:
    return Track(tuple(Key(t, (t * t,), kind) for t in times))


@pytest.fixture
def timeline() -> Timeline:
    tracks = {"n/a": a_track(0.0, 1.0, 2.0, 4.0), "n/b": a_track(1.0, 3.0)}
    return Timeline(duration=6.0, tracks=tracks)


# The axis


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    zooms=st.lists(st.tuples(st.floats(0.2, 5.0), st.floats(0, 800)), max_size=12),
    x=st.floats(0, 800),
)
def test_places_and_times_are_each_others_inverse(
    zooms: list[tuple[float, float]], x: float
) -> None:
    axis = TimeAxis(left=100.0)
    axis.set_width(800.0)
    for factor, at in zooms:
        axis.zoom(factor, 100.0 + at)
    assert axis.x(axis.seconds(x)) == pytest.approx(x, abs=1e-6)


def test_zooming_leaves_the_time_under_the_pointer_where_it_is() -> None:
    axis = TimeAxis(left=50.0)
    axis.set_width(900.0)
    before = axis.seconds(400.0)
    axis.zoom(3.0, 400.0)
    assert axis.seconds(400.0) == pytest.approx(before)
    assert axis.end - axis.start < 3.0


def test_what_is_fitted_stays_fitted() -> None:
    axis = TimeAxis()
    axis.fit()
    for width, duration in ((300.0, 6.0), (1200.0, 6.0), (1200.0, 90.0)):
        axis.set_width(width)
        axis.set_timeline(duration, 30.0)
        assert axis.start < 0.0 < duration < axis.end
        assert axis.end - axis.start < 1.1 * duration


def test_a_page_is_turned_when_what_plays_leaves_it() -> None:
    axis = TimeAxis()
    axis.set_width(600.0)
    axis.zoom(6.0, 0.0)
    start = axis.start
    axis.follow(0.5 * (axis.start + axis.end))
    assert axis.start == start
    axis.follow(axis.end + 0.1)
    assert axis.start > start


@pytest.mark.parametrize("duration", [0.2, 1.0, 6.0, 75.0, 3600.0, 86400.0])
@pytest.mark.parametrize("fps", [12.5, 30.0, 120.0])
def test_ticks_lie_on_frames_and_labels_have_room(duration: float, fps: float) -> None:
    axis = TimeAxis()
    axis.set_width(900.0)
    axis.set_timeline(duration, fps)
    axis.fit()
    found = ticks(axis)
    labelled = [axis.x(tick.time) for tick in found if tick.text]
    assert len(labelled) >= 2
    assert np.diff(labelled).min() > 40.0
    for tick in found:
        frame = tick.time * fps
        assert tick.whole or abs(frame - round(frame)) < 1e-6
    assert len(found) < 600


def test_times_are_read_as_people_say_them() -> None:
    assert [seconds_text(t) for t in (4, 65, 3725)] == ["4 s", "1:05", "1:02:05"]


# Edits of many keys


def test_keys_move_and_replace_those_they_meet(timeline: Timeline) -> None:
    fresh = keys.moved(timeline, {"n/a": frozenset((0.0, 1.0))}, 1.0)
    assert [(k.time, k.value[0]) for k in fresh.tracks["n/a"].keys] == [
        (1.0, 0.0), (2.0, 1.0), (4.0, 16.0),
    ]  # fmt: skip
    assert fresh.tracks["n/b"] is timeline.tracks["n/b"]


def test_copies_leave_the_keys_where_they_are(timeline: Timeline) -> None:
    fresh = keys.moved(timeline, {"n/b": frozenset((1.0,))}, 0.5, copy=True)
    assert [k.time for k in fresh.tracks["n/b"].keys] == [1.0, 1.5, 3.0]


@pytest.mark.parametrize(("seconds", "copy"), [(0.5, False), (1.0, False), (-3.0, True)])
def test_moving_is_what_the_operation_does(seconds: float, copy: bool) -> None:
    """What a drag shows is what letting go makes."""
    document = Document(nodes=(Node("thing", a_cloud(), id="n"),))
    editor = Editor(document)
    for time in (0.0, 1.0, 2.0, 4.0):
        editor.run("key", path="n/translation", time=time, value=(time, 0.0, 1.0))
    choice = {"n/translation": frozenset((0.0, 1.0))}
    shown = keys.moved(editor.document.timeline, choice, seconds, copy=copy)
    pairs = tuple(("n/translation", t) for t in sorted(choice["n/translation"]))
    editor.run("shift_keys", keys=pairs, seconds=seconds, copy=copy)
    assert editor.document.timeline == shown


@pytest.mark.parametrize("copy", [False, True])
def test_what_is_painted_of_many_keys_is_where_they_will_be(timeline: Timeline, copy: bool) -> None:
    chosen = frozenset((1.0, 2.0))
    made = keys.moved(timeline, {"n/a": chosen}, 0.25, copy=copy).tracks["n/a"]
    shown = keys.moved_arrays(
        keys.arrays_of(timeline.tracks["n/a"]), chosen, lambda times: times + 0.25, copy=copy
    )
    assert np.array_equal(shown.times, keys.arrays_of(made).times)
    assert np.array_equal(shown.values, keys.arrays_of(made).values)


def test_scaling_keeps_the_time_it_is_about_and_takes_handles_along() -> None:
    key = Key(3.0, (1.0,), "bezier", before=(-0.5, 0.2), after=(0.4, 0.1))
    timeline = Timeline(tracks={"n/a": Track((Key(1.0, (0.0,)), key))})
    fresh = keys.scaled(timeline, {"n/a": frozenset((1.0, 3.0))}, 2.0, 1.0)
    first, second = fresh.tracks["n/a"].keys
    assert (first.time, second.time) == (1.0, 5.0)
    assert second.before == (-1.0, 0.2)
    assert second.after == (0.8, 0.1)


def test_scaling_backwards_swaps_handles() -> None:
    key = Key(3.0, (1.0,), "bezier", before=(-0.5, 0.2), after=(0.4, 0.1))
    timeline = Timeline(tracks={"n/a": Track((key,))})
    (turned,) = keys.scaled(timeline, {"n/a": frozenset((3.0,))}, -1.0, 2.0).tracks["n/a"].keys
    assert turned.time == 1.0
    assert turned.before == (-0.4, 0.1)
    assert turned.after == (0.5, 0.2)


def test_copied_keys_are_pasted_at_a_time(timeline: Timeline) -> None:
    held = keys.copied(timeline, {"n/a": frozenset((1.0, 2.0)), "n/b": frozenset((3.0,))})
    fresh, choice = keys.pasted(timeline, held, 4.0)
    assert choice == {"n/a": frozenset((4.0, 5.0)), "n/b": frozenset((6.0,))}
    assert [(k.time, k.value[0]) for k in fresh.tracks["n/a"].keys[-2:]] == [(4.0, 1.0), (5.0, 4.0)]


def test_interpolation_changes_chosen_keys_alone(timeline: Timeline) -> None:
    fresh = shaping.interpolated(timeline, {"n/a": frozenset((1.0,))}, "constant")
    kinds = [key.interpolation for key in fresh.tracks["n/a"].keys]
    assert kinds == ["smooth", "constant", "smooth", "smooth"]
    fresh = shaping.smoothed(fresh, {"n/a": frozenset((1.0,))}, 0.25)
    assert fresh.tracks["n/a"].keys[1].smoothness == 0.25


def test_holds_are_where_nothing_changes() -> None:
    values = (0.0, 0.0, 1.0, 1.0)
    linear = Track(tuple(Key(float(i), (v,), "linear") for i, v in enumerate(values)))
    assert keys.arrays_of(linear).held.tolist() == [True, False, True]
    smooth = Track(tuple(Key(float(i), (v,), "smooth") for i, v in enumerate((0.0, 1.0, 1.0, 0.0))))
    # A smooth curve swings above two equal keys.
    assert smooth.at(1.5) != (1.0,)
    assert keys.arrays_of(smooth).held.tolist() == [False, False, False]


# Rows and marks


def test_rows_follow_the_outliner_and_fold() -> None:
    nodes = (Node("b", a_cloud(), id="b"), Node("a", a_cloud(), id="a"))
    tracks = {
        "a/translation": Track((Key(1.0, (0.0, 0.0, 0.0)),)),
        "b/visible": Track((Key(0.0, (1.0,)),)),
        "view/fov": Track((Key(2.0, (40.0,)),)),
        "gone/fov": Track((Key(2.0, (40.0,)),)),
    }
    document = Document(nodes=nodes, timeline=Timeline(tracks=tracks))
    rows = rows_of(document, document.timeline, frozenset(), WORDS, times_of(document))
    assert [(row.kind, row.title) for row in rows] == [
        ("summary", "All keys"), ("node", "View"), ("track", "fov"), ("node", "b"),
        ("track", "visible"), ("node", "a"), ("track", "translation"),
    ]  # fmt: skip
    assert rows[0].times.tolist() == [0.0, 1.0, 2.0]
    rows = rows_of(document, document.timeline, frozenset(("b", "view")), WORDS, times_of(document))
    assert [row.title for row in rows] == ["All keys", "View", "b", "a", "translation"]
    assert rows[2].times.tolist() == [0.0]


def test_sounds_have_rows() -> None:
    sound = Node("voice", Audio(samples=np.zeros((9, 1), np.float32), rate=8000), id="s")
    document = Document(nodes=(sound,))
    rows = rows_of(document, document.timeline, frozenset(), WORDS, times_of(document))
    assert [(row.kind, row.id) for row in rows] == [("audio", "s")]


def test_of_keys_that_lie_on_each_other_the_chosen_one_is_drawn() -> None:
    xs = np.arange(0.0, 3000.0, 0.1)
    marked = np.zeros(len(xs), bool)
    marked[[7, 15001]] = True
    kept = thinned(xs, marked)
    assert len(kept) <= 1001
    assert {7, 15001} <= set(kept.tolist())
    assert np.all(np.diff(kept) > 0)


# Peaks


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 5000, 70_001])
@pytest.mark.parametrize("columns", [1, 7, 300])
def test_peaks_hold_every_sample(count: int, columns: int) -> None:
    samples = np.random.default_rng(count).uniform(-1, 1, (count, 2)).astype(np.float32)
    peaks = run(peaks_of(samples, 8000))
    found = peaks.between(0.0, max(count, 1) / 8000, columns)
    assert found.shape == (columns, 2)
    if count:
        mono = samples.mean(axis=1)
        assert found[:, 0].min() <= mono.min() + 1e-6
        assert found[:, 1].max() >= mono.max() - 1e-6
        assert found[:, 0].min() >= mono.min() - 1e-6
    else:
        assert not found.any()


def test_peaks_of_a_stretch_are_those_of_its_samples() -> None:
    samples = np.zeros((64_000, 1), np.float32)
    samples[32_000] = 0.9
    peaks = run(peaks_of(samples, 8000))
    found = peaks.between(3.0, 5.0, 200)
    loud = np.flatnonzero(found[:, 1] > 0.5)
    assert len(loud) <= 3
    assert abs(loud.mean() - 100) <= 2


def test_outside_a_sound_is_silence() -> None:
    peaks = run(peaks_of(np.ones((8000, 1), np.float32), 8000))
    found = peaks.between(-1.0, 2.0, 300)
    assert not found[:95].any()
    assert not found[205:].any()
    assert (found[110:190, 1] == 1.0).all()
