"""Any model file becomes a mesh or a cloud, or one clear sentence."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from polyorama.errors import FileFormatError
from polyorama.io.formats import write_splats
from polyorama.shapes.load import ENDINGS, dependencies, load_asset
from polyorama.shapes.loaders.fbx_pictures import embedded_pictures
from tests.engine.fakes import ball
from tests.engine.model_samples import (
    CORNERS,
    FACES,
    PIXELS,
    SIZE,
    binary_fbx,
    dae,
    fbx,
    png,
    three_ds,
    three_mf,
    usd_mesh,
    usda,
    volume,
)


def needs_assimp():
    pytest.importorskip("assimp_py")


def obj(corners=CORNERS, faces=FACES, head=""):
    lines = [head, *(f"v {x} {y} {z}" for x, y, z in corners)]
    lines += ["f " + " ".join(str(v + 1) for v in face) for face in faces]
    return "\n".join(lines) + "\n"


def gltf(picture=None, color=(1, 1, 1, 1)):
    """Text of a glTF file of the tetrahedron, buffer and picture beside it."""
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": 48},
             {"buffer": 0, "byteOffset": 48, "byteLength": 32},
             {"buffer": 0, "byteOffset": 80, "byteLength": 24}]  # fmt: skip
    surface = {"baseColorFactor": color}
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "a.bin", "byteLength": 104}],
        "bufferViews": views,
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "materials": [{"pbrMetallicRoughness": surface}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
    }  # fmt: skip
    if picture is not None:
        document["images"] = [{"uri": picture}]
        document["textures"] = [{"source": 0}]
        surface["baseColorTexture"] = {"index": 0}
    return json.dumps(document)


def buffer():
    return (CORNERS.astype("<f4").tobytes() + CORNERS[:, :2].astype("<f4").tobytes()
            + np.array(FACES, "<u2").tobytes())  # fmt: skip


def stl(corners=CORNERS, faces=FACES, count=None):
    rows = b"".join(
        struct.pack("<3f", 0, 0, 0) + np.asarray(corners)[list(f)].astype("<f4").tobytes() + b"\0\0"
        for f in faces
    )
    return b" " * 80 + struct.pack("<I", len(faces) if count is None else count) + rows


def ply(corners=CORNERS, faces=FACES, *, count=None, comment=""):
    head = (
        f"ply\nformat binary_little_endian 1.0\n{comment}"
        f"element vertex {len(corners) if count is None else count}\n"
        "property float x\nproperty float y\nproperty float z\n"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows = b"".join(struct.pack(f"<B{len(f)}i", len(f), *f) for f in faces)
    return head.encode() + np.asarray(corners, "<f4").tobytes() + rows


def off():
    points = "\n".join(f"{x} {y} {z}" for x, y, z in CORNERS)
    faces = "\n".join("3 " + " ".join(map(str, f)) for f in FACES)
    return f"OFF\n4 4 0\n{points}\n{faces}\n"


ALL = {
    ".obj": obj, ".gltf": gltf, ".stl": stl, ".ply": ply, ".off": off, ".fbx": fbx, ".dae": dae,
    ".3ds": three_ds, ".3mf": three_mf, ".usda": lambda: usda(usd_mesh()),
}  # fmt: skip


def put(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def made(tmp_path, ending):
    """A good file of a format."""
    if ending in (".fbx", ".dae", ".3ds", ".3mf"):
        needs_assimp()
    elif ending == ".usda":
        pytest.importorskip("pxr")
    put(tmp_path / "a.bin", buffer())
    return put(tmp_path / f"a{ending}", ALL[ending]())


# --- what a file holds ------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ALL)
def test_every_format_gives_the_same_solid(tmp_path, ending):
    loaded = load_asset(made(tmp_path, ending))
    assert (loaded.kind, loaded.format, loaded.cloud, loaded.splats) == (
        "mesh", ending[1:], None, None,
    )  # fmt: skip
    assert loaded.polygons == 4
    assert loaded.notes == ()
    z_up = ending in (".stl", ".3mf", ".3ds")
    # 3DS is turned upright by its reader; the size follows.
    assert loaded.size == pytest.approx((1, 3, 2) if ending == ".3ds" else SIZE)
    assert volume(loaded.mesh) == pytest.approx(1.0)
    heights = -loaded.mesh.vertices[:, 1]
    assert np.ptp(heights) == pytest.approx(3.0 if z_up else 2.0)
    assert heights.min() == pytest.approx(0.0)


def test_what_counts_as_an_asset():
    meshes = {".glb", ".gltf", ".obj", ".ply", ".stl", ".off", ".fbx", ".dae", ".3ds", ".3mf"}
    scenes = {".usd", ".usda", ".usdc", ".usdz"}
    assert meshes | scenes | {".splat", ".ksplat", ".spz", ".sog"} == ENDINGS


@pytest.mark.parametrize("ending", [".obj", ".ply", ".fbx", ".dae"])
def test_quads_and_larger_polygons_are_never_dropped(tmp_path, ending):
    if ending in (".fbx", ".dae"):
        needs_assimp()
    rng = np.random.default_rng(5)
    corners, faces = [], []
    for sides, count in ((3, 34), (4, 247), (7, 3)):
        angles = 2 * np.pi * np.arange(sides) / sides
        for _ in range(count):
            ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(sides)], axis=1)
            faces.append(tuple(range(len(corners), len(corners) + sides)))
            corners += list(ring + rng.uniform(-50, 50, 3))
    content = {".obj": obj, ".ply": ply, ".fbx": fbx, ".dae": dae}[ending](corners, faces)
    assert load_asset(put(tmp_path / f"chair{ending}", content)).polygons == 528 + 3 * 5


def test_splats_are_told_from_meshes_by_their_content(tmp_path):
    rng = np.random.default_rng(0)
    means = rng.uniform(-1, 1, (500, 3)) * [1, 2, 3]
    cloud = replace(ball(500), means=means.astype(np.float32))
    for ending in (".ply", ".splat"):
        write_splats(cloud, tmp_path / f"a{ending}")
        loaded = load_asset(tmp_path / f"a{ending}")
        assert (loaded.kind, loaded.splats, loaded.polygons, loaded.mesh) == (
            "splats", 500, None, None,
        )  # fmt: skip
        assert loaded.size == pytest.approx((1.96, 3.92, 5.88), rel=0.05)


# --- looks ------------------------------------------------------------------------------------


def test_fbx_colours_are_of_the_screen_unless_blender_wrote_them(tmp_path):
    needs_assimp()
    shown = load_asset(put(tmp_path / "a.fbx", fbx(color=(0.2, 0.4, 0.6))))
    assert shown.mesh.materials[0].color == pytest.approx((0.2, 0.4, 0.6, 1.0))
    linear = fbx(color=(0.2, 0.4, 0.6), creator="Blender (stable FBX IO) - 4.2")
    loaded = load_asset(put(tmp_path / "b.fbx", linear))
    # sRGB of 0.2, 0.4, 0.6: 1.055 x^(1/2.4) - 0.055.
    assert loaded.mesh.materials[0].color[:3] == pytest.approx((0.4845, 0.6652, 0.7977), abs=1e-4)


@pytest.mark.parametrize("name", [
    "paint.png", "C:\\\\Users\\\\someone\\\\work\\\\paint.png", "/home/someone/paint.png",
    "..\\\\..\\\\paint.png",
])  # fmt: skip
@pytest.mark.parametrize("place", [".", "textures", "a.fbm", "../Textures"])
def test_fbx_textures_are_found_where_artists_put_them(tmp_path, name, place):
    needs_assimp()
    folder = tmp_path / "pack" / "FBX"
    folder.mkdir(parents=True)
    (folder / place).mkdir(exist_ok=True)
    picture = put(folder / place / "paint.png", png())
    path = put(folder / "a.fbx", fbx(texture=name))
    loaded = load_asset(path)
    material = loaded.mesh.materials[0]
    assert np.array_equal(material.texture, PIXELS)
    assert material.color == (1.0, 1.0, 1.0, 1.0)  # the picture takes the colour's place
    assert [p.resolve() for p in dependencies(path)] == [picture.resolve()]
    # Texture coordinates are those of the corners, v up: x and y of each, as the file has them.
    mesh = loaded.mesh
    assert mesh.uvs == pytest.approx(mesh.vertices[:, :2] * [-1, -1], abs=1e-6)


def test_fbx_textures_that_have_only_one_of_two_names(tmp_path):
    needs_assimp()
    (tmp_path / "Textures").mkdir()
    put(tmp_path / "Textures" / "paint.png", png())
    path = put(tmp_path / "a.fbx", fbx(texture="Textures/paint.png", relative=False))
    assert np.array_equal(load_asset(path).mesh.materials[0].texture, PIXELS)


def test_arrays_of_a_large_fbx_are_its_own(tmp_path):
    """They once lay in memory that the parser had given back."""
    needs_assimp()
    side = 60
    y, x = np.mgrid[: side + 1, : side + 1]
    corners = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1) / side
    faces = [
        (a, a + 1, a + side + 2, a + side + 1)
        for a in (r * (side + 1) + c for r in range(side) for c in range(side))
    ]
    put(tmp_path / "paint.png", png())
    path = put(tmp_path / "a.fbx", fbx(corners, faces, texture="paint.png"))
    for _ in range(3):
        mesh = load_asset(path).mesh
        assert len(mesh.triangles) == 2 * side * side
        assert mesh.uvs == pytest.approx(mesh.vertices[:, :2] * [-1, -1], abs=1e-5)


@pytest.mark.parametrize("version", [7400, 7500])
def test_fbx_pictures_may_lie_inside(tmp_path, version):
    needs_assimp()
    whole = binary_fbx(png(), version=version)
    loaded = load_asset(put(tmp_path / "a.fbx", whole))
    assert loaded.notes == ()
    assert loaded.polygons == 4
    assert np.array_equal(loaded.mesh.materials[0].texture, PIXELS)
    assert embedded_pictures(whole) == {"paint": png()}
    assert embedded_pictures(binary_fbx(version=version)) == {}
    # Wherever it is cut or wrong, what is found is less, and nothing is raised.
    for size in range(0, len(whole), 11):
        assert set(embedded_pictures(whole[:size])) <= {"paint"}
    rng = np.random.default_rng(1)
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(4):
            data[rng.integers(len(data))] = rng.integers(256)
        embedded_pictures(bytes(data))


def test_fbx_pictures_inside_that_are_damaged_are_left_out(tmp_path):
    needs_assimp()
    loaded = load_asset(put(tmp_path / "a.fbx", binary_fbx(png()[:40])))
    assert loaded.polygons == 4
    assert loaded.mesh.materials[0].texture is None
    assert len(loaded.notes) == 1
    assert "texture is left out" in loaded.notes[0]


@pytest.mark.parametrize("damage", ["empty", "cut", "missing", "outside"])
@pytest.mark.parametrize("ending", [".gltf", ".obj", ".fbx", ".ply", ".usda"])
def test_without_its_picture_a_model_has_its_material_s_colour(tmp_path, ending, damage):
    folder = tmp_path / "in"
    folder.mkdir()
    name = "paint.png"
    if damage == "empty":
        put(folder / name, b"")
    elif damage == "cut":
        put(folder / name, png()[:30])
    elif damage == "outside":
        put(tmp_path / name, png())
        name = "../paint.png" if ending != ".fbx" else "..\\\\paint.png"
    made(folder, ending)
    shader = f"""
    def Material "paint" {{
        token outputs:surface.connect = </World/paint/s.outputs:surface>
        def Shader "s" {{
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </World/paint/t.outputs:rgb>
            token outputs:surface
        }}
        def Shader "t" {{
            uniform token info:id = "UsdUVTexture"
            asset inputs:file = @{name}@
            float4 inputs:fallback = (1, 0, 0, 1)
            float3 outputs:rgb
        }}
    }}
    """
    content = {
        ".gltf": lambda: gltf(name, (1, 0, 0, 1)),
        ".obj": lambda: obj(head="mtllib a.mtl\nusemtl paint"),
        ".fbx": lambda: fbx(texture=name, color=(1, 0, 0)),
        ".ply": lambda: ply(comment=f"comment TextureFile {name}\n"),
        ".usda": lambda: usda(shader + usd_mesh(
            inside="rel material:binding = </World/paint>\ntexCoord2f[] primvars:st = "
            '[(0,0),(1,0),(0,1),(1,1)] ( interpolation = "vertex" )',
            before='( prepend apiSchemas = ["MaterialBindingAPI"] )')),
    }[ending]()  # fmt: skip
    put(folder / "a.mtl", f"newmtl paint\nKd 1 0 0\nmap_Kd {name}\n")
    path = put(folder / f"a{ending}", content)
    loaded = load_asset(path)
    assert loaded.polygons == 4
    material = loaded.mesh.materials[0]
    assert material.texture is None
    if ending != ".ply":
        assert material.color == pytest.approx((1, 0, 0, 1), abs=1e-4)
    assert len(loaded.notes) == 1
    assert "texture is left out" in loaded.notes[0]
    assert str(folder) in loaded.notes[0]


def test_opacity_that_would_hide_all_is_not_believed(tmp_path):
    needs_assimp()
    clear = fbx().replace(
        'P: "DiffuseColor"', 'P: "Opacity", "double", "Number", "",0\n            P: "DiffuseColor"'
    )
    assert load_asset(put(tmp_path / "a.fbx", clear)).mesh.materials[0].color[3] == 1.0


# --- rest poses -------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", [np.nan, 0.0])
def test_skins_stand_at_rest_and_weights_of_nothing_follow_the_first_joint(tmp_path, broken):
    """Some exporters write weights of 0 / 0; those corners once were nowhere or at the origin."""
    weights = np.array([[1, 0, 0, 0]] * 4, "<f4")
    weights[3] = broken
    joints = np.zeros((4, 4), "u1")
    bind = np.eye(4, dtype="<f4")
    bind[3, :3] = (-5, 0, 0)  # column-major: the joint stood at x = 5 when the skin was bound
    document = json.loads(gltf())
    document["buffers"][0]["byteLength"] = 104 + 64 + 16 + 64
    for view, size in enumerate((64, 16, 64)):
        start = 104 + sum((64, 16, 64)[:view])
        document["bufferViews"].append({"buffer": 0, "byteOffset": start, "byteLength": size})
    document["accessors"] += [
        {"bufferView": 3, "componentType": 5126, "count": 4, "type": "VEC4"},
        {"bufferView": 4, "componentType": 5121, "count": 4, "type": "VEC4"},
        {"bufferView": 5, "componentType": 5126, "count": 1, "type": "MAT4"},
    ]
    document["meshes"][0]["primitives"][0]["attributes"] |= {"WEIGHTS_0": 3, "JOINTS_0": 4}
    document["skins"] = [{"joints": [1], "inverseBindMatrices": 5}]
    # The node's own transform means nothing for a skin.
    document["nodes"] = [{"mesh": 0, "skin": 0, "scale": [100, 100, 100]},
                         {"translation": [5, 7, 0]}]  # fmt: skip
    document["scenes"] = [{"nodes": [0, 1]}]
    put(tmp_path / "a.bin", buffer() + weights.tobytes() + joints.tobytes() + bind.tobytes())
    loaded = load_asset(put(tmp_path / "a.gltf", json.dumps(document)))
    assert loaded.notes == ()
    assert loaded.size == pytest.approx(SIZE)
    assert volume(loaded.mesh) == pytest.approx(1.0)
    assert -loaded.mesh.vertices[:, 1].max() == pytest.approx(7.0)


# --- units, axes, mirrors ---------------------------------------------------------------------


def test_fbx_units_and_up_axes(tmp_path):
    needs_assimp()
    in_cm = load_asset(put(tmp_path / "a.fbx", fbx(100 * CORNERS, unit=1.0)))
    assert in_cm.size == pytest.approx(SIZE, rel=1e-5)
    turned = load_asset(put(tmp_path / "b.fbx", fbx(up=2)))
    assert turned.size == pytest.approx((1, 3, 2), rel=1e-5)
    assert np.ptp(turned.mesh.vertices, axis=0) == pytest.approx([1, 3, 2], rel=1e-5)
    assert -turned.mesh.vertices[:, 1].min() == pytest.approx(3.0, rel=1e-5)  # what was z is up
    assert volume(turned.mesh) == pytest.approx(1.0)


def test_dae_units_and_up_axes(tmp_path):
    needs_assimp()
    loaded = load_asset(put(tmp_path / "a.dae", dae(unit=0.01, up="Z_UP")))
    assert loaded.size == pytest.approx((0.01, 0.03, 0.02), rel=1e-5)
    assert loaded.mesh.materials[0].color[:3] == pytest.approx((0.2, 0.4, 0.6))


@pytest.mark.parametrize("scaling", [(-1, 1, 1), (-1, -1, -1), (-1, -1, 1)])
def test_mirrored_nodes_keep_their_outside(tmp_path, scaling):
    needs_assimp()
    mesh = load_asset(put(tmp_path / "a.fbx", fbx(scaling=scaling))).mesh
    assert volume(mesh) == pytest.approx(1.0)


def outcome(path):
    """Triangles of a file, or the sentence with which it is refused; all else ends the test."""
    try:
        return load_asset(path).polygons, ""
    except FileFormatError as error:
        return 0, str(error)


# --- damage -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".obj", ".ply", ".stl", ".fbx"])
def test_corners_that_are_nowhere_cost_their_triangles(tmp_path, ending):
    if ending == ".fbx":
        needs_assimp()
    bad = np.concatenate([CORNERS, [[np.nan, 0, 0], [np.inf, 1, 1], [9, 9, 9]]])
    faces = (*FACES, (0, 1, 4), (0, 5, 2))
    content = {".obj": obj, ".ply": ply, ".stl": stl, ".fbx": fbx}[ending](bad, faces)
    if ending == ".fbx":  # text knows no infinities
        content = content.replace("nan", "1e30").replace("inf", "-1e30")
    loaded = load_asset(put(tmp_path / f"a{ending}", content))
    assert loaded.polygons == 4
    assert loaded.size == pytest.approx(SIZE)  # the corner at 9 belongs to nothing
    assert np.isfinite(loaded.mesh.vertices).all()
    assert len(loaded.notes) == 1
    assert "2 triangles with a corner that is nowhere" in loaded.notes[0]


@pytest.mark.parametrize("ending", [".obj", ".ply", ".stl", ".fbx", ".dae"])
@pytest.mark.parametrize("faces", [(), ((0, 0, 1), (1, 1, 1))])
def test_nothing_to_see_is_one_sentence(tmp_path, ending, faces):
    if ending in (".fbx", ".dae"):
        needs_assimp()
    content = {".obj": obj, ".ply": ply, ".stl": stl, ".fbx": fbx, ".dae": dae}[ending]
    path = put(tmp_path / f"a{ending}", content(CORNERS, faces))
    with pytest.raises(FileFormatError) as caught:
        load_asset(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_triangles_without_area_do_no_harm_beside_others(tmp_path):
    loaded = load_asset(put(tmp_path / "a.obj", obj(faces=(*FACES, (0, 0, 1), (2, 2, 2)))))
    assert loaded.polygons == 6
    assert volume(loaded.mesh) == pytest.approx(1.0)


@pytest.mark.parametrize("ending", ALL)
def test_files_that_are_cut_short_are_refused_in_one_sentence(tmp_path, ending):
    whole = made(tmp_path, ending).read_bytes()
    refused = 0
    for share in (0.03, 0.2, 0.5, 0.8, 0.97):
        path = put(tmp_path / f"cut{ending}", whole[: int(share * len(whole))])
        count, said = outcome(path)
        # Of text, what is there may be a smaller model.
        assert count <= 4
        if said:
            refused += 1
            assert str(path) in said
            assert "\n" not in said
    assert refused >= 2


@pytest.mark.parametrize("ending", ALL)
def test_files_with_wrong_bytes_load_or_are_refused(tmp_path, ending):
    whole = made(tmp_path, ending).read_bytes()
    rng = np.random.default_rng(3)
    path = tmp_path / f"wrong{ending}"
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(rng.integers(1, 6)):
            data[rng.integers(len(data))] = rng.integers(256)
        put(path, bytes(data))
        count, said = outcome(path)
        assert count > 0 or str(path) in said


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".stl", stl(count=0xFFFFFFF0)),
        (".ply", ply(count=0xFFFFFFF0)),
        (".glb", b"glTF" + struct.pack("<III4s", 2, 0xFFFFFFF0, 0xFFFFFFF0, b"JSON") + b"{}"),
        (".3ds", struct.pack("<HI", 0x4D4D, 0xFFFFFFF0) + b"\0" * 100),
        (".obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999\n"),
        (".off", b"OFF\n4000000000 4000000000 0\n0 0 0\n"),
        (".fbx", b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<4I", 7300, *[0xFFFFFFF0] * 3)),
        (".usdc", b"PXR-USDC\0\x0a\0\0\0\0\0\0" + struct.pack("<q", 0xFFFFFFF0) + b"\0" * 64),
        (".usdz", b"PK\x03\x04" + b"\xff" * 60),
        (".3mf", b"PK\x03\x04" + b"\xff" * 60),
        (".splat", b"\0" * 31),
    ],
)  # fmt: skip
def test_promises_of_gigabytes_are_refused(tmp_path, ending, content):
    if ending in (".3ds", ".fbx", ".3mf"):
        needs_assimp()
    path = put(tmp_path / f"a{ending}", content)
    with pytest.raises(FileFormatError, match="a\\" + ending):
        load_asset(path)


def test_what_is_no_file_or_no_model(tmp_path):
    (tmp_path / "folder.fbx").mkdir()
    put(tmp_path / "empty.fbx", b"")
    put(tmp_path / "a.mtl", b"newmtl a")
    for name in ("folder.fbx", "empty.fbx", "missing.fbx", "a.mtl", "a.bin"):
        with pytest.raises(FileFormatError, match=name):
            load_asset(tmp_path / name)


def test_draco_is_named(tmp_path):
    document = json.loads(gltf())
    document["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    path = put(tmp_path / "a.gltf", json.dumps(document))
    with pytest.raises(FileFormatError, match="compressed with Draco"):
        load_asset(path)


# --- what lies beside -------------------------------------------------------------------------


def test_files_beside_a_gltf(tmp_path):
    (tmp_path / "in").mkdir()
    put(tmp_path / "secret.png", png())
    buffers = put(tmp_path / "in" / "a.bin", buffer())
    picture = put(tmp_path / "in" / "my paint.png", png())
    document = json.loads(gltf("my%20paint.png"))
    document["images"] += [
        {"uri": u}
        for u in ("../secret.png", "/etc/hostname", "gone.png", "data:image/png;base64,AA", "")
    ]
    path = put(tmp_path / "in" / "a.gltf", json.dumps(document))
    assert dependencies(path) == [buffers, picture]


def test_files_beside_an_obj(tmp_path):
    (tmp_path / "in").mkdir()
    put(tmp_path / "secret.png", png())
    library = put(
        tmp_path / "in" / "my a.mtl",
        "newmtl a\nmap_Kd -s 1 1 1 wood grain.png\nnewmtl b\nmap_Kd ../secret.png\nmap_Kd gone.png",
    )
    picture = put(tmp_path / "in" / "wood grain.png", png())
    path = put(tmp_path / "in" / "a.obj", obj(head="mtllib my a.mtl\nmtllib gone.mtl"))
    assert dependencies(path) == [library, picture]


def test_files_beside_are_none_where_nothing_is_named(tmp_path):
    assert dependencies(put(tmp_path / "a.stl", stl())) == []
    assert dependencies(put(tmp_path / "a.glb", b"glTF")) == []
    assert dependencies(tmp_path / "missing.obj") == []


def test_layers_and_pictures_beside_a_usd_file(tmp_path):
    part = put(tmp_path / "part.usda", usda(usd_mesh()))
    picture = put(tmp_path / "paint.png", png())
    path = put(
        tmp_path / "a.usda",
        usda('def "x" ( references = @./part.usda@ ) {}\n custom asset p = @paint.png@'),
    )
    assert dependencies(path) == [part, picture]


# --- real files -------------------------------------------------------------------------------


def test_real_models_agree_with_an_independent_reader(shared_data):
    trimesh = pytest.importorskip("trimesh")
    paths = sorted((shared_data / "shapes").rglob("*.gltf"))[::20]
    assert paths
    for path in paths:
        loaded = load_asset(path)
        scene = trimesh.load_scene(path, process=False)
        assert loaded.polygons == sum(len(g.faces) for g in scene.dump())
        assert loaded.size == pytest.approx(scene.extents, rel=1e-4)
        assert loaded.notes == ()
        theirs = scene.dump()[0].visual.material.baseColorTexture.convert("RGB")
        assert np.array_equal(loaded.mesh.materials[0].texture[..., :3], np.asarray(theirs))
        names = [p.name for p in dependencies(path)]
        assert names[0] == f"{path.stem}.bin"
        assert names[1].endswith(".png")
