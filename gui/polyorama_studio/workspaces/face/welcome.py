"""What the face says before it has a voice: an invitation, and three ways on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.words import shortened

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QShowEvent

    from polyorama_studio.workspaces.face.desk import Desk

__all__ = ["Welcome"]


@guards
class Welcome(QWidget):
    """A card over the foot of the portrait."""

    open_asked = Signal()
    record_asked = Signal()

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk, self._theme = desk, desk.session.theme
        self.words = QLabel(self.tr("Drop a voice here, record one, or open the sample"), self)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setFont(font(Metrics.title, medium=True))
        self.scene = QPushButton(self.tr("Use the scene's voice"), self)
        self.open = QPushButton(self.tr("Open a voice..."), self)
        self.record = QPushButton(self.tr("Record"), self)
        self.sample = QPushButton(self.tr("Open the sample"), self)
        self.sample.setProperty("primary", "true")
        self._row = row = QHBoxLayout()
        row.setSpacing(Metrics.space[1])
        row.addStretch(1)
        for button in (self.scene, self.open, self.record, self.sample):
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        gap = Metrics.space[3]
        column.setContentsMargins(gap, Metrics.space[2], gap, gap)
        column.setSpacing(Metrics.space[2])
        column.addWidget(self.words)
        column.addLayout(row)
        self.scene.clicked.connect(desk.use_scene_voice)
        self.open.clicked.connect(self.open_asked)
        self.record.clicked.connect(self.record_asked)
        self.sample.clicked.connect(desk.open_sample)
        desk.working_changed.connect(self._refresh)
        desk.rig_changed.connect(self._refresh)
        desk.session.editing.edited.connect(self._refresh)
        self._theme.changed.connect(self._tint)
        self._tint()
        self._refresh()

    def sizeHint(self) -> QSize:
        """As wide as the words and buttons need."""
        return self.layout().sizeHint()

    def fit(self, width: int) -> None:
        """Stand in one row where there is room for that, else one below the other."""
        self.words.setWordWrap(False)
        self._row.setDirection(QHBoxLayout.Direction.LeftToRight)
        if self.layout().sizeHint().width() > width:
            self.words.setWordWrap(True)
            self._row.setDirection(QHBoxLayout.Direction.TopToBottom)

    @Slot()
    def _tint(self) -> None:
        tokens = self._theme.tokens
        self.open.setIcon(icon("open", tokens.color("text")))
        self.scene.setIcon(icon("sound", tokens.color("text")))
        self.record.setIcon(icon("record", tokens.color("text")))

    @Slot()
    def _refresh(self) -> None:
        ready = self._desk.rig is not None and not self._desk.listening
        for button in (self.scene, self.open, self.record, self.sample):
            button.setEnabled(ready)
        voice = self._desk.scene_voice
        self.scene.setVisible(voice is not None)
        if voice is not None:
            name = shortened(voice.name, self.scene.fontMetrics(), Metrics.face_name)
            self.scene.setText(self.tr("Use {0}").format(name))

    def showEvent(self, event: QShowEvent) -> None:
        """The scene may have a voice by now."""
        super().showEvent(event)
        self._refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The card."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = tokens.color("panel")
        ground.setAlphaF(0.86)
        painter.setBrush(ground)
        painter.setPen(tokens.color("line"))
        box = self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, Metrics.card_corner, Metrics.card_corner)
        painter.end()
