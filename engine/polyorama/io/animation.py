"""Moving pictures for slides and pages: GIF and animated WebP.

Both are encoded from frames that can be gone through twice, since a GIF's colours are chosen from
all of them: one palette for the whole film, so that nothing flickers, and a fixed ordered dither,
so that what stands still stays still and takes no room.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError
from polyorama.io.image import composite, straight_alpha

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.io.codecs import Codec

__all__ = ["check_timing", "write_gif", "write_webp"]

_GIF_FASTEST = 50
"""GIF counts in hundredths of a second, and browsers slow down frames shorter than two."""
_PALETTE_FRAMES = 24
_PALETTE_PIXELS = 400_000
_CLEAR = 255
_EXIF_SOFTWARE, _EXIF_DESCRIPTION = 0x0131, 0x010E


def check_timing(codec: Codec, fps: Fraction) -> None:
    """Raise a `UsageError` where a kind of moving picture cannot be that fast."""
    if codec.name == "gif" and fps > _GIF_FASTEST:
        raise UsageError(
            f"GIF shows at most {_GIF_FASTEST} frames a second, not {float(fps):g}; lower --fps "
            "or choose .webp."
        )


def _durations(fps: Fraction, unit: int, count: int) -> list[int]:
    """How long each frame lasts, in 1/unit seconds, so that the film keeps time."""
    ends = [round(Fraction(i * unit) / fps) for i in range(count + 1)]
    return [max(1, b - a) for a, b in itertools.pairwise(ends)]


def write_gif(
    path: Path,
    frames: Callable[[], Iterable[NDArray[np.uint8]]],
    fps: Fraction,
    *,
    quality: int,
    transparent: bool,
    comment: str,
) -> None:
    """Write a GIF that loops.

    Parameters
    ----------
    path
        Where to.
    frames
        Gives all (H, W, 4) premultiplied frames, each time it is called.
    fps
        Up to 50 a second.
    quality
        1 to 100: how many of the 256 colours are used, all from 60 on.
    transparent
        Whether pixels that are less than half covered are clear.
    comment
        Stored in the file.
    """
    from PIL import Image

    colors = min(255 if transparent else 256, max(8, round(quality / 60 * 256)))
    palette, count = _palette(frames, colors)
    step = _spacing(palette)
    swatch = Image.new("P", (1, 1))
    swatch.putpalette(palette.tobytes())

    def images() -> Iterator[Any]:
        for values in frames():
            straight = straight_alpha(values) if transparent else composite(values, (0, 0, 0))
            dithered = _dithered(straight[..., :3], step)
            image = Image.fromarray(dithered).quantize(palette=swatch, dither=Image.Dither.NONE)
            if transparent:
                index = np.array(image)
                index[values[..., 3] < 128] = _CLEAR
                image = Image.fromarray(index)
            image.putpalette(palette.tobytes())
            yield image

    rest = images()
    first = next(rest)
    clear: dict[str, Any] = {"transparency": _CLEAR, "disposal": 2} if transparent else {}
    first.save(
        path, "GIF", save_all=True, append_images=rest, loop=0, optimize=False,
        duration=[10 * t for t in _durations(fps, 100, count)], comment=comment.encode(), **clear,
    )  # fmt: skip


def _palette(
    frames: Callable[[], Iterable[NDArray[np.uint8]]], colors: int
) -> tuple[NDArray[np.uint8], int]:
    """(256, 3) uint8: the colours that serve all frames best, and how many frames there are."""
    from PIL import Image

    count = sum(1 for _ in frames())
    stride = max(1, count // _PALETTE_FRAMES)
    samples = []
    for values in itertools.islice(frames(), 0, None, stride):
        solid = straight_alpha(values)
        flat = solid.reshape(-1, 4)
        flat = flat[flat[:, 3] >= 128, :3]
        each = _PALETTE_PIXELS // (count // stride + 1) + 1
        samples.append(flat[:: max(1, len(flat) // each)])
    pool = np.concatenate(samples)
    if len(pool) == 0:
        pool = np.zeros((1, 3), np.uint8)
    image = Image.fromarray(np.ascontiguousarray(pool[None]))
    chosen = image.quantize(colors, method=Image.Quantize.MEDIANCUT, kmeans=3).getpalette() or []
    palette = np.zeros((256, 3), np.uint8)
    found = np.array(chosen, np.uint8).reshape(-1, 3)[:colors]
    palette[: len(found)] = found
    palette[len(found) :] = found[-1] if len(found) else 0
    return palette, count


def _spacing(palette: NDArray[np.uint8]) -> float:
    """Mean distance along one channel from a colour of the palette to its nearest neighbour."""
    colors = np.unique(palette, axis=0).astype(np.float64)
    if len(colors) < 2:
        return 0.0
    square = ((colors[:, None] - colors[None]) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    return float(np.sqrt(square.min(axis=1) / 3.0).mean())


def _bayer() -> NDArray[np.float32]:
    """(8, 8) thresholds, -0.5..0.5, of ordered dither."""
    matrix = np.zeros((1, 1))
    for _ in range(3):
        matrix = np.block([[4 * matrix, 4 * matrix + 2], [4 * matrix + 3, 4 * matrix + 1]])
    return ((matrix + 0.5) / matrix.size - 0.5).astype(np.float32)


def _dithered(values: NDArray[np.uint8], step: float) -> NDArray[np.uint8]:
    height, width = values.shape[:2]
    tile = np.tile(_bayer(), (-(-height // 8), -(-width // 8)))[:height, :width, None]
    return np.clip(np.rint(values + np.float32(step) * tile), 0, 255).astype(np.uint8)


def write_webp(
    path: Path,
    frames: Callable[[], Iterable[NDArray[np.uint8]]],
    fps: Fraction,
    *,
    quality: int,
    transparent: bool,
    comment: str,
) -> None:
    """Write an animated WebP that loops; parameters as of `write_gif`, quality 100 is lossless."""
    import av

    encoder = None
    with av.open(str(path), "w", format="webp", options={"loop": "0"}) as container:
        for number, values in enumerate(frames()):
            if encoder is None:
                encoder = container.add_stream("libwebp_anim", rate=fps)
                encoder.height, encoder.width = values.shape[:2]
                encoder.pix_fmt = "bgra"
                encoder.time_base = Fraction(1, 1000)
                encoder.codec_context.options = {
                    "quality": str(quality),
                    "lossless": "1" if quality == 100 else "0",
                    "compression_level": "4",
                }
            if transparent:
                straight = straight_alpha(values)
            else:
                opaque = composite(values, (0, 0, 0))
                straight = np.dstack([opaque, np.full(opaque.shape[:2], 255, np.uint8)])
            pixels = np.ascontiguousarray(straight[..., [2, 1, 0, 3]])
            frame = av.VideoFrame.from_ndarray(pixels, "bgra")
            frame.pts = round(Fraction(number * 1000) / fps)
            frame.time_base = Fraction(1, 1000)
            container.mux(encoder.encode(frame))
        assert encoder is not None
        container.mux(encoder.encode(None))
    _describe(path, comment, transparent)


def _describe(path: Path, comment: str, transparent: bool) -> None:
    """Add an EXIF chunk with the comment to an animated WebP, and say that it has alpha.

    The file is RIFF: chunks of a name, a length and bytes padded to even; the first, VP8X, has
    flags for EXIF (8) and alpha (16). The encoder crops what is clear all round, and then takes the
    picture for opaque.
    """
    from PIL import Image

    exif = Image.Exif()
    exif[_EXIF_SOFTWARE] = comment.partition(":")[0].removeprefix("Made with ")
    exif[_EXIF_DESCRIPTION] = f"Comment: {comment.partition(': ')[2] or comment}"
    words = exif.tobytes().removeprefix(b"Exif\x00\x00")
    data = bytearray(path.read_bytes())
    if data[12:16] != b"VP8X":
        return  # a film of one frame is a plain still without room for words
    data[20] |= 0x08 | (0x10 if transparent else 0)
    data += b"EXIF" + len(words).to_bytes(4, "little") + words + b"\x00" * (len(words) % 2)
    data[4:8] = (len(data) - 8).to_bytes(4, "little")
    path.write_bytes(data)
