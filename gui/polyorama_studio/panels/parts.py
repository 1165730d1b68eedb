"""What panels are put together from: icon buttons, heads that fold, sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QPaintEvent

    from polyorama_studio.theme import Theme

__all__ = ["FoldHead", "IconButton", "Section", "column_of", "scrolled"]

_FAINT = 0.4


class _Hovered(QAbstractButton):
    """Paints itself anew as the pointer comes and goes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        theme.changed.connect(self.update)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be clicked."""
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Back to quiet."""
        self.update()


class IconButton(_Hovered):
    """A small icon that can be clicked.

    Parameters
    ----------
    theme
        Colours.
    icon
        Name of an icon.
    title
        What it does: tooltip, and name for screen readers.
    python
        The Python line that does the same, or "".
    """

    def __init__(
        self, theme: Theme, icon: str, title: str, parent: QWidget | None = None, python: str = ""
    ) -> None:
        super().__init__(theme, parent)
        self._icon = icon
        self.setFixedSize(self.sizeHint())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_title(title, python)

    def sizeHint(self) -> QSize:
        """A square."""
        return QSize(Metrics.row, Metrics.row)

    def set_title(self, title: str, python: str = "") -> None:
        """Say what it does."""
        self.setAccessibleName(title)
        self.setToolTip(tip(f"{title}\n{python}" if python else title))

    def set_icon(self, icon: str) -> None:
        """Show another icon."""
        if icon != self._icon:
            self._icon = icon
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The icon; a soft ground under the pointer; a ring with the focus."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        over = self.underMouse() and self.isEnabled()
        if over or self.isChecked():
            painter.setBrush(tokens.color("line" if self.isDown() else "raised"))
        painter.setPen(tokens.color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        side = float(Metrics.small_icon)
        place = QRectF(0.0, 0.0, side, side)
        place.moveCenter(QRectF(self.rect()).center())
        if not self.isEnabled():
            painter.setOpacity(_FAINT)
        token = "accent" if self.isChecked() else "text" if over else "quiet"
        paint_icon(painter, self._icon, tokens.color(token), place)
        painter.end()


class FoldHead(_Hovered):
    """A title that opens and closes what is below it; `note` stands quietly at the right."""

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setText(title)
        self.note = ""
        self.setCheckable(True)
        self.setChecked(True)
        self.setFixedHeight(Metrics.fold_head)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(title)

    def set_note(self, note: str) -> None:
        """Say something more, such as a count."""
        if note != self.note:
            self.note = note
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Chevron, title, note."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus():
            painter.setPen(tokens.color("accent"))
            box = QRectF(self.rect()).adjusted(0.5, 1.5, -0.5, -1.5)
            painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        side = float(Metrics.fold)
        name = "chevron-down" if self.isChecked() else "chevron-right"
        place = QRectF(Metrics.hair, (self.height() - side) / 2.0, side, side)
        paint_icon(painter, name, tokens.color("quiet"), place)
        left = place.right() + Metrics.space[0] + Metrics.hair
        text = QRectF(left, 0.0, self.width() - left - Metrics.space[0], self.height())
        painter.setFont(font(Metrics.label))
        note = painter.fontMetrics().horizontalAdvance(self.note)
        painter.setPen(tokens.color("quiet"))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(text, right, self.note)
        painter.setFont(font(Metrics.body, medium=True))
        painter.setPen(tokens.color("text"))
        room = int(text.width() - note - Metrics.space[0])
        title = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, title)
        painter.end()


class Section(QWidget):
    """A head and what it opens and closes.

    Parameters
    ----------
    theme
        Colours.
    title
        Sentence case.
    """

    folded = Signal(bool)

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = FoldHead(theme, title, self)
        self.body = QWidget(self)
        self.content = column_of(self.body)
        self.content.setContentsMargins(0, 0, 0, Metrics.space[1])
        self._top = QHBoxLayout()
        self._top.setSpacing(0)
        self._top.addWidget(self.head, 1)
        column = column_of(self)
        column.setSpacing(0)
        column.addLayout(self._top)
        column.addWidget(self.body)
        self.head.toggled.connect(self._on_toggled)

    def add_button(self, button: QWidget) -> None:
        """Put a button at the right of the head."""
        self._top.addWidget(button)

    def set_open(self, is_open: bool) -> None:
        """Open or close it."""
        self.head.setChecked(is_open)

    @Slot(bool)
    def _on_toggled(self, checked: bool) -> None:
        self.body.setVisible(checked)
        self.folded.emit(not checked)


def column_of(widget: QWidget) -> QVBoxLayout:
    """A column without margins for a widget's parts."""
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(Metrics.space[0])
    return column


def scrolled(inside: QWidget, parent: QWidget) -> QScrollArea:
    """A frameless area that scrolls downwards alone."""
    area = QScrollArea(parent)
    area.setObjectName("scrolled")
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area
