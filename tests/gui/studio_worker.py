"""The studio in a process of its own, which works until it is killed: run by test_kill.

    python -m tests.gui.studio_worker work HOME SEED CAPTURE
    python -m tests.gui.studio_worker look HOME

`work` edits, saves and exports by a script that the seed gives, and says a line for each thing
that is done. `look` starts as after a crash, brings back what is offered, and says what it is.
"""

from __future__ import annotations

import json
import os
import random
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.types import Camera
from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.scene.selection import BitSet
from tests.engine.documents import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polyorama.scene.document import Document
    from polyorama_studio.window import Window

__all__ = ["PROJECT", "STEPS", "scene_digest", "steps"]

STEPS = 200
PROJECT = "show.poly"
_PATIENCE_S = 20.0
_BEAT_MS = 4

Call = tuple[str, dict[str, Any]]


def scene_digest(document: Document) -> str:
    """A hash of a document but for the view that it was saved in."""
    return digest(replace(document, camera=Camera.look_at((0, 0, -3), (0, 0, 0), size=(64, 64))))


def steps(seed: int, count: int) -> Iterator[tuple[str, list[Call]]]:
    """What is done, for ever: ``"edit"`` with the calls of one gesture, or what else there is.

    Parameters
    ----------
    seed
        The same one gives the same steps.
    count
        Splats of the node "thing".
    """
    rng = random.Random(seed)
    number = 0
    while True:
        number += 1
        choice = rng.randrange(12)
        if choice < 2:
            mask = np.random.default_rng(rng.randrange(10**6)).random(count) < 0.4
            bits = {"thing": BitSet.of_mask(mask)}
            yield "edit", [("select_bits", {"bits": bits, "mode": rng.choice(("set", "add"))})]
        elif choice < 5:
            values = [(0.01 * number + 0.001 * k, 0.1, -0.2) for k in range(rng.randrange(1, 8))]
            yield "edit", [("set", {"path": "thing/translation", "value": v}) for v in values]
        elif choice == 5:
            yield "edit", [(rng.choice(("delete", "hide", "invert", "restore")), {})]
        elif choice == 6:
            values = {"hue": float(number), "saturation": 1.0 + 0.01 * number}
            yield "edit", [("add_modifier", {"node": "thing", "kind": "grade", "values": values})]
        elif choice == 7:
            key = {"path": "thing/translation", "time": 0.1 * number, "value": (number, 1.0, 0.0)}
            yield "edit", [("key", key)]
        elif choice == 8:
            yield "edit", [("rename", {"node": "thing", "name": "thing"}),
                           ("keep_selection", {"name": f"part {number}"})]  # fmt: skip
        elif choice == 9:
            yield rng.choice(("undo", "redo")), []
        else:
            yield rng.choice(("save", "save", "export")), []


def say(*words: object) -> None:
    """A line to the one who watches, past all buffers."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


# In the process of the studio


class Worker:
    """Takes one step a beat of the event loop."""

    def __init__(self, home: Path, seed: int, capture: Path) -> None:
        self.home, self.seed, self.capture = home, seed, capture
        self.number = 0
        self.timer: Any = None

    def begin(self, window: Window) -> None:
        """Wait for the document."""
        from PySide6.QtCore import QTimer

        self.window = window
        self.session = self.window.session
        self.timer = QTimer(self.window)
        self.timer.setInterval(_BEAT_MS)
        self.timer.timeout.connect(self.beat)
        self.timer.start()

    def beat(self) -> None:
        """One step."""
        editing = self.session.editing
        if editing.document is None:
            return
        if self.number == 0:
            self.script = steps(self.seed, len(editing.document.nodes[0].splats))
            say("begin", scene_digest(editing.document))
        kind, calls = next(self.script)
        self.number += 1
        if kind == "save":
            say("saving", self.number)
            if not self.session.saving.writing:
                self.session.saving.save_as(self.home / PROJECT, partial(self._saved, self.number))
        elif kind == "export":
            self._export()
        else:
            self._edit(kind, calls)
            say("done", self.number)
        if self.number >= STEPS:
            self.timer.stop()

    def _edit(self, kind: str, calls: list[Call]) -> None:
        editing = self.session.editing
        if kind == "undo":
            editing.undo()
        elif kind == "redo":
            editing.redo()
        else:
            editing.begin("Step")
            for name, arguments in calls:
                editing.run(name, **arguments)
            editing.end()

    def _saved(self, number: int) -> None:
        say("saved", number)

    def _export(self) -> None:
        from polyorama_studio.dialogs.export import export
        from polyorama_studio.exporting import ExportSettings

        document = self.session.editing.document
        ending = (".sog", ".ply", ".spz")[self.number % 3]
        say("exporting", self.number)
        export(self.session, document, ExportSettings(self.home / f"out{ending}"))


class Looker:
    """Brings back what is offered, and says what it is."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.waited = 0

    def begin(self, window: Window) -> None:
        """Wait for the offer."""
        from PySide6.QtCore import QTimer

        self.window = window
        self.session = self.window.session
        self.timer = QTimer(self.window)
        self.timer.setInterval(30)
        self.timer.timeout.connect(self.beat)
        self.timer.start()

    def beat(self) -> None:
        """See whether the offer came, then whether the work is back."""
        from PySide6.QtWidgets import QApplication

        from polyorama_studio.dialogs.recovery import RecoveryDialog

        dialogs = [w for w in QApplication.topLevelWidgets() if isinstance(w, RecoveryDialog)]
        self.waited += 1
        if self.session.editing.document is not None:
            self._tell(scene_digest(self.session.editing.document))
        elif dialogs and dialogs[0].isVisible():
            dialogs[0].recover_button.click()
        elif not dialogs and not self.session.jobs.active and self.waited > 20:
            self._tell("")

    def _tell(self, found: str) -> None:
        self.timer.stop()
        bad = [told.notice.text for told in self.session.told if told.notice.kind == "bad"]
        say(json.dumps({"found": found, "bad": bad, "modified": self.session.saving.modified}))
        self.session.saving.give_up()
        self.window._leave()


def passed(document: Document, seed: int, last: int) -> list[list[str]]:
    """Digests of each step: where it began, what came between, where it ended; as `Worker` does."""
    editor = Editor(document)
    found = [scene_digest(document)]
    editor.subscribe(lambda changed, _: found.append(scene_digest(changed.document)))
    each = [found.copy()]
    script = steps(seed, len(document.nodes[0].splats))
    for _ in range(last):
        kind, calls = next(script)
        if kind == "undo":
            editor.undo()
        elif kind == "redo":
            editor.redo()
        elif kind == "edit":
            editor.begin_gesture("Step")
            for name, arguments in calls:
                try:
                    editor.run(name, **arguments)
                except UsageError:
                    continue
            editor.end_gesture()
        each.append(found.copy())
        del found[:-1]
    return each


def main() -> int:
    """Start the studio as its program does, and work in it."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from polyorama_studio import app, saving
    from polyorama_studio.window import Window

    mode, home = sys.argv[1], Path(sys.argv[2])
    # The machine of the test may be slow; the promise is about what was done, not about its disk.
    saving._PATIENCE_S = _PATIENCE_S
    QApplication(sys.argv[:1])
    words = ["--size", "640x480"]
    if mode == "work":
        worker: Worker | Looker = Worker(home, int(sys.argv[3]), Path(sys.argv[4]))
        words.append(sys.argv[4])
    else:
        worker = Looker(home)

    def wait() -> None:
        windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, Window)]
        if windows:
            worker.begin(windows[0])
        else:
            QTimer.singleShot(5, wait)

    QTimer.singleShot(0, wait)
    return app.main(words)


if __name__ == "__main__":
    sys.exit(main())
