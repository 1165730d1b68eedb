"""The journal: what lies on disk while a document is edited, so that nothing is lost with a crash.

A folder beside the project (or in the user's state folder) holds a log, one line a step, and the
arrays that lie in no other file. The first line is the whole document, each further line what
changed since; a line says its length and checksum, so that one that was cut short is known. All is
written by a thread of its own; another one sees to it that the bytes reach the disk.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import logging
import os
import secrets
import shutil
import threading
import time
import zlib
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import platformdirs

from polyorama.errors import OutputError, PolyoramaError
from polyorama.io.journal_blobs import JOURNAL_MARK, WrittenContents
from polyorama.io.lock import only_one
from polyorama.io.origins import stamp_of
from polyorama.scene.codec import encode
from polyorama.scene.document import Document
from polyorama.scene.patch import Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from polyorama.io.recovery import Recovery

__all__ = ["FORMAT", "LOCK", "LOG", "Journal", "line_of", "state_folder"]

log = logging.getLogger(__name__)

FORMAT = 1
LOG, LOCK = "log", "lock"
_CHUNK = 8 << 20
_LARGE, _TIMES = 16 << 20, 8
"""A log of more bytes, and of so many times those of its first line, is begun afresh."""


class _Command(Protocol):
    @property
    def title(self) -> str: ...
    @property
    def patch(self) -> Patch: ...


class _Editor(Protocol):
    @property
    def document(self) -> Document: ...
    @property
    def history(self) -> Any: ...
    def subscribe(self, listener: Callable[[Any, Any], None], /) -> Callable[[], None]: ...


def state_folder() -> Path:
    """Where journals of unsaved documents lie, and notes of where the others do."""
    return platformdirs.user_state_path("polyorama") / "journals"


def line_of(entry: dict[str, Any]) -> bytes:
    """A line of the log: length and checksum as 8 hexadecimal digits each, then JSON."""
    data = json.dumps(entry, allow_nan=False, separators=(",", ":")).encode()
    return b"%08x %08x %s\n" % (len(data), zlib.crc32(data), data)


def patch_entry(patch: Patch, contents: WrittenContents) -> dict[str, Any]:
    """What a patch makes new, as plain JSON data.

    Raises
    ------
    CodecError
        If a value cannot be written.
    OSError
        If an array cannot be written.
    """
    return {
        "fields": {name: encode(change.new, contents) for name, change in patch.fields.items()},
        "nodes": {
            node_id: {name: encode(change.new, contents) for name, change in changes.items()}
            for node_id, changes in patch.nodes.items()
        },
        "removed": [node.id for node in patch.removed],
        "added": [encode(node, contents) for node in patch.added],
        "order": None if patch.order is None else list(patch.order.new),
    }


class _Session:
    """One folder: from one saving to the next, or until the log is too large.

    Parameters
    ----------
    document
        What the log begins with.
    project
        Beside which it lies.
    unsaved
        Whether the document differs from the project.
    steps, title
        How many steps made it differ, and the last one.
    """

    def __init__(
        self,
        document: Document,
        project: Path | None,
        unsaved: bool,
        steps: int = 0,
        title: str = "",
    ) -> None:
        self.project = project
        self.steps, self.title = 0, ""
        self._held = ExitStack()
        self._guard = threading.Lock()
        self._file: int | None = None
        self._good = 0
        self.folder, self._note = self._made()
        try:
            self._held.enter_context(only_one(self.folder / LOCK, "This journal is being written."))
            if self._note is not None:
                self._note.write_text(json.dumps({"folder": str(self.folder)}), encoding="utf-8")
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._file = os.open(self.folder / LOG, flags, 0o600)
            self.contents = WrittenContents(self.folder)
            self.hashed: set[str] = set()
            self.document = Document()
            head: dict[str, Any] = {
                "polyorama": "journal", "format": FORMAT, "unsaved": unsaved,
                "project": None if project is None else str(project),
                "steps": steps, "title": title,
            }  # fmt: skip
            self.write(document, head)
            self.room = max(_LARGE, _TIMES * self._good)
        except BaseException:
            self.discard()
            raise

    def _made(self) -> tuple[Path, Path | None]:
        """A new folder, beside the project if that can be, and the note of where it is."""
        home = state_folder()
        home.mkdir(parents=True, exist_ok=True)
        number = secrets.token_hex(6)
        if self.project is not None:
            beside = self.project.parent / f".{self.project.name[:100]}{JOURNAL_MARK}{number}"
            with contextlib.suppress(OSError):
                beside.mkdir(mode=0o700)
                return beside, home / f"{number}.json"
        folder = home / f"unsaved{JOURNAL_MARK}{number}"
        folder.mkdir(mode=0o700)
        return folder, None

    def write(self, document: Document, more: dict[str, Any]) -> None:
        """Append what changed since the last line; large arrays become files first."""
        patch = patch_entry(Patch.between(self.document, document), self.contents)
        if "unsaved" in more and self.project is None and self.contents.copied:
            more = more | {"unsaved": True}  # no file holds what was copied
        files, contents = self.contents.files, self.contents.contents
        news = {"time": time.time(), "files": files, "contents": contents, "patch": patch}
        self.append(line_of(more | news))
        self.contents.taken()
        self.document = document
        self.steps += more["steps"]
        self.title = more["title"]

    @property
    def is_large(self) -> bool:
        """Whether it would be shorter to tell the document anew."""
        return self._good > self.room

    def append(self, line: bytes) -> None:
        """Append a line, whole or not at all; nothing where the folder was let go."""
        with self._guard:
            if self._file is None:
                return
            try:
                view = memoryview(line)
                while view:
                    view = view[os.write(self._file, view) :]
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, self._good)
                raise
            self._good += len(line)

    def sync(self) -> None:
        """Wait until all that was written is on the disk."""
        while self.contents.unsynced:
            _sync(self.contents.unsynced[0])
            self.contents.unsynced.pop(0)
        _sync(self.folder / LOG)

    def hashing(self) -> Iterator[None]:
        """Take the hashes of files that arrays lie in, a piece at a time, and write them down."""
        for name, stamp in tuple(self.contents.stamps.items()):
            if name in self.hashed:
                continue
            self.hashed.add(name)
            state = hashlib.sha256()
            with contextlib.suppress(OSError):
                with open(stamp.path, "rb") as file:
                    while piece := file.read(_CHUNK):
                        state.update(piece)
                        yield
                if stamp_of(stamp.path) == stamp:
                    self.append(line_of({"hashes": {name: state.hexdigest()}}))

    def release(self) -> None:
        """Let go of the folder; it stays."""
        with self._guard:
            if self._file is not None:
                os.close(self._file)
                self._file = None
        self._held.close()

    def discard(self) -> None:
        """Remove the folder, the log first: what is left of it then is nothing to recover."""
        with contextlib.suppress(OSError):
            (self.folder / LOG).unlink(missing_ok=True)
        self.release()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._note is not None:
            with contextlib.suppress(OSError):
                self._note.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    # By a handle of its own: the one that is written to may be closed meanwhile.
    handle = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Journal:
    """Writes down how a document is edited; see `polyorama.io.recovery` for the way back.

    `start` and `record` return at once: writing is done by a thread. A step waits up to `patience`
    seconds for the one before it to be written, so that a crash loses the last one at most.
    """

    def __init__(
        self,
        document: Document,
        path: Path | None,
        replaces: Recovery | None,
        report: Callable[[PolyoramaError], None] | None,
        patience: float,
    ) -> None:
        self._patience = patience
        self._report = report
        self._replaces = replaces
        self._state = threading.Condition()
        self._latest = document
        self._title = ""
        self._steps = 0
        self._number, self._written, self._synced = 1, 0, 0
        self._fresh: tuple[Document, Path | None] | None = (document, path)
        self._session: _Session | None = None
        self._failed = False
        self._stopping = False
        self._mark: tuple[int, int] | None = None
        self._threads = [
            threading.Thread(target=self._write_all, name="journal", daemon=True),
            threading.Thread(target=self._sync_all, name="journal-sync", daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._at_exit = partial(self.flush, 2.0)
        atexit.register(self._at_exit)

    @classmethod
    def start(
        cls,
        document: Document,
        path: str | os.PathLike[str] | None = None,
        *,
        replaces: Recovery | None = None,
        report: Callable[[PolyoramaError], None] | None = None,
        patience: float = 0.05,
    ) -> Journal:
        """Begin a journal.

        Parameters
        ----------
        document
            As it lies in the project, or as it was opened.
        path
            The project; None where there is none yet.
        replaces
            What the document was recovered from; it is discarded once this journal holds it.
        report
            Called from another thread when the journal cannot be written, once until it can again.
        patience
            Longest time, s, that a step waits for the one before it to be written.
        """
        place = None if path is None else Path(os.path.abspath(path))
        return cls(document, place, replaces, report, patience)

    def append(self, command: _Command) -> None:
        """Write down a command that was just done."""
        self.record(command.patch.apply(self._latest), command.title)

    def record(self, document: Document, title: str = "", *, new: bool = True) -> None:
        """Write down what the document has become.

        Parameters
        ----------
        document
            All of it; what changed is found out here.
        title
            What was done, sentence case.
        new
            Whether it is a step of its own, not the same drag going on.
        """
        with self._state:
            before = self._number
            self._state.wait_for(
                lambda: self._written >= before or self._failed, timeout=self._patience
            )
            self._number += 1
            self._latest, self._title = document, title
            self._steps += new
            self._state.notify_all()

    def follow(self, editor: _Editor) -> Callable[[], None]:
        """Write down each change of an editor from now on; call what is returned to end it."""

        def on_change(changed: _Editor, command: _Command | None) -> None:
            history = changed.history
            mark = (history.position + history.forgotten, len(history.commands) + history.forgotten)
            title = "" if command is None else command.title
            self.record(changed.document, title, new=mark != self._mark)
            self._mark = mark

        return editor.subscribe(on_change)

    def saved(self, document: Document, path: str | os.PathLike[str]) -> None:
        """Begin afresh: a document was saved as a project. What was edited since then is kept."""
        with self._state:
            self._fresh = (document, Path(os.path.abspath(path)))
            self._number += 1
            self._steps = 0
            self._state.notify_all()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all is on the disk; False after `timeout` seconds, or if it cannot be."""
        with self._state:
            wanted = self._number
            self._state.wait_for(lambda: self._synced >= wanted or self._failed, timeout)
            return self._synced >= wanted

    def close(self, discard: bool = True, *, wait: bool = True) -> None:
        """End the journal.

        Parameters
        ----------
        discard
            Whether nothing of it stays; else it can be recovered.
        wait
            Until that is so. Without, a thread sees to it, and the program ends after that.
        """
        if not wait:
            threading.Thread(target=self.close, args=(discard,), name="journal-end").start()
            return
        if not discard:
            self.flush()
        with self._state:
            self._stopping = True
            self._state.notify_all()
        for thread in self._threads:
            thread.join()
        atexit.unregister(self._at_exit)
        session, self._session = self._session, None
        if session is not None:
            session.discard() if discard else session.release()

    @property
    def folder(self) -> Path | None:
        """Where it lies; None until it does."""
        session = self._session
        return None if session is None else session.folder

    # The thread that writes

    def _write_all(self) -> None:
        while True:
            with self._state:
                self._state.wait_for(self._has_work)
                if self._stopping:
                    return
                number, fresh = self._number, self._fresh
                document, title, steps = self._latest, self._title, self._steps
            try:
                if fresh is not None:
                    # What was edited while it was saved is a step too.
                    self._begin(*fresh, document, {"title": title, "steps": max(steps, 1)})
                session = self._session
                assert session is not None
                if document is not session.document:
                    session.write(document, {"title": title, "steps": steps})
                if session.is_large:
                    self._renew(session)
            except Exception as error:  # noqa: BLE001 - the next step may go well
                self._fail(error, number)
                continue
            with self._state:
                if self._fresh is fresh:  # else it was saved once more meanwhile
                    self._fresh = None
                    self._steps -= steps
                self._written = number
                self._failed = False
                self._state.notify_all()

    def _has_work(self) -> bool:
        return self._stopping or self._number > self._written or self._fresh is not None

    def _begin(
        self, document: Document, path: Path | None, latest: Document, news: dict[str, Any]
    ) -> None:
        """Begin a folder of its own; the one before goes once the new one holds all and is safe."""
        unsaved = self._replaces is not None
        session = _Session(document, path, unsaved)
        try:
            if latest is not document:
                session.write(latest, news)
            session.sync()
        except BaseException:
            session.discard()
            raise
        old, self._session = self._session, session
        if old is not None:
            old.discard()
        if self._replaces is not None:
            self._replaces.discard()
            self._replaces = None

    def _renew(self, session: _Session) -> None:
        """Go on in a new folder, whose log begins with the document as it is now."""
        try:
            fresh = _Session(session.document, session.project, True, session.steps, session.title)
            fresh.sync()
        except Exception as error:  # noqa: BLE001 - all is in the old one
            session.room *= 2
            log.warning("The journal goes on in its large log (%s).", error)
            return
        self._session = fresh
        session.discard()

    def _fail(self, error: Exception, number: int) -> None:
        reason = getattr(error, "strerror", None) or str(error)
        told = OutputError(
            f"The journal cannot be written ({reason}); save the project, or a crash loses what "
            "was done since."
        )
        log.warning("%s", told)
        with self._state:
            first, self._failed = not self._failed, True
            self._state.notify_all()
        if first and self._report is not None:
            try:
                self._report(told)
            except Exception:
                log.exception("The failure of the journal could not be reported.")
        with self._state:  # the next step may find room again
            self._state.wait_for(lambda: self._stopping or self._number > number, timeout=5.0)

    # The thread that syncs

    def _sync_all(self) -> None:
        hashing: Iterator[None] | None = None
        while True:
            with self._state:
                if hashing is None:
                    self._state.wait_for(self._has_unsynced)
                if self._stopping:
                    return
                number, session = self._written, self._session
                behind = number > self._synced and session is not None
            if behind:
                assert session is not None
                self._sync(session, number)
                hashing = hashing or session.hashing()
            elif hashing is not None:
                try:
                    next(hashing)
                except StopIteration:
                    hashing = None
                except Exception as error:  # noqa: BLE001 - nothing ends this thread
                    log.warning("The hash of a file could not be written down: %s", error)
                    hashing = None

    def _sync(self, session: _Session, number: int) -> None:
        try:
            session.sync()
        except Exception as error:  # noqa: BLE001 - nothing ends this thread
            if session is self._session:
                self._fail(error, number)
            return
        with self._state:
            self._synced = max(self._synced, number)
            self._state.notify_all()

    def _has_unsynced(self) -> bool:
        return self._stopping or self._written > self._synced
