"""One clean-up tool as a card: what it finds, how strict it is, what would go."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.fields.number import NumberField
from polyorama_studio.guard import guards
from polyorama_studio.panels.parts import FoldHead
from polyorama_studio.plots import paint_frame
from polyorama_studio.theme import HEAT, Metrics, font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QPaintEvent

    from polyorama.verbs.cleanup import CleanUp
    from polyorama_studio.panels.cleanup_preview import Clutter
    from polyorama_studio.theme import Theme

__all__ = ["HeatLegend", "ToolCard"]

_STEPS = 1000


@guards
class HeatLegend(QWidget):
    """The heat map's colours, how many splats have which, and the threshold in the middle."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._spread: NDArray[np.int64] | None = None
        self.setFixedHeight(Metrics.control + Metrics.heat_bar + Metrics.plot_foot)
        self.setAccessibleName(self.tr("Legend of the heat map"))
        theme.changed.connect(self.update)

    def set_spread(self, spread: NDArray[np.int64] | None) -> None:
        """Show how many splats have which score."""
        self._spread = spread
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Bars, colours, the threshold."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRectF(self.rect())
        bars = QRectF(0.0, 0.0, whole.width(), Metrics.control)
        strip = QRectF(0.0, bars.bottom(), whole.width(), Metrics.heat_bar)
        paint_frame(painter, tokens, bars.adjusted(0, 0, 0, Metrics.heat_bar))
        gradient = QLinearGradient(strip.topLeft(), strip.topRight())
        for number, color in enumerate(HEAT):
            gradient.setColorAt(number / (len(HEAT) - 1), QColor(color))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        if self._spread is not None:
            bins = self._spread.reshape(-1, 4).sum(axis=1)
            heights = np.log1p(bins) / max(float(np.log1p(bins.max(initial=0))), 1.0)
            wide = bars.width() / len(bins)
            for number, height in enumerate(heights.tolist()):
                tall = height * (bars.height() - Metrics.hair)
                left = number * wide
                painter.drawRect(QRectF(left, bars.bottom() - tall, max(wide - 1.0, 1.0), tall))
        painter.drawRect(strip)
        middle = whole.width() / 2.0
        painter.setPen(QPen(tokens.color("text"), Metrics.stroke))
        painter.drawLine(QPointF(middle, 0.0), QPointF(middle, strip.bottom() + Metrics.line_gap))
        painter.setFont(font(Metrics.small))
        painter.setPen(tokens.color("quiet"))
        foot = QRectF(0.0, strip.bottom(), whole.width(), Metrics.plot_foot)
        center = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(foot, center | Qt.AlignmentFlag.AlignLeft, self.tr("stays"))
        painter.drawText(foot, center | Qt.AlignmentFlag.AlignHCenter, self.tr("threshold"))
        painter.drawText(foot, center | Qt.AlignmentFlag.AlignRight, self.tr("goes"))
        painter.end()


class ToolCard(QFrame):
    """A tool: folded it says what it finds, open it shows that on the stage.

    Parameters
    ----------
    tool
        Which.
    theme
        Colours.
    """

    opened = Signal(str)
    closed = Signal(str)
    moved = Signal(str, float)
    """The threshold moves."""
    rested = Signal(str, float)
    """The threshold has another value, and stays there."""
    select_asked = Signal(str)
    remove_asked = Signal(str)

    def __init__(self, tool: CleanUp, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("toolCard")
        self.tool = tool
        self.head = FoldHead(theme, self.tr(tool.title), self)
        self.head.setChecked(False)
        self.head.setToolTip(tip(f"{tool.help}\ndoc.clean({tool.kind!r})"))
        self._help = QLabel(self.tr(tool.help), self)
        self._help.setProperty("quiet", True)
        self._help.setWordWrap(True)
        self._body = QWidget(self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self._body)
        self.slider.setRange(0, _STEPS)
        self.slider.setAccessibleName(self.tr("Threshold of {0}").format(tool.title))
        self.slider.setToolTip(tip(tool.threshold.help))
        self.number = NumberField(tool.threshold, theme, self._body)
        self.number.setToolTip(tip(tool.threshold.help))
        self.number.setFixedWidth(Metrics.strip_field)
        self.legend = HeatLegend(theme, self._body)
        self.counts = QLabel(self._body)
        self.counts.setWordWrap(True)
        self.select = QPushButton(self.tr("Select"), self._body)
        self.select.setToolTip(tip(f"Select what would go\ndoc.select_clutter({tool.kind!r})"))
        self.remove = QPushButton(self.tr("Remove"), self._body)
        self.remove.setProperty("primary", True)
        self.remove.setToolTip(tip(f"Delete what would go\ndoc.clean({tool.kind!r})"))
        self._lay_out()
        self._connect()
        self.set_threshold(float(tool.threshold.default))
        self._body.hide()

    def _lay_out(self) -> None:
        moving = QHBoxLayout()
        moving.setSpacing(Metrics.space[1])
        moving.addWidget(self.slider, 1)
        moving.addWidget(self.number)
        buttons = QHBoxLayout()
        buttons.setSpacing(Metrics.space[0])
        buttons.addWidget(self.select, 1)
        buttons.addWidget(self.remove, 1)
        inner = QVBoxLayout(self._body)
        inner.setContentsMargins(0, Metrics.space[0], 0, Metrics.space[0])
        inner.setSpacing(Metrics.space[0] + Metrics.hair)
        if self.adjustable:
            inner.addLayout(moving)
        else:
            self.slider.hide()
            self.number.hide()
        inner.addWidget(self.legend)
        inner.addWidget(self.counts)
        inner.addLayout(buttons)
        column = QVBoxLayout(self)
        side = Metrics.space[1]
        column.setContentsMargins(side, Metrics.hair, side, side)
        column.setSpacing(Metrics.hair)
        column.addWidget(self.head)
        column.addWidget(self._help)
        column.addWidget(self._body)

    def _connect(self) -> None:
        self.head.toggled.connect(self._on_toggled)
        self.slider.valueChanged.connect(self._on_slider)
        self.slider.sliderReleased.connect(self._on_rest)
        self.number.changed.connect(self._on_number)
        self.number.ended.connect(self._on_rest)
        self.select.clicked.connect(self._on_select)
        self.remove.clicked.connect(self._on_remove)

    @property
    def adjustable(self) -> bool:
        """Whether there is a threshold to choose."""
        return self.tool.threshold.low < self.tool.threshold.high

    @property
    def threshold(self) -> float:
        """How strict it is."""
        return self.number.value

    def set_threshold(self, value: float) -> None:
        """Show another threshold without telling anybody."""
        self.number.set_value(value)
        self.slider.blockSignals(True)
        self.slider.setValue(self._step(value))
        self.slider.blockSignals(False)

    def _step(self, value: float) -> int:
        low, high = self.tool.threshold.low, self.tool.threshold.high
        if not self.adjustable:
            return 0
        return round(_STEPS * math.log(value / low) / math.log(high / low))

    def set_open(self, is_open: bool) -> None:
        """Open or fold it without telling anybody."""
        self.head.blockSignals(True)
        self.head.setChecked(is_open)
        self.head.blockSignals(False)
        self._body.setVisible(is_open)
        self.setProperty("open", is_open)
        self.style().unpolish(self)
        self.style().polish(self)

    def show_found(self, found: Clutter | None, note: str) -> None:
        """Say what would go, or with None that it is looked for."""
        some = found is not None and found.count > 0
        self.select.setEnabled(some)
        self.remove.setEnabled(some)
        if found is None:
            self.counts.setText(note or self.tr("Looking"))
            return
        self.legend.set_spread(found.spread)
        words = self.tr("{0:,} of {1:,} splats would go").format(found.count, found.total)
        if not some:
            words = self.tr("Nothing would go, of {0:,} splats").format(found.total)
        self.counts.setText(note or words)

    # Signals

    @Slot(bool)
    def _on_toggled(self, checked: bool) -> None:
        if checked:
            self.opened.emit(self.tool.kind)
        else:
            self.closed.emit(self.tool.kind)

    @Slot(int)
    def _on_slider(self, step: int) -> None:
        low, high = self.tool.threshold.low, self.tool.threshold.high
        value = float(low * (high / low) ** (step / _STEPS))
        self.number.set_value(float(f"{value:.3g}"))
        self.moved.emit(self.tool.kind, self.threshold)
        if not self.slider.isSliderDown():
            self._on_rest()

    @Slot(float)
    def _on_number(self, value: float) -> None:
        self.slider.blockSignals(True)
        self.slider.setValue(self._step(value))
        self.slider.blockSignals(False)
        self.moved.emit(self.tool.kind, value)

    @Slot()
    def _on_rest(self) -> None:
        self.rested.emit(self.tool.kind, self.threshold)

    @Slot()
    def _on_select(self) -> None:
        self.select_asked.emit(self.tool.kind)

    @Slot()
    def _on_remove(self) -> None:
        self.remove_asked.emit(self.tool.kind)
