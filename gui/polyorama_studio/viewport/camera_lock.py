"""Looking through camera nodes, and moving them by moving the view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from polyorama.errors import PolyoramaError
from polyorama.scene.contents import CameraRig
from polyorama.scene.rigs import rig_camera, rig_target
from polyorama_studio.orbit import OrbitView
from polyorama_studio.pose import orbit_values
from polyorama_studio.session import Notice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.scene.document import Document, Node
    from polyorama_studio.stage import Stage
    from polyorama_studio.viewport.toolbox import Toolbox

__all__ = ["CameraLock"]

_REST_MS = 500
"""A move of the view that rests so long is one step of the history."""


class CameraLock(QObject):
    """Lets stages look through camera nodes; locked, the camera goes where the view goes."""

    changed = Signal()

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__(toolbox)
        self._toolbox = toolbox
        self.locked = False
        self._steering = False
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self.flush)
        toolbox.session.editing.replaced.connect(self._on_replaced)

    @Slot()
    def _on_replaced(self) -> None:
        self._rest.stop()
        self._steering = False

    def candidates(self, document: Document) -> list[str]:
        """Camera nodes, the one to look through first."""
        found = [n.id for n in document.nodes if isinstance(n.content, CameraRig)]
        wished = [i for i in (*reversed(document.chosen), document.view_camera) if i in found]
        return [*wished, *(i for i in found if i not in wished)]

    def toggle(self, stage: Stage) -> None:
        """Look through the chosen camera, or leave it."""
        document = self._toolbox.session.editing.document
        if document is None:
            return
        if stage.through:
            self.leave(stage)
            return
        found = self.candidates(document)
        if not found:
            words = self.tr("There is no camera to look through; add one first.")
            self._toolbox.session.notice.emit(Notice("info", words))
            return
        stage.look_through(found[0])
        self._adopt(stage)
        self.changed.emit()

    def toggle_lock(self) -> None:
        """Let the camera go with the view, or not."""
        self.locked = not self.locked
        self._adopt(self._toolbox.session.stage)
        self.changed.emit()

    def _adopt(self, stage: Stage) -> None:
        """Make the free view that of the camera that is looked through, to start from."""
        view = self._seen(stage)
        if view is not None:
            stage.adopt_view(view)
        stage.steer = self.steer if self.locked else None

    def leave(self, stage: Stage) -> None:
        """Go on freely from where the camera is."""
        self.flush()
        view = self._seen(stage)
        if view is not None:
            stage.steer = None
            stage.set_view(view, moving=False)
            self.changed.emit()

    def _seen(self, stage: Stage) -> OrbitView | None:
        """What is seen through the camera; one that cannot be placed is left, and why is told."""
        if not stage.through or stage.shown is None:
            return None
        try:
            return _view_of(stage.shown, stage.through)
        except PolyoramaError as error:
            self._toolbox.session.report(error)
            stage.look_through("")
            self.changed.emit()
            return None

    def navigate(self, stage: Stage) -> None:
        """The view is about to be moved: a camera that is not locked is left."""
        if stage.through and not self.locked:
            self.leave(stage)
        elif stage.through and stage.steer is None:
            self._adopt(stage)

    def steer(self, node_id: str, view: OrbitView) -> None:
        """Put a camera where a view is."""
        session = self._toolbox.session
        document = session.stage.shown
        if document is None:
            return
        if not self._steering:
            self._steering = True
            session.editing.begin(self.tr("Move the camera"))
        self._rest.start()
        node = document.node(node_id)
        tracks = document.timeline.tracks
        for name, value in _placed(document, node, view).items():
            path = f"{node_id}/{name}"
            if path in tracks:
                session.editing.run("key", path=path, time=session.playback.time, value=value)
            else:
                session.editing.run("set", path=path, value=value)

    @Slot()
    def flush(self) -> None:
        """The move is over."""
        self._rest.stop()
        if self._steering:
            self._steering = False
            self._toolbox.session.editing.end()


def _view_of(document: Document, node_id: str) -> OrbitView:
    camera = rig_camera(document, node_id, (16, 9))
    return OrbitView.of_camera(camera, document.up, rig_target(document, node_id))


def _placed(document: Document, node: Node, view: OrbitView) -> dict[str, object]:
    """Fields of a rig, by name, with which it sees what a view sees."""
    rig = node.content
    assert isinstance(rig, CameraRig)
    eye, target = np.asarray(view.eye), np.asarray(view.target)
    if rig.kind == "follow":
        anchor = document.world(document.node(rig.follows).id)[:3, 3]
        return {"eye": _plain(eye - anchor), "target": _plain(target - anchor)}
    inverse = np.linalg.inv(document.world(node.id))
    eye, target = (inverse[:3, :3] @ p + inverse[:3, 3] for p in (eye, target))
    if rig.kind == "dolly":
        first = (eye - rig.travel * target) / (1.0 - rig.travel)
        return {"eye": _plain(first), "target": _plain(target)}
    if rig.kind == "free":
        return {"eye": _plain(eye), "target": _plain(target)}
    return orbit_values(document.up, eye, target, rig.azimuth)


def _plain(point: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(v) for v in point)
