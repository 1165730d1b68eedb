"""The table of layers, and which of them are shown."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from polyorama_studio.jobs import Handlers
from polyorama_studio.marks import Floor, Ground, Marks, ground_of

if TYPE_CHECKING:
    from polyorama.core.jobs import Progress
    from polyorama.scene.document import Document, Node
    from polyorama_studio.viewport.layers.layer import Layer
    from polyorama_studio.viewport.toolbox import Toolbox

__all__ = ["LAYERS", "LayerEntry", "Layers"]

_FOLDER = "polyorama_studio.viewport.layers"
_SETTLE_MS = 400
_GRID_STRENGTH = {"dark": 0.34, "light": 0.5}


@dataclass(frozen=True, slots=True)
class LayerEntry:
    """One layer of the table.

    Parameters
    ----------
    id, title
        Stable name; sentence case.
    layer
        ``"module:Class"``, or "" for what is drawn elsewhere: into the picture, or as a widget.
    shown
        Whether it is on before a person has chosen.
    """

    id: str
    title: str
    layer: str = ""
    shown: bool = True


LAYERS: tuple[LayerEntry, ...] = (
    LayerEntry("grid", "Floor grid"),
    LayerEntry("outline", "Outline of the selection"),
    LayerEntry("cube", "View cube"),
    LayerEntry("cameras", "Cameras", f"{_FOLDER}.cameras:CamerasLayer"),
    LayerEntry("path", "Camera path", f"{_FOLDER}.path:PathLayer"),
    LayerEntry("volumes", "Crop volumes", f"{_FOLDER}.volumes:VolumesLayer"),
    LayerEntry("names", "Names of chosen nodes", f"{_FOLDER}.names:NamesLayer"),
    LayerEntry("figures", "Frames a second and splats", f"{_FOLDER}.figures:FiguresLayer", False),
)
"""Every layer, in the order in which they are painted."""


class Layers(QObject):
    """Which layers are shown; makes those that paint, and the marks in the picture."""

    changed = Signal()
    marks_changed = Signal()
    ground_changed = Signal()

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__(toolbox)
        self._toolbox = toolbox
        flipped = toolbox.session.preferences.layers
        self.shown = {entry.id for entry in LAYERS if entry.shown != (entry.id in flipped)}
        self.ground: Ground | None = None
        self.marks = Marks()
        self._made: dict[str, Layer] = {}
        self._looking: Document | None = None
        self._known: set[str] = set()
        session = toolbox.session
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLE_MS)
        self._settled.timeout.connect(self._find_ground)
        session.editing.replaced.connect(self._on_replaced)
        session.editing.edited.connect(self._on_edited)
        session.theme.changed.connect(self.update_marks)
        self.update_marks()

    def toggle(self, layer_id: str) -> None:
        """Show a layer, or hide it."""
        self.shown ^= {layer_id}
        usual = {entry.id for entry in LAYERS if entry.shown}
        self._toolbox.session.preferences.layers = self.shown ^ usual
        self.update_marks()
        self.changed.emit()

    def painted(self) -> list[Layer]:
        """The shown layers that paint, lowest first."""
        return [self._layer(e) for e in LAYERS if e.layer and e.id in self.shown]

    def _layer(self, entry: LayerEntry) -> Layer:
        if entry.id not in self._made:
            module, _, name = entry.layer.partition(":")
            made = getattr(importlib.import_module(module), name)
            self._made[entry.id] = made(self._toolbox)
        return self._made[entry.id]

    # What is drawn into the picture

    @Slot()
    def update_marks(self) -> None:
        """Bring what is drawn into pictures up to date."""
        tokens = self._toolbox.session.theme.tokens
        floor = outline = None
        if "grid" in self.shown and self.ground is not None:
            line, *axes = (_rgb(tokens.color(t)) for t in ("quiet", "axis_x", "axis_y", "axis_z"))
            floor = Floor(self.ground, line, tuple(axes), _GRID_STRENGTH[tokens.name])
        if "outline" in self.shown:
            outline = _rgb(tokens.color("accent"))
        self.marks = Marks(floor, outline)
        self.marks_changed.emit()

    @Slot()
    def _on_replaced(self) -> None:
        self.ground = None
        self._looking = None
        self._known = set()
        self._find_ground()

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        self._settled.start()

    @Slot()
    def _find_ground(self) -> None:
        document = self._toolbox.session.editing.document
        if document is None or not document.nodes:
            self._settled.stop()
            self.update_marks()
            return
        # The floor stays where it is while things are hidden, deleted, moved: it is no property of
        # what is left. New content, another "up" and laying the scene on its floor find it anew.
        bearing = {node.id for node in document.nodes if _bears(node)}
        fresh = bearing - self._known
        self._known |= bearing
        if self._looking is None or fresh or _turned(self._looking, document):
            self._looking = document
            self._toolbox.session.start_job(
                partial(ground_of, _unedited(document)),
                Handlers(partial(self._on_ground, document), self._on_failed, self._on_progress),
                "ground",
            )

    def _on_ground(self, document: Document, ground: Ground) -> None:
        if document is self._looking:
            self.ground = ground
            self.update_marks()
            self.ground_changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._toolbox.session.report(error)

    def _on_progress(self, progress: Progress) -> None:
        """It takes no steps."""


def _bears(node: Node) -> bool:
    """Whether a node has something that stands on a floor."""
    return node.splats is not None or node.mesh is not None


def _unedited(document: Document) -> Document:
    """The document with all that it was opened with: shown, nothing deleted, no steps done."""
    nodes = [
        replace(node, visible=True, deleted=None, hidden=None, modifiers=())
        for node in document.nodes
    ]
    return document.replaced(*nodes)


def _turned(before: Document, after: Document) -> bool:
    """Whether "up" is another one, or all that stands at the root was turned or scaled alike.

    That is what laying the scene on its floor and giving it a real length do.
    """
    if before.up != after.up:
        return True
    earlier = {node.id: node.transform for node in before.nodes}
    moves = [
        node.transform @ np.linalg.pinv(earlier[node.id])
        for node in after.nodes
        if node.parent is None and node.id in earlier
    ]
    if not moves or np.allclose(moves[0][:3, :3], np.eye(3)):
        return False
    return all(np.allclose(move, moves[0]) for move in moves)


def _rgb(color) -> tuple[float, float, float]:
    return (color.redF(), color.greenF(), color.blueF())
