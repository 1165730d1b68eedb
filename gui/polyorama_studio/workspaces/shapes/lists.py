"""Collections, folders, and files that could not be read: the lists at the left."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel, QMenu, QProgressBar, QWidget

from polyorama_studio.dialogs.naming import NamingDialog
from polyorama_studio.files import folder_dialog
from polyorama_studio.panels.parts import IconButton, Section
from polyorama_studio.theme import Metrics
from polyorama_studio.words import duration_text, legible
from polyorama_studio.workspaces.shapes.rows import ListRow

if TYPE_CHECKING:
    from polyorama.shapes.library.asset import Failure
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.mime import Dragged
    from polyorama_studio.workspaces.shapes.shelf import Shelf
    from polyorama_studio.workspaces.shapes.stock import Collection, Folder

__all__ = ["CollectionList", "FailureList", "FolderList", "reveal"]

_MOST_FAILURES = 60


def reveal(path: Path) -> None:
    """Show in the system's file manager where a file lies."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))


class _List(Section):
    """A section of rows that are made anew as the library changes."""

    def __init__(self, session: Session, shelf: Shelf, title: str, parent: QWidget) -> None:
        super().__init__(session.theme, title, parent)
        self.session, self.shelf = session, shelf
        self.rows: list[ListRow] = []
        self.content.setSpacing(0)
        self.hint = QLabel(self.body)
        self.hint.setProperty("fine", "true")
        self.hint.setWordWrap(True)
        self.hint.hide()
        self.content.addWidget(self.hint)
        shelf.overview_changed.connect(self.refresh)

    def show_rows(self, rows: list[ListRow]) -> None:
        """Show these in the place of the others."""
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows = rows
        for row in rows:
            self.content.addWidget(row)
        self.head.set_note(f"{len(rows):,}" if rows else "")

    def popup(self, menu: QMenu, place: QPoint) -> None:
        """Open a menu that goes when it is closed."""
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    @Slot()
    def refresh(self) -> None:
        """Show what is there."""
        raise NotImplementedError


class CollectionList(_List):
    """A person's own choices; a click shows one alone, shapes can be dropped on it."""

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(session, shelf, "", parent)
        self.head.setText(self.tr("Collections"))
        self._shown: object = None
        self.add_button_ = IconButton(session.theme, "add", self.tr("New collection"), self)
        self.add_button_.clicked.connect(self.ask_new)
        self.add_button(self.add_button_)
        self.hint.setText(self.tr("Keep what belongs together under a name."))
        shelf.question.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """A row a collection."""
        shelf = self.shelf
        shown = (shelf.overview.collections, shelf.question.collection)
        if shown == self._shown:
            return
        self._shown = shown
        rows = []
        for entry in shelf.overview.collections:
            row = ListRow(
                self.session.theme, "layers", legible(entry.name), f"{entry.count:,}",
                self.tr("Show {0} alone\nDrop shapes here to add them").format(entry.name),
                self.body, takes=True,
            )  # fmt: skip
            row.setCheckable(True)
            row.setChecked(entry.name == shelf.question.collection)
            row.clicked.connect(partial(self._choose, entry.name))
            row.menu_asked.connect(partial(self._menu, entry))
            row.dropped.connect(partial(self._drop, entry.name))
            rows.append(row)
        self.show_rows(rows)
        self.hint.setVisible(not rows)

    def _choose(self, name: str, checked: bool = True) -> None:
        self.shelf.question.put(collection=name if checked else "")

    def _drop(self, name: str, dragged: list[Dragged]) -> None:
        self.shelf.collect(name, [thing.id for thing in dragged])

    def _menu(self, entry: Collection, place: QPoint) -> None:
        menu = QMenu(self)
        if self.shelf.chosen:
            menu.addAction(self.tr("Add what is chosen"), partial(self._add, entry.name))
            menu.addAction(self.tr("Take out what is chosen"), partial(self._take, entry.name))
            menu.addSeparator()
        menu.addAction(self.tr("Rename..."), partial(self._ask_rename, entry.name))
        menu.addAction(self.tr("Delete collection"), partial(self._delete, entry.name))
        self.popup(menu, place)

    def _add(self, name: str) -> None:
        self.shelf.collect(name, self.shelf.chosen)

    def _take(self, name: str) -> None:
        self.shelf.uncollect(name, self.shelf.chosen)

    def _delete(self, name: str) -> None:
        self.shelf.remove_collection(name)

    def _names(self) -> list[str]:
        return [entry.name for entry in self.shelf.overview.collections]

    def _ask(self, heading: str, slot) -> None:
        dialog = NamingDialog(heading, (), self.window())
        dialog.named.connect(slot)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot()
    def ask_new(self) -> None:
        """Ask for the name of a new collection."""
        self._ask(self.tr("New collection"), self._new)

    @Slot()
    def ask_new_of_chosen(self) -> None:
        """Ask for the name of a collection of what is chosen."""
        self._ask(self.tr("New collection"), self._new_of_chosen)

    def _is_free(self, name: str) -> bool:
        if name in self._names():
            self.session.tell("warn", self.tr("There is a collection {0} already").format(name))
            return False
        return True

    @Slot(str)
    def _new(self, name: str) -> None:
        if self._is_free(name):
            self.shelf.make_collection(name)

    @Slot(str)
    def _new_of_chosen(self, name: str) -> None:
        if name in self._names():
            self.shelf.collect(name, self.shelf.chosen)
        else:
            self.shelf.make_collection(name, self.shelf.chosen)

    def _ask_rename(self, name: str) -> None:
        self._ask(self.tr("Rename {0}").format(legible(name)), partial(self._rename, name))

    def _rename(self, name: str, other: str) -> None:
        if other != name and self._is_free(other):
            self.shelf.rename_collection(name, other)


class FolderList(_List):
    """Watched folders, and how far they have been looked at; a click shows one alone."""

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(session, shelf, "", parent)
        self.head.setText(self.tr("Folders"))
        self._shown: object = None
        self.again = IconButton(session.theme, "again", self.tr("Look at all folders again"), self,
                                python="polyorama shapes index")  # fmt: skip
        self.again.clicked.connect(shelf.index)
        self.add_folder = IconButton(session.theme, "new-folder", self.tr("Add a folder"), self,
                                     python="polyorama shapes index FOLDER")  # fmt: skip
        self.add_folder.clicked.connect(self.ask_folder)
        self.stop = IconButton(session.theme, "stop", self.tr("Stop indexing"), self)
        self.stop.clicked.connect(shelf.stop_indexing)
        self.add_button(self.stop)
        self.add_button(self.again)
        self.add_button(self.add_folder)
        self.bar = QProgressBar(self.body)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(Metrics.job_bar)
        self.note = QLabel(self.body)
        self.note.setProperty("fine", "true")
        self.content.addWidget(self.bar)
        self.content.addWidget(self.note)
        self.hint.setText(self.tr("Files stay where they are."))
        shelf.indexing_changed.connect(self.show_progress)
        shelf.question.changed.connect(self.refresh)
        self.refresh()
        self.show_progress()

    @Slot()
    def refresh(self) -> None:
        """A row a folder."""
        folders = self.shelf.overview.folders
        self.again.setEnabled(bool(folders) and self.shelf.indexing is None)
        asked = self.shelf.question.quick.get("folder", "")
        if (folders, asked) == self._shown:
            return
        self._shown = (folders, asked)
        rows = []
        for folder in folders:
            words = self.tr("Show what lies in this folder alone\n{0}").format(folder.path)
            row = ListRow(
                self.session.theme, "folder", legible(folder.path.name or str(folder.path)),
                f"{folder.count:,}", words, self.body,
            )  # fmt: skip
            row.setCheckable(True)
            row.setChecked(_below(folder.path) == asked)
            row.clicked.connect(partial(self._choose, folder.path))
            row.menu_asked.connect(partial(self._menu, folder))
            rows.append(row)
        self.show_rows(rows)
        self.hint.setVisible(not rows)

    def _choose(self, path: Path) -> None:
        question, condition = self.shelf.question, _below(path)
        asked = question.quick.get("folder", "")
        question.set_quick("folder", "" if asked == condition else condition)

    def _menu(self, folder: Folder, place: QPoint) -> None:
        menu = QMenu(self)
        menu.addAction(self.tr("Look again"), self.shelf.index)
        menu.addAction(self.tr("Show in the file manager"), partial(reveal, folder.path / "."))
        menu.addSeparator()
        menu.addAction(
            self.tr("Remove from the library"), partial(self.shelf.remove_folder, folder.path)
        )
        self.popup(menu, place)

    @Slot()
    def ask_folder(self) -> None:
        """Ask for a folder to watch."""
        dialog = folder_dialog(
            self.window(), self.tr("Add a folder of models"), self.session.preferences.folder,
            self.session.theme.tokens,
        )  # fmt: skip
        dialog.fileSelected.connect(self._on_folder)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot(str)
    def _on_folder(self, name: str) -> None:
        self.session.preferences.folder = name
        self.shelf.add_folder(Path(name))

    @Slot()
    def show_progress(self) -> None:
        """How far indexing has come."""
        job = self.shelf.indexing
        for widget in (self.bar, self.note, self.stop):
            widget.setVisible(job is not None)
        self.again.setVisible(job is None)
        self.again.setEnabled(job is None and bool(self.shelf.overview.folders))
        if job is None:
            return
        self.bar.setRange(0, 1000 if job.share is not None else 0)
        self.bar.setValue(round(1000 * (job.share or 0.0)))
        left = job.seconds_left
        words = legible(job.note) or self.tr("Looking for files")
        if left is not None:
            words = self.tr("{0}, {1} left").format(words, duration_text(left))
        room = self.note.fontMetrics()
        wide = max(self.width() - Metrics.space[1], Metrics.dock_least)
        self.note.setText(room.elidedText(words, Qt.TextElideMode.ElideMiddle, wide))


def _below(path: Path) -> str:
    """The condition for what lies in a folder."""
    mark = "'" if '"' in str(path) else '"'
    return f"folder = {mark}{path}{mark}"


class FailureList(_List):
    """Files that could not be indexed, and why."""

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(session, shelf, "", parent)
        self.head.setText(self.tr("Could not be read"))
        self._shown: object = None
        self.head.setChecked(False)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """A row a file."""
        failures = self.shelf.overview.failures
        self.setVisible(bool(failures))
        if failures == self._shown:
            return
        self._shown = failures
        rows = []
        for failure in failures[:_MOST_FAILURES]:
            row = ListRow(
                self.session.theme, "warning", legible(failure.path.name), "",
                f"{failure.path}\n{failure.reason}", self.body,
            )  # fmt: skip
            row.clicked.connect(partial(self._copy, failure))
            row.menu_asked.connect(partial(self._menu, failure))
            rows.append(row)
        self.show_rows(rows)
        self.head.set_note(f"{len(failures):,}")
        more = len(failures) - len(rows)
        self.hint.setText(self.tr("And {0} more").format(f"{more:,}"))
        self.hint.setVisible(more > 0)

    def _menu(self, failure: Failure, place: QPoint) -> None:
        menu = QMenu(self)
        menu.addAction(self.tr("Copy file and reason"), partial(self._copy, failure))
        menu.addAction(self.tr("Show in the file manager"), partial(reveal, failure.path))
        self.popup(menu, place)

    def _copy(self, failure: Failure, checked: bool = False) -> None:
        QGuiApplication.clipboard().setText(f"{failure.path}\n{failure.reason}")
        self.session.tell("info", self.tr("File and reason copied"))
