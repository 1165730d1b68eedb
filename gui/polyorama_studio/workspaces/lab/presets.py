"""Presets as chips with the keys that choose them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from polyorama_studio.fields.buttons import Hovered
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from polyorama.lab.experiment import Preset
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.lab.theme import LabTheme

__all__ = ["PresetChip", "PresetChips"]

_KEYS = 9


@guards
class PresetChip(Hovered):
    """A key and a name."""

    def __init__(self, theme: LabTheme, preset: Preset, number: int, parent: QWidget) -> None:
        super().__init__(theme, parent)  # type: ignore[arg-type]
        self.number = number
        self.key = str(number + 1) if number < _KEYS else ""
        self.setText(preset.title)
        self.setCheckable(True)
        self.setAccessibleName(preset.title)
        key = f"  ({self.key})" if self.key else ""
        self.setToolTip(tip("\n".join(filter(None, (preset.title + key, preset.help)))))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFont(font(Metrics.label))
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        """Key and name."""
        metrics = self.fontMetrics()
        key = metrics.horizontalAdvance(self.key) + Metrics.space[0] if self.key else 0
        wide = metrics.horizontalAdvance(self.text()) + key + 2 * Metrics.space[1]
        return QSize(wide, Metrics.lab_chip)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A pill."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        on = self.isChecked()
        ground = tokens.color("accent" if on else "raised")
        ground.setAlphaF(0.2 if on else 1.0)
        painter.setBrush(ground)
        edge = "accent" if self.hasFocus() else "quiet" if self.underMouse() else "line"
        painter.setPen(tokens.color(edge))
        painter.drawRoundedRect(box, box.height() / 2.0, box.height() / 2.0)
        inner = box.adjusted(Metrics.space[1], 0.0, -Metrics.space[0], 0.0)
        painter.setFont(font(Metrics.label, tabular=True))
        if self.key:
            painter.setPen(tokens.color("accent" if on else "quiet"))
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, self.key)
            wide = painter.fontMetrics().horizontalAdvance(self.key) + Metrics.space[0]
            inner = inner.adjusted(wide, 0.0, 0.0, 0.0)
        painter.setPen(tokens.color("accent" if on else "text"))
        room = int(inner.width())
        words = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


@guards
class PresetChips(QWidget):
    """Chips in as many lines as they need."""

    def __init__(self, run: Run, theme: LabTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._run = run
        self._theme = theme
        self._kind: object = None
        self.chips: list[PresetChip] = []
        run.loaded_changed.connect(self._fill)
        run.changed.connect(self.refresh)
        self.hide()

    @Slot()
    def _fill(self) -> None:
        loaded = self._run.loaded
        if loaded is None or loaded.kind is self._kind:
            return
        self._kind = loaded.kind
        for chip in self.chips:
            chip.hide()
            chip.deleteLater()
        self.chips = []
        for number, preset in enumerate(loaded.kind.presets):
            chip = PresetChip(self._theme, preset, number, self)
            chip.clicked.connect(self._on_clicked)
            chip.show()
            self.chips.append(chip)
        self.setVisible(bool(self.chips))
        self._place()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show which one was chosen."""
        for chip in self.chips:
            chip.setChecked(chip.number == self._run.preset)

    @Slot()
    def _on_clicked(self) -> None:
        chip = self.sender()
        if isinstance(chip, PresetChip):
            self._run.choose_preset(chip.number)
            self.refresh()

    def _place(self) -> None:
        gap, x, y = Metrics.space[0], 0, 0
        for chip in self.chips:
            wide = min(chip.sizeHint().width(), max(self.width(), 1))
            if x and x + wide > self.width():
                x, y = 0, y + Metrics.lab_chip + gap
            chip.setGeometry(x, y, wide, Metrics.lab_chip)
            x += wide + gap
        self.setFixedHeight(y + Metrics.lab_chip if self.chips else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew."""
        super().resizeEvent(event)
        self._place()
