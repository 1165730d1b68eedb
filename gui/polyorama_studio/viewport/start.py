"""The start page: what one sees, and can do, while the stage is empty."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from polyorama_studio import calls
from polyorama_studio.guard import guards
from polyorama_studio.icons import paint_icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import legible, shortened, tip

if TYPE_CHECKING:
    from PySide6.QtGui import QPixmap, QShowEvent

    from polyorama_studio.session import Session

__all__ = ["ProjectCard", "RecentRow", "StartPage"]

_SHOWN = 5


@guards
class _Mark(QWidget):
    """Polyorama's mark."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setFixedSize(Metrics.mark, Metrics.mark)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The icon, large."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = self._session.theme.tokens.color("accent")
        paint_icon(painter, "polyorama", color, QRectF(self.rect()))
        painter.end()


@guards
class _Picture(QWidget):
    """The picture of a file with round corners; its icon where there is none."""

    def __init__(
        self, session: Session, path: Path, size: tuple[int, int], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._path = path.absolute()
        self.setFixedSize(*size)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        session.thumbnails.came.connect(self._on_came)

    @Slot(object)
    def _on_came(self, path: Path) -> None:
        if path == self._path:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture fills its frame, cut where it is of another shape."""
        tokens = self._session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF(self.rect())
        frame = QPainterPath()
        corner = float(Metrics.corner)
        frame.addRoundedRect(area, corner, corner)
        picture = self._session.thumbnails.of(self._path)
        if picture is None:
            painter.fillPath(frame, tokens.color("raised"))
            side = float(Metrics.icon)
            box = QRectF(0, 0, side, side)
            box.moveCenter(area.center())
            name = "theatre" if self._path.suffix == ".poly" else "splats"
            paint_icon(painter, name, tokens.color("quiet"), box)
        else:
            painter.setClipPath(frame)
            painter.drawPixmap(_filling(picture, area), picture, QRectF(picture.rect()))
        painter.end()


def _filling(picture: QPixmap, area: QRectF) -> QRectF:
    """Where a picture lies that fills an area, its middle in the area's."""
    scale = max(area.width() / picture.width(), area.height() / picture.height())
    box = QRectF(0, 0, picture.width() * scale, picture.height() * scale)
    box.moveCenter(area.center())
    return box


class ProjectCard(QPushButton):
    """A project that comes with Polyorama: its picture and its name."""

    chosen = Signal(object)

    def __init__(self, session: Session, title: str, path: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("startCard")
        self.path = path
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Open {0}").format(title))
        self.setToolTip(tip(title))
        edge = Metrics.space[0]
        self._name = QLabel(title, self)
        self._name.setFont(font(Metrics.label))
        self._name.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._name.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        column = QVBoxLayout(self)
        column.setContentsMargins(edge, edge, edge, edge)
        column.setSpacing(edge)
        column.addWidget(_Picture(session, path, Metrics.card, self))
        column.addWidget(self._name)
        # A button knows nothing of what lies in it.
        self.setFixedSize(column.sizeHint())
        self.clicked.connect(self._choose)

    @Slot()
    def _choose(self) -> None:
        self.chosen.emit(self.path)


class RecentRow(QPushButton):
    """One recent file: its picture, its name, and in quiet text the folder it lies in."""

    chosen = Signal(object)

    def __init__(self, session: Session, path: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("recentRow")
        self.path = path
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tip(str(path)))
        self.setAccessibleName(self.tr("Open {0}").format(legible(path.name)))
        title, folder = QLabel(self), QLabel(self)
        least = 2 * Metrics.space[4]
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setText(shortened(path.name, title.fontMetrics(), Metrics.recent_words - least))
        folder.setTextFormat(Qt.TextFormat.PlainText)
        folder.setObjectName("recentFolder")
        metrics = QFontMetrics(font(Metrics.label))
        room = Metrics.recent_words - title.fontMetrics().horizontalAdvance(title.text())
        folder.setText(shortened(_short(path.parent), metrics, max(room, least)))
        for label in (title, folder):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(Metrics.space[0], 0, Metrics.space[1], 0)
        layout.setSpacing(Metrics.space[1])
        layout.addWidget(_Picture(session, path, Metrics.row_picture, self))
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


@guards
class StartPage(QFrame):
    """The invitation, two buttons, projects that come with Polyorama, the recent files."""

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
        self._mark = _Mark(session, self)
        self._cards = self._made_cards()
        self._recent_title = QLabel(self.tr("Recent"), self)
        self._recent_title.setObjectName("recentTitle")
        self._recent_title.setContentsMargins(Metrics.space[1], 0, 0, 0)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(Metrics.hair)
        self._rows: list[RecentRow] = []
        layout = self._column = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(Metrics.space[4])
        layout.addWidget(title)
        layout.addSpacing(Metrics.space[1])
        layout.addWidget(hint)
        layout.addSpacing(Metrics.space[4])
        layout.addLayout(buttons)
        layout.addSpacing(2 * Metrics.space[4])
        layout.addWidget(self._cards)
        layout.addSpacing(Metrics.space[3])
        layout.addWidget(self._recent_title)
        layout.addSpacing(Metrics.space[0])
        layout.addLayout(self._recent)
        self._stale = True
        session.preferences.recent_changed.connect(self._on_changed)
        session.theme.changed.connect(self._on_changed)
        self.refresh()

    def _made_cards(self) -> QWidget:
        """Pictures of the sample stage and the example projects, in a row."""
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        sample = [(self.tr("Sample stage"), calls.sample_path())]
        for title, path in (*sample, *calls.example_projects()):
            card = ProjectCard(self._session, title, path, holder)
            card.chosen.connect(self._open)
            row.addWidget(card)
            row.addStretch(1)
            holder.setFixedHeight(card.height())
        row.takeAt(row.count() - 1)
        return holder

    @Slot()
    def _on_changed(self) -> None:
        self._stale = True
        if self.isVisible():
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """What was opened meanwhile is shown now."""
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def refresh(self) -> None:
        """Show the recent files anew."""
        self._stale = False
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
        """In the middle of the viewport, a little above the centre; a low one has less in it."""
        parent = self._over
        for part in (self._mark, self._cards):
            part.show()
        for part in (self._mark, self._cards):
            self._column.activate()
            if self._column.totalHeightForWidth(self.width()) <= parent.height():
                break
            part.hide()
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
