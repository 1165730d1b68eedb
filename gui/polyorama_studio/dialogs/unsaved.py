"""Save, discard or cancel, before something takes unsaved changes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel, QWidget

from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from polyorama_studio.session import Session

__all__ = ["UnsavedDialog"]


class UnsavedDialog(Dialog):
    """Asks what becomes of unsaved changes.

    Parameters
    ----------
    session
        Whose document it is.
    then
        What is done once they are saved or given up.
    """

    def __init__(
        self, session: Session, then: Callable[[], Any], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._then = then
        self.set_heading(self.tr("Save the changes?"))
        name = session.title or self.tr("Untitled")
        editor = session.editing.editor
        last = ""
        if editor is not None and editor.history.can_undo:
            step = editor.history.commands[editor.history.position - 1]
            last = "\n" + self.tr("The last step was: {0}").format(step.title)
        words = QLabel(self.tr("{0} holds changes that no file has yet.").format(name) + last, self)
        words.setWordWrap(True)
        words.setProperty("quiet", True)
        words.setMinimumWidth(Metrics.toast_width)
        self.body.addWidget(words)
        self.discard_button = self.add_button(self.tr("Discard"), self._discard)
        self.cancel_button = self.add_button(self.tr("Cancel"), self.reject)
        self.save_button = self.add_button(self.tr("Save"), self._save, primary=True)
        self.save_button.setFocus()

    @Slot()
    def _save(self) -> None:
        self.accept()
        self._session.saving.save(self._then)

    @Slot()
    def _discard(self) -> None:
        self.accept()
        self._session.saving.give_up()
        self._then()
