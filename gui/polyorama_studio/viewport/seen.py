"""What a still picture shows at a position: which node, which splat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PySide6.QtCore import QPointF

    from polyorama_studio.viewport.pane import Pane

__all__ = ["node_at", "splat_at"]

_REACH = 3
"""A click so many pixels beside a thing still hits it."""


def splat_at(pane: Pane, at: QPointF) -> tuple[str, int] | None:
    """Node id and number of the splat that is seen at a position, or None.

    The number is that among the node's own splats; it is known while the picture is still.
    """
    picture = pane.stage.picture
    if picture is None or picture.ids is None or picture.gaussians is None:
        return None
    if not pane.stage.is_of_now(picture):
        return None
    height, width = picture.ids.shape
    column = int(at.x() * width / max(1, pane.width()))
    row = int(at.y() * height / max(1, pane.height()))
    if not (0 <= row < height and 0 <= column < width):
        return None
    index = int(picture.ids[row, column])
    if index < 0:
        rows = slice(max(0, row - _REACH), row + _REACH + 1)
        patch = picture.ids[rows, max(0, column - _REACH) : column + _REACH + 1]
        found = patch[patch >= 0]
        if found.size == 0:
            return None
        index = int(found[found.size // 2])
    gaussians = picture.gaussians
    if not gaussians.node_ids:
        return None
    if gaussians.node_index is None:
        return gaussians.node_ids[0], index
    place = int(gaussians.node_index[index])
    first = int(np.searchsorted(gaussians.node_index, place))
    return gaussians.node_ids[place], index - first


def node_at(pane: Pane, at: QPointF) -> str | None:
    """Id of the node that is seen at a position, or None; fixed ones are passed over."""
    hit = splat_at(pane, at)
    document = pane.session.editing.document
    if hit is None or document is None:
        return None
    found = {n.id: n for n in document.nodes}.get(hit[0])
    return None if found is None or found.fixed else found.id
