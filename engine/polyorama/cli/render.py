"""``polyorama render``: pictures, films and sequences."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama.cli.arguments import accept_negative_lists, color, size, vector
from polyorama.errors import OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.types import Camera
    from polyorama.scene.document import Document
    from polyorama.verbs.workers import Look

_EXAMPLES = """\
examples:
  polyorama render plant.ply -o plant.png
  polyorama render plant.ply --turntable 6 -o plant.mp4
  polyorama render plant.ply --cameras cameras.json --frames 0:10 -o views/####.png
  polyorama render plant.ply table.glb --eye -1,0.5,2 --up 0,1,0 --background '#dddddd' -o still.jpg

The ending decides what is made: .png, .jpg, .webp a picture; .mp4, .mov, .mkv a film; #### in the
name a sequence of numbered pictures.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    accept_negative_lists(parser)
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="captures, meshes and projects, shown together")
    add("-o", "--output", metavar="OUT", help="the picture, film or sequence (frames/####.png)")

    group = parser.add_argument_group("camera (without any, the subject is framed, upright)")
    add = group.add_argument
    add("--size", type=size, metavar="WxH", help="pixels (default 1280x720, or the cameras' own)")
    add("--eye", type=vector, metavar="X,Y,Z", help="where the camera is")
    add("--target", type=vector, metavar="X,Y,Z", help="what it looks at (default: the subject)")
    add("--up", type=vector, metavar="X,Y,Z", help="up in the world (default: the document's)")
    add("--fov", type=float, metavar="DEG", help="vertical field of view in degrees (default 45)")
    add("--ortho", type=float, metavar="HEIGHT", help="parallel view, HEIGHT world units high")
    add("--turntable", type=float, metavar="SECONDS", help="one full turn around the target")
    add("--cameras", metavar="FILE", help="cameras.json (INRIA or ours) or images.txt (COLMAP)")
    add("--fly", type=float, metavar="SECONDS", help="fly smoothly through the --cameras")
    add("--frames", metavar="A:B:STEP", help="only these frames, counted from 0, B excluded")
    add("--fps", default="30", metavar="N", help="frames a second (default 30)")

    group = parser.add_argument_group("look")
    add = group.add_argument
    add(
        "--background", default="document", metavar="COLOUR",
        help="#rrggbb, r,g,b from 0 to 1, transparent, or document (default)",
    )  # fmt: skip
    add("--backend", default="auto", metavar="NAME", help="auto (default), cpu, ...")
    add("--preset", metavar="NAME", help="agree with another renderer: gsplat-1.5.3, inria, ...")
    add(
        "--antialiased", action=argparse.BooleanOptionalAction, default=None,
        help="mip filter (default: as the capture was trained)",
    )  # fmt: skip
    add("--surfels", type=int, default=100_000, metavar="N", help="Gaussians for each mesh")

    group = parser.add_argument_group("output")
    add = group.add_argument
    add("--quality", type=int, metavar="1-100", help="of JPEG (95), WebP (92) and films (90)")
    add("--float", metavar="OUT.npy", help="float32 pixels too, H x W x 4, premultiplied")
    add("--depth", metavar="OUT", help="depth too: .npy in world units, or 16-bit .png")
    add("--jobs", type=int, default=1, metavar="N", help="processes that draw (default 1)")
    add("--resume", action="store_true", help="go on with a film or sequence that was stopped")


def run(options: argparse.Namespace) -> int:
    """Make what was asked for."""
    begin = time.monotonic()
    kind = _kind(options)
    background = _background(options)

    from polyorama.verbs.open import open_document
    from polyorama.verbs.workers import Look

    document = open_document(*options.files, surfels=options.surfels, up=options.up)
    look = Look(
        options.backend,
        document.background if background == "document" else background,  # type: ignore[arg-type]
        _constants(options, document),
    )
    numbers, cameras = _cameras(options, document, kind)
    if kind == "film":
        return _film(options, document, cameras, look, begin)
    if kind == "sequence":
        return _sequence(options, document, numbers, cameras, look, begin)
    return _still(options, document, cameras[0], look, begin)


def _kind(options: argparse.Namespace) -> str:
    """``"still"``, ``"film"`` or ``"sequence"``; contradictions are told before reading."""
    from polyorama.io.image import IMAGE_ENDINGS
    from polyorama.io.video import VIDEO_ENDINGS

    outputs = [path for path in (options.output, options.float, options.depth) if path]
    if not outputs:
        raise UsageError("Say where to with -o, as in -o picture.png or -o film.mp4.")
    if options.jobs < 1:
        raise UsageError(f"{options.jobs} processes cannot draw; give --jobs 1 or more.")
    if options.fly is not None and options.cameras is None:
        raise UsageError("--fly needs the --cameras to fly through.")
    for flag, other in (("turntable", "cameras"), ("cameras", "eye"), ("cameras", "target"),
                        ("cameras", "up"), ("fov", "ortho"), ("cameras", "ortho"),
                        ("cameras", "fov")):  # fmt: skip
        if getattr(options, flag) is not None and getattr(options, other) is not None:
            raise UsageError(f"--{flag} and --{other} contradict each other; give one of them.")
    moving = options.turntable is not None or options.fly is not None
    ending = Path(options.output).suffix.lower() if options.output else ".npy"
    if ending in VIDEO_ENDINGS:
        if "#" in Path(options.output).name:
            raise UsageError(f"A film is one file; leave the # out of its name: {options.output}")
        if not moving and options.cameras is None:
            raise UsageError(
                "A film needs a moving camera: add --turntable SECONDS or --cameras FILE: "
                f"{options.output}"
            )
        if options.float or options.depth:
            raise UsageError(
                "--float and --depth go with pictures; render a sequence, as in -o frames/####.png."
            )
        return "film"
    if options.output and ending not in IMAGE_ENDINGS:
        hint = "; use --float for .npy" if ending == ".npy" else ""
        known = ", ".join([*IMAGE_ENDINGS, *VIDEO_ENDINGS])
        raise OutputError(f"Cannot write this kind of file (can: {known}{hint}): {options.output}")
    hashes = ["#" in Path(path).name for path in outputs]
    if any(hashes) and not all(hashes):
        raise UsageError("Every output of a sequence needs #### in its name for the number.")
    if all(hashes):
        return "sequence"
    if moving:
        name = Path(outputs[0])
        raise UsageError(
            f"One file cannot hold a moving camera's frames; write a film, {name.stem}.mp4, or a "
            f"sequence, frames/####{name.suffix}, instead of: {name}"
        )
    if options.resume:
        raise UsageError("--resume is for films and sequences; a still is simply made again.")
    return "still"


def _background(options: argparse.Namespace) -> tuple[float, float, float] | str | None:
    text = options.background
    if text == "document":
        return "document"
    if text == "transparent":
        ending = Path(options.output or "").suffix.lower()
        if ending and ending not in (".png", ".webp"):
            raise UsageError(
                f"This kind of file has no transparency; choose .png or .webp, or a background "
                f"colour: {options.output}"
            )
        return None
    try:
        return color(text)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--background {error}, transparent or document.") from error


def _constants(options: argparse.Namespace, document: Document) -> Any:
    """Renderer constants, or None where the document decides."""
    from dataclasses import replace

    from polyorama.render.state import PRESETS

    if options.preset is None and options.antialiased is None:
        return None
    name = options.preset or next(iter(PRESETS))
    if name not in PRESETS:
        raise UsageError(f"There is no preset {name!r}; choose {', '.join(PRESETS)}.")
    antialiased = options.antialiased
    if antialiased is None:
        contents = [node.content for node, _ in document.drawn() if node.content is not None]
        antialiased = bool(contents) and all(c.model == "antialiased" for c in contents)
    return replace(PRESETS[name], antialiased=antialiased)


def _cameras(
    options: argparse.Namespace, document: Document, kind: str
) -> tuple[Sequence[int], list[Camera]]:
    """The frames asked for: their numbers, counted from 0, and their cameras."""
    from polyorama.render.paths import select_frames, spline
    from polyorama.verbs.film import frame_count, turntable_cameras

    if options.turntable is not None:
        count = frame_count(options.turntable, options.fps)
        first = None
        chosen = (options.eye, options.target, options.ortho, document.camera)
        if any(choice is not None for choice in chosen):
            first = _one_camera(options, document)
        cameras = turntable_cameras(
            document, count, size=options.size or (1280, 720), fov=options.fov, camera=first,
            target=options.target, up=options.up,
        )  # fmt: skip
    elif options.cameras is not None:
        cameras = _read_cameras(options)
        if options.fly is not None:
            count = frame_count(options.fly, options.fps)
            last = len(cameras) - 1
            keys = [i / max(last, 1) for i in range(len(cameras))]
            cameras = spline(cameras, keys, [i / max(count - 1, 1) for i in range(count)])
    else:
        cameras = [_one_camera(options, document)]
    numbers: Sequence[int] = range(len(cameras))
    if options.frames is not None:
        numbers = select_frames(options.frames, len(cameras))
    if kind == "still" and len(numbers) > 1:
        raise UsageError(
            f"There are {len(numbers)} cameras for one picture; choose one with --frames 0, or "
            "write a sequence (frames/####.png) or a film (.mp4)."
        )
    return numbers, [cameras[number] for number in numbers]


def _read_cameras(options: argparse.Namespace) -> list[Camera]:
    from polyorama.io.cameras import read_cameras

    cameras = read_cameras(options.cameras)
    if options.size is not None:
        cameras = [camera.resized(*options.size) for camera in cameras]
    return cameras


def _one_camera(options: argparse.Namespace, document: Document) -> Camera:
    import numpy as np

    from polyorama.core.types import Camera
    from polyorama.verbs.film import subject_center, view_of

    if options.up is not None:
        # The saved view has its own up; who gives another wants another view.
        document = document.with_camera(None)
    if options.eye is None and options.target is None:
        camera = view_of(document, size=options.size, fov=options.fov)
        if options.ortho is None:
            return camera
        eye, pixels = camera.position, (camera.width, camera.height)
        target, up = eye + camera.forward, -camera.viewmat[1, :3]
    else:
        up, pixels = np.asarray(document.up), options.size or (1280, 720)
        center = subject_center(document)
        target = center if options.target is None else np.asarray(options.target)
        if options.eye is not None:
            eye = np.asarray(options.eye)
        else:
            framed = view_of(document.with_camera(None), size=pixels, fov=options.fov)
            eye = target + (framed.position - center)
    if options.ortho is not None:
        return Camera.orthographic(eye, target, up, height_in_world=options.ortho, size=pixels)
    fov = 45.0 if options.fov is None else options.fov
    return Camera.look_at(eye, target, up, fov=fov, size=pixels)


def _still(
    options: argparse.Namespace, document: Document, camera: Camera, look: Look, begin: float
) -> int:
    from polyorama.io.image import write_depth, write_float, write_image
    from polyorama.verbs.film import render

    wanted = {"rgba8": options.output, "color": options.float, "depth": options.depth}
    frame = render(
        document, camera, backend=look.backend, background=look.background,
        constants=look.constants, outputs=[name for name, path in wanted.items() if path],
    )  # fmt: skip
    if frame.color is not None and options.float:
        write_float(options.float, frame.color)
    if frame.expected_depth is not None and options.depth:
        write_depth(options.depth, frame.expected_depth)
    if options.output:
        write_image(
            options.output, frame, quality=options.quality, text={"Comment": _command(options)},
            keep_alpha=look.background is None,
        )  # fmt: skip
    paths = ", ".join(path for path in wanted.values() if path)
    _say(f"{camera.width}x{camera.height} in {time.monotonic() - begin:.1f} s", paths)
    return 0


def _film(
    options: argparse.Namespace,
    document: Document,
    cameras: Sequence[Camera],
    look: Look,
    begin: float,
) -> int:
    from polyorama.cli.progress import show
    from polyorama.io.video import frame_rate
    from polyorama.verbs.sequences import film_job, kept_frames, parts_folder

    job = film_job(
        options.output, document, cameras, options.fps, look=look, quality=options.quality,
        jobs=options.jobs, resume=options.resume, comment=_command(options),
    )  # fmt: skip
    try:
        outcome = show(job)
    except KeyboardInterrupt:
        kept = kept_frames(options.output)
        if kept:
            _stopped(
                f"{kept} of {len(cameras)} frames are kept; run the same command with --resume "
                f"to go on: {parts_folder(options.output)}"
            )
        else:
            _stopped("Nothing was written.")
        return 130
    camera = cameras[0]
    seconds = outcome.frames / frame_rate(options.fps)
    _say(
        f"{camera.width}x{camera.height}, {outcome.frames} frames, {float(seconds):.2f} s of film"
        f"{_reused(outcome.reused)} in {time.monotonic() - begin:.1f} s",
        options.output,
    )
    return 0


def _sequence(
    options: argparse.Namespace,
    document: Document,
    numbers: Sequence[int],
    cameras: Sequence[Camera],
    look: Look,
    begin: float,
) -> int:
    from polyorama.cli.progress import show
    from polyorama.verbs.sequences import numbered, numbered_job

    first = options.output or options.float or options.depth
    job = numbered_job(
        options.output, document, cameras, numbers=numbers, look=look, quality=options.quality,
        jobs=options.jobs, resume=options.resume, floats=options.float, depth=options.depth,
        text={"Comment": _command(options)},
    )  # fmt: skip
    try:
        outcome = show(job)
    except KeyboardInterrupt:
        kept = sum(numbered(first, number).is_file() for number in numbers)
        if kept and options.output:
            _stopped(
                f"{kept} of {len(numbers)} pictures are there, each whole; run the same command "
                f"with --resume to go on: {options.output}"
            )
        else:
            _stopped(f"{kept} of {len(numbers)} files are there, each whole: {first}")
        return 130
    _say(
        f"{outcome.frames} frames{_reused(outcome.reused)} in {time.monotonic() - begin:.1f} s",
        first,
    )
    return 0


def _reused(count: int) -> str:
    return f" ({count} of them from the run before)" if count else ""


def _say(what: str, path: str) -> None:
    print(f"Wrote {path} ({what})")


def _stopped(text: str) -> None:
    print(f"polyorama: Stopped. {text}", file=sys.stderr)


_SPEAKING = (
    "size", "eye", "target", "up", "fov", "ortho", "turntable", "cameras", "fly", "background",
    "preset", "antialiased",
)  # fmt: skip


def _command(options: argparse.Namespace) -> str:
    """The command that makes this picture, without folders: it is stored in the file."""
    words = ["polyorama render", *(Path(path).name for path in options.files)]
    for name in _SPEAKING:
        value = getattr(options, name)
        if value is None or value == "document":
            continue
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
            continue
        if isinstance(value, tuple):
            value = ("x" if name == "size" else ",").join(f"{number:g}" for number in value)
        words += [f"--{name}", Path(value).name if name == "cameras" else str(value)]
    return " ".join(words)
