"""The history: every step, the present one marked; a click goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["HistoryPanel"]


class HistoryPanel(QWidget):
    """A list of steps; those that were taken back are quiet."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("History"))
        self.list.itemClicked.connect(self._go)
        self.list.itemActivated.connect(self._go)
        layout = QVBoxLayout(self)
        side = Metrics.space[0]
        layout.setContentsMargins(side, side, side, side)
        layout.addWidget(self.list)
        session.editing.edited.connect(self.refresh)
        session.editing.replaced.connect(self.refresh)
        session.theme.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    @Slot(object)
    def refresh(self, command: object = None) -> None:
        """Show the steps as they are now."""
        editor = self._session.editing.editor
        self.list.clear()
        if editor is None:
            return
        first = self.tr("Opened") if not editor.history.forgotten else self.tr("Earlier steps")
        quiet = self._session.theme.tokens.color("quiet")
        titles = [first, *(command.title for command in editor.history.commands)]
        for number, title in enumerate(titles):
            item = QListWidgetItem(title, self.list)
            if number > editor.history.position:
                item.setForeground(quiet)
        self.list.setCurrentRow(editor.history.position)
        self.list.scrollToItem(self.list.currentItem())

    @Slot(QListWidgetItem)
    def _go(self, item: QListWidgetItem) -> None:
        self._session.editing.go_to(self.list.row(item))
