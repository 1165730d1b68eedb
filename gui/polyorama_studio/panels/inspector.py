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
from polyorama_studio.panels.selection_section import (
    SelectionSection,
    SimilarSection,
    SplatsSection,
)
from polyorama_studio.panels.shape import Shape, shape_of
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QShowEvent

    from polyorama_studio.session import Session

__all__ = ["InspectorPanel"]

_MOST_PAGES = 8
_TRANSFORM = ("translation", "rotation", "scale")


class _Page(QWidget):
    """Sections of one kind of thing."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.sections: list[Section] = []
        self._column = column_of(self)
        self._column.setSpacing(0)

    def add(self, section: Section) -> None:
        """Put one below the others."""
        self._column.addWidget(section)
        self.sections.append(section)

    def retarget(self, nodes: Sequence[str]) -> None:
        """Show others of the same kind with the same widgets."""
        for section in self.sections:
            if isinstance(section, CameraSection | SplatsSection):
                section.nodes = nodes
            for row in section.findChildren(fields.PropertyRow):
                row.retarget(nodes)


@guards
class InspectorPanel(QWidget):
    """A header and sections that fold; several nodes show what they share.

    Widgets are made once for each kind of thing that is chosen and shown again for others of that
    kind, for making them takes longer than a frame; in sight, each row follows the document by
    itself.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._session = session
        self._folded: set[str] = set()
        self._shape: Shape | None = None
        self._pages: dict[Shape, _Page] = {}
        """By the kind of thing, the one shown last at the end."""
        self._stale = True
        self.header = InspectorHeader(session, self)
        self._inside = QWidget(self)
        self._column = column_of(self._inside)
        side = Metrics.space[1]
        self._column.setContentsMargins(side, 0, side, side)
        self._column.setSpacing(0)
        self._column.addStretch(1)
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
        for page in self._pages.values():
            page.hide()
            page.deleteLater()
        self._pages = {}
        self._on_edited(None)

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile is shown now."""
        super().showEvent(event)
        if self._stale:
            self.refresh()

    @property
    def sections(self) -> list[Section]:
        """What is shown, from the top."""
        return [] if self._shape is None else self._pages[self._shape.page].sections

    def refresh(self) -> None:
        """Show what is chosen."""
        self._stale = False
        document = self._session.editing.document
        shape = None if document is None else shape_of(document)
        if shape != self._shape:
            self._turn_to(shape)
        self.header.refresh()
        for section in self.sections:
            refresh = getattr(section, "refresh", None)
            if refresh is not None:
                refresh()

    def _turn_to(self, shape: Shape | None) -> None:
        """Show the page of what is chosen, which is made where there is none yet."""
        for page in self._pages.values():
            page.hide()
        self._shape = shape
        if shape is None:
            return
        page = self._pages.pop(shape.page, None)
        if page is None:
            page = self._made(shape)
            self._column.insertWidget(self._column.count() - 1, page)
        elif shape.nodes:
            page.retarget(shape.nodes)
        self._pages[shape.page] = page
        for section in page.sections:
            section.set_open(section.head.text() not in self._folded)
        if len(self._pages) > _MOST_PAGES:
            oldest = self._pages.pop(next(iter(self._pages)))
            oldest.deleteLater()
        page.show()

    # Building

    def _made(self, shape: Shape) -> _Page:
        page = _Page(self._inside)
        if shape.nodes:
            self._fill_with_nodes(page, shape)
        else:
            self._fill_with_document(page, shape)
        for section in page.sections:
            section.folded.connect(self._on_folded)
        return page

    @Slot(bool)
    def _on_folded(self, folded: bool) -> None:
        sender = self.sender()
        if isinstance(sender, Section):
            title = sender.head.text()
            if folded:
                self._folded.add(title)
            else:
                self._folded.discard(title)

    def _rows(
        self, page: _Page, title: str, owners: Sequence[str], names: Sequence[str]
    ) -> Section:  # fmt: skip
        section = Section(self._session.theme, title, page)
        for name in names:
            paths = [f"{owner}/{name}" for owner in owners]
            section.content.addWidget(fields.for_parameter(self._session, paths, section.body))
        return section

    def _fill_with_nodes(self, page: _Page, shape: Shape) -> None:
        nodes = shape.nodes
        page.add(self._rows(page, self.tr("Transform"), nodes, _TRANSFORM))
        if shape.kind == "CameraRig":
            page.add(CameraSection(self._session, nodes, shape.rig, page))
            lens = ("f_stop", "focus", "shutter", "eye_distance", "near")
            page.add(self._rows(page, self.tr("Lens"), nodes, lens))
        elif shape.names:
            page.add(self._rows(page, shape.title, nodes, shape.names))
        if shape.kind == "SplatCloud":
            page.add(SplatsSection(self._session, nodes, page))
        if shape.selected:
            page.add(SelectionSection(self._session, page))
        page.add(self._rows(page, self.tr("Display"), nodes, ("visible",)))
        if shape.kind in ("SplatCloud", "Mesh"):
            page.add(SimilarSection(self._session, page))

    def _fill_with_document(self, page: _Page, shape: Shape) -> None:
        if shape.selected:
            page.add(SelectionSection(self._session, page))
        page.add(self._rows(page, self.tr("Scene"), ("document",), ("background",)))
        page.add(ViewSection(self._session, page))

    def keyPressEvent(self, event) -> None:
        """Escape gives the keys back to the picture."""
        if event.key() == Qt.Key.Key_Escape and self.focusWidget() is not None:
            self.focusWidget().clearFocus()
        else:
            super().keyPressEvent(event)
