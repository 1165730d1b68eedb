"""Polyorama: Gaussian-splat scenes, shapes, faces and live learning, from Python.

Five lines make a film::

    import polyorama as po

    doc = po.open("plant.ply")
    frames = po.turntable(doc, seconds=4, fps=30, size=(1280, 720))
    po.write_video("plant.mp4", frames, fps=30)

Names are loaded on first use, so importing the package is cheap and needs neither numba nor Qt.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

__version__ = "0.1.0"

_LAZY = {
    "AdamMini": "polyorama.lab.training.adam_mini",
    "Bounds": "polyorama.core.types",
    "Camera": "polyorama.core.types",
    "DepthOfField": "polyorama.render.accumulate",
    "Filming": "polyorama.render.shoot",
    "Grade": "polyorama.render.post",
    "Projection": "polyorama.render.panorama",
    "Sampling": "polyorama.render.accumulate",
    "Stereo": "polyorama.render.stereo",
    "Document": "polyorama.scene.document",
    "FitSettings": "polyorama.vision.fit.settings",
    "Frame": "polyorama.render.frame",
    "Node": "polyorama.scene.document",
    "demo": "polyorama.verbs.demo",
    "PolyoramaError": "polyorama.errors",
    "align_speech": "polyorama.verbs.face",
    "claims": "polyorama.verbs.claims",
    "experiment": "polyorama.verbs.lab",
    "experiments": "polyorama.verbs.lab",
    "open_run": "polyorama.verbs.lab",
    "run_experiment": "polyorama.verbs.lab",
    "sweep": "polyorama.verbs.lab",
    "SplatCloud": "polyorama.scene.splats",
    "convert": "polyorama.verbs.convert",
    "doctor": "polyorama.verbs.doctor",
    "edit": "polyorama.edit",
    "compare": "polyorama.verbs.inspect",
    "export": "polyorama.verbs.export",
    "film": "polyorama.verbs.timeline",
    "fit": "polyorama.verbs.fit",
    "get_model": "polyorama.verbs.models",
    "histogram": "polyorama.verbs.histograms",
    "index_shapes": "polyorama.verbs.shapes",
    "inspect": "polyorama.verbs.inspect",
    "library": "polyorama.verbs.shapes",
    "list_models": "polyorama.verbs.models",
    "model_path": "polyorama.verbs.models",
    "open": "polyorama.verbs.open",
    "open_rig": "polyorama.verbs.face",
    "read_cameras": "polyorama.io.cameras",
    "read_take": "polyorama.verbs.face",
    "recoverable": "polyorama.io.recovery",
    "render": "polyorama.render",
    "scatter": "polyorama.verbs.histograms",
    "save": "polyorama.verbs.editing",
    "save_take": "polyorama.verbs.face",
    "search_shapes": "polyorama.verbs.shapes",
    "speak": "polyorama.verbs.face",
    "turntable": "polyorama.verbs.film",
    "write_cameras": "polyorama.io.cameras",
    "write_image": "polyorama.io.image",
    "write_video": "polyorama.io.video",
}


_VERBS_OF_ROOMS = {"edit": "polyorama.verbs.editing", "render": "polyorama.verbs.film"}


class _Room(types.ModuleType):
    """A room of the engine that is a verb as well: called, it is the verb of its name."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """See `polyorama.verbs.film.render` and `polyorama.verbs.editing.edit`."""
        name = self.__name__.rpartition(".")[2]
        return getattr(importlib.import_module(_VERBS_OF_ROOMS[name]), name)(*args, **options)


class _Package(types.ModuleType):
    """The package as an object: rooms that are verbs can be called once they are bound."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _VERBS_OF_ROOMS and isinstance(value, types.ModuleType):
            value.__class__ = _Room
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'polyorama' has no attribute {name!r}")
    value: Any = importlib.import_module(module)
    if module != f"polyorama.{name}":
        value = getattr(value, name)
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_LAZY, "__version__"])
