"""The grid of shapes as a person uses it: keys, pointer, drags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QDrag
from PySide6.QtWidgets import QApplication, QPushButton

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.workspaces.shapes.cell import picture_box
from polyorama_studio.workspaces.shapes.mime import folders_in, mime_of
from polyorama_studio.workspaces.shapes.tile_view import TileView

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QDragEnterEvent,
        QDragMoveEvent,
        QDropEvent,
        QKeyEvent,
        QMouseEvent,
        QResizeEvent,
        QWheelEvent,
    )
    from PySide6.QtWidgets import QWidget

    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Grid"]

_SHIFT, _CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
_NOTCH = 1.1


@guards
class Grid(TileView):
    """Chooses, places and drags what was found.

    Parameters
    ----------
    session, shelf
        See there.
    """

    placed = Signal()
    """The chosen shapes are to be placed in the scene."""
    menu_asked = Signal(QPoint)
    folder_asked = Signal()
    """A folder is to be chosen and watched."""
    folders_dropped = Signal(list)
    """Folders, as paths, are to be watched."""

    def __init__(self, session: Session, shelf: Shelf, parent: QWidget | None = None) -> None:
        super().__init__(session, shelf, parent)
        self.setObjectName("shapesGrid")
        self.setAccessibleName(self.tr("Shapes that were found"))
        self.setAcceptDrops(True)
        self.invite = QPushButton(self.tr("Add a folder..."), self.viewport())
        self.invite.setProperty("primary", "true")
        self.invite.clicked.connect(self.folder_asked)
        shelf.overview_changed.connect(self._show_invite)
        shelf.found_changed.connect(self._show_invite)
        self._show_invite()
        self._press: QPointF | None = None
        self._pending = -1
        """A chosen cell that was pressed: it alone is chosen if no drag comes of it."""
        self._all = False
        """Whether all are to be chosen once they are there."""

    # The empty library

    @Slot()
    def _show_invite(self) -> None:
        shelf = self.shelf
        self.invite.setVisible(shelf.ready and not shelf.error and not shelf.overview.folders)
        self._place_invite()

    def _place_invite(self) -> None:
        size, middle = self.invite.sizeHint(), self.viewport().rect().center()
        top = middle.y() + Metrics.mark + Metrics.space[4]
        self.invite.setGeometry(middle.x() - size.width() // 2, top, size.width(), size.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The invitation stays in the middle."""
        super().resizeEvent(event)
        self._place_invite()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Folders can be dropped."""
        if folders_in(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Anywhere."""
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Watch them."""
        event.acceptProposedAction()
        self.folders_dropped.emit(folders_in(event.mimeData()))

    # Choosing

    def _choose(self, index: int, keys: Qt.KeyboardModifier) -> None:
        """Choose a cell, as the keys held say."""
        ids = self.shelf.found.ids
        if keys & _SHIFT and self.anchor >= 0:
            low, high = sorted((self.anchor, index))
            span = ids[low : high + 1].tolist()
            kept = [] if not keys & _CTRL else [i for i in self.shelf.chosen if i not in span]
            if self.anchor > index:
                span.reverse()
            chosen = [*kept, *span]
        elif keys & _CTRL:
            asset_id = int(ids[index])
            chosen = [i for i in self.shelf.chosen if i != asset_id]
            if len(chosen) == len(self.shelf.chosen):
                chosen.append(asset_id)
            self.anchor = index
        else:
            chosen, self.anchor = [int(ids[index])], index
        anchor = self.anchor
        self.shelf.choose(chosen)
        self.current, self.anchor = index, anchor
        self.show_cell(index)

    def choose_all(self) -> None:
        """Choose all that was found, as soon as all of it is there."""
        ids = self.shelf.found.ids.tolist()
        self._all = not self.shelf.found.complete
        if self._all:
            self.shelf.find_rest()
        elif ids:
            current = self.shelf.current
            if current in ids:
                ids.remove(current)
                ids.append(current)
            self.shelf.choose(ids)

    @Slot()
    def _on_found(self) -> None:
        super()._on_found()
        if self._all:
            self._all = False
            if not self.shelf.fresh:
                self.choose_all()

    # The pointer

    def viewportEvent(self, event: QEvent) -> bool:
        """Leaving takes the hover away."""
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Enter):
            self.hover_again()
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose, or make ready to drag."""
        if event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
            return
        index = self.index_of(event.position())
        self._pending = -1
        if index < 0:
            self._press = None
            if not event.modifiers():
                self.shelf.choose(())
            return
        chosen = int(self.shelf.found.ids[index]) in self._chosen
        plain = not event.modifiers() & (_SHIFT | _CTRL)
        if chosen and plain:
            self._pending = index if event.button() == Qt.MouseButton.LeftButton else -1
        else:
            self._choose(index, event.modifiers())
        if event.button() == Qt.MouseButton.LeftButton:
            self._press = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Turn what is pointed at, or begin a drag."""
        self._pointer = event.position()
        if self._press is not None and event.buttons() & Qt.MouseButton.LeftButton:
            away = (event.position() - self._press).manhattanLength()
            if away >= QApplication.startDragDistance():
                self._press = None
                self._drag()
            return
        self.hover_again()
        self.point()
        if self._hovered >= 0:
            self.viewport().update(self.tiles.box(self._hovered, self.scroll).toAlignedRect())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A press on what was chosen that was no drag chooses it alone."""
        self._press = None
        if self._pending >= 0:
            self._choose(self._pending, event.modifiers())
            self._pending = -1

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Place it."""
        if self.index_of(event.position()) >= 0:
            self.placed.emit()

    def _drag(self) -> None:
        assets = self.shelf.assets
        if not assets or not self.shelf.can_take():
            return
        drag = QDrag(self)
        drag.setMimeData(mime_of(assets))
        pixmap = self.shelf.thumbs.pixmap(assets[-1].id)
        if pixmap is not None:
            side = Metrics.mark
            small = pixmap.scaled(
                side, side, Qt.AspectRatioMode.KeepAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )  # fmt: skip
            drag.setPixmap(small)
            drag.setHotSpot(small.rect().center())
        self._pending = -1
        drag.exec(Qt.DropAction.CopyAction)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with what is chosen."""
        if self.shelf.chosen:
            place = event.globalPos()
            if event.reason() == QContextMenuEvent.Reason.Keyboard and self.current >= 0:
                box = picture_box(self.tiles.box(self.current, self.scroll))
                place = self.viewport().mapToGlobal(box.center().toPoint())
            self.menu_asked.emit(place)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl, larger or smaller pictures."""
        if event.modifiers() & _CTRL:
            step = event.angleDelta().y() / 120.0
            self.set_side(round(self.side * _NOTCH**step))
            event.accept()
        else:
            super().wheelEvent(event)

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows and their kin move, Enter places, Ctrl+A chooses all, Escape nothing."""
        keys, count = Qt.Key, self.tiles.count
        key = keys(event.key())
        rows = max(1, int(self.viewport().height() // max(self.tiles.pitch, 1.0)))
        steps = {
            keys.Key_Left: -1, keys.Key_Right: 1,
            keys.Key_Up: -self.tiles.columns, keys.Key_Down: self.tiles.columns,
            keys.Key_PageUp: -rows * self.tiles.columns,
            keys.Key_PageDown: rows * self.tiles.columns,
            keys.Key_Home: -count, keys.Key_End: count,
        }  # fmt: skip
        if key in steps and count:
            self.shelf.hover(-1)
            self._choose(self._moved(steps[key]), event.modifiers() & _SHIFT)
        elif key in (keys.Key_Return, keys.Key_Enter) and self.shelf.chosen:
            self.placed.emit()
        elif key == keys.Key_A and event.modifiers() == _CTRL:
            self.choose_all()
        elif key == keys.Key_Space and self.current >= 0:
            self._choose(self.current, _CTRL)
        elif key == keys.Key_Escape and self.shelf.chosen:
            self.shelf.choose(())
        else:
            super().keyPressEvent(event)

    def _moved(self, step: int) -> int:
        count, columns = self.tiles.count, self.tiles.columns
        if self.current < 0:
            return count - 1 if step == count else 0
        there = self.current + step
        if abs(step) in (1, count) or 0 <= there < count:
            return min(max(there, 0), count - 1)
        # Up and down stay in their column as far as there are cells.
        column = self.current % columns
        if there < 0:
            return column
        last = (self.tiles.rows - 1) * columns + column
        return last if last < count else max(self.current, count - 1)
