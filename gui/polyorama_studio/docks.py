"""The docks: which panels there are, where they stand, and how layouts are kept."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, Signal, Slot
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from polyorama_studio.actions import translated
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["DOCKS", "Dock", "DockHost"]

_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}


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
    """

    id: str
    title: str
    icon: str
    panel: str
    area: str
    shown: bool = True


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
    Dock("timeline", "Timeline", "timeline", "polyorama_studio.timeline.panel:TimelinePanel", "bottom"),
    Dock("history", "History", "history", "polyorama_studio.panels.history:HistoryPanel", "right"),
    Dock(
        "histogram", "Histogram", "histogram",
        "polyorama_studio.panels.histogram:HistogramPanel", "right", shown=False,
    ),
    Dock(
        "clean-up", "Clean-up", "clean-up", "polyorama_studio.panels.cleanup:CleanUpPanel",
        "right", shown=False,
    ),
)
"""Every panel, in the order in which they stand."""


class _DockWidget(QDockWidget):
    """A dock whose panel is made when it is first seen."""

    def __init__(self, dock: Dock, session: Session, parent: QWidget) -> None:
        super().__init__(translated(dock.title), parent)
        self.setObjectName(dock.id)
        self._dock = dock
        self._session = session
        self.panel: QWidget | None = None
        self.visibilityChanged.connect(self._on_visible)

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        if visible:
            self.make()

    def make(self) -> QWidget:
        """The panel; made now if it was not."""
        if self.panel is None:
            module, _, name = self._dock.panel.partition(":")
            self.panel = getattr(importlib.import_module(module), name)(self._session, self)
            self.setWidget(self.panel)
        return self.panel


class DockHost(QMainWindow):
    """The viewport with the docks round it."""

    arranged = Signal()

    def __init__(self, session: Session, center: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.AnimatedDocks
        )
        self.setCentralWidget(center)
        self.docks: dict[str, _DockWidget] = {}
        self._hidden: QByteArray | None = None
        for dock in DOCKS:
            widget = _DockWidget(dock, session, self)
            self.docks[dock.id] = widget
            self.addDockWidget(_AREAS[dock.area], widget)
            widget.setVisible(dock.shown)
            widget.visibilityChanged.connect(self._on_arranged)
        self.resizeDocks(
            list(self.docks.values()), [Metrics.dock] * len(self.docks), Qt.Orientation.Horizontal
        )
        self._first = self.saveState()

    @Slot(bool)
    def _on_arranged(self, visible: bool) -> None:
        self.arranged.emit()

    def panel(self, dock_id: str) -> QWidget:
        """The panel of a dock, made if it was not."""
        return self.docks[dock_id].make()

    def toggle(self, dock_id: str) -> None:
        """Show a dock and bring it to the front, or hide it."""
        dock = self.docks[dock_id]
        dock.setVisible(not dock.isVisible())
        if dock.isVisible():
            dock.raise_()

    def set_all_hidden(self, hidden: bool) -> None:
        """Hide every dock, or bring back those that were there."""
        if hidden and self._hidden is None:
            self._hidden = self.saveState()
            for dock in self.docks.values():
                dock.hide()
        elif not hidden and self._hidden is not None:
            self.restoreState(self._hidden)
            self._hidden = None

    def reset(self) -> None:
        """The arrangement of the first start."""
        self._hidden = None
        self.restoreState(self._first)
