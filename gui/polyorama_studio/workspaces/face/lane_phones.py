"""Phones as segments that are dragged, typed over, split and merged; and their visemes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from polyorama.errors import UsageError
from polyorama.face.speech import visemes as edits
from polyorama.scene.faces.phones import SILENCE, VISEMES, viseme_of
from polyorama_studio.theme import Metrics, font
from polyorama_studio.workspaces.face.lane import Lane, snapped
from polyorama_studio.workspaces.face.phones import edges

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter

    from polyorama.face.speech.visemes import VisemeSegment
    from polyorama.scene.faces.phones import Phone, PhoneTrack
    from polyorama_studio.theme import Tokens
    from polyorama_studio.workspaces.face.phones import Edge
    from polyorama_studio.workspaces.face.score import Score

__all__ = ["PhoneLane", "VisemeLane"]

_NUDGE = 0.01
_LEAST_WIDE = 1.0
_FRESH = 0.1
"""So long is a phone that is put into a pause, s."""
_VISEME_TOKENS = {
    "sil": "line", "PP": "series2", "FF": "series6", "TH": "series6", "DD": "quiet", "kk": "quiet",
    "CH": "series4", "SS": "series4", "nn": "quiet", "RR": "series4", "aa": "series5",
    "E": "series5", "I": "series3", "O": "series1", "U": "series1",
}  # fmt: skip
assert set(_VISEME_TOKENS) == set(VISEMES)


def _color(tokens: Tokens, viseme: str, alpha: float) -> QColor:
    color = tokens.color(_VISEME_TOKENS[viseme])
    color.setAlphaF(alpha)
    return color


class PhoneLane(Lane):
    """A drag on an edge moves it, a double click types another symbol."""

    high = float(Metrics.face_lane)

    def __init__(self, score: Score) -> None:
        super().__init__(score)
        self.title = score.tr("Phones")
        self.current = -1
        """Index of the chosen phone."""
        self._known: tuple[PhoneTrack | None, tuple[Edge, ...]] = (None, ())
        self._edge: Edge | None = None
        self._before: PhoneTrack | None = None

    @property
    def track(self) -> PhoneTrack:
        """What is said."""
        return self.desk.script.phones

    def place(self, phone: Phone) -> QRectF:
        """Where a phone lies."""
        axis = self.score.axis
        left, right = axis.x(phone.start), axis.x(phone.end)
        return QRectF(left, self.box.top() + 1.0, right - left, self.box.height() - 2.0)

    def at(self, x: float) -> int:
        """Index of the phone at a place, -1 for none."""
        time = self.score.axis.seconds(x)
        phones = self.track.phones
        at = bisect_right(phones, time, key=lambda p: p.start) - 1
        return at if at >= 0 and time < phones[at].end else -1

    def edge_at(self, x: float) -> Edge | None:
        """The edge near a place."""
        axis, found = self.score.axis, self._edges()
        first, last = (
            bisect_left(found, axis.seconds(x + by), key=lambda e: e.time)
            for by in (-Metrics.face_grip, Metrics.face_grip)
        )
        near = found[first : last + 1]
        near = [e for e in near if abs(axis.x(e.time) - x) <= Metrics.face_grip]
        return min(near, key=lambda e: abs(axis.x(e.time) - x), default=None)

    def _edges(self) -> tuple[Edge, ...]:
        if self._known[0] is not self.track:
            self._known = (self.track, edges(self.track))
        return self._known[1]

    # Painting

    def _seen(self) -> range:
        """Indices of the phones that are within sight."""
        axis, phones = self.score.axis, self.track.phones
        first = bisect_left(phones, axis.seconds(self.box.left()), key=lambda p: p.end)
        last = bisect_right(phones, axis.seconds(self.box.right()), key=lambda p: p.start)
        return range(first, last)

    def paint(self, painter: QPainter) -> None:
        """Segments, words below where there is room."""
        tokens = self.tokens
        painter.setFont(font(Metrics.label - 1))
        metrics = painter.fontMetrics()
        drawn = self.box.left()
        phones = self.track.phones
        for index in self._seen():
            phone = phones[index]
            box = self.place(phone)
            if box.right() < drawn:
                continue  # many phones share this pixel
            drawn = box.left() + _LEAST_WIDE
            inside = box.adjusted(0.5, 0.0, -0.5, 0.0)
            chosen = index == self.current
            viseme = viseme_of(phone.symbol)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(_color(tokens, viseme, 0.34 if phone.symbol != SILENCE else 0.30))
            if chosen:
                painter.setPen(QPen(tokens.color("accent"), 1.5))
            painter.drawRoundedRect(inside.adjusted(0.5, 0.5, -0.5, -0.5), 2.0, 2.0)
            quiet = phone.symbol == SILENCE
            if metrics.horizontalAdvance(phone.symbol) <= inside.width() - 2.0:
                painter.setPen(tokens.color("quiet" if quiet else "text"))
                painter.drawText(inside, Qt.AlignmentFlag.AlignCenter, phone.symbol)

    # The hand

    def cursor(self, at: QPointF) -> Qt.CursorShape:
        """Edges can be dragged."""
        edge = self.edge_at(at.x())
        return Qt.CursorShape.SplitHCursor if edge else Qt.CursorShape.ArrowCursor

    def words(self, at: QPointF) -> str:
        """The phone, its time, its viseme."""
        index = self.at(at.x())
        if index < 0:
            return ""
        phone = self.track.phones[index]
        text = self.score.tr("{0} ({1}), {2} ms from {3} s\nDouble click or Enter types another, "
                             "S splits, M merges, Delete removes")  # fmt: skip
        milliseconds = f"{1000.0 * (phone.end - phone.start):.0f}"
        return text.format(
            phone.symbol, viseme_of(phone.symbol), milliseconds, f"{phone.start:.3f}"
        )

    def press(self, event: QMouseEvent) -> bool:
        """Take an edge, or choose a phone."""
        x = event.position().x()
        edge = self.edge_at(x)
        if edge is not None:
            self._edge, self._before = edge, self.track
            self.desk.begin(self.score.tr("Move a phone's edge"))
            return True
        self.current = self.at(x)
        self.score.seek(self.score.axis.seconds(x))
        self.score.repaint_lanes()
        return False

    def move(self, event: QMouseEvent) -> None:
        """Follow the pointer; edges snap to words and to the playhead."""
        if self._edge is None or self._before is None:
            return
        time = self.score.axis.seconds(event.position().x())
        if not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            marks = [self.desk.time]
            marks += [t for word in self._before.words for t in (word.start, word.end)]
            time = snapped(self.score, time, marks)
        fresh = edits.move_edge(self._before, self._edge.index, self._edge.side, time)
        self.desk.put(replace(self.desk.script, phones=fresh))

    def release(self) -> None:
        """One step."""
        if self._edge is not None:
            index, side, _ = self._edge
            self._edge = self._before = None
            phone = self.track.phones[index]
            time = phone.start if side == "start" else phone.end
            self.desk.end(_said("move_edge", index, side, time))

    def cancel(self) -> None:
        """As it was."""
        if self._edge is not None:
            self._edge = self._before = None
            self.desk.cancel()

    def double(self, event: QMouseEvent) -> None:
        """Type another symbol, or one into a gap."""
        self.current = self.at(event.position().x())
        if self.current < 0:
            time = max(self.score.axis.seconds(event.position().x()), 0.0)
            end = time + _FRESH
            self._try(
                self.score.tr("Add a phone"), lambda t: edits.insert_phone(t, "AH", time, end),
                _said("insert_phone", 'AH', time, end),
            )  # fmt: skip
            self.current = self.at(event.position().x())
            if self.current < 0:
                return
        self.retype()

    # Keys

    def step(self, by: int) -> bool:
        """The next phone, where the playhead goes, too."""
        phones = self.track.phones
        if not phones:
            return False
        if self.current < 0:
            self.current = max(self.at(self.score.axis.x(self.desk.time)), 0)
        else:
            self.current = min(max(self.current + by, 0), len(phones) - 1)
        phone = phones[self.current]
        self.score.seek(0.5 * (phone.start + phone.end))
        return True

    def key(self, event: QKeyEvent) -> bool:
        """Enter types, S splits, M merges, Delete removes; with Alt the arrows move the end."""
        key, index, track = Qt.Key(event.key()), self.current, self.track
        if not 0 <= index < len(track.phones):
            return False
        tr = self.score.tr
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.retype()
        elif key == Qt.Key.Key_S:
            self.split()
        elif key == Qt.Key.Key_M:
            self._try(
                tr("Merge two phones"), lambda t: edits.merge_phones(t, index),
                _said("merge_phones", index),
            )  # fmt: skip
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._try(
                tr("Remove a phone"), lambda t: edits.delete_phone(t, index),
                _said("delete_phone", index),
            )  # fmt: skip
            self.current = min(index, len(self.track.phones) - 1)
        elif event.modifiers() & Qt.KeyboardModifier.AltModifier and key in (
            Qt.Key.Key_Left, Qt.Key.Key_Right,
        ):  # fmt: skip
            self._nudge(-_NUDGE if key == Qt.Key.Key_Left else _NUDGE)
        else:
            return False
        return True

    def split(self) -> None:
        """Part the chosen phone at the playhead, else in its middle."""
        phone = self.track.phones[self.current]
        time = self.desk.time
        if not phone.start + _NUDGE < time < phone.end - _NUDGE:
            time = 0.5 * (phone.start + phone.end)
        index, time = self.current, round(time, 3)
        self._try(
            self.score.tr("Split a phone"), lambda t: edits.split_phone(t, index, time),
            _said("split_phone", index, time),
        )  # fmt: skip

    def _nudge(self, seconds: float) -> None:
        index = self.current
        end = round(self.track.phones[index].end + seconds, 3)
        self._try(
            self.score.tr("Move a phone's edge"), lambda t: edits.move_edge(t, index, "end", end),
            _said("move_edge", index, 'end', end),
        )  # fmt: skip

    def _try(self, title: str, edit: Callable[[PhoneTrack], PhoneTrack], python: str) -> None:
        """Carry out an edit; why one cannot be is told."""
        try:
            fresh = edit(self.track)
        except UsageError as error:
            self.score.session.report(error)
            return
        self.desk.edit(title, replace(self.desk.script, phones=fresh), python)

    def retype(self) -> None:
        """Let another symbol be typed over the chosen phone."""
        phone = self.track.phones[self.current]
        self.score.type_over(self.place(phone), phone.symbol, self.set_symbol)

    def set_symbol(self, text: str) -> None:
        """Say something else there."""
        symbol = text.strip()
        symbol = SILENCE if symbol.lower() == SILENCE else symbol.upper()
        index = self.current
        self._try(
            self.score.tr("Say {0} instead").format(symbol),
            lambda t: edits.replace_symbol(t, index, symbol),
            _said("replace_symbol", index, symbol),
        )  # fmt: skip


class VisemeLane(Lane):
    """The shapes that the mouth makes; edges are those of the phones."""

    high = float(Metrics.face_lane)

    def __init__(self, score: Score, phones: PhoneLane) -> None:
        super().__init__(score)
        self.title = score.tr("Visemes")
        self._phones = phones
        self._known: tuple[PhoneTrack | None, tuple[VisemeSegment, ...]] = (None, ())

    def _runs(self) -> tuple[VisemeSegment, ...]:
        track = self.desk.script.phones
        if self._known[0] is not track:
            self._known = (track, edits.viseme_segments(track))
        return self._known[1]

    def paint(self, painter: QPainter) -> None:
        """Runs of one shape."""
        tokens, axis = self.tokens, self.score.axis
        painter.setFont(font(Metrics.label - 1, medium=True))
        metrics = painter.fontMetrics()
        drawn = self.box.left()
        for run in self._runs():
            viseme, left, right = run.viseme, axis.x(run.start), axis.x(run.end)
            if right < drawn:
                continue
            if left > self.box.right():
                break
            drawn = left + _LEAST_WIDE
            box = QRectF(
                left + 0.5, self.box.top() + 2.0, right - left - 1.0, self.box.height() - 4.0
            )
            if viseme == "sil":
                y = round(box.center().y()) + 0.5
                painter.setPen(QPen(tokens.color("line"), 1.0))
                painter.drawLine(QPointF(box.left() + 2.0, y), QPointF(box.right() - 2.0, y))
                continue
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(_color(tokens, viseme, 0.16))
            painter.drawRoundedRect(box, 7.0, 7.0)
            if metrics.horizontalAdvance(viseme) <= box.width() - 3.0:
                painter.setPen(_color(tokens, viseme, 1.0))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, viseme)

    def cursor(self, at: QPointF) -> Qt.CursorShape:
        """As above."""
        return self._phones.cursor(at)

    def words(self, at: QPointF) -> str:
        """The shape."""
        time = self.score.axis.seconds(at.x())
        return next((run.viseme for run in self._runs() if run.start <= time < run.end), "")

    def press(self, event: QMouseEvent) -> bool:
        """An edge of the phones."""
        return self._phones.press(event)

    def move(self, event: QMouseEvent) -> None:
        """It is moved."""
        self._phones.move(event)

    def release(self) -> None:
        """One step."""
        self._phones.release()

    def cancel(self) -> None:
        """As it was."""
        self._phones.cancel()

    def double(self, event: QMouseEvent) -> None:
        """Type the phone that makes the shape."""
        self._phones.double(event)

    def step(self, by: int) -> bool:
        """The next phone."""
        return self._phones.step(by)

    def key(self, event: QKeyEvent) -> bool:
        """As on phones."""
        return self._phones.key(event)


def _said(edit: str, *values: object) -> str:
    """The Python line of an edit of `polyorama.face.speech.visemes`."""
    said = ", ".join(repr(round(v, 3) if isinstance(v, float) else v) for v in values)
    return f"script = replace(script, phones={edit}(script.phones, {said}))"
