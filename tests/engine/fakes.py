"""A tiny rasterizer for tests of what stands around rendering: a dot for every splat."""

from __future__ import annotations

import os
import sys
import types
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.render import rasterizers
from polyorama.render.frame import Frame
from polyorama.scene.document import Document
from polyorama.scene.splats import SplatCloud, sh_from_colors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from polyorama.render.state import RenderState


class DotRasterizer:
    """Draws each splat's middle as one opaque pixel; counts its frames."""

    name = "dots"

    def __init__(self) -> None:
        self.drawn = 0
        self.stop_after: int | None = None

    def render(self, state: RenderState, outputs: Iterable[str] = ("rgba8",)) -> Frame:
        if self.stop_after is not None and self.drawn >= self.stop_after:
            raise KeyboardInterrupt
        self.drawn += 1
        camera, cloud = state.camera, state.gaussians.cloud
        local = cloud.means @ camera.viewmat[:3, :3].T + camera.viewmat[:3, 3]
        z = local[:, 2] if camera.kind == "pinhole" else np.ones(len(local))
        x = np.floor(camera.fx * local[:, 0] / z + camera.cx).astype(int)
        y = np.floor(camera.fy * local[:, 1] / z + camera.cy).astype(int)
        color = np.zeros((camera.height, camera.width, 4), np.float32)
        depth = np.zeros(color.shape[:2], np.float32)
        ids = np.full(color.shape[:2], -1, np.int32)
        if state.background is not None:
            color[...] = (*state.background, 1.0)
        for i in np.argsort(-local[:, 2]):
            inside = 0 <= x[i] < camera.width and 0 <= y[i] < camera.height
            if local[i, 2] > camera.near and inside:
                color[y[i], x[i]] = (*cloud.colors[i], 1.0)
                depth[y[i], x[i]] = local[i, 2]
                ids[y[i], x[i]] = i
        features = state.gaussians.features
        blended = None
        if "features" in outputs and features is not None:
            blended = np.where((ids >= 0)[..., None], features[ids], np.float32(0.0))
        return Frame(
            rgba8=np.rint(color.clip(0, 1) * 255).astype(np.uint8) if "rgba8" in outputs else None,
            color=color if "color" in outputs else None,
            expected_depth=depth if "depth" in outputs else None,
            ids=ids if "depth" in outputs else None,
            features=blended,
            backend=self.name,
        )


@pytest.fixture
def dots(monkeypatch: pytest.MonkeyPatch) -> DotRasterizer:
    """Make the dot rasterizer the only backend."""
    rasterizer = DotRasterizer()
    module = types.ModuleType("dot_rasterizer")
    module.availability = lambda: rasterizers.Availability(True)
    module.create = lambda: rasterizer
    monkeypatch.setitem(sys.modules, "dot_rasterizer", module)
    monkeypatch.setattr(rasterizers, "_BACKENDS", {"dots": "dot_rasterizer"})
    return rasterizer


@dataclass(frozen=True)
class DyingChunk:
    """Ends its process as the system does when memory runs out."""

    code: int

    def produce(self, draw: object, finisher: object) -> Iterator[None]:
        os._exit(self.code)
        yield


def ball(count: int = 200, seed: int = 0) -> SplatCloud:
    """A coloured ball of radius 1."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3))
    points *= (rng.random((count, 1)) ** (1 / 3)) / np.linalg.norm(points, axis=1, keepdims=True)
    quats = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    colors = 0.5 + 0.5 * points
    return SplatCloud(
        points, quats, np.full((count, 3), 0.02), np.full(count, 0.9),
        sh_from_colors(colors)[:, None, :],
    )  # fmt: skip


def ball_document(**fields: object) -> Document:
    """A document with one ball."""
    document = Document.of([ball()], ["ball"])
    return replace(document, **fields)
