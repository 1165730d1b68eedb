"""What can be done with chosen keys: the menu of a right click, and the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from polyorama.scene.timeline import ENDS, INTERPOLATIONS
from polyorama_studio.timeline.shaping import HANDLES

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from polyorama_studio.timeline.curves import Curves
    from polyorama_studio.timeline.edits import KeyEdits
    from polyorama_studio.timeline.rows import Row
    from polyorama_studio.timeline.sheet import Sheet
    from polyorama_studio.timeline.state import TimelineState

__all__ = ["act", "keys_menu", "press", "titles", "wanted"]

_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_SMOOTHNESS = (0.0, 0.25, 0.5, 0.75, 1.0)
_NUDGE = 10
"""Frames that an arrow key with Shift moves keys by."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("timeline", text)


def titles() -> dict[str, str]:
    """Interpolations and ends in the person's language."""
    return {
        "constant": _tr("Constant"),
        "linear": _tr("Linear"),
        "bezier": _tr("Bezier"),
        "smooth": _tr("Smooth"),
        "hold": _tr("Hold the first and last value"),
        "loop": _tr("Repeat"),
        "ping-pong": _tr("Repeat to and fro"),
        "smooth handles": _tr("Along the neighbours"),
        "level handles": _tr("Level"),
        "default handles": _tr("Where they lie by themselves"),
    }


def _entry(menu: QMenu, text: str, data: tuple, *, keys: str = "", enabled: bool = True) -> QAction:
    action = menu.addAction(f"{text}\t{keys}" if keys else text)
    action.setData(data)
    action.setEnabled(enabled)
    return action


def keys_menu(
    edits: KeyEdits, owner: Sheet | Curves, row: Row | None, seconds: float, *,
    handles: bool = False,
) -> QMenu:  # fmt: skip
    """The menu of a right click on the sheet or the curves.

    Parameters
    ----------
    edits
        Change the keys.
    owner
        Carries entries out, in `on_menu`.
    row
        Where it was clicked.
    seconds
        The time there, s.
    handles
        Whether handles can be seen, and all be framed.
    """
    state = edits.state
    menu = QMenu(owner)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    some = bool(state.choice)
    kinds = _present_kinds(state)
    group = QActionGroup(menu)
    group.setExclusive(False)
    for kind in INTERPOLATIONS:
        action = _entry(menu, titles()[kind], ("kind", kind), enabled=some)
        action.setCheckable(True)
        action.setChecked(kind in kinds)
    smooth = menu.addMenu(_tr("Smoothness"))
    smooth.setEnabled(some)
    for amount in _SMOOTHNESS:
        _entry(smooth, f"{amount * 100:g} %", ("smooth", amount))
    if handles:
        laid = menu.addMenu(_tr("Handles"))
        laid.setEnabled("bezier" in kinds)
        for how in HANDLES:
            _entry(laid, titles()[f"{how} handles"], ("handles", how))
    menu.addSeparator()
    _entry(menu, _tr("Copy keys"), ("copy",), keys="Ctrl+C", enabled=some)
    _entry(menu, _tr("Paste at the playhead"), ("paste",), keys="Ctrl+V",
           enabled=edits.can_paste)  # fmt: skip
    _entry(menu, _tr("Remove keys"), ("remove",), keys="Del", enabled=some)
    menu.addSeparator()
    _entry(menu, _tr("Choose all keys"), ("all",), keys="Ctrl+A")
    if row is not None and row.kind != "audio":
        _entry(menu, _tr("Choose keys of this row"), ("row", row.paths))
        if row.kind == "track":
            _entry(menu, _tr("Key here"), ("key", row.id, seconds))
        ends = menu.addMenu(_tr("Before the first key and after the last"))
        present = _present_ends(state, row)
        for name in ENDS:
            action = _entry(ends, titles()[name], ("ends", row.paths, name))
            action.setCheckable(True)
            action.setChecked(name in present)
    menu.addSeparator()
    _entry(menu, _tr("Frame all"), ("frame", False), keys="Home")
    _entry(menu, _tr("Frame chosen keys"), ("frame", True), keys="F", enabled=some)
    menu.triggered.connect(owner.on_menu)
    return menu


def _present_kinds(state: TimelineState) -> set[str]:
    timeline = state.timeline
    if timeline is None:
        return set()
    return {
        key.interpolation
        for path, times in state.choice.items()
        for key in timeline.tracks[path].keys
        if key.time in times
    }


def _present_ends(state: TimelineState, row: Row) -> set[str]:
    timeline = state.timeline
    return set() if timeline is None else {timeline.tracks[path].ends for path in row.paths}


def act(edits: KeyEdits, data: tuple) -> None:
    """Carry out an entry of the menu."""
    state = edits.state
    verb, *rest = data
    if verb == "kind":
        edits.interpolate(rest[0])
    elif verb == "smooth":
        edits.smooth(rest[0])
    elif verb == "handles":
        edits.lay_handles(rest[0])
    elif verb == "frame":
        state.frame(chosen=rest[0])
    elif verb == "copy":
        edits.copy()
    elif verb == "paste":
        edits.paste()
    elif verb == "remove":
        edits.remove()
    elif verb == "all":
        state.choose_all()
    elif verb == "row":
        state.choose(state.every_key(rest[0]))
    elif verb == "key":
        edits.key(rest[0], rest[1])
    elif verb == "ends":
        edits.set_ends(rest[0], rest[1])


_PLAIN = (
    Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up,
    Qt.Key.Key_Down, Qt.Key.Key_Escape, Qt.Key.Key_Home, Qt.Key.Key_F,
)  # fmt: skip
_WITH_CTRL = (Qt.Key.Key_C, Qt.Key.Key_V, Qt.Key.Key_X, Qt.Key.Key_A)


def wanted(event: QEvent) -> bool:
    """Whether a key press is the sheet's own, before any shortcut of the window."""
    key_event: QKeyEvent = event  # type: ignore[assignment]
    modifiers = key_event.modifiers() & (_CTRL | _SHIFT | Qt.KeyboardModifier.AltModifier)
    if modifiers == _CTRL:
        return key_event.key() in _WITH_CTRL
    if modifiers == _SHIFT:
        return key_event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right)
    return modifiers == Qt.KeyboardModifier.NoModifier and key_event.key() in _PLAIN


def press(edits: KeyEdits, event: QKeyEvent) -> bool:
    """Carry out a key press; tells whether it was one of these."""
    if not wanted(event):
        return False
    state, key = edits.state, event.key()
    if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
        edits.remove()
    elif key == Qt.Key.Key_C:
        edits.copy()
    elif key == Qt.Key.Key_X:
        edits.copy()
        edits.remove()
    elif key == Qt.Key.Key_V:
        edits.paste()
    elif key == Qt.Key.Key_A:
        state.choose_all()
    elif key == Qt.Key.Key_Escape:
        state.choose({})
    elif key in (Qt.Key.Key_Home, Qt.Key.Key_F):
        state.frame(chosen=key == Qt.Key.Key_F and bool(state.choice))
    elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
        state.step_rows(-1 if key == Qt.Key.Key_Up else 1)
    else:
        frames = (1 if key == Qt.Key.Key_Right else -1) * (
            _NUDGE if event.modifiers() & _SHIFT else 1
        )
        edits.nudge(frames)
    return True
