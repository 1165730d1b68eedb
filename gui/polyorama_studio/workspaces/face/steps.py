"""Steps of the history that change a face; one stays open until its curves are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from polyorama.scene.document import Node, id_for
from polyorama.scene.faces.actor import Actor
from polyorama_studio.fields.words import python_node

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polyorama.scene.faces.actor import Trait
    from polyorama.scene.faces.morphs import MorphRig
    from polyorama.scene.faces.performance import Performance
    from polyorama.scene.faces.script import FaceScript
    from polyorama_studio.session import Session

__all__ = ["Steps"]


class Steps(QObject):
    """Writes into the document; a step stays open until it is ended or another begins.

    Parameters
    ----------
    session
        Has the editor.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editing = session.editing
        self._title = ""
        self._open = False

    def begin(self, title: str) -> None:
        """From now on all is one step."""
        self._title, self._open = title, True
        self._editing.begin(title)

    def end(self) -> None:
        """The step is complete."""
        if self._open:
            self._open = False
            self._editing.end()

    def add(self, rig: MorphRig, name: str, identity: Mapping[str, Trait] | None) -> str:
        """Add a face and choose it; tells the id of its node."""
        document = self._editing.document
        assert document is not None
        node_id = id_for(name, (n.id for n in document.nodes))
        # Opening a document ended the step that was begun without one.
        if self._open:
            self._editing.begin(self._title)
        actor = Actor(rig=rig, identity=identity)
        self._editing.run("add_node", node=Node(name, content=actor, id=node_id))
        return node_id

    def set_face(
        self, node: str, script: FaceScript | None, performance: Performance | None
    ) -> None:
        """Give a face what it follows, and what came of that."""
        document = self._editing.document
        if document is None:
            return
        self._editing.run(
            "set_face",
            node=python_node(document, node),
            script=script,
            performance=performance,
            title=self._title,
        )

    def hide(self, node: str) -> None:
        """Let a node be seen and heard no more, if it is still there."""
        document = self._editing.document
        if document is not None and any(known.id == node for known in document.nodes):
            self._editing.run("show", nodes=python_node(document, node), visible=False)

    def set_rig(self, node: str, rig: MorphRig, identity: Mapping[str, Trait] | None) -> None:
        """Give a face another head."""
        document = self._editing.document
        if document is not None:
            self._editing.run(
                "set_face_rig", node=python_node(document, node), rig=rig, identity=identity
            )

    def lengthen(self, seconds: float) -> None:
        """Make room on the timeline for a face that lasts so long."""
        document = self._editing.document
        if document is None:
            return
        timeline = document.timeline
        alone = len(document.nodes) == 1 and not timeline.tracks
        if timeline.duration < seconds or alone:
            self._editing.run("set_timeline", duration=max(round(seconds, 3), 0.1))
