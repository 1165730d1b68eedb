"""Pictures that are shown to the library: dropped, pasted or chosen."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QImage, QImageReader, QPainter, QPen
from PySide6.QtWidgets import QFileDialog

from polyorama.errors import FileFormatError
from polyorama_studio.fields.buttons import Hovered
from polyorama_studio.files import folder_dialog
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.jobs import Handlers
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import legible, local_path, tip
from polyorama_studio.workspaces.shapes.question import Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QEvent, QMimeData
    from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPaintEvent
    from PySide6.QtWidgets import QWidget

    from polyorama_studio.session import Session

__all__ = ["PictureDrop", "picture_of", "read_picture"]

_SIDE = 640
"""Longer sides are made so long, px: no model looks closer."""
_SMALL = 96
_MOST = 8


def read_picture(path: Path) -> Picture:
    """A picture file, turned as its camera was held; for worker threads.

    Raises
    ------
    FileFormatError
        If it cannot be read.
    """
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > _SIDE:
        reader.setScaledSize(size.scaled(_SIDE, _SIDE, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    if image.isNull():
        raise FileFormatError(f"This picture cannot be read ({reader.errorString()}): {path}")
    return picture_of(image, legible(path.name))


def picture_of(image: QImage, name: str) -> Picture:
    """A picture as the library takes it; what is transparent becomes white."""
    if max(image.width(), image.height()) > _SIDE:
        image = image.scaled(
            _SIDE, _SIDE, Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )  # fmt: skip
    flat = QImage(image.size(), QImage.Format.Format_RGB888)
    flat.fill(Qt.GlobalColor.white)
    painter = QPainter(flat)
    painter.drawImage(0, 0, image)
    painter.end()
    rows = np.frombuffer(flat.constBits(), np.uint8).reshape(flat.height(), flat.bytesPerLine())
    pixels = rows[:, : 3 * flat.width()].reshape(flat.height(), flat.width(), 3).copy()
    small = flat.scaled(
        _SMALL, _SMALL, Qt.AspectRatioMode.KeepAspectRatioByExpanding,
        Qt.TransformationMode.SmoothTransformation,
    )  # fmt: skip
    return Picture(name, pixels, small)


def _read_all(paths: Sequence[Path]) -> tuple[list[Picture], list[FileFormatError]]:
    pictures, errors = [], []
    for path in paths:
        try:
            pictures.append(read_picture(path))
        except FileFormatError as error:
            errors.append(error)
    return pictures, errors


def holds_pictures(data: QMimeData) -> bool:
    """Whether pictures can be had of what is dragged or copied."""
    return data.hasImage() or any(url.isLocalFile() for url in data.urls())


@guards
class PictureDrop(Hovered):
    """Where pictures are dropped; a click chooses files, Ctrl+V pastes."""

    shown = Signal(tuple)
    """Pictures that were read."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(session.theme, parent)
        self.session = session
        self._over = False
        self.setText(self.tr("Drop a picture, or paste one"))
        self.setAccessibleName(self.text())
        words = self.tr("Find what pictures show\nDrop files here, press Ctrl+V, or click")
        self.setToolTip(tip(words))
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedHeight(Metrics.shapes_drop)
        self.clicked.connect(self.choose)

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(Metrics.dock_least, Metrics.shapes_drop)

    # Ways in

    @Slot()
    def choose(self) -> None:
        """Ask for picture files."""
        preferences = self.session.preferences
        dialog = folder_dialog(
            self, self.tr("Find what pictures show"), preferences.folder, self.session.theme.tokens
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        endings = " ".join(f"*.{bytes(f.data()).decode()}" for f in
                           QImageReader.supportedImageFormats())  # fmt: skip
        dialog.setNameFilter(self.tr("Pictures ({0})").format(endings))
        dialog.filesSelected.connect(self._on_files)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot(list)
    def _on_files(self, names: list[str]) -> None:
        self.read([Path(name) for name in names])

    @Slot()
    def paste(self) -> None:
        """Take the picture, or the picture files, of the clipboard."""
        if not self.take(QGuiApplication.clipboard().mimeData()):
            self.session.tell("info", self.tr("There is no picture on the clipboard"))

    def take(self, data: QMimeData) -> bool:
        """Take what was dropped or pasted; tells whether there was a picture."""
        paths = [local_path(url) for url in data.urls() if url.isLocalFile()]
        if paths:
            self.read(paths)
            return True
        image = data.imageData() if data.hasImage() else None
        if isinstance(image, QImage) and not image.isNull():
            done = Handlers(self._on_pasted, self.session.report, _nothing)
            work = partial(picture_of, image, self.tr("Pasted picture"))
            self.session.start_job(work, done, "take a picture")
            return True
        return False

    def read(self, paths: Sequence[Path]) -> None:
        """Read picture files on a worker thread."""
        done = Handlers(self._on_read, self.session.report, _nothing)
        self.session.start_job(partial(_read_all, list(paths)[:_MOST]), done, "read pictures")

    def _on_read(self, read: tuple[list[Picture], list[FileFormatError]]) -> None:
        pictures, errors = read
        for error in errors:
            self.session.report(error)
        if pictures:
            self.shown.emit(tuple(pictures))

    def _on_pasted(self, picture: Picture) -> None:
        self.shown.emit((picture,))

    # Drops

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Pictures can be dropped."""
        if holds_pictures(event.mimeData()):
            self._over = True
            event.acceptProposedAction()
            self.update()

    def dragLeaveEvent(self, event: QEvent) -> None:
        """Nothing was dropped."""
        self._over = False
        self.update()

    def dropEvent(self, event: QDropEvent) -> None:
        """Show it to the library."""
        self._over = False
        if self.take(event.mimeData()):
            event.acceptProposedAction()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A dashed place with a picture in it."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        hot = self._over or self.hasFocus()
        edge = tokens.color("accent" if hot else "quiet" if self.underMouse() else "line")
        style = Qt.PenStyle.SolidLine if self._over else Qt.PenStyle.DashLine
        painter.setPen(QPen(edge, 1.0, style))
        ground = tokens.color("accent" if self._over else "raised")
        ground.setAlphaF(0.1 if self._over else 1.0 if self.underMouse() else 0.0)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, Metrics.card_corner, Metrics.card_corner)
        painter.setFont(font(Metrics.label))
        wide = painter.fontMetrics().horizontalAdvance(self.text())
        side, gap = float(Metrics.icon), float(Metrics.space[1])
        left = box.center().x() - (side + gap + wide) / 2.0
        place = QRectF(left, box.center().y() - side / 2.0, side, side)
        token = tokens.color("text" if self.underMouse() or self._over else "quiet")
        paint_icon(painter, "picture", token, place)
        painter.setPen(token)
        words = QRectF(place.right() + gap, box.top(), wide + gap, box.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()


def _nothing(progress: object) -> None:
    """It takes no steps."""
