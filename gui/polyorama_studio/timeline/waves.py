"""Waveforms of the document's sounds: peaks found beside the window, painted as bands."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPen, QPolygonF

from polyorama.scene.contents import Audio
from polyorama_studio.jobs import Handlers
from polyorama_studio.theme import Metrics
from polyorama_studio.timeline.peaks import Peaks, peaks_of

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from polyorama.core.jobs import Progress
    from polyorama_studio.timeline.state import TimelineState

__all__ = ["Waves"]

_Identity = tuple[int, int]


def _identity(audio: Audio) -> _Identity:
    """Tells samples apart without reading them: sounds that are moved share theirs."""
    return (audio.samples.ctypes.data, len(audio.samples))


class Waves(QObject):
    """Keeps the peaks of each sound of the document."""

    ready = Signal()

    def __init__(self, state: TimelineState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._peaks: dict[_Identity, Peaks | None] = {}
        """None while they are being found."""
        state.changed.connect(self._look)
        self._look()

    @Slot()
    def _look(self) -> None:
        """Find the peaks of sounds that are new; forget those of others."""
        document = self._state.document
        nodes = () if document is None else document.nodes
        sounds = {_identity(n.content): n.content for n in nodes if isinstance(n.content, Audio)}
        self._peaks = {known: peaks for known, peaks in self._peaks.items() if known in sounds}
        for known, audio in sounds.items():
            if known not in self._peaks:
                self._peaks[known] = None
                self._state.session.start_job(
                    partial(peaks_of, audio.samples, audio.rate),
                    Handlers(partial(self._found, known), self._failed, self._on_progress),
                    self.tr("Reading the waveform"),
                )

    def _found(self, known: _Identity, peaks: Peaks | None) -> None:
        if known in self._peaks and peaks is not None:
            self._peaks[known] = peaks
            self.ready.emit()

    def _failed(self, error: BaseException) -> None:
        self._state.session.report(error)

    def _on_progress(self, progress: Progress) -> None:
        """The waveform appears when it is there; nobody waits for it."""

    def found(self, node: str) -> Peaks | None:
        """The peaks of a sound, once they are there."""
        document = self._state.document
        audio = None if document is None else document.node(node).content
        return self._peaks.get(_identity(audio)) if isinstance(audio, Audio) else None

    def paint(self, painter: QPainter, node: str, box: QRectF, shift: float) -> None:
        """A sound's waveform in its row, moved by `shift` seconds."""
        document = self._state.document
        audio = None if document is None else document.node(node).content
        if not isinstance(audio, Audio):
            return
        tokens, axis = self._state.session.theme.tokens, self._state.axis
        start = audio.start + shift
        left = max(axis.x(start), box.left())
        right = min(axis.x(start + audio.seconds), box.right())
        if right <= left:
            return
        clip = QRectF(left, box.top() + 3.0, right - left, box.height() - 6.0)
        color = tokens.color("series3")
        ground = tokens.color("series3")
        ground.setAlphaF(0.10)
        painter.setPen(QPen(ground, 1.0))
        painter.setBrush(ground)
        painter.drawRoundedRect(clip, Metrics.corner, Metrics.corner)
        peaks = self.found(node)
        if peaks is None:
            return
        columns = max(int(clip.width() * painter.device().devicePixelRatioF()), 1)
        first, last = axis.seconds(left) - start, axis.seconds(right) - start
        found = peaks.between(first, last, columns) * min(audio.gain, 4.0)
        middle, reach = clip.center().y(), 0.48 * clip.height()
        step = clip.width() / columns
        xs = [left + (number + 0.5) * step for number in range(columns)]
        highs = (middle - reach * np.minimum(found[:, 1], 1.0)).tolist()
        lows = (middle - reach * np.maximum(found[:, 0], -1.0)).tolist()
        tops = [QPointF(x, y) for x, y in zip(xs, highs, strict=True)]
        ends = [QPointF(x, y) for x, y in zip(xs, lows, strict=True)]
        painter.setPen(QPen(color, 0.5))
        painter.setBrush(color)
        painter.drawPolygon(QPolygonF([*tops, *reversed(ends)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
