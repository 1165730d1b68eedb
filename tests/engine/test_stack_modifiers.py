"""Each modifier against a plain float64 reference."""

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.scene.contents import CropVolume
from polyorama.scene.document import Document, Node
from polyorama.scene.modifiers import MODIFIERS, make_modifier
from polyorama.scene.placement import matrix_of
from polyorama.scene.selection import BitSet
from polyorama.scene.sh import SH_C0
from polyorama.scene.stack import stacked
from tests.engine import stack_reference as reference
from tests.engine.splat_samples import sample_cloud

CLOUD = sample_cloud(200, degree=3)
MASK = np.random.default_rng(5).random(200) < 0.5
BITS = BitSet.of_mask(MASK)


def done(*modifiers, time=0.0, cloud=CLOUD):
    stack = tuple(m.replaced(id=m.id or str(i)) for i, m in enumerate(modifiers))
    node = Node("plant", cloud, modifiers=stack)
    return stacked(Document((node,)), node, time)


def chosen(mask):
    return np.ones(200, bool) if mask is None else MASK


def both_masks(function):
    both = pytest.mark.parametrize("mask", [None, BITS], ids=["all", "some"])
    return both(pytest.mark.parametrize("strength", [1.0, 0.35])(function))


@both_masks
def test_transform(mask, strength):
    m = make_modifier(
        "transform", mask=mask, strength=strength, translation=(0.3, -1, 2),
        rotation=(20, -50, 110), scale=(0.5, 1.5, 2), pivot=(1, 0.5, -0.25),
    )  # fmt: skip
    result = done(m)
    matrix = reference.transform_matrix(m)
    points = CLOUD.means.astype(float)
    expected = np.where(chosen(mask)[:, None], reference.moved(points, matrix), points)
    np.testing.assert_allclose(result.means(), expected, atol=2e-6)
    assert result.cloud is CLOUD


GRADES = {
    "exposure": {"exposure": 0.7},
    "balance": {"temperature": 0.6, "tint": -0.4, "multiply": (1.0, 0.8, 0.5)},
    "levels": {"black": 0.1, "white": 0.8},
    "hue": {"hue": 75.0, "saturation": 1.6},
    "grey": {"saturation": 0.0},
    "lighter": {"gamma": 1.8},
    "darker": {"gamma": 0.45},
    "everything": {
        "exposure": -0.5, "temperature": -0.3, "tint": 0.5, "saturation": 0.7, "hue": -120.0,
        "black": -0.1, "white": 1.3, "gamma": 1.3, "multiply": (0.9, 1.0, 0.7),
    },
}  # fmt: skip


@both_masks
@pytest.mark.parametrize("values", GRADES.values(), ids=GRADES)
def test_grade(values, mask, strength):
    m = make_modifier("grade", mask=mask, strength=strength, **values)
    result = done(m)
    expected = reference.graded(CLOUD.sh, m, chosen(mask))
    np.testing.assert_allclose(result.cloud.sh, expected, rtol=2e-5, atol=2e-5)
    assert result.cloud.means is CLOUD.means
    assert result.cloud.opacities is CLOUD.opacities


def test_a_grade_that_turns_hue_and_drops_colour_keeps_brightness():
    weights = reference.LUMA
    for values in ({"hue": 100.0}, {"saturation": 0.2}, {"hue": -30.0, "saturation": 2.0}):
        luma = done(make_modifier("grade", **values)).cloud.sh @ weights
        np.testing.assert_allclose(luma, CLOUD.sh @ weights, atol=2e-6)


def test_turns_of_hue_add_up():
    twice = done(*[make_modifier("grade", hue=120.0)] * 3)
    np.testing.assert_allclose(twice.cloud.sh, CLOUD.sh, atol=5e-6)


def test_gamma_keeps_black_and_white():
    cloud = sample_cloud(2, degree=0)
    sh = np.array([[[-0.5] * 3], [[0.5] * 3]], np.float32) / np.float32(SH_C0)
    ends = done(make_modifier("grade", gamma=2.2), cloud=type(cloud)(
        cloud.means, cloud.quats, cloud.scales, cloud.opacities, sh
    ))  # fmt: skip
    np.testing.assert_allclose(ends.cloud.colors, [[0] * 3, [1] * 3], atol=1e-6)


@both_masks
@pytest.mark.parametrize("shading", [True, False])
@pytest.mark.parametrize(
    "color", [(1.0, 0.7, 0.33), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.5, 0.5, 0.5)]
)
def test_fill(shading, color, mask, strength):
    m = make_modifier("fill", mask=mask, strength=strength, color=color, shading=shading)
    result = done(m)
    expected = reference.filled(CLOUD.sh, m, chosen(mask))
    np.testing.assert_allclose(result.cloud.sh, expected, rtol=2e-5, atol=2e-5)


def test_a_fill_with_shading_keeps_brightness():
    result = done(make_modifier("fill", color=(0.1, 0.2, 1.0)))
    before, after = CLOUD.colors @ reference.LUMA, result.cloud.colors @ reference.LUMA
    np.testing.assert_allclose(after, before, atol=1e-6)
    within = (before > 0.0) & (before < 1.0)
    assert within.sum() > 100
    assert result.cloud.colors[within].max() <= 1.0 + 1e-6


@both_masks
@pytest.mark.parametrize("level", [0.0, 0.5, 1.0, 1.4, 2.75])
def test_sh_level(level, mask, strength):
    m = make_modifier("sh-level", mask=mask, strength=strength, level=level)
    result = done(m).cloud.with_sh_degree(3)
    expected = reference.leveled(CLOUD.sh, m, chosen(mask))
    np.testing.assert_allclose(result.sh, expected, rtol=1e-5, atol=1e-6)


def test_bands_that_no_splat_keeps_are_dropped():
    assert done(make_modifier("sh-level", level=0.0)).cloud.sh_degree == 0
    assert done(make_modifier("sh-level", level=1.5)).cloud.sh_degree == 2
    assert done(make_modifier("sh-level", level=1.5, mask=BITS)).cloud.sh_degree == 3
    assert done(make_modifier("sh-level", level=3.0)).cloud is CLOUD


@both_masks
@pytest.mark.parametrize("factor", [0.0, 0.4, 3.0])
def test_opacity(factor, mask, strength):
    m = make_modifier("opacity", mask=mask, strength=strength, factor=factor)
    result = done(m)
    old = CLOUD.opacities.astype(float)
    expected = reference.blended(old, np.clip(old * factor, 0, 1), chosen(mask), strength)
    np.testing.assert_allclose(result.cloud.opacities, expected, atol=1e-6)
    assert result.cloud.sh is CLOUD.sh


@both_masks
def test_size(mask, strength):
    m = make_modifier("size", mask=mask, strength=strength, factor=2.5)
    result = done(m)
    old = CLOUD.scales.astype(float)
    expected = reference.blended(old, old * 2.5, chosen(mask), strength)
    np.testing.assert_allclose(result.cloud.scales, expected, rtol=1e-6)
    assert result.cloud.means is CLOUD.means


CROPS = {
    "box": {"shape": "box", "size": (3.0, 2.0, 2.5)},
    "sphere": {"shape": "sphere", "size": (3.0, 9.0, 9.0)},
    "ellipsoid": {"shape": "ellipsoid", "size": (4.0, 2.0, 3.0)},
    "plane": {"shape": "plane"},
}


@both_masks
@pytest.mark.parametrize("soft", [0.0, 0.6])
@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("values", CROPS.values(), ids=CROPS)
def test_crop(values, inverted, soft, mask, strength):
    m = make_modifier(
        "crop", mask=mask, strength=strength, center=(0.1, -0.2, 0.3), rotation=(30, 40, -20),
        soft=soft, inverted=inverted, **values,
    )  # fmt: skip
    result = done(m)
    size = (m.size[0],) * 3 if m.shape in ("sphere", "plane") else m.size
    matrix = np.eye(4)
    matrix[:3, :3] = reference.turn_about(m.rotation) @ np.diag(size)
    matrix[:3, 3] = m.center
    opacities, gone = reference.cropped(
        CLOUD.means.astype(float), CLOUD.opacities.astype(float), m, m.shape, matrix, chosen(mask)
    )
    np.testing.assert_allclose(result.cloud.opacities, opacities, atol=2e-6)
    np.testing.assert_array_equal(result.deleted(), gone)
    assert 0 < gone.sum() < 200 or strength < 1.0
    if not soft and strength == 1.0:
        assert result.cloud is CLOUD


def test_crop_takes_its_place_from_a_volume_of_the_scene():
    placed = matrix_of((1, 0, 0), (0, 30, 0), (2, 2, 2))
    volume_matrix = matrix_of((0.5, 0.5, 0), (10, 0, 50), (5, 3, 4)) @ np.array(
        [[1, 0.3, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    )
    volume = Node("volume", CropVolume(shape="ellipsoid"), volume_matrix)
    m = make_modifier("crop", id="c", volume=volume.id, soft=0.2)
    plant = Node("plant", CLOUD, placed, modifiers=(m,))
    result = stacked(Document((volume, plant)), plant)
    matrix = np.linalg.inv(placed) @ volume_matrix
    opacities, gone = reference.cropped(
        CLOUD.means.astype(float), CLOUD.opacities.astype(float), m, "ellipsoid", matrix,
        chosen(None),
    )  # fmt: skip
    np.testing.assert_allclose(result.cloud.opacities, opacities, atol=2e-6)
    np.testing.assert_array_equal(result.deleted(), gone)
    assert 0 < gone.sum() < 200


def test_the_middle_of_a_ball_is_inside_by_its_smallest_radius():
    m = make_modifier("crop", shape="ellipsoid", center=tuple(CLOUD.means[0]), size=(4, 2, 6))
    assert not done(m.replaced(soft=1.0 - 1e-6)).cloud.opacities[0] < CLOUD.opacities[0]
    assert done(m.replaced(soft=1.5)).cloud.opacities[0] < CLOUD.opacities[0]


def test_a_volume_that_is_not_there_or_flat_is_told():
    with pytest.raises(UsageError, match="not there any more"):
        done(make_modifier("crop", volume="nowhere"))
    flat = Node("flat", CropVolume(), np.diag([1.0, 0.0, 1.0, 1.0]))
    plant = Node("plant", CLOUD, modifiers=(make_modifier("crop", id="c", volume=flat.id),))
    with pytest.raises(UsageError, match="cuts nothing"):
        stacked(Document((flat, plant)), plant)
    nothing = Node("plant", CLOUD, np.diag([1.0, 0.0, 1.0, 1.0]), modifiers=plant.modifiers)
    with pytest.raises(UsageError, match="scaled to nothing"):
        stacked(Document((flat, nothing)), nothing)


@both_masks
def test_delete(mask, strength):
    m = make_modifier("delete", mask=mask, strength=strength, rule="opacity < 0.4")
    result = done(m)
    which = (CLOUD.opacities < np.float32(0.4)) & chosen(mask)
    if strength == 1.0:
        np.testing.assert_array_equal(result.deleted(), which)
        assert result.cloud is CLOUD
    else:
        expected = CLOUD.opacities * np.where(which, 1.0 - strength, 1.0)
        np.testing.assert_allclose(result.cloud.opacities, expected, atol=1e-6)
        assert result.state is None


@both_masks
@pytest.mark.parametrize("speed", [0.0, 0.7])
def test_noise(speed, mask, strength):
    m = make_modifier(
        "noise", mask=mask, strength=strength, amplitude=0.2, frequency=1.3, speed=speed, seed=11
    )
    result = done(m, time=1.7)
    expected = reference.noise(CLOUD.means.astype(float), m, 1.7, chosen(mask))
    np.testing.assert_allclose(result.means(), expected, atol=1e-6)
    assert np.abs(expected - CLOUD.means).max() > 0.02


@both_masks
@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.5), (0.0, 0.0, 0.0)])
def test_wind(direction, mask, strength):
    m = make_modifier(
        "wind", mask=mask, strength=strength, amplitude=0.3, direction=direction,
        frequency=0.8, wavelength=1.5, turbulence=0.4, root=(0, 1, 0), up=(0, -1, 0.2),
        reach=2.0, seed=3,
    )  # fmt: skip
    result = done(m, time=2.3)
    expected = reference.wind(CLOUD.means.astype(float), m, 2.3, chosen(mask))
    np.testing.assert_allclose(result.means(), expected, atol=2e-6)
    below = (CLOUD.means - m.root) @ np.asarray(m.up) < 0.0
    assert 0 < below.sum() < 200
    np.testing.assert_array_equal(result.means()[below], CLOUD.means[below])


@pytest.mark.parametrize("kind", ["noise", "wind"])
def test_displacement_never_exceeds_the_amplitude(kind):
    cloud = sample_cloud(5000, degree=0, spread=30.0)
    for turbulence in (0.0, 0.5, 1.0) if kind == "wind" else (None,):
        more = {} if turbulence is None else {"turbulence": turbulence}
        m = make_modifier(kind, amplitude=0.5, **more)
        lengths = np.linalg.norm(done(m, cloud=cloud, time=0.4).means() - cloud.means, axis=1)
        assert 0.2 < lengths.max() <= 0.5 + 1e-5


def test_noise_neither_gathers_nor_scatters_splats():
    # The divergence of the flow before it is drawn in is 0; after that it stays small beside the
    # gradient that a field of independent components would have.
    step = 1e-3
    points = np.random.default_rng(2).uniform(-5, 5, (150, 3))
    at = lambda p: reference.flow(np.append(p, 0.3), 4)  # noqa: E731
    gradient = np.array(
        [[(at(p + step * e) - at(p - step * e)) / (2 * step) for e in np.eye(3)] for p in points]
    )
    divergence = np.trace(gradient, axis1=1, axis2=2)
    assert np.sqrt((divergence**2).mean()) < 0.35 * np.sqrt((gradient**2).sum((1, 2)).mean())


@pytest.mark.parametrize("kind", ["noise", "wind"])
def test_displacement_of_moved_splats_is_that_of_their_new_place(kind):
    move = make_modifier("transform", rotation=(0, 0, 40), scale=(2, 1, 0.5), translation=(1, 2, 3))
    m = make_modifier(kind, amplitude=0.3)
    result = done(move.replaced(mask=BITS), m, time=0.7)
    matrix = reference.transform_matrix(move)
    points = CLOUD.means.astype(float)
    points = np.where(MASK[:, None], reference.moved(points, matrix), points)
    expected = getattr(reference, kind)(points, m, 0.7, np.ones(200, bool))
    np.testing.assert_allclose(result.means(), expected, atol=3e-6)


def test_splats_that_are_no_numbers_stay_what_they_are():
    means = CLOUD.means.copy()
    means[0], means[1] = np.nan, 1e30
    cloud = type(CLOUD)(means, CLOUD.quats, CLOUD.scales, CLOUD.opacities, CLOUD.sh)
    result = done(make_modifier("noise", frequency=1e6), cloud=cloud)
    np.testing.assert_array_equal(result.means()[:2], means[:2])
    assert done(make_modifier("crop"), cloud=cloud).deleted()[0]
    assert not done(make_modifier("crop", inverted=True), cloud=cloud).deleted()[0]


@pytest.mark.parametrize("strength", [1.0, 0.5])
def test_decimate(strength):
    marked = type(CLOUD)(
        CLOUD.means, CLOUD.quats, CLOUD.scales, CLOUD.opacities, CLOUD.sh,
        extras={"number": np.arange(200)},
    )  # fmt: skip
    deleted = make_modifier("delete", rule="index < 40")
    result = done(deleted, make_modifier("decimate", percent=25.0, strength=strength), cloud=marked)
    count = 40 if strength == 1.0 else 100
    assert len(result.cloud) == count
    assert not result.in_source
    np.testing.assert_array_equal(result.cloud.extras["number"], result.rows)
    assert result.rows.min() >= 40


def test_every_kind_of_modifier_has_a_test_here():
    assert {f"test_{kind.replace('-', '_')}" for kind in MODIFIERS} <= set(globals())
