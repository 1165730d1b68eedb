"""What a drag carries: files for any program, and which shapes they are for this one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QUrl

from polyorama_studio.workspaces.shapes.shelf import title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.shapes.library.asset import Asset

__all__ = ["ASSET_MIME", "Dragged", "dragged_in", "folders_in", "mime_of"]

ASSET_MIME = "application/x-polyorama-asset"
_LONGEST = 1 << 20
"""Bytes that are read of it: any program may write this."""
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Dragged:
    """A shape that is dragged: its id in the library, its file and its name."""

    id: int
    path: Path
    name: str


def mime_of(assets: Sequence[Asset]) -> QMimeData:
    """What a drag of shapes carries."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(asset.path)) for asset in assets])
    entries = [{"id": a.id, "path": str(a.path), "name": title_of(a)} for a in assets]
    data.setData(ASSET_MIME, json.dumps(entries).encode("utf-8"))
    return data


def folders_in(data: QMimeData) -> list[Path]:
    """The folders among the files that a drag carries, unless it is one of shapes."""
    if data.hasFormat(ASSET_MIME):
        return []
    paths = [Path(url.toLocalFile()) for url in data.urls()[:_MOST] if url.isLocalFile()]
    return [path for path in paths if path.is_dir()]


def dragged_in(data: QMimeData) -> list[Dragged]:
    """The shapes that a drag carries, none where it does not."""
    if not data.hasFormat(ASSET_MIME):
        return []
    raw = bytes(data.data(ASSET_MIME).data())
    try:
        entries = json.loads(raw) if len(raw) <= _LONGEST else []
    except ValueError:
        return []
    found = []
    for entry in entries[:_MOST] if isinstance(entries, list) else []:
        match entry:
            case {"id": int(number), "path": str(path), "name": str(name)}:
                found.append(Dragged(number, Path(path), name))
    return found
