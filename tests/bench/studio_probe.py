"""Times one studio: ``tests.bench.studio_probe FILE START`` (time.time()) prints a line of JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from PySide6.QtCore import QTimer

from tests.bench.probing import Heart, pass_time, studio, wait

ORBIT_S = 4.0
VIEWPORT = (1200, 800)


def main() -> None:
    path, started = Path(sys.argv[1]), float(sys.argv[2])
    with studio() as window:
        visible = time.time() - started
        session = window.session
        window.viewport.setFixedSize(*VIEWPORT)
        session.open_files([path])
        wait(lambda: session.stage.picture is not None and session.stage.idle)
        pictures = []
        session.stage.picture_ready.connect(lambda picture: pictures.append(time.perf_counter()))
        heart = Heart()
        hand = QTimer()
        hand.setInterval(8)
        hand.timeout.connect(
            lambda: session.stage.set_view(session.stage.view.orbited(1.2, 0.0))
        )  # fmt: skip
        begin = time.perf_counter()
        hand.start()
        pass_time(ORBIT_S)
        hand.stop()
        count = sum(t >= begin + 1.0 for t in pictures)  # the governor needs a moment
        moved = time.perf_counter()
        fps = count / (moved - begin - 1.0)
        wait(lambda: session.stage.idle and session.stage.picture.request.quality.full)
        full = time.perf_counter() - moved
        heart.stop()
        found = {
            "window_s": visible, "fps": fps, "full_s": full, "stall_ms": heart.stalls_ms[-1],
        }  # fmt: skip
        print(json.dumps(found))


if __name__ == "__main__":
    main()
