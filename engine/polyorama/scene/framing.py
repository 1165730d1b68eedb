"""A flattering first view: three-quarter, slightly from above, the subject filling the frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Bounds, Camera, unit_vector
from polyorama.errors import UsageError
from polyorama.scene.subject import OUTLIERS, document_points, subject_points, weighted_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polyorama.scene.document import Document
    from polyorama.scene.splats import SplatCloud

__all__ = ["frame_document", "frame_subject", "horizon"]

_AZIMUTH = 32.0
_FILL = 0.8


def frame_subject(
    subject: SplatCloud | Bounds,
    up: ArrayLike = (0.0, -1.0, 0.0),
    *,
    fov: float = 45.0,
    size: tuple[int, int] = (1280, 720),
    fill: float = _FILL,
    azimuth: float | None = None,
    elevation: float | None = None,
) -> Camera:
    """Place a camera so that the subject fills the frame.

    Giant, faint and far splats do not count (see `subject_rows`). The fit is exact for what does:
    the nearest camera with this direction of view for which the subject stays within `fill` of
    the picture's width and height.

    Parameters
    ----------
    subject
        A cloud, or a box of which all corners shall be seen.
    up
        (3,) world direction that is up in the picture.
    fov
        Vertical field of view in degrees.
    size
        (width, height) in pixels.
    fill
        Share of the picture's width or height that the subject takes, 0 < fill <= 1.
    azimuth
        Turn about `up` in degrees from the front; None takes a three-quarter view that shows the
        subject's broad side.
    elevation
        Height of the eye in degrees above the horizon; None takes 12 to 35, more for flat things.

    Raises
    ------
    UsageError
        If `up` is zero, `fill` is out of range, or size and field of view make no camera.
    """
    if isinstance(subject, Bounds):
        ends = np.stack([subject.low, subject.high])
        points = np.stack(np.meshgrid(*ends.T, indexing="ij"), axis=-1).reshape(8, 3)
        weights = np.ones(8)
        outliers = 0.0
    else:
        points, weights = subject_points(subject)
        outliers = OUTLIERS
    return _frame(points, weights, outliers, up, fov, size, fill, azimuth, elevation)


def frame_document(
    document: Document,
    *,
    fov: float = 45.0,
    size: tuple[int, int] = (1280, 720),
    azimuth: float | None = None,
    elevation: float | None = None,
) -> Camera:
    """As `frame_subject`, for all that a document draws, with the document's up direction.

    Parameters
    ----------
    document
        What is shown; an empty one is framed as the box [-1, 1]^3 is.
    fov, size, azimuth, elevation
        As for `frame_subject`.

    Raises
    ------
    UsageError
        If size and field of view make no camera.
    """
    points, weights = document_points(document)
    return _frame(points, weights, OUTLIERS, document.up, fov, size, _FILL, azimuth, elevation)


def _frame(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    outliers: float,
    up: ArrayLike,
    fov: float,
    size: tuple[int, int],
    fill: float,
    azimuth: float | None,
    elevation: float | None,
) -> Camera:
    if not 0.0 < fill <= 1.0:
        raise UsageError(f"A subject cannot fill {fill:g} of a frame; give a share up to 1.")
    if not 0.0 < fov < 180.0:
        raise UsageError(f"A vertical field of view of {fov} degrees is not between 0 and 180.")
    if min(size) < 1:
        raise UsageError(f"A picture of {size[0]}x{size[1]} pixels cannot be made.")
    upward = unit_vector(up)
    if len(points) == 0:
        points, weights = np.vstack([-np.eye(3), np.eye(3)]), np.ones(6)
    front, side = horizon(upward)
    flat = np.stack([points @ side, points @ front, points @ upward], axis=1)
    if azimuth is None:
        azimuth = _three_quarter(flat[:, :2], weights)
    if elevation is None:
        spans = [_span(flat[:, a], weights, outliers) for a in range(3)]
        height = spans[2] / max(spans[0], spans[1], 1e-12)
        elevation = float(np.interp(height, [0.15, 0.8], [35.0, 12.0]))
    turn, rise = np.radians(azimuth), np.radians(elevation)
    level = np.cos(turn) * front + np.sin(turn) * side
    forward = -(np.cos(rise) * level + np.sin(rise) * upward)
    right = np.cross(forward, upward)
    if np.linalg.norm(right) < 1e-6:  # straight down or up
        right = np.cross(upward, level)
    right = right / np.linalg.norm(right)
    axes = np.stack([right, np.cross(forward, right), forward])
    eye = _fit(points @ axes.T, weights, outliers, fov, size, fill) @ axes
    viewmat = np.eye(4)
    viewmat[:3, :3] = axes
    viewmat[:3, 3] = -axes @ eye
    width, height_px = size
    focal = 0.5 * height_px / np.tan(np.radians(fov) / 2.0)
    nearest = float((points @ forward).min() - eye @ forward)
    return Camera(
        viewmat, focal, focal, width / 2.0, height_px / 2.0, int(width), int(height_px),
        near=float(np.clip(0.02 * nearest, 1e-6, 0.01)),
    )  # fmt: skip


def horizon(up: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the front of things mostly is, seen from the middle, and what is to its right side.

    `up` is a unit vector, (3,) float64, and so are both results. The axes of captures and glTF
    have the front at +z; where z is up, it is at -y, as modelling programs have it.
    """
    front = np.array([0.0, -1.0, 0.0]) if abs(up[2]) > 0.8 else np.array([0.0, 0.0, 1.0])
    front = front - (front @ up) * up
    front = front / np.linalg.norm(front)
    return front, np.cross(up, front)


def _three_quarter(flat: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Degrees from the front: 32 towards either side, whichever shows more of a long subject.

    If the subject is long from front to back, the view goes further round to its broad side.
    """
    middle = np.average(flat, axis=0, weights=weights)
    offset = flat - middle
    covariance = (offset * weights[:, None]).T @ offset / weights.sum()
    values, vectors = np.linalg.eigh(covariance)
    if values[1] <= 0.0 or values[0] > 0.45 * values[1]:
        return _AZIMUTH
    # The broad side's outward normal, of the two the one nearer to the front-right.
    normal = vectors[:, 0]
    if normal @ (0.6, 1.0) < 0.0:
        normal = -normal
    facing = float(np.degrees(np.arctan2(normal[0], normal[1])))
    candidates = [facing - _AZIMUTH, facing + _AZIMUTH]
    return min(candidates, key=lambda angle: abs(angle - _AZIMUTH))


def _span(values: NDArray[np.float64], weights: NDArray[np.float64], outliers: float) -> float:
    low, high = _ends(values, weights, outliers)
    return high - low


def _ends(
    values: NDArray[np.float64], weights: NDArray[np.float64], outliers: float
) -> tuple[float, float]:
    if outliers == 0.0:
        return float(values.min()), float(values.max())
    low, high = weighted_quantile(values, weights, [outliers, 1.0 - outliers])
    return float(low), float(high)


def _fit(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    outliers: float,
    fov: float,
    size: tuple[int, int],
    fill: float,
) -> NDArray[np.float64]:
    """Eye in camera axes: the nearest for which all points lie inside the four slanted planes.

    A point is inside the right plane when x - eye_x <= k (z - eye_z). So max(x - k z) and
    max(-x - k z) give eye_x and one bound on eye_z; the same for y; the farther bound counts.
    """
    tangent = np.tan(np.radians(fov) / 2.0) * fill
    slopes = (tangent * size[0] / size[1], tangent)
    eye = np.empty(3)
    depths: list[float] = []
    for axis, slope in enumerate(slopes):
        _, most = _ends(points[:, axis] - slope * points[:, 2], weights, outliers)
        _, least = _ends(-points[:, axis] - slope * points[:, 2], weights, outliers)
        eye[axis] = (most - least) / 2.0
        depths.append(-(most + least) / (2.0 * slope))
    eye[2] = min(depths)
    nearest, farthest = _ends(points[:, 2], weights, outliers)
    # A single point, or a disc seen edge-on, gives no distance: step back by its size, at least 1.
    smallest = 0.05 * (farthest - nearest)
    if nearest - eye[2] <= smallest:
        eye[2] = nearest - max(smallest, 1e-3 if farthest > nearest else 1.0)
    # Along the axis that did not decide the distance the subject may sit off the middle.
    depth = np.maximum(points[:, 2] - eye[2], 1e-3 * (farthest - eye[2]))
    for axis in (0, 1):
        for _ in range(3):
            low, high = _ends((points[:, axis] - eye[axis]) / depth, weights, outliers)
            eye[axis] += (low + high) / 2.0 * depth.mean()
    return eye
