"""How exact the alignment is: against the times that a speech synthesiser itself tells.

flite prints when each phone ends (``-psdur``); `alignment_study` lets it say our sentences with
several voices, aligns them, and compares the starts of phones.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import wave
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Job, Progress
from polyorama.errors import UnavailableError, UsageError
from polyorama.face.speech.align import align
from polyorama.face.speech.prosody import RATE
from polyorama.scene.faces.phones import PHONES, SILENCE, Phone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["SENTENCES", "VOICES", "AlignmentStudy", "VoiceAlignment", "alignment_study", "flite"]

VOICES = ("slt", "rms", "awb", "kal16")
"""Voices of flite: a woman, two men (one Scottish), and an older synthesiser."""

SENTENCES = (
    "Bring the big blue box over to the bench before breakfast.",
    "My grandmother keeps fresh plums in a basket by the door.",
    "Four thin foxes followed the path through the foggy forest.",
    "She was sure that the ship had vanished in the shallow sea.",
    "Please move the wooden table away from the open window.",
    "The judge changed his mind about the age of the orange bridge.",
    "Nobody knew why the old piano hummed quietly at noon.",
    "Thirty three thirsty children thanked their teacher on Thursday.",
    "We would rather walk around the lake than wait for the train.",
    "A yellow canary sang beside the kitchen stove all evening.",
    "Put the map back into the pocket of your brown jacket.",
    "The weather in November is usually grey, wet and very windy.",
    "Could you measure the width of that beige garage for me?",
    "Peter bought pepper, butter and a pound of purple potatoes.",
    "Her voice grew louder while the crowd became completely silent.",
    "Every engineer at the factory uses a different kind of ruler.",
    "The moon rose slowly above the smooth roof of the museum.",
    "He gave five heavy vases to the van driver's wife.",
    "Try to catch the kite before it gets stuck in the tree.",
    "Enjoy the boiled oysters, but do not spoil the noisy party.",
)
"""Twenty sentences, written for this study, with all phones of English."""

_SAME = {"AX": "AH", "AXR": "ER", "IX": "IH", "EL": "L", "EM": "M", "EN": "N", "DX": "T",
         "PAU": SILENCE, "H#": SILENCE, "SSIL": SILENCE}  # fmt: skip
_BILABIAL = frozenset({"P", "B", "M"})
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class VoiceAlignment:
    """How exact the alignment of one voice is.

    Parameters
    ----------
    voice
        Name of the voice.
    sentences, failures
        How many were tried, and how many could not be aligned.
    phones
        Phones of the synthesiser's that the alignment has too.
    matched
        Their share of all, 0..1.
    bias
        Median of found less true starts, s.
    error
        Mean absolute error of the starts, s; of the lips' phones P, B and M in `bilabial_error`.
    bilabial_error
        s.
    within_20_ms, within_50_ms
        Shares of starts that are no further off, 0..1.
    """

    voice: str
    sentences: int
    failures: int
    phones: int
    matched: float
    bias: float
    error: float
    bilabial_error: float
    within_20_ms: float
    within_50_ms: float


@dataclass(frozen=True, slots=True)
class AlignmentStudy:
    """Alignment of several voices."""

    voices: tuple[VoiceAlignment, ...]

    @property
    def error(self) -> float:
        """Mean absolute error of phone starts over all voices' phones, s."""
        phones = sum(voice.phones for voice in self.voices)
        return sum(voice.error * voice.phones for voice in self.voices) / max(phones, 1)

    @property
    def failures(self) -> int:
        """Sentences that could not be aligned."""
        return sum(voice.failures for voice in self.voices)


def alignment_study(
    voices: Sequence[str] = VOICES, sentences: Sequence[str] = SENTENCES
) -> Job[AlignmentStudy]:
    """Let voices say sentences, align them and compare; its units are sentences.

    Raises
    ------
    UnavailableError
        If flite or pocketsphinx is not installed.
    """
    results = []
    for number, voice in enumerate(voices):
        failures = 0
        total = 0
        pairs: list[tuple[Phone, Phone]] = []
        for k, sentence in enumerate(sentences):
            yield Progress(number * len(sentences) + k, len(voices) * len(sentences), voice)
            samples, true = flite(sentence, voice)
            total += len(true)
            try:
                found = align(samples, sentence).phones
            except UsageError:
                failures += 1
                continue
            pairs += _same_phones(true, found)
        results.append(_figures(voice, len(sentences), failures, total, pairs))
    return AlignmentStudy(tuple(results))


def flite(text: str, voice: str = "slt") -> tuple[NDArray[np.float32], tuple[Phone, ...]]:
    """Speech of flite's and its own times of the phones, pauses left out.

    Returns
    -------
    (n,) float32 at 16 kHz, and the phones.

    Raises
    ------
    UnavailableError
        If flite is not installed, or does not have the voice.
    """
    program = shutil.which("flite")
    if program is None:
        raise UnavailableError("The study needs flite, a small speech synthesiser; install it.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        try:
            told = subprocess.run(
                [program, "-voice", voice, "-t", text, "-o", str(path), "-psdur"],
                capture_output=True, text=True, timeout=_SECONDS, check=True,
            ).stdout  # fmt: skip
            with wave.open(str(path), "rb") as file:
                rate, raw = file.getframerate(), file.readframes(file.getnframes())
        except (OSError, EOFError, wave.Error, subprocess.SubprocessError) as error:
            raise UnavailableError(f"flite does not speak with the voice {voice!r}.") from error
    if rate != RATE:
        raise UnavailableError(f"flite's voice {voice!r} speaks at {rate} Hz, not at {RATE} Hz.")
    samples = np.frombuffer(raw, "<i2").astype(np.float32) / np.float32(32768)
    marks = re.findall(r"(\S+):(\d+\.\d+)", told)
    ends = [("", 0.0), *((name.upper(), float(end)) for name, end in marks)]
    phones = [
        Phone(_SAME.get(name, name), start, end)
        for (_, start), (name, end) in pairwise(ends)
        if end > start and _SAME.get(name, name) in PHONES
    ]
    return samples, tuple(phone for phone in phones if phone.symbol != SILENCE)


def _same_phones(true: Sequence[Phone], found: Sequence[Phone]) -> list[tuple[Phone, Phone]]:
    """Phones that both have: the longest common stretches, and one to one exchanges."""
    one, other = [p.symbol for p in true], [p.symbol for p in found]
    pairs = []
    for kind, a, a_end, b, b_end in SequenceMatcher(None, one, other, False).get_opcodes():
        if kind == "equal" or (kind == "replace" and a_end - a == b_end - b):
            pairs += list(zip(true[a:a_end], found[b:b_end], strict=True))
    return pairs


def _figures(
    voice: str, sentences: int, failures: int, total: int, pairs: Sequence[tuple[Phone, Phone]]
) -> VoiceAlignment:
    if not pairs:
        return VoiceAlignment(voice, sentences, failures, 0, 0.0, *([float("nan")] * 5))
    off = np.array([found.start - true.start for true, found in pairs])
    lips = np.array([true.symbol in _BILABIAL for true, _ in pairs])
    return VoiceAlignment(
        voice,
        sentences,
        failures,
        len(pairs),
        len(pairs) / total,
        float(np.median(off)),
        float(np.abs(off).mean()),
        float(np.abs(off[lips]).mean()) if lips.any() else float("nan"),
        float((np.abs(off) <= 0.020).mean()),
        float((np.abs(off) <= 0.050).mean()),
    )
