"""Arguments of operations: of the kinds that the operations name, and never changed afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from polyorama.core.frozen import FrozenMap
from polyorama.errors import UsageError
from polyorama.scene.selection import BitSet

__all__ = ["frozen_argument"]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | Mapping)


def _are_texts(value: Any) -> bool:
    return _is_text(value) or (_is_list(value) and all(isinstance(part, str) for part in value))


def _are_numbers(value: Any) -> bool:
    return _is_list(value) and all(map(_is_number, value))


def _are_keys(value: Any) -> bool:
    return _is_list(value) and all(
        _is_list(part) and len(tuple(part)) == 2 and _is_text(part[0]) and _is_number(part[1])
        for part in value
    )


def _are_sets(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(b, BitSet) for b in value.values())


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "str": (_is_text, "a text"),
    "float": (_is_number, "a number"),
    "int": (_is_whole, "a whole number"),
    "bool": (lambda value: isinstance(value, bool | np.bool_), "on or off (True or False)"),
    "Sequence[str] | str": (_are_texts, "a text or a list of texts"),
    "Sequence[float]": (_are_numbers, "a list of numbers"),
    "Sequence[tuple[str, float]]": (_are_keys, "a list of paths, each with a time"),
    "dict[str, Any]": (lambda value: isinstance(value, Mapping), "values by name"),
    "Mapping[str, Any]": (lambda value: isinstance(value, Mapping), "values by name"),
    "Mapping[str, BitSet]": (_are_sets, "sets of splats by node"),
    "Mask": (
        lambda value: value is None or isinstance(value, str | BitSet),
        "a rule or a set of splats",
    ),
}
"""What an annotation takes, and how that is said; others are named after their class."""


def frozen_argument(op: str, name: str, annotation: Any, value: Any) -> Any:
    """An argument that can be kept and written down: of the right kind, without lists to change.

    Parameters
    ----------
    op, name
        What a message names.
    annotation
        The function's, as text.
    value
        Paths become texts, lists tuples, dictionaries read-only mappings.

    Raises
    ------
    UsageError
        If it is of another kind.
    """
    value = _frozen(value)
    text = str(annotation)
    kind = text.removesuffix(" | None")
    if value is None and (kind != text or text == "Any"):
        return value
    if kind in _KINDS:
        fits, words = _KINDS[kind]
        if not fits(value):
            raise UsageError(f"{name} of {op} is {words}, not {_shown(value)}.")
    elif kind.isidentifier() and kind != "Any":
        names = {cls.__name__ for cls in type(value).__mro__}
        if kind not in names:
            raise UsageError(f"{name} of {op} is a {kind}, not {_shown(value)}.")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _frozen(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return tuple(_frozen(part) for part in value)
    if isinstance(value, Mapping):
        return FrozenMap({key: _frozen(part) for key, part in value.items()})
    if isinstance(value, np.ndarray):
        array = value.copy()
        array.flags.writeable = False
        return array
    return value
