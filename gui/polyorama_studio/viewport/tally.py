"""The live count: how many splats a region would pick, told while it is drawn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from polyorama_studio.jobs import Handlers

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.core.jobs import Progress
    from polyorama.scene.document import Document
    from polyorama.scene.regions import Region
    from polyorama_studio.viewport.toolbox import Toolbox

__all__ = ["Tally"]


def _counted(document: Document, region: Region, surface: bool, footprint: bool) -> int:
    from polyorama.edit.selection_ops import pickable
    from polyorama.verbs.selecting import region_bits

    found = region_bits(document, region, surface, footprint)
    return sum(len(bits & pickable(document.node(i))) for i, bits in found.items())


class Tally(QObject):
    """Counts on a worker thread; one count runs, one waits, older ones are forgotten."""

    def __init__(self, toolbox: Toolbox) -> None:
        super().__init__(toolbox)
        self._toolbox = toolbox
        self.count: int | None = None
        """Splats of the region last counted, or None where nothing is counted."""
        self._running = False
        self._next: Callable[[], int] | None = None
        self._wanted = False

    def ask(self, region: Region) -> None:
        """Count the splats in a region."""
        shown = self._toolbox.session.stage.shown
        if shown is None:
            return
        options, on_screen = self._toolbox.options, region.camera is not None
        surface, footprint = options.surface and on_screen, options.footprint and on_screen
        self.ask_for(partial(_counted, shown, region, surface, footprint))

    def ask_for(self, work: Callable[[], int]) -> None:
        """Count by some other work."""
        self._wanted = True
        self._next = work
        self._start()

    def clear(self) -> None:
        """Nothing is being drawn any more."""
        self._wanted = False
        self._next = None
        self.count = None

    def _start(self) -> None:
        if self._running or self._next is None:
            return
        self._running = True
        work, self._next = self._next, None
        handlers = Handlers(self._on_done, self._on_failed, self._on_progress)
        self._toolbox.session.start_job(work, handlers, "count")

    def _on_done(self, count: int) -> None:
        self._running = False
        if self._wanted:
            self.count = count
            self._toolbox.repaint.emit()
        self._start()

    def _on_failed(self, error: BaseException) -> None:
        # What cannot be counted cannot be picked: picking tells why.
        self._running = False
        self.count = None
        self._start()

    def _on_progress(self, progress: Progress) -> None:
        """Counts take no steps."""
