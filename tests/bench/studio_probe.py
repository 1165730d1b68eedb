"""Times one studio in a process of its own: ``studio_probe.py FILE START`` (time.time())."""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from polyorama_studio.preferences import Preferences
from polyorama_studio.session import Session
from polyorama_studio.window import Window

ORBIT_S = 4.0
VIEWPORT = (1200, 800)


def wait(done, seconds: float = 60.0) -> None:
    """Run the event loop until something holds."""
    end = time.perf_counter() + seconds
    loop = QEventLoop()
    while not done():
        if time.perf_counter() > end:
            raise SystemExit("The studio did not come to rest.")
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 5)


def main() -> None:
    path, started = Path(sys.argv[1]), float(sys.argv[2])
    application = QApplication([])
    session = Session(preferences=Preferences(path=Path(sys.argv[0]).with_suffix(".none")))
    session.theme.apply()
    window = Window(session)
    window.show()
    QTest.qWaitForWindowExposed(window)
    visible = time.time() - started
    window.viewport.setFixedSize(*VIEWPORT)
    session.open_files([path])
    wait(lambda: session.stage.picture is not None and session.stage.idle)
    pictures = []
    session.stage.picture_ready.connect(lambda picture: pictures.append(time.perf_counter()))
    beats: list[float] = []
    heart = QTimer()
    heart.setInterval(5)
    heart.timeout.connect(lambda: beats.append(time.perf_counter()))
    heart.start()
    # In an event loop as of the studio itself: QTest's waiting keeps other threads waiting too.
    hand = QTimer()
    hand.setInterval(8)
    hand.timeout.connect(
        lambda: session.stage.set_view(session.stage.view.orbited(1.2, 0.0))
    )  # fmt: skip
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * ORBIT_S), loop.quit)
    begin = time.perf_counter()
    hand.start()
    loop.exec()
    hand.stop()
    count = sum(t >= begin + 1.0 for t in pictures)  # the governor needs a moment
    moved = time.perf_counter()
    fps = count / (moved - begin - 1.0)
    wait(lambda: session.stage.idle and session.stage.picture.request.quality.full)
    full = time.perf_counter() - moved
    stall = max(b - a for a, b in pairwise(beats))
    print(json.dumps({"window_s": visible, "fps": fps, "full_s": full, "stall_ms": 1000.0 * stall}))
    window.close()
    application.quit()


if __name__ == "__main__":
    main()
