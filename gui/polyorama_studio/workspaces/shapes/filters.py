"""Filters: a field with their grammar, and rows for what is asked most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from polyorama_studio.fields.row import Label
from polyorama_studio.fields.segments import SegmentField
from polyorama_studio.fields.simple import ChoiceField, SwitchField
from polyorama_studio.panels.parts import column_of
from polyorama_studio.theme import Metrics
from polyorama_studio.words import legible_lines, tip

if TYPE_CHECKING:
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Filters"]

_PAUSE_MS = 250
"""Half-typed conditions are not worth a complaint."""
_POLYGONS = (500, 1_000, 5_000, 20_000, 100_000)


class Filters(QWidget):
    """The field, what is wrong with it, and the rows.

    Parameters
    ----------
    session, shelf
        See there.
    """

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(parent)
        self._shelf = shelf
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("polys < 5000 and licence = CC0")
        self.field.setAccessibleName(self.tr("Filter"))
        self.field.setClearButtonEnabled(True)
        words = self.tr("Leave only what fits, such as\n{0}")
        examples = "polys < 5000\nlicence = CC0 and format in glb,gltf\nkind = splats"
        self.field.setToolTip(tip(words.format(examples)))
        self.wrong = QLabel(self)
        self.wrong.setProperty("bad", "true")
        self.wrong.setWordWrap(True)
        self.wrong.hide()
        self.kind = SegmentField(
            session.theme,
            (("", self.tr("All")), ("mesh", self.tr("Meshes")), ("splats", self.tr("Splats"))),
            self.tr("Kind"), self,
        )  # fmt: skip
        anything = ("", self.tr("Any"))
        self.format = ChoiceField((anything,), self.tr("Format"), self)
        polygons = [(str(n), self.tr("up to {0}").format(f"{n:,}")) for n in _POLYGONS]
        self.polygons = ChoiceField((anything, *polygons), self.tr("Polygons"), self)
        self.licence = ChoiceField((anything,), self.tr("Licence"), self)
        for choice in (self.format, self.polygons, self.licence):
            choice.set_value("")
        self.unique = SwitchField(session.theme, self.tr("One of each"), self)
        self.unique.setToolTip(tip(self.tr("Show the best of each group of near-duplicates")))
        column = column_of(self)
        column.setSpacing(Metrics.space[0] + Metrics.hair)
        for widget in (self.field, self.wrong, self.kind):
            column.addWidget(widget)
        for name, field in (
            (self.tr("Format"), self.format), (self.tr("Polygons"), self.polygons),
            (self.tr("Licence"), self.licence), (self.tr("One of each"), self.unique),
        ):  # fmt: skip
            row = QHBoxLayout()
            row.setSpacing(Metrics.space[1])
            label = Label(name, self)
            label.setFixedWidth(Metrics.field_label)
            row.addWidget(label)
            row.addWidget(field, 0 if field is self.unique else 1)
            if field is self.unique:
                row.addStretch(1)
            column.addLayout(row)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._on_typed)
        self.field.textEdited.connect(self._timer.start)
        self.field.textChanged.connect(self._on_text)
        self.field.returnPressed.connect(self._on_typed)
        self.kind.chosen.connect(self._on_kind)
        self.format.chosen.connect(self._on_format)
        self.polygons.chosen.connect(self._on_polygons)
        self.licence.chosen.connect(self._on_licence)
        self.unique.changed.connect(self._on_unique)
        shelf.refused.connect(self.show_wrong)
        shelf.overview_changed.connect(self._on_overview)
        shelf.question.changed.connect(self.refresh)

    @Slot()
    def _on_typed(self) -> None:
        self._timer.stop()
        self._shelf.question.put(filters=self.field.text())

    @Slot(str)
    def _on_text(self, text: str) -> None:
        if not text:
            self._on_typed()  # the cross of the field is no typing

    @Slot(str)
    def show_wrong(self, words: str) -> None:
        """Say below the field what is wrong with it, or nothing."""
        self.wrong.setText(legible_lines(words))
        self.wrong.setVisible(bool(words))

    @Slot(str)
    def _on_kind(self, value: str) -> None:
        self._shelf.question.set_quick("kind", f"kind = {value}" if value else "")

    @Slot(str)
    def _on_format(self, value: str) -> None:
        self._shelf.question.set_quick("format", f"format = {value}" if value else "")

    @Slot(str)
    def _on_polygons(self, value: str) -> None:
        self._shelf.question.set_quick("polygons", f"polys <= {value}" if value else "")

    @Slot(str)
    def _on_licence(self, value: str) -> None:
        self._shelf.question.set_quick("licence", f'licence = "{value}"' if value else "")

    @Slot(bool)
    def _on_unique(self, on: bool) -> None:
        self._shelf.question.put(unique=on)

    @Slot()
    def _on_overview(self) -> None:
        """Offer what occurs."""
        overview = self._shelf.overview
        for choice, values in ((self.format, overview.formats), (self.licence, overview.licences)):
            known = choice.value
            choice.set_choices((("", self.tr("Any")), *((v, v) for v in values)))
            choice.set_value(known if known in values else "")

    @Slot()
    def refresh(self) -> None:
        """Show what is asked, after all was cleared."""
        question = self._shelf.question
        if not question.quick:
            for choice in (self.format, self.polygons, self.licence):
                choice.set_value("")
            self.kind.set_value("")
        if not question.filters and not self._timer.isActive() and self.field.text():
            self.field.clear()
        self.unique.set_value(question.unique)
