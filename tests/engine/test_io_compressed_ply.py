"""Compressed PLY: decoding against a float64 reference, writing within its steps, damaged files."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError
from polyorama.io import compressed_ply
from polyorama.io.formats import read_splats
from polyorama.scene.morton import morton_order
from polyorama.scene.splats import SplatCloud
from tests.engine.splat_samples import rotation_error, sample_cloud

C0 = 0.28209479177387814
BOUNDS = ["x", "y", "z", "scale_x", "scale_y", "scale_z", "r", "g", "b"]
BOUND_NAMES = [
    f"{end}_{name}" for k in range(0, 9, 3) for end in ("min", "max") for name in BOUNDS[k : k + 3]
]


def packed_file(count=600, degree=2, *, colors=True, seed=0, kind="float", comments=()):
    """A file with random words in every place: its bytes, and the tables in them."""
    rng = np.random.default_rng(seed)
    chunks = -(-count // 256)
    width = 18 if colors else 12
    bounds = np.empty((chunks, width), "<f4")
    for k in range(0, width, 6):
        bounds[:, k : k + 3] = rng.uniform(-3, 0, (chunks, 3))
        bounds[:, k + 3 : k + 6] = bounds[:, k : k + 3] + rng.uniform(0, 4, (chunks, 3))
    words = rng.integers(0, 1 << 32, (count, 4), dtype=np.uint64).astype("<u4")
    codes = rng.integers(0, 256, (count, {0: 0, 1: 9, 2: 24, 3: 45, 4: 72}[degree]), dtype=np.uint8)
    lines = ["ply", "format binary_little_endian 1.0", *(f"comment {c}" for c in comments)]
    lines += [f"element chunk {chunks}", *(f"property {kind} {n}" for n in BOUND_NAMES[:width])]
    lines += [f"element vertex {count}"]
    lines += [f"property uint packed_{n}" for n in ("position", "rotation", "scale", "color")]
    if degree:
        lines += [f"element sh {count}"]
        lines += [f"property uchar f_rest_{i}" for i in range(codes.shape[1])]
    header = "\n".join([*lines, "end_header", ""]).encode()
    return header + bounds.tobytes() + words.tobytes() + codes.tobytes(), bounds, words, codes


def reference(bounds, words, codes):
    """Means, quats, scales, opacities and SH of those tables, one splat at a time in float64."""
    count, per_channel = len(words), codes.shape[1] // 3
    means, scales, quats = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 4))
    opacities, sh = np.zeros(count), np.zeros((count, 1 + min(per_channel, 15), 3))
    for i in range(count):
        b = bounds[i // 256].astype(np.float64)
        if len(b) == 12:
            b = np.concatenate([b, [0, 0, 0, 1, 1, 1]])
        position, rotation, scale, color = (int(w) for w in words[i])

        def lerp(low, high, t):
            return low + (high - low) * t

        for j, (shift, bits) in enumerate(((21, 11), (11, 10), (0, 11))):
            top = 2**bits - 1
            means[i, j] = lerp(b[j], b[3 + j], (position >> shift & top) / top)
            scales[i, j] = np.exp(lerp(b[6 + j], b[9 + j], (scale >> shift & top) / top))
            shade = lerp(b[12 + j], b[15 + j], (color >> (24 - 8 * j) & 255) / 255)
            sh[i, 0, j] = (shade - 0.5) / C0
        opacities[i] = (color & 255) / 255
        three = [((rotation >> s & 1023) / 1023 - 0.5) * np.sqrt(2) for s in (20, 10, 0)]
        lead = np.sqrt(max(0.0, 1 - sum(v * v for v in three)))
        three.insert(rotation >> 30, lead)
        quats[i] = np.array(three) / np.linalg.norm(three)
        for c in range(3):
            for k in range(sh.shape[1] - 1):
                code = int(codes[i, c * per_channel + k])
                share = {0: 0.0, 255: 1.0}.get(code, (code + 0.5) / 256)
                sh[i, 1 + k, c] = (share - 0.5) * 8
    return means, quats, scales, opacities, sh


def saved(tmp_path, data, name="a.compressed.ply"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("colors", [True, False])
def test_decoding_against_the_reference(tmp_path, degree, colors, caplog):
    data, *tables = packed_file(degree=degree, colors=colors)
    with caplog.at_level(logging.WARNING):
        cloud = compressed_ply.read(saved(tmp_path, data))
    assert ("degree 4" in caplog.text) == (degree == 4)
    fields = (cloud.means, cloud.quats, cloud.scales, cloud.opacities, cloud.sh)
    for field, wanted in zip(fields, reference(*tables), strict=True):
        np.testing.assert_allclose(field, wanted, rtol=2e-6, atol=1e-6)


def test_a_missing_coefficient_is_zero(tmp_path):
    data, *_ = packed_file(degree=1)
    whole = compressed_ply.read(saved(tmp_path, data))
    cloud = compressed_ply.read(saved(tmp_path, data.replace(b"uchar f_rest_4", b"uchar unknown_")))
    assert (cloud.sh[:, 2, 1] == 0).all()
    np.testing.assert_array_equal(cloud.sh[:, 2, 2], whole.sh[:, 2, 2])


def test_an_sh_element_without_columns_is_no_sh(tmp_path):
    data, *_ = packed_file(degree=0)
    data = data.replace(b"end_header", b"element sh 600\nend_header")
    assert compressed_ply.read(saved(tmp_path, data)).sh_degree == 0


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_round_trip_stays_within_the_formats_steps(tmp_path, degree):
    cloud = sample_cloud(2000, degree, model="antialiased", up=(0, 0, 1), comments=("note",))
    path = tmp_path / "a.compressed.ply"
    compressed_ply.write(cloud, path)
    back = read_splats(path)
    cloud = cloud.subset(morton_order(cloud.means))
    assert len(back) == 2000
    assert back.model == "antialiased"
    assert back.up == (0, 0, 1)
    assert "note" in back.comments
    for start in range(0, 2000, 256):
        rows = slice(start, start + 256)
        steps = np.array([2047, 1023, 2047])
        for mine, theirs in (
            (cloud.means[rows], back.means[rows]),
            (np.log(cloud.scales[rows]), np.log(back.scales[rows])),
        ):
            half = np.ptp(mine, axis=0) / steps / 2
            assert (np.abs(mine - theirs).max(axis=0) <= half + 2e-6).all()
        half = np.ptp(cloud.colors[rows], axis=0) / 255 / 2
        assert (np.abs(cloud.colors[rows] - back.colors[rows]).max(axis=0) <= half + 1e-6).all()
    assert np.abs(cloud.opacities - back.opacities).max() <= 0.5 / 255 + 1e-6
    assert np.abs(cloud.sh[:, 1:] - back.sh[:, 1:]).max(initial=0) <= 1 / 64 + 1e-6
    error = rotation_error(cloud, back)
    assert error.max() < 0.25
    assert error.mean() < 0.09


def test_extremes_are_clamped_and_broken_rows_left_out(tmp_path, caplog):
    quats = np.tile(np.float32([1, 0, 0, 0]), (6, 1))
    quats[3] = 0
    means = np.zeros((6, 3), np.float32)
    means[4, 1] = np.nan
    sh = np.zeros((6, 4, 3), np.float32)
    sh[0, 1:] = 7.0
    sh[1, 1:] = -7.0
    sh[5, 0, 0] = np.inf
    scales = np.ones((6, 3), np.float32)
    scales[2] = 0.0
    cloud = SplatCloud(means, quats, scales, np.float32([0, 1, 2, -1, 0, 0]), sh)
    with caplog.at_level(logging.WARNING):
        compressed_ply.write(cloud, tmp_path / "a.compressed.ply")
    assert "2 splats with NaN" in caplog.text
    back = compressed_ply.read(tmp_path / "a.compressed.ply")
    assert len(back) == 4
    assert sorted(back.opacities.tolist()) == [0, 0, 1, 1]
    assert back.sh[:, 1:].max() == 4
    assert back.sh[:, 1:].min() == -4
    np.testing.assert_allclose(back.scales.min(), np.exp(-20), rtol=1e-5)
    np.testing.assert_allclose(np.abs(back.quats[:, 0]), 1, atol=1e-5)
    broken = cloud.subset([4, 5])
    with pytest.raises(OutputError, match="no splat with finite values"):
        compressed_ply.write(broken, tmp_path / "b.compressed.ply")
    assert not (tmp_path / "b.compressed.ply").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((b"element chunk 3", b"element chunk 2"), "2 chunks for 600"),
        ((b"element chunk 3", b"element chink 3"), "lacks its chunk"),
        ((b"element vertex 600", b"element vertex 0"), "no splats"),
        ((b"element vertex 600", b"element vertex 601"), "not bytes"),
        ((b"element sh 600", b"element sh 599"), "not bytes"),
        ((b"float min_scale_y", b"float mini_scale_y"), "bound"),
        ((b"uint packed_scale", b"uint pucked_scale"), "packed column"),
        ((b"uint packed_scale", b"short packed_scale"), "packed column"),
        ((b"uchar f_rest_0", b"char f_rest_0"), "not bytes"),
        ((b"uchar f_rest_8", b"uchar f_rest_9"), "10 f_rest"),
        ((b"little_endian", b"big_endian"), "little_endian"),
        ((b"element sh 600", b"element vertex 600"), "two elements"),
    ],
)
def test_elements_that_do_not_fit_are_refused(tmp_path, change, words):
    data, *_ = packed_file(degree=1)
    assert change[0] in data
    path = saved(tmp_path, data.replace(*change))
    with pytest.raises(FileFormatError, match=words) as caught:
        compressed_ply.read(path)
    assert str(caught.value).endswith(str(path))


def test_wrong_types_huge_counts_and_truncation(tmp_path):
    data, *_ = packed_file(kind="double")
    with pytest.raises(FileFormatError, match="bound"):
        compressed_ply.read(saved(tmp_path, data))
    data, *_ = packed_file(count=512, degree=0)
    huge = data.replace(b"chunk 2\n", b"chunk 20000000\n").replace(
        b"vertex 512", b"vertex 5120000000"
    )
    with pytest.raises(FileFormatError, match="promises"):
        compressed_ply.read(saved(tmp_path, huge))
    with pytest.raises(FileFormatError, match="promises 512 rows of 'vertex'"):
        compressed_ply.read(saved(tmp_path, data[:-1]))


def test_mutated_files_end_in_a_cloud_or_a_plain_error(tmp_path):
    rng = np.random.default_rng(12)
    samples = [packed_file(30, degree)[0] for degree in (0, 1)]
    outcomes = {"cloud": 0, "error": 0}
    for turn in range(300):
        data = bytearray(samples[turn % 2])
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(0, len(data)))
            if rng.integers(3):
                data[at] = int(rng.integers(256))
            else:
                del data[at : at + int(rng.integers(1, 30))]
        try:
            read_splats(saved(tmp_path, bytes(data)))
        except FileFormatError:
            outcomes["error"] += 1
        else:
            outcomes["cloud"] += 1
    assert min(outcomes.values()) > 20


def test_morton_order_keeps_neighbours_together_whatever_the_outliers():
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (20_000, 3)).astype(np.float32)
    points[7] = 1e7  # all others would share one cell of the first curve
    points[8:10] = np.nan
    points[9, 0] = -np.inf
    order = morton_order(points)
    assert sorted(order.tolist()) == list(range(20_000))
    assert set(order[-2:].tolist()) == {8, 9}
    dense = points[order[:-3]]
    boxes = [np.ptp(dense[k : k + 256], axis=0).max() for k in range(0, len(dense) - 256, 256)]
    assert np.median(boxes) < 1.2  # a random order gives 2


def test_morton_order_matches_interleaved_bits_and_keeps_equal_points_in_order():
    grid = np.stack(np.meshgrid(*[np.arange(8)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    codes = [
        sum((int(p[j]) >> b & 1) << (3 * b + j) for b in range(3) for j in range(3)) for p in grid
    ]
    twice = np.concatenate([grid, grid])
    wanted = np.argsort(codes * 2, kind="stable")
    np.testing.assert_array_equal(morton_order(twice), wanted)
    np.testing.assert_array_equal(morton_order(np.ones((1000, 3))), np.arange(1000))
    assert len(morton_order(np.empty((0, 3)))) == 0
