"""Codebooks and palettes against plain k-means, in quality and in what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.io import kmeans


def mean_error(points, centroids, labels):
    difference = points.astype(np.float64) - centroids[labels]
    return float((difference**2).sum(axis=1).mean())


def nearest(points, centroids):
    squares = ((points[:, None] - centroids[None]) ** 2).sum(axis=2)
    return squares.argmin(axis=1)


def plain_kmeans(points, size, passes, seed):
    """Lloyd's algorithm as in the textbook, float64."""
    rng = np.random.default_rng(seed)
    points = points.astype(np.float64)
    centroids = points[rng.choice(len(points), size, replace=False)]
    for _ in range(passes):
        squares = (centroids**2).sum(axis=1) - 2 * points @ centroids.T
        labels = squares.argmin(axis=1)
        for k in np.unique(labels):
            centroids[k] = points[labels == k].mean(axis=0)
    squares = (centroids**2).sum(axis=1) - 2 * points @ centroids.T
    return centroids, squares.argmin(axis=1)


def harmonics(count, width, seed=0):
    """Points that cluster like harmonics do: some materials, each with its variations."""
    rng = np.random.default_rng(seed)
    materials = rng.normal(size=(40, width)) * 0.15
    directions = rng.normal(size=(8, width)) * 0.05
    points = materials[rng.integers(0, 40, count)] + rng.normal(size=(count, 8)) @ directions
    return (points + rng.normal(size=points.shape) * 0.02).astype(np.float32)


@pytest.mark.parametrize("width", [9, 24, 45])
def test_a_palette_is_as_good_as_plain_kmeans(width):
    points = harmonics(6000, width)
    centroids, labels = kmeans.palette(points, 512)
    assert centroids.shape == (512, width)
    assert labels.dtype == np.uint16
    _, reference = pair = plain_kmeans(points, 512, 10, 1)
    assert mean_error(points, centroids, labels) <= 1.06 * mean_error(points, *pair)
    assert len(np.unique(labels)) >= 0.98 * len(np.unique(reference))


def test_labels_are_nearest_centroids():
    points = harmonics(3000, 9)
    centroids, labels = kmeans.palette(points, 256)
    assert (nearest(points, centroids) == labels).mean() > 0.97


def test_the_same_seed_gives_the_same_palette(monkeypatch):
    points = harmonics(20_000, 9)
    first = kmeans.palette(points, 256, passes=3)
    monkeypatch.setenv("POLYORAMA_CORES", "1")
    second = kmeans.palette(points, 256, passes=3)
    assert np.array_equal(first[0], second[0])
    assert np.array_equal(first[1], second[1])
    third = kmeans.palette(points, 256, passes=3, seed=1)
    assert not np.array_equal(first[0], third[0])


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 512])
def test_as_many_centroids_as_points_lose_nothing(count):
    points = harmonics(count, 24)
    centroids, labels = kmeans.palette(points, count)
    assert np.allclose(centroids[labels], points, atol=1e-6)


def test_equal_points_do_no_harm():
    points = np.repeat(harmonics(10, 9), 300, axis=0)
    centroids, labels = kmeans.palette(points, 256)
    assert np.isfinite(centroids).all()
    assert np.allclose(centroids[labels], points, atol=1e-6)


def test_a_codebook_of_few_values_holds_them_all():
    values = np.array([3, 1, 2, 1, 3], np.float32)
    codes = kmeans.codebook(values)
    assert codes.shape == (256,)
    assert np.array_equal(codes[kmeans.encode(values, codes)], values)
    assert np.array_equal(codes, np.sort(codes))


@pytest.mark.parametrize("shape", ["normal", "heavy", "uniform", "two"])
def test_a_codebook_beats_even_steps_and_has_no_large_error(shape):
    rng = np.random.default_rng(0)
    values = {
        "normal": rng.normal(size=200_000),
        "heavy": rng.standard_t(3, size=200_000),
        "uniform": rng.uniform(size=200_000),
        "two": np.concatenate([rng.normal(-9, 0.1, 100_000), rng.normal(5, 1, 100_000)]),
    }[shape].astype(np.float32)
    codes = kmeans.codebook(values)
    error = np.abs(codes[kmeans.encode(values, codes)].astype(np.float64) - values)
    step = np.ptp(values) / 255
    assert np.sqrt((error**2).mean()) <= 1.02 * step / 12**0.5
    assert error.max() <= 4 * step


def test_a_large_codebook_input_is_sampled_with_its_extremes():
    values = np.zeros(3_000_000, np.float32)
    values[::3] = np.linspace(-1, 1, 1_000_000)
    values[1_234_567] = 50
    codes = kmeans.codebook(values)
    assert abs(codes[-1] - 50) < 1


def test_encode_picks_the_nearest():
    rng = np.random.default_rng(0)
    codes = np.sort(rng.normal(size=256)).astype(np.float32)
    values = rng.normal(size=(1000, 3)).astype(np.float32)
    index = kmeans.encode(values, codes)
    assert index.shape == values.shape
    error = np.abs(values - codes[index])
    assert np.allclose(error, np.abs(values[..., None] - codes).min(axis=-1))
