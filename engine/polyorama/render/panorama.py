"""Panoramas by any rasterizer: 360 degree equirectangular pictures and fisheyes.

Rasterizers draw pinhole pictures, so a panorama is put together from several of them, the *faces*:
26 for all directions, 45 degrees wide plus a margin, in three belts and two caps. Six would do, but
far from the middle of a wide picture footprints are distorted and sorted by another depth: across
edges, six agreed with small pictures to 31 dB, 26 to 47. The margins of neighbours overlap, and
there one fades into the other, so that no seam shows. Faces have half as many pixels again as the
panorama in each direction; each of its pixels takes four cubic samples of them, as linear light.
Fisheyes need those that they see, narrow ones a single face of their own.

Directions are in the camera's axes: +x right, +y down, +z forward. The depth of a panorama is the
distance from the eye, since it has no one direction of view.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polyorama.core.compile import core_count, kernel, parallel_for
from polyorama.core.types import MAX_SIDE
from polyorama.errors import UsageError
from polyorama.render.frame import Frame
from polyorama.render.light import to_linear

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from numpy.typing import NDArray

    from polyorama.core.types import Camera

__all__ = ["Face", "Projection", "Region", "face_of", "panorama", "projected", "sphere_faces"]

_SCALE = 1.5
"""Face pixels for each pixel of the panorama, in each direction."""
_SUBSAMPLES = 2
_FADE = float(np.radians(5.0))
"""Half the width of the overlap between faces."""
_RIGHT_ANGLES = (-np.pi / 2.0, np.pi / 2.0)
_NARROWEST = 0.1
_ONE_FACE = 50.0
"""Degrees of a fisheye up to which one face shows it all, no wider than others are; several would
have the more pixels beside it the narrower it is."""
_BORDER = 3
"""Pixels around a face for the cubic filter."""


@dataclass(frozen=True, slots=True)
class Projection:
    """How directions become pixels.

    Parameters
    ----------
    kind
        "perspective" (the camera's own), "equirectangular" or "fisheye" (equidistant: the distance
        from the middle is proportional to the angle from the view).
    fov
        Of a fisheye: the angle in degrees across the circle that touches the shorter sides, 0.1 to
        360. Beyond the circle there is black, or nothing where the picture is transparent.

    Raises
    ------
    UsageError
        If the kind is unknown or the angle out of range.
    """

    kind: Literal["perspective", "equirectangular", "fisheye"] = "perspective"
    fov: float = 180.0

    def __post_init__(self) -> None:
        kinds = ("perspective", "equirectangular", "fisheye")
        if self.kind not in kinds:
            raise UsageError(f"There is no projection {self.kind!r}; choose {', '.join(kinds)}.")
        if not _NARROWEST <= self.fov <= 360.0:
            raise UsageError(f"A fisheye of {self.fov:g} degrees is not {_NARROWEST:g} to 360.")

    @property
    def is_plain(self) -> bool:
        """Whether rasterizers draw it as it is."""
        return self.kind == "perspective"

    def pixels_per_radian(self, width: int, height: int) -> float:
        """Finest resolution of a picture of that size, in pixels."""
        if self.kind == "equirectangular":
            return max(width / (2.0 * np.pi), height / np.pi)
        return min(width, height) / float(np.radians(self.fov))


@dataclass(frozen=True, slots=True)
class Region:
    """The part of the sphere for which a face is meant, and how it fades at the edges; radians.

    Parameters
    ----------
    longitude, latitude
        Its middle; longitude 0 is forward and grows to the right, latitude grows upward.
    half_longitude, half_latitude
        Half its size, to the middle of the fade; a half longitude of pi or more goes all round.
    fade_longitude, fade_latitude
        Half the width of the fade.
    """

    longitude: float
    latitude: float
    half_longitude: float
    half_latitude: float
    fade_longitude: float
    fade_latitude: float

    @property
    def reach(self) -> tuple[float, float]:
        """Half its size with the whole fade: along longitude and latitude."""
        return self.half_longitude + self.fade_longitude, self.half_latitude + self.fade_latitude

    def directions(self, steps: int = 9) -> NDArray[np.float64]:
        """(steps^2, 3) unit directions spread over it, edges included."""
        across, along = self.reach
        turns = self.longitude + np.linspace(-1.0, 1.0, steps) * min(across, np.pi)
        rises = self.latitude + np.linspace(-1.0, 1.0, steps) * along
        turn, rise = (v.ravel() for v in np.meshgrid(turns, np.clip(rises, *_RIGHT_ANGLES)))
        level = np.cos(rise)
        return np.stack([level * np.sin(turn), -np.sin(rise), level * np.cos(turn)], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One pinhole picture of several.

    Parameters
    ----------
    rotation
        (3, 3) from the panorama's axes to the face's.
    region
        Which directions it gives.
    edge
        Tangent of the angle from its middle to its edges.
    eye
        (3,) where it is drawn from, in the panorama's axes, world units.
    """

    rotation: NDArray[np.float64]
    region: Region
    edge: float
    eye: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def camera(self, camera: Camera, focal: float) -> Camera:
        """The camera that draws it, with a focal length in pixels."""
        focal = min(focal, (MAX_SIDE - 2 * _BORDER - 1) / (2.0 * self.edge))
        side = int(np.ceil(2.0 * focal * self.edge)) + 2 * _BORDER
        moved = camera.viewmat.copy()
        moved[:3, 3] -= self.eye
        viewmat = np.eye(4)
        viewmat[:3] = self.rotation @ moved[:3]
        return replace(
            camera, viewmat=viewmat, fx=focal, fy=focal, kind="pinhole",
            cx=side / 2.0, cy=side / 2.0, width=side, height=side,
        )  # fmt: skip


def face_of(region: Region, beside: float = 0.0) -> Face:
    """The face that gives a region.

    Parameters
    ----------
    region
        Where it looks.
    beside
        How far to the right of the panorama's middle its eye is, world units.
    """
    turn, rise = region.longitude, region.latitude
    right = np.array([np.cos(turn), 0.0, -np.sin(turn)])
    forward = np.array([np.cos(rise) * np.sin(turn), -np.sin(rise), np.cos(rise) * np.cos(turn)])
    rotation = np.stack([right, np.cross(forward, right), forward])
    # Square, so that the footprints of splats outside keep their shape equally far in both axes.
    x, y, z = rotation @ region.directions().T
    edge = float(max(np.abs(x / z).max(), np.abs(y / z).max())) * 1.01
    eye = beside * right
    return Face(rotation, region, edge, (float(eye[0]), float(eye[1]), float(eye[2])))


def sphere_faces(projection: Projection, width: int, height: int) -> list[Face]:
    """The faces that a panorama of that size needs; the first looks forward."""
    if projection.kind == "fisheye" and projection.fov <= _ONE_FACE:
        # On a cone around the view neither angle is larger than half the cone's: with the margin,
        # the fade lies beyond the circle.
        half = float(np.radians(projection.fov)) / 2.0
        return [face_of(Region(0.0, 0.0, 1.02 * half, 1.02 * half, 0.01 * half, 0.01 * half))]
    eighth, cap = np.pi / 8.0, np.pi / 2.0
    regions = [
        Region(2.0 * eighth * i, latitude, eighth, eighth, _FADE, _FADE)
        for latitude in (0.0, np.pi / 4.0, -np.pi / 4.0)
        for i in range(8)
    ]
    regions += [Region(0.0, pole, 2.0 * np.pi, eighth, _FADE, _FADE) for pole in (cap, -cap)]
    if projection.kind == "fisheye":
        half = np.radians(projection.fov) / 2.0
        # Half a step between the directions that are tried is 3 degrees.
        regions = [r for r in regions if r.directions()[:, 2].max() > np.cos(half + 0.06)]
    return [face_of(region) for region in regions]


def projected(
    projection: Projection, width: int, height: int, directions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Pixels (n, 2), x right and y down, at which unit directions (n, 3) in camera axes appear."""
    x, y, z = directions.T
    if projection.kind == "equirectangular":
        longitude, latitude = np.arctan2(x, z), np.arcsin(np.clip(-y, -1.0, 1.0))
        return np.stack(
            [(longitude / (2 * np.pi) + 0.5) * width, (0.5 - latitude / np.pi) * height], axis=1
        )
    side = np.hypot(x, y)
    radius = np.arctan2(side, z) * projection.pixels_per_radian(width, height)
    safe = np.where(side > 0, side, 1.0)
    return np.stack([width / 2 + radius * x / safe, height / 2 + radius * y / safe], axis=1)


def panorama(
    view: Callable[[Camera, tuple[str, ...]], Generator[None, None, Frame]],
    camera: Camera,
    projection: Projection,
    outputs: tuple[str, ...] = ("color",),
    *,
    faces: Sequence[Face] | None = None,
    opaque: bool = True,
) -> Generator[None, None, Frame]:
    """Draw a panorama; yields after every face.

    Parameters
    ----------
    view
        Draws a pinhole picture with the outputs asked for.
    camera
        Position, orientation and size of the picture; its lens does not count.
    projection
        Equirectangular or fisheye.
    outputs
        "color" gives `linear`; "depth" gives `expected_depth` and `median_depth`, both distances
        from the eye, `alpha` and `ids`; "normals" gives `normals`.
    faces
        None takes those of `sphere_faces`.
    opaque
        Whether what lies outside a fisheye's circle is black, not clear.

    Raises
    ------
    UsageError
        If the camera is orthographic.
    """
    if camera.kind != "pinhole":
        raise UsageError("A parallel view has no panorama; leave out --ortho.")
    width, height = camera.width, camera.height
    if faces is None:
        faces = sphere_faces(projection, width, height)
    focal = _SCALE * projection.pixels_per_radian(width, height)
    sheet = _Sheet(projection, width, height, outputs)
    backend = ""
    for face in faces:
        through = face.camera(camera, focal)
        frame = yield from view(through, outputs)
        backend = frame.backend
        sheet.lay(face, through, frame)
    return replace(sheet.frame(opaque), backend=backend)


class _Sheet:
    """The panorama while faces are laid onto it."""

    def __init__(
        self, projection: Projection, width: int, height: int, outputs: tuple[str, ...]
    ) -> None:
        self._projection = projection
        self._size = (height, width)
        equirect = projection.kind == "equirectangular"
        self._shape = np.array([
            0.0 if equirect else 1.0, width, height,
            projection.pixels_per_radian(width, height), np.radians(projection.fov) / 2.0,
        ])  # fmt: skip
        with_color, with_depth = "color" in outputs, "depth" in outputs
        with_normals = "normals" in outputs
        self._color = np.zeros((*self._size, 4), np.float32) if with_color else None
        self._weights = np.zeros(self._size, np.float32)
        self._best = np.zeros(self._size, np.float32)
        self._depth = np.zeros((*self._size, 3), np.float32) if with_depth else None
        self._ids = np.full(self._size, -1, np.int32) if with_depth else None
        self._normals = np.zeros((*self._size, 3), np.float32) if with_normals else None

    def lay(self, face: Face, camera: Camera, frame: Frame) -> None:
        """Add one face's pixels."""
        turn = np.ascontiguousarray(face.rotation, np.float64)
        lens = np.array([camera.fx, camera.cx - 0.5, camera.cy - 0.5])
        region = np.array(dataclasses.astuple(face.region))
        top, rows, left, columns = self._window(face.region)
        parts = 4 * core_count()
        if self._color is not None:
            assert frame.color is not None
            color, pixels = self._color, to_linear(frame.color)
            parallel_for(
                lambda _, a, b: _resample_rows(
                    top + a, top + b, left, columns, self._shape, turn, lens, region, _SUBSAMPLES,
                    pixels, color, self._weights,
                ),
                rows, parts,
            )  # fmt: skip
        if self._depth is not None or self._normals is not None:
            nothing = np.zeros((0, 0), np.float32)
            expected = nothing if frame.expected_depth is None else frame.expected_depth
            median = nothing if frame.median_depth is None else frame.median_depth
            cover = np.ones_like(expected) if frame.alpha is None else frame.alpha
            ids = np.zeros((0, 0), np.int32) if frame.ids is None else frame.ids
            normals = np.zeros((0, 0, 3), np.float32) if frame.normals is None else frame.normals
            planes = (
                np.zeros((0, 0, 3), np.float32) if self._depth is None else self._depth,
                np.zeros((0, 0), np.int32) if self._ids is None else self._ids,
                np.zeros((0, 0, 3), np.float32) if self._normals is None else self._normals,
            )
            size = np.array([camera.height, camera.width])
            parallel_for(
                lambda _, a, b: _pick_rows(
                    top + a, top + b, left, columns, self._shape, turn, lens, region, size,
                    expected, median, cover, ids, normals, self._best, *planes,
                ),
                rows, parts,
            )  # fmt: skip

    def _window(self, region: Region) -> tuple[int, int, int, int]:
        """First row, rows, first column, columns that the region touches (columns wrap)."""
        height, width = self._size
        across, along = region.reach
        if self._projection.kind == "equirectangular":
            top = int(np.floor((0.5 - (region.latitude + along) / np.pi) * height))
            bottom = int(np.ceil((0.5 - (region.latitude - along) / np.pi) * height))
            top, bottom = max(top, 0), min(bottom, height)
            if across >= np.pi:
                return top, bottom - top, 0, width
            left = int(np.floor(((region.longitude - across) / (2 * np.pi) + 0.5) * width))
            right = int(np.ceil(((region.longitude + across) / (2 * np.pi) + 0.5) * width))
            return top, bottom - top, left % width, min(right - left, width)
        directions = region.directions(17)
        if directions[:, 2].min() < -0.9:
            # Near the opposite of the view the picture is all around.
            return 0, height, 0, width
        at = projected(self._projection, width, height, directions)
        low, high = at.min(axis=0), at.max(axis=0)
        margin = 0.1 * (high - low) + 2.0
        left, top = (int(v) for v in np.clip(low - margin, 0, (width, height)))
        right, bottom = (int(v) for v in np.ceil(np.clip(high + margin, 0, (width, height))))
        return top, bottom - top, left, right - left

    def frame(self, opaque: bool) -> Frame:
        """What has been laid."""
        if self._color is not None:
            color, weights = self._color, self._weights
            parallel_for(
                lambda _, a, b: _finish_rows(
                    a, b, self._shape, _SUBSAMPLES, color, weights, opaque
                ),
                self._size[0], 4 * core_count(),
            )  # fmt: skip
        depth = self._depth
        return Frame(
            linear=self._color,
            expected_depth=None if depth is None else np.ascontiguousarray(depth[..., 0]),
            median_depth=None if depth is None else np.ascontiguousarray(depth[..., 1]),
            alpha=None if depth is None else np.ascontiguousarray(depth[..., 2]),
            ids=self._ids,
            normals=self._normals,
        )


@kernel
def _fade(distance: float, half: float, feather: float) -> Any:
    """1 inside, 0 outside, smooth across the edge and symmetric: neighbours add up to 1."""
    t = min(max((half + feather - distance) / (2.0 * feather), 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


@kernel
def _direction(shape: NDArray[np.float64], x: float, y: float) -> tuple[float, float, float, float]:
    """Direction of a point of the picture, and 1 where there is one, 0 outside the circle."""
    if shape[0] == 0.0:
        longitude = (x / shape[1] - 0.5) * 2.0 * np.pi
        latitude = (0.5 - y / shape[2]) * np.pi
        level = np.cos(latitude)
        return level * np.sin(longitude), -np.sin(latitude), level * np.cos(longitude), 1.0
    px, py = x - 0.5 * shape[1], y - 0.5 * shape[2]
    radius = np.sqrt(px * px + py * py)
    angle = radius / shape[3]
    if angle > shape[4]:
        return 0.0, 0.0, 1.0, 0.0
    side = np.sin(angle) / radius if radius > 1e-9 else 1.0 / shape[3]
    return px * side, py * side, np.cos(angle), 1.0


@kernel
def _weight(region: NDArray[np.float64], dx: float, dy: float, dz: float) -> Any:
    """How much a face counts in a direction."""
    latitude = np.arcsin(min(max(-dy, -1.0), 1.0))
    weight = _fade(abs(latitude - region[1]), region[3], region[5])
    if region[2] < np.pi and weight > 0.0:
        turn = abs(np.arctan2(dx, dz) - region[0]) % (2.0 * np.pi)
        weight *= _fade(min(turn, 2.0 * np.pi - turn), region[2], region[4])
    return weight


@kernel
def _cubic(t: float) -> tuple[float, float, float, float]:
    """Catmull-Rom weights of four pixels, at t of the way from the second to the third."""
    a = t * (-0.5 + t * (1.0 - 0.5 * t))
    b = 1.0 + t * t * (-2.5 + 1.5 * t)
    c = t * (0.5 + t * (2.0 - 1.5 * t))
    return a, b, c, 1.0 - a - b - c


@kernel
def _resample_rows(
    start: int,
    stop: int,
    left: int,
    columns: int,
    shape: NDArray[np.float64],
    turn: NDArray[np.float64],
    lens: NDArray[np.float64],
    region: NDArray[np.float64],
    subsamples: int,
    pixels: NDArray[np.float32],
    color: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> None:
    last_row, last_column = pixels.shape[0] - 1, pixels.shape[1] - 1
    total = np.zeros(4, np.float32)
    for y in range(start, stop):
        for column in range(left, left + columns):
            x = column % color.shape[1]
            total[:] = np.float32(0.0)
            counted = np.float32(0.0)
            for s in range(subsamples * subsamples):
                px = x + (s % subsamples + 0.5) / subsamples
                py = y + (s // subsamples + 0.5) / subsamples
                dx, dy, dz, there = _direction(shape, px, py)
                z = turn[2, 0] * dx + turn[2, 1] * dy + turn[2, 2] * dz
                if there == 0.0 or z <= 1e-6:
                    continue
                weight = np.float32(_weight(region, dx, dy, dz))
                if weight <= 0.0:
                    continue
                u = (turn[0, 0] * dx + turn[0, 1] * dy + turn[0, 2] * dz) / z
                v = (turn[1, 0] * dx + turn[1, 1] * dy + turn[1, 2] * dz) / z
                fx, fy = lens[0] * u + lens[1], lens[0] * v + lens[2]
                ix, iy = int(np.floor(fx)), int(np.floor(fy))
                across, down = _cubic(fx - ix), _cubic(fy - iy)
                counted += weight
                for k in range(4):
                    row = min(max(iy + k - 1, 0), last_row)
                    for m in range(4):
                        at = min(max(ix + m - 1, 0), last_column)
                        share = weight * np.float32(down[k] * across[m])
                        for c in range(4):
                            total[c] += share * pixels[row, at, c]
            if counted > 0.0:
                weights[y, x] += counted
                for c in range(4):
                    color[y, x, c] += total[c]


@kernel
def _finish_rows(
    start: int,
    stop: int,
    shape: NDArray[np.float64],
    subsamples: int,
    color: NDArray[np.float32],
    weights: NDArray[np.float32],
    opaque: bool,
) -> None:
    """Divide by the weights, keep the cubic filter's overshoot above 0, fill up the circle."""
    nothing, everything = np.float32(0.0), np.float32(1.0)
    for y in range(start, stop):
        for x in range(color.shape[1]):
            inside = 0
            for s in range(subsamples * subsamples):
                px = x + (s % subsamples + 0.5) / subsamples
                py = y + (s // subsamples + 0.5) / subsamples
                inside += int(_direction(shape, px, py)[3])
            cover = np.float32(inside / (subsamples * subsamples))
            scale = cover / weights[y, x] if weights[y, x] > 0.0 else nothing
            for c in range(3):
                color[y, x, c] = max(color[y, x, c] * scale, nothing)
            alpha = min(max(color[y, x, 3] * scale, nothing), cover)
            color[y, x, 3] = min(alpha + everything - cover, everything) if opaque else alpha


@kernel
def _pick_rows(
    start: int,
    stop: int,
    left: int,
    columns: int,
    shape: NDArray[np.float64],
    turn: NDArray[np.float64],
    lens: NDArray[np.float64],
    region: NDArray[np.float64],
    size: NDArray[np.int64],
    expected: NDArray[np.float32],
    median: NDArray[np.float32],
    cover: NDArray[np.float32],
    ids: NDArray[np.int32],
    normals: NDArray[np.float32],
    best: NDArray[np.float32],
    depth_out: NDArray[np.float32],
    ids_out: NDArray[np.int32],
    normals_out: NDArray[np.float32],
) -> None:
    """Depth, ids and normals: the nearest pixel of the face that counts most, never a mixture."""
    for y in range(start, stop):
        for column in range(left, left + columns):
            x = column % best.shape[1]
            dx, dy, dz, there = _direction(shape, x + 0.5, y + 0.5)
            z = turn[2, 0] * dx + turn[2, 1] * dy + turn[2, 2] * dz
            if there == 0.0 or z <= 1e-6:
                continue
            weight = np.float32(_weight(region, dx, dy, dz))
            if weight <= best[y, x]:
                continue
            u = (turn[0, 0] * dx + turn[0, 1] * dy + turn[0, 2] * dz) / z
            v = (turn[1, 0] * dx + turn[1, 1] * dy + turn[1, 2] * dz) / z
            best[y, x] = weight
            row = min(max(int(np.rint(lens[0] * v + lens[2])), 0), size[0] - 1)
            at = min(max(int(np.rint(lens[0] * u + lens[1])), 0), size[1] - 1)
            # The distance to what that pixel shows, so with its own angle from the face's middle.
            u, v = (at - lens[1]) / lens[0], (row - lens[2]) / lens[0]
            longer = np.float32(np.sqrt(1.0 + u * u + v * v))
            if depth_out.size:
                depth_out[y, x, 0] = expected[row, at] * longer
                depth_out[y, x, 1] = median[row, at] * longer
                depth_out[y, x, 2] = cover[row, at]
                ids_out[y, x] = ids[row, at]
            if normals_out.size:
                for c in range(3):
                    normals_out[y, x, c] = normals[row, at, c]
