"""What the grid says where it has nothing to show: an invitation, or why there is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QTextOption

from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from polyorama_studio.theme import Tokens
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["empty_words", "paint_empty"]


def _tr(text: str) -> str:
    return QCoreApplication.translate("shapes", text)


def empty_words(shelf: Shelf) -> tuple[str, str, str]:
    """Icon, one line and a quiet one below it."""
    if shelf.error:
        return "warning", _tr("The library cannot be opened"), shelf.error
    if not shelf.ready or (shelf.searching and not shelf.overview.count):
        return "search", _tr("Looking at the library"), ""
    if not shelf.overview.folders:
        words = _tr("Drop it here, or choose one. Files stay where they are; changes are noticed.")
        return "folder", _tr("Add a folder of models, then type what you look for"), words
    if shelf.indexing is not None and not shelf.overview.count:
        return "folder", _tr("Looking at your models"), _tr("The first ones come in a moment.")
    if not shelf.overview.count:
        words = _tr("Meshes and splat captures are found in folders and those below them.")
        return "folder", _tr("There are no models in these folders"), words
    if shelf.question.collection and not shelf.question.query().asks:
        words = _tr("Drag shapes onto its name at the left.")
        return "layers", _tr("This collection is empty"), words
    return "search", _tr("Nothing matches"), _tr("Try fewer filters, or other words.")


def paint_empty(painter: QPainter, room: QRectF, tokens: Tokens, shelf: Shelf) -> None:
    """Paint it in the middle of a room."""
    name, title, words = empty_words(shelf)
    side = float(Metrics.mark)
    middle = room.center()
    top = middle.y() - side - Metrics.space[4]
    place = QRectF(middle.x() - side / 2.0, top, side, side)
    paint_icon(painter, name, tokens.color("line"), place)
    wide = min(room.width() - 2.0 * Metrics.space[4], float(Metrics.start_width))
    line = QRectF(middle.x() - wide / 2.0, middle.y(), wide, 2.0 * Metrics.start)
    painter.setFont(font(Metrics.start))
    painter.setPen(tokens.color("text"))
    wrapped = QTextOption(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
    painter.drawText(line, title, wrapped)
    painter.setFont(font(Metrics.body))
    painter.setPen(tokens.color("quiet"))
    below = QRectF(line.left(), line.top() + 1.7 * Metrics.start, wide, 3.0 * Metrics.row)
    painter.drawText(below, words, wrapped)
