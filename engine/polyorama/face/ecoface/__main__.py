"""Make the shipped weights anew: ``python -m polyorama.face.ecoface WORK -o WEIGHTS``.

WORK gets the corpus, the examples and the state of interrupted trainings; what is there already is
not done again. About half an hour; networks are trained in one thread, so that their number of
threads does not show in the weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from polyorama.errors import PolyoramaError
from polyorama.face.ecoface.recipe import make

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str]) -> int:
    """Run it; returns the exit status."""
    parser = argparse.ArgumentParser(prog="polyorama.face.ecoface")
    parser.add_argument("work", type=Path, help="folder for what lies on the way")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the weights")
    options = parser.parse_args(argv)
    try:
        for progress in make(options.work, options.output):
            sys.stderr.write(f"\r{progress.note} {progress.done} of {progress.total}    ")
    except PolyoramaError as error:
        sys.stderr.write(f"\n{error}\n")
        return 2
    sys.stderr.write("\n")
    return 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.exit(main(sys.argv[1:]))
