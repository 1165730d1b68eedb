"""Train the default embedder anew.

``python -m polyorama.shapes.training features FOLDER... -o FEATURES``
    renders packs of named models, or without folders the shapes made by rule, and keeps what the
    frozen trunk sees.
``python -m polyorama.shapes.training nets FEATURES... -o WEIGHTS``
    trains three seeds, each with and without cross-view attention.

The model card, beside the weights, says which packs the weights that come along have seen.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from polyorama.errors import PolyoramaError
from polyorama.shapes.training.features import extract
from polyorama.shapes.training.objective import TrainingSettings
from polyorama.shapes.training.recipe import nets, train
from polyorama.shapes.training.samples import pack_samples, procedural_samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.core.jobs import Job


def main(argv: Sequence[str]) -> int:
    """Run one of the two steps; returns the exit status."""
    parser = argparse.ArgumentParser(prog="polyorama.shapes.training")
    steps = parser.add_subparsers(dest="step", required=True)
    features = steps.add_parser("features", help="render shapes and keep what the trunk sees")
    features.add_argument("packs", nargs="*", type=Path, help="folders of named models")
    features.add_argument("--seeds", type=int, default=16, help="shapes made of each family")
    training = steps.add_parser("nets", help="train on features")
    training.add_argument("features", nargs="+", type=Path, help="folders of features")
    training.add_argument("--steps", type=int, default=TrainingSettings().steps)
    for step in (features, training):
        step.add_argument("-o", "--output", type=Path, required=True, help="folder to write to")
    options = parser.parse_args(argv)
    try:
        if options.step == "nets":
            settings = TrainingSettings(steps=options.steps)
            _show(train(options.features, options.output, nets(), settings))
        elif options.packs:
            for pack in options.packs:
                _show(extract(pack_samples(pack), options.output / pack.name))
        else:
            made = procedural_samples(range(options.seeds))
            _show(extract(made, options.output / "procedural"))
    except PolyoramaError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _show(job: Job[object]) -> None:
    for progress in job:
        sys.stderr.write(f"\r{progress.note} {progress.done} of {progress.total}    ")
    sys.stderr.write("\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
