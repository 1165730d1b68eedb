"""Lips that meet: P, B and M close the mouth, F and V put the lower lip to the teeth.

This is applied after everything else, so that nothing that blends or smooths can open them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polyorama.face.motion.articulation import VOWELS
from polyorama.scene.faces.channels import CHANNEL_INDEX
from polyorama.scene.faces.phones import viseme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.faces.phones import PhoneTrack

__all__ = [
    "Closure", "clamped", "close_lips", "closures", "contact", "follow_jaw", "open_lips",
]  # fmt: skip

_CLOSE_S = 0.06
_OPEN_S = 0.07
_MERGED_GAP_S = 0.02
_CLOSED_JAW = 0.16
"""A jaw that is open further shows through closed lips as a long face."""
_BITTEN_JAW = 0.04
_PRESS = 0.30
_ROLL = 0.22
_BITE_ROLL = 1.0
_BITE_UP = 0.35
_VOWEL_CLOSE = 0.35
"""Share of the jaw's opening that mouthClose may take away in the middle of a vowel."""


def _columns(*names: str) -> NDArray[np.int64]:
    return np.array([CHANNEL_INDEX[name] for name in names], np.int64)


_JAW = CHANNEL_INDEX["jawOpen"]
_CLOSE = CHANNEL_INDEX["mouthClose"]
_PRESSES = _columns("mouthPressLeft", "mouthPressRight")
_ROLLS = _columns("mouthRollLower", "mouthRollUpper")
_ROLL_LOWER = CHANNEL_INDEX["mouthRollLower"]
_UPPER = _columns("mouthUpperUpLeft", "mouthUpperUpRight")
_LOWER = _columns("mouthLowerDownLeft", "mouthLowerDownRight")
_CLOSED_TAKES = {
    1.0: _columns("mouthFunnel", "mouthUpperUpLeft", "mouthUpperUpRight", "mouthLowerDownLeft",
                  "mouthLowerDownRight", "tongueOut"),
    0.75: _columns("mouthShrugUpper", "mouthStretchLeft", "mouthStretchRight"),
    0.6: _columns("mouthPucker", "noseSneerLeft", "noseSneerRight", "jawForward"),
    0.18: _columns("mouthSmileLeft", "mouthSmileRight", "mouthFrownLeft", "mouthFrownRight",
                  "mouthDimpleLeft", "mouthDimpleRight"),
}  # fmt: skip
"""Channels that part lips, by the share of them that a closed mouth takes away."""
_BITTEN_TAKES = {
    1.0: _columns("mouthLowerDownLeft", "mouthLowerDownRight", "mouthFunnel", "tongueOut",
                  "jawForward", "mouthShrugLower", "mouthPucker"),
    0.8: _columns("mouthStretchLeft", "mouthStretchRight", "mouthFrownLeft", "mouthFrownRight"),
    0.6: _columns("mouthShrugUpper"),
}  # fmt: skip


class Closure(NamedTuple):
    """Lips that meet: `teeth` where the lower lip meets the upper teeth.

    Contact is full from `start` to `end`, grows over `attack` s before and fades over `release` s
    after; `phones` are the start and end of each phone that needs it.
    """

    teeth: bool
    start: float
    end: float
    attack: float
    release: float
    phones: tuple[tuple[float, float], ...]


def closures(track: PhoneTrack) -> tuple[Closure, ...]:
    """Where lips meet in a track of phones, in order.

    Neighbours of one kind ("lamb pie") stay closed between; otherwise the mouth opens between them.
    """
    groups: list[tuple[bool, list[tuple[float, float]]]] = []
    for phone in track.phones:
        viseme = viseme_of(phone.symbol)
        if viseme not in ("PP", "FF"):
            continue
        kind = viseme == "FF"
        if groups and groups[-1][0] == kind and phone.start - groups[-1][1][-1][1] < _MERGED_GAP_S:
            groups[-1][1].append((phone.start, phone.end))
        else:
            groups.append((kind, [(phone.start, phone.end)]))
    cores = []
    for _, phones in groups:
        (first, first_end), (last, last_end) = phones[0], phones[-1]
        # The burst ends a stop: contact is over before the phone is.
        cores.append((first + 0.1 * (first_end - first), last_end - 0.25 * (last_end - last)))
    found = []
    for i, (kind, phones) in enumerate(groups):
        start, end = cores[i]
        before = start - cores[i - 1][1] if i else np.inf
        after = cores[i + 1][0] - end if i + 1 < len(groups) else np.inf
        attack, release = min(_CLOSE_S, 0.42 * before), min(_OPEN_S, 0.42 * after)
        found.append(Closure(kind, start, end, attack, release, tuple(phones)))
    return tuple(found)


def contact(
    found: Sequence[Closure], first: int, count: int, fps: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How closed the lips are, and how far the lower lip is at the teeth, at frames.

    Each phone has a frame where it is exactly 1: one inside it, or where frames are so rare that
    none lies inside, the nearest.

    Returns
    -------
    (count,) and (count,) float64, 0..1.
    """
    both = np.zeros((2, count))
    # Only those that are near: closures are in order and do not overlap.
    near = bisect_left(found, (first - 1) / fps, key=lambda c: c.end + c.release)
    beyond = bisect_right(found, (first + count) / fps, key=lambda c: c.start - c.attack)
    for closure in found[near:beyond]:
        row = both[int(closure.teeth)]
        low = int(np.ceil((closure.start - closure.attack) * fps)) - first
        high = int(np.floor((closure.end + closure.release) * fps)) - first
        low, high = max(low, 0), min(high, count - 1)
        if low <= high:
            times = (np.arange(low, high + 1) + first) / fps
            grown = (times - (closure.start - closure.attack)) / max(closure.attack, 1e-9)
            faded = ((closure.end + closure.release) - times) / max(closure.release, 1e-9)
            share = np.clip(np.minimum(grown, faded), 0.0, 1.0)
            share = share * share * (3.0 - 2.0 * share)
            row[low : high + 1] = np.maximum(row[low : high + 1], share)
        for start, end in closure.phones:
            row_of = _frame_of(start, end, fps) - first
            if 0 <= row_of < count:
                row[row_of] = 1.0
    return both[0], both[1]


def _frame_of(start: float, end: float, fps: float) -> int:
    """The frame inside a phone that is nearest to its middle; the nearest where none is inside."""
    nearest = round(0.5 * (start + end) * fps)
    for frame in (nearest, nearest - 1, nearest + 1):
        if start <= frame / fps < end:
            return max(frame, 0)
    return max(nearest, 0)


def close_lips(
    weights: NDArray[np.float64], closed: NDArray[np.float64], bitten: NDArray[np.float64]
) -> None:
    """Close the lips of (n, 55) weights, in place, as far as `contact` says.

    Where `closed` is 1 mouthClose is exactly jawOpen, lips are pressed and nothing parts them.
    """
    some = np.flatnonzero(bitten > 0.0)
    if len(some):
        _bite(weights, some, bitten[some])
    np.minimum(weights[:, _CLOSE], weights[:, _JAW], out=weights[:, _CLOSE])
    some = np.flatnonzero(closed > 0.0)
    if not len(some):
        return
    share = closed[some]
    part = weights[some]
    part[:, _JAW] += share * (np.minimum(part[:, _JAW], _CLOSED_JAW) - part[:, _JAW])
    for taken, columns in _CLOSED_TAKES.items():
        part[:, columns] *= (1.0 - taken * share)[:, None]
    part[:, _PRESSES] = np.maximum(part[:, _PRESSES], _PRESS * share[:, None])
    part[:, _ROLLS] = np.maximum(part[:, _ROLLS], _ROLL * share[:, None])
    sealed = share * part[:, _JAW]
    part[:, _CLOSE] = np.minimum(np.maximum(part[:, _CLOSE], sealed), part[:, _JAW])
    part[:, _CLOSE] = np.where(share == 1.0, part[:, _JAW], part[:, _CLOSE])
    weights[some] = part


def follow_jaw(
    weights: NDArray[np.float64], jaw: NDArray[np.float64], closed: NDArray[np.float64]
) -> None:
    """Let mouthClose follow a jaw that was moved after `close_lips`, in (n, 55) weights, in place.

    `jaw` is (n,) jawOpen before it was moved, `closed` as `contact` says: mouthClose keeps its
    share of the jaw, so lips that meet still do.
    """
    rows = np.flatnonzero(weights[:, _JAW] != jaw)
    before, close = jaw[rows], weights[rows, _CLOSE]
    share = np.divide(close, before, out=closed[rows].copy(), where=before > 0.0)
    weights[rows, _CLOSE] = share * weights[rows, _JAW]


def open_lips(weights: NDArray[np.float64], track: PhoneTrack, first: int, fps: float) -> None:
    """Open lips that a source left closed in the middle of vowels, in (n, 55) weights, in place."""
    near = bisect_left(track.phones, first / fps, key=lambda p: p.end)
    beyond = bisect_right(track.phones, (first + len(weights)) / fps, key=lambda p: p.start)
    for phone in track.phones[near:beyond]:
        low = max(int(np.ceil(phone.start * fps)) - first, 0)
        high = min(int(np.floor(phone.end * fps)) - first, len(weights) - 1)
        if phone.symbol not in VOWELS or low > high:
            continue
        times = (np.arange(low, high + 1) + first) / fps
        share = np.sin(np.pi * (times - phone.start) / (phone.end - phone.start)) ** 2
        part = weights[low : high + 1]
        most = (1.0 - (1.0 - _VOWEL_CLOSE) * share) * part[:, _JAW]
        part[:, _CLOSE] = np.minimum(part[:, _CLOSE], most)


def _bite(
    weights: NDArray[np.float64], rows: NDArray[np.int64], share: NDArray[np.float64]
) -> None:
    part = weights[rows]
    part[:, _JAW] += share * (np.minimum(part[:, _JAW], _BITTEN_JAW) - part[:, _JAW])
    for taken, columns in _BITTEN_TAKES.items():
        part[:, columns] *= (1.0 - taken * share)[:, None]
    part[:, _CLOSE] *= 1.0 - share
    part[:, _PRESSES] *= (1.0 - share)[:, None]
    part[:, _ROLL_LOWER] = np.maximum(part[:, _ROLL_LOWER], _BITE_ROLL * share)
    part[:, _UPPER] = np.maximum(part[:, _UPPER], _BITE_UP * share[:, None])
    weights[rows] = part


def clamped(
    weights: NDArray[np.floating], track: PhoneTrack, fps: float, first: int = 0
) -> NDArray[np.float32]:
    """(n, 55) float32: weights of any source with the closures of a track of phones.

    Row k is frame `first` + k. In the middle of vowels the lips are opened where the source left
    them closed.
    """
    rows = np.asarray(weights, np.float64).copy()
    open_lips(rows, track, first, fps)
    close_lips(rows, *contact(closures(track), first, len(rows), fps))
    return rows.astype(np.float32)
