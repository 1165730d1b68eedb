"""Who moves what: one source a channel, and where two would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.stack.keys import key_span
from polyorama.scene.faces.channels import CHANNELS, REGIONS, region_of

if TYPE_CHECKING:
    from polyorama.scene.faces.script import FaceScript

__all__ = ["Conflict", "channel_sources", "conflicts"]

_STILL = 1e-3


@dataclass(frozen=True, slots=True)
class Conflict:
    """A channel that more than one would move.

    Parameters
    ----------
    channel
        Which.
    sources
        Who would, in words such as "rules", "tracker" or "take 7".
    winner
        Who does.
    start, end
        When, s.
    """

    channel: str
    sources: tuple[str, ...]
    winner: str
    start: float
    end: float

    @property
    def words(self) -> str:
        """One sentence for people."""
        others = " and ".join(s for s in self.sources if s != self.winner) or self.winner
        return (
            f"{self.channel} is moved by {self.winner}, not by {others}, "
            f"from {self.start:.2f} s to {self.end:.2f} s."
        )


def channel_sources(script: FaceScript) -> tuple[str, ...]:
    """Who alone moves each of `CHANNELS`.

    An owner of a channel counts more than one of its region, a later one more than an earlier.
    """
    by_target = {owner.target: owner.source for owner in script.owners}
    return tuple(
        by_target.get(name, by_target.get(region_of(name), script.source)) for name in CHANNELS
    )


def conflicts(script: FaceScript) -> tuple[Conflict, ...]:
    """Channels that two sources would move, for people to look at: who does, and who does not.

    These are owners that contradict each other, a tracker that moves what another owns, parts of
    takes that overlap or lie where no model moves the face, and keys that overlap.
    """
    return (*_owners(script), *_tracked(script), *_comped(script), *_keyed(script))


def _owners(script: FaceScript) -> list[Conflict]:
    sources = dict(zip(CHANNELS, channel_sources(script), strict=True))
    found = []
    for name in CHANNELS:
        claims = [o.source for o in script.owners if o.target in (name, region_of(name))]
        distinct = tuple(dict.fromkeys(claims))
        if len(distinct) > 1:
            found.append(Conflict(name, distinct, sources[name], 0.0, script.seconds))
    return found


def _tracked(script: FaceScript) -> list[Conflict]:
    if script.tracker is None:
        return []
    moves = np.ptp(script.tracker, axis=0) > _STILL
    owned = {owner.target for owner in script.owners}
    return [
        Conflict(name, (source, "tracker"), source, 0.0, script.seconds)
        for name, source, moved in zip(CHANNELS, channel_sources(script), moves, strict=True)
        # Where an owner was named somebody has decided; there is nothing to point at.
        if moved and source != "tracker" and not owned & {name, region_of(name)}
    ]


def _comped(script: FaceScript) -> list[Conflict]:
    sources = dict(zip(CHANNELS, channel_sources(script), strict=True))
    found = []
    for place, span in enumerate(script.comp):
        take = f"take {span.seed}"
        for name in REGIONS[span.region]:
            if sources[name] not in ("model", "mix"):
                both = (sources[name], take)
                found.append(Conflict(name, both, sources[name], span.start, span.end))
        for later in script.comp[place + 1 :]:
            start, end = max(span.start, later.start), min(span.end, later.end)
            if later.region == span.region and start < end:
                winner = f"take {later.seed}"
                found += [
                    Conflict(name, (take, winner), winner, start, end)
                    for name in REGIONS[span.region]
                ]
    return found


def _keyed(script: FaceScript) -> list[Conflict]:
    found = []
    for place, curve in enumerate(script.keys):
        for later in script.keys[place + 1 :]:
            if later.channel != curve.channel or "replace" not in (curve.mode, later.mode):
                continue
            (a, b), (c, d) = key_span(curve), key_span(later)
            start, end = max(a, c), min(b, d)
            if start < end and later.mode == "replace":
                both = ("earlier keys", "later keys")
                found.append(Conflict(curve.channel, both, "later keys", start, end))
    return found
