"""Pictures and films of a document, without a screen."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.arguments import check_kind, check_moment, check_number, check_whole, said
from polyorama.core.jobs import Progress, run
from polyorama.core.text import count_of
from polyorama.core.types import Camera, look_at_matrix, picture_size, unit_vector
from polyorama.errors import UsageError
from polyorama.io.video import frame_rate
from polyorama.render import paths
from polyorama.render.accumulate import Shot, shots
from polyorama.render.rasterizers import get_rasterizer
from polyorama.render.shoot import Filming, draw_count, drawing, finished, shoot
from polyorama.render.state import Constants
from polyorama.scene.document import Document
from polyorama.scene.framing import frame_document
from polyorama.scene.properties_of import at_time
from polyorama.scene.rigs import view_camera
from polyorama.scene.splats import SplatCloud
from polyorama.scene.subject import OUTLIERS, can_be_drawn, document_points, weighted_quantile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from polyorama.core.jobs import Job
    from polyorama.render.frame import Frame

__all__ = [
    "frame_count",
    "level",
    "render",
    "render_frames",
    "render_job",
    "subject_center",
    "turntable",
    "turntable_cameras",
    "view_of",
    "warn_of_nothing",
]

log = logging.getLogger(__name__)

Background = tuple[float, float, float] | str | None
"""Display RGB 0..1, None for transparent, or "document" for the document's own."""

_SIZE = (1280, 720)
_FOV = 45.0
_TURNTABLE_ELEVATION = 16.0
_TURNTABLE_FILL = 0.84


def view_of(
    document: Document,
    *,
    size: tuple[int, int] | None = None,
    fov: float | None = None,
    time: float = 0.0,
) -> Camera:
    """What a document is seen through: its camera node, else its saved view.

    Where it has neither, a camera that frames the subject well, upright.

    Parameters
    ----------
    document
        What is seen.
    size
        (width, height) in pixels; None is the saved view's, or 1280x720.
    fov
        Vertical field of view in degrees; None is that of the camera node or the saved view, or 45.
    time
        Where on the timeline, s.

    Raises
    ------
    UsageError
        If size or field of view make no camera.
    """
    check_moment(time)
    document = at_time(document, time)
    saved = document.camera
    if size is None:
        size = _SIZE if saved is None else (saved.width, saved.height)
    camera = view_camera(document, size)
    if camera is None:
        return frame_document(document, size=size, fov=_FOV if fov is None else fov)
    return camera if fov is None else with_fov(camera, fov)


def warn_of_nothing(document: Document) -> None:
    """Log a warning where splats are there but no picture can show one of them."""
    contents = [node.content for node, _ in document.drawn() if node.content is not None]
    clouds = [content for content in contents if isinstance(content, SplatCloud)]
    count = sum(len(cloud) for cloud in clouds)
    if count and len(clouds) == len(contents) and not any(map(can_be_drawn, clouds)):
        log.warning(
            "Nothing can be drawn: of %s none is finite and more opaque than 1/255; "
            "polyorama info says what is wrong.",
            count_of(count, "splat"),
        )


def with_fov(camera: Camera, fov: float) -> Camera:
    """The same camera as a pinhole with another vertical field of view in degrees.

    Raises
    ------
    UsageError
        If it is not between 0 and 180.
    """
    if not 0.0 < fov < 180.0:
        raise UsageError(f"A vertical field of view of {fov} degrees is not between 0 and 180.")
    focal = 0.5 * camera.height / float(np.tan(np.radians(fov) / 2.0))
    return replace(camera, fx=focal, fy=focal, kind="pinhole")


def render(
    document: Document,
    camera: Camera | None = None,
    *,
    size: tuple[int, int] | None = None,
    backend: str = "auto",
    outputs: Iterable[str] = ("rgba8",),
    background: Background = "document",
    constants: Constants | str | None = None,
    limit: int | None = None,
    filming: Filming | None = None,
    time: float = 0.0,
) -> Frame:
    """Draw one picture of a document.

    Parameters
    ----------
    document
        What is drawn.
    camera
        From where; None is what the document is seen through, or frames the subject.
    size
        (width, height) in pixels; None is the camera's own, or 1280x720.
    backend
        A rasterizer's name, or "auto".
    outputs
        Any of "rgba8", "color", "depth", "features", "linear", "normals".
    background
        Display RGB 0..1, None for transparent, or "document" for the document's own.
    constants
        Renderer constants or a preset's name, such as "inria"; None is the default.
    limit
        Draw only the `limit` most important splats.
    filming
        Panorama, stereo, lens, shutter and grade; None draws the sharp, plain picture.
    time
        Where on the timeline, s.

    Raises
    ------
    UsageError
        If an argument is out of range.
    UnavailableError
        If the backend cannot run here.
    """
    job = render_job(
        document, camera, size=size, backend=backend, outputs=outputs, background=background,
        constants=constants, limit=limit, filming=filming, time=time,
    )  # fmt: skip
    return run(job)


def render_job(
    document: Document,
    camera: Camera | Shot | None = None,
    *,
    size: tuple[int, int] | None = None,
    backend: str = "auto",
    outputs: Iterable[str] = ("rgba8",),
    background: Background = "document",
    constants: Constants | str | None = None,
    limit: int | None = None,
    filming: Filming | None = None,
    time: float = 0.0,
) -> Job[Frame]:
    """As `render`, as a job that says how far it is; a `Shot` also knows how the camera moves."""
    _check_kinds(document, camera, size, outputs, background, constants, filming)
    check_moment(time)
    if limit is not None:
        check_whole(limit, "limit")
    warn_of_nothing(document)
    filming = filming or Filming()
    shot = camera if isinstance(camera, Shot) else None
    if shot is None:
        assert not isinstance(camera, Shot)
        if camera is None:
            camera = view_of(document, size=size, time=time)
        elif size is not None:
            camera = camera.resized(*size)
        shot = Shot(camera)
    wanted = tuple(outputs)
    draw = drawing(
        get_rasterizer(backend), document, background=background, constants=constants,
        limit=limit, time=time,
    )  # fmt: skip
    steps = shoot(draw, shot, filming, wanted, opaque=background is not None)
    total = draw_count(shot, filming, wanted)
    done = 0
    yield Progress(done, total, "Rendering")
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            frame: Frame = stop.value
            return frame
        done += 1
        yield Progress(done, total, "Rendering")


def _check_kinds(
    document: object,
    camera: object,
    size: tuple[int, int] | None,
    outputs: object,
    background: object,
    constants: object,
    filming: object,
) -> None:
    """Refuse arguments of another kind than `render` names, in words that name them."""
    check_kind(document, Document, "document", "a Document, as polyorama.open gives")
    check_kind(camera, Camera | Shot | None, "camera", "a Camera")
    if size is not None:
        picture_size(size)
    if isinstance(outputs, str) or not isinstance(outputs, Iterable):
        raise UsageError(f"The argument 'outputs' must be a list of names, not {said(outputs)}.")
    check_kind(background, tuple | list | str | None, "background", "a colour, None or 'document'")
    check_kind(constants, Constants | str | None, "constants", "a preset's name or Constants")
    check_kind(filming, Filming | None, "filming", "a Filming")


def level(camera: Camera, up: ArrayLike) -> Camera:
    """The camera turned so that its horizon is level and in the middle, heading as before.

    Panoramas of all directions are watched by turning round: a tilted one would make people ill.

    Raises
    ------
    UsageError
        If `up` is no direction.
    """
    axes = _upright_axes(up)
    forward = camera.forward - (camera.forward @ axes[2]) * axes[2]
    if np.linalg.norm(forward) < 1e-6:  # straight up or down: what was the picture's top or bottom
        forward = axes[0]
    eye = camera.position
    return replace(camera, viewmat=look_at_matrix(eye, eye + forward, axes[2]))


def render_frames(
    document: Document,
    cameras: Iterable[Camera],
    *,
    backend: str = "auto",
    outputs: Iterable[str] = ("rgba8",),
    background: Background = "document",
    constants: Constants | str | None = None,
    filming: Filming | None = None,
    loop: bool = False,
    time: float = 0.0,
) -> Iterator[Frame]:
    """One frame for each camera, made when it is asked for; parameters as of `render`.

    Parameters
    ----------
    loop
        Whether the first frame follows the last, for motion blur.

    Raises
    ------
    UsageError, UnavailableError
        As `render`.
    """
    _check_kinds(document, None, None, outputs, background, constants, filming)
    check_moment(time)
    warn_of_nothing(document)
    filming = filming or Filming()
    draw = drawing(
        get_rasterizer(backend), document, background=background, constants=constants, time=time
    )
    wanted = tuple(outputs)
    moving = filming.sampling.shutter > 0.0
    film: Iterable[Shot] = (
        shots(list(cameras), loop=loop) if moving else (Shot(camera) for camera in cameras)
    )
    for shot in film:
        yield finished(shoot(draw, shot, filming, wanted, opaque=background is not None))


def turntable(
    document: Document,
    seconds: float = 4.0,
    fps: float | str | Fraction = 30,
    size: tuple[int, int] = _SIZE,
    *,
    camera: Camera | None = None,
    backend: str = "auto",
    background: Background = "document",
    constants: Constants | str | None = None,
    filming: Filming | None = None,
    time: float = 0.0,
) -> Iterator[Frame]:
    """The frames of one full turn around the subject, which loops without a seam.

    Parameters
    ----------
    document
        What is seen.
    seconds, fps
        Length, and frames a second.
    size
        (width, height) in pixels.
    camera
        Where the turn starts; None frames the subject so that it stays in the picture all round.
    backend, background, constants, filming, time
        As of `render`.

    Raises
    ------
    UsageError
        If an argument is out of range.
    UnavailableError
        If the backend cannot run here.
    """
    _check_kinds(document, camera, size, (), background, constants, filming)
    check_moment(time)
    count = frame_count(seconds, fps)
    start = camera if camera is None else camera.resized(*size)
    cameras = turntable_cameras(at_time(document, time), count, size=size, camera=start)
    return render_frames(
        document, cameras, backend=backend, background=background, constants=constants,
        filming=filming, loop=True, time=time,
    )  # fmt: skip


def frame_count(seconds: float, fps: float | str | Fraction) -> int:
    """How many frames that long a film has, at least 1.

    Raises
    ------
    UsageError
        If the length is not positive or longer than a million frames, or `fps` is no rate.
    """
    rate = frame_rate(fps)
    check_number(seconds, "seconds")
    if not 0.0 < seconds < 1e9:
        raise UsageError(f"A film of {seconds:g} seconds cannot be made.")
    count = max(1, round(seconds * rate))
    if count > 1_000_000:
        raise UsageError(f"A film of {count} frames is too long; the limit is a million.")
    return count


def turntable_cameras(
    document: Document,
    count: int,
    *,
    size: tuple[int, int] = _SIZE,
    fov: float | None = None,
    camera: Camera | None = None,
    target: ArrayLike | None = None,
    up: ArrayLike | None = None,
) -> list[Camera]:
    """Cameras of one full turn in `count` steps around `up` through `target`.

    Parameters
    ----------
    document
        Gives what is not given: the subject's middle, the up direction, the first view.
    count
        How many.
    size, fov
        Picture size in pixels and vertical field of view in degrees, where `camera` is None.
    camera
        The first view; None makes one for which the subject stays in the picture all round.
    target, up
        (3,) a point of the axis and its direction.

    Raises
    ------
    UsageError
        If an argument is out of range.
    """
    axis = unit_vector(document.up if up is None else up)
    around = target is None and camera is None
    points, weights = _subject_points(document)
    center = _center(points, weights, axis) if target is None else np.asarray(target, np.float64)
    if camera is None:
        first = frame_document(document, size=size, fov=_FOV if fov is None else fov)
        camera = _frame_all_round(points, weights, first, center, axis) if around else first
    return paths.turntable(camera, center, axis, count)


def subject_center(document: Document, up: ArrayLike | None = None) -> NDArray[np.float64]:
    """(3,) float64: the middle of the subject's extent along `up` and across it."""
    axis = unit_vector(document.up if up is None else up)
    return _center(*_subject_points(document), axis)


def _center(
    points: NDArray[np.float64], weights: NDArray[np.float64], up: NDArray[np.float64]
) -> NDArray[np.float64]:
    axes = _upright_axes(up)
    local = points @ axes.T
    ends = [weighted_quantile(local[:, a], weights, [OUTLIERS, 1 - OUTLIERS]) for a in range(3)]
    return np.asarray(np.mean(ends, axis=1) @ axes)


def _subject_points(document: Document) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Solid points of all that is drawn, (n, 3) in world units, and their weights; n >= 1."""
    points, weights = document_points(document)
    return (points, weights) if len(points) else (np.zeros((1, 3)), np.ones(1))


def _upright_axes(up: ArrayLike) -> NDArray[np.float64]:
    """(3, 3) rows: two level directions, and `up`."""
    upward = unit_vector(up)
    level = np.cross(upward, np.eye(3)[int(np.argmin(np.abs(upward)))])
    level /= np.linalg.norm(level)
    return np.stack([level, np.cross(upward, level), upward])


def _frame_all_round(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    first: Camera,
    center: NDArray[np.float64],
    up: NDArray[np.float64],
) -> Camera:
    """A camera on the first view's side that sees the subject's whole solid of revolution.

    The rims of the enclosing cylinders are fitted between the four slanted planes of the picture,
    as `frame_document` does with points: a rim point (x, y, z) in camera axes is inside when
    |x - eye_x| <= k (z - eye_z). By symmetry eye_x is the axis.
    """
    axes = _upright_axes(up)
    local = (points - center) @ axes.T
    radii, heights = np.linalg.norm(local[:, :2], axis=1), local[:, 2]
    bands = _silhouette(radii, heights, weights)
    toward = first.position - center
    toward = toward - (toward @ axes[2]) * axes[2]
    if np.linalg.norm(toward) < 1e-9:
        toward = axes[0]
    toward /= np.linalg.norm(toward)
    rise = np.radians(_TURNTABLE_ELEVATION)
    forward = -(np.cos(rise) * toward + np.sin(rise) * axes[2])
    right = np.cross(forward, axes[2])
    right /= np.linalg.norm(right)
    view = np.stack([right, np.cross(forward, right), forward])
    angles = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1) @ axes[:2]
    rims = np.concatenate([radius * circle + height * axes[2] for radius, height in bands])
    x, y, z = view @ rims.T
    tangent_y = _TURNTABLE_FILL * 0.5 * first.height / first.fy
    tangent_x = _TURNTABLE_FILL * 0.5 * first.width / first.fx
    most, least = (y - tangent_y * z).max(), (-y - tangent_y * z).max()
    away = max((most + least) / (2.0 * tangent_y), (np.abs(x) / tangent_x - z).max(), 1e-3)
    # Where the width decides the distance, the height is centred for that distance.
    eye_y = (most - least) / 2.0
    for _ in range(4):
        slopes = (y - eye_y) / (z + away)
        eye_y += away * (slopes.max() + slopes.min()) / 2.0
    eye = center + np.array([0.0, eye_y, -away]) @ view
    return Camera.look_at(
        eye, eye + forward, axes[2], fov=first.fov, size=(first.width, first.height),
        near=first.near, far=first.far,
    )  # fmt: skip


def _silhouette(
    radii: NDArray[np.float64], heights: NDArray[np.float64], weights: NDArray[np.float64]
) -> Sequence[tuple[float, float]]:
    """Radius and height of the rims of a stack of eight enclosing cylinders, without outliers."""
    low, high = weighted_quantile(heights, weights, [OUTLIERS, 1 - OUTLIERS])
    edges = np.linspace(low, high, 9)
    rims: list[tuple[float, float]] = []
    for bottom, top in itertools.pairwise(edges):
        inside = (heights >= bottom) & (heights <= top)
        if inside.any():
            radius = float(weighted_quantile(radii[inside], weights[inside], [1 - OUTLIERS])[0])
            rims += [(radius, float(bottom)), (radius, float(top))]
    return rims or [(0.0, float(low))]
