"""Emotions over time with their keys, and parts that come from other takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen, QPolygonF

from polyorama.scene.faces.channels import EMOTIONS
from polyorama_studio.theme import Metrics, font
from polyorama_studio.workspaces.face.lane import Lane, snapped
from polyorama_studio.workspaces.face.scripts import (
    SAME,
    emotion_at,
    emotions_at,
    with_comp,
    with_emotion_key,
    without_comp,
    without_emotion_key,
)
from polyorama_studio.workspaces.face.tints import (
    emotion_color,
    emotion_title,
    region_color,
    region_title,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter

    from polyorama.scene.faces.script import CompSpan, EmotionKey, FaceScript
    from polyorama_studio.workspaces.face.score import Score

__all__ = ["EmotionLane", "SpanLane"]

_KEY = 4.5
_COLUMN = 3.0
"""Pixels of a column of the emotions' areas."""
_LEAST_SPAN = 0.05
_NUDGE = 0.05


class EmotionLane(Lane):
    """How it feels: areas that share the height, and diamonds where it is keyed."""

    high = float(Metrics.face_feeling)

    def __init__(self, score: Score) -> None:
        super().__init__(score)
        self.title = score.tr("Emotion")
        self.current: float | None = None
        """Time of the chosen key."""
        self._held: EmotionKey | None = None
        self._before: FaceScript | None = None

    def _keys(self) -> tuple[EmotionKey, ...]:
        script = self.desk.script
        return script.emotion_keys if script.emotion == "keyed" else ()

    def _weights(self, times: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """(n, 8) at times: as keyed, else as it was heard."""
        script, take = self.desk.script, self.desk.take
        if script.emotion == "keyed" and script.emotion_keys:
            return emotions_at(script, times)
        if take is None or take.emotion is None or not len(take.emotion):
            return None
        rows = np.clip(times * take.performance.fps, 0, len(take.emotion) - 1).astype(int)
        return np.asarray(take.emotion, np.float64)[rows]

    def paint(self, painter: QPainter) -> None:
        """Areas without neutral, which is what they leave; keys over them."""
        axis, box = self.score.axis, self.box
        left, right = max(axis.x(0.0), box.left()), min(axis.x(self.desk.seconds), box.right())
        if right - left < 2.0:
            return
        room = QRectF(left, box.top() + 2.0, right - left, box.height() - 4.0)
        ground = self.tokens.color("raised")
        ground.setAlphaF(0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(room, Metrics.corner, Metrics.corner)
        xs = np.linspace(left, right, max(int((right - left) / _COLUMN), 2))
        weights = self._weights(np.array([axis.seconds(x) for x in xs]))
        if weights is not None:
            self._paint_areas(painter, room, xs, weights)
        for key in self._keys():
            self._paint_key(painter, key)

    def _paint_areas(
        self, painter: QPainter, room: QRectF, xs: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:  # fmt: skip
        felt = np.clip(weights, 0.0, 1.0).copy()
        felt[:, 0] = 0.0
        felt /= np.maximum(felt.sum(axis=1, keepdims=True), 1.0)
        below = np.zeros(len(xs))
        painter.setPen(Qt.PenStyle.NoPen)
        for emotion in range(1, len(EMOTIONS)):
            above = below + felt[:, emotion]
            if felt[:, emotion].max() > 0.01:
                ends = [
                    QPointF(x, room.bottom() - y * room.height())
                    for x, y in zip(xs, below, strict=True)
                ]
                tops = [
                    QPointF(x, room.bottom() - y * room.height())
                    for x, y in zip(xs, above, strict=True)
                ]
                color = emotion_color(self.tokens, emotion)
                color.setAlphaF(0.55)
                painter.setBrush(color)
                painter.drawPolygon(QPolygonF([*tops, *reversed(ends)]))
                self._name_area(painter, emotion, xs, below, above, room)
            below = above

    def _name_area(self, painter: QPainter, emotion: int, xs, below, above, room: QRectF) -> None:  # type: ignore[no-untyped-def]
        """The emotion's name where its area is highest and it fits."""
        heights = above - below
        # In the middle of where it is about as high as it gets.
        high_places = np.flatnonzero(heights >= 0.8 * heights.max())
        at = int(high_places[len(high_places) // 2])
        high = float(above[at] - below[at]) * room.height()
        painter.setFont(font(Metrics.small))
        if high < Metrics.small + 2.0:
            return
        words = emotion_title(emotion)
        wide = painter.fontMetrics().horizontalAdvance(words)
        x = min(max(float(xs[at]) - wide / 2.0, room.left() + 4.0), room.right() - wide - 4.0)
        y = room.bottom() - 0.5 * float(above[at] + below[at]) * room.height()
        painter.setPen(self.tokens.color("text"))
        painter.drawText(QPointF(x, y + 3.5), words)
        painter.setPen(Qt.PenStyle.NoPen)

    def _paint_key(self, painter: QPainter, key: EmotionKey) -> None:
        x = self.score.axis.x(key.time)
        if not self.box.left() - _KEY <= x <= self.box.right() + _KEY:
            return
        y = self.box.bottom() - 2.0 - _KEY
        chosen = self.current is not None and abs(key.time - self.current) < SAME
        painter.save()
        painter.translate(QPointF(x, y))
        painter.rotate(45.0)
        painter.setPen(QPen(self.tokens.color("panel"), 1.0))
        painter.setBrush(self.tokens.color("accent" if chosen else "text"))
        side = 1.3 * _KEY
        painter.drawRect(QRectF(-side / 2.0, -side / 2.0, side, side))
        painter.restore()

    def _key_at(self, x: float) -> EmotionKey | None:
        axis = self.score.axis
        near = [k for k in self._keys() if abs(axis.x(k.time) - x) <= _KEY + 2.0]
        return min(near, key=lambda k: abs(axis.x(k.time) - x), default=None)

    def cursor(self, at: QPointF) -> Qt.CursorShape:
        """Keys can be dragged."""
        found = self._key_at(at.x())
        return Qt.CursorShape.SizeHorCursor if found else Qt.CursorShape.ArrowCursor

    def words(self, at: QPointF) -> str:
        """How it feels there."""
        time = self.score.axis.seconds(at.x())
        weights = self._weights(np.array([time]))
        if weights is None or not 0.0 <= time <= self.desk.seconds:
            return ""
        order = np.argsort(-weights[0])[:3]
        felt = [f"{emotion_title(int(k))} {100.0 * weights[0, k]:.0f} %" for k in order
                if weights[0, k] > 0.02]  # fmt: skip
        hint = self.score.tr("Double click to key it here")
        return "\n".join([*felt, hint])

    def press(self, event: QMouseEvent) -> bool:
        """Take a key, or go there."""
        self._held = self._key_at(event.position().x())
        if self._held is None:
            self.current = None
            self.score.seek(self.score.axis.seconds(event.position().x()))
            return False
        self.current = self._held.time
        self._before = self.desk.script
        self.desk.begin(self.score.tr("Move a key of emotion"))
        self.score.repaint_lanes()
        return True

    def move(self, event: QMouseEvent) -> None:
        """Another time."""
        if self._held is None or self._before is None:
            return
        time = self.score.axis.seconds(event.position().x())
        time = min(max(snapped(self.score, time, [self.desk.time, 0.0]), 0.0), self.desk.seconds)
        self.current = time
        script = without_emotion_key(self._before, self._held.time)
        self.desk.put(with_emotion_key(script, time, self._held.weights))

    def release(self) -> None:
        """One step."""
        if self._held is not None:
            self._held = None
            self.desk.end()

    def cancel(self) -> None:
        """As it was."""
        if self._held is not None:
            self.current, self._held = self._held.time, None
            self.desk.cancel()

    def double(self, event: QMouseEvent) -> None:
        """Key what is felt there."""
        time = self.score.axis.seconds(event.position().x())
        self.add_key(min(max(round(time, 3), 0.0), self.desk.seconds))

    def add_key(self, time: float) -> None:
        """Key what is felt at a time."""
        weights = self._weights(np.array([time]))
        felt = emotion_at(self.desk.script, time) if weights is None else weights[0].tolist()
        self.current = time
        script = with_emotion_key(self.desk.script, time, felt)
        self.desk.edit(self.score.tr("Key an emotion"), script)

    def step(self, by: int) -> bool:
        """The next key."""
        times = [key.time for key in self._keys()]
        if not times:
            return False
        here = self.desk.time
        ahead = [t for t in times if (t > here + SAME if by > 0 else t < here - SAME)]
        if ahead:
            self.current = ahead[0] if by > 0 else ahead[-1]
            self.score.seek(self.current)
        return True

    def key(self, event: QKeyEvent) -> bool:
        """Delete removes the chosen key, K keys what is felt at the playhead, Alt moves."""
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_K:
            self.add_key(min(max(self.desk.time, 0.0), self.desk.seconds))
            return True
        if self.current is None:
            return False
        script, tr = self.desk.script, self.score.tr
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            fresh = without_emotion_key(script, self.current)
            self.current = None
            self.desk.edit(tr("Remove a key of emotion"), fresh)
            return True
        if event.modifiers() & Qt.KeyboardModifier.AltModifier and key in (
            Qt.Key.Key_Left, Qt.Key.Key_Right,
        ):  # fmt: skip
            known = next(
                (k for k in script.emotion_keys if abs(k.time - self.current) < SAME), None
            )
            if known is not None:
                step = -_NUDGE if key == Qt.Key.Key_Left else _NUDGE
                time = max(known.time + step, 0.0)
                fresh = with_emotion_key(
                    without_emotion_key(script, known.time), time, known.weights
                )
                self.current = time
                self.desk.edit(tr("Move a key of emotion"), fresh)
            return True
        return False


class SpanLane(Lane):
    """Parts of other takes; an edge is dragged, Delete removes."""

    high = float(Metrics.face_lane)

    def __init__(self, score: Score) -> None:
        super().__init__(score)
        self.title = score.tr("From takes")
        self.current: CompSpan | None = None
        self._edge = ""
        self._before: FaceScript | None = None
        self._taken: CompSpan | None = None

    @property
    def shown(self) -> bool:
        """Once there is a part."""
        return bool(self.desk.script.comp)

    def _boxes(self) -> list[tuple[CompSpan, QRectF]]:
        """Spans one below the other where they lie at the same time."""
        spans = self.desk.script.comp
        regions = sorted({span.region for span in spans})
        slot = (self.box.height() - 4.0) / max(len(regions), 1)
        axis = self.score.axis
        found = []
        for span in spans:
            top = self.box.top() + 2.0 + slot * regions.index(span.region)
            left, right = axis.x(span.start), axis.x(span.end)
            found.append((span, QRectF(left, top, right - left, slot - 0.5)))
        return found

    def paint(self, painter: QPainter) -> None:
        """Each in the colour of its region."""
        for span, box in self._boxes():
            color = region_color(self.tokens, span.region)
            color.setAlphaF(0.42)
            painter.setBrush(color)
            pen = (
                QPen(self.tokens.color("accent"), 1.5)
                if span == self.current
                else Qt.PenStyle.NoPen
            )
            painter.setPen(pen)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3.0, 3.0)
            painter.setFont(font(Metrics.small))
            words = self.score.tr("{0}, take {1}").format(region_title(span.region), span.seed)
            if box.height() >= Metrics.small and (
                painter.fontMetrics().horizontalAdvance(words) < box.width() - 6.0
            ):
                painter.setPen(self.tokens.color("text"))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def _at(self, at: QPointF) -> tuple[CompSpan, QRectF] | None:
        grip = Metrics.face_grip
        return next(
            ((s, b) for s, b in self._boxes() if b.adjusted(-grip, 0.0, grip, 0.0).contains(at)),
            None,
        )

    def cursor(self, at: QPointF) -> Qt.CursorShape:
        """Edges can be dragged."""
        found = self._at(at)
        if found is not None and _edge_of(found[1], at.x()):
            return Qt.CursorShape.SizeHorCursor
        return Qt.CursorShape.ArrowCursor

    def words(self, at: QPointF) -> str:
        """Which part of which take."""
        found = self._at(at)
        if found is None:
            return ""
        span = found[0]
        text = self.score.tr("{0} of take {1} at temperature {2}, {3} to {4} s\nDelete removes it")
        return text.format(region_title(span.region), span.seed, f"{span.temperature:g}",
                           f"{span.start:.2f}", f"{span.end:.2f}")  # fmt: skip

    def press(self, event: QMouseEvent) -> bool:
        """Choose a part, or take its edge."""
        found = self._at(event.position())
        self.current = None if found is None else found[0]
        self.score.repaint_lanes()
        if found is None:
            self.score.seek(self.score.axis.seconds(event.position().x()))
            return False
        self._edge = _edge_of(found[1], event.position().x())
        if self._edge:
            self._before, self._taken = self.desk.script, found[0]
            self.desk.begin(self.score.tr("Change a part of a take"))
        return bool(self._edge)

    def move(self, event: QMouseEvent) -> None:
        """Make it longer or shorter."""
        span, before = self._taken, self._before
        if span is None or before is None:
            return
        marks = [p.start for p in before.phones.phones] + [self.desk.time]
        time = snapped(self.score, self.score.axis.seconds(event.position().x()), marks)
        if self._edge == "start":
            fresh = replace(span, start=min(max(time, 0.0), span.end - _LEAST_SPAN))
        else:
            fresh = replace(span, end=max(time, span.start + _LEAST_SPAN))
        self.desk.put(with_comp(without_comp(before, span), fresh))
        self.current = fresh

    def release(self) -> None:
        """One step."""
        if self._edge:
            self._edge, self._before = "", None
            self.desk.end()

    def cancel(self) -> None:
        """As it was."""
        if self._edge:
            self._edge, self._before, self.current = "", None, None
            self.desk.cancel()

    def step(self, by: int) -> bool:
        """The next part."""
        spans = self.desk.script.comp
        if not spans:
            return False
        at = spans.index(self.current) + by if self.current in spans else 0
        self.current = spans[min(max(at, 0), len(spans) - 1)]
        self.score.seek(self.current.start)
        return True

    def key(self, event: QKeyEvent) -> bool:
        """Delete removes the chosen part."""
        if self.current is None or event.key() not in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            return False
        span, self.current = self.current, None
        title = self.score.tr("Remove a part of a take")
        self.desk.edit(title, without_comp(self.desk.script, span))
        return True


def _edge_of(box: QRectF, x: float) -> str:
    if abs(x - box.left()) <= Metrics.face_grip:
        return "start"
    return "end" if abs(x - box.right()) <= Metrics.face_grip else ""
