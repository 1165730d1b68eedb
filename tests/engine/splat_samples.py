"""Clouds with a different value in every field, and small files built byte by byte, for the tests.

The builders follow the written layouts in plain Python, one splat at a time; they share nothing
with the readers that they test.
"""

from __future__ import annotations

import gzip
import math
import struct

import numpy as np
import zstandard

from polyorama.scene.splats import SplatCloud

SH_C0 = 0.28209479177387814
RUB_SH_SIGNS = [1, -1, -1, 1, -1, 1, 1, -1, 1, -1, 1, -1, -1, 1, -1, 1]
LUF_SH_SIGNS = [1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1]


def sample_cloud(count=300, degree=3, seed=0, *, spread=2.0, sh_limit=0.9, **kwargs):
    """A cloud whose every number is different and within the range of every format."""
    rng = np.random.default_rng(seed)
    coefficients = (degree + 1) ** 2
    quats = rng.normal(size=(count, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    # Strictly increasing, then shuffled: no two coefficients of the cloud are equal.
    sh = np.linspace(-sh_limit, sh_limit, count * coefficients * 3)
    return SplatCloud(
        means=rng.uniform(-spread, spread, (count, 3)).astype(np.float32),
        quats=quats.astype(np.float32),
        scales=np.exp(rng.uniform(-7, 0, (count, 3))).astype(np.float32),
        opacities=rng.uniform(0.02, 0.98, count).astype(np.float32),
        sh=rng.permutation(sh).reshape(count, coefficients, 3).astype(np.float32),
        **kwargs,
    )


def rotation_error(first, second):
    """(N,) angles in degrees between the rotations of two clouds."""
    a, b = (np.asarray(c.quats, np.float64) for c in (first, second))
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    # The chord is exact for small angles, where the arc cosine of the dot product is not.
    chord = np.minimum(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    return np.degrees(4 * np.arcsin(np.minimum(chord / 2, 1)))


def f32(*values):
    return struct.pack(f"<{len(values)}f", *values)


def f16(*values):
    return struct.pack(f"<{len(values)}e", *values)


def byte(value):
    return bytes([min(255, max(0, round(value)))])


def ksplat_bytes(
    clouds, mode=0, *, bucket_capacity=8, block_size=5.0, spare=0, sh_range=(-1.5, 1.5), empty=0
):
    """A .ksplat file with a section per cloud; buckets are runs of splats, the last one partial.

    `spare` adds room for splats that are not there, `empty` sections without splats in front.
    """
    quantisation = 32767
    headers, bodies = [], []
    for cloud in [None] * empty + list(clouds):
        count = 0 if cloud is None else len(cloud)
        degree = 0 if cloud is None else cloud.sh_degree
        full = count // bucket_capacity
        partial = int(count % bucket_capacity > 0)
        centres, body, sizes = b"", b"", b""
        for first in range(0, count, bucket_capacity):
            rows = slice(first, min(count, first + bucket_capacity))
            if rows.stop - first < bucket_capacity:
                sizes += struct.pack("<I", rows.stop - first)
            centre = cloud.means[rows].mean(axis=0)
            centres += f32(*centre)
            for i in range(first, rows.stop):
                body += _ksplat_record(cloud, i, mode, centre, block_size, quantisation, sh_range)
        size = {0: 44, 1: 24, 2: 24}[mode] + {0: 4, 1: 2, 2: 1}[mode] * 3 * ((degree + 1) ** 2 - 1)
        assert len(body) == size * count
        body += bytes(size * spare)
        fields = struct.pack(
            "<IIIIfHHIIIIH", count, count + spare, bucket_capacity, full + partial, block_size, 12,
            0, 1 if mode == 0 else quantisation, len(centres) + len(body), full, partial, degree,
        )  # fmt: skip
        headers.append(fields.ljust(1024, b"\0"))
        bodies.append(sizes + centres + body)
    total = sum(map(len, clouds))
    most = len(headers) + 1
    main = bytes([0, 1, 0, 0]) + struct.pack(
        "<IIIIH2x", most, len(headers), total + spare * len(headers), total, mode
    )
    main = main.ljust(24, b"\0") + f32(0, 0, 0) + f32(*sh_range)
    return main.ljust(4096, b"\0") + b"".join(headers) + bytes(1024) + b"".join(bodies)


def _ksplat_record(cloud, i, mode, centre, block_size, quantisation, sh_range):
    real = f32 if mode == 0 else f16
    if mode == 0:
        record = f32(*cloud.means[i])
    else:
        step = block_size / 2 / quantisation
        offsets = (cloud.means[i] - centre) / step
        whole = [round(float(offset)) + quantisation for offset in offsets]
        record = struct.pack("<3H", *whole)
    record += real(*cloud.scales[i]) + real(*cloud.quats[i])
    for dc in cloud.sh[i, 0]:
        record += byte((0.5 + SH_C0 * dc) * 255)
    record += byte(cloud.opacities[i] * 255)
    for band in range(1, cloud.sh_degree + 1):
        for channel in range(3):
            for k in range(band * band, (band + 1) ** 2):
                value = cloud.sh[i, k, channel]
                if mode == 2:
                    low, high = sh_range
                    record += byte((value - low) / (high - low) * 255)
                else:
                    record += real(value)
    return record


def spz_content(cloud, version, *, bits=12, flags=0, extensions=b"", degree=None):
    """Header and blocks of an .spz file: (header of 16 bytes, extensions, list of blocks)."""
    n = len(cloud)
    positions, alphas, colors, scales, rotations, harmonics = (b"" for _ in range(6))
    for i in range(n):
        x, y, z = (float(v) for v in cloud.means[i])
        for v in (x, -y, -z):
            whole = round(v * 2**bits)
            positions += (
                f16(v) if version == 1 else struct.pack("<i", whole)[:3]
            )  # two's complement, low byte first
        alphas += byte(cloud.opacities[i] * 255)
        for dc in cloud.sh[i, 0]:
            colors += byte((dc * 0.15 + 0.5) * 255)
        for s in cloud.scales[i]:
            scales += byte((math.log(s) + 10) * 16)
        w, qx, qy, qz = (float(v) for v in cloud.quats[i])
        rotations += _spz_rotation([qx, -qy, -qz, w], version)
        for k in range(1, cloud.sh.shape[1]):
            for v in cloud.sh[i, k]:
                harmonics += byte(RUB_SH_SIGNS[k] * v * 128 + 128)
        if degree == 4:
            harmonics += bytes([200] * 27)
    header = struct.pack(
        "<4sIIBBBB", b"NGSP", version, n, cloud.sh_degree if degree is None else degree, bits,
        flags | (2 if extensions else 0), 0,
    )  # fmt: skip
    return header, extensions, [positions, alphas, colors, scales, rotations, harmonics]


def _spz_rotation(xyzw, version):
    if version < 3:
        sign = -1 if xyzw[3] < 0 else 1
        return b"".join(byte((sign * v + 1) * 127.5) for v in xyzw[:3])
    largest = max(range(4), key=lambda j: abs(xyzw[j]))
    sign = -1 if xyzw[largest] < 0 else 1
    word = largest
    for j in range(4):
        if j != largest:
            v = sign * xyzw[j]
            word = word << 10 | (v < 0) << 9 | min(511, round(abs(v) * math.sqrt(2) * 511))
    return struct.pack("<I", word)


def spz_gzip(parts):
    header, extensions, blocks = parts
    return gzip.compress(header + extensions + b"".join(blocks), mtime=0)


def spz_zstd(parts, *, streams=None, write_content_size=True):
    header, extensions, blocks = parts
    blocks = [b for b in blocks if b] if streams is None else blocks[:streams]
    packer = zstandard.ZstdCompressor(write_content_size=write_content_size)
    packed = [packer.compress(block) for block in blocks]
    start = header[:15] + bytes([len(blocks)]) + struct.pack("<I12x", 32 + len(extensions))
    table = b"".join(
        struct.pack("<QQ", len(p), len(b)) for p, b in zip(packed, blocks, strict=True)
    )
    return start + extensions + table + b"".join(packed)
