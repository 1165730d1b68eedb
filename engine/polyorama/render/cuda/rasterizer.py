"""Frames drawn by gsplat."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UnavailableError, UsageError
from polyorama.render.cuda.probe import load_gsplat
from polyorama.render.frame import OUTPUTS, Frame
from polyorama.render.prefix import limited

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch
    from numpy.typing import NDArray

    from polyorama.render.cuda.pipeline import Tensors
    from polyorama.render.state import Gaussians, RenderState

__all__ = ["CudaRasterizer", "create"]

_MANY = 8_000_000
"""Splats from which on arrays of the visible ones alone are kept: memory, not time, is short."""

_CACHE = "cuda"


class CudaRasterizer:
    """Draws on an NVIDIA GPU with gsplat.

    Splats are sent to the GPU once and stay there as long as their `Gaussians` live. A picture of
    8 bit is converted there, so that four bytes a pixel cross the bus. Constants are those of
    gsplat 1.5.3, where kernels have them compiled in.

    Parameters
    ----------
    packed
        Whether gsplat keeps arrays of the visible splats only; None decides by how many there are.
    device
        Where to draw.
    """

    name = "cuda"

    def __init__(self, *, packed: bool | None = None, device: str = "cuda") -> None:
        self._packed = packed
        self._device = device

    def render(self, state: RenderState, outputs: Iterable[str] = ("rgba8",)) -> Frame:
        """Draw `state`; see `polyorama.render.rasterizers.Rasterizer`.

        Raises
        ------
        UsageError
            If an output is unknown, features are asked for and there are none, or gsplat's kernels
            do not have the state's constants.
        UnavailableError
            If gsplat's kernels cannot be had, or the GPU's memory is too small.
        """
        wanted = frozenset(outputs)
        if not wanted <= OUTPUTS:
            raise UsageError(
                f"Unknown outputs {sorted(wanted - OUTPUTS)}; choose from {sorted(OUTPUTS)}."
            )
        if "features" in wanted and state.gaussians.features is None:
            raise UsageError("The scene has no feature channels to draw.")
        gsplat = load_gsplat()
        import torch

        from polyorama.render.cuda.pipeline import unsupported

        trouble = unsupported(state.constants)
        if trouble:
            raise UsageError(f"The backend cuda cannot draw with {trouble}; choose cpu for that.")
        try:
            with torch.inference_mode():
                return self._render(gsplat, state.baked(), wanted)
        except torch.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            camera = state.camera
            raise UnavailableError(
                f"The GPU's memory is too small for {len(state.gaussians.cloud)} splats in a "
                f"picture of {camera.width}x{camera.height}; draw a smaller one, or with cpu."
            ) from error

    def _render(self, gsplat: Any, state: RenderState, wanted: frozenset[str]) -> Frame:
        import torch

        from polyorama.render.cuda.pipeline import blend, median, project, shade

        begun = time.perf_counter()
        splats, names = self._uploaded(state.gaussians, state.limit)
        count = len(splats.means)
        camera = state.camera
        uploaded = time.perf_counter()
        if count == 0:
            return self._blank(state, wanted)
        packed = count >= _MANY if self._packed is None else self._packed
        viewmat = torch.as_tensor(camera.viewmat.astype(np.float32), device=self._device)
        projection = project(gsplat, splats, viewmat, camera.lens, state.constants, packed=packed)
        full = bool(wanted & {"depth", "features"})
        arrays: dict[str, torch.Tensor] = {}
        channels = shade(gsplat, splats, viewmat, projection)
        if "depth" in wanted:
            channels = torch.cat([channels, projection.depths[..., None]], dim=-1)
        under = None
        if state.background is not None:
            under = channels.new_zeros(channels.shape[-1])
            under[:3] = channels.new_tensor(state.background)
        picture, alpha = blend(gsplat, projection, channels, under)
        color, cover = picture[..., :3], alpha
        if state.background is not None:
            cover = torch.ones_like(alpha)
        if "color" in wanted:
            arrays["color"] = torch.cat([color, cover[..., None]], dim=-1)
        if "rgba8" in wanted:
            arrays["rgba8"] = to_bytes(color, cover)
        if full:
            arrays["alpha"] = alpha
        if "depth" in wanted:
            arrays["expected_depth"] = torch.where(
                alpha > 0.0, picture[..., 3] / alpha.clamp_min(1e-10), torch.zeros_like(alpha)
            )
            ids, arrays["median_depth"] = median(gsplat, projection)
            if names is not None:
                ids = torch.where(ids >= 0, names[ids.clamp_min(0)], ids)
            arrays["ids"] = ids.to(torch.int32)
        if "features" in wanted:
            rows = splats.features
            assert rows is not None
            rows = rows[None] if projection.ids is None else rows[projection.ids]
            arrays["features"], _ = blend(gsplat, projection, rows)
        visible = projection.listed.numel()
        pictures = download(arrays)
        ended = time.perf_counter()
        return Frame(
            **pictures,
            timing={"upload": 1e3 * (uploaded - begun), "draw": 1e3 * (ended - uploaded)},
            counts={"pairs": visible},
            backend=self.name,
        )

    def _uploaded(
        self, gaussians: Gaussians, limit: int | None
    ) -> tuple[Tensors, torch.Tensor | None]:
        """The splats to draw as tensors, and their names where they are a part of others."""
        kept: dict[Any, Any] = gaussians.cache.setdefault(_CACHE, {})
        key = self._device
        if key not in kept:
            kept[key] = self._upload(gaussians)
        if limit is None or limit >= len(gaussians.cloud):
            if gaussians.rows is not None and "rows" not in kept:
                kept["rows"] = self._names(gaussians.rows)
            return kept[key], kept.get("rows")
        # Coarse versions are few: their rows are picked on the GPU and kept there.
        part = (self._device, max(limit, 0))
        if part not in kept:
            _, names = limited(gaussians, limit)
            assert names is not None
            index = self._names(names)
            told = index if gaussians.rows is None else self._names(gaussians.rows[names])
            for old in [name for name in kept if isinstance(name, tuple)][:-2]:
                kept.pop(old, None)
            kept[part] = (kept[key].subset(index), told)
        return kept[part]  # type: ignore[no-any-return]

    def _names(self, names: NDArray[np.int32]) -> torch.Tensor:
        import torch

        return torch.as_tensor(names.astype(np.int64), device=self._device)

    def _upload(self, gaussians: Gaussians) -> Tensors:
        import torch

        from polyorama.render.cuda.pipeline import Tensors

        cloud = gaussians.cloud

        def sent(array: NDArray[np.float32]) -> torch.Tensor:
            # Through a copy: the cloud's arrays are read-only, which tensors cannot be.
            return torch.from_numpy(np.array(array, np.float32)).to(self._device)

        features = gaussians.features
        return Tensors(
            sent(cloud.means), sent(cloud.quats), sent(cloud.scales), sent(cloud.opacities),
            sent(cloud.sh), None if features is None else sent(features),
        ).sound()  # fmt: skip

    def _blank(self, state: RenderState, wanted: frozenset[str]) -> Frame:
        """A picture of nothing, which gsplat's kernels are not made for."""
        camera = state.camera
        size = (camera.height, camera.width)
        color = np.zeros((*size, 4), np.float32)
        if state.background is not None:
            color[:] = (*state.background, 1.0)
        full = bool(wanted & {"depth", "features"})
        depth = "depth" in wanted
        features = state.gaussians.features
        channels = 0 if features is None else features.shape[1]
        return Frame(
            rgba8=np.floor(255.0 * color.clip(0.0, 1.0) + 0.5).astype(np.uint8)
            if "rgba8" in wanted
            else None,
            color=color if "color" in wanted else None,
            alpha=np.zeros(size, np.float32) if full else None,
            expected_depth=np.zeros(size, np.float32) if depth else None,
            median_depth=np.zeros(size, np.float32) if depth else None,
            ids=np.full(size, -1, np.int32) if depth else None,
            features=np.zeros((*size, channels), np.float32) if "features" in wanted else None,
            backend=self.name,
        )


def to_bytes(color: torch.Tensor, cover: torch.Tensor) -> torch.Tensor:
    """(H, W, 4) uint8 of colours (H, W, 3) and cover (H, W), rounded as `cpu` rounds."""
    import torch

    pixels = torch.empty((*cover.shape, 4), dtype=torch.uint8, device=color.device)
    pixels[..., :3] = color.clamp(0.0, 1.0).mul_(255.0).add_(0.5)
    pixels[..., 3] = cover.clamp(0.0, 1.0).mul_(255.0).add_(0.5)
    return pixels


def download(arrays: dict[str, torch.Tensor]) -> dict[str, NDArray[Any]]:
    """The tensors as arrays; from a GPU by way of page-locked memory, all at once."""
    import torch

    done: dict[str, torch.Tensor] = {}
    on_gpu = False
    for name, tensor in arrays.items():
        if tensor.device.type == "cpu":
            done[name] = tensor
            continue
        on_gpu = True
        here = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
        done[name] = here.copy_(tensor, non_blocking=True)
    if on_gpu:
        torch.cuda.current_stream().synchronize()
    return {name: tensor.numpy() for name, tensor in done.items()}


def create() -> CudaRasterizer:
    """Make the rasterizer.

    Raises
    ------
    UnavailableError
        If gsplat's kernels have to be compiled and cannot be.
    """
    load_gsplat()
    return CudaRasterizer()
