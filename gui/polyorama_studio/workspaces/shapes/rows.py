"""Rows of the lists at the left: a name, a count, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter

from polyorama_studio.fields.buttons import Hovered
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip
from polyorama_studio.workspaces.shapes.mime import dragged_in

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import (
        QContextMenuEvent,
        QDragEnterEvent,
        QDropEvent,
        QMouseEvent,
        QPaintEvent,
    )
    from PySide6.QtWidgets import QWidget

    from polyorama_studio.theme import Theme

__all__ = ["ListRow"]


@guards
class ListRow(Hovered):
    """An icon, words and a quiet note; under the pointer, a button at the right opens its menu.

    Parameters
    ----------
    theme
        Colours.
    icon, text, note
        What is shown.
    hint
        The tooltip.
    takes
        Whether shapes can be dropped on it.
    menu
        Whether there is something to be chosen.
    """

    menu_asked = Signal(QPoint)
    dropped = Signal(list)
    """Shapes, as `mime.Dragged`, were dropped on it."""

    def __init__(
        self, theme: Theme, icon: str, text: str, note: str, hint: str, parent: QWidget, *,
        takes: bool = False, menu: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(theme, parent)
        self._icon, self.note, self._menu = icon, note, menu
        self._over = False
        self.setText(text)
        self.setAccessibleName(text)
        self.setAccessibleDescription(note)
        self.setToolTip(tip(hint))
        self.setAcceptDrops(takes)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(Metrics.control)

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(Metrics.dock_least, Metrics.control)

    @property
    def _more(self) -> QRectF:
        side = float(Metrics.small_icon)
        right = self.width() - Metrics.space[0]
        return QRectF(right - side, (self.height() - side) / 2.0, side, side)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The mark at the right opens the menu."""
        if self._menu and event.position().x() >= self._more.left() - Metrics.space[0]:
            self.menu_asked.emit(event.globalPosition().toPoint())
        else:
            super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with it."""
        if self._menu:
            self.menu_asked.emit(event.globalPos())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Shapes of the library can be dropped."""
        if dragged_in(event.mimeData()):
            self._over = True
            event.acceptProposedAction()
            self.update()

    def dragLeaveEvent(self, event: QEvent) -> None:
        """Nothing was dropped."""
        self._over = False
        self.update()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take them."""
        self._over = False
        event.acceptProposedAction()
        self.dropped.emit(dragged_in(event.mimeData()))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Icon, words, note."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        over = self.underMouse()
        if self._over or over or self.isChecked():
            painter.setBrush(tokens.color("raised"))
        edge = self._over or self.hasFocus()
        painter.setPen(tokens.color("accent") if edge else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        token = tokens.color("accent" if self.isChecked() else "text")
        side = float(Metrics.small_icon)
        place = QRectF(Metrics.space[0], (self.height() - side) / 2.0, side, side)
        quiet = tokens.color("quiet")
        paint_icon(painter, self._icon, token if self.isChecked() else quiet, place)
        right = float(self.width() - Metrics.space[0])
        if self._menu and over:
            paint_icon(painter, "more", quiet, self._more)
            right = self._more.left() - Metrics.space[0]
        painter.setFont(font(Metrics.label, tabular=True))
        painter.setPen(quiet)
        wide = painter.fontMetrics().horizontalAdvance(self.note)
        note = QRectF(right - wide, 0.0, wide, self.height())
        painter.drawText(note, Qt.AlignmentFlag.AlignVCenter, self.note)
        painter.setFont(font(Metrics.body))
        painter.setPen(token)
        left = place.right() + Metrics.space[1]
        words = QRectF(left, 0.0, note.left() - left - Metrics.space[1], self.height())
        shown = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideMiddle, int(words.width())
        )
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()
