"""The everyday names of ImageNet's thousand classes."""

from __future__ import annotations

import functools
import json

from polyorama.models import store

__all__ = ["class_names"]


@functools.cache
def class_names() -> tuple[str, ...]:
    """The thousand names in the order of the classifier's outputs.

    Raises
    ------
    UnavailableError
        If the package that carries them is not installed.
    """
    return tuple(json.loads(store.path("imagenet-names").read_text(encoding="utf-8")))
