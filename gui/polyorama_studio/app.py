"""The studio's entry: `polyorama-studio [FILE...]`."""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.cli.arguments import size
from polyorama.core.types import MAX_SIDE
from polyorama_studio.governor import MOST_PIXELS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_LONGEST_REST = 3600
"""Seconds between the finished picture and the screenshot, at most."""


def _size(text: str) -> tuple[int, int]:
    width, height = size(text)
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise argparse.ArgumentTypeError(f"a window's sides are 1 to {MAX_SIDE}, not {text}")
    if width * height > MOST_PIXELS:
        raise argparse.ArgumentTypeError(f"a window has at most {MOST_PIXELS:,} pixels, not {text}")
    return width, height


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0.0 <= seconds <= _LONGEST_REST:
        raise argparse.ArgumentTypeError(f"{text!r} is not 0 to {_LONGEST_REST} seconds")
    return seconds


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="polyorama-studio", description="Look at Gaussian-splat captures and projects."
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="captures or projects")
    parser.add_argument("--sample", action="store_true", help="open the sample stage")
    parser.add_argument("--theme", choices=("dark", "light"), help="this time only")
    parser.add_argument(
        "--stage", action="store_true", help="start on the stage: full screen, nothing but picture"
    )
    parser.add_argument(
        "--size",
        type=_size,
        metavar="WxH",
        help="window size in logical pixels, such as 1440x900",
    )
    parser.add_argument(
        "--screenshot", type=Path, metavar="OUT.png", help="save a picture of the window and leave"
    )
    parser.add_argument(
        "--after", type=_seconds, default=0.3, metavar="SECONDS",
        help="rest between the finished picture and the screenshot (default 0.3)",
    )  # fmt: skip
    return parser


def _lacking() -> str:
    """What keeps Qt from being loaded, and what to do about it; empty where nothing does."""
    if sys.platform == "win32" and importlib.util.find_spec("torch") is not None:
        # On Windows torch's libraries cannot be loaded once Qt's are (pytorch issue 166628).
        import torch  # noqa: F401
    try:
        import PySide6.QtSvg
        import PySide6.QtWidgets  # noqa: F401
    except ModuleNotFoundError:
        return "The studio needs PySide6, which is not installed: pip install 'polyorama[gui]'"
    except ImportError as error:
        return f"Qt cannot be loaded ({error}); `polyorama doctor` says what is missing here."
    return ""


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window; returns the exit status.

    That is 2 where no window can be opened here, and where a screenshot was asked for that could
    not be saved or shows a failure.
    """
    options = _parser().parse_args(sys.argv[1:] if argv is None else argv)
    lacking = _lacking()
    if lacking:
        return _refuse(lacking)
    from PySide6.QtCore import QCoreApplication, Qt
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtWidgets import QApplication

    from polyorama.errors import PolyoramaError
    from polyorama_studio import calls, logs
    from polyorama_studio.garbage import Collector
    from polyorama_studio.preferences import Preferences
    from polyorama_studio.screenshot import Screenshot
    from polyorama_studio.session import Session
    from polyorama_studio.window import Window

    logs.install()
    QCoreApplication.setApplicationName("Polyorama")
    QGuiApplication.setDesktopFileName("polyorama")
    preferences = Preferences()
    if preferences.scale_percent != 100 and "QT_SCALE_FACTOR" not in os.environ:
        os.environ["QT_SCALE_FACTOR"] = f"{preferences.scale_percent / 100:g}"
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    with logs.start_of_qt(_no_screen):
        application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    # Ctrl+C in the terminal ends the program, as it does everywhere else.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    session = Session(
        preferences=preferences,
        make_rasterizer=partial(calls.make_rasterizer, preferences.backend),
    )
    logs.tell_uncaught(partial(session.bridge.post, "uncaught", session.on_uncaught))
    if options.theme:
        session.theme.set_name(options.theme)
    session.theme.apply()
    window = Window(session)
    if options.size:
        window.resize(*options.size)
    screenshot = None
    if options.screenshot:
        try:
            screenshot = Screenshot(window, options.screenshot, options.after)
        except PolyoramaError as error:
            session.close()
            return _refuse(str(error))
    window.show()
    Collector(application)
    session.stage.warm_up()
    if options.stage:
        window.toggle_stage()
    if options.sample:
        session.opening.open_sample()
    elif options.files:
        session.open_files(options.files)
    if screenshot is None:
        session.saving.look_for_lost_work()
        return application.exec()
    screenshot.start()
    # Closed by hand before its picture was made, the window has not done what was asked either.
    return application.exec() or screenshot.status


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"polyorama-studio: {sentence}\n")
    return 2


def _no_screen(reason: str) -> None:
    """Leave with one sentence, before Qt aborts because it cannot open windows here."""
    advice = "run `xvfb-run -a polyorama-studio` or " if sys.platform.startswith("linux") else ""
    _refuse(
        f"No window can be opened here ({reason}); {advice}"
        "draw without a window: polyorama render FILE -o picture.png"
    )
    sys.stderr.flush()
    # Qt aborts as soon as its handler returns, and an exception cannot pass through Qt.
    os._exit(2)
