"""Unit vectors and turns that are uniform, from which slices, features and targets are drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["haar", "heights", "iid", "orthogonal", "unit"]


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, d) vectors brought to length 1; the first axis stands in for those of length 0."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.where(lengths > 0.0, vectors, np.eye(1, vectors.shape[1]))
    return vectors / np.where(lengths > 0.0, lengths, 1.0)


def iid(dimension: int, count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """(count, dimension) unit vectors, independent and uniform on the sphere."""
    return unit(random.standard_normal((count, dimension)))


def haar(dimension: int, random: np.random.Generator) -> NDArray[np.float64]:
    """An orthogonal matrix by Haar's measure: QR of a Gaussian one, with the signs of R made +."""
    q, r = np.linalg.qr(random.standard_normal((dimension, dimension)))
    return q * np.where(np.diag(r) < 0.0, -1.0, 1.0)


def orthogonal(dimension: int, count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """(count, dimension) rows of independent Haar matrices, the last one cut."""
    blocks = [haar(dimension, random) for _ in range(math.ceil(count / dimension))]
    return np.concatenate(blocks)[:count]


def heights(dimension: int, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes t = |<xi, e>| and weights of a rule for means over all directions xi, both (count,).

    It is Gauss's, in the angle: c_d int g(t) (1 - t^2)^{(d-3)/2} dt with t = sin(angle).
    """
    nodes, weights = np.polynomial.legendre.leggauss(count)
    angles = (nodes + 1.0) * math.pi / 4
    shares = weights * np.cos(angles) ** (dimension - 2)
    return np.sin(angles), shares / shares.sum()
