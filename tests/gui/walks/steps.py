"""What a step of the walk is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.gui.walks.walk import Walk

__all__ = ["Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Parameters
    ----------
    name
        Short, with hyphens; pictures are called after it.
    run
        Does it, and checks on the document that it was done.
    """

    name: str
    run: Callable[[Walk], None]
