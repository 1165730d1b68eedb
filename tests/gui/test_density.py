"""Screens of any pixel density: the picture lies on the screen pixel upon pixel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

SIZE = (701, 503)
"""Of the window; with sides whose product with a fractional scale is no whole number."""
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from polyorama.render.frame import Frame
from polyorama_studio.preferences import Preferences
from polyorama_studio.screenshot import Screenshot
from polyorama_studio.session import Session
from polyorama_studio.window import Window
from tests.gui.fakes import FakeRasterizer, a_document

folder, width, height = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

class Noise(FakeRasterizer):
    def render(self, state, outputs=("rgba8",)):
        size = (state.camera.height, state.camera.width)
        pixels = np.random.default_rng(1).integers(0, 256, (*size, 4)).astype(np.uint8)
        pixels[..., 3] = 255
        np.save(folder / "drawn.npy", pixels)
        return Frame(rgba8=pixels, backend="noise")

application = QApplication([])
session = Session(
    preferences=Preferences(path=folder / "studio.ini"), opener=a_document,
    make_rasterizer=Noise().make,
)
session.theme.apply()
window = Window(session)
window.resize(width, height)
window.show()
window.viewport.toolbox.layers.shown.clear()
window.viewport.toolbox.layers.update_marks()
window.viewport.toolbox.layers.changed.emit()
for strip in (window.views.tools, window.views.view_strip):
    strip.setFixedSize(0, 0)
session.open_files([folder / "a.ply"])
shot = Screenshot(window, folder / "window.png", 0.2)
shot.start()
application.exec()
print(*window.viewport.mapTo(window, QPoint(0, 0)).toTuple())
sys.exit(shot.status)
"""


@pytest.mark.parametrize("scale", [1.25, 1.5, 3.0])
def test_the_picture_lies_pixel_upon_pixel(scale: float, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), *map(str, SIZE)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": str(scale)},
        cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "window.png") as image:
        window = np.asarray(image.convert("RGB"))
    drawn = np.load(tmp_path / "drawn.npy")[..., :3]
    assert abs(window.shape[1] - scale * SIZE[0]) <= 1
    left, top = (int(scale * float(side) + 0.5) for side in done.stdout.split())
    height, width = drawn.shape[:2]
    assert np.array_equal(window[top : top + height, left : left + width], drawn)
