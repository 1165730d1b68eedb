"""The ruler: seconds and frames, cues as flags, the range of an export, the playhead."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from polyorama.scene.timeline import Cue
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.timeline.cues import CuePopup
from polyorama_studio.timeline.ruler_painter import RulerPainter, flag_of
from polyorama_studio.timeline.still import Still
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent

    from polyorama_studio.timeline.axis import TimeAxis
    from polyorama_studio.timeline.edits import KeyEdits

__all__ = ["Ruler", "holds_on", "steer", "zoom_of"]

_NEAR = 5.0
"""Pixels within which an edge or a flag is taken hold of."""
_ZOOM = 1.0018
"""Of the scale, for a unit of a wheel's turn."""


@dataclass(slots=True)
class _Held:
    """What a press has taken hold of."""

    what: str
    """"playhead", "cue", "first", "last", "range" or "pan"."""
    x: float
    cue: Cue | None = None
    moved: bool = False
    at: float = 0.0


@guards
class Ruler(QWidget):
    """Scrubs, zooms and pans the axis; edits cues and the range.

    Parameters
    ----------
    edits
        Change cues.
    axis
        The axis shown; the compact strip has one of its own.
    compact
        Whether keys are shown as ticks, because there is no sheet below.
    """

    def __init__(
        self, edits: KeyEdits, axis: TimeAxis, parent: QWidget | None = None,
        *, compact: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._edits, self._state = edits, edits.state
        state = edits.state
        self._axis = axis
        self._painter = RulerPainter(state, axis, compact=compact)
        self._still = Still()
        self._held: _Held | None = None
        self._hover: Cue | None = None
        self._asked: tuple[Cue | None, float] = (None, 0.0)
        self.setFixedHeight(Metrics.timeline_ruler)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Ruler"))
        session = state.session
        state.changed.connect(self.repaint_all)
        axis.changed.connect(self.repaint_all)
        session.playback.time_changed.connect(self._on_time)
        session.playback.range_changed.connect(self.repaint_all)
        session.theme.changed.connect(self.repaint_all)

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

    @Slot()
    def repaint_all(self) -> None:
        """Something else than the time has changed."""
        self._still.forget()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """What is seen of it."""
        size = QRectF(self.rect())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._still.paint(painter, self, partial(self._paint_still, size))
        self._painter.paint_moving(painter, size)
        painter.end()

    def _paint_still(self, size: QRectF, painter: QPainter) -> None:
        lit = "" if self._hover is None else self._hover.name
        self._painter.paint(painter, size, self._cues, lit)

    # The pointer

    def _cue_at(self, at: QPointF) -> Cue | None:
        for cue in reversed(self._cues):
            if flag_of(cue, self._axis).adjusted(-2.0, -1.0, 2.0, 1.0).contains(at):
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
        if self._held is not None and holds_on(event):
            return
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
        elif held.what == "cue" and held.cue is not None:
            # The flag goes along where it was taken hold of.
            held.at = self._time(self._axis.x(held.cue.time) + at.x() - held.x)
            self.repaint_all()
        elif held.what == "range":
            playback.set_range(*sorted((held.at, self._time(at.x()))))
        elif playback.range is not None:
            first, last = playback.range
            here = self._time(at.x())
            playback.set_range(*((here, last) if held.what == "first" else (first, here)))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go; a cue that was not dragged is gone to."""
        if holds_on(event):
            return
        held, self._held = self._held, None
        if held is None:
            return
        if held.what == "cue" and held.cue is not None:
            cue = held.cue
            if held.moved and held.at != cue.time:
                self._edits.run("add_cue", time=held.at, name=cue.name, note=cue.note)
            elif not held.moved:
                self._state.session.playback.seek(cue.time)
        self.repaint_all()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Change a cue."""
        cue = self._cue_at(event.position())
        if cue is not None:
            self.edit_cue(cue)

    def edit_cue(self, cue: Cue) -> None:
        """Ask for a cue's name and note."""
        popup = CuePopup(self._edits, cue, self)
        popup.open_at(self.mapToGlobal(flag_of(cue, self._axis).bottomLeft().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is lit."""
        self._hover = None
        self.repaint_all()

    def _light(self, at: QPointF) -> None:
        cue = self._cue_at(at)
        if cue is not self._hover:
            self._hover = cue
            self.repaint_all()
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
            self._edits.run("remove_cue", name=cue.name)

    def add_cue(self, seconds: float) -> None:
        """Add a cue at a time, and ask for its name."""
        cue = self._edits.add_cue(seconds)
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
        axis.zoom(zoom_of(turn.y()), event.position().x())
    event.accept()


def zoom_of(turn: int) -> float:
    """Factor of a wheel's turn, in eighths of a degree."""
    return float(_ZOOM**turn)


def holds_on(event: QMouseEvent) -> bool:
    """Whether other buttons than an event's are down: what the first one holds, it keeps."""
    return bool(event.buttons() & ~event.button())
