"""transforms.json: what its numbers mean, and what is said of damaged ones."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io.capture import read_capture
from polyorama.io.photos import Distortion, read_photo
from polyorama.io.point_ply import read_points
from polyorama.io.transforms import read_transforms
from tests.engine.capture_samples import sphere_cameras, transforms

NAMES = ["000.png", "001.png", "002.png"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "images").mkdir()
    for name in NAMES:
        Image.new("RGB", (40, 40)).save(tmp_path / "images" / name)
    return tmp_path


def content(**more):
    return transforms(NAMES, sphere_cameras(3, 40), **more)


def read(folder, value):
    (folder / "transforms.json").write_text(json.dumps(value))
    return read_transforms(folder / "transforms.json")


def test_a_camera_looks_along_its_negative_z(folder):
    value = content()
    # At (0, 0, 5), looking down to the origin along -z, +y up: OpenGL's resting pose.
    pose = np.eye(4)
    pose[2, 3] = 5.0
    value["frames"][0]["transform_matrix"] = pose.tolist()
    camera = read(folder, value).shots[0].camera
    assert np.allclose(camera.position, (0, 0, 5))
    assert np.allclose(camera.forward, (0, 0, -1))
    assert np.allclose(camera.viewmat[1, :3], (0, -1, 0))


def test_numbers_of_a_frame_go_before_those_of_the_file(folder):
    value = content(k1=0.1, p2=0.02)
    value["frames"][1] |= {"fl_x": 99.0, "cx": 12.5, "k1": 0.0, "p2": 0.0}
    shots = read(folder, value).shots
    assert (shots[1].camera.fx, shots[1].camera.cx) == (99.0, 12.5)
    assert shots[0].camera.fx != 99.0
    assert not shots[1].distortion
    assert shots[0].distortion == Distortion((0.1, 0, 0, 0, 0, 0), (0.0, 0.02))


def test_fisheye(folder):
    shot = read(folder, content(camera_model="OPENCV_FISHEYE", k1=0.1, k4=0.2)).shots[0]
    assert shot.distortion == Distortion((0.1, 0, 0, 0.2, 0, 0), fisheye=True)


def test_blender_scenes_give_an_angle_and_no_ending_or_size(folder):
    value = {"camera_angle_x": 0.8, "frames": content()["frames"]}
    for frame in value["frames"]:
        frame["file_path"] = frame["file_path"].removesuffix(".png")
    Image.new("RGB", (60, 40)).save(folder / "images" / "000.png")
    photo = read_photo(read(folder, value).shots[0])
    camera = photo.camera
    assert (camera.width, camera.height) == (60, 40)
    assert camera.fx == pytest.approx(30 / math.tan(0.4))
    assert camera.fy == pytest.approx(camera.fx)
    assert (camera.cx, camera.cy) == (30, 20)


def test_a_scaled_pose_is_a_pose(folder):
    value = content()
    plain = read(folder, value).shots[0].camera
    for frame in value["frames"]:
        matrix = np.array(frame["transform_matrix"])
        matrix[:3, :3] *= 2.5
        frame["transform_matrix"] = matrix.tolist()
    assert np.allclose(read(folder, value).shots[0].camera.viewmat, plain.viewmat)


def test_named_test_pictures_are_held_out(folder):
    assert read(folder, content()).held_out is None
    value = content(train_filenames=["images/000.png"], test_filenames=["images/002.png"])
    assert read(folder, value).held_out == {"images/002.png"}


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_points_come_from_the_ply(folder, form):
    rows = [(0.5, 1.5, -2.0, 255, 0, 51), (1.0, 2.0, 3.0, 0, 255, 102), (np.nan, 0, 0, 1, 2, 3)]
    header = f"ply\nformat {form} 1.0\nelement vertex 3\n"
    header += "".join(f"property float {name}\n" for name in "xyz")
    header += "".join(f"property uchar {name}\n" for name in ("red", "green", "blue"))
    header += "end_header\n"
    if form == "ascii":
        data = "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()
    else:
        order = "<" if "little" in form else ">"
        kind = np.dtype([(n, f"{order}f4") for n in "xyz"] + [(n, "u1") for n in "rgb"])
        data = np.array(rows, kind).tobytes()
    (folder / "points.ply").write_bytes(header.encode() + data)
    capture = read(folder, content(ply_file_path="points.ply"))
    assert np.allclose(capture.points, [row[:3] for row in rows[:2]])
    assert np.allclose(capture.colors, np.array([row[3:] for row in rows[:2]]) / 255, atol=1e-6)


def test_points_that_are_cut_short_are_told(folder):
    header = b"ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\n"
    header += b"property float y\nproperty float z\nend_header\n"
    (folder / "points.ply").write_bytes(header + b"\0" * 40)
    with pytest.raises(FileFormatError, match="promises 9 rows"):
        read_points(folder / "points.ply")
    (folder / "points.ply").write_bytes(
        header.replace(b"binary_little_endian", b"ascii") + b"1 2\n"
    )
    with pytest.raises(FileFormatError, match="damaged"):
        read_points(folder / "points.ply")


def without(value, *keys):
    return {k: v for k, v in value.items() if k not in keys}


def with_pose(pose):
    value = content()
    value["frames"][0]["transform_matrix"] = pose
    return value


def in_a_frame(**more):
    value = content()
    value["frames"][0] |= more
    return value


BAD = {
    "no frames": (without(content(), "frames"), "no frames"),
    "a list": ([1, 2], "no frames"),
    "NaN": (with_pose([[math.nan] * 4] * 4), "Frame 0 has a pose with NaN"),
    "not a rotation": (with_pose(np.diag([1.0, 2.0, 3.0, 1.0]).tolist()), "rotation that is none"),
    "mirrored": (with_pose(np.diag([-1.0, 1.0, 1.0, 1.0]).tolist()), "rotation that is none"),
    "short pose": (with_pose([[1, 0], [0, 1]]), "no 4x4 matrix"),
    "text for a pose": (with_pose("left"), "no 4x4 matrix"),
    "ragged pose": (with_pose([[1, 2], [3]]), "no 4x4 matrix"),
    "texts in a pose": (with_pose([["a"] * 4] * 4), "no matrix of numbers"),
    "endless pose": (with_pose([[10**400] * 4] * 4), "beyond all bounds"),
    "text for a number": (content(fl_x="fifty"), "a fl_x that is no number but 'fifty'"),
    "truth for a number": (content(w=True), "a w that is no number but True"),
    "endless number": (content(w=10**400), "infinity, in w"),
    "half a pixel": (content(w=40.5), "w = 40.5, which is not 1 to 16384 whole pixels"),
    "list for a lens": (content(camera_model=[1]), r"the lens model \[1\]"),
    "no angle": (
        content(fl_x=None, camera_angle_x=0),
        "camera_angle_x = 0, which is no angle of view",
    ),
    "half a turn": (content(fl_y=None, camera_angle_y=math.pi), "camera_angle_y = 3.14159"),
    "mask of another kind": (in_a_frame(mask_path=5), "Frame 0 has a mask_path that is no name"),
    "ply of another kind": (content(ply_file_path=5), "ply_file_path is no name but 5"),
    "empty name": (in_a_frame(file_path=""), "Frame 0 has an empty file_path"),
    "zero byte": (in_a_frame(file_path="a\0b.png"), r"No file can have the name 'a\\x00b.png'"),
    "half a letter": (in_a_frame(file_path="a\ud800.png"), r"No file can have the name 'a\\ud800"),
    "long name": (in_a_frame(file_path="a" * 4000), r"picture as 'a{80}\.\.\.' beside"),
    "no focal length": (without(content(), "fl_x", "fl_y"), "no focal length"),
    "no size": (without(content(), "w", "h"), "no size"),
    "bad lens": (content(camera_model="EQUIRECTANGULAR"), "lens model 'EQUIRECTANGULAR'"),
    "NaN lens": (content(k1=math.nan), "lens with NaN"),
    "outside": (content(ply_file_path="../points.ply"), "outside the capture's folder"),
    "no ply": (content(ply_file_path="points.ply"), "no such file"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_told(folder, case):
    value, words = BAD[case]
    with pytest.raises(FileFormatError, match=words) as caught:
        read(folder, value)
    assert str(folder) in str(caught.value)


def test_missing_pictures_are_told(folder):
    (folder / "images" / "001.png").unlink()
    with pytest.raises(FileFormatError, match=r"no such picture.*001\.png"):
        read(folder, content())


@pytest.mark.parametrize(
    ("target", "words"),
    [("000.png", "leads to itself"), ("../../elsewhere.png", "leads outside the capture's folder")],
)
def test_links_that_lead_nowhere_and_outside_are_told(folder, target, words):
    Image.new("RGB", (40, 40)).save(folder.parent / "elsewhere.png")
    (folder / "images" / "000.png").unlink()
    (folder / "images" / "000.png").symlink_to(target)
    with pytest.raises(FileFormatError, match=f"'images/000.png' is a link that {words}"):
        read(folder, content())
    # Neither does an ending that was left out help.
    with pytest.raises(FileFormatError, match=words if "itself" not in words else "no such"):
        read(folder, in_a_frame(file_path="images/000"))


def test_a_picture_counts_once_and_has_one_camera(folder, caplog):
    value = content()
    value["frames"].append(dict(value["frames"][0], file_path="images/../images/000.png"))
    read(folder, value)
    capture = read_capture(folder)
    assert [shot.path.name for shot in capture.shots] == NAMES
    assert "1 picture listed more than once" in caplog.text
    value["frames"][-1]["transform_matrix"] = value["frames"][1]["transform_matrix"]
    read(folder, value)
    with pytest.raises(FileFormatError, match=r"'images/000.png' has two cameras"):
        read_capture(folder)


@pytest.mark.parametrize("more", [{"fl_x": 1e-20}, {"fl_y": 1e20}, {"cx": 1e20}])
def test_lenses_that_see_nothing_are_told(folder, more):
    read(folder, content(**more))
    with pytest.raises(FileFormatError, match=r"The camera of 'images/000.png' sees nothing"):
        read_capture(folder)


def test_what_is_no_json_is_told(folder):
    (folder / "transforms.json").write_text("{ frames")
    with pytest.raises(FileFormatError, match="not valid JSON"):
        read_transforms(folder / "transforms.json")


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_odd_values_never_do_more_than_a_sentence(folder, data):
    value = content(k1=0.0)
    place = data.draw(st.sampled_from([value, value["frames"][1]]))
    key = data.draw(st.sampled_from([*place, "mask_path", "test_filenames", "ply_file_path"]))
    place[key] = data.draw(values)
    try:
        capture = read(folder, value)
    except PolyoramaError:
        return
    assert capture.shots
