"""Sections about splats: what is selected, what is left out, what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from polyorama_studio.panels.parts import Section
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.scene.document import Node
    from polyorama_studio.session import Session

__all__ = ["SelectionSection", "SimilarSection", "SplatsSection"]

_ACTIONS: tuple[tuple[str, str, str], ...] = (
    ("invert", "Invert", "Select what is not selected"),
    ("grow", "Grow", "Add the neighbours of selected splats"),
    ("shrink", "Shrink", "Take the splats at the edge out"),
    ("component", "Connected", "Select all that is connected with it"),
    ("flood", "Similar", "Add splats of similar colour that are reached from it"),
    ("select_none", "None", "Select nothing"),
    ("hide", "Hide", "Do not draw the selected splats"),
    ("isolate", "Isolate", "Hide everything but the selected splats"),
    ("lock", "Lock", "Keep the selected splats from being picked"),
    ("separate", "Separate", "Make a node of the selected splats"),
    ("duplicate_selected", "Copy out", "Make a node of a copy of the selected splats"),
    ("delete", "Delete", "Leave the selected splats out; they can be restored"),
)
_COLUMNS = 3


class _OpButton(QPushButton):
    """Carries out an operation on a worker thread."""

    def __init__(self, session: Session, op: str, title: str, words: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self._session, self._op, self._words = session, op, words
        self.setProperty("tight", "true")
        self.arguments: dict[str, Any] = {}
        self.give()
        self.clicked.connect(self._run)

    def give(self, **arguments: Any) -> None:
        """Carry it out with other arguments."""
        self.arguments = arguments
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        self.setToolTip(tip(f"{self._words}\ndoc.{self._op}({given})"))

    @Slot()
    def _run(self) -> None:
        self._session.editing.start(self._op, **self.arguments)


class SelectionSection(Section):
    """How many splats are selected, and what can be done with them."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session.theme, "", parent)
        self.head.setText(self.tr("Selected splats"))
        self.head.setAccessibleName(self.head.text())
        self._session = session
        grid = QGridLayout()
        grid.setSpacing(Metrics.space[0])
        self.buttons: dict[str, QPushButton] = {}
        for i, (op, title, words) in enumerate(_ACTIONS):
            button = _OpButton(session, op, self.tr(title), self.tr(words), self.body)
            grid.addWidget(button, i // _COLUMNS, i % _COLUMNS)
            self.buttons[op] = button
        self.content.addLayout(grid)
        self.refresh()

    def refresh(self) -> None:
        """Count what is selected."""
        document = self._session.editing.document
        if document is not None:
            count = sum(len(bits) for bits in document.selection.values())
            self.head.set_note(f"{count:,}")


class SimilarSection(Section):
    """The way from a node to shapes of the library that resemble it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session.theme, "", parent)
        self.head.setText(self.tr("Library"))
        self.head.setAccessibleName(self.head.text())
        self.button = QPushButton(self.tr("Find similar shapes"), self.body)
        self.button.setProperty("tight", "true")
        words = self.tr("Look in the library for shapes like it, or like the splats selected of it")
        self.button.setToolTip(tip(words))
        self.button.clicked.connect(session.similar_asked)
        self.content.addWidget(self.button)


class SplatsSection(Section):
    """Counts of splats that are hidden, locked or deleted, and how they come back."""

    def __init__(
        self, session: Session, nodes: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(session.theme, "", parent)
        self.head.setText(self.tr("Splats"))
        self.head.setAccessibleName(self.head.text())
        self._session = session
        self.nodes = tuple(nodes)
        grid = QGridLayout()
        grid.setHorizontalSpacing(Metrics.space[1])
        grid.setVerticalSpacing(Metrics.hair)
        grid.setColumnStretch(1, 1)
        self._facts: dict[str, tuple[QLabel, QLabel, _OpButton | None]] = {}
        rows: tuple[tuple[str, str, str, str], ...] = (
            ("shown", self.tr("Count"), "", ""),
            ("hidden", self.tr("Hidden"), "unhide", self.tr("Show")),
            ("locked", self.tr("Locked"), "unlock", self.tr("Unlock")),
            ("deleted", self.tr("Deleted"), "restore", self.tr("Restore")),
            ("harmonics", self.tr("Harmonics"), "", ""),
            ("file", self.tr("File"), "", ""),
        )
        for row, (what, title, op, verb) in enumerate(rows):
            label, value = QLabel(title, self.body), QLabel(self.body)
            label.setProperty("fine", "true")
            label.setFixedWidth(Metrics.field_label)
            value.setProperty("figure", "true")
            value.setMinimumWidth(1)
            value.setTextFormat(Qt.TextFormat.PlainText)
            button = None
            grid.addWidget(label, row, 0)
            grid.addWidget(value, row, 1)
            if op:
                words = self.tr("{0} these splats").format(verb)
                button = _OpButton(session, op, verb, words, self.body)
                grid.addWidget(button, row, 2)
            self._facts[what] = (label, value, button)
        self.content.addLayout(grid)
        self.refresh()

    def refresh(self) -> None:
        """Count."""
        document = self._session.editing.document
        if document is None:
            return
        for what in ("hidden", "locked", "deleted"):
            button = self._facts[what][2]
            if button is not None:
                button.give(nodes=self.nodes)
        wanted = set(self.nodes)
        nodes = [n for n in document.nodes if n.id in wanted and n.splats is not None]
        counts = {
            what: sum(len(bits) for n in nodes if (bits := getattr(n, what)) is not None)
            for what in ("hidden", "locked", "deleted")
        }
        total = sum(len(n.splats) for n in nodes if n.splats is not None)
        self._say("shown", f"{total:,}")
        for what, count in counts.items():
            self._say(what, f"{count:,}" if count else "")
        self._say("harmonics", self._degrees(nodes))
        files = {n.source.path for n in nodes if n.source is not None}
        path = files.pop() if len(files) == 1 else ""
        self._say("file", path.replace("\\", "/").rpartition("/")[2], path)

    def _degrees(self, nodes: Sequence[Node]) -> str:
        degrees = sorted({n.splats.sh_degree for n in nodes if n.splats is not None})
        if not degrees:
            return ""
        text = " ".join(map(str, degrees))
        return self.tr("degree {0}").format(text)

    def _say(self, what: str, text: str, more: str = "") -> None:
        label, value, button = self._facts[what]
        value.setText(text)
        value.setToolTip(tip(more) if more else "")
        for widget in (label, value, button):
            if widget is not None:
                widget.setVisible(bool(text))
