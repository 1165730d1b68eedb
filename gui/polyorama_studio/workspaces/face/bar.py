"""The bar over the score: playing, what is said, zoom, export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
)

from polyorama_studio.fields.segments import SegmentField
from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from polyorama_studio.workspaces.face.desk import Desk
    from polyorama_studio.workspaces.face.score import Score

__all__ = ["Bar"]

_STEP = 1.5


class Bar(QFrame):
    """A row of buttons and the transcript."""

    export_asked = Signal(str)
    """Id of a format."""
    pad_chosen = Signal(str)

    def __init__(self, desk: Desk, score: Score, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("faceBar")
        self.setFixedHeight(Metrics.face_bar)
        self._desk, self._score, self._session = desk, score, desk.session
        self._icons: list[tuple[QToolButton | QPushButton, str]] = []
        playback = self._session.playback
        self.to_start = self._button("to-start", self.tr("To the start"), self._to_start)
        self.play = self._button("play", self.tr("Play"), playback.toggle)
        self.play.setToolTip(tip(self.tr("Play or pause  (Space)")))
        self.loop = self._button("loop", self.tr("Loop"), self.toggle_loop)
        self.loop.setCheckable(True)
        self.loop.setToolTip(tip(self.tr(
            "Play again and again; drag on the ruler with Shift to loop a part"
        )))  # fmt: skip
        self.time = QLabel(self)
        self.time.setFont(font(Metrics.label, tabular=True))
        self.time.setProperty("fine", "true")
        wide = self.time.fontMetrics().horizontalAdvance("888.88 / 888.88 s")
        self.time.setMinimumWidth(wide + Metrics.space[1])
        self.transcript = QLineEdit(self)
        self.transcript.setPlaceholderText(
            self.tr("What is said; leave it empty to have it recognised")
        )
        self.transcript.setAccessibleName(self.tr("Transcript"))
        self.align = QPushButton(self.tr("Align"), self)
        self.align.setProperty("tight", "true")
        self.align.setToolTip(tip(self.tr(
            "Find when each phone is said\npolyorama face align voice.wav --text ..."
        )))  # fmt: skip
        self.less = self._button("minus", self.tr("Zoom out"), self._zoom_out)
        self.more = self._button("add", self.tr("Zoom in"), self._zoom_in)
        self.fit = self._button("frame", self.tr("Show all"), score.axis.fit)
        self.pad = SegmentField(
            self._session.theme, [("takes", self.tr("Takes")), ("live", self.tr("Live"))],
            self.tr("What stands at the right"), self,
        )  # fmt: skip
        self.export = QPushButton(self.tr("Export"), self)
        self.export.setProperty("tight", "true")
        self.menu = QMenu(self)
        for exporter in desk.works.exporters:
            action = self.menu.addAction(f"{exporter.title}...")
            action.setData(exporter.id)
        self.menu.triggered.connect(self._on_export)
        self.export.clicked.connect(self.ask_export)
        self._icons.append((self.export, "export"))
        self._lay_out()
        self.transcript.returnPressed.connect(self.ask_align)
        self.align.clicked.connect(self.ask_align)
        self.pad.chosen.connect(self.pad_chosen)
        desk.changed.connect(self.refresh)
        desk.performed.connect(self.refresh)
        desk.working_changed.connect(self.refresh)
        playback.playing_changed.connect(self._on_playing)
        playback.time_changed.connect(self._on_time)
        self._session.editing.edited.connect(self._on_edited)
        self._session.theme.changed.connect(self._tint)
        self._tint()
        self.refresh()

    def _button(self, name: str, title: str, slot) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setIconSize(QSize(Metrics.icon, Metrics.icon))
        button.setFixedSize(Metrics.control, Metrics.control)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(title)
        button.setToolTip(tip(title))
        button.clicked.connect(slot)
        self._icons.append((button, name))
        return button

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(Metrics.space[1], 0, Metrics.space[2], 0)
        row.setSpacing(Metrics.space[0])
        for button in (self.to_start, self.play, self.loop):
            row.addWidget(button)
        row.addWidget(self.time)
        row.addWidget(self.transcript, 1)
        row.addWidget(self.align)
        row.addSpacing(Metrics.space[1])
        for button in (self.less, self.more, self.fit):
            row.addWidget(button)
        row.addSpacing(Metrics.space[2])
        row.addWidget(self.pad)
        row.addSpacing(Metrics.space[1])
        row.addWidget(self.export)

    @Slot()
    def _tint(self) -> None:
        tokens = self._session.theme.tokens
        disabled = tokens.color("line")
        for button, name in self._icons:
            shown = "pause" if name == "play" and self._session.playback.playing else name
            on = isinstance(button, QToolButton) and button.isChecked()
            button.setIcon(icon(shown, tokens.color("accent" if on else "text"), disabled))

    # What a person does

    @Slot()
    def _to_start(self) -> None:
        self._score.seek(0.0)

    @Slot()
    def toggle_loop(self) -> None:
        """Play again and again, or once."""
        document = self._session.editing.document
        if document is not None:
            end = "hold" if document.timeline.loop == "loop" else "loop"
            self._session.editing.run("set_timeline", loop=end)
            self._tint()

    @Slot()
    def ask_align(self) -> None:
        """Find the phones of what the field says."""
        self._desk.align(self.transcript.text().strip())

    @Slot()
    def _zoom_in(self) -> None:
        self._score.axis.zoom(_STEP, self._score.axis.x(self._desk.time))

    @Slot()
    def _zoom_out(self) -> None:
        self._score.axis.zoom(1.0 / _STEP, self._score.axis.x(self._desk.time))

    @Slot()
    def ask_export(self) -> None:
        """Offer the formats."""
        self.menu.popup(self.export.mapToGlobal(self.export.rect().topLeft()))

    def _on_export(self, action) -> None:
        self.export_asked.emit(action.data())

    # Showing

    @Slot(bool)
    def _on_playing(self, playing: bool) -> None:
        title = self.tr("Pause") if playing else self.tr("Play")
        self.play.setAccessibleName(title)
        self._tint()

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        if self.isVisible():
            self._show_time()

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        self.refresh()

    def _show_time(self) -> None:
        desk = self._desk
        text = self.tr("{0} / {1} s").format(f"{max(desk.time, 0.0):.2f}", f"{desk.seconds:.2f}")
        self.time.setText(text)

    @Slot()
    def refresh(self) -> None:
        """Show how things stand."""
        desk, document = self._desk, self._session.editing.document
        speaks, sounds = desk.seconds > 0.0, desk.script.sound is not None
        for widget in (self.to_start, self.play, self.less, self.more, self.fit):
            widget.setEnabled(speaks)
        self.loop.setEnabled(document is not None)
        looped = document is not None and document.timeline.loop == "loop"
        if looped != self.loop.isChecked():
            self.loop.setChecked(looped)
            self._tint()
        self.align.setEnabled(sounds and not desk.listening)
        self.transcript.setEnabled(sounds)
        self.export.setEnabled(desk.take is not None)
        typing = self.transcript.hasFocus() and self.transcript.isModified()
        if not typing and self.transcript.text() != desk.script.transcript:
            self.transcript.setText(desk.script.transcript)
            self.transcript.setCursorPosition(0)
        self._show_time()
