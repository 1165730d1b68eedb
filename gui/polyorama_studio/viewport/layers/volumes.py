"""Crop volumes and the volumes of crop modifiers, as wireframes; the active one has grips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPointF, Qt

from polyorama.scene.contents import CropVolume
from polyorama.scene.modifiers import Crop
from polyorama.scene.placement import matrix_of, placement_of
from polyorama_studio.viewport.layers.layer import Layer
from polyorama_studio.viewport.volume import Grip, Volume

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QMouseEvent, QPainter

    from polyorama.scene.document import Document, Node
    from polyorama_studio.viewport.pane import Pane

__all__ = ["VolumesLayer"]


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """A volume of the document: that of a node, or of a crop in a node's stack."""

    node: Node
    crop: Crop | None
    volume: Volume
    active: bool


class VolumesLayer(Layer):
    """Shows where is cropped."""

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self._hot: tuple[str, str, Grip] | None = None
        self._held: _Shown | None = None
        self._grip: Grip = (0, 1)
        self._from = QPointF()
        self._base: NDArray[np.float64] = np.eye(4)

    def _all(self, document: Document) -> list[_Shown]:
        found = []
        # Where nothing is chosen, the stack of the only splats is shown, so its crop has grips.
        holding = [node.id for node in document.nodes if node.splats is not None]
        only = holding[0] if len(holding) == 1 and not document.chosen else ""
        for node in document.nodes:
            chosen = node.id in document.chosen
            if isinstance(node.content, CropVolume):
                volume = Volume(node.content.shape, document.world(node.id))
                found.append(_Shown(node, None, volume, chosen and not node.fixed))
            crops = [m for m in node.modifiers if isinstance(m, Crop) and m.enabled]
            for crop in crops:
                if crop.volume:
                    continue  # the volume's own node shows it
                own = _matrix(crop)
                volume = Volume(crop.shape, document.world(node.id) @ own)
                # Of several crops the last one of the chosen node is worked on.
                worked_on = chosen or node.id == only
                active = worked_on and crop is crops[-1] and not node.fixed
                found.append(_Shown(node, crop, volume, active))
        return found

    def _hit(self, pane: Pane, at: QPointF) -> tuple[_Shown, Grip] | None:
        document = pane.stage.shown
        if document is None:
            return None
        for shown in self._all(document):
            if shown.active:
                grip = shown.volume.hit(pane.space(), at)
                if grip is not None:
                    return shown, grip
        return None

    def hover(self, pane: Pane, at: QPointF) -> bool:
        """Light up the grip under the pointer."""
        hit = self._hit(pane, at)
        hot = None if hit is None else (hit[0].node.id, _crop_id(hit[0]), hit[1])
        if hot != self._hot:
            self._hot = hot
            pane.update()
        return hot is not None

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """Take hold of a grip."""
        hit = self._hit(pane, event.position())
        if hit is None:
            return False
        self._held, self._grip = hit
        self._from = event.position()
        document = pane.stage.shown
        assert document is not None
        node = self._held.node
        if self._held.crop is not None:
            self._base = document.world(node.id)
        else:
            self._base = np.eye(4) if node.parent is None else document.world(node.parent)
        self.session.editing.begin(self.tr("Resize the volume"))
        self.session.stage.hold()
        return True

    def drag(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Move the face; with Alt the opposite one too."""
        if self._held is None:
            return
        both = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        fresh = self._held.volume.dragged(self._grip, pane.space(), self._from, at, both=both)
        own = np.linalg.solve(self._base, fresh.matrix)
        node, crop = self._held.node, self._held.crop
        editing = self.session.editing
        if crop is None:
            rows = tuple(tuple(float(v) for v in row) for row in own[:3])
            editing.run("place", node=node.id, matrix=rows)
        else:
            editing.run(
                "change_modifier", node=node.id, modifier=crop.id, values=_fields(own, crop)
            )

    def release(self, pane: Pane) -> None:
        """Let go."""
        self._held = None
        self.session.editing.end()
        self.session.stage.release()

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """All of them, the active one last."""
        document = pane.stage.shown
        if document is None:
            return
        for shown in sorted(self._all(document), key=_is_active):
            hot = None
            if self._hot is not None and self._hot[:2] == (shown.node.id, _crop_id(shown)):
                hot = self._hot[2]
            shown.volume.paint(pane, painter, active=shown.active, hot=hot)
            edge = _soft_edge(shown.crop)
            if edge is not None and shown.crop is not None:
                within = Volume(shown.crop.shape, document.world(shown.node.id) @ edge)
                within.paint_thin(pane, painter, active=shown.active)


def _is_active(shown: _Shown) -> bool:
    return shown.active


def _crop_id(shown: _Shown) -> str:
    return "" if shown.crop is None else shown.crop.id


def _matrix(crop: Crop) -> NDArray[np.float64]:
    size = np.full(3, crop.size[0]) if crop.shape == "sphere" else np.asarray(crop.size)
    return matrix_of(crop.center, crop.rotation, size)


def _soft_edge(crop: Crop | None) -> NDArray[np.float64] | None:
    """(4, 4) where splats of a crop have faded in, in its node's space; None without such a place.

    That is inside the surface of what stays.
    """
    if crop is None or crop.soft <= 0.0:
        return None
    own = _matrix(crop)
    way = 1.0 if crop.inverted else -1.0
    lengths = np.linalg.norm(own[:3, :3], axis=0)
    if crop.shape == "plane":
        own[:3, 3] += way * crop.soft * own[:3, 1] / lengths[1]
        return own
    fresh = lengths + 2.0 * way * crop.soft
    if fresh.min() <= 0.0:
        return None
    own[:3, :3] *= fresh / lengths
    return own


def _fields(own: NDArray[np.float64], crop: Crop) -> dict[str, Any]:
    center, rotation, size = placement_of(own)
    # A drag of a face turns nothing: the angles stay what a person typed.
    lengths = tuple(float(v) for v in np.linalg.norm(own[:3, :3], axis=0))
    del rotation, size
    return {"center": center, "size": crop.size if crop.shape == "plane" else lengths}
