"""Actions: edits of splat clouds as plain values, to be carried out one after the other.

A local action treats every splat by itself, so it can work on a file piece by piece. What it must
know about the whole (the up direction, what a repair has to do) it learns from a sample by `bind`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.core.types import frozen_array
from polyorama.edit import splat_ops
from polyorama.edit.repair import RepairPlan, plan_repair
from polyorama.errors import UsageError
from polyorama.scene.rotations import turn_between
from polyorama.scene.upright import estimate_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.rules import Rule
    from polyorama.scene.splats import SplatCloud

__all__ = [
    "Action",
    "Count",
    "CropBox",
    "CropSphere",
    "Decimate",
    "DropWhere",
    "Floaters",
    "LocalAction",
    "Morton",
    "Repair",
    "SetDegree",
    "Transform",
    "UpTo",
    "apply",
]


class Action(Protocol):
    """One edit."""

    @property
    def note(self) -> str:
        """What it does, for the person who waits, as "Decimating"."""

    def run(self, cloud: SplatCloud) -> Job[SplatCloud]:
        """Carry it out, as a job."""


class LocalAction(ABC):
    """An action on each splat by itself."""

    needs_sample = False
    """Whether `bind` looks at its sample."""
    note = "Editing"

    def bind(self, sample: SplatCloud) -> LocalAction:
        """The same action with everything decided that depends on the cloud as a whole."""
        del sample
        return self

    @abstractmethod
    def piece(self, cloud: SplatCloud, first_index: int) -> SplatCloud:
        """Carry it out on a piece that starts at row `first_index` of the whole."""

    def run(self, cloud: SplatCloud) -> Job[SplatCloud]:
        """Carry it out, as a job."""
        yield Progress(0, 1, self.note)
        return self.bind(cloud).piece(cloud, 0)


@dataclass(frozen=True)
class Transform(LocalAction):
    """An affine map, (4, 4) float64."""

    matrix: NDArray[np.float64]
    note = "Transforming"

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", frozen_array(self.matrix, np.float64, (4, 4)))

    def piece(self, cloud: SplatCloud, first_index: int) -> SplatCloud:
        """See `LocalAction.piece`."""
        return cloud.transformed(self.matrix)


@dataclass(frozen=True)
class UpTo(LocalAction):
    """Turns the cloud about the origin so that its up direction becomes `direction`, (3,)."""

    direction: tuple[float, float, float]
    needs_sample = True
    note = "Turning upright"

    def bind(self, sample: SplatCloud) -> LocalAction:
        """See `LocalAction.bind`."""
        up, _ = estimate_up(sample)
        matrix = np.eye(4)
        matrix[:3, :3] = turn_between(up, self.direction)
        return Transform(matrix)

    def piece(self, cloud: SplatCloud, first_index: int) -> SplatCloud:
        """See `LocalAction.piece`; unbound, the piece is its own sample."""
        return self.bind(cloud).piece(cloud, first_index)


@dataclass(frozen=True)
class SetDegree(LocalAction):
    """Sets the degree of the harmonics, 0 to 3."""

    degree: int
    note = "Setting the SH degree"

    def __post_init__(self) -> None:
        if self.degree not in (0, 1, 2, 3):
            raise UsageError(f"An SH degree of {self.degree} is not 0 to 3.")

    def piece(self, cloud: SplatCloud, first_index: int) -> SplatCloud:
        """See `LocalAction.piece`."""
        return cloud.with_sh_degree(self.degree)


@dataclass(frozen=True)
class DropWhere(LocalAction):
    """Drops the splats for which a rule holds; with `keep`, all others."""

    rule: Rule
    keep: bool = False
    note = "Applying a rule"

    def piece(self, cloud: SplatCloud, first_index: int) -> SplatCloud:
        """See `LocalAction.piece`."""
        if not self.keep:
            return splat_ops.drop(cloud, self.rule, first_index)
        return cloud.subset(self.rule.mask(cloud, first_index))


@dataclass(frozen=True)
class CropBox(LocalAction):
    """Keeps the splats inside (or outside) a box."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    outside: bool = False
    note = "Cropping"

    def piece(self, cloud: SplatCloud, first_index: int) -> SplatCloud:
        """See `LocalAction.piece`."""
        return splat_ops.crop_box(cloud, self.low, self.high, outside=self.outside)


@dataclass(frozen=True)
class CropSphere(LocalAction):
    """Keeps the splats inside (or outside) a sphere."""

    center: tuple[float, float, float]
    radius: float
    outside: bool = False
    note = "Cropping"

    def piece(self, cloud: SplatCloud, first_index: int) -> SplatCloud:
        """See `LocalAction.piece`."""
        return splat_ops.crop_sphere(cloud, self.center, self.radius, outside=self.outside)


@dataclass(frozen=True)
class Repair(LocalAction):
    """Repairs what the linter advises it for; see `polyorama.edit.repair.repair`."""

    plan: RepairPlan | None = None
    needs_sample = True
    note = "Repairing"

    def bind(self, sample: SplatCloud) -> LocalAction:
        """See `LocalAction.bind`."""
        return Repair(plan_repair(sample))

    def piece(self, cloud: SplatCloud, first_index: int) -> SplatCloud:
        """See `LocalAction.piece`."""
        plan = plan_repair(cloud) if self.plan is None else self.plan
        return plan.apply(cloud)


@dataclass(frozen=True)
class Morton:
    """Sorts along a Z-curve."""

    note: str = field(default="Sorting", init=False)

    def run(self, cloud: SplatCloud) -> Job[SplatCloud]:
        """Carry it out, as a job."""
        yield Progress(0, 1, self.note)
        return splat_ops.sort_morton(cloud)


@dataclass(frozen=True)
class Count:
    """A number of splats, or a share of those that are there.

    Parameters
    ----------
    value
        How many, or how many percent.
    percent
        Which of the two.
    """

    value: float
    percent: bool = False

    @classmethod
    def parse(cls, text: str) -> Count:
        """Read "100000", "100k", "1.5M" or "10%".

        Raises
        ------
        UsageError
            If it is none of these, or not above 0 (and at most 100 %).
        """
        stripped = text.strip().lower()
        percent = stripped.endswith("%")
        factor = {"k": 1e3, "m": 1e6}.get(stripped[-1:], 1.0)
        digits = stripped[:-1].strip() if percent or factor > 1.0 else stripped
        try:
            value = float(digits) * factor
        except ValueError:
            value = float("nan")
        whole = percent or value == int(value if np.isfinite(value) else 0)
        if not (np.isfinite(value) and value > 0.0 and whole and (not percent or value <= 100.0)):
            raise UsageError(f"A number of splats is like 100000, 100k or 10%, not {text!r}.")
        return cls(value, percent)

    def of(self, total: int) -> int:
        """That number for a cloud of `total` splats, at least 1."""
        return max(1, round(total * self.value / 100.0) if self.percent else int(self.value))


@dataclass(frozen=True)
class Decimate:
    """Merges splats until few enough are left; see `polyorama.scene.decimate.decimate`."""

    count: Count
    note: str = field(default="Decimating", init=False)

    def run(self, cloud: SplatCloud) -> Job[SplatCloud]:
        """Carry it out, as a job."""
        from polyorama.scene.decimate import decimate

        result = yield from decimate(cloud, self.count.of(len(cloud)))
        return result


@dataclass(frozen=True)
class Floaters:
    """Removes floaters; see `polyorama.edit.floaters.find_floaters`."""

    reach: float = 3.0
    opacity: float = 0.1
    share: float = 0.02
    note: str = field(default="Finding floaters", init=False)

    def run(self, cloud: SplatCloud) -> Job[SplatCloud]:
        """Carry it out, as a job."""
        from polyorama.edit.floaters import remove_floaters

        result = yield from remove_floaters(
            cloud, reach=self.reach, opacity=self.opacity, share=self.share
        )
        return result


def apply(cloud: SplatCloud, actions: tuple[Action, ...]) -> Job[SplatCloud]:
    """Carry out actions in order, as a job."""
    for action in actions:
        if len(cloud) == 0:
            break
        cloud = yield from action.run(cloud)
    return cloud
