"""Select by a rule: typed or begun from an example, counted while it is typed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLineEdit, QPushButton, QWidget

from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.fields.rule import RuleField
from polyorama_studio.fields.segments import SegmentField
from polyorama_studio.theme import Metrics, fixed_font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from polyorama.scene.document import Document
    from polyorama_studio.session import Session

__all__ = ["EXAMPLES", "RuleDialog"]

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("opacity < 0.1", "Faint splats"),
    ("hue in 80..140 and saturation > 0.2", "Greens"),
    ("max(scale) > 0.1", "Large splats"),
    ("max(scale) / min(scale) > 20", "Needles"),
    ("y > 0.2", "What lies beyond a plane"),
    ("visible_from < 3 views", "What is hardly seen"),
)
"""Rules to begin with, and what each finds."""
_COLUMNS = 2


def counted(document: Document, time: float, rule: str) -> int:
    """How many splats a rule holds for; on a worker thread."""
    from polyorama.verbs.selecting import select

    found = select(document, rule, time=time)
    return sum(len(bits) for bits in found.selection.values())


class RuleDialog(Dialog):
    """A rule, what becomes of the selection, and a name to keep it under.

    Parameters
    ----------
    session
        Whose document is asked.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        document = session.editing.document
        assert document is not None
        self._document: Document = document
        self.set_heading(self.tr("Select by rule"))
        count = partial(counted, document, session.playback.time)
        self.rule = RuleField(session, self.tr("Rule"), count, self)
        self.rule.edit.textChanged.connect(self._tell)
        self.rule.note.setMinimumHeight(Metrics.control)
        self.mode = SegmentField(
            session.theme,
            [
                ("set", self.tr("Select")), ("add", self.tr("Add")),
                ("remove", self.tr("Remove")), ("intersect", self.tr("Intersect")),
            ],
            self.tr("What becomes of the selection"),
            self,
        )  # fmt: skip
        self.keep = QCheckBox(self.tr("Keep the rule as"), self)
        self.keep.setToolTip(
            tip(
                self.tr(
                    "A rule that is kept finds again whatever it holds for\n"
                    'doc.keep_selection("name", "rule")'
                )
            )
        )
        self.name = QLineEdit(self)
        self.name.setAccessibleName(self.tr("Name"))
        self.name.setPlaceholderText(self.tr("name"))
        self.name.textChanged.connect(self._tell)
        self.keep.toggled.connect(self._tell)
        self._lay_out()
        self.add_button(self.tr("Cancel"), self.reject)
        self.select_button = self.add_button(self.tr("Select"), self._select, primary=True)
        self._tell()
        self.rule.edit.setFocus()

    def _lay_out(self) -> None:
        examples = QGridLayout()
        examples.setSpacing(Metrics.space[0])
        self.examples: list[QPushButton] = []
        for number, (rule, words) in enumerate(EXAMPLES):
            button = QPushButton(rule, self)
            button.setProperty("tight", "true")
            button.setFont(fixed_font(Metrics.label))
            button.setAutoDefault(False)
            button.setToolTip(tip(self.tr(words)))
            button.clicked.connect(partial(self._begin_with, rule))
            examples.addWidget(button, number // _COLUMNS, number % _COLUMNS)
            self.examples.append(button)
        form = QGridLayout()
        form.setHorizontalSpacing(Metrics.space[2])
        form.setVerticalSpacing(Metrics.space[1])
        form.setColumnStretch(1, 1)
        label = QLabel(self.tr("Selection"), self)
        label.setProperty("quiet", True)
        form.addWidget(label, 0, 0)
        form.addWidget(self.mode, 0, 1)
        form.addWidget(self.keep, 1, 0)
        form.addWidget(self.name, 1, 1)
        hint = QLabel(self.tr("Begin with one of these"), self)
        hint.setProperty("quiet", True)
        self.body.addWidget(self.rule)
        self.body.addWidget(hint)
        self.body.addLayout(examples)
        self.body.addSpacing(Metrics.space[0])
        self.body.addLayout(form)
        self.setMinimumWidth(Metrics.rule_width)

    def _begin_with(self, rule: str, checked: bool = False) -> None:
        self.rule.set_value("")
        self.rule.edit.setText(rule)
        self.rule.edit.textEdited.emit(rule)
        self.rule.edit.setFocus()

    @Slot()
    @Slot(str)
    @Slot(bool)
    def _tell(self, value: object = None) -> None:
        """Whether it can be done."""
        text = self.rule.edit.text().strip()
        self.name.setEnabled(self.keep.isChecked())
        named = bool(self.name.text().strip()) or not self.keep.isChecked()
        self.select_button.setEnabled(bool(text) and not self.rule.error and named)

    @Slot()
    def _select(self) -> None:
        rule, mode = self.rule.edit.text().strip(), self.mode.value
        name = self.name.text().strip() if self.keep.isChecked() else ""
        editing = self._session.editing
        if name and not editing.run("keep_selection", name=name, query=rule):
            return
        self.accept()
        time = self._session.playback.time
        more = {"time": time} if time > 0.0 else {}
        editing.start("select", query=rule, mode=mode, **more)
