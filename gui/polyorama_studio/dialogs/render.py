"""The render dialog: a still, a film, a panorama, at any size; made in a process of its own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from polyorama.errors import PolyoramaError
from polyorama_studio.aim import aimed, seen_by
from polyorama_studio.dialogs.dialog import Dialog
from polyorama_studio.dialogs.parts import CommandLine
from polyorama_studio.dialogs.render_form import RenderForm
from polyorama_studio.dialogs.render_list import RenderList
from polyorama_studio.exporting import files_of_now
from polyorama_studio.guard import guards
from polyorama_studio.jobs import explain
from polyorama_studio.newest import Newest
from polyorama_studio.plots import paint_frame
from polyorama_studio.renders import Render, renders_of
from polyorama_studio.shooting import preview_job
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import duration_text, legible, tip

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from polyorama.render.frame import Frame
    from polyorama_studio.session import Session
    from polyorama_studio.shooting import RenderSettings
    from polyorama_studio.theme import Theme

__all__ = ["RenderDialog"]

_PAUSE_MS = 250
_CHECKS = 8.0
"""Side of the squares that show through a transparent picture, pixels."""


@guards
class _Preview(QWidget):
    """A frame in small; squares show through where it is transparent."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._image: QImage | None = None
        self._words = ""
        self.setMinimumSize(*Metrics.render_preview)
        self.setAccessibleName(self.tr("Preview"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As large as it is at least."""
        return QSize(*Metrics.render_preview)

    def show_frame(self, frame: Frame) -> None:
        """Show a frame."""
        assert frame.rgba8 is not None
        pixels = np.ascontiguousarray(frame.rgba8)
        height, width = pixels.shape[:2]
        kind = QImage.Format.Format_RGBA8888_Premultiplied
        self._image = QImage(pixels.data, width, height, 4 * width, kind).copy()
        self._words = ""
        self.update()

    def say(self, words: str) -> None:
        """Say something instead of the picture."""
        self._image, self._words = None, words
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture in the middle."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        box = QRectF(self.rect())
        paint_frame(painter, tokens, box)
        if self._image is None:
            painter.setPen(tokens.color("quiet"))
            painter.setFont(font(Metrics.label))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(box.adjusted(12, 0, -12, 0), flags, self._words)
        else:
            size = self._image.size().scaled(
                box.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio
            )
            place = QRectF(0, 0, size.width(), size.height())
            place.moveCenter(box.center())
            self._paint_checks(painter, place)
            painter.drawImage(place, self._image)
        painter.end()

    def _paint_checks(self, painter: QPainter, place: QRectF) -> None:
        tokens = self._theme.tokens
        painter.save()
        painter.setClipRect(place)
        painter.fillRect(place, tokens.color("raised"))
        rows, columns = int(place.height() / _CHECKS) + 1, int(place.width() / _CHECKS) + 1
        for row in range(rows):
            for column in range(row % 2, columns, 2):
                x, y = place.left() + column * _CHECKS, place.top() + row * _CHECKS
                painter.fillRect(QRectF(x, y, _CHECKS, _CHECKS), tokens.color("line"))
        painter.restore()


class RenderDialog(Dialog):
    """Chooses and begins renders; it may be closed while they run."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        document = session.editing.document
        assert document is not None
        self._document = document
        self._newest = Newest(session, "preview", self, pause=_PAUSE_MS)
        self.set_heading(self.tr("Render"))
        self.form = RenderForm(session, self)
        self.preview = _Preview(session.theme, self)
        self.caption = QLabel(self)
        self.caption.setProperty("quiet", True)
        self.caption.setWordWrap(True)
        self.list = RenderList(session, self)
        self.list.setMinimumHeight(5 * Metrics.control)
        self.command = CommandLine(session, self)
        self._lay_out()
        self.add_button(self.tr("Close"), self.reject)
        self.start = self.add_button(self.tr("Render"), self._render, primary=True)
        self.form.changed.connect(self._tell)
        self.finished.connect(self._on_finished)
        self._tell()

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.addWidget(self.form)
        left.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(Metrics.space[1])
        right.addWidget(self.preview, 2)
        right.addWidget(self.caption)
        right.addWidget(self.list, 1)
        columns = QHBoxLayout()
        columns.setSpacing(Metrics.space[4])
        columns.addLayout(left, 1)
        columns.addLayout(right, 1)
        self.body.addLayout(columns, 1)
        self.body.addWidget(self.command)
        self.fill()
        self.setMinimumWidth(Metrics.render_width)

    # What is seen

    @Slot()
    def _tell(self) -> None:
        """Bring command line, caption and preview up to date."""
        settings, session = self.form.settings, self._session
        try:
            seen = seen_by(session, self._document, settings)
        except PolyoramaError as error:
            self.start.setEnabled(False)
            self.caption.setText(explain(error))
            return
        document = aimed(self._document, settings, seen.camera)
        saved = session.saving.path
        files = files_of_now(session) or (() if saved is None else (saved,))
        self.command.set_text(settings.command(files, seen))
        note = self.tr("The line takes the project as it is saved.")
        if document.view_camera != self._document.view_camera:
            name = document.node(settings.camera).name if settings.camera else ""
            call = f"doc.see_through({name!r})"
            note += "\n" + self.tr("For this camera, save it after {0}.").format(call)
        elif files_of_now(session):
            note = ""
        self.command.setToolTip(tip(note) if note else "")
        trouble = self.form.trouble
        self.start.setEnabled(not trouble)
        width, height = settings.size
        words = f"{width} x {height} px"
        if settings.stereo:
            words += self.tr(" for each eye")
        if settings.motion != "still":
            length = duration_text(settings.frames / settings.fps)
            words += self.tr(", {0:,} frames, {1} of film").format(settings.frames, length)
        if settings.averages:
            words += self.tr(", {0} pictures averaged for each").format(settings.samples)
        words += f", {self._through(settings)}"
        self.caption.setText(trouble or words)
        if trouble:
            return
        size, moment = Metrics.render_preview, settings.moment
        work = partial(preview_job, document, settings, seen, size, moment)
        self._newest.ask(work, self._on_preview, self._on_no_preview)

    def _through(self, settings: RenderSettings) -> str:
        """From where it is seen, in words."""
        if settings.camera:
            name = legible(self._document.node(settings.camera).name)
            return self.tr("through {0}").format(name)
        tracks = self._document.timeline.tracks
        if settings.motion == "timeline" and any(path.startswith("view/") for path in tracks):
            return self.tr("from the keyed view")
        return self.tr("from the view")

    def _on_preview(self, frame: Frame) -> None:
        self.preview.show_frame(frame)

    def _on_no_preview(self, error: BaseException) -> None:
        self.preview.say(explain(error))

    # What is done

    @Slot()
    def _render(self) -> None:
        settings = self.form.settings
        session = self._session
        folder = settings.path.parent
        session.preferences.folder = str(folder.parent if settings.kind.sequence else folder)
        seen = seen_by(session, self._document, settings)
        document = aimed(self._document, settings, seen.camera)
        files = files_of_now(session) if document is self._document else ()
        render = Render(settings, document, seen, files)
        renders_of(session).start(render)

    @Slot(int)
    def _on_finished(self, result: int) -> None:
        self._newest.forget()
