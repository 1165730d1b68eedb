"""What stands round the viewport: the rail of tools and the status strip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics, fixed_font, font
from polyorama_studio.words import legible, shortened, splats_left, tip

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from polyorama.scene.document import Document
    from polyorama_studio.actions import ActionSet
    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.face.desk import Desk
    from polyorama_studio.workspaces.lab.run import Run
    from polyorama_studio.workspaces.shapes.shelf import Shelf

__all__ = ["Rail", "StatusStrip"]


@guards
class Rail(QFrame):
    """A narrow column of the most used actions; window switches stand at its foot.

    Where the window is too low for all of them, the last ones go into a menu.
    """

    def __init__(self, actions: ActionSet, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setFixedWidth(Metrics.rail)
        self._session = session
        self._head: list[QWidget] = []
        self._foot: list[QToolButton] = []
        self._actions: dict[QWidget, QAction] = {}
        layout = QVBoxLayout(self)
        side = Metrics.space[0]
        layout.setContentsMargins(0, side, 0, side)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        layout.setSpacing(Metrics.hair)
        before = ""
        for action, qt_action in actions.in_rail():
            button = self._button(qt_action)
            if action.menu == "window":
                self._foot.append(button)
                continue
            group = f"{action.menu}{action.group}"
            if before and group != before:
                self._head.append(self._line())
            before = group
            self._head.append(button)
        self.more = QToolButton(self)
        self.more.setToolTip(self.tr("More"))
        self.more.setAccessibleName(self.tr("More"))
        self.more.setIconSize(QSize(Metrics.icon, Metrics.icon))
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.more.clicked.connect(self._show_more)
        for widget in (*self._head, self.more):
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
        for button in self._foot:
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        session.theme.changed.connect(self._dress)
        self._dress()

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton(self)
        button.setDefaultAction(action)
        button.setIconSize(QSize(Metrics.icon, Metrics.icon))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(action.text().rstrip("."))
        self._actions[button] = action
        return button

    def _line(self) -> QFrame:
        line = QFrame(self)
        line.setObjectName("railLine")
        line.setFixedWidth(Metrics.icon)
        holder = QFrame(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(line, 0, Qt.AlignmentFlag.AlignHCenter)
        holder.setFixedHeight(Metrics.space[1] + 1)
        return holder

    @Slot()
    def _dress(self) -> None:
        self.more.setIcon(icon("more", self._session.theme.tokens.color("quiet")))

    def minimumSizeHint(self) -> QSize:
        """Low: what does not fit goes into the menu."""
        return QSize(Metrics.rail, 4 * Metrics.rail)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many as fit."""
        super().resizeEvent(event)
        gap = Metrics.hair
        heights = [widget.sizeHint().height() + gap for widget in self._head]
        foot = sum(button.sizeHint().height() + gap for button in self._foot)
        room = self.height() - foot - 2 * Metrics.space[0] - gap
        fits = sum(heights) <= room
        if not fits:
            room -= self.more.sizeHint().height() + gap
        for widget, height in zip(self._head, heights, strict=True):
            room -= height
            widget.setVisible(room >= 0)
        self.more.setVisible(not fits)

    @Slot()
    def _show_more(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for widget in self._head:
            action = self._actions.get(widget)
            if action is not None and widget.isHidden():
                menu.addAction(action)
        menu.popup(self.more.mapToGlobal(self.more.rect().topRight()))


@guards
class PythonLine(QWidget):
    """The Python of what was done last, as much of it as there is room for."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.line = ""
        self.setFont(fixed_font(Metrics.label))

    @Slot(str)
    def show_line(self, line: str) -> None:
        """Show this one."""
        self.line = line
        self.setToolTip(tip(self.tr("Python of what was done last\n{0}").format(line)))
        self.setAccessibleName(self.tr("Python of what was done last"))
        self.setAccessibleDescription(line)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The line, elided in the middle."""
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self._session.theme.tokens.color("quiet"))
        text = self.fontMetrics().elidedText(
            self.line, Qt.TextElideMode.ElideMiddle, self.width() - Metrics.space[3]
        )
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text
        )
        painter.end()


class StatusStrip(QFrame):
    """What is open at the left, then the last Python line; at the right how it is drawn."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._counted: tuple[Document | None, str] = (None, "")
        self._workspace = "scene"
        self.setObjectName("status")
        self.setFixedHeight(Metrics.status)
        figures = font(Metrics.label, tabular=True)
        self._name = QLabel(self)
        self._name.setObjectName("name")
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._splats = QLabel(self)
        self._quality = QLabel(self)
        self._backend = QLabel(self)
        self._time = QLabel(self)
        self._rate = QLabel(self)
        self._python = PythonLine(session, self)
        session.logged.connect(self._python.show_line)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Metrics.space[2], 0, Metrics.space[2], 0)
        layout.setSpacing(Metrics.space[3])
        layout.addWidget(self._name)
        layout.addWidget(self._splats)
        layout.addWidget(self._python, 1)
        for label, widest in (
            (self._rate, self.tr("{0} FPS").format("888")),
            (
                self._quality,
                self.tr("{0} of {1} splats, {2} % size").format("8,888,888", "8,888,888", 88),
            ),
            (self._time, self.tr("{0} ms a frame").format("8,888")),
            (self._backend, ""),
        ):
            label.setFont(figures)
            if widest:
                # As wide as its widest text, so that nothing jumps while numbers change.
                label.setMinimumWidth(label.fontMetrics().horizontalAdvance(widest))
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            layout.addWidget(label)
        self._splats.setFont(figures)
        stage = session.stage
        stage.picture_ready.connect(self.refresh)
        stage.document_changed.connect(self.refresh)
        stage.document_edited.connect(self.refresh)
        session.opening.files_changed.connect(self.refresh)
        self.refresh()

    def show_workspace(self, workspace_id: str) -> None:
        """Say how things stand in another workspace."""
        self._workspace = workspace_id
        self.refresh()

    def _tell_of_lab(self, run: Run) -> None:
        """The experiment; how fast it runs, on what, and how often it is drawn."""
        self._name.setText(shortened(run.title, self._name.fontMetrics(), Metrics.name_words))
        self._name.setToolTip("")
        self._splats.setText("")
        self._quality.setText("")
        update = run.update
        pace = 0.0 if update is None or not run.playing else update.steps_per_s
        self._time.setText(self.tr("{0} steps/s").format(f"{pace:,.0f}") if pace else "")
        self._backend.setText("" if update is None else update.device)
        rate = run.rate.fps if run.playing else 0.0
        self._rate.setText(self.tr("{0} FPS").format(f"{rate:.0f}") if rate else "")

    def _tell_of_shapes(self, shelf: Shelf) -> None:
        """The library and how much is in it; what is chosen, and how far indexing has come."""
        self._name.setText(self.tr("Library"))
        folders = shelf.overview.folders
        self._name.setToolTip(tip("\n".join(str(folder.path) for folder in folders)))
        count = shelf.overview.count
        shapes = self.tr("1 shape") if count == 1 else self.tr("{0} shapes").format(f"{count:,}")
        empty = self.tr("No folder yet") if shelf.ready else ""
        self._splats.setText(shapes if folders else empty)
        room = self._quality.fontMetrics()
        self._quality.setText(shortened(shelf.chosen_words, room, Metrics.name_words))
        job = shelf.indexing
        share = None if job is None else job.share
        told = self.tr("Indexing") if share is None else self.tr("Indexing, {0} %")
        self._time.setText("" if job is None else told.format(round(100 * (share or 0.0))))
        self._backend.setText("")
        self._rate.setText("")

    def _tell_of_face(self, desk: Desk) -> None:
        """Whose face, what it says, what moves it; how fast it is drawn."""
        rig, script = desk.rig, desk.script
        name = self.tr("Building the puppet") if rig is None else legible(rig.name)
        name = (name[:1].upper() + name[1:]) or self.tr("Face")
        self._name.setText(shortened(name, self._name.fontMetrics(), Metrics.name_words))
        self._name.setToolTip("")
        said = self.tr("{0} s, {1} phones").format(
            f"{desk.seconds:.1f}", f"{len(script.phones.phones):,}"
        )
        self._splats.setText(said if desk.speaks else "")
        source = {
            "model": self.tr("By the model, take {0}"), "rules": self.tr("By rules"),
            "mix": self.tr("By model and rules, take {0}"), "tracker": self.tr("By a tracker"),
        }[script.source].format(script.seed)  # fmt: skip
        source = self.tr("Working") if desk.working else source
        self._quality.setText(source if desk.speaks else "")
        shown, stage = None if desk.stage is None else desk.stage.picture, desk.stage
        self._backend.setText("" if shown is None else shown.backend)
        took = "" if shown is None else f"{shown.milliseconds:,.0f}"
        self._time.setText(self.tr("{0} ms a frame").format(took) if took else "")
        moving = self._session.playback.playing or desk.live_weights is not None
        rate = stage.fps if stage is not None and moving else 0.0
        self._rate.setText(self.tr("{0} FPS").format(f"{rate:.0f}") if rate else "")

    def _left(self) -> str:
        """How many splats there are without those that were deleted, of how many."""
        document = self._session.stage.document
        if document is not None and document is not self._counted[0]:
            self._counted = (document, splats_left([node for node, _ in document.drawn()]))
        return self._counted[1]

    @Slot()
    @Slot(object)
    def refresh(self, picture: object = None) -> None:
        """Say how things stand."""
        session, stage = self._session, self._session.stage
        if self._workspace == "lab" and session.lab is not None:
            self._tell_of_lab(session.lab)
            return
        if self._workspace == "shapes" and session.shapes is not None:
            self._tell_of_shapes(session.shapes)
            return
        if self._workspace == "face" and session.face is not None:
            self._tell_of_face(session.face)
            return
        count = stage.splat_count
        title = session.title or self.tr("Nothing open")
        self._name.setText(shortened(title, self._name.fontMetrics(), Metrics.name_words))
        self._name.setToolTip(tip("\n".join(map(str, session.files))) if session.files else "")
        self._splats.setText("" if stage.document is None else self._left())
        shown = stage.picture
        if shown is None:
            for label in (self._quality, self._backend, self._time, self._rate):
                label.setText("")
            return
        request = shown.request
        if request.quality.full:
            self._quality.setText(self.tr("Full quality"))
        elif request.limit is None:
            self._quality.setText(
                self.tr("All splats, {0} % size").format(round(100 * request.quality.scale))
            )
        else:
            self._quality.setText(
                self.tr("{0} of {1} splats, {2} % size").format(
                    f"{request.limit:,}", f"{count:,}", round(100 * request.quality.scale)
                )
            )
        self._backend.setText(shown.backend)
        self._time.setText(self.tr("{0} ms a frame").format(f"{shown.milliseconds:,.0f}"))
        rate = stage.fps if stage.moving else 0.0
        self._rate.setText(self.tr("{0} FPS").format(f"{rate:.0f}") if rate else "")
