"""The transport's fields: time, frame, speed, frames a second, length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QLabel, QMenu, QToolButton, QWidget

from polyorama.core.params import Parameter
from polyorama_studio.fields.number import NumberField
from polyorama_studio.playback import SPEEDS
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from polyorama.scene.timeline import Timeline
    from polyorama_studio.session import Session

__all__ = ["TimeFields"]

_TIME = Parameter("time", "number", 0.0, 0.0, 86400.0, unit="s", help="Where the playhead is")
_FPS = Parameter("fps", "number", 30.0, 0.1, 1000.0, unit="fps", help="Frames in a second")
_LENGTH = Parameter("duration", "number", 6.0, 0.01, 86400.0, unit="s", help="Length")


class TimeFields(QObject):
    """Makes the fields and keeps them up to date; the transport lays them out.

    Parameters
    ----------
    session
        Its playback and its document's timeline are shown.
    parent
        Holds the fields.
    """

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._fps = _FPS.default
        self._came_from = 0.0
        theme = session.theme
        self.time = NumberField(_TIME, theme, parent)
        self.time.setAccessibleName(self.tr("Time"))
        self.time.setToolTip(self.tr("Where the playhead is: drag, or type 1/3, +=0.5, 90/30"))
        self.time.setFixedWidth(4 * Metrics.control)
        self.time.begun.connect(self._begin_scrub)
        self.time.changed.connect(self._session.playback.scrub)
        self.time.cancelled.connect(self._give_scrub_up)
        self.frame = QLabel(parent)
        self.frame.setProperty("quiet", True)
        self.frame.setFont(font(Metrics.label, tabular=True))
        # As wide as its widest text, so that nothing jumps while numbers change.
        widest = self.tr("{0} f").format(round(_LENGTH.high))
        self.frame.setMinimumWidth(self.frame.fontMetrics().horizontalAdvance(widest))
        self.frame.setToolTip(self.tr("The frame at the playhead"))
        self.length = NumberField(_LENGTH, theme, parent)
        self.length.setToolTip(self.tr("How long the timeline is\ndoc.set_timeline(duration=6)"))
        self.fps = NumberField(_FPS, theme, parent)
        self.fps.setToolTip(self.tr("Frames in a second of films and of the ruler\n"
                                    "doc.set_timeline(fps=30)"))  # fmt: skip
        for field in (self.length, self.fps):
            field.setFixedWidth(3 * Metrics.control + Metrics.space[1])
            field.begun.connect(self._begin_timeline)
            field.ended.connect(self._session.editing.end)
            field.cancelled.connect(self._session.editing.cancel)
        self.length.changed.connect(self._set_length)
        self.fps.changed.connect(self._set_fps)
        self.speed = QToolButton(parent)
        self.speed.setObjectName("speed")
        self.speed.setFont(font(Metrics.label, tabular=True))
        self.speed.setFixedHeight(Metrics.control)
        self.speed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.speed.setAccessibleName(self.tr("Speed"))
        self.speed.setToolTip(self.tr("How fast it plays; films are not changed by it"))
        menu = QMenu(parent)
        self._speeds = QActionGroup(menu)
        for speed in SPEEDS:
            action = menu.addAction(_speed_text(speed))
            action.setData(speed)
            action.setCheckable(True)
            self._speeds.addAction(action)
        menu.triggered.connect(self._set_speed)
        self.speed.setMenu(menu)
        session.playback.time_changed.connect(self._on_time)

    def refresh(self, timeline: Timeline | None) -> None:
        """Show how things stand."""
        playback = self._session.playback
        if timeline is not None:
            self.length.set_value(timeline.duration)
            self.fps.set_value(timeline.fps)
            self._fps = timeline.fps
        self.speed.setText(_speed_text(playback.speed))
        for action in self._speeds.actions():
            action.setChecked(action.data() == playback.speed)
        self._on_time(playback.time)

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        self.time.set_value(seconds)
        self.frame.setText(self.tr("{0} f").format(round(seconds * self._fps)))

    @Slot(QAction)
    def _set_speed(self, action: QAction) -> None:
        self._session.playback.set_speed(action.data())

    @Slot()
    def _begin_scrub(self) -> None:
        self._came_from = self._session.playback.time

    @Slot()
    def _give_scrub_up(self) -> None:
        self._session.playback.seek(self._came_from)

    @Slot()
    def _begin_timeline(self) -> None:
        self._session.editing.begin(self.tr("Change the timeline"))

    @Slot(float)
    def _set_length(self, seconds: float) -> None:
        self._session.editing.run("set_timeline", duration=seconds)

    @Slot(float)
    def _set_fps(self, fps: float) -> None:
        self._session.editing.run("set_timeline", fps=fps)


def _speed_text(speed: float) -> str:
    return f"\N{MULTIPLICATION SIGN} {speed:g}"
