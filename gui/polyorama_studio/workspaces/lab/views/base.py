"""What all pictures of an experiment have: a card with a title and a legend, and a body."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QBrush, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QSizePolicy, QWidget

from polyorama.lab.views import Curve
from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip
from polyorama_studio.workspaces.lab.views.look import Look

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from PySide6.QtGui import QPaintEvent, QResizeEvent, QShowEvent

    from polyorama.lab.experiment import Canvas
    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.views import View
    from polyorama_studio.jobs import Handlers
    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.history import History

    Submit = Callable[[Callable[[], object], Handlers, str], object]

__all__ = ["Entry", "ViewWidget", "array_of", "scalar_of"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a legend.

    Parameters
    ----------
    title
        What it is.
    pen
        Of the line, or in the colour of the dot or box.
    mark
        ``"line"``, ``"dot"``, ``"ring"``, ``"box"``, ``"frame"`` or ``"hatch"``.
    edged
        Whether the dot may have the colour of the ground, and needs an edge.
    """

    title: str
    pen: QPen
    mark: str = "line"
    edged: bool = False


@guards
class ViewWidget(QWidget):
    """A picture of an experiment.

    Parameters
    ----------
    view
        What it shows.
    theme
        Colours.
    rivals
        Place of each rival among all of the experiment, by id.
    """

    picked = Signal(float, float)
    """A place was clicked, in the units of the axes."""
    painted = Signal(str, object)
    """A canvas by its name, and the array that a person made of it."""
    crosshair = Signal(float)
    """The step that is pointed at; NaN when none is any more."""
    failed = Signal(str)
    """Something could not be done; one sentence."""

    def __init__(
        self, view: View, theme: Theme, rivals: Mapping[str, int], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.view = view
        self._theme = theme
        self._rivals = rivals
        self.look = Look(theme.tokens, False, rivals)
        self.snapshot: Snapshot | None = None
        self.history: History | None = None
        self._stale = False
        parts = (view, *getattr(view, "layers", ()), *getattr(view, "series", ()))
        words = {getattr(part, each.name) for part in parts for each in fields(part)}
        self._keys = {word for word in words if isinstance(word, str)}
        """All that may be keys of its values; words are none, and do no harm."""
        trails = any(getattr(part, "trail", False) for part in parts)
        self._follows = trails or (isinstance(view, Curve) and view.history)
        """Whether it shows what was, too."""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(view.title)
        self.setAccessibleDescription(view.help)
        self.body = self.make_body()
        if view.help:
            self.setToolTip(tip(view.help))
        theme.changed.connect(self._on_theme)

    # What a kind of picture writes

    def make_body(self) -> QWidget:
        """The widget below the title; called once, while the rest is not there yet."""
        raise NotImplementedError

    def take(self, snapshot: Snapshot, history: History) -> None:
        """Look up what is to be drawn and draw it; only called while it can be seen."""
        raise NotImplementedError

    def legend(self) -> Sequence[Entry]:
        """What stands beside the title."""
        return ()

    def dress(self) -> None:
        """Colours or sizes have changed."""

    # What everybody calls

    def show_update(self, snapshot: Snapshot, history: History) -> bool:
        """Show another moment; drawn once it can be seen.

        Returns
        -------
        bool
            Whether there is something new to be painted.
        """
        before = None if self._stale else self.snapshot
        self.snapshot, self.history = snapshot, history
        if before is not None and not self._follows and self._looks_alike(before, snapshot):
            return False
        self._retake()
        return not self._stale

    def _looks_alike(self, one: Snapshot, other: Snapshot) -> bool:
        """Whether two moments have the very same values for this view."""
        pairs = ((one.values.get(key), other.values.get(key)) for key in self._keys)
        return all(a is b or (isinstance(a, float) and a == b) for a, b in pairs)

    def paint_now(self) -> None:
        """Paint what was shown last at once, so that whoever asks knows what it took."""
        if self.isVisible():
            body = self.body
            (body.viewport() if isinstance(body, QAbstractScrollArea) else body).repaint()

    def set_stage(self, on: bool) -> None:
        """Large type and lines for a hall, or small ones again."""
        if on != self.look.stage:
            self._redress(Look(self._theme.tokens, on, self._rivals))

    def set_crosshair(self, step: float) -> None:
        """Mark a step, as another picture points at it; NaN for none."""

    def set_canvas(self, canvas: Canvas, values: NDArray | None = None) -> None:
        """Let the canvas that the view names be painted on; `values` are on it, if known."""

    def set_worker(self, submit: Submit) -> None:
        """Let what takes long be done on another thread, by `JobRunner.submit`."""

    def minimumSizeHint(self) -> QSize:
        """Small: what does not fit is left out."""
        return QSize(Metrics.dock_least, Metrics.card[1])

    def sizeHint(self) -> QSize:
        """A tile of six."""
        return QSize(Metrics.quality_plot[0] * self.view.span, Metrics.quality_plot[1])

    def _redress(self, look: Look) -> None:
        self.look = look
        self._place_body()
        self.dress()
        self.update()
        self._retake()

    def _retake(self) -> None:
        """Draw the moment anew, or once it can be seen."""
        if self.snapshot is not None and self.history is not None:
            self._stale = not self.isVisible()
            if not self._stale:
                self.take(self.snapshot, self.history)

    @Slot()
    def _on_theme(self) -> None:
        self._redress(Look(self._theme.tokens, self.look.stage, self._rivals))

    def legend_changed(self) -> None:
        """Lay the head out anew, since other things stand in it."""
        self._place_body()
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what came while it could not be seen."""
        super().showEvent(event)
        if self._stale:
            self._retake()

    # The head

    @property
    def _inset(self) -> float:
        return self.look.gap if self.look.stage else float(Metrics.space[2])

    def _entries(self, type_: QFont) -> list[tuple[Entry, float]]:
        """What stands in the legend, with widths."""
        metrics = QFontMetricsF(type_)
        sample = 1.6 * metrics.height()
        return [
            (entry, sample + metrics.horizontalAdvance(entry.title) + self.look.gap)
            for entry in self.legend()
            if entry.title
        ]

    def _lines(self) -> tuple[QFont, list[list[tuple[Entry, float]]]]:
        """The legend's type and its lines; the first stands beside the title."""
        title, type_ = QFontMetricsF(self.look.title), self.look.label
        width = self.width() - 2.0 * self._inset
        left = min(title.horizontalAdvance(self.view.title), width) + self.look.gap
        entries = self._entries(type_)
        if sum(wide for _, wide in entries) <= width - left:
            return type_, [entries]
        most = 3 if self.height() > 14.0 * title.height() else 2
        lines = _broken(entries, width, most)
        if self.look.stage and sum(map(len, lines)) < len(entries):
            # A line that nobody names says nothing: all of them, smaller.
            type_ = font(Metrics.stage_fine)
            lines = _broken(self._entries(type_), width, most + 1)
        return type_, lines

    def _place_body(self) -> None:
        inset = self._inset
        type_, lines = self._lines()
        extra = (len(lines) - 1) * 1.25 * QFontMetricsF(type_).height()
        top = 0.75 * inset + QFontMetricsF(self.look.title).height() + extra + 0.35 * inset
        self.body.setGeometry(
            QRectF(
                inset, top, max(self.width() - 1.5 * inset, 1.0),
                max(self.height() - top - 0.5 * inset, 1.0),
            ).toAlignedRect()
        )  # fmt: skip

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The body takes what the head leaves."""
        super().resizeEvent(event)
        self._place_body()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The card, the title and the legend."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, look = self.look.tokens, self.look
        painter.fillRect(self.rect(), tokens.color("stage" if look.stage else "ground"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.ground)
        painter.drawRoundedRect(QRectF(self.rect()), Metrics.card_corner, Metrics.card_corner)
        inset = self._inset
        type_, lines = self._lines()
        painter.setFont(look.title)
        painter.setPen(tokens.color("text"))
        room = self.width() - 2.0 * inset
        title = QFontMetricsF(look.title)
        words = title.elidedText(self.view.title, Qt.TextElideMode.ElideRight, room)
        base = 0.75 * inset + title.ascent()
        painter.drawText(QPointF(inset, base), words)
        label = QFontMetricsF(type_)
        for number, line in enumerate(lines):
            x = inset
            if number == 0:
                x = self.width() - inset - sum(wide for _, wide in line) + look.gap
            y = base + number * 1.25 * label.height()
            for entry, wide in line:
                self._paint_entry(painter, entry, QPointF(x, y), type_)
                x += wide
        painter.end()

    def _paint_entry(
        self, painter: QPainter, entry: Entry, at: QPointF, type_: QFont
    ) -> None:  # fmt: skip
        """A sample of the line or mark, and its name."""
        metrics = QFontMetricsF(type_)
        side = metrics.height()
        middle = at.y() - 0.5 * metrics.xHeight()
        if entry.mark == "line":
            ends = QPointF(at.x(), middle), QPointF(at.x() + 1.25 * side, middle)
            if entry.edged:  # its colour is made for a colour map, not for the card
                under = QPen(self.look.tokens.color("quiet"), entry.pen.widthF() + 2.0)
                painter.setPen(under)
                painter.drawLine(*ends)
            painter.setPen(entry.pen)
            painter.drawLine(*ends)
        else:
            tokens, color = self.look.tokens, entry.pen.color()
            hollow = entry.mark in ("ring", "frame")
            pen = QPen(color, self.look.stroke) if hollow else QPen(Qt.PenStyle.NoPen)
            if entry.edged and not hollow:
                pen = QPen(tokens.color("quiet"), self.look.hair)
            brush = QBrush(Qt.BrushStyle.NoBrush) if hollow else QBrush(color)
            if entry.mark == "hatch":
                pen = QPen(tokens.color("quiet"), self.look.hair)
                brush = QBrush(tokens.color("quiet"), Qt.BrushStyle.BDiagPattern)
            painter.setPen(pen)
            painter.setBrush(brush)
            center, radius = QPointF(at.x() + 0.95 * side, middle), 0.26 * side
            if entry.mark in ("box", "frame", "hatch"):
                box = QRectF(center.x() - radius, center.y() - radius, 2 * radius, 2 * radius)
                painter.drawRoundedRect(box, 1.0, 1.0)
            else:
                painter.drawEllipse(center, radius, radius)
        painter.setFont(type_)
        painter.setPen(self.look.tokens.color("quiet"))
        painter.drawText(QPointF(at.x() + 1.6 * side - 0.1 * side, at.y()), entry.title)


def _broken(
    entries: Sequence[tuple[Entry, float]], width: float, most: int
) -> list[list[tuple[Entry, float]]]:
    """Entries in lines below an empty one; those that have no room in `most` lines are left out."""
    lines: list[list[tuple[Entry, float]]] = [[], []]
    used = 0.0
    for entry, wide in entries:
        if used + wide > width and lines[-1]:
            if len(lines) == most:
                break
            lines.append([])
            used = 0.0
        lines[-1].append((entry, wide))
        used += wide
    return lines


def scalar_of(snapshot: Snapshot, key: str) -> float:
    """A scalar of a snapshot, NaN where it is missing or an array."""
    value = snapshot.values.get(key) if key else None
    return value if isinstance(value, float) else math.nan


def array_of(snapshot: Snapshot, key: str) -> NDArray | None:
    """An array of a snapshot, or None where it is missing, empty or a scalar."""
    value = snapshot.values.get(key) if key else None
    if value is None or isinstance(value, float) or value.size == 0:
        return None
    return value
