"""What tests of `polyorama render` begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import Camera
from polyorama.io.cameras import write_cameras
from polyorama.io.formats import write_splats
from tests.engine.fakes import ball

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["enter_scene"]


def enter_scene(folder: Path, monkeypatch: pytest.MonkeyPatch, splats: int = 200) -> None:
    """Make `folder` the one to work in, with ball.splat and the six cameras of cams.json."""
    write_splats(ball(splats), folder / "ball.splat")
    cameras = [
        Camera.look_at((np.sin(a), -0.5, -4 * np.cos(a)), (0, 0, 0), size=(40, 30))
        for a in np.linspace(0, 1, 6)
    ]
    write_cameras(folder / "cams.json", cameras)
    # What is compiled is compiled on first use here.
    monkeypatch.setattr("polyorama.cli.DRAWING", frozenset())
    monkeypatch.chdir(folder)
