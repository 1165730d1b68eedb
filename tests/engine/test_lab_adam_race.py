"""The race of optimisers: source, transformer, rivals, steps, what it shows and what it claims."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import torch

from polyorama.errors import UsageError
from polyorama.lab.catalog import experiment_class
from polyorama.lab.streams import stream
from polyorama.lab.training.adam_mini_claims import CLAIMS
from polyorama.lab.training.adam_mini_experiment import AdamMiniRace
from polyorama.lab.training.adam_mini_stage import MATRICES, PRESETS, RIVALS, RaceParams
from polyorama.lab.training.lion import Lion
from polyorama.lab.training.markov_source import MarkovSource
from polyorama.lab.training.optimiser_race import Racer, new_model, optimiser_of, state_bytes
from polyorama.lab.training.tiny_gpt import TinyGPT
from polyorama.lab.views import Bars, Curve, Image
from tests.engine.chance import assert_normal, scores_of_shares
from tests.engine.lab_looks import (
    assert_claim_holds,
    assert_seeds_differ,
    assert_stepped_alike,
    keys_of,
    same,
)

ALL = tuple(rival.id for rival in RIVALS)
TITLES = [preset.title for preset in PRESETS]


def made(rivals=ALL, **values) -> AdamMiniRace:
    return AdamMiniRace(RaceParams(**{"rows": 1, **values}), rivals)


# The source


@cache
def small_source() -> MarkovSource:
    return MarkovSource.zipf(5, 0.5, 0.7, 3)


def test_the_source_follows_zipf_three_times() -> None:
    """Beside the formula, a number at a time, with the same draws of the rankings."""
    p = small_source().probabilities
    assert p.shape == (5, 5, 5)
    assert p.sum(axis=2) == pytest.approx(np.ones((5, 5)), abs=1e-14)
    luck = stream(3, "rankings")
    logits = [-math.log(rank) for rank in range(1, 6)]
    rows = [[0.7 * float(x) for x in luck.permutation(logits)] for _ in range(10)]
    for a in range(5):
        for b in range(5):
            weights = [math.exp(0.5 * logits[c] + rows[a][c] + rows[5 + b][c]) for c in range(5)]
            wanted = [weight / math.fsum(weights) for weight in weights]
            assert p[a, b] == pytest.approx(wanted, rel=1e-12)


def test_the_entropy_is_that_of_the_stationary_chain() -> None:
    """Pairs as the states of a chain, whose distribution solves a linear system."""
    p = small_source().probabilities
    states = [(a, b) for a in range(5) for b in range(5)]
    chain = np.zeros((25, 25))
    for row, (a, b) in enumerate(states):
        for column, (x, c) in enumerate(states):
            if x == b:
                chain[row, column] = p[a, b, c]
    system = np.vstack([chain.T - np.eye(25), np.ones(25)])
    stationary = np.linalg.lstsq(system, np.r_[np.zeros(25), 1.0], rcond=None)[0]
    entropy = -sum(
        stationary[row] * math.fsum(q * math.log(q) for q in p[a, b])
        for row, (a, b) in enumerate(states)
    )
    assert small_source().entropy == pytest.approx(entropy, rel=1e-10)


def test_symbols_come_as_often_as_they_should() -> None:
    """Z-tests of all transitions over 4 seeds, error rate 1e-4 in all."""
    p = small_source().probabilities
    counts = np.zeros((5, 5, 5))
    for seed in range(4):
        drawn = small_source().sample(20, 500, np.random.default_rng(seed))
        assert drawn.shape == (20, 500)
        np.add.at(counts, (drawn[:, :-2], drawn[:, 1:-1], drawn[:, 2:]), 1.0)
    assert_normal([scores_of_shares(counts[a, b], p[a, b]) for a in range(5) for b in range(5)])


def test_symbols_are_drawn_by_inversion() -> None:
    drawn = small_source().sample(3, 40, np.random.default_rng(7))
    luck = np.random.default_rng(7)
    assert np.array_equal(drawn[:, :2], luck.integers(5, size=(3, 2)))
    uniforms = luck.random((3, 40))
    for row in range(3):
        for i in range(2, 40):
            p = small_source().probabilities[drawn[row, i - 2], drawn[row, i - 1]]
            below = math.fsum(p[: drawn[row, i]])
            assert below <= uniforms[row, i] < below + p[drawn[row, i]] + 1e-12


# The transformer


def test_the_transformer_cannot_see_what_comes() -> None:
    model = TinyGPT(7, 6, width=8, heads=2, layers=1, seed=1)
    symbols = torch.tensor([[0, 1, 2, 3, 4, 5]])
    changed = torch.tensor([[0, 1, 2, 6, 0, 1]])
    first, second = model(symbols), model(changed)
    assert torch.equal(first[:, :3], second[:, :3])
    assert not torch.equal(first[:, 3:], second[:, 3:])


def test_attention_is_that_of_its_formula() -> None:
    """One layer in float64 against sums over positions and heads."""
    layer = TinyGPT(7, 6, width=8, heads=2, layers=1, seed=1).double().h[0].attn
    x = torch.randn(1, 5, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    q, k, v = (
        (x[0] @ project.weight.T).detach().numpy()
        for project in (layer.q_proj, layer.k_proj, layer.v_proj)
    )
    mixed = np.zeros((5, 8))
    for head in (slice(0, 4), slice(4, 8)):
        for i in range(5):
            odds = np.exp([q[i, head] @ k[j, head] / 2.0 for j in range(i + 1)])
            mixed[i, head] = (odds / odds.sum()) @ v[: i + 1, head]
    wanted = mixed @ layer.o_proj.weight.detach().numpy().T
    assert layer(x)[0].detach().numpy() == pytest.approx(wanted, abs=1e-15, rel=1e-12)


def test_it_starts_by_guessing_and_is_as_large_as_the_references() -> None:
    model = new_model(0)
    assert sum(p.numel() for p in model.parameters()) == 110_912
    symbols = torch.from_numpy(np.random.default_rng(0).integers(64, size=(4, 65)))
    assert model.loss(symbols).item() == pytest.approx(math.log(64), abs=0.05)


# The rivals


def test_lion_is_its_algorithm() -> None:
    """Chen et al., Algorithm 2, a number at a time in float64."""
    generator = torch.Generator().manual_seed(0)
    ours = [torch.nn.Parameter(torch.randn(s, generator=generator).double()) for s in ((3, 2), 4)]
    optimiser = Lion(ours, 1e-2, (0.9, 0.99), weight_decay=0.1)
    values = [p.detach().view(-1).tolist() for p in ours]
    moments = [[0.0] * len(v) for v in values]
    for _ in range(12):
        for p, value, moment in zip(ours, values, moments, strict=True):
            p.grad = torch.randn(p.shape, generator=generator).double()
            for i, g in enumerate(p.grad.view(-1).tolist()):
                c = 0.9 * moment[i] + 0.1 * g
                value[i] -= 1e-2 * ((c > 0) - (c < 0) + 0.1 * value[i])
                moment[i] = 0.99 * moment[i] + 0.01 * g
        optimiser.step()
        for p, value in zip(ours, values, strict=True):
            assert p.detach().view(-1).numpy() == pytest.approx(value, rel=1e-13, abs=1e-13)


def test_lion_takes_closures_and_refuses_wrong_numbers() -> None:
    p = torch.nn.Parameter(torch.ones(2))
    still = torch.nn.Parameter(torch.ones(2))  # has no gradient
    optimiser = Lion([{"params": [p]}, {"params": [still]}], 0.5)

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    assert optimiser.step(closure).item() == 2.0
    assert p.tolist() == [0.5, 0.5]
    assert still.tolist() == [1.0, 1.0]
    for wrong in ({"lr": -1.0}, {"lr": math.nan}, {"betas": (0.9, 1.0)}, {"weight_decay": -1.0}):
        with pytest.raises(UsageError, match="Lion needs"):
            Lion([p], **wrong)


@pytest.mark.parametrize("rival", ALL)
def test_a_racer_steps_by_its_rule(rival: str) -> None:
    """A step decays all matrices alike and norms not at all; rates follow the schedule."""
    params = RaceParams(warmup=4, rows=1, weight_decay=0.5)
    racer = Racer(rival, params, 0)
    batch = torch.from_numpy(np.random.default_rng(0).integers(64, size=(1, 65)))
    for step in range(3):
        racer.step(batch, params)
        groups = racer.optimiser.param_groups
        decayed = [g for g in groups if g["decayed"]]
        through_momentum = 10.0 if rival == "sgd" else 1.0
        for group in decayed:
            product = group["lr"] * group["weight_decay"] * through_momentum
            assert product == pytest.approx(params.rate_at(step) * 0.5)
        if rival in ("adam-mini", "per-tensor"):
            assert len(groups) == 1  # tells norms by their names
        else:
            other = next(g for g in groups if not g["decayed"])
            assert other["weight_decay"] == 0.0
            assert all(p.ndim == 1 for p in other["params"])
            assert all(p.ndim == 2 for p in decayed[0]["params"])
    assert racer.steps == 3
    assert racer.loss < math.log(64) + 0.5


def test_the_smoothed_loss_is_a_mean_that_forgets() -> None:
    """The mean of the first twenty; then each step keeps 0.95 of it."""
    params, losses = RaceParams(rows=1), []
    racer = Racer("sgd", params, 0)
    batch = torch.from_numpy(np.random.default_rng(0).integers(64, size=(1, 65)))
    for _ in range(30):
        racer.step(batch, params)
        losses.append(racer.loss)
    late = sum(0.05 * 0.95 ** (29 - i) * losses[i] for i in range(20, 30))
    assert racer.smooth == pytest.approx(0.95**10 * np.mean(losses[:20]) + late, rel=1e-12)


def test_states_are_counted_as_they_are() -> None:
    """AdamW keeps two numbers a weight; Adafactor a row and a column of each matrix."""
    model = new_model(0)
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    counted = {}
    for rival in ALL:
        optimiser = optimiser_of(rival, model, RaceParams())
        assert state_bytes(optimiser) == 0
        optimiser.step()
        counted[rival] = state_bytes(optimiser) // 4
    weights = [tuple(p.shape) for p in model.parameters()]
    total = sum(math.prod(shape) for shape in weights)
    tensors = len(weights)
    assert counted["adamw"] == 2 * total
    assert counted["adam-mini"] == total + 1046
    assert counted["per-tensor"] == total + tensors
    assert counted["lion"] == counted["sgd"] == total
    assert counted["adafactor"] == sum(sum(shape) for shape in weights)


def test_the_rate_climbs_in_a_line_and_falls_to_a_tenth() -> None:
    params = RaceParams(lr=1e-3, warmup=10, steps=110)
    rates = [params.rate_at(step) for step in range(111)]
    assert rates[:10] == pytest.approx([1e-4 * (i + 1) for i in range(10)])
    assert rates[10] == max(rates) == pytest.approx(1e-3)
    assert rates[60] == pytest.approx(0.55e-3)
    assert rates[110] == pytest.approx(1e-4)
    assert RaceParams(warmup=0, steps=1).rate_at(0) == pytest.approx(3e-3)


# The race


def test_it_is_in_the_gallery() -> None:
    assert experiment_class("adam-mini") is AdamMiniRace


def test_steps_may_be_grouped_in_any_way() -> None:
    assert_stepped_alike(made, (1, 7, 10))
    assert_seeds_differ(made, 18)


def test_all_racers_see_the_same_batches_whoever_takes_part() -> None:
    """Alone, each comes to the same loss as beside the others."""
    together = made(steps=3)
    together.reset(1)
    values = together.step(100).values
    for rival in ("adam-mini", "lion"):
        alone = made((rival,), steps=3)
        alone.reset(1)
        assert alone.step(3).values[f"held_out/{rival}"] == values[f"held_out/{rival}"]


def test_a_race_ends_even_after_one_step() -> None:
    experiment = made(steps=1)
    experiment.reset(0)
    snapshot = experiment.step(1000)
    assert snapshot.done
    assert snapshot.step == len(ALL)
    assert experiment.step(5).step == len(ALL)
    assert all(snapshot.values[f"held_out/{rival}"] != math.log(64) for rival in ALL)


def test_live_changes_are_a_part_of_the_run() -> None:
    def changed(grouping):
        experiment = made(("adamw", "adam-mini", "sgd"))
        experiment.reset(3)
        for name, value in (
            ("lr", 1e-2), ("beta2", 0.5), ("weight_decay", 0.7), ("matrix", "tokens"),
        ):  # fmt: skip
            for count in grouping:
                experiment.step(count)
            experiment.set(name, value)
        return experiment.step(6)

    first = changed([5])
    assert same(first, changed([2, 3]))
    untouched = made(("adamw", "adam-mini", "sgd"))
    untouched.reset(3)
    values = untouched.step(26).values
    for rival in ("adamw", "adam-mini", "sgd"):
        assert values[f"loss/{rival}"] != first.values[f"loss/{rival}"]
    with pytest.raises(UsageError, match="cannot be changed"):
        untouched.set("rows", 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lr": math.nan}, "finite"),
        ({"lr": 0.0}, "lr is between"),
        ({"beta2": 1.0}, "beta2 is between"),
        ({"rows": 0}, "rows is between"),
        ({"steps": 0}, "steps is between"),
        ({"matrix": "moon"}, "matrix is one of"),
    ],
)
def test_wrong_parameters_are_refused(options, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        RaceParams(**options)


# What is seen


@pytest.mark.parametrize("preset", PRESETS, ids=TITLES)
def test_all_that_is_shown_is_there(preset) -> None:
    experiment = made(preset.rivals or AdamMiniRace.first_rivals, **preset.values)
    views = experiment.views()
    assert all(isinstance(view, Curve | Image | Bars) for view in views)
    assert 1 <= len({view.id for view in views}) == len(views) <= 6
    assert experiment.reset(1).note.endswith(".")
    snapshot = experiment.step(2 * len(experiment.active))
    for view in views:
        assert keys_of(view) <= set(snapshot.values), view.id
        if isinstance(view, Image) and view.labels:
            assert len(view.labels) == len(snapshot.values[view.key])
    names = set(experiment.formula.names)
    assert set(snapshot.acting) == names == {term.name for term in experiment.formula.terms}
    assert all(0.0 <= share <= 1.0 for share in snapshot.acting.values())
    assert sum(array.nbytes for array in snapshot.arrays.values()) < 1_000_000


@pytest.mark.parametrize("rivals", [("sgd",), ("adamw",), ("adam-mini", "lion")])
def test_any_racers_may_be_chosen(rivals) -> None:
    experiment = made(rivals, warmup=1, steps=3)
    experiment.reset(0)
    while not (snapshot := experiment.step()).done:
        assert snapshot.note.endswith(".")
    ids = {view.id for view in experiment.views()}
    assert ("gap" in ids) == ("adamw" in rivals)
    assert ("network" in ids) == ("adam-mini" in rivals)


def test_matrices_are_shown_as_the_optimisers_keep_them() -> None:
    experiment = made(("adamw", "adam-mini"))
    experiment.reset(0)
    experiment.step(10)
    counts = {"tokens": 64, "queries": 4, "keys": 4, "up": 256, "down": 64, "prediction": 64}
    for matrix, blocks in counts.items():
        experiment.set("matrix", matrix)
        values = experiment.step(0).values
        for rival in ("adamw", "adam-mini"):
            racer = experiment._racers[rival]
            weight = racer.model.get_parameter(MATRICES[matrix])
            shown = values[f"rates/{rival}"][0]
            assert shown.shape == tuple(weight.shape)
            kept = racer.optimiser.state[weight]["exp_avg_sq"].double().numpy().ravel()
            with np.errstate(divide="ignore"):
                rates = np.repeat(-0.5 * np.log10(kept), weight.numel() // kept.size)
            # A constant apart, whatever the scale; rows that no gradient reached are holes.
            known = np.isfinite(rates)
            assert np.array_equal(np.isfinite(shown).ravel(), known)
            apart = shown.ravel()[known] - rates[known]
            assert np.ptp(apart) < 1e-5
            assert np.median(shown.ravel()[known]) == pytest.approx(0.0, abs=1e-6)
        mini = values["rates/adam-mini"][0]
        stripes = mini.reshape(blocks, -1)
        assert all(np.ptp(stripe) == 0.0 for stripe in stripes if np.isfinite(stripe).all())
        place = list(MATRICES).index(matrix)
        tile, thinned = values["network"][place], mini[:: len(mini) // 64, :: mini.shape[1] // 64]
        known = np.isfinite(thinned)
        assert np.ptp((tile - thinned)[known]) < 1e-5


def test_it_says_when_a_racer_is_lost() -> None:
    experiment = made(("adamw", "adam-mini", "sgd"))
    experiment.reset(0)
    experiment.step(3)
    experiment._racers["sgd"].smooth = math.nan
    assert "guessing: SGD" in experiment.step(0).note
    assert all(word in AdamMiniRace.caveat for word in ("throughput", "SGD and Adafactor"))


# Claims


def test_claims_have_ids_of_their_own() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS) > 2
    assert {claim.id for claim in CLAIMS if claim.shown_false} == {"sgd-is-last"}


@pytest.mark.parametrize(
    "claim",
    [pytest.param(c, marks=pytest.mark.study) if c.study else c for c in CLAIMS],
    ids=[claim.id for claim in CLAIMS],
)
def test_claims_hold(claim) -> None:
    assert_claim_holds(claim)
