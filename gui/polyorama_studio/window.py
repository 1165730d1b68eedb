"""The one window; all dialogs are opened from here."""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QIcon, QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QMainWindow, QMenu, QVBoxLayout, QWidget

from polyorama_studio.actions import ACTIONS, MENUS, ActionSet, translated
from polyorama_studio.dialogs.about import AboutDialog
from polyorama_studio.dialogs.keys import KeysDialog
from polyorama_studio.dialogs.picture import PictureDialog
from polyorama_studio.docks import DockHost
from polyorama_studio.files import open_dialog, save_dialog
from polyorama_studio.icons import icon
from polyorama_studio.logs import log_text
from polyorama_studio.session import Notice, Session
from polyorama_studio.strips import Rail, StatusStrip
from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.grid import ViewGrid
from polyorama_studio.viewport.viewport import Viewport
from polyorama_studio.words import menu_text, shortened, tip

__all__ = ["Window"]

log = logging.getLogger(__name__)

_FIRST_SIZE = (1440, 900)
_CONTEXT_MENU = (
    "view.frame", "view.front", "view.right", "view.top", "", "view.orthographic",
    "view.turntable", "", "file.save-picture", "edit.copy-picture", "edit.copy-command",
    "edit.copy-python",
)  # fmt: skip


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
        self._was_maximized = False
        self._picture: tuple[tuple[int, int], bool] = ((1, 1), False)
        self.setWindowIcon(self._icon())
        self.viewport = Viewport(session, self)
        self.views = ViewGrid(session, self.viewport, self)
        self.actions_by_id = ActionSet(self, ACTIONS)
        self._rail = Rail(self.actions_by_id, self)
        self._status = StatusStrip(session, self)
        self._recent_menu = QMenu(self.tr("Open recent"), self)
        self._lay_out()
        self._fill_menus()
        self._bind_shortcuts()
        self.views.menu_asked.connect(self._show_context_menu)
        session.opening.asked.connect(self._ask_open)
        session.opening.files_changed.connect(self._on_files)
        session.logged.connect(self._refresh_actions)
        session.preferences.recent_changed.connect(self._fill_recent)
        for signal in (
            session.stage.document_changed,
            session.stage.view_changed,
            session.stage.spinning_changed,
            session.theme.changed,
        ):
            signal.connect(self._refresh_actions)
        toolbox = self.viewport.toolbox
        for signal in (
            toolbox.tool_changed,
            toolbox.options_changed,
            toolbox.layers.changed,
            toolbox.camera_lock.changed,
            self.views.changed,
        ):
            signal.connect(self._refresh_edits)
        self._shown_state: tuple[object, ...] = ()
        session.stage.picture_ready.connect(self._refresh_actions)
        session.editing.edited.connect(self._refresh_edits)
        self.resize(*_FIRST_SIZE)
        geometry = session.preferences.geometry
        if geometry is not None:
            self.restoreGeometry(geometry)
        self._on_files()
        self._fill_recent()
        self.viewport.setFocus()

    def _icon(self) -> QIcon:
        return icon("polyorama", self.session.theme.tokens.color("text"))

    def _lay_out(self) -> None:
        middle = QWidget(self)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._rail)
        self.docks = DockHost(self.session, self.views, middle)
        row.addWidget(self.docks, 1)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row, 1)
        column.addWidget(self._status)
        self.setCentralWidget(middle)

    def _fill_menus(self) -> None:
        for menu_id, title in MENUS:
            menu = QMenu(translated(title), self)
            self.menuBar().addMenu(menu)
            group = 0
            for action, qt_action in self.actions_by_id.in_menu(menu_id):
                if action.group != group:
                    menu.addSeparator()
                    group = action.group
                menu.addAction(qt_action)
                if action.id == "file.add":
                    menu.addMenu(self._recent_menu)

    def _bind_shortcuts(self) -> None:
        # On the window, so that they work while the menu bar is hidden.
        for menu_id, _ in MENUS:
            for action, qt_action in self.actions_by_id.in_menu(menu_id):
                if action.shortcut == "Tab":
                    # Elsewhere Tab moves the focus, as everybody expects.
                    qt_action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
                    self.viewport.addAction(qt_action)
                else:
                    self.addAction(qt_action)

    # What the session says

    @Slot()
    def _on_files(self) -> None:
        # Qt takes this sign for the place of an asterisk, and two of it for one.
        title = self.session.title.replace("[*]", "[*][*]")
        self.setWindowTitle(f"{title} - Polyorama" if title else "Polyorama")
        self._refresh_actions()

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
        )
        if state != self._shown_state:
            self._shown_state = state
            self.actions_by_id.refresh()

    @Slot()
    def _fill_recent(self) -> None:
        self._recent_menu.clear()
        recent = self.session.preferences.recent
        metrics = self._recent_menu.fontMetrics()
        for path in recent:
            name = shortened(path.name, metrics, Metrics.recent_words)
            action = self._recent_menu.addAction(menu_text(name))
            action.setData(path)
            action.setToolTip(tip(str(path)))
            action.triggered.connect(self._open_recent)
        if recent:
            self._recent_menu.addSeparator()
            self._recent_menu.addAction(self.tr("Forget these")).triggered.connect(
                self.session.preferences.forget_recent
            )
        self._recent_menu.setEnabled(bool(recent))

    @Slot()
    def _open_recent(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.session.open_files([action.data()])

    @Slot(QPoint)
    def _show_context_menu(self, position: QPoint) -> None:
        menu = QMenu(self)
        for action_id in _CONTEXT_MENU:
            if action_id:
                menu.addAction(self.actions_by_id[action_id])
            else:
                menu.addSeparator()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    # What actions do

    @Slot()
    def _ask_open(self) -> None:
        self.ask_open(add=False)

    def ask_open(self, *, add: bool) -> None:
        """Choose files and open them, or add them to what is open."""
        dialog = open_dialog(
            self,
            self.tr("Add to the scene") if add else self.tr("Open"),
            self.session.preferences.folder,
            self.session.theme.tokens,
        )
        dialog.filesSelected.connect(self._add_files if add else self._open_files)
        self._show_dialog(dialog)

    @Slot(list)
    def _open_files(self, names: list[str]) -> None:
        self.session.open_files([Path(name) for name in names])

    @Slot(list)
    def _add_files(self, names: list[str]) -> None:
        self.session.open_files([Path(name) for name in names], add=True)

    def ask_save_picture(self) -> None:
        """Choose size, background and file, then draw."""
        dialog = PictureDialog(self.session, self)
        dialog.chosen.connect(self._ask_picture_file)
        self._show_dialog(dialog)

    @Slot(object, bool)
    def _ask_picture_file(self, size: tuple[int, int], transparent: bool) -> None:
        stem = self.session.files[0].stem if self.session.files else self.tr("picture")
        path = Path(self.session.preferences.folder) / f"{stem}.png"
        self._picture = (size, transparent)
        dialog = save_dialog(
            self,
            self.tr("Save picture"),
            str(path),
            self.tr("Pictures (*.png *.webp *.jpg *.jpeg)"),
            self.session.theme.tokens,
        )
        dialog.fileSelected.connect(self._save_picture)
        self._show_dialog(dialog)

    @Slot(str)
    def _save_picture(self, name: str) -> None:
        size, transparent = self._picture
        self.session.sharing.save_picture(Path(name), size, transparent=transparent)

    def toggle_panels(self) -> None:
        """Leave nothing but the picture in the window, or bring all back."""
        self.panels_hidden = not self.panels_hidden
        self._show_panels()

    def toggle_stage(self) -> None:
        """The picture edge to edge on the full screen, or back."""
        self.on_stage = not self.on_stage
        self._show_panels()
        self.viewport.set_on_stage(self.on_stage)
        if self.on_stage:
            self._was_maximized = self.isMaximized()
            self.showFullScreen()
        elif self._was_maximized:
            self.showMaximized()
        else:
            self.showNormal()
        self.viewport.setFocus()

    def _show_panels(self) -> None:
        shown = not (self.panels_hidden or self.on_stage)
        for widget in (self.menuBar(), self._rail, self._status):
            widget.setVisible(shown)
        self.docks.set_all_hidden(not shown)
        self._refresh_actions()

    def toggle_theme(self) -> None:
        """Dark or light."""
        self.session.set_theme("light" if self.session.theme.tokens.name == "dark" else "dark")

    def show_keys(self) -> None:
        """How to move around."""
        self._show_dialog(KeysDialog(self.session, self))

    def show_about(self) -> None:
        """Version and licence."""
        self._show_dialog(AboutDialog(self.session, self))

    def _show_dialog(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def copy_log(self) -> None:
        """Put what the studio has noted on the clipboard."""
        QGuiApplication.clipboard().setText(log_text())
        self.session.notice.emit(Notice("info", self.tr("Log copied")))

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

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop threads and timers before the widgets go."""
        if not self.on_stage:
            self.session.preferences.geometry = self.saveGeometry()
        # Gone for the eye at once, though threads may take a moment.
        self.hide()
        self.session.close()
        super().closeEvent(event)
