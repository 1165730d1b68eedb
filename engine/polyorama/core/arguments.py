"""Arguments of public functions, checked where a wrong kind would end in Python's own words."""

from __future__ import annotations

import numbers
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from types import UnionType

__all__ = ["check_kind", "check_moment", "check_number", "check_path", "check_whole", "said"]


def said(value: object) -> str:
    """A wrong value as a message shows it: its kind, or itself where that is short."""
    text = repr(value)
    plain = isinstance(value, str | bytes | int | float | None | tuple | list)
    if plain and len(text) <= 60:
        return text
    name = type(value).__name__
    return f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"


def check_kind(value: object, kind: type[Any] | UnionType, name: str, what: str) -> None:
    """Refuse an argument that is no `kind`; `what` says what it should be, as "a Document".

    Raises
    ------
    UsageError
        Naming the argument.
    """
    if not isinstance(value, kind):
        raise UsageError(f"The argument {name!r} must be {what}, not {said(value)}.")


def check_path(value: object, name: str = "path") -> None:
    """Refuse an argument that names no file, being neither a text nor a path.

    Raises
    ------
    UsageError
        Naming the argument.
    """
    check_kind(value, str | os.PathLike, name, "a text or a path")


def check_number(value: object, name: str) -> None:
    """Refuse an argument that is no real number.

    Raises
    ------
    UsageError
        Naming the argument.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real | np.number):
        raise UsageError(f"The argument {name!r} must be a number, not {said(value)}.")


def check_moment(value: Any, name: str = "time") -> None:
    """Refuse an argument that is no moment of a timeline, in seconds.

    Raises
    ------
    UsageError
        Naming the argument.
    """
    check_number(value, name)
    if not abs(value) < np.inf:
        raise UsageError(f"The argument {name!r} must be seconds, not {said(value)}.")


def check_whole(value: object, name: str) -> None:
    """Refuse an argument that is no whole number.

    Raises
    ------
    UsageError
        Naming the argument.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise UsageError(f"The argument {name!r} must be a whole number, not {said(value)}.")
