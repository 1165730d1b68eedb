"""The set that the shipped model learns from: synthetic speech, and motion by rules.

Eight speakers, and as many other voices as make the feeling of an unknown one plainer, say
sentences in 15 groups of emotion and level. Motion is the rules' with their beats of brows and
head; blinks, glances and breath are left out, since they follow chance and not speech, and are
added to any source by the rules themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.face.corpus import HELD_OUT, SENTENCES, ClipPlan, Voice, speaker_plan
from polyorama.face.corpus.voices import ESPEAK_VOICES
from polyorama.face.ecoface.config import FPS, GROUPS
from polyorama.face.ecoface.content import content_of_phones
from polyorama.face.ecoface.examples import Example, ExampleSet
from polyorama.face.ecoface.sound import rows_of_sound, sound_rows
from polyorama.face.motion.manners import SPEAKERS, SpeakerManner
from polyorama.face.motion.teacher import perform
from polyorama.face.speech.prosody import prosody
from polyorama.face.take import TRAINED_ON
from polyorama.scene.faces.channels import EMOTIONS
from polyorama.scene.faces.script import FaceStyle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.face.corpus import Clip
    from polyorama.face.ecoface.content import ContentSource

__all__ = ["LEVELS", "TEACHER_STYLE", "synthetic_plan", "synthetic_set", "teacher_motion"]

LEVELS = {1: 0.5, 2: 1.0}
"""Strength of an emotion by its level."""

TEACHER_STYLE = FaceStyle(blinks=0.0, gaze=0.0, breath=0.0)

_FLITE = ("slt", "awb", "kal16")


def synthetic_plan(
    clips_each: int = 8, voices: int = 24, sentences: int = 2, seed: int = 0
) -> tuple[ClipPlan, ...]:
    """What is spoken: 8 speakers x 15 groups x `clips_each`, and other voices in all groups.

    Parameters
    ----------
    clips_each
        Sentences of each speaker.
    voices, sentences
        Other voices, and sentences of each.
    seed
        Draws sentences and voices.
    """
    rng = np.random.default_rng([seed, 77])
    drawn = []
    for n in range(voices):
        tract, pitch = (
            float(np.exp(rng.uniform(-0.12, 0.12))),
            float(np.exp(rng.uniform(-0.2, 0.2))),
        )
        if n % 4 < 3:
            spread, stretch = float(rng.uniform(0.8, 1.4)), float(rng.uniform(0.92, 1.1))
            drawn.append(Voice("flite", _FLITE[n % 4], pitch, spread, stretch, tract))
        else:
            name = ESPEAK_VOICES[int(rng.integers(len(ESPEAK_VOICES)))]
            spread, stretch = float(rng.uniform(0.8, 1.2)), float(rng.uniform(1.0, 1.15))
            drawn.append(Voice("espeak", name, pitch, spread, stretch, tract**0.5))
    numbers = [i for i in range(len(SENTENCES)) if i not in HELD_OUT]
    more = []
    for voice in drawn:
        for _ in range(sentences):
            i = int(rng.choice(numbers))
            more += [
                ClipPlan(SENTENCES[i], voice, emotion, level, -1, i, int(rng.integers(2**31)))
                for emotion, level in GROUPS
            ]
    return (*speaker_plan(clips_each, seed), *more)


def teacher_motion(
    clip: Clip, manner: SpeakerManner, seed: int, emotion: int | None = None
) -> NDArray[np.float32]:
    """(T, 55) float32 at 25 Hz: what the rules do to a clip, in its own or another emotion.

    Parameters
    ----------
    emotion
        Place in `EMOTIONS` at full strength, instead of the clip's own.
    """
    strengths = np.zeros(len(EMOTIONS))
    if emotion is None:
        strengths[clip.emotion] = LEVELS[clip.level]
    else:
        strengths[emotion] = 1.0
    said = clip.utterance
    rows = rows_of_sound(len(said.samples))
    made = perform(
        said.track(), prosody(said.samples), strengths, TEACHER_STYLE, manner,
        seconds=rows / FPS, seed=seed, fps=FPS,
    )  # fmt: skip
    return np.asarray(made.weights)


def synthetic_set(clips: Sequence[Clip], content: ContentSource, seed: int = 0) -> Job[ExampleSet]:
    """Examples of clips of a corpus.

    Parameters
    ----------
    clips
        Of `synthetic_plan`; voices that are none of the eight have their manners in turn.
    content
        What hears them.
    seed
        Of the rules' chance; each clip has its own.
    """
    examples = []
    for number in range(len(clips)):
        clip = clips[number]
        samples = clip.utterance.samples
        person = clip.speaker if clip.speaker >= 0 else number % len(SPEAKERS)
        motion = teacher_motion(clip, SPEAKERS[person], seed + number)
        sound = sound_rows(samples).astype(np.float16)
        # Once as it is heard, once as its phones are written down.
        said = content_of_phones(clip.utterance.track(), len(motion))
        examples += [
            Example(
                f"{number:06d} {clip.text}", heard.astype(np.float16), sound, motion, person,
                clip.emotion, clip.level,
            )
            for heard in (content.rows(samples), said)
        ]  # fmt: skip
        yield Progress(number + 1, len(clips), "Listening and moving")
    names = tuple(manner.name for manner in SPEAKERS)
    return ExampleSet(tuple(examples), names, "arkit", content.name, TRAINED_ON)
