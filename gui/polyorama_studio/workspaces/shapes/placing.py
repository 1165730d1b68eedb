"""Placing shapes: on the surface under the pointer, at a size that fits, in one step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.edit.ops import find_op
from polyorama_studio import calls
from polyorama_studio.viewport.space import Space
from polyorama_studio.words import legible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from PySide6.QtCore import QPointF

    from polyorama.core.jobs import Job
    from polyorama.core.types import Bounds
    from polyorama.scene.document import Document
    from polyorama_studio.orbit import OrbitView
    from polyorama_studio.session import Session
    from polyorama_studio.viewport.pane import Pane

__all__ = ["Place", "place_at", "place_in_view", "place_shapes", "resting_matrix"]

_SHARE = 0.25
"""Of the picture's height that a placed shape's largest extent takes where it lands."""
_GAP = 1.2
"""Several shapes stand side by side, so many of their largest extents apart."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where shapes go.

    Parameters
    ----------
    point
        World point that they rest on.
    extent
        World units that the largest extent of each is scaled to; 0 leaves the file's own size.
    """

    point: tuple[float, float, float]
    extent: float


def place_at(pane: Pane, at: QPointF, *, own_size: bool = False) -> Place:
    """The place on the surface that a pane shows at a position.

    Over the empty backdrop it is the plane of the view's target; until a still picture tells
    where surfaces are, too.
    """
    point = pane.navigator.surface_point(at)
    if point is None:
        point = pane.stage.view.point_at(at.x(), at.y(), pane.width(), pane.height())
    return _place(pane, np.asarray(point, np.float64), own_size)


def place_in_view(pane: Pane, *, own_size: bool = False) -> Place:
    """The place that a pane's view turns about."""
    return _place(pane, np.asarray(pane.stage.view.target, np.float64), own_size)


def _place(pane: Pane, point: NDArray[np.float64], own_size: bool) -> Place:
    size = (max(pane.width(), 1), max(pane.height(), 1))
    unit = Space(pane.stage.camera(*size)).unit_at(point)
    extent = 0.0 if own_size else _SHARE * size[1] * unit
    return Place((float(point[0]), float(point[1]), float(point[2])), float(extent))


def resting_matrix(
    box: Bounds, transform: NDArray[np.float64], up: Sequence[float], place: Place
) -> NDArray[np.float64]:
    """(4, 4) node to world for a node that is to rest on a point.

    Parameters
    ----------
    box
        Round the node as it is added.
    transform
        (4, 4) of the node as it is added.
    up
        Up direction of the world.
    place
        Where the middle of the side that is down comes to lie.
    """
    upward = np.asarray(up, np.float64) / np.linalg.norm(up)
    center, half = (box.low + box.high) / 2.0, (box.high - box.low) / 2.0
    largest = 2.0 * float(half.max())
    scale = place.extent / largest if place.extent > 0.0 and largest > 0.0 else 1.0
    foot = center - upward * float(np.abs(upward) @ half)
    matrix = np.eye(4)
    matrix[:3, :3] *= scale
    matrix[:3, 3] = np.asarray(place.point) - scale * foot
    return np.asarray(matrix @ transform)


def place_shapes(
    session: Session, paths: Sequence[Path], place: Place | None, *, linked: bool = False
) -> None:
    """Add files as nodes, each where it is to be; one step of the history.

    Parameters
    ----------
    session
        Has the scene; where nothing is open, an empty one is begun.
    paths
        Meshes and captures.
    place
        Where; None is the middle of an empty scene, at their own size.
    linked
        Whether the project keeps the files' paths alone.
    """
    if not paths:
        return
    if session.editing.document is None:
        session.opening.new()
    document = session.editing.document
    if document is None:
        return
    if place is None or not document.nodes:
        place = Place((0.0, 0.0, 0.0), 0.0)
    title = _title(session, paths)
    session.work_on(
        partial(_added, document, list(paths), place, linked),
        partial(_take, session, document, title, linked),
        partial(_failed, session),
        title,
    )


def _title(session: Session, paths: Sequence[Path]) -> str:
    if len(paths) == 1:
        return session.tr("Place {0}").format(legible(paths[0].stem))
    return session.tr("Place {0} shapes").format(len(paths))


@dataclass(frozen=True, slots=True)
class _Added:
    """A document with shapes in it, where each goes, and what was done with what."""

    document: Document
    paths: tuple[str, ...]
    moves: tuple[tuple[str, tuple[tuple[float, ...], ...]], ...]
    view: OrbitView | None


def _added(document: Document, paths: list[Path], place: Place, linked: bool) -> Job[_Added]:
    """Read files and find their places; on a worker thread."""
    names = [str(path) for path in paths]
    after: Document = yield from find_op("add_files").function(
        document, names, linked=linked, upright=True
    )
    moves = []
    side = _side(document)
    for number, node_id in enumerate(after.chosen):
        box = _box(after, node_id)
        if box is None:
            continue
        step = (number - (len(after.chosen) - 1) / 2.0) * _GAP
        reach = place.extent or float((box.high - box.low).max())
        point = np.asarray(place.point) + side * step * reach
        spot = replace(place, point=(float(point[0]), float(point[1]), float(point[2])))
        matrix = resting_matrix(box, after.node(node_id).transform, after.up, spot)
        moves.append((node_id, tuple(tuple(float(v) for v in row) for row in matrix[:3])))
    view = None
    if not document.nodes:
        shown = after.replaced(
            *(replace(after.node(i), transform=_whole(rows)) for i, rows in moves)
        )
        view = calls.first_view(shown, (1, 1))
    return _Added(after, tuple(names), tuple(moves), view)


def _whole(rows: tuple[tuple[float, ...], ...]) -> NDArray[np.float64]:
    return np.array([*rows, (0.0, 0.0, 0.0, 1.0)], np.float64)


def _side(document: Document) -> NDArray[np.float64]:
    """(3,) unit direction in which several shapes stand beside each other."""
    from polyorama.scene.framing import horizon

    up = np.asarray(document.up, np.float64)
    return np.asarray(horizon(up / np.linalg.norm(up))[1], np.float64)


def _box(document: Document, node_id: str) -> Bounds | None:
    """Round a node and what is below it alone."""
    inside = {node.id for node in document.below(node_id)}
    shown = tuple(
        node if node.id in inside else replace(node, visible=False) for node in document.nodes
    )
    return replace(document, nodes=shown).bounds()


def _take(session: Session, before: Document, title: str, linked: bool, added: _Added) -> None:
    """Take it over as one step."""
    session.set_busy(None)
    arguments: dict[str, Any] = {"paths": list(added.paths), "upright": True}
    if linked:
        arguments["linked"] = True
    editing = session.editing
    with editing.gesture(title):
        if not editing.take(before, added.document, "add_files", **arguments):
            return
        for node_id, rows in added.moves:
            editing.run("place", node=node_id, matrix=rows)
    if added.view is not None:
        session.stage.frame(added.view)
    if editing.document is not None:
        names = [editing.document.node(node_id).name for node_id, _ in added.moves]
        if len(names) == 1:
            session.tell("good", session.tr("{0} was placed").format(names[0]))


def _failed(session: Session, error: BaseException) -> None:
    session.set_busy(None)
    session.report(error)
