"""Where splats are added and removed: the default strategy of 3DGS.

Splats whose projected means feel a strong pull are cloned where they are small and split where
they are large; faint and huge ones are removed; now and then all opacities are lowered, so that
what is not needed fades (Kerbl et al., 2023). Thresholds are those of gsplat.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polyorama.core.types import Lens
    from polyorama.render.differentiable import Rendered
    from polyorama.vision.fit.model import TrainedSplats

__all__ = ["Default", "Schedule", "Strategy"]

_SHRINK = 1.6
_RECOVERY = 25
"""Steps after which lowered opacities are back, near enough for the eye."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When density is refined, in steps.

    Parameters
    ----------
    start, stop, every
        Refined at multiples of `every` after `start` and before `stop`.
    reset
        Opacities are lowered at multiples of this; 0 is never.
    """

    start: int
    stop: int
    every: int
    reset: int = 0

    def due(self, step: int) -> bool:
        """Whether to refine after a step, counted from 1."""
        return self.start < step < self.stop and step % self.every == 0

    def resets(self, step: int) -> bool:
        """Whether to lower opacities after a step, counted from 1."""
        return self.reset > 0 and step < self.stop and step % self.reset == 0


class Strategy(Protocol):
    """What a density strategy does around a step; steps are counted from 1."""

    def watch(self, drawn: Rendered, screen: torch.Tensor, lens: Lens, step: int) -> None:
        """See the gradients of a step, before it is taken; `screen` is (N, 2), pixels."""
        ...

    def penalty(self, splats: TrainedSplats) -> torch.Tensor | None:
        """What is added to the loss."""
        ...

    def refine(
        self, splats: TrainedSplats, step: int, rate: float, random: torch.Generator
    ) -> None:
        """Change the splats after a step; `rate` is that of the means."""
        ...

    def opacities_to_show(self, splats: TrainedSplats, step: int) -> torch.Tensor:
        """(N,) what people shall see after a step, where opacities are low for a moment only."""
        ...

    def state(self) -> dict[str, torch.Tensor]:
        """What a checkpoint must keep."""
        ...

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take back what `state` gave."""
        ...


@dataclass(slots=True)
class Default:
    """Clone, split, prune, and lower opacities.

    Parameters
    ----------
    schedule
        When.
    extent
        Size of the scene, world units.
    most
        Never more splats than this.
    prune_opacity
        Fainter splats are removed.
    grow_gradient
        Splats with a larger mean gradient are cloned or split; in halves of the picture's sides.
    grow_scale, prune_scale
        Splats up to the first share of the extent are cloned, larger ones split; above the second
        they are removed once opacities have been lowered.
    """

    schedule: Schedule
    extent: float
    most: int
    prune_opacity: float = 0.005
    grow_gradient: float = 2e-4
    grow_scale: float = 0.01
    prune_scale: float = 0.1
    _pull: torch.Tensor | None = None
    _count: torch.Tensor | None = None
    _lowered: tuple[int, torch.Tensor] | None = None

    def watch(self, drawn: Rendered, screen: torch.Tensor, lens: Lens, step: int) -> None:
        """Add up the length of the pull on each projected mean."""
        if step >= self.schedule.stop:
            return
        if self._pull is None or self._count is None:
            self._pull, self._count = (screen.new_zeros(len(screen)) for _ in range(2))
        seen = drawn.visible
        halves = screen.new_tensor([0.5 * lens.width, 0.5 * lens.height])
        self._pull[seen] += (screen[seen] * halves).norm(dim=1)
        self._count[seen] += 1.0

    def penalty(self, splats: TrainedSplats) -> torch.Tensor | None:
        """Nothing."""
        return None

    @torch.no_grad()
    def refine(
        self, splats: TrainedSplats, step: int, rate: float, random: torch.Generator
    ) -> None:
        """Grow and prune where it is time; see `Strategy`."""
        if self.schedule.due(step):
            self._grow(splats, random)
            self._prune(splats, step)
            self._pull = self._count = None
        if self.schedule.resets(step):
            self._lowered = (step, splats.opacities)
            lowered = math.log(2 * self.prune_opacity / (1.0 - 2 * self.prune_opacity))
            splats["opacities"].clamp_(max=lowered)
            splats.forget(names=("opacities",))

    def _grow(self, splats: TrainedSplats, random: torch.Generator) -> None:
        if self._pull is None or self._count is None:
            return
        pull = self._pull / self._count.clamp_min(1.0)
        strong = pull > self.grow_gradient
        room = self.most - len(splats)
        if int(strong.sum()) > room:
            # Not all may grow: those do that feel the most.
            strong[torch.argsort(pull, descending=True, stable=True)[max(room, 0) :]] = False
        large = splats.scales.amax(dim=1) > self.grow_scale * self.extent
        cloned = torch.nonzero(strong & ~large).flatten()
        split = torch.nonzero(strong & large).flatten()
        copies = splats.rows(cloned)
        halves = [self._half(splats, split, random) for _ in range(2)]
        kept = torch.ones(len(splats), dtype=torch.bool, device=splats.device)
        kept[split] = False
        splats.keep(kept)
        splats.append(
            {name: torch.cat([copies[name], *(half[name] for half in halves)]) for name in copies}
        )

    def _half(
        self, splats: TrainedSplats, rows: torch.Tensor, random: torch.Generator
    ) -> dict[str, torch.Tensor]:
        """Smaller splats, each at a point drawn from the one it comes from."""
        half = splats.rows(rows)
        noise = torch.randn((len(rows), 3), generator=random, device=splats.device)
        turned = rotations(half["quats"]) @ (half["scales"].exp() * noise)[..., None]
        half["means"] = half["means"] + turned[..., 0]
        half["scales"] = half["scales"] - math.log(_SHRINK)
        return half

    def _prune(self, splats: TrainedSplats, step: int) -> None:
        # Comparisons with NaN are false: what is no longer a number goes too.
        gone = ~(splats.opacities >= self.prune_opacity)
        gone |= ~torch.isfinite(splats["means"]).all(dim=1)
        if 0 < self.schedule.reset < step:
            gone |= splats.scales.amax(dim=1) > self.prune_scale * self.extent
        # A scene without any splat could never come back.
        if bool(gone.any()) and not bool(gone.all()):
            splats.keep(~gone)

    def opacities_to_show(self, splats: TrainedSplats, step: int) -> torch.Tensor:
        """The opacities; for some steps after they were lowered, at least those from before."""
        if self._lowered is None or step - self._lowered[0] > _RECOVERY:
            return splats.opacities
        before = self._lowered[1]
        if len(before) != len(splats):
            return splats.opacities
        return torch.maximum(splats.opacities, before)

    def state(self) -> dict[str, torch.Tensor]:
        """The gradients added up so far, and the opacities from before they were lowered."""
        state: dict[str, torch.Tensor] = {}
        if self._pull is not None and self._count is not None:
            state |= {"pull": self._pull, "count": self._count}
        if self._lowered is not None:
            state |= {"lowered_at": torch.tensor(self._lowered[0]), "lowered": self._lowered[1]}
        return state

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take back what `state` gave."""
        self._pull, self._count = state.get("pull"), state.get("count")
        if "lowered_at" in state:
            self._lowered = (int(state["lowered_at"]), state["lowered"])


def rotations(quats: torch.Tensor) -> torch.Tensor:
    """(N, 3, 3) rotation matrices of quaternions of any length."""
    w, x, y, z = torch.nn.functional.normalize(quats, dim=-1).unbind(-1)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return torch.stack(rows, dim=-1).reshape(-1, 3, 3)
