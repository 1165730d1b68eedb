"""Keeping a fault in one handler from ending the program.

PySide6 6.12 on Python 3.11 dies where a Python method that Qt calls raises: it reads the error in a
way that this Python does not know. So every method that Qt calls is guarded: a fault is logged and
told, and Qt gets an answer that does no harm.
"""

from __future__ import annotations

import functools
import sys
import traceback
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QModelIndex, QSize, Qt

from polyorama.errors import PolyoramaError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["guarded", "guards", "overrides"]

C = TypeVar("C", bound=type)

_ANSWERS: dict[str, Callable[[], Any]] = {
    "event": bool, "eventFilter": bool, "focusNextPrevChild": bool, "setData": bool,
    "canDropMimeData": bool, "dropMimeData": bool, "rowCount": int, "columnCount": int,
    "sizeHint": QSize, "minimumSizeHint": QSize, "index": QModelIndex, "parent": QModelIndex,
    "flags": lambda: Qt.ItemFlag.NoItemFlags, "mimeTypes": list,
    "supportedDropActions": lambda: Qt.DropAction.IgnoreAction,
}  # fmt: skip
"""What Qt is told by methods that broke and have something to tell."""
_SILENT = frozenset(
    (
        "data", "mimeData", "paint", "drawRow", "drawBranches", "createEditor", "setEditorData",
        "setModelData", "updateEditorGeometry", "highlightBlock",
    )
)  # fmt: skip
_told: set[str] = set()


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that Qt calls, which tells what it raises, each fault once."""
    answer = _ANSWERS.get(method.__name__)

    @functools.wraps(method)
    def run(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(self, *arguments, **named)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            words = f"{method.__qualname__}: {type(error).__name__}: {error}"
            if words not in _told:  # a paint event comes back sixty times a second
                _told.add(words)
                _tell(self, error)
            # A painter among its locals would go on painting after the event.
            traceback.clear_frames(error.__traceback__)
            return None if answer is None else answer()

    run.is_guarded = True  # type: ignore[attr-defined]
    return run


def _tell(owner: object, error: Exception) -> None:
    session = getattr(owner, "session", None) or getattr(owner, "_session", None)
    if isinstance(error, PolyoramaError) and session is not None:
        session.report(error)
    else:
        sys.excepthook(type(error), error, error.__traceback__)


def overrides(kind: type) -> list[str]:
    """Names of the methods of a class, its own ones, that Qt calls."""
    qt = [base for base in kind.__mro__[1:] if base.__module__.startswith("PySide6")]
    known = {name for base in qt for name in vars(base)}
    return [
        name
        for name, method in vars(kind).items()
        if name in known and callable(method) and _is_called(name)
    ]


def _is_called(name: str) -> bool:
    return name.endswith("Event") or name in _ANSWERS or name in _SILENT


def guards(kind: C) -> C:
    """Guard every method of a class that Qt calls; stands above the class."""
    for name in overrides(kind):
        method = vars(kind)[name]
        if not getattr(method, "is_guarded", False):
            setattr(kind, name, guarded(method))
    return kind
