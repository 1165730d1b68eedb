"""Edges of phones, as a hand takes hold of them; the edits themselves are the engine's."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from polyorama.scene.faces.phones import PhoneTrack

__all__ = ["Edge", "edges"]

_TOUCHING = 1e-6


class Edge(NamedTuple):
    """The start or the end of a phone, and when that is, s."""

    index: int
    side: Literal["start", "end"]
    time: float


def edges(track: PhoneTrack) -> tuple[Edge, ...]:
    """Every edge once: where two phones touch, the end of the earlier one."""
    phones = track.phones
    if not phones:
        return ()
    found = [Edge(0, "start", phones[0].start)]
    for at, (one, other) in enumerate(pairwise(phones)):
        found.append(Edge(at, "end", one.end))
        if other.start - one.end > _TOUCHING:
            found.append(Edge(at + 1, "start", other.start))
    return (*found, Edge(len(phones) - 1, "end", phones[-1].end))
