"""The methods that take part, as switches in the colours of their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QWidget

from polyorama_studio.fields.buttons import Hovered
from polyorama_studio.guard import guards
from polyorama_studio.scrolling import scrolled
from polyorama_studio.theme import Metrics, font
from polyorama_studio.timeline.glyphs import dashes, series_token
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from polyorama.lab.experiment import Rival
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.lab.theme import LabTheme

__all__ = ["RivalChip", "RivalRow"]

_SAMPLE = 16.0
_OFF = 0.45


@guards
class RivalChip(Hovered):
    """A piece of the rival's line, and its name; faint while it does not take part."""

    def __init__(self, theme: LabTheme, rival: Rival, number: int, parent: QWidget) -> None:
        super().__init__(theme, parent)  # type: ignore[arg-type]
        self.rival, self.number = rival, number
        self.setCheckable(True)
        self.setText(rival.title)
        self.setAccessibleName(rival.title)
        self.setToolTip(tip("\n".join(filter(None, (rival.title, rival.help)))))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        """Line and name."""
        self.ensurePolished()
        self.setFont(font(Metrics.label))
        words = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(words + round(_SAMPLE) + 3 * Metrics.space[1], Metrics.control)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Line and name."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self.isChecked() or self.underMouse():
            painter.setBrush(tokens.color("raised"))
        edge = "accent" if self.hasFocus() else "line" if self.isChecked() else ""
        painter.setPen(tokens.color(edge) if edge else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        pen = QPen(tokens.color(series_token(self.number)), 2.0)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pattern = dashes(self.number)
        if pattern:
            pen.setDashPattern(list(pattern))
        painter.setOpacity(1.0 if self.isChecked() else _OFF)
        painter.setPen(pen)
        left, middle = float(Metrics.space[1]), self.height() / 2.0
        painter.drawLine(QPointF(left, middle), QPointF(left + _SAMPLE, middle))
        painter.setOpacity(1.0)
        painter.setFont(font(Metrics.label))
        on = self.isChecked() or self.underMouse()
        painter.setPen(tokens.color("text" if on else "quiet"))
        words = QRectF(left + _SAMPLE + Metrics.space[1], 0.0, self.width(), self.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()


class RivalRow(QWidget):
    """A chip a rival; the last one that takes part cannot be switched off."""

    def __init__(self, run: Run, theme: LabTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._run = run
        self._theme = theme
        self.chips: list[RivalChip] = []
        self._inside = QWidget(self)
        self._row = QHBoxLayout(self._inside)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(Metrics.space[0])
        self._row.addStretch(1)
        self._area = scrolled(self._inside, self)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._area)
        self.setFixedHeight(Metrics.control)
        run.loaded_changed.connect(self._fill)
        run.changed.connect(self.refresh)

    @Slot()
    def _fill(self) -> None:
        loaded = self._run.loaded
        rivals = () if loaded is None or len(loaded.kind.rivals) < 2 else loaded.kind.rivals
        if [chip.rival for chip in self.chips] != list(rivals):
            for chip in self.chips:
                self._row.removeWidget(chip)
                chip.hide()
                chip.deleteLater()
            self.chips = []
            for number, rival in enumerate(rivals):
                chip = RivalChip(self._theme, rival, number, self._inside)
                chip.clicked.connect(self._on_clicked)
                self._row.insertWidget(number, chip)
                self.chips.append(chip)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show who takes part."""
        loaded = self._run.loaded
        for chip in self.chips:
            chip.setChecked(loaded is not None and chip.rival.id in loaded.active)

    @Slot()
    def _on_clicked(self) -> None:
        chosen = tuple(chip.rival.id for chip in self.chips if chip.isChecked())
        if chosen:
            self._run.set_rivals(chosen)
        else:
            self.refresh()
