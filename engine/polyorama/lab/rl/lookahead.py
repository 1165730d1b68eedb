"""One step ahead under a table of chances, compiled: means, second moments and the best action.

A table is sparse or dense. Sparse, it has a row for each successor that was met and `successors`
says which state that is; dense, it has a row for every state and `successors` is empty. Columns are
pairs, ``action * states + state``. Loops run along columns, which the compiler turns into vectors.
"""

from __future__ import annotations

from polyorama.core.compile import kernel

__all__ = ["expect", "expect_moments", "take_best"]


@kernel
def expect(chances, successors, values, mean):
    """Mean of `values` after each pair."""
    rows, pairs = chances.shape
    if len(successors):
        for i in range(pairs):
            mean[i] = chances[0, i] * values[successors[0, i]]
        row = 1
        while row + 2 <= rows:  # two at a time: half as many passes over `mean`
            for i in range(pairs):
                mean[i] += (
                    chances[row, i] * values[successors[row, i]]
                    + chances[row + 1, i] * values[successors[row + 1, i]]
                )
            row += 2
        if row < rows:
            for i in range(pairs):
                mean[i] += chances[row, i] * values[successors[row, i]]
        return
    for i in range(pairs):
        mean[i] = 0.0
    row = 0
    while row + 4 <= rows:
        a, b, c, d = values[row], values[row + 1], values[row + 2], values[row + 3]
        for i in range(pairs):
            mean[i] += (
                chances[row, i] * a
                + chances[row + 1, i] * b
                + chances[row + 2, i] * c
                + chances[row + 3, i] * d
            )
        row += 4
    while row < rows:
        a = values[row]
        for i in range(pairs):
            mean[i] += chances[row, i] * a
        row += 1


@kernel
def expect_moments(chances, successors, values, squares, mean, second):
    """Mean of `values` and of `squares`, their squares, after each pair."""
    rows, pairs = chances.shape
    if len(successors):
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
        return
    for i in range(pairs):
        mean[i] = 0.0
        second[i] = 0.0
    row = 0
    while row + 4 <= rows:
        a, b, c, d = values[row], values[row + 1], values[row + 2], values[row + 3]
        a2, b2, c2, d2 = squares[row], squares[row + 1], squares[row + 2], squares[row + 3]
        for i in range(pairs):
            p, q = chances[row, i], chances[row + 1, i]
            r, s = chances[row + 2, i], chances[row + 3, i]
            mean[i] += p * a + q * b + r * c + s * d
            second[i] += p * a2 + q * b2 + r * c2 + s * d2
        row += 4
    while row < rows:
        a, a2 = values[row], squares[row]
        for i in range(pairs):
            mean[i] += chances[row, i] * a
            second[i] += chances[row, i] * a2
        row += 1


@kernel
def take_best(quality, ceiling, values, policy):
    """Write the best of min(quality, ceiling) over actions, and the first action that has it."""
    states = len(values)
    for s in range(states):
        values[s] = min(quality[s], ceiling)
        policy[s] = 0
    for action in range(1, len(quality) // states):
        of_action = quality[action * states : (action + 1) * states]
        for s in range(states):
            value, best = min(of_action[s], ceiling), values[s]
            policy[s] = action if value > best else policy[s]
            values[s] = value if value > best else best
