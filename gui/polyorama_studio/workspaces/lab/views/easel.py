"""Painting on the canvas of a field with the mouse, or with a picture that is dropped on it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QImageReader

from polyorama.errors import FileFormatError
from polyorama_studio.bridge import Bridge
from polyorama_studio.jobs import Handlers, JobRunner, explain
from polyorama_studio.words import local_path
from polyorama_studio.workspaces.lab.views.brush import Brush, from_picture

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from PySide6.QtCore import QMimeData

    from polyorama.core.jobs import Progress
    from polyorama.lab.experiment import Canvas

__all__ = ["Easel"]

_MOST_MEGABYTES = 256
"""Of a picture that is dropped, once it is unpacked."""


class Easel(QObject):
    """A canvas with a brush.

    Parameters
    ----------
    canvas
        What is painted on.
    """

    changed = Signal()
    """The canvas looks different."""
    finished = Signal(object)
    """A stroke, a picture or an undo has come to its end with this array."""
    failed = Signal(str)
    """A picture could not be read; one sentence."""

    def __init__(self, canvas: Canvas, parent: QObject) -> None:
        super().__init__(parent)
        self.canvas = canvas
        self.brush = Brush(canvas)
        self.known = False
        """Whether the brush's array is the canvas's, and not only what a field of it showed."""
        self._jobs: JobRunner | None = None

    def follow(self, shown: NDArray | None) -> None:
        """Take what an experiment shows of the canvas, until something was painted."""
        if not self.known and shown is not None and not self.brush.painting:
            self.brush.take(shown)

    def start_from(self, values: NDArray) -> None:
        """Paint on this array from now on."""
        self.brush.take(values)
        self.known = True
        self.changed.emit()

    # Strokes

    def begin(self, row: float, column: float, button: Qt.MouseButton) -> None:
        """Put the brush down; the right button takes away."""
        taken = self.canvas.low if button == Qt.MouseButton.RightButton else None
        self.brush.begin(row, column, taken)
        self.known = True
        self.changed.emit()

    def draw_to(self, row: float, column: float) -> None:
        """Go on with the stroke."""
        self.brush.draw_to(row, column)
        self.changed.emit()

    def end(self) -> None:
        """Lift the brush."""
        values = self.brush.end()
        if values is not None:
            self.finished.emit(values)

    @Slot()
    def undo(self) -> None:
        """Take the last step back."""
        values = self.brush.undo()
        if values is not None:
            self.changed.emit()
            self.finished.emit(values)

    # Pictures

    @staticmethod
    def can_take(data: QMimeData) -> bool:
        """Whether something dragged is a picture, or may be one."""
        return data.hasImage() or any(url.isLocalFile() for url in data.urls())

    def drop(self, data: QMimeData) -> None:
        """Paint all of it with a picture; a file is read beside the GUI thread."""
        if data.hasImage():
            self._on_read(_shares(QImage(data.imageData()), self.canvas.shape))
            return
        paths = [local_path(url) for url in data.urls() if url.isLocalFile()]
        if self._jobs is None:
            self._jobs = JobRunner(Bridge(self))
        self._jobs.submit(
            partial(_read, paths[0], self.canvas.shape),
            Handlers(self._on_read, self._on_failed, self._on_progress), "picture",
        )  # fmt: skip

    def _on_read(self, pixels: NDArray[np.uint8]) -> None:
        values = self.brush.replace(from_picture(pixels, self.canvas))
        self.known = True
        self.changed.emit()
        self.finished.emit(values)

    def _on_failed(self, error: BaseException) -> None:
        self.failed.emit(explain(error))

    def _on_progress(self, progress: Progress) -> None:
        """It is too short to be told."""


def _read(path: Path, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Lightness of a picture file in a canvas's shape; on a worker thread."""
    QImageReader.setAllocationLimit(_MOST_MEGABYTES)
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    image = reader.read()
    if image.isNull():
        raise FileFormatError(
            f"{path.name} cannot be read as a picture ({reader.errorString().rstrip('.')}); drop "
            f"a PNG or JPEG."
        )
    return _shares(image, shape)


def _shares(image: QImage, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """(rows, columns) uint8 lightness, the first row on top; what is transparent is black."""
    rows, columns = shape
    scaled = image.scaled(
        QSize(columns, rows), Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    ).convertToFormat(QImage.Format.Format_RGBA8888_Premultiplied)  # fmt: skip
    pixels = np.frombuffer(scaled.constBits(), np.uint8).reshape(rows, scaled.bytesPerLine())
    rgba = pixels[:, : 4 * columns].reshape(rows, columns, 4)
    return np.round(rgba[..., :3] @ np.array([0.2126, 0.7152, 0.0722])).astype(np.uint8)
