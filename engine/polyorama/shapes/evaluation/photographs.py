"""Pictures for queries, unlike those that are learned from: drawn by the stage's renderer.

Training sees shapes through the small views' z-buffer. These are surfels in another light, lens and
place, drawn by the Gaussian rasterizer over a backdrop: not photographs, but not home either.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageFilter

from polyorama.core.types import Camera
from polyorama.render.shading import DirectionalLight, LightRig
from polyorama.render.surfels import surfels_from_mesh
from polyorama.scene.framing import frame_subject
from polyorama.shapes.splat_views import draw_cloud

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh

__all__ = ["SIZE", "query_photograph"]

SIZE = 224
_SURFELS = 15_000


def query_photograph(mesh: Mesh, path: Path) -> NDArray[np.uint8]:
    """(224, 224, 3) uint8: a mesh in a place of its own; the same for the same file name."""
    digest = hashlib.blake2b(path.name.encode(), digest_size=7).digest()
    generator = np.random.default_rng(int.from_bytes(digest))
    warm = generator.uniform(-0.15, 0.15)
    toward = (float(generator.normal()), -abs(float(generator.normal())) - 0.5, 0.8)
    rig = LightRig(
        key=DirectionalLight(toward, (1.0 + warm, 1.0, 1.0 - warm), 2.0, 8.0),
        sky=(0.8 - warm, 0.9, 1.0), ground=(0.5, 0.45, 0.4), ambient=generator.uniform(0.4, 0.7),
    )  # fmt: skip
    cloud = surfels_from_mesh(mesh, _SURFELS, rig=rig, occlusion=None, shadows=False).cloud
    camera = frame_subject(
        cloud, fov=generator.uniform(30, 55), size=(SIZE, SIZE), fill=generator.uniform(0.6, 0.85),
        azimuth=generator.uniform(-75, 75), elevation=generator.uniform(8, 40),
    )  # fmt: skip
    assert isinstance(camera, Camera)
    view = draw_cloud(cloud, [camera])[0].astype(np.float32)
    cover = view[..., 3:] / 255.0
    picture = _room(generator) * (1 - cover) + view[..., :3] * cover
    return np.asarray(picture.clip(0, 255), np.uint8)


def _room(generator: np.random.Generator) -> NDArray[np.float32]:
    """(224, 224, 3): a mottled wall over a mottled floor, out of focus."""
    wall, floor = generator.uniform(60, 235, (2, 3))
    wall, floor = (c.mean() + 0.35 * (c - c.mean()) for c in (wall, floor))
    mottled = generator.normal(0, 14, (28, 28, 3))
    rows = np.arange(28)[:, None, None] / 28
    picture = np.where(rows > generator.uniform(0.5, 0.75), floor, wall) + mottled
    image = Image.fromarray(picture.clip(0, 255).astype(np.uint8))
    soft = image.resize((SIZE, SIZE), Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(3))
    return np.asarray(soft, np.float32)
