"""The library as a map: alike shapes lie near each other; wheel and drag wander in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font
from polyorama_studio.workspaces.shapes.empty import paint_empty
from polyorama_studio.workspaces.shapes.shelf import title_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import (
        QColor,
        QContextMenuEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QShowEvent,
        QWheelEvent,
    )

    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf
    from polyorama_studio.workspaces.shapes.stock import Plan

__all__ = ["Atlas", "paint_points"]

_MOST_SPRITES = 240
"""So many shapes in view are shown as pictures, more as points."""
_REACH = 14.0
_CLOSEST = 400.0
_NOTCH = 1.2
_BEST = 60
"""So many results stand out."""


def paint_points(
    places: NDArray[np.float32], size: tuple[int, int], color: QColor, weight: float
) -> QImage:
    """A picture of points, denser where many lie; a hundred thousand take milliseconds.

    Parameters
    ----------
    places
        (N, 2) px.
    size
        Width and height, px.
    color
        Of the points.
    weight
        Opacity of one, 0..1.
    """
    wide, high = size
    cells = np.floor(places).astype(np.int64)
    inside = ((cells >= 0) & (cells < (wide - 1, high - 1))).all(axis=1)
    first = cells[inside, 1] * wide + cells[inside, 0]
    counts = np.zeros(wide * high, np.int64)
    for shift in (0, 1, wide, wide + 1):  # a point is two pixels wide and high
        counts += np.bincount(first + shift, minlength=wide * high)
    alpha = 1.0 - (1.0 - weight) ** np.minimum(counts, 64)
    pixels = np.empty((high, wide, 4), np.uint8)
    pixels[..., 0], pixels[..., 1], pixels[..., 2] = color.blue(), color.green(), color.red()
    pixels[..., 3] = np.round(255.0 * alpha).reshape(high, wide)
    return QImage(pixels.data, wide, high, 4 * wide, QImage.Format.Format_ARGB32).copy()


@guards
class Atlas(QWidget):
    """Points from afar, pictures from near.

    Parameters
    ----------
    session, shelf
        See there.
    """

    placed = Signal()
    menu_asked = Signal(QPoint)

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shapesAtlas")
        self.setAccessibleName(self.tr("Map of the library"))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.session, self.shelf = session, shelf
        self.scale = 1.0
        """How much nearer than the whole map one looks."""
        self.center = QPointF(0.5, 0.5)
        self.hovered = -1
        """Row of the map's, -1 for none."""
        self._press: tuple[QPointF, QPointF] | None = None
        self._moved = False
        self._bright: NDArray[np.int64] = np.empty(0, np.int64)
        self._drawn: tuple[object, QImage] | None = None
        shelf.plan_changed.connect(self._on_plan)
        shelf.found_changed.connect(self._on_found)
        shelf.chosen_changed.connect(self.update)
        shelf.thumbs.came.connect(self.update)
        session.theme.changed.connect(self.update)

    @property
    def plan(self) -> Plan | None:
        """What is shown."""
        return self.shelf.plan

    @Slot()
    def _on_plan(self) -> None:
        self.hovered = -1
        self._on_found()

    @Slot()
    def _on_found(self) -> None:
        """Let the results stand out."""
        plan, found = self.plan, self.shelf.found
        if plan is None and self.isVisible():
            self.shelf.ask_plan()
        if plan is None or self.shelf.question.is_plain:
            self._bright = np.empty(0, np.int64)
        else:
            best = found.ids[:_BEST] if found.ranked else found.ids
            self._bright = np.flatnonzero(np.isin(plan.ids, best))
        self._drawn = None
        self._ask()
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        """Have the map made when it is first seen."""
        super().showEvent(event)
        self.shelf.ask_plan()
        self._ask()

    # Between the map and the widget

    @property
    def _unit(self) -> float:
        """Pixels that the whole map spans."""
        return self.scale * (min(self.width(), self.height()) - 1.5 * Metrics.shapes_sprite)

    def places(self) -> NDArray[np.float32]:
        """(N, 2) px: where the shapes lie in the widget."""
        assert self.plan is not None
        middle = np.array([self.width() / 2.0, self.height() / 2.0], np.float32)
        center = np.array([self.center.x(), self.center.y()], np.float32)
        return np.asarray((self.plan.points - center) * np.float32(self._unit) + middle)

    def zoom(self, factor: float, at: QPointF) -> None:
        """Look nearer, or from farther; what lies under a position stays there."""
        before = self._unit
        self.scale = min(max(self.scale * factor, 0.8), _CLOSEST)
        middle = QPointF(self.width() / 2.0, self.height() / 2.0)
        away = at - middle
        self.center += away / before - away / self._unit
        self._ask()
        self.update()

    def in_view(self) -> NDArray[np.int64]:
        """Rows of the shapes in view."""
        if self.plan is None or not len(self.plan.ids):
            return np.empty(0, np.int64)
        places, edge = self.places(), float(Metrics.shapes_sprite)
        seen = ((places > -edge) & (places < (self.width() + edge, self.height() + edge))).all(1)
        return np.flatnonzero(seen)

    def nearest(self, at: QPointF) -> int:
        """The shape at a position, -1 where there is none within reach."""
        if self.plan is None or not len(self.plan.ids):
            return -1
        away = self.places() - np.array([at.x(), at.y()], np.float32)
        distance = np.einsum("ij,ij->i", away, away)
        row = int(np.argmin(distance))
        shown = len(self.in_view()) <= _MOST_SPRITES
        reach = Metrics.shapes_sprite / 2.0 if shown else _REACH
        return row if distance[row] <= reach**2 else -1

    def _ask(self) -> None:
        if self.plan is None or not self.isVisible():
            self.shelf.thumbs.want("atlas", [])
            return
        seen = self.in_view()
        rows = seen.tolist() if len(seen) <= _MOST_SPRITES else []
        if self.hovered >= 0:
            rows.insert(0, self.hovered)
        self.shelf.thumbs.want("atlas", self.plan.ids[rows].tolist() if rows else [])

    # The pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the map, or choose what lies there."""
        self._press, self._moved = (event.position(), QPointF(self.center)), False
        if event.button() == Qt.MouseButton.RightButton:
            self._choose(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Wander, or show what is pointed at."""
        if self._press is not None and event.buttons() & (
            Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton
        ):
            start, center = self._press
            away = event.position() - start
            if self._moved or away.manhattanLength() > Metrics.space[0]:
                self._moved = True
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.center = center - away / self._unit
                self._ask()
                self.update()
            return
        hovered = self.nearest(event.position())
        if hovered != self.hovered:
            self.hovered = hovered
            self._ask()
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A press that went nowhere chooses."""
        left = event.button() == Qt.MouseButton.LeftButton
        if self._press is not None and not self._moved and left:
            self._choose(event)
        self._press = None
        self.unsetCursor()

    def _choose(self, event: QMouseEvent) -> None:
        row = self.nearest(event.position())
        if row < 0 or self.plan is None:
            self.shelf.choose(())
            return
        asset_id = int(self.plan.ids[row])
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            chosen = [i for i in self.shelf.chosen if i != asset_id]
            self.shelf.choose(
                chosen if len(chosen) < len(self.shelf.chosen) else [*chosen, asset_id]
            )
        elif event.button() == Qt.MouseButton.LeftButton or asset_id not in self.shelf.chosen:
            self.shelf.choose([asset_id])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Place it."""
        if self.nearest(event.position()) >= 0:
            self.placed.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with what is chosen."""
        if self.shelf.chosen:
            self.menu_asked.emit(event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Nearer or farther."""
        self.zoom(_NOTCH ** (event.angleDelta().y() / 120.0), event.position())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self.hovered = -1
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other shapes may come into view."""
        super().resizeEvent(event)
        self._ask()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Points or pictures, and what stands out."""
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), tokens.color("ground"))
        if self.plan is None or not len(self.plan.ids):
            if not self.shelf.overview.count:
                paint_empty(painter, QRectF(self.rect()), tokens, self.shelf)
            painter.end()
            return
        seen, places = self.in_view(), self.places()
        if len(seen) > _MOST_SPRITES:
            painter.drawImage(0, 0, self._points(places))
        else:
            self._paint_sprites(painter, seen, places)
        for asset_id in self.shelf.chosen[-_MOST_SPRITES:]:
            for row in np.flatnonzero(self.plan.ids == asset_id):
                self._paint_ring(painter, QPointF(*map(float, places[row])), len(seen))
        if self.hovered >= 0:
            self._paint_hovered(painter, QPointF(*map(float, places[self.hovered])))
        painter.end()

    def _points(self, places: NDArray[np.float32]) -> QImage:
        tokens = self.session.theme.tokens
        key = (self.plan, self.scale, self.center.toTuple(), self.size().toTuple(), tokens.name)
        if self._drawn is not None and self._drawn[0] == key:
            return self._drawn[1]
        size = (max(self.width(), 2), max(self.height(), 2))
        weight = 0.35 if len(self._bright) else 0.6
        image = paint_points(places, size, tokens.color("quiet"), weight)
        if len(self._bright):
            painter = QPainter(image)
            bright = paint_points(places[self._bright], size, tokens.color("accent"), 1.0)
            painter.drawImage(0, 0, bright)
            painter.end()
        self._drawn = (key, image)
        return image

    def _paint_sprites(
        self, painter: QPainter, seen: NDArray[np.int64], places: NDArray[np.float32]
    ) -> None:
        assert self.plan is not None
        tokens, bright = self.session.theme.tokens, set(self._bright.tolist())
        side = float(Metrics.shapes_sprite)
        # What stands out lies over the rest.
        for row in sorted(seen.tolist(), key=lambda row: row in bright):
            pixmap = self.shelf.thumbs.pixmap(int(self.plan.ids[row]))
            at = QPointF(*map(float, places[row]))
            painter.setOpacity(0.3 if bright and row not in bright else 1.0)
            if pixmap is None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(tokens.color("quiet"))
                painter.drawEllipse(at, Metrics.hair, Metrics.hair)
            else:
                box = QRectF(at.x() - side / 2.0, at.y() - side / 2.0, side, side)
                painter.drawPixmap(box.toRect(), pixmap)
        painter.setOpacity(1.0)

    def _paint_ring(self, painter: QPainter, at: QPointF, seen: int) -> None:
        radius = Metrics.shapes_sprite / 2.0 if seen <= _MOST_SPRITES else Metrics.focus_dot
        painter.setPen(QPen(self.session.theme.tokens.color("accent"), Metrics.hair))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(at, radius, radius)

    def _paint_hovered(self, painter: QPainter, at: QPointF) -> None:
        """A card beside the pointer with picture and name."""
        assert self.plan is not None
        tokens = self.session.theme.tokens
        asset_id = int(self.plan.ids[self.hovered])
        asset, pixmap = self.shelf.asset(asset_id), self.shelf.thumbs.pixmap(asset_id)
        if asset is None:
            return
        side, gap = float(Metrics.shapes_cell[0]), float(Metrics.space[1])
        card = QRectF(0.0, 0.0, side + 2.0 * gap, side + gap + Metrics.row)
        card.moveTopLeft(at + QPointF(2.0 * gap, 2.0 * gap))
        card.moveRight(min(card.right(), self.width() - gap))
        card.moveBottom(min(card.bottom(), self.height() - gap))
        painter.setPen(tokens.color("line"))
        painter.setBrush(tokens.color("panel"))
        painter.drawRoundedRect(card, Metrics.card_corner, Metrics.card_corner)
        box = QRectF(card.left() + gap, card.top() + gap, side, side)
        if pixmap is not None:
            painter.drawPixmap(box.toRect(), pixmap)
        painter.setFont(font(Metrics.label))
        painter.setPen(tokens.color("text"))
        words = QRectF(box.left(), box.bottom(), side, Metrics.row)
        shown = painter.fontMetrics().elidedText(
            title_of(asset), Qt.TextElideMode.ElideMiddle, int(side)
        )
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, shown)
