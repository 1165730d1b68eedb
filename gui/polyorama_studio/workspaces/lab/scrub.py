"""The line of what was recorded, by which one goes back and forth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from polyorama_studio.fields.words import name_title
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QPaintEvent

    from polyorama.lab.runner import Change, Update
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.lab.theme import LabTheme

__all__ = ["Scrub", "change_words"]

_TRACK = 4.0
_KNOB = 6.0
_CHANGE = 3.5


@guards
class Scrub(QWidget):
    """Recorded steps from the first to the last; dragging shows what was, marks are changes.

    The line is linear in the step. Where the picture is not the newest, what lies after it is
    faint.
    """

    sought = Signal(float)
    """A person wants to see this step."""

    def __init__(self, run: Run, theme: LabTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._run = run
        self._theme = theme
        self._dragging = False
        self.setFixedHeight(Metrics.lab_scrub)
        self.setMinimumWidth(Metrics.dock_least)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Steps that were done"))
        self.setMouseTracking(True)
        run.updated.connect(self._on_update)
        run.loaded_changed.connect(self.update)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """A line."""
        return QSize(4 * Metrics.dock_least, Metrics.lab_scrub)

    @property
    def last(self) -> float:
        """The newest step that was recorded."""
        history = self._run.history
        return float(history.whole("step")[-1]) if history.length else 0.0

    def place(self, step: float) -> float:
        """Where a step is, logical pixels from the left."""
        room = self.width() - 2.0 * _KNOB
        return _KNOB + room * (min(step / self.last, 1.0) if self.last > 0.0 else 0.0)

    def step_at(self, x: float) -> float:
        """The step at a place."""
        room = max(self.width() - 2.0 * _KNOB, 1.0)
        return min(max((x - _KNOB) / room, 0.0), 1.0) * self.last

    def _change_at(self, x: float) -> Change | None:
        update = self._run.update
        near = [c for c in (update.changes if update else ()) if abs(self.place(c.step) - x) < 5.0]
        return near[-1] if near else None

    @Slot(object)
    def _on_update(self, update: Update) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The line, what is behind and ahead of the picture, changes, the knob."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2.0
        track = QRectF(_KNOB, middle - _TRACK / 2.0, self.width() - 2.0 * _KNOB, _TRACK)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tokens.color("raised"))
        painter.drawRoundedRect(track, _TRACK / 2.0, _TRACK / 2.0)
        update = self._run.update
        if update is None:
            painter.end()
            return
        here = self.place(update.snapshot.step)
        painter.setBrush(tokens.color("quiet"))
        done = QRectF(track.left(), track.top(), here - track.left(), _TRACK)
        painter.drawRoundedRect(done, _TRACK / 2.0, _TRACK / 2.0)
        painter.setBrush(tokens.color("text"))
        for change in update.changes:
            at = QPointF(self.place(change.step), middle - _TRACK - _CHANGE)
            painter.drawEllipse(at, _CHANGE / 2.0, _CHANGE / 2.0)
        live = update.live
        painter.setBrush(tokens.color("accent" if not live or self._dragging else "text"))
        painter.setPen(QPen(tokens.color("panel"), 2.0))
        painter.drawEllipse(QPointF(here, middle), _KNOB, _KNOB)
        if not live:
            painter.setFont(font(Metrics.small, tabular=True))
            painter.setPen(tokens.color("quiet"))
            box = QRectF(track.left(), middle + _TRACK, track.width(), middle - _TRACK)
            words = self.tr("recorded up to {0}").format(f"{self.last:,.0f}")
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, words)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show what was there."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragging = True
            self.sought.emit(self.step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on, or say what was changed there."""
        if self._dragging:
            self.sought.emit(self.step_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self._dragging = False
        self.update()

    def event(self, event: QEvent) -> bool:
        """What was changed there, or which step it is."""
        if event.type() == QEvent.Type.ToolTip and self._run.update is not None:
            x = float(event.pos().x())
            change = self._change_at(x)
            words = self.tr("Step {0}").format(f"{self.step_at(x):,.0f}")
            if change is not None:
                words = change_words(change)
            QToolTip.showText(event.globalPos(), tip(words), self)
            return True
        return super().event(event)


def change_words(change: Change) -> str:
    """What was changed in a run, as a line."""
    name = name_title(change.name)
    value = change.value
    if isinstance(value, bool):
        shown = "on" if value else "off"
    elif isinstance(value, int | float):
        shown = f"{value:.4g}" if isinstance(value, float) else f"{value:,}"
    else:
        shown = value if isinstance(value, str) else "painted"
    return f"Step {change.step:,}: {name} {shown}"
