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
    weight: float = 1.0,
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

    weight
        Opacity of the lines beside the usual one: in a coarse picture they are wider.

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
    lens = np.array([camera.fx, camera.fy, camera.cx, camera.cy, parallel], np.float32)
    look = np.array(
        [*ground.center, floor.reach(distance), floor.spacing(unit), weight * floor.strength],
        np.float32,
    )
    first, second = (floor.axes[name] for name in ground.names)
    colors = np.array([backdrop, floor.line, first, second], np.float32)
    seen = np.empty((0, 0), np.float32) if depth is None or not level else depth

    def task(_: int, start: int, stop: int) -> None:
        _under(
            start, stop, rgba8, out, to_plane.astype(np.float32), eye.astype(np.float32), lens,
            look, colors, seen,
        )  # fmt: skip

    parallel_for(task, rgba8.shape[0], _PARTS_PER_CORE * core_count())
    return out


@kernel
def _lines(at, width, spacing):
    """Coverage of lines at multiples of `spacing`, for a pixel of such a width at a position."""
    if width > np.float32(0.16) * spacing:
        return np.float32(0.0)  # lines closer than a few pixels fade away before they can flicker
    off = at / spacing
    off = abs(off - np.floor(off + np.float32(0.5))) * spacing
    line = max(np.float32(1.0) - off / width, np.float32(0.0))
    fade = (np.float32(0.16) - width / spacing) * np.float32(1.0 / 0.12)
    return line * min(fade, np.float32(1.0))


@kernel
def _under(start, stop, rgba8, out, to_plane, eye, lens, look, colors, depth):
    """Rows `start` to `stop` of `drawn_under`.

    Where a pixel's ray meets the plane: in perspective at ``u = eye_u - eye_n d_u / d_n`` with the
    ray's direction d, which is linear in the pixel's place; its derivatives tell how wide a pixel
    is on the plane. Without perspective the origin is linear and the direction constant.
    """
    width = rgba8.shape[1]
    tested = depth.size > 0
    parallel = lens[4] > 0.0
    one, zero = np.float32(1.0), np.float32(0.0)
    # Steps of the ray from a pixel to its right and lower neighbour, along u, v and the normal.
    xu, xv, xn = to_plane[0, 0] / lens[0], to_plane[1, 0] / lens[0], to_plane[2, 0] / lens[0]
    yu, yv, yn = to_plane[0, 1] / lens[1], to_plane[1, 1] / lens[1], to_plane[2, 1] / lens[1]
    zu, zv, zn = to_plane[0, 2], to_plane[1, 2], to_plane[2, 2]
    small, strength, reach = look[3], look[4], look[2]
    for row in range(start, stop):
        b = row + np.float32(0.5) - lens[3]
        for column in range(width):
            opacity = rgba8[row, column, 3]
            surface = zero
            if tested:
                surface = depth[row, column]
            if opacity == 255 and surface <= zero:
                for c in range(4):
                    out[row, column, c] = rgba8[row, column, c]
                continue
            a = column + np.float32(0.5) - lens[2]
            su, sv, sn = a * xu + b * yu, a * xv + b * yv, a * xn + b * yn
            cover, tint = zero, 1
            over = False
            if parallel:
                t = -(eye[2] + sn) / zn
                u, v = eye[0] + su + t * zu, eye[1] + sv + t * zv
                along_u, along_v = zu / zn, zv / zn
                wu = abs(xu - xn * along_u) + abs(yu - yn * along_u)
                wv = abs(xv - xn * along_v) + abs(yv - yn * along_v)
            else:
                dn = sn + zn
                inverse = one / dn
                t = -eye[2] * inverse
                along_u, along_v = (su + zu) * inverse, (sv + zv) * inverse
                u, v = eye[0] - eye[2] * along_u, eye[1] - eye[2] * along_v
                wu = abs(t) * (abs(xu - xn * along_u) + abs(yu - yn * along_u))
                wv = abs(t) * (abs(xv - xn * along_v) + abs(yv - yn * along_v))
            if t > zero and (opacity < 255 or surface > t * np.float32(1.004)):
                far_u, far_v = u - look[0], v - look[1]
                away = (far_u * far_u + far_v * far_v) / (reach * reach)
                if away < one:
                    over = surface > t * np.float32(1.004)
                    wu, wv = wu + np.float32(1e-12), wv + np.float32(1e-12)
                    cover = max(_lines(u, wu, small), _lines(v, wv, small)) * np.float32(0.42)
                    large = np.float32(10.0) * small
                    cover = max(cover, max(_lines(u, wu, large), _lines(v, wv, large)))
                    weight = strength
                    on_first = np.float32(1.25) - abs(v) / wv
                    on_second = np.float32(1.25) - abs(u) / wu
                    if max(on_first, on_second) > zero:
                        tint = 2 if on_first > on_second else 3
                        cover = max(cover, min(max(on_first, on_second), one))
                        weight = min(one, np.float32(2.2) * strength)
                    cover *= weight * (one - away) * (one - away)
            left = (np.float32(255.0) - opacity) * np.float32(1.0 / 255.0)
            for c in range(3):
                below = np.float32(255.0) * colors[0, c]
                line = np.float32(255.0) * colors[tint, c]
                if over:
                    seen = rgba8[row, column, c] + left * below
                    seen += cover * (line - seen)
                else:
                    seen = rgba8[row, column, c] + left * (below + cover * (line - below))
                out[row, column, c] = np.uint8(min(seen + np.float32(0.5), np.float32(255.0)))
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
