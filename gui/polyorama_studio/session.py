"""The session: the only object that widgets receive."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from polyorama_studio import calls, camera_text
from polyorama_studio.bridge import Bridge
from polyorama_studio.editing import Editing
from polyorama_studio.jobs import Handlers, JobRunner, explain
from polyorama_studio.orbit import OrbitView
from polyorama_studio.playback import Playback
from polyorama_studio.preferences import Preferences
from polyorama_studio.stage import Stage
from polyorama_studio.theme import Theme
from polyorama_studio.words import legible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polyorama.core.jobs import Job, Progress
    from polyorama.render.rasterizers import Rasterizer
    from polyorama.scene.document import Document

__all__ = ["Busy", "Notice", "Session"]

log = logging.getLogger(__name__)

_FIRST_SIZE = (1280, 720)
_MOST_TOLD = 3
"""So many files that cannot be opened are told of, one by one; of more, their number."""


@dataclass(frozen=True, slots=True)
class Busy:
    """Work under way: a few words, and its share done or None where that is not known."""

    note: str
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A toast: what happened, and one thing that can be done about it.

    Parameters
    ----------
    kind
        "info", "good", "warn" or "bad"; bad ones stay until they are closed.
    text
        One sentence.
    action_title, action
        The button, or None for none.
    """

    kind: str
    text: str
    action_title: str = ""
    action: Callable[[], Any] | None = None


class Session(QObject):
    """Documents, jobs and notices; the stage, the theme and the preferences hang here.

    Parameters
    ----------
    preferences
        Made here when not given.
    opener
        Reads files as one document; called on a worker thread.
    make_rasterizer
        A job that ends with the rasterizer; run once, on the render thread.
    """

    busy_changed = Signal(object)
    notice = Signal(object)
    files_changed = Signal()
    open_asked = Signal()
    logged = Signal(str)

    def __init__(
        self,
        *,
        preferences: Preferences | None = None,
        opener: Callable[[Sequence[Path]], Document] = calls.open_document,
        make_rasterizer: Callable[[], Job[Rasterizer]] = calls.make_rasterizer,
    ) -> None:
        super().__init__()
        self.preferences = preferences or Preferences(self)
        self.preferences.setParent(self)
        self.theme = Theme(self, self.preferences.theme)
        self.bridge = Bridge(self)
        self.stage = Stage(self.bridge, self.theme, make_rasterizer, self)
        self.stage.picture_failed.connect(self._on_picture_failed)
        self.editing = Editing(self)
        self.editing.logged.connect(self._log_python)
        self.playback = Playback(self)
        self.files: tuple[Path, ...] = ()
        self.python: list[str] = []
        """Python lines that do what was done here, oldest first."""
        self.busy: Busy | None = None
        self._opener = opener
        self._jobs = JobRunner(self.bridge)
        self._opening = 0
        self._reading = False
        self._waiting: deque[tuple[Path, ...]] = deque()

    @property
    def title(self) -> str:
        """What the open document is called."""
        if not self.files:
            return ""
        first = legible(self.files[0].name)
        more = len(self.files) - 1
        return first if more == 0 else self.tr("{0} and {1} more").format(first, more)

    # Opening

    def open_files(self, paths: Sequence[Path], *, add: bool = False) -> None:
        """Read files on a worker thread and show them together.

        Parameters
        ----------
        paths
            Captures or projects.
        add
            Keep what is open and add to it; after what is being read, where something is. Without
            it, what is being read is forgotten.
        """
        files = tuple(Path(path) for path in paths)
        if not files:
            return
        if not add:
            self._forget_openings()
        self._waiting.append(files)
        self._read_next(add=add)

    def open_sample(self) -> None:
        """Open the sample stage that ships with Polyorama."""
        self._forget_openings()
        self._reading = True
        self._set_busy(Busy(self.tr("Opening the sample stage")))
        number = self._opening
        self._jobs.submit(
            calls.sample_path,
            Handlers(
                partial(self._on_sample_found, number),
                partial(self._on_open_failed, number),
                self.on_progress,
            ),
            "sample",
        )

    def close_document(self) -> None:
        """Back to the empty stage."""
        self._forget_openings()
        self.files = ()
        self.stage.set_spinning(False)
        self.playback.set_playing(False)
        self.stage.set_document(None, OrbitView())
        self.editing.open(None)
        self._set_busy(None)
        self.files_changed.emit()

    def _forget_openings(self) -> None:
        self._opening += 1
        self._reading = False
        self._waiting.clear()

    def _read_next(self, *, add: bool) -> None:
        """Read the files that wait longest, unless others are being read."""
        if self._reading or not self._waiting:
            return
        self._reading = True
        files = self._waiting.popleft()
        name = (
            legible(files[0].name) if len(files) == 1 else self.tr("{0} files").format(len(files))
        )
        self._set_busy(Busy(self.tr("Opening {0}").format(name)))
        size = self.stage.size if min(self.stage.size) > 0 else _FIRST_SIZE
        number = self._opening
        self._jobs.submit(
            partial(_read, self._opener, files, size),
            Handlers(
                partial(self._on_opened, number, add),
                partial(self._on_open_failed, number),
                self.on_progress,
            ),
            "open",
        )

    def _on_sample_found(self, number: int, path: Path) -> None:
        if number == self._opening:
            self._reading = False
            self._waiting.appendleft((path,))
            self._read_next(add=False)

    def _on_opened(self, number: int, add: bool, result: _Opened) -> None:
        files, document, view = result.files, result.document, result.view
        if files:
            self.preferences.remember(files)
        if number == self._opening:
            self._end_reading()
        self._tell_unopened(result.errors)
        if number != self._opening:
            return
        if document is None:
            self._read_next(add=True)
            return
        # What is open is asked for now, not when the reading began.
        present = self.stage.document if add else None
        if present is not None:
            document = calls.add(present, document, calls.name_of(files))
            view = None
        self.files = (*self.files, *files) if present is not None else files
        self.playback.set_playing(False)
        self.stage.set_document(document, view)
        self.editing.open(document)
        self.files_changed.emit()
        self._log_python(camera_text.open_line(self.files))
        log.info("Opened %d splats: %s", self.stage.splat_count, files[0])
        self._read_next(add=True)

    def _on_open_failed(self, number: int, error: BaseException) -> None:
        if number == self._opening:
            self._end_reading()
        self._tell_unopened((error,))
        if number == self._opening:
            self._read_next(add=True)

    def _tell_unopened(self, errors: Sequence[BaseException]) -> None:
        shown = len(errors) if len(errors) <= _MOST_TOLD else _MOST_TOLD - 1
        for error in errors[:shown]:
            self.report(error, self.tr("Open another file..."), self.open_asked.emit)
        for error in errors[shown:]:
            log.warning("%s", explain(error))
        if errors[shown:]:
            text = self.tr("{0} more files could not be opened; the log names them.")
            self.notice.emit(Notice("bad", text.format(len(errors) - shown)))

    def _end_reading(self) -> None:
        self._reading = False
        self._set_busy(None)

    # The view

    def frame_all(self) -> None:
        """Bring everything into the picture, seen from the same direction."""
        document = self.stage.document
        if document is not None:
            view = self.stage.view
            self._jobs.submit(
                partial(calls.framed, document, view, self.stage.size),
                Handlers(partial(self._on_framed, document), self.report, self.on_progress),
                "frame",
            )

    def _on_framed(self, document: Document, view: OrbitView) -> None:
        # Another scene may have come meanwhile, which this view would miss.
        if document is self.stage.document:
            self.stage.frame(view)

    def look(self, direction: str) -> None:
        """See the target from a named side."""
        self.stage.set_view(self.stage.view.looking(direction), moving=False)

    # Pictures

    def save_picture(self, path: Path, size: tuple[int, int], *, transparent: bool = False) -> None:
        """Draw the present view at full quality into a file, on a worker thread."""
        document = self.stage.document
        if document is None:
            return
        self.preferences.folder = str(path.parent)
        self._set_busy(Busy(self.tr("Saving {0}").format(legible(path.name))))
        view = self.stage.view
        background = None if transparent else self.stage.backdrop
        self._jobs.submit(
            partial(calls.save_picture, document, view, size, background, path),
            Handlers(
                partial(self._on_saved, camera_text.python_picture(view, size, background, path)),
                self._on_save_failed,
                self.on_progress,
            ),
            "save picture",
            keep=True,
        )

    def _on_saved(self, line: str, path: Path) -> None:
        self._set_busy(None)
        self._log_python(line)
        self.notice.emit(Notice("good", self.tr("Saved {0}").format(legible(path.name))))

    def _on_save_failed(self, error: BaseException) -> None:
        self._set_busy(None)
        self.report(error)

    def copy_picture(self) -> None:
        """Put the picture as it is shown on the clipboard."""
        picture = self.stage.picture
        if picture is not None and picture.image is not None:
            QGuiApplication.clipboard().setImage(picture.image)
            self.notice.emit(Notice("info", self.tr("Picture copied")))

    def copy_command_line(self) -> None:
        """Put the `polyorama render` command for this view on the clipboard."""
        text = camera_text.command_line(self.stage.view, self.stage.size, self.files)
        QGuiApplication.clipboard().setText(text)
        self.notice.emit(Notice("info", self.tr("Command line copied")))

    def copy_python(self) -> None:
        """Put the Python expression for this view's camera on the clipboard."""
        text = camera_text.python_camera(self.stage.view, self.stage.size)
        QGuiApplication.clipboard().setText(text)
        self.notice.emit(Notice("info", self.tr("Python camera copied")))

    def copy_session(self) -> None:
        """Put the Python that does what was done here on the clipboard."""
        QGuiApplication.clipboard().setText("\n".join(["import polyorama as po", "", *self.python]))
        self.notice.emit(Notice("info", self.tr("Session copied as Python")))

    def _log_python(self, line: str) -> None:
        self.python.append(line)
        self.logged.emit(line)

    # Work

    def start_job(
        self, work: Callable[[], Any], handlers: Handlers, title: str, *, keep: bool = False
    ) -> None:
        """Run a job beside the GUI thread; see `JobRunner.submit`."""
        self._jobs.submit(work, handlers, title, keep=keep)

    # The house

    def set_theme(self, name: str) -> None:
        """Choose "dark" or "light", now and for the next start."""
        self.preferences.theme = name
        self.theme.set_name(name)

    def report(
        self,
        error: BaseException,
        action_title: str = "",
        action: Callable[[], Any] | None = None,
    ) -> None:
        """Show a failure as a toast and keep it in the log."""
        text = explain(error)
        log.warning("%s", text)
        self.notice.emit(Notice("bad", text, action_title, action))

    def close(self) -> None:
        """Stop all work; the session cannot be used afterwards."""
        self.bridge.close()
        self.stage.close()
        self._jobs.close()
        self.theme.close()

    @Slot(object)
    def _on_picture_failed(self, error: BaseException) -> None:
        self.report(error, self.tr("Draw again"), self.stage.refresh)

    def on_progress(self, progress: Progress) -> None:
        """Show how far work has come."""
        share = progress.done / progress.total if progress.total else None
        self._set_busy(Busy(progress.note or (self.busy.note if self.busy else ""), share))

    def _set_busy(self, busy: Busy | None) -> None:
        self.busy = busy
        self.busy_changed.emit(busy)


@dataclass(frozen=True, slots=True)
class _Opened:
    """What could be opened, the view that shows it, and what kept the other files from it."""

    document: Document | None
    view: OrbitView | None
    files: tuple[Path, ...]
    errors: tuple[Exception, ...]


def _read(
    opener: Callable[[Sequence[Path]], Document], files: Sequence[Path], size: tuple[int, int]
) -> _Opened:
    """Open files and find the view that shows them; on a worker thread."""
    document, opened, errors = calls.open_what_can_be(opener, files)
    view = None if document is None else calls.first_view(document, size)
    return _Opened(document, view, opened, errors)
