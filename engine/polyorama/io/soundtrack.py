"""The sound of films: the document's audio nodes mixed to one track, and that track in the file."""

from __future__ import annotations

import logging
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.arguments import check_number
from polyorama.errors import OutputError, UsageError
from polyorama.scene.contents import Audio
from polyorama.scene.faces.actor import Actor

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.scene.document import Document

__all__ = [
    "SOUND_ENDINGS",
    "SOUND_RATE",
    "SoundStream",
    "check_sound",
    "mix_audio",
    "sounding",
]

log = logging.getLogger(__name__)

SOUND_RATE = 48_000
"""Samples a second of films' sound, Hz: what AAC and Opus both take."""
SOUND_ENDINGS = {
    ".mp4": "aac", ".m4v": "aac", ".mov": "aac", ".mkv": "aac", ".webm": "libopus",
}  # fmt: skip
"""FFmpeg's encoder for the sound of each kind of film that can hold one."""
_BITS_PER_SECOND = 192_000
_MOST_BYTES = 4 << 30
_LAYOUTS = {1: "mono", 2: "stereo", 3: "2.1", 4: "quad", 6: "5.1", 8: "7.1"}
_EDGE = 64
"""Samples beside a piece that is resampled, so that its ends sound as in the whole."""


def mix_audio(
    document: Document, *, start: float = 0.0, seconds: float | None = None
) -> NDArray[np.float32] | None:
    """Mix the audio nodes that are visible to one track.

    Where they are louder together than a film can hold, all is made quieter, which is logged.

    Parameters
    ----------
    document
        What sounds; a node is silent where it or what it is below is not visible.
    start
        Which part of the timeline, s.
    seconds
        How long; None goes on to the timeline's end.

    Returns
    -------
    (n, 2) float32, or None
        At `SOUND_RATE`, exactly as long as was asked for; None where nothing sounds meanwhile.

    Raises
    ------
    UsageError
        If the part is empty or longer than 4 GiB of sound.
    """
    check_number(start, "start")
    length = document.timeline.duration - start if seconds is None else seconds
    check_number(length, "seconds")
    count = round(length * SOUND_RATE)
    if count < 1:
        raise UsageError(f"A part of {length:g} s has no sound.")
    if 8 * count > _MOST_BYTES:
        raise UsageError(f"A sound of {length:g} s is too long to be mixed.")
    mixed: NDArray[np.float32] | None = None
    for audio in sounding(document):
        piece, at = _piece(audio, start, length)
        if not len(piece):
            continue
        if mixed is None:
            mixed = np.zeros((count, 2), np.float32)
        room = mixed[at : at + len(piece)]
        room += piece[: len(room)] * np.float32(audio.gain)
    if mixed is None:
        return None
    peak = float(np.abs(mixed).max())
    if peak > 1.0:
        log.warning(
            "The sounds together are too loud by %.1f dB; all of them are made quieter.",
            20.0 * np.log10(peak),
        )
        mixed *= np.float32(1.0 / peak)
    return mixed


def sounding(document: Document) -> Iterator[Audio]:
    """The sounds of a document that are heard, and the voices of its faces.

    Their nodes and all above them are visible.
    """
    shown: dict[str, bool] = {}
    for node in document.nodes:
        shown[node.id] = node.visible and (node.parent is None or shown[node.parent])
        if not shown[node.id]:
            continue
        sound = node.content
        if isinstance(sound, Actor):
            sound = sound.voice
        if isinstance(sound, Audio) and sound.gain > 0.0:
            yield sound


def _piece(audio: Audio, start: float, seconds: float) -> tuple[NDArray[np.float32], int]:
    """What is heard of a sound in a part of the timeline, (n, 2) float32, and its first sample."""
    first = max(0.0, start - audio.start)
    last = min(audio.seconds, start + seconds - audio.start)
    low, high = round(first * audio.rate), round(last * audio.rate)
    if low >= high:
        return np.zeros((0, 2), np.float32), 0
    at = round((audio.start + low / audio.rate - start) * SOUND_RATE)
    if audio.rate == SOUND_RATE and audio.samples.shape[1] <= 2:
        piece = audio.samples[low:high]
        return np.broadcast_to(piece, (len(piece), 2)), max(at, 0)
    edge = min(_EDGE, low)
    piece = _resampled(audio.samples[low - edge : high + _EDGE], audio.rate)
    skipped = round(edge * SOUND_RATE / audio.rate)
    count = round((high - low) * SOUND_RATE / audio.rate)
    return piece[skipped : skipped + count], max(at, 0)


def _resampled(samples: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    """Samples at another rate and of any number of channels, as stereo at `SOUND_RATE`."""
    import av

    channels = samples.shape[1]
    layout = _LAYOUTS.get(channels)
    if layout is None:
        samples, layout = samples.mean(axis=1, keepdims=True), "mono"
    # A single channel sounds from both sides as loud as it is; FFmpeg would make it quieter.
    wanted = "mono" if layout == "mono" else "stereo"
    resampler = av.AudioResampler("fltp", wanted, SOUND_RATE)
    planes = np.ascontiguousarray(samples.T, np.float32)
    frame = av.AudioFrame.from_ndarray(planes, format="fltp", layout=layout)
    frame.sample_rate = rate
    frame.pts = 0
    made = [*resampler.resample(frame), *resampler.resample(None)]
    joined = np.concatenate([part.to_ndarray() for part in made], axis=1)
    return np.asarray(np.broadcast_to(joined.T, (joined.shape[1], 2)), np.float32)


def check_sound(path: str | os.PathLike[str], samples: NDArray[np.float32]) -> None:
    """Refuse sound for a film that cannot hold one, or sound of another form than is mixed.

    Raises
    ------
    OutputError
        If films with that ending hold no sound.
    UsageError
        If it is not (n, 2) float32 and finite.
    """
    ending = Path(path).suffix.lower()
    if ending not in SOUND_ENDINGS:
        known = ", ".join(SOUND_ENDINGS)
        raise OutputError(f"This kind of film holds no sound (can: {known}): {path}")
    samples = np.asarray(samples)
    if samples.ndim != 2 or samples.shape[1] != 2 or samples.dtype != np.float32:
        raise UsageError("The sound of a film is an array (n, 2) of float32.")
    if not len(samples) or not np.isfinite(samples).all():
        raise UsageError("The sound of a film has at least one sample, and all are finite.")


class SoundStream:
    """A track in a film that is being written, encoded as pictures come.

    Parameters
    ----------
    container
        PyAV's, open for writing; no packet has been written yet.
    path
        The film; its ending chooses the encoder.
    samples
        (n, 2) float32 at `SOUND_RATE`.
    """

    def __init__(self, container: Any, path: Path, samples: NDArray[np.float32]) -> None:
        check_sound(path, samples)
        self._container = container
        self._samples = samples
        self._stream = container.add_stream(
            SOUND_ENDINGS[path.suffix.lower()], rate=SOUND_RATE, layout="stereo"
        )
        self._stream.bit_rate = _BITS_PER_SECOND
        # With more threads the same sound might give other bytes.
        self._stream.codec_context.thread_count = 1
        self._written = 0

    def write_until(self, seconds: float) -> None:
        """Write what sounds up to a time of the film, s, so that players need not look for it."""
        wanted = min(round(seconds * SOUND_RATE), len(self._samples))
        while self._written < wanted:
            self._write(min(SOUND_RATE, len(self._samples) - self._written))

    def end(self) -> None:
        """Write the rest."""
        self.write_until(len(self._samples) / SOUND_RATE)
        self._container.mux(self._stream.encode(None))

    def _write(self, count: int) -> None:
        import av

        piece = np.clip(self._samples[self._written : self._written + count], -1.0, 1.0)
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(piece.T), format="fltp", layout="stereo"
        )
        frame.sample_rate = SOUND_RATE
        frame.pts, frame.time_base = self._written, Fraction(1, SOUND_RATE)
        self._container.mux(self._stream.encode(frame))
        self._written += count
