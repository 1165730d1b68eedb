"""What a synthesiser gives: sound, and the true times of its phones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.faces.phones import PHONES, Phone, PhoneTrack

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RATE", "Utterance", "resampled"]

RATE = 16000
"""Samples a second of all speech that is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Utterance:
    """Speech with true phone times.

    Parameters
    ----------
    samples
        (n,) float32 at `RATE`, within -1..1.
    phones
        (m,) uint8 places in `PHONES`; silence is a phone here.
    starts, ends
        (m,) float32 s, in order, without gaps.
    sure
        (m,) bool, False where the synthesiser's times are not to be trusted.
    """

    samples: NDArray[np.float32]
    phones: NDArray[np.uint8]
    starts: NDArray[np.float32]
    ends: NDArray[np.float32]
    sure: NDArray[np.bool_]

    @property
    def seconds(self) -> float:
        """How long the sound is, s."""
        return len(self.samples) / RATE

    def track(self) -> PhoneTrack:
        """Its phones as a track, unsure ones included."""
        return PhoneTrack(tuple(
            Phone(PHONES[p], float(a), float(b))
            for p, a, b in zip(self.phones, self.starts, self.ends, strict=True) if b > a
        ))  # fmt: skip

    def labels(self, rate: float, frames: int) -> NDArray[np.int64]:
        """(frames,) place in `PHONES` at the middle of each frame; -1 where it is not sure."""
        middle = (np.arange(frames) + 0.5) / rate
        at = np.searchsorted(self.ends, middle, side="right")
        inside = at < len(self.phones)
        at = np.minimum(at, len(self.phones) - 1)
        found = np.where(self.sure[at], self.phones[at].astype(np.int64), -1)
        return np.where(inside, found, 0)


def resampled(samples: NDArray[np.float32], length: int) -> NDArray[np.float32]:
    """Sound of another number of samples over the same time, band-limited, through its spectrum.

    Parameters
    ----------
    samples
        (n,) sound.
    length
        Number of samples wanted.
    """
    n = len(samples)
    if n == length or n == 0:
        return np.asarray(samples, np.float32)
    # A tail of silence keeps the end from ringing into the beginning.
    pad = max(64, n // 50)
    wide = round((n + pad) * length / n)
    spectrum = np.fft.rfft(np.concatenate([samples, np.zeros(pad, np.float32)]))
    kept = np.zeros(wide // 2 + 1, complex)
    m = min(len(kept), len(spectrum))
    kept[:m] = spectrum[:m]
    out = np.fft.irfft(kept, wide) * (wide / (n + pad))
    return out[:length].astype(np.float32)
