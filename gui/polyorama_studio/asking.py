"""What the window asks a person: every dialog is opened from here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot

from polyorama_studio.dialogs.about import AboutDialog
from polyorama_studio.dialogs.examples import ExamplesDialog
from polyorama_studio.dialogs.keys import KeysDialog
from polyorama_studio.dialogs.missing import MissingDialog
from polyorama_studio.dialogs.naming import ChoosingDialog, NamingDialog
from polyorama_studio.dialogs.picture import PictureDialog
from polyorama_studio.dialogs.preferences import PreferencesDialog
from polyorama_studio.dialogs.recovery import RecoveryDialog
from polyorama_studio.dialogs.unsaved import UnsavedDialog
from polyorama_studio.files import open_dialog, save_dialog

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from PySide6.QtWidgets import QDialog

    from polyorama.io.recovery import Recovery
    from polyorama_studio.window import Window

__all__ = ["Asking"]


class Asking(QObject):
    """Opens dialogs over the window, none of which blocks, and does what they answer."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._session = window.session
        self._picture = ((1, 1), "document")
        self._done: Callable[[], Any] | None = None
        session = window.session
        session.opening.asked.connect(self.open_files)
        session.missing_asked.connect(self.locate_missing)
        session.saving.leave_asked.connect(self._ask_unsaved)
        session.saving.path_asked.connect(self._ask_path)
        session.saving.found.connect(self._offer_recovery)

    def show(self, dialog: QDialog) -> None:
        """Open a dialog; it goes when it is closed."""
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # Files

    @Slot()
    def open_files(self) -> None:
        """Choose files and open them."""
        self._ask_open(self.tr("Open"), self._open_files)

    def add_files(self) -> None:
        """Choose files and add them to what is open."""
        self._ask_open(self.tr("Add to the scene"), self._add_files)

    def _ask_open(self, title: str, slot: Callable[[list[str]], None]) -> None:
        session = self._session
        dialog = open_dialog(
            self._window, title, session.preferences.folder, session.theme.tokens
        )  # fmt: skip
        dialog.filesSelected.connect(slot)
        self.show(dialog)

    @Slot(list)
    def _open_files(self, names: list[str]) -> None:
        self._session.open_files([Path(name) for name in names])

    @Slot(list)
    def _add_files(self, names: list[str]) -> None:
        self._session.open_files([Path(name) for name in names], add=True)

    # Saving

    def save_as(self) -> None:
        """Choose a file and save the project in it."""
        self._ask_path(None)

    @Slot(object)
    def _ask_path(self, done: Callable[[], Any] | None) -> None:
        session = self._session
        self._done = done
        path = session.saving.path
        if path is None:
            stem = session.files[0].stem if session.files else self.tr("scene")
            path = Path(session.preferences.folder) / f"{stem}.poly"
        dialog = save_dialog(
            self._window, self.tr("Save the project"), str(path),
            self.tr("Polyorama projects (*.poly)"), session.theme.tokens, "poly",
        )  # fmt: skip
        dialog.fileSelected.connect(self._save)
        self.show(dialog)

    @Slot(str)
    def _save(self, name: str) -> None:
        done, self._done = self._done, None
        self._session.saving.save_as(Path(name), done)

    @Slot(object)
    def _ask_unsaved(self, then: Callable[[], Any]) -> None:
        self.show(UnsavedDialog(self._session, then, self._window))

    @Slot(object)
    def _offer_recovery(self, recoveries: list[Recovery]) -> None:
        self.show(RecoveryDialog(self._session, recoveries, self._window))

    @Slot()
    def locate_missing(self) -> None:
        """Say where linked files are that were not found."""
        self.show(MissingDialog(self._session, self._window))

    # Pictures

    def save_picture(self) -> None:
        """Choose size, background and file, then draw."""
        dialog = PictureDialog(self._session, self._window)
        dialog.chosen.connect(self._ask_picture_file)
        self.show(dialog)

    @Slot(object, str)
    def _ask_picture_file(self, size: tuple[int, int], background: str) -> None:
        session = self._session
        stem = session.files[0].stem if session.files else self.tr("picture")
        path = Path(session.preferences.folder) / f"{stem}.png"
        self._picture = (size, background)
        dialog = save_dialog(
            self._window, self.tr("Save picture"), str(path),
            self.tr("Pictures (*.png *.webp *.jpg *.jpeg)"), session.theme.tokens, "png",
        )  # fmt: skip
        dialog.fileSelected.connect(self._save_picture)
        self.show(dialog)

    @Slot(str)
    def _save_picture(self, name: str) -> None:
        size, background = self._picture
        self._session.sharing.save_picture(Path(name), size, background)

    # Both load what draws and writes; the window opens without it.

    def export(self) -> None:
        """Choose how a capture is written."""
        from polyorama_studio.dialogs.export import ExportDialog

        self.show(ExportDialog(self._session, self._window))

    def render(self) -> None:
        """Choose what is rendered."""
        from polyorama_studio.dialogs.render import RenderDialog

        self.show(RenderDialog(self._session, self._window))

    # The house

    def preferences(self) -> None:
        """What a person may set."""
        self.show(PreferencesDialog(self._session, self._window))

    def save_layout(self) -> None:
        """Keep under a name how the panels stand."""
        taken = self._session.preferences.layouts
        dialog = NamingDialog(self.tr("Save layout"), taken, self._window)
        dialog.named.connect(self._window.save_layout)
        self.show(dialog)

    def forget_layout(self) -> None:
        """Choose a layout to forget."""
        dialog = ChoosingDialog(
            self.tr("Forget a layout"), self.tr("Forget"), self._session.preferences.layouts,
            self._window,
        )  # fmt: skip
        dialog.chosen.connect(self._session.preferences.forget_layout)
        self.show(dialog)

    def show_keys(self) -> None:
        """How to move around, and every shortcut."""
        self.show(KeysDialog(self._window.actions_by_id.shortcut_tables(), self._window))

    def show_examples(self) -> None:
        """Scripts to read, copy and run."""
        self.show(ExamplesDialog(self._session, self._window))

    def show_about(self) -> None:
        """Version and licence."""
        self.show(AboutDialog(self._session, self._window))
