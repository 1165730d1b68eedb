"""``polyorama doctor``: what works on this machine, and what to do about the rest."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

_COLORS = {"good": "32", "warn": "33", "bad": "31"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(options: argparse.Namespace) -> int:
    """Look, print, and return 0 where rendering works, else 2."""
    from polyorama.cli.progress import show
    from polyorama.verbs.doctor import examine

    report = show(examine())
    if options.json:
        print(json.dumps(report.as_dict(), indent=2))
        return 0 if report.works else 2
    colored = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = max(len(check.name) for check in report.checks)
    for check in report.checks:
        word = f"{check.status:4}"
        if colored:
            word = f"\x1b[{_COLORS[check.status]}m{word}\x1b[0m"
        print(f"{word}  {check.name:{width}}  {check.finding}")
        if check.advice and check.status != "good":
            indent = " " * (width + 8)
            print(textwrap.fill(check.advice, 100, initial_indent=indent, subsequent_indent=indent))
    counts = {status: sum(c.status == status for c in report.checks) for status in _COLORS}
    print()
    if not report.works:
        print("Pictures cannot be rendered here; see the lines marked bad.")
    elif counts["bad"] or counts["warn"]:
        print("Pictures can be rendered here; the lines marked warn or bad say what is missing.")
    else:
        print("All is well.")
    return 0 if report.works else 2
