"""Everything that can be done, in one table; menus, the rail and the list of keys come from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Slot
from PySide6.QtGui import QAction, QKeySequence

from polyorama_studio.icons import icon

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.session import Session
    from polyorama_studio.window import Window

__all__ = ["ACTIONS", "MENUS", "Action", "ActionSet", "translated"]


def _always(session: Session) -> bool:
    return True


def _has_document(session: Session) -> bool:
    return session.stage.document is not None


def _has_picture(session: Session) -> bool:
    return session.stage.picture is not None


def _has_python(session: Session) -> bool:
    return bool(session.python)


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done.

    Parameters
    ----------
    id
        Stable name, ``room.verb``.
    title
        Sentence case; ends in "..." exactly where more input follows.
    run
        Called with the window.
    menu
        Which menu it stands in, or "" for none.
    shortcut
        As Qt spells it, or "".
    when
        Whether it can be done now.
    tooltip
        What it does, one sentence.
    python
        The Python line or expression that does the same, or "".
    icon
        Name of an icon, or "".
    checked
        For switches: whether it is on.
    dialog
        Whether it opens a dialog.
    group
        Actions of a menu are parted by a line where the group changes.
    rail
        Whether it stands in the rail at the left.
    """

    id: str
    title: str
    run: Callable[[Window], None]
    menu: str = ""
    shortcut: str = ""
    when: Callable[[Session], bool] = _always
    tooltip: str = ""
    python: str = ""
    icon: str = ""
    checked: Callable[[Window], bool] | None = None
    dialog: bool = False
    group: int = 0
    rail: bool = False


def _look(direction: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        window.session.look(direction)

    return run


MENUS: tuple[tuple[str, str], ...] = (
    ("file", "File"),
    ("edit", "Edit"),
    ("view", "View"),
    ("window", "Window"),
    ("help", "Help"),
)
"""The menus, in order: id and title."""

ACTIONS: tuple[Action, ...] = (
    Action(
        "file.open", "Open...", lambda w: w.ask_open(add=False), "file", "Ctrl+O",
        tooltip="Open captures or a project", python="po.open(path)",
        icon="open", dialog=True, rail=True,
    ),
    Action(
        "file.add", "Add to the scene...", lambda w: w.ask_open(add=True), "file",
        "Ctrl+Shift+O", _has_document,
        "Open more captures beside those that are open",
        icon="add", dialog=True, rail=True,
    ),
    Action(
        "file.sample", "Open the sample stage", lambda w: w.session.open_sample(),
        "file", tooltip="Open the paper theatre that ships with Polyorama",
        icon="theatre",
    ),
    Action(
        "file.close", "Close", lambda w: w.session.close_document(), "file",
        "Ctrl+W", _has_document, "Close what is open", group=1,
    ),
    Action(
        "file.save-picture", "Save picture...", lambda w: w.ask_save_picture(),
        "file", "Ctrl+Shift+S", _has_document,
        "Draw this view in any size into a file",
        python="po.render(doc, camera)", icon="picture", dialog=True, group=1, rail=True,
    ),
    Action(
        "app.quit", "Quit", lambda w: w.quit(), "file", "Ctrl+Q",
        tooltip="Leave Polyorama", icon="quit", group=2,
    ),
    Action(
        "edit.copy-picture", "Copy picture", lambda w: w.session.copy_picture(),
        "edit", "Ctrl+C", _has_picture,
        "Put the picture as it is shown on the clipboard", icon="copy",
    ),
    Action(
        "edit.copy-command", "Copy camera as command line",
        lambda w: w.session.copy_command_line(), "edit", "Ctrl+Shift+C", _has_document,
        "Put the command that renders this view on the clipboard",
        python="polyorama render", icon="terminal", group=1,
    ),
    Action(
        "edit.copy-python", "Copy camera as Python",
        lambda w: w.session.copy_python(), "edit", "Ctrl+Shift+P", _has_document,
        "Put the Python that makes this camera on the clipboard",
        python="po.Camera.look_at", icon="camera", group=1,
    ),
    Action(
        "edit.copy-session", "Copy session as Python", lambda w: w.session.copy_session(),
        "edit", "", _has_python,
        "Put the Python that does what was done since the start on the clipboard",
        icon="code", group=1,
    ),
    Action(
        "view.frame", "Frame all", lambda w: w.session.frame_all(), "view", "F",
        _has_document, "Bring everything into the picture",
        icon="frame", rail=True,
    ),
    Action(
        "view.front", "Front", _look("front"), "view", "1", _has_document,
        "Look from the front", icon="front", group=1, rail=True,
    ),
    Action(
        "view.right", "Right", _look("right"), "view", "3", _has_document,
        "Look from the right side", icon="right", group=1, rail=True,
    ),
    Action(
        "view.top", "Top", _look("top"), "view", "7", _has_document,
        "Look from above", icon="top", group=1, rail=True,
    ),
    Action(
        "view.back", "Back", _look("back"), "view", "Ctrl+1", _has_document,
        "Look from behind", group=2,
    ),
    Action(
        "view.left", "Left", _look("left"), "view", "Ctrl+3", _has_document,
        "Look from the left side", group=2,
    ),
    Action(
        "view.bottom", "Bottom", _look("bottom"), "view", "Ctrl+7", _has_document,
        "Look from below", group=2,
    ),
    Action(
        "view.orthographic", "Parallel projection",
        lambda w: w.session.stage.with_projection(not w.session.stage.view.orthographic),
        "view", "5", _has_document,
        "Draw without perspective, so that parallel lines stay parallel",
        python="po.Camera.orthographic", icon="orthographic",
        checked=lambda w: w.session.stage.view.orthographic, group=3, rail=True,
    ),
    Action(
        "view.turntable", "Turntable",
        lambda w: w.session.stage.set_spinning(not w.session.stage.spinning),
        "view", "T", _has_document, "Let the view turn about its target",
        python="po.turntable(doc)", icon="turntable",
        checked=lambda w: w.session.stage.spinning, group=3, rail=True,
    ),
    Action(
        "window.hide-panels", "Hide panels", lambda w: w.toggle_panels(), "window",
        "Tab", _has_document, "Leave nothing but the picture in the window",
        icon="panels", checked=lambda w: w.panels_hidden,
    ),
    Action(
        "window.stage", "Full-screen stage", lambda w: w.toggle_stage(),
        "window", "F11", tooltip="Show the picture edge to edge on the full screen",
        icon="stage",
        checked=lambda w: w.on_stage, rail=True,
    ),
    Action(
        "window.theme", "Light or dark", lambda w: w.toggle_theme(), "window", "Ctrl+Shift+L",
        tooltip="Change between the light and the dark theme", icon="contrast", group=1, rail=True,
    ),
    Action(
        "help.keys", "Mouse and keys...", lambda w: w.show_keys(), "help", "F1",
        tooltip="How to move around, and every shortcut", icon="help", dialog=True,
    ),
    Action(
        "help.copy-log", "Copy the log", lambda w: w.copy_log(), "help",
        tooltip="Put what the studio has noted on the clipboard", icon="copy",
        group=1,
    ),
    Action(
        "help.about", "About Polyorama...", lambda w: w.show_about(), "help",
        tooltip="Version and licence", icon="info", dialog=True, group=1,
    ),
)  # fmt: skip
"""Every action of the studio."""


def translated(text: str) -> str:
    """A title or tooltip of the table in the person's language."""
    return QCoreApplication.translate("actions", text)


class _Bound(QObject):
    """Connects one QAction with its entry in the table."""

    def __init__(self, action: Action, window: Window, parent: QObject) -> None:
        super().__init__(parent)
        self.action = action
        self._window = window
        self.qt = QAction(translated(action.title), self)
        self.qt.setObjectName(action.id)
        if action.shortcut:
            self.qt.setShortcut(QKeySequence(action.shortcut))
        self.qt.setCheckable(action.checked is not None)
        self.qt.setToolTip(self._tooltip())
        self.qt.setStatusTip(translated(action.tooltip))
        self.qt.triggered.connect(self._run)

    def _tooltip(self) -> str:
        keys = self.qt.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        lines = [translated(self.action.tooltip or self.action.title)]
        if keys:
            lines[0] += f"  ({keys})"
        if self.action.python:
            lines.append(self.action.python)
        return "\n".join(lines)

    @Slot()
    def _run(self) -> None:
        self.action.run(self._window)
        self.refresh()

    def refresh(self) -> None:
        """Whether it can be done, and whether it is on."""
        self.qt.setEnabled(self.action.when(self._window.session))
        if self.action.checked is not None:
            self.qt.setChecked(self.action.checked(self._window))

    def tint(self) -> None:
        """The icon in the theme's colours."""
        if self.action.icon:
            tokens = self._window.session.theme.tokens
            on = self.action.checked is not None and self.action.checked(self._window)
            token = "accent" if on and self.action.rail else "text"
            disabled = tokens.color("quiet")
            disabled.setAlphaF(0.45)
            self.qt.setIcon(icon(self.action.icon, tokens.color(token), disabled))


class ActionSet(QObject):
    """The table, bound to a window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._bound = {action.id: _Bound(action, window, self) for action in ACTIONS}
        self.refresh()

    def __getitem__(self, action_id: str) -> QAction:
        return self._bound[action_id].qt

    def in_menu(self, menu: str) -> list[tuple[Action, QAction]]:
        """The actions of a menu, in order."""
        return [(b.action, b.qt) for b in self._bound.values() if b.action.menu == menu]

    def in_rail(self) -> list[tuple[Action, QAction]]:
        """The actions of the rail, in order."""
        return [(b.action, b.qt) for b in self._bound.values() if b.action.rail]

    @Slot()
    def refresh(self) -> None:
        """Bring all actions up to date."""
        for bound in self._bound.values():
            bound.refresh()
            bound.tint()
