"""The menus of the modifiers panel."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QMenu

from polyorama.scene.modifiers import MODIFIERS
from polyorama_studio.dialogs.naming import NamingDialog
from polyorama_studio.fields.link import KEYED
from polyorama_studio.icons import icon
from polyorama_studio.panels.kinds import MODIFIER_ICONS
from polyorama_studio.panels.stacks import BUILT_IN, saved_presets
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QWidget

    from polyorama_studio.panels.card import Card
    from polyorama_studio.panels.stack_commands import StackCommands
    from polyorama_studio.session import Session

__all__ = ["StackMenus"]


class StackMenus(QObject):
    """Makes the menus that add steps, and that work on the stack or on one step.

    Parameters
    ----------
    session
        Has the theme.
    commands
        What the entries do.
    panel
        What they open over.
    """

    def __init__(self, session: Session, commands: StackCommands, panel: QWidget) -> None:
        super().__init__(panel)
        self._session, self.commands, self._panel = session, commands, panel

    def add_menu(self) -> QMenu:
        """All kinds of steps."""
        menu, color = self._menu(), self._session.theme.tokens.color("quiet")
        for kind, cls in MODIFIERS.items():
            action = menu.addAction(icon(MODIFIER_ICONS[kind], color), self.tr(cls.title))
            action.setToolTip(tip((cls.__doc__ or "").split("\n")[0]))
            action.triggered.connect(partial(self.commands.add_kind, kind))
        menu.setToolTipsVisible(True)
        return menu

    def _menu(self) -> QMenu:
        menu = QMenu(self._panel)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def stack_menu(self) -> QMenu:
        """What is done with the stack as a whole."""
        menu, node = self._menu(), self.commands.node
        filled = node is not None and bool(node.modifiers)
        self._entry(menu, self.tr("Copy stack"), self.commands.copy_all, filled, "copy")
        self._entry(menu, self.tr("Paste"), self.commands.paste)
        presets = QMenu(self.tr("Presets"), menu)
        for name in BUILT_IN:
            self._entry(presets, self.tr(name), partial(self.commands.add_preset, name))
        own = saved_presets(self.commands.folder)
        if own:
            presets.addSeparator()
        for path in own:
            self._entry(
                presets, path.stem.replace("&", "&&"), partial(self.commands.add_file, path)
            )
        presets.addSeparator()
        self._entry(presets, self.tr("Save stack as preset..."), self._ask_preset, filled)
        menu.addMenu(presets)
        menu.addSeparator()
        can_apply = node is not None and (filled or node.deleted is not None)
        self._entry(
            menu, self.tr("Apply all for good"), self.commands.apply_all, can_apply, "check"
        )
        self._entry(menu, self.tr("Delete all"), self.commands.remove_all, filled, "remove")
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

    def card_menu(self, card: Card) -> QMenu:
        """What is done with one step."""
        menu, node, known = self._menu(), self.commands.node, card.id
        stack = () if node is None else node.modifiers
        at, last = [m.id for m in stack].index(known), len(stack) - 1
        self._entry(menu, self.tr("Rename"), card.rename)
        self._entry(
            menu, self.tr("Duplicate"), partial(self.commands.duplicate, known), mark="copy"
        )
        self._entry(menu, self.tr("Copy"), partial(self.commands.copy_one, known))
        self._entry(menu, self.tr("Paste"), self.commands.paste)
        menu.addSeparator()
        up, down = partial(card.moved.emit, known, -1), partial(card.moved.emit, known, 1)
        self._entry(menu, self.tr("Move up"), up, at > 0)
        self._entry(menu, self.tr("Move down"), down, at < last)
        menu.addSeparator()
        here = card.enabled.keyed == KEYED
        title = self.tr("Remove key of on and off") if here else self.tr("Key on and off")
        self._entry(menu, title, card.enabled.toggle_key)
        self._entry(menu, self.tr("Reset all values"), partial(self.commands.reset, known))
        menu.addSeparator()
        self._entry(menu, self.tr("Delete"), partial(self.commands.remove, known), mark="remove")
        return menu

    @Slot()
    def _ask_preset(self) -> None:
        taken = [path.stem for path in saved_presets(self.commands.folder)]
        dialog = NamingDialog(self.tr("Save stack as preset"), taken, self._panel)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.named.connect(self.commands.save_preset)
        dialog.open()
