"""Camera files: what each convention means, and what damaged ones say."""

from __future__ import annotations

import json
import logging
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from polyorama.core.types import Camera
from polyorama.errors import FileFormatError
from polyorama.io.cameras import read_cameras, write_cameras
from polyorama.io.project import write_project
from polyorama.scene.document import Document
from polyorama.scene.rotations import quaternions
from tests.engine.capture_samples import (
    sphere_cameras,
    write_colmap_binary,
    write_colmap_text,
    write_transforms,
)

if TYPE_CHECKING:
    from pathlib import Path


def example(eye: tuple[float, float, float] = (1.0, -2.0, 3.0)) -> Camera:
    return Camera.look_at(eye, (0.1, 0.2, 0.3), fov=50.0, size=(640, 360))


def inria(camera: Camera, **changes: object) -> dict[str, object]:
    """What the INRIA trainer writes: the camera's own axes and centre, in world coordinates."""
    return {
        "id": 0,
        "img_name": "a",
        "width": camera.width,
        "height": camera.height,
        "position": camera.position.tolist(),
        "rotation": camera.viewmat[:3, :3].T.tolist(),
        "fx": camera.fx,
        "fy": camera.fy,
    } | changes


def same(a: Camera, b: Camera, tolerance: float = 1e-9) -> None:
    assert np.abs(a.viewmat - b.viewmat).max() <= tolerance
    assert np.allclose(a.intrinsics, b.intrinsics, rtol=0, atol=1e-6)
    assert (a.width, a.height, a.kind) == (b.width, b.height, b.kind)


def test_our_own_json_is_exact(tmp_path: Path) -> None:
    cameras = [
        example(),
        Camera.orthographic((0, 0, -4), (0, 0, 0), height_in_world=0.3, size=(33, 21)),
        Camera(example().viewmat, 500.1, 499.9, 300.3, 200.7, 640, 360, near=0.05, far=77.7),
    ]
    write_cameras(tmp_path / "c.json", cameras)
    for back, meant in zip(read_cameras(tmp_path / "c.json"), cameras, strict=True):
        assert np.array_equal(back.viewmat, meant.viewmat)
        for name in ("fx", "fy", "cx", "cy", "width", "height", "kind", "near", "far"):
            assert getattr(back, name) == getattr(meant, name)


def test_inria_json(tmp_path: Path) -> None:
    cameras = [example(), example((3.0, 0.0, 0.5))]
    path = tmp_path / "cameras.json"
    path.write_text(json.dumps([inria(camera) for camera in cameras]))
    for back, meant in zip(read_cameras(path), cameras, strict=True):
        same(back, meant)


def colmap(tmp_path: Path, lens: str, images: str) -> Path:
    (tmp_path / "cameras.txt").write_text(f"# Camera list\n{lens}\n")
    (tmp_path / "images.txt").write_text(f"# Image list\n{images}")
    return tmp_path / "images.txt"


def image_lines(camera: Camera, name: str, points: str = "1.0 2.0 -1") -> str:
    q = " ".join(repr(float(v)) for v in quaternions(camera.viewmat[:3, :3]))
    t = " ".join(repr(float(v)) for v in camera.viewmat[:3, 3])
    return f"1 {q} {t} 7 {name}\n{points}\n"


def test_colmap_text_in_the_order_of_picture_names(tmp_path: Path) -> None:
    first, second = example(), example((0.0, 5.0, 1.0))
    # A picture without points has an empty second line; names may hold spaces.
    lines = image_lines(second, "b 2.jpg", "") + image_lines(first, "a.jpg")
    path = colmap(tmp_path, f"7 PINHOLE 640 360 {float(first.fx)} {float(first.fy)} 320 180", lines)
    for source in (path, tmp_path):
        back = read_cameras(source)
        same(back[0], first)
        same(back[1], second)


def test_colmap_binary_by_file_and_by_folder(tmp_path: Path) -> None:
    cameras, place = sphere_cameras(3, 40), tmp_path / "sparse" / "0"
    write_colmap_binary(place, ["b.png", "c.png", "a.png"], cameras)
    for source in (place / "images.bin", place, tmp_path):
        for back, meant in zip(read_cameras(source), (cameras[i] for i in (2, 0, 1)), strict=True):
            same(back, meant)
    # Named by itself, the text model beside it is the one that is read.
    write_colmap_text(place, ["a.png"], [example()])
    assert len(read_cameras(place / "images.txt")) == 1
    assert len(read_cameras(place)) == 3


def test_transforms_json_needs_no_pictures(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cameras = sphere_cameras(2, 40)
    write_transforms(tmp_path, ["b.png", "a.png"], cameras, k1=0.1)
    with caplog.at_level(logging.WARNING):
        back = read_cameras(tmp_path / "transforms.json")
    same(back[0], cameras[1])
    same(back[1], cameras[0])
    assert "distortion of 2 of 2 cameras" in caplog.text
    write_transforms(tmp_path, ["b.png", "a.png"], cameras, camera_model="OPENCV_FISHEYE")
    with pytest.raises(FileFormatError, match="fisheye"):
        read_cameras(tmp_path / "transforms.json")


def test_transforms_json_without_a_size_asks_its_pictures(tmp_path: Path) -> None:
    pose = np.eye(4).tolist()
    content = {
        "camera_angle_x": 2 * np.arctan(0.5),
        "frames": [{"file_path": "./a", "transform_matrix": pose}],
    }
    path = tmp_path / "transforms.json"
    path.write_text(json.dumps(content))
    with pytest.raises(FileFormatError, match="says no size"):
        read_cameras(path)
    Image.new("RGB", (80, 60)).save(tmp_path / "a.png")
    (camera,) = read_cameras(path)
    assert (camera.width, camera.height) == (80, 60)
    assert np.allclose((camera.fx, camera.fy, camera.cx, camera.cy), (80, 80, 40, 30))
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(FileFormatError, match="no picture that can be read"):
        read_cameras(path)


@pytest.mark.parametrize(
    ("lens", "fx", "fy", "cx", "cy", "warns"),
    [
        ("SIMPLE_PINHOLE 640 360 500 321 181", 500, 500, 321, 181, False),
        ("PINHOLE 640 360 500 510 321 181", 500, 510, 321, 181, False),
        ("SIMPLE_RADIAL 640 360 500 321 181 0.01", 500, 500, 321, 181, True),
        ("SIMPLE_RADIAL 640 360 500 321 181 0", 500, 500, 321, 181, False),
        ("RADIAL 640 360 500 321 181 0.01 0.02", 500, 500, 321, 181, True),
        ("OPENCV 640 360 500 510 321 181 0.1 0 0 0", 500, 510, 321, 181, True),
        ("FULL_OPENCV 640 360 500 510 321 181 0 0 0 0 0 0 0 1", 500, 510, 321, 181, True),
    ],
)
def test_colmap_lenses(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, lens: str,
    fx: float, fy: float, cx: float, cy: float, warns: bool,
) -> None:  # fmt: skip
    lines = image_lines(example(), "a.jpg") + image_lines(example(), "b.jpg")
    path = colmap(tmp_path, f"7 {lens}", lines)
    with caplog.at_level(logging.WARNING):
        camera = read_cameras(path)[1]
    assert (camera.fx, camera.fy, camera.cx, camera.cy) == (fx, fy, cx, cy)
    assert ("distortion of 2 of 2 cameras is left out" in caplog.text) == warns


@pytest.mark.parametrize(
    ("lens", "images", "words"),
    [
        ("7 OPENCV_FISHEYE 640 360 1 1 1 1 0 0 0 0", None, "undistort"),
        ("7 PINHOLE 640 360 500 500 320", None, "Line 2"),
        ("7 PINHOLE 640 360 x 500 320 180", None, "Line 2"),
        ("7 MIRROR 640 360 500 320 180", None, "lens model 'MIRROR'"),
        ("7 FOV 640 360 500 500 320 180 0.9", None, "undistort"),
        ("8 SIMPLE_PINHOLE 640 360 500 320 180", None, "camera 7"),
        ("7 SIMPLE_PINHOLE 640 360 -500 320 180", None, "focal"),
        ("7 SIMPLE_PINHOLE 640 36000000 500 320 180", None, "36000000"),
        ("7 SIMPLE_PINHOLE 640 360 500 320 180", "1 nan 0 0 0 0 0 0 7 a\n\n", "NaN"),
        ("7 SIMPLE_PINHOLE 640 360 500 320 180", "1 1 0 0 0 inf 0 0 7 a\n\n", "NaN"),
        ("7 SIMPLE_PINHOLE 640 360 500 320 180", "1 0 0 0 0 0 0 0 7 a\n\n", "quaternion"),
        ("7 SIMPLE_PINHOLE 640 360 500 320 180", "1 1 0 0\n\n", "Line 2"),
        ("7 SIMPLE_PINHOLE 640 360 500 320 180", "", "no pictures"),
    ],
)
def test_damaged_colmap(tmp_path: Path, lens: str, images: str | None, words: str) -> None:
    path = colmap(tmp_path, lens, image_lines(example(), "a") if images is None else images)
    with pytest.raises(FileFormatError, match=words):
        read_cameras(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"{}", "no list"),
        (b"[]", "no cameras"),
        (b"[7]", "Camera 0"),
        (b'{"polyorama": "cameras", "format": 99, "cameras": []}', "newer"),
        (b'{"polyorama": "cameras", "format": 1, "cameras": [{}]}', "kind is unknown"),
        (json.dumps([inria(example(), position=[0, 0, "NaN"])]).encode(), "NaN"),
        (json.dumps([inria(example(), rotation=[[1, 0], [0, 1]])]).encode(), "3 by 3 numbers"),
        (json.dumps([inria(example(), rotation=np.zeros((3, 3)).tolist())]).encode(), "rotation"),
        (json.dumps([inria(example(), rotation=(-np.eye(3)).tolist())]).encode(), "rotation"),
        (json.dumps([inria(example(), width=0)]).encode(), "0x360"),
        (json.dumps([inria(example(), fx=float("nan"))]).encode(), "fx holds NaN"),
        (json.dumps([inria(example(), width=1e400)]).encode(), "Camera 0"),
    ],
)
def test_damaged_json(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "cameras.json"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=words) as caught:
        read_cameras(path)
    assert str(path) in str(caught.value)


def test_a_camera_has_one_form_in_all_our_files(tmp_path: Path) -> None:
    camera = example()
    write_cameras(tmp_path / "c.json", [camera])
    write_project(Document(camera=camera), tmp_path / "p.poly")
    with zipfile.ZipFile(tmp_path / "p.poly") as archive:
        project = json.loads(archive.read("document.json"))
    assert json.loads((tmp_path / "c.json").read_text())["cameras"] == [project["camera"]]


def test_missing_and_unknown_files(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no such file"):
        read_cameras(tmp_path / "gone.json")
    with pytest.raises(FileFormatError, match=r"images\.txt"):
        read_cameras(tmp_path)
    (tmp_path / "images.bin").write_bytes(b"\0" * 64)
    with pytest.raises(FileFormatError, match=r"no cameras\.bin"):
        read_cameras(tmp_path)
    with pytest.raises(FileFormatError, match=r"needs its cameras\.bin"):
        read_cameras(tmp_path / "images.bin")
    (tmp_path / "cameras.bin").write_bytes(b"\0" * 64)
    with pytest.raises(FileFormatError, match=r"poses in images\.bin"):
        read_cameras(tmp_path / "cameras.bin")
    (tmp_path / "images.txt").write_text(image_lines(example(), "a"))
    with pytest.raises(FileFormatError, match=r"needs its cameras\.txt"):
        read_cameras(tmp_path / "images.txt")
    (tmp_path / "a.xml").write_text("<a/>")
    with pytest.raises(FileFormatError, match="Unknown kind"):
        read_cameras(tmp_path / "a.xml")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.integers(0, 400), value=st.integers(0, 255), ending=st.booleans())
def test_any_damage_ends_in_cameras_or_one_sentence(
    tmp_path: Path, position: int, value: int, ending: bool
) -> None:
    data = bytearray(json.dumps([inria(example())]).encode())
    place = position % len(data)
    data = data[:place] if ending else data[:place] + bytes([value]) + data[place + 1 :]
    path = tmp_path / "cameras.json"
    path.write_bytes(bytes(data))
    message = ""
    try:
        count = len(read_cameras(path))
    except FileFormatError as error:
        count, message = 1, str(error)
    assert count == 1
    assert "\n" not in message
