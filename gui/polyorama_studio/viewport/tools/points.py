"""Clicked points: measuring, setting the real length, laying the scene on its floor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtGui import QColor, QCursor, QPen, QPolygonF

from polyorama.scene.rotations import turn_between
from polyorama_studio.viewport.readout import halo_pens, paint_label, paint_readout, with_unit
from polyorama_studio.viewport.tools.tool import Tool

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter

    from polyorama_studio.viewport.pane import Pane

__all__ = ["FloorTool", "MeasureTool", "PointsTool"]

_GRAB = 10.0
_DIGITS = "0123456789."


def _tr(text: str) -> str:
    return QCoreApplication.translate("tools", text)


class PointsTool(Tool):
    """Puts points on what is seen; they can be dragged."""

    most: ClassVar[int] = 2

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self.points: list[NDArray[np.float64]] = []
        self._held: int | None = None
        self._hot: int | None = None
        self._aim: QPointF | None = None
        self._over: Pane | None = None

    @property
    def busy(self) -> bool:
        """Whether there are points."""
        return bool(self.points)

    def cancel(self) -> None:
        """Take the points away."""
        self.points = []
        self._held = self._hot = None

    def complete(self) -> None:
        """The last point is set."""

    def _near(self, pane: Pane, at: QPointF) -> int | None:
        for number, point in enumerate(self.points):
            seen = pane.space().point(point)
            if seen is not None and math.hypot(*(seen - at).toTuple()) < _GRAB:
                return number
        return None

    def hover(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Aim at what is seen."""
        self._hot = self._near(pane, at)
        solid = pane.navigator.surface_point(at) is not None
        self._aim = at if solid and self._hot is None else None
        self._over = pane
        pane.update()

    def leave(self, pane: Pane) -> None:
        """Aim at nothing."""
        self._aim = self._over = None

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """Take hold of a point, or set one; presses on nothing turn the view."""
        self._held = self._near(pane, event.position())
        if self._held is not None:
            return True
        place = pane.navigator.surface_point(event.position())
        if place is None:
            return False
        if len(self.points) >= self.most:
            self.cancel()
        self.points.append(place)
        self._held = len(self.points) - 1
        self._aim = None
        pane.update()
        return True

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """The point follows what is under the pointer."""
        place = pane.navigator.surface_point(event.position())
        if self._held is not None and place is not None:
            self.points[self._held] = place
            pane.update()

    def release(self, pane: Pane, event: QMouseEvent) -> None:
        """Let go."""
        self._held = None
        if len(self.points) == self.most:
            self.complete()

    def cursor(self, pane: Pane, modifiers: Qt.KeyboardModifier) -> QCursor:
        """A cross."""
        if self._hot is not None:
            return QCursor(Qt.CursorShape.PointingHandCursor)
        return QCursor(Qt.CursorShape.CrossCursor)

    def paint_points(self, pane: Pane, painter: QPainter) -> list[QPointF]:
        """The points with numbers; tells where they are seen."""
        tokens = pane.session.theme.tokens
        found = []
        for number, point in enumerate(self.points):
            at = pane.space().point(point)
            if at is None:
                continue
            found.append(at)
            radius = 6.0 if number in (self._hot, self._held) else 4.5
            painter.setPen(QPen(tokens.color("stage"), 1.5))
            painter.setBrush(tokens.color("accent"))
            painter.drawEllipse(at, radius, radius)
        if pane is self._over and self._aim is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for pen in halo_pens(pane, tokens.color("overlay"), 1.25):
                painter.setPen(pen)
                painter.drawEllipse(self._aim, 5.0, 5.0)
        return found

    def place_scene(self, title: str, matrix: NDArray[np.float64]) -> None:
        """Move everything that stands at the root by a (4, 4) world map, as one step."""
        document = self.session.editing.document
        if document is None:
            return
        editing = self.session.editing
        with editing.gesture(title):
            for node in document.nodes:
                if node.parent is None:
                    fresh = matrix @ node.transform
                    rows = tuple(tuple(float(v) for v in row) for row in fresh[:3])
                    if not editing.run("place", node=node.id, matrix=rows):
                        return


class MeasureTool(PointsTool):
    """Two points and their distance; a typed length is made the real one."""

    id = "measure"
    most = 2

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self.typed = ""

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Click two points; type their real distance and press Enter to scale the scene")

    def cancel(self) -> None:
        """Take the points away."""
        super().cancel()
        self.typed = ""

    @property
    def length(self) -> float | None:
        """Distance of the two points, world units."""
        if len(self.points) < 2:
            return None
        return float(np.linalg.norm(self.points[1] - self.points[0]))

    def wants(self, key: int, modifiers: Qt.KeyboardModifier) -> bool:
        """Digits, Backspace and Enter, once there are two points."""
        ends = (Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        typed = 32 <= key < 127 and chr(key) in _DIGITS
        return len(self.points) == 2 and (typed or key in ends)

    def key(self, pane: Pane, event: QKeyEvent) -> bool:
        """Type the real length."""
        if not self.wants(event.key(), event.modifiers()):
            return False
        if event.key() == Qt.Key.Key_Backspace:
            self.typed = self.typed[:-1]
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._scale()
        else:
            self.typed += event.text()
        return True

    def _scale(self) -> None:
        try:
            wanted = float(self.typed)
        except ValueError:
            wanted = 0.0
        length = self.length
        self.typed = ""
        if not length or not 1e-9 < wanted < 1e9:
            return
        factor, anchor = wanted / length, self.points[0]
        matrix = np.diag([factor, factor, factor, 1.0])
        matrix[:3, 3] = anchor - factor * anchor
        self.place_scene(_tr("Set a length"), matrix)
        stage = self.session.stage
        # The picture stays what it was: the view is scaled with the scene.
        stage.set_view(stage.view.scaled(factor, anchor), moving=False)
        self.points[1] = anchor + factor * (self.points[1] - anchor)

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """The line with its length."""
        ends: list[NDArray[np.float64]] = list(self.points)
        if len(ends) == 1 and pane is self._over and self._aim is not None:
            aim = pane.navigator.surface_point(self._aim)
            if aim is not None:
                ends.append(aim)
        if len(ends) == 2:
            self._paint_line(pane, painter, *ends)
        self.paint_points(pane, painter)

    def _paint_line(
        self, pane: Pane, painter: QPainter, a: NDArray[np.float64], b: NDArray[np.float64]
    ) -> None:
        color = pane.session.theme.tokens.color("accent")
        lines = pane.space().polylines(np.array([a, b]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in halo_pens(pane, color, 1.5):
            painter.setPen(pen)
            for line in lines:
                painter.drawPolyline(line)
        middle = pane.space().point((a + b) / 2.0)
        if middle is not None:
            length = float(np.linalg.norm(b - a))
            more = _tr("becomes {0}").format(self.typed) if self.typed else ""
            paint_readout(pane, painter, middle, with_unit(pane, f"{length:.4g}"), more)


class FloorTool(PointsTool):
    """Three points on the floor turn the scene so that it lies level there."""

    id = "floor"
    most = 3

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Click three points of the floor; the scene is turned so that it lies level")

    def complete(self) -> None:
        """Turn the scene and put the floor at height 0."""
        document = self.session.editing.document
        a, b, c = self.points
        normal = np.cross(b - a, c - a)
        length = float(np.linalg.norm(normal))
        spread = max(np.linalg.norm(b - a), np.linalg.norm(c - a)) ** 2
        if document is None or length <= 1e-6 * spread:
            self.cancel()
            return
        up = np.asarray(document.up, np.float64)
        up = up / np.linalg.norm(up)
        normal = normal / length
        normal = normal if normal @ up >= 0.0 else -normal
        turn = turn_between(normal, up)
        middle = (a + b + c) / 3.0
        matrix = np.eye(4)
        matrix[:3, :3] = turn
        # About the points' middle, then down or up to where the height is 0.
        matrix[:3, 3] = middle - turn @ middle - (middle @ up) * up
        self.cancel()
        self.place_scene(_tr("Lay on the floor"), matrix)
        stage = self.session.stage
        moved = matrix[:3, :3] @ np.asarray(stage.view.target) + matrix[:3, 3]
        stage.set_view(stage.view.shifted(moved - np.asarray(stage.view.target)), moving=False)

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """The triangle, as far as it goes."""
        tokens = pane.session.theme.tokens
        ends = list(self.points)
        aim = None
        if 0 < len(ends) < 3 and pane is self._over and self._aim is not None:
            aim = pane.navigator.surface_point(self._aim)
        if aim is not None:
            ends.append(aim)
        if len(ends) > 1:
            lines = pane.space().polylines(np.array([*ends, ends[0]]))
            fill = QColor(tokens.color("accent"))
            fill.setAlphaF(0.16)
            seen = [pane.space().point(p) for p in ends]
            if None not in seen:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(fill)
                painter.drawPolygon(QPolygonF([p for p in seen if p is not None]))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for pen in halo_pens(pane, tokens.color("accent"), 1.5):
                painter.setPen(pen)
                for line in lines:
                    painter.drawPolyline(line)
        for number, at in enumerate(self.paint_points(pane, painter)):
            paint_label(pane, painter, at - QPointF(0.0, 4.0), str(number + 1))
