"""How numbers and names are said to people."""

from __future__ import annotations

import re

__all__ = ["bytes_of", "count_of", "one_line", "quoted", "reason_of"]

# Control characters, line ends, changes of direction, and the bytes of names that are not UTF-8.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

_LONGEST = 80
"""Letters of a foreign name that a sentence shows."""

_MOST_REASON = 200
"""Letters of an error of foreign code that a sentence shows."""


def count_of(number: int, noun: str) -> str:
    """A count with its noun: ``1 splat``, ``2,000 splats``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def bytes_of(size: int) -> str:
    """A size in three digits: ``12 bytes``, ``1.5 kB``, ``236 MB``."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        # What would be rounded to 1,000 of a unit is 1 of the next.
        if size >= 0.9995 * factor:
            return f"{size / factor:.3g} {unit}"
    return count_of(size, "byte")


def one_line(text: str) -> str:
    r"""Text that any terminal and file takes, on one line: what cannot be printed is spelled out.

    A name may hold a line end, a command to the terminal or broken letters; people see ``\n``,
    ``\x1b`` and ``\xff``.
    """
    return _UNPRINTABLE.sub(_spelled, text)


def quoted(name: str) -> str:
    """A name that a file holds, as a sentence shows it: in quotes, on one line, never longer."""
    return repr(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}...")


def reason_of(error: BaseException) -> str:
    """An error that foreign code raised, as a sentence shows it: its kind and, on one line, why."""
    text = one_line(" ".join(str(error).split())[:_MOST_REASON])
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _spelled(match: re.Match[str]) -> str:
    letter = match[0]
    if "\udc80" <= letter <= "\udcff":  # Python's form of a byte that is not UTF-8
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return letter.encode("unicode_escape").decode("ascii")
