"""3DGS PLY: every encoding against a float64 reference, tags, limits, damaged files."""

from __future__ import annotations

import logging
import os
import struct

import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError
from polyorama.io import ply, ply_header
from polyorama.io.formats import detect_format, read_splats, write_splats
from polyorama.scene.splats import SplatCloud
from tests.engine.splat_samples import sample_cloud

NUMPY = {"float": "f4", "double": "f8", "uchar": "u1", "char": "i1", "short": "i2", "int": "i4"}
RESTS = {0: 0, 1: 9, 2: 24, 3: 45, 4: 72}


def columns(count=7, degree=3, seed=0):
    """Columns of a file in 3DGS order: a different number everywhere, names to (count,) float64."""
    rng = np.random.default_rng(seed)
    names = ["x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2"]
    names += [f"f_rest_{i}" for i in range(RESTS[degree])]
    names += ["opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"]
    return {name: rng.normal(size=count).astype(np.float32).astype(np.float64) for name in names}


def file_bytes(
    table,
    *,
    encoding="binary_little_endian",
    types=None,
    comments=(),
    before="",
    after=b"",
    eol="\n",
):
    """A PLY file of those columns, in their order; `before` is an extra element's header lines."""
    types = types or {}
    count = len(next(iter(table.values())))
    lines = ["ply", f"format {encoding} 1.0", *(f"comment {c}" for c in comments)]
    lines += before.splitlines()
    lines += [f"element vertex {count}"]
    lines += [f"property {types.get(name, 'float')} {name}" for name in table]
    header = (eol.join([*lines, "end_header"]) + eol).encode()
    if encoding == "ascii":
        rows = zip(*(column.tolist() for column in table.values()), strict=True)
        return header + "".join(" ".join(map(repr, row)) + eol for row in rows).encode()
    order = ">" if encoding == "binary_big_endian" else "<"
    dtype = [(name, order + NUMPY[types.get(name, "float")]) for name in table]
    records = np.zeros(count, dtype)
    for name, column in table.items():
        records[name] = column
    return header + records.tobytes()


def reference(table):
    """What the columns mean, in float64: means, quats, scales, opacities, sh."""
    count = len(table["x"])
    means = np.stack([table[k] for k in "xyz"], axis=1)
    quats = np.stack([table[f"rot_{k}"] for k in range(4)], axis=1)
    norms = np.linalg.norm(quats, axis=1, keepdims=True)
    quats = np.where(norms > 0, quats / np.where(norms > 0, norms, 1), 0)
    thin = np.full(count, np.log(1e-6))
    scales = np.stack([np.exp(table.get(f"scale_{k}", thin)) for k in range(3)], axis=1)
    opacities = 1 / (1 + np.exp(-table["opacity"]))
    bands = sum(name.startswith("f_rest_") for name in table) // 3
    sh = np.zeros((count, 1 + min(bands, 15), 3))
    for c in range(3):
        sh[:, 0, c] = table[f"f_dc_{c}"]
        for k in range(min(bands, 15)):
            sh[:, 1 + k, c] = table[f"f_rest_{c * bands + k}"]
    return means, quats, scales, opacities, sh


def check(cloud, table):
    fields = (cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)
    for field, wanted in zip(fields, reference(table), strict=True):
        assert field.dtype == np.float32
        np.testing.assert_allclose(field, wanted, rtol=1e-6, atol=1e-7)


def saved(tmp_path, data, name="a.ply"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("encoding", ["binary_little_endian", "binary_big_endian", "ascii"])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_every_encoding_and_degree_against_the_reference(tmp_path, encoding, degree):
    table = columns(degree=degree)
    cloud = ply.read(saved(tmp_path, file_bytes(table, encoding=encoding)))
    assert cloud.sh_degree == degree
    assert not cloud.extras
    check(cloud, table)


@pytest.mark.parametrize("encoding", ["binary_little_endian", "binary_big_endian", "ascii"])
def test_columns_are_found_by_name_in_any_order_and_number_type(tmp_path, encoding):
    table = columns(degree=1)
    names = list(np.random.default_rng(3).permutation(list(table)))
    table = {name: table[name] for name in names if not name.startswith("n")}
    table["f_dc_1"] = np.arange(7.0)
    table["label"] = np.arange(7.0) - 3
    types = {"x": "double", "opacity": "double", "f_dc_1": "uchar", "label": "short"}
    cloud = ply.read(saved(tmp_path, file_bytes(table, encoding=encoding, types=types)))
    assert list(cloud.extras) == ["label"]
    assert cloud.extras["label"].dtype == np.int16
    assert cloud.extras["label"].tolist() == [-3, -2, -1, 0, 1, 2, 3]
    del table["label"]
    check(cloud, table)


@pytest.mark.parametrize("encoding", ["binary_little_endian", "binary_big_endian"])
def test_extra_words_of_other_types_keep_their_bits(tmp_path, encoding):
    table = columns(degree=0) | {"id": np.arange(7.0) * 100_000_007, "weight": np.arange(7.0) / 7}
    data = file_bytes(table, encoding=encoding, types={"id": "int"})
    cloud = ply.read(saved(tmp_path, data))
    assert cloud.extras["id"].dtype == np.int32
    assert cloud.extras["id"].tolist() == [i * 100_000_007 for i in range(7)]
    np.testing.assert_array_equal(cloud.extras["weight"], (np.arange(7) / 7).astype(np.float32))


def test_many_rows_are_read_in_blocks_without_a_seam(tmp_path):
    table = columns(count=30_011, degree=1, seed=5)
    path = saved(tmp_path, file_bytes(table))
    check(ply.read(path), table)
    pieces = list(ply.Source(path).chunks(7001))
    assert [len(piece) for piece in pieces] == [7001] * 4 + [2007]
    means = np.concatenate([piece.means for piece in pieces])
    np.testing.assert_array_equal(means, reference(table)[0].astype(np.float32))


def test_text_rows_are_read_in_blocks_without_a_seam(tmp_path):
    table = columns(count=16_500, degree=0, seed=5)
    path = saved(tmp_path, file_bytes(table, encoding="ascii", eol="\r\n"))
    check(ply.read(path), table)
    pieces = list(ply.Source(path).chunks(9_000))
    assert [len(piece) for piece in pieces] == [9_000, 7_500]
    np.testing.assert_array_equal(pieces[1].means[0], reference(table)[0][9_000].astype("f4"))


def test_missing_single_coefficients_are_zero(tmp_path):
    table = columns(degree=1)
    del table["f_rest_4"]
    cloud = ply.read(saved(tmp_path, file_bytes(table)))
    check(cloud, table | {"f_rest_4": np.zeros(7)})


def test_degree_four_is_cut_to_three_with_a_warning(tmp_path, caplog):
    table = columns(degree=4)
    with caplog.at_level(logging.WARNING):
        cloud = ply.read(saved(tmp_path, file_bytes(table)))
    assert cloud.sh_degree == 3
    assert "degree 4" in caplog.text
    check(cloud, table)


def test_two_scales_make_flat_gaussians(tmp_path):
    table = columns(degree=0)
    del table["scale_2"]
    cloud = ply.read(saved(tmp_path, file_bytes(table)))
    assert cloud.model == "2dgs"
    check(cloud, table)
    ply.write(cloud, tmp_path / "b.ply")
    assert b"scale_2" not in (tmp_path / "b.ply").read_bytes()
    assert ply.read(tmp_path / "b.ply").model == "2dgs"


def test_limits_and_nan_rows_are_kept(tmp_path):
    table = columns(count=6, degree=0)
    table["scale_0"][0] = -np.inf
    table["opacity"][:3] = [np.inf, -np.inf, np.nan]
    table["x"][3] = np.nan
    for k in range(4):
        table[f"rot_{k}"][4] = 0.0
        table[f"rot_{k}"][5] *= 1e-30
    cloud = ply.read(saved(tmp_path, file_bytes(table)))
    assert cloud.scales[0, 0] == 0.0
    assert cloud.opacities[0] == 1.0
    assert cloud.opacities[1] == 0.0
    assert np.isnan(cloud.opacities[2])
    assert np.isnan(cloud.means[3, 0])
    assert (cloud.quats[4] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(cloud.quats[5]), 1, rtol=1e-6)


def test_the_vertices_need_not_come_first(tmp_path):
    table = columns(degree=0)
    before = "element camera 2\nproperty double fx\nproperty uchar flag"
    data = file_bytes(table, before=before)
    at = data.index(b"end_header\n") + len(b"end_header\n")
    check(ply.read(saved(tmp_path, data[:at] + bytes(18) + data[at:] + b"tail")), table)
    text = file_bytes(table, before=before, encoding="ascii")
    at = text.index(b"end_header\n") + len(b"end_header\n")
    check(ply.read(saved(tmp_path, text[:at] + b"1 2\n3 4\n" + text[at:])), table)


@pytest.mark.parametrize(
    ("comment", "model"),
    [
        ("SplatRenderMode: mip", "antialiased"),
        ("SplatRenderMode: default", "default"),
        ("SplatRenderMode: 2dgs", "2dgs"),
        ("antialiased 1", "antialiased"),
        ("antialiased 0", "default"),
        ("made by hand", "default"),
    ],
)
def test_the_render_mode_comes_from_comments(tmp_path, comment, model):
    data = file_bytes(columns(degree=0), comments=["first", comment])
    cloud = ply.read(saved(tmp_path, data))
    assert cloud.model == model
    assert cloud.comments == ("first", comment)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_round_trip_keeps_everything(tmp_path, degree):
    cloud = sample_cloud(
        500,
        degree,
        model="antialiased",
        up=(0.0, 1.0, 0.0),
        extras={"id": np.arange(500, dtype=np.int32), "share": np.linspace(0, 1, 500)},
        comments=("two\nlines", "SplatRenderMode: default", "Ünïcode"),
    )
    ply.write(cloud, tmp_path / "a.ply")
    back = ply.read(tmp_path / "a.ply")
    np.testing.assert_array_equal(back.means, cloud.means)
    np.testing.assert_array_equal(back.sh, cloud.sh)
    np.testing.assert_allclose(back.quats, cloud.quats, atol=1.2e-7)
    np.testing.assert_allclose(back.scales, cloud.scales, rtol=2e-6)
    np.testing.assert_allclose(back.opacities, cloud.opacities, atol=1e-6)
    assert back.model == "antialiased"
    assert back.up == (0.0, 1.0, 0.0)
    assert {"two", "lines", "Ünïcode"} <= set(back.comments)
    assert back.extras["id"].dtype == np.int32
    for name, column in cloud.extras.items():
        np.testing.assert_array_equal(back.extras[name], column)
    ply.write(back, tmp_path / "b.ply")
    again = ply.read(tmp_path / "b.ply")
    assert again.comments == back.comments
    np.testing.assert_allclose(again.scales, back.scales, rtol=2e-6)


def test_written_bytes_are_log_scales_and_logits_channel_major(tmp_path):
    cloud = sample_cloud(5, 2)
    ply.write(cloud, tmp_path / "a.ply")
    data = (tmp_path / "a.ply").read_bytes()
    header, body = data.split(b"end_header\n", 1)
    names = [line.split()[-1].decode() for line in header.splitlines() if b"property" in line]
    rows = np.frombuffer(body, "<f4").reshape(5, -1).astype(np.float64)
    table = dict(zip(names, rows.T, strict=True))
    assert names[:6] == ["x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2"]
    np.testing.assert_allclose(table["scale_1"], np.log(cloud.scales[:, 1].astype("f8")), rtol=1e-6)
    odds = cloud.opacities.astype("f8")
    np.testing.assert_allclose(table["opacity"], np.log(odds / (1 - odds)), rtol=1e-5, atol=1e-6)
    for k in range(8):
        for c in range(3):
            np.testing.assert_array_equal(table[f"f_rest_{8 * c + k}"], cloud.sh[:, 1 + k, c])


def test_extremes_are_written_as_finite_logits_and_infinite_log_scales(tmp_path):
    cloud = SplatCloud(
        np.zeros((3, 3), np.float32),
        np.tile(np.float32([1, 0, 0, 0]), (3, 1)),
        np.float32([[0, 1, 1]] * 3),
        np.float32([0, 1, np.nan]),
        np.zeros((3, 1, 3), np.float32),
    )
    ply.write(cloud, tmp_path / "a.ply")
    back = ply.read(tmp_path / "a.ply")
    assert (back.scales[:, 0] == 0).all()
    np.testing.assert_allclose(back.opacities[:2], [1e-6, 1 - 1e-6], atol=6e-8)
    assert np.isnan(back.opacities[2])


def test_columns_that_ply_cannot_hold_are_left_out_with_a_warning(tmp_path, caplog):
    extras = {
        "two words": np.zeros(4),
        "x": np.zeros(4),
        "words": np.array(["a", "b", "c", "d"]),
        "mask": np.array([True, False, True, True]),
    }
    with caplog.at_level(logging.WARNING):
        ply.write(sample_cloud(4, 0, extras=extras), tmp_path / "a.ply")
    assert all(repr(name) in caplog.text for name in ("two words", "x", "words"))
    back = ply.read(tmp_path / "a.ply")
    assert list(back.extras) == ["mask"]
    assert back.extras["mask"].tolist() == [1, 0, 1, 1]


def test_comments_cannot_smuggle_header_lines_or_make_it_unreadable(tmp_path):
    hostile = ("end_header\nelement vertex 9", "x" * 70_000, "fine", "\x00\x07bell")
    cloud = sample_cloud(4, 0, comments=hostile)
    ply.write(cloud, tmp_path / "a.ply")
    back = ply.read(tmp_path / "a.ply")
    assert len(back) == 4
    assert "element vertex 9" in back.comments  # a comment, nothing else
    assert "bell" in back.comments


def header_with(line):
    return b"ply\nformat binary_little_endian 1.0\n" + line + b"\nend_header\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"ply\n", "does not end"),
        (b"ply\nformat binary_little_endian 1.0\n", "does not end"),
        (b"ply\n" + b"comment x\n" * 40_000, "does not end"),
        (b"ply\nformat middle_endian 1.0\nend_header\n", "may not"),
        (b"ply\nend_header\n", "no format"),
        (b"ply\nelement vertex 3\nend_header\n", "may not"),
        (header_with(b"element vertex -3"), "impossible count"),
        (header_with(b"element vertex 1e9"), "impossible count"),
        (header_with(b"element vertex 99999999999999999999"), "impossible count"),
        (header_with("element vertex ٣".encode()), "plain text"),
        (header_with(b"property float x"), "may not"),
        (header_with(b"element a 1\nelement a 1"), "two elements"),
        (header_with(b"element vertex 3\nproperty float x\nproperty float x"), "two properties"),
        (header_with(b"element vertex 3\nproperty quad x"), "unknown type"),
        (header_with(b"".join(b"element e%d 1\n" % i for i in range(65))), "more than 64"),
        (
            header_with(
                b"element v 1\n" + b"".join(b"property char p%d\n" % i for i in range(1025))
            ),
            "more than 1024",
        ),
        (header_with(b"element camera 3"), "no vertices"),
        (header_with(b"element vertex 3\nproperty float x"), "point cloud"),
        (
            header_with(
                b"element vertex 3\nproperty float x\n"
                b"element face 1\nproperty list uchar int vertex_indices"
            ),
            "mesh",
        ),
    ],
)
def test_damaged_headers_are_one_clear_sentence(tmp_path, data, words):
    path = saved(tmp_path, data)
    for reader in (ply.read, read_splats):
        with pytest.raises(FileFormatError, match=words) as caught:
            reader(path)
        assert str(caught.value).endswith(str(path))


@pytest.mark.parametrize("name", ["scale_1", "opacity", "rot_2", "f_dc_0", "y"])
def test_missing_columns_are_named(tmp_path, name):
    table = columns(degree=0)
    del table[name]
    with pytest.raises(FileFormatError, match=name):
        ply.read(saved(tmp_path, file_bytes(table)))


def test_an_impossible_number_of_coefficients_is_refused(tmp_path):
    table = columns(degree=1) | {"f_rest_9": np.zeros(7)}
    with pytest.raises(FileFormatError, match="10 f_rest"):
        ply.read(saved(tmp_path, file_bytes(table)))


def test_no_splats_and_list_columns_are_refused(tmp_path):
    with pytest.raises(FileFormatError, match="no splats"):
        ply.read(saved(tmp_path, file_bytes(columns(count=0, degree=0))))
    data = file_bytes(columns(degree=0))
    data = data.replace(b"float nx", b"list uchar float nx")
    with pytest.raises(FileFormatError, match="list properties"):
        ply.read(saved(tmp_path, data))
    data = file_bytes(
        columns(degree=0), before="element face 2\nproperty list uchar int vertex_indices"
    )
    with pytest.raises(FileFormatError, match="vertices first"):
        ply.read(saved(tmp_path, data))


@pytest.mark.parametrize("encoding", ["binary_little_endian", "ascii"])
def test_counts_are_checked_against_the_file_before_memory_is_taken(tmp_path, encoding):
    data = file_bytes(columns(degree=3), encoding=encoding)
    huge = data.replace(b"vertex 7", b"vertex 700000000000")
    with pytest.raises(FileFormatError, match="promises 700,000,000,000 rows"):
        ply.read(saved(tmp_path, huge))
    with pytest.raises(FileFormatError):
        ply.read(saved(tmp_path, data[:-40]))


@pytest.mark.parametrize("change", [(b"-", b"minus"), (b" ", b" 1 "), (b"\n", b"\n\n")])
def test_damaged_text_rows_are_refused(tmp_path, change):
    data = file_bytes(columns(degree=0), encoding="ascii")
    at = data.index(b"end_header\n") + 60
    with pytest.raises(FileFormatError, match="text"):
        ply.read(saved(tmp_path, data[:at] + data[at:].replace(*change, 1)))


def test_a_file_that_shrinks_while_it_is_open_is_an_error(tmp_path):
    path = saved(tmp_path, file_bytes(columns(count=5000, degree=0)))
    source = ply.Source(path)
    os.truncate(path, 100_000)
    with pytest.raises(FileFormatError, match="ends too early"):
        source.read()


def test_mutated_files_end_in_a_cloud_or_a_plain_error(tmp_path, caplog):
    rng = np.random.default_rng(11)
    samples = [
        file_bytes(columns(3, degree), encoding=encoding)
        for degree in (0, 1)
        for encoding in ("binary_little_endian", "binary_big_endian", "ascii")
    ]
    outcomes = {"cloud": 0, "error": 0}
    for turn in range(400):
        data = bytearray(samples[turn % len(samples)])
        for _ in range(rng.integers(1, 5)):
            at = int(rng.integers(4, len(data)))
            kind = rng.integers(4)
            if kind == 0:
                data[at] = int(rng.integers(256))
            elif kind == 1:
                del data[at : at + int(rng.integers(1, 20))]
            elif kind == 2:
                data[at:at] = rng.bytes(int(rng.integers(1, 20)))
            else:
                data[at:at] = struct.pack("<f", np.nan) * 3
        path = saved(tmp_path, bytes(data))
        try:
            cloud = read_splats(path)
        except FileFormatError:
            outcomes["error"] += 1
        else:
            outcomes["cloud"] += 1
            assert len(cloud) > 0
    assert min(outcomes.values()) > 20


def test_old_mac_line_ends():
    text = (
        b"ply\rformat ascii 1.0\rcomment a b\relement vertex 2\rproperty float x\rend_header\r1\r"
    )
    header = ply_header.parse_header(text, "a.ply")
    assert header.comments == ("a b",)
    assert header.element("vertex").names == ("x",)
    assert text[header.size :] == b"1\r"


def test_unreadable_and_unwritable_places(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        ply.read(tmp_path / "none.ply")
    with pytest.raises(FileFormatError, match="folder"):
        ply.read(tmp_path)
    with pytest.raises(OutputError):
        ply.write(sample_cloud(3, 0), tmp_path / "none" / "a.ply")
    with pytest.raises(OutputError, match="no splats"):
        write_splats(sample_cloud(3, 0).subset(slice(0, 0)), tmp_path / "a.ply")
    assert list(tmp_path.iterdir()) == []


def test_detection_tells_the_two_plys_apart(tmp_path):
    write_splats(sample_cloud(300, 1), tmp_path / "a.ply")
    write_splats(sample_cloud(300, 1), tmp_path / "a.compressed.ply")
    os.replace(tmp_path / "a.compressed.ply", tmp_path / "b.ply")
    assert detect_format(tmp_path / "a.ply").name == "ply"
    assert detect_format(tmp_path / "b.ply").name == "compressed-ply"
    with pytest.raises(FileFormatError, match="compressed PLY"):
        ply.read(tmp_path / "b.ply")
