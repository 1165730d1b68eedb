"""The dope sheet: a row for each keyed property, keys as marks that are dragged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.timeline import menus
from polyorama_studio.timeline.axis import frame_text
from polyorama_studio.timeline.grips import AudioGrip, BandGrip, Grip, KeysGrip, PanGrip, joined
from polyorama_studio.timeline.places import Places
from polyorama_studio.timeline.ruler import holds_on, steer
from polyorama_studio.timeline.sheet_painter import SheetPainter, paint_focus, short
from polyorama_studio.timeline.still import Still
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

    from polyorama_studio.timeline.edits import KeyEdits
    from polyorama_studio.timeline.rows import Row
    from polyorama_studio.timeline.waves import Waves

__all__ = ["Sheet"]

_LEFT, _MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
_SHIFT, _CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@guards
class Sheet(QWidget):
    """Rows with keys: choose, drag, add, remove."""

    def __init__(self, edits: KeyEdits, waves: Waves, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edits, self._state = edits, edits.state
        self.places = Places(self._state)
        self._painter = SheetPainter(self._state, waves, self.places)
        self._still = Still()
        self._grip: Grip | None = None
        self._hover: tuple[str, float] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Dope sheet"))
        self.setAccessibleDescription(self.tr("Keys of every property on the timeline"))
        session = self._state.session
        self._state.changed.connect(self._on_changed)
        self._state.axis.changed.connect(self.repaint_all)
        self.places.scrolled.connect(self.repaint_all)
        waves.ready.connect(self.repaint_all)
        session.playback.time_changed.connect(self._on_time)
        session.playback.range_changed.connect(self.repaint_all)
        session.theme.changed.connect(self.repaint_all)

    @Slot()
    def _on_changed(self) -> None:
        self.places.scroll_to(self.places.offset)

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        self.update()

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
        self._painter.paint_moving(painter, size, self._grip)
        if self.hasFocus():
            paint_focus(painter, size, self._state.session.theme.tokens.color("accent"))
        painter.end()

    def _paint_still(self, size: QRectF, painter: QPainter) -> None:
        self._painter.paint(painter, size, self._grip, self._hover)

    # The pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of keys, of a sound, of a band, or of the axis."""
        if self._grip is not None:
            if holds_on(event):
                return
            self._grip.give_up()  # its release went elsewhere
        at = event.position()
        if event.button() == _MIDDLE:
            self._grip = PanGrip(self._edits, at, self.places)
            return
        if event.button() != _LEFT or self._state.document is None:
            return
        if at.x() < self._state.axis.left:
            self._press_label(at, event.modifiers())
            return
        adding = bool(event.modifiers() & _SHIFT)
        hit, row = self.places.key_at(at), self.places.row_at(at.y())
        if hit is not None:
            self._press_key(*hit, at, adding)
        elif row is not None and row.kind == "audio":
            self._grip = AudioGrip(self._edits, at, row)
        else:
            self._grip = BandGrip(self._edits, at, self.places, adding=adding)

    def _press_key(self, row: Row, seconds: float, at: QPointF, adding: bool) -> None:
        mine, choice = self.places.keys_of(row, seconds), self._state.choice
        inside = all(times <= choice.get(path, frozenset()) for path, times in mine.items())
        if row.kind == "track":
            self._state.choose_tracks((row.id,))
        if adding and inside:
            self._state.choose({p: t - mine.get(p, frozenset()) for p, t in choice.items()})
            return
        if adding:
            self._state.choose(joined(choice, mine))
        elif not inside:
            self._state.choose(mine)
        alone = mine if inside and not adding else None
        self._grip = KeysGrip(self._edits, at, seconds, alone)

    def _press_label(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        row = self.places.row_at(at.y())
        if row is None:
            self._state.choose_tracks(())
            return
        if row.kind == "node" and at.x() < Metrics.space[4] + Metrics.space[0]:
            self._state.fold(row.id)
            return
        adding = bool(modifiers & (_SHIFT | _CTRL))
        tracks = set(self._state.tracks) ^ set(row.paths) if adding else set(row.paths)
        order = dict.fromkeys(path for known in self._state.rows for path in known.paths)
        self._state.choose_tracks(tuple(path for path in order if path in tracks))
        owner = row.id.partition("/")[0]
        document = self._state.document
        known = document is not None and any(node.id == owner for node in document.nodes)
        if known and not adding:
            self._edits.run("choose", nodes=(owner,))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with what is held."""
        if self._grip is None:
            self._light(event.position())
        else:
            self._grip.move(event.position(), event.modifiers())
            self.repaint_all()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go: the edit is made."""
        if holds_on(event):
            return
        grip, self._grip = self._grip, None
        if grip is not None:
            grip.let_go()
            self.repaint_all()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Key a property where there is no key; fold a node; go to a key."""
        at = event.position()
        row = self.places.row_at(at.y())
        if row is None or event.button() != _LEFT:
            return
        hit = self.places.key_at(at)
        if at.x() < self._state.axis.left:
            if row.kind == "node":
                self._state.fold(row.id)
        elif hit is not None:
            self._state.session.playback.seek(hit[1])
        elif row.kind == "track":
            seconds = self._state.snapped(self._state.axis.seconds(at.x()), without=(row.id,))
            self._edits.key(row.id, seconds)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is lit."""
        self._hover = None
        self.repaint_all()

    def _light(self, at: QPointF) -> None:
        hit = self.places.key_at(at)
        hover = None if hit is None else (hit[0].id, hit[1])
        if hover != self._hover:
            self._hover = hover
            self.repaint_all()
        row = self.places.row_at(at.y())
        if at.x() >= self._state.axis.left and row is not None and row.kind == "audio":
            self.setCursor(Qt.CursorShape.SizeHorCursor)
        else:
            self.unsetCursor()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; over the labels, scroll the rows."""
        if event.position().x() < self._state.axis.left:
            self.places.scroll_to(self.places.offset - round(event.angleDelta().y() / 4))
            event.accept()
        else:
            steer(self._state.axis, event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with the chosen keys, and with the row."""
        at = QPointF(event.pos())
        hit, row = self.places.key_at(at), self.places.row_at(at.y())
        if hit is not None:
            mine, chosen = self.places.keys_of(*hit), self._state.choice
            if not all(times <= chosen.get(path, frozenset()) for path, times in mine.items()):
                self._state.choose(mine)
        seconds = self._state.snapped(self._state.axis.seconds(at.x()))
        menus.keys_menu(self._edits, self, row, seconds).popup(event.globalPos())

    @Slot(QAction)
    def on_menu(self, action: QAction) -> None:
        """An entry of the menu was chosen."""
        menus.act(self._edits, action.data())

    # The keyboard

    def event(self, event: QEvent) -> bool:
        """Keys of the sheet come before shortcuts of the window; tooltips tell a key's value."""
        if event.type() == QEvent.Type.ShortcutOverride and menus.wanted(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.ToolTip:
            text = self._tip(QPointF(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), tip(text), self)
            else:
                QToolTip.hideText()
                event.ignore()
            return True
        return super().event(event)

    def _tip(self, at: QPointF) -> str:
        hit, timeline = self.places.key_at(at), self._state.timeline
        if hit is None or timeline is None:
            return ""
        row, seconds = hit
        frame = frame_text(round(seconds * timeline.fps))
        lines = [f"{row.title}  {seconds:.3f} s  {frame}"]
        if row.kind == "track":
            key = timeline.tracks[row.id].keys[int(np.searchsorted(row.times, seconds))]
            values = ", ".join(f"{value:.9g}" for value in key.value)
            lines.append("  ".join(short(value) for value in key.value))
            lines.append(menus.titles()[key.interpolation])
            lines.append(f'doc.keys.set("{row.id}", {seconds:g}, ({values}))')
        return "\n".join(lines)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove, copy, paste, nudge; Escape gives a drag up."""
        if event.key() == Qt.Key.Key_Escape and self._grip is not None:
            grip, self._grip = self._grip, None
            grip.give_up()
            self.repaint_all()
        elif not menus.press(self._edits, event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QEvent) -> None:
        """The ring comes."""
        self.update()

    def focusOutEvent(self, event: QEvent) -> None:
        """The ring goes."""
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rows that are scrolled off come back where there is room."""
        self.places.height = self.height()
        self.places.scroll_to(self.places.offset)
