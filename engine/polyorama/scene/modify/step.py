"""The splats between two modifiers, and what a modifier knows: what every family works on."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import parallel_for, ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polyorama.scene.splats import SplatCloud

__all__ = [
    "ARRAYS",
    "DELETED",
    "HIDDEN",
    "IDENTITY",
    "LOCKED",
    "NO_INDEX",
    "SELECTED",
    "Place",
    "Step",
    "changes",
    "flags_of",
    "in_parts",
]  # fmt: skip

SELECTED, HIDDEN, DELETED, LOCKED = 1, 2, 4, 8
"""Bits of a splat's state."""

ARRAYS = ("means", "quats", "scales", "opacities", "sh")
"""Arrays of a cloud that modifiers change."""

IDENTITY: NDArray[np.float64] = np.eye(3, 4)[None]
"""The palette of splats that have none."""
NO_INDEX: NDArray[np.uint16] = np.empty(0, np.uint16)
"""For kernels, the index of splats that have no palette."""
# As read-only as palettes are: kernels are compiled for one kind of array only.
IDENTITY.flags.writeable = NO_INDEX.flags.writeable = False


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Splats as they are after some modifiers.

    Parameters
    ----------
    source
        The cloud that gives whatever no modifier changes; as many splats.
    means, quats, scales, opacities, sh
        As in a cloud, before the palette moves them; the very arrays of the source where nothing
        changed them.
    palette
        (P, 3, 4) float64 affine maps, the first of them the identity; None where nothing moved.
    palette_index
        (N,) uint16, which of them moves a splat; None with no palette.
    gone
        (N,) uint8, `DELETED` for splats that were removed, else 0; None where none was.
    rows
        (N,) int64, the splat of the node's own cloud that each comes from; None where they are the
        same ones in the same order.
    """

    source: SplatCloud
    means: NDArray[np.float32]
    quats: NDArray[np.float32]
    scales: NDArray[np.float32]
    opacities: NDArray[np.float32]
    sh: NDArray[np.float32]
    palette: NDArray[np.float64] | None = None
    palette_index: NDArray[np.uint16] | None = None
    gone: NDArray[np.uint8] | None = None
    rows: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, cloud: SplatCloud) -> Step:
        """A cloud that no modifier has touched."""
        return cls(cloud, *(getattr(cloud, name) for name in ARRAYS))

    def __len__(self) -> int:
        return len(self.means)

    def cloud(self) -> SplatCloud:
        """The arrays as a cloud, before the palette; the source itself where nothing changed."""
        changed = {n: getattr(self, n) for n in ARRAYS}
        if all(array is getattr(self.source, name) for name, array in changed.items()):
            return self.source
        return replace(self.source, **changed)

    def maps(self) -> tuple[NDArray[np.float64], NDArray[np.uint16]]:
        """Palette and index for kernels: with no palette the identity and an empty index."""
        if self.palette is None or self.palette_index is None:
            return IDENTITY, NO_INDEX
        return self.palette, self.palette_index


_FIELDS = tuple(f.name for f in dataclasses.fields(Step))


def changes(before: Step, after: Step) -> dict[str, Any]:
    """Fields of a step that are other objects than before."""
    return {
        name: getattr(after, name)
        for name in _FIELDS
        if getattr(after, name) is not getattr(before, name)
    }


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """What a modifier knows besides the splats and its own fields.

    Parameters
    ----------
    chosen
        (N,) bool, which splats it changes, or None for all.
    time
        Seconds on the timeline.
    shape
        Form of the volume node that a crop takes its place from, else "".
    volume
        (4, 4) float64, that volume to the splat node's own space.
    """

    chosen: NDArray[np.bool_] | None = None
    time: float = 0.0
    shape: str = ""
    volume: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))


def flags_of(chosen: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """For kernels: which splats are chosen; an empty array stands for all."""
    return np.empty(0, np.bool_) if chosen is None else chosen


def in_parts(count: int, work: Callable[[int, int], Any]) -> None:
    """Call ``work(start, stop)`` for parts of ``range(count)`` on all cores."""
    if count:
        parallel_for(lambda _, start, stop: work(start, stop), count, len(ranges(count, 16)))
