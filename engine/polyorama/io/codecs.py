"""The kinds of films that can be written, and what each needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.core.arguments import check_number, check_path
from polyorama.errors import OutputError, UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = [
    "CODECS",
    "DEFAULT_CODECS",
    "FILM_ENDINGS",
    "LOSSLESS",
    "Codec",
    "check_size",
    "choose_codec",
    "quality_of",
]

_PRESETS = (
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
    "placebo",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Codec:
    """One way to store a film.

    Parameters
    ----------
    name
        As in `--codec`.
    title
        For people.
    encoder
        FFmpeg's name.
    pixels
        Its format for opaque films.
    pixels_alpha
        Its format for transparent ones, or None.
    endings
        Of the files that may hold it.
    part
        Ending of the pieces of an unfinished film.
    deep
        Whether it keeps more than 8 bits, so that float pixels are worth having.
    exact
        Whether it stores 8-bit premultiplied pixels unchanged.
    least_side
        Fewest pixels that a picture may be wide or high.
    """

    name: str
    title: str
    encoder: str
    pixels: str
    pixels_alpha: str | None
    endings: tuple[str, ...]
    part: str
    deep: bool = False
    exact: bool = False
    least_side: int = 1

    @property
    def even(self) -> bool:
        """Whether width and height must be even."""
        return "420" in self.pixels

    @property
    def animated_picture(self) -> bool:
        """Whether the film is made from a lossless one once all frames are known."""
        return self.name in ("gif", "webp")


_PLAIN = (".mp4", ".m4v", ".mov", ".mkv")
CODECS: Mapping[str, Codec] = {
    codec.name: codec
    for codec in (
        Codec("h264", "H.264", "libx264", "yuv420p", None, _PLAIN, ".mp4"),
        Codec(
            # On pictures of about one coding block x265 reads and writes beyond its memory.
            "h265", "H.265", "libx265", "yuv420p", None, (".mp4", ".mov", ".mkv"), ".mp4",
            least_side=96,
        ),
        Codec(
            "prores", "ProRes 4444", "prores_ks", "yuv444p10le", "yuva444p10le",
            (".mov", ".mkv"), ".mov", deep=True,
        ),
        Codec("vp9", "VP9", "libvpx-vp9", "yuv420p", "yuva420p", (".webm", ".mkv"), ".webm"),
        Codec("gif", "GIF", "ffv1", "bgra", "bgra", (".gif",), ".mkv", exact=True),
        Codec("webp", "animated WebP", "ffv1", "bgra", "bgra", (".webp",), ".mkv", exact=True),
    )
}  # fmt: skip
"""Every kind of film by name."""

LOSSLESS = CODECS["gif"]
"""The same pixels in, out: for pieces of films that are encoded later."""

DEFAULT_CODECS = {
    ".mp4": "h264",
    ".m4v": "h264",
    ".mkv": "h264",
    ".mov": "prores",
    ".webm": "vp9",
    ".gif": "gif",
    ".webp": "webp",
}
"""The codec that each ending stands for."""
FILM_ENDINGS = tuple(DEFAULT_CODECS)
"""File endings of films."""


def choose_codec(path: str | os.PathLike[str], name: str | None = None) -> Codec:
    """The codec of a film: the named one, or what its ending stands for.

    Raises
    ------
    OutputError
        If the ending is unknown or cannot hold the codec.
    UsageError
        If there is no such codec.
    """
    check_path(path)
    ending = Path(path).suffix.lower()
    if ending not in DEFAULT_CODECS:
        raise OutputError(
            f"Cannot write this kind of film (can: {', '.join(DEFAULT_CODECS)}): {path}"
        )
    if name is None:
        return CODECS[DEFAULT_CODECS[ending]]
    if name not in CODECS:
        raise UsageError(f"There is no codec {name!r}; choose {', '.join(CODECS)}.")
    codec = CODECS[name]
    if ending not in codec.endings:
        raise OutputError(
            f"{codec.title} is written as {' or '.join(codec.endings)}, not as {ending}: {path}"
        )
    return codec


def check_size(codec: Codec, width: int, height: int, path: str | os.PathLike[str]) -> None:
    """Refuse frames that an encoder cannot take.

    Raises
    ------
    OutputError
        If a side is too short.
    """
    if min(width, height) < codec.least_side:
        raise OutputError(
            f"{codec.title} needs at least {codec.least_side} pixels each way, not "
            f"{width}x{height}; choose a larger --size, or H.264: {path}"
        )


def quality_of(quality: int | None) -> int:
    """A quality checked to be 1 to 100; the default is 90, visually lossless.

    Raises
    ------
    UsageError
        If it is out of range.
    """
    if quality is None:
        return 90
    check_number(quality, "quality")
    if not 1 <= quality <= 100:
        raise UsageError(f"A quality of {quality} is not 1 to 100.")
    return quality


def check_preset(preset: str) -> str:
    """An encoder's effort, checked to be one that it knows.

    Raises
    ------
    UsageError
        If it is unknown.
    """
    if preset not in _PRESETS:
        raise UsageError(f"There is no preset {preset!r}; choose {', '.join(_PRESETS)}.")
    return preset


def encoder_options(codec: Codec, quality: int, preset: str, keyframes: int) -> dict[str, str]:
    """What the encoder is told; equal settings give streams that can be joined.

    Parameters
    ----------
    codec, quality
        Kind, and 1 to 100.
    preset
        Effort of H.264 and H.265, "ultrafast" to "veryslow".
    keyframes
        Most frames from one that stands alone to the next.
    """
    if codec.name == "h264":
        return {
            "crf": str(min(51, round(17 + (90 - quality) * 0.4))),
            "preset": check_preset(preset),
            "g": str(keyframes),
            # x264's macroblock tree reads memory that it did not write: without it, the same
            # pixels give the same bytes.
            "x264-params": "log-level=none:mbtree=0",
        }
    if codec.name == "h265":
        return {
            "crf": str(min(51, round(19 + (90 - quality) * 0.4))),
            "preset": check_preset(preset),
            "x265-params": f"log-level=none:open-gop=0:info=0:keyint={keyframes}",
        }
    if codec.name == "prores":
        return {"profile": "4444", "vendor": "apl0", "alpha_bits": "16"}
    if codec.name == "vp9":
        return {
            "crf": str(min(63, round(16 + (90 - quality) * 0.5))),
            "b": "0",
            "g": str(keyframes),
            "deadline": "good",
            "cpu-used": "4",
            "row-mt": "1",
            # With alpha each frame is two, and hidden ones would part them.
            "auto-alt-ref": "0",
        }
    return {"level": "3", "slices": "4"}
