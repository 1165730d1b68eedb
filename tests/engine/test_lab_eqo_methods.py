"""The methods of quasi-optimism's room beside plain references, and their worlds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.lab.rl import dynamics, worlds
from polyorama.lab.rl.eqo import Eqo, bonus_scale, quasi_optimism
from polyorama.lab.rl.euler import Euler
from polyorama.lab.rl.learner import Model, Task
from polyorama.lab.rl.mvp import Mvp
from polyorama.lab.rl.posterior import Psrl, Rlsvi
from polyorama.lab.rl.ucbvi import UcbviBf, UcbviCh
from polyorama.lab.rl.ucrl2 import Ucrl2
from tests.engine import rl_reference as reference
from tests.engine.chance import assert_normal, scores_of_mean, scores_of_shares

# One of each kind of cell; rows from the bottom.
KINDS = np.array([[4, 0, 3, 2], [0, 1, 3, 0], [0, 3, 0, 5]], float)
WORLDS = {
    # 12 and 20 pairs: vectors of sixteen and of eight, and what is left of them.
    "river": worlds.river_swim(6, 9),
    "deep sea": worlds.deep_sea(4),
    "grid": worlds.grid(KINDS, 7, 0.4),
}


def task_of(world, episodes=300):
    return Task(world.states, world.actions, world.horizon, episodes, 0.05)


def tables_of(model):
    return (
        model.visits, model.reward_sums, model.reward_squares, model.met, model.met_successors,
    )  # fmt: skip


def wander(world, model, episodes, seed=0, coins=True):
    """Fill the tables with episodes of actions at random."""
    random = np.random.default_rng(seed)
    path = np.zeros(world.horizon + 1, np.int64)
    for _ in range(episodes):
        policy = random.integers(0, world.actions, (world.horizon, world.states), np.int32)
        path[0] = random.integers(world.states)
        dynamics.play(
            world.rewards, world.chances, world.successors, coins,
            random.random((world.horizon, 2)), policy, 0, world.horizon, path, *tables_of(model),
        )  # fmt: skip


def learner(kind, world, dense=False, wandered=12, seed=0):
    model = Model(world, dense)
    wander(world, model, wandered)
    return kind(task_of(world), model, np.random.default_rng(seed))


@pytest.fixture(params=[False, True], ids=["sparse", "dense"])
def dense(request):
    return request.param


@pytest.fixture(params=WORLDS)
def world(request):
    return WORLDS[request.param]


def check(found, expected, within=1e-11):
    np.testing.assert_allclose(found, expected, rtol=within, atol=within)


ROOTS = 1e-6
"""Where a variance is nearly nothing, the root of what rounding leaves of it remains."""


@pytest.mark.parametrize("c", [0.0, 0.4, 30.0])
def test_eqo_is_its_reference(world, dense, c):
    method = learner(Eqo, world, dense)
    method.tuned = c
    method.plan(1)
    check(method.values, reference.eqo(method.model, method.task, c))


def test_eqo_may_hope_for_what_remains_alone(world):
    method = learner(Eqo, world)
    method.tuned, method.remaining = 30.0, True
    method.plan(1)
    check(method.values, reference.eqo(method.model, method.task, 30.0, remaining=True))
    left = world.horizon - np.arange(world.horizon + 1.0)
    assert (method.values <= left[:, None]).all()


@pytest.mark.parametrize("kind", [Eqo, UcbviCh, UcbviBf, Mvp, Ucrl2, Euler])
def test_of_equal_actions_the_first_is_taken_or_the_most_hopeful(world, kind):
    """All are at the ceiling: the first, or one without visits, else one with the fewest."""
    firm, hopeful = learner(kind, world, wandered=1), learner(kind, world, wandered=1)
    hopeful.hopeful = True
    for method in (firm, hopeful):
        method.scale = 1e3
        if isinstance(method, Eqo):
            method.tuned = 1e5
        method.plan(1)
    check(firm.values, hopeful.values)
    assert not firm.policy.any()
    visits = hopeful.model.visits.reshape(world.actions, world.states)
    chosen = np.take_along_axis(visits, hopeful.policy, axis=0)
    unseen = (visits == 0).any(axis=0)
    assert unseen.any()
    assert not chosen[:, unseen].any()
    if kind is Eqo:
        assert (chosen == visits.min(axis=0)).all()


@pytest.mark.parametrize("scale", [1.0, 0.01])
@pytest.mark.parametrize(
    ("kind", "plain"),
    [(UcbviCh, reference.ucbvi_ch), (UcbviBf, reference.ucbvi_bf), (Mvp, reference.mvp)],
)
def test_bonus_methods_are_their_references(world, dense, kind, plain, scale):
    method = learner(kind, world, dense)
    method.scale = scale
    method.plan(1)
    check(method.values, plain(method.model, method.task, scale), ROOTS)


@pytest.mark.parametrize("scale", [1.0, 0.05])
def test_ucrl2_is_its_reference(world, dense, scale):
    method = learner(Ucrl2, world, dense)
    method.scale = scale
    assert method.plan(5)
    check(method.values, reference.ucrl2(method.model, method.task, scale, 1 + 4 * world.horizon))


@pytest.mark.parametrize("scale", [1.0, 0.02])
def test_euler_is_its_reference(world, dense, scale):
    method = learner(Euler, world, dense)
    method.scale = scale
    method.plan(1)
    upper, lower = reference.euler(method.model, method.task, scale)
    check(method.values, upper, ROOTS)
    check(method.lower, lower, ROOTS)


def test_rlsvi_is_its_reference(world, dense):
    method = learner(Rlsvi, world, dense, seed=4)
    noise = np.random.default_rng(4).standard_normal((world.horizon, world.actions * world.states))
    method.plan(1)
    root = math.sqrt(
        0.5 * world.states * world.horizon**3
        * math.log(2 * world.horizon * world.states * world.actions * method.task.episodes)
    )  # fmt: skip
    assert method.deviation == pytest.approx(root)
    check(method.values, reference.disturbed(method.model, method.task, noise, root))


def test_policies_are_greedy(world):
    """In each method, the policy's action is the one that the value was taken from."""
    method = learner(Eqo, world)
    method.tuned = 2.0
    method.plan(1)
    known = reference.estimates(method.model, method.task)
    for h in range(world.horizon):
        for s in range(world.states):
            it = known[s][method.policy[h, s]]
            chosen = it.reward + it.chances @ method.values[h + 1] + 2.0 / max(it.n, 1e-9)
            assert min(chosen, world.horizon) == pytest.approx(method.values[h, s])


@pytest.mark.parametrize("kind", [Eqo, UcbviCh, UcbviBf, Mvp, Euler])
def test_shown_bonuses_are_those_planned_with(kind):
    """After the last step nothing follows, so that V = 0 has no variance: Q - r is the bonus."""
    world = worlds.river_swim(3, 5)
    model = Model(world)
    wander(world, model, 400, coins=False)  # EULER shows its bonus for rewards without luck
    method = kind(task_of(world), model, np.random.default_rng(0))
    method.scale = 1e-4
    if kind is Eqo:
        method.tuned, method.remaining = 0.5, True
    method.plan(1)
    last = world.horizon - 1
    shown = method.bonus(model.visits, np.zeros(6), model.rewards)
    if kind is UcbviBf:  # what is shown takes N(s') = N(s, a); here nothing is doubted but H^2
        assert (method.doubt / model.visits > world.horizon**2).all()
    quality = (model.rewards + shown).reshape(2, 3)
    assert (quality.max(axis=0)[:2] < 1.0).all()  # the ceiling is what remains
    check(method.values[last], np.minimum(quality.max(axis=0), 1.0))


def test_true_values_are_those_of_the_plain_recursion(world):
    values = np.zeros((world.horizon + 1, world.states))
    policy = np.zeros((world.horizon, world.states), np.int32)
    dynamics.solve(world.rewards, world.chances, world.successors, values, policy)
    rewards = world.rewards.reshape(world.actions, world.states)
    check(values, reference.solved(rewards, reference.dense(world), world.horizon))
    for start in range(world.states):
        earned = dynamics.value_of(world.rewards, world.chances, world.successors, policy, start)
        assert earned == pytest.approx(values[0, start], abs=1e-12)


def test_episodes_follow_the_chances_of_the_world():
    world = WORLDS["grid"]
    model = Model(world)
    wander(world, model, 4000, seed=3)
    truth = reference.dense(world).reshape(world.states, -1)
    scores = []
    for i in np.flatnonzero(model.visits >= 60):
        counts = np.zeros(world.states)
        np.add.at(counts, model.met_successors[:, i], model.met[:, i])
        assert counts.sum() == model.visits[i]
        possible = truth[:, i] > 0.0
        assert not counts[~possible].any()
        if possible.sum() > 1:
            scores.append(scores_of_shares(counts[possible], truth[possible, i]))
    assert len(scores) == 12  # three slippery cells, four actions
    assert_normal(np.concatenate(scores))


def test_coins_have_the_rewards_as_their_mean():
    world = worlds.river_swim(2, 10)
    model = Model(world)
    wander(world, model, 3000, seed=5)
    left = model.visits[0]
    assert model.reward_sums[0] == model.reward_squares[0]  # zeros and ones
    assert_normal(scores_of_shares([model.reward_sums[0], left - model.reward_sums[0]],
                                   [0.005, 0.995]))  # fmt: skip
    assert model.reward_sums[3] == model.visits[3]  # the treasure always pays


def test_a_drawn_world_has_the_moments_of_its_posterior():
    """PSRL at H = 1 acts on drawn rewards alone; its value is the best of Student's t draws."""
    world = worlds.river_swim(2, 1)
    model = Model(world)
    wander(world, model, 40, seed=1)
    method = Psrl(task_of(world), model, np.random.default_rng(0))
    method.policy[:] = 0
    draws = []
    for episode in range(4000):
        method.plan(episode + 1)
        draws.append(method.values[0].copy())
    n = model.visits
    mean = (model.reward_sums / (1 + n)).reshape(2, 2)
    spread = model.reward_squares - model.reward_sums**2 / n
    rate = 1 + 0.5 * (spread + model.reward_sums**2 / n / (1 + n))
    shape = 1 + 0.5 * n
    random = np.random.default_rng(7)
    t = random.standard_t(2 * shape, (400_000, 4)) * np.sqrt(rate / (shape * (1 + n)))
    expected = (mean.ravel() + t).reshape(-1, 2, 2).max(axis=1).mean(axis=0)
    assert_normal([scores_of_mean(np.array(draws)[:, s], expected[s]) for s in range(2)])


@pytest.mark.parametrize("n", [12.0, 60.0])
def test_the_shown_deviation_of_psrl_is_that_of_its_draws(n):
    """20,000 draws of a pair whose reward is always 0.7, at the error rate of `chance`."""
    world = worlds.river_swim(3, 5)
    method = Psrl(task_of(world), Model(world), np.random.default_rng(0))
    values, weights = np.array([0.5, 2.0, 4.0]), n * np.array([0.5, 0.25, 0.25]) + 1 / 3
    chances = weights / weights.sum()
    variance = chances @ values**2 - (chances @ values) ** 2
    shown = method.bonus(np.array([n]), np.array([variance]), np.array([0.7]))[0]
    random = np.random.default_rng(2)
    rate = 1 + 0.5 * n * 0.7**2 / (1 + n)
    precision = random.gamma(1 + 0.5 * n, 1 / rate, 20_000)
    mean = n * 0.7 / (1 + n)
    rewards = mean + random.standard_normal(20_000) / np.sqrt((1 + n) * precision)
    drawn = rewards + random.dirichlet(weights, 20_000) @ values
    squares = (drawn - mean - chances @ values) ** 2
    assert_normal(scores_of_mean(squares, shown**2))


def test_ucrl2_plans_when_a_count_has_doubled():
    world = WORLDS["river"]
    method = Ucrl2(task_of(world), Model(world), np.random.default_rng(0))
    assert method.plan(1)
    assert not method.plan(2)  # nothing was seen
    method.model.visits[3] += 1.0
    method.model.met[0, 3] += 1.0
    assert method.plan(3)
    method.model.visits[3] += 1.0
    assert method.plan(4)  # one more than one
    method.model.visits[3] += 1.0
    assert not method.plan(5)  # three is not yet twice two
    method.scale = 0.5
    assert method.plan(6)  # a slider was moved
    assert not method.plan(7)
    method.hopeful = True
    assert method.plan(8)


def test_the_constant_of_the_theorem():
    """The two figures that the reference measured with: 1606 and about 3600."""
    assert bonus_scale(Task(5, 2, 20, 30_000, 0.05)) == pytest.approx(1606, abs=0.5)
    assert bonus_scale(Task(10, 2, 40, 3000, 0.05)) == pytest.approx(3600, abs=5)
    task = Task(5, 2, 20, 10_000_000, 0.05)  # the second branch
    first, second = math.log(24 * 20 * 10 / 0.05), math.log(1 + 1e7 * 20 / 10)
    expected = 1.4 * 20 * math.sqrt(1e7 * first / (10 * second))
    assert bonus_scale(task) == pytest.approx(expected)
    assert quasi_optimism(task, expected) < 1.0


def test_the_schedule_of_doubling_follows_powers_of_two():
    world = WORLDS["river"]
    task = Task(world.states, world.actions, world.horizon, 10**9)
    method = Eqo(task, Model(world), np.random.default_rng(0))
    method.doubling = True
    found = []
    for episode in (1, 2, 3, 4, 5, 2**24, 2**24 + 1):
        method.plan(episode)
        found.append(method.c)
    ends = (1, 2, 4, 4, 8, 2**24, 2**25)
    assert found == [bonus_scale(task, end) for end in ends]
    assert found[-1] > found[-2]


def test_worlds_refuse_what_does_not_fit():
    with pytest.raises(UsageError, match="at least 2 states"):
        worlds.river_swim(1, 5)
    with pytest.raises(UsageError, match="at least 2 rows"):
        worlds.deep_sea(1)
    with pytest.raises(UsageError, match="at least one step"):
        worlds.river_swim(3, 0)
    kinds = np.zeros(worlds.GRID_SHAPE)
    with pytest.raises(UsageError, match="one start, not 0"):
        worlds.grid(kinds, 5, 0.4)
    kinds[0, 0] = worlds.START
    with pytest.raises(UsageError, match="needs a goal"):
        worlds.grid(kinds, 5, 0.4)
    river = worlds.river_swim(3, 5)
    arrays = (river.successors, river.chances, river.places, river.moves)
    with pytest.raises(UsageError, match="between 0 and 1"):
        worlds.World(5, 0, np.full(6, 1.5), *arrays)
    with pytest.raises(UsageError, match="between 0 and 1"):
        worlds.World(5, 0, np.full(6, np.nan), *arrays)
    with pytest.raises(UsageError, match="column"):
        worlds.World(5, 0, np.zeros(4), *arrays)
    one = (river.successors[:, :3], river.chances[:, :3], river.places, river.moves[:1])
    with pytest.raises(UsageError, match="two actions"):
        worlds.World(5, 0, np.zeros(3), *one)
    with pytest.raises(UsageError, match="sum to 1"):
        worlds.World(5, 0, river.rewards, arrays[0], river.chances * 0.9, *arrays[2:])
    with pytest.raises(UsageError, match="its own states"):
        worlds.World(5, 0, river.rewards, arrays[0] + np.uint32(3), *arrays[1:])


def test_deep_sea_pays_the_diver_who_never_turns():
    size = 7
    world = worlds.deep_sea(size)
    values = np.zeros((size + 1, world.states))
    policy = np.zeros((size, world.states), np.int32)
    dynamics.solve(world.rewards, world.chances, world.successors, values, policy)
    assert values[0, 0] == pytest.approx(1.0)
    left = np.zeros_like(policy)
    earned = dynamics.value_of(world.rewards, world.chances, world.successors, left, 0)
    assert earned == pytest.approx(0.01)  # bsuite's 0 and the shift of 0.01


def steps_to_the_goal(kinds):
    """Of the shortest way from the start, around walls and traps; found by flooding the map."""
    blocked = (kinds == worlds.WALL) | (kinds == worlds.TRAP)
    wet, count = kinds == worlds.START, 0
    while not wet[kinds == worlds.GOAL].any():
        padded = np.pad(wet, 1)
        beside = padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
        wet, count = (wet | beside) & ~blocked, count + 1
    return count


def test_default_maps_can_be_walked():
    """Without ice the best is the shortest way, and all steps that are left on the goal."""
    for kinds in worlds.MAPS.values():
        most = 60.0 - steps_to_the_goal(kinds)
        for slip in (0.0, 0.4):
            world = worlds.grid(kinds, 60, slip)
            values = np.zeros((61, world.states))
            policy = np.zeros((60, world.states), np.int32)
            dynamics.solve(world.rewards, world.chances, world.successors, values, policy)
            value = values[0, world.start]
            assert 15.0 < value <= most + 1e-9
            if slip == 0.0 or not (kinds == worlds.SLIPPERY).any():
                assert value == pytest.approx(most, rel=1e-12)


def test_without_visits_all_is_hoped_for():
    """Where nothing was seen every method hopes for all that remains."""
    world = WORLDS["river"]
    for kind in (UcbviBf, UcbviCh, Mvp, Ucrl2, Euler):
        method = kind(task_of(world), Model(world), np.random.default_rng(0))
        method.plan(1)
        check(method.values[0], np.full(world.states, float(world.horizon)))
