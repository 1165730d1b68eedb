"""``polyorama info``: what is in a file, and what is wrong with it."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

from polyorama.core.text import bytes_of, count_of, one_line

if TYPE_CHECKING:
    from polyorama.verbs.inspect import Comparison, Inspection

_EPILOG = """\
The exit status is 0 where all is well (warnings and notes included), 1 where the file has errors
of the kind listed under "error", and 2 where it cannot be read.

examples:
  polyorama info plant.ply
  polyorama info plant.spz --against plant.ply
  polyorama info plant.ply --json | jq .findings
"""

_MARKS = {"error": "error", "warning": "warn", "note": "note"}
_COLORS = {"error": "31;1", "warning": "33", "note": "36"}
_SHOWN = (0, 2, 4, 6, 8)
"""Which of the percentiles are printed: 0, 5, 50, 95, 100."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", metavar="FILE", help="a capture, project or mesh")
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")
    parser.add_argument(
        "--against", metavar="OTHER", help="measure how FILE differs, splat by splat, from OTHER"
    )


def run(options: argparse.Namespace) -> int:
    """Print what was found; the status is 1 where the linter found errors."""
    from polyorama.verbs.inspect import compare, inspect

    if options.against is not None:
        comparison = compare(options.file, options.against)
        if options.json:
            print(json.dumps(comparison.to_json(), indent=2))
        else:
            print(_comparison_text(comparison))
        return 0
    inspection = inspect(options.file)
    if options.json:
        print(json.dumps(inspection.to_json(), indent=2))
    else:
        print(_inspection_text(inspection, sys.stdout.isatty()))
    return 1 if any(finding.severity == "error" for finding in inspection.findings) else 0


def _inspection_text(info: Inspection, colored: bool) -> str:
    degree = f"SH degree {info.sh_degree}"
    size = f"{bytes_of(info.bytes)} ({info.bytes / max(info.count, 1):.1f} bytes a splat)"
    facts = [
        ("File", one_line(str(info.path))),
        ("Format", info.format),
        *_contents(info),
        ("Splats", f"{info.count:,}, {degree}, model {info.model}"),
        ("Size", size),
        ("Extent", _box(info.robust_low, info.robust_high)),
        ("With outliers", _box(info.low, info.high)),
        ("Up", f"{_direction(info.up)} ({info.up_confidence:.0%} sure)"),
        *_view(info),
        ("Overdraw", f"about {info.overdraw:.1f} splats a pixel at 1280x720"),
    ]
    if info.extras:
        facts.append(("Extra columns", ", ".join(info.extras)))
    facts += [("Comment", comment) for comment in info.comments[:5]]
    lines = [f"{name:<14}{value}" for name, value in facts]
    lines += ["", *_columns(info), ""]
    lines += _findings(info, colored)
    return "\n".join(lines)


def _contents(info: Inspection) -> list[tuple[str, str]]:
    """What a project or mesh is made of."""
    if info.format == "project":
        return [("Nodes", f"{info.nodes:,}, {info.visible:,} of them with splats that are visible")]
    if info.format == "mesh":
        return [("Triangles", f"{info.triangles:,}; the rest is about their surfels")]
    return []


def _view(info: Inspection) -> list[tuple[str, str]]:
    """From where a project is seen first."""
    view = info.view
    if view is None:
        return []
    lens = "parallel" if view.fov is None else f"{view.fov:.3g} degrees high"
    eye = ", ".join(_number(value) for value in view.eye)
    seen = f"from {eye} toward {_direction(view.toward)}, {lens}, {view.width}x{view.height}"
    faces = (
        []
        if view.front is None
        else [("Faces", f"{_direction(view.front)}, toward the saved view")]
    )
    return [("Saved view", seen), *faces]


def _columns(info: Inspection) -> list[str]:
    head = ["", "min", "5 %", "median", "95 %", "max", "mean"]
    rows = [head]
    for column in info.columns:
        values = [column.percentiles[at] for at in _SHOWN]
        cells = [_number(value) for value in [*values, column.mean]]
        lacking = f"  ({column.not_finite:,} not finite)" if column.not_finite else ""
        rows.append([column.name, *cells[:-1], cells[-1] + lacking])
    return _table(rows)


def _findings(info: Inspection, colored: bool) -> list[str]:
    if not info.findings:
        return ["Nothing to complain about."]
    width = max(40, min(100, shutil.get_terminal_size().columns)) - 8
    lines: list[str] = []
    for finding in info.findings:
        mark = f"{_MARKS[finding.severity]:<8}"
        if colored:
            mark = f"\x1b[{_COLORS[finding.severity]}m{mark}\x1b[0m"
        text = textwrap.wrap(f"{finding.text} {finding.advice}".strip(), width)
        if finding.indices:
            shown = ", ".join(str(index) for index in finding.indices[:8])
            more = ", ..." if finding.count > min(8, len(finding.indices)) else ""
            text += textwrap.wrap(f"Index {shown}{more}", width)
        lines.append(mark + text[0])
        lines += [" " * 8 + line for line in text[1:]]
    return lines


def _comparison_text(comparison: Comparison) -> str:
    first, second = comparison.counts
    how = {
        "order": "matched by their order",
        "position": "matched by position and likeness",
    }[comparison.matched]
    counts = count_of(second, "splat")
    if first != second:
        counts = f"{first:,} and {counts}"
    rows = [["", "mean", "median", "99 %", "max", f"limit of {comparison.format}", ""]]
    for difference in comparison.differences:
        limit = difference.limit
        verdict = ""
        if limit is not None:
            # Rounding to float32 on the way may add a little.
            verdict = "ok" if difference.largest <= limit * 1.02 + 1e-6 else "above"
        unit = f" ({difference.unit})" if difference.unit else ""
        numbers = (difference.mean, difference.median, difference.high, difference.largest)
        rows.append(
            [
                difference.name + unit,
                *(_number(value) for value in numbers),
                "-" if limit is None else _number(limit),
                verdict,
            ]
        )
    return "\n".join(
        [
            one_line(str(comparison.path)),
            one_line(f"against {comparison.against}"),
            f"{counts}, {how}",
            "",
            *_table(rows),
        ]
    )


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    # A note behind the last number must not push its column wide.
    widths[-1] = 0
    return [
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _number(value: float) -> str:
    if value != value:
        return "-"
    if value == 0.0:
        return "0"
    if abs(value) >= 1e5 or abs(value) < 1e-4:
        return f"{value:.2e}"
    return f"{value:.4g}"


def _box(low: tuple[float, ...], high: tuple[float, ...]) -> str:
    axes = zip("xyz", low, high, strict=True)
    return ", ".join(f"{axis} {_number(a)} to {_number(b)}" for axis, a, b in axes)


def _direction(up: tuple[float, ...]) -> str:
    for at, axis in enumerate("xyz"):
        if abs(up[at]) > 0.9999:
            return f"{'+' if up[at] > 0 else '-'}{axis}"
    return ", ".join(f"{value:.3f}" for value in up)
