"""The sound of films: mixed from the document's sounds, and heard in the file."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.errors import OutputError, UsageError
from polyorama.io.audio import read_audio
from polyorama.io.soundtrack import SOUND_RATE, mix_audio
from polyorama.io.spherical import Presentation
from polyorama.io.video import FilmWriter, frame_rate, join_films
from polyorama.scene.contents import Audio
from polyorama.scene.document import Document, Node
from polyorama.scene.timeline import Timeline

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def tone(
    seconds: float, frequency: float = 440.0, rate: int = SOUND_RATE, channels: int = 1
) -> NDArray[np.float32]:
    """(n, channels) float32: a sine of half the full loudness."""
    times = np.arange(round(seconds * rate)) / rate
    wave = 0.5 * np.sin(2 * np.pi * frequency * times)
    return np.repeat(wave[:, None], channels, axis=1).astype(np.float32)


def sounding(*sounds: Audio, duration: float = 2.0) -> Document:
    nodes = tuple(Node(f"sound {i}", sound, id=f"s{i}") for i, sound in enumerate(sounds))
    return Document(nodes=nodes, timeline=Timeline(duration=duration))


def pitch(samples: NDArray[np.float32], rate: int = SOUND_RATE) -> float:
    """The loudest frequency, Hz."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * rate / len(samples))


# Mixing


def test_nothing_sounds_where_there_is_no_sound() -> None:
    assert mix_audio(Document()) is None
    late = Audio(samples=tone(1.0), rate=SOUND_RATE, start=5.0)
    assert mix_audio(sounding(late)) is None
    assert mix_audio(sounding(late, duration=6.0), start=0.0, seconds=4.0) is None


def test_a_sound_lies_where_it_begins_and_is_as_loud_as_it_says() -> None:
    sound = Audio(samples=tone(0.5), rate=SOUND_RATE, start=0.75, gain=0.5)
    mixed = mix_audio(sounding(sound))
    assert mixed is not None
    assert mixed.shape == (2 * SOUND_RATE, 2)
    assert mixed.dtype == np.float32
    heard = np.flatnonzero(np.abs(mixed[:, 0]) > 1e-4)
    assert abs(heard[0] - 0.75 * SOUND_RATE) < 20
    assert abs(heard[-1] - 1.25 * SOUND_RATE) < 20
    expected = 0.5 * tone(0.5)[:, 0]
    start = round(0.75 * SOUND_RATE)
    assert np.array_equal(mixed[start : start + len(expected), 0], expected)
    assert np.array_equal(mixed[:, 0], mixed[:, 1])


def test_sounds_add_up() -> None:
    one = Audio(samples=tone(1.0, 300.0), rate=SOUND_RATE)
    other = Audio(samples=tone(1.0, 700.0), rate=SOUND_RATE, start=0.25, gain=0.4)
    both = mix_audio(sounding(one, other))
    alone = [mix_audio(sounding(sound)) for sound in (one, other)]
    assert both is not None
    assert alone[0] is not None
    assert alone[1] is not None
    assert np.allclose(both, alone[0] + alone[1], atol=1e-6)


@pytest.mark.parametrize("start", [0.1, 0.5, 1.3])
@pytest.mark.parametrize("rate", [SOUND_RATE, 44_100, 22_050])
def test_a_part_is_a_part_of_the_whole(start: float, rate: int) -> None:
    """A film made in parts, or of a range, sounds as the whole one does there."""
    sound = Audio(samples=tone(1.5, 500.0, rate, 2), rate=rate, start=0.2)
    whole, part = (
        mix_audio(sounding(sound)),
        mix_audio(sounding(sound), start=start, seconds=0.4),
    )
    assert whole is not None
    assert part is not None
    assert len(part) == round(0.4 * SOUND_RATE)
    at = round(start * SOUND_RATE)
    # A sound that is resampled may lie off by a share of one sample.
    assert np.abs(part - whole[at : at + len(part)])[100:-100].max() < 0.04


@pytest.mark.parametrize("rate", [8000, 22_050, 44_100, 96_000])
@pytest.mark.parametrize("channels", [1, 2, 5, 6])
def test_any_rate_and_channels_become_stereo(rate: int, channels: int) -> None:
    sound = Audio(samples=tone(1.0, 440.0, rate, channels), rate=rate)
    mixed = mix_audio(sounding(sound, duration=1.0))
    assert mixed is not None
    assert abs(pitch(mixed[:, 0]) - 440.0) <= 1.0
    middle = mixed[8000:40_000]
    loud = np.sqrt((middle**2).mean(axis=0))
    assert loud == pytest.approx(loud[0], rel=0.02)
    if channels <= 2:
        assert loud[0] == pytest.approx(0.5 / np.sqrt(2), rel=0.01)


def test_left_stays_left() -> None:
    samples = tone(1.0, channels=2)
    samples[:, 1] = 0.0
    for rate in (SOUND_RATE, 44_100):
        mixed = mix_audio(sounding(Audio(samples=samples, rate=rate)))
        assert mixed is not None
        assert np.abs(mixed[:, 0]).max() > 0.4
        assert np.abs(mixed[:, 1]).max() < 1e-3


def test_what_is_too_loud_is_made_quieter_and_told(caplog: pytest.LogCaptureFixture) -> None:
    sound = Audio(samples=tone(0.5), rate=SOUND_RATE, gain=8.0)
    with caplog.at_level(logging.WARNING):
        mixed = mix_audio(sounding(sound))
    assert mixed is not None
    assert np.abs(mixed).max() == pytest.approx(1.0)
    assert "12.0 dB" in caplog.text


def test_what_is_not_visible_is_silent() -> None:
    sound = Audio(samples=tone(0.5), rate=SOUND_RATE)
    group = Node("group", id="g", visible=False)
    for nodes in (
        (Node("s", sound, visible=False),),
        (group, Node("s", sound, parent="g")),
        (Node("s", Audio(samples=tone(0.5), rate=SOUND_RATE, gain=0.0)),),
    ):
        assert mix_audio(Document(nodes=nodes)) is None


@pytest.mark.parametrize(("start", "seconds"), [(0.0, 0.0), (0.0, -1.0), (0.0, 1e6), (9.0, None)])
def test_parts_that_cannot_be_are_refused(start: float, seconds: float | None) -> None:
    with pytest.raises(UsageError):
        mix_audio(sounding(duration=6.0), start=start, seconds=seconds)


# Films


def a_part(path: Path, frames: int = 30, codec: str | None = None) -> Path:
    from polyorama.io.codecs import choose_codec

    with FilmWriter(path, frame_rate(15), codec=choose_codec(path, codec), quality=30) as writer:
        for number in range(frames):
            writer.write(np.full((32, 48, 3), 8 * number % 256, np.uint8))
    return path


@pytest.mark.parametrize(
    ("ending", "part", "encoder"),
    [(".mp4", ".mp4", "aac"), (".mov", ".mov", "aac"), (".mkv", ".mp4", "aac"),
     (".webm", ".webm", "opus")],
)  # fmt: skip
def test_a_film_has_its_sound(tmp_path: Path, ending: str, part: str, encoder: str) -> None:
    import av

    parts = [a_part(tmp_path / f"{number}{part}") for number in range(2)]
    sound = Audio(samples=tone(2.0, 880.0), rate=SOUND_RATE, start=1.0)
    mixed = mix_audio(sounding(sound, duration=4.0))
    target = tmp_path / f"film{ending}"
    join_films(target, parts, 15, sound=mixed)
    with av.open(str(target)) as film:
        assert film.streams.audio[0].codec_context.name.removeprefix("lib") == encoder
        assert sum(1 for _ in film.decode(video=0)) == 60
    heard = read_audio(target)
    assert heard.rate == SOUND_RATE
    assert heard.seconds == pytest.approx(4.0, abs=0.06)
    left = heard.samples[:, 0]
    assert np.abs(left[: round(0.9 * SOUND_RATE)]).max() < 0.02
    assert abs(pitch(left[round(1.2 * SOUND_RATE) : round(2.8 * SOUND_RATE)]) - 880.0) < 2.0
    onset = np.flatnonzero(np.abs(left) > 0.2)[0] / SOUND_RATE
    assert onset == pytest.approx(1.0, abs=0.03), "in sync within a frame"


def test_picture_and_sound_lie_side_by_side_in_the_file(tmp_path: Path) -> None:
    import av

    parts = [a_part(tmp_path / "0.mp4", 120)]
    sound = Audio(samples=tone(8.0), rate=SOUND_RATE)
    target = tmp_path / "film.mp4"
    join_films(target, parts, 15, sound=mix_audio(sounding(sound, duration=8.0)))
    last = {"video": 0.0, "audio": 0.0}
    apart = 0.0
    with av.open(str(target)) as film:
        for packet in film.demux():
            if packet.dts is None:
                continue
            last[packet.stream.type] = float(packet.dts * packet.time_base)
            apart = max(apart, abs(last["video"] - last["audio"]))
    assert apart < 1.6


def test_the_same_film_has_the_same_bytes(tmp_path: Path) -> None:
    parts = [a_part(tmp_path / "0.mp4")]
    mixed = mix_audio(sounding(Audio(samples=tone(2.0), rate=44_100)))
    for name in ("a.mp4", "b.mp4"):
        join_films(tmp_path / name, parts, 15, sound=mixed)
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


def test_a_panorama_with_sound_still_says_that_it_is_one(tmp_path: Path) -> None:
    parts = [a_part(tmp_path / "0.mp4")]
    mixed = mix_audio(sounding(Audio(samples=tone(2.0), rate=SOUND_RATE)))
    target = tmp_path / "film.mp4"
    join_films(target, parts, 15, sound=mixed, presentation=Presentation(panorama=True))
    assert b"sv3d" in target.read_bytes()
    assert read_audio(target).seconds > 1.9


def test_what_holds_no_sound_is_refused(tmp_path: Path) -> None:
    silent = np.zeros((10, 2), np.float32)
    with pytest.raises(OutputError, match="holds no sound"):
        join_films(tmp_path / "a.gif", [tmp_path / "0.mkv"], 15, sound=silent)
    for wrong in (silent[:, :1], silent.astype(np.float64), silent[:0], silent + np.nan):
        with pytest.raises(UsageError):
            join_films(tmp_path / "a.mp4", [tmp_path / "0.mp4"], 15, sound=wrong)
    assert list(tmp_path.iterdir()) == []
