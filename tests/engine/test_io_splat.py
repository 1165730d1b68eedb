"""The .splat format against a float64 reference; CSV tables; telling files by their content."""

from __future__ import annotations

import csv as stdlib_csv
import gzip
import json
import logging
import os
import zipfile

import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError
from polyorama.io import csv, splat
from polyorama.io.formats import FORMATS, detect_format, find_format, read_splats, write_splats
from polyorama.scene.splats import SH_C0, SplatCloud
from tests.engine.splat_samples import rotation_error, sample_cloud

RECORD = np.dtype([("mean", "<f4", 3), ("scale", "<f4", 3), ("color", "u1", 4), ("quat", "u1", 4)])


def records(count=50, seed=0):
    rng = np.random.default_rng(seed)
    table = np.zeros(count, RECORD)
    table["mean"] = rng.normal(size=(count, 3))
    table["scale"] = rng.uniform(0, 1, (count, 3))
    table["color"] = rng.integers(0, 256, (count, 4))
    table["quat"] = rng.integers(0, 256, (count, 4))
    return table


def saved(tmp_path, data, name="a.splat"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_decoding_against_the_reference(tmp_path):
    table = records(70_000)
    table["quat"][3] = 128
    cloud = splat.read(saved(tmp_path, table.tobytes()))
    np.testing.assert_array_equal(cloud.means, table["mean"])
    np.testing.assert_array_equal(cloud.scales, table["scale"])
    color = table["color"].astype(np.float64) / 255
    np.testing.assert_allclose(cloud.sh[:, 0], (color[:, :3] - 0.5) / SH_C0, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(cloud.opacities, color[:, 3], rtol=1e-7)
    quats = (table["quat"].astype(np.float64) - 128) / 128
    norms = np.linalg.norm(quats, axis=1, keepdims=True)
    np.testing.assert_allclose(cloud.quats, quats / np.where(norms > 0, norms, 1), atol=1e-7)
    assert (cloud.quats[3] == 0).all()
    assert cloud.model == "default"


def test_negative_scales_lose_their_sign_with_one_warning(tmp_path, caplog):
    table = records(70_000)
    table["scale"][[5, 69_000], 1] *= -1
    path = saved(tmp_path, table.tobytes())
    with caplog.at_level(logging.WARNING):
        cloud = splat.read(path)
        pieces = list(splat.Source(path).chunks(30_000))
    np.testing.assert_array_equal(cloud.scales, np.abs(table["scale"]))
    np.testing.assert_array_equal(np.concatenate([p.scales for p in pieces]), cloud.scales)
    told = [r.getMessage() for r in caplog.records]
    assert told == [f"2 splats had a negative scale; its sign was dropped: {path}"] * 2


def test_real_capture(shared_data):
    path = shared_data / "splats" / "plant.splat"
    cloud = read_splats(path)
    assert len(cloud) == 113_648
    assert path.stat().st_size == 32 * len(cloud)
    table = np.fromfile(path, RECORD)
    np.testing.assert_array_equal(cloud.means, table["mean"])
    np.testing.assert_allclose(cloud.colors, table["color"][:, :3] / 255, atol=1e-6)


def test_round_trip_sorts_by_importance_and_stays_within_the_steps(tmp_path, caplog):
    cloud = sample_cloud(40_000, 1, model="antialiased", sh_limit=1.7)
    with caplog.at_level(logging.WARNING):
        splat.write(cloud, tmp_path / "a.splat")
    assert "view-dependent colour" in caplog.text
    assert "antialiased" in caplog.text
    back = splat.read(tmp_path / "a.splat")
    cloud = cloud.subset(cloud.importance_order())
    np.testing.assert_array_equal(back.means, cloud.means)
    np.testing.assert_array_equal(back.scales, cloud.scales)
    assert np.abs(back.opacities - cloud.opacities).max() <= 0.5 / 255 + 1e-6
    assert np.abs(back.colors - np.clip(cloud.colors, 0, 1)).max() <= 0.5 / 255 + 1e-6
    error = rotation_error(cloud, back)
    assert error.max() < 0.9
    assert error.mean() < 0.45
    splat.write(back, tmp_path / "b.splat")
    again = splat.read(tmp_path / "b.splat")
    np.testing.assert_array_equal(np.sort(again.sh, axis=0), np.sort(back.sh, axis=0))


def test_broken_rows_are_left_out_with_a_warning(tmp_path, caplog):
    cloud = sample_cloud(9, 0)
    means, quats = cloud.means.copy(), cloud.quats.copy()
    scales, opacities, sh = cloud.scales.copy(), cloud.opacities.copy(), cloud.sh.copy()
    means[1, 2], quats[2, 3], scales[3, 0] = np.inf, np.nan, np.inf
    opacities[4], sh[5, 0, 1] = np.nan, -np.inf
    broken = SplatCloud(means, quats, scales, opacities, sh)
    with caplog.at_level(logging.WARNING):
        splat.write(broken, tmp_path / "a.splat")
    assert "5 splats with NaN" in caplog.text
    back = splat.read(tmp_path / "a.splat")
    wanted = means[[0, 6, 7, 8]]
    assert sorted(map(tuple, back.means)) == sorted(map(tuple, wanted))
    with pytest.raises(OutputError, match="finite"):
        splat.write(broken.subset([1, 2, 3]), tmp_path / "b.splat")
    assert not (tmp_path / "b.splat").exists()


@pytest.mark.parametrize("extra", [1, 17, 31])
def test_remainders_are_refused(tmp_path, extra):
    path = saved(tmp_path, bytes(32 * 3 + extra))
    with pytest.raises(FileFormatError, match="no multiple"):
        splat.read(path)


def test_floods_of_nan_are_read_as_they_are(tmp_path):
    cloud = read_splats(saved(tmp_path, b"\xff" * 320))
    assert len(cloud) == 10
    assert np.isnan(cloud.means).all()


def test_csv_numbers_give_the_same_float32_again(tmp_path):
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 1 << 32, 30_000, dtype=np.uint64).astype(np.uint32)
    bits = bits[np.isfinite(bits.view(np.float32))][:29_700]
    means = bits.view(np.float32).reshape(-1, 3)
    count = len(means)
    special = [0.0, -0.0, 1.0, 0.1, 1e-45, -3.4028235e38, 16777216.0, np.nan, np.inf, -np.inf]
    opacities = np.resize(np.float32(special), count)
    cloud = sample_cloud(
        count, 1, extras={"id": np.arange(count) + 10**12, 'odd,"name': np.ones(count, bool)}
    )
    cloud = SplatCloud(means, cloud.quats, cloud.scales, opacities, cloud.sh, extras=cloud.extras)
    csv.write(cloud, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(stdlib_csv.reader(file))
    assert rows[0][:4] == ["x", "y", "z", "scale_x"]
    assert rows[0] == csv.column_names(cloud)
    assert len(rows) == count + 1
    table = np.array(rows[1:], np.float64)
    np.testing.assert_array_equal(table[:, :3].astype(np.float32), means)
    np.testing.assert_array_equal(table[:, 3:6].astype(np.float32), cloud.scales)
    np.testing.assert_array_equal(table[:, 6:10].astype(np.float32), cloud.quats)
    np.testing.assert_array_equal(table[:, 10].astype(np.float32), opacities)
    np.testing.assert_array_equal(table[:, 11:14].astype(np.float32), cloud.colors)
    rest = cloud.sh[:, 1:].reshape(count, -1)
    np.testing.assert_array_equal(table[:, 14:23].astype(np.float32), rest)
    np.testing.assert_array_equal(table[:, 23], cloud.extras["id"])
    column = [row[10] for row in rows[1:11]]
    assert column[1:4] == ["0", "1", "0.1"]
    assert column[4:] == ["1.401298e-45", "-3.4028235e38", "16777216", "nan", "inf", "-inf"]


def zipped(tmp_path, *names):
    path = tmp_path / "a.bin"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"{}")
    return path.read_bytes()


@pytest.mark.parametrize("name", ["a.splat", "a.spz", "a.ply", "a.xyz", "a"])
def test_content_counts_more_than_the_name(tmp_path, name, caplog):
    write_splats(sample_cloud(20, 1), tmp_path / "true.ply")
    os.replace(tmp_path / "true.ply", tmp_path / name)
    with caplog.at_level(logging.WARNING):
        assert len(read_splats(tmp_path / name)) == 20
    assert ("reading it as the latter" in caplog.text) == (name in ("a.splat", "a.spz"))


def test_every_kind_is_told_by_its_content(tmp_path):
    write_splats(sample_cloud(300, 0), tmp_path / "a.splat")
    samples = {
        "splat": (tmp_path / "a.splat").read_bytes(),
        "spz": gzip.compress(b"NGSP" + bytes(60)),
        "gltf": b"glTF" + bytes(60),
        "sog": zipped(tmp_path, "meta.json"),
        "ksplat": b"\0\1" + bytes(2) + np.array([1, 1, 5, 5], "<u4").tobytes() + bytes(6000),
    }
    for name, data in samples.items():
        assert detect_format(saved(tmp_path, data, "unnamed")).name == name
    assert detect_format(saved(tmp_path, b"NGSP" + bytes(30), "unnamed")).name == "spz"
    gltf, sog = (json.dumps({key: {}}).encode() for key in ("asset", "means"))
    assert detect_format(saved(tmp_path, gltf, "unnamed")).name == "gltf"
    assert detect_format(saved(tmp_path, b"\xef\xbb\xbf" + sog, "unnamed")).name == "sog"
    (tmp_path / "scene").mkdir()
    saved(tmp_path / "scene", sog, "meta.json")
    assert detect_format(tmp_path / "scene").name == "sog"


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(56), "a.splat", "PNG picture"),
        (b"\xff\xd8\xff\xe0" + bytes(60), "a.ply", "JPEG picture"),
        (b"<!doctype html><html>" + bytes(43), "a.splat", "web page"),
        (bytes(4) + b"ftypisom" + bytes(52), "a.splat", "MP4 film"),
        (b"version https://git-lfs.github.com/spec/v1\n" + bytes(21), "a.ply", "git lfs pull"),
        (bytes(64), "a.ply", "name says ply"),
        (bytes(64), "a.spz", "name says spz"),
        (b"x,y,z\n", "a.csv", "only be written"),
        (bytes(64), "a.what", "Unknown kind"),
        (b"hello world " * 8, "a.what", "Unknown kind"),
        (bytes(63), "a.splat", "no multiple"),
        (gzip.compress(b"ply\nformat", mtime=0), "a.ply", "a PLY file, compressed with gzip"),
        (gzip.compress(b"hello", mtime=0), "a.spz", "not SPZ"),
        (b"\x1f\x8b" + bytes(30), "a.spz", "gzip data is damaged"),
        (b"PK\x03\x04" + bytes(60), "a.sog", "zip archive is damaged"),
        (b'{"hello": 1}', "a.json", "neither glTF nor"),
        (b"", "a.splat", "empty"),
    ],
)
def test_mislabelled_files_are_named_for_what_they_are(tmp_path, data, name, words):
    path = saved(tmp_path, data, name)
    with pytest.raises(FileFormatError, match=words) as caught:
        read_splats(path)
    assert str(caught.value).endswith(str(path))


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["document.json", "data/1.ply"], "project"),
        (["frame_1.ply"], "unpack it first"),
        (["readme.txt"], "no SOG scene"),
    ],
)
def test_zip_archives_are_named_for_what_they_hold(tmp_path, names, words):
    path = saved(tmp_path, zipped(tmp_path, *names), "a.sog")
    with pytest.raises(FileFormatError, match=words):
        read_splats(path)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match=r"without a meta\.json"):
        read_splats(tmp_path)
    with pytest.raises(FileFormatError, match="no such file"):
        read_splats(tmp_path / "none.splat")
    with pytest.raises(FileFormatError):
        read_splats(tmp_path / ("x" * 5000))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.splat")
        with pytest.raises(FileFormatError, match="pipe"):
            read_splats(tmp_path / "pipe.splat")


def test_a_device_or_a_locked_file_is_refused(tmp_path):
    path = saved(tmp_path, bytes(64))
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(FileFormatError, match="Permission denied"):
        read_splats(path)


def test_names_and_targets(tmp_path):
    assert find_format("A.Compressed.PLY").name == "compressed-ply"
    assert find_format("dir/a.PLY").name == "ply"
    assert find_format("a.txt") is None
    assert len({entry.name for entry in FORMATS}) == len(FORMATS)
    for name in ("a.txt", "a.ksplat"):
        with pytest.raises(OutputError, match="Cannot write this kind"):
            write_splats(sample_cloud(3), tmp_path / name)
