"""Still pictures: straight alpha, compositing, metadata, float arrays, depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.image import (
    composite,
    read_text,
    straight_alpha,
    write_depth,
    write_float,
    write_image,
)
from polyorama.render.frame import Frame

if TYPE_CHECKING:
    from pathlib import Path


@given(st.integers(0, 255), st.integers(0, 255))
def test_premultiplied_and_straight_agree_to_the_last_bit(color: int, alpha: int) -> None:
    color = min(color, alpha)
    straight = straight_alpha(np.full((1, 1, 4), (color, 0, alpha, alpha), np.uint8))[0, 0]
    assert straight[3] == alpha
    # What a viewer multiplies again is what was drawn.
    assert round(int(straight[0]) * alpha / 255) == color
    assert straight[2] == (255 if alpha else 0)


def test_colors_above_their_alpha_are_cut() -> None:
    straight = straight_alpha(np.array([[[200, 10, 0, 100]]], np.uint8))
    assert straight.tolist() == [[[255, 26, 0, 100]]]


def test_composite_matches_float_arithmetic() -> None:
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 256, (16, 16, 4), dtype=np.uint8)
    pixels[..., :3] = np.minimum(pixels[..., :3], pixels[..., 3:])
    behind = (0.2, 1.0, 0.0)
    exact = pixels[..., :3] + (1 - pixels[..., 3:] / 255.0) * np.rint(np.array(behind) * 255)
    assert np.abs(composite(pixels, behind) - exact).max() <= 0.5 + 1e-9


def test_png_keeps_every_pixel_and_says_what_made_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    pixels = rng.integers(0, 256, (9, 7, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    write_image(tmp_path / "a.png", Frame(rgba8=pixels), text={"Comment": "größer"})
    with Image.open(tmp_path / "a.png") as image:
        assert image.mode == "RGB"
        assert np.array_equal(np.asarray(image), pixels[..., :3])
        assert image.text["Software"].startswith("Polyorama ")
    assert read_text(tmp_path / "a.png")["Comment"] == "größer"


@pytest.mark.parametrize("name", ["a.png", "a.webp"])
def test_transparent_pictures_hold_straight_alpha(tmp_path: Path, name: str) -> None:
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[:4] = (100, 50, 0, 128)
    write_image(tmp_path / name, pixels, quality=100)
    with Image.open(tmp_path / name) as image:
        assert image.mode == "RGBA"
        assert image.getpixel((2, 2)) == (199, 100, 0, 128)


def test_alpha_can_be_kept_or_left_out(tmp_path: Path) -> None:
    opaque = np.full((4, 4, 4), 255, np.uint8)
    write_image(tmp_path / "kept.png", opaque, keep_alpha=True)
    clear = np.zeros((4, 4, 4), np.uint8)
    write_image(tmp_path / "left.png", clear, keep_alpha=False, background=(1.0, 0.0, 0.0))
    with Image.open(tmp_path / "kept.png") as kept, Image.open(tmp_path / "left.png") as left:
        assert kept.mode == "RGBA"
        assert left.mode == "RGB"
        assert left.getpixel((0, 0)) == (255, 0, 0)


def test_jpeg_is_laid_over_the_background(tmp_path: Path) -> None:
    pixels = np.zeros((16, 16, 4), np.uint8)
    write_image(tmp_path / "a.jpg", pixels, background=(0.0, 0.5, 1.0), text={"Comment": "x"})
    with Image.open(tmp_path / "a.jpg") as image:
        assert np.abs(np.subtract(image.getpixel((8, 8)), (0, 128, 255))).max() <= 2
    assert read_text(tmp_path / "a.jpg") == {"Comment": "x"}


@pytest.mark.parametrize("ending", ["jpg", "webp"])
@pytest.mark.parametrize(
    "text", [{"Comment": "größer: 2"}, {"Comment": "a b", "Print": "1f", "Größe": "µ"}, {"A": "b"}]
)
def test_viewers_show_the_words_alone(tmp_path: Path, ending: str, text: dict[str, str]) -> None:
    path = tmp_path / f"a.{ending}"
    write_image(path, np.zeros((8, 8, 3), np.uint8), text=text)
    with Image.open(path) as image:
        described = image.getexif().get(0x010E)
    if "Comment" in text:
        assert described.encode("latin-1").decode() == text["Comment"]
    else:
        assert described is None
    assert read_text(path) == text


def test_quality_changes_the_size(tmp_path: Path) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    for ending in ("jpg", "webp"):
        write_image(tmp_path / f"low.{ending}", noise, quality=20)
        write_image(tmp_path / f"high.{ending}", noise, quality=95)
        low, high = (tmp_path / f"{q}.{ending}" for q in ("low", "high"))
        assert low.stat().st_size < high.stat().st_size


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 2), np.uint8),
        np.zeros((4, 4, 3), np.float32),
        np.zeros((0, 4, 3), np.uint8),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path: Path, bad: np.ndarray) -> None:
    with pytest.raises(UsageError):
        write_image(tmp_path / "a.png", bad)
    assert list(tmp_path.iterdir()) == []


def test_errors_name_the_file_and_leave_nothing(tmp_path: Path) -> None:
    pixels = np.zeros((4, 4, 3), np.uint8)
    with pytest.raises(OutputError, match=r"can: .*\.png.*a\.tiff"):
        write_image(tmp_path / "a.tiff", pixels)
    with pytest.raises(OutputError, match=r"missing.a\.png"):
        write_image(tmp_path / "missing" / "a.png", pixels)
    with pytest.raises(OutputError, match="16383"):
        write_image(tmp_path / "a.webp", np.zeros((1, 16384, 3), np.uint8))
    with pytest.raises(UsageError, match="101"):
        write_image(tmp_path / "a.jpg", pixels, quality=101)
    with pytest.raises(UsageError, match="8-bit"):
        write_image(tmp_path / "a.png", Frame())
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "no.png").write_bytes(b"this is no picture")
    with pytest.raises(FileFormatError, match=r"no\.png"):
        read_text(tmp_path / "no.png")


def test_float_pictures_are_exact(tmp_path: Path) -> None:
    color = np.random.default_rng(4).normal(size=(5, 6, 4)).astype(np.float32)
    write_float(tmp_path / "a.npy", color)
    loaded = np.load(tmp_path / "a.npy", allow_pickle=False)
    assert loaded.dtype == np.float32
    assert np.array_equal(loaded, color)
    with pytest.raises(OutputError, match="npy"):
        write_float(tmp_path / "a.exr", color)


def test_depth_as_picture_is_near_white(tmp_path: Path) -> None:
    depth = np.array([[0.0, 1.0], [2.0, 3.0]], np.float32)
    write_depth(tmp_path / "d.png", depth)
    write_depth(tmp_path / "d.npy", depth)
    with Image.open(tmp_path / "d.png") as image:
        grey = np.asarray(image).astype(int)
        assert float(image.text["Near"]) == 1.0
        assert float(image.text["Far"]) == 3.0
    assert grey.tolist() == [[0, 65535], [32768, 1]]
    assert np.array_equal(np.load(tmp_path / "d.npy"), depth)
    write_depth(tmp_path / "empty.png", np.zeros((2, 2), np.float32))
    with pytest.raises(OutputError, match="Depth"):
        write_depth(tmp_path / "d.jpg", depth)
