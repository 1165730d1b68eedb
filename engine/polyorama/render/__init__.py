"""From documents to frames: resolving, rasterizers, camera paths, surfels.

`polyorama.render` is this room and a verb too: called, it draws one picture. Importing any module
of the room binds the room to the name `polyorama.render`, so the verb has to be the room itself.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any


class _CallableRoom(types.ModuleType):
    """The package as an object that draws when it is called."""

    def __call__(self, document: Any, camera: Any = None, **options: Any) -> Any:
        """Draw one picture of a document and return a Frame: see `polyorama.verbs.film.render`."""
        return importlib.import_module("polyorama.verbs.film").render(document, camera, **options)


sys.modules[__name__].__class__ = _CallableRoom
