"""The transport: play, steps, time, speed, length; and in the compact form the strip beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics
from polyorama_studio.timeline.axis import TimeAxis
from polyorama_studio.timeline.ruler import Ruler
from polyorama_studio.timeline.time_fields import TimeFields

if TYPE_CHECKING:
    from polyorama_studio.timeline.edits import KeyEdits
    from polyorama_studio.timeline.sound import Sound

__all__ = ["Transport"]

_LOOPS = {"hold": "once", "loop": "loop", "ping-pong": "ping-pong"}


class Transport(QFrame):
    """A row of buttons and fields; everything goes through playback and operations."""

    opened_asked = Signal()
    """Open the timeline, or fold it to the strip."""
    tab_asked = Signal(str)
    key_view_asked = Signal()
    key_chosen_asked = Signal()

    def __init__(self, edits: KeyEdits, sound: Sound, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("transport")
        self._state = state = edits.state
        self._session = state.session
        self._auto_key = state.session.playback.auto_key
        self._sound = sound
        self._icons: list[tuple[QToolButton, str, str]] = []
        self._compact = False
        self.strip_axis = TimeAxis(parent=self)
        self.strip = Ruler(edits, self.strip_axis, self, compact=True)
        self._make_buttons()
        self.fields = TimeFields(self._session, self)
        self._lay_out()
        playback = self._session.playback
        playback.playing_changed.connect(self._on_playing)
        playback.options_changed.connect(self.refresh)
        self._auto_key.changed.connect(self.refresh)
        sound.changed.connect(self.refresh)
        state.changed.connect(self.refresh)
        self._session.theme.changed.connect(self._tint)
        self._tint()
        self.refresh()

    # Making

    def _button(self, name: str, title: str, slot, *, tip: str = "", checkable: bool = False):
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setIconSize(QSize(Metrics.icon, Metrics.icon))
        button.setFixedSize(Metrics.control, Metrics.control)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(title)
        button.setToolTip(tip or title)
        button.setCheckable(checkable)
        if slot is not None:
            button.clicked.connect(slot)
        self._icons.append((button, name, "text"))
        return button

    def _make_buttons(self) -> None:
        self.to_start = self._button(
            "to-start", self.tr("To the start"), self._to_start,
            tip=self.tr("Go to the start  (Shift+Home)"),
        )  # fmt: skip
        self.key_back = self._button(
            "key-back", self.tr("Previous key"), self._key_back,
            tip=self.tr("Go to the key or cue before  (Shift+,)"),
        )  # fmt: skip
        self.frame_back = self._button(
            "frame-back", self.tr("Previous frame"), self._frame_back,
            tip=self.tr("Go one frame back  (,)"),
        )  # fmt: skip
        self.play = self._button(
            "play", self.tr("Play"), self._toggle, tip=self.tr("Play or pause  (Space)")
        )
        self.frame_on = self._button(
            "frame-on", self.tr("Next frame"), self._frame_on,
            tip=self.tr("Go one frame on  (.)"),
        )  # fmt: skip
        self.key_on = self._button(
            "key-on", self.tr("Next key"), self._key_on,
            tip=self.tr("Go to the next key or cue  (Shift+.)"),
        )  # fmt: skip
        self.loop = self._button("loop", self.tr("At the end"), None)
        self.loop.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.loop.setMenu(self._loop_menu())
        self.sound = self._button(
            "sound", self.tr("Sound"), self._sound.toggle, checkable=True,
            tip=self.tr("Hear the timeline's sounds while it plays"),
        )  # fmt: skip
        self.auto = self._button(
            "key-auto", self.tr("Key automatically"), self._auto_key.toggle, checkable=True,
            tip=self.tr("Key every property that is changed, at the playhead"),
        )  # fmt: skip
        self.key_view = self._button(
            "key-view", self.tr("Key view"), self.key_view_asked.emit,
            tip=self.tr("Key where one looks from now, at the playhead  (Shift+I)\n"
                        'doc.key("view/eye", time)'),
        )  # fmt: skip
        self.key_all = self._button(
            "key-add", self.tr("Key chosen"), self.key_chosen_asked.emit,
            tip=self.tr("Key the place of the chosen nodes, and all that is keyed of them  (I)\n"
                        'doc.key("plant/translation", time)'),
        )  # fmt: skip
        self.follow = self._button(
            "follow-view", self.tr("Follow the keyed view"), self._toggle_follow, checkable=True,
            tip=self.tr("Show the keyed view as time goes"),
        )  # fmt: skip
        self.snap = self._button(
            "magnet", self.tr("Snap"), self._toggle_snap, checkable=True,
            tip=self.tr("Snap to frames, keys, cues and the playhead"),
        )  # fmt: skip
        self.sheet = self._button(
            "sheet", self.tr("Dope sheet"), self._ask_sheet, checkable=True,
            tip=self.tr("Show keys in rows"),
        )  # fmt: skip
        self.curves = self._button(
            "curves", self.tr("Curves"), self._ask_curves, checkable=True,
            tip=self.tr("Show the curves of the chosen tracks"),
        )  # fmt: skip
        self.open = self._button(
            "chevron-up", self.tr("Open the timeline"), self.opened_asked.emit,
        )  # fmt: skip

    def _loop_menu(self) -> QMenu:
        menu = QMenu(self)
        self._loops = QActionGroup(menu)
        for mode, title in (
            ("hold", self.tr("Stop at the end")),
            ("loop", self.tr("Begin again")),
            ("ping-pong", self.tr("To and fro")),
        ):
            action = menu.addAction(title)
            action.setData(mode)
            action.setCheckable(True)
            self._loops.addAction(action)
        menu.triggered.connect(self._set_loop)
        return menu

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        side = Metrics.space[0]
        row.setContentsMargins(Metrics.space[1], 0, Metrics.space[1], 0)
        row.setSpacing(Metrics.hair)
        for button in (
            self.to_start, self.key_back, self.frame_back, self.play, self.frame_on, self.key_on,
            self.loop,
        ):  # fmt: skip
            row.addWidget(button)
        row.addSpacing(side)
        row.addWidget(self.fields.time)
        row.addSpacing(side)
        row.addWidget(self.fields.frame)
        row.addSpacing(side)
        row.addWidget(self.strip, 1)
        row.addWidget(self.fields.speed)
        row.addWidget(self.fields.fps)
        row.addSpacing(Metrics.hair)
        row.addWidget(self.fields.length)
        row.addWidget(self.sound)
        self._stretch = QWidget(self)
        row.addWidget(self._stretch, 1)
        for button in (self.auto, self.key_view, self.key_all, self.follow, self.snap):
            row.addWidget(button)
        self._line = QFrame(self)
        self._line.setObjectName("transportLine")
        self._line.setFixedSize(1, Metrics.icon)
        row.addSpacing(side)
        row.addWidget(self._line)
        row.addSpacing(side)
        row.addWidget(self.sheet)
        row.addWidget(self.curves)
        row.addWidget(self.open)

    def set_compact(self, compact: bool) -> None:
        """Show the strip in the place of what the opened timeline needs."""
        self._compact = compact
        self.setFixedHeight(Metrics.timeline_strip if compact else Metrics.timeline_bar)
        self.strip.setVisible(compact)
        self._stretch.setVisible(not compact)
        for widget in (
            self.fields.speed, self.fields.fps, self.fields.length, self.follow, self.snap,
            self.sheet, self.curves, self._line,
        ):  # fmt: skip
            widget.setVisible(not compact)
        title = self.tr("Open the timeline") if compact else self.tr("Fold the timeline")
        self.open.setToolTip(title)
        self.open.setAccessibleName(title)
        self._set_icon(self.open, "chevron-up" if compact else "chevron-down", "quiet")

    def show_tab(self, tab: str) -> None:
        """Which of sheet and curves is shown."""
        self.sheet.setChecked(tab == "sheet")
        self.curves.setChecked(tab == "curves")
        self._tint()

    # What the session says

    @Slot()
    def refresh(self) -> None:
        """Show how things stand."""
        timeline = self._state.timeline
        playback = self._session.playback
        there = timeline is not None
        for widget in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if widget is not self.open:
                widget.setEnabled(there)
        if timeline is not None:
            self.strip_axis.set_timeline(timeline.duration, timeline.fps)
            self._set_icon(self.loop, _LOOPS[timeline.loop], "text")
            for action in self._loops.actions():
                action.setChecked(action.data() == timeline.loop)
                if action.isChecked():
                    self.loop.setToolTip(self.tr("At the end: {0}").format(action.text().lower()))
        self.fields.refresh(timeline)
        self.auto.setChecked(self._auto_key.on)
        self.follow.setChecked(playback.follow_view)
        self.snap.setChecked(self._state.snapping)
        self.sound.setVisible(not self._compact and self._sound.present)
        self.sound.setChecked(not self._sound.muted)
        for button, on in (
            (self.sound, not self._sound.muted), (self.auto, self._auto_key.on),
            (self.follow, playback.follow_view), (self.snap, self._state.snapping),
        ):  # fmt: skip
            self._recolor(button, "accent" if on else "text")

    @Slot(bool)
    def _on_playing(self, playing: bool) -> None:
        self._set_icon(self.play, "pause" if playing else "play", "accent" if playing else "text")
        self.play.setAccessibleName(self.tr("Pause") if playing else self.tr("Play"))

    # What buttons do

    @Slot()
    def _to_start(self) -> None:
        self._session.playback.seek(self._session.playback.bounds[0])

    @Slot()
    def _toggle(self) -> None:
        self._session.playback.toggle()

    @Slot()
    def _frame_back(self) -> None:
        self._session.playback.step_frames(-1)

    @Slot()
    def _frame_on(self) -> None:
        self._session.playback.step_frames(1)

    @Slot()
    def _key_back(self) -> None:
        self._session.playback.step_keys(forward=False)

    @Slot()
    def _key_on(self) -> None:
        self._session.playback.step_keys(forward=True)

    @Slot()
    def _toggle_follow(self) -> None:
        playback = self._session.playback
        playback.set_follow_view(not playback.follow_view)

    @Slot()
    def _toggle_snap(self) -> None:
        self._state.set_snapping(not self._state.snapping)

    @Slot()
    def _ask_sheet(self) -> None:
        self.tab_asked.emit("sheet")

    @Slot()
    def _ask_curves(self) -> None:
        self.tab_asked.emit("curves")

    @Slot(QAction)
    def _set_loop(self, action: QAction) -> None:
        self._session.editing.run("set_timeline", loop=action.data())

    # Colours

    def _set_icon(self, button: QToolButton, name: str, token: str) -> None:
        for place, (known, _, _) in enumerate(self._icons):
            if known is button:
                if self._icons[place] != (button, name, token):
                    self._icons[place] = (button, name, token)
                    self._draw(button, name, token)
                return

    def _recolor(self, button: QToolButton, token: str) -> None:
        name = next(name for known, name, _ in self._icons if known is button)
        self._set_icon(button, name, token)

    def _draw(self, button: QToolButton, name: str, token: str) -> None:
        tokens = self._session.theme.tokens
        faint = tokens.color("quiet")
        faint.setAlphaF(0.45)
        button.setIcon(icon(name, tokens.color(token), faint))

    @Slot()
    def _tint(self) -> None:
        for button, name, token in self._icons:
            if button in (self.sheet, self.curves):
                token = "accent" if button.isChecked() else "text"
            self._draw(button, name, token)
