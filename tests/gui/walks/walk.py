"""A person at the window: finds things in it by their names, and keeps pictures of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QAction, QColor, QImage, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QMenu,
    QScrollArea,
    QTabBar,
    QToolTip,
    QWidget,
)
from shiboken6 import isValid

from tests.gui.walks.hand import CTRL, LEFT, MIDDLE, NONE, RIGHT, SHIFT, Hand, Stumble

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CTRL", "LEFT", "MIDDLE", "NONE", "RIGHT", "SHIFT", "Stumble", "Walk"]

Found = TypeVar("Found", bound=QWidget)


class Guest(Hand):
    """A hand that finds things by what they are called."""

    def settle(self, seconds: float = 120.0) -> None:
        """Let the program run until nothing is under way any more."""
        calm = 0

        def still() -> bool:
            nonlocal calm
            stages = [pane.stage for pane in self.window.views.panes]
            busy = self.session.busy is not None or not all(stage.idle for stage in stages)
            working = any(job.listed for job in self.session.jobs.active)
            calm = 0 if busy or working else calm + 1
            return calm > 8

        self.until(still, "The studio does not come to rest.", seconds)

    # Finding things

    def _visible(self, kind: type[Found]) -> list[Found]:
        tops = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
        # Dialogs and popups are in front of the window.
        tops.sort(key=lambda w: w is self.window)
        found = []
        for top in tops:
            found += [w for w in (top, *top.findChildren(kind)) if isinstance(w, kind)]
        return [w for w in found if w.isVisible() and not w.visibleRegion().isEmpty()]

    def find(self, kind: type[Found], name: str, within: QWidget | None = None) -> Found:
        """A visible widget by what it is called: its text, accessible name or object name."""
        for widget in self._visible(kind):
            if within is not None and widget is not within and not within.isAncestorOf(widget):
                continue
            if name in _names(widget):
                return widget
        raise Stumble(f"There is no {kind.__name__} called {name!r} to be seen.")

    def find_hidden(self, kind: type[Found], name: str, within: QWidget) -> Found:
        """A widget that may be scrolled out of sight."""
        for widget in within.findChildren(kind):
            if widget.isVisibleTo(within) and name in _names(widget):
                return widget
        raise Stumble(f"There is no {kind.__name__} called {name!r} in the panel.")

    def show_in_panel(self, widget: QWidget) -> None:
        """Scroll until a widget is seen."""
        parent = widget.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        # What has just been opened may still find its place.
        for _ in range(20):
            if parent is not None:
                parent.ensureWidgetVisible(widget)
            self.rest(50)
            if not widget.visibleRegion().isEmpty():
                break
        self.check(not widget.visibleRegion().isEmpty(), "A field cannot be scrolled into sight.")

    def has_action(self, action_id: str) -> bool:
        """Whether there is such an action."""
        return self.window.findChild(QAction, action_id) is not None

    def button(self, name: str, within: QWidget | None = None) -> QAbstractButton:
        """A visible button."""
        return self.find(QAbstractButton, name, within)

    def panel(self, dock_id: str) -> QWidget:
        """A panel, brought to the front."""
        if dock_id not in self.window.docks.docks:
            raise Stumble(f"There is no panel {dock_id!r}.")
        self.window.docks.raise_dock(dock_id)
        self.rest()
        self.until(
            lambda: self.window.docks.is_shown(dock_id), f"The panel {dock_id!r} is not shown."
        )
        return self.window.docks.panel(dock_id)

    def dialog(self, title: str = "") -> QDialog:
        """The dialog that is open."""
        found: list[QDialog] = []

        def there() -> bool:
            found[:] = [d for d in self._visible(QDialog) if title in d.windowTitle()]
            return bool(found)

        self.until(there, f"No dialog {title!r} opened.", 8.0)
        return found[0]

    def gone(self, dialog: QDialog) -> None:
        """Wait until a dialog is closed."""
        self.until(
            lambda: not isValid(dialog) or not dialog.isVisible(), "The dialog does not close.", 8.0
        )

    def menu(self) -> QMenu:
        """The menu that is open."""
        self.until(lambda: self._visible(QMenu), "No menu opened.", 5.0)
        popup = QApplication.activePopupWidget()
        return popup if isinstance(popup, QMenu) else self._visible(QMenu)[-1]

    def pick_from_menu(self, *titles: str) -> None:
        """Click an entry of the menu that is open; of several titles, down its submenus."""
        for title in titles:
            menu = self.menu()
            action = next((a for a in menu.actions() if _plain(a.text()) == title), None)
            names = [_plain(a.text()) for a in menu.actions() if not a.isSeparator()]
            if action is None:
                raise Stumble(f"The menu has no {title!r}, but {names}.")
            self.click(menu, QPointF(menu.actionGeometry(action).center()))
            self.rest()

    def act(self, action_id: str) -> None:
        """Trigger an action of the table, as its menu entry does."""
        found = self.window.findChild(QAction, action_id)
        if found is None:
            raise Stumble(f"There is no action {action_id!r}.")
        self.check(found.isEnabled(), f"The action {action_id!r} cannot be used now.")
        found.trigger()
        self.rest()

    def tool(self, tool_id: str) -> None:
        """Choose a tool of the viewport by its key."""
        self.focus_view()
        shortcut = self.window.actions_by_id[f"tools.{tool_id}"].shortcut().toString()
        self.keys(shortcut)
        chosen = self.viewport.toolbox.active_id
        self.check(chosen == tool_id, f"The key {shortcut} does not choose {tool_id}.")


class Walk(Guest):
    """Drives one window and keeps pictures of it.

    Parameters
    ----------
    out
        Folder of the pictures.
    home, scene, size, theme
        As of `Hand`.
    """

    def __init__(
        self, out: Path, home: Path, scene: Path, size: tuple[int, int], theme: str
    ) -> None:
        super().__init__(home, scene, size, theme)
        self.out = out
        self.label = ""
        self.quiet = False
        """Whether pictures are left out: the step is there for the sake of another one."""
        self.pictures: list[Path] = []
        self._parts = 0

    # Pictures

    def shot(self, part: str = "", *, settle: bool = True) -> None:
        """Keep a picture of the whole screen, as the person sees it."""
        if settle:
            self.settle()
        if self.quiet:
            return
        self._parts += 1
        number, _, title = self.label.partition("-")
        letter = chr(ord("a") + self._parts - 1)
        name = f"{number}{letter}-{title}{'-' + part if part else ''}.png"
        path = self.out / name
        if not self._screen().save(str(path)):
            raise Stumble(f"The picture cannot be saved: {path}")
        self.pictures.append(path)

    def begin(self, label: str) -> None:
        """Another step begins."""
        self.label = label
        self._parts = 0
        self.troubles.clear()

    def _screen(self) -> QImage:
        """The window with the dialogs, menus and hints over it, as they lie."""
        image = self.window.grab().toImage()
        painter = QPainter(image)
        for top in QApplication.topLevelWidgets():
            if top is self.window or not top.isVisible() or top.windowHandle() is None:
                continue
            if isinstance(top, QDialog):
                painter.fillRect(self.window.rect(), QColor(0, 0, 0, 70))
            corner = self.window.mapFromGlobal(top.mapToGlobal(QPoint(0, 0)))
            painter.drawPixmap(corner, top.grab())
        self._paint_pointer(painter)
        painter.end()
        return image

    def _paint_pointer(self, painter: QPainter) -> None:
        """The pointer, where its shape is one of ours."""
        widget = QApplication.widgetAt(self.place.toPoint())
        if widget is None:
            return
        cursor = widget.cursor()
        if not cursor.pixmap().isNull():
            at = QPointF(self.window.mapFromGlobal(self.place)) - QPointF(cursor.hotSpot())
            painter.drawPixmap(at, cursor.pixmap())

    # Back to where a step can begin

    def fresh(self) -> None:
        """The scene as it was opened, one view, the pointer, the start of time."""
        for widget in self._visible(QMenu) + self._visible(QDialog):
            widget.close()
        QToolTip.hideText()
        self.focus_view()
        self.keys("Esc")
        editor = self.session.editing.editor
        if editor is not None:
            editor.end_gesture()
            editor.go_to(0)
        views = self.window.views
        if views.comparison:
            views.compare("")
        views.arrange("one")
        self.session.playback.set_playing(False)
        self.session.playback.seek(0.0)
        self.viewport.toolbox.choose("pointer")
        self.viewport.toolbox.set_options(mode="set", surface=False, footprint=False)
        self.look()
        self.rest()

    def look(self, yaw: float = 25.0, pitch: float = 8.0) -> None:
        """See all of the scene from a side."""
        if self.session.editing.document is None:
            return
        view = self.home_view.orbited(yaw, pitch)
        self.session.stage.set_view(view, moving=False)
        self.settle()

    def remember_view(self) -> None:
        """What is seen now is where steps begin."""
        self.home_view = self.session.stage.view


def _plain(text: str) -> str:
    """A menu's text without its marks."""
    return text.replace("&", "").split("\t")[0].rstrip(".").rstrip("\N{HORIZONTAL ELLIPSIS}")


def _names(widget: QWidget) -> set[str]:
    names = {widget.accessibleName(), widget.objectName()}
    text = getattr(widget, "text", None)
    if callable(text) and not isinstance(widget, QTabBar):
        names.add(_plain(text()))
    return names - {""}
