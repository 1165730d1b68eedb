"""Log records as lines for the person at the command line.

Modules log to ``logging.getLogger(__name__)``; nothing is shown until a front end asks for it. The
studio shows records as toasts, the command line as lines on stderr through this module.
"""

from __future__ import annotations

import logging
import os
import sys

from polyorama.core.text import one_line
from polyorama.errors import UsageError

__all__ = ["LEVEL_VARIABLE", "to_stderr"]

LEVEL_VARIABLE = "POLYORAMA_LOG"
"""Environment variable with the least level that is shown: debug, info, warning or error."""

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class _Lines(logging.Handler):
    """Writes ``polyorama: text`` to whatever stderr is at that moment."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
            # A progress bar may stand on the line; it is drawn again below.
            wipe = "\r\x1b[2K" if sys.stderr.isatty() else ""
            sys.stderr.write(f"{wipe}{line}\n")
            sys.stderr.flush()
        except Exception:  # noqa: BLE001 - as every logging handler must
            self.handleError(record)

    def format(self, record: logging.LogRecord) -> str:
        word = "warning: " if record.levelno == logging.WARNING else ""
        message = record.getMessage()
        # A traceback may follow, which has lines of its own.
        rest = super().format(record).removeprefix(message)
        return f"polyorama: {word}{one_line(message)}{rest}"


def to_stderr() -> None:
    """Show the engine's log records on stderr from now on; calling it again changes the level.

    Raises
    ------
    UsageError
        If the variable POLYORAMA_LOG names no level.
    """
    wanted = os.environ.get(LEVEL_VARIABLE, "warning").lower()
    if wanted not in _LEVELS:
        raise UsageError(f"{LEVEL_VARIABLE} is {wanted!r}; it can be {', '.join(_LEVELS)}.")
    logger = logging.getLogger("polyorama")
    logger.setLevel(_LEVELS[wanted])
    if not any(isinstance(handler, _Lines) for handler in logger.handlers):
        logger.addHandler(_Lines())
