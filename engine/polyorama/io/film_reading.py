"""Reading films that `FilmWriter` made: their pixels, and whether they are whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["film_is_whole", "read_frames"]


def read_frames(path: str | os.PathLike[str]) -> Iterator[NDArray[np.uint8]]:
    """The (H, W, 4) premultiplied pixels of a lossless film that `FilmWriter` made."""
    import av

    with av.open(str(path)) as source:
        for frame in source.decode(video=0):
            yield frame.to_ndarray(format="bgra")[..., [2, 1, 0, 3]]


def film_is_whole(path: Path, frames: int) -> bool:
    """Whether a film of `FilmWriter` has that many frames and can be decoded without an error."""
    import av

    count = 0
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            # Else the decoder paints over what is missing.
            stream.codec_context.options = {"err_detect": "explode"}
            for frame in container.decode(stream):
                if frame.is_corrupt:
                    return False
                count += 1
    except (av.FFmpegError, IndexError):
        return False
    return count == frames
