"""``polyorama bench``: figures of this machine, one JSON line at the end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from polyorama.cli.arguments import accept_negative_lists, size, vector
from polyorama.cli.progress import show

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    kinds = parser.add_subparsers(dest="kind", metavar="WHAT", required=True)

    render = kinds.add_parser("render", help="time an orbit around a capture")
    accept_negative_lists(render)
    add = render.add_argument
    add("file", metavar="FILE", help="the capture or project")
    add("--eye", type=vector, metavar="X,Y,Z", help="starting camera (default: framed)")
    add("--target", type=vector, metavar="X,Y,Z", help="centre of the orbit")
    add("--up", type=vector, metavar="X,Y,Z", help="its axis")
    add("--fov", type=float, default=45.0, metavar="DEG", help="vertical field of view (45)")
    add("--size", type=size, default=(1280, 720), metavar="WxH", help="pixels (1280x720)")
    add("--frames", type=int, default=12, metavar="N", help="frames to time (12)")
    add("--warmup", type=int, default=2, metavar="M", help="frames before that (2)")
    add("--step", type=float, default=3.0, metavar="DEG", help="turn between frames (3)")
    add("--backend", default="cpu", metavar="NAME", help="rasterizer (cpu)")
    add("--sh-degree", type=int, metavar="D", help="pad or cut the harmonics to this degree")
    add("--png", metavar="OUT.png", help="picture of the starting camera")

    files = kinds.add_parser("files", help="time reading and writing a synthetic cloud")
    files.add_argument("--splats", type=int, default=1_000_000, metavar="N", help="(1000000)")

    fit = kinds.add_parser("fit", help="time gradients, and a short fit to pictures of a capture")
    fit.add_argument("file", metavar="FILE", help="the capture or project")
    fit.add_argument("--steps", type=int, default=1000, metavar="N", help="of the fit (1000)")
    fit.add_argument("--views", type=int, default=30, metavar="N", help="pictures (30)")
    fit.add_argument("--side", type=int, default=200, metavar="N", help="their side, pixels (200)")
    fit.add_argument("--strategy", choices=("default", "mcmc"), default="default")

    start = kinds.add_parser("start", help="time --help and a first picture in fresh processes")
    start.add_argument("file", metavar="FILE", help="the capture or project")


def run(options: argparse.Namespace) -> int:
    """Measure, print a table, end with one JSON line."""
    from polyorama.verbs import bench

    if options.kind == "files":
        result = show(bench.bench_files(options.splats))
    elif options.kind == "fit":
        from polyorama.verbs.bench_fit import bench_fit

        result = show(
            bench_fit(
                options.file, steps=options.steps, views=options.views, size=options.side,
                strategy=options.strategy,
            )
        )  # fmt: skip
    elif options.kind == "start":
        result = show(bench.bench_start(options.file))
    else:
        result = _render(options)
    width = max(map(len, result))
    for name, value in result.items():
        print(f"{name:<{width}}  {value}")
    print(json.dumps(result))
    return 0


def _render(options: argparse.Namespace) -> dict[str, Any]:
    from polyorama.core.types import Camera
    from polyorama.errors import UsageError
    from polyorama.io.image import write_image
    from polyorama.verbs.bench import bench_render
    from polyorama.verbs.film import subject_center, view_of
    from polyorama.verbs.open import open_document

    target, up = options.target, options.up
    if options.eye is None or target is None or up is None:
        document = open_document(options.file, up=up)
        up = up or document.up
        target = target or tuple(float(x) for x in subject_center(document))
        if options.eye is None:
            camera = view_of(document, size=options.size, fov=options.fov)
        else:
            camera = Camera.look_at(options.eye, target, up, fov=options.fov, size=options.size)
    else:
        camera = Camera.look_at(options.eye, target, up, fov=options.fov, size=options.size)
    if options.sh_degree not in (None, 0, 1, 2, 3):
        raise UsageError(f"An SH degree of {options.sh_degree} is not 0 to 3.")
    result, frame = show(
        bench_render(
            options.file, camera, target=target, up=up, frames=options.frames,
            warmup=options.warmup, step=options.step, backend=options.backend,
            sh_degree=options.sh_degree,
        )
    )  # fmt: skip
    if options.png:
        write_image(options.png, frame)
    return result
