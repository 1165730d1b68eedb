"""Opening, saving, leaving."""

from __future__ import annotations

from polyorama_studio.actions.action import Action, has_document

__all__ = ["ACTIONS"]


ACTIONS: tuple[Action, ...] = (
    Action(
        "file.open", "Open...", lambda w: w.ask_open(add=False), "file", "Ctrl+O",
        tooltip="Open captures or a project", python="po.edit(path)",
        icon="open", dialog=True, rail=True,
    ),
    Action(
        "file.add", "Add to the scene...", lambda w: w.ask_open(add=True), "file",
        "Ctrl+Shift+O", has_document,
        "Open more captures beside those that are open",
        icon="add", dialog=True, rail=True,
    ),
    Action(
        "file.sample", "Open the sample stage", lambda w: w.session.opening.open_sample(),
        "file", tooltip="Open the paper theatre that ships with Polyorama",
        icon="theatre",
    ),
    Action(
        "file.close", "Close", lambda w: w.session.opening.close(), "file",
        "Ctrl+W", has_document, "Close what is open", group=1,
    ),
    Action(
        "file.save-picture", "Save picture...", lambda w: w.ask_save_picture(),
        "file", "Ctrl+Shift+S", has_document,
        "Draw this view in any size into a file",
        python="po.render(doc, camera)", icon="picture", dialog=True, group=1, rail=True,
    ),
    Action(
        "app.quit", "Quit", lambda w: w.quit(), "file", "Ctrl+Q",
        tooltip="Leave Polyorama", icon="quit", group=2,
    ),
)  # fmt: skip
