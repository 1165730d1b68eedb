"""The numbers of a fit, and how its schedules follow from its length."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal

from polyorama.core.arguments import said
from polyorama.errors import UsageError
from polyorama.vision.fit.density import Schedule

__all__ = ["FitSettings"]

_FULL_LENGTH = 30_000
"""Steps that gsplat's schedules are made for."""

_REFINEMENTS = 30
"""How often a short run is refined, if that leaves `_LEAST_EVERY` steps between."""

_UNHURRIED = 7000
_MOST_HURRY = 8.0

_LEAST_EVERY = 20
"""Steps that new splats need to find their place."""

_LEAST_RESET = 300
"""Steps that lowered opacities need to recover: Adam moves a logit by 0.05 a step."""

_LARGEST_SEED = 2**63 - 1
_PIXELS_PER_SPLAT = 50
_FEWEST_AT_MOST, _MOST = 2000, 1_000_000
_SMALLEST_SIDE = 48


@dataclass(frozen=True, slots=True)
class FitSettings:
    """All that decides a fit besides its pictures and its start.

    Parameters
    ----------
    steps
        Pictures compared, one a step.
    strategy
        "default" clones, splits and prunes; "mcmc" relocates.
    sh_degree
        Degree of the colours' harmonics at the end, 0 to 3; it grows on the way.
    seed
        0 to 2^63 - 1. The same one gives the same splats, on the device cpu of one machine; on
        CUDA nearly.
    ssim_weight
        Share of SSIM in the loss.
    background
        Display RGB, 0..1, behind splats and transparent pictures; or "random", another one each
        step, which teaches splats to be opaque where transparent pictures are.
    exposure
        Whether each picture gets an affine map of its colours.
    antialiased
        Whether splats are made for the mip filter.
    coarse_to_fine
        Whether the first tenth of the steps sees the pictures at a quarter of their size, the next
        two tenths at half.
    most_splats
        Never more than this, at the start too, of whose points so many are drawn; None is one for
        every 50 pixels fitted to, 2,000 to a million, or as many as the start has.
    means_rate, scales_rate, quats_rate, opacities_rate, color_rate, exposure_rate
        Learning rates; that of the means is a share of the scene's extent. Harmonics above the
        first learn 20 times more slowly than `color_rate`. Those of means and exposures fall to a
        hundredth on the way. Fits of less than 7,000 steps learn faster (see `hurry`).
    grow_gradient, grow_scale, prune_scale, prune_opacity
        As of `density.Default`.
    noise_rate, min_opacity, opacity_weight, scale_weight
        As of `mcmc.Mcmc`.

    Raises
    ------
    UsageError
        If a number is out of range.
    """

    steps: int = 7000
    strategy: Literal["default", "mcmc"] = "default"
    sh_degree: int = 3
    seed: int = 0
    ssim_weight: float = 0.2
    background: tuple[float, float, float] | Literal["random"] = (0.0, 0.0, 0.0)
    exposure: bool = False
    antialiased: bool = False
    coarse_to_fine: bool = True
    most_splats: int | None = None
    means_rate: float = 1.6e-4
    scales_rate: float = 5e-3
    quats_rate: float = 1e-3
    opacities_rate: float = 5e-2
    color_rate: float = 2.5e-3
    exposure_rate: float = 1e-2
    grow_gradient: float = 2e-4
    grow_scale: float = 0.01
    prune_scale: float = 0.1
    prune_opacity: float = 0.005
    noise_rate: float = 5e5
    min_opacity: float = 0.005
    opacity_weight: float = 0.01
    scale_weight: float = 0.01

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= 10_000_000:
            raise UsageError(f"A fit of {self.steps} steps cannot be made; ask for at least 1.")
        if self.strategy not in ("default", "mcmc"):
            raise UsageError(f"There is no strategy {self.strategy!r}; choose default or mcmc.")
        if self.sh_degree not in (0, 1, 2, 3):
            raise UsageError(f"An SH degree of {self.sh_degree} is not 0 to 3.")
        if not 0.0 <= self.ssim_weight <= 1.0:
            raise UsageError(f"A share of SSIM of {self.ssim_weight} is not 0 to 1.")
        if self.most_splats is not None and self.most_splats < 1:
            raise UsageError(f"A scene cannot have at most {self.most_splats} splats.")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise UsageError(f"A seed is a whole number, not {said(self.seed)}.")
        if not 0 <= self.seed <= _LARGEST_SEED:
            raise UsageError(f"A seed of {said(self.seed)} is not 0 to {_LARGEST_SEED}.")
        if self.background != "random":
            color = self.background
            if len(color) != 3 or not all(0.0 <= value <= 1.0 for value in color):
                raise UsageError("A background is three numbers from 0 to 1, or random.")
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float) and not (math.isfinite(value) and value >= 0.0):
                raise UsageError(f"The fit's {field.name} must be a number from 0 up, not {value}.")

    def schedule(self) -> Schedule:
        """When density is refined: gsplat's proportions; short runs refine more often.

        Opacities are lowered every tenth of the steps, as far as enough steps lie between for them
        to recover.
        """
        share = min(1.0, self.steps / _FULL_LENGTH)
        mcmc = self.strategy == "mcmc"
        start = max(min(100, self.steps // 10), round(500 * share))
        stop = round((25_000 if mcmc else 15_000) * share)
        if self.steps < _FULL_LENGTH:
            # Fewer steps leave less time to grow in: of those a larger share.
            stop = round((0.85 if mcmc else 0.7) * self.steps)
        every = max(_LEAST_EVERY, min(100, (stop - start) // _REFINEMENTS))
        reset = 0 if mcmc else max(_LEAST_RESET, min(3000, self.steps // 10))
        return Schedule(start, stop, every, reset)

    @property
    def hurry(self) -> float:
        """By how much short runs learn faster: colours, say, could not get anywhere otherwise.

        Found by fitting a plant in 150 to 2,000 steps.
        """
        return float(min(_MOST_HURRY, max(1.0, (_UNHURRIED / self.steps) ** 0.7)))

    def degree_at(self, step: int) -> int:
        """SH degree of a step: one more every thousand steps, faster in short runs."""
        every = max(1, min(1000, self.steps // 8))
        return min(self.sh_degree, step // every)

    def factor_at(self, step: int, side: int) -> int:
        """By how much pictures of a given smaller side are reduced in a step."""
        if not self.coarse_to_fine:
            return 1
        factor = 4 if step <= 0.1 * self.steps else 2 if step <= 0.3 * self.steps else 1
        while factor > 1 and side // factor < _SMALLEST_SIDE:
            factor //= 2
        return factor

    def most(self, pixels: int) -> int:
        """The largest number of splats, of pictures with so many pixels together."""
        if self.most_splats is not None:
            return self.most_splats
        return max(_FEWEST_AT_MOST, min(_MOST, pixels // _PIXELS_PER_SPLAT))

    def means_rate_at(self, step: int) -> float:
        """Learning rate of the means over the extent: it falls exponentially to a hundredth."""
        return float(self.hurry * self.means_rate * 0.01 ** (step / self.steps))

    def exposure_rate_at(self, step: int) -> float:
        """Learning rate of the exposures."""
        return float(self.exposure_rate * 0.01 ** (step / self.steps))

    def rates(self, extent: float) -> dict[str, float]:
        """First learning rates by the names of the parameters."""
        hurry = self.hurry
        return {
            "means": hurry * self.means_rate * extent,
            "scales": hurry * self.scales_rate,
            "quats": hurry * self.quats_rate,
            "opacities": self.opacities_rate,
            "sh0": hurry * self.color_rate,
            "shN": hurry * self.color_rate / 20.0,
            "exposures": self.exposure_rate,
        }
