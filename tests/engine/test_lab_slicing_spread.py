"""The room of directions that repel: they spread, steps, heat, what it shows."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.lab.catalog import experiment_class
from polyorama.lab.inference.directions import directions, spread_energy
from polyorama.lab.inference.slicing_methods import Estimate
from polyorama.lab.inference.slicing_spread import MOST_ENERGY, SpreadExperiment, SpreadParams
from tests.engine.chance import assert_normal, scores_of_mean
from tests.engine.lab_looks import keys_of, same

ALL = tuple(rival.id for rival in SpreadExperiment.rivals)


def made(rivals=("distance", "iid"), **changes):
    return SpreadExperiment(SpreadParams(**{"count": "32", **changes}), rivals)


def test_random_directions_lack_what_they_are_expected_to() -> None:
    random = np.random.default_rng(0)
    lacking = [MOST_ENERGY - spread_energy(directions("iid", 3, 32, random)) for _ in range(300)]
    shown = made().reset(0).values["uneven_random"]
    assert_normal([scores_of_mean(np.array(lacking), shown)])


def test_they_spread_and_are_of_use() -> None:
    experiment = made()
    first = experiment.reset(1).values
    assert first["error/distance"] == first["error/iid"]  # they begin alike
    lacking = [first["uneven/distance"]]
    for _ in range(30):
        values = experiment.step(2).values
        lacking.append(values["uneven/distance"])
    assert (np.diff(lacking) < 0.0).all()
    assert values["error/distance"] < 0.05 * values["error/iid"]
    assert values["least/distance"] > 5.0 * values["least/iid"]
    places = values["places/distance"]
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(places[:32], -places[32:])


def test_errors_are_those_of_the_estimates() -> None:
    experiment = made(("orthogonal",))
    shown = experiment.reset(4).values["error/orthogonal"]
    estimate = Estimate("iid", experiment._problem, 32, np.random.default_rng(0))
    estimate.lines = experiment._sets["orthogonal"]
    estimate.add(32)
    assert shown == pytest.approx(estimate.error, rel=1e-12)


def test_ten_steps_are_ten_times_one_and_changes_belong_to_the_run() -> None:
    def changed(grouping):
        experiment = made(("distance", "iid", "sobol"))
        experiment.reset(2)
        for count in grouping:
            experiment.step(count)
        for name, value in (("heat", 0.2), ("step", 0.5), ("watch", "iid")):
            experiment.set(name, value)
        for count in grouping:
            snapshot = experiment.step(count)
        return snapshot

    first = changed([12])
    assert same(first, changed([1, 4, 7]))
    cold = made(("distance", "iid", "sobol"))
    cold.reset(2)
    assert cold.step(24).values["uneven/distance"] < first.values["uneven/distance"]


def test_all_that_is_shown_is_there_at_some_moment() -> None:
    experiment = made(ALL, steps=12, heat=0.01)
    assert experiment_class("inference/directions") is SpreadExperiment
    wanted = set().union(*(keys_of(view) for view in experiment.views()))
    seen = set(experiment.reset(0).values)
    lit: set[str] = set()
    for watch in (*ALL, "distance"):
        experiment.set("watch", watch)
        snapshot = experiment.step(2)
        seen |= set(snapshot.values)
        lit |= set(snapshot.acting)
        assert all(0.0 <= share <= 1.0 for share in snapshot.acting.values())
        assert snapshot.note.endswith(".")
    assert wanted - seen == set()
    assert lit == set(experiment.formula.names) == {term.name for term in experiment.formula.terms}
    assert snapshot.done
    assert experiment.step(3).step == 12


def test_presets_fit_and_wrong_parameters_are_refused() -> None:
    for preset in SpreadExperiment.presets:
        experiment = SpreadExperiment(SpreadParams(**preset.values), preset.rivals or None)
        assert experiment.reset(0).note
    still = made(("iid",))
    still.reset(0)
    assert "does not take part" in still.step(5).note
    for options in ({"count": "20"}, {"heat": 2.0}, {"step": float("nan")}, {"steps": 0}):
        with pytest.raises(UsageError):
            SpreadParams(**options)
