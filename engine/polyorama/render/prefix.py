"""Which splats a state draws: all, or a coarse prefix in order of importance."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.render.state import Gaussians
    from polyorama.scene.splats import SplatCloud

__all__ = ["limited"]

_lock = threading.Lock()
_PREFIXES = 4
"""How many coarse versions of a cloud are kept: a governor moves among a few."""


def limited(
    gaussians: Gaussians, limit: int | None
) -> tuple[SplatCloud, NDArray[np.float32] | None, NDArray[np.int32] | None]:
    """The splats to draw, their features, and their names where they are a coarse prefix."""
    cloud, features = gaussians.cloud, gaussians.features
    if limit is None or limit >= len(cloud):
        return cloud, features, None
    limit = max(limit, 0)
    with _lock:  # two renders may run at once
        kept: dict[int, Any] = gaussians.cache.setdefault("prefixes", {})
        if limit not in kept:
            if "importance" not in gaussians.cache:
                gaussians.cache["importance"] = cloud.importance_order()
            names = np.sort(gaussians.cache["importance"][:limit])
            while len(kept) >= _PREFIXES:
                kept.pop(next(iter(kept)))
            kept[limit] = (
                cloud.subset(names), None if features is None else features[names], names,
            )  # fmt: skip
        return kept[limit]  # type: ignore[no-any-return]
