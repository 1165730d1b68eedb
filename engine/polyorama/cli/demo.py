"""``polyorama demo``: write the sample project, a paper theatre, anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to, and which seed."""
    parser.add_argument(
        "-o", "--output", default="sample.poly", metavar="FILE", help="default: sample.poly"
    )
    parser.add_argument("--seed", type=int, help="another seed lays the paint differently")


def run(options: argparse.Namespace) -> None:
    """Build the stage, write it, and say what it holds."""
    from pathlib import Path

    from polyorama.cli.progress import show
    from polyorama.core.text import one_line
    from polyorama.verbs.demo import write_demo
    from polyorama.verbs.theatre.build import SEED

    seed = SEED if options.seed is None else options.seed
    document = show(write_demo(options.output, seed=seed))
    things = [node.splats for node in document.nodes if node.splats is not None]
    splats = sum(len(cloud) for cloud in things)
    megabytes = Path(options.output).stat().st_size / 1e6
    print(
        f"{one_line(options.output)}: {splats} splats in {len(things)} things, {megabytes:.2f} MB"
    )
