"""OpenEXR pictures for compositing: linear light, depth, ids and normals as named channels.

====================  =====  =====================================================================
Channel               Type   What it holds
====================  =====  =====================================================================
R, G, B, A            half   linear light, BT.709 primaries, premultiplied, before tone mapping
Z                     float  depth in world units along the view (in panoramas the distance from
                             the eye); 1e10 where nothing is drawn
normal.X, .Y, .Z      half   unit normal in world axes, toward the camera; 0 where there is nothing
id.splat              uint   number of the frontmost solid splat, counted from 1; 0 for none
id.node               uint   number of its node, counted from 1 in the order of the attribute
                             "nodes"; 0 for none
====================  =====  =====================================================================

Files are compressed without loss (ZIP). The attributes "comments" and "software" say how they were
made.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError, OutputError, UnavailableError, UsageError
from polyorama.io.atomic import atomic_write

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["NOTHING", "read_exr_text", "write_exr"]

NOTHING = 1e10
"""The depth of a pixel where nothing is drawn, as compositing programs have it."""

_LARGEST_HALF = 65504.0
_BT709 = (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290)


def write_exr(
    path: str | os.PathLike[str],
    linear: NDArray[np.float32] | None = None,
    *,
    depth: NDArray[np.float32] | None = None,
    normals: NDArray[np.float32] | None = None,
    ids: NDArray[np.int32] | None = None,
    node_index: NDArray[np.int32] | None = None,
    nodes: Sequence[str] = (),
    world_to_camera: NDArray[np.float64] | None = None,
    text: Mapping[str, str] | None = None,
) -> None:
    """Write the layers that are given; see the table of this module.

    Parameters
    ----------
    path
        Where to; it ends in .exr.
    linear
        (H, W, 4) float32, linear, premultiplied.
    depth
        (H, W) float32, 0 where nothing is drawn.
    normals
        (H, W, 3) float32.
    ids
        (H, W) int32, index of a splat, -1 for none.
    node_index
        (N,) int32, the node of each splat; None where all belong to the first.
    nodes
        Names of the nodes.
    world_to_camera
        (4, 4), acting on columns, with the camera's axes right, down, forward.
    text
        Further words: "Comment" becomes "comments", other keys become attributes of their name.

    Raises
    ------
    OutputError
        If the name does not end in .exr or the system refuses.
    UsageError
        If there is nothing to write or sizes differ.
    UnavailableError
        If the library is missing.
    """
    if Path(path).suffix.lower() != ".exr":
        raise OutputError(f"Layers of light and depth are written as .exr: {path}")
    layers = {"light": linear, "depth": depth, "normals": normals, "ids": ids}
    sizes = {layer.shape[:2] for layer in layers.values() if layer is not None}
    if len(sizes) != 1 or 0 in next(iter(sizes)):
        raise UsageError(f"The layers of a picture need one size, but there are {len(sizes)}.")
    library = _library()
    channels: dict[str, NDArray[Any]] = {}
    if linear is not None:
        half = np.clip(linear, -_LARGEST_HALF, _LARGEST_HALF).astype(np.float16)
        channels |= {name: half[..., i].copy() for i, name in enumerate("RGBA")}
    if depth is not None:
        channels["Z"] = np.where(depth > 0.0, depth, np.float32(NOTHING)).astype(np.float32)
    if normals is not None:
        channels |= {
            f"normal.{name}": normals[..., i].astype(np.float16) for i, name in enumerate("XYZ")
        }
    if ids is not None:
        channels["id.splat"] = (ids + 1).astype(np.uint32)
        owner = np.zeros_like(ids) if node_index is None or not len(node_index) else node_index[ids]
        channels["id.node"] = np.where(ids >= 0, owner + 1, 0).astype(np.uint32)
    header = _header(library, dict(text or {}), nodes, world_to_camera)
    with atomic_write(path) as temporary:
        try:
            with library.File(header, channels) as file:
                file.write(str(temporary))
        except (RuntimeError, ValueError) as error:
            raise OSError(f"the picture cannot be encoded: {error}") from error


def _header(
    library: Any,
    text: dict[str, str],
    nodes: Sequence[str],
    world_to_camera: NDArray[np.float64] | None,
) -> dict[str, Any]:
    import polyorama

    header: dict[str, Any] = {
        "compression": library.ZIP_COMPRESSION,
        "type": library.scanlineimage,
        "software": f"Polyorama {polyorama.__version__}",
        "chromaticities": _BT709,
        "comments": text.pop("Comment", ""),
        **text,
    }
    if nodes:
        header["nodes"] = "\n".join(nodes)
    if world_to_camera is not None:
        # EXR's matrices act on rows.
        header["worldToCamera"] = np.asarray(world_to_camera, np.float32).T.copy()
    return header


def _library() -> Any:
    try:
        import OpenEXR
    except ImportError as error:
        raise UnavailableError(
            f"EXR files need the package OpenEXR ({error}); install it with: pip install OpenEXR"
        ) from error
    return OpenEXR


def read_exr_text(path: str | os.PathLike[str]) -> dict[str, str]:
    """The words that `write_exr` stored, as `polyorama.io.image.read_text` gives them.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged.
    UnavailableError
        If the library is missing.
    """
    library = _library()
    _check_there(path)
    try:
        with library.File(str(path), header_only=True) as file:
            found = _texts(file.header())
    except (OSError, RuntimeError, ValueError) as error:
        raise FileFormatError(f"This is no EXR picture that can be read: {path}") from error
    if "comments" in found:
        found["Comment"] = found.pop("comments")
    return found


def _check_there(path: str | os.PathLike[str]) -> None:
    # The library would print its complaint as well as raise it.
    if not Path(path).is_file():
        raise FileFormatError(f"There is no such file: {path}")


def _texts(header: Mapping[str, Any]) -> dict[str, str]:
    return {str(key): value for key, value in header.items() if isinstance(value, str)}
