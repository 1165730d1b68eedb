"""``polyorama warm``: compile for this processor now, rather than at the first picture."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """There is nothing to choose."""


def run(options: argparse.Namespace) -> None:
    """Compile, with a line of progress, and say how long it took."""
    from polyorama.cli.progress import show
    from polyorama.verbs.warm import warm

    begun = time.monotonic()
    show(warm())
    print(f"The renderer is ready for this processor ({time.monotonic() - begun:.0f} s).")
