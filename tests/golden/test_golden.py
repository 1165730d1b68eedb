"""Pictures by the cpu backend stay what they were, whichever processor draws them.

Where a change of pictures is wanted, `POLYORAMA_REWRITE_GOLDEN=1 python -m pytest tests/golden`
writes them anew; look at them before they are committed.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from polyorama.render.resolve import draw
from polyorama.render.state import PRESETS
from tests.golden import scenes

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.scene.document import Document

FOLDER = Path(__file__).parent
REWRITE = os.environ.get("POLYORAMA_REWRITE_GOLDEN") == "1"

CASES: dict[str, tuple[Callable[[], Document], str]] = {
    "knot": (scenes.knot, "gsplat-1.5.3"),
    "dust": (scenes.dust, "gsplat-1.5.3 antialiased"),
    "dust-swollen": (scenes.dust, "inria"),
    "parallel": (scenes.parallel, "gsplat-1.6.0"),
    "ring": (scenes.ring, "gsplat-1.5.3"),
}
"""Scenes, and the constants that they are drawn with: a preset, perhaps antialiased."""

MEAN, MOST = 0.1, 6
"""Mean and largest difference, in steps of 1/255, that other vector units may make: a rounding at
the limit of visibility moves a pixel by 1, the order of two surfaces at one depth by a few."""


def picture(document: Document, preset: str) -> np.ndarray:
    """(H, W, 3) uint8 of the document's own view."""
    assert document.camera is not None
    name, *more = preset.split()
    constants = replace(PRESETS[name], antialiased=more == ["antialiased"])
    frame = draw(document, document.camera, backend="cpu", constants=constants)
    assert frame.rgba8 is not None
    return np.ascontiguousarray(frame.rgba8[..., :3])


def differences(one: np.ndarray, other: np.ndarray) -> tuple[float, int]:
    apart = np.abs(one.astype(int) - other)
    return float(apart.mean()), int(apart.max())


@pytest.mark.parametrize("name", CASES)
def test_the_picture_is_what_it_was(name: str, tmp_path: Path) -> None:
    make, preset = CASES[name]
    drawn = picture(make(), preset)
    path = FOLDER / f"{name}.png"
    if REWRITE:
        notes = PngInfo()
        notes.add_text("constants", preset)
        notes.add_text("Software", "Polyorama, cpu backend")
        Image.fromarray(drawn).save(path, pnginfo=notes, optimize=True)
        pytest.skip(f"{path.name} was written anew; look at it")
    with Image.open(path) as stored:
        assert stored.text["constants"] == preset, "the picture was drawn with other constants"
        golden = np.asarray(stored.convert("RGB"))
    assert golden.shape == drawn.shape
    mean, most = differences(golden, drawn)
    if mean > MEAN or most > MOST:
        Image.fromarray(drawn).save(tmp_path / path.name)
        pytest.fail(
            f"{path.name} differs by {mean:.3f} steps on average and {most} at most; "
            f"what was drawn now is {tmp_path / path.name}"
        )


def test_pictures_are_small_and_all_of_them_are_compared() -> None:
    kept = {path.stem: path.stat().st_size for path in FOLDER.glob("*.png")}
    assert kept.keys() == CASES.keys()
    assert max(kept.values()) < 40_000


def test_the_tolerance_is_narrow() -> None:
    """Antialiasing, or a quarter of a pixel, lies outside it."""
    document = scenes.dust()
    sharp = picture(document, "gsplat-1.5.3 antialiased")
    mean, most = differences(sharp, picture(document, "gsplat-1.5.3"))
    assert mean > MEAN
    assert most > MOST
    for make, preset in CASES.values():
        here = make()
        assert here.camera is not None
        beside = replace(here, camera=replace(here.camera, cx=here.camera.cx + 0.25))
        mean, most = differences(picture(here, preset), picture(beside, preset))
        assert mean > MEAN
        assert most > MOST
