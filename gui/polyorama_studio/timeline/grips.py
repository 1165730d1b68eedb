"""What a press on the sheet takes hold of, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt

from polyorama_studio.timeline import keys

if TYPE_CHECKING:
    from polyorama.scene.timeline import Timeline
    from polyorama_studio.timeline.edits import KeyEdits
    from polyorama_studio.timeline.places import Places
    from polyorama_studio.timeline.rows import Row

__all__ = ["AudioGrip", "BandGrip", "Grip", "KeysGrip", "PanGrip", "joined"]

_START = 3.0
"""Pixels that a press may wander before it is a drag."""
_LEAST = 1e-3
"""Of a scale, so that no two keys fall on each other."""


class Grip:
    """One press, until it is let go.

    Parameters
    ----------
    edits
        Carry out what it was for.
    at
        Where it was pressed.
    """

    def __init__(self, edits: KeyEdits, at: QPointF) -> None:
        self.edits, self.state = edits, edits.state
        self.at = self.now = at
        self.moved = False

    def move(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The pointer moved."""
        if not self.moved:
            if (at - self.at).manhattanLength() < _START:
                return
            self.moved = True
            self.begun()
        step, self.now = at - self.now, at
        self.dragged(step, modifiers)

    @property
    def seconds(self) -> float:
        """How far it was dragged, s, without snapping."""
        return (self.now.x() - self.at.x()) / self.state.axis.scale

    def begun(self) -> None:
        """It became a drag."""

    def dragged(self, step: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """It was dragged on."""

    def let_go(self) -> None:
        """The button was released."""

    def give_up(self) -> None:
        """Put everything back."""
        self.state.cancel()


class PanGrip(Grip):
    """The axis under the middle button, and the rows."""

    def __init__(self, edits: KeyEdits, at: QPointF, places: Places) -> None:
        super().__init__(edits, at)
        self._places = places

    def dragged(self, step: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Pan and scroll."""
        self.state.axis.pan(step.x())
        self._places.scroll_to(self._places.offset - round(step.y()))


class KeysGrip(Grip):
    """Chosen keys: moved, with Ctrl copied, with Alt scaled about the playhead.

    Parameters
    ----------
    edits, at
        As of `Grip`.
    time
        Of the key that was pressed, s: it is what snaps.
    alone
        What a click without a drag chooses, or None to leave the choice as it is.
    """

    def __init__(
        self, edits: KeyEdits, at: QPointF, time: float, alone: keys.Choice | None
    ) -> None:  # fmt: skip
        super().__init__(edits, at)
        self.time = time
        self._alone = alone
        self.shift, self.factor = 0.0, 1.0
        self.copying = self.scaling = False

    def begun(self) -> None:
        """The stage shows what comes."""
        self.state.begin()

    def dragged(self, step: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Show where the keys would be."""
        document, choice = self.state.document, self.state.choice
        if document is None:
            return
        self.copying = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        self.scaling = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        reached = self.state.snapped(self.time + self.seconds, without=choice)
        if not self.scaling:
            self.shift = reached - self.time
            self._show_moved(document.timeline, choice)
            return
        about = self.state.session.playback.time
        span = self.time - about
        factor = (reached - about) / span if abs(span) > 1e-9 else 1.0
        self.factor = factor if abs(factor) > _LEAST else _LEAST
        self._show_scaled(document.timeline, choice, about)

    def _show_moved(self, timeline: Timeline, choice: keys.Choice) -> None:
        arriving = keys.moved_choice(choice, self.shift)
        if self.state.live:
            self.state.show(keys.moved(timeline, choice, self.shift, copy=self.copying), arriving)
        else:
            self.state.show_times(lambda times: times + self.shift, arriving, copy=self.copying)

    def _show_scaled(self, timeline: Timeline, choice: keys.Choice, about: float) -> None:
        arriving = keys.scaled_choice(choice, self.factor, about)
        if self.state.live:
            self.state.show(keys.scaled(timeline, choice, self.factor, about), arriving)
        else:
            self.state.show_times(
                lambda times: about + (times - about) * self.factor, arriving, copy=False
            )

    def let_go(self) -> None:
        """Edit."""
        if not self.moved:
            if self._alone is not None:
                self.state.choose(self._alone)
        elif self.scaling:
            self.edits.scale(self.factor, self.state.session.playback.time)
        else:
            self.edits.move(self.shift, copy=self.copying)


class AudioGrip(Grip):
    """A sound, moved on the timeline."""

    def __init__(self, edits: KeyEdits, at: QPointF, row: Row) -> None:
        super().__init__(edits, at)
        self.node = row.id
        self.shift = 0.0

    @property
    def _start(self) -> float:
        document = self.state.document
        return 0.0 if document is None else float(document.node(self.node).content.start)

    def dragged(self, step: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Show where it would begin."""
        start = self._start
        self.shift = self.state.snapped(start + self.seconds) - start

    def let_go(self) -> None:
        """Edit."""
        if self.shift:
            start = self._start + self.shift
            self.edits.run("set", path=f"{self.node}/start", value=start)


class BandGrip(Grip):
    """A rectangle that chooses; with Shift it adds."""

    def __init__(self, edits: KeyEdits, at: QPointF, places: Places, *, adding: bool) -> None:
        super().__init__(edits, at)
        self._places = places
        self._adding = adding
        self._before = dict(self.state.choice) if adding else {}

    @property
    def box(self) -> QRectF:
        """The rectangle so far."""
        return QRectF(self.at, self.now).normalized()

    def dragged(self, step: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Choose what is inside."""
        self.state.choose(joined(self._before, self._places.keys_in(self.box)))

    def let_go(self) -> None:
        """A click on nothing chooses nothing."""
        if not self.moved and not self._adding:
            self.state.choose({})


def joined(first: keys.Choice, second: keys.Choice) -> keys.Choice:
    """Keys of both."""
    return {
        path: first.get(path, frozenset()) | second.get(path, frozenset())
        for path in {**first, **second}
    }
