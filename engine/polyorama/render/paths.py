"""Camera paths: orbits, splines, dollies, the sway of a hand, frame ranges. All pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.types import look_at_matrix, unit_vector
from polyorama.errors import UsageError
from polyorama.scene.rotations import quaternions, rotation_about, rotation_matrices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.types import Camera

__all__ = [
    "dolly",
    "dolly_zoom",
    "ease",
    "handheld",
    "orbit",
    "select_frames",
    "sphere",
    "spline",
    "turntable",
]

_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))


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
    axis, center = unit_vector(up), np.asarray(target, np.float64)
    angles = np.radians(np.asarray(degrees, np.float64)).reshape(-1)
    if center.shape != (3,):
        raise UsageError("An orbit needs a target of three finite numbers.")
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


def sphere(
    camera: Camera,
    target: ArrayLike,
    up: ArrayLike,
    count: int,
    *,
    heights: tuple[float, float] = (-0.85, 0.85),
) -> list[Camera]:
    """Views from all round, spread evenly over a sphere on a spiral that begins at its top.

    Parameters
    ----------
    camera
        Its distance from the target is the radius; its lens and size are those of all.
    target
        (3,) the middle, which all look at, world units.
    up
        (3,) up in the world.
    count
        How many.
    heights
        Lowest and highest eye over the middle, as shares of the radius within -1..1: at the poles
        up would say nothing.

    Raises
    ------
    UsageError
        If `count` is below 1, the camera is at the target, or `up` is no direction.
    """
    if count < 1:
        raise UsageError(f"A set of {count} views cannot be made.")
    middle, upward = np.asarray(target, np.float64), unit_vector(up)
    radius = float(np.linalg.norm(camera.position - middle))
    if radius < 1e-12:
        raise UsageError("A camera that stands at its target has no distance to go round at.")
    level = np.cross(upward, np.eye(3)[int(np.argmin(np.abs(upward)))])
    level /= np.linalg.norm(level)
    axes = np.stack([level, np.cross(upward, level), upward])
    at = np.arange(count) + 0.5
    # Equal steps in height are equal areas of a sphere; the golden angle fills them evenly.
    height = heights[1] + (heights[0] - heights[1]) * at / count
    angle = at * _GOLDEN
    ring = np.sqrt(1.0 - height**2)
    directions = np.stack([ring * np.cos(angle), ring * np.sin(angle), height], axis=1) @ axes
    return [
        replace(camera, viewmat=look_at_matrix(middle + radius * away, middle, upward))
        for away in directions
    ]


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


def ease(share: ArrayLike) -> NDArray[np.float64]:
    """0..1 to 0..1 that starts and stops softly: 6 u^5 - 15 u^4 + 10 u^3."""
    u = np.clip(np.asarray(share, np.float64), 0.0, 1.0)
    return np.asarray(u * u * u * (u * (6.0 * u - 15.0) + 10.0))


def dolly(camera: Camera, target: ArrayLike, share: float, at: ArrayLike) -> list[Camera]:
    """Move a camera straight toward (or from) a target without turning it.

    Parameters
    ----------
    camera
        Where the move starts.
    target
        (3,) what it moves toward, world units.
    share
        What is left of the distance to the target at the end: 0.5 goes half way, 2 backs off to
        twice the distance.
    at
        (n,) places on the way, 0..1.

    Raises
    ------
    UsageError
        If `share` is not positive and finite.
    """
    if not 0.0 < share < np.inf:
        raise UsageError(f"A dolly cannot end at {share:g} times the distance; give 0.5 or so.")
    center, eye = np.asarray(target, np.float64), camera.position
    moved = []
    for place in np.asarray(at, np.float64).reshape(-1):
        viewmat = camera.viewmat.copy()
        viewmat[:3, 3] = -viewmat[:3, :3] @ (eye + place * (1.0 - share) * (center - eye))
        moved.append(replace(camera, viewmat=viewmat))
    return moved


def dolly_zoom(camera: Camera, target: ArrayLike, fov: float, at: ArrayLike) -> list[Camera]:
    """Change the field of view while moving so that what is at the target keeps its size.

    The camera moves along its view until depth x tan(fov / 2) is what it was; then everything in
    the target's plane stays exactly where it is in the picture, and what is before and behind it
    swells or shrinks.

    Parameters
    ----------
    camera
        Where the move starts.
    target
        (3,) a point of the plane that keeps its size, world units.
    fov
        Vertical field of view in degrees at the end.
    at
        (n,) places on the way, 0..1.

    Raises
    ------
    UsageError
        If the camera is orthographic, the target is not in front of it, or `fov` is out of range.
    """
    if camera.kind != "pinhole":
        raise UsageError("A parallel view cannot zoom by moving; leave out --ortho.")
    if not 0.0 < fov < 180.0:
        raise UsageError(f"A vertical field of view of {fov:g} degrees is not between 0 and 180.")
    depth = float((np.asarray(target, np.float64) - camera.position) @ camera.forward)
    if depth <= 0.0:
        raise UsageError("The target of a dolly zoom must lie in front of the camera.")
    end = camera.height / (2.0 * np.tan(np.radians(fov) / 2.0) * camera.fy)
    moved = []
    for place in np.asarray(at, np.float64).reshape(-1):
        # Even steps of the distance look even; the focal length follows it.
        longer = 1.0 + place * (end - 1.0)
        viewmat = camera.viewmat.copy()
        viewmat[2, 3] += depth * (longer - 1.0)
        moved.append(replace(camera, viewmat=viewmat, fx=camera.fx * longer, fy=camera.fy * longer))
    return moved


def handheld(
    cameras: Sequence[Camera],
    times: ArrayLike,
    *,
    seed: int = 0,
    degrees: float = 0.3,
    distance: float = 0.0,
) -> list[Camera]:
    """Sway a path as a hand would: smooth noise of 0.2 to 4 Hz, slow parts stronger.

    Parameters
    ----------
    cameras
        The steady path.
    times
        (len(cameras),) seconds. A camera's sway depends on its time and the seed alone.
    seed
        Which hand.
    degrees
        How far it sways up and down and to the sides, root mean square; half of it rolls.
    distance
        To what is looked at, world units: the hand moves too, by a quarter of what the sway
        shifts there. 0 only turns.

    Raises
    ------
    UsageError
        If a number is out of range or the counts differ.
    """
    moments = np.asarray(times, np.float64)
    if moments.shape != (len(cameras),) or not np.isfinite(moments).all():
        raise UsageError("A handheld path needs one time in seconds for each camera.")
    if not 0.0 <= degrees <= 45.0 or not 0.0 <= distance < np.inf or seed < 0:
        raise UsageError(
            f"A handheld camera sways by 0 to 45 degrees, not {degrees:g}, from a seed from 0 on."
        )
    sway = np.stack([_noise(moments, seed, axis) for axis in range(5)], axis=1)
    turns = np.radians(degrees) * sway[:, :3] * (1.0, 1.0, 0.5)
    shifts = 0.25 * distance * np.tan(np.radians(degrees)) * sway[:, 3:]
    moved = []
    for camera, turn, shift in zip(cameras, turns, shifts, strict=True):
        angle = np.linalg.norm(turn)
        half = np.sinc(angle / (2.0 * np.pi)) / 2.0
        rotation = rotation_matrices(np.array([np.cos(angle / 2.0), *(half * turn)]))
        viewmat = camera.viewmat.copy()
        viewmat[:2, 3] -= shift
        viewmat[:3] = rotation @ viewmat[:3]
        moved.append(replace(camera, viewmat=viewmat))
    return moved


def _noise(times: NDArray[np.float64], seed: int, axis: int) -> NDArray[np.float64]:
    """Smooth noise of mean square 1: 24 sines, amplitude falling with frequency."""
    random = np.random.default_rng([seed, 3, axis])
    edges = np.geomspace(0.2, 4.0, 25)
    frequencies = random.uniform(edges[:-1], edges[1:])
    amplitudes = frequencies**-0.8
    amplitudes *= np.sqrt(2.0 / (amplitudes**2).sum())
    phases = random.uniform(0.0, 2.0 * np.pi, len(frequencies))
    waves = np.sin(2.0 * np.pi * np.outer(times, frequencies) + phases)
    # Not a matrix product: its rounding may depend on how many times there are.
    return np.asarray((waves * amplitudes).sum(axis=1))
