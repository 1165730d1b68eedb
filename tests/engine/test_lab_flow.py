"""The room of flows: sorted gradients against all pairs, shapes, steps, painting, claims."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.lab.catalog import experiment_class
from polyorama.lab.inference.directions import directions
from polyorama.lab.inference.flow import Flow, energy_pull, witness_gradient
from polyorama.lab.inference.flow_claims import CLAIMS, all_pairs
from polyorama.lab.inference.flow_experiment import FlowExperiment, FlowParams, first_target
from polyorama.lab.inference.flow_shapes import OBJECTS, PICTURES, SHAPES, of_painting, shape
from polyorama.lab.inference.slicing_kernels import Energy, Gauss, power_factor
from polyorama.lab.views import Splats
from tests.engine.chance import assert_normal, scores_of_mean
from tests.engine.lab_looks import (
    assert_claim_holds,
    assert_seeds_differ,
    assert_stepped_alike,
    keys_of,
    same,
)

SMALL = {"count": 300, "steps": 40}


def made(rivals=("energy",), **changes):
    return FlowExperiment(FlowParams(**{**SMALL, **changes}), rivals)


# Gradients


def slow_pull(particles, target, xi):
    """Gradients and energy distance over slices, pair by pair."""
    gradient, distance = np.zeros(particles.shape), 0.0
    for line in xi:
        x, y = particles @ line, target @ line
        signs = np.sign(x[:, None] - y).mean(axis=1) - np.sign(x[:, None] - x).mean(axis=1)
        gradient += signs[:, None] * line
        distance += 2.0 * np.abs(x[:, None] - y).mean()
        distance -= np.abs(x[:, None] - x).mean() + np.abs(y[:, None] - y).mean()
    factor = power_factor(1.0, particles.shape[1]) / len(xi)
    return factor * gradient, factor * distance


def test_pulls_by_sorting_are_those_of_pairs() -> None:
    random = np.random.default_rng(0)
    particles, target = random.standard_normal((90, 4)), random.standard_normal((70, 4)) + 0.5
    particles[:5] = particles[5]  # some meet
    xi = directions("orthogonal", 4, 7, random)
    want, distance = slow_pull(particles, target, xi)
    found, sliced = energy_pull(particles, target, xi)
    np.testing.assert_allclose(found, want, atol=1e-12)
    assert sliced == pytest.approx(distance, rel=1e-11)
    some, again = energy_pull(particles, target, xi, 10)
    np.testing.assert_allclose(some, want[:10], atol=1e-12)
    assert again == sliced
    assert np.array_equal(witness_gradient(Energy(), particles, target, xi), found)


def test_slices_are_unbiased_for_all_pairs() -> None:
    random = np.random.default_rng(1)
    particles, target = random.standard_normal((20, 3)), random.standard_normal((25, 3))
    want, distance = all_pairs(particles, target)
    pulls, distances = [], []
    for _ in range(300):
        pull, apart = energy_pull(particles, target, directions("orthogonal", 3, 2, random))
        pulls.append(pull)
        distances.append(apart)
    assert_normal(scores_of_mean(np.array(pulls) - want, 0.0))
    assert_normal([scores_of_mean(np.array(distances), distance)])


def gauss_pull(particles, target):
    """Gradients of s for the Gauss kernel of width 1, pair by pair."""
    gradient = np.zeros(particles.shape)
    for cloud, sign in ((particles, 1.0), (target, -1.0)):
        steps = particles[:, None] - cloud[None]
        heights = np.exp(-0.5 * (steps**2).sum(axis=2))
        gradient -= sign * (heights[:, :, None] * steps).mean(axis=1)
    return gradient


def test_a_gauss_flow_follows_its_own_gradient() -> None:
    random = np.random.default_rng(2)
    particles, target = random.standard_normal((30, 3)), random.standard_normal((40, 3)) + 1.0
    xi = directions("distance", 3, 256, random)
    want = gauss_pull(particles, target)
    found = witness_gradient(Gauss(1.0), particles, target, xi)
    assert np.linalg.norm(found - want) < 1e-3 * np.linalg.norm(want)


def test_a_step_is_what_it_is_said_to_be() -> None:
    random = np.random.default_rng(3)
    start, target = random.standard_normal((30, 3)), random.standard_normal((30, 3))
    flow = Flow(Energy(), start)
    place, velocity = start, np.zeros(start.shape)
    for _ in range(3):
        xi = directions("orthogonal", 3, 3, random)
        gradient, distance = energy_pull(place, target, xi)
        velocity = 0.7 * velocity - 0.1 * gradient
        place = place + velocity
        flow.step(target, xi, 0.1, 0.7)
        np.testing.assert_allclose(flow.particles, place, atol=1e-14)
        assert flow.distance == distance
    with pytest.raises(UsageError, match="finite rows"):
        Flow(Energy(), np.full((3, 2), np.nan))


def test_a_flow_in_a_plane_has_the_slices_of_the_plane() -> None:
    random = np.random.default_rng(4)
    particles, target = random.standard_normal((2, 40, 4))
    target += 1.0
    particles[:, 2] = target[:, 2] = 0.0
    axes = (0, 1, 3)
    xi = directions("distance", 3, 256, random)
    for kernel in (Gauss(1.0), Energy()):
        flow = Flow(kernel, particles)
        flow.step(target, xi, 1.0, 0.0, axes)
        if isinstance(kernel, Energy):
            want, distance = all_pairs(particles, target)
            assert flow.distance == pytest.approx(distance, rel=1e-3)
        else:
            want = gauss_pull(particles, target)
        limit = 0.02 if isinstance(kernel, Energy) else 1e-3  # the sign of a place has a jump
        assert np.linalg.norm(flow.velocities + want) < limit * np.linalg.norm(want)
        assert not flow.velocities[:, 2].any()


# Shapes


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_fit_into_the_cube(name: str) -> None:
    cloud = shape(name, 500, np.random.default_rng(0))
    assert cloud.places.shape == cloud.colors.shape == (500, 3)
    assert np.isfinite(cloud.places).all()
    assert 0.0 <= cloud.colors.min() <= cloud.colors.max() <= 1.0
    assert np.abs(cloud.places).max() <= 1.0
    assert np.ptp(cloud.places[:, :2]) > 1.0
    assert cloud.places[:, 2].any() == (name in OBJECTS)
    assert np.ptp(cloud.colors, axis=0).max() > 0.2
    other = shape(name, 500, np.random.default_rng(1))
    assert not np.array_equal(cloud.places, other.places)


def test_pictures_are_sampled_by_their_weights() -> None:
    values = np.zeros((64, 64))
    values[:32], values[32:] = 0.25, 0.75
    cloud = of_painting(values, 4000, np.random.default_rng(0))
    # One point in each of N equal shares: the split is exact up to one.
    assert abs((cloud.places[:, 1] > 0.0).sum() - 3000) <= 1
    # In random order: a correlation of N pairs that are independent has variance 1 / N.
    order = np.corrcoef(np.arange(4000), cloud.places[:, 1])[0, 1]
    assert_normal([order * np.sqrt(4000)])
    with pytest.raises(UsageError, match="Nothing is painted"):
        of_painting(np.zeros((64, 64)), 10, np.random.default_rng(0))
    with pytest.raises(UsageError, match="Shapes are"):
        shape("cube", 10, np.random.default_rng(0))


# The experiment


def test_it_is_in_the_gallery_and_presets_can_be_made() -> None:
    assert experiment_class("mmd-flow") is FlowExperiment
    for preset in FlowExperiment.presets:
        FlowExperiment(FlowParams(**preset.values), preset.rivals or None)


@pytest.mark.parametrize("rivals", [("energy",), ("energy", "gauss", "riesz")], ids=len)
def test_ten_steps_are_ten_times_one(rivals) -> None:
    assert_stepped_alike(lambda: made(rivals), (1, 5, 9))
    assert_seeds_differ(lambda: made(rivals), 15)


def test_particles_reach_the_target_and_the_run_ends() -> None:
    experiment = made(source="heart", target="moon", steps=150)
    first = experiment.reset(0)
    assert "300 particles are drawn to the moon" in first.note
    out = experiment.step(1)
    assert "far ones feel it as well" in out.note
    began = out.values["distance/energy"]
    last = experiment.step(1000)
    assert last.done
    assert last.step == 150
    assert "150 steps are done" in last.note
    assert last.values["distance/energy"] < 0.05 * began
    # So it is over all pairs, too.
    goal, flow = experiment._goal_state, experiment._flows["energy"]
    start = experiment._state_of(shape("heart", 300, np.random.default_rng(0)))
    assert all_pairs(flow.particles, goal)[1] < 0.05 * all_pairs(start, goal)[1]


def test_a_narrow_kernel_is_said_to_be_hardly_felt() -> None:
    experiment = made(
        ("gauss",), source="moon", target="heart", width=0.05, watch="gauss", steps=200
    )
    experiment.reset(0)
    assert experiment.step(1).note == "The particles set out for the heart."
    assert "Gauss hardly feels the target" in experiment.step(110).note


def test_what_lies_in_the_plane_stays_there() -> None:
    experiment = made()
    experiment.reset(0)
    assert not experiment.step(10).values["places"][:, 2].any()
    experiment.set("target", "chair")
    assert experiment.step(5).values["places"][:, 2].any()


def test_the_distance_of_pictures_is_that_of_all_pairs() -> None:
    ratios = []
    for seed in range(120):
        experiment = made(count=100)
        experiment.reset(seed)
        particles = experiment._flows["energy"].particles.copy()
        shown = experiment.step(1).values["distance/energy"]
        ratios.append(shown / all_pairs(particles, experiment._goal_state)[1])
    assert_normal([scores_of_mean(np.array(ratios), 1.0)])


def test_live_changes_are_a_part_of_the_run() -> None:
    def changed(grouping):
        experiment = made(("energy", "laplace"), target="painted")
        experiment.reset(3)
        for count in grouping:
            experiment.step(count)
        experiment.paint("painting", np.flipud(first_target()) * np.linspace(0, 1, 64))
        for name, value in (
            ("slices", 2), ("step", 0.05), ("momentum", 0.5), ("settle", 20.0), ("width", 0.3),
            ("watch", "laplace"),
        ):  # fmt: skip
            experiment.set(name, value)
        for count in grouping:
            experiment.step(count)
        experiment.set("target", "heart")
        for count in grouping:
            snapshot = experiment.step(count)
        return snapshot

    first = changed([8])
    assert same(first, changed([3, 1, 4]))
    untouched = made(("energy", "laplace"), target="painted")
    untouched.reset(3)
    assert not same(untouched.step(24), first)


def test_painting_moves_the_target_only_where_it_is_the_target() -> None:
    on, off = made(target="painted"), made()
    spot = np.zeros((64, 64))
    spot[40:, 40:] = 1.0
    for experiment in (on, off):
        experiment.reset(0)
        experiment.paint("painting", spot)
    assert on.step(1).values["goal_places"][:, :2].min() > 0.2
    assert off.step(1).values["goal_places"][:, :2].min() < -0.2
    goal = on.step(1).values["goal_places"]
    on.paint("painting", np.zeros((64, 64)))
    wiped = on.step(1)
    assert np.array_equal(wiped.values["goal_places"], goal)
    assert "Nothing is painted yet" in wiped.note
    with pytest.raises(UsageError, match="Nothing is painted"):
        on.reset(0)
    with pytest.raises(UsageError, match="finite"):
        on.paint("painting", np.full((64, 64), np.nan))


def test_all_that_is_shown_is_there_at_some_moment() -> None:
    experiment = made(tuple(rival.id for rival in FlowExperiment.rivals), count=1000)
    views = experiment.views()
    wanted = set().union(*(keys_of(view) for view in views))
    splats = [view for view in views if isinstance(view, Splats)]
    wanted |= {key for view in splats for key in (view.means, view.colors)}
    experiment.reset(0)
    seen: set[str] = set()
    lit: set[str] = set()
    for _ in range(12):
        snapshot = experiment.step(1)
        seen |= set(snapshot.values)
        lit |= set(snapshot.acting)
        assert all(0.0 <= share <= 1.0 for share in snapshot.acting.values())
        assert snapshot.note.endswith(".")
    assert wanted - seen == set()
    assert lit == set(experiment.formula.names) == {term.name for term in experiment.formula.terms}
    assert len(PICTURES) + len(OBJECTS) == len(SHAPES)


def test_snapshots_of_all_particles_stay_small() -> None:
    experiment = FlowExperiment(FlowParams(), ("energy",))
    snapshot = experiment.reset(0)
    assert len(snapshot.values["places"]) == 20_000
    assert sum(array.nbytes for array in snapshot.arrays.values()) < 400_000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"count": 1}, "count is between"),
        ({"slices": 0}, "slices is between"),
        ({"width": 0.0}, "width is between"),
        ({"step": float("nan")}, "finite"),
        ({"momentum": 1.0}, "momentum is between"),
        ({"source": "painted"}, "source is one of"),
    ],
)
def test_wrong_parameters_are_refused(options, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        FlowParams(**options)


def test_particles_that_are_lost_end_in_words() -> None:
    for rival in ("energy", "gauss"):
        experiment = made((rival,))
        experiment.reset(0)
        experiment._flows[rival].particles[0] = np.nan
        with pytest.raises(UsageError, match="finite"):
            experiment.step(1)


# Claims


@pytest.mark.parametrize(
    "claim",
    [pytest.param(c, marks=pytest.mark.study) if c.id == "falls" else c for c in CLAIMS],
    ids=[claim.id for claim in CLAIMS],
)
def test_claims_hold(claim) -> None:
    assert_claim_holds(claim)
