"""Face: a voice is opened, phones are moved, an emotion is keyed, takes are comped, live."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF

from polyorama.face.live.sources import FileSource
from polyorama.face.speech.sound import load_speech
from polyorama_studio.workspaces.face import workspace as workspace_module
from polyorama_studio.workspaces.face.engine import EngineWorks
from polyorama_studio.workspaces.face.microphone import MicrophoneLine
from polyorama_studio.workspaces.face.works import Device
from polyorama_studio.workspaces.face.workspace import FaceWorkspace
from tests.gui.walks.steps import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polyorama_studio.workspaces.face.works import LiveLine, LiveSettings
    from tests.gui.walks.walk import Walk

__all__ = ["STEPS"]

_LONG = 400.0
"""Building the puppet, covering it with surfels and loading the aligner, s."""


_MID_SENTENCE = 1.98
_ROUNDS = 10
"""So often the sample is said to the face that listens, one after the other."""


class _Works(EngineWorks):
    """The real engine; in the place of a microphone, it hears the sample on every machine."""

    def devices(self) -> Sequence[Device]:
        return (Device("The sample, as a microphone", "0"),)

    def live(self, settings: LiveSettings, may_rescan: Callable[[], bool]) -> LiveLine:
        place = resources.files("polyorama_assets") / "face" / "hello.flac"
        with resources.as_file(place) as path:
            said = load_speech(path)
        return MicrophoneLine(settings, FileSource(np.tile(said, _ROUNDS)))


def _face(walk: Walk) -> FaceWorkspace:
    if not walk.window.workspaces.is_made("face"):
        workspace_module.make_works = _Works
    walk.click(walk.button("Face"))
    face = walk.window.workspaces.make("face")
    assert isinstance(face, FaceWorkspace)
    walk.until(lambda: face.desk.rig is not None, "The puppet is not built.", _LONG)
    _calm(walk, face)
    return face


def _calm(walk: Walk, face: FaceWorkspace) -> None:
    def calm() -> bool:
        desk, stage = face.desk, face.portrait.stage
        busy = desk.working or desk.listening or walk.session.jobs.active
        return not busy and stage.idle and stage.picture is not None

    walk.until(calm, "Face does not come to rest.", _LONG)
    walk.rest(200)


def _shot(walk: Walk, face: FaceWorkspace, part: str) -> None:
    _calm(walk, face)
    walk.shot(part, settle=False)


def _spoken(walk: Walk) -> FaceWorkspace:
    face = _face(walk)
    if not face.desk.speaks:
        face.desk.open_sample()
        walk.until(lambda: face.desk.take is not None, "The sample is not spoken.", _LONG)
    _calm(walk, face)
    return face


def voice(walk: Walk) -> None:
    """The empty face invites; the sample is spoken, played, and the face turned."""
    try:
        face = _face(walk)
        _shot(walk, face, "empty")
        walk.click(walk.button("Open the sample", face))
        walk.until(lambda: face.desk.take is not None, "The sample is not spoken.", _LONG)
        walk.check(len(face.desk.script.phones.phones) > 20, "Hardly a phone was found.")
        walk.session.playback.seek(1.3)
        _shot(walk, face, "spoken")
        walk.click(walk.button("Play", face))
        walk.until(lambda: walk.session.playback.time > 1.7, "It does not play.")
        walk.shot("playing", settle=False)
        walk.click(walk.button("Pause", face))
        home = face.portrait.stage.view
        middle = QPointF(face.portrait.rect().center())
        walk.drag(face.portrait, [middle, middle + QPointF(120.0, 10.0)])
        walk.check(face.portrait.stage.view != home, "A drag does not turn the face.")
        _shot(walk, face, "turned")
        walk.keys("Home")
        walk.check(face.portrait.stage.view == home, "Home does not reset the view.")
    finally:
        walk.session.playback.set_playing(False)
        walk.window.workspaces.show_workspace("scene")


def phones(walk: Walk) -> None:
    """A phone's edge is dragged and typed over; a curve is keyed; all undone."""
    try:
        face = _spoken(walk)
        score, lane = face.score, face.score.phones
        score.axis.show(0.9, 2.2)
        walk.rest(100)
        phone = lane.track.phones[12]
        edge = QPointF(score.axis.x(phone.end), lane.box.center().y())
        walk.drag(score, [edge, edge + QPointF(14.0, 0.0)])
        _calm(walk, face)
        walk.check(lane.track.phones[12].end > phone.end, "The edge does not follow.")
        walk.click(score, QPointF(lane.place(lane.track.phones[12]).center()))
        walk.keys("Return")
        walk.write("AA")
        walk.keys("Return")
        walk.check(lane.track.phones[12].symbol == "AA", "The phone cannot be typed over.")
        face.channels.list.choose("jawOpen")
        walk.rest(50)
        bar = next(r for r in face.channels.list.rows() if r.channel == "browInnerUp")
        box = face.channels.list.bar(bar)
        at = QPointF(box.left() + 0.2 * box.width(), box.center().y())
        walk.drag(face.channels.list, [at, at + QPointF(0.6 * box.width(), 0.0)])
        _calm(walk, face)
        walk.check(bool(face.desk.script.keys), "A bar does not key.")
        _shot(walk, face, "edited")
        score.axis.fit()
    finally:
        walk.window.workspaces.show_workspace("scene")


def emotion(walk: Walk) -> None:
    """An emotion is keyed with a slider and shows on the face."""
    try:
        face = _spoken(walk)
        walk.session.playback.seek(1.0)
        fields = face.side.feelings.fields
        fields[2].commit(0.9)
        _calm(walk, face)
        walk.check(face.desk.script.emotion == "keyed", "The emotion is not keyed.")
        _shot(walk, face, "happy")
        walk.session.playback.seek(3.6)
        fields[4].commit(0.95)
        _shot(walk, face, "angry")
    finally:
        walk.window.workspaces.show_workspace("scene")


def takes(walk: Walk) -> None:
    """Takes are tried; a part of one is taken."""
    try:
        face = _spoken(walk)
        sheet = face.takes.sheet
        walk.session.playback.seek(0.0)
        face.side.feelings.fields[2].commit(0.7)
        face.desk.choose(("jawOpen", "mouthClose", "mouthPucker"))
        _calm(walk, face)
        walk.click(walk.button("Try", face))
        tried = face.takes.sampler
        walk.until(lambda: len(tried.takes) == 6, "No takes come.", _LONG)
        walk.until(lambda: all(t.image for t in tried.takes), "Takes are not drawn.", _LONG)
        line = sheet.line(1)
        y = line.center().y()
        ends = [QPointF(line.left() + f * line.width(), y) for f in (0.2, 0.4, 0.6)]
        walk.drag(sheet, ends)
        _calm(walk, face)
        walk.check(bool(face.desk.script.comp), "A part of a take is not taken.")
        walk.session.playback.seek(_MID_SENTENCE)
        _shot(walk, face, "comped")
    finally:
        walk.window.workspaces.show_workspace("scene")


def live(walk: Walk) -> None:
    """A microphone moves the face; meters tell how fast."""
    try:
        face = _face(walk)
        face.bar.pad.choose("live")
        walk.until(face.live.start.isEnabled, "No microphone is found.")
        walk.click(face.live.start)
        walk.until(lambda: face.desk.live_weights is not None, "The face does not move.", _LONG)
        walk.until(
            lambda: face.live.latency.figures is not None
            and face.live.latency.figures.total is not None, "Nothing is measured.", _LONG,
        )  # fmt: skip
        walk.rest(800)
        walk.shot("live", settle=False)
        walk.click(face.live.start)
        walk.check(not face.live.running, "It cannot be stopped.")
        face.bar.pad.choose("takes")
    finally:
        walk.window.workspaces.show_workspace("scene")


STEPS = (
    Step("face-voice", voice),
    Step("face-phones", phones),
    Step("face-emotion", emotion),
    Step("face-takes", takes),
    Step("face-live", live),
)
