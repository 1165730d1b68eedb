"""The inspector: all properties of what is chosen, or of the scene where nothing is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from polyorama_studio import fields
from polyorama_studio.guard import guards
from polyorama_studio.panels.camera_section import CameraSection, ViewSection
from polyorama_studio.panels.header import InspectorHeader
from polyorama_studio.panels.parts import Section, column_of, scrolled
from polyorama_studio.panels.selection_section import SelectionSection, SplatsSection
from polyorama_studio.panels.shape import Shape, shape_of
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QShowEvent

    from polyorama_studio.session import Session

__all__ = ["InspectorPanel"]

_TRANSFORM = ("translation", "rotation", "scale")


@guards
class InspectorPanel(QWidget):
    """A header and sections that fold; several nodes show what they share.

    Widgets are made anew only when something else is chosen or a node becomes something else;
    otherwise each row follows the document by itself.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._session = session
        self._folded: set[str] = set()
        self._shape: Shape | None = None
        self._stale = True
        self.header = InspectorHeader(session, self)
        self._inside = QWidget(self)
        self._column = column_of(self._inside)
        side = Metrics.space[1]
        self._column.setContentsMargins(side, 0, side, side)
        self._column.setSpacing(0)
        self.sections: list[Section] = []
        column = column_of(self)
        column.setSpacing(0)
        column.addWidget(self.header)
        self.area = scrolled(self._inside, self)
        column.addWidget(self.area, 1)
        session.editing.edited.connect(self._on_edited)
        session.editing.replaced.connect(self._on_replaced)
        self.refresh()

    # Following

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        self._stale = True
        if self.isVisible():
            self.refresh()

    @Slot()
    def _on_replaced(self) -> None:
        self._shape = None
        self._on_edited(None)

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile is shown now."""
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def refresh(self) -> None:
        """Show what is chosen."""
        self._stale = False
        document = self._session.editing.document
        shape = None if document is None else shape_of(document)
        if shape != self._shape or (shape is None and self.sections):
            before, self._shape = self._shape, shape
            if shape is not None and before is not None and shape.is_like(before):
                self._retarget(shape)
            else:
                self._rebuild(shape)
        self.header.refresh()
        for section in self.sections:
            refresh = getattr(section, "refresh", None)
            if refresh is not None:
                refresh()

    def _retarget(self, shape: Shape) -> None:
        """Show others of the same kind with the same widgets."""
        for section in self.sections:
            if isinstance(section, CameraSection | SplatsSection):
                section.nodes = shape.nodes
            for row in section.findChildren(fields.PropertyRow):
                row.retarget(shape.nodes)

    # Building

    def _rebuild(self, shape: Shape | None) -> None:
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.sections = []
        if shape is not None:
            if shape.nodes:
                self._show_nodes(shape)
            else:
                self._show_document(shape)
        self._column.addStretch(1)

    def _add(self, section: Section) -> None:
        title = section.head.text()
        section.set_open(title not in self._folded)
        section.folded.connect(self._on_folded)
        self._column.addWidget(section)
        section.show()
        self.sections.append(section)

    @Slot(bool)
    def _on_folded(self, folded: bool) -> None:
        sender = self.sender()
        if isinstance(sender, Section):
            title = sender.head.text()
            if folded:
                self._folded.add(title)
            else:
                self._folded.discard(title)

    def _rows(self, title: str, owners: Sequence[str], names: Sequence[str]) -> Section:
        section = Section(self._session.theme, title, self._inside)
        for name in names:
            paths = [f"{owner}/{name}" for owner in owners]
            section.content.addWidget(fields.for_parameter(self._session, paths, section.body))
        return section

    def _show_nodes(self, shape: Shape) -> None:
        nodes = shape.nodes
        self._add(self._rows(self.tr("Transform"), nodes, _TRANSFORM))
        if shape.kind == "CameraRig":
            self._add(CameraSection(self._session, nodes, shape.rig, self._inside))
            lens = ("f_stop", "focus", "shutter", "eye_distance", "near")
            self._add(self._rows(self.tr("Lens"), nodes, lens))
        elif shape.names:
            self._add(self._rows(shape.title, nodes, shape.names))
        if shape.kind == "SplatCloud":
            self._add(SplatsSection(self._session, nodes, self._inside))
        if shape.selected:
            self._add(SelectionSection(self._session, self._inside))
        self._add(self._rows(self.tr("Display"), nodes, ("visible",)))

    def _show_document(self, shape: Shape) -> None:
        if shape.selected:
            self._add(SelectionSection(self._session, self._inside))
        self._add(self._rows(self.tr("Scene"), ("document",), ("background",)))
        self._add(ViewSection(self._session, self._inside))

    def keyPressEvent(self, event) -> None:
        """Escape gives the keys back to the picture."""
        if event.key() == Qt.Key.Key_Escape and self.focusWidget() is not None:
            self.focusWidget().clearFocus()
        else:
            super().keyPressEvent(event)
