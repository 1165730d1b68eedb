"""Cells of one size in a view that scrolls: paints what is seen, and asks for nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip
from polyorama_studio.workspaces.shapes.cell import (
    CellState,
    badge_of,
    paint_cell,
    picture_box,
)
from polyorama_studio.workspaces.shapes.empty import paint_empty
from polyorama_studio.workspaces.shapes.shelf import FIRST, title_of
from polyorama_studio.workspaces.shapes.spins import Spins
from polyorama_studio.workspaces.shapes.tiles import Tiles

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QPaintEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget

    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["TileView"]

_TURN_MS = 150
_TURN = (24, 192)
"""Pictures of a turn, and their side in pixels."""
_TURNS_KEPT = 40


@guards
class TileView(QAbstractScrollArea):
    """As many cells as there are results.

    Parameters
    ----------
    session, shelf
        See there.
    """

    side_changed = Signal(int)

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.session = session
        self.shelf = shelf
        self.spins = Spins(
            session, shelf, frames=_TURN[0], size=_TURN[1], kept=_TURNS_KEPT, pause=_TURN_MS
        )
        self.side = session.preferences.shapes_side
        self.tiles = Tiles(0, self.width(), self.side)
        self.current = -1
        """Index of the cell that has the keys."""
        self.anchor = -1
        """Where a range that Shift chooses begins."""
        self._hovered = -1
        self._pointer = QPointF()
        self._floor = 0.0
        """Score of a shape in the middle of the first results, which says little."""
        self._chosen: frozenset[int] = frozenset()
        self._asked: tuple[object, range] | None = None
        shelf.found_changed.connect(self._on_found)
        shelf.searching_changed.connect(self.viewport().update)
        shelf.overview_changed.connect(self.viewport().update)
        shelf.chosen_changed.connect(self._on_chosen)
        shelf.thumbs.came.connect(self._on_came)
        self.spins.came.connect(self.viewport().update)
        session.theme.changed.connect(self.viewport().update)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    # What there is

    @property
    def scroll(self) -> int:
        """How far it is scrolled, px."""
        return self.verticalScrollBar().value()

    def set_side(self, side: int) -> None:
        """Larger or smaller pictures; what is in the middle stays there."""
        low, high = Metrics.shapes_cell
        side = min(max(side, low), high)
        if side != self.side:
            middle = self.current if self.current >= 0 else next(iter(self.seen()), 0)
            self.side = side
            self.session.preferences.shapes_side = side
            self._arrange()
            self.show_cell(middle)
            self.side_changed.emit(side)

    def seen(self) -> range:
        """Indices of the cells that are seen."""
        return self.tiles.seen(self.scroll, self.viewport().height())

    @Slot()
    def _on_found(self) -> None:
        scores = self.shelf.found.scores
        self._asked = None
        # Of the first ones: the same before the others are there and after.
        self._floor = float(scores[min(len(scores), FIRST) // 2]) if len(scores) else 0.0
        self.current = self.anchor = -1
        self._find_current()
        self._arrange()
        if self.shelf.fresh:
            self.verticalScrollBar().setValue(0)
        self.hover_again()
        self.viewport().update()

    def _arrange(self) -> None:
        view = self.viewport()
        self.tiles = Tiles(len(self.shelf.found), view.width(), self.side)
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, self.tiles.height - view.height()))
        bar.setPageStep(max(1, view.height()))
        bar.setSingleStep(max(1, round(self.tiles.pitch / 3.0)))
        self._ask()
        view.update()

    def _ask(self) -> None:
        """Have what is seen read, then a screen below and above it."""
        seen = self.seen()
        asked = (self.shelf.found, seen)
        if self._asked == asked:
            return
        self._asked = asked
        found, more = self.shelf.found.ids, len(seen)
        near = [
            *seen, *range(seen.stop, min(seen.stop + more, len(found))),
            *range(max(0, seen.start - more), seen.start),
        ]  # fmt: skip
        self.shelf.thumbs.want("grid", found[near].tolist() if near else [])

    @Slot()
    def _on_came(self) -> None:
        self._turn()
        self.viewport().update()

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        self._ask()
        if value:
            self.shelf.find_rest()
        self.hover_again()
        self.viewport().update()

    @Slot()
    def _on_chosen(self) -> None:
        self._chosen = frozenset(self.shelf.chosen)
        self._find_current()
        self.viewport().update()

    def _find_current(self) -> None:
        """Let the keys be at the shape that is looked at, whoever chose it."""
        ids, sought = self.shelf.found.ids, self.shelf.current
        if sought < 0 or (0 <= self.current < len(ids) and ids[self.current] == sought):
            return
        where = (ids == sought).nonzero()[0]
        self.current = self.anchor = int(where[0]) if len(where) else -1

    def show_cell(self, index: int) -> None:
        """Scroll until a cell is seen."""
        if not 0 <= index < self.tiles.count:
            return
        box, bar = self.tiles.box(index), self.verticalScrollBar()
        if box.top() - self.tiles.gap < bar.value():
            bar.setValue(int(box.top()) - self.tiles.gap)
        elif box.bottom() + self.tiles.gap > bar.value() + self.viewport().height():
            bar.setValue(int(box.bottom()) + self.tiles.gap - self.viewport().height())
        self.viewport().update()

    # The pointer

    def index_of(self, place: QPointF) -> int:
        """The cell at a place of the view, -1 for none."""
        return self.tiles.at(place, self.scroll)

    def hover_again(self) -> None:
        """Look what is under the pointer."""
        inside = self.viewport().underMouse()
        hovered = self.index_of(self._pointer) if inside else -1
        if hovered != self._hovered:
            self._hovered = hovered
            self.viewport().setToolTip(self._tip(hovered))
            self._turn()
            self.viewport().update()
        if self.shelf.hovered >= 0:
            self.point()

    def point(self) -> None:
        """Let the shape under the pointer be looked at; keys look at another until it moves."""
        inside = 0 <= self._hovered < len(self.shelf.found)
        self.shelf.hover(int(self.shelf.found.ids[self._hovered]) if inside else -1)

    def _turn(self) -> None:
        """Have the shape under the pointer drawn from all round."""
        self.spins.ask(self._asset(self._hovered))

    def _asset(self, index: int) -> Asset | None:
        if not 0 <= index < len(self.shelf.found):
            return None
        return self.shelf.asset(int(self.shelf.found.ids[index]))

    def _tip(self, index: int) -> str:
        asset = self._asset(index)
        if asset is None:
            return ""
        lines = [title_of(asset), asset.caption, badge_of(asset), asset.licence, str(asset.path)]
        return tip("\n".join(dict.fromkeys(filter(None, lines))))

    # Painting

    def state_of(self, index: int) -> CellState:
        """How a cell stands."""
        found = self.shelf.found
        share = None
        if found.ranked:
            reach = float(found.scores[0]) - self._floor
            above = float(found.scores[index]) - self._floor
            share = above / reach if reach > 0.0 else 1.0
        hovered = index == self._hovered
        asset = self._asset(index)
        turns = hovered and asset is not None and bool(self.spins.of(asset))
        return CellState(
            chosen=int(found.ids[index]) in self._chosen,
            current=index == self.current,
            hovered=hovered,
            focused=self.hasFocus(),
            score=share,
            view=int(found.best_views[index]) + 1 if index < len(found.best_views) else 0,
            copies=int(found.copies[index]),
            turn=self._turned() if turns else -1.0,
        )

    def _turned(self) -> float:
        """How far the pointer has gone across the cell under it, 0..1."""
        box = picture_box(self.tiles.box(self._hovered, self.scroll))
        return min(max((self._pointer.x() - box.left()) / max(box.width(), 1.0), 0.0), 0.999)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The cells that are seen, or an invitation."""
        tokens = self.session.theme.tokens
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(event.rect(), tokens.color("ground"))
        if not self.tiles.count:
            paint_empty(painter, QRectF(self.viewport().rect()), tokens, self.shelf)
            painter.end()
            return
        asked = QRectF(event.rect())
        for index in self.seen():
            box = self.tiles.box(index, self.scroll)
            if not box.intersects(asked):
                continue
            asset = self._asset(index)
            state = self.state_of(index)
            pixmap = None if asset is None else self.shelf.thumbs.pixmap(asset.id)
            if state.turn >= 0.0 and asset is not None:
                turns = self.spins.of(asset)
                pixmap = turns[int(state.turn * len(turns))]
            paint_cell(painter, box, tokens, asset, pixmap, state)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the rows anew; what was at the top stays there."""
        first = next(iter(self.seen()), 0) if self.tiles.count else 0
        super().resizeEvent(event)
        self._arrange()
        if first:
            self.verticalScrollBar().setValue(int(self.tiles.box(first).top()) - self.tiles.gap)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which cell has the keys."""
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show it no more."""
        self.viewport().update()
