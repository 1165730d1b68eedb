"""Shared by the formats that are read and written in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama.scene.splats import SplatCloud, SplatModel

__all__ = ["PIECE", "Tags", "piece_ranges"]

PIECE = 1 << 18
"""Splats a piece: 62 MB of degree-3 splats."""


@dataclass(frozen=True, slots=True)
class Tags:
    """What a file says about all its pieces; where None, the first piece decides."""

    sh_degree: int | None = None
    model: SplatModel | None = None
    up: tuple[float, float, float] | None = None
    comments: tuple[str, ...] | None = None

    def completed(
        self, first: SplatCloud
    ) -> tuple[int, SplatModel, tuple[float, float, float] | None, tuple[str, ...]]:
        """Degree, model, up direction and comments, once the first piece is there."""
        return (
            first.sh_degree if self.sh_degree is None else self.sh_degree,
            first.model if self.model is None else self.model,
            first.up if self.up is None else self.up,
            first.comments if self.comments is None else self.comments,
        )


def piece_ranges(count: int, size: int) -> Iterator[tuple[int, int]]:
    """First row and number of rows of each piece of `size`; the last one may be shorter.

    Raises
    ------
    UsageError
        If a piece would hold nothing.
    """
    if size < 1:
        raise UsageError(f"A piece of {size} splats is too small.")
    for start in range(0, count, size):
        yield start, min(size, count - start)
