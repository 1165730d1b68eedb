"""The experiments as cards whose pictures move when they are pointed at."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from polyorama_studio.fields.buttons import Hovered
from polyorama_studio.fields.row import Label
from polyorama_studio.fuzzy import fit
from polyorama_studio.guard import guards
from polyorama_studio.jobs import Handlers
from polyorama_studio.panels.parts import column_of, scrolled
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import tip
from polyorama_studio.workspaces.lab.loops import LoopMaker
from polyorama_studio.workspaces.lab.previews import read_frames, room_title
from polyorama_studio.workspaces.lab.run import make_runner

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QImage, QPaintEvent, QShowEvent

    from polyorama_studio.session import Session
    from polyorama_studio.workspaces.lab.run import Run

__all__ = ["Card", "Gallery"]

_FRAME_MS = 110
_STILL = 0.6
"""Which picture of the loop stands still, as a share of the loop: by then something is seen."""


@guards
class Card(Hovered):
    """A picture and a title."""

    def __init__(self, session: Session, experiment_id: str, parent: QWidget) -> None:
        super().__init__(session.theme, parent)
        self.id = experiment_id
        self.summary = ""
        self.frames: list[QImage] = []
        self.frame = 0
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.set_words((experiment_id.rpartition("/")[2].replace("-", " ").capitalize(), ""))
        self._timer = QTimer(self)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(self._next)
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        """Picture and one line."""
        wide, high = Metrics.lab_thumb
        return QSize(wide, high + Metrics.row)

    def set_words(self, words: tuple[str, str]) -> None:
        """Say what it is: title and one sentence."""
        title, self.summary = words
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(self.summary)
        self.setToolTip(tip(f"{title}\n{self.summary}".strip()))
        self.update()

    def set_frames(self, frames: list[QImage]) -> None:
        """Its loop."""
        self.frames = frames
        self.frame = round(_STILL * (len(frames) - 1)) if frames else 0
        self.update()

    @Slot()
    def _next(self) -> None:
        if self.frames:
            self.frame = (self.frame + 1) % len(self.frames)
            self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Move."""
        super().enterEvent(event)
        self._timer.start()

    def leaveEvent(self, event: QEvent) -> None:
        """Stand still."""
        super().leaveEvent(event)
        self._timer.stop()
        self.set_frames(self.frames)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture with round corners; below it the title."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        wide, high = Metrics.lab_thumb
        box = QRectF(0.5, 0.5, wide - 1.0, high - 1.0)
        path = QPainterPath()
        path.addRoundedRect(box, Metrics.card_corner, Metrics.card_corner)
        painter.fillPath(path, tokens.color("raised"))
        if self.frames:
            painter.setClipPath(path)
            painter.drawImage(box, self.frames[min(self.frame, len(self.frames) - 1)])
            painter.setClipping(False)
        on = self.isChecked() or self.hasFocus()
        painter.setPen(tokens.color("accent" if on else "quiet" if self.underMouse() else "line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        words = QRectF(Metrics.hair, high, wide - Metrics.hair, Metrics.row)
        painter.setFont(font(Metrics.body))
        painter.setPen(tokens.color("text" if self.isChecked() or self.underMouse() else "quiet"))
        metrics = painter.fontMetrics()
        title = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, int(words.width()))
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, title)
        painter.end()


@guards
class Gallery(QFrame):
    """Cards by room, with a search above them."""

    chosen = Signal(str)

    def __init__(self, session: Session, run: Run, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("labGallery")
        self.setFixedWidth(Metrics.lab_gallery)
        self._session = session
        self._run = run
        self.cards: list[Card] = []
        self._headings: dict[str, Label] = {}
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Find an experiment"))
        self.search.setAccessibleName(self.tr("Find an experiment"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._on_search)
        inside = QWidget(self)
        inside.setObjectName("panelBody")
        self._column = column_of(inside)
        gap = Metrics.space[1]
        self._column.setContentsMargins(gap, 0, gap, gap)
        self._column.setSpacing(gap)
        self._column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, gap, 0, 0)
        outer.setSpacing(gap)
        holder = QVBoxLayout()
        holder.setContentsMargins(gap, 0, gap, 0)
        holder.addWidget(self.search)
        outer.addLayout(holder)
        outer.addWidget(scrolled(inside, self), 1)
        run.loaded_changed.connect(self._on_loaded)
        session.theme.changed.connect(self._read_frames)
        self._maker = LoopMaker(session, make_runner, self)
        self._maker.made.connect(self._on_made)
        run.changed.connect(self._on_run_changed)
        run.loading_changed.connect(self._on_run_changed)
        run.closing.connect(self._maker.close)
        self._filled = False

    def showEvent(self, event: QShowEvent) -> None:
        """Fill it when it is first seen."""
        super().showEvent(event)
        if not self._filled:
            self._filled = True
            self.fill()

    def fill(self) -> None:
        """A card an experiment."""
        from polyorama.lab.catalog import described, experiment_ids

        parent = self._column.parentWidget()
        for experiment_id in experiment_ids():
            room = room_title(experiment_id)
            if room not in self._headings:
                heading = Label(room, parent)
                heading.setContentsMargins(Metrics.hair, Metrics.space[0], 0, 0)
                self._headings[room] = heading
                self._column.insertWidget(self._column.count() - 1, heading)
            card = Card(self._session, experiment_id, parent)
            card.clicked.connect(self._on_clicked)
            self.cards.append(card)
            self._column.insertWidget(self._column.count() - 1, card)
            done = Handlers(card.set_words, self._not_described, _nothing)
            self._session.start_job(
                partial(described, experiment_id), done, "describe an experiment"
            )
        self._read_frames()

    def _not_described(self, error: BaseException) -> None:
        """A plug-in that cannot be imported says so when it is chosen."""

    @Slot()
    def _read_frames(self) -> None:
        for card in self.cards:
            self._read_frames_of(card)

    def _read_frames_of(self, card: Card) -> None:
        theme = self._session.theme.tokens.name
        done = Handlers(partial(self._on_frames, card), self._session.report, _nothing)
        self._session.start_job(partial(read_frames, card.id, theme), done, "read a preview")

    def _on_frames(self, card: Card, frames: list[QImage]) -> None:
        card.set_frames(frames)
        if not frames:
            self._maker.ask(card.id)

    @Slot(str)
    def _on_made(self, experiment_id: str) -> None:
        for card in self.cards:
            if card.id == experiment_id:
                self._read_frames_of(card)

    @Slot()
    def _on_run_changed(self) -> None:
        """While something plays, the machine is left to it."""
        self._maker.set_paused(self._run.playing or self._run.loading)

    @Slot()
    def _on_loaded(self) -> None:
        setup = self._run.setup
        for card in self.cards:
            card.setChecked(setup is not None and card.id == setup.id)

    @Slot()
    def _on_clicked(self) -> None:
        card = self.sender()
        if isinstance(card, Card):
            self.chosen.emit(card.id)

    @Slot(str)
    def _on_search(self, query: str) -> None:
        rooms = set()
        for card in self.cards:
            room = room_title(card.id)
            meant = not query or fit(query, f"{card.text()} {room} {card.id}") is not None
            card.setVisible(meant)
            if meant:
                rooms.add(room)
        for room, heading in self._headings.items():
            heading.setVisible(room in rooms)

    def next_id(self, by: int) -> str:
        """The experiment so many cards after the one on the stage."""
        ids = [card.id for card in self.cards]
        setup = self._run.setup
        if not ids:
            return ""
        here = ids.index(setup.id) if setup is not None and setup.id in ids else -min(by, 0)
        return ids[(here + by) % len(ids)] if setup is not None else ids[0]


def _nothing(progress: object) -> None:
    """It takes no steps."""
