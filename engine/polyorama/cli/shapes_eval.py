"""``polyorama shapes eval``: how well models that were never seen are found."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.shapes.evaluation.protocol import Measured

__all__ = ["add_arguments", "run"]

_EXAMPLES = """\
examples:
  polyorama shapes eval packs/ splats/
  polyorama shapes eval packs/ --model duoduo-four --json > table.json

FOLDER holds packs: folders of ten or more named glTF models, each of which is a gallery. A
manifest.json that gives tags to splat files makes these a task too. Intervals cover both queries
and the three seeds that were trained; minutes go by while every model is drawn.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("folders", metavar="FOLDER", nargs="+", help="of packs")
    add("--model", metavar="PATH|ID", action="append", default=[],
        help="weights of CLIP, Duoduo CLIP or SigLIP to measure too")  # fmt: skip
    add("--weights", metavar="FOLDER", help="of the default embedder, trained anew")
    add("--json", action="store_true", help="the table as JSON")


def run(options: argparse.Namespace) -> int:
    """Measure, and print the table."""
    from polyorama.cli.progress import show
    from polyorama.cli.stopping import stoppable
    from polyorama.verbs.shapes_eval import evaluate_shapes

    job = evaluate_shapes(options.folders, weights=options.weights, models=options.model)
    rows = show(stoppable(job))
    if options.json:
        json.dump([_plain(row) for row in rows], sys.stdout, indent=1)
        print()
    else:
        print("\n".join(_table(rows)))
    return 0


def _plain(row: Measured) -> dict[str, Any]:
    return {
        "task": row.task, "gallery": row.gallery, "method": row.method, "mean": row.value.mean,
        "low": row.value.low, "high": row.value.high,
    }  # fmt: skip


def _table(rows: Sequence[Measured]) -> list[str]:
    """A block a task: a line a method, a column a gallery."""
    lines: list[str] = []
    for task in dict.fromkeys(row.task for row in rows):
        mine = [row for row in rows if row.task == task]
        galleries = list(dict.fromkeys(row.gallery for row in mine))
        methods = list(dict.fromkeys(row.method for row in mine))
        cells = {(row.method, row.gallery): str(row.value) for row in mine}
        widths = [max(len(gallery), 17) for gallery in galleries]
        wide = max(len(method) for method in methods)
        lines += ["", task, "  " + " " * wide + "  " + "  ".join(
            gallery.ljust(width) for gallery, width in zip(galleries, widths, strict=True)
        ).rstrip()]  # fmt: skip
        for method in methods:
            row_cells = [
                cells.get((method, gallery), "").ljust(width)
                for gallery, width in zip(galleries, widths, strict=True)
            ]
            lines.append(f"  {method.ljust(wide)}  {'  '.join(row_cells)}".rstrip())
    return lines[1:]
