"""What panels are put together from: icon buttons, heads that fold, sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.fields.buttons import Hovered, IconButton
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.scrolling import scrolled
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from polyorama_studio.theme import Theme

__all__ = ["FoldHead", "IconButton", "Section", "column_of", "scrolled"]


@guards
class FoldHead(Hovered):
    """A title that opens and closes what is below it; `note` stands quietly at the right.

    Parameters
    ----------
    theme
        Colours.
    title
        Sentence case.
    icon
        Name of an icon before the title, or "".
    """

    def __init__(
        self, theme: Theme, title: str, parent: QWidget | None = None, icon: str = ""
    ) -> None:
        super().__init__(theme, parent)
        self.setText(title)
        self.note = ""
        self._icon = icon
        self.off = False
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

    def set_off(self, off: bool) -> None:
        """Whether what it heads does nothing now."""
        if off != self.off:
            self.off = off
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Chevron, icon, title, note."""
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
        title_token = "quiet" if self.off else "text"
        left = place.right() + Metrics.space[0] + Metrics.hair
        if self._icon:
            side = float(Metrics.small_icon)
            place = QRectF(left, (self.height() - side) / 2.0, side, side)
            paint_icon(painter, self._icon, tokens.color(title_token), place)
            left = place.right() + Metrics.space[0] + Metrics.hair
        text = QRectF(left, 0.0, self.width() - left - Metrics.space[0], self.height())
        left = Qt.AlignmentFlag.AlignVCenter
        # What it is comes before what is said about it.
        for words, type_, token, flags in (
            (self.text(), font(Metrics.body, medium=True), title_token, left),
            (self.note, font(Metrics.label), "quiet", left | Qt.AlignmentFlag.AlignRight),
        ):
            painter.setFont(type_)
            painter.setPen(tokens.color(token))
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(text.width()))
            painter.drawText(text, flags, shown)
            text.setLeft(text.left() + metrics.horizontalAdvance(shown) + Metrics.space[1])
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
