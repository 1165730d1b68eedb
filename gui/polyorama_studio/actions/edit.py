"""Taking steps back, copying what is shown and what was done, preferences."""

from __future__ import annotations

from polyorama_studio.actions.action import (
    Action,
    can_redo,
    can_undo,
    has_document,
    has_picture,
    has_python,
    step_redone,
    step_undone,
)

__all__ = ["ACTIONS"]


ACTIONS: tuple[Action, ...] = (
    Action(
        "edit.undo", "Undo", lambda w: w.session.editing.undo(), "edit", "Ctrl+Z", can_undo,
        "Take the last step back", python="doc.undo()", icon="undo",
        what=step_undone, only="scene",
    ),
    Action(
        "edit.redo", "Redo", lambda w: w.session.editing.redo(), "edit", "Ctrl+Shift+Z", can_redo,
        "Do the step that was taken back once more", python="doc.redo()", icon="redo",
        what=step_redone, only="scene",
    ),
    Action(
        "edit.copy-picture", "Copy picture", lambda w: w.session.sharing.copy_picture(),
        "edit", "Ctrl+C", has_picture,
        "Put the picture as it is shown on the clipboard", icon="copy", group=1,
    ),
    Action(
        "edit.copy-command", "Copy camera as command line",
        lambda w: w.session.sharing.copy_command_line(), "edit", "Ctrl+Shift+C", has_document,
        "Put the command that renders this view on the clipboard",
        python="polyorama render", icon="terminal", group=2,
    ),
    Action(
        "edit.copy-python", "Copy camera as Python",
        lambda w: w.session.sharing.copy_python(), "edit", "Ctrl+Alt+C", has_document,
        "Put the Python that makes this camera on the clipboard",
        python="po.Camera.look_at", icon="camera", group=2,
    ),
    Action(
        "edit.copy-session", "Copy session as Python",
        lambda w: w.session.sharing.copy_session(), "edit", "", has_python,
        "Put the Python that does what was done since the start on the clipboard",
        icon="code", group=2,
    ),
    Action(
        "edit.preferences", "Preferences...", lambda w: w.asking.preferences(), "edit", "Ctrl+,",
        tooltip="Theme, size, memory, autosave, mouse, units, what draws", icon="settings",
        dialog=True, group=3,
    ),
)  # fmt: skip
