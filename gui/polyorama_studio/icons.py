"""The studio's own icons: SVG files of `polyorama_assets`, tinted with a token."""

from __future__ import annotations

import logging
from functools import cache
from importlib import resources

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from polyorama_studio.guard import guards

__all__ = ["icon", "paint_icon", "svg_source"]

_PLACEHOLDER = "currentColor"
_EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"/>'
log = logging.getLogger(__name__)


@cache
def _raw(name: str) -> str:
    # Icons are asked for while Qt paints, where an error would end the program.
    try:
        return (resources.files("polyorama_assets") / "icons" / f"{name}.svg").read_text("utf-8")
    except OSError as error:
        log.error("There is no icon %s: %s", name, error)
        return _EMPTY


def svg_source(name: str, color: str) -> str:
    """The SVG text of an icon, drawn in `color` (#RRGGBB)."""
    return _raw(name).replace(_PLACEHOLDER, color)


@cache
def _renderer(name: str, color: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(svg_source(name, color).encode()))


def paint_icon(painter: QPainter, name: str, color: QColor, rect: QRectF) -> None:
    """Draw an icon into a rectangle, in logical pixels."""
    renderer = _renderer(name, color.name())
    painter.save()
    painter.setOpacity(painter.opacity() * color.alphaF())
    renderer.render(painter, rect)
    painter.restore()


@guards
class _SvgEngine(QIconEngine):
    """Draws the SVG at whatever size and pixel ratio is asked for, so icons are always sharp."""

    def __init__(self, name: str, color: QColor, disabled: QColor) -> None:
        super().__init__()
        self._name = name
        self._color = color
        self._disabled = disabled

    def paint(self, painter: QPainter, rect, mode: QIcon.Mode, state: QIcon.State) -> None:
        color = self._disabled if mode == QIcon.Mode.Disabled else self._color
        paint_icon(painter, self._name, color, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.paint(painter, pixmap.rect(), mode, state)
        finally:
            painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _SvgEngine(self._name, self._color, self._disabled)


def icon(name: str, color: QColor, disabled: QColor | None = None) -> QIcon:
    """An icon in `color`; `disabled` is its colour while its action cannot run."""
    return QIcon(_SvgEngine(name, color, disabled or color))
