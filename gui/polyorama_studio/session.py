"""The session: the only object that widgets receive."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from polyorama_studio import calls
from polyorama_studio.bridge import Bridge
from polyorama_studio.editing import Editing
from polyorama_studio.jobs import Handlers, Job, Jobs, explain
from polyorama_studio.opening import Opening
from polyorama_studio.playback import Playback
from polyorama_studio.preferences import Preferences
from polyorama_studio.saving import Saving
from polyorama_studio.sharing import Sharing
from polyorama_studio.stage import Stage
from polyorama_studio.theme import Theme
from polyorama_studio.thumbnails import Thumbnails

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from polyorama.core.jobs import Job as EngineJob
    from polyorama.core.jobs import Progress
    from polyorama.render.rasterizers import Rasterizer
    from polyorama.scene.document import Document
    from polyorama_studio.orbit import OrbitView
    from polyorama_studio.workspaces.face.desk import Desk
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Busy", "Notice", "Session", "Told"]

log = logging.getLogger(__name__)

_MOST_TOLD = 300


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


@dataclass(frozen=True, slots=True)
class Told:
    """A notice and when it was shown."""

    time: datetime
    notice: Notice


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
    logged = Signal(str)
    missing_asked = Signal()
    """A person is to say where missing linked files are."""
    similar_asked = Signal()
    """Shapes of the library are sought that resemble what is chosen, or selected, in the scene."""

    def __init__(
        self,
        *,
        preferences: Preferences | None = None,
        opener: Callable[[Sequence[Path]], Document] = calls.open_document,
        make_rasterizer: Callable[[], EngineJob[Rasterizer]] = calls.make_rasterizer,
    ) -> None:
        super().__init__()
        self.preferences = preferences or Preferences(self)
        self.preferences.setParent(self)
        self.theme = Theme(self, self.preferences.theme)
        self.bridge = Bridge(self)
        self.jobs = Jobs(self.bridge, self)
        self.stage = Stage(self.bridge, self.theme, make_rasterizer, self)
        self.editing = Editing(self)
        self.playback = Playback(self)
        self.saving = Saving(self)
        self.opening = Opening(self, opener)
        self.sharing = Sharing(self)
        self.thumbnails = Thumbnails(self)
        self.told: deque[Told] = deque(maxlen=_MOST_TOLD)
        """Notices that were shown, oldest first."""
        self.notice.connect(self._remember_notice)
        self.python: list[str] = []
        """Python lines that do what was done here, oldest first."""
        self.busy: Busy | None = None
        self.lab: Run | None = None
        """The run of the Lab, once that was shown."""
        self.shapes: Shelf | None = None
        """The library of Shapes, once that was shown."""
        self.face: Desk | None = None
        """The desk of Face, once that was shown."""
        self.stage.picture_failed.connect(self._on_picture_failed)
        self.editing.logged.connect(self.log_python)
        self.jobs.ended.connect(self._on_job_ended)

    @property
    def title(self) -> str:
        """What the open document is called."""
        return self.opening.title

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are open."""
        return self.opening.files

    def open_files(self, paths: Sequence[Path], *, add: bool = False) -> None:
        """Open files; with `add`, beside what is open. See `Opening`."""
        if add:
            self.opening.add(paths)
        else:
            self.opening.open(paths)

    # The view

    def frame_all(self) -> None:
        """Bring everything into the picture, seen from the same direction."""
        document = self.stage.document
        if document is not None:
            self.start_job(
                partial(calls.framed, document, self.stage.view, self.stage.size),
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

    # Work

    def start_job(
        self, work: Callable[[], Any], handlers: Handlers, title: str, *, keep: bool = False
    ) -> Job:
        """Run a job beside the GUI thread; see `JobRunner.submit`.

        `title` stands in the list of jobs, in sentence case; housekeeping, which is not listed, has
        a title in small letters.
        """
        return self.jobs.start(work, handlers, title, keep=keep)

    def work_on(
        self,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[BaseException], None],
        title: str,
        *,
        keep: bool = False,
    ) -> Job:
        """As `start_job`, and let the viewport say so while it runs."""
        self.set_busy(Busy(title))
        return self.start_job(work, Handlers(done, failed, self.on_progress), title, keep=keep)

    def on_progress(self, progress: Progress) -> None:
        """Show how far work has come."""
        share = progress.done / progress.total if progress.total else None
        self.set_busy(Busy(progress.note or (self.busy.note if self.busy else ""), share))

    def set_busy(self, busy: Busy | None) -> None:
        """Say over the viewport what is being done; None for nothing."""
        self.busy = busy
        self.busy_changed.emit(busy)

    @Slot(object)
    def _on_job_ended(self, job: Job) -> None:
        if job.listed and not any(other.listed for other in self.jobs.active):
            self.set_busy(None)

    # The house

    def set_theme(self, name: str) -> None:
        """Choose "dark" or "light", now and for the next start."""
        self.preferences.theme = name
        self.theme.set_name(name)

    @Slot(str)
    def log_python(self, line: str) -> None:
        """Note the Python of what was done."""
        self.python.append(line)
        self.logged.emit(line)

    def tell(
        self,
        kind: str,
        text: str,
        action_title: str = "",
        action: Callable[[], Any] | None = None,
    ) -> None:
        """Show a notice as a toast; see `Notice`."""
        self.notice.emit(Notice(kind, text, action_title, action))

    @Slot(object)
    def _remember_notice(self, notice: Notice) -> None:
        self.told.append(Told(datetime.now().astimezone(), notice))

    def report(
        self,
        error: BaseException,
        action_title: str = "",
        action: Callable[[], Any] | None = None,
    ) -> None:
        """Show a failure as a toast and keep it in the log."""
        text = explain(error)
        log.warning("%s", text)
        self.tell("bad", text, action_title, action)

    def on_uncaught(self, error: BaseException) -> None:
        """Tell of an error that nobody handled: what is open stays as it was."""
        text = self.tr("Something went wrong in the program ({0}); your scene is as it was.")
        name = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        self.tell("bad", text.format(name), self.tr("Copy the log"), self.sharing.copy_log)

    def close(self) -> None:
        """Stop all work; the session cannot be used afterwards."""
        self.playback.set_playing(False)
        self.saving.close()
        if self.lab is not None:
            self.lab.close()
        self.bridge.close()
        self.stage.close()
        self.jobs.close()
        if self.shapes is not None:
            self.shapes.close()
        self.theme.close()

    @Slot(object)
    def _on_picture_failed(self, error: BaseException) -> None:
        self.report(error, self.tr("Draw again"), self.stage.refresh)
