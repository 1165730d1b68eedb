"""File names as they can be shown: whoever named a file may have written anything."""

from __future__ import annotations

import html
import os
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import QCoreApplication, Qt, QUrl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QFontMetrics

    from polyorama.scene.document import Node

__all__ = [
    "duration_text", "first_line", "legible", "legible_lines", "local_path", "memory_text",
    "menu_text", "shortened", "splats_left", "tip", "translated",
]  # fmt: skip

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of writing, so that an ending can look like another."""


def translated(text: str) -> str:
    """A title or tooltip of a table in the person's language."""
    return QCoreApplication.translate("actions", text)


def duration_text(seconds: float) -> str:
    """A length of time as people say it: ``8 s``, ``2 min 5 s``, ``1 h 12 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{max(whole, 0)} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def memory_text(size: float) -> str:
    """A number of bytes as people read it: ``12 kB``, ``3.4 MB``."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit in ("B", "kB") or size >= 100 else f"{size:.1f} MB"
        size /= 1000.0
    return f"{size:.1f} GB"


def splats_left(nodes: Iterable[Node]) -> str:
    """How many splats nodes have without those that were deleted, and of how many."""
    from polyorama.scene.subject import splat_count

    each = list(nodes)
    total = splat_count(each)
    gone = sum(len(n.deleted) for n in each if n.splats is not None and n.deleted is not None)
    if gone:
        text = QCoreApplication.translate("words", "{0} of {1} splats")
        return text.format(f"{total - gone:,}", f"{total:,}")
    if total == 1:
        return QCoreApplication.translate("words", "1 splat")
    return QCoreApplication.translate("words", "{0} splats").format(f"{total:,}")


def legible(name: str) -> str:
    """A file's name in one line: what is not text, or hides text, stands as a replacement mark."""
    return "".join(
        _UNKNOWN if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in _TURNING else c
        for c in name
    )


def first_line(text: str) -> str:
    """A message without what follows its first line, such as the place in a rule."""
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def legible_lines(text: str) -> str:
    """As `legible`, line by line, without lines that point at the one above with carets."""
    return "\n".join(legible(line) for line in text.split("\n") if line.strip(" ^"))


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
