"""How much memory is free, so that too large a wish can be refused before it is tried."""

from __future__ import annotations

from pathlib import Path

from polyorama.errors import UsageError

__all__ = ["available_bytes", "require"]


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
