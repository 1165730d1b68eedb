"""The palette: type a few letters of anything that can be done, and Enter does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPoint, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QAction, QFontMetrics, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsDropShadowEffect,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from polyorama_studio.actions import MENUS, Action
from polyorama_studio.fuzzy import fit, marked
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, fixed_font, font
from polyorama_studio.words import translated

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from polyorama_studio.session import Session
    from polyorama_studio.window import Window

__all__ = ["Palette", "found"]

_MENU_TITLES = dict(MENUS)
_RECENT_BONUS = 3.0
_WORTH = 0.4
"""What fits by less than this share of the best is left out."""


@dataclass(frozen=True, slots=True)
class _Entry:
    action: Action
    qt: QAction
    title: str
    recent: bool


def found(query: str, actions: list[tuple[Action, QAction]], recent: list[str]) -> list[_Entry]:
    """Actions that a query may mean, best first; what cannot be done now comes last.

    Without a query: those that were used lately, then all, as they stand in the menus.
    """
    order = {action_id: place for place, action_id in enumerate(recent)}
    scored = []
    for place, (action, qt_action) in enumerate(actions):
        title = translated(action.title).rstrip(".")
        scores = [fit(query, title)]
        # The other words help to find it, but what it is called counts most.
        extra = fit(query, f"{title} {_MENU_TITLES.get(action.menu, '')} {action.python}")
        scores.append(None if extra is None else 0.5 * extra)
        fitting = [score for score in scores if score is not None]
        if not fitting:
            continue
        used = order.get(action.id)
        score = max(fitting) + (_RECENT_BONUS if used is not None else 0.0)
        late = len(recent) if used is None else used
        entry = _Entry(action, qt_action, title, used is not None)
        scored.append((not qt_action.isEnabled(), -score, late, place, entry))
    best = max((-score for _, score, *_ in scored), default=0.0)
    scored = [one for one in scored if -one[1] >= _WORTH * best]
    scored.sort(key=lambda one: one[:4])
    return [entry for *_, entry in scored]


@guards
class _Model(QAbstractListModel):
    def __init__(self, parent: QFrame) -> None:
        super().__init__(parent)
        self.entries: list[_Entry] = []

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return len(self.entries)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return translated(entry.action.tooltip)
        return None

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsSelectable
        if self.entries[index.row()].qt.isEnabled():
            flags |= Qt.ItemFlag.ItemIsEnabled
        return flags

    def show(self, entries: list[_Entry]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()


@guards
class _Row(QStyledItemDelegate):
    """Icon, title with the typed letters bright, menu; at the right Python and the keys."""

    def __init__(self, session: Session, parent: Palette) -> None:
        super().__init__(parent)
        self._session = session
        self._palette = parent

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(Metrics.palette_width, Metrics.palette_row)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex
    ) -> None:  # fmt: skip
        entry = self._palette.model.entries[index.row()]
        tokens = self._session.theme.tokens
        enabled = entry.qt.isEnabled()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect).adjusted(4, 1, -4, -1)  # type: ignore[attr-defined]
        if option.state & QStyle.StateFlag.State_Selected:  # type: ignore[attr-defined]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("raised"))
            painter.drawRoundedRect(area, Metrics.corner, Metrics.corner)
        if not enabled:
            painter.setOpacity(0.5)
        gap, side = Metrics.space[1], float(Metrics.icon)
        top = area.center().y() - side / 2.0
        if entry.action.icon:
            box = QRectF(area.left() + gap, top, side, side)
            paint_icon(painter, entry.action.icon, tokens.color("quiet"), box)
        left = area.left() + gap + side + gap
        right = self._paint_keys(painter, entry, area)
        left = self._paint_title(
            painter, entry, QRectF(left, area.top(), right - left, area.height())
        )
        painter.setFont(font(Metrics.label))
        painter.setPen(tokens.color("quiet"))
        menu = translated(_MENU_TITLES.get(entry.action.menu, ""))
        note = self._palette.tr("{0}, used lately").format(menu) if entry.recent else menu
        box = QRectF(left + gap, area.top(), max(0.0, right - left - 2 * gap), area.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, note)
        used = QFontMetrics(painter.font()).horizontalAdvance(note)
        self._paint_python(painter, entry, box.adjusted(used + 2 * gap, 0, 0, 0))
        painter.restore()

    def _paint_title(self, painter: QPainter, entry: _Entry, area: QRectF) -> float:
        """The title, its typed letters in the accent; returns where it ends."""
        tokens = self._session.theme.tokens
        painter.setFont(font(Metrics.body))
        metrics = QFontMetrics(painter.font())
        title = metrics.elidedText(entry.title, Qt.TextElideMode.ElideRight, round(area.width()))
        hits = set(marked(self._palette.edit.text(), entry.title))
        left = area.left()
        start = 0
        for end in range(1, len(title) + 1):
            if end < len(title) and (end in hits) == (start in hits):
                continue
            piece = title[start:end]
            painter.setPen(tokens.color("accent" if start in hits else "text"))
            box = QRectF(left, area.top(), area.right() - left, area.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, piece)
            left = area.left() + metrics.horizontalAdvance(title[:end])
            start = end
        return left

    def _paint_keys(self, painter: QPainter, entry: _Entry, area: QRectF) -> float:
        """The shortcut as keys at the right; returns where they begin."""
        right = area.right() - Metrics.space[1]
        keys = entry.qt.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        if not keys:
            return right
        tokens = self._session.theme.tokens
        painter.setFont(font(Metrics.label))
        width = QFontMetrics(painter.font()).horizontalAdvance(keys) + 2 * Metrics.space[0] + 4
        height = float(Metrics.icon + Metrics.hair)
        box = QRectF(right - width, area.center().y() - height / 2.0, width, height)
        painter.setPen(tokens.color("line"))
        painter.setBrush(tokens.color("panel"))
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        painter.setPen(tokens.color("quiet"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, keys)
        return box.left() - Metrics.space[1]

    def _paint_python(self, painter: QPainter, entry: _Entry, area: QRectF) -> None:
        if not entry.action.python or area.width() < 2 * Metrics.rail:
            return
        painter.setFont(fixed_font(Metrics.label))
        text = QFontMetrics(painter.font()).elidedText(
            entry.action.python, Qt.TextElideMode.ElideRight, round(area.width())
        )
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, flags, text)


@guards
class Palette(QFrame):
    """Lies over the window; what has the focus elsewhere, or Escape, closes it."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.setObjectName("palette")
        self._window = window
        self.edit = QLineEdit(self)
        self.edit.setPlaceholderText(self.tr("What do you want to do?"))
        self.edit.setAccessibleName(self.tr("Find an action"))
        self.model = _Model(self)
        self.list = QListView(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Row(window.session, self))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self._none = QLabel(self.tr("Nothing of that name can be done here"), self)
        self._none.setProperty("quiet", True)
        edge = Metrics.space[2]
        self._none.setContentsMargins(edge, edge, edge, edge)
        column = QVBoxLayout(self)
        edge = Metrics.space[0]
        column.setContentsMargins(edge, edge, edge, edge)
        column.setSpacing(edge)
        column.addWidget(self.edit)
        column.addWidget(self.list)
        column.addWidget(self._none)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(2 * Metrics.space[4])
        shadow.setOffset(0, Metrics.space[1])
        shadow.setColor(window.session.theme.tokens.color("halo"))
        self.setGraphicsEffect(shadow)
        self.edit.textChanged.connect(self._search)
        self.edit.installEventFilter(self)
        self.list.clicked.connect(self._run)
        self.list.entered.connect(self.list.setCurrentIndex)
        self.hide()

    def open(self) -> None:
        """Show it, empty."""
        self._window.actions_by_id.refresh()
        self.edit.clear()
        self._search("")
        self.show()
        self.raise_()
        self.edit.setFocus(Qt.FocusReason.PopupFocusReason)

    def close_quietly(self) -> None:
        """Hide it and give the focus back to the picture."""
        if self.isVisible():
            self.hide()
            self._window.take_focus()

    @Slot(str)
    def _search(self, query: str) -> None:
        actions = [pair for pair in self._window.actions_by_id if pair[0].id != "window.palette"]
        recent = self._window.session.preferences.recent_actions
        self.model.show(found(query, actions, recent))
        rows = len(self.model.entries)
        self._none.setVisible(rows == 0)
        self.list.setVisible(rows > 0)
        if rows:
            self.list.setCurrentIndex(self.model.index(0))
            self.list.scrollToTop()
        self.place()

    def place(self) -> None:
        """At the top of the window, in the middle."""
        window = self._window
        rows = min(len(self.model.entries), Metrics.palette_rows)
        self.list.setFixedHeight(rows * Metrics.palette_row + 2 * Metrics.hair)
        width = min(Metrics.palette_width, window.width() - 2 * Metrics.space[4])
        self.setFixedWidth(width)
        self.adjustSize()
        self.move(QPoint((window.width() - width) // 2, Metrics.rail + Metrics.space[4]))

    @Slot(QModelIndex)
    def _run(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        entry = self.model.entries[index.row()]
        if not entry.qt.isEnabled():
            return
        self._window.session.preferences.remember_action(entry.action.id)
        self.close_quietly()
        entry.qt.trigger()

    def eventFilter(self, watched, event: QEvent) -> bool:
        """Arrow keys move in the list while the line is typed in."""
        if watched is self.edit:
            if event.type() == QEvent.Type.KeyPress:
                return self._key(event)  # type: ignore[arg-type]
            if event.type() == QEvent.Type.FocusOut and self.isVisible():
                self.hide()
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        # What cannot be done now stands below all that can, and is passed over.
        row = self.list.currentIndex().row()
        rows = sum(entry.qt.isEnabled() for entry in self.model.entries)
        steps = {
            Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: Metrics.palette_rows, Qt.Key.Key_PageUp: -Metrics.palette_rows,
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in steps and rows:
            step = steps[key]
            to = (row + step) % rows if abs(step) == 1 else min(max(row + step, 0), rows - 1)
            self.list.setCurrentIndex(self.model.index(to))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run(self.list.currentIndex())
            return True
        if key == Qt.Key.Key_Escape:
            self.close_quietly()
            return True
        return False
