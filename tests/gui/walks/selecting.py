"""Open, look around, select with each tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF

from tests.gui.walks.steps import Step
from tests.gui.walks.walk import CTRL, MIDDLE, SHIFT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.gui.walks.walk import Walk

__all__ = ["STEPS"]


def at(walk: Walk, x: float, y: float) -> QPointF:
    """A position of the viewport, as shares of its sides."""
    return QPointF(x * walk.viewport.width(), y * walk.viewport.height())


def seen(walk: Walk) -> NDArray[np.float64]:
    """(N, 2) where the splats of the plant are seen, logical pixels."""
    node = walk.plant
    assert node.splats is not None
    return walk.viewport.space().project(node.splats.means)[0]


def within(walk: Walk, low: QPointF, high: QPointF) -> int:
    """How many splats have their centre between two corners."""
    xy = seen(walk)
    inside = (xy > (low.x(), low.y())) & (xy < (high.x(), high.y()))
    return int(inside.all(axis=1).sum())


def about(found: int, expected: int) -> bool:
    """Whether two counts are the same, but for pixels at an edge."""
    return abs(found - expected) <= max(40, 0.03 * expected)


def start(walk: Walk) -> None:
    """The start page."""
    walk.settle()
    walk.check(walk.session.editing.document is None, "Something is open at the start.")
    walk.shot()


def open_plant(walk: Walk) -> None:
    """Drop a capture."""
    walk.session.open_files([walk.scene])
    walk.until(lambda: walk.session.editing.document is not None, "The capture does not open.", 60)
    walk.check(walk.plant.splats is not None, "The capture was opened without splats.")
    # The first time ever, kernels are compiled.
    walk.settle(600.0)
    walk.remember_view()
    walk.check(walk.session.stage.picture is not None, "Nothing is drawn.")
    walk.look()
    walk.shot()


def room(walk: Walk) -> None:
    """The picture owns the window."""
    share = walk.viewport.width() * walk.viewport.height() / (walk.size[0] * walk.size[1])
    walk.check(share >= 0.55, f"The viewport owns {share:.0%} of the window, not 60 %.")
    walk.shot()


def orbit(walk: Walk) -> None:
    """Turn, pan and zoom with the mouse."""
    before = walk.session.stage.view
    walk.drag(walk.viewport, [at(walk, 0.5, 0.5), at(walk, 0.62, 0.42)], let_go=False)
    walk.check(walk.session.stage.view.yaw != before.yaw, "A drag did not turn the view.")
    walk.shot("turning", settle=False)
    walk.release(walk.viewport, at(walk, 0.62, 0.42))
    turned = walk.session.stage.view
    walk.drag(walk.viewport, [at(walk, 0.5, 0.5), at(walk, 0.55, 0.55)], button=MIDDLE)
    walk.check(walk.session.stage.view.target != turned.target, "The middle button did not pan.")
    distance = walk.session.stage.view.distance
    walk.wheel(walk.viewport, at(walk, 0.5, 0.5), 3)
    walk.check(walk.session.stage.view.distance < distance, "The wheel did not zoom.")
    walk.shot("near")
    document = walk.document
    walk.keys("Home")
    walk.settle()
    walk.check(walk.document is document, "Looking around changed the document.")
    walk.shot("framed")


def cube(walk: Walk) -> None:
    """Look from the top with the key, then in parallel."""
    walk.keys("7")
    walk.settle()
    walk.check(walk.session.stage.view.pitch == 90.0, "The key 7 does not look from above.")
    walk.shot("top")
    walk.keys("1", "5")
    walk.settle()
    walk.check(walk.session.stage.view.orthographic, "The key 5 does not draw in parallel.")
    walk.shot("parallel")
    walk.keys("5")


def rectangle(walk: Walk) -> None:
    """Set, add, remove, intersect."""
    walk.tool("rect")
    low, high = at(walk, 0.36, 0.25), at(walk, 0.52, 0.55)
    walk.drag(walk.viewport, [low, high], let_go=False)
    walk.rest(250)
    walk.shot("drawing", settle=False)
    walk.release(walk.viewport, high)
    expected = within(walk, low, high)
    walk.check(expected > 500, "The rectangle lies beside the plant.")
    walk.check(about(walk.selected, expected), f"{walk.selected} were selected, not {expected}.")
    walk.shot("set")
    first = walk.selected
    more = [at(walk, 0.52, 0.30), at(walk, 0.62, 0.60)]
    walk.drag(walk.viewport, more, SHIFT, let_go=False)
    walk.rest(250)
    walk.shot("adding", settle=False)
    walk.release(walk.viewport, more[1], SHIFT)
    walk.check(walk.selected > first, "Shift did not add to the selection.")
    second = walk.selected
    walk.drag(walk.viewport, [at(walk, 0.40, 0.30), at(walk, 0.48, 0.42)], CTRL)
    walk.check(walk.selected < second, "Ctrl did not take from the selection.")
    third = walk.selected
    walk.shot("removed")
    walk.drag(walk.viewport, [at(walk, 0.30, 0.20), at(walk, 0.55, 0.50)], SHIFT | CTRL)
    walk.check(0 < walk.selected < third, "Shift and Ctrl did not intersect the selection.")
    walk.shot("intersected")


def surface(walk: Walk) -> None:
    """Only what is seen."""
    walk.tool("rect")
    low, high = at(walk, 0.36, 0.25), at(walk, 0.52, 0.55)
    walk.drag(walk.viewport, [low, high])
    through = walk.selected
    walk.keys("N")
    walk.check(walk.viewport.toolbox.options.surface, "N does not switch to the surface.")
    walk.drag(walk.viewport, [low, high])
    walk.settle()
    walk.check(0 < walk.selected < through, "The surface holds no less than all through.")
    walk.shot()


def lasso(walk: Walk) -> None:
    """A free outline."""
    walk.tool("lasso")
    turns = np.linspace(0.0, 2.0 * np.pi, 9)
    points = [at(walk, 0.48 + 0.10 * np.cos(t), 0.38 + 0.16 * np.sin(t)) for t in turns]
    walk.drag(walk.viewport, points, let_go=False)
    walk.rest(250)
    walk.shot("drawing", settle=False)
    walk.release(walk.viewport, points[-1])
    walk.check(walk.selected > 500, "The lasso selected nothing.")
    walk.shot()


def polygon(walk: Walk) -> None:
    """Corner by corner, with one too many."""
    walk.tool("polygon")
    corners = [at(walk, 0.40, 0.22), at(walk, 0.58, 0.26), at(walk, 0.60, 0.50)]
    for corner in corners:
        walk.click(walk.viewport, corner)
    walk.click(walk.viewport, at(walk, 0.80, 0.80))
    walk.keys("Backspace")
    walk.move(walk.viewport, at(walk, 0.44, 0.56))
    walk.rest(250)
    walk.shot("drawing", settle=False)
    walk.click(walk.viewport, at(walk, 0.44, 0.56))
    walk.keys("Return")
    walk.check(walk.selected > 500, "The polygon selected nothing.")
    walk.shot()


def brush(walk: Walk) -> None:
    """Paint."""
    walk.tool("brush")
    radius = walk.viewport.toolbox.options.brush
    walk.keys("]", "]")
    walk.check(walk.viewport.toolbox.options.brush > radius, "] does not widen the brush.")
    line = [at(walk, 0.42, 0.50), at(walk, 0.47, 0.32), at(walk, 0.56, 0.40)]
    walk.drag(walk.viewport, line, let_go=False)
    walk.rest(250)
    walk.shot("painting", settle=False)
    walk.release(walk.viewport, line[-1])
    walk.check(walk.selected > 500, "The brush selected nothing.")
    walk.shot()


def _volume(walk: Walk, tool: str, name: str) -> None:
    walk.tool(tool)
    middle = at(walk, 0.48, 0.42)
    walk.drag(walk.viewport, [middle, middle + QPointF(90.0, 20.0)])
    walk.rest(300)
    walk.check(walk.viewport.toolbox.active.busy, f"The {name} was not placed.")
    walk.shot("placed", settle=False)
    walk.keys("Return")
    walk.settle()
    walk.check(walk.selected > 300, f"The {name} selected nothing.")
    walk.shot()


def sphere(walk: Walk) -> None:
    """A ball in the scene."""
    _volume(walk, "sphere", "ball")


def box(walk: Walk) -> None:
    """A box in the scene."""
    _volume(walk, "box", "box")


def _leaf(walk: Walk) -> QPointF:
    """Where the middle of a leaf is seen."""
    picture = walk.session.stage.picture
    walk.check(picture is not None, "Nothing is drawn.")
    image = picture.image
    ratio = image.width() / walk.viewport.width()
    best, place = 0, QPointF()
    for y in np.linspace(0.2, 0.6, 30):
        for x in np.linspace(0.35, 0.7, 30):
            here = at(walk, x, y)
            count = 0
            for dx, dy in np.ndindex(7, 7):
                color = image.pixelColor(
                    round((here.x() + 4 * dx - 12) * ratio), round((here.y() + 4 * dy - 12) * ratio)
                )
                count += 70 <= color.hue() <= 140 and color.value() > 90
            if count > best:
                best, place = count, here
    walk.check(best > 40, "No leaf is seen.")
    return place


def _by_color(walk: Walk, name: str) -> None:
    walk.tool(name)
    walk.settle()
    leaf = _leaf(walk)
    walk.move(walk.viewport, leaf)
    walk.press(walk.viewport, leaf)
    walk.rest(500)
    walk.shot("held", settle=False)
    walk.release(walk.viewport, leaf)
    walk.settle()
    walk.check(walk.selected > 100, f"The {name} selected nothing.")
    walk.shot()


def eyedropper(walk: Walk) -> None:
    """Everything of a colour."""
    _by_color(walk, "eyedropper")


def flood(walk: Walk) -> None:
    """What hangs together in a colour."""
    _by_color(walk, "flood")


def hide(walk: Walk) -> None:
    """Hide, isolate, show again, lock, delete, restore."""
    walk.tool("rect")
    walk.drag(walk.viewport, [at(walk, 0.36, 0.25), at(walk, 0.50, 0.60)])
    walk.settle()
    count = walk.selected
    walk.keys("H")
    walk.check(walk.plant.hidden is not None, "H hides nothing.")
    walk.check(len(walk.plant.hidden) == count, "H hides something else.")
    walk.shot("hidden")
    walk.keys("Alt+H")
    walk.check(not walk.plant.hidden, "Alt+H does not bring all back.")
    walk.drag(walk.viewport, [at(walk, 0.40, 0.25), at(walk, 0.58, 0.55)])
    walk.settle()
    walk.keys("Shift+H")
    walk.check(walk.plant.hidden, "Shift+H hides nothing.")
    walk.shot("isolated")
    walk.keys("Alt+H")
    walk.drag(walk.viewport, [at(walk, 0.40, 0.25), at(walk, 0.58, 0.55)])
    walk.settle()
    walk.keys("Del")
    walk.check(walk.plant.deleted, "Del deletes nothing.")
    walk.shot("deleted")
    walk.act("tools.restore")
    walk.check(not walk.plant.deleted, "What was deleted did not come back.")


def escape(walk: Walk) -> None:
    """A half-drawn outline is given up."""
    walk.tool("rect")
    walk.drag(walk.viewport, [at(walk, 0.3, 0.3), at(walk, 0.6, 0.6)], let_go=False)
    walk.keys("Esc")
    walk.release(walk.viewport, at(walk, 0.6, 0.6))
    walk.check(walk.selected == 0, "Escape did not give the rectangle up.")


STEPS = (
    Step("start", start),
    Step("open", open_plant),
    Step("room", room),
    Step("orbit", orbit),
    Step("sides", cube),
    Step("select-rectangle", rectangle),
    Step("select-surface", surface),
    Step("select-lasso", lasso),
    Step("select-polygon", polygon),
    Step("select-brush", brush),
    Step("select-sphere", sphere),
    Step("select-box", box),
    Step("eyedropper", eyedropper),
    Step("flood", flood),
    Step("escape", escape),
    Step("hide-and-delete", hide),
)
