"""The editor: a document, its history, and every operation as a method.

    doc = po.edit("plant.ply")
    doc.select("hue in 80..140 and opacity > 0.3")
    doc.add_modifier(node="plant", kind="grade", saturation=1.4)
    doc.undo()

Nothing here knows of windows: the studio holds an `Editor` as a script does.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from polyorama.core.frozen import FrozenMap
from polyorama.edit.calls import last_of_each, only_sets, python_line
from polyorama.edit.command import Call, Command, Patch
from polyorama.edit.facades import Keys, Modifiers
from polyorama.edit.history import History
from polyorama.edit.ops import Op, find_op, op_names
from polyorama.edit.record import Record
from polyorama.errors import PolyoramaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document

__all__ = ["Editor", "python_line"]

_LATEST = 64
"""Calls that `Editor.calls` goes back."""

Listener = Callable[["Editor", Command | None], None]
"""Told after each change: the editor, and the command, or None when the document was replaced."""


class _Gesture:
    """What was done since a drag began.

    Parameters
    ----------
    title
        What the history shows.
    start
        The document when it began.
    base
        The document before `calls`.
    """

    def __init__(self, title: str, start: Document, base: Document) -> None:
        self.title, self.start, self.base = title, start, base
        self.settled: list[Call] = []
        """Calls up to the last that does not just give a newer value."""
        self.calls: list[Call] = []
        """Those after it."""
        self.heard = 0
        """All calls, those that changed nothing included."""

    def add(self, call: Call, after: Document) -> None:
        """A call made the document what it is now."""
        self.calls.append(call)
        if not only_sets(call):
            # It is not carried out again: it may have taken long, or asked what was there.
            self.settled += self.calls
            self.calls, self.base = [], after

    def settled_calls(self) -> tuple[tuple[Call, ...], Document]:
        """The calls that are left when newer values take the place of older, and what they make.

        Where none is left out, that is what there is already. Setting a value over and over adds up
        roundings: the step is what its calls make.
        """
        kept, after = last_of_each(self.calls), self.base
        try:
            for call in kept:
                after = find_op(call.name).function(after, **call.arguments)
        except PolyoramaError:  # two values may fit each other only in the order they came in
            return (*self.settled, *self.calls), self.base
        return (*self.settled, *kept), after


class Editor:
    """Holds a document; only its commands change it.

    Parameters
    ----------
    document
        What is edited.
    history
        Where steps are kept; one of 512 MiB when not given.
    """

    def __init__(self, document: Document, *, history: History | None = None) -> None:
        self.document = document
        self.history = history or History()
        self.calls: list[Call] = []
        """What was done last, oldest first, as it happened; undoing and redoing too."""
        self.done = Record()
        """The calls of each step that is done now, oldest first: what makes this document."""
        self._listeners: list[Listener] = []
        self.modifiers = Modifiers(self)
        self.keys = Keys(self)
        self._gesture: _Gesture | None = None

    # Operations

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in op_names():
            raise AttributeError(f"an Editor has no {name!r}")
        entry = find_op(name)

        @functools.wraps(entry.function)
        def run(*values: Any, **arguments: Any) -> Document:
            return self.run(name, **_named(entry, values, arguments))

        return run

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *op_names()})

    def run(self, name: str, /, **arguments: Any) -> Document:
        """Carry out an operation by name, to its end, as one step of the history.

        Raises
        ------
        UsageError
            If there is no such operation, or it cannot be done.
        """
        for _ in self.job(name, **arguments):
            pass
        return self.document

    def job(self, name: str, /, **arguments: Any) -> Job[Document]:
        """Carry out an operation as a job.

        The document may change meanwhile: what the job changed is then brought into it, unless
        something else changed the same.

        Raises
        ------
        UsageError
            As `run`, or if the document changed in the same place meanwhile.
        """
        entry = find_op(name)
        arguments = entry.bound(arguments)
        before = self.document
        result = entry.function(before, **arguments)
        if isinstance(result, Generator):
            result = yield from result
        self.commit(before, result, entry.titled(arguments), Call(name, FrozenMap(arguments)))
        return self.document

    def commit(self, before: Document, after: Document, title: str, call: Call) -> None:
        """Take over what an operation made of `before`, as one step or as part of a gesture.

        Raises
        ------
        UsageError
            If the document changed in the same place since `before`.
        """
        patch = Patch.between(before, after)
        if self.document is not before:
            if patch.touches(Patch.between(before, self.document)):
                raise UsageError(f"{title} did not happen: the scene changed in the same place.")
            after = patch.apply(self.document)
        self._heard(call)
        if not patch:
            return
        now = self.document
        self.document = after
        gesture = self._gesture
        if gesture is None:
            command = Command(title, (call,), Patch.between(now, after))
            self._push(command)
        else:
            gesture.add(call, after)
            calls = (*gesture.settled, *gesture.calls)
            command = Command(gesture.title, calls, Patch.between(gesture.start, after))
            if len(calls) == 1:
                self._push(command)
            else:
                self._replace_last(command)
        self._tell(command)

    def _heard(self, call: Call) -> None:
        self.calls.append(call)
        if self._gesture is not None:
            self._gesture.heard += 1
        elif len(self.calls) > _LATEST:
            del self.calls[:-_LATEST]

    def _push(self, command: Command) -> None:
        self.history.push(command, self.document)
        self.done.push(command.calls)

    def _replace_last(self, command: Command) -> None:
        self.history.replace_last(command)
        self.done.replace_last(command.calls)

    @contextmanager
    def gesture(self, title: str) -> Iterator[None]:
        """All that is done inside becomes one step of the history."""
        self.begin_gesture(title)
        try:
            yield
        finally:
            self.end_gesture()

    def begin_gesture(self, title: str) -> None:
        """From now on until `end_gesture` everything is one step: a drag, for example."""
        self.end_gesture()
        self._gesture = _Gesture(title, self.document, self.document)

    @property
    def in_gesture(self) -> bool:
        """Whether a gesture is under way."""
        return self._gesture is not None

    def end_gesture(self) -> tuple[Call, ...]:
        """The gesture is over; tells which calls it comes to. Without one, nothing happens."""
        gesture, self._gesture = self._gesture, None
        if gesture is None:
            return ()
        kept, after = gesture.settled_calls()
        self.calls[len(self.calls) - gesture.heard :] = kept
        if len(kept) == len(gesture.settled) + len(gesture.calls):
            return kept
        before, self.document = self.document, after
        command = Command(gesture.title, kept, Patch.between(gesture.start, after))
        self._replace_last(command)
        if Patch.between(before, after):
            self._tell(command)
        return kept

    # History

    def undo(self) -> bool:
        """Take the last step back; False where there is none."""
        self.end_gesture()
        if not self.history.can_undo:
            return False
        command = self.history.commands[self.history.position - 1]
        self.document = command.revert(self.document)
        self.history.position -= 1
        self.done.undo()
        self._heard(Call("undo"))
        self._tell(command)
        return True

    def redo(self) -> bool:
        """Do the step that was taken back last once more; False where there is none."""
        self.end_gesture()
        if not self.history.can_redo:
            return False
        command = self.history.commands[self.history.position]
        self.document = command.apply(self.document)
        self.history.position += 1
        self.done.redo()
        self._heard(Call("redo"))
        self._tell(command)
        return True

    def go_to(self, position: int) -> None:
        """Undo or redo until so many commands of the history are done."""
        position = min(max(position, 0), len(self.history.commands))
        while self.history.position > position and self.undo():
            pass
        while self.history.position < position and self.redo():
            pass

    # Watching

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Have a function told after each change; call what is returned to end it."""
        self._listeners.append(listener)
        return functools.partial(self._listeners.remove, listener)

    def _tell(self, command: Command | None) -> None:
        for listener in tuple(self._listeners):
            listener(self, command)


def _named(entry: Op, values: tuple[Any, ...], arguments: dict[str, Any]) -> dict[str, Any]:
    names = list(inspect.signature(entry.function).parameters)[1:]
    if len(values) > len(names):
        raise UsageError(f"{entry.name} takes {len(names)} values, not {len(values)}.")
    named = dict(zip(names, values, strict=False))
    doubled = set(named) & set(arguments)
    if doubled:
        raise UsageError(f"{entry.name} was given {sorted(doubled)[0]!r} twice.")
    return named | arguments
