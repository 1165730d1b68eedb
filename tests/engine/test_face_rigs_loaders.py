"""Rigs of others: names, ICT-FaceKit, MakeHuman, and what is no rig."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.rigs.check import SEALED, check_rig
from polyorama.face.rigs.ict import ict_folder_rig, ict_rig
from polyorama.face.rigs.makehuman import makehuman_rig, target_offsets
from polyorama.face.rigs.names import canonical, joined_shapes
from polyorama.face.rigs.opening import open_rig
from polyorama.face.rigs.parts import fixed_point, rigid_motion, rotation_vector, sphere_of
from polyorama.scene.faces.channels import ARKIT, LIVE_LINK
from tests.conftest import shared_folder
from tests.engine.test_face_rigs_heads import head_arrays

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.scene.faces.morphs import MorphRig

RIGS = shared_folder() / "rigs"
needs_rigs = pytest.mark.skipif(not RIGS.is_dir(), reason=f"real rigs are not here: {RIGS}")


@pytest.fixture(scope="module")
def ict() -> MorphRig:
    return ict_rig(RIGS / "ict_face_light.npz")


@pytest.fixture(scope="module")
def makehuman() -> MorphRig:
    return makehuman_rig(RIGS / "makehuman")


# --- names -----------------------------------------------------------------------------------


def test_all_spellings_of_a_channel_are_that_channel() -> None:
    for name, live in zip(ARKIT, LIVE_LINK, strict=False):
        for spelling in (name, live, name.upper(), f"Head.{name}", f"blendShape1.{live}"):
            assert canonical(spelling) == name, spelling
        for side, short in (("Left", "_L"), ("Right", "_R")):
            if name.endswith(side) and name not in ("jawLeft", "jawRight"):
                assert canonical(name[: -len(side)] + short) == name
    assert canonical("browInnerUp_L") == "browInnerUp"
    assert canonical("Fcl_EYE_Close_R") == "eyeBlinkRight"
    for other in ("viseme_aa", "mouthSmile", "PupilDilate_L", "cheekRaiser_R", "", "Left"):
        assert canonical(other) == ""


def test_halves_are_added_and_extras_keep_their_names() -> None:
    one, two = np.zeros((4, 3)), np.zeros((4, 3))
    one[0], two[1] = 1.0, 2.0
    joined = joined_shapes(
        [("odd", one), ("browInnerUp_L", one), ("browInnerUp_R", two), ("still", 0 * one)]
    )
    assert list(joined) == ["browInnerUp", "odd"]
    assert np.array_equal(joined["browInnerUp"], one + two)
    whole = joined_shapes([("cheekPuff_L", one), ("cheekPuff", two)])
    assert np.array_equal(whole["cheekPuff"], two)
    assert "cheekPuff_L" in whole
    assert list(joined_shapes([("mouthOpen", one)])) == ["jawOpen"]
    assert list(joined_shapes([("mouthOpen", one), ("jawOpen", two)])) == ["jawOpen", "mouthOpen"]


# --- parts -----------------------------------------------------------------------------------


def test_spheres_and_turns_are_recovered() -> None:
    rng = np.random.default_rng(3)
    way = rng.normal(size=(50, 3))
    points = 1.7 * way / np.linalg.norm(way, axis=1, keepdims=True) + [1, 2, 3]
    centre, radius = sphere_of(points[:, :])
    assert np.allclose(centre, [1, 2, 3])
    assert abs(radius - 1.7) < 1e-9
    vector, pivot = np.array([0.3, -0.2, 0.1]), np.array([0.5, 0.1, -0.4])
    angle = np.linalg.norm(vector)
    k = vector / angle
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    rotation, shift = rigid_motion(points, (points - pivot) @ turn.T + pivot)
    assert np.allclose(rotation_vector(rotation), vector)
    found = fixed_point(rotation, shift, np.zeros(3))
    assert np.allclose(np.cross(found - pivot, k), 0.0, atol=1e-9)


# --- ICT -------------------------------------------------------------------------------------


@needs_rigs
def test_ict_is_turned_named_and_whole(ict: MorphRig) -> None:
    assert ict.missing == ()
    assert {"cheekRaiser_L", "PupilDilate_R"} <= set(ict.shapes.names)
    rest = ict.mesh.vertices
    eyes = {rotor.name: rotor.pivot for rotor in ict.rotors}
    assert eyes["leftEye"][0] < -2.5 < 2.5 < eyes["rightEye"][0]
    mouth = rest[ict.landmarks["mouthCorners"]].mean(axis=0)
    assert mouth[1] > eyes["leftEye"][1]
    assert mouth[2] > eyes["leftEye"][2]
    smile = ict.shapes.dense("mouthSmileLeft", len(rest))
    moved = rest[np.linalg.norm(smile, axis=1) > 0.2]
    assert moved[:, 0].mean() < -1.5
    jaw = ict.shapes.dense("jawOpen", len(rest))
    assert jaw[ict.regions["lowerTeeth"], 1].min() > 1.0
    assert np.abs(jaw[ict.regions["upperTeeth"]]).max() < 0.1
    out = ict.shapes.dense("tongueOut", len(rest))
    tip = ict.regions["tongue"][rest[ict.regions["tongue"], 2].argmax()]
    assert out[tip, 2] > 3.0
    assert not out[np.setdiff1d(np.arange(len(rest)), ict.regions["tongue"])].any()


@needs_rigs
def test_the_eyes_of_ict_look_where_they_are_told(ict: MorphRig) -> None:
    eye = ict.regions["leftEye"]
    front = eye[ict.mesh.vertices[eye, 2].argmax()]
    rest = ict.mesh.vertices[front]
    for channel, axis, sign in (("eyeLookUpLeft", 1, -1), ("eyeLookDownLeft", 1, 1),
                                ("eyeLookOutLeft", 0, -1), ("eyeLookInLeft", 0, 1)):  # fmt: skip
        moved = ict.posed({channel: 1.0})[front] - rest
        assert sign * moved[axis] > 0.4, channel
    for channel, axis, sign in (("headYaw", 0, -1), ("headPitch", 1, -1), ("headRoll", 0, -1)):
        place = front if channel != "headRoll" else ict.mesh.vertices[:, 1].argmin()
        moved = ict.posed({channel: 0.2})[place] - ict.mesh.vertices[place]
        assert sign * moved[axis] > 0.5, channel


@needs_rigs
@pytest.mark.parametrize("name", ["ict", "makehuman"])
def test_loaded_lips_close(name: str, request: pytest.FixtureRequest) -> None:
    report = check_rig(request.getfixturevalue(name))
    assert len(report.seals) == 11
    assert max(seal.gap for seal in report.seals) < SEALED
    assert max(seal.overlap for seal in report.seals) < 0.03
    assert not any(found.parts == "teeth and lips" for found in report.intersections)


@needs_rigs
def test_the_inner_lip_landmarks_of_ict_meet(ict: MorphRig) -> None:
    """The reference measured 0.71 cm between these at a full closure, and 0.19 at .3."""
    with np.load(RIGS / "ict_face_light.npz") as packed:
        marks = json.loads(str(packed["vertex_indices_json"]))["idx_to_landmark_verts"]
    for opening_, most in ((0.0, 0.06), (0.3, 0.09), (1.0, 0.09)):
        posed = ict.posed({"jawOpen": opening_, "mouthClose": opening_})
        assert np.linalg.norm(posed[marks[62]] - posed[marks[66]]) < most


@needs_rigs
def test_identity_changes_the_head_and_is_checked() -> None:
    path = RIGS / "ict_face_light.npz"
    with np.load(path) as packed:
        mode = packed["id_q"][1] * packed["id_scale"][1]
    plain, other = (ict_rig(path, identity=w).mesh.vertices for w in ((), (0.0, 1.5)))
    away = np.abs(other - plain - 1.5 * mode * [-1, -1, 1])
    assert np.quantile(away, 0.95) < 1e-4  # the lips are mended for each
    with pytest.raises(UsageError, match="24 modes"):
        ict_rig(path, identity=[0.0] * 25)
    with pytest.raises(UsageError, match="finite"):
        ict_rig(path, identity=[float("nan")])


def _obj(path: Path, vertices: np.ndarray, triangles: np.ndarray) -> None:
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in vertices]
    lines += [f"f {a + 1}/1 {b + 1}/1 {c + 1}/1" for a, b, c in triangles]
    path.write_text("\n".join(["# made up", *lines]) + "\n")


def _ict_folder(folder: Path) -> None:
    """The made-up head as ICT lays a model out: y up, own left +x."""
    vertices, triangles, shapes, _ = head_arrays()
    turn = np.array([-1.0, -1.0, 1.0])
    _obj(folder / "generic_neutral_mesh.obj", vertices * turn, triangles)
    names = {"jawOpen": "jawOpen", "mouthClose": "mouthClose", "mouthSmileLeft": "mouthSmile_L",
             "mouthSmileRight": "mouthSmile_R"}  # fmt: skip
    for name, file in names.items():
        _obj(folder / f"{file}.obj", (vertices + shapes[name]) * turn, triangles)
    _obj(folder / "identity000.obj", vertices * turn * 1.1, triangles)


def test_a_folder_of_ict_is_read(tmp_path: Path) -> None:
    _ict_folder(tmp_path)
    vertices, _, shapes, _ = head_arrays()
    rig = open_rig(tmp_path)
    assert rig.shapes.names[:2] == ("jawOpen", "mouthClose")
    smile = rig.shapes.dense("mouthSmileLeft", len(vertices))
    assert np.allclose(smile, shapes["mouthSmileLeft"], atol=1e-5)
    assert np.allclose(rig.mesh.vertices[0], vertices[0], atol=1e-5)
    assert check_rig(rig).sealed
    wide = ict_folder_rig(tmp_path, identity=[1.0])
    assert np.allclose(wide.mesh.vertices[0], 1.1 * vertices[0], atol=1e-4)
    _obj(tmp_path / "cheekPuff.obj", vertices[:-1], np.zeros((0, 3), int))
    with pytest.raises(FileFormatError, match=r"neutral head.*cheekPuff"):
        open_rig(tmp_path)
    (tmp_path / "cheekPuff.obj").unlink()
    for bad in ("{", '{"idx_to_landmark_verts": [1e999]}', '{"idx_to_landmark_verts": [-1]}',
                '{"idx_to_landmark_verts": 3}', "[]", "\x80"):  # fmt: skip
        (tmp_path / "vertex_indices.json").write_text(bad, "latin-1")
        with pytest.raises(FileFormatError, match=r"landmarks.*vertex_indices\.json"):
            open_rig(tmp_path)


@needs_rigs
def test_a_damaged_ict_file_is_refused(tmp_path: Path) -> None:
    source = RIGS / "ict_face_light.npz"
    members = {}
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            members[name] = archive.read(name)
    changes = {
        "no array": {"tri.npy": None},
        "damaged": {"expr_q.npy": members["expr_q.npy"][:1000]},
        "wrong kind": {"base.npy": members["expr_idx.npy"]},
        "do not fit": {"expr_off.npy": members["expr_off.npy"][:128] + b"\xff" * 464},
        "landmarks": {"vertex_indices_json.npy": members["vertex_indices_json.npy"][:128]
                      + b"x\0\0\0" * 156083},
    }  # fmt: skip
    for what, change in changes.items():
        path = tmp_path / "rig.npz"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                new = change.get(name, data)
                if new is not None:
                    archive.writestr(name, new)
        with pytest.raises(FileFormatError, match=what):
            ict_rig(path)
    path.write_bytes(source.read_bytes()[:100_000])
    with pytest.raises(FileFormatError):
        open_rig(path)


# --- MakeHuman -------------------------------------------------------------------------------


@needs_rigs
def test_makehuman_is_cut_to_its_head(makehuman: MorphRig) -> None:
    assert makehuman.missing == ()
    assert {"viseme_PP", "viseme_aa"} <= set(makehuman.shapes.names)
    assert 4000 < len(makehuman.mesh.vertices) < 5300
    eyes = {rotor.name: rotor for rotor in makehuman.rotors}
    assert eyes["leftEye"].pivot[0] < -0.2
    assert abs(eyes["leftEye"].pivot[0] + eyes["rightEye"].pivot[0]) < 1e-3
    # The eyeballs' own offsets became turns: about 10 degrees up, 15 out.
    assert 0.1 < eyes["leftEye"].channels["eyeLookUpLeft"][0] < 0.3
    assert -0.4 < eyes["leftEye"].channels["eyeLookOutLeft"][1] < -0.15
    moved, _ = makehuman.shapes.entries("eyeLookUpLeft")
    assert len(np.intersect1d(moved, makehuman.regions["leftEye"])) == 0


@needs_rigs
def test_lids_of_makehuman_meet_in_a_blink(makehuman: MorphRig) -> None:
    upper, lower = makehuman.landmarks["upperLidLeft"], makehuman.landmarks["lowerLidLeft"]
    rest, shut = makehuman.mesh.vertices, makehuman.posed({"eyeBlinkLeft": 1.0})
    opened = np.linalg.norm(rest[upper] - rest[lower], axis=1)
    closed = np.linalg.norm(shut[upper] - shut[lower], axis=1)
    assert (closed[1:-1] < 0.5 * opened[1:-1]).all()


def test_targets_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "smile.target"
    path.write_text("# made up\n2 0 -.5 .25\n0 1 0 0\n")
    dense = target_offsets(path, 4)
    assert dense.tolist() == [[1, 0, 0], [0, 0, 0], [0, -0.5, 0.25], [0, 0, 0]]
    path.write_text("")
    assert not target_offsets(path, 4).any()
    for text in ("4 0 0 1\n", "-1 0 0 1\n", "1 2 3\n", "1 a b c\n", "1 0 0 nan\n",
                 "1e300 0 0 1\n", "nan 0 0 1\n"):  # fmt: skip
        path.write_text(text)
        with pytest.raises(FileFormatError, match="target"):
            target_offsets(path, 4)


# --- what is no rig --------------------------------------------------------------------------


def test_what_is_no_rig_is_said_clearly(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match='say "puppet"'):
        open_rig("pupet")
    with pytest.raises(FileFormatError, match="no such file"):
        open_rig(tmp_path / "gone.glb")
    with pytest.raises(FileFormatError, match="neither"):
        open_rig(tmp_path)
    (tmp_path / "notes.txt").write_text("no rig")
    with pytest.raises(FileFormatError, match="no rig that is known"):
        open_rig(tmp_path / "notes.txt")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(FileFormatError, match="no rig that is known"):
        open_rig(tmp_path / "other.npz")
    (tmp_path / "base.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(FileFormatError, match="hm08"):
        open_rig(tmp_path)


def test_the_puppet_is_asked_for_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = object()
    monkeypatch.setattr("polyorama.face.rigs.head.build_head", lambda: made)
    assert open_rig("puppet") is made
