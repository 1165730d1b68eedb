"""Exporting captures, rendering pictures and films."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action, has_document

if TYPE_CHECKING:
    from polyorama_studio.window import Window

__all__ = ["ACTIONS"]


def _export(window: Window) -> None:
    # Loads what draws and writes; the window opens without it.
    from polyorama_studio.dialogs.export import ExportDialog

    window.asking.show(ExportDialog(window.session, window))


def _render(window: Window) -> None:
    from polyorama_studio.dialogs.render import RenderDialog

    window.asking.show(RenderDialog(window.session, window))


ACTIONS: tuple[Action, ...] = (
    Action(
        "file.export", "Export...", _export, "file", "Ctrl+E", has_document,
        "Write what is visible as a capture, with its size and likeness shown first",
        python="po.export(doc.document, path)", icon="export", dialog=True, group=1,
    ),
    Action(
        "file.render", "Render...", _render, "file", "F12", has_document,
        "Make a picture, a film or a panorama at any size, in a process of its own",
        python="po.film(doc.document, size)", icon="film", dialog=True, group=1,
    ),
)  # fmt: skip
