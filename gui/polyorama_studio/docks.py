"""The docks: which panels there are, where they stand, and how layouts are kept."""

from __future__ import annotations

import base64
import importlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QPoint, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QBoxLayout,
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QToolButton,
    QVBoxLayout,
)

from polyorama_studio.dock_titles import DockTitle, Tab
from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics
from polyorama_studio.words import translated

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent
    from PySide6.QtWidgets import QWidget

    from polyorama_studio.session import Session

__all__ = ["DOCKS", "Dock", "DockHost", "EdgeStrip"]

_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
_SIZES = {
    "left": (Metrics.dock_left, Qt.Orientation.Horizontal),
    "right": (Metrics.dock_right, Qt.Orientation.Horizontal),
    "bottom": (Metrics.dock_bottom, Qt.Orientation.Vertical),
}
_SMALL = 0.8
"""Of that size; a panel that has less, when it is asked for, gets it."""
_LAYOUT_VERSION = 2


@dataclass(frozen=True, slots=True)
class Dock:
    """One panel.

    Parameters
    ----------
    id
        Stable name, under which layouts know it.
    title
        Sentence case.
    icon
        Name of an icon.
    panel
        ``"module:Class"`` of a QWidget that is made with the session and a parent, once it is
        first shown.
    area
        ``"left"``, ``"right"`` or ``"bottom"``.
    shown
        Whether it is there before a person has arranged anything.
    bare
        Whether it has no title bar while it is docked, and a place of its own: it says itself what
        it is.
    """

    id: str
    title: str
    icon: str
    panel: str
    area: str
    shown: bool = True
    bare: bool = False


DOCKS: tuple[Dock, ...] = (
    Dock(
        "outliner", "Outliner", "outliner", "polyorama_studio.panels.outliner:OutlinerPanel",
        "left",
    ),
    Dock(
        "inspector", "Inspector", "inspector",
        "polyorama_studio.panels.inspector:InspectorPanel", "right",
    ),
    Dock(
        "modifiers", "Modifiers", "modifiers",
        "polyorama_studio.panels.modifiers:ModifiersPanel", "right",
    ),
    Dock(
        "history", "History", "history", "polyorama_studio.panels.history:HistoryPanel", "right",
        shown=False,
    ),
    Dock(
        "histogram", "Histogram", "histogram",
        "polyorama_studio.panels.histogram:HistogramPanel", "right", shown=False,
    ),
    Dock(
        "clean-up", "Clean-up", "clean-up", "polyorama_studio.panels.cleanup:CleanUpPanel",
        "right", shown=False,
    ),
    Dock(
        "jobs", "Jobs", "jobs", "polyorama_studio.panels.jobs:JobsPanel", "right", shown=False,
    ),
    Dock(
        "timeline", "Timeline", "timeline", "polyorama_studio.timeline.panel:TimelinePanel",
        "bottom", bare=True,
    ),
    Dock(
        "console", "Console", "terminal", "polyorama_studio.panels.console:ConsolePanel",
        "bottom", shown=False,
    ),
    Dock(
        "messages", "Messages", "messages", "polyorama_studio.panels.messages:MessagesPanel",
        "bottom", shown=False,
    ),
)  # fmt: skip
"""Every panel; of those that share a place, the first one is in front."""


class _DockWidget(QDockWidget):
    """A dock whose panel is made when it is first seen."""

    def __init__(self, dock: Dock, session: Session, parent: QWidget) -> None:
        super().__init__(translated(dock.title), parent)
        self.setObjectName(dock.id)
        self.dock = dock
        self._session = session
        self.panel: QWidget | None = None
        self.title = DockTitle(session, self.tab(), self)
        self._nothing = QFrame(self)
        self._nothing.setFixedHeight(0)
        self.setTitleBarWidget(self.title)
        self.visibilityChanged.connect(self._on_visible)

    def tab(self) -> Tab:
        """What stands for it in title bars."""
        return Tab(self.dock.id, self.windowTitle(), self.dock.icon)

    @property
    def open(self) -> bool:
        """Whether it is there, be it behind another one."""
        return not self.isHidden()

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        if visible:
            self.make()

    def make(self) -> QWidget:
        """The panel; made now if it was not."""
        if self.panel is None:
            module, _, name = self.dock.panel.partition(":")
            self.panel = getattr(importlib.import_module(module), name)(self._session, self)
            # Without it the style sheet's ground is not painted below what a panel leaves free.
            self.panel.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
            self.setWidget(self.panel)
        return self.panel

    def show_tabs(self, tabs: list[Tab], area: str) -> None:
        """Say in the title bar which panels share the place."""
        alone = self.dock.bare and len(tabs) == 1 and not self.isFloating()
        bar = self._nothing if alone else self.title
        if self.titleBarWidget() is not bar:
            self.setTitleBarWidget(bar)
            (self.title if alone else self._nothing).hide()
            bar.show()
        self.title.show_tabs(tabs, area, floating=self.isFloating())


@guards
class DockHost(QMainWindow):
    """The viewport with the docks round it."""

    arranged = Signal()
    """A dock was shown, hidden, moved, folded or brought to the front."""

    def __init__(self, session: Session, center: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.GroupedDragging
        )
        self.setDockNestingEnabled(True)
        self.setCentralWidget(center)
        self._session = session
        self.docks: dict[str, _DockWidget] = {}
        self.folded: dict[str, tuple[str, ...]] = {}
        """Of areas that are folded to icons, the docks that come back."""
        self._raised: _DockWidget | None = None
        self._hidden: bytes | None = None
        self._sized = False
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(0)
        self._settle.timeout.connect(self._on_settled)
        for dock in DOCKS:
            self.docks[dock.id] = self._made(dock)
        self.reset()

    def _made(self, dock: Dock) -> _DockWidget:
        widget = _DockWidget(dock, self._session, self)
        self.addDockWidget(_AREAS[dock.area], widget)
        widget.visibilityChanged.connect(self._on_arranged)
        widget.topLevelChanged.connect(self._on_arranged)
        widget.dockLocationChanged.connect(self._on_arranged)
        title = widget.title
        title.chosen.connect(self.raise_dock)
        title.menu_asked.connect(self._show_menu)
        title.fold_asked.connect(self._fold_sender)
        title.float_asked.connect(self._float_sender)
        return widget

    # Asking

    def panel(self, dock_id: str) -> QWidget:
        """The panel of a dock, made if it was not."""
        return self.docks[dock_id].make()

    def area(self, dock_id: str) -> str:
        """Where a dock stands."""
        area = self.dockWidgetArea(self.docks[dock_id])
        return next((name for name, known in _AREAS.items() if known == area), "right")

    def is_shown(self, dock_id: str) -> bool:
        """Whether a panel can be seen: it is open, in front, and not folded."""
        dock = self.docks[dock_id]
        return dock.open and not dock.visibleRegion().isEmpty()

    def _sharing(self, widget: _DockWidget) -> list[_DockWidget]:
        """The open docks of a widget's place, itself among them, as they stand in the table."""
        group = {id(other) for other in self.tabifiedDockWidgets(widget)}
        if widget.isFloating():
            group = set()
        return [w for w in self.docks.values() if w is widget or (id(w) in group and w.open)]

    # Doing

    def toggle(self, dock_id: str) -> None:
        """Show a dock and bring it to the front, or hide it where it is in front."""
        if self.is_shown(dock_id):
            self.docks[dock_id].hide()
            self._arrange()
        else:
            self.raise_dock(dock_id)

    @Slot(str)
    def raise_dock(self, dock_id: str) -> None:
        """Show a dock and bring it to the front."""
        area = self.area(dock_id)
        if area in self.folded:
            self.unfold(area)
        dock = self.docks[dock_id]
        dock.make()
        dock.show()
        dock.raise_()
        self._raised = dock
        self._arrange()

    def _widen(self, dock: _DockWidget) -> None:
        """Give an area that is too small for a panel the size of its first start."""
        wanted, way = _SIZES[self.area(dock.dock.id)]
        size = dock.height() if way == Qt.Orientation.Vertical else dock.width()
        if not dock.dock.bare and not dock.isFloating() and size < _SMALL * wanted:
            self.resizeDocks([dock], [wanted], way)

    def fold(self, area: str) -> None:
        """Leave icons of an area's docks."""
        docks = [
            w for w in self.docks.values()
            if w.open and not w.isFloating() and self.area(w.dock.id) == area
        ]  # fmt: skip
        if docks and area not in self.folded:
            # The one in front first: it comes back in front.
            docks.sort(key=_behind)
            self.folded[area] = tuple(dock.dock.id for dock in docks)
            for dock in docks:
                dock.hide()
            self._arrange()

    def unfold(self, area: str) -> None:
        """Bring back the docks of an area."""
        ids = self.folded.pop(area, ())
        for dock_id in ids:
            self.docks[dock_id].show()
        if ids:
            self.docks[ids[0]].raise_()
        self._arrange()

    def set_all_hidden(self, hidden: bool) -> None:
        """Hide every dock, or bring back those that were there."""
        if hidden and self._hidden is None:
            self._hidden = self.layout_state()
            self.folded = {}
            for dock in self.docks.values():
                dock.hide()
        elif not hidden and self._hidden is not None:
            state, self._hidden = self._hidden, None
            self.restore_layout(state)
        self._arrange()

    # Layouts

    def layout_state(self) -> bytes:
        """How the docks stand, to be kept."""
        if self._hidden is not None:
            return self._hidden
        state = base64.b64encode(self.saveState(_LAYOUT_VERSION).data()).decode()
        return json.dumps({"state": state, "folded": self.folded}).encode()

    def restore_layout(self, data: bytes) -> bool:
        """Arrange the docks as they stood; False where the data is of no use."""
        try:
            root = json.loads(data)
            state = base64.b64decode(root["state"])
            folded = {area: tuple(ids) for area, ids in root["folded"].items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            return False
        if not self.restoreState(QByteArray(state), _LAYOUT_VERSION):
            return False
        self._sized = True
        self.folded = {
            area: tuple(i for i in ids if i in self.docks)
            for area, ids in folded.items()
            if area in _AREAS and any(i in self.docks for i in ids)
        }
        self._arrange()
        return True

    def reset(self) -> None:
        """The arrangement of the first start."""
        self._hidden = None
        self.folded = {}
        for area in _AREAS:
            docks = [w for w in self.docks.values() if w.dock.area == area]
            docks.sort(key=_is_bare)
            for dock in docks:
                dock.setFloating(False)
                self.removeDockWidget(dock)
            tabbed = [dock for dock in docks if not dock.dock.bare]
            for dock in docks:
                if dock.dock.bare or dock is tabbed[0]:
                    # Strips lie below the others, which they would keep as low as themselves.
                    self.addDockWidget(_AREAS[area], dock, Qt.Orientation.Vertical)
            for dock in tabbed[1:]:
                self.tabifyDockWidget(tabbed[0], dock)
            for dock in docks:
                dock.setVisible(dock.dock.shown)
            front = next((dock for dock in docks if dock.dock.shown), None)
            if front is not None:
                front.raise_()
        self._sized = False
        if self.isVisible():
            self._size()
        self._arrange()

    def _size(self) -> None:
        self._sized = True
        for area, (length, way) in _SIZES.items():
            docks = [w for w in self.docks.values() if w.open and w.dock.area == area]
            if docks:
                self.resizeDocks(docks, [length] * len(docks), way)

    def showEvent(self, event: QShowEvent) -> None:
        """Give the docks their sizes once there is a window to share."""
        super().showEvent(event)
        if not self._sized:
            self._size()
        self._arrange()

    # What happened

    @Slot()
    @Slot(bool)
    @Slot(Qt.DockWidgetArea)
    def _on_arranged(self, value: object = None) -> None:
        self._arrange()

    def _arrange(self) -> None:
        # Qt tells of one change in several steps; titles follow once it has done them all.
        self._settle.start()

    @Slot()
    def _on_settled(self) -> None:
        raised, self._raised = self._raised, None
        if raised is not None:
            self._widen(raised)
        for widget in self.docks.values():
            if widget.open:
                tabs = [other.tab() for other in self._sharing(widget)]
                widget.show_tabs(tabs, self.area(widget.dock.id))
        self.arranged.emit()

    def _of_sender(self) -> _DockWidget | None:
        sender = self.sender()
        return next((w for w in self.docks.values() if w.title is sender), None)

    @Slot()
    def _fold_sender(self) -> None:
        dock = self._of_sender()
        if dock is None:
            return
        if dock.isFloating():
            dock.hide()
            self._arrange()
        else:
            self.fold(self.area(dock.dock.id))

    @Slot()
    def _float_sender(self) -> None:
        dock = self._of_sender()
        if dock is not None:
            dock.setFloating(not dock.isFloating())

    @Slot(str, QPoint)
    def _show_menu(self, dock_id: str, position: QPoint) -> None:
        dock = self.docks[dock_id]
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        word = self.tr("Put back") if dock.isFloating() else self.tr("Float")
        menu.addAction(word).triggered.connect(_Call(dock.setFloating, not dock.isFloating()))
        menu.addAction(self.tr("Close")).triggered.connect(_Call(self._close, dock_id))
        menu.addSeparator()
        for other in self.docks.values():
            action = menu.addAction(other.windowTitle())
            action.setCheckable(True)
            action.setChecked(other.open)
            action.triggered.connect(_Call(self.toggle, other.dock.id))
        menu.popup(position)

    def _close(self, dock_id: str) -> None:
        self.docks[dock_id].hide()
        self._arrange()


class _Call:
    """A call with its arguments, whatever the signal says."""

    def __init__(self, function, *arguments) -> None:
        self._function = function
        self._arguments = arguments

    def __call__(self, *said: object) -> None:
        self._function(*self._arguments)


def _is_bare(dock: _DockWidget) -> bool:
    return dock.dock.bare


def _behind(dock: _DockWidget) -> bool:
    return dock.visibleRegion().isEmpty()


class EdgeStrip(QFrame):
    """The icons of an area that is folded; there only while it is."""

    def __init__(self, session: Session, host: DockHost, area: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("edgeStrip")
        self._session = session
        self._host = host
        self._area = area
        self._buttons: list[QToolButton] = []
        side, end = Metrics.hair, Metrics.space[0]
        self._column: QBoxLayout
        if area == "bottom":
            self.setFixedHeight(Metrics.edge_strip)
            self._column = QHBoxLayout(self)
            self._column.setContentsMargins(end, side, end, side)
        else:
            self.setFixedWidth(Metrics.edge_strip)
            self._column = QVBoxLayout(self)
            self._column.setContentsMargins(side, end, side, end)
        self._column.setSpacing(Metrics.hair)
        self._column.addStretch(1)
        host.arranged.connect(self.refresh)
        session.theme.changed.connect(self.refresh)
        self.hide()

    @Slot()
    def refresh(self) -> None:
        """Show an icon a folded dock."""
        for button in self._buttons:
            self._column.removeWidget(button)
            button.hide()
            button.deleteLater()
        ids = self._host.folded.get(self._area, ())
        known = [dock_id for dock_id in self._host.docks if dock_id in ids]
        self._buttons = [self._button(dock_id) for dock_id in known]
        for row, button in enumerate(self._buttons):
            self._column.insertWidget(row, button)
        self.setVisible(bool(known))

    def _button(self, dock_id: str) -> QToolButton:
        dock = self._host.docks[dock_id].dock
        button = QToolButton(self)
        button.setObjectName(dock_id)
        button.setIcon(icon(dock.icon, self._session.theme.tokens.color("text")))
        button.setIconSize(QSize(Metrics.icon, Metrics.icon))
        button.setToolTip(translated(dock.title))
        button.setAccessibleName(translated(dock.title))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self._choose)
        return button

    @Slot()
    def _choose(self) -> None:
        sender = self.sender()
        if sender is not None:
            self._host.raise_dock(sender.objectName())
