"""Stand-ins for the engine's slow parts."""

from __future__ import annotations

import threading
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.render.frame import Frame
from polyorama.scene.document import Document
from polyorama.scene.splats import SplatCloud, sh_from_colors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from polyorama.core.jobs import Job
    from polyorama.render.state import RenderState

__all__ = ["DEPTH", "FakeRasterizer", "Reader", "a_cloud", "a_document", "icon_names"]

DEPTH = 2.0
"""Depth of everything that the fake draws, world units."""


class FakeRasterizer:
    """Fills the picture with the background; notes states and threads; can be held back."""

    name = "fake"

    def __init__(self) -> None:
        self.states: list[RenderState] = []
        self.outputs: list[frozenset[str]] = []
        self.threads: set[int] = set()
        self.error: Exception | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def make(self) -> Job[FakeRasterizer]:
        """The job that `RenderLoop` runs."""
        self.threads.add(threading.get_ident())
        yield from ()
        return self

    def render(self, state: RenderState, outputs: Iterable[str] = ("rgba8",)) -> Frame:
        """Draw nothing, but tell of it."""
        self.threads.add(threading.get_ident())
        self.states.append(state)
        self.outputs.append(frozenset(outputs))
        self.entered.set()
        self.gate.wait(10.0)
        if self.error is not None:
            raise self.error
        size = (state.camera.height, state.camera.width)
        pixels = np.full((*size, 4), 255, np.uint8)
        pixels[..., :3] = np.round(255 * np.array(state.background or (0, 0, 0)))
        if state.background is None:
            pixels[:] = 0
        depth = np.full(size, DEPTH, np.float32) if "depth" in self.outputs[-1] else None
        return Frame(rgba8=pixels, median_depth=depth, backend="fake")


def a_cloud(count: int = 400, seed: int = 1) -> SplatCloud:
    """A ball of splats with radius 1."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return SplatCloud(
        means=points.astype(np.float32),
        quats=np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
        scales=np.full((count, 3), 0.05, np.float32),
        opacities=np.full(count, 0.9, np.float32),
        sh=sh_from_colors(random.random((count, 1, 3))),
    )


def a_document(paths: Sequence[Path]) -> Document:
    """An opener: one ball a file; files called "broken" cannot be read."""
    for path in paths:
        if path.stem == "broken":
            raise FileFormatError(f"This file ends too early: {path}")
    return Document.of([a_cloud() for _ in paths], [path.stem for path in paths])


class Reader:
    """An opener that tests can change; operations that read files read with it, too."""

    def __init__(self) -> None:
        self.read: Callable[[Sequence[Path]], Document] = a_document

    def __call__(self, paths: Sequence[Path]) -> Document:
        return self.read(paths)

    def open_with_source(self, path: str, **options: object) -> Document:
        """As the engine's function of that name."""
        return self.read([Path(path)])


def icon_names() -> list[str]:
    """Names of all icons, sorted."""
    folder = resources.files("polyorama_assets") / "icons"
    return sorted(
        entry.name.removesuffix(".svg") for entry in folder.iterdir() if entry.name.endswith(".svg")
    )
