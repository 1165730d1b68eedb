"""Adding and removing splats: what each strategy does to which, and that the optimiser follows."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.render.differentiable import rasterize
from polyorama.scene.rotations import rotation_matrices
from polyorama.scene.splats import SplatCloud
from polyorama.vision.fit import mcmc
from polyorama.vision.fit.density import Default, Schedule
from polyorama.vision.fit.mcmc import Mcmc, shared_opacity_and_scales
from polyorama.vision.fit.model import NAMES, TrainedSplats, adam, parameters_of
from polyorama.vision.fit.settings import FitSettings
from tests.engine.chance import (
    assert_normal,
    scores_of_mean,
    scores_of_normal,
    scores_of_shares,
)

RATES = dict.fromkeys(NAMES, 1e-3)
ALWAYS = Schedule(0, 1000, 1)


def splats(count=6, *, scale=0.01, opacity=0.5, degree=1):
    rng = np.random.default_rng(3)
    cloud = SplatCloud(
        rng.normal(size=(count, 3)), np.tile([1, 0, 0, 0], (count, 1)),
        np.full((count, 3), scale), np.full(count, opacity), rng.normal(size=(count, 4, 3)),
    )  # fmt: skip
    trained = TrainedSplats(parameters_of(cloud, degree), RATES, adam)
    natural = trained.natural(degree)
    # Different gradients everywhere, so that every row has moments of its own.
    loss = sum((t * torch.arange(t.numel()).reshape(t.shape)).sum() for t in natural)
    loss.backward()
    trained.step()
    return trained


def moments(trained, name):
    return trained.optimiser.state[trained[name]]["exp_avg"].clone()


class Pulled:
    """What `watch` needs of a drawing: the splats that were seen."""

    def __init__(self, visible):
        self.visible = torch.tensor(visible)


def watched(strategy, count, strong):
    """Let a strategy see a strong pull on some splats."""
    screen = torch.zeros((count, 2))
    screen[strong] = 1.0
    lens = Camera.look_at((0, 0, -3), (0, 0, 0), size=(100, 50)).lens
    strategy.watch(Pulled(list(range(count))), screen, lens, 1)


def test_parameters_come_back_as_they_went_in():
    rng = np.random.default_rng(0)
    quats = rng.normal(size=(20, 4))
    cloud = SplatCloud(
        rng.normal(size=(20, 3)), quats / np.linalg.norm(quats, axis=1, keepdims=True),
        np.exp(rng.normal(size=(20, 3))), rng.uniform(0.01, 0.99, 20), rng.normal(size=(20, 9, 3)),
    )  # fmt: skip
    back = TrainedSplats(parameters_of(cloud, 2), RATES, adam).cloud()
    for name in ("means", "quats", "scales", "opacities", "sh"):
        assert np.allclose(getattr(back, name), getattr(cloud, name), rtol=1e-5, atol=1e-6), name


def test_rows_and_their_moments_stay_together():
    trained = splats()
    before = {name: (trained[name].detach().clone(), moments(trained, name)) for name in NAMES}
    rows = torch.tensor([4, 1])
    trained.append(trained.rows(rows))
    trained.keep(torch.tensor([5, 6, 0]))
    for name, (values, kept) in before.items():
        assert torch.equal(trained[name], values[[5, 4, 0]]), name
        assert torch.equal(moments(trained, name)[[0, 2]], kept[[5, 0]]), name
        assert not moments(trained, name)[1].any(), name
    # The optimiser goes on with them.
    trained.natural(1).means.sum().backward()
    trained.step()


def test_small_splats_are_cloned_large_ones_split():
    trained = splats(4)
    with torch.no_grad():
        trained["scales"][2:] = math.log(0.5)
    means = trained["means"].detach().clone()
    strategy = Default(ALWAYS, extent=1.0, most=100)
    watched(strategy, 4, [0, 2])
    strategy.refine(trained, 1, 0.0, torch.Generator().manual_seed(0))
    assert len(trained) == 6
    # The small one twice in its place; of the large one two smaller ones nearby, itself gone.
    same = (trained["means"] == means[0]).all(dim=1)
    assert int(same.sum()) == 2
    assert not (trained["means"] == means[2]).all(dim=1).any()
    halves = trained.scales[-2:]
    assert torch.allclose(halves, torch.full((2, 3), 0.5 / 1.6), rtol=1e-5)
    assert ((trained["means"][-2:] - means[2]).norm(dim=1) < 3.0).all()


def test_growth_stops_at_the_limit_with_the_strongest_pull():
    trained = splats(5)
    means = trained["means"].detach().clone()
    strategy = Default(ALWAYS, extent=1.0, most=6)
    screen = torch.arange(1.0, 6.0)[:, None].repeat(1, 2)
    lens = Camera.look_at((0, 0, -3), (0, 0, 0), size=(10, 10)).lens
    strategy.watch(Pulled(range(5)), screen, lens, 1)
    strategy.refine(trained, 1, 0.0, torch.Generator())
    assert len(trained) == 6
    assert torch.equal(trained["means"][-1], means[4])


def test_gradients_are_measured_in_halves_of_the_picture_as_seen():
    strategy = Default(ALWAYS, extent=1.0, most=100)
    lens = Camera.look_at((0, 0, -3), (0, 0, 0), size=(100, 50)).lens
    screen = torch.tensor([[0.03, 0.0], [0.0, 0.04], [9.0, 9.0]])
    strategy.watch(Pulled([0, 1]), screen, lens, 1)
    strategy.watch(Pulled([1]), screen, lens, 2)
    state = strategy.state()
    assert torch.allclose(state["pull"], torch.tensor([1.5, 2.0, 0.0]))
    assert state["count"].tolist() == [1, 2, 0]


def test_faint_splats_go_and_huge_ones_once_opacities_were_lowered():
    trained = splats(4)
    with torch.no_grad():
        trained["opacities"][0] = -9.0
        trained["scales"][1] = math.log(0.2)
    strategy = Default(Schedule(0, 1000, 1, 100), extent=1.0, most=100)
    strategy.refine(trained, 99, 0.0, torch.Generator())
    assert len(trained) == 3
    strategy.refine(trained, 101, 0.0, torch.Generator())
    assert len(trained) == 2


def test_a_scene_never_loses_its_last_splat():
    trained = splats(3, opacity=0.001)
    Default(ALWAYS, extent=1.0, most=100).refine(trained, 1, 0.0, torch.Generator())
    assert len(trained) == 3


def test_lowered_opacities_forget_their_momentum():
    trained = splats(4, opacity=0.9)
    strategy = Default(Schedule(0, 1000, 7, 100), extent=1.0, most=100)
    strategy.refine(trained, 100, 0.0, torch.Generator())
    assert torch.allclose(trained.opacities, torch.full((4,), 0.01), atol=1e-4)
    assert not moments(trained, "opacities").any()
    assert moments(trained, "means").any()
    # Who watches sees no flash of darkness.
    shown = strategy.opacities_to_show(trained, 101)
    assert torch.allclose(shown, torch.full((4,), 0.9), atol=1e-2)
    assert torch.equal(strategy.opacities_to_show(trained, 140), trained.opacities)
    # Nor who watches one that was stopped and goes on.
    resumed = Default(Schedule(0, 1000, 7, 100), extent=1.0, most=100)
    resumed.restore(strategy.state())
    assert torch.equal(resumed.opacities_to_show(trained, 101), shown)


@pytest.mark.parametrize("shares", [1, 2, 5, 20])
@pytest.mark.parametrize("opacity", [0.05, 0.5, 0.98])
def test_splats_in_one_place_together_look_like_the_one_they_were(opacity, shares):
    each, scales = shared_opacity_and_scales(
        torch.tensor([opacity]), torch.tensor([[0.3, 0.3, 0.3]]), torch.tensor([shares])
    )
    together = 1.0 - (1.0 - float(each)) ** shares
    assert together == pytest.approx(opacity, rel=1e-4)

    def total(count, strength, scale):
        """Light taken along the middle of a picture: what the paper keeps equal."""
        x = np.linspace(-4, 4, 4001)
        alpha = strength * np.exp(-0.5 * (x / scale) ** 2)
        return (1.0 - (1.0 - alpha) ** count).sum()

    expected = total(1, opacity, 0.3)
    assert total(shares, float(each), float(scales[0, 0])) == pytest.approx(expected, rel=1e-3)


def test_dead_splats_move_onto_living_ones():
    trained = splats(6, opacity=0.8)
    with torch.no_grad():
        trained["opacities"][:3] = -8.0
    means = trained["means"].detach().clone()
    strategy = Mcmc(ALWAYS, most=6, noise_rate=0.0)
    strategy.refine(trained, 1, 0.0, torch.Generator().manual_seed(1))
    assert len(trained) == 6
    for row in trained["means"][:3]:
        assert (row == means[3:]).all(dim=1).any()
    assert (trained.opacities > 0.1).all()
    hosts = (trained["means"][3:, None] == trained["means"][None, :3]).all(dim=2).any(dim=1)
    assert not moments(trained, "means")[3:][hosts].any()
    assert moments(trained, "means")[3:][~hosts].any() or hosts.all()


def test_the_number_grows_by_a_twentieth_up_to_the_limit():
    trained = splats(100)
    strategy = Mcmc(ALWAYS, most=110, noise_rate=0.0)
    random = torch.Generator().manual_seed(0)
    sizes = []
    for step in (1, 2, 3):
        strategy.refine(trained, step, 0.0, random)
        sizes.append(len(trained))
    assert sizes == [106, 110, 110]


SCALES = np.array([1.0, 0.1, 0.5])
SEEDS = range(8)


def turned(count):
    """Splats of one shape, each turned in its own way."""
    trained = splats(count)
    quats = np.random.default_rng(5).normal(size=(count, 4))
    with torch.no_grad():
        trained["scales"][:] = torch.tensor(np.log(SCALES))
        trained["quats"][:] = torch.tensor(quats)
    return trained, rotation_matrices(quats / np.linalg.norm(quats, axis=1, keepdims=True))


def test_noise_moves_faint_splats_only_and_along_their_shape():
    """In a splat's own axes it has the variances of the paper: the covariance times the noise."""
    gate = 1.0 / (1.0 + math.exp(-100 * (0.005 - 1.0 / (1.0 + math.exp(8.0)))))
    strategy = Mcmc(Schedule(0, 0, 1), most=1, noise_rate=10.0)
    scores = []
    for seed in SEEDS:
        trained, rotations = turned(2000)
        with torch.no_grad():
            trained["opacities"][:1000] = -8.0
        before = trained["means"].detach().clone()
        strategy.refine(trained, 1, 0.1, torch.Generator().manual_seed(seed))
        moved = (trained["means"].detach() - before).numpy()
        assert np.abs(moved[1000:]).max() < 1e-6
        local = np.einsum("nji,nj->ni", rotations, moved)[:1000]
        scores.append(scores_of_normal(local / (gate * SCALES**2)))
    assert_normal(scores)


def test_halves_lie_where_the_splat_they_come_from_would_be_drawn_from():
    scores = []
    for seed in SEEDS:
        trained, rotations = turned(1000)
        before = trained["means"].detach().clone()
        strategy = Default(ALWAYS, extent=1.0, most=10_000)
        watched(strategy, 1000, list(range(1000)))
        strategy.refine(trained, 1, 0.0, torch.Generator().manual_seed(seed))
        moved = (trained["means"].detach().reshape(2, 1000, 3) - before).numpy()
        local = np.einsum("nji,hnj->hni", rotations, moved) / SCALES
        scores.extend(scores_of_normal(local.reshape(2000, 3)))
        # The halves of one know nothing of each other.
        scores.append(scores_of_mean(local[0] * local[1], 0.0))
    assert_normal(scores)


def test_hosts_are_drawn_by_their_opacity():
    """Of the dead as of the added."""
    opacities = np.array([0.05, 0.2, 0.4, 0.6, 0.95])
    count = 10_000
    scores = []
    for seed in SEEDS:
        random = torch.Generator().manual_seed(seed)
        for dead in (count, 0):
            trained = splats(5 + dead)
            with torch.no_grad():
                trained["opacities"][:5] = torch.tensor(opacities).logit()
                trained["opacities"][5:] = -8.0
            hosts = trained["means"][:5].detach().clone()
            strategy = Mcmc(ALWAYS, most=5 + dead, noise_rate=0.0)
            if dead:
                strategy.refine(trained, 1, 0.0, random)
                guests = trained["means"][5:]
                counts = (guests[:, None] == hosts).all(dim=2).sum(dim=0).numpy()
            else:
                drawn = mcmc._draw(trained.opacities.detach(), count, random)
                counts = np.bincount(drawn.numpy(), minlength=5)
            assert counts.sum() == count
            scores.append(scores_of_shares(counts, opacities / opacities.sum()))
    assert_normal(scores)
    nothing = mcmc._draw(torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0]), count, torch.Generator())
    assert set(nothing.tolist()) == {1, 3}


def test_the_relocated_picture_hardly_changes():
    camera = Camera.look_at((0, 0, -4), (0, 0, 0), size=(48, 48))
    viewmat = torch.tensor(camera.viewmat, dtype=torch.float32)
    trained = splats(30, scale=0.15, opacity=0.6, degree=0)
    with torch.no_grad():
        trained["opacities"][:10] = -8.0
    draw = lambda: rasterize(*trained.natural(0), viewmat, camera.lens).alpha.detach()  # noqa: E731
    before = draw()
    Mcmc(ALWAYS, most=30, noise_rate=0.0).refine(trained, 1, 0.0, torch.Generator().manual_seed(0))
    assert (draw() - before).abs().mean() < 0.02


def test_schedules_follow_the_length():
    full = FitSettings(steps=30_000).schedule()
    assert (full.start, full.stop, full.every, full.reset) == (500, 15_000, 100, 3000)
    assert FitSettings(steps=30_000, strategy="mcmc").schedule() == Schedule(500, 25_000, 100, 0)
    for steps in (1, 10, 150, 1000, 7000):
        for strategy in ("default", "mcmc"):
            schedule = FitSettings(steps=steps, strategy=strategy).schedule()
            assert schedule.start >= 0
            assert schedule.stop <= steps
            assert schedule.every >= 1
    short = FitSettings(steps=1000)
    assert sum(map(short.schedule().due, range(1, 1001))) >= 20
    assert [short.degree_at(step) for step in (0, 124, 125, 999)] == [0, 0, 1, 3]


def test_rates_and_sizes_follow_the_step():
    settings = FitSettings(steps=7000)
    assert settings.means_rate_at(0) == pytest.approx(1.6e-4)
    assert settings.means_rate_at(7000) == pytest.approx(1.6e-6)
    assert settings.rates(2.0)["means"] == pytest.approx(3.2e-4)
    settings = FitSettings(steps=1000)
    assert 3 < settings.hurry < 5
    assert settings.rates(1.0)["sh0"] == pytest.approx(2.5e-3 * settings.hurry)
    assert FitSettings(steps=1).hurry == 8
    assert [settings.factor_at(step, 400) for step in (1, 100, 101, 300, 301)] == [4, 4, 2, 2, 1]
    assert settings.factor_at(1, 100) == 2
    assert settings.factor_at(1, 60) == 1
    assert FitSettings(coarse_to_fine=False).factor_at(1, 4000) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"steps": 0}, "0 steps"),
        ({"strategy": "magic"}, "no strategy 'magic'"),
        ({"sh_degree": 4}, "degree of 4"),
        ({"ssim_weight": 1.5}, "SSIM of 1.5"),
        ({"background": (0.0, 2.0, 0.0)}, "from 0 to 1"),
        ({"most_splats": 0}, "at most 0"),
        ({"means_rate": math.nan}, "means_rate"),
    ],
)
def test_numbers_out_of_range_are_told(options, words):
    with pytest.raises(UsageError, match=words):
        FitSettings(**options)
