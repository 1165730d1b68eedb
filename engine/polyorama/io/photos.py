"""Photographs: read, reduced, straightened; and captures, which are photographs with cameras."""

from __future__ import annotations

import threading
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polyorama.core.memory import require
from polyorama.core.types import MAX_SIDE, Camera
from polyorama.errors import FileFormatError
from polyorama.io.files import file_size, reading

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = [
    "Capture",
    "Distortion",
    "Photo",
    "Shot",
    "camera_of",
    "read_mask",
    "read_photo",
    "read_pixels",
    "reduced_camera",
    "straightened",
]

_MAX_BYTES = 1 << 30
_SIZE_TOLERANCE = 1.5
_BAND_PIXELS = 1 << 18
_LIMIT_SAMPLES = 4096

_READING_BYTES = 16
"""Memory that a pixel takes while a photograph is read, as measured."""


@dataclass(frozen=True, slots=True)
class Distortion:
    """How a lens bends: OpenCV's coefficients.

    Of a direction (x, y, 1) with r^2 = x^2 + y^2, a plain lens draws, in focal lengths,

        x (1 + k1 r^2 + k2 r^4 + k3 r^6) / (1 + k4 r^2 + k5 r^4 + k6 r^6)
          + 2 p1 x y + p2 (r^2 + 2 x^2),

    y alike with p1 and p2 exchanged; a fisheye x t (1 + k1 t^2 + k2 t^4 + k3 t^6 + k4 t^8) / r
    with t = atan r.
    """

    radial: tuple[float, float, float, float, float, float] = (0.0,) * 6
    tangential: tuple[float, float] = (0.0, 0.0)
    fisheye: bool = False

    def __bool__(self) -> bool:
        return self.fisheye or any(self.radial) or any(self.tangential)

    def bend(
        self, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where directions (x, y, 1) are drawn, in focal lengths from the principal point."""
        k1, k2, k3, k4, k5, k6 = self.radial
        squared = x * x + y * y
        if self.fisheye:
            radius = np.sqrt(squared)
            angle = np.arctan(radius)
            t = angle * angle
            bent = angle * (1 + t * (k1 + t * (k2 + t * (k3 + t * k4))))
            share = np.divide(bent, radius, out=np.ones_like(radius), where=radius > 1e-12)
            return x * share, y * share
        p1, p2 = self.tangential
        share = (1 + squared * (k1 + squared * (k2 + squared * k3))) / (
            1 + squared * (k4 + squared * (k5 + squared * k6))
        )
        return (
            x * share + 2 * p1 * x * y + p2 * (squared + 2 * x * x),
            y * share + 2 * p2 * x * y + p1 * (squared + 2 * y * y),
        )

    def limit(self, farthest: float) -> float:
        """The radius up to which directions that lie farther out are drawn farther out.

        Formulas fitted to the middle of a picture may turn back near its corners or have a pole
        there. Searched up to the radius `farthest`; infinity where nothing turns back.
        """
        radii = np.linspace(0.0, farthest, _LIMIT_SAMPLES)
        with np.errstate(all="ignore"):
            bent, _ = replace(self, tangential=(0.0, 0.0)).bend(radii, np.zeros_like(radii))
            back = ~(np.diff(bent) > 0.0)
        return float(radii[back.argmax()]) if back.any() else np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One photograph of a capture, not yet read.

    Parameters
    ----------
    name
        As the capture's file says it.
    path
        The picture's file.
    camera
        Its camera, for the size that the capture's file says.
    distortion
        How its lens bends.
    mask
        File of the pixels that count, or None.
    sized
        Whether the capture's file says the size; else the picture's own is taken, and the camera
        grows with its width.
    """

    name: str
    path: Path
    camera: Camera
    distortion: Distortion = Distortion()
    mask: Path | None = None
    sized: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """Photographs with cameras, and what else a reconstruction found.

    Parameters
    ----------
    source
        The file or folder it came from.
    shots
        At least one, in the order of their names.
    points, colors
        (P, 3) float32 world units and (P, 3) float32 display RGB 0..1, or None.
    held_out
        Names of the shots that the file itself sets aside for measuring; None where it says none.
    """

    source: Path
    shots: tuple[Shot, ...]
    points: NDArray[np.float32] | None = None
    colors: NDArray[np.float32] | None = None
    held_out: frozenset[str] | None = None


class Photo(NamedTuple):
    """Pixels (H, W, 3 or 4 with straight alpha) uint8, the camera of that size, a mask or None."""

    pixels: NDArray[np.uint8]
    camera: Camera
    mask: NDArray[np.bool_] | None


def read_photo(shot: Shot, *, reduce: int = 1) -> Photo:
    """Read a photograph as a pinhole camera sees it, reduced by a whole factor.

    A picture that is a smaller or larger copy of what its camera says is taken with its camera
    scaled. Bent pictures are straightened; pixels that nothing is known of are masked.

    Raises
    ------
    FileFormatError
        If the picture or its mask is missing, damaged, or of another shape than its camera's.
    UsageError
        If there is not enough memory to read it.
    """
    pixels = read_pixels(shot.path)
    height, width = pixels.shape[:2]
    camera = _camera_of_size(shot, width, height)
    mask = None if shot.mask is None else read_mask(shot.mask, (width, height))
    if shot.distortion:
        pixels, inside = straightened(pixels, camera, shot.distortion)
        if not inside.any():
            raise FileFormatError(
                f"Its lens bends so much that nothing of the picture is left; check the camera's "
                f"distortion: {shot.path}"
            )
        if mask is not None:
            bent = mask[..., None].astype(np.uint8) * np.uint8(255)
            mask = straightened(bent, camera, shot.distortion)[0][..., 0] > 127
        if not inside.all():
            mask = inside if mask is None else mask & inside
    if reduce > 1:
        if min(width, height) // reduce < 1:
            raise FileFormatError(
                f"The picture is too small ({width}x{height}) to be reduced {reduce} times: "
                f"{shot.path}"
            )
        pixels = _reduced(pixels, reduce)
        if mask is not None:
            mask = _reduced(mask[..., None].astype(np.uint8) * np.uint8(255), reduce)[..., 0] > 127
        camera = reduced_camera(camera, reduce)
    return Photo(pixels, camera, mask)


def read_mask(path: str | os.PathLike[str], size: tuple[int, int]) -> NDArray[np.bool_]:
    """The pixels of a mask that count, (H, W) bool; `size` is (width, height).

    Those are white, or 1 where nothing is above 1, and not transparent.

    Raises
    ------
    FileFormatError
        If it is no picture, or of another size.
    """
    values = read_pixels(path)
    if (values.shape[1], values.shape[0]) != size:
        raise FileFormatError(
            f"The mask is {values.shape[1]}x{values.shape[0]}, its picture {size[0]}x{size[1]}; "
            f"they must have one size: {path}"
        )
    shades = values[..., :3].max(axis=2)
    if values.shape[2] == 4:
        shades = np.where(values[..., 3] > 127, shades, np.uint8(0))
    # Programs that find things write 0 and 1.
    return np.asarray(shades > (0 if int(shades.max()) == 1 else 127))


def straightened(
    pixels: NDArray[np.uint8], camera: Camera, distortion: Distortion
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """A bent picture as a pinhole camera of the same numbers sees it, and where it is known.

    Bilinear; straight colours count by their alpha. Unknown pixels are black: what the lens draws
    outside of the picture, and directions so far out that its formula turns back and would show
    what lies nearer a second time, mirrored.
    """
    height, width = pixels.shape[:2]
    columns = (np.arange(width) + 0.5 - camera.cx) / camera.fx
    rows = (np.arange(height) + 0.5 - camera.cy) / camera.fy
    limit = distortion.limit(float(np.hypot(np.abs(columns).max(), np.abs(rows).max())))
    straight, known = np.empty_like(pixels), np.empty((height, width), bool)
    for band in _bands(height, width):
        x, y = np.broadcast_arrays(columns[None, :], rows[band, None])
        with np.errstate(all="ignore"):
            bent_x, bent_y = distortion.bend(x, y)
            u = camera.fx * bent_x + camera.cx - 0.5
            v = camera.fy * bent_y + camera.cy - 0.5
        inside = (u >= -0.5) & (u <= width - 0.5) & (v >= -0.5) & (v <= height - 0.5)
        inside &= x * x + y * y < limit * limit
        known[band] = inside
        straight[band] = _mixed(pixels, np.where(inside, u, 0.0), np.where(inside, v, 0.0))
    straight[~known] = 0
    return straight, known


def _mixed(
    pixels: NDArray[np.uint8], u: NDArray[np.float64], v: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """Pixels at places between pixels; straight colours count by their alpha."""
    height, width, channels = pixels.shape
    u, v = np.clip(u, 0.0, width - 1.0), np.clip(v, 0.0, height - 1.0)
    left, top = np.floor(u).astype(np.intp), np.floor(v).astype(np.intp)
    right, bottom = np.minimum(left + 1, width - 1), np.minimum(top + 1, height - 1)
    across, down = u - left, v - top
    total = np.zeros((*u.shape, channels), np.float32)
    for row, of_row in ((top, 1.0 - down), (bottom, down)):
        for column, of_column in ((left, 1.0 - across), (right, across)):
            share = (of_row * of_column).astype(np.float32)[..., None]
            corner = pixels[row, column].astype(np.float32)
            if channels == 4:
                corner[..., :3] *= corner[..., 3:]
            total += share * corner
    if channels == 4:
        total[..., :3] /= np.maximum(total[..., 3:], np.float32(1e-6))
    mixed: NDArray[np.uint8] = np.rint(np.clip(total, 0.0, 255.0)).astype(np.uint8)
    return mixed


def _bands(height: int, width: int) -> Iterator[slice]:
    """Runs of rows of about `_BAND_PIXELS`, so that what is computed with them stays small."""
    step = max(1, _BAND_PIXELS // max(width, 1))
    for start in range(0, height, step):
        yield slice(start, min(start + step, height))


def _camera_of_size(shot: Shot, width: int, height: int) -> Camera:
    camera = shot.camera
    if (camera.width, camera.height) == (width, height):
        return camera
    across, down = width / camera.width, height / camera.height
    if shot.sized and abs(across - down) * max(camera.width, camera.height) > _SIZE_TOLERANCE * max(
        1.0, across
    ):
        raise FileFormatError(
            f"The picture is {width}x{height}, but its camera says {camera.width}x{camera.height}, "
            f"which is another shape; use the pictures that the cameras were made with: {shot.path}"
        )
    return replace(
        camera, fx=camera.fx * across, fy=camera.fy * (down if shot.sized else across),
        cx=camera.cx * across, cy=camera.cy * down, width=width, height=height,
    )  # fmt: skip


def camera_of(shot: Shot) -> Camera:
    """The camera of a shot for its picture's own size, which the head of the file tells.

    Raises
    ------
    FileFormatError
        If there is no such picture, or it has another shape than its camera.
    """
    with _picture(shot.path) as image:
        return _camera_of_size(shot, *image.size)


def read_pixels(path: str | os.PathLike[str]) -> NDArray[np.uint8]:
    """(H, W, 3 or 4) uint8 of a picture's file, as stored: never turned by its metadata.

    Raises
    ------
    FileFormatError
        If it is no picture, or damaged.
    UsageError
        If there is not enough memory to read it.
    """
    with _picture(Path(path)) as image:
        require(
            _READING_BYTES * image.width * image.height,
            f"A picture of {image.width}x{image.height}; make it smaller: {path}",
        )
        return _eight_bit(image)


@contextmanager
def _picture(path: Path) -> Iterator[Any]:
    """A picture, opened; all that is wrong with it becomes one sentence."""
    from PIL import Image, UnidentifiedImageError

    if file_size(path) > _MAX_BYTES:
        raise FileFormatError(f"The picture's file is larger than 1 GiB: {path}")
    broken = (UnidentifiedImageError, SyntaxError, ValueError, TypeError, EOFError)
    with reading(path):
        try:
            with warnings.catch_warnings():
                # Of damaged metadata, which is not used, and of large pictures.
                warnings.simplefilter("ignore", UserWarning)
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                with _opened(path) as image:
                    if max(image.size) > MAX_SIDE:
                        raise FileFormatError(
                            f"The picture is {image.width}x{image.height}; at most {MAX_SIDE} "
                            f"pixels a side are read: {path}"
                        )
                    _check_numbers(image, path)
                    yield image
        except Image.DecompressionBombError as error:
            raise FileFormatError(
                f"The picture is too large; at most {MAX_SIDE} pixels a side are read: {path}"
            ) from error
        except broken as error:
            raise FileFormatError(f"This is no picture that can be read: {path}") from error
        except OSError as error:
            if error.errno is not None:
                raise
            # Pillow's own, whose words mean something to its makers alone.
            raise FileFormatError(
                f"The picture is damaged or cut short; export or copy it again: {path}"
            ) from error


_OPENING = threading.Lock()


def _opened(path: Path) -> Any:
    """A picture, opened, up to four times as many pixels as Pillow takes for safe.

    Nothing is decoded yet: what is too large is refused by its size.
    """
    from PIL import Image

    with _OPENING:
        before = Image.MAX_IMAGE_PIXELS
        Image.MAX_IMAGE_PIXELS = MAX_SIDE * MAX_SIDE
        try:
            return Image.open(path)
        finally:
            Image.MAX_IMAGE_PIXELS = before


def _check_numbers(image: Any, path: Path) -> None:
    """Refuse numbers of which nobody says what white is; read as others they would be black."""
    if image.mode == "F" or (image.mode == "I" and image.format == "TIFF"):
        raise FileFormatError(
            f"The picture holds 32-bit numbers, of which nobody knows which one is white; save it "
            f"with 8 or 16 bits a channel: {path}"
        )


def _eight_bit(image: Any) -> NDArray[np.uint8]:
    if image.mode.startswith("I"):
        # 257 times as many steps, rounded to the nearest.
        narrow = np.clip(np.asarray(image), 0, 65535).astype(np.int32)
        narrow += 128
        narrow //= 257
        return np.repeat(narrow.astype(np.uint8)[..., None], 3, axis=2)
    transparent = "A" in image.getbands() or "transparency" in image.info
    mode = "RGBA" if transparent else "RGB"
    values = np.asarray(image if image.mode == mode else image.convert(mode))
    if transparent and int(values[..., 3].min()) == 255:
        values = values[..., :3]
    return np.ascontiguousarray(values)


def _reduced(pixels: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """Mean of squares of pixels; straight colours count by their alpha; an odd rest is cut off."""
    height, width = pixels.shape[0] // factor, pixels.shape[1] // factor
    channels = pixels.shape[2]
    result = np.empty((height, width, channels), np.uint8)
    for band in _bands(height, width * factor * factor):
        rows = pixels[band.start * factor : band.stop * factor, : width * factor]
        blocks = rows.reshape(-1, factor, width, factor, channels)
        plain = blocks[..., :3].mean(axis=(1, 3))
        if channels != 4:
            result[band] = np.rint(plain)
            continue
        alpha = blocks[..., 3:].astype(np.float64)
        total = alpha.sum(axis=(1, 3))
        weighted = (blocks[..., :3] * alpha).sum(axis=(1, 3))
        colors = np.where(total > 0, weighted / np.maximum(total, 1e-9), plain)
        result[band] = np.rint(np.concatenate([colors, total / factor**2], axis=2))
    return result


def reduced_camera(camera: Camera, factor: int) -> Camera:
    """The camera of a picture whose pixels were averaged in squares; an odd rest is cut off."""
    if factor == 1:
        return camera
    return replace(
        camera, fx=camera.fx / factor, fy=camera.fy / factor, cx=camera.cx / factor,
        cy=camera.cy / factor, width=camera.width // factor, height=camera.height // factor,
    )  # fmt: skip
