"""Joining parts of a film packet by packet, with a sound beside them; nothing is encoded again."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from polyorama.errors import OutputError
from polyorama.io.soundtrack import SoundStream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["copy_packets"]

_DAMAGED = "This part of the film is damaged; make it again: {}"


@contextmanager
def _opened(part: Path) -> Iterator[Any]:
    """A part of a film, opened, of which errors are told by its name."""
    import av

    try:
        with av.open(str(part)) as source:
            if not source.streams.video:
                raise OutputError(_DAMAGED.format(part))
            yield source
    except av.InvalidDataError as error:
        raise OutputError(_DAMAGED.format(part)) from error


def _stream_like(container: Any, track: Any) -> Any:
    """A stream for packets of `track`, with all by which players tell what it is.

    PyAV's template leaves out the four letters of its kind (hvc1, ap4h), for which FFmpeg would
    guess others, and the mark that Matroska's frames have alpha.
    """
    stream = container.add_stream_from_template(track)
    lettered = container.format.name != "matroska" or track.codec_context.name == "prores"
    if lettered and container.format.name != "webm":
        stream.codec_context.codec_tag = track.codec_context.codec_tag
    for name, value in track.metadata.items():
        if name.lower() == "alpha_mode":
            stream.metadata["alpha_mode"] = value
    return stream


def copy_packets(
    container: Any,
    parts: Sequence[Path],
    fps: Fraction,
    target: Path,
    sound: NDArray[np.float32] | None,
) -> None:
    """Copy what was encoded, with times counted in frames, and what sounds beside it.

    Encoders hand frames out in decoding order, a few early, so decoding times begin below zero. As
    parts may differ in that delay, all are given the longest.

    Parameters
    ----------
    container
        PyAV's, open for writing.
    parts
        At least one film, of equal settings.
    fps
        Their frame rate.
    target
        The film that is written, by whose ending the sound is encoded.
    sound
        (n, 2) float32 at `polyorama.io.soundtrack.SOUND_RATE`, or None.

    Raises
    ------
    OutputError
        If a part is damaged.
    """
    delay = 0
    for part in parts:
        with _opened(part) as source:
            first = next(source.demux(video=0))
            if first.dts is None:
                raise OutputError(_DAMAGED.format(part))
            delay = max(delay, -round(first.dts * first.time_base * fps))
    stream = track_of_sound = None
    start = number = 0
    for part in parts:
        with _opened(part) as source:
            track = source.streams.video[0]
            if stream is None:
                stream = _stream_like(container, track)
                stream.time_base = 1 / fps
                if sound is not None:
                    track_of_sound = SoundStream(container, target, sound)
            for packet in source.demux(track):
                # The last packet of each file is empty; it only says that the file has ended.
                if packet.dts is None:
                    continue
                packet.pts = start + round(packet.pts * packet.time_base * fps)
                packet.dts = number - delay
                packet.duration = 1
                packet.time_base = 1 / fps
                packet.stream = stream
                if track_of_sound is not None:
                    track_of_sound.write_until(float((number + 1) / fps))
                container.mux(packet)
                number += 1
            # A file that was cut short simply ends, for those who read it.
            if track.frames and number - start != track.frames:
                raise OutputError(_DAMAGED.format(part))
            start = number
    if track_of_sound is not None:
        track_of_sound.end()
