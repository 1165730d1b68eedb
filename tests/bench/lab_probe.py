"""Times one experiment in a studio: ``tests.bench.lab_probe ID`` prints one line of JSON."""

from __future__ import annotations

import json
import sys
import time

from tests.bench.probing import Heart, pass_time, studio, wait

WARM_S = 3.0
"""What is compiled and imported at the first steps is no part of playing."""
PLAY_S = 6.0


def main() -> None:
    with studio(sys.argv[1]) as window:
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
        first = run.step_shown
        heart = Heart()
        begin, busy = time.perf_counter(), time.thread_time()
        pass_time(PLAY_S)
        heart.stop()
        busy = time.thread_time() - busy
        # A run that ends early is judged while it played.
        end = pictures[-1] if not run.playing and pictures else time.perf_counter()
        stalls = heart.stalls_ms
        found = {
            "fps": len(pictures) / max(end - begin, 1e-9),
            "stall_ms": stalls[-1],
            "work_ms": heart.work_ms,
            "stall_ms_99": stalls[int(0.99 * (len(stalls) - 1))],
            "gui_ms": 1000.0 * busy / max(len(pictures), 1),
            "steps_per_s": (run.step_shown - first) / max(end - begin, 1e-9),
        }
        print(json.dumps(found))


if __name__ == "__main__":
    main()
