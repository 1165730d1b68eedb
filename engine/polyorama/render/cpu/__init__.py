"""The `cpu` rasterizer: numba on all cores, always there, the reference for golden images.

A frame runs in four steps, each in its own module: `project` splats to ellipses, `sort` them by
depth, `bin` them into tiles, `draw` the tiles. Every step is split into ranges whose results do
not depend on the number of threads, so the same state gives the same bytes.
"""

from polyorama.render.cpu.rasterizer import CpuRasterizer, availability, create

__all__ = ["CpuRasterizer", "availability", "create"]
