"""A map of the library: all shapes as points, alike ones near each other.

Principal components are there at once; UMAP (McInnes, Healy and Melville 2018) keeps neighbours
together and takes its time. Either is kept as long as the library's vectors stay as they are.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.jobs import Progress
from polyorama.errors import UnavailableError, UsageError
from polyorama.io.atomic import atomic_write

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job

__all__ = ["METHODS", "Map", "kept_map", "make_map", "principal_plane"]

METHODS = ("pca", "umap")
_SEED = 0
_NEIGHBOURS = 15
_FEWEST = 8
_BLOCK = 16_384
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """Where shapes lie.

    Parameters
    ----------
    method
        "pca" or "umap".
    ids
        (N,) int64 assets.
    points
        (N, 2) float32, from 0 to 1 along both axes; the longer one fills that range.
    """

    method: str
    ids: NDArray[np.int64]
    points: NDArray[np.float32]


def kept_map(
    folder: Path, method: str, ids: NDArray[np.int64], places: NDArray[np.int64], shelf: str
) -> Map | None:
    """The map that was made of these vectors before; None where there is none.

    Parameters
    ----------
    folder
        Where maps are kept.
    method
        One of `METHODS`.
    ids, places
        (N,) assets and rows of their vectors.
    shelf
        Name of the shelf they lie on.
    """
    path = _file(folder, method, ids, places, shelf)
    try:
        if path.stat().st_size > _MOST_BYTES:
            return None
        points = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return None  # it is made again
    if not isinstance(points, np.ndarray) or points.shape != (len(ids), 2):
        return None
    return Map(method, ids, np.asarray(points, np.float32))


def make_map(
    folder: Path,
    method: str,
    ids: NDArray[np.int64],
    places: NDArray[np.int64],
    shelf: str,
    matrix: NDArray[np.float32],
) -> Job[Map]:
    """Lay out a map and keep it, as a job.

    Parameters
    ----------
    folder, method, ids, places, shelf
        As of `kept_map`.
    matrix
        (M, D) the vectors.

    Raises
    ------
    UsageError
        If there is no such method.
    UnavailableError
        If umap-learn is not installed.
    """
    if method not in METHODS:
        raise UsageError(f"A map is made by {' or '.join(METHODS)}, not {method!r}.")
    yield Progress(0, 1, "Laying out the map")
    points = principal_plane(matrix, places)
    # A handful of points has no neighbourhoods to keep.
    if method == "umap" and len(ids) >= _FEWEST:
        points = _neighbourhoods(matrix, places, points)
    points = _fitted(points)
    folder.mkdir(parents=True, exist_ok=True)
    path = _file(folder, method, ids, places, shelf)
    for old in folder.glob(f"{method}-*.npy"):
        if old != path:
            old.unlink(missing_ok=True)
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        np.save(file, points, allow_pickle=False)
    yield Progress(1, 1, "Laying out the map")
    return Map(method, ids, points)


def principal_plane(matrix: NDArray[np.float32], places: NDArray[np.int64]) -> NDArray[np.float32]:
    """(N, 2) coordinates along the two directions in which vectors vary most.

    They are eigenvectors of the covariance, in float64, each turned so that its largest entry is
    positive: the same vectors give the same map.
    """
    dimensions = matrix.shape[1]
    if not len(places):
        return np.empty((0, 2), np.float32)
    blocks = [places[at : at + _BLOCK] for at in range(0, len(places), _BLOCK)]
    mean = sum(matrix[block].sum(axis=0, dtype=np.float64) for block in blocks) / len(places)
    covariance = np.zeros((dimensions, dimensions))
    for block in blocks:
        rows = matrix[block] - mean
        covariance += rows.T @ rows
    axes = np.linalg.eigh(covariance)[1][:, ::-1][:, :2]
    if axes.shape[1] < 2:
        axes = np.hstack([axes, np.zeros((dimensions, 1))])
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0.0, -1.0, 1.0)
    return np.concatenate([((matrix[b] - mean) @ axes).astype(np.float32) for b in blocks])


def _neighbourhoods(
    matrix: NDArray[np.float32], places: NDArray[np.int64], start: NDArray[np.float32]
) -> NDArray[np.float32]:
    try:
        import umap
    except ImportError as error:
        raise UnavailableError(
            "The map of neighbourhoods needs a package; run: pip install umap-learn"
        ) from error
    spread = np.maximum(start.std(axis=0), 1e-6)
    model = umap.UMAP(
        n_neighbors=min(_NEIGHBOURS, len(places) - 1), metric="cosine", min_dist=0.08,
        init=(10.0 * (start - start.mean(axis=0)) / spread).astype(np.float32),
        random_state=_SEED, n_jobs=1,
    )  # fmt: skip
    return np.asarray(model.fit_transform(np.asarray(matrix[places], np.float32)), np.float32)


def _fitted(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Points in the unit square, their proportions kept, what is narrow in the middle."""
    if not len(points):
        return points
    low, high = points.min(axis=0), points.max(axis=0)
    span = max(float((high - low).max()), 1e-12)
    fitted = (points - (low + high) / 2.0) / span + 0.5
    return np.asarray(np.clip(fitted, 0.0, 1.0), np.float32)


def _file(
    folder: Path, method: str, ids: NDArray[np.int64], places: NDArray[np.int64], shelf: str
) -> Path:
    digest = hashlib.blake2b(shelf.encode(), digest_size=12)
    digest.update(np.ascontiguousarray(ids).tobytes())
    digest.update(np.ascontiguousarray(places).tobytes())
    return folder / f"{method}-{digest.hexdigest()}.npy"
