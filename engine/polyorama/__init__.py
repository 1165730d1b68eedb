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
    "SplatCloud": "polyorama.scene.splats",
    "convert": "polyorama.verbs.convert",
    "doctor": "polyorama.verbs.doctor",
    "compare": "polyorama.verbs.inspect",
    "fit": "polyorama.verbs.fit",
    "inspect": "polyorama.verbs.inspect",
    "open": "polyorama.verbs.open",
    "read_cameras": "polyorama.io.cameras",
    "render": "polyorama.verbs.film",
    "turntable": "polyorama.verbs.film",
    "write_cameras": "polyorama.io.cameras",
    "write_image": "polyorama.io.image",
    "write_video": "polyorama.io.video",
}


class _Package(types.ModuleType):
    """The package as an object, on which `render` is the verb.

    `polyorama.render` is a room too, and importing any of its modules would bind the room to that
    name; the room is always reached by import, so here the verb wins.
    """

    @property
    def render(self) -> Any:
        """`polyorama.verbs.film.render`."""
        return importlib.import_module(_LAZY["render"]).render

    @render.setter
    def render(self, room: types.ModuleType) -> None:
        """Leave the verb in place when the import system binds the room."""


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'polyorama' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_LAZY, "__version__"])
