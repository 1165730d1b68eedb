"""Calls of operations: which of a drag are left at its end, and how Python says them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polyorama.edit.command import Call

__all__ = ["last_of_each", "only_sets", "python_line"]

_NEWER = {"set": "value", "key": "value", "place": "matrix", "change_modifier": "values"}
"""Operations that drags repeat, and the argument in which their calls differ."""

_FEW = 64
"""Numbers of an array that are written one by one."""


def only_sets(call: Call) -> bool:
    """Whether a call does nothing but to give something a value, whatever was there before."""
    return call.name in _NEWER and call.arguments.get(_NEWER[call.name]) is not None


def last_of_each(calls: Sequence[Call]) -> list[Call]:
    """Of calls that give the same thing a newer value the last one, in their order.

    Parameters
    ----------
    calls
        For all of which `only_sets` holds.
    """
    kept: dict[tuple[Any, ...], Call] = {}
    for call in calls:
        newer = _NEWER[call.name]
        value = call.arguments[newer]
        # Of a modifier's fields only those that are given are new.
        fields = tuple(sorted(value)) if isinstance(value, Mapping) else ()
        others = tuple(sorted((k, v) for k, v in call.arguments.items() if k != newer))
        what = (call.name, fields, others)
        kept.pop(what, None)  # so that it takes its place among the others anew
        kept[what] = call
    return list(kept.values())


def python_line(call: Call) -> str:
    """The Python line that does the same, as ``doc.rename(node='pot', name='vase')``."""
    arguments = ", ".join(f"{name}={_shown(value)}" for name, value in call.arguments.items())
    return f"doc.{call.name}({arguments})"


def _shown(value: Any) -> str:
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k!r}: {_shown(part)}" for k, part in value.items()) + "}"
    if isinstance(value, tuple | list):
        parts = ", ".join(map(_shown, value))
        return f"({parts},)" if len(value) == 1 else f"({parts})"
    if value is None or isinstance(value, str | bool | int | float):
        return repr(value)
    if isinstance(value, np.ndarray) and value.size <= _FEW:
        return _shown(value.tolist())
    text = repr(value)
    return text if len(text) <= 200 else f"<{type(value).__name__}>"
