"""The console: the Python of each action, and a prompt that runs more of it."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from polyorama.errors import PolyoramaError
from polyorama_studio.coloring import PythonColors
from polyorama_studio.files import save_dialog
from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.scripting import Runner
from polyorama_studio.theme import Metrics, fixed_font

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent

    from polyorama_studio.session import Session

__all__ = ["ConsolePanel"]

_MOST_LINES = 2000
_MOST_TYPED = 200


@guards
class _Prompt(QPlainTextEdit):
    """One line that grows to several where Shift+Enter asks for it."""

    def __init__(self, panel: ConsolePanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self.setObjectName("consolePrompt")
        self.setFont(fixed_font(Metrics.body))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setPlaceholderText(self.tr("Python with doc and po"))
        self.setAccessibleName(self.tr("Python prompt"))
        self.setToolTip(
            self.tr("Enter runs it, Shift+Enter begins a new line, up and down bring back\ndoc, po")
        )
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._fit)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        rows = min(max(self.document().blockCount(), 1), 8)
        frame = 2 * (Metrics.hair + round(self.document().documentMargin()))
        self.setFixedHeight(rows * self.fontMetrics().lineSpacing() + frame)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter runs, arrows at the first and last line bring back what was typed."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        cursor = self.textCursor()
        row, last = cursor.blockNumber(), self.document().blockCount() - 1
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # Qt's own new line is no new block.
            cursor.insertText("\n") if shift else self._panel.run()
        elif event.key() == Qt.Key.Key_Up and row == 0:
            self._panel.bring_back(-1)
        elif event.key() == Qt.Key.Key_Down and row == last:
            self._panel.bring_back(1)
        elif event.key() == Qt.Key.Key_Tab and cursor.block().text()[: cursor.positionInBlock()]:
            cursor.insertText("    ")
        else:
            super().keyPressEvent(event)


@guards
class ConsolePanel(QWidget):
    """What was done as a script that can be run; answers stand in it as remarks."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._typed: deque[str] = deque(maxlen=_MOST_TYPED)
        self._at = 0
        self._draft = ""
        self._echo = True
        self.runner = Runner(session, self)
        self.output = QPlainTextEdit(self)
        self.output.setObjectName("consoleOutput")
        self.output.setReadOnly(True)
        self.output.setFont(fixed_font(Metrics.body))
        self.output.setMaximumBlockCount(_MOST_LINES)
        self.output.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.output.setAccessibleName(self.tr("Python of what was done"))
        self.prompt = _Prompt(self)
        self._colors = [
            PythonColors(self.output.document(), session.theme),
            PythonColors(self.prompt.document(), session.theme),
        ]
        mark = QLabel(">>>", self)
        mark.setFont(fixed_font(Metrics.body))
        mark.setProperty("quiet", True)
        self.stop_button = self._button("stop", self.tr("Stop what runs"), self.runner.stop)
        self.stop_button.hide()
        self.copy_button = self._button("copy", self.tr("Copy all as a script"), self._copy)
        self.save_button = self._button(
            "save", self.tr("Save as a file of operations, for polyorama edit"), self._ask_save
        )
        row = QHBoxLayout()
        side = Metrics.space[0]
        row.setContentsMargins(Metrics.space[1], 0, side, side)
        row.setSpacing(side)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.prompt, 1)
        for button in (self.stop_button, self.copy_button, self.save_button):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(side)
        layout.addWidget(self.output, 1)
        layout.addLayout(row)
        self.output.setPlainText("\n".join(["import polyorama as po", *session.python]))
        session.logged.connect(self._on_logged)
        session.theme.changed.connect(self._dress)
        self.runner.said.connect(self._on_said)
        self.runner.failed.connect(self._on_failed)
        self.runner.ended.connect(self._on_ended)
        self._dress()

    def _button(self, name: str, tooltip: str, slot) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("dockButton")
        button.setProperty("drawn", name)
        button.setIconSize(QSize(Metrics.small_icon, Metrics.small_icon))
        button.setToolTip(tooltip)
        button.setAccessibleName(tooltip)
        button.clicked.connect(slot)
        return button

    @Slot()
    def _dress(self) -> None:
        color = self._session.theme.tokens.color("quiet")
        for button in (self.stop_button, self.copy_button, self.save_button):
            button.setIcon(icon(button.property("drawn"), color))

    # Lines

    def _append(self, line: str) -> None:
        bar = self.output.verticalScrollBar()
        follow = bar.value() >= bar.maximum() - 1
        self.output.appendPlainText(line)
        if follow:
            self._to_end()

    def _to_end(self) -> None:
        bar = self.output.verticalScrollBar()
        bar.setValue(bar.maximum())

    def showEvent(self, event: QShowEvent) -> None:
        """The last lines, first."""
        super().showEvent(event)
        self._to_end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The last lines stay in sight."""
        super().resizeEvent(event)
        self._to_end()

    @Slot(str)
    def _on_logged(self, line: str) -> None:
        if not self.runner.running:
            self._append(line)

    @Slot(str)
    def _on_said(self, text: str) -> None:
        self._remark("# ", text)

    @Slot(str)
    def _on_failed(self, sentence: str) -> None:
        self._remark("#! ", sentence)

    def _remark(self, mark: str, text: str) -> None:
        for line in text.rstrip("\n").split("\n"):
            self._append(f"{mark}{line}")

    @Slot()
    def _on_ended(self) -> None:
        self.stop_button.hide()

    # The prompt

    def run(self) -> None:
        """Run what stands in the prompt, unless something runs."""
        text = self.prompt.toPlainText().strip("\n")
        if not text.strip() or self.runner.running:
            return
        self._typed.append(text)
        self._at = len(self._typed)
        self._draft = ""
        self.prompt.clear()
        self._append(text)
        self.runner.run(text)
        self.stop_button.setVisible(self.runner.running)

    def bring_back(self, step: int) -> None:
        """What was typed before, or after; at the end what was being typed."""
        if self._at == len(self._typed):
            self._draft = self.prompt.toPlainText()
        at = min(max(self._at + step, 0), len(self._typed))
        if at != self._at:
            self._at = at
            text = self._draft if at == len(self._typed) else self._typed[at]
            self.prompt.setPlainText(text)
            self.prompt.moveCursor(QTextCursor.MoveOperation.End)

    # What becomes of it

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.output.toPlainText() + "\n")
        self._session.tell("info", self.tr("Script copied"))

    @Slot()
    def _ask_save(self) -> None:
        session = self._session
        if session.editing.editor is None:
            session.tell("info", self.tr("Nothing is open that could have been edited"))
            return
        stem = session.files[0].stem if session.files else self.tr("scene")
        path = Path(session.preferences.folder) / f"{stem}-ops.json"
        dialog = save_dialog(
            self, self.tr("Save the operations"), str(path), self.tr("Operations (*.json)"),
            session.theme.tokens, "json",
        )  # fmt: skip
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.save_ops)
        dialog.open()

    @Slot(str)
    def save_ops(self, name: str) -> None:
        """Write the operations that made this document into a file."""
        editor = self._session.editing.editor
        if editor is None:
            return
        from polyorama.verbs.editing import save_calls

        path = Path(name)
        try:
            save_calls(editor, path)
        except PolyoramaError as error:
            self._session.report(error)
        else:
            self._session.tell("good", self.tr("Saved {0}").format(path.name))
