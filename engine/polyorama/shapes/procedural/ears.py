"""Polygons cut into triangles, ear by ear (G. H. Meisters, 1975)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ears"]


def ears(outline: NDArray[np.float64]) -> NDArray[np.int32]:
    """(N - 2, 3) int32: a simple polygon, counter-clockwise, cut into triangles ear by ear."""
    count = len(outline)
    ahead = np.roll(outline, -1, axis=0) - outline
    after = np.roll(ahead, -1, axis=0)
    turns = ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0]
    k = np.arange(1, count - 1)
    if (turns >= -1e-12).all():
        return np.stack([0 * k, k, k + 1], axis=1).astype(np.int32)
    left, found = list(range(count)), []
    while len(left) > 3:
        for place in range(len(left)):
            a, b, c = (left[(place + step) % len(left)] for step in (-1, 0, 1))
            if _is_ear(outline, (a, b, c), left):
                break
        else:
            # Numbers so close that no ear is seen: any cut is as good as another.
            place, (a, b, c) = 0, (left[-1], left[0], left[1])
        found.append((a, b, c))
        del left[place]
    return np.array([*found, left], np.int32)


def _is_ear(outline: NDArray[np.float64], ear: tuple[int, int, int], left: list[int]) -> bool:
    a, b, c = (outline[i] for i in ear)
    if (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) <= 1e-14:
        return False
    others = outline[[i for i in left if i not in ear]]
    inside = np.ones(len(others), bool)
    for start, end in ((a, b), (b, c), (c, a)):
        edge, away = end - start, others - start
        inside &= edge[0] * away[:, 1] - edge[1] * away[:, 0] >= 0
    return not inside.any()
