"""One, two or four views side by side, and the scene before its edits against the scene after."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.jobs import Handlers
from polyorama_studio.linked_stage import LinkedStage
from polyorama_studio.theme import Metrics
from polyorama_studio.viewport.focus import focused
from polyorama_studio.viewport.pane import Pane
from polyorama_studio.viewport.strip import ToolStrip, ViewStrip

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from polyorama.core.jobs import Progress
    from polyorama.scene.document import Document
    from polyorama_studio.orbit import OrbitView
    from polyorama_studio.session import Session
    from polyorama_studio.stage import Stage
    from polyorama_studio.viewport.viewport import Viewport

__all__ = ["ViewGrid", "before_edits"]

_PLACES = {
    "one": (),
    "two": (("front", 0, 0),),
    "four": (("top", 0, 0), ("front", 1, 0), ("right", 1, 1)),
}
"""Sides, rows and columns of the further views; the main one stands at row 0, column 1."""
_SHARED_MS = 21.0
"""While two pictures move at once, each may take half the time."""


def before_edits(document: Document) -> Document:
    """The document without what was done to the chosen splat nodes, or else to all of them."""
    of_chosen = {n.id for i in document.chosen for n in document.below(i) if n.splats}
    ids = of_chosen or {n.id for n in document.nodes}
    nodes = [
        replace(n, modifiers=(), deleted=None) if n.id in ids and n.splats is not None else n
        for n in document.nodes
    ]
    return replace(document, nodes=tuple(nodes), selection={})


@guards
class ViewGrid(QWidget):
    """Holds the main viewport, further panes, and the strips over them."""

    changed = Signal()
    menu_asked = Signal(QPoint)

    def __init__(self, session: Session, main: Viewport, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.main = main
        self.arrangement = "one"
        self.comparison = ""
        self.active: Pane = main
        self._panes: list[Pane] = []
        self._before: LinkedStage | None = None
        self.setObjectName("viewGrid")
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Metrics.hair)
        self._layout.addWidget(main, 0, 1)
        self.tools = ToolStrip(session, main.toolbox, self)
        self.view_strip = ViewStrip(session, main.toolbox, self)
        self.view_strip.add_views(self)
        main.menu_asked.connect(self.menu_asked)
        main.installEventFilter(self)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._place)
        session.stage.document_changed.connect(self._on_document)
        main.toolbox.tool_changed.connect(self._soon.start)
        main.toolbox.options_changed.connect(self._soon.start)
        main.stage_shown.connect(self._show_strips)
        self._on_document()

    @property
    def panes(self) -> tuple[Pane, ...]:
        """All panes, the main one first."""
        return (self.main, *self._panes)

    # Arrangements

    def arrange(self, name: object) -> None:
        """Show "one", "two" or "four" views."""
        name = str(name)
        if name == self.arrangement and self.comparison != "beside":
            return
        if self.comparison == "beside":
            self.comparison = ""
        self._clear()
        self.arrangement = name
        for side, row, column in _PLACES[name]:
            self._add(side, row, column)
        self._finish()

    def compare(self, name: object) -> None:
        """Compare with the scene before its edits, "wipe" or "beside"; once more ends it."""
        name = "" if name == self.comparison else str(name)
        if "beside" in (name, self.comparison):
            self._clear()
            self.arrangement = "one"
        self._end_wipe()
        self.comparison = name
        if name == "wipe":
            self._before = self._linked(variant=before_edits)
            self._before.set_size(*self._session.stage.size)
            self.main.wipe.set_stage(self._before)
        elif name == "beside":
            pane = self._add("", 0, 0, variant=True)
            pane.title = self.tr("Before")
        self._share_time(bool(name))
        self._finish()

    def _end_wipe(self) -> None:
        if self._before is not None:
            self.main.wipe.set_stage(None)
            self._before.close()
            self._before.deleteLater()
            self._before = None

    def _share_time(self, shared: bool) -> None:
        target = _SHARED_MS if shared else 2.0 * _SHARED_MS
        for stage in (self._session.stage, *(p.stage for p in self._panes), self._before):
            if stage is not None:
                stage.governor.target_ms = target

    def _linked(self, **how: object) -> LinkedStage:
        session = self._session
        return LinkedStage(session.stage, session.bridge, session.theme, self, **how)

    def _add(self, side: str, row: int, column: int, *, variant: bool = False) -> Pane:
        stage = self._linked(side=side, variant=before_edits if variant else None)
        pane = Pane(self._session, stage, self.main.toolbox, self)
        pane.title = {
            "top": self.tr("Top"), "front": self.tr("Front"), "right": self.tr("Right"),
        }.get(side, "")  # fmt: skip
        pane.menu_asked.connect(self.menu_asked)
        pane.installEventFilter(self)
        self._layout.addWidget(pane, row, column)
        self._panes.append(pane)
        pane.show()
        return pane

    def _clear(self) -> None:
        self.active = self.main
        for pane in self._panes:
            self._layout.removeWidget(pane)
            pane.hide()
            pane.stage.close()
            pane.stage.deleteLater()
            pane.deleteLater()
        self._panes = []

    def _finish(self) -> None:
        columns = 2 if self._panes else 1
        rows = 2 if len(self._panes) > 1 else 1
        for number in range(2):
            self._layout.setColumnStretch(number, 1 if number or columns == 2 else 0)
            self._layout.setRowStretch(number, 1 if number < rows else 0)
        after = self.tr("After") if self.comparison == "beside" else ""
        self.main.title = self.tr("Perspective") if self.arrangement != "one" else after
        for pane in self.panes:
            pane.tell_size()
        self._soon.start()
        self.main.update()
        self.changed.emit()

    # Looking

    def focus(self) -> None:
        """Bring what is selected or chosen into the active view, or else everything."""
        stage = self.active.stage
        document = stage.shown
        if document is None:
            return
        if not document.selection and not document.chosen:
            self.frame_all()
            return
        self._session.start_job(
            partial(focused, document, stage.view, stage.size),
            Handlers(partial(self._on_focused, stage), self._session.report, self._on_progress),
            "focus",
        )

    def _on_focused(self, stage: Stage, view: OrbitView | None) -> None:
        if view is None:
            self.frame_all()
        elif stage.through:
            self.main.toolbox.camera_lock.leave(stage)
            stage.set_view(view, moving=False)
        else:
            stage.set_view(view, moving=False)

    def _on_progress(self, progress: Progress) -> None:
        """It takes no steps."""

    def frame_all(self) -> None:
        """Bring everything into the picture."""
        stage = self.active.stage
        if stage.through:
            self.main.toolbox.camera_lock.leave(stage)
        if isinstance(stage, LinkedStage):
            stage.frame_beside()
        else:
            self._session.frame_all()

    def look(self, direction: str) -> None:
        """See the active view's target from a named side."""
        stage = self.active.stage
        stage.set_view(stage.view.looking(direction), moving=False)

    # The strips

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Know which pane is worked in, and where the panes are."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.Enter) and isinstance(watched, Pane):
            self.active = watched
        elif event.type() == QEvent.Type.Resize:
            self._soon.start()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the strips anew."""
        self._place()

    @Slot()
    def _place(self) -> None:
        margin = Metrics.space[2]
        strip = self.view_strip
        strip.adjustSize()
        left = self.width() - strip.width() - margin
        strip.move(left, margin)
        self.tools.place(left - margin)
        for each in (self.tools, strip):
            each.raise_()
        if self._before is not None:
            self._before.set_size(*self._session.stage.size)
        top = strip.height() + 2 * margin
        for pane in self.panes:
            pane.place_cube(top if pane.y() < top else margin)

    @Slot()
    def _on_document(self) -> None:
        self._show_strips()
        if self._session.stage.document is None:
            self.comparison and self.compare(self.comparison)
            self.arrange("one")

    @Slot()
    def _show_strips(self) -> None:
        shown = self._session.stage.document is not None and not self.main.on_stage
        self.tools.setVisible(shown)
        self.view_strip.setVisible(shown)
        self._soon.start()
