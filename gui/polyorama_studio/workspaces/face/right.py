"""At the right: the channels, with a field that finds one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit

from polyorama_studio.icons import icon
from polyorama_studio.panels.parts import IconButton, column_of, scrolled
from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.face.channels import ChannelList

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from polyorama_studio.workspaces.face.desk import Desk

__all__ = ["RightSide"]


class RightSide(QFrame):
    """A column that scrolls; the field stays at its top."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("faceChannels")
        self.setFixedWidth(Metrics.face_channels)
        self._theme = desk.session.theme
        self._desk = desk
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Find a channel"))
        self.search.setAccessibleName(self.tr("Find a channel"))
        self.search.setClearButtonEnabled(True)
        self._glass = QAction(self)
        self.search.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.all = IconButton(self._theme, "solo", self.tr("See all regions move again"), self)
        self.list = ChannelList(desk, self)
        self._area = scrolled(self.list, self)
        gap = Metrics.space[2]
        head = QHBoxLayout()
        head.setContentsMargins(gap, gap, Metrics.space[1], Metrics.space[1])
        head.setSpacing(Metrics.space[0])
        head.addWidget(self.search, 1)
        head.addWidget(self.all)
        column = column_of(self)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._area, 1)
        self.search.textChanged.connect(self.list.find)
        self.all.clicked.connect(self._on_all)
        self.list.seen_asked.connect(self._show_rows)
        desk.solo_changed.connect(self._refresh)
        self._theme.changed.connect(self._tint)
        self._tint()
        self._refresh()

    @Slot()
    def _tint(self) -> None:
        self._glass.setIcon(icon("search", self._theme.tokens.color("quiet")))

    @Slot()
    def _refresh(self) -> None:
        self.all.setVisible(bool(self._desk.solo))

    @Slot()
    def _on_all(self) -> None:
        self._desk.set_solo(frozenset())

    @Slot(int, int)
    def _show_rows(self, top: int, bottom: int) -> None:
        middle = (top + bottom) // 2
        self._area.ensureVisible(0, middle, 0, 2 * Metrics.row)
