"""What the rooms of the lab are asked alike: snapshots, views, groupings of steps, claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polyorama.lab.claims import Claim
    from polyorama.lab.experiment import Experiment
    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import View

_KEYS = (
    "key", "value", "x", "low", "high", "over", "vector", "covariance", "contours", "limit",
    "nodes", "edges", "weight", "parents", "shares", "state",
    "means", "colors", "scales", "quats", "opacities",
)  # fmt: skip
"""Fields of views, layers and series that name values; those that hold an axis are no text."""


def bits(snapshot: Snapshot) -> dict[str, object]:
    """Everything in a snapshot but what a clock measured, each number as its bytes."""
    values = {
        key: (np.asarray(value).dtype.str, np.shape(value), np.asarray(value).tobytes())
        for key, value in snapshot.values.items()
        if not key.startswith("time/")
    }
    acting = {key: np.float64(value).tobytes() for key, value in snapshot.acting.items()}
    return {**values, "": (snapshot.step, snapshot.note, snapshot.done, acting)}


def same(first: Snapshot, second: Snapshot) -> bool:
    """Whether all of two snapshots agrees, bit for bit."""
    return bits(first) == bits(second)


def keys_of(view: View) -> set[str]:
    """The keys of values that a view, its layers and its series name."""
    parts = (view, *getattr(view, "layers", ()), *getattr(view, "series", ()))
    found = {getattr(part, name, "") for part in parts for name in _KEYS}
    return {key for key in found if isinstance(key, str) and key}


def assert_stepped_alike(make: Callable[[], Experiment], counts: Sequence[int]) -> Snapshot:
    """Steps give the same however they are grouped; returns what the last gave."""
    at_once, one_by_one, again = make(), make(), make()
    assert same(at_once.reset(5), one_by_one.reset(5))
    for count in counts:
        snapshot = at_once.step(count)
        for _ in range(count):
            other = one_by_one.step()
        assert same(snapshot, other)
    first = again.reset(5)
    again.step(3)
    assert same(again.reset(5), first)
    assert same(again.step(sum(counts)), snapshot)
    return snapshot


def assert_seeds_differ(make: Callable[[], Experiment], count: int) -> None:
    """After so many steps runs of two seeds are not alike."""
    first, second = make(), make()
    first.reset(5), second.reset(6)
    assert not same(first.step(count), second.step(count))


def assert_claim_holds(claim: Claim) -> None:
    """Every figure that a claim measures is accepted."""
    figures = run(claim.measure())
    assert figures
    assert not [f"{figure.name}: {figure.value:g}" for figure in figures if not figure.holds]
