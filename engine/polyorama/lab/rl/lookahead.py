"""One step ahead under a table of chances: means, second moments and the best action.

A table is sparse or dense. Sparse, it has a row for each successor that was met, and `successors`
says which state that is; dense, it has a row for every state, and `successors` is None. Columns are
pairs, ``action * states + state``. Loops run along columns, which the compiler turns into vectors;
where the table is dense, they are vectors by construction and sums stay in registers.

These are parts of kernels, not kernels: written into each caller, which halves its time, as the
compiler then knows that its arrays do not overlap.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from polyorama.core.simd import WIDTH, fill, load, store

__all__ = ["expect", "expect_moments", "take_best"]

_inlined = njit(forceinline=True, nogil=True, error_model="numpy", fastmath={"contract"})


@_inlined
def expect(gain, chances, successors, values, quality):
    """Write the gain of each pair and the mean of `values` after it."""
    if successors is None:
        _expect_dense(gain, chances, values, quality)
    else:
        _expect_sparse(gain, chances, successors, values, quality)


@_inlined
def _expect_sparse(gain, chances, successors, values, quality):
    rows, pairs = chances.shape
    for i in range(pairs):
        quality[i] = gain[i] + chances[0, i] * values[successors[0, i]]
    row = 1
    while row + 2 <= rows:  # two at a time: half as many passes over `quality`
        for i in range(pairs):
            quality[i] += (
                chances[row, i] * values[successors[row, i]]
                + chances[row + 1, i] * values[successors[row + 1, i]]
            )
        row += 2
    if row < rows:
        for i in range(pairs):
            quality[i] += chances[row, i] * values[successors[row, i]]


@_inlined
def _expect_dense(gain, chances, values, quality):
    rows, pairs = chances.shape
    i = 0
    while i + 2 * WIDTH <= pairs:
        first, second = load(gain, i), load(gain, i + WIDTH)
        for row in range(rows):
            value = fill(first, values[row])
            first = load(chances, row * pairs + i) * value + first
            second = load(chances, row * pairs + i + WIDTH) * value + second
        store(quality, i, first)
        store(quality, i + WIDTH, second)
        i += 2 * WIDTH
    while i + WIDTH <= pairs:
        first = load(gain, i)
        for row in range(rows):
            first = load(chances, row * pairs + i) * fill(first, values[row]) + first
        store(quality, i, first)
        i += WIDTH
    while i < pairs:
        quality[i] = gain[i]
        for row in range(rows):
            quality[i] += chances[row, i] * values[row]
        i += 1


@_inlined
def expect_moments(chances, successors, values, squares, mean, second):
    """Mean of `values` and of `squares`, their squares, after each pair."""
    if successors is None:
        _moments_dense(chances, values, squares, mean, second)
    else:
        _moments_sparse(chances, successors, values, mean, second)


@_inlined
def _moments_sparse(chances, successors, values, mean, second):
    rows, pairs = chances.shape
    for i in range(pairs):
        value = values[successors[0, i]]
        part = chances[0, i] * value
        mean[i] = part
        second[i] = part * value
    row = 1
    while row + 2 <= rows:
        for i in range(pairs):
            value, other = values[successors[row, i]], values[successors[row + 1, i]]
            part, rest = chances[row, i] * value, chances[row + 1, i] * other
            mean[i] += part + rest
            second[i] += part * value + rest * other
        row += 2
    if row < rows:
        for i in range(pairs):
            value = values[successors[row, i]]
            part = chances[row, i] * value
            mean[i] += part
            second[i] += part * value


@_inlined
def _moments_dense(chances, values, squares, mean, second):
    rows, pairs = chances.shape
    i = 0
    while i + WIDTH <= pairs:
        of_values, of_squares = fill(mean, 0.0), fill(mean, 0.0)
        for row in range(rows):
            chance = load(chances, row * pairs + i)
            of_values = chance * fill(chance, values[row]) + of_values
            of_squares = chance * fill(chance, squares[row]) + of_squares
        store(mean, i, of_values)
        store(second, i, of_squares)
        i += WIDTH
    while i < pairs:
        mean[i] = second[i] = 0.0
        for row in range(rows):
            mean[i] += chances[row, i] * values[row]
            second[i] += chances[row, i] * squares[row]
        i += 1


@_inlined
def take_best(quality, ceiling, hopeful, values, policy):
    """Write the best of min(quality, ceiling) over two or more actions, and one that has it.

    Of several at the ceiling, the first is taken; or, with `hopeful`, that of the largest quality.
    """
    states = len(values)
    limit = np.inf if hopeful else ceiling
    for s in range(states):
        first, other = min(quality[s], limit), min(quality[states + s], limit)
        policy[s] = 1 if other > first else 0
        values[s] = other if other > first else first
    for action in range(2, len(quality) // states):
        of_action = quality[action * states : (action + 1) * states]
        for s in range(states):
            value, best = min(of_action[s], limit), values[s]
            policy[s] = action if value > best else policy[s]
            values[s] = value if value > best else best
    if hopeful:
        for s in range(states):
            values[s] = min(values[s], ceiling)
