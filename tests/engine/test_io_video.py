"""Films: colours that come back, sizes, rates, joining, and nothing half-written."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import av
import numpy as np
import pytest

from polyorama.errors import OutputError, UsageError
from polyorama.io.codecs import CODECS, encoder_options, quality_of
from polyorama.io.video import frame_rate, join_films, write_video
from polyorama.render.frame import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator


def plain(color: tuple[int, ...], width: int = 64, height: int = 48) -> np.ndarray:
    return np.tile(np.array(color, np.uint8), (height, width, 1))


def decoded(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.mark.parametrize(
    "color",
    [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (127, 127, 127),
     (250, 180, 84)],
)  # fmt: skip
def test_colors_come_back(tmp_path: Path, color: tuple[int, int, int]) -> None:
    path = tmp_path / "a.mp4"
    write_video(path, [plain(color)] * 3, fps=24)
    frames = decoded(path)
    assert len(frames) == 3
    for frame in frames:
        assert np.abs(frame.astype(int) - color).max() <= 3


def test_the_file_says_how_its_colors_are_meant(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    assert write_video(path, [plain((9, 9, 9))] * 5, fps=25, comment="by hand") == 5
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        context = stream.codec_context
        assert (context.color_range, context.colorspace) == (1, 1)
        assert (context.color_primaries, context.color_trc) == (1, 1)
        assert context.pix_fmt == "yuv420p"
        assert stream.average_rate == 25
        assert stream.frames == 5
        assert container.metadata["comment"].endswith(": by hand")
    data = path.read_bytes()
    # The index comes before the pictures, so that players can start before all is loaded.
    assert data.index(b"moov") < data.index(b"mdat")


def test_frames_keep_their_order_and_detail(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    base = np.kron(rng.integers(0, 256, (6, 8, 3)), np.ones((8, 8, 1))).astype(np.uint8)
    frames = [np.roll(base, 8 * i, axis=1) for i in range(70)]
    write_video(tmp_path / "a.mp4", iter(frames), fps=30)
    back = decoded(tmp_path / "a.mp4")
    assert len(back) == 70
    for shown, meant in zip(back, frames, strict=True):
        luma = np.abs(shown.astype(float).mean(axis=2) - meant.astype(float).mean(axis=2))
        assert luma[4::8, 4::8].mean() < 6.0


@pytest.mark.parametrize(("width", "height"), [(33, 20), (32, 21), (33, 21), (1, 1)])
def test_odd_sizes_grow_by_a_copied_line(tmp_path: Path, width: int, height: int) -> None:
    pixels = plain((200, 30, 60), width, height)
    write_video(tmp_path / "a.mp4", [pixels] * 2)
    frame = decoded(tmp_path / "a.mp4")[0]
    assert frame.shape == (height + height % 2, width + width % 2, 3)
    assert np.abs(frame.astype(int) - (200, 30, 60)).max() <= 4


def test_transparent_frames_are_laid_over_the_background(tmp_path: Path) -> None:
    frame = Frame(rgba8=np.zeros((16, 16, 4), np.uint8))
    write_video(tmp_path / "a.mkv", [frame] * 2, background=(0.0, 1.0, 0.0))
    assert np.abs(decoded(tmp_path / "a.mkv")[0].astype(int) - (0, 255, 0)).max() <= 3


def test_quality_changes_the_size(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frames = [rng.integers(0, 256, (48, 64, 3), dtype=np.uint8) for _ in range(4)]
    sizes = []
    for quality in (30, 90):
        write_video(tmp_path / "a.mp4", frames, quality=quality)
        sizes.append((tmp_path / "a.mp4").stat().st_size)
    assert sizes[0] < 0.6 * sizes[1]
    factors = [
        int(encoder_options(CODECS["h264"], quality_of(q), "fast", 60)["crf"])
        for q in (None, 100, 90, 50, 1)
    ]
    assert factors == [17, 13, 17, 33, 51]
    for bad in (0, 101):
        with pytest.raises(UsageError, match="1 to 100"):
            quality_of(bad)


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        (30, Fraction(30)),
        ("24", Fraction(24)),
        (29.97, Fraction(30000, 1001)),
        ("23.976", Fraction(24000, 1001)),
        (59.94, Fraction(60000, 1001)),
        ("30000/1001", Fraction(30000, 1001)),
        (12.5, Fraction(25, 2)),
    ],
)
def test_frame_rates_are_exact(given: float | str, exact: Fraction) -> None:
    assert frame_rate(given) == exact


@pytest.mark.parametrize("bad", ["fast", 0, -5, float("nan"), float("inf"), 5000, "1/0"])
def test_impossible_frame_rates_are_refused(bad: float | str) -> None:
    with pytest.raises(UsageError, match="frame rate"):
        frame_rate(bad)


@pytest.mark.parametrize("fps", [30, 29.97, 12.5])
@pytest.mark.parametrize("ending", ["mp4", "mkv"])
def test_joined_parts_play_as_one_film(tmp_path: Path, fps: float, ending: str) -> None:
    frames = [plain((i * 6, 255 - i * 6, 128)) for i in range(40)]
    parts = []
    for i, (start, stop) in enumerate([(0, 17), (17, 18), (18, 40)]):
        parts.append(tmp_path / f"{i}.mp4")
        write_video(parts[-1], frames[start:stop], fps=fps)
    whole = tmp_path / f"whole.{ending}"
    join_films(whole, parts, fps, comment="all")
    with av.open(str(whole)) as container:
        stream = container.streams.video[0]
        shown = list(container.decode(stream))
        times = [float(frame.pts * frame.time_base) for frame in shown]
    tolerance = 0.0006 if ending == "mkv" else 1e-4
    assert np.allclose(times, np.arange(40) / float(frame_rate(fps)), atol=tolerance)
    for frame, meant in zip(shown, frames, strict=True):
        pixels = frame.to_ndarray(format="rgb24").astype(int)
        assert np.abs(pixels - meant).max() <= 8


def test_a_failing_source_leaves_nothing(tmp_path: Path) -> None:
    def frames() -> Iterator[np.ndarray]:
        for _ in range(20):
            yield plain((1, 2, 3))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_video(tmp_path / "a.mp4", frames())
    assert list(tmp_path.iterdir()) == []


def test_errors_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"can: \.mp4.*a\.avi"):
        write_video(tmp_path / "a.avi", [plain((0, 0, 0))])
    with pytest.raises(UsageError, match="without frames"):
        write_video(tmp_path / "a.mp4", [])
    with pytest.raises(UsageError, match="Frame 1 is 32x48"):
        write_video(tmp_path / "a.mp4", [plain((0, 0, 0)), plain((0, 0, 0), 32)])
    with pytest.raises(OutputError, match=r"missing.a\.mp4"):
        write_video(tmp_path / "missing" / "a.mp4", [plain((0, 0, 0))])
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    from polyorama.io.video import FilmWriter

    noise = np.random.default_rng(0).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    (tmp_path / "full.mp4").symlink_to("/dev/full")
    writer = FilmWriter(tmp_path / "full.mp4", Fraction(30), quality=100)

    def fill() -> None:
        with writer:
            for _ in range(60):
                writer.write(noise)

    with pytest.raises(OSError, match="cannot be encoded"):
        fill()


@pytest.mark.parametrize("left", [0, 100, 1000])
def test_a_damaged_part_is_named(tmp_path: Path, left: int) -> None:
    for name in ("a.mp4", "b.mp4"):
        write_video(tmp_path / name, [plain((9, 99, 200))] * 4, fps=24)
    data = (tmp_path / "b.mp4").read_bytes()
    (tmp_path / "b.mp4").write_bytes(data[:left])
    with pytest.raises(OutputError, match=r"damaged.*b\.mp4"):
        join_films(tmp_path / "c.mp4", [tmp_path / "a.mp4", tmp_path / "b.mp4"], 24)
    assert not (tmp_path / "c.mp4").exists()
