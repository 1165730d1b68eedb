"""A shape in the grid, painted: its picture, its name, how well it matches, what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.workspaces.shapes.shelf import title_of

if TYPE_CHECKING:
    from PySide6.QtGui import QPixmap

    from polyorama.shapes.library.asset import Asset
    from polyorama_studio.theme import Tokens

__all__ = ["CellState", "badge_of", "count_text", "paint_cell", "picture_box"]


@dataclass(frozen=True, slots=True)
class CellState:
    """How a cell stands.

    Parameters
    ----------
    chosen, current, hovered, focused
        Whether it is chosen, has the keys, is under the pointer; whether the grid has the focus.
    score
        0..1 of the best one's, or None where nothing ranked.
    view
        Number of the view that matched best, from 1; 0 where that is not known.
    copies
        How many near-duplicates it stands for, itself counted.
    turn
        0..1, how far round it is turned; below 0 where it is still.
    """

    chosen: bool = False
    current: bool = False
    hovered: bool = False
    focused: bool = False
    score: float | None = None
    view: int = 0
    copies: int = 1
    turn: float = -1.0


def _tr(text: str) -> str:
    return QCoreApplication.translate("shapes", text)


def count_text(count: int) -> str:
    """A number in the room of a badge: ``950``, ``12 k``, ``3.4 M``."""
    if count < 10_000:
        return f"{count:,}"
    if count < 1_000_000:
        return f"{count / 1000:.0f} k"
    return f"{count / 1_000_000:.1f} M"


def badge_of(asset: Asset) -> str:
    """What a shape is made of, shortly."""
    if asset.kind == "splats":
        return _tr("{0} splats").format(count_text(asset.splats or 0))
    return _tr("{0} polygons").format(count_text(asset.polygons or 0))


def picture_box(cell: QRectF) -> QRectF:
    """Where the picture lies in a cell: a square above the name."""
    return QRectF(cell.left(), cell.top(), cell.width(), cell.width())


def paint_cell(
    painter: QPainter, cell: QRectF, tokens: Tokens, asset: Asset | None, pixmap: QPixmap | None,
    state: CellState,
) -> None:  # fmt: skip
    """Paint a cell; without an asset, the quiet place where one will be."""
    box = picture_box(cell).adjusted(0.5, 0.5, -0.5, -0.5)
    path = QPainterPath()
    path.addRoundedRect(box, Metrics.card_corner, Metrics.card_corner)
    painter.fillPath(path, tokens.color("raised" if state.hovered or state.chosen else "panel"))
    if pixmap is not None:
        edge = Metrics.space[0]
        painter.drawPixmap(box.adjusted(edge, edge, -edge, -edge).toRect(), pixmap)
    elif asset is not None:
        _paint_missing(painter, box, tokens)
    if state.hovered and asset is not None:
        _paint_badges(painter, box, tokens, asset)
    if state.copies > 1:
        _paint_pill(painter, box, tokens, f"\N{MULTIPLICATION SIGN}{state.copies}", right=True)
    if state.turn >= 0.0:
        _paint_turn(painter, box, tokens, state.turn)
    _paint_edge(painter, path, tokens, state)
    if asset is not None:
        _paint_words(painter, cell, tokens, asset, state)


def _paint_missing(painter: QPainter, box: QRectF, tokens: Tokens) -> None:
    side = float(Metrics.mark) / 2.0
    place = QRectF(0.0, 0.0, side, side)
    place.moveCenter(box.center())
    paint_icon(painter, "mesh", tokens.color("line"), place)


def _paint_edge(painter: QPainter, path: QPainterPath, tokens: Tokens, state: CellState) -> None:
    if not (state.chosen or state.current or state.hovered):
        return
    wide = Metrics.hair if state.chosen else 1.0
    color = "accent" if state.chosen or (state.current and state.focused) else "line"
    painter.setPen(QPen(tokens.color(color), wide))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)


def _paint_pill(
    painter: QPainter, box: QRectF, tokens: Tokens, text: str, *, right: bool = False, row: int = 0
) -> None:
    painter.setFont(font(Metrics.small, tabular=True))
    metrics = painter.fontMetrics()
    gap = float(Metrics.space[1])
    room = box.width() - 2.0 * gap
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(room - gap))
    wide, high = metrics.horizontalAdvance(shown) + gap, metrics.height() + Metrics.hair
    top = box.top() + gap + row * (high + Metrics.hair)
    left = box.right() - gap - wide if right else box.left() + gap
    place = QRectF(left, top, wide, high)
    ground = tokens.color("panel")
    ground.setAlphaF(0.86)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(place, Metrics.corner, Metrics.corner)
    painter.setPen(tokens.color("text"))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)


def _paint_badges(painter: QPainter, box: QRectF, tokens: Tokens, asset: Asset) -> None:
    _paint_pill(painter, box, tokens, badge_of(asset))
    if asset.licence:
        _paint_pill(painter, box, tokens, asset.licence, row=1)


def _paint_turn(painter: QPainter, box: QRectF, tokens: Tokens, turn: float) -> None:
    """How far round it is turned: a short bar on a line at the foot of the picture."""
    gap = float(Metrics.space[1])
    line = QRectF(box.left() + gap, box.bottom() - gap, box.width() - 2.0 * gap, Metrics.hair)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.color("line"))
    painter.drawRoundedRect(line, 1.0, 1.0)
    wide = line.width() / 8.0
    painter.setBrush(tokens.color("quiet"))
    left = line.left() + turn * (line.width() - wide)
    painter.drawRoundedRect(QRectF(left, line.top(), wide, line.height()), 1.0, 1.0)


def _paint_words(
    painter: QPainter, cell: QRectF, tokens: Tokens, asset: Asset, state: CellState
) -> None:
    box = picture_box(cell)
    words = QRectF(box.left(), box.bottom() + Metrics.hair, box.width(), Metrics.row)
    words.adjust(Metrics.hair, 0.0, -Metrics.hair, 0.0)
    if state.score is not None:
        _paint_score(painter, words, tokens, state)
    painter.setFont(font(Metrics.label))
    painter.setPen(tokens.color("text" if state.chosen or state.hovered else "quiet"))
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(title_of(asset), Qt.TextElideMode.ElideMiddle, int(words.width()))
    painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def _paint_score(painter: QPainter, words: QRectF, tokens: Tokens, state: CellState) -> None:
    """A thin bar below the name; under the pointer, which view matched."""
    assert state.score is not None
    line = QRectF(words.left(), words.bottom(), words.width(), Metrics.hair)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tokens.color("raised"))
    painter.drawRect(line)
    painter.setBrush(tokens.color("quiet"))
    painter.drawRect(QRectF(line.topLeft(), line.bottomRight()).adjusted(
        0.0, 0.0, (min(max(state.score, 0.0), 1.0) - 1.0) * line.width(), 0.0
    ))  # fmt: skip
    if state.view > 0 and (state.hovered or state.chosen):
        painter.setFont(font(Metrics.small, tabular=True))
        painter.setPen(tokens.color("quiet"))
        text = _tr("view {0}").format(state.view)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
        wide = painter.fontMetrics().horizontalAdvance(text) + Metrics.space[0]
        words.adjust(0.0, 0.0, -wide, 0.0)
