"""The score: everything about the performance that lies along time, lane below lane."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter, QPen, QPixmap
from PySide6.QtWidgets import QToolTip, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.newest import Newest
from polyorama_studio.theme import Metrics, font
from polyorama_studio.timeline.axis import TimeAxis
from polyorama_studio.timeline.peaks import peaks_of
from polyorama_studio.timeline.ruler_painter import paint_playhead
from polyorama_studio.words import tip
from polyorama_studio.workspaces.face.lane import Lane, RulerLane, WaveLane, loudness
from polyorama_studio.workspaces.face.lane_curves import CurveLane
from polyorama_studio.workspaces.face.lane_phones import PhoneLane, VisemeLane
from polyorama_studio.workspaces.face.lane_spans import EmotionLane, SpanLane
from polyorama_studio.workspaces.face.typed import TypeOver

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent

    from polyorama.core.jobs import Job
    from polyorama.scene.contents import Audio
    from polyorama_studio.timeline.peaks import Peaks
    from polyorama_studio.workspaces.face.desk import Desk

__all__ = ["Score", "VoiceWaves"]

_ZOOM = 1.18
_FPS = 60.0
_LEAST_CURVES = 40.0


class VoiceWaves(QObject):
    """Peaks and loudness of the voice, found on a worker thread."""

    came = Signal()

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self.peaks: Peaks | None = None
        self.levels: NDArray[np.float32] | None = None
        self._of: NDArray[np.float32] | None = None
        self._asking = Newest(desk.session, "read the waveform", self)
        desk.changed.connect(self._look)
        self._look()

    @Slot()
    def _look(self) -> None:
        sound = self._desk.script.sound
        samples = None if sound is None else sound.samples
        if samples is self._of:
            return
        self._of, self.peaks, self.levels = samples, None, None
        self._asking.forget()
        if sound is not None:
            self._asking.ask(
                partial(_waves_of, sound), partial(self._found, samples),
                self._desk.session.report,
            )  # fmt: skip
        self.came.emit()

    def _found(self, samples: object, found: tuple[Peaks, NDArray[np.float32]]) -> None:
        if samples is self._of:
            self.peaks, self.levels = found
            self.came.emit()


def _waves_of(sound: Audio) -> Job[tuple[Peaks, NDArray[np.float32]]]:
    peaks = yield from peaks_of(sound.samples, sound.rate)
    return peaks, loudness(sound.samples, sound.rate)


@guards
class Score(QWidget):
    """Ruler, voice, phones, visemes, emotion, parts of takes, curves; the wheel zooms.

    Up and Down choose a lane, Left and Right what lies in it, Alt and the arrows move that.
    """

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("faceScore")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Voice, phones, emotion and curves along time"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.session, self.desk = desk.session, desk
        self.axis = TimeAxis(float(Metrics.face_labels), self)
        self.waves = VoiceWaves(desk, self)
        self.phones = PhoneLane(self)
        self.emotion = EmotionLane(self)
        self.spans = SpanLane(self)
        self.curves = CurveLane(self)
        self.lanes: tuple[Lane, ...] = (
            RulerLane(self), WaveLane(self), self.phones, VisemeLane(self, self.phones),
            self.emotion, self.spans, self.curves,
        )  # fmt: skip
        self.current: Lane = self.phones
        self._held: Lane | None = None
        self._pan: QPointF | None = None
        self._picture: QPixmap | None = None
        self.typing = TypeOver(self)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self.repaint_lanes)
        desk.changed.connect(self._on_changed)
        for signal in (
            desk.performed, desk.chosen_changed, desk.solo_changed, self.waves.came,
            self.axis.changed, self.session.theme.changed, self.session.playback.range_changed,
        ):  # fmt: skip
            signal.connect(self._later.start)
        self.session.playback.time_changed.connect(self._on_time)
        self._on_changed()

    def sizeHint(self) -> QSize:
        """As high as the foot."""
        return QSize(4 * Metrics.face_side, Metrics.face_foot - Metrics.face_bar)

    # Places

    def _lay_out(self) -> None:
        shown = [lane for lane in self.lanes if lane.shown]
        fixed = sum(lane.high for lane in shown)
        rest = max(self.height() - fixed - Metrics.space[0], _LEAST_CURVES)
        top = 0.0
        left = self.axis.left
        for lane in self.lanes:
            high = (lane.high or rest) if lane.shown else 0.0
            lane.box = QRectF(left, top, self.width() - left, high)
            top += high

    def lane_at(self, y: float) -> Lane | None:
        """The lane at a height."""
        return next(
            (ln for ln in self.lanes if ln.shown and ln.box.top() <= y < ln.box.bottom()), None
        )

    @Slot()
    def _on_changed(self) -> None:
        self.typing.end()
        self.axis.set_timeline(max(self.desk.seconds, 1.0), _FPS)
        self._lay_out()
        self.repaint_lanes()

    @Slot()
    def repaint_lanes(self) -> None:
        """Paint all anew."""
        self._picture = None
        self.update()

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        if self.isVisible():
            if self.session.playback.playing:
                self.axis.follow(self.desk.time)
            self.update()

    def seek(self, time: float, *, scrub: bool = False) -> None:
        """Go to a time, s from the beginning of the performance."""
        time = min(max(time, 0.0), max(self.desk.seconds, 0.0)) + self.desk.start
        playback = self.session.playback
        (playback.scrub if scrub else playback.seek)(time)

    # Painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lanes find their places."""
        self.axis.set_width(self.width() - self.axis.left - Metrics.space[1])
        self._lay_out()
        self._picture = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """The lanes as they were painted last, the playhead over them."""
        painter = QPainter(self)
        if self._picture is None:
            self._picture = self._painted()
        painter.drawPixmap(0, 0, self._picture)
        if self.desk.seconds > 0.0:
            x = self.axis.x(self.desk.time)
            if x >= self.axis.left:
                color = self.session.theme.tokens.color("accent")
                paint_playhead(painter, x, 2.0, self.height(), color)
        if self.hasFocus():
            painter.setPen(self.session.theme.tokens.color("accent"))
            box = self.current.box
            y = box.top() + 3.0
            painter.drawLine(QPointF(1.5, y), QPointF(1.5, box.bottom() - 3.0))
        painter.end()

    def _painted(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        tokens = self.session.theme.tokens
        picture.fill(tokens.color("panel"))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for lane in self.lanes:
            if not lane.shown:
                continue
            painter.save()
            painter.setClipRect(lane.box)
            lane.paint(painter)
            painter.restore()
            room = QRectF(
                Metrics.space[2],
                lane.box.top(),
                self.axis.left - Metrics.space[3],
                lane.box.height(),
            )
            lane.paint_name(painter, room)
        if self.desk.seconds <= 0.0:
            painter.setPen(tokens.color("quiet"))
            painter.setFont(font(Metrics.body))
            room = QRectF(self.rect()).adjusted(self.axis.left, 0.0, 0.0, -self.curves.box.height())
            words = self.tr("What is said will stand here, phone by phone")
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)
        painter.setPen(QPen(tokens.color("line"), 1.0))
        x = self.axis.left - 0.5
        painter.drawLine(QPointF(x, 0.0), QPointF(x, self.height()))
        painter.end()
        return picture

    # The hand

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take what is under the pointer; the middle button drags time."""
        self.typing.end()
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pan = event.position()
            return
        lane = self.lane_at(event.position().y())
        if lane is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self.current = lane
        if event.position().x() >= self.axis.left and self.desk.seconds > 0.0 and lane.press(event):
            self._held = lane
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag on, or show what can be dragged."""
        if self._pan is not None:
            self.axis.pan(event.position().x() - self._pan.x())
            self._pan = event.position()
        elif self._held is not None:
            self._held.move(event)
        else:
            lane = self.lane_at(event.position().y())
            inside = lane is not None and event.position().x() >= self.axis.left
            shape = Qt.CursorShape.ArrowCursor
            if lane is not None and inside:
                shape = lane.cursor(event.position())
            self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self._pan = None
        held, self._held = self._held, None
        if held is not None:
            held.release()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """What a lane does with a double click."""
        lane = self.lane_at(event.position().y())
        if lane is not None and event.position().x() >= self.axis.left and self.desk.speaks:
            if self._held is not None:
                self._held.release()
                self._held = None
            lane.double(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom to the pointer; with Shift, or sideways, scroll."""
        delta = event.angleDelta()
        sideways = delta.x() or (
            delta.y() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0
        )
        if sideways:
            self.axis.pan(0.6 * sideways)
        elif delta.y():
            self.axis.zoom(_ZOOM ** (delta.y() / 120.0), event.position().x())
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Hints; keys of the score are no shortcuts of the window while it has the focus."""
        if event.type() == QEvent.Type.ToolTip:
            at = QPointF(event.pos())
            lane = self.lane_at(at.y())
            words = "" if lane is None or at.x() < self.axis.left else lane.words(at)
            if words:
                QToolTip.showText(event.globalPos(), tip(words), self)
            else:
                QToolTip.hideText()
            return True
        if event.type() == QEvent.Type.ShortcutOverride and event.key() in _OWN_KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Lanes, what lies in them, zoom."""
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape and self._held is not None:
            held, self._held = self._held, None
            held.cancel()
        elif self.current.key(event):
            pass
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            shown = [lane for lane in self.lanes if lane.shown]
            at = shown.index(self.current) if self.current in shown else 0
            at = min(max(at + (1 if key == Qt.Key.Key_Down else -1), 0), len(shown) - 1)
            self.current = shown[at]
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            by = -1 if key == Qt.Key.Key_Left else 1
            if not self.current.step(by):
                self.seek(self.desk.time + by / _FPS)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            factor = 1.0 / _ZOOM if key == Qt.Key.Key_Minus else _ZOOM
            self.axis.zoom(factor, self.axis.x(self.desk.time))
        elif key == Qt.Key.Key_Home:
            self.axis.fit()
        else:
            super().keyPressEvent(event)
            return
        self.repaint_lanes()

    def focusInEvent(self, event: QEvent) -> None:
        """Show which lane has the keys."""
        self.update()

    def focusOutEvent(self, event: QEvent) -> None:
        """No lane has them."""
        self.update()

    def type_over(self, place: QRectF, text: str, done: Callable[[str], None]) -> None:
        """Let a phone be typed at a place."""
        self.typing.begin(place, text, self.tr("Phone"), done)


_OWN_KEYS = frozenset(
    (
        Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Escape,
        Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_S, Qt.Key.Key_M, Qt.Key.Key_K,
        Qt.Key.Key_Home, Qt.Key.Key_Return, Qt.Key.Key_Enter,
    )
)  # fmt: skip
