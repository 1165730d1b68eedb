"""Example scripts: read, copied, opened with the person's own editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPlainTextEdit, QWidget

from polyorama_studio import calls
from polyorama_studio.coloring import PythonColors
from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.theme import Metrics, fixed_font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["ExamplesDialog"]

_ALL = 100
"""Of the room, before the dialog's own stretch."""


class ExamplesDialog(Dialog):
    """A list of scripts at the left, the chosen one's text at the right."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.set_heading(self.tr("Example scripts"))
        self.scripts = calls.example_scripts()
        self.list = QListWidget(self)
        self.list.setFixedWidth(Metrics.dock_left)
        self.list.setAccessibleName(self.tr("Example scripts"))
        for script in self.scripts:
            item = QListWidgetItem(script.title, self.list)
            item.setToolTip(tip(script.summary))
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setFont(fixed_font(Metrics.body))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(self.tr("The script"))
        self._colors = PythonColors(self.text.document(), session.theme)
        row = QHBoxLayout()
        row.setSpacing(Metrics.space[2])
        row.addWidget(self.list)
        row.addWidget(self.text, 1)
        self.body.addLayout(row)
        self.add_button(self.tr("Open in an editor"), self._open)
        self.add_button(self.tr("Copy"), self._copy)
        self.add_button(self.tr("Close"), self.accept, primary=True)
        self.list.currentRowChanged.connect(self._show)
        self.list.setCurrentRow(0)
        self.layout().setStretchFactor(self.body, _ALL)
        self.resize(*Metrics.examples)

    @Slot(int)
    def _show(self, row: int) -> None:
        if 0 <= row < len(self.scripts):
            self.text.setPlainText(self.scripts[row].text)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self._session.tell("info", self.tr("Script copied"))

    @Slot()
    def _open(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self.scripts):
            path = self.scripts[row].path
            if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
                self._session.tell(
                    "warn", self.tr("No program opens this file here: {0}").format(path)
                )
