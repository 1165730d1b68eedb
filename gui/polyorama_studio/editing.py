"""Editing: the editor of the open document, as the studio sees it.

Panels and tools call `Editing.run`; what long work makes is computed on a worker thread and taken
over here. Every change, undoing included, ends in one `edited` signal.
"""

from __future__ import annotations

import inspect
import logging
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from polyorama.core.frozen import FrozenMap
from polyorama.edit.command import Call
from polyorama.edit.editor import Editor, python_line
from polyorama.edit.history import History
from polyorama.edit.ops import find_op
from polyorama.errors import PolyoramaError, UsageError
from polyorama.render.caches import forget
from polyorama_studio.jobs import Handlers

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from polyorama.core.jobs import Progress
    from polyorama.edit.command import Command
    from polyorama.scene.document import Document
    from polyorama_studio.session import Session

__all__ = ["Editing"]

log = logging.getLogger(__name__)


class Editing(QObject):
    """Holds the `Editor`; the only way in which the studio changes a document.

    Parameters
    ----------
    session
        Runs jobs and shows failures.
    """

    edited = Signal(object)
    """After each change: the `Command`, done, undone or done again."""
    replaced = Signal()
    """Another document was opened, or the last one closed."""
    logged = Signal(str)
    """The Python line of what was done."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.editor: Editor | None = None
        self._title = ""
        self._step_before: Command | None = None
        """The last step when the gesture began."""
        self._late: list[Callable[[], Any]] = []
        """What was computed while a gesture went on, to be taken over after it."""
        session.preferences.changed.connect(self._on_preferences)

    @Slot()
    def _on_preferences(self) -> None:
        if self.editor is not None:
            self.editor.history.limit = self._session.preferences.history_mib << 20

    @property
    def document(self) -> Document | None:
        """The document as it is edited, or None."""
        return None if self.editor is None else self.editor.document

    def open(self, document: Document | None) -> None:
        """Edit another document, with an empty history; None closes."""
        forget()  # what was drawn of the last document may be gigabytes
        self._late = []
        limit = self._session.preferences.history_mib << 20
        self.editor = None if document is None else Editor(document, history=History(limit))
        if self.editor is not None:
            self.editor.subscribe(self._on_change)
        self.replaced.emit()

    def run(self, name: str, /, **arguments: Any) -> bool:
        """Carry out an operation at once; a failure becomes a toast. Tells whether it was done."""
        if self.editor is None:
            return False
        try:
            arguments = self._timed(name, arguments)
            self.editor.run(name, **arguments)
        except PolyoramaError as error:
            self._session.report(error)
            return False
        self._log(Call(name, FrozenMap(arguments)))
        return True

    def start(
        self, name: str, /, *, done: Callable[[], Any] | None = None, **arguments: Any
    ) -> None:
        """Carry out an operation that takes long on a worker thread.

        Parameters
        ----------
        name, **arguments
            The operation.
        done
            Called on the GUI thread once the document holds the result.
        """
        if self.editor is None:
            return
        editor = self.editor
        try:
            entry = find_op(name)
            arguments = self._timed(name, arguments)
            entry.bound(arguments)
        except PolyoramaError as error:
            self._session.report(error)
            return
        call = Call(name, FrozenMap(arguments))
        title = entry.titled(arguments)
        before = editor.document
        self._session.start_job(
            partial(_computed, entry.function, before, arguments),
            Handlers(
                partial(self._on_computed, editor, before, title, call, done),
                self._session.report,
                self._session.on_progress,
            ),
            title,
        )

    def _timed(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with the playhead's time, for operations that look at things as they are.

        Those are the ones whose time may be left out.
        """
        time = self._session.playback.time
        known = inspect.signature(find_op(name).function).parameters.get("time")
        left_out = known is not None and known.default == 0.0 and "time" not in arguments
        return {**arguments, "time": time} if left_out and time else arguments

    def take(self, before: Document, after: Document, name: str, /, **arguments: Any) -> bool:
        """As `commit`; a failure becomes a toast. Tells whether it was done."""
        try:
            self.commit(before, after, name, arguments)
        except PolyoramaError as error:
            self._session.report(error)
            return False
        return True

    def commit(
        self, before: Document, after: Document, name: str, arguments: dict[str, Any]
    ) -> None:
        """Take over what an operation made of `before` elsewhere.

        Raises
        ------
        UsageError
            If the document changed in the same place since, or another one is open.
        """
        if self.editor is None:
            raise UsageError("Nothing is open any more.")
        call = Call(name, FrozenMap(arguments))
        self.editor.commit(before, after, find_op(name).titled(arguments), call)
        self._log(call)

    def _on_computed(
        self,
        editor: Editor,
        before: Document,
        title: str,
        call: Call,
        done: Callable[[], Any] | None,
        after: Document | None,
    ) -> None:
        if editor is not self.editor or after is None:
            return
        if editor.in_gesture:
            # It is no part of what is being dragged, and a step of its own.
            self._late.append(partial(self._on_computed, editor, before, title, call, done, after))
            return
        try:
            editor.commit(before, after, title, call)
        except PolyoramaError as error:
            self._session.report(error)
            return
        self._log(call)
        if done is not None:
            done()

    @contextmanager
    def gesture(self, title: str) -> Iterator[None]:
        """All that is run inside is one step of the history."""
        self.begin(title)
        try:
            yield
        finally:
            self.end()

    def begin(self, title: str) -> None:
        """A drag begins: until `end`, all that is run is one step."""
        self.end()
        if self.editor is not None:
            self._title, self._step_before = title, self.last_step
            self.editor.begin_gesture(title)

    @Slot()
    def end(self) -> None:
        """The drag is over."""
        self._settle()
        late, self._late = self._late, []
        for take in late:
            take()

    @Slot()
    def cancel(self) -> None:
        """The drag is given up: what it changed is taken back. Without one, nothing happens."""
        if self.editor is not None and self.editor.in_gesture:
            self._settle()
            if self.last_step is not self._step_before:
                self.undo()
        self.end()

    def _settle(self) -> None:
        if self.editor is not None:
            for call in self.editor.end_gesture():
                self._log(call)

    @property
    def last_step(self) -> Command | None:
        """The step that undoing would take back, or None."""
        if self.editor is None or not self.editor.history.can_undo:
            return None
        history = self.editor.history
        return history.commands[history.position - 1]

    def undo(self) -> bool:
        """Take the last step back; False where there is none.

        A drag that goes on is one step again from there.
        """
        dragged = self.editor is not None and self.editor.in_gesture
        self._settle()
        done = self.editor is not None and self.editor.undo()
        if done:
            self._log(Call("undo"))
        if dragged:
            self.begin(self._title)
        return done

    def redo(self) -> bool:
        """Do the step that was taken back last once more; False where there is none."""
        self.end()
        done = self.editor is not None and self.editor.redo()
        if done:
            self._log(Call("redo"))
        return done

    def go_to(self, position: int) -> None:
        """Undo or redo until so many steps are done."""
        if self.editor is None:
            return
        steps = self.editor.history.position - position
        for _ in range(abs(steps)):
            if not (self.undo() if steps > 0 else self.redo()):
                return

    def _log(self, call: Call) -> None:
        # While something is dragged every step would be a line; the end tells the last ones.
        if self.editor is None or not self.editor.in_gesture:
            self.logged.emit(python_line(call))

    def _on_change(self, editor: Editor, command: Command | None) -> None:
        self._session.stage.change_document(editor.document)
        self.edited.emit(command)


def _computed(
    function: Callable[..., Any], before: Document, arguments: dict[str, Any]
) -> Any | Generator[Progress, None, Any]:
    return function(before, **arguments)
