"""What gizmos move: the selected splats, or else the chosen nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from polyorama.scene.document import id_for
from polyorama.scene.modifiers import Transform
from polyorama.scene.placement import matrix_of, placement_of
from polyorama_studio.jobs import Handlers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.jobs import Progress
    from polyorama.scene.document import Document, Node
    from polyorama_studio.viewport.toolbox import Toolbox

__all__ = ["Held", "Subject"]


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Where a gizmo stands.

    Parameters
    ----------
    origin
        (3,) world point: the pivot.
    axes
        (3, 3) unit world directions, as rows.
    """

    origin: NDArray[np.float64]
    axes: NDArray[np.float64]


def _middle(document: Document, splats: bool, ids: tuple[str, ...]) -> NDArray[np.float64] | None:
    """Middle of the selected splats or of nodes, (3,) world units; on a worker thread."""
    from polyorama.scene.stack import stacked
    from polyorama.scene.subject import subject_points

    points: list[NDArray[np.float64]] = []
    for node_id in ids:
        for node in (document.node(node_id),) if splats else document.below(node_id):
            world = document.world(node.id)
            if node.splats is None:
                continue
            if splats:
                shown = stacked(document, node)
                local = shown.means()[document.selection[node.id].mask()]
            else:
                local = subject_points(node.splats)[0]
            local = local.astype(np.float64)
            points.append(local @ world[:3, :3].T + world[:3, 3])
    if not points or not sum(map(len, points)):
        return None
    every = np.concatenate(points)
    every = every[np.isfinite(every).all(axis=1)]
    return (every.min(axis=0) + every.max(axis=0)) / 2.0 if len(every) else None


class Subject(QObject):
    """Finds what is to be moved and where it is, and moves it, one undo step a drag."""

    changed = Signal()

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__(toolbox)
        self._toolbox = toolbox
        self._middle: NDArray[np.float64] | None = None
        self._key: tuple[object, ...] = ()
        self._counting = False
        self._start: Document | None = None
        self._delta = np.eye(4)
        self._held: Held | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._refresh)
        session = toolbox.session
        session.editing.edited.connect(self._on_edit)
        session.editing.replaced.connect(self._soon.start)
        session.stage.time_changed.connect(self._on_edit)

    @property
    def moving(self) -> bool:
        """Whether a drag is under way."""
        return self._start is not None

    @property
    def document(self) -> Document | None:
        """The document as it is shown."""
        return self._toolbox.session.stage.shown

    @property
    def splats(self) -> bool:
        """Whether it is splats that are moved, not nodes."""
        return self.document is not None and bool(self.document.selection)

    def ids(self) -> tuple[str, ...]:
        """Nodes whose splats, or which themselves, are moved; none of them is fixed."""
        document = self.document
        if document is None:
            return ()
        if document.selection:
            return tuple(i for i in document.selection if not document.node(i).fixed)
        chosen = document.chosen
        if not chosen and len(document.nodes) == 1:
            chosen = (document.nodes[0].id,)
        inside = {n.id for i in chosen for n in document.below(i) if n.id != i}
        return tuple(i for i in chosen if i not in inside and not document.node(i).fixed)

    def held(self) -> Held | None:
        """Where the gizmo stands now, or None where there is nothing to move."""
        if self._held is not None:
            origin = self._delta[:3, :3] @ self._held.origin + self._delta[:3, 3]
            return Held(origin, self._held.axes)
        return self._found()

    def _found(self) -> Held | None:
        ids, document = self.ids(), self.document
        if not ids or document is None:
            return None
        options = self._toolbox.options
        world = document.world(ids[-1])
        axes = np.eye(3)
        if options.local:
            u, _, vt = np.linalg.svd(world[:3, :3])
            axes = (u @ vt).T
        if options.pivot == "cursor":
            origin = np.asarray(self._toolbox.session.stage.view.target, np.float64)
        elif options.pivot == "origin" and not document.selection:
            origin = world[:3, 3]
        elif self._middle is not None:
            origin = self._middle
        elif document.selection:
            return None  # it is being found
        else:
            origin = world[:3, 3]
        return Held(np.asarray(origin), axes)

    # Where the middle is

    @Slot(object)
    @Slot(bool)
    def _on_edit(self, what: object = None) -> None:
        if not self.moving:
            self._soon.start()

    @Slot()
    def _refresh(self) -> None:
        document, ids = self.document, self.ids()
        if document is None or self.moving:
            return
        nodes = tuple(id(n) for i in ids for n in document.below(i))
        bits = tuple(id(document.selection[i]) for i in ids) if document.selection else ()
        key = (ids, nodes, bits, document.selection and self.splats)
        if key == self._key:
            return
        self._key = key
        if not self._counting:
            self._find()

    def _find(self) -> None:
        document, ids = self.document, self.ids()
        if document is None or not ids:
            self._middle = None
            self.changed.emit()
            return
        self._counting = True
        self._toolbox.session.start_job(
            partial(_middle, document, self.splats, ids),
            Handlers(partial(self._on_found, self._key), self._on_failed, self._on_progress),
            "middle",
        )

    def _on_found(self, key: tuple[object, ...], middle: NDArray[np.float64] | None) -> None:
        self._counting = False
        if key != self._key:
            self._find()
            return
        self._middle = middle
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._counting = False
        self._middle = None
        self._toolbox.session.report(error)

    def _on_progress(self, progress: Progress) -> None:
        """It takes no steps."""

    # Moving it

    def begin(self, title: str) -> Held | None:
        """A drag begins; tells where it starts, or None where nothing can be moved."""
        held = self._found()
        if held is None:
            return None
        self._start = self.document
        self._held, self._delta = held, np.eye(4)
        self._toolbox.session.editing.begin(title)
        return held

    def apply(self, delta: NDArray[np.float64]) -> None:
        """Move everything by a (4, 4) world map, counted from where the drag began."""
        start = self._start
        if start is None or np.allclose(delta, self._delta, rtol=0.0, atol=1e-12):
            return
        self._delta = delta
        ids = self.ids()
        for node_id in ids:
            done = self._bend(start, node_id) if start.selection else self._place(start, node_id)
            if not done:
                break
        self.changed.emit()

    def end(self, *, keep: bool = True) -> None:
        """The drag is over; what it did is kept, or taken back."""
        if self._start is None:
            return
        editing = self._toolbox.session.editing
        moved = not np.allclose(self._delta, np.eye(4), rtol=0.0, atol=1e-12)
        if moved and keep and self._middle is not None:
            self._middle = self._delta[:3, :3] @ self._middle + self._delta[:3, 3]
        if keep:
            editing.end()
        else:
            editing.cancel()
        self._start = self._held = None
        self._soon.start()
        self.changed.emit()

    def _place(self, start: Document, node_id: str) -> bool:
        node = start.node(node_id)
        above = np.eye(4) if node.parent is None else start.world(node.parent)
        matrix = np.linalg.solve(above, self._delta @ start.world(node_id))
        session = self._toolbox.session
        if not session.editing.run("place", node=node_id, matrix=_rows(matrix)):
            return False
        # What is keyed goes by its keys: there, the new place is a key at this time.
        placed = zip(("translation", "rotation", "scale"), placement_of(matrix), strict=True)
        tracks = start.timeline.tracks
        for name, value in placed:
            path = f"{node_id}/{name}"
            if path in tracks and not session.editing.run(
                "key", path=path, time=session.playback.time, value=value
            ):
                return False
        return True

    def _bend(self, start: Document, node_id: str) -> bool:
        """Give the selected splats of a node a transform, or change the one that they have."""
        node = start.node(node_id)
        world = start.world(node_id)
        local = np.linalg.solve(world, self._delta @ world)
        assert self._held is not None
        pivot = np.linalg.solve(world, [*self._held.origin, 1.0])[:3]
        editing = self._toolbox.session.editing
        present = _own_transform(node, start)
        if present is not None:
            values = _as_transform(local @ _matrix(present), np.asarray(present.pivot))
            if values is not None:
                return editing.run(
                    "change_modifier", node=node_id, modifier=present.id, values=values
                )
        values = _as_transform(local, pivot, exact=False)
        taken = {m.id for n in start.nodes for m in n.modifiers}
        fresh = id_for(f"transform {node_id}", taken)
        now = editing.document
        if now is not None and any(m.id == fresh for m in now.node(node_id).modifiers):
            return editing.run("change_modifier", node=node_id, modifier=fresh, values=values)
        return editing.run(
            "add_modifier", node=node_id, kind="transform", selected=True, id=fresh, values=values
        )


def _rows(matrix: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    """The first three rows as plain numbers, which records and Python lines can hold."""
    return tuple(tuple(float(v) for v in row) for row in matrix[:3])


def _own_transform(node: Node, document: Document) -> Transform | None:
    """The transform at the end of a stack, where it moves just the selected splats."""
    last = node.modifiers[-1] if node.modifiers else None
    if not isinstance(last, Transform) or not last.enabled or last.strength < 1.0:
        return None
    tracks = document.timeline.tracks
    keyed = any(path.startswith(f"{node.id}/{last.id}/") for path in tracks)
    return last if last.mask == document.selection.get(node.id) and not keyed else None


def _matrix(transform: Transform) -> NDArray[np.float64]:
    matrix = matrix_of(transform.translation, transform.rotation, transform.scale)
    pivot = np.asarray(transform.pivot)
    matrix[:3, 3] += pivot - matrix[:3, :3] @ pivot
    return matrix


def _as_transform(
    matrix: NDArray[np.float64], pivot: NDArray[np.float64], *, exact: bool = True
) -> dict[str, tuple[float, ...]] | None:
    """Fields of a transform about a pivot that is a (4, 4) map; None where none is."""
    _, rotation, scale = placement_of(matrix)
    turned = matrix_of((0.0, 0.0, 0.0), rotation, scale)[:3, :3]
    if exact and not np.allclose(turned, matrix[:3, :3], atol=1e-6 * np.abs(turned).max()):
        return None
    translation = matrix[:3, 3] - pivot + turned @ pivot
    return {
        "translation": tuple(float(v) for v in translation),
        "rotation": rotation,
        "scale": tuple(max(1e-6, v) for v in scale),
        "pivot": tuple(float(v) for v in pivot),
    }
