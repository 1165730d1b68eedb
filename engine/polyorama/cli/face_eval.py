"""``polyorama face eval``: what faces can do here, measured."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

_NOTES = """\
Everything is measured on speech that nothing was trained on: sentences and a voice of flite that
were held out, and, for the listener, people's recordings where Debian's pocketsphinx-testdata is
installed. The model learned from rules: that it comes near to them says nothing about people.
All parts together take some minutes; --json tells the motion's figures of each group of voices,
too. The status is 0 where everything asked for is met, else 1.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _NOTES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--only", action="append", default=[], metavar="PART",
        help="alignment, listener, contact, motion or speed; and so on (all)")  # fmt: skip
    add("--takes", type=int, default=3, metavar="N", help="seeds of the model (3)")
    add("--json", action="store_true", help="print JSON, for scripts")


def run(options: argparse.Namespace) -> int:
    """Measure, and print a table."""
    from polyorama.cli.progress import show
    from polyorama.face.take import TRAINED_ON
    from polyorama.verbs.face_eval import PARTS, face_eval_job

    figures = show(face_eval_job(options.only or PARTS, takes=options.takes))
    if options.json:
        print(json.dumps([asdict(figure) for figure in figures], indent=2))
    else:
        shown = [
            figure for figure in figures
            if figure.aim or figure.part != "motion" or "all voices" in figure.name
        ]  # fmt: skip
        for figure in shown:
            verdict = f"{figure.aim}  {'holds' if figure.holds else 'MISSED'}" if figure.aim else ""
            print(f"{figure.part:<10} {figure.name:<84} {figure.text:>24}  {verdict}".rstrip())
        print(TRAINED_ON)
    return 0 if all(figure.holds for figure in figures) else 1
