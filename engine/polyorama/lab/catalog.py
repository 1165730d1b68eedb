"""Which experiments there are: our own, and those that plug-ins add by entry point.

A plug-in's package names its class in its metadata::

    [project.entry-points."polyorama.experiments"]
    "talks/my-walk" = "my_talk.walk:Walk"

A file that is still being written is named itself, as ``my_walk.py:Walk``.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import importlib.util
import math
import os
import re
import sys
import zlib
from pathlib import Path
from typing import Any

from polyorama.core.arguments import check_kind, said
from polyorama.core.text import reason_of
from polyorama.errors import UnavailableError, UsageError
from polyorama.lab.experiment import Canvas, Experiment, ExperimentParams, Preset, Rival

__all__ = ["described", "experiment_class", "experiment_ids", "known_class", "locator"]

_GROUP = "polyorama.experiments"
_ID = re.compile(r"[\w-]+/[\w.-]+")

_OWN: dict[str, str] = {
    "bandits/log-li": "polyorama.lab.bandits.log_li_experiment:LogLiExperiment",
    "rl/eqo": "polyorama.lab.rl.eqo_experiment:EqoExperiment",
    "training/adam-mini": "polyorama.lab.training.adam_mini_experiment:AdamMiniRace",
    "training/hessian-blocks": "polyorama.lab.training.hessian_experiment:HessianBlocks",
    "training/feature-strength": "polyorama.lab.training.feature_experiment:FeatureStrength",
    "training/feature-toy": "polyorama.lab.training.feature_toy_experiment:ToyExperiment",
    "inference/gaussian-vi": "polyorama.lab.inference.vi_experiment:GaussianVI",
    "inference/qmc-slicing": "polyorama.lab.inference.slicing_experiment:SlicingExperiment",
    "inference/mmd-flow": "polyorama.lab.inference.flow_experiment:FlowExperiment",
    "inference/directions": "polyorama.lab.inference.slicing_spread:SpreadExperiment",
}
"""Id to ``module:class``, in the order of the gallery."""

_from_files: dict[str, tuple[str, type[Experiment]]] = {}
"""Id to where it was loaded from, ``path.py:class``, and the class."""


def experiment_ids() -> tuple[str, ...]:
    """The ids of all experiments, our own first; nothing is imported."""
    return (*_OWN, *sorted({point.name for point in _points()} - set(_OWN)))


def experiment_class(name: str) -> type[Experiment]:
    """An experiment by its id, or by the part after the slash where that is enough.

    Parameters
    ----------
    name
        An id, or ``path.py:Class``; what was loaded from a file is known by its id afterwards.

    Raises
    ------
    UsageError
        If there is none, or several that end so, or `name` is no text.
    UnavailableError
        If a plug-in's cannot be imported.
    """
    check_kind(name, str, "name", "the id of an experiment, or path.py:Class")
    return _from_file(name) if ".py:" in name else known_class(name)


def known_class(name: str) -> type[Experiment]:
    """As `experiment_class`, and no file is loaded: for names that a file holds, not a person.

    Raises
    ------
    UsageError, UnavailableError
        As `experiment_class`.
    """
    if name in _from_files:
        return _from_files[name][1]
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
    point, *others = [point for point in _points() if point.name == name]
    if any(other.value != point.value for other in others):
        places = ", ".join(sorted({found.value for found in (point, *others)}))
        raise UnavailableError(
            f"Several packages add an experiment {name} ({places}); uninstall all but one."
        )
    try:
        found = point.load()
    except (Exception, SystemExit) as error:
        raise UnavailableError(
            f"The plug-in experiment {name} ({point.value}) cannot be imported "
            f"({reason_of(error)}); update or uninstall its package."
        ) from error
    _check(found, f"{name} ({point.value})")
    if found.id != name:
        raise UnavailableError(
            f"The plug-in {name} ({point.value}) calls itself {found.id!r}; both names must agree."
        )
    return found  # type: ignore[no-any-return]


def described(name: str) -> tuple[str, str]:
    """Title and summary of an experiment by its exact id.

    Our own are read from their source, which takes a millisecond; importing them would bring the
    compiler and torch.
    """
    if name in _OWN:
        module, _, attribute = _OWN[name].partition(":")
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            found = _constants(Path(spec.origin), attribute)
            if "title" in found and "summary" in found:
                return found["title"], found["summary"]
    cls = experiment_class(name)
    return cls.title, cls.summary


def _constants(path: Path, attribute: str) -> dict[str, str]:
    """The texts that a class in a file has for its attributes."""
    found: dict[str, str] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == attribute:
            for line in node.body:
                if not isinstance(line, ast.Assign | ast.AnnAssign):
                    continue
                if not isinstance(line.value, ast.Constant):
                    continue
                targets = line.targets if isinstance(line, ast.Assign) else [line.target]
                for target in targets:
                    if isinstance(target, ast.Name) and isinstance(line.value.value, str):
                        found[target.id] = line.value.value
    return found


def locator(cls: type[Experiment]) -> str:
    """What another process finds an experiment by: its id, or the file that it came from."""
    known = _from_files.get(cls.id)
    return known[0] if known is not None and known[1] is cls else cls.id


def _from_file(name: str) -> type[Experiment]:
    where, _, attribute = name.rpartition(":")
    path = Path(where).expanduser().absolute()
    if not path.is_file():
        raise UsageError(f"There is no such file with an experiment: {path}")
    place = f"{path}:{attribute}"
    for known, cls in _from_files.values():
        if known == place:
            return cls
    # Dataclasses look their module up by its name.
    module_name = f"polyorama_experiment_{zlib.crc32(os.fsencode(path)):08x}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise UnavailableError(
            f"The experiment cannot be loaded ({reason_of(error)}); mend the file: {path}"
        ) from error
    found = getattr(module, attribute, None)
    if found is None:
        raise UsageError(f"There is no class {attribute!r} in the file: {path}")
    _check(found, place)
    _from_files[found.id] = (place, found)
    return found  # type: ignore[no-any-return]


def _check(found: Any, what: str) -> None:
    if not (isinstance(found, type) and issubclass(found, Experiment)):
        raise UnavailableError(
            f"The plug-in {what} is no experiment; its class must derive from "
            f"polyorama.lab.experiment.Experiment."
        )
    lacking = [name for name in ("id", "title", "summary", "Params") if not hasattr(found, name)]
    lacking += sorted(found.__abstractmethods__)
    if lacking:
        raise UnavailableError(f"The plug-in {what} lacks {', '.join(lacking)}; add them.")
    wrong = {
        "id": not (isinstance(found.id, str) and _ID.fullmatch(found.id)),
        "title": not isinstance(found.title, str),
        "summary": not isinstance(found.summary, str),
        "Params": not (
            isinstance(found.Params, type) and issubclass(found.Params, ExperimentParams)
        ),
        "rivals": not _all_of(found.rivals, Rival),
        "canvases": not _all_of(found.canvases, Canvas),
        "presets": not _all_of(found.presets, Preset),
        "rate": not (isinstance(found.rate, int | float) and 0.0 < found.rate < math.inf),
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            value = said(getattr(found, name))
            raise UnavailableError(f"The plug-in {what} has {value} as its {name}; mend that.")


def _all_of(values: Any, kind: type[Any]) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)


def _points() -> tuple[importlib.metadata.EntryPoint, ...]:
    return tuple(importlib.metadata.entry_points(group=_GROUP))
