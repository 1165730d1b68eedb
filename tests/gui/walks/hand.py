"""A person's hand at the window: the real pointer and keys, and patience."""

from __future__ import annotations

import itertools
import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

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

__all__ = ["CTRL", "LEFT", "MIDDLE", "NONE", "RIGHT", "SHIFT", "Hand", "Stumble"]

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


class Stumble(AssertionError):
    """A step did not do what it should; the text says what, in one sentence."""


class Hand:
    """Opens one window, points, presses and types in it.

    Parameters
    ----------
    home
        Folder of the settings and of the files that are saved.
    scene
        The capture that is opened.
    size
        Of the window, logical pixels.
    theme
        "dark" or "light".
    """

    def __init__(self, home: Path, scene: Path, size: tuple[int, int], theme: str) -> None:
        self.home, self.scene = home, scene
        self.size, self.theme = size, theme
        self.troubles: list[str] = []
        """Notices of failures since a step began."""
        self.place = QPointF(0.0, 0.0)
        """Where the pointer is on the screen."""
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

    # The pointer

    def _send(
        self, kind: QEvent.Type, place: QPointF, button, buttons, modifiers, widget: QWidget
    ) -> None:
        window = widget.window()
        handle = window.windowHandle()
        inside = QPointF(window.mapFromGlobal(place))
        self.place = place
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
