"""Kinds of command-line arguments that several subcommands share."""

from __future__ import annotations

import argparse
import math
import re

__all__ = ["accept_negative_lists", "color", "size", "vector"]

_NEGATIVE_LIST = re.compile(r"^-(\d|\.\d)[\d.,:eE+-]*$")


def accept_negative_lists(parser: argparse.ArgumentParser) -> None:
    """Let values such as ``-1,0,2`` stand after an option, though they begin with a dash.

    argparse takes only single negative numbers for values; whatever else begins with a dash, for an
    option.
    """
    parser._negative_number_matcher = _NEGATIVE_LIST


def vector(text: str) -> tuple[float, float, float]:
    """Three numbers, ``x,y,z``."""
    words = text.split(",")
    try:
        x, y, z = (float(word) for word in words)
    except ValueError:
        x = math.nan
    if not math.isfinite(x) or not math.isfinite(y) or not math.isfinite(z):
        raise argparse.ArgumentTypeError(f"{text!r} is not three numbers, as in 1,-0.5,2")
    return (x, y, z)


def size(text: str) -> tuple[int, int]:
    """Width and height in pixels, ``1280x720``."""
    match = re.fullmatch(r"(\d{1,6})[xX](\d{1,6})", text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size in pixels, as in 1280x720")
    return (int(match[1]), int(match[2]))


def moment(text: str) -> float:
    """A time on the timeline, s."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds, as in 2.5")
    return seconds


def color(text: str) -> tuple[float, float, float]:
    """Display RGB, 0..1 each: ``#rrggbb``, ``#rgb`` or ``r,g,b``."""
    digits = text[1:]
    if text.startswith("#") and re.fullmatch(r"[0-9a-fA-F]{3}|[0-9a-fA-F]{6}", digits):
        wide = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
        r, g, b = (int(wide[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
        return (r, g, b)
    try:
        r, g, b = vector(text)
    except argparse.ArgumentTypeError:
        r = math.nan
    if not (0.0 <= r <= 1.0 and 0.0 <= g <= 1.0 and 0.0 <= b <= 1.0):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no colour; write #rrggbb, or red,green,blue from 0 to 1"
        )
    return (r, g, b)
