"""The 55 channels by region: their values at the playhead, who moves them, which stand alone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QActionGroup, QCursor, QPainter
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from polyorama.scene.faces.channels import CHANNEL_INDEX, HEAD, REGIONS, region_of
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip
from polyorama_studio.workspaces.face.channel_painter import TURN, ChannelPainter, Row
from polyorama_studio.workspaces.face.scripts import owner_of, with_key, with_owner, without_keys
from polyorama_studio.workspaces.face.tints import (
    channel_title,
    source_title,
)

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    from polyorama.scene.faces.script import FaceScript
    from polyorama_studio.workspaces.face.desk import Desk

__all__ = ["ChannelList", "Row"]

OWNERS = ("", "rules", "model", "mix", "tracker")
_STEP = 0.05
_REDRAW_MS = 40


@guards
class ChannelList(QWidget):
    """A painted list; a drag on a bar keys the channel at the playhead."""

    seen_asked = Signal(int, int)
    """Top and bottom of what is to be scrolled into sight."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("faceChannelList")
        self.session, self._desk = desk.session, desk
        self.setAccessibleName(self.tr("Channels of the face"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.folded: set[str] = set()
        self.words = ""
        self.current = "jawOpen"
        """A channel, or a region's name."""
        self.hovered: Row | None = None
        self._dragging = ""
        self._painter = ChannelPainter(self, desk)
        self.conflicts: dict[str, str] = {}
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_REDRAW_MS)
        self._later.timeout.connect(self.update)
        desk.changed.connect(self._on_changed)
        for signal in (desk.performed, desk.chosen_changed, desk.solo_changed, desk.live_changed):
            signal.connect(self._later.start)
        self.session.playback.time_changed.connect(self._on_time)
        self.session.theme.changed.connect(self.update)
        self._on_changed()

    # Rows

    def rows(self) -> list[Row]:
        """What is listed, from top to bottom."""
        found: list[Row] = []
        top = 0.0
        words = self.words.lower().split()
        for region, channels in REGIONS.items():
            kept = [c for c in channels if all(w in f"{region} {c}".lower() for w in words)]
            if not kept:
                continue
            found.append(Row(region, "", top, float(Metrics.fold_head)))
            top += Metrics.fold_head
            if region in self.folded and not words:
                continue
            for channel in kept:
                found.append(Row(region, channel, top, float(Metrics.face_row)))
                top += Metrics.face_row
            top += Metrics.space[0]
        return found

    def sizeHint(self) -> QSize:
        """As high as the rows."""
        rows = self.rows()
        high = rows[-1].top + rows[-1].high if rows else 0.0
        return QSize(Metrics.face_channels, round(high) + Metrics.space[1])

    def find(self, words: str) -> None:
        """List what has these words alone."""
        self.words = words
        self.updateGeometry()
        self.update()

    def _row_at(self, at: QPointF) -> Row | None:
        return next((r for r in self.rows() if r.top <= at.y() < r.top + r.high), None)

    def bar(self, row: Row) -> QRectF:
        """Where the bar of a row lies."""
        left = Metrics.space[2] + Metrics.face_name
        right = self.width() - Metrics.value_axis - Metrics.space[1]
        return QRectF(left, row.top + 4.0, max(right - left, 10.0), row.high - 8.0)

    def owner_box(self, row: Row) -> QRectF:
        """Where the owner of a region stands."""
        right = self.width() - Metrics.space[1]
        return QRectF(right - Metrics.face_owner, row.top + 4.0, Metrics.face_owner, row.high - 8.0)

    def solo_box(self, row: Row) -> QRectF:
        """Where a region is made to stand alone."""
        owner = self.owner_box(row)
        return QRectF(owner.left() - Metrics.row - 2.0, owner.top(), Metrics.row, owner.height())

    # The hand

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Fold, choose an owner, let a region stand alone, choose a channel, drag its value."""
        row = self._row_at(event.position())
        if row is None:
            return
        if event.button() == Qt.MouseButton.RightButton:
            self.current = row.channel or row.region
            self._menu(event.globalPosition().toPoint())
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self.current = row.channel or row.region
        if not row.channel:
            if self.owner_box(row).contains(event.position()):
                self.ask_owner()
            elif self.solo_box(row).contains(event.position()):
                self.toggle_solo(row.region)
            else:
                self.fold(row.region)
        elif self.bar(row).adjusted(-3.0, -4.0, 3.0, 4.0).contains(event.position()):
            self._begin(row, event)
        else:
            several = event.modifiers() & (
                Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            )
            self.choose(row.channel, several=bool(several))
        self.update()

    def _begin(self, row: Row, event: QMouseEvent) -> None:
        if not self._desk.speaks:
            return
        self._dragging = row.channel
        if row.channel not in self._desk.chosen:
            self.choose(row.channel)
        self._desk.begin(self.tr("Key {0}").format(channel_title(row.channel, whole=True)))
        self._drag_to(row, event.position().x())

    def _drag_to(self, row: Row, x: float) -> None:
        bar = self.bar(row)
        share = min(max((x - bar.left()) / bar.width(), 0.0), 1.0)
        value = (2.0 * share - 1.0) * TURN if row.channel in HEAD else share
        self._put(row.channel, round(value, 3))

    def _put(self, channel: str, value: float) -> None:
        time = round(max(self._desk.time, 0.0), 3)
        self._desk.put(with_key(self._desk.script, channel, time, value))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag on; or show what is under the pointer."""
        row = self._row_at(event.position())
        if self._dragging:
            held = next((r for r in self.rows() if r.channel == self._dragging), None)
            if held is not None:
                self._drag_to(held, event.position().x())
            return
        if row != self.hovered:
            self.hovered = row
            self.update()
        over = row is not None and row.channel and self.bar(row).contains(event.position())
        self.setCursor(Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go: one step."""
        if self._dragging:
            self._dragging = ""
            self._desk.end()

    def leaveEvent(self, event: QEvent) -> None:
        """Back to quiet."""
        self.hovered = None
        self.update()

    def event(self, event: QEvent) -> bool:
        """What a row is, in full."""
        if event.type() == QEvent.Type.ToolTip:
            row = self._row_at(QPointF(event.pos()))
            words = "" if row is None else _words_of(self, row, QPointF(event.pos()))
            if words:
                QToolTip.showText(event.globalPos(), tip(words), self)
            return True
        if event.type() == QEvent.Type.ShortcutOverride and event.key() in (
            Qt.Key.Key_Escape, Qt.Key.Key_Space, Qt.Key.Key_Delete, Qt.Key.Key_Left,
            Qt.Key.Key_Right,
        ):  # fmt: skip
            event.accept()
            return True
        return super().event(event)

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and Down go through the list, Left and Right change the value, Space shows a curve."""
        key, rows = Qt.Key(event.key()), self.rows()
        names = [row.channel or row.region for row in rows]
        at = names.index(self.current) if self.current in names else 0
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and names:
            at = min(max(at + (1 if key == Qt.Key.Key_Down else -1), 0), len(names) - 1)
            self.current = names[at]
            self.seen_asked.emit(round(rows[at].top), round(rows[at].top + rows[at].high))
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._nudge(1.0 if key == Qt.Key.Key_Right else -1.0)
        elif key == Qt.Key.Key_Escape and self._dragging:
            self._dragging = ""
            self._desk.cancel()
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.current in REGIONS:
                self.fold(self.current)
            else:
                self.choose(self.current, several=True)
        elif key == Qt.Key.Key_Delete and self.current in CHANNEL_INDEX:
            self.forget_keys(self.current)
        elif key == Qt.Key.Key_S:
            self.toggle_solo(_region(self.current))
        elif key == Qt.Key.Key_O:
            self.ask_owner()
        else:
            super().keyPressEvent(event)
            return
        self.update()

    def _nudge(self, sign: float) -> None:
        if self.current in REGIONS:
            folded = self.current in self.folded
            if folded == (sign > 0.0):
                self.fold(self.current)
            return
        if self._desk.speaks:
            channel = self.current
            low = -TURN if channel in HEAD else 0.0
            high = TURN if channel in HEAD else 1.0
            value = min(max(self._value(channel) + sign * _STEP, low), high)
            self._desk.begin(self.tr("Key {0}").format(channel_title(channel, whole=True)))
            self._put(channel, round(value, 3))
            self._desk.end()

    # What can be done

    def fold(self, region: str) -> None:
        """Fold a region, or unfold it."""
        self.folded ^= {region}
        self.updateGeometry()
        self.update()

    def choose(self, channel: str, *, several: bool = False) -> None:
        """Show a channel's curve; with `several`, beside the others, or not any more."""
        desk = self._desk
        if not several:
            desk.choose((channel,))
        elif channel in desk.chosen:
            desk.choose(tuple(c for c in desk.chosen if c != channel))
        else:
            desk.choose((*desk.chosen, channel))

    def toggle_solo(self, region: str) -> None:
        """Let a region be seen alone, or with the others again."""
        self._desk.set_solo(self._desk.solo ^ {region})

    def forget_keys(self, channel: str) -> None:
        """Remove a channel's keys."""
        desk = self._desk
        if any(keys.channel == channel for keys in desk.script.keys):
            title = self.tr("Remove the keys of {0}").format(channel_title(channel, whole=True))
            desk.edit(title, without_keys(desk.script, channel))

    def set_owner(self, target: str, source: str) -> None:
        """Let one source alone move a region or channel."""
        mover = source_title(source) if source else self.tr("the source")
        title = self.tr("Let {0} move {1}").format(mover, target)
        self._desk.edit(title, with_owner(self._desk.script, target, source))

    def ask_owner(self) -> None:
        """Offer the owners of the present region or channel."""
        row = next((r for r in self.rows() if (r.channel or r.region) == self.current), None)
        place = QCursor.pos()
        if row is not None:
            place = self.mapToGlobal(self.owner_box(row).bottomLeft().toPoint())
        self.owner_menu(self.current).popup(place)

    def owner_menu(self, target: str) -> QMenu:
        """Who may move a region or channel."""
        return _owner_menu(self, self._desk.script, target)

    def _menu(self, place: QPoint) -> None:
        menu = self.owner_menu(self.current)
        if self.current in CHANNEL_INDEX:
            menu.addSeparator()
            menu.addAction(self.tr("Remove its keys"), partial(self.forget_keys, self.current))
        menu.popup(place)

    # Showing

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        if self.isVisible() and not self._later.isActive():
            self._later.start()

    @Slot()
    def _on_changed(self) -> None:
        self.conflicts = self._desk.works.conflicts(self._desk.script)
        self.update()

    def _value(self, channel: str) -> float:
        weights = self._desk.weights(self._desk.time)
        return 0.0 if weights is None else float(weights[CHANNEL_INDEX[channel]])

    def paintEvent(self, event: QPaintEvent) -> None:
        """The rows that are in sight."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._painter.paint(painter, QRectF(event.rect()))
        painter.end()


def _words_of(listing: ChannelList, row: Row, at: QPointF) -> str:
    """What a tooltip says at a place of a row."""
    if row.channel:
        keys = listing.tr("Drag the bar to key it at the playhead; Delete removes its keys")
        return "\n".join(filter(None, (keys, listing.conflicts.get(row.channel, ""), row.channel)))
    if listing.solo_box(row).contains(at):
        return listing.tr("See this region alone move  (S)")
    if listing.owner_box(row).contains(at):
        own = listing.tr("Who alone moves this region  (O)\nscript.owners")
        return "\n".join(filter(None, (own, listing.conflicts.get(row.region, ""))))
    return listing.conflicts.get(row.region, "")


def _owner_menu(listing: ChannelList, script: FaceScript, target: str) -> QMenu:
    """Who may move a region or channel; the choice goes to the list's `set_owner`."""
    menu = QMenu(listing)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    group = QActionGroup(menu)
    own = owner_of(script, target)
    for source in OWNERS:
        title = source_title(source) if source else listing.tr("As the source")
        action = menu.addAction(title)
        action.setCheckable(True)
        action.setChecked(source == own)
        action.setData(source)
        if source == "tracker":
            action.setEnabled(script.tracker is not None)
        group.addAction(action)
    group.triggered.connect(lambda action: listing.set_owner(target, action.data()))
    return menu


def _region(name: str) -> str:
    """The region that a region or channel is of."""
    return name if name in REGIONS else region_of(name)
