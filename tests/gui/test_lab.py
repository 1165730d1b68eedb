"""The Lab, driven as a person would, with an experiment that uses every kind of view."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QImage
from PySide6.QtWidgets import QLabel

from polyorama.lab import catalog
from polyorama.lab.formula import Formula
from polyorama.lab.record import Record
from polyorama_studio.theme import Metrics, font
from polyorama_studio.workspaces.lab import bands as bands_module
from polyorama_studio.workspaces.lab.export import LabExportDialog, write_run
from polyorama_studio.workspaces.lab.history import History
from polyorama_studio.workspaces.lab.layout import arrange, arrange_fitting
from polyorama_studio.workspaces.lab.loops import LoopMaker
from polyorama_studio.workspaces.lab.scrub import change_words
from polyorama_studio.workspaces.lab.typeset import typeset
from polyorama_studio.workspaces.lab.workspace import LabWorkspace
from tests.gui.fakes import FakeRasterizer
from tests.gui.lab_every import Every
from tests.gui.lab_fakes import Runners

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.session import Session
    from polyorama_studio.window import Window
    from polyorama_studio.workspaces.lab.theme import LabTheme

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def runners(monkeypatch: pytest.MonkeyPatch) -> Runners:
    """In the place of processes and of the renderer."""
    runners = Runners()
    monkeypatch.setattr("polyorama.lab.space.get_rasterizer", lambda name: FakeRasterizer())
    monkeypatch.setattr("polyorama_studio.workspaces.lab.run.make_runner", runners)
    monkeypatch.setattr(LoopMaker, "ask", lambda maker, experiment_id: None)
    monkeypatch.setattr(
        catalog, "_OWN",
        {
            "tests/every": "tests.gui.lab_every:Every",
            "tests/every-other": "tests.gui.lab_every:EveryOther",
        },
    )  # fmt: skip
    return runners


@pytest.fixture
def lab(
    request: pytest.FixtureRequest, qtbot: QtBot, session: Session, runners: Runners
) -> Iterator[LabWorkspace]:
    """The Lab with the first experiment on its stage: by itself, or in the window of the test."""
    if "window" in request.fixturenames:
        window = request.getfixturevalue("window")
        window.workspaces.show_workspace("lab")
        lab = window.workspaces.lab
    else:
        lab = LabWorkspace(session)
        lab.resize(1440, 850)
        lab.show()
        qtbot.waitExposed(lab)
        lab.open_first()
    qtbot.waitUntil(lambda: lab.run.update is not None)
    yield lab
    if "window" not in request.fixturenames:
        lab.hide()
        lab.deleteLater()


def steps(qtbot: QtBot, lab: LabWorkspace, runners: Runners, count: int) -> None:
    """Let the run do so many steps in several looks."""
    for _ in range(10):
        runners.last.step(count // 10)
    qtbot.waitUntil(lambda: lab.run.history.length and lab.run.step_shown >= count)


# Parts


def test_columns_grow_and_stop_where_one_looks() -> None:
    history = History()
    history.append(0, {"step": np.arange(5.0), "a": np.arange(5.0)})
    history.append(5, {"step": np.arange(5.0, 3000.0), "b": np.arange(5.0, 3000.0)})
    history.show(6)
    assert history.steps.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert np.isnan(history.column("a")[5:]).all()
    assert history.column("a")[:5].tolist() == [0, 1, 2, 3, 4]
    assert np.isnan(history.column("b")[:5]).all()
    assert history.column("b")[5:].tolist() == [5, 6]
    assert np.isnan(history.column("c")).all()
    assert history.whole("b")[-1] == 2999.0
    before = history.generation
    history.append(3, {"step": np.arange(3.0), "a": np.arange(3.0)})
    assert history.generation > before
    history.show(99)
    assert history.column("a").tolist() == [0, 1, 2, 0, 1, 2]
    assert np.isnan(history.column("b")).all(), "rows that were taken back leave nothing"


@pytest.mark.parametrize("count", range(1, 7))
@pytest.mark.parametrize("size", [(904, 730), (1904, 900), (400, 900)])
@pytest.mark.parametrize("first", [1, 2])
def test_views_share_the_stage_without_gaps(
    count: int, size: tuple[int, int], first: int
) -> None:  # fmt: skip
    rects = arrange([first] + [1] * (count - 1), *size)
    assert len(rects) == count
    area = 0.0
    for left, top, width, height in rects:
        assert left >= -1e-9
        assert left + width <= 1.0 + 1e-9
        assert top >= -1e-9
        assert top + height <= 1.0 + 1e-9
        assert 0.25 < width * size[0] / (height * size[1]) < 5.5, "none is a strip"
        area += width * height
    assert area == pytest.approx(1.0)
    for k, (left, top, width, height) in enumerate(rects):
        for x, y, w, h in rects[k + 1 :]:
            overlap = (
                min(left + width, x + w) - max(left, x),
                min(top + height, y + h) - max(top, y),
            )
            assert min(overlap) < 1e-9


def test_no_views_take_no_room() -> None:
    assert arrange([], 100, 100) == []
    assert arrange_fitting([], 100, 100, (0, 0)) == []


def test_a_small_hall_sees_fewer_views() -> None:
    least = (440.0, 280.0)
    spans = [2, 1, 1, 1, 1, 1]
    assert len(arrange_fitting(spans, 1920, 930, least)) == 6
    few = arrange_fitting(spans, 1024, 640, least)
    assert 1 < len(few) < 6
    assert all(w * 1024 >= 440 and h * 640 >= 280 for _, _, w, h in few)
    assert arrange_fitting(spans, 300, 200, least) == [(0.0, 0.0, 1.0, 1.0)]


# The window


def test_the_lab_is_made_when_it_is_first_chosen(qtbot: QtBot, window: Window, runners) -> None:
    assert not window.workspaces.is_made("lab")
    assert window.session.lab is None
    tab = next(tab for tab in window.workspaces.tabs if tab.text() == "Lab")
    qtbot.mouseClick(tab, LEFT)
    assert window.workspaces.is_made("lab")
    assert window.workspaces.lab.isVisible()
    assert not window.viewport.isVisible()
    qtbot.waitUntil(lambda: window.workspaces.lab.run.update is not None)
    window.actions_by_id["window.workspace-scene"].trigger()
    assert window.viewport.isVisible()
    assert window.workspaces.tabs[0].isChecked()


def test_menus_and_keys_are_those_of_the_workspace(window: Window, lab: LabWorkspace) -> None:
    def menus() -> set[str]:
        return {a.text() for a in window.menuBar().actions() if a.isVisible()}

    actions = window.actions_by_id
    assert "Lab" in menus()
    assert "Timeline" not in menus()
    assert actions["lab.play"].isEnabled()
    assert not actions["timeline.play"].isEnabled()
    window.workspaces.show_workspace("scene")
    assert "Lab" not in menus()
    assert "Timeline" in menus()
    assert not actions["lab.play"].isEnabled()


def test_the_gallery_has_a_card_an_experiment(
    qtbot: QtBot, lab: LabWorkspace, runners: Runners
) -> None:
    cards = lab.gallery.cards
    assert [card.id for card in cards] == ["tests/every", "tests/every-other"]
    qtbot.waitUntil(lambda: cards[0].text() == Every.title)
    assert cards[0].isChecked()
    assert cards[0].summary == Every.summary
    qtbot.mouseClick(cards[1], LEFT)
    qtbot.waitUntil(lambda: lab.run.title == "The walk in the other ways")
    assert cards[1].isChecked()
    assert lab.session.preferences.lab_experiment == "tests/every-other"
    lab.gallery.search.setText("other")
    assert not cards[0].isVisible()
    assert cards[1].isVisible()


def test_every_view_is_drawn(qtbot: QtBot, lab: LabWorkspace, runners: Runners) -> None:
    steps(qtbot, lab, runners, 100)
    for name in ("tests/every", "tests/every-other"):
        lab.open(name)
        qtbot.waitUntil(lambda: not lab.run.loading and lab.run.loaded.kind.id == name)  # noqa: B023
        steps(qtbot, lab, runners, 50)
        assert len(lab.board.views) == len(lab.run.loaded.views)
        for widget in lab.board.views:
            assert widget.isVisible()
            assert lab.board.rect().contains(widget.geometry())
            qtbot.waitUntil(lambda: widget.snapshot is lab.run.update.snapshot)  # noqa: B023
            image = widget.grab().toImage()
            assert _colors(image) > 3, f"{widget.view.id} is empty"


def _colors(image: QImage) -> int:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32)
    return len(np.unique(pixels))


# The run


def test_play_step_and_scrub(qtbot: QtBot, window: Window, lab: LabWorkspace, runners) -> None:
    run, transport = lab.run, lab.transport
    qtbot.keyClick(lab, Qt.Key.Key_Space)
    assert run.playing
    runners.last.pass_time(2.0, 60)
    qtbot.waitUntil(lambda: run.step_shown > 60)
    qtbot.keyClick(lab, Qt.Key.Key_Space)
    assert not run.playing
    assert not runners.last.runner.playing
    end = run.step_shown
    qtbot.keyClick(lab, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: run.step_shown == end + 1)
    assert run.update.live
    qtbot.keyClick(lab, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: not run.update.live)
    scrub = transport.scrub
    at = QPoint(round(scrub.place(0.5 * scrub.last)), scrub.height() // 2)
    qtbot.mouseClick(scrub, LEFT, NONE, at)
    qtbot.waitUntil(lambda: abs(run.step_shown - 0.5 * scrub.last) < 3)
    assert run.history.steps[-1] == run.step_shown, "curves end at what is shown"
    assert run.history.whole("step")[-1] == end + 1
    assert transport.step.text() == f"step {run.step_shown}"
    qtbot.keyClick(lab, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: run.update.live)
    qtbot.keyClick(lab, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: run.step_shown == 0)


def test_speed_goes_through_the_usual_ones(
    window: Window, lab: LabWorkspace, runners: Runners, qtbot
) -> None:
    qtbot.keyClick(lab, Qt.Key.Key_BracketRight)
    assert runners.last.runner.speed == 2.0
    assert lab.transport.speed.value == "2.0"
    for _ in range(20):
        lab.run.change_speed(1)
    assert runners.last.runner.speed == math.inf
    for _ in range(20):
        qtbot.keyClick(lab, Qt.Key.Key_BracketLeft)
    assert runners.last.runner.speed == 0.1


def test_live_parameters_take_hold_at_once(qtbot: QtBot, lab: LabWorkspace, runners) -> None:
    steps(qtbot, lab, runners, 50)
    field = lab.side.form.fields["drift"]
    field.commit(0.75)
    assert runners.last.runner.experiment.params.drift == 0.75
    qtbot.waitUntil(lambda: len(lab.run.update.changes) == 1)
    assert change_words(lab.run.update.changes[0]) == "Step 50: Drift 0.75"
    assert "Step 50: Drift 0.75" in lab.side.note.text()
    field.commit(0.5)
    qtbot.waitUntil(lambda: len(lab.run.update.changes) == 2)
    assert lab.side.note.text().count("Step 50") == 1, "a drag is told by where it ended"
    assert "Step 50: Drift 0.5" in lab.side.note.text()
    assert lab.session.python[-1] == "run.set('drift', 0.5)"
    field.commit(0.1 + 0.2)
    assert lab.session.python[-1] == "run.set('drift', 0.3)"
    assert len(runners.made) == 1
    assert not lab.side.form.restart.isVisible()
    lab.side.form.fields["mirrored"].click()
    assert runners.last.runner.experiment.params.mirrored is True


def test_others_wait_for_a_new_start_on_the_same_seed(
    qtbot: QtBot, lab: LabWorkspace, runners: Runners
) -> None:
    lab.run.set_seed(7)
    qtbot.waitUntil(lambda: len(runners.made) == 2 and not lab.run.loading)
    steps(qtbot, lab, runners, 20)
    form = lab.side.form
    form.fields["walkers"].commit(9)
    assert len(runners.made) == 2, "nothing starts by itself"
    assert form.restart.isVisible()
    assert runners.last.runner.experiment.params.walkers == 60
    qtbot.mouseClick(form.restart, LEFT)
    qtbot.waitUntil(lambda: len(runners.made) == 3 and lab.run.step_shown == 0)
    assert runners.last.setup.seed == 7
    assert runners.last.runner.experiment.params.walkers == 9
    assert not form.restart.isVisible()
    qtbot.waitUntil(lambda: runners.made[1].closed)
    form.fields["walkers"].commit(60)
    qtbot.mouseClick(form.defaults, LEFT)
    assert lab.run.pending == {"walkers": 60}


def test_rivals_restart_and_catch_up(qtbot: QtBot, lab: LabWorkspace, runners: Runners) -> None:
    steps(qtbot, lab, runners, 60)
    before = lab.run.history.column("mean/plain")[-1]
    chips = lab.transport.rivals.chips
    assert [chip.isChecked() for chip in chips] == [True, True, False]
    qtbot.mouseClick(chips[2], LEFT)
    qtbot.waitUntil(lambda: np.isfinite(lab.run.history.column("mean/lazy")[-1]))
    assert len(runners.made) == 2
    assert runners.last.setup.rivals == ("plain", "heavy", "lazy")
    assert lab.run.step_shown == 60
    assert lab.run.history.column("mean/plain")[-1] == before, "the same luck"
    for chip in chips[1:]:
        qtbot.mouseClick(chip, LEFT)
        qtbot.waitUntil(lambda: not lab.run.loading)
    assert lab.run.loaded.active == ("plain",)
    qtbot.mouseClick(chips[0], LEFT)
    assert chips[0].isChecked(), "the last one stays"


def test_presets_have_keys(
    qtbot: QtBot, window: Window, lab: LabWorkspace, runners: Runners
) -> None:
    chips = lab.side.presets.chips
    assert [chip.text() for chip in chips] == ["Calm", "Wild", "Few walkers"]
    qtbot.keyClick(lab, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: len(runners.made) == 2 and not lab.run.loading)
    assert runners.last.runner.experiment.params.noise == 3.0
    assert runners.last.runner.experiment.active == ("plain", "heavy", "lazy")
    assert [chip.isChecked() for chip in chips] == [False, True, False]
    assert lab.side.note.text() == "Much noise"
    qtbot.keyClick(lab, Qt.Key.Key_9)
    assert len(runners.made) == 2, "there is no ninth"


def test_every_start_is_told_as_python(
    qtbot: QtBot, session: Session, lab: LabWorkspace, runners: Runners
) -> None:
    lines: list[str] = []
    session.logged.connect(lines.append)
    lab.run.open("tests/every-other")
    qtbot.waitUntil(lambda: bool(lines))
    assert lines == ["run = po.experiment('tests/every-other'); run.reset(0); run.step(0)"]


def test_a_new_seed_is_another_run(
    qtbot: QtBot, window: Window, lab: LabWorkspace, runners: Runners
) -> None:
    steps(qtbot, lab, runners, 30)
    first = lab.run.history.column("mean/plain").copy()
    qtbot.keyClick(lab, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: len(runners.made) == 2 and lab.run.step_shown == 0)
    assert lab.transport.seed.value == runners.last.setup.seed
    steps(qtbot, lab, runners, 30)
    assert lab.run.history.column("mean/plain")[-1] != first[-1]
    assert lab.run.history.length == len(first)
    lab.transport.seed.commit(0)
    qtbot.waitUntil(lambda: len(runners.made) == 3 and not lab.run.loading)
    steps(qtbot, lab, runners, 30)
    assert np.array_equal(lab.run.history.column("mean/plain"), first)


def test_a_worker_that_fails_is_told_with_a_way_out(
    qtbot: QtBot, lab: LabWorkspace, runners: Runners
) -> None:
    lab.run.set_playing(True)
    runners.on_error("The experiment's process ended by itself.")
    qtbot.waitUntil(lambda: not lab.run.playing)
    notice = lab.session.told[-1].notice
    assert notice.text == "The experiment's process ended by itself."
    assert lab.toasts.toasts
    assert notice.action is not None
    notice.action()
    qtbot.waitUntil(lambda: len(runners.made) == 2 and not lab.run.loading)


def test_updates_of_a_run_that_is_over_are_dropped(
    qtbot: QtBot, lab: LabWorkspace, runners: Runners
) -> None:
    steps(qtbot, lab, runners, 20)
    old = runners.last
    lab.run.restart()
    old.step(5)
    qtbot.waitUntil(lambda: len(runners.made) == 2 and lab.run.step_shown == 0)
    old.step(5)
    qtbot.wait(60)
    assert lab.run.step_shown == 0
    assert lab.run.history.length == 1


# Views


def test_a_view_fills_the_stage_and_goes_back(
    qtbot: QtBot, window: Window, lab: LabWorkspace
) -> None:
    board = lab.board
    sizes = [view.size() for view in board.views]
    lab.board.fill(1)
    assert [view.isVisible() for view in board.views] == [k == 1 for k in range(6)]
    assert board.views[1].width() > 0.9 * board.width()
    qtbot.keyClick(lab, Qt.Key.Key_W)
    assert board.whole == 2
    lab.board.fill(2)
    assert [view.size() for view in board.views] == sizes
    assert all(view.isVisible() for view in board.views)


def test_what_is_painted_is_in_the_run(qtbot: QtBot, lab: LabWorkspace, runners) -> None:
    painting = np.zeros((24, 24))
    painting[3:9, 4] = 1.0
    lab.board.views[1].painted.emit("ground", painting)
    assert np.array_equal(runners.last.runner.experiment.paintings["ground"], painting)
    assert np.array_equal(lab.run.setup.paintings["ground"], painting)
    qtbot.waitUntil(lambda: len(lab.run.update.changes) == 1)
    lab.run.restart()
    qtbot.waitUntil(lambda: len(runners.made) == 2 and not lab.run.loading)
    assert np.array_equal(runners.last.runner.experiment.paintings["ground"], painting)


def test_a_click_sets_two_parameters(lab: LabWorkspace, runners: Runners) -> None:
    lab.board.views[1].picked.emit(1.5, 99.0)
    params = runners.last.runner.experiment.params
    assert (params.drift, params.noise) == (1.5, 5.0), "held within the bounds"


def test_views_that_are_hidden_are_not_drawn(qtbot: QtBot, lab: LabWorkspace, runners) -> None:
    lab.board.fill(0)
    drawn = []
    for number, view in enumerate(lab.board.views):
        view.take = lambda snapshot, history, n=number: drawn.append(n)
    steps(qtbot, lab, runners, 20)
    assert set(drawn) == {0}


def test_freeze_keeps_the_picture_while_the_run_goes_on(
    qtbot: QtBot, window: Window, lab: LabWorkspace, runners: Runners
) -> None:
    steps(qtbot, lab, runners, 20)
    qtbot.waitUntil(lambda: lab.board.views[0].snapshot is lab.run.update.snapshot)
    qtbot.keyClick(lab, Qt.Key.Key_F)
    shown = lab.board.views[0].snapshot
    steps(qtbot, lab, runners, 40)
    assert lab.board.views[0].snapshot is shown
    qtbot.keyClick(lab, Qt.Key.Key_F)
    qtbot.waitUntil(lambda: lab.board.views[0].snapshot is lab.run.update.snapshot)


# The stage


def test_the_stage_shows_the_experiment_alone(
    qtbot: QtBot, window: Window, lab: LabWorkspace, runners: Runners
) -> None:
    qtbot.keyClick(lab, Qt.Key.Key_F11)
    assert window.isFullScreen()
    for part in (lab.gallery, lab.side, lab.transport, window.menuBar()):
        assert not part.isVisible()
    assert lab.headline.isVisible()
    assert all(view.look.stage for view in lab.board.views)
    contrast = _contrast(lab.theme)
    assert contrast > 15.0
    qtbot.keyClick(lab, Qt.Key.Key_B)
    assert lab.blank
    image = lab.grab().toImage()
    assert _colors(image) == 1
    qtbot.keyClick(lab, Qt.Key.Key_B)
    assert _colors(lab.grab().toImage()) > 3
    qtbot.keyClick(lab, Qt.Key.Key_1)
    qtbot.waitUntil(lambda: len(runners.made) == 2 and not lab.run.loading)
    qtbot.keyClick(lab, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert lab.gallery.isVisible()
    assert not any(view.look.stage for view in lab.board.views)
    assert _contrast(lab.theme) < contrast


def test_before_a_hall_the_whole_caveat_is_seen(
    qtbot: QtBot, window: Window, lab: LabWorkspace, runners: Runners
) -> None:
    words = "What is shown here holds for small networks on made-up clusters alone. " * 4
    cautious = type("Cautious", (Every,), {"caveat": words})
    lab.run.loaded = dataclasses.replace(lab.run.loaded, kind=cautious)
    lab.session.tell("good", "Exported walk.png")
    assert lab.toasts.toasts
    lab.set_on_stage(True)
    assert not lab.toasts.toasts, "nothing lies over it"
    lab.session.tell("good", "Exported walk.csv")
    assert not lab.toasts.toasts
    lab.session.tell("bad", "It cannot go on")
    assert len(lab.toasts.toasts) == 1
    cue = lab.cue
    fine = QFontMetricsF(font(Metrics.stage_fine))
    lines = fine.horizontalAdvance(words) / cue.width()
    assert cue.height() > Metrics.stage_small + lines * fine.height()
    lab.set_on_stage(False)
    assert cue.height() == Metrics.lab_note


def _contrast(theme: LabTheme) -> float:
    """Of text on the ground (WCAG 2.1, relative luminance)."""

    def luminance(name: str) -> float:
        parts = theme.tokens.color(name).getRgbF()[:3]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))

    low, high = sorted((luminance("stage"), luminance("text")))
    return (high + 0.05) / (low + 0.05)


# The formula


def test_terms_light_up_as_they_act(qtbot: QtBot, lab: LabWorkspace, runners: Runners) -> None:
    pytest.importorskip("ziamath", reason="Formulas are set by ziamath.")
    card = lab.side.formula
    qtbot.waitUntil(lambda: card._set is not None)
    lab.side.formula.grab()
    steps(qtbot, lab, runners, 10)
    acting = lab.run.update.snapshot.acting
    qtbot.waitUntil(lambda: card.acting == pytest.approx(dict(acting), abs=0.03))
    box = card._boxes["noise"]
    assert card.term_at(box.center()) == "noise"
    assert card.term_at(QPointF(-50.0, -50.0)) == ""
    card.acting = {"drift": 0.0, "noise": 1.0}
    lit = card.grab().toImage()
    card.acting = {"drift": 0.0, "noise": 0.0}
    dark = card.grab().toImage()
    assert _warmth(lit, box) > _warmth(dark, box) + 0.3
    other = card._boxes["drift"]
    assert _warmth(lit, other) == _warmth(dark, other)


def test_fences_do_not_outgrow_what_they_hold() -> None:
    pytest.importorskip("ziamath", reason="Formulas are set by ziamath.")
    latex = r"f = \left[\term{product}{\prod_i w_i} - \prod_i w_i(0)\right], \quad y = x"
    first, second = typeset(Formula(latex)).lines
    assert first.box[3] < 100.0
    assert set(first.parts) == {"", "product"}
    assert set(second.parts) == {""}


def _warmth(image: QImage, box: QRectF) -> float:
    """The largest excess of red over blue in a box: how far its ink is that of the accent."""
    place = box.toAlignedRect()
    at = [
        image.pixelColor(x, y)
        for x in range(place.left(), place.right())
        for y in range(place.top(), place.bottom())
    ]
    return max(color.redF() - color.blueF() for color in at)


# What leaves the Lab


def test_the_record_is_exported_up_to_what_is_shown(
    qtbot: QtBot, lab: LabWorkspace, runners: Runners, tmp_path: Path
) -> None:
    steps(qtbot, lab, runners, 30)
    target = tmp_path / "walk.csv"
    write_run(lab.session, lab.run, target, {})
    qtbot.waitUntil(target.is_file, timeout=20_000)
    lines = target.read_text("utf-8").splitlines()
    assert len(lines) == 1 + lab.run.history.length
    assert lines[0].split(",")[0] == "step"
    assert lines[-1].split(",")[0] == "30"
    assert Record.open(lab.run.folder).seed == 0
    qtbot.waitUntil(lambda: any(told.notice.kind == "good" for told in lab.session.told))


def test_the_export_dialog_shows_its_command(
    qtbot: QtBot, window: Window, lab: LabWorkspace, runners: Runners, tmp_path: Path
) -> None:
    steps(qtbot, lab, runners, 10)
    window.actions_by_id["lab.export"].trigger()
    dialog = lab.findChild(LabExportDialog)
    assert dialog is not None
    dialog.path.setText(str(tmp_path / "walk.mp4"))
    assert dialog.format.value == ".mp4"
    assert dialog.fps.isVisible()
    words = dialog.command.text()
    assert words.startswith("polyorama lab export ")
    assert "--fps 30" in words
    dialog.format.set_value(".csv")
    dialog.format.chosen.emit(".csv")
    assert dialog.path.text().endswith("walk.csv")
    assert not dialog.size.isVisible()
    assert dialog.options == {}
    dialog.command.copy.click()
    assert QGuiApplication.clipboard().text() == dialog.command.text()
    dialog.path.clear()
    dialog.format.chosen.emit(".png")
    assert not dialog.path.text()
    assert not dialog.write.isEnabled()
    dialog.reject()


def test_the_run_can_be_copied_for_scripts(qtbot: QtBot, window: Window, lab, runners) -> None:
    qtbot.keyClick(lab, Qt.Key.Key_1)
    qtbot.waitUntil(lambda: len(runners.made) == 2 and not lab.run.loading)
    steps(qtbot, lab, runners, 20)
    window.actions_by_id["lab.copy-command"].trigger()
    assert QGuiApplication.clipboard().text() == (
        "polyorama lab run tests/every --seed 0 --steps 20 --set noise=0.3"
    )
    window.actions_by_id["lab.copy-python"].trigger()
    assert QGuiApplication.clipboard().text() == (
        "run = po.experiment('tests/every', noise=0.3); run.reset(0); run.step(20)"
    )


def test_bands_show_the_mean_of_many_seeds(
    qtbot: QtBot, lab: LabWorkspace, runners: Runners, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyorama.lab import sweep as sweep_module

    own = sweep_module.sweep_job
    monkeypatch.setattr(
        sweep_module, "sweep_job", lambda *a, **named: own(*a, **named, processes=1)
    )
    monkeypatch.setattr(bands_module, "SEEDS", 6)
    steps(qtbot, lab, runners, 40)
    lab.bands.toggle()
    assert lab.bands.running
    qtbot.waitUntil(lambda: lab.bands.sweep is not None, timeout=20_000)
    sweep = lab.bands.sweep
    assert lab.board.views[0].view.title == "Mean place, mean of 6 seeds"
    means = []
    for seed in range(6):
        experiment = Every()
        experiment.reset(seed)
        means.append(experiment.step(200).values["mean/plain"])
    column = sweep.columns.index("mean/plain")
    assert sweep.mean[0, column, -1] == pytest.approx(np.mean(means))
    qtbot.waitUntil(lambda: "mean/mean/plain" in lab.board.views[0].snapshot.values)
    values = lab.board.views[0].snapshot.values
    assert values["mean/mean/plain"][-1] == pytest.approx(np.mean(means))
    assert values["low/mean/plain"][-1] < values["mean/mean/plain"][-1]
    assert values["live/mean/plain"][-1] == lab.run.history.column("mean/plain")[-1]
    lab.run.set_value(Every.parameters()[0], 1.0)
    assert lab.bands.sweep is None, "bands of other parameters are no bands of this run"
    assert lab.board.views[0].view.title == "Mean place"


# The rest of the house


def test_the_caveat_is_always_seen(lab: LabWorkspace) -> None:
    assert lab.side.caveat.isVisible()
    assert lab.side.caveat.text() == Every.caveat


def test_the_status_strip_tells_of_the_run(qtbot: QtBot, window: Window, lab, runners) -> None:
    texts = [label.text() for label in window._status.findChildren(QLabel)]
    assert Every.title in texts
    assert lab.run.update.device in texts
    window.workspaces.show_workspace("scene")
    texts = [label.text() for label in window._status.findChildren(QLabel)]
    assert "Nothing open" in texts


def test_the_light_theme_reaches_the_views(qtbot: QtBot, window: Window, lab, runners) -> None:
    steps(qtbot, lab, runners, 10)
    window.toggle_theme()
    light = window.session.theme.tokens
    assert light.name == "light"
    assert all(view.look.tokens is light for view in lab.board.views)
    assert lab.grab().toImage().pixelColor(5, lab.height() - 5) == light.color("panel")


def test_leaving_ends_the_worker(qtbot: QtBot, session: Session, window: Window, lab, runners):
    window.close()
    assert runners.last.closed
    folder = lab.run.folder
    assert folder is not None
    assert not folder.exists()
