"""What the studio remembers between two starts: recent files, window, theme."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MAX_RECENT", "Preferences"]

MAX_RECENT = 8
_URI = "file:///"


class Preferences(QObject):
    """Typed access to a small INI file.

    Parameters
    ----------
    path
        The file; by default the user's own place for settings.
    """

    recent_changed = Signal()

    def __init__(self, parent: QObject | None = None, path: Path | None = None) -> None:
        super().__init__(parent)
        if path is None:
            self._settings = QSettings(
                QSettings.Format.IniFormat, QSettings.Scope.UserScope, "polyorama", "studio", self
            )
        else:
            self._settings = QSettings(str(path), QSettings.Format.IniFormat, self)

    @property
    def theme(self) -> str:
        """The theme chosen, dark or light."""
        return "light" if self._settings.value("theme") == "light" else "dark"

    @theme.setter
    def theme(self, name: str) -> None:
        self._settings.setValue("theme", name)

    @property
    def geometry(self) -> QByteArray | None:
        """Where the window was."""
        value = self._settings.value("geometry")
        return value if isinstance(value, QByteArray) else None

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._settings.setValue("geometry", value)

    @property
    def folder(self) -> str:
        """Where a file was last opened or saved."""
        return str(self._settings.value("folder", str(Path.home())))

    @folder.setter
    def folder(self, value: str) -> None:
        self._settings.setValue("folder", value)

    @property
    def recent(self) -> list[Path]:
        """Files opened lately that still exist, newest first."""
        stored = self._settings.value("recent", [])
        names = stored if isinstance(stored, list) else [stored] if stored else []
        # os.path answers where Path would raise: for folders that may not be read, for one.
        return [path for path in map(_loaded, map(str, names)) if os.path.exists(path)]

    def remember(self, paths: Iterable[Path]) -> None:
        """Put files at the head of the recent ones."""
        fresh = [path.resolve() for path in paths]
        kept = [path for path in self.recent if path not in fresh]
        self._settings.setValue("recent", [_stored(path) for path in (fresh + kept)[:MAX_RECENT]])
        if fresh:
            self.folder = str(fresh[0].parent)
        self.recent_changed.emit()

    def forget_recent(self) -> None:
        """Empty the list of recent files."""
        self._settings.setValue("recent", [])
        self.recent_changed.emit()


def _stored(path: Path) -> str:
    """A path as text for the settings, which hold nothing but Unicode."""
    text = str(path)
    return text if text.isprintable() else path.as_uri()


def _loaded(text: str) -> Path:
    """The path of such a text."""
    if text.startswith(_URI):
        return Path(os.fsdecode(unquote_to_bytes(text[len(_URI) - 1 :])))
    return Path(text)
