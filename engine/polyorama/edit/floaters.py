"""The floater filter: splats that hang together are kept where they make up a main cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.compile import kernel
from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.scene.covariance import covariances
from polyorama.scene.neighbors import KdTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.splats import SplatCloud

__all__ = ["find_floaters", "remove_floaters"]

_NEIGHBORS = 12


def find_floaters(
    cloud: SplatCloud, *, reach: float = 3.0, opacity: float = 0.1, share: float = 0.02
) -> Job[NDArray[np.bool_]]:
    """Which splats are floaters, as a job: (N,) bool.

    Solid splats are linked to near ones whose ellipsoids they meet, so no grid size has to fit the
    scene: dense detail and large background splats are both judged by their own size. Linked
    splats form clusters; a cluster is a main one if its mass, the sum of opacity times area, is at
    least a share of the heaviest cluster's. A faint splat goes with the nearest solid ones that it
    meets. Rows with NaN or infinity are floaters.

    Parameters
    ----------
    reach
        Two splats meet when their centres are no farther apart than this many times the sum of
        their standard deviations along the line between them.
    opacity
        Splats below this do not link others: fog must not bridge gaps. Where less than a quarter
        of a cloud is above, the median opacity takes its place.
    share
        Smallest mass of a cluster that is kept, as a share of the heaviest one's.

    Raises
    ------
    UsageError
        If a parameter is out of range.
    """
    if not reach > 0.0 or not 0.0 <= opacity <= 1.0 or not 0.0 <= share <= 1.0:
        raise UsageError(
            "The floater filter needs a reach above 0 and an opacity and a share of 0 to 1."
        )
    if len(cloud) == 0:
        return np.zeros(0, np.bool_)
    yield Progress(0, 3, "Finding floaters")
    solid = cloud.opacities >= opacity
    if solid.mean() < 0.25:
        # A cloud that is faint throughout: its more solid half holds the rest.
        solid = cloud.opacities >= np.median(np.nan_to_num(cloud.opacities, nan=0.0))
    tree = KdTree.of(np.where(solid[:, None], cloud.means, np.float32(np.nan)))
    rows = tree.rows
    floating = np.ones(len(cloud), np.bool_)
    if len(rows) == 0:
        return floating
    near, _ = tree.neighbors(min(_NEIGHBORS, max(1, len(rows) - 1)))
    yield Progress(1, 3, "Finding floaters")
    upper = covariances(cloud.quats, cloud.scales)
    means = cloud.means.astype(np.float64)
    root = np.arange(len(rows))
    _link(means[rows], upper[rows], near, float(reach), root)
    ordered = np.sort(cloud.scales[rows].astype(np.float64), axis=1)
    mass = cloud.opacities[rows] * ordered[:, 1] * ordered[:, 2]
    # A few giants, a sky or a fog, must not decide what counts as heavy.
    mass = np.minimum(mass, 100.0 * np.median(mass))
    weight = np.bincount(root, mass, len(rows))
    main = weight >= share * weight.max()
    floating[rows] = ~main[root]
    yield Progress(2, 3, "Finding floaters")
    faint = np.flatnonzero(~solid & np.isfinite(cloud.means).all(axis=1))
    if len(faint):
        found, _ = tree.nearest(cloud.means[faint], min(4, len(rows)))
        floating[faint] = ~_attached(means, upper, faint, found, ~floating, float(reach))
    yield Progress(3, 3, "Finding floaters")
    return floating


def remove_floaters(
    cloud: SplatCloud, *, reach: float = 3.0, opacity: float = 0.1, share: float = 0.02
) -> Job[SplatCloud]:
    """The cloud without its floaters, as a job; see `find_floaters`."""
    floating = yield from find_floaters(cloud, reach=reach, opacity=opacity, share=share)
    return cloud.subset(~floating) if floating.any() else cloud


@kernel
def _meet(means: Any, upper: Any, i: int, j: int, reach: float) -> bool:
    """Whether two ellipsoids, grown `reach` times, meet on the line between their centres."""
    x, y, z = means[j, 0] - means[i, 0], means[j, 1] - means[i, 1], means[j, 2] - means[i, 2]
    squared = x * x + y * y + z * z
    if squared == 0.0:
        return True
    deviations = 0.0
    for row in (i, j):
        variance = (
            x * (upper[row, 0] * x + 2.0 * (upper[row, 1] * y + upper[row, 2] * z))
            + y * (upper[row, 3] * y + 2.0 * upper[row, 4] * z)
            + z * upper[row, 5] * z
        )
        deviations += np.sqrt(max(variance, 0.0) / squared)
    return bool(squared <= (reach * deviations) ** 2)


@kernel
def _link(means: Any, upper: Any, near: Any, reach: float, root: Any) -> None:
    """Union-find over the neighbour graph; afterwards root[i] names the cluster of i."""
    for i in range(len(near)):
        for k in range(near.shape[1]):
            j = near[i, k]
            if j < 0 or not _meet(means, upper, i, j, reach):
                continue
            a, b = i, j
            while root[a] != a:
                root[a] = root[root[a]]
                a = root[a]
            while root[b] != b:
                root[b] = root[root[b]]
                b = root[b]
            if a < b:
                root[b] = a
            else:
                root[a] = b
    for i in range(len(root)):
        root[i] = root[root[i]]  # parents come before children, so one step reaches the root


@kernel
def _attached(means: Any, upper: Any, faint: Any, found: Any, kept: Any, reach: float) -> Any:
    result = np.zeros(len(faint), np.bool_)
    for at in range(len(faint)):
        for k in range(found.shape[1]):
            j = found[at, k]
            if j >= 0 and kept[j] and _meet(means, upper, faint[at], j, reach):
                result[at] = True
                break
    return result
