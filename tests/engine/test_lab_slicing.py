"""The room of slicing: steps, seeds, live changes, what it shows and what it claims."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import UsageError
from polyorama.lab.catalog import experiment_class
from polyorama.lab.inference.directions import (
    design,
    design_degree,
    prepared,
    sobol,
    spread_energy,
)
from polyorama.lab.inference.random_features import feature_kernel
from polyorama.lab.inference.slicing import SliceFunction, fast_sum
from polyorama.lab.inference.slicing_claims import CLAIMS, exponent, mean_errors
from polyorama.lab.inference.slicing_experiment import (
    LADDER,
    PIECES,
    SlicingExperiment,
    SlicingParams,
)
from polyorama.lab.inference.slicing_kernels import (
    KERNELS,
    Gauss,
    Laplace,
    kernel_named,
    power_factor,
)
from polyorama.lab.inference.slicing_methods import (
    Estimate,
    Problem,
    independent_error,
    mean_error,
)
from polyorama.lab.inference.sphere import orthogonal
from polyorama.lab.streams import stream
from polyorama.lab.views import Bars, Curve, Distribution, Points
from tests.engine.chance import assert_normal, scores_of_mean
from tests.engine.lab_looks import (
    assert_claim_holds,
    assert_seeds_differ,
    assert_stepped_alike,
    keys_of,
    same,
)

PRESETS = SlicingExperiment.presets
TITLES = [preset.title for preset in PRESETS]
ALL = tuple(rival.id for rival in SlicingExperiment.rivals)
RUNG = len(LADDER) * PIECES
LONG = ("three-dimensions", "ten-dimensions", "fifty-dimensions", "lead-in-fifty", "sum")
"""Claims that take longer than a test may, though not half a minute."""


def made(preset, **changes):
    values = {**preset.values, **changes}
    return SlicingExperiment(SlicingParams(**values), preset.rivals or None)


def problem(kernel=None, dimension: int = 3, count: int = 40) -> Problem:
    points = 0.1 * np.random.default_rng(0).standard_normal((count, dimension))
    return Problem.of(kernel or Gauss(0.15), points)


# Estimates


@pytest.mark.parametrize("name", KERNELS)
def test_estimates_are_those_of_the_sums(name: str) -> None:
    asked = problem(kernel_named(name, 0.15))
    estimate = Estimate("orthogonal", asked, 20, np.random.default_rng(1))
    for _ in range(3):
        estimate.add(7)
    assert estimate.added == 20
    zero = np.zeros((1, 3))
    want = fast_sum(asked.kernel, zero, asked.points, np.ones(1), estimate.lines)
    scale = np.abs(asked.exact).max()
    np.testing.assert_allclose(estimate.mean, want, atol=3e-3 * scale)
    # Of all points the series has the same scale, so that only the rounding differs.
    if name in ("gauss", "energy"):
        np.testing.assert_allclose(estimate.mean, want, atol=1e-8)
    estimate.renew(asked)
    np.testing.assert_allclose(estimate.mean, want, atol=3e-3 * scale)


def test_features_are_estimated_as_their_own_kernel() -> None:
    asked = problem()
    estimate = Estimate("rff", asked, 30, np.random.default_rng(2))
    estimate.add(30)
    want = feature_kernel(asked.points, estimate.lines)
    np.testing.assert_allclose(estimate.mean, want, atol=1e-13)


@pytest.mark.parametrize("name", ["gauss", "laplace", "energy"])
def test_the_exact_error_of_independent_directions_is_met(name: str) -> None:
    asked = problem(kernel_named(name, 0.15), count=30)
    random = np.random.default_rng(3)
    errors = np.array([mean_error("iid", asked, 256, random) for _ in range(120)])
    assert_normal(scores_of_mean(errors, independent_error(asked, 256)))


def test_which_methods_there_are() -> None:
    space, ten = problem(), problem(dimension=10)
    assert space.takes("design", 512)
    assert not space.takes("design", 1024)
    assert not ten.takes("design", 64)
    assert not problem(Laplace(0.1)).takes("sobol-rff", 64)
    assert not problem(kernel_named("energy", 1.0)).takes("rff", 64)
    with pytest.raises(UsageError, match="no method 'best'"):
        Estimate("best", space, 4, np.random.default_rng(0))
    with pytest.raises(UsageError, match="Kernels are"):
        kernel_named("box", 1.0)


def test_slice_functions_are_closed_forms_where_those_are_known() -> None:
    t = np.linspace(-0.5, 0.5, 41)
    # d = 3: F(s) = mean of f over [0, s], so f = (s F)'.
    found = SliceFunction(Gauss(0.2), 3, 0.5)(t)
    want = (1.0 - (t / 0.2) ** 2) * np.exp(-0.5 * (t / 0.2) ** 2)
    np.testing.assert_allclose(found, want, atol=1e-8)
    energy = SliceFunction(kernel_named("energy", 1.0), 10, 0.5)
    np.testing.assert_allclose(energy(t), -power_factor(1.0, 10) * np.abs(t), rtol=1e-14)
    few = SliceFunction(Gauss(0.2), 3, 0.5, 2)
    assert few.modes == 2
    assert np.abs(few(t) - want).max() > 0.01


# Directions that are shipped


def test_shipped_directions_are_what_they_are_said_to_be() -> None:
    random = np.random.default_rng(4)
    for count in LADDER[:-1]:
        xi = prepared("design", 3, count)
        degree = design_degree(3, count)
        line = np.array([0.6, 0.0, 0.8])
        for n in range(2, degree + 1, 2):
            assert np.mean((xi @ line) ** n) == pytest.approx(1 / power_factor(n, 3), abs=1e-9)
    for dimension in (3, 10, 50):
        for count in LADDER:
            if count <= dimension:
                continue
            xi = prepared("distance", dimension, count)
            assert xi.shape == (count, dimension)
            np.testing.assert_allclose((xi**2).sum(axis=1), 1.0, atol=1e-14)
            rivals = (orthogonal(dimension, count, random), sobol(dimension, count, random))
            assert spread_energy(xi) > max(spread_energy(rival) for rival in rivals)
            with pytest.raises(ValueError, match="read-only"):
                xi[0, 0] = 2.0


def test_a_design_is_made_anew_as_it_was_shipped() -> None:
    np.testing.assert_allclose(np.abs(design(3, 16)), np.abs(prepared("design", 3, 16)), atol=1e-5)


# The experiment


def test_it_is_in_the_gallery() -> None:
    assert experiment_class("qmc-slicing") is SlicingExperiment


@pytest.mark.parametrize("preset", PRESETS[:5:2] + PRESETS[6:8], ids=TITLES[:5:2] + TITLES[6:8])
def test_ten_steps_are_ten_times_one(preset) -> None:
    assert_stepped_alike(lambda: made(preset), (1, 16, 53))
    assert_seeds_differ(lambda: made(preset), 70)


def test_a_run_ends_after_its_runs() -> None:
    experiment = SlicingExperiment(SlicingParams(runs=2), ("iid", "orthogonal"))
    experiment.reset(0)
    snapshot = experiment.step(1000)
    assert snapshot.done
    assert snapshot.step == 2 * RUNG
    assert experiment.step(5).step == 2 * RUNG
    assert "All 2 runs are over: the error of Orthogonal falls fastest" in snapshot.note
    assert len(snapshot.values["error/iid"]) == len(LADDER)


def test_one_run_is_enough_and_none_is_refused() -> None:
    experiment = SlicingExperiment(SlicingParams(runs=1), ("iid",))
    experiment.reset(0)
    assert experiment.step(RUNG).done
    with pytest.raises(UsageError, match="runs is between"):
        SlicingParams(runs=0)


def test_errors_on_the_screen_are_those_of_the_methods() -> None:
    experiment = SlicingExperiment(SlicingParams(runs=3), ("iid", "rff"))
    experiment.reset(1)
    shown = experiment.step(2 * RUNG).values["error/rff"]
    for level in (0, 3):
        errors = []
        for number in range(2):
            random = stream(1, "directions", number, level)
            errors.append(mean_error("rff", experiment._problem, LADDER[level], random))
        assert shown[level] == pytest.approx(np.mean(errors), rel=1e-9)


def test_live_changes_are_a_part_of_the_run() -> None:
    def changed(grouping):
        experiment = SlicingExperiment(SlicingParams(), ("distance", "iid"))
        experiment.reset(3)
        for count in grouping:
            experiment.step(count)
        for name, value in (("modes", 5), ("goal", 1e-4), ("size", 5000), ("watch", "iid")):
            experiment.set(name, value)
        for count in grouping:
            snapshot = experiment.step(count)
        return snapshot

    first = changed([60])
    assert same(first, changed([13, 7, 40]))
    assert "with 5 of its" in first.note
    assert first.values["naive"] == 5000.0
    experiment = SlicingExperiment(SlicingParams(), ("distance", "iid"))
    experiment.reset(3)
    # With five waves f is wrong, and the error of spread directions stops there.
    assert experiment.step(120).values["latest/distance"] < first.values["latest/distance"] / 10


def test_a_changed_f_is_that_of_all_slices_that_were_added() -> None:
    experiment = SlicingExperiment(SlicingParams(modes=4, goal=0.1), ("distance",))
    other = SlicingExperiment(SlicingParams(), ("distance",))
    for each in (experiment, other):
        each.reset(0)
        each.step(PIECES + 8)
    mean = other._estimates["distance"].mean
    assert np.abs(experiment._estimates["distance"].mean - mean).max() > 1e-3
    experiment.set("modes", 1024)
    np.testing.assert_allclose(experiment._estimates["distance"].mean, mean, atol=1e-12)
    assert "error/distance" not in experiment.step(0).values  # it was measured with another f
    values = experiment.step(8).values
    assert values["counts/distance"].tolist() == [LADDER[1]]
    assert values["work/distance"] == 2 * LADDER[1]  # nothing is known of fewer


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dimension": "7"}, "dimension is one of"),
        ({"kernel": "box"}, "kernel is one of"),
        ({"width": 0.0}, "width is between"),
        ({"width": float("nan")}, "finite"),
        ({"modes": 0}, "modes is between"),
        ({"goal": 0.0}, "goal is between"),
    ],
)
def test_wrong_parameters_are_refused(options, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        SlicingParams(**options)


@pytest.mark.parametrize("dimension", ["2", "3", "10"])
def test_all_that_is_shown_is_there_at_some_moment(dimension: str) -> None:
    experiment = SlicingExperiment(SlicingParams(dimension=dimension), ALL)
    views = experiment.views()
    assert all(isinstance(view, Curve | Points | Bars | Distribution) for view in views)
    assert 2 <= len(views) <= 6
    assert len({view.id for view in views}) == len(views)
    wanted = set().union(*(keys_of(view) for view in views))
    if dimension == "2":  # where equal steps leave nothing but rounding
        wanted -= {"rate/distance", "rate/design"}
    if dimension == "10":  # no designs there
        wanted = {key for key in wanted if not key.endswith("/design")}
    seen: set[str] = set()
    lit: set[str] = set()
    experiment.reset(1)
    for step in range(RUNG + 2):
        experiment.set("watch", ALL[step % len(ALL)])
        snapshot = experiment.step(1)
        seen |= set(snapshot.values)
        lit |= {name for name, share in snapshot.acting.items() if share > 0.5}
        assert all(0.0 <= share <= 1.0 for share in snapshot.acting.values())
        assert snapshot.note.endswith(".")
        assert sum(array.nbytes for array in snapshot.arrays.values()) < 300_000
    lit |= {"kernel"}  # before the first step
    assert wanted - seen == set()
    assert lit == set(experiment.formula.names)
    assert lit == {term.name for term in experiment.formula.terms}


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_can_be_chosen(kernel: str) -> None:
    experiment = SlicingExperiment(SlicingParams(kernel=kernel), ALL)
    experiment.reset(0)
    values = experiment.step(3 * PIECES).values
    errors = values["error/distance"]
    assert len(errors) == 3
    assert errors[-1] < errors[0]
    assert ("error/rff" in values) == (kernel in ("gauss", "laplace", "matern"))
    assert ("error/sobol-rff" in values) == (kernel == "gauss")


def test_designs_end_before_the_others_and_stay_in_sight() -> None:
    experiment = SlicingExperiment(SlicingParams(watch="design", runs=1), ("iid", "design"))
    experiment.reset(0)
    before = experiment.step(6 * PIECES).values
    snapshot = experiment.step(8)
    assert "Design ends at 512 slices" in snapshot.note
    for key in ("lines/design", "cloud/design"):
        assert np.array_equal(snapshot.values[key], before[key])
    last = experiment.step(8).values
    assert last["counts/design"].tolist() == list(LADDER[:-1])
    assert last["counts/iid"].tolist() == list(LADDER)
    ten = SlicingExperiment(SlicingParams(watch="design", dimension="10"), ("iid", "design"))
    ten.reset(0)
    assert "cannot be had for this kernel and dimension" in ten.step(3).note


def test_it_says_where_the_claim_does_not_hold() -> None:
    assert "50" in SlicingExperiment.caveat


# Claims


def test_claims_have_ids_of_their_own_and_say_what_fails() -> None:
    ids = [claim.id for claim in CLAIMS]
    assert len(set(ids)) == len(ids)
    assert set(LONG) < set(ids)
    assert {claim.id for claim in CLAIMS if claim.shown_false} == {"lead-in-fifty"}


@pytest.mark.parametrize(
    "claim",
    [pytest.param(c, marks=pytest.mark.study) if c.id in LONG else c for c in CLAIMS],
    ids=[claim.id for claim in CLAIMS],
)
def test_claims_hold(claim) -> None:
    assert_claim_holds(claim)


def test_exponents_are_slopes_of_mean_errors() -> None:
    counts = (16, 64, 256)
    errors, expected = run(mean_errors(3, ("iid", "distance"), counts, 2))
    assert exponent(counts, expected) == pytest.approx(-0.5, abs=1e-12)
    assert exponent(counts, errors["distance"]) < -1.2
