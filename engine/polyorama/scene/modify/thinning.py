"""Decimation as a step of a stack."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.decimate import decimate as decimated
from polyorama.scene.modify.palette import baked
from polyorama.scene.modify.step import Step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.modifiers import Decimate

__all__ = ["decimate"]

_ROW = "row"


def decimate(step: Step, modifier: Decimate, deleted: NDArray[np.bool_] | None) -> Job[Step]:
    """Merge splats until a share of those that are not removed is left, as a job.

    Moved splats are merged where they are now: the palette is carried out first. Each splat that
    is left stands for the heaviest of those that went into it.

    Parameters
    ----------
    step
        The splats.
    modifier
        Strength goes between 100 % and its share.
    deleted
        (N,) bool, splats that are left out besides those that modifiers have removed.
    """
    share = 1.0 + modifier.strength * (modifier.percent / 100.0 - 1.0)
    cloud = baked(step.cloud(), step.palette, step.palette_index)
    rows = np.arange(len(step))
    for left_out in (None if step.gone is None else step.gone != 0, deleted):
        if left_out is not None:
            rows = rows[~left_out[rows]]
    extras = cloud.extras
    marked = replace(cloud.subset(rows) if len(rows) < len(cloud) else cloud, extras={_ROW: rows})
    count = max(1, round(len(rows) * share))
    result = yield from decimated(marked, count)
    kept = np.asarray(result.extras[_ROW], np.int64)
    fresh = replace(result, extras={name: column[kept] for name, column in extras.items()})
    return replace(Step.of(fresh), rows=kept if step.rows is None else step.rows[kept])
