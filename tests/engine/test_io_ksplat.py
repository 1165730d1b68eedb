"""Reading .ksplat: every mode and degree, sections, buckets, and damaged files."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest

from polyorama.errors import FileFormatError
from polyorama.io import ksplat
from tests.engine.splat_samples import ksplat_bytes, rotation_error, sample_cloud

# Steps of the written layout: f16 has 11 significant bits, colours 8 bits, harmonics of mode 2
# 8 bits over 3.
POSITION_STEP = 5.0 / 2 / 32767


def saved(tmp_path, data):
    path = tmp_path / "a.ksplat"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_every_mode_and_degree(tmp_path, mode, degree):
    cloud = sample_cloud(61, degree, seed=degree, spread=1.2)
    back = ksplat.read(saved(tmp_path, ksplat_bytes([cloud], mode)))
    assert back.sh_degree == degree
    assert back.model == "default"
    position = 0 if mode == 0 else POSITION_STEP / 2 + 1e-6
    assert np.abs(back.means - cloud.means).max() <= position
    half = 0 if mode == 0 else 2.0**-11
    assert np.abs(back.scales / cloud.scales - 1).max() <= half + 1e-7
    assert rotation_error(cloud, back).max() <= (0.001 if mode == 0 else 0.06)
    assert np.abs(back.opacities - cloud.opacities).max() <= 0.5 / 255 + 1e-6
    assert np.abs(back.colors - cloud.colors).max() <= 0.5 / 255 + 1e-6
    harmonics = {0: 0, 1: 2.0**-12, 2: 3.0 / 255 / 2 + 1e-6}[mode]
    assert np.abs(back.sh[:, 1:] - cloud.sh[:, 1:]).max(initial=0) <= harmonics


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_sections_of_different_degrees_with_spare_room_and_empty_ones(tmp_path, mode):
    clouds = [
        sample_cloud(19, 1, 1, spread=1.2),
        sample_cloud(8, 0, 2, spread=1.2),
        sample_cloud(33, 2, 3, spread=1.2),
    ]
    data = ksplat_bytes(clouds, mode, spare=5, empty=1)
    back = ksplat.read(saved(tmp_path, data))
    assert len(back) == 60
    assert back.sh_degree == 2
    means = np.concatenate([c.means for c in clouds])
    assert np.abs(back.means - means).max() <= POSITION_STEP
    assert not back.sh[19:27, 1:].any()


def test_partial_buckets_in_any_number(tmp_path):
    # Two full buckets of 8, then partial ones of 3, 0 and 5 splats.
    cloud = sample_cloud(24, 0, spread=1.2)
    data = bytearray(ksplat_bytes([cloud], 1))
    start = 4096 + 2 * 1024
    struct.pack_into("<II", data, 4096 + 32, 2, 3)
    struct.pack_into("<I", data, 4096 + 12, 5)
    centres, splats = data[start : start + 36], data[start + 36 :]
    sizes = struct.pack("<III", 3, 0, 5)
    third = centres[24:36]
    unused = struct.pack("<fff", 9, 9, 9)
    data[start:] = sizes + centres[:24] + third + unused + third + splats
    back = ksplat.read(saved(tmp_path, data))
    assert np.abs(back.means - cloud.means).max() <= POSITION_STEP
    struct.pack_into("<III", data, start, 3, 0, 4)
    with pytest.raises(FileFormatError, match="buckets"):
        ksplat.read(saved(tmp_path, data))


def test_a_sh_range_of_zero_means_one_and_a_half(tmp_path):
    cloud = sample_cloud(10, 1, spread=1.2)
    data = bytearray(ksplat_bytes([cloud], 2))
    data[36:44] = bytes(8)
    back = ksplat.read(saved(tmp_path, data))
    assert np.abs(back.sh[:, 1:] - cloud.sh[:, 1:]).max() <= 3.0 / 255 / 2 + 1e-6
    narrow = ksplat_bytes([cloud], 2, sh_range=(-1.0, 1.0))
    back = ksplat.read(saved(tmp_path, narrow))
    assert np.abs(back.sh[:, 1:] - cloud.sh[:, 1:]).max() <= 2.0 / 255 / 2 + 1e-6


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_negative_scales_lose_their_sign(tmp_path, caplog, mode):
    cloud = sample_cloud(20, 0)
    odd = replace(cloud, scales=-cloud.scales)
    back = ksplat.read(saved(tmp_path, ksplat_bytes([odd], mode)))
    np.testing.assert_allclose(back.scales, cloud.scales, rtol=1e-3)
    assert "20 splats had a negative scale" in caplog.text


def test_a_wrong_total_is_reported(tmp_path, caplog):
    data = bytearray(ksplat_bytes([sample_cloud(5, 0, spread=1.2)]))
    struct.pack_into("<I", data, 16, 99)
    path = saved(tmp_path, data)
    assert len(ksplat.read(path)) == 5
    assert "99" in caplog.text
    assert str(path) in caplog.text


@pytest.mark.parametrize(
    ("offset", "field", "words"),
    [
        (0, b"\x01", "Version"),
        (1, b"\x00", "Version"),
        (4, struct.pack("<I", 2**31), "too short"),
        (8, struct.pack("<I", 3), "too short"),
        (20, struct.pack("<H", 3), "mode 3"),
        (36, struct.pack("<f", float("nan")), "finite"),
        (4096, struct.pack("<I", 2**32 - 1), "truncated"),
        (4096 + 16, struct.pack("<f", float("inf")), "finite"),
        (4096 + 20, struct.pack("<H", 4), "buckets"),
        (4096 + 32, struct.pack("<I", 2**32 - 1), "buckets"),
        (4096 + 36, struct.pack("<I", 2**32 - 1), "truncated"),
        (4096 + 40, struct.pack("<H", 4), "degree"),
    ],
)
def test_damaged_headers(tmp_path, offset, field, words):
    data = bytearray(ksplat_bytes([sample_cloud(20, 1, spread=1.2)], 1))
    data[offset : offset + len(field)] = field
    path = saved(tmp_path, data)
    with pytest.raises(FileFormatError, match=words) as error:
        ksplat.read(path)
    assert str(error.value).endswith(str(path))


@pytest.mark.parametrize("size", [1, 4095, 4096, 5000, 6144, 6200])
def test_truncated(tmp_path, size):
    data = ksplat_bytes([sample_cloud(20, 1, spread=1.2)], 0)[:size]
    with pytest.raises(FileFormatError):
        ksplat.read(saved(tmp_path, data))


def test_without_splats(tmp_path):
    with pytest.raises(FileFormatError, match="no splats"):
        ksplat.read(saved(tmp_path, ksplat_bytes([], empty=2)))


def test_real_fixture(shared_data):
    cloud = ksplat.read(shared_data / "splats" / "fixtures" / "minimal.ksplat")
    assert cloud.means.tolist() == [[-1, 0, -1], [0, 0, -1], [-1, 0, 0], [0, 0, 0]]
    assert np.allclose(cloud.scales, 0.1)
    assert np.allclose(cloud.opacities, 0.9, atol=0.002)
    assert np.allclose(cloud.colors[3], [2 / 3, 2 / 3, 0.5], atol=0.002)
