"""The start page: what one sees, and can do, while the stage is empty."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from polyorama_studio.icons import icon, paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import legible, shortened, tip

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["RecentRow", "StartPage"]

_SHOWN = 5


class _Mark(QWidget):
    """Polyorama's mark."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setFixedSize(Metrics.mark, Metrics.mark)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_icon(
            painter, "polyorama", self._session.theme.tokens.color("text"), QRectF(self.rect())
        )
        painter.end()


class RecentRow(QPushButton):
    """One recent file: its name, and in quiet text the folder it lies in."""

    chosen = Signal(object)

    def __init__(self, session: Session, path: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("recentRow")
        self.path = path
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tip(str(path)))
        self.setAccessibleName(self.tr("Open {0}").format(legible(path.name)))
        tokens = session.theme.tokens
        mark = QLabel(self)
        name = "theatre" if path.suffix == ".poly" else "splats"
        side = Metrics.icon
        mark.setPixmap(
            icon(name, tokens.color("quiet")).pixmap(QSize(side, side), self.devicePixelRatioF())
        )
        title, folder = QLabel(self), QLabel(self)
        least = 2 * Metrics.space[4]
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setText(shortened(path.name, title.fontMetrics(), Metrics.recent_words - least))
        folder.setTextFormat(Qt.TextFormat.PlainText)
        folder.setObjectName("recentFolder")
        metrics = QFontMetrics(font(Metrics.label))
        room = Metrics.recent_words - title.fontMetrics().horizontalAdvance(title.text())
        folder.setText(shortened(_short(path.parent), metrics, max(room, least)))
        for label in (mark, title, folder):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Metrics.space[1], 0, Metrics.space[1], 0)
        layout.setSpacing(Metrics.space[1])
        layout.addWidget(mark)
        layout.addWidget(title)
        layout.addStretch(1)
        layout.addWidget(folder)
        self.clicked.connect(self._choose)

    @Slot()
    def _choose(self) -> None:
        self.chosen.emit(self.path)


def _short(folder: Path) -> str:
    try:
        return "~/" + folder.relative_to(Path.home()).as_posix()
    except ValueError:
        return str(folder)


class StartPage(QFrame):
    """The invitation, two buttons, the recent files."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("start")
        self._session = session
        self._over = parent
        self.setFixedWidth(Metrics.start_width)
        title = QLabel(self.tr("Drop a capture here, or open the sample stage"), self)
        title.setObjectName("startTitle")
        title.setFont(font(Metrics.start))
        title.setWordWrap(True)
        title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        hint = QLabel(
            self.tr("PLY, SPLAT, KSPLAT, SPZ, SOG and glTF captures, meshes, projects"),
            self,
        )
        hint.setObjectName("startHint")
        hint.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.open_button = QPushButton(self.tr("Open..."), self)
        self.open_button.setProperty("primary", True)
        self.open_button.clicked.connect(session.opening.asked)
        self.sample_button = QPushButton(self.tr("Open the sample stage"), self)
        self.sample_button.clicked.connect(session.opening.open_sample)
        buttons = QHBoxLayout()
        buttons.setSpacing(Metrics.space[1])
        buttons.addStretch(1)
        for button in (self.open_button, self.sample_button):
            button.setProperty("large", True)
            buttons.addWidget(button)
        buttons.addStretch(1)
        self._recent_title = QLabel(self.tr("Recent"), self)
        self._recent_title.setObjectName("recentTitle")
        self._recent_title.setContentsMargins(Metrics.space[1], 0, 0, 0)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._rows: list[RecentRow] = []
        layout = self._column = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(_Mark(session, self), 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(Metrics.space[4])
        layout.addWidget(title)
        layout.addSpacing(Metrics.space[1])
        layout.addWidget(hint)
        layout.addSpacing(Metrics.space[4])
        layout.addLayout(buttons)
        layout.addSpacing(2 * Metrics.space[4])
        layout.addWidget(self._recent_title)
        layout.addSpacing(Metrics.space[0])
        layout.addLayout(self._recent)
        session.preferences.recent_changed.connect(self.refresh)
        session.theme.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the recent files anew."""
        for row in self._rows:
            self._recent.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [
            RecentRow(self._session, path, self)
            for path in self._session.preferences.recent[:_SHOWN]
        ]
        for row in self._rows:
            row.chosen.connect(self._open)
            self._recent.addWidget(row)
            row.show()
        self._recent_title.setVisible(bool(self._rows))
        self.place()

    def place(self) -> None:
        """In the middle of the viewport, a little above the centre."""
        parent = self._over
        self._column.activate()
        # Not adjustSize: its guess at wrapped text is too high, and the labels drift apart.
        self.resize(self.width(), self._column.totalHeightForWidth(self.width()))
        self.move(
            (parent.width() - self.width()) // 2,
            max(0, round((parent.height() - self.height()) * 0.46)),
        )

    @Slot(object)
    def _open(self, path: Path) -> None:
        self._session.open_files([path])
