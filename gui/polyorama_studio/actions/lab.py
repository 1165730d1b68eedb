"""The Lab: playing, luck, presets, what a speaker needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QAbstractButton, QApplication

from polyorama_studio.actions.action import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.session import Session
    from polyorama_studio.window import Window
    from polyorama_studio.workspaces.lab.workspace import LabWorkspace

__all__ = ["ACTIONS"]

_PRESETS = 9


def _lab(window: Window) -> LabWorkspace:
    return window.workspaces.lab


def _has_run(session: Session) -> bool:
    """An experiment is on the stage."""
    return session.lab is not None and session.lab.is_open


def _has_preset(number: int) -> Callable[[Session], bool]:
    def when(session: Session) -> bool:
        run = session.lab
        return (
            run is not None and run.loaded is not None
            and number < len(run.loaded.kind.presets)
        )  # fmt: skip

    return when


def _play(window: Window) -> None:
    focus = QApplication.focusWidget()
    if isinstance(focus, QAbstractButton) and window.isAncestorOf(focus) and not window.on_stage:
        # Space presses a button that has the focus, as everybody expects.
        focus.click()
    else:
        _lab(window).run.toggle()


def _to_start(window: Window) -> None:
    run = _lab(window).run
    run.set_playing(False)
    run.seek(0)


def _preset(number: int) -> Action:
    def run(window: Window) -> None:
        _lab(window).run.choose_preset(number)

    def title(session: Session) -> str:
        loaded = session.lab.loaded if session.lab is not None else None
        presets = () if loaded is None else loaded.kind.presets
        return presets[number].title if number < len(presets) else ""

    return Action(
        f"lab.preset-{'abcdefghi'[number]}", f"Preset {number + 1}", run, "lab", str(number + 1),
        _has_preset(number), f"Start again with the parameters of preset {number + 1}",
        python="run.reset(seed)", group=3, what=title,
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    Action(
        "lab.play", "Play or pause", _play, "lab", "Space", _has_run,
        "Let the experiment run, or stop it", python="run.play()", icon="play",
    ),
    Action(
        "lab.step-on", "Step on", lambda w: _lab(w).run.step_on(), "lab", "Right", _has_run,
        "Do one step, or show the next one that was done", python="run.step(1)", icon="frame-on",
    ),
    Action(
        "lab.step-back", "Step back", lambda w: _lab(w).run.step_back(), "lab", "Left", _has_run,
        "Show what was one step before", icon="frame-back",
    ),
    Action(
        "lab.to-start", "To the first step", _to_start, "lab", "Home", _has_run,
        "Show the start of what was recorded", icon="to-start",
    ),
    Action(
        "lab.to-end", "To the live end",
        lambda w: _lab(w).run.seek(_lab(w).run.history.length), "lab", "End", _has_run,
        "Show the newest step", icon="to-end",
    ),
    Action(
        "lab.faster", "Faster", lambda w: _lab(w).run.change_speed(1), "lab", "]", _has_run,
        "Play at the next higher speed", group=1,
    ),
    Action(
        "lab.slower", "Slower", lambda w: _lab(w).run.change_speed(-1), "lab", "[", _has_run,
        "Play at the next lower speed", group=1,
    ),
    Action(
        "lab.restart", "Start again", lambda w: _lab(w).run.restart(), "lab", "R", _has_run,
        "Start anew with the same seed, and with what waits for a new start",
        python="run.reset(seed)", icon="again", group=1,
    ),
    Action(
        "lab.new-seed", "Another seed", lambda w: _lab(w).run.new_seed(), "lab", "N", _has_run,
        "Start anew with other luck", icon="dice", group=1,
    ),
    Action(
        "lab.next", "Next experiment", lambda w: _lab(w).open_next(1), "lab", "PgDown",
        tooltip="Put the next experiment of the gallery on the stage", group=2,
    ),
    Action(
        "lab.previous", "Previous experiment", lambda w: _lab(w).open_next(-1), "lab", "PgUp",
        tooltip="Put the experiment before on the stage", group=2,
    ),
    *map(_preset, range(_PRESETS)),
    Action(
        "lab.blank", "Blank", lambda w: _lab(w).set_blank(not _lab(w).blank), "lab", "B", _has_run,
        "Show nothing, so that people look at the speaker, or bring the picture back",
        icon="blank", checked=lambda w: w.session.lab is not None and _lab(w).blank, group=4,
    ),
    Action(
        "lab.freeze", "Freeze", lambda w: _lab(w).set_frozen(not _lab(w).board.frozen), "lab", "F",
        _has_run, "Keep the picture while the run goes on, or follow the run again",
        icon="freeze", checked=lambda w: w.session.lab is not None and _lab(w).board.frozen,
        group=4,
    ),
    Action(
        "lab.whole-view", "One view alone", lambda w: _lab(w).board.fill_next(), "lab", "W",
        _has_run, "Let the next view fill the stage, then bring all back", icon="view-one",
        group=4,
    ),
    Action(
        "lab.export", "Export the run...", lambda w: _lab(w).ask_export(), "lab", "Shift+E",
        _has_run, "Write figures, films, tables or a script of this run",
        python="polyorama lab export", icon="export", dialog=True, group=5,
    ),
    Action(
        "lab.open-run", "Open a recorded run...", lambda w: _lab(w).ask_record(), "lab", "",
        tooltip="Play the folder of a run that was recorded; nothing is computed",
        python="po.open_run", icon="folder", dialog=True, group=5,
    ),
    Action(
        "lab.keep", "Keep the run for talks", lambda w: _lab(w).run.keep(), "lab", "", _has_run,
        "Keep the record of this run: it plays where a machine is too slow to compute it",
        icon="save", group=5,
    ),
    Action(
        "lab.bands", "Bands over seeds", lambda w: _lab(w).bands.toggle(), "lab", "", _has_run,
        "Run many seeds beside this one and show their mean and the band round it",
        python="polyorama lab sweep", icon="bands", group=5,
    ),
    Action(
        "lab.copy-command", "Copy the run as command line",
        lambda w: _lab(w).copy_command(), "lab", "", _has_run,
        "Put the command that does this run anew on the clipboard",
        python="polyorama lab run", icon="terminal", group=5,
    ),
    Action(
        "lab.copy-python", "Copy the run as Python", lambda w: _lab(w).copy_python(), "lab", "",
        _has_run, "Put the Python that does this run anew on the clipboard",
        python="po.experiment", icon="code", group=5,
    ),
)  # fmt: skip
