"""Takes as glTF: what viewers show, and what is read again."""

from __future__ import annotations

import io
import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.face.exports.gltf import write_take_gltf
from polyorama.face.exports.gltf_reading import read_take_gltf
from polyorama.face.take import Take
from polyorama.io.gltf_container import open_gltf
from polyorama.io.mesh import read_mesh
from polyorama.scene.faces.channels import ARKIT, CHANNEL_INDEX
from polyorama.scene.faces.morphs import Rotor
from polyorama.scene.faces.performance import Performance
from tests.engine.face_samples import ball_rig, wavy
from tests.engine.face_takes import PHONES, PROVENANCE, nodding_rig, take


def shown(path, frame):
    """(V, 3) what a viewer shows at a key, slowly: morph targets, then joints, in glTF's axes."""
    file = open_gltf(path)
    primitive = file.json["meshes"][0]["primitives"][0]
    vertices = file.floats(primitive["attributes"]["POSITION"]).astype(np.float64)
    weights, quats = (
        file.floats(sampler["output"]).astype(np.float64)
        for sampler in file.json["animations"][0]["samplers"]
    )
    weights = weights.reshape(len(quats), -1)[frame]
    for weight, target in zip(weights, primitive["targets"], strict=True):
        vertices += weight * file.floats(target["POSITION"])
    x, y, z, w = quats[frame]
    turn = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    pivot = np.array(file.json["nodes"][0]["translation"])
    joints = file.rows(primitive["attributes"]["JOINTS_0"])
    shares = file.floats(primitive["attributes"]["WEIGHTS_0"])
    head = np.where(joints == 1, shares, 0.0).sum(axis=1)[:, None]
    return (1 - head) * vertices + head * ((vertices - pivot) @ turn.T + pivot)


@pytest.mark.parametrize("ending", [".glb", ".gltf"])
@pytest.mark.parametrize("fps", [60.0, 23.976])
def test_a_take_is_read_again_equal(tmp_path, ending, fps):
    path = tmp_path / f"take{ending}"
    wrote = take(fps=fps)
    write_take_gltf(wrote, nodding_rig(), path)
    read = read_take_gltf(path)
    np.testing.assert_allclose(read.performance.weights, wrote.performance.weights, atol=1e-5)
    assert read.performance.fps == fps
    assert read.provenance == PROVENANCE
    assert read.phones == PHONES


def test_targets_have_names_and_only_the_mesh_has_weights(tmp_path):
    write_take_gltf(take(), nodding_rig(), tmp_path / "take.glb")
    file = open_gltf(tmp_path / "take.glb")
    mesh = file.json["meshes"][0]
    names = mesh["extras"]["targetNames"]
    assert names[:52] == list(ARKIT)
    assert "extra" in names
    assert len(mesh["weights"]) == len(names)
    assert all(len(primitive["targets"]) == len(names) for primitive in mesh["primitives"])
    channels = file.json["animations"][0]["channels"]
    weighted = [c["target"]["node"] for c in channels if c["target"]["path"] == "weights"]
    assert [file.json["nodes"][node].get("mesh") for node in weighted] == [0]
    assert file.json["asset"]["extras"]["polyorama"]["provenance"]["seed"] == 7
    for accessor in file.json["accessors"]:
        view = accessor.get("bufferView")
        size = {5121: 1, 5123: 2, 5125: 4, 5126: 4}[accessor["componentType"]]
        if view is not None:
            assert file.json["bufferViews"][view]["byteOffset"] % max(size, 4) == 0
    for entry in mesh["primitives"][0]["targets"]:
        accessor = file.item("accessors", entry["POSITION"])
        rows = file.floats(entry["POSITION"])
        np.testing.assert_allclose(accessor["min"], rows.min(axis=0))
        np.testing.assert_allclose(accessor["max"], rows.max(axis=0))


def test_what_viewers_show_is_the_rig(tmp_path):
    rig = ball_rig()
    rows = np.zeros((4, 55), np.float32)
    rows[1, [CHANNEL_INDEX[n] for n in ("jawOpen", "mouthClose", "headYaw")]] = 0.8, 0.5, 0.4
    rows[2, [CHANNEL_INDEX[n] for n in ("eyeLookOutLeft", "headPitch", "headRoll")]] = 1, 0.3, -0.2
    rows[3, CHANNEL_INDEX["mouthSmileLeft"]] = 0.7
    wrote = Take(Performance(rows, 30.0), PROVENANCE)
    write_take_gltf(wrote, rig, tmp_path / "take.glb")
    for frame, weights in enumerate(rows):
        expected = rig.posed(weights) * (-1.0, -1.0, 1.0)
        np.testing.assert_allclose(shown(tmp_path / "take.glb", frame), expected, atol=2e-6)


def test_a_neck_between_follows_the_head_nearly_as_in_the_rig(tmp_path):
    rig = nodding_rig()
    rows = np.zeros((1, 55), np.float32)
    rows[0, CHANNEL_INDEX["headYaw"]] = 0.3
    write_take_gltf(Take(Performance(rows), PROVENANCE), rig, tmp_path / "take.glb")
    expected = rig.posed(rows[0]) * (-1.0, -1.0, 1.0)
    # A line between two places and an arc between them part by 1 - cos(angle / 2) of the radius.
    away = np.linalg.norm(shown(tmp_path / "take.glb", 0) - expected, axis=1).max()
    assert away <= 0.12 * (1.0 - np.cos(0.15)) * 1.05


def test_the_mesh_is_read_as_any_other(tmp_path):
    rig = nodding_rig()
    write_take_gltf(take(), rig, tmp_path / "take.glb")
    mesh = read_mesh(tmp_path / "take.glb")
    assert len(mesh.triangles) == len(rig.mesh.triangles)
    np.testing.assert_allclose(
        np.unique(np.round(mesh.vertices, 5), axis=0),
        np.unique(np.round(rig.mesh.vertices, 5), axis=0), atol=2e-5,
    )  # fmt: skip
    texture = next(m.texture for m in mesh.materials if m.texture is not None)
    np.testing.assert_array_equal(texture[:, :, :3], rig.mesh.materials[1].texture)


def test_trimesh_reads_it(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    rig = ball_rig()
    write_take_gltf(take(), rig, tmp_path / "take.glb")
    scene = trimesh.load(io.BytesIO((tmp_path / "take.glb").read_bytes()), file_type="glb")
    (found,) = scene.geometry.values()
    assert len(found.faces) == len(rig.mesh.triangles)
    assert found.is_watertight
    assert found.volume > 0.0


def test_a_corrective_of_a_channels_own_shape_gets_a_target_beside(tmp_path):
    rig = ball_rig()
    rig = replace(rig, correctives=(replace(rig.correctives[0], shape="mouthClose"),))
    wrote = take()
    write_take_gltf(wrote, rig, tmp_path / "take.glb")
    file = open_gltf(tmp_path / "take.glb")
    names = file.json["meshes"][0]["extras"]["targetNames"]
    weights = file.floats(file.json["animations"][0]["samplers"][0]["output"])
    weights = weights.reshape(-1, len(names))
    product = wrote.performance.channel("jawOpen") * wrote.performance.channel("mouthClose")
    np.testing.assert_allclose(weights[:, names.index("mouthCloseCorrective")], product, atol=1e-6)
    read = read_take_gltf(tmp_path / "take.glb")
    np.testing.assert_allclose(read.performance.weights, wrote.performance.weights, atol=1e-5)


def test_a_head_that_turns_about_one_axis_alone_loses_nothing(tmp_path):
    rig = ball_rig()
    eye, head = rig.rotors
    yaw_alone = Rotor("head", head.indices, head.amounts, head.pivot, {"headYaw": (0, -1, 0)})
    for rotors in ((eye, yaw_alone), (eye,)):
        wrote = take()
        write_take_gltf(wrote, replace(rig, rotors=rotors), tmp_path / "take.glb")
        read = read_take_gltf(tmp_path / "take.glb")
        np.testing.assert_allclose(read.performance.weights, wrote.performance.weights, atol=1e-5)


def test_what_glTF_cannot_say_is_refused(tmp_path):
    rows = np.zeros((2, 55), np.float32)
    rows[1, CHANNEL_INDEX["headYaw"]] = 3.5
    with pytest.raises(OutputError, match="180"):
        write_take_gltf(Take(Performance(rows), PROVENANCE), ball_rig(), tmp_path / "take.glb")
    rig = ball_rig()
    two = replace(rig, rotors=(*rig.rotors, replace(rig.rotors[1], name="crown")))
    with pytest.raises(UsageError, match="head and crown"):
        write_take_gltf(take(), two, tmp_path / "take.glb")
    assert not list(tmp_path.iterdir())


# --- files of other programs, and bad ones ---------------------------------------------------


def foreign(kind="LINEAR", *, names=("Mesh.jawOpen", "mouthSmile_L", "Wink"), turned=False):
    """A small .gltf as other programs write one, as JSON and its buffer."""
    times = np.array([0.0, 0.5, 1.0], np.float32)
    keys = np.array([[0, 0, 0.3], [1, 0.5, 0.3], [0.25, 1, 0.3]], np.float32)
    values = np.zeros((3, 3, 3), np.float32)
    values[:, 1] = keys
    output = values if kind == "CUBICSPLINE" else keys
    half = np.sqrt(0.5).astype(np.float32)
    rest = np.array([half, 0, 0, half], np.float32)
    # Turned by 0.2 rad about the scene's y, which a quarter turn about x has made the joint's z.
    c, s = np.cos(0.1), np.sin(0.1)
    moved = np.array([c * half, s * half, -s * half, c * half], np.float32)
    quats = np.stack([rest, moved, rest])
    parts = [np.zeros((3, 3), np.float32), times, output, quats]
    data = b"".join(part.tobytes() for part in parts)
    views, start = [], 0
    for part in parts:
        views.append({"buffer": 0, "byteOffset": start, "byteLength": part.nbytes})
        start += part.nbytes
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
        {"bufferView": 1, "componentType": 5126, "count": 3, "type": "SCALAR"},
        {"bufferView": 2, "componentType": 5126, "count": output.size, "type": "SCALAR"},
        {"bufferView": 3, "componentType": 5126, "count": 3, "type": "VEC4"},
    ]
    channels = [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]
    if turned:
        channels.append({"sampler": 1, "target": {"node": 1, "path": "rotation"}})
    document = {
        "asset": {"version": "2.0", "generator": "Some program"},
        "nodes": [{"mesh": 0}, {"name": "mixamorig:Head", "rotation": rest.tolist()}],
        "meshes": [
            {
                "primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}] * 3}],
                "extras": {"targetNames": list(names)},
            }
        ],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
        "animations": [
            {
                "samplers": [
                    {"input": 1, "output": 2, "interpolation": kind},
                    {"input": 1, "output": 3},
                ],
                "channels": channels,
            }
        ],
    }
    return document, data


def saved(path, document, data):
    head = json.dumps(document).encode()
    head += b" " * (-len(head) % 4)
    data += bytes(-len(data) % 4)
    path.write_bytes(
        struct.pack("<4sII", b"glTF", 2, 28 + len(head) + len(data))
        + struct.pack("<I4s", len(head), b"JSON") + head
        + struct.pack("<I4s", len(data), b"BIN\0") + data
    )  # fmt: skip
    return path


def test_other_programs_animations_are_read(tmp_path):
    notes = []
    read = read_take_gltf(saved(tmp_path / "a.glb", *foreign(turned=True)), notes)
    assert read.performance.fps == 2.0
    np.testing.assert_allclose(read.performance.channel("jawOpen"), [0, 1, 0.25])
    np.testing.assert_allclose(read.performance.channel("mouthSmileLeft"), [0, 0.5, 1])
    np.testing.assert_allclose(read.performance.channel("headYaw"), [0, 0.2, 0], atol=1e-6)
    np.testing.assert_allclose(read.performance.channel("headPitch"), 0.0, atol=1e-6)
    assert read.provenance.program == "Some program"
    assert any("Wink" in text for text in notes)


def test_splines_and_steps_are_read_as_they_move(tmp_path):
    splined = read_take_gltf(saved(tmp_path / "a.glb", *foreign("CUBICSPLINE"))).performance
    assert splined.fps == 60.0
    time = np.arange(31) / 60.0 / 0.5
    # With level tangents from 0 to 1: 3 t^2 - 2 t^3.
    np.testing.assert_allclose(
        splined.channel("jawOpen")[:31], 3 * time**2 - 2 * time**3, atol=1e-5
    )
    stepped = read_take_gltf(saved(tmp_path / "b.glb", *foreign("STEP"))).performance
    np.testing.assert_allclose(stepped.channel("jawOpen")[[0, 29, 30, 59, 60]], [0, 0, 1, 1, 0.25])


def broken(change):
    document, data = foreign()
    change(document)
    return document, data


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.pop("animations"), "no animation of ARKit"),
        (lambda d: d["meshes"][0]["primitives"][0].pop("targets"), "has no targets"),
        (lambda d: d["meshes"][0]["extras"].update(targetNames=["jawOpen"]), "as many names"),
        (lambda d: d["accessors"][2].update(count=1 << 40), "promises"),
        (lambda d: d["accessors"][1].update(count=2), "as many values"),
        (lambda d: d["bufferViews"][1].update(byteOffset=0), "ascend"),
        (lambda d: d["animations"][0].update(channels=3), "no list"),
        (lambda d: d["animations"][0]["channels"][0].update(target=7), "fit together"),
        (lambda d: d["animations"][0]["samplers"][0].update(interpolation="WOBBLE"), "WOBBLE"),
        (lambda d: d["asset"].update(extras={"polyorama": {"fps": "fast"}}), "number"),
        (lambda d: d["asset"].update(extras={"polyorama": {"fps": 2.0}}), "provenance"),
        (lambda d: d["asset"].update(extras={"polyorama": {"headTurns": [[0] * 3] * 3}}), "fps"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_in_words(tmp_path, change, words):
    path = saved(tmp_path / "bad.glb", *broken(change))
    with pytest.raises(FileFormatError, match=words) as raised:
        read_take_gltf(path)
    assert str(path) in str(raised.value)


def test_a_file_cut_short_anywhere_is_refused(tmp_path):
    write_take_gltf(Take(wavy(0.2), PROVENANCE), ball_rig(4), tmp_path / "take.glb")
    whole = (tmp_path / "take.glb").read_bytes()
    for size in range(0, len(whole), len(whole) // 23):
        (tmp_path / "cut.glb").write_bytes(whole[:size])
        with pytest.raises(FileFormatError):
            read_take_gltf(tmp_path / "cut.glb")


def test_numbers_that_are_not_finite_are_refused(tmp_path):
    document, data = foreign()
    values = np.frombuffer(data, np.float32).copy()
    values[12] = np.nan
    with pytest.raises(FileFormatError, match="finite"):
        read_take_gltf(saved(tmp_path / "a.glb", document, values.tobytes()))
