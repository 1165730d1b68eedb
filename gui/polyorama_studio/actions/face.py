"""What can be done in Face."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action

if TYPE_CHECKING:
    from polyorama_studio.session import Session
    from polyorama_studio.window import Window
    from polyorama_studio.workspaces.face.workspace import FaceWorkspace

__all__ = ["ACTIONS"]


def _face(window: Window) -> FaceWorkspace:
    face: FaceWorkspace = window.workspaces.make("face")  # type: ignore[assignment]
    return face


def _has_face(session: Session) -> bool:
    desk = session.face
    return desk is not None and desk.rig is not None and not desk.listening


def _speaks(session: Session) -> bool:
    return session.face is not None and session.face.speaks


def _sounds(session: Session) -> bool:
    return _has_face(session) and session.face is not None and (
        session.face.script.sound is not None
    )  # fmt: skip


def _has_take(session: Session) -> bool:
    return session.face is not None and session.face.take is not None


def _loops(window: Window) -> bool:
    document = window.session.editing.document
    return document is not None and document.timeline.loop == "loop"


def _is_live(window: Window) -> bool:
    return window.session.face is not None and window.session.face.live_weights is not None


ACTIONS: tuple[Action, ...] = (
    Action(
        "face.open-voice", "Open a voice...", lambda w: _face(w).ask_voice(), "face", "O",
        _has_face, "Let the face say a recording", python="load_sound(path)", icon="open",
        dialog=True,
    ),
    Action(
        "face.record", "Record a voice", lambda w: _face(w).toggle_recording(), "face", "R",
        _has_face, "Record what the microphone hears, or end that and lay it on the timeline",
        icon="record",
    ),
    Action(
        "face.sample", "Open the sample voice", lambda w: _face(w).desk.open_sample(), "face", "",
        _has_face, "Let the face say what ships with the program", icon="example",
    ),
    Action(
        "face.live", "Live", lambda w: _face(w).toggle_live(), "face", "V", _has_face,
        "Let the microphone move the face, or end that", python="polyorama face live",
        icon="sound", checked=_is_live,
    ),
    Action(
        "face.play", "Play or pause", lambda w: _face(w).play(), "face", "Space", _speaks,
        "Let the face say it, or stop it", icon="play", group=1,
    ),
    Action(
        "face.loop", "Loop", lambda w: _face(w).bar.toggle_loop(), "face", "L", _speaks,
        "Play again and again", icon="loop", checked=_loops, group=1,
    ),
    Action(
        "face.align", "Align the phones", lambda w: _face(w).bar.ask_align(), "face", "A", _sounds,
        "Find when each phone of the transcript is said, or what is said where there is none",
        python="polyorama face align voice.wav --text ...", icon="magnet", group=2,
    ),
    Action(
        "face.try", "Try takes", lambda w: _face(w).try_takes(), "face", "T", _speaks,
        "Perform the same words a few times over, to take the best of each", icon="dice", group=2,
    ),
    Action(
        "face.plain", "Plain style", lambda w: _face(w).side.set_plain(), "face", "", _speaks,
        "Take all changes of the style back", python="script = replace(script, style=FaceStyle())",
        icon="again", group=2,
    ),
    Action(
        "face.puppet", "The puppet", lambda w: _face(w).desk.set_puppet(), "face", "", _has_face,
        "The puppet as it comes", python="build_head()", icon="face", group=3,
    ),
    Action(
        "face.open-rig", "Open a face...", lambda w: _face(w).ask_rig(False), "face", "", _has_face,
        "A face of a file: glTF, ICT, MakeHuman, FLAME", python="open_rig(path)", icon="file",
        dialog=True, group=3,
    ),
    Action(
        "face.fit", "Fit to a mesh...", lambda w: _face(w).ask_rig(True), "face", "", _has_face,
        "Give any head the shapes of the puppet", python="fitted_rig(mesh, template)", icon="mesh",
        dialog=True, group=3,
    ),
    Action(
        "face.export", "Export the take...", lambda w: _face(w).bar.ask_export(), "face",
        "Shift+E", _has_take, "Write a film, a moving head, curves or phones",
        python="run(write_take(take, path, rig))", icon="export", dialog=True, group=4,
    ),
)  # fmt: skip
