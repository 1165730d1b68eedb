"""Where notes go: Python's logging, with Qt's own messages in it, the last lines kept in memory."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

__all__ = ["install", "log_text", "start_of_qt", "tell_uncaught"]

_KEPT = 500
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_QT_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
_lines: deque[str] = deque(maxlen=_KEPT)
_told: list[Callable[[BaseException], None]] = []
_log = logging.getLogger("polyorama_studio")


class _Memory(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        _lines.append(self.format(record))


def log_text() -> str:
    """The last lines of the log."""
    return "\n".join(_lines)


def install() -> None:
    """Catch what nobody else does, from Python, its threads and Qt, and log it."""
    root = logging.getLogger()
    if not any(isinstance(handler, _Memory) for handler in root.handlers):
        memory = _Memory()
        terminal = logging.StreamHandler()
        terminal.setLevel(logging.WARNING)
        for handler in (memory, terminal):
            handler.setFormatter(logging.Formatter(_FORMAT))
            root.addHandler(handler)
    _log.setLevel(logging.INFO)
    sys.excepthook = _on_exception
    threading.excepthook = _on_thread_exception
    qInstallMessageHandler(_on_qt_message)


def tell_uncaught(tell: Callable[[BaseException], None] | None) -> None:
    """Have a function told, from whatever thread, of errors that nobody catches; None ends it."""
    _told[:] = [] if tell is None else [tell]


@contextlib.contextmanager
def start_of_qt(on_failure: Callable[[str], None]) -> Iterator[None]:
    """While Qt starts: what it says is logged when it has started.

    Parameters
    ----------
    on_failure
        Called with what Qt said first, in one line, where it cannot start; when that returns, Qt
        aborts the process.
    """
    held: list[tuple[QtMsgType, QMessageLogContext, str]] = []

    def hold(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        held.append((kind, context, message))
        if kind == QtMsgType.QtFatalMsg:
            on_failure(" ".join(held[0][2].split()))

    qInstallMessageHandler(hold)
    try:
        yield
    finally:
        qInstallMessageHandler(_on_qt_message)
    for kind, context, message in held:
        _on_qt_message(kind, context, message)


def _on_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        _log.critical("An error that nobody caught.", exc_info=(kind, error, trace))
        for tell in _told:
            tell(error)


def _on_thread_exception(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None:
        _on_exception(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def _on_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    logging.getLogger("qt").log(_QT_LEVELS.get(kind, logging.WARNING), "%s", message)
