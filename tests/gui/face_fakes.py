"""A small engine of faces: an egg that opens its mouth, in the place of the real one."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.core.params import checked, choice, number, parameters_of
from polyorama.errors import FileFormatError, UnavailableError
from polyorama.face.take import TRAINED_ON, Provenance, Take
from polyorama.scene.contents import Audio
from polyorama.scene.faces.channels import CHANNEL_INDEX, CHANNELS, EMOTIONS
from polyorama.scene.faces.morphs import MorphRig, Rotor, Shapes
from polyorama.scene.faces.performance import Performance
from polyorama.scene.faces.phones import Phone, PhoneTrack, Word, viseme_of
from polyorama.scene.mesh import Mesh
from polyorama_studio.workspaces.face.scripts import emotion_at
from polyorama_studio.workspaces.face.works import (
    Device,
    EmotionPlan,
    Exporter,
    Feeling,
    LiveFigures,
    LiveSettings,
    Places,
    Stage,
    Voice,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.faces.script import FaceScript

__all__ = ["FakeIdentity", "FakeLine", "FakeWorks", "a_rig", "a_voice"]

FPS = 60.0
_OPEN = {"aa": 0.8, "E": 0.45, "I": 0.25, "O": 0.5, "U": 0.25, "PP": 0.0, "sil": 0.0}
WORDS = "my boat is blue"
_SAID = (
    ("sil", 0.25), ("M", 0.09), ("AY", 0.19), ("B", 0.08), ("OW", 0.2), ("T", 0.07), ("IH", 0.1),
    ("Z", 0.12), ("B", 0.07), ("L", 0.08), ("UW", 0.26), ("sil", 0.3),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeIdentity:
    width: float = number(0.0, -1.0, 1.0, help="Narrow to broad", animated=False)
    hair: str = choice("mop", ("mop", "none"), help="How it lies")

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            checked(parameter, getattr(self, parameter.name))


def a_rig(identity: FakeIdentity | None = None, rings: int = 16, name: str = "Egg") -> MorphRig:
    """An egg whose lower half drops with jawOpen."""
    wide = 0.75 + 0.1 * (identity or FakeIdentity()).width
    theta = np.linspace(0.0, np.pi, rings)
    phi = np.linspace(0.0, 2.0 * np.pi, 2 * rings, endpoint=False)
    grid = np.stack(np.meshgrid(theta, phi, indexing="ij"), -1).reshape(-1, 2)
    y = -np.cos(grid[:, 0])
    ring = wide * np.sin(grid[:, 0])
    points = np.stack([ring * np.sin(grid[:, 1]), y, ring * np.cos(grid[:, 1])], axis=1)
    around = len(phi)
    triangles = []
    for row in range(rings - 1):
        for column in range(around):
            a, b = row * around + column, row * around + (column + 1) % around
            triangles += [(a, a + around, b), (b, a + around, b + around)]
    drop = np.zeros((len(points), 3), np.float32)
    drop[y > 0.3, 1] = 0.25
    smile = np.zeros((len(points), 3), np.float32)
    smile[(y > 0.1) & (y < 0.5), 0] = 0.1
    head = Rotor(
        "head", np.arange(len(points)), np.ones(len(points)), np.zeros(3),
        {"headYaw": (0.0, -1.0, 0.0)},
    )  # fmt: skip
    colors = np.tile(np.array([0.85, 0.62, 0.45], np.float32), (len(points), 1))
    mesh = Mesh(points.astype(np.float32), np.array(triangles, np.int32), colors)
    shapes = Shapes.of_dense({"jawOpen": drop, "mouthSmileLeft": smile, "mouthClose": -0.5 * drop})
    return MorphRig(mesh, shapes, (head,), name=name, credit="Made by a test")


def a_track() -> PhoneTrack:
    time, phones = 0.0, []
    for symbol, seconds in _SAID:
        phones.append(Phone(symbol, round(time, 3), round(time + seconds, 3)))
        time += seconds
    words = (Word("my", 0.25, 0.53), Word("boat", 0.53, 0.88), Word("is", 0.88, 1.1),
             Word("blue", 1.1, 1.51))  # fmt: skip
    return PhoneTrack(tuple(phones), words)


def a_voice(name: str = "hello.wav", rate: int = 16_000) -> Voice:
    """A hum where something is said."""
    track = a_track()
    seconds = np.arange(round(track.seconds * rate)) / rate
    loud = np.zeros(len(seconds))
    for phone in track.phones:
        if phone.symbol != "sil":
            part = (seconds >= phone.start) & (seconds < phone.end)
            loud[part] = 0.25 + 0.5 * _OPEN.get(viseme_of(phone.symbol), 0.2)
    hum = (loud * np.sin(2.0 * np.pi * 140.0 * seconds)).astype(np.float32)
    return Voice(Audio(samples=hum[:, None], rate=rate), WORDS, track, name)


class FakeLine:
    """A live session whose mouth opens once a second."""

    def __init__(self, settings: LiveSettings) -> None:
        self.settings = settings
        self.count = 0
        self.recording = self.closed = False
        self.state, self.lost, self.seen = "running", 0, 0

    def figures(self) -> LiveFigures:
        self.count += 1
        weights = np.zeros(len(CHANNELS), np.float32)
        weights[CHANNEL_INDEX["jawOpen"]] = 0.5 + 0.5 * np.sin(0.2 * self.count)
        stages = (
            Stage("Device", 21.3, 24.0), Stage("Features", 12.5, 12.9),
            Stage("Look-ahead", 20.0, 20.0), Stage("Network", 2.1, 3.4),
            Stage("Face", 0.6, 1.1), Stage("Picture", 16.7, 19.8),
        )  # fmt: skip
        total = Stage("All", sum(s.median for s in stages), sum(s.p95 for s in stages))
        return LiveFigures(weights, -18.0, stages, total, self.lost, self.state)

    def presented(self, weights: NDArray[np.float32]) -> None:
        self.seen += 1

    def set_recording(self, recording: bool) -> None:
        self.recording = recording

    def recorded(self) -> FaceScript:
        from polyorama.scene.faces.script import FaceScript

        voice = a_voice("Recording")
        return FaceScript(sound=voice.sound, transcript=voice.text, phones=voice.phones)

    def close(self) -> None:
        self.closed = True


class FakeWorks:
    """Notes what was asked, and on which threads."""

    exporters = (Exporter("npz", "NumPy arrays", ".npz"), Exporter("csv", "Live Link Face", ".csv"))
    rig_endings = (".glb", ".npz")

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self.scripts: list[FaceScript] = []
        self.exported: list[tuple[Path, str]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.no_devices = False
        self.line: FakeLine | None = None
        self.deaf = ""

    def _note(self) -> None:
        self.threads.add(threading.get_ident())

    def identity(self, traits: Mapping[str, Any] | None = None) -> FakeIdentity:
        return FakeIdentity(**dict(traits or {}))

    def head(self, identity: Any) -> MorphRig:
        self._note()
        return a_rig(identity)

    def rig(self, path: Path) -> MorphRig:
        self._note()
        if path.stem == "broken":
            raise FileFormatError(f"This is no face: {path}")
        return a_rig(rings=12, name=path.stem)

    def fitted(self, path: Path) -> MorphRig:
        return a_rig(rings=10, name=f"{path.stem} (fitted)")

    def voice(self, path: Path) -> Job[Voice]:
        self._note()
        yield Progress(0, 2, "Reading")
        if path.stem == "broken":
            raise FileFormatError(f"This sound is damaged: {path}")
        return replace(a_voice(path.name), notes=tuple(filter(None, [self.deaf])))

    def heard(self, sound: Audio, name: str) -> Job[Voice]:
        self._note()
        yield Progress(0, 2, "Reading")
        return replace(a_voice(name), sound=sound)

    def sample(self) -> Job[Voice]:
        return self.voice(Path("sample.wav"))

    def aligned(self, sound: Audio, text: str) -> Job[tuple[str, PhoneTrack]]:
        self._note()
        yield Progress(0, 0, "Listening")
        return text or WORDS, a_track()

    def performed(self, script: FaceScript) -> Take:
        self._note()
        self.scripts.append(script)
        self.gate.wait(10.0)
        count = max(round(script.seconds * FPS), 1)
        times = np.arange(count) / FPS
        weights = np.zeros((count, len(CHANNELS)), np.float32)
        emotion = np.array([emotion_at(script, float(t)) for t in times], np.float32)
        if script.emotion != "keyed":
            emotion[:] = 0.0
            emotion[:, EMOTIONS.index("happy")] = 0.4 + 0.3 * np.sin(3.0 * times)
            emotion[:, EMOTIONS.index("surprised")] = 0.2 * (times > 1.0)
        jaw = np.zeros(count)
        for phone in script.phones.phones:
            part = (times >= phone.start) & (times < phone.end)
            jaw[part] = _OPEN.get(viseme_of(phone.symbol), 0.2)
        jaw = np.convolve(jaw, np.hanning(9) / np.hanning(9).sum(), "same") * script.style.jaw
        rng = np.random.default_rng(script.seed)
        jaw *= 1.0 + 0.2 * script.temperature * np.sin(4.0 * times + 6.0 * rng.random())
        weights[:, CHANNEL_INDEX["jawOpen"]] = np.clip(jaw, 0.0, 1.0)
        weights[:, CHANNEL_INDEX["mouthClose"]] = 0.2 * (jaw < 0.05)
        smile = emotion[:, EMOTIONS.index("happy")]
        for side in ("Left", "Right"):
            weights[:, CHANNEL_INDEX[f"mouthSmile{side}"]] = 0.7 * smile
            weights[:, CHANNEL_INDEX[f"eyeBlink{side}"]] = (times % 1.2) < 0.12
        weights[:, CHANNEL_INDEX["headYaw"]] = 0.1 * np.sin(2.0 * times)
        for keys in script.keys:
            weights[:, CHANNEL_INDEX[keys.channel]] = np.interp(times, keys.times, keys.values)
        training = TRAINED_ON if script.source != "rules" else ""
        provenance = Provenance(script.source, "fake 0000", training, script.seed,
                                script.temperature)  # fmt: skip
        return Take(Performance(weights, FPS), provenance, script.phones, emotion, script.sound)

    def tried(self, script: FaceScript) -> Take:
        return self.performed(script)

    def conflicts(self, script: FaceScript) -> dict[str, str]:
        owned = {owner.target for owner in script.owners if owner.source == "tracker"}
        return {keys.channel: "Keyed, though a tracker moves it" for keys in script.keys
                if keys.channel in owned}  # fmt: skip

    def feeling_of(self, path: Path) -> Feeling:
        self._note()
        return Feeling(np.zeros((10, 4), np.float32), path.name)

    def plan(self) -> EmotionPlan:
        self._note()
        rng = np.random.default_rng(1)
        points, emotions, motion = [], [], []
        for emotion in range(len(EMOTIONS)):
            angle = 2.0 * np.pi * emotion / (len(EMOTIONS) - 1)
            middle = np.full(2, 0.5)
            if emotion:
                middle = middle + 0.36 * np.array([np.cos(angle), np.sin(angle)])
            points.append(np.clip(middle + 0.045 * rng.standard_normal((40, 2)), 0.0, 1.0))
            emotions.append(np.full(40, emotion))
            motion.append(np.arange(40) % 2 == 0)
        return EmotionPlan(np.concatenate(points).astype(np.float32), np.concatenate(emotions),
                           np.concatenate(motion))  # fmt: skip

    def placed(self, script: FaceScript, take: Take) -> Places:
        assert take.emotion is not None
        return Places(self._middles_of(take.emotion[::6]))

    def _middles_of(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        plan = self.plan()
        middles = np.stack([plan.points[plan.emotions == k].mean(0) for k in range(len(EMOTIONS))])
        felt = np.array(weights, np.float64)
        felt[:, 0] = np.maximum(1.0 - felt[:, 1:].sum(1), 0.0)
        felt /= felt.sum(1, keepdims=True)
        return np.asarray(felt @ middles, np.float32)

    def weights_at(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        self._note()
        plan = self.plan()
        middles = np.stack([plan.points[plan.emotions == k].mean(0) for k in range(len(EMOTIONS))])
        near = 1.0 / (0.02 + np.linalg.norm(points[:, None] - middles, axis=2)) ** 3
        return np.asarray(near / near.sum(1, keepdims=True), np.float32)

    def export(self, take: Take, rig: MorphRig, path: Path, kind: str) -> Job[Path]:
        yield Progress(0, 1, "Writing")
        self.exported.append((path, kind))
        path.write_bytes(b"take")
        return path

    def devices(self) -> Sequence[Device]:
        self._note()
        return () if self.no_devices else (Device("Built-in microphone", "0"), Device("Cable", "3"))

    def live(self, settings: LiveSettings, may_rescan: Callable[[], bool]) -> FakeLine:
        self._note()
        if self.no_devices:
            raise UnavailableError("There is no microphone.")
        self.line, self.may_rescan = FakeLine(settings), may_rescan
        return self.line
