"""Whether numbers that were drawn are as they should be: Z-tests with Sidak's correction."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

ERROR_RATE = 1e-4
"""Of a whole test: of ten thousand choices of its seeds, one would fail although all is right."""


def assert_normal(scores) -> None:
    """Assert that all of these are what a standard normal distribution gives."""
    values = np.abs(np.asarray(scores, np.float64)).ravel()
    each = 1.0 - (1.0 - ERROR_RATE) ** (1.0 / len(values))
    limit = NormalDist().inv_cdf(1.0 - each / 2.0)
    assert values.max() < limit, f"{(values >= limit).sum()} of {len(values)} beyond {limit:.2f}"


def scores_of_normal(samples) -> np.ndarray:
    """Scores of the mean and of the variance of (n, ...) samples that shall be standard normal.

    The sum of their squares has a chi-squared distribution, made normal as by Wilson and Hilferty.
    """
    array = np.asarray(samples, np.float64)
    count = len(array)
    of_mean = array.mean(axis=0) * np.sqrt(count)
    cube = np.cbrt((array**2).mean(axis=0))
    of_variance = (cube - 1.0 + 2.0 / (9.0 * count)) / np.sqrt(2.0 / (9.0 * count))
    return np.stack([of_mean, of_variance])


def scores_of_mean(samples, expected: float) -> np.ndarray:
    """Scores of the mean of (n, ...) samples by their own spread.

    That has Student's t distribution, made normal as by Wallace.
    """
    array = np.asarray(samples, np.float64)
    freedom = len(array) - 1
    t = (array.mean(axis=0) - expected) / (array.std(axis=0, ddof=1) / np.sqrt(len(array)))
    stretch = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
    return np.sign(t) * stretch * np.sqrt(freedom * np.log1p(t * t / freedom))


def scores_of_shares(counts, shares) -> np.ndarray:
    """Scores of how often each kind came, of kinds that shall come in given shares."""
    observed, expected = np.asarray(counts, np.float64), np.asarray(shares, np.float64)
    total = observed.sum()
    return (observed - total * expected) / np.sqrt(total * expected * (1.0 - expected))
