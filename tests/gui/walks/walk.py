"""A person at the window: the real pointer and keys, and pictures of what is seen."""

from __future__ import annotations

import itertools
import time
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QAction,
    QColor,
    QGuiApplication,
    QImage,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QLabel,
    QMenu,
    QScrollArea,
    QTabBar,
    QToolTip,
    QWidget,
)
from shiboken6 import isValid

from polyorama_studio import logs
from polyorama_studio.preferences import Preferences
from polyorama_studio.session import Session
from polyorama_studio.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from polyorama.scene.document import Document, Node
    from polyorama_studio.session import Notice
    from polyorama_studio.viewport.viewport import Viewport

__all__ = ["CTRL", "LEFT", "MIDDLE", "NONE", "RIGHT", "SHIFT", "Stumble", "Walk"]

LEFT, MIDDLE, RIGHT = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.MiddleButton,
    Qt.MouseButton.RightButton,
)
NONE = Qt.KeyboardModifier.NoModifier
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
_PATIENCE = 30.0
_STEPS = 12
"""Moves that a drag is made of."""

Found = TypeVar("Found", bound=QWidget)


class Stumble(AssertionError):
    """A step did not do what it should; the text says what, in one sentence."""


class Walk:
    """Drives one window and keeps pictures of it.

    Parameters
    ----------
    out
        Folder of the pictures.
    home
        Folder of the settings and of the files that the walk saves.
    scene
        The capture that is opened.
    size
        Of the window, logical pixels.
    theme
        "dark" or "light".
    """

    def __init__(
        self, out: Path, home: Path, scene: Path, size: tuple[int, int], theme: str
    ) -> None:
        self.out, self.home, self.scene = out, home, scene
        self.size, self.theme = size, theme
        self.label = ""
        self.quiet = False
        """Whether pictures are left out: the step is there for the sake of another one."""
        self.troubles: list[str] = []
        """Notices of failures since a step began."""
        self.pictures: list[Path] = []
        self._parts = 0
        self._at = QPointF(0.0, 0.0)
        self._held: QWidget | None = None
        self.start()

    # The window

    def start(self) -> None:
        """Open the studio as its program does."""
        preferences = Preferences(path=self.home / "studio.ini")
        preferences.theme = self.theme
        self.session = Session(preferences=preferences)
        self.session.theme.apply()
        self.window = Window(self.session)
        self.window.resize(*self.size)
        self.session.notice.connect(self._on_notice)
        logs.tell_uncaught(partial(self.session.bridge.post, "uncaught", self.session.on_uncaught))
        self.window.show()
        QTest.qWaitForWindowExposed(self.window)
        self.window.activateWindow()
        self.session.stage.warm_up()

    def end(self) -> None:
        """Close the window for good."""
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, QDialog | QMenu) and widget.isVisible():
                widget.close()
        if self.session.editing.document is not None:
            self.session.saving.give_up()
        logs.tell_uncaught(None)
        self.window._leave()
        self.window.deleteLater()
        QApplication.processEvents()

    def _on_notice(self, notice: Notice) -> None:
        if notice.kind == "bad":
            self.troubles.append(notice.text)

    @property
    def viewport(self) -> Viewport:
        """The main view."""
        return self.window.viewport

    @property
    def document(self) -> Document:
        """What is edited."""
        document = self.session.editing.document
        if document is None:
            raise Stumble("Nothing is open.")
        return document

    @property
    def plant(self) -> Node:
        """The node that the walk works on."""
        return self.document.node("plant")

    @property
    def selected(self) -> int:
        """Number of selected splats."""
        return sum(len(bits) for bits in self.document.selection.values())

    # What must be so

    def check(self, fact: object, sentence: str) -> None:
        """Stumble unless something is so."""
        if not fact:
            told = f" The studio said: {self.troubles[-1]}" if self.troubles else ""
            raise Stumble(f"{sentence}{told}")

    def until(self, fact: Callable[[], object], sentence: str, seconds: float = _PATIENCE) -> None:
        """Let the program run until something is so, and stumble where it does not become so."""
        end = time.monotonic() + seconds
        while not fact():
            if time.monotonic() > end:
                self.check(False, sentence)
            QTest.qWait(15)

    def rest(self, milliseconds: int = 60) -> None:
        """Let the program run for a while."""
        QTest.qWait(milliseconds)

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
        if parent is not None:
            parent.ensureWidgetVisible(widget)
            self.rest(30)
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

    # The pointer

    def _send(
        self, kind: QEvent.Type, place: QPointF, button, buttons, modifiers, widget: QWidget
    ) -> None:
        window = widget.window()
        handle = window.windowHandle()
        inside = QPointF(window.mapFromGlobal(place))
        self._at = place
        event = QMouseEvent(kind, inside, inside, place, button, buttons, modifiers)
        QGuiApplication.sendEvent(handle, event)

    def at(self, widget: QWidget, at: QPointF | QPoint | None = None) -> QPointF:
        """A position of a widget, by default its middle, on the screen."""
        inside = QPointF(widget.rect().center()) if at is None else QPointF(at)
        return widget.mapToGlobal(inside)

    def move(self, widget: QWidget, at: QPointF | None = None, modifiers=NONE) -> None:
        """Point at a place."""
        place = self.at(widget, at)
        self._send(QEvent.Type.MouseMove, place, Qt.MouseButton.NoButton,
                   Qt.MouseButton.NoButton, modifiers, widget)  # fmt: skip
        self.rest(20)

    def press(
        self, widget: QWidget, at: QPointF | None = None, modifiers=NONE, button=LEFT
    ) -> None:
        """Press a button of the mouse."""
        self.move(widget, at, modifiers)
        self._send(
            QEvent.Type.MouseButtonPress, self.at(widget, at), button, button, modifiers, widget
        )
        self.rest(10)

    def slide(self, widget: QWidget, at: QPointF, modifiers=NONE, button=LEFT) -> None:
        """Move with a button held."""
        place = self.at(widget, at)
        self._send(QEvent.Type.MouseMove, place, Qt.MouseButton.NoButton, button, modifiers, widget)
        self.rest(10)

    def release(
        self, widget: QWidget, at: QPointF | None = None, modifiers=NONE, button=LEFT
    ) -> None:
        """Let a button of the mouse go."""
        self._send(
            QEvent.Type.MouseButtonRelease, self.at(widget, at), button,
            Qt.MouseButton.NoButton, modifiers, widget,
        )  # fmt: skip
        self.rest(20)

    def click(
        self, widget: QWidget, at: QPointF | None = None, modifiers=NONE, button=LEFT
    ) -> None:
        """Press and let go."""
        self.press(widget, at, modifiers, button)
        self.release(widget, at, modifiers, button)

    def double_click(self, widget: QWidget, at: QPointF | None = None) -> None:
        """Twice, quickly."""
        self.click(widget, at)
        place = self.at(widget, at)
        self._send(QEvent.Type.MouseButtonDblClick, place, LEFT, LEFT, NONE, widget)
        self.release(widget, at)

    def drag(
        self, widget: QWidget, points: Sequence[QPointF], modifiers=NONE, button=LEFT, *,
        let_go: bool = True,
    ) -> None:  # fmt: skip
        """Press, move along a line through points, and let go."""
        self.press(widget, points[0], modifiers, button)
        for first, second in itertools.pairwise(points):
            for step in range(1, _STEPS + 1):
                self.slide(widget, first + (second - first) * step / _STEPS, modifiers, button)
        if let_go:
            self.release(widget, points[-1], modifiers, button)

    def wheel(self, widget: QWidget, at: QPointF | None, notches: int, modifiers=NONE) -> None:
        """Turn the wheel."""
        place = self.at(widget, at)
        inside = QPointF(widget.window().mapFromGlobal(place))
        step = 120 if notches > 0 else -120
        for _ in range(abs(notches)):
            event = QWheelEvent(
                inside, place, QPoint(), QPoint(0, step), Qt.MouseButton.NoButton, modifiers,
                Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QGuiApplication.sendEvent(widget.window().windowHandle(), event)
            self.rest(25)

    # Keys

    def keys(self, *shortcuts: str) -> None:
        """Press shortcuts, as Qt spells them, in the window that has the keys."""
        for shortcut in shortcuts:
            combined = QKeySequence(shortcut)[0]
            focus = QGuiApplication.focusWindow() or self.window.windowHandle()
            QTest.keyClick(focus, combined.key(), combined.keyboardModifiers())
            self.rest(40)

    def write(self, text: str) -> None:
        """Type text into what has the keys."""
        focus = QGuiApplication.focusWindow() or self.window.windowHandle()
        for letter in text:
            QTest.keyClick(focus, letter)
        self.rest()

    def focus_view(self) -> None:
        """Give the viewport the keys."""
        self.window.activateWindow()
        self.viewport.setFocus()
        self.rest()

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
        widget = QApplication.widgetAt(self._at.toPoint())
        if widget is None:
            return
        cursor = widget.cursor()
        if not cursor.pixmap().isNull():
            at = QPointF(self.window.mapFromGlobal(self._at)) - QPointF(cursor.hotSpot())
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

    def tooltips(self) -> list[QLabel]:
        """Hints that are shown."""
        return [w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel")]


def _plain(text: str) -> str:
    """A menu's text without its marks."""
    return text.replace("&", "").split("\t")[0].rstrip(".").rstrip("\N{HORIZONTAL ELLIPSIS}")


def _names(widget: QWidget) -> set[str]:
    names = {widget.accessibleName(), widget.objectName()}
    text = getattr(widget, "text", None)
    if callable(text) and not isinstance(widget, QTabBar):
        names.add(_plain(text()))
    return names - {""}
