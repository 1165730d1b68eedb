"""One sentence about the moment, and which terms of the formula act."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polyorama.lab.rl.eqo import Eqo, quasi_optimism
from polyorama.lab.rl.eqo_stage import TITLES

if TYPE_CHECKING:
    from polyorama.lab.rl.race import Contender, Race

__all__ = ["acting_of", "note_of"]

_LEARNED = 0.05
"""Share of V* below which what an episode loses counts as nothing."""


def acting_of(race: Race) -> dict[str, float]:
    """Shares of the terms in the newest Q of the pair that EQO takes next, 0..1."""
    contender = race.contenders.get("eqo")
    if contender is None or not isinstance(contender.learner, Eqo):
        return {}
    learner, model, task = contender.learner, contender.model, race.task
    state = int(contender.path[race.step]) if race.step else race.world.start
    pair = int(learner.policy[race.step, state]) * task.states + state
    visits = float(model.visits[pair])
    if learner.tuned is None:
        least = quasi_optimism(task, learner.c) > 1.0 - 1e-12
        acting = {"least": 1.0 if least else 0.3, "grown": 0.3 if least else 1.0}
    else:
        acting = {}
    if visits == 0.0:
        return acting | {"ceiling": 1.0}
    reward = float(model.reward_sums[pair]) / visits
    bonus = learner.c / visits
    share = model.met[:, pair] / visits
    later = float(share @ learner.values[race.step + 1][model.met_successors[:, pair]])
    ceiling = float(task.horizon - race.step if learner.remaining else task.horizon)
    whole = max(reward + bonus + later, 1e-300)
    return acting | {
        "reward": reward / whole,
        "bonus": bonus / whole,
        "later": later / whole,
        "ceiling": 1.0 if whole >= ceiling else 0.0,
    }


def note_of(race: Race, tuned: bool, done: bool) -> str:
    """What is happening, in one sentence."""
    if done:
        return _ending(race, tuned)
    contender = race.contenders.get("eqo")
    if contender is None or not isinstance(contender.learner, Eqo):
        return "EQO is not among them; regrets are exact, from the true values of the policies."
    if race.episode == 0 and race.step == 0:
        return f"Nothing was seen yet: every action may give all of H = {race.task.horizon}."
    return _progress(race, contender, contender.learner, tuned)


def _progress(race: Race, contender: Contender, learner: Eqo, tuned: bool) -> str:
    task, visits = race.task, contender.model.visits
    if race.target == 0.0:
        return "No way leads to a reward in time: whatever they do, they lose nothing."
    lag = contender.lag
    share = lag / race.target
    gap = float((learner.values - race.best)[:-1].min())
    if lag > _LEARNED * race.target:
        pairs = len(visits)
        unseen = int((visits == 0.0).sum())
        hoped = int((learner.c >= task.horizon * visits).sum())
        if unseen and tuned:
            return f"{unseen:,} of {pairs:,} pairs were never tried: EQO hopes for all of H there."
        if hoped:
            return (
                f"c = {learner.c:,.4g}: for {hoped:,} of {pairs:,} pairs c / N alone is still "
                f"worth H, so EQO explores."
            )
        return f"The bonus of every pair is below H; an episode still loses {share:.0%} of V*."
    well = f"EQO loses only {share:.1%} of V*" if share >= 0.0005 else "EQO plays as is best"
    others = {
        name: other.lag / race.target for name, other in race.contenders.items() if name != "eqo"
    }
    slow = max(others, key=lambda name: others[name]) if others else ""
    if gap < -1e-9 and math.isinf(learner.tolerance):
        return (
            f"EQO hopes for {-gap:.2g} less than the truth somewhere, more than Lemma 2 covers at "
            f"c = {learner.c:.3g}, and plays well all the same."
        )
    if slow and others[slow] > _LEARNED:
        return f"{well}; {TITLES[slow]} still loses {others[slow]:.0%} of V* an episode."
    return f"{well}; nobody is far behind." if others else f"{well}."


def _ending(race: Race, tuned: bool) -> str:
    regrets = {name: contender.regret for name, contender in race.contenders.items()}
    count = race.task.episodes
    best = min(regrets, key=lambda name: regrets[name])
    worst = max(regrets, key=lambda name: regrets[name])
    if regrets[worst] == regrets[best]:
        who = TITLES[best] if len(regrets) == 1 else "each of them"
        return f"All {count:,} episodes are over: {who} paid {regrets[best]:,.0f}."
    nothing = race.target * count
    if regrets[best] > 0.8 * nothing:
        return (
            f"All {count:,} episodes are over and nobody learned much: the least regret, "
            f"{TITLES[best]}'s, is {regrets[best] / nothing:.0%} of earning nothing."
        )
    times = regrets[worst] / max(regrets[best], 1e-9)
    if tuned and times < 1.5:
        return (
            f"All {count:,} episodes are over: tuned by hand it is a tie, the most regret is "
            f"{times:.2f} times the least."
        )
    return (
        f"All {count:,} episodes are over: {TITLES[best]} paid {regrets[best]:,.0f}, "
        f"{TITLES[worst]} {times:,.1f} times as much."
    )
