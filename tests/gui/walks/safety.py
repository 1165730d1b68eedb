"""Save, kill and recover; toasts."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QLineEdit

import polyorama as po
from polyorama_studio.dialogs.recovery import RecoveryDialog
from tests.gui.studio_worker import scene_digest
from tests.gui.walks.steps import Step

if TYPE_CHECKING:
    from tests.gui.walks.walk import Walk

__all__ = ["STEPS"]

_ROOT = Path(__file__).parents[3]
_LAST = 12
"""Steps that the studio takes before it is killed."""


def save(walk: Walk) -> None:
    """Under a name, then again with one key."""
    run = walk.session.editing.run
    run("add_modifier", node="plant", kind="grade", id="autumn", values={"hue": -55.0})
    walk.settle()
    walk.check(walk.session.saving.modified, "An edit does not count as unsaved.")
    walk.focus_view()
    walk.keys("Ctrl+S")
    dialog = walk.dialog("Save")
    walk.rest(300)
    walk.shot("where", settle=False)
    path = walk.home / "autumn.poly"
    field = dialog.findChildren(QLineEdit)[0]
    field.setFocus()
    walk.keys("Ctrl+A")
    walk.write(str(path))
    walk.keys("Return")
    walk.until(path.is_file, "The project was not saved.", 60.0)
    walk.settle()
    walk.check(not walk.session.saving.modified, "What was saved still counts as unsaved.")
    saved = po.open(path)
    same = scene_digest(saved) == scene_digest(walk.document)
    walk.check(same, "The file holds something else.")
    walk.shot("saved")
    run("rename", node="plant", name="tree")
    run("rename", node="tree", name="plant")
    walk.check(not walk.session.saving.modified, "There and back counts as unsaved.")
    run("set", path="plant/autumn/hue", value=-20.0)
    walk.focus_view()
    walk.keys("Ctrl+S")
    walk.until(lambda: not walk.session.saving.modified, "Ctrl+S does not save.", 60.0)


def unsaved(walk: Walk) -> None:
    """Closing with unsaved changes asks."""
    walk.session.editing.run("set", path="document/background", value=(0.1, 0.1, 0.1))
    walk.session.editing.run("set", path="document/background", value=(0.2, 0.1, 0.1))
    walk.window.close()
    dialog = walk.dialog("Save the changes")
    walk.shot(settle=False)
    walk.click(walk.button("Cancel", dialog))
    walk.gone(dialog)
    walk.check(walk.window.isVisible(), "Cancel closed the window.")
    walk.keys("Ctrl+Z")


def missing(walk: Walk) -> None:
    """A file that is not there: a toast, and the scene as it was."""
    before = walk.document
    walk.session.saving.give_up()
    walk.session.open_files([walk.home / "gone.ply"])
    walk.until(lambda: walk.troubles, "A missing file is not told.", 20.0)
    walk.check("gone.ply" in walk.troubles[-1], "The toast does not name the file.")
    walk.troubles.clear()
    walk.check(walk.document is before, "The scene is another.")
    walk.shot()


def kill(walk: Walk) -> None:
    """Another studio is killed while it works; this one offers the work."""
    home = walk.home / "killed"
    home.mkdir(exist_ok=True)
    capture = home / "thing.splat"
    shutil.copyfile(walk.scene, capture)
    words = ["-m", "tests.gui.studio_worker", "work", str(home), "7", str(capture)]
    process = subprocess.Popen(
        [sys.executable, *words], cwd=_ROOT, stdout=subprocess.PIPE,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(_LAST)]
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    walk.check(said[-1], "The other studio did not work.")
    walk.end()
    walk.start()
    walk.session.saving.look_for_lost_work()
    dialog = walk.dialog("")
    walk.check(isinstance(dialog, RecoveryDialog), "The lost work is not offered.")
    walk.shot("offered", settle=False)
    walk.click(dialog.recover_button)
    walk.until(lambda: walk.session.editing.document is not None, "The work is not back.", 60.0)
    walk.settle()
    walk.check(walk.session.saving.modified, "Work that came back counts as saved.")
    walk.shot("back")
    walk.session.saving.give_up()
    walk.session.open_files([walk.scene])
    walk.until(lambda: not walk.session.saving.modified, "The plant does not open again.", 60.0)
    walk.settle()
    walk.remember_view()
    walk.check(QApplication.activeModalWidget() is None, "A dialog stays open.")


STEPS = (
    Step("save", save),
    Step("unsaved", unsaved),
    Step("missing-file", missing),
    Step("kill", kill),
)
