"""Mesh files: every format and its corners, and what must be refused."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import logging
import struct

import numpy as np
import pytest
from PIL import Image

from polyorama.errors import FileFormatError, UsageError
from polyorama.io.mesh import holds_mesh, read_mesh

# A tetrahedron, counter-clockwise from outside, up is +y in the file.
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 2, 0]], np.float32)
FACES = [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]
PIXELS = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [10, 20, 30]]], np.uint8)


def volume(mesh):
    a, b, c = np.moveaxis(mesh.vertices.astype(float)[mesh.triangles], 1, 0)
    return np.einsum("tc,tc->", a, np.cross(b, c)) / 6


def png(pixels=PIXELS):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def data_uri(data):
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


class Gltf:
    """Builds small glTF documents."""

    def __init__(self):
        self.data = b""
        self.doc = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": []}

    def view(self, data, **extra):
        self.data += b"\0" * (-len(self.data) % 4)
        self.doc["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data), **extra}
        )
        self.data += data
        return len(self.doc["bufferViews"]) - 1

    def accessor(self, array, **extra):
        array = np.asarray(array)
        kinds = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
        width = 1 if array.ndim == 1 else array.shape[1]
        self.doc["accessors"].append(
            {
                "bufferView": self.view(array.tobytes()),
                "componentType": kinds[array.dtype.str[1:]],
                "count": len(array),
                "type": {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}[width],
                **extra,
            }
        )
        return len(self.doc["accessors"]) - 1

    def mesh(self, vertices=CORNERS, faces=FACES, **primitive):
        attributes = {"POSITION": self.accessor(vertices), **primitive.pop("attributes", {})}
        if faces is not None:
            primitive["indices"] = self.accessor(np.array(faces, np.uint16).reshape(-1))
        self.doc.setdefault("meshes", []).append(
            {"primitives": [{"attributes": attributes, **primitive}]}
        )
        return len(self.doc["meshes"]) - 1

    def show(self, *nodes):
        self.doc["nodes"] = list(nodes)
        return self

    def write(self, path):
        doc = {**self.doc, "buffers": [{"byteLength": len(self.data)}]}
        if path.suffix == ".glb":
            text = json.dumps(doc).encode()
            text += b" " * (-len(text) % 4)
            body = self.data + b"\0" * (-len(self.data) % 4)
            chunks = struct.pack("<I4s", len(text), b"JSON") + text
            chunks += struct.pack("<I4s", len(body), b"BIN\0") + body
            path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
        else:
            path.with_suffix(".bin").write_bytes(self.data)
            doc["buffers"][0]["uri"] = path.with_suffix(".bin").name
            path.write_text(json.dumps(doc))
        return path


def assert_tetrahedron(mesh):
    assert len(mesh.triangles) == 4
    found = np.unique(mesh.vertices[mesh.triangles].reshape(-1, 3), axis=0)
    assert np.allclose(found, np.unique(CORNERS * (-1, -1, 1), axis=0))
    assert volume(mesh) == pytest.approx(1 / 3, rel=1e-5)


# --- glTF ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.glb", "a.gltf"])
def test_gltf_comes_out_upright_and_not_mirrored(tmp_path, name):
    gltf = Gltf()
    path = gltf.show({"mesh": gltf.mesh()}).write(tmp_path / name)
    mesh = read_mesh(path)
    assert_tetrahedron(mesh)
    assert mesh.vertices[:, 1].min() == -2
    assert mesh.name == "a"
    assert holds_mesh(path)


def test_gltf_node_transforms_nest_and_mirrors_keep_the_outside(tmp_path):
    gltf = Gltf()
    shape = gltf.mesh()
    half = np.sqrt(0.5)
    gltf.show(
        {"children": [1], "translation": [1, 0, 0], "rotation": [0, half, 0, half]},
        {"children": [2], "scale": [2, 2, 2]},
        {"mesh": shape, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 3, 1]},
    )
    mesh = read_mesh(gltf.write(tmp_path / "a.gltf"))
    local = CORNERS * (-1, 1, 1) + (0, 0, 3)
    world = np.stack([2 * local[:, 2] + 1, 2 * local[:, 1], -2 * local[:, 0]], axis=1)
    assert np.allclose(mesh.vertices, world * (-1, -1, 1), atol=1e-5)
    assert volume(mesh) == pytest.approx(8 / 3, rel=1e-5)


def test_gltf_shows_only_its_scene(tmp_path):
    gltf = Gltf()
    one, two = gltf.mesh(), gltf.mesh(CORNERS * 2)
    gltf.show({"mesh": one}, {"mesh": two})
    gltf.doc["scenes"] = [{"nodes": [1]}, {"nodes": [0]}]
    gltf.doc["scene"] = 1
    assert_tetrahedron(read_mesh(gltf.write(tmp_path / "a.gltf")))


def test_gltf_textures_colours_and_glow(tmp_path):
    gltf = Gltf()
    gltf.doc["images"] = [{"bufferView": gltf.view(png())}]
    gltf.doc["textures"] = [{"source": 0}]
    gltf.doc["materials"] = [
        {
            "pbrMetallicRoughness": {
                "baseColorTexture": {"index": 0},
                "baseColorFactor": [0.5, 1, 1, 0.25],
            },
            "emissiveFactor": [0, 1, 0],
            "alphaMode": "BLEND",
        },
        {},
    ]
    uv = np.array([[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]], np.float32)
    colors = np.array([[255, 0, 0, 255]] * 4, np.uint8)
    first = gltf.mesh(
        material=0,
        attributes={
            "TEXCOORD_0": gltf.accessor(uv),
            "COLOR_0": gltf.accessor(colors, normalized=True),
        },
    )
    second = gltf.mesh(material=1)
    path = gltf.show({"mesh": first}, {"mesh": second}).write(tmp_path / "a.glb")
    mesh = read_mesh(path)
    painted, plain = mesh.materials
    assert np.array_equal(painted.texture, PIXELS)
    assert np.allclose(painted.color, [0.7354, 1, 1, 0.25], atol=1e-3)
    assert painted.emission == pytest.approx((0, 1, 0))
    assert plain.texture is None
    assert np.array_equal(mesh.material_ids, [0] * 4 + [1] * 4)
    # v counts from the top in glTF, from the bottom here.
    assert np.allclose(mesh.uvs[:4], uv * (1, -1) + (0, 1))
    assert np.allclose(mesh.colors[:4], [1, 0, 0])
    assert np.allclose(mesh.colors[4:], 1)


def test_gltf_alpha_counts_only_where_the_material_says_so(tmp_path):
    pixels = np.zeros((1, 2, 4), np.uint8)
    pixels[0, :, 3] = (100, 200)
    seen = {}
    for mode in ("OPAQUE", "MASK", "BLEND"):
        gltf = Gltf()
        gltf.doc["images"] = [{"uri": data_uri(png(pixels))}]
        gltf.doc["textures"] = [{"source": 0}]
        gltf.doc["materials"] = [
            {"alphaMode": mode, "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
        ]
        uvs = gltf.accessor(np.zeros((4, 2), np.float32))
        shape = gltf.mesh(material=0, attributes={"TEXCOORD_0": uvs})
        mesh = read_mesh(gltf.show({"mesh": shape}).write(tmp_path / f"{mode}.gltf"))
        seen[mode] = mesh.materials[0].texture
    assert seen["OPAQUE"].shape == (1, 2, 3)
    assert list(seen["MASK"][0, :, 3]) == [0, 255]
    assert list(seen["BLEND"][0, :, 3]) == [100, 200]


def test_gltf_strips_fans_sparse_strides_and_morph_targets(tmp_path):
    quad = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], np.float32)
    for mode, order, expected in (
        (5, [0, 1, 2, 3], [[0, 1, 2], [1, 3, 2]]),
        (6, [0, 1, 3, 2], [[0, 1, 3], [0, 3, 2]]),
    ):
        gltf = Gltf()
        shape = gltf.mesh(quad, [order], mode=mode)
        mesh = read_mesh(gltf.show({"mesh": shape}).write(tmp_path / "s.gltf"))
        assert mesh.triangles.tolist() == expected

    gltf = Gltf()
    spaced = np.zeros((4, 5), np.float32)
    spaced[:, :3] = quad
    shape = gltf.mesh(quad, [0, 1, 2])
    base = gltf.doc["accessors"][
        gltf.doc["meshes"][shape]["primitives"][0]["attributes"]["POSITION"]
    ]
    base["bufferView"] = gltf.view(spaced.tobytes(), byteStride=20)
    base["sparse"] = {
        "count": 1,
        "indices": {
            "bufferView": gltf.view(np.array([1], np.uint8).tobytes()),
            "componentType": 5121,
        },
        "values": {"bufferView": gltf.view(np.array([7, 8, 9], np.float32).tobytes())},
    }
    move = gltf.accessor(np.full((4, 3), 2, np.float32))
    gltf.doc["meshes"][shape]["primitives"][0]["targets"] = [{"POSITION": move}]
    gltf.doc["meshes"][shape]["weights"] = [0.5]
    mesh = read_mesh(gltf.show({"mesh": shape}).write(tmp_path / "p.gltf"))
    expected = np.array([[0, 0, 0], [7, 8, 9], [0, 1, 0], [1, 1, 0]]) + 1
    assert np.allclose(mesh.vertices, expected * (-1, -1, 1))


def test_gltf_skins_stand_in_their_rest_pose(tmp_path):
    gltf = Gltf()
    bind = np.eye(4, dtype=np.float32)
    bind[:3, 3] = (0, -1, 0)
    gltf.doc["skins"] = [
        {"joints": [1], "inverseBindMatrices": gltf.accessor(bind.T.reshape(1, 16).copy())}
    ]
    weights = np.tile(np.array([1, 0, 0, 0], np.float32), (4, 1))
    shape = gltf.mesh(
        attributes={
            "JOINTS_0": gltf.accessor(np.zeros((4, 4), np.uint8)),
            "WEIGHTS_0": gltf.accessor(weights),
        }
    )
    gltf.show({"mesh": shape, "skin": 0, "translation": [9, 9, 9]}, {"translation": [0, 1, 0]})
    assert_tetrahedron(read_mesh(gltf.write(tmp_path / "a.glb")))


def _unchanged(doc):
    return doc


def _edit(**changes):
    return lambda doc: {**doc, **changes}


def _deep(path, value):
    def change(doc):
        place = doc
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        return doc

    return change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_edit(asset={"version": "1.0"}), "version 2"),
        (_edit(asset=None), "asset"),
        (_edit(extensionsRequired=["KHR_draco_mesh_compression"]), "KHR_draco"),
        (_edit(extensionsRequired=["VENDOR_cubes"]), "VENDOR_cubes"),
        (_edit(nodes=[{"children": [0], "mesh": 0}], scenes=[{"nodes": [0]}]), "twice"),
        (_edit(nodes=[{"mesh": 4}]), "no mesh 4"),
        (_edit(nodes=[{"mesh": True}]), "named by True"),
        (_edit(nodes=[{"mesh": 0, "scale": [1, 1]}]), "damaged"),
        (_edit(nodes=[{"mesh": 0, "translation": [1e999, 0, 0]}]), "damaged"),
        (_edit(nodes=[]), "no triangles"),
        (
            _edit(meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]}]),
            "no triangles",
        ),
        (_edit(meshes=7), "no mesh 0"),
        (_deep(["accessors", 0, "count"], 10**9), "promises"),
        (_deep(["accessors", 0, "count"], 400), "past its buffer view"),
        (_deep(["accessors", 0, "count"], -1), "count is -1"),
        (_deep(["accessors", 0, "componentType"], 5), "unknown type"),
        (_deep(["accessors", 0, "type"], "VEC2"), "not of 3 numbers"),
        (_deep(["bufferViews", 0, "byteLength"], 10**9), "past its buffer"),
        (_deep(["bufferViews", 0, "byteOffset"], -4), "byteOffset is -4"),
        (_deep(["buffers", 0, "byteLength"], 10**9), "cut off"),
        (_deep(["buffers", 0, "uri"], "../secret.bin"), "outside its folder"),
        (_deep(["buffers", 0, "uri"], "/etc/hostname"), "outside its folder"),
        (_deep(["buffers", 0, "uri"], "https://example.org/a.bin"), "not read"),
        (_deep(["buffers", 0, "uri"], "missing.bin"), "not beside it"),
        (_deep(["buffers", 0, "uri"], "data:x;base64,&&&"), "base64"),
    ],
)
def test_damaged_gltf_is_refused_in_one_sentence(tmp_path, change, text):
    gltf = Gltf()
    path = gltf.show({"mesh": gltf.mesh()}).write(tmp_path / "a.gltf")
    (tmp_path.parent / "secret.bin").write_bytes(gltf.data)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(FileFormatError, match=text) as caught:
        read_mesh(path)
    assert str(caught.value).endswith(str(path))
    assert "\n" not in str(caught.value)


def test_gltf_indices_beyond_the_vertices_are_refused(tmp_path):
    gltf = Gltf()
    path = gltf.show({"mesh": gltf.mesh(faces=[(0, 1, 9)])}).write(tmp_path / "a.glb")
    with pytest.raises(FileFormatError, match="names vertex 9 of 4"):
        read_mesh(path)


def test_cut_off_glb_is_refused_at_every_length(tmp_path):
    gltf = Gltf()
    whole = gltf.show({"mesh": gltf.mesh()}).write(tmp_path / "a.glb").read_bytes()
    path = tmp_path / "cut.glb"
    for length in [1, 3, 4, 11, 12, 19, 20, 40, len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(FileFormatError):
            read_mesh(path)


def test_a_scene_that_repeats_a_mesh_endlessly_is_bounded(tmp_path):
    gltf = Gltf()
    shape = gltf.mesh(np.zeros((60000, 3), np.float32), [[0, 1, 2]] * 20000)
    path = gltf.show(*[{"mesh": shape}] * 3000).write(tmp_path / "a.glb")
    with pytest.raises(FileFormatError, match="more than 100,000,000"):
        read_mesh(path)


def test_real_models_are_upright_textured_and_complete(shared_data):
    names = (
        "kaykit-furniture/armchair",
        "kaykit-city-builder/car_taxi",
        "kaykit-halloween/pumpkin_orange",
        "kaykit-restaurant/table_round_A_decorated",
    )
    for name in names:
        mesh = read_mesh(shared_data / "shapes" / f"{name}.gltf")
        assert len(mesh.triangles) > 100
        assert mesh.uvs is not None
        assert mesh.materials[0].texture.shape == (1024, 1024, 3)
        # They stand on the floor y = 0 and rise towards -y.
        assert mesh.vertices[:, 1].max() == pytest.approx(0, abs=0.1)
        assert mesh.vertices[:, 1].min() < -0.3
        assert volume(mesh) > 0


# --- OBJ ----------------------------------------------------------------------------------------

OBJ = """# a tetrahedron
mtllib a.mtl
o thing
v 0 0 0
v 1 0 0
v 0 0 1
v 0 2 0
vt 0 0
vt 1 0
vt 0 1
usemtl red one
f 1/1 2/2 3/3
f 1/1/1 4/2/1 2/3/1
usemtl blue
f -4//1 -2//1 -1//1
f 2 4 \\
  3
"""
MTL = b"""newmtl red one
Kd 1 0.5 0.25
Ke 0.1 0 0
d 0.75
map_Kd -s 1 1 1 -bm 0.5 my paint.png
newmtl blue
Kd 0 0 1
Tr 0.5
"""


def test_obj_with_materials_and_texture(tmp_path):
    (tmp_path / "a.obj").write_text(OBJ)
    (tmp_path / "a.mtl").write_bytes(MTL)
    (tmp_path / "my paint.png").write_bytes(png())
    mesh = read_mesh(tmp_path / "a.obj")
    assert_tetrahedron(mesh)
    red, blue = mesh.materials
    assert red.color == (1, 0.5, 0.25, 0.75)
    assert red.emission == (0.1, 0, 0)
    assert np.array_equal(red.texture, PIXELS)
    assert blue.color == (0, 0, 1, 0.5)
    assert mesh.material_ids.tolist() == [0, 0, 1, 1]
    corner = mesh.triangles[0]
    assert np.allclose(mesh.uvs[corner], [[0, 0], [1, 0], [0, 1]])


def test_obj_polygons_and_vertex_colours(tmp_path):
    text = "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0 1\nv 0 1 0 1 1 1\nv -1 0.5 0 0 0 0\n"
    text += "f 1 2 3 4 5\nl 1 2\n"
    (tmp_path / "a.obj").write_text(text)
    mesh = read_mesh(tmp_path / "a.obj")
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 3, 4]]
    assert np.allclose(mesh.colors[1], [0, 1, 0])


def test_obj_that_begins_with_a_byte_order_mark(tmp_path):
    plain, marked = tmp_path / "plain.obj", tmp_path / "marked.obj"
    plain.write_text("v 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n")
    marked.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
    assert (read_mesh(marked).vertices == read_mesh(plain).vertices).all()


def test_obj_without_its_materials_is_read_and_said(tmp_path, caplog):
    (tmp_path / "a.obj").write_text(OBJ)
    with caplog.at_level(logging.WARNING):
        assert_tetrahedron(read_mesh(tmp_path / "a.obj"))
    assert "a.mtl" in caplog.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v 0 0\nf 1 1 1\n", "Line 1"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "Line 4"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "Line 4"),
        ("v 0 0 0\nf -2 1 1\n", "Line 2"),
        ("v 0 0 0\nf 1 2 999999999999999999999\n", "Line 2"),
        ("v 0 0 0\nvt 0 0\nf 1 1/999999999999999999999 1\n", "Line 3"),
        ("v 0 0 0\nf 1 1 -999999999999999999999\n", "Line 2"),
        ("v 0 0 0\nv 1 0 0\nf 1 2 3\n", "not there"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/5 2/5 3/5\n", "not there"),
        ("v 0 0 0\nf 1 1\n", "no triangles"),
        ("v nan 0 0\nf 1 1 1\n", "finite"),
        ("nothing here\n", "no triangles"),
        ("\0\0\0", "not text"),
    ],
)
def test_damaged_obj_is_refused(tmp_path, text, message):
    path = tmp_path / "a.obj"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=message):
        read_mesh(path)


def test_a_real_obj_of_quads(shared_data):
    mesh = read_mesh(shared_data / "rigs" / "makehuman" / "base.obj")
    assert len(mesh.triangles) > 30000
    assert np.isfinite(mesh.vertices).all()


# --- PLY ----------------------------------------------------------------------------------------


def ply(encoding, *, index="int", sizes=(3, 3, 3, 3), extra=False):
    order = ">" if encoding.endswith("big_endian") else "<"
    head = [
        "ply", f"format {encoding} 1.0", "comment made by hand", "element vertex 4",
        "property float x", "property float y", "property float z",
        "property uchar red", "property uchar green", "property uchar blue",
        f"element face {len(sizes)}", f"property list uchar {index} vertex_indices",
        *(["property uchar flags"] if extra else []), "end_header",
    ]  # fmt: skip
    body = b""
    colors = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)]
    faces = [
        face if size == 3 else (0, 1, 2, 3)[:size] for face, size in zip(FACES, sizes, strict=True)
    ]
    if encoding == "ascii":
        lines = [
            " ".join(map(str, [*corner, *color]))
            for corner, color in zip(CORNERS, colors, strict=True)
        ]
        lines += [" ".join(map(str, [len(f), *f, *([7] if extra else [])])) for f in faces]
        body = ("\n".join(lines) + "\n").encode()
    else:
        for corner, color in zip(CORNERS, colors, strict=True):
            body += struct.pack(order + "3f3B", *corner, *color)
        kind = {"int": "i", "ushort": "H", "uint": "I"}[index]
        for f in faces:
            body += struct.pack(f"{order}B{len(f)}{kind}", len(f), *f) + (b"\7" if extra else b"")
    return "\n".join(head).encode() + b"\n" + body


@pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("extra", [False, True])
def test_ply_of_every_encoding(tmp_path, encoding, extra):
    path = tmp_path / "a.ply"
    for index in ("int", "ushort", "uint"):
        path.write_bytes(ply(encoding, index=index, extra=extra))
        mesh = read_mesh(path)
        assert_tetrahedron(mesh)
        assert np.allclose(mesh.colors, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    assert holds_mesh(path)


@pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian"])
def test_ply_with_mixed_polygons(tmp_path, encoding):
    path = tmp_path / "a.ply"
    path.write_bytes(ply(encoding, sizes=(3, 4, 2, 3)))
    mesh = read_mesh(path)
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 1, 2], [0, 2, 3], [1, 3, 2]]


@pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_cut_off_ply_is_refused_at_every_length(tmp_path, encoding):
    whole = ply(encoding, sizes=(3, 4, 3, 3))
    path = tmp_path / "a.ply"
    last = len(whole) - (4 if encoding == "ascii" else 1)
    for length in range(1, last, 7):
        path.write_bytes(whole[:length])
        with pytest.raises(FileFormatError):
            read_mesh(path)


def test_ply_with_texture_coordinates_at_corners(tmp_path):
    text = (
        "ply\nformat ascii 1.0\ncomment TextureFile paint.png\nelement vertex 3\nproperty float x\n"
        "property float y\nproperty float z\nelement face 1\n"
        "property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 1\n"
    )
    (tmp_path / "a.ply").write_text(text)
    (tmp_path / "paint.png").write_bytes(png())
    mesh = read_mesh(tmp_path / "a.ply")
    assert np.allclose(mesh.uvs[mesh.triangles[0]], [[0, 0], [1, 0], [0, 1]])
    assert np.array_equal(mesh.materials[0].texture, PIXELS)


def test_ply_of_points_or_splats_is_no_mesh(tmp_path):
    path = tmp_path / "a.ply"
    text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
    text += "property float z\nend_header\n0 0 0\n"
    path.write_text(text)
    assert not holds_mesh(path)
    with pytest.raises(FileFormatError, match="no faces"):
        read_mesh(path)


def test_huge_promises_take_no_memory(tmp_path):
    path = tmp_path / "a.ply"
    path.write_bytes(ply("binary_little_endian").replace(b"face 4", b"face 4000000000"))
    with pytest.raises(FileFormatError, match="damaged"):
        read_mesh(path)
    stl = b"\0" * 80 + struct.pack("<I", 4_000_000_000)
    (tmp_path / "a.stl").write_bytes(stl)
    with pytest.raises(FileFormatError, match="promises 4,000,000,000"):
        read_mesh(tmp_path / "a.stl")
    (tmp_path / "a.off").write_text("OFF\n4000000000 4000000000 0\n0 0 0\n")
    with pytest.raises(FileFormatError, match="damaged"):
        read_mesh(tmp_path / "a.off")


# --- STL and OFF --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["binary", "ascii"])
def test_stl_is_welded_and_its_z_is_up(tmp_path, kind):
    path = tmp_path / "a.stl"
    corners = CORNERS[np.array(FACES)]
    if kind == "binary":
        data = b"solid of a liar".ljust(80, b" ") + struct.pack("<I", 4)
        for triangle in corners:
            data += struct.pack("<12fH", 0, 0, 0, *triangle.reshape(-1), 0)
    else:
        facets = "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join(f"vertex {x} {y} {z}\n" for x, y, z in triangle)
            + "endloop\nendfacet\n"
            for triangle in corners
        )
        data = f"solid a\n{facets}endsolid a\n".encode()
    path.write_bytes(data)
    assert_tetrahedron(read_mesh(path, up="y"))
    mesh = read_mesh(path)
    assert len(mesh.vertices) == 4
    assert mesh.vertices[:, 1].min() == -1
    assert volume(mesh) == pytest.approx(1 / 3, rel=1e-5)


def test_off_with_colours_comments_and_quads(tmp_path):
    path = tmp_path / "a.off"
    path.write_text(
        "COFF # coloured\n# counts\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n"
        "1 1 0 0 0 255 255\n0 1 0 9 9 9 255\n4 0 1 2 3\n3 0 1 2 1 0 0\n"
    )
    mesh = read_mesh(path)
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2]]
    assert np.allclose(mesh.colors[0], [1, 0, 0])
    path.write_text("OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    assert len(read_mesh(path).triangles) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PLY",
        "OFF",
        "OFF\n3 1 0\n0 0 0\n",
        "OFF\n1 1 0\n0 0 0\n3 0 1\n",
        "OFF\nx y z\n1\n",
        "OFF BINARY\n\1\2",
        "4OFF\n1 1 1\n0 0 0 0\n3 0 0 0\n",
    ],
)
def test_damaged_off_is_refused(tmp_path, text):
    path = tmp_path / "a.off"
    path.write_text(text)
    with pytest.raises(FileFormatError):
        read_mesh(path)


# --- all formats --------------------------------------------------------------------------------


def test_up_can_be_told(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text("v 1 2 3\nv 0 0 0\nv 0 1 0\nf 1 2 3\n")
    assert np.allclose(read_mesh(path).vertices[0], [-1, -2, 3])
    assert np.allclose(read_mesh(path, up="z").vertices[0], [-1, -3, -2])
    assert np.allclose(read_mesh(path, up="-y").vertices[0], [1, 2, 3])
    with pytest.raises(UsageError, match="auto, y, z or -y"):
        read_mesh(path, up="x")


def test_missing_unknown_and_wrong_files_are_told_apart(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        read_mesh(tmp_path / "none.glb")
    (tmp_path / "a.fbx").write_bytes(b"Kaydara")
    with pytest.raises(FileFormatError, match="Unknown kind of mesh"):
        read_mesh(tmp_path / "a.fbx")
    assert not holds_mesh(tmp_path / "a.fbx")
    for ending in (".glb", ".gltf", ".ply", ".stl", ".off"):
        path = tmp_path / f"noise{ending}"
        path.write_bytes(np.random.default_rng(0).bytes(3000))
        with pytest.raises(FileFormatError):
            read_mesh(path)


def test_glb_of_splats_is_no_mesh(tmp_path):
    gltf = Gltf()
    gltf.doc["extensionsUsed"] = ["KHR_gaussian_splatting"]
    assert not holds_mesh(gltf.show({"mesh": gltf.mesh()}).write(tmp_path / "a.glb"))


def test_damaged_textures_name_themselves(tmp_path):
    gltf = Gltf()
    gltf.doc["images"] = [{"uri": data_uri(png()[:40]), "name": "bark"}]
    gltf.doc["textures"] = [{"source": 0}]
    gltf.doc["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    path = gltf.show({"mesh": gltf.mesh(material=0)}).write(tmp_path / "a.gltf")
    with pytest.raises(FileFormatError, match="'bark' cannot be decoded"):
        read_mesh(path)


@pytest.mark.parametrize("ending", [".glb", ".gltf", ".obj", ".ply", ".stl", ".off"])
def test_mutated_files_end_in_a_mesh_or_one_clear_error(tmp_path, ending):
    rng = np.random.default_rng(11)
    path = tmp_path / f"a{ending}"
    if ending in (".glb", ".gltf"):
        gltf = Gltf()
        gltf.doc["images"] = [{"uri": data_uri(png())}]
        gltf.doc["textures"] = [{"source": 0}]
        gltf.doc["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
        whole = gltf.show({"mesh": gltf.mesh(material=0)}).write(path).read_bytes()
    elif ending == ".obj":
        whole = OBJ.encode()
    elif ending == ".ply":
        whole = ply("binary_little_endian", extra=True)
    elif ending == ".stl":
        whole = b" " * 80 + struct.pack("<I", 1) + struct.pack("<12fH", *[0] * 3, *range(9), 0)
    else:
        whole = b"OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"
    good = 0
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(rng.integers(1, 5)):
            data[rng.integers(len(data))] = rng.integers(256)
        path.write_bytes(bytes(data))
        # Any other exception ends the test.
        with contextlib.suppress(FileFormatError):
            good += len(read_mesh(path).triangles) > 0
    assert good > 0
