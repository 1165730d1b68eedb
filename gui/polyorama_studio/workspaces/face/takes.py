"""The contact sheet of takes: choose one, or drag over a part of it to take that part alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolTip, QWidget

from polyorama.core.params import Parameter
from polyorama.scene.faces.channels import REGIONS
from polyorama.scene.faces.script import CompSpan
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.row import Label
from polyorama_studio.fields.simple import ChoiceField
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.panels.parts import column_of, scrolled
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip
from polyorama_studio.workspaces.face.sampler import Sampler, Tried
from polyorama_studio.workspaces.face.scripts import with_comp
from polyorama_studio.workspaces.face.tints import region_color, region_title

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from polyorama_studio.workspaces.face.desk import Desk

__all__ = ["TakeSheet", "Takes"]

_LEAST_S = 0.06
_PICTURE = 46.0


@guards
class TakeSheet(QWidget):
    """Cards side by side; arrows choose, Enter takes, a drag over a line takes a part."""

    def __init__(self, desk: Desk, sampler: Sampler, parent: QWidget) -> None:
        super().__init__(parent)
        self.session, self._desk, self.sampler = desk.session, desk, sampler
        self.setAccessibleName(self.tr("Takes"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.current = 0
        self._press: tuple[int, float] | None = None
        self._span: tuple[float, float] | None = None
        self._over = -1
        sampler.changed.connect(self._on_changed)
        desk.changed.connect(self.update)
        self.session.playback.time_changed.connect(self._on_time)
        self.session.theme.changed.connect(self.update)

    # Places

    @property
    def _columns(self) -> int:
        wide = Metrics.face_take[0]
        return max(1, (self.width() + Metrics.space[1]) // (wide + Metrics.space[1]))

    def sizeHint(self) -> QSize:
        """Room for all cards."""
        rows = -(-max(len(self.sampler.takes), 1) // self._columns)
        high = rows * (Metrics.face_take[1] + Metrics.space[1])
        return QSize(Metrics.face_take[0], high)

    def card(self, index: int) -> QRectF:
        """Where a card lies."""
        gap = float(Metrics.space[1])
        wide = (self.width() - gap * (self._columns - 1)) / self._columns
        row, column = divmod(index, self._columns)
        high = float(Metrics.face_take[1])
        return QRectF(column * (wide + gap), row * (high + gap), wide, high)

    def line(self, index: int) -> QRectF:
        """Where the line of a card lies, over all of its time."""
        card = self.card(index)
        return card.adjusted(_PICTURE + 6.0, card.height() - 34.0, -6.0, -5.0)

    def _at(self, at: QPointF) -> int:
        found = (k for k in range(len(self.sampler.takes)) if self.card(k).contains(at))
        return next(found, -1)

    def _time(self, index: int, x: float) -> float:
        line = self.line(index)
        share = min(max((x - line.left()) / line.width(), 0.0), 1.0)
        return share * self.sampler.takes[index].performance.seconds

    # The hand

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a card, or begin a part."""
        index = self._at(event.position())
        if index < 0 or event.button() != Qt.MouseButton.LeftButton:
            return
        self.current = index
        self._span = None
        if self.line(index).adjusted(-3.0, -4.0, 3.0, 4.0).contains(event.position()):
            self._press = (index, self._time(index, event.position().x()))
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Make the part longer; or show where the pointer is."""
        if self._press is not None:
            index, first = self._press
            low, high = sorted((first, self._time(index, event.position().x())))
            self._span = (low, high)
            self.update()
            return
        over = self._at(event.position())
        if over != self._over:
            self._over = over
            self.update()
        line = over >= 0 and self.line(over).contains(event.position())
        self.setCursor(Qt.CursorShape.IBeamCursor if line else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take the part."""
        press, span = self._press, self._span
        self._press = self._span = None
        if press is not None and span is not None and span[1] - span[0] >= _LEAST_S:
            self.comp(press[0], *span)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Take all of it."""
        index = self._at(event.position())
        if index >= 0:
            self._press = None
            self.take(index)

    def leaveEvent(self, event: QEvent) -> None:
        """Back to quiet."""
        self._over = -1
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows choose, Enter takes all, C takes the part that is looped."""
        count = len(self.sampler.takes)
        step = {
            Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -self._columns,
            Qt.Key.Key_Down: self._columns,
        }.get(Qt.Key(event.key()))  # fmt: skip
        if step is not None and count:
            self.current = min(max(self.current + step, 0), count - 1)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and count:
            self.take(self.current)
        elif event.key() == Qt.Key.Key_C and count:
            first, last = self.session.playback.range or (0.0, self._desk.seconds)
            self.comp(self.current, first - self._desk.start, last - self._desk.start)
        else:
            super().keyPressEvent(event)
            return
        self.update()

    def take(self, index: int) -> None:
        """Perform a take from now on."""
        tried = self.sampler.takes[index]
        script = replace(self._desk.script, seed=tried.seed, temperature=tried.temperature)
        self._desk.edit(self.tr("Choose take {0}").format(tried.seed), script)

    def comp(self, index: int, first: float, last: float) -> None:
        """Take a region of a take for a while."""
        tried, region = self.sampler.takes[index], self.sampler.region
        first, last = max(first, 0.0), min(last, tried.performance.seconds)
        if last - first < _LEAST_S:
            return
        span = CompSpan(region, round(first, 3), round(last, 3), tried.seed, tried.temperature)
        title = self.tr("{0} of take {1}").format(region_title(region), tried.seed)
        self._desk.edit(title, with_comp(self._desk.script, span))

    # Showing

    @Slot()
    def _on_changed(self) -> None:
        self.current = min(self.current, max(len(self.sampler.takes) - 1, 0))
        self.updateGeometry()
        self.update()

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        if self.sampler.takes and self.isVisible():
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cards find their places."""
        self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        """How it is used."""
        if event.type() == QEvent.Type.ToolTip:
            if self._at(QPointF(event.pos())) >= 0:
                words = self.tr("Double click to perform this take\nDrag over its line to take "
                                "{0} from it for that time").format(
                                    region_title(self.sampler.region).lower())  # fmt: skip
                QToolTip.showText(event.globalPos(), tip(words), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The cards; or what they are for."""
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for index, tried in enumerate(self.sampler.takes):
            self._paint_card(painter, index, tried)
        if not self.sampler.takes:
            painter.setPen(tokens.color("quiet"))
            painter.setFont(font(Metrics.label))
            words = self.tr("Try the same words a few times over, and take the best of each")
            if self.sampler.busy:
                words = self.tr("Trying takes")
            room = QRectF(self.rect()).adjusted(0.0, Metrics.space[1], 0.0, 0.0)
            room.setHeight(3.0 * Metrics.row)
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(room, int(flags), words)
        painter.end()

    def _paint_card(self, painter: QPainter, index: int, tried: Tried) -> None:
        tokens, script = self.session.theme.tokens, self._desk.script
        box = self.card(index).adjusted(0.5, 0.5, -0.5, -0.5)
        performed = tried.seed == script.seed and tried.temperature == script.temperature
        focused = self.hasFocus() and index == self.current
        painter.setBrush(tokens.color("raised" if index == self._over else "ground"))
        edge = "accent" if focused or performed else "line"
        painter.setPen(QPen(tokens.color(edge), 1.5 if focused else 1.0))
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        place = QRectF(
            box.left() + 3.0, box.top() + (box.height() - _PICTURE) / 2.0, _PICTURE, _PICTURE
        )
        if tried.image is not None:
            painter.drawImage(place, tried.image)
        else:
            mark = QRectF(0.0, 0.0, float(Metrics.icon), float(Metrics.icon))
            mark.moveCenter(place.center())
            paint_icon(painter, "face", tokens.color("line"), mark)
        words = box.adjusted(_PICTURE + 6.0, 6.0, -6.0, 0.0)
        painter.setFont(font(Metrics.label, medium=performed, tabular=True))
        painter.setPen(tokens.color("accent" if performed else "text"))
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft, self.tr("Take {0}").format(tried.seed))
        self._paint_line(painter, index, tried)

    def _paint_line(self, painter: QPainter, index: int, tried: Tried) -> None:
        tokens, line = self.session.theme.tokens, self.line(index)
        color = region_color(tokens, self.sampler.region)
        count = len(tried.line)
        xs = [line.left() + line.width() * k / max(count - 1, 1) for k in range(count)]
        tops = [
            QPointF(x, line.bottom() - line.height() * float(v))
            for x, v in zip(xs, tried.line, strict=True)
        ]
        area = QPolygonF([line.bottomLeft(), *tops, line.bottomRight()])
        soft = region_color(tokens, self.sampler.region)
        soft.setAlphaF(0.22)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(soft)
        painter.drawPolygon(area)
        painter.setPen(QPen(color, 1.0))
        painter.drawPolyline(QPolygonF(tops))
        seconds = tried.performance.seconds
        accent = tokens.color("accent")
        for span in self._desk.script.comp:
            if span.seed == tried.seed and span.region == self.sampler.region:
                accent.setAlphaF(0.30)
                painter.fillRect(_part(line, span.start, span.end, seconds), accent)
        if self._press is not None and self._press[0] == index and self._span is not None:
            accent.setAlphaF(0.45)
            painter.fillRect(_part(line, *self._span, seconds), accent)
        x = line.left() + line.width() * min(max(self._desk.time / seconds, 0.0), 1.0)
        painter.setPen(QPen(tokens.color("accent"), 1.0))
        painter.drawLine(QPointF(x, line.top()), QPointF(x, line.bottom()))


def _part(line: QRectF, first: float, last: float, seconds: float) -> QRectF:
    left = line.left() + line.width() * first / seconds
    return QRectF(
        left, line.top() - 2.0, line.width() * (last - first) / seconds, line.height() + 2.0
    )


class Takes(QWidget):
    """How many, how different, which region; the sheet."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        theme = desk.session.theme
        self.sampler = Sampler(desk, self)
        self.sheet = TakeSheet(desk, self.sampler, self)
        self.count = NumberField(
            Parameter("count", "whole", 6, 2, 24, help="Takes to try"), theme, self
        )  # fmt: skip
        self.count.setAccessibleName(self.tr("Takes to try"))
        self.temperature = NumberField(
            Parameter("temperature", "number", 0.9, 0.0, 3.0, soft=(0.0, 1.5)), theme, self
        )  # fmt: skip
        self.temperature.setAccessibleName(self.tr("Temperature"))
        self.temperature.setToolTip(tip(self.tr("How far takes differ")))
        self.region = ChoiceField(
            [(region, region_title(region)) for region in REGIONS], self.tr("Region"), self
        )  # fmt: skip
        self.region.set_value("mouth")
        self.region.setToolTip(tip(self.tr("What a drag over a line takes from it")))
        self.make = QPushButton(self.tr("Try"), self)
        self.make.setProperty("tight", "true")
        row = QHBoxLayout()
        row.setSpacing(Metrics.space[0])
        self.count.setFixedWidth(2 * Metrics.control)
        self.temperature.setFixedWidth(3 * Metrics.control)
        for widget in (
            self.make, self.count, Label(self.tr("takes at"), self), self.temperature,
        ):  # fmt: skip
            row.addWidget(widget)
            if isinstance(widget, Label):
                widget.setFixedWidth(
                    widget.fontMetrics().horizontalAdvance(widget.text()) + Metrics.space[0]
                )
        row.addStretch(1)
        row.addWidget(self.region)
        self.region.setMinimumWidth(4 * Metrics.control)
        column = column_of(self)
        gap = Metrics.space[2]
        column.setContentsMargins(gap, Metrics.space[1], gap, 0)
        column.setSpacing(Metrics.space[1])
        column.addLayout(row)
        column.addWidget(scrolled(self.sheet, self), 1)
        self.make.clicked.connect(self.try_some)
        self.region.chosen.connect(self.sampler.set_region)
        self.sampler.changed.connect(self.refresh)
        desk.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def try_some(self) -> None:
        """Try as many takes as the fields say."""
        self.sampler.make(round(self.count.value), round(self.temperature.value, 3))

    @Slot()
    def refresh(self) -> None:
        """Whether takes can be tried."""
        able = self._desk.speaks and not self.sampler.busy
        self.make.setEnabled(able)
