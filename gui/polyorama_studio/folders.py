"""The system's own view of folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["show_in_folder"]


def show_in_folder(path: Path) -> None:
    """Open the folder that holds a file."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
