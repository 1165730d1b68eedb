"""Short moving pictures of experiments for the gallery: shipped, or made once and kept."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

__all__ = ["FRAMES", "SIZE", "file_name", "kept_path", "read_frames", "room_title", "write_frames"]

FRAMES = 20
"""Pictures of a loop."""
SIZE = (384, 216)
"""Of each, pixels: two for each that a card has on most screens."""
_QUALITY = 76
_ROOMS = {
    "bandits": "Bandits",
    "rl": "Reinforcement learning",
    "training": "Training",
    "inference": "Inference",
    "graphs": "Graphs",
    "music": "Music",
    "language": "Language",
}


def room_title(experiment_id: str) -> str:
    """What the room of an experiment is called."""
    room = experiment_id.partition("/")[0]
    return _ROOMS.get(room, room.replace("-", " ").capitalize())


def _folder() -> Path | None:
    folder = resources.files("polyorama_assets") / "lab"
    return folder if isinstance(folder, Path) and folder.is_dir() else None


def file_name(experiment_id: str, theme: str) -> str:
    """Name of the file of a loop."""
    return f"{experiment_id.replace('/', '.')}.{theme}.webp"


def kept_path(experiment_id: str, theme: str) -> Path:
    """Where a loop that was made here is kept."""
    name = hashlib.sha256(experiment_id.encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("polyorama") / "lab previews" / f"{name}.{theme}.webp"


def read_frames(experiment_id: str, theme: str) -> list[QImage]:
    """The pictures of a loop, none where there is no file; for worker threads, too."""
    from PySide6.QtGui import QImage

    folder = _folder()
    places = [] if folder is None else [folder / file_name(experiment_id, theme)]
    for path in (*places, kept_path(experiment_id, theme)):
        if path.is_file():
            strip = QImage(str(path))
            high = SIZE[1]
            count = strip.height() // high
            return [strip.copy(0, number * high, strip.width(), high) for number in range(count)]
    return []


def write_frames(frames: list[QImage], path: Path) -> bool:
    """Keep a loop as one tall picture; whether that was possible."""
    from PySide6.QtGui import QImage, QPainter

    if not frames:
        return False
    strip = QImage(SIZE[0], SIZE[1] * len(frames), QImage.Format.Format_RGB32)
    painter = QPainter(strip)
    for number, frame in enumerate(frames):
        painter.drawImage(0, number * SIZE[1], frame)
    painter.end()
    path.parent.mkdir(parents=True, exist_ok=True)
    return strip.save(str(path), "webp", _QUALITY)
