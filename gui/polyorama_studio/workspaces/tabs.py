"""The workspaces as tabs at the top, and the way to the palette beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics
from polyorama_studio.words import translated

if TYPE_CHECKING:
    from polyorama_studio.session import Session
    from polyorama_studio.window import Window

__all__ = ["WORKSPACES", "Workspace", "WorkspaceTabs"]


@dataclass(frozen=True, slots=True)
class Workspace:
    """What one kind of work needs.

    Parameters
    ----------
    id
        Stable name.
    title, tooltip
        Sentence case.
    """

    id: str
    title: str
    tooltip: str


WORKSPACES: tuple[Workspace, ...] = (
    Workspace("scene", "Scene", "Select, edit, animate and export splat scenes"),
)
"""Those that work."""


class WorkspaceTabs(QWidget):
    """A tab a workspace, and a button that looks like the search that it opens."""

    search_asked = Signal()

    def __init__(self, session: Session, window: Window) -> None:
        super().__init__(window)
        self.setObjectName("workspaces")
        self._session = session
        self.tabs: list[QToolButton] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, Metrics.space[1], 0)
        row.setSpacing(Metrics.space[1])
        self.search = QPushButton(self.tr("Find an action"), self)
        self.search.setObjectName("searchButton")
        self.search.setIconSize(QSize(Metrics.small_icon, Metrics.small_icon))
        self.search.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.search.setToolTip(window.actions_by_id["window.palette"].toolTip())
        self.search.clicked.connect(self.search_asked)
        for entry in WORKSPACES:
            tab = QToolButton(self)
            tab.setObjectName("workspaceTab")
            tab.setText(translated(entry.title))
            tab.setToolTip(translated(entry.tooltip))
            tab.setCheckable(True)
            tab.setAutoExclusive(True)
            tab.setChecked(entry is WORKSPACES[0])
            tab.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(tab)
            self.tabs.append(tab)
        row.addWidget(self.search)
        session.theme.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """The icon in the theme's colour."""
        self.search.setIcon(icon("search", self._session.theme.tokens.color("quiet")))
