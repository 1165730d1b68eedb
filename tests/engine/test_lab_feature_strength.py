"""The feature learning strength: networks, plane, portraits, what is shown and claimed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from polyorama.errors import UsageError
from polyorama.lab.catalog import experiment_class, experiment_ids
from polyorama.lab.streams import stream
from polyorama.lab.training.feature_claims import CLAIMS
from polyorama.lab.training.feature_experiment import FeatureParams, FeatureStrength, grid_of
from polyorama.lab.training.feature_nets import Network, Stack, losses_of
from polyorama.lab.training.feature_notes import Watched, note_of
from polyorama.lab.training.feature_plane import Edge, Plane, edge_of, exponent
from polyorama.lab.training.feature_portrait import (
    alignment,
    kernel_change,
    sharpness,
    singular_values,
    tangent_kernel,
)
from polyorama.lab.training.feature_room import Room, binned, checkpoints_of
from polyorama.lab.training.feature_tasks import Digits, Teacher, task_of
from polyorama.lab.training.feature_watch import Watch
from tests.engine.chance import assert_normal, scores_of_mean
from tests.engine.feature_reference import jacobian, plain_conv, plain_step
from tests.engine.lab_looks import (
    assert_claim_holds,
    assert_seeds_differ,
    assert_stepped_alike,
    keys_of,
    same,
)

PRESETS = FeatureStrength.presets
TITLES = [preset.title for preset in PRESETS]
TINY = {"resolution": 1, "width": 8, "batch": 8, "steps": 12}


def made(preset, **changes):
    values = {**preset.values, **TINY, **changes}
    return FeatureStrength(FeatureParams(**values), preset.rivals or None)


# Networks, against slow and plain ones in float64


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_steps_of_many_networks_are_those_of_back_propagation(depth: int) -> None:
    network = Network("mlp", depth, 5, 6, 2)
    luck = np.random.default_rng(depth)
    initial = network.initial(3)
    gammas, etas = np.array([1e-3, 0.3, 40.0]), np.array([1e-7, 0.02, 1.5])
    stack = Stack(network, initial, gammas, etas)
    first = [w[0].numpy() for w in initial]
    plain = [[w.copy() for w in first] for _ in gammas]
    for _ in range(4):
        x, y = luck.standard_normal((7, 5)), luck.standard_normal((7, 2))
        losses = stack.step(torch.from_numpy(x), torch.from_numpy(y))
        for k in range(3):
            loss, plain[k] = plain_step(plain[k], first, gammas[k], etas[k], x, y)
            assert losses[k].item() == pytest.approx(loss, rel=1e-9)
            for ours, theirs in zip(stack.weights, plain[k], strict=True):
                np.testing.assert_allclose(ours[k].detach().numpy(), theirs, rtol=1e-9)
    moved = [
        np.sqrt(
            sum(((w - w0) ** 2).sum() for w, w0 in zip(plain[k], first, strict=True))
            / sum((w0**2).sum() for w0 in first)
        )
        for k in range(3)
    ]
    np.testing.assert_allclose(stack.movement().numpy(), moved, rtol=1e-7)


def test_convolutions_are_those_of_loops() -> None:
    network = Network("conv", 4, 64, 6, 3)
    luck = np.random.default_rng(0)
    weights = [torch.from_numpy(luck.standard_normal((2, *shape))) for shape in network.shapes]
    x = luck.standard_normal((3, 64))
    found = network(weights, torch.from_numpy(x)).numpy()
    # The second convolution sees the four places of a quarter, row by row.
    for k, b in np.ndindex(2, 3):
        expected = plain_conv([w[k].numpy() for w in weights], x[b], 6)
        np.testing.assert_allclose(found[k, b], expected, rtol=1e-12)
    own = network(weights, torch.from_numpy(np.stack([x, x])))
    np.testing.assert_array_equal(own.numpy(), found)


def test_losses_are_means() -> None:
    luck = np.random.default_rng(1)
    f, y = luck.standard_normal((2, 5, 4)), np.eye(4)[luck.integers(0, 4, 5)]
    squares = losses_of(torch.from_numpy(f), torch.from_numpy(y), False).numpy()
    entropy = losses_of(torch.from_numpy(f), torch.from_numpy(y), True).numpy()
    for k in range(2):
        total = 0.0
        for b in range(5):
            share = np.exp(f[k, b]) / np.exp(f[k, b]).sum()
            total -= np.log(share[y[b].argmax()])
        assert squares[k] == pytest.approx(np.mean((f[k] - y) ** 2), rel=1e-12)
        assert entropy[k] == pytest.approx(total / 5, rel=1e-12)


@pytest.mark.parametrize(
    "sizes",
    [("rnn", 2, 3, 3, 1), ("mlp", 1, 3, 3, 1), ("mlp", 2, 3, 0, 1), ("conv", 3, 64, 8, 1),
     ("conv", 4, 12, 8, 1), ("conv", 4, 64, 1, 1)],
)  # fmt: skip
def test_wrong_networks_are_refused(sizes) -> None:
    with pytest.raises(UsageError, match="network"):
        Network(*sizes)


# Portraits


@pytest.mark.parametrize("kind", ["mlp", "conv"])
def test_the_tangent_kernel_is_that_of_the_jacobian(kind: str) -> None:
    inputs = 64 if kind == "conv" else 4
    network = Network(kind, 4, inputs, 4, 3)
    luck = np.random.default_rng(2)
    weights = [torch.from_numpy(luck.standard_normal((2, *shape))) for shape in network.shapes]
    x = torch.from_numpy(luck.standard_normal((5, inputs)))
    gammas = np.array([0.1, 7.0])
    found = tangent_kernel(network, weights, torch.from_numpy(gammas), x).numpy()
    y = luck.standard_normal((5, 3))
    for k in range(2):
        rows = jacobian(network, [w[k : k + 1] for w in weights], x).reshape(5, 3, -1)
        kernel = np.einsum("pcw,qcw->pq", rows, rows) / gammas[k] ** 2
        np.testing.assert_allclose(found[k], kernel, rtol=1e-10)
        along = np.trace(y.T @ kernel @ y) / np.linalg.norm(kernel) / np.linalg.norm(y @ y.T)
        ours = alignment(torch.from_numpy(kernel[None]), torch.from_numpy(y))
        assert ours.item() == pytest.approx(along, rel=1e-12)
        change = kernel_change(torch.from_numpy(3.0 * kernel[None]), torch.from_numpy(kernel[None]))
        assert change.item() == pytest.approx(2.0, rel=1e-12)
    matrix = weights[1][0].numpy()
    ours = singular_values(weights, 1, 2)[0].numpy()
    expected = np.sqrt(np.linalg.eigvalsh(matrix.T @ matrix)[::-1][:2] / matrix.shape[0])
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


@pytest.mark.parametrize("entropy", [False, True])
def test_sharpness_is_the_top_eigenvalue_of_the_whole_hessian(entropy: bool) -> None:
    network = Network("mlp", 3, 3, 4, 2)
    initial = network.initial(0)
    luck = torch.Generator().manual_seed(1)
    count = sum(a * b for a, b in network.shapes)
    weights = [
        w0 + 0.3 * torch.randn(2, *w0.shape[1:], generator=luck, dtype=torch.float64)
        for w0 in initial
    ]
    x = torch.randn(6, 3, generator=luck, dtype=torch.float64)
    y = torch.eye(2, dtype=torch.float64)[torch.tensor([0, 1, 0, 0, 1, 1])]
    gammas = torch.tensor([0.2, 3.0], dtype=torch.float64)
    found = sharpness(network, weights, initial, gammas, x, y, entropy, count).numpy()
    frozen = network(initial, x)
    for k in range(2):

        def loss(flat, k=k):
            parts = torch.split(flat, [a * b for a, b in network.shapes])
            shaped = [p.reshape(1, *s) for p, s in zip(parts, network.shapes, strict=True)]
            f = (network(shaped, x) - frozen) / gammas[k]
            return losses_of(f, y, entropy)[0]

        flat = torch.cat([w[k].ravel() for w in weights])
        hessian = torch.autograd.functional.hessian(loss, flat).numpy()
        top = np.linalg.eigvalsh(hessian)[-1]
        assert found[k] == pytest.approx(network.width * top, rel=1e-6)


# The plane


def small_plane(gammas, etas, **options):
    network = Network("mlp", 3, 12, 8, 1)
    settings = {"steps": 20, "batch": 8, "seed": 0, **options}
    return Plane(network, Teacher(12, 0), np.array(gammas), np.array(etas), **settings)


def finished(plane):
    for _ in range(plane.length):
        plane.step()
    return plane


def test_networks_do_not_see_each_other() -> None:
    gammas, etas = [1e-3, 5e-3, 1e-3, 0.5, 2.0, 30.0], [1e-6, 1e-3, 1e9, 0.05, 0.3, 1e12]
    together = finished(small_plane(gammas, etas))
    for k, (gamma, eta) in enumerate(zip(gammas, etas, strict=True)):
        alone = finished(small_plane([gamma], [eta]))
        close = 1e-9 if gamma < 1e-2 else 1e-3
        known = np.isfinite(alone.losses[:, 0])
        np.testing.assert_array_equal(np.isfinite(together.losses[:, k]), known)
        np.testing.assert_allclose(
            together.losses[known, k], alone.losses[known, 0], rtol=close, atol=1e-9
        )
    np.testing.assert_array_equal(together.alive, [True, True, False, True, True, False])
    assert np.isnan(together.recent()[[2, 5]]).all()


def test_single_precision_is_enough_from_a_hundredth_on() -> None:
    gammas, etas = np.array([0.01, 0.1, 10.0]), np.array([1e-4, 1e-2, 0.5])
    single = finished(small_plane(gammas, etas))
    task, network = Teacher(12, 0), single.network
    double = Stack(network, single.initial, gammas, etas)
    luck = stream(0, "batches")
    for step in range(single.length):
        x, y = task.batch(luck, 8)
        losses = double.step(torch.from_numpy(x), torch.from_numpy(y)).numpy()
        np.testing.assert_allclose(single.losses[step], losses, rtol=2e-3)


def test_all_start_at_the_loss_of_saying_nothing() -> None:
    plane = small_plane([1e-3, 1.0, 1e3], [1e-9, 1e-9, 1e-9], steps=3)
    assert (plane.recent() == 1.0).all()
    plane.step()
    np.testing.assert_allclose(plane.losses[0] / plane.idle[0], 1.0, rtol=1e-6)


def test_checkpoints_have_the_weights_of_their_step() -> None:
    plane = small_plane([1e-3, 0.5, 1.0], [1e-6, 0.05, 1e12], steps=6, checkpoints=(2, 6))
    finished(plane)
    assert plane.checkpoints == (0, 2, 6)
    weights, pairs = plane.weights_at([1, 1, 1, 2], [0, 1, 2, 2])
    np.testing.assert_array_equal(pairs, [0, 1, 2])  # the third has diverged
    shorter = finished(small_plane([0.5], [0.05], steps=2, checkpoints=(2,)))
    expected, _ = shorter.weights_at([0], [1])
    for layer in range(3):
        np.testing.assert_allclose(weights[layer][0], plane.initial[layer][0])
        np.testing.assert_allclose(weights[layer][1], expected[layer][0], rtol=1e-4, atol=1e-6)
    assert np.isnan(plane.moved[2])
    none, pairs = plane.weights_at([2], [2])
    assert len(pairs) == 0
    assert all(len(weight) == 0 for weight in none)


def test_portraits_do_not_depend_on_when_they_are_asked_for() -> None:
    etas, asked = [0.02, 1e12], {}
    for when in (range(21), (20,)):
        plane = small_plane([0.5, 0.5], etas, checkpoints=(5, 10, 20))
        watch = Watch(plane, 0)
        for step in range(21):
            if step in when:
                portrait = watch.portrait(0)
                assert watch.portrait(0) is portrait
            if step < 20:
                plane.step()
        asked[len(when)] = portrait
        gone = watch.portrait(1)
        assert np.isfinite(gone.sharpness[0])
        assert np.isnan(gone.sharpness[1:]).all()
        assert np.isfinite(watch.strengths([0, 1])).tolist() == [True, False]
        assert watch.first_layer(1, 3) is None
    live, late = asked[21], asked[1]
    np.testing.assert_array_equal(live.steps, [0, 5, 10, 20])
    for name in ("sharpness", "alignment", "change", "singular"):
        np.testing.assert_allclose(getattr(live, name), getattr(late, name), rtol=1e-6, atol=1e-9)
    assert live.change[0] < 1e-6  # theta_0 in float32
    assert live.change[-1] > 0.0


def test_the_lazy_edge_is_where_gradient_descent_turns() -> None:
    """Full batches, the probe itself: linearised networks are stable below the edge alone."""
    network, task = Network("mlp", 2, 4, 8, 1), Teacher(4, 0)
    plane = Plane(network, task, np.ones(1), np.ones(1), steps=1, batch=1, seed=0)
    watch = Watch(plane, 0)
    gamma = 1e-5
    edge = watch.lazy_edge() * gamma**2
    stack = Stack(network, plane.initial, np.full(2, gamma), np.array([0.9 * edge, 1.1 * edge]))
    for _ in range(40):
        losses = stack.step(watch._x, watch._y)
    assert losses[0] < 1.5
    assert losses[1] > 3.0


def test_edges_are_the_last_before_the_first_gap() -> None:
    gammas = np.array([0.1, 1.0, 10.0])
    etas = np.repeat([[1.0], [2.0], [3.0], [4.0], [5.0]], 3, axis=1)
    recent = np.array(
        [
            [0.9, 0.9, 0.9], [0.5, 0.6, 0.9], [0.2, 0.3, 0.8], [0.3, 0.9, np.nan],
            [np.nan, 0.1, np.nan],
        ]
    )  # fmt: skip
    found = edge_of(gammas, etas, recent)
    np.testing.assert_array_equal(found.largest, [4.0, 3.0, np.nan])
    np.testing.assert_array_equal(found.best, [3.0, 5.0, np.nan])


def test_exponents_are_slopes_of_what_is_known() -> None:
    gammas = 10.0 ** np.arange(-3, 4)
    rates = 5.0 * gammas**1.5
    rates[[1, 6]] = np.nan
    slope, start = exponent(gammas, rates, 1e-3, 1e3)
    assert slope == pytest.approx(1.5)
    assert start == pytest.approx(np.log10(5.0))
    assert np.isnan(exponent(gammas, rates, 90.0, 110.0)[0])


def test_bins_keep_the_sum() -> None:
    for count in (1, 2, 7, 300):
        line = np.random.default_rng(count).random(count)
        steps, means = binned(line, 20)
        assert len(steps) <= 20
        assert (np.diff(steps) > 0.0).all()
        # Middles and the ends before them give each stretch's length.
        ends = [0.0]
        for middle in steps:
            ends.append(2.0 * (middle - 0.5) - ends[-1])
        assert ends[-1] == pytest.approx(count)
        assert (np.diff(ends) * means).sum() == pytest.approx(line.sum())


def test_checkpoints_end_with_the_run() -> None:
    assert checkpoints_of(1) == (1,)
    for steps in (2, 12, 400, 20_000):
        found = checkpoints_of(steps)
        assert found[-1] == steps
        assert len(found) <= 20
        assert list(found) == sorted(set(found))


def test_batches_of_teachers_and_digits() -> None:
    teacher = Teacher(12, 5)
    np.testing.assert_allclose(teacher.directions @ teacher.directions.T, np.eye(2), atol=1e-12)
    x, y = teacher.batch(np.random.default_rng(0), 40_000)
    assert teacher.start == 1.5
    assert_normal([scores_of_mean(y[:, 0] ** 2, 1.5)])
    u, v = teacher.directions
    np.testing.assert_allclose(y[:, 0], x @ u + 0.5 * ((x @ v) ** 2 - 1.0), atol=1e-12)
    digits = Digits(0, entropy=False)
    pictures, labels = digits.batch(np.random.default_rng(0), 50)
    assert pictures.shape == (50, 64)
    assert (labels.sum(1) == 1.0).all()
    assert (labels**2).mean() == pytest.approx(digits.start)
    held = {tuple(row) for row in digits.probe(np.random.default_rng(1), 300)[0]}
    seen = {tuple(row) for row in digits.batch(np.random.default_rng(1), 3000)[0]}
    assert not held & seen
    with pytest.raises(UsageError, match="not 'moon'"):
        task_of("moon", 12, 0)


# The experiment


def test_it_is_in_the_gallery() -> None:
    assert "training/feature-strength" in experiment_ids()
    assert experiment_class("feature-strength") is FeatureStrength


@pytest.mark.parametrize("preset", PRESETS, ids=TITLES)
def test_any_grouping_of_steps_is_the_same_run(preset) -> None:
    assert_stepped_alike(lambda: made(preset), (1, 7))
    assert_seeds_differ(lambda: made(preset), 8)


def test_a_run_ends_with_its_steps() -> None:
    experiment = made(PRESETS[0])
    experiment.reset(5)
    last = experiment.step(100)
    assert last.done
    assert last.step == 12
    assert experiment.step(5).step == 12


def test_live_changes_are_a_part_of_the_run() -> None:
    def watched(grouping):
        experiment = made(PRESETS[3])
        experiment.reset(1)
        for count in grouping:
            experiment.step(count)
        experiment.set("log_gamma", -1.2)
        experiment.set("log_eta", -3.1)
        for count in grouping:
            snapshot = experiment.step(count)
        return snapshot

    changed = watched([6])
    assert same(changed, watched([1, 2, 3]))
    np.testing.assert_allclose(changed.values["watched"], [[-1.5, -3.5, -0.5, -2.5]])
    experiment = made(PRESETS[0])
    experiment.reset(0)
    with pytest.raises(UsageError, match="cannot be changed"):
        experiment.set("width", 16)


@pytest.mark.parametrize("show", ["plane", "network", "depths"])
def test_a_run_of_one_step(show: str) -> None:
    experiment = FeatureStrength(FeatureParams(**{**TINY, "steps": 1, "show": show}))
    assert experiment.reset(0).note
    snapshot = experiment.step(3)
    assert snapshot.done
    assert snapshot.step == 1
    assert snapshot.note.endswith(".")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 0}, "width is between"),
        ({"steps": 0}, "steps is between"),
        ({"batch": 0}, "batch is between"),
        ({"log_gamma": float("nan")}, "finite"),
        ({"log_eta": 9.0}, "log_eta is between"),
        ({"task": "moon"}, "task is one of"),
    ],
)
def test_wrong_parameters_are_refused(options, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        FeatureParams(**options)


@pytest.mark.parametrize("preset", PRESETS, ids=TITLES)
def test_all_that_is_shown_is_there_at_the_end(preset) -> None:
    experiment = made(preset, steps=40, width=16)
    views = experiment.views()
    assert 1 <= len(views) <= 6
    assert len({view.id for view in views}) == len(views)
    experiment.reset(0)
    snapshot = experiment.step(40)
    missing = set().union(*(keys_of(view) for view in views)) - set(snapshot.values)
    # What needs rich networks that have learnt is not there after so few steps; slow strengths
    # have no time of their own, and only rich ones are drawn in it.
    late = {"rich", "edge_theory", "time", "lazy", "lazy_line", "line_color"}
    assert {key.partition("/")[0].removesuffix("_ratio") for key in missing} <= late | {
        "rich_line", "rich_strength"
    }  # fmt: skip
    names = set(experiment.formula.names)
    assert set(snapshot.acting) == names == {term.name for term in experiment.formula.terms}
    assert all(0.0 <= share <= 1.0 for share in snapshot.acting.values())
    assert snapshot.note.endswith(".")
    assert sum(array.nbytes for array in snapshot.arrays.values()) < 200_000


def test_planes_that_are_too_large_are_refused() -> None:
    experiment = FeatureStrength(FeatureParams(resolution=4, width=128), ("mlp-4",))
    with pytest.raises(UsageError, match="too many to train at once"):
        experiment.reset(0)


def test_colours_are_the_fall_of_the_loss_or_the_movement() -> None:
    gammas, etas = grid_of(1)
    room = Room("mlp-2", "teacher", 8, 8, 10, gammas, etas, 0)
    for _ in range(10):
        room.plane.step()
    recent = room.plane.recent().reshape(len(etas), len(gammas))
    np.testing.assert_allclose(10.0 ** -room.colors(False), recent, rtol=1e-5)
    moved = room.colors(True)
    np.testing.assert_array_equal(np.isnan(moved), np.isnan(recent))
    assert np.isnan(recent[-1, 0])  # the fastest of the laziest
    assert moved[0, -1] < -3.0  # the slowest of the richest


def test_just_below_the_edge_is_a_row_below_it_or_two_below_what_rises() -> None:
    gammas, etas = grid_of(1)
    room = Room("mlp-2", "teacher", 4, 4, 1, gammas, etas, 0)
    losses = np.ones((len(etas), 7))
    losses[3:6, 0], losses[6, 0] = 0.5, 1.5  # learnt up to row 5
    losses[[3, 5], 1] = 0.5  # up to a gap above row 3
    losses[0, 2] = 0.5  # in the lowest row alone
    losses[7:, 3] = 1.2  # never, and the loss rises from row 7 on
    losses[4:, 4] = np.nan  # never, and it diverges from row 4 on
    losses[0, 5] = 1.2  # never, and the lowest rises; column 6 stands still
    room.plane.losses[0], room.plane.idle[0], room.plane.steps = losses.ravel(), 1.0, 1
    rows, columns = np.divmod(room.below_edge(), 7)
    np.testing.assert_array_equal(columns, np.arange(7))
    np.testing.assert_array_equal(rows, [4, 2, 0, 5, 2, 0, len(etas) - 2])


@pytest.mark.parametrize(
    ("task", "slope", "words"),
    [("digits", 2.0, "learn best at"), ("digits, cross-entropy", 1.0, "converge up to")],
)
def test_lazy_exponents_are_those_of_the_rate_that_theory_bounds(task, slope, words) -> None:
    gammas, etas = grid_of(1)
    room = Room("mlp-2", task, 4, 4, 1, gammas, etas, 0)
    edge = Edge(gammas, 3.0 * gammas, 0.5 * gammas**2)
    assert room.exponents(edge) == pytest.approx((slope, 1.0))
    watched = Watched(1.0, 1.0, np.ones(1), 0.0)
    note = note_of(watched, room, room.exponents(edge), True)
    assert f"{words} η ∝ γ^{slope:.2f} (theory {slope:g})" in note
    assert note.endswith("± 0.41.")
    assert note_of(watched, room, room.exponents(edge), False).startswith("The watched network")


def test_the_blur_of_an_exponent_is_that_of_rounded_rates() -> None:
    """Rates of any slope and level, rounded down to rows; 2,000 draws know it to 1.6 %."""
    gammas, etas = grid_of(2)
    room = Room("mlp-2", "teacher", 4, 4, 1, gammas, etas, 0)
    luck, errors = np.random.default_rng(0), []
    for _ in range(2000):
        slope, level = luck.uniform(0.5, 2.0), luck.uniform(-2.0, -1.0)
        rates = 10.0 ** (np.floor(2.0 * (level + slope * np.log10(gammas))) / 2.0)
        errors.append(exponent(gammas, rates, 10.0**1.5, 1e3)[0] - slope)
    assert np.std(errors) == pytest.approx(room.blur, rel=0.1)


@pytest.mark.parametrize(("show", "words"), [("plane", "Lazy"), ("network", "The watched")])
def test_the_last_note_is_about_what_is_shown(show: str, words: str) -> None:
    params = FeatureParams(**{**TINY, "width": 16, "steps": 100, "show": show})
    experiment = FeatureStrength(params, ("mlp-2",))
    experiment.reset(0)
    assert experiment.step(100).note.startswith(words)


@pytest.mark.parametrize(("gamma", "words"), [(0.1, "A catapult"), (100.0, "It overshot")])
def test_lazy_networks_are_catapulted_rich_ones_overshoot(gamma: float, words: str) -> None:
    gammas, etas = grid_of(1)
    room = Room("mlp-2", "teacher", 4, 4, 1, gammas, etas, 0)
    loss = np.concatenate([[1.0, 5.0], np.full(20, 0.1)])
    note = note_of(Watched(gamma, 1.0, loss, 0.1), room, (np.nan, np.nan), True)
    assert f"{words}: the loss rose to 5 times the start's" in note


def test_it_says_what_it_cannot_show() -> None:
    assert "length of the run" in FeatureStrength.caveat
    assert {claim.id for claim in CLAIMS if claim.shown_false} == {"rich-best"}


# Claims


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(c, id=c.id, marks=() if c.id == "collapse" else pytest.mark.study)
        for c in CLAIMS
    ],
)
def test_claims_hold(claim) -> None:
    assert_claim_holds(claim)
