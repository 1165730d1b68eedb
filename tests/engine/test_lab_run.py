"""Runs of experiments: steps, luck, live changes, play and scrub, and rubbish from plug-ins."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import polyorama as po
from polyorama.core.jobs import run
from polyorama.errors import UsageError
from polyorama.lab.experiment import ExperimentError
from polyorama.lab.history import History
from polyorama.lab.recording import differing
from polyorama.lab.remote import RemoteRunner
from polyorama.lab.runner import Change, Runner, Runners
from polyorama.lab.snapshot import MOST_TEXT, Snapshot
from polyorama.verbs.lab import run_job
from tests.engine.lab_looks import bits
from tests.engine.lab_samples import (
    FAULTS,
    Failing,
    Faulty,
    FaultyParams,
    Odd,
    Walk,
    WalkParams,
)

SAMPLES = __file__.replace("test_lab_run.py", "lab_samples.py")


def at_step(step: int, seed: int = 3, **params: object) -> Snapshot:
    walk = Walk(WalkParams(**params))  # type: ignore[arg-type]
    walk.reset(seed)
    return walk.step(step)


# Steps


@pytest.mark.parametrize("parts", [(1,) * 60, (7, 53), (30, 0, 30), (59, 1)])
def test_however_steps_are_grouped_the_state_is_the_same(parts) -> None:
    walk = Walk()
    walk.reset(3)
    for count in parts:
        seen = walk.step(count)
    assert bits(seen) == bits(at_step(60))


def test_a_seed_is_a_run_and_another_is_another() -> None:
    assert bits(at_step(60)) == bits(at_step(60))
    assert bits(at_step(60, seed=4)) != bits(at_step(60))


def test_a_run_ends_where_it_says() -> None:
    walk = Walk(WalkParams(horizon=10))
    walk.reset(0)
    assert not walk.step(9).done
    end = walk.step(5)
    assert (end.step, end.done) == (10, True)
    assert bits(walk.step(5)) == bits(end)


def test_a_run_may_have_one_step(tmp_path) -> None:
    walk = po.run_experiment(Walk(WalkParams(horizon=1)), steps=50, folder=tmp_path / "run")
    assert walk.steps.tolist() == [0.0, 1.0]
    assert walk.done
    walk.export(tmp_path / "run.png")


def test_snapshots_do_not_change_while_the_run_goes_on() -> None:
    walk = Walk()
    walk.reset(1)
    seen = walk.step(5)
    before = bits(seen)
    walk.step(50)
    assert bits(seen) == before
    with pytest.raises(ValueError, match="read-only"):
        seen.arrays["visits"][0, 0] = 1.0


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, True, "a", None])
def test_no_seed(seed) -> None:
    with pytest.raises(UsageError):
        Walk().reset(seed)


@pytest.mark.parametrize(
    ("rivals", "paintings", "words"),
    [
        (("nobody",), {}, "no rival 'nobody'; there are fair, drifting"),
        ((), {}, "at least one of its methods"),
        (None, {"wall": np.zeros((8, 12))}, "no canvas 'wall'; there are floor"),
        (None, {"floor": np.zeros((12, 8))}, "8 rows of 12 numbers"),
        (None, {"floor": [[1.0], [1.0, 2.0]]}, "a table of numbers, not"),
        (None, {"floor": "black"}, "a table of numbers, not 'black'"),
        (None, {"floor": np.full((8, 12), np.nan)}, "finite"),
        (None, {"floor": np.full((8, 12), 2.0)}, "between 0 and 1"),
    ],
)
def test_what_an_experiment_does_not_take(rivals, paintings, words) -> None:
    with pytest.raises(UsageError, match=words):
        Walk(None, rivals, paintings)


def test_rivals_meet_the_same_luck_whoever_else_takes_part() -> None:
    alone = Walk(None, ("fair",))
    alone.reset(3)
    assert alone.step(60).values["place/fair"] == at_step(60).values["place/fair"]


# Changes on the way


def test_a_change_acts_from_its_step_on() -> None:
    walk = Walk()
    walk.reset(3)
    walk.step(20)
    walk.set("held", True)
    held = walk.step(20)
    assert held.values["place/fair"] == at_step(20).values["place/fair"]
    walk.set("held", False)
    assert walk.step(1).values["place/fair"] != held.values["place/fair"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("horizon", 5, "cannot be changed while samples/walk runs"),
        ("speed", 5, "no parameter 'speed'"),
        ("drift", 9.0, "drift is between -1 and 1"),
        ("drift", math.nan, "finite"),
        ("kind", "dice", "one of normal, coin"),
        ("held", 1, "on or off"),
    ],
)
def test_a_change_that_does_not_fit_changes_nothing(name, value, words) -> None:
    runner = Runner(Walk(), 3)
    with pytest.raises(UsageError, match=words):
        runner.set(name, value)
    assert runner.history.changes == ()
    assert runner.error == ""
    runner.step(30)
    assert bits(runner.history.snapshot(-1)) == bits(at_step(30))


def test_changes_of_a_script_are_checked_before_anything_runs(tmp_path) -> None:
    wrong = (
        [(5, "drift", 9.0)],
        [(5, "horizon", 3)],
        [(9, "held", True), (5, "held", False)],
        [(99, "held", True)],
        [(5.5, "held", True)],
        [("5", "held", True)],
        [(5, "floor", np.zeros(3))],
    )
    for changes in wrong:
        with pytest.raises(UsageError):
            po.run_experiment(Walk(), steps=20, folder=tmp_path / "run", changes=changes)
        assert not (tmp_path / "run").exists()


def test_changes_of_a_script_come_at_their_step() -> None:
    floor = np.ones((8, 12))
    done = po.run_experiment(
        Walk(), seed=3, steps=30, every=7, changes=[(10, "drift", 1.0), (20, "floor", floor)]
    )
    assert [(c.step, c.name) for c in done.changes] == [(10, "drift"), (20, "floor")]
    walk = Walk()
    walk.reset(3)
    walk.step(10)
    walk.set("drift", 1.0)
    walk.step(10)
    walk.paint("floor", floor)
    assert bits(walk.step(10)) == bits(done.snapshot(-1))


# Play, pause, step and seek


def test_a_runner_scrubs_and_goes_on() -> None:
    runner = Runner(Walk(), 3)
    for _ in range(6):
        runner.step(5)
    runner.seek(2)
    update = runner.update()
    assert (update.snapshot.step, update.index, update.live) == (10, 2, False)
    assert bits(update.snapshot) == bits(at_step(10))
    runner.step(1)  # scrubbed back: on by a snapshot
    assert runner.update().snapshot.step == 15
    runner.seek(-7)
    assert runner.update().index == 0
    runner.seek(99)
    assert runner.live
    runner.step(5)
    assert bits(runner.update().snapshot) == bits(at_step(35))


def test_changes_go_to_the_end_of_the_record_wherever_one_looks() -> None:
    runner = Runner(Walk(), 3)
    runner.step(10)
    runner.seek(0)
    runner.set("drift", 0.5)
    assert runner.live
    assert runner.history.changes == (Change(10, "drift", 0.5, 2),)


def test_playing_follows_the_rate_and_the_speed() -> None:
    runner = Runner(Walk(), 3)
    runner.play()
    for _ in range(200):  # after some ticks it knows what it can do
        runner.tick(0.01)
    assert runner.experiment.steps == pytest.approx(200, abs=25)
    before = runner.experiment.steps
    runner.speed = 0.1
    for _ in range(100):
        runner.tick(0.01)
    assert runner.experiment.steps - before == pytest.approx(10, abs=2)
    assert bits(runner.update().snapshot) == bits(at_step(runner.experiment.steps))
    runner.pause()
    assert runner.tick(1.0) is not None
    assert runner.tick(1.0) is None


def test_playing_goes_over_the_record_and_then_on() -> None:
    runner = Runner(Walk(WalkParams(horizon=60)), 3)
    for _ in range(4):
        runner.step(10)
    runner.seek(0)
    runner.speed = math.inf
    runner.play()
    shown = []
    while runner.playing:
        update = runner.tick(0.02)
        if update is not None:
            shown.append(update.snapshot.step)
    assert shown[:4] == [10, 20, 30, 40]
    assert shown == sorted(shown)
    assert (shown[-1], runner.done) == (60, True)


@pytest.mark.parametrize("speed", [0.0, -1.0, math.nan, "fast"])
def test_no_speed(speed) -> None:
    with pytest.raises(UsageError):
        Runner(Walk(), 0).speed = speed


def test_updates_hold_every_row_once() -> None:
    runner = Runner(Walk(), 3)
    rows = [runner.update().scalars["step"]]
    for _ in range(4):
        runner.step(5)
        runner.step(5)
        rows.append(runner.update().scalars["step"])
    assert np.concatenate(rows).tolist() == list(range(0, 45, 5))


def test_several_run_in_lockstep_on_the_same_luck() -> None:
    pair = Runners([Walk(), Walk(WalkParams(drift=0.9))], 3)
    pair.step(40)
    pair.play()
    for _ in range(20):
        pair.tick(0.02)
    first, second = (runner.experiment for runner in pair.runners)
    assert first.steps == second.steps > 40
    assert first.place["fair"] == second.place["fair"]
    assert second.place["drifting"] - first.place["drifting"] == pytest.approx(0.8 * first.steps)
    pair.set("held", True)
    pair.seek(1)
    assert [runner.update().snapshot.step for runner in pair.runners] == [40, 40]
    with pytest.raises(UsageError, match="None of these"):
        pair.set("colour", 1)
    with pytest.raises(UsageError, match="at least one"):
        Runners([], 3)


def test_memory_is_bounded_and_thinned_out_evenly() -> None:
    walk = Walk()
    walk.reset(3)
    history = History(walk, 3, budget=20 * 8 * 96)
    for _ in range(200):
        history.append(walk.step())
    gaps = np.diff(history.kept())
    assert 5 <= len(history.kept()) <= 21
    assert len(set(gaps.tolist())) == 1
    assert history.length == 200
    # What was dropped shows the arrays of the one before, with scalars of its own.
    row = history.kept()[2] + 1
    seen = history.snapshot(row)
    assert seen.values["place/fair"] == history.columns["place/fair"][row]
    assert np.array_equal(
        seen.arrays["visits"], history.snapshot(history.kept()[2]).arrays["visits"]
    )


# Rubbish


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("count", "did None of 1 steps"),
        ("many", "did 2 of 1 steps"),
        ("still", "stands still at step 3"),
        ("nothing", "shows None at step 4"),
        ("step", "shows step 5 at step 4"),
        ("text", "made of numbers"),
        ("complex", "made of numbers"),
        ("note", "texts of at most 4,096 letters, not 3.5"),
        ("key", "texts of at most 4,096 letters, not 7"),
        ("exit", "failed at step 3 (SystemExit: 5)"),
    ],
)
def test_rubbish_is_one_sentence_and_what_was_before_stays(fault, words, tmp_path) -> None:
    subject = Faulty(FaultyParams(fault))
    with pytest.raises(po.PolyoramaError) as told:
        po.run_experiment(subject, steps=9, every=1, folder=tmp_path / "run")
    assert words in str(told.value)
    assert "\n" not in str(told.value)
    assert po.open_run(tmp_path / "run").steps.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_every_fault_is_tried() -> None:
    """Those that are not above are in the tests of figures and of records."""
    assert set(FAULTS) - {"views", "twins", "axis", "begin"} == {
        "count", "many", "still", "nothing", "step", "text", "complex", "note", "key", "exit",
    }  # fmt: skip


def test_a_runner_stands_still_after_a_failure() -> None:
    runner = Runner(Failing(), 1)
    runner.step(20)
    runner.step(20)
    assert "a reward is NaN" in runner.error
    assert runner.update().snapshot.step == 20
    runner.play()
    assert not runner.playing
    with pytest.raises(UsageError, match="stands still after an error"):
        runner.set("drift", 0.2)


def test_a_failing_run_says_at_what_step() -> None:
    with pytest.raises(ExperimentError, match=r"samples/failing failed at step 27 \(ValueError: a"):
        run(run_job(Failing(), seed=1, steps=60))


def test_rewards_that_are_not_finite_are_kept_as_they_are(tmp_path) -> None:
    live = po.run_experiment(Odd(), seed=1, steps=12, every=1)
    written = po.run_experiment(Odd(), seed=1, steps=12, every=1, folder=tmp_path / "run")
    assert [bits(live.snapshot(i)) for i in range(13)] == [
        bits(written.snapshot(i)) for i in range(13)
    ]
    assert np.isnan(written.columns["place/fair"][0])
    assert np.isinf(written.columns["place/fair"][1])


@pytest.mark.parametrize(
    "values",
    [{"a": "text"}, {"a": np.array([object()])}, {"a": np.zeros(1, np.longdouble)},
     {"a": np.zeros((1,) * 9)}, {"a" * (MOST_TEXT + 1): 1.0}],
)  # fmt: skip
def test_no_values_of_a_snapshot(values) -> None:
    with pytest.raises(UsageError):
        Snapshot(0, values)


def test_a_step_of_another_name_is_refused() -> None:
    history = History(Walk(), 0)
    with pytest.raises(UsageError, match="'step' of a snapshot is its step"):
        history.append(Snapshot(3, {"step": 4.0}))


def test_snapshots_differ_in_what_is_named() -> None:
    one = Snapshot(1, {"a": 1.0, "b": np.arange(3.0), "time/x": 1.0}, {"t": 0.5}, "n")
    assert differing(one, Snapshot(1, {"a": 1.0, "b": np.arange(3.0)}, {"t": 0.5}, "n")) == ""
    for key, other in {
        "step": Snapshot(2, one.values, one.acting, "n"),
        "note": Snapshot(1, one.values, one.acting, "m"),
        "a": Snapshot(1, {**one.values, "a": np.nextafter(1.0, 2.0)}, one.acting, "n"),
        "b": Snapshot(1, {**one.values, "b": np.arange(3)}, one.acting, "n"),
        "c": Snapshot(1, {**one.values, "c": 0.0}, one.acting, "n"),
        "t": Snapshot(1, one.values, {"t": 0.6}, "n"),
    }.items():
        assert differing(one, other) == key


# In a process of its own


class Heard:
    """What a remote runner says."""

    def __init__(self, name: str, **options: object) -> None:
        self.updates: list[object] = []
        self.errors: list[str] = []
        self.remote = RemoteRunner(
            f"{SAMPLES}:{name}", on_update=self.updates.append, on_error=self.errors.append,
            **options,  # type: ignore[arg-type]
        )  # fmt: skip

    def until(self, reached) -> object:
        end = time.monotonic() + 60.0
        while time.monotonic() < end:
            if self.updates and reached(self.updates[-1]):
                return self.updates[-1]
            time.sleep(0.005)
        raise AssertionError((self.errors, self.updates[-1:]))


def test_what_stays_the_same_in_a_process_is_the_same_object_here() -> None:
    """So that whoever draws it need not look at it again; what changes is another one."""
    heard = Heard("Still", seed=1)
    heard.remote.step(1)
    heard.until(lambda update: update.snapshot.step == 1)
    heard.remote.step(1)
    last = heard.until(lambda update: update.snapshot.step == 2)
    heard.remote.close()
    assert list(last.snapshot.values) == ["moving", "still"]
    assert last.snapshot.values["still"].tolist() == [1.0, 2.0, 3.0]
    assert last.snapshot.values["moving"].tolist() == [2.0]
    for update in heard.updates:
        assert update.snapshot.values["still"] is last.snapshot.values["still"]
        assert not update.snapshot.values["still"].flags.writeable
    moving = {u.snapshot.step: u.snapshot.values["moving"].tolist() for u in heard.updates}
    assert moving == {step: [float(step)] for step in moving}


def test_a_run_in_a_process_is_the_same_run(tmp_path) -> None:
    folder = tmp_path / "run"
    heard = Heard("Walk", seed=3, params={"horizon": 400}, folder=folder)
    remote = heard.remote
    remote.step(20)
    heard.until(lambda update: update.snapshot.step == 20)
    remote.set("drift", 0.7)
    remote.set("kind", "dice")
    remote.step(20)
    heard.until(lambda update: update.snapshot.step == 40 and update.changes)
    remote.seek(1)
    back = heard.until(lambda update: update.index == 1)
    assert not back.live
    remote.set_speed(math.inf)
    remote.play()
    end = heard.until(lambda update: update.done and update.live)
    remote.close()
    assert any("one of normal, coin" in text for text in heard.errors)
    steps = np.concatenate([update.scalars["step"] for update in heard.updates])
    assert len(steps) == end.length  # every row once
    walk = Walk(WalkParams(horizon=400))
    walk.reset(3)
    walk.step(20)
    walk.set("drift", 0.7)
    assert bits(walk.step(380)) == bits(end.snapshot)
    record = po.open_run(folder)
    assert bits(record.snapshot(-1)) == bits(end.snapshot)
    assert [(c.name, c.value) for c in record.changes] == [("drift", 0.7)]
    again = Heard("Walk", folder=folder, resume=True)
    there = again.until(lambda update: update.length == end.length)
    again.remote.close()
    assert bits(there.snapshot) == bits(end.snapshot)
    assert there.changes == end.changes


def test_a_process_that_dies_is_told_and_one_that_hangs_is_ended() -> None:
    dying, sleeping = Heard("Dying"), Heard("Sleeping")
    for heard in (dying, sleeping):
        heard.until(lambda update: update.snapshot.step == 0)
        heard.remote.step(1)
    end = time.monotonic() + 60.0
    while not dying.errors and time.monotonic() < end:
        time.sleep(0.005)
    assert "ended by itself (exit code 7)" in dying.errors[0]
    assert not dying.remote.alive
    for heard in (dying, sleeping):
        heard.remote.close()
        assert not heard.remote._process.is_alive()
    assert sleeping.errors == []
