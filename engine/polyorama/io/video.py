"""Films: H.264 in MP4, QuickTime or Matroska, through PyAV.

Pixels are display RGB with BT.709 primaries; they are stored as 4:2:0 Y'CbCr with the BT.709
matrix and limited range, and the file says so, so that players show the colours that were drawn.
"""

from __future__ import annotations

import logging
import queue
import threading
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import OutputError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.io.image import Picture, composite, pixels

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    from numpy.typing import NDArray

__all__ = [
    "VIDEO_ENDINGS",
    "FilmWriter",
    "film_is_whole",
    "frame_rate",
    "join_films",
    "write_video",
]

log = logging.getLogger(__name__)

VIDEO_ENDINGS = (".mp4", ".m4v", ".mov", ".mkv")
"""File endings of films."""

_BT709, _LIMITED = 1, 1
_QUEUED = 3
_KEYFRAME_SECONDS = 2
_DAMAGED = "This part of the film is damaged; make it again: {}"


def frame_rate(fps: float | str | Fraction) -> Fraction:
    """An exact frame rate: 23.976, 29.97 and 59.94 become the broadcast fractions over 1001.

    Raises
    ------
    UsageError
        If it is no number between 0.1 and 1000.
    """
    try:
        value = Fraction(fps)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
        raise UsageError(f"A frame rate of {fps} is no number.") from error
    if not Fraction(1, 10) <= value <= 1000:
        raise UsageError(f"A frame rate of {fps} is not 0.1 to 1000 frames a second.")
    broadcast = Fraction(round(value * 1001 / 1000) * 1000, 1001)
    if value.denominator != 1 and abs(value - broadcast) < Fraction(1, 200):
        return broadcast
    return value.limit_denominator(10_000)


def constant_rate_factor(quality: int | None) -> int:
    """x264's crf of a quality 1 to 100; the default 90 is crf 17, visually lossless.

    Raises
    ------
    UsageError
        If the quality is out of range.
    """
    if quality is None:
        quality = 90
    if not 1 <= quality <= 100:
        raise UsageError(f"A quality of {quality} is not 1 to 100.")
    return min(51, round(17 + (90 - quality) * 0.4))


class FilmWriter:
    """Encodes frames on a thread of its own, so that drawing the next one goes on meanwhile.

    Use it as a context manager: leaving it normally finishes the file, leaving it by an exception
    abandons it (the caller removes what lies at `path`). Or call `start`, `write`, `end` and, when
    something else could be done meanwhile, later `wait`.

    Parameters
    ----------
    path
        Where to; the ending chooses the container.
    fps
        Frames a second.
    quality
        1 to 100, see `constant_rate_factor`.
    preset
        x264's effort, "ultrafast" to "veryslow".
    background
        Display RGB, 0..1, behind transparent pixels.
    comment
        Stored in the file, after the name of the program.
    """

    def __init__(
        self,
        path: Path,
        fps: Fraction,
        *,
        quality: int | None = None,
        preset: str = "fast",
        background: tuple[float, float, float] = (0.0, 0.0, 0.0),
        comment: str = "",
    ) -> None:
        self._path = path
        self._fps = fps
        self._crf = constant_rate_factor(quality)
        self._preset = preset
        self._background = background
        self._comment = comment
        self._size: tuple[int, int] | None = None
        self._failure: BaseException | None = None
        self._abandoned = False
        self._frames: queue.Queue[NDArray[np.uint8] | None] = queue.Queue(_QUEUED)
        self._thread = threading.Thread(target=self._encode, name="polyorama-film", daemon=True)
        self.count = 0

    def __enter__(self) -> FilmWriter:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end(abandon=error is not None)
        if error is None:
            self.wait()
        else:
            self._thread.join()

    def start(self) -> None:
        """Begin; call it once."""
        self._thread.start()

    def end(self, *, abandon: bool = False) -> None:
        """Say that no more frames come, and whether the film is given up."""
        self._abandoned = abandon
        self._hand_over(None)

    def wait(self) -> None:
        """Wait until all is encoded and written.

        Raises
        ------
        OSError
            If it could not be.
        """
        self._thread.join()
        self._check()

    def write(self, picture: Picture | NDArray[np.uint8]) -> None:
        """Take the next frame; waits while a few are still to be encoded.

        Raises
        ------
        UsageError
            If its size is not the first frame's, or it is no picture.
        OSError
            If an earlier frame could not be encoded or written.
        """
        values = pixels(picture)
        size = (values.shape[1], values.shape[0])
        if self._size is None:
            self._size = size
            if size[0] % 2 or size[1] % 2:
                log.info(
                    "H.264 needs even sizes: the last row or column of %dx%d is repeated.", *size
                )
        elif size != self._size:
            raise UsageError(
                f"Frame {self.count} is {size[0]}x{size[1]}, but the film is "
                f"{self._size[0]}x{self._size[1]}; all frames must have one size."
            )
        self._hand_over(values)
        self._check()
        self.count += 1

    def _hand_over(self, values: NDArray[np.uint8] | None) -> None:
        while self._thread.is_alive():
            try:
                self._frames.put(values, timeout=0.2)
            except queue.Full:
                continue
            return

    def _check(self) -> None:
        if self._failure is None:
            return
        import av

        if isinstance(self._failure, av.FFmpegError):
            reason = f"the film cannot be encoded, {self._failure.strerror}"
            raise OSError(self._failure.errno, reason) from self._failure
        raise self._failure

    def _encode(self) -> None:
        try:
            first = self._frames.get()
            if first is not None:
                self._encode_from(first)
        except BaseException as error:  # noqa: BLE001 - raised in the caller's thread by _check
            self._failure = error

    def _encode_from(self, first: NDArray[np.uint8]) -> None:
        import av
        from av.video.reformatter import VideoReformatter

        height, width = first.shape[:2]
        with _container(self._path, self._comment) as container:
            stream = container.add_stream("libx264", rate=self._fps)
            stream.width, stream.height = width + width % 2, height + height % 2
            stream.pix_fmt = "yuv420p"
            stream.time_base = 1 / self._fps
            context = stream.codec_context
            context.color_range, context.colorspace = _LIMITED, _BT709
            context.color_primaries = context.color_trc = _BT709
            keyframes = max(1, round(self._fps * _KEYFRAME_SECONDS))
            context.options = {
                "crf": str(self._crf),
                "preset": self._preset,
                "g": str(keyframes),
                "x264-params": "log-level=none",
            }
            reformatter = VideoReformatter()
            number = 0
            values: NDArray[np.uint8] | None = first
            while values is not None and not self._abandoned:
                frame = reformatter.reformat(
                    _rgb_frame(av, values, self._background),
                    format="yuv420p",
                    src_colorspace=_BT709,
                    dst_colorspace=_BT709,
                    src_color_range=2,
                    dst_color_range=_LIMITED,
                    interpolation="BICUBIC",
                )
                frame.pts, frame.time_base = number, 1 / self._fps
                container.mux(stream.encode(frame))
                number += 1
                values = self._frames.get()
            if not self._abandoned:
                container.mux(stream.encode(None))


def _rgb_frame(av: Any, values: NDArray[np.uint8], background: tuple[float, float, float]) -> Any:
    """An even-sized RGB frame of premultiplied pixels; the last row and column fill up."""
    if values.shape[2] == 4 and int(values[..., 3].min()) < 255:
        values = composite(values, background)
    height, width = values.shape[:2]
    if height % 2 or width % 2:
        values = np.pad(values, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    layout = "rgba" if values.shape[2] == 4 else "rgb24"
    return av.VideoFrame.from_ndarray(np.ascontiguousarray(values), format=layout)


@contextmanager
def _container(path: Path, comment: str) -> Iterator[Any]:
    import av

    import polyorama

    quick_start = path.suffix.lower() != ".mkv"
    options = {"movflags": "+faststart"} if quick_start else {}
    with av.open(str(path), "w", options=options) as container:
        made_by = f"Made with Polyorama {polyorama.__version__}"
        container.metadata["comment"] = f"{made_by}: {comment}" if comment else made_by
        yield container


def check_video_ending(path: str | os.PathLike[str]) -> None:
    """Raise an `OutputError` unless the ending is a film's."""
    if Path(path).suffix.lower() not in VIDEO_ENDINGS:
        raise OutputError(
            f"Cannot write this kind of film (can: {', '.join(VIDEO_ENDINGS)}): {path}"
        )


def write_video(
    path: str | os.PathLike[str],
    frames: Iterable[Picture | NDArray[np.uint8]],
    fps: float | str | Fraction = 30,
    *,
    quality: int | None = None,
    preset: str = "fast",
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    comment: str = "",
) -> int:
    """Write frames as an H.264 film and return how many there were.

    Frames are encoded on a second thread while the iterable makes the next. The film appears under
    its name only when it is whole. H.264 needs even sizes: an odd width or height grows by one
    pixel, a copy of its neighbour.

    Parameters
    ----------
    path
        Where to: .mp4, .m4v, .mov or .mkv.
    frames
        Frames or (H, W, 3 or 4) uint8 arrays with premultiplied colour, all of one size.
    fps
        Frames a second.
    quality
        1 to 100; the default 90 is visually lossless.
    preset
        x264's effort, "ultrafast" to "veryslow"; slower makes smaller files.
    background
        Display RGB, 0..1, behind transparent pixels, since films have no alpha.
    comment
        Stored in the file, after the name of the program.

    Raises
    ------
    OutputError
        If the ending is unknown or the system refuses.
    UsageError
        If there is no frame, sizes differ, or a number is out of range.
    """
    check_video_ending(path)
    rate = frame_rate(fps)
    with atomic_write(path) as temporary:
        with FilmWriter(
            temporary, rate, quality=quality, preset=preset, background=background, comment=comment
        ) as writer:
            for frame in frames:
                writer.write(frame)
        if writer.count == 0:
            raise UsageError(f"A film without frames cannot be written: {path}")
    return writer.count


def film_is_whole(path: Path, frames: int, size: tuple[int, int]) -> bool:
    """Whether a film of `FilmWriter` can be decoded to its end, without an error.

    Parameters
    ----------
    path
        The film.
    frames
        How many frames it must have.
    size
        Width and height that were written, before they were made even.
    """
    import av

    even = (size[0] + size[0] % 2, size[1] + size[1] % 2)
    count = 0
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            # Else the decoder paints over what is missing.
            stream.codec_context.options = {"err_detect": "explode"}
            for frame in container.decode(stream):
                if frame.is_corrupt or (frame.width, frame.height) != even:
                    return False
                count += 1
    except (av.FFmpegError, IndexError):
        return False
    return count == frames


def join_films(
    path: str | os.PathLike[str],
    parts: Sequence[Path],
    fps: float | str | Fraction = 30,
    *,
    comment: str = "",
) -> None:
    """Join films that `FilmWriter` made with equal settings, in order, without encoding again.

    Parameters
    ----------
    path
        Where to; the ending chooses the container.
    parts
        At least one film.
    fps
        Their frame rate.
    comment
        Stored in the file, after the name of the program.

    Raises
    ------
    OutputError
        If a part cannot be read or the system refuses.
    """
    import av

    check_video_ending(path)
    with atomic_write(path) as temporary:
        try:
            with _container(temporary, comment) as container:
                _copy_packets(av, container, parts, frame_rate(fps))
        except av.FFmpegError as error:
            raise OutputError(f"Cannot join the film's parts ({error.strerror}): {path}") from error


@contextmanager
def _opened(av: Any, part: Path) -> Iterator[Any]:
    """A part of a film, opened, of which errors are told by its name."""
    try:
        with av.open(str(part)) as source:
            if not source.streams.video:
                raise OutputError(_DAMAGED.format(part))
            yield source
    except av.InvalidDataError as error:
        raise OutputError(_DAMAGED.format(part)) from error


def _copy_packets(av: Any, container: Any, parts: Sequence[Path], fps: Fraction) -> None:
    """Copy what was encoded, with times counted in frames.

    Encoders hand frames out in decoding order, a few early, so decoding times begin below zero. As
    parts may differ in that delay, all are given the longest.
    """
    delay = 0
    for part in parts:
        with _opened(av, part) as source:
            first = next(source.demux(video=0))
            if first.dts is None:
                raise OutputError(_DAMAGED.format(part))
            delay = max(delay, -round(first.dts * first.time_base * fps))
    stream = None
    start = number = 0
    for part in parts:
        with _opened(av, part) as source:
            track = source.streams.video[0]
            if stream is None:
                stream = container.add_stream_from_template(track)
                stream.time_base = 1 / fps
            for packet in source.demux(track):
                # The last packet of each file is empty; it only says that the file has ended.
                if packet.dts is None:
                    continue
                packet.pts = start + round(packet.pts * packet.time_base * fps)
                packet.dts = number - delay
                packet.duration = 1
                packet.time_base = 1 / fps
                packet.stream = stream
                container.mux(packet)
                number += 1
            # A file that was cut short simply ends, for those who read it.
            if track.frames and number - start != track.frames:
                raise OutputError(_DAMAGED.format(part))
            start = number
