"""What a press on the curves takes hold of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt

from polyorama_studio.timeline import keys
from polyorama_studio.timeline.curve_math import with_handle
from polyorama_studio.timeline.grips import Grip

if TYPE_CHECKING:
    from polyorama.scene.timeline import Key, Timeline
    from polyorama_studio.timeline.curve_set import CurveSet, Handle
    from polyorama_studio.timeline.edits import KeyEdits

__all__ = ["CurveBandGrip", "CurvePanGrip", "HandleGrip", "PointsGrip"]

_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_ALT = Qt.KeyboardModifier.AltModifier

Points = dict[str, dict[float, set[int]]]


class CurvePanGrip(Grip):
    """Both axes under the middle button."""

    def __init__(self, edits: KeyEdits, at: QPointF, curves: CurveSet) -> None:
        super().__init__(edits, at)
        self._curves = curves

    def dragged(self, step: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Pan."""
        self.state.axis.pan(step.x())
        self._curves.values.pan(step.y())


class CurveBandGrip(Grip):
    """A rectangle that chooses points; with Shift it adds."""

    def __init__(self, edits: KeyEdits, at: QPointF, curves: CurveSet, *, adding: bool) -> None:
        super().__init__(edits, at)
        self._curves = curves
        self._adding = adding
        self._before: Points = {}
        if adding:
            for curve in curves.shown():
                for time in curve.times[curves.is_chosen(curve)].tolist():
                    times = self._before.setdefault(curve.path, {})
                    times.setdefault(time, set()).add(curve.component)

    @property
    def box(self) -> QRectF:
        """The rectangle so far."""
        return QRectF(self.at, self.now).normalized()

    def dragged(self, step: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Choose what is inside."""
        found = self._curves.points_in(self.box)
        for path, times in self._before.items():
            for time, components in times.items():
                found.setdefault(path, {}).setdefault(time, set()).update(components)
        self._curves.choose(found)

    def let_go(self) -> None:
        """A click on nothing chooses nothing."""
        if not self.moved and not self._adding:
            self._curves.choose({})


class PointsGrip(Grip):
    """Chosen points: moved in time and value; Shift holds to one of them, Ctrl snaps values.

    Parameters
    ----------
    edits, at
        As of `Grip`.
    curves
        Whose points.
    time, value
        Of the point that was pressed: what snaps.
    alone
        What a click without a drag chooses, or None to leave the choice as it is.
    """

    def __init__(
        self, edits: KeyEdits, at: QPointF, curves: CurveSet, time: float, value: float,
        alone: Points | None,
    ) -> None:  # fmt: skip
        super().__init__(edits, at)
        self._curves = curves
        self._time, self._value = time, value
        self._alone = alone
        self.shift = self.lift = 0.0

    def begun(self) -> None:
        """The stage shows what comes."""
        self.state.begin()

    def dragged(self, step: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Show where the points would be."""
        document = self.state.document
        if document is None:
            return
        values = self._curves.values
        away = self.now - self.at
        level = bool(modifiers & _SHIFT) and abs(away.x()) >= abs(away.y())
        upright = bool(modifiers & _SHIFT) and not level
        reached = self._time + self.seconds
        self.shift = 0.0
        if not upright:
            self.shift = self.state.snapped(reached, without=self.state.choice) - self._time
        lift = -away.y() / values.scale
        if modifiers & _CTRL:
            fine = values.step / 5.0
            lift = round((self._value + lift) / fine) * fine - self._value
        self.lift = 0.0 if level else lift
        self.state.show(
            self._lifted(document.timeline), keys.moved_choice(self.state.choice, self.shift)
        )

    def _lifted(self, timeline: Timeline) -> Timeline:
        """The timeline with the chosen points elsewhere, inside the bounds of their properties."""

        def change(path: str, inside: list[Key]) -> list[Key]:
            parameter = self._curves.parameter(path)
            wanted = self._curves.components.get(path)
            fresh = []
            for key in inside:
                values = [
                    value + (self.lift if wanted is None or number in wanted else 0.0)
                    for number, value in enumerate(key.value)
                ]
                if parameter is not None:
                    values = [min(max(v, parameter.low), parameter.high) for v in values]
                    if parameter.kind in ("flag", "whole"):
                        values = [float(round(v)) for v in values]
                    if parameter.kind == "flag":
                        values = [min(max(v, 0.0), 1.0) for v in values]
                fresh.append(replace(key, time=key.time + self.shift, value=tuple(values)))
            return fresh

        return keys.changed(timeline, self.state.choice, change)

    def let_go(self) -> None:
        """Edit."""
        document = self.state.document
        if not self.moved:
            if self._alone is not None:
                self._curves.choose(self._alone)
        elif self.lift == 0.0:
            self.edits.move(self.shift)
        elif document is not None:
            arrived = keys.moved_choice(self.state.choice, self.shift)
            self.edits.take(self._lifted(document.timeline), _tr("Move keys"))
            self.state.choose(arrived)


class HandleGrip(Grip):
    """A Bezier handle; its twin stays in line with it, unless Alt breaks the two."""

    def __init__(self, edits: KeyEdits, at: QPointF, curves: CurveSet, handle: Handle) -> None:
        super().__init__(edits, at)
        self._curves, self._handle = curves, handle
        self._made: Timeline | None = None

    def begun(self) -> None:
        """The stage shows what comes."""
        self.state.begin()

    def dragged(self, step: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Show the curve that it makes."""
        document, handle = self.state.document, self._handle
        if document is None:
            return
        track = document.timeline.tracks[handle.curve.path]
        away = self.now - self.at
        seconds = handle.offset[0] + away.x() / self.state.axis.scale
        value = handle.offset[1] - away.y() / self._curves.values.scale
        if modifiers & _SHIFT:
            value = 0.0
        key = with_handle(
            track, handle.number, handle.side, handle.curve.component, (seconds, value),
            broken=bool(modifiers & _ALT),
        )  # fmt: skip
        fresh = list(track.keys)
        fresh[handle.number] = key
        self._made = document.timeline.with_track(
            handle.curve.path, replace(track, keys=tuple(fresh))
        )
        self.state.show(self._made, self.state.choice)

    def let_go(self) -> None:
        """Edit."""
        if self.moved and self._made is not None:
            self.edits.take(self._made, _tr("Shape the curve"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("timeline", text)
