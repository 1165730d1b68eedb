"""The library as a map, painted: points from afar, pictures from near."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QImage, QPainter, QPen
from PySide6.QtWidgets import QLabel, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import legible
from polyorama_studio.workspaces.shapes.empty import paint_empty
from polyorama_studio.workspaces.shapes.shelf import title_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import (
        QColor,
        QPaintEvent,
        QResizeEvent,
        QShowEvent,
    )

    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf
    from polyorama_studio.workspaces.shapes.stock import Plan

__all__ = ["AtlasView", "paint_points"]

_MOST_SPRITES = 240
"""So many shapes in view are shown as pictures, more as points."""
_REACH = 14.0
_CLOSEST = 400.0
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
class AtlasView(QWidget):
    """All shapes where the map has them; results stand out.

    Parameters
    ----------
    session, shelf
        See there.
    """

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
        self._bright: NDArray[np.int64] = np.empty(0, np.int64)
        self._drawn: tuple[object, QImage] | None = None
        self.note = QLabel(self)
        self.note.setProperty("fine", "true")
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
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
        self._say()

    def _say(self) -> None:
        """Say what becomes of the map, or why it is no better."""
        plan = self.plan
        words = "" if plan is None else plan.note
        if self.shelf.mapping:
            words = self.tr("Laying out the map")
            if plan is not None:
                words = self.tr("Moving neighbours together; this takes a while")
        self.note.setText(legible(words))
        self.note.setVisible(bool(words))
        self._place_note()

    def _place_note(self) -> None:
        gap = Metrics.space[2]
        size = self.note.sizeHint()
        wide = min(size.width(), max(self.width() - 2 * gap, 1))
        self.note.setGeometry(gap, self.height() - gap - size.height(), wide, size.height())

    @Slot()
    def _on_found(self) -> None:
        """Let the results stand out."""
        plan, found = self.plan, self.shelf.found
        if plan is None and self.isVisible():
            self.shelf.ask_plan()
            self._say()
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
        self._say()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other shapes may come into view."""
        super().resizeEvent(event)
        self._ask()
        self._place_note()

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

    def _hover(self, row: int) -> None:
        if row != self.hovered:
            self.hovered = row
            self.shelf.hover(-1 if self.plan is None or row < 0 else int(self.plan.ids[row]))
            self._ask()
            self.update()

    def _ask(self) -> None:
        if self.plan is None or not self.isVisible():
            self.shelf.thumbs.want("atlas", [])
            return
        seen = self.in_view()
        rows = seen.tolist() if len(seen) <= _MOST_SPRITES else []
        if self.hovered >= 0:
            rows.insert(0, self.hovered)
        self.shelf.thumbs.want("atlas", self.plan.ids[rows].tolist() if rows else [])

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
