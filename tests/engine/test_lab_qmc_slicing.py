"""QMC slicing against definitions: pairs F and f, Fourier sums, sorting, gradients, directions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import UsageError
from polyorama.lab.inference import directions as spread_directions
from polyorama.lab.inference.directions import (
    ascent,
    design,
    design_degree,
    directions,
    distance_job,
    spread_energy,
)
from polyorama.lab.inference.nfft import (
    Grid,
    Series,
    multiplied,
    summed_moments,
    summed_series,
    table_at,
)
from polyorama.lab.inference.random_features import feature_kernel, feature_sum, frequencies
from polyorama.lab.inference.slicing import (
    fast_sum,
    fast_sum_gradient,
    naive_sum,
    sliced_series,
)
from polyorama.lab.inference.slicing_kernels import (
    Energy,
    Gauss,
    Laplace,
    Matern,
    Riesz,
    ThinPlate,
    power_factor,
)
from polyorama.lab.inference.sphere import haar
from tests.engine.chance import assert_normal, scores_of_mean

SMOOTH = (Gauss(1.0), Laplace(1.0), Matern(1.5, 1.0), Matern(2.5, 0.7), Matern(0.8, 1.3))
SINGULAR = (Riesz(0.5), Riesz(1.5), ThinPlate())
NODES, WEIGHTS = np.polynomial.legendre.leggauss(800)


def mean_of_slices(slice_of, dimension: int, distance: float) -> float:
    """F(s) = c_d int f(ts) (1 - t^2)^((d-3)/2) dt, by Gauss's rule with t = sin(angle)."""
    angle, weight = (NODES + 1) * np.pi / 4, WEIGHTS * np.pi / 4
    constant = 2 * math.gamma(dimension / 2) / math.sqrt(math.pi) / math.gamma((dimension - 1) / 2)
    values = slice_of(np.sin(angle) * distance) * np.cos(angle) ** (dimension - 2)
    return constant * float(values @ weight)


@pytest.mark.parametrize("dimension", [2, 3, 4, 5, 10])
@pytest.mark.parametrize("kernel", SMOOTH, ids=str)
def test_spectral_pairs_by_quadrature(kernel, dimension: int) -> None:
    scale = 0.1
    table = sliced_series(kernel, dimension, scale, 8192).table()
    kink = isinstance(kernel, Laplace) or (isinstance(kernel, Matern) and kernel.nu < 1)
    limit = 1e-6 if kink else 1e-9  # where f has a kink, its series converges slowly there
    for distance in (0.2, 1.0, 2.4):
        found = mean_of_slices(lambda t: table_at(table, t * scale), dimension, distance)
        assert abs(found - kernel.radial(distance)) < limit


@pytest.mark.parametrize("dimension", [2, 3, 4, 5, 10])
@pytest.mark.parametrize("kernel", SINGULAR, ids=str)
def test_explicit_pairs_by_quadrature(kernel, dimension: int) -> None:
    for distance in (0.2, 1.0, 2.4):
        found = mean_of_slices(lambda t: kernel.slice(t, dimension), dimension, distance)
        assert abs(found - kernel.radial(distance)) < 2e-5 * (1 + abs(kernel.radial(distance)))


def test_powers_that_are_known() -> None:
    assert power_factor(1.0, 3) == pytest.approx(2.0, rel=1e-14)
    assert power_factor(1.0, 10) == pytest.approx(3.8656, abs=5e-5)


def test_matern_of_half_orders_is_elementary() -> None:
    s = np.array([0.0, 1e-9, 0.01, 0.5, 2.0, 30.0])
    z = np.sqrt(3.0) * s / 1.7
    np.testing.assert_allclose(Matern(1.5, 1.7).radial(s), (1 + z) * np.exp(-z), rtol=1e-13)
    np.testing.assert_allclose(Matern(0.5, 1.7).radial(s), Laplace(1.7).radial(s), rtol=1e-13)
    z = np.sqrt(5.0) * s / 1.7
    want = (1 + z + z * z / 3) * np.exp(-z)
    np.testing.assert_allclose(Matern(2.5, 1.7).radial(s), want, rtol=1e-13)


def test_fourier_sums_against_their_definition() -> None:
    random = np.random.default_rng(0)
    x, y = random.uniform(-0.49, 0.49, 300), random.uniform(-0.49, 0.49, 200)
    weights = random.standard_normal(300)
    for modes in (1, 5, 40):
        h = np.arange(-modes, modes + 1)
        half = random.standard_normal(modes + 1)
        full = np.concatenate([half[:0:-1], half])
        sums = np.exp(-2j * np.pi * np.outer(h, x)) @ weights
        want = (np.exp(2j * np.pi * np.outer(y, h)) @ (full * sums)).real
        series = Series(Grid.of(modes), half)
        one = np.ones((1, 1))
        moments = summed_moments(series.grid, x[None], weights, one, 1.0)
        found = summed_series(multiplied(series, moments), y[None], one, 1.0)
        np.testing.assert_allclose(found, want, atol=1e-9 * np.abs(half).sum() * 300)
        slope = (np.exp(2j * np.pi * np.outer(y, h)) @ (2j * np.pi * h * full * sums)).real
        found = summed_series(multiplied(series.derivative(), moments), y[None], one, 1.0)
        np.testing.assert_allclose(found, slope, atol=1e-9 * np.abs(half).sum() * 300 * 7 * modes)


def slow_slices(kernel, x, y, weights, xi):
    """The mean over directions of one-dimensional sums of f, for kernels with a plain f."""
    total = np.zeros(len(y))
    for line in xi:
        apart = np.abs((x @ line)[None] - (y @ line)[:, None])
        if isinstance(kernel, Energy):
            total += -power_factor(1.0, x.shape[1]) * apart @ weights
        else:
            total += kernel.slice(apart, x.shape[1]) @ weights
    return total / len(xi)


@pytest.mark.parametrize("kernel", [Energy(), Riesz(1.5), ThinPlate()], ids=str)
def test_sums_are_those_of_the_slices(kernel) -> None:
    random = np.random.default_rng(1)
    x, y = random.standard_normal((200, 5)), random.standard_normal((150, 5))
    weights = random.standard_normal(200)
    xi = directions("iid", 5, 12, random)
    want = slow_slices(kernel, x, y, weights, xi)
    found = fast_sum(kernel, x, y, weights, xi)
    limit = 1e-13 if isinstance(kernel, Energy) else 1e-5  # a finite series of an f with a kink
    assert np.abs(found - want).sum() < limit * np.abs(want).sum()


def test_energy_by_sorting_with_equal_points_and_outliers() -> None:
    random = np.random.default_rng(2)
    x = np.round(random.standard_normal((300, 3)), 1)
    x[0] = 1e9
    x[1:20] = 0.25
    weights = random.standard_normal(300)
    xi = directions("orthogonal", 3, 7, random)
    want = slow_slices(Energy(), x, x, weights, xi)
    np.testing.assert_allclose(fast_sum(Energy(), x, x, weights, xi), want, rtol=1e-11, atol=1e-5)
    pulls = np.zeros(x.shape)
    for line in xi:
        places = x @ line
        pulls -= np.sign(places[:, None] - places[None]) @ weights[:, None] * line
    pulls *= power_factor(1.0, 3) / len(xi)
    found = fast_sum_gradient(Energy(), x, x, weights, xi)
    # Rounding may part points whose projections are equal; all that meet here are the same points.
    np.testing.assert_allclose(found, pulls, atol=1e-10)


@pytest.mark.parametrize("dimension", [1, 2, 3, 10])
@pytest.mark.parametrize("kernel", [*SMOOTH[:4], Energy(), *SINGULAR], ids=str)
def test_sums_approach_those_of_the_kernel(kernel, dimension: int) -> None:
    random = np.random.default_rng(3)
    # Distances are about sqrt(2), whatever the dimension; else kernels are all but 0 in ten.
    x, y = random.standard_normal((2, 150, dimension)) / math.sqrt(dimension)
    weights = random.random(150)
    xi = directions("distance", dimension, 64, random)
    want = naive_sum(kernel, x, y, weights)
    found = fast_sum(kernel, x, y, weights, xi)
    if dimension == 1:
        limit = 3e-3  # no slicing; only f's kinks are rounded off
    else:
        limit = {2: 6e-3, 3: 6e-3, 10: 4e-2}[dimension]
    assert np.abs(found - want).sum() < limit * np.abs(want).sum()


@pytest.mark.parametrize("kernel", [Gauss(1.0), Matern(2.5, 1.0)], ids=str)
def test_gradients_are_those_of_the_sums(kernel) -> None:
    random = np.random.default_rng(4)
    x, y = random.standard_normal((50, 4)), random.standard_normal((9, 4))
    weights = random.standard_normal(50)
    xi = directions("orthogonal", 4, 16, random)
    # The ends stay where they are, so that both sums have the same scale.
    x[0], x[1] = 5.0, -5.0
    found = fast_sum_gradient(kernel, x, y, weights, xi)
    for axis in range(4):
        step = np.zeros(4)
        step[axis] = 1e-4
        up, down = (fast_sum(kernel, x, y + s, weights, xi) for s in (step, -step))
        np.testing.assert_allclose(found[:, axis], (up - down) / 2e-4, atol=3e-6)


def test_sums_do_not_depend_on_the_number_of_cores(monkeypatch) -> None:
    random = np.random.default_rng(5)
    x, weights = random.standard_normal((3000, 3)), random.random(3000)
    xi = directions("orthogonal", 3, 20, random)
    several = [fast_sum(k, x, x, weights, xi) for k in (Gauss(1.0), Energy())]
    monkeypatch.setenv("POLYORAMA_CORES", "1")
    alone = [fast_sum(k, x, x, weights, xi) for k in (Gauss(1.0), Energy())]
    for one, other in zip(several, alone, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", ["iid", "orthogonal", "sobol", "distance", "design"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_directions_are_unit_and_unbiased(kind, dimension: int) -> None:
    random = np.random.default_rng(6)
    firsts = []
    for _ in range(200):
        xi = directions(kind, dimension, 16, random)
        assert xi.shape == (16, dimension)
        np.testing.assert_allclose(np.linalg.norm(xi, axis=1), 1.0, atol=1e-12)
        firsts.append(xi[3])
    # Uniform on the sphere: E xi xi^T is the identity over d, and fourth moments 3 / (d (d + 2)).
    first = np.array(firsts)
    assert_normal(
        [
            *scores_of_mean(first**2, 1 / dimension),
            *scores_of_mean(first**4, 3 / (dimension * (dimension + 2))),
            scores_of_mean(first[:, 0] * first[:, 1], 0.0),
        ]
    )


def test_haar_matrices_have_no_preferred_sign() -> None:
    random = np.random.default_rng(7)
    corners = np.array([haar(3, random)[0, 0] for _ in range(2000)])
    assert_normal([scores_of_mean(corners, 0.0), scores_of_mean(corners**2, 1 / 3)])


def slow_ascent(xi, step):
    """One step of the ascent from its definition."""
    both = np.concatenate([xi, -xi])
    apart = xi[:, None] - both[None]
    lengths = np.linalg.norm(apart, axis=-1)
    pull = np.where(lengths[..., None] > 1e-9, apart / np.maximum(lengths, 1e-9)[..., None], 0)
    force = pull.sum(axis=1)
    force -= (force * xi).sum(axis=1, keepdims=True) * xi
    moved = xi + step * force / len(xi)
    return moved / np.linalg.norm(moved, axis=1, keepdims=True), lengths.sum() / len(xi) ** 2


def test_the_ascent_against_its_definition_and_that_it_rises() -> None:
    random = np.random.default_rng(8)
    xi = directions("iid", 4, 30, random)
    energies = []
    for _ in range(5):
        want, energy = slow_ascent(xi, 1.0)
        xi, found = ascent(xi)
        np.testing.assert_allclose(xi, want, atol=1e-13)
        assert found == pytest.approx(energy, rel=1e-13)
        energies.append(found)
    assert np.all(np.diff(energies) > 0)


def test_directions_of_most_distance_reach_the_best_that_is_known() -> None:
    # Six axes of the icosahedron maximise the sum of distances of 12 points in space.
    golden = (1 + math.sqrt(5)) / 2
    axes = np.array([[0, 1, golden], [0, -1, golden], [1, golden, 0], [-1, golden, 0],
                     [golden, 0, 1], [golden, 0, -1]]) / math.sqrt(1 + golden**2)  # fmt: skip
    found = spread_energy(run(distance_job(3, 6)))
    assert found == pytest.approx(spread_energy(axes), rel=1e-6)


@pytest.mark.parametrize(("dimension", "count"), [(3, 12), (3, 32), (4, 16)])
def test_designs_integrate_polynomials_exactly(dimension: int, count: int) -> None:
    xi = design(dimension, count)
    degree = design_degree(dimension, count)
    assert degree >= 4
    random = np.random.default_rng(9)
    for line in directions("iid", dimension, 20, random):
        for n in range(2, degree + 1, 2):
            # E <xi, z>^n = Gamma(d/2) Gamma((n+1)/2) / (sqrt(pi) Gamma((d+n)/2)).
            want = 1.0 / power_factor(n, dimension)
            assert np.mean((xi @ line) ** n) == pytest.approx(want, abs=1e-9)


def test_what_is_prepared_is_kept_and_mended(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(
        spread_directions.platformdirs, "user_cache_path", lambda _name: tmp_path / "cache"
    )
    first = spread_directions.prepared("distance", 3, 8)
    (path,) = (tmp_path / "cache" / "directions").iterdir()
    assert np.array_equal(np.load(path), first)
    for damaged in (b"", b"nonsense"):
        path.write_bytes(damaged)
        assert np.array_equal(spread_directions.prepared("distance", 3, 8), first)
        assert np.array_equal(np.load(path), first)
    np.save(path, 2.0 * first)
    assert np.array_equal(spread_directions.prepared("distance", 3, 8), first)
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    monkeypatch.setattr(spread_directions.platformdirs, "user_cache_path", lambda _name: blocked)
    assert np.array_equal(spread_directions.prepared("distance", 3, 8), first)


@pytest.mark.parametrize("kind", ["rff", "orf", "sobol-rff"])
def test_features_are_unbiased(kind) -> None:
    random = np.random.default_rng(10)
    x = random.standard_normal((5, 3))
    kernel = Gauss(1.2)
    want = kernel.radial(np.linalg.norm(x, axis=1))
    means = [feature_kernel(x, frequencies(kind, kernel, 3, 16, random)) for _ in range(300)]
    assert_normal(scores_of_mean(np.array(means) - want, 0.0))


@pytest.mark.parametrize("kernel", [Laplace(0.8), Matern(1.5, 1.1)], ids=str)
def test_features_of_heavier_spectra(kernel) -> None:
    random = np.random.default_rng(11)
    x = random.standard_normal((4, 3))
    want = kernel.radial(np.linalg.norm(x, axis=1))
    means = [feature_kernel(x, frequencies("rff", kernel, 3, 16, random)) for _ in range(300)]
    assert_normal(scores_of_mean(np.array(means) - want, 0.0))


def test_feature_sums_are_sums_of_the_feature_kernel() -> None:
    random = np.random.default_rng(12)
    x, y = random.standard_normal((40, 3)), random.standard_normal((30, 3))
    weights = random.standard_normal(40)
    omega = frequencies("rff", Gauss(1.0), 3, 25, random)
    want = feature_kernel(x[None] - y[:, None], omega) @ weights
    np.testing.assert_allclose(feature_sum(x, y, weights, omega), want, atol=1e-12)


def test_bad_input_gets_words() -> None:
    random = np.random.default_rng(13)
    x, xi = random.standard_normal((5, 3)), directions("iid", 3, 4, random)
    with pytest.raises(UsageError, match="must be finite"):
        fast_sum(Gauss(1.0), np.where(x > 0, np.nan, x), x, np.ones(5), xi)
    with pytest.raises(UsageError, match="same space"):
        fast_sum(Gauss(1.0), x, x[:, :2], np.ones(5), xi)
    with pytest.raises(UsageError, match="as many weights"):
        fast_sum(Gauss(1.0), x, x, np.ones(4), xi)
    with pytest.raises(UsageError, match="Directions are"):
        fast_sum(Gauss(1.0), x, x, np.ones(5), xi[:, :2])
    with pytest.raises(UsageError, match="at least one source"):
        fast_sum(Gauss(1.0), x[:0], x, np.ones(0), xi)
    with pytest.raises(UsageError, match="too narrow"):
        fast_sum(Gauss(1e-6), x, x, np.ones(5), xi)
    with pytest.raises(UsageError, match="length above 0"):
        Gauss(0.0)
    with pytest.raises(UsageError, match="smoothness"):
        Matern(0.0)
    with pytest.raises(UsageError, match="power"):
        Riesz(2.0)
    with pytest.raises(UsageError, match="Designs are made"):
        directions("design", 10, 64, random)
    with pytest.raises(UsageError, match="at least 1 dimension"):
        directions("iid", 0, 64, random)
    with pytest.raises(UsageError, match="not 'best'"):
        directions("best", 3, 64, random)
    with pytest.raises(UsageError, match="Sobol features"):
        frequencies("sobol-rff", Laplace(1.0), 3, 8, random)
    with pytest.raises(UsageError, match="Random features"):
        frequencies("rff", Energy(), 3, 8, random)


def test_points_that_all_coincide() -> None:
    x, xi = np.ones((4, 3)), directions("iid", 3, 4, np.random.default_rng(14))
    for kernel in (Gauss(1.0), Laplace(1.0), Energy(), Riesz(0.5), ThinPlate()):
        found = fast_sum(kernel, x, x, np.ones(4), xi)
        limit = 0.1 if isinstance(kernel, Riesz) else 1e-2
        np.testing.assert_allclose(found, 4 * kernel.radial(0.0), atol=limit)
