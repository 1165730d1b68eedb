"""The whole program: with the real engine, and as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from polyorama.errors import OutputError
from polyorama.io.formats import write_splats
from polyorama_studio.app import main
from polyorama_studio.screenshot import Screenshot
from polyorama_studio.session import Notice, Session
from tests.gui.fakes import a_cloud

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from polyorama_studio.preferences import Preferences
    from polyorama_studio.window import Window

PATIENCE_MS = 240_000
"""The first picture of a fresh checkout waits for the compiler."""


def test_real_files_real_pictures(qtbot: QtBot, preferences: Preferences, tmp_path: Path) -> None:
    path = tmp_path / "ball.splat"
    write_splats(a_cloud(3000), path)
    session = Session(preferences=preferences)
    notices: list[Notice] = []
    session.notice.connect(notices.append)
    session.stage.set_size(160, 120)
    session.open_files([path])
    qtbot.waitUntil(lambda: session.stage.picture is not None, timeout=PATIENCE_MS)
    picture = session.stage.picture
    assert picture.backend
    assert picture.image.size().toTuple() == (160, 120)
    assert picture.image.pixelColor(2, 2) == session.theme.tokens.color("stage")
    assert picture.image.pixelColor(80, 60) != picture.image.pixelColor(2, 2)
    assert picture.depth.shape == (120, 160)
    assert 0.0 < picture.depth[60, 80] < 2.0 * session.stage.view.distance
    out = tmp_path / "out.png"
    session.sharing.save_picture(out, (64, 48), "transparent")
    qtbot.waitUntil(lambda: len(notices) == 1, timeout=PATIENCE_MS)
    assert notices[0].kind == "good", notices[0].text
    with Image.open(out) as image:
        pixels = np.asarray(image)
    assert pixels.shape == (48, 64, 4)
    assert pixels[1, 1, 3] == 0
    assert pixels[24, 32, 3] > 0
    session.close()


def test_the_program_starts_and_leaves(tmp_path: Path) -> None:
    out = tmp_path / "window.png"
    environment = {
        **os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path),
        "HOME": str(tmp_path),
    }  # fmt: skip
    done = subprocess.run(
        [
            sys.executable, "-m", "polyorama_studio", str(tmp_path / "missing.ply"),
            "--size", "900x600", "--screenshot", str(out), "--theme", "light",
        ],
        env=environment, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 2, "what was asked for is not what the picture shows"
    assert "missing.ply" in done.stderr
    assert "Traceback" not in done.stderr
    with Image.open(out) as image:
        assert image.size == (900, 600)


@pytest.mark.parametrize(
    "words",
    [
        "--size 0x0", "--size 0x600", "--size 99999999999x5", "--size 99999x99999",
        "--size 16384x16384", "--size 1e3x5", "--size x", "--after nan", "--after inf",
        "--after=-1", "--after 1e9", "--after soon",
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_told_before_anything_opens(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(words.split())
    assert left.value.code == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith(
        f"polyorama-studio: error: argument {words.replace('=', ' ').split()[0]}"
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="screens are missing on Linux")
@pytest.mark.parametrize("platform", ["xcb", "nonsense"])
def test_without_a_screen_one_sentence_says_what_to_do(platform: str) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": platform}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "polyorama_studio"],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "xvfb-run" in done.stderr
    assert "polyorama render" in done.stderr
    assert done.stdout == ""


def test_a_screenshot_that_cannot_be_written_is_told_before_anything_opens(tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "window.png"
    done = subprocess.run(
        [sys.executable, "-m", "polyorama_studio", "--sample", "--screenshot", str(out)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("polyorama-studio: ")
    assert done.stderr.splitlines()[-1].endswith(str(out))


@pytest.mark.parametrize("name", ["nowhere/a.png", "a.nonsense", "a", "folder.png"])
def test_screenshots_need_a_place_and_an_ending(window: Window, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(OutputError, match=name):
        Screenshot(window, tmp_path / name, 0.0)


def take(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, shot: Screenshot) -> int:
    """The exit status of a screenshot that is taken in this process."""
    left: list[bool] = []
    leave = SimpleNamespace(quit=lambda: left.append(True))
    monkeypatch.setattr("polyorama_studio.screenshot.QApplication", leave)
    shot.start()
    qtbot.waitUntil(lambda: left == [True])
    return shot.status


def test_a_screenshot_of_what_was_asked_for(
    qtbot: QtBot, monkeypatch, opened: Window, tmp_path: Path
) -> None:
    out = tmp_path / "window.webp"
    shot = Screenshot(opened, out, 0.0)
    assert shot.status == 2, "nothing is saved yet"
    assert take(qtbot, monkeypatch, shot) == 0
    with Image.open(out) as image:
        assert image.size == (opened.width(), opened.height())


def test_a_screenshot_that_shows_a_failure(
    qtbot: QtBot, monkeypatch, window: Window, tmp_path: Path
) -> None:
    shot = Screenshot(window, tmp_path / "window.png", 0.0)
    window.session.open_files([tmp_path / "broken.ply"])
    assert take(qtbot, monkeypatch, shot) == 2
    assert (tmp_path / "window.png").is_file()


def test_a_screenshot_whose_folder_is_gone(
    qtbot: QtBot, monkeypatch, window: Window, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    shot = Screenshot(window, folder / "window.png", 0.0)
    folder.rmdir()
    notices: list[Notice] = []
    window.session.notice.connect(notices.append)
    assert take(qtbot, monkeypatch, shot) == 2
    assert notices[0].text.endswith("window.png")


def run_without(what: str, error: str) -> subprocess.CompletedProcess[str]:
    """The program in an installation where importing `what` fails."""
    program = f"""
import sys

class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name == {what!r}:
            raise {error}

sys.meta_path.insert(0, Lacking())
from polyorama_studio.app import main
sys.exit(main([]))
"""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )


def test_without_qt_one_sentence_says_what_to_install() -> None:
    done = run_without("PySide6", "ModuleNotFoundError(\"No module named 'PySide6'\")")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "pip install 'polyorama[gui]'" in done.stderr
    assert done.stdout == ""


def test_a_missing_system_library_is_named_in_one_sentence() -> None:
    done = run_without("PySide6.QtWidgets", "ImportError('libEGL.so.1: cannot open it')")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "libEGL.so.1" in done.stderr
    assert "polyorama doctor" in done.stderr
