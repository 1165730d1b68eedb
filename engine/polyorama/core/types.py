"""Cameras and bounds: small frozen values shared by every room.

Axes are OpenCV's throughout: +x right, +y down, +z into the picture; ``viewmat`` maps world to
camera. Pixel (row i, column j) has its centre at (j + 0.5, i + 0.5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polyorama.core.arguments import check_number, said
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = [
    "LARGEST",
    "MAX_SIDE",
    "Bounds",
    "Camera",
    "Lens",
    "frozen_array",
    "picture_size",
    "unit_vector",
]

_RIGID = 1e-4
"""How far a rotation's rows may be from orthonormal: files give few digits."""

MAX_SIDE = 16384
"""The largest picture side in pixels that any renderer accepts."""


LARGEST = 1e30
"""The largest number that a camera may have; focal lengths are at least its inverse.

Rasterizers calculate in float32, which holds such a number times what a picture has of pixels.
"""


def frozen_array(values: ArrayLike, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Copy `values` into a read-only, contiguous array of a given dtype and shape.

    Raises
    ------
    UsageError
        If the values do not have that shape.
    """
    try:
        array = np.array(values, dtype=dtype, order="C")
    except (TypeError, ValueError):
        raise UsageError(
            f"Expected an array of numbers of shape {shape}, got {said(values)}."
        ) from None
    if array.shape != shape:
        raise UsageError(f"Expected an array of shape {shape}, got {array.shape}.")
    array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True)
class Lens:
    """A camera without its place: focal lengths, principal point, size; see `Camera`."""

    fx: float
    fy: float
    cx: float
    cy: float
    width: int
    height: int
    near: float = 0.01
    far: float = 1e10
    orthographic: bool = False

    def __post_init__(self) -> None:
        if not (_is_whole(self.width) and _is_whole(self.height)):
            raise UsageError(f"A size is whole pixels, not {self.width!r} by {self.height!r}.")
        if not (1 <= self.width <= MAX_SIDE and 1 <= self.height <= MAX_SIDE):
            raise UsageError(
                f"A picture of {self.width}x{self.height} pixels cannot be made; "
                f"each side must be 1 to {MAX_SIDE}."
            )
        for name in ("fx", "fy", "cx", "cy", "near", "far"):
            check_number(getattr(self, name), name)
        numbers = (self.fx, self.fy, self.cx, self.cy, self.near, self.far)
        if not np.isfinite(numbers).all() or self.fx <= 0 or self.fy <= 0:
            raise UsageError("The camera's focal lengths must be positive and finite.")
        if np.abs(numbers).max() > LARGEST or min(self.fx, self.fy) < 1.0 / LARGEST:
            raise UsageError(
                f"No picture can be made with focal lengths of {self.fx:.3g} and {self.fy:.3g}, "
                f"the middle at {self.cx:.3g}, {self.cy:.3g} and planes at {self.near:.3g} and "
                f"{self.far:.3g}; choose numbers between {1.0 / LARGEST:g} and {LARGEST:g}."
            )
        if not self.near < self.far or (self.near <= 0.0 and not self.orthographic):
            raise UsageError(
                f"The camera's near plane {self.near} and far plane {self.far} show nothing."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole or orthographic camera.

    Parameters
    ----------
    viewmat
        (4, 4) float64, world to camera, rigid.
    fx, fy
        Focal lengths in pixels; for an orthographic camera, pixels per world unit.
    cx, cy
        Principal point in pixels.
    width, height
        Picture size in pixels.
    kind
        ``"pinhole"`` or ``"orthographic"``.
    near, far
        Splats whose depth is outside [near, far] are not drawn, world units; a pinhole camera's
        near plane is above zero.

    Raises
    ------
    UsageError
        If the size, focal lengths or matrix make no picture.
    """

    viewmat: NDArray[np.float64]
    fx: float
    fy: float
    cx: float
    cy: float
    width: int
    height: int
    kind: Literal["pinhole", "orthographic"] = "pinhole"
    near: float = 0.01
    far: float = 1e10

    def __post_init__(self) -> None:
        object.__setattr__(self, "viewmat", frozen_array(self.viewmat, np.float64, (4, 4)))
        _ = self.lens  # checks the numbers
        if not np.isfinite(self.viewmat).all():
            raise UsageError("The camera's matrix contains NaN or infinity.")
        if self.kind not in ("pinhole", "orthographic"):
            raise UsageError(f"There is no kind of camera {self.kind!r}.")
        if np.abs(self.viewmat).max() > LARGEST:
            raise UsageError(f"The camera is farther than {LARGEST:g} from the origin; move it.")
        rotation = self.viewmat[:3, :3]
        if np.abs(rotation @ rotation.T - np.eye(3)).max() > _RIGID or not np.array_equal(
            self.viewmat[3], (0.0, 0.0, 0.0, 1.0)
        ):
            raise UsageError(
                "The camera's matrix is not a rotation and a position; it must be rigid."
            )

    @classmethod
    def look_at(
        cls,
        eye: ArrayLike,
        target: ArrayLike,
        up: ArrayLike = (0.0, -1.0, 0.0),
        *,
        fov: float = 45.0,
        size: tuple[int, int] = (1280, 720),
        near: float | None = None,
        far: float = 1e10,
    ) -> Camera:
        """Place a pinhole camera.

        Parameters
        ----------
        eye, target
            (3,) positions in world units.
        up
            (3,) world direction that is up in the picture. Captures stored as PLY mostly have y
            down, so their up is (0, -1, 0).
        fov
            Vertical field of view in degrees, 0 < fov < 180.
        size
            (width, height) in pixels.
        near, far
            Depths between which splats are drawn, world units. None is 0.01, or a hundredth of
            the distance to the target where that is less: small scenes are seen too.

        Raises
        ------
        UsageError
            If eye and target coincide or `up` points along the view, or as `Camera`.
        """
        check_number(fov, "fov")
        if not 0.0 < fov < 180.0:
            raise UsageError(f"A vertical field of view of {fov} degrees is not between 0 and 180.")
        width, height = picture_size(size)
        viewmat = look_at_matrix(eye, target, up)
        if near is None:
            distance = np.linalg.norm(np.asarray(target, np.float64) - np.asarray(eye, np.float64))
            near = min(0.01, 0.01 * float(distance))
        focal = 0.5 * height / np.tan(np.radians(fov) / 2.0)
        return cls(
            viewmat,
            focal, focal, width / 2.0, height / 2.0, width, height, near=near, far=far,
        )  # fmt: skip

    @classmethod
    def orthographic(
        cls,
        eye: ArrayLike,
        target: ArrayLike,
        up: ArrayLike = (0.0, -1.0, 0.0),
        *,
        height_in_world: float,
        size: tuple[int, int] = (1280, 720),
    ) -> Camera:
        """Place an orthographic camera.

        Parameters
        ----------
        eye, target, up
            As `look_at` has them.
        height_in_world
            World units from the top to the bottom of the picture.
        size
            (width, height) in pixels.

        Raises
        ------
        UsageError
            As `look_at`, or if the height is not positive.
        """
        check_number(height_in_world, "height_in_world")
        if not height_in_world > 0.0:
            raise UsageError(f"An orthographic picture cannot be {height_in_world} units high.")
        width, height = picture_size(size)
        scale = height / height_in_world
        return cls(
            look_at_matrix(eye, target, up),
            scale, scale, width / 2.0, height / 2.0, width, height, kind="orthographic",
        )  # fmt: skip

    @property
    def lens(self) -> Lens:
        """The camera without its place."""
        return Lens(
            self.fx, self.fy, self.cx, self.cy, self.width, self.height, self.near, self.far,
            self.kind == "orthographic",
        )  # fmt: skip

    @property
    def position(self) -> NDArray[np.float64]:
        """(3,) float64, the camera's centre in world units."""
        rotation = self.viewmat[:3, :3]
        return np.asarray(-rotation.T @ self.viewmat[:3, 3])

    @property
    def forward(self) -> NDArray[np.float64]:
        """(3,) float64, the unit world direction of view."""
        return self.viewmat[2, :3]

    @property
    def intrinsics(self) -> NDArray[np.float64]:
        """(3, 3) float64, the matrix K."""
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1]], np.float64)

    @property
    def fov(self) -> float:
        """Vertical field of view in degrees (pinhole)."""
        return float(np.degrees(2.0 * np.arctan(0.5 * self.height / self.fy)))

    def resized(self, width: int, height: int) -> Camera:
        """The same view in another picture size: the vertical field of view is kept."""
        width, height = picture_size((width, height))
        scale = height / self.height
        return replace(
            self,
            fx=self.fx * scale,
            fy=self.fy * scale,
            cx=width / 2.0 + (self.cx - self.width / 2.0) * scale,
            cy=self.cy * scale,
            width=width,
            height=height,
        )


def picture_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height, checked to be whole numbers.

    Raises
    ------
    UsageError
        If they are not two whole numbers.
    """
    if not (isinstance(size, tuple | list) and len(size) == 2 and all(map(_is_whole, size))):
        raise UsageError(f"A size is two whole numbers of pixels, not {size!r}.")
    return int(size[0]), int(size[1])


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Values as float64.

    Raises
    ------
    UsageError
        If they are no numbers.
    """
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"The camera's {what} must be numbers, not {values!r}.") from None


def unit_vector(values: ArrayLike, what: str = "up direction") -> NDArray[np.float64]:
    """(3,) float64 of length 1 in the direction of any three finite numbers, even the smallest.

    Raises
    ------
    UsageError
        If they are none, or all zero; `what` says what they are.
    """
    try:
        vector = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"The {what} must be three numbers, not {values!r}.") from None
    if vector.shape != (3,) or not np.isfinite(vector).all() or not vector.any():
        raise UsageError(f"The {what} must be three finite numbers that are not all zero.")
    # Squares of very small or large numbers would leave the range.
    vector = vector / np.abs(vector).max()
    return np.asarray(vector / np.linalg.norm(vector))


def look_at_matrix(eye: ArrayLike, target: ArrayLike, up: ArrayLike) -> NDArray[np.float64]:
    """World-to-camera matrix, (4, 4) float64, of a camera at `eye` that looks at `target`.

    Raises
    ------
    UsageError
        If eye and target coincide or `up` points along the view.
    """
    eye64, target64, up64 = _numbers(eye, "eye"), _numbers(target, "target"), _numbers(up, "up")
    for name, vector in (("eye", eye64), ("target", target64), ("up", up64)):
        if vector.shape != (3,) or not np.isfinite(vector).all():
            raise UsageError(f"The camera's {name} must be three finite numbers.")
        if name != "up" and np.abs(vector).max() > LARGEST:
            raise UsageError(f"The camera's {name} is farther than {LARGEST:g} from the origin.")
    forward = target64 - eye64
    distance = np.linalg.norm(forward)
    if distance == 0.0:
        raise UsageError("The camera's eye and target are the same point.")
    forward = forward / distance
    right = np.cross(forward, unit_vector(up64))
    length = np.linalg.norm(right)
    if length <= 1e-9:
        raise UsageError("The camera's up direction points along its view; choose another.")
    right = right / length
    down = np.cross(forward, right)
    viewmat = np.eye(4)
    viewmat[:3, :3] = (right, down, forward)
    viewmat[:3, 3] = -viewmat[:3, :3] @ eye64
    return viewmat


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """An axis-aligned box: `low` and `high`, (3,) float64 each, world units."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", frozen_array(self.low, np.float64, (3,)))
        object.__setattr__(self, "high", frozen_array(self.high, np.float64, (3,)))

    @property
    def center(self) -> NDArray[np.float64]:
        """(3,) float64, the middle."""
        return np.asarray((self.low + self.high) / 2.0)

    @property
    def extent(self) -> NDArray[np.float64]:
        """(3,) float64, the side lengths."""
        return np.asarray(self.high - self.low)

    @property
    def diagonal(self) -> float:
        """Length of the diagonal."""
        return float(np.linalg.norm(self.extent))

    def union(self, other: Bounds) -> Bounds:
        """The smallest box around both."""
        return Bounds(np.minimum(self.low, other.low), np.maximum(self.high, other.high))
