"""The history: every step, the present one marked; a click goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QModelIndex, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QLabel,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from polyorama.edit.history import held_bytes
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import memory_text

if TYPE_CHECKING:
    from polyorama.edit.command import Command
    from polyorama.edit.history import History
    from polyorama_studio.session import Session

__all__ = ["HistoryPanel", "step_icon"]

_REFRESH_MS = 40
_WORTH_TELLING = 100_000
"""Bytes that a step is said to hold."""

_ICONS = (
    ("select", "select-rect"), ("invert", "select-rect"), ("grow", "select-rect"),
    ("shrink", "select-rect"), ("flood", "flood"), ("add_modifier", "modifiers"),
    ("modifier", "modifiers"), ("add_files", "add"), ("relink", "relink"), ("key", "history"),
    ("track", "history"), ("cue", "history"), ("timeline", "history"), ("clean", "remove"),
    ("delete", "remove"), ("remove", "remove"), ("hide", "eye-off"), ("show", "eye"),
    ("lock", "lock"), ("place", "move"), ("move", "layers"), ("camera", "camera"),
    ("group", "folder"), ("duplicate", "copy"), ("choose", "pointer"), ("rename", "details"),
    ("set", "settings"),
)  # fmt: skip


def step_icon(name: str) -> str:
    """The icon of a step that an operation made."""
    return next((drawn for word, drawn in _ICONS if word in name), "done")


@guards
class _Steps(QAbstractListModel):
    """The document as it was opened, then a row a command; read from the history itself."""

    def __init__(self, parent: HistoryPanel) -> None:
        super().__init__(parent)
        self._panel = parent
        self._rows = 0
        self._sizes: dict[int, tuple[Command, int]] = {}

    def show(self) -> None:
        """Take over how many steps there are now."""
        history = self._panel.history
        rows = 0 if history is None else len(history.commands) + 1
        if rows == self._rows and rows:
            self.dataChanged.emit(self.index(0), self.index(rows - 1))
            return
        self.beginResetModel()
        self._rows = rows
        known = set() if history is None else {id(command) for command in history.commands}
        self._sizes = {key: value for key, value in self._sizes.items() if key in known}
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return self._rows

    def command(self, row: int) -> Command | None:
        """The step of a row; None for the document as it was opened."""
        history = self._panel.history
        if history is None or not 0 < row <= len(history.commands):
            return None
        return history.commands[row - 1]

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        command = self.command(index.row())
        if command is not None:
            return command.title
        history = self._panel.history
        forgotten = history is not None and history.forgotten
        return self._panel.tr("Earlier steps") if forgotten else self._panel.tr("Opened")

    def size(self, row: int) -> int:
        """Bytes of the arrays that a step holds."""
        command = self.command(row)
        if command is None:
            return 0
        known = self._sizes.get(id(command))
        if known is None or known[0] is not command:
            known = self._sizes[id(command)] = (command, held_bytes(command))
        return known[1]


@guards
class _Row(QStyledItemDelegate):
    def __init__(self, session: Session, panel: HistoryPanel) -> None:
        super().__init__(panel)
        self._session = session
        self._panel = panel

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(Metrics.dock_least, Metrics.control)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex
    ) -> None:  # fmt: skip
        history = self._panel.history
        if history is None:
            return
        tokens = self._session.theme.tokens
        row = index.row()
        undone, present = row > history.position, row == history.position
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect)  # type: ignore[attr-defined]
        hot = option.state & QStyle.StateFlag.State_MouseOver  # type: ignore[attr-defined]
        if present or hot:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.color("raised"))
            painter.drawRoundedRect(area, Metrics.corner, Metrics.corner)
        if present:
            mark = QRectF(area.left(), area.top() + 5, 2, area.height() - 10)
            painter.fillRect(mark, tokens.color("accent"))
        if undone:
            painter.setOpacity(0.55)
        side, gap = float(Metrics.icon), float(Metrics.space[1])
        command = self._panel.steps.command(row)
        name = "open" if command is None else step_icon(command.calls[0].name)
        top = area.center().y() - side / 2.0
        color = tokens.color("accent" if present else "quiet")
        paint_icon(painter, name, color, QRectF(area.left() + gap, top, side, side))
        right = area.right() - gap
        size = self._panel.steps.size(row)
        if size >= _WORTH_TELLING:
            painter.setFont(font(Metrics.label, tabular=True))
            painter.setPen(tokens.color("quiet"))
            words = memory_text(size)
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(area.adjusted(0, 0, -gap, 0), flags, words)
            right -= QFontMetrics(painter.font()).horizontalAdvance(words) + gap
        painter.setFont(font(Metrics.body))
        painter.setPen(tokens.color("text" if not undone else "quiet"))
        left = area.left() + 2 * gap + side
        title = QFontMetrics(painter.font()).elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, max(0, round(right - left))
        )
        box = QRectF(left, area.top(), right - left, area.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, title)
        painter.restore()


class HistoryPanel(QWidget):
    """A list of steps; those that were taken back are quiet; below, what the history holds."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.steps = _Steps(self)
        self.list = QListView(self)
        self.list.setObjectName("plainList")
        self.list.setModel(self.steps)
        self.list.setItemDelegate(_Row(session, self))
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setAccessibleName(self.tr("History"))
        self.list.clicked.connect(self._go)
        self.list.activated.connect(self._go)
        self.words = QLabel(self)
        self.words.setProperty("quiet", True)
        self.words.setFont(font(Metrics.label, tabular=True))
        layout = QVBoxLayout(self)
        side = Metrics.space[0]
        layout.setContentsMargins(side, side, side, side)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.words)
        # A drag changes the history with each move of the pointer.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_REFRESH_MS)
        self._later.timeout.connect(self.refresh)
        session.editing.edited.connect(self._soon)
        session.editing.replaced.connect(self.refresh)
        session.theme.changed.connect(self.list.viewport().update)
        session.preferences.changed.connect(self.refresh)
        self.refresh()

    @property
    def history(self) -> History | None:
        """The history that is shown."""
        editor = self._session.editing.editor
        return None if editor is None else editor.history

    @Slot(object)
    def _soon(self, command: object) -> None:
        self._later.start()

    @Slot()
    def refresh(self) -> None:
        """Show the steps as they are now."""
        self.steps.show()
        history = self.history
        if history is None:
            self.words.setText("")
            return
        present = self.steps.index(history.position)
        self.list.setCurrentIndex(present)
        self.list.scrollTo(present)
        count = len(history.commands)
        steps = self.tr("1 step") if count == 1 else self.tr("{0} steps").format(count)
        held = memory_text(history.nbytes)
        self.words.setText(self.tr("{0}, {1} of {2} MiB").format(steps, held, history.limit >> 20))

    @Slot(QModelIndex)
    def _go(self, index: QModelIndex) -> None:
        self._session.editing.go_to(index.row())
