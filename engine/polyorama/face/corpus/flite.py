"""Speech by flite, whose command prints where each phone ends."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import wave
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.text import reason_of
from polyorama.errors import UnavailableError, UsageError
from polyorama.face.corpus.psola import repitched
from polyorama.face.corpus.utterance import RATE, Utterance, resampled
from polyorama.face.corpus.voices import FLITE_PITCH
from polyorama.face.speech.prosody import prosody
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.corpus.voices import Voice

__all__ = ["flite_command", "flite_speaks"]

_OTHERS = {"pau": "sil", "ax": "AH", "axr": "ER", "ix": "IH", "h#": "sil", "brth": "sil"}
_MONOTONE = frozenset(("rms",))
"""Voices that flite gives its own pitch, whatever is asked for."""
_F0_FPS = 100.0
_PATIENCE_S = 60.0
_INDEX = {phone: i for i, phone in enumerate(PHONES)}


def flite_command() -> str:
    """Where flite lies.

    Raises
    ------
    UnavailableError
        If it is not installed.
    """
    command = shutil.which("flite")
    if command is None:
        raise UnavailableError(
            "Synthetic speech needs flite, which is not here; get it with 'sudo apt install flite'."
        )
    return command


def flite_speaks(text: str, voice: Voice) -> Utterance:
    """Speak a text with one of flite's voices.

    Parameters
    ----------
    text
        English, up to 2000 letters.
    voice
        Its engine is "flite".

    Raises
    ------
    UnavailableError
        If flite is not installed, or lacks the voice.
    UsageError
        If the text is empty or too long, or flite says nothing.
    """
    if not text.strip() or len(text) > 2000:
        raise UsageError("A text to be spoken has 1 to 2000 letters.")
    pitch, spread = FLITE_PITCH[voice.name]
    # Samples played at another rate move the formants; pitch and duration are made up for first.
    settings = {
        "duration_stretch": voice.stretch * voice.tract,
        "int_f0_target_mean": pitch * voice.pitch / voice.tract,
        "int_f0_target_stddev": spread * voice.spread * voice.pitch / voice.tract,
    }
    with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
        sound = Path(folder) / "speech.wav"
        command = [flite_command(), "-voice", voice.name]
        for name, value in settings.items():
            command += ["--setf", f"{name}={value:.4f}"]
        # A space within makes flite take it for a text and not for a file's name.
        command += ["-t", f" {text}", "-o", str(sound), "-psdur"]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnavailableError(
                f"flite did not speak ({reason_of(error)}); try again, or get it anew with "
                "'sudo apt install --reinstall flite'."
            ) from error
        if done.returncode or not sound.is_file():
            raise UnavailableError(
                f"flite could not speak with its voice {voice.name}; "
                "get its voices with 'sudo apt install flite'."
            )
        with wave.open(str(sound), "rb") as file:
            rate = file.getframerate()
            raw = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    names, ends = _spoken(done.stdout)
    if not names or not len(raw):
        raise UsageError("flite found nothing to say in the text.")
    samples = raw.astype(np.float32) / 32768.0
    samples = resampled(samples, round(len(samples) * RATE / (rate * voice.tract)))
    if voice.name in _MONOTONE and (voice.pitch, voice.spread) != (1.0, 1.0):
        samples = _with_melody(samples, voice)
    ends = np.minimum(ends / voice.tract, len(samples) / RATE).astype(np.float32)
    starts = np.concatenate([[0.0], ends[:-1]]).astype(np.float32)
    phones = np.array([_INDEX[name] for name in names], np.uint8)
    return Utterance(samples, phones, starts, ends, np.ones(len(phones), bool))


def _with_melody(samples: NDArray[np.float32], voice: Voice) -> NDArray[np.float32]:
    """The pitch and liveliness that a voice was asked for and its synthesiser does not give."""
    f0 = prosody(samples, _F0_FPS).f0.astype(np.float64)
    voiced = f0 > 0.0
    if not voiced.any():
        return samples
    middle = np.exp(np.log(f0[voiced]).mean())
    wanted = np.zeros_like(f0)
    wanted[voiced] = middle * voice.pitch * (f0[voiced] / middle) ** voice.spread
    return repitched(samples, RATE, f0, wanted, _F0_FPS)


def _spoken(printed: str) -> tuple[list[str], np.ndarray]:
    """Phones and their ends out of "p:0.273 l:0.308 ..."; each sentence begins at 0 again."""
    names: list[str] = []
    ends: list[float] = []
    base = last = 0.0
    for item in printed.split():
        name, _, end = item.rpartition(":")
        if not name:
            continue
        time = float(end)
        if time < last:
            base += last
        last = time
        names.append(_OTHERS.get(name, name.upper()))
        ends.append(base + time)
    return names, np.array(ends)
