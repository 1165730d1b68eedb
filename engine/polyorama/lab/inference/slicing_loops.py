"""Loops of slicing that are compiled: projections, moments, polynomials, sorting, repulsion."""

from __future__ import annotations

import numpy as np

from polyorama.core.compile import kernel

__all__ = [
    "CHUNK", "PARTS", "TERMS", "evaluate", "evaluate_vectors", "repulsion", "sorted_gradient",
    "sorted_sum", "spread",
]  # fmt: skip

TERMS = 8
"""Coefficients of the polynomial in a cell."""
CHUNK = 1024
"""Points that are projected at once; their coordinates stay in a core's cache."""
PARTS = 8
"""Pieces of work of one pass; fixed, so that sums do not depend on the number of cores."""
_BLOCK = 4
"""Lines whose cells are filled in turn before the next points are read."""
_DIGIT = 11
"""Bits that one pass of the radix sort looks at."""
_PASSES = 3


@kernel
def _project(points, first, count, direction, factor, shift, places):
    """places[i] = factor * <direction, points[:, first + i]> + shift."""
    for i in range(count):
        places[i] = shift
    for j in range(points.shape[0]):
        part = factor * direction[j]
        row = points[j]
        for i in range(count):
            places[i] += part * row[first + i]


@kernel
def spread(points, weights, directions, scale, moments):
    """Add w u^k of (d, N) points to the cells of each line; moments are (P, C, 8)."""
    cells = moments.shape[1]
    places = np.empty(CHUNK)
    for block in range(0, len(directions), _BLOCK):
        for first in range(0, len(weights), CHUNK):
            count = min(CHUNK, len(weights) - first)
            for p in range(block, min(block + _BLOCK, len(directions))):
                _project(points, first, count, directions[p], scale * cells, 0.5 * cells, places)
                line = moments[p]
                for i in range(count):
                    cell = min(max(int(places[i]), 0), cells - 1)
                    u = 2.0 * (places[i] - cell) - 1.0
                    u2 = u * u
                    u4 = u2 * u2
                    w = weights[first + i]
                    moment = line[cell]
                    moment[0] += w
                    moment[1] += w * u
                    moment[2] += w * u2
                    moment[3] += w * (u * u2)
                    moment[4] += w * u4
                    moment[5] += w * (u * u4)
                    moment[6] += w * (u2 * u4)
                    moment[7] += w * (u * u2 * u4)


@kernel
def _value(polynomial, u):
    u2 = u * u
    low = (polynomial[0] + u * polynomial[1]) + u2 * (polynomial[2] + u * polynomial[3])
    high = (polynomial[4] + u * polynomial[5]) + u2 * (polynomial[6] + u * polynomial[7])
    return low + (u2 * u2) * high


@kernel
def evaluate(points, polynomials, directions, scale, result):
    """Add the values of all lines at (d, N) points to (N,) results."""
    cells = polynomials.shape[1]
    places = np.empty(CHUNK)
    for first in range(0, len(result), CHUNK):
        count = min(CHUNK, len(result) - first)
        for p in range(len(directions)):
            _project(points, first, count, directions[p], scale * cells, 0.5 * cells, places)
            line = polynomials[p]
            for i in range(count):
                cell = min(max(int(places[i]), 0), cells - 1)
                result[first + i] += _value(line[cell], 2.0 * (places[i] - cell) - 1.0)


@kernel
def evaluate_vectors(points, polynomials, directions, scale, result):
    """Add the values of all lines, times their directions, at (d, N) points to (d, N) results."""
    cells = polynomials.shape[1]
    places = np.empty(CHUNK)
    for first in range(0, points.shape[1], CHUNK):
        count = min(CHUNK, points.shape[1] - first)
        for p in range(len(directions)):
            _project(points, first, count, directions[p], scale * cells, 0.5 * cells, places)
            line = polynomials[p]
            for i in range(count):
                cell = min(max(int(places[i]), 0), cells - 1)
                places[i] = _value(line[cell], 2.0 * (places[i] - cell) - 1.0)
            for j in range(points.shape[0]):
                part = directions[p, j]
                row = result[j]
                for i in range(count):
                    row[first + i] += part * places[i]


@kernel
def _order(values, keys, spare):
    """Fill keys with packed words whose low 31 bits are the rows of `values` in rising order.

    A radix sort over 33 bits of where a value lies between the ends, then insertion for those few
    that fell together. `spare` is of the length of `keys`.
    """
    count = len(values)
    low = values[0]
    high = values[0]
    for i in range(count):
        low = min(low, values[i])
        high = max(high, values[i])
    factor = 0.0
    if high > low:
        factor = (2.0**33 - 1.0) / (high - low)
    sizes = np.zeros((_PASSES, 1 << _DIGIT), np.int64)
    mask = np.uint64((1 << _DIGIT) - 1)
    for i in range(count):
        place = np.uint64((values[i] - low) * factor)
        keys[i] = (place << np.uint64(31)) | np.uint64(i)
        for r in range(_PASSES):
            sizes[r, (place >> np.uint64(r * _DIGIT)) & mask] += 1
    for r in range(_PASSES):
        start = 0
        for digit in range(1 << _DIGIT):
            size = sizes[r, digit]
            sizes[r, digit] = start
            start += size
        shift = np.uint64(31 + r * _DIGIT)
        for i in range(count):
            digit = (keys[i] >> shift) & mask
            spare[sizes[r, digit]] = keys[i]
            sizes[r, digit] += 1
        keys, spare = spare, keys
    rows = np.uint64((1 << 31) - 1)
    for i in range(1, count):
        key = keys[i]
        value = values[key & rows]
        j = i
        while j > 0 and values[keys[j - 1] & rows] > value:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key
    return keys


@kernel
def sorted_sum(points, weights, directions, result):
    """Add sum_n w_n |<xi, z_n - z_i>| over lines to (N,) results, for (d, N) points z.

    In rising order, with W the sum of weights: the first by its definition, then
    pot_i = pot_{i-1} - (z_i - z_{i-1}) (W - 2 cumsum(w)_{i-1}).
    """
    count = points.shape[1]
    rows = np.uint64((1 << 31) - 1)
    places = np.empty(count)
    keys = np.empty(count, np.uint64)
    spare = np.empty(count, np.uint64)
    for p in range(len(directions)):
        _project(points, 0, count, directions[p], 1.0, 0.0, places)
        order = _order(places, keys, spare)
        previous = places[order[0] & rows]
        total = 0.0
        value = 0.0
        for n in range(count):
            total += weights[n]
            value += weights[n] * (places[n] - previous)
        below = 0.0
        for i in range(count):
            n = order[i] & rows
            value -= (places[n] - previous) * (total - 2.0 * below)
            result[n] += value
            below += weights[n]
            previous = places[n]


@kernel
def sorted_gradient(points, weights, directions, wanted, result):
    """Add xi sum_n w_n sign(<xi, z_i - z_n>) over lines to (d, wanted) results, for (d, N) points.

    Those are the gradients of `sorted_sum`, 2 cumsum(w) - W, of the first `wanted` points; points
    at one place do not pull at each other. Returns the sum over lines of sum_nm w_n w_m
    |<xi, z_n - z_m>|, which is 2 int C (W - C) with C the weights below.
    """
    count = points.shape[1]
    rows = np.uint64((1 << 31) - 1)
    places = np.empty(count)
    pulls = np.empty(count)
    keys = np.empty(count, np.uint64)
    spare = np.empty(count, np.uint64)
    total = weights.sum()
    apart = 0.0
    for p in range(len(directions)):
        _project(points, 0, count, directions[p], 1.0, 0.0, places)
        order = _order(places, keys, spare)
        below = 0.0
        previous = places[order[0] & rows]
        i = 0
        while i < count:
            place = places[order[i] & rows]
            apart += 2.0 * below * (total - below) * (place - previous)
            previous = place
            here = 0.0
            last = i
            while last < count and places[order[last] & rows] == place:
                here += weights[order[last] & rows]
                last += 1
            for j in range(i, last):
                pulls[order[j] & rows] = 2.0 * below + here - total
            below += here
            i = last
        for j in range(points.shape[0]):
            part = directions[p, j]
            row = result[j]
            for n in range(wanted):
                row[n] += part * pulls[n]
    return apart


@kernel
def repulsion(directions, start, stop, forces):
    """Forces and energies of directions and their opposites that repel as by -distance.

    Writes sum_q (xi_p - xi_q) / |xi_p - xi_q| + (xi_p + xi_q) / |xi_p + xi_q|, without its part
    along xi_p, for p in [start, stop), to (P, d) forces; returns
    sum_pq |xi_p - xi_q| + |xi_p + xi_q|.
    """
    count, dimension = directions.shape
    energy = 0.0
    for p in range(start, stop):
        for j in range(dimension):
            forces[p, j] = 0.0
        for q in range(count):
            if q == p:
                energy += 2.0
                continue
            cosine = 0.0
            for j in range(dimension):
                cosine += directions[p, j] * directions[q, j]
            near = np.sqrt(max(2.0 - 2.0 * cosine, 1e-24))
            far = np.sqrt(max(2.0 + 2.0 * cosine, 1e-24))
            energy += near + far
            pull = 1.0 / far - 1.0 / near
            for j in range(dimension):
                forces[p, j] += pull * directions[q, j]
        along = 0.0
        for j in range(dimension):
            along += forces[p, j] * directions[p, j]
        for j in range(dimension):
            forces[p, j] -= along * directions[p, j]
    return energy
