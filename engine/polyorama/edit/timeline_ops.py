"""Operations on the timeline: keys, tracks, cues, duration."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any

from polyorama.core.params import checked
from polyorama.edit.ops import op
from polyorama.errors import UsageError
from polyorama.scene.properties_of import (
    as_values,
    at_time,
    get_property,
    parameter_at,
)
from polyorama.scene.timeline import SAME_TIME, Cue, Key, Timeline, Track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.scene.document import Document

__all__ = ["add_cue", "key", "remove_cue", "remove_keys", "set_timeline", "set_track", "shift_keys"]


def full_path(document: Document, path: str) -> str:
    """A path with node and modifier ids in the place of names.

    Raises
    ------
    UsageError
        If there is no such property.
    """
    parameter_at(document, path)
    parts = path.split("/")
    if parts[0] in ("view", "document") and len(parts) == 2:
        return path
    node = document.node(parts[0])
    if len(parts) == 2:
        return f"{node.id}/{parts[1]}"
    return f"{node.id}/{node.modifier(parts[1]).id}/{parts[2]}"


@op("Key {path}")
def key(
    document: Document,
    path: str,
    time: float,
    value: Any = None,
    interpolation: str = "",
    smoothness: float = 1.0,
    before: Sequence[float] = (),
    after: Sequence[float] = (),
) -> Document:
    """Key a property at a time; without a value, at the value that it has there.

    Parameters
    ----------
    document
        What is edited.
    path
        See `polyorama.scene.properties_of`; names do as well as ids.
    time
        s.
    value
        The property's value, or None.
    interpolation
        See `Key`; "" keeps that of a key at this time, else "smooth", or "constant" for switches.
    smoothness, before, after
        See `Key`.

    Raises
    ------
    UsageError
        If there is no such property, it cannot be keyed, or the value does not fit.
    """
    parameter = parameter_at(document, path)
    if not parameter.animated:
        raise UsageError(f"{parameter.name} cannot be keyed.")
    path = full_path(document, path)
    if value is None:
        value = get_property(at_time(document, time), path)
    track = document.timeline.tracks.get(path)
    if not interpolation:
        there = track.key_at(time) if track else None
        fallback = "constant" if parameter.kind == "flag" else "smooth"
        interpolation = fallback if there is None else there.interpolation
    made = Key(
        float(time), as_values(parameter, checked(parameter, value)), interpolation, smoothness,
        tuple(before), tuple(after),
    )  # fmt: skip
    fresh = Track((made,)) if track is None else track.with_key(made)
    return replace(document, timeline=document.timeline.with_track(path, fresh))


@op("Remove keys")
def remove_keys(document: Document, keys: Sequence[tuple[str, float]]) -> Document:
    """Remove keys, each given as path and time; a track without keys goes too."""
    timeline = document.timeline
    for path, times in _by_path(document, keys).items():
        track = timeline.tracks.get(path)
        if track is None:
            continue
        rest = tuple(k for k in track.keys if not _is_among(k.time, times))
        timeline = timeline.with_track(path, replace(track, keys=rest) if rest else None)
    return replace(document, timeline=timeline)


@op("Move keys")
def shift_keys(
    document: Document, keys: Sequence[tuple[str, float]], seconds: float, copy: bool = False
) -> Document:
    """Move keys in time, or copies of them; a key that lies where one arrives is replaced."""
    timeline = document.timeline
    for path, times in _by_path(document, keys).items():
        track = timeline.tracks.get(path)
        if track is None:
            continue
        inside = [_is_among(k.time, times) for k in track.keys]
        moved = [replace(k, time=k.time + seconds) for k in compress(track.keys, inside)]
        arriving = [k.time for k in moved]
        kept = [
            k
            for k, moves in zip(track.keys, inside, strict=True)
            if (copy or not moves) and not _is_among(k.time, arriving)
        ]
        timeline = timeline.with_track(path, replace(track, keys=(*kept, *moved)))
    return replace(document, timeline=timeline)


def _by_path(document: Document, keys: Sequence[tuple[str, float]]) -> dict[str, list[float]]:
    """Times of keys, ascending, by the full paths of their properties."""
    wholes: dict[str, str] = {}
    found: dict[str, set[float]] = {}
    for path, time in keys:
        if path not in wholes:
            wholes[path] = full_path(document, path)
        found.setdefault(wholes[path], set()).add(time)
    return {path: sorted(times) for path, times in found.items()}


def _is_among(time: float, times: Sequence[float]) -> bool:
    """Whether a time is one of some, ascending, to `SAME_TIME`."""
    at = bisect_left(times, time - SAME_TIME)
    return at < len(times) and times[at] <= time + SAME_TIME


@op("Change the track of {path}")
def set_track(document: Document, path: str, track: Track | None) -> Document:
    """Give a property all its keys at once, or with None take them away.

    Raises
    ------
    UsageError
        If there is no such property, it cannot be keyed, or the keys have other components.
    """
    whole = full_path(document, path)
    parameter = parameter_at(document, whole)
    if track is not None and not parameter.animated:
        raise UsageError(f"{parameter.name} cannot be keyed.")
    count = len(parameter.components) or 1
    if track is not None and len(track.keys[0].value) != count:
        raise UsageError(f"Keys of {path} have {count} components.")
    return replace(document, timeline=document.timeline.with_track(whole, track))


@op("Change the timeline")
def set_timeline(
    document: Document,
    duration: float | None = None,
    fps: float | None = None,
    loop: str | None = None,
) -> Document:
    """Change duration (s), frames a second, or what happens at the end."""
    old: Timeline = document.timeline
    fresh = replace(
        old,
        duration=old.duration if duration is None else float(duration),
        fps=old.fps if fps is None else float(fps),
        loop=old.loop if loop is None else loop,
    )
    return replace(document, timeline=fresh)


@op("Add cue {name}")
def add_cue(document: Document, time: float, name: str, note: str = "") -> Document:
    """Add a cue; one of the same name is replaced."""
    others = tuple(c for c in document.timeline.cues if c.name != name)
    cues = (*others, Cue(float(time), name, note))
    return replace(document, timeline=replace(document.timeline, cues=cues))


@op("Remove cue {name}")
def remove_cue(document: Document, name: str) -> Document:
    """Remove a cue."""
    cues = tuple(c for c in document.timeline.cues if c.name != name)
    return replace(document, timeline=replace(document.timeline, cues=cues))
