"""The Lab: each experiment opened, played, changed, compared, scrubbed, exported, on the stage."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QLineEdit

from polyorama.lab.catalog import experiment_ids
from polyorama_studio.fields.number import NumberField
from polyorama_studio.workspaces.lab.export import LabExportDialog
from polyorama_studio.workspaces.lab.views.space import SpaceView
from tests.gui.walks.steps import Step
from tests.gui.walks.walk import Stumble

if TYPE_CHECKING:
    from polyorama_studio.workspaces.lab.views import ViewWidget
    from polyorama_studio.workspaces.lab.workspace import LabWorkspace
    from tests.gui.walks.walk import Walk

__all__ = ["STEPS"]

_PLAY_MS = 3500
_LONG = 180.0
"""The first experiment of a kind compiles what it needs, s."""


def _calm(walk: Walk) -> None:
    """Wait until the run stands and all views show it."""
    lab = walk.window.workspaces.lab

    def calm() -> bool:
        spaces = [view for view in lab.board.views if isinstance(view, SpaceView)]
        drawn = all(view.picture is not None and view.rests for view in spaces)
        return not lab.run.loading and lab.run.update is not None and drawn

    walk.until(calm, "The Lab does not come to rest.", _LONG)
    walk.rest(250)


def _shot(walk: Walk, part: str) -> None:
    _calm(walk)
    walk.shot(part, settle=False)


def _play(walk: Walk, milliseconds: int = _PLAY_MS) -> None:
    """Space plays, and stops."""
    run = walk.window.workspaces.lab.run
    before = run.step_shown
    walk.keys("Space")
    walk.check(run.playing, "Space does not play.")
    walk.until(lambda: run.step_shown != before, "The run does not move.", _LONG)
    walk.rest(milliseconds)
    if run.playing:
        walk.keys("Space")
    walk.check(not run.playing, "Space does not stop.")


def _opened(walk: Walk, experiment_id: str) -> LabWorkspace:
    """Click the tab and the card."""
    walk.click(walk.button("Lab"))
    lab = walk.window.workspaces.lab
    walk.until(lambda: lab.gallery.cards, "The gallery is empty.")
    card = next(card for card in lab.gallery.cards if card.id == experiment_id)
    walk.show_in_panel(card)
    walk.click(card)
    walk.until(
        lambda: lab.run.setup is not None and lab.run.setup.id == experiment_id
        and not lab.run.loading,
        f"{experiment_id} does not open.", _LONG,
    )  # fmt: skip
    lab.setFocus()
    return lab


def _slide(walk: Walk, lab: LabWorkspace) -> None:
    """Drag the first live slider a little."""
    fields, parameters = lab.side.form.fields, lab.run.loaded.kind.parameters()
    live = [p for p in parameters if p.live and isinstance(fields[p.name], NumberField)]
    if not live:
        return
    parameter = live[0]
    field = fields[parameter.name]
    walk.show_in_panel(field)
    before = lab.run.value(parameter.name)
    middle = QPointF(field.rect().center())
    way = -20.0 if before > 0.8 * parameter.high else 20.0
    walk.drag(field, [middle, middle + QPointF(way, 0.0)])
    walk.check(lab.run.value(parameter.name) != before, f"{parameter.name} cannot be dragged.")
    walk.until(lambda: lab.run.update.changes, "The change is not in the run.")
    lab.setFocus()
    _play(walk, 1500)
    _shot(walk, "changed")


def _compare(walk: Walk, lab: LabWorkspace) -> None:
    """Let one more rival take part, or one less."""
    chips = lab.transport.rivals.chips
    if not chips:
        return
    idle = [chip for chip in chips if not chip.isChecked()]
    chip = (idle or chips[-1:])[0]
    before = lab.run.loaded.active
    walk.show_in_panel(chip)
    walk.click(chip)
    walk.until(lambda: lab.run.loaded.active != before, "No rival came or went.", _LONG)
    lab.setFocus()
    _calm(walk)
    if not lab.run.update.done:
        _play(walk, 1500)
    _shot(walk, "rivals")


def _scrub(walk: Walk, lab: LabWorkspace) -> None:
    """Back over what was recorded, and to its end again."""
    scrub = lab.transport.scrub
    last = -1
    while last != lab.run.update.length:  # a step that was under way comes to its end
        last = lab.run.update.length
        walk.rest(500)
    there = QPointF(scrub.place(scrub.last), scrub.height() / 2.0)
    back = QPointF(scrub.place(0.3 * scrub.last), scrub.height() / 2.0)
    walk.drag(scrub, [there, back])
    walk.until(lambda: not lab.run.update.live, "A drag of the line of time does not scrub.")
    walk.check(lab.run.update.length == last, "Scrubbing changed what was recorded.")
    _shot(walk, "scrubbed")
    walk.keys("End")
    walk.until(lambda: lab.run.update.live, "End does not go to the live end.")


def _export(walk: Walk, lab: LabWorkspace) -> None:
    """A figure of all views."""
    walk.keys("Shift+E")
    dialog = walk.dialog("Export the run")
    assert isinstance(dialog, LabExportDialog)
    target = walk.home / f"{lab.run.setup.id.replace('/', '-')}.png"
    walk.find(QLineEdit, "File", dialog).setText(str(target))
    walk.rest(150)
    walk.shot("export", settle=False)
    walk.click(walk.button("Export", dialog))
    walk.until(target.is_file, "The figure was not written.", _LONG)
    walk.gone(dialog)
    walk.window.activateWindow()
    walk.settle()


def _chosen(walk: Walk, lab: LabWorkspace, number: int) -> None:
    walk.until(
        lambda: lab.run.preset == number and not lab.run.loading,
        f"The key {number + 1} does not choose a preset.", _LONG,
    )  # fmt: skip


def _stage(walk: Walk, lab: LabWorkspace) -> None:
    """Full screen: a preset by its key, freeze, blank, one view alone."""
    lab.setFocus()
    walk.keys("F11")
    walk.until(lambda: lab.on_stage, "F11 does not open the stage.")
    presets = len(lab.run.loaded.kind.presets)
    if presets:
        number = min(1, presets - 1)
        walk.keys(str(number + 1))
        _chosen(walk, lab, number)
    _play(walk)
    _shot(walk, "stage")
    walk.keys("W")
    _shot(walk, "alone")
    while lab.board.whole >= 0:
        walk.keys("W")
    walk.keys("F")
    walk.check(lab.board.frozen, "F does not freeze the picture.")
    walk.keys("F", "B")
    walk.check(lab.blank, "B does not blank the picture.")
    walk.keys("B", "Esc")
    walk.until(lambda: not lab.on_stage, "Escape does not leave the stage.")
    walk.window.resize(*walk.size)
    walk.rest(200)


def _canvas(lab: LabWorkspace) -> ViewWidget | None:
    return next((v for v in lab.board.views if getattr(v.view, "canvas", "")), None)


def _paint(walk: Walk, lab: LabWorkspace) -> None:
    """Paint on the first canvas that a preset shows."""
    if not lab.run.loaded.kind.canvases:
        return
    for number in range(min(9, len(lab.run.loaded.kind.presets))):
        if _canvas(lab) is not None:
            break
        walk.keys(str(number + 1))
        walk.until(
            lambda n=number: lab.run.preset == n and not lab.run.loading, "No preset.", _LONG
        )
    view = _canvas(lab)
    if view is None:
        raise Stumble("No preset shows the canvas.")
    _calm(walk)
    walk.rest(300)
    plane = view.plane
    box = plane.box
    stroke = [box.topLeft() + QPointF(x * box.width(), y * box.height())
              for x, y in ((0.25, 0.7), (0.45, 0.3), (0.7, 0.55))]  # fmt: skip
    walk.drag(plane.viewport(), stroke)
    walk.until(lambda: view.view.canvas in lab.run.setup.paintings, "Nothing was painted.")
    lab.setFocus()
    _play(walk, 2000)
    _shot(walk, "painted")


def experiment(walk: Walk, experiment_id: str) -> None:
    """All that a speaker does with one experiment."""
    try:
        lab = _opened(walk, experiment_id)
        _shot(walk, "opened")
        _play(walk)
        _shot(walk, "played")
        _slide(walk, lab)
        _compare(walk, lab)
        _scrub(walk, lab)
        _export(walk, lab)
        _stage(walk, lab)
        _paint(walk, lab)
    finally:
        walk.window.workspaces.show_workspace("scene")


def _step(experiment_id: str) -> Step:
    name = experiment_id.rpartition("/")[2]
    return Step(f"lab-{name}", partial(experiment, experiment_id=experiment_id))


STEPS = tuple(map(_step, experiment_ids()))
