"""Runs that were recorded: played without computing, and in the place of what is too slow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.lab import catalog
from polyorama_studio.workspaces.lab.recordings import Slowness, keep, kept_folder
from polyorama_studio.workspaces.lab.run import Run
from polyorama_studio.workspaces.lab.setup import Setup
from tests.gui.lab_every import Every
from tests.gui.lab_fakes import Runners

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session


@pytest.fixture
def runners(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runners:
    runners = Runners()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("polyorama_studio.workspaces.lab.run.make_runner", runners)
    monkeypatch.setattr(catalog, "_OWN", {"tests/every": "tests.gui.lab_every:Every"})
    return runners


@pytest.fixture
def run(qtbot: QtBot, session: Session, runners: Runners) -> Iterator[Run]:
    """The walk on seed 0 after 120 steps in 40 looks, its record written."""
    run = Run(session)
    run.open("tests/every")
    qtbot.waitUntil(lambda: run.update is not None)
    for _ in range(40):
        runners.last.step(3)
    qtbot.waitUntil(lambda: run.step_shown == 120)
    run.flush()
    yield run
    run.close()


def test_a_record_plays_what_was_live(qtbot: QtBot, run: Run, runners: Runners) -> None:
    means, folder = run.history.whole("mean/plain").copy(), run.folder
    places = run.update.snapshot.values["places/plain"]
    run.open_record(folder)
    qtbot.waitUntil(lambda: run.replaying and run.step_shown == 0)
    assert np.array_equal(run.history.whole("mean/plain"), means), "all of it is known at once"
    run.set_speed(math.inf)
    run.set_playing(True)
    qtbot.waitUntil(lambda: not run.playing)
    assert run.step_shown == 120
    assert np.array_equal(run.update.snapshot.values["places/plain"], places)
    assert len(runners.made) == 1, "nothing was computed"
    run.set_playing(True)
    qtbot.waitUntil(lambda: run.step_shown < 120)
    run.set_playing(False)
    run.seek_step(60.0)
    qtbot.waitUntil(lambda: run.step_shown == 60)
    run.step_on(2)
    qtbot.waitUntil(lambda: run.step_shown == 66)


def test_a_record_goes_at_the_speed_of_the_run(qtbot: QtBot, run: Run) -> None:
    run.open_record(run.folder)
    qtbot.waitUntil(lambda: run.replaying and not run.loading)
    run.set_speed(0.1)
    run.set_playing(True)
    qtbot.waitUntil(lambda: run.step_shown > 0)
    assert run.step_shown < 60, "six steps a second do not show half of the run at once"
    run.set_playing(False)


def test_what_was_recorded_is_changed_by_starting_again(
    qtbot: QtBot, run: Run, runners: Runners
) -> None:
    run.open_record(run.folder)
    qtbot.waitUntil(lambda: run.replaying and not run.loading)
    drift = Every.parameters()[0]
    run.set_value(drift, 0.7)
    assert run.pending == {"drift": 0.7}
    run.restart()
    qtbot.waitUntil(lambda: len(runners.made) == 2 and not run.loading)
    assert not run.replaying
    assert runners.last.runner.experiment.params.drift == 0.7
    assert runners.last.setup.seed == 0


def test_a_kept_run_takes_over_on_the_stage(
    qtbot: QtBot, run: Run, runners: Runners, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.keep()
    folder = kept_folder(run.setup, run.loaded.active)
    qtbot.waitUntil(folder.is_dir)
    qtbot.waitUntil(lambda: any(told.notice.kind == "good" for told in session.told))
    run.restart()
    qtbot.waitUntil(lambda: len(runners.made) == 2 and not run.loading)
    monkeypatch.setattr(Slowness, "watch", lambda *values: True)
    run.set_playing(True)
    runners.last.pass_time(0.5)
    qtbot.waitUntil(lambda: run.step_shown > 0)
    run.told.emit()
    assert session.told[-1].notice.action is not None
    assert not run.replaying, "at the desk a person decides"
    run.on_stage = True
    run.told.emit()
    qtbot.waitUntil(lambda: run.replaying)
    assert run.folder == folder
    assert run.playing


def test_what_is_no_run_says_so(qtbot: QtBot, run: Run, session: Session, tmp_path: Path) -> None:
    run.open_record(tmp_path)
    qtbot.waitUntil(lambda: any(told.notice.kind == "bad" for told in session.told))
    assert str(tmp_path) in session.told[-1].notice.text
    assert not run.replaying


def test_a_run_is_kept_anew(tmp_path: Path) -> None:
    source, target = tmp_path / "run", tmp_path / "kept" / "one"
    source.mkdir()
    (source / "old").write_text("1")
    keep(source, target)
    (source / "old").rename(source / "new")
    keep(source, target)
    assert [path.name for path in target.iterdir()] == ["new"]
    assert [path.name for path in target.parent.iterdir()] == ["one"]


def test_setups_have_places_of_their_own() -> None:
    first = Setup("tests/every")
    others = (
        Setup("tests/other"), Setup("tests/every", seed=1), Setup("tests/every", values={"a": 1}),
        Setup("tests/every", paintings={"ground": np.zeros((2, 2))}),
        Setup("tests/every", paintings={"ground": np.ones((2, 2))}),
    )  # fmt: skip
    places = {kept_folder(setup, ("plain",)) for setup in (first, *others)}
    places.add(kept_folder(first, ("plain", "heavy")))
    assert len(places) == 7
    assert kept_folder(Setup("tests/every"), ("plain",)) in places


def test_slowness_is_told_once_and_after_a_while() -> None:
    slowness = Slowness()
    assert not any(slowness.watch(0.1 * k, 10.0, 60.0) for k in range(30))
    assert slowness.watch(3.1, 10.0, 60.0)
    assert not slowness.watch(9.0, 10.0, 60.0)
    slowness.forget()
    assert not slowness.watch(20.0, 10.0, 60.0)
    assert not slowness.watch(22.0, 40.0, 60.0), "it has caught up"
    assert not slowness.watch(24.0, 10.0, 60.0)
    assert not slowness.watch(30.0, 10.0, math.inf), "as fast as it can is fast enough"
