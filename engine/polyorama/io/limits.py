"""Shared by the packed formats: bounds on what comes in, losses on the way out."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.text import count_of
from polyorama.errors import FileFormatError, OutputError
from polyorama.io.files import file_size, reading

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

    from numpy.typing import ArrayLike, NDArray

    from polyorama.scene.splats import SplatCloud, SplatModel

__all__ = [
    "FARTHEST",
    "FREE_BYTES",
    "MAX_CAMERAS",
    "MAX_RATIO",
    "check_expansion",
    "positive_scales",
    "read_beside",
    "read_bytes",
    "storable",
    "unit_quaternions",
    "warn_of_negative_scales",
]

log = logging.getLogger(__name__)

MAX_RATIO = 1000
"""How many times its compressed size a file may claim to expand to."""

FARTHEST = 1e12
"""Largest coordinate, in world units, of cameras and points that are taken for real."""

MAX_CAMERAS = 200_000
"""Most cameras that one file may hold."""

FREE_BYTES = 16 << 20
"""Expanded size in bytes that is always allowed, however small the file."""


def read_bytes(path: str | os.PathLike[str], limit: int | None = None) -> bytes:
    """All bytes of a plain file.

    Parameters
    ----------
    limit
        The largest size in bytes that is accepted.

    Raises
    ------
    FileFormatError
        If it is missing, empty, no plain file, larger than `limit`, or cannot be read.
    """
    size = file_size(path)
    if limit is not None and size > limit:
        raise FileFormatError(f"The file is too large ({size:,} bytes, at most {limit:,}): {path}")
    with reading(path):
        return Path(path).read_bytes()


def read_beside(source: str | os.PathLike[str], name: str, limit: int | None = None) -> bytes:
    """All bytes of a file that another file names, which must lie in its folder or below.

    Parameters
    ----------
    source
        The file that names it.
    name
        Its path from the folder of `source`, with slashes of either kind.
    limit
        The largest size in bytes that is accepted.

    Raises
    ------
    FileFormatError
        If the name or a link leads out of the folder, or the file is missing or cannot be read.
    """
    folder = Path(source).parent.resolve()
    try:
        target = (folder / name.replace("\\", "/")).resolve()
    except (OSError, ValueError):
        target = folder
    if not target.is_relative_to(folder) or target == folder:
        raise FileFormatError(
            f"The file names {name[:100]!r}, which is not in the folder of the file; files outside "
            f"its folder are not read: {source}"
        )
    if not target.is_file():
        raise FileFormatError(f"The file needs {name[:100]!r}, which is not beside it: {source}")
    return read_bytes(target, limit)


def check_expansion(claimed: int, stored: int, path: str | os.PathLike[str]) -> None:
    """Refuse a compressed file that claims to hold more than its bytes plausibly can.

    Parameters
    ----------
    claimed
        Bytes after decompression, as the file's own header says.
    stored
        Bytes of the file.

    Raises
    ------
    FileFormatError
        If the claim is above `FREE_BYTES` and above `MAX_RATIO` times the file.
    """
    if claimed > max(FREE_BYTES, MAX_RATIO * stored):
        raise FileFormatError(
            f"The header promises {claimed:,} bytes of splats, more than {stored:,} stored bytes "
            f"can hold; the file is damaged or hostile: {path}"
        )


def unit_quaternions(quats: ArrayLike) -> NDArray[np.float32]:
    """(N, 4) float32 quaternions scaled to length 1; zero and non-finite rows stay as they are."""
    q = np.asarray(quats, np.float32)
    with np.errstate(all="ignore"):
        length = np.sqrt(np.einsum("ij,ij->i", q, q, dtype=np.float64))
        fine = np.isfinite(length) & (length > 0.0)
        return np.asarray(q / np.where(fine, length, 1.0)[:, None], np.float32)


def positive_scales(cloud: SplatCloud) -> tuple[SplatCloud, int]:
    """A cloud whose scales are not negative, and how many splats had one that was.

    A scale enters the covariance squared, so its sign means nothing.
    """
    negative = cloud.scales < 0.0
    if not negative.any():
        return cloud, 0
    return replace(cloud, scales=np.abs(cloud.scales)), int(negative.any(axis=1).sum())


def warn_of_negative_scales(count: int, path: str | os.PathLike[str] | None = None) -> None:
    """Log, if there are any, that `count` splats had a negative scale, and in which file."""
    if count:
        where = "." if path is None else f": {path}"
        log.warning(
            "%s had a negative scale; its sign was dropped%s", count_of(count, "splat"), where
        )


def storable(
    cloud: SplatCloud,
    path: str | os.PathLike[str],
    *,
    models: Collection[SplatModel] = ("default", "antialiased", "2dgs"),
) -> SplatCloud:
    """The part of a cloud that a format without NaN and without extra columns can hold.

    Rows with NaN or infinite values are left out, negative scales lose their sign. What is lost
    (rows, signs, columns, the model's tag) is logged as a warning that names the file.

    Parameters
    ----------
    models
        The tags that the target can carry.

    Raises
    ------
    OutputError
        If no splat is left to write.
    """
    finite = np.isfinite(cloud.opacities)
    for array in (cloud.means, cloud.quats, cloud.scales):
        finite &= np.isfinite(array).all(axis=1)
    finite &= np.isfinite(cloud.sh).all(axis=(1, 2))
    lost = len(cloud) - int(finite.sum())
    if lost == len(cloud):
        raise OutputError(f"There is no splat with finite values to write: {path}")
    if lost:
        log.warning("%s with NaN or infinite values left out of %s", count_of(lost, "splat"), path)
        cloud = cloud.subset(finite)
    cloud, negative = positive_scales(cloud)
    warn_of_negative_scales(negative, path)
    if cloud.model not in models:
        log.warning("The model tag %r cannot be kept in %s", cloud.model, path)
    if cloud.extras:
        log.warning("The columns %s cannot be kept in %s", ", ".join(sorted(cloud.extras)), path)
    return cloud
