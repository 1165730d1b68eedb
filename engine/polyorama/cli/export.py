"""``polyorama export``: what a project shows as one capture, and what each format would cost."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from polyorama.cli.arguments import accept_negative_lists, moment, size, vector
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from polyorama.core.types import Camera
    from polyorama.scene.document import Document
    from polyorama.verbs.quality import Measurement

_EXAMPLES = """\
examples:
  polyorama export garden.poly -o garden.sog
  polyorama export garden.poly -o leaves.spz --what leaves --sh-degree 1 --decimate 50
  polyorama export garden.poly --measure

--measure writes the scene in every format to a temporary folder, reads it back, and compares
pictures of one view with those of the original.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    accept_negative_lists(parser)
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="projects, captures and meshes")
    add("-o", "--output", metavar="OUT", help="the capture (.sog, .spz, .ply, ...) or a .poly")
    add(
        "--what", default="visible", metavar="WHAT",
        help="visible (default), selection, or the name of one thing",
    )  # fmt: skip
    add("--sh-degree", type=int, metavar="0-3", help="drop higher harmonics")
    add("--decimate", type=float, default=100.0, metavar="PERCENT", help="keep so many splats")
    add("--time", type=moment, default=0.0, metavar="S", help="where on the timeline (default 0)")
    group = parser.add_argument_group("measuring")
    add = group.add_argument
    add("--measure", action="store_true", help="say what each format costs and keeps")
    add("--size", type=size, metavar="WxH", help="of the pictures compared (default 1280x720)")
    add("--eye", type=vector, metavar="X,Y,Z", help="where the camera is (default: saved view)")
    add("--target", type=vector, metavar="X,Y,Z", help="what it looks at")
    add("--quiet", action="store_true", help="say nothing when all went well")


def run(options: argparse.Namespace) -> int:
    """Measure, write, or both."""
    from polyorama.cli.progress import show
    from polyorama.core.text import bytes_of, count_of, one_line
    from polyorama.verbs.export import export_job, provenance
    from polyorama.verbs.open import open_document

    if not options.output and not options.measure:
        raise UsageError("Say where to with -o, as in -o scene.sog, or ask for --measure.")
    document = open_document(*options.files)
    if options.measure:
        _measure(document, options)
    if options.output:
        done = show(
            export_job(
                document, options.output, options.what, degree=options.sh_degree,
                share=options.decimate, time=options.time,
                comments=provenance((), [str(name) for name in options.files]),
            )
        )  # fmt: skip
        if not options.quiet:
            words = f"{count_of(done.splats, 'splat')}, {bytes_of(done.nbytes)}"
            print(f"Wrote {one_line(str(done.path))} ({words})", file=sys.stderr)
    return 0


def _measure(document: Document, options: argparse.Namespace) -> None:
    from polyorama.cli.progress import show
    from polyorama.verbs.quality import recommended, size_and_quality

    job = size_and_quality(document, _camera(document, options), what=options.what,
                           time=options.time)  # fmt: skip
    found = show(job)
    best = recommended(found)
    print(f"{'format':<26}{'bytes':>12}{'splats':>12}{'PSNR':>10}{'SSIM':>8}")
    for measured in sorted(found, key=lambda m: m.nbytes):
        print(_row(measured) + ("  best" if measured is best else ""))


def _row(measured: Measurement) -> str:
    psnr = "equal" if measured.psnr == float("inf") else f"{measured.psnr:.1f} dB"
    return (
        f"{measured.level!s:<26}{measured.nbytes:>12,}{measured.splats:>12,}{psnr:>10}"
        f"{measured.ssim:>8.4f}"
    )


def _camera(document: Document, options: argparse.Namespace) -> Camera:
    from polyorama.core.types import Camera
    from polyorama.verbs.film import subject_center, view_of

    pixels = options.size or (1280, 720)
    if options.eye is None:
        return view_of(document, size=pixels)
    target = subject_center(document) if options.target is None else options.target
    return Camera.look_at(options.eye, target, document.up, fov=45.0, size=pixels)
