"""At the right of the stage: what runs, its presets, parameters, formula and what is going on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from polyorama_studio.icons import icon
from polyorama_studio.panels.parts import Section, column_of, scrolled
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip
from polyorama_studio.workspaces.lab.form import ParameterForm
from polyorama_studio.workspaces.lab.formula import FormulaCard
from polyorama_studio.workspaces.lab.presets import PresetChips
from polyorama_studio.workspaces.lab.scrub import change_words

if TYPE_CHECKING:
    from polyorama.lab.runner import Update
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.lab.theme import LabTheme

__all__ = ["SidePanel"]

_MOST_CHANGES = 12


class SidePanel(QFrame):
    """A column of sections that scrolls."""

    def __init__(self, session: Session, run: Run, theme: LabTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("labSide")
        self.setFixedWidth(Metrics.lab_side)
        self._session = session
        self._run = run
        inside = QWidget(self)
        inside.setObjectName("panelBody")
        self.title = QLabel(inside)
        self.title.setProperty("heading", "true")
        self.title.setWordWrap(True)
        self.summary = QLabel(inside)
        self.summary.setWordWrap(True)
        self.summary.setProperty("quiet", "true")
        self.paper = QPushButton(inside)
        self.paper.setObjectName("labPaper")
        self.paper.setProperty("plain", "true")
        self.paper.clicked.connect(self._open_paper)
        self.caveat = QLabel(inside)
        self.caveat.setObjectName("labCaveat")
        self.caveat.setWordWrap(True)
        self.presets = PresetChips(run, theme, inside)
        self.parameters = Section(session.theme, self.tr("Parameters"), inside)
        self.form = ParameterForm(session, run, self.parameters.body)
        self.parameters.content.addWidget(self.form)
        self.formula_section = Section(session.theme, self.tr("Formula"), inside)
        self.formula = FormulaCard(session, run, theme, self.formula_section.body)
        self.formula_section.content.addWidget(self.formula)
        self.note_section = Section(session.theme, self.tr("Notes"), inside)
        self.note = QLabel(self.note_section.body)
        self.note.setWordWrap(True)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.note.setProperty("fine", "true")
        self._changes = 0
        self.note_section.content.addWidget(self.note)
        column = column_of(inside)
        gap = Metrics.space[2]
        column.setContentsMargins(gap, gap, gap, gap)
        column.setSpacing(Metrics.space[1])
        for widget in (
            self.title, self.summary, self.paper, self.caveat, self.presets, self.formula_section,
            self.parameters, self.note_section,
        ):  # fmt: skip
            column.addWidget(widget)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(inside, self))
        run.loaded_changed.connect(self._on_loaded)
        run.updated.connect(self._on_update)
        run.changed.connect(self._tell)
        session.theme.changed.connect(self._tint)
        for widget in (
            self.paper, self.caveat, self.parameters, self.formula_section, self.note_section,
        ):  # fmt: skip
            widget.hide()

    @Slot()
    def _on_loaded(self) -> None:
        loaded = self._run.loaded
        assert loaded is not None
        kind = loaded.kind
        self.title.setText(kind.title)
        self.summary.setText(kind.summary)
        paper = kind.paper
        self.paper.setVisible(paper is not None)
        if paper is not None:
            words = f"{_short(paper.authors)}, {paper.venue}"
            self.paper.setText(words.replace("&", "&&"))  # no letter of it is a key
            words = f"{paper.title}\n{paper.authors}\n{paper.venue}\n{paper.link}"
            self.paper.setToolTip(tip(words.strip()))
            self.paper.setEnabled(bool(paper.link))
        self.caveat.setText(kind.caveat)
        self.caveat.setVisible(bool(kind.caveat))
        self.parameters.setVisible(bool(kind.parameters()))
        self.formula_section.setVisible(kind.formula is not None)
        if kind.formula is not None:
            self.formula_section.head.set_note(kind.formula.source)
        self._tint()

    @Slot()
    def _tint(self) -> None:
        tokens = self._session.theme.tokens
        self.paper.setIcon(icon("paper", tokens.color("quiet")))
        self.paper.setFont(font(Metrics.label))

    @Slot(object)
    def _on_update(self, update: Update) -> None:
        if len(update.changes) != self._changes:
            self._changes = len(update.changes)
            self._tell()

    @Slot()
    def _tell(self) -> None:
        """What to look for, and what was changed on the way."""
        loaded, update = self._run.loaded, self._run.update
        lines = []
        if loaded is not None and 0 <= self._run.preset < len(loaded.kind.presets):
            lines.append(loaded.kind.presets[self._run.preset].help)
        elif loaded is not None and loaded.views:
            lines.append(loaded.views[0].help)
        # A drag passes through many values; where it ended is what was changed.
        changes = {(c.step, c.name): c for c in (() if update is None else update.changes)}
        lines += map(change_words, list(changes.values())[-_MOST_CHANGES:])
        self.note.setText("\n".join(filter(None, lines)))
        self.note_section.setVisible(bool(self.note.text()))

    @Slot()
    def _open_paper(self) -> None:
        loaded = self._run.loaded
        if loaded is not None and loaded.kind.paper is not None and loaded.kind.paper.link:
            QDesktopServices.openUrl(QUrl(loaded.kind.paper.link))


def _short(authors: str) -> str:
    """The first author, and that there are more."""
    first, *others = [name.strip() for name in authors.replace(" and ", ",").split(",")]
    return f"{first} et al." if len([o for o in others if o]) > 1 else authors
