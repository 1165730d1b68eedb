"""What a lane of the score is; the ruler and the waveform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainterPath, QPen, QPolygonF

from polyorama_studio.theme import Metrics, font
from polyorama_studio.timeline.axis import ticks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter

    from polyorama.scene.contents import Audio
    from polyorama_studio.theme import Tokens
    from polyorama_studio.workspaces.face.desk import Desk
    from polyorama_studio.workspaces.face.score import Score

__all__ = ["Lane", "RulerLane", "WaveLane", "loudness", "snapped"]

_SNAP = 6.0
_LOUDNESS_S = 0.02
_LEAST_DB, _MOST_DB = -50.0, 0.0
_MOST_COLUMNS = 8000


def snapped(score: Score, time: float, marks: Iterable[float]) -> float:
    """A time, or the nearest mark that lies within a few pixels of it."""
    near = min(marks, key=lambda mark: abs(mark - time), default=time)
    return near if abs(near - time) * score.axis.scale <= _SNAP else round(time, 3)


class Lane:
    """One line of the score; `box` is its place right of the names.

    Parameters
    ----------
    score
        Has axis, desk and colours.
    """

    title = ""
    high = 0.0
    """Height, logical pixels; 0 takes what is left."""

    def __init__(self, score: Score) -> None:
        self.score = score
        self.box = QRectF()

    @property
    def desk(self) -> Desk:
        """Whose face it is."""
        return self.score.desk

    @property
    def tokens(self) -> Tokens:
        """Colours."""
        return self.score.session.theme.tokens

    @property
    def shown(self) -> bool:
        """Whether there is anything to show."""
        return True

    def paint(self, painter: QPainter) -> None:
        """What stays while time goes."""

    def paint_name(self, painter: QPainter, room: QRectF) -> None:
        """The name, at the left."""
        painter.setFont(font(Metrics.label))
        painter.setPen(self.tokens.color("quiet"))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self.title)

    def press(self, event: QMouseEvent) -> bool:
        """Take hold of something; tells whether there is a drag."""
        return False

    def move(self, event: QMouseEvent) -> None:
        """The drag goes on."""

    def release(self) -> None:
        """The drag ends."""

    def cancel(self) -> None:
        """The drag is given up."""

    def double(self, event: QMouseEvent) -> None:
        """A double click."""

    def cursor(self, at: QPointF) -> Qt.CursorShape:
        """What the pointer looks like."""
        return Qt.CursorShape.ArrowCursor

    def words(self, at: QPointF) -> str:
        """What is under the pointer."""
        return ""

    def key(self, event: QKeyEvent) -> bool:
        """A key while the lane is the present one; tells whether it was meant."""
        return False

    def step(self, by: int) -> bool:
        """Choose the next thing of the lane, or the one before."""
        return False


class RulerLane(Lane):
    """Seconds and frames; a click goes there, a drag with Shift chooses what is looped."""

    high = float(Metrics.face_ruler)

    def __init__(self, score: Score) -> None:
        super().__init__(score)
        self._from: float | None = None

    def paint(self, painter: QPainter) -> None:
        """Ticks, and the range that is looped."""
        tokens, axis, box = self.tokens, self.score.axis, self.box
        chosen = self.score.session.playback.range
        if chosen is not None:
            color = tokens.color("accent")
            color.setAlphaF(0.18)
            first, last = (axis.x(t - self.desk.start) for t in chosen)
            painter.fillRect(QRectF(first, box.top(), last - first, box.height()), color)
        painter.setFont(font(Metrics.small, tabular=True))
        for tick in ticks(axis):
            x = round(axis.x(tick.time)) + 0.5
            if not box.left() - 1.0 <= x <= box.right():
                continue
            painter.setPen(tokens.color("quiet" if tick.whole else "line"))
            long = 6.0 if tick.whole else 3.0
            painter.drawLine(QPointF(x, box.bottom() - long), QPointF(x, box.bottom()))
            if tick.text:
                painter.setPen(tokens.color("quiet"))
                painter.drawText(QPointF(x + 3.0, box.bottom() - 6.0), tick.text)

    def press(self, event: QMouseEvent) -> bool:
        """Go there, or begin a range."""
        time = self.score.axis.seconds(event.position().x())
        self._from = None
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._from = max(time, 0.0)
            self.score.session.playback.set_range()
        else:
            self.score.seek(time, scrub=True)
        return True

    def move(self, event: QMouseEvent) -> None:
        """Scrub, or make the range longer."""
        time = max(self.score.axis.seconds(event.position().x()), 0.0)
        if self._from is None:
            self.score.seek(time, scrub=True)
        else:
            low, high = sorted((self._from, time))
            start = self.desk.start
            self.score.session.playback.set_range(low + start, high + start)

    def release(self) -> None:
        """A full picture of where it came to."""
        if self._from is None:
            self.score.seek(self.desk.time)

    def double(self, event: QMouseEvent) -> None:
        """Play all again."""
        self.score.session.playback.set_range()

    def words(self, at: QPointF) -> str:
        """How it is used."""
        return self.score.tr("Click to go there, drag with Shift to loop a part")


def loudness(samples: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    """(n,) loudness of each 20 ms as root mean square, dB below full."""
    size = max(int(rate * _LOUDNESS_S), 1)
    count = len(samples) // size
    if not count:
        return np.zeros(0, np.float32)
    mono = samples[: count * size].mean(axis=1).reshape(count, size)
    power = np.einsum("ij,ij->i", mono, mono) / size
    return (10.0 * np.log10(np.maximum(power, 1e-12))).astype(np.float32)


class WaveLane(Lane):
    """The voice: its waveform, and over it how loud it is."""

    high = float(Metrics.face_wave)

    def __init__(self, score: Score) -> None:
        super().__init__(score)
        self.title = score.tr("Voice")

    @property
    def sound(self) -> Audio | None:
        """What is heard."""
        return self.desk.script.sound

    def paint(self, painter: QPainter) -> None:
        """Peaks, then loudness."""
        sound, tokens, axis, box = self.sound, self.tokens, self.score.axis, self.box
        if sound is None:
            return
        left = max(axis.x(0.0), box.left())
        right = min(axis.x(sound.seconds), box.right())
        if right <= left:
            return
        clip = QRectF(left, box.top() + 2.0, right - left, box.height() - 4.0)
        ground = tokens.color("series3")
        ground.setAlphaF(0.08)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(clip, Metrics.corner, Metrics.corner)
        peaks = self.score.waves.peaks
        if peaks is None:
            return
        columns = min(
            max(int(clip.width() * painter.device().devicePixelRatioF()), 1), _MOST_COLUMNS
        )
        found = peaks.between(axis.seconds(left), axis.seconds(right), columns) * sound.gain
        middle, reach = clip.center().y(), 0.46 * clip.height()
        xs = left + (np.arange(columns) + 0.5) * (clip.width() / columns)
        highs = middle - np.maximum(reach * np.minimum(found[:, 1], 1.0), 0.4)
        lows = middle - np.minimum(reach * np.maximum(found[:, 0], -1.0), -0.4)
        tops = [QPointF(x, y) for x, y in zip(xs.tolist(), highs.tolist(), strict=True)]
        ends = [QPointF(x, y) for x, y in zip(xs.tolist(), lows.tolist(), strict=True)]
        color = tokens.color("series3")
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(QPolygonF([*tops, *reversed(ends)]))
        self._paint_loudness(painter, clip)

    def _paint_loudness(self, painter: QPainter, clip: QRectF) -> None:
        levels, axis = self.score.waves.levels, self.score.axis
        if levels is None or not len(levels):
            return
        first = max(int(axis.seconds(clip.left()) / _LOUDNESS_S), 0)
        last = min(int(axis.seconds(clip.right()) / _LOUDNESS_S) + 2, len(levels))
        step = max(1, (last - first) // max(int(clip.width()), 1))
        path = QPainterPath()
        for at in range(first, last, step):
            level = float(levels[at : at + step].max())
            share = (min(max(level, _LEAST_DB), _MOST_DB) - _LEAST_DB) / (_MOST_DB - _LEAST_DB)
            point = QPointF(
                axis.x((at + 0.5) * _LOUDNESS_S),
                clip.bottom() - 1.0 - share * (clip.height() - 2.0),
            )
            if path.elementCount():
                path.lineTo(point)
            else:
                path.moveTo(point)
        color = self.tokens.color("text")
        color.setAlphaF(0.45)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, 1.0))
        painter.drawPath(path)

    def press(self, event: QMouseEvent) -> bool:
        """Go there."""
        self.score.seek(self.score.axis.seconds(event.position().x()), scrub=True)
        return True

    def move(self, event: QMouseEvent) -> None:
        """Scrub."""
        self.score.seek(self.score.axis.seconds(event.position().x()), scrub=True)

    def release(self) -> None:
        """A full picture of where it came to."""
        self.score.seek(self.desk.time)

    def words(self, at: QPointF) -> str:
        """How loud it is there."""
        levels = self.score.waves.levels
        if levels is None or not len(levels):
            return ""
        row = int(self.score.axis.seconds(at.x()) / _LOUDNESS_S)
        if not 0 <= row < len(levels):
            return ""
        return self.score.tr("{0} dB below full").format(f"{-float(levels[row]):.0f}")
