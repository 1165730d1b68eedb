"""Sections about cameras: a rig's own properties, and the document's saved view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from polyorama.scene.contents import CameraRig
from polyorama_studio import fields
from polyorama_studio.fields.link import PropertyLink
from polyorama_studio.fields.row import Label
from polyorama_studio.fields.simple import ChoiceField
from polyorama_studio.orbit import OrbitView
from polyorama_studio.panels.node_commands import view_values
from polyorama_studio.panels.parts import Section
from polyorama_studio.pose import orbit_values
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.document import Document
    from polyorama_studio.session import Session

__all__ = ["CameraSection", "ViewSection", "rig_values"]

_USED = {
    "free": ("eye", "target", "roll", "fov"),
    "orbit": ("target", "distance", "azimuth", "elevation", "roll", "fov"),
    "dolly": ("eye", "target", "travel", "hold_size", "roll", "fov"),
    "follow": ("eye", "target", "roll", "fov"),
    "": ("roll", "fov"),
}
"""Properties that matter to a rig, by what carries it."""


def rig_values(
    document: Document, node: str, eye: NDArray[np.float64], target: NDArray[np.float64]
) -> dict[str, Any]:
    """What a rig needs to stand at `eye` and look at `target`, (3,) world points, as it is carried.

    Parameters
    ----------
    document
        At its time.
    node
        Id of a camera node.
    """
    holder = document.node(node)
    rig = holder.content
    assert isinstance(rig, CameraRig)
    if rig.kind == "follow" and rig.follows:
        anchor = document.world(document.node(rig.follows).id)[:3, 3]
        return {"eye": _tuple(eye - anchor), "target": _tuple(target - anchor)}
    inverse = np.linalg.inv(document.world(node))
    eye = inverse[:3, :3] @ eye + inverse[:3, 3]
    target = inverse[:3, :3] @ target + inverse[:3, 3]
    if rig.kind != "orbit":
        values: dict[str, Any] = {"eye": _tuple(eye), "target": _tuple(target)}
        if rig.kind == "dolly":
            values["travel"] = 0.0
        return values
    return orbit_values(document.up, eye, target, rig.azimuth)


def _tuple(vector: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(v) for v in vector)


class _Buttons(QWidget):
    """Buttons side by side, each as wide as the others."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, Metrics.space[0])
        self._row.setSpacing(Metrics.space[0])

    def add(self, title: str, words: str, slot: Any, *, checkable: bool = False) -> QPushButton:
        """Put one more."""
        button = QPushButton(title, self)
        button.setProperty("tight", "true")
        button.setCheckable(checkable)
        button.setToolTip(tip(words))
        button.clicked.connect(slot)
        self._row.addWidget(button, 1)
        return button


class CameraSection(Section):
    """A camera rig: what carries it, where it stands, what one does with it.

    Parameters
    ----------
    nodes
        Ids of camera nodes.
    rig
        What carries all of them, or "".
    """

    def __init__(
        self, session: Session, nodes: Sequence[str], rig: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(session.theme, "", parent)
        self.head.setText(self.tr("Camera"))
        self.head.setAccessibleName(self.head.text())
        self._session = session
        self.nodes = tuple(nodes)
        self.through = self.films = self.follows = None
        if len(nodes) == 1:
            self._add_buttons()
        self._row("kind")
        if rig == "follow" and len(nodes) == 1:
            self._add_follows()
        for name in _USED[rig]:
            self._row(name)
        session.stage.view_changed.connect(self.refresh)
        self.refresh()

    def _row(self, name: str) -> None:
        paths = [f"{node}/{name}" for node in self.nodes]
        self.content.addWidget(fields.for_parameter(self._session, paths, self.body))

    def _add_buttons(self) -> None:
        buttons = _Buttons(self.body)
        self.through = buttons.add(
            self.tr("Look through"),
            self.tr("See the scene through this camera"),
            self._look_through,
            checkable=True,
        )
        buttons.add(
            self.tr("Set from view"),
            self.tr("Move the camera to where one looks from; keyed properties are keyed"),
            self._set_from_view,
        )
        self.films = buttons.add(
            self.tr("Film"),
            self.tr("Films and pictures go through this camera"),
            self._film,
            checkable=True,
        )
        self.content.addWidget(buttons)

    def _add_follows(self) -> None:
        holder = QWidget(self.body)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, Metrics.diamond_box, 0)
        row.setSpacing(Metrics.space[1])
        label = Label(self.tr("Follows"), holder)
        label.setFixedWidth(Metrics.field_label)
        self.follows = ChoiceField((), self.tr("Node that the camera follows"), holder)
        self.follows.setToolTip(tip(self.tr("The node that the camera goes after")))
        self.follows.chosen.connect(self._follow)
        row.addWidget(label)
        row.addWidget(self.follows, 1)
        self.content.addWidget(holder)

    @Slot()
    def refresh(self) -> None:
        """Show what is looked and filmed through."""
        document = self._session.editing.document
        if document is None or self.through is None:
            return
        node = next((n for n in document.nodes if n.id == self.nodes[0]), None)
        if node is None:
            return
        self.through.setChecked(self._session.stage.through == node.id)
        self.films.setChecked(document.view_camera == node.id)
        words = self.tr("Films and pictures go through this camera")
        self.films.setToolTip(tip(f"{words}\ndoc.see_through({node.name!r})"))
        if self.follows is not None and isinstance(node.content, CameraRig):
            others = [(n.id, n.name) for n in document.nodes if n.id != node.id]
            self.follows.set_choices([("", self.tr("Nothing")), *others])
            self.follows.set_value(node.content.follows)

    @Slot()
    def _look_through(self) -> None:
        stage, node = self._session.stage, self.nodes[0]
        stage.look_through("" if stage.through == node else node)
        self.refresh()

    @Slot()
    def _film(self) -> None:
        document, node = self._session.editing.document, self.nodes[0]
        through = "" if document is None or document.view_camera == node else node
        self._session.editing.run("see_through", node=through)
        self.refresh()

    @Slot(str)
    def _follow(self, target: str) -> None:
        self._session.editing.run("follow", node=self.nodes[0], target=target)

    @Slot()
    def _set_from_view(self) -> None:
        session, node = self._session, self.nodes[0]
        shown = session.stage.shown
        if shown is None:
            return
        seen = view_values(session)
        values = rig_values(shown, node, np.asarray(seen["eye"]), np.asarray(seen["target"]))
        values |= {"fov": seen["fov"], "roll": 0.0}
        with session.editing.gesture(self.tr("Set camera from view")):
            for name, value in values.items():
                PropertyLink(session, [f"{node}/{name}"], self).set(value)


class ViewSection(Section):
    """The document's own view: from where it is seen without a camera node."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session.theme, "", parent)
        self.head.setText(self.tr("Saved view"))
        self.head.setAccessibleName(self.head.text())
        self._session = session
        buttons = _Buttons(self.body)
        buttons.add(
            self.tr("Set from view"),
            self.tr("Save from where one looks now; keyed properties are keyed"),
            self._save,
        )
        self.go = buttons.add(
            self.tr("Go there"), self.tr("Look from where it was saved"), self._go
        )
        self.content.addWidget(buttons)
        for name in ("eye", "target", "fov"):
            self.content.addWidget(fields.for_parameter(session, f"view/{name}", self.body))
        self.refresh()

    def refresh(self) -> None:
        """Whether there is a view to go to."""
        shown = self._session.stage.shown
        self.go.setEnabled(shown is not None and shown.camera is not None)

    @Slot()
    def _save(self) -> None:
        values = view_values(self._session)
        with self._session.editing.gesture(self.tr("Save the view")):
            for name, value in values.items():
                PropertyLink(self._session, [f"view/{name}"], self).set(value)

    @Slot()
    def _go(self) -> None:
        shown = self._session.stage.shown
        if shown is None or shown.camera is None:
            return
        camera = shown.camera
        box = shown.bounds()
        middle = camera.position + camera.forward if box is None else box.center
        view = OrbitView.of_camera(camera, shown.up, middle)
        self._session.stage.set_view(view, moving=False)
