"""What the studio remembers between two starts: recent files, window, theme."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MAX_RECENT", "Preferences"]

MAX_RECENT = 8


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
        return [path for path in map(Path, map(str, names)) if path.exists()]

    def remember(self, paths: Iterable[Path]) -> None:
        """Put files at the head of the recent ones."""
        fresh = [path.resolve() for path in paths]
        kept = [path for path in self.recent if path not in fresh]
        self._settings.setValue("recent", [str(path) for path in (fresh + kept)[:MAX_RECENT]])
        if fresh:
            self.folder = str(fresh[0].parent)
        self.recent_changed.emit()

    def forget_recent(self) -> None:
        """Empty the list of recent files."""
        self._settings.setValue("recent", [])
        self.recent_changed.emit()
