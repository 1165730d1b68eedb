"""Palettes and states: what is moved, hidden and selected without a new array."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.render.cpu import CpuRasterizer
from polyorama.render.prefix import limited
from polyorama.render.state import PRESETS, Gaussians, RenderState
from polyorama.scene.placement import matrix_of
from polyorama.scene.stack import DELETED, HIDDEN, LOCKED, SELECTED
from tests.engine.reference import Edits, render_reference
from tests.engine.test_render_cpu import SIZE, assert_agrees, orbit_camera, random_cloud

PLAIN = PRESETS["gsplat-1.5.3"]
TINT = (1.0, 0.7, 0.33)
OUTPUTS = ("rgba8", "color", "depth")

SIMILARITIES = np.stack([
    np.eye(4),
    matrix_of((0.3, -0.2, 0.5), (40.0, -70.0, 110.0), (1.0, 1.0, 1.0)),
    matrix_of((-0.4, 0.1, 0.0), (10.0, 5.0, -30.0), (0.4, 0.4, 0.4)),
    matrix_of((0.2, 0.3, -0.3), (0.0, 60.0, 20.0), (-1.7, 1.7, 1.7)),
])[:, :3]  # fmt: skip
STRETCHED = np.stack([
    np.eye(4),
    matrix_of((0.2, 0.0, 0.1), (25.0, 40.0, -15.0), (1.6, 0.5, 0.9)),
    matrix_of((-0.2, 0.1, 0.3), (0.0, 80.0, 30.0), (-0.7, 1.3, 0.4)) @ matrix_of(
        (0, 0, 0), (35.0, 0.0, 20.0), (1.4, 0.8, 1.0)
    ),
])[:, :3]  # fmt: skip


def edited(seed=0, palette=SIMILARITIES, degree=3, count=403):
    """A cloud whose blocks of eight splats mix entries and states."""
    rng = np.random.default_rng(seed)
    cloud = random_cloud(seed, count=count, degree=degree)
    index = rng.integers(0, len(palette), count).astype(np.uint16)
    index[: count // 3] = 1  # and some that do not
    bits = np.array([0, 0, SELECTED, HIDDEN, DELETED, LOCKED, SELECTED | LOCKED, SELECTED | HIDDEN])
    state = rng.choice(bits, count).astype(np.uint8)
    return Gaussians(cloud, palette=palette, palette_index=index, state=state)


def view(kind="pinhole"):
    if kind == "pinhole":
        return orbit_camera()
    return Camera.orthographic((2, -1, -3), (0, 0, 0), height_in_world=4.0, size=SIZE)


def draw(gaussians, camera=None, constants=PLAIN, highlight=None, limit=None):
    state = RenderState(gaussians, camera or view(), None, constants, limit, highlight)
    return CpuRasterizer(count_needed=True).render(state, OUTPUTS)


@pytest.mark.parametrize("palette", [SIMILARITIES, STRETCHED], ids=["similar", "stretched"])
@pytest.mark.parametrize("kind", ["pinhole", "orthographic"])
@pytest.mark.parametrize("antialiased", [False, True])
def test_palettes_and_states_agree_with_the_reference(palette, kind, antialiased):
    gaussians = edited(1, palette)
    constants = replace(PLAIN, antialiased=antialiased)
    edits = Edits(palette, gaussians.palette_index, gaussians.state, TINT)
    reference = render_reference(gaussians.cloud, view(kind), constants, edits=edits)
    assert_agrees(draw(gaussians, view(kind), constants, TINT), reference)


@pytest.mark.parametrize("palette", [SIMILARITIES, STRETCHED], ids=["similar", "stretched"])
@pytest.mark.parametrize("kind", ["pinhole", "orthographic"])
@pytest.mark.parametrize("degree", [0, 3])
def test_a_palette_draws_what_moved_arrays_draw(palette, kind, degree):
    gaussians = edited(2, palette, degree)
    frame, plain = draw(gaussians, view(kind)), draw(gaussians.baked(), view(kind))
    apart = np.abs(frame.rgba8.astype(int) - plain.rgba8)
    # A splat whose alpha is just 1/255 may be in one of them alone.
    assert (apart > 1).mean() < 1e-4
    assert apart.max() <= 2
    assert (plain.ids == frame.ids).mean() > 0.995
    coarse = draw(gaussians.baked(), view(kind), limit=100).ids
    assert set(np.unique(coarse)) - {-1} <= set(gaussians.baked().rows.tolist())
    assert np.allclose(frame.expected_depth, plain.expected_depth, atol=1e-3)


def test_one_map_for_all_is_only_another_view():
    cloud = random_cloud(3)
    for entry in SIMILARITIES:
        moved = Gaussians(cloud, palette=entry[None])
        frame, plain = draw(moved), draw(Gaussians(cloud.transformed(entry)))
        assert np.abs(frame.rgba8.astype(int) - plain.rgba8).max() <= 1
        indexed = Gaussians(
            cloud, palette=np.stack([SIMILARITIES[1], entry]),
            palette_index=np.ones(len(cloud), np.uint16),
        )  # fmt: skip
        assert np.abs(frame.color - draw(indexed).color).max() < 1e-4


@pytest.mark.parametrize("count", [1, 7, 8, 9, 17])
def test_few_splats_with_edits(count):
    gaussians = edited(4, count=count)
    edits = Edits(SIMILARITIES, gaussians.palette_index, gaussians.state)
    reference = render_reference(gaussians.cloud, view(), PLAIN, edits=edits)
    assert np.abs(draw(gaussians).color[..., :3] - reference.color).max() < 2e-3


def test_hidden_and_deleted_splats_are_not_drawn_and_keep_their_numbers():
    whole = edited(5)
    gaussians = replace(whole, palette=None, palette_index=None, cache={})
    shown = np.flatnonzero((gaussians.state & (HIDDEN | DELETED)) == 0)
    frame, plain = draw(gaussians), draw(Gaussians(gaussians.cloud.subset(shown)))
    assert np.array_equal(frame.color, plain.color)
    assert np.array_equal(frame.ids, np.where(plain.ids >= 0, shown[plain.ids], -1))
    unseen = np.full(len(gaussians.cloud), HIDDEN, np.uint8)
    nothing = replace(gaussians, state=unseen, cache={})
    assert draw(nothing).alpha.max() == 0
    assert len(nothing.baked().cloud) == 0


def test_selected_splats_are_tinted_and_only_they():
    whole = edited(6)
    bright = replace(whole.cloud, sh=whole.cloud.sh * np.float32(0.2))  # no colour is below 0
    gaussians = replace(whole, cloud=bright, cache={})
    still = draw(gaussians)
    unchosen = replace(gaussians, state=gaussians.state & ~np.uint8(SELECTED | LOCKED))
    assert np.array_equal(still.color, draw(unchosen, highlight=TINT).color)
    tinted = draw(gaussians, highlight=TINT)
    assert np.array_equal(tinted.alpha, still.alpha)
    assert np.abs(tinted.color - still.color).max() > 0.1
    baked = gaussians.baked(TINT)
    assert baked.is_plain
    assert np.abs(draw(baked).rgba8.astype(int) - tinted.rgba8).max() <= 2


def test_baked_is_kept_and_what_is_plain_is_itself():
    gaussians = edited(7)
    assert gaussians.baked() is gaussians.baked()
    assert gaussians.baked() is not gaussians.baked(TINT)
    assert gaussians.baked() is gaussians.baked()
    plain = Gaussians(gaussians.cloud)
    assert plain.baked(TINT) is plain
    state = RenderState(gaussians, view(), highlight=TINT)
    assert state.baked().gaussians is gaussians.baked(TINT)
    features = np.random.default_rng(0).normal(size=(len(gaussians.cloud), 3))
    owner = np.arange(len(gaussians.cloud)) % 2
    rich = replace(
        gaussians, features=features, node_index=owner.astype(np.int32), cache={}
    ).baked()
    assert np.array_equal(rich.features, features[rich.rows].astype(np.float32))
    assert np.array_equal(rich.node_index, owner[rich.rows])


def test_moving_and_selecting_keep_the_coarse_prefix():
    gaussians = edited(8)
    part, names = limited(gaussians, 100)
    assert len(names) == 100
    assert not (gaussians.state[names] & (HIDDEN | DELETED)).any()
    assert np.array_equal(part.state, gaussians.state[names])
    assert np.array_equal(part.palette_index, gaussians.palette_index[names])
    moved = replace(gaussians, palette=gaussians.palette + np.eye(3, 4, 3))
    again, same = limited(moved, 100)
    assert again.cloud is part.cloud
    assert same is names
    assert again.palette_index is part.palette_index
    chosen = replace(gaussians, state=gaussians.state ^ np.uint8(SELECTED))
    other, _ = limited(chosen, 100)
    assert other.cloud is part.cloud
    assert np.array_equal(other.state, chosen.state[names])
    shown = replace(gaussians, state=np.zeros_like(gaussians.state))
    _, all_names = limited(shown, 100)
    assert not np.array_equal(all_names, names)
    few = replace(gaussians, state=np.full_like(gaussians.state, DELETED))
    assert len(limited(few, 100)[0].cloud) == 0
    frame = draw(gaussians, limit=100)
    assert set(np.unique(frame.ids)) - {-1} <= set(names.tolist())


def test_what_is_enlarged_counts_for_more_in_a_prefix():
    gaussians = edited(9)
    large = np.stack([np.eye(3, 4), np.eye(3, 4)])
    large[1, :, :3] *= 64.0
    index = (np.arange(len(gaussians.cloud)) % 2).astype(np.uint16)
    bigger = Gaussians(gaussians.cloud, palette=large, palette_index=index)
    _, names = limited(bigger, 100)
    assert (index[names] == 1).mean() > 0.9
    baked = bigger.baked()
    expected = np.sort(baked.cloud.importance_order()[:100])
    assert np.array_equal(names, expected)


def test_wrong_edits_are_told():
    cloud = random_cloud(10, count=20)
    with pytest.raises(UsageError, match=r"expected \(P, 3, 4\)"):
        Gaussians(cloud, palette=np.eye(4)[None])
    with pytest.raises(UsageError, match="without a palette"):
        Gaussians(cloud, palette_index=np.zeros(20, np.uint16))
    with pytest.raises(UsageError, match=r"state has shape \(19,\)"):
        Gaussians(cloud, state=np.zeros(19, np.uint8))
    with pytest.raises(UsageError, match="palette of 4 has no entry 4"):
        Gaussians(cloud, palette=SIMILARITIES, palette_index=np.full(20, 4, np.uint16))
    flat = Gaussians(cloud, palette=np.diag([1.0, 1.0, 0.0, 1.0])[None, :3])
    with pytest.raises(UsageError, match="flattens space"):
        draw(flat)
    with pytest.raises(UsageError, match="highlight is three numbers"):
        RenderState(Gaussians(cloud), view(), highlight=(2.0, 0.0, 0.0))
