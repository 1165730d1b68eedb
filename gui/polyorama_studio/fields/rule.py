"""A rule: typed, checked at once, and counted beside the GUI thread."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget
from shiboken6 import isValid

from polyorama.errors import PolyoramaError
from polyorama.scene.rules import parse_rule
from polyorama_studio.fields.simple import TextField
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.newest import Newest
from polyorama_studio.theme import Metrics, fixed_font

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPaintEvent

    from polyorama_studio.session import Session
    from polyorama_studio.theme import Theme

__all__ = ["Counter", "RuleField"]

_PAUSE_MS = 220
"""After so long without a letter, matches are counted."""


class Counter(QObject):
    """Counts on a worker thread, once a pause comes; only the newest count is told.

    Parameters
    ----------
    session
        Runs the job.
    """

    counted = Signal(int)
    failed = Signal(str)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._newest = Newest(session, "count", self, pause=_PAUSE_MS)
        self.forget = self._newest.forget

    def ask(self, work: Callable[[], int]) -> None:
        """Count something else."""
        self._newest.ask(work, self._on_done, self._on_failed)

    def _on_done(self, count: int | None) -> None:
        # The field may have gone while it was counted.
        if count is not None and isValid(self):
            self.counted.emit(count)

    def _on_failed(self, error: BaseException) -> None:
        if not isValid(self):
            return
        if isinstance(error, PolyoramaError):
            self.failed.emit(str(error))
        else:
            self._session.report(error)


@guards
class _Mark(QWidget):
    """A small warning sign."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFixedSize(Metrics.small_icon, Metrics.small_icon)

    def paintEvent(self, event: QPaintEvent) -> None:
        """In the colour of what is bad."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_icon(painter, "warning", self._theme.tokens.color("bad"), QRectF(self.rect()))
        painter.end()


class RuleField(QWidget):
    """A query such as ``opacity < 0.1``, with what is wrong with it or how many it holds for.

    Parameters
    ----------
    session
        Counts.
    name
        For screen readers.
    count
        How many splats a rule holds for, called on a worker thread; None counts nothing.
    check
        Raises a PolyoramaError where a rule that can be read asks for what is not there; called
        on the GUI thread, so it must be quick.
    """

    committed = Signal(str)
    entered = Signal(str)
    """The same, once Enter was pressed in it."""

    def __init__(
        self,
        session: Session,
        name: str,
        count: Callable[[str], int] | None = None,
        parent: QWidget | None = None,
        *,
        check: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(parent)
        self._count = count
        self._check_names = check
        self._good = ""
        self.edit = TextField(name, self)
        self.edit.setFont(fixed_font(Metrics.label))
        self.edit.setPlaceholderText("opacity < 0.1")
        self.mark = _Mark(session.theme, self)
        self.note = QLabel(self)
        self.note.setWordWrap(True)
        self.note.setProperty("fine", "true")
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setMinimumWidth(1)
        below = QHBoxLayout()
        below.setSpacing(Metrics.space[0])
        below.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        below.addWidget(self.note, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Metrics.hair)
        column.addWidget(self.edit)
        column.addLayout(below)
        self.setFocusProxy(self.edit)
        self._counter = Counter(session, self)
        self._counter.counted.connect(self._on_counted)
        self._counter.failed.connect(self._on_uncounted)
        self.edit.textEdited.connect(self._on_edited)
        self.edit.committed.connect(self._on_committed)
        self.edit.returnPressed.connect(self._on_return)
        self._say("", bad=False)

    @property
    def error(self) -> str:
        """What is wrong with the rule as it stands, or ""."""
        text = self.edit.text().strip()
        if not text:
            return ""
        try:
            parse_rule(text)
            if self._check_names is not None:
                self._check_names(text)
        except PolyoramaError as error:
            return str(error)
        return ""

    def set_count(self, count: Callable[[str], int] | None) -> None:
        """Count in another way from now on."""
        self._count = count

    def set_value(self, rule: str) -> None:
        """Show another rule, unless one is being typed, and count what it holds for."""
        typing = self.edit.hasFocus() and self.edit.isModified()
        self.edit.set_value(rule)
        self._good = rule
        if not typing:
            self._check()

    def recount(self) -> None:
        """The scene changed."""
        if not self.error:
            self._check()

    @Slot(str)
    def _on_edited(self, text: str) -> None:
        self._check()

    def _check(self) -> None:
        text, error = self.edit.text().strip(), self.error
        if not text or error or self._count is None:
            self._counter.forget()
            self._say(_one_line(error) if error else "", bad=bool(error))
            return
        self._counter.ask(partial(self._count, text))

    @Slot(int)
    def _on_counted(self, count: int) -> None:
        self._say(_splats(count), bad=False)

    @Slot(str)
    def _on_uncounted(self, reason: str) -> None:
        self._say(_one_line(reason), bad=True)

    def _say(self, text: str, *, bad: bool) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))
        self.mark.setVisible(bad and bool(text))
        if self.note.property("bad") != bad:
            self.note.setProperty("bad", bad)
            self.note.style().unpolish(self.note)
            self.note.style().polish(self.note)

    @Slot(str)
    def _on_committed(self, text: str) -> None:
        # A rule that cannot be read stays to be mended; it goes nowhere.
        error = self.error
        if not error:
            self._good = text
            self.committed.emit(text)
        else:
            self.edit.keep(text, self._good)
            self._say(_one_line(error), bad=True)

    @Slot()
    def _on_return(self) -> None:
        text = self.edit.text().strip()
        if text and not self.error:
            self.entered.emit(text)


def _splats(count: int) -> str:
    return f"{count:,} splat" + ("" if count == 1 else "s")


def _one_line(error: str) -> str:
    """A rule's error without the drawing that shows the place, which needs a fixed width."""
    lines = error.strip().split("\n")
    caret = next((i for i, line in enumerate(lines) if re.fullmatch(r"\s*\^+\s*", line)), None)
    if caret is None:
        return " ".join(line.strip() for line in lines)
    place = lines[caret].index("^")
    shown = lines[caret - 1] if caret else ""
    rest = [line.strip() for i, line in enumerate(lines) if i not in (caret, caret - 1)]
    near = shown[place : place + 16].strip()
    where = f" Here: {near}" if near else ""
    return " ".join(rest) + where
