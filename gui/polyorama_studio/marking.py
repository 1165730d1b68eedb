"""Drawing marks into pictures: kernels, run on the render thread. See `polyorama_studio.marks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for
from polyorama.scene.stack import SELECTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.state import Gaussians
    from polyorama_studio.marks import Color, Floor

__all__ = ["drawn_over", "drawn_under"]

_PARTS_PER_CORE = 4


def drawn_under(
    rgba8: NDArray[np.uint8],
    camera: Camera,
    floor: Floor,
    backdrop: Color,
    depth: NDArray[np.float32] | None,
    unit: float,
    distance: float,
) -> NDArray[np.uint8]:
    """The picture over its backdrop with a grid between the two.

    Parameters
    ----------
    rgba8
        (H, W, 4), premultiplied, transparent where nothing is.
    camera
        It was drawn with.
    floor, backdrop
        What to put behind it.
    depth
        (H, W) of the visible surface, 0 where there is none; the floor lies over what is behind
        it. None puts the floor behind everything.
    unit, distance
        World units a pixel of the full picture, and from the eye, where the view's target is.

    Returns
    -------
    (H, W, 4) uint8, opaque.
    """
    out = np.empty_like(rgba8)
    parallel = camera.kind == "orthographic"
    ground, level = floor.seen_from(camera.forward, parallel)
    to_plane = ground.frame @ camera.viewmat[:3, :3].T  # from camera axes to the plane's
    eye = ground.frame @ camera.position - (0.0, 0.0, ground.height)
    if not level:
        eye[2] = -1e6 * ground.radius * np.sign(to_plane[2, 2])  # behind everything
    lens = np.array([camera.fx, camera.fy, camera.cx, camera.cy, parallel], np.float64)
    look = np.array(
        [*ground.center, floor.reach(distance), floor.spacing(unit), floor.strength], np.float64
    )
    first, second = (floor.axes[name] for name in ground.names)
    colors = np.array([backdrop, floor.line, first, second], np.float32)
    seen = np.empty((0, 0), np.float32) if depth is None or not level else depth

    def task(_: int, start: int, stop: int) -> None:
        _under(start, stop, rgba8, out, to_plane, eye, lens, look, colors, seen)

    parallel_for(task, rgba8.shape[0], _PARTS_PER_CORE * core_count())
    return out


@kernel
def _grid(u, v, wu, wv, spacing):
    """Coverage of lines at multiples of `spacing`; `wu`, `wv` are a pixel's extent in u and v."""
    covered = 0.0
    for axis in range(2):
        at, width = (u, wu) if axis == 0 else (v, wv)
        off = at / spacing
        off = abs(off - np.floor(off + 0.5)) * spacing
        line = min(max(1.0 - off / width, 0.0), 1.0)
        # Lines closer than a few pixels fade away before they can flicker.
        fade = min(max((0.16 - width / spacing) / 0.12, 0.0), 1.0)
        covered = max(covered, line * fade)
    return covered


@kernel
def _meet(x, y, to_plane, eye, lens):
    """Where a pixel position meets the plane: u, v, depth along the view; depth < 0 for never."""
    a, b = (x - lens[2]) / lens[0], (y - lens[3]) / lens[1]
    if lens[4] > 0.0:
        ox = eye[0] + to_plane[0, 0] * a + to_plane[0, 1] * b
        oy = eye[1] + to_plane[1, 0] * a + to_plane[1, 1] * b
        oz = eye[2] + to_plane[2, 0] * a + to_plane[2, 1] * b
        dx, dy, dz = to_plane[0, 2], to_plane[1, 2], to_plane[2, 2]
    else:
        ox, oy, oz = eye[0], eye[1], eye[2]
        dx = to_plane[0, 0] * a + to_plane[0, 1] * b + to_plane[0, 2]
        dy = to_plane[1, 0] * a + to_plane[1, 1] * b + to_plane[1, 2]
        dz = to_plane[2, 0] * a + to_plane[2, 1] * b + to_plane[2, 2]
    if abs(dz) < 1e-9:
        return 0.0, 0.0, -1.0
    t = -oz / dz
    return ox + t * dx, oy + t * dy, t


@kernel
def _under(start, stop, rgba8, out, to_plane, eye, lens, look, colors, depth):
    """Rows `start` to `stop` of `drawn_under`."""
    width = rgba8.shape[1]
    tested = depth.size > 0
    for row in range(start, stop):
        for column in range(width):
            alpha = rgba8[row, column, 3] * (1.0 / 255.0)
            red, green, blue = colors[0, 0], colors[0, 1], colors[0, 2]
            cover, tint = 0.0, 1
            over = False
            if alpha < 1.0 or tested:
                x, y = column + 0.5, row + 0.5
                u, v, t = _meet(x, y, to_plane, eye, lens)
                if t > 0.0:
                    far_u, far_v = u - look[0], v - look[1]
                    away = np.sqrt(far_u * far_u + far_v * far_v) / look[2]
                    if away < 1.0:
                        u1, v1, t1 = _meet(x + 1.0, y, to_plane, eye, lens)
                        u2, v2, t2 = _meet(x, y + 1.0, to_plane, eye, lens)
                        wu = abs(u1 - u) + abs(u2 - u) + 1e-12
                        wv = abs(v1 - v) + abs(v2 - v) + 1e-12
                        small, large = look[3], 10.0 * look[3]
                        cover = 0.42 * _grid(u, v, wu, wv, small)
                        cover = max(cover, _grid(u, v, wu, wv, large))
                        cover = max(cover, _grid(u, v, wu, wv, 10.0 * large))
                        on_first = min(max(1.25 - abs(v) / wv, 0.0), 1.0)
                        on_second = min(max(1.25 - abs(u) / wu, 0.0), 1.0)
                        strength = look[4]
                        if max(on_first, on_second) > 0.0:
                            tint = 2 if on_first > on_second else 3
                            cover = max(cover, max(on_first, on_second))
                            strength = min(1.0, 2.2 * strength)
                        cover *= strength * (1.0 - away * away) ** 2
                        if t1 < 0.0 or t2 < 0.0:
                            cover = 0.0
                        over = tested and depth[row, column] > t * 1.004
            if over:
                alpha_left = 1.0 - alpha
                for c in range(3):
                    below = rgba8[row, column, c] * (1.0 / 255.0) + alpha_left * colors[0, c]
                    mixed = below + cover * (colors[tint, c] - below)
                    out[row, column, c] = np.uint8(min(max(mixed, 0.0), 1.0) * 255.0 + 0.5)
            else:
                red += cover * (colors[tint, 0] - red)
                green += cover * (colors[tint, 1] - green)
                blue += cover * (colors[tint, 2] - blue)
                share = (1.0 - alpha) * 255.0
                out[row, column, 0] = np.uint8(
                    min(rgba8[row, column, 0] + share * red + 0.5, 255.0)
                )
                out[row, column, 1] = np.uint8(
                    min(rgba8[row, column, 1] + share * green + 0.5, 255.0)
                )
                out[row, column, 2] = np.uint8(
                    min(rgba8[row, column, 2] + share * blue + 0.5, 255.0)
                )
            out[row, column, 3] = 255


def drawn_over(
    rgba8: NDArray[np.uint8], ids: NDArray[np.int32], gaussians: Gaussians, color: Color
) -> NDArray[np.uint8]:
    """The picture with a line round the selected splats that are seen.

    Parameters
    ----------
    rgba8
        (H, W, 4); returned as it is where nothing is selected.
    ids
        (H, W), rows of `gaussians`, -1 where nothing is.
    gaussians
        What was drawn.
    color
        Display RGB, 0..1.
    """
    state = gaussians.state
    if state is None or not (state & SELECTED).any():
        return rgba8
    out = rgba8.copy()
    mask = np.zeros(ids.shape, np.uint8)
    line = np.array([round(255 * c) for c in color], np.uint8)

    def fill(_: int, start: int, stop: int) -> None:
        _selected(start, stop, ids, state, np.uint8(SELECTED), mask)

    def edge(_: int, start: int, stop: int) -> None:
        _edge(start, stop, mask, line, out)

    parts = _PARTS_PER_CORE * core_count()
    parallel_for(fill, ids.shape[0], parts)
    parallel_for(edge, ids.shape[0], parts)
    return out


@kernel
def _selected(start, stop, ids, state, bit, mask):
    """Set the pixels that show a selected splat."""
    for row in range(start, stop):
        for column in range(ids.shape[1]):
            i = ids[row, column]
            mask[row, column] = 1 if i >= 0 and (state[i] & bit) != 0 else 0


@kernel
def _edge(start, stop, mask, line, out):
    """Colour the pixels outside the mask that touch it.

    A pixel counts as inside where most of the nine round it are: single stray ones have no line.
    """
    height, width = mask.shape
    for row in range(max(start, 2), min(stop, height - 2)):
        for column in range(2, width - 2):
            if _mostly(mask, row, column):
                continue
            touched = (
                _mostly(mask, row - 1, column)
                or _mostly(mask, row + 1, column)
                or _mostly(mask, row, column - 1)
                or _mostly(mask, row, column + 1)
            )
            if touched:
                for c in range(3):
                    out[row, column, c] = line[c]


@kernel
def _mostly(mask, row, column):
    count = 0
    for i in range(row - 1, row + 2):
        for j in range(column - 1, column + 2):
            count += mask[i, j]
    return count >= 5
