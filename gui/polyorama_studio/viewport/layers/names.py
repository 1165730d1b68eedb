"""Names of chosen nodes, above them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QFontMetrics

from polyorama.errors import PolyoramaError
from polyorama.scene.contents import CameraRig
from polyorama.scene.rigs import rig_eye
from polyorama_studio.theme import Metrics, font
from polyorama_studio.viewport.layers.layer import Layer
from polyorama_studio.viewport.readout import paint_label
from polyorama_studio.words import shortened

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from polyorama.scene.document import Document, Node
    from polyorama_studio.viewport.pane import Pane

__all__ = ["NamesLayer"]

_MOST = 24
_SAMPLE = 4000


class NamesLayer(Layer):
    """Tells what is chosen."""

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self._tops: dict[int, tuple[object, np.ndarray]] = {}

    def _sample(self, node: Node) -> np.ndarray:
        """Some points of a node in its own space, (n, 3); kept while its content is the same."""
        kept = self._tops.get(id(node.content))
        if kept is not None and kept[0] is node.content:
            return kept[1]
        points = np.zeros((1, 3))
        if node.splats is not None and len(node.splats):
            points = node.splats.means[:: max(1, len(node.splats) // _SAMPLE)]
        elif node.mesh is not None and len(node.mesh.vertices):
            points = node.mesh.vertices[:: max(1, len(node.mesh.vertices) // _SAMPLE)]
        points = np.asarray(points, np.float64)
        points = points[np.isfinite(points).all(axis=1)]
        low, high = np.quantile(points, [0.02, 0.98], axis=0) if len(points) else np.zeros((2, 3))
        corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1])
                            for z in (low[2], high[2])])  # fmt: skip
        if len(self._tops) > 4 * _MOST:
            self._tops.clear()
        self._tops[id(node.content)] = (node.content, corners)
        return corners

    def _top(self, document: Document, node: Node) -> np.ndarray:
        """The world point above which a node's name stands, (3,)."""
        if isinstance(node.content, CameraRig):
            return rig_eye(document, node.id)
        world = document.world(node.id)
        up = np.asarray(document.up) / np.linalg.norm(document.up)
        corners = self._sample(node) @ world[:3, :3].T + world[:3, 3]
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2.0
        heights = corners @ up
        return np.asarray(middle + up * (heights.max() - middle @ up))

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """One name each."""
        document = pane.stage.shown
        if document is None or len(document.nodes) < 2:
            return
        metrics = QFontMetrics(font(Metrics.label, medium=True))
        for node_id in document.chosen[-_MOST:]:
            node = document.node(node_id)
            if isinstance(node.content, CameraRig) and node.id == pane.stage.through:
                continue
            try:
                at = pane.space().point(self._top(document, node))
            except PolyoramaError:
                continue  # a camera that stands where it looks is nowhere
            if at is not None:
                name = shortened(node.name, metrics, Metrics.name_words)
                paint_label(pane, painter, at, name, hot=node_id == document.chosen[-1])
