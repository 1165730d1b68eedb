"""What the corpus says: which text, by whom, how; drawn from a seed before anything is spoken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UnavailableError, UsageError
from polyorama.face.corpus.sentences import HELD_OUT, SENTENCES, sentence_words
from polyorama.face.corpus.voices import (
    ESPEAK_VOICES,
    FLITE_PITCH,
    HELD_OUT_VOICE,
    SPEAKERS,
    Voice,
    prosody_of,
)
from polyorama.scene.faces.channels import EMOTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ClipPlan", "dictionary_words", "held_out_plan", "listener_plan", "speaker_plan"]

_LEVELS = tuple((e, level) for e in range(len(EMOTIONS)) for level in (1, 2) if e or level == 1)


@dataclass(frozen=True, slots=True)
class ClipPlan:
    """A clip to be made.

    Parameters
    ----------
    text
        What is said.
    voice
        The speaker's voice without feeling.
    emotion
        Place in `EMOTIONS`.
    level
        1 or 2; 1 for neutral.
    speaker
        Place in `SPEAKERS`, or -1 for a voice that is none of them.
    sentence
        Place in `SENTENCES`, or -1 for a string of random words.
    seed
        Draws what is random in the clip.

    Raises
    ------
    UsageError
        If the emotion has no such level.
    """

    text: str
    voice: Voice
    emotion: int = 0
    level: int = 1
    speaker: int = -1
    sentence: int = -1
    seed: int = 0

    def __post_init__(self) -> None:
        prosody_of(self.emotion, self.level)


def dictionary_words() -> tuple[str, ...]:
    """Words of cmudict as it comes with pocketsphinx, but those of held-out sentences.

    Raises
    ------
    UnavailableError
        If pocketsphinx is not installed.
    """
    try:
        from pocketsphinx import get_model_path
    except ImportError:
        raise UnavailableError(
            "Random words come from pocketsphinx's dictionary; "
            "get it with pip install 'polyorama[face]'."
        ) from None
    hidden = sentence_words(HELD_OUT)
    with open(get_model_path("en-us/cmudict-en-us.dict"), encoding="utf-8") as file:
        words = (line.split(maxsplit=1)[0] for line in file)
        return tuple(w for w in words if w.isalpha() and len(w) > 1 and w not in hidden)


def speaker_plan(
    clips_each: int = 12, seed: int = 0, held_out: bool = False
) -> tuple[ClipPlan, ...]:
    """Sentences by the eight speakers in all feelings: 8 x 15 x `clips_each` clips.

    A sentence that one speaker says in one feeling is said in all 15 by all 8, so that only the
    feeling, or only the speaker, differs.

    Parameters
    ----------
    clips_each
        Sentences for each speaker, emotion and level.
    seed
        Draws the sentences.
    held_out
        Take held-out sentences instead of those to train on.

    Raises
    ------
    UsageError
        If there are not so many sentences.
    """
    rng = np.random.default_rng([seed, 71])
    numbers = [i for i in range(len(SENTENCES)) if (i in HELD_OUT) == held_out]
    if not 1 <= clips_each <= len(numbers):
        raise UsageError(f"There are 1 to {len(numbers)} sentences for each, not {clips_each}.")
    chosen = [int(i) for i in rng.permutation(numbers)[:clips_each]]
    return tuple(
        ClipPlan(SENTENCES[i], speaker.voice, emotion, level, s, i, int(rng.integers(2**31)))
        for i in chosen
        for s, speaker in enumerate(SPEAKERS)
        for emotion, level in _LEVELS
    )


def listener_plan(clips: int = 6000, seed: int = 0) -> tuple[ClipPlan, ...]:
    """Speech of many voices for the listener: a third sentences, the rest strings of random words.

    Two thirds are flite's (without the voice held out), one third espeak-ng's; pitch, tempo,
    throat and feeling vary freely.

    Raises
    ------
    UnavailableError
        If pocketsphinx's dictionary is not installed.
    """
    rng = np.random.default_rng([seed, 72])
    words = dictionary_words()
    numbers = [i for i in range(len(SENTENCES)) if i not in HELD_OUT]
    plans = []
    for _ in range(clips):
        sentence = int(rng.choice(numbers)) if rng.random() < 1 / 3 else -1
        text = SENTENCES[sentence] if sentence >= 0 else _random_words(words, rng)
        emotion, level = _LEVELS[rng.integers(len(_LEVELS))] if rng.random() < 0.6 else (0, 1)
        plans.append(ClipPlan(text, _drawn_voice(rng), emotion, level, -1, sentence,
                              int(rng.integers(2**31))))  # fmt: skip
    return tuple(plans)


def held_out_plan(clips: int = 40, seed: int = 0) -> tuple[ClipPlan, ...]:
    """Held-out sentences by the held-out voice, plainly spoken, for measuring."""
    rng = np.random.default_rng([seed, 73])
    numbers = rng.permutation(sorted(HELD_OUT))
    return tuple(
        ClipPlan(SENTENCES[int(i)], Voice("flite", HELD_OUT_VOICE), 0, 1, -1, int(i), seed)
        for i in numbers[:clips]
    )


def _drawn_voice(rng: np.random.Generator) -> Voice:
    tract = float(np.exp(rng.uniform(-0.16, 0.16)))
    pitch = float(np.exp(rng.uniform(-0.3, 0.3))) * tract**0.5
    spread, stretch = float(rng.uniform(0.6, 2.2)), float(np.exp(rng.uniform(-0.3, 0.3)))
    if rng.random() < 2 / 3:
        names = [name for name in FLITE_PITCH if name != HELD_OUT_VOICE]
        return Voice("flite", names[rng.integers(3)], pitch, spread, stretch, tract)
    name = ESPEAK_VOICES[rng.integers(len(ESPEAK_VOICES))]
    return Voice("espeak", name, pitch, min(spread, 1.9), stretch, float(tract**0.5))


def _random_words(words: Sequence[str], rng: np.random.Generator) -> str:
    drawn = [words[i] for i in rng.integers(len(words), size=rng.integers(4, 9))]
    # A comma now and then makes a pause.
    return " ".join(w + ("," if rng.random() < 0.12 else "") for w in drawn[:-1]) + f" {drawn[-1]}."
