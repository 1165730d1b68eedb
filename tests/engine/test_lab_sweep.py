"""Sweeps over seeds: means and confidence bands by hand, in processes, with failures."""

from __future__ import annotations

import csv
import math
import multiprocessing
from pathlib import Path

import numpy as np
import pytest

import polyorama as po
from polyorama.core.jobs import run
from polyorama.errors import UnavailableError, UsageError
from polyorama.io.photos import read_pixels
from polyorama.lab.experiment import ExperimentError
from polyorama.lab.exporting import save_figure
from polyorama.lab.sweep import sweep_job, t_quantile
from polyorama.lab.sweep_figure import sweep_figure
from tests.engine.chance import assert_normal
from tests.engine.lab_samples import Odd, Walk, WalkParams

SAMPLES = Path(__file__).with_name("lab_samples.py")
WALK, FAILING, ODD = (f"{SAMPLES}:{name}" for name in ("Walk", "Failing", "Odd"))


def swept(name: str = WALK, **options):
    return run(sweep_job(name, **{"seeds": 5, "steps": 40, "processes": 1, **options}))


def by_hand(seeds, steps, key: str, **params) -> np.ndarray:
    """(seeds, looks) of a scalar, each run by itself."""
    table = []
    for seed in seeds:
        walk = Walk(WalkParams(**params))
        walk.reset(seed)
        table.append([walk.step(int(step) - walk.steps).scalars[key] for step in steps])
    return np.array(table)


def student(t: float, freedom: int) -> float:
    """P(T <= t) by Simpson's rule over the density of Student's t."""
    x = np.linspace(0.0, t, 20_001)
    factor = math.gamma((freedom + 1) / 2) / (
        math.sqrt(freedom * math.pi) * math.gamma(freedom / 2)
    )
    density = factor * (1.0 + x * x / freedom) ** (-(freedom + 1) / 2)
    weights = np.ones(len(x))
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    return 0.5 + float(weights @ density) * (x[1] - x[0]) / 3.0


@pytest.mark.parametrize("freedom", [1, 2, 4, 19, 120])
@pytest.mark.parametrize("share", [0.9, 0.975, 0.995])
def test_quantiles_are_those_of_students_density(share, freedom) -> None:
    assert student(t_quantile(share, freedom), freedom) == pytest.approx(share, abs=1e-8)


def test_means_and_bands_are_those_of_the_runs() -> None:
    found = swept(level=0.9)
    place = found.columns.index("place/drifting")
    table = by_hand(range(5), found.steps, "place/drifting")
    mean, deviation = table.mean(axis=0), table.std(axis=0, ddof=1)
    assert found.mean[0, place] == pytest.approx(mean, rel=1e-12)
    assert found.half[0, place] == pytest.approx(2.131847 * deviation / 5**0.5, rel=1e-6)
    assert (found.count[0, place] == 5).all()
    assert (found.steps[0], found.steps[-1]) == (0, 40)


def test_it_does_not_matter_how_many_processes_there_are() -> None:
    one, two = swept(seeds=7), swept(seeds=7, processes=2)
    for name in ("count", "mean", "half"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
    assert one.columns == two.columns
    assert multiprocessing.active_children() == []


def test_a_parameter_has_a_band_for_each_of_its_values() -> None:
    found = swept(
        parameter="drift", values=(-0.5, 0.5), params={"horizon": 30}, rivals=("drifting",)
    )
    assert found.values == (-0.5, 0.5)
    assert found.columns == ("place/drifting", "late")
    at = int(np.flatnonzero(found.steps == 30)[0])
    for number, drift in enumerate(found.values):
        table = by_hand(range(5), [30], "place/drifting", drift=drift)
        assert found.mean[number, 0, at] == pytest.approx(table.mean())
    # All runs ended at step 30: later there is nothing, not a mean of fewer.
    assert (found.count[:, 0, at + 1 :] == 0).all()
    assert np.isnan(found.mean[:, 0, at + 1 :]).all()


def test_columns_that_only_some_runs_have_are_means_of_those() -> None:
    found = swept(ODD, seeds=4)
    odd = found.columns.index("odd")
    assert (found.count[0, odd] == 2).all()
    assert (found.mean[0, odd] == 1.0).all()
    assert not any(name.startswith("time/") for name in found.columns)
    fair = found.columns.index("place/fair")  # NaN and infinite at two of three steps
    assert (found.count[0, fair] == np.where(found.steps % 3 == 2, 4, 0)).all()


def test_one_run_has_a_mean_and_no_band() -> None:
    found = swept(seeds=[9])
    assert np.isfinite(found.mean[0, 0]).all()
    assert np.isnan(found.half).all()


def test_failed_runs_are_named_and_left_out() -> None:
    found = swept(FAILING, seeds=4, processes=2)
    assert [(failure.seed, failure.value) for failure in found.failures] == [(1, None), (3, None)]
    assert "a reward is NaN" in found.failures[0].text
    assert (found.count[0, 0] == 2).all()
    job = sweep_job(FAILING, seeds=4, steps=40, processes=1)
    assert [progress.done for progress in job] == [1, 2, 3, 4]


def test_where_all_fail_or_too_many_it_is_given_up() -> None:
    with pytest.raises(ExperimentError, match="2 runs failed, first that of seed 1: samples"):
        swept(FAILING, seeds=[1, 3])
    with pytest.raises(ExperimentError, match="20 runs failed, first that of seed 1"):
        swept(FAILING, seeds=1000)


def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(UnavailableError, match=r"ended by itself \(exit code 7\)"):
        swept(f"{SAMPLES}:Dying", processes=2)
    assert multiprocessing.active_children() == []


def test_closing_it_ends_processes_that_hang() -> None:
    job = sweep_job(f"{SAMPLES}:Sleeping", seeds=3, steps=1, processes=2)

    def pressed(_connections: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("polyorama.lab.sweep.wait", pressed)  # where Ctrl-C comes: nothing else does
        with pytest.raises(KeyboardInterrupt):
            next(job)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seeds": 0}, "1 to 1,000,000 seeds"),
        ({"seeds": -3}, "1 to 1,000,000 seeds"),
        ({"seeds": 10**7}, "1 to 1,000,000 seeds"),
        ({"seeds": []}, "1 to 1,000,000 seeds"),
        ({"seeds": [-1]}, "A seed is a whole number from 0"),
        ({"seeds": [1.5]}, "seed"),
        ({"seeds": [1, 2, 1]}, "named twice"),
        ({"steps": 0}, "shows nothing"),
        ({"every": 0}, "every 1 or more"),
        ({"steps": 10**6, "every": 1}, "100,000 times at most"),
        ({"processes": 0}, "1 or more processes, not 0"),
        ({"processes": -2}, "1 or more processes, not -2"),
        ({"level": 0.0}, "between 0 and 1"),
        ({"level": math.nan}, "between 0 and 1"),
        ({"parameter": "drift"}, "its name and its values"),
        ({"parameter": "slope", "values": (1,)}, "no parameter 'slope'"),
        ({"parameter": "drift", "values": (0.1, 9.0)}, "drift is between"),
        ({"params": {"drift": 9.0}}, "drift is between"),
        ({"rivals": ("nobody",)}, "no rival"),
    ],
)
def test_what_is_no_sweep(options, words) -> None:
    with pytest.raises(UsageError, match=words):
        swept(**options)


def test_an_experiment_without_scalars_is_no_sweep(tmp_path) -> None:
    path = tmp_path / "quiet.py"
    path.write_text(
        SAMPLES.read_text("utf-8").replace('{key: odd, "far": 1.0}', "{key: odd}"), "utf-8"
    )
    with pytest.raises(ExperimentError, match="shows no number"):
        swept(f"{path}:Faulty", steps=3)


def test_the_mean_and_band_of_many_seeds_are_those_of_standard_normals() -> None:
    found = swept(seeds=1000, steps=1, rivals=("fair",))
    assert found.count.shape == (1, 1, 2)
    assert (found.count == 1000).all()
    variance = 1000.0 * (found.half[0, 0, 1] / t_quantile(0.975, 999)) ** 2
    of_mean, of_variance = found.mean[0, 0, 1] * 1000.0**0.5, (variance - 1.0) * 499.5**0.5
    assert_normal([of_mean, of_variance])


def test_a_table_of_a_sweep_reads_back(tmp_path) -> None:
    found = swept(parameter="drift", values=(0.1, 0.2))
    found.write_csv(tmp_path / "sweep.csv")
    with (tmp_path / "sweep.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["drift", "scalar", "step", "mean", "low 95%", "high 95%", "runs"]
    assert len(rows) == 2 * len(found.columns) * len(found.steps)
    last = rows[len(found.columns) * len(found.steps) - 1]  # late, of the first value
    assert last[:3] == ["0.1", found.columns[-1], "40"]
    assert float(last[3]) == found.mean[0, -1, -1]
    assert float(last[5]) - float(last[4]) == pytest.approx(2 * found.half[0, -1, -1])
    assert [row[3] for row in rows if row[1] == "late" and row[2] == "0"] == ["", ""]


def test_a_figure_of_a_sweep_has_the_curves_with_bands(tmp_path) -> None:
    found = swept(ODD, seeds=3)  # NaN, a column of one run, a column of ones
    figure = sweep_figure(found, Odd())
    (curve,) = figure.axes
    assert curve.get_title(loc="left") == "Place"
    assert curve.get_ylabel() == "Place (m)"
    assert len(curve.lines) == len(curve.collections) == 2
    place = found.columns.index("place/drifting")
    assert np.array_equal(curve.lines[1].get_ydata(), found.mean[0, place])
    save_figure(figure, tmp_path / "sweep.png", "a sweep")
    assert read_pixels(tmp_path / "sweep.png").shape[:2] == (720, 1280)


def test_a_figure_of_a_sweep_has_a_line_a_value() -> None:
    found = swept(parameter="drift", values=(-0.5, 0.5))
    figure = sweep_figure(found, Walk(), ("place/drifting", "late"), log=True, theme="light")
    place, late = figure.axes
    assert place.get_title(loc="left") == "Place, Drifting"
    assert late.get_title(loc="left") == "late"
    assert late.get_xscale() == late.get_yscale() == "log"
    assert [len(axes.lines) for axes in (place, late)] == [1, 2]  # below zero there is no log
    (band,) = place.collections
    mean, half = found.mean[1, 1], found.half[1, 1]
    assert found.columns[1] == "place/drifting"
    assert (mean - half).min() < 0.0  # and so it goes on to the edge of the picture
    ends = band.get_paths()[0].vertices[:, 1]
    assert (ends.min(), ends.max()) == ((mean - half).min(), (mean + half).max())
    with pytest.raises(UsageError, match="no scalar 'early'"):
        sweep_figure(found, Walk(), ("early",))


def test_the_verb_takes_ten_seconds_of_normal_speed() -> None:
    found = po.sweep(WALK, seeds=2, params={"horizon": 2000}, processes=1)
    assert found.steps[-1] == 1000
    assert found.seeds == 2
