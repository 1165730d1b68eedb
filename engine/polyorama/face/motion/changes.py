"""Which stretches of time two plans differ in: what a change touches."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeVar

from polyorama.face.motion.articulation import REACH_S
from polyorama.face.motion.beats import BEAT_AFTER_S, BEAT_BEFORE_S
from polyorama.face.motion.nonverbal import BLINK_S, BREATH_AFTER_S, BREATH_BEFORE_S, Life
from polyorama.scene.faces.phones import SILENCE

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from polyorama.face.motion.closures import Closure
    from polyorama.face.motion.nonverbal import Turn
    from polyorama.face.motion.segments import Segment
    from polyorama.face.motion.teacher import Plan

__all__ = ["changed_spans"]

Span = tuple[float, float]
T = TypeVar("T", bound="Hashable")


def changed_spans(old: Plan, new: Plan) -> tuple[Span, ...]:
    """Stretches, s, outside of which two plans give the same frames, in no order.

    Both plans are with, or both without, what happens beside speech.
    """
    one, other = old.happens or Life(), new.happens or Life()
    return tuple(
        chain(
            chain.from_iterable(_segment(s) for s in _differing(old.segments, new.segments)),
            (_closure(c) for c in _differing(old.closures, new.closures)),
            (
                (b.time - BEAT_BEFORE_S, b.time + BEAT_AFTER_S)
                for b in _differing(one.beats, other.beats)
            ),
            ((b.time, b.time + BLINK_S) for b in _differing(one.blinks, other.blinks)),
            (
                (b.time - BREATH_BEFORE_S, b.time + BREATH_AFTER_S)
                for b in _differing(one.breaths, other.breaths)
            ),
            ((t.time, end) for t, end in _differing(_held(one.gaze), _held(other.gaze))),
            ((t.time, end) for t, end in _differing(_held(one.postures), _held(other.postures))),
        )
    )


def _differing(one: Iterable[T], other: Iterable[T]) -> frozenset[T]:
    return frozenset(one) ^ frozenset(other)


def _segment(segment: Segment) -> Iterator[Span]:
    start, end = segment.core_start, segment.core_end
    if segment.symbol == SILENCE and end - start > 2.0 * REACH_S:
        # Its pull is the same all through: only the edges of a rest tell where it was. What took
        # the place of its middle is a difference by itself.
        yield start - REACH_S, start + REACH_S
        yield end - REACH_S, end + REACH_S
    else:
        yield start - REACH_S, end + REACH_S


def _closure(closure: Closure) -> Span:
    starts = [start for start, _ in closure.phones]
    ends = [end for _, end in closure.phones]
    return (
        min(closure.start - closure.attack, *starts),
        max(closure.end + closure.release, *ends),
    )


def _held(turns: tuple[Turn, ...]) -> Iterator[tuple[Turn, float]]:
    """Each turn and when the next begins: till then it is held."""
    yield from ((turn, after.time) for turn, after in pairwise(turns))
    if turns:
        yield turns[-1], 1e9
