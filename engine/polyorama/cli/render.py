"""``polyorama render``: pictures, films and sequences."""

from __future__ import annotations

import argparse
import itertools
import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama.cli.arguments import accept_negative_lists, color
from polyorama.cli.filming import SPEAKING as FILMING_OPTIONS
from polyorama.cli.filming import add_filming, filming_of
from polyorama.cli.render_cameras import (
    MOVES,
    add_cameras,
    frames_a_second,
    is_moving,
    shots_of,
    target_of,
)
from polyorama.cli.render_cameras import SPEAKING as CAMERA_OPTIONS
from polyorama.core.text import one_line
from polyorama.errors import OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.core.types import Camera
    from polyorama.render.accumulate import Shot
    from polyorama.render.shoot import Filming
    from polyorama.scene.document import Document
    from polyorama.verbs.workers import Look

_SURFELS = 100_000
_EXAMPLES = """\
examples:
  polyorama render plant.ply -o plant.png
  polyorama render plant.ply --turntable 6 -o plant.mp4
  polyorama render plant.ply --cameras cameras.json --frames 0:10 -o views/####.png
  polyorama render plant.ply --views 30 -o set/images/####.png
  polyorama render stage.poly --dolly 4:0.6 --dof f/2.8@target --shutter 0.5 -o stage.mp4
  polyorama render room.ply --eye 0,1.6,0 --equirect --stereo top-bottom -o room.jpg
  polyorama render plant.ply table.glb --eye -1,0.5,2 --up 0,1,0 --background '#dddddd' -o still.jpg

The ending decides what is made: .png, .jpg, .webp, .exr a picture; .mp4, .mkv (H.264), .mov (ProRes
4444), .webm (VP9), .gif and, with a movement, .webp a film; #### in the name a sequence of numbered
pictures. With --background transparent, .png, .webp, .exr, .mov, .webm and .gif keep alpha; their
colour is straight, not premultiplied, but in .exr.

An EXR holds R, G, B, A (linear light, premultiplied); Z, the depth along the view (with --equirect
and --fisheye the distance) in world units, 1e10 where there is nothing; normal.X, .Y and .Z in
world space, toward the camera; id.node and id.splat, counted from 1, 0 where there is nothing.
Its attribute "nodes" lists the nodes' names in the order of their ids, one a line. Z, normals and
ids are there where splats cover at least half of a pixel.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    accept_negative_lists(parser)
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="captures, meshes and projects, shown together")
    add("-o", "--output", metavar="OUT", help="the picture, film or sequence (frames/####.png)")

    add_cameras(parser)

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
    add("--surfels", type=int, default=_SURFELS, metavar="N", help="Gaussians for each mesh")
    add_filming(parser)

    group = parser.add_argument_group("output")
    add = group.add_argument
    add("--quality", type=int, metavar="1-100", help="of JPEG (95), WebP (92) and films (90)")
    add("--float", metavar="OUT.npy", help="float32 pixels too, H x W x 4, premultiplied")
    add("--depth", metavar="OUT", help="depth too: .npy in world units, or 16-bit .png")
    add("--exr", metavar="OUT.exr", help="linear light, depth, normals and ids, see below")
    add("--codec", metavar="NAME", help="h264, h265, prores, vp9 (default: as the ending says)")
    add("--jobs", type=int, default=1, metavar="N", help="processes that draw (default 1)")
    add("--resume", action="store_true", help="go on with a film or sequence that was stopped")


def run(options: argparse.Namespace) -> int:
    """Make what was asked for."""
    begin = time.monotonic()
    kind = _kind(options)
    background = _background(options, kind)
    _check_targets(options, kind)

    from polyorama.verbs.open import open_document
    from polyorama.verbs.workers import Look

    document = open_document(*options.files, surfels=options.surfels, up=options.up)
    target = target_of(options, document)
    numbers, shots = shots_of(options, document, target, still=kind == "still")
    look = Look(
        options.backend,
        document.background if background == "document" else background,  # type: ignore[arg-type]
        _constants(options, document),
        _filming(options, document, shots[0].camera, target),
    )
    if kind == "film":
        return _film(options, document, shots, look, begin)
    if kind == "sequence":
        return _sequence(options, document, numbers, shots, look, begin)
    return _still(options, document, shots[0], look, begin)


def _filming(
    options: argparse.Namespace, document: Document, camera: Camera, target: NDArray[np.float64]
) -> Filming:
    filming = filming_of(options, camera, target)
    if options.timeline is None:
        return filming
    from polyorama.verbs.timeline import timeline_filming

    return timeline_filming(document, filming)


def _kind(options: argparse.Namespace) -> str:
    """``"still"``, ``"film"`` or ``"sequence"``; contradictions are told before reading."""
    from polyorama.io.codecs import FILM_ENDINGS, choose_codec
    from polyorama.io.image import IMAGE_ENDINGS

    if options.output and Path(options.output).suffix.lower() == ".exr":
        if options.exr:
            raise UsageError("Two EXR files hold the same; give either -o or --exr.")
        options.exr, options.output = options.output, None
    outputs = [path for path in (getattr(options, name) for name in _OUTPUTS) if path]
    if not outputs:
        raise UsageError("Say where to with -o, as in -o picture.png or -o film.mp4.")
    if options.jobs < 1:
        raise UsageError(f"{options.jobs} processes cannot draw; give --jobs 1 or more.")
    if options.fly is not None and options.cameras is None:
        raise UsageError("--fly needs the --cameras to fly through.")
    for flag, other in _CONTRADICTIONS:
        if getattr(options, flag) is not None and getattr(options, other) is not None:
            raise UsageError(f"{_flag(flag)} and {_flag(other)} contradict each other; give one.")
    moving = is_moving(options)
    if options.views is not None and "#" not in Path(options.output or "").name:
        raise UsageError("--views makes a set of pictures; name them as in -o set/images/####.png.")
    ending = Path(options.output).suffix.lower() if options.output else ".npy"
    hashes = ["#" in Path(path).name for path in outputs]
    film = ending in FILM_ENDINGS and (ending not in IMAGE_ENDINGS or (moving and not any(hashes)))
    if film:
        if "#" in Path(options.output).name:
            raise UsageError(f"A film is one file; leave the # out of its name: {options.output}")
        if not moving and options.cameras is None:
            raise UsageError(
                "A film needs a moving camera: add --turntable SECONDS or --cameras FILE, or "
                f"--hold SECONDS: {options.output}"
            )
        if len(outputs) > 1:
            raise UsageError(
                "--float, --depth and --exr go with pictures; render a sequence, as in "
                "-o frames/####.png."
            )
        choose_codec(options.output, options.codec)
        return "film"
    if options.codec is not None:
        raise UsageError(f"--codec {options.codec} is a film's; a picture has none.")
    if options.output and ending not in IMAGE_ENDINGS:
        hint = "; use --float for .npy" if ending == ".npy" else ""
        known = ", ".join(dict.fromkeys([*IMAGE_ENDINGS, ".exr", *FILM_ENDINGS]))
        raise OutputError(f"Cannot write this kind of file (can: {known}{hint}): {options.output}")
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


_OUTPUTS = ("output", "float", "depth", "exr")
_CONTRADICTIONS = (
    ("turntable", "cameras"), ("cameras", "eye"), ("cameras", "target"), ("cameras", "up"),
    ("fov", "ortho"), ("cameras", "ortho"), ("cameras", "fov"), ("equirect", "fisheye"),
    ("equirect", "ortho"), ("fisheye", "ortho"), ("stereo", "ortho"), ("dof", "ortho"),
    ("dof", "equirect"), ("dof", "fisheye"), ("dolly_zoom", "ortho"), ("dolly", "cameras"),
    ("dolly_zoom", "cameras"), ("hold", "cameras"), ("timeline", "cameras"),
    ("timeline", "time"), ("timeline", "eye"), ("timeline", "handheld"),
    ("timeline", "ortho"), *itertools.combinations(MOVES, 2),
    *(("views", name) for name in (*MOVES, "cameras", "frames", "handheld", "shutter", "dof",
      "equirect", "fisheye", "stereo", "ortho")),
)  # fmt: skip


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _check_targets(options: argparse.Namespace, kind: str) -> None:
    """Refuse what cannot be written before anything is drawn."""
    from polyorama.io.atomic import check_target

    paths = [path for path in (getattr(options, name) for name in _OUTPUTS) if path]
    places = [os.path.normcase(os.path.realpath(path)) for path in paths]
    for place, path in zip(places, paths, strict=True):
        if places.count(place) > 1:
            raise UsageError(f"Two outputs have one name; give each its own: {path}")
        # The folders of a sequence are made.
        if kind != "sequence":
            check_target(path)


def _background(options: argparse.Namespace, kind: str) -> tuple[float, float, float] | str | None:
    text = options.background
    if text == "document":
        return "document"
    if text == "transparent":
        from polyorama.io.codecs import choose_codec
        from polyorama.io.video import check_transparency

        ending = Path(options.output or "").suffix.lower()
        if kind == "film":
            check_transparency(choose_codec(options.output, options.codec), None, options.output)
        elif ending and ending not in (".png", ".webp"):
            raise UsageError(
                f"This kind of file has no transparency; choose .png, .webp or .exr, or a "
                f"background colour: {options.output}"
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
        contents = [node.splats for node, _ in document.drawn() if node.splats is not None]
        antialiased = bool(contents) and all(c.model == "antialiased" for c in contents)
    return replace(PRESETS[name], antialiased=antialiased)


def _still(
    options: argparse.Namespace, document: Document, shot: Shot, look: Look, begin: float
) -> int:
    from polyorama.cli.progress import show
    from polyorama.io.image import write_depth, write_float, write_image
    from polyorama.verbs.film import render_job
    from polyorama.verbs.layers import LAYERS, NodeTable, write_layers

    named = {"rgba8": options.output, "color": options.float, "depth": options.depth}
    wanted = [name for name, path in named.items() if path]
    wanted += [name for name in LAYERS if options.exr and name not in wanted]
    try:
        frame = show(
            render_job(
                document, shot, backend=look.backend, background=look.background,
                constants=look.constants, outputs=wanted, filming=look.filming,
            )
        )  # fmt: skip
    except KeyboardInterrupt:
        _stopped("Nothing was written.")
        return 130
    text = {"Comment": _command(options)}
    if frame.color is not None and options.float:
        write_float(options.float, frame.color)
    if frame.expected_depth is not None and options.depth:
        write_depth(options.depth, frame.expected_depth, text=text)
    if options.exr:
        nodes = NodeTable.of(document, shot.time or 0.0)
        write_layers(options.exr, frame, shot.camera, nodes, text)
    if options.output:
        write_image(
            options.output, frame, quality=options.quality, text=text,
            keep_alpha=look.background is None, panorama=look.filming.is_panorama,
        )  # fmt: skip
    written = (getattr(options, name) for name in _OUTPUTS)
    width, height = look.filming.size(shot.camera)
    _say(
        f"{width}x{height} in {time.monotonic() - begin:.1f} s",
        ", ".join(path for path in written if path),
    )
    return 0


def _film(
    options: argparse.Namespace,
    document: Document,
    shots: Sequence[Shot],
    look: Look,
    begin: float,
) -> int:
    from polyorama.cli.progress import show
    from polyorama.io.video import frame_rate
    from polyorama.verbs.sequences import film_job, kept_frames, parts_folder

    rate = frames_a_second(options, document)
    job = film_job(
        options.output, document, shots, rate, look=look, quality=options.quality,
        codec=options.codec, jobs=options.jobs, resume=options.resume, comment=_command(options),
    )  # fmt: skip
    try:
        outcome = show(job)
    except KeyboardInterrupt:
        kept = kept_frames(options.output)
        if kept:
            _stopped(
                f"{kept} of {len(shots)} frames are kept; run the same command with --resume "
                f"to go on: {parts_folder(options.output)}"
            )
        else:
            _stopped("Nothing was written.")
        return 130
    width, height = look.filming.size(shots[0].camera)
    seconds = outcome.frames / frame_rate(rate)
    _say(
        f"{width}x{height}, {outcome.frames} frames, {float(seconds):.2f} s of film"
        f"{_reused(outcome.reused)} in {time.monotonic() - begin:.1f} s",
        options.output,
    )
    return 0


def _sequence(
    options: argparse.Namespace,
    document: Document,
    numbers: Sequence[int],
    shots: Sequence[Shot],
    look: Look,
    begin: float,
) -> int:
    from polyorama.cli.progress import show
    from polyorama.verbs.sequences import numbered, numbered_job
    from polyorama.verbs.view_sets import cameras_file, write_cameras_file

    first = options.output or options.exr or options.float or options.depth
    if options.views is not None:
        cameras_file(options.output)  # refused before the work, where it would be
    job = numbered_job(
        options.output, document, shots, numbers=numbers, look=look, quality=options.quality,
        jobs=options.jobs, resume=options.resume, floats=options.float, depth=options.depth,
        exr=options.exr,
        # Not which frames: who asks for more of them goes on with those that are there.
        text={"Comment": _command(options, leave_out=["frames"])},
    )  # fmt: skip
    try:
        outcome = show(job)
    except KeyboardInterrupt:
        kept = sum(numbered(first, number).is_file() for number in numbers)
        if kept and (options.output or options.exr):
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
    if options.views is not None:
        cameras = [shot.camera for shot in shots]
        place = write_cameras_file(options.output, cameras, _command(options))
        _say(f"their cameras; polyorama fit {place.parent} makes a scene of them", str(place))
    return 0


def _reused(count: int) -> str:
    return f" ({count} of them from the run before)" if count else ""


def _say(what: str, path: str) -> None:
    print(f"Wrote {one_line(path)} ({what})")


def _stopped(text: str) -> None:
    print(f"polyorama: Stopped. {one_line(text)}", file=sys.stderr)


_SPEAKING = (*CAMERA_OPTIONS, "background", "preset", "antialiased", "surfels", *FILMING_OPTIONS)
_DEFAULTS = {"background": "document", "surfels": _SURFELS}


def _command(options: argparse.Namespace, *, leave_out: Sequence[str] = ()) -> str:
    """The command that makes this picture, without folders: it is stored in the file.

    As it is typed into a shell, and with every digit.
    """
    words = ["polyorama", "render", *(Path(path).name for path in options.files)]
    for name in _SPEAKING:
        value = getattr(options, name)
        if value is None or value == _DEFAULTS.get(name) or name in leave_out:
            continue
        if isinstance(value, bool):
            words.append(_flag(name) if value else f"--no-{name}")
            continue
        words += [_flag(name), Path(value).name if name == "cameras" else _word(name, value)]
    return one_line(shlex.join(words))


def _word(name: str, value: Any) -> str:
    """An option's value as it is typed."""
    if not isinstance(value, tuple):
        return _digits(value)
    if name == "dof":
        return f"f/{_digits(value[0])}@{value[1]}"
    if name == "timeline":
        return f"{_digits(value[0])}:{'' if value[1] is None else _digits(value[1])}"
    joint = {"size": "x", "dolly": ":", "dolly_zoom": ":", "handheld": ":"}.get(name, ",")
    return joint.join(_digits(number) for number in value)


def _digits(value: float | str) -> str:
    """A number with all its digits, and none that says nothing."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
