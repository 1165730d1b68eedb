"""The studio under a real X server: its window on the sample stage, looked at."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("PySide6")

pytestmark = [
    pytest.mark.gl,
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="X servers are looked at on Linux"
    ),
    pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="there is no X server (DISPLAY)"),
]

SIZE = (1200, 800)
MENU, RAIL, STATUS = 26, 40, 26
"""What stands above, left of and below the picture, logical pixels."""
CUT = 4
"""So far inside these edges it is certainly picture."""
GIZMO = 110
"""The axes lie in a square of that side, in the top right corner."""


@pytest.fixture(scope="module", params=["dark", "light"])
def shown(request, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, np.ndarray]:
    """(theme, pixels (H, W, 3)) of the window after the sample's full picture."""
    folder = tmp_path_factory.mktemp("studio")
    out = folder / "window.png"
    environment = {
        **os.environ, "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": "1",
        "XDG_CONFIG_HOME": str(folder),
    }  # fmt: skip
    done = subprocess.run(
        [
            sys.executable, "-m", "polyorama_studio", "--sample", "--theme", request.param,
            "--size", f"{SIZE[0]}x{SIZE[1]}", "--screenshot", str(out),
        ],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "nothing went wrong on the way"
    with Image.open(out) as image:
        assert image.size == SIZE
        return request.param, np.asarray(image.convert("RGB")).astype(int)


def picture_of(window: np.ndarray) -> np.ndarray:
    return window[MENU + CUT : -STATUS - CUT, RAIL + CUT :]


def test_the_window_is_in_the_themes_colours(shown: tuple[str, np.ndarray]) -> None:
    from polyorama_studio.theme import DARK, LIGHT

    theme, window = shown
    tokens = DARK if theme == "dark" else LIGHT
    ground = tokens.color("ground").getRgb()[:3]
    for row, column in ((MENU // 2, SIZE[0] - 60), (SIZE[1] // 2, 2), (-2, SIZE[0] // 2)):
        assert tuple(window[row, column]) == ground


def test_the_stage_is_lit_between_red_curtains(shown: tuple[str, np.ndarray]) -> None:
    picture = picture_of(shown[1])
    height, width, _ = picture.shape
    red, green, blue = np.moveaxis(picture, 2, 0)
    curtain = (red > 70) & (red > 2 * green) & (red > 2 * blue)
    left, right = curtain[:, : width // 2].mean(), curtain[:, width // 2 :].mean()
    assert 0.01 < left < 0.5
    assert 0.01 < right < 0.5
    middle = picture[height // 3 : 2 * height // 3, width // 3 : 2 * width // 3]
    assert middle.std(axis=(0, 1)).min() > 15.0, "there is something to see in the middle"
    assert len(np.unique(middle.reshape(-1, 3) // 16, axis=0)) > 100


def test_it_is_the_picture_that_the_engine_draws(shown: tuple[str, np.ndarray]) -> None:
    import polyorama as po
    from polyorama.verbs.demo import sample_path
    from polyorama_studio.calls import first_view

    document = po.open(sample_path())
    picture = picture_of(shown[1])
    height, width = picture.shape[0] + 2 * CUT, picture.shape[1] + CUT
    camera = first_view(document, (width, height)).camera(width, height)
    frame = po.render(document, camera)
    wanted = frame.rgba8[CUT:-CUT, CUT:, :3].astype(int)
    difference = np.abs(picture - wanted).max(axis=2)
    gizmo = difference[:GIZMO, -GIZMO:].copy()
    difference[:GIZMO, -GIZMO:] = 0
    assert np.percentile(difference, 99.9) <= 1, "the picture is the engine's, pixel for pixel"
    assert gizmo.max() > 50, "the axes lie over it"
