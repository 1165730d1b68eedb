"""Arguments of operations: of the kinds that the operations name, and never changed afterwards."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from polyorama.core.frozen import FrozenMap
from polyorama.errors import UsageError
from polyorama.scene.selection import BitSet

__all__ = ["frozen_argument", "known_kind"]

_LARGEST = 10**18


def _is_number(value: Any) -> bool:
    number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return number and math.isfinite(value)


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


def _are_sets(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(b, BitSet) for b in value.values())


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "str": (_is_text, "a text"),
    "float": (_is_number, "a finite number"),
    "int": (_is_whole, "a whole number"),
    "bool": (lambda value: isinstance(value, bool | np.bool_), "on or off (True or False)"),
    "Sequence[str] | str": (_are_texts, "a text or a list of texts"),
    "Sequence[float]": (_are_numbers, "a list of finite numbers"),
    "dict[str, Any]": (lambda value: isinstance(value, Mapping), "values by name"),
    "Mapping[str, Any]": (lambda value: isinstance(value, Mapping), "values by name"),
    "Mapping[str, Trait]": (lambda value: isinstance(value, Mapping), "traits by name"),
    "Mapping[str, BitSet]": (_are_sets, "sets of splats by node"),
    "Mask": (
        lambda value: value is None or isinstance(value, str | BitSet),
        "a rule or a set of splats",
    ),
}
"""What an annotation takes, and how that is said; others are named after their class."""
_ROWS = re.compile(r"Sequence\[tuple\[([\w, ]+)\]\]")
"""Lists of rows, such as paths with times."""


def _rows(columns: list[str]) -> tuple[Callable[[Any], bool], str]:
    kinds = [_KINDS[column] for column in columns]

    def fit(value: Any) -> bool:
        return _is_list(value) and all(
            isinstance(row, tuple)
            and len(row) == len(kinds)
            and all(fits(part) for (fits, _), part in zip(kinds, row, strict=True))
            for row in value
        )

    return fit, "a list of which each holds " + ", ".join(words for _, words in kinds)


def known_kind(annotation: Any) -> bool:
    """Whether arguments of an annotation are checked."""
    kind = str(annotation).removesuffix(" | None")
    rows = _ROWS.fullmatch(kind)
    if rows is not None:
        return set(rows[1].split(", ")) <= set(_KINDS)
    return kind in _KINDS or kind.isidentifier()


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
    rows = _ROWS.fullmatch(kind)
    if kind in _KINDS or rows is not None:
        fits, words = _KINDS[kind] if rows is None else _rows(rows[1].split(", "))
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
    if isinstance(value, int) and abs(value) >= _LARGEST:
        raise UsageError("A whole number of more than 18 digits cannot be reckoned with.")
    if isinstance(value, list | tuple):
        return tuple(_frozen(part) for part in value)
    if isinstance(value, Mapping):
        return FrozenMap({key: _frozen(part) for key, part in value.items()})
    if isinstance(value, np.ndarray):
        array = value.copy()
        array.flags.writeable = False
        return array
    return value
