"""Jobs: what runs beside the window, how long it will still take, and what ended lately."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import duration_text, legible, tip

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from polyorama_studio.jobs import Job
    from polyorama_studio.session import Session

__all__ = ["JobsPanel"]

_REFRESH_MS = 120
_PATIENCE_S = 0.3
"""What takes less is not worth a line."""
_ENDS = {"done": ("done", "good"), "failed": ("warning", "bad"), "cancelled": ("close", "quiet")}


@guards
class _Bar(QWidget):
    """How far a job has come; a moving piece where that is not known."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.share: float | None = None
        self._phase = 0.0
        self.setFixedHeight(Metrics.job_bar)

    def advance(self, share: float | None) -> None:
        """Show this share, or move on."""
        self.share = share
        self._phase = (self._phase + 0.04) % 1.4
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The bar."""
        tokens = self._session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        area = QRectF(self.rect())
        round_ = area.height() / 2.0
        painter.setBrush(tokens.color("raised"))
        painter.drawRoundedRect(area, round_, round_)
        painter.setBrush(tokens.color("accent"))
        if self.share is None:
            width = area.width()
            left = (self._phase - 0.4) * width
            painter.setClipRect(area)
            painter.drawRoundedRect(QRectF(left, 0, 0.4 * width, area.height()), round_, round_)
        elif self.share > 0.0:
            wide = max(area.height(), area.width() * min(self.share, 1.0))
            painter.drawRoundedRect(QRectF(0, 0, wide, area.height()), round_, round_)
        painter.end()


class _Row(QFrame):
    """One job."""

    def __init__(self, session: Session, job: Job, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("jobRow")
        self._session = session
        self.job = job
        self._mark = QLabel(self)
        self._title = QLabel(legible(job.title), self)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._time = QLabel(self)
        self._time.setProperty("quiet", True)
        self._time.setFont(font(Metrics.label, tabular=True))
        self._bar = _Bar(session, self)
        self._note = QLabel(self)
        self._note.setProperty("quiet", True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setWordWrap(True)
        self._note.setFont(font(Metrics.label))
        self._cancel = QToolButton(self)
        self._cancel.setObjectName("dockButton")
        self._cancel.setIconSize(QSize(Metrics.small_icon, Metrics.small_icon))
        self._cancel.setToolTip(self.tr("Cancel"))
        self._cancel.setAccessibleName(self.tr("Cancel {0}").format(job.title))
        self._cancel.clicked.connect(self._on_cancel)
        for label in (self._title, self._note):
            label.setMinimumWidth(1)
        top = QHBoxLayout()
        top.setSpacing(Metrics.space[1])
        top.addWidget(self._mark)
        top.addWidget(self._title, 1)
        top.addWidget(self._time)
        top.addWidget(self._cancel)
        column = QVBoxLayout(self)
        gap = Metrics.space[1]
        column.setContentsMargins(gap, gap, gap, gap)
        column.setSpacing(Metrics.space[0])
        column.addLayout(top)
        column.addWidget(self._bar)
        column.addWidget(self._note)
        self._state = ""
        self.refresh()

    def refresh(self) -> None:
        """Say how it stands."""
        job, tokens = self.job, self._session.theme.tokens
        running = job.state == "running"
        self._bar.setVisible(running)
        self._bar.advance(job.share)
        left = job.seconds_left
        if running and left is not None:
            self._time.setText(self.tr("{0} left").format(duration_text(left)))
        else:
            self._time.setText(duration_text(job.seconds))
        stopping = running and job.running is not None and job.running.cancelled
        words = self.tr("Stopping") if stopping else job.error or (job.note if running else "")
        if words == job.title:
            words = ""
        if words != self._note.text():
            self._note.setText(legible(words))
            self._note.setToolTip(tip(words))
        self._note.setVisible(bool(words))
        self._cancel.setVisible(job.can_cancel)
        look = f"{job.state} {tokens.name}"
        if look != self._state:
            self._state = look
            self._cancel.setIcon(icon("close", tokens.color("quiet")))
            self._mark.setVisible(not running)
            if not running:
                name, token = _ENDS[job.state]
                side = Metrics.icon
                self._mark.setPixmap(
                    icon(name, tokens.color(token)).pixmap(
                        QSize(side, side), self.devicePixelRatioF()
                    )
                )

    @Slot()
    def _on_cancel(self) -> None:
        self.job.cancel()
        self.refresh()


@guards
class JobsPanel(QWidget):
    """A line a job, the newest at the top."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.rows: list[_Row] = []
        self._none = QLabel(self.tr("Nothing is running"), self)
        self._none.setProperty("quiet", True)
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._clear = QPushButton(self.tr("Clear the list"), self)
        self._clear.clicked.connect(session.jobs.forget_ended)
        inside = QWidget(self)
        inside.setObjectName("panelBody")
        self._column = QVBoxLayout(inside)
        side = Metrics.space[0]
        self._column.setContentsMargins(side, side, side, side)
        self._column.setSpacing(side)
        self._column.addWidget(self._none)
        self._column.addStretch(1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, side)
        layout.setSpacing(side)
        layout.addWidget(area, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(side, 0, side, 0)
        foot.addStretch(1)
        foot.addWidget(self._clear)
        layout.addLayout(foot)
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        session.jobs.changed.connect(self._on_changed)
        session.theme.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def _on_changed(self) -> None:
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Follow what runs only while it is seen."""
        super().showEvent(event)
        self.refresh()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest."""
        super().hideEvent(event)
        self._timer.stop()

    @Slot()
    def refresh(self) -> None:
        """Bring all lines up to date."""
        shown = [
            job for job in reversed(self._session.jobs.entries)
            if job.listed and (job.state != "running" or job.seconds > _PATIENCE_S)
        ]  # fmt: skip
        if [row.job for row in self.rows] != shown:
            kept = {id(row.job): row for row in self.rows}
            for row in self.rows:
                self._column.removeWidget(row)
                if row.job not in shown:
                    row.hide()
                    row.deleteLater()
            self.rows = [
                kept.get(id(job)) or _Row(self._session, job, self._column.parentWidget())
                for job in shown
            ]
            for place, row in enumerate(self.rows):
                self._column.insertWidget(place, row)
                row.show()
        for row in self.rows:
            row.refresh()
        self._none.setVisible(not self.rows)
        self._clear.setVisible(any(job.state != "running" for job in shown))
        if not self._session.jobs.active:
            self._timer.stop()
