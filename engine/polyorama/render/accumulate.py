"""Supersampling, depth of field and motion blur: many sharp pictures averaged as light.

Every sample is a whole picture by the rasterizer, seen from another point of the lens and at
another moment while the shutter is open. Samples are display values; they are averaged as linear
light (see `polyorama.render.light`). Points and moments come from a seed, so the same settings give
the same picture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import LARGEST, MAX_SIDE
from polyorama.errors import UsageError
from polyorama.render.light import add_averaged, add_decoded
from polyorama.render.paths import spline

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.types import Camera
    from polyorama.render.frame import Frame
    from polyorama.scene.splats import SplatCloud

__all__ = [
    "DepthOfField",
    "Sampling",
    "Shot",
    "Softening",
    "accumulate",
    "lens_points",
    "sample_cameras",
    "sample_times",
    "shots",
    "shutter_times",
    "softening_of",
]


SENSOR_SHARE = 0.04
"""Height of the sensor over the distance in focus, where none is given: 24 mm at 0.6 m."""

MAX_SAMPLES = 4096
_MOST_PIXELS = 1 << 28
_FEWEST_SOFT = 4
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))


@dataclass(frozen=True, slots=True)
class DepthOfField:
    """A thin lens.

    The focal length is that of a sensor `sensor_height` high with the camera's field of view, and
    the opening is the focal length divided by the f-number. A point at depth z, focused at f, blurs
    to a disc of (opening x focal length in pixels x |1/f - 1/z|) pixels across.

    Parameters
    ----------
    f_number
        Such as 2.8; smaller blurs more.
    focus
        Depth in front of the camera that is sharp, world units, or a point (3,) of the world whose
        depth is taken for each camera.
    sensor_height
        World units: 0.024 is a 24 mm sensor where a unit is a metre. Few scenes know their scale,
        so None takes 0.04 of the distance in focus, as if 24 mm stood 0.6 m from the subject: the
        picture then looks the same however large a unit is.

    Raises
    ------
    UsageError
        If a number is not positive and finite.
    """

    f_number: float
    focus: float | tuple[float, float, float]
    sensor_height: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.f_number < math.inf:
            raise UsageError(f"A lens of f/{self.f_number:g} does not exist; give f/2.8 or so.")
        if self.sensor_height is not None and not 0.0 < self.sensor_height < math.inf:
            raise UsageError(f"A sensor {self.sensor_height:g} units high cannot take a picture.")
        if isinstance(self.focus, tuple):
            if len(self.focus) != 3 or not all(abs(v) <= LARGEST for v in self.focus):
                raise UsageError(
                    f"The point in focus must be three numbers from {-LARGEST:g} to {LARGEST:g}."
                )
        elif not 1.0 / LARGEST <= self.focus <= LARGEST:
            raise UsageError(
                f"A focus distance of {self.focus:g} is not in front of the camera; give "
                f"{1.0 / LARGEST:g} to {LARGEST:g}."
            )

    def focus_depth(self, camera: Camera) -> float:
        """Depth that is sharp in this camera, world units.

        Raises
        ------
        UsageError
            If the point in focus lies behind the camera.
        """
        if not isinstance(self.focus, tuple):
            return self.focus
        depth = float((np.asarray(self.focus) - camera.position) @ camera.forward)
        if depth <= 0.0:
            raise UsageError("The point in focus lies behind the camera; give a focus distance.")
        return depth

    def opening(self, camera: Camera) -> float:
        """Diameter of the lens, world units."""
        height = self.sensor_height
        if height is None:
            height = SENSOR_SHARE * self.focus_depth(camera)
        return camera.fy / camera.height * height / self.f_number


@dataclass(frozen=True, slots=True)
class Sampling:
    """What is averaged into one picture.

    Parameters
    ----------
    supersample
        1 to 4: every sample is drawn that many times wider and higher, and averaged in blocks.
    samples
        How many pictures are averaged where there is a lens or a shutter; without them it is one.
    dof
        The lens, or None: all is sharp.
    shutter
        How long it is open as a share of the time from frame to frame, 0 to 2, around the frame's
        moment; 0.5 is the 180 degrees of film cameras.
    seed
        Turns the pattern on the lens and shifts the moments.

    Raises
    ------
    UsageError
        If a number is out of range.
    """

    supersample: int = 1
    samples: int = 32
    dof: DepthOfField | None = None
    shutter: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.supersample not in (1, 2, 3, 4):
            raise UsageError(f"Supersampling of {self.supersample} is not 1, 2, 3 or 4.")
        if not 1 <= self.samples <= MAX_SAMPLES:
            raise UsageError(f"{self.samples} samples a picture are not 1 to {MAX_SAMPLES}.")
        if not 0.0 <= self.shutter <= 2.0:
            raise UsageError(
                f"A shutter of {self.shutter:g} is not 0 to 2 times the time between frames."
            )
        if not 0 <= self.seed < 2**63:
            raise UsageError(f"A seed of {self.seed} is not a whole number from 0 on.")

    @property
    def is_plain(self) -> bool:
        """Whether one picture, drawn once, is all."""
        return self.supersample == 1 and self.dof is None and self.shutter == 0.0

    @property
    def count(self) -> int:
        """How many pictures are averaged."""
        return 1 if self.dof is None and self.shutter == 0.0 else self.samples


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A camera and where it is one frame earlier and later, which is what motion blur needs.

    Parameters
    ----------
    camera
        At the frame's moment.
    before, after
        One frame earlier and later; None rests.
    time
        The document's time at the frame's moment, s; None where the document does not move.
    frame_seconds
        How much the document's time is from frame to frame, s.
    dof
        A lens of this frame alone, in the place of the film's; None takes the film's.
    """

    camera: Camera
    before: Camera | None = None
    after: Camera | None = None
    time: float | None = None
    frame_seconds: float = 0.0
    dof: DepthOfField | None = None

    def at(self, moments: ArrayLike) -> list[Camera]:
        """The camera at times within -1..1 frames, on a smooth curve through the three."""
        if self.before is None and self.after is None:
            return [self.camera] * len(np.asarray(moments).reshape(-1))
        first = self.before or self.camera
        return spline([first, self.camera, self.after or self.camera], [-1.0, 0.0, 1.0], moments)


def shots(cameras: Sequence[Camera], *, loop: bool = False) -> list[Shot]:
    """One shot for each camera of a film; before the first and after the last it moves on evenly.

    Parameters
    ----------
    cameras
        One a frame.
    loop
        Whether the first frame follows the last.
    """
    count = len(cameras)
    if count < 2:
        return [Shot(camera) for camera in cameras]
    if loop:
        return [Shot(cameras[i], cameras[i - 1], cameras[(i + 1) % count]) for i in range(count)]
    ends = (_mirrored(cameras[0], cameras[1]), _mirrored(cameras[-1], cameras[-2]))
    path = [ends[0], *cameras, ends[1]]
    return [Shot(path[i + 1], path[i], path[i + 2]) for i in range(count)]


def _mirrored(camera: Camera, neighbor: Camera) -> Camera:
    """Where a camera was that moves evenly through `camera` to `neighbor`."""
    motion = neighbor.viewmat @ np.linalg.inv(camera.viewmat)
    return replace(
        camera,
        viewmat=np.linalg.inv(motion) @ camera.viewmat,
        fx=camera.fx**2 / neighbor.fx,
        fy=camera.fy**2 / neighbor.fy,
        cx=2 * camera.cx - neighbor.cx,
        cy=2 * camera.cy - neighbor.cy,
    )


def lens_points(count: int, seed: int = 0) -> NDArray[np.float64]:
    """(count, 2) points spread evenly over the unit disc: Vogel's spiral, turned by the seed."""
    number = np.arange(count)
    radius = np.sqrt((number + 0.5) / count)
    angle = number * _GOLDEN + 2.0 * np.pi * np.random.default_rng([seed, 1]).random()
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return np.asarray(points - points.mean(axis=0))


def shutter_times(count: int, seed: int = 0) -> NDArray[np.float64]:
    """(count,) moments in -0.5..0.5, one at random in each of `count` equal spans, shuffled.

    Shuffled, since samples from one side of the lens must not all come from one end of the time.
    """
    random = np.random.default_rng([seed, 2])
    moments = (np.arange(count) + random.random(count)) / count - 0.5
    return np.asarray(random.permutation(moments))


@dataclass(frozen=True, slots=True, eq=False)
class Softening:
    """Fills the gaps between the samples of a lens, so that a few of them blur smoothly.

    The points of n samples leave gaps of about 0.89 d / sqrt(n) between the copies of a splat whose
    disc is d wide. So each splat is widened by a Gaussian of sigma 0.35 d / sqrt(n), in the world

        sigma = 0.35 opening |z / focus - 1| / sqrt(n),

    and thinned: with r the ratio of its areas before and after and c = min(a, 0.7), opacity a
    becomes a (1 - (1 - c)^r) / c. For faint splats that is a r, which keeps their light; for solid
    ones a little more, so that what lies behind a surface of them does not shine through. The
    points move inward a little, which keeps the variance of the disc. Lone dots on black lose up to
    a fifth of their light at 16 samples, hardly any at 64, as thin display values hold less light.

    Parameters
    ----------
    camera
        The middle of the lens.
    dof
        The lens.
    samples
        How many points of it are drawn.
    """

    camera: Camera
    dof: DepthOfField
    samples: int

    _SIGMA = 0.35
    _SOLID = 0.7

    @property
    def shrink(self) -> float:
        """Factor on the lens points: the variances of disc (d^2 / 16) and Gaussian add up."""
        return math.sqrt(max(0.25, 1.0 - 16.0 * self._SIGMA**2 / self.samples))

    def applied(self, cloud: SplatCloud) -> SplatCloud:
        """The cloud as each sample draws it."""
        row, offset = self.camera.viewmat[2, :3], self.camera.viewmat[2, 3]
        depth = cloud.means @ row.astype(np.float32) + np.float32(offset)
        focus = self.dof.focus_depth(self.camera)
        wide = self._SIGMA * self.dof.opening(self.camera) / math.sqrt(self.samples)
        sigma = np.float32(wide) * np.abs(np.maximum(depth, 0.0) / np.float32(focus) - 1.0)
        sigma = np.nan_to_num(sigma, posinf=0.0)[:, None]
        scales = np.sqrt(cloud.scales * cloud.scales + sigma * sigma)
        # The area of a splat is that of its two longer axes.
        before = np.sort(cloud.scales, axis=1)[:, 1:].prod(axis=1)
        after = np.sort(scales, axis=1)[:, 1:].prod(axis=1)
        ratio = np.where(after > 0.0, before / np.where(after > 0.0, after, 1.0), 1.0)
        solid = np.clip(cloud.opacities, 1e-6, self._SOLID)
        opacities = cloud.opacities * (1.0 - (1.0 - solid) ** ratio) / solid
        return replace(cloud, scales=scales, opacities=np.asarray(opacities, np.float32))


def softening_of(shot: Shot, sampling: Sampling) -> Softening | None:
    """What fills the gaps between a shot's lens samples; None where all is sharp."""
    if sampling.dof is None or sampling.samples < _FEWEST_SOFT:
        return None
    return Softening(shot.camera, sampling.dof, sampling.samples)


def sample_times(shot: Shot, sampling: Sampling) -> list[float | None]:
    """The document's time in each picture that is averaged, s; None where it does not move."""
    if shot.time is None or sampling.shutter == 0.0:
        return [shot.time] * sampling.count
    moments = sampling.shutter * shutter_times(sampling.count, sampling.seed)
    return [max(0.0, shot.time + float(moment) * shot.frame_seconds) for moment in moments]


def sample_cameras(shot: Shot, sampling: Sampling) -> list[Camera]:
    """The cameras whose pictures are averaged, at the final size.

    Raises
    ------
    UsageError
        If an orthographic camera is given a lens, or the point in focus is behind the camera.
    """
    count = sampling.count
    if sampling.shutter > 0.0:
        cameras = shot.at(sampling.shutter * shutter_times(count, sampling.seed))
    else:
        cameras = [shot.camera] * count
    if sampling.dof is None:
        return cameras
    points = lens_points(count, sampling.seed)
    softening = softening_of(shot, sampling)
    if softening is not None:
        points = points * softening.shrink
    return [
        through_lens(camera, sampling.dof, point)
        for camera, point in zip(cameras, points, strict=True)
    ]


def through_lens(camera: Camera, dof: DepthOfField, point: ArrayLike) -> Camera:
    """The camera moved to a point (2,) of the unit disc of its lens; the plane in focus stays.

    A point at depth z moves by -f d / z pixels when the camera moves by d; the principal point goes
    back by f d / focus.
    """
    if camera.kind != "pinhole":
        raise UsageError("A parallel view has no depth of field; leave out --dof or --ortho.")
    focus = dof.focus_depth(camera)
    dx, dy = np.asarray(point, np.float64) * dof.opening(camera) / 2.0
    viewmat = camera.viewmat.copy()
    viewmat[:2, 3] -= (dx, dy)
    return replace(
        camera,
        viewmat=viewmat,
        cx=camera.cx + camera.fx * dx / focus,
        cy=camera.cy + camera.fy * dy / focus,
    )


def accumulate(
    view: Callable[[Camera, tuple[str, ...], float | None], Generator[None, None, Frame]],
    shot: Shot,
    sampling: Sampling,
) -> Generator[None, None, NDArray[np.float32]]:
    """Draw all samples of a shot and average them: (H, W, 4) float32 linear, premultiplied.

    Parameters
    ----------
    view
        Draws one picture with the output "color" (display values) or, where it resampled them
        already, `linear`, at a time of the document; a generator that yields after every frame
        drawn.
    shot, sampling
        What is drawn.

    Raises
    ------
    UsageError
        If a sample is too large to draw, or as `sample_cameras`.
    """
    camera, times = shot.camera, sampling.supersample
    width, height = camera.width * times, camera.height * times
    if max(width, height) > MAX_SIDE or (times > 1 and width * height > _MOST_PIXELS):
        raise UsageError(
            f"Supersampling {times} draws {camera.width}x{camera.height} as {width}x{height} "
            "pixels, which is too large; lower --supersample or --size."
        )
    total = np.zeros((camera.height, camera.width, 4), np.float32)
    cameras = sample_cameras(shot, sampling)
    for sample, moment in zip(cameras, sample_times(shot, sampling), strict=True):
        drawn = sample if times == 1 else sample.resized(width, height)
        frame = yield from view(drawn, ("color",), moment)
        if frame.linear is not None:
            add_averaged(frame.linear, total, 1.0 / len(cameras))
        else:
            assert frame.color is not None
            add_decoded(frame.color, total, 1.0 / len(cameras))
    return total
