"""Says where linked files are that were not found; one folder may bring many back."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLabel, QPushButton, QWidget

from polyorama_studio import calls
from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.files import open_dialog
from polyorama_studio.jobs import Handlers
from polyorama_studio.theme import Metrics
from polyorama_studio.words import legible, shortened, tip

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["MissingDialog"]


class MissingDialog(Dialog):
    """One line a missing file: its name, where it was, a button; a search below a folder."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._node = ""
        self.set_heading(self.tr("Missing files"))
        words = QLabel(
            self.tr(
                "These files are linked, and not where they were. Edits on them are kept until "
                "they are found."
            ),
            self,
        )
        words.setWordWrap(True)
        words.setProperty("quiet", True)
        words.setMinimumWidth(Metrics.dialog_words)
        self._word = QLabel(self)
        self._word.setProperty("quiet", True)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(Metrics.space[3])
        self._grid.setVerticalSpacing(Metrics.space[1])
        self._grid.setColumnStretch(1, 1)
        self._widgets: list[QWidget] = []
        self.body.addWidget(words)
        self.body.addLayout(self._grid)
        self.body.addWidget(self._word)
        self.search_button = self.add_button(self.tr("Search a folder..."), self._ask_folder)
        self.add_button(self.tr("Close"), self.accept, primary=True)
        session.editing.edited.connect(self.refresh)
        self.refresh()

    @Slot()
    @Slot(object)
    def refresh(self, command: object = None) -> None:
        """Show what is missing now; with nothing left, the dialog closes."""
        for widget in self._widgets:
            widget.deleteLater()
        self._widgets = []
        document = self._session.editing.document
        missing = [] if document is None else [n for n in document.nodes if n.missing]
        if not missing:
            self.accept()
            return
        for row, node in enumerate(missing):
            assert node.source is not None
            path = node.source.path
            name = QLabel(shortened(node.name, self.fontMetrics(), Metrics.name_words), self)
            where = QLabel(shortened(path, self.fontMetrics(), Metrics.recent_words), self)
            where.setProperty("quiet", True)
            where.setToolTip(tip(path))
            button = QPushButton(self.tr("Locate..."), self)
            button.setAutoDefault(False)
            button.setProperty("node", node.id)
            button.clicked.connect(self._ask_file)
            for column, widget in enumerate((name, where, button)):
                if isinstance(widget, QLabel):
                    widget.setTextFormat(Qt.TextFormat.PlainText)
                self._grid.addWidget(widget, row, column)
                self._widgets.append(widget)

    @Slot()
    def _ask_file(self) -> None:
        sender = self.sender()
        if sender is None:
            return
        self._node = sender.property("node")
        document = self._session.editing.document
        if document is None:
            return
        source = document.node(self._node).source
        dialog = open_dialog(
            self, self.tr("Locate {0}").format(legible(Path(source.path).name if source else "")),
            self._session.preferences.folder, self._session.theme.tokens,
        )  # fmt: skip
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._relink)
        dialog.open()

    @Slot(str)
    def _relink(self, name: str) -> None:
        self._session.editing.start("relink", node=self._node, path=name)

    @Slot()
    def _ask_folder(self) -> None:
        dialog = open_dialog(
            self, self.tr("Search a folder"), self._session.preferences.folder,
            self._session.theme.tokens,
        )  # fmt: skip
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._search)
        dialog.open()

    @Slot(str)
    def _search(self, folder: str) -> None:
        session, document = self._session, self._session.editing.document
        if document is None:
            return
        self._word.setText(self.tr("Searching {0}").format(legible(folder)))
        session.start_job(
            partial(calls.find_missing, document, Path(folder)),
            Handlers(self._on_found, session.report, session.on_progress),
            self.tr("Searching for missing files"),
        )

    def _on_found(self, found: dict[str, Path]) -> None:
        if not found:
            self._word.setText(self.tr("Nothing with the same content is there."))
            return
        self._word.setText("")
        for node, path in found.items():
            self._session.editing.start("relink", node=node, path=str(path))
