"""``polyorama face train``: EcoFace on your own recordings of faces."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from polyorama.core.text import count_of

_EXAMPLES = """\
examples:
  polyorama face train my-takes/ --person -o mine.safetensors
  polyorama face train BEAT2/ -o beat2.safetensors
  polyorama face train VOCASET/ --rig fitted.glb -o voca.safetensors --resume

DATA is a folder as VOCASET, BEAT, BEAT2, MEAD-3D or RAVDESS lay theirs out, or takes of Live Link
Face (name.csv beside name.wav or name.mov). With --person only a new speaker's manner is learned,
in seconds; without it all is learned anew, in the paper's number of steps, which takes days on a
processor: --steps takes a share of them. Ctrl-C keeps what was reached; --resume goes on.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("data", metavar="DATA", help="the folder of clips")
    add("-o", "--output", metavar="OUT.safetensors", required=True, help="the weights")
    add("--layout", default="", metavar="NAME", help="how the folder is laid out (found out)")
    add("--rig", metavar="RIG", help="fitted to the template, where clips are vertices")
    add("--person", action="store_true", help="learn one speaker's manner alone")
    add("--name", default="", metavar="NAME", help="of that speaker (the folder's)")
    add("--model", metavar="FILE", help="weights to begin with for --person (the shipped ones)")
    add("--hubert", metavar="DIR", help="a HuBERT that hears the speech (the shipped listener)")
    add("--steps", type=float, default=1.0, metavar="X", help="share of the paper's steps (1)")
    add("--batch", type=int, default=16, metavar="N", help="clips in a step (16)")
    add("--resume", action="store_true", help="go on where the same training was stopped")
    add("--seed", type=int, default=0, metavar="N", help="of all random choices (0)")


def run(options: argparse.Namespace) -> int:
    """Train, and say what came of it."""
    from polyorama.cli.progress import show
    from polyorama.cli.stopping import stoppable
    from polyorama.errors import UsageError
    from polyorama.face.ecoface.stages import TrainSettings
    from polyorama.verbs.face_train import STATE, teach_person_job, train_face_job

    if options.person:
        done = show(
            stoppable(
                teach_person_job(
                    options.data, options.output, name=options.name, model=options.model,
                    layout=options.layout, rig=options.rig, seed=options.seed,
                )
            )
        )  # fmt: skip
        print(
            f"Learned a manner from {count_of(done.clips, 'clip')}, error {done.before:.3f} before "
            f"and {done.after:.3f} after: {done.path}", file=sys.stderr,
        )  # fmt: skip
        return 0
    if not 0.0 < options.steps <= 100.0:
        raise UsageError(f"--steps is a share above 0, up to 100, not {options.steps:g}.")
    paper = TrainSettings()
    settings = replace(
        paper, batch=options.batch, seed=options.seed,
        **{
            name: max(round(options.steps * getattr(paper, name)), 1)
            for name in ("emotion_steps", "sync_steps", "motion_steps")
        },
    )  # fmt: skip
    job = train_face_job(
        options.data, options.output, settings=settings, layout=options.layout, rig=options.rig,
        hubert=options.hubert, resume=options.resume,
    )  # fmt: skip
    try:
        done = show(stoppable(job))
    except KeyboardInterrupt:
        print(
            "polyorama: stopped; run the same command with --resume to go on: "
            f"{options.output}{STATE}", file=sys.stderr,
        )  # fmt: skip
        return 130
    print(
        f"Learned from {count_of(done.clips, 'clip')} of {count_of(done.speakers, 'face')}: "
        f"{done.path}", file=sys.stderr,
    )  # fmt: skip
    return 0
