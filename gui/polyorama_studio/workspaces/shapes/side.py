"""At the left: what is asked, filters, collections, folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.panels.parts import Section, column_of, scrolled
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip
from polyorama_studio.workspaces.shapes.chips import Chip, Chips
from polyorama_studio.workspaces.shapes.filters import Filters
from polyorama_studio.workspaces.shapes.lists import CollectionList, FailureList, FolderList
from polyorama_studio.workspaces.shapes.pictures import PictureDrop
from polyorama_studio.workspaces.shapes.question import Like, Picture

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Side"]


@guards
class _Search(QLineEdit):
    """A field of words from which one goes on to what was found."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Down, Enter and Escape go there; all else is typed."""
        keys = Qt.Key
        if event.key() in (keys.Key_Down, keys.Key_Return, keys.Key_Enter, keys.Key_Escape):
            self.left.emit()
        else:
            super().keyPressEvent(event)


class Side(QFrame):
    """A column that scrolls; the search stays at its top.

    Parameters
    ----------
    session, shelf
        See there.
    """

    left = Signal()
    """One is to go on to what was found."""

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shapesSide")
        self.setFixedWidth(Metrics.shapes_side)
        self._session, self._shelf = session, shelf
        self.search = _Search(self)
        self.search.setPlaceholderText(self.tr("Cosy armchair"))
        self.search.setAccessibleName(self.tr("Find shapes"))
        self.search.setClearButtonEnabled(True)
        self.search.setToolTip(tip(self.tr("Say what you look for\npolyorama shapes search")))
        self._glass = QAction(self)
        self.search.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.without = QLineEdit(self)
        self.without.setPlaceholderText(self.tr("Without"))
        self.without.setAccessibleName(self.tr("Without"))
        self.without.setClearButtonEnabled(True)
        self.without.setToolTip(tip(self.tr("What results shall not be like")))
        self.drop = PictureDrop(session, self)
        self.chips = Chips(self)
        inside = QWidget(self)
        inside.setObjectName("panelBody")
        self.filter_section = Section(session.theme, self.tr("Filters"), inside)
        self.filters = Filters(session, shelf, self.filter_section.body)
        self.filter_section.content.addWidget(self.filters)
        self.collections = CollectionList(session, shelf, inside)
        self.folders = FolderList(session, shelf, inside)
        self.failures = FailureList(session, shelf, inside)
        column = column_of(inside)
        gap = Metrics.space[2]
        column.setContentsMargins(gap, 0, gap, gap)
        column.setSpacing(Metrics.space[0])
        for widget in (self.filter_section, self.collections, self.folders, self.failures):
            column.addWidget(widget)
        column.addStretch(1)
        head = QVBoxLayout()
        head.setContentsMargins(gap, 0, gap, 0)
        head.setSpacing(Metrics.space[1])
        for widget in (self.search, self.without, self.drop, self.chips):
            head.addWidget(widget)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, gap, 0, 0)
        outer.setSpacing(Metrics.space[1])
        outer.addLayout(head)
        outer.addWidget(scrolled(inside, self), 1)
        self.search.left.connect(self.left)
        self.search.textChanged.connect(self._on_words)
        self.without.textChanged.connect(self._on_without)
        self.drop.shown.connect(shelf.question.show)
        self.chips.removed.connect(self._on_removed)
        shelf.question.changed.connect(self.refresh)
        session.theme.changed.connect(self._tint)
        self._shown: object = None
        self._tint()

    @Slot()
    def _tint(self) -> None:
        self._glass.setIcon(icon("search", self._session.theme.tokens.color("quiet")))

    @Slot(str)
    def _on_words(self, text: str) -> None:
        self._shelf.question.put(words=text)

    @Slot(str)
    def _on_without(self, text: str) -> None:
        self._shelf.question.put(without=text)

    @Slot(object)
    def _on_removed(self, what: object) -> None:
        question = self._shelf.question
        if isinstance(what, Picture):
            question.hide(what)
        elif isinstance(what, Like):
            question.unlike(what)
        else:
            question.forget_shape()

    @Slot()
    def refresh(self) -> None:
        """Show what is asked, however it came to be."""
        question = self._shelf.question
        for field, text in ((self.search, question.words), (self.without, question.without)):
            if field.text() != text:
                field.setText(text)
        shown = (question.pictures, question.likes, question.vector_name)
        if shown == self._shown:
            return
        self._shown = shown
        theme = self._session.theme
        chips = [Chip(theme, p.name, p, self.chips, image=p.image) for p in question.pictures]
        for like in question.likes:
            words = self.tr("Like {0}").format(like.name)
            chips.append(Chip(theme, words, like, self.chips, icon="alike"))
        if question.vector_name:
            words = self.tr("Like {0} of the scene").format(question.vector_name)
            chips.append(Chip(theme, words, None, self.chips, icon="theatre"))
        self.chips.show_chips(chips)
