"""The `gl` rasterizer: instanced quads on any GPU with OpenGL 3.3, without a window.

`context` opens an off-screen context, `instancing` runs gloo's commands on it, `painter` draws, and
`rasterizer` is the protocol around them. Nothing here loads vispy until a picture is asked for.
"""

from polyorama.render.gl.rasterizer import (
    GlRasterizer,
    availability,
    create,
    is_software,
    promising,
)

__all__ = ["GlRasterizer", "availability", "create", "is_software", "promising"]
