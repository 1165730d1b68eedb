"""The view cube: which way is up, front and right; a click looks from there, a drag turns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt, Slot
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QTransform,
)
from PySide6.QtWidgets import QWidget

from polyorama.scene.framing import horizon
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama_studio.session import Session
    from polyorama_studio.stage import Stage

__all__ = ["ViewCube"]

_INNER = 0.58
"""Where a face ends and its edges begin; from the middle to the edge is 1."""
_DEGREES_PER_PIXEL = 0.9
_AXES = (("axis_x", "X"), ("axis_y", "Y"), ("axis_z", "Z"))
_AXIS_OUT, _AXIS_BEYOND = 1.1, 0.3
"""How far outside the cube its axes lie, and how far they go beyond its edges."""
_BANDS = ((-1.0, -_INNER, -1), (-_INNER, _INNER, 0), (_INNER, 1.0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Face:
    """One side: its words, outward normal, and the directions to its right and top, (3,) each."""

    text: str
    normal: NDArray[np.float64]
    right: NDArray[np.float64]
    top: NDArray[np.float64]

    def at(self, x: float, y: float) -> NDArray[np.float64]:
        """A point of the face, (3,), where x and y go from -1 to 1."""
        return self.normal + x * self.right + y * self.top


@guards
class ViewCube(QWidget):
    """Shows a stage's directions; faces, edges and corners can be clicked."""

    def __init__(self, session: Session, stage: Stage, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._stage = stage
        self._hovered: tuple[int, ...] | None = None
        self._pressed: QPointF | None = None
        self._turning = False
        self._faces: tuple[object, list[_Face]] = (None, [])
        self._words: dict[str, QPainterPath] = {}
        self.setFixedSize(Metrics.gizmo, Metrics.gizmo)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(self.tr("Click a face, an edge or a corner to look from there"))
        self.setAccessibleName(self.tr("View cube"))
        # With the picture, not before it: what is seen is one thing.
        stage.picture_ready.connect(self._on_picture)
        session.theme.changed.connect(self.update)

    @Slot(object)
    def _on_picture(self, picture: object) -> None:
        self.update()

    # Where things are

    def faces(self) -> list[_Face]:
        """The six sides in the world."""
        up_now = self._stage.view.up
        if self._faces[0] != up_now:
            self._faces = (up_now, self._made_faces(np.asarray(up_now, np.float64)))
        return self._faces[1]

    def _made_faces(self, up: NDArray[np.float64]) -> list[_Face]:
        up = up / np.linalg.norm(up)
        front, side = horizon(up)
        return [
            _Face(self.tr("Front"), front, side, up),
            _Face(self.tr("Back"), -front, -side, up),
            _Face(self.tr("Right"), side, -front, up),
            _Face(self.tr("Left"), -side, front, up),
            _Face(self.tr("Top"), up, side, -front),
            _Face(self.tr("Bottom"), -up, side, front),
        ]

    def _turned(self) -> NDArray[np.float64]:
        """(3, 3): right, up and towards the eye, as rows."""
        picture = self._stage.picture
        camera = self._stage.camera(4, 4) if picture is None else picture.request.camera
        rows = camera.viewmat[:3, :3]
        return rows * np.array([[1.0], [-1.0], [-1.0]])

    def _scale(self) -> float:
        return self.width() / 2.0 / 2.05

    def _place(self, point: NDArray[np.float64], turned: NDArray[np.float64]) -> QPointF:
        x, y, z = turned @ point
        # A breath of perspective: without it a cube seen from its corner may look inside out.
        scale = self._scale() / (1.0 - 0.09 * z)
        middle = self.width() / 2.0
        return QPointF(middle + scale * x, middle - scale * y)

    def _cell(
        self, face: _Face, x: tuple[float, ...], y: tuple[float, ...], turned: NDArray[np.float64]
    ) -> QPolygonF:
        corners = ((x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1]))
        return QPolygonF([self._place(face.at(a, b), turned) for a, b in corners])

    def _facing(self, face: _Face, turned: NDArray[np.float64]) -> float:
        return float(turned[2] @ face.normal)

    def _cells(self) -> list[tuple[_Face, tuple[int, ...], QPolygonF]]:
        """What can be clicked on the sides that are seen, and the direction each stands for.

        Directions are told apart by how far they go along front, side and up, -1 to 1 each.
        """
        turned = self._turned()
        faces = self.faces()
        basis = np.stack([faces[0].normal, faces[2].normal, faces[4].normal])
        found = []
        for face in faces:
            if self._facing(face, turned) <= 0.02:
                continue
            for x0, x1, i in _BANDS:
                for y0, y1, j in _BANDS:
                    toward = np.rint(basis @ (face.normal + i * face.right + j * face.top))
                    name = tuple(int(v) for v in toward)
                    found.append((face, name, self._cell(face, (x0, x1), (y0, y1), turned)))
        return found

    def hit(self, at: QPointF) -> tuple[int, ...] | None:
        """What is at a position: how far it lies along front, side and up."""
        for _, name, cell in self._cells():
            if cell.containsPoint(at, Qt.FillRule.OddEvenFill):
                return name
        return None

    def direction(self, name: tuple[int, ...]) -> NDArray[np.float64]:
        """The world direction from the middle to what was hit, (3,)."""
        faces = self.faces()
        basis = np.stack([faces[0].normal, faces[2].normal, faces[4].normal])
        return np.asarray(np.asarray(name, np.float64) @ basis)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """The world's axes that lie behind the cube, the cube, those before it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        turned = self._turned()
        axes = [self._axis(axis, turned) for axis in range(3)]
        for axis, (start, end, before) in enumerate(axes):
            if not before:
                self._paint_axis(painter, axis, start, end)
        self._paint_cube(painter, turned)
        for axis, (start, end, before) in enumerate(axes):
            if before:
                self._paint_axis(painter, axis, start, end)
        painter.end()

    def _axis(self, axis: int, turned: NDArray[np.float64]) -> tuple[QPointF, QPointF, bool]:
        """An edge of the cube along one of the world's axes: its ends, and whether it is seen.

        The three edges meet in the corner from which all axes go along the cube.
        """
        faces = self.faces()
        basis = np.stack([faces[0].normal, faces[2].normal, faces[4].normal])
        along = np.rint(basis)  # the cube's own axes nearest to the world's
        if np.abs(along).sum() != 3.0:
            along = np.eye(3)[np.abs(basis).argmax(axis=1)] * np.sign(basis)
        corner = -along.sum(axis=1) @ basis
        ahead = along[:, axis] @ basis
        seen = any(
            self._facing(face, turned) > 0.02
            for face in faces
            if abs(face.normal @ ahead) < 0.5 and face.normal @ corner > 0.5
        )
        out = _AXIS_OUT * corner
        return (
            self._place(out, turned),
            self._place(out + (2.0 * _AXIS_OUT + _AXIS_BEYOND) * ahead, turned),
            seen,
        )

    def _paint_cube(self, painter: QPainter, turned: NDArray[np.float64]) -> None:
        tokens = self._session.theme.tokens
        edge = tokens.color("quiet")
        edge.setAlphaF(0.7)
        cells = [] if self._hovered is None else self._cells()
        for face in self.faces():
            facing = self._facing(face, turned)
            if facing <= 0.0:
                continue
            quad = self._cell(face, (-1.0, 1.0), (-1.0, 1.0), turned)
            ground = _mixed(tokens.color("panel"), tokens.color("line"), 0.15 + 0.85 * facing)
            ground.setAlphaF(0.96)
            painter.setPen(QPen(edge, 1.0, j=Qt.PenJoinStyle.RoundJoin))
            painter.setBrush(ground)
            painter.drawPolygon(quad)
            for of_face, name, cell in cells:
                if name == self._hovered and of_face.text == face.text:
                    glow = tokens.color("accent")
                    glow.setAlphaF(0.55)
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(glow)
                    painter.drawPolygon(cell)
            self._paint_words(painter, face, quad, facing)

    def _paint_words(self, painter: QPainter, face: _Face, quad: QPolygonF, facing: float) -> None:
        """The side's name, lying on it."""
        side = 100.0
        flat = QPolygonF([QPointF(0, side), QPointF(side, side), QPointF(side, 0), QPointF(0, 0)])
        onto = QTransform()
        if not QTransform.quadToQuad(flat, quad, onto):
            return
        path = self._words.get(face.text)
        if path is None:
            chosen = font(Metrics.start, medium=True)
            metrics = QFontMetricsF(chosen)
            width = metrics.horizontalAdvance(face.text)
            at = QPointF((side - width) / 2.0, (side + metrics.capHeight()) / 2.0)
            path = self._words[face.text] = QPainterPath()
            path.addText(at, chosen, face.text)
        color = self._session.theme.tokens.color("text")
        color.setAlphaF(float(np.interp(facing, [0.15, 0.5], [0.0, 1.0])))
        painter.save()
        painter.setTransform(onto, True)
        painter.fillPath(path, color)
        painter.restore()

    def _paint_axis(self, painter: QPainter, axis: int, start: QPointF, end: QPointF) -> None:
        tokens = self._session.theme.tokens
        token, letter = _AXES[axis]
        color = tokens.color(token)
        for pen in (QPen(tokens.color("halo"), 4.0), QPen(color, 2.0)):
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLine(start, end)
        step = end - start
        length = math.hypot(step.x(), step.y())
        if length < 12.0:
            return  # it points at the eye
        chosen = font(Metrics.label, medium=True)
        metrics = QFontMetricsF(chosen)
        at = end + step / length * 7.0
        path = QPainterPath()
        path.addText(
            at - QPointF(metrics.horizontalAdvance(letter) / 2.0, -metrics.capHeight() / 2.0),
            chosen, letter,
        )  # fmt: skip
        halo = QPen(tokens.color("halo"), 3.0, j=Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(path, halo)
        painter.fillPath(path, color)

    # The pointer

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light up what would be clicked, or turn the view."""
        at = event.position()
        if self._pressed is not None:
            step = at - self._pressed
            if not self._turning and math.hypot(step.x(), step.y()) < 4.0:
                return
            if not self._turning:
                self._turning = True
                self._stage.hold()
            self._pressed = at
            view = self._stage.view.orbited(
                -step.x() * _DEGREES_PER_PIXEL, step.y() * _DEGREES_PER_PIXEL
            )
            self._stage.set_view(view)
            return
        hovered = self.hit(at)
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()

    def leaveEvent(self, event) -> None:
        """Put the light out."""
        self._hovered = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin; presses beside the cube go to the picture."""
        if event.button() != Qt.MouseButton.LeftButton or self.hit(event.position()) is None:
            event.ignore()
            return
        self._pressed = event.position()
        self._turning = False

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Look from what was clicked."""
        if self._pressed is None:
            event.ignore()
            return
        pressed, self._pressed = self._pressed, None
        if self._turning:
            self._turning = False
            self._stage.release()
            return
        hit = self.hit(pressed)
        if hit is not None:
            self._stage.look_along(-self.direction(hit))


def _mixed(a: QColor, b: QColor, share: float) -> QColor:
    return QColor.fromRgbF(
        *(x + share * (y - x) for x, y in zip(a.getRgbF()[:3], b.getRgbF()[:3], strict=True))
    )
