"""The studio under a real X server: its window on the sample stage, looked at."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("PySide6")

pytestmark = [
    pytest.mark.gl,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="X servers are looked at on Linux"
    ),
    pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="there is no X server (DISPLAY)"),
]

SIZE = (1200, 800)
MENU = 26
"""Height of the menus, logical pixels."""
HINT = (660, 760, 380, 820)
"""Rows and columns within which the stage says how to leave it."""


def photograph(folder: Path, theme: str, *more: str) -> np.ndarray:
    """Pixels (H, W, 3) of the window after the sample's full picture."""
    out = folder / "window.png"
    environment = {
        **os.environ, "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": "1",
        "XDG_CONFIG_HOME": str(folder),
    }  # fmt: skip
    done = subprocess.run(
        [
            sys.executable, "-m", "polyorama_studio", "--sample", "--theme", theme,
            "--size", f"{SIZE[0]}x{SIZE[1]}", "--screenshot", str(out), *more,
        ],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "nothing went wrong on the way"
    with Image.open(out) as image:
        return np.asarray(image.convert("RGB")).astype(int)


@pytest.fixture(scope="module", params=["dark", "light"])
def shown(request, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, np.ndarray]:
    """(theme, the window)."""
    window = photograph(tmp_path_factory.mktemp("studio"), request.param)
    assert window.shape[:2] == SIZE[::-1]
    return request.param, window


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """The stage: the picture edge to edge."""
    return photograph(tmp_path_factory.mktemp("stage"), "dark", "--stage")


def test_the_window_is_in_the_themes_colours(shown: tuple[str, np.ndarray]) -> None:
    from polyorama_studio.theme import DARK, LIGHT

    theme, window = shown
    tokens = DARK if theme == "dark" else LIGHT
    ground = tokens.color("ground").getRgb()[:3]
    for row, column in ((MENU // 2, SIZE[0] // 2), (-2, SIZE[0] // 2)):
        assert tuple(window[row, column]) == ground


def test_the_stage_is_lit_between_red_curtains(staged: np.ndarray) -> None:
    picture = staged
    height, width, _ = picture.shape
    red, green, blue = np.moveaxis(picture, 2, 0)
    curtain = (red > 70) & (red > 2 * green) & (red > 2 * blue)
    left, right = curtain[:, : width // 2].mean(), curtain[:, width // 2 :].mean()
    assert 0.01 < left < 0.5
    assert 0.01 < right < 0.5
    middle = picture[height // 3 : 2 * height // 3, width // 3 : 2 * width // 3]
    assert middle.std(axis=(0, 1)).min() > 15.0, "there is something to see in the middle"
    assert len(np.unique(middle.reshape(-1, 3) // 16, axis=0)) > 100


def test_it_is_the_picture_that_the_engine_draws(staged: np.ndarray) -> None:
    import polyorama as po
    from polyorama.verbs.demo import sample_path
    from polyorama_studio.calls import first_view

    document = po.open(sample_path())
    height, width, _ = staged.shape
    camera = first_view(document, (width, height)).camera(width, height)
    wanted = po.render(document, camera).rgba8[:, :, :3].astype(int)
    difference = np.abs(staged - wanted).max(axis=2)
    top, bottom, left, right = HINT
    difference[top:bottom, left:right] = 0
    assert np.percentile(difference, 99.9) <= 1, "the picture is the engine's, pixel for pixel"
