"""SOG: both versions against scenes built by hand, writing, zip bombs and odd names."""

from __future__ import annotations

import io
import json
import pathlib
import struct
import zipfile

import numpy as np
import pytest
from PIL import Image

from polyorama.errors import FileFormatError, OutputError
from polyorama.io import sog
from polyorama.scene.morton import morton_order
from tests.engine.splat_samples import rotation_error, sample_cloud


def webp(pixels):
    buffer = io.BytesIO()
    Image.fromarray(np.asarray(pixels, np.uint8)).save(
        buffer, "WEBP", lossless=True, exact=True, method=0
    )
    return buffer.getvalue()


def image(rows, count):
    """Rows of four bytes as an image of width ceil(sqrt(N) / 4) * 4."""
    width = int(np.ceil(count**0.5 / 4)) * 4
    height = int(np.ceil(count / width / 4)) * 4
    pixels = np.zeros((width * height, 4), np.uint8)
    pixels[:count] = rows
    return webp(pixels.reshape(height, width, 4))


def scene(cloud, version=2, model=None):
    """The files of a SOG scene by name, splat by splat as the layout says."""
    count = len(cloud)
    files = {}
    x = cloud.means.astype(np.float64)
    logs = np.sign(x) * np.log(np.abs(x) + 1)
    low, high = logs.min(axis=0), logs.max(axis=0)
    whole = np.rint((logs - low) / (high - low) * 65535).astype(int)
    opaque = np.full((count, 1), 255)
    files["means_l.webp"] = image(np.hstack([whole % 256, opaque]), count)
    files["means_u.webp"] = image(np.hstack([whole // 256, opaque]), count)
    rows = np.zeros((count, 4))
    for i, q in enumerate(cloud.quats.astype(np.float64)):
        largest = int(np.argmax(np.abs(q)))
        rest = [v * np.sign(q[largest]) for j, v in enumerate(q) if j != largest]
        rows[i] = [round((v * 2**0.5 + 1) / 2 * 255) for v in rest] + [252 + largest]
    files["quats.webp"] = image(rows, count)
    meta = {
        "means": {"mins": low.tolist(), "maxs": high.tolist()},
        "quats": {"files": ["quats.webp"]},
        "scales": {"files": ["scales.webp"]},
        "sh0": {"files": ["sh0.webp"]},
    }
    meta["means"]["files"] = ["means_l.webp", "means_u.webp"]
    scale, dc = np.log(cloud.scales.astype(np.float64)), cloud.sh[:, 0].astype(np.float64)
    opacity = cloud.opacities[:, None].astype(np.float64)
    if version == 2:
        meta |= {"version": 2, "count": count}
        if model:
            meta["model"] = model
        ramp = np.linspace(-8, 1, 256)
        meta["scales"]["codebook"] = ramp.tolist()
        scale_rows = np.rint((scale + 8) / 9 * 255)
        ramp = np.linspace(-2, 2, 256)
        meta["sh0"]["codebook"] = ramp.tolist()
        color_rows = np.hstack([np.rint((dc + 2) / 4 * 255), np.rint(opacity * 255)])
    else:
        meta["means"]["shape"] = [count, 3]
        mins, maxs = scale.min(axis=0), scale.max(axis=0)
        meta["scales"] |= {"mins": mins.tolist(), "maxs": maxs.tolist()}
        scale_rows = np.rint((scale - mins) / (maxs - mins) * 255)
        color = np.hstack([dc, np.log(opacity / (1 - opacity))])
        mins, maxs = color.min(axis=0), color.max(axis=0)
        meta["sh0"] |= {"mins": mins.tolist(), "maxs": maxs.tolist()}
        color_rows = np.rint((color - mins) / (maxs - mins) * 255)
    files["scales.webp"] = image(np.hstack([scale_rows, opaque]), count)
    files["sh0.webp"] = image(color_rows, count)
    if cloud.sh_degree:
        # Every splat has a centroid of its own, in reverse order.
        coefficients = cloud.sh.shape[1] - 1
        sheet_rows = -(-count // 64)
        sheet = np.zeros((sheet_rows, 64 * coefficients, 3))
        label_rows = np.zeros((count, 4))
        for i in range(count):
            label = count - 1 - i
            label_rows[i] = [label % 256, label // 256, 0, 255]
            at = label % 64 * coefficients
            sheet[label // 64, at : at + coefficients] = (cloud.sh[i, 1:] + 1) / 2 * 255
        files["shN_centroids.webp"] = webp(np.rint(sheet))
        files["shN_labels.webp"] = image(label_rows, count)
        meta["shN"] = {"files": ["shN_centroids.webp", "shN_labels.webp"]}
        if version == 2:
            meta["shN"] |= {"count": count, "bands": cloud.sh_degree}
            meta["shN"]["codebook"] = np.linspace(-1, 1, 256).tolist()
        else:
            meta["shN"] |= {"mins": -1, "maxs": 1}
    return {"meta.json": meta, **files}


def as_zip(tmp_path, files, folder="", compression=zipfile.ZIP_STORED):
    path = tmp_path / "a.sog"
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(folder + name, json.dumps(data) if name == "meta.json" else data)
    return path


def as_folder(tmp_path, files):
    folder = tmp_path / "scene"
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        data = json.dumps(data).encode() if name == "meta.json" else data
        (folder / name).write_bytes(data)
    return folder


def check(cloud, back, *, scale=9 / 255 / 2, dc=4 / 255 / 2, opacity=0.5 / 255, sh=1 / 255):
    assert len(back) == len(cloud)
    assert back.sh_degree == cloud.sh_degree
    logs = [np.sign(c.means) * np.log1p(np.abs(c.means.astype(np.float64))) for c in (cloud, back)]
    extent = np.ptp(logs[0], axis=0)
    assert (np.abs(logs[0] - logs[1]).max(axis=0) <= extent / 65535 / 2 + 1e-6).all()
    assert rotation_error(cloud, back).max() <= 1.0
    assert np.abs(np.log(back.scales / cloud.scales)).max() <= scale + 1e-5
    assert np.abs(back.sh[:, 0] - cloud.sh[:, 0]).max() <= dc + 1e-5
    assert np.abs(back.opacities - cloud.opacities).max() <= opacity + 1e-6
    assert np.abs(back.sh[:, 1:] - cloud.sh[:, 1:]).max(initial=0) <= sh + 1e-5


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_reads_version_two_built_by_hand(tmp_path, degree):
    cloud = sample_cloud(300, degree)
    files = scene(cloud, model="antialiased")
    for path in (as_zip(tmp_path, files), as_folder(tmp_path, files)):
        back = sog.read(path)
        check(cloud, back)
        assert back.model == "antialiased"
    check(cloud, sog.read(tmp_path / "scene" / "meta.json"))
    check(cloud, sog.read(as_zip(tmp_path, files, "scene/", zipfile.ZIP_DEFLATED)))


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_reads_version_one_built_by_hand(tmp_path, degree):
    cloud = sample_cloud(300, degree)
    back = sog.read(as_folder(tmp_path, scene(cloud, version=1)))
    # Opacity is stored as a logit there: its slope is at most a quarter.
    check(cloud, back, scale=7 / 255 / 2, dc=1.8 / 255 / 2, opacity=8 / 255 / 2 / 4)


def test_labels_beyond_the_palette_mean_no_harmonics(tmp_path):
    cloud = sample_cloud(100, 1)
    files = scene(cloud)
    files["meta.json"]["shN"]["count"] = 60
    back = sog.read(as_folder(tmp_path, files))
    assert not back.sh[:40, 1:].any()  # labels count down from 99
    assert np.abs(back.sh[40:, 1:] - cloud.sh[40:, 1:]).max() <= 1 / 255 + 1e-5


def test_a_low_alpha_of_rotations_is_the_identity(tmp_path):
    files = scene(sample_cloud(20, 0))
    files["quats.webp"] = image([[9, 9, 9, 251]] * 20, 20)
    assert sog.read(as_folder(tmp_path, files)).quats.tolist() == [[1, 0, 0, 0]] * 20


def test_unknown_models_are_reported(tmp_path, caplog):
    path = as_folder(tmp_path, scene(sample_cloud(20, 0), model="hologram"))
    assert sog.read(path).model == "default"
    assert "hologram" in caplog.text


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("name", ["b.sog", "b/meta.json"])
def test_writes_what_it_reads(tmp_path, degree, name):
    cloud = sample_cloud(512, degree, model="2dgs")
    path = tmp_path / name
    sog.write(cloud, path)
    back = sog.read(path)
    ordered = cloud.subset(morton_order(cloud.means))
    # A codebook's widest gap is about a 64th of its range; 512 splats have a palette of 512.
    check(ordered, back, scale=7 / 64, dc=1.8 / 64, sh=1.8 / 64)
    assert back.model == "2dgs"
    assert rotation_error(ordered, back).mean() < 0.4
    assert np.abs(np.log(back.scales / ordered.scales)).mean() < 7 / 255
    assert np.abs(back.sh - ordered.sh).mean() < 1.8 / 255


def test_the_written_archive(tmp_path):
    cloud = sample_cloud(1000, 2)
    path = tmp_path / "b.sog"
    sog.write(cloud, path)
    first = path.read_bytes()
    sog.write(cloud, path)
    assert path.read_bytes() == first
    with zipfile.ZipFile(path) as archive:
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        meta = json.loads(archive.read("meta.json"))
        sizes = {}
        for name in archive.namelist():
            if name.endswith(".webp"):
                with Image.open(io.BytesIO(archive.read(name))) as picture:
                    sizes[name] = picture.size
    assert meta["version"] == 2
    assert meta["count"] == 1000
    assert meta["shN"]["bands"] == 2
    assert meta["shN"]["count"] == 512  # 2^floor(log2(1000 / 1024)) * 1024
    assert all(len(meta[key]["codebook"]) == 256 for key in ("scales", "sh0", "shN"))
    assert sizes.pop("shN_centroids.webp") == (64 * 8, 8)
    assert set(sizes.values()) == {(32, 32)}


def test_transparent_splats_keep_their_colour(tmp_path):
    cloud = sample_cloud(64, 0)
    hidden = type(cloud)(cloud.means, cloud.quats, cloud.scales, cloud.opacities * 0, cloud.sh)
    sog.write(hidden, tmp_path / "b.sog")
    back = sog.read(tmp_path / "b.sog")
    ordered = hidden.subset(morton_order(hidden.means))
    assert not back.opacities.any()
    assert np.abs(back.sh - ordered.sh).max() < 1.8 / 64


def test_one_splat_and_flat_scales(tmp_path):
    cloud = sample_cloud(1, 3)
    flat = type(cloud)(
        cloud.means, cloud.quats, cloud.scales * [1, 1, 0], cloud.opacities, cloud.sh
    )
    sog.write(flat, tmp_path / "b.sog")
    back = sog.read(tmp_path / "b.sog")
    assert np.allclose(back.means, cloud.means, atol=1e-4)
    assert np.allclose(back.sh, cloud.sh, atol=1e-5)
    assert back.scales[0, 2] < 1e-8


def test_nothing_to_write(tmp_path):
    with pytest.raises(OutputError, match="no splat"):
        sog.write(sample_cloud(3, 0).subset(slice(0, 0)), tmp_path / "b.sog")
    with pytest.raises(OutputError, match="folder"):
        sog.write(sample_cloud(3, 0), tmp_path / "no" / "such" / "meta.json")


def change(key, **entries):
    return lambda meta: meta[key].update(entries)


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: m.update(version=3),
        lambda m: m.update(version="2"),
        lambda m: m.update(version=1),
        lambda m: m.update(count=0),
        lambda m: m.update(count=-5),
        lambda m: m.update(count=10**12),
        lambda m: m.update(count="many"),
        lambda m: m.update(count=1000),
        lambda m: m.update(count=200_000_000),
        lambda m: m.pop("means"),
        lambda m: m.update(quats=[]),
        change("means", mins=[0, 0]),
        change("means", mins=[0, 0, "a"]),
        change("means", maxs=[0, 0, 1e300]),
        change("means", files=["means_l.webp"]),
        change("means", files=["../means_l.webp", "means_u.webp"]),
        change("means", files=["/etc/passwd", "means_u.webp"]),
        change("means", files=["a\\b.webp", "means_u.webp"]),
        change("means", files=[".hidden", "means_u.webp"]),
        change("means", files=[7, "means_u.webp"]),
        change("means", files=["missing.webp", "means_u.webp"]),
        change("means", files=["meta.json", "means_u.webp"]),
        change("scales", codebook=[0] * 255),
        change("scales", codebook=[None] * 256),
        change("shN", bands=4),
        change("shN", bands=2),
        change("shN", count=0),
        change("shN", count=70_000),
        change("shN", count=300),
        change("shN", files=["shN_labels.webp", "shN_labels.webp"]),
    ],
)
def test_malformed_meta(tmp_path, edit):
    files = scene(sample_cloud(100, 1))
    edit(files["meta.json"])
    for path in (as_zip(tmp_path, files), as_folder(tmp_path, files)):
        with pytest.raises(FileFormatError) as error:
            sog.read(path)
        assert str(error.value).endswith(str(path)) or str(path) in str(error.value)


def test_images_that_claim_to_be_huge_are_not_decoded(tmp_path):
    files = scene(sample_cloud(20, 0))
    small = bytearray(files["quats.webp"])
    if small[12:16] == b"VP8L":
        bits = struct.unpack_from("<I", small, 21)[0]
        struct.pack_into("<I", small, 21, bits & ~0xFFFFFFF | 0x3FFF | 0x3FFF << 14)
    files["quats.webp"] = bytes(small)
    with pytest.raises(FileFormatError, match="16384x16384"):
        sog.read(as_folder(tmp_path, files))
    huge = np.zeros((2000, 2000, 4), np.uint8)
    files["quats.webp"] = webp(huge)
    with pytest.raises(FileFormatError, match="2000x2000"):
        sog.read(as_folder(tmp_path, files))


def test_zip_bombs(tmp_path):
    files = scene(sample_cloud(20, 0))
    files["quats.webp"] = bytes(30_000_000)
    with pytest.raises(FileFormatError, match="too large"):
        sog.read(as_zip(tmp_path, files, compression=zipfile.ZIP_DEFLATED))
    path = tmp_path / "a.sog"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.json", b"[" * 50_000_000)
    with pytest.raises(FileFormatError, match="too large"):
        sog.read(path)
    # A directory that understates the size of a member.
    files = scene(sample_cloud(20, 0))
    path = as_zip(tmp_path, files, compression=zipfile.ZIP_DEFLATED)
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"quats.webp") - 46
    assert data[entry : entry + 4] == b"PK\x01\x02"
    struct.pack_into("<I", data, entry + 24, 5)
    path.write_bytes(data)
    with pytest.raises(FileFormatError):
        sog.read(path)


def test_damaged_archives_and_images(tmp_path):
    files = scene(sample_cloud(50, 1))
    path = as_zip(tmp_path, files)
    data = path.read_bytes()
    for size in (1, 30, 500, len(data) - 10):
        path.write_bytes(data[:size])
        with pytest.raises(FileFormatError):
            sog.read(path)
    for name in ("means_u.webp", "shN_centroids.webp"):
        broken = files | {name: files[name][:40]}
        with pytest.raises(FileFormatError, match=name):
            sog.read(as_folder(tmp_path, broken))
    with pytest.raises(FileFormatError, match="no such file"):
        sog.read(tmp_path / "missing.sog")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileFormatError, match="no such file"):
        sog.read(tmp_path / "empty")


def test_a_scene_in_a_folder_changes_as_a_whole(tmp_path, monkeypatch):
    old, new = tmp_path / "old" / "meta.json", tmp_path / "new" / "meta.json"
    sog.write(sample_cloud(30, 0), old)
    before = {path: path.read_bytes() for path in old.parent.iterdir()}
    write, written = pathlib.Path.write_bytes, []

    def fail_at_the_third(path, data):
        written.append(path)
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        return write(path, data)

    for target in (old, new):
        written.clear()
        with monkeypatch.context() as patch:
            patch.setattr("pathlib.Path.write_bytes", fail_at_the_third)
            with pytest.raises(OutputError, match="disk is full"):
                sog.write(sample_cloud(40, 0), target)
    assert {path: path.read_bytes() for path in old.parent.iterdir()} == before
    assert not new.parent.exists()
    sog.write(sample_cloud(40, 0), old)
    assert len(sog.read(old.parent)) == 40
