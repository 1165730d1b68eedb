"""Films: H.264, H.265, ProRes 4444 and VP9, through PyAV; GIF and WebP by `animation`.

Pixels are display RGB with BT.709 primaries; they are stored as Y'CbCr with the BT.709 matrix and
limited range, and the file says so, so that players show the colours that were drawn. Transparent
films hold straight colour, as compositing programs and browsers expect; where a pixel is clear its
colour continues that of its surroundings, so that no dark fringe creeps in when it is compressed.
"""

from __future__ import annotations

import logging
import queue
import tempfile
import threading
from collections.abc import Iterable
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.arguments import said
from polyorama.core.text import one_line
from polyorama.errors import OutputError, UsageError
from polyorama.io.animation import check_timing, write_gif, write_webp
from polyorama.io.atomic import atomic_write
from polyorama.io.bleeding import bled
from polyorama.io.codecs import (
    DEFAULT_CODECS,
    Codec,
    check_size,
    choose_codec,
    encoder_options,
    quality_of,
)
from polyorama.io.film_reading import read_frames
from polyorama.io.image import Picture, composite, pixels
from polyorama.io.packets import copy_packets
from polyorama.io.soundtrack import check_sound
from polyorama.io.spherical import Presentation, present

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from numpy.typing import NDArray

__all__ = [
    "FilmWriter",
    "frame_rate",
    "join_films",
    "write_video",
]

log = logging.getLogger(__name__)

_BT709, _LIMITED = 1, 1
_QUEUED = 3
_KEYFRAME_SECONDS = 2


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
    codec
        Kind of film; None is what the ending stands for.
    quality
        1 to 100.
    preset
        Effort of H.264 and H.265, "ultrafast" to "veryslow".
    background
        Display RGB, 0..1, behind transparent pixels, or None: they stay transparent.
    comment
        Stored in the file, after the name of the program.

    Raises
    ------
    UsageError
        If the quality is out of range, or the codec has no transparency.
    """

    def __init__(
        self,
        path: Path,
        fps: Fraction,
        *,
        codec: Codec | None = None,
        quality: int | None = None,
        preset: str = "fast",
        background: tuple[float, float, float] | None = (0.0, 0.0, 0.0),
        comment: str = "",
    ) -> None:
        self._path = path
        self._fps = fps
        self._codec = choose_codec(path) if codec is None else codec
        check_transparency(self._codec, background, path)
        self._quality = quality_of(quality)
        self._preset = preset
        self._background = background
        self._comment = comment
        self._size: tuple[int, int] | None = None
        self._failure: BaseException | None = None
        self._abandoned = False
        self._frames: queue.Queue[NDArray[Any] | None] = queue.Queue(_QUEUED)
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
        values = self._values(picture)
        size = (values.shape[1], values.shape[0])
        if self._size is None:
            self._size = size
            if self._codec.even and (size[0] % 2 or size[1] % 2):
                log.info(
                    "%s needs even sizes: the last row or column of %dx%d is repeated.",
                    self._codec.title, *size,
                )  # fmt: skip
        elif size != self._size:
            raise UsageError(
                f"Frame {self.count} is {size[0]}x{size[1]}, but the film is "
                f"{self._size[0]}x{self._size[1]}; all frames must have one size."
            )
        self._hand_over(values)
        self._check()
        self.count += 1

    @property
    def wants_float(self) -> bool:
        """Whether frames with float `color` are encoded better than those with 8 bits."""
        return wants_float(self._codec, self._background)

    def _values(self, picture: Picture | NDArray[np.uint8]) -> NDArray[Any]:
        """Float pixels where there are some and they help, else 8-bit ones; premultiplied."""
        color = getattr(picture, "color", None)
        if self.wants_float and color is not None:
            return np.asarray(color, np.float32)
        return pixels(picture)

    def _hand_over(self, values: NDArray[Any] | None) -> None:
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

    def _encode_from(self, first: NDArray[Any]) -> None:
        import av
        from av.video.reformatter import Interpolation, VideoReformatter

        height, width = first.shape[:2]
        check_size(self._codec, width, height, self._path)
        clear, codec = self._background is None, self._codec
        layout = codec.pixels_alpha if clear and codec.pixels_alpha else codec.pixels
        with _container(self._path, self._comment) as container:
            stream = container.add_stream(codec.encoder, rate=self._fps)
            odd = (width % 2, height % 2) if codec.even else (0, 0)
            stream.width, stream.height = width + odd[0], height + odd[1]
            stream.pix_fmt = layout
            stream.time_base = 1 / self._fps
            context = stream.codec_context
            if not codec.exact:
                context.color_range, context.colorspace = _LIMITED, _BT709
                context.color_primaries = context.color_trc = _BT709
            if codec.name == "h265":
                context.codec_tag = "hvc1"  # QuickTime plays no other
            if codec.name == "vp9" and clear:
                stream.metadata["alpha_mode"] = "1"
            keyframes = max(1, round(self._fps * _KEYFRAME_SECONDS))
            context.options = encoder_options(codec, self._quality, self._preset, keyframes)
            # One thread: with more, x264 now and then gives other bytes under load; drawing has
            # the other cores meanwhile.
            context.thread_count = 1
            reformatter = VideoReformatter()
            exact_bicubic = (
                Interpolation.BICUBIC | Interpolation.ACCURATE_RND | Interpolation.BITEXACT
            )
            order = _DecodingOrder(codec)
            number = 0
            values: NDArray[Any] | None = first
            while values is not None and not self._abandoned:
                frame = _source_frame(av, values, codec, self._background)
                if frame.format.name != layout:
                    frame = reformatter.reformat(
                        frame,
                        format=layout,
                        src_colorspace=_BT709,
                        dst_colorspace=_BT709,
                        src_color_range=2,
                        dst_color_range=_LIMITED,
                        # Exact and on one thread: the same pixels give the same bytes.
                        interpolation=exact_bicubic,
                        threads=1,
                    )
                frame.pts, frame.time_base = number, 1 / self._fps
                container.mux(order.timed(stream.encode(frame)))
                number += 1
                values = self._frames.get()
            if not self._abandoned:
                container.mux(order.timed(stream.encode(None)))


class _DecodingOrder:
    """Gives H.265's packets decoding times, since x265 leaves those of very short films unset."""

    _DELAY = 2
    """Frames by which x265's order of decoding runs ahead at most."""

    def __init__(self, codec: Codec) -> None:
        self._active = codec.name == "h265"
        self._count = 0

    def timed(self, packets: list[Any]) -> list[Any]:
        for packet in packets if self._active else ():
            packet.dts = self._count - self._DELAY
            self._count += 1
        return packets


def wants_float(codec: Codec, background: tuple[float, float, float] | None) -> bool:
    """Whether float pixels are worth drawing: for deep codecs, and to divide by a small alpha."""
    return not codec.exact and (codec.deep or background is None)


def check_transparency(
    codec: Codec, background: tuple[float, float, float] | None, path: str | os.PathLike[str]
) -> None:
    """Raise a `UsageError` where a film shall be transparent and its codec cannot."""
    if background is None and codec.pixels_alpha is None:
        raise UsageError(
            f"{codec.title} has no transparency; choose .mov (ProRes 4444), .webm (VP9), .webp or "
            f".gif, or a background colour: {path}"
        )


def _source_frame(
    av: Any, values: NDArray[Any], codec: Codec, background: tuple[float, float, float] | None
) -> Any:
    """What the encoder's format is converted from: RGB without gaps, or straight RGBA."""
    if codec.exact:
        if background is not None and values.shape[2] == 4:
            values = composite(values, background)
        if values.shape[2] == 3:
            values = np.dstack([values, np.full(values.shape[:2], 255, np.uint8)])
        return av.VideoFrame.from_ndarray(np.ascontiguousarray(values[..., [2, 1, 0, 3]]), "bgra")
    if background is None and values.shape[2] == 4:
        values = bled(values)
    elif values.dtype == np.float32:
        alpha = values[..., 3:]
        behind = np.asarray(background or (0.0, 0.0, 0.0), np.float32)
        values = values[..., :3] + (1.0 - np.minimum(alpha, 1.0)) * behind
    elif values.shape[2] == 4 and int(values[..., 3].min()) < 255:
        values = composite(values, background or (0.0, 0.0, 0.0))
    height, width = values.shape[:2]
    if codec.even and (height % 2 or width % 2):
        values = np.pad(values, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    if values.dtype == np.float32:
        scale, kind = (65535.0, np.uint16) if codec.deep else (255.0, np.uint8)
        values = (np.clip(values, 0.0, 1.0) * np.float32(scale) + np.float32(0.5)).astype(kind)
    layouts = {(3, 1): "rgb24", (4, 1): "rgba", (3, 2): "rgb48le", (4, 2): "rgba64le"}
    layout = layouts[values.shape[2], values.dtype.itemsize]
    return av.VideoFrame.from_ndarray(np.ascontiguousarray(values), format=layout)


@contextmanager
def _container(path: Path, comment: str) -> Iterator[Any]:
    import av

    quick_start = path.suffix.lower() in (".mp4", ".m4v", ".mov")
    # Bit-exact: Matroska's files would carry random numbers.
    options = {"movflags": "+faststart"} if quick_start else {"fflags": "+bitexact"}
    with av.open(str(path), "w", options=options) as container:
        container.metadata["comment"] = made_by(comment)
        yield container


def made_by(comment: str) -> str:
    """The words stored in a film."""
    import polyorama

    name = f"Made with Polyorama {polyorama.__version__}"
    return f"{name}: {one_line(comment)}" if comment else name


def check_video_ending(path: str | os.PathLike[str]) -> None:
    """Raise an `OutputError` unless `FilmWriter` writes such a file by itself: no GIF, no WebP."""
    if choose_codec(path).animated_picture:
        known = [ending for ending, name in DEFAULT_CODECS.items() if ending[1:] != name]
        raise OutputError(f"Cannot write this kind of film (can: {', '.join(known)}): {path}")


def write_video(
    path: str | os.PathLike[str],
    frames: Iterable[Picture | NDArray[np.uint8]],
    fps: float | str | Fraction = 30,
    *,
    codec: str | None = None,
    quality: int | None = None,
    preset: str = "fast",
    background: tuple[float, float, float] | None = (0.0, 0.0, 0.0),
    comment: str = "",
    presentation: Presentation | None = None,
) -> int:
    """Write frames as a film and return how many there were.

    Frames are encoded on a second thread while the iterable makes the next. The film appears under
    its name only when it is whole. H.264, H.265 and VP9 need even sizes: an odd width or height
    grows by one pixel, a copy of its neighbour.

    Parameters
    ----------
    path
        Where to: .mp4, .m4v and .mkv hold H.264, .mov ProRes 4444, .webm VP9, .gif and .webp
        moving pictures.
    frames
        Frames or (H, W, 3 or 4) uint8 arrays with premultiplied colour, all of one size.
    fps
        Frames a second.
    codec
        Another kind than the ending stands for: "h264", "h265", "prores", "vp9".
    quality
        1 to 100; the default 90 is visually lossless.
    preset
        Effort of H.264 and H.265, "ultrafast" to "veryslow"; slower makes smaller files.
    background
        Display RGB, 0..1, behind transparent pixels; None keeps them transparent (.mov, .webm,
        .webp, .gif).
    comment
        Stored in the file, after the name of the program.
    presentation
        Stored too: whether players shall show all directions, or two eyes. GIF and WebP cannot.

    Raises
    ------
    OutputError
        If the ending is unknown, cannot hold the codec, or the system refuses.
    UsageError
        If there is no frame, sizes differ, a number is out of range, or the codec has no
        transparency.
    """
    kind = choose_codec(path, codec)
    rate = frame_rate(fps)
    if isinstance(frames, str) or not isinstance(frames, Iterable):
        raise UsageError(f"The argument 'frames' must be frames or arrays, not {said(frames)}.")
    settings: dict[str, Any] = {
        "codec": kind, "quality": quality, "preset": preset, "background": background,
    }  # fmt: skip
    if kind.animated_picture:
        check_timing(kind, rate)
        with tempfile.TemporaryDirectory(prefix="polyorama-") as folder:
            whole = Path(folder) / f"film{kind.part}"
            count = _write(whole, frames, rate, settings, "", path)
            join_films(
                path, [whole], rate, codec=codec, quality=quality, comment=comment,
                transparent=background is None, presentation=presentation,
            )  # fmt: skip
            return count
    with atomic_write(path) as temporary:
        count = _write(temporary, frames, rate, settings, comment, path)
        present(temporary, presentation or Presentation())
        return count


def _write(
    temporary: Path,
    frames: Iterable[Picture | NDArray[np.uint8]],
    rate: Fraction,
    settings: dict[str, Any],
    comment: str,
    path: str | os.PathLike[str],
) -> int:
    with FilmWriter(temporary, rate, comment=comment, **settings) as writer:
        for frame in frames:
            writer.write(frame)
    if writer.count == 0:
        raise UsageError(f"A film without frames cannot be written: {path}")
    return writer.count


def join_films(
    path: str | os.PathLike[str],
    parts: Sequence[Path],
    fps: float | str | Fraction = 30,
    *,
    codec: str | None = None,
    quality: int | None = None,
    transparent: bool = False,
    comment: str = "",
    presentation: Presentation | None = None,
    sound: NDArray[np.float32] | None = None,
) -> None:
    """Join films that `FilmWriter` made with equal settings, in order.

    They are not encoded again, except for GIF and WebP, whose parts are lossless.

    Parameters
    ----------
    path
        Where to; the ending chooses the container.
    parts
        At least one film.
    fps
        Their frame rate.
    codec
        Of the film, if not what its ending stands for.
    quality, transparent
        Of GIF and WebP, which are encoded only now.
    comment, presentation
        Stored in the file, as by `write_video`.
    sound
        (n, 2) float32 at `polyorama.io.soundtrack.SOUND_RATE`, as `mix_audio` gives, or None for a
        silent film. It becomes AAC, in .webm Opus.

    Raises
    ------
    OutputError
        If a part cannot be read, the kind of film holds no sound, or the system refuses.
    UsageError
        If the sound is of another form.
    """
    import av

    if sound is not None:
        check_sound(path, sound)
    kind, shown = choose_codec(path, codec), presentation or Presentation()
    if kind.animated_picture:
        write = write_gif if kind.name == "gif" else write_webp
        with atomic_write(path) as temporary:
            write(
                temporary, lambda: (f for part in parts for f in read_frames(part)),
                frame_rate(fps), quality=quality_of(quality), transparent=transparent,
                comment=made_by(comment),
            )  # fmt: skip
            present(temporary, shown)
        return
    with atomic_write(path) as temporary:
        try:
            with _container(temporary, comment) as container:
                copy_packets(container, parts, frame_rate(fps), Path(path), sound)
            present(temporary, shown)
        except av.FFmpegError as error:
            raise OutputError(f"Cannot join the film's parts ({error.strerror}): {path}") from error
