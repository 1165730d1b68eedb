"""What the studio remembers between two starts: recent files, window, theme."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "DEFAULT_HISTORY_MIB",
    "MAX_RECENT",
    "NAVIGATIONS",
    "SCALES",
    "UNITS",
    "Preferences",
]

MAX_RECENT = 8
MAX_ACTIONS = 12
DEFAULT_HISTORY_MIB = 512
NAVIGATIONS = ("orbit", "blender")
"""Middle button pans; or it orbits, pans with Shift and zooms with Ctrl."""
UNITS = ("units", "m", "cm", "mm", "ft", "in")
SCALES = (75, 300)
"""Least and largest size of the interface, percent."""
_URI = "file:///"


class Preferences(QObject):
    """Typed access to a small INI file.

    Parameters
    ----------
    path
        The file; by default the user's own place for settings.
    """

    changed = Signal()
    recent_changed = Signal()

    def __init__(self, parent: QObject | None = None, path: Path | None = None) -> None:
        super().__init__(parent)
        self._layouts: list[str] | None = None
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
        return self._bytes("geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._settings.setValue("geometry", value)

    @property
    def home(self) -> Path:
        """The folder of these settings, where a person's own presets are kept, too."""
        return Path(self._settings.fileName()).parent

    @property
    def folder(self) -> str:
        """Where a file was last opened or saved."""
        return str(self._settings.value("folder", str(Path.home())))

    @folder.setter
    def folder(self, value: str) -> None:
        self._settings.setValue("folder", value)

    # What a person chooses in the dialog

    @property
    def autosave(self) -> bool:
        """Whether a journal is kept, from which work comes back after a crash."""
        return self._flag("autosave", True)

    @autosave.setter
    def autosave(self, on: bool) -> None:
        self._settings.setValue("autosave", int(on))

    @property
    def history_mib(self) -> int:
        """Memory of the undo history, MiB."""
        return self._number("history", DEFAULT_HISTORY_MIB, 16, 1 << 20)

    @history_mib.setter
    def history_mib(self, value: int) -> None:
        self._settings.setValue("history", value)
        self.changed.emit()

    @property
    def scale_percent(self) -> int:
        """Size of the whole interface beside what the screen asks for, percent; at the start."""
        return self._number("scale", 100, *SCALES)

    @scale_percent.setter
    def scale_percent(self, value: int) -> None:
        self._settings.setValue("scale", value)

    @property
    def navigation(self) -> str:
        """Which buttons move the view: one of `NAVIGATIONS`."""
        return self._choice("navigation", NAVIGATIONS)

    @navigation.setter
    def navigation(self, name: str) -> None:
        self._settings.setValue("navigation", name)
        self.changed.emit()

    @property
    def unit(self) -> str:
        """What one unit of the world is called: one of `UNITS`."""
        return self._choice("unit", UNITS)

    @unit.setter
    def unit(self, name: str) -> None:
        self._settings.setValue("unit", name)
        self.changed.emit()

    @property
    def layers(self) -> set[str]:
        """Layers over the picture that are not as they are before a person has chosen."""
        kept = str(self._settings.value("layers", ""))
        return set(kept.split()) if kept.isprintable() else set()

    @layers.setter
    def layers(self, flipped: set[str]) -> None:
        self._settings.setValue("layers", " ".join(sorted(flipped)))

    @property
    def backend(self) -> str:
        """The rasterizer to draw with, or "auto"; at the start."""
        return str(self._settings.value("backend", "auto"))

    @backend.setter
    def backend(self, name: str) -> None:
        self._settings.setValue("backend", name)

    @property
    def lab_experiment(self) -> str:
        """Id of the experiment that was on the stage of the Lab last."""
        return str(self._settings.value("lab-experiment", ""))

    @lab_experiment.setter
    def lab_experiment(self, experiment_id: str) -> None:
        self._settings.setValue("lab-experiment", experiment_id)

    @property
    def shapes_side(self) -> int:
        """Side of a picture in the grid of shapes, logical pixels."""
        return self._number("shapes-side", 148, 64, 512)

    @shapes_side.setter
    def shapes_side(self, side: int) -> None:
        self._settings.setValue("shapes-side", side)

    # Layouts

    @property
    def layout(self) -> QByteArray | None:
        """How the docks stood last."""
        return self._bytes("layout")

    @layout.setter
    def layout(self, state: QByteArray) -> None:
        self._settings.setValue("layout", state)

    @property
    def layouts(self) -> list[str]:
        """Names of layouts that were saved, in alphabetical order."""
        # Asked for with each refresh of the menus; the settings are slow to list.
        if self._layouts is None:
            self._settings.beginGroup("layouts")
            names = [_unescaped(key) for key in self._settings.childKeys()]
            self._settings.endGroup()
            self._layouts = sorted(names, key=str.casefold)
        return list(self._layouts)

    def named_layout(self, name: str) -> QByteArray | None:
        """A layout that was saved under a name."""
        return self._bytes(f"layouts/{_escaped(name)}")

    def save_layout(self, name: str, state: QByteArray) -> None:
        """Save a layout under a name."""
        self._settings.setValue(f"layouts/{_escaped(name)}", state)
        self._layouts = None
        self.changed.emit()

    def forget_layout(self, name: str) -> None:
        """Remove a layout that was saved."""
        self._settings.remove(f"layouts/{_escaped(name)}")
        self._layouts = None
        self.changed.emit()

    # What was used lately

    @property
    def recent_actions(self) -> list[str]:
        """Ids of actions that were chosen in the palette, the latest first."""
        return self._texts("actions")

    def remember_action(self, action_id: str) -> None:
        """Put an action at the head of those."""
        kept = [known for known in self.recent_actions if known != action_id]
        self._settings.setValue("actions", [action_id, *kept][:MAX_ACTIONS])

    @property
    def recent(self) -> list[Path]:
        """Files opened lately that still exist, newest first."""
        names = self._texts("recent")
        # os.path answers where Path would raise: for folders that may not be read, for one.
        return [path for path in map(_loaded, names) if os.path.exists(path)]

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

    # A person may have written anything into the file

    def _flag(self, key: str, default: bool) -> bool:
        return str(self._settings.value(key, int(default))).lower() in ("1", "true", "yes", "on")

    def _number(self, key: str, default: int, low: int, high: int) -> int:
        try:
            value = int(str(self._settings.value(key, default)))
        except ValueError:
            return default
        return min(max(value, low), high)

    def _choice(self, key: str, choices: tuple[str, ...]) -> str:
        value = self._settings.value(key)
        return value if value in choices else choices[0]

    def _bytes(self, key: str) -> QByteArray | None:
        value = self._settings.value(key)
        return value if isinstance(value, QByteArray) else None

    def _texts(self, key: str) -> list[str]:
        stored = self._settings.value(key, [])
        return list(map(str, stored if isinstance(stored, list) else [stored] if stored else []))


def _escaped(name: str) -> str:
    """A name as a key: slashes would make groups, and case may not be kept everywhere."""
    return name.encode("utf-8").hex()


def _unescaped(key: str) -> str:
    try:
        return bytes.fromhex(key).decode("utf-8", "replace")
    except ValueError:
        return key


def _stored(path: Path) -> str:
    """A path as text for the settings, which hold nothing but Unicode."""
    text = str(path)
    return text if text.isprintable() else path.as_uri()


def _loaded(text: str) -> Path:
    """The path of such a text."""
    if text.startswith(_URI):
        return Path(os.fsdecode(unquote_to_bytes(text[len(_URI) - 1 :])))
    return Path(text)
