"""Clean-up: what each tool would remove, shown before anything changes.

A tool gives every splat of a node a score; from 1 on it would go. The scores are what the heat map
shows, the count what the button says, and the operation removes exactly those.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.color import luma
from polyorama.core.jobs import Progress
from polyorama.core.params import Parameter, checked
from polyorama.edit.ops import op
from polyorama.edit.selection_ops import picked, splat_nodes
from polyorama.errors import UsageError
from polyorama.scene.properties_of import at_time
from polyorama.scene.selection import BitSet
from polyorama.scene.splats import sh_from_colors
from polyorama.scene.stack import DELETED
from polyorama.scene.timeline import Timeline
from polyorama.verbs.selecting import stacked_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document, Node
    from polyorama.scene.splats import SplatCloud

__all__ = [
    "TOOLS",
    "CleanUp",
    "clean",
    "clutter",
    "clutter_of",
    "heat_document",
    "rescaled",
    "select_clutter",
]

_NEIGHBORS = 8
_VIEWS = 24
_SIDE = 256
_SEEN = np.float32(0.5)
"""How opaque clutter is at least where it is shown."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """What a tool judges.

    Parameters
    ----------
    document
        At its time.
    node
        Whose splats.
    cloud
        Those of its splats that are not deleted, where its stack puts them, in its own space.
    rows
        (n,) int64, which of the node's splats they are.
    threshold
        How strict to be.
    time
        Where on the timeline, s.
    """

    document: Document
    node: Node
    cloud: SplatCloud
    rows: NDArray[np.int64]
    threshold: float
    time: float


@dataclass(frozen=True, slots=True)
class CleanUp:
    """One tool.

    Parameters
    ----------
    kind, title
        Stable name, and what a person reads.
    help
        What it finds, one sentence.
    threshold
        The one number that says how strict it is.
    score
        Job of (n,) float32 over the splats of a `Case`; 1 and more would go.
    power
        Scores go with the threshold to this power, 1 or -1; 0 where they must be found anew for
        each threshold.
    """

    kind: str
    title: str
    help: str
    threshold: Parameter
    score: Callable[[Case], Job[NDArray[np.float32]]]
    power: int = 0


def _ratio(values: NDArray[Any], threshold: float) -> NDArray[np.float32]:
    """Values over their threshold, as scores; what is no number has none."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.nan_to_num(values / threshold, nan=0.0, posinf=1e30).astype(np.float32)


def _floaters(case: Case) -> Job[NDArray[np.float32]]:
    """Clusters that are apart from what the capture is of (`polyorama.edit.floaters`)."""
    from polyorama.edit.floaters import find_floaters

    mask = yield from find_floaters(
        case.cloud, reach=3.0 / case.threshold, share=0.02 * case.threshold
    )
    return mask.astype(np.float32)


def _outliers(case: Case) -> Job[NDArray[np.float32]]:
    """Mean distance to eight neighbours, in medians of it over the cloud."""
    from polyorama.scene.neighbors import KdTree

    cloud = case.cloud
    yield Progress(0, 1, "Measuring distances")
    near = KdTree.of(cloud.means).nearest(cloud.means, min(_NEIGHBORS + 1, max(2, len(cloud))))[1]
    finite = np.where(np.isfinite(near[:, 1:]), near[:, 1:], np.nan)
    counted = np.isfinite(finite).sum(axis=1)
    mean = np.nansum(finite, axis=1) / np.maximum(counted, 1)
    known = mean[counted > 0]
    median = float(np.median(known)) if known.size else 0.0
    return _ratio(mean, case.threshold * max(median, 1e-30))


def _needles(case: Case) -> Job[NDArray[np.float32]]:
    """Largest scale over the middle one, of splats that are longer than most."""
    cloud = case.cloud
    yield Progress(0, 1, "Measuring shapes")
    ordered = np.sort(cloud.scales, axis=1)
    long = ordered[:, 2] > np.nanmedian(ordered[:, 2]) if len(cloud) else np.zeros(0, bool)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(long, ordered[:, 2] / ordered[:, 1], 1.0)
    return _ratio(ratio, case.threshold)


def _faint(case: Case) -> Job[NDArray[np.float32]]:
    """The fainter, the higher; at the case.threshold 1."""
    yield Progress(0, 1, "Measuring opacity")
    return np.asarray(case.threshold / np.maximum(case.cloud.opacities, 1e-6), np.float32)


def _giant(case: Case) -> Job[NDArray[np.float32]]:
    """Largest scale, as a share of the cloud's own size."""
    cloud = case.cloud
    yield Progress(0, 1, "Measuring sizes")
    size = max(cloud.bounds().diagonal, 1e-30) if len(cloud) else 1.0
    return _ratio(cloud.scales.max(axis=1, initial=0.0), size * case.threshold / 100.0)


def _duplicates(case: Case) -> Job[NDArray[np.float32]]:
    """Splats that lie on an earlier one of the same size and colour."""
    from polyorama.scene.neighbors import KdTree

    cloud = case.cloud
    yield Progress(0, 1, "Looking for doubles")
    rows, distances = KdTree.of(cloud.means).nearest(cloud.means, min(4, max(1, len(cloud))))
    own = np.arange(len(cloud))[:, None]
    reach = (
        case.threshold / 100.0 * np.maximum(cloud.scales.max(axis=1, initial=0.0), 1e-30)[:, None]
    )
    safe = np.maximum(rows, 0)
    same = (rows >= 0) & (rows < own) & (distances <= reach)
    same &= np.abs(cloud.scales[safe] - cloud.scales[:, None]).max(axis=2) <= reach
    same &= np.abs(cloud.sh[safe, 0] - cloud.sh[:, None, 0]).max(axis=2) <= 0.02
    return np.asarray(same.any(axis=1), np.float32)


def _invalid(case: Case) -> Job[NDArray[np.float32]]:
    """NaN, infinity, sizes of nothing, rotations without a direction."""
    cloud = case.cloud
    yield Progress(0, 1, "Checking numbers")
    good = np.isfinite(cloud.means).all(axis=1) & np.isfinite(cloud.scales).all(axis=1)
    good &= np.isfinite(cloud.quats).all(axis=1) & np.isfinite(cloud.opacities)
    good &= np.isfinite(cloud.sh).all(axis=(1, 2))
    good &= (cloud.scales > 0.0).all(axis=1) & (np.abs(cloud.quats).max(axis=1, initial=0.0) > 0.0)
    return (~good).astype(np.float32)


def _unseen(case: Case) -> Job[NDArray[np.float32]]:
    """Largest weight in any of 24 pictures from all round, in pixels of a picture 256 high."""
    from polyorama.verbs.visibility import cameras_round, weights

    cameras = cameras_round(case.document, _VIEWS, (_SIDE * 4 // 3, _SIDE))
    most = np.zeros(len(case.cloud), np.float32)
    for number, camera in enumerate(cameras):
        yield Progress(number, len(cameras), "Looking from all sides")
        most = np.maximum(most, weights(case.document, camera, case.time)[case.node.id][case.rows])
    return np.asarray(case.threshold / np.maximum(most, 1e-6), np.float32)


def _threshold(default: float, low: float, high: float, unit: str, help_: str) -> Parameter:
    return Parameter("threshold", "number", default, low, high, unit, help_, soft=(low, high))


TOOLS: Mapping[str, CleanUp] = {
    tool.kind: tool
    for tool in (
        CleanUp(
            "floaters", "Floaters", "Small clusters that are apart from everything else",
            _threshold(1.0, 0.1, 10.0, "", "Higher removes larger clusters"), _floaters,
        ),
        CleanUp(
            "outliers", "Outliers", "Lone splats, far from their neighbours",
            _threshold(6.0, 1.5, 50.0, "x", "Times the usual distance"), _outliers, -1,
        ),
        CleanUp(
            "needles", "Needles", "Long, thin splats that spike out of surfaces",
            _threshold(15.0, 2.0, 200.0, "x", "Length over width"), _needles, -1,
        ),
        CleanUp(
            "faint", "Faint", "Splats that are nearly transparent",
            _threshold(0.02, 0.002, 0.5, "", "Opacity below"), _faint, 1,
        ),
        CleanUp(
            "giant", "Giant", "Splats as large as a good part of the scene",
            _threshold(10.0, 0.5, 100.0, "%", "Of the scene's size"), _giant, -1,
        ),
        CleanUp(
            "duplicates", "Duplicates", "Splats that lie on another one of the same kind",
            _threshold(1.0, 0.01, 50.0, "%", "Difference, of the splat's own size"), _duplicates,
        ),
        CleanUp(
            "invalid", "Invalid", "Splats whose numbers are damaged: NaN, infinity, no size",
            _threshold(1.0, 1.0, 1.0, "", "There is nothing to choose"), _invalid,
        ),
        CleanUp(
            "unseen", "Unseen", "Splats that add nothing to any picture from outside",
            _threshold(0.01, 1e-4, 1.0, "px", "Weight in the best of 24 pictures"), _unseen, 1,
        ),
    )
}  # fmt: skip
"""The clean-up tools by kind, in the order of menus."""


def clutter(
    document: Document,
    kind: str,
    threshold: float | None = None,
    nodes: Sequence[str] | str | None = None,
    time: float = 0.0,
) -> Job[dict[str, NDArray[np.float32]]]:
    """Scores by node id, (N,) float32, as a job; splats of 1 and more would go.

    Splats that are deleted already have a score of 0, and do not count for the others.

    Parameters
    ----------
    document
        What is cleaned.
    kind
        One of `TOOLS`.
    threshold
        None takes the tool's own.
    nodes
        Which nodes to look in; None for all that are drawn and not fixed.
    time
        Where on the timeline, s.

    Raises
    ------
    UsageError
        If there is no such tool, or the threshold is out of its range.
    """
    if kind not in TOOLS:
        raise UsageError(f"There is no clean-up tool {kind!r}; there are {', '.join(TOOLS)}.")
    tool = TOOLS[kind]
    limit = tool.threshold.default if threshold is None else checked(tool.threshold, threshold)
    found = {}
    there = at_time(document, time)
    for node in splat_nodes(there, nodes):
        shown = stacked_source(there, node, time)
        left = np.ones(len(shown.cloud), np.bool_)
        if shown.state is not None:
            left = (shown.state & DELETED) == 0
        rows = np.flatnonzero(left)
        cloud = shown.cloud if shown.palette is None else replace(shown, state=None).baked()
        if len(rows) < len(cloud):
            cloud = cloud.subset(rows)
        score = np.zeros(len(left), np.float32)
        score[rows] = yield from tool.score(Case(there, node, cloud, rows, limit, time))
        found[node.id] = score
    return found


def clutter_of(scores: Mapping[str, NDArray[np.float32]]) -> dict[str, BitSet]:
    """What would go, by node id."""
    return {node: BitSet.of_mask(score >= 1.0) for node, score in scores.items()}


def rescaled(
    scores: Mapping[str, NDArray[np.float32]], kind: str, before: float, after: float
) -> dict[str, NDArray[np.float32]] | None:
    """Scores for another threshold, where they follow from those for the one before; else None.

    They are as good as found anew but for rounding: what is removed is found anew.
    """
    power = TOOLS[kind].power
    if before == after:
        return dict(scores)
    if power == 0:
        return None
    factor = np.float32((after / before) ** power)
    return {node: score * factor for node, score in scores.items()}


@op("Select {kind}")
def select_clutter(
    document: Document,
    kind: str,
    threshold: float | None = None,
    mode: str = "set",
    nodes: Sequence[str] | str | None = None,
    time: float = 0.0,
) -> Job[Document]:
    """Select what a clean-up tool would remove, as a job; parameters as of `clutter`."""
    scores = yield from clutter(document, kind, threshold, nodes, time)
    return picked(document, clutter_of(scores), mode)


@op("Clean up {kind}")
def clean(
    document: Document,
    kind: str,
    threshold: float | None = None,
    nodes: Sequence[str] | str | None = None,
    time: float = 0.0,
) -> Job[Document]:
    """Delete what a clean-up tool finds, as a job; `restore` brings it back.

    Parameters are those of `clutter`.
    """
    scores = yield from clutter(document, kind, threshold, nodes, time)
    fresh = []
    for node_id, bits in clutter_of(scores).items():
        node = document.node(node_id)
        if bits:
            gone = bits if node.deleted is None else node.deleted | bits
            fresh.append(replace(node, deleted=gone))
    return document.replaced(*fresh)


def heat_document(
    document: Document, scores: Mapping[str, NDArray[np.float32]], ramp: NDArray[np.float32]
) -> Document:
    """The document with splats coloured by their scores: what a clean-up preview shows.

    It stands still, and nothing is selected in it.

    Parameters
    ----------
    document, scores
        As `clutter` has them.
    ramp
        (256, 3) float32 display RGB, from a score of 0 to one of 2; what would go is from the
        middle on. What stays keeps half of its own light and shade, so that shapes can be read;
        what would go is at least half opaque, so that it is seen.
    """
    fresh = []
    for node_id, score in scores.items():
        node = document.node(node_id)
        shown = stacked_source(document, node)
        cloud = replace(shown, state=None).baked()
        heat = ramp[np.clip(score * 127.5, 0.0, 255.0).astype(np.int64)]
        light = np.clip(luma(cloud.colors), 0.0, 1.0)
        shade = np.where(score >= 1.0, np.float32(1.0), np.float32(0.5) + np.float32(0.5) * light)
        seen = np.where(score >= 1.0, np.maximum(cloud.opacities, _SEEN), cloud.opacities)
        hot = replace(cloud, sh=sh_from_colors(heat * shade[:, None])[:, None], opacities=seen)
        gone = BitSet.of_mask(shown.deleted())
        fresh.append(replace(node, content=hot, modifiers=(), deleted=gone))
    selection: dict[str, BitSet] = {}
    return replace(document.replaced(*fresh), selection=selection, timeline=Timeline())
