"""Which experiments there are: our own, and those that plug-ins add by entry point.

A plug-in's package names its class in its metadata::

    [project.entry-points."polyorama.experiments"]
    "talks/my-walk" = "my_talk.walk:Walk"
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import Any

from polyorama.errors import UnavailableError, UsageError
from polyorama.lab.experiment import Experiment

__all__ = ["experiment_class", "experiment_ids"]

_GROUP = "polyorama.experiments"

_OWN: dict[str, str] = {}
"""Id to ``module:class``, in the order of the gallery."""


def experiment_ids() -> tuple[str, ...]:
    """The ids of all experiments, our own first; nothing is imported."""
    others = sorted(point.name for point in _points() if point.name not in _OWN)
    return (*_OWN, *others)


def experiment_class(name: str) -> type[Experiment]:
    """An experiment by its id, or by the part after the slash where that is enough.

    Raises
    ------
    UsageError
        If there is none, or several that end so.
    UnavailableError
        If a plug-in's cannot be imported.
    """
    ids = experiment_ids()
    matches = [name] if name in ids else [i for i in ids if i.rpartition("/")[2] == name]
    if len(matches) != 1:
        there = ", ".join(matches or ids)
        what = f"Several experiments end in {name!r}" if matches else f"There is no {name!r}"
        raise UsageError(f"{what}; there are {there}.")
    return _imported(matches[0])


def _imported(name: str) -> type[Experiment]:
    if name in _OWN:
        module, _, attribute = _OWN[name].partition(":")
        found: Any = getattr(importlib.import_module(module), attribute)
        return found  # type: ignore[no-any-return]
    point = next(point for point in _points() if point.name == name)
    try:
        found = point.load()
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise UnavailableError(
            f"The plug-in experiment {name} ({point.value}) cannot be imported ({text}); update "
            f"or uninstall its package."
        ) from error
    if not (isinstance(found, type) and issubclass(found, Experiment)):
        raise UnavailableError(
            f"The plug-in {name} ({point.value}) is no experiment; its class must derive from "
            f"polyorama.lab.experiment.Experiment."
        )
    if found.id != name:
        raise UnavailableError(
            f"The plug-in {name} ({point.value}) calls itself {found.id!r}; both names must agree."
        )
    return found


def _points() -> tuple[importlib.metadata.EntryPoint, ...]:
    return tuple(importlib.metadata.entry_points(group=_GROUP))
