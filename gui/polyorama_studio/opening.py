"""Opening: files become the document, or are added to it; on worker threads."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from polyorama.scene.document import Document
from polyorama_studio import calls, camera_text
from polyorama_studio.jobs import explain
from polyorama_studio.orbit import OrbitView
from polyorama_studio.words import legible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polyorama.core.jobs import Job
    from polyorama.io.recovery import Recovery
    from polyorama_studio.session import Session

__all__ = ["Opening"]

log = logging.getLogger(__name__)

_FIRST_SIZE = (1280, 720)
_MOST_TOLD = 3
"""So many files that cannot be opened are told of, one by one; of more, their number."""


class Opening(QObject):
    """Reads files one batch after the other; the last that was asked for is what is shown.

    Parameters
    ----------
    session
        Runs jobs and shows failures.
    opener
        Reads files as one document; called on a worker thread.
    """

    files_changed = Signal()
    """Other files are open; or the same under another name."""
    asked = Signal()
    """A person is to choose files to open."""

    def __init__(self, session: Session, opener: Callable[[Sequence[Path]], Document]) -> None:
        super().__init__(session)
        self._session = session
        self.opener = opener
        self.files: tuple[Path, ...] = ()
        self.untitled = False
        """Whether what is open has no file yet."""
        self._number = 0
        self._reading = False
        self._waiting: deque[tuple[Path, ...]] = deque()

    @property
    def title(self) -> str:
        """What the open document is called."""
        if not self.files:
            return self.tr("Untitled") if self.untitled else ""
        first = legible(self.files[0].name)
        more = len(self.files) - 1
        return first if more == 0 else self.tr("{0} and {1} more").format(first, more)

    # What is asked for

    def open(self, paths: Sequence[Path]) -> None:
        """Open files in the place of what is open, once unsaved changes have been asked about."""
        files = tuple(Path(path) for path in paths)
        if files:
            self._session.saving.leave(partial(self._open, files))

    def add(self, paths: Sequence[Path]) -> None:
        """Add files to what is open, after what is being read; where nothing is, open them."""
        files = tuple(Path(path) for path in paths)
        if files:
            self._waiting.append(files)
            self._read_next(add=True)

    def open_sample(self) -> None:
        """Open the sample stage that ships with Polyorama."""
        self._session.saving.leave(self._open_sample)

    def new(self) -> None:
        """An empty document."""
        self._session.saving.leave(self._new)

    def close(self) -> None:
        """Back to the start page."""
        self._session.saving.leave(self._close)

    def renamed(self, files: tuple[Path, ...]) -> None:
        """What is open lies in other files from now on."""
        self.files = files
        self.untitled = False
        self.files_changed.emit()

    def show(
        self,
        document: Document,
        files: tuple[Path, ...],
        view: OrbitView | None,
        recovery: Recovery | None = None,
    ) -> None:
        """Take a document over as what is open; `recovery` is the journal that it came from."""
        session = self._session
        session.playback.set_playing(False)
        self.files = files
        self.untitled = not files
        session.stage.set_document(document, view)
        session.editing.open(document)
        session.saving.opened(document, files, recovery)
        self.files_changed.emit()

    # How it is done

    def _open(self, files: tuple[Path, ...]) -> None:
        self._forget()
        self._waiting.append(files)
        self._read_next(add=False)

    def _new(self) -> None:
        self._forget()
        self._session.set_busy(None)
        self.show(Document(), (), OrbitView())
        self._session.log_python("doc = po.edit()")

    def _close(self) -> None:
        self._forget()
        session = self._session
        self.files = ()
        self.untitled = False
        session.stage.set_spinning(False)
        session.playback.set_playing(False)
        session.stage.set_document(None, OrbitView())
        session.editing.open(None)
        session.saving.closed()
        session.set_busy(None)
        self.files_changed.emit()

    def _open_sample(self) -> None:
        self._forget()
        self._reading = True
        session = self._session
        number = self._number
        session.work_on(
            calls.sample_path,
            partial(self._on_sample_found, number),
            partial(self._on_failed, number),
            self.tr("Opening the sample stage"),
        )

    def _forget(self) -> None:
        self._number += 1
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
        session, number = self._session, self._number
        size = session.stage.size if min(session.stage.size) > 0 else _FIRST_SIZE
        present = session.editing.document if add else None
        if present is None:
            work: Callable[[], _Read | Job[_Read]] = partial(_read, self.opener, files, size)
            done: Callable[[_Read], None] = partial(self._on_opened, number)
        else:
            work = partial(_add, present, files, size)
            done = partial(self._on_added, number, present)
        session.work_on(
            work, done, partial(self._on_failed, number), self.tr("Opening {0}").format(name)
        )

    def _on_sample_found(self, number: int, path: Path) -> None:
        if number == self._number:
            self._reading = False
            self._waiting.appendleft((path,))
            self._read_next(add=False)

    def _on_opened(self, number: int, read: _Read) -> None:
        self._remember(read.files)
        if number == self._number:
            self._end_reading()
        self._tell(read.errors)
        if number != self._number:
            return
        if read.document is not None:
            # Changes that were made while it was read are asked about, too.
            self._session.saving.leave(partial(self._show_opened, read))
        self._read_next(add=True)

    def _show_opened(self, read: _Read) -> None:
        assert read.document is not None
        self.show(read.document, read.files, read.view)
        self._session.log_python(camera_text.open_line(read.files))
        log.info("Opened %d splats: %s", self._session.stage.splat_count, read.files[0])
        self._tell_missing(read.document)

    def _on_added(self, number: int, before: Document, read: _Read) -> None:
        self._remember(read.files)
        if number != self._number:
            return
        self._end_reading()
        self._tell(read.errors)
        if read.document is not None:
            names = [str(path) for path in read.files]
            if self._session.editing.take(
                before, read.document, "add_files", paths=names, upright=True
            ):
                if self._session.saving.path is None:
                    self.files = (*self.files, *read.files)
                    self.untitled = False
                if read.view is not None:
                    self._session.stage.frame(read.view)
                self.files_changed.emit()
                self._tell_missing(read.document)
        self._read_next(add=True)

    def _on_failed(self, number: int, error: BaseException) -> None:
        if number == self._number:
            self._end_reading()
        self._tell((error,))
        if number == self._number:
            self._read_next(add=True)

    def _remember(self, files: tuple[Path, ...]) -> None:
        if files:
            self._session.preferences.remember(files)

    def _tell(self, errors: Sequence[BaseException]) -> None:
        session = self._session
        shown = len(errors) if len(errors) <= _MOST_TOLD else _MOST_TOLD - 1
        for error in errors[:shown]:
            session.report(error, self.tr("Open another file..."), self.asked.emit)
        for error in errors[shown:]:
            log.warning("%s", explain(error))
        if errors[shown:]:
            text = self.tr("{0} more files could not be opened; the log names them.")
            session.tell("bad", text.format(len(errors) - shown))

    def _tell_missing(self, document: Document) -> None:
        missing = [node for node in document.nodes if node.missing]
        if missing:
            text = self.tr("{0} linked files were not found.").format(len(missing))
            if len(missing) == 1:
                text = self.tr("The linked file of {0} was not found.").format(missing[0].name)
            self._session.tell("warn", text, self.tr("Locate..."), self._session.missing_asked.emit)

    def _end_reading(self) -> None:
        self._reading = False
        self._session.set_busy(None)


@dataclass(frozen=True, slots=True)
class _Read:
    """What could be opened, the view that shows it, and what kept the other files from it."""

    document: Document | None
    view: OrbitView | None
    files: tuple[Path, ...]
    errors: tuple[Exception, ...]


def _read(
    opener: Callable[[Sequence[Path]], Document], files: Sequence[Path], size: tuple[int, int]
) -> _Read:
    """Open files and find the view that shows them; on a worker thread."""
    document, opened, errors = calls.open_what_can_be(opener, files)
    view = None if document is None else calls.first_view(document, size)
    return _Read(document, view, opened, errors)


def _add(present: Document, files: Sequence[Path], size: tuple[int, int]) -> Job[_Read]:
    """The document with files added to it; those that cannot be read are left out."""
    document, opened, errors = yield from calls.add_what_can_be(present, files)
    fresh = document is not None and not present.nodes
    view = calls.first_view(document, size) if fresh else None
    return _Read(document, view, opened, errors)
