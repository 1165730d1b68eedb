"""Pictures in space: Gaussians that the engine draws beside the GUI thread, turned by the mouse."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

from polyorama.lab.views import Dots, Ellipses, Points, Segments
from polyorama_studio.guard import guards
from polyorama_studio.jobs import Handlers, explain
from polyorama_studio.workspaces.lab.views.base import Entry, ViewWidget, array_of
from polyorama_studio.workspaces.lab.views.scales import Following, axis_words, said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent

    from polyorama.lab import look as engine_look
    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.space import Orbit, Scene
    from polyorama.lab.views import Axis, Layer, Splats
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History
    from polyorama_studio.workspaces.lab.views.base import Submit
    from polyorama_studio.workspaces.lab.views.look import Look

__all__ = ["SpaceView"]

_TRAIL = 12
"""Earlier moments that a trail shows."""
_DEGREES = 0.4
"""A logical pixel of a drag."""
_NEARER = 0.88
"""A notch of the wheel."""
_NEAREST, _FARTHEST = 0.15, 5.0
_CLOSE = 0.95
"""Where a box of axes fills the height, as a factor of the distance that is surely enough."""
_AIM_S = 0.022
"""What one picture of a moving scene may take."""
_COARSEST = 0.35
_STILL_MS = 150
"""After so long without another moment the picture is drawn as fine as the screen is."""


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    """All that a picture follows from, so that another thread can draw it."""

    view: Points | Splats
    snapshot: Snapshot
    look: engine_look.Look
    rivals: Mapping[str, int]
    trail: tuple[Snapshot, ...]
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]] | None
    orbit: Orbit
    size: tuple[int, int]
    background: tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """A picture and what it was made of.

    Parameters
    ----------
    seconds
        What it took.
    """

    wanted: _Wanted
    scene: Scene
    image: QImage
    seconds: float


def _drawn(wanted: _Wanted, scene: Scene | None = None) -> _Drawn:
    """Draw; for worker threads. A scene that was made before is only seen from elsewhere."""
    from polyorama.lab.space import scene_of

    began = time.perf_counter()
    if scene is None:
        scene = scene_of(
            wanted.view, wanted.snapshot, look=wanted.look, rivals=wanted.rivals,
            trail=wanted.trail, bounds=wanted.bounds,
        )  # fmt: skip
    frame = scene.draw(wanted.orbit, wanted.size, background=wanted.background)
    assert frame.rgba8 is not None
    pixels = np.ascontiguousarray(frame.rgba8)
    high, wide = pixels.shape[:2]
    # The copy owns its memory; the view of the array does not.
    image = QImage(pixels.data, wide, high, 4 * wide, QImage.Format.Format_RGBA8888).copy()
    return _Drawn(wanted, scene, image, time.perf_counter() - began)


@guards
class _Window(QWidget):
    """Shows the picture; a drag turns it, the wheel comes nearer."""

    def __init__(self, view: SpaceView) -> None:
        super().__init__(view)
        self._view = view
        self._from: QPointF | None = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture and the words at its axes."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._view.paint(painter, QRectF(self.rect()))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw it in the new size."""
        super().resizeEvent(event)
        self._view.redraw()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._from = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Turn."""
        if self._from is not None:
            way = event.position() - self._from
            self._from = event.position()
            self._view.turn(-_DEGREES * way.x(), _DEGREES * way.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self._from = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Left to whoever holds this picture."""
        event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Nearer or farther."""
        self._view.come_nearer(event.angleDelta().y() / 120.0)
        event.accept()


class SpaceView(ViewWidget):
    """Draws `Points` with a third axis, and `Splats`.

    Pictures are latest-wins: while one is drawn, the newest moment waits, those between are left
    out. While moments follow each other the picture is as fine as the machine can do in time.
    """

    view: Points | Splats

    def __init__(
        self, view: Points | Splats, theme: Theme, rivals: Mapping[str, int],
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        from polyorama.lab.space import Orbit

        self.orbit = Orbit(distance=_CLOSE) if isinstance(view, Points) else Orbit(0.0, 0.0)
        self._axes: tuple[Axis, ...] = ()
        self._layers: tuple[Layer, ...] = ()
        if isinstance(view, Points):
            assert view.z is not None
            self._axes, self._layers = (view.x, view.y, view.z), view.layers
        self._there = (False,) * len(self._layers)
        self._spans = [Following(axis) for axis in self._axes]
        trailing = any(isinstance(layer, Dots) and layer.trail for layer in self._layers)
        self._trail: deque[Snapshot] = deque(maxlen=_TRAIL if trailing else 0)
        self.picture: _Drawn | None = None
        self._scene_of: _Wanted | None = None
        self._submit: Submit | None = None
        self._drawing = self._again = False
        self._coarse = 1.0
        self._trouble = ""
        super().__init__(view, theme, rivals, parent)
        self._still = QTimer(self)
        self._still.setSingleShot(True)
        self._still.setInterval(_STILL_MS)
        self._still.timeout.connect(self.redraw)
        self._breath = QTimer(self)
        self._breath.setSingleShot(True)
        self._breath.timeout.connect(self._draw_again)

    def make_body(self) -> QWidget:
        """The window into space."""
        self.pane = _Window(self)
        return self.pane

    def set_worker(self, submit: Submit) -> None:
        """Draw on another thread."""
        self._submit = submit

    def legend(self) -> list[Entry]:
        """The layers that are there and have a name."""
        found = []
        for number, (layer, there) in enumerate(zip(self._layers, self._there, strict=True)):
            if there and layer.title:
                mark = "dot" if isinstance(layer, Dots) else "line"
                mark = "ring" if isinstance(layer, Ellipses) else mark
                color = self.look.color(layer.rival, number)
                pen = QPen(color, self.look.stroke if isinstance(layer, Segments) else 1.0)
                found.append(Entry(layer.title, pen, mark))
        return found

    @property
    def rests(self) -> bool:
        """Whether the newest moment is shown, as fine as the screen is."""
        return not (self._drawing or self._again or self._still.isActive())

    # What is drawn

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Let the axes hold the moment, and draw it."""
        if self._trail.maxlen:
            if self._trail and snapshot.step <= self._trail[-1].step:
                self._trail.clear()
            self._trail.append(snapshot)
        self._fit(snapshot)
        self._still.start()
        if self._breath.isActive():
            self._again = True
        else:
            self._draw()

    def _fit(self, snapshot: Snapshot) -> None:
        arrays = [array_of(snapshot, layer.key) for layer in self._layers]
        there = tuple(array is not None for array in arrays)
        if there != self._there:
            self._there = there
            self.legend_changed()
        flat = [a.reshape(-1, 3) for a in arrays if a is not None and a.shape[-1] == 3]
        radius = getattr(self.view, "sphere", 0.0)
        if radius > 0.0:
            flat.append(np.array([[-radius] * 3, [radius] * 3]))
        if not flat:
            return
        together = np.concatenate(flat)
        for number, span in enumerate(self._spans):
            values = together[np.isfinite(together[:, number]), number]
            if len(values):
                span.fit(float(values.min()), float(values.max()))

    def dress(self) -> None:
        """Other colours or sizes."""
        self._scene_of = None

    @Slot()
    def redraw(self) -> None:
        """Draw again, as fine as the screen is."""
        self._draw()

    def turn(self, azimuth: float, elevation: float) -> None:
        """See it from elsewhere; degrees more."""
        up = min(89.0, max(-89.0, self.orbit.elevation + elevation))
        self.orbit = replace(self.orbit, azimuth=self.orbit.azimuth + azimuth, elevation=up)
        self._still.start()
        self._draw()

    def come_nearer(self, notches: float) -> None:
        """By so many notches of the wheel."""
        distance = self.orbit.distance * _NEARER**notches
        self.orbit = replace(self.orbit, distance=min(_FARTHEST, max(_NEAREST, distance)))
        self._still.start()
        self._draw()

    def _wanted(self) -> _Wanted | None:
        snapshot, pane = self.snapshot, self.pane
        if snapshot is None or pane.width() < 8 or pane.height() < 8:
            return None
        ratio = self.devicePixelRatioF() * (self._coarse if self._moving else 1.0)
        size = (max(8, round(pane.width() * ratio)), max(8, round(pane.height() * ratio)))
        bounds = None
        if self._spans:
            ends = np.array([span.ends for span in self._spans], np.float64)
            bounds = (ends[:, 0], ends[:, 1])
        ground = self.look.ground
        return _Wanted(
            self.view, snapshot, _engine_look(self.look), self.look.rivals,
            tuple(self._trail)[:-1], bounds, self.orbit, size,
            (ground.redF(), ground.greenF(), ground.blueF()),
        )  # fmt: skip

    @property
    def _moving(self) -> bool:
        return self._submit is not None and self._still.isActive()

    def _draw(self) -> None:
        if self._drawing:
            self._again = True
            return
        wanted = self._wanted()
        if wanted is None:
            return
        same = self._scene_of
        known = same is not None and same.snapshot is wanted.snapshot and self.picture is not None
        scene = self.picture.scene if known and self.picture is not None else None
        self._scene_of = wanted
        if self._submit is None:
            self._on_drawn(_drawn(wanted, scene))
            return
        self._drawing = True
        handlers = Handlers(self._on_drawn, self._on_failed, _nothing)
        self._submit(partial(_drawn, wanted, scene), handlers, "draw in space")

    def _on_drawn(self, picture: _Drawn) -> None:
        self._drawing, self._trouble = False, ""
        if self._moving:
            factor = math.sqrt(_AIM_S / max(picture.seconds, 1e-4))
            self._coarse = min(1.0, max(_COARSEST, self._coarse * min(1.15, max(0.6, factor))))
        self.picture = picture
        self.pane.update()
        if self._again and self._moving:
            # Half the time is left to the other pictures, and to what is computed.
            self._breath.start(round(1000.0 * picture.seconds))
        else:
            self._draw_again()

    @Slot()
    def _draw_again(self) -> None:
        if self._again:
            self._again = False
            self._draw()

    def _on_failed(self, error: BaseException) -> None:
        self._drawing = self._again = False
        self._trouble = explain(error)
        self.pane.update()

    # Painting

    def paint(self, painter: QPainter, box: QRectF) -> None:
        """The picture; beside its edges what the axes are."""
        painter.fillRect(box, self.look.ground)
        if self._trouble:
            painter.setFont(self.look.label)
            painter.setPen(self.look.tokens.color("quiet"))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(box, flags, self._trouble)
            return
        if self.picture is None:
            painter.setFont(self.look.label)
            painter.setPen(self.look.tokens.color("quiet"))
            words = self.tr("Preparing the renderer") if self._drawing else ""
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
            return
        painter.drawImage(box, self.picture.image)
        if self._axes:
            self._paint_words(painter, box)

    def _paint_words(self, painter: QPainter, box: QRectF) -> None:
        """Each axis's title and ends at the middle of an edge of the box, away from its middle."""
        assert self.picture is not None
        scene, orbit = self.picture.scene, self.picture.wanted.orbit
        size = (max(1, round(box.width())), max(1, round(box.height())))
        low, high = scene.low, scene.high
        middle = 0.5 * (low + high)
        turn = math.radians(orbit.azimuth)
        # Of the ends of the first two axes, those that are nearer to the eye.
        x = low[0] if math.sin(turn) <= 0.0 else high[0]
        y, far = (low[1], high[1]) if math.cos(turn) >= 0.0 else (high[1], low[1])
        places = np.array(
            [(middle[0], y, low[2]), (x, middle[1], low[2]), (x, far, middle[2]), middle]
        )
        at = scene.project(places, orbit, size)[:, :2]
        metrics = QFontMetricsF(self.look.numbers)
        painter.setFont(self.look.numbers)
        painter.setPen(self.look.tokens.color("quiet"))
        for number, axis in enumerate(self._axes):
            away = at[number] - at[3]
            away /= max(float(np.linalg.norm(away)), 1e-9)
            title, unit = axis_words(axis)
            ends = f"{said(low[number], 2)} to {said(high[number], 2)}"
            text = "  ".join(filter(None, (title, f"{ends} {unit}".rstrip())))
            wide = metrics.horizontalAdvance(text)
            x, y = at[number] + (0.7 * metrics.height() + 0.5 * wide * abs(away[0])) * away
            left = min(max(x - 0.5 * wide, 0.0), max(box.width() - wide, 0.0))
            base = min(max(y + 0.36 * metrics.ascent(), metrics.ascent()), box.height() - 2.0)
            painter.drawText(QPointF(left, base), text)


def _engine_look(look: Look) -> engine_look.Look:
    """The engine's colours with those of the house, or of the hall."""
    from polyorama.lab.look import look_of

    tokens = look.tokens
    own = look_of("light" if tokens.name == "light" else "dark")
    series = tuple(tokens.color(f"series{n}").name() for n in range(1, len(own.series) + 1))
    return replace(own, quiet=tokens.color("quiet").name(), series=series)


def _nothing(progress: object) -> None:
    """It takes no steps."""
