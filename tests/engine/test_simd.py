"""Eight lanes against numpy in float64."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core import simd
from polyorama.core.compile import kernel, parallel_for, ranges


@kernel
def _powers(values, results):
    for i in range(0, values.size, 8):
        simd.store(results, i, simd.exp2(simd.load(values, i)))


@kernel
def _logarithms(values, results):
    for i in range(0, values.size, 8):
        simd.store(results, i, simd.log2(simd.load(values, i)))


@kernel
def _arithmetic(a, b, results):
    x, y = simd.load(a, 0), simd.load(b, 0)
    simd.store(results, 0, (x + y) * x - y / x)
    simd.store(results, 8, simd.maximum(x, y) + simd.minimum(x, y) * 2.0)
    simd.store(results, 16, simd.select_greater(x, y, x, simd.lanes(x)))
    simd.store(results, 24, simd.sqrt(simd.fill(a, 2.0) * x * x))
    simd.store(results, 32, simd.negative_magnitude(y))
    results[40] = simd.total(x)
    return simd.which_greater(x, y)


@kernel
def _columns(rows3, rows4, results):
    a, b, c = simd.load_three_columns(rows3, 0)
    d, e, f, g = simd.load_four_columns(rows4, 0)
    simd.store(results, 0, a)
    simd.store(results, 8, b)
    simd.store(results, 16, c)
    simd.store(results, 24, d)
    simd.store(results, 32, e)
    simd.store(results, 40, f)
    simd.store(results, 48, g)


PRECISIONS = pytest.mark.parametrize(
    ("dtype", "error"), [(np.float32, 3e-7), (np.float64, 1e-15)], ids=["float32", "float64"]
)


@PRECISIONS
def test_exp2(dtype, error):
    x = np.linspace(-100, 100, 80000, dtype=dtype)
    result = np.empty_like(x)
    _powers(x, result)
    assert np.abs(result / np.exp2(x.astype(np.float64)) - 1).max() < error


@PRECISIONS
def test_log2(dtype, error):
    x = np.geomspace(1e-30, 1e30, 80000).astype(dtype)
    result = np.empty_like(x)
    _logarithms(x, result)
    exact = np.log2(x.astype(np.float64))
    assert (np.abs(result - exact) <= 4 * error + error * np.abs(exact)).all()


@PRECISIONS
def test_arithmetic(dtype, error):
    rng = np.random.default_rng(1)
    a = rng.uniform(1, 3, 8).astype(dtype)
    b = (rng.normal(size=8) * 3).astype(dtype)
    result = np.empty(41, dtype)
    mask = _arithmetic(a, b, result)
    x, y = a.astype(np.float64), b.astype(np.float64)
    expected = [
        (x + y) * x - y / x,
        np.maximum(x, y) + np.minimum(x, y) * 2,
        np.where(x > y, x, np.arange(8)),
        np.sqrt(2) * x,
        -np.abs(y),
    ]
    assert np.allclose(result[:40].reshape(5, 8), expected, rtol=4 * error, atol=8 * error)
    assert np.isclose(result[40], x.sum(), rtol=4 * error)
    assert mask == sum(1 << i for i in range(8) if a[i] > b[i])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns(dtype):
    rows3 = np.arange(24, dtype=dtype)
    rows4 = np.arange(32, dtype=dtype) + 100
    result = np.empty(56, dtype)
    _columns(rows3, rows4, result)
    assert np.array_equal(result[:24].reshape(3, 8), rows3.reshape(8, 3).T)
    assert np.array_equal(result[24:].reshape(4, 8), rows4.reshape(8, 4).T)


def test_parallel_for_gives_results_in_order_and_raises():
    assert parallel_for(lambda part, a, b: (part, a, b), 10, 3) == [
        (0, 0, 3),
        (1, 3, 6),
        (2, 6, 10),
    ]
    assert ranges(2, 5) == [(0, 1), (1, 2)]

    def fail(part, start, stop):
        if part == 2:
            raise ValueError("part two")

    with pytest.raises(ValueError, match="part two"):
        parallel_for(fail, 10, 4)
