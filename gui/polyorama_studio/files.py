"""The file dialogs: the system's own where there is one, else Qt's in our dress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QFileInfo, QSize
from PySide6.QtWidgets import (
    QFileDialog,
    QFileIconProvider,
    QHeaderView,
    QListView,
    QTreeView,
    QWidget,
)

from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon

    from polyorama_studio.theme import Tokens

__all__ = ["folder_dialog", "open_dialog", "open_filter", "save_dialog"]

_TYPE_COLUMN = 2
"""The system's names of file types know nothing of captures."""

_NAMES = {
    "compressed-ply": "Compressed PLY",
    "ply": "PLY",
    "splat": "SPLAT",
    "ksplat": "KSPLAT",
    "spz": "SPZ",
    "sog": "SOG",
    "gltf": "glTF",
}


class _Icons(QFileIconProvider):
    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        quiet, accent = tokens.color("quiet"), tokens.color("accent")
        self._folder = icon("folder", quiet)
        self._file = icon("file", quiet)
        self._computer = icon("computer", quiet)
        self._capture = icon("splats", quiet)
        self._project = icon("theatre", accent)

    def icon(self, what: QFileInfo | QFileIconProvider.IconType) -> QIcon:
        """The icon of a file, or of a kind of place."""
        kinds = QFileIconProvider.IconType
        if isinstance(what, QFileInfo):
            if what.isDir():
                return self._folder
            if what.suffix() == "poly":
                return self._project
            known = {ending.strip("*.") for ending in _patterns()}
            return self._capture if what.suffix().lower() in known else self._file
        if what in (kinds.Computer, kinds.Desktop, kinds.Network, kinds.Drive):
            return self._computer
        return self._folder if what == kinds.Folder else self._file


def _patterns() -> list[str]:
    from polyorama.io.audio import AUDIO_ENDINGS
    from polyorama.io.formats import FORMATS
    from polyorama.verbs.open import MESH_ENDINGS

    endings = {e for entry in FORMATS if entry.name != "csv" for e in entry.endings}
    return sorted(_pattern(e) for e in {*endings, *MESH_ENDINGS, *AUDIO_ENDINGS, ".poly"})


def _pattern(ending: str) -> str:
    return f"*{ending}" if ending.startswith(".") else ending


def _tr(text: str) -> str:
    return QCoreApplication.translate("files", text)


def open_filter() -> str:
    """The filters of the file dialog: everything that can be opened, then each kind."""
    from polyorama.io.audio import AUDIO_ENDINGS
    from polyorama.io.formats import FORMATS
    from polyorama.verbs.open import MESH_ENDINGS

    kinds = [(_tr("Polyorama projects"), [".poly"])]
    kinds += [
        (_tr("{0} captures").format(_NAMES.get(entry.name, entry.name)), list(entry.endings))
        for entry in FORMATS
        if entry.name != "csv"
    ]
    kinds.append((_tr("Meshes"), list(MESH_ENDINGS)))
    kinds.append((_tr("Sounds"), list(AUDIO_ENDINGS)))
    lines = [_tr("All that can be opened ({0})").format(" ".join(_patterns()))]
    lines += [f"{name} ({' '.join(map(_pattern, endings))})" for name, endings in kinds]
    return ";;".join(lines)


def open_dialog(parent: QWidget, title: str, folder: str, tokens: Tokens) -> QFileDialog:
    """A dialog that chooses several files to open."""
    dialog = _dialog(parent, title, folder, open_filter(), tokens)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    return dialog


def save_dialog(
    parent: QWidget, title: str, path: str, kinds: str, tokens: Tokens, ending: str
) -> QFileDialog:
    """A dialog that chooses a file to write; `ending` is added to names that have none."""
    dialog = _dialog(parent, title, "", kinds, tokens)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(ending)
    dialog.selectFile(path)
    return dialog


def folder_dialog(parent: QWidget, title: str, folder: str, tokens: Tokens) -> QFileDialog:
    """A dialog that chooses a folder that is there."""
    dialog = _dialog(parent, title, folder, "", tokens)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
    return dialog


def _dialog(parent: QWidget, title: str, folder: str, kinds: str, tokens: Tokens) -> QFileDialog:
    dialog = QFileDialog(parent, title, folder, kinds)
    dialog.setOption(QFileDialog.Option.HideNameFilterDetails, True)
    # The dialog does not own its provider, and keeps only a bare pointer to it.
    dialog.icons = _Icons(tokens)  # type: ignore[attr-defined]
    dialog.setIconProvider(dialog.icons)  # type: ignore[attr-defined]
    labels = QFileDialog.DialogLabel
    dialog.setLabelText(labels.LookIn, _tr("Folder"))
    dialog.setLabelText(labels.FileName, _tr("Name"))
    dialog.setLabelText(labels.FileType, _tr("Kind"))
    dialog.resize(*Metrics.file_dialog)
    for tree in dialog.findChildren(QTreeView):
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.hideSection(_TYPE_COLUMN)
    for sidebar in dialog.findChildren(QListView, "sidebar"):
        sidebar.setIconSize(QSize(Metrics.icon, Metrics.icon))
    return dialog
