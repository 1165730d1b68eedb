"""Sound from files, as samples for the timeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.io.files import file_size, reading
from polyorama.scene.contents import Audio

if TYPE_CHECKING:
    import os

__all__ = ["AUDIO_ENDINGS", "read_audio"]

AUDIO_ENDINGS = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aac", ".aif", ".aiff")
_MOST_BYTES = 2 << 30
"""Of samples in memory: more than three hours of stereo."""


def read_audio(path: str | os.PathLike[str]) -> Audio:
    """Read the first sound of a file, whatever packs it.

    Raises
    ------
    FileFormatError
        If it is missing, damaged, holds no sound, or more than 2 GiB of samples.
    """
    import av

    source = Path(path)
    file_size(source)
    pieces = []
    taken = 0
    try:
        with reading(source), av.open(str(source)) as container:
            if not container.streams.audio:
                raise FileFormatError(f"The file holds no sound: {source}")
            stream = container.streams.audio[0]
            rate, channels = int(stream.rate), int(stream.channels)
            # Packed: samples of all channels side by side.
            resampler = av.AudioResampler("flt", stream.layout, rate)
            for frame in container.decode(stream):
                for piece in resampler.resample(frame):
                    pieces.append(piece.to_ndarray().reshape(-1, channels))
                    taken += pieces[-1].nbytes
                if taken > _MOST_BYTES:
                    raise FileFormatError(f"The sound is too long (over 2 GiB): {source}")
            rest = resampler.resample(None)
            pieces += [piece.to_ndarray().reshape(-1, channels) for piece in rest]
    except (av.FFmpegError, ValueError) as error:
        raise FileFormatError(f"The sound is damaged or of no known kind: {source}") from error
    if not pieces:
        raise FileFormatError(f"The file holds no sound: {source}")
    return Audio(samples=np.concatenate(pieces).astype(np.float32, copy=False), rate=rate)
