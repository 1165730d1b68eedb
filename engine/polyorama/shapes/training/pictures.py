"""Views as a photograph might show them: other light, other places, worse cameras.

The library looks at shapes in one fixed look. Who searches with a picture has another; so half of
what is learned comes from views that were spoilt on purpose.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageFilter

from polyorama.shapes.raster import Light, Prepared, draw_views
from polyorama.shapes.views import rotation

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["clay", "photographs"]


def photographs(shape: Prepared, count: int, size: int, generator: Generator) -> NDArray[np.uint8]:
    """(count, size, size, 3) uint8 pictures of a shape from anywhere in any light.

    Direction, roll, field of view, distance, place in the frame, key light, sky and its colour,
    backdrop with or without a floor and a soft shadow, exposure, tint, blur, noise and JPEG are
    drawn at random for each.
    """
    return np.stack([_photograph(shape, size, generator) for _ in range(count)])


def _photograph(shape: Prepared, size: int, generator: Generator) -> NDArray[np.uint8]:
    turn = rotation(
        generator.uniform(0, 360),
        np.clip(generator.normal(22, 16), -25, 75),
        generator.normal(0, 5),
    )
    view = draw_views(
        shape, turn[None], size=size, fov=generator.uniform(22, 62),
        fill=generator.uniform(0.6, 1.05), lights=(_light(generator),),
    )[0].astype(np.float32)  # fmt: skip
    shift = (generator.normal(0, 0.05, 2) * size).round().astype(int)
    view = np.roll(view, tuple(shift), (0, 1))
    cover = view[..., 3:] / 255.0
    backdrop = _backdrop(size, cover[..., 0], generator)
    picture = backdrop * (1 - cover) + view[..., :3] * cover
    return _developed(picture, generator)


def _light(generator: Generator) -> Light:
    toward = generator.normal(size=3)
    toward[1] = -abs(toward[1]) - 0.2
    toward[2] = -abs(toward[2]) * 0.8
    warm = generator.normal(0, 0.08)
    return Light(
        (float(toward[0]), float(toward[1]), float(toward[2])),
        float(generator.uniform(0.25, 0.9)), float(generator.uniform(0.2, 0.65)),
        (1.0 + warm, 1.0, 1.0 - warm), float(generator.uniform(0.3, 0.9)),
    )  # fmt: skip


def _backdrop(size: int, cover: NDArray[np.float32], generator: Generator) -> NDArray[np.float32]:
    """(size, size, 3) display RGB 0..255: plain, graded, cloudy, patterned, or a wall and floor."""
    kind = generator.choice(6, p=[0.2, 0.15, 0.15, 0.2, 0.1, 0.2])
    one, two = (_color(generator) for _ in range(2))
    rows, columns = np.mgrid[0:size, 0:size].astype(np.float32) / size
    if kind == 0:
        result = np.full((size, size, 3), 255.0 - generator.uniform(0, 25), np.float32)
    elif kind == 1:
        result = np.broadcast_to(one, (size, size, 3)).astype(np.float32)
    elif kind == 2:
        angle = generator.uniform(0, 2 * np.pi)
        along = (np.cos(angle) * columns + np.sin(angle) * rows) % 1.0
        result = one + (two - one) * along[..., None]
    elif kind == 3:
        result = one + (two - one) * _clouds(size, generator)[..., None]
    elif kind == 4:
        period = generator.integers(3, 14)
        pattern = (columns * period).astype(int) % 2
        if generator.random() < 0.6:
            pattern ^= (rows * period).astype(int) % 2
        result = np.where(pattern[..., None] == 1, one, two)
    else:
        horizon = generator.uniform(0.4, 0.8)
        floor = (rows > horizon)[..., None]
        shade = 1.0 - 0.25 * np.abs(rows - horizon)[..., None]
        result = np.where(floor, one, two) * shade
        result = result * (1.0 - 0.5 * generator.random() * _shadow(cover, generator)[..., None])
    return np.asarray(result, np.float32)


def _shadow(cover: NDArray[np.float32], generator: Generator) -> NDArray[np.float32]:
    """A soft shadow: the silhouette pressed flat under itself and blurred."""
    size = len(cover)
    rows = np.flatnonzero(cover.any(axis=1))
    if len(rows) == 0:
        return np.zeros_like(cover)
    height = max(int((rows[-1] - rows[0]) * generator.uniform(0.15, 0.5)), 4)
    flat = Image.fromarray((cover * 255).astype(np.uint8)).resize((size, height))
    sheet = Image.new("L", (size, size))
    sheet.paste(flat, (int(generator.normal(0, 0.06) * size), int(rows[-1]) - height // 2))
    return np.asarray(sheet.filter(ImageFilter.GaussianBlur(size / 32)), np.float32) / 255.0


def _clouds(size: int, generator: Generator) -> NDArray[np.float32]:
    """(size, size) 0..1: noise of several scales."""
    total = np.zeros((size, size), np.float32)
    for octave in range(1, 6):
        grid = generator.random((2**octave, 2**octave)).astype(np.float32)
        wide = Image.fromarray(grid).resize((size, size), Image.Resampling.BICUBIC)
        total += np.asarray(wide) * generator.uniform(0.3, 1.0) / octave
    low, high = total.min(), total.max()
    scaled: NDArray[np.float32] = (total - low) / max(high - low, 1e-6)
    return scaled


def _color(generator: Generator) -> NDArray[np.float32]:
    grey = generator.uniform(30, 250)
    return np.clip(grey + generator.normal(0, 35, 3), 0, 255).astype(np.float32)


def _developed(picture: NDArray[np.float32], generator: Generator) -> NDArray[np.uint8]:
    """What a cheap camera makes of it."""
    grey = picture.mean(axis=2, keepdims=True)
    picture = grey + (picture - grey) * generator.uniform(0.6, 1.35)
    exposed = picture * generator.normal(1.0, 0.05, 3) * generator.uniform(0.75, 1.2)
    curved = 255.0 * (exposed.clip(0, 255) / 255.0) ** generator.uniform(0.8, 1.3)
    if generator.random() < 0.5:
        curved = curved + generator.normal(0, generator.uniform(1, 8), picture.shape)
    image = Image.fromarray(curved.clip(0, 255).astype(np.uint8))
    if generator.random() < 0.4:
        image = image.filter(ImageFilter.GaussianBlur(generator.uniform(0.3, 1.6)))
    if generator.random() < 0.6:
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=int(generator.integers(35, 95)))
        image = Image.open(buffer)
    return np.asarray(image.convert("RGB"))


def clay(shape: Prepared, generator: Generator) -> Prepared:
    """The same shape without textures, in one plain colour: a scan, a print, a splat object."""
    from dataclasses import replace

    tint = generator.uniform(0.45, 0.95) + generator.normal(0, 0.05, 3)
    if generator.random() < 0.5:
        tint = generator.uniform(0.1, 1.0, 3)
    tint = np.clip(tint, 0, 1)
    table = shape.textures.copy()
    table[:, 1] = 0
    colors = np.zeros_like(shape.material_colors)
    colors[:, :3], colors[:, 3] = tint, 1.0
    return replace(shape, colors=np.ones_like(shape.colors), material_colors=colors, textures=table)
