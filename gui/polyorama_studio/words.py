"""File names as they can be shown: whoever named a file may have written anything."""

from __future__ import annotations

import html
import os
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import Qt, QUrl

if TYPE_CHECKING:
    from PySide6.QtGui import QFontMetrics

__all__ = ["legible", "local_path", "menu_text", "shortened", "tip"]

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of writing, so that an ending can look like another."""


def legible(name: str) -> str:
    """A file's name in one line: what is not text, or hides text, stands as a replacement mark."""
    return "".join(
        _UNKNOWN if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in _TURNING else c
        for c in name
    )


def shortened(name: str, metrics: QFontMetrics, width: int) -> str:
    """As `legible`, elided in the middle to so many logical pixels: beginning and ending stay."""
    return metrics.elidedText(legible(name), Qt.TextElideMode.ElideMiddle, width)


def menu_text(name: str) -> str:
    """A file's name in a menu, where a single ampersand would mark a key."""
    return legible(name).replace("&", "&&")


def tip(text: str) -> str:
    """A tooltip of plain text, which Qt would take for HTML where it holds something like a tag."""
    lines = (html.escape(legible(line), quote=False) for line in text.split("\n"))
    return f"<qt>{'<br>'.join(lines)}</qt>"


def local_path(url: QUrl) -> Path:
    """The file that a local URL names.

    On systems where names are bytes Qt's own way loses those that are not UTF-8.
    """
    if sys.platform == "win32" or url.host():
        return Path(url.toLocalFile())
    encoded = url.path(QUrl.ComponentFormattingOption.FullyEncoded)
    return Path(os.fsdecode(unquote_to_bytes(encoded)))
