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
from polyorama.edit.command import Call, Command, Patch
from polyorama.edit.facades import Keys, Modifiers
from polyorama.edit.history import History
from polyorama.edit.ops import Op, find_op, op_names
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama.core.jobs import Job
    from polyorama.scene.document import Document

__all__ = ["Editor", "python_line"]

Listener = Callable[["Editor", Command | None], None]
"""Told after each change: the editor, and the command, or None when the document was replaced."""


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
        """Everything that was done, oldest first, as it happened; undoing and redoing too."""
        self.done: list[tuple[Call, ...]] = []
        """The calls of each step that is done now, oldest first: what makes this document."""
        self._undone: list[tuple[Call, ...]] = []
        self._listeners: list[Listener] = []
        self.modifiers = Modifiers(self)
        self.keys = Keys(self)
        self._gesture: tuple[Document, str] | None = None
        self._gesture_calls: list[Call] = []

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
        self.calls.append(call)
        if not patch:
            return
        now = self.document
        self.document = after
        if self._gesture is None:
            command = Command(title, (call,), Patch.between(now, after))
            self._push(command)
        else:
            start, title = self._gesture
            self._gesture_calls.append(call)
            command = Command(title, tuple(self._gesture_calls), Patch.between(start, after))
            if len(self._gesture_calls) == 1:
                self._push(command)
            else:
                self._replace_last(command)
        self._tell(command)

    def _push(self, command: Command) -> None:
        self.history.push(command, self.document)
        self.done.append(command.calls)
        self._undone.clear()

    def _replace_last(self, command: Command) -> None:
        self.history.replace_last(command)
        self.done[-1] = command.calls

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
        self._gesture = (self.document, title)

    @property
    def in_gesture(self) -> bool:
        """Whether a gesture is under way."""
        return self._gesture is not None

    def end_gesture(self) -> tuple[Call, ...]:
        """The gesture is over; tells which calls it comes to. Without one, nothing happens."""
        if self._gesture is None:
            return ()
        (start, title), calls = self._gesture, self._gesture_calls
        self._gesture, self._gesture_calls = None, []
        kept = _last_of_each(calls)
        if len(kept) == len(calls):
            return tuple(kept)
        # Setting a value over and over adds up roundings: the step is what its calls make.
        before, after = self.document, start
        for call in kept:
            after = find_op(call.name).function(after, **call.arguments)
        self.document = after
        self.calls[-len(calls) :] = kept
        command = Command(title, tuple(kept), Patch.between(start, after))
        self._replace_last(command)
        if Patch.between(before, after):
            self._tell(command)
        return tuple(kept)

    # History

    def undo(self) -> bool:
        """Take the last step back; False where there is none."""
        self.end_gesture()
        if not self.history.can_undo:
            return False
        command = self.history.commands[self.history.position - 1]
        self.document = command.revert(self.document)
        self.history.position -= 1
        self._undone.append(self.done.pop())
        self.calls.append(Call("undo"))
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
        self.done.append(self._undone.pop())
        self.calls.append(Call("redo"))
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


def _last_of_each(calls: list[Call]) -> list[Call]:
    """Of calls that give the same thing a newer value the last one, as long as no others come."""
    kept: list[Call] = []
    run: dict[tuple[Any, ...], Call] = {}
    for call in calls:
        if call.name not in _NEWER:
            kept += run.values()
            run = {}
            kept.append(call)
            continue
        value = call.arguments.get(_NEWER[call.name])
        # Of a modifier's fields only those that are given are new.
        fields = tuple(sorted(value)) if isinstance(value, dict) else ()
        names = ("path", "time", "node", "modifier")
        what = (call.name, fields, *(call.arguments.get(name) for name in names))
        run.pop(what, None)  # so that it takes its place among the others anew
        run[what] = call
    return [*kept, *run.values()]


_NEWER = {"set": "value", "key": "value", "place": "matrix", "change_modifier": "values"}
"""Operations that drags repeat, and the argument in which their calls differ."""


def python_line(call: Call) -> str:
    """The Python line that does the same, as ``doc.rename(node='pot', name='vase')``."""
    arguments = ", ".join(f"{name}={_shown(value)}" for name, value in call.arguments.items())
    return f"doc.{call.name}({arguments})"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, tuple | list):
        parts = ", ".join(_shown(part) for part in value)
        return f"({parts},)" if len(value) == 1 else f"({parts})"
    text = repr(value)
    return text if len(text) <= 200 else f"<{type(value).__name__}>"
