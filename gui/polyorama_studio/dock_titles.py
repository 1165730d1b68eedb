"""The title bars of docks: the panels that share a place as tabs, then fold and float."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QToolTip, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import icon, paint_icon
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QMouseEvent

    from polyorama_studio.session import Session

__all__ = ["DockTitle", "Tab"]


class Tab:
    """A panel in a title bar: its id, what it is called, its icon."""

    __slots__ = ("area", "icon", "id", "title")

    def __init__(self, dock_id: str, title: str, icon_name: str) -> None:
        self.id = dock_id
        self.title = title
        self.icon = icon_name
        self.area = QRectF()


@guards
class DockTitle(QWidget):
    """Paints the tabs; presses that it does not take are the dock's, which is dragged by them."""

    chosen = Signal(str)
    """Another tab was clicked."""
    menu_asked = Signal(str, QPoint)
    fold_asked = Signal()
    float_asked = Signal()

    def __init__(self, session: Session, own: Tab, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._own = own
        self._tabs: list[Tab] = [own]
        self._hot = ""
        self._area = "right"
        self._floating = False
        self.setMouseTracking(True)
        self.setFixedHeight(Metrics.dock_title)
        self.setAccessibleName(own.title)
        self._fold = self._button(self.fold_asked)
        self._float = self._button(self.float_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, Metrics.space[0], 0)
        row.setSpacing(0)
        row.addStretch(1)
        row.addWidget(self._fold)
        row.addWidget(self._float)
        session.theme.changed.connect(self.refresh)
        self.refresh()

    def _button(self, signal) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("dockButton")
        button.setIconSize(QSize(Metrics.small_icon, Metrics.small_icon))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(signal)
        return button

    def show_tabs(self, tabs: Sequence[Tab], area: str, *, floating: bool) -> None:
        """Say which panels share this place, and where it is."""
        self._tabs = [self._own if tab.id == self._own.id else tab for tab in tabs] or [self._own]
        self._area = area
        self._floating = floating
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Bring buttons and tabs up to date."""
        color = self._session.theme.tokens.color("quiet")
        self._fold.setIcon(icon("close" if self._floating else _FOLDS[self._area], color))
        self._fold.setToolTip(self.tr("Close") if self._floating else self.tr("Fold to icons"))
        self._float.setIcon(icon("dock" if self._floating else "float", color))
        self._float.setToolTip(self.tr("Put back") if self._floating else self.tr("Float"))
        for button in (self._fold, self._float):
            button.setAccessibleName(f"{button.toolTip()}, {self._own.title}")
        self._place()
        self.update()

    # Where the tabs are

    def _place(self) -> None:
        metrics = QFontMetrics(font(Metrics.title, medium=True))
        left, gap = float(Metrics.space[1]), float(Metrics.space[2])
        right = self.width() - Metrics.space[0] - 2 * Metrics.dock_button
        wide = [metrics.horizontalAdvance(tab.title) for tab in self._tabs]
        room = right - left - gap * (len(self._tabs) - 1)
        words = sum(wide) <= room
        for tab, width in zip(self._tabs, wide, strict=True):
            shown = width if words or tab.id == self._own.id else Metrics.icon
            if tab.id == self._own.id and not words:
                others = (len(self._tabs) - 1) * Metrics.icon
                shown = max(Metrics.icon, min(shown, int(room) - others))
            tab.area = QRectF(left, 0.0, shown, self.height())
            left += shown + gap
        self._words = words

    def resizeEvent(self, event) -> None:
        """Icons take the place of words where there is no room."""
        super().resizeEvent(event)
        self._place()

    def _at(self, position) -> Tab | None:
        half = Metrics.space[2] / 2.0
        for tab in self._tabs:
            if tab.area.adjusted(-half, 0.0, half, 0.0).contains(position):
                return tab
        return None

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """The tabs: the own one bright, and underlined where it is not alone."""
        tokens = self._session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), tokens.color("panel"))
        words = font(Metrics.title, medium=True)
        painter.setFont(words)
        metrics = QFontMetrics(words)
        for tab in self._tabs:
            own = tab.id == self._own.id
            color = tokens.color("text" if own or tab.id == self._hot else "quiet")
            if own or self._words:
                text = metrics.elidedText(
                    tab.title, Qt.TextElideMode.ElideRight, round(tab.area.width()) + 1
                )
                painter.setPen(color)
                painter.drawText(tab.area, Qt.AlignmentFlag.AlignVCenter, text)
            else:
                side = float(Metrics.icon)
                top = (self.height() - side) / 2.0
                paint_icon(painter, tab.icon, color, QRectF(tab.area.x(), top, side, side))
            if own and len(self._tabs) > 1:
                line = QRectF(tab.area.x(), self.height() - 2.0, tab.area.width(), 2.0)
                painter.fillRect(line, tokens.color("accent"))
        painter.end()

    # Input

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Bring another tab to the front; on the own one, the dock may be dragged."""
        tab = self._at(event.position())
        other = tab is not None and tab.id != self._own.id
        if event.button() == Qt.MouseButton.LeftButton and tab is not None and other:
            self.chosen.emit(tab.id)
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light up what a click would bring to the front."""
        tab = self._at(event.position())
        hot = "" if tab is None else tab.id
        if hot != self._hot:
            self._hot = hot
            self.update()
        event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is lit up any more."""
        self._hot = ""
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the tab under the pointer."""
        tab = self._at(event.pos().toPointF()) or self._own
        self.menu_asked.emit(tab.id, event.globalPos())

    def event(self, event: QEvent) -> bool:
        """Tooltips of tabs that are icons."""
        if event.type() == event.Type.ToolTip:
            help_event: QHelpEvent = event  # type: ignore[assignment]
            tab = self._at(help_event.pos().toPointF())
            if tab is not None:
                QToolTip.showText(help_event.globalPos(), tab.title, self)
                return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        """As narrow as its own title asks for."""
        return QSize(Metrics.dock_least, Metrics.dock_title)


_FOLDS = {"left": "fold-left", "right": "fold-right", "bottom": "fold-down"}
