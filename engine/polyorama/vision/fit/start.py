"""The first guess of a scene: splats at points that are known, or spread at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.neighbors import KdTree
from polyorama.scene.splats import SplatCloud, sh_from_colors
from polyorama.vision.fit.dataset import check_overlap, seen_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.types import Bounds
    from polyorama.vision.fit.dataset import Dataset, View
    from polyorama.vision.fit.settings import FitSettings

__all__ = ["first_guess", "random_start", "start_from_points"]

_OPACITY = 0.1
_MCMC_OPACITY, _MCMC_SIZE = 0.5, 0.1
_MCMC_RANDOM_SIZE = 0.5
_RANDOM = 5000
_ROUNDS = 64
_BACKDROP_LEVELS = 2
_BACKDROP_EDGE = 0.1


def first_guess(
    dataset: Dataset, settings: FitSettings, *, random: int | None = None
) -> SplatCloud:
    """Splats at the dataset's points where it has any, else at random, as the strategy likes them.

    Parameters
    ----------
    dataset, settings
        Of the fit.
    random
        How many random splats; None is none where there are points, else 5,000 or as many as
        there may be.

    Raises
    ------
    UsageError
        As `random_start`.
    """
    mcmc = settings.strategy == "mcmc"
    most = settings.most_splats
    opacity = _MCMC_OPACITY if mcmc else _OPACITY
    if random is None and dataset.points is not None and len(dataset.points):
        assert dataset.colors is not None
        size = _MCMC_SIZE if mcmc else 1.0
        points, colors = dataset.points, dataset.colors
        if most is not None and len(points) > most:
            rng = np.random.default_rng(settings.seed)
            rows = np.sort(rng.choice(len(points), most, replace=False))
            points, colors = points[rows], colors[rows]
        return start_from_points(points, colors, opacity=opacity, size=size)
    count = min(_RANDOM, most or _RANDOM) if random is None else random
    size = _MCMC_RANDOM_SIZE if mcmc else 1.0
    background = None if settings.background == "random" else settings.background
    return random_start(
        dataset, count, seed=settings.seed, background=background, opacity=opacity, size=size
    )


def start_from_points(
    points: ArrayLike, colors: ArrayLike, *, opacity: float = _OPACITY, size: float = 1.0
) -> SplatCloud:
    """Round splats at points, as large as the gaps between them.

    Parameters
    ----------
    points, colors
        (P, 3) world units, and (P, 3) display RGB 0..1; rows that are not finite are left out.
    opacity
        Of all.
    size
        Standard deviation over the root mean squared distance to the three nearest points.

    Raises
    ------
    UsageError
        If there is no finite point.
    """
    with np.errstate(over="ignore"):
        # What is too large becomes infinite, and is left out.
        array, shades = np.asarray(points, np.float32), np.asarray(colors, np.float32)
    finite = np.isfinite(array).all(axis=1) & np.isfinite(shades).all(axis=1)
    array, shades = array[finite], shades[finite]
    if not len(array):
        raise UsageError("There is no point with finite coordinates to begin the fit with.")
    tree = KdTree.of(array)
    _, distances = tree.neighbors(3)
    distances[~np.isfinite(distances)] = np.nan
    squared = np.full(len(array), np.nan)
    known = np.isfinite(distances).any(axis=1)
    squared[tree.rows[known]] = np.nanmean(distances[known].astype(np.float64) ** 2, axis=1)
    squared = np.nan_to_num(squared, nan=1.0)
    # Points that lie on one another get the size of the smallest real gap in their surroundings.
    smallest = np.quantile(squared[squared > 0.0], 0.01) if (squared > 0.0).any() else 1.0
    scales = size * np.sqrt(np.maximum(squared, smallest))
    count = len(array)
    return SplatCloud(
        means=array,
        quats=np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
        scales=np.repeat(scales[:, None], 3, axis=1).astype(np.float32),
        opacities=np.full(count, opacity, np.float32),
        sh=sh_from_colors(shades)[:, None, :],
    )


def random_start(
    dataset: Dataset,
    count: int,
    *,
    seed: int = 0,
    bounds: Bounds | None = None,
    background: tuple[float, float, float] | None = (0.0, 0.0, 0.0),
    opacity: float = _OPACITY,
    size: float = 1.0,
) -> SplatCloud:
    """Splats spread evenly through a box, where two views at least look; coloured as they see it.

    Where the pictures stand before a flat backdrop (transparent, or of the background's colour all
    along their edges), only points are taken before which no view sees the backdrop.

    Parameters
    ----------
    dataset
        Whose views.
    count
        How many.
    seed
        The same seed gives the same splats.
    bounds
        The box; None is ``dataset.bounds()``.
    background
        Colour of the backdrop, or None where only transparency tells it.
    opacity, size
        As `start_from_points` takes them.

    Raises
    ------
    UsageError
        If `count` is not positive or two views see no common part of the box.
    """
    if count < 1:
        raise UsageError(f"A fit cannot begin with {count} splats; ask for at least 1.")
    box = dataset.bounds() if bounds is None else bounds
    rng = np.random.default_rng(seed)
    outlines = _outlines(dataset.views, background)
    kept: list[NDArray[np.float64]] = []
    found = 0
    for _ in range(_ROUNDS):
        points = rng.uniform(box.low, box.high, (4 * count, 3))
        points = points[seen_by(points, dataset.views).sum(axis=0) >= 2]
        if outlines is not None:
            points = points[_inside(points, dataset.views, outlines)]
        kept.append(points)
        found += len(points)
        if found >= count:
            break
    points = np.concatenate(kept)[:count]
    check_overlap(dataset, points if len(points) else box.center[None])
    return start_from_points(
        points, _mean_colors(points, dataset.views), opacity=opacity, size=size
    )


def _outlines(
    views: Sequence[View], background: tuple[float, float, float] | None
) -> list[NDArray[np.bool_]] | None:
    """(H, W) bool of each view, where it may see something; None where there is no flat backdrop.

    What is masked may be anything.
    """
    outlines = []
    edges = []
    for view in views:
        if view.pixels.shape[2] == 4:
            thing = view.pixels[..., 3] > 0
        elif background is None:
            return None
        else:
            color = np.rint(255.0 * np.array(background)).astype(np.int16)
            thing = np.abs(view.pixels.astype(np.int16) - color).max(axis=2) > _BACKDROP_LEVELS
        if view.mask is not None:
            thing |= ~view.mask
        outlines.append(thing)
        edges.append(np.concatenate([thing[0], thing[-1], thing[:, 0], thing[:, -1]]).mean())
    return outlines if float(np.median(edges)) < _BACKDROP_EDGE else None


def _inside(
    points: NDArray[np.float64], views: Sequence[View], outlines: Sequence[NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """(P,) whether every view that looks at a point may see something there."""
    inside = np.ones(len(points), bool)
    for view, outline in zip(views, outlines, strict=True):
        seen, x, y = _pixels_of(points, view)
        inside[seen] &= outline[y, x]
    return inside


def _pixels_of(
    points: NDArray[np.float64], view: View
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Which of (P, 3) points a view sees, and the pixels that those fall on."""
    camera = view.camera
    seen = seen_by(points, [view])[0]
    local = points[seen] @ camera.viewmat[:3, :3].T + camera.viewmat[:3, 3]
    divide = local[:, 2] if camera.kind == "pinhole" else np.ones(len(local))
    x = (camera.fx * local[:, 0] / divide + camera.cx).astype(np.int64)
    y = (camera.fy * local[:, 1] / divide + camera.cy).astype(np.int64)
    return seen, x, y


def _mean_colors(points: NDArray[np.float64], views: Sequence[View]) -> NDArray[np.float64]:
    """(P, 3) the mean colour 0..1 of the pixels that points fall on."""
    total, count = np.zeros((len(points), 3)), np.zeros((len(points), 1))
    for view in views:
        seen, x, y = _pixels_of(points, view)
        total[seen] += view.pixels[y, x, :3] / 255.0
        count[seen] += 1.0
    return total / np.maximum(count, 1.0)
