"""A small card for a cue's name and note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
)

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QKeyEvent
    from PySide6.QtWidgets import QWidget

    from polyorama.scene.timeline import Cue
    from polyorama_studio.timeline.edits import KeyEdits

__all__ = ["CuePopup"]


@guards
class CuePopup(QFrame):
    """Asks for name and note; Enter or a click elsewhere takes them, Escape gives them up."""

    def __init__(self, edits: KeyEdits, cue: Cue, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._edits, self._cue = edits, cue
        self._settled = False
        self.setObjectName("cueCard")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(Metrics.cue_width)
        self.name = QLineEdit(cue.name, self)
        self.name.setAccessibleName(self.tr("Name of the cue"))
        self.name.setPlaceholderText(self.tr("Name"))
        self.name.returnPressed.connect(self.take)
        self.note = QPlainTextEdit(cue.note, self)
        self.note.setAccessibleName(self.tr("Note of the cue"))
        self.note.setPlaceholderText(self.tr("What to say here"))
        self.note.setFixedHeight(3 * Metrics.control)
        self.note.setTabChangesFocus(True)
        self.remove = QPushButton(self.tr("Remove"), self)
        self.remove.clicked.connect(self._remove)
        self.done = QPushButton(self.tr("Done"), self)
        self.done.setProperty("primary", True)
        self.done.clicked.connect(self.take)
        buttons = QHBoxLayout()
        buttons.addWidget(self.remove)
        buttons.addStretch(1)
        buttons.addWidget(self.done)
        layout = QVBoxLayout(self)
        side = Metrics.space[1]
        layout.setContentsMargins(side, side, side, side)
        layout.setSpacing(side)
        layout.addWidget(self.name)
        layout.addWidget(self.note)
        layout.addLayout(buttons)

    def open_at(self, place: QPoint) -> None:
        """Show it above a place of the screen, inside the screen."""
        self.adjustSize()
        screen = self.screen().availableGeometry()
        x = min(max(place.x(), screen.left()), screen.right() - self.width())
        y = place.y() - self.height() - Metrics.timeline_ruler
        if y < screen.top():
            y = place.y() + Metrics.space[0]
        self.move(x, y)
        self.show()
        self.name.selectAll()
        self.name.setFocus()

    @Slot()
    def take(self) -> None:
        """Take over what was typed; a name that another cue has stays to be changed."""
        name = self._typed_name()
        if self._is_taken(name):
            self._tell_taken(name)
            self.name.selectAll()
            self.name.setFocus()
            return
        self._settled = True
        self.close()
        self._change(name)

    def _typed_name(self) -> str:
        return self.name.text().strip() or self._cue.name

    def _is_taken(self, name: str) -> bool:
        timeline = self._edits.state.timeline
        cues = () if timeline is None else timeline.cues
        return name != self._cue.name and any(cue.name == name for cue in cues)

    def _tell_taken(self, name: str) -> None:
        text = self.tr("There is a cue called {0} already; give this one another name.")
        self._edits.state.session.tell("warn", text.format(name))

    def _change(self, name: str) -> None:
        cue, note = self._cue, self.note.toPlainText().strip()
        if (name, note) == (cue.name, cue.note):
            return
        if name == cue.name:
            self._edits.run("add_cue", time=cue.time, name=name, note=note)
            return
        with self._edits.state.session.editing.gesture(self.tr("Rename cue {0}").format(cue.name)):
            self._edits.run("remove_cue", name=cue.name)
            self._edits.run("add_cue", time=cue.time, name=name, note=note)

    @Slot()
    def _remove(self) -> None:
        self._settled = True
        self.close()
        self._edits.run("remove_cue", name=self._cue.name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes."""
        if event.key() == Qt.Key.Key_Escape:
            self._settled = True
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Who clicks elsewhere keeps what was typed, but for a name that another cue has."""
        if not self._settled:
            self._settled = True
            name = self._typed_name()
            if self._is_taken(name):
                self._tell_taken(name)
                name = self._cue.name
            self._change(name)
        super().closeEvent(event)
