"""Speech by espeak-ng, whose library tells of each phone as it speaks."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UnavailableError, UsageError
from polyorama.face.corpus.utterance import RATE, Utterance, resampled
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from polyorama.face.corpus.voices import Voice

__all__ = ["ARPABET", "espeak_speaks"]

# Numbers of espeak-ng's speak_lib.h.
_SYNCHRONOUS, _PHONEME_EVENTS = 2, 1
_RATE, _PITCH, _RANGE = 1, 3, 4
_END, _PHONEME = 0, 7
_UTF8 = 1

ARPABET: dict[str, tuple[str, ...]] = {
    "_": ("sil",), "_:": ("sil",), "_|": ("sil",), "_!": ("sil",), "_^_": ("sil",),
    "n": ("N",), "n-": ("AH", "N"), "m": ("M",), "m-": ("AH", "M"), "N": ("NG",),
    "p": ("P",), "b": ("B",), "t": ("T",), "t#": ("T",), "t2": ("T",), "?": ("T",), "d": ("D",),
    "d#": ("D",), "k": ("K",), "g": ("G",), "x": ("K",),
    "f": ("F",), "v": ("V",), "v#": ("V",), "T": ("TH",), "D": ("DH",), "s": ("S",), "z": ("Z",),
    "z#": ("Z",), "S": ("SH",), "Z": ("ZH",), "h": ("HH",), "tS": ("CH",), "dZ": ("JH",),
    "l": ("L",), "l#": ("L",), "l-": ("AH", "L"), "@L": ("AH", "L"), "r": ("R",), "r-": ("R",),
    "w": ("W",), "j": ("Y",), ";": ("Y",),
    "I": ("IH",), "I2": ("IH",), "I#": ("IH",), "i": ("IY",), "i:": ("IY",), "E": ("EH",),
    "E#": ("EH",), "E2": ("EH",), "a": ("AE",), "a#": ("AH",), "aa": ("AE",), "a2": ("AE",),
    "A:": ("AA",), "A": ("AA",), "0": ("AA",), "02": ("AA",), "0#": ("AA",), "O:": ("AO",),
    "O": ("AO",), "O2": ("AO",), "U": ("UH",), "u": ("UW",), "u:": ("UW",), "V": ("AH",),
    "@": ("AH",), "@2": ("AH",), "@5": ("AH",), "@-": ("AH",), "3": ("ER",), "3:": ("ER",),
    "eI": ("EY",), "aI": ("AY",), "OI": ("OY",), "oU": ("OW",), "aU": ("AW",),
    "A@": ("AA", "R"), "O@": ("AO", "R"), "o@": ("AO", "R"), "e@": ("EH", "R"),
    "i@": ("IH", "R"), "i@3": ("IH", "R"), "U@": ("UH", "R"), "aI@": ("AY", "ER"),
    "aI3": ("AY", "ER"), "aU@": ("AW", "ER"),
}  # fmt: skip
"""Phones of ours by espeak-ng's mnemonics for English; a mnemonic of two phones is halved."""

_INDEX = {phone: i for i, phone in enumerate(PHONES)}
_LIQUIDS = {_INDEX["L"], _INDEX["R"]}
_VOWELS = {_INDEX[p] for p in ("AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY",
                               "OW", "OY", "UH", "UW")}  # fmt: skip


class _Event(ctypes.Structure):
    """espeak_EVENT."""

    _fields_ = (
        ("type", ctypes.c_int), ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int), ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int), ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p), ("id", ctypes.c_char * 8),
    )  # fmt: skip


_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
)


class _Engine:
    """The library, begun once a process; it keeps one voice at a time."""

    def __init__(self) -> None:
        name = ctypes.util.find_library("espeak-ng")
        if name is None:
            raise UnavailableError(
                "Synthetic speech needs espeak-ng's library, which is not here; "
                "get it with 'sudo apt install espeak-ng'."
            )
        try:
            self._library: Any = ctypes.CDLL(name)
        except OSError as error:
            raise UnavailableError(
                f"espeak-ng's library cannot be loaded ({error}); "
                "get it with 'sudo apt install --reinstall espeak-ng'."
            ) from error
        self.rate = self._library.espeak_Initialize(_SYNCHRONOUS, 0, None, _PHONEME_EVENTS)
        if self.rate <= 0:
            raise UnavailableError(
                "espeak-ng does not find its voices; get them with "
                "'sudo apt install --reinstall espeak-ng-data'."
            )
        self._sound: list[np.ndarray] = []
        self._events: list[tuple[int, str]] = []
        # The library keeps the pointer only, so we keep the function.
        self._callback = _CALLBACK(self._hear)
        self._library.espeak_SetSynthCallback(self._callback)

    def _hear(self, samples: Any, count: int, events: Any) -> int:
        i = 0
        while events[i].type != _END:
            if events[i].type == _PHONEME:
                self._events.append((events[i].sample, events[i].id.decode("utf-8", "replace")))
            i += 1
        if samples and count > 0:
            self._sound.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    def speak(self, text: str, voice: Voice) -> tuple[np.ndarray, list[tuple[int, str]]]:
        """(n,) int16 samples, and each phoneme's first sample and mnemonic."""
        library = self._library
        if library.espeak_SetVoiceByName(voice.name.encode()):
            raise UsageError(f"espeak-ng has no voice {voice.name!r}.")
        # Its scale of pitch doubles in 50 steps, and 50 is a voice's own.
        pitch = round(50 + 50 * float(np.log2(voice.pitch / voice.tract)))
        library.espeak_SetParameter(_RATE, round(170 / (voice.stretch * voice.tract)), 0)
        library.espeak_SetParameter(_PITCH, min(99, max(0, pitch)), 0)
        library.espeak_SetParameter(_RANGE, min(99, round(50 * voice.spread)), 0)
        self._sound.clear()
        self._events.clear()
        data = text.encode()
        library.espeak_Synth(data, len(data) + 1, 0, 1, 0, _UTF8, None, None)
        sound = np.concatenate(self._sound) if self._sound else np.zeros(0, np.int16)
        return sound, list(self._events)


@cache
def _engine() -> _Engine:
    return _Engine()


def espeak_speaks(text: str, voice: Voice) -> Utterance:
    """Speak a text with one of espeak-ng's voices.

    Parameters
    ----------
    text
        English, up to 2000 letters.
    voice
        Its engine is "espeak", its name such as "gmw/en-US+f3".

    Raises
    ------
    UnavailableError
        If espeak-ng's library or data are not here.
    UsageError
        If the text is empty or too long, the voice unknown, or nothing was said.
    """
    if not text.strip() or len(text) > 2000:
        raise UsageError("A text to be spoken has 1 to 2000 letters.")
    engine = _engine()
    raw, events = engine.speak(text, voice)
    if not len(raw) or not events:
        raise UsageError("espeak-ng found nothing to say in the text.")
    scale = engine.rate * voice.tract
    samples = resampled(raw.astype(np.float32) / 32768.0, round(len(raw) * RATE / scale))
    seconds = len(samples) / RATE
    starts, phones, sure = [0.0], [0], [True]
    edges = [*(sample / scale for sample, _ in events[1:]), seconds]
    for (sample, name), end in zip(events, edges, strict=True):
        begin = min(sample / scale, seconds)
        known = ARPABET.get(name)
        parts = known or ("sil",)
        for k, part in enumerate(parts):
            starts.append(begin + (min(end, seconds) - begin) * k / len(parts))
            phones.append(_INDEX[part])
            # Inside a mnemonic of two phones the border is a guess.
            sure.append(known is not None and len(parts) == 1)
    _doubt_liquids(phones, sure)
    begins = np.maximum.accumulate(np.array(starts))
    ends = np.append(begins[1:], max(seconds, begins[-1]))
    there = ends > begins
    return Utterance(
        samples, np.array(phones, np.uint8)[there], begins[there].astype(np.float32),
        ends[there].astype(np.float32), np.array(sure)[there],
    )  # fmt: skip


def _doubt_liquids(phones: list[int], sure: list[bool]) -> None:
    """Doubt L and R after a vowel, and that vowel: they are spoken as one and told of late."""
    for i in range(1, len(phones)):
        if phones[i] in _LIQUIDS and phones[i - 1] in _VOWELS:
            sure[i] = sure[i - 1] = False
