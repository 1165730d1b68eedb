"""Rounds a second and memory of the bandits' room beside named peers, in one run.

SMPyBandits 0.9.7 and PyXAB 0.3.0 are old and do not import beside today's SciPy and NumPy. They are
timed by the Python that the variable POLYORAMA_PEERS_PYTHON names, else by this one; where that has
them not, a plain Python version of the same policy stands in, saying so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from polyorama.lab.bandits.policy import Game
from polyorama.lab.bandits.rivals import POLICIES
from polyorama.lab.bandits.surfaces import GARDEN
from tests.engine import bandit_reference as plain

MILLION = 1_000_000
PER_ROUND = ("uniform-ucb1", "thompson", "zooming", "hoo")
PEERS = {
    "uniform-ucb1": "SMPyBandits UCBalpha",
    "thompson": "SMPyBandits Thompson",
    "zooming": "PyXAB Zooming",
    "hoo": "PyXAB T_HOO",
}
PLAIN = {
    "uniform-ucb1": plain.uniform_ucb, "thompson": plain.thompson, "zooming": plain.zooming,
    "hoo": plain.hoo,
}  # fmt: skip

# The mean is that of our test bed; 81 arms are those of our grid at T = 80,000.
PEER = """
import contextlib, io, json, math, random, sys, time
import warnings; warnings.simplefilter("ignore")
name, rounds = sys.argv[1], int(sys.argv[2])
def mu(x, y):
    return 1 - math.hypot(x - .8, y - .7) / 2 - .3 * math.hypot(x - .1, y - .1)
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    if name in ("uniform-ucb1", "thompson"):
        from SMPyBandits.Policies.UCBalpha import UCBalpha
        from SMPyBandits.Policies.Thompson import Thompson
        from SMPyBandits.Policies.Posterior import Gauss
        grid = [(i + .5) / 9 for i in range(9)]
        means = [mu(x, y) for x in grid for y in grid]
        if name == "thompson":
            policy = Thompson(81, posterior=Gauss)
        else:
            policy = UCBalpha(81, alpha=.04)
        policy.startGame()
        start = time.perf_counter()
        for t in range(rounds):
            arm = policy.choice()
            policy.getReward(arm, random.gauss(means[arm], .1))
    else:
        import numpy as np
        from PyXAB.algos.HOO import T_HOO
        from PyXAB.algos.Zooming import Zooming
        square = [[0, 1], [0, 1]]
        algo = T_HOO(rounds=rounds, domain=square) if name == "hoo" else Zooming(domain=square)
        start = time.perf_counter()
        for t in range(1, rounds + 1):
            x, y = algo.pull(t)
            algo.receive_reward(t, random.gauss(mu(x, y), .1))
    print(json.dumps(rounds / (time.perf_counter() - start)), file=sys.__stdout__)
"""


def play(name: str, horizon: int = 80_000, **options: Any) -> float:
    """Rounds a second of one run; the kernels are compiled before."""
    game = Game(GARDEN["test-bed"], horizon, **options)
    POLICIES[name](game).play(100)
    player = POLICIES[name](game)
    start = time.perf_counter()
    player.play(horizon)
    return horizon / (time.perf_counter() - start)


def peer(name: str, rounds: int) -> float | None:
    """Rounds a second of the named peer; None where it cannot be imported."""
    python = os.environ.get("POLYORAMA_PEERS_PYTHON", sys.executable)
    done = subprocess.run(
        [python, "-c", PEER, name, str(rounds)], capture_output=True, text=True, check=False
    )
    return float(json.loads(done.stdout)) if done.returncode == 0 else None


def stand_in(name: str, rounds: int) -> float:
    """Rounds a second of our plain Python version at the start of the same game."""
    game = Game(GARDEN["test-bed"], 80_000)
    start = time.perf_counter()
    PLAIN[name](game, rounds)
    return rounds / (time.perf_counter() - start)


def measure(table: Any) -> None:
    """Print the figures of the room; see `tests.bench.run.Table`."""
    for name in ("log-li", "log-li-commit", "a-blin"):
        seconds = min(MILLION / play(name, MILLION) for _ in range(5))
        limit = 0.2 if name == "log-li" else None
        table.row(f"{name}: a million rounds, batches", 1e3 * seconds, "ms", limit and 1e3 * limit)
    one = max(play("log-li", MILLION, one_by_one=True) for _ in range(3))
    table.row("log-li: rounds a second, one by one", one / 1e6, "million", None)
    for name in PER_ROUND:
        rounds = 20_000 if name == "zooming" else 3000
        ours, theirs, who = 0.0, 0.0, PEERS[name]
        for _ in range(3):  # interleaved, each at its best
            ours = max(ours, play(name))
            found = peer(name, rounds)
            if found is None:
                if who == PEERS[name]:
                    print(f"{who}: skipped, it cannot be imported; plain Python stands in")
                    who = "plain Python"
                found = stand_in(name, 400 if name == "hoo" else 2000)
            theirs = max(theirs, found)
        table.row(f"{name}: rounds a second", ours / 1e6, "million", None)
        table.row(f"{name}: rounds a second of {who}", theirs / 1e6, "million", None)
        limit = None if who.startswith("PyXAB") else 50
        table.row(f"{name}: ours over {who}", ours / theirs, "times", limit, True)
    for name, policy in POLICIES.items():
        player = policy(Game(GARDEN["test-bed"], 80_000))
        player.play(80_000)
        table.row(f"{name}: state after 80,000 rounds", player.state_bits, "bits", None)
