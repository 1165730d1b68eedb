"""Moving, turning and scaling with gizmos."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, Qt

from polyorama.scene.rotations import rotation_about
from polyorama_studio.viewport.gizmo import MOVE, ROTATE, SCALE, Gizmo, Handle
from polyorama_studio.viewport.readout import paint_readout, with_unit
from polyorama_studio.viewport.space import length_along, meet_plane
from polyorama_studio.viewport.tools.pointer import choose_at
from polyorama_studio.viewport.tools.tool import Tool, modifier_names

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QCursor, QKeyEvent, QMouseEvent, QPainter

    from polyorama_studio.viewport.pane import Pane
    from polyorama_studio.viewport.space import Space
    from polyorama_studio.viewport.subject import Held

__all__ = ["MoveTool", "RotateTool", "ScaleTool", "TransformTool", "turned"]

MOVE_STEP = 0.1
TURN_STEP = 15.0
SCALE_STEP = 0.1
_AXIS_KEYS = {Qt.Key.Key_X: 0, Qt.Key.Key_Y: 1, Qt.Key.Key_Z: 2}
_DIGITS = "0123456789.-"
_LEAST_SCALE = 1e-3


def _tr(text: str) -> str:
    return QCoreApplication.translate("tools", text)


class TransformTool(Tool):
    """What the three share: a gizmo, one drag is one undo step, typed numbers, snapping."""

    options = frozenset({"axes", "pivot", "snap"})
    handles: ClassVar[tuple[Handle, ...]] = ()
    title: ClassVar[str] = ""

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self.hot: Handle | None = None
        self.grabbed: Handle | None = None
        self.typed = ""
        self._start: Held | None = None
        self._space: Space | None = None
        self._pane: Pane | None = None
        self._from = QPointF()
        self._now = QPointF()
        self._snap = False

    @property
    def busy(self) -> bool:
        """Whether a handle is held."""
        return self.grabbed is not None

    # What the three do differently

    def delta(self, held: Held, space: Space) -> tuple[NDArray[np.float64], str]:
        """The (4, 4) world map of the drag so far, and how it reads."""
        raise NotImplementedError

    # The drag

    def _gizmo(self, pane: Pane) -> Gizmo | None:
        held = self.toolbox.subject.held()
        if held is None:
            return None
        return Gizmo(pane.space(), held, self.handles, boxes=self.handles is SCALE)

    def hover(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Light up what would be grabbed."""
        gizmo = self._gizmo(pane)
        hot = None if gizmo is None else gizmo.hit(at)
        if hot != self.hot:
            self.hot = hot
            pane.update()

    def leave(self, pane: Pane) -> None:
        """Put the light out."""
        self.hot = None

    def cursor(self, pane: Pane, modifiers: Qt.KeyboardModifier) -> QCursor | None:
        """A hand over handles."""
        if self.hot is not None or self.grabbed is not None:
            from PySide6.QtGui import QCursor as Cursor

            return Cursor(Qt.CursorShape.PointingHandCursor)
        return None

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """Grab the handle that is there."""
        gizmo = self._gizmo(pane)
        handle = None if gizmo is None else gizmo.hit(event.position())
        if handle is None:
            return False
        start = self.toolbox.subject.begin(_tr(self.title))
        if start is None:
            return False
        self.grabbed = self.hot = handle
        self._start, self._space, self._pane = start, pane.space(), pane
        self._from = self._now = event.position()
        self.typed = ""
        self.begun()
        self.session.stage.hold()
        return True

    def begun(self) -> None:
        """A handle was grabbed."""

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """Move what is held."""
        self._now = event.position()
        _, control = modifier_names(event.modifiers())
        self._snap = control != self.toolbox.options.snap
        self._apply()
        pane.update()

    def _apply(self) -> None:
        if self._start is None or self._space is None or self.grabbed is None:
            return
        matrix, _ = self.delta(self._start, self._space)
        if np.isfinite(matrix).all():
            self.toolbox.subject.apply(matrix)

    def release(self, pane: Pane, event: QMouseEvent) -> None:
        """Let go."""
        self._end(keep=True)

    def cancel(self) -> None:
        """Put it back."""
        self._end(keep=False)

    def _end(self, *, keep: bool) -> None:
        if self.grabbed is None:
            return
        self.grabbed = None
        self._start = self._space = self._pane = None
        self.toolbox.subject.end(keep=keep)
        self.session.stage.release()

    def click(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Choose another node."""
        choose_at(pane, at, modifiers)

    # Keys while a handle is held

    def wants(self, key: int, modifiers: Qt.KeyboardModifier) -> bool:
        """Digits, axes, Backspace and Enter, while a handle is held."""
        if not self.busy:
            return False
        ends = (Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        typed = 32 <= key < 127 and chr(key) in _DIGITS
        return typed or key in _AXIS_KEYS or key in ends

    def key(self, pane: Pane, event: QKeyEvent) -> bool:
        """Type a number, or hold to an axis."""
        if not self.wants(event.key(), event.modifiers()):
            return False
        if event.key() in _AXIS_KEYS:
            self._hold_to(_AXIS_KEYS[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Backspace:
            self.typed = self.typed[:-1]
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._end(keep=True)
            return True
        elif event.text() == "-":
            self.typed = self.typed[1:] if self.typed.startswith("-") else "-" + self.typed
        else:
            self.typed += event.text()
        self._apply()
        return True

    def _hold_to(self, axis: int) -> None:
        kind = "ring" if self.handles is ROTATE else "axis"
        free = Handle("spin" if self.handles is ROTATE else self.handles[-1].kind)
        held = Handle(kind, axis)
        self.grabbed = self.hot = free if self.grabbed == held else held
        self.begun()

    @property
    def number(self) -> float | None:
        """What was typed, or None."""
        try:
            return float(self.typed)
        except ValueError:
            return None

    # Painting

    def reading(self, pane: Pane, words: str) -> str:
        """How far it is, with what that is counted in."""
        return words

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """The gizmo, and while it is held how far."""
        gizmo = self._gizmo(pane)
        if gizmo is None:
            return
        gizmo.paint(pane, painter, self.hot, self.grabbed)
        if self._start is not None and self._space is not None and pane is self._pane:
            _, words = self.delta(self._start, self._space)
            more = _tr("typed {0}").format(self.typed) if self.typed else ""
            paint_readout(pane, painter, self._now, self.reading(pane, words), more)


class MoveTool(TransformTool):
    """Arms move along an axis, squares in a plane, the hub in the picture's plane."""

    id = "move"
    handles = MOVE
    title = "Move"

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Drag an arrow, a square or the middle; X, Y, Z hold to an axis; type a length")

    def reading(self, pane: Pane, words: str) -> str:
        """A length."""
        return with_unit(pane, words)

    def delta(self, held: Held, space: Space) -> tuple[NDArray[np.float64], str]:
        """A shift."""
        assert self.grabbed is not None
        shift = self._shift(self.grabbed, held, space)
        along = held.axes @ shift
        if self._snap and self.number is None:
            along = np.round(along / MOVE_STEP) * MOVE_STEP
            if self.grabbed.kind == "axis":
                along = np.where(np.arange(3) == self.grabbed.axis, along, 0.0)
            shift = along @ held.axes
        matrix = np.eye(4)
        matrix[:3, 3] = shift
        if self.grabbed.kind == "axis":
            return matrix, f"{'XYZ'[self.grabbed.axis]}  {_signed(along[self.grabbed.axis])}"
        return matrix, "   ".join(
            f"{name}  {_signed(value)}"
            for number, (name, value) in enumerate(zip("XYZ", along, strict=True))
            if number != self.grabbed.axis
        )

    def _shift(self, handle: Handle, held: Held, space: Space) -> NDArray[np.float64]:
        first = space.ray(self._from.x(), self._from.y())
        now = space.ray(self._now.x(), self._now.y())
        if handle.kind == "axis":
            axis = held.axes[handle.axis]
            if self.number is not None:
                return self.number * axis
            ends = [length_along(*ray, held.origin, axis) for ray in (first, now)]
            if ends[0] is None or ends[1] is None:
                return np.zeros(3)
            return (ends[1] - ends[0]) * axis
        normal = space.forward if handle.kind == "view" else held.axes[handle.axis]
        places = [meet_plane(*ray, held.origin, normal) for ray in (first, now)]
        if places[0] is None or places[1] is None:
            return np.zeros(3)
        return places[1] - places[0]


class RotateTool(TransformTool):
    """Rings turn about an axis, the outer one about the line of sight."""

    id = "rotate"
    handles = ROTATE
    title = "Rotate"

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self._angle = 0.0
        self._before = QPointF()

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Drag a ring; Ctrl turns by 15°; X, Y, Z hold to an axis; type an angle")

    def begun(self) -> None:
        """Angles are counted from here, over more than one turn."""
        self._angle = 0.0
        self._before = self._from

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """Add what was turned since."""
        if self._start is not None and self._space is not None and self.grabbed is not None:
            axis = self._axis(self._start, self._space)
            self._angle += turned(
                self._space, self._start.origin, axis, self._before, event.position()
            )
            self._before = event.position()
        super().drag(pane, event)

    def _axis(self, held: Held, space: Space) -> NDArray[np.float64]:
        assert self.grabbed is not None
        if self.grabbed.kind == "spin":
            return space.towards_eye(held.origin)
        return held.axes[self.grabbed.axis]

    def delta(self, held: Held, space: Space) -> tuple[NDArray[np.float64], str]:
        """A turn about the pivot."""
        degrees = float(np.degrees(self._angle)) if self.number is None else self.number
        if self._snap and self.number is None:
            degrees = round(degrees / TURN_STEP) * TURN_STEP
        turn = rotation_about(self._axis(held, space), np.radians(degrees))
        matrix = np.eye(4)
        matrix[:3, :3] = turn
        matrix[:3, 3] = held.origin - turn @ held.origin
        return matrix, f"{_signed(degrees, 1)}°"


class ScaleTool(TransformTool):
    """Arms scale along an axis, squares along two, the hub along all."""

    id = "scale"
    handles = SCALE
    title = "Scale"

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Drag an arm, a square or the middle; X, Y, Z hold to an axis; type a factor")

    def delta(self, held: Held, space: Space) -> tuple[NDArray[np.float64], str]:
        """A scale about the pivot."""
        assert self.grabbed is not None
        factor = self._factor(self.grabbed, held, space)
        if self._snap and self.number is None:
            factor = max(SCALE_STEP, round(factor / SCALE_STEP) * SCALE_STEP)
        factor = max(factor, _LEAST_SCALE)
        factors = np.full(3, factor)
        if self.grabbed.kind == "axis":
            factors = np.where(np.arange(3) == self.grabbed.axis, factor, 1.0)
        elif self.grabbed.kind == "plane":
            factors = np.where(np.arange(3) == self.grabbed.axis, 1.0, factor)
        matrix = np.eye(4)
        matrix[:3, :3] = held.axes.T @ np.diag(factors) @ held.axes
        matrix[:3, 3] = held.origin - matrix[:3, :3] @ held.origin
        return matrix, f"\N{MULTIPLICATION SIGN} {factor:.3f}"

    def _factor(self, handle: Handle, held: Held, space: Space) -> float:
        if self.number is not None:
            return self.number
        if handle.kind == "axis":
            axis = held.axes[handle.axis]
            rays = [space.ray(p.x(), p.y()) for p in (self._from, self._now)]
            ends = [length_along(*ray, held.origin, axis) for ray in rays]
            if ends[0] is None or ends[1] is None or abs(ends[0]) < 1e-9:
                return 1.0
            return ends[1] / ends[0]
        step = self._now - self._from
        return float(np.exp((step.x() - step.y()) / 160.0))


def turned(
    space: Space, origin: NDArray[np.float64], axis: NDArray[np.float64], a: QPointF, b: QPointF
) -> float:
    """Radians about an axis between two pointer positions, of less than half a turn."""
    facing = float(axis @ space.towards_eye(origin))
    if abs(facing) > 0.2:
        places = [meet_plane(*space.ray(p.x(), p.y()), origin, axis) for p in (a, b)]
        if places[0] is not None and places[1] is not None:
            first, second = places[0] - origin, places[1] - origin
            return float(np.arctan2(np.cross(first, second) @ axis, first @ second))
    # Seen from its edge, a ring is turned by going along the edge.
    edge = np.cross(axis, space.towards_eye(origin))
    edge /= max(float(np.linalg.norm(edge)), 1e-9)
    step = (b.x() - a.x()) * space.right + (b.y() - a.y()) * space.down
    return float(step @ edge) / 100.0


def _signed(value: float, digits: int = 3) -> str:
    text = f"{value:+.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}")
