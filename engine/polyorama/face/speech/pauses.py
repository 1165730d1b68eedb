"""Where somebody speaks, and where a recording may be cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.speech.prosody import RATE, energy_db

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["QUIETEST_VOICE", "pieces", "speech_spans"]

_FPS = 100
_STRETCH = 10.0
"""Seconds over which the levels of the room and of the voice are taken, with its neighbours."""
_SHARE = 0.35
"""Of the way from the level of the room to that of the voice, both in dB: above it is speech."""
QUIETEST_VOICE = -70.0
"""dB of full scale; what stays below is silence."""
_LEAST_CONTRAST = 6.0
"""dB between room and voice; with less all of it is taken for speech."""
_SHORTEST_PAUSE = 0.2
_SHORTEST_SPEECH = 0.05
_MARGIN = 0.1
"""Seconds that are added to speech on either side, for its quiet beginnings and ends."""


def speech_spans(samples: NDArray[np.floating[Any]]) -> tuple[tuple[float, float], ...]:
    """Stretches in which somebody speaks, or anything else sounds that loud.

    The level of each 10 ms is held against those of the room and of the voice nearby, so a slow
    change of either does no harm.

    Parameters
    ----------
    samples
        (n,) at 16 kHz, -1..1.

    Returns
    -------
    tuple of (start, end)
        s, in order, apart from each other.
    """
    sound = np.asarray(samples, np.float32)
    level = _levels(sound)
    if not len(level):
        return ()
    speech = level > _thresholds(level)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], speech, [False]]).astype(np.int8)))
    spans: list[list[float]] = []
    for first, stop in zip(edges[::2] / _FPS, edges[1::2] / _FPS, strict=True):
        if spans and first - spans[-1][1] < _SHORTEST_PAUSE:
            spans[-1][1] = stop
        else:
            spans.append([first, stop])
    seconds = len(sound) / RATE
    padded = [
        (max(0.0, float(first) - _MARGIN), min(seconds, float(stop) + _MARGIN))
        for first, stop in spans
        if stop - first >= _SHORTEST_SPEECH
    ]
    joined: list[tuple[float, float]] = []
    for first, stop in padded:
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((first, stop))
    return tuple(joined)


def pieces(
    samples: NDArray[np.floating[Any]],
    spans: tuple[tuple[float, float], ...],
    longest: float,
) -> tuple[tuple[float, float], ...]:
    """Cut a recording in its pauses, so that no piece of speech is long.

    Where nobody pauses for as long, it is cut where it is quietest.

    Parameters
    ----------
    samples
        (n,) at 16 kHz.
    spans
        As `speech_spans` gives them.
    longest
        Of a piece, s.

    Returns
    -------
    tuple of (start, end)
        s, in order, none over another; together they hold all spans.
    """
    level = _levels(np.asarray(samples, np.float32))
    done: list[tuple[float, float]] = []
    waiting = list(spans)
    while waiting:
        start, last_end = waiting[0]
        if last_end - start > longest:
            near, far = int((start + 0.5 * longest) * _FPS), int((start + longest) * _FPS)
            cut = (near + int(level[near:far].argmin())) / _FPS
            done.append((start, cut))
            waiting[0] = (cut, last_end)
            continue
        fitting = 1
        while fitting < len(waiting) and waiting[fitting][1] - start <= longest:
            fitting += 1
        if fitting < len(waiting):
            # The longest pause of the second half.
            pauses = [
                (waiting[k][0] - waiting[k - 1][1], k)
                for k in range(1, fitting + 1)
                if k == fitting or waiting[k][0] - start >= 0.5 * longest
            ]
            fitting = max(pauses)[1]
        done.append((start, waiting[fitting - 1][1]))
        del waiting[:fitting]
    return tuple(done)


def _levels(sound: NDArray[np.float32]) -> NDArray[np.float32]:
    """Level of each 10 ms, dB, smoothed over 50 ms."""
    rows = int(np.ceil(len(sound) * _FPS / RATE))
    level = energy_db(sound, np.arange(rows) * (RATE // _FPS))
    if rows < 5:
        return level
    smooth = np.convolve(np.pad(level, 2, mode="edge"), np.ones(5, np.float32) / 5, "valid")
    return smooth.astype(np.float32)


def _thresholds(level: NDArray[np.float32]) -> NDArray[np.float32]:
    """The level above which each row is speech."""
    width = int(_STRETCH * _FPS)
    count = max(1, len(level) // width)
    edges = np.linspace(0, len(level), count + 1).astype(int)
    limits = []
    top = float(np.quantile(level, 0.95))
    for k in range(count):
        near = level[edges[max(0, k - 1)] : edges[min(count, k + 2)]]
        room, voice = (float(value) for value in np.quantile(near, (0.1, 0.95)))
        voice = max(voice, top - 25.0)  # a long pause is no quiet voice
        room = max(room, voice - 45.0)  # digital silence is no measure of a room
        if voice < QUIETEST_VOICE:
            limits.append(np.inf)
        elif voice - room < _LEAST_CONTRAST:
            limits.append(room - _LEAST_CONTRAST)
        else:
            limits.append(room + _SHARE * (voice - room))
    if count == 1:
        return np.full(len(level), limits[0], np.float32)
    return np.repeat(np.asarray(limits, np.float32), np.diff(edges))
