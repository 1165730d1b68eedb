"""Planning times and episodes of the room of EQO, beside named peers in one run.

rlberry-scool 0.7.3 needs an old gymnasium. It is timed by the Python that POLYORAMA_PEERS_PYTHON
names, else by this one; where that has it not, that part is skipped, saying so. Its UCBVI plans as
ours does, over a dense table in numba, and acts in the same river; acting is plain Python there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

from polyorama.lab.rl.eqo_claims import planning_times
from polyorama.lab.rl.eqo_experiment import EqoExperiment, EqoParams
from polyorama.lab.rl.race import METHODS, Race
from polyorama.lab.rl.worlds import river_swim

STATES, HORIZON, EPISODES = 20, 80, 5000

PEER = """
import json, sys, time
import warnings; warnings.simplefilter("ignore")
import logging; logging.disable(logging.CRITICAL)
import numpy as np
from rlberry_scool.agents import UCBVIAgent
from rlberry.envs.finite_mdp import FiniteMDP
states, horizon, episodes = map(int, sys.argv[1:])
P = np.zeros((states, 2, states)); R = np.zeros((states, 2))
for s in range(states):
    P[s, 0, max(s - 1, 0)] = 1
    for step, p in ((1, .35), (0, .6), (-1, .05)):
        P[s, 1, min(max(s + step, 0), states - 1)] += p
P[0, 1] = 0; P[0, 1, 1], P[0, 1, 0] = .6, .4
P[-1, 1] = 0; P[-1, 1, -1], P[-1, 1, -2] = .6, .4
R[0, 0], R[-1, 1] = .005, 1
def agent():
    return UCBVIAgent(FiniteMDP(R, P, initial_state_distribution=0), horizon=horizon, gamma=1.0,
                      stage_dependent=False)
agent().fit(budget=3)  # compiles
player = agent()
start = time.perf_counter()
player.fit(budget=episodes)
print(json.dumps((time.perf_counter() - start) / episodes))
"""


def numpy_plan(c: float = 1.0) -> float:
    """Seconds of a plan of EQO in plain numpy, (S, A) at once: the least of many."""
    race = Race(river_swim(STATES, HORIZON), ("eqo",), 0, EPISODES, dense=True)
    race.run(HORIZON * 100)
    model = race.contenders["eqo"].model
    chances = model.chances.reshape(STATES, 2, STATES).transpose(2, 1, 0).copy()
    with np.errstate(divide="ignore"):
        gain = (model.rewards + c / model.visits).reshape(2, STATES).T.copy()
    best = np.inf
    for _ in range(50):
        begun = time.perf_counter()
        values = np.zeros((HORIZON + 1, STATES))
        for h in reversed(range(HORIZON)):
            quality = np.minimum(gain + chances @ values[h + 1], HORIZON)
            values[h] = quality.max(axis=1)
            quality.argmax(axis=1)
        best = min(best, time.perf_counter() - begun)
    return best


def rlberry_episode() -> float | None:
    """Seconds of an episode of rlberry's UCBVI; None where it cannot be imported."""
    python = os.environ.get("POLYORAMA_PEERS_PYTHON", sys.executable)
    arguments = [python, "-c", PEER, str(STATES), str(HORIZON), "500"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return float(json.loads(done.stdout.splitlines()[-1])) if done.returncode == 0 else None


def episodes(name: str, dense: bool) -> float:
    """Seconds of all episodes of one method, with plans, moves and exact regret."""
    race = Race(river_swim(STATES, HORIZON), (name,), 0, EPISODES, dense=dense)
    begun = time.perf_counter()
    race.run(HORIZON * EPISODES)
    return time.perf_counter() - begun


def snapshots(**options: Any) -> float:
    """Snapshots a second of the experiment at its normal speed."""
    experiment = EqoExperiment(EqoParams(**options))
    experiment.reset(0)
    experiment.step(10)
    begun, count = time.perf_counter(), 200
    for _ in range(count):
        experiment.step(2)
    return count / (time.perf_counter() - begun)


def measure(table: Any) -> None:
    """Print the figures of the room; see `tests.bench.run.Table`."""
    dense, sparse = planning_times(dense=True), planning_times(dense=False)
    for name, seconds in dense.items():
        table.row(f"{name}: a plan, dense", 1e6 * seconds, "us", None)
    for name in ("ucbvi-bf", "mvp"):
        table.row(f"eqo over {name}: a plan, dense", dense["eqo"] / dense[name], "times", 0.6)
        table.row(f"eqo over {name}: a plan, sparse", sparse["eqo"] / sparse[name], "times", None)
    table.row("eqo: plain numpy over ours", numpy_plan() / dense["eqo"], "times", None)
    for name in METHODS:
        limit = 8.0 if name == "eqo" else None
        table.row(f"{name}: {EPISODES:,} episodes", episodes(name, dense=False), "s", limit)
    table.row(f"eqo: {EPISODES:,} episodes, dense", episodes("eqo", dense=True), "s", 8.0)
    peer = rlberry_episode()
    if peer is None:
        print("rlberry UCBVI: skipped, it cannot be imported")
    else:
        ours = min(episodes("ucbvi-bf", dense=True) for _ in range(3)) / EPISODES
        table.row("an episode of rlberry's UCBVI over ours", peer / ours, "times", None)
    table.row("untuned: snapshots a second", snapshots(), "", 30, True)
    ice = snapshots(world="ice", horizon=60, constants="tuned", stride=1)
    table.row("on ice: snapshots a second", ice, "", 30, True)
