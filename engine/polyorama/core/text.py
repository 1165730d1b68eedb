"""How numbers are said to people."""

from __future__ import annotations

__all__ = ["bytes_of", "count_of"]


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
