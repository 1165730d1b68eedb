"""Sound for faces: read from files in bounded memory, brought to 16 kHz, and looked over."""

from __future__ import annotations

import contextlib
import itertools
from array import array
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.face.speech.pauses import QUIETEST_VOICE
from polyorama.face.speech.prosody import LOUDEST, QUIETEST, RATE, checked_speech, prosody
from polyorama.io.audio import read_audio
from polyorama.io.files import file_size, reading
from polyorama.scene.contents import Audio

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = [
    "FULL_RATE_SECONDS",
    "LONGEST",
    "SoundReport",
    "describe_sound",
    "load_sound",
    "load_speech",
    "missing_sound",
    "speech_samples",
]

LONGEST = 3 * 3600.0
"""Of a recording of speech, s."""

FULL_RATE_SECONDS = 30 * 60.0
"""Up to which `load_sound` keeps the file's own rate and channels, s."""

_BLOCK = 1 << 16
"""Samples that are resampled at a time."""

_READ_SHARE = 0.9
"""Of what a file says it holds: with less, something is missing."""

_AT_PEAK = 0.995
_STRETCH = 15.0
_MOST_STRETCHES = 8
"""Of a long recording, stretches of 15 s spread over it are looked at."""

_QUIET = -38.0
_CLIPPED_SHARE = 0.001
_BAND_LIMIT = 4200.0
_VOICED_SHARE = 0.12
_LEAST_MOVEMENT = 11.0
_MOST_STEADY = 0.5
_STEADY = 0.1  # semitones in 50 ms: a voice hardly ever holds its pitch that still


def load_sound(path: str | os.PathLike[str]) -> Audio:
    """Read the first sound of a file for the timeline, a video's too.

    A recording of over `FULL_RATE_SECONDS` comes as 16 kHz mono, as speech is analysed, so that it
    takes 230 MB an hour at the most; a shorter one as it is.

    Raises
    ------
    FileFormatError
        If it is missing, empty, damaged, holds no sound, or more than `LONGEST`.
    """
    if _stated_seconds(path) > FULL_RATE_SECONDS:
        return Audio(samples=load_speech(path)[:, None], rate=RATE)
    audio = read_audio(path)
    _check_finite(audio.samples, path)
    if audio.seconds > LONGEST:
        raise FileFormatError(_too_long(path))
    return audio


def load_speech(path: str | os.PathLike[str]) -> NDArray[np.float32]:
    """Read the first sound of a file as speech is analysed, resampled while it is read.

    Returns
    -------
    (n,) float32 at 16 kHz, all channels mixed.

    Raises
    ------
    FileFormatError
        As `load_sound`.
    """
    import av

    source = Path(path)
    file_size(source)
    # An array of the standard library grows where it lies, so there are never two copies.
    samples = array("f")
    try:
        with reading(source), av.open(str(source)) as container:
            if not container.streams.audio:
                raise FileFormatError(f"The file holds no sound: {source}")
            stream = container.streams.audio[0]
            # Mixed here: FFmpeg's own mix of stereo is louder than its channels.
            resampler = av.AudioResampler("flt", stream.layout, RATE)
            channels = int(stream.channels)
            for frame in itertools.chain(container.decode(stream), [None]):
                for piece in resampler.resample(frame):
                    packed = piece.to_ndarray().reshape(-1, channels)
                    samples.frombytes(packed.mean(axis=1, dtype=np.float32).tobytes())
                if len(samples) > LONGEST * RATE:
                    raise FileFormatError(_too_long(source))
    except (av.FFmpegError, ValueError) as error:
        raise FileFormatError(f"The sound is damaged or of no known kind: {source}") from error
    if not samples:
        raise FileFormatError(f"The file holds no sound: {source}")
    speech = np.frombuffer(samples, np.float32)
    _check_finite(speech, source)
    return speech


def speech_samples(audio: Audio) -> NDArray[np.float32]:
    """A sound as speech is analysed; its place on the timeline and its gain are left out.

    Returns
    -------
    (n,) float32 at 16 kHz, the mean of all channels.
    """
    import av

    if audio.rate == RATE:
        same: NDArray[np.float32] = audio.samples.mean(axis=1, dtype=np.float32)
        return same
    resampler = av.AudioResampler("flt", "mono", RATE)
    done = []
    for block in _mono_blocks(audio.samples):
        frame = av.AudioFrame.from_ndarray(block[None, :], format="flt", layout="mono")
        frame.sample_rate = audio.rate
        done += [piece.to_ndarray()[0] for piece in resampler.resample(frame)]
    if done:
        done += [piece.to_ndarray()[0] for piece in resampler.resample(None)]
    mono: NDArray[np.float32] = np.concatenate([np.zeros(0, np.float32), *done])
    return mono


@dataclass(frozen=True, slots=True)
class SoundReport:
    """What a recording is like, as far as it matters to a talking face.

    Parameters
    ----------
    seconds
        How long it is, s.
    level
        Of its louder parts (the 95th percentile of 25 ms), dB of full scale.
    peak
        Largest sample, linear.
    clipped
        Share of the samples at full scale in runs of three or more, 0..1.
    bandwidth
        Frequency, Hz, below which lies all that stands out of the noise.
    voiced
        Share of the sounding time with a pitch, 0..1.
    movement
        From the quiet to the loud moments (10th to 90th percentile, cut off 50 dB below the loud
        parts), dB: 25 or more in a clean voice, 14 with noise 10 dB below it, 10 in music.
    steadiness
        Share of the pitched time in which the pitch stands still, as that of instruments does,
        0..1; below 0.15 in voices.
    harmonicity
        Median harmonics-to-noise ratio where there is a pitch, dB.
    troubles
        Sentences for people, none where all is well.
    """

    seconds: float
    level: float
    peak: float
    clipped: float
    bandwidth: float
    voiced: float
    movement: float
    steadiness: float
    harmonicity: float
    troubles: tuple[str, ...] = ()

    @property
    def silent(self) -> bool:
        """Whether nothing can be heard: the face will stay still."""
        return self.level < QUIETEST_VOICE


def describe_sound(samples: NDArray[np.floating[Any]]) -> SoundReport:
    """Look a recording over for what spoils lip sync, and say it.

    Of a long recording, eight stretches of 15 s spread over it are looked at.

    Parameters
    ----------
    samples
        (n,) at 16 kHz, -1..1.

    Raises
    ------
    UsageError
        If the samples are no row of finite numbers.
    """
    sound = checked_speech(samples)
    seconds = len(sound) / RATE
    stretches = list(_stretches(sound))
    looks = [prosody(stretch) for stretch in stretches]
    energy = np.concatenate([look.energy for look in looks])
    f0 = np.concatenate([look.f0 for look in looks])
    hnr = np.concatenate([look.hnr for look in looks])
    level = float(np.quantile(energy, 0.95)) if len(energy) else QUIETEST
    peak = float(max((np.abs(stretch).max(initial=0.0) for stretch in stretches), default=0.0))
    sounding = energy > max(level - 30.0, QUIETEST_VOICE)
    pitched = sounding & (f0 > 0)
    voiced = float(pitched.sum() / max(sounding.sum(), 1))
    low, high = np.percentile(np.maximum(energy, level - 50.0), (10, 90)) if len(energy) else (0, 0)
    report = SoundReport(
        seconds=seconds,
        level=level,
        peak=peak,
        clipped=_clipped_share(stretches, peak),
        bandwidth=_bandwidth(stretches),
        voiced=voiced,
        movement=float(high - low),
        steadiness=_steadiness(f0),
        harmonicity=float(np.median(hnr[pitched])) if pitched.any() else 0.0,
    )
    return replace(report, troubles=tuple(_troubles(report)))


def _troubles(report: SoundReport) -> Iterator[str]:
    if report.seconds > LONGEST:
        yield (
            f"The recording lasts {report.seconds / 3600:.1f} h; at most {LONGEST / 3600:.0f} h "
            "are taken, so cut it."
        )
    if report.silent:
        yield "The recording is silent, so the face will stay still."
        return
    if report.level < _QUIET:
        yield (
            f"The recording is very quiet ({report.level:.0f} dB of full scale); raise the level "
            "or move closer to the microphone."
        )
    if report.clipped > _CLIPPED_SHARE:
        yield (
            f"{100 * report.clipped:.1f} % of the recording is clipped, which blurs s, f and t; "
            "record it again at a lower level."
        )
    if report.bandwidth < _BAND_LIMIT:
        yield (
            f"The recording holds nothing above {report.bandwidth / 1000:.1f} kHz, as on the "
            "phone; s, f and th look less certain."
        )
    if report.voiced < _VOICED_SHARE:
        yield (
            "Hardly any of the recording has the pitch of a voice; it may be noise, or whispered, "
            "and lips will follow it poorly."
        )
    elif report.steadiness > _MOST_STEADY or report.movement < _LEAST_MOVEMENT:
        yield (
            "The recording sounds more like music or noise than like a voice alone; use the voice "
            "without them where you have it."
        )


def _stretches(sound: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    size = int(_STRETCH * RATE)
    if len(sound) <= _MOST_STRETCHES * size:
        yield sound
        return
    for start in np.linspace(0, len(sound) - size, _MOST_STRETCHES).astype(int):
        yield sound[start : start + size]


def _steadiness(f0: NDArray[np.float32]) -> float:
    """Share of the steps of 50 ms inside voiced parts in which the pitch stays as it is."""
    semitones = 12 * np.log2(np.maximum(f0, 1.0))
    inside = (f0[5:] > 0) & (f0[:-5] > 0)
    still = np.abs(semitones[5:] - semitones[:-5])[inside] < _STEADY
    return float(still.mean()) if len(still) else 0.0


def _clipped_share(stretches: list[NDArray[np.float32]], peak: float) -> float:
    """Share of samples in runs of three or more that stay at the peak, where that is loud."""
    total = sum(map(len, stretches))
    if peak < 0.25 or not total:
        return 0.0
    count = 0
    for stretch in stretches:
        at_top = np.abs(stretch) >= _AT_PEAK * peak
        edges = np.flatnonzero(np.diff(np.concatenate([[False], at_top, [False]]).astype(np.int8)))
        lengths = edges[1::2] - edges[::2]
        count += int(lengths[lengths >= 3].sum())
    return count / total


def _bandwidth(stretches: list[NDArray[np.float32]]) -> float:
    """The highest frequency (Hz) with power within 55 dB of the strongest band's loud moments."""
    width = 512
    window = np.hanning(width).astype(np.float32)
    tops = np.zeros(width // 2 + 1)
    for stretch in stretches:
        frames = stretch[: len(stretch) // width * width].reshape(-1, width)
        for first in range(0, len(frames), 1024):
            power = np.abs(np.fft.rfft(frames[first : first + 1024] * window)) ** 2
            tops = np.maximum(tops, np.quantile(power, 0.98, axis=0))
    if tops.max() <= 0:
        return 0.0
    bands = np.convolve(tops, np.ones(5) / 5, "same")
    # The mean over five bins reaches two further than the sound.
    highest = max(int(np.flatnonzero(bands >= bands.max() * 10**-5.5)[-1]) - 2, 0)
    return highest * RATE / width


def _mono_blocks(samples: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    for first in range(0, len(samples), _BLOCK):
        yield np.ascontiguousarray(samples[first : first + _BLOCK].mean(axis=1, dtype=np.float32))


def _stated_seconds(path: str | os.PathLike[str]) -> float:
    """How long the file says its sound is, s; what it does not say is taken for short."""
    import av

    file_size(path)
    with contextlib.suppress(av.FFmpegError, ValueError, OSError), av.open(str(path)) as container:
        stream = next(iter(container.streams.audio), None)
        if stream is not None and stream.duration is not None and stream.time_base is not None:
            return float(stream.duration * stream.time_base)
        if container.duration is not None:
            return float(container.duration / av.time_base)
    return 0.0


def missing_sound(path: str | os.PathLike[str], seconds: float) -> str:
    """A sentence for people where a file says that it holds much more than was read, else "".

    Parameters
    ----------
    seconds
        How much was read, s.
    """
    stated = _stated_seconds(path)
    if seconds > _READ_SHARE * stated:
        return ""
    return (
        f"The file says that it holds {stated:.1f} s of sound, but ends after {seconds:.1f} s; it "
        "may be cut short, so copy it again."
    )


def _check_finite(samples: NDArray[np.float32], path: str | os.PathLike[str]) -> None:
    if not np.isfinite(np.sum(samples, dtype=np.float64)):
        raise FileFormatError(f"The sound holds samples that are no numbers: {path}")
    peak = max(samples.max(initial=0.0), -samples.min(initial=0.0))
    if peak > LOUDEST:
        raise FileFormatError(
            f"The sound's samples reach {peak:.0e}, where full scale is 1; save it again as "
            f"16-bit: {path}"
        )


def _too_long(path: str | os.PathLike[str]) -> str:
    return f"The recording is longer than {LONGEST / 3600:.0f} hours; cut it into parts: {path}"
