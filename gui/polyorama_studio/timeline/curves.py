"""The curve editor: values over time, with points and handles that are dragged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics
from polyorama_studio.timeline import menus
from polyorama_studio.timeline.curve_grips import (
    CurveBandGrip,
    CurvePanGrip,
    HandleGrip,
    PointsGrip,
)
from polyorama_studio.timeline.curve_painter import CurvePainter
from polyorama_studio.timeline.curve_set import Curve, CurveSet
from polyorama_studio.timeline.ruler import holds_on, steer, zoom_of
from polyorama_studio.timeline.sheet_painter import paint_focus
from polyorama_studio.timeline.still import Still
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QContextMenuEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QWheelEvent,
    )

    from polyorama_studio.timeline.edits import KeyEdits
    from polyorama_studio.timeline.grips import Grip

__all__ = ["Curves"]

_LEFT, _MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
_SHIFT, _CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
_ALT = Qt.KeyboardModifier.AltModifier


@guards
class Curves(QWidget):
    """Curves of the chosen tracks, each component by itself."""

    scrolled = Signal()

    def __init__(self, edits: KeyEdits, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edits, self._state = edits, edits.state
        self.set = CurveSet(self._state)
        self._painter = CurvePainter(self._state, self.set)
        self._still = Still()
        self._grip: Grip | None = None
        self._framed: tuple[str, ...] = ()
        self.offset = 0
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Curves"))
        self.setAccessibleDescription(self.tr("Values of the chosen tracks over time"))
        session = self._state.session
        self._state.changed.connect(self._on_changed)
        self._state.axis.changed.connect(self.repaint_all)
        self.set.values.changed.connect(self.repaint_all)
        session.playback.time_changed.connect(self._on_time)
        session.playback.range_changed.connect(self.repaint_all)
        session.theme.changed.connect(self.repaint_all)

    @Slot()
    def _on_changed(self) -> None:
        if self.isVisible():
            self._frame_others()
        self.scroll_to(self.offset)

    def _frame_others(self) -> None:
        """Other curves than before come into sight."""
        paths = self.set.paths()
        if paths != self._framed and not self._state.dragging and self._grip is None:
            self._framed = paths
            self.set.frame()

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        self.update()

    @property
    def content(self) -> int:
        """Pixels that the list takes."""
        return len(self.set.all()) * Metrics.timeline_row + Metrics.space[0]

    def scroll_to(self, offset: int) -> None:
        """Scroll the list."""
        self.offset = min(max(offset, 0), max(self.content - self.height(), 0))
        self.scrolled.emit()
        self.repaint_all()

    def frame(self, *, chosen: bool = False) -> None:
        """Show all curves, or the chosen keys."""
        if not chosen:
            self._state.axis.fit()
        self.set.frame(chosen=chosen)

    @Slot()
    def repaint_all(self) -> None:
        """Something else than the time has changed."""
        self._still.forget()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """All of it."""
        size = QRectF(self.rect())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._still.paint(painter, self, partial(self._paint_still, size))
        self._painter.paint_moving(painter, size, self._grip, self.offset)
        if self.hasFocus():
            paint_focus(painter, size, self._state.session.theme.tokens.color("accent"))
        painter.end()

    def _paint_still(self, size: QRectF, painter: QPainter) -> None:
        self._painter.paint(painter, size, self.offset)

    def showEvent(self, event: QEvent) -> None:
        """Frame what was chosen meanwhile."""
        self._frame_others()

    # The pointer

    def _entry_at(self, at: QPointF) -> Curve | None:
        every = self.set.all()
        number = int((at.y() + self.offset) // Metrics.timeline_row)
        return every[number] if 0 <= number < len(every) else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of points, a handle, a band or the axes; in the list, show or hide."""
        if self._grip is not None:
            if holds_on(event):
                return
            self._grip.give_up()  # its release went elsewhere
        at = event.position()
        if event.button() == _MIDDLE:
            self._grip = CurvePanGrip(self._edits, at, self.set)
            return
        if event.button() != _LEFT or self._state.document is None:
            return
        if at.x() < self._state.axis.left:
            curve = self._entry_at(at)
            if curve is not None:
                self.set.toggle(curve, alone=bool(event.modifiers() & _ALT))
            return
        handle, point = self.set.handle_at(at), self.set.point_at(at)
        adding = bool(event.modifiers() & _SHIFT)
        if handle is not None and point is None:
            self._grip = HandleGrip(self._edits, at, self.set, handle)
        elif point is not None:
            self._press_point(*point, at, adding)
        else:
            self._grip = CurveBandGrip(self._edits, at, self.set, adding=adding)

    def _press_point(self, curve: Curve, number: int, at: QPointF, adding: bool) -> None:
        time, value = float(curve.times[number]), float(curve.values[number])
        mine = {curve.path: {time: {curve.component}}}
        chosen = bool(self.set.is_chosen(curve)[number])
        if adding:
            choice, components = dict(self._state.choice), dict(self.set.components)
            times = choice.get(curve.path, frozenset())
            known = components.get(curve.path, frozenset()) if times else frozenset()
            components[curve.path] = known | {curve.component}
            choice[curve.path] = times - {time} if chosen else times | {time}
            self.set.components = components
            self._state.choose(choice)
            if chosen:
                return
        elif not chosen:
            self.set.choose(mine)
        alone = mine if chosen and not adding else None
        self._grip = PointsGrip(self._edits, at, self.set, time, value, alone)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with what is held."""
        if self._grip is not None:
            self._grip.move(event.position(), event.modifiers())
            self.repaint_all()
            return
        at = event.position()
        over = at.x() >= self._state.axis.left and (
            self.set.point_at(at) is not None or self.set.handle_at(at) is not None
        )
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go: the edit is made."""
        if holds_on(event):
            return
        grip, self._grip = self._grip, None
        if grip is not None:
            grip.let_go()
            self.repaint_all()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Key a curve where there is no key."""
        at = event.position()
        if event.button() != _LEFT or at.x() < self._state.axis.left:
            return
        curve = self.set.curve_at(at)
        if curve is not None and self.set.point_at(at) is None:
            seconds = self._state.snapped(self._state.axis.seconds(at.x()), without=(curve.path,))
            self._edits.key(curve.path, seconds)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom time at the pointer; with Ctrl, or over the list's edge, zoom values."""
        at = event.position()
        if at.x() < self._state.axis.left:
            self.scroll_to(self.offset - round(event.angleDelta().y() / 4))
        elif event.modifiers() & _CTRL or at.x() < self._state.axis.left + Metrics.value_axis:
            self.set.values.zoom(zoom_of(event.angleDelta().y()), at.y())
        else:
            steer(self._state.axis, event)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with the chosen keys, and with the curve."""
        at = QPointF(event.pos())
        point = self.set.point_at(at)
        if point is not None and not self.set.is_chosen(point[0])[point[1]]:
            curve, number = point
            self.set.choose({curve.path: {float(curve.times[number]): {curve.component}}})
        curve = self.set.curve_at(at) if point is None else point[0]
        rows = {row.id: row for row in self._state.rows}
        row = None if curve is None else rows.get(curve.path)
        seconds = self._state.snapped(self._state.axis.seconds(at.x()))
        menus.keys_menu(self._edits, self, row, seconds, handles=True).popup(event.globalPos())

    @Slot(QAction)
    def on_menu(self, action: QAction) -> None:
        """An entry of the menu was chosen."""
        verb, *rest = action.data()
        if verb == "frame":
            self.frame(chosen=rest[0])
        else:
            menus.act(self._edits, action.data())

    # The keyboard

    def event(self, event: QEvent) -> bool:
        """Keys of the curves come before shortcuts of the window; tooltips name a curve."""
        if event.type() == QEvent.Type.ShortcutOverride and menus.wanted(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.ToolTip:
            text = self._tip(QPointF(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), tip(text), self)
            else:
                QToolTip.hideText()
                event.ignore()
            return True
        return super().event(event)

    def _tip(self, at: QPointF) -> str:
        if at.x() < self._state.axis.left:
            curve = self._entry_at(at)
            if curve is None:
                return ""
            return self.tr("{0}, {1}\nClick shows or hides it, Alt+click hides the others").format(
                curve.owner, curve.title
            )
        point = self.set.point_at(at)
        if point is None:
            return ""
        curve, number = point
        return self.tr("{0}, {1}\n{2} at {3} s").format(
            curve.owner, curve.title, f"{curve.values[number]:.4g}", f"{curve.times[number]:.3f}"
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Frame, remove, copy, paste, nudge; Escape gives a drag up."""
        if event.key() == Qt.Key.Key_Escape and self._grip is not None:
            grip, self._grip = self._grip, None
            grip.give_up()
            self.repaint_all()
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_F):
            self.frame(chosen=event.key() == Qt.Key.Key_F and bool(self._state.choice))
        elif not menus.press(self._edits, event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QEvent) -> None:
        """The ring comes."""
        self.update()

    def focusOutEvent(self, event: QEvent) -> None:
        """The ring goes."""
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The axis of values is as high as the plot; the ruler gives that of time its width."""
        self.set.values.set_height(float(self.height()))
        self.scroll_to(self.offset)
