"""The one window."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Slot
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from polyorama_studio.actions import ACTIONS, ActionSet
from polyorama_studio.asking import Asking
from polyorama_studio.docks import DockHost, EdgeStrip
from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.menus import Menus
from polyorama_studio.palette import Palette
from polyorama_studio.panels.node_commands import comparable
from polyorama_studio.strips import Rail, StatusStrip
from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.grid import ViewGrid
from polyorama_studio.viewport.viewport import Viewport
from polyorama_studio.workspaces import WORKSPACES, WorkspaceTabs

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QIcon, QKeyEvent, QResizeEvent

    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.shapes.workspace import ShapesWorkspace

__all__ = ["Window"]

log = logging.getLogger(__name__)

_FIRST_SIZE = (1440, 900)
_SOON_MS = 40


@guards
class Window(QMainWindow):
    """Menus, rail, viewport and status strip round one session."""

    session: Session
    panels_hidden: bool
    on_stage: bool

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        session.setParent(self)
        self.panels_hidden = False
        self.on_stage = False
        self.workspace = WORKSPACES[0].id
        """Id of the workspace that is shown, which says which shortcuts are taken."""
        self._was_maximized = False
        self._leaving = False
        self.setWindowIcon(self._icon())
        self.viewport = Viewport(session, self)
        self.views = ViewGrid(session, self.viewport, self)
        # Actions ask the docks how they stand, so those are there first.
        self._middle = QWidget(self)
        self.docks = DockHost(session, self.views, self._middle)
        self.actions_by_id = ActionSet(self, ACTIONS)
        self._rail = Rail(self.actions_by_id, session, self)
        self._status = StatusStrip(session, self)
        self.workspaces = WorkspaceTabs(session, self)
        self._edges = [
            EdgeStrip(session, self.docks, area, self._middle)
            for area in ("left", "right", "bottom")
        ]
        self._lay_out()
        self.asking = Asking(self)
        self.menus = Menus(self)
        self.palette_ = Palette(self)
        self._shown_state: tuple[object, ...] = ()
        self._connect()
        self.resize(*_FIRST_SIZE)
        geometry, layout = session.preferences.geometry, session.preferences.layout
        if geometry is not None:
            self.restoreGeometry(geometry)
        self._fit_to_screen()
        if layout is not None:
            self.docks.restore_layout(layout.data())
        self._on_files()
        self.viewport.setFocus()

    def _connect(self) -> None:
        session, toolbox = self.session, self.viewport.toolbox
        self.views.menu_asked.connect(self.menus.show_context_menu)
        self.workspaces.search_asked.connect(self.show_palette)
        self.workspaces.changed.connect(self._on_workspace)
        session.saving.changed.connect(self._on_title)
        session.similar_asked.connect(self._find_similar)
        session.opening.files_changed.connect(self._on_files)
        for signal in (
            session.stage.document_changed,
            session.stage.view_changed,
            session.stage.spinning_changed,
            session.stage.picture_ready,
            session.theme.changed,
            session.logged,
        ):
            signal.connect(self._refresh_actions)
        for signal in (
            toolbox.tool_changed,
            toolbox.options_changed,
            toolbox.layers.changed,
            toolbox.camera_lock.changed,
            self.views.changed,
            self.docks.arranged,
            session.preferences.changed,
        ):
            signal.connect(self._refresh_edits)
        # A drag edits with each move of the pointer; menus may follow a little later.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self._refresh_edits)
        session.editing.edited.connect(self._on_edited)

    def _icon(self) -> QIcon:
        return icon("polyorama", self.session.theme.tokens.color("text"))

    def _lay_out(self) -> None:
        left, right, bottom = self._edges
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for widget in (self._rail, left):
            row.addWidget(widget)
        row.addWidget(self.docks, 1)
        row.addWidget(right)
        scene = QWidget(self._middle)
        below = QVBoxLayout(scene)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addLayout(row, 1)
        below.addWidget(bottom)
        self.workspaces.set_scene(scene)
        column = QVBoxLayout(self._middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.workspaces.stack, 1)
        column.addWidget(self._status)
        self.setCentralWidget(self._middle)
        self.menuBar().setCornerWidget(self.workspaces, Qt.Corner.TopRightCorner)

    def _fit_to_screen(self) -> None:
        """Leave room for the frame, which is not known before the window is shown."""
        if self.isMaximized() or self.isFullScreen():
            return
        room = self.screen().availableGeometry().size() - QSize(*Metrics.window_frame)
        self.resize(self.size().boundedTo(room))

    # What the session says

    @Slot()
    def _on_title(self) -> None:
        # Qt takes this sign for the place of the mark, and two of it for one.
        title = self.session.title.replace("[*]", "[*][*]")
        self.setWindowTitle(f"{title}[*] - Polyorama" if title else "Polyorama")
        self.setWindowModified(bool(title) and self.session.saving.modified)

    @Slot()
    def _on_files(self) -> None:
        self._on_title()
        self._refresh_edits()

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    @Slot(object)
    @Slot(str)
    def _refresh_edits(self, command: object = None) -> None:
        self._shown_state = ()
        self._refresh_actions()

    @Slot()
    @Slot(bool)
    @Slot(str)
    @Slot(object)
    def _refresh_actions(self, value: object = None) -> None:
        # Views change sixty times a second, switches seldom.
        stage = self.session.stage
        state = (
            stage.document is not None,
            stage.picture is not None,
            bool(self.session.python),
            stage.view.orthographic,
            stage.spinning,
            self.session.theme.tokens.name,
            self.panels_hidden,
            self.on_stage,
            self.workspace,
        )
        if state != self._shown_state:
            self._shown_state = state
            self.actions_by_id.refresh()

    @Slot(str)
    def _on_workspace(self, workspace_id: str) -> None:
        self.workspace = workspace_id
        if workspace_id == "lab":
            lab = self.workspaces.lab
            lab.run.changed.connect(self._refresh_edits, Qt.ConnectionType.UniqueConnection)
            lab.run.told.connect(self._status.refresh, Qt.ConnectionType.UniqueConnection)
            lab.open_first()
        elif workspace_id == "shapes" and self.session.shapes is not None:
            shelf = self.session.shapes
            for signal in (
                shelf.chosen_changed, shelf.overview_changed, shelf.indexing_changed,
                shelf.mapped_changed,
            ):  # fmt: skip
                signal.connect(self._refresh_edits, Qt.ConnectionType.UniqueConnection)
                signal.connect(self._status.refresh, Qt.ConnectionType.UniqueConnection)
        elif workspace_id == "face" and self.session.face is not None:
            desk = self.session.face
            for signal in (
                desk.changed, desk.performed, desk.rig_changed, desk.working_changed, desk.drawn,
                self.session.playback.playing_changed,
            ):  # fmt: skip
                signal.connect(self._status.refresh, Qt.ConnectionType.UniqueConnection)
            for signal in (desk.rig_changed, desk.working_changed, desk.performed):
                signal.connect(self._refresh_edits, Qt.ConnectionType.UniqueConnection)
        if workspace_id != "lab" and self.session.lab is not None:
            self.session.lab.set_playing(False)
        self.menus.show_workspace(workspace_id)
        self._status.show_workspace(workspace_id)
        self._refresh_edits()
        self.take_focus()

    @Slot()
    def _find_similar(self) -> None:
        """Look in the library for what resembles the chosen nodes as they are shown now."""
        document = self.session.stage.shown
        nodes = comparable(document)
        if document is not None and nodes:
            shapes: ShapesWorkspace = self.workspaces.make("shapes")  # type: ignore[assignment]
            self.workspaces.show_workspace("shapes")
            shapes.find_like(document, nodes)

    def take_focus(self) -> None:
        """Give the keys to what is in the middle of the workspace."""
        scene = self.workspace == WORKSPACES[0].id
        (self.viewport if scene else self.workspaces.make(self.workspace)).setFocus()

    # What actions do

    @Slot()
    def show_palette(self) -> None:
        """Everything that can be done, by a few letters of its name."""
        self.palette_.open()

    def toggle_panels(self) -> None:
        """Leave nothing but the picture in the window, or bring all back."""
        self.panels_hidden = not self.panels_hidden
        self._show_panels()

    def toggle_stage(self) -> None:
        """The picture edge to edge on the full screen, or back."""
        self.on_stage = not self.on_stage
        self._show_panels()
        if self.workspace == "lab":
            self.workspaces.lab.set_on_stage(self.on_stage)
        else:
            self.viewport.set_on_stage(self.on_stage)
        if self.on_stage:
            self._was_maximized = self.isMaximized()
            self.showFullScreen()
        elif self._was_maximized:
            self.showMaximized()
        else:
            self.showNormal()
        self.take_focus()

    def _show_panels(self) -> None:
        shown = not (self.panels_hidden or self.on_stage)
        for widget in (self.menuBar(), self._rail, self._status):
            widget.setVisible(shown)
        self.docks.set_all_hidden(not shown)
        self._refresh_actions()

    def toggle_theme(self) -> None:
        """Dark or light."""
        self.session.set_theme("light" if self.session.theme.tokens.name == "dark" else "dark")

    def save_layout(self, name: str) -> None:
        """Keep under a name how the panels stand."""
        self.session.preferences.save_layout(name, QByteArray(self.docks.layout_state()))

    def choose_layout(self, name: str) -> None:
        """Let the panels stand as they were saved under a name."""
        state = self.session.preferences.named_layout(name)
        if state is not None:
            self.docks.restore_layout(state.data())

    def quit(self) -> None:
        """Close the window, which ends the program."""
        self.close()

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves the stage."""
        if event.key() == Qt.Key.Key_Escape and self.on_stage:
            self.toggle_stage()
        elif event.key() == Qt.Key.Key_Escape and self.panels_hidden:
            self.toggle_panels()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The palette stays in the middle."""
        super().resizeEvent(event)
        if self.palette_.isVisible():
            self.palette_.place()

    def _leave(self) -> None:
        """Close for good: what is open was saved, or given up."""
        self._leaving = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved changes; then stop threads and timers before the widgets go."""
        if not self._leaving and self.session.saving.at_risk and self.isVisible():
            event.ignore()
            self.session.saving.leave(self._leave)
            return
        if not self.on_stage:
            self.session.preferences.geometry = self.saveGeometry()
        self.session.preferences.layout = QByteArray(self.docks.layout_state())
        # Gone for the eye at once, though threads may take a moment.
        self.hide()
        self.session.close()
        super().closeEvent(event)
