"""What each way to write a capture costs and keeps: a plot and a table that fill in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from polyorama_studio.dialogs.quality_plot import QualityPlot, likeness_text
from polyorama_studio.jobs import Handlers, explain
from polyorama_studio.theme import Metrics
from polyorama_studio.words import memory_text

if TYPE_CHECKING:
    from polyorama.core.jobs import Job as EngineJob
    from polyorama.core.jobs import Progress
    from polyorama.core.types import Camera
    from polyorama.scene.document import Document
    from polyorama.verbs.export import Level
    from polyorama.verbs.quality import Measurement
    from polyorama_studio.jobs import Job
    from polyorama_studio.session import Session

__all__ = ["QualityView"]

_FIRST_SIZE = (1280, 720)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _measurements(
    document: Document, camera: Camera, what: str, time: float
) -> EngineJob[tuple[Measurement, ...]]:
    """Measure; on a worker thread, where imports hold nobody up."""
    from polyorama.verbs.quality import size_and_quality

    return size_and_quality(document, camera, None, what, time=time)


class QualityView(QWidget):
    """Measures on a worker thread, on the present view, and shows what is there already.

    Parameters
    ----------
    session
        Whose view it is judged on.
    """

    changed = Signal()
    """More is known, or measuring began or ended."""
    chosen = Signal(object)
    """A `Level` was clicked."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._job: Job | None = None
        self._number = 0
        self.found: tuple[Measurement, ...] = ()
        self.note = ""
        """What is being done, or why it cannot be."""
        self.plot = QualityPlot(session.theme, self)
        self.table = self._made_table()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Metrics.space[1])
        column.addWidget(self.plot, 3)
        column.addWidget(self.table, 2)
        self.plot.chosen.connect(self._on_mark)
        self.table.itemClicked.connect(self._on_row)
        self.table.itemActivated.connect(self._on_row)

    def _made_table(self) -> QTreeWidget:
        table = QTreeWidget(self)
        titles = [self.tr("Format"), self.tr("Size"), self.tr("PSNR"), self.tr("SSIM")]
        table.setHeaderLabels(titles)
        table.setRootIsDecorated(False)
        table.setUniformRowHeights(True)
        table.setAllColumnsShowFocus(True)
        table.setAccessibleName(self.tr("What each way costs and keeps"))
        table.setMinimumHeight(7 * Metrics.control)
        header = table.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in range(1, 4):
            table.headerItem().setTextAlignment(column, _RIGHT)
        return table

    @property
    def running(self) -> bool:
        """Whether something is being measured."""
        return self._job is not None

    def measure(self, document: Document, what: str, time: float) -> None:
        """Measure all levels anew; see `polyorama.verbs.quality.size_and_quality`."""
        self.stop()
        stage = self._session.stage
        size = stage.size if min(stage.size) > 0 else _FIRST_SIZE
        work = partial(_measurements, document, stage.camera(*size), what, time)
        self._number += 1
        handlers = Handlers(
            partial(self._on_measured, self._number),
            partial(self._on_failed, self._number),
            partial(self._on_progress, self._number),
        )
        self.found = ()
        self._job = self._session.start_job(work, handlers, "measure")
        self.say(self.tr("Measuring"))

    def stop(self) -> None:
        """Measure no more; what is known stays."""
        job, self._job = self._job, None
        self._number += 1
        if job is not None:
            job.cancel()
            self.say("")

    def forget(self) -> None:
        """What was measured is of something else now."""
        self.stop()
        self.found = ()
        self.say("")

    def say(self, note: str) -> None:
        """Say something where nothing is measured yet."""
        self.note = note
        self.changed.emit()

    def _on_progress(self, number: int, progress: Progress) -> None:
        if number == self._number:
            self.found = progress.preview or self.found
            self.say(progress.note)

    def _on_measured(self, number: int, found: tuple[Measurement, ...]) -> None:
        if number == self._number:
            self._job, self.found = None, found
            self.say("")

    def _on_failed(self, number: int, error: BaseException) -> None:
        if number == self._number:
            self._job = None
            self.say(explain(error))

    def matching(self, level: Level) -> Measurement | None:
        """The measurement of a level, or None."""
        return next((m for m in self.found if m.level == level), None)

    def mark(self, marked: Measurement | None) -> None:
        """Show what is known, with one measurement marked as the one that is chosen."""
        best = None
        if len(self.found) > 1:
            from polyorama.verbs.quality import recommended

            best = recommended(self.found)
        self.plot.show_measured(self.found, best, marked, self.note)
        tokens = self._session.theme.tokens
        self.table.clear()
        for measured in sorted(self.found, key=lambda m: m.nbytes):
            name = str(measured.level) + (self.tr("  recommended") if measured is best else "")
            size, likeness = memory_text(measured.nbytes), likeness_text(measured)
            item = QTreeWidgetItem(self.table, [name, size, likeness, f"{measured.ssim:.4f}"])
            item.setData(0, Qt.ItemDataRole.UserRole, measured.level)
            for column in range(1, 4):
                item.setTextAlignment(column, _RIGHT)
            if measured is best:
                item.setForeground(0, tokens.color("accent"))
            if measured is marked:
                bold = QFont(self.table.font())
                bold.setWeight(QFont.Weight.DemiBold)
                item.setFont(0, bold)
                self.table.setCurrentItem(item)

    @Slot(object)
    def _on_mark(self, measured: Measurement) -> None:
        self.chosen.emit(measured.level)

    @Slot(QTreeWidgetItem, int)
    def _on_row(self, item: QTreeWidgetItem, column: int) -> None:
        self.chosen.emit(item.data(0, Qt.ItemDataRole.UserRole))
