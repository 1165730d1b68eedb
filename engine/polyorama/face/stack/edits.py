"""Edits of scripts: each takes a script and gives another."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

from polyorama.errors import UsageError
from polyorama.scene.faces.channels import REGIONS
from polyorama.scene.faces.phones import Phone, PhoneTrack
from polyorama.scene.faces.script import ChannelKeys, CompSpan, EmotionKey, Owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.scene.faces.phones import Word
    from polyorama.scene.faces.script import FaceScript

__all__ = [
    "LEAST_PHONE_S", "add_emotion_key", "add_phone", "comp_span", "disown", "move_channel_key",
    "move_emotion_key", "own", "remove_channel_key", "remove_channel_keys", "remove_comp",
    "remove_emotion_key", "remove_limit", "remove_phone", "set_channel_key", "set_limit",
    "set_phone_boundary", "set_phone_stress", "set_phone_symbol",
]  # fmt: skip

LEAST_PHONE_S = 0.01
"""No edit makes a phone shorter than this, s."""

_TOUCHING_S = 1e-4
_SAME_TIME_S = 1e-3


# -- phones


def set_phone_boundary(
    script: FaceScript, index: int, time: float, *, edge: str = "end"
) -> FaceScript:
    """Move the beginning or end of a phone; a neighbour that touches it there moves along.

    Words that begin or end there move too. The boundary stops before it would make either phone
    shorter than 10 ms, or meet a phone that does not touch.

    Parameters
    ----------
    script
        Whose phones.
    index
        Which phone.
    time
        Where to, s.
    edge
        "start" or "end".

    Raises
    ------
    UsageError
        If there is no such phone or edge.
    """
    phones = list(script.phones.phones)
    phone = _phone(script, index)
    if edge not in ("start", "end"):
        raise UsageError(f"A phone has a start and an end, no {edge!r}.")
    first, second = (index, index + 1) if edge == "end" else (index - 1, index)
    place = phone.end if edge == "end" else phone.start
    before = phones[first] if first >= 0 else None
    after = phones[second] if second < len(phones) else None
    touching = bool(before and after and after.start - before.end <= _TOUCHING_S)
    least, most = 0.0, 1e6
    if before is not None:
        least = before.start + LEAST_PHONE_S if touching or edge == "end" else before.end
    if after is not None:
        most = after.end - LEAST_PHONE_S if touching or edge == "start" else after.start
    if edge == "end" and script.sound is not None:
        most = min(most, max(script.sound.seconds, place))
    time = min(max(time, least), most)
    if before is not None and (touching or edge == "end"):
        phones[first] = replace(before, end=time)
    if after is not None and (touching or edge == "start"):
        phones[second] = replace(after, start=time)
    words = tuple(_moved(word, place, time) for word in script.phones.words)
    return replace(script, phones=PhoneTrack(tuple(phones), words))


def _moved(word: Word, place: float, time: float) -> Word:
    """A word whose ends at a place are moved to a time, but not past its other end."""
    start, end = word.start, word.end
    if abs(start - place) <= _TOUCHING_S:
        start = min(time, end)
    if abs(end - place) <= _TOUCHING_S:
        end = max(time, start)
    return replace(word, start=start, end=end)


def set_phone_symbol(script: FaceScript, index: int, symbol: str) -> FaceScript:
    """Make a phone another.

    Raises
    ------
    UsageError
        If there is no such phone.
    """
    return _with_phone(script, index, replace(_phone(script, index), symbol=symbol))


def set_phone_stress(script: FaceScript, index: int, stress: int) -> FaceScript:
    """Stress a phone: 0 none, 1 primary, 2 secondary, -1 not known.

    Raises
    ------
    UsageError
        If there is no such phone or stress.
    """
    return _with_phone(script, index, replace(_phone(script, index), stress=stress))


def add_phone(script: FaceScript, phone: Phone) -> FaceScript:
    """Put a phone where none is.

    Raises
    ------
    UsageError
        If another is in its way.
    """
    phones = script.phones.phones
    place = bisect_left([p.start for p in phones], phone.start)
    track = PhoneTrack((*phones[:place], phone, *phones[place:]), script.phones.words)
    return replace(script, phones=track)


def remove_phone(script: FaceScript, index: int) -> FaceScript:
    """Take a phone away; there is silence in its place.

    Raises
    ------
    UsageError
        If there is no such phone.
    """
    _phone(script, index)
    phones = script.phones.phones
    track = PhoneTrack(phones[:index] + phones[index + 1 :], script.phones.words)
    return replace(script, phones=track)


def _phone(script: FaceScript, index: int) -> Phone:
    if not 0 <= index < len(script.phones.phones):
        raise UsageError(f"There is no phone {index}; there are {len(script.phones.phones)}.")
    return script.phones.phones[index]


def _with_phone(script: FaceScript, index: int, phone: Phone) -> FaceScript:
    phones = script.phones.phones
    track = PhoneTrack((*phones[:index], phone, *phones[index + 1 :]), script.phones.words)
    return replace(script, phones=track)


# -- emotion


def add_emotion_key(script: FaceScript, time: float, weights: Sequence[float]) -> FaceScript:
    """Key an emotion, in place of a key at that time; emotion is keyed from now on."""
    key = EmotionKey(time, tuple(float(w) for w in weights))
    others = [k for k in script.emotion_keys if abs(k.time - time) > _SAME_TIME_S]
    keys = tuple(sorted([*others, key], key=lambda k: k.time))
    return replace(script, emotion_keys=keys, emotion="keyed")


def move_emotion_key(script: FaceScript, index: int, time: float) -> FaceScript:
    """Move a key of emotion; one that is there already makes way.

    Raises
    ------
    UsageError
        If there is no such key.
    """
    weights = _emotion_key(script, index).weights
    return add_emotion_key(remove_emotion_key(script, index), time, weights)


def remove_emotion_key(script: FaceScript, index: int) -> FaceScript:
    """Take a key of emotion away.

    Raises
    ------
    UsageError
        If there is no such key.
    """
    _emotion_key(script, index)
    keys = script.emotion_keys
    return replace(script, emotion_keys=keys[:index] + keys[index + 1 :])


def _emotion_key(script: FaceScript, index: int) -> EmotionKey:
    if not 0 <= index < len(script.emotion_keys):
        raise UsageError(f"There is no key {index} of emotion.")
    return script.emotion_keys[index]


# -- keys on channels


def set_channel_key(
    script: FaceScript,
    channel: str,
    time: float,
    value: float,
    *,
    mode: str = "replace",
    fade: float = 0.1,
) -> FaceScript:
    """Key a channel, in place of a key at that time.

    Keys on one channel of one mode are one curve: `fade` counts for the first.

    Raises
    ------
    UsageError
        If there is no such channel or mode.
    """
    place = _curve(script, channel, mode)
    if place is None:
        curve = ChannelKeys(channel, (float(time),), (float(value),), mode, fade)
        return replace(script, keys=(*script.keys, curve))
    old = script.keys[place]
    points = {t: v for t, v in zip(old.times, old.values, strict=True)
              if abs(t - time) > _SAME_TIME_S}  # fmt: skip
    points[float(time)] = float(value)
    return _with_curve(script, place, points)


def move_channel_key(
    script: FaceScript,
    channel: str,
    index: int,
    time: float,
    value: float,
    *,
    mode: str = "replace",
) -> FaceScript:
    """Move a key of a channel in time and value.

    Raises
    ------
    UsageError
        If there is no such key.
    """
    fade = _key_curve(script, channel, index, mode).fade
    kept = remove_channel_key(script, channel, index, mode=mode)
    moved = set_channel_key(kept, channel, time, value, mode=mode, fade=fade)
    order = [_key_of(curve) for curve in script.keys]
    return replace(moved, keys=tuple(sorted(moved.keys, key=lambda c: order.index(_key_of(c)))))


def remove_channel_key(
    script: FaceScript, channel: str, index: int, *, mode: str = "replace"
) -> FaceScript:
    """Take a key of a channel away.

    Raises
    ------
    UsageError
        If there is no such key.
    """
    old = _key_curve(script, channel, index, mode)
    points = dict(zip(old.times, old.values, strict=True))
    del points[old.times[index]]
    return _with_curve(script, script.keys.index(old), points)


def remove_channel_keys(script: FaceScript, channel: str) -> FaceScript:
    """Take all keys of a channel away."""
    return replace(script, keys=tuple(c for c in script.keys if c.channel != channel))


def _key_of(curve: ChannelKeys) -> tuple[str, str]:
    return curve.channel, curve.mode


def _curve(script: FaceScript, channel: str, mode: str) -> int | None:
    found = [i for i, c in enumerate(script.keys) if _key_of(c) == (channel, mode)]
    return found[0] if found else None


def _key_curve(script: FaceScript, channel: str, index: int, mode: str) -> ChannelKeys:
    place = _curve(script, channel, mode)
    if place is None or not 0 <= index < len(script.keys[place].times):
        raise UsageError(f"There is no key {index} on {channel}.")
    return script.keys[place]


def _with_curve(script: FaceScript, place: int, points: dict[float, float]) -> FaceScript:
    old = script.keys[place]
    times = tuple(sorted(points))
    curve = (replace(old, times=times, values=tuple(points[t] for t in times)),) if times else ()
    return replace(script, keys=(*script.keys[:place], *curve, *script.keys[place + 1 :]))


# -- takes, owners, limits


def comp_span(
    script: FaceScript, region: str, start: float, end: float, seed: int, temperature: float = 1.0
) -> FaceScript:
    """Take a region from another take for a while; what was there of that region makes way."""
    new = CompSpan(region, start, end, seed, temperature)
    kept: list[CompSpan] = []
    for span in script.comp:
        if span.region != region or span.end <= start or end <= span.start:
            kept.append(span)
            continue
        if start - span.start >= LEAST_PHONE_S:
            kept.append(replace(span, end=start))
        if span.end - end >= LEAST_PHONE_S:
            kept.append(replace(span, start=end))
    return replace(script, comp=(*kept, new))


def remove_comp(script: FaceScript, index: int) -> FaceScript:
    """Take a part of another take away.

    Raises
    ------
    UsageError
        If there is no such part.
    """
    if not 0 <= index < len(script.comp):
        raise UsageError(f"There is no part {index} of another take.")
    return replace(script, comp=script.comp[:index] + script.comp[index + 1 :])


def own(script: FaceScript, target: str, source: str) -> FaceScript:
    """Let one source alone move a region or a channel.

    Owners of channels inside a region make way for the region's.
    """
    new = Owner(target, source)
    gone = {target, *REGIONS.get(target, ())}
    return replace(script, owners=(*(o for o in script.owners if o.target not in gone), new))


def disown(script: FaceScript, target: str) -> FaceScript:
    """Leave a region or a channel to what moves the face, or a channel to its region's owner."""
    return replace(script, owners=tuple(o for o in script.owners if o.target != target))


def set_limit(script: FaceScript, channel: str, least: float, most: float) -> FaceScript:
    """Hold a channel between two values.

    Raises
    ------
    UsageError
        If there is no such channel, or the least is above the most.
    """
    others = remove_limit(script, channel).limits
    return replace(script, limits=(*others, (channel, float(least), float(most))))


def remove_limit(script: FaceScript, channel: str) -> FaceScript:
    """Let a channel go where it goes."""
    return replace(script, limits=tuple(held for held in script.limits if held[0] != channel))
