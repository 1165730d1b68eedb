"""Paints the moving pictures of the Lab's gallery that the package ships.

Run from the root of a checkout: ``python packaging/make_previews.py [ID ...]``; without ids, it
makes those of all experiments of our own. It needs no screen.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from polyorama.lab.catalog import experiment_ids
from polyorama_studio.preferences import Preferences
from polyorama_studio.session import Session
from polyorama_studio.workspaces.lab.loops import LoopMaker
from polyorama_studio.workspaces.lab.previews import file_name
from polyorama_studio.workspaces.lab.run import make_runner

FOLDER = Path("assets/polyorama_assets/lab")


def place(experiment_id: str, theme: str) -> Path:
    """Where a loop belongs."""
    return FOLDER / file_name(experiment_id, theme)


def main() -> int:
    """Make them, one after another; returns the exit status."""
    application = QApplication(sys.argv[:1])
    session = Session(preferences=Preferences(path=Path("no preferences")))
    session.theme.apply()
    wanted = list(sys.argv[1:] or experiment_ids())
    made: list[str] = []
    maker = LoopMaker(session, make_runner, session, place, in_space=True)

    def told(experiment_id: str) -> None:
        made.append(experiment_id)
        sys.stdout.write(f"{experiment_id}\n")
        sys.stdout.flush()

    maker.made.connect(told)
    maker.rested.connect(application.quit)
    for experiment_id in wanted:
        maker.ask(experiment_id)
    application.exec()
    maker.close()
    session.close()
    missing = [experiment_id for experiment_id in wanted if experiment_id not in made]
    if missing:
        sys.stderr.write(f"No picture was made of {', '.join(missing)}.\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
