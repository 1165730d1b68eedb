"""Splats as instanced quads, blended front to back into a float picture.

Each quad is the smallest rectangle around its splat's visible ellipse. The fragment computes the
exponent exactly as the cpu's `draw` does, from the same projected records in the same order, with
the same cap and the same cutoff at 1/255. Blending is "under": what a pixel holds already covers
what comes behind it. The one difference is that a pixel does not stop at a transmittance of 1e-4;
what comes after that is far below one step of an 8-bit picture.

Shaders are GLSL 330, which OpenGL 3.3 and the 4.1 of macOS know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from vispy.gloo import FrameBuffer, Program, RenderBuffer, Texture2D, VertexBuffer

from polyorama.render.gl.instancing import Commands, Functions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polyorama.render.gl.context import GlContext

__all__ = ["LARGEST_TILE", "Painter"]

LARGEST_TILE = 4096
"""Larger pictures are drawn in squares of this side, so that they fit any GPU."""

_SPLAT_VERTEX = """#version 330
uniform vec4 window;  // left, top, width, height of the part that is drawn, pixels
in vec2 corner;
in vec4 first;        // mean x, y; exponent factors a, b
in vec4 second;       // c, log2 of opacity, red, green
in vec4 third;        // blue, depth, half width and half height of the visible ellipse
flat out vec4 shape;
flat out vec2 rest;
flat out vec3 paint;

void main() {
    float a = first.z, b = first.w, c = second.x;
    // Axes of a x^2 + b x y + c y^2 = drop, of which no difference of like numbers is taken: the
    // long one comes from the box, whose half sides squared sum to both axes squared.
    float drop = second.y + 7.994353436858858;
    float lean = sqrt(0.25 * (a - c) * (a - c) + 0.25 * b * b);
    vec2 steep = a >= c ? vec2(0.5 * (a - c) + lean, 0.5 * b) : vec2(0.5 * b, 0.5 * (c - a) + lean);
    float size = length(steep);
    steep = size > 0.0 ? steep / size : vec2(1.0, 0.0);
    float near = drop / (0.5 * (a + c) + lean);
    float far = max(dot(third.zw, third.zw) - near, near);
    // A little more than needed: the fragment decides.
    vec2 axes = sqrt(max(vec2(near, far), 0.0)) * 1.001 + 0.02;
    vec2 place = first.xy + corner.x * axes.x * steep
        + corner.y * axes.y * vec2(-steep.y, steep.x);
    if (axes.y > 2048.0) {
        // Beyond what rasterization is exact for: the box, cut at the window.
        vec2 low = max(first.xy - third.zw, window.xy) - 1.0;
        vec2 high = min(first.xy + third.zw, window.xy + window.zw) + 1.0;
        place = mix(low, high, 0.5 + 0.5 * corner);
    }
    shape = first;
    rest = second.xy;
    paint = vec3(second.zw, third.x);
    gl_Position = vec4(2.0 * (place - window.xy) / window.zw - 1.0, 0.0, 1.0);
}
"""

_SPLAT_FRAGMENT = """#version 330
uniform vec4 window;
uniform float cap;
flat in vec4 shape;
flat in vec2 rest;
flat in vec3 paint;
out vec4 color;

void main() {
    vec2 d = shape.xy - (gl_FragCoord.xy + window.xy);
    float exponent = (rest.y - shape.z * d.x * d.x) - rest.x * d.y * d.y - shape.w * d.y * d.x;
    exponent = min(exponent, rest.y);
    if (!(exponent >= -7.994353436858858)) discard;
    float alpha = min(exp2(exponent), cap);
    color = vec4(alpha * paint, alpha);
}
"""

_FINISH_VERTEX = """#version 330
in vec2 corner;
void main() { gl_Position = vec4(corner, 0.0, 1.0); }
"""

_FINISH_FRAGMENT = """#version 330
uniform sampler2D picture;
uniform vec4 background;  // its last number tells whether there is one
out vec4 color;

void main() {
    vec4 sum = texelFetch(picture, ivec2(gl_FragCoord.xy), 0);
    float through = 1.0 - sum.a;
    sum = vec4(sum.rgb + through * background.rgb, mix(sum.a, 1.0, background.a));
    color = floor(255.0 * clamp(sum, 0.0, 1.0) + 0.5) / 255.0;
}
"""

_ROW = 48
"""Bytes of a projected splat: twelve floats."""

_RGBA8 = 0x8058


class Painter:
    """Draws on one context, always from the thread that owns it.

    Parameters
    ----------
    context
        A current context.

    Raises
    ------
    RuntimeError
        If the driver refuses anything that OpenGL 3.3 has.
    """

    def __init__(self, context: GlContext) -> None:
        self._functions = Functions(context)
        self.renderer = self._functions.words(0x1F01)
        self.version = self._functions.words(0x1F02)
        self.largest = min(LARGEST_TILE, self._functions.limit(0x0D33))
        self._functions.bind_vertex_array()
        self._commands = Commands(self._functions)
        corners = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)
        self._corners = VertexBuffer(corners)
        self._rows = VertexBuffer()
        self._splats = Program(_SPLAT_VERTEX, _SPLAT_FRAGMENT)
        self._finish = Program(_FINISH_VERTEX, _FINISH_FRAGMENT)
        self._splats["corner"] = self._corners
        self._finish["corner"] = self._corners
        self._commands.adopt(self._corners, self._rows, self._splats, self._finish)
        self._size = (0, 0)
        self._picture: Any = None
        self._float: Any = None
        self._bytes: Any = None
        self._commands.flush()

    def _resize(self, size: tuple[int, int]) -> None:
        """Make buffers of (height, width) pixels, where they are not."""
        if size == self._size:
            return
        self._picture = Texture2D(
            (*size, 4), format="rgba", internalformat="rgba32f", interpolation="nearest"
        )
        self._float = FrameBuffer(self._picture)
        self._bytes = FrameBuffer(RenderBuffer(size, _RGBA8))
        self._finish["picture"] = self._picture
        self._commands.adopt(self._picture, self._float, self._bytes)
        self._size = size

    def upload(self, rows: NDArray[np.float32]) -> None:
        """Send projected splats, (n, 12) float32, nearest first."""
        if len(rows):
            self._rows.set_data(rows.reshape(-1))
            for i, name in enumerate(("first", "second", "third")):
                self._commands.attribute(self._splats, name, self._rows, _ROW, 16 * i)
            self._commands.flush()

    def draw(
        self,
        count: int,
        width: int,
        height: int,
        cap: float,
        background: tuple[float, float, float] | None,
        rgba8: NDArray[np.uint8] | None,
        color: NDArray[np.float32] | None,
    ) -> None:
        """Draw the uploaded splats and write the arrays that are there.

        Parameters
        ----------
        count
            How many splats were uploaded.
        width, height, cap, background
            Of the picture.
        rgba8, color
            (H, W, 4) each, written as `Frame` has them.
        """
        for left, top, right, bottom in self._tiles(width, height):
            self._draw_tile(count, (left, top, right - left, bottom - top), cap)
            here = (slice(top, bottom), slice(left, right))
            if color is not None:
                self._read_color(color[here], background)
            if rgba8 is not None:
                rgba8[here] = self._read_bytes(background)
            self._commands.target(self._float, False)
        self._commands.flush()

    def _tiles(self, width: int, height: int) -> Iterator[tuple[int, int, int, int]]:
        side = self.largest
        for top in range(0, height, side):
            for left in range(0, width, side):
                yield left, top, min(left + side, width), min(top + side, height)

    def _draw_tile(self, count: int, window: tuple[int, int, int, int], cap: float) -> None:
        commands = self._commands
        self._resize((window[3], window[2]))
        commands.target(self._float, True)
        commands.call("glViewport", 0, 0, window[2], window[3])
        commands.call("glClearColor", 0.0, 0.0, 0.0, 0.0)
        commands.call("glClear", 0x4000)
        if count:
            under, one = "one_minus_dst_alpha", "one"
            commands.call("glEnable", "blend")
            commands.call("glBlendFuncSeparate", under, one, under, one)
            self._splats["window"] = window
            self._splats["cap"] = cap
            commands.draw(self._splats, count)
            commands.call("glDisable", "blend")
        commands.flush()

    def _read_color(
        self, color: NDArray[np.float32], background: tuple[float, float, float] | None
    ) -> None:
        height, width = self._size
        color[...] = self._functions.read(width, height, np.float32)
        if background is not None:
            color[..., :3] += (1.0 - color[..., 3:]) * np.asarray(background, np.float32)
            color[..., 3] = 1.0

    def _read_bytes(self, background: tuple[float, float, float] | None) -> NDArray[np.uint8]:
        height, width = self._size
        self._commands.target(self._bytes, True)
        self._finish["background"] = (*(background or (0.0, 0.0, 0.0)), background is not None)
        self._commands.draw(self._finish, 1)
        self._commands.flush()
        pixels = self._functions.read(width, height, np.uint8)
        self._commands.target(self._bytes, False)
        return pixels
