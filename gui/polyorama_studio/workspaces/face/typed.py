"""A few letters that are typed over a place of the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Slot
from PySide6.QtWidgets import QLineEdit

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

__all__ = ["TypeOver"]

_WIDE = 52.0


@guards
class TypeOver(QObject):
    """A field in place: Enter takes what is typed, Escape gives it up.

    Parameters
    ----------
    widget
        Over which it lies, and which gets the focus back.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._edit: QLineEdit | None = None
        self._done: Callable[[str], None] | None = None

    def begin(self, place: QRectF, text: str, title: str, done: Callable[[str], None]) -> None:
        """Let `text` be typed over; `done` gets what it becomes."""
        self.end()
        edit = QLineEdit(text, self._widget)
        edit.setObjectName("inPlace")
        edit.setAccessibleName(title)
        edit.setFont(font(Metrics.label))
        wide = max(place.width(), _WIDE)
        box = QRectF(place.center().x() - wide / 2.0, place.top() - 2.0, wide, Metrics.row)
        edit.setGeometry(box.toRect())
        edit.selectAll()
        edit.editingFinished.connect(self._take)
        edit.installEventFilter(self)
        self._edit, self._done = edit, done
        edit.show()
        edit.setFocus()

    @Slot()
    def _take(self) -> None:
        edit, done = self._edit, self._done
        if edit is not None and done is not None:
            text, changed = edit.text(), edit.isModified()
            self.end()
            if changed and text.strip():
                done(text)

    @Slot()
    def end(self) -> None:
        """Give up what is typed."""
        edit, self._edit, self._done = self._edit, None, None
        if edit is not None:
            edit.removeEventFilter(self)
            had = edit.hasFocus()
            edit.hide()
            edit.deleteLater()
            if had:
                self._widget.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter and Escape are no keys of what lies below."""
        if watched is self._edit and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.end()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take()
                return True
        return super().eventFilter(watched, event)
