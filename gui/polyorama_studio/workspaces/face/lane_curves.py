"""The chosen channels as curves, and their keys, which are dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen, QPolygonF

from polyorama.scene.faces.channels import CHANNEL_INDEX, HEAD, region_of
from polyorama_studio.theme import Metrics, font
from polyorama_studio.timeline.glyphs import dashes, series_token
from polyorama_studio.workspaces.face.lane import Lane, snapped
from polyorama_studio.workspaces.face.scripts import SAME, moved_key, with_key, without_key
from polyorama_studio.workspaces.face.tints import channel_title, region_title

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter

    from polyorama.scene.faces.script import FaceScript
    from polyorama_studio.workspaces.face.score import Score

__all__ = ["CurveLane"]

_KEY = 4.0
_NEAR = 8.0
_LEAST, _MOST = -0.08, 1.08
_TURN = 0.8
_NUDGE_S, _NUDGE = 1.0 / 60.0, 0.02


class CurveLane(Lane):
    """Curves share the height; a double click keys the nearest one."""

    high = 0.0

    def __init__(self, score: Score) -> None:
        super().__init__(score)
        self.title = score.tr("Curves")
        self.current: tuple[str, float] | None = None
        """Channel and time of the chosen key."""
        self._held: tuple[str, float] | None = None
        self._before: FaceScript | None = None

    # Places

    def _y(self, channel: str, value: float) -> float:
        return float(self._ys(channel, np.float64(value)))

    def _ys(self, channel: str, values: NDArray[np.float64] | np.float64) -> Any:
        share = (values / _TURN + 1.0) / 2.0 if channel in HEAD else values
        inside = self.box.adjusted(0.0, 3.0, 0.0, -3.0)
        return inside.bottom() - (share - _LEAST) / (_MOST - _LEAST) * inside.height()

    def _value(self, channel: str, y: float) -> float:
        inside = self.box.adjusted(0.0, 3.0, 0.0, -3.0)
        share = _LEAST + (inside.bottom() - y) / inside.height() * (_MOST - _LEAST)
        if channel in HEAD:
            return float(np.clip((2.0 * share - 1.0) * _TURN, -_TURN, _TURN))
        return float(np.clip(share, 0.0, 1.0))

    def _color(self, number: int) -> QColor:
        return self.tokens.color(series_token(number))

    def _keys(self) -> list[tuple[str, float, float]]:
        chosen = self.desk.chosen
        return [
            (keys.channel, t, v)
            for keys in self.desk.script.keys if keys.channel in chosen
            for t, v in zip(keys.times, keys.values, strict=True)
        ]  # fmt: skip

    # Painting

    def paint_name(self, painter: QPainter, room: QRectF) -> None:
        """The channels, each with its dash."""
        chosen = self.desk.chosen
        painter.setFont(font(Metrics.label - 1))
        high = float(Metrics.label) + 4.0
        most = max(int(room.height() / high), 1)
        if not chosen:
            painter.setPen(self.tokens.color("quiet"))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self.title)
            return
        top = room.top() + max(0.0, (room.height() - high * min(len(chosen), most)) / 2.0)
        for number, channel in enumerate(chosen[:most]):
            line = QRectF(room.left(), top + number * high, room.width(), high)
            pen = QPen(self._color(number), 2.0)
            painter.setPen(pen)
            painter.drawLine(QPointF(line.left(), line.center().y()),
                             QPointF(line.left() + 6.0, line.center().y()))  # fmt: skip
            words = line.adjusted(10.0, 0.0, 0.0, 0.0)
            title = channel_title(channel)
            if channel_title(channel, whole=True) != title and len(chosen) > 1:
                title = channel_title(channel, whole=True)
            painter.setPen(self.tokens.color("quiet"))
            title = painter.fontMetrics().elidedText(
                title, Qt.TextElideMode.ElideRight, int(words.width())
            )
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, title)

    def paint(self, painter: QPainter) -> None:
        """A quiet grid, the curves, the keys."""
        tokens, axis, box = self.tokens, self.score.axis, self.box
        painter.fillRect(box, tokens.color("ground"))
        painter.setPen(QPen(tokens.color("line"), 1.0, Qt.PenStyle.DotLine))
        for value in (0.0, 0.5, 1.0):
            y = round(self._y("jawOpen", value)) + 0.5
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        performance = self.desk.performance
        if performance is None:
            return
        left, right = max(axis.x(0.0), box.left()), min(axis.x(performance.seconds), box.right())
        if right <= left:
            return
        xs = np.linspace(left, right, max(int(right - left), 2))
        rows = np.linspace(axis.seconds(left), axis.seconds(right), len(xs)) * performance.fps
        index = np.arange(len(performance.weights))
        faint = QPen(tokens.color("quiet"), 1.0)
        for number, channel in enumerate(self.desk.chosen):
            values = np.interp(rows, index, performance.weights[:, CHANNEL_INDEX[channel]])
            line = [*map(QPointF, xs.tolist(), self._ys(channel, values).tolist())]
            pen = QPen(self._color(number), 1.5, j=Qt.PenJoinStyle.RoundJoin)
            pattern = dashes(number)
            if pattern:
                pen.setDashPattern(list(pattern))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            solo = self.desk.solo
            painter.setPen(faint if solo and region_of(channel) not in solo else pen)
            painter.drawPolyline(QPolygonF(line))
        for channel, time, value in self._keys():
            self._paint_key(painter, channel, time, value)

    def _paint_key(self, painter: QPainter, channel: str, time: float, value: float) -> None:
        number = self.desk.chosen.index(channel)
        at = QPointF(self.score.axis.x(time), self._y(channel, value))
        chosen = self.current is not None and self.current[0] == channel and (
            abs(self.current[1] - time) < SAME
        )  # fmt: skip
        painter.save()
        painter.translate(at)
        painter.rotate(45.0)
        painter.setPen(QPen(self.tokens.color("panel"), 1.5))
        painter.setBrush(self.tokens.color("accent") if chosen else self._color(number))
        side = 1.6 * _KEY
        painter.drawRect(QRectF(-side / 2.0, -side / 2.0, side, side))
        painter.restore()

    # The hand

    def _key_at(self, at: QPointF) -> tuple[str, float, float] | None:
        def far(key: tuple[str, float, float]) -> float:
            dx = self.score.axis.x(key[1]) - at.x()
            dy = self._y(key[0], key[2]) - at.y()
            return float(np.hypot(dx, dy))

        near = [key for key in self._keys() if far(key) <= _NEAR]
        return min(near, key=far, default=None)

    def _curve_at(self, at: QPointF) -> str:
        """The chosen channel whose curve is nearest to a place."""
        performance, chosen = self.desk.performance, self.desk.chosen
        if performance is None or not chosen:
            return ""
        row = performance.at(self.score.axis.seconds(at.x()))
        return min(chosen, key=lambda c: abs(self._y(c, float(row[CHANNEL_INDEX[c]])) - at.y()))

    def cursor(self, at: QPointF) -> Qt.CursorShape:
        """Keys can be dragged."""
        return Qt.CursorShape.SizeAllCursor if self._key_at(at) else Qt.CursorShape.ArrowCursor

    def words(self, at: QPointF) -> str:
        """The nearest curve and its value."""
        channel, performance = self._curve_at(at), self.desk.performance
        if not channel or performance is None:
            return self.score.tr("Choose channels at the right to see their curves")
        row = performance.at(self.score.axis.seconds(at.x()))
        value = float(row[CHANNEL_INDEX[channel]])
        text = self.score.tr(
            "{0}, {1}\n{2}\nDouble click to key it here, drag keys, Delete removes"
        )
        region = region_title(region_of(channel))
        return text.format(channel_title(channel, whole=True), region, f"{channel} {value:.3f}")

    def press(self, event: QMouseEvent) -> bool:
        """Take a key, or go there."""
        found = self._key_at(event.position())
        self._held = None if found is None else found[:2]
        self.current = self._held
        self.score.repaint_lanes()
        if self._held is None:
            self.score.seek(self.score.axis.seconds(event.position().x()))
            return False
        self._before = self.desk.script
        self.desk.begin(self.score.tr("Move a key"))
        return True

    def move(self, event: QMouseEvent) -> None:
        """Another time and value; with Shift the value alone."""
        if self._held is None or self._before is None:
            return
        channel, before = self._held
        time = before
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            time = snapped(
                self.score, self.score.axis.seconds(event.position().x()), [before, self.desk.time]
            )
            time = min(max(time, 0.0), self.desk.seconds)
        value = round(self._value(channel, event.position().y()), 3)
        self.current = (channel, time)
        self.desk.put(moved_key(self._before, channel, before, time, value))

    def release(self) -> None:
        """One step."""
        if self._held is not None and self.current is not None:
            self._held = self._before = None
            self.desk.end()

    def cancel(self) -> None:
        """As it was."""
        if self._held is not None:
            self.current = self._held
            self._held = self._before = None
            self.desk.cancel()

    def double(self, event: QMouseEvent) -> None:
        """Key the nearest curve where the pointer is."""
        channel = self._curve_at(event.position())
        time = self.score.axis.seconds(event.position().x())
        if channel and 0.0 <= time <= self.desk.seconds:
            value = round(self._value(channel, event.position().y()), 3)
            self._set(channel, round(time, 3), value)

    def _set(self, channel: str, time: float, value: float) -> None:
        self.current = (channel, time)
        title = self.score.tr("Key {0}").format(channel_title(channel, whole=True))
        script = with_key(self.desk.script, channel, time, value)
        self.desk.edit(title, script)

    # Keys

    def step(self, by: int) -> bool:
        """The next key by time."""
        keys = sorted(self._keys(), key=lambda k: k[1])
        if not keys:
            return False
        places = [(channel, time) for channel, time, _ in keys]
        at = places.index(self.current) + by if self.current in places else 0
        self.current = places[min(max(at, 0), len(places) - 1)]
        self.score.seek(self.current[1])
        return True

    def key(self, event: QKeyEvent) -> bool:
        """K keys the first curve at the playhead, Delete removes, Alt and arrows move."""
        key, desk = Qt.Key(event.key()), self.desk
        if key == Qt.Key.Key_K and desk.chosen and desk.performance is not None:
            channel, time = desk.chosen[0], round(min(max(desk.time, 0.0), desk.seconds), 3)
            self._set(channel, time, float(desk.performance.at(time)[CHANNEL_INDEX[channel]]))
            return True
        if self.current is None:
            return False
        channel, time = self.current
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.current = None
            script = without_key(desk.script, channel, time)
            desk.edit(self.score.tr("Remove a key"), script)
            return True
        if not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return False
        step = {
            Qt.Key.Key_Left: (-_NUDGE_S, 0.0), Qt.Key.Key_Right: (_NUDGE_S, 0.0),
            Qt.Key.Key_Up: (0.0, _NUDGE), Qt.Key.Key_Down: (0.0, -_NUDGE),
        }.get(key)  # fmt: skip
        found = next((v for c, t, v in self._keys() if c == channel and abs(t - time) < SAME), None)
        if step is None or found is None:
            return False
        later = max(time + step[0], 0.0)
        low = -_TURN if channel in HEAD else 0.0
        value = min(max(found + step[1], low), _TURN if channel in HEAD else 1.0)
        self.current = (channel, later)
        script = moved_key(desk.script, channel, time, later, value)
        desk.edit(self.score.tr("Move a key"), script)
        return True
