"""Playing, stepping, keying."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QAbstractButton, QApplication

from polyorama_studio.actions.action import Action, has_document

if TYPE_CHECKING:
    from polyorama_studio.timeline.panel import TimelinePanel
    from polyorama_studio.window import Window

__all__ = ["ACTIONS"]


def _panel(window: Window) -> TimelinePanel:
    return window.docks.panel("timeline")


def _play(window: Window) -> None:
    focus = QApplication.focusWidget()
    if isinstance(focus, QAbstractButton):
        # Space presses a button that has the focus, as everybody expects.
        focus.click()
    else:
        window.session.playback.toggle()


def _to_end(window: Window) -> None:
    window.session.playback.seek(window.session.playback.bounds[1])


def _to_start(window: Window) -> None:
    window.session.playback.seek(window.session.playback.bounds[0])


ACTIONS: tuple[Action, ...] = (
    Action(
        "timeline.play", "Play or pause", _play, "timeline", "Space", has_document,
        "Let time run, or stop it", icon="play",
    ),
    Action(
        "timeline.to-start", "To the start", _to_start, "timeline", "Shift+Home", has_document,
        "Go to the start", icon="to-start", group=1,
    ),
    Action(
        "timeline.to-end", "To the end", _to_end, "timeline", "Shift+End", has_document,
        "Go to the end", group=1,
    ),
    Action(
        "timeline.frame-back", "Previous frame",
        lambda w: w.session.playback.step_frames(-1), "timeline", ",", has_document,
        "Go one frame back", icon="frame-back", group=1,
    ),
    Action(
        "timeline.frame-on", "Next frame",
        lambda w: w.session.playback.step_frames(1), "timeline", ".", has_document,
        "Go one frame on", icon="frame-on", group=1,
    ),
    Action(
        "timeline.key-back", "Previous key",
        lambda w: w.session.playback.step_keys(forward=False), "timeline", "<", has_document,
        "Go to the key or cue before", icon="key-back", group=1,
    ),
    Action(
        "timeline.key-on", "Next key",
        lambda w: w.session.playback.step_keys(forward=True), "timeline", ">", has_document,
        "Go to the next key or cue", icon="key-on", group=1,
    ),
    Action(
        "timeline.key-chosen", "Key what is chosen", lambda w: _panel(w).key_chosen(),
        "timeline", "I", has_document,
        "Key the place of the chosen nodes and all that is keyed of them, at the playhead",
        python='doc.key("plant/translation", 1.5)', icon="key-add", group=2,
    ),
    Action(
        "timeline.key-view", "Key the view", lambda w: _panel(w).key_view(), "timeline",
        "Shift+I", has_document, "Key where one looks from now, at the playhead",
        python='doc.key("view/eye", 1.5, (0, 1, 3))', icon="key-view", group=2,
    ),
    Action(
        "timeline.auto-key", "Key automatically",
        lambda w: w.session.playback.auto_key.toggle(), "timeline", "", has_document,
        "Key every property that is changed, at the playhead", icon="key-auto",
        checked=lambda w: w.session.playback.auto_key.on, group=2,
    ),
    Action(
        "timeline.follow-view", "Follow the keyed view",
        lambda w: w.session.playback.set_follow_view(not w.session.playback.follow_view),
        "timeline", "", has_document, "Show the keyed view as time goes", icon="follow-view",
        checked=lambda w: w.session.playback.follow_view, group=2,
    ),
    Action(
        "timeline.add-cue", "Add cue...", lambda w: _panel(w).add_cue(), "timeline", "M",
        has_document, "Mark the time at the playhead with a name and a note",
        python='doc.add_cue(1.5, "Bloom")', icon="cue", dialog=True, group=3,
    ),
    Action(
        "timeline.range-first", "Range begins here", lambda w: _panel(w).set_range_end("first"),
        "timeline", "Alt+I", has_document,
        "Play and export from the playhead on", group=3,
    ),
    Action(
        "timeline.range-last", "Range ends here", lambda w: _panel(w).set_range_end("last"),
        "timeline", "Alt+O", has_document, "Play and export up to the playhead", group=3,
    ),
    Action(
        "timeline.whole", "Forget the range", lambda w: w.session.playback.set_range(),
        "timeline", "Alt+X", has_document, "Play and export the whole timeline", group=3,
    ),
    Action(
        "timeline.open", "Open the timeline", lambda w: _panel(w).toggle(), "timeline",
        "Shift+T", has_document, "Show the sheet and the curves, or the strip alone",
        icon="timeline", group=4,
    ),
)  # fmt: skip
