"""``polyorama fit``: a scene from photographs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from polyorama.cli.arguments import color
from polyorama.cli.stopping import stoppable
from polyorama.core.text import one_line
from polyorama.errors import OutputError, UsageError

_EXAMPLES = """\
examples:
  polyorama fit garden/ -o garden.ply --downscale 4
  polyorama fit lego/transforms.json -o lego.ply --background random --random 10000
  polyorama fit garden/ -o garden.ply --strategy mcmc --preview fit.mp4
  polyorama fit garden/ -o garden.ply --resume

IMAGES is a folder with pictures and cameras: COLMAP's (sparse/0 beside images, text or binary),
nerfstudio's or Blender's (transforms.json), or INRIA's (cameras.json beside images). Ctrl-C, or a
request to end (SIGTERM), keeps what was reached; the same command with --resume goes on. The film
of --preview is not kept then: that of a resumed fit begins where the fit goes on.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("images", metavar="IMAGES", help="the folder of pictures and cameras, or its json file")
    add("-o", "--output", metavar="OUT", required=True, help="the scene: .ply, .spz, .sog, ...")

    group = parser.add_argument_group("pictures")
    add = group.add_argument
    add("--downscale", type=int, default=1, metavar="N", help="reduce pictures N times (1)")
    add("--mask-dir", metavar="DIR", help="masks named as the pictures: white counts, black not")
    add("--hold-out", type=int, default=8, metavar="N",
        help="measure with every N-th picture, and do not fit to it; 0: none (8)")  # fmt: skip
    add("--exposure", action="store_true", help="let each picture have its own exposure")
    add("--background", default="#000000", metavar="COLOUR",
        help="behind transparent pictures: #rrggbb, r,g,b, or random (black)")  # fmt: skip

    group = parser.add_argument_group("start (default: the reconstruction's points)")
    add = group.add_argument
    add("--random", type=int, metavar="N", help="begin with N random splats")
    add("--start", metavar="FILE", help="begin with the splats of a file")

    group = parser.add_argument_group("fit")
    add = group.add_argument
    add("--steps", type=int, default=7000, metavar="N", help="pictures compared (7000)")
    add("--strategy", choices=("default", "mcmc"), default="default",
        help="clone, split and prune (default), or relocate (mcmc)")  # fmt: skip
    add("--sh-degree", type=int, default=3, metavar="D", help="of the colours, 0 to 3 (3)")
    add("--max-splats", type=int, metavar="N", help="never more (default: by the pictures' pixels)")
    add("--antialiased", action="store_true", help="for viewers with a mip filter")
    add("--device", default="cpu", metavar="NAME", help="cpu (default) or cuda")
    add("--seed", type=int, default=0, metavar="N", help="of all random choices, 0 or more (0)")

    group = parser.add_argument_group("on the way")
    add = group.add_argument
    add("--preview", metavar="FILM.mp4", help="a film of the fit")
    add("--preview-from", default="orbit", metavar="NAME",
        help="orbit (default), or the name of the picture to film from")  # fmt: skip
    add("--checkpoint", metavar="FILE", help="where to keep what was reached (default: OUT.fit)")
    add("--resume", action="store_true", help="go on from there")


def run(options: argparse.Namespace) -> int:
    """Fit, and say how well."""
    background: Any = "random"
    if options.background != "random":
        try:
            background = color(options.background)
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"--background {error}, or random.") from error
    checkpoint = Path(options.checkpoint or f"{options.output}.fit")
    before, kept_before = _mark(options.output), _mark(checkpoint)

    from polyorama.cli.progress import show
    from polyorama.cli.stopping import ending_at_once
    from polyorama.verbs.fit import fit_job
    from polyorama.verbs.warm import prepare_fit
    from polyorama.vision.fit.settings import FitSettings

    settings = FitSettings(
        steps=options.steps, strategy=options.strategy, sh_degree=options.sh_degree,
        seed=options.seed, background=background, exposure=options.exposure,
        antialiased=options.antialiased, most_splats=options.max_splats,
    )  # fmt: skip
    job = fit_job(
        options.images, options.output, settings=settings, start=options.start,
        random=options.random, downscale=options.downscale, masks=options.mask_dir,
        hold_out=options.hold_out, device=options.device, film=options.preview,
        film_from=options.preview_from, comment=_command(options), checkpoint=checkpoint,
        resume=options.resume,
    )  # fmt: skip
    with ending_at_once():
        show(prepare_fit())
    try:
        done = show(stoppable(job))
    except KeyboardInterrupt:
        if _mark(options.output) != before:
            if options.checkpoint is None:
                checkpoint.unlink(missing_ok=True)
            print(
                f"polyorama: stopped while measuring; the scene is written: {options.output}",
                file=sys.stderr,
            )
        elif _mark(checkpoint) == kept_before:
            # Stopped before the first step; a checkpoint may be there of an earlier run.
            print("polyorama: stopped; nothing was written.", file=sys.stderr)
        else:
            print(
                "polyorama: stopped; run the same command with --resume to go on: "
                f"{checkpoint}", file=sys.stderr,
            )  # fmt: skip
        return 130
    except OutputError:
        if _mark(checkpoint) != kept_before:
            print(
                "polyorama: what was reached is kept; run the same command with --resume to go on: "
                f"{checkpoint}", file=sys.stderr,
            )  # fmt: skip
        raise
    if options.checkpoint is None:
        checkpoint.unlink(missing_ok=True)
    quality = ""
    if done.scores is not None:
        quality = (
            f", {done.scores.psnr:.2f} dB and SSIM {done.scores.ssim:.4f} on "
            f"{len(done.scores.each)} held-out pictures"
        )
    print(
        f"{len(done.cloud):,} splats from {done.fitted} pictures in {done.seconds:.0f} s{quality}: "
        f"{options.output}", file=sys.stderr,
    )  # fmt: skip
    return 0


def _mark(path: str | Path) -> tuple[int, int] | None:
    """What tells a file from the one that takes its place; None where there is none."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_mtime_ns


_PLACES = ("output", "preview", "checkpoint", "resume", "device")
"""Options that decide nothing of what the film shows."""


def _command(options: argparse.Namespace) -> str:
    """The command without folders, as it is stored in the film."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    usual = vars(parser.parse_args([options.images, "-o", options.output]))
    words = ["polyorama fit", Path(options.images).name]
    for name, value in usual.items():
        said = getattr(options, name)
        if name in _PLACES or said == value:
            continue
        words.append("--" + name.replace("_", "-"))
        if said is not True:
            words.append(Path(said).name if name in ("start", "mask_dir") else str(said))
    return one_line(" ".join(words))
