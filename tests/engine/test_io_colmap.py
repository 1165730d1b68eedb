"""COLMAP models in both forms, the pictures beside them, and what is said of damaged ones."""

from __future__ import annotations

import io
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from polyorama.core import memory
from polyorama.core.types import Camera
from polyorama.errors import FileFormatError, PolyoramaError, UsageError
from polyorama.io import photos
from polyorama.io.capture import read_capture
from polyorama.io.colmap import find_colmap, read_colmap
from polyorama.io.photos import (
    Distortion,
    Shot,
    camera_of,
    read_mask,
    read_photo,
    straightened,
)
from tests.engine.capture_samples import (
    sphere_cameras,
    write_colmap_binary,
    write_colmap_text,
    write_inria,
    write_transforms,
)

POINTS = np.array([[0.5, -1.25, 2.0], [1e-3, 7.0, -3.5], [0.25, 0.5, 0.75]])
COLORS = np.array([[255, 0, 51], [0, 102, 255], [204, 204, 204]])


@pytest.fixture
def cameras():
    return sphere_cameras(4, 40)


def capture_folder(tmp_path, cameras, form):
    names = [f"{i:03}.png" for i in range(len(cameras))]
    (tmp_path / "images").mkdir()
    for name in names:
        Image.new("RGB", (40, 40), (10, 20, 30)).save(tmp_path / "images" / name)
    if form == "inria":
        write_inria(tmp_path, names, cameras)
    elif form == "transforms":
        write_transforms(tmp_path, names, cameras)
    else:
        write = write_colmap_binary if form == "binary" else write_colmap_text
        write(tmp_path / "sparse" / "0", names, cameras, POINTS, COLORS)
    return tmp_path


@pytest.mark.parametrize("form", ["binary", "text", "inria", "transforms"])
def test_every_form_gives_the_same_cameras(tmp_path, cameras, form):
    capture = read_capture(capture_folder(tmp_path, cameras, form))
    assert len(capture.shots) == 4
    for shot, camera in zip(capture.shots, cameras, strict=True):
        assert np.abs(shot.camera.viewmat - camera.viewmat).max() < 1e-9
        assert np.allclose(shot.camera.intrinsics, camera.intrinsics)
        assert shot.path.is_file()
        assert not shot.distortion
    if form in ("binary", "text"):
        assert np.allclose(capture.points, POINTS, rtol=1e-6)
        assert np.allclose(capture.colors, COLORS / 255.0, atol=1e-6)


@pytest.mark.parametrize("inner", ["", "sparse", "sparse/0", "colmap/sparse/0"])
def test_models_are_found(tmp_path, cameras, inner):
    write_colmap_text(tmp_path / inner, ["a.png"] * 4, cameras)
    assert find_colmap(tmp_path).resolve() == (tmp_path / inner).resolve()
    assert find_colmap(tmp_path / "nowhere") is None


def test_binary_counts_where_a_model_is_there_twice(tmp_path, cameras):
    write_colmap_text(tmp_path, ["text.png"] * 4, cameras)
    write_colmap_binary(tmp_path, ["binary.png"] * 4, cameras)
    assert read_colmap(tmp_path).images[0].name == "binary.png"


LENSES = {
    "SIMPLE_PINHOLE 40 30 50 20 15": (50, 50, Distortion()),
    "PINHOLE 40 30 50 51 20 15": (50, 51, Distortion()),
    "SIMPLE_RADIAL 40 30 50 20 15 0.1": (50, 50, Distortion((0.1, 0, 0, 0, 0, 0))),
    "RADIAL 40 30 50 20 15 0.1 -0.2": (50, 50, Distortion((0.1, -0.2, 0, 0, 0, 0))),
    "OPENCV 40 30 50 51 20 15 0.1 -0.2 0.01 0.02": (
        50, 51, Distortion((0.1, -0.2, 0, 0, 0, 0), (0.01, 0.02)),
    ),
    "FULL_OPENCV 40 30 50 51 20 15 0.1 -0.2 0.01 0.02 0.3 0.4 0.5 0.6": (
        50, 51, Distortion((0.1, -0.2, 0.3, 0.4, 0.5, 0.6), (0.01, 0.02)),
    ),
    "OPENCV_FISHEYE 40 30 50 51 20 15 0.1 0.2 0.3 0.4": (
        50, 51, Distortion((0.1, 0.2, 0.3, 0.4, 0, 0), fisheye=True),
    ),
    "SIMPLE_RADIAL_FISHEYE 40 30 50 20 15 0.1": (
        50, 50, Distortion((0.1, 0, 0, 0, 0, 0), fisheye=True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("line", LENSES)
def test_lens_models(tmp_path, cameras, line):
    write_colmap_text(tmp_path, ["a.png"], cameras[:1], lens=line)
    (image,) = read_colmap(tmp_path).images
    fx, fy, distortion = LENSES[line]
    assert (image.camera.fx, image.camera.fy) == (fx, fy)
    assert (image.camera.cx, image.camera.cy) == (20, 15)
    assert image.distortion == distortion


def grid(width, height):
    """A smooth picture that tells positions."""
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    pixels = np.stack([255 * x / width, 255 * y / height, np.full_like(x, 128)], axis=2)
    return np.rint(pixels).astype(np.uint8)


@pytest.mark.parametrize(
    "distortion",
    [
        Distortion((-0.15, 0.04, 0.01, 0, 0, 0), (0.004, -0.003)),
        Distortion((0.05, -0.01, 0.0, 0.0, 0, 0), fisheye=True),
        Distortion((0.2, 0.1, 0.05, 0.1, 0.02, 0.01)),
    ],
)
def test_a_straightened_picture_is_what_the_pinhole_sees(distortion):
    """A bent picture of a smooth world, straightened, agrees with the world at each direction."""
    camera = Camera.look_at((0, 0, -1), (0, 0, 0), fov=70, size=(120, 100))
    columns, rows = np.meshgrid(np.arange(120) + 0.5, np.arange(100) + 0.5)
    x, y = (columns - camera.cx) / camera.fx, (rows - camera.cy) / camera.fy
    world = lambda x, y: np.stack([90 + 60 * x, 90 + 60 * y, 90 + 30 * (x + y)], axis=-1)  # noqa: E731
    # Bend by fixed-point search: find the direction that is drawn at each pixel.
    u, v = x.copy(), y.copy()
    for _ in range(200):
        bent_u, bent_v = distortion.bend(u, v)
        u, v = u + 0.5 * (x - bent_u), v + 0.5 * (y - bent_v)
    bent = np.rint(np.clip(world(u, v), 0, 255)).astype(np.uint8)
    straight, known = straightened(bent, camera, distortion)
    expected = np.clip(world(x, y), 0, 255)
    assert known.mean() > 0.6
    assert np.abs(straight[known] - expected[known]).max() < 2.5
    assert not straight[~known].any()


def test_no_distortion_changes_nothing():
    camera = Camera.look_at((0, 0, -1), (0, 0, 0), size=(31, 20))
    straight, known = straightened(grid(31, 20), camera, Distortion())
    assert np.array_equal(straight, grid(31, 20))
    assert known.all()


BENDING = {
    "barrel": Distortion((-0.25, 0, 0, 0, 0, 0)),
    "fisheye": Distortion((-0.3, 0, 0, 0, 0, 0), fisheye=True),
    "pole": Distortion((0, 0, 0, -0.35, 0, 0)),
}


@pytest.mark.parametrize("distortion", BENDING.values(), ids=BENDING)
def test_what_a_lens_cannot_know_is_no_mirrored_ghost(distortion):
    """Beyond where the formula turns back, it would show the middle a second time."""
    camera = Camera.look_at((0, 0, -1), (0, 0, 0), fov=140, size=(120, 120))
    straight, known = straightened(np.full((120, 120, 3), 200, np.uint8), camera, distortion)
    columns, rows = np.meshgrid(np.arange(120) + 0.5, np.arange(120) + 0.5)
    radius = np.hypot(columns - camera.cx, rows - camera.cy) / camera.fx
    # A ray from the middle outward, sampled finely: where it first stops going out.
    ray = np.linspace(0.0, radius.max(), 200_000)
    bent = distortion.bend(ray, np.zeros_like(ray))[0]
    turn = ray[np.argmax(np.diff(bent) <= 0.0)]
    assert 0.3 < turn < 0.8 * radius.max()
    assert not known[radius > turn].any()
    assert not straight[radius > turn].any()
    drawn = np.interp(radius, ray, bent) * camera.fx
    assert known[(radius < turn - 0.01) & (drawn < 59.0)].all()


def test_straightened_transparent_pictures_have_no_dark_fringe():
    camera = Camera.look_at((0, 0, -1), (0, 0, 0), fov=70, size=(60, 50))
    columns, rows = np.meshgrid(np.arange(60), np.arange(50))
    pixels = np.zeros((50, 60, 4), np.uint8)
    pixels[np.hypot(columns - 30, rows - 25) < 15] = (200, 100, 50, 255)
    straight, _ = straightened(pixels, camera, Distortion((-0.1, 0.02, 0, 0, 0, 0)))
    seen = straight[..., 3] > 0
    edge = seen & (straight[..., 3] < 255)
    assert edge.sum() > 20
    assert (straight[seen][:, :3] == (200, 100, 50)).all()


def test_straightening_goes_in_bands_that_do_not_show(monkeypatch):
    camera = Camera.look_at((0, 0, -1), (0, 0, 0), fov=90, size=(70, 61))
    distortion = Distortion((-0.1, 0.02, 0, 0, 0, 0), (0.002, -0.001))
    pixels = np.random.default_rng(0).integers(0, 256, (61, 70, 4), np.uint8)
    whole = straightened(pixels, camera, distortion), photos._reduced(pixels, 3)
    monkeypatch.setattr(photos, "_BAND_PIXELS", 3 * 70)
    parts = straightened(pixels, camera, distortion), photos._reduced(pixels, 3)
    assert len(list(photos._bands(61, 70))) == 21
    for a, b in zip((*whole[0], whole[1]), (*parts[0], parts[1]), strict=True):
        assert np.array_equal(a, b)


def test_straightening_takes_little_memory_beside_the_pictures():
    camera = Camera.look_at((0, 0, -1), (0, 0, 0), fov=90, size=(1500, 1500))
    pixels = np.zeros((1500, 1500, 3), np.uint8)
    tracemalloc.start()
    try:
        straightened(pixels, camera, Distortion((-0.1, 0.02, 0, 0, 0, 0)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The picture and what is known of it are 4 bytes a pixel; a whole one at once would be 100.
    assert peak < 30 * 1500 * 1500


def test_pictures_that_memory_cannot_hold_are_refused_before_they_are_decoded(
    tmp_path, monkeypatch
):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(41, 30))
    Image.fromarray(grid(41, 30)).save(tmp_path / "a.png")
    monkeypatch.setattr(memory, "available_bytes", lambda: 16 * 41 * 30 - 1)
    monkeypatch.setattr(photos, "_eight_bit", lambda _: pytest.fail("it was decoded"))
    with pytest.raises(UsageError, match=r"not enough memory.*41x30; make it smaller: .*a\.png"):
        read_photo(shot_of(tmp_path / "a.png", camera))


def shot_of(path, camera, **more):
    return Shot(path.name, path, camera, **more)


def test_reduced_pictures_and_their_cameras(tmp_path):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(41, 30))
    Image.fromarray(grid(41, 30)).save(tmp_path / "a.png")
    photo = read_photo(shot_of(tmp_path / "a.png", camera), reduce=4)
    assert photo.pixels.shape == (7, 10, 3)
    assert (photo.camera.width, photo.camera.height) == (10, 7)
    # A point keeps its place as a share of the pixels.
    assert photo.camera.fx == camera.fx / 4
    assert photo.camera.cx == camera.cx / 4
    expected = grid(41, 30)[:28, :40].reshape(7, 4, 10, 4, 3).mean(axis=(1, 3))
    assert np.abs(photo.pixels - expected).max() <= 0.5


def test_reduced_transparent_pictures_keep_their_colour_at_the_edge(tmp_path):
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[:, :3] = (200, 100, 50, 255)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(8, 8))
    photo = read_photo(shot_of(tmp_path / "a.png", camera), reduce=2)
    assert photo.pixels[0, 1].tolist() == [200, 100, 50, 128]


def test_a_smaller_copy_of_a_picture_scales_its_camera(tmp_path):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(400, 300))
    Image.fromarray(grid(100, 75)).save(tmp_path / "a.png")
    photo = read_photo(shot_of(tmp_path / "a.png", camera))
    assert photo.camera.fx == pytest.approx(camera.fx / 4)
    assert (photo.camera.width, photo.camera.height) == (100, 75)


def test_other_kinds_of_pixels(tmp_path):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(4, 4))
    deep = np.full((4, 4), 257 * 100, np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.png")
    Image.new("L", (4, 4), 77).save(tmp_path / "grey.png")
    Image.new("RGBA", (4, 4), (1, 2, 3, 255)).save(tmp_path / "opaque.png")
    values = [
        read_photo(shot_of(tmp_path / f"{name}.png", camera)).pixels[0, 0].tolist()
        for name in ("deep", "grey", "opaque")
    ]
    assert values == [[100] * 3, [77] * 3, [1, 2, 3]]


def test_masks_are_read_and_straightened(tmp_path):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(16, 16))
    Image.fromarray(grid(16, 16)).save(tmp_path / "a.png")
    mask = np.zeros((16, 16), np.uint8)
    mask[:8] = 255
    Image.fromarray(mask).save(tmp_path / "m.png")
    shot = shot_of(tmp_path / "a.png", camera, mask=tmp_path / "m.png")
    assert np.array_equal(read_photo(shot).mask, mask > 0)
    assert read_photo(shot, reduce=2).mask.sum() == 32
    bent = shot_of(
        tmp_path / "a.png", camera, mask=tmp_path / "m.png",
        distortion=Distortion((0.4, 0, 0, 0, 0, 0)),
    )  # fmt: skip
    assert read_photo(bent).mask.sum() < 128


@pytest.mark.parametrize(
    ("values", "counted"),
    [
        ([[0, 1, 1, 0]], [0, 1, 1, 0]),
        ([[0, 127, 128, 255]], [0, 0, 1, 1]),
        ([[0, 0, 0, 0]], [0, 0, 0, 0]),
        ([[[255, 255, 255, a] for a in (0, 127, 128, 255)]], [0, 0, 1, 1]),
    ],
    ids=["of 0 and 1", "grey", "black", "clear"],
)
def test_what_counts_in_a_mask(tmp_path, values, counted):
    Image.fromarray(np.array(values, np.uint8)).save(tmp_path / "m.png")
    assert read_mask(tmp_path / "m.png", (4, 1)).tolist() == [[bool(v) for v in counted]]


@pytest.mark.parametrize("kind", [np.float32, np.int32])
def test_numbers_without_a_white_are_refused(tmp_path, kind):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(4, 4))
    Image.fromarray(np.ones((4, 4), kind)).save(tmp_path / "a.tif")
    with pytest.raises(FileFormatError, match="holds 32-bit numbers"):
        read_photo(shot_of(tmp_path / "a.tif", camera))


def test_a_lens_that_leaves_nothing_is_told(tmp_path):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(16, 16))
    Image.fromarray(grid(16, 16)).save(tmp_path / "a.png")
    shot = shot_of(tmp_path / "a.png", camera, distortion=Distortion((1e200, 0, 0, 0, 0, 0)))
    with pytest.raises(FileFormatError, match=r"nothing of the picture is left.*a\.png"):
        read_photo(shot)


def test_damaged_metadata_is_no_trouble(tmp_path):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(40, 40))
    exif = b"Exif\0\0MM\0*\0\0\0\x08\xff\xff" + b"\x01\x12\0\x03\xff\xff\xff\xff" * 4
    Image.fromarray(grid(40, 40)).save(tmp_path / "a.jpg", exif=exif)
    assert read_photo(shot_of(tmp_path / "a.jpg", camera)).pixels.shape == (40, 40, 3)


def test_the_largest_pictures_are_opened_and_larger_ones_told_by_their_size(tmp_path):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(16384, 12288))
    # Headers alone: nothing is decoded.
    (tmp_path / "large.pgm").write_bytes(b"P5 16384 12288 255\n")
    assert camera_of(shot_of(tmp_path / "large.pgm", camera)) is camera
    (tmp_path / "larger.pgm").write_bytes(b"P5 20000 15000 255\n")
    with pytest.raises(FileFormatError, match="is 20000x15000; at most 16384"):
        camera_of(shot_of(tmp_path / "larger.pgm", camera))
    (tmp_path / "bomb.pgm").write_bytes(b"P5 90000 90000 255\n")
    with pytest.raises(FileFormatError, match="too large; at most 16384"):
        camera_of(shot_of(tmp_path / "bomb.pgm", camera))


def test_points_without_a_place_are_left_out_and_counted(tmp_path, cameras, caplog):
    write_colmap_text(tmp_path, ["a.png"] * 4, cameras, [*POINTS, [np.nan] * 3], [*COLORS, [0] * 3])
    assert len(read_colmap(tmp_path).points) == 3
    assert "1 point without a place or colour left out" in caplog.text


def damage(path, data):
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["cameras", "images", "points3D"])
def test_files_that_end_too_early_are_told(tmp_path, cameras, name):
    write_colmap_binary(tmp_path, ["a.png"] * 4, cameras, POINTS, COLORS)
    path = tmp_path / f"{name}.bin"
    whole = path.read_bytes()
    for length in range(1, len(whole)):
        damage(path, whole[:length])
        with pytest.raises(FileFormatError, match=r"ends too early|does not end|damaged"):
            read_colmap(tmp_path)


def test_huge_counts_take_no_memory(tmp_path, cameras):
    write_colmap_binary(tmp_path, ["a.png"] * 4, cameras, POINTS, COLORS)
    damage(tmp_path / "points3D.bin", struct.pack("<Q", 1 << 60) + b"\0" * 100)
    with pytest.raises(FileFormatError, match="too early"):
        read_colmap(tmp_path)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damaged_bytes_never_do_more_than_a_sentence(tmp_path, data):
    folder = tmp_path / "model"
    write_colmap_binary(folder, ["a.png", "b.png"], sphere_cameras(2, 10), POINTS, COLORS)
    path = folder / data.draw(st.sampled_from(["cameras.bin", "images.bin", "points3D.bin"]))
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    patch = data.draw(st.binary(min_size=1, max_size=8))
    content[at : at + len(patch)] = patch
    path.write_bytes(bytes(content))
    try:
        model = read_colmap(folder)
    except PolyoramaError:
        return
    assert all(np.isfinite(image.camera.viewmat).all() for image in model.images)
    assert np.isfinite(model.points).all()


def rewritten(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def without_empty_lines(path):
    path.write_text("".join(line + "\n" for line in path.read_text().split("\n") if line))


BAD = {
    "no model": (lambda f: None, "no cameras: neither sparse"),
    "mixed": (
        lambda f: (write_colmap_text(f / "sparse/0", ["000.png"], sphere_cameras(1, 40)),
                   (f / "sparse/0/images.txt").unlink(),
                   write_colmap_binary(f / "x", ["000.png"], sphere_cameras(1, 40)),
                   (f / "x/images.bin").rename(f / "sparse/0/images.bin")),
        "mixes text and binary",
    ),
    "no cameras file": (
        lambda f: (write_colmap_text(f / "sparse/0", ["000.png"], sphere_cameras(1, 40)),
                   (f / "sparse/0/cameras.txt").unlink()),
        r"no cameras\.bin or cameras\.txt",
    ),
    "NaN pose": (
        lambda f: (write_colmap_text(f / "sparse/0", ["000.png"], sphere_cameras(1, 40)),
                   (f / "sparse/0/images.txt").write_text("1 nan 0 0 0 0 0 0 7 000.png\n\n")),
        "'000.png' has a pose with NaN",
    ),
    "zero quaternion": (
        lambda f: (write_colmap_text(f / "sparse/0", ["000.png"], sphere_cameras(1, 40)),
                   (f / "sparse/0/images.txt").write_text("1 0 0 0 0 0 0 0 7 000.png\n\n")),
        "zero quaternion",
    ),
    "unknown camera": (
        lambda f: (write_colmap_text(f / "sparse/0", ["000.png"], sphere_cameras(1, 40)),
                   rewritten(f / "sparse/0/cameras.txt", "7 PINHOLE", "8 PINHOLE")),
        "names camera 7",
    ),
    "unknown lens": (
        lambda f: write_colmap_text(
            f / "sparse/0", ["000.png"], sphere_cameras(1, 40), lens="FOV 40 40 50 50 20 20 0.9"
        ),
        "undistort",
    ),
    "short lens": (
        lambda f: write_colmap_text(
            f / "sparse/0", ["000.png"], sphere_cameras(1, 40), lens="PINHOLE 40 40 50"
        ),
        "where PINHOLE has 4",
    ),
    "no picture": (
        lambda f: write_colmap_text(f / "sparse/0", ["999.png"], sphere_cameras(1, 40)),
        "no such picture",
    ),
    "path outside": (
        lambda f: write_colmap_text(f / "sparse/0", ["../../x.png"], sphere_cameras(1, 40)),
        "lies outside the capture's folder",
    ),
    "no lines of points": (
        lambda f: (write_colmap_text(f / "sparse/0", ["000.png"] * 4, sphere_cameras(4, 40)),
                   without_empty_lines(f / "sparse/0/images.txt")),
        "Line 3 should be the points of the picture above it",
    ),
    "two cameras": (
        lambda f: write_colmap_text(f / "sparse/0", ["000.png"] * 2, sphere_cameras(2, 40)),
        "'000.png' has two cameras",
    ),
    "endless number": (
        lambda f: write_colmap_text(
            f / "sparse/0", ["000.png"], sphere_cameras(1, 40), lens=f"PINHOLE {'9' * 5000} 40 1 1"
        ),
        r"Line 2 is no camera of COLMAP \('9{80}\.\.\.' is no whole number\)",
    ),
    "text for a number": (
        lambda f: write_colmap_text(
            f / "sparse/0", ["000.png"], sphere_cameras(1, 40), lens="PINHOLE 40 40 x 1 1 1"
        ),
        r"\('x' is no number\)",
    ),
    "huge picture": (
        lambda f: write_colmap_text(
            f / "sparse/0", ["000.png"], sphere_cameras(1, 40), lens="PINHOLE 99999999 40 9 9 9 9"
        ),
        "a size of 99999999 by 40 pixels, which are not 1 to 16384",
    ),
    "long name": (
        lambda f: write_colmap_text(f / "sparse/0", ["a" * 4000], sphere_cameras(1, 40)),
        r"no such picture as 'a{80}\.\.\.'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_models_are_told(tmp_path, case):
    make, words = BAD[case]
    (tmp_path / "images").mkdir()
    Image.fromarray(grid(40, 40)).save(tmp_path / "images" / "000.png")
    make(tmp_path)
    with pytest.raises(FileFormatError, match=words) as caught:
        read_capture(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_two_kinds_in_one_folder_must_be_told_apart(tmp_path, cameras):
    capture_folder(tmp_path, cameras, "binary")
    names = [f"{i:03}.png" for i in range(4)]
    write_transforms(tmp_path, names, cameras)
    with pytest.raises(UsageError, match=r"a COLMAP model and transforms\.json"):
        read_capture(tmp_path)
    assert len(read_capture(tmp_path / "transforms.json").shots) == 4
    assert read_capture(tmp_path / "sparse" / "0").points is not None


def test_our_own_cameras_go_with_pictures_by_number(tmp_path, cameras):
    from polyorama.io.cameras import write_cameras

    capture_folder(tmp_path, cameras, "inria")
    write_cameras(tmp_path / "cameras.json", cameras)
    assert [shot.name for shot in read_capture(tmp_path).shots] == [f"{i:03}.png" for i in range(4)]
    (tmp_path / "images" / "003.png").unlink()
    with pytest.raises(FileFormatError, match="4 cameras, but 3 pictures"):
        read_capture(tmp_path)


def encoded(form):
    stream = io.BytesIO()
    Image.fromarray(grid(40, 40)).save(stream, form)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: Image.fromarray(grid(40, 20)).save(p), "40x20, but its camera says 40x40"),
        (lambda p: p.write_bytes(b"no picture"), "no picture that can be read"),
        (lambda p: p.write_bytes(b""), "empty"),
        (lambda p: p.write_bytes(encoded("WEBP")[:-9]), "damaged or cut short"),
        (lambda p: p.write_bytes(encoded("PNG")[:-60]), "damaged or cut short"),
        (lambda p: None, "no such file"),
    ],
)
def test_bad_pictures_are_told(tmp_path, make, words):
    camera = Camera.look_at((0, 0, -3), (0, 0, 0), size=(40, 40))
    make(tmp_path / "a.png")
    with pytest.raises(FileFormatError, match=words):
        read_photo(shot_of(tmp_path / "a.png", camera))
