"""Clean-up: a card for each tool; what would go is shown on the stage before anything changes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from polyorama.verbs.cleanup import TOOLS
from polyorama_studio.guard import guards
from polyorama_studio.panels.cleanup_card import ToolCard
from polyorama_studio.panels.cleanup_preview import CleanUpPreview
from polyorama_studio.panels.parts import column_of, scrolled
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent

    from polyorama.edit.command import Command
    from polyorama.scene.document import Document
    from polyorama_studio.session import Session

__all__ = ["CleanUpPanel"]


@guards
class CleanUpPanel(QWidget):
    """The tools; at most one of them is open, and shows its heat map.

    Leaving the panel, folding the card or Escape brings the scene's own colours back.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.preview = CleanUpPreview(session, self)
        self.preview.changed.connect(self._refresh)
        self.preview.failed.connect(session.report)
        self.cards = {kind: ToolCard(tool, session.theme, self) for kind, tool in TOOLS.items()}
        inside = QWidget(self)
        inside.setObjectName("panelBody")
        column = QVBoxLayout(inside)
        side = Metrics.space[1]
        column.setContentsMargins(side, side, side, side)
        column.setSpacing(Metrics.space[0] + Metrics.hair)
        self._nothing = QLabel(self.tr("Open a capture to clean it up"), inside)
        self._nothing.setProperty("quiet", True)
        column.addWidget(self._nothing)
        for card in self.cards.values():
            column.addWidget(card)
            card.opened.connect(self._open)
            card.closed.connect(self._close)
            card.moved.connect(self._on_moved)
            card.rested.connect(self._on_rested)
            card.select_asked.connect(self._select)
            card.remove_asked.connect(self._remove)
        column.addStretch(1)
        column_of(self).addWidget(scrolled(inside, self))
        self.setMinimumWidth(Metrics.cards)
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        self._escape.setContext(Qt.ShortcutContext.WindowShortcut)
        self._escape.activated.connect(self.preview.end)
        session.editing.replaced.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        """As wide as a dock."""
        return QSize(Metrics.toast_words, 2 * Metrics.toast_words)

    @Slot()
    def _refresh(self) -> None:
        """Say in the open card what was found; fold all others."""
        preview = self.preview
        there = self._session.editing.document is not None
        self._nothing.setVisible(not there)
        self._escape.setEnabled(preview.active)
        for kind, card in self.cards.items():
            is_open = kind == preview.kind
            card.setEnabled(there)
            if is_open != card.head.isChecked() or is_open:
                card.set_open(is_open)
            if is_open:
                found = preview.found
                known = found is not None and found.kind == kind
                card.show_found(found if known else None, preview.note if preview.busy else "")

    @Slot(str)
    def _open(self, kind: str) -> None:
        self.preview.show(kind, self.cards[kind].threshold)

    @Slot(str)
    def _close(self, kind: str) -> None:
        if kind == self.preview.kind:
            self.preview.end()

    @Slot(str, float)
    def _on_moved(self, kind: str, threshold: float) -> None:
        if kind == self.preview.kind:
            self.preview.show(kind, threshold, exact=False)

    @Slot(str, float)
    def _on_rested(self, kind: str, threshold: float) -> None:
        if kind == self.preview.kind:
            self.preview.show(kind, threshold)

    @Slot(str)
    def _select(self, kind: str) -> None:
        threshold = self.cards[kind].threshold
        self._session.editing.start(
            "select_clutter", kind=kind, threshold=threshold, done=self.preview.end
        )

    @Slot(str)
    def _remove(self, kind: str) -> None:
        editing = self._session.editing
        editing.start(
            "clean", kind=kind, threshold=self.cards[kind].threshold,
            done=partial(self._on_removed, editing.last_step),
        )  # fmt: skip

    def _on_removed(self, before: Command | None) -> None:
        step, document = self._session.editing.last_step, self._session.editing.document
        if step is None or step is before or document is None:
            self._session.tell("info", self.tr("Nothing was to be removed"))
            return
        count = _left_out(document) - _left_out(step.revert(document))
        text = self.tr("Removed {0:,} splats").format(count)
        self._session.tell("good", text, self.tr("Undo"), partial(self._take_back, step))

    def _take_back(self, step: Command) -> None:
        if self._session.editing.last_step is step:
            self._session.editing.undo()
        else:
            text = self.tr("Other steps came after it: go back in the history.")
            self._session.tell("info", text)

    def hideEvent(self, event: QHideEvent) -> None:
        """Who leaves the panel sees the scene itself."""
        super().hideEvent(event)
        self.preview.end()


def _left_out(document: Document) -> int:
    """How many splats are deleted."""
    return sum(len(node.deleted) for node in document.nodes if node.deleted is not None)
