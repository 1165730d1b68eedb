"""Views, comparison, palette, dialogs, export, render, themes, the stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QLineEdit

from polyorama_studio.viewport.seen import splat_at
from tests.gui.walks.selecting import at
from tests.gui.walks.steps import Step

if TYPE_CHECKING:
    from tests.gui.walks.walk import Walk

__all__ = ["STEPS"]


def _edited(walk: Walk) -> None:
    """A scene with a grade and a crop."""
    run = walk.session.editing.run
    run("add_modifier", node="plant", kind="grade", id="autumn", mask="hue in 50..170",
        values={"hue": -55.0, "saturation": 1.5, "exposure": 0.25})  # fmt: skip
    run("add_modifier", node="plant", kind="crop", id="fade",
        values={"shape": "sphere", "center": (0.0, -0.1, 0.0), "size": (0.75, 0.75, 0.75),
                "soft": 0.12})  # fmt: skip
    walk.settle()


def wipe(walk: Walk) -> None:
    """Before and after, with a divider."""
    _edited(walk)
    walk.focus_view()
    walk.keys("Y")
    walk.check(walk.window.views.comparison == "wipe", "Y does not compare with a wipe.")
    walk.settle()
    walk.shot("middle")
    middle = QPointF(walk.viewport.wipe.x, walk.viewport.height() / 2.0)
    walk.drag(walk.viewport, [middle, middle + QPointF(-140.0, 0.0)])
    walk.check(walk.viewport.wipe.share < 0.45, "The divider cannot be dragged.")
    walk.shot("left")
    walk.keys("Y")
    walk.check(not walk.window.views.comparison, "Y does not end the comparison.")
    walk.keys("Alt+Y")
    walk.settle()
    walk.check(walk.window.views.comparison == "beside", "Alt+Y does not compare side by side.")
    walk.shot("beside")


def four_views(walk: Walk) -> None:
    """Top, front, right and perspective."""
    walk.keys("Ctrl+Alt+4")
    walk.settle()
    walk.check(len(walk.window.views.panes) == 4, "There are not four views.")
    walk.tool("rect")
    pane = walk.window.views.panes[1]
    low = QPointF(0.35 * pane.width(), 0.35 * pane.height())
    walk.drag(pane, [low, QPointF(0.6 * pane.width(), 0.6 * pane.height())])
    walk.settle()
    walk.check(walk.selected > 0, "A rectangle in the second view selects nothing.")
    walk.shot()
    walk.keys("Ctrl+Alt+2")
    walk.settle()
    walk.check(len(walk.window.views.panes) == 2, "There are not two views.")
    walk.shot("two")


def camera_node(walk: Walk) -> None:
    """A camera of the scene, seen in it and looked through."""
    walk.act("nodes.add-camera")
    cameras = [n for n in walk.document.nodes if type(n.content).__name__ == "CameraRig"]
    walk.check(cameras, "No camera was added.")
    walk.look(70.0, 20.0)
    walk.wheel(walk.viewport, at(walk, 0.5, 0.5), -9)
    walk.shot("seen")
    walk.focus_view()
    walk.keys("0")
    walk.settle()
    walk.check(walk.session.stage.through == cameras[0].id, "0 does not look through the camera.")
    walk.shot("through")
    walk.keys("0")


def measure(walk: Walk) -> None:
    """Two points of the pot."""
    walk.tool("measure")
    height = 0.72 * walk.viewport.height()
    places = [QPointF(x, height) for x in range(0, walk.viewport.width(), 4)]
    hits = [place for place in places if splat_at(walk.viewport, place) is not None]
    walk.check(len(hits) > 10, "The pot is not seen.")
    for place in (hits[2], hits[-3]):
        walk.click(walk.viewport, place)
        walk.rest(150)
    walk.move(walk.viewport, at(walk, 0.3, 0.3))
    walk.shot()
    walk.keys("Esc")


def palette(walk: Walk) -> None:
    """Find an action by a few letters."""
    walk.focus_view()
    walk.keys("Ctrl+Shift+P")
    edit = walk.find(QLineEdit, "Find an action")
    walk.rest(200)
    walk.shot("recent")
    walk.write("paral")
    walk.rest(150)
    walk.shot("found")
    walk.keys("Return")
    walk.until(lambda: not edit.isVisible(), "Enter does not close the palette.", 5.0)
    walk.settle()
    walk.check(walk.session.stage.view.orthographic, "The palette did not run the action.")
    walk.keys("5")


def context_menu(walk: Walk) -> None:
    """The right button's menu."""
    from tests.gui.walks.walk import RIGHT

    walk.click(walk.viewport, at(walk, 0.5, 0.5), button=RIGHT)
    walk.menu()
    walk.shot(settle=False)
    walk.keys("Esc")


def menus(walk: Walk) -> None:
    """A menu of the bar."""
    bar = walk.window.menuBar()
    for action in bar.actions():
        title = action.text().replace("&", "")
        walk.click(bar, QPointF(bar.actionGeometry(action).center()))
        walk.menu()
        walk.rest(80)
        walk.shot(title.lower(), settle=False)
        walk.keys("Esc")
        walk.rest(50)


def preferences(walk: Walk) -> None:
    """The dialog, and what it changes."""
    walk.keys("Ctrl+,")
    dialog = walk.dialog("Preferences")
    walk.settle()
    walk.shot()
    walk.keys("Esc")
    walk.gone(dialog)


def shortcuts(walk: Walk) -> None:
    """The sheet of keys."""
    walk.keys("F1")
    walk.dialog("keys")
    walk.rest(150)
    walk.shot()
    walk.keys("Esc")


def export(walk: Walk) -> None:
    """Sizes and likeness, measured, then a file."""
    _edited(walk)
    document = walk.document
    walk.keys("Ctrl+E")
    dialog = walk.dialog("Export")
    walk.until(lambda: len(dialog.quality.found) >= 2, "Nothing is measured.", 240.0)
    walk.shot("measuring", settle=False)
    walk.until(lambda: not dialog.quality.running, "The measuring does not end.", 400.0)
    walk.rest(200)
    walk.shot("measured", settle=False)
    found = {m.level.ending: m for m in dialog.quality.found}
    walk.check(".sog" in found and ".ply" in found, f"Formats are missing: {sorted(found)}.")
    walk.check(found[".sog"].nbytes < found[".ply"].nbytes, "SOG is not smaller than PLY.")
    path = walk.home / "plant.sog"
    file = walk.find(QLineEdit, "File", dialog)
    walk.click(file)
    walk.keys("Ctrl+A")
    walk.write(str(path))
    walk.click(walk.button("Export", dialog))
    walk.until(path.is_file, "No file was written.", 120.0)
    walk.settle()
    walk.check(walk.document is document, "The export changed the document.")
    walk.check(path.stat().st_size > 10_000, "The file that was written is empty.")
    walk.shot("written")


def render(walk: Walk) -> None:
    """A small film of the timeline, in a process of its own."""
    _edited(walk)
    run = walk.session.editing.run
    run("set_timeline", duration=1.0, fps=6.0)
    run("key", path="view/eye", time=0.0, value=(0.0, -0.35, 1.3))
    run("key", path="view/eye", time=1.0, value=(0.9, -0.3, 0.9))
    run("key", path="view/target", time=0.0, value=(0.0, -0.1, 0.0))
    walk.settle()
    walk.focus_view()
    walk.keys("F12")
    dialog = walk.dialog("Render")
    walk.settle()
    walk.rest(300)
    walk.shot("still", settle=False)
    walk.check("polyorama" in dialog.command.text(), "The dialog shows no command line.")
    dialog.form.motion.set_value("timeline")
    dialog.form.size.set_value("another")
    for field, value in ((dialog.form.wide, 240.0), (dialog.form.high, 160.0)):
        field.commit(value)
    path = walk.home / "film.mp4"
    file = walk.find(QLineEdit, "File", dialog)
    walk.click(file)
    walk.keys("Ctrl+A")
    walk.write(str(path))
    walk.check(dialog.form.settings.motion == "timeline", "The film is not chosen.")
    walk.click(walk.button("Render", dialog))
    walk.rest(600)
    walk.shot("running", settle=False)
    walk.until(path.is_file, "The film was not written.", 240.0)
    walk.settle()
    walk.shot("done")
    walk.keys("Esc")


def jobs(walk: Walk) -> None:
    """The list of work, the messages."""
    walk.panel("jobs")
    walk.shot("jobs")
    walk.panel("messages")
    walk.shot("messages")
    walk.window.docks.reset()
    walk.rest(200)


def outliner(walk: Walk) -> None:
    """Nodes: a group, a name, an eye."""
    run = walk.session.editing.run
    run("duplicate", nodes="plant")
    run("group", nodes=[n.id for n in walk.document.nodes])
    walk.settle()
    walk.panel("outliner")
    walk.shot()


def light(walk: Walk) -> None:
    """The other theme."""
    _edited(walk)
    before = walk.session.theme.tokens.name
    walk.click(walk.viewport, at(walk, 0.44, 0.72))
    walk.panel("modifiers")
    walk.keys("Ctrl+Shift+L")
    walk.settle()
    walk.check(walk.session.theme.tokens.name != before, "The theme did not change.")
    walk.shot("modifiers")
    walk.tool("rect")
    walk.drag(walk.viewport, [at(walk, 0.36, 0.25), at(walk, 0.5, 0.6)])
    walk.panel("histogram")
    walk.settle()
    walk.shot("selected")
    walk.keys("Ctrl+Shift+P")
    walk.rest(200)
    walk.shot("palette", settle=False)
    walk.keys("Esc")
    walk.keys("Ctrl+Shift+L")
    walk.window.docks.reset()
    walk.settle()


def stage_mode(walk: Walk) -> None:
    """Nothing but the picture."""
    walk.focus_view()
    walk.keys("Tab")
    walk.settle()
    walk.check(walk.window.panels_hidden, "Tab does not hide the panels.")
    walk.shot("tab")
    walk.keys("Tab")
    walk.keys("F11")
    walk.settle()
    walk.check(walk.window.on_stage, "F11 does not open the stage.")
    walk.shot("stage")
    walk.keys("Esc")
    walk.settle()
    walk.check(not walk.window.on_stage, "Escape does not leave the stage.")
    walk.window.resize(*walk.size)
    walk.settle()


def sample(walk: Walk) -> None:
    """The sample stage, with its many nodes."""
    walk.session.saving.give_up()
    walk.session.opening.open_sample()
    walk.until(lambda: walk.session.editing.document is not None
               and len(walk.document.nodes) > 5, "The sample does not open.", 120.0)  # fmt: skip
    walk.settle(300.0)
    walk.shot()
    walk.session.saving.give_up()
    walk.session.open_files([walk.scene])
    walk.until(lambda: len(walk.document.nodes) == 1, "The plant does not open again.", 60.0)
    walk.settle()
    walk.remember_view()


STEPS = (
    Step("outliner", outliner),
    Step("compare", wipe),
    Step("views", four_views),
    Step("camera", camera_node),
    Step("measure", measure),
    Step("palette", palette),
    Step("menus", menus),
    Step("context-menu", context_menu),
    Step("preferences", preferences),
    Step("keys", shortcuts),
    Step("export", export),
    Step("render", render),
    Step("jobs", jobs),
    Step("theme", light),
    Step("stage", stage_mode),
    Step("sample", sample),
)
