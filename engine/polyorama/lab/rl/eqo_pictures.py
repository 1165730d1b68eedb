"""Arrays that the pictures of EQO's room draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.lab.look import DARK, rgb
from polyorama.lab.rl.eqo import Eqo
from polyorama.lab.rl.eqo_stage import ARROWS
from polyorama.lab.rl.worlds import GOAL, SLIPPERY, START, TRAP, WALL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.lab.rl.race import Contender, Race
    from polyorama.lab.rl.worlds import World
    from polyorama.lab.snapshot import Value

__all__ = ["Scenery", "bonuses", "gaps"]

_BOXES = (
    # key, kind of cell, display RGB
    ("walls", WALL, (0.29, 0.31, 0.36)),
    ("traps", TRAP, rgb(DARK.bad)),
    ("ice", SLIPPERY, (0.612, 0.796, 1.0)),
    ("starts", START, rgb(DARK.text)),
    ("goals", GOAL, rgb(DARK.good)),
)
_ARROW = 0.42
"""Length of a whole arrow, in cells."""
_DECADES = 3.0
"""Factors of ten in the bonus between a whole arrow and none."""
_SPREAD = 0.3
"""Over how much of a cell the ways of several methods are spread."""


def gaps(race: Race) -> dict[str, Value]:
    """Least V - V* over all states and steps, and what Lemma 2 allows where that is below V*."""
    values: dict[str, Value] = {"zero": 0.0}
    for name, contender in race.contenders.items():
        values[f"gap/{name}"] = float((contender.learner.values - race.best)[:-1].min())
        if isinstance(contender.learner, Eqo) and contender.learner.tolerance < race.target:
            values["promise"] = -contender.learner.tolerance
    return values


def _variances(race: Race, contender: Contender) -> NDArray[np.float64]:
    """Of the next value at this step, for each pair, under its estimates."""
    model, later = contender.model, contender.learner.values[race.step + 1]
    share = model.met / np.maximum(model.visits, 1.0)
    following = later[model.met_successors]
    mean = (share * following).sum(axis=0)
    return np.asarray(np.maximum((share * following**2).sum(axis=0) - mean**2, 0.0))


def bonuses(race: Race) -> dict[str, Value]:
    """Visits of every pair that was seen, and its bonus."""
    horizon = float(race.task.horizon)
    values: dict[str, Value] = {}
    most = 1.0
    for name, contender in race.contenders.items():
        model = contender.model
        seen = model.visits > 0.0
        rewards = model.reward_sums[seen] / model.visits[seen]
        variance = _variances(race, contender)[seen]
        values[f"visits/{name}"] = model.visits[seen]
        values[f"bonus/{name}"] = contender.learner.bonus(model.visits[seen], variance, rewards)
        most = max(most, float(model.visits.max()))
    values["ceiling_at"] = np.array([1.0, max(most, 2.0)])
    values["ceiling"] = np.array([horizon, horizon])
    return values


class Scenery:
    """A world as it is drawn.

    Parameters
    ----------
    world
        What is drawn.
    kinds
        Of the cells of a map, (rows, columns); None for others.
    sea
        Whether a state is reached at one step alone, that of its row.
    """

    def __init__(self, world: World, kinds: NDArray[np.float64] | None, sea: bool) -> None:
        self.world = world
        self._kinds, self._sea = kinds, sea
        self._river = kinds is None and not sea
        self._still: dict[str, NDArray[np.float64]] = {}
        if self._river:
            self._still["state"] = np.arange(world.states, dtype=np.float64)
        else:
            self._column = world.places[:, 0].astype(np.intp)
            self._row = world.places[:, 1].astype(np.intp)
            side = (int(self._row.max()) + 1, int(self._column.max()) + 1)
            self._shape = side if kinds is None else kinds.shape
        if kinds is not None:
            self._still["kinds"] = np.array(kinds)
            for key, kind, color in _BOXES:
                cells = np.argwhere(kinds == kind)[:, ::-1].astype(np.float64)
                self._still[key] = np.concatenate([cells + 0.04, cells + 0.96], axis=1)
                self._still[f"{key}_color"] = np.tile(color, (len(cells), 1))
        for array in self._still.values():
            array.setflags(write=False)

    def picture(self, race: Race, watched: Contender) -> dict[str, Value]:
        """All that is drawn on the world and over its states."""
        values: dict[str, Value] = dict(self._still)
        values |= self._river_now(race, watched) if self._river else self._plane(race, watched)
        return values

    # The river

    def _river_now(self, race: Race, watched: Contender) -> dict[str, Value]:
        values: dict[str, Value] = {
            "mist": watched.model.visits.reshape(2, -1), "best": race.best[race.step],
        }  # fmt: skip
        count = len(race.contenders)
        for place, (name, contender) in enumerate(race.contenders.items()):
            learner = contender.learner
            values[f"value/{name}"] = learner.values[race.step]
            state = float(contender.path[_last_step(race)])
            aside = 0.12 * (place - 0.5 * (count - 1.0))
            values[f"swimmer/{name}"] = np.array([[state + aside, 0.5]])
            if name in ARROWS:
                at, along = self._hope(race, contender, 0.06 if name == "eqo" else -0.06)
                values[f"pair/{name}"], values[f"hope/{name}"] = at, along
            if isinstance(learner, Eqo) and learner.tolerance < race.target:
                values["floor"] = np.maximum(race.best[race.step] - learner.tolerance, 0.0)
        return values

    def _hope(
        self, race: Race, contender: Contender, lift: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Arrows of the bonus, from each state left below and right above."""
        states = self.world.states
        share = _hope_shares(race, contender)
        x = np.tile(np.arange(states, dtype=np.float64), 2)
        y = np.repeat([0.25, 0.75], states) + lift
        sign = np.repeat([-1.0, 1.0], states)
        along = np.stack([_ARROW * sign * share, np.zeros(2 * states)], axis=1)
        return np.stack([x, y], axis=1), along

    # The sea and maps

    def _plane(self, race: Race, watched: Contender) -> dict[str, Value]:
        world, learner = self.world, watched.learner
        here = np.arange(world.states)
        if self._sea:
            step = world.horizon - 1 - self._row
        else:
            step = np.full(world.states, race.step)
        by_action = watched.model.visits.reshape(world.actions, -1)
        policy = learner.policy[step, here]
        share = _hope_shares(race, watched).reshape(world.actions, -1)[policy, here]
        values: dict[str, Value] = {
            "mist": self._laid(by_action.sum(axis=0)),
            "optimism": self._laid(learner.values[step, here] - race.best[step, here]),
            "policy": world.places + 0.5 - 0.5 * _ARROW * world.moves[policy],
            "policy_arrow": _ARROW * world.moves[policy],
            "policy_color": _glow(share),
        }
        count = len(race.contenders)
        for place, (name, contender) in enumerate(race.contenders.items()):
            aside = _SPREAD * ((place + 0.5) / count - 0.5)
            route = world.places[contender.path[: _last_step(race) + 1]] + 0.5 + aside
            values[f"way/{name}"] = np.stack([route[:-1], route[1:]], axis=1)
            values[f"swimmer/{name}"] = route[-1:]
        return values

    def _laid(self, of_states: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers of the states where they lie; NaN elsewhere."""
        result = np.full(self._shape, np.nan)
        result[self._row, self._column] = of_states
        return result


def _last_step(race: Race) -> int:
    """Of the newest path: within an episode the present one, between two that of the last."""
    return race.step or (race.world.horizon if race.episode else 0)


def _hope_shares(race: Race, contender: Contender) -> NDArray[np.float64]:
    """Bonus of each pair: 1 for H or where nothing was seen, 0 for a thousandth of H or less."""
    model = contender.model
    visits = np.maximum(model.visits, 1.0)
    bonus = contender.learner.bonus(visits, _variances(race, contender), model.reward_sums / visits)
    with np.errstate(divide="ignore"):  # c may be so small that a bonus is nothing
        share = np.clip(1.0 + np.log10(bonus / race.task.horizon) / _DECADES, 0.0, 1.0)
    return np.asarray(np.where(model.visits > 0.0, share, 1.0))


def _glow(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 3) display RGB: from quiet grey, where nothing is hoped for, to the warm accent."""
    quiet, warm = np.array(rgb(DARK.quiet)), np.array(rgb(DARK.accent))
    return np.asarray(quiet + share[:, None] * (warm - quiet))
