"""Pure edits: matrices, crops, order, repair, floaters, and actions as values."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.edit import actions, splat_ops
from polyorama.edit.floaters import find_floaters, remove_floaters
from polyorama.edit.repair import plan_repair, repair
from polyorama.errors import UsageError
from polyorama.scene.rotations import rotation_about, rotation_matrices, turn_between
from polyorama.scene.rules import parse_rule
from polyorama.scene.splats import SplatCloud, concatenate, sh_from_colors


def make_cloud(n=400, seed=0, center=(0, 0, 0), size=1.0, **more):
    """Loosely packed splats in a ball."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    points *= (rng.uniform(0, 1, (n, 1)) ** (1 / 3)) / np.linalg.norm(points, axis=1, keepdims=True)
    quats = rng.normal(size=(n, 4))
    values = {
        "means": (size * points + center).astype(np.float32),
        "quats": (quats / np.linalg.norm(quats, axis=1, keepdims=True)).astype(np.float32),
        "scales": (size * np.exp(rng.uniform(-4, -2, (n, 3)))).astype(np.float32),
        "opacities": rng.uniform(0.02, 0.98, n).astype(np.float32),
        "sh": sh_from_colors(rng.uniform(0, 1, (n, 3)))[:, None],
    }
    return SplatCloud(**(values | more))


def test_matrices_do_what_they_say():
    point = np.array([1.0, 2.0, 3.0, 1.0])
    np.testing.assert_allclose((splat_ops.translation_matrix([1, 1, -1]) @ point)[:3], [2, 3, 2])
    np.testing.assert_allclose((splat_ops.scale_matrix(2) @ point)[:3], [2, 4, 6])
    np.testing.assert_allclose((splat_ops.scale_matrix([1, -1, 2]) @ point)[:3], [1, -2, 6])
    np.testing.assert_allclose((splat_ops.flip_matrix("yz") @ point)[:3], [1, -2, -3])
    turn = splat_ops.rotation_matrix
    np.testing.assert_array_equal(turn([90, 0, 0])[:3, :3] @ [0, 1, 0], [0, 0, 1])
    np.testing.assert_array_equal(turn([0, 90, 0])[:3, :3] @ [0, 0, 1], [1, 0, 0])
    np.testing.assert_array_equal(turn([0, 0, 90])[:3, :3] @ [1, 0, 0], [0, 1, 0])
    # First about x, then about the fixed z.
    np.testing.assert_array_equal(turn([90, 0, 90])[:3, :3] @ [0, 1, 0], [0, 0, 1])
    np.testing.assert_allclose(
        turn([10, 20, 30]), turn([0, 0, 30]) @ turn([0, 20, 0]) @ turn([10, 0, 0]), atol=1e-12
    )


def test_a_rotation_about_an_axis_is_that_of_its_quaternion():
    axis = np.array([1.0, -2.0, 0.5])
    for angle in (-3.0, -0.1, 0.0, 1e-8, 2.0):
        half = np.sin(angle / 2) * axis / np.linalg.norm(axis)
        matrix = rotation_matrices([np.cos(angle / 2), *half])
        np.testing.assert_allclose(rotation_about(axis, angle), matrix, atol=1e-14)


def test_the_turn_between_all_but_opposite_directions_is_exact():
    for tilt in (1e-4, 1e-6, 1e-10):
        end = np.array([tilt, 1.0, 0.0]) / np.hypot(tilt, 1.0)
        np.testing.assert_allclose(turn_between((0, -1, 0), end) @ (0, -1, 0), end, atol=1e-9)


@pytest.mark.parametrize("start", [(0, -1, 0), (1, 2, 3), (0, 0, 1), (-1, 0, 0)])
@pytest.mark.parametrize("end", [(0, 1, 0), (0, -1, 0), (-1, -2, -3), (1, 0, 0)])
def test_the_shortest_turn_between_directions(start, end):
    matrix = turn_between(start, end)
    a, b = (np.asarray(v) / np.linalg.norm(v) for v in (start, end))
    np.testing.assert_allclose(matrix @ a, b, atol=1e-9)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(matrix) == pytest.approx(1)
    angle = np.arccos(np.clip((np.trace(matrix) - 1) / 2, -1, 1))
    assert angle == pytest.approx(np.arccos(np.clip(a @ b, -1, 1)), abs=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda: splat_ops.flip_matrix("q"),
        lambda: splat_ops.flip_matrix("xx"),
        lambda: splat_ops.flip_matrix(""),
        lambda: splat_ops.scale_matrix(0),
        lambda: splat_ops.scale_matrix([1, 2]),
        lambda: splat_ops.translation_matrix([1, 2]),
        lambda: splat_ops.rotation_matrix([1, 2, np.nan]),
        lambda: turn_between((0, 0, 0), (0, 1, 0)),
        lambda: turn_between((0, 1, 0), (0, np.nan, 0)),
        lambda: rotation_about((0, 0, 0), 1.0),
        lambda: splat_ops.crop_box(make_cloud(3), [1, 0, 0], [0, 1, 1]),
        lambda: splat_ops.crop_sphere(make_cloud(3), [0, 0, 0], 0),
        lambda: actions.SetDegree(4),
    ],
)
def test_bad_arguments_are_refused(call):
    with pytest.raises(UsageError):
        call()


def test_crops_keep_the_inside_or_the_outside():
    cloud = make_cloud()
    low, high = [-0.5, -1, -0.2], [0.5, np.inf, 0.7]
    inside = ((cloud.means >= low) & (cloud.means <= high)).all(axis=1)
    assert 0 < inside.sum() < len(cloud)
    np.testing.assert_array_equal(splat_ops.crop_box(cloud, low, high).means, cloud.means[inside])
    np.testing.assert_array_equal(
        splat_ops.crop_box(cloud, low, high, outside=True).means, cloud.means[~inside]
    )
    near = np.linalg.norm(cloud.means - [0.2, 0, 0], axis=1) <= 0.6
    np.testing.assert_array_equal(
        splat_ops.crop_sphere(cloud, [0.2, 0, 0], 0.6).means, cloud.means[near]
    )
    assert len(splat_ops.crop_sphere(cloud, [0.2, 0, 0], 0.6, outside=True)) == (~near).sum()


def test_dropping_by_rule_and_morton_order():
    cloud = make_cloud()
    kept = splat_ops.drop(cloud, parse_rule("opacity < 0.5"))
    np.testing.assert_array_equal(kept.opacities, cloud.opacities[cloud.opacities >= 0.5])
    assert splat_ops.drop(cloud, parse_rule("opacity > 2")) is cloud
    ordered = splat_ops.sort_morton(cloud)
    np.testing.assert_array_equal(np.sort(ordered.means, axis=0), np.sort(cloud.means, axis=0))

    def step(c):
        return np.linalg.norm(np.diff(c.means, axis=0), axis=1).mean()

    assert step(ordered) < 0.5 * step(cloud)


def test_repair_leaves_a_good_cloud_as_it_is():
    cloud = make_cloud()
    fixed = repair(cloud)
    for name in ("means", "scales", "opacities", "sh"):
        np.testing.assert_array_equal(getattr(fixed, name), getattr(cloud, name))
    np.testing.assert_allclose(fixed.quats, cloud.quats, atol=1e-6)


def test_repair_drops_and_mends_rows():
    cloud = make_cloud(extras={"row": np.arange(400)})
    arrays = {n: getattr(cloud, n).copy() for n in ("means", "quats", "scales", "opacities", "sh")}
    arrays["means"][0, 1] = np.nan
    arrays["means"][1] = np.inf
    arrays["scales"][2, 0] = np.nan
    arrays["scales"][3, 0] = np.inf
    arrays["quats"][4, 2] = np.nan
    arrays["opacities"][5] = np.nan
    arrays["sh"][6, 0, 1] = -np.inf
    arrays["quats"][7] = 0
    arrays["quats"][8] *= 3
    arrays["opacities"][9] = 1.5
    arrays["scales"][10] = 1e6
    arrays["scales"][11, 2] = 0  # a flat splat is legal
    arrays["scales"][12] *= -1
    fixed = repair(SplatCloud(**arrays, extras=cloud.extras))
    np.testing.assert_array_equal(fixed.extras["row"], np.arange(7, 400))
    np.testing.assert_array_equal(fixed.quats[0], [1, 0, 0, 0])
    np.testing.assert_allclose(np.linalg.norm(fixed.quats, axis=1), 1, atol=1e-6)
    assert fixed.opacities.max() <= 1
    assert fixed.scales.max() == 1e6  # may be a sky
    assert fixed.scales[4, 2] == 0
    np.testing.assert_array_equal(fixed.scales[5], cloud.scales[12])


def test_repair_undoes_columns_in_the_wrong_form():
    cloud = make_cloud()
    wrong = SplatCloud(
        cloud.means,
        cloud.quats,
        np.exp(cloud.scales),  # linear in the file, read as logarithms
        1 / (1 + np.exp(-cloud.opacities)),  # 0 to 1 in the file, read as logits
        sh_from_colors(0.5 + 0.28209479177387814 * cloud.colors)[:, None],  # RGB read as DC
    )
    wrong = SplatCloud(
        wrong.means, wrong.quats, wrong.scales, wrong.opacities, cloud.colors[:, None]
    )
    plan = plan_repair(wrong)
    assert (plan.linear_scales, plan.converted_opacities, plan.unconverted_colors) == (
        True,
        True,
        True,
    )
    fixed = repair(wrong)
    np.testing.assert_allclose(fixed.scales, cloud.scales, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(fixed.opacities, cloud.opacities, atol=1e-5)
    np.testing.assert_allclose(fixed.colors, cloud.colors, atol=1e-5)


def two_islands():
    ball = make_cloud(2000)
    far = make_cloud(40, seed=1, center=(8, 0, 0), size=0.3)
    fog = make_cloud(300, seed=2, center=(4, 0, 0), size=4.0)
    fog = SplatCloud(fog.means, fog.quats, fog.scales, np.full(300, 0.03, np.float32), fog.sh)
    return concatenate([ball, far, fog])


def test_floaters_are_what_hangs_loose():
    cloud = two_islands()
    floating = run(find_floaters(cloud))
    assert floating[:2000].mean() < 0.01
    assert floating[2000:2040].all()
    kept = run(remove_floaters(cloud))
    assert kept.means[:, 0].max() < 3


def test_main_clusters_all_stay_and_the_share_decides():
    first, second = make_cloud(2000), make_cloud(1500, seed=1, center=(5, 0, 0))
    both = concatenate([first, second])
    assert run(find_floaters(both)).mean() < 0.01
    only = run(find_floaters(both, share=1.0))
    assert only[2000:].all() != only[:2000].all()


def test_floaters_of_odd_clouds():
    broken = make_cloud(100)
    means = broken.means.copy()
    means[:10] = np.nan
    broken = SplatCloud(means, broken.quats, broken.scales, broken.opacities, broken.sh)
    assert run(find_floaters(broken))[:10].all()
    faint = SplatCloud(
        broken.means, broken.quats, broken.scales, 0.05 * broken.opacities, broken.sh
    )
    assert run(find_floaters(faint)).sum() < 25
    assert run(find_floaters(make_cloud(0))).shape == (0,)
    assert not run(find_floaters(make_cloud(1))).any()
    for bad in ({"reach": 0}, {"opacity": 2}, {"share": -1}):
        with pytest.raises(UsageError):
            run(find_floaters(broken, **bad))


@pytest.mark.parametrize(
    ("text", "total", "count"),
    [("10%", 1234, 123), ("100", 1234, 100), ("2k", 9000, 2000), ("1.5M", 9, 1_500_000),
     ("0.001%", 10, 1), (" 50 % ", 10, 5)],
)  # fmt: skip
def test_counts_are_read(text, total, count):
    assert actions.Count.parse(text).of(total) == count


@pytest.mark.parametrize("text", ["", "0", "-5", "1.5", "120%", "ten", "%", "nan", "inf", "1e999"])
def test_counts_that_are_none_are_refused(text):
    with pytest.raises(UsageError):
        actions.Count.parse(text)


def test_actions_run_in_order():
    cloud = make_cloud()
    move = actions.Transform(splat_ops.translation_matrix([10, 0, 0]))
    crop = actions.CropBox((9, -9, -9), (11, 9, 9))
    assert len(run(actions.apply(cloud, (move, crop)))) == 400
    assert len(run(actions.apply(cloud, (crop, move)))) == 0
    steps = (
        actions.Repair(),
        actions.SetDegree(1),
        actions.DropWhere(parse_rule("index >= 300")),
        actions.Floaters(),
        actions.Decimate(actions.Count(50, percent=True)),
        actions.Morton(),
        actions.CropSphere((0, 0, 0), 5.0),
    )
    result = run(actions.apply(cloud, steps))
    assert 100 < len(result) <= 150
    assert result.sh_degree == 1


def test_pieces_give_what_the_whole_gives():
    cloud = make_cloud(1000)
    for action in (
        actions.DropWhere(parse_rule("index in 100..600 and opacity < 0.7")),
        actions.DropWhere(parse_rule("x > 0"), keep=True),
        actions.Repair(),
        actions.UpTo((0, 0, 1)),
    ):
        bound = action.bind(cloud)
        pieces = [bound.piece(cloud.subset(slice(i, i + 300)), i) for i in range(0, 1000, 300)]
        whole = run(action.run(cloud))
        np.testing.assert_array_equal(concatenate(pieces).means, whole.means)


def test_up_to_turns_the_guessed_up():
    cloud = make_cloud(up=(0.0, -1.0, 0.0))
    assert run(actions.UpTo((0, 0, 1)).run(cloud)).up == pytest.approx((0, 0, 1))
