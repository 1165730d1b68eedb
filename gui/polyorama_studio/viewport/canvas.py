"""A canvas: the pictures of one stage in a widget, with what lies over them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from polyorama_studio.guard import guarded, guards
from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.backdrop import paint_empty_stage
from polyorama_studio.viewport.captions import paint_camera_frame, paint_title
from polyorama_studio.viewport.cube import ViewCube
from polyorama_studio.viewport.space import Space
from polyorama_studio.viewport.wipe import Wipe

if TYPE_CHECKING:
    from polyorama.core.types import Camera
    from polyorama_studio.session import Session
    from polyorama_studio.stage import Stage
    from polyorama_studio.viewport.toolbox import Toolbox

__all__ = ["Canvas"]


@guards
class Canvas(QWidget):
    """Paints pictures, layers, the active tool's marks and captions.

    Parameters
    ----------
    session, stage
        What is shown; the session's own stage or one that follows it.
    toolbox
        Holds the layers and the active tool.
    """

    def __init__(
        self, session: Session, stage: Stage, toolbox: Toolbox, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.stage = stage
        self.toolbox = toolbox
        self.title = ""
        self.wipe = Wipe(self)
        self._space: tuple[object, Space] | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.cube = ViewCube(session, stage, self)
        stage.picture_ready.connect(self.on_picture)
        stage.marks_changed.connect(self.show_cube)
        session.theme.changed.connect(self.update)
        toolbox.subject.changed.connect(self.update)
        toolbox.layers.changed.connect(self.on_layers)
        toolbox.camera_lock.changed.connect(self.update)
        self.on_layers()

    # What it shows

    def seen_camera(self, width: int, height: int) -> Camera:
        """The camera of the picture that is shown, in another size.

        Not the present one, which may be a picture ahead: what is drawn over and pointed at is
        what is seen.
        """
        picture = self.stage.picture
        if picture is None:
            return self.stage.camera(width, height)
        return picture.request.camera.resized(width, height)

    def space(self) -> Space:
        """The view that is shown, in logical pixels."""
        picture = self.stage.picture
        width, height = max(1, self.width()), max(1, self.height())
        shown = self.stage.view if picture is None else picture.request.camera
        key = (shown, width, height)
        if self._space is None or self._space[0] != key:
            self._space = (key, Space(self.seen_camera(width, height)))
        return self._space[1]

    @Slot(object)
    def on_picture(self, picture: object) -> None:
        """A picture came."""
        self.update()

    @Slot()
    def on_layers(self) -> None:
        """Other layers are shown."""
        self.show_cube()
        self.update()

    @Slot()
    def show_cube(self) -> None:
        """Show the view cube where it is wanted, never on the stage."""
        wanted = "cube" in self.toolbox.layers.shown and not self.stage.bare
        self.cube.setVisible(wanted and self.stage.document is not None)

    def place_cube(self, top: int) -> None:
        """Put the view cube at the right, so far from the top."""
        self.cube.move(self.width() - self.cube.width() - Metrics.space[1], top)

    def paint_picture(self, painter: QPainter) -> bool:
        """The stage's picture; tells whether there is one."""
        picture = self.stage.picture
        if picture is None or picture.image is None:
            paint_empty_stage(painter, QRectF(self.rect()), self.session.theme.tokens)
            return False
        exact = (picture.image.width(), picture.image.height()) == self.pixels()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not exact)
        area = on_pixels(painter, picture.image) if exact else QRectF(self.rect())
        painter.drawImage(area, picture.image)
        self.wipe.paint_picture(painter)
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture, then what lies over it."""
        painter = QPainter(self)
        if self.paint_picture(painter) and self.stage.document is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.paint_over(painter)
        painter.end()

    @guarded
    def paint_over(self, painter: QPainter) -> None:
        """What lies over the picture; on the stage nothing."""
        if self.stage.bare:
            return
        for layer in self.toolbox.layers.painted():
            layer.paint(self, painter)
        self.toolbox.active.paint(self, painter)
        self.wipe.paint(painter)
        if self.stage.through:
            paint_camera_frame(self, painter)
        if self.title:
            paint_title(self, painter)

    # Size

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture of the new size."""
        self.tell_size()

    def pixels(self) -> tuple[int, int]:
        """Width and height in device pixels, of which a fractional scale gives no two alike.

        How many there are between two edges depends on where in the window these lie.
        """
        ratio, corner = self.devicePixelRatioF(), self.mapTo(self.window(), QPoint(0, 0))
        width = _nearest((corner.x() + self.width()) * ratio) - _nearest(corner.x() * ratio)
        height = _nearest((corner.y() + self.height()) * ratio) - _nearest(corner.y() * ratio)
        return width, height

    def tell_size(self) -> None:
        """Tell the stage how large a picture is wanted."""
        self.stage.set_size(*self.pixels())


def _nearest(value: float) -> int:
    # As Qt rounds; Python takes halves to the even neighbour.
    return math.floor(value + 0.5)


def on_pixels(painter: QPainter, image: QImage) -> QRectF:
    """Where an image lies pixel upon pixel: the widget may begin between two of them."""
    to_device = painter.deviceTransform()
    corner = to_device.map(QPointF(0.0, 0.0))
    pixels = QRectF(_nearest(corner.x()), _nearest(corner.y()), image.width(), image.height())
    to_logical, _ = to_device.inverted()
    return to_logical.mapRect(pixels)
