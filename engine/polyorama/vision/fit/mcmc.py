"""Splats as samples: relocation, new ones where there are many, and noise.

After Kheradmand et al., 3D Gaussian Splatting as Markov Chain Monte Carlo (2024): dead splats move
onto living ones, drawn by opacity, in such a way that the picture hardly changes. Of n splats that
share the place of one with opacity o and scales s, each has

    o' = 1 - (1 - o)^(1/n),
    s' = s o / sum_{i=1..n} sum_{k<i} (-1)^k C(i-1, k) o'^(k+1) / sqrt(k+1).

Every step adds noise to the means, in the shape of the splat and only where it is faint. Numbers
are those of gsplat.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from polyorama.vision.fit.density import Schedule, rotations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polyorama.core.types import Lens
    from polyorama.render.differentiable import Rendered
    from polyorama.vision.fit.model import TrainedSplats

__all__ = ["Mcmc", "shared_opacity_and_scales"]

_MOST_SHARES = 51
_GROWTH = 1.05
_GATE_SLOPE, _GATE_AT = 100.0, 0.995


@dataclass(slots=True)
class Mcmc:
    """Relocate, add, disturb.

    Parameters
    ----------
    schedule
        When splats are relocated and added.
    most
        Never more splats than this.
    min_opacity
        Splats this faint are dead.
    noise_rate
        Noise over the means' learning rate.
    opacity_weight, scale_weight
        Of the mean opacity and the mean scale in the loss.
    """

    schedule: Schedule
    most: int
    min_opacity: float = 0.005
    noise_rate: float = 5e5
    opacity_weight: float = 0.01
    scale_weight: float = 0.01

    def watch(self, drawn: Rendered, screen: torch.Tensor, lens: Lens, step: int) -> None:
        """Nothing: gradients on the screen do not matter here."""

    def penalty(self, splats: TrainedSplats) -> torch.Tensor | None:
        """A small price on opacity and size, so that what is not needed dies."""
        opacity = splats["opacities"].sigmoid().mean()
        return self.opacity_weight * opacity + self.scale_weight * splats["scales"].exp().mean()

    @torch.no_grad()
    def refine(
        self, splats: TrainedSplats, step: int, rate: float, random: torch.Generator
    ) -> None:
        """Relocate and add where it is time, and disturb; see `density.Strategy`."""
        if self.schedule.due(step):
            self._relocate(splats, random)
            self._add(splats, random)
        self._disturb(splats, rate, random)

    def _relocate(self, splats: TrainedSplats, random: torch.Generator) -> None:
        opacities = splats.opacities
        dead = torch.nonzero(opacities <= self.min_opacity).flatten()
        alive = torch.nonzero(opacities > self.min_opacity).flatten()
        if not len(dead) or not len(alive):
            return
        hosts = alive[_draw(opacities[alive], len(dead), random)]
        self._share(splats, hosts)
        splats.assign(dead, splats.rows(hosts))
        splats.forget(hosts)

    def _add(self, splats: TrainedSplats, random: torch.Generator) -> None:
        count = min(self.most, int(_GROWTH * len(splats)) + 1) - len(splats)
        if count <= 0:
            return
        hosts = _draw(splats.opacities, count, random)
        self._share(splats, hosts)
        splats.append(splats.rows(hosts))

    def _share(self, splats: TrainedSplats, hosts: torch.Tensor) -> None:
        """Weaken hosts so that each and its guests together look as it did alone."""
        shares = torch.bincount(hosts, minlength=len(splats))[hosts] + 1
        opacities, scales = shared_opacity_and_scales(
            splats.opacities[hosts], splats.scales[hosts], shares
        )
        opacities = opacities.clamp(self.min_opacity, 1.0 - 1e-6)
        splats.assign(hosts, {"opacities": opacities.logit(), "scales": scales.log()})

    def _disturb(self, splats: TrainedSplats, rate: float, random: torch.Generator) -> None:
        noise = torch.randn((len(splats), 3), generator=random, device=splats.device)
        gate = torch.sigmoid(-_GATE_SLOPE * (splats.opacities - (1.0 - _GATE_AT)))
        noise *= (gate * (self.noise_rate * rate))[:, None]
        turns, scales = rotations(splats["quats"]), splats.scales
        # The covariance R S^2 R^T times the noise.
        local = (turns.transpose(1, 2) @ noise[..., None]) * (scales * scales)[..., None]
        splats["means"].add_((turns @ local)[..., 0])

    def opacities_to_show(self, splats: TrainedSplats, step: int) -> torch.Tensor:
        """The opacities."""
        return splats.opacities

    def state(self) -> dict[str, torch.Tensor]:
        """Nothing."""
        return {}

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Nothing."""


def shared_opacity_and_scales(
    opacities: torch.Tensor, scales: torch.Tensor, shares: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """What each of `shares` equal splats in the place of one must be to look like it.

    Parameters
    ----------
    opacities, scales
        (n,) and (n, 3), of the one.
    shares
        (n,) int64, how many it becomes; at most 51 are told apart.
    """
    shares = shares.clamp(1, _MOST_SHARES)
    wide = opacities.double()
    each = 1.0 - (1.0 - wide) ** (1.0 / shares)
    powers = each[:, None] ** torch.arange(1, _MOST_SHARES + 1, device=each.device)
    factors = _sharing().to(each.device)[shares - 1]
    below = (powers * factors).sum(dim=1)
    return each.to(opacities), (scales * (wide / below)[:, None]).to(scales)


@functools.lru_cache(maxsize=1)
def _sharing() -> torch.Tensor:
    """Row n - 1: the factor of o'^(k+1) for n shares, (51, 51) float64.

    The inner binomials over i add up to one: sum_{i=k+1..n} C(i-1, k) = C(n, k+1).
    """
    table = torch.zeros((_MOST_SHARES, _MOST_SHARES), dtype=torch.float64)
    for n in range(1, _MOST_SHARES + 1):
        for k in range(n):
            table[n - 1, k] = (-1) ** k * math.comb(n, k + 1) / math.sqrt(k + 1)
    return table


def _draw(weights: torch.Tensor, count: int, random: torch.Generator) -> torch.Tensor:
    """Indices drawn with replacement, by weight; any number of weights."""
    ends = torch.cumsum(weights.double(), dim=0)
    at = torch.rand(count, generator=random, device=weights.device, dtype=torch.float64)
    return torch.searchsorted(ends, at * ends[-1]).clamp_max(len(weights) - 1)
