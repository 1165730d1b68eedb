"""The linter and the statistics."""

from __future__ import annotations

import argparse
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest

from polyorama.cli import convert
from polyorama.core.jobs import run
from polyorama.core.types import Camera
from polyorama.edit.actions import apply
from polyorama.scene.lint import lint
from polyorama.scene.splats import SplatCloud, sh_from_colors
from polyorama.scene.statistics import PERCENTILES, column_statistics, overdraw, robust_bounds


def arrays(n=2000, degree=1, seed=0):
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(n, 4))
    sh = np.zeros((n, (degree + 1) ** 2, 3), np.float32)
    sh[:, 0] = sh_from_colors(rng.uniform(0, 1, (n, 3)))
    sh[:, 1:] = rng.uniform(-0.3, 0.3, sh[:, 1:].shape)
    return {
        "means": rng.uniform(-1, 1, (n, 3)).astype(np.float32),
        "quats": (quats / np.linalg.norm(quats, axis=1, keepdims=True)).astype(np.float32),
        "scales": np.exp(rng.uniform(-6, -3, (n, 3))).astype(np.float32),
        "opacities": rng.uniform(0.1, 0.99, n).astype(np.float32),
        "sh": sh,
    }


def codes(values, **more):
    return {finding.code: finding for finding in lint(SplatCloud(**values, **more))}


def test_a_good_cloud_has_no_findings():
    assert codes(arrays()) == {}


def broken_rows():
    yield "position-not-finite", "error", lambda a: a["means"].__setitem__((3, 1), np.nan)
    yield "position-not-finite", "error", lambda a: a["means"].__setitem__(3, np.inf)
    yield "value-not-finite", "error", lambda a: a["sh"].__setitem__((3, 2, 1), np.nan)
    yield "value-not-finite", "error", lambda a: a["opacities"].__setitem__(3, np.nan)
    yield "value-not-finite", "error", lambda a: a["scales"].__setitem__((3, 0), np.nan)
    yield "scale-infinite", "error", lambda a: a["scales"].__setitem__((3, 0), np.inf)
    yield "scale-negative", "error", lambda a: a["scales"].__setitem__((3, 0), -0.01)
    yield "scale-infinite", "error", lambda a: a["scales"].__setitem__((3, 0), -np.inf)
    yield "value-not-finite", "error", lambda a: a["quats"].__setitem__((3, 1), np.inf)
    yield "opacity-range", "error", lambda a: a["opacities"].__setitem__(3, 1.25)
    yield "opacity-range", "error", lambda a: a["opacities"].__setitem__(3, -0.5)
    yield "quaternion-zero", "error", lambda a: a["quats"].__setitem__(3, 0)
    yield "quaternion-length", "note", lambda a: a["quats"].__setitem__(3, [1, 1, 0, 0])
    yield "giant", "warning", lambda a: a["scales"].__setitem__(3, 2)
    yield "needle", "warning", lambda a: a["scales"].__setitem__(3, [0.1, 1e-4, 1e-5])
    yield "far", "warning", lambda a: a["means"].__setitem__(3, 500)
    yield "scale-zero", "warning", lambda a: a["scales"].__setitem__((3, 1), 0)
    yield "range-position", "warning", lambda a: a["means"].__setitem__(3, 5000)
    yield "range-scale", "warning", lambda a: a["scales"].__setitem__((3, 1), 1e-6)
    yield "range-color", "warning", lambda a: a["sh"].__setitem__((3, 0, 0), 5)
    yield "range-sh", "warning", lambda a: a["sh"].__setitem__((3, 1, 0), -1.5)
    yield "faint", "note", lambda a: a["opacities"].__setitem__(3, 0.002)


def plurals(text):
    """What follows the number in a sentence about one splat, for two."""
    for one, many in (
        (" has ", " have "), (" is a needle,", " are needles,"), (" is ", " are "),
        (" lies ", " lie "), (" reaches ", " reach "),
    ):  # fmt: skip
        if f"1 splat{one}" in text:
            return text.replace(f"1 splat{one}", many.lstrip(), 1)
    raise AssertionError(text)


ADVISED = re.compile(r"convert (--[a-z-]+(?:[ =](?:\"[^\"]*\"|-?[0-9a-z%.,+-]+))?)")


def followed(finding, cloud):
    """The cloud after the first step that a finding advises, as the command line reads it."""
    parser = argparse.ArgumentParser()
    convert.add_arguments(parser)
    words = shlex.split(ADVISED.search(finding.advice)[1])
    words = [word.rstrip(".,;") for word in words]
    options = parser.parse_args(["in.ply", *words, "out.ply"])
    return run(apply(cloud, tuple(convert.actions_of(options.steps))))


@pytest.mark.parametrize(("code", "damage"), [(code, d) for code, _, d in broken_rows()])
def test_every_advice_works(code, damage):
    values = arrays()
    damage(values)
    cloud = SplatCloud(**values)
    finding = next(f for f in lint(cloud) if f.code == code)
    if "convert --" not in finding.advice:
        assert code in ("scale-zero", "range-scale", "range-color", "range-sh")
        return
    if code == "range-position":
        finding = replace(finding, advice=finding.advice.replace("--scale", "--scale 0.1"))
    mended = followed(finding, cloud)
    assert code not in {f.code for f in lint(mended)}
    assert len(mended) >= len(cloud) - 1
    if "--repair" in finding.advice:
        assert {f.code for f in lint(mended)} <= {"faint"}


def test_advice_about_the_whole_cloud_works():
    values = arrays()
    scales = SplatCloud(**values | {"scales": np.exp(values["scales"])})
    logits = SplatCloud(**values | {"opacities": 1 / (1 + np.exp(-values["opacities"]))})
    colors = values["sh"].copy()
    colors[:, 0] = 0.5 + 0.28209479 * colors[:, 0]
    crowded = SplatCloud(**values | {"scales": np.full((2000, 3), 0.4, np.float32)})
    unused = arrays(degree=3)
    unused["sh"][:, 4:] = 0
    lying = upright_cloud()
    for code, cloud in (
        ("scales-linear", scales), ("opacities-converted", logits),
        ("colors-unconverted", SplatCloud(**values | {"sh": colors})), ("overdraw", crowded),
        ("sh-unused", SplatCloud(**unused)), ("axes", lying),
    ):  # fmt: skip
        finding = next(f for f in lint(cloud) if f.code == code)
        after = followed(finding, cloud)
        if code == "overdraw":
            assert overdraw(after) < 0.8 * overdraw(cloud)
        else:
            assert code not in {f.code for f in lint(after)}, code


def upright_cloud():
    """A broad base with a narrow top, z up, as modelling programs have it."""
    rng = np.random.default_rng(5)
    values = arrays(6000)
    height = rng.uniform(0, 1, 6000) ** 3
    reach = np.where(height < 0.05, 1.5, 0.3 * (1 - height) + 0.02)
    angle, radius = rng.uniform(0, 2 * np.pi, 6000), reach * np.sqrt(rng.uniform(0, 1, 6000))
    flat = np.where(height < 0.05, 0.0, height)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), flat], axis=1)
    return SplatCloud(**values | {"means": points.astype(np.float32)})


@pytest.mark.parametrize(("code", "severity", "damage"), list(broken_rows()))
def test_each_damage_is_found(code, severity, damage):
    values = arrays()
    damage(values)
    finding = codes(values)[code]
    assert finding.severity == severity
    assert finding.count == 1
    assert finding.indices == (3,)
    assert finding.text.startswith("1 splat ")
    said = f" {finding.text} {finding.advice} "
    assert not set("[|]") & set(said)
    for plural in (" are ", " have ", " lie ", " reach ", " them ", " them;", " they "):
        assert plural not in said
    many = {name: np.concatenate([column, column[3:4]]) for name, column in values.items()}
    assert f"2 splats {plurals(finding.text)}" == codes(many)[code].text


def test_at_most_twenty_rows_are_listed_but_all_are_counted():
    values = arrays()
    values["means"][100:200] = np.nan
    finding = codes(values)["position-not-finite"]
    assert finding.count == 100
    assert finding.indices == tuple(range(100, 120))


def test_columns_in_the_wrong_form():
    values = arrays()
    values["scales"] = np.exp(values["scales"])
    assert codes(values)["scales-linear"].severity == "error"
    values = arrays()
    values["opacities"] = 1 / (1 + np.exp(-values["opacities"]))
    assert codes(values)["opacities-converted"].severity == "error"
    values = arrays()
    values["sh"][:, 0] = 0.5 + 0.28209479 * values["sh"][:, 0]  # RGB where DC belongs
    assert "colors-unconverted" in codes(values)


def test_large_scenes_in_small_units_are_not_called_linear():
    values = arrays()
    values["means"] *= 5000
    values["scales"] = np.exp(np.random.default_rng(0).uniform(0.1, 5, (2000, 3))).astype("f4")
    assert "scales-linear" not in codes(values)


def test_the_whole_cloud():
    empty = {name: values[:0] for name, values in arrays().items()}
    assert codes(empty)["empty"].severity == "error"
    values = arrays(degree=3)
    values["sh"][:, 4:] = 0
    assert "--sh-degree 1" in codes(values)["sh-unused"].advice
    assert codes(arrays(), model="2dgs")["model"].severity == "note"
    values = arrays()
    values["scales"][:] = 0.4
    assert codes(values)["overdraw"].severity == "warning"
    values = arrays()
    doubled = {name: np.concatenate([column, column[:7]]) for name, column in values.items()}
    finding = codes(doubled)["duplicate"]
    assert finding.indices == tuple(range(2000, 2007))


def test_errors_come_first():
    values = arrays()
    values["opacities"][0] = 0
    values["means"][1] = np.nan
    values["scales"][2] = 2
    severities = [finding.severity for finding in lint(SplatCloud(**values))]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)


def test_statistics_of_columns():
    values = arrays()
    values["means"][:5, 0] = np.nan
    cloud = SplatCloud(**values, extras={"label": np.arange(2000, dtype=np.uint16)})
    table = {column.name: column for column in column_statistics(cloud)}
    x = values["means"][5:, 0].astype(np.float64)
    assert table["x"].not_finite == 5
    assert table["x"].count == 1995
    assert table["x"].mean == pytest.approx(x.mean())
    np.testing.assert_allclose(table["x"].percentiles, np.percentile(x, PERCENTILES))
    assert table["label"].percentiles[-1] == 1999
    assert {"scale.x", "quat.w", "opacity", "volume", "r"} <= set(table)


def test_overdraw_of_one_splat_is_its_area():
    """A round splat at distance 4: pi r^2 of the circle where alpha reaches 1/255."""
    cloud = SplatCloud(
        np.zeros((1, 3), np.float32), np.float32([[1, 0, 0, 0]]),
        np.full((1, 3), 0.1, np.float32), np.ones(1, np.float32), np.zeros((1, 1, 3), np.float32),
    )  # fmt: skip
    camera = Camera.look_at((0, 0, -4), (0, 0, 0), size=(400, 300))
    variance = (camera.fx * 0.1 / 4) ** 2 + 0.3
    wanted = np.pi * variance * 2 * np.log(255) / (400 * 300)
    assert overdraw(cloud, camera) == pytest.approx(wanted, rel=1e-6)
    twice = SplatCloud(*(np.concatenate([a, a]) for a in (
        cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)))  # fmt: skip
    assert overdraw(twice, camera) == pytest.approx(2 * wanted, rel=1e-6)
    behind = Camera.look_at((0, 0, -4), (0, 0, -8), size=(400, 300))
    assert overdraw(cloud, behind) == 0


def one_splat(position, scale):
    return SplatCloud(
        np.float32([position]), np.float32([[1, 0, 0, 0]]), np.full((1, 3), scale, np.float32),
        np.ones(1, np.float32), np.zeros((1, 1, 3), np.float32),
    )  # fmt: skip


@pytest.mark.parametrize("side", [-1, 1])
def test_overdraw_follows_the_slant_a_little_beyond_the_picture(side):
    """Beyond 1.3 half pictures, from an axis that may be off the middle, nothing leans further."""
    fx = fy = 200.0
    width, height, cx, cy = 400, 300, 150.0, 150.0
    camera = Camera(np.eye(4), fx, fy, cx, cy, width, height)
    edge = (width - cx) / fx if side > 0 else cx / fx
    for beyond in (0.1, 0.29, 0.4, 0.45):
        half = 0.5 * width / fx
        slant = side * min(edge + beyond * half, edge + 0.3 * half)
        cloud = one_splat((4 * side * (edge + beyond * half), 0, 4), 0.4)
        jacobian = 0.4 * np.array([[fx / 4, 0, -fx * slant / 4], [0, fy / 4, 0]])
        covariance = jacobian @ jacobian.T + 0.3 * np.eye(2)
        area = np.pi * 2 * np.log(255) * np.sqrt(np.linalg.det(covariance))
        wanted = min(area, width * height) / (width * height)
        assert overdraw(cloud, camera) == pytest.approx(wanted, rel=1e-5), beyond


def test_overdraw_of_a_parallel_view_knows_no_distance():
    for depth in (3.0, 30.0):
        camera = Camera(np.eye(4), 50.0, 50.0, 200.0, 150.0, 400, 300, kind="orthographic")
        wanted = np.pi * ((50 * 0.1) ** 2 + 0.3) * 2 * np.log(255) / (400 * 300)
        assert overdraw(one_splat((0, 0, depth), 0.1), camera) == pytest.approx(wanted, rel=1e-5)


def test_robust_bounds_of_few_and_no_points():
    box = robust_bounds(np.zeros((0, 3), np.float32))
    np.testing.assert_array_equal(box.extent, [2, 2, 2])
    one = robust_bounds(np.float32([[1, 2, 3]]))
    np.testing.assert_allclose(one.center, [1, 2, 3])
