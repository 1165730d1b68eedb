"""The formula of the paper, whose terms light up while they act."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QPointF, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.jobs import Handlers
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip
from polyorama_studio.workspaces.lab.typeset import Typeset, typeset

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QPaintEvent, QResizeEvent

    from polyorama.lab.formula import Formula
    from polyorama.lab.runner import Update
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.lab.theme import LabTheme

__all__ = ["FormulaCard"]

_SET_SIZE = 24.0
"""Size of the type that shapes were set in, px."""
_FADE_S = 0.18
_TICK_MS = 33
_QUIET = 0.62
"""How strongly terms are seen that do not act, beside those that have no name."""
_NEAR = 0.02


@guards
class FormulaCard(QWidget):
    """Draws the terms in the accent as strongly as they act; pointing at one says what it is.

    Each term is kept as a mask in the size of the card, so that lighting one up costs a few blits.
    """

    def __init__(self, session: Session, run: Run, theme: LabTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._run = run
        self._theme = theme
        self._formula: Formula | None = None
        self._set: Typeset | None = None
        self._masks: dict[str, QImage] = {}
        self._boxes: dict[str, QRectF] = {}
        self._tinted: dict[tuple[str, str], QImage] = {}
        self.acting: dict[str, float] = {}
        """How strongly each term is lit now."""
        self._wanted: dict[str, float] = {}
        self._size = Metrics.lab_formula_size
        self._stage = False
        self._fade = QTimer(self)
        self._fade.setInterval(_TICK_MS)
        self._fade.timeout.connect(self._step_fade)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Formula"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        run.loaded_changed.connect(self._on_loaded)
        run.updated.connect(self._on_update)
        theme.changed.connect(self._on_theme)

    # What is shown

    @Slot()
    def _on_loaded(self) -> None:
        loaded = self._run.loaded
        formula = None if loaded is None else loaded.kind.formula
        if formula is self._formula:
            return
        self._formula, self._set = formula, None
        self._forget()
        self.acting, self._wanted = {}, {}
        self.setVisible(formula is not None)
        if formula is not None:
            self.setAccessibleDescription(formula.plain)
            done = Handlers(partial(self._on_set, formula), self._session.report, _nothing)
            self._session.start_job(partial(typeset, formula), done, "set a formula")

    def _on_set(self, formula: Formula, result: Typeset) -> None:
        if formula is self._formula:
            self._set = result
            self._forget()
            self.updateGeometry()
            self.update()

    @Slot(object)
    def _on_update(self, update: Update) -> None:
        acting = update.snapshot.acting
        names = () if self._formula is None else self._formula.names
        self._wanted = {name: min(max(acting.get(name, 0.0), 0.0), 1.0) for name in names}
        if self.isVisible() and not self._fade.isActive():
            self._fade.start()

    @Slot()
    def _step_fade(self) -> None:
        """Come nearer to how strongly the terms act; at rest once all are there."""
        share = 1.0 - math.exp(-_TICK_MS / (1000.0 * _FADE_S))
        moving = False
        for name, wanted in self._wanted.items():
            here = self.acting.get(name, 0.0)
            there = wanted if abs(wanted - here) < _NEAR else here + share * (wanted - here)
            moving = moving or there != wanted
            self.acting[name] = there
        self.update()
        if not moving:
            self._fade.stop()

    @Slot()
    def _on_theme(self) -> None:
        self._tinted.clear()
        self.update()

    def set_stage(self, on: bool) -> None:
        """Large type for a hall, or back."""
        self._stage = on
        self._size = Metrics.stage_title if on else Metrics.lab_formula_size
        self._forget()
        self.updateGeometry()
        self.update()

    # Sizes

    def _forget(self) -> None:
        self._masks.clear()
        self._boxes.clear()
        self._tinted.clear()

    def _scale(self, width: float) -> float:
        """Logical pixels a pixel of the setting: the card's type, smaller where lines are long."""
        if self._set is None or not self._set.lines:
            return 1.0
        longest = max(line.box[2] for line in self._set.lines)
        wanted = self._size / _SET_SIZE
        return min(wanted, max(width, 1.0) / longest)

    def _height(self, width: float) -> float:
        if self._set is None:
            return float(Metrics.lab_formula[0])
        gap = self._size * 0.5
        lines = sum(line.box[3] for line in self._set.lines) * self._scale(width)
        return lines + gap * (len(self._set.lines) - 1) + 2.0 * Metrics.space[1]

    def sizeHint(self) -> QSize:
        """As high as the formula is."""
        return QSize(Metrics.lab_side, math.ceil(self._height(self._room())))

    def minimumSizeHint(self) -> QSize:
        """As high as the formula is."""
        return QSize(Metrics.dock_least, math.ceil(self._height(self._room())))

    def _room(self) -> float:
        return self.width() - 2.0 * Metrics.space[1]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set it in another size."""
        super().resizeEvent(event)
        self._forget()
        self.updateGeometry()

    # Painting

    def _make_masks(self) -> None:
        """The shapes of each term as a white mask in the size of the card."""
        if self._set is None:
            return
        ratio = self.devicePixelRatioF()
        scale = self._scale(self._room())
        y = float(Metrics.space[1])
        for line in self._set.lines:
            _, _, wide, high = line.box
            left = (self.width() - wide * scale) / 2.0 if self._stage else float(Metrics.space[1])
            place = QRectF(left, y, wide * scale, high * scale)
            for name, svg in line.parts.items():
                mask = self._masks.get(name)
                if mask is None:
                    size = QSize(math.ceil(self.width() * ratio), math.ceil(self.height() * ratio))
                    mask = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
                    mask.setDevicePixelRatio(ratio)
                    mask.fill(Qt.GlobalColor.transparent)
                    self._masks[name] = mask
                renderer = QSvgRenderer(QByteArray(svg.encode()))
                painter = QPainter(mask)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                renderer.render(painter, place)
                painter.end()
            y += high * scale + 0.5 * self._size
        for name, mask in self._masks.items():
            self._boxes[name] = _inked(mask, ratio)

    def _tint(self, name: str, color: QColor) -> QImage:
        key = (name, color.name())
        if key not in self._tinted:
            image = self._masks[name].copy()
            painter = QPainter(image)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
            painter.fillRect(QRectF(self.rect()), color)
            painter.end()
            self._tinted[key] = image
        return self._tinted[key]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Terms as strongly as they act, a soft light behind those that do, the rest as text."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._set is None:
            painter.setPen(tokens.color("quiet"))
            painter.setFont(font(Metrics.label))
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, "…")
            painter.end()
            return
        if not self._masks:
            self._make_masks()
        for name, box in self._boxes.items():
            lit = self.acting.get(name, 0.0)
            if name and lit > 0.0:
                glow = tokens.color("accent")
                glow.setAlphaF(0.14 * lit)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(glow)
                grown = box.adjusted(-3.0, -3.0, 3.0, 3.0)
                painter.drawRoundedRect(grown, Metrics.corner, Metrics.corner)
        origin = QPointF(0.0, 0.0)
        for name in self._masks:
            lit = self.acting.get(name, 0.0)
            painter.setOpacity(1.0 if not name else _QUIET * (1.0 - lit))
            if not name or lit < 1.0:
                painter.drawImage(origin, self._tint(name, tokens.color("text")))
            if name and lit > 0.0:
                painter.setOpacity(lit)
                painter.drawImage(origin, self._tint(name, tokens.color("accent")))
        painter.end()

    # What terms mean

    def term_at(self, place: QPointF) -> str:
        """The term that is pointed at, the smallest of those that lie there; "" for none."""
        hits = [
            (box.width() * box.height(), name)
            for name, box in self._boxes.items()
            if name and box.adjusted(-4.0, -4.0, 4.0, 4.0).contains(place)
        ]
        return min(hits)[1] if hits else ""

    def event(self, event: QEvent) -> bool:
        """What the term under the pointer means."""
        if event.type() == QEvent.Type.ToolTip and self._formula is not None:
            name = self.term_at(QPointF(event.pos()))
            meanings = {term.name: term.meaning for term in self._formula.terms}
            words = meanings.get(name, "") or self._formula.source
            QToolTip.showText(event.globalPos(), tip(words) if words else "", self)
            return True
        return super().event(event)


def _inked(mask: QImage, ratio: float) -> QRectF:
    """The box round all that is drawn in a mask, logical pixels."""
    import numpy as np

    width, height = mask.width(), mask.height()
    pixels = np.frombuffer(mask.constBits(), np.uint8).reshape(height, mask.bytesPerLine())
    alpha = pixels[:, 3 : 4 * width : 4] > 0
    rows, columns = np.flatnonzero(alpha.any(axis=1)), np.flatnonzero(alpha.any(axis=0))
    if len(rows) == 0:
        return QRectF()
    box = QRectF(columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1)
    return QRectF(
        box.x() / ratio, box.y() / ratio, box.width() / ratio, box.height() / ratio
    )  # fmt: skip


def _nothing(progress: object) -> None:
    """It takes no steps."""
