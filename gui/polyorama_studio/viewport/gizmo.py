"""Gizmos: handles in three dimensions, drawn with a painter and grabbed with the pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen, QPolygonF

from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.readout import halo_pens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from PySide6.QtGui import QPainter

    from polyorama_studio.viewport.pane import Pane
    from polyorama_studio.viewport.space import Space
    from polyorama_studio.viewport.subject import Held

__all__ = ["AXIS_TOKENS", "MOVE", "ROTATE", "SCALE", "Gizmo", "Handle"]

AXIS_TOKENS = ("axis_x", "axis_y", "axis_z")
_GRAB = 7.0
_INNER, _OUTER = 0.26, 0.46
"""Where the plane handles lie, as shares of the arms."""
_SPIN = 1.2
_SEGMENTS = 72


@dataclass(frozen=True, slots=True)
class Handle:
    """Something to grab.

    Parameters
    ----------
    kind
        ``"axis"`` (an arm), ``"plane"``, ``"view"`` (all ways in the picture's plane), ``"ring"``,
        ``"spin"`` (a ring that faces the eye) or ``"uniform"`` (scales all).
    axis
        Which axis, 0 to 2, or the normal of a plane; -1 for none.
    """

    kind: str
    axis: int = -1


MOVE = (
    *(Handle("plane", a) for a in range(3)), *(Handle("axis", a) for a in range(3)),
    Handle("view"),
)  # fmt: skip
ROTATE = (*(Handle("ring", a) for a in range(3)), Handle("spin"))
SCALE = (
    *(Handle("plane", a) for a in range(3)), *(Handle("axis", a) for a in range(3)),
    Handle("uniform"),
)  # fmt: skip


class Gizmo:
    """The handles of one tool as they lie in one view.

    Parameters
    ----------
    space, held
        The view, and where the gizmo stands.
    handles
        Which there are, in the order in which they are drawn.
    boxes
        Arms end in boxes instead of arrows.
    size
        Of the gizmo, 1 being the usual one.
    """

    def __init__(
        self,
        space: Space,
        held: Held,
        handles: Iterable[Handle],
        *,
        boxes: bool = False,
        size: float = 1.0,
    ) -> None:
        self.space, self.held = space, held
        self.handles = tuple(handles)
        self._boxes = boxes
        self.middle = space.point(held.origin)
        self.reach = size * Metrics.gizmo_arm * space.unit_at(held.origin)
        self._towards = space.towards_eye(held.origin)

    def end(self, axis: int, share: float = 1.0) -> NDArray[np.float64]:
        """A world point on an arm, (3,)."""
        return np.asarray(self.held.origin + share * self.reach * self.held.axes[axis])

    def strength(self, handle: Handle) -> float:
        """How well a handle can be used from here, 0 to 1: arms that point at the eye cannot."""
        if handle.axis < 0:
            return 1.0
        facing = abs(float(self.held.axes[handle.axis] @ self._towards))
        if handle.kind == "axis":
            return float(np.interp(facing, [0.95, 0.99], [1.0, 0.0]))
        if handle.kind == "plane":
            return float(np.interp(facing, [0.12, 0.25], [0.0, 1.0]))
        return 1.0

    # Shapes

    def plane_quad(self, normal: int) -> QPolygonF | None:
        """The corners of a plane's handle."""
        a, b = self.held.axes[(normal + 1) % 3], self.held.axes[(normal + 2) % 3]
        corners = [
            self.held.origin + self.reach * (s * a + t * b)
            for s, t in ((_INNER, _INNER), (_OUTER, _INNER), (_OUTER, _OUTER), (_INNER, _OUTER))
        ]
        found = [self.space.point(corner) for corner in corners]
        return None if None in found else QPolygonF([p for p in found if p is not None])

    def ring(self, axis: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """World points of a ring, (n, 3), and which of them are on the near side."""
        if axis < 0:
            a, b = self.space.right, self.space.down
            radius = _SPIN * self.reach
        else:
            a, b = self.held.axes[(axis + 1) % 3], self.held.axes[(axis + 2) % 3]
            radius = self.reach
        turn = np.linspace(0.0, 2.0 * np.pi, _SEGMENTS + 1)[:, None]
        offsets = np.cos(turn) * a + np.sin(turn) * b
        return self.held.origin + radius * offsets, offsets @ self._towards >= -0.02

    # Grabbing

    def hit(self, at: QPointF) -> Handle | None:
        """The handle at a position, or None; those drawn last come first."""
        best, nearest = None, _GRAB
        for handle in reversed(self.handles):
            if self.strength(handle) < 0.2:
                continue
            away = self._distance(handle, at)
            # What is small counts a little nearer, so that it can be had among what is large.
            away -= 2.0 if handle.kind in ("view", "uniform") else 0.0
            if away < nearest:
                best, nearest = handle, away
        return best

    def _distance(self, handle: Handle, at: QPointF) -> float:
        if self.middle is None:
            return np.inf
        if handle.kind in ("view", "uniform"):
            return max(0.0, _length(at - self.middle) - Metrics.gizmo_hub)
        if handle.kind == "plane":
            quad = self.plane_quad(handle.axis)
            if quad is None:
                return np.inf
            inside = quad.containsPoint(at, Qt.FillRule.OddEvenFill)
            return 1.0 if inside else _to_lines(at, [*quad, quad[0]]) + 2.0
        if handle.kind == "axis":
            start, end = (
                self.space.point(self.end(handle.axis, 0.2)),
                self.space.point(self.end(handle.axis, 1.08)),
            )
            return np.inf if start is None or end is None else _to_lines(at, [start, end])
        points, near = self.ring(handle.axis)
        xy, _ = self.space.project(points)
        if not np.isfinite(xy).all():
            return np.inf
        lines = [QPointF(*p) for p in xy]
        if handle.kind == "spin":
            return _to_lines(at, lines) + 1.0
        return min(
            (_to_lines(at, lines[i : i + 2]) for i in range(_SEGMENTS) if near[i]), default=np.inf
        )

    # Painting

    def paint(
        self, pane: Pane, painter: QPainter, hot: Handle | None, grabbed: Handle | None
    ) -> None:
        """Draw all handles, or while one is grabbed that one alone with a guide."""
        if self.middle is None:
            return
        shown = self.handles if grabbed is None else (grabbed,)
        for handle in sorted(shown, key=self._depth):
            strength = self.strength(handle) if grabbed is None else 1.0
            if strength <= 0.0:
                continue
            painter.setOpacity(strength)
            color = self._color(pane, handle, handle in (hot, grabbed))
            if handle.kind == "axis":
                self._paint_axis(pane, painter, handle, color, grabbed is not None)
            elif handle.kind == "plane":
                self._paint_plane(pane, painter, handle, color, handle == hot)
            elif handle.kind in ("ring", "spin"):
                self._paint_ring(pane, painter, handle, color, handle in (hot, grabbed))
            else:
                self._paint_hub(pane, painter, handle, color, handle == hot)
            painter.setOpacity(1.0)

    def _depth(self, handle: Handle) -> tuple[int, float]:
        """Far things first; the hub last."""
        if handle.kind in ("view", "uniform"):
            return 2, 0.0
        if handle.kind in ("ring", "spin"):
            return (0 if handle.kind == "spin" else 1), 0.0
        if handle.kind == "plane":
            a, b = self.held.axes[(handle.axis + 1) % 3], self.held.axes[(handle.axis + 2) % 3]
            return 1, float((a + b) @ self._towards) * 0.36
        return 1, float(self.held.axes[handle.axis] @ self._towards)

    def _color(self, pane: Pane, handle: Handle, hot: bool) -> QColor:
        tokens = pane.session.theme.tokens
        if handle.axis < 0:
            return tokens.color("accent" if hot else "overlay")
        color = tokens.color(AXIS_TOKENS[handle.axis])
        return color.lighter(135) if hot else color

    def _paint_axis(
        self, pane: Pane, painter: QPainter, handle: Handle, color: QColor, guide: bool
    ) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if guide:
            axis = self.held.axes[handle.axis]
            far = 400.0 * self.reach * np.linspace(-1.0, 1.0, 3)[:, None]
            faint = QColor(color)
            faint.setAlphaF(0.55)
            painter.setPen(QPen(faint, 1.0))
            for line in self.space.polylines(self.held.origin + far * axis):
                painter.drawPolyline(line)
        start, tip = (
            self.space.point(self.end(handle.axis, 0.16)),
            self.space.point(self.end(handle.axis)),
        )
        head = self.space.point(self.end(handle.axis, 1.2))
        if start is None or tip is None or head is None:
            return
        halo, pen = halo_pens(pane, color, Metrics.gizmo_line)
        for each in (halo, pen):
            painter.setPen(each)
            painter.drawLine(start, tip)
        painter.setPen(QPen(pane.session.theme.tokens.color("halo"), 1.0))
        painter.setBrush(color)
        if self._boxes:
            side = Metrics.gizmo_box
            painter.drawRoundedRect(
                QRectF(tip.x() - side / 2, tip.y() - side / 2, side, side), 1.5, 1.5
            )
        else:
            painter.drawPath(_arrow(tip, head))

    def _paint_plane(
        self, pane: Pane, painter: QPainter, handle: Handle, color: QColor, hot: bool
    ) -> None:
        quad = self.plane_quad(handle.axis)
        if quad is None:
            return
        fill = QColor(color)
        fill.setAlphaF(0.62 if hot else 0.28)
        halo, pen = halo_pens(pane, color, 1.25)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(halo)
        painter.drawPolygon(quad)
        painter.setBrush(fill)
        painter.setPen(pen)
        painter.drawPolygon(quad)

    def _paint_ring(
        self, pane: Pane, painter: QPainter, handle: Handle, color: QColor, hot: bool
    ) -> None:
        points, near = self.ring(handle.axis)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        spin = handle.kind == "spin"
        width = Metrics.gizmo_line + 0.75 * hot if not spin else 1.25 + 0.75 * hot
        halo, pen = halo_pens(pane, color, width)
        faint = QColor(color)
        faint.setAlphaF(0.22)
        for visible in (True,) if spin else (False, True):
            wanted = np.ones_like(near) if spin else near == visible
            for run in _runs(wanted):
                for line in self.space.polylines(points[run]):
                    if visible:
                        painter.setPen(halo)
                        painter.drawPolyline(line)
                        painter.setPen(pen)
                    else:
                        painter.setPen(QPen(faint, 1.25))
                    painter.drawPolyline(line)

    def _paint_hub(
        self, pane: Pane, painter: QPainter, handle: Handle, color: QColor, hot: bool
    ) -> None:
        assert self.middle is not None
        radius = Metrics.gizmo_hub
        fill = QColor(color)
        fill.setAlphaF(0.9 if hot else 0.35)
        painter.setPen(QPen(pane.session.theme.tokens.color("halo"), 3.0))
        painter.setBrush(fill)
        box = QRectF(self.middle.x() - radius, self.middle.y() - radius, 2.0 * radius, 2.0 * radius)
        for pen in (painter.pen(), QPen(color, 1.25)):
            painter.setPen(pen)
            if handle.kind == "uniform":
                painter.drawRoundedRect(box, 2.0, 2.0)
            else:
                painter.drawEllipse(box)


def _runs(wanted: NDArray[np.bool_]) -> list[slice]:
    """Slices of neighbours that are wanted, each one point longer so that they meet."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(np.int8)))
    return [slice(int(a), int(b) + 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _arrow(tip: QPointF, head: QPointF) -> QPainterPath:
    """An arrow's head from `tip` towards `head`, of constant width."""
    along = head - tip
    length = max(_length(along), 1e-6)
    reach = min(length, 1.35 * Metrics.gizmo_head)
    forward = along / length
    side = QPointF(-forward.y(), forward.x()) * (0.5 * Metrics.gizmo_head)
    path = QPainterPath(tip + side)
    path.lineTo(tip + forward * reach)
    path.lineTo(tip - side)
    path.quadTo(tip + forward * (0.18 * reach), tip + side)
    return path


def _length(offset: QPointF) -> float:
    return float(np.hypot(offset.x(), offset.y()))


def _to_lines(at: QPointF, points: list[QPointF]) -> float:
    """Distance of a position from a line through points, pixels."""
    xy = np.array([(p.x(), p.y()) for p in points])
    a, b = xy[:-1], xy[1:]
    along = b - a
    square = np.maximum((along**2).sum(axis=1), 1e-12)
    here = np.array([at.x(), at.y()])
    share = np.clip(((here - a) * along).sum(axis=1) / square, 0.0, 1.0)
    return float(np.linalg.norm(here - a - share[:, None] * along, axis=1).min())
