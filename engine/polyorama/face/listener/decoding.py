"""From posteriors to phones on a track, and to curves of the mouth; no language is assumed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.listener.targets import PHONE_CURVES
from polyorama.scene.faces.phones import PHONES, SILENCE, Phone, PhoneTrack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.face.listener.hearing import Listening

__all__ = ["MouthCurves", "best_path", "curves_of", "phones_of"]

_CHANGE = -2.0
_SHORTEST = 2


@dataclass(frozen=True, slots=True, eq=False)
class MouthCurves:
    """How far the jaw drops, the lips round, and the lips shut; (T,) float32 each, 0..1.

    Parameters
    ----------
    jaw, rounding, closure
        A value a frame.
    rate
        Frames a second.
    """

    jaw: NDArray[np.float32]
    rounding: NDArray[np.float32]
    closure: NDArray[np.float32]
    rate: float


def curves_of(listening: Listening) -> MouthCurves:
    """The mouth's curves.

    Jaw and rounding are the mean of what was heard directly and what the posteriors make of the
    phones' own values; closure weighs what was heard, the posteriors and the spectrum.
    """
    weighted = listening.posteriors @ PHONE_CURVES
    mixed = 0.5 * (weighted + listening.curves)
    return MouthCurves(mixed[:, 0], mixed[:, 1], listening.curves[:, 2], listening.rate)


def phones_of(listening: Listening) -> PhoneTrack:
    """The phones that were most likely said, each at least 40 ms long; silence is left out."""
    path = best_path(np.log(listening.posteriors.astype(np.float64) + 1e-6))
    edges = [0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), len(path)]
    return PhoneTrack(tuple(
        Phone(PHONES[path[a]], a / listening.rate, b / listening.rate)
        for a, b in pairwise(edges) if b > a and PHONES[path[a]] != SILENCE
    ))  # fmt: skip


def best_path(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The best sequence of classes that last at least two frames, by Viterbi's algorithm.

    Parameters
    ----------
    scores
        (T, C) log-likelihoods; each change of class costs 2 more.

    Returns
    -------
    NDArray[np.int64]
        (T,) classes. A sound of one frame has its best class.
    """
    frames, classes = scores.shape
    if frames < _SHORTEST:
        return np.asarray(scores.argmax(axis=1))
    # A class that has lasted long enough goes on, or one of two frames begins.
    total = np.full((frames + 1, classes), -np.inf)
    before = np.zeros((frames + 1, classes), np.int64)
    pairs = scores[1:] + scores[:-1]
    total[_SHORTEST] = pairs[0]
    before[_SHORTEST] = -1
    for t in range(_SHORTEST + 1, frames + 1):
        stay = total[t - 1] + scores[t - 1]
        enter = np.full(classes, -np.inf)
        last = -1
        if t - _SHORTEST >= _SHORTEST:
            last = int(total[t - _SHORTEST].argmax())
            enter = total[t - _SHORTEST, last] + _CHANGE + pairs[t - 2]
            enter[last] = -np.inf
        total[t] = np.maximum(stay, enter)
        # What went on came from itself, which is written as its own number.
        before[t] = np.where(enter > stay, last, np.arange(classes))
    path = np.empty(frames, np.int64)
    t, now = frames, int(total[frames].argmax())
    while t > 0:
        came = before[t, now]
        if came == now:
            path[t - 1] = now
            t -= 1
        else:
            path[t - _SHORTEST : t] = now
            t, now = t - _SHORTEST, came
    return path
