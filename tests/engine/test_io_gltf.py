"""glTF with KHR_gaussian_splatting: files built by hand, drafts, node transforms, hostile files."""

from __future__ import annotations

import base64
import json
import struct

import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError
from polyorama.io import gltf
from tests.engine.splat_samples import LUF_SH_SIGNS, rotation_error, sample_cloud

EXTENSION = "KHR_gaussian_splatting"


class Builder:
    """A glTF document with its buffer, filled attribute by attribute."""

    def __init__(self):
        self.binary = b""
        self.views, self.accessors, self.attributes = [], [], {}
        self.about = {"kernel": "ellipse", "colorSpace": "srgb_rec709_display"}
        self.nodes = [{"mesh": 0}]
        self.extra = {}

    def add(self, name, rows, component=5126, code="f", *, normalized=False, stride=None):
        rows = np.asarray(rows, float).reshape(len(rows), -1)
        width = rows.shape[1]
        item = struct.calcsize(f"<{width}{code}")
        values = rows.tolist() if code == "f" else np.rint(rows).astype(int).tolist()
        data = b"".join(
            struct.pack(f"<{width}{code}", *row).ljust(stride or item, b"\xee") for row in values
        )
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)}
        if stride:
            view["byteStride"] = stride
        self.views.append(view)
        accessor = {
            "bufferView": len(self.accessors), "componentType": component, "count": len(rows),
            "type": {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[width],
        }  # fmt: skip
        if normalized:
            accessor["normalized"] = True
        self.attributes[name] = len(self.accessors)
        self.accessors.append(accessor)
        self.binary += data + b"\0" * (-len(data) % 4)
        return self

    def document(self):
        primitive = {
            "mode": 0,
            "attributes": self.attributes,
            "extensions": {EXTENSION: self.about},
        }
        return {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": self.nodes,
            "meshes": [{"primitives": [primitive]}],
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.binary)}],
            **self.extra,
        }

    def glb(self, document=None):
        text = json.dumps(document or self.document()).encode()
        text += b" " * (-len(text) % 4)
        body = struct.pack("<I4s", len(text), b"JSON") + text
        body += struct.pack("<I4s", len(self.binary), b"BIN\0") + self.binary
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def in_gltf_axes(cloud):
    """Positions, quaternions x, y, z, w and harmonics of a cloud, in glTF's axes."""
    quats = cloud.quats[:, [1, 2, 3, 0]] * [-1, -1, 1, 1]
    signs = np.array(LUF_SH_SIGNS)[: cloud.sh.shape[1], None]
    return cloud.means * [-1, -1, 1], quats, cloud.sh * signs


def build(cloud, prefix=f"{EXTENSION}:"):
    means, quats, sh = in_gltf_axes(cloud)
    builder = Builder().add("POSITION", means)
    builder.add(f"{prefix}ROTATION", quats).add(f"{prefix}SCALE", cloud.scales)
    builder.add(f"{prefix}OPACITY", cloud.opacities[:, None])
    for degree in range(cloud.sh_degree + 1):
        for n in range(2 * degree + 1):
            builder.add(f"{prefix}SH_DEGREE_{degree}_COEF_{n}", sh[:, degree**2 + n])
    return builder


def saved(tmp_path, data, name="a.glb"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


def check(cloud, back, tolerance=1e-5):
    assert len(back) == len(cloud)
    assert back.sh_degree == cloud.sh_degree
    assert np.allclose(back.up, (0, -1, 0))
    assert np.abs(back.means - cloud.means).max() <= tolerance
    assert rotation_error(cloud, back).max() <= 100 * tolerance
    assert np.abs(back.scales / cloud.scales - 1).max() <= tolerance
    assert np.abs(back.opacities - cloud.opacities).max() <= tolerance
    assert np.abs(back.sh - cloud.sh).max() <= tolerance


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_reads_files_built_by_hand(tmp_path, degree):
    cloud = sample_cloud(40, degree)
    check(cloud, gltf.read(saved(tmp_path, build(cloud).glb())))


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("name", ["b.glb", "b c.gltf"])
@pytest.mark.parametrize("model", ["default", "antialiased", "2dgs"])
def test_writes_what_it_reads(tmp_path, degree, name, model):
    cloud = sample_cloud(40, degree, model=model)
    path = tmp_path / name
    gltf.write(cloud, path)
    back = gltf.read(path)
    check(cloud, back, 1e-6)
    assert back.model == model


def test_the_written_document(tmp_path):
    cloud = sample_cloud(41, 1)
    path = tmp_path / "b.glb"
    gltf.write(cloud, path)
    data = path.read_bytes()
    magic, version, length, text_length, kind = struct.unpack_from("<4sIII4s", data)
    assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON")
    assert text_length % 4 == 0
    document = json.loads(data[20 : 20 + text_length])
    start = 20 + text_length + 8
    primitive = document["meshes"][0]["primitives"][0]
    attributes = primitive["attributes"]
    assert EXTENSION in primitive["extensions"]
    assert EXTENSION in document["extensionsUsed"]
    position = document["accessors"][attributes["POSITION"]]
    means, quats, sh = in_gltf_axes(cloud)
    assert np.allclose(position["min"], means.min(axis=0))
    assert np.allclose(position["max"], means.max(axis=0))
    expected = {
        "POSITION": means,
        f"{EXTENSION}:ROTATION": quats,
        f"{EXTENSION}:SCALE": cloud.scales,
        f"{EXTENSION}:OPACITY": cloud.opacities,
        f"{EXTENSION}:SH_DEGREE_0_COEF_0": sh[:, 0],
        f"{EXTENSION}:SH_DEGREE_1_COEF_2": sh[:, 3],
    }
    for name, values in expected.items():
        view = document["bufferViews"][document["accessors"][attributes[name]]["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        raw = data[start + view["byteOffset"] :][: view["byteLength"]]
        assert np.allclose(np.frombuffer(raw, "<f4"), np.ravel(values), atol=1e-6)
    color = document["accessors"][attributes["COLOR_0"]]
    assert (color["componentType"], color["type"], color["normalized"]) == (5121, "VEC4", True)


def test_normalised_integers_and_strides(tmp_path):
    cloud = sample_cloud(30, 0)
    means, quats, sh = in_gltf_axes(cloud)
    builder = Builder().add("POSITION", means, stride=20)
    builder.add(f"{EXTENSION}:ROTATION", quats * 32767, 5122, "h", normalized=True)
    builder.add(f"{EXTENSION}:SCALE", np.minimum(cloud.scales, 1) * 65535, 5123, "H",
                normalized=True, stride=8)  # fmt: skip
    builder.add(f"{EXTENSION}:OPACITY", cloud.opacities[:, None] * 255, 5121, "B",
                normalized=True, stride=4)  # fmt: skip
    builder.add(f"{EXTENSION}:SH_DEGREE_0_COEF_0", sh[:, 0])
    back = gltf.read(saved(tmp_path, builder.glb()))
    assert np.allclose(back.means, cloud.means)
    assert rotation_error(cloud, back).max() < 0.01
    assert np.abs(back.scales - np.minimum(cloud.scales, 1)).max() < 1 / 65535
    assert np.abs(back.opacities - cloud.opacities).max() < 0.51 / 255


def test_sparse_columns(tmp_path):
    cloud = sample_cloud(30, 0)
    builder = build(cloud)
    builder.add("rows", [[3], [29]], 5121, "B").add("values", [[0.25], [0.75]])
    document = builder.document()
    document["accessors"][builder.attributes[f"{EXTENSION}:OPACITY"]]["sparse"] = {
        "count": 2,
        "indices": {"bufferView": builder.attributes["rows"], "componentType": 5121},
        "values": {"bufferView": builder.attributes["values"]},
    }
    back = gltf.read(saved(tmp_path, builder.glb(document)))
    expected = cloud.opacities.copy()
    expected[[3, 29]] = 0.25, 0.75
    assert np.allclose(back.opacities, expected)


def test_columns_without_data_are_bounded(tmp_path):
    def change(document):
        entry = document["accessors"][0]
        del entry["bufferView"]
        entry.update(count=90_000_000, sparse={})

    with pytest.raises(FileFormatError, match="rows without data"):
        gltf.read(saved(tmp_path, edited(change)))


def test_negative_scales_are_logarithms(tmp_path, caplog):
    cloud = sample_cloud(30, 0)
    builder = build(cloud)
    builder.add(f"{EXTENSION}:SCALE", np.log(cloud.scales))
    path = saved(tmp_path, builder.glb())
    check(cloud, gltf.read(path))
    assert "logarithms" in caplog.text
    assert str(path) in caplog.text


def test_a_few_negative_scales_are_damage(tmp_path, caplog):
    cloud = sample_cloud(300, 0)
    scales = cloud.scales.copy()
    scales[17, 2] *= -1
    builder = build(cloud)
    builder.add(f"{EXTENSION}:SCALE", scales)
    check(cloud, gltf.read(saved(tmp_path, builder.glb())))
    assert "1 splat had a negative scale" in caplog.text
    assert "logarithms" not in caplog.text


def test_the_earliest_draft(tmp_path):
    cloud = sample_cloud(30, 0)
    means, quats, _ = in_gltf_axes(cloud)
    builder = Builder().add("POSITION", means)
    builder.add("_ROTATION", quats).add("_SCALE", np.log(cloud.scales))
    colors = np.clip(np.hstack([cloud.colors, cloud.opacities[:, None]]), 0, 1)
    builder.add("COLOR_0", colors * 255, 5121, "B", normalized=True)
    back = gltf.read(saved(tmp_path, builder.glb()))
    assert np.abs(back.colors - cloud.colors).max() < 0.51 / 255
    assert np.abs(back.opacities - cloud.opacities).max() < 0.51 / 255
    assert np.abs(back.scales / cloud.scales - 1).max() < 1e-5


def test_unknown_words_are_accepted_and_reported(tmp_path, caplog):
    builder = build(sample_cloud(5, 0))
    builder.about = {"kernel": "customShape", "colorSpace": "BT.709-linear"}
    gltf.read(saved(tmp_path, builder.glb()))
    assert "customShape" in caplog.text
    assert "BT.709-linear" in caplog.text


def test_incomplete_and_high_degrees(tmp_path, caplog):
    cloud = sample_cloud(20, 3)
    builder = build(cloud)
    builder.add(f"{EXTENSION}:SH_DEGREE_4_COEF_0", cloud.sh[:, 0])
    check(cloud, gltf.read(saved(tmp_path, builder.glb())))
    assert "degree 4" in caplog.text
    del builder.attributes[f"{EXTENSION}:SH_DEGREE_2_COEF_4"]
    check(cloud.with_sh_degree(1), gltf.read(saved(tmp_path, builder.glb())))
    assert "degree 2 is incomplete" in caplog.text


def test_node_transforms_are_applied(tmp_path):
    cloud = sample_cloud(30, 3)
    half = 0.5**0.5
    builder = build(cloud)
    builder.nodes = [
        {"children": [1, 2], "translation": [1, 2, 3], "scale": [2, 2, 2]},
        {"mesh": 0, "rotation": [0, half, 0, half]},
        {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]},
    ]
    back = gltf.read(saved(tmp_path, builder.glb()))
    assert len(back) == 60
    # In glTF's axes a quarter turn about y takes z to x.
    turn = np.array([[0, 0, 1, 1], [0, 1, 0, 2], [-1, 0, 0, 3], [0, 0, 0, 1]], float)
    turn[:3, :3] *= 2
    shift = np.diag([2.0, 2, 2, 1])
    shift[:3, 3] = [1 + 10, 2 + 12, 3 + 14]
    flip = np.diag([-1.0, -1, 1, 1])
    for matrix, part in ((turn, slice(0, 30)), (shift, slice(30, 60))):
        check(cloud.transformed(flip @ matrix @ flip), back.subset(part), 1e-4)


def test_several_primitives_of_different_degrees(tmp_path):
    cloud = sample_cloud(20, 1)
    builder = build(cloud)
    document = builder.document()
    second = json.loads(json.dumps(document["meshes"][0]["primitives"][0]))
    for name in [n for n in second["attributes"] if "DEGREE_1" in n]:
        del second["attributes"][name]
    document["meshes"][0]["primitives"] += [second, {"attributes": {"POSITION": 0}, "mode": 4}]
    back = gltf.read(saved(tmp_path, builder.glb(document)))
    assert len(back) == 40
    assert back.sh_degree == 1
    assert not back.sh[20:, 1:].any()


def test_buffers_beside_and_inside(tmp_path):
    cloud = sample_cloud(20, 0)
    builder = build(cloud)
    document = builder.document()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "my data.bin").write_bytes(builder.binary)
    document["buffers"][0]["uri"] = "sub/my%20data.bin"
    check(cloud, gltf.read(saved(tmp_path, document, "a.gltf")))
    encoded = base64.b64encode(builder.binary).decode()
    document["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{encoded}"
    check(cloud, gltf.read(saved(tmp_path, document, "a.gltf")))


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin", "sub/../../secret.bin", "%2e%2e/secret.bin", "..\\secret.bin",
        "file:///etc/passwd", "http://example.org/a.bin", "C:/a.bin", "", ".", "a%00b",
    ],
)  # fmt: skip
def test_buffers_elsewhere_are_not_read(tmp_path, uri):
    folder = tmp_path / "folder"
    folder.mkdir()
    builder = build(sample_cloud(5, 0))
    (tmp_path / "secret.bin").write_bytes(builder.binary)
    document = builder.document()
    document["buffers"][0]["uri"] = uri
    with pytest.raises(FileFormatError, match="not in the folder"):
        gltf.read(saved(folder, document, "a.gltf"))
    document["buffers"][0]["uri"] = str(tmp_path / "secret.bin")
    with pytest.raises(FileFormatError, match="not in the folder"):
        gltf.read(saved(folder, document, "a.gltf"))


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    builder = build(sample_cloud(5, 0))
    (tmp_path / "secret.bin").write_bytes(builder.binary)
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    document = builder.document()
    document["buffers"][0]["uri"] = "link.bin"
    with pytest.raises(FileFormatError, match="not in the folder"):
        gltf.read(saved(folder, document, "a.gltf"))


def edited(change):
    builder = build(sample_cloud(6, 0))
    document = builder.document()
    change(document)
    return builder.glb(document)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["accessors"][0].update(count=10**9),
        lambda d: d["accessors"][0].update(count=-1),
        lambda d: d["accessors"][0].update(count="6"),
        lambda d: d["accessors"][0].update(count=5),
        lambda d: d["accessors"][0].update(byteOffset=1 << 40),
        lambda d: d["accessors"][0].update(type="MAT4"),
        lambda d: d["accessors"][0].update(type=["VEC3"]),
        lambda d: d["accessors"][0].update(componentType=5130),
        lambda d: d["accessors"][0].update(componentType=[5126]),
        lambda d: d["accessors"][0].update(bufferView=99),
        lambda d: d["accessors"][0].update(sparse={}),
        lambda d: d["accessors"][4].update(count=5),
        lambda d: d["bufferViews"][0].update(byteStride=4),
        lambda d: d["bufferViews"][0].update(byteLength=1 << 40),
        lambda d: d["bufferViews"][0].update(byteOffset=1 << 40),
        lambda d: d["bufferViews"][0].update(buffer=1),
        lambda d: d["bufferViews"][0].update(extensions={"EXT_meshopt_compression": {}}),
        lambda d: d["buffers"][0].update(byteLength=1 << 40),
        lambda d: d["buffers"][0].update(uri=7),
        lambda d: d["buffers"][0].update(uri="data:text/plain,abc"),
        lambda d: d["buffers"][0].update(uri="data:;base64,%%%"),
        lambda d: d["nodes"][0].update(children=[0]),
        lambda d: d["nodes"][0].update(children=7),
        lambda d: d["nodes"][0].update(children=[True]),
        lambda d: d["nodes"][0].update(matrix=[0] * 16),
        lambda d: d["nodes"][0].update(matrix=[1] * 15),
        lambda d: d["nodes"][0].update(scale=[0, 0, 0]),
        lambda d: d["nodes"][0].update(scale=[10**400, 1, 1]),
        lambda d: d["nodes"][0].update(rotation=[0, 0, 0, 0]),
        lambda d: d["nodes"][0].update(mesh=3),
        lambda d: d["nodes"][0].pop("mesh"),
        lambda d: d["scenes"][0].update(nodes="all"),
        lambda d: d.update(scene=4),
        lambda d: d.update(meshes=[[]]),
        lambda d: d["meshes"][0].update(primitives={}),
        lambda d: d["meshes"][0].update(primitives=[7]),
        lambda d: d["meshes"][0]["primitives"][0].update(attributes=[]),
        lambda d: d["meshes"][0]["primitives"][0]["attributes"].pop("POSITION"),
        lambda d: d["meshes"][0]["primitives"][0]["attributes"].pop(f"{EXTENSION}:SCALE"),
        lambda d: d["meshes"][0]["primitives"][0]["attributes"].pop(f"{EXTENSION}:ROTATION"),
        lambda d: d["meshes"][0]["primitives"][0]["attributes"].pop(f"{EXTENSION}:OPACITY"),
        lambda d: d.update(asset={"version": "1.0"}),
        lambda d: d.update(asset=[]),
    ],
)
def test_malformed_documents(tmp_path, change):
    path = saved(tmp_path, edited(change))
    with pytest.raises(FileFormatError) as error:
        gltf.read(path)
    assert str(error.value).endswith(str(path))


def test_compressed_splats_are_named(tmp_path):
    def change(document):
        primitive = document["meshes"][0]["primitives"][0]
        primitive["attributes"] = {"POSITION": 0}
        inner = {"KHR_gaussian_splatting_compression_spz": {"bufferView": 0}}
        primitive["extensions"][EXTENSION]["extensions"] = inner

    with pytest.raises(FileFormatError, match="compression_spz"):
        gltf.read(saved(tmp_path, edited(change)))


def test_placing_a_mesh_a_thousand_times_is_bounded(tmp_path):
    cloud = sample_cloud(20_000, 0)
    builder = build(cloud)
    builder.nodes = [{"children": list(range(1, 20_000))}] + [{"mesh": 0}] * 19_999
    with pytest.raises(FileFormatError, match="too often"):
        gltf.read(saved(tmp_path, builder.glb()))


def test_truncated_and_damaged(tmp_path):
    data = build(sample_cloud(6, 0)).glb()
    for size in (1, 12, 19, 40, len(data) - 1):
        with pytest.raises(FileFormatError):
            gltf.read(saved(tmp_path, data[:size]))
    for text in (b"[" * 100_000, b'{"asset": NaN}', b"\xff\xfe", b'"glTF"'):
        with pytest.raises(FileFormatError):
            gltf.read(saved(tmp_path, text, "a.gltf"))


def test_nothing_to_write(tmp_path):
    with pytest.raises(OutputError, match="no splat"):
        gltf.write(sample_cloud(3, 0).subset(slice(0, 0)), tmp_path / "b.glb")
    assert not list(tmp_path.iterdir())


def test_somebody_elses_bin_file_is_not_overwritten(tmp_path):
    target, buffer = tmp_path / "a scene.gltf", tmp_path / "a scene.bin"
    buffer.write_bytes(b"precious")
    for text in (None, "{}", '{"buffers": [{"uri": "other.bin"}]}', '{"buffers": [7]}', "no"):
        if text is not None:
            target.write_text(text)
        with pytest.raises(OutputError, match=r"a scene\.bin, which is not.*a scene\.gltf"):
            gltf.write(sample_cloud(3, 0), target)
        assert buffer.read_bytes() == b"precious"
    buffer.unlink()
    for count in (3, 5):
        gltf.write(sample_cloud(count, 0), target)
        assert len(gltf.read(target)) == count


def test_a_gltf_and_its_buffer_change_together(tmp_path, monkeypatch):
    target = tmp_path / "a.gltf"
    gltf.write(sample_cloud(3, 0), target)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", fail)
    with pytest.raises(OutputError, match=r"disk is full.*a\.gltf"):
        gltf.write(sample_cloud(5, 0), target)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
