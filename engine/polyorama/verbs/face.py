"""Faces as verbs: a recording in, a take out; rigs, alignment, and takes to and from files."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import Progress, run
from polyorama.errors import UsageError
from polyorama.face.exports.formats import read_take, write_take
from polyorama.face.rigs.opening import open_rig
from polyorama.face.speech.sound import (
    describe_sound,
    load_sound,
    load_speech,
    missing_sound,
    speech_samples,
)
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.script import EmotionKey, FaceScript, FaceStyle

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.face.take import Take
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.phones import PhoneTrack

__all__ = [
    "Spoken", "align_speech", "align_speech_job", "check_manner", "emotion_keys", "open_rig",
    "read_take", "save_take", "save_take_job", "speak", "speak_job", "style_of",
]  # fmt: skip

_EMOTION = re.compile(r"([a-z]+)(?::([0-9.]+))?(?:@([0-9.]+))?")
_EASE_S = 0.4
"""Over which one emotion gives way to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """What came of a recording.

    Parameters
    ----------
    take
        The performance, and all that belongs to it.
    script
        What it was made from; `polyorama.face.stack` carries it out again after changes.
    transcript
        What was said or heard; "" where sounds were heard, not words.
    notes
        Sentences on what is not as it should be in the recording.
    """

    take: Take
    script: FaceScript
    transcript: str
    notes: tuple[str, ...] = ()


def speak(voice: str | os.PathLike[str], **settings: Any) -> Spoken:
    """Let a face speak a recording; the settings are those of `speak_job`.

    ::

        spoken = po.speak("voice.wav", text="Where is the boat?", emotion="happy:0.7")
        po.save_take(spoken.take, "take.mp4", rig="puppet")

    Raises
    ------
    FileFormatError, UsageError, UnavailableError
        As `speak_job`.
    """
    return run(speak_job(voice, **settings))


def speak_job(
    voice: str | os.PathLike[str],
    *,
    text: str = "",
    phones: PhoneTrack | None = None,
    any_language: bool = False,
    source: str = "model",
    mix: float = 0.5,
    emotion: str | Sequence[str] | Sequence[EmotionKey] = (),
    emotion_from: str | os.PathLike[str] | None = None,
    speaker: int = 0,
    seed: int = 0,
    temperature: float = 0.7,
    style: FaceStyle | Mapping[str, float] | None = None,
    nonverbal: bool = True,
) -> Job[Spoken]:
    """Let a face speak a recording, as a job.

    Parameters
    ----------
    voice
        A recording of speech, or a film with sound; up to three hours.
    text
        What is said, in English; "" has it recognised.
    phones
        Phones and their times instead.
    any_language
        Hear sounds instead of English words.
    source, mix
        What moves the face: "model", "rules", or a "mix" with that share of the model.
    emotion
        Such as "happy:0.7", or several with the second from which each holds, as "sad:1@2.5"; none
        is heard in the voice (by rules: neutral).
    emotion_from
        A recording or a take whose feeling is taken; it is repeated where it is shorter.
    speaker, seed, temperature
        Whose manner (0 to 7), which take, and how far takes differ.
    style
        Sliders, by name.
    nonverbal
        Whether it blinks, looks about, moves its head and breathes.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged or holds no sound.
    UsageError
        If a setting is out of range, or the words cannot be found in the sound.
    UnavailableError
        If a package is missing.
    """
    from polyorama.face.stack.engine import StackEngine, shipped_engine
    from polyorama.face.stack.evaluate import evaluate

    feeling = emotion_keys(emotion)
    if feeling and emotion_from is not None:
        raise UsageError("An emotion is either named or taken from a file, not both.")
    modelled = source != "rules" or emotion_from is not None
    if source == "rules":  # a model knows its own speakers, and says so
        check_manner(speaker)
    script = FaceScript(
        source=source, mix=mix, speaker=speaker, seed=seed, temperature=temperature,
        style=style_of(style), nonverbal=nonverbal, emotion_keys=feeling,
        emotion="keyed" if feeling or not modelled else "detected",
    )  # fmt: skip
    yield Progress(0, 0, "Reading the sound")
    sound = load_sound(voice)
    samples = speech_samples(sound)
    missing = missing_sound(voice, sound.seconds)
    notes = (*([missing] if missing else []), *describe_sound(samples).troubles)
    yield Progress(0, 0, "Reading the model" if modelled else "Reading the rules")
    engine = shipped_engine() if modelled else StackEngine()
    if emotion_from is not None:
        features = _feeling_of(emotion_from, engine)
        script = replace(
            script, emotion="swapped", emotion_features=features,
            emotion_name=Path(emotion_from).name,
        )  # fmt: skip
    if phones is None:
        transcript, phones = yield from _phones_job(samples, text, any_language)
    else:
        transcript = text
    script = replace(script, sound=sound, transcript=transcript, phones=phones)
    yield Progress(0, 0, "Moving the face")
    take = evaluate(script, engine)
    take = replace(take, provenance=replace(take.provenance, sound=Path(voice).name))
    return Spoken(take, script, transcript, notes)


def align_speech(
    voice: str | os.PathLike[str], text: str = "", *, any_language: bool = False
) -> tuple[str, PhoneTrack]:
    """Find out when which sound is said in a recording: the words, and the phones.

    Raises
    ------
    FileFormatError, UsageError, UnavailableError
        As `speak_job`.
    """
    return run(align_speech_job(voice, text, any_language=any_language))


def align_speech_job(
    voice: str | os.PathLike[str], text: str = "", *, any_language: bool = False
) -> Job[tuple[str, PhoneTrack]]:
    """As `align_speech`, as a job.

    Raises
    ------
    FileFormatError, UsageError, UnavailableError
        As `speak_job`.
    """
    yield Progress(0, 0, "Reading the sound")
    return (yield from _phones_job(load_speech(voice), text, any_language))


def _phones_job(
    samples: NDArray[np.float32], text: str, any_language: bool
) -> Job[tuple[str, PhoneTrack]]:
    if any_language:
        if text:
            raise UsageError("Words are in English; leave them out where sounds are to be heard.")
        from polyorama.face.listener import Listener, phones_of

        yield Progress(0, 0, "Hearing sounds")
        return "", phones_of(Listener.load(60).listen(samples))
    from polyorama.face.speech.align import align_job, recognise_job

    if text:
        return text, (yield from align_job(samples, text))
    return (yield from recognise_job(samples))


def _feeling_of(path: str | os.PathLike[str], engine: Any) -> NDArray[np.float32]:
    """(T, D) float32 at 25 Hz: how a recording or a take feels."""
    from polyorama.face.exports.formats import take_format

    kind = take_format(path)
    if kind is not None and kind.reader:
        features: NDArray[np.float32] = engine.generator.emotion_of_motion(
            read_take(path).performance
        )
        return features
    return np.asarray(engine.generator.emotion_of_sound(load_speech(path))[0], np.float32)


def check_manner(speaker: int) -> None:
    """Refuse a speaker whom rules know nothing of.

    Raises
    ------
    UsageError
        If it is none of `polyorama.face.motion.manners.SPEAKERS`.
    """
    from polyorama.face.motion.manners import SPEAKERS

    if not 0 <= speaker < len(SPEAKERS):
        raise UsageError(f"A speaker is 0 to {len(SPEAKERS) - 1}, not {speaker}.")


def emotion_keys(
    emotion: str | Sequence[str] | Sequence[EmotionKey],
) -> tuple[EmotionKey, ...]:
    """Keys of emotion from words such as "happy:0.7" and "sad:1@2.5".

    Those of one second hold together; each next one takes over within 0.4 s.

    Raises
    ------
    UsageError
        If there is no such emotion, or a strength is not from 0 to 1.
    """
    entries = [emotion] if isinstance(emotion, str) else list(emotion)
    if all(isinstance(entry, EmotionKey) for entry in entries):
        return tuple(entries)  # type: ignore[arg-type]
    moments: dict[float, list[float]] = {}
    for entry in entries:
        found = _EMOTION.fullmatch(str(entry).strip().lower())
        name = found[1] if found else ""
        if found is None or name not in EMOTIONS:
            raise UsageError(
                f"There is no emotion {entry!r}; say one of {', '.join(EMOTIONS)}, with a strength "
                "from 0 to 1 and a second if you like, as happy:0.7@2.5."
            )
        strength, second = _number(found[2], 1.0, entry), _number(found[3], 0.0, entry)
        if not 0.0 <= strength <= 1.0:
            raise UsageError(f"The strength of an emotion is from 0 to 1, not {strength:g}.")
        moments.setdefault(second, [0.0] * len(EMOTIONS))[EMOTIONS.index(name)] = strength
    keys: list[EmotionKey] = []
    for second in sorted(moments):
        if keys and second - _EASE_S > keys[-1].time:
            keys.append(replace(keys[-1], time=second - _EASE_S))
        keys.append(EmotionKey(second, tuple(moments[second])))
    return tuple(keys)


def _number(text: str | None, default: float, entry: object) -> float:
    if text is None:
        return default
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"{entry!r} holds no number; say it as happy:0.7@2.5.") from error


def style_of(style: FaceStyle | Mapping[str, float] | None) -> FaceStyle:
    """Sliders of style by name; those that are not named stay in the middle.

    Raises
    ------
    UsageError
        If there is no such slider, or a value is out of range.
    """
    if style is None:
        return FaceStyle()
    if isinstance(style, FaceStyle):
        return style
    names = FaceStyle.__slots__
    unknown = [name for name in style if name not in names]
    if unknown:
        raise UsageError(f"There is no slider {unknown[0]!r}; there are {', '.join(names)}.")
    return FaceStyle(**style)


def save_take(
    take: Take,
    path: str | os.PathLike[str],
    rig: MorphRig | str | os.PathLike[str] = "puppet",
    **film: Any,
) -> None:
    """Write a take as what the ending of the path stands for.

    Parameters
    ----------
    take
        What is performed.
    path
        A film (.mp4, .mov, .mkv, .webm), .glb, .gltf, .usd, .csv, .json, .TextGrid, .tsv or .npz.
    rig
        Who performs it: a rig, "puppet", or the path of one.
    film
        Settings of `polyorama.face.exports.film.film_take`, such as `size` and `fps`.

    Raises
    ------
    OutputError, FileFormatError, UsageError, UnavailableError
        If the take or the rig does not fit, or the system refuses.
    """
    run(save_take_job(take, path, rig, **film))


def save_take_job(
    take: Take,
    path: str | os.PathLike[str],
    rig: MorphRig | str | os.PathLike[str] = "puppet",
    **film: Any,
) -> Job[None]:
    """As `save_take`, as a job."""
    from polyorama.face.exports.formats import take_format

    kind = take_format(path)
    named = kind is not None and kind.rigged and not hasattr(rig, "posed")
    yield from write_take(
        take, path, open_rig(rig) if named else rig, **film  # type: ignore[arg-type]
    )  # fmt: skip
