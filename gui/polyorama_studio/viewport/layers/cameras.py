"""Camera nodes as frusta; a click on one chooses it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt

from polyorama.errors import PolyoramaError
from polyorama.scene.contents import CameraRig
from polyorama.scene.rigs import rig_camera
from polyorama_studio.viewport.layers.layer import Layer
from polyorama_studio.viewport.readout import halo_pens, paint_label
from polyorama_studio.viewport.space import Space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from PySide6.QtGui import QMouseEvent, QPainter

    from polyorama.scene.document import Node
    from polyorama_studio.viewport.pane import Pane

__all__ = ["CamerasLayer"]

_SIZE = (160, 90)
_SHARE = 0.22
"""Depth of a frustum as a share of the subject's radius."""
_INSIDE = 0.3
"""So near to a camera's eye, as a share of its frustum's depth, it is not drawn."""
_GRAB = 10.0


class CamerasLayer(Layer):
    """Shows where cameras stand."""

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self._hot = ""

    def _frusta(self, pane: Pane) -> Iterator[tuple[Node, NDArray[np.float64]]]:
        """Camera nodes, each with its eye and the corners of its picture, (5, 3) world."""
        document = pane.stage.shown
        ground = self.toolbox.layers.ground
        if document is None:
            return
        depth = _SHARE * (ground.radius if ground is not None else 1.0)
        for node in document.nodes:
            if not isinstance(node.content, CameraRig) or node.id == pane.stage.through:
                continue
            try:
                seen = Space(rig_camera(document, node.id, _SIZE))
            except PolyoramaError:
                continue  # it looks nowhere: the inspector tells, a frustum cannot
            space = pane.space()
            if not space.parallel and np.linalg.norm(space.eye - seen.eye) < _INSIDE * depth:
                continue  # one stands in it, and sees nothing but its edges
            width, height = _SIZE
            corners = [
                seen.at_depth(x, y, depth)
                for x, y in ((0, 0), (width, 0), (width, height), (0, height))
            ]
            yield node, np.array([seen.eye, *corners])

    def hover(self, pane: Pane, at: QPointF) -> bool:
        """Light up the camera under the pointer."""
        hot = self._at(pane, at)
        if hot != self._hot:
            self._hot = hot
            pane.update()
        return bool(hot)

    def _at(self, pane: Pane, at: QPointF) -> str:
        for node, points in self._frusta(pane):
            eye = pane.space().point(points[0])
            if eye is not None and math.hypot(*(eye - at).toTuple()) < _GRAB:
                return node.id
        return ""

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """Choose the camera that is there."""
        hit = self._at(pane, event.position())
        document = self.session.editing.document
        if not hit or document is None:
            return False
        if hit not in document.chosen:
            self.session.editing.run("choose", nodes=(hit,))
            return True
        return False

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """Pyramids with a triangle at the top edge of the picture."""
        document = pane.stage.shown
        if document is None:
            return
        space, tokens = pane.space(), self.session.theme.tokens
        for node, points in self._frusta(pane):
            chosen = node.id in document.chosen
            hot = node.id == self._hot
            color = tokens.color("accent" if chosen else "overlay")
            halo, pen = halo_pens(pane, color, 1.5 if chosen or hot else 1.25)
            eye, *corners = points
            top = (corners[0] + corners[1]) / 2.0
            up = corners[0] - corners[3]
            hood = [corners[0] * 0.7 + corners[1] * 0.3, top + 0.28 * up,
                    corners[0] * 0.3 + corners[1] * 0.7]  # fmt: skip
            lines = [[eye, corner] for corner in corners]
            lines += [[*corners, corners[0]], hood]
            seen = [line for each in lines for line in space.polylines(np.array(each))]
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for each in (halo, pen):
                painter.setPen(each)
                for line in seen:
                    painter.drawPolyline(line)
            place = space.point(eye)
            if place is not None:
                painter.setPen(halo)
                painter.setBrush(color)
                painter.drawEllipse(place, 3.0, 3.0)
                if hot and not chosen:
                    paint_label(pane, painter, place, node.name)
