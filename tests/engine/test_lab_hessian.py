"""The Hessian of the small classifier: exact, in blocks, and the same however steps are grouped."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from polyorama.errors import UsageError
from polyorama.lab.catalog import experiment_class
from polyorama.lab.training.hessian_blocks import (
    Classifier,
    block_eigenvalues,
    block_share,
    hessian_of,
)
from polyorama.lab.training.hessian_claims import CLAIMS
from polyorama.lab.training.hessian_experiment import HessianBlocks, HessianParams
from polyorama.lab.views import Curve, Image, Points
from tests.engine.lab_looks import (
    assert_claim_holds,
    assert_seeds_differ,
    assert_stepped_alike,
    keys_of,
    same,
)

SMALL = {"classes": 6, "hidden": 3, "every": 4, "steps": 20}


@pytest.mark.parametrize("layers", [1, 2])
def test_it_is_how_the_gradient_changes(layers: int) -> None:
    """Central differences of the gradient, after some steps, in float64."""
    classifier = Classifier(5, 3, layers, 4)
    for _ in range(7):
        classifier.step(1e-2)
    network, data = classifier.network, classifier.data
    weights = classifier.weights.detach()

    def gradient(flat: torch.Tensor) -> np.ndarray:
        at = flat.clone().requires_grad_()
        return torch.autograd.grad(network.loss(at, *data), at)[0].numpy()

    found = hessian_of(network, weights, *data)
    assert found == pytest.approx(found.T, rel=1e-12, abs=1e-15)
    step = 1e-5
    for column in range(len(weights)):
        aside = torch.zeros_like(weights)
        aside[column] = step
        slope = (gradient(weights + aside) - gradient(weights - aside)) / (2.0 * step)
        assert found[:, column] == pytest.approx(slope, abs=1e-9)


def test_weights_into_a_neuron_stand_together() -> None:
    """A neuron's sum depends on its own weights alone."""
    network = Classifier(5, 3, 1, 0).network
    flat = np.arange(len(network.owner), dtype=np.float64)
    neurons = [row for matrix in network.matrices(flat) for row in matrix]
    assert len(neurons) == 3 + 5
    for number, row in enumerate(neurons):
        assert (network.owner[row.astype(int)] == number).all()
    assert len(network.start(0)) == len(flat) == 16 * 3 + 3 + 3 * 5 + 5


def test_shares_and_eigenvalues_are_those_of_the_blocks() -> None:
    owner = np.array([0, 0, 1, 2, 2])
    luck = np.random.default_rng(0)
    matrix = luck.normal(size=(5, 5))
    matrix = matrix + matrix.T
    within = sum(
        matrix[i, j] ** 2 for i in range(5) for j in range(5) if owner[i] == owner[j]
    )  # fmt: skip
    assert block_share(matrix, owner) == pytest.approx(within / (matrix**2).sum(), rel=1e-13)
    assert block_share(np.diag([1.0, 2, 3, 4, 5]), owner) == 1.0
    assert block_share(np.zeros((5, 5)), owner) == 1.0
    found = block_eigenvalues(matrix, owner)
    for block, (start, stop) in zip(found, ((0, 2), (2, 3), (3, 5)), strict=True):
        part = matrix[start:stop, start:stop]
        assert block.sum() == pytest.approx(np.trace(part), rel=1e-12, abs=1e-12)
        assert (block**2).sum() == pytest.approx((part**2).sum(), rel=1e-12)


def test_steps_may_be_grouped_in_any_way() -> None:
    def made() -> HessianBlocks:
        return HessianBlocks(HessianParams(**SMALL))

    assert_stepped_alike(made, (1, 6, 8))
    assert_seeds_differ(made, 15)


def test_the_rate_may_change_on_the_way() -> None:
    def changed(grouping, lr):
        experiment = HessianBlocks(HessianParams(**SMALL))
        experiment.reset(2)
        for count in grouping:
            experiment.step(count)
        experiment.set("lr", lr)
        return experiment.step(8)

    assert same(changed([5], 0.1), changed([2, 3], 0.1))
    assert changed([5], 0.1).values["loss"] != changed([5], 0.01).values["loss"]
    experiment = HessianBlocks(HessianParams(**SMALL))
    experiment.reset(2)
    with pytest.raises(UsageError, match="cannot be changed"):
        experiment.set("classes", 7)


def test_pictures_are_of_the_start_half_way_and_now() -> None:
    experiment = HessianBlocks(HessianParams(**SMALL))
    pictures = [experiment.reset(0).values["hessian"]]
    for _ in range(5):
        snapshot = experiment.step(4)
        pictures.append(snapshot.values["hessian"])
        assert np.array_equal(snapshot.values["start"], pictures[0])
        half = min(len(pictures) - 1, 2)
        assert np.array_equal(snapshot.values["half"], pictures[half])
    assert snapshot.done
    assert not np.array_equal(pictures[0], pictures[2])
    exact = experiment._classifier.hessian
    shown = 10.0 ** pictures[-1][0].astype(np.float64)
    wanted = np.maximum(np.abs(exact) / np.abs(exact).max(), 1e-3)
    assert shown == pytest.approx(wanted, rel=5e-3)  # logarithms in half precision
    assert experiment.step(9).step == 20


def test_one_step_is_a_run() -> None:
    experiment = HessianBlocks(HessianParams(classes=2, hidden=2, steps=1))
    experiment.reset(0)
    snapshot = experiment.step(10)
    assert snapshot.done
    assert snapshot.step == 1
    assert snapshot.values["chance"] == math.log(2)


@pytest.mark.parametrize("preset", HessianBlocks.presets, ids=lambda preset: preset.title)
def test_all_that_is_shown_is_there(preset) -> None:
    experiment = HessianBlocks(HessianParams(**preset.values))
    snapshot = experiment.reset(1)
    views = experiment.views()
    assert all(isinstance(view, Curve | Image | Points) for view in views)
    assert len({view.id for view in views}) == len(views) == 6
    for view in views:
        assert keys_of(view) <= set(snapshot.values), view.id
    dots = [snapshot.values[f"curvatures/{which}"] for which in ("hidden", "classes")]
    neurons = len(np.bincount(experiment._owner))
    assert 1.0 <= dots[0][:, 0].min() <= dots[0][:, 0].max() < dots[1][:, 0].min()
    assert dots[1][:, 0].max() <= neurons
    assert all((part[:, 1] > 0.0).all() for part in dots)
    assert set(snapshot.acting) == set(experiment.formula.names)
    assert snapshot.note.endswith(".")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lr": math.nan}, "finite"),
        ({"classes": 1}, "classes is between"),
        ({"hidden": 0}, "hidden is between"),
        ({"layers": 3}, "layers is between"),
        ({"every": 0}, "every is between"),
    ],
)
def test_wrong_parameters_are_refused(options, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        HessianParams(**options)


def test_it_is_in_the_gallery() -> None:
    assert experiment_class("hessian-blocks") is HessianBlocks


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.id for claim in CLAIMS])
def test_claims_hold(claim) -> None:
    assert_claim_holds(claim)
