"""What dialogs that write files share: rows of fields, the line of a file, and of a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QWidget

from polyorama_studio.exporting import with_ending
from polyorama_studio.fields.buttons import IconButton
from polyorama_studio.files import save_dialog
from polyorama_studio.theme import Metrics, fixed_font

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polyorama_studio.session import Session

__all__ = ["CommandLine", "FileLine", "Rows", "side_by_side"]


class Rows(QGridLayout):
    """Quiet labels at the left, their fields at the right.

    Parameters
    ----------
    parent
        What is laid out; None where it becomes part of another layout.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(Metrics.space[2])
        self.setVerticalSpacing(Metrics.space[1])
        self.setColumnStretch(1, 1)
        self._labels: dict[QWidget, QLabel] = {}

    def add(self, title: str, field: QWidget) -> None:
        """One more row."""
        label = QLabel(title, field.parentWidget())
        label.setProperty("quiet", True)
        row = len(self._labels)
        self.addWidget(label, row, 0)
        self.addWidget(field, row, 1)
        self._labels[field] = label

    def set_shown(self, field: QWidget, shown: bool) -> None:
        """Show a row, or take no room for it."""
        field.setVisible(shown)
        self._labels[field].setVisible(shown)


def side_by_side(parent: QWidget, *fields: tuple[QWidget, int]) -> QWidget:
    """Fields in one row, each with its share of the room that is left."""
    holder = QWidget(parent)
    _lay_out(holder, *fields)
    return holder


def _lay_out(holder: QWidget, *fields: tuple[QWidget, int]) -> None:
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(Metrics.space[0])
    for field, share in fields:
        row.addWidget(field, share)


class FileLine(QWidget):
    """The path of the file that is written, and a button that asks for it."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.edit = QLineEdit(self)
        self.edit.setAccessibleName(self.tr("File"))
        self.browse = IconButton(session.theme, "folder", self.tr("Choose the file..."), self)
        _lay_out(self, (self.edit, 1), (self.browse, 0))

    def end_with(self, ending: str, formats: Sequence[tuple[str, str]]) -> None:
        """Give the file another ending of some formats, as `exporting.ENDINGS` has them."""
        path = with_ending(Path(self.edit.text()), ending, formats)
        self.edit.setText(str(path) if path.name else "")

    def ask(
        self, heading: str, title: str, ending: str, path: str,
        take: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        """Ask for a file.

        Parameters
        ----------
        heading
            Of the question.
        title, ending
            Of its format.
        path
            What is proposed.
        take
            Gets the answer; by default it becomes the path.
        """
        dialog = save_dialog(
            self, heading, path, f"{title} (*{ending})", self._session.theme.tokens,
            ending.removeprefix("."),
        )  # fmt: skip
        dialog.fileSelected.connect(take or self.edit.setText)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


class CommandLine(QWidget):
    """The command line that does the same, and a button that copies it."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._edit = QLineEdit(self)
        self._edit.setReadOnly(True)
        self._edit.setFont(fixed_font(Metrics.label))
        self._edit.setAccessibleName(self.tr("Command line"))
        self.copy = IconButton(session.theme, "copy", self.tr("Copy the command line"), self)
        self.copy.clicked.connect(self._copy)
        _lay_out(self, (self._edit, 1), (self.copy, 0))

    def text(self) -> str:
        """What it says."""
        return self._edit.text()

    def set_text(self, text: str) -> None:
        """Say something else, from its beginning."""
        self._edit.setText(text)
        self._edit.setCursorPosition(0)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())
        self._session.tell("info", self.tr("Command line copied"))
