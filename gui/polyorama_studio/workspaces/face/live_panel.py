"""The live panel: a microphone, how long sound takes to become a picture, where values go."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from polyorama_studio.fields.buttons import IconButton
from polyorama_studio.fields.segments import SegmentField
from polyorama_studio.fields.simple import ChoiceField
from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.newest import Newest
from polyorama_studio.panels.parts import column_of
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip
from polyorama_studio.workspaces.face.outputs import Outputs
from polyorama_studio.workspaces.face.works import LiveFigures, LiveSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PySide6.QtGui import QPaintEvent, QShowEvent

    from polyorama.scene.faces.script import FaceScript
    from polyorama_studio.workspaces.face.desk import Desk
    from polyorama_studio.workspaces.face.works import Device, LiveLine

__all__ = ["LatencyMeter", "LevelMeter", "LivePanel"]

_TICK_MS = 16
_ROW = 17.0
_METERS_MS = 100
_LEAST_DB = -60.0
_LOUD_DB, _TOO_LOUD_DB = -12.0, -2.0
_TARGETS = {20: 100.0, 60: 140.0}
_SERIES = ("series1", "series3", "series5", "series2", "series4", "series6")


@guards
class LevelMeter(QWidget):
    """How loud the microphone is; the mark is the loudest of the last moment."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self.session = desk.session
        self.setFixedHeight(Metrics.space[1])
        self.setAccessibleName(self.tr("Level of the microphone"))
        self.level = self.peak = -120.0

    def show_level(self, level: float) -> None:
        """Show another level, dB below full."""
        self.level = level
        self.peak = max(level, self.peak - 1.2)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A bar: good, loud, too loud."""
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.0, 1.0, 0.0, -1.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.color("raised"))
        painter.drawRoundedRect(box, 2.0, 2.0)
        share = min(max(1.0 - self.level / _LEAST_DB, 0.0), 1.0)
        token = "bad" if self.level > _TOO_LOUD_DB else "warn" if self.level > _LOUD_DB else "good"
        painter.setBrush(tokens.color(token))
        if share > 0.0:
            filled = QRectF(box)
            filled.setWidth(share * box.width())
            painter.drawRoundedRect(filled, 2.0, 2.0)
        mark = min(max(1.0 - self.peak / _LEAST_DB, 0.0), 1.0)
        if mark > 0.0:
            painter.setPen(QPen(tokens.color("text"), 1.5))
            x = box.left() + mark * box.width()
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        painter.end()


def _brief(milliseconds: float) -> str:
    return f"{milliseconds:.{0 if milliseconds >= 99.95 else 1}f}"


@guards
class LatencyMeter(QWidget):
    """From sound to picture, part by part: medians side by side, the 95th percentile as a mark."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self.session = desk.session
        self.setAccessibleName(self.tr("Latency"))
        self.figures: LiveFigures | None = None
        self.target = _TARGETS[20]
        self.setMinimumHeight(4 * Metrics.row)
        self.setToolTip(tip(self.tr(
            "From sound to picture, stage by stage over the last 10 s: median / 95th percentile\n"
            "The dashed mark is what is aimed at"
        )))  # fmt: skip

    def sizeHint(self) -> QSize:
        """A bar and a few lines."""
        return QSize(Metrics.face_pad, 6 * Metrics.row)

    def show_figures(self, figures: LiveFigures | None, target: float) -> None:
        """Show how it goes."""
        self.figures, self.target = figures, target
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The sum, the bar, what each part takes."""
        tokens, figures = self.session.theme.tokens, self.figures
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = float(self.width())
        total = None if figures is None else figures.total
        painter.setFont(font(Metrics.start, tabular=True))
        late = total is not None and total.p95 > self.target
        painter.setPen(tokens.color("quiet" if total is None else "bad" if late else "text"))
        words = self.tr("Off") if total is None else f"{total.median:.0f} ms"
        painter.drawText(QRectF(0.0, 0.0, width, 26.0), Qt.AlignmentFlag.AlignVCenter, words)
        wide = painter.fontMetrics().horizontalAdvance(words)
        painter.setFont(font(Metrics.label, tabular=True))
        painter.setPen(tokens.color("quiet"))
        more = self.tr("from sound to picture")
        if total is not None:
            more = self.tr("median, {0} ms at the 95th percentile").format(f"{total.p95:.0f}")
        left = wide + Metrics.space[1]
        painter.drawText(QRectF(left, 2.0, width - left, 26.0), Qt.AlignmentFlag.AlignVCenter, more)
        bar = QRectF(0.0, 30.0, width, 8.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.color("raised"))
        painter.drawRoundedRect(bar, 2.0, 2.0)
        most = max(1.25 * self.target, 0.0 if total is None else 1.05 * total.p95)
        if figures is not None:
            self._paint_parts(painter, bar, most, figures)
        x = bar.left() + bar.width() * self.target / most
        painter.setPen(QPen(tokens.color("warn"), 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, bar.top() - 4.0), QPointF(x, bar.bottom() + 4.0))
        painter.end()

    def _paint_parts(
        self, painter: QPainter, bar: QRectF, most: float, figures: LiveFigures
    ) -> None:
        tokens = self.session.theme.tokens
        x = bar.left()
        columns = 2
        wide = self.width() / columns
        rows = -(-len(figures.stages) // columns)
        high = min((self.height() - bar.bottom() - 4.0) / max(rows, 1), _ROW)
        size = Metrics.label if high >= Metrics.label + 2.0 else Metrics.small
        for number, part in enumerate(figures.stages):
            color = tokens.color(_SERIES[number % len(_SERIES)])
            long = bar.width() * part.median / most
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRect(QRectF(x, bar.top(), max(long - 1.0, 0.5), bar.height()))
            x += long
            row, column = divmod(number, columns)
            line = QRectF(column * wide, bar.bottom() + 4.0 + row * high, wide - 12.0, high)
            painter.drawEllipse(QPointF(line.left() + 3.0, line.center().y()), 3.0, 3.0)
            painter.setFont(font(size))
            painter.setPen(tokens.color("quiet"))
            words = line.adjusted(11.0, 0.0, 0.0, 0.0)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, part.title)
            painter.setFont(font(size, tabular=True))
            painter.setPen(tokens.color("text"))
            number_words = f"{_brief(part.median)} / {_brief(part.p95)} ms"
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(words, flags, number_words)
        if figures.total is not None:
            x = bar.left() + bar.width() * figures.total.p95 / most
            painter.setPen(QPen(tokens.color("text"), 1.5))
            painter.drawLine(QPointF(x, bar.top() - 3.0), QPointF(x, bar.bottom() + 3.0))


def _ended(line: LiveLine, keep: bool) -> FaceScript | None:
    """End it on a worker thread; what was recorded."""
    try:
        return line.recorded() if keep else None
    finally:
        line.close()


@guards
class LivePanel(QWidget):
    """Start, meters, outputs, recording."""

    running_changed = Signal(bool)

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk, self.session = desk, desk.session
        theme = desk.session.theme
        self.line: LiveLine | None = None
        self.recording = False
        self._wanted = False
        """Whether a line that is being started is still wanted."""
        self._used: LiveSettings | None = None
        """With what it was started."""
        self._count = 0
        self._starting = Newest(self.session, "start the microphone", self)
        self._seeking = Newest(self.session, "look for microphones", self)
        self.device = ChoiceField([("", self.tr("Looking for microphones"))],
                                  self.tr("Microphone"), self)  # fmt: skip
        self.device.set_value("")
        self.look = IconButton(theme, "again", self.tr("Look for microphones again"), self)
        self.start = QPushButton(self.tr("Start"), self)
        self.start.setProperty("primary", "true")
        self.record = QPushButton(self.tr("Record"), self)
        self.record.setCheckable(True)
        self.record.setToolTip(tip(self.tr("Keep what is said, and lay it on the timeline")))
        self.ahead = SegmentField(
            theme, [("20", self.tr("20 ms")), ("60", self.tr("60 ms"))], self.tr("Look-ahead"), self
        )  # fmt: skip
        self.ahead.setToolTip(tip(self.tr(
            "How far it listens ahead: later lips are better lips\npolyorama face live --lookahead"
        )))  # fmt: skip
        self.level = LevelMeter(desk, self)
        self.latency = LatencyMeter(desk, self)
        self.lost = QLabel(self)
        self.lost.setProperty("fine", "true")
        self.note = QLabel(self)
        self.note.setProperty("fine", "true")
        self.note.setWordWrap(True)
        self.outputs = Outputs(theme, self)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._lay_out()
        self.start.clicked.connect(self.toggle)
        self.record.clicked.connect(self.set_recording)
        self.look.clicked.connect(self.look_for_devices)
        self.ahead.chosen.connect(self._on_setting)
        self.device.chosen.connect(self._on_setting)
        self.outputs.changed.connect(self._on_setting)
        desk.rig_changed.connect(self.refresh)
        theme.changed.connect(self._tint)
        self._tint()
        self.refresh()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(Metrics.space[0])
        for widget in (self.device, self.look):
            top.addWidget(widget, 1 if widget is self.device else 0)
        below = QHBoxLayout()
        below.setSpacing(Metrics.space[0])
        for widget in (self.ahead, self.start, self.record):
            below.addWidget(widget, 1)
        foot = QHBoxLayout()
        foot.addWidget(self.note, 1)
        foot.addWidget(self.lost)
        column = column_of(self)
        gap = Metrics.space[2]
        column.setContentsMargins(gap, Metrics.space[1], gap, Metrics.space[1])
        column.setSpacing(Metrics.space[1])
        column.addLayout(top)
        column.addLayout(below)
        column.addWidget(self.level)
        column.addWidget(self.latency, 1)
        column.addWidget(self.outputs)
        column.addLayout(foot)

    @Slot()
    def _tint(self) -> None:
        tokens = self.session.theme.tokens
        token = "bad" if self.recording else "text"
        self.record.setIcon(icon("record", tokens.color(token), tokens.color("line")))

    # Devices

    @Slot()
    def look_for_devices(self) -> None:
        """See which microphones there are."""
        self._seeking.ask(self._desk.works.devices, self._on_devices, self._on_no_devices)

    def _on_devices(self, devices: list[Device]) -> None:
        known = self.device.value
        if devices:
            self.device.set_choices([(d.id, d.title) for d in devices])
            ids = [d.id for d in devices]
            self.device.set_value(known if known in ids else ids[0])
            self.tell("")
        else:
            self.device.set_choices([("", self.tr("No microphone"))])
            self.device.set_value("")
            self.tell(self.tr("No microphone was found; plug one in, then look again."))
        self.refresh()

    def _on_no_devices(self, error: BaseException) -> None:
        self.device.set_choices([("", self.tr("No microphone"))])
        self.device.set_value("")
        self.tell(str(error))
        self.refresh()

    # Running

    @property
    def running(self) -> bool:
        """Whether a microphone is listened to."""
        return self.line is not None

    @property
    def settings(self) -> LiveSettings:
        """As the fields say."""
        return LiveSettings(
            self.device.value, int(self.ahead.value),
            self.outputs.live_link_address, self.outputs.osc_address,
        )  # fmt: skip

    @Slot()
    def toggle(self) -> None:
        """Start, or stop."""
        if self.running:
            self.stop()
        else:
            self.begin()

    def begin(self, before: LiveLine | None = None) -> None:
        """Listen to the microphone, once what listened `before` has ended."""
        self._wanted = True
        if self._starting.busy:
            return
        self.session.playback.set_playing(False)
        settings = self._used = self.settings
        self.start.setEnabled(False)
        self.tell(self.tr("Opening the microphone"))
        self._starting.ask(
            partial(self._opened, settings, before), self._on_started, self._on_failed
        )
        self.session.log_python(f"polyorama face live --lookahead {settings.lookahead_ms}")

    def _opened(self, settings: LiveSettings, before: LiveLine | None) -> LiveLine:
        """On a worker thread: devices take their time."""
        if before is not None:
            before.close()
        return self._desk.works.live(settings, self._may_rescan)

    def _may_rescan(self) -> bool:
        """On the microphone's thread: looking for devices anew would silence what plays."""
        return not self.session.playback.playing

    def _on_started(self, line: LiveLine) -> None:
        if not self._wanted:
            # Somebody went away while the microphone was being opened.
            self._end(line, keep=False)
            self.refresh()
            return
        self.line = line
        self.tell("")
        self._timer.start()
        if self.recording:
            line.set_recording(True)
        self.refresh()
        self.running_changed.emit(True)

    def _on_failed(self, error: BaseException) -> None:
        self.set_recording(False)
        self.tell(str(error))
        self.refresh()
        self.session.report(error)

    def stop(self) -> None:
        """End it; what was recorded goes to the timeline."""
        line, self.line = self.line, None
        self._timer.stop()
        if line is not None:
            self._end(line, keep=self.recording)
        self.recording = self._wanted = False
        self._desk.show_live(None)
        self.level.show_level(-120.0)
        self.refresh()
        self.running_changed.emit(False)

    def leave(self) -> None:
        """Nothing is live behind another workspace's back, but for what is recorded."""
        if self._wanted and not self.recording:
            self.stop()

    def _end(self, line: LiveLine, *, keep: bool) -> None:
        self._desk.ask(partial(_ended, line, keep), self._on_ended, "end the live face")

    def _on_ended(self, recorded: FaceScript | None) -> None:
        if recorded is not None:
            self._desk.speak(recorded, self.tr("Recording"))

    @Slot(bool)
    def set_recording(self, recording: bool) -> None:
        """Keep what comes from now on; at the end it goes to the timeline."""
        if recording and self.line is None:
            self.recording = True
            self.begin()
        elif recording and self.line is not None:
            self.recording = True
            self.line.set_recording(True)
        elif self.recording:
            self.stop()
        self._tint()
        self.refresh()

    @Slot()
    @Slot(str)
    @Slot(bool)
    def _on_setting(self, value: object = None) -> None:
        """Other settings take hold with a new start."""
        if self.running and not self.recording and self.settings != self._used:
            line, self.line = self.line, None
            self.begin(line)

    @Slot(object)
    def on_seen(self, weights: NDArray[np.float32]) -> None:
        """A face that came from here can be seen."""
        if self.line is not None:
            self.line.presented(weights)

    @Slot()
    def _tick(self) -> None:
        line = self.line
        if line is None:
            return
        figures = line.figures()
        if figures.weights is not None and figures.weights is not self._desk.live_weights:
            self._desk.show_live(figures.weights)
        self._count = (self._count + 1) % max(_METERS_MS // _TICK_MS, 1)
        if self._count == 0:
            self.level.show_level(figures.level)
            self.latency.show_figures(figures, _TARGETS[int(self.ahead.value)])
            lost = self.tr("No block lost") if not figures.lost else (
                self.tr("{0} blocks lost").format(figures.lost)
            )  # fmt: skip
            self.lost.setText(lost)
            waiting = figures.state == "waiting"
            self.tell(
                figures.note
                or (self.tr("The microphone is gone; waiting for it") if waiting else "")
            )
        if figures.state == "ended":
            self.stop()
            self.tell(figures.note)

    def tell(self, words: str) -> None:
        """Say how it stands, in a line."""
        if words != self.note.text():
            self.note.setText(words)

    # Showing

    def showEvent(self, event: QShowEvent) -> None:
        """See which microphones there are."""
        super().showEvent(event)
        if not self.device.value and not self._seeking.busy:
            self.look_for_devices()

    @Slot()
    def refresh(self) -> None:
        """Show how things stand."""
        able = self._desk.rig is not None and bool(self.device.value)
        self.start.setText(self.tr("Stop") if self.running else self.tr("Start"))
        self.start.setEnabled((able or self.running) and not self._starting.busy)
        self.record.setEnabled(able or self.running)
        self.record.setChecked(self.recording)
        for widget in (self.device, self.look, self.ahead, self.outputs):
            widget.setEnabled(not self.recording)
        self.record.setText(self.tr("Recording") if self.recording else self.tr("Record"))
        if not self.running:
            self.lost.setText("")
            self.latency.show_figures(None, _TARGETS[int(self.ahead.value)])
        self._tint()

    def close_line(self) -> None:
        """The window closes."""
        line, self.line, self._wanted = self.line, None, False
        self._timer.stop()
        if line is not None:
            line.close()
