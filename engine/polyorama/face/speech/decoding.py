"""pocketsphinx, told what works: forced alignment in two passes, and recognition.

Alignment as it comes fails for a third of all sentences ("failed to set up sub-word alignment").
It never failed with all of these together: no language model, ``bestpath`` off, beams so wide that
nothing is pruned, 0.2 s of silence added at both ends, and noise of a few steps of 16 bits added.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UnavailableError
from polyorama.face.speech.prosody import RATE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.face.speech.pronunciation import Pronunciation

__all__ = ["Aligner", "Heard", "PlacedPhone", "PlacedWord", "Recogniser"]

_FRAME = 0.01
_PADDING = 0.2
_DITHER = 3.0
"""Standard deviation in steps of 16 bits."""
_BIAS = 0.006
"""Seconds by which pocketsphinx finds phones too early: the median over flite's slt, rms, awb and
kal16 against the synthesiser's own times lies between -3 and -9 ms; it is taken back."""
_LOUD = 0.5
"""To which the loud parts of a piece are scaled, of full scale."""
_MOST_GAIN = 300.0
_QUIET = {"loglevel": "FATAL", "samprate": float(RATE)}
# On the human clips of pocketsphinx-testdata the second pass ("fwdflat") heard no more words right
# (23 % wrong without it, 28 % with it), and with it and all states kept it took 1.7 times as long.
_PRUNED: dict[str, Any] = {"fwdflat": False, "maxhmmpf": 5000}
_WIDE = {"beam": 1e-100, "pbeam": 1e-100, "wbeam": 1e-100}


@dataclass(frozen=True, slots=True)
class PlacedPhone:
    """A phone and its time from the piece's start, s."""

    symbol: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word with its phones."""

    text: str
    phones: tuple[PlacedPhone, ...]


@dataclass(frozen=True, slots=True)
class Heard:
    """A word that was recognised and its time from the piece's start, s."""

    text: str
    start: float
    end: float


class Aligner:
    """Finds when words are said in a piece of speech that says exactly them.

    Parameters
    ----------
    pronunciations
        All ways to pronounce each word that will be aligned.

    Raises
    ------
    UnavailableError
        If pocketsphinx is not installed.
    """

    def __init__(self, pronunciations: Mapping[str, Sequence[Pronunciation]]) -> None:
        self._decoder = _decoder(
            pronunciations, lm=None, bestpath=False, lw=1.0, wip=1.0, pip=1.0, **_WIDE
        )

    def align(self, sound: NDArray[np.float32], words: Sequence[str]) -> list[PlacedWord] | None:
        """Words with their phones' times, or None where the words do not fit in the sound."""
        audio = _prepared(sound)
        try:
            self._decoder.set_align_text(" ".join(words))
            _decode(self._decoder, audio)
            if self._decoder.hyp() is None:
                return None
            self._decoder.set_alignment()
            _decode(self._decoder, audio)
            alignment = self._decoder.get_alignment()
        except RuntimeError:
            return None
        if alignment is None:
            return None
        seconds = len(sound) / RATE
        placed = [
            PlacedWord(entry.name.partition("(")[0], _placed_phones(entry, seconds))
            for entry in alignment
            if entry.name[0] not in "<["
        ]
        if [word.text for word in placed] != list(words):
            return None
        return placed


class Recogniser:
    """Hears words in pieces of speech.

    Parameters
    ----------
    pronunciations, model
        A small dictionary and a file of an ARPA language model; with neither, pocketsphinx's own
        of general English.

    Raises
    ------
    UnavailableError
        If pocketsphinx is not installed.
    """

    def __init__(
        self,
        pronunciations: Mapping[str, Sequence[Pronunciation]] | None = None,
        model: str | None = None,
    ) -> None:
        settings = {} if model is None else {"lm": model}
        self._decoder = _decoder(pronunciations, **_PRUNED, **settings)

    def hear(self, sound: NDArray[np.float32]) -> list[Heard]:
        """The words of a piece, none in silence."""
        _decode(self._decoder, _prepared(sound))
        if self._decoder.hyp() is None:
            return []
        return [
            Heard(
                segment.word.partition("(")[0],
                max(0.0, segment.start_frame * _FRAME - _PADDING),
                max(0.0, (segment.end_frame + 1) * _FRAME - _PADDING),
            )
            for segment in self._decoder.seg()
            if segment.word[0] not in "<["
        ]


def _decoder(pronunciations: Mapping[str, Sequence[Pronunciation]] | None, **settings: Any) -> Any:
    try:
        import pocketsphinx
    except ImportError as error:
        raise UnavailableError(
            "Aligning and recognising speech needs pocketsphinx; install it with "
            "pip install 'polyorama[face]'."
        ) from error
    if pronunciations is None:
        return pocketsphinx.Decoder(**_QUIET, **settings)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.dict"
        path.write_text("".join(_dictionary_lines(pronunciations)), encoding="utf-8")
        return pocketsphinx.Decoder(dict=str(path), **_QUIET, **settings)


def _dictionary_lines(pronunciations: Mapping[str, Sequence[Pronunciation]]) -> list[str]:
    lines = []
    for word, ways in pronunciations.items():
        for number, way in enumerate(ways, start=1):
            name = word if number == 1 else f"{word}({number})"
            lines.append(f"{name} {' '.join(way)}\n")
    return lines


def _prepared(sound: NDArray[np.float32]) -> bytes:
    """The piece at a fair level, with silence around it and a little noise over it, as 16 bits."""
    loud = float(np.quantile(np.abs(sound), 0.999)) if len(sound) else 0.0
    gain = min(_LOUD / max(loud, 1e-9), _MOST_GAIN)
    padding = int(_PADDING * RATE)
    whole = np.pad(sound * np.float32(gain * 32767), padding)
    # The same noise each time, so that results repeat.
    whole += np.random.default_rng(0).normal(0, _DITHER, len(whole)).astype(np.float32)
    return np.clip(whole, -32768, 32767).astype(np.int16).tobytes()


def _decode(decoder: Any, audio: bytes) -> None:
    decoder.start_utt()
    decoder.process_raw(audio, full_utt=True)
    decoder.end_utt()


def _placed_phones(entry: Any, seconds: float) -> tuple[PlacedPhone, ...]:
    """A word's phones; those that reach into the padding are cut at the piece's edges."""
    shift = _BIAS - _PADDING
    return tuple(
        PlacedPhone(
            phone.name,
            min(max(phone.start * _FRAME + shift, 0.0), seconds),
            min(max((phone.start + phone.duration) * _FRAME + shift, 0.0), seconds),
        )
        for phone in entry
    )
