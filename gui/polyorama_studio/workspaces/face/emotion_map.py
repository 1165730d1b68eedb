"""The map of emotions: sounds and motions as points; a path that is drawn keys emotions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.jobs import explain
from polyorama_studio.newest import Newest
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip
from polyorama_studio.workspaces.face.emotion_ground import DOT, painted_ground
from polyorama_studio.workspaces.face.scripts import with_emotion_key, with_emotion_path
from polyorama_studio.workspaces.face.works import EmotionPlan, Places

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from polyorama_studio.workspaces.face.desk import Desk

__all__ = ["EmotionMap", "along", "thin_path"]

_LEAST_STEP = 4.0
"""Pixels between two places of a path that is drawn."""
_KEYS_A_PATH = 12
_STEP = 0.02
"""An arrow key moves the place of the emotion so far."""
_RING = 5.0


def along(trail: NDArray[np.float32], share: float) -> tuple[float, float]:
    """The place at a share of the way along (T, 2) places."""
    place = min(max(share, 0.0), 1.0) * (len(trail) - 1)
    rows = np.arange(len(trail))
    x, y = (float(np.interp(place, rows, trail[:, k])) for k in range(2))
    return x, y


def thin_path(points: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """(count, 2) places along a path, as far apart as each other; fewer where it is short."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    count = int(min(count, max(2, len(points))))
    places = np.linspace(0.0, along[-1], count)
    return np.stack([np.interp(places, along, points[:, k]) for k in range(2)], 1).astype(
        np.float32
    )


@guards
class EmotionMap(QWidget):
    """A square of points; a click keys an emotion at the playhead, a drag keys a path."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("faceMap")
        self.session, self._desk = desk.session, desk
        self.setAccessibleName(self.tr("Map of emotions"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.CrossCursor)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setToolTip(tip(self.tr(
            "Sounds and faces that feel alike lie near each other\nClick to key an emotion at the "
            "playhead, draw a path to key a change\nscript.emotion_keys"
        )))  # fmt: skip
        self.plan: EmotionPlan | None = None
        self.trouble = ""
        """Why there is no map."""
        self.places: Places | None = None
        self.drawn: list[QPointF] = []
        self.cursor_place = (0.5, 0.5)
        self._ground: QPixmap | None = None
        self._asking = Newest(self.session, "place the face on the map", self)
        self._lifting = Newest(self.session, "lift the path from the map", self)
        desk.performed.connect(self._on_performed)
        desk.live_changed.connect(self.update)
        self.session.playback.time_changed.connect(self._on_time)
        self.session.theme.changed.connect(self._repaint)

    def sizeHint(self) -> QSize:
        """Nearly a square."""
        wide = Metrics.face_side - 2 * Metrics.space[2]
        return QSize(wide, self.heightForWidth(wide))

    def hasHeightForWidth(self) -> bool:
        """It keeps its shape."""
        return True

    def heightForWidth(self, width: int) -> int:
        """A little wider than high."""
        return round(0.78 * width)

    # What is there

    def load(self) -> None:
        """Ask for the map."""
        if self.plan is None and not self._asking.busy:
            self._asking.ask(self._desk.works.plan, self._on_plan, self._on_no_plan)

    def _on_plan(self, plan: EmotionPlan) -> None:
        self.plan = plan
        self._repaint()
        self._on_performed()

    def _on_no_plan(self, error: BaseException) -> None:
        self.plan = EmotionPlan()
        self.trouble = explain(error)
        self._repaint()

    @Slot()
    def _on_performed(self) -> None:
        take = self._desk.take
        if take is None or self.plan is None or not len(self.plan.points):
            self.places = None
            if self.plan is not None:
                self._asking.forget()
            self.update()
            return
        self._asking.ask(
            partial(self._desk.works.placed, self._desk.script, take), self._on_places,
            self.session.report,
        )  # fmt: skip

    def _on_places(self, places: Places) -> None:
        self.places = places
        self.update()

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        if self.places is not None and self.isVisible():
            self.update()

    @Slot()
    def _repaint(self) -> None:
        self._ground = None
        self.update()

    # Places

    @property
    def box(self) -> QRectF:
        """Where the map is."""
        return QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)

    def at(self, point: tuple[float, float] | NDArray[np.float32]) -> QPointF:
        """Where a place of the map is, logical pixels."""
        box, edge = self.box, float(Metrics.space[2])
        x = box.left() + edge + float(point[0]) * (box.width() - 2.0 * edge)
        y = box.top() + edge + float(point[1]) * (box.height() - 2.0 * edge)
        return QPointF(x, y)

    def _place(self, at: QPointF) -> tuple[float, float]:
        box, edge = self.box, float(Metrics.space[2])
        x = (at.x() - box.left() - edge) / (box.width() - 2.0 * edge)
        y = (at.y() - box.top() - edge) / (box.height() - 2.0 * edge)
        return min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)

    # The hand

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a path."""
        if event.button() == Qt.MouseButton.LeftButton and self._ready:
            self.drawn = [event.position()]
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw on."""
        if self.drawn:
            step = event.position() - self.drawn[-1]
            if abs(step.x()) + abs(step.y()) >= _LEAST_STEP:
                self.drawn.append(event.position())
                self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Key what was drawn, or the one place that was clicked."""
        path, self.drawn = self.drawn, []
        if path:
            self.key_path(np.array([self._place(at) for at in path], np.float32))
        self.update()

    @property
    def _ready(self) -> bool:
        return self.plan is not None and len(self.plan.points) > 0 and self._desk.speaks

    def key_path(self, points: NDArray[np.float32]) -> None:
        """Key emotions along (N, 2) places from the playhead on; one place keys one."""
        if not self._ready:
            return
        desk = self._desk
        time = max(desk.time, 0.0)
        if len(points) == 1:
            times = [time]
        else:
            first = time if time < 0.9 * desk.seconds else 0.0
            points = thin_path(points, _KEYS_A_PATH)
            times = np.linspace(first, desk.seconds, len(points)).tolist()
        self.cursor_place = (float(points[-1, 0]), float(points[-1, 1]))
        self._lifting.ask(
            partial(desk.works.weights_at, points), partial(self._on_lifted, times),
            self.session.report,
        )  # fmt: skip

    def _on_lifted(self, times: list[float], weights: NDArray[np.float32]) -> None:
        desk = self._desk
        if len(times) == 1:
            script = with_emotion_key(desk.script, times[0], weights[0].tolist())
            desk.edit(self.tr("Key an emotion"), script)
        else:
            script = with_emotion_path(desk.script, times, weights)
            desk.edit(self.tr("Draw a path of emotions"), script)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows move a cross-hair, Enter keys what lies there."""
        x, y = self.cursor_place
        step = {
            Qt.Key.Key_Left: (-_STEP, 0.0), Qt.Key.Key_Right: (_STEP, 0.0),
            Qt.Key.Key_Up: (0.0, -_STEP), Qt.Key.Key_Down: (0.0, _STEP),
        }.get(Qt.Key(event.key()))  # fmt: skip
        if step is not None:
            self.cursor_place = (min(max(x + step[0], 0.0), 1.0), min(max(y + step[1], 0.0), 1.0))
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.key_path(np.array([self.cursor_place], np.float32))
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QEvent) -> None:
        """Show the cross-hair."""
        self.update()

    def focusOutEvent(self, event: QEvent) -> None:
        """Hide the cross-hair."""
        self.update()

    # Painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The ground is painted anew."""
        self._ground = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Regions, points, the trail, the playhead's place, what is drawn."""
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._ground is None:
            self._ground = painted_ground(self)
        painter.drawPixmap(0, 0, self._ground)
        clip = QPainterPath()
        clip.addRoundedRect(self.box, Metrics.card_corner, Metrics.card_corner)
        painter.setClipPath(clip)
        self._paint_trail(painter)
        if len(self.drawn) > 1:
            path = QPainterPath(self.drawn[0])
            for at in self.drawn[1:]:
                path.lineTo(at)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(tokens.color("accent"), 2.0, c=Qt.PenCapStyle.RoundCap))
            painter.drawPath(path)
        painter.setClipping(False)
        if self.hasFocus():
            at = self.at(self.cursor_place)
            painter.setPen(QPen(tokens.color("text"), 1.0))
            for dx, dy in ((6.0, 0.0), (0.0, 6.0)):
                painter.drawLine(at - QPointF(dx, dy), at + QPointF(dx, dy))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(tokens.color("accent"))
            painter.drawRoundedRect(self.box, Metrics.card_corner, Metrics.card_corner)
        painter.end()

    def _paint_trail(self, painter: QPainter) -> None:
        places, tokens = self.places, self.session.theme.tokens
        if places is None or not len(places.trail):
            return
        color = tokens.color("text")
        color.setAlphaF(0.35)
        for points, motion in ((places.sound, False), (places.motion, True)):
            painter.setPen(QPen(color, 1.0) if motion else Qt.PenStyle.NoPen)
            painter.setBrush(Qt.BrushStyle.NoBrush if motion else color)
            for point in points:
                painter.drawEllipse(self.at(point), DOT, DOT)
        path = QPainterPath(self.at(places.trail[0]))
        for point in places.trail[1:]:
            path.lineTo(self.at(point))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        color = tokens.color("accent")
        color.setAlphaF(0.6)
        painter.setPen(QPen(color, 1.5, j=Qt.PenJoinStyle.RoundJoin))
        painter.drawPath(path)
        share = self._desk.time / max(self._desk.seconds, 1e-6)
        painter.setPen(QPen(tokens.color("panel"), 2.0))
        painter.setBrush(tokens.color("accent"))
        painter.drawEllipse(self.at(along(places.trail, share)), _RING, _RING)
