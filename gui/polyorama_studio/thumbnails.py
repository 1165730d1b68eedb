"""Small pictures of files: what projects hold, and what was last seen of captures."""

from __future__ import annotations

import hashlib
import logging
from functools import partial
from typing import TYPE_CHECKING

import platformdirs
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QImage, QPixmap

from polyorama.errors import PolyoramaError
from polyorama.io.atomic import atomic_write
from polyorama.io.formats import PROJECT_ENDING
from polyorama_studio import calls
from polyorama_studio.jobs import Handlers

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama_studio.rendering import Picture
    from polyorama_studio.session import Session

__all__ = ["Thumbnails"]

log = logging.getLogger(__name__)

_MOST_KEPT = 64


class Thumbnails(QObject):
    """Gives pictures of files; those that are not there yet are read on worker threads.

    Parameters
    ----------
    session
        Runs jobs, and tells what is open.
    folder
        Where pictures of captures are kept; the user's place for such things if not given.
    """

    came = Signal(object)
    """The picture of this path can be had now."""

    def __init__(self, session: Session, folder: Path | None = None) -> None:
        super().__init__(session)
        self._session = session
        self._folder = folder or platformdirs.user_cache_path("polyorama") / "pictures"
        self._pictures: dict[Path, QPixmap | None] = {}
        self._wanted: Path | None = None
        session.opening.files_changed.connect(self._on_files)
        session.stage.picture_ready.connect(self._on_picture)

    def of(self, path: Path) -> QPixmap | None:
        """The picture of a file, or None; then `came` tells if there is one after all."""
        if path not in self._pictures:
            self._pictures[path] = None
            self._session.start_job(
                partial(_read, path, self._folder),
                Handlers(
                    partial(self._on_read, path), self._on_failed, self._session.on_progress
                ),
                "read thumbnail",
            )  # fmt: skip
        return self._pictures[path]

    def _on_read(self, path: Path, image: QImage | None) -> None:
        if image is not None and not image.isNull():
            self._pictures[path] = QPixmap.fromImage(image)
            self.came.emit(path)

    def _on_failed(self, error: BaseException) -> None:
        # Whoever opens that file is told what is wrong with it; a list of files is no place for it.
        log.info("A thumbnail could not be read or kept: %s", error)

    @Slot()
    def _on_files(self) -> None:
        files = self._session.files
        own = len(files) == 1 and files[0].suffix.lower() != PROJECT_ENDING
        self._wanted = files[0] if own else None
        for path in files:
            self._pictures.pop(path.absolute(), None)

    @Slot(object)
    def _on_picture(self, picture: Picture) -> None:
        if self._wanted is None or picture.image is None or not picture.request.quality.full:
            return
        path, self._wanted = self._wanted, None
        self._session.start_job(
            partial(_keep, path.absolute(), picture.image, self._folder),
            Handlers(self._on_kept, self._on_failed, self._session.on_progress),
            "keep thumbnail",
        )

    def _on_kept(self, path: Path) -> None:
        self._pictures.pop(path, None)


def _read(path: Path, folder: Path) -> QImage | None:
    """On a worker thread."""
    if path.suffix.lower() == PROJECT_ENDING:
        try:
            data = calls.thumbnail_of(path)
        except PolyoramaError:
            return None
        return None if data is None else QImage.fromData(data)
    kept = _place(path, folder)
    return QImage(str(kept)) if kept is not None and kept.is_file() else None


def _keep(path: Path, image: QImage, folder: Path) -> Path:
    """On a worker thread: keep a picture, and no more than some of them."""
    place = _place(path, folder)
    if place is not None:
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(place) as temporary:
            temporary.write_bytes(calls.png_of(image))
        kept = sorted(folder.glob("[!.]*.png"), key=_age)
        for old in kept[:-_MOST_KEPT]:
            old.unlink(missing_ok=True)
    return path


def _age(path: Path) -> float:
    return path.stat().st_mtime


def _place(path: Path, folder: Path) -> Path | None:
    """Where the picture of a file lies; another file of that name has another one."""
    try:
        state = path.stat()
    except OSError:
        return None
    words = f"{path.absolute()}\n{state.st_size}\n{state.st_mtime_ns}"
    return folder / f"{hashlib.sha256(words.encode('utf-8', 'surrogateescape')).hexdigest()}.png"
