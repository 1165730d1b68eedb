"""Tracks as arrays, which keys are chosen, and the pure edits of many keys at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.timeline import INTERPOLATIONS, Key, Timeline, Track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

__all__ = [
    "Choice",
    "Copied",
    "TrackArrays",
    "arrays_of",
    "changed",
    "copied",
    "moved",
    "moved_arrays",
    "moved_choice",
    "pasted",
    "scaled",
    "scaled_choice",
]  # fmt: skip

Choice = dict[str, frozenset[float]]
"""Times of chosen keys by the path of their property; no path is empty."""


@dataclass(frozen=True, slots=True, eq=False)
class TrackArrays:
    """A track for painting and picking.

    Parameters
    ----------
    times
        (n,) float64, s, rising.
    values
        (n, c) float64.
    kinds
        (n,) int8, places in `INTERPOLATIONS`.
    held
        (n - 1,) bool, whether nothing changes from a key to the next one.
    """

    times: NDArray[np.float64]
    values: NDArray[np.float64]
    kinds: NDArray[np.int8]
    held: NDArray[np.bool_]


_KIND = {name: number for number, name in enumerate(INTERPOLATIONS)}
_cache: dict[int, tuple[Track, TrackArrays]] = {}


def arrays_of(track: Track) -> TrackArrays:
    """The arrays of a track; kept until `keep` is told that it is not in use any more."""
    known = _cache.get(id(track))
    if known is not None:
        return known[1]
    values = np.array([key.value for key in track.keys], np.float64)
    kinds = np.array([_KIND[key.interpolation] for key in track.keys], np.int8)
    still = (values[1:] == values[:-1]).all(axis=1)
    # A smooth or Bezier segment between equal values may still swing.
    still &= (kinds[:-1] < 2) | _rests(track)
    made = TrackArrays(np.array([key.time for key in track.keys]), values, kinds, still)
    # The track is kept, so that its id is no other's.
    _cache[id(track)] = (track, made)
    return made


def keep(tracks: Iterable[Track]) -> None:
    """Forget the arrays of all tracks but these."""
    used = {id(track) for track in tracks}
    for known in [known for known in _cache if known not in used]:
        del _cache[known]


def _rests(track: Track) -> NDArray[np.bool_]:
    """Whether handles or slopes at both ends of each segment are level, (n - 1,) bool."""
    keys = track.keys
    flat = np.zeros(len(keys), bool)
    for number, key in enumerate(keys):
        if key.interpolation == "bezier":
            flat[number] = not any(key.before[1:]) and not any(key.after[1:])
        else:
            near = (keys[max(number - 1, 0)].value, keys[min(number + 1, len(keys) - 1)].value)
            flat[number] = key.smoothness == 0.0 or near[0] == near[1]
    return flat[:-1] & flat[1:]


def changed(
    timeline: Timeline,
    choice: Mapping[str, Iterable[float]],
    change: Callable[[str, list[Key]], list[Key]],
    *,
    copy: bool = False,
) -> Timeline:
    """The timeline with other keys in the place of the chosen ones.

    Parameters
    ----------
    timeline, choice
        What is changed of what.
    change
        Gives for a path and its chosen keys those that take their place; keys that stay give way
        to those that arrive at their time.
    copy
        Leave the chosen keys where they are, too.
    """
    for path, wanted in choice.items():
        track = timeline.tracks.get(path)
        if track is None:
            continue
        times = frozenset(wanted)
        inside = [key for key in track.keys if key.time in times]
        if inside:
            stay = track.keys if copy else [key for key in track.keys if key.time not in times]
            made = _over(change(path, inside), stay)
            timeline = timeline.with_track(path, replace(track, keys=tuple(made)))
    return timeline


def _over(fresh: Iterable[Key], stay: Iterable[Key]) -> list[Key]:
    """Both, without those that stay where a fresh one arrives; of fresh ones the last wins."""
    arriving = {key.time: key for key in fresh}
    return [*(key for key in stay if key.time not in arriving), *arriving.values()]


def moved(timeline: Timeline, choice: Choice, seconds: float, *, copy: bool = False) -> Timeline:
    """Chosen keys, or copies of them, later by so many seconds."""

    def change(path: str, inside: list[Key]) -> list[Key]:
        return [replace(key, time=key.time + seconds) for key in inside]

    return changed(timeline, choice, change, copy=copy)


def moved_arrays(
    arrays: TrackArrays,
    chosen: frozenset[float],
    moved_times: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    copy: bool,
) -> TrackArrays:
    """A track's arrays with the chosen keys elsewhere in time, for painting alone."""
    marked = np.isin(arrays.times, np.fromiter(chosen, np.float64, len(chosen)))
    stay = np.full(len(marked), True) if copy else ~marked
    times = np.concatenate([arrays.times[stay], moved_times(arrays.times[marked])])
    order = np.argsort(times, kind="stable")
    values = np.concatenate([arrays.values[stay], arrays.values[marked]])[order]
    kinds = np.concatenate([arrays.kinds[stay], arrays.kinds[marked]])[order]
    return TrackArrays(times[order], values, kinds, np.zeros(max(len(times) - 1, 0), bool))


def scaled(timeline: Timeline, choice: Choice, factor: float, about: float) -> Timeline:
    """Chosen keys with their distances to a time multiplied; handles go along."""

    def handle(offsets: tuple[float, ...]) -> tuple[float, ...]:
        return (offsets[0] * factor, *offsets[1:]) if offsets else ()

    def change(path: str, inside: list[Key]) -> list[Key]:
        fresh = []
        for key in inside:
            before, after = handle(key.before), handle(key.after)
            if factor < 0.0:
                before, after = after, before
            at = about + (key.time - about) * factor
            fresh.append(replace(key, time=at, before=before, after=after))
        return fresh

    return changed(timeline, choice, change)


def scaled_choice(choice: Choice, factor: float, about: float) -> Choice:
    """Where `scaled` puts the chosen keys."""
    return {
        path: frozenset(about + (time - about) * factor for time in times)
        for path, times in choice.items()
    }


def moved_choice(choice: Choice, seconds: float) -> Choice:
    """Where `moved` puts the chosen keys."""
    return {path: frozenset(time + seconds for time in times) for path, times in choice.items()}


Copied = tuple[tuple[str, Key], ...]
"""Keys with their paths; the earliest one is at time 0."""


def copied(timeline: Timeline, choice: Choice) -> Copied:
    """The chosen keys, to be pasted elsewhere."""
    found = [
        (path, key)
        for path, times in choice.items()
        if path in timeline.tracks
        for key in timeline.tracks[path].keys
        if key.time in times
    ]
    if not found:
        return ()
    first = min(key.time for _, key in found)
    return tuple((path, replace(key, time=key.time - first)) for path, key in found)


def pasted(timeline: Timeline, keys: Copied, at: float) -> tuple[Timeline, Choice]:
    """Copied keys at a time, over those that are there; and where they came to lie."""
    by_path: dict[str, list[Key]] = {}
    for path, key in keys:
        by_path.setdefault(path, []).append(replace(key, time=key.time + at))
    for path, fresh in by_path.items():
        track = timeline.tracks.get(path)
        whole = Track(tuple(_over(fresh, track.keys if track else ())))
        timeline = timeline.with_track(path, replace(whole, ends=track.ends) if track else whole)
    return timeline, {path: frozenset(k.time for k in fresh) for path, fresh in by_path.items()}
