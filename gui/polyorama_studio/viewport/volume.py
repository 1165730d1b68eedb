"""Volumes in the world as wireframes: boxes, spheres, ellipsoids, planes; grips on their faces."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPen

from polyorama_studio.viewport.readout import halo_pens
from polyorama_studio.viewport.space import length_along

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QPainter

    from polyorama_studio.viewport.pane import Pane
    from polyorama_studio.viewport.space import Space

__all__ = ["Grip", "Volume"]

Grip = tuple[int, int]
"""Axis 0 to 2 and side -1 or 1 of a face."""

_GRAB = 9.0
_SEGMENTS = 64
_LEAST = 1e-6
_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_EDGES = (
    (0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7),
)  # fmt: skip


class Volume:
    """A shape that fills the unit cube of its own space, and where that lies.

    Parameters
    ----------
    shape
        ``"box"``, ``"sphere"``, ``"ellipsoid"`` or ``"plane"`` (y = 0, keeps what is below).
    matrix
        (4, 4) float64, own space to world.
    """

    def __init__(self, shape: str, matrix: NDArray[np.float64]) -> None:
        self.shape = shape
        self.matrix = np.asarray(matrix, np.float64)

    @property
    def center(self) -> NDArray[np.float64]:
        """(3,) world."""
        return self.matrix[:3, 3]

    def _world(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return points @ self.matrix[:3, :3].T + self.matrix[:3, 3]

    def lines(self, space: Space) -> list[tuple[NDArray[np.float64], bool]]:
        """World lines (n, 3), and whether each is a main one."""
        if self.shape == "box":
            corners = self._world(_CORNERS)
            return [(corners[[a, b]], True) for a, b in _EDGES]
        if self.shape == "plane":
            return self._plane_lines()
        turn = np.linspace(0.0, 2.0 * np.pi, _SEGMENTS + 1)
        found = [(self._world(self._silhouette(space, turn)), True)]
        for axis in range(3):
            ring = np.zeros((len(turn), 3))
            ring[:, (axis + 1) % 3], ring[:, (axis + 2) % 3] = np.cos(turn) / 2, np.sin(turn) / 2
            found.append((self._world(ring), False))
        return found

    def _plane_lines(self) -> list[tuple[NDArray[np.float64], bool]]:
        found = []
        for share in np.linspace(-0.5, 0.5, 5):
            edge = abs(share) == 0.5
            across = np.array([[-0.5, 0.0, share], [0.5, 0.0, share]])
            found.append((self._world(across), edge))
            found.append((self._world(across[:, ::-1]), edge))
        found.append((self._world(np.array([[0.0, 0.0, 0.0], [0.0, -0.25, 0.0]])), True))
        return found

    def _silhouette(self, space: Space, turn: NDArray[np.float64]) -> NDArray[np.float64]:
        """The edge of the sphere of radius 0.5 as it is seen, in its own space."""
        try:
            inverse = np.linalg.inv(self.matrix)
        except np.linalg.LinAlgError:  # scaled to nothing, it has no edge
            return np.zeros((0, 3))
        if space.parallel:
            away = inverse[:3, :3] @ -space.forward
            middle, radius = np.zeros(3), 0.5
        else:
            away = inverse[:3, :3] @ space.eye + inverse[:3, 3]
            square = float(away @ away)
            if square <= 0.2501:
                return np.zeros((0, 3))
            middle, radius = away * 0.25 / square, math.sqrt(0.25 - 0.0625 / square)
        away = away / np.linalg.norm(away)
        side = np.cross(away, np.eye(3)[int(np.abs(away).argmin())])
        side /= np.linalg.norm(side)
        other = np.cross(away, side)
        return middle + radius * (np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * other)

    # Grips

    def grips(self) -> list[tuple[Grip, NDArray[np.float64]]]:
        """Faces that can be dragged, each with a world point (3,) in its middle."""
        if self.shape == "plane":
            return [((1, 1), self.center)]
        found = []
        for axis in range(3):
            for side in (-1, 1):
                place = np.zeros((1, 3))
                place[0, axis] = 0.5 * side
                found.append(((axis, side), self._world(place)[0]))
        return found

    def hit(self, space: Space, at: QPointF) -> Grip | None:
        """The grip at a position; of several the nearest to the eye."""
        best, nearest = None, np.inf
        for grip, place in self.grips():
            seen = space.point(place)
            if seen is not None and math.hypot(*(seen - at).toTuple()) < _GRAB:
                depth = space.depth_of(place)
                if depth < nearest:
                    best, nearest = grip, depth
        return best

    def dragged(
        self, grip: Grip, space: Space, start: QPointF, now: QPointF, *, both: bool = False
    ) -> Volume:
        """The volume after a face was dragged; the opposite one stays, or goes the other way."""
        axis, side = grip
        column = self.matrix[:3, axis]
        length = float(np.linalg.norm(column))
        along = column / max(length, 1e-12)
        places = [length_along(*space.ray(p.x(), p.y()), self.center, along) for p in (start, now)]
        if places[0] is None or places[1] is None:
            return self
        step = places[1] - places[0]
        matrix = self.matrix.copy()
        if self.shape == "plane":
            matrix[:3, 3] += step * along
        elif self.shape == "sphere":
            matrix[:3, :3] *= max(length + 2.0 * side * step, _LEAST) / length
        elif both:
            matrix[:3, axis] = along * max(length + 2.0 * side * step, _LEAST)
        else:
            fresh = max(length + side * step, _LEAST)
            matrix[:3, axis] = along * fresh
            matrix[:3, 3] += side * (fresh - length) / 2.0 * along
        return Volume(self.shape, matrix)

    # Painting

    def paint_thin(self, pane: Pane, painter: QPainter, *, active: bool) -> None:
        """The main lines alone, thin, as of what belongs to another volume."""
        color = QColor(pane.session.theme.tokens.color("accent" if active else "overlay"))
        color.setAlphaF(0.7)
        space = pane.space()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, 1.0))
        for points, main in self.lines(space):
            if main:
                for line in space.polylines(points):
                    painter.drawPolyline(line)

    def paint(
        self, pane: Pane, painter: QPainter, *, active: bool, hot: Grip | None = None
    ) -> None:
        """The wireframe, and the grips of the active one."""
        space = pane.space()
        tokens = pane.session.theme.tokens
        color = tokens.color("accent" if active else "overlay")
        painter.setBrush(Qt.BrushStyle.NoBrush)
        halo, pen = halo_pens(pane, color, 1.5 if active else 1.25)
        faint = QColor(color)
        faint.setAlphaF(0.38)
        for points, main in self.lines(space):
            for line in space.polylines(points):
                if main:
                    painter.setPen(halo)
                    painter.drawPolyline(line)
                    painter.setPen(pen)
                else:
                    painter.setPen(QPen(faint, 1.0))
                painter.drawPolyline(line)
        if not active:
            return
        for grip, place in self.grips():
            seen = space.point(place)
            if seen is None:
                continue
            token = ("axis_x", "axis_y", "axis_z")[grip[0]]
            painter.setPen(QPen(tokens.color("stage"), 1.5))
            painter.setBrush(tokens.color("accent" if grip == hot else token))
            radius = 6.0 if grip == hot else 4.5
            painter.drawEllipse(seen, radius, radius)
