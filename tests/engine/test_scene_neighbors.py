"""Nearest neighbours against brute force in float64."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.scene.neighbors import KdTree


def brute(points, queries, count):
    d = np.linalg.norm(points[None].astype(float) - queries[:, None].astype(float), axis=2)
    return np.sort(d, axis=1)[:, :count]


@pytest.mark.parametrize("size", [1, 2, 12, 13, 100, 5000])
@pytest.mark.parametrize("kind", ["cloud", "line", "clumps"])
def test_distances_agree_with_brute_force(size, kind):
    rng = np.random.default_rng(size)
    points = rng.normal(size=(size, 3))
    if kind == "line":
        points *= [1, 0, 0]
    if kind == "clumps":
        points = np.round(points)
    points = points.astype(np.float32)
    queries = rng.normal(size=(50, 3)).astype(np.float32) * 2
    count = min(4, size)
    rows, distances = KdTree.of(points).nearest(queries, count)
    np.testing.assert_allclose(distances, brute(points, queries, count), rtol=1e-5, atol=1e-6)
    again = np.linalg.norm(points[rows] - queries[:, None], axis=2)
    np.testing.assert_allclose(again, distances, rtol=1e-5, atol=1e-6)


def test_neighbors_leave_out_the_point_itself():
    points = np.random.default_rng(1).normal(size=(3000, 3)).astype(np.float32)
    tree = KdTree.of(points)
    found, distances = tree.neighbors(3)
    assert (found != np.arange(3000)[:, None]).all()
    np.testing.assert_allclose(
        distances, brute(tree.points, tree.points, 4)[:, 1:], rtol=1e-5, atol=1e-6
    )
    np.testing.assert_array_equal(points[tree.rows], tree.points)


def test_broken_rows_are_left_out_and_lacking_ones_marked():
    points = np.array([[0, 0, 0], [np.nan, 0, 0], [1, 0, 0], [np.inf, 0, 0]], np.float32)
    rows, distances = KdTree.of(points).nearest([[0.9, 0, 0], [np.nan, 0, 0]], 3)
    assert rows.tolist() == [[2, 0, -1], [-1, -1, -1]]
    np.testing.assert_allclose(distances[0], [0.1, 0.9, np.inf], rtol=1e-5)
    rows, _ = KdTree.of(np.zeros((0, 3))).nearest([[0, 0, 0]])
    assert rows.tolist() == [[-1]]


def test_too_many_neighbours_are_refused():
    with pytest.raises(UsageError):
        KdTree.of(np.zeros((3, 3))).nearest(np.zeros((1, 3)), 100)
