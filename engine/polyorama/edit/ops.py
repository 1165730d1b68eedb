"""Operations: everything that can be done to a document, by name.

An operation is a pure function ``(document, **arguments) -> Document``, or a job that ends with a
document where it takes long. The studio, scripts and recorded files call the same ones through
`polyorama.edit.editor.Editor`, as ``doc.rename(node="pot", name="vase")``.
"""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from polyorama.edit.arguments import frozen_argument
from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Op", "find_op", "op", "op_names"]

F = TypeVar("F", bound="Callable[..., Any]")

_MODULES = (
    "polyorama.edit.node_ops",
    "polyorama.edit.face_ops",
    "polyorama.edit.selection_ops",
    "polyorama.edit.modifier_ops",
    "polyorama.edit.split_ops",
    "polyorama.edit.timeline_ops",
    "polyorama.verbs.selecting",
    "polyorama.verbs.alike",
    "polyorama.verbs.cleanup",
    "polyorama.verbs.files_ops",
    "polyorama.verbs.histograms",
)
"""Rooms of operations that belong to the engine; others register by importing `op`."""

_ops: dict[str, Op] = {}


@dataclass(frozen=True, slots=True)
class Op:
    """One operation.

    Parameters
    ----------
    name
        What scripts call it by.
    function
        ``(document, **arguments) -> Document`` or a job of one.
    title
        What the history shows; ``{argument}`` is filled in.
    """

    name: str
    function: Callable[..., Any]
    title: str

    def bound(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments, checked against the function, so that they can be kept.

        Raises
        ------
        UsageError
            If one is missing, unknown, or of another kind than the function takes.
        """
        signature = inspect.signature(self.function)
        known = list(signature.parameters)[1:]
        unknown = [name for name in arguments if name not in known]
        if unknown:
            raise UsageError(
                f"{self.name} takes no {unknown[0]!r}; it takes {', '.join(known) or 'nothing'}."
            )
        missing = [
            name
            for name in known
            if name not in arguments
            and signature.parameters[name].default is inspect.Parameter.empty
        ]
        if missing:
            raise UsageError(f"{self.name} needs {', '.join(missing)}.")
        return {
            name: frozen_argument(self.name, name, signature.parameters[name].annotation, value)
            for name, value in arguments.items()
        }

    def titled(self, arguments: dict[str, Any]) -> str:
        """The title with arguments filled in; what is the whole document's goes by its own name."""
        shown = {
            name: parameter.default
            for name, parameter in inspect.signature(self.function).parameters.items()
        }
        shown |= arguments
        path = shown.get("path")
        if isinstance(path, str):
            shown["path"] = path.removeprefix("document/").replace("_", " ")
        return self.title.format_map(shown)


def op(title: str, name: str = "") -> Callable[[F], F]:
    """Register a function as an operation under its own name, or under `name`."""

    def register(function: F) -> F:
        known = name or function.__name__
        _ops[known] = Op(known, function, title)
        return function

    return register


def _load() -> None:
    for module in _MODULES:
        importlib.import_module(module)


def op_names() -> tuple[str, ...]:
    """Names of all operations, in alphabetical order."""
    _load()
    return tuple(sorted(_ops))


def find_op(name: str) -> Op:
    """An operation by name.

    Raises
    ------
    UsageError
        If there is none.
    """
    _load()
    if name not in _ops:
        raise UsageError(f"There is no operation {name!r}; there are {', '.join(op_names())}.")
    return _ops[name]
