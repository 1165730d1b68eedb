"""Exposure, bloom, vignette and tone curves, on linear light and with alpha."""

from __future__ import annotations

import numpy as np
import pytest

from polyorama.errors import UsageError
from polyorama.render.light import to_linear
from polyorama.render.post import (
    TONES,
    Grade,
    _blurred,
    _convolve_rows,
    _enlarge_rows,
    _reduce_rows,
    aces_like,
    agx_like,
    bloom,
    grade_light,
    show,
)
from polyorama.render.post import vignette as darken


def grey(values: np.ndarray) -> np.ndarray:
    return np.repeat(np.asarray(values, np.float32)[:, None], 3, axis=1)


def plain(height: int, width: int, value: float = 0.2, alpha: float = 1.0) -> np.ndarray:
    out = np.full((height, width, 4), value * alpha, np.float32)
    out[..., 3] = alpha
    return out


def test_the_aces_like_curve_has_its_anchors() -> None:
    at = np.array([0.18, 0.18 * 1.01, 16.3])
    mapped = aces_like(grey(at))[:, 0]
    assert mapped[0] == pytest.approx(0.10, abs=0.001)
    assert mapped[2] == pytest.approx(1.0, abs=0.002)
    assert np.log(mapped[1] / mapped[0]) / np.log(1.01) == pytest.approx(1.55, abs=0.02)


def test_the_agx_like_curve_keeps_grey_and_has_its_slope() -> None:
    mapped = agx_like(grey([0.18, 0.18 * 2**6.5, 0.18 * 2**-10, 0.0]))[:, 0]
    assert mapped == pytest.approx([0.18, 1.0, 0.0, 0.0], abs=1e-3)
    stop = 0.02
    around = agx_like(grey(0.18 * 2.0 ** np.array([-stop, stop])))[:, 0] ** (1 / 2.2)
    assert (around[1] - around[0]) / (2 * stop / 16.5) == pytest.approx(2.4, rel=0.01)


@pytest.mark.parametrize("name", sorted(TONES))
def test_tone_curves_rise_and_stay_in_range(name: str) -> None:
    light = np.geomspace(1e-4, 100, 400)
    mapped = TONES[name](grey(light))
    assert (np.diff(mapped[:, 0]) >= -1e-6).all()
    assert np.isfinite(mapped).all()
    assert np.abs(np.ptp(mapped, axis=1)).max() < 1e-5, "grey stays grey"
    if name != "linear":
        assert mapped.max() <= 1.005
        # Very bright colours pale instead of staying at a corner of the cube.
        hot = TONES[name](np.array([[30.0, 1.0, 1.0]], np.float32))[0]
        mild = TONES[name](np.array([[0.3, 0.01, 0.01]], np.float32))[0]
        assert hot[1] / hot[0] > mild[1] / mild[0]
        assert np.isfinite(TONES[name](np.array([[0.0, -0.1, 50.0]], np.float32))).all()


def test_exposure_counts_in_stops_and_leaves_alpha() -> None:
    graded = grade_light(plain(4, 4, 0.1, 0.5), Grade(exposure=2.0))
    assert graded[0, 0] == pytest.approx([0.2, 0.2, 0.2, 0.5])
    assert show(graded)[0, 0, 3] == pytest.approx(0.5)


def test_tone_mapping_sees_colour_without_alpha() -> None:
    """A half covered pixel has half of what the covered one has."""
    for tone in TONES:
        whole = to_linear(show(plain(1, 1, 0.4), tone))
        half = to_linear(show(plain(1, 1, 0.4, 0.5), tone))
        assert half[0, 0] == pytest.approx(whole[0, 0] * 0.5, abs=1e-5)
        assert show(np.zeros((1, 1, 4), np.float32), tone).tolist() == [[[0, 0, 0, 0]]]


def test_the_vignette_is_round_and_reaches_its_strength_in_the_corners() -> None:
    dark = darken(plain(200, 300, 1.0, 0.7), 0.6) / np.float32(0.7)
    assert dark[100, 150, 0] == pytest.approx(1.0, abs=1e-3)
    assert dark[0, 0, 0] == pytest.approx(0.4, abs=0.01)
    assert np.allclose(dark[..., 3], 1.0)
    assert np.allclose(dark, dark[::-1, ::-1], atol=1e-6)
    # As far from the middle to the right as downwards is as dark.
    assert dark[100, 249, 0] == pytest.approx(dark[199, 150, 0], abs=0.01)


def test_bloom_spreads_what_is_bright_and_nothing_else() -> None:
    dim = plain(60, 80, 0.5)
    assert np.array_equal(bloom(dim, 1.0), dim)
    lamp = plain(120, 160, 0.0)
    lamp[60, 80, :3] = (8.0, 4.0, 0.0)
    glowing = bloom(lamp, 0.5)
    added = glowing - lamp
    # Energy: half of the lamp's light is spread, less what leaves the picture.
    assert 0.85 * 0.5 < added[..., 0].sum() / 8.0 <= 0.5001
    assert added[..., 0] == pytest.approx(2.0 * added[..., 1], abs=1e-6)
    assert added[..., 2].max() == 0.0
    profile = added[60, 80:, 0]
    assert (np.diff(profile) <= 1e-7).all()
    assert profile[30] > 0
    assert np.allclose(added[:60, 80][::-1][:50], added[61:111, 80], atol=0.02 * added.max())


def test_bloom_is_the_same_at_any_size() -> None:
    def glow(scale: int) -> np.ndarray:
        picture = plain(90 * scale, 120 * scale, 0.0)
        picture[40 * scale : 50 * scale, 50 * scale : 60 * scale, :3] = 2.0
        light = bloom(picture, 0.6)[..., 0]
        return light.reshape(90, scale, 120, scale).mean(axis=(1, 3))

    assert np.abs(glow(2) - glow(4)).max() < 0.03


def test_bloom_on_nothing_makes_it_as_opaque_as_it_is_bright() -> None:
    lamp = plain(90, 120, 0.0, 0.0)
    lamp[40:50, 50:60] = 1.0
    glowing = bloom(lamp, 1.0)
    outside = glowing[30, 55]
    assert 0 < outside[0] < 0.5
    assert outside[3] == pytest.approx(outside[0], rel=1e-5)
    assert glowing[..., 3].max() <= 1.0
    shown = show(glowing)
    around = np.ones((90, 120), bool)
    around[40:50, 50:60] = False
    assert (shown[around, :3].max(axis=-1) <= shown[around, 3] + 1e-5).all()


def test_bloom_wraps_round_a_panorama() -> None:
    lamp = plain(60, 120, 0.0)
    lamp[30, 0, :3] = 10.0
    flat, round_ = bloom(lamp, 1.0), bloom(lamp, 1.0, wraps=True)
    assert flat[30, -1, 0] == 0.0
    assert round_[30, -1, 0] == pytest.approx(round_[30, 1, 0], rel=0.05)


def gaussian(length: int, sigma: float, wraps: bool) -> np.ndarray:
    """(length, length) float64: how much of each place comes to each other one."""
    places = np.arange(length)
    turns = range(-4, 5) if wraps else (0,)
    away = places[:, None] - places[None, :]
    total = sum(np.exp(-0.5 * ((away + turn * length) / sigma) ** 2) for turn in turns)
    return np.asarray(total) / (sigma * np.sqrt(2 * np.pi))


@pytest.mark.parametrize("sigma", [0.7, 3.0, 11.9, 12.1, 31.0, 60.0])
@pytest.mark.parametrize("wraps", [False, True])
def test_blurs_are_gaussians_and_do_not_jump(sigma: float, wraps: bool) -> None:
    """Wherever a lamp stands among the cells of a coarse blur, its glow is around it."""
    height, width = 90, 131
    down, across = gaussian(height, sigma, False), gaussian(width, sigma, wraps)
    for y, x in [(45, 60), (45, 61), (46, 62), (47, 64), (49, 67), (3, 0), (89, 130)]:
        lamp = np.zeros((height, width, 3), np.float32)
        lamp[y, x] = (1.0, 0.5, 0.0)
        blurred = _blurred(lamp, sigma, wraps)
        meant = np.outer(down[:, y], across[:, x])
        # A Gaussian of 0.7 pixels is coarser than its own sum.
        within = 0.01 if sigma > 1.0 else 0.02
        assert np.abs(blurred[..., 0] - meant).max() < within * meant.max()
        assert np.allclose(blurred[..., 1], 0.5 * blurred[..., 0], atol=1e-9)
        assert not blurred[..., 2].any()


@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("factor", [1, 2, 5])
def test_kernels_of_the_blur_against_slow_ones(factor: int, wraps: bool) -> None:
    random = np.random.default_rng(2)
    image = random.random((23, 7, 3)).astype(np.float32)
    before, cells = 4, -(-23 // factor) + 2
    reduced = np.zeros((cells + 6, 7, 3), np.float32)
    _reduce_rows(0, len(reduced), image, reduced, factor, before, wraps)
    meant = np.zeros((cells + 6, 7, 3))
    for cell in range(cells + 6):
        for y in range(-200, 223) if wraps else range(23):
            away = abs((y + 0.5) / factor - 0.5 - (cell - before))
            meant[cell] += max(1.0 - away, 0.0) / factor * image[y % 23].astype(float)
    assert np.allclose(reduced, meant, atol=1e-6)

    taps = random.random(7).astype(np.float32)
    convolved = np.zeros((cells, 7, 3), np.float32)
    _convolve_rows(0, cells, reduced, taps, convolved)
    meant = np.stack([
        sum(float(taps[k]) * reduced[y + k].astype(float) for k in range(7)) for y in range(cells)
    ])  # fmt: skip
    assert np.allclose(convolved, meant, rtol=1e-5)

    columns = -(-11 // factor) + 2
    small = random.random((cells, columns, 3)).astype(np.float32)
    large = np.zeros((23, 11, 3), np.float32)
    _enlarge_rows(0, 23, small, large, factor)
    meant = np.zeros((23, 11, 3))
    for y in range(23):
        for x in range(11):
            v, u = (y + 0.5) / factor + 0.5, (x + 0.5) / factor + 0.5
            for j in range(cells):
                for i in range(columns):
                    share = max(1.0 - abs(v - j), 0.0) * max(1.0 - abs(u - i), 0.0)
                    meant[y, x] += share * small[j, i].astype(float)
    assert np.allclose(large, meant, atol=1e-6)


def test_the_order_is_exposure_bloom_vignette() -> None:
    random = np.random.default_rng(0)
    picture = random.random((40, 60, 4)).astype(np.float32)
    picture[..., 3] = 1.0
    graded = grade_light(picture, Grade(exposure=0.5, bloom=0.4, vignette=0.3))
    exposed = picture.copy()
    exposed[..., :3] *= np.float32(2**0.5)
    assert np.array_equal(graded, darken(bloom(exposed, 0.4), 0.3))


def test_impossible_grades_are_told() -> None:
    assert Grade().is_plain
    assert not Grade(tone="agx").is_plain
    for fields, words in [
        ({"exposure": 30}, "30 stops"),
        ({"exposure": float("nan")}, "nan"),
        ({"bloom": -0.1}, "bloom of -0.1"),
        ({"vignette": 1.1}, "vignette of 1.1"),
        ({"tone": "hdr"}, "linear, aces, agx"),
    ]:
        with pytest.raises(UsageError, match=words):
            Grade(**fields)
