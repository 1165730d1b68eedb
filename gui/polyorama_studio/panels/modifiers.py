"""The edit stack of the active splat node: cards in the order in which they are carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.panels.card import Card
from polyorama_studio.panels.header import NodeIcon
from polyorama_studio.panels.parts import IconButton, column_of, scrolled
from polyorama_studio.panels.stack_commands import StackCommands
from polyorama_studio.panels.stack_menus import StackMenus
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from polyorama.scene.document import Node
    from polyorama.scene.modifiers import Modifier
    from polyorama_studio.session import Session

__all__ = ["ModifiersPanel"]


@guards
class ModifiersPanel(QWidget):
    """Cards, a button that adds more, and a menu for the stack as a whole."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._session = session
        self._folded: set[str] = set()
        self._shown: tuple[str, tuple[str, ...]] | None = None
        self._stale = True
        self._target: int | None = None
        self.cards: list[Card] = []
        self.commands = StackCommands(session, self)
        self.commands.added.connect(self._reveal)
        self.menus = StackMenus(session, self.commands, self)
        self.icon = NodeIcon(session.theme, self)
        self.icon.set_icon("splats")
        self.name = QLabel(self)
        self.name.setMinimumWidth(1)
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.add = QPushButton(self.tr("Add"), self)
        self.add.setProperty("tight", "true")
        self.add.setToolTip(tip(self.tr("Add a step to the stack")))
        self.add.clicked.connect(self._show_add)
        self.more = IconButton(session.theme, "more", self.tr("Copy, paste, presets, apply"), self)
        self.more.clicked.connect(self._show_more)
        top = QHBoxLayout()
        side = Metrics.space[1]
        top.setContentsMargins(side, side, Metrics.space[0], Metrics.space[0])
        top.setSpacing(Metrics.space[1])
        top.addWidget(self.icon)
        top.addWidget(self.name, 1)
        top.addWidget(self.add)
        top.addWidget(self.more)
        self._inside = QWidget(self)
        self._column = column_of(self._inside)
        self._column.setContentsMargins(
            Metrics.space[0], Metrics.hair, Metrics.space[0], Metrics.space[1]
        )
        self.empty = QLabel(self._inside)
        self.empty.setProperty("fine", "true")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.empty.setContentsMargins(side, Metrics.space[4], side, Metrics.space[4])
        self._column.addWidget(self.empty)
        self._column.addStretch(1)
        self._line = QFrame(self._inside)
        self._line.setObjectName("dropLine")
        self._line.hide()
        self.area = scrolled(self._inside, self)
        column = column_of(self)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.area, 1)
        session.editing.edited.connect(self._on_edited)
        session.editing.replaced.connect(self._on_replaced)
        session.playback.time_changed.connect(self._on_time)
        self.refresh()

    # Following

    @property
    def node(self) -> Node | None:
        """The node whose stack is shown."""
        return self.commands.node

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        self._stale = True
        if self.isVisible():
            self.refresh()

    @Slot()
    def _on_replaced(self) -> None:
        self._shown = None
        self._folded.clear()
        self._on_edited(None)

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        document = self._session.editing.document
        if self.isVisible() and document is not None and document.timeline.tracks:
            self._refresh_cards()

    def showEvent(self, event: QShowEvent) -> None:
        """What changed meanwhile is shown now."""
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def refresh(self) -> None:
        """Show the stack as it is."""
        self._stale = False
        node = self.node
        shown = None if node is None else (node.id, tuple(m.id for m in node.modifiers))
        if shown != self._shown or node is None:
            self._arrange(node)
            self._shown = shown
        self.name.setText("" if node is None else node.name)
        self.icon.setVisible(node is not None)
        for widget in (self.add, self.more):
            widget.setVisible(node is not None)
        self._refresh_cards()

    def _refresh_cards(self) -> None:
        node, shown = self.node, self._session.stage.shown
        if node is None or shown is None:
            return
        now = next((n for n in shown.nodes if n.id == node.id), node)
        for card, modifier in zip(self.cards, now.modifiers, strict=False):
            card.refresh(modifier)

    def _arrange(self, node: Node | None) -> None:
        """Make the cards that are missing, put all in order, drop the others."""
        stack = () if node is None else node.modifiers
        owner = "" if node is None else node.id
        known = {card.id: card for card in self.cards if card.node_id == owner}
        wanted = {m.id for m in stack}
        for card in self.cards:
            if card.node_id != owner or card.id not in wanted:
                self._column.removeWidget(card)
                card.hide()
                card.deleteLater()
        self.cards = [known.get(m.id) or self._card(owner, m) for m in stack]
        for place, card in enumerate(self.cards):
            if self._column.indexOf(card) != place + 1:
                self._column.removeWidget(card)
                self._column.insertWidget(place + 1, card)
                card.show()
        self.empty.setVisible(not stack)
        if node is None:
            self.empty.setText(self.tr("Choose a node of splats to see its edit stack"))
        else:
            self.empty.setText(
                self.tr(
                    "Grade, crop, move or grow splats step by step; "
                    "the capture itself stays as it is"
                )
            )

    def _card(self, node_id: str, modifier: Modifier) -> Card:
        card = Card(self._session, node_id, modifier, self._inside)
        card.set_open(modifier.id not in self._folded)
        card.folded.connect(self._on_folded)
        card.menu_asked.connect(self._show_card_menu)
        card.moved.connect(self.step)
        card.pulled.connect(self._on_pulled)
        card.dropped.connect(self._on_dropped)
        return card

    @Slot(str, bool)
    def _on_folded(self, modifier_id: str, folded: bool) -> None:
        if folded:
            self._folded.add(modifier_id)
        else:
            self._folded.discard(modifier_id)

    # Order

    def _place(self, modifier_id: str) -> int:
        return next(i for i, card in enumerate(self.cards) if card.id == modifier_id)

    @Slot(str, int)
    def step(self, modifier_id: str, step: int) -> None:
        """Move a card up or down by so many places."""
        index = min(max(self._place(modifier_id) + step, 0), len(self.cards) - 1)
        self.commands.move(modifier_id, index)
        self.cards[self._place(modifier_id)].head.setFocus()

    @Slot(str, QPoint)
    def _on_pulled(self, modifier_id: str, place: QPoint) -> None:
        """Show where the card would go."""
        y = self._inside.mapFromGlobal(place).y()
        others = [card for card in self.cards if card.id != modifier_id]
        self.cards[self._place(modifier_id)].set_lifted(True)
        self._target = sum(card.geometry().center().y() < y for card in others)
        gap = self._column.spacing()
        above = others[self._target - 1].geometry().bottom() if self._target else None
        top = others[0].geometry().top() - gap if above is None else above + 1
        self._line.setGeometry(gap, top + gap // 2 - 1, self._inside.width() - 2 * gap, gap // 2)
        self._line.setVisible(self._target != self._place(modifier_id))
        self._line.raise_()
        self.area.ensureVisible(0, y, 0, Metrics.space[4])

    @Slot(str)
    def _on_dropped(self, modifier_id: str) -> None:
        self._line.hide()
        target, self._target = self._target, None
        self.cards[self._place(modifier_id)].set_lifted(False)
        if target is not None:
            self.commands.move(modifier_id, target)

    # Adding

    @Slot()
    def _show_add(self) -> None:
        self.menus.add_menu().popup(self.add.mapToGlobal(QPoint(0, self.add.height())))

    @Slot()
    def _reveal(self) -> None:
        # The layout gives the new card its place first.
        QTimer.singleShot(0, self, self._show_last)

    @Slot()
    def _show_last(self) -> None:
        if self.cards:
            self.area.ensureWidgetVisible(self.cards[-1], 0, Metrics.space[1])

    # Menus

    @Slot()
    def _show_more(self) -> None:
        self.menus.stack_menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    @Slot(str, QPoint)
    def _show_card_menu(self, modifier_id: str, place: QPoint) -> None:
        self.menus.card_menu(self.cards[self._place(modifier_id)]).popup(place)
