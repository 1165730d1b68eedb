"""Selecting by what is drawn on the screen: rectangle, lasso, polygon, brush."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen, QPolygonF

from polyorama_studio.viewport.cursors import selection_cursor
from polyorama_studio.viewport.readout import halo_pens, paint_readout
from polyorama_studio.viewport.tools.tool import Tool, modifier_names

if TYPE_CHECKING:
    from PySide6.QtGui import QCursor, QKeyEvent, QMouseEvent, QPainter, QWheelEvent

    from polyorama.scene.regions import Region
    from polyorama_studio.viewport.pane import Pane

__all__ = ["SIGNS", "BrushTool", "LassoTool", "OutlineTool", "PolygonTool", "RectTool"]

SIGNS = {"set": "", "add": "+", "remove": "\N{MINUS SIGN}", "intersect": "\N{INTERSECTION}"}


def _tr(text: str) -> str:
    return QCoreApplication.translate("tools", text)


class OutlineTool(Tool):
    """What the four share: points in a pane, a region made of them, a count while drawing."""

    options = frozenset({"mode", "surface", "footprint"})
    kind = ""

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self.points: list[QPointF] = []
        self.pane: Pane | None = None
        self.mode = "set"

    @property
    def busy(self) -> bool:
        """Whether an outline is half drawn."""
        return bool(self.points)

    def cancel(self) -> None:
        """Forget the outline."""
        self.points = []
        self.pane = None
        self.toolbox.tally.clear()

    def cursor(self, pane: Pane, modifiers: Qt.KeyboardModifier) -> QCursor:
        """A cross with a badge of what would become of the selection."""
        mode = self.mode if self.busy else self.toolbox.mode_of(*modifier_names(modifiers))
        return selection_cursor(pane, mode)

    def begin(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The first point."""
        self.pane = pane
        self.points = [at]
        self.mode = self.toolbox.mode_of(*modifier_names(modifiers))

    def region(self) -> Region | None:
        """The region drawn so far, in device pixels, or None while it is none."""
        from polyorama.scene.regions import Region

        pane = self.pane
        if pane is None or len(self.points) < {"polygon": 3, "rect": 2}.get(self.kind, 1):
            return None
        camera = pane.seen_camera(*pane.stage.size)
        across, down = camera.width / max(1, pane.width()), camera.height / max(1, pane.height())
        flat = [v for p in self.points for v in (p.x() * across, p.y() * down)]
        radius = self.toolbox.options.brush * across if self.kind == "brush" else 0.0
        return Region(kind=self.kind, camera=camera, points=tuple(flat), radius=radius)

    def count(self) -> None:
        """Ask how many splats would be picked."""
        region = self.region()
        if region is not None:
            self.toolbox.tally.ask(region)

    def finish(self) -> None:
        """Pick, and forget the outline."""
        region = self.region()
        mode = self.mode
        self.cancel()
        if region is not None:
            self.toolbox.pick(region, mode)

    def paint_count(self, pane: Pane, painter: QPainter, at: QPointF) -> None:
        """How many splats would be picked, beside a position."""
        count = self.toolbox.tally.count
        if count is not None:
            sign = SIGNS[self.mode]
            paint_readout(pane, painter, at, _tr("{0} splats").format(f"{sign}{count:,}"))

    def paint_outline(self, pane: Pane, painter: QPainter, path: QPainterPath) -> None:
        """A thin line with a dashed one over it, and a breath of colour inside."""
        tokens = pane.session.theme.tokens
        fill = QColor(tokens.color("accent"))
        fill.setAlphaF(0.08)
        painter.fillPath(path, fill)
        halo, pen = halo_pens(pane, tokens.color("overlay"), 1.25)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(halo)
        painter.drawPath(path)
        painter.setPen(pen)
        painter.drawPath(path)
        dashes = QPen(tokens.color("accent"), 1.25)
        dashes.setDashPattern([4.0, 4.0])
        painter.setPen(dashes)
        painter.drawPath(path)


class RectTool(OutlineTool):
    """A rectangle between two corners."""

    id, kind = "rect", "rect"

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Drag a rectangle; Shift adds, Ctrl removes, both intersect")

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """The first corner."""
        self.begin(pane, event.position(), event.modifiers())
        return True

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """The other corner."""
        if self.points:
            self.points = [self.points[0], event.position()]
            self.count()
            pane.update()

    def release(self, pane: Pane, event: QMouseEvent) -> None:
        """Pick; a click at one place, without keys, selects nothing."""
        if not self.points:
            return
        first = self.points[0]
        if (event.position() - first).manhattanLength() < 3.0:
            mode = self.mode
            self.cancel()
            document = self.session.editing.document
            if mode == "set" and document is not None and document.selection:
                self.session.editing.run("select_none")
            return
        self.points = [first, event.position()]
        self.finish()

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """The rectangle and the count."""
        if pane is not self.pane or len(self.points) < 2:
            return
        box = QRectF(*self.points).normalized()
        path = QPainterPath()
        path.addRect(QRectF(box.toRect()).adjusted(0.5, 0.5, 0.5, 0.5))
        self.paint_outline(pane, painter, path)
        self.paint_count(pane, painter, self.points[1])


class LassoTool(OutlineTool):
    """A free outline, drawn with the button down."""

    id, kind = "lasso", "polygon"

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Drag round what you want; Shift adds, Ctrl removes, both intersect")

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """The first point."""
        self.begin(pane, event.position(), event.modifiers())
        return True

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """One more point, where the pointer has moved far enough."""
        if self.points and (event.position() - self.points[-1]).manhattanLength() >= 3.0:
            self.points.append(event.position())
            self.count()
            pane.update()

    def release(self, pane: Pane, event: QMouseEvent) -> None:
        """Close it and pick."""
        if len(self.points) < 3:
            self.cancel()
        else:
            self.finish()

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """The outline, closed, and the count."""
        if pane is not self.pane or len(self.points) < 2:
            return
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.OddEvenFill)
        path.addPolygon(QPolygonF(self.points))
        path.closeSubpath()
        self.paint_outline(pane, painter, path)
        self.paint_count(pane, painter, self.points[-1])


class PolygonTool(OutlineTool):
    """Corner by corner: Backspace takes the last one back, Enter or a double click closes."""

    id, kind = "polygon", "polygon"

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self._next = QPointF()

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Click corners; Backspace takes one back, Enter or a double click closes")

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """One more corner; one on the first of them closes."""
        if not self.points or pane is not self.pane:
            self.begin(pane, event.position(), event.modifiers())
        elif len(self.points) > 2 and _near(event.position(), self.points[0]):
            self.finish()
        else:
            self.points.append(event.position())
        self._next = event.position()
        self.count()
        pane.update()
        return True

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """Put the corner elsewhere."""
        if self.points:
            self.points[-1] = self._next = event.position()
            self.count()
            pane.update()

    def hover(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The line to the next corner follows the pointer."""
        if self.points:
            self._next = at
            pane.update()

    def double_click(self, pane: Pane, event: QMouseEvent) -> bool:
        """Close it and pick."""
        if len(self.points) > 2:
            self.finish()
            pane.update()
        return True

    def wants(self, key: int, modifiers: Qt.KeyboardModifier) -> bool:
        """Backspace and Enter, while there are corners."""
        return self.busy and key in (Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)

    def key(self, pane: Pane, event: QKeyEvent) -> bool:
        """Take the last corner back, or close."""
        if not self.wants(event.key(), event.modifiers()):
            return False
        if event.key() == Qt.Key.Key_Backspace:
            self.points.pop()
            if len(self.points) < 3:
                self.toolbox.tally.clear()
            if self.points:
                self.count()
            else:
                self.cancel()
        elif len(self.points) > 2:
            self.finish()
        return True

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """Corners, lines, the line to the pointer and the count."""
        if pane is not self.pane or not self.points:
            return
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.OddEvenFill)
        path.addPolygon(QPolygonF([*self.points, self._next]))
        path.closeSubpath()
        self.paint_outline(pane, painter, path)
        tokens = pane.session.theme.tokens
        closing = len(self.points) > 2 and _near(self._next, self.points[0])
        for number, point in enumerate(self.points):
            painter.setPen(QPen(tokens.color("halo"), 2.0))
            hot = number == 0 and closing
            painter.setBrush(tokens.color("accent" if hot else "overlay"))
            painter.drawEllipse(point, 5.0 if hot else 3.0, 5.0 if hot else 3.0)
        self.paint_count(pane, painter, self._next)


class BrushTool(OutlineTool):
    """A stroke of a round brush; the square brackets and Alt with the wheel change its size."""

    id, kind = "brush", "brush"
    options = OutlineTool.options | {"brush"}

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self._at: QPointF | None = None
        self._over: Pane | None = None

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Paint over splats; [ and ] or Alt and the wheel change the size")

    def grow(self, factor: float) -> None:
        """Make the brush larger or smaller."""
        radius = min(max(self.toolbox.options.brush * factor, 2.0), 400.0)
        self.toolbox.set_options(brush=radius)

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """The stroke begins."""
        self.begin(pane, event.position(), event.modifiers())
        self._at, self._over = event.position(), pane
        self.count()
        pane.update()
        return True

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """The stroke goes on."""
        self._at = event.position()
        step = max(2.0, 0.15 * self.toolbox.options.brush)
        if self.points and (self._at - self.points[-1]).manhattanLength() >= step:
            self.points.append(self._at)
            self.count()
        pane.update()

    def release(self, pane: Pane, event: QMouseEvent) -> None:
        """Pick what was painted over."""
        if self.points:
            self.finish()

    def hover(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The circle follows the pointer."""
        self._at, self._over = at, pane
        pane.update()

    def leave(self, pane: Pane) -> None:
        """No circle while the pointer is elsewhere."""
        self._at = self._over = None

    def wheel(self, pane: Pane, event: QWheelEvent) -> bool:
        """With Alt the size changes; Qt turns such a wheel sideways."""
        if not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return False
        turn = event.angleDelta().y() or event.angleDelta().x()
        self.grow(1.12 ** (turn / 120.0))
        return True

    def wants(self, key: int, modifiers: Qt.KeyboardModifier) -> bool:
        """The square brackets."""
        return key in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight)

    def key(self, pane: Pane, event: QKeyEvent) -> bool:
        """Smaller, larger."""
        if not self.wants(event.key(), event.modifiers()):
            return False
        self.grow(1.15 if event.key() == Qt.Key.Key_BracketRight else 1.0 / 1.15)
        return True

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """The stroke, the circle and the count."""
        radius = self.toolbox.options.brush
        tokens = pane.session.theme.tokens
        if pane is self.pane and self.points:
            veil = QColor(tokens.color("accent"))
            veil.setAlphaF(0.26)
            pen = QPen(veil, 2.0 * radius)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            stroke = QPainterPath(self.points[0])
            for point in self.points[1:]:
                stroke.lineTo(point)
            if len(self.points) == 1:
                stroke.lineTo(self.points[0] + QPointF(0.01, 0.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen)
            painter.drawPath(stroke)
        if pane is self._over and self._at is not None:
            halo, pen = halo_pens(pane, tokens.color("overlay"), 1.25)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for each in (halo, pen):
                painter.setPen(each)
                painter.drawEllipse(self._at, radius, radius)
            if self.busy:
                edge = QPointF(0.72 * radius, 0.72 * radius)
                self.paint_count(pane, painter, self._at + edge)


def _near(a: QPointF, b: QPointF) -> bool:
    return math.hypot(a.x() - b.x(), a.y() - b.y()) < 9.0
