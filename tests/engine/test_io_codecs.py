"""Every kind of film: colours, alpha, joining, words, and the same bytes each time."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

import av
import numpy as np
import pytest
from PIL import Image

from polyorama.errors import OutputError, UsageError
from polyorama.io.animation import _durations
from polyorama.io.bleeding import bled
from polyorama.io.codecs import CODECS, LOSSLESS, choose_codec
from polyorama.io.film_reading import read_frames
from polyorama.io.video import FilmWriter, join_films, write_video
from polyorama.render.frame import Frame

if TYPE_CHECKING:
    from pathlib import Path

FILMS = [
    ("a.mp4", "h264"), ("a.mp4", "h265"), ("a.mov", "h265"), ("a.mkv", "h265"),
    ("a.mov", "prores"), ("a.mkv", "prores"), ("a.webm", "vp9"), ("a.mkv", "vp9"),
]  # fmt: skip
ALPHA = [("a.mov", "prores"), ("a.webm", "vp9"), ("a.mkv", "vp9"), ("a.mkv", "prores")]


def plain(color: tuple[int, ...], width: int = 96, height: int = 96) -> np.ndarray:
    return np.tile(np.array(color, np.uint8), (height, width, 1))


def decoded(path: Path, layout: str = "rgb24") -> list[np.ndarray]:
    """Frames by FFmpeg; VP9's alpha only shows through libvpx."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        if stream.codec_context.name == "vp9":
            decoder = av.CodecContext.create("libvpx-vp9", "r")
            packets = list(container.demux(stream))
            frames = [frame for packet in packets for frame in decoder.decode(packet)]
        else:
            frames = list(container.decode(stream))
        return [frame.to_ndarray(format=layout) for frame in frames]


@pytest.mark.parametrize(("name", "codec"), FILMS)
def test_colors_come_back(tmp_path: Path, name: str, codec: str) -> None:
    for color in [(255, 0, 0), (0, 0, 255), (255, 255, 255), (127, 127, 127), (250, 180, 84)]:
        write_video(tmp_path / name, [plain(color)] * 3, fps=24, codec=codec, comment="by hand")
        frames = decoded(tmp_path / name)
        assert len(frames) == 3
        for frame in frames:
            assert np.abs(frame.astype(int) - color).max() <= 4
    with av.open(str(tmp_path / name)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.colorspace == 1
        assert stream.average_rate == 24
        words = {key.lower(): value for key, value in container.metadata.items()}
        assert words["comment"].endswith(": by hand")
        kinds = {"h264": "h264", "h265": "hevc", "prores": "prores", "vp9": "vp9"}
        assert stream.codec_context.name in (kinds[codec], "libvpx-vp9")
        if codec == "h265" and not name.endswith("mkv"):
            assert stream.codec_context.codec_tag == "hvc1"


def badge(width: int = 96, height: int = 96) -> np.ndarray:
    """An orange disc with a soft edge on nothing, premultiplied float."""
    y, x = np.mgrid[:height, :width] + 0.5
    alpha = np.clip((16 - np.hypot(x - width / 2, y - height / 2)) / 6, 0, 1)[..., None]
    return np.concatenate([alpha * (1.0, 0.5, 0.1), alpha], axis=2).astype(np.float32)


@pytest.mark.parametrize(("name", "codec"), ALPHA)
def test_alpha_comes_back_and_edges_have_no_fringe(tmp_path: Path, name: str, codec: str) -> None:
    soft = badge()
    frames = [Frame(color=soft, rgba8=np.rint(soft * 255).astype(np.uint8))] * 4
    write_video(tmp_path / name, frames, fps=25, codec=codec, background=None)
    shown = decoded(tmp_path / name, "rgba")
    assert len(shown) == 4
    for frame in shown:
        alpha = frame[..., 3:] / 255.0
        assert np.abs(alpha - soft[..., 3:]).max() < 0.03
        for behind in ((0.0, 0.4, 1.0), (1.0, 1.0, 1.0)):
            over = frame[..., :3] / 255.0 * alpha + (1 - alpha) * behind
            meant = soft[..., :3] + (1 - soft[..., 3:]) * behind
            assert np.abs(over - meant).max() < 0.05


def test_straight_colour_continues_into_what_is_clear() -> None:
    soft = badge()
    straight = bled(soft)
    assert np.array_equal(straight[..., 3], soft[..., 3])
    assert np.abs(straight[..., :3] - (1.0, 0.5, 0.1)).max() < 1e-3
    small = np.zeros((5, 7, 4), np.uint8)
    assert bled(small).max() == 0.0
    small[2, 3] = (10, 20, 0, 40)
    assert np.abs(bled(small)[..., :3] - (0.25, 0.5, 0.0)).max() < 1e-6


def test_ten_bits_of_float_pixels_are_kept(tmp_path: Path) -> None:
    """A ramp from 0.2 to 0.24: 8 bits have 11 steps of it, ProRes has four times as many."""
    ramp = np.ones((32, 256, 4), np.float32)
    ramp[..., :3] = np.linspace(0.2, 0.24, 256)[None, :, None]
    write_video(tmp_path / "a.mov", [Frame(color=ramp)], quality=100)
    frame = decoded(tmp_path / "a.mov", "rgb48le")[0]
    assert len(np.unique(frame[16, :, 1])) > 25
    assert np.abs(frame[..., 1] / 65535.0 - ramp[..., 1]).max() < 0.003


@pytest.mark.parametrize(("name", "codec"), [*FILMS, ("a.gif", "gif"), ("a.webp", "webp")])
def test_joined_parts_play_as_one_film(tmp_path: Path, name: str, codec: str) -> None:
    kind = CODECS[codec]
    alpha = kind.pixels_alpha is not None
    frames = [plain((i * 6, 255 - i * 6, 128, 255)) for i in range(40)]
    for frame in frames:
        if alpha:
            frame[:, :32] = 0
    parts = []
    for i, (start, stop) in enumerate([(0, 17), (17, 18), (18, 40)]):
        parts.append(tmp_path / f"{i}{kind.part}")
        background = None if alpha else (0.0, 0.0, 0.0)
        with FilmWriter(parts[-1], Fraction(25), codec=kind, background=background) as writer:
            for frame in frames[start:stop]:
                writer.write(frame)
    whole = tmp_path / name
    join_films(whole, parts, 25, codec=codec, transparent=alpha, comment="all")
    if kind.animated_picture:
        with Image.open(whole) as image:
            assert image.n_frames == 40
            shown = []
            for i in range(40):
                image.seek(i)
                shown.append(np.asarray(image.convert("RGBA")))
                assert image.info["duration"] == 40
    else:
        with av.open(str(whole)) as container:
            times = [float(p.pts * p.time_base) for p in container.demux(video=0) if p.size]
        assert np.allclose(sorted(times), np.arange(40) / 25, atol=0.0006)
        shown = decoded(whole, "rgba")
    assert len(shown) == 40
    for frame, meant in zip(shown, frames, strict=True):
        assert np.abs(frame[:, 36:, :3].astype(int) - meant[:, 36:, :3]).max() <= 9
        if alpha:
            assert frame[:, :28, 3].max() <= 2
            assert frame[:, 36:, 3].min() >= 253


@pytest.mark.parametrize(("name", "codec"), [*FILMS, ("a.gif", "gif"), ("a.webp", "webp")])
def test_the_same_frames_give_the_same_bytes(tmp_path: Path, name: str, codec: str) -> None:
    random = np.random.default_rng(0)
    base = np.kron(random.integers(0, 256, (12, 12, 3)), np.ones((8, 8, 1))).astype(np.uint8)
    frames = [np.roll(base, 3 * i, axis=1) for i in range(9)]
    made = []
    for _ in range(2):
        write_video(tmp_path / name, frames, codec=codec, comment="same")
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize(("name", "codec"), FILMS)
def test_what_lies_in_memory_does_not_change_the_bytes(
    tmp_path: Path, name: str, codec: str
) -> None:
    """glibc fills fresh memory with what the variable says; elsewhere the two runs are alike."""
    code = (
        "import sys\n"
        "import numpy as np\n"
        "from polyorama.io.video import write_video\n"
        "blocks = np.random.default_rng(0).integers(0, 256, (12, 12, 3))\n"
        "base = np.kron(blocks, np.ones((8, 8, 1))).astype(np.uint8)\n"
        "frames = [np.roll(base, 3 * i, axis=1) for i in range(9)]\n"
        "write_video(sys.argv[1], frames, codec=sys.argv[2], comment='same')\n"
    )
    made = []
    for filling in ("85", "170"):
        path = tmp_path / filling / name
        path.parent.mkdir()
        subprocess.run(
            [sys.executable, "-c", code, str(path), codec],
            check=True, env={**os.environ, "MALLOC_PERTURB_": filling},
        )  # fmt: skip
        made.append(path.read_bytes())
    assert made[0] == made[1]


def test_the_lossless_kind_is(tmp_path: Path) -> None:
    frames = np.random.default_rng(0).integers(0, 256, (3, 21, 33, 4), dtype=np.uint8)
    with FilmWriter(tmp_path / "a.mkv", Fraction(30), codec=LOSSLESS, background=None) as writer:
        for frame in frames:
            writer.write(frame)
    assert np.array_equal(np.stack(list(read_frames(tmp_path / "a.mkv"))), frames)


def test_a_gif_keeps_time_colours_and_words(tmp_path: Path) -> None:
    assert _durations(Fraction(30), 100, 6) == [3, 4, 3, 3, 4, 3]
    y, x = np.mgrid[:60, :80]
    frames = [
        np.stack([x * 2 + 60, y + 90, np.full_like(x, 100 + i)], axis=2).astype(np.uint8)
        for i in range(30)
    ]
    write_video(tmp_path / "a.gif", frames, fps=30, comment="polyorama render a.ply")
    with Image.open(tmp_path / "a.gif") as image:
        assert image.n_frames == 30
        assert image.info["loop"] == 0
        assert image.info["comment"].endswith(b": polyorama render a.ply")
        total = 0
        for i in range(30):
            image.seek(i)
            total += image.info["duration"]
            shown = np.asarray(image.convert("RGB")).astype(float)
            # The dither is right on average.
            error = (shown - frames[i])[:56].reshape(7, 8, 10, 8, 3).mean(axis=(1, 3))
            assert np.abs(error).mean() < 3
        assert total == 1000
    with pytest.raises(UsageError, match="at most 50"):
        write_video(tmp_path / "b.gif", frames, fps=60)
    one = [plain((10, 200, 30))]
    write_video(tmp_path / "one.gif", one)
    with Image.open(tmp_path / "one.gif") as image:
        assert np.abs(np.asarray(image.convert("RGB")).astype(int) - (10, 200, 30)).max() < 3


def test_a_clear_gif_is_cut_at_half(tmp_path: Path) -> None:
    soft = np.rint(badge() * 255).astype(np.uint8)
    moved = np.roll(soft, 9, axis=1)
    write_video(tmp_path / "a.gif", [soft, moved], fps=10, background=None)
    with Image.open(tmp_path / "a.gif") as image:
        for i, meant in enumerate((soft, moved)):
            image.seek(i)
            shown = np.asarray(image.convert("RGBA"))
            assert np.array_equal(shown[..., 3] > 0, meant[..., 3] >= 128)


def test_a_webp_keeps_its_words_and_can_be_lossless(tmp_path: Path) -> None:
    frames = np.random.default_rng(0).integers(0, 256, (4, 20, 30, 3), dtype=np.uint8)
    write_video(tmp_path / "a.webp", frames, fps=25, quality=100, comment="polyorama render a.ply")
    with Image.open(tmp_path / "a.webp") as image:
        assert image.n_frames == 4
        assert image.info["loop"] == 0
        described = image.getexif()[0x010E]
        assert described == "Comment: polyorama render a.ply"
        for i, frame in enumerate(frames):
            image.seek(i)
            assert np.array_equal(np.asarray(image.convert("RGB")), frame)


def test_contradictions_are_told(tmp_path: Path) -> None:
    frame = [plain((1, 2, 3))]
    cases = [
        ({"path": "a.avi"}, OutputError, r"can: \.mp4.*a\.avi"),
        ({"path": "a.mp4", "codec": "divx"}, UsageError, "divx.*h264"),
        ({"path": "a.mp4", "codec": "prores"}, OutputError, r"ProRes 4444 is written as \.mov"),
        ({"path": "a.webm", "codec": "h264"}, OutputError, r"not as \.webm"),
        ({"path": "a.mp4", "background": None}, UsageError, r"H\.264 has no transparency"),
        ({"path": "a.mov", "quality": 0}, UsageError, "1 to 100"),
        ({"path": "a.gif", "frames": []}, UsageError, "without frames"),
        ({"path": "a.webp", "frames": []}, UsageError, "without frames"),
    ]
    for fields, kind, words in cases:
        given = {"frames": frame} | fields
        path = tmp_path / str(given.pop("path"))
        with pytest.raises(kind, match=words):
            write_video(path, **given)
    assert list(tmp_path.iterdir()) == []
    assert choose_codec("a.mov").name == "prores"
    assert choose_codec("a.MOV", "h264").name == "h264"


@pytest.mark.parametrize("size", [(33, 17), (40, 18), (96, 95)])
def test_frames_of_about_one_coding_block_are_refused_before_x265_opens(tmp_path, size):
    frames = [np.zeros((size[1], size[0], 3), np.uint8)]
    with pytest.raises(OutputError, match="at least 96 pixels each way"):
        write_video(tmp_path / "a.mp4", frames, codec="h265")
    assert not list(tmp_path.iterdir())
