"""Selecting by a sphere or a box that is placed in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtGui import QColor, QCursor

from polyorama.scene.placement import placement_of
from polyorama.scene.rotations import rotation_about
from polyorama_studio.viewport.cursors import selection_cursor
from polyorama_studio.viewport.gizmo import Gizmo, Handle
from polyorama_studio.viewport.readout import paint_readout, with_unit
from polyorama_studio.viewport.space import length_along, meet_plane
from polyorama_studio.viewport.subject import Held
from polyorama_studio.viewport.tools.movers import turned
from polyorama_studio.viewport.tools.outlines import SIGNS
from polyorama_studio.viewport.tools.tool import Tool, modifier_names
from polyorama_studio.viewport.volume import Grip, Volume

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter

    from polyorama.scene.regions import Region
    from polyorama_studio.viewport.pane import Pane

__all__ = ["BoxTool", "SphereTool", "VolumeTool"]

_ARMS = (*(Handle("axis", a) for a in range(3)), Handle("view"))
_RINGS = tuple(Handle("ring", a) for a in range(3))
_GIZMO = 0.62
"""Smaller than other gizmos, so that the volume's grips lie outside it."""
_FIRST_PIXELS = 70.0
"""Radius that a click without a drag gives a volume."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("tools", text)


class VolumeTool(Tool):
    """A drag places a volume on what is seen; then it is moved, resized, and picks with Enter."""

    options = frozenset({"mode", "turning"})
    shape: ClassVar[str] = ""

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self.volume: Volume | None = None
        self._what: Handle | Grip | str | None = None
        self._hot: Handle | Grip | None = None
        self._from = self._before = QPointF()
        self._base: Volume | None = None
        self._angle = 0.0
        self.mode = "set"

    def hint(self) -> str:
        """One line on how it is used."""
        if self.volume is None:
            return _tr("Drag from the middle of what you want outwards")
        return _tr("Enter selects, with Shift adds, with Ctrl removes; Escape takes it away")

    @property
    def busy(self) -> bool:
        """Whether a volume stands."""
        return self.volume is not None

    def cancel(self) -> None:
        """Take the volume away."""
        self.volume = self._what = self._hot = None
        self.toolbox.tally.clear()
        self.toolbox.options_changed.emit()

    def region(self) -> Region | None:
        """The volume as a region."""
        from polyorama.scene.regions import Region

        if self.volume is None:
            return None
        center, rotation, size = placement_of(self.volume.matrix)
        if self.shape == "sphere":
            return Region(kind="sphere", center=center, radius=size[0] / 2.0)
        return Region(kind="box", center=center, rotation=rotation, size=size)

    def _count(self) -> None:
        region = self.region()
        if region is not None:
            self.toolbox.tally.ask(region)

    def _gizmo(self, pane: Pane) -> Gizmo | None:
        if self.volume is None:
            return None
        axes = (self.volume.matrix[:3, :3] / np.linalg.norm(self.volume.matrix[:3, :3], axis=0)).T
        turning = self.toolbox.options.turning and self.shape == "box"
        held = Held(self.volume.center, axes)
        return Gizmo(pane.space(), held, _RINGS if turning else _ARMS, size=_GIZMO)

    # The pointer

    def hover(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Light up what would be grabbed."""
        hot = self._hit(pane, at)
        if hot != self._hot:
            self._hot = hot
            pane.update()

    def _hit(self, pane: Pane, at: QPointF) -> Handle | Grip | None:
        if self.volume is None:
            return None
        gizmo = self._gizmo(pane)
        grip = self.volume.hit(pane.space(), at)
        return grip if grip is not None or gizmo is None else gizmo.hit(at)

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """Grab a grip or a handle, or place another volume."""
        at = event.position()
        self._from = self._before = at
        self._angle = 0.0
        self.mode = self.toolbox.mode_of(*modifier_names(event.modifiers()))
        self._what = self._hit(pane, at)
        if self._what is None:
            if self.volume is not None:
                return False  # the view turns; Escape takes the volume away
            self._place(pane, at)
        self._base = self.volume
        return self.volume is not None

    def _place(self, pane: Pane, at: QPointF) -> None:
        space = pane.space()
        center = pane.navigator.surface_point(at)
        if center is None:
            target = np.asarray(pane.stage.view.target)
            center = space.at_depth(at.x(), at.y(), space.depth_of(target))
        size = 2.0 * _FIRST_PIXELS * space.unit_at(center)
        self.volume = Volume(self.shape, _matrix(self._axes(pane), center, np.full(3, size)))
        self._what = "new"
        self._count()
        self.toolbox.options_changed.emit()

    def _axes(self, pane: Pane) -> NDArray[np.float64]:
        """Unit directions of a new volume, as columns: the floor's, so that boxes stand on it."""
        ground = self.toolbox.layers.ground
        if ground is None:
            return np.eye(3)
        first, second, up = ground.frame
        # A right-handed set in the order of the world's axes, as near to them as the floor allows.
        columns = np.zeros((3, 3))
        columns[:, ground.names[0]], columns[:, ground.names[1]] = first, second
        rest = 3 - sum(ground.names)
        columns[:, rest] = up * (1.0 if up[rest] >= 0.0 else -1.0)
        if np.linalg.det(columns) < 0.0:
            columns[:, ground.names[1]] *= -1.0
        return columns

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """Resize, move or turn it."""
        base, at, space = self._base, event.position(), pane.space()
        if base is None:
            return
        if self._what == "new":
            away = np.hypot(at.x() - self._from.x(), at.y() - self._from.y())
            if away > 3.0:
                size = 2.0 * away * space.unit_at(base.center)
                self.volume = Volume(
                    self.shape, _matrix(_directions(base.matrix), base.center, np.full(3, size))
                )
        elif isinstance(self._what, Handle):
            self.volume = self._moved(self._what, base, pane, at)
        elif self._what is not None and not isinstance(self._what, str):
            both = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            self.volume = base.dragged(self._what, space, self._from, at, both=both)
        self._count()
        pane.update()

    def _moved(self, handle: Handle, base: Volume, pane: Pane, at: QPointF) -> Volume:
        space, matrix = pane.space(), base.matrix.copy()
        rays = [space.ray(p.x(), p.y()) for p in (self._from, at)]
        if handle.kind == "ring":
            axis = _directions(matrix)[:, handle.axis]
            self._angle += turned(space, base.center, axis, self._before, at)
            self._before = at
            matrix[:3, :3] = rotation_about(axis, self._angle) @ matrix[:3, :3]
        elif handle.kind == "axis":
            axis = _directions(matrix)[:, handle.axis]
            ends = [length_along(*ray, base.center, axis) for ray in rays]
            if ends[0] is not None and ends[1] is not None:
                matrix[:3, 3] += (ends[1] - ends[0]) * axis
        else:
            places = [meet_plane(*ray, base.center, space.forward) for ray in rays]
            if places[0] is not None and places[1] is not None:
                matrix[:3, 3] += places[1] - places[0]
        return Volume(self.shape, matrix)

    def release(self, pane: Pane, event: QMouseEvent) -> None:
        """Let go; the volume stays."""
        self._what = self._base = None

    def double_click(self, pane: Pane, event: QMouseEvent) -> bool:
        """Pick."""
        if self.volume is None:
            return False
        self._pick(event.modifiers())
        return True

    def wants(self, key: int, modifiers: Qt.KeyboardModifier) -> bool:
        """Enter, while a volume stands."""
        return self.busy and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)

    def key(self, pane: Pane, event: QKeyEvent) -> bool:
        """Pick."""
        if not self.wants(event.key(), event.modifiers()):
            return False
        self._pick(event.modifiers())
        return True

    def _pick(self, modifiers: Qt.KeyboardModifier) -> None:
        region = self.region()
        if region is not None:
            self.toolbox.pick(region, self.toolbox.mode_of(*modifier_names(modifiers)))

    def cursor(self, pane: Pane, modifiers: Qt.KeyboardModifier) -> QCursor:
        """A cross, or a hand over what can be grabbed."""
        if self._hot is not None or self._what is not None:
            return QCursor(Qt.CursorShape.PointingHandCursor)
        if self.volume is not None:
            return QCursor(Qt.CursorShape.ArrowCursor)
        return selection_cursor(pane, self.toolbox.mode_of(*modifier_names(modifiers)))

    # Painting

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """The volume, its gizmo and the count."""
        volume = self.volume
        if volume is None:
            return
        space = pane.space()
        fill = QColor(pane.session.theme.tokens.color("accent"))
        fill.setAlphaF(0.10)
        if volume.shape == "sphere":
            edge = [line for points, main in volume.lines(space) if main
                    for line in space.polylines(points)]  # fmt: skip
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            for line in edge:
                painter.drawPolygon(line)
        grip = self._hot if not isinstance(self._hot, Handle) else None
        volume.paint(pane, painter, active=True, hot=grip)
        gizmo = self._gizmo(pane)
        if gizmo is not None and self._what != "new":
            hot = self._hot if isinstance(self._hot, Handle) else None
            gizmo.paint(pane, painter, hot, None)
        count = self.toolbox.tally.count
        at = self._card_place(pane)
        if count is not None and at is not None:
            size = np.linalg.norm(volume.matrix[:3, :3], axis=0)
            lengths = (
                f"{size[0] / 2.0:.3g}"
                if self.shape == "sphere"
                else " \N{MULTIPLICATION SIGN} ".join(f"{v:.3g}" for v in size)
            )
            words = _tr("radius {0}") if self.shape == "sphere" else "{0}"
            sign = SIGNS[self.toolbox.options.mode]
            paint_readout(
                pane, painter, at, _tr("{0} splats").format(f"{sign}{count:,}"),
                words.format(with_unit(pane, lengths)),
            )  # fmt: skip

    def _card_place(self, pane: Pane) -> QPointF | None:
        """Right of the volume."""
        assert self.volume is not None
        found = [pane.space().point(place) for _, place in self.volume.grips()]
        seen = [p for p in found if p is not None]
        if not seen:
            return None
        rightmost = max(p.x() for p in seen)
        middle = pane.space().point(self.volume.center)
        return QPointF(rightmost + 10.0, middle.y() if middle is not None else seen[0].y())


class SphereTool(VolumeTool):
    """A ball."""

    id, shape = "sphere", "sphere"
    options = frozenset({"mode"})


class BoxTool(VolumeTool):
    """A box that can be turned."""

    id, shape = "box", "box"


def _directions(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit directions of a volume's sides, as columns."""
    return matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)


def _matrix(
    axes: NDArray[np.float64], center: NDArray[np.float64], size: NDArray[np.float64]
) -> NDArray[np.float64]:
    matrix = np.eye(4)
    matrix[:3, :3] = axes * size
    matrix[:3, 3] = center
    return matrix
