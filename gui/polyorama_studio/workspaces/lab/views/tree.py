"""Trees as icicles: depth downwards, each node as wide as its share of its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from polyorama.lab.views import Axis
from polyorama_studio.workspaces.lab.views.base import Entry, ViewWidget, array_of
from polyorama_studio.workspaces.lab.views.layers import colored
from polyorama_studio.workspaces.lab.views.marks import Figure, paint_figures, paint_note
from polyorama_studio.workspaces.lab.views.painted import PaintedBody
from polyorama_studio.workspaces.lab.views.primitives import draw_boxes
from polyorama_studio.workspaces.lab.views.scales import Following, said

if TYPE_CHECKING:
    from collections.abc import Mapping as Rivals

    from numpy.typing import NDArray
    from PySide6.QtWidgets import QWidget

    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import Tree
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History

__all__ = ["TreeView", "icicle"]

_WAITING, _WORKING, _KEPT, _PRUNED = range(4)
_STATES = ("Waiting", "At work", "Kept", "Pruned")
_TOKENS = ("raised", "accent", "good", "quiet")
_MARKS = ("box", "frame", "box", "hatch")
_LEAST = 0.35
"""Nodes narrower than this many pixels are not drawn: their parent shows where they are."""
_MOST_DEPTH = 512


def icicle(
    parents: NDArray[np.int64], shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Where the nodes of a tree lie.

    Parameters
    ----------
    parents
        (N,) int64; -1 for roots, and parents stand before their children.
    shares
        (N,) float64: width of each within its parent, 0..1; roots share the whole width.

    Returns
    -------
    left, width
        (N,) float64 each, as shares of the whole width.
    depth
        (N,) int64, 0 for roots; -1 for nodes whose parent is not there.
    """
    count = len(parents)
    shares = np.clip(np.nan_to_num(shares), 0.0, 1.0)
    left, width = np.zeros(count), np.zeros(count)
    depth = np.full(count, -1)
    level = np.flatnonzero(parents == -1)
    later = (parents >= 0) & (parents < np.arange(count))
    for number in range(_MOST_DEPTH):
        if not len(level):
            break
        depth[level] = number
        owner = parents[level]
        order = np.argsort(owner, kind="stable")
        level, owner = level[order], owner[order]
        share = shares[level]
        ends = np.cumsum(share)
        first = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
        group = np.repeat(np.arange(len(first)), np.diff(np.r_[first, len(owner)]))
        starts = ends - share - (ends - share)[first][group]
        room = np.where(owner >= 0, width[owner], 1.0)
        left[level] = np.where(owner >= 0, left[owner], 0.0) + starts * room
        width[level] = share * room
        here = np.zeros(count, np.bool_)
        here[level] = True
        level = np.flatnonzero(later & here[parents])
    return left, width, depth


class TreeView(ViewWidget):
    """Draws a `Tree`."""

    view: Tree

    def __init__(
        self, view: Tree, theme: Theme, rivals: Rivals[str, int], parent: QWidget | None = None
    ) -> None:
        self.left = self.width_of = np.empty(0)
        self.depth = np.empty(0, np.int64)
        self.values: NDArray | None = None
        self.states: NDArray | None = None
        self._span = Following(Axis(), air=False)
        self._there: tuple[int, ...] = ()
        super().__init__(view, theme, rivals, parent)

    def make_body(self) -> QWidget:
        """Painted."""
        return PaintedBody(self._paint, lambda: self.look.ground, self)

    def legend(self) -> list[Entry]:
        """The states that are there and can be told by their look."""
        by_value = self.values is not None
        return [
            Entry(
                QCoreApplication.translate("lab", _STATES[state]), QPen(self._state_color(state)),
                _MARKS[state] if by_value or state == _PRUNED else "box", edged=state == _WAITING,
            )
            for state in self._there
            if not by_value or state in (_WORKING, _PRUNED)
        ]  # fmt: skip

    def _state_color(self, state: int) -> QColor:
        color = self.look.tokens.color(_TOKENS[state])
        color.setAlphaF(0.65 if state == _KEPT else 1.0)
        return color

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Look the tree up and lay it out."""
        view = self.view
        parents, shares = array_of(snapshot, view.parents), array_of(snapshot, view.shares)
        if parents is None or shares is None or parents.shape != shares.shape:
            parents, shares = np.empty(0, np.int64), np.empty(0)
        self.left, self.width_of, self.depth = icicle(
            parents.astype(np.int64).ravel(), shares.astype(np.float64).ravel()
        )
        count = len(self.left)
        value, state = array_of(snapshot, view.value), array_of(snapshot, view.state)
        self.values = value if value is not None and value.shape == (count,) else None
        self.states = None
        if state is not None and state.shape == (count,):
            self.states = np.clip(state.astype(np.int64), 0, _PRUNED)
        if self.values is not None:
            finite = self.values[np.isfinite(self.values)]
            if len(finite):
                self._span.fit(float(finite.min()), float(finite.max()))
        there = () if self.states is None else tuple(np.unique(self.states).tolist())
        if there != self._there:
            self._there = there
            self.legend_changed()
        self.body.update()

    def boxes(self, room: QRectF) -> NDArray[np.float64]:
        """(N, 4) left, top, width, height of the nodes in pixels; NaN for those too narrow."""
        levels = int(self.depth.max(initial=0)) + 1
        high = room.height() / levels
        boxes = np.stack(
            [
                room.left() + self.left * room.width(), room.top() + self.depth * high,
                self.width_of * room.width(), np.full(len(self.left), high),
            ],
            axis=1,
        )  # fmt: skip
        boxes[(boxes[:, 2] < _LEAST) | (self.depth < 0)] = np.nan
        return boxes

    def _paint(self, painter: QPainter, room: QRectF) -> None:
        if not len(self.left):
            return
        look = self.look
        room = room.adjusted(1.0, 1.0, -1.0, -1.0)
        boxes = self.boxes(room)
        # Hairlines of the ground part the nodes, as long as these are wide enough.
        gap = np.minimum(look.hair, 0.25 * boxes[:, 2])
        inner = boxes + np.stack([0.5 * gap, 0.5 * gap, -gap, -gap], axis=1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(boxes) < 4_000)
        self._paint_fills(painter, inner)
        if self.states is not None:
            self._paint_states(painter, inner)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        levels = int(self.depth.max(initial=0)) + 1
        count = len(self.left)
        words = QCoreApplication.translate("lab", "{0} {1}, {2} {3}").format(
            f"{count:,}", "node" if count == 1 else "nodes",
            levels, "level" if levels == 1 else "levels",
        )  # fmt: skip
        paint_note(painter, look, room, words)
        self._paint_pointed(painter, room, boxes)

    def _paint_fills(self, painter: QPainter, boxes: NDArray[np.float64]) -> None:
        if self.values is not None:
            colors, which = colored(self.values, self._span.ends, self.look, self.view.colormap)
        elif self.states is not None:
            colors, which = [self._state_color(state) for state in range(4)], self.states
        else:
            colors, which = [self.look.color("", 0)], np.zeros(len(boxes), np.int64)
        strength = np.ones(len(boxes))
        if self.states is not None:
            strength[self.states == _PRUNED] = 0.25
            if self.values is not None:
                strength[self.states == _WAITING] = 0.5
        for number in np.unique(which).tolist():
            for share in np.unique(strength[which == number]).tolist():
                color = QColor(colors[number])
                color.setAlphaF(share * color.alphaF())
                painter.setBrush(color)
                draw_boxes(painter, boxes[(which == number) & (strength == share)])

    def _paint_states(self, painter: QPainter, boxes: NDArray[np.float64]) -> None:
        """Hatches on what is pruned, edges round what is at work."""
        assert self.states is not None
        look = self.look
        wide = boxes[:, 2] >= 4.0
        painter.setBrush(QBrush(look.faded("quiet", 0.55), Qt.BrushStyle.BDiagPattern))
        draw_boxes(painter, boxes[(self.states == _PRUNED) & wide])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.values is not None:
            painter.setPen(QPen(look.tokens.color("accent"), look.stroke))
            half = 0.5 * look.stroke
            inset = boxes + np.array([half, half, -2.0 * half, -2.0 * half])
            draw_boxes(painter, inset[(self.states == _WORKING) & wide])
            painter.setPen(Qt.PenStyle.NoPen)

    def node_at(self, boxes: NDArray[np.float64], place: QPointF) -> int:
        """The node at a position, -1 for none."""
        with np.errstate(invalid="ignore"):
            inside = np.flatnonzero(
                (boxes[:, 0] <= place.x()) & (place.x() < boxes[:, 0] + boxes[:, 2])
                & (boxes[:, 1] <= place.y()) & (place.y() < boxes[:, 1] + boxes[:, 3])
            )  # fmt: skip
        return int(inside[0]) if len(inside) else -1

    def _paint_pointed(self, painter: QPainter, room: QRectF, boxes: NDArray[np.float64]) -> None:
        body = self.body
        assert isinstance(body, PaintedBody)
        node = -1 if body.pointer is None else self.node_at(boxes, body.pointer)
        if node < 0 or body.pointer is None:
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.look.tokens.color("text"), self.look.hair))
        draw_boxes(painter, boxes[[node]])
        level = QCoreApplication.translate("lab", "level {0}").format(int(self.depth[node]))
        figures = [Figure(f"{said(100.0 * self.width_of[node])} %", level)]
        if self.values is not None:
            figures.append(
                Figure(said(float(self.values[node])), QCoreApplication.translate("lab", "value"))
            )
        if self.states is not None:
            state = _STATES[int(self.states[node])]
            figures.append(Figure(QCoreApplication.translate("lab", state)))
        paint_figures(painter, self.look, room, body.pointer, figures)
