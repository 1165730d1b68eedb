"""Methods of Gaussian VI side by side on the same draws, and a swarm of runs over many c."""

from __future__ import annotations

import abc
import math
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from polyorama.core.params import choice, number, whole
from polyorama.errors import UsageError
from polyorama.lab.experiment import ExperimentParams
from polyorama.lab.inference.bures import Normal, geodesic, symmetric
from polyorama.lab.inference.gaussian_vi import (
    Advi,
    RunningControl,
    bwgd_step,
    draws,
    forward_backward,
    sampled,
    svrgvi_step,
)
from polyorama.lab.inference.gaussian_vi_floor import Yardstick
from polyorama.lab.inference.vi_targets import (
    Banana,
    GaussianTarget,
    LogisticTarget,
    MixtureTarget,
    StudentTarget,
    paper_gaussian,
)
from polyorama.lab.streams import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.inference.vi_targets import Target

__all__ = [
    "RACERS", "TARGETS", "Averages", "Racer", "Swarm", "VIParams", "room_target",
    "room_yardstick",
]  # fmt: skip

TARGETS = ("gaussian", "student-t", "logistic", "banana", "mixture")
_MOST_CURVED = 3
"""Dimensions up to which targets that are no Gaussian are measured by quadrature."""
_FAR = 1e5
_TRAIL = 12


@dataclass(frozen=True)
class VIParams(ExperimentParams):
    """Parameters of Gaussian variational inference."""

    target: str = choice("gaussian", TARGETS, help="The density that a Gaussian is fitted to")
    dimension: int = whole(
        2, 2, 10, help="Of the space; targets that are no Gaussian have 2 or 3", animated=False
    )
    condition: float = number(
        9.0, 1.0, 200.0, help="Largest over smallest variance of the Gaussian and Student-t",
        soft=(1.0, 30.0),
    )  # fmt: skip
    eta: float = number(
        1.0, 0.01, 1.95, help="Step size; right up to 1 over the greatest curvature, and above 2 "
        "over it nothing is at rest", live=True, soft=(0.02, 1.9),
    )  # fmt: skip
    c: float = number(
        0.9, 0.0, 2.0, help="Weight of SVRGVI's control variate; 0 is SGVI", live=True,
        soft=(0.0, 2.0),
    )  # fmt: skip
    samples: int = whole(
        1, 1, 32, unit="draws", help="Draws a step, the same for all", live=True, soft=(1, 32)
    )  # fmt: skip
    advi_rate: float = number(
        0.01, 0.0001, 0.2, help="Learning rate of ADVI's Adam", live=True, soft=(0.001, 0.1)
    )  # fmt: skip
    start_x: float = number(
        -6.0, -20.0, 20.0, help="First coordinate at which all are put; click on the picture",
        live=True, soft=(-10.0, 10.0),
    )  # fmt: skip
    start_y: float = number(
        6.0, -20.0, 20.0, help="Second coordinate at which all are put; click on the picture",
        live=True, soft=(-10.0, 10.0),
    )  # fmt: skip
    iterations: int = whole(
        1500, 1, 100_000, unit="iterations", help="After which the run ends", soft=(100, 5000),
        animated=False,
    )  # fmt: skip
    glide: int = whole(
        1, 1, 60, unit="steps", help="Steps an iteration is shown in, along the geodesics",
        soft=(1, 60), animated=False,
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target != "gaussian" and self.dimension > _MOST_CURVED:
            raise UsageError(
                f"dimension is 2 or 3 for the target {self.target}, not {self.dimension}; only "
                f"Gaussian targets are measured in more."
            )


@lru_cache(maxsize=32)
def room_target(name: str, dimension: int, condition: float) -> Target:
    """A target of the room; the same whatever the seed, so that the picture's frame is known.

    Its greatest curvature is about 1, but for the banana, where there is none.
    """
    luck = stream(0, "gaussian-vi", name, dimension)
    if name in ("gaussian", "student-t"):
        if dimension == 2:  # turned by a 3-4-5 triangle's angle, so that both axes are seen
            turn = np.array([[0.8, -0.6], [0.6, 0.8]])
            covariance = symmetric((turn * [condition, 1.0]) @ turn.T)
            gauss = GaussianTarget([0.6, 0.3], covariance)
        else:
            gauss = paper_gaussian(dimension, luck, condition)
        return gauss if name == "gaussian" else StudentTarget(gauss.mean, gauss.covariance, 4.0)
    if name == "logistic":
        drawn = LogisticTarget.drawn(30, dimension, luck)
        return LogisticTarget(2.0 * drawn.inputs, drawn.labels)
    if name == "banana":
        return Banana(dimension)
    means = np.zeros((3, dimension))
    means[:, :2] = [[3.9, 2.3], [-3.9, 1.8], [0.2, -4.0]]
    means[:, 2:] = np.array([1.5, -1.5, 0.0])[:, None]
    covariances = np.tile(np.eye(dimension), (3, 1, 1))
    covariances[0, :2, :2] = [[1.3, 0.5], [0.5, 1.1]]
    covariances[1, :2, :2] = [[1.1, -0.3], [-0.3, 1.8]]
    covariances[2, :2, :2] = [[1.9, 0.2], [0.2, 1.0]]
    return MixtureTarget([0.4, 0.32, 0.28], means, covariances)


@lru_cache(maxsize=32)
def room_yardstick(name: str, dimension: int, condition: float, coarse: bool) -> Yardstick:
    """What measures the room's runs; `coarse` for the swarm, which is measured many times."""
    order = (8, 6) if coarse else (24, 12)
    return Yardstick(room_target(name, dimension, condition), order[dimension > 2])


class Averages:
    """The mean of the later half of all numbers so far, (K,) each.

    All are kept: in differences of running sums a divergence of 1e-16 would be lost.
    """

    def __init__(self) -> None:
        self._rows: NDArray[np.float64] = np.zeros((0, 0))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, values: NDArray[np.float64]) -> None:
        """Take up the next."""
        if self._count == len(self._rows):
            longer = np.zeros((max(64, 2 * self._count), len(values)))
            if self._count:
                longer[: self._count] = self._rows
            self._rows = longer
        self._rows[self._count] = values
        self._count += 1

    @property
    def late_mean(self) -> NDArray[np.float64]:
        """(K,); there has to be one number at least."""
        return np.asarray(self._rows[self._count // 2 : self._count].mean(axis=0))


class Racer(abc.ABC):
    """One method on one Gaussian.

    Parameters
    ----------
    target
        What it is fitted to.
    start
        A stack of one.
    """

    id: ClassVar[str]
    """Of the rival that it is."""
    fate: ClassVar[str] = "it has run off to infinity; take a smaller step"

    def __init__(self, target: Target, start: Normal) -> None:
        self.target = target
        self.before = self.half = self.now = start
        self.trail: deque[Normal] = deque(maxlen=_TRAIL)
        self.points = np.zeros((0, target.dimension))
        """Draws of the iteration that is shown, (n, d)."""
        self.gap = math.nan
        """KL over that of the best Gaussian after the last iteration, nats."""
        self.gaps = Averages()
        self.broken = ""
        """Why it cannot go on; "" where it can."""

    @abc.abstractmethod
    def _moved(self, z: NDArray[np.float64], params: VIParams) -> tuple[Normal, Normal]:
        """Half way and after one step."""

    def iterate(self, z: NDArray[np.float64], params: VIParams) -> None:
        """One step with draws z (n, d); one that breaks down stays where it was."""
        if self.broken:
            return
        self.trail.append(self.now)
        try:
            points, _ = draws(self.now, z)
            half, after = self._moved(z, params)
            usable = _usable(after)[0]
        except np.linalg.LinAlgError:
            usable = False
        if not usable:
            self.broken = self.fate
            self.before = self.half = self.now
            return
        self.points = points[0]
        self.before, self.half, self.now = self.now, half, after

    def settle(self, yardstick: Yardstick) -> None:
        """Measure where the iteration ended."""
        if not self.broken:
            gap = yardstick.gap(self.now)
            self.gap = float(gap[0])
            self.gaps.add(gap)

    def forget(self) -> None:
        """Averages begin anew: something was changed."""
        self.gaps = Averages()

    def at(self, share: float) -> Normal:
        """Where it is on the way to `now`, 0..1: along one geodesic, then along the other."""
        if share >= 1.0:
            return self.now
        if share < 0.5:
            return geodesic(self.before, self.half, 2.0 * share)
        # Gone backwards: at eta = 1 the forward step may leave a direction of width 0.
        return geodesic(self.now, self.half, 2.0 - 2.0 * share)


def _usable(q: Normal) -> NDArray[np.bool_]:
    """(K,) whether means and covariances are finite, of some size, and positive definite."""
    size = np.abs(q.mean).max(axis=-1) + np.abs(q.covariance).max(axis=(-2, -1))
    fine = np.isfinite(size) & (size < _FAR)
    safe = np.where(fine[:, None, None], q.covariance, np.eye(q.dimension))
    return np.asarray(fine & (np.linalg.eigvalsh(safe)[:, 0] > 0.0))


class Svrgvi(Racer):
    """Stochastic variance-reduced Gaussian VI."""

    id = "svrgvi"

    def _moved(self, z: NDArray[np.float64], params: VIParams) -> tuple[Normal, Normal]:
        return svrgvi_step(self.now, z, self.target, params.eta, params.c)


class Sgvi(Racer):
    """The same without control variate."""

    id = "sgvi"

    def _moved(self, z: NDArray[np.float64], params: VIParams) -> tuple[Normal, Normal]:
        return svrgvi_step(self.now, z, self.target, params.eta, 0.0)


class Bwgd(Racer):
    """Both parts of KL at once."""

    id = "bwgd"
    fate = "its step left no positive definite covariance; take a smaller step"

    def _moved(self, z: NDArray[np.float64], params: VIParams) -> tuple[Normal, Normal]:
        after = bwgd_step(self.now, z, self.target, params.eta)
        return geodesic(self.now, after, 0.5), after


class AdviRacer(Racer):
    """Adam on the mean and the Cholesky factor."""

    id = "advi"

    def __init__(self, target: Target, start: Normal) -> None:
        super().__init__(target, start)
        self._advi = Advi(start)

    def _moved(self, z: NDArray[np.float64], params: VIParams) -> tuple[Normal, Normal]:
        after = self._advi.step(z, self.target, params.advi_rate)
        return geodesic(self.now, after, 0.5), after


class Adaptive(Racer):
    """SVRGVI with c* as it is met."""

    id = "adaptive"

    def __init__(self, target: Target, start: Normal) -> None:
        super().__init__(target, start)
        self._running = RunningControl()

    def _moved(self, z: NDArray[np.float64], params: VIParams) -> tuple[Normal, Normal]:
        control = self._running.control(self.now.covariance)
        slope, curve = sampled(self.now, z, self.target, control)
        self._running.met(curve)
        return forward_backward(self.now, slope, curve, params.eta)


RACERS: dict[str, type[Racer]] = {
    racer.id: racer for racer in (Svrgvi, Sgvi, Bwgd, AdviRacer, Adaptive)
}
"""By id."""


class Swarm:
    """Runs of SVRGVI for many c at once, all begun at the best Gaussian, on draws of their own.

    Parameters
    ----------
    yardstick
        Measures them.
    seed
        Of the run.
    """

    controls = np.linspace(0.0, 2.0, 16)
    """(C,) without 1, where a Gaussian target leaves nothing to measure."""
    _EVERY = 4

    def __init__(self, yardstick: Yardstick, seed: int) -> None:
        self._yardstick = yardstick
        self._luck = stream(seed, "swarm")
        self._copies = 8 if yardstick.target.dimension <= _MOST_CURVED else 3
        self.restart()

    def restart(self) -> None:
        """Put all at the best Gaussian and forget what was measured."""
        best, count = self._yardstick.best, len(self.controls) * self._copies
        self._now = Normal(
            np.repeat(best.mean, count, axis=0), np.repeat(best.covariance, count, axis=0)
        )
        self._lost = np.zeros(count, bool)
        self._means = Averages()
        self._steps = 0

    def iterate(self, eta: float, samples: int) -> None:
        """One step of all; those of different c meet the same draws."""
        dimension = self._now.dimension
        z = self._luck.standard_normal((self._copies, samples, dimension))
        z = np.tile(z, (len(self.controls), 1, 1))
        control = np.repeat(self.controls, self._copies)
        _, now = svrgvi_step(self._now, z, self._yardstick.target, eta, control)
        lost = ~_usable(now)
        if lost.any():
            best = self._yardstick.best
            now = Normal(
                np.where(lost[:, None], best.mean, now.mean),
                np.where(lost[:, None, None], best.covariance, now.covariance),
            )
            self._lost |= lost
        self._now = now
        self._steps += 1
        if self._steps % self._EVERY == 0:
            gaps = self._yardstick.gap(now).reshape(len(self.controls), -1)
            self._means.add(gaps.mean(axis=1))

    @property
    def means(self) -> NDArray[np.float64]:
        """(C,) mean KL over the best Gaussian's, of the later half; NaN where runs got lost."""
        if not len(self._means):
            return np.full(len(self.controls), math.nan)
        lost = self._lost.reshape(len(self.controls), -1).any(axis=1)
        return np.where(lost, math.nan, self._means.late_mean)
