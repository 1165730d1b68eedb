"""Jobs are generators: they yield `Progress`, and closing one cancels it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["Job", "Progress", "run"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job has come.

    Parameters
    ----------
    done, total
        Units of work; `total` is 0 where it is not known.
    note
        A few words for the person who waits, in sentence case, without a full stop.
    preview
        Something to show meanwhile, such as a Frame.
    """

    done: int
    total: int
    note: str = ""
    preview: Any = None


Job = Generator[Progress, None, T]
"""A generator of `Progress` that returns a result of type T."""


def run(job: Job[T]) -> T:
    """Run a job to its end, ignoring its progress, and return its result."""
    while True:
        try:
            next(job)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
