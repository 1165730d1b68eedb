"""The timeline: keys on any property, in seconds. Evaluation is pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from polyorama.core.frozen import FrozenMap
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ENDS", "INTERPOLATIONS", "SAME_TIME", "Cue", "Key", "Timeline", "Track"]

INTERPOLATIONS = ("constant", "linear", "bezier", "smooth")
"""How a track goes from a key to the next one."""
ENDS = ("hold", "loop", "ping-pong")
"""What a track does before its first key and after its last."""
SAME_TIME = 1e-6
"""Keys of one track nearer than this, s, count as one: sums of times have roundings."""

Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """A value at a time.

    Parameters
    ----------
    time
        s.
    value
        One number for each component of the property.
    interpolation
        From this key to the next: one of `INTERPOLATIONS`.
    smoothness
        For ``"smooth"``: 0 rests at the key, 1 passes it with the slope of its neighbours
        (cubic Hermite, tangent = smoothness (p[i+1] - p[i-1]) / (t[i+1] - t[i-1])).
    before, after
        For ``"bezier"``: handles as offsets from the key, (seconds, value...), in and out; empty
        ones lie a third of the way to the neighbour at the key's own value.

    Raises
    ------
    UsageError
        If a number is not finite or the interpolation is unknown.
    """

    time: float
    value: Values
    interpolation: str = "smooth"
    smoothness: float = 1.0
    before: Values = ()
    after: Values = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", tuple(float(v) for v in self.value))
        numbers = (self.time, self.smoothness, *self.value, *self.before, *self.after)
        if not all(math.isfinite(v) for v in numbers):
            raise UsageError("A key's time and values must be finite numbers.")
        if self.interpolation not in INTERPOLATIONS:
            raise UsageError(
                f"A key's interpolation is {', '.join(INTERPOLATIONS)}, not {self.interpolation!r}."
            )
        if not 0.0 <= self.smoothness <= 1.0:
            raise UsageError(f"A key's smoothness is 0 to 1, not {self.smoothness:g}.")
        for handle in (self.before, self.after):
            if handle and len(handle) != len(self.value) + 1:
                raise UsageError("A key's handle is a time and as many values as the key has.")


@dataclass(frozen=True, slots=True)
class Track:
    """The keys of one property, in the order of their times.

    Parameters
    ----------
    keys
        At least one; times increase, and all have as many components.
    ends
        One of `ENDS`.

    Raises
    ------
    UsageError
        If they are not so.
    """

    keys: tuple[Key, ...]
    ends: str = "hold"

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.keys, key=lambda k: k.time))
        object.__setattr__(self, "keys", ordered)
        if not ordered:
            raise UsageError("A track has at least one key.")
        if len({len(k.value) for k in ordered}) > 1:
            raise UsageError("All keys of a track have as many components.")
        if any(not a.time < b.time for a, b in pairwise(ordered)):
            raise UsageError("Two keys of a track cannot be at the same time.")
        if self.ends not in ENDS:
            raise UsageError(f"A track's ends are {', '.join(ENDS)}, not {self.ends!r}.")

    def at(self, time: float) -> Values:
        """The value at a time, one float a component."""
        keys = self.keys
        first, last = keys[0].time, keys[-1].time
        if len(keys) == 1:
            return keys[0].value
        time = self._folded(time, first, last)
        if time <= first:
            return keys[0].value
        if time >= last:
            return keys[-1].value
        i = bisect_right(keys, time, key=lambda k: k.time) - 1
        a, b = keys[i], keys[i + 1]
        span = b.time - a.time
        u = (time - a.time) / span
        if a.interpolation == "constant":
            return a.value
        if a.interpolation == "linear":
            return tuple(p + (q - p) * u for p, q in zip(a.value, b.value, strict=True))
        if a.interpolation == "bezier":
            return _bezier(a, b, time)
        slopes = (self._slope(i), self._slope(i + 1))
        return tuple(
            _hermite(p, q, m * span, n * span, u)
            for p, q, m, n in zip(a.value, b.value, *slopes, strict=True)
        )

    def _folded(self, time: float, first: float, last: float) -> float:
        if self.ends == "hold" or first <= time <= last:
            return time
        length = last - first
        if self.ends == "loop":
            return first + (time - first) % length
        along = (time - first) % (2.0 * length)
        return first + (along if along <= length else 2.0 * length - along)

    def _slope(self, i: int) -> Values:
        """Tangent at key i, per second."""
        keys = self.keys
        key = keys[i]
        before, after = keys[max(i - 1, 0)], keys[min(i + 1, len(keys) - 1)]
        span = after.time - before.time
        if self.ends == "loop" and i in (0, len(keys) - 1) and keys[0].value == keys[-1].value:
            # A closed track passes its seam with one slope.
            before, after = keys[-2], keys[1]
            span = keys[-1].time - keys[-2].time + keys[1].time - keys[0].time
        return tuple(
            key.smoothness * (q - p) / span for p, q in zip(before.value, after.value, strict=True)
        )

    def with_key(self, key: Key) -> Track:
        """The same with a key; one that is there at its time, to `SAME_TIME`, is replaced."""
        others = tuple(k for k in self.keys if not abs(k.time - key.time) <= SAME_TIME)
        return replace(self, keys=(*others, key))

    def key_at(self, time: float) -> Key | None:
        """The key at a time, to `SAME_TIME`, or None."""
        return next((k for k in self.keys if abs(k.time - time) <= SAME_TIME), None)


def _hermite(p: float, q: float, m: float, n: float, u: float) -> float:
    """Cubic from p to q with slopes m and n per unit of u."""
    u2, u3 = u * u, u * u * u
    return (2 * u3 - 3 * u2 + 1) * p + (u3 - 2 * u2 + u) * m + (3 * u2 - 2 * u3) * q + (u3 - u2) * n


def _bezier(a: Key, b: Key, time: float) -> Values:
    """Cubic Bezier through time and value; handles are held inside the segment."""
    span = b.time - a.time
    out = a.after or (span / 3.0, *(0.0 for _ in a.value))
    into = b.before or (-span / 3.0, *(0.0 for _ in b.value))
    x1 = min(max(out[0] / span, 0.0), 1.0)
    x2 = min(max(1.0 + into[0] / span, 0.0), 1.0)
    u = _solve(x1, x2, (time - a.time) / span)
    v = 1.0 - u
    weights = (v * v * v, 3 * v * v * u, 3 * v * u * u, u * u * u)
    return tuple(
        weights[0] * p + weights[1] * (p + out[c + 1]) + weights[2] * (q + into[c + 1])
        + weights[3] * q
        for c, (p, q) in enumerate(zip(a.value, b.value, strict=True))
    )  # fmt: skip


def _solve(x1: float, x2: float, x: float) -> float:
    """Parameter at which the Bezier of abscissas 0, x1, x2, 1 reaches x; it rises throughout."""
    low, high = 0.0, 1.0
    for _ in range(60):
        u = 0.5 * (low + high)
        v = 1.0 - u
        if 3 * v * v * u * x1 + 3 * v * u * u * x2 + u * u * u < x:
            low = u
        else:
            high = u
    return 0.5 * (low + high)


@dataclass(frozen=True, slots=True)
class Cue:
    """A place on the timeline that a speaker goes to.

    Parameters
    ----------
    time
        s.
    name, note
        What it is called, and what the speaker wants to say there.

    Raises
    ------
    UsageError
        If the time is not finite, or name or note is no text.
    """

    time: float
    name: str
    note: str = ""

    def __post_init__(self) -> None:
        if not math.isfinite(self.time):
            raise UsageError("A cue's time must be a finite number.")
        if not isinstance(self.name, str) or not isinstance(self.note, str):
            raise UsageError("A cue's name and note are texts.")


@dataclass(frozen=True, slots=True)
class Timeline:
    """All tracks by the path of their property (see `polyorama.scene.properties_of`), and cues.

    Parameters
    ----------
    duration
        Length, s.
    fps
        Frames in a second, for exports and the ruler; keys lie at any time.
    tracks
        By path.
    cues
        In the order of their times.
    loop
        ``"hold"`` stops at the end, ``"loop"`` and ``"ping-pong"`` go on.

    Raises
    ------
    UsageError
        If duration or rate is out of range.
    """

    duration: float = 6.0
    fps: float = 30.0
    tracks: Mapping[str, Track] = field(default_factory=FrozenMap)
    cues: tuple[Cue, ...] = ()
    loop: str = "loop"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tracks", FrozenMap(self.tracks))
        object.__setattr__(self, "cues", tuple(sorted(self.cues, key=lambda c: (c.time, c.name))))
        if not 0.0 < self.duration <= 86400.0:
            raise UsageError(f"A timeline lasts up to 86400 s, not {self.duration:g} s.")
        if not 0.0 < self.fps <= 1000.0:
            raise UsageError(f"A timeline has up to 1000 frames a second, not {self.fps:g}.")
        if self.loop not in ENDS:
            raise UsageError(f"A timeline's end is {', '.join(ENDS)}, not {self.loop!r}.")

    @property
    def frame_count(self) -> int:
        """Frames of an export of the whole."""
        return max(1, round(self.duration * self.fps))

    def with_track(self, path: str, track: Track | None) -> Timeline:
        """The same with a track set, or with None removed."""
        tracks = FrozenMap(self.tracks)
        tracks = tracks.without(path) if track is None else tracks.with_items({path: track})
        return replace(self, tracks=tracks)
