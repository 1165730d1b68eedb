"""A picture of the whole window, for tests and the README."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

from polyorama.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama_studio.window import Window

__all__ = ["Screenshot"]

_LOOK_MS = 50


class Screenshot(QObject):
    """Waits until nothing is under way, rests, saves the window, and leaves.

    Parameters
    ----------
    window
        What is shown.
    path
        The picture's file.
    after
        Seconds between the last sign of work and the picture.
    """

    def __init__(self, window: Window, path: Path, after: float) -> None:
        super().__init__(window)
        self._window = window
        self._path = path
        self._rest = round(1000 * after)
        self._calm = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        """Begin to wait."""
        self._timer.start()

    @Slot()
    def _look(self) -> None:
        session = self._window.session
        calm = session.busy is None and (session.stage.idle or session.stage.spinning)
        self._calm = self._calm + _LOOK_MS if calm else 0
        if self._calm > self._rest:
            self._timer.stop()
            self._save()

    def _save(self) -> None:
        image = self._window.grab()
        if not image.save(str(self._path)):
            self._window.session.report(OutputError(f"Cannot write here: {self._path}"))
        self._window.close()
        QApplication.quit()
