"""The dope sheet: a row for each keyed property, keys as marks that are dragged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from polyorama_studio.theme import Metrics, font
from polyorama_studio.timeline import keys, menus
from polyorama_studio.timeline.axis import frame_text
from polyorama_studio.timeline.glyphs import DIAMOND, key_pixmap
from polyorama_studio.timeline.ruler import paint_playhead, steer
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QContextMenuEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QWheelEvent,
    )

    from polyorama_studio.timeline.rows import Row
    from polyorama_studio.timeline.state import TimelineState
    from polyorama_studio.timeline.waves import Waves

__all__ = ["Sheet"]

_REACH = 6.0
"""Pixels from a key's middle at which it is still hit."""
_START = 3.0
"""Pixels that a press may wander before it is a drag."""
_CLOSE = 3.0
"""Keys nearer than this are drawn as one."""


@dataclass(slots=True)
class _Held:
    """What a press has taken hold of."""

    what: str
    """"keys", "band", "pan", "audio" or "head"."""
    at: QPointF
    now: QPointF
    time: float = 0.0
    """Of the key that was pressed, s."""
    row: Row | None = None
    before: keys.Choice | None = None
    """What was chosen before a band, where it adds."""
    moved: bool = False
    seconds: float = 0.0
    factor: float = 1.0
    copy: bool = False
    scale: bool = False
    single: bool = False
    """A click that is no drag chooses this key alone."""


class Sheet(QWidget):
    """Rows with keys; what is seen alone is painted, however many there are."""

    scrolled = Signal()

    def __init__(self, state: TimelineState, waves: Waves, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._waves = waves
        self._held: _Held | None = None
        self._hover: tuple[str, float] | None = None
        self._menu_at: tuple[Row | None, float] = (None, 0.0)
        self.offset = 0
        """Pixels that are scrolled off at the top."""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Dope sheet"))
        self.setAccessibleDescription(self.tr("Keys of every property on the timeline"))
        session = state.session
        state.changed.connect(self._on_changed)
        state.axis.changed.connect(self.update)
        waves.ready.connect(self.update)
        session.playback.time_changed.connect(self._on_time)
        session.theme.changed.connect(self.update)

    @Slot()
    def _on_changed(self) -> None:
        self.set_offset(self.offset)
        self.scrolled.emit()
        self.update()

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        self.update()

    # Rows and places

    def places(self) -> list[tuple[Row, float, float]]:
        """Every row with its top and its height, logical pixels."""
        found, top = [], -float(self.offset)
        for row in self._state.rows:
            height = float(Metrics.timeline_audio_row if row.kind == "audio" else _row_height())
            found.append((row, top, height))
            top += height
        return found

    @property
    def content_height(self) -> int:
        """Pixels that all rows take."""
        audio = sum(row.kind == "audio" for row in self._state.rows)
        plain = len(self._state.rows) - audio
        return audio * Metrics.timeline_audio_row + plain * _row_height() + Metrics.space[0]

    def set_offset(self, offset: int) -> None:
        """Scroll."""
        offset = min(max(offset, 0), max(self.content_height - self.height(), 0))
        if offset != self.offset:
            self.offset = offset
            self.scrolled.emit()
            self.update()

    def row_at(self, y: float) -> Row | None:
        """The row at a height."""
        for row, top, height in self.places():
            if top <= y < top + height:
                return row
        return None

    def key_at(self, at: QPointF) -> tuple[Row, float] | None:
        """The row and time of the key at a place."""
        row = self.row_at(at.y())
        if row is None or not len(row.times) or at.x() < self._state.axis.left:
            return None
        seconds = self._state.axis.seconds(at.x())
        place = int(np.searchsorted(row.times, seconds))
        near = row.times[max(place - 1, 0) : place + 1]
        best = float(near[np.argmin(np.abs(near - seconds))])
        return (row, best) if abs(best - seconds) * self._state.axis.scale <= _REACH else None

    def keys_of(self, row: Row, seconds: float) -> keys.Choice:
        """The keys that a row shows at a time."""
        timeline = self._state.timeline
        if timeline is None:
            return {}
        found = {}
        for path in row.paths:
            times = keys.arrays_of(timeline.tracks[path]).times
            place = int(np.searchsorted(times, seconds))
            if place < len(times) and times[place] == seconds:
                found[path] = frozenset((seconds,))
        return found

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Rows, marks, band, playhead."""
        tokens, axis = self._state.session.theme.tokens, self._state.axis
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.color("panel"))
        document = self._state.document
        rows = [place for place in self.places() if place[1] < self.height()]
        rows = [place for place in rows if place[1] + place[2] > 0.0]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(axis.left, 0.0, self.width() - axis.left, float(self.height()))
        for row, top, height in rows:
            self._paint_label(painter, row, QRectF(0.0, top, axis.left, height))
        painter.save()
        painter.setClipRect(area)
        self._paint_grid(painter, area)
        for row, top, height in rows:
            self._paint_row(painter, row, QRectF(area.left(), top, area.width(), height))
        if document is not None:
            x = axis.x(self._state.session.playback.time)
            paint_playhead(painter, x, 0.0, area.height(), tokens.color("accent"))
        self._paint_band(painter)
        painter.restore()
        if document is not None and not self._state.rows:
            self._paint_invitation(painter, area)
        if self.hasFocus():
            painter.setPen(QPen(tokens.color("accent"), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def _paint_invitation(self, painter: QPainter, area: QRectF) -> None:
        painter.setPen(self._state.session.theme.tokens.color("quiet"))
        painter.setFont(font(Metrics.body))
        words = self.tr("Nothing is keyed yet. Click the diamond of a value, or press I.")
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_grid(self, painter: QPainter, area: QRectF) -> None:
        """What lies outside the timeline is a little darker."""
        tokens, axis = self._state.session.theme.tokens, self._state.axis
        outside = tokens.color("ground")
        first, last = axis.x(0.0), axis.x(axis.duration)
        if first > area.left():
            painter.fillRect(QRectF(area.left(), 0, first - area.left(), area.height()), outside)
        if last < area.right():
            painter.fillRect(QRectF(last, 0, area.right() - last, area.height()), outside)
        chosen = self._state.session.playback.range
        if chosen is not None:
            band = tokens.color("accent")
            band.setAlphaF(0.06)
            low, high = axis.x(chosen[0]), axis.x(chosen[1])
            painter.fillRect(QRectF(low, 0, high - low, area.height()), band)

    def _paint_label(self, painter: QPainter, row: Row, box: QRectF) -> None:
        tokens = self._state.session.theme.tokens
        chosen = row.kind == "track" and row.id in self._state.tracks
        if chosen:
            painter.fillRect(box, tokens.color("raised"))
            painter.fillRect(QRectF(box.left(), box.top(), 2.0, box.height()),
                             tokens.color("accent"))  # fmt: skip
        indent = float(Metrics.space[2] if row.kind != "track" else Metrics.space[4] + 4)
        painter.setFont(font(Metrics.label, medium=row.kind in ("node", "summary", "audio")))
        metrics = QFontMetricsF(painter.font())
        room = box.adjusted(indent + 8.0, 0.0, -float(Metrics.space[1]), 0.0)
        if row.kind == "node":
            self._paint_fold(painter, box, indent, row.folded)
        value = self._value_text(row) if row.kind == "track" else ""
        if value:
            painter.setPen(tokens.color("quiet"))
            small = QRectF(room)
            painter.setFont(font(Metrics.label - 1, tabular=True))
            wide = QFontMetricsF(painter.font()).horizontalAdvance(value)
            painter.drawText(
                small, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, value
            )
            room.setRight(room.right() - wide - Metrics.space[1])
            painter.setFont(font(Metrics.label))
        painter.setPen(tokens.color("quiet" if row.kind == "track" and not chosen else "text"))
        words = metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_fold(self, painter: QPainter, box: QRectF, indent: float, folded: bool) -> None:
        x, y = indent - 1.0, box.center().y()
        arrow = [QPointF(x - 3.0, y - 1.5), QPointF(x, y + 2.0), QPointF(x + 3.0, y - 1.5)]
        if folded:
            arrow = [QPointF(x - 1.5, y - 3.0), QPointF(x + 2.0, y), QPointF(x - 1.5, y + 3.0)]
        painter.setPen(QPen(self._state.session.theme.tokens.color("quiet"), 1.5))
        painter.drawPolyline(QPolygonF(arrow))

    def _value_text(self, row: Row) -> str:
        timeline = self._state.timeline
        track = None if timeline is None else timeline.tracks.get(row.id)
        if track is None:
            return ""
        values = track.at(self._state.session.playback.time)
        return "  ".join(_short(value) for value in values)

    def _paint_row(self, painter: QPainter, row: Row, box: QRectF) -> None:
        tokens = self._state.session.theme.tokens
        line = tokens.color("line")
        line.setAlphaF(0.55)
        painter.setPen(QPen(line, 1.0))
        painter.drawLine(
            QPointF(box.left(), round(box.bottom()) - 0.5),
            QPointF(box.right(), round(box.bottom()) - 0.5),
        )
        if row.kind in ("summary", "node"):
            tint = tokens.color("ground")
            tint.setAlphaF(0.5)
            painter.fillRect(box, tint)
        if row.kind == "audio":
            self._waves.paint(painter, row.id, box, self._audio_shift(row))
            return
        self._paint_keys(painter, row, box)

    def _audio_shift(self, row: Row) -> float:
        held = self._held
        return held.seconds if held and held.what == "audio" and held.row.id == row.id else 0.0

    def _paint_keys(self, painter: QPainter, row: Row, box: QRectF) -> None:
        axis, tokens = self._state.axis, self._state.session.theme.tokens
        margin = 8.0 / axis.scale
        low = int(np.searchsorted(row.times, axis.start - margin))
        high = int(np.searchsorted(row.times, axis.end + margin))
        self._paint_holds(painter, row, box, low, high)
        if low == high:
            return
        times = row.times[low:high]
        xs = axis.left + (times - axis.start) * axis.scale
        marked = np.isin(times, self._state.chosen_times(row.paths))
        kinds = np.full(len(times), DIAMOND, np.int8)
        timeline = self._state.timeline
        if row.kind == "track" and timeline is not None:
            kinds = keys.arrays_of(timeline.tracks[row.id]).kinds[low:high]
        keep = thinned(xs, marked)
        ratio = self.devicePixelRatioF()
        size = Metrics.key_mark
        edge = tokens.panel
        fills = {False: tokens.quiet if row.kind != "track" else tokens.text, True: tokens.accent}
        side = (size + 4) / 2.0
        y = box.center().y() - side
        hover = self._hover
        for x, kind, is_marked, seconds in zip(
            xs[keep].tolist(), kinds[keep].tolist(), marked[keep].tolist(), times[keep].tolist(),
            strict=True,
        ):  # fmt: skip
            lit = hover is not None and hover == (row.id, seconds)
            border = tokens.text if lit else edge
            pixmap = key_pixmap(kind, fills[is_marked], border, ratio, size)
            painter.drawPixmap(QPointF(_crisp(x - side, ratio), _crisp(y, ratio)), pixmap)

    def _paint_holds(
        self, painter: QPainter, row: Row, box: QRectF, low: int, high: int
    ) -> None:  # fmt: skip
        """A line from the first key to the last, thick where nothing changes."""
        axis, tokens = self._state.axis, self._state.session.theme.tokens
        if len(row.times) < 2:
            return
        first = max(axis.x(float(row.times[0])), box.left())
        last = min(axis.x(float(row.times[-1])), box.right())
        y = round(box.center().y()) + 0.5
        if last > first:
            painter.setPen(QPen(tokens.color("line"), 1.0))
            painter.drawLine(QPointF(first, y), QPointF(last, y))
        timeline = self._state.timeline
        if row.kind != "track" or high - low > 400 or timeline is None:
            return
        held = keys.arrays_of(timeline.tracks[row.id]).held
        pen = QPen(tokens.color("line"), 4.0)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        for number in range(max(low - 1, 0), min(high, len(held))):
            if held[number]:
                painter.drawLine(
                    QPointF(axis.x(float(row.times[number])), y),
                    QPointF(axis.x(float(row.times[number + 1])), y),
                )

    def _paint_band(self, painter: QPainter) -> None:
        held = self._held
        if held is None or held.what != "band" or not held.moved:
            return
        color = self._state.session.theme.tokens.color("accent")
        painter.setPen(QPen(color, 1.0))
        color.setAlphaF(0.12)
        painter.setBrush(color)
        painter.drawRect(QRectF(held.at, held.now).normalized())

    # The pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of keys, of a sound, of a band, or of the axis."""
        at = event.position()
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() == Qt.MouseButton.MiddleButton:
            self._held = _Held("pan", at, at)
            return
        if event.button() != Qt.MouseButton.LeftButton or self._state.document is None:
            return
        if at.x() < self._state.axis.left:
            self._press_label(at, event.modifiers())
            return
        adding = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        hit = self.key_at(at)
        if hit is not None:
            self._press_key(*hit, at, adding)
            return
        row = self.row_at(at.y())
        if row is not None and row.kind == "audio":
            self._held = _Held("audio", at, at, row=row)
            return
        self._held = _Held("band", at, at, before=dict(self._state.choice) if adding else {})

    def _press_key(self, row: Row, seconds: float, at: QPointF, adding: bool) -> None:
        mine = self.keys_of(row, seconds)
        choice = self._state.choice
        inside = all(times <= choice.get(path, frozenset()) for path, times in mine.items())
        self._held = _Held("keys", at, at, time=seconds, row=row, single=inside and not adding)
        if adding and inside:
            self._state.choose({p: t - mine.get(p, frozenset()) for p, t in choice.items()})
            self._held = None
        elif adding:
            self._state.choose(joined(choice, mine))
        elif not inside:
            self._state.choose(mine)
        if row.kind == "track" and self._held is not None:
            self._state.choose_tracks((row.id,))

    def _press_label(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        row = self.row_at(at.y())
        if row is None:
            self._state.choose_tracks(())
            return
        if row.kind == "node" and at.x() < Metrics.space[4] + Metrics.space[0]:
            self._state.fold(row.id)
            return
        tracks = set(self._state.tracks)
        adding = modifiers & (
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
        )
        if adding:
            tracks = tracks ^ set(row.paths)
        else:
            tracks = set(row.paths)
        order = [
            path for known in self._state.rows if known.kind != "audio" for path in known.paths
        ]
        self._state.choose_tracks(tuple(dict.fromkeys(p for p in order if p in tracks)))
        if row.kind in ("node", "track") and row.id not in ("view", "document"):
            node = row.id.partition("/")[0]
            if node not in ("view", "document") and not adding:
                self._state.session.editing.run("choose", nodes=(node,))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with what is held."""
        at, held = event.position(), self._held
        if held is None:
            self._light(at)
            return
        if not held.moved:
            if (at - held.at).manhattanLength() < _START:
                return
            held.moved = True
            if held.what == "keys":
                self._state.begin()
        step = at - held.now
        held.now = at
        if held.what == "pan":
            self._state.axis.pan(step.x())
            self.set_offset(self.offset - round(step.y()))
        elif held.what == "keys":
            self._drag_keys(held, event.modifiers())
        elif held.what == "audio":
            self._drag_audio(held)
        else:
            self._state.choose(joined(held.before or {}, self._inside(held)))
            self.update()

    def _drag_keys(self, held: _Held, modifiers: Qt.KeyboardModifier) -> None:
        document = self._state.document
        if document is None:
            return
        held.copy = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        held.scale = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        axis, choice = self._state.axis, self._state.choice
        reached = held.time + (held.now.x() - held.at.x()) / axis.scale
        reached = self._state.snapped(reached, without=choice)
        if held.scale:
            about = self._state.session.playback.time
            span = held.time - about
            factor = (reached - about) / span if abs(span) > 1e-9 else 1.0
            held.factor = factor if abs(factor) > 1e-3 else 1e-3
            self._state.show(
                keys.scaled(document.timeline, choice, held.factor, about),
                keys.scaled_choice(choice, held.factor, about),
            )
        else:
            held.seconds = reached - held.time
            self._state.show(
                keys.moved(document.timeline, choice, held.seconds, copy=held.copy),
                keys.moved_choice(choice, held.seconds),
            )

    def _drag_audio(self, held: _Held) -> None:
        document = self._state.document
        if document is None or held.row is None:
            return
        start = document.node(held.row.id).content.start
        wanted = start + (held.now.x() - held.at.x()) / self._state.axis.scale
        held.seconds = self._state.snapped(wanted) - start
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go: the edit is made."""
        held, self._held = self._held, None
        if held is None:
            return
        if held.what == "keys":
            self._release_keys(held)
        elif held.what == "audio" and held.row is not None:
            document = self._state.document
            if held.seconds and document is not None:
                start = document.node(held.row.id).content.start + held.seconds
                self._state.run("set", path=f"{held.row.id}/start", value=start)
        elif held.what == "band" and not held.moved and not held.before:
            self._state.choose({})
        self.update()

    def _release_keys(self, held: _Held) -> None:
        if not held.moved:
            if held.single and held.row is not None:
                self._state.choose(self.keys_of(held.row, held.time))
        elif held.scale:
            self._state.scale(held.factor, self._state.session.playback.time)
        else:
            self._state.move(held.seconds, copy=held.copy)

    def _inside(self, held: _Held) -> keys.Choice:
        """The keys inside the band."""
        timeline, axis = self._state.timeline, self._state.axis
        if timeline is None:
            return {}
        box = QRectF(held.at, held.now).normalized()
        first, last = axis.seconds(box.left()), axis.seconds(box.right())
        found: keys.Choice = {}
        for row, top, height in self.places():
            middle = top + height / 2.0
            if not box.top() <= middle <= box.bottom() and not (
                box.top() >= top and box.bottom() <= top + height
            ):
                continue
            for path in row.paths:
                times = keys.arrays_of(timeline.tracks[path]).times
                low, high = np.searchsorted(times, (first, last))
                if high > low:
                    found[path] = frozenset(times[low:high].tolist())
        return found

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Key a property where there is no key; fold a node; go to a key."""
        at = event.position()
        row = self.row_at(at.y())
        if row is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if at.x() < self._state.axis.left:
            if row.kind == "node":
                self._state.fold(row.id)
            return
        hit = self.key_at(at)
        if hit is not None:
            self._state.session.playback.seek(hit[1])
        elif row.kind == "track":
            seconds = self._state.snapped(self._state.axis.seconds(at.x()), without=(row.id,))
            self._state.key(row.id, seconds)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is lit."""
        self._hover = None
        self.update()

    def _light(self, at: QPointF) -> None:
        hit = self.key_at(at)
        hover = None if hit is None else (hit[0].id, hit[1])
        if hover != self._hover:
            self._hover = hover
            self.update()
        row = self.row_at(at.y())
        if at.x() >= self._state.axis.left and row is not None and row.kind == "audio":
            self.setCursor(Qt.CursorShape.SizeHorCursor)
        else:
            self.unsetCursor()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; over the labels, scroll the rows."""
        if event.position().x() < self._state.axis.left:
            self.set_offset(self.offset - round(event.angleDelta().y() / 4))
            event.accept()
        else:
            steer(self._state.axis, event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with the chosen keys, and with the row."""
        at = QPointF(event.pos())
        hit = self.key_at(at)
        if hit is not None:
            mine = self.keys_of(*hit)
            chosen = self._state.choice
            if not all(times <= chosen.get(path, frozenset()) for path, times in mine.items()):
                self._state.choose(mine)
        menu = menus.keys_menu(self._state, self, self.row_at(at.y()), self._snapped_at(at))
        menu.popup(event.globalPos())

    def _snapped_at(self, at: QPointF) -> float:
        return self._state.snapped(self._state.axis.seconds(at.x()))

    @Slot(QAction)
    def on_menu(self, action: QAction) -> None:
        """An entry of the menu was chosen."""
        menus.act(self._state, action.data())

    # The keyboard

    def event(self, event: QEvent) -> bool:
        """Keys of the sheet come before shortcuts of the window; tooltips tell a key's value."""
        if event.type() == QEvent.Type.ShortcutOverride and menus.wanted(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.ToolTip:
            self._show_tip(QPointF(event.pos()), event)
            return True
        return super().event(event)

    def _show_tip(self, at: QPointF, event: QEvent) -> None:
        hit = self.key_at(at)
        timeline = self._state.timeline
        if hit is None or timeline is None:
            QToolTip.hideText()
            event.ignore()
            return
        row, seconds = hit
        frame = frame_text(round(seconds * timeline.fps))
        lines = [f"{row.title}  {seconds:.3f} s  {frame}"]
        if row.kind == "track":
            track = timeline.tracks[row.id]
            place = int(np.searchsorted(row.times, seconds))
            key = track.keys[place]
            lines.append("  ".join(_short(value) for value in key.value))
            lines.append(self.tr(key.interpolation))
            lines.append(f'doc.keys.set("{row.id}", {seconds:g}, ...)')
        QToolTip.showText(event.globalPos(), tip("\n".join(lines)), self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove, copy, paste, nudge; Escape gives a drag up."""
        if event.key() == Qt.Key.Key_Escape and self._held is not None:
            self._held = None
            self._state.cancel()
            self.update()
        elif not menus.press(self._state, event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QEvent) -> None:
        """The ring comes."""
        self.update()

    def focusOutEvent(self, event: QEvent) -> None:
        """The ring goes."""
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The axis is as wide as the sheet."""
        self._state.axis.set_width(self.width() - self._state.axis.left)
        self.set_offset(self.offset)
        self.scrolled.emit()


def joined(first: keys.Choice, second: keys.Choice) -> keys.Choice:
    """Keys of both."""
    return {
        path: first.get(path, frozenset()) | second.get(path, frozenset())
        for path in {**first, **second}
    }


def thinned(xs: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """Places of the keys to draw, (m,) int: of those that lie on each other one; chosen ones win.

    Parameters
    ----------
    xs
        (n,) float64, rising, logical pixels.
    marked
        (n,) bool, whether a key is chosen.
    """
    if len(xs) < 2:
        return np.arange(len(xs))
    cells = np.floor(xs / _CLOSE).astype(np.int64)
    order = np.lexsort((~marked, cells))
    first = np.r_[True, np.diff(cells[order]) != 0]
    return np.sort(order[first])


def _row_height() -> int:
    return Metrics.timeline_row


def _crisp(value: float, ratio: float) -> float:
    """A coordinate on whole device pixels."""
    return round(value * ratio) / ratio


def _short(value: float) -> str:
    text = f"{value:.2f}" if abs(value) < 1000.0 else f"{value:.4g}"
    text = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
    return "0" if text in ("-0", "") else text
