"""What stands round the views: a headline on the stage, and the line of what is happening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import HALL, Metrics, font

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from polyorama.lab.runner import Update
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.lab.theme import LabTheme

__all__ = ["Cue", "Curtain", "Headline"]


@guards
class Curtain(QWidget):
    """Covers all, so that people look at the speaker."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Nothing, in the dark of the hall."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), HALL.color("stage"))
        painter.end()


@guards
class Headline(QWidget):
    """On the stage, the title and the step in large type; elsewhere nothing."""

    def __init__(self, run: Run, theme: LabTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._run = run
        self._theme = theme
        self.hide()
        run.updated.connect(self.update)
        run.changed.connect(self.update)
        theme.changed.connect(self.update)
        self.setFixedHeight(round(1.6 * Metrics.stage_title))

    def set_stage(self, on: bool) -> None:
        """There on the stage alone."""
        self.setVisible(on)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Title at the left, the preset beside it, the step at the right."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.color("stage"))
        gap = float(Metrics.space[4])
        box = QRectF(self.rect()).adjusted(gap, 0.0, -gap, 0.0)
        painter.setFont(font(Metrics.stage_title, tabular=True))
        step = self.tr("step {0}").format(f"{self._run.step_shown:,}")
        wide = QFontMetricsF(painter.font()).horizontalAdvance(step)
        painter.setPen(tokens.color("text"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, right, step)
        painter.setFont(font(Metrics.stage_title, medium=True))
        metrics = QFontMetricsF(painter.font())
        room = box.width() - wide - gap
        title = metrics.elidedText(self._run.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, title)
        loaded, number = self._run.loaded, self._run.preset
        left = metrics.horizontalAdvance(title) + gap
        if loaded is not None and 0 <= number < len(loaded.kind.presets) and left < room:
            painter.setFont(font(Metrics.stage_small))
            painter.setPen(tokens.color("accent"))
            small = QFontMetricsF(painter.font())
            words = small.elidedText(
                loaded.kind.presets[number].title, Qt.TextElideMode.ElideRight, room - left
            )
            drop = (metrics.ascent() - small.ascent()) / 2.0
            place = box.adjusted(left, drop, 0.0, drop)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


@guards
class Cue(QWidget):
    """Below the views: what is happening now, and what must be said with it."""

    def __init__(self, session: Session, run: Run, theme: LabTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._run = run
        self._theme = theme
        self._stage = False
        self._frozen = False
        self.note = ""
        self.setFixedHeight(Metrics.lab_note)
        run.updated.connect(self._on_update)
        run.loaded_changed.connect(self._fit)
        run.loaded_changed.connect(self.update)
        run.loading_changed.connect(self.update)
        theme.changed.connect(self.update)

    def set_stage(self, on: bool) -> None:
        """Large lines, or one of the window."""
        self._stage = on
        self._fit()
        self.update()

    @Slot()
    def _fit(self) -> None:
        """Before a hall the whole caveat is seen, in as many lines as it takes."""
        if not self._stage:
            self.setFixedHeight(Metrics.lab_note)
            return
        loaded = self._run.loaded
        fine = QFontMetricsF(font(Metrics.stage_fine))
        room = QRectF(0.0, 0.0, self.width() - 2.0 * Metrics.space[4] - _mark_room(fine), 1e4)
        words = "" if loaded is None else loaded.kind.caveat
        lines = fine.boundingRect(room, Qt.TextFlag.TextWordWrap, words).height()
        height = self._note_height + max(lines, fine.lineSpacing()) + Metrics.space[2]
        self.setFixedHeight(round(height))

    @property
    def _note_height(self) -> float:
        return 1.4 * Metrics.stage_small

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines break elsewhere."""
        super().resizeEvent(event)
        self._fit()

    def set_frozen(self, frozen: bool) -> None:
        """Say that the picture stands while the run goes on."""
        self._frozen = frozen
        self.update()

    @Slot(object)
    def _on_update(self, update: Update) -> None:
        if update.snapshot.note != self.note:
            self.note = update.snapshot.note
            self.setAccessibleName(self.note)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The note; at the right, before a hall below it, the caveat or that it is frozen."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.color("stage" if self._stage else "ground"))
        gap = float(Metrics.space[4] if self._stage else Metrics.space[2])
        box = QRectF(self.rect()).adjusted(gap, 0.0, -gap, 0.0)
        words, mark, token = self._aside()
        if self._stage:
            upper = QRectF(box.left(), box.top(), box.width(), self._note_height)
            painter.setFont(font(Metrics.stage_small))
            if QFontMetricsF(painter.font()).horizontalAdvance(self.note) > upper.width():
                painter.setFont(font(Metrics.stage_fine))
            self._paint_note(painter, upper)
            painter.setFont(font(Metrics.stage_fine))
            self._paint_aside(
                painter, box.adjusted(0.0, upper.height(), 0.0, 0.0), mark, token, words
            )
        else:
            painter.setFont(font(Metrics.label))
            metrics = QFontMetricsF(painter.font())
            # The caveat is read at the side, too; what happens now is told here alone.
            left = metrics.horizontalAdvance(self.note) + gap if self.note else 0.0
            room = max(box.width() - left, 0.3 * box.width())
            natural = metrics.horizontalAdvance(words) + _mark_room(metrics) + 1.0
            wide = min(natural, room) if words else 0.0
            right = box.adjusted(box.width() - wide, 0.0, 0.0, 0.0)
            self._paint_aside(painter, right, mark, token, words)
            self._paint_note(painter, box.adjusted(0.0, 0.0, -wide - gap, 0.0))
        painter.end()

    def _aside(self) -> tuple[str, str, str]:
        """What else is to be said, its icon and its colour."""
        loaded = self._run.loaded
        if self._frozen:
            return self.tr("Frozen; F goes on"), "freeze", "accent"
        if self._run.loading:
            return self.tr("Starting"), "", "quiet"
        return ("" if loaded is None else loaded.kind.caveat), "warning", "quiet"

    def _paint_note(self, painter: QPainter, box: QRectF) -> None:
        painter.setPen(self._theme.tokens.color("text"))
        metrics = QFontMetricsF(painter.font())
        note = metrics.elidedText(self.note, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, note)

    def _paint_aside(
        self, painter: QPainter, box: QRectF, mark: str, token: str, words: str
    ) -> None:  # fmt: skip
        if not words:
            return
        tokens, metrics = self._theme.tokens, QFontMetricsF(painter.font())
        size = float(painter.font().pixelSize())
        if mark:
            side = 1.15 * size
            line = metrics.lineSpacing() if self._stage else box.height()
            place = QRectF(box.left(), box.top() + 0.5 * (line - side), side, side)
            warn = "warn" if mark == "warning" else token
            paint_icon(painter, mark, tokens.color(warn), place)
            box = box.adjusted(_mark_room(metrics), 0.0, 0.0, 0.0)
        painter.setPen(tokens.color(token))
        if self._stage:
            painter.drawText(box, Qt.TextFlag.TextWordWrap, words)
            return
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)


def _mark_room(metrics: QFontMetricsF) -> float:
    """Room for an icon before words."""
    return 1.5 * metrics.ascent()
