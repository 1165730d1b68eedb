"""Keys on the camera and the grade, the sheet, curves, playback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF

from polyorama_studio.fields.row import PropertyRow
from tests.gui.walks.editing import add_modifier, write_number
from tests.gui.walks.selecting import at
from tests.gui.walks.steps import Step

if TYPE_CHECKING:
    from polyorama.scene.timeline import Track
    from tests.gui.walks.walk import Walk

__all__ = ["STEPS", "keyed_scene"]


def _track(walk: Walk, path: str) -> Track:
    tracks = walk.document.timeline.tracks
    walk.check(path in tracks, f"{path!r} is not keyed, but {sorted(tracks)}.")
    return tracks[path]


def _grade(walk: Walk) -> str:
    """Id of the grade of the plant."""
    return f"{walk.plant.id}/{walk.plant.modifiers[-1].id}"


def _diamond(walk: Walk, path: str) -> None:
    """Click the diamond of a property's row."""
    panel = walk.panel("modifiers")
    rows = [row for row in panel.findChildren(PropertyRow) if path in row.link.paths]
    walk.check(rows, f"The panel has no row of {path!r}.")
    walk.show_in_panel(rows[0])
    walk.click(rows[0].diamond)


def key_camera(walk: Walk) -> None:
    """The view at three times."""
    timeline = walk.panel("timeline")
    for number, (seconds, yaw) in enumerate(((0.0, -10.0), (2.0, 40.0), (4.0, 95.0))):
        walk.session.playback.seek(seconds)
        walk.look(yaw, 8.0)
        walk.focus_view()
        walk.keys("Shift+I")
        walk.check(
            len(_track(walk, "view/eye").keys) == number + 1, "Shift+I does not key the view."
        )
    walk.check(not timeline.compact, "The timeline stays folded though something is keyed.")
    walk.session.playback.seek(1.0)
    walk.shot("keyed")
    walk.session.playback.set_follow_view(False)
    walk.look(150.0, 30.0)
    walk.wheel(walk.viewport, at(walk, 0.5, 0.5), -7)
    walk.shot("path")
    walk.session.playback.set_follow_view(True)


def key_grade(walk: Walk) -> None:
    """The strength of a grade, with its diamond."""
    walk.session.playback.seek(0.0)
    walk.look()
    walk.click(walk.viewport, at(walk, 0.44, 0.72))
    add_modifier(walk, "Grade", "grade")
    card = walk.panel("modifiers").cards[-1]
    write_number(walk, "Hue", "-55", card)
    path = f"{_grade(walk)}/strength"
    write_number(walk, "Strength", "0", card)
    _diamond(walk, path)
    walk.check(len(_track(walk, path).keys) == 1, "The diamond does not key the strength.")
    walk.session.playback.seek(3.0)
    walk.settle()
    write_number(walk, "Strength", "1", card)
    times = [key.time for key in _track(walk, path).keys]
    walk.check(times == [0.0, 3.0], f"A change at 3 s was not keyed there: {times}.")
    walk.session.playback.seek(1.5)
    walk.shot("half")


def keyed_scene(walk: Walk) -> None:
    """What the other steps begin with."""
    quiet, walk.quiet = walk.quiet, True
    key_camera(walk)
    key_grade(walk)
    walk.quiet = quiet


def sheet(walk: Walk) -> None:
    """Choose keys with a rubber band, drag them, zoom."""
    keyed_scene(walk)
    timeline = walk.panel("timeline")
    timeline.show_tab("sheet")
    walk.settle()
    path = f"{_grade(walk)}/strength"
    rows = timeline.sheet.places.rows()
    top, height = next((t, h) for row, t, h in rows if row.paths == (path,))
    axis = timeline.state.axis
    key = QPointF(axis.x(3.0), top + height / 2.0)
    walk.move(timeline.sheet, key)
    goal = QPointF(axis.x(3.5), key.y())
    walk.drag(timeline.sheet, [key, goal], let_go=False)
    walk.rest(150)
    walk.shot("dragging", settle=False)
    walk.release(timeline.sheet, goal)
    times = [key.time for key in _track(walk, path).keys]
    walk.check(abs(times[1] - 3.5) < 0.05, f"The key was not dragged to 3.5 s: {times}.")
    walk.keys("Ctrl+Z")
    times = [key.time for key in _track(walk, path).keys]
    walk.check(times == [0.0, 3.0], "Undo did not put the key back.")
    corner = QPointF(axis.x(1.5), 2.0)
    walk.drag(timeline.sheet, [corner, QPointF(axis.x(4.6), timeline.sheet.height() - 4.0)])
    walk.check(timeline.state.chosen_count >= 4, "A rubber band chooses no keys.")
    walk.shot("chosen")


def curves(walk: Walk) -> None:
    """Drag a key in the curve editor, with handles."""
    keyed_scene(walk)
    timeline = walk.panel("timeline")
    walk.click(timeline.transport.curves)
    walk.check(timeline.tab == "curves", "The button does not show the curves.")
    walk.settle()
    walk.shot("all")
    path = f"{_grade(walk)}/strength"
    timeline.state.choose_tracks((path,))
    timeline.curves.frame()
    walk.rest(200)
    curve = next(c for c in timeline.curves.set.shown() if c.path == path)
    place = timeline.curves.set.place(float(curve.times[1]), float(curve.values[1]))
    goal = place + QPointF(0.0, 40.0)
    before = curve.values[1]
    walk.drag(timeline.curves, [place, goal], let_go=False)
    walk.rest(150)
    walk.shot("dragging", settle=False)
    walk.release(timeline.curves, goal)
    after = _track(walk, path).keys[1].value[0]
    walk.check(after < before, "The key was not dragged down.")
    walk.keys("Ctrl+Z")
    walk.shot("one")


def play(walk: Walk) -> None:
    """Space plays and stops; the view and the colours go."""
    keyed_scene(walk)
    walk.session.playback.set_follow_view(True)
    walk.session.playback.seek(0.0)
    walk.focus_view()
    walk.settle()
    walk.keys("Space")
    walk.check(walk.session.playback.playing, "Space does not play.")
    walk.until(lambda: walk.session.playback.time > 1.2, "Time does not run.", 20.0)
    walk.shot("playing", settle=False)
    walk.keys("Space")
    walk.check(not walk.session.playback.playing, "Space does not stop.")
    eye = walk.session.stage.view.eye
    first = np.array(_track(walk, "view/eye").keys[0].value)
    walk.check(np.linalg.norm(eye - first) > 1e-3, "The keyed view does not move.")
    time = walk.session.playback.time
    walk.keys(".")
    fps = walk.document.timeline.fps
    step = (walk.session.playback.time - time) * fps
    walk.check(0.49 < step < 1.51, f"The dot goes {step:.2f} frames on.")
    walk.shot("stopped")


def cue(walk: Walk) -> None:
    """A cue with a name."""
    timeline = walk.panel("timeline")
    if timeline.compact:
        walk.act("timeline.open")
    walk.session.playback.seek(1.5)
    walk.settle()
    walk.act("timeline.add-cue")
    walk.rest(200)
    walk.write("Bloom")
    walk.shot("naming", settle=False)
    walk.keys("Return")
    walk.until(lambda: walk.document.timeline.cues, "No cue was added.", 5.0)
    named = walk.document.timeline.cues[0]
    walk.check(named.time == 1.5 and named.name == "Bloom", f"The cue is {named}.")
    walk.drag(
        timeline.ruler,
        [QPointF(timeline.state.axis.x(0.3), timeline.ruler.height() - 6.0),
         QPointF(timeline.state.axis.x(2.4), timeline.ruler.height() - 6.0)],
    )  # fmt: skip
    walk.check(walk.session.playback.time > 2.0, "A drag on the ruler does not scrub.")
    walk.shot("scrubbed")
    walk.act("timeline.open")


STEPS = (
    Step("key-camera", key_camera),
    Step("key-grade", key_grade),
    Step("dope-sheet", sheet),
    Step("curves", curves),
    Step("play", play),
    Step("cue", cue),
)
