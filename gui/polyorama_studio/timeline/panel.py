"""The timeline's panel: transport always; ruler, sheet and curves once it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import (
    QDockWidget,
    QGridLayout,
    QMainWindow,
    QScrollBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.guard import guards
from polyorama_studio.keying import key_chosen, key_view
from polyorama_studio.theme import Metrics
from polyorama_studio.timeline.curves import Curves
from polyorama_studio.timeline.edits import KeyEdits
from polyorama_studio.timeline.ruler import Ruler
from polyorama_studio.timeline.sheet import Sheet
from polyorama_studio.timeline.sound import Sound
from polyorama_studio.timeline.state import TimelineState
from polyorama_studio.timeline.transport import Transport
from polyorama_studio.timeline.waves import Waves

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from polyorama_studio.session import Session

__all__ = ["TimelinePanel"]

_MOST = 16777215
"""As high as Qt lets a widget be."""


@guards
class TimelinePanel(QWidget):
    """A strip until something is keyed or a person opens it; then sheet or curves below."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self.setAccessibleName(self.tr("Timeline"))
        self._session = session
        self.state = TimelineState(session, self)
        self.state.axis.left = float(Metrics.timeline_labels)
        self.waves = Waves(self.state, self)
        self.compact = True
        self._asked: bool | None = None
        """Whether a person wants it open; None while nobody said."""
        self._height = Metrics.timeline_height
        self.edits = KeyEdits(self.state)
        self.sound = Sound(session, self)
        self.transport = Transport(self.edits, self.sound, self)
        self.ruler = Ruler(self.edits, self.state.axis, self)
        self.sheet = Sheet(self.edits, self.waves, self)
        self.curves = Curves(self.edits, self)
        self.scroll = QScrollBar(Qt.Orientation.Vertical, self)
        self.tab = "sheet"
        self._body = QWidget(self)
        self._lay_out()
        transport = self.transport
        transport.opened_asked.connect(self.toggle)
        transport.tab_asked.connect(self.show_tab)
        transport.key_view_asked.connect(self.key_view)
        transport.key_chosen_asked.connect(self.key_chosen)
        self.sheet.places.scrolled.connect(self._on_scrolled)
        self.curves.scrolled.connect(self._on_scrolled)
        self.scroll.valueChanged.connect(self._on_scroll)
        session.editing.edited.connect(self._on_edited)
        session.editing.replaced.connect(self._on_replaced)
        session.playback.time_changed.connect(self._on_time)
        self.show_tab("sheet")
        self._set_compact(True)
        self._on_replaced()

    def _lay_out(self) -> None:
        self.pages = QStackedWidget(self._body)
        self.pages.addWidget(self.sheet)
        self.pages.addWidget(self.curves)
        grid = QGridLayout(self._body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.addWidget(self.ruler, 0, 0)
        grid.addWidget(self.pages, 1, 0)
        grid.addWidget(self.scroll, 1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.transport)
        column.addWidget(self._body, 1)

    # Opened or not

    @Slot()
    def toggle(self) -> None:
        """Open it, or fold it to the strip; it stays so from now on."""
        self._asked = self.compact
        self._set_compact(not self.compact)

    def open(self) -> None:
        """Open it."""
        if self.compact:
            self.toggle()

    def _set_compact(self, compact: bool) -> None:
        if not self.compact and compact:
            self._height = max(self.height(), Metrics.timeline_least)
        self.compact = compact
        self.transport.set_compact(compact)
        self._body.setVisible(not compact)
        self.setMinimumHeight(Metrics.timeline_strip if compact else Metrics.timeline_least)
        self.setMaximumHeight(Metrics.timeline_strip if compact else _MOST)
        # The dock learns of the new limits once the event loop runs.
        QTimer.singleShot(0, self._resize_dock)

    @Slot()
    def _resize_dock(self) -> None:
        dock = self.parentWidget()
        host = dock.parentWidget() if isinstance(dock, QDockWidget) else None
        if isinstance(host, QMainWindow) and not dock.isFloating():
            height = Metrics.timeline_strip if self.compact else self._height
            host.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    @Slot()
    def _on_replaced(self) -> None:
        self._asked = None
        self._open_for_keys()

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        self._open_for_keys()

    def _open_for_keys(self) -> None:
        filled = bool(self.state.rows)
        if self._asked is None and filled and self.compact:
            self._set_compact(False)

    # Sheet and curves

    @Slot(str)
    def show_tab(self, tab: str) -> None:
        """Show ``"sheet"`` or ``"curves"``."""
        self.tab = tab
        self.pages.setCurrentWidget(self.curves if tab == "curves" else self.sheet)
        self.transport.show_tab(tab)
        self._on_scrolled()

    @Slot()
    def _on_scrolled(self) -> None:
        content, offset = self.sheet.places.content, self.sheet.places.offset
        if self.tab == "curves":
            content, offset = self.curves.content, self.curves.offset
        height = self.pages.height()
        over = max(content - height, 0)
        self.scroll.blockSignals(True)
        self.scroll.setRange(0, over)
        self.scroll.setPageStep(max(height, 1))
        self.scroll.setSingleStep(Metrics.timeline_row)
        self.scroll.setValue(offset)
        self.scroll.blockSignals(False)
        self.scroll.setVisible(over > 0)

    @Slot(int)
    def _on_scroll(self, value: int) -> None:
        if self.tab == "curves":
            self.curves.scroll_to(value)
        else:
            self.sheet.places.scroll_to(value)

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        if self._session.playback.playing:
            self.state.axis.follow(seconds)

    # What actions do

    @Slot()
    def key_view(self) -> None:
        """Key where one looks from now."""
        key_view(self._session)

    @Slot()
    def key_chosen(self) -> None:
        """Key the chosen nodes."""
        key_chosen(self._session)

    def add_cue(self) -> None:
        """Add a cue at the playhead, and ask for its name."""
        ruler = self.transport.strip if self.compact else self.ruler
        ruler.add_cue(self._session.playback.time)

    def set_range_end(self, which: str) -> None:
        """Let the range begin (``"first"``) or end (``"last"``) at the playhead."""
        playback = self._session.playback
        first, last = playback.bounds
        if which == "first":
            playback.set_range(playback.time, last)
        else:
            playback.set_range(first, playback.time)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Home shows the whole timeline."""
        if event.key() == Qt.Key.Key_Home:
            self.state.axis.fit()
        else:
            super().keyPressEvent(event)
