"""What is claimed of EQO, and what is measured here.

All on RiverSwim with delta = 0.05 and exact regret. Our reference measured the table of untuned
methods with one seed and tuned ones with three; here they are means over the seeds that the claims
name. All methods of a seed meet the same luck.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.lab.claims import Claim, Figure
from polyorama.lab.rl.eqo import Eqo, bonus_scale, logarithms, quasi_optimism
from polyorama.lab.rl.eqo_stage import TITLES
from polyorama.lab.rl.learner import Task
from polyorama.lab.rl.race import TUNED, Race
from polyorama.lab.rl.worlds import river_swim

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.lab.rl.learner import Learner

__all__ = ["CLAIMS", "Fall", "fall", "planning_times", "regrets", "theorem_bound", "tuned_to"]

_FOUR = ("eqo", "ucbvi-bf", "mvp", "ucbvi-ch")
_SEEDS = range(5)
_EPISODES = 30_000

_TABLE = {
    # regret after 10,000, 20,000 and 30,000 episodes, and of one episode at the end
    "eqo": (13_447, 13_772, 13_920, 0.014),
    "ucbvi-bf": (28_509, 34_388, 36_861, 0.25),
    "mvp": (46_618, 93_389, 115_902, 1.00),
    "ucbvi-ch": (45_799, 91_598, 137_398, 4.58),
}
"""As our reference measured with S = 5, H = 20, K = 30,000 and one seed."""

_WITHIN = 0.05
"""How far a regret may lie from the reference's."""


def tuned_to(c: float) -> Callable[[Learner], None]:
    """Settings that give EQO this c, and others the factors of `race.TUNED`."""

    def set_up(learner: Learner) -> None:
        if isinstance(learner, Eqo):
            learner.tuned = c
        else:
            learner.scale = TUNED[learner.id]

    return set_up


def regrets(
    states: int,
    horizon: int,
    looks: tuple[int, ...],
    methods: tuple[str, ...],
    seeds: range,
    settings: Callable[[Learner], None] | None = None,
) -> Generator[Progress, None, dict[str, NDArray[np.float64]]]:
    """Regret of each method, (seeds, looks), after so many episodes of a river; K is the last."""
    found = {name: np.empty((len(seeds), len(looks))) for name in methods}
    for row, seed in enumerate(seeds):
        race = Race(river_swim(states, horizon), methods, seed, looks[-1], settings=settings)
        for column, look in enumerate(looks):
            while race.episode < look:
                race.run(horizon * min(1000, look - race.episode))
                share = (row + race.episode / looks[-1]) / len(seeds)
                yield Progress(round(100 * share), 100, f"S = {states}, H = {horizon}, seed {seed}")
            for name, contender in race.contenders.items():
                found[name][row, column] = contender.regret
    return found


def _untuned() -> Job[tuple[Figure, ...]]:
    looks = (10_000, 20_000, 27_000, _EPISODES)
    found = yield from regrets(5, 20, looks, _FOUR, _SEEDS)
    mean = {name: table.mean(axis=0) for name, table in found.items()}
    figures = [
        Figure(
            "EQO over UCBVI-BF, worst seed",
            float(np.max(found["eqo"][:, 3] / found["ucbvi-bf"][:, 3])), high=0.5, unit="times",
            reference="0.38",
        ),
        Figure(
            "UCBVI-BF over MVP, worst seed",
            float(np.max(found["ucbvi-bf"][:, 3] / found["mvp"][:, 3])), high=0.5, unit="times",
            reference="0.32",
        ),
        Figure(
            "EQO, an episode of the last 10 %, worst seed",
            float(np.max(found["eqo"][:, 3] - found["eqo"][:, 2])) / 3000.0, high=0.03,
            unit="reward", reference="0.014",
        ),
        Figure(
            "V* at the start", Race(river_swim(5, 20), ("eqo",), 0, 1).target, 4.675, 4.685,
            "reward", "4.68",
        ),
    ]  # fmt: skip
    for name in _FOUR:
        *known, last = _TABLE[name]
        for column, known_regret in zip((0, 1, 3), known, strict=True):
            value = float(mean[name][column])
            low, high = known_regret * (1.0 - _WITHIN), known_regret * (1.0 + _WITHIN)
            figures.append(
                Figure(
                    f"{TITLES[name]}, {looks[column]:,} episodes", value, low, high, "reward",
                    f"{known_regret:,}",
                )
            )  # fmt: skip
        if name != "eqo":
            rate = float(mean[name][3] - mean[name][2]) / 3000.0
            figures.append(
                Figure(
                    f"{TITLES[name]}, an episode of the last 10 %", rate, 0.9 * last, 1.1 * last,
                    "reward", f"{last:g}",
                )
            )  # fmt: skip
    return tuple(figures)


def theorem_bound(task: Task, leading: float = 38.0) -> float:
    """Theorem 1: 38 H sqrt(S A K l1 l2) + 256 H S^2 A l1 (1 + l2); 75 leads in Theorem 2.

    The constants are from reviews. The logarithms of the second term are not certain, nor is it
    that Theorem 2 has the same.
    """
    pairs = task.states * task.actions
    first, second = logarithms(task, task.episodes)
    main = leading * task.horizon * math.sqrt(pairs * task.episodes * first * second)
    return main + 256.0 * task.horizon * task.states * pairs * first * (1.0 + second)


def _doubling(learner: Learner) -> None:
    if isinstance(learner, Eqo):
        learner.doubling = True


def _bounds() -> Job[tuple[Figure, ...]]:
    task = Task(5, 2, 20, _EPISODES)
    known = yield from regrets(5, 20, (_EPISODES,), ("eqo",), _SEEDS)
    unknown = yield from regrets(5, 20, (_EPISODES,), ("eqo",), _SEEDS, _doubling)
    nothing = _EPISODES * Race(river_swim(5, 20), ("eqo",), 0, 1).target
    return (
        Figure(
            "c of Theorem 1, S = 5, H = 20", bonus_scale(task), 1605.5, 1606.5, reference="1606"
        ),
        Figure(
            "Regret over the bound of Theorem 1",
            float(known["eqo"].max()) / theorem_bound(task), high=1.0, unit="times",
            reference="at most 1",
        ),
        Figure(
            "Regret over the bound of Theorem 2, K unknown",
            float(unknown["eqo"].max()) / theorem_bound(task, 75.0), high=1.0, unit="times",
            reference="at most 1",
        ),
        Figure(
            "The bound of Theorem 1 over the regret of earning nothing",
            theorem_bound(task) / nothing, unit="times",
            reference="above 1 it says nothing yet",
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fall:
    """How EQO's values lay beside the true ones in some runs.

    Parameters
    ----------
    least
        Of each run: least V - V* over all plans, states and steps.
    below
        Of each run: share of plans where it is negative.
    lag
        Of each run: what the last plan loses, over V*.
    margin
        Least V + (3/2) lambda H - V* of all runs; infinite where Lemma 2 says nothing.
    """

    least: tuple[float, ...]
    below: tuple[float, ...]
    lag: tuple[float, ...]
    margin: float


def fall(
    states: int, horizon: int, episodes: int, seeds: range, c: float | None, every: int = 1
) -> Generator[Progress, None, Fall]:
    """Hold EQO's values beside V* at every plan, or at every so many."""
    least, below, lag, margin = [], [], [], math.inf
    for seed in seeds:
        race = Race(
            river_swim(states, horizon), ("eqo",), seed, episodes,
            settings=None if c is None else tuned_to(c),
        )  # fmt: skip
        contender = race.contenders["eqo"]
        learner = contender.learner
        assert isinstance(learner, Eqo)
        gaps = []
        while race.episode < episodes:
            gaps.append(float((learner.values - race.best)[:-1].min()))
            margin = min(margin, gaps[-1] + learner.tolerance)
            race.run(every * horizon)
        least.append(min(gaps))
        below.append(float(np.mean(np.array(gaps) < -1e-9)))
        lag.append(contender.lag / race.target)
        yield Progress(seed + 1, len(seeds), "The theorem's c" if c is None else f"c = {c:g}")
    return Fall(tuple(least), tuple(below), tuple(lag), margin)


def _quasi() -> Job[tuple[Figure, ...]]:
    seeds = range(8)
    figures = []
    short = yield from fall(6, 24, 1500, seeds, None)
    long = yield from fall(2, 20, 200_000, range(3), None, every=100)
    task = Task(2, 2, 20, 200_000)
    allowed = 1.5 * quasi_optimism(task, bonus_scale(task)) * task.horizon
    target = Race(river_swim(2, 20), ("eqo",), 0, 1).target
    figures += [
        Figure(
            "Theorem's c, S = 6: plans below V*", max(short.below), high=0.0, unit="share",
            reference="never in short runs",
        ),
        Figure(
            "Theorem's c, S = 2, K = 200,000: least V + (3/2) λ H - V*", long.margin, 0.0,
            unit="reward", reference="Lemma 2: never negative",
        ),
        # Where it is 1 or more, no V of 0 or above could break the lemma.
        Figure(
            "There, where λ = 0.27: (3/2) λ H over V*", allowed / target, high=1.0, unit="times"
        ),
    ]  # fmt: skip
    for c, worst, share in ((2.0, -0.65, 0.69), (0.3, -0.58, 0.83), (0.05, -8.1, 0.92)):
        found = yield from fall(6, 24, 1500, seeds, c)
        figures += [
            Figure(
                f"c = {c:g}: least V - V*, median of seeds", float(np.median(found.least)),
                high=-0.1, unit="reward", reference=f"{worst:g}, one seed",
            ),
            Figure(
                f"c = {c:g}: plans below V*, mean of seeds", float(np.mean(found.below)), 0.5,
                unit="share", reference=f"{share:g}, one seed",
            ),
            Figure(
                f"c = {c:g}: the last plan loses", max(found.lag), high=0.02, unit="of V*",
                reference="yet it learns",
            ),
        ]  # fmt: skip
    return tuple(figures)


def _short_runs() -> Job[tuple[Figure, ...]]:
    found = yield from regrets(10, 40, (3000,), _FOUR, range(3))
    nothing = 3000.0 * Race(river_swim(10, 40), ("eqo",), 0, 1).target
    eqo = float(found["eqo"].mean())
    figures = [
        Figure(
            "c of the theorem", bonus_scale(Task(10, 2, 40, 3000)), 3550.0, 3650.0,
            reference="about 3,600",
        ),
        Figure("EQO: regret", eqo, 0.95 * 18_346, 1.05 * 18_346, "reward", "18,346"),
    ]  # fmt: skip
    figures += [
        Figure(
            f"{TITLES[name]}: regret over that of earning nothing",
            float(found[name].mean()) / nothing, 0.9, unit="times", reference="about linear",
        )
        for name in _FOUR
    ]  # fmt: skip
    return tuple(figures)


def _tie() -> Job[tuple[Figure, ...]]:
    known = {"eqo": 212, "ucbvi-bf": 194, "mvp": 194, "ucbvi-ch": 195}
    seeds = range(3)
    found = yield from regrets(20, 80, (1500,), _FOUR, seeds, tuned_to(0.3))
    mean = {name: float(table.mean()) for name, table in found.items()}
    figures = [
        Figure(
            f"{TITLES[name]}, S = 20, H = 80", mean[name], 0.75 * known[name], 1.25 * known[name],
            "reward", f"{known[name]}",
        )
        for name in _FOUR
    ]  # fmt: skip
    rivals = [mean[name] for name in _FOUR if name != "eqo"]
    figures.append(
        Figure(
            "EQO over the best of the others", mean["eqo"] / min(rivals), 0.9, 1.5, "times", "1.09"
        )
    )
    for c, regret in ((1.0, 96), (5.0, 162), (10.0, 238)):
        tuned = yield from regrets(10, 40, (3000,), ("eqo",), seeds, tuned_to(c))
        figures.append(
            Figure(
                f"EQO with c = {c:g}, S = 10, H = 40", float(tuned["eqo"].mean()),
                0.75 * regret, 1.25 * regret, "reward", f"{regret}",
            )
        )  # fmt: skip
    drawn = yield from regrets(10, 40, (3000,), ("psrl",), seeds)
    figures.append(
        Figure(
            "PSRL, S = 10, H = 40", float(drawn["psrl"].mean()), 0.6 * 155, 1.4 * 155, "reward",
            "155",
        )
    )  # fmt: skip
    return tuple(figures)


def _all_untuned() -> Job[tuple[Figure, ...]]:
    seeds, rivals = range(3), ("ucrl2", "euler", "psrl", "rlsvi")
    small = yield from regrets(5, 20, (_EPISODES,), ("eqo", *rivals), seeds)
    large = yield from regrets(
        10, 40, (_EPISODES,), (*_FOUR, "ucrl2", "euler"), seeds
    )  # fmt: skip
    mean = {name: float(table.mean()) for name, table in small.items()}
    figures = [
        Figure(
            f"{TITLES[name]} over EQO, S = 5, H = 20", mean[name] / mean["eqo"], high=most,
            unit="times",
        )
        for name, most in zip(rivals, (1.0, 1.0, 0.01, math.inf), strict=True)
    ]  # fmt: skip
    ours = float(large["eqo"].mean())
    best = min(float(table.mean()) for name, table in large.items() if name != "eqo")
    figures.append(
        Figure("The best other bonus over EQO's, S = 10, H = 40", best / ours, 1.05, unit="times")
    )
    return tuple(figures)


def planning_times(dense: bool) -> dict[str, float]:
    """Seconds of a plan of each of four methods at S = 20 and H = 80: the least of many rounds."""
    race = Race(river_swim(20, 80), _FOUR, 0, 5000, dense=dense)
    race.run(80 * 500)
    best = dict.fromkeys(_FOUR, math.inf)
    for _ in range(200):  # interleaved, so that all meet the same machine
        for name, contender in race.contenders.items():
            begun = time.perf_counter()
            for _ in range(30):
                contender.learner.plan(race.episode)
            best[name] = min(best[name], (time.perf_counter() - begun) / 30.0)
    return best


def _planning() -> Job[tuple[Figure, ...]]:
    yield Progress(0, 2, "Plans, again and again")
    best = planning_times(dense=True)
    yield Progress(1, 2, "5,000 episodes")
    race = Race(river_swim(20, 80), ("eqo",), 0, 5000, dense=True)
    begun = time.perf_counter()
    race.run(80 * 5000)
    took = time.perf_counter() - begun
    ours = best["eqo"]
    return (
        Figure(
            "EQO over UCBVI-BF", ours / best["ucbvi-bf"], high=0.6, unit="times",
            reference="1.4 to 1.8 ms against 3.3 to 4.5 in plain numpy",
        ),
        Figure(
            "EQO over MVP", ours / best["mvp"], high=0.6, unit="times",
            reference="1.4 to 1.8 ms against 3.2 to 4.0 in plain numpy",
        ),
        Figure(
            "EQO over UCBVI-CH", ours / best["ucbvi-ch"], unit="times",
            reference="the same sums: no gain is claimed",
        ),
        Figure("EQO, a plan", 1e3 * ours, unit="ms", reference="1.4 to 1.8 in plain numpy"),
        Figure("EQO, 5,000 episodes", took, high=8.0, unit="s", reference="at most 8"),
    )  # fmt: skip


def _paper_sizes() -> Job[tuple[Figure, ...]]:
    methods = ("eqo", "ucbvi-bf", "mvp", "ucrl2", "euler")
    episodes = 200_000
    figures = []
    for states, horizon in ((30, 120), (40, 160)):
        found = yield from regrets(states, horizon, (episodes,), methods, range(1))
        nothing = episodes * Race(river_swim(states, horizon), ("eqo",), 0, 1).target
        share = {name: float(table[0, 0]) / nothing for name, table in found.items()}
        figures.append(
            Figure(
                f"S = {states}: EQO over the best of the others",
                share["eqo"] / min(share[name] for name in methods[1:]), high=1.0, unit="times",
                reference="EQO is best in the paper",
            )
        )  # fmt: skip
        figures += [
            Figure(
                f"S = {states}: {TITLES[name]}, regret over that of earning nothing", value,
                unit="times",
            )
            for name, value in share.items()
        ]  # fmt: skip
    return tuple(figures)


CLAIMS = (
    Claim(
        "untuned",
        "With the constants of its theorem EQO pays at most half of what UCBVI-BF pays, and that "
        "at most half of MVP; at the end it loses at most 0.03 an episode (S = 5, H = 20, K = "
        "30,000, seeds 0 to 4).",
        _untuned,
    ),
    Claim(
        "bounds",
        "Regret is at most 38 H √(S A K l1 l2) + 256 H S² A l1 (1 + l2), and with 75 for 38 where "
        "K is not known (S = 5, H = 20, K = 30,000, seeds 0 to 4; the schedule of doubling is "
        "ours). At this size even earning nothing would keep these bounds.",
        _bounds,
    ),
    Claim(
        "quasi-optimism",
        "Lemma 2: V + (3/2) λ H is at least V*, with λ = 7 H l1 / c at most 1. Where c is tuned "
        "and nothing is promised, V falls below V* in most plans, and EQO learns all the same (S = "
        "6, H = 24, K = 1500, seeds 0 to 7).",
        _quasi,
    ),
    Claim(
        "short-runs",
        "With the constant of its theorem EQO learns within a few thousand episodes (S = 10, H = "
        "40, K = 3000, seeds 0 to 2).",
        _short_runs,
        shown_false="c is about 3,600 there, and nothing is learned; nor is it by the others with "
        "theirs.",
    ),
    Claim(
        "tuned",
        "EQO beats the others also where the bonuses of all are scaled by hand (K = 1500 at S = 20 "
        "and 3000 at S = 10, seeds 0 to 2; EQO with c = 0.3 at S = 20).",
        _tie,
        shown_false="It is a tie: where nothing was seen all hope for everything, and that alone "
        "explores a river.",
    ),
    Claim(
        "all-untuned",
        "Of all methods with the constants of their theorems EQO pays the least (K = 30,000, seeds "
        "0 to 2; our reference did not measure this).",
        _all_untuned,
        shown_false="On the smallest river UCRL2 and EULER, as transcribed here, pay a little "
        "less; and PSRL, which draws worlds and has no constant, less than a hundredth. With ten "
        "states EQO pays the least of all that add a bonus.",
    ),
    Claim(
        "planning",
        "A plan takes at most 0.6 of the time of UCBVI-BF's and MVP's at S = 20 and H = 80, tables "
        "of chances dense as the papers write them. (MVP plans before every episode here, as all "
        "do; as published it plans far less often.)",
        _planning,
        study=True,
    ),
    Claim(
        "paper-sizes",
        "EQO is best at S = 30, H = 120 and S = 40, H = 160, all untuned. The paper's K is not "
        "known to us; here it is 200,000, seed 0, and ORLC is missing.",
        _paper_sizes,
        study=True,
    ),
)
