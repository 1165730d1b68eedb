"""What probes of the studio share: a window as the program opens it, a heart, and patience."""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from polyorama_studio.garbage import Collector
from polyorama_studio.preferences import Preferences
from polyorama_studio.session import Session
from polyorama_studio.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PATIENCE_S = 300.0
_BEAT_MS = 5


@contextmanager
def studio(lab_experiment: str = "") -> Iterator[Window]:
    """A shown window of 1440 x 900 with fresh settings, garbage collected as in the program."""
    application = QApplication([])
    with tempfile.TemporaryDirectory(prefix="studio-probe-") as folder:
        preferences = Preferences(path=Path(folder) / "studio.ini")
        if lab_experiment:
            preferences.lab_experiment = lab_experiment
        session = Session(preferences=preferences)
        session.theme.apply()
        window = Window(session)
        window.resize(1440, 900)
        window.show()
        Collector(application)
        QTest.qWaitForWindowExposed(window)
        yield window
        session.close()
        window.close()


def wait(done: Callable[[], bool]) -> None:
    """Run the event loop until something holds."""
    end = time.perf_counter() + _PATIENCE_S
    loop = QEventLoop()
    while not done():
        if time.perf_counter() > end:
            raise SystemExit("The studio did not come to rest.")
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 5)


def pass_time(seconds: float) -> None:
    """An event loop as of the studio itself: QTest's waiting keeps other threads waiting too."""
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


class Heart:
    """Beats on the window's thread, to tell how long it was kept from it."""

    def __init__(self) -> None:
        self._beats: list[tuple[float, float]] = []
        self._timer = QTimer()
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(
            lambda: self._beats.append((time.perf_counter(), time.thread_time()))
        )
        self._timer.start()

    def stop(self) -> None:
        """Beat no more."""
        self._timer.stop()

    @property
    def stalls_ms(self) -> list[float]:
        """Between two beats each, ascending."""
        return sorted(1000.0 * (b[0] - a[0]) for a, b in pairwise(self._beats))

    @property
    def work_ms(self) -> float:
        """The most that the thread worked itself between two: others there do not count."""
        return max(1000.0 * (b[1] - a[1]) for a, b in pairwise(self._beats))
