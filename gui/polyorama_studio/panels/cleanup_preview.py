"""What a clean-up tool would remove, found beside the GUI thread and shown on the stage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from polyorama.scene.histogram import Axis, Column, histogram_of
from polyorama_studio.newest import Newest
from polyorama_studio.plots import heat_ramp

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job, Progress
    from polyorama.scene.document import Document
    from polyorama_studio.session import Session

__all__ = ["CleanUpPreview", "Clutter"]

Scores = "Mapping[str, NDArray[np.float32]]"
_AXIS = Axis(0.0, 2.0)
"""Of scores: what would go is in the upper half."""


@dataclass(frozen=True, slots=True, eq=False)
class Clutter:
    """What a tool found.

    Parameters
    ----------
    document
        Where.
    kind, threshold
        With which tool, and how strict.
    scores
        By node id; from 1 on a splat would go.
    count, total
        How many would go, of how many.
    spread
        (256,) how many have which score, from 0 to 2; higher ones stand at the end.
    heat
        The document as its heat map.
    """

    document: Document
    kind: str
    threshold: float
    scores: Mapping[str, NDArray[np.float32]]
    count: int
    total: int
    spread: NDArray[np.int64]
    heat: Document


def _found(document: Document, kind: str, threshold: float, before: Clutter | None) -> Job[Clutter]:
    """Find clutter, from earlier scores where they tell; on a worker thread."""
    from polyorama.verbs.cleanup import clutter, heat_document, rescaled
    from polyorama.verbs.histograms import stacked_source

    scores = None
    if before is not None and before.document is document and before.kind == kind:
        scores = rescaled(before.scores, kind, before.threshold, threshold)
    if scores is None:
        scores = yield from clutter(document, kind, threshold)
    columns = [
        Column(score, stacked_source(document, document.node(node)).state)
        for node, score in scores.items()
    ]
    spread = histogram_of(columns, _AXIS)
    counts = spread.counts.copy()
    counts[-1] += spread.above
    count = sum(int((score >= 1.0).sum()) for score in scores.values())
    heat = heat_document(document, scores, heat_ramp())
    return Clutter(document, kind, threshold, scores, count, spread.total, counts, heat)


class CleanUpPreview(QObject):
    """Shows one tool's heat map on the stage until it is told to stop.

    Parameters
    ----------
    session
        Where the stage and the document are.
    """

    changed = Signal()
    """Something else is shown, or found, or looked for."""
    failed = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._newest = Newest(session, "clutter", self)
        self._newest.told = self._on_progress
        self.kind = ""
        """The tool that is shown, or "" for none."""
        self.threshold = 0.0
        self.found: Clutter | None = None
        self.note = ""
        """What is being done, where it takes a while."""
        session.editing.edited.connect(self._on_edited)
        session.editing.replaced.connect(self.end)
        session.stage.time_changed.connect(self._on_time)

    @property
    def active(self) -> bool:
        """Whether a heat map is shown or on its way."""
        return bool(self.kind)

    @property
    def busy(self) -> bool:
        """Whether something is being looked for."""
        return self._newest.busy

    def show(self, kind: str, threshold: float, *, exact: bool = True) -> None:
        """Show what a tool would remove.

        Parameters
        ----------
        kind, threshold
            As of `polyorama.verbs.cleanup.clutter`.
        exact
            Whether scores are found anew; else they follow from earlier ones where they can, which
            is quick and for a threshold that still moves.
        """
        self.kind, self.threshold = kind, threshold
        self._ask(None if exact else self.found)

    def _ask(self, before: Clutter | None) -> None:
        document = self._session.stage.shown
        if document is None or not self.kind:
            return
        self.note = ""
        work = partial(_found, document, self.kind, self.threshold, before)
        self._newest.ask(work, self._on_found, self._on_failed)
        self.changed.emit()

    @Slot()
    def end(self) -> None:
        """Show the scene itself again."""
        if self.kind:
            self.kind = ""
            self.found = None
            self._newest.forget()
            self._session.stage.set_disguise(None)
            self.changed.emit()

    def _on_found(self, found: Clutter) -> None:
        self.found = found
        self.note = ""
        self._session.stage.set_disguise(found.heat)
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self.end()
        self.failed.emit(error)

    def _on_progress(self, progress: Progress) -> None:
        self.note = progress.note
        if progress.total > 1:
            self.note += f", {100 * progress.done // progress.total} %"
        self.changed.emit()

    @Slot(object)
    def _on_edited(self, command: object) -> None:
        self._ask(None)

    @Slot(bool)
    def _on_time(self, moving: bool) -> None:
        document = self._session.editing.document
        if document is not None and document.timeline.tracks and not moving:
            self._ask(None)
