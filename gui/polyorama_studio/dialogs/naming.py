"""Give a name, or choose one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QWidget

from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ChoosingDialog", "NamingDialog"]

_LONGEST = 60


class NamingDialog(Dialog):
    """One line for a name; says so where it is taken, since that one is replaced."""

    named = Signal(str)

    def __init__(self, heading: str, taken: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_heading(heading)
        self._taken = set(taken)
        self.name = QLineEdit(self)
        self.name.setMaxLength(_LONGEST)
        self.name.setPlaceholderText(self.tr("Name"))
        self.name.setAccessibleName(self.tr("Name"))
        self._word = QLabel(self)
        self._word.setProperty("quiet", True)
        self.body.addWidget(self.name)
        self.body.addWidget(self._word)
        self.add_button(self.tr("Cancel"), self.reject)
        self.save_button = self.add_button(self.tr("Save"), self._save, primary=True)
        self.setMinimumWidth(Metrics.toast_width)
        self.name.textChanged.connect(self._on_text)
        self._on_text("")
        self.name.setFocus()

    @Slot(str)
    def _on_text(self, text: str) -> None:
        name = text.strip()
        self.save_button.setEnabled(bool(name))
        known = name in self._taken
        self._word.setText(self.tr("Replaces the one of that name") if known else " ")

    @Slot()
    def _save(self) -> None:
        name = self.name.text().strip()
        if name:
            self.accept()
            self.named.emit(name)


class ChoosingDialog(Dialog):
    """A list of names, of which one is chosen."""

    chosen = Signal(str)

    def __init__(
        self, heading: str, verb: str, names: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.set_heading(heading)
        self.list = QListWidget(self)
        self.list.addItems(list(names))
        self.list.setCurrentRow(0)
        self.list.itemActivated.connect(self._choose)
        self.body.addWidget(self.list)
        self.add_button(self.tr("Cancel"), self.reject)
        self.add_button(verb, self._choose, primary=True)
        self.setMinimumWidth(Metrics.toast_width)

    @Slot()
    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.accept()
            self.chosen.emit(item.text())
