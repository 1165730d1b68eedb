"""Info: what is told about a file, and how two files differ."""

from __future__ import annotations

import json

import numpy as np
import pytest

from polyorama.cli import main
from polyorama.core.types import Camera
from polyorama.errors import PolyoramaError, UsageError
from polyorama.io.formats import read_splats, write_splats
from polyorama.io.project import write_project
from polyorama.scene.splats import SplatCloud
from polyorama.verbs.convert import convert
from polyorama.verbs.inspect import compare, inspect
from polyorama.verbs.open import open_document
from tests.engine.fakes import ball_document
from tests.engine.splat_samples import ksplat_bytes, sample_cloud


@pytest.fixture
def ply(tmp_path):
    write_splats(sample_cloud(600, 1), tmp_path / "a.ply")
    return tmp_path / "a.ply"


def test_the_facts(ply):
    info = inspect(ply)
    assert (info.format, info.count, info.sh_degree, info.model) == ("ply", 600, 1, "default")
    assert info.bytes == ply.stat().st_size
    assert info.low[0] < info.robust_high[0] <= info.high[0]
    assert info.overdraw > 0
    assert not [finding for finding in info.findings if finding.severity == "error"]


def test_text_and_json_are_printed(ply, capsys):
    assert main(["info", str(ply)]) == 0
    text = capsys.readouterr().out
    assert "600, SH degree 1" in text
    for word in ("Extent", "Up", "Overdraw", "median", "scale.x", "opacity"):
        assert word in text
    assert main(["info", str(ply), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["count"] == 600
    assert data["columns"][0]["name"] == "x"
    assert len(data["columns"][0]["percentiles"]) == len(data["percentiles"])


def test_errors_give_status_1_and_json_stays_valid(tmp_path, capsys):
    cloud = sample_cloud(600, 1)
    means = cloud.means.copy()
    means[:, 1] = np.nan
    broken = SplatCloud(means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)
    write_splats(broken, tmp_path / "bad.ply")
    assert main(["info", str(tmp_path / "bad.ply"), "--json"]) == 1
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    finding = data["findings"][0]
    assert (finding["code"], finding["count"]) == ("position-not-finite", 600)
    assert len(finding["indices"]) == 20
    assert "--repair" in finding["advice"]
    assert main(["info", str(tmp_path / "bad.ply")]) == 1
    assert "Index 0, 1, 2" in capsys.readouterr().out


def test_missing_files_give_status_2(tmp_path, capsys):
    assert main(["info", str(tmp_path / "no.ply")]) == 2
    assert "no.ply" in capsys.readouterr().err
    with pytest.raises(PolyoramaError):
        inspect(tmp_path / "no.ply")


ENDINGS = [".spz", ".compressed.ply", ".splat", ".glb", ".gltf", ".ply", ".sog", ".ksplat"]


@pytest.mark.parametrize("source", ENDINGS)
@pytest.mark.parametrize("target", [e for e in ENDINGS if e != ".ksplat"])
def test_conversions_stay_within_the_limits_of_the_two_files(tmp_path, source, target):
    """Whichever of the two files is named first; all but SOG's harmonics have a limit."""
    cloud = sample_cloud(600, 2, spread=1.1)
    first, second = tmp_path / f"a{source}", tmp_path / f"b{target}"
    if source == ".ksplat":
        first.write_bytes(ksplat_bytes([cloud], 2))
    else:
        write_splats(cloud, first)
    write_splats(read_splats(first), second)
    for one, other in ((first, second), (second, first)):
        comparison = compare(one, other)
        assert comparison.counts == (600, 600)
        unknown = set()
        for difference in comparison.differences:
            if difference.limit is None:
                unknown.add(difference.name)
            else:
                assert difference.largest <= difference.limit * 1.02 + 1e-5, difference
        assert unknown <= ({"sh 1", "sh 2"} if {".sog", ".splat"} & {source, target} else set())


@pytest.mark.parametrize("scale", [0.1, 100.0])
@pytest.mark.parametrize("target", ENDINGS[:-1])
def test_limits_are_those_of_the_file_at_hand(tmp_path, target, scale):
    """Neither too small nor, where a format rounds at all, many times too large."""
    cloud = sample_cloud(3000, 1).transformed(np.diag([scale, scale, scale, 1]))
    write_splats(cloud, tmp_path / "a.ply")
    write_splats(cloud, tmp_path / f"b{target}")
    rows = {d.name: d for d in compare(tmp_path / f"b{target}", tmp_path / "a.ply").differences}
    for name in ("position", "scale", "rotation", "opacity", "color"):
        limit, largest = rows[name].limit, rows[name].largest
        assert largest <= limit * 1.02 + 1e-5
        assert largest >= limit / 3 - 2e-3, name


def test_limits_follow_the_header(tmp_path):
    cloud = sample_cloud(600, 1)
    write_splats(cloud, tmp_path / "a.ply")
    for bits in (6, 15):
        write_splats(cloud, tmp_path / "b.spz", fractional_bits=bits)
        rows = compare(tmp_path / "b.spz", tmp_path / "a.ply").differences
        assert rows[0].limit == 2.0 ** -(bits + 1)
    # A palette with an entry for every splat bounds the harmonics too.
    write_splats(cloud.subset(slice(0, 512)), tmp_path / "b.sog")
    rows = compare(tmp_path / "b.sog", tmp_path / "a.ply").differences
    assert rows[5].largest <= rows[5].limit < 0.02


def test_changes_are_measured(ply, tmp_path):
    cloud = sample_cloud(600, 1)
    opacities = cloud.opacities.copy()
    opacities[7] += 10 / 255
    sh = cloud.sh.copy()
    sh[3, 2, 1] += 0.25
    angle = np.radians(5.0) / 2
    quats = cloud.quats.copy()
    w, x, y, z = quats[9]
    c, s = np.cos(angle), np.sin(angle)
    quats[9] = -np.float32([w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s])
    scales = cloud.scales.copy()
    scales[1, 1] *= 1.5
    means = cloud.means.copy()
    means[5, 2] += 1e-3
    write_splats(SplatCloud(means, quats, scales, opacities, sh), tmp_path / "b.ply")
    rows = {d.name: d for d in compare(tmp_path / "b.ply", ply).differences}
    assert rows["position"].largest == pytest.approx(1e-3, rel=1e-3)
    assert rows["scale"].largest == pytest.approx(50, rel=1e-3)
    assert rows["rotation"].largest == pytest.approx(5, rel=1e-3)
    assert rows["opacity"].largest == pytest.approx(10, rel=1e-3)
    assert rows["sh 1"].largest == pytest.approx(0.25, rel=1e-3)
    assert rows["color"].largest == pytest.approx(0, abs=1e-4)


def test_other_orders_and_subsets_are_matched(ply, tmp_path):
    cloud = sample_cloud(600, 1)
    order = np.random.default_rng(3).permutation(600)[:450]
    write_splats(cloud.subset(order), tmp_path / "b.ply")
    comparison = compare(tmp_path / "b.ply", ply)
    assert comparison.matched == "position"
    assert comparison.counts == (450, 600)
    for difference in comparison.differences:
        assert difference.largest < 1e-3, difference


def test_coinciding_splats_are_told_apart_by_their_looks(tmp_path):
    cloud = sample_cloud(40, 1)
    means = np.repeat(cloud.means[:10], 4, axis=0)
    a = SplatCloud(means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)
    write_splats(a, tmp_path / "a.ply")
    write_splats(a.subset(np.arange(40)[::-1]), tmp_path / "b.ply")
    for difference in compare(tmp_path / "a.ply", tmp_path / "b.ply").differences:
        assert difference.largest < 1e-3, difference


def test_against_prints_a_table(ply, tmp_path, capsys):
    write_splats(sample_cloud(600, 1), tmp_path / "b.spz")
    assert main(["info", str(tmp_path / "b.spz"), "--against", str(ply)]) == 0
    text = capsys.readouterr().out
    assert "limit of spz" in text
    assert "matched by their order" in text
    assert text.count(" ok") >= 6
    assert main(["info", str(tmp_path / "b.spz"), "--against", str(ply), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "spz"


def test_nothing_to_compare_is_told(ply, tmp_path):
    cloud = sample_cloud(5, 1)
    nothing = SplatCloud(
        np.full((5, 3), np.nan, np.float32), cloud.quats, cloud.scales, cloud.opacities, cloud.sh
    )
    write_splats(nothing, tmp_path / "nan.ply")
    with pytest.raises(UsageError, match=r"nan\.ply"):
        compare(tmp_path / "nan.ply", ply)


def test_a_misleading_name_is_said_once_in_each_verb(ply, tmp_path, caplog):
    odd = tmp_path / "odd.spz"
    odd.write_bytes(ply.read_bytes())
    for call in (
        lambda: inspect(odd),
        lambda: compare(odd, ply),
        lambda: compare(ply, odd),
        lambda: convert(odd, tmp_path / "b.splat"),
        lambda: convert(odd, tmp_path / "b.sog"),
        lambda: convert([odd, ply], tmp_path / "b.ply"),
        lambda: open_document(odd),
    ):
        caplog.clear()
        call()
        said = [r.getMessage() for r in caplog.records if "The name says" in r.getMessage()]
        assert len(said) == 1
        assert said[0].endswith(str(odd))


def test_one_splat_is_said_in_the_singular(tmp_path, capsys):
    write_splats(sample_cloud(1, 0), tmp_path / "a.ply")
    assert main(["convert", str(tmp_path / "a.ply"), str(tmp_path / "b.ply")]) == 0
    assert main(["info", str(tmp_path / "b.ply"), "--against", str(tmp_path / "a.ply")]) == 0
    said = capsys.readouterr()
    assert "1 splat," in said.err
    assert "1 splat," in said.out


def test_a_project_s_view_is_told(tmp_path, capsys):
    camera = Camera.look_at((0, -1, -4), (0, 0, 0), (0, -1, 0), fov=30, size=(640, 360))
    document = ball_document(camera=camera, up=(0.0, -1.0, 0.0))
    write_project(document, tmp_path / "a.poly")
    view = inspect(tmp_path / "a.poly").view
    assert view.eye == pytest.approx((0, -1, -4))
    assert view.toward == pytest.approx((0, 0.2425, 0.9701), abs=1e-3)
    assert (view.fov, view.width, view.height) == (pytest.approx(30), 640, 360)
    assert view.front == pytest.approx((0, 0, -1))
    assert main(["info", str(tmp_path / "a.poly")]) == 0
    text = capsys.readouterr().out
    assert "from 0, -1, -4 toward 0.000, 0.243, 0.970, 30 degrees high, 640x360" in text
    assert "Faces         -z, toward the saved view\n" in text
    assert main(["info", str(tmp_path / "a.poly"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["view"]["width"] == 640
    # Straight down there is no front, and a parallel view has no angle.
    above = Camera.orthographic((0, -9, 0), (0, 0, 0), (0, 0, 1), height_in_world=2, size=(8, 8))
    write_project(document.with_camera(above), tmp_path / "b.poly")
    view = inspect(tmp_path / "b.poly").view
    assert (view.front, view.fov) == (None, None)
    write_project(document.with_camera(None), tmp_path / "c.poly")
    assert inspect(tmp_path / "c.poly").view is None
