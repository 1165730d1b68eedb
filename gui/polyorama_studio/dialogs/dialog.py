"""What all dialogs share: a heading, a body, buttons at the right foot."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from polyorama_studio.theme import Metrics

__all__ = ["Dialog"]


class Dialog(QDialog):
    """Heading, body, buttons at the right foot."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._title = QLabel(self)
        self._title.setProperty("heading", True)
        self.body = QVBoxLayout()
        self.body.setSpacing(Metrics.space[2])
        self._foot = QHBoxLayout()
        self._foot.setSpacing(Metrics.space[1])
        self._foot.addStretch(1)
        layout = QVBoxLayout(self)
        gap = Metrics.space[4]
        layout.setContentsMargins(gap, gap - Metrics.space[0], gap, gap - Metrics.space[0])
        layout.setSpacing(Metrics.space[3])
        layout.addWidget(self._title)
        layout.addLayout(self.body)
        layout.addStretch(1)
        layout.addLayout(self._foot)

    def fill(self) -> None:
        """Let the body take all the room there is."""
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.setStretchFactor(self.body, 100)

    def set_heading(self, text: str) -> None:
        """What the dialog is about."""
        self.setWindowTitle(text)
        self._title.setText(text)

    def add_button(self, text: str, slot, *, primary: bool = False) -> QPushButton:
        """A button at the foot."""
        button = QPushButton(text, self)
        button.setProperty("primary", primary)
        button.setDefault(primary)
        button.setAutoDefault(primary)
        button.clicked.connect(slot)
        self._foot.addWidget(button)
        return button
