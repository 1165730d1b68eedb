"""Arrays that the pictures of Log-Li draw, made from the trace of judged cubes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.lab.look import DARK, rgb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.bandits.log_li import LogLi

__all__ = ["Arrays", "confidence", "cubes", "register_bits", "remembered_boxes", "tree"]

Arrays = dict[str, "NDArray[np.float64]"]

_KEPT, _PRUNED = rgb(DARK.good), rgb(DARK.bad)
_LATEST = 36
_MOST_NODES = 1500
_BLOCK = (2, 20)
"""Rows and columns of a register's bits: a sum of a million rewards has 38."""


def _corners(
    depth: NDArray[np.int64], path: NDArray[np.int64], dimension: int
) -> NDArray[np.float64]:
    """(N, 2, d) lower and upper corners of cubes by depth and path of child indices."""
    cell = np.zeros((len(depth), dimension), np.int64)
    axes = np.arange(dimension)
    for level in range(int(depth.max(initial=0))):
        inside = level < depth
        child = path >> (np.maximum(depth - 1 - level, 0) * dimension)
        half = (child[:, None] >> axes) & 1
        cell = np.where(inside[:, None], 2 * cell + half, cell)
    edge = np.ldexp(1.0, -depth)[:, None]
    return np.stack([cell * edge, (cell + 1) * edge], axis=1)


def _boxes(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 4) left, bottom, right, top of cubes in the plane."""
    return np.concatenate([corners[:, 0], corners[:, 1]], axis=1)


def _rows(policy: LogLi) -> NDArray[np.float64]:
    """Judged cubes of this round, from the first whose ancestors are known on."""
    rows = policy.judged(policy.round_start)
    first = np.flatnonzero(rows[:, 0] == 1)
    return rows[first[0] :] if len(first) else rows[:0]


def cubes(policy: LogLi) -> Arrays:
    """Boxes of this round: pruned, kept, the cube at work and those it lies in.

    In one dimension a box stands on m - w and reaches up to m + w + D.
    """
    dimension = policy.game.surface.dimension
    rows = _rows(policy)
    depth, path = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    verdict = rows[:, 7]
    # A cube that the walk went into is shown by the cubes in it.
    leaf = np.append(depth[1:] <= depth[:-1], True)[: len(depth)]
    corners = _corners(depth, path, dimension)
    if dimension == 1:
        mean, width, rise = rows[:, 3], rows[:, 4], rows[:, 5]
        boxes = np.stack(
            [corners[:, 0, 0], mean - width, corners[:, 1, 0], mean + width + rise], axis=1
        )
    else:
        boxes = _boxes(corners[:, :, :2])
    pruned, kept = boxes[leaf & (verdict == 0)], boxes[leaf & (verdict > 0)]
    found = {
        "pruned": pruned,
        "pruned_color": np.tile(_PRUNED, (len(pruned), 1)),
        "kept": kept,
        "kept_color": np.tile(_KEPT, (len(kept), 1)),
    }
    if not policy.committed and dimension > 1:
        registers = policy.registers()
        deep = registers["Depth"]
        up = np.arange(deep, dtype=np.int64)
        nested = _corners(deep - up, np.int64(registers["Path"]) >> (up * dimension), dimension)
        found["cursor"] = _boxes(nested[:1, :, :2])
        found["ancestors"] = _boxes(nested[1:, :, :2])
    return found


def confidence(policy: LogLi) -> Arrays:
    """Bars of the latest judged cubes, kept and pruned, beside the line each was held against."""
    rows = policy.judged(max(0, policy.visits - _LATEST))
    number = np.arange(policy.visits - len(rows), policy.visits, dtype=np.float64) + 1.0
    mean, width, rise, line = rows[:, 3], rows[:, 4], rows[:, 5], rows[:, 6]

    def upright(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack([np.stack([number, low], axis=1), np.stack([number, high], axis=1)], axis=1)

    known = np.isfinite(line)
    across = np.stack(
        [np.stack([number - 0.5, line], axis=1), np.stack([number + 0.5, line], axis=1)], axis=1
    )
    bars, kept = upright(mean - width, mean + width), rows[:, 7] > 0
    return {
        "bar_kept": bars[kept],
        "bar_kept_color": np.tile(_KEPT, (int(kept.sum()), 1)),
        "bar_pruned": bars[~kept],
        "bar_pruned_color": np.tile(_PRUNED, (int((~kept).sum()), 1)),
        "bar_mean": np.stack([number, mean], axis=1),
        "bar_mean_color": np.where(kept[:, None], _KEPT, _PRUNED),
        "bar_rise": upright(mean + width, mean + width + rise),
        "bar_line": across[known],
    }


def tree(policy: LogLi) -> Arrays:
    """The walk of this round as an icicle, the cube at work last."""
    dimension = policy.game.surface.dimension
    rows = _rows(policy)
    depth = rows[:, 0].astype(np.int64)
    state = np.where(rows[:, 7] > 0, 2, 3)
    means = rows[:, 3]
    if not policy.committed:
        registers = policy.registers()
        depth = np.append(depth, registers["Depth"])
        state = np.append(state, 1)
        pulls = max(1, registers["Pulls of this cube"])
        means = np.append(means, registers["Sum of rewards"] * policy.game.quantum / pulls)
    shown = np.arange(len(depth))
    deepest = int(depth.max(initial=0))
    while len(shown) > _MOST_NODES:
        deepest -= 1
        shown = np.flatnonzero(depth <= deepest)
    depth = depth[shown]
    parents = np.full(len(depth), -1, np.int64)
    for level in range(2, deepest + 1):
        above, here = np.flatnonzero(depth == level - 1), np.flatnonzero(depth == level)
        if len(here):
            parents[here] = above[np.searchsorted(above, here) - 1]
    return {
        "tree_parents": parents,
        "tree_shares": np.full(len(depth), 0.5**dimension),
        "tree_mean": means[shown],
        "tree_state": state[shown],
    }


def remembered_boxes(corners: NDArray[np.float64], row: float) -> NDArray[np.float64]:
    """(N, 4) boxes of (N, 2, d) cubes; those of an interval are drawn in a strip about `row`."""
    if corners.shape[2] > 1:
        return _boxes(corners[:, :, :2])
    count = len(corners)
    return np.stack(
        [
            corners[:, 0, 0], np.full(count, row - 0.3), corners[:, 1, 0],
            np.full(count, row + 0.3),
        ],
        axis=1,
    )  # fmt: skip


def register_bits(policy: LogLi) -> NDArray[np.float64]:
    """(registers, 2, 20) bits as 0 and 1, the lowest last; NaN where a register has no bit."""
    rows, columns = _BLOCK
    codes = policy.codes()
    bits = np.full((len(codes), rows * columns), np.nan)
    for number, (code, size) in enumerate(codes):
        for place in range(size):
            bits[number, rows * columns - 1 - place] = (code >> place) & 1
    return bits.reshape(len(codes), rows, columns)
