"""A walk through the whole studio, with the real window, pointer and keys.

    python -m tests.gui.tour OUT_FOLDER [--only STEP] [--size 1440x900] [--scale 2] [--theme light]

It needs a screen (Xvfb will do), leaves a picture of each step, and ends with one sentence at the
first step that did not do what it should.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import shared_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.gui.walks.steps import Step

ROOMS = ("selecting", "editing", "timing", "window", "shapes", "face", "lab", "safety")
"""The modules of steps, in the order of the walk."""
_FIRST = ("start", "open")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.gui.tour", description="Walk through the studio.")
    parser.add_argument("out", type=Path, nargs="?", help="folder of the pictures")
    parser.add_argument("--only", action="append", default=[], metavar="STEP", help="these alone")
    parser.add_argument("--from", dest="first", metavar="STEP", help="from this one on")
    parser.add_argument("--size", default="1440x900", help="window, logical pixels")
    parser.add_argument("--scale", default="1", help="device pixels of a logical one")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--scene", type=Path, help="the capture; plant.splat")
    parser.add_argument("--room", choices=ROOMS, help="the steps of this module alone")
    parser.add_argument("--keep-going", action="store_true", help="after a step that stumbled")
    parser.add_argument("--list", action="store_true", help="name the steps")
    return parser


def steps() -> list[Step]:
    """All steps, in order."""
    found: list[Step] = []
    for room in ROOMS:
        found += steps_of(room)
    return found


def steps_of(room: str) -> tuple[Step, ...]:
    """The steps of a module."""
    return importlib.import_module(f"tests.gui.walks.{room}").STEPS


def main(argv: Sequence[str] | None = None) -> int:
    """Walk; returns the exit status."""
    options = _parser().parse_args(argv)
    if options.list:
        sys.stdout.write("".join(f"{step.name}\n" for step in steps()))
        return 0
    if options.out is None:
        sys.stderr.write("Name the folder of the pictures.\n")
        return 2
    scene = options.scene or shared_folder() / "splats" / "plant.splat"
    if not scene.is_file():
        sys.stderr.write(f"The capture is not here: {scene}\n")
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tour-")))
        os.environ["QT_SCALE_FACTOR"] = options.scale
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
            os.environ[name] = str(home / name.lower())
        return _walk(options, scene, home)


def _walk(options: argparse.Namespace, scene: Path, home: Path) -> int:
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtWidgets import QApplication

    from polyorama_studio import logs
    from tests.gui.walks.walk import Stumble, Walk

    logs.install()
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Polyorama")
    every = steps()
    unknown = set(options.only) - {step.name for step in every}
    if unknown:
        sys.stderr.write(f"There is no step {sorted(unknown)[0]!r}.\n")
        return 2
    names = [step.name for step in every]
    if options.room:
        options.only += [s.name for s in steps_of(options.room)]
    wanted = set(options.only or names[names.index(options.first) if options.first else 0 :])
    width, height = (int(side) for side in options.size.split("x"))
    walk = Walk(options.out, home, scene, (width, height), options.theme)
    stumbled: list[str] = []
    try:
        for number, step in enumerate(every):
            if step.name not in wanted and step.name not in _FIRST:
                continue
            walk.quiet = step.name not in wanted
            walk.begin(f"{number:02d}-{step.name}")
            began = time.perf_counter()
            try:
                if step.name not in _FIRST:
                    walk.fresh()
                step.run(walk)
                walk.check(not walk.troubles, "Something failed on the way.")
            except Exception as stumble:  # noqa: BLE001 - told at the end, with the others
                if not isinstance(stumble, Stumble):
                    traceback.print_exc()
                walk.quiet = False
                walk.shot("stumbled", settle=False)
                stumbled.append(f"{step.name}: {stumble}")
                if not options.keep_going or step.name in _FIRST:
                    break
            took = time.perf_counter() - began
            sys.stdout.write(f"{number:02d} {step.name}  {took:.1f} s\n")
            sys.stdout.flush()
    finally:
        walk.end()
    for text in stumbled:
        sys.stderr.write(f"{text}\n")
    return 1 if stumbled else 0


if __name__ == "__main__":
    sys.exit(main())
