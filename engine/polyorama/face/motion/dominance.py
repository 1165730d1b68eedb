"""Coarticulation: tracks of the mouth as averages of what phones want, weighted by dominance.

Cohen and Massaro 1993, "Modeling coarticulation in synthetic visual speech", with times of their
own for anticipation and carry-over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.face.motion.articulation import (
    AHEAD,
    ARTICULATOR_OF,
    ARTICULATORS,
    CARRY,
    PHONE_INDEX,
    POWER,
    REACH_S,
    STRENGTH,
    TARGET,
    TRACK_INDEX,
    TRACKS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.face.motion.segments import Segment

__all__ = ["REST", "dominance_tracks"]

REST = 1e-3
"""Dominance of rest, always there: where nothing pulls the mouth is at rest."""


def dominance_tracks(
    segments: Sequence[Segment], first: int, count: int, fps: float, pace: float = 1.0
) -> NDArray[np.float64]:
    """Tracks of the mouth at frames `first` to `first + count`.

    Per articulator, F(t) = sum_i D_i(t) T_i / (REST + sum_i D_i(t)), where
    D_i = alpha_i exp(-theta_i |tau|^c) (1 - (|tau| / reach)^2)^2 and tau is the time to the nearest
    edge of the segment's core: before it theta is that of anticipation, after it of carry-over.

    Parameters
    ----------
    segments
        In order of time.
    first, count
        Frames; frame k is at k / fps seconds.
    fps
        Frames in a second.
    pace
        Above 1 anticipation and carry-over are shorter: crisper speech.

    Returns
    -------
    (count, tracks) float64.
    """
    tracks = np.zeros((count, len(TRACKS)))
    starts = np.array([s.core_start for s in segments])
    ends = np.array([s.core_end for s in segments])
    if not count or not len(segments):
        return tracks
    first_frames = np.maximum(np.ceil((starts - REACH_S) * fps).astype(np.int64), first)
    last_frames = np.minimum(np.floor((ends + REACH_S) * fps).astype(np.int64), first + count - 1)
    chosen = np.flatnonzero(first_frames <= last_frames)
    if not len(chosen):
        return tracks
    lengths = (last_frames - first_frames + 1)[chosen]
    owner = np.repeat(chosen, lengths)  # one entry for each frame that a segment reaches
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    frames = first_frames[owner] + within
    times = frames / fps
    before = np.maximum(starts[owner] - times, 0.0)
    tau = before + np.maximum(times - ends[owner], 0.0)
    # In place of tau tau * pace is used: the same as a theta that is pace^c times as large.
    falling = (tau * pace) ** POWER
    taper = np.maximum(1.0 - (tau / REACH_S) ** 2, 0.0) ** 2
    phones = np.array([PHONE_INDEX[s.symbol] for s in segments])[owner]
    jaws = np.array([s.jaw for s in segments])[owner]
    rows = frames - first
    for k in range(len(ARTICULATORS)):
        theta = np.where(before > 0.0, AHEAD[phones, k], CARRY[phones, k])
        dominance = STRENGTH[phones, k] * np.exp(-theta * falling) * taper
        total = REST + np.bincount(rows, dominance, count)
        for track in np.flatnonzero(k == ARTICULATOR_OF):
            wanted = dominance * TARGET[phones, track]
            if track == TRACK_INDEX["open"]:
                wanted = wanted * jaws
            tracks[:, track] = np.bincount(rows, wanted, count) / total
    return tracks
