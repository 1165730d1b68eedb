"""Small buttons that fields and panels are put together from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractButton, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QPaintEvent

    from polyorama_studio.theme import Theme

__all__ = ["Hovered", "IconButton"]

_FAINT = 0.4


@guards
class Hovered(QAbstractButton):
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


@guards
class IconButton(Hovered):
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
