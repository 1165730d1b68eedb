"""Camera paths: exact orbits, splines through keyed cameras, frame ranges. All pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import UsageError
from polyorama.scene.rotations import quaternions, rotation_about, rotation_matrices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.types import Camera

__all__ = ["orbit", "select_frames", "spline", "turntable"]


def orbit(camera: Camera, target: ArrayLike, up: ArrayLike, degrees: ArrayLike) -> list[Camera]:
    """Carry a camera on an exact circle: one camera for each of the angles.

    Parameters
    ----------
    camera
        Where angle 0 is.
    target
        (3,) a point of the axis, world units.
    up
        (3,) direction of the axis. Seen from its tip, the camera moves counter-clockwise.
    degrees
        (n,) angles in degrees.

    Raises
    ------
    UsageError
        If a number is not finite or `up` is zero.
    """
    axis, center = np.asarray(up, np.float64), np.asarray(target, np.float64)
    angles = np.radians(np.asarray(degrees, np.float64)).reshape(-1)
    length = np.linalg.norm(axis)
    if axis.shape != (3,) or center.shape != (3,) or not 0.0 < length < np.inf:
        raise UsageError("An orbit needs a target and an up direction of three finite numbers.")
    if not (np.isfinite(center).all() and np.isfinite(angles).all()):
        raise UsageError("An orbit's target and angles must be finite.")
    cameras = []
    for angle in angles:
        if angle == 0.0:
            cameras.append(camera)
            continue
        # Moving the camera by T turns world-to-camera V into V T^-1.
        turn = rotation_about(axis, -float(angle))
        inverse = np.eye(4)
        inverse[:3, :3] = turn
        inverse[:3, 3] = center - turn @ center
        cameras.append(replace(camera, viewmat=camera.viewmat @ inverse))
    return cameras


def turntable(
    camera: Camera, target: ArrayLike, up: ArrayLike, count: int, *, degrees: float = 360.0
) -> list[Camera]:
    """A full turn in `count` equal steps that loops: the first view does not come again at the end.

    Raises
    ------
    UsageError
        If `count` is below 1, or as `orbit`.
    """
    if count < 1:
        raise UsageError(f"A turntable of {count} frames cannot be made.")
    return orbit(camera, target, up, np.arange(count) * (degrees / count))


def spline(
    cameras: Sequence[Camera],
    times: ArrayLike,
    at: ArrayLike,
    *,
    smoothness: float = 1.0,
    loop: float | None = None,
) -> list[Camera]:
    """A smooth path through keyed cameras: cubic Hermite with Catmull-Rom tangents.

    The tangent at key i is ``smoothness * (p[i+1] - p[i-1]) / (t[i+1] - t[i-1])``, one-sided at the
    ends. Orientations run through the same curve as sign-aligned quaternions, normalised.

    Parameters
    ----------
    cameras
        The keys: at least one, of one kind and size.
    times
        (len(cameras),) their times, increasing.
    at
        (n,) times of the cameras to make; before the first and after the last key the path rests.
    smoothness
        1 is Catmull-Rom, 0 stops at every key.
    loop
        Length of one round, for a closed path: after the last key it returns to the first, which
        comes again `loop` later.

    Raises
    ------
    UsageError
        If the keys differ in kind or size, or times do not increase.
    """
    keys = _Keys.of(cameras, times, loop)
    curves = (keys.positions, keys.quats, keys.lenses)
    slopes = [_slopes(values, keys.times, smoothness, loop is not None) for values in curves]
    moved = []
    for i, u in keys.locate(at):
        span = keys.times[i + 1] - keys.times[i]
        point = [
            _hermite(values[i], values[i + 1], slope[i] * span, slope[i + 1] * span, u)
            for values, slope in zip(curves, slopes, strict=True)
        ]
        moved.append(keys.camera(point[0], point[1] / np.linalg.norm(point[1]), point[2]))
    return moved


def select_frames(text: str, count: int) -> range:
    """The frames that ``"a:b:step"`` picks of `count`, counted from 0, b excluded, as in Python.

    ``"7"`` is one frame, ``":100"`` the first hundred, ``"::2"`` every second, ``"-24:"`` the last
    24.

    Raises
    ------
    UsageError
        If the text is no such range, or picks nothing.
    """
    words = text.split(":")
    try:
        numbers = [int(word) if word.strip() else None for word in words]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or numbers == [None] or (len(numbers) == 3 and numbers[2] == 0):
        raise UsageError(f"Frames {text!r} are no range; write FIRST:END, FIRST:END:STEP or one.")
    if len(numbers) == 1:
        first = numbers[0] or 0
        picked = range(count)[first : first + 1 or None] if -count <= first < count else range(0)
    else:
        picked = range(count)[slice(*numbers)]
    if len(picked) == 0:
        raise UsageError(f"Frames {text!r} pick nothing of {count} frames (0 to {count - 1}).")
    return picked


@dataclass(frozen=True, slots=True, eq=False)
class _Keys:
    """Keyed cameras as arrays, at least two of them, in the order of their times.

    Parameters
    ----------
    first
        Gives size and kind.
    times
        (n,) float64, increasing.
    positions, quats, lenses
        (n, 3) centres; (n, 4) world-to-camera rotations, each on the side of the one before;
        (n, 6) log fx, log fy, cx, cy, log near, log far.
    """

    first: Camera
    times: NDArray[np.float64]
    positions: NDArray[np.float64]
    quats: NDArray[np.float64]
    lenses: NDArray[np.float64]

    @classmethod
    def of(cls, cameras: Sequence[Camera], times: ArrayLike, loop: float | None) -> _Keys:
        moments = np.asarray(times, np.float64)
        if len(cameras) == 0 or moments.shape != (len(cameras),):
            raise UsageError("A camera path needs at least one camera and one time for each.")
        if loop is not None or len(cameras) == 1:
            # A lone camera rests: it comes again.
            cameras = [*cameras, cameras[0]]
            moments = np.append(moments, moments[0] + (1.0 if loop is None else loop))
        if not np.isfinite(moments).all() or not (np.diff(moments) > 0).all():
            raise UsageError("The times of a camera path must increase from key to key.")
        first = cameras[0]
        kinds = {(camera.width, camera.height, camera.kind) for camera in cameras}
        if len(kinds) > 1:
            raise UsageError("The cameras of a path must have one size and one kind.")
        quats = quaternions(np.array([camera.viewmat[:3, :3] for camera in cameras]))
        for i in range(1, len(quats)):
            if quats[i] @ quats[i - 1] < 0:
                quats[i] = -quats[i]
        lenses = np.array([[c.fx, c.fy, c.near, c.far, c.cx, c.cy] for c in cameras])
        lenses[:, :4] = np.log(lenses[:, :4])
        return cls(first, moments, np.array([c.position for c in cameras]), quats, lenses)

    def locate(self, at: ArrayLike) -> Iterator[tuple[int, float]]:
        """Segment and place 0..1 within it, for each time."""
        moments = np.asarray(at, np.float64).reshape(-1)
        if not np.isfinite(moments).all():
            raise UsageError("The times of a camera path must be finite.")
        held = np.clip(moments, self.times[0], self.times[-1])
        index = np.clip(np.searchsorted(self.times, held, "right") - 1, 0, len(self.times) - 2)
        place = (held - self.times[index]) / (self.times[index + 1] - self.times[index])
        yield from zip(index.tolist(), place.tolist(), strict=True)

    def camera(
        self, position: NDArray[np.float64], quat: NDArray[np.float64], lens: NDArray[np.float64]
    ) -> Camera:
        viewmat = np.eye(4)
        viewmat[:3, :3] = rotation_matrices(quat)
        viewmat[:3, 3] = -viewmat[:3, :3] @ position
        fx, fy, near, far = (float(value) for value in np.exp(lens[:4]))
        return replace(
            self.first, viewmat=viewmat, fx=fx, fy=fy, cx=float(lens[4]), cy=float(lens[5]),
            near=near, far=far,
        )  # fmt: skip


def _slopes(
    values: NDArray[np.float64], times: NDArray[np.float64], smoothness: float, closed: bool
) -> NDArray[np.float64]:
    """Catmull-Rom tangents, units of `values` per unit of time, (n, d)."""
    before, after = np.empty_like(values), np.empty_like(values)
    before[1:], after[:-1] = values[:-1], values[1:]
    t_before, t_after = np.empty_like(times), np.empty_like(times)
    t_before[1:], t_after[:-1] = times[:-1], times[1:]
    if closed:
        # The last key is the first again, one round later; as a quaternion perhaps its negative.
        sign = 1.0 if np.allclose(values[0], values[-1]) else -1.0
        round_length = times[-1] - times[0]
        before[0], t_before[0] = sign * values[-2], times[-2] - round_length
        after[-1], t_after[-1] = sign * values[1], times[1] + round_length
    else:
        before[0], t_before[0] = values[0], times[0]
        after[-1], t_after[-1] = values[-1], times[-1]
    return np.asarray(smoothness * (after - before) / (t_after - t_before)[:, None])


def _hermite(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    slope_a: NDArray[np.float64],
    slope_b: NDArray[np.float64],
    u: float,
) -> NDArray[np.float64]:
    """Cubic from `a` to `b` at u in 0..1; slopes are per unit of u."""
    u2, u3 = u * u, u * u * u
    return (
        (2 * u3 - 3 * u2 + 1) * a + (u3 - 2 * u2 + u) * slope_a
        + (3 * u2 - 2 * u3) * b + (u3 - u2) * slope_b
    )  # fmt: skip
