"""Exporting captures, rendering pictures and films."""

from __future__ import annotations

from polyorama_studio.actions.action import Action, has_document

__all__ = ["ACTIONS"]


ACTIONS: tuple[Action, ...] = (
    Action(
        "file.export", "Export...", lambda w: w.asking.export(), "file", "Ctrl+E", has_document,
        "Write what is visible as a capture, with its size and likeness shown first",
        python="po.export(doc.document, path)", icon="export", dialog=True, group=1,
    ),
    Action(
        "file.render", "Render...", lambda w: w.asking.render(), "file", "F12", has_document,
        "Make a picture, a film or a panorama at any size, in a process of its own",
        python="po.film(doc.document, size)", icon="film", dialog=True, group=1,
    ),
)  # fmt: skip
