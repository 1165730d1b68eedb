"""Curves as cubics: every way from a key to the next one is a Bezier of time and value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama_studio.timeline.keys import arrays_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.timeline import Key, Track

__all__ = ["aligned", "as_bezier", "controls", "handles_of", "slopes", "with_handle"]

_STRAIGHT = 1e-6


def slopes(track: Track) -> NDArray[np.float64]:
    """Tangents of smooth keys, (n, c) float64, per second, as `Track.at` has them."""
    arrays = arrays_of(track)
    times, values = arrays.times, arrays.values
    count = len(times)
    if count < 2:
        return np.zeros_like(values)
    before = np.maximum(np.arange(count) - 1, 0)
    after = np.minimum(np.arange(count) + 1, count - 1)
    rise, span = values[after] - values[before], times[after] - times[before]
    if track.ends == "loop" and track.keys[0].value == track.keys[-1].value:
        # A closed track passes its seam with one slope.
        rise[[0, -1]] = values[1] - values[-2]
        span[[0, -1]] = times[-1] - times[-2] + times[1] - times[0]
    smoothness = np.array([key.smoothness for key in track.keys])
    return np.asarray(smoothness[:, None] * rise / span[:, None])


def handles_of(track: Track, number: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Offsets of a key's handles in and out as they act, (seconds, value...) each.

    Where none are set they lie level at a third of the way to the neighbour; () where there is no
    neighbour.
    """
    keys, key = track.keys, track.keys[number]
    level = (0.0,) * len(key.value)
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    if number > 0:
        span = key.time - keys[number - 1].time
        before = key.before or (-span / 3.0, *level)
    if number + 1 < len(keys):
        span = keys[number + 1].time - key.time
        after = key.after or (span / 3.0, *level)
    return before, after


def controls(track: Track, first: int, last: int) -> NDArray[np.float64]:
    """Control points of the segments from key `first` to key `last`.

    Returns
    -------
    (last - first, 4, 1 + c) float64
        Time, s, and the value of each component; a constant segment is level, its jump is not in
        it.
    """
    arrays, tangents = arrays_of(track), slopes(track)
    made = np.empty((last - first, 4, 1 + arrays.values.shape[1]))
    for row, number in enumerate(range(first, last)):
        a, b = track.keys[number], track.keys[number + 1]
        span = b.time - a.time
        start = np.array((a.time, *a.value))
        end = np.array((b.time, *b.value))
        third = np.zeros_like(start)
        third[0] = span / 3.0
        if a.interpolation == "constant":
            end[1:] = a.value
            inner = (start + third, end - third)
        elif a.interpolation == "linear":
            inner = (start + (end - start) / 3.0, end - (end - start) / 3.0)
        elif a.interpolation == "bezier":
            out = np.array(handles_of(track, number)[1])
            into = np.array(handles_of(track, number + 1)[0])
            out[0], into[0] = min(max(out[0], 0.0), span), min(max(into[0], -span), 0.0)
            inner = (start + out, end + into)
        else:
            inner = (
                start + third + np.r_[0.0, tangents[number] * span / 3.0],
                end - third - np.r_[0.0, tangents[number + 1] * span / 3.0],
            )
        made[row] = (start, *inner, end)
    return made


def as_bezier(track: Track, number: int) -> Track:
    """The same curve with the segment after a key as a Bezier; what it looks like stays."""
    keys = list(track.keys)
    key = keys[number]
    if key.interpolation == "bezier":
        return track
    if number + 1 < len(keys):
        start, out, into, end = controls(track, number, number + 1)[0]
        following = keys[number + 1]
        if key.interpolation == "constant":
            end = np.array((following.time, *following.value))
            into = end - (out - start)
        keys[number] = replace(key, interpolation="bezier", after=tuple((out - start).tolist()))
        keys[number + 1] = replace(following, before=tuple((into - end).tolist()))
    else:
        keys[number] = replace(key, interpolation="bezier")
    return replace(track, keys=tuple(keys))


def aligned(before: tuple[float, ...], after: tuple[float, ...], component: int) -> bool:
    """Whether the two handles of a key lie on one line, in one component."""
    if not before or not after or before[0] == 0.0 or after[0] == 0.0:
        return False
    one, other = before[component + 1] / before[0], after[component + 1] / after[0]
    return abs(one - other) <= _STRAIGHT * max(1.0, abs(one), abs(other))


def with_handle(
    track: Track, number: int, side: str, component: int, offset: tuple[float, float], *,
    broken: bool,
) -> Key:  # fmt: skip
    """A key with one handle elsewhere.

    Parameters
    ----------
    track, number
        Which key.
    side
        ``"before"`` or ``"after"``.
    component
        Of the value.
    offset
        From the key: seconds and value.
    broken
        Whether the other handle stays where it is, although the two lay on one line.
    """
    key = track.keys[number]
    held = dict(zip(("before", "after"), handles_of(track, number), strict=True))
    other = "after" if side == "before" else "before"
    keep = not broken and aligned(held["before"], held["after"], component)
    sign = 1.0 if side == "after" else -1.0
    reach = max(sign * offset[0], 1e-4)
    old = held[side]
    # Other components keep their slopes, though all share one time.
    share = sign * reach / old[0] if old[0] else 1.0
    fresh = [sign * reach, *(value * share for value in old[1:])]
    fresh[component + 1] = offset[1]
    changed = {side: tuple(fresh)}
    if keep:
        turned = list(held[other])
        turned[component + 1] = turned[0] * fresh[component + 1] / fresh[0]
        changed[other] = tuple(turned)
    return replace(key, **changed)
