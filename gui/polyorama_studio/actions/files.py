"""Opening, saving, leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action, has_document

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["ACTIONS"]


def _can_save(session: Session) -> bool:
    """Something is open that its file does not hold."""
    return session.saving.modified or (has_document(session) and session.saving.path is None)


def _has_missing(session: Session) -> bool:
    """Linked files were not found."""
    document = session.editing.document
    return document is not None and any(node.missing for node in document.nodes)


ACTIONS: tuple[Action, ...] = (
    Action(
        "file.new", "New", lambda w: w.session.opening.new(), "file", "Ctrl+N",
        tooltip="An empty scene", python="doc = po.edit()", icon="new",
    ),
    Action(
        "file.open", "Open...", lambda w: w.asking.open_files(), "file", "Ctrl+O",
        tooltip="Open captures or a project", python="doc = po.edit(path)",
        icon="open", dialog=True, rail=True,
    ),
    Action(
        "file.add", "Add to the scene...", lambda w: w.asking.add_files(), "file",
        "Ctrl+Shift+O", has_document,
        "Add captures, projects, meshes or sounds to what is open",
        python="doc.add_files(paths)", icon="add", dialog=True,
    ),
    Action(
        "file.sample", "Open the sample stage", lambda w: w.session.opening.open_sample(),
        "file", tooltip="Open the paper theatre that ships with Polyorama",
        icon="theatre",
    ),
    Action(
        "file.save", "Save", lambda w: w.session.saving.save(), "file", "Ctrl+S", _can_save,
        "Save the project", python="po.save(doc, path)", icon="save", group=1,
        rail=True,
    ),
    Action(
        "file.save-as", "Save as...", lambda w: w.asking.save_as(), "file", "Ctrl+Alt+S",
        has_document, "Save the project in another file",
        python="po.save(doc, path)", dialog=True, group=1,
    ),
    Action(
        "file.save-picture", "Save picture...", lambda w: w.asking.save_picture(),
        "file", "Ctrl+Shift+S", has_document,
        "Draw this view in any size into a file",
        python="po.render(doc.document, camera)", icon="picture", dialog=True, group=1,
    ),
    Action(
        "file.relink", "Locate missing files...", lambda w: w.asking.locate_missing(), "file",
        "", _has_missing, "Say where linked files are that were not found",
        python="doc.relink(node, path)", icon="relink", dialog=True, group=2,
    ),
    Action(
        "file.close", "Close", lambda w: w.session.opening.close(), "file",
        "Ctrl+W", has_document, "Close what is open", group=3,
    ),
    Action(
        "app.quit", "Quit", lambda w: w.quit(), "file", "Ctrl+Q",
        tooltip="Leave Polyorama", icon="quit", group=3,
    ),
)  # fmt: skip
