"""Times one experiment in a studio of its own: ``lab_probe.py ID`` prints one line of JSON."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from polyorama_studio.preferences import Preferences
from polyorama_studio.session import Session
from polyorama_studio.window import Window

WARM_S = 3.0
"""What is compiled and imported at the first steps is no part of playing."""
PLAY_S = 6.0
_PATIENCE_S = 300.0


def wait(done) -> None:
    """Run the event loop until something holds."""
    end = time.perf_counter() + _PATIENCE_S
    loop = QEventLoop()
    while not done():
        if time.perf_counter() > end:
            raise SystemExit("The Lab did not come to rest.")
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 5)


def pass_time(seconds: float) -> None:
    """An event loop as of the studio itself: QTest's waiting keeps other threads waiting too."""
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


def main() -> None:
    experiment_id = sys.argv[1]
    application = QApplication([])
    with tempfile.TemporaryDirectory(prefix="lab-probe-") as folder:
        preferences = Preferences(path=Path(folder) / "studio.ini")
        preferences.lab_experiment = experiment_id
        session = Session(preferences=preferences)
        session.theme.apply()
        window = Window(session)
        window.resize(1440, 900)
        window.show()
        QTest.qWaitForWindowExposed(window)
        window.workspaces.show_workspace("lab")
        run = window.workspaces.lab.run
        wait(lambda: run.update is not None and not run.loading)
        run.set_playing(True)
        wait(lambda: run.step_shown > 0)
        pass_time(WARM_S)
        if not run.playing:  # it came to its end meanwhile
            run.set_playing(True)
            wait(lambda: not run.loading)
        pictures: list[float] = []
        run.updated.connect(lambda update: pictures.append(time.perf_counter()))
        beats: list[tuple[float, float]] = []
        heart = QTimer()
        heart.setInterval(5)
        heart.timeout.connect(lambda: beats.append((time.perf_counter(), time.thread_time())))
        first = run.step_shown
        heart.start()
        begin, busy = time.perf_counter(), time.thread_time()
        pass_time(PLAY_S)
        heart.stop()
        busy = time.thread_time() - busy
        # A run that ends early is judged while it played.
        end = pictures[-1] if not run.playing and pictures else time.perf_counter()
        stalls = sorted(1000.0 * (b[0] - a[0]) for a, b in pairwise(beats))
        # What the thread worked itself: others on the machine do not count.
        work = max(1000.0 * (b[1] - a[1]) for a, b in pairwise(beats))
        found = {
            "fps": len(pictures) / max(end - begin, 1e-9),
            "stall_ms": stalls[-1],
            "work_ms": work,
            "stall_ms_99": stalls[int(0.99 * (len(stalls) - 1))],
            "gui_ms": 1000.0 * busy / max(len(pictures), 1),
            "steps_per_s": (run.step_shown - first) / max(end - begin, 1e-9),
        }
        print(json.dumps(found))
        session.close()
        window.close()
        application.quit()


if __name__ == "__main__":
    main()
