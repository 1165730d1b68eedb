"""Where the emotion comes from: heard, keyed, or swapped with that of another clip or take."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from polyorama.core.params import Parameter
from polyorama.scene.faces.channels import EMOTIONS
from polyorama_studio.fields.buttons import Hovered, IconButton
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.row import Label
from polyorama_studio.fields.segments import SegmentField
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.panels.parts import column_of
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import legible, local_path, tip
from polyorama_studio.workspaces.face.scripts import (
    emotion_at,
    with_emotion_key,
    without_emotion_key,
)
from polyorama_studio.workspaces.face.tints import emotion_color, emotion_title

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPaintEvent

    from polyorama_studio.workspaces.face.desk import Desk
    from polyorama_studio.workspaces.face.works import Feeling

__all__ = ["Feelings", "SwapDrop"]


@guards
class SwapDrop(Hovered):
    """The swap desk: a clip or a take that is dropped here lends its emotion."""

    dropped = Signal(object)

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(desk.session.theme, parent)
        self._desk = desk
        self._over = False
        self.setFixedHeight(Metrics.face_drop)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Emotion of another clip"))
        words = self.tr("Words and lips stay, the feeling comes from there\n"
                        "script.emotion_features")  # fmt: skip
        self.setToolTip(tip(words))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A file may be dropped."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self._over = True
            self.update()

    def dragLeaveEvent(self, event: QEvent) -> None:
        """It went away."""
        self._over = False
        self.update()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take it."""
        self._over = False
        self.update()
        urls = [url for url in event.mimeData().urls() if url.isLocalFile()]
        if urls:
            event.acceptProposedAction()
            self.dropped.emit(local_path(urls[0]))

    def sizeHint(self) -> QSize:
        """As wide as the column."""
        return QSize(Metrics.face_side, Metrics.face_drop)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A dashed place to drop on; or whose emotion it is."""
        tokens, script = self._theme.tokens, self._desk.script
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        named = script.emotion == "swapped" and bool(script.emotion_name)
        lit = self._over or self.hasFocus()
        pen = QPen(tokens.color("accent" if lit else "quiet" if self.underMouse() else "line"))
        if not named:
            pen.setDashPattern([4.0, 3.0])
        painter.setPen(pen)
        painter.setBrush(tokens.color("raised" if named or self._over else "panel"))
        painter.drawRoundedRect(box, Metrics.corner, Metrics.corner)
        side = float(Metrics.icon)
        place = QRectF(Metrics.space[2], (self.height() - side) / 2.0, side, side)
        paint_icon(painter, "swap", tokens.color("accent" if named else "quiet"), place)
        words = box.adjusted(side + 2.0 * Metrics.space[2], 8.0, -float(Metrics.space[1]), -8.0)
        title, below = (
            (legible(script.emotion_name), self.tr("lends its emotion")) if named
            else (self.tr("Drop another clip or a take"), self.tr("Its emotion, these words"))
        )  # fmt: skip
        painter.setFont(font(Metrics.body))
        painter.setPen(tokens.color("text"))
        title = painter.fontMetrics().elidedText(
            title, Qt.TextElideMode.ElideMiddle, int(words.width())
        )
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, title)
        painter.setFont(font(Metrics.label))
        painter.setPen(tokens.color("quiet"))
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, below)
        painter.end()


@guards
class _Swatch(QWidget):
    """The colour of an emotion before its name."""

    def __init__(self, desk: Desk, emotion: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk, self._emotion = desk, emotion
        self.setFixedSize(Metrics.space[1], Metrics.control)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A dot."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(emotion_color(self._desk.session.theme.tokens, self._emotion))
        middle = QRectF(self.rect()).center()
        painter.drawEllipse(middle, 3.5, 3.5)
        painter.end()


class Feelings(QWidget):
    """Segments, eight strengths at the playhead, the swap desk."""

    open_asked = Signal()

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        theme = desk.session.theme
        self.source = SegmentField(
            theme,
            [("detected", self.tr("Heard")), ("keyed", self.tr("Keyed")),
             ("swapped", self.tr("Swapped"))],
            self.tr("Where the emotion comes from"), self,
        )  # fmt: skip
        self.source.setToolTip(tip(self.tr("Where the emotion comes from\nscript.emotion")))
        self.swap = SwapDrop(desk, self)
        self._rows = QWidget(self)
        grid = QGridLayout(self._rows)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(Metrics.space[1])
        grid.setVerticalSpacing(Metrics.hair)
        grid.setColumnStretch(2, 1)
        self.fields: list[NumberField] = []
        self._dragged: tuple[float, ...] | None = None
        for emotion, name in enumerate(EMOTIONS):
            title = emotion_title(emotion)
            parameter = Parameter(
                name, "number", 0.0, 0.0, 1.0, help=title, soft=(0.0, 1.0)
            )  # fmt: skip
            field = NumberField(parameter, theme, self._rows)
            field.setAccessibleName(title)
            label = Label(title, self._rows)
            label.setFixedSize(Metrics.face_emotion, Metrics.control)
            words = self.tr("How strong it is at the playhead; a drag keys it\n"
                            "script.emotion_keys")  # fmt: skip
            for widget in (label, field):
                widget.setToolTip(tip(words))
            field.begun.connect(self._on_begun)
            field.changed.connect(partial(self._on_changed, emotion))
            field.ended.connect(self._on_ended)
            field.cancelled.connect(self._on_cancelled)
            grid.addWidget(_Swatch(desk, emotion, self._rows), emotion, 0)
            grid.addWidget(label, emotion, 1)
            grid.addWidget(field, emotion, 2)
            self.fields.append(field)
        self.note = QLabel(self)
        self.note.setProperty("fine", "true")
        self.note.setWordWrap(True)
        self.forget = IconButton(theme, "remove", self.tr("Remove the key at the playhead"), self)
        column = column_of(self)
        column.setSpacing(Metrics.space[1])
        for widget in (self.source, self.swap, self._rows, self.note):
            column.addWidget(widget)
        column.addWidget(self.forget, 0, Qt.AlignmentFlag.AlignRight)
        self.source.chosen.connect(self._on_source)
        self.swap.dropped.connect(self.swap_with)
        self.swap.clicked.connect(self.open_asked)
        self.forget.clicked.connect(self._on_forget)
        desk.changed.connect(self.refresh)
        desk.performed.connect(self.refresh)
        desk.session.playback.time_changed.connect(self._on_time)
        self.refresh()

    # What a person does

    @Slot(str)
    def _on_source(self, source: str) -> None:
        desk = self._desk
        script = replace(desk.script, emotion=source)
        if source == "keyed" and not script.emotion_keys:
            script = with_emotion_key(script, 0.0, self._felt())
        if source == "swapped" and script.emotion_features is None:
            self.refresh(swapping=True)
            return
        desk.edit(self.tr("Take the emotion elsewhere"), script)

    def swap_with(self, path: Path) -> None:
        """Let another clip or take lend its emotion."""
        title = self.tr("Listen to how {0} feels").format(path.name)
        self._desk.ask(partial(self._desk.works.feeling_of, path), self._on_feeling, title)

    def _on_feeling(self, feeling: Feeling) -> None:
        desk = self._desk
        script = replace(
            desk.script, emotion="swapped", emotion_features=feeling.features,
            emotion_name=feeling.name,
        )  # fmt: skip
        title = self.tr("Feel as {0}").format(feeling.name)
        desk.edit(title, script)

    def _felt(self) -> tuple[float, ...]:
        """(8,) strengths at the playhead, as they were heard or keyed."""
        desk = self._desk
        if desk.script.emotion == "keyed":
            return emotion_at(desk.script, desk.time)
        take = desk.take
        if take is None or take.emotion is None or not len(take.emotion):
            return emotion_at(desk.script, 0.0)
        row = int(np.clip(desk.time * take.performance.fps, 0, len(take.emotion) - 1))
        return tuple(float(min(max(w, 0.0), 1.0)) for w in take.emotion[row])

    @Slot()
    def _on_begun(self) -> None:
        self._dragged = self._felt()
        self._desk.begin(self.tr("Key an emotion"))

    def _on_changed(self, emotion: int, value: float) -> None:
        assert self._dragged is not None
        self._dragged = shared(self._dragged, emotion, value)
        self._show(self._dragged, but=emotion)
        time = round(max(self._desk.time, 0.0), 3)
        self._desk.put(with_emotion_key(self._desk.script, time, self._dragged))

    @Slot()
    def _on_ended(self) -> None:
        self._dragged = None
        self._desk.end()

    @Slot()
    def _on_cancelled(self) -> None:
        self._dragged = None
        self._desk.cancel()

    @Slot()
    def _on_forget(self) -> None:
        desk = self._desk
        script = without_emotion_key(desk.script, max(desk.time, 0.0))
        if script.emotion_keys != desk.script.emotion_keys:
            desk.edit(self.tr("Remove a key of emotion"), script)

    # Showing

    @Slot(float)
    def _on_time(self, seconds: float) -> None:
        if self.isVisible() and self._dragged is None:
            self._show(self._felt())

    def _show(self, weights: tuple[float, ...], but: int = -1) -> None:
        for emotion, (field, weight) in enumerate(zip(self.fields, weights, strict=True)):
            if emotion != but:
                field.set_value(round(weight, 3))

    @Slot()
    def refresh(self, *, swapping: bool = False) -> None:
        """Show how things stand."""
        script = self._desk.script
        source = "swapped" if swapping else script.emotion
        self.source.set_value(source)
        self.swap.setVisible(source == "swapped")
        self.swap.update()
        self._rows.setVisible(source != "swapped")
        self.forget.setVisible(source == "keyed" and bool(script.emotion_keys))
        for field in self.fields:
            field.setEnabled(self._desk.speaks)
        heard = self.tr("Heard in the voice, not felt by it; drag one to key it yourself")
        self.note.setText(heard if source == "detected" and self._desk.speaks else "")
        self.note.setVisible(bool(self.note.text()))
        if self._dragged is None:
            self._show(self._felt())


def shared(weights: tuple[float, ...], emotion: int, value: float) -> tuple[float, ...]:
    """Strengths after one of them was set: together they are no more than 1."""
    rest = sum(w for k, w in enumerate(weights) if k != emotion)
    room = 1.0 - value
    share = min(1.0, room / rest) if rest > 0.0 else 1.0
    found = [value if k == emotion else w * share for k, w in enumerate(weights)]
    # What is missing to 1 is neutral, whatever its own strength says.
    if emotion != 0:
        found[0] = max(0.0, 1.0 - sum(found[1:]))
    return tuple(found)
