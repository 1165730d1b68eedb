"""Rooms, noises and channels that speech is put through before the listener learns from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.listener.mel import RATE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Augmenter"]

_ROOMS, _NOISES = 48, 24
_TAIL = RATE // 2


class Augmenter:
    """A bank of rooms and noises, drawn once; each sound then meets some of them.

    Parameters
    ----------
    length
        Samples in each sound.
    seed
        Draws the bank.
    """

    def __init__(self, length: int, seed: int) -> None:
        self.length = length
        self._whole = length + _TAIL
        self._hertz = np.fft.rfftfreq(self._whole, 1.0 / RATE)
        rng = np.random.default_rng([seed, 81])
        self._rooms = [self._room(rng) for _ in range(_ROOMS)]
        self._noises = [self._noise(rng) for _ in range(_NOISES)]

    def __call__(
        self, sound: NDArray[np.float32], others: NDArray[np.float32], rng: np.random.Generator
    ) -> NDArray[np.float32]:
        """Put speech into a room, through a microphone, among noise.

        Parameters
        ----------
        sound
            (length,) speech.
        others
            (length,) of other people's speech, for babble.
        rng
            Draws all of it.
        """
        spectrum = np.fft.rfft(sound, self._whole)
        if rng.random() < 0.3:
            spectrum = spectrum * self._rooms[rng.integers(_ROOMS)]
        if rng.random() < 0.7:
            spectrum = spectrum * self._colour(rng)
        if rng.random() < 0.12:
            low, high = rng.uniform(150.0, 350.0), rng.uniform(3200.0, 4000.0)
            spectrum = spectrum * self._band(low, high)
        elif rng.random() < 0.25:
            spectrum = spectrum * self._band(20.0, rng.uniform(4500.0, 7500.0))
        out = np.fft.irfft(spectrum, self._whole)[: self.length]
        level = np.sqrt(np.mean(out**2)) + 1e-9
        if rng.random() < 0.75:
            noise = others if rng.random() < 0.2 else self._noises[rng.integers(_NOISES)]
            noise = np.roll(noise, int(rng.integers(self.length)))
            ratio = 10.0 ** (-rng.uniform(12.0, 40.0) / 20.0)
            out = out + noise * (level * ratio / (np.sqrt(np.mean(noise**2)) + 1e-9))
        out = out * np.float32(10.0 ** (rng.uniform(-22.0, 6.0) / 20.0))
        # What sounds go through a converter: its noise of a few steps, and its limits.
        steps = rng.standard_normal(self.length, np.float32)
        out = out + steps * np.float32(10.0 ** rng.uniform(-5.0, -4.0))
        return np.clip(out, -1.0, 1.0).astype(np.float32)

    def _room(self, rng: np.random.Generator) -> NDArray[np.complex64]:
        """Spectrum of a direct sound and a tail of noise that falls by 60 dB in 0.12 to 0.6 s."""
        fall = np.exp(rng.uniform(np.log(0.12), np.log(0.6)))
        t = np.arange(_TAIL) / RATE
        tail = rng.normal(size=_TAIL) * np.exp(-6.9 * t / fall)
        tail[: int(rng.uniform(0.001, 0.008) * RATE)] = 0.0
        tail *= 10.0 ** (-rng.uniform(0.0, 14.0) / 20.0) / np.sqrt((tail**2).sum())
        tail[0] += 1.0
        return np.asarray(np.fft.rfft(tail, self._whole), np.complex64)

    def _noise(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """Noise whose power falls as f^0 to f^-2, some of it with a hum."""
        slope = rng.uniform(0.0, 1.0)
        spectrum = np.fft.rfft(rng.normal(size=self.length))
        spectrum *= np.maximum(np.fft.rfftfreq(self.length, 1.0 / RATE), 40.0) ** -slope
        noise = np.fft.irfft(spectrum, self.length)
        noise /= np.sqrt(np.mean(noise**2))
        if rng.random() < 0.3:
            t = np.arange(self.length) / RATE
            base = rng.choice([50.0, 60.0])
            noise = noise + sum(rng.uniform(0.0, 1.5) * np.sin(2.0 * np.pi * base * k * t)
                                for k in range(1, 6))  # fmt: skip
        return noise.astype(np.float32)

    def _colour(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """A microphone's gains, smooth over the octaves."""
        knots = rng.normal(scale=4.0, size=8)
        octaves = np.log2(np.clip(self._hertz, 62.5, 8000.0) / 62.5)
        return np.asarray(10.0 ** (np.interp(octaves, np.arange(8), knots) / 20.0), np.float32)

    def _band(self, low: float, high: float) -> NDArray[np.float32]:
        """Gains of a channel that ends at two frequencies, falling by about 24 dB an octave."""
        hertz = np.maximum(self._hertz, 1.0)
        fall = (1.0 + (low / hertz) ** 8) * (1.0 + (hertz / high) ** 8)
        return np.asarray(1.0 / np.sqrt(fall), np.float32)
