"""Messages: every notice with its time, to be read again and copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics
from polyorama_studio.words import legible_lines

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from polyorama_studio.session import Session, Told

__all__ = ["MessagesPanel"]

_ICONS = {"info": "info", "good": "done", "warn": "warning", "bad": "warning"}


@guards
class _List(QListWidget):
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            lines = [item.data(Qt.ItemDataRole.UserRole) for item in self.selectedItems()]
            QGuiApplication.clipboard().setText("\n".join(lines))
        else:
            super().keyPressEvent(event)


class MessagesPanel(QWidget):
    """The newest at the foot, as in any log."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.list = _List(self)
        self.list.setObjectName("plainList")
        self.list.setWordWrap(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setIconSize(QSize(Metrics.icon, Metrics.icon))
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(self.tr("Messages"))
        self._none = QLabel(self.tr("Nothing has been said yet"), self)
        self._none.setProperty("quiet", True)
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._copy = QPushButton(self.tr("Copy all"), self)
        self._copy.clicked.connect(self._copy_all)
        self._log = QPushButton(self.tr("Copy the log"), self)
        self._log.clicked.connect(session.sharing.copy_log)
        side = Metrics.space[0]
        foot = QHBoxLayout()
        foot.setSpacing(side)
        foot.addStretch(1)
        foot.addWidget(self._copy)
        foot.addWidget(self._log)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(side, side, side, side)
        layout.setSpacing(side)
        layout.addWidget(self.list, 1)
        layout.addWidget(self._none, 1)
        layout.addLayout(foot)
        session.notice.connect(self._on_notice)
        session.theme.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show all that was said."""
        self.list.clear()
        for told in self._session.told:
            self._add(told)
        self._show()

    @Slot(object)
    def _on_notice(self, notice: object) -> None:
        told = self._session.told
        if told and told[-1].notice is notice:
            while self.list.count() >= len(told):
                self.list.takeItem(0)
            self._add(told[-1])
            self._show()

    def _add(self, told: Told) -> None:
        notice = told.notice
        clock = QLocale().toString(told.time.time(), "HH:mm:ss")
        tokens = self._session.theme.tokens
        token = "quiet" if notice.kind == "info" else notice.kind
        item = QListWidgetItem(
            icon(_ICONS[notice.kind], tokens.color(token)), f"{clock}  {legible_lines(notice.text)}"
        )
        item.setData(Qt.ItemDataRole.UserRole, f"{told.time:%Y-%m-%d %H:%M:%S}  {notice.text}")
        self.list.addItem(item)

    def _show(self) -> None:
        some = self.list.count() > 0
        self.list.setVisible(some)
        self._none.setVisible(not some)
        self._copy.setEnabled(some)
        self.list.scrollToBottom()

    @Slot()
    def _copy_all(self) -> None:
        lines = [
            self.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.list.count())
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))
        self._session.tell("info", self.tr("Messages copied"))
