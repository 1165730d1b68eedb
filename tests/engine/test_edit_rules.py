"""Rules over the properties of splats: what they select, and how they fail."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyorama.errors import UsageError
from polyorama.scene.properties import PROPERTIES, hue_saturation_value
from polyorama.scene.rules import MAX_DEPTH, MAX_LENGTH, parse_rule
from polyorama.scene.splats import SplatCloud


def make_cloud(n=200, seed=0, **extras):
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(n, 4))
    return SplatCloud(
        rng.normal(size=(n, 3)).astype(np.float32),
        (quats / np.linalg.norm(quats, axis=1, keepdims=True)).astype(np.float32),
        rng.uniform(0.01, 3, (n, 3)).astype(np.float32),
        rng.uniform(0, 1, n).astype(np.float32),
        rng.normal(size=(n, 4, 3)).astype(np.float32),
        extras=extras,
    )


CLOUD = make_cloud(label=np.arange(200, dtype=np.uint8), Density=np.linspace(0, 1, 200))
X, Y, Z = CLOUD.means.T
SX, SY, SZ = CLOUD.scales.T
A = CLOUD.opacities
R, G, B = CLOUD.colors.T
HUE, SATURATION, VALUE = hue_saturation_value(CLOUD.colors).T
LARGEST = CLOUD.scales.max(axis=1)

CASES = {
    "opacity < 0.05 or max(scale) > 2": (A < 0.05) | (LARGEST > 2),
    "opacity < 0.05 || max(scale) > 2": (A < 0.05) | (LARGEST > 2),
    "x > 0 and y > 0 or z > 0": ((X > 0) & (Y > 0)) | (Z > 0),
    "x > 0 and (y > 0 or z > 0)": (X > 0) & ((Y > 0) | (Z > 0)),
    "not x > 0 and y > 0": ~(X > 0) & (Y > 0),
    "!(x > 0) && y > 0": ~(X > 0) & (Y > 0),
    "not not x > 0": X > 0,
    "0.1 < opacity <= 0.5": (A > 0.1) & (A <= 0.5),
    "x < y < z": (X < Y) & (Y < Z),
    "x + y * 2 - z / 4 > 1": X + Y * 2 - Z / 4 > 1,
    "-x ** 2 < -1": -(X**2) < -1,
    "2 ** 3 ** 2 == 512 and x > 0": X > 0,
    "2 ** -1 < opacity": A > 0.5,
    "10 - 3 - 2 == 5": np.ones(200, bool),
    "1 / 0 > 5": np.ones(200, bool),
    "+x > - -1": X > 1,
    "scale.x > 1": SX > 1,
    "scale.y > scale.z": SY > SZ,
    "color.r > color.g": R > G,
    "b > 0.5": B > 0.5,
    "position.z > 0": Z > 0,
    "mean.x > 0": X > 0,
    "quat.w > 0": CLOUD.quats[:, 0] > 0,
    "min(scale) < 0.5": CLOUD.scales.min(axis=1) < 0.5,
    "max(x, y, z) > 1": np.max(CLOUD.means, axis=1) > 1,
    "mean(color) > 0.5": CLOUD.colors.mean(axis=1) > 0.5,
    "mean(x, y) > 0": (X + Y) / 2 > 0,
    "sum(scale) > 4": CLOUD.scales.sum(axis=1) > 4,
    "length(position) > 1": np.linalg.norm(CLOUD.means, axis=1) > 1,
    "max(abs(position)) > 1": np.abs(CLOUD.means).max(axis=1) > 1,
    "max(scale * 2) > 3": LARGEST * 2 > 3,
    "max(scale * opacity) > 1": (CLOUD.scales * A[:, None]).max(axis=1) > 1,
    "max(opacity / scale) > 1": (A[:, None] / CLOUD.scales).max(axis=1) > 1,
    "sqrt(abs(x)) > 1 and log(opacity) > -1 and exp(x) > 1": (np.abs(X) > 1)
    & (np.log(A) > -1)
    & (X > 0),
    "dist(0, 0.5, -1) < 1": np.linalg.norm(CLOUD.means - [0, 0.5, -1], axis=1) < 1,
    "hue in 80..140": (HUE >= 80) & (HUE <= 140),
    "hue in 340 .. 20": (HUE >= 340) | (HUE <= 20),
    "hue not in 80..140": ~((HUE >= 80) & (HUE <= 140)),
    "opacity in .25.. .75": (A >= 0.25) & (A <= 0.75),
    "x in -1..y": (X >= -1) & (X <= Y),
    "saturation > 0.5 and value < 0.9": (SATURATION > 0.5) & (VALUE < 0.9),
    "index < 10 or index >= 190": (np.arange(200) < 10) | (np.arange(200) >= 190),
    "label == 7 or label - 10 == -4": np.isin(np.arange(200), [6, 7]),
    "Density > 0.5": np.linspace(0, 1, 200) > 0.5,
    "ratio > 5": LARGEST / CLOUD.scales.min(axis=1) > 5,
    "needle > 2": LARGEST / np.median(CLOUD.scales, axis=1) > 2,
    "volume > 4": 4 / 3 * np.pi * CLOUD.scales.prod(axis=1) > 4,
    "area > pi": np.sort(CLOUD.scales, axis=1)[:, 1:].prod(axis=1) > 1,
    "f_dc_0 > 0": CLOUD.sh[:, 0, 0] > 0,
    "f_rest_4 > 0": CLOUD.sh[:, 2, 1] > 0,
    "shine > 2": np.linalg.norm(CLOUD.sh[:, 1:].reshape(200, -1), axis=1) > 2,
    "ALPHA > 5e-1": A > 0.5,
    "finite(x)": np.ones(200, bool),
    "opacity < inf": np.ones(200, bool),
    "1 < 2": np.ones(200, bool),
}


@pytest.mark.parametrize("text", CASES)
def test_rules_select_what_they_say(text):
    mask = parse_rule(text).mask(CLOUD)
    assert mask.shape == (200,)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask, CASES[text])


def test_nan_is_never_matched_but_can_be_asked_for():
    means = CLOUD.means.copy()
    means[3] = np.nan
    broken = SplatCloud(means, CLOUD.quats, CLOUD.scales, CLOUD.opacities, CLOUD.sh)
    assert not parse_rule("x < 0 or x >= 0").mask(broken)[3]
    np.testing.assert_array_equal(
        np.flatnonzero(parse_rule("not finite(position)").mask(broken)), [3]
    )


def test_index_counts_on_through_chunks():
    rule = parse_rule("index in 100..119")
    parts = [rule.mask(CLOUD.subset(slice(i, i + 50)), first_index=i) for i in range(0, 200, 50)]
    np.testing.assert_array_equal(np.concatenate(parts), rule.mask(CLOUD))


def test_an_empty_cloud_gives_an_empty_mask():
    assert parse_rule("opacity < 0.5 and max(scale) > 1").mask(make_cloud(0)).shape == (0,)


def test_hue_agrees_with_the_standard_library():
    rng = np.random.default_rng(1)
    colors = np.concatenate([rng.uniform(0, 1, (300, 3)), np.eye(3), np.zeros((1, 3))])
    wanted = np.array([colorsys.rgb_to_hsv(*c) for c in colors]) * [360, 1, 1]
    got = hue_saturation_value(colors.astype(np.float32))
    np.testing.assert_allclose(got, wanted, atol=2e-3)


def test_every_property_can_be_compared():
    for name, entry in PROPERTIES.items():
        text = f"max({name}) > 0" if entry.components else f"{name} > 0"
        assert parse_rule(text).mask(CLOUD).shape == (200,)


FAILURES = {
    "": "empty",
    "opacity <": "ends too early",
    "opacity < 0.1 or": "ends too early",
    "(opacity < 0.1": "lacks ')'",
    "opacity < 0.1)": "cannot stand here",
    "opacity = 0.1": "'=='",
    "opacty < 0.1": "did you mean 'opacity'",
    "labl == 3": "did you mean 'label'",
    "maxx(scale) > 1": "did you mean 'max'",
    "wobble(scale) > 1": "there are min",
    "zzz > 1": "there are x, y",
    "scale > 2": "max(scale)",
    "scale.q > 2": "components x, y, z",
    "opacity.x > 2": "no components",
    "scal.x > 2": "did you mean 'scale'",
    "opacity": "a number, where a condition",
    "opacity or x > 1": "a number, where a condition",
    "(x > 1) + 1 > 2": "a condition, where a number",
    "max(x > 1, 2) > 1": "a condition, where a number",
    "max(x) > 1": "needs a vector",
    "length(x) > 1": "of a vector",
    "dist(1, 2) > 1": "takes 3 values, not 2",
    "abs(1, 2) > 1": "takes 1 value, not 2",
    "x in 3": "lacks '..'",
    "x in 3..1": "range 3..1 is empty",
    "x .. 3": "needs 'in'",
    "max(quat * scale) > 1": "different numbers of components",
    "x > 1; import os": "cannot contain ';'",
    "__import__('os')": "no function '__import__'",
    "'x' > 1": "cannot stand here",
    "dist(node 3) < 1": "name in quotes",
    'selected("a"': "lacks ')'",
    'dist(node "pot") < 1': "asks about a scene",
    "visible_from < 3 views": "asks about a scene",
    "x > 1 2": "'2' cannot stand here",
    "f_rest_99 > 0": "no 'f_rest_99'",
    "f_dc_3 > 0": "no 'f_dc_3'",
}


@pytest.mark.parametrize("text", FAILURES)
def test_failures_say_what_and_where(text):
    with pytest.raises(UsageError) as caught:
        parse_rule(text).mask(CLOUD)
    message = str(caught.value)
    assert FAILURES[text] in message
    if text:
        first, line, carets = message.split("\n")
        assert line == "  " + text
        assert set(carets.strip()) == {"^"}
        assert first


def test_the_caret_stands_below_the_place():
    with pytest.raises(UsageError) as caught:
        parse_rule("x > 1 and opacty < 0.1").mask(CLOUD)
    assert str(caught.value).split("\n")[2] == " " * 12 + "^" * 6


def test_length_and_depth_are_bounded():
    with pytest.raises(UsageError, match="characters"):
        parse_rule("x > 1 or " * MAX_LENGTH)
    for nest in ("(", "-", "not ", "abs(", "2**"):
        with pytest.raises(UsageError, match="nested deeper"):
            parse_rule(nest * (MAX_DEPTH + 1) + "x > 1")
    assert parse_rule("(" * MAX_DEPTH + "x > 1" + ")" * MAX_DEPTH).mask(CLOUD).any()


WORDS = (
    "x y scale opacity color.r max( min( dist( ( ) , and or not in .. . < > == = + - * / ** "
    "1 0.5 hue quat index nope 1e999 ! && \t \n é"
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS.split(" ")), max_size=14))
def test_nonsense_gives_a_mask_or_a_usage_error(words):
    try:
        mask = parse_rule(" ".join(words)).mask(CLOUD)
    except UsageError:
        return
    assert mask.shape == (200,)


def test_comparisons_with_nan_are_false():
    cloud = make_cloud(3)
    opacities = np.array([0.2, np.nan, 0.9], np.float32)
    from dataclasses import replace

    cloud = replace(cloud, opacities=opacities)
    for text, wanted in (
        ("opacity != 0.5", [True, False, True]),
        ("opacity not in 0..0.5", [False, False, True]),
        ("opacity == 0.2 or opacity > 0", [True, False, True]),
    ):
        assert parse_rule(text).mask(cloud).tolist() == wanted
