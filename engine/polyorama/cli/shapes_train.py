"""``polyorama shapes train``: fine-tune CLIP on a folder of captioned models."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

_EXAMPLES = """\
examples:
  polyorama shapes train props/ --model duoduo-four -o props-clip
  polyorama shapes train props/ --model clip-vit-b32 -o props-clip --epochs 80 --device cuda
  polyorama shapes train props/ --model duoduo-four -o props-clip --resume

FOLDER holds models, and words about them in captions.json, as {"chair.glb": ["a red chair"]}, or in
captions.csv, with rows of file and caption; without either, the files' names are their captions.
Ctrl-C, or a request to end (SIGTERM), keeps the epochs that are done; the same command with
--resume goes on. OUT then holds model.safetensors, which --model of other commands takes, and
losses.csv, the loss at every step.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="of models")
    add("-o", "--output", metavar="OUT", required=True, help="folder for the model and the losses")
    add("--model", metavar="PATH|ID", required=True,
        help="where to begin: weights of CLIP or Duoduo CLIP, or the id of a model")  # fmt: skip
    add("--vocabulary", metavar="PATH", help="CLIP's vocabulary (beside the weights, or fetched)")
    add("--epochs", type=int, default=20, metavar="N", help="how often each model is seen (20)")
    add("--batch", type=int, default=64, metavar="N", help="models told apart at a time (64)")
    add("--lr", type=float, default=5e-5, metavar="X", help="first learning rate (5e-5)")
    add("--views", type=int, default=12, metavar="N",
        help="pictures of each model, of which up to half are seen at a time (12)")  # fmt: skip
    add("--resume", action="store_true", help="go on with the training in OUT")
    add("--device", default="cpu", metavar="NAME", help="cpu (default) or cuda")
    add("--seed", type=int, default=0, metavar="N", help="of all random choices, 0 or more (0)")


def run(options: argparse.Namespace) -> int:
    """Train, and say how far the loss fell."""
    from polyorama.cli.progress import show
    from polyorama.cli.stopping import stoppable
    from polyorama.shapes.clip.train import TrainSettings
    from polyorama.verbs.shapes_train import STATE, train_shapes_job

    settings = TrainSettings(
        epochs=options.epochs, batch=options.batch, rate=options.lr, views=options.views,
        seed=options.seed,
    )  # fmt: skip
    job = train_shapes_job(
        options.folder, options.output, options.model, settings=settings,
        vocabulary=options.vocabulary, device=options.device, resume=options.resume,
    )  # fmt: skip
    try:
        done = show(stoppable(job))
    except KeyboardInterrupt:
        kept = (Path(options.output) / STATE).exists()
        what = "run the same command with --resume to go on" if kept else "no epoch was done"
        print(f"polyorama: stopped; {what}: {options.output}", file=sys.stderr)
        return 130
    for reason in done.failed.values():
        print(f"polyorama: left out: {reason}", file=sys.stderr)
    epochs, losses = done.curves["epoch"], done.curves["loss"]
    first, last = losses[epochs == epochs[0]].mean(), losses[epochs == epochs[-1]].mean()
    print(
        f"Trained on {done.models:,} models in {done.seconds:.0f} s, loss {first:.3f} in the first "
        f"epoch and {last:.3f} in the last: {done.path}"
    )
    return 0
