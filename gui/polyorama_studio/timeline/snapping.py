"""What a time that is dragged snaps to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.timeline.keys import arrays_of
from polyorama_studio.timeline.places import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polyorama.scene.timeline import Timeline
    from polyorama_studio.timeline.axis import TimeAxis

__all__ = ["snapped"]

_REACH = 6.0
"""Pixels within which keys, cues and other marks attract."""


def snapped(
    timeline: Timeline, axis: TimeAxis, seconds: float, marks: Iterable[float], without: set[str]
) -> float:
    """A time moved to a key, a cue or another mark that is near, else to the nearest frame.

    Parameters
    ----------
    timeline
        Its keys and cues attract.
    axis
        Says what is near, and where frames lie.
    seconds
        s.
    marks
        Other times that attract, s.
    without
        Paths of tracks whose keys do not attract, because they are what is moved.
    """
    found = [*marks, *(cue.time for cue in timeline.cues)]
    for path, track in timeline.tracks.items():
        if path not in without:
            found.append(nearest(arrays_of(track).times, seconds))
    best = min(found, key=lambda time: abs(time - seconds))
    return best if abs(best - seconds) * axis.scale <= _REACH else axis.frame(seconds)
