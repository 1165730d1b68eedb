"""How much memory is free, so that too large a wish can be refused before it is tried."""

from __future__ import annotations

from pathlib import Path

from polyorama.core.arguments import check_whole
from polyorama.errors import UsageError

__all__ = ["MAX_MADE", "available_bytes", "check_surfels", "require", "require_made"]

MAX_MADE = 20_000_000
"""The most splats that are made at a time from something that is no splats."""

_SURFEL_BYTES = 2000
"""Memory that a surfel takes while it is made, as measured."""


def available_bytes() -> int | None:
    """Bytes that can be taken without pushing others out; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    words = fields.get("MemAvailable", "").split()
    return 1024 * int(words[0]) if words else None


def require(needed: int, what: str) -> None:
    """Refuse what cannot fit.

    Parameters
    ----------
    needed
        Bytes that will be taken.
    what
        What takes them and how to take less, as in "A picture of 9x9 pixels; choose a smaller
        size".

    Raises
    ------
    UsageError
        If more is needed than is available.
    """
    free = available_bytes()
    if free is not None and needed > free:
        raise UsageError(
            f"There is not enough memory ({needed / 2**30:.1f} GiB needed, {free / 2**30:.1f} GiB "
            f"free): {what}."
        )


def require_made(count: int, each: int, noun: str) -> None:
    """Refuse a number of splats that cannot be made.

    Parameters
    ----------
    count
        How many.
    each
        Bytes that one takes meanwhile.
    noun
        What they are, in the plural.

    Raises
    ------
    UsageError
        If it is not 1 to `MAX_MADE`, or there is not enough memory.
    """
    check_whole(count, noun)
    if not 1 <= count <= MAX_MADE:
        raise UsageError(f"{count:,} {noun} cannot be made; ask for 1 to {MAX_MADE:,}.")
    require(each * count, f"{count:,} {noun}; ask for fewer")


def check_surfels(count: int) -> None:
    """Refuse a number of surfels that a mesh cannot become; raises as `require_made`."""
    require_made(count, _SURFEL_BYTES, "surfels")
