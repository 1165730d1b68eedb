"""Changes of a face's script that widgets make: keys, emotions, owners, parts of takes; pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.faces.channels import EMOTIONS, REGIONS
from polyorama.scene.faces.script import ChannelKeys, CompSpan, EmotionKey, Owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.faces.script import FaceScript

__all__ = [
    "emotion_at", "emotions_at", "moved_key", "owner_of", "solo_mask", "with_comp",
    "with_emotion_key", "with_emotion_path", "with_key", "with_owner", "without_comp",
    "without_emotion_key", "without_key", "without_keys",
]  # fmt: skip

SAME = 0.011
"""Keys nearer in time than this are one, s."""


def _keys_of(script: FaceScript, channel: str) -> ChannelKeys | None:
    return next((keys for keys in script.keys if keys.channel == channel), None)


def _with_keys(script: FaceScript, channel: str, fresh: ChannelKeys | None) -> FaceScript:
    others = tuple(keys for keys in script.keys if keys.channel != channel)
    return replace(script, keys=others if fresh is None else (*others, fresh))


def with_key(script: FaceScript, channel: str, time: float, value: float) -> FaceScript:
    """A key by hand on a channel; one that lies there takes the value."""
    known = _keys_of(script, channel)
    if known is None:
        return _with_keys(script, channel, ChannelKeys(channel, (time,), (value,)))
    kept = [(t, v) for t, v in zip(known.times, known.values, strict=True) if abs(t - time) >= SAME]
    points = sorted([*kept, (time, value)])
    times, values = zip(*points, strict=True)
    return _with_keys(script, channel, replace(known, times=times, values=values))


def without_key(script: FaceScript, channel: str, time: float) -> FaceScript:
    """Without the key that lies at a time."""
    known = _keys_of(script, channel)
    if known is None:
        return script
    kept = [(t, v) for t, v in zip(known.times, known.values, strict=True) if abs(t - time) >= SAME]
    if not kept:
        return _with_keys(script, channel, None)
    times, values = zip(*kept, strict=True)
    return _with_keys(script, channel, replace(known, times=times, values=values))


def moved_key(
    script: FaceScript, channel: str, before: float, time: float, value: float
) -> FaceScript:
    """A key somewhere else."""
    return with_key(without_key(script, channel, before), channel, time, value)


def without_keys(script: FaceScript, channel: str) -> FaceScript:
    """A channel without keys by hand."""
    return _with_keys(script, channel, None)


def owner_of(script: FaceScript, target: str) -> str:
    """Who moves a region or a channel: its own owner, or the script's source."""
    return next((owner.source for owner in script.owners if owner.target == target), "")


def with_owner(script: FaceScript, target: str, source: str) -> FaceScript:
    """A region or channel with another owner; "" leaves it to the script's source."""
    others = tuple(owner for owner in script.owners if owner.target != target)
    return replace(script, owners=(*others, Owner(target, source)) if source else others)


def with_emotion_key(script: FaceScript, time: float, weights: Sequence[float]) -> FaceScript:
    """An emotion from a time on; one that lies there is replaced."""
    fresh = EmotionKey(time, tuple(float(min(max(w, 0.0), 1.0)) for w in weights))
    kept = [key for key in script.emotion_keys if abs(key.time - time) >= SAME]
    keys = tuple(sorted([*kept, fresh], key=lambda key: key.time))
    return replace(script, emotion="keyed", emotion_keys=keys)


def without_emotion_key(script: FaceScript, time: float) -> FaceScript:
    """Without the emotion that is keyed at a time."""
    kept = tuple(key for key in script.emotion_keys if abs(key.time - time) >= SAME)
    return replace(script, emotion_keys=kept)


def with_emotion_path(
    script: FaceScript, times: Sequence[float], weights: NDArray[np.floating]
) -> FaceScript:
    """Emotions along a path that was drawn; keys in its span make room.

    Parameters
    ----------
    script
        What is changed.
    times
        Ascending, s.
    weights
        (len(times), 8).
    """
    first, last = times[0], times[-1]
    kept = [key for key in script.emotion_keys if not first - SAME < key.time < last + SAME]
    made = [
        EmotionKey(float(t), tuple(float(w) for w in np.clip(row, 0.0, 1.0)))
        for t, row in zip(times, weights, strict=True)
    ]
    keys = tuple(sorted([*kept, *made], key=lambda key: key.time))
    return replace(script, emotion="keyed", emotion_keys=keys)


def emotion_at(script: FaceScript, time: float) -> tuple[float, ...]:
    """(8,) strengths that are keyed at a time, linear between keys; neutral without keys."""
    return tuple(emotions_at(script, np.array([time]))[0].tolist())


def emotions_at(script: FaceScript, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 8) the same at many times."""
    keys = script.emotion_keys
    if not keys:
        return np.tile(np.eye(len(EMOTIONS))[0], (len(times), 1))
    known = [key.time for key in keys]
    table = np.array([key.weights for key in keys])
    columns = [np.interp(times, known, table[:, k]) for k in range(len(EMOTIONS))]
    return np.stack(columns, axis=1)


def with_comp(script: FaceScript, span: CompSpan) -> FaceScript:
    """A part of another take; spans of its region that lie below are cut to make room."""
    kept: list[CompSpan] = []
    for known in script.comp:
        if known.region != span.region or known.end <= span.start or known.start >= span.end:
            kept.append(known)
            continue
        if known.start < span.start - SAME:
            kept.append(replace(known, end=span.start))
        if known.end > span.end + SAME:
            kept.append(replace(known, start=span.end))
    comp = sorted([*kept, span], key=lambda s: (s.start, s.region))
    return replace(script, comp=tuple(comp))


def without_comp(script: FaceScript, span: CompSpan) -> FaceScript:
    """Without a part of another take."""
    return replace(script, comp=tuple(known for known in script.comp if known != span))


def solo_mask(regions: frozenset[str]) -> NDArray[np.float32]:
    """(55,) 1 for channels of these regions, else 0; all 1 where none is named."""
    from polyorama.scene.faces.channels import CHANNELS, region_of

    assert regions <= set(REGIONS)
    shown = [not regions or region_of(name) in regions for name in CHANNELS]
    return np.array(shown, np.float32)
