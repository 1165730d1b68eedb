"""The edit stack of the active splat node: cards in the order in which they are carried out."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QWidget

from polyorama.errors import PolyoramaError
from polyorama.scene.modifiers import MODIFIERS
from polyorama_studio.dialogs.naming import NamingDialog
from polyorama_studio.fields.link import KEYED
from polyorama_studio.icons import icon
from polyorama_studio.jobs import Handlers
from polyorama_studio.panels.card import Card, fitting_box
from polyorama_studio.panels.header import NodeIcon
from polyorama_studio.panels.kinds import MODIFIER_ICONS, modifier_title
from polyorama_studio.panels.parts import IconButton, column_of, scrolled
from polyorama_studio.panels.stacks import (
    BUILT_IN,
    add_stack,
    built_in,
    read_stack,
    save_preset,
    saved_presets,
    stack_text,
)
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PySide6.QtGui import QAction, QShowEvent

    from polyorama.core.jobs import Progress
    from polyorama.scene.document import Document, Node
    from polyorama.scene.modifiers import Modifier
    from polyorama_studio.session import Session

__all__ = ["ModifiersPanel", "active_splats"]

_PLACED = ("crop", "wind", "transform")
"""Kinds that stand somewhere."""
_UNMASKED = ("decimate", "crop", "delete")
"""Kinds that do not take the selection as their mask."""


def active_splats(document: Document | None) -> Node | None:
    """The node whose stack is shown: the one chosen last that has splats, else the only one."""
    if document is None:
        return None
    for node_id in reversed(document.chosen):
        node = document.node(node_id)
        if node.splats is not None:
            return node
    nodes = [node for node in document.nodes if node.splats is not None]
    return nodes[0] if len(nodes) == 1 and not document.chosen else None


def wind_values(
    document: Document, node_id: str, center: tuple[float, ...], size: tuple[float, ...]
) -> dict[str, Any]:
    """Wind over a box in a node's own space: it stands on the floor and sways at its top."""
    world = document.world(node_id)[:3, :3]
    upward = np.linalg.solve(world, np.asarray(document.up, np.float64))
    upward /= np.linalg.norm(upward)
    height = float(np.abs(upward) @ np.asarray(size))
    side = np.cross(upward, np.eye(3)[int(np.argmin(np.abs(upward)))])
    side /= np.linalg.norm(side)
    root = np.asarray(center) - 0.5 * height * upward
    return {
        "root": tuple(float(v) for v in root),
        "up": tuple(float(v) for v in upward),
        "direction": tuple(float(v) for v in side),
        "reach": max(height, 1e-6),
        "amplitude": 0.05 * height,
        "wavelength": max(1.5 * height, 1e-6),
    }


class ModifiersPanel(QWidget):
    """Cards, a button that adds more, and a menu for the stack as a whole."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._folded: set[str] = set()
        self._shown: tuple[str, tuple[str, ...]] | None = None
        self._stale = True
        self._target: int | None = None
        self.cards: list[Card] = []
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
        return active_splats(self._session.editing.document)

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
        card.moved.connect(self._step)
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

    def _move(self, modifier_id: str, index: int) -> None:
        node = self.node
        if node is not None and index != self._place(modifier_id):
            self._session.editing.run(
                "move_modifier", node=node.id, modifier=modifier_id, index=index
            )

    @Slot(str, int)
    def _step(self, modifier_id: str, step: int) -> None:
        index = min(max(self._place(modifier_id) + step, 0), len(self.cards) - 1)
        self._move(modifier_id, index)
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
        self._line.show()
        self._line.raise_()
        self.area.ensureVisible(0, y, 0, Metrics.space[4])

    @Slot(str)
    def _on_dropped(self, modifier_id: str) -> None:
        self._line.hide()
        target, self._target = self._target, None
        self.cards[self._place(modifier_id)].set_lifted(False)
        if target is not None:
            self._move(modifier_id, target)

    # Adding

    @Slot()
    def _show_add(self) -> None:
        self.add_menu().popup(self.add.mapToGlobal(QPoint(0, self.add.height())))

    def add_menu(self) -> QMenu:
        """All kinds of steps."""
        menu, color = self._menu(), self._session.theme.tokens.color("quiet")
        for kind, cls in MODIFIERS.items():
            action = menu.addAction(icon(MODIFIER_ICONS[kind], color), self.tr(cls.title))
            action.setToolTip(tip((cls.__doc__ or "").split("\n")[0]))
            action.triggered.connect(partial(self.add_kind, kind))
        menu.setToolTipsVisible(True)
        return menu

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def add_kind(self, kind: str, checked: bool = False) -> None:
        """Add a step; where splats of the node are selected, they become its mask.

        What stands somewhere is first fitted to them, or to all splats, on a worker thread.
        """
        node, shown = self.node, self._session.stage.shown
        if node is None or shown is None:
            return
        if kind not in _PLACED:
            self._put(node.id, kind, {})
            return
        now = next((n for n in shown.nodes if n.id == node.id), node)
        handlers = Handlers(
            partial(self._put_fitted, node.id, kind), self._session.report, self._on_progress
        )
        self._session.start_job(
            partial(fitting_box, shown, now), handlers, self.tr("Fitting the modifier")
        )

    def _on_progress(self, progress: Progress) -> None:
        """Fitting takes no steps."""

    def _put_fitted(
        self, node_id: str, kind: str, box: tuple[tuple[float, ...], tuple[float, ...]] | None
    ) -> None:
        document = self._session.editing.document
        if box is None or document is None or all(n.id != node_id for n in document.nodes):
            return
        center, size = box
        values: dict[str, Any] = {"pivot": center}
        if kind == "crop":
            values = {"center": center, "size": size}
        elif kind == "wind":
            values = wind_values(document, node_id, center, size)
        self._put(node_id, kind, values)

    def _put(self, node_id: str, kind: str, values: dict[str, Any]) -> None:
        document = self._session.editing.document
        selected = document is not None and node_id in document.selection
        selected = selected and kind not in _UNMASKED
        if self._session.editing.run(
            "add_modifier", node=node_id, kind=kind, selected=selected, values=values
        ):
            self._reveal()

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
        self.stack_menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def stack_menu(self) -> QMenu:
        """What is done with the stack as a whole."""
        menu, node = self._menu(), self.node
        filled = node is not None and bool(node.modifiers)
        self._entry(menu, self.tr("Copy stack"), self.copy_all, filled, "copy")
        self._entry(menu, self.tr("Paste"), self.paste)
        presets = QMenu(self.tr("Presets"), menu)
        for name in BUILT_IN:
            self._entry(presets, self.tr(name), partial(self.add_preset, name))
        own = saved_presets(self._folder)
        if own:
            presets.addSeparator()
        for path in own:
            self._entry(presets, path.stem.replace("&", "&&"), partial(self.add_file, path))
        presets.addSeparator()
        self._entry(presets, self.tr("Save stack as preset..."), self._ask_preset, filled)
        menu.addMenu(presets)
        menu.addSeparator()
        can_apply = node is not None and (filled or node.deleted is not None)
        self._entry(menu, self.tr("Apply all for good"), self.apply_all, can_apply, "check")
        self._entry(menu, self.tr("Delete all"), self.remove_all, filled, "remove")
        return menu

    def _entry(
        self, menu: QMenu, title: str, slot: Any, enabled: bool = True, mark: str = ""
    ) -> QAction:
        action = menu.addAction(title)
        if mark:
            action.setIcon(icon(mark, self._session.theme.tokens.color("quiet")))
        action.setEnabled(enabled)
        action.triggered.connect(slot)
        return action

    @Slot(str, QPoint)
    def _show_card_menu(self, modifier_id: str, place: QPoint) -> None:
        self.card_menu(modifier_id).popup(place)

    def card_menu(self, modifier_id: str) -> QMenu:
        """What is done with one step."""
        menu, at = self._menu(), self._place(modifier_id)
        card, last = self.cards[at], len(self.cards) - 1
        self._entry(menu, self.tr("Rename"), card.rename)
        self._entry(menu, self.tr("Duplicate"), partial(self.duplicate, modifier_id), mark="copy")
        self._entry(menu, self.tr("Copy"), partial(self.copy_one, modifier_id))
        self._entry(menu, self.tr("Paste"), self.paste)
        menu.addSeparator()
        self._entry(menu, self.tr("Move up"), partial(self._by, modifier_id, -1), at > 0)
        self._entry(menu, self.tr("Move down"), partial(self._by, modifier_id, 1), at < last)
        menu.addSeparator()
        here = card.enabled.keyed == KEYED
        title = self.tr("Remove key of on and off") if here else self.tr("Key on and off")
        self._entry(menu, title, card.enabled.toggle_key)
        self._entry(menu, self.tr("Reset all values"), partial(self.reset, modifier_id))
        menu.addSeparator()
        self._entry(menu, self.tr("Delete"), partial(self.remove, modifier_id), mark="remove")
        return menu

    # What menus do

    def _modifier(self, modifier_id: str) -> Modifier | None:
        node = self.node
        return None if node is None else node.modifier(modifier_id)

    def _by(self, modifier_id: str, step: int, checked: bool = False) -> None:
        self._step(modifier_id, step)

    def remove(self, modifier_id: str, checked: bool = False) -> None:
        """Take a step out."""
        node = self.node
        if node is not None:
            self._session.editing.run("remove_modifier", node=node.id, modifier=modifier_id)

    def reset(self, modifier_id: str, checked: bool = False) -> None:
        """Give a step its first values again; mask and name stay."""
        node, modifier = self.node, self._modifier(modifier_id)
        if node is None or modifier is None:
            return
        fresh = MODIFIERS[modifier.kind]()
        kept = {"id", "name", "mask", "rule", "volume"}
        values = {f.name: getattr(fresh, f.name) for f in fields(fresh) if f.name not in kept}
        self._session.editing.run(
            "change_modifier", node=node.id, modifier=modifier_id, values=values
        )

    def duplicate(self, modifier_id: str, checked: bool = False) -> None:
        """Put a copy of a step after it."""
        node, modifier = self.node, self._modifier(modifier_id)
        if node is None or modifier is None:
            return
        title = self.tr("Duplicate {0}").format(modifier_title(modifier))
        index = self._place(modifier_id) + 1
        add_stack(self._session, node.id, [modifier], title, index)

    def copy_one(self, modifier_id: str, checked: bool = False) -> None:
        """Put a step on the clipboard."""
        modifier = self._modifier(modifier_id)
        if modifier is not None:
            QGuiApplication.clipboard().setText(stack_text([modifier]))

    @Slot()
    def copy_all(self) -> None:
        """Put the stack on the clipboard."""
        node = self.node
        if node is not None:
            QGuiApplication.clipboard().setText(stack_text(node.modifiers))

    @Slot()
    def paste(self) -> None:
        """Add the steps that are on the clipboard."""
        try:
            stack = read_stack(QGuiApplication.clipboard().text(), self.tr("the clipboard"))
        except PolyoramaError as error:
            self._session.report(error)
            return
        self._add(stack, self.tr("Paste modifiers"))

    def _add(self, stack: Sequence[Modifier], title: str) -> None:
        node = self.node
        if node is None:
            return
        if not add_stack(self._session, node.id, stack, title):
            self._session.report(
                PolyoramaError(
                    "Splats picked by hand belong to the node they were picked on; "
                    "these steps came without them, and switched off."
                )
            )
        self._reveal()

    def add_preset(self, name: str, checked: bool = False) -> None:
        """Add the steps of a preset that everybody has."""
        named = built_in(name)
        if len(named) == 1:
            named = (replace(named[0], name=name),)
        self._add(named, self.tr("Add {0}").format(self.tr(name)))

    def add_file(self, path: Path, checked: bool = False) -> None:
        """Add the steps of a preset of one's own."""
        try:
            stack = read_stack(path.read_text("utf-8"), path.name)
        except OSError as error:
            self._session.report(PolyoramaError(f"Cannot read ({error.strerror}): {path}"))
        except (PolyoramaError, UnicodeDecodeError) as error:
            self._session.report(error)
        else:
            self._add(stack, self.tr("Add {0}").format(path.stem))

    @property
    def _folder(self) -> Path:
        return self._session.preferences.home / "presets"

    @Slot()
    def _ask_preset(self) -> None:
        taken = [path.stem for path in saved_presets(self._folder)]
        dialog = NamingDialog(self.tr("Save stack as preset"), taken, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.named.connect(self.save_preset)
        dialog.open()

    @Slot(str)
    def save_preset(self, name: str) -> None:
        """Keep the stack as a preset."""
        node = self.node
        if node is None:
            return
        try:
            save_preset(self._folder, name, node.modifiers)
        except PolyoramaError as error:
            self._session.report(error)

    @Slot()
    def apply_all(self) -> None:
        """Carry the stack out for good."""
        node = self.node
        if node is not None:
            self._session.editing.start("apply_modifiers", node=node.id)

    @Slot()
    def remove_all(self) -> None:
        """Take all steps out, as one step of the history."""
        node = self.node
        if node is None:
            return
        with self._session.editing.gesture(self.tr("Delete all modifiers")):
            for modifier in node.modifiers:
                self._session.editing.run("remove_modifier", node=node.id, modifier=modifier.id)
