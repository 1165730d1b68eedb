"""Where one looks from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action, has_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.window import Window

__all__ = ["ACTIONS"]


def _look(direction: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        window.session.look(direction)

    return run


ACTIONS: tuple[Action, ...] = (
    Action(
        "view.frame", "Frame all", lambda w: w.session.frame_all(), "view", "F",
        has_document, "Bring everything into the picture",
        icon="frame", rail=True,
    ),
    Action(
        "view.front", "Front", _look("front"), "view", "1", has_document,
        "Look from the front", icon="front", group=1,
    ),
    Action(
        "view.right", "Right", _look("right"), "view", "3", has_document,
        "Look from the right side", icon="right", group=1,
    ),
    Action(
        "view.top", "Top", _look("top"), "view", "7", has_document,
        "Look from above", icon="top", group=1,
    ),
    Action(
        "view.back", "Back", _look("back"), "view", "Ctrl+1", has_document,
        "Look from behind", group=2,
    ),
    Action(
        "view.left", "Left", _look("left"), "view", "Ctrl+3", has_document,
        "Look from the left side", group=2,
    ),
    Action(
        "view.bottom", "Bottom", _look("bottom"), "view", "Ctrl+7", has_document,
        "Look from below", group=2,
    ),
    Action(
        "view.orthographic", "Parallel projection",
        lambda w: w.session.stage.with_projection(not w.session.stage.view.orthographic),
        "view", "5", has_document,
        "Draw without perspective, so that parallel lines stay parallel",
        python="po.Camera.orthographic", icon="orthographic",
        checked=lambda w: w.session.stage.view.orthographic, group=3, rail=True,
    ),
    Action(
        "view.turntable", "Turntable",
        lambda w: w.session.stage.set_spinning(not w.session.stage.spinning),
        "view", "T", has_document, "Let the view turn about its target",
        python="po.turntable(doc)", icon="turntable",
        checked=lambda w: w.session.stage.spinning, group=3, rail=True,
    ),
)  # fmt: skip
