"""The engine of faces, as the workspace asks for it; nothing else talks to `polyorama.face`.

Everything is called on worker threads, and loaded when it is first asked for.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.errors import PolyoramaError, UnavailableError, UsageError
from polyorama.face.exports.formats import FORMATS
from polyorama.scene.faces.channels import EMOTIONS, region_of
from polyorama.scene.faces.phones import PhoneTrack
from polyorama_studio.workspaces.face.works import (
    BEYOND,
    EmotionPlan,
    Exporter,
    Feeling,
    Places,
    Voice,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.face.ecoface.generate import EcoFace
    from polyorama.face.stack.engine import StackEngine
    from polyorama.face.take import Take
    from polyorama.scene.contents import Audio
    from polyorama.scene.faces.actor import Trait
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.script import FaceScript
    from polyorama_studio.workspaces.face.works import Device, LiveLine, LiveSettings

__all__ = ["EngineWorks"]

_SAMPLE = "hello.flac"
_SAMPLE_FEELING = tuple(0.6 * (name == "happy") for name in EMOTIONS)
_SAMPLE_TEXT = (
    "Good evening. My name is Felt, and every word you hear, my lips must make. Shall we begin?"
)
_LEVELS = {1: 0.5, 2: 1.0}
"""Strength of each level of an emotion, as the model takes it."""
_EDGE = 0.04
"""Of the map, left free round its landmarks."""
_WIDE, _HIGH = 48, 38
_PLACES_A_SECOND = 10.0
_MOST_DOTS = 60


class EngineWorks:
    """See `works.Works`."""

    exporters = tuple(Exporter(f.endings[0], f.name, f.endings[0]) for f in FORMATS)
    rig_endings = (".glb", ".gltf", ".npz", ".pkl")

    def __init__(self) -> None:
        self._one, self._two = threading.Lock(), threading.Lock()
        self._missing = ""

    # Faces

    def identity(self, traits: Mapping[str, Trait] | None = None) -> Any:
        """The puppet as it comes, or with the traits of a project."""
        from polyorama.face.rigs.head import HeadIdentity

        try:
            return HeadIdentity(**dict(traits or {}))  # type: ignore[arg-type]
        except TypeError as error:
            raise UsageError(f"This version of the puppet does not know a trait: {error}") from None

    def head(self, identity: Any) -> MorphRig:
        """The puppet with an identity."""
        from polyorama.face.rigs.head import build_head

        return build_head(identity)

    def rig(self, path: Path) -> MorphRig:
        """A rig of a file or folder."""
        from polyorama.face.rigs.opening import open_rig

        return open_rig(str(path))

    def fitted(self, path: Path) -> Job[MorphRig]:
        """A mesh of a file, given all shapes."""
        from polyorama.face.rigs.fitting import fitted_rig
        from polyorama.verbs.open import open_document

        yield Progress(0, 0, "Reading the mesh")
        mesh = next((n.mesh for n in open_document(path).nodes if n.mesh is not None), None)
        if mesh is None:
            raise UsageError(f"There is no mesh in this file: {path}")
        yield Progress(0, 0, "Building the puppet")
        template = self.head(self.identity())
        return (yield from fitted_rig(mesh, template))

    # Voices

    def voice(self, path: Path) -> Job[Voice]:
        """Read a recording and listen to it."""
        from polyorama.face.speech.sound import load_sound

        yield Progress(0, 0, "Reading the voice")
        sound = load_sound(path)
        return (yield from self._heard(sound, path.name, ""))

    def heard(self, sound: Audio, name: str) -> Job[Voice]:
        """Listen to a sound that was read already."""
        yield Progress(0, 0, "Listening to the voice")
        return (yield from self._heard(sound, name, ""))

    def sample(self) -> Job[Voice]:
        """The recording that ships with the program."""
        from polyorama.face.speech.sound import load_sound

        place = resources.files("polyorama_assets") / "face" / _SAMPLE
        with resources.as_file(place) as path:
            if not path.is_file():
                raise UnavailableError("The sample voice is missing; install Polyorama anew.")
            sound = load_sound(path)
        voice = yield from self._heard(sound, _SAMPLE, _SAMPLE_TEXT)
        # A greeting; a synthesiser's even voice would be heard as anything.
        return replace(voice, feeling=_SAMPLE_FEELING)

    def _heard(self, sound: Audio, name: str, text: str) -> Job[Voice]:
        from polyorama.face.speech.apart import phones_apart
        from polyorama.face.speech.sound import describe_sound, speech_samples

        notes: list[str] = []
        yield Progress(0, 0, "Loading the model")
        source = "model"
        if self._stack.generator is None:
            source = "rules"
            notes.append(f"{self._missing} Rules move the face meanwhile.")
        yield Progress(0, 0, "Listening to the voice")
        samples = speech_samples(sound)
        notes += describe_sound(samples).troubles
        phones = PhoneTrack()
        try:
            text, phones = yield from phones_apart(samples, text)
        except PolyoramaError as error:
            # The voice is of use without its phones: the model hears them, too.
            notes.append(str(error))
        return Voice(sound, text, phones, name, source, tuple(notes))

    def aligned(self, sound: Audio, text: str) -> Job[tuple[str, PhoneTrack]]:
        """When each phone is said; without a text it is recognised."""
        from polyorama.face.speech.apart import phones_apart
        from polyorama.face.speech.sound import speech_samples

        yield Progress(0, 0, "Listening to the voice")
        return (yield from phones_apart(speech_samples(sound), text))

    # Performing

    @cached_property
    def _stack(self) -> StackEngine:
        """What carries scripts out, with the model where that is here."""
        from polyorama.face.stack.engine import StackEngine, shipped_engine

        try:
            return shipped_engine()
        except UnavailableError as error:
            self._missing = str(error)
            return StackEngine()

    def performed(self, script: FaceScript) -> Take:
        """Carry out a script."""
        from polyorama.face.stack.evaluate import evaluate

        with self._one:
            return evaluate(script, self._stack)

    @cached_property
    def _beside(self) -> StackEngine:
        """Another one for takes that are tried, so that the memory of the first one serves."""
        from polyorama.face.stack.engine import StackEngine

        known = self._stack
        return StackEngine(
            known.generator, context=known.context, hears_phones=known.hears_phones, fps=known.fps
        )

    def tried(self, script: FaceScript) -> Take:
        """Carry out a script beside the one that is worked on."""
        from polyorama.face.stack.evaluate import evaluate

        with self._two:
            return evaluate(script, self._beside)

    def conflicts(self, script: FaceScript) -> dict[str, str]:
        """Channels that two sources claim, and regions with such channels."""
        from polyorama.face.stack.ownership import conflicts

        found: dict[str, str] = {}
        for conflict in conflicts(script):
            found.setdefault(conflict.channel, conflict.words)
            found.setdefault(region_of(conflict.channel), conflict.words)
        return found

    # Emotions

    def _model(self) -> EcoFace:
        model = self._stack.generator
        if model is None:
            raise UnavailableError(self._missing)
        return model  # type: ignore[return-value]

    def feeling_of(self, path: Path) -> Feeling:
        """How a sound, or a take of a file, feels."""
        from polyorama.face.exports.formats import read_take, take_format

        model = self._model()
        kind = take_format(path)
        if kind is not None and kind.name != "Film":
            performance = read_take(path).performance
            if not performance.weights.any():
                raise UsageError(f"Nothing moves in this take, so it lends no emotion: {path}")
            return Feeling(model.emotion_of_motion(performance), path.name)
        from polyorama.face.speech.sound import load_speech

        return Feeling(model.emotion_of_sound(load_speech(path))[0], path.name)

    def plan(self) -> EmotionPlan:
        """The map of emotions: its landmarks, and what is felt between them."""
        from polyorama.face.ecoface.config import GROUPS

        model = self._model()
        emotions = np.array([emotion for emotion, _ in GROUPS])
        places = _on_map(model.map.places)
        across, down = (np.linspace(-BEYOND, 1.0 + BEYOND, count) for count in (_WIDE, _HIGH))
        grid = np.stack(np.meshgrid(across, down), -1)
        felt = self.weights_at(grid.reshape(-1, 2)).reshape(_HIGH, _WIDE, -1)
        return EmotionPlan(places, emotions, np.zeros(len(emotions), bool), felt)

    def placed(self, script: FaceScript, take: Take) -> Places:
        """What a take follows, how its voice sounds and how its face looks, on the map."""
        from polyorama.face.speech.sound import speech_samples

        model = self._model()
        step = max(round(take.performance.fps / _PLACES_A_SECOND), 1)
        emotion = take.emotion
        if script.emotion == "swapped" and script.emotion_features is not None:
            features = script.emotion_features[:: max(round(25 / _PLACES_A_SECOND), 1)]
        elif emotion is None:
            return Places(np.zeros((0, 2), np.float32))
        else:
            features = model.emotion_features_for(emotion[::step])
        sound = np.zeros((0, 2), np.float32)
        if script.sound is not None:
            heard = model.emotion_of_sound(speech_samples(script.sound))[0]
            sound = _on_map(model.map.project(_few(heard)))
        seen = _on_map(model.map.project(_few(model.emotion_of_motion(take.performance))))
        return Places(_on_map(model.map.project(features)), sound, seen)

    def weights_at(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """(N, 8) strengths of emotions at (N, 2) places; landmarks have their own level."""
        from polyorama.face.ecoface.config import GROUPS

        model = self._model()
        places = _on_map(model.map.places).astype(np.float64)
        own = np.zeros((len(GROUPS), len(EMOTIONS)))
        for row, (emotion, level) in enumerate(GROUPS):
            own[row, emotion] = 1.0 if emotion == 0 else _LEVELS[level]
        asked = np.asarray(points, np.float64)
        square = ((asked[:, None] - places[None]) ** 2).sum(2)
        near = np.maximum(square, 1e-18) ** -2.0
        return np.asarray((near / near.sum(1, keepdims=True)) @ own, np.float32)

    # Live

    def devices(self) -> Sequence[Device]:
        """Microphones, the system's own choice first."""
        from polyorama_studio.workspaces.face.microphone import devices_here

        return devices_here()

    def live(self, settings: LiveSettings, may_rescan: Callable[[], bool]) -> LiveLine:
        """Begin to listen to a microphone."""
        from polyorama_studio.workspaces.face.microphone import MicrophoneLine, microphone_of

        return MicrophoneLine(settings, microphone_of(settings, may_rescan))

    # Files

    def export(self, take: Take, rig: MorphRig, path: Path, kind: str) -> Job[Path]:
        """Write a take as what its ending stands for."""
        from polyorama.face.exports.formats import write_take

        yield from write_take(take, path, rig)
        return path


def _on_map(places: NDArray[np.floating]) -> NDArray[np.float32]:
    """From places round neutral, up to 1 away and y upwards, to places of the widget's map."""
    scaled = 0.5 + (0.5 - _EDGE) * np.asarray(places, np.float64) * np.array([1.0, -1.0])
    return np.asarray(np.clip(scaled, 0.0, 1.0), np.float32)


def _few(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return rows[:: max(len(rows) // _MOST_DOTS, 1)]
