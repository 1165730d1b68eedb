"""Saving: where the document lies, whether it changed since, and the journal that a crash needs."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from polyorama.io.formats import PROJECT_ENDING
from polyorama.scene.patch import Patch
from polyorama_studio import calls, camera_text
from polyorama_studio.jobs import Handlers
from polyorama_studio.words import legible

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from polyorama.edit.editor import Editor
    from polyorama.errors import PolyoramaError
    from polyorama.io.journal import Journal
    from polyorama.io.recovery import Recovery
    from polyorama.scene.document import Document
    from polyorama_studio.orbit import OrbitView
    from polyorama_studio.session import Session

__all__ = ["Saving"]

log = logging.getLogger(__name__)

_PATIENCE_S = 0.015
"""Longest time that a step waits for the journal to hold the one before it."""
_UNSAVED_FIELDS = frozenset({"chosen"})
"""Of these nobody minds the loss."""


class Saving(QObject):
    """Saves projects, keeps the journal, and knows what would be lost.

    Parameters
    ----------
    session
        Runs jobs and shows failures.
    """

    changed = Signal()
    """The document was changed, saved, or lies elsewhere now."""
    leave_asked = Signal(object)
    """Unsaved changes would be lost: a person is to choose; then call what is given, or not."""
    path_asked = Signal(object)
    """A person is to say where to save; what is given is called once it is done, or is None."""
    found = Signal(object)
    """`Recovery` values: work that an earlier program left behind."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.path: Path | None = None
        """The project that `save` writes; None where there is none yet."""
        self.journal: Journal | None = None
        self._base: Document | None = None
        self._saved: Document | None = None
        self._given_up: Document | None = None
        self._known: tuple[Document | None, bool] = (None, False)
        self._writing = 0
        session.editing.edited.connect(self._on_edited)

    # What would be lost

    @property
    def modified(self) -> bool:
        """Whether the document holds what no file does."""
        document = self._session.editing.document
        if document is not self._known[0]:
            self._known = (document, self._differs(document))
        return self._known[1]

    def _differs(self, document: Document | None) -> bool:
        if document is None or document is self._saved:
            return False
        if self._saved is None:
            return True
        patch = Patch.between(self._saved, document)
        return bool(patch.nodes or patch.order or set(patch.fields) - _UNSAVED_FIELDS)

    @property
    def at_risk(self) -> bool:
        """Whether there are unsaved changes that nobody has given up."""
        return self.modified and self._session.editing.document is not self._given_up

    def leave(self, then: Callable[[], Any]) -> None:
        """Do what takes the document away, once nothing is lost by it that a person wants."""
        if self.at_risk:
            self.leave_asked.emit(then)
        else:
            then()

    def give_up(self) -> None:
        """A person agreed to lose what is not saved now."""
        self._given_up = self._session.editing.document

    # What is open

    def opened(
        self, document: Document, files: tuple[Path, ...], recovery: Recovery | None = None
    ) -> None:
        """Another document is open.

        Parameters
        ----------
        document, files
            What, and from where.
        recovery
            The journal that it was recovered from; then it differs from what the files hold.
        """
        self._forget()
        own = len(files) == 1 and files[0].suffix.lower() == PROJECT_ENDING
        self.path = files[0].absolute() if own and not calls.is_ours(files[0]) else None
        self._base = document
        self._saved = document if recovery is None else None
        if recovery is not None:
            self._begin_journal(recovery)
        self.changed.emit()

    def closed(self) -> None:
        """Nothing is open; the journal of what was goes."""
        self._forget()
        self.changed.emit()

    def _forget(self) -> None:
        if self.journal is not None:
            self.journal.close()
        self.journal = None
        self.path = None
        self._base = self._saved = self._given_up = None
        self._known = (None, False)

    def close(self) -> None:
        """End the journal; the program ends as a person wanted."""
        if self.journal is not None:
            self.journal.close()
            self.journal = None

    # Saving

    def save(self, done: Callable[[], Any] | None = None) -> None:
        """Save where it lies; where that is not known, ask.

        `done` takes the document away: it is called once nothing is lost by it, see `leave`.
        """
        if self._session.editing.document is None:
            return
        if self.path is None:
            self.path_asked.emit(done)
        else:
            self.save_as(self.path, done)

    def save_as(self, path: Path, done: Callable[[], Any] | None = None) -> None:
        """Save as a project, on a worker thread."""
        session = self._session
        document = session.editing.document
        if document is None:
            return
        if path.suffix.lower() != PROJECT_ENDING:
            path = path.with_name(path.name + PROJECT_ENDING)
        path = path.absolute()
        session.preferences.folder = str(path.parent)
        picture = session.stage.picture
        image = None if picture is None else picture.image
        width, height = session.stage.size
        camera = session.stage.view.camera(width, height) if min(width, height) > 0 else None
        self._writing += 1
        session.work_on(
            partial(calls.save_project, document, camera, image, path),
            partial(self._on_saved, session.editing.editor, document, path, done),
            partial(self._on_failed, done),
            self.tr("Saving {0}").format(legible(path.name)),
            keep=True,
        )

    @property
    def writing(self) -> bool:
        """Whether a project is being written."""
        return self._writing > 0

    def _on_saved(
        self,
        editor: Editor | None,
        document: Document,
        path: Path,
        done: Callable[[], Any] | None,
        result: object,
    ) -> None:
        self._writing -= 1
        session = self._session
        session.preferences.remember([path])
        session.log_python(camera_text.save_line(path))
        # Another document may have been opened while this one was written.
        if editor is session.editing.editor:
            self._take_saved(document, path)
        session.tell("good", self.tr("Saved {0}").format(legible(path.name)))
        if done is not None:
            # What was changed while it was written would be lost by leaving now.
            self.leave(done)

    def _take_saved(self, document: Document, path: Path) -> None:
        self.path = path
        self._saved = document
        self._known = (None, False)
        if self.journal is not None:
            self.journal.saved(document, path)
        else:
            self._base = document
        self._session.opening.renamed((path,))
        self.changed.emit()

    def _on_failed(self, done: Callable[[], Any] | None, error: BaseException) -> None:
        self._writing -= 1
        self._session.report(
            error, self.tr("Save elsewhere..."), partial(self.path_asked.emit, done)
        )

    # The journal

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        if self.journal is None and self._base is not None and self._session.preferences.autosave:
            self._begin_journal(None)
        self.changed.emit()

    def _begin_journal(self, recovery: Recovery | None) -> None:
        from polyorama.io.journal import Journal

        editor = self._session.editing.editor
        if editor is None or self._base is None:
            return
        self.journal = Journal.start(
            self._base, self.path, replaces=recovery, report=self._post_trouble,
            patience=_PATIENCE_S,
        )  # fmt: skip
        if editor.document is not self._base:
            commands = editor.history.commands
            self.journal.record(editor.document, commands[-1].title if commands else "")
        self.journal.follow(editor)

    def _post_trouble(self, error: PolyoramaError) -> None:
        # On the journal's thread.
        self._session.bridge.post("journal", self._session.report, error)

    def look_for_lost_work(self) -> None:
        """See whether an earlier program left unsaved work; `found` tells."""
        projects = [p for p in self._session.preferences.recent if p.suffix == PROJECT_ENDING]
        self._session.start_job(
            partial(calls.find_lost_work, projects),
            Handlers(self._on_found, self._session.report, self._session.on_progress),
            "look for lost work",
        )

    def _on_found(self, recoveries: list[Recovery]) -> None:
        if recoveries:
            self.found.emit(recoveries)

    def recover(self, recovery: Recovery) -> None:
        """Open what a journal holds, as unsaved changes of its project."""
        self.leave(partial(self._recover, recovery))

    def _recover(self, recovery: Recovery) -> None:
        session = self._session
        size = session.stage.size if min(session.stage.size) > 0 else (1280, 720)
        session.work_on(
            partial(calls.recovered, recovery, size),
            partial(self._on_recovered, recovery),
            session.report,
            self.tr("Bringing the work back"),
        )

    def _on_recovered(self, recovery: Recovery, result: tuple[Document, OrbitView]) -> None:
        document, view = result
        session = self._session
        files = () if recovery.path is None else (recovery.path,)
        session.opening.show(document, files, view, recovery)
        session.tell("good", self.tr("Your work is back; save it to keep it."))

    def discard(self, recovery: Recovery) -> None:
        """Remove a journal for good, on a worker thread."""
        self._session.start_job(
            recovery.discard,
            Handlers(_nothing, self._session.report, self._session.on_progress),
            "discard",
        )


def _nothing(result: object) -> None:
    """Nobody needs to be told."""
