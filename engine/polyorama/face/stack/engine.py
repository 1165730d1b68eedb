"""What carries a script out: a model, ears, and the memory of what was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from polyorama.errors import UnavailableError, UsageError
from polyorama.face.motion.prosody_cues import Cues, ProsodyLike, prosody_cues
from polyorama.face.motion.teacher import EMOTION_FPS
from polyorama.face.stack.feelings import emotion_curve, looped
from polyorama.face.stack.memory import Memory
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.scene.contents import Audio
    from polyorama.scene.faces.phones import PhoneTrack
    from polyorama.scene.faces.script import FaceScript

__all__ = ["Generator", "Heard", "StackEngine", "Work", "shipped_engine"]


class Generator(Protocol):
    """A model of motion, such as `polyorama.face.ecoface.generate.EcoFace`; 25 rows a second."""

    @property
    def name(self) -> str:
        """Its name and hash."""
        ...

    @property
    def trained_on(self) -> str:
        """One sentence on what it learned from."""
        ...

    def content(self, samples: NDArray[Any]) -> NDArray[np.float32]:
        """(2T, C) content of speech at 16 kHz."""
        ...

    def content_of_phones(self, track: PhoneTrack, count: int) -> NDArray[np.float32]:
        """(2 count, C) content of phones."""
        ...

    def emotion_of_sound(
        self, samples: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(T, D) features and (T, 8) strengths of a voice."""
        ...

    def probabilities(self, features: NDArray[Any]) -> NDArray[np.float32]:
        """(T, 8) strengths of (T, D) features."""
        ...

    def emotion_features_for(self, emotion: NDArray[Any]) -> NDArray[np.float32]:
        """(T, D) features of (T, 8) strengths."""
        ...

    def generate(
        self, content: NDArray[Any], emotion_features: NDArray[Any], speaker: Any = 0, *,
        seed: int = 0, temperature: float = 0.7, start: int = 0, stop: int | None = None,
    ) -> NDArray[np.float32]:  # fmt: skip
        """(stop - start, 55) rows of a take, the same as of a whole pass."""
        ...


@dataclass(frozen=True, slots=True)
class Work:
    """What an evaluation made anew.

    Parameters
    ----------
    rules
        Frames by rules.
    model
        Rows of the model, 25 a second, all takes together.
    composed
        Frames that were put together.
    """

    rules: int = 0
    model: int = 0
    composed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """What was heard in a sound, once.

    Parameters
    ----------
    sound
        In which.
    samples
        (n,) float32 at 16 kHz.
    cues
        Melody and loudness.
    """

    sound: Audio
    samples: NDArray[np.float32]
    cues: Cues
    model: dict[str, Any] = field(default_factory=dict)


class StackEngine:
    """Carries scripts out; one for each face, so that its memory serves.

    It is not to be used by two threads at a time.

    Parameters
    ----------
    generator
        The model, or None: then scripts by rules can be carried out.
    context
        Rows of content and feeling around a row of the model that it depends on.
    hears_phones
        Whether the model can be told phones in place of the sound.
    samples_of
        Sound to (n,) float32 at 16 kHz.
    prosody_of
        Such samples to prosody.
    fps
        Frames in a second of what is made.
    """

    __slots__ = ("_heard", "_prosody_of", "_samples_of", "context", "fps", "generator",
                 "hears_phones", "memory", "work")  # fmt: skip

    def __init__(
        self,
        generator: Generator | None = None,
        *,
        context: int = 0,
        hears_phones: bool = True,
        samples_of: Callable[[Audio], NDArray[np.float32]] | None = None,
        prosody_of: Callable[[NDArray[np.float32]], ProsodyLike] | None = None,
        fps: float = 60.0,
    ) -> None:
        self.generator = generator
        self.context = context
        self.hears_phones = hears_phones
        self.fps = fps
        self.memory = Memory()
        self.work = Work()
        self._samples_of = samples_of or _samples_of
        self._prosody_of = prosody_of or _prosody_of
        self._heard: Heard | None = None

    # -- ears

    def hear(self, sound: Audio) -> Heard:
        """What is in a sound; the last one is remembered."""
        if self._heard is None or self._heard.sound is not sound:
            samples = self._samples_of(sound)
            self._heard = Heard(sound, samples, prosody_cues(self._prosody_of(samples)))
        return self._heard

    def cues(self, script: FaceScript) -> Cues:
        """Melody and loudness of a script's sound, or none."""
        return prosody_cues(None) if script.sound is None else self.hear(script.sound).cues

    def heard(self, script: FaceScript) -> NDArray[np.floating]:
        """(T, 8) strengths of what is heard in the sound of a script."""
        return self._voice(script)[1]

    def meant(self, features: NDArray[np.floating]) -> NDArray[np.floating]:
        """(T, 8) strengths of features."""
        model = self._model("A feeling that was taken from elsewhere")
        self._neutral(model, features)
        return model.probabilities(features)

    def _neutral(self, model: Generator, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """(1, D) features of no feeling, once it is sure that those given are of this model."""
        neutral = model.emotion_features_for(np.eye(len(EMOTIONS))[:1])
        if features.shape[1] != neutral.shape[1]:
            raise UsageError(
                f"The feeling that was taken from elsewhere has {features.shape[1]} columns, where "
                f"{model.name} has {neutral.shape[1]}; take it from there anew."
            )
        return neutral

    def _voice(self, script: FaceScript) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        model = self._model("The feeling of a voice")
        if script.sound is None:
            raise UsageError("A feeling can only be heard in a sound; this face has none.")
        heard = self.hear(script.sound)
        if "voice" not in heard.model:
            heard.model["voice"] = model.emotion_of_sound(heard.samples)
        voice: tuple[NDArray[np.float32], NDArray[np.float32]] = heard.model["voice"]
        return voice

    def _model(self, what: str) -> Generator:
        if self.generator is None:
            raise UnavailableError(
                f"{what} is understood by the model, which is not here; install it with "
                "pip install 'polyorama[face]', or choose or key an emotion."
            )
        return self.generator

    # -- what the model is given

    def emotion(self, script: FaceScript) -> NDArray[np.float32]:
        """(T, 8) strengths at 25 Hz, without sliders."""
        return emotion_curve(script, script.seconds, EMOTION_FPS, self)

    def content(self, script: FaceScript) -> NDArray[np.float32]:
        """(2T, C) content of a script: its phones where there are some, else its sound."""
        model = self._model("This motion")
        if script.phones.phones and self.hears_phones:
            count = max(int(np.ceil(script.seconds * EMOTION_FPS)), 1)
            return model.content_of_phones(script.phones, count)
        if script.sound is None:
            raise UsageError("A face that the model moves needs a sound, or phones.")
        heard = self.hear(script.sound)
        if "content" not in heard.model:
            heard.model["content"] = model.content(heard.samples)
        content: NDArray[np.float32] = heard.model["content"]
        return content

    def features(
        self, script: FaceScript, emotion: NDArray[np.float32], count: int
    ) -> NDArray[np.float32]:
        """(count, D) features of what is felt, stronger or weaker as the style says."""
        model = self._model("This motion")
        strength = script.style.emotion
        given = None
        if script.emotion == "swapped" and script.emotion_features is not None:
            given = script.emotion_features
        elif script.emotion == "detected" and script.sound is not None:
            given = self._voice(script)[0]
        if given is None or given.shape[1] == len(EMOTIONS):
            # Strengths: of what is not neutral there is more or less.
            scaled = np.clip(emotion[_rows(len(emotion), count)] * strength, 0.0, 1.0)
            return model.emotion_features_for(scaled)
        neutral = self._neutral(model, given)
        rows = looped(given, count)
        if strength == 1.0:
            return rows
        return np.asarray(neutral + strength * (rows - neutral), np.float32)


def shipped_engine(fps: float = 60.0) -> StackEngine:
    """An engine with the model that comes along.

    Raises
    ------
    UnavailableError
        If the model, or what it needs, is missing.
    """
    try:
        from polyorama.face.ecoface.content import LISTENER
        from polyorama.face.ecoface.generate import EcoFace
    except ImportError as error:
        raise UnavailableError(
            f"The model of motion needs {error.name}; install it with "
            "pip install 'polyorama[face]', or let rules move the face."
        ) from error
    model = EcoFace.load()
    return StackEngine(
        model,
        context=model.weights.config.context,
        hears_phones=model.weights.facts.get("features") == LISTENER,
        fps=fps,
    )


def _rows(length: int, count: int) -> NDArray[np.int64]:
    return np.minimum(np.arange(count), length - 1)


def _samples_of(sound: Audio) -> NDArray[np.float32]:
    from polyorama.face.speech.sound import speech_samples

    return speech_samples(sound)


def _prosody_of(samples: NDArray[np.float32]) -> ProsodyLike:
    from polyorama.face.speech.prosody import prosody

    return prosody(samples)
