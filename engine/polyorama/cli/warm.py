"""``polyorama warm``: compile for this processor now, rather than at the first picture."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There is nothing to choose."""
    parser.description = (
        "Compile for this processor, once, what pictures, films, files and fits need, gradients "
        "included, so that neither the first picture nor the first step of a fit waits for the "
        "compiler. It takes a minute or two, and seconds where it was done before."
    )


def run(options: argparse.Namespace) -> None:
    """Compile, with a line of progress, and say how long it took."""
    from polyorama.cli.progress import show
    from polyorama.cli.stopping import ending_at_once
    from polyorama.verbs.warm import warm

    begun = time.monotonic()
    with ending_at_once():
        show(warm())
    print(f"Rendering and fitting are ready for this processor ({time.monotonic() - begun:.0f} s).")


def prepare() -> None:
    """Compile what pictures need, where that was not done yet, and say so on stderr."""
    from polyorama.cli.progress import show
    from polyorama.cli.stopping import ending_at_once
    from polyorama.verbs.warm import cache_folders, is_warm, prepare

    if is_warm():
        return
    begun = time.monotonic()
    with ending_at_once():
        show(prepare())
    seconds = time.monotonic() - begun
    kept = "once" if cache_folders() else "as at every start (polyorama doctor says why)"
    print(f"Prepared the renderer for this processor, {kept}: {seconds:.0f} s", file=sys.stderr)
