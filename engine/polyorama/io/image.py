"""Still pictures: PNG, JPEG and WebP, and float arrays as NPY.

Inside Polyorama colours are premultiplied by alpha; PNG and WebP hold straight alpha, JPEG none.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from polyorama.core.arguments import check_kind, check_number, check_path, said
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.io.files import write_all

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

__all__ = [
    "IMAGE_ENDINGS",
    "Picture",
    "composite",
    "pixels",
    "read_text",
    "straight_alpha",
    "write_depth",
    "write_float",
    "write_image",
]

IMAGE_ENDINGS: Mapping[str, str] = {
    ".png": "PNG",
    ".jpg": "JPEG",
    ".jpeg": "JPEG",
    ".webp": "WEBP",
}
"""File endings of pictures, each with its format."""

_LARGEST_SIDE = {"PNG": 2**31 - 1, "JPEG": 65500, "WEBP": 16383}
_EXIF_SOFTWARE, _EXIF_DESCRIPTION = 0x0131, 0x010E
_EXIF_DETAILS, _EXIF_USER_COMMENT = 0x8769, 0x9286
_UNDEFINED = bytes(8)
"""Before a user comment, its encoding; EXIF has no name for UTF-8."""
_DESCRIPTION = "Comment"
"""Key of the words that are a picture's description."""


class Picture(Protocol):
    """Anything with 8-bit pixels, such as a Frame."""

    @property
    def rgba8(self) -> NDArray[np.uint8] | None:
        """(H, W, 4) uint8, display RGB premultiplied by alpha."""
        ...


def pixels(picture: Picture | NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The 8-bit pixels of a frame or array: (H, W, 3) or (H, W, 4) uint8, premultiplied.

    Raises
    ------
    UsageError
        If there are none, or the array is of another shape or type.
    """
    if not isinstance(picture, np.ndarray) and not hasattr(picture, "rgba8"):
        raise UsageError(f"A picture is a Frame or an array of uint8, not {said(picture)}.")
    values = picture if isinstance(picture, np.ndarray) else picture.rgba8
    if values is None:
        raise UsageError("This frame has no 8-bit pixels; render it with the output 'rgba8'.")
    if values.dtype != np.uint8 or values.ndim != 3 or values.shape[2] not in (3, 4):
        raise UsageError(
            f"A picture must be an (H, W, 3) or (H, W, 4) array of uint8, "
            f"not {values.shape} of {values.dtype}."
        )
    if 0 in values.shape:
        raise UsageError("A picture without pixels cannot be written.")
    return values


def straight_alpha(premultiplied: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Divide colour by alpha, rounded to nearest: (H, W, 4) uint8 of (H, W, 4) uint8.

    Colours brighter than their alpha are cut at 255; where alpha is 0, colour becomes 0.
    """
    alpha = premultiplied[..., 3]
    if alpha.min(initial=255) == 255:
        return premultiplied
    out = premultiplied.copy()
    out[alpha == 0] = 0
    # Mostly only the edges are between clear and opaque.
    edges = (alpha > 0) & (alpha < 255)
    wide = premultiplied[edges].astype(np.uint32)
    divisor = wide[:, 3:]
    colors = (wide[:, :3] * 255 + divisor // 2) // divisor
    out[edges, :3] = np.minimum(colors, 255)
    return out


def composite(
    premultiplied: NDArray[np.uint8], background: tuple[float, float, float]
) -> NDArray[np.uint8]:
    """Lay premultiplied (H, W, 4) pixels over a display RGB 0..1 colour: (H, W, 3) uint8."""
    alpha = premultiplied[..., 3:]
    if alpha.min(initial=255) == 255:
        return premultiplied[..., :3]
    behind = np.rint(np.clip(background, 0.0, 1.0) * np.float64(255)).astype(np.uint16)
    # 255 * 255 + 127 still fits in 16 bits.
    mixed = premultiplied[..., :3] + ((255 - alpha.astype(np.uint16)) * behind + 127) // 255
    return np.minimum(mixed, 255).astype(np.uint8)


def image_format(path: str | os.PathLike[str]) -> str:
    """``"PNG"``, ``"JPEG"`` or ``"WEBP"``, told by the ending.

    Raises
    ------
    OutputError
        If the ending is none of a picture's.
    """
    check_path(path)
    kind = IMAGE_ENDINGS.get(Path(path).suffix.lower())
    if kind is None:
        raise OutputError(
            f"Cannot write this kind of picture (can: {', '.join(IMAGE_ENDINGS)}): {path}"
        )
    return kind


def write_image(
    path: str | os.PathLike[str],
    picture: Picture | NDArray[np.uint8],
    *,
    quality: int | None = None,
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    keep_alpha: bool | None = None,
    text: Mapping[str, str] | None = None,
    panorama: bool = False,
) -> None:
    """Write a picture; the ending chooses PNG, JPEG or WebP.

    Parameters
    ----------
    path
        Where to.
    picture
        A Frame, or an (H, W, 3 or 4) uint8 array with premultiplied colour.
    quality
        1 to 100 for JPEG (default 95) and WebP (default 92; 100 is lossless). PNG has none.
    background
        Display RGB, 0..1, that transparent pixels are laid over where alpha is not kept.
    keep_alpha
        Whether the file has an alpha channel; None keeps it when some pixel is transparent. JPEG
        never has one.
    text
        Words to store in the file, by key ("Comment", "Description", ...).
    panorama
        Whether it shows all directions, equirectangular: viewers that know it let one look around.

    Raises
    ------
    OutputError
        If the ending is unknown, the picture is too large for its format, or the system refuses.
    UsageError
        If the picture is no picture or the quality is out of range.
    """
    from PIL import Image

    kind = image_format(path)
    values = pixels(picture)
    if quality is not None:
        check_number(quality, "quality")
    if text is not None:
        check_kind(text, Mapping, "text", "words by key")
    if quality is not None and not 1 <= quality <= 100:
        raise UsageError(f"A quality of {quality} is not 1 to 100.")
    if max(values.shape[:2]) > _LARGEST_SIDE[kind]:
        raise OutputError(
            f"{kind} pictures have at most {_LARGEST_SIDE[kind]} pixels a side; "
            f"choose another format: {path}"
        )
    if values.shape[2] == 4:
        if keep_alpha is None:
            keep_alpha = int(values[..., 3].min()) < 255
        straight = kind != "JPEG" and keep_alpha
        values = straight_alpha(values) if straight else composite(values, background)
    image = Image.fromarray(np.ascontiguousarray(values))
    options = _save_options(kind, quality, dict(text or {}))
    if panorama:
        packet = _panorama_packet(image.width, image.height)
        if kind == "PNG":
            options["pnginfo"].add_itxt("XML:com.adobe.xmp", packet)
        else:
            options["xmp"] = packet.encode()
    with atomic_write(path) as temporary:
        image.save(temporary, kind, **options)


def _panorama_packet(width: int, height: int) -> str:
    """XMP that declares a full equirectangular panorama (the public GPano vocabulary)."""
    values = {
        "ProjectionType": "equirectangular",
        "UsePanoramaViewer": "True",
        "FullPanoWidthPixels": width,
        "FullPanoHeightPixels": height,
        "CroppedAreaImageWidthPixels": width,
        "CroppedAreaImageHeightPixels": height,
        "CroppedAreaLeftPixels": 0,
        "CroppedAreaTopPixels": 0,
    }
    fields = "".join(f' GPano:{key}="{value}"' for key, value in values.items())
    return (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description xmlns:GPano="http://ns.google.com/photos/1.0/panorama/"'
        f"{fields}/></rdf:RDF></x:xmpmeta>"
    )


def _save_options(kind: str, quality: int | None, text: dict[str, str]) -> dict[str, Any]:
    from PIL import Image, PngImagePlugin

    import polyorama

    software = f"Polyorama {polyorama.__version__}"
    if kind == "PNG":
        info = PngImagePlugin.PngInfo()
        info.add(b"sRGB", b"\x00")
        for key, value in {"Software": software, **text}.items():
            info.add_itxt(key, _storable(value))
        return {"pnginfo": info, "compress_level": 4}
    exif = Image.Exif()
    exif[_EXIF_SOFTWARE] = software
    # What people read is the description; what programs read stands elsewhere.
    words = {key: _storable(value) for key, value in text.items()}
    if _DESCRIPTION in words:
        exif[_EXIF_DESCRIPTION] = words.pop(_DESCRIPTION).encode()
    if words:
        lines = "\n".join(f"{key}: {value}" for key, value in words.items())
        exif.get_ifd(_EXIF_DETAILS)[_EXIF_USER_COMMENT] = _UNDEFINED + lines.encode()
    if kind == "JPEG":
        quality = 95 if quality is None else quality
        # From quality 90 on, colour keeps its full resolution.
        return {"quality": quality, "subsampling": 0 if quality >= 90 else 2, "exif": exif}
    quality = 92 if quality is None else quality
    return {"quality": quality, "lossless": quality == 100, "method": 4, "exif": exif}


def _storable(text: str) -> str:
    """Text as pictures can hold it; the names of files may hold anything."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")


def read_text(path: str | os.PathLike[str], *, whole: bool = False) -> dict[str, str]:
    """The words that `write_image` stored in a picture; empty for a picture without any.

    Parameters
    ----------
    path
        The picture.
    whole
        Whether its pixels are decoded too, to be sure that they are there.

    Raises
    ------
    FileFormatError
        If the file is missing, no picture, or damaged.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # Only the head of the file is read, however many pixels follow.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(path)
        with image:
            if whole:
                image.load()
            found = getattr(image, "text", None)
            if found is not None:
                return {str(key): str(value) for key, value in found.items()}
            exif = image.getexif()
            described = exif.get(_EXIF_DESCRIPTION)
            kept = exif.get_ifd(_EXIF_DETAILS).get(_EXIF_USER_COMMENT, b"")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise FileFormatError(f"This is no picture that can be read: {path}") from error
    words = {} if described is None else {_DESCRIPTION: _as_written(str(described))}
    if isinstance(kept, bytes) and kept.startswith(_UNDEFINED):
        lines = kept.removeprefix(_UNDEFINED).decode("utf-8", "replace").splitlines()
        pairs = (line.partition(": ") for line in lines)
        words |= {key: value for key, colon, value in pairs if colon}
    return words


def _as_written(text: str) -> str:
    """EXIF's text, which is written as UTF-8 and read as Latin-1."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def write_float(path: str | os.PathLike[str], values: NDArray[np.float32]) -> None:
    """Write a float32 array as NPY, such as a frame's `color` (H, W, 4) or depth (H, W).

    Raises
    ------
    OutputError
        If the name does not end in .npy or the system refuses.
    """
    if Path(path).suffix.lower() != ".npy":
        raise OutputError(f"Float pictures are written as .npy: {path}")
    array = np.ascontiguousarray(values, np.float32)
    with atomic_write(path) as temporary, temporary.open("wb", buffering=0) as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
        # Not by numpy, which does not say why the system took fewer bytes.
        write_all(file, array)


def write_depth(
    path: str | os.PathLike[str],
    depth: NDArray[np.float32],
    *,
    text: Mapping[str, str] | None = None,
) -> None:
    """Write a depth map, (H, W) float32 in world units, 0 where nothing is drawn.

    NPY keeps the values. PNG is for looking at and for compositing: 16-bit grey, nearest white
    (65535), farthest 1, nothing 0; its text fields "Near" and "Far" hold the two depths, beside
    those of `text`.

    Raises
    ------
    OutputError
        If the ending is neither .npy nor .png, or the system refuses.
    """
    ending = Path(path).suffix.lower()
    if ending == ".npy":
        write_float(path, depth)
        return
    if ending != ".png":
        raise OutputError(f"Depth is written as .npy or .png: {path}")
    from PIL import Image, PngImagePlugin

    drawn = depth > 0.0
    near, far = (float(depth[drawn].min()), float(depth[drawn].max())) if drawn.any() else (0, 0)
    span = max(far - near, 1e-12)
    grey = np.where(drawn, np.rint(1.0 + 65534.0 * (far - depth.astype(np.float64)) / span), 0.0)
    info = PngImagePlugin.PngInfo()
    for key, value in dict(text or {}).items():
        info.add_itxt(key, value)
    info.add_text("Near", repr(near))
    info.add_text("Far", repr(far))
    with atomic_write(path) as temporary:
        Image.fromarray(np.clip(grey, 0, 65535).astype(np.uint16)).save(
            temporary, "PNG", pnginfo=info
        )
