"""The workspaces: tabs at the top with the way to the palette beside them, and what they show."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QToolButton, QWidget

from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics
from polyorama_studio.words import translated

if TYPE_CHECKING:
    from polyorama_studio.session import Session
    from polyorama_studio.window import Window
    from polyorama_studio.workspaces.lab.workspace import LabWorkspace

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
    widget
        ``"module:Class"`` of a QWidget that is made with the session once the tab is first chosen;
        "" for the scene, which is always there.
    """

    id: str
    title: str
    tooltip: str
    widget: str = ""


WORKSPACES: tuple[Workspace, ...] = (
    Workspace("scene", "Scene", "Select, edit, animate and export splat scenes"),
    Workspace(
        "shapes", "Shapes", "Find models by words, pictures or other shapes, and place them",
        "polyorama_studio.workspaces.shapes.workspace:ShapesWorkspace",
    ),
    Workspace(
        "face", "Face", "Let a face say what a voice says, and feel what you want",
        "polyorama_studio.workspaces.face.workspace:FaceWorkspace",
    ),
    Workspace(
        "lab", "Lab", "Watch learning happen: experiments that run before your eyes",
        "polyorama_studio.workspaces.lab.workspace:LabWorkspace",
    ),
)  # fmt: skip
"""Those that work."""


class WorkspaceTabs(QWidget):
    """A tab a workspace, and a button that looks like the search that it opens.

    `stack` is the place where the workspaces are shown; each is made when it is first chosen.
    """

    search_asked = Signal()
    changed = Signal(str)
    """Another workspace is shown."""

    def __init__(self, session: Session, window: Window) -> None:
        super().__init__(window)
        self.setObjectName("workspaces")
        self._session = session
        self.tabs: list[QToolButton] = []
        self.shown = WORKSPACES[0].id
        self.stack = QStackedWidget(window)
        self._made: dict[str, QWidget] = {}
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
            tab.clicked.connect(self._on_clicked)
            row.addWidget(tab)
            self.tabs.append(tab)
        row.addWidget(self.search)
        session.theme.changed.connect(self.refresh)
        self.refresh()

    def set_scene(self, widget: QWidget) -> None:
        """What the scene's tab shows."""
        self._made[WORKSPACES[0].id] = widget
        self.stack.addWidget(widget)

    def is_made(self, workspace_id: str) -> bool:
        """Whether a workspace was chosen before."""
        return workspace_id in self._made

    @property
    def lab(self) -> LabWorkspace:
        """The Lab, made if it was not."""
        lab: LabWorkspace = self.make("lab")  # type: ignore[assignment]
        return lab

    def make(self, workspace_id: str) -> QWidget:
        """What a workspace shows, made if it was not."""
        if workspace_id not in self._made:
            entry = next(entry for entry in WORKSPACES if entry.id == workspace_id)
            module, _, name = entry.widget.partition(":")
            widget = getattr(importlib.import_module(module), name)(self._session, self.stack)
            self._made[workspace_id] = widget
            self.stack.addWidget(widget)
        return self._made[workspace_id]

    def show_workspace(self, workspace_id: str) -> None:
        """Bring a workspace to the front."""
        widget = self.make(workspace_id)
        for entry, tab in zip(WORKSPACES, self.tabs, strict=True):
            tab.setChecked(entry.id == workspace_id)
        if workspace_id != self.shown:
            self.shown = workspace_id
            self.stack.setCurrentWidget(widget)
            self.changed.emit(workspace_id)

    @Slot()
    def _on_clicked(self) -> None:
        self.show_workspace(WORKSPACES[self.tabs.index(self.sender())].id)  # type: ignore[arg-type]

    @Slot()
    def refresh(self) -> None:
        """The icon in the theme's colour."""
        self.search.setIcon(icon("search", self._session.theme.tokens.color("quiet")))
