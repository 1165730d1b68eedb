"""Edits of how curves run between keys: interpolation, smoothness, Bezier handles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from polyorama_studio.timeline import keys
from polyorama_studio.timeline.curve_math import as_bezier, handles_of, slopes

if TYPE_CHECKING:
    from polyorama.scene.timeline import Key, Timeline, Track

__all__ = ["HANDLES", "handled", "interpolated", "smoothed"]

HANDLES = ("smooth", "level", "default")
"""How handles can be laid: along the neighbours, level, or where they lie by themselves."""


def interpolated(timeline: Timeline, choice: keys.Choice, kind: str) -> Timeline:
    """Chosen keys with another way to the next key; what becomes Bezier keeps its shape."""
    if kind == "bezier":
        for path, times in choice.items():
            track = timeline.tracks[path]
            for number in _numbers(track, times):
                track = as_bezier(track, number)
            timeline = timeline.with_track(path, track)
        return timeline

    def change(path: str, inside: list[Key]) -> list[Key]:
        return [replace(key, interpolation=kind) for key in inside]

    return keys.changed(timeline, choice, change)


def smoothed(timeline: Timeline, choice: keys.Choice, smoothness: float) -> Timeline:
    """Chosen keys made smooth, from 0, resting at the key, to 1, passing it."""

    def change(path: str, inside: list[Key]) -> list[Key]:
        return [replace(k, interpolation="smooth", smoothness=smoothness) for k in inside]

    return keys.changed(timeline, choice, change)


def handled(timeline: Timeline, choice: keys.Choice, how: str) -> Timeline:
    """Chosen keys with their handles laid anew, see `HANDLES`."""
    for path, times in choice.items():
        track = timeline.tracks[path]
        tangents = slopes(
            replace(track, keys=tuple(replace(k, smoothness=1.0) for k in track.keys))
        )
        fresh = list(track.keys)
        for number in _numbers(track, times):
            before, after = (), ()
            if how != "default":
                before, after = handles_of(track, number)
                rise = tangents[number].tolist() if how == "smooth" else [0.0] * tangents.shape[1]
                before = _along(before, rise)
                after = _along(after, rise)
            fresh[number] = replace(fresh[number], before=before, after=after)
        timeline = timeline.with_track(path, replace(track, keys=tuple(fresh)))
    return timeline


def _along(handle: tuple[float, ...], slope: list[float]) -> tuple[float, ...]:
    return (handle[0], *(handle[0] * rise for rise in slope)) if handle else ()


def _numbers(track: Track, times: frozenset[float]) -> list[int]:
    return [number for number, key in enumerate(track.keys) if key.time in times]
