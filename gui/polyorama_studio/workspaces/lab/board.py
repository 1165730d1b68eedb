"""The stage of the Lab: up to six linked views of one run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.theme import Metrics, font
from polyorama_studio.workspaces.lab.bands import banded, banded_snapshot
from polyorama_studio.workspaces.lab.layout import arrange_fitting

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent

    from polyorama.lab.runner import Update
    from polyorama.lab.snapshot import Snapshot
    from polyorama.lab.sweep import Sweep
    from polyorama.lab.views import View
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.lab.theme import LabTheme
    from polyorama_studio.workspaces.lab.views import ViewWidget

__all__ = ["Board"]

_BUDGET_S = 0.008
"""So long views are drawn in one go; what is left waits until other events had their turn."""


@guards
class Board(QFrame):
    """Places the views, hands them what comes, and lets one of them fill the stage.

    A view that is still being drawn when the next update comes draws the newer one: what is slow
    loses pictures, not time.
    """

    filled = Signal(bool)
    """One view fills the stage, or all are back."""

    def __init__(self, session: Session, run: Run, theme: LabTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("labBoard")
        self._session = session
        self._run = run
        self._theme = theme
        self.views: list[ViewWidget] = []
        self.frozen = False
        self.whole = -1
        """Number of the view that fills the stage; -1 for none."""
        self._stage = False
        self._sweep: Sweep | None = None
        self._update: Update | None = None
        self._waiting: list[ViewWidget] = []
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._draw_some)
        run.loaded_changed.connect(self._make_views)
        run.updated.connect(self.show_update)
        theme.changed.connect(self.update)

    # Making

    @Slot()
    def _make_views(self) -> None:
        from polyorama_studio.workspaces.lab.views import make_view

        for view in self.views:
            view.hide()
            view.deleteLater()
        self._waiting.clear()
        self._update = None
        loaded, setup = self._run.loaded, self._run.setup
        assert loaded is not None
        assert setup is not None
        rivals = [rival.id for rival in loaded.kind.rivals]
        self.views = []
        sweep = self._sweep
        for own in loaded.views:
            view = own if sweep is None else banded(own, sweep)
            widget = make_view(view, self._theme, rivals, self)
            canvas = self._canvas(view)
            if canvas is not None:
                widget.set_canvas(canvas, setup.paintings.get(canvas.name))
            widget.set_worker(self._session.jobs.runner.submit)
            widget.set_stage(self._stage)
            widget.picked.connect(self._on_picked)
            widget.painted.connect(self._run.paint)
            widget.failed.connect(self._tell_failed)
            widget.crosshair.connect(self._on_crosshair)
            widget.installEventFilter(self)
            self.views.append(widget)
        self.whole = -1
        self._place()
        self.update()

    def _canvas(self, view: View) -> Any:
        """The canvas that painting on a view changes; None for none."""
        name = getattr(view, "canvas", "")
        loaded = self._run.loaded
        return loaded.kind.canvas(name) if name and loaded is not None else None

    def _place(self) -> None:
        gap = Metrics.space[1]
        area = self.rect().adjusted(gap, gap, 0, 0)
        loaded = self._run.loaded
        if loaded is None or area.isEmpty():
            return
        rects = [(0.0, 0.0, 1.0, 1.0)] * len(self.views)
        seen = {self.whole}
        if self.whole < 0:
            spans = [view.span for view in loaded.views]
            least = Metrics.stage_tile if self._stage else (0, 0)
            fitting = arrange_fitting(spans, area.width(), area.height(), least)
            rects[: len(fitting)] = fitting
            seen = set(range(len(fitting)))
        for number, (widget, rect) in enumerate(zip(self.views, rects, strict=True)):
            left, top = round(rect[0] * area.width()), round(rect[1] * area.height())
            right = round((rect[0] + rect[2]) * area.width())
            bottom = round((rect[1] + rect[3]) * area.height())
            place = QRect(left, top, right - left - gap, bottom - top - gap)
            widget.setGeometry(place.translated(area.topLeft()))
            widget.setVisible(number in seen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the views out anew."""
        super().resizeEvent(event)
        self._place()

    def set_stage(self, on: bool) -> None:
        """Large type for a hall, or back."""
        self._stage = on
        for widget in self.views:
            widget.set_stage(on)
        self._place()
        if self._update is not None and not self.frozen:
            self.show_update(self._update)

    def set_frozen(self, frozen: bool) -> None:
        """Leave the picture as it is while the run goes on, or follow it again."""
        self.frozen = frozen
        if not frozen and self._run.update is not None:
            self.show_update(self._run.update)

    # Drawing

    @Slot(object)
    def show_update(self, update: Update) -> None:
        """Draw what came, each view that can be seen."""
        if self.frozen:
            return
        self._update = update
        left = set(self._waiting)
        # Those that had to wait come first.
        self._waiting += [w for w in self.views if w not in left and w.isVisible()]
        self._draw_some()

    @Slot()
    def _draw_some(self) -> None:
        end = time.perf_counter() + _BUDGET_S
        update = self._update
        while self._waiting and update is not None:
            widget = self._waiting.pop(0)
            if widget.show_update(self._snapshot_of(widget, update), self._run.history):
                widget.paint_now()
            if time.perf_counter() > end:
                break
        if self._waiting:
            self._later.start()

    def _snapshot_of(self, widget: ViewWidget, update: Update) -> Snapshot:
        """What a view draws: the moment, or what many seeds gave and the run so far."""
        loaded, sweep = self._run.loaded, self._sweep
        assert loaded is not None
        own = loaded.views[self.views.index(widget)]
        if sweep is None or widget.view == own:
            return update.snapshot
        return banded_snapshot(own, sweep, update.snapshot, self._run.history)

    def set_sweep(self, sweep: Sweep | None) -> None:
        """Draw means and bands over seeds in curves, or the run alone."""
        self._sweep = sweep
        if self._run.loaded is not None:
            update = self._update
            self._make_views()
            if update is not None:
                self.show_update(update)

    @Slot(str)
    def _tell_failed(self, words: str) -> None:
        self._session.tell("bad", words)

    # What a person does in a view

    def fill(self, number: int) -> None:
        """Let one view fill the stage, or bring all back."""
        self.whole = -1 if self.whole == number else number
        self._place()
        if self._update is not None and not self.frozen:
            self.show_update(self._update)
        self.filled.emit(self.whole >= 0)

    def fill_next(self) -> None:
        """Let the next view fill the stage; after the last one, bring all back."""
        after = self.whole + 1
        self.fill(after if after < len(self.views) else self.whole)

    def eventFilter(self, watched: QWidget, event: QEvent) -> bool:
        """A double click lets a view fill the stage, or brings all back."""
        if event.type() == QEvent.Type.MouseButtonDblClick and watched in self.views:
            mouse: QMouseEvent = event  # type: ignore[assignment]
            if mouse.button() == Qt.MouseButton.LeftButton:
                self.fill(self.views.index(watched))
                return True
        return super().eventFilter(watched, event)

    @Slot(float)
    def _on_crosshair(self, step: float) -> None:
        for widget in self.views:
            if widget is not self.sender():
                widget.set_crosshair(step)

    @Slot(float, float)
    def _on_picked(self, x: float, y: float) -> None:
        widget, loaded = self.sender(), self._run.loaded
        if widget not in self.views or loaded is None:
            return
        view = loaded.views[self.views.index(widget)]
        by_name = {parameter.name: parameter for parameter in loaded.kind.parameters()}
        for name, value in zip(getattr(view, "pick", ()), (x, y), strict=False):
            parameter = by_name[name]
            self._run.set_value(parameter, min(max(value, parameter.low), parameter.high))

    def paintEvent(self, event: QPaintEvent) -> None:
        """The ground; before there is anything to see, what can be done."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.color("stage" if self._stage else "ground"))
        if self._run.loaded is None:
            painter.setPen(tokens.color("quiet"))
            painter.setFont(font(Metrics.title))
            words = self.tr("Choose an experiment at the left to see it run")
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, words)
        painter.end()
