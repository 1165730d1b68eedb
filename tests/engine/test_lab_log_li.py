"""The room of Log-Li: steps, seeds, live changes, what it shows and what it claims."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import UsageError
from polyorama.lab.bandits.log_li_claims import CLAIMS, outcome
from polyorama.lab.bandits.log_li_experiment import LogLiExperiment, LogLiParams, first_painting
from polyorama.lab.bandits.surfaces import painted
from polyorama.lab.catalog import experiment_class, experiment_ids
from polyorama.lab.views import Bars, Curve, Field, Image, Points, Tree
from tests.engine.lab_looks import (
    assert_claim_holds,
    assert_seeds_differ,
    assert_stepped_alike,
    keys_of,
    same,
)

PRESETS = LogLiExperiment.presets
TITLES = [preset.title for preset in PRESETS]


def made(preset, **changes):
    values = {**preset.values, **changes}
    return LogLiExperiment(LogLiParams(**values), preset.rivals or None)


def test_it_is_the_first_of_the_gallery() -> None:
    assert experiment_ids()[0] == "bandits/log-li"
    assert experiment_class("log-li") is LogLiExperiment


@pytest.mark.parametrize("preset", PRESETS, ids=TITLES)
def test_ten_steps_are_ten_times_one(preset) -> None:
    assert_stepped_alike(lambda: made(preset), (1, 10, 30))
    assert_seeds_differ(lambda: made(preset), 41)


def test_a_run_ends_at_its_horizon() -> None:
    experiment = LogLiExperiment(LogLiParams(horizon=1010, stride=100))
    experiment.reset(0)
    snapshot = experiment.step(1000)
    assert snapshot.done
    assert snapshot.step == 11
    assert snapshot.values["pulls"] == 1010.0
    assert experiment.step(5).step == 11
    assert "All 1,010 pulls are over" in snapshot.note


@pytest.mark.parametrize("surface", ["tent", "test-bed", "painted"])
def test_live_changes_are_a_part_of_the_run(surface: str) -> None:
    def changed(grouping):
        experiment = LogLiExperiment(
            LogLiParams(surface=surface, stride=13), tuple(r.id for r in LogLiExperiment.rivals)
        )
        experiment.reset(3)
        for count in grouping:
            experiment.step(count)
        for name, value in (
            ("sigma", 0.3), ("trust", 0.5), ("pulls", 0.01), ("width", 4.0), ("smoothing", 0.1),
            ("watch", "hoo"),
        ):  # fmt: skip
            experiment.set(name, value)
        for count in grouping:
            experiment.step(count)
        experiment.paint("surface", np.flipud(first_painting()))
        for count in grouping:
            snapshot = experiment.step(count)
        return snapshot

    first = changed([20])
    assert same(first, changed([3, 7, 10]))
    untouched = LogLiExperiment(LogLiParams(surface=surface, stride=13))
    untouched.reset(3)
    assert first.values["regret/log-li"] != untouched.step(60).values["regret/log-li"]


def test_painting_moves_the_surface_only_where_it_is_painted() -> None:
    flat = np.full((64, 64), 0.5)
    on, off = LogLiExperiment(LogLiParams(surface="painted")), LogLiExperiment()
    for experiment in (on, off):
        experiment.reset(0)
        experiment.step(3)
        experiment.paint("surface", flat)
    assert np.ptp(on.step(1).values["surface"]) == 0.0
    assert np.ptp(off.step(1).values["surface"][..., 1]) > 0.5
    from_start = LogLiExperiment(LogLiParams(surface="painted"), paintings={"surface": flat})
    from_start.reset(0)
    assert from_start.step(100).values["regret/log-li"] == 0.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"horizon": 1}, "horizon is between"),
        ({"horizon": 10**9}, "horizon is between"),
        ({"sigma": -0.1}, "sigma is between"),
        ({"sigma": float("nan")}, "finite"),
        ({"surface": "moon"}, "surface is one of"),
        ({"stride": 0}, "stride is between"),
    ],
)
def test_wrong_parameters_are_refused(options, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        LogLiParams(**options)


def test_wrong_paintings_are_refused() -> None:
    experiment = LogLiExperiment(LogLiParams(surface="painted"))
    experiment.reset(0)
    for array in (np.zeros((3, 3)), np.full((64, 64), np.nan), np.full((64, 64), 2.0)):
        with pytest.raises(UsageError, match="Mean reward"):
            experiment.paint("surface", array)


@pytest.mark.parametrize("preset", PRESETS, ids=TITLES)
def test_all_that_is_shown_is_there_at_some_moment(preset) -> None:
    experiment = LogLiExperiment(
        LogLiParams(**preset.values), tuple(r.id for r in LogLiExperiment.rivals)
    )
    views = experiment.views()
    kinds = (Field, Points, Image, Curve, Bars, Tree)
    assert all(isinstance(view, kinds) for view in views)
    assert 1 <= len(views) <= 6
    assert len({view.id for view in views}) == len(views)
    wanted = set().union(*(keys_of(view) for view in views))
    wanted.discard("regret_slope")  # comes late, or not at all
    seen: set[str] = set()
    experiment.reset(1)
    names = set(experiment.formula.names)
    lit: set[str] = set()
    for watch in ("a-blin", "zooming", "hoo", "uniform-ucb1", "thompson"):
        experiment.set("watch", watch)
        snapshot = experiment.step(25)
        seen |= set(snapshot.values)
        lit |= set(snapshot.acting)
        assert all(0.0 <= share <= 1.0 for share in snapshot.acting.values())
        assert snapshot.note.endswith(".")
        assert sum(array.nbytes for array in snapshot.arrays.values()) < 1_000_000
    assert wanted - seen == set()
    assert lit == names == {term.name for term in experiment.formula.terms}


@pytest.mark.parametrize("surface", ["tent", "mesa", "test-bed", "plateau"])
def test_the_slope_of_the_theory_leaves_that_of_pulls_at_random(surface: str) -> None:
    experiment = LogLiExperiment(LogLiParams(surface=surface, stride=1000), ("log-li",))
    experiment.reset(0)
    first = experiment._first_pruning()
    logs = []
    while not (snapshot := experiment.step()).done:
        values = snapshot.values
        assert ("regret_slope" in values) == (values["pulls"] >= first)
        if "regret_slope" in values:
            assert values["regret_slope"] <= values["regret_chance"] * (1.0 + 1e-12)
            logs.append(np.log([values["pulls"], values["regret_slope"]]))
            known = values["regret_chance"] * first / values["pulls"]
    slope, start = np.polyfit(*np.transpose(logs), 1)
    zooming = {"tent": 0.0, "mesa": 1.0, "test-bed": 0.0, "plateau": 2.0}[surface]
    assert slope == pytest.approx((zooming + 1.0) / (zooming + 2.0))
    assert start + slope * np.log(first) == pytest.approx(np.log(known))


def test_a_painting_below_the_line_is_told() -> None:
    experiment = LogLiExperiment(LogLiParams(surface="painted", stride=50), ("log-li",))
    experiment.reset(0)
    experiment.step(200)
    experiment.paint("surface", 0.2 * first_painting())
    assert "pruned:" not in experiment.step(0).note
    notes = [experiment.step().note for _ in range(200)]
    assert notes[-1].startswith("The cube of the reference arm was pruned")
    assert not any("committed" in note for note in notes)


def test_the_boxes_of_a_round_tile_what_was_walked() -> None:
    for surface in ("tent", "test-bed"):
        experiment = LogLiExperiment(LogLiParams(surface=surface, stride=50), ("log-li",))
        experiment.reset(2)
        for _ in range(40):
            values = experiment.step(20).values
            boxes = np.concatenate([values["pruned"], values["kept"]])
            wide = boxes[:, 2] - boxes[:, 0]
            area = wide if surface == "tent" else wide * (boxes[:, 3] - boxes[:, 1])
            # Leaves do not overlap, and a round never walks more than the whole.
            assert area.sum() <= 1.0 + 1e-12
            if surface != "tent":
                continue  # the square is its own tree
            boxes = boxes[np.argsort(boxes[:, 0])]
            np.testing.assert_array_equal(boxes[1:, 0], boxes[:-1, 2])  # nor do they leave a gap
            parents, shares = values["tree_parents"], values["tree_shares"]
            assert (parents < np.arange(len(parents))).all()
            roots = shares[parents < 0].sum()
            assert 0.0 < roots <= 1.0


def test_the_tree_is_that_of_the_walk() -> None:
    experiment = LogLiExperiment(LogLiParams(stride=1, rewards="pull"), ("log-li",))
    experiment.reset(4)
    for _ in range(300):
        snapshot = experiment.step(7)
        walker = experiment._walker
        registers = walker.registers()
        parents, state = snapshot.values["tree_parents"], snapshot.values["tree_state"]
        node, depth = len(parents) - 1, 1
        assert state[node] == 1
        while parents[node] >= 0:
            node, depth = int(parents[node]), depth + 1
            assert state[node] == 2  # the walk only goes down where it kept
        assert depth == registers["Depth"]


def test_registers_are_shown_as_they_are() -> None:
    experiment = LogLiExperiment(LogLiParams(stride=1, rewards="pull"), ("log-li",))
    experiment.reset(4)
    bits = experiment.step(333).values["registers"]
    walker = experiment._walker
    for block, (code, size) in zip(bits, walker.codes(), strict=True):
        row = block.ravel()
        there = row[np.isfinite(row)]
        assert len(there) == size
        assert int("".join(str(int(bit)) for bit in there) or "0", 2) == code
    view = next(v for v in experiment.views() if v.id == "registers")
    assert view.labels == tuple(walker.registers())
    total = int(np.isfinite(bits).sum())
    assert total == walker.state_bits


@pytest.mark.parametrize("rivals", [("zooming",), ("log-li-commit",), ("a-blin", "thompson")])
def test_any_players_may_be_chosen(rivals) -> None:
    for surface in ("tent", "test-bed"):
        experiment = LogLiExperiment(LogLiParams(surface=surface, horizon=3000), rivals)
        experiment.reset(0)
        while not (snapshot := experiment.step(10)).done:
            assert snapshot.note
        assert snapshot.values.keys() >= {f"regret/{name}" for name in rivals}


def test_it_says_that_it_is_a_reconstruction_and_what_it_is_not() -> None:
    assert "reconstruction" in LogLiExperiment.caveat.lower()
    assert "not better than zooming" in LogLiExperiment.caveat
    assert "econstruction" in LogLiExperiment.formula.source


# Claims


def test_claims_have_ids_of_their_own_and_say_what_fails() -> None:
    ids = [claim.id for claim in CLAIMS]
    assert len(set(ids)) == len(ids)
    assert {claim.id for claim in CLAIMS if claim.shown_false} == {
        "as-good-as-zooming", "double-sum",
    }  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.id for claim in CLAIMS])
def test_claims_hold(claim) -> None:
    assert_claim_holds(claim)


def test_an_outcome_is_the_mean_over_its_seeds() -> None:
    found = run(outcome("uniform-ucb1", "tent", 2000))
    experiment_regrets = []
    for seed in range(3):
        experiment = LogLiExperiment(LogLiParams(horizon=2000), ("uniform-ucb1",))
        experiment.reset(seed)
        experiment_regrets.append(experiment.step(1000).values["regret/uniform-ucb1"])
    assert found.regret == pytest.approx(np.mean(experiment_regrets), rel=1e-12)


def test_parameters_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        LogLiParams().sigma = 0.2  # type: ignore[misc]


def test_the_first_painting_fits_its_canvas() -> None:
    canvas = LogLiExperiment.canvas("surface")
    canvas.checked(first_painting())
    assert 1.0 < painted(first_painting()).lipschitz < 4.0
