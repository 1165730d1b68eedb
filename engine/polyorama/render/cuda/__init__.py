"""The `cuda` rasterizer: gsplat on an NVIDIA GPU.

`probe` tells whether it can run, without loading it; `pipeline` puts gsplat's steps together;
`rasterizer` is the protocol around them. Nothing here loads PyTorch on a machine without a driver.
"""

from polyorama.render.cuda.probe import availability, promising
from polyorama.render.cuda.rasterizer import CudaRasterizer, create

__all__ = ["CudaRasterizer", "availability", "create", "promising"]
