"""Selecting by colour: everywhere with the eyedropper, what hangs together with the flood."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtGui import QColor, QPen

from polyorama_studio.viewport.cursors import selection_cursor
from polyorama_studio.viewport.readout import paint_readout
from polyorama_studio.viewport.seen import splat_at
from polyorama_studio.viewport.tools.outlines import SIGNS
from polyorama_studio.viewport.tools.tool import Tool, modifier_names

if TYPE_CHECKING:
    from PySide6.QtGui import QCursor, QMouseEvent, QPainter

    from polyorama.scene.document import Document
    from polyorama_studio.viewport.pane import Pane

__all__ = ["EyedropperTool", "FloodTool"]

_FULL = 320.0
"""Pixels of a drag that change the tolerance by 1."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("tools", text)


def _counted(document: Document, node: str, splat: int, tolerance: float, connected: bool) -> int:
    from polyorama.verbs.alike import select_alike

    found = select_alike(document, node, splat, tolerance, connected)
    return sum(len(bits) for bits in found.selection.values())


class EyedropperTool(Tool):
    """A press takes the colour of a splat; a drag sideways changes the tolerance."""

    id = "eyedropper"
    options = frozenset({"mode", "tolerance"})
    connected: ClassVar[bool] = False

    def __init__(self, toolbox) -> None:
        super().__init__(toolbox)
        self._seed: tuple[str, int] | None = None
        self._color: QColor | None = None
        self._from = self._at = QPointF()
        self._base = 0.0
        self._pane: Pane | None = None
        self.mode = "set"

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Click a colour; drag sideways to take in more or less")

    @property
    def busy(self) -> bool:
        """Whether a colour is held."""
        return self._seed is not None

    def cancel(self) -> None:
        """Let go of the colour."""
        self._seed = self._color = self._pane = None
        self.toolbox.tally.clear()

    def leave(self, pane: Pane) -> None:
        """No swatch while the pointer is elsewhere."""
        if self._seed is None:
            self._color = self._pane = None

    def cursor(self, pane: Pane, modifiers: Qt.KeyboardModifier) -> QCursor:
        """A cross with a badge."""
        mode = self.mode if self.busy else self.toolbox.mode_of(*modifier_names(modifiers))
        return selection_cursor(pane, mode)

    def hover(self, pane: Pane, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Show the colour under the pointer."""
        hit = splat_at(pane, at)
        self._pane, self._at = pane, at
        self._color = None if hit is None else self._color_of(hit)
        pane.update()

    def _color_of(self, seed: tuple[str, int]) -> QColor | None:
        document = self.session.editing.document
        if document is None:
            return None
        splats = document.node(seed[0]).splats
        if splats is None or seed[1] >= len(splats):
            return None
        rgb = splats.subset([seed[1]]).colors[0]
        return QColor.fromRgbF(*(float(min(max(c, 0.0), 1.0)) for c in rgb))

    def press(self, pane: Pane, event: QMouseEvent) -> bool:
        """Take the colour that is there."""
        self.hover(pane, event.position(), event.modifiers())
        self._seed = splat_at(pane, event.position()) if self._color is not None else None
        if self._seed is None:
            return False
        self._from = event.position()
        self._base = self.toolbox.options.tolerance
        self.mode = self.toolbox.mode_of(*modifier_names(event.modifiers()))
        self._count()
        return True

    def drag(self, pane: Pane, event: QMouseEvent) -> None:
        """Take in more or less."""
        if self._seed is None:
            return
        step = (event.position().x() - self._from.x()) / _FULL
        self._at = event.position()
        self.toolbox.set_options(tolerance=min(max(self._base + step, 0.0), 1.0))
        self._count()
        pane.update()

    def _count(self) -> None:
        document = self.session.stage.shown
        if self._seed is not None and document is not None:
            tolerance = self.toolbox.options.tolerance
            work = partial(_counted, document, *self._seed, tolerance, self.connected)
            self.toolbox.tally.ask_for(work)

    def release(self, pane: Pane, event: QMouseEvent) -> None:
        """Pick."""
        seed, mode = self._seed, self.mode
        self.cancel()
        if seed is None:
            return
        self.toolbox.run_pick(
            "select_alike",
            node=seed[0],
            splat=seed[1],
            tolerance=self.toolbox.options.tolerance,
            connected=self.connected,
            mode=mode,
        )

    def paint(self, pane: Pane, painter: QPainter) -> None:
        """A swatch of the colour, and the count."""
        if pane is not self._pane or self._color is None:
            return
        tokens = pane.session.theme.tokens
        middle = self._at + QPointF(0.0, -26.0)
        painter.setPen(QPen(tokens.color("halo"), 4.0))
        painter.setBrush(self._color)
        painter.drawEllipse(middle, 13.0, 13.0)
        painter.setPen(QPen(tokens.color("overlay"), 1.5))
        painter.drawEllipse(middle, 13.0, 13.0)
        count = self.toolbox.tally.count
        if self.busy:
            sign = SIGNS[self.mode]
            told = "" if count is None else _tr("{0} splats").format(f"{sign}{count:,}")
            words = _tr("tolerance {0}").format(f"{self.toolbox.options.tolerance:.3f}")
            paint_readout(pane, painter, self._at, told, words)


class FloodTool(EyedropperTool):
    """The same, but only what hangs together with the splat."""

    id = "flood"
    connected = True

    def hint(self) -> str:
        """One line on how it is used."""
        return _tr("Click to take what hangs together in such a colour; drag for more or less")
