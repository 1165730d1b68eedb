"""Renders that run in processes of their own: begun, stopped, gone on with, and remembered."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from polyorama.core.jobs import Progress
from polyorama.errors import OutputError
from polyorama_studio.folders import show_in_folder
from polyorama_studio.jobs import Handlers, explain
from polyorama_studio.words import legible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from polyorama.core.jobs import Job as EngineJob
    from polyorama.scene.document import Document
    from polyorama_studio.jobs import Job
    from polyorama_studio.session import Session
    from polyorama_studio.shooting import RenderSettings, Seen

__all__ = ["Render", "Renders", "render_process", "renders_of"]

_LOOK_S = 0.2
_PATIENCE_S = 20.0
"""So long a process that is asked to end may take to tidy up."""
_KEPT = 40


@dataclass(slots=True, eq=False)
class Render:
    """One render of the list.

    Parameters
    ----------
    settings, document, seen
        What was asked for; going on takes the very same.
    files
        What is rendered, where files hold just that; empty where the scene is written first.
    state
        ``"running"``, ``"done"``, ``"failed"`` or ``"stopped"``.
    note, share
        How far it has come: a few words, and 0..1 or None.
    error
        What went wrong, one sentence.
    """

    settings: RenderSettings
    document: Document
    seen: Seen
    files: tuple[Path, ...] = ()
    state: str = "running"
    note: str = ""
    share: float | None = None
    error: str = ""
    job: Job | None = None
    started: float = field(default_factory=time.perf_counter)
    seconds: float = 0.0
    done_before: float = 0.0
    """Share that an earlier run had done."""

    @property
    def title(self) -> str:
        """Its file's name."""
        path = self.settings.path
        name = f"{path.parent.name}/{path.name}" if self.settings.kind.sequence else path.name
        return legible(name)

    @property
    def seconds_left(self) -> float | None:
        """About how long it will still take, s; None where nothing tells."""
        gone = time.perf_counter() - self.started
        if self.state != "running" or self.share is None or gone < 1.0:
            return None
        made = self.share - self.done_before
        return gone * (1.0 - self.share) / made if made > 1e-6 else None


class Renders(QObject):
    """The renders of a session, newest first; they outlive the dialog that began them."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.entries: list[Render] = []

    def start(self, render: Render, *, resume: bool = False) -> None:
        """Begin a render, or go on with one that was stopped."""
        if render not in self.entries:
            self.entries.insert(0, render)
        ended = [entry for entry in self.entries if entry.state != "running"]
        for entry in ended[_KEPT:]:
            self.entries.remove(entry)
        render.state, render.error, render.note = "running", "", ""
        render.share = None
        render.started, render.done_before = time.perf_counter(), 0.0
        handlers = Handlers(
            partial(self._on_done, render),
            partial(self._on_failed, render),
            partial(self._on_progress, render),
            partial(self._on_stopped, render),
        )
        title = self.tr("Rendering {0}").format(render.title)
        render.job = self._session.start_job(
            partial(render_process, render, resume=resume), handlers, title
        )
        self.changed.emit()

    def cancel(self, render: Render) -> None:
        """Stop a render; of a film, what is done is kept."""
        if render.job is not None:
            render.job.cancel()
            render.note = self.tr("Stopping")
            self.changed.emit()

    def forget(self, render: Render) -> None:
        """Leave it out of the list; its file stays."""
        if render.state != "running":
            self.entries.remove(render)
            self.changed.emit()

    def _end(self, render: Render, state: str) -> None:
        render.state, render.job = state, None
        render.seconds = time.perf_counter() - render.started
        self.changed.emit()

    def _on_done(self, render: Render, path: Path) -> None:
        self._end(render, "done")
        text = self.tr("Rendered {0}").format(render.title)
        self._session.tell("good", text, self.tr("Show in folder"), partial(show_in_folder, path))

    def _on_failed(self, render: Render, error: BaseException) -> None:
        render.error = explain(error)
        self._end(render, "failed")
        self._session.report(error)

    def _on_stopped(self, render: Render) -> None:
        self._end(render, "stopped")

    def _on_progress(self, render: Render, progress: Progress) -> None:
        if render.state != "running":
            return
        first = render.share is None
        render.note = progress.note
        render.share = progress.done / progress.total if progress.total else None
        if first and render.share is not None:
            render.done_before = render.share
        self.changed.emit()


def renders_of(session: Session) -> Renders:
    """The renders of a session."""
    found = session.findChild(Renders)
    return found if isinstance(found, Renders) else Renders(session)


def render_process(render: Render, *, resume: bool = False) -> EngineJob[Path]:
    """Run `polyorama render` in a process of its own, as a job; closing it asks the process to end.

    Raises
    ------
    OutputError
        If it fails; with the process's own words.
    """
    settings = render.settings
    with tempfile.TemporaryDirectory(prefix="polyorama-render-") as folder:
        files: Sequence[Path] = render.files
        if not files:
            yield Progress(0, 0, "Writing the scene")
            files = [_written(render, Path(folder))]
        words = settings.words(files, render.seen, resume=resume)
        if settings.kind.sequence:
            settings.path.parent.mkdir(parents=True, exist_ok=True)
        yield from _watched([sys.executable, "-m", "polyorama", *words[1:]])
    return settings.path


def _written(render: Render, folder: Path) -> Path:
    """The scene as it is now, in a file that the process reads."""
    from polyorama.io.project import write_project

    name = render.settings.path.parent.name if render.settings.kind.sequence else ""
    project = folder / f"{name or render.settings.path.stem or 'scene'}.poly"
    document = render.document
    if document.camera is None:
        document = replace(document, camera=render.seen.camera)
    write_project(document, project)
    return project


def _watched(command: list[str]) -> Iterator[Progress]:
    """Run a command and pass on what it says of its progress."""
    environment = os.environ | {"POLYORAMA_PROGRESS": "lines", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, env=environment, text=True, encoding="utf-8", errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    lines: queue.Queue[str | None] = queue.Queue()
    assert process.stderr is not None
    reader = threading.Thread(
        target=_read, args=(process.stderr, lines), name="job output", daemon=True
    )
    reader.start()
    said: list[str] = []
    latest = Progress(0, 0, "Starting")
    try:
        yield latest
        while True:
            try:
                line = lines.get(timeout=_LOOK_S)
            except queue.Empty:
                yield latest
                continue
            if line is None:
                break
            told = _progress(line)
            if told is None:
                said.append(line.strip())
            else:
                latest = told
                yield latest
        status = process.wait()
    finally:
        _end(process)
        reader.join(_PATIENCE_S)
    if status:
        words = [line.removeprefix("polyorama: ") for line in said if line]
        raise OutputError(words[-1] if words else f"The renderer ended with status {status}.")


def _read(stream: TextIO, lines: queue.Queue[str | None]) -> None:
    with contextlib.suppress(ValueError, OSError), stream:
        for line in stream:
            lines.put(line)
    lines.put(None)


def _progress(line: str) -> Progress | None:
    """What a line of JSON says, or None for other words."""
    if not line.startswith('{"done"'):
        return None
    try:
        told = json.loads(line)
        return Progress(int(told["done"]), int(told["total"]), str(told["note"]))
    except (ValueError, KeyError, TypeError):
        return None


def _end(process: subprocess.Popen[str]) -> None:
    """Ask a process that still runs to end, and see that it does."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
