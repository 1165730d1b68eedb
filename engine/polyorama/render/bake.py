"""Clouds with palette and state carried out, for what can draw nothing but plain arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.scene.modify.step import DELETED, HIDDEN, SELECTED
from polyorama.scene.splats import SplatCloud, sh_from_colors

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HIGHLIGHT_SHARE", "bake"]

HIGHLIGHT_SHARE = 0.65
"""How far a selected splat's colour goes towards the highlight."""


def bake(
    cloud: SplatCloud,
    palette: NDArray[np.float64] | None,
    index: NDArray[np.uint16] | None,
    state: NDArray[np.uint8] | None,
    highlight: tuple[float, float, float] | None,
) -> tuple[SplatCloud, NDArray[np.int32] | None]:
    """A cloud that looks the same without what is beside it.

    Parameters
    ----------
    cloud, palette, index, state, highlight
        As of `polyorama.render.state`.

    Returns
    -------
    The cloud, and (n,) int32 which splats it holds, or None where it holds all.

    Raises
    ------
    UsageError
        As `SplatCloud.transformed`.
    """
    rows: NDArray[Any] | None = None
    if state is not None:
        shown = (state & (HIDDEN | DELETED)) == 0
        if not shown.all():
            rows = np.flatnonzero(shown).astype(np.int32)
            cloud, state = cloud.subset(rows), state[rows]
            index = None if index is None else index[rows]
    if palette is not None:
        cloud = _moved(cloud, palette, index)
    if state is not None and highlight is not None:
        cloud = _tinted(cloud, (state & SELECTED) != 0, highlight)
    return cloud, rows


def _moved(
    cloud: SplatCloud, palette: NDArray[np.float64], index: NDArray[np.uint16] | None
) -> SplatCloud:
    if index is None:
        return cloud.transformed(palette[0])
    order = np.argsort(index, kind="stable")
    used, starts = np.unique(index[order], return_index=True)
    if len(used) < 2:
        return cloud.transformed(palette[used[0]]) if len(used) else cloud
    means, quats, scales, sh = map(np.array, (cloud.means, cloud.quats, cloud.scales, cloud.sh))
    ups = set()
    for entry, rows in zip(used, np.split(order, starts[1:]), strict=True):
        part = cloud.subset(rows).transformed(palette[entry])
        means[rows], quats[rows], scales[rows] = part.means, part.quats, part.scales
        sh[rows] = part.sh
        ups.add(part.up)
    up = ups.pop() if len(ups) == 1 else None
    return replace(cloud, means=means, quats=quats, scales=scales, sh=sh, up=up)


def _tinted(
    cloud: SplatCloud, selected: NDArray[np.bool_], highlight: tuple[float, float, float]
) -> SplatCloud:
    """As the cpu's kernel blends, but for colours below 0, which it cuts off before."""
    if not selected.any():
        return cloud
    sh = np.array(cloud.sh)
    sh[selected] *= np.float32(1.0 - HIGHLIGHT_SHARE)
    sh[selected, 0] += np.float32(HIGHLIGHT_SHARE) * sh_from_colors(highlight)
    return replace(cloud, sh=sh)
