"""The way of a keyed camera in three dimensions; its keys can be dragged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPen

from polyorama.errors import PolyoramaError
from polyorama.scene.contents import CameraRig
from polyorama.scene.properties_of import at_time
from polyorama.scene.rigs import rig_eye
from polyorama_studio.viewport.layers.layer import Layer
from polyorama_studio.viewport.readout import halo_pens, paint_readout
from polyorama_studio.viewport.space import meet_plane

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QMouseEvent, QPainter

    from polyorama.scene.document import Document
    from polyorama.scene.timeline import Track
    from polyorama_studio.viewport.pane import Pane

__all__ = ["PathLayer"]

_STEPS = 64
_GRAB = 9.0
_CAMERA_TRACKS = frozenset(
    {"eye", "target", "azimuth", "elevation", "distance", "travel", "translation", "rotation"}
)


@dataclass(frozen=True, slots=True, eq=False)
class _Key:
    """A key that can be dragged.

    Parameters
    ----------
    path, time
        Of the property and the key.
    place
        (3,) world.
    world
        (4, 4), from the property's space to the world.
    """

    path: str
    time: float
    place: NDArray[np.float64]
    world: NDArray[np.float64]

    @property
    def is_target(self) -> bool:
        return self.path.endswith("/target")


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """Where a camera goes, (n, 3) world at `times` (n,)."""

    times: NDArray[np.float64]
    eyes: NDArray[np.float64]
    chosen: bool


class PathLayer(Layer):
    """Shows where the camera goes."""

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self._kept: tuple[Document | None, list[_Way], list[_Key]] = (None, [], [])
        self._hot: tuple[str, float] | None = None
        self._held: _Key | None = None
        self._moved = False

    def _found(self) -> tuple[list[_Way], list[_Key]]:
        """Ways and keys of the document as it is edited, kept while it is the same."""
        document = self.session.editing.document
        if document is None:
            return [], []
        if document is not self._kept[0]:
            self._kept = (document, *_ways_and_keys(document))
        return self._kept[1], self._kept[2]

    def _at(self, pane: Pane, at: QPointF) -> _Key | None:
        best, nearest = None, _GRAB
        for key in self._found()[1]:
            seen = pane.space().point(key.place)
            if seen is not None:
                away = math.hypot(*(seen - at).toTuple())
                if away < nearest:
                    best, nearest = key, away
        return best

    def hover(self, pane: Pane, at: QPointF) -> bool:
        """Light up the key under the pointer."""
        if pane.stage.through:
            return False
        hit = self._at(pane, at)
        hot = None if hit is None else (hit.path, hit.time)
        if hot != self._hot:
            self._hot = hot
            pane.update()
        return hot is not None

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """Take hold of a key."""
        if pane.stage.through:
            return False
        self._held = self._at(pane, event.position())
        self._moved = False
        if self._held is not None:
            self.session.editing.begin(self.tr("Move a key"))
        return self._held is not None

    def drag(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Move it in the picture's plane."""
        key = self._held
        if key is None:
            return
        place = meet_plane(*pane.space().ray(at.x(), at.y()), key.place, pane.space().forward)
        if place is None:
            return
        if not self._moved:
            self._moved = True
            self.session.stage.hold()
        local = np.linalg.solve(key.world, [*place, 1.0])[:3]
        value = tuple(float(v) for v in local)
        self.session.editing.run("key", path=key.path, time=key.time, value=value)

    def release(self, pane: Pane) -> None:
        """Let go; a key that was only clicked is gone to."""
        self.session.editing.end()
        if self._moved:
            self.session.stage.release()
        elif self._held is not None:
            self.session.playback.seek(self._held.time)
        self._held = None

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """The ways, a mark for now, the keys."""
        if pane.stage.through:
            return
        ways, keys = self._found()
        space, tokens = pane.space(), self.session.theme.tokens
        for way in ways:
            color = tokens.color("accent")
            color.setAlphaF(1.0 if way.chosen else 0.6)
            halo, pen = halo_pens(pane, color, 1.5)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for line in space.polylines(way.eyes):
                for each in (halo, pen):
                    painter.setPen(each)
                    painter.drawPolyline(line)
            now = [np.interp(pane.stage.time, way.times, way.eyes[:, a]) for a in range(3)]
            at = space.point(now)
            if at is not None:
                painter.setPen(QPen(tokens.color("stage"), 1.5))
                painter.setBrush(tokens.color("accent"))
                painter.drawEllipse(at, 5.0, 5.0)
        for key in keys:
            self._paint_key(pane, painter, key)

    def _paint_key(self, pane: Pane, painter: QPainter, key: _Key) -> None:
        at = pane.space().point(key.place)
        if at is None:
            return
        tokens = self.session.theme.tokens
        hot = self._hot == (key.path, key.time)
        size = 6.5 if hot else 4.5
        fill = QColor(tokens.color("accent" if hot or not key.is_target else "overlay"))
        painter.setPen(QPen(tokens.color("stage"), 1.5))
        painter.setBrush(fill)
        painter.drawPolygon(
            [at + QPointF(0, -size), at + QPointF(size, 0), at + QPointF(0, size),
             at + QPointF(-size, 0)]
        )  # fmt: skip
        if hot:
            what = self.tr("target") if key.is_target else self.tr("eye")
            paint_readout(pane, painter, at, f"{key.time:.2f} s", what)


def _ways_and_keys(document: Document) -> tuple[list[_Way], list[_Key]]:
    tracks = document.timeline.tracks
    ways: list[_Way] = []
    keys: list[_Key] = []
    here = np.eye(4)
    for name in ("eye", "target"):
        track = tracks.get(f"view/{name}")
        if track is not None:
            keys += _keys(f"view/{name}", track, here)
            if name == "eye" and len(track.keys) > 1:
                times = _times((track,))
                ways.append(_Way(times, np.array([track.at(t) for t in times]), True))
    for node in document.nodes:
        if not isinstance(node.content, CameraRig):
            continue
        own = {name: tracks[f"{node.id}/{name}"] for name in _CAMERA_TRACKS
               if f"{node.id}/{name}" in tracks}  # fmt: skip
        if not own:
            continue
        world = document.world(node.id)
        for name in ("eye", "target"):
            if name in own and node.content.kind in ("free", "dolly"):
                keys += _keys(f"{node.id}/{name}", own[name], world)
        if max(len(track.keys) for track in own.values()) > 1:
            times = _times(tuple(own.values()))
            try:
                eyes = [rig_eye(at_time(document, t), node.id) for t in times]
            except PolyoramaError:
                continue  # it has no view at some time; frusta are left out as well
            ways.append(_Way(times, np.array(eyes), node.id in document.chosen))
    return ways, keys


def _keys(path: str, track: Track, world: NDArray[np.float64]) -> list[_Key]:
    return [
        _Key(path, key.time, world[:3, :3] @ np.asarray(key.value) + world[:3, 3], world)
        for key in track.keys
    ]


def _times(tracks: tuple[Track, ...]) -> NDArray[np.float64]:
    first = min(track.keys[0].time for track in tracks)
    last = max(track.keys[-1].time for track in tracks)
    at = [key.time for track in tracks for key in track.keys]
    return np.unique([*np.linspace(first, last, _STEPS), *at])
