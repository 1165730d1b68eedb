"""The curves that are shown, and where their points and handles lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF

from polyorama.errors import UsageError
from polyorama.scene.properties_of import parameter_at
from polyorama_studio.timeline import keys
from polyorama_studio.timeline.curve_math import controls, handles_of
from polyorama_studio.timeline.rows import track_title
from polyorama_studio.timeline.value_axis import ValueAxis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.params import Parameter
    from polyorama.scene.timeline import Track
    from polyorama_studio.timeline.state import TimelineState

__all__ = ["Curve", "CurveSet", "Handle"]

_REACH = 7.0
_MOST_TRACKS = 12
"""So many tracks are drawn where none is chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One component of a track.

    Parameters
    ----------
    path, component
        Which.
    title, owner
        As they are shown: the property with its component, and what it belongs to.
    number
        Its place among the curves, which gives colour and dashes.
    track
        Its keys, or those of a drag that is still going on.
    """

    path: str
    component: int
    title: str
    owner: str
    number: int
    track: Track

    @property
    def times(self) -> NDArray[np.float64]:
        """(n,) float64, s."""
        return keys.arrays_of(self.track).times

    @property
    def values(self) -> NDArray[np.float64]:
        """(n,) float64."""
        return keys.arrays_of(self.track).values[:, self.component]


@dataclass(frozen=True, slots=True, eq=False)
class Handle:
    """A Bezier handle of a chosen key.

    Parameters
    ----------
    curve, number
        Whose.
    side
        ``"before"`` or ``"after"``.
    offset
        From the key: seconds and value.
    """

    curve: Curve
    number: int
    side: str
    offset: tuple[float, float]


class CurveSet(QObject):
    """Curves of the chosen tracks; without any, of those whose keys are chosen; else of the first.

    Parameters
    ----------
    state
        What the timeline's parts share.
    """

    def __init__(self, state: TimelineState) -> None:
        super().__init__(state)
        self._state = state
        self.values = ValueAxis(self)
        self.hidden: frozenset[tuple[str, int]] = frozenset()
        self.components: dict[str, frozenset[int]] = {}
        """Of tracks with chosen keys, the components that are chosen; others are so with all."""
        self._kept: tuple[tuple[object, ...], tuple[Curve, ...]] = ((), ())

    def paths(self) -> tuple[str, ...]:
        """Tracks whose curves are listed."""
        timeline = self._state.timeline
        if timeline is None:
            return ()
        order = [row.id for row in self._state.rows if row.kind == "track"]
        order += [path for row in self._state.rows for path in row.paths]
        known = dict.fromkeys(path for path in order if path in timeline.tracks)
        for wanted in (self._state.tracks, tuple(self._state.choice)):
            found = tuple(path for path in known if path in wanted)
            if found:
                return found
        return tuple(known)[:_MOST_TRACKS]

    def all(self) -> tuple[Curve, ...]:
        """Every curve that is listed."""
        document, timeline = self._state.document, self._state.timeline
        if document is None or timeline is None:
            return ()
        paths = self.paths()
        asked = (timeline.tracks, document.nodes, *paths)
        if len(asked) == len(self._kept[0]) and all(
            a is b or (isinstance(a, str) and a == b)
            for a, b in zip(asked, self._kept[0], strict=True)
        ):
            return self._kept[1]
        titles = {row.id: row.title for row in self._state.rows if row.kind == "node"}
        found: list[Curve] = []
        for path in paths:
            names = self._names(path, len(timeline.tracks[path].keys[0].value))
            for component, name in enumerate(names):
                title = f"{track_title(document, path)} {name}".strip()
                owner = titles.get(path.partition("/")[0], "")
                track = timeline.tracks[path]
                found.append(Curve(path, component, title, owner, len(found), track))
        self._kept = (asked, tuple(found))
        return self._kept[1]

    def _names(self, path: str, count: int) -> tuple[str, ...]:
        parameter = self.parameter(path)
        names = tuple(parameter.components) if parameter is not None else ()
        return names if len(names) == count else ("",) * count

    def parameter(self, path: str) -> Parameter | None:
        """What is known about a property."""
        document = self._state.document
        if document is None:
            return None
        try:
            return parameter_at(document, path)
        except UsageError:
            return None

    def shown(self) -> list[Curve]:
        """Curves that are drawn."""
        return [c for c in self.all() if (c.path, c.component) not in self.hidden]

    def toggle(self, curve: Curve, *, alone: bool = False) -> None:
        """Hide a curve, or show it; `alone` hides all others, or shows them again."""
        every = frozenset((c.path, c.component) for c in self.all())
        mine = (curve.path, curve.component)
        if alone:
            others = every - {mine}
            self.hidden = frozenset() if self.hidden == others else others
        else:
            self.hidden = self.hidden ^ {mine}
        self._state.changed.emit()

    # Choosing

    def is_chosen(self, curve: Curve) -> NDArray[np.bool_]:
        """Which keys of a curve are chosen, (n,) bool."""
        if curve.component not in self.components.get(curve.path, (curve.component,)):
            return np.zeros(len(curve.times), bool)
        return np.isin(curve.times, self._state.chosen_times((curve.path,)))

    def choose(self, points: dict[str, dict[float, set[int]]]) -> None:
        """Choose points: times by path, and their components."""
        self.components = {
            path: frozenset(c for found in times.values() for c in found)
            for path, times in points.items()
        }
        self._state.choose({path: frozenset(times) for path, times in points.items()})

    # Places

    def place(self, seconds: float, value: float) -> QPointF:
        """Where a time and a value lie."""
        return QPointF(self._state.axis.x(seconds), self.values.y(value))

    def point_at(self, at: QPointF) -> tuple[Curve, int] | None:
        """The curve and the number of the key at a place; chosen ones come first."""
        axis, best, found = self._state.axis, _REACH, None
        for curve in reversed(self.shown()):
            low = int(np.searchsorted(curve.times, axis.seconds(at.x() - _REACH)))
            high = int(np.searchsorted(curve.times, axis.seconds(at.x() + _REACH)))
            chosen = self.is_chosen(curve) if high > low else None
            for number in range(low, high):
                spot = self.place(float(curve.times[number]), float(curve.values[number])) - at
                away = max(abs(spot.x()), abs(spot.y())) - (1.0 if chosen[number] else 0.0)
                if away < best:
                    best, found = away, (curve, number)
        return found

    def points_in(self, box: QRectF) -> dict[str, dict[float, set[int]]]:
        """Points inside a rectangle, for `choose`."""
        axis = self._state.axis
        found: dict[str, dict[float, set[int]]] = {}
        top, bottom = self.values.value(box.top()), self.values.value(box.bottom())
        for curve in self.shown():
            low, high = np.searchsorted(
                curve.times, (axis.seconds(box.left()), axis.seconds(box.right()))
            )
            values = curve.values[low:high]
            for number in np.flatnonzero((values <= top) & (values >= bottom)).tolist():
                time = float(curve.times[low + number])
                found.setdefault(curve.path, {}).setdefault(time, set()).add(curve.component)
        return found

    def handles(self) -> list[Handle]:
        """Handles of the chosen keys that have Bezier curves beside them, of what is seen."""
        axis, found = self._state.axis, []
        for curve in self.shown():
            chosen = np.flatnonzero(self.is_chosen(curve))
            seen = chosen[(curve.times[chosen] > axis.start) & (curve.times[chosen] < axis.end)]
            for number in seen[:200].tolist():
                before, after = handles_of(curve.track, number)
                known = curve.track.keys
                if before and known[number - 1].interpolation == "bezier":
                    offset = (before[0], before[curve.component + 1])
                    found.append(Handle(curve, number, "before", offset))
                if after and known[number].interpolation == "bezier":
                    offset = (after[0], after[curve.component + 1])
                    found.append(Handle(curve, number, "after", offset))
        return found

    def handle_place(self, handle: Handle) -> QPointF:
        """Where a handle lies."""
        curve, number = handle.curve, handle.number
        return self.place(
            float(curve.times[number]) + handle.offset[0],
            float(curve.values[number]) + handle.offset[1],
        )

    def handle_at(self, at: QPointF) -> Handle | None:
        """The handle at a place."""
        for handle in reversed(self.handles()):
            spot = self.handle_place(handle) - at
            if max(abs(spot.x()), abs(spot.y())) < _REACH:
                return handle
        return None

    def curve_at(self, at: QPointF) -> Curve | None:
        """The curve that passes a place."""
        seconds = self._state.axis.seconds(at.x())
        best, found = _REACH, None
        for curve in self.shown():
            away = abs(self.values.y(curve.track.at(seconds)[curve.component]) - at.y())
            if away < best:
                best, found = away, curve
        return found

    def frame(self, *, chosen: bool = False) -> None:
        """Show every curve, or the chosen keys, in time and value."""
        low, high, first, last = np.inf, -np.inf, np.inf, -np.inf
        for curve in self.shown():
            marked = self.is_chosen(curve) if chosen else np.ones(len(curve.times), bool)
            if not marked.any():
                continue
            values = curve.values[marked]
            low, high = min(low, float(values.min())), max(high, float(values.max()))
            first = min(first, float(curve.times[marked].min()))
            last = max(last, float(curve.times[marked].max()))
            if not chosen and 1 < len(curve.times) <= 500:
                bows = controls(curve.track, 0, len(curve.times) - 1)[:, :, curve.component + 1]
                # A cubic stays well inside the reach of its control points.
                bows = 0.7 * bows + 0.3 * bows[:, [0, 0, 3, 3]]
                low, high = min(low, float(bows.min())), max(high, float(bows.max()))
        if low <= high:
            self.values.show(low, high)
            if chosen:
                self._state.axis.show(first, last)
