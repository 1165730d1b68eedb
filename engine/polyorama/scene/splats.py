"""Clouds of 3D Gaussians in natural form."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.sh import SH_C0

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.types import Bounds

__all__ = ["SH_C0", "SplatCloud", "SplatModel", "colors_from_sh", "concatenate", "sh_from_colors"]

SplatModel = Literal["default", "antialiased", "2dgs"]
"""How a cloud was trained: classic 3DGS, with mip filtering, or as flat 2D Gaussians."""


def sh_from_colors(colors: ArrayLike) -> NDArray[np.float32]:
    """DC coefficients, float32, of base colours (display RGB, nominally 0..1), any shape."""
    return ((np.asarray(colors, np.float32) - np.float32(0.5)) / np.float32(SH_C0)).astype(
        np.float32
    )


def colors_from_sh(dc: ArrayLike) -> NDArray[np.float32]:
    """Base colours (display RGB, not clamped), float32, of DC coefficients, any shape."""
    with np.errstate(all="ignore"):  # files hold infinity, and NaN that is reported when used
        dc32 = np.asarray(dc, np.float32)
        return (np.float32(0.5) + np.float32(SH_C0) * dc32).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class SplatCloud:
    """N Gaussians in natural form; every array is read-only.

    The cloud takes over the arrays that it is given: those that need no conversion are not copied
    but made read-only for their former owner too.

    Parameters
    ----------
    means
        (N, 3) float32, world units, in the axes of 3DGS PLY files (mostly +y down).
    quats
        (N, 4) float32, unit quaternions w, x, y, z.
    scales
        (N, 3) float32, linear standard deviations, world units.
    opacities
        (N,) float32, 0..1.
    sh
        (N, K, 3) float32 spherical-harmonic coefficients, K = (degree + 1)^2 with degree 0 to 3,
        coefficient-major, the DC coefficient first.
    model
        How it must be drawn (`SplatModel`).
    up
        World direction that is up, where the file's format says it, else None.
    extras
        Further per-splat columns by name, (N,) each, kept by formats that can hold them.
    comments
        Lines of text that came with the file.

    Raises
    ------
    UsageError
        If shapes disagree.
    """

    means: NDArray[np.float32]
    quats: NDArray[np.float32]
    scales: NDArray[np.float32]
    opacities: NDArray[np.float32]
    sh: NDArray[np.float32]
    model: SplatModel = "default"
    up: tuple[float, float, float] | None = None
    extras: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    comments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("means", "quats", "scales", "opacities", "sh"):
            _check_numbers(name, getattr(self, name))
        count = len(self.means)
        shapes: dict[str, tuple[int, ...]] = {
            "means": (count, 3),
            "quats": (count, 4),
            "scales": (count, 3),
            "opacities": (count,),
        }
        for name, shape in shapes.items():
            _freeze(self, name, shape)
        bands = self.sh.shape[1] if self.sh.ndim == 3 else 0
        if bands not in (1, 4, 9, 16):
            raise UsageError(
                f"SH coefficients have shape {self.sh.shape}; expected (N, 1, 4, 9 or 16, 3)."
            )
        _freeze(self, "sh", (count, bands, 3))
        frozen: dict[str, NDArray[Any]] = {}
        for name, column in self.extras.items():
            if len(column) != count:
                raise UsageError(f"Column {name!r} has {len(column)} rows for {count} splats.")
            if column.ndim != 1:
                raise UsageError(f"Column {name!r} has shape {column.shape}; expected ({count},).")
            frozen[name] = _owned(np.ascontiguousarray(column))
        object.__setattr__(self, "extras", MappingProxyType(frozen))

    def __len__(self) -> int:
        return len(self.means)

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self.means, self.quats, self.scales, self.opacities, self.sh)
        return (SplatCloud, (*arrays, self.model, self.up, dict(self.extras), self.comments))

    @property
    def sh_degree(self) -> int:
        """Degree of the spherical harmonics, 0 to 3."""
        return {1: 0, 4: 1, 9: 2, 16: 3}[self.sh.shape[1]]

    @property
    def colors(self) -> NDArray[np.float32]:
        """(N, 3) float32 base colours (display RGB, not clamped)."""
        return colors_from_sh(self.sh[:, 0])

    @property
    def nbytes(self) -> int:
        """Bytes of the natural-form arrays."""
        arrays = (self.means, self.quats, self.scales, self.opacities, self.sh)
        return sum(a.nbytes for a in arrays) + sum(a.nbytes for a in self.extras.values())

    def subset(self, index: ArrayLike | slice) -> SplatCloud:
        """The splats that a boolean mask (N,), an index array or a slice picks, in that order."""
        pick = index if isinstance(index, slice) else np.asarray(index)
        return replace(
            self,
            means=self.means[pick],
            quats=self.quats[pick],
            scales=self.scales[pick],
            opacities=self.opacities[pick],
            sh=self.sh[pick],
            extras={name: column[pick] for name, column in self.extras.items()},
        )

    def with_sh_degree(self, degree: int) -> SplatCloud:
        """The same cloud with `degree` 0 to 3: higher bands are dropped, missing ones are zero.

        Raises
        ------
        UsageError
            If the degree is not 0 to 3.
        """
        if degree not in (0, 1, 2, 3):
            raise UsageError(f"An SH degree of {degree} is not 0 to 3.")
        bands = (degree + 1) ** 2
        if bands <= self.sh.shape[1]:
            return replace(self, sh=np.ascontiguousarray(self.sh[:, :bands]))
        padded = np.zeros((len(self), bands, 3), np.float32)
        padded[:, : self.sh.shape[1]] = self.sh
        return replace(self, sh=padded)

    def transformed(self, matrix: ArrayLike) -> SplatCloud:
        """Apply an affine map: means, covariances and spherical harmonics move together.

        Similarities rotate quaternions and scale `scales` exactly. Any other invertible map
        transforms the covariance and decomposes it again; harmonics then turn with the nearest
        rotation (polar decomposition). A reflection is allowed.

        Parameters
        ----------
        matrix
            (4, 4) or (3, 4), column-vector convention.

        Raises
        ------
        UsageError
            If the matrix is singular, not finite or not affine.
        """
        from polyorama.scene.transform import transform_cloud

        return transform_cloud(self, matrix)

    def bounds(self, outliers: float = 0.01) -> Bounds:
        """Box of the means without their outliers.

        The box spans the `outliers` to 1 - `outliers` quantiles of each axis, weighted by nothing,
        over finite rows, and is then widened to what a uniform distribution would fill.
        """
        from polyorama.scene.statistics import robust_bounds

        return robust_bounds(self.means, outliers)

    def importance_order(self) -> NDArray[np.int32]:
        """(N,) int32: most important splat first, so that any prefix is a coarse picture.

        Importance is opacity times the product of the two largest scales (the area that the splat
        can cover); ties keep file order.
        """
        x, y, z = self.scales.T
        with np.errstate(all="ignore"):  # areas of absurd scales overflow
            importance = self.opacities * np.maximum(np.maximum(x * y, y * z), x * z)
        return np.argsort(-importance, kind="stable").astype(np.int32)


def concatenate(clouds: Sequence[SplatCloud]) -> SplatCloud:
    """Join clouds in order; the result has the highest SH degree among them.

    The model is kept when all agree, else "default"; extra columns are kept when all have them.

    Raises
    ------
    UsageError
        If there is nothing to join.
    """
    if not clouds:
        raise UsageError("There is nothing to join: no splat cloud was given.")
    if len(clouds) == 1:
        return clouds[0]
    degree = max(cloud.sh_degree for cloud in clouds)
    padded = [cloud.with_sh_degree(degree) for cloud in clouds]
    shared = [n for n in clouds[0].extras if all(n in cloud.extras for cloud in clouds)]
    models = {cloud.model for cloud in clouds}
    ups = {cloud.up for cloud in clouds}
    return SplatCloud(
        means=np.concatenate([c.means for c in padded]),
        quats=np.concatenate([c.quats for c in padded]),
        scales=np.concatenate([c.scales for c in padded]),
        opacities=np.concatenate([c.opacities for c in padded]),
        sh=np.concatenate([c.sh for c in padded]),
        model=models.pop() if len(models) == 1 else "default",
        up=ups.pop() if len(ups) == 1 else None,
        extras={name: np.concatenate([c.extras[name] for c in clouds]) for name in shared},
    )


def _check_numbers(name: str, array: object) -> None:
    """Refuse what is no array of real numbers."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu" or array.ndim == 0:
        kind = getattr(array, "dtype", type(array).__name__)
        raise UsageError(f"Splat array {name!r} is {kind}; expected a numpy array of numbers.")


def _freeze(cloud: SplatCloud, name: str, shape: tuple[int, ...]) -> None:
    array = np.ascontiguousarray(getattr(cloud, name), np.float32)
    if array.shape != shape:
        raise UsageError(f"Splat array {name!r} has shape {array.shape}; expected {shape}.")
    object.__setattr__(cloud, name, _owned(array))


def _owned(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view; what it looks at becomes read-only too, so that no one can write to it.

    An array that is so already is taken as it is: clouds that share an array share one object.
    """
    owner: Any = array
    while isinstance(owner, np.ndarray) and not owner.flags.writeable:
        owner = owner.base
    if not isinstance(owner, np.ndarray):
        return array
    view = array.view()
    owner = view
    while isinstance(owner, np.ndarray):
        owner.flags.writeable = False
        owner = owner.base
    return view
