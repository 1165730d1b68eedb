"""Help."""

from __future__ import annotations

from polyorama_studio.actions.action import Action

__all__ = ["ACTIONS"]


ACTIONS: tuple[Action, ...] = (
    Action(
        "help.keys", "Mouse and keys...", lambda w: w.asking.show_keys(), "help", "F1",
        tooltip="How to move around, and every shortcut", icon="keyboard", dialog=True,
    ),
    Action(
        "help.examples", "Example scripts...", lambda w: w.asking.show_examples(), "help",
        tooltip="Short Python scripts to read, copy and run", icon="example", dialog=True,
    ),
    Action(
        "help.copy-log", "Copy the log", lambda w: w.session.sharing.copy_log(), "help",
        tooltip="Put what the studio has noted on the clipboard", icon="copy",
        group=1,
    ),
    Action(
        "help.about", "About Polyorama...", lambda w: w.asking.show_about(), "help",
        tooltip="Version and licence", icon="info", dialog=True, group=1,
    ),
)  # fmt: skip
