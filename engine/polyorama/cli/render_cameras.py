"""The cameras that the options of `polyorama render` ask for."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from polyorama.cli.arguments import moment, size, vector
from polyorama.cli.filming import pair
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.accumulate import Shot
    from polyorama.scene.document import Document

__all__ = [
    "MOVES", "SPEAKING", "add_cameras", "frames_a_second", "is_moving", "shots_of", "target_of",
]  # fmt: skip

SPEAKING = (
    "size", "eye", "target", "up", "fov", "ortho", "turntable", "cameras", "fly", "dolly",
    "dolly_zoom", "hold", "timeline", "time", "handheld", "views", "frames", "fps",
)  # fmt: skip
"""Names of the options that decide where cameras are, in the order in which commands tell them."""

MOVES = ("timeline", "turntable", "fly", "dolly", "dolly_zoom", "hold")
"""Options that make a film of one camera or of keys."""

_SIZE = (1280, 720)
_PANORAMA, _FISHEYE = (4096, 2048), (2048, 2048)
_SET = (800, 800)
_FPS = "30"
_SHORTEST = 1e-6


def add_cameras(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("camera (without any, the subject is framed, upright)")
    add = group.add_argument
    add(
        "--size",
        type=size,
        metavar="WxH",
        help="pixels, of one eye in stereo (1280x720, or the cameras' own)",
    )
    add("--eye", type=vector, metavar="X,Y,Z", help="where the camera is")
    add("--target", type=vector, metavar="X,Y,Z", help="what it looks at (default: the subject)")
    add("--up", type=vector, metavar="X,Y,Z", help="up in the world (default: the document's)")
    add("--fov", type=float, metavar="DEG", help="vertical field of view in degrees (default 45)")
    add("--ortho", type=float, metavar="HEIGHT", help="parallel view, HEIGHT world units high")
    add(
        "--cameras", metavar="PATH",
        help="cameras.json (INRIA or ours), transforms.json, COLMAP's images.bin or images.txt, or "
        "the folder of its model",
    )  # fmt: skip

    add(
        "--views", type=int, metavar="N",
        help="N pictures from all round, to fit to: -o set/images/####.png, and their cameras in "
        "set/transforms.json (default size 800x800; --eye gives the distance)",
    )  # fmt: skip

    group = parser.add_argument_group("movement")
    add = group.add_argument
    add(
        "--timeline", type=_part, nargs="?", const=(0.0, None), metavar="A:B",
        help="the project's own film, as its cameras and keys have it; only from A to B seconds",
    )  # fmt: skip
    add("--time", type=moment, metavar="SECONDS", help="where on the timeline a picture is taken")
    add("--turntable", type=float, metavar="SECONDS", help="one full turn around the target")
    add("--fly", type=float, metavar="SECONDS", help="fly smoothly through the --cameras")
    add(
        "--dolly", type=_dolly, metavar="SECONDS:SHARE",
        help="move toward the target until that share of the distance is left (2 backs off)",
    )  # fmt: skip
    add(
        "--dolly-zoom", type=_dolly_zoom, metavar="SECONDS:FOV",
        help="move and zoom until the vertical field of view is FOV degrees in the last frame, the "
        "target keeping its size",
    )  # fmt: skip
    add("--hold", type=float, metavar="SECONDS", help="a film of a resting camera")
    add(
        "--handheld", type=_handheld, metavar="SEED:AMOUNT",
        help="sway like a hand, AMOUNT degrees (0.3 is calm); a seed gives always the same",
    )  # fmt: skip
    add("--frames", metavar="A:B:STEP", help="only these frames, counted from 0, B excluded")
    add("--fps", metavar="N", help="frames a second (default 30, or the timeline's)")


def _part(text: str) -> tuple[float, float | None]:
    first, _, last = text.partition(":")
    try:
        start, end = float(first or 0.0), float(last) if last else None
    except ValueError:
        start, end = math.nan, None
    if not (0.0 <= start < (math.inf if end is None else end)):
        raise argparse.ArgumentTypeError(f"{text!r} is not two times in seconds, as in 0:4")
    return start, end


def _dolly(text: str) -> tuple[float, float]:
    return pair(text, "seconds and a share of the distance, as in 4:0.5")


def _dolly_zoom(text: str) -> tuple[float, float]:
    return pair(text, "seconds and a field of view, as in 4:20")


def _handheld(text: str) -> tuple[float, float]:
    seed, amount = pair(text, "a seed and degrees, as in 7:0.3")
    if seed < 0 or seed != int(seed):
        raise argparse.ArgumentTypeError(f"{text!r} has no whole number from 0 on as its seed")
    return seed, amount


def frames_a_second(options: argparse.Namespace, document: Document) -> str | float:
    """The film's rate: the one asked for, else the timeline's, else 30."""
    if options.fps is None and options.timeline is not None:
        return document.timeline.fps
    return options.fps or _FPS


def is_moving(options: argparse.Namespace) -> bool:
    """Whether one camera or its keys make a film."""
    return any(getattr(options, name) is not None for name in MOVES)


def target_of(options: argparse.Namespace, document: Document) -> NDArray[np.float64]:
    """(3,) what the camera looks at: the target that was named, or the middle of the subject."""
    import numpy as np

    from polyorama.verbs.film import subject_center

    if options.target is not None:
        return np.asarray(options.target, np.float64)
    return subject_center(document, options.up)


def shots_of(
    options: argparse.Namespace,
    document: Document,
    target: NDArray[np.float64],
    *,
    still: bool,
) -> tuple[Sequence[int], list[Shot]]:
    """The frames asked for: their numbers, counted from 0, and how the camera moves in each.

    Raises
    ------
    UsageError
        If the options make no cameras, or several where there can be only one.
    """
    from polyorama.io.video import frame_rate
    from polyorama.render.accumulate import shots
    from polyorama.render.paths import handheld, select_frames
    from polyorama.verbs.film import level

    if options.timeline is not None:
        return _timeline_shots(options, document)
    cameras = _path(options, document, target)
    if options.handheld is not None:
        seed, amount = options.handheld
        rate = frame_rate(options.fps or _FPS)
        depth = float((target - cameras[0].position) @ cameras[0].forward)
        cameras = handheld(
            cameras, [float(i / rate) for i in range(len(cameras))],
            seed=int(seed), degrees=amount, distance=max(depth, 0.0),
        )  # fmt: skip
    if options.equirect:
        cameras = [level(camera, options.up or document.up) for camera in cameras]
        if cameras[0].width != 2 * cameras[0].height:
            raise UsageError(
                f"A 360 degree panorama is twice as wide as high, not {cameras[0].width}x"
                f"{cameras[0].height}; give --size 4096x2048 or so."
            )
    film = shots(cameras, loop=options.turntable is not None)
    if options.time is not None:
        film = [replace(shot, time=options.time) for shot in film]
    numbers: Sequence[int] = range(len(cameras))
    if options.frames is not None:
        numbers = select_frames(options.frames, len(cameras))
    if still and len(numbers) > 1:
        raise UsageError(
            f"There are {len(numbers)} cameras for one picture; choose one with --frames 0, or "
            "write a sequence (frames/####.png) or a film (.mp4)."
        )
    return numbers, [film[number] for number in numbers]


def _timeline_shots(
    options: argparse.Namespace, document: Document
) -> tuple[Sequence[int], list[Shot]]:
    """The frames of the document's own film."""
    from polyorama.render.paths import select_frames
    from polyorama.verbs.timeline import timeline_shots

    start, end = options.timeline
    film = timeline_shots(
        document, _size(options) or _saved_size(options, document), fps=options.fps, start=start,
        end=end, lens=options.dof is None,
    )  # fmt: skip
    numbers: Sequence[int] = range(len(film))
    if options.frames is not None:
        numbers = select_frames(options.frames, len(film))
    return numbers, [film[number] for number in numbers]


def _path(
    options: argparse.Namespace, document: Document, target: NDArray[np.float64]
) -> list[Camera]:
    from polyorama.render.paths import dolly, dolly_zoom, ease, spline
    from polyorama.verbs.film import frame_count, turntable_cameras

    if options.views is not None:
        from polyorama.verbs.view_sets import view_set

        return view_set(
            document, options.views, size=_size(options) or _SIZE, fov=options.fov,
            distance=None if options.eye is None else math.dist(options.eye, target),
            target=target, up=options.up,
        )  # fmt: skip
    if options.turntable is not None:
        count = frame_count(options.turntable, options.fps or _FPS)
        first = None
        chosen = (options.eye, options.target, options.ortho, document.camera)
        if any(choice is not None for choice in chosen):
            first = _one_camera(options, document)
        return turntable_cameras(
            document, count, size=_size(options) or _SIZE, fov=options.fov, camera=first,
            target=options.target, up=options.up,
        )  # fmt: skip
    if options.cameras is not None:
        cameras = _read_cameras(options)
        if options.fly is None:
            return cameras
        count = frame_count(options.fly, options.fps or _FPS)
        last = len(cameras) - 1
        keys = [i / max(last, 1) for i in range(len(cameras))]
        return spline(cameras, keys, [i / max(count - 1, 1) for i in range(count)])
    camera = _one_camera(options, document)
    if options.hold is not None:
        return [camera] * frame_count(options.hold, options.fps or _FPS)
    move = options.dolly or options.dolly_zoom
    if move is None:
        return [camera]
    count = frame_count(move[0], options.fps or _FPS)
    places = ease([i / max(count - 1, 1) for i in range(count)])
    if options.dolly is not None:
        return dolly(camera, target, move[1], places)
    return dolly_zoom(camera, target, move[1], places)


def _size(options: argparse.Namespace) -> tuple[int, int] | None:
    """Pixels, where they are not the camera's own."""
    if options.size is not None:
        return (options.size[0], options.size[1])
    if options.equirect:
        return _PANORAMA
    if options.views is not None:
        return _SET
    return _FISHEYE if options.fisheye is not None else None


def _saved_size(options: argparse.Namespace, document: Document) -> tuple[int, int]:
    saved = document.camera if options.eye is None else None
    return _SIZE if saved is None else (saved.width, saved.height)


def _read_cameras(options: argparse.Namespace) -> list[Camera]:
    from polyorama.io.cameras import read_cameras

    cameras = read_cameras(options.cameras)
    pixels = _size(options)
    if pixels is not None:
        cameras = [camera.resized(*pixels) for camera in cameras]
    return cameras


def _one_camera(options: argparse.Namespace, document: Document) -> Camera:
    import numpy as np

    from polyorama.core.types import Camera
    from polyorama.verbs.film import subject_center, view_of

    if options.up is not None:
        # The saved view has its own up; who gives another wants another view.
        document = document.with_camera(None)
    if options.eye is None and options.target is None:
        camera = view_of(document, size=_size(options), fov=options.fov)
        if options.ortho is None:
            return camera
        eye, pixels = camera.position, (camera.width, camera.height)
        target, up = eye + camera.forward, -camera.viewmat[1, :3]
    else:
        up, pixels = np.asarray(document.up), _size(options) or _saved_size(options, document)
        center = subject_center(document)
        target = center if options.target is None else np.asarray(options.target)
        if options.eye is not None:
            eye = np.asarray(options.eye)
        elif document.camera is not None:
            # The saved view stays where it is and looks elsewhere.
            eye = document.camera.position
        else:
            framed = view_of(document.with_camera(None), size=pixels, fov=options.fov)
            eye = target + (framed.position - center)
    if options.ortho is not None:
        return Camera.orthographic(eye, target, up, height_in_world=options.ortho, size=pixels)
    fov = options.fov
    if fov is None:
        saved = document.camera if options.eye is None else None
        fov = 45.0 if saved is None or saved.kind != "pinhole" else saved.fov
    return Camera.look_at(eye, target, up, fov=fov, size=pixels)
