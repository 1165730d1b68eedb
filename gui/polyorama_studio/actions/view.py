"""Where one looks from, how many views there are, what lies over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action, has_document
from polyorama_studio.viewport.layers.table import LAYERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.viewport.layers.table import LayerEntry
    from polyorama_studio.window import Window

__all__ = ["ACTIONS"]


def _look(direction: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        window.views.look(direction)

    return run


def _arrange(name: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        window.views.arrange(name)

    return run


def _arranged(name: str) -> Callable[[Window], bool]:
    def checked(window: Window) -> bool:
        return window.views.arrangement == name and window.views.comparison != "beside"

    return checked


def _compare(name: str) -> Callable[[Window], None]:
    def run(window: Window) -> None:
        window.views.compare(name)

    return run


def _compared(name: str) -> Callable[[Window], bool]:
    def checked(window: Window) -> bool:
        return window.views.comparison == name

    return checked


def _in_parallel(window: Window) -> None:
    stage = window.views.active.stage
    stage.with_projection(not stage.view.orthographic)


def _layer(entry: LayerEntry) -> Action:
    def run(window: Window) -> None:
        window.viewport.toolbox.layers.toggle(entry.id)

    def checked(window: Window) -> bool:
        return entry.id in window.viewport.toolbox.layers.shown

    return Action(
        f"view.layer-{entry.id}", entry.title, run, "view", when=has_document,
        tooltip=f"Show over the picture: {entry.title.lower()}", checked=checked, group=7,
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    Action(
        "view.focus", "Focus", lambda w: w.views.focus(), "view", "F", has_document,
        "Bring what is selected or chosen into the picture",
        icon="frame", rail=True,
    ),
    Action(
        "view.frame", "Frame all", lambda w: w.views.frame_all(), "view", "Home",
        has_document, "Bring everything into the picture",
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
        "view.orthographic", "Parallel projection", _in_parallel, "view", "5", has_document,
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
    Action(
        "view.through-camera", "Look through the camera",
        lambda w: w.viewport.toolbox.camera_lock.toggle(w.session.stage),
        "view", "0", has_document, "See what the chosen camera sees, or look freely again",
        icon="camera", checked=lambda w: bool(w.session.stage.through), group=4,
    ),
    Action(
        "view.lock-camera", "Move the camera with the view",
        lambda w: w.viewport.toolbox.camera_lock.toggle_lock(),
        "view", "Ctrl+0", has_document,
        "While one looks through a camera, it goes where the view goes",
        checked=lambda w: w.viewport.toolbox.camera_lock.locked, group=4,
    ),
    Action(
        "view.one", "One view", _arrange("one"), "view", "Ctrl+Alt+1", has_document,
        "Show one view", icon="view-one", checked=_arranged("one"), group=5,
    ),
    Action(
        "view.two", "Two views", _arrange("two"), "view", "Ctrl+Alt+2", has_document,
        "Show the front beside the picture", icon="view-two", checked=_arranged("two"), group=5,
    ),
    Action(
        "view.four", "Four views", _arrange("four"), "view", "Ctrl+Alt+4", has_document,
        "Show top, front and right beside the picture", icon="view-four",
        checked=_arranged("four"), group=5,
    ),
    Action(
        "view.compare-wipe", "Compare with a wipe", _compare("wipe"), "view", "Y", has_document,
        "Show the scene before its edits left of a divider",
        icon="compare-wipe", checked=_compared("wipe"), group=6,
    ),
    Action(
        "view.compare-beside", "Compare side by side", _compare("beside"), "view", "Alt+Y",
        has_document, "Show the scene before its edits beside the scene after",
        icon="compare-beside", checked=_compared("beside"), group=6,
    ),
    *(_layer(entry) for entry in LAYERS),
)  # fmt: skip
