"""How feelings colour a voice's sound: tilt, tremor, jitter and breath; phone times stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.corpus.utterance import RATE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.corpus.voices import Prosody

__all__ = ["coloured"]

_LOUDNESS = 0.07
"""RMS of speech of no feeling, of full scale: -23 dB."""


def coloured(
    samples: NDArray[np.float32], prosody: Prosody, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Give a voice what its synthesiser cannot: all of a prosody but pitch, spread and stretch.

    No instant moves by more than about 1 ms, so phone times hold.

    Parameters
    ----------
    samples
        (n,) speech at `RATE`.
    prosody
        Its gain, tilt, tremor, jitter and breath are used.
    rng
        Draws phases and noise.

    Returns
    -------
    NDArray[np.float32]
        (n,) within -1..1; speech without gain has an RMS of -23 dB of full scale.
    """
    sound = np.asarray(samples, np.float64)
    if prosody.tremor or prosody.jitter:
        sound = _warped(sound, prosody, rng)
    if prosody.tilt:
        sound = _tilted(sound, prosody.tilt)
    if prosody.breath:
        sound = sound + prosody.breath * _breath(sound, rng)
    # Silence at the ends is left out of the measure of loudness.
    loud = sound[np.abs(sound) > 0.02 * (np.abs(sound).max() + 1e-9)]
    level = np.sqrt(np.mean(loud**2)) if len(loud) else 1.0
    sound = sound * (_LOUDNESS / max(level, 1e-6) * 10.0 ** (prosody.gain / 20.0))
    # Loud peaks are bent, not cut.
    size = np.abs(sound)
    bent = np.where(size < 0.7, size, 0.7 + 0.3 * np.tanh((size - 0.7) / 0.3))
    return np.asarray(np.copysign(bent, sound), np.float32)


def _warped(
    sound: NDArray[np.float64], prosody: Prosody, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Tremble and roughen: time runs unevenly, and with tremor loudness too."""
    n = len(sound)
    t = np.arange(n) / RATE
    rate = rng.uniform(5.0, 7.0)
    phase = 2.0 * np.pi * rate * t + rng.uniform(0.0, 2.0 * np.pi)
    # A swing of pitch by a share d at f Hz moves time by d / (2 pi f).
    shift = 0.04 * prosody.tremor / (2.0 * np.pi * rate) * np.sin(phase)
    if prosody.jitter:
        # One draw about every 8 ms, a period of a low voice.
        knots = rng.normal(size=n // 128 + 2)
        drawn = np.interp(np.arange(n) / 128.0, np.arange(len(knots)), knots)
        shift += prosody.jitter * 0.008 * drawn
    out = np.interp(t + shift, t, sound)
    return np.asarray(out * (1.0 + 0.35 * prosody.tremor * np.sin(phase + 1.0)))


def _tilted(sound: NDArray[np.float64], slope: float) -> NDArray[np.float64]:
    """Slope the spectrum by so many dB an octave about 1 kHz, held from 125 Hz to 6 kHz."""
    whole = len(sound) + 1024
    hertz = np.clip(np.fft.rfftfreq(whole, 1.0 / RATE), 125.0, 6000.0)
    gains = 10.0 ** (slope * np.log2(hertz / 1000.0) / 20.0)
    return np.fft.irfft(np.fft.rfft(sound, whole) * gains, whole)[: len(sound)]


def _breath(sound: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Noise above about 1 kHz that swells with the voice, as loud as it."""
    window = np.hanning(641)[1:-1]
    envelope = np.sqrt(np.convolve(sound**2, window / window.sum(), mode="same").clip(0.0))
    noise = rng.normal(size=len(sound))
    noise = np.diff(noise, prepend=0.0) / np.sqrt(2.0)
    return np.asarray(envelope * noise)
