"""The ruler: seconds and frames, cues as flags, the range of an export, the playhead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QAction, QColor, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from polyorama.scene.timeline import Cue
from polyorama_studio.theme import Metrics, font
from polyorama_studio.timeline.axis import ticks
from polyorama_studio.timeline.cues import CuePopup
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent

    from polyorama_studio.timeline.axis import TimeAxis
    from polyorama_studio.timeline.state import TimelineState

__all__ = ["Ruler", "paint_playhead", "steer"]

_NEAR = 5.0
"""Pixels within which an edge or a flag is taken hold of."""
_ZOOM = 1.0018
"""Of the scale, for a unit of a wheel's turn."""
_FLAG = 11.0


def paint_playhead(painter: QPainter, x: float, top: float, bottom: float, color: QColor) -> None:
    """The line of the playhead, on whole device pixels."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(color, 1.0))
    painter.drawLine(QPointF(round(x), top), QPointF(round(x), bottom))
    painter.restore()


@dataclass(slots=True)
class _Held:
    """What a press has taken hold of."""

    what: str
    """"playhead", "cue", "first", "last", "range" or "pan"."""
    x: float
    cue: Cue | None = None
    moved: bool = False
    at: float = 0.0


class Ruler(QWidget):
    """Scrubs, zooms and pans the axis; edits cues and the range.

    Parameters
    ----------
    state
        What the timeline's parts share.
    axis
        The axis shown; the compact strip has one of its own.
    compact
        Whether keys are shown as ticks, because there is no sheet below.
    """

    def __init__(
        self, state: TimelineState, axis: TimeAxis, parent: QWidget | None = None,
        *, compact: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._state = state
        self._axis = axis
        self._compact = compact
        self._held: _Held | None = None
        self._hover: Cue | None = None
        self._asked: tuple[Cue | None, float] = (None, 0.0)
        self.setFixedHeight(Metrics.timeline_ruler)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Ruler"))
        session = state.session
        state.changed.connect(self.update)
        axis.changed.connect(self.update)
        session.playback.time_changed.connect(self._on_time)
        session.playback.range_changed.connect(self.update)
        session.theme.changed.connect(self.update)

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        self.update()

    @property
    def _cues(self) -> tuple[Cue, ...]:
        timeline = self._state.timeline
        cues = () if timeline is None else timeline.cues
        held = self._held
        if held is None or held.cue is None or not held.moved:
            return cues
        moved = Cue(held.at, held.cue.name, held.cue.note)
        return tuple(moved if cue.name == moved.name else cue for cue in cues)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ground, range, ticks, keys, cues, playhead."""
        tokens = self._state.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, height = self._axis.left, float(self.height())
        area = QRectF(left, 0.0, self.width() - left, height)
        painter.setClipRect(area)
        if self._compact:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("ground"))
            painter.drawRoundedRect(area, Metrics.corner, Metrics.corner)
        else:
            painter.fillRect(area, tokens.color("ground"))
        if self._state.document is None:
            painter.end()
            return
        self._paint_extent(painter, area)
        self._paint_ticks(painter, height)
        if self._compact:
            self._paint_keys(painter, height)
        self._paint_cues(painter, height)
        self._paint_head(painter, height)
        painter.end()

    def _paint_extent(self, painter: QPainter, area: QRectF) -> None:
        """What lies outside the timeline is dimmed; the range of an export lies in the accent."""
        tokens, axis = self._state.session.theme.tokens, self._axis
        outside = tokens.color("stage")
        outside.setAlphaF(0.55)
        first, last = axis.x(0.0), axis.x(axis.duration)
        if first > area.left():
            painter.fillRect(QRectF(area.left(), 0, first - area.left(), area.height()), outside)
        if last < area.right():
            painter.fillRect(QRectF(last, 0, area.right() - last, area.height()), outside)
        chosen = self._state.session.playback.range
        if chosen is not None:
            band = tokens.color("accent")
            band.setAlphaF(0.16)
            low, high = axis.x(chosen[0]), axis.x(chosen[1])
            painter.fillRect(QRectF(low, 0, high - low, area.height()), band)
            painter.setPen(QPen(tokens.color("accent"), 1.0))
            for x, way in ((low, 1.0), (high, -1.0)):
                painter.drawLine(QPointF(x, 0.5), QPointF(x, area.height()))
                painter.drawLine(QPointF(x, 0.5), QPointF(x + 4.0 * way, 0.5))
                painter.drawLine(
                    QPointF(x, area.height() - 0.5), QPointF(x + 4.0 * way, area.height() - 0.5)
                )

    def _paint_ticks(self, painter: QPainter, height: float) -> None:
        tokens, axis = self._state.session.theme.tokens, self._axis
        painter.setFont(font(Metrics.label - 1, tabular=True))
        base = height - 1.0
        for tick in ticks(axis):
            x = round(axis.x(tick.time)) + 0.5
            inside = tick.time <= axis.duration + 1e-9
            long = 7.0 if tick.text else 3.0
            painter.setPen(tokens.color("quiet" if tick.text and inside else "line"))
            painter.drawLine(QPointF(x, base - long), QPointF(x, base))
            if tick.text:
                painter.setPen(tokens.color("text" if tick.whole and inside else "quiet"))
                painter.drawText(QPointF(x + 4.0, base - 3.0), tick.text)

    def _paint_keys(self, painter: QPainter, height: float) -> None:
        """Where keys lie, as short ticks at the top."""
        times = self._state.key_times()
        xs = np.unique(np.round(self._axis.left + (times - self._axis.start) * self._axis.scale))
        painter.setPen(QPen(self._state.session.theme.tokens.color("accent"), 2.0))
        for x in xs.tolist():
            painter.drawLine(QPointF(x, 3.0), QPointF(x, 7.0))

    def _flag(self, cue: Cue) -> QRectF:
        words = QFontMetricsF(font(Metrics.label - 1)).horizontalAdvance(cue.name)
        return QRectF(self._axis.x(cue.time), 1.0, min(words, 140.0) + 10.0, _FLAG + 2.0)

    def _paint_cues(self, painter: QPainter, height: float) -> None:
        tokens = self._state.session.theme.tokens
        painter.setFont(font(Metrics.label - 1))
        metrics = QFontMetricsF(painter.font())
        for cue in self._cues:
            flag = self._flag(cue)
            lit = self._hover is not None and self._hover.name == cue.name
            color = tokens.color("series4")
            painter.setPen(QPen(color, 1.0))
            painter.drawLine(flag.topLeft(), QPointF(flag.left(), height))
            shape = QPolygonF(
                [
                    flag.topLeft(), flag.topRight(),
                    QPointF(flag.right() - 4.0, flag.center().y()), flag.bottomRight(),
                    flag.bottomLeft(),
                ]
            )  # fmt: skip
            fill = tokens.color("panel" if not lit else "raised")
            painter.setBrush(fill)
            painter.drawPolygon(shape)
            painter.setPen(tokens.color("text"))
            room = flag.adjusted(4.0, 0.0, -5.0, 0.0)
            words = metrics.elidedText(cue.name, Qt.TextElideMode.ElideRight, room.width() + 1.0)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_head(self, painter: QPainter, height: float) -> None:
        color = self._state.session.theme.tokens.color("accent")
        x = round(self._axis.x(self._state.session.playback.time))
        paint_playhead(painter, x, 0.0, height, color)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(x - 5.0, 0.0), QPointF(x + 6.0, 0.0), QPointF(x + 6.0, 5.0),
                    QPointF(x + 0.5, 10.5), QPointF(x - 5.0, 5.0),
                ]
            )
        )  # fmt: skip

    # The pointer

    def _cue_at(self, at: QPointF) -> Cue | None:
        for cue in reversed(self._cues):
            if self._flag(cue).adjusted(-2.0, -1.0, 2.0, 1.0).contains(at):
                return cue
        return None

    def _edge_at(self, at: QPointF) -> str:
        chosen = self._state.session.playback.range
        if chosen is None:
            return ""
        for name, seconds in zip(("first", "last"), chosen, strict=True):
            if abs(self._axis.x(seconds) - at.x()) < _NEAR:
                return name
        return ""

    def _over_head(self, at: QPointF) -> bool:
        return abs(self._axis.x(self._state.session.playback.time) - at.x()) < _NEAR + 1.0

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Scrub, or take hold of a cue or an edge of the range; the middle button pans."""
        at = event.position()
        if event.button() == Qt.MouseButton.MiddleButton:
            self._held = _Held("pan", at.x())
            return
        if event.button() != Qt.MouseButton.LeftButton or self._state.document is None:
            return
        edge, cue = self._edge_at(at), self._cue_at(at)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            here = self._time(at.x())
            self._held = _Held("range", at.x(), at=here)
        elif edge:
            self._held = _Held(edge, at.x())
        elif cue is not None and not (self._over_head(at) and at.y() < 6.0):
            self._held = _Held("cue", at.x(), cue=cue, at=cue.time)
        else:
            self._held = _Held("playhead", at.x())
            self._scrub(at.x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with what is held, or show what would be."""
        at, held = event.position(), self._held
        if held is None:
            self._light(at)
            return
        if not held.moved and abs(at.x() - held.x) < 3.0 and held.what in ("cue", "range"):
            return
        held.moved = True
        playback = self._state.session.playback
        if held.what == "pan":
            self._axis.pan(at.x() - held.x)
            held.x = at.x()
        elif held.what == "playhead":
            self._scrub(at.x())
        elif held.what == "cue":
            held.at = self._time(at.x())
            self.update()
        elif held.what == "range":
            playback.set_range(*sorted((held.at, self._time(at.x()))))
        elif playback.range is not None:
            first, last = playback.range
            here = self._time(at.x())
            playback.set_range(*((here, last) if held.what == "first" else (first, here)))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go; a cue that was not dragged is gone to."""
        held, self._held = self._held, None
        if held is None:
            return
        if held.what == "cue" and held.cue is not None:
            cue = held.cue
            if held.moved and held.at != cue.time:
                self._state.run("add_cue", time=held.at, name=cue.name, note=cue.note)
            elif not held.moved:
                self._state.session.playback.seek(cue.time)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Change a cue."""
        cue = self._cue_at(event.position())
        if cue is not None:
            self.edit_cue(cue)

    def edit_cue(self, cue: Cue) -> None:
        """Ask for a cue's name and note."""
        popup = CuePopup(self._state, cue, self)
        popup.open_at(self.mapToGlobal(self._flag(cue).bottomLeft().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is lit."""
        self._hover = None
        self.update()

    def _light(self, at: QPointF) -> None:
        cue = self._cue_at(at)
        if cue is not self._hover:
            self._hover = cue
            self.update()
        if self._edge_at(at):
            self.setCursor(Qt.CursorShape.SizeHorCursor)
        elif cue is not None:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.unsetCursor()

    def _time(self, x: float) -> float:
        seconds = min(max(self._axis.seconds(x), 0.0), self._axis.duration)
        return self._state.snapped(seconds)

    def _scrub(self, x: float) -> None:
        seconds = max(self._axis.seconds(x), 0.0)
        if self._state.snapping:
            seconds = self._axis.frame(seconds)
        self._state.session.playback.scrub(seconds)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; with Shift, or sideways, pan."""
        steer(self._axis, event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Cues and the range."""
        if self._state.document is None:
            return
        at = QPointF(event.pos())
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        cue = self._cue_at(at)
        self._asked = (cue, self._time(at.x()))
        if cue is not None:
            _entry(menu, self.tr("Go to {0}").format(cue.name), "go")
            _entry(menu, self.tr("Change cue..."), "edit")
            _entry(menu, self.tr("Remove cue"), "remove")
            menu.addSeparator()
        _entry(menu, self.tr("Add cue here..."), "add")
        menu.addSeparator()
        _entry(menu, self.tr("Range begins here"), "first")
        _entry(menu, self.tr("Range ends here"), "last")
        _entry(menu, self.tr("Forget the range"), "whole").setEnabled(
            self._state.session.playback.range is not None
        )
        menu.addSeparator()
        _entry(menu, self.tr("Show all"), "fit")
        menu.triggered.connect(self._on_menu)
        menu.popup(event.globalPos())

    @Slot(QAction)
    def _on_menu(self, action: QAction) -> None:
        cue, seconds = self._asked
        playback, verb = self._state.session.playback, action.data()
        if verb == "add":
            self.add_cue(seconds)
        elif verb == "fit":
            self._axis.fit()
        elif verb == "whole":
            playback.set_range()
        elif verb in ("first", "last"):
            first, last = playback.range or (0.0, self._axis.duration)
            playback.set_range(*((seconds, last) if verb == "first" else (first, seconds)))
        elif cue is not None and verb == "go":
            playback.seek(cue.time)
        elif cue is not None and verb == "edit":
            self.edit_cue(cue)
        elif cue is not None:
            self._state.run("remove_cue", name=cue.name)

    def add_cue(self, seconds: float) -> None:
        """Add a cue at a time, and ask for its name."""
        cue = self._state.add_cue(seconds)
        if cue is not None:
            self.edit_cue(cue)

    def event(self, event: QEvent) -> bool:
        """Tooltips of cues: name and note."""
        if event.type() == QEvent.Type.ToolTip:
            cue = self._cue_at(QPointF(event.pos()))
            if cue is None:
                QToolTip.hideText()
                event.ignore()
            else:
                text = f"{cue.name}\n{cue.note}" if cue.note else cue.name
                QToolTip.showText(event.globalPos(), tip(text), self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The axis is as wide as the ruler."""
        self._axis.set_width(self.width() - self._axis.left)


def _entry(menu: QMenu, text: str, verb: str) -> QAction:
    action = menu.addAction(text)
    action.setData(verb)
    return action


def steer(axis: TimeAxis, event: QWheelEvent) -> None:
    """Zoom an axis at the pointer, or pan it: with Shift, or by a sideways wheel."""
    turn = event.angleDelta()
    if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(turn.x()) > abs(turn.y()):
        axis.pan(float(turn.x() or turn.y()))
    elif turn.y():
        axis.zoom(_ZOOM ** turn.y(), event.position().x())
    event.accept()
