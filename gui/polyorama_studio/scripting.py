"""Python that a person types: run on a thread of its own, edits carried out on the window's."""

from __future__ import annotations

import ast
import ctypes
import itertools
import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from polyorama.edit.editor import Editor
from polyorama.edit.facades import Keys, Modifiers
from polyorama.edit.ops import find_op
from polyorama.errors import PolyoramaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

    from polyorama.core.jobs import Job
    from polyorama.edit.command import Call
    from polyorama.edit.history import History
    from polyorama.edit.record import Record
    from polyorama.scene.document import Document
    from polyorama_studio.session import Session

__all__ = ["Runner", "sentence"]

_FILE = "<console>"
_LOOK_S = 0.1
_MOST_LINES = 1000
"""So many lines wait for the window; of more, the last ones are shown."""
_LONGEST = 4000
"""Letters of a line that are shown."""


class _Closed(BaseException):
    """The session ended while a script waited for it; nothing is told of it."""


class _RemoteEditor(Editor):
    """`doc` of a script: an `Editor` whose changes happen on the window's thread.

    What an operation makes is computed here, on the script's thread, so that the window goes on.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.modifiers = Modifiers(self)
        self.keys = Keys(self)

    @property
    def _local(self) -> Editor:
        editor = self._runner.session.editing.editor
        if editor is None:
            raise UsageError("Nothing is open; open a file or begin a new scene first.")
        return editor

    @property
    def document(self) -> Document:  # type: ignore[override]
        """The document as it is now."""
        return self._local.document

    @property
    def history(self) -> History:  # type: ignore[override]
        """The history of the open document."""
        return self._local.history

    @property
    def calls(self) -> list[Call]:  # type: ignore[override]
        """See `Editor.calls`."""
        return self._local.calls

    @property
    def done(self) -> Record:  # type: ignore[override]
        """See `Editor.done`."""
        return self._local.done

    def job(self, name: str, /, **arguments: Any) -> Job[Document]:
        """See `Editor.job`."""
        entry = find_op(name)
        before = self.document
        result = entry.function(before, **entry.bound(arguments))
        if isinstance(result, Generator):
            result = yield from result
        take = partial(self._runner.session.editing.commit, before, result, name, arguments)
        self._runner.there(take)
        return self.document

    def undo(self) -> bool:
        """See `Editor.undo`."""
        return self._runner.there(self._runner.session.editing.undo)

    def redo(self) -> bool:
        """See `Editor.redo`."""
        return self._runner.there(self._runner.session.editing.redo)

    def go_to(self, position: int) -> None:
        """See `Editor.go_to`."""
        self._runner.there(partial(self._runner.session.editing.go_to, position))

    def begin_gesture(self, title: str) -> None:
        """See `Editor.begin_gesture`."""
        self._runner.there(partial(self._runner.session.editing.begin, title))

    def end_gesture(self) -> None:
        """See `Editor.end_gesture`."""
        self._runner.there(self._runner.session.editing.end)

    @contextmanager
    def gesture(self, title: str) -> Iterator[None]:
        """See `Editor.gesture`."""
        self.begin_gesture(title)
        try:
            yield
        finally:
            self.end_gesture()


class Runner(QObject):
    """Runs scripts, one at a time; their names stay from one to the next.

    Parameters
    ----------
    session
        Whose document is `doc`.
    """

    said = Signal(str)
    """What a script printed, or the value of its last expression."""
    failed = Signal(str)
    """What went wrong, one sentence."""
    ended = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.running = False
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None
        self._saying = threading.Lock()
        self._said: deque[str] = deque(maxlen=_MOST_LINES)
        self._names: dict[str, Any] = {"__name__": "__console__", "print": self._print}

    def run(self, text: str) -> None:
        """Run Python on a thread of its own."""
        if self.running:
            return
        try:
            parts = _compiled(text)
        except SyntaxError as error:
            self.failed.emit(sentence(error))
            self.ended.emit()
            return
        self.running = True
        # A daemon: what a person typed may never end, and the window is to close all the same.
        self._thread = threading.Thread(
            target=self._run, args=parts, name="script", daemon=True
        )  # fmt: skip
        self._thread.start()

    def stop(self) -> None:
        """Interrupt what runs, at its next step of Python."""
        thread = self._thread
        if self.running and thread is not None and thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
            )

    def there(self, function: Callable[[], Any]) -> Any:
        """Call a function on the window's thread, and wait for what it returns or raises."""
        done = threading.Event()
        box: list[tuple[Any, BaseException | None]] = []

        def call(value: object) -> None:
            try:
                box.append((function(), None))
            except BaseException as error:
                box.append((None, error))
                if not isinstance(error, Exception):
                    raise
            finally:
                done.set()

        self.session.bridge.post(("script", next(self._numbers)), call, None)
        while not done.wait(_LOOK_S):
            if self.session.bridge.closed:
                raise _Closed
        result, error = box[0]
        if error is not None:
            raise error
        return result

    # On the script's thread

    def _run(self, body: CodeType | None, last: CodeType | None) -> None:
        import polyorama

        self._names |= {"doc": _RemoteEditor(self), "po": polyorama}
        wrong = ""
        try:
            if body is not None:
                exec(body, self._names)
            if last is not None:
                value = eval(last, self._names)
                if value is not None and not _is_document(value):
                    self._say(repr(value))
        except _Closed:
            return
        except KeyboardInterrupt:
            wrong = "Stopped."
        except SystemExit:
            wrong = "A script cannot end the program; close the window."
        except PolyoramaError as error:
            wrong = str(error)
        except BaseException as error:  # noqa: BLE001 - the console goes on, whatever it is
            wrong = sentence(error)
        self._post(self._end, wrong)

    def _print(
        self, *values: object, sep: str = " ", end: str = "\n", file: Any = None,
        flush: bool = False,
    ) -> None:  # fmt: skip
        text = sep.join(map(str, values)) + end
        if file is None:
            self._say(text)
        else:
            file.write(text)

    def _say(self, text: str) -> None:
        """Show a text, together with all that is said until the window has time for it."""
        with self._saying:
            self._said.append(text.rstrip("\n")[:_LONGEST])
        self.session.bridge.post("script said", self._flush, None)

    def _flush(self, nothing: None) -> None:
        with self._saying:
            lines, self._said = list(self._said), deque(maxlen=_MOST_LINES)
        if lines:
            self.said.emit("\n".join(lines))

    def _post(self, handler: Callable[[Any], None], value: object) -> None:
        self.session.bridge.post(("script", next(self._numbers)), handler, value)

    def _end(self, wrong: str) -> None:
        self.running = False
        if wrong:
            self.failed.emit(wrong)
        self.ended.emit()


def _compiled(text: str) -> tuple[CodeType | None, CodeType | None]:
    """A script as what is carried out, and the expression at its end whose value is shown."""
    tree = ast.parse(text, _FILE)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        expression = tree.body.pop()
        assert isinstance(expression, ast.Expr)
        last = compile(ast.Expression(expression.value), _FILE, "eval")
    body = compile(tree, _FILE, "exec") if tree.body else None
    return body, last


def _is_document(value: object) -> bool:
    # Every operation returns the document; its arrays are nothing to read.
    from polyorama.scene.document import Document

    return isinstance(value, Document)


def sentence(error: BaseException) -> str:
    """A failure of a script in one sentence."""
    if isinstance(error, SyntaxError):
        return f"Line {error.lineno} is no Python: {error.msg}."
    if isinstance(error, PolyoramaError):
        return str(error)
    try:
        text = str(error).rstrip(".")
    except Exception:  # noqa: BLE001 - it is a class of the script
        text = ""
    where = ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            where = f" in line {trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}{where}: {text}." if text else f"{type(error).__name__}{where}."
