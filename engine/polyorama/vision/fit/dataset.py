"""The pictures of a fit, with their cameras."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from polyorama.core.types import Bounds, frozen_array
from polyorama.errors import UsageError
from polyorama.io.photos import reduced_camera
from polyorama.vision.fit.losses import Moments, moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.types import Camera, Lens

__all__ = ["Dataset", "Pictures", "Target", "View", "check_overlap", "seen_by"]

_EXTENT_MARGIN = 1.1
_KEPT_BYTES = 1 << 30
_SEEN_SAMPLE = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A photograph and its camera.

    Parameters
    ----------
    name
        What it is called where something is wrong with it.
    camera
        A camera of the picture's size.
    pixels
        (H, W, 3) or, with straight alpha, (H, W, 4) uint8 display RGB.
    mask
        (H, W) bool, the pixels that count; None is all.

    Raises
    ------
    UsageError
        If the sizes disagree.
    """

    name: str
    camera: Camera
    pixels: NDArray[np.uint8]
    mask: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        size = (self.camera.height, self.camera.width)
        if self.pixels.dtype != np.uint8 or self.pixels.shape not in ((*size, 3), (*size, 4)):
            raise UsageError(
                f"The picture {self.name} is an array {self.pixels.shape} of {self.pixels.dtype}; "
                f"its camera asks for {(*size, 3)} of uint8."
            )
        if self.mask is not None and self.mask.shape != size:
            raise UsageError(
                f"The mask of {self.name} is {self.mask.shape[1]}x{self.mask.shape[0]}, the "
                f"picture {size[1]}x{size[0]}; they must have one size."
            )

    @property
    def blank(self) -> bool:
        """Whether nothing of it counts."""
        return self.mask is not None and not self.mask.any()


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Views to fit to, views held out to measure with, and points to begin from.

    Parameters
    ----------
    views
        At least two.
    held_out
        Never fitted to.
    points
        (P, 3) positions that a reconstruction found, world units, or None.
    colors
        (P, 3) their display RGB, 0..1, or None.

    Raises
    ------
    UsageError
        If there are fewer than two views.
    """

    views: tuple[View, ...]
    held_out: tuple[View, ...] = ()
    points: NDArray[np.float32] | None = None
    colors: NDArray[np.float32] | None = None
    extent: float = field(init=False)

    def __post_init__(self) -> None:
        if len(self.views) < 2:
            many = "There is one picture" if self.views else "There is no picture"
            raise UsageError(
                f"{many} to fit to, which says nothing about depth; give at least two views."
            )
        if self.points is not None:
            count = len(self.points)
            object.__setattr__(self, "points", frozen_array(self.points, np.float32, (count, 3)))
            colors = np.full((count, 3), 0.5) if self.colors is None else self.colors
            object.__setattr__(self, "colors", frozen_array(colors, np.float32, (count, 3)))
        centers = np.stack([view.camera.position for view in self.views])
        spread = np.linalg.norm(centers - centers.mean(axis=0), axis=1).max()
        if not spread > 0.0:
            # All from one place: nothing tells the scale but the depth of the points.
            spread = _depth(self)
        object.__setattr__(self, "extent", float(_EXTENT_MARGIN * spread))

    @property
    def up(self) -> NDArray[np.float64]:
        """(3,) the mean of the cameras' up directions, unit length."""
        mean = -np.mean([view.camera.viewmat[1, :3] for view in self.views], axis=0)
        length = np.linalg.norm(mean)
        return mean / length if length > 1e-3 else np.array([0.0, -1.0, 0.0])

    @property
    def focus(self) -> NDArray[np.float64]:
        """(3,) the point nearest to all optical axes, before the cameras where there is one."""
        directions = np.stack([view.camera.forward for view in self.views])
        centers = np.stack([view.camera.position for view in self.views])
        across = np.eye(3) - directions[:, :, None] * directions[:, None, :]
        # A little pull towards one extent before the cameras decides where axes are parallel.
        ahead = (centers + self.extent * directions).mean(axis=0)
        pull = 1e-3 * len(self.views)
        right = np.einsum("nij,nj->i", across, centers) + pull * ahead
        return np.asarray(np.linalg.solve(across.sum(axis=0) + pull * np.eye(3), right))

    def bounds(self) -> Bounds:
        """A box around what the views show: that of the points, else of the cameras' frusta."""
        if self.points is not None and len(self.points) >= 8:
            from polyorama.scene.statistics import robust_bounds

            return robust_bounds(self.points, 0.01)
        focus = self.focus
        reach = []
        for view in self.views:
            camera = view.camera
            half = 0.5 * max(camera.width / camera.fx, camera.height / camera.fy)
            distance = float(np.linalg.norm(camera.position - focus))
            reach.append(half * (distance if camera.kind == "pinhole" else 1.0))
        half_side = float(np.median(reach))
        return Bounds(focus - half_side, focus + half_side)


def _depth(dataset: Dataset) -> float:
    if dataset.points is None or not len(dataset.points):
        return 1.0
    distances = np.linalg.norm(dataset.points - dataset.views[0].camera.position, axis=1)
    return float(np.median(distances)) or 1.0


def seen_by(points: ArrayLike, views: Sequence[View]) -> NDArray[np.bool_]:
    """(V, P) bool: whether a point lies in a view's picture and before its camera."""
    array = np.asarray(points, np.float64)
    seen = np.zeros((len(views), len(array)), bool)
    for row, view in zip(seen, views, strict=True):
        camera = view.camera
        local = array @ camera.viewmat[:3, :3].T + camera.viewmat[:3, 3]
        z = np.where(local[:, 2] > camera.near, local[:, 2], np.nan)
        divide = z if camera.kind == "pinhole" else np.ones_like(z)
        x = camera.fx * local[:, 0] / divide + camera.cx
        y = camera.fy * local[:, 1] / divide + camera.cy
        # Comparisons with NaN are false: what is behind the camera is not seen.
        row[:] = (x >= 0) & (x < camera.width) & (y >= 0) & (y < camera.height) & (z == z)
    return seen


def check_overlap(dataset: Dataset, means: ArrayLike) -> list[str]:
    """Names of the views that see nothing of the start.

    Raises
    ------
    UsageError
        If no part of it is in two pictures.
    """
    array = np.asarray(means)
    if len(array) > _SEEN_SAMPLE:
        array = array[:: len(array) // _SEEN_SAMPLE]
    seen = seen_by(array, dataset.views)
    if not (seen.sum(axis=0) >= 2).any():
        raise UsageError(
            "No part of the scene is in two of the pictures, so nothing can be fitted; check that "
            "the cameras belong to these pictures and look at the same place."
        )
    return [view.name for view, row in zip(dataset.views, seen, strict=True) if not row.any()]


class Target(NamedTuple):
    """A view as tensors, at one size.

    `photograph` (H, W, 3) straight colour 0..1, `alpha` (H, W, 1) or None, `mask` (H, W) or None,
    `viewmat` (4, 4), `lens`, and what SSIM needs where the photograph is opaque.
    """

    photograph: torch.Tensor
    alpha: torch.Tensor | None
    mask: torch.Tensor | None
    viewmat: torch.Tensor
    lens: Lens
    known: Moments | None

    def over(self, background: torch.Tensor) -> tuple[torch.Tensor, Moments | None]:
        """The photograph over a background (3,), with what SSIM needs where that was kept."""
        if self.alpha is None:
            return self.photograph, self.known
        return torch.lerp(background.expand_as(self.photograph), self.photograph, self.alpha), None


class Pictures:
    """Views as tensors at whole fractions of their size; kept as long as they fit in memory.

    Parameters
    ----------
    views
        Which.
    device
        Where the tensors shall lie.
    background
        Display RGB that transparent views are laid over; None keeps their alpha.
    keep
        Whether tensors are kept for the next time.
    """

    def __init__(
        self,
        views: Sequence[View],
        device: torch.device | str = "cpu",
        *,
        background: tuple[float, float, float] | None = None,
        keep: bool = True,
    ) -> None:
        self._views = views
        self._background = background
        self._room = _KEPT_BYTES if keep else 0
        self._device = torch.device(device)
        self._kept: dict[int, tuple[int, Target, int]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._views)

    def target(self, index: int, factor: int = 1) -> Target:
        """A view, reduced by a whole factor; only that of the last factor is kept."""
        if index in self._kept:
            of, kept, size = self._kept[index]
            if of == factor:
                return kept
            # Fits go from coarse to fine and never back.
            del self._kept[index]
            self._bytes -= size
        made = self._make(self._views[index], factor)
        parts = [made.photograph, made.alpha, made.mask, *(made.known or ())]
        size = sum(part.nbytes for part in parts if part is not None)
        if self._bytes + size <= self._room:
            self._kept[index] = (factor, made, size)
            self._bytes += size
        return made

    def _make(self, view: View, factor: int) -> Target:
        # A thin picture is never reduced to nothing.
        factor = min(factor, view.camera.width, view.camera.height)
        pixels, mask = view.pixels, view.mask
        values = torch.from_numpy(pixels.copy()).to(self._device)
        planes = values.permute(2, 0, 1).float() / 255.0
        alpha = planes[3:] if len(planes) == 4 else None
        colors = planes[:3]
        counted = None if mask is None else torch.from_numpy(mask.copy()).to(self._device)
        if factor > 1:
            # Colours count by their alpha and mask, so that neither bleeds into the mean.
            weight = torch.ones_like(planes[:1]) if alpha is None else alpha
            if counted is not None:
                weight = weight * counted[None]
            mean_weight = _reduced(weight, factor)
            plain = _reduced(colors, factor)
            colors = _reduced(colors * weight, factor) / mean_weight.clamp_min(1e-6)
            colors = torch.where(mean_weight > 0, colors, plain)
            alpha = None if alpha is None else _reduced(alpha, factor)
            if counted is not None:
                counted = _reduced(counted[None].float(), factor)[0] >= 0.5
        photograph = colors.permute(1, 2, 0).contiguous()
        if alpha is not None and self._background is not None:
            under = torch.tensor(self._background, dtype=torch.float32, device=self._device)
            share = alpha.permute(1, 2, 0)
            photograph, alpha = torch.lerp(under.expand_as(photograph), photograph, share), None
        return Target(
            photograph,
            None if alpha is None else alpha.permute(1, 2, 0).contiguous(),
            counted,
            torch.tensor(view.camera.viewmat, dtype=torch.float32, device=self._device),
            reduced_camera(view.camera, factor).lens,
            moments(photograph) if alpha is None else None,
        )


def _reduced(planes: torch.Tensor, factor: int) -> torch.Tensor:
    return torch.nn.functional.avg_pool2d(planes[None], factor)[0]
