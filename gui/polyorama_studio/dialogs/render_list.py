"""The list of renders: what runs, with its time left; what is done, and where it lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from polyorama_studio.fields.buttons import IconButton
from polyorama_studio.folders import show_in_folder
from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.renders import renders_of
from polyorama_studio.scrolling import scrolled
from polyorama_studio.theme import Metrics
from polyorama_studio.words import duration_text, legible, tip

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from polyorama_studio.renders import Render, Renders
    from polyorama_studio.session import Session
    from polyorama_studio.theme import Theme

__all__ = ["RenderList"]

_LOOK_MS = 500
_MARKS = {
    "done": ("done", "good"), "failed": ("warning", "bad"), "stopped": ("stop", "quiet"),
    "running": ("film", "accent"),
}  # fmt: skip


@guards
class _Bar(QWidget):
    """How far a render has come."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._share: float | None = None
        self.setFixedHeight(Metrics.line_gap)

    def advance(self, share: float | None) -> None:
        """Show another share, 0..1, or None where it is not known."""
        self._share = share
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A line that fills."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        box = QRectF(self.rect())
        radius = box.height() / 2.0
        painter.setBrush(tokens.color("line"))
        painter.drawRoundedRect(box, radius, radius)
        painter.setBrush(tokens.color("accent"))
        box.setWidth(max(box.width() * (self._share or 0.0), box.height()))
        painter.drawRoundedRect(box, radius, radius)
        painter.end()


class _Row(QFrame):
    """One render."""

    def __init__(self, render: Render, renders: Renders, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("jobRow")
        self.render_ = render
        self._renders, self._session = renders, session
        self._mark = QLabel(self)
        self._title = QLabel(render.title, self)
        self._title.setToolTip(tip(str(render.settings.path)))
        self._note = QLabel(self)
        self._note.setProperty("quiet", True)
        for label in (self._title, self._note):
            label.setMinimumWidth(1)
        self._bar = _Bar(session.theme, self)
        theme = session.theme
        self.cancel = IconButton(theme, "stop", self.tr("Stop; what is done of a film stays"), self)
        self.again = IconButton(theme, "play", self.tr("Go on"), self)
        self.show_ = IconButton(theme, "folder", self.tr("Show in folder"), self)
        self.forget = IconButton(theme, "close", self.tr("Leave out of the list"), self)
        self.cancel.clicked.connect(self._on_cancel)
        self.again.clicked.connect(self._on_again)
        self.show_.clicked.connect(self._on_show)
        self.forget.clicked.connect(self._on_forget)
        top = QHBoxLayout()
        top.setSpacing(Metrics.space[0])
        top.addWidget(self._mark)
        top.addWidget(self._title, 1)
        for button in (self.again, self.show_, self.cancel, self.forget):
            top.addWidget(button)
        column = QVBoxLayout(self)
        gap = Metrics.space[0]
        column.setContentsMargins(Metrics.space[1], gap, gap, gap + Metrics.hair)
        column.setSpacing(Metrics.hair)
        column.addLayout(top)
        column.addWidget(self._bar)
        column.addWidget(self._note)
        self.refresh()

    def refresh(self) -> None:
        """Say how it stands."""
        render, tokens = self.render_, self._session.theme.tokens
        running = render.state == "running"
        name, token = _MARKS[render.state]
        side = Metrics.icon
        self._mark.setPixmap(
            icon(name, tokens.color(token)).pixmap(QSize(side, side), self.devicePixelRatioF())
        )
        self._bar.setVisible(running)
        self._bar.advance(render.share)
        self._note.setText(legible(self._words()))
        self._note.setToolTip(tip(render.error or str(render.settings.path)))
        stopping = render.job is not None and not render.job.can_cancel
        self.cancel.setVisible(running)
        self.cancel.setEnabled(not stopping)
        self.again.setVisible(render.state in ("stopped", "failed"))
        self.show_.setVisible(render.state == "done")
        self.forget.setVisible(not running)

    def _words(self) -> str:
        render = self.render_
        if render.state == "running":
            words = [render.note or self.tr("Starting")]
            if render.share is not None:
                words.append(f"{render.share:.0%}")
            left = render.seconds_left
            if left is not None:
                words.append(self.tr("{0} left").format(duration_text(left)))
            return ", ".join(words)
        if render.state == "failed":
            return render.error
        if render.state == "stopped":
            return self.tr("Stopped")
        return self.tr("Done in {0}").format(duration_text(render.seconds))

    @Slot()
    def _on_cancel(self) -> None:
        self._renders.cancel(self.render_)

    @Slot()
    def _on_again(self) -> None:
        self._renders.start(self.render_, resume=True)

    @Slot()
    def _on_show(self) -> None:
        show_in_folder(self.render_.settings.path)

    @Slot()
    def _on_forget(self) -> None:
        self._renders.forget(self.render_)


class RenderList(QWidget):
    """A row a render, the newest at the top."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._renders = renders_of(session)
        self.rows: list[_Row] = []
        inside = QWidget(self)
        inside.setObjectName("panelBody")
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(Metrics.space[0])
        self._nothing = QLabel(self.tr("Renders stand here, also after this window is closed"))
        self._nothing.setProperty("quiet", True)
        self._column.addWidget(self._nothing)
        self._column.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scrolled(inside, self))
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self.refresh)
        self._renders.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the renders as they are."""
        entries = self._renders.entries
        if [row.render_ for row in self.rows] != entries:
            known = {row.render_: row for row in self.rows}
            for row in self.rows:
                self._column.removeWidget(row)
                if row.render_ not in entries:
                    row.hide()
                    row.deleteLater()
            self.rows = []
            for number, render in enumerate(entries):
                row = known.get(render) or _Row(
                    render, self._renders, self._session, self._column.parentWidget()
                )
                self._column.insertWidget(number + 1, row)
                row.show()
                self.rows.append(row)
        self._nothing.setVisible(not entries)
        for row in self.rows:
            row.refresh()
        running = any(render.state == "running" for render in entries)
        if running != self._timer.isActive():
            self._timer.start() if running else self._timer.stop()
