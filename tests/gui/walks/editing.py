"""Move, turn, scale; the edit stack; clean up; histogram; rules; steps back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QStyle, QStyleOptionSlider, QWidget

from polyorama.scene.patch import Patch
from polyorama_studio.fields.number import NumberField
from polyorama_studio.panels.parts import FoldHead
from polyorama_studio.viewport.gizmo import Gizmo, Handle
from tests.gui.walks.selecting import at
from tests.gui.walks.steps import Step
from tests.gui.walks.walk import CTRL

if TYPE_CHECKING:
    from polyorama.scene.modifiers import Modifier
    from tests.gui.walks.walk import Walk

__all__ = ["STEPS", "add_modifier", "scrub", "write_number"]


# Gizmos


def _gizmo(walk: Walk) -> Gizmo:
    subject = walk.viewport.toolbox.subject
    walk.until(lambda: subject.held() is not None, "Nothing is held by the gizmo.")
    walk.settle()
    held = subject.held()
    assert held is not None
    return Gizmo(walk.viewport.space(), held, walk.viewport.toolbox.active.handles)


def _tip(walk: Walk, axis: int) -> QPointF:
    """The tip of an arm, with the pointer over it; the gizmo may still be on its way."""
    tool = walk.viewport.toolbox.active
    for _ in range(20):
        tip = _place(walk, _gizmo(walk).end(axis))
        walk.move(walk.viewport, tip)
        if tool.hot is not None and tool.hot.axis == axis:
            return tip
        walk.rest(100)
    walk.check(False, "The arm does not light up under the pointer.")
    return tip


def _place(walk: Walk, point) -> QPointF:
    found = walk.viewport.space().point(point)
    walk.check(found is not None, "The gizmo is not in the picture.")
    return found


def _choose_plant(walk: Walk) -> None:
    walk.click(walk.viewport, at(walk, 0.44, 0.72))
    walk.check(walk.plant.id in walk.document.chosen, "A click on the pot does not choose it.")


def move(walk: Walk) -> None:
    """Along an axis; with typed numbers; snapped."""
    _choose_plant(walk)
    walk.tool("move")
    gizmo = _gizmo(walk)
    tip = _place(walk, gizmo.end(0))
    far = _place(walk, gizmo.end(0, 1.6))
    walk.move(walk.viewport, tip)
    walk.shot("ready")
    steps = len(walk.session.editing.editor.history.commands)
    walk.drag(walk.viewport, [tip, far], let_go=False)
    walk.rest(200)
    walk.shot("dragging", settle=False)
    walk.release(walk.viewport, far)
    moved = walk.plant.transform[:3, 3]
    walk.check(abs(moved[0]) > 1e-3, "The arrow did not move the plant.")
    walk.check(np.abs(moved[1:]).max() < 1e-6, "The plant left the axis of the arrow.")
    made = len(walk.session.editing.editor.history.commands) - steps
    walk.check(made == 1, f"A drag made {made} steps of the history, not one.")
    walk.shot()
    walk.keys("Ctrl+Z")
    walk.check(np.array_equal(walk.plant.transform, np.eye(4)), "Undo did not move it back.")
    tip = _tip(walk, 0)
    walk.drag(walk.viewport, [tip, tip + QPointF(9.0, 0.0)], let_go=False)
    walk.keys("0", ".", "2", "5")
    walk.rest(150)
    walk.shot("typed", settle=False)
    walk.release(walk.viewport, tip)
    walk.check(abs(walk.plant.transform[0, 3] - 0.25) < 1e-9, "The typed length was not taken.")
    walk.keys("Ctrl+Z")
    tip = _tip(walk, 0)
    walk.drag(walk.viewport, [tip, _place(walk, _gizmo(walk).end(0, 2.0))], CTRL)
    tenths = walk.plant.transform[0, 3] * 10.0
    walk.check(abs(tenths - round(tenths)) < 1e-6, "Ctrl does not snap to tenths.")


def rotate(walk: Walk) -> None:
    """About an axis, seen from its ring."""
    _choose_plant(walk)
    walk.tool("rotate")
    gizmo = _gizmo(walk)
    points, near = gizmo.ring(1)
    places = [walk.viewport.space().point(p) for p, n in zip(points, near, strict=True) if n]
    there = [p for p in places if p is not None]
    first, last = there[len(there) // 3], there[2 * len(there) // 3]
    walk.move(walk.viewport, first)
    walk.shot("ready")
    walk.drag(walk.viewport, [first, last], let_go=False)
    walk.rest(200)
    walk.shot("turning", settle=False)
    walk.release(walk.viewport, last)
    turn = walk.plant.transform[:3, :3]
    walk.check(abs(turn[0, 0] - 1.0) > 1e-3, "The ring did not turn the plant.")
    walk.check(abs(turn[1, 1] - 1.0) < 1e-6, "The plant was turned about another axis.")
    walk.shot()


def scale(walk: Walk) -> None:
    """All sides, from the hub."""
    _choose_plant(walk)
    walk.tool("scale")
    gizmo = _gizmo(walk)
    walk.check(Handle("uniform") in gizmo.handles, "The gizmo has no hub that scales evenly.")
    hub = gizmo.middle
    walk.move(walk.viewport, hub)
    walk.shot("ready")
    walk.drag(walk.viewport, [hub, hub + QPointF(60.0, -20.0)], let_go=False)
    walk.rest(200)
    walk.shot("scaling", settle=False)
    walk.release(walk.viewport, hub + QPointF(60.0, -20.0))
    sides = np.linalg.norm(walk.plant.transform[:3, :3], axis=0)
    walk.check(np.ptp(sides) < 1e-6 and abs(sides[0] - 1.0) > 1e-2, "The hub does not scale.")
    walk.shot()


def move_selected(walk: Walk) -> None:
    """Selected splats alone, without rewriting them."""
    walk.tool("rect")
    walk.drag(walk.viewport, [at(walk, 0.36, 0.2), at(walk, 0.5, 0.45)])
    cloud = walk.plant.splats
    walk.tool("move")
    gizmo = _gizmo(walk)
    tip, far = _place(walk, gizmo.end(1)), _place(walk, gizmo.end(1, 1.7))
    walk.drag(walk.viewport, [tip, far], let_go=False)
    walk.rest(200)
    walk.shot("dragging", settle=False)
    walk.release(walk.viewport, far)
    (step,) = walk.plant.modifiers
    walk.check(step.kind == "transform", "Moving selected splats made no transform step.")
    walk.check(walk.plant.splats is cloud, "Moving selected splats rewrote their arrays.")
    walk.shot()


# The edit stack


def add_modifier(walk: Walk, title: str, kind: str) -> Modifier:
    """Add a step of the stack from the panel's menu."""
    panel = walk.panel("modifiers")
    walk.click(walk.button("Add", panel))
    walk.pick_from_menu(title)
    walk.until(
        lambda: walk.plant.modifiers and walk.plant.modifiers[-1].kind == kind,
        f"The menu did not add a step {kind!r}.",
    )
    walk.settle()
    return walk.plant.modifiers[-1]


def _field(walk: Walk, name: str, within: QWidget) -> NumberField:
    field = walk.find_hidden(NumberField, name, within)
    walk.show_in_panel(field)
    return field


def write_number(walk: Walk, name: str, text: str, within: QWidget) -> None:
    """Click a number field and type."""
    field = _field(walk, name, within)
    walk.click(field)
    walk.until(lambda: field.findChildren(QLineEdit), f"A click does not let one type {name!r}.")
    walk.keys("Ctrl+A")
    walk.write(text)
    walk.keys("Return")


def scrub(walk: Walk, name: str, pixels: float, within: QWidget, *, let_go: bool = True) -> None:
    """Drag a number field sideways."""
    field = _field(walk, name, within)
    middle = QPointF(field.rect().center())
    walk.drag(field, [middle, middle + QPointF(pixels, 0.0)], let_go=let_go)


def _card(walk: Walk) -> QWidget:
    return walk.panel("modifiers").cards[-1]


def grade(walk: Walk) -> None:
    """Colour, by scrubbing and typing."""
    _choose_plant(walk)
    step = add_modifier(walk, "Grade", "grade")
    walk.shot("added")
    steps = len(walk.session.editing.editor.history.commands)
    scrub(walk, "Hue", -40.0, _card(walk))
    walk.check(walk.plant.modifiers[-1].hue != step.hue, "Scrubbing did not change the hue.")
    made = len(walk.session.editing.editor.history.commands) - steps
    walk.check(made == 1, f"A scrub made {made} steps of the history, not one.")
    write_number(walk, "Saturation", "1+1/2", _card(walk))
    walk.check(walk.plant.modifiers[-1].saturation == 1.5, "1+1/2 was not taken as 1.5.")
    write_number(walk, "Hue", "-55", _card(walk))
    walk.check(walk.plant.modifiers[-1].hue == -55.0, "The hue is not what was typed.")
    walk.shot()


def crop(walk: Walk) -> None:
    """A ball with a soft edge."""
    _choose_plant(walk)
    add_modifier(walk, "Crop", "crop")
    card = _card(walk)
    write_number(walk, "Soft edge", "0.12", card)
    walk.check(walk.plant.modifiers[-1].soft == 0.12, "The soft edge was not taken.")
    write_number(walk, "Size y", "0.6", card)
    walk.check(walk.plant.modifiers[-1].size[1] == 0.6, "The height was not taken.")
    walk.shot()


def wind(walk: Walk) -> None:
    """Sways with time."""
    _choose_plant(walk)
    add_modifier(walk, "Wind", "wind")
    before = _pixels(walk)
    walk.session.playback.seek(0.7)
    walk.settle()
    walk.check(not np.array_equal(before, _pixels(walk)), "The wind does not move the plant.")
    walk.shot()


def _pixels(walk: Walk) -> np.ndarray:
    walk.settle()
    picture = walk.session.stage.picture
    assert picture is not None
    image = picture.image
    return np.frombuffer(image.constBits(), np.uint8).copy()


# Clean-up, histogram, rules


def clean_up(walk: Walk) -> None:
    """What would go glows; nothing changes before one says so."""
    panel = walk.panel("clean-up")
    document = walk.document
    walk.click(walk.find(FoldHead, "Faint", panel))
    card = panel.cards["faint"]
    walk.until(
        lambda: panel.preview.active and not panel.preview.busy, "Nothing was counted.", 120.0
    )
    walk.shot("heat")
    slider = card.slider
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    style, parts = slider.style(), QStyle.SubControl
    handle = style.subControlRect(
        QStyle.ComplexControl.CC_Slider, option, parts.SC_SliderHandle, slider
    )
    grip = QPointF(handle.center())
    threshold = card.threshold
    walk.drag(slider, [grip, grip + QPointF(18.0, 0.0)])
    walk.check(card.threshold != threshold, "The threshold cannot be dragged.")
    walk.until(lambda: not panel.preview.busy, "Nothing was counted anew.", 120.0)
    walk.check(walk.document is document, "The preview changed the document.")
    walk.shot("threshold")
    count = panel.preview.found.count
    walk.check(count > 0, "The tool finds nothing to remove.")
    walk.click(walk.button("Remove", card))
    walk.until(lambda: walk.plant.deleted, "Nothing was removed.")
    walk.check(len(walk.plant.deleted) == count, "Other splats went than were counted.")
    walk.shot("removed")
    walk.keys("Ctrl+Z")
    walk.check(not walk.plant.deleted, "Undo did not bring back what was cleaned up.")


def histogram(walk: Walk) -> None:
    """A drag over the plot selects."""
    panel = walk.panel("histogram")
    walk.until(lambda: panel.plot.counted is not None, "Nothing was counted.")
    walk.settle()
    walk.shot("opacity")
    box = panel.plot.box
    low = QPointF(box.left() + 0.05 * box.width(), box.center().y())
    high = QPointF(box.left() + 0.45 * box.width(), box.center().y())
    walk.drag(panel.plot, [low, high])
    walk.until(lambda: walk.selected > 0, "A drag over the histogram selects nothing.")
    walk.check("opacity" in panel.query.text(), "The range is not told as a rule.")
    walk.settle()
    walk.shot("selected")


def rule(walk: Walk) -> None:
    """A selection by a rule: in its dialog, then in the console."""
    walk.focus_view()
    walk.keys("Ctrl+F")
    dialog = walk.dialog("Select by rule")
    walk.write("hue in 80..140 and opacity > 0.3")
    walk.until(lambda: "splats" in dialog.rule.note.text(), "Nothing is counted.", 30.0)
    walk.shot("typed", settle=False)
    walk.click(walk.button("Select", dialog))
    walk.until(lambda: walk.selected > 1000, "The rule selected nothing.")
    found = walk.selected
    walk.shot("selected")
    walk.focus_view()
    walk.keys("Ctrl+Shift+A")
    walk.until(lambda: walk.selected == 0, "Ctrl+Shift+A does not select nothing.")
    panel = walk.panel("console")
    prompt = walk.find(QPlainTextEdit, "Python prompt", panel)
    walk.click(prompt)
    walk.write('doc.select("hue in 80..140 and opacity > 0.3")')
    walk.keys("Return")
    walk.until(lambda: walk.selected == found, "The console selects something else.")
    walk.shot("console")
    walk.window.docks.toggle("console")


def named(walk: Walk) -> None:
    """Keep what is selected, and have it back."""
    walk.tool("lasso")
    turns = np.linspace(0.0, 2.0 * np.pi, 9)
    points = [at(walk, 0.48 + 0.08 * np.cos(t), 0.72 + 0.16 * np.sin(t)) for t in turns]
    walk.drag(walk.viewport, points)
    count = walk.selected
    walk.check(count > 300, "The lasso selected nothing.")
    panel = walk.panel("outliner")
    walk.click(walk.button("Keep what is selected under a name", panel))
    walk.check(walk.document.selections, "Nothing was kept.")
    walk.keys("Ctrl+A")
    walk.write("pot")
    walk.keys("Return")
    walk.check(walk.document.selections[0].name == "pot", "The selection is not called pot.")
    walk.session.editing.run("select_none")
    walk.settle()
    row = panel.named.rows[0]
    walk.click(row)
    walk.until(lambda: walk.selected == count, "The named selection did not come back.")
    walk.shot()


def history(walk: Walk) -> None:
    """Back, on, and to a step in the list."""
    start = walk.document
    walk.tool("rect")
    walk.drag(walk.viewport, [at(walk, 0.36, 0.25), at(walk, 0.5, 0.6)])
    walk.settle()
    walk.keys("H")
    walk.session.editing.run("add_modifier", node="plant", kind="grade", values={"hue": 40.0})
    walk.settle()
    last = walk.document
    panel = walk.panel("history")
    walk.shot("steps")
    for _ in range(3):
        walk.keys("Ctrl+Z")
    walk.check(not Patch.between(start, walk.document), "Undo is not exact.")
    walk.shot("undone")
    for _ in range(3):
        walk.keys("Ctrl+Shift+Z")
    walk.check(not Patch.between(last, walk.document), "Redo is not exact.")
    view = panel.list
    index = view.model().index(1, 0)
    walk.click(view.viewport(), QPointF(view.visualRect(index).center()))
    walk.settle()
    position = walk.session.editing.editor.history.position
    walk.check(position < 3, "A click in the history did not go back.")
    walk.shot("clicked")
    walk.window.docks.toggle("history")


STEPS = (
    Step("move", move),
    Step("rotate", rotate),
    Step("scale", scale),
    Step("move-selected", move_selected),
    Step("grade", grade),
    Step("crop", crop),
    Step("wind", wind),
    Step("clean-up", clean_up),
    Step("histogram", histogram),
    Step("rule", rule),
    Step("named-selection", named),
    Step("history", history),
)
