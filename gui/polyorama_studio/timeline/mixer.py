"""Sound as it is played: the document's sounds, read at the playhead's pace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.contents import Audio

__all__ = ["Mixer", "Turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What happens at the end of what is played.

    Parameters
    ----------
    first, last
        Of what is played, s.
    end
        ``"hold"``, ``"loop"`` or ``"ping-pong"``.
    """

    first: float
    last: float
    end: str

    def folded(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Times that run on, as times of the timeline, s; NaN where it has stopped."""
        span = self.last - self.first
        beyond = times >= self.last
        if self.end == "hold" or span <= 0.0:
            return np.where(beyond, np.nan, times)
        along = times - self.first
        if self.end == "loop":
            return np.where(beyond, self.first + along % span, times)
        along = along % (2.0 * span)
        return np.where(beyond, self.first + np.minimum(along, 2.0 * span - along), times)


class Mixer:
    """Gives block after block, from `origin` on; called on the sound device's thread.

    Parameters
    ----------
    sounds
        What is heard; another list may be put in its place at any time.
    rate
        Of the device, Hz.
    origin
        Where playing begins, s.
    speed
        How many times faster than life; pitch goes along, as on a tape.
    turn
        What happens at the end.
    """

    def __init__(
        self, sounds: Sequence[Audio], rate: float, origin: float, speed: float, turn: Turn
    ) -> None:
        self.sounds = tuple(sounds)
        self.rate, self.origin, self.speed, self.turn = rate, origin, speed, turn
        self.position = 0
        """Samples that were given out."""

    def time_of(self, samples: float) -> float:
        """The time at which a sample lies that was given out, s, without the end's turning."""
        return self.origin + self.speed * samples / self.rate

    def block(self, count: int) -> NDArray[np.float32]:
        """The next samples, (count, 2) float32, -1..1."""
        steps = np.arange(self.position, self.position + count)
        times = self.turn.folded(self.origin + self.speed * steps / self.rate)
        mixed = np.zeros((count, 2), np.float32)
        for sound in self.sounds:
            _add(mixed, sound, times)
        self.position += count
        return np.clip(mixed, -1.0, 1.0, out=mixed)


def _add(mixed: NDArray[np.float32], sound: Audio, times: NDArray[np.float64]) -> None:
    """Add a sound, read between its samples."""
    places = (times - sound.start) * sound.rate
    last = len(sound.samples) - 1
    # The playhead's times are rounded; the first and the last sample are heard all the same.
    inside = (places > -1e-6) & (places < last + 1.0)
    if not inside.any():
        return
    places = np.clip(places[inside], 0.0, last)
    low = places.astype(np.int64)
    share = (places - low).astype(np.float32)[:, None]
    high = np.minimum(low + 1, last)
    read = sound.samples[low] * (1.0 - share) + sound.samples[high] * share
    if read.shape[1] > 2:
        read = read.mean(axis=1, keepdims=True)
    mixed[inside] += read * np.float32(sound.gain)
