"""Chips: parts of a question that can be taken away, in as many lines as they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QWidget

from polyorama_studio.fields.buttons import Hovered
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QImage, QPaintEvent, QResizeEvent

    from polyorama_studio.theme import Theme

__all__ = ["Chip", "Chips"]


@guards
class Chip(Hovered):
    """A picture or an icon, a few words, and a cross; a click takes it away.

    Parameters
    ----------
    theme
        Colours.
    text
        The words.
    what
        What it stands for, handed back when it goes.
    image, icon
        The picture before the words, or the name of an icon.
    """

    def __init__(
        self, theme: Theme, text: str, what: Any, parent: QWidget, *, image: QImage | None = None,
        icon: str = "",
    ) -> None:  # fmt: skip
        super().__init__(theme, parent)
        self.what = what
        self._image, self._icon = image, icon
        self.setText(text)
        self.setAccessibleName(self.tr("Remove {0}").format(text))
        self.setToolTip(tip(self.tr("{0}\nClick to take it away").format(text)))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFont(font(Metrics.label))

    @property
    def _high(self) -> int:
        return Metrics.shapes_chip if self._image is not None else Metrics.lab_chip

    @property
    def _mark(self) -> float:
        return float(self._high - Metrics.space[0]) if self._image is not None else (
            float(Metrics.fold) if self._icon else 0.0
        )  # fmt: skip

    def sizeHint(self) -> QSize:
        """Picture, words, cross."""
        words = min(self.fontMetrics().horizontalAdvance(self.text()), Metrics.shapes_chip_words)
        wide = self._mark + words + Metrics.close_mark + 3 * Metrics.space[1]
        return QSize(round(wide), self._high)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A pill."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        round_ = Metrics.corner if self._image is not None else box.height() / 2.0
        painter.setBrush(tokens.color("raised"))
        edge = "accent" if self.hasFocus() else "quiet" if self.underMouse() else "line"
        painter.setPen(tokens.color(edge))
        painter.drawRoundedRect(box, round_, round_)
        left = self._paint_mark(painter, box)
        side = float(Metrics.close_mark)
        cross = QRectF(box.right() - side - Metrics.space[0], box.center().y() - side / 2.0,
                       side, side)  # fmt: skip
        paint_icon(painter, "close", tokens.color("text" if self.underMouse() else "quiet"), cross)
        painter.setFont(font(Metrics.label))
        painter.setPen(tokens.color("text"))
        words = QRectF(left, box.top(), cross.left() - left - Metrics.hair, box.height())
        shown = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideMiddle, int(words.width())
        )
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()

    def _paint_mark(self, painter: QPainter, box: QRectF) -> float:
        """The picture or icon; tells where the words begin."""
        side = self._mark
        if not side:
            return box.left() + Metrics.space[1]
        gap = Metrics.hair if self._image is not None else Metrics.space[1]
        place = QRectF(box.left() + gap, box.center().y() - side / 2.0, side, side)
        if self._image is not None:
            path = QPainterPath()
            path.addRoundedRect(place, Metrics.line_gap, Metrics.line_gap)
            painter.save()
            painter.setClipPath(path)
            size = min(self._image.width(), self._image.height())
            middle = QRectF((self._image.width() - size) / 2.0, (self._image.height() - size) / 2.0,
                            size, size)  # fmt: skip
            painter.drawImage(place, self._image, middle)
            painter.restore()
        else:
            paint_icon(painter, self._icon, self._theme.tokens.color("quiet"), place)
        return place.right() + Metrics.space[0] + Metrics.hair


@guards
class Chips(QWidget):
    """Chips side by side, broken into lines."""

    removed = Signal(object)
    """What the chip stood for that is to go."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.chips: list[Chip] = []
        self.hide()

    def show_chips(self, chips: Sequence[Chip]) -> None:
        """Show these in the place of the others."""
        for chip in self.chips:
            chip.hide()
            chip.deleteLater()
        self.chips = list(chips)
        for chip in self.chips:
            chip.clicked.connect(self._on_clicked)
            chip.show()
        self.setVisible(bool(self.chips))
        self._place()

    @Slot()
    def _on_clicked(self) -> None:
        chip = self.sender()
        if isinstance(chip, Chip):
            self.removed.emit(chip.what)

    def _place(self) -> None:
        gap, at, line = Metrics.space[0], QPoint(0, 0), 0
        for chip in self.chips:
            size = chip.sizeHint()
            wide = min(size.width(), max(self.width(), 1))
            if at.x() and at.x() + wide > self.width():
                at, line = QPoint(0, at.y() + line + gap), 0
            chip.setGeometry(at.x(), at.y(), wide, size.height())
            at.setX(at.x() + wide + gap)
            line = max(line, size.height())
        self.setFixedHeight(at.y() + line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew."""
        super().resizeEvent(event)
        self._place()
