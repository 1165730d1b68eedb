"""Drags of shapes: the Scene's tab opens under them, and the picture shows where they land."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.overlays import paint_halo_text
from polyorama_studio.workspaces.shapes.mime import dragged_in
from polyorama_studio.workspaces.shapes.placing import place_at, place_shapes

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from polyorama_studio.viewport.viewport import Viewport
    from polyorama_studio.window import Window

__all__ = ["Landing"]

_OPEN_MS = 350
"""So long one rests on the tab before the scene opens."""
_ALT = Qt.KeyboardModifier.AltModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier


@guards
class _Mark(QWidget):
    """A flat ring where the shape would stand, and what would happen to it."""

    def __init__(self, viewport: Viewport) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self.session = viewport.session
        self.at = QPointF()
        self.words = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def point(self, at: QPointF, words: str) -> None:
        """Show it at a position."""
        self.at, self.words = at, words
        self.setGeometry(self._viewport.rect())
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ring, dot, words."""
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide = self.height() / 8.0
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for color, width in (("halo", 2.0 * Metrics.hair), ("accent", 1.5)):
            painter.setPen(QPen(tokens.color(color), width))
            painter.drawEllipse(self.at, wide, wide / 2.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.color("accent"))
        painter.drawEllipse(self.at, Metrics.hair, Metrics.hair)
        top = self.at.y() + wide / 2.5 + Metrics.space[0]
        band = QRectF(self.at.x() - self.width(), top, 2.0 * self.width(), Metrics.row)
        paint_halo_text(
            painter, band, self.words, Metrics.body, tokens.color("text"), tokens.color("stage")
        )
        painter.end()


@guards
class Landing(QObject):
    """Takes drops of shapes on the scene's picture in the place of the viewport.

    Parameters
    ----------
    window
        Has the tabs and the picture.
    """

    def __init__(self, window: Window, parent: QObject) -> None:
        super().__init__(parent)
        self.session = window.session
        self._window = window
        self._mark = _Mark(window.viewport)
        self._tab = window.workspaces.tabs[0]
        self._tab.setAcceptDrops(True)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_OPEN_MS)
        self._timer.timeout.connect(self._open_scene)
        for watched in (self._tab, window.viewport):
            watched.installEventFilter(self)

    @Slot()
    def _open_scene(self) -> None:
        self._window.workspaces.show_workspace("scene")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Drags of shapes; everything else goes its way."""
        if isinstance(event, QDragEnterEvent | QDragMoveEvent | QDropEvent):
            if not dragged_in(event.mimeData()):
                return False
            return self._on_tab(event) if watched is self._tab else self._on_picture(event)
        if event.type() == QEvent.Type.DragLeave:
            self._timer.stop()
            if self._mark.isVisible():
                self._mark.hide()
                return True
        return False

    def _on_tab(self, event: QDropEvent) -> bool:
        event.acceptProposedAction()
        if isinstance(event, QDragEnterEvent):
            self._timer.start()
        elif not isinstance(event, QDragMoveEvent):
            self._timer.stop()
            self._open_scene()
        return True

    def _on_picture(self, event: QDropEvent) -> bool:
        event.acceptProposedAction()
        keys = event.modifiers()
        if isinstance(event, QDragMoveEvent):  # which entering is, too
            self._mark.point(event.position(), self._words(keys))
            return True
        self._mark.hide()
        viewport = self._window.viewport
        paths = [thing.path for thing in dragged_in(event.mimeData())]
        place = None
        if self.session.editing.document is not None:
            place = place_at(viewport, event.position(), own_size=bool(keys & _ALT))
        place_shapes(self.session, paths, place, linked=bool(keys & _SHIFT))
        return True

    def _words(self, keys: Qt.KeyboardModifier) -> str:
        size = self.tr("at its own size") if keys & _ALT else self.tr("sized to fit, Alt keeps it")
        link = self.tr("linked") if keys & _SHIFT else self.tr("Shift links")
        return f"{size}, {link}"
