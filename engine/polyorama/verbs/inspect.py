"""Inspect: what is in a splat file, what is wrong with it, and how it differs from another."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.types import unit_vector
from polyorama.errors import UsageError
from polyorama.io.files import named
from polyorama.io.formats import detect_format, read_splats
from polyorama.io.mesh import read_mesh
from polyorama.io.precision import precision_of
from polyorama.io.project import read_project
from polyorama.scene.lint import Finding, lint
from polyorama.scene.statistics import (
    PERCENTILES,
    ColumnStatistics,
    column_statistics,
    overdraw,
    robust_bounds,
)
from polyorama.scene.upright import estimate_up
from polyorama.verbs.convert import stored_bytes
from polyorama.verbs.open import cloud_of_mesh, flat_cloud, kind_of

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from polyorama.core.types import Bounds, Camera
    from polyorama.io.precision import Precision
    from polyorama.scene.splats import SplatCloud

__all__ = ["Comparison", "Difference", "Inspection", "SavedView", "compare", "inspect"]


@dataclass(frozen=True, slots=True)
class SavedView:
    """The camera that a project opens with.

    Parameters
    ----------
    eye, toward
        (3,) where it is, world units, and the unit direction in which it looks.
    fov
        Vertical field of view in degrees; None for a parallel view.
    width, height
        Pixels.
    front
        (3,) unit direction in which the subject faces: level, toward the eye. None where the
        camera looks straight up or down.
    """

    eye: tuple[float, ...]
    toward: tuple[float, ...]
    fov: float | None
    width: int
    height: int
    front: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """What `inspect` found.

    Parameters
    ----------
    path, format, bytes
        The file, the name of its format ("project" and "mesh" too), and its size.
    nodes, visible
        Nodes of a project, and how many of them are drawn; 1 and 1 for others.
    triangles
        Of a mesh, whose surfels are what the rest describes; else 0.
    count, sh_degree, model, extras, comments
        As in the cloud.
    low, high
        The box of all finite positions, (3,) each, world units.
    robust_low, robust_high
        The box without outliers.
    up, up_confidence
        The up direction, and how sure that is; 1 where the file says it.
    overdraw
        How many splats cover a pixel when the subject is framed at 1280x720.
    columns
        Statistics of every property.
    findings
        What the linter says.
    view
        The saved camera of a project that has one.
    """

    path: Path
    format: str
    bytes: int
    nodes: int
    visible: int
    triangles: int
    count: int
    sh_degree: int
    model: str
    extras: tuple[str, ...]
    comments: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    robust_low: tuple[float, ...]
    robust_high: tuple[float, ...]
    up: tuple[float, ...]
    up_confidence: float
    overdraw: float
    columns: tuple[ColumnStatistics, ...]
    findings: tuple[Finding, ...]
    view: SavedView | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`; what is not a number becomes None."""
        data = dataclasses.asdict(self)
        data["path"] = str(self.path)
        data["percentiles"] = list(PERCENTILES)
        return _finite(data)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Difference:
    """How much one property differs over all matched splats.

    Parameters
    ----------
    name, unit
        Which property, and in what the numbers are.
    mean, median, high, largest
        Of the absolute differences; `high` is the 99th percentile.
    limit
        The largest difference that the quantisation of either file explains, as its header says;
        None where unknown.
    """

    name: str
    unit: str
    mean: float
    median: float
    high: float
    largest: float
    limit: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `compare` found.

    Parameters
    ----------
    path, against
        The two files.
    format
        The format whose quantisation the limits are for; two, as "spz or sog", where both lose.
    counts
        Splats in each.
    matched
        "order" if row i was compared with row i, else "position".
    differences
        One entry a property.
    """

    path: Path
    against: Path
    format: str
    counts: tuple[int, int]
    matched: str
    differences: tuple[Difference, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`."""
        data = dataclasses.asdict(self)
        data["path"], data["against"] = str(self.path), str(self.against)
        return _finite(data)  # type: ignore[no-any-return]


def inspect(path: str | os.PathLike[str]) -> Inspection:
    """Read a file and examine it: a capture, all that a project shows, or a mesh's surfels.

    Raises
    ------
    FileFormatError
        If it cannot be read.
    """
    source = named(path)
    kind = kind_of(source)
    name, nodes, visible, triangles = kind, 1, 1, 0
    view = None
    if kind == "project":
        document = read_project(source)
        nodes, visible = len(document.nodes), sum(1 for _ in document.drawn())
        cloud = flat_cloud(document, source)
        view = None if document.camera is None else _saved_view(document.camera, document.up)
    elif kind == "mesh":
        mesh = read_mesh(source)
        triangles = len(mesh.triangles)
        cloud = cloud_of_mesh(mesh, source)
    else:
        name, cloud = detect_format(source).name, read_splats(source)
    finite = cloud.means[np.isfinite(cloud.means).all(axis=1)]
    robust = robust_bounds(cloud.means)
    low = finite.min(axis=0) if len(finite) else robust.low
    high = finite.max(axis=0) if len(finite) else robust.high
    up, confidence = estimate_up(cloud)
    return Inspection(
        source, name, stored_bytes(source), nodes, visible, triangles, len(cloud),
        cloud.sh_degree, cloud.model, tuple(cloud.extras), cloud.comments,
        _floats(low), _floats(high), *_ends(robust),
        _floats(up), confidence, overdraw(cloud), tuple(column_statistics(cloud)),
        tuple(lint(cloud)), view,
    )  # fmt: skip


def _saved_view(camera: Camera, up: tuple[float, float, float]) -> SavedView:
    axis = unit_vector(up)
    front = -camera.forward + (camera.forward @ axis) * axis
    level = float(np.linalg.norm(front))
    return SavedView(
        _floats(camera.position), _floats(camera.forward),
        float(camera.fov) if camera.kind == "pinhole" else None, camera.width, camera.height,
        _floats(front / level) if level > 1e-6 else None,
    )  # fmt: skip


def compare(path: str | os.PathLike[str], against: str | os.PathLike[str]) -> Comparison:
    """Measure how a splat file differs from another, such as the one it was converted from.

    Splats are matched by their order where the counts are equal and the positions agree, else
    each splat of `path` is matched with the one of `against` that lies nearest and looks most
    alike.

    Raises
    ------
    FileFormatError
        If one of them cannot be read.
    UsageError
        If there is nothing to compare, because one has no finite positions.
    """
    first, second = read_splats(path), read_splats(against)
    pairs, matched = _match(first, second, (Path(path), Path(against)))
    reference = second.subset(pairs[:, 1])
    measured = first.subset(pairs[:, 0])
    names = [detect_format(name).name for name in (path, against)]
    lossy = [name for name in dict.fromkeys(names) if name not in _EXACT] or names[:1]
    limits = _limits(precision_of(path), precision_of(against))
    return Comparison(
        Path(path), Path(against), " or ".join(lossy), (len(first), len(second)), matched,
        tuple(_differences(measured, reference, limits)),
    )  # fmt: skip


_EXACT = frozenset({"ply", "gltf"})


def _match(
    first: SplatCloud, second: SplatCloud, names: tuple[Path, Path]
) -> tuple[NDArray[np.int64], str]:
    """(M, 2) pairs of rows, and how they were found."""
    finite = [np.flatnonzero(np.isfinite(c.means).all(axis=1)) for c in (first, second)]
    for rows, name in zip(finite, names, strict=True):
        if len(rows) == 0:
            raise UsageError(f"There are no finite positions to compare: {name}")
    extent = max(robust_bounds(second.means).diagonal, 1e-12)
    if len(first) == len(second):
        both = np.isfinite(first.means).all(axis=1) & np.isfinite(second.means).all(axis=1)
        distance = np.linalg.norm(first.means[both] - second.means[both], axis=1)
        if both.any() and float(np.quantile(distance, 0.99)) <= 2e-3 * extent:
            rows = np.flatnonzero(both)
            return np.stack([rows, rows], axis=1), "order"

    from polyorama.scene.neighbors import KdTree

    rows = finite[0]
    found, distances = KdTree.of(second.means).nearest(first.means[rows], 8)
    best = np.zeros(len(rows), np.int64)
    lowest = np.full(len(rows), np.inf)
    for k in range(found.shape[1]):
        there = found[:, k]
        cost = _unlikeness(first, second, rows, np.maximum(there, 0)) + distances[:, k] / (
            1e-3 * extent
        )
        cost[there < 0] = np.inf
        better = cost < lowest
        best[better], lowest[better] = there[better], cost[better]
    return np.stack([rows, best], axis=1), "position"


def _unlikeness(
    first: SplatCloud, second: SplatCloud, a: NDArray[np.int64], b: NDArray[np.int64]
) -> NDArray[np.float64]:
    logs = [np.log(np.maximum(c.scales[r], 1e-12)) for c, r in ((first, a), (second, b))]
    colors = np.abs(first.sh[a, 0] - second.sh[b, 0]).sum(axis=1)
    opacity = np.abs(first.opacities[a] - second.opacities[b])
    turn = 1.0 - np.abs((first.quats[a] * second.quats[b]).sum(axis=1))
    total = np.abs(logs[0] - logs[1]).sum(axis=1) + colors + 4.0 * opacity + 4.0 * turn
    return np.asarray(np.nan_to_num(total.astype(np.float64), nan=1e9))


def _differences(
    measured: SplatCloud, reference: SplatCloud, limits: dict[str, float]
) -> list[Difference]:
    with np.errstate(divide="ignore", invalid="ignore"):
        position = np.abs(measured.means - reference.means)
        ratio = np.exp(np.abs(np.log(measured.scales) - np.log(reference.scales))) - 1.0
        ratio[(measured.scales == 0.0) & (reference.scales == 0.0)] = 0.0
    a, b = (c.quats.astype(np.float64) for c in (measured, reference))
    sign = np.where((a * b).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    # The half-angle's sine is exact for small angles, where the cosine is not.
    half = np.clip(np.linalg.norm(a - sign * b, axis=1) / 2.0, 0.0, 1.0)
    rows = [
        ("position", "units", position),
        ("scale", "%", 100.0 * ratio),
        ("rotation", "deg", np.degrees(4.0 * np.arcsin(half))),
        ("opacity", "1/255", 255.0 * np.abs(measured.opacities - reference.opacities)),
        ("color", "1/255", 255.0 * np.abs(measured.colors - reference.colors)),
    ]
    degree = max(measured.sh_degree, reference.sh_degree)
    one, other = (c.with_sh_degree(degree).sh for c in (measured, reference))
    for band in range(1, degree + 1):
        block = slice(band * band, (band + 1) ** 2)
        rows.append((f"sh {band}", "", np.abs(one[:, block] - other[:, block])))
    return [
        Difference(name, unit, *_summary(values), limits.get(name)) for name, unit, values in rows
    ]


def _summary(values: NDArray[Any]) -> tuple[float, float, float, float]:
    finite = np.asarray(values, np.float64).ravel()
    finite = finite[np.isfinite(finite)]
    if len(finite) == 0:
        return (math.nan,) * 4
    median, high = np.quantile(finite, [0.5, 0.99])
    return float(finite.mean()), float(median), float(high), float(finite.max())


def _limits(*precisions: Precision) -> dict[str, float]:
    """Largest difference by property that storing adds, in the units of a report.

    Either file may have been made from the other, so the coarser of the two decides. Values outside
    a format's range are cut, which may cost more.
    """
    limits: dict[str, float] = {}
    for name, values in {
        "position": [p.position for p in precisions],
        "scale": [None if p.log_scale is None else 100.0 * math.expm1(p.log_scale)
                  for p in precisions],
        "rotation": [p.rotation for p in precisions],
        "opacity": [None if p.opacity is None else 255.0 * p.opacity for p in precisions],
        "color": [None if p.color is None else 255.0 * p.color for p in precisions],
        **{f"sh {n}": [p.harmonics.get(n) for p in precisions] for n in (1, 2, 3)},
    }.items():  # fmt: skip
        known = [value for value in values if value is not None]
        if len(known) == len(precisions):
            limits[name] = max(known)
    return limits


def _ends(bounds: Bounds) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return _floats(bounds.low), _floats(bounds.high)


def _floats(values: NDArray[Any]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _finite(value: Any) -> Any:
    """JSON has no NaN: None stands for it."""
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
