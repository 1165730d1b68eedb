"""One sentence about the moment, and which terms of the formula act."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polyorama.lab.bandits.log_li import LogLi
    from polyorama.lab.bandits.policy import Policy

__all__ = ["acting_of", "note_of"]

_LATELY = 64
"""Cubes, back from the one that was judged last."""


def acting_of(walker: LogLi | None) -> dict[str, float]:
    """How strongly the terms of the formula acted on the cube that was judged last, 0..1."""
    if walker is None or walker.committed:
        return {}
    registers = walker.registers()
    wanted = walker.game.cube_pulls(registers["Depth"])
    acting = {"pulls": min(1.0, registers["Pulls of this cube"] / wanted)}
    rows = walker.judged(max(0, walker.visits - 1))
    if len(rows):
        _depth, _path, _pulls, _mean, width, rise, _line, verdict = rows[0]
        both = max(width + rise, 1e-300)
        acting |= {
            "mean": 1.0, "width": width / both, "rise": rise / both,
            "line": 1.0 if verdict == 0 else 0.35,
        }  # fmt: skip
    return acting


def note_of(policies: Mapping[str, Policy], walker: LogLi | None, trust: float, done: bool) -> str:
    """What is happening, in one sentence."""
    if done:
        return _ending(policies)
    if walker is None:
        return "Log-Li is not among the players."
    if walker.committed:
        place = ", ".join(f"{x:.3f}" for x in walker.arm)
        return f"Log-Li has committed: it plays ({place}) until the last pull."
    if walker.visits == 0:
        if trust < 1.0:
            return f"The players are told {trust:g} of the true slope: good cubes may be pruned."
        return "Nothing is known yet; the first cube is being pulled."
    if _lost_its_reference(walker):
        return "The cube of the reference arm was pruned: another landscape, or a wrong slope."
    registers = walker.registers()
    if walker.visits == walker.round_start:
        return (
            f"Round {registers['Round']}: all is forgotten but one arm, sure of {walker.line:.3f}."
        )
    depth, _path, pulls, mean, width, rise, line, verdict = walker.judged(walker.visits - 1)[0]
    if verdict == 0:
        short = line - (mean + width + rise)
        return f"At its best this cube of depth {depth:.0f} stays {short:.3f} under the line."
    if verdict == 2:
        times = "one pull" if pulls == 1 else f"{pulls:,.0f} pulls"
        return (
            f"Sure of {mean - width:.3f} after {times}: the best of round {registers['Round']} so "
            f"far."
        )
    if registers["Depth"] > depth:
        children = 2**walker.game.surface.dimension
        return f"It may hold the best arm: down into its {children} children."
    return f"It may hold the best arm, but round {registers['Round']} goes no deeper."


def _lost_its_reference(walker: LogLi) -> bool:
    """Whether the cube of the reference arm itself, or one around it, was pruned lately."""
    registers, dimension = walker.registers(), walker.game.surface.dimension
    rows = walker.judged(walker.visits - _LATELY)
    above = registers["Reference depth"] - rows[:, 0].astype(np.int64)
    around = np.int64(registers["Reference path"]) >> (np.maximum(above, 0) * dimension)
    return bool(((above >= 0) & (around == rows[:, 1]) & (rows[:, 7] == 0)).any())


def _ending(policies: Mapping[str, Policy]) -> str:
    """Regret and memory at the end, of the players that are there."""
    first = next(iter(policies.values()))
    if len(policies) == 1:
        return (
            f"All {first.time:,} pulls are over: {first.title} kept {first.state_bits:,} bits and "
            f"paid a regret of {first.regret:,.0f}."
        )
    best = min(policies.values(), key=lambda policy: policy.regret)
    small = min(policies.values(), key=lambda policy: policy.state_bits)
    if best is small:
        return (
            f"All {first.time:,} pulls are over: {best.title} has the lowest regret here, "
            f"{best.regret:,.0f}, and the smallest memory, {best.state_bits:,} bits."
        )
    times_regret = small.regret / max(best.regret, 1e-300)
    times_bits = best.state_bits / small.state_bits
    return (
        f"All {first.time:,} pulls are over: {best.title} took {times_bits:,.1f} times the bits, "
        f"{small.title} {times_regret:,.1f} times the regret."
    )
