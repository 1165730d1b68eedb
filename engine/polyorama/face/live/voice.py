"""The last seconds of the voice, and its sound delayed to be heard as the face moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.live.resampling import sinc_kernel
from polyorama.face.speech.prosody import RATE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.live.timeline import SoundTimeline

__all__ = ["DelayedVoice", "VoiceHistory"]

_SECONDS = 4
_SAFE = 3 * RATE
_HALF = 8
_FARTHEST_S = 0.25
_CATCH_UP = 1.0
_FASTEST = 0.005
"""How much faster or slower the voice is played to catch up: a twelfth of a semitone."""


class VoiceHistory:
    """The last four seconds of sound at 16 kHz, by the numbers of its samples.

    One thread writes; others may read at the same time.
    """

    def __init__(self) -> None:
        self._ring = np.zeros(_SECONDS * RATE, np.float32)
        self.end = 0

    def write(self, samples: NDArray[np.float32]) -> None:
        """Go on with (n,) samples."""
        count = min(len(samples), len(self._ring))
        places = (self.end + len(samples) - count + np.arange(count)) % len(self._ring)
        self._ring[places] = samples[len(samples) - count :]
        self.end += len(samples)

    def read(self, begin: int, end: int) -> NDArray[np.float32]:
        """Samples from one number up to another; 0 where they are not known or no more."""
        return self._at(np.arange(begin, end))

    def between(self, places: NDArray[np.float64]) -> NDArray[np.float32]:
        """(n,) samples at places between numbers, by windowed sinc interpolation."""
        whole = np.floor(places).astype(np.int64)
        offsets = np.arange(1 - _HALF, _HALF + 1)
        kernel = sinc_kernel(offsets - (places - whole)[:, None], 1.0, _HALF)
        around = self._at(whole[:, None] + offsets)
        return np.asarray((around * kernel).sum(axis=1), np.float32)

    def _at(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        end = self.end
        known = (numbers >= max(end - _SAFE, 0)) & (numbers < end)
        return np.where(known, self._ring[numbers % len(self._ring)], np.float32(0.0))


class DelayedVoice:
    """The voice, later by a delay that may change: what is heard when.

    The delay is followed by playing up to 0.5 % faster or slower, so nothing clicks; only what is
    over 0.25 s off is jumped to, between two fades.

    Parameters
    ----------
    history, timeline
        The sound, and when each of its samples was in the air.

    Attributes
    ----------
    delay
        s after which a sample is to be heard; until it is known, None, there is silence.
    """

    def __init__(self, history: VoiceHistory, timeline: SoundTimeline) -> None:
        self._history = history
        self._timeline = timeline
        self.delay: float | None = None
        self._place: float | None = None
        self._loud = 0.0
        # Time, the sample heard then, and samples a second from then on; replaced as a whole.
        self._heard: tuple[float, float, float] | None = None
        self._shortfall = 0.0

    def shortfall(self) -> float:
        """How much later, s, sound would have been there that was asked for since the last call."""
        found, self._shortfall = self._shortfall, 0.0
        return found

    def heard_at(self, time: float) -> float | None:
        """The number of the sample that is heard at a time, s; None before the first."""
        heard = self._heard
        return None if heard is None else heard[1] + (time - heard[0]) * heard[2]

    def time_of(self, index: float) -> float | None:
        """When a sample is heard, s; None before the first."""
        heard = self._heard
        return None if heard is None else heard[0] + (index - heard[1]) / heard[2]

    def fill(self, count: int, rate: float, dac: float) -> NDArray[np.float32]:
        """The next samples of a loudspeaker.

        Parameters
        ----------
        count, rate
            How many, and how many in a second.
        dac
            When the first of them will be heard, s of the session's clock.

        Returns
        -------
        (count,) float32.
        """
        delay = self.delay
        if delay is None or not self._timeline.begun:
            return np.zeros(count, np.float32)
        wanted = self._timeline.index_at(dac - delay)
        off = 0.0 if self._place is None else (wanted - self._place) / RATE
        jumps = abs(off) > _FARTHEST_S
        if self._place is None or self._loud == 0.0:
            place, off, jumps = wanted, 0.0, False  # nothing is heard, so nothing can click
        else:
            place = self._place
        speed = RATE / rate * (1.0 + min(max(_CATCH_UP * off, -_FASTEST), _FASTEST))
        places = place + speed * np.arange(count, dtype=np.float64)
        self._heard = (dac, place, speed * rate)
        self._place = place + speed * count
        # What is not there yet is not guessed: it fades out, and fades in once it is there again.
        ahead = self._history.end - _HALF - 1 - places[-1]
        self._shortfall = max(-ahead / RATE, self._shortfall)
        there = float(places[0] >= 0.0 and ahead >= 0.0 and not jumps)
        fade = np.linspace(self._loud, there, count + 1, dtype=np.float32)[1:]
        self._loud = there
        return self._history.between(places) * fade
